"""Edges: points next to which a function is steep, though no input is special there.

The angle `acos(x*u + y*v)` is steep where the sum is next to 1, and so is `log1p(-x*y)`
where the product is. Such points are found from an ordinary one: one input after the
other is moved to where the argument is nearest to the edge.

A difference may also fade though no input is special, as `1 - tanh(x*y)*tanh(x*z)` does
where x is so large that the functions saturate. It is followed to there along each
input, unless it only changes its sign, as a residual may anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from random import Random

from gradc.analysis.roundings import STEEP, SUMS, Point, free, rule_of
from gradc.ir import EXTREMES, Program, arguments

WORK = 60_000  # nodes that are run in all
LONGEST = 200  # nodes that an argument may be computed by
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
FADING = 8  # differences that may fade, at the most
FOLLOWED = 8  # ordinary points from which each is followed
FAR = 300.0  # times as large is an input where they have
FADED = 1e-13  # the share that is left there
TWO = 2  # points along each input
LEFT = (6.0, 10.0)  # the exponents of the share that is left at the points drawn
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0

# Functions that saturate far out.
SATURATING = frozenset("exp exp2 expm1 tanh sigmoid erf erfc pow".split())


class Edges:
    """Looks for points at which functions of a program are steep or differences fade.

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
        self.done = 0  # nodes that have been run

    def _starts(self, gap: _Gap, ordinary: Callable[[], Point]) -> Iterator[Point]:
        """Ordinary points, as long as there is not too much work in them."""
        while self.done < WORK:
            before = gap.done
            yield ordinary()
            self.done += gap.done - before

    def points(self, ordinary: Callable[[], Point]) -> Iterator[Point]:
        """Points next to edges, from ordinary ones."""
        yield from self._near(self._gaps(), ordinary)

    def held(self, ordinary: Callable[[], Point]) -> Iterator[Point]:
        """Points at which little is left of differences, next to where they are held."""
        yield from self._near(self._held(), ordinary)

    def _near(
        self, gaps: Iterable[_Gap], ordinary: Callable[[], Point]
    ) -> Iterator[Point]:
        for gap in gaps:
            drawn = islice(self._starts(gap, ordinary), STARTS * TRIES)
            inside = (point for point in drawn if gap.at(point) > 0.0)
            for start in islice(inside, STARTS):
                found = gap.nearest(start, self.allowed)
                if 0.0 <= gap.at(found) < REACHED:
                    yield from self._beside(gap, found)

    def faded(self, ordinary: Callable[[], Point]) -> Iterator[Point]:
        """Points at which differences fade, from ordinary ones."""
        for gap in self._differences():
            starts = [*islice(self._starts(gap, ordinary), FOLLOWED)]
            starts += [p for start in starts for p in self._at_one(gap, start)]
            for start in starts:
                if gap.at(start) > REACHED:
                    for i in gap.inputs:
                        yield from self._fading(gap, start, i)

    def _at_one(self, gap: _Gap, point: Point) -> Iterator[Point]:
        """Points with an input that is 1, by which what saturates may be multiplied."""
        for i in gap.inputs if len(gap.inputs) > 1 else ():
            moved = [*point[:i], 1.0, *point[i + 1 :]]
            if self.allowed(moved):
                yield moved

    def _fading(self, gap: _Gap, point: Point, i: int) -> Iterator[Point]:
        """Points at which a difference fades, if it does so along an input."""

        def moved(factor: float) -> Point:
            return [*point[:i], point[i] * factor, *point[i + 1 :]]

        if self.allowed(moved(FAR)) and 0.0 <= gap.at(moved(FAR)) < FADED:
            for _ in range(TWO):
                share = 10.0 ** -self.random.uniform(*LEFT)
                yield moved(_last(lambda x: gap.at(moved(x)) - share, 1.0, FAR))

    def _differences(self) -> list[_Gap]:
        """The shares that are left of differences of what may saturate."""
        nodes = self.program.nodes
        saturating: set[int] = set()
        found = []
        for i, (op, *args) in enumerate(nodes):
            below = saturating.intersection(arguments(nodes[i]))
            if op in SATURATING or below:
                saturating.add(i)
            if op in SUMS and below and not all(self.positive[a] for a in args):
                found.append(i)
        gaps = (_Gap(self.program, i, False, nodes[i][1:]) for i in found)
        return [*islice(filter(_is_short, gaps), FADING)]

    def _gaps(self) -> list[_Gap]:
        """How far arguments of steep functions are from where these are."""
        found: dict[tuple[int, bool], None] = {}
        nodes = self.program.nodes
        for op, *args in nodes:
            is_far = op == "log1p" and self.positive[args[0]]
            if op in STEEP and not is_far:
                x = free(self.program, args[0])
                if arguments(nodes[x]):
                    found[x, op == "log1p"] = None
        gaps = (_Gap(self.program, *key) for key in found)
        return [*islice(filter(_is_short, gaps), FUNCTIONS)]

    def _held(self) -> list[_Gap]:
        """The shares that are left of differences that a number holds, until it does."""
        nodes = self.program.nodes
        found: dict[int, tuple[str, float]] = {}
        for op, *args in nodes:
            if op in EXTREMES and nodes[args[-1]][0] == "const" and len(args) == 2:
                x = free(self.program, args[0])
                if nodes[x][0] in SUMS:
                    found[x] = op, nodes[args[1]][1]
        gaps = (_Gap(self.program, i, False, nodes[i][1:], h) for i, h in found.items())
        return [*islice(filter(_is_short, gaps), FUNCTIONS)]

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

    Of a difference, whose terms are given, it is the share that is left, as long as it
    is not held at a number.

    Attributes:
        inputs: those that it depends on.
    """

    def __init__(
        self,
        program: Program,
        i: int,
        is_below: bool,
        terms: Sequence[int] = (),
        held: tuple[str, float] | None = None,
    ) -> None:
        self.node = i
        self.held = held
        self.terms = terms
        self.done = 0  # nodes that have been run
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
        self.done += len(self.steps)
        values = self.start[:]
        for i, k in self.read:
            values[i] = point[k]
        try:
            for i, rule, args in self.steps:
                values[i] = rule(*[values[a] for a in args])
        except (ArithmeticError, ValueError, TypeError):
            return -1.0
        x = values[self.node]
        if self.held is not None:
            op, bound = self.held
            if not (x > bound if op == "max" else x < bound):
                return -1.0
        if self.terms:
            size = max(abs(values[a]) for a in self.terms)
            return abs(x) / size if 0.0 < size < math.inf else -1.0
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


def _is_short(gap: _Gap) -> bool:
    """Whether a gap can be looked at, and depends on an input."""
    return 0 < len(gap.steps) <= LONGEST and bool(gap.inputs)


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
