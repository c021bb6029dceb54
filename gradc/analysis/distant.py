"""Distant points: inputs are extreme, by exponents of ten.

Inputs are moderate or extreme inside the domains they were declared in, all in one
direction or each in its own; or one of those without a domain is extreme, or one of the
exponentials, which are where nothing else is, or all of them; or some inputs are tiny
where others are 0; or all are near to each other; or exponentials but for a root of
them. Inputs of high powers are extreme where these are. At `corners` one is next to its
end and others are not far: these points are rare, and only count where as many of the
others speak for one test as for another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from random import Random

from gradc.analysis.bounds import is_moderate
from gradc.analysis.kinds import in_turn
from gradc.analysis.magnitudes import JITTER, LARGEST
from gradc.ir import Input

DRAWS = 80  # of points, in each direction
ALIKE = 4  # one of so many has inputs that are alike
VANISHING = (250.0, -250.0, -340.0, -500.0)  # exponents of exponentials beside them
STEEPLY = (-450.0, 450.0)  # exponents around which all exponentials are extreme
APART = (-200.0, 200.0)  # and how far from there
POWER = "^"  # in the name of a power
EXTREME = 0.8  # the share of the inputs that are extreme in the others
# Exponents of inputs that are near to each other: squares keep few digits, or end.
MEETING = ((-161.0, -154.5), (100.0, 305.0))
MET = 8  # points at each of them
LEAST = -323.0  # the exponent of the smallest inputs without a domain
CORNERS = 40  # points at which one input is next to its end
ENDED = (0.9, 1.0)  # the share that its exponent has of the last one
CORNERED = 0.5  # that of the others in the exponents that are drawn, at the most
ENDS = (-math.inf, -323.0, -309.0, -155.0, 0.0, 155.0, 307.0)  # of floats and squares
EDGED = 40  # points at these
NEAR = 30.0  # the exponent from which on an input is extreme
Point = Mapping[str, float]  # exponents of inputs, and of exponentials


class Points:
    """Points at which inputs are extreme, by exponents of ten.

    Arguments:
        inputs: that a function reads.
        steep: the exponentials that it computes, with the nodes that they are of.
        below: the inputs that some of these are computed from.
        high: the exponents at which high powers of inputs end.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        steep: Mapping[str, tuple[int, ...]],
        below: Mapping[str, Set[str]],
        high: Mapping[str, float],
        random: Random,
    ) -> None:
        self.random = random
        self.large, self.small = (
            {item.name: end for item in inputs if abs(end := _end(item, sign)) > NEAR}
            for sign in (1.0, -1.0)
        )
        self.free = [item.name for item in inputs if is_free(item)]
        self.alone = [*self.free]
        self.steep: Mapping[str, tuple[int, ...]] = {}
        self.below: Mapping[str, Set[str]] = {}
        if not all(map(is_moderate, inputs)):
            self.alone += [name for name in steep if POWER not in name]
            self.steep = steep
            self.below = {n: names for n, names in below.items() if POWER not in n}
        self.high = high

    def drawn(self) -> Iterator[Point]:
        """The points: inputs that are extreme, or one of them, or beside some at 0."""
        for k in range(DRAWS):
            for ends in (self.large, self.small, self._mixed()):
                if ends:
                    yield self._draw(ends, k / DRAWS if k % ALIKE == 0 else None)
        for k in range(0, DRAWS, min(ALIKE, max(len(self.alone), 1))):
            for name in self.alone:
                for end in (LARGEST, -LARGEST):
                    yield self._draw({name: end}, k / DRAWS)
                    if name in self.high:
                        share, high = k / DRAWS, self.high[name]
                        for size in (share * high, high + share * (NEAR - high)):
                            yield {name: math.copysign(size, end)}
        self.random = Random(1729)
        for _ in range(DRAWS):
            if len(self.free) > 1 and self.small:
                yield self._without_some(self.small)
            if self.steep:
                for ways in ((1.0,), (1.0,), (1.0, -1.0)):
                    yield self._steeply(ways)
        for low, high in MEETING if self.free else ():
            for _ in range(MET):
                around = self.random.uniform(low, high)
                yield {name: around - self.random.random() for name in self.free}
        powers = [name for name in self.steep if POWER in name]
        first = min(self.steep.values(), default=())
        roots = [name for name in powers if self.steep[name] > first]
        for _ in range(DRAWS if roots else 0):
            yield self._rooted(self.random.choice(roots))

    def corners(self) -> Iterator[Point]:
        """Points at which an input is next to its end, and others are not far."""
        random = self.random = Random(1729)
        both = {**self.large, **self.small}
        for _ in range(CORNERS if len(both) > 1 else 0):
            ends = self._mixed_inputs(both)
            point = dict(self._draw(ends, None))
            for name in point:
                point[name] *= random.random() * CORNERED
            name = random.choice([*ends])
            end = min(abs(ends[name]), LARGEST) * random.uniform(*ENDED)
            yield {**point, name: math.copysign(end, ends[name])}

    def _rooted(self, root: str) -> Point:
        """Exponentials that are extreme, of which a power is a root, perhaps."""
        random = self.random
        around = random.choice((1.0, -1.0)) * random.choice(VANISHING[2:])
        below = [name for name, of in self.steep.items() if of < self.steep[root]]
        others = {name: around + JITTER * random.random() for name in below}
        return {**others, root: random.uniform(-1.0, 1.0)}

    def _steeply(self, ways: Sequence[float]) -> Point:
        """Exponentials that are extreme, each of them in one of some ways."""
        random = self.random
        around = random.uniform(*STEEPLY)
        return {
            name: random.choice(ways) * around + random.uniform(*APART)
            for name in self.steep
        }

    def _without_some(self, point: Point) -> Point:
        """A point with some of the free inputs at 0."""
        zeros = {name: -math.inf for name in self.free if self.random.random() < 0.5}
        return {**self._draw(point, None), **zeros}

    def _mixed(self) -> Point:
        """Inputs that are extreme, each in its own direction."""
        both = {**self.large, **self.small}
        if not self.below or self.random.random() < 0.5:
            return self._mixed_inputs(both)
        steep, below = self.random.choice([*self.below.items()])
        others = {name: end for name, end in both.items() if name not in below}
        return {**self._mixed_inputs(others), steep: self.random.choice(VANISHING)}

    def _mixed_inputs(self, both: Point) -> Point:
        return {
            name: self.random.choice((self.large, self.small)).get(name, end)
            for name, end in both.items()
            if len(both) > 1
        }

    def _draw(self, ends: Point, share: float | None) -> Point:
        """A point in some ranges of exponents: inputs that are alike, or are not."""
        random = self.random.random
        shares = {name: random() if share is None else share for name in ends}
        if share is None:
            shares = {n: s for n, s in shares.items() if random() < EXTREME}
        moved = {name: JITTER * random() for name in shares}
        return {
            name: math.copysign(
                NEAR + moved[name] + s * (abs(ends[name]) - NEAR - JITTER), ends[name]
            )
            for name, s in shares.items()
        }


def along(points: Iterator[Point], inputs: Sequence[Input]) -> Iterator[Point]:
    """Points with the vector along one of the axes, where no term hides another."""
    vector = [item.name for item in inputs if item.kind == "vector"]
    for point, axis in zip(points, in_turn(vector, Random(1729))):
        yield {**point, **{name: -math.inf for name in vector if name != axis}}


def edges(inputs: Sequence[Input]) -> Iterator[Point]:
    """Points at which each of the free inputs is 0, at an end of floats, or moderate."""
    random = Random(1729)
    free = [item.name for item in inputs if is_free(item)]
    found: set[tuple[float, ...]] = set()
    while len(found) < min(EDGED, len(ENDS) ** len(free)):
        found.add(tuple(random.choice(ENDS) for _ in free))
    for ends in sorted(found) if free else ():
        yield dict(zip(free, ends))


def is_free(item: Input) -> bool:
    """Whether an input may be any number."""
    return item.low is None and item.kind != "vector"


def _end(item: Input, sign: float) -> float:
    """The largest exponent in the domain of an input, or the smallest.

    That 0 lies in a moderate domain does not make tiny numbers likely.
    """
    if item.low is None or item.high is None:
        if not is_free(item):
            return 0.0
        return LARGEST if sign > 0.0 else LEAST
    ends = abs(item.low), abs(item.high)
    size = max(ends) if sign > 0.0 else min(ends)
    if sign < 0.0 and item.low <= 0.0 <= item.high:
        size = 0.0 if max(ends) > 10.0**NEAR else 1.0
    return min(max(math.log10(size), -LARGEST), LARGEST) if size else -LARGEST
