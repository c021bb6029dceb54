"""Arithmetics: what the rows of the table compute, on each type of number.

Floats take a row's Python spelling, mpmath's numbers its witness, fractions and other
exact types Python's operators; a type may bring its own in an attribute `arithmetic`.
A text of a row becomes a Python function over an arithmetic: its operators are
Python's, its constants are numbers of the type, `where` stays lazy.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from numbers import Integral, Rational, Real
from random import Random
from typing import Any

from gradc.calculus import EVERY, Template, meaning_template
from gradc.ir import LAZY
from gradc.ops import OPS, Op, Table
from gradc.spelling import SYMBOLS, function, text

Compute = Callable[..., Any]
Names = dict[str, "Op | float"]

_OPERATORS = frozenset({*SYMBOLS, "neg", "not", "where"})
_DEEP = 40  # CPython's parser refuses two hundred nested brackets
_HOLE = re.compile(r"\{(\w+)\}")

# Python's min and max of a single number would look for numbers inside it.
_CHOICES: Mapping[str, Compute] = {
    "min": lambda *xs: min(xs),
    "max": lambda *xs: max(xs),
}
# The rows that choose or cut, and so never round.
_EXACT: Mapping[str, Compute] = {
    **_CHOICES,
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": round,
    "fmod": lambda x, y: x - y * math.trunc(x / y),
    "remainder": lambda x, y: x - y * round(x / y),
    "copysign": lambda x, y: abs(x) if y >= 0 else -abs(x),
    "clip": lambda x, low, high: min(max(x, low), high),
    "ties": lambda m, *xs: xs.count(m),
    "rivals": lambda *xs: xs.count(max(xs)) - 1,
    "relu": lambda x: x if x > 0 else 0,
}
# With these, the rows that take rational numbers to rational numbers.
_RATIONAL: Mapping[str, Compute] = {
    **_EXACT,
    "pow": operator.pow,
    "mod": operator.mod,
    "fma": lambda x, y, z: x * y + z,
    "fma2": lambda x, y, z, w, c: x * y + z * w + c,
    "fdim": lambda x, y: x - y if x > y else 0,
}


class Arithmetic:
    """One type of number: how it holds constants and computes rows.

    `primitive` gives what computes a row, None if the row's Python spelling or, for a
    row that was defined by its meaning alone, the meaning will do. Where types meet,
    the one of higher `rank` computes.
    """

    def __init__(
        self,
        number: Callable[[float], Any],
        primitive: Callable[[Op, Table], Compute | None],
        rank: int,
    ) -> None:
        self.number = number
        self.primitive = primitive
        self.rank = rank
        self._known: dict[tuple[Op, Table], Compute] = {}

    def compute(self, op: Op, ops: Table = OPS) -> Compute:
        """What the row computes on numbers of this type, as a function."""
        found = self._known.get((op, ops)) or self.primitive(op, ops)
        if found is None:
            found = self.meaning(op, ops) if is_defined(op) else function(op)
        self._known[op, ops] = found
        return found

    def meaning(self, op: Op, ops: Table) -> Compute:
        """What the row means, as a function."""
        names: Names = {}
        holes = {name: f"a{k}" for k, name in enumerate(op.params)}
        writer = Writer(holes, names, ops)
        body = writer.write(meaning_template(op, ops))
        lines = [*writer.lines, f"return {body}"]
        return self.compile(", ".join(holes.values()), lines, names, ops)

    def compile(
        self, params: str, lines: Iterable[str], names: Names, ops: Table
    ) -> Compute:
        """The function of some parameters whose lines mention `names`."""
        source = "\n    ".join([f"def made({params}):", *lines])
        scope: dict[str, Any] = {
            key: self.number(of) if isinstance(of, float) else self.compute(of, ops)
            for key, of in names.items()
        }
        exec(source, scope)
        made: Compute = scope["made"]
        return made


def is_defined(op: Op) -> bool:
    """Whether a user defined the row by its meaning, without a spelling."""
    return op.python is None and op.means is not None and not _is_own(op)


def _is_own(op: Op) -> bool:
    return op.name in OPS and OPS[op.name] == op


def _own(op: Op, computes: Mapping[str, Compute]) -> Compute | None:
    return computes.get(op.name) if _is_own(op) else None


class Writer:
    """Writes a template as Python text, its parameters filled from `holes`.

    The constants and rows that the text mentions by name are added to `names`. Two
    kinds of assignments come before it: `still`, calls that depend on nothing but the
    list of all arguments, and `lines`, what nests deeper than a parser likes.
    """

    def __init__(self, holes: Mapping[str, str], names: Names, ops: Table) -> None:
        self.holes = holes
        self.names = names
        self.ops = ops
        self.still: list[str] = []
        self.lines: list[str] = []

    def write(self, template: Template) -> str:
        """The text of the template; assignments are left in `still` and `lines`."""
        optional = _optional(template)
        texts: list[str] = []
        depths: list[int] = []
        for i, (kind, content) in enumerate(template.items):
            of = content if isinstance(content, tuple) else ()
            texts.append(self._text(kind, content, [texts[a] for a in of]))
            depths.append(1 + max([depths[a] for a in of], default=0))
            if of and all(_is_still(texts[a]) for a in of):
                self.still.append(f"s{i} = {texts[i]}")
                texts[i] = f"s{i}"
            elif depths[i] > _DEEP and not optional[i]:
                self.lines.append(f"t{i} = {texts[i]}")
                texts[i], depths[i] = f"t{i}", 0
        return texts[-1]

    def _text(self, kind: str, content: object, args: list[str]) -> str:
        if kind == "param":
            return self.holes[str(content)]
        if kind in _OPERATORS:
            return f"({text(self.ops[kind], len(args)).format(*args)})"
        name = f"c{len(self.names)}"
        if isinstance(content, float):
            self.names[name] = content
            return name
        self.names[name] = self.ops[kind]
        return f"{name}({', '.join(args)})"


def _optional(template: Template) -> list[bool]:
    """Which items stand where they may not be evaluated."""
    optional = [False] * len(template.items)
    for i in range(len(template.items) - 1, -1, -1):
        kind, content = template.items[i]
        for k, a in enumerate(content if isinstance(content, tuple) else ()):
            optional[a] = optional[i] or (kind in LAZY and k > 0)
    return optional


def _is_still(written: str) -> bool:
    """Whether a text is the list of all arguments or what was computed from it."""
    return written == f"*{EVERY}" or re.fullmatch(r"s\d+", written) is not None


FLOATS = Arithmetic(float, lambda op, ops: _own(op, _CHOICES), rank=0)

# The types that compute as floats do; `arithmetic` adds those it meets, such as
# numpy.float64.
PLAIN: set[type] = {float, int}


def arithmetic(*numbers: Any) -> Arithmetic:
    """The arithmetic in which numbers meet; that of floats if there are none."""
    found = FLOATS
    for x in numbers:
        if x.__class__ not in PLAIN:
            other = getattr(x, "arithmetic", None) or _of_type(x.__class__)
            if other.rank > found.rank:
                found = other
    return found


@lru_cache(maxsize=256)
def _of_type(cls: type) -> Arithmetic:
    if hasattr(cls, "context"):  # mpmath's numbers know their precision
        return _mpmath(cls.context)
    if issubclass(cls, Real) and (
        issubclass(cls, Integral) or not issubclass(cls, Rational)
    ):
        PLAIN.add(cls)
        return FLOATS
    return _rational(cls)


def _rational(cls: type) -> Arithmetic:
    def primitive(op: Op, ops: Table) -> Compute | None:
        compute = _own(op, _RATIONAL)
        return compute and (lambda *args: lift(compute(*args)))

    def lift(x: Any) -> Any:
        return cls(x) if isinstance(x, int) else x

    return Arithmetic(cls, primitive, rank=1)


def _mpmath(context: Any) -> Arithmetic:
    scope = {name: getattr(context, name) for name in dir(context) if name[0] != "_"}
    scope |= _CHOICES

    def primitive(op: Op, ops: Table) -> Compute | None:
        if op.witness is None and not _is_own(op):
            return None
        if op.witness is None and op.means and not hasattr(context, op.called):
            return result.meaning(op, ops)
        compute: Compute = eval(_witness(op), scope)
        return compute

    result = Arithmetic(context.mpf, primitive, rank=2)
    return result


def _witness(op: Op) -> str:
    """A row's spelling over mpmath's names, as the text of a function."""
    fixed = op.params[: op.leading] if op.variadic else op.params
    holes = {name: f"a{k}" for k, name in enumerate(fixed)}
    if op.variadic:
        holes[EVERY] = f"*{EVERY}"
    params = ", ".join(holes.values())
    if op.witness is not None:
        body = _HOLE.sub(lambda match: holes[match[1]], op.witness)
    elif op.name in _OPERATORS:
        body = text(op, len(fixed)).format(*holes.values())
    else:
        body = f"{op.called}({params})" if op.params else f"+{op.called}"
    return f"lambda {params}: {body}"


def perturbed(random: Random, roundoff: float = 2.0**-52) -> type[float]:
    """A type of float whose every result is off by its rounding, as `random` draws.

    Sums, products and quotients are off by at most `roundoff`, functions by four times
    as much; what is exact stays exact.
    """

    class Perturbed(float):
        arithmetic: Arithmetic

    def off(compute: Compute, size: float, name: str = "") -> Compute:
        exactly = _EXACTLY.get(name)

        def result(*args: float) -> Any:
            found = compute(*args)
            if found is NotImplemented:
                return found
            if isinstance(found, complex):
                raise ValueError("not a real number")
            if exactly is None or not exactly(*map(float, args), found):
                found *= 1.0 + size * (2.0 * random.random() - 1.0)
            return Perturbed(found)

        return result

    def primitive(op: Op, ops: Table) -> Compute | None:
        if is_defined(op):
            return None
        compute = FLOATS.compute(op, ops)
        if op.name in _EXACT:
            return off(lambda *args: compute(*map(float, args)), 0.0)
        if op.variadic:  # no better than its arguments, as softmax is
            nudge = off(float, roundoff)
            return off(lambda *args: compute(*map(nudge, args)), 4.0 * roundoff)
        return off(lambda *args: compute(*map(float, args)), 4.0 * roundoff)

    for name in ("add", "sub", "mul", "truediv"):
        for method in (f"__{name}__", f"__r{name}__"):
            compute = off(getattr(float, method), roundoff, method.strip("_"))
            setattr(Perturbed, method, compute)
    for method in ("__neg__", "__abs__"):
        setattr(Perturbed, method, off(getattr(float, method), 0.0))
    Perturbed.arithmetic = Arithmetic(Perturbed, primitive, rank=2)
    return Perturbed


def _sum_is_exact(x: float, y: float, total: float) -> bool:
    """Whether x + y rounds to itself (Knuth's two-sum finds the error)."""
    part = total - x
    return (x - (total - part)) + (y - part) == 0.0


def _product_is_exact(x: float, y: float, product: float) -> bool:
    """Whether x*y rounds to itself, as far as it shows: whole numbers, powers of two."""
    if _is_power_of_two(x) or _is_power_of_two(y):
        return True
    return abs(product) <= 2.0**53 and float(x).is_integer() and float(y).is_integer()


def _quotient_is_exact(x: float, y: float, quotient: float) -> bool:
    return (
        _is_power_of_two(y) or _product_is_exact(quotient, y, x) and quotient * y == x
    )


def _is_power_of_two(x: float) -> bool:
    return math.frexp(x)[0] in (0.5, -0.5, 0.0)


_EXACTLY: Mapping[str, Callable[..., bool]] = {
    "add": _sum_is_exact,
    "radd": _sum_is_exact,
    "sub": lambda x, y, found: _sum_is_exact(x, -y, found),
    "rsub": lambda x, y, found: _sum_is_exact(-x, y, found),
    "mul": _product_is_exact,
    "rmul": _product_is_exact,
    "truediv": _quotient_is_exact,
    "rtruediv": lambda x, y, found: _quotient_is_exact(y, x, found),
}
