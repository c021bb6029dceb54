"""Lines: the nodes that are a slope times one input and a start."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple


class Line(NamedTuple):
    """What a node is by one input: a slope times it and a start."""

    name: str | None
    slope: float = 0.0
    start: float = 0.0

    def plus(self, other: Line, sign: float) -> Line | None:
        """The sum, if it is one."""
        if None not in (self.name, other.name) and self.name != other.name:
            return None
        slope, start = self.slope + sign * other.slope, self.start + sign * other.start
        return Line(self.name or other.name, slope, start)

    def times(self, factor: float) -> Line:
        return Line(self.name, self.slope * factor, self.start * factor)


def lines(nodes: Sequence[Any]) -> dict[int, Line]:
    """The nodes that are such, by their positions."""
    found: dict[int, Line] = {}
    for i, (op, *args) in enumerate(nodes):
        if op in _CONSTANTS:
            found[i] = Line(None, start=_CONSTANTS[op](*args))
        elif op == "input":
            found[i] = Line(args[0], 1.0)
        elif op in _LINEAR and all(a in found for a in args):
            line = _LINEAR[op](*(found[a] for a in args))
            if line is not None:
                found[i] = line
    return found


def _product(one: Line, other: Line) -> Line | None:
    """The product of two lines, if one of them is constant."""
    if one.name is not None and other.name is not None:
        return None
    return other.times(one.start) if one.name is None else one.times(other.start)


def _quotient(one: Line, other: Line) -> Line | None:
    """The quotient by a constant."""
    return one.times(1.0 / other.start) if not other.name and other.start else None


_CONSTANTS: Mapping[str, Callable[..., float]] = {
    "const": lambda number: number,
    "pi": lambda: math.pi,
}

_LINEAR: Mapping[str, Callable[..., Line | None]] = {
    "add": lambda one, other: one.plus(other, 1.0),
    "sub": lambda one, other: one.plus(other, -1.0),
    "neg": lambda line: line.times(-1.0),
    "mul": _product,
    "div": _quotient,
}
