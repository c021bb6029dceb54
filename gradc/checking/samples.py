"""Where a module is tried: points that are drawn, and points at the edges of branches.

Nothing is known of an input without a domain, so every point is of a kind drawn anew:
ordinary, positive, small whole numbers (which meet ties and kinks), many orders of
magnitude with both signs, close to the numbers of the formula, rising. Numbers have few
digits, for those who read them. Others lie along one input from a drawn point, on both
sides of where a comparison of the module turns.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from operator import sub
from random import Random

from gradc.errors import Span
from gradc.ir import COMPARISONS, Input, Program, compact
from gradc.run import run

Point = dict[str, float]
Gap = Callable[[float], float]

SECANTS = 12  # steps on the way to where a comparison turns
ASIDE = 1e-6, 1e-9, 2.0**-53  # from it, relative; in few bits the first can be told
STARTS, MOST = 4, 9  # points from which, and up to how many, one comparison is met
JUDGING = 10  # runs that take as long as to judge a point


_KINDS: Sequence[Callable[[Random, Sequence[float]], float]] = (
    *[lambda random, consts: random.uniform(-3.0, 3.0)] * 2,
    *[lambda random, consts: random.uniform(0.0, 3.0)] * 3,
    lambda random, consts: random.uniform(1.0, 100.0),
    *[lambda random, consts: random.choice((1.0, -1.0)) * _power(random)] * 2,
    lambda random, consts: float(random.randint(-4, 9)),
    lambda random, consts: random.choice(consts) + random.uniform(-1.0, 1.0),
    lambda random, consts: random.choice(consts) * random.uniform(-1.1, 1.1),
)


def drawn(program: Program, random: Random) -> Iterator[Point]:
    """Points to try, without end."""
    inputs = program.inputs
    consts = sorted({n[1] for n in program.nodes if n[0] == "const"})[:1000] or [1.0]
    while True:
        form, kind, size = random.random(), random.choice(_KINDS), _power(random)
        if form < 0.2:
            found = [random.choice(_KINDS)(random, consts) for _ in inputs]
        elif form < 0.3:  # all of one magnitude
            found = [size * random.uniform(-1.0, 1.0) for _ in inputs]
        else:
            found = [kind(random, consts) for _ in inputs]
        if form > 0.9:
            found.sort(reverse=form > 0.95)
        yield {i.name: _inside(i, x, random) for i, x in zip(inputs, found)}


def _power(random: Random) -> float:
    """A magnitude within eight decades of 1."""
    return math.pow(10.0, random.uniform(-8.0, 8.0))


def _inside(item: Input, x: float, random: Random) -> float:
    """A number in the domain of an input: `x`, or as far from an end, or any other."""
    low, high, far = item.low, item.high, abs(x) or 1.0
    if low is None or high is None:
        return float(f"{x:.5g}")
    tries = [x, low, high, low + far, high - far, *[random.uniform(low, high)] * 4]
    if 0.0 < low < high / 10.0:
        tries += [low * (high / low) ** random.random()] * 4
    for y in random.sample(tries, len(tries)):
        for shown in (float(f"{y:.5g}"), y):
            if is_within(item, shown):
                return shown
    return math.nextafter(low, high)


def is_within(item: Input, x: float) -> bool:
    """Whether a finite number is in the domain of an input."""
    if item.low is None or item.high is None:
        return True
    above = x > item.low if item.low_open else x >= item.low
    below = x < item.high if item.high_open else x <= item.high
    return above and below and math.isfinite(x)


class Edges:
    """The search for points at which the comparisons of a program turn.

    Attributes:
        left: how many operations may still be run; without any the search ends.
        sides: the comparisons, each with the sides that a point has entered.
    """

    def __init__(self, program: Program, operations: int) -> None:
        self.program, self.left = program, operations
        every = enumerate(zip(program.nodes, program.alive, program.varying))
        asked = [i for i, (node, *on) in every if node[0] in COMPARISONS and all(on)]
        self.sides = {i: set[bool]() for i in asked}

    def points(self, starts: Sequence[Point]) -> Iterator[Point]:
        """Points on both sides of where each comparison turns, found from some starts."""
        runs = [(start, run(self.program, start)) for start in starts]
        for guard, sides in self.sides.items():
            sides |= {there.values[guard] for _, there in runs if there.has(guard)}
        for guard in sorted(self.sides, key=lambda guard: len(self.sides[guard])):
            self.left -= len(self.program.nodes)
            if self.left < 0:
                return
            reached = [start for start, there in runs if there.has(guard)]
            near = set[bool]()
            for point in islice(self.near(guard, reached[:STARTS]), MOST):
                self.left -= JUDGING * len(self.program.nodes)
                there = run(self.program, point)
                if there.has(guard):
                    runs.append((point, there))
                    near.add(there.values[guard])
                    yield point
                if len(near) == 2:
                    break
            self.sides[guard] |= near

    def missed(self) -> list[tuple[Span | None, bool]]:
        """The parts of the source with a side that was not entered, and it."""
        spans, both = self.program.spans, {True, False}
        return [(spans[i], x) for i, sides in self.sides.items() for x in both - sides]

    def near(self, guard: int, starts: Sequence[Point]) -> Iterator[Point]:
        """Points on both sides of where a guard turns, and some further beyond.

        They lie along one input from a start; each is tried that the guard depends on.
        """
        program = self.program
        part = compact(replace(program, outputs=program.nodes[guard][1:]))
        reads = {node[1] for node in part.nodes if node[0] == "input"}
        inputs = [i for i in program.inputs if i.name in reads and i.kind != "vector"]
        for start in starts[:1]:  # what hypot(x, y) == 0 asks for
            yield start | {i.name: 0.0 for i in inputs if is_within(i, 0.0)}
        for start, item in product(starts, inputs):

            def gap(x: float) -> float:
                """By how much the sides of the guard differ, NaN if they have none."""
                self.left -= len(part.nodes)
                if self.left < 0 or not is_within(item, x):
                    return math.nan
                there = run(part, {**start, item.name: x})
                return sub(*there.results()) if there.failed is None else math.nan

            for x in _turning(gap, start[item.name]):
                yield {**start, item.name: x}


def _turning(gap: Gap, x: float) -> Iterator[float]:
    """The place where a function is 0, to which secants lead, and both sides of it."""
    y, step = gap(x), 1e-3 * (x or 1.0)
    for _ in range(SECANTS):
        there = gap(x + step)
        if there == y or not math.isfinite(there - y):
            break
        x, y, step = x + step, there, step * there / (y - there)
    for share in ASIDE:
        sides = x - share * (x or 1.0), x + share * (x or 1.0)
        if len({gap(side) < 0.0 for side in sides}) == 2:
            yield from sides
            break
    if y == 0.0:
        yield x
