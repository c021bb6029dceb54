"""Edges: points next to which a function is steep, though no input is special there.

The angle `acos(x*u + y*v)` is steep where the sum is next to 1, and so is `log1p(-x*y)`
where the product is. Such points are found from an ordinary one: one input after the
other is moved to where the argument is nearest to the edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random

from gradc.analysis.roundings import STEEP, Point, rule_of
from gradc.ir import Program, arguments

FUNCTIONS = 3  # that are steep, at the most
STARTS = 4  # ordinary points from which each is looked for
TRIES = 4  # at the most to draw one of them
MOVED = 6  # inputs that are moved, at the most
SWEEPS = 2  # in which each of them is
STEPS = 36  # in which the nearest point is found
SHARES = (-1.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0)  # of an input, at first
BESIDE = 6  # points that are drawn next to each edge
CLOSE = (4.0, 13.0)  # the exponents of how far from there
REACHED = 1e-3  # how far an argument is from an edge that is none
FOUND = 1e-12  # how far from one that is near enough
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


class Edges:
    """Looks for points next to which functions of a program are steep.

    Arguments:
        positive: the nodes that are never below 0.
        allowed: whether a point lies in the domains.
    """

    def __init__(
        self,
        program: Program,
        positive: Sequence[bool],
        allowed: Callable[[Point], bool],
        random: Random,
    ) -> None:
        self.program = program
        self.positive = positive
        self.allowed = allowed
        self.random = random

    def points(self, ordinary: Callable[[], Point]) -> Iterator[Point]:
        """Points next to edges, from ordinary ones."""
        for gap in self._gaps():
            for _ in range(STARTS):
                drawn = (ordinary() for _ in range(TRIES))
                start = next((point for point in drawn if gap.at(point) > 0.0), None)
                if start is None:
                    continue
                found = gap.nearest(start, self.allowed)
                if 0.0 <= gap.at(found) < REACHED:
                    yield from self._beside(gap, found)

    def _gaps(self) -> list[_Gap]:
        """How far arguments of steep functions are from where these are."""
        found: dict[tuple[int, bool], None] = {}
        for op, *args in self.program.nodes:
            is_far = op == "log1p" and self.positive[args[0]]
            if op in STEEP and not is_far and arguments(self.program.nodes[args[0]]):
                found[args[0], op == "log1p"] = None
        return [_Gap(self.program, *key) for key in [*found][:FUNCTIONS]]

    def _beside(self, gap: _Gap, point: Point) -> Iterator[Point]:
        """Points next to one, from which an input is moved."""
        for _ in range(BESIDE):
            i = self.random.choice(gap.inputs)
            share = 10.0 ** -self.random.uniform(*CLOSE)
            for sign in (1.0, -1.0):
                moved = point[:]
                moved[i] += sign * share * (moved[i] or 1.0)
                if gap.at(moved) > 0.0 and self.allowed(moved):
                    yield moved
                    break


class _Gap:
    """How far the argument of a steep function is from where it is steep.

    Attributes:
        inputs: those that it depends on.
    """

    def __init__(self, program: Program, i: int, is_below: bool) -> None:
        self.node = i
        self.is_below = is_below  # whether there is an edge at -1 alone
        needed, stack = {i}, [i]
        while stack:
            new = [a for a in arguments(program.nodes[stack.pop()]) if a not in needed]
            needed.update(new)
            stack += new
        places = {item.name: k for k, item in enumerate(program.inputs)}
        self.start = [math.nan] * (i + 1)
        self.read: list[tuple[int, int]] = []
        self.steps: list[tuple[int, Callable[..., float], Sequence[int]]] = []
        for k in sorted(needed):
            op, *args = program.nodes[k]
            if op == "const":
                self.start[k] = args[0]
            elif op == "input":
                self.read.append((k, places[args[0]]))
            else:
                self.steps.append((k, rule_of(program, op), args))
        self.inputs = [k for _, k in self.read][:MOVED]

    def at(self, point: Point) -> float:
        """The gap at a point, below 0 where there is no value."""
        values = self.start[:]
        for i, k in self.read:
            values[i] = point[k]
        try:
            for i, rule, args in self.steps:
                values[i] = rule(*[values[a] for a in args])
        except (ArithmeticError, ValueError, TypeError):
            return -1.0
        x = values[self.node]
        gap = 1.0 + x if self.is_below else 1.0 - abs(x)
        return gap if gap >= 0.0 else -1.0

    def nearest(self, point: Point, allowed: Callable[[Point], bool]) -> Point:
        """A point where the gap is small, from another one."""
        for _ in range(SWEEPS):
            for i in self.inputs:
                if self.at(point) < FOUND:
                    return point

                def gap(x: float) -> float:
                    moved = [*point[:i], x, *point[i + 1 :]]
                    return self.at(moved) if allowed(moved) else -1.0

                point = [*point[:i], _least(gap, point[i]), *point[i + 1 :]]
        return point


def _least(gap: Callable[[float], float], x: float) -> float:
    """Where a gap is about the least that is not below 0, around a number."""
    xs = sorted({share * x for share in SHARES})
    gaps = [*map(gap, xs)]
    inside = [k for k, size in enumerate(gaps) if size >= 0.0]
    best = min(inside, key=gaps.__getitem__, default=-1)
    if best < 0:
        return x
    for k in (best - 1, best + 1):
        if 0 <= k < len(xs) and gaps[k] < 0.0:
            return _last(gap, xs[best], xs[k])
    return _deepest(gap, xs[max(best - 1, 0)], xs[min(best + 1, len(xs) - 1)])


def _last(gap: Callable[[float], float], inside: float, outside: float) -> float:
    """The last number at which a gap is not below 0, by bisection."""
    for _ in range(STEPS):
        middle = (inside + outside) / 2.0
        if gap(middle) >= 0.0:
            inside = middle
        else:
            outside = middle
    return inside


def _deepest(gap: Callable[[float], float], low: float, high: float) -> float:
    """Where a gap is least between two numbers, by the golden section."""
    size = GOLDEN * (high - low)
    left, right = high - size, low + size
    gaps = gap(left), gap(right)
    for _ in range(STEPS):
        if gaps[0] <= gaps[1]:
            high, right = right, left
            left = high - GOLDEN * (high - low)
            gaps = gap(left), gaps[0]
        else:
            low, left = left, right
            right = low + GOLDEN * (high - low)
            gaps = gaps[1], gap(right)
    return left if gaps[0] <= gaps[1] else right
