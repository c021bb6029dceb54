"""The table: one row per operation, its mathematics written in gradc's own language.

This floor holds text, and refuses to know how to parse, differentiate or print it. The
laws in `tests/test_table.py` compare every column of a row with another:

    signature   the row as a formula has it; `max(x, y, ...)` takes any number
    doc         one sentence
    partials    the derivative by each argument, None where there is none
    each        that by an argument `x` of any number of them, which are `xs` together;
                `partials` are then those by the arguments before, or of a call with
                just as many
    varying     the partials of two arguments of which the second is no number
    means       the plain expression that the row stands for
    domain      where it is defined (everywhere, if absent)
    kinks       where the derivative is a convention or does not exist
    ulp         the error it keeps over its whole domain, of the value and of the worst
                partial, in units in the last place; what a number below 2^-1022 loses
                of its digits is not counted, and an order n is at most 4
    commutes    whether the order of the arguments is free
    python      its spelling, and a call of its name for more arguments than the
                signature has; without one the row is written out as it means, or
                called by its name if it has no meaning either; what has dots is of
                the module that stands before the last, which is imported
    c, js       its spelling in C, and in JavaScript if that differs, in Python's syntax
                where they have it otherwise; of more arguments it is that of two in a
                row (x and y), or of each (x), which are added
    witness     its spelling in mpmath; by default a call of its own name
    also        other names the language accepts for it
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any
from unicodedata import normalize

from gradc.errors import RESERVED, GradcError

_CALL = re.compile(r"(\w+)(?:\(((?:\w+(?:, *\w+)*)?)(, *\.\.\.)?\))?\Z")

Partials = tuple["str | None", ...]


@dataclass(frozen=True, eq=False)
class Op:
    """One row, whose columns the module's docstring describes, and the table it is of.

    Its texts are read in the first table that held it.
    """

    name: str
    called: str
    signature: str
    params: tuple[str, ...]
    doc: str
    partials: Partials | None = None
    each: str | None = None
    varying: Partials | None = None
    means: str | None = None
    domain: str | None = None
    kinks: str | None = None
    ulp: tuple[float, float] | None = None
    commutes: bool = False
    python: str | None = None
    c: str | None = None
    js: str | None = None
    witness: str | None = None
    also: tuple[str, ...] = ()
    variadic: bool = False
    infix: bool = False
    result: str = "number"
    table: Table = field(init=False, repr=False)

    def accepts(self, count: int) -> bool:
        """Whether the row takes `count` arguments."""
        return count > self.leading if self.variadic else count == len(self.params)

    @property
    def is_written_out(self) -> bool:
        """Whether the row is computed by its meaning, whose parts others may share."""
        return self.python is None and self.means is not None

    @property
    def means_only(self) -> bool:
        """Whether the row is differentiated as it means, for it has no partials."""
        return self.partials is None and self.each is None and self.means is not None

    @property
    def leading(self) -> int:
        """How many parameters stand before those that may be repeated, `x` the first."""
        return self.params.index("x") if self.variadic else len(self.params)

    @property
    def is_ordered(self) -> bool:
        """Whether the first argument is the order of a function, as in polygamma."""
        return self.params[:1] == ("n",) and (self.partials or ("",))[0] is None

    @property
    def held(self) -> tuple[int, ...]:
        """The arguments that the row has no partials by."""
        return tuple(k for k, text in enumerate(self.partials or ()) if text is None)

    @property
    def arity_text(self) -> str:
        """The arguments in words: `2 arguments (x, y)`."""
        listed = f" ({', '.join(self.params)})" if self.params else ""
        if self.variadic:
            return f"{self.leading + 1} or more arguments{listed[:-1]}, ...)"
        noun = "argument" if len(self.params) == 1 else "arguments"
        return f"{len(self.params)} {noun}{listed}"


class Table:
    """An immutable set of rows, found by node name or by the name a formula calls.

    Of a table in which derivatives can be asked for, `plain` is the one without them.
    """

    def __init__(self, rows: tuple[Op, ...], plain: Table | None = None) -> None:
        self.plain = plain or self
        self._rows = {row.name: row for row in rows}
        self.commuting = frozenset(row.name for row in rows if row.commutes)
        self._functions: dict[str, tuple[Op, ...]] = {}
        for row in rows:
            vars(row).setdefault("table", self)
            called = () if row.infix or not row.params else (row.called,)
            for name in (*called, *row.also):
                self._functions[name] = (*self._functions.get(name, ()), row)

    def __getitem__(self, name: str) -> Op:
        return self._rows[name]

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[Op]:
        return iter(self._rows.values())

    @cached_property
    def columnar(self) -> Table:
        """The table with the rows that go over all rows of columns."""
        return Table((*self, *_REDUCTIONS))

    @cached_property
    def differentiable(self) -> Table:
        """The table with the rows that only the pass `slopes` reads."""
        return Table((*self, *_SLOPES), self)

    def function(self, name: str) -> tuple[Op, ...]:
        """The rows a formula may call by `name` (they differ in arity)."""
        return self._functions.get(name, ())

    def callables(self) -> list[str]:
        """Every name that can be called, for lists and for near misses."""
        return sorted(self._functions)

    def define(
        self,
        signature: str,
        doc: str,
        *,
        means: str | None = None,
        partials: str | Partials | None = None,
        domain: str | None = None,
        kinks: str | None = None,
        python: str | None = None,
        witness: str | None = None,
    ) -> Table:
        """Return a new table with one more row, such as `swish(x)`, of the columns above.

        Raises:
            GradcError: the row contradicts itself or the table.
        """
        texts = {"means": means, "domain": domain, "kinks": kinks}
        row = op(signature, doc, partials, python=python, witness=witness, **texts)
        for problem in self._problems(row):
            raise GradcError(f"row {signature!r}: {problem}")
        own = (row if row.table is OPS else replace(row) for row in self)
        return Table((*own, row))  # in which rows may differentiate into each other

    def _problems(self, row: Op) -> Iterator[str]:
        """What contradicts itself in a new row, or contradicts the table."""
        if row.infix or row.variadic:
            yield "a new row is a call such as 'f(x, y)'"
        if not row.params:
            yield "a row needs at least one argument"
        for name in dict.fromkeys(row.params):
            if row.params.count(name) > 1:
                yield f"the parameter '{name}' stands twice"
        for name in (row.name, *row.params):
            is_plain = name.isidentifier() and normalize("NFKC", name) == name
            if not is_plain or name in RESERVED:
                yield f"'{name}' is no name"
        if row.name in self or self.function(row.name):
            yield f"the table already has '{row.name}'"
        if row.means is None and (row.partials is None or row.python is None):
            yield "give 'means', or both 'partials' and 'python'"
        if row.partials is not None and len(row.partials) != len(row.params):
            count = len(row.partials)
            yield f"column 'partials' has {count} entries for {row.arity_text}"
        try:
            ast.parse(re.sub(r"\{\w*\}", "x", row.python or "0"), mode="eval")
        except SyntaxError:
            yield "column 'python' is no expression of Python"
        for module, name in re.findall(r"([a-z][\w.]*)\.(\w+)\(", row.python or ""):
            with suppress(ImportError):  # which the module will need
                if not hasattr(import_module(module), name):
                    yield f"column 'python': {module} has no {name}"
        for hole in re.findall(r"\{(\w*)\}", row.python or ""):
            if hole not in row.params:
                yield f"column 'python' has a hole '{{{hole}}}' that is no parameter"


def op(
    signature: str,
    doc: str,
    partials: str | Partials | None = None,
    *,
    name: str | None = None,
    **columns: Any,
) -> Op:
    """Build a row; the name and the parameters are read from the signature.

    An operator is told its name. It has letters for its operands, and is spelled in
    Python as in a formula unless the row says otherwise.
    """
    found = _CALL.match(signature)
    if found is not None:
        called, params = found[1], tuple(re.findall(r"\w+", found[2] or ""))
    elif name is not None:
        called, params = name, tuple(re.findall(r"\b\w\b", signature))
        columns.setdefault("python", re.sub(r"\b(\w)\b", r"{\1}", signature))
    else:
        raise GradcError(f"'{signature}' is no signature such as 'f(x, y)'")
    if isinstance(partials, str):
        partials = (partials,)
    columns |= {"variadic": bool(found and found[3]), "infix": found is None}
    return Op(name or called, called, signature, params, doc, partials, **columns)


def _scipy(signature: str, *others: Any, **columns: Any) -> Op:
    """A row that `scipy.special` has by the same name."""
    holes = re.sub(r"(\w+)(?=[,)])", r"{\1}", signature)
    return op(signature, *others, python=f"finite(scipy.special.{holes})", **columns)


def _condition(signature: str, name: str, doc: str) -> Op:
    return op(signature, doc, name=name, result="condition")


# What `slopes` replaces: a derivative by a variable, and what makes one of a number.
VARIABLE, DIFF = "_variable", "_diff"
TOTAL, PRODUCT, TOP, BOTTOM = "_total", "_product", "_top", "_bottom"
ENTRY, AT, BY = "_entry", "_at", "_by"  # whole numbers in rows, and what is read there
REDUCTIONS = frozenset({TOTAL, PRODUCT, TOP, BOTTOM, BY})
# fmt: off
_SLOPES = (
    op(f"{VARIABLE}(x, serial)", "x, told apart from all else by a serial number.",
       ("1", "0"), python="{x}"),
    op(f"{DIFF}(y, x, call)", "The derivative of y by a variable, one of a call's."),
)

# What goes over all rows of columns, of which a program has one row.
# n is their number; `python` is what they are of one row.
_REDUCTIONS = (
    op("_total(x, n)", "The sum over the rows.", ("1", "0"), python="{x}"),
    op("_product(x, n)", "The product over the rows.",
       ("where(x != 0, _product(x, n)/x, _product(where(x == 0, 1, x), n)"
        "*where(_total(where(x == 0, 1, 0), n) == 1, 1, 0))", "0"), python="{x}"),
    op("_top(x, n)", "The largest in the rows; a tie shares the gradient equally.",
       ("where(x == _top(x, n), 1/_total(where(x == _top(x, n), 1, 0), n), 0)", "0"),
       python="{x}"),
    op("_bottom(x, n)", "The smallest in the rows; a tie shares the gradient equally.",
       ("where(x == _bottom(x, n), 1/_total(where(x == _bottom(x, n), 1, 0), n), 0)",
        "0"), python="{x}"),
    op("_by(x, n, k, j)", "The sum over the rows that have k = j, of columns of j.",
       (None, "0", "0", "0"), python="{x}"),
    op("_at(k, x, j)", "x of the row k of its columns, which number their rows by j.",
       ("0", "1", "0"), python="{x}[{k}]",
       c="at({k}, {x}) if {k} >= 0.0 else undefined()"),
    op("_entry(x, n)", "The whole number x, below n.", ("0", "0"),
       python="entry({x}, {n})"),
)

OPS = Table((
    op("pi", "The circle constant, 3.14159...", python="pi"),
    op("e", "Euler's number, 2.71828...", python="e"),

    op("x + y", "Sum.", ("1", "1"), name="add", commutes=True, ulp=(0.5, 0)),
    op("x - y", "Difference.", ("1", "-1"), name="sub", ulp=(0.5, 0)),
    op("x * y", "Product.", ("y", "x"), name="mul", commutes=True, ulp=(0.5, 0)),
    op("x / y", "Quotient.", ("1/y", "-(1/y*(x/y))"), name="div", domain="y != 0",
       ulp=(0.5, 3)),
    op("-x", "Negation.", "-1", name="neg", ulp=(0, 0)),
    op("x ^ y", "Power.",
       ("where(y >= 1/2 or y >= 0 and x == 0, where(y == 0, 0, y*x^(y - 1)), y*x^y/x)",
        "where(x > 0, x^y*log(x), 0)"),
       varying=("where(x > 0 and x^y > 1e-290, y*x^y/x,"
                " where(y == 0, 0, y*x^(y - 1)))",
                "where(x > 0, x^y*log(x), 0)"),
       name="pow",
       domain="x > 0 or x == 0 and y >= 0 or x < 0 and y == trunc(y)",
       kinks="x == 0 and y < 1 or x <= 0 and y != trunc(y)",
       python="pow({x}, {y})", witness="power({x}, {y})", also=("pow",), ulp=(1, 2)),
    op("sqrt(x)", "Square root.", "1/2/sqrt(x)", domain="x >= 0", kinks="x == 0",
       ulp=(0.5, 1.5)),
    op("cbrt(x)", "Cube root, of negative numbers too.",
       "1/3/cbrt(x)/cbrt(x)", kinks="x == 0",
       witness="sign({x})*cbrt(abs({x}))", ulp=(1, 3)),

    op("exp(x)", "Exponential.", "exp(x)", ulp=(1, 1)),
    op("exp2(x)", "Power of two.", "exp2(x)*log(2)",
       python="pow(2.0, {x})", witness="power(2, {x})", ulp=(1, 1.5)),
    op("expm1(x)", "exp(x) - 1, accurate near zero.", "exp(x)",
       means="exp(x) - 1", python="expm1({x})", ulp=(1, 1)),
    op("expdiff(x, y)", "exp(x) - exp(y), accurate where they are close.",
       ("exp(x)", "-exp(y)"), means="exp(x) - exp(y)", python="expdiff({x}, {y})",
       ulp=(3, 1)),
    op("exprel(x)", "(exp(x) - 1)/x, and 1 at 0.",
       "where(abs(x) > 1/32, (exp(x) - exprel(x))/x, dexprel(1, x, 0))",
       means="where(x == 0, 1, (exp(x) - 1)/x)", python="exprel({x})",
       c="exprel({x}, 0.0)", ulp=(3, 50)),
    op("exprel(x, y)", "(exp(x) - exp(y))/(x - y), and exp(x) where x = y.",
       ("where(abs(x - y) > 1/32, (exp(x) - exprel(x, y))/(x - y),"
        " dexprel(1, x, y))",
        "where(abs(x - y) > 1/32, (exprel(x, y) - exp(y))/(x - y),"
        " dexprel(1, y, x))"), name="exprel2", commutes=True,
       means="where(x == y, exp(x), (exp(x) - exp(y))/(x - y))",
       python="exprel({x}, {y})", ulp=(4, 50)),
    op("expm1over(x, y)", "(exp(x*y) - 1)/x, and y where x is 0.",
       ("where(abs(x*y) > 1/32, (y*exp(x*y) - expm1over(x, y))/x,"
        " y*y*dexprel(1, x*y, 0))", "exp(x*y)"), python="expm1over({x}, {y})",
       means="where(x == 0, y, (exp(x*y) - 1)/x)", ulp=(800, 800)),
    op("dexprel(n, x, y)", "The n-th derivative of exprel(x, y) by x, n constant.",
       (None, "dexprel(n + 1, x, y)",
        "where(n == 0, dexprel(1, y, x), where(abs(x - y) < 1,"
        " dexprel(n, x, y) - dexprel(n + 1, x, y),"
        " ((n + 1)*dexprel(n, x, y) - n*dexprel(n - 1, x, y))/(x - y)))"),
       domain="n >= 0 and n == trunc(n)",
       witness="(fsum((-1)**k*ff({n}, k)*exp({x})/({x} - {y})**(k + 1)"
       " for k in range(int({n}) + 1)) - (-1)**int({n})*factorial({n})*exp({y})"
       "/({x} - {y})**({n} + 1) if abs({x} - {y}) > 1 else"
       " exp({x})*hyp1f1(1, {n} + 2, {y} - {x})/({n} + 1))", ulp=(12, 60)),
    op("logrel(x)", "log(x)/(x - 1), and 1 at 1.",
       "where(abs(x - 1) > 1/32, (1/x - logrel(x))/(x - 1), dlogrel(1, x, 1))",
       domain="x > 0",
       means="where(x == 1, 1, log(x)/(x - 1))", python="logrel({x})",
       c="logrel({x}, 1.0)", ulp=(2, 50)),
    op("logrel(x, y)", "(log(x) - log(y))/(x - y), and 1/x where x = y.",
       ("where(abs(x/y - 1) > 1/32, (1/x - logrel(x, y))/(x - y), dlogrel(1, x, y))",
        "where(abs(x/y - 1) > 1/32, (logrel(x, y) - 1/y)/(x - y), dlogrel(1, y, x))"),
       name="logrel2", commutes=True,
       means="where(x == y, 1/x, (log(x) - log(y))/(x - y))",
       python="logrel({x}, {y})", domain="x > 0 and y > 0", ulp=(3, 50)),
    op("log1prel(x)", "log(1 + x)/x, and 1 at 0.",
       "where(abs(x) > 1/32, (1/(1 + x) - log1prel(x))/x, dlogrel(1, 1 + x, 1))",
       means="where(x == 0, 1, log(1 + x)/x)", domain="x > -1",
       python="log1p({x}) / {x} if {x} else 1.0",
       c="log1p({x}) / {x} if {x} != 0.0 else 1.0", ulp=(1.5, 50)),
    op("dlogrel(n, x, y)", "The n-th derivative of logrel(x, y) by x, n constant.",
       (None, "dlogrel(n + 1, x, y)",
        "-(((n + 1)*dlogrel(n, x, y) + x*dlogrel(n + 1, x, y))/y)"),
       domain="n >= 0 and n == trunc(n) and x > 0 and y > 0",
       witness="(fsum(binomial({n}, k)*(log({x}/{y}) if k == 0 else"
       " (-1)**(k - 1)*factorial(k - 1)/{x}**k)*(-1)**({n} - k)*factorial({n} - k)"
       "/({x} - {y})**({n} - k + 1) for k in range(int({n}) + 1))"
       " if 2*abs({x} - {y}) > {x} else (-1)**int({n})*factorial({n})/{x}**({n} + 1)"
       "*hyp2f1(1, {n} + 1, {n} + 2, 1 - {y}/{x})/({n} + 1))", ulp=(110, 20)),
    op("boxcox(x, y)", "(x^y - 1)/y, and log(x) where y is 0.",
       ("x^(y - 1)",
        "where(x > 0, where(abs(y*log(x)) > 1/32, (x^y*log(x) - boxcox(x, y))/y,"
        " log(x)*log(x)*dexprel(1, y*log(x), 0)), -(boxcox(x, y)/y))"),
       means="where(y == 0, log(x), (x^y - 1)/y)", python="boxcox({x}, {y})",
       domain="x > 0 or x == 0 and y > 0 or x < 0 and y != 0 and y == trunc(y)",
       kinks="x <= 0", ulp=(400, 700)),
    op("powrel(x, y, p)", "(x^p - y^p)/(x - y), and its limit where x = y.",
       ("where(x > 0 and abs(x - y) < y/32,"
        " p*p*logrel(x, y)*dexprel(1, p*log(x), p*log(y))/x"
        " + p*exprel(p*log(x), p*log(y))*dlogrel(1, x, y),"
        " (p*x^(p - 1) - powrel(x, y, p))/(x - y))",
        "where(x > 0 and abs(x - y) < y/32,"
        " p*p*logrel(x, y)*dexprel(1, p*log(y), p*log(x))/y"
        " + p*exprel(p*log(x), p*log(y))*dlogrel(1, y, x),"
        " (powrel(x, y, p) - p*y^(p - 1))/(x - y))",
        "where(x > 0 and abs(x - y) < y/32, y^p*logrel(x, y) + log(x)*powrel(x, y, p),"
        " (where(x > 0, x^p*log(x), 0) - where(y > 0, y^p*log(y), 0))/(x - y))"),
       means="where(x == y, p*x^(p - 1), (x^p - y^p)/(x - y))",
       python="powrel({x}, {y}, {p})", kinks="x <= 0 or y <= 0",
       domain="(x > 0 or x == 0 and p >= 0 or x < 0 and p == trunc(p)) and"
       " (y > 0 or y == 0 and p >= 0 or y < 0 and p == trunc(p)) and"
       " (x != y or x > 0)", ulp=(5, 60)),
    op("log(x)", "Natural logarithm.", "1/x", domain="x > 0", also=("ln",), ulp=(1, 1)),
    op("log(x, base)", "Logarithm to a base.",
       ("1/log(base)/x", "-(log(x, base)/log(base)/base)"), name="logbase",
       means="log(x)/log(base)", domain="x > 0 and base > 0 and base != 1",
       python="log({x}, {base})", c="log({x}) / log({base})", witness="log({x})/log({base})", ulp=(2, 4)),
    op("log2(x)", "Logarithm to base 2.", "1/log(2)/x", domain="x > 0",
       witness="log({x})/log(2)", ulp=(1, 1)),
    op("log10(x)", "Logarithm to base 10.", "1/log(10)/x", domain="x > 0", ulp=(1.5, 2)),
    op("log1p(x)", "log(1 + x), accurate near zero.", "1/(1 + x)",
       means="log(1 + x)", python="log1p({x})", domain="x > -1", ulp=(1, 1.5)),
    op("log1mexp(x)", "log(1 - exp(x)), accurate at both ends.",
       "where(x < -1, exp(x)/(exp(x) - 1), exp(x)/expm1(x))", domain="x < 0",
       means="where(x < -1, log1p(-exp(x)), log(-expm1(x)))", ulp=(3, 4)),
    op("logaddexp(x, y)", "log(exp(x) + exp(y)) without overflow.",
       ("sigmoid(x - y)", "sigmoid(y - x)"),
       means="max(x, y) + log1p(exp(-abs(x - y)))", commutes=True,
       witness="log(exp({x}) + exp({y}))", ulp=(4, 520)),
    op("logsumexp(x, ...)", "Logarithm of the sum of exponentials, without overflow.",
       each="exp(x - detach(max(xs)))/sumexp(detach(max(xs)), xs)",
       means="max(xs) + log(sumexp(max(xs), xs))",
       witness="log(fsum([exp(t) for t in ({xs},)]))", ulp=(2, 1100)),
    op("sumexp(m, x, ...)", "Sum of exp(x - m) over all x.", ("-sumexp(m, xs)",),
       each="exp(x - m)", c="1.0 if {x} == {m} else exp({x} - {m})", witness="fsum([exp(t - {m}) for t in ({xs},)])",
       ulp=(520, 520)),
    op("xlogy(x, y)", "x*log(y), and 0 where x is 0.",
       ("log(y)", "where(y <= 0, 0, x/y)"),
       means="where(x == 0, 0, x*log(y))", domain="y > 0 or x == 0", kinks="y <= 0",
       python="0.0 if {x} == 0.0 else {x} * log({y})",
       witness="({x}*log({y}) if {x} else mpf(0))", ulp=(2, 1)),

    op("sin(x)", "Sine.", "cos(x)", ulp=(1, 1)),
    op("cos(x)", "Cosine.", "-sin(x)", ulp=(1, 1)),
    op("cosdiff(x, y)", "cos(x - y), of the difference before it is rounded.",
       ("-sin(x - y)", "sin(x - y)"), means="cos(x - y)", python="cosdiff({x}, {y})",
       ulp=(100, 2)),
    op("versin(x)", "1 - cos(x), accurate near zero.", "sin(x)",
       means="2*sin(x/2)^2", witness="2*sin({x}/2)**2", ulp=(2, 1)),
    op("tan(x)", "Tangent.", "1 + tan(x)*tan(x)", ulp=(1, 2)),
    op("asin(x)", "Inverse sine, in [-pi/2, pi/2].", "1/sqrt((1 - x)*(1 + x))",
       domain="abs(x) <= 1", kinks="abs(x) == 1", also=("arcsin",), ulp=(1, 1.5)),
    op("acos(x)", "Inverse cosine, in [0, pi].", "-(1/sqrt((1 - x)*(1 + x)))",
       domain="abs(x) <= 1", kinks="abs(x) == 1", also=("arccos",), ulp=(1, 1.5)),
    op("atan(x)", "Inverse tangent, in [-pi/2, pi/2].", "1/(1 + x*x)",
       also=("arctan",), ulp=(1, 2)),
    op("atan2(y, x)", "Angle of the point (x, y), in [-pi, pi].",
       ("where(hypot(x, y) == 0, 0, x/hypot(x, y)/hypot(x, y))",
        "where(hypot(x, y) == 0, 0, -(y/hypot(x, y)/hypot(x, y)))"),
       kinks="x <= 0 and y == 0", also=("arctan2",), ulp=(1, 3)),
    op("sinc(x)", "sin(pi*x)/(pi*x), and 1 at 0.",
       "where(abs(x) < 1/32, -(pi*pi*x/3*(1 - pi*x*pi*x/10*(1 - pi*x*pi*x/28"
       "*(1 - pi*x*pi*x/54)))), (cos(pi*mod(x, 2)) - sinc(x))/x)",
       means="where(x == 0, 1, sin(pi*x)/(pi*x))",
       python="sinc({x})", witness="sincpi({x})", ulp=(2, 6)),
    op("degrees(x)", "Radians to degrees.", "180/pi", c="{x} * 57.29577951308232",
       ulp=(1, 1)),
    op("radians(x)", "Degrees to radians.", "pi/180", c="{x} * 0.017453292519943295",
       ulp=(1, 1)),

    op("sinh(x)", "Hyperbolic sine.", "cosh(x)", ulp=(1.5, 1.5)),
    op("cosh(x)", "Hyperbolic cosine.", "sinh(x)", ulp=(1.5, 1.5)),
    op("tanh(x)", "Hyperbolic tangent.",
       # 1*: the adjoint stands in front of the condition, and not in both of its sides
       "1*where(1 - tanh(x)*tanh(x) < 1/32, exp(-2*abs(x))*(1 + abs(tanh(x)))^2,"
       " 1 - tanh(x)*tanh(x))", ulp=(2, 90)),
    op("asinh(x)", "Inverse hyperbolic sine.", "1/hypot(x, 1)", also=("arcsinh",),
       ulp=(1.5, 1.5)),
    op("acosh(x)", "Inverse hyperbolic cosine.", "1/(sqrt(x - 1)*sqrt(x + 1))",
       domain="x >= 1", kinks="x == 1", also=("arccosh",), ulp=(1.5, 3)),
    op("atanh(x)", "Inverse hyperbolic tangent.", "1/((1 - x)*(1 + x))",
       domain="abs(x) < 1", also=("arctanh",), ulp=(1.5, 1.5)),

    op("abs(x)", "Absolute value.", "sign(x)", kinks="x == 0", ulp=(0, 0)),
    op("sign(x)", "-1, 0 or 1.", "0", kinks="x == 0",
       means="where(x > 0, 1, where(x < 0, -1, abs(x)))", ulp=(0, 0)),
    op("floor(x)", "The largest integer not above x.", "0", kinks="x == trunc(x)",
       python="rounded(floor, {x})", c="floor({x})", ulp=(0, 0)),
    op("ceil(x)", "The smallest integer not below x.", "0", kinks="x == trunc(x)",
       python="rounded(ceil, {x})", c="ceil({x})", ulp=(0, 0)),
    op("trunc(x)", "The integer part of x, towards zero.", "0", kinks="x == trunc(x)",
       python="rounded(trunc, {x})", c="trunc({x})", witness="sign({x})*floor(abs({x}))", ulp=(0, 0)),
    op("round(x)", "The nearest integer, halves to even.", "0",
       kinks="abs(x - trunc(x)) == 0.5", python="rounded(round, {x})", c="rint({x})",
       witness="nint({x})", ulp=(0, 0)),
    op("mod(x, y)", "Remainder with the sign of y, as Python's %.",
       ("1", "-round((x - mod(x, y))/y)"), domain="y != 0", kinks="mod(x, y) == 0",
       python="{x} % {y}", c="modulo({x}, {y})",
       witness="{x} - {y}*floor({x}/{y})", ulp=(0.5, 1)),
    op("fmod(x, y)", "Remainder with the sign of x, as in C.",
       ("1", "-round((x - fmod(x, y))/y)"), domain="y != 0", kinks="fmod(x, y) == 0",
       witness="sign({x})*(abs({x}) - abs({y})*floor(abs({x})/abs({y})))", ulp=(0, 1)),
    op("remainder(x, y)", "Remainder by the nearest multiple of y, as IEEE 754.",
       ("1", "-round((x - remainder(x, y))/y)"), domain="y != 0",
       kinks="2*abs(remainder(x, y)) == abs(y)",
       witness="{x} - {y}*nint({x}/{y})", ulp=(0, 1)),
    op("fdim(x, y)", "x - y where it is positive, else 0.",
       ("where(x > y, 1, 0)", "where(x > y, -1, 0)"),
       means="where(x <= y, 0, x - y)", kinks="x == y",
       witness="max({x} - {y}, mpf(0))", ulp=(0.5, 0)),
    op("copysign(x, y)", "The magnitude of x with the sign of y.",
       ("sign(x)*copysign(1, y)", "0"), kinks="x == 0 or y == 0",
       witness="(abs({x}) if {y} >= 0 else -abs({x}))", ulp=(0, 0)),

    op("min(x, y, ...)", "The smallest argument; a tie shares the gradient equally.",
       ("where(x < y, 1, where(x > y, 0, 1/2))",
        "where(x < y, 0, where(x > y, 1, 1/2))"),
       each="where(x == min(xs), 1/ties(min(xs), xs), 0)",
       kinks="ties(min(xs), xs) > 1", python="{y} if {x} > {y} else {x}",
       c="least({x}, {y})",
       witness="min({xs})", ulp=(0, 0)),
    op("max(x, y, ...)", "The largest argument; a tie shares the gradient equally.",
       ("where(x > y, 1, where(x < y, 0, 1/2))",
        "where(x > y, 0, where(x < y, 1, 1/2))"),
       each="where(x == max(xs), 1/ties(max(xs), xs), 0)",
       kinks="ties(max(xs), xs) > 1", python="{y} if {x} < {y} else {x}",
       c="most({x}, {y})",
       witness="max({xs})", ulp=(0, 0)),
    op("clip(x, low, high)", "x held between low and high.",
       means="min(max(x, low), high)", kinks="x == low or x == high",
       witness="min(max({x}, {low}), {high})", ulp=(0, 0)),
    op("ties(m, x, ...)", "How many of the other arguments are equal to m.",
       each="0", kinks="ties(m, xs) > 0", c="1.0 if {x} == {m} else 0.0", witness="mpf([{xs}].count({m}))", ulp=(0, 0)),
    op("detach(x)", "x, held constant in derivatives.", "0", kinks="x == x",
       also=("held",), means="x", witness="{x}", ulp=(0, 0)),
    op("relu(x)", "x where it is positive, else 0.", "where(x > 0, 1, 0)",
       kinks="x == 0", python="{x} if {x} > 0.0 else 0.0", witness="max({x}, mpf(0))",
       ulp=(0, 0)),
    op("hypot(x, ...)", "Length of the vector of the arguments, without overflow.",
       each="where(hypot(xs) == 0, 0, x/hypot(xs))", kinks="hypot(xs) == 0",
       c="hypot({x}, {y})", witness="norm([{xs}])", ulp=(1, 2)),

    op("sigmoid(x)", "Logistic function, 1/(1 + exp(-x)).", "sigmoid(x)*sigmoid(-x)",
       also=("expit",),
       means="where(x >= 0, 1/(1 + exp(-x)), exp(x)/(1 + exp(x)))",
       witness="1/(1 + exp(-{x}))", ulp=(2, 3)),
    op("softplus(x)", "Smooth ramp, log(1 + exp(x)) without overflow.",
       "sigmoid(x)", means="where(x >= 0, x + log1p(exp(-x)), log1p(exp(x)))",
       witness="log1p(exp({x}))", ulp=(1.5, 2)),
    op("silu(x)", "x*sigmoid(x).", "sigmoid(x)*(1 + x*sigmoid(-x))",
       means="x*sigmoid(x)", witness="{x}/(1 + exp(-{x}))", ulp=(2.5, 4)),
    op("gelu(x)", "x*normcdf(x).", "normcdf(x) + x*normpdf(x)",
       means="x*normcdf(x)", witness="{x}*erfc(-{x}/sqrt(2))/2", ulp=(4, 4)),

    op("erf(x)", "Error function.", "2/sqrt(pi)*exp(-(x*x))", ulp=(1, 1.5)),
    op("erfc(x)", "1 - erf(x), accurate in the tail.", "-(2/sqrt(pi)*exp(-(x*x)))",
       means="1 - erf(x)", python="erfc({x})", ulp=(3, 2)),
    op("erfcx(x)", "exp(x^2)*erfc(x) without overflow.",
       "where(x < 30, 2*x*erfcx(x) - 2/sqrt(pi), -(1/sqrt(pi)/x/x"
       "*(1 - 3/2/x/x*(1 - 5/2/x/x*(1 - 7/2/x/x*(1 - 9/2/x/x*(1 - 11/2/x/x"
       "*(1 - 13/2/x/x))))))))",
       means="exp(x*x)*erfc(x)", python="erfcx({x})", witness="exp({x}**2)*erfc({x})", ulp=(4, 4)),
    op("erfdiff(x, y)", "erf(x) - erf(y), accurate in the tails and in small steps.",
       ("2/sqrt(pi)*exp(-(x*x))", "-(2/sqrt(pi)*exp(-(y*y)))"),
       means="erf(x) - erf(y)", python="erfdiff({x}, {y})", ulp=(700, 400)),
    op("logerfdiff(x, y)", "log((erf(x) - erf(y))/2) without underflow.",
       ("exp(-(x*x) - logerfdiff(x, y))/sqrt(pi)",
        "-(exp(-(y*y) - logerfdiff(x, y))/sqrt(pi))"),
       means="log((erf(x) - erf(y))/2)", python="logerfdiff({x}, {y})",
       domain="x > y", ulp=(40, 2000)),
    op("gamma(x)", "Gamma function.", "gamma(x)*digamma(x)",
       domain="x > 0 or x != trunc(x)", ulp=(7, 6)),
    op("lgamma(x)", "Logarithm of the absolute value of gamma(x).", "digamma(x)",
       domain="x > 0 or x != trunc(x)", python="loggamma({x})",
       witness="re(loggamma({x}))", ulp=(12, 2)),
    op("digamma(x)", "Derivative of lgamma(x).", "polygamma(1, x)",
       domain="x > 0 or x != trunc(x)", ulp=(3, 2)),
    op("polygamma(n, x)", "The n-th derivative of digamma(x), n constant.",
       (None, "polygamma(n + 1, x)"),
       domain="n >= 0 and n == trunc(n) and (x > 0 or x != trunc(x))",
       witness="psi(int({n}), {x})", ulp=(8, 6)),
    op("beta(x, y)", "gamma(x)*gamma(y)/gamma(x + y).",
       ("beta(x, y)*(digamma(x) - digamma(x + y))",
        "beta(x, y)*(digamma(y) - digamma(x + y))"),
       means="gamma(x)*gamma(y)/gamma(x + y)", python="beta({x}, {y})",
       domain="x > 0 and y > 0", commutes=True,
       witness="exp(loggamma({x}) + loggamma({y}) - loggamma({x} + {y}))",
       ulp=(12, 15)),
    op("lbeta(x, y)", "Logarithm of the absolute value of beta(x, y).",
       ("digamma(x) - digamma(x + y)", "digamma(y) - digamma(x + y)"),
       means="lgamma(x) + lgamma(y) - lgamma(x + y)", python="lbeta({x}, {y})",
       domain="x > 0 and y > 0", commutes=True,
       witness="loggamma({x}) + loggamma({y}) - loggamma({x} + {y})", ulp=(12, 4)),
    op("normpdf(x)", "Density of the standard normal distribution.",
       "-(x*normpdf(x))", means="exp(-(x*x)/2)/sqrt(2*pi)", witness="npdf({x})",
       ulp=(3, 3)),
    op("normcdf(x)", "Standard normal distribution function.", "normpdf(x)",
       means="erfc(-x/sqrt(2))/2", witness="ncdf({x})", ulp=(4, 3)),

    op("erfinv(x)", "Inverse of erf.", "sqrt(pi)/2*exp(erfinv(x)*erfinv(x))",
       domain="abs(x) < 1", ulp=(5, 8)),
    op("erfcinv(x)", "Inverse of erfc.", "-(sqrt(pi)/2*exp(erfcinv(x)*erfcinv(x)))",
       domain="0 < x and x < 2", means="-(normppf(x/2)/sqrt(2))", ulp=(8, 10)),
    op("normppf(p)", "Quantile of the standard normal distribution.",
       "1/normpdf(normppf(p))", domain="0 < p and p < 1",
       python="statistics.NormalDist().inv_cdf({p})", c="quantile({p})",
       ulp=(5, 4)),
    op("logit(p)", "Logarithm of the odds, the inverse of sigmoid.", "1/(p*(1 - p))",
       domain="0 < p and p < 1", witness="log({p}/(1 - {p}))", ulp=(4, 3),
       means="where(p < 1/4, log(p/(1 - p)), log1p((2*p - 1)/(1 - p)))"),

    # Rows that SciPy computes.
    _scipy("j0(x)", "Bessel function of the first kind, of order 0.", "-j1(x)",
           witness="besselj(0, {x})", ulp=(20, 10)),
    _scipy("j1(x)", "Bessel function of the first kind, of order 1.",
           "(j0(x) - jv(2, x))/2", witness="besselj(1, {x})", ulp=(10, 10)),
    _scipy("jv(v, x)", "Bessel function of the first kind, of order v.",
           (None, "where(v == 0, -jv(1, x), (jv(v - 1, x) - jv(v + 1, x))/2)"),
           also=("jn",), domain="x > 0 or v == trunc(v) or v >= 0 and x == 0",
           witness="besselj({v}, {x})", ulp=(500, 500)),
    _scipy("y0(x)", "Bessel function of the second kind, of order 0.", "-y1(x)",
           domain="x > 0", witness="bessely(0, {x})", ulp=(20, 30)),
    _scipy("y1(x)", "Bessel function of the second kind, of order 1.",
           "(y0(x) - yv(2, x))/2", domain="x > 0",
           witness="bessely(1, {x})", ulp=(15, 10)),
    _scipy("yv(v, x)", "Bessel function of the second kind, of order v.",
           (None, "(yv(v - 1, x) - yv(v + 1, x))/2"), also=("yn",), domain="x > 0",
           witness="bessely({v}, {x})", ulp=(300, 100)),
    _scipy("i0(x)", "Modified Bessel function of the first kind, of order 0.", "i1(x)",
           witness="besseli(0, {x})", ulp=(6, 12)),
    _scipy("i1(x)", "Modified Bessel function of the first kind, of order 1.",
           "(i0(x) + iv(2, x))/2", witness="besseli(1, {x})", ulp=(15, 6)),
    _scipy("iv(v, x)", "Modified Bessel function of the first kind, of order v.",
           (None, "where(v == 0, iv(1, x), (iv(v - 1, x) + iv(v + 1, x))/2)"),
           domain="x > 0 or v == trunc(v) or v >= 0 and x == 0",
           witness="besseli({v}, {x})", ulp=(15, 80)),
    _scipy("i0e(x)", "exp(-abs(x))*i0(x).", "i1e(x) - where(x >= 0, 1, -1)*i0e(x)",
           kinks="x == 0", witness="exp(-abs({x}))*besseli(0, {x})", ulp=(8, 8)),
    _scipy("i1e(x)", "exp(-abs(x))*i1(x).",
           "(i0e(x) + ive(2, x))/2 - where(x >= 0, 1, -1)*i1e(x)",
           witness="exp(-abs({x}))*besseli(1, {x})", ulp=(8, 10)),
    _scipy("ive(v, x)", "exp(-abs(x))*iv(v, x).",
           (None, "(ive(v - 1, x) + ive(v + 1, x))/2 - where(x >= 0, 1, -1)*ive(v, x)"),
           domain="x > 0 or v == trunc(v) or v >= 0 and x == 0", kinks="x == 0",
           witness="exp(-abs({x}))*besseli({v}, {x})", ulp=(500, 200)),
    _scipy("k0(x)", "Modified Bessel function of the second kind, of order 0.", "-k1(x)",
           domain="x > 0", witness="besselk(0, {x})", ulp=(10, 8)),
    _scipy("k1(x)", "Modified Bessel function of the second kind, of order 1.",
           "-(k0(x) + k1(x)/x)", domain="x > 0", witness="besselk(1, {x})", ulp=(8, 4)),
    _scipy("kv(v, x)", "Modified Bessel function of the second kind, of order v.",
           (None, "-((kv(v - 1, x) + kv(v + 1, x))/2)"), also=("kn",), domain="x > 0",
           witness="besselk({v}, {x})", ulp=(2000, 500)),
    _scipy("k0e(x)", "exp(x)*k0(x).", "k0e(x) - k1e(x)", domain="x > 0",
           witness="exp({x})*besselk(0, {x})", ulp=(10, 5)),
    _scipy("k1e(x)", "exp(x)*k1(x).", "k1e(x) - k0e(x) - k1e(x)/x", domain="x > 0",
           witness="exp({x})*besselk(1, {x})", ulp=(6, 4)),
    _scipy("kve(v, x)", "exp(x)*kv(v, x).",
           (None, "kve(v, x) - (kve(v - 1, x) + kve(v + 1, x))/2"), domain="x > 0",
           witness="exp({x})*besselk({v}, {x})", ulp=(400, 300)),
    op("spherical_jn(n, x)", "Spherical Bessel function of the first kind.",
       (None, "where(n == 0, -spherical_jn(1, x),"
        " (n*spherical_jn(n - 1, x) - (n + 1)*spherical_jn(n + 1, x))/(2*n + 1))"),
       domain="n >= 0 and n == trunc(n)",
       python="finite(scipy.special.spherical_jn(int({n}), {x}))",
       witness="{x}**{n}*sqrt(pi)/2**({n} + 1)*rgamma({n} + 1.5)"
       "*hyp0f1({n} + 1.5, -{x}**2/4)", ulp=(60, 40)),
    op("spherical_yn(n, x)", "Spherical Bessel function of the second kind.",
       (None, "where(n == 0, -spherical_yn(1, x),"
        " (n*spherical_yn(n - 1, x) - (n + 1)*spherical_yn(n + 1, x))/(2*n + 1))"),
       domain="n >= 0 and n == trunc(n) and x > 0",
       python="finite(scipy.special.spherical_yn(int({n}), {x}))",
       witness="sqrt(pi/(2*{x}))*bessely({n} + 0.5, {x})", ulp=(5, 6)),
    op("spherical_in(n, x)", "Modified spherical Bessel function of the first kind.",
       (None, "where(n == 0, spherical_in(1, x),"
        " (n*spherical_in(n - 1, x) + (n + 1)*spherical_in(n + 1, x))/(2*n + 1))"),
       domain="n >= 0 and n == trunc(n)",
       python="finite(scipy.special.spherical_in(int({n}), {x}))",
       witness="{x}**{n}*sqrt(pi)/2**({n} + 1)*rgamma({n} + 1.5)"
       "*hyp0f1({n} + 1.5, {x}**2/4)", ulp=(8, 12)),
    op("spherical_kn(n, x)", "Modified spherical Bessel function of the second kind,"
       " sqrt(pi/2/x)*kv(n + 1/2, x).",
       (None, "where(n == 0, -spherical_kn(1, x),"
        " -((n*spherical_kn(n - 1, x) + (n + 1)*spherical_kn(n + 1, x))/(2*n + 1)))"),
       domain="n >= 0 and n == trunc(n) and x > 0",
       python="finite(scipy.special.spherical_kn(int({n}), {x}))",
       witness="sqrt(pi/(2*{x}))*besselk({n} + 0.5, {x})", ulp=(8, 12)),
    _scipy("gammainc(a, x)", "Regularised lower incomplete gamma function.",
           (None, "where(x > 0, exp((a - 1)*log(x) - x - lgamma(a)), x^(a - 1)/gamma(a))"),
           domain="a > 0 and x >= 0", kinks="x == 0",
           witness="gammainc({a}, 0, {x}, regularized=True)", ulp=(500, 4)),
    _scipy("gammaincc(a, x)", "Regularised upper incomplete gamma function.",
           (None,
            "-where(x > 0, exp((a - 1)*log(x) - x - lgamma(a)), x^(a - 1)/gamma(a))"),
           domain="a > 0 and x >= 0", kinks="x == 0",
           witness="gammainc({a}, {x}, regularized=True)", ulp=(150, 2)),
    _scipy("betainc(a, b, x)", "Regularised incomplete beta function.",
           (None, None, "where(0 < x and x < 1,"
            " exp((a - 1)*log(x) + (b - 1)*log1p(-x) - lbeta(a, b)),"
            " x^(a - 1)*(1 - x)^(b - 1)/beta(a, b))"),
           domain="a > 0 and b > 0 and x >= 0 and x <= 1", kinks="x == 0 or x == 1",
           witness="betainc({a}, {b}, 0, {x}, regularized=True)", ulp=(60, 4)),
    _scipy("betaincc(a, b, x)", "1 - betainc(a, b, x), accurate in the tail.",
           (None, None, "-where(0 < x and x < 1,"
            " exp((a - 1)*log(x) + (b - 1)*log1p(-x) - lbeta(a, b)),"
            " x^(a - 1)*(1 - x)^(b - 1)/beta(a, b))"),
           domain="a > 0 and b > 0 and x >= 0 and x <= 1", kinks="x == 0 or x == 1",
           witness="betainc({a}, {b}, {x}, 1, regularized=True)", ulp=(60, 4)),
    op("gammacdf(x, a)", "Gamma distribution function, of shape a and scale 1.",
       means="gammainc(a, x)", domain="a > 0 and x >= 0", kinks="x == 0", ulp=(150, 12)),
    op("betacdf(x, a, b)", "Beta distribution function.", means="betainc(a, b, x)",
       domain="a > 0 and b > 0 and x >= 0 and x <= 1", kinks="x == 0 or x == 1",
       ulp=(100, 12)),
    op("chi2cdf(x, k)", "Chi-squared distribution function.",
       means="gammainc(k/2, x/2)", domain="k > 0 and x >= 0", kinks="x == 0",
       ulp=(60, 12)),
    op("fcdf(x, m, n)", "F distribution function.",
       means="betainc(m/2, n/2, m*x/(m*x + n))", kinks="x == 0",
       domain="m > 0 and n > 0 and x >= 0", ulp=(40, 12)),
    op("poissoncdf(k, x)", "Poisson distribution function, of mean x.",
       means="gammaincc(floor(k) + 1, x)", domain="k >= 0 and x >= 0",
       kinks="x == 0 or k == floor(k)", ulp=(30, 12)),
    op("tcdf(x, nu)", "Distribution function of Student's t.",
       ("exp(-((nu + 1)/2*log1p(x*x/nu)) - lbeta(nu/2, 1/2))/sqrt(nu)", None),
       domain="nu > 0", python="finite(scipy.special.stdtr({nu}, {x}))",
       witness="(1 + sign({x})*betainc(0.5, {nu}/2, 0, {x}**2/({x}**2 + {nu}),"
       " regularized=True))/2", ulp=(10, 8)),
    op("expint(n, x)", "Exponential integral, of exp(-x*t)/t^n from t = 1 on.",
       (None, "where(n == 0, -(exp(-x)/x*(1 + 1/x)), -expint(n - 1, x))"),
       domain="n >= 0 and n == trunc(n) and (x > 0 or x == 0 and n > 1)",
       kinks="x == 0", python="finite(scipy.special.expn(int({n}), {x}))",
       witness="expint({n}, {x})", ulp=(20, 15)),
    op("ei(x)", "Exponential integral, of exp(t)/t up to t = x.", "exp(x)/x",
       also=("expi",), domain="x != 0", python="finite(scipy.special.expi({x}))",
       ulp=(300, 2)),
    op("lambertw(x)", "Principal w of w*exp(w) = x.",
       "where(x < 1, exp(-lambertw(x)), lambertw(x)/x)/(1 + lambertw(x))",
       domain="x >= -exp(-1)", kinks="x == -exp(-1)",
       python="finite(scipy.special.lambertw({x}).real)", witness="re(lambertw({x}))",
       ulp=(3, 3)),
    _scipy("zeta(s)", "Riemann's zeta function, s constant.", (None,), domain="s > 1",
           ulp=(5, 0)),
    _scipy("zeta(s, q)", "Hurwitz's zeta function, of 1/(q + k)^s for k >= 0.",
           (None, "-(s*zeta(s + 1, q))"), name="hurwitz", domain="s > 1 and q > 0",
           witness="zeta({s}, {q})", ulp=(8, 60)),
    _scipy("dawsn(x)", "Dawson's integral.",
           "where(abs(x) < 30, 1 - 2*x*dawsn(x), -(1/2/x/x*(1 + 3/2/x/x*(1 + 5/2/x/x"
           "*(1 + 7/2/x/x*(1 + 9/2/x/x*(1 + 11/2/x/x*(1 + 13/2/x/x))))))))",
           witness="sqrt(pi)/2*exp(-{x}**2)*erfi({x})", ulp=(150, 5)),
    op("wofz_re(x, y)", "Real part of Faddeeva's function of x + i*y.",
       ("2*(y*wofz_im(x, y) - x*wofz_re(x, y))",
        "2*(x*wofz_im(x, y) + y*wofz_re(x, y)) - 2/sqrt(pi)"),
       python="finite(scipy.special.wofz(complex({x}, {y})).real)",
       witness="re(exp(-mpc({x}, {y})**2)*erfc(mpc({y}, -{x})))", ulp=(300, 500)),
    op("wofz_im(x, y)", "Imaginary part of Faddeeva's function of x + i*y.",
       ("2/sqrt(pi) - 2*(x*wofz_im(x, y) + y*wofz_re(x, y))",
        "2*(y*wofz_im(x, y) - x*wofz_re(x, y))"),
       python="finite(scipy.special.wofz(complex({x}, {y})).imag)",
       witness="im(exp(-mpc({x}, {y})**2)*erfc(mpc({y}, -{x})))", ulp=(1600, 800)),
    op("voigt(x, sigma, gamma)", "Voigt's profile: the density of a normal number plus"
       " one of Cauchy.",
       means="wofz_re(x/(sigma*sqrt(2)), gamma/(sigma*sqrt(2)))/(sigma*sqrt(2*pi))",
       domain="sigma > 0 and gamma >= 0", ulp=(80, 800)),
    _scipy("owens_t(h, a)", "Owen's T, the integral of exp(-h^2*(1 + t^2)/2)/(1 + t^2)"
           " over 2*pi from t = 0 to a.",
           ("-(exp(-(h*h)/2)*erf(a*h/sqrt(2))/sqrt(8*pi))",
            "exp(-(h*h)*(1 + a*a)/2)/(2*pi*(1 + a*a))"),
           witness="quad(lambda t: exp(-{h}**2*(1 + t*t)/2)/(1 + t*t), [0, {a}])/(2*pi)",
           ulp=(80, 4)),

    _condition("x < y", "lt", "Less."),
    _condition("x <= y", "le", "Less or equal."),
    _condition("x > y", "gt", "Greater."),
    _condition("x >= y", "ge", "Greater or equal."),
    _condition("x == y", "eq", "Equal."),
    _condition("x != y", "ne", "Not equal."),
    _condition("x and y", "and", "Both; the second is evaluated only if the first holds."),
    _condition("x or y", "or", "Either; the second is evaluated only if the first fails."),
    _condition("not x", "not", "The opposite."),
    op("where(c, x, y)", "x where the condition c holds, else y; the other is not "
       "evaluated.", (None, "where(c, 1, 0)", "where(c, 0, 1)"),
       python="{x} if {c} else {y}"),
))

# The functions of arrays, which are written out while a formula is read.
ARRAYS = (
    op("sum(x)", "Sum of the entries."),
    op("prod(x)", "Product of the entries."),
    op("mean(x)", "Mean of the entries."),
    op("len(x)", "Length of the first axis."),
    op("norm(x)", "Root of the sum of squares of the entries."),
    op("cumsum(x)", "Sums of the entries so far."),
    op("range(stop)", "Whole numbers from 0, as in Python."),
    op("range(start, stop)", "Whole numbers from start."),
    op("range(start, stop, step)", "Every step-th of them."),
    op("dot(x, y)", "x @ y."),
    op("cross(x, y)", "Cross product of three entries each."),
    op("transpose(A)", "Rows and columns exchanged."),
    op("det(A)", "Determinant, up to 4 by 4."),
    op("inv(A)", "Inverse matrix, up to 4 by 4."),
    op("softmax(x)", "exp(x)/sum(exp(x)) without overflow."),
    op("diff(expression, x)", "Derivative by a variable."),
    op("grad(expression, x)", "Derivatives of a number."),
    op("jacobian(expression, x)", "Derivatives of an array."),
    op("hessian(expression, x)", "Second derivatives."),
)
# fmt: on
