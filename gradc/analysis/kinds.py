"""Kinds of points: which inputs are special, and how."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from itertools import combinations, product
from random import Random
from typing import TypeVar

from gradc.analysis.levels import ORDINARY

PAIRED = 12  # the first inputs, of which two may be next to each other
MIXED = 20  # kinds of points of which several inputs are tiny or huge
TWICE = 8  # inputs of which two pairs may be
TOGETHER = 8  # the first inputs, of which several may be next to one another
LIKELY = 4  # times that such a kind is drawn, for half of its points have no value
SEVERAL = 4  # inputs up to which one is tiny where two others cancel, in each sum

Item = TypeVar("Item")
Rule = Callable[[float, float], float]
Kind = list[tuple[int, int, Rule]]  # special inputs, by what input, and how

# What a special input is, by what it was and a small number.
ALONE: Sequence[Rule] = (
    lambda x, small: x * small,
    lambda x, small: x / small,
    lambda x, small: x / small**2,
    lambda x, small: 30.0 * x,  # where exponentials saturate
    lambda x, small: math.copysign(1.0, x) + small,
    lambda x, small: math.copysign(0.5, x) + small,
)


def across(x: float, small: float) -> float:
    """An input next to 1 or -1, on the side where few ordinary points are."""
    return math.copysign(1.0, -x) + small


# What an input is next to another.
BESIDE: Sequence[Rule] = (
    lambda y, small: y + y * small,
    lambda y, small: y * small - y,
    lambda y, small: y * small + 2.0 * y,
    lambda y, small: y * small + 0.5 * y,
    lambda y, small: 1.0 - y + small,
    lambda y, small: (1.0 + small) / y,
)


def ordinary(x: float, small: float) -> float:
    """An input that is not special where others are."""
    return ORDINARY


def zero(x: float, small: float) -> float:
    """An element of a vector that is along another axis."""
    return 0.0


def unit(x: float, small: float) -> float:
    """The element of a vector along its axis."""
    return 1.0


def in_turn(items: Sequence[Item], random: Random) -> Iterator[Item]:
    """Items in any order for ever, none again before all the others."""
    left: list[Item] = []
    while True:
        left = left or random.sample(items, len(items))
        yield left.pop()


def smaller(x: float, small: float) -> float:
    """An input whose last digits are lost beside a number."""
    return x / 7.0


def whole(x: float, small: float) -> float:
    """A small whole number, not 1."""
    return math.copysign(1.0 + math.ceil(abs(x)), x)


def next_to(number: float, x: float, small: float) -> float:
    """What an input is next to a number."""
    return number * (1.0 + small)


def single(n: int) -> Iterator[Kind]:
    """The kinds of points of so many inputs."""
    equal = BESIDE[0]
    pairs = [*combinations(range(min(n, PAIRED)), 2)]
    for rule in ALONE:
        for i in range(n):
            yield [(i, i, rule)]
    for rule in BESIDE:
        for i, j in pairs:
            yield [(i, j, rule)]
    if n == 2:
        for size, rule in product(ALONE[:2], BESIDE[:2]):
            yield [(1, 1, size), (0, 1, rule)]
    for sizes in _mixed(n):
        yield [(i, i, ALONE[size]) for i, size in enumerate(sizes) if size is not None]
    if n <= TWICE:
        for one, other in combinations(pairs, 2):
            if {*one}.isdisjoint(other):
                yield [(*one, equal), (*other, equal)]


def double(n: int, compared: Set[tuple[int, int]]) -> Iterator[tuple[int, Kind]]:
    """The kinds of points of so many inputs that are special in two ways, by rank.

    Arguments:
        compared: the pairs of inputs that come first.
    """
    tiny, large, _, saturated, one, _ = ALONE
    equal = BESIDE[0]
    some = range(min(n, PAIRED))
    for i, j in combinations(some, 2):
        yield 1, [(i, i, one), (j, j, tiny)]
        yield 1, [(j, j, one), (i, i, tiny)]
        yield 1, [(i, i, saturated), (j, j, saturated)]
        rank = 0 if (i, j) in compared else 1
        for k in some:
            if k not in (i, j):
                for rule in (tiny, large, one):
                    yield rank, [(i, j, equal), (k, k, rule)]
    if 2 < n <= TOGETHER:
        for k in range(-1, n):
            first, *others = (i for i in range(n) if i != k)
            beside = [(i, first, equal) for i in others]
            if len(beside) > 1:
                rank = 0 if k < 0 else 1
                yield rank, beside
                yield rank, [(first, first, large), *beside]
                if k >= 0:
                    yield rank, [*beside, (k, k, tiny)]


def at_one(n: int) -> Iterator[Kind]:
    """The kinds of points at which two of so many inputs are next to 1, or one is huge."""
    large, one = ALONE[1], ALONE[4]
    for i, j in combinations(range(n), 2):
        yield [(i, i, one), (j, j, one)]
        yield [(i, i, one), (j, j, large)]
        yield [(i, i, large), (j, j, one)]


def beside_one(n: int) -> Iterator[Kind]:
    """The kinds of points of so many inputs at which two are next to each other.

    Another is next to 1, or to -1.
    """
    for i, j in combinations(range(n), 2):
        for k, rule in product(range(n), (across, ALONE[4])):
            if k not in (i, j):
                yield [(i, j, BESIDE[0]), (k, k, rule)]


def scaled(n: int) -> Iterator[Kind]:
    """The kinds of points at which so many inputs are tiny, and of much the same size."""
    if n > 1:
        beside = [(i, 0, partial(times, 1.0 + i / (i + 2))) for i in range(1, n)]
        yield [(0, 0, ALONE[0]), *beside]


def times(ratio: float, y: float, small: float) -> float:
    """An input that is a multiple of another."""
    return ratio * y


def lengths(n: int) -> Iterator[Kind]:
    """The kinds of points at which a vector of so many inputs has about length 1.

    One of them is next to 1, and all others are tiny.
    """
    tiny, _, _, _, one, _ = ALONE
    for i in range(n):
        yield [(i, i, one), *((k, k, tiny) for k in range(n) if k != i)]


def _mixed(n: int) -> Iterator[Sequence[int | None]]:
    """Which inputs are tiny and which huge where several are, by `ALONE`."""
    yield from ([size] * n for size in (0, 1) if n > 1)
    every = [*product((0, 1, None), repeat=n)] if 3**n <= MIXED else []
    random = Random(n)
    some = every or (
        [random.choice((0, 1, None)) for _ in range(n)] for _ in range(MIXED)
    )
    for sizes in some:
        if len({*sizes}) > 1 and sum(size is not None for size in sizes) > 1:
            yield sizes
