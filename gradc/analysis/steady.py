"""Steady: whether a node is as accurate as the one that it would replace.

Both are run on floats, and again with every rounding moved (`roundings`): at points
where inputs are special (`draws`), at ordinary ones, and between these where the old
node is least. What was a product of small differences, and is a sum now, cancels there.
So does what was a sum of products where a label, an input that is 0 or 1, leaves one of
them and the others have faded: `y*sigmoid(-x) - (1 - y)*sigmoid(x)` is not `y - sigmoid(x)`
at y = 1 and x = 40.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from random import Random

from gradc.analysis.draws import RANGES, Draws
from gradc.analysis.roundings import MOVED, Point, Runs
from gradc.analysis.suspects import Suspects
from gradc.functions import Function
from gradc.ir import Program

POINTS = 80  # special ones at the most
ORDINARY = 16  # in each range
AGAIN = 5  # runs with moved results
WORSE = 32.0  # times as far a node may move as the one it replaces
USUAL = 1.5  # the same on the average, but for chance
NEARLY = 2.0  # on the average where the node is least
TINY = 1e-300  # what is added to what may be 0
LARGE = 4  # points at which one input is a label
BESIDE = -1e-9  # how far from it at some of them
LABELS = (0.0, 1.0, -1.0)  # that an input may be where the others are large
SIZES = (8.0, 80.0)  # of these, which a label leaves alone
SEGMENTS = 16  # on which the least is looked for
STEPS = (6, 12, 24, 36)  # of that search, after which it is looked at


def is_as_accurate(program: Program, new: int, old: int) -> bool:
    """Whether one node is as accurate as another, and defined wherever that is.

    Arguments:
        program: with these nodes; its outputs do not matter.
    """
    both = replace(program, outputs=(new, old))
    runs = Runs(Suspects(Function("", both, (0, 1))), Random(1729))
    draws = Draws(both)
    ordinary = [*draws.ordinary(RANGES, ORDINARY)]
    points = draws.first(POINTS).points + ordinary + [*_labelled(draws)]
    if not _moves_no_further(runs, points, new, old, USUAL):
        return False
    least = [*_least(runs, ordinary, old)]
    return _moves_no_further(runs, least, new, old, NEARLY)


def _labelled(draws: Draws) -> Iterator[Point]:
    """Points at which an input is a label, or next to one, and the others are large."""
    ordinary = [*draws.ordinary([SIZES], LARGE)]
    count = len(draws.domains)
    for i, label in product(range(count) if count > 1 else (), LABELS):
        for k, x in enumerate(ordinary):
            point = [*x]
            point[i] = label + k % 2 * BESIDE
            if draws.is_allowed(point):
                yield point


def _moves_no_further(
    runs: Runs, points: Sequence[Point], new: int, old: int, usual: float
) -> bool:
    """Whether a node moves about as little as another, and at no point much more."""
    values = runs.run(points)
    moved = [runs.run(points, MOVED) for _ in range(AGAIN)]
    total, count = 0.0, 0
    for k, x in enumerate(values[old]):
        if math.isfinite(x):
            least = MOVED * abs(x) + TINY
            far, before = (
                max(abs(run[i][k] - values[i][k]) for run in moved) for i in (new, old)
            )
            ratio = (far + least) / (before + least)
            if not ratio <= WORSE:  # nor NaN
                return False
            total += math.log(ratio)
            count += 1
    return total <= count * math.log(usual)


def _least(runs: Runs, points: Sequence[Point], node: int) -> Iterator[Point]:
    """Points ever nearer to where a node is least, each between two that are given."""
    ends = [*pairwise(points)][:SEGMENTS]
    for step in range(1, STEPS[-1] + 1):
        inner = [_thirds(*pair) for pair in ends]
        left, right = (runs.run(list(side))[node] for side in zip(*inner))
        ends = [
            (one, high) if abs(x) < abs(y) else (low, other)
            for (one, other), (low, high), x, y in zip(ends, inner, left, right)
        ]
        if step in STEPS:
            yield from (low for low, _ in ends)


def _thirds(one: Point, other: Point) -> tuple[Point, Point]:
    """The points that divide a segment in three."""
    low = [x + (y - x) / 3.0 for x, y in zip(one, other)]
    return low, [y + (x - y) / 3.0 for x, y in zip(one, other)]
