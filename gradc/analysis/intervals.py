"""Intervals: between which numbers a node lies while the inputs are in their domains.

Interval arithmetic (Moore, Interval Analysis), each result a little wider than it has
to be for the rounding. It tells what gradc need not add to a formula: the series at a
singularity, or what is accurate for two numbers next to each other, is left out of a
module where the domains of its inputs exclude that. What stays is right outside of the
domains as well, but for its last digits; the author's own conditions are not touched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from gradc.ir import COMPARISONS, CONDITIONS, Builder, Input, Node, arguments

Interval = tuple[float, float]

ANY: Interval = (-math.inf, math.inf)
SLACK = 1e-12  # by which results are wider, a share of the larger of their ends
DEPTH = 8  # conditions in one another that are looked into
POWER = 64  # the largest exponent of a power that is looked into


class Intervals:
    """The intervals of a growing program."""

    def __init__(self, builder: Builder, inputs: Iterable[Input]) -> None:
        self.nodes = builder.nodes
        self.inputs = {item.name: _declared(item) for item in inputs}
        self._any = all(domain == ANY for domain in self.inputs.values())
        self._found: list[Interval] = []

    def of(self, i: int) -> Interval:
        """The interval of a node that is a number."""
        found = self._found
        for node in self.nodes[len(found) : i + 1]:
            found.append(self._interval(node))
        return found[i]

    def decided(self, condition: int, depth: int = DEPTH) -> bool | None:
        """Whether a condition always holds or never, None if that is not known."""
        op, *args = self.nodes[condition]
        if self._any or depth == 0:
            return None
        if op == "not":
            known = self.decided(args[0], depth - 1)
            return None if known is None else not known
        if op in ("and", "or"):
            sides = [self.decided(a, depth - 1) for a in args]
            enough = bool(op == "or")
            if enough in sides:
                return enough
            return None if None in sides else not enough
        if op in ("gt", "ge"):
            args.reverse()
        if op not in COMPARISONS:
            return None
        (low, high), (least, most) = map(self.of, args)
        if op in ("eq", "ne"):
            return bool(op == "ne") if high < least or most < low else None
        if high < least:
            return True
        return False if most < low else None

    def _interval(self, node: Node) -> Interval:
        op = node[0]
        if op == "const":
            return node[1], node[1]
        if op == "input":
            return self.inputs.get(node[1], ANY)
        rule = _RULES.get(op)
        if rule is None or op in CONDITIONS:
            return ANY
        args = [self._found[a] for a in arguments(node)]
        if op == "mul" and node[1] == node[2]:
            return _wider(*_square(args[0]))
        try:
            low, high = rule(*args)
        except (ArithmeticError, ValueError):
            return ANY
        return ANY if math.isnan(low) or math.isnan(high) else _wider(low, high)


def _declared(item: Input) -> Interval:
    low, high = item.low, item.high
    return -math.inf if low is None else low, math.inf if high is None else high


def _wider(low: float, high: float) -> Interval:
    """An interval with room for what is rounded in its ends."""
    more = [SLACK * abs(x) if math.isfinite(x) else 0.0 for x in (low, high)]
    return low - more[0], high + more[1]


def _sum(x: Interval, y: Interval) -> Interval:
    room = SLACK * max([abs(a) for a in (*x, *y) if math.isfinite(a)], default=0.0)
    return x[0] + y[0] - room, x[1] + y[1] + room


def _difference(x: Interval, y: Interval) -> Interval:
    return _sum(x, (-y[1], -y[0]))


def _product(x: Interval, y: Interval) -> Interval:
    ends = [0.0 if a == 0.0 or b == 0.0 else a * b for a in x for b in y]
    return min(ends), max(ends)


def _quotient(x: Interval, y: Interval) -> Interval:
    if y[0] <= 0.0 <= y[1]:
        return ANY
    return _product(x, (1.0 / y[1], 1.0 / y[0]))


def _square(x: Interval) -> Interval:
    low, high = _size(x)
    return low * low, high * high


def _size(x: Interval) -> Interval:
    low, high = sorted((abs(x[0]), abs(x[1])))
    return (0.0 if x[0] <= 0.0 <= x[1] else low), high


def _power(x: Interval, y: Interval) -> Interval:
    exponent = y[0]
    if y[0] != y[1] or abs(exponent) > POWER:
        return _exponential(_product(y, _logarithm(x))) if x[0] > 0.0 else ANY
    if exponent < 0.0:
        return _quotient((1.0, 1.0), _power(x, (-exponent, -exponent)))
    if exponent % 2 == 0:
        x = _size(x)
    elif exponent % 1:
        x = max(x[0], 0.0), max(x[1], 0.0)
    return math.pow(x[0], exponent), math.pow(x[1], exponent)


def _logarithm(x: Interval) -> Interval:
    low, high = (math.log(a) if a > 0.0 else -math.inf for a in x)
    return low, high


def _log1p(x: float) -> float:
    return math.log1p(x) if x > -1.0 else -math.inf


def _exponential(x: Interval) -> Interval:
    low, high = (math.exp(a) if a < 700.0 else math.inf for a in x)
    return low, high


def _increasing(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    return lambda x: (function(x[0]), function(x[1]))


def _sigmoid(x: float) -> float:
    return 0.5 + 0.5 * math.tanh(0.5 * x)


_RULES: Mapping[str, Callable[..., Interval]] = {
    "pi": lambda: (math.pi, math.pi),
    "e": lambda: (math.e, math.e),
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    "neg": lambda x: (-x[1], -x[0]),
    "abs": _size,
    "pow": _power,
    "sqrt": lambda x: (math.sqrt(max(x[0], 0.0)), math.sqrt(max(x[1], 0.0))),
    "cbrt": lambda x: (_root(x[0]), _root(x[1])),
    "hypot": lambda *xs: (
        max(_size(x)[0] for x in xs),
        sum(_size(x)[1] for x in xs),
    ),
    "exp": _exponential,
    "log": _logarithm,
    "log1p": lambda x: (_log1p(x[0]), _log1p(x[1])),
    "tanh": _increasing(math.tanh),
    "sigmoid": _increasing(_sigmoid),
    "atan": _increasing(math.atan),
    "erf": _increasing(math.erf),
    "sin": lambda _: (-1.0, 1.0),
    "cos": lambda _: (-1.0, 1.0),
    "max": lambda *xs: (max(x[0] for x in xs), max(x[1] for x in xs)),
    "min": lambda *xs: (min(x[0] for x in xs), min(x[1] for x in xs)),
    "where": lambda _, x, y: (min(x[0], y[0]), max(x[1], y[1])),
}


def _root(x: float) -> float:
    return math.copysign(abs(x) ** (1.0 / 3.0), x)
