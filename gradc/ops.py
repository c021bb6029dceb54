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
    positive    and of which the first is known to be positive as well
    means       the plain expression that the row stands for
    domain      where it is defined (everywhere, if absent)
    kinks       where the derivative is a convention or does not exist
    ulp         the error it keeps over its whole domain, of the value and of the worst
                partial, in units in the last place; what a number below 2^-1022 loses
                of its digits is not counted, and an order n is at most 4
    commutes    whether the order of the arguments is free
    python      its spelling, and a call of its name for more arguments than the
                signature has; without one the row is written out as it means, or
                called by its name if it has no meaning either
    witness     its spelling in mpmath; by default a call of its own name
    also        other names the language accepts for it
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
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
    positive: Partials | None = None
    means: str | None = None
    domain: str | None = None
    kinks: str | None = None
    ulp: tuple[float, float] | None = None
    commutes: bool = False
    python: str | None = None
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
    def arity_text(self) -> str:
        """The arguments in words: `2 arguments (x, y)`."""
        listed = ", ".join(self.params)
        if self.variadic:
            return f"{self.leading + 1} or more arguments ({listed}, ...)"
        noun = "argument" if len(self.params) == 1 else "arguments"
        return f"{len(self.params)} {noun} ({listed})"


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
        return Table((*self, row))

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


def _condition(signature: str, name: str, doc: str) -> Op:
    return op(signature, doc, name=name, result="condition")


# What `slopes` replaces: a derivative by a variable, and what makes one of a number.
VARIABLE, DIFF = "_variable", "_diff"
# fmt: off
_SLOPES = (
    op(f"{VARIABLE}(x, serial)", "x, told apart from all else by a serial number.",
       ("1", "0"), python="{x}"),
    op(f"{DIFF}(y, x, call)", "The derivative of y by a variable, one of a call's."),
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
       positive=("y*x^y/x", "x^y*log(x)"), name="pow",
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
    op("log(x)", "Natural logarithm.", "1/x", domain="x > 0", also=("ln",), ulp=(1, 1)),
    op("log(x, base)", "Logarithm to a base.",
       ("1/log(base)/x", "-(log(x, base)/log(base)/base)"), name="logbase",
       means="log(x)/log(base)", domain="x > 0 and base > 0 and base != 1",
       python="log({x}, {base})", witness="log({x})/log({base})", ulp=(2, 4)),
    op("log2(x)", "Logarithm to base 2.", "1/log(2)/x", domain="x > 0",
       witness="log({x})/log(2)", ulp=(1, 1)),
    op("log10(x)", "Logarithm to base 10.", "1/log(10)/x", domain="x > 0", ulp=(1, 2)),
    op("log1p(x)", "log(1 + x), accurate near zero.", "1/(1 + x)",
       means="log(1 + x)", python="log1p({x})", domain="x > -1", ulp=(1, 1.5)),
    op("logaddexp(x, y)", "log(exp(x) + exp(y)) without overflow.",
       ("sigmoid(x - y)", "sigmoid(y - x)"),
       means="max(x, y) + log1p(exp(-abs(x - y)))", commutes=True,
       witness="log(exp({x}) + exp({y}))", ulp=(1.5, 520)),
    op("logsumexp(x, ...)", "Logarithm of the sum of exponentials, without overflow.",
       each="exp(x - detach(max(xs)))/sumexp(detach(max(xs)), xs)",
       means="max(xs) + log(sumexp(max(xs), xs))",
       witness="log(fsum([exp(t) for t in ({xs},)]))", ulp=(2, 1100)),
    op("sumexp(m, x, ...)", "Sum of exp(x - m) over all x.", ("-sumexp(m, xs)",),
       each="exp(x - m)", witness="fsum([exp(t - {m}) for t in ({xs},)])",
       ulp=(520, 520)),
    op("xlogy(x, y)", "x*log(y), and 0 where x is 0.",
       ("log(y)", "where(y <= 0, 0, x/y)"),
       means="where(x == 0, 0, x*log(y))", domain="y > 0 or x == 0", kinks="y <= 0",
       python="0.0 if {x} == 0.0 else {x} * log({y})",
       witness="({x}*log({y}) if {x} else mpf(0))", ulp=(2, 1)),

    op("sin(x)", "Sine.", "cos(x)", ulp=(1, 1)),
    op("cos(x)", "Cosine.", "-sin(x)", ulp=(1, 1)),
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
       python="sinc({x})", witness="sincpi({x})", ulp=(2, 3)),
    op("degrees(x)", "Radians to degrees.", "180/pi", ulp=(1, 1)),
    op("radians(x)", "Degrees to radians.", "pi/180", ulp=(1, 1)),

    op("sinh(x)", "Hyperbolic sine.", "cosh(x)", ulp=(1.5, 1.5)),
    op("cosh(x)", "Hyperbolic cosine.", "sinh(x)", ulp=(1.5, 1.5)),
    op("tanh(x)", "Hyperbolic tangent.",
       "where(tanh(x)*tanh(x) > 31/32, exp(-2*abs(x))"
       "*(1 + tanh(x)*tanh(x) + 2*abs(tanh(x))), 1 - tanh(x)*tanh(x))", ulp=(1.5, 90)),
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
       python="round_down({x})", ulp=(0, 0)),
    op("ceil(x)", "The smallest integer not below x.", "0", kinks="x == trunc(x)",
       python="round_up({x})", ulp=(0, 0)),
    op("trunc(x)", "The integer part of x, towards zero.", "0", kinks="x == trunc(x)",
       python="round_to_zero({x})", witness="sign({x})*floor(abs({x}))", ulp=(0, 0)),
    op("round(x)", "The nearest integer, halves to even.", "0",
       kinks="abs(x - trunc(x)) == 0.5", python="round_even({x})",
       witness="nint({x})", ulp=(0, 0)),
    op("mod(x, y)", "Remainder with the sign of y, as Python's %.",
       ("1", "-round((x - mod(x, y))/y)"), domain="y != 0", kinks="mod(x, y) == 0",
       python="{x} % {y}", witness="{x} - {y}*floor({x}/{y})", ulp=(0.5, 1)),
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
       witness="min({xs})", ulp=(0, 0)),
    op("max(x, y, ...)", "The largest argument; a tie shares the gradient equally.",
       ("where(x > y, 1, where(x < y, 0, 1/2))",
        "where(x > y, 0, where(x < y, 1, 1/2))"),
       each="where(x == max(xs), 1/ties(max(xs), xs), 0)",
       kinks="ties(max(xs), xs) > 1", python="{y} if {x} < {y} else {x}",
       witness="max({xs})", ulp=(0, 0)),
    op("clip(x, low, high)", "x held between low and high.",
       means="min(max(x, low), high)", kinks="x == low or x == high",
       witness="min(max({x}, {low}), {high})", ulp=(0, 0)),
    op("ties(m, x, ...)", "How many of the other arguments are equal to m.",
       each="0", kinks="ties(m, xs) > 0", witness="mpf([{xs}].count({m}))", ulp=(0, 0)),
    op("detach(x)", "x, held constant in derivatives.", "0", kinks="x == x",
       also=("held",), means="x", witness="{x}", ulp=(0, 0)),
    op("relu(x)", "x where it is positive, else 0.", "where(x > 0, 1, 0)",
       kinks="x == 0", python="{x} if {x} > 0.0 else 0.0", witness="max({x}, mpf(0))",
       ulp=(0, 0)),
    op("hypot(x, ...)", "Length of the vector of the arguments, without overflow.",
       each="where(hypot(xs) == 0, 0, x/hypot(xs))", kinks="hypot(xs) == 0",
       witness="norm([{xs}])", ulp=(1, 2)),

    op("sigmoid(x)", "Logistic function, 1/(1 + exp(-x)).", "sigmoid(x)*sigmoid(-x)",
       means="where(x >= 0, 1/(1 + exp(-x)), exp(x)/(1 + exp(x)))",
       witness="1/(1 + exp(-{x}))", ulp=(2, 3)),
    op("softplus(x)", "Smooth ramp, log(1 + exp(x)) without overflow.",
       "sigmoid(x)", means="where(x >= 0, x + log1p(exp(-x)), log1p(exp(x)))",
       witness="log1p(exp({x}))", ulp=(1.5, 2)),
    op("silu(x)", "x*sigmoid(x).", "sigmoid(x)*(1 + x*sigmoid(-x))",
       means="x*sigmoid(x)", witness="{x}/(1 + exp(-{x}))", ulp=(2, 4)),
    op("gelu(x)", "x*normcdf(x).", "normcdf(x) + x*normpdf(x)",
       means="x*normcdf(x)", witness="{x}*erfc(-{x}/sqrt(2))/2", ulp=(4, 4)),

    op("erf(x)", "Error function.", "2/sqrt(pi)*exp(-(x*x))", ulp=(1, 1.5)),
    op("erfc(x)", "1 - erf(x), accurate in the tail.", "-(2/sqrt(pi)*exp(-(x*x)))",
       means="1 - erf(x)", python="erfc({x})", ulp=(2, 2)),
    op("erfcx(x)", "exp(x^2)*erfc(x) without overflow.",
       "where(x < 30, 2*x*erfcx(x) - 2/sqrt(pi), -(1/sqrt(pi)/x/x"
       "*(1 - 3/2/x/x*(1 - 5/2/x/x*(1 - 7/2/x/x*(1 - 9/2/x/x))))))",
       means="exp(x*x)*erfc(x)", python="erfcx({x})", witness="exp({x}**2)*erfc({x})", ulp=(4, 4)),
    op("gamma(x)", "Gamma function.", "gamma(x)*digamma(x)",
       domain="x > 0 or x != trunc(x)", ulp=(5, 6)),
    op("lgamma(x)", "Logarithm of the absolute value of gamma(x).", "digamma(x)",
       domain="x > 0 or x != trunc(x)", python="loggamma({x})",
       witness="re(loggamma({x}))", ulp=(12, 2)),
    op("digamma(x)", "Derivative of lgamma(x).", "polygamma(1, x)",
       domain="x > 0 or x != trunc(x)", ulp=(3, 2)),
    op("polygamma(n, x)", "The n-th derivative of digamma(x), n constant.",
       (None, "polygamma(n + 1, x)"),
       domain="n >= 0 and n == trunc(n) and (x > 0 or x != trunc(x))",
       witness="psi(int({n}), {x})", ulp=(5, 6)),
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
       witness="loggamma({x}) + loggamma({y}) - loggamma({x} + {y})", ulp=(4, 4)),
    op("normpdf(x)", "Density of the standard normal distribution.",
       "-(x*normpdf(x))", means="exp(-(x*x)/2)/sqrt(2*pi)", witness="npdf({x})",
       ulp=(3, 3)),
    op("normcdf(x)", "Standard normal distribution function.", "normpdf(x)",
       means="erfc(-x/sqrt(2))/2", witness="ncdf({x})", ulp=(4, 3)),

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
# fmt: on
