"""Ranges: between which numbers a node lies while the inputs are in their domains.

Interval arithmetic (Moore, Interval Analysis), each result a little wider than it has
to be for the rounding, and beside it whether the real number is known to be positive.
It tells what gradc need not add to a formula: the series at a singularity, or what is
accurate for two numbers next to each other, is left out of a module where the domains
of its inputs exclude that. What stays is right outside of the domains as well, but for
its last digits; the author's own conditions are not touched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gradc.ir import CONDITIONS, Builder, Input, Node, arguments

Interval = tuple[float, float]

ANY: Interval = (-math.inf, math.inf)
SLACK = 1e-12  # by which results are wider, a share of the larger of their ends
POWER = 64  # the largest exponent of a power that is looked into

_POSITIVE = frozenset(
    "exp exp2 cosh sigmoid softplus normpdf normcdf erfc erfcx beta pi e".split()
)


class Ranges:
    """The ranges of a growing program."""

    def __init__(self, builder: Builder, inputs: Iterable[Input]) -> None:
        self.nodes = builder.nodes
        self.inputs = {item.name: item for item in inputs}
        self._free = all(_declared(item) == ANY for item in self.inputs.values())
        self._found: list[Any] = []  # of a condition True, False or None
        self._positive: list[bool] = []

    def of(self, i: int) -> Interval:
        """The interval of a node that is a number."""
        self._extend(i)
        found: Interval = self._found[i]
        return found

    def decided(self, condition: int) -> bool | None:
        """Whether a condition always holds or never, None if that is not known."""
        if self._free:
            return None
        self._extend(condition)
        found: bool | None = self._found[condition]
        return found

    def is_positive(self, i: int) -> bool:
        """Whether a node is known to be positive, as a real number."""
        self._extend(i)
        return self._positive[i]

    def _extend(self, i: int) -> None:
        for node in self.nodes[len(self._found) : i + 1]:
            found = self._range(node, [self._found[a] for a in arguments(node)])
            positive = node[0] not in CONDITIONS and self._is_positive(node, found[0])
            self._found.append(found)
            self._positive.append(positive)

    def _range(self, node: Node, args: Sequence[Any]) -> Any:
        op = node[0]
        if op == "const":
            return node[1], node[1]
        if op == "input":
            item = self.inputs.get(node[1])
            return ANY if item is None else _declared(item)
        if op in CONDITIONS:
            return _TRUTHS[op](*args)
        if op == "where" and args[0] is not None:
            return args[1 if args[0] else 2]
        if op == "mul" and node[1] == node[2]:
            op, args = "pow", (args[0], (2.0, 2.0))
        try:
            if op in _INCREASING:
                low, high = map(_INCREASING[op], args[0])
            else:
                low, high = _RULES[op](*args) if op in _RULES else ANY
        except (ArithmeticError, ValueError):
            return ANY
        return ANY if math.isnan(low) or math.isnan(high) else _wider(low, high)

    def _is_positive(self, node: Node, low: float) -> bool:
        """Whether a node of which this is the lower end is positive."""
        op = node[0]
        if low > 0.0 or op in _POSITIVE:
            return True
        if op == "input":
            return low == 0.0 and self.inputs[node[1]].low_open
        args = arguments(node)[op == "where" :]
        known = [self._positive[a] for a in args]
        least = [yes or self._found[a][0] >= 0.0 for a, yes in zip(args, known)]
        if op in ("add", "div"):  # by what is not negative, and so not 0
            return all(least) and (known[0] or op == "add" and known[1])
        if op == "max":
            return any(known)
        if op == "pow":
            return known[0]
        return op in ("mul", "sqrt", "min", "where") and all(known)


def _declared(item: Input) -> Interval:
    low, high = item.low, item.high
    return -math.inf if low is None else low, math.inf if high is None else high


def _wider(low: float, high: float) -> Interval:
    """An interval with room for what is rounded in its ends."""
    more = [SLACK * abs(x) if math.isfinite(x) else 0.0 for x in (low, high)]
    return low - more[0], high + more[1]


# ---- conditions


def _less(x: Interval, y: Interval) -> bool | None:
    return True if x[1] < y[0] else False if y[1] < x[0] else None


def _apart(x: Interval, y: Interval) -> bool | None:
    return True if x[1] < y[0] or y[1] < x[0] else None


def _not(x: bool | None) -> bool | None:
    return None if x is None else not x


def _any(*sides: bool | None) -> bool | None:
    return True if True in sides else None if None in sides else False


_TRUTHS: Mapping[str, Callable[..., bool | None]] = {
    **dict.fromkeys(("lt", "le"), _less),
    **dict.fromkeys(("gt", "ge"), lambda x, y: _less(y, x)),
    "ne": _apart,
    "eq": lambda x, y: _not(_apart(x, y)),
    "not": _not,
    "or": _any,
    "and": lambda x, y: _not(_any(_not(x), _not(y))),
}


# ---- numbers


def _sum(x: Interval, y: Interval) -> Interval:
    room = SLACK * max([abs(a) for a in (*x, *y) if math.isfinite(a)], default=0.0)
    low, high = x[0] + y[0], x[1] + y[1]
    return low - room if min(x[0], y[0]) < 0.0 else low, high + room


def _product(x: Interval, y: Interval) -> Interval:
    ends = [0.0 if a == 0.0 or b == 0.0 else a * b for a in x for b in y]
    return min(ends), max(ends)


def _quotient(x: Interval, y: Interval) -> Interval:
    if y[0] < 0.0 <= y[1] or y[1] == 0.0:
        return ANY
    return _product(x, (1.0 / y[1], 1.0 / y[0] if y[0] else math.inf))


def _size(x: Interval) -> Interval:
    low, high = sorted((abs(x[0]), abs(x[1])))
    return (0.0 if x[0] <= 0.0 <= x[1] else low), high


def _power(x: Interval, y: Interval) -> Interval:
    exponent = y[0]
    if y[0] != y[1] or abs(exponent) > POWER:
        low, high = _product(y, (_log(x[0]), _log(x[1])))
        return (_exp(low), _exp(high)) if x[0] > 0.0 else ANY
    if exponent < 0.0:
        return _quotient((1.0, 1.0), _power(x, (-exponent, -exponent)))
    if exponent % 2 == 0:
        x = _size(x)
    elif exponent % 1:
        x = max(x[0], 0.0), max(x[1], 0.0)
    return math.pow(x[0], exponent), math.pow(x[1], exponent)


def _exp(x: float) -> float:
    return math.exp(x) if x < 700.0 else math.inf


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


_INCREASING: Mapping[str, Callable[[float], float]] = {
    "exp": _exp,
    "log": _log,
    "log1p": lambda x: math.log1p(x) if x > -1.0 else -math.inf,
    "sqrt": lambda x: math.sqrt(max(x, 0.0)),
    "cbrt": lambda x: math.copysign(abs(x) ** (1.0 / 3.0), x),
    "relu": lambda x: max(x, 0.0),
    "tanh": math.tanh,
    "sigmoid": lambda x: 0.5 + 0.5 * math.tanh(0.5 * x),
    "atan": math.atan,
    "erf": math.erf,
}
_RULES: Mapping[str, Callable[..., Interval]] = {
    "pi": lambda: (math.pi, math.pi),
    "e": lambda: (math.e, math.e),
    "add": _sum,
    "sub": lambda x, y: _sum(x, (-y[1], -y[0])),
    "mul": _product,
    "div": _quotient,
    "neg": lambda x: (-x[1], -x[0]),
    "abs": _size,
    "pow": _power,
    "hypot": lambda *xs: (max(_size(x)[0] for x in xs), sum(_size(x)[1] for x in xs)),
    "sin": lambda _: (-1.0, 1.0),
    "cos": lambda _: (-1.0, 1.0),
    "max": lambda *xs: (max(x[0] for x in xs), max(x[1] for x in xs)),
    "min": lambda *xs: (min(x[0] for x in xs), min(x[1] for x in xs)),
    "where": lambda _, x, y: (min(x[0], y[0]), max(x[1], y[1])),
}
