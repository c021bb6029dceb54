"""Ranges: between which numbers a node lies while the inputs are in their domains.

Interval arithmetic (Moore, Interval Analysis), each result a little wider than it has
to be for the rounding. It tells what gradc need not add to a formula: the series at a
singularity, or what is accurate for two numbers next to each other, is left out of a
module where the domains of its inputs exclude that. What stays is right outside of the
domains as well, but for its last digits; the author's own conditions are not touched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from gradc.ir import CONDITIONS, Builder, Input, Node, arguments

Interval = tuple[float, float]

ANY: Interval = (-math.inf, math.inf)
SLACK = 1e-12  # by which results are wider, a share of the larger of their ends


class Ranges:
    """The ranges of a growing program."""

    def __init__(self, builder: Builder, inputs: Iterable[Input]) -> None:
        self.nodes = builder.nodes
        self.inputs = {item.name: item for item in inputs}
        self._free = all(_declared(item) == ANY for item in self.inputs.values())
        self._found: list[Any] = []  # of a condition True, False or None

    def of(self, i: int) -> Interval:
        """The interval of a node that is a number."""
        found: Interval = self._extend(i)
        return found

    def decided(self, condition: int) -> bool | None:
        """Whether a condition always holds or never, None if that is not known."""
        found: bool | None = None if self._free else self._extend(condition)
        return found

    def _extend(self, i: int) -> Any:
        """What is known of a node, of a number its interval."""
        for node in self.nodes[len(self._found) : i + 1]:
            args = [self._found[a] for a in arguments(node)]
            self._found.append(self._range(node, args))
        return self._found[i]

    def _range(self, node: Node, args: Sequence[Any]) -> Any:
        op = node[0]
        if op == "const":
            return node[1], node[1]
        if op == "input":
            return _declared(self.inputs[node[1]])
        if op in CONDITIONS:
            return _TRUTHS[op](*args) if op in _TRUTHS else None
        if op == "mul" and node[1] == node[2]:
            op, args = "pow", (args[0], (2.0, 2.0))
        try:
            low, high = _RULES[op](*args) if op in _RULES else ANY
        except (ArithmeticError, ValueError):
            return ANY
        return ANY if math.isnan(low) or math.isnan(high) else _wider(low, high)


def _declared(item: Input) -> Interval:
    low, high = item.low, item.high
    if low is not None and item.low_open:  # the float next to it
        low = math.nextafter(low, math.inf)
    return -math.inf if low is None else low, math.inf if high is None else high


def _wider(low: float, high: float) -> Interval:
    """An interval with room for what is rounded in its ends."""
    more = [SLACK * abs(x) if math.isfinite(x) else 0.0 for x in (low, high)]
    return low - more[0], high + more[1]


def _less(x: Interval, y: Interval) -> bool | None:
    return True if x[1] < y[0] else False if y[1] < x[0] else None


def _joined(deciding: bool, *sides: bool | None) -> bool | None:
    return deciding if deciding in sides else None if None in sides else not deciding


_TRUTHS: Mapping[str, Callable[..., bool | None]] = {
    **dict.fromkeys(("lt", "le"), _less),
    **dict.fromkeys(("gt", "ge"), lambda x, y: _less(y, x)),
    "ne": lambda x, y: True if x[1] < y[0] or y[1] < x[0] else None,
    "eq": lambda x, y: False if x[1] < y[0] or y[1] < x[0] else None,
    "and": partial(_joined, False),
    "or": partial(_joined, True),
}


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
    if x[0] < 0.0:
        if exponent != y[1] or exponent % 2.0 == 1.0 and exponent < 0.0:
            return ANY
        if exponent % 2.0 == 1.0:
            return math.pow(x[0], exponent), math.pow(x[1], exponent)
        x = _size(x) if exponent % 2.0 == 0.0 else (0.0, max(x[1], 0.0))
    low, high = _product(y, (_log(x[0]), _log(x[1])))
    return _exp(low), _exp(high)


def _exp(x: float) -> float:
    return math.exp(x) if x < 700.0 else math.inf


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


_RULES: Mapping[str, Callable[..., Interval]] = {
    "pi": lambda: (math.pi, math.pi),
    "add": _sum,
    "sub": lambda x, y: _sum(x, (-y[1], -y[0])),
    "mul": _product,
    "div": _quotient,
    "neg": lambda x: (-x[1], -x[0]),
    "abs": _size,
    "pow": _power,
    "hypot": lambda *xs: (max(_size(x)[0] for x in xs), sum(_size(x)[1] for x in xs)),
    "sqrt": lambda x: _power(x, (0.5, 0.5)),
    "exp": lambda x: (_exp(x[0]), _exp(x[1])),
    "log": lambda x: (_log(x[0]), _log(x[1])),
    **dict.fromkeys(("sin", "cos", "tanh", "erf"), lambda _: (-1.0, 1.0)),
    **dict.fromkeys(("sigmoid", "normcdf"), lambda _: (0.0, 1.0)),
    "relu": lambda x: (max(x[0], 0.0), max(x[1], 0.0)),
    "max": lambda *xs: (max(x[0] for x in xs), max(x[1] for x in xs)),
    "min": lambda *xs: (min(x[0] for x in xs), min(x[1] for x in xs)),
    "where": lambda _, x, y: (min(x[0], y[0]), max(x[1], y[1])),
}
