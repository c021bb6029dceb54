"""Points at which a formula is tried: inside declared domains, else of several kinds.

Nothing is known of an input without a domain, so every point is of a kind drawn anew:
ordinary, positive, small whole numbers (which meet ties and kinks), many orders of
magnitude with both signs, close to the numbers of the formula, rising. Numbers have few
digits, for the sake of those who read them in a message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random

from gradc.ir import Input, Program

Kind = Callable[[Random, Sequence[float]], float]
Point = dict[str, float]

_REACH = 8.0  # decades of magnitude, up and down


def candidates(program: Program, random: Random) -> Iterator[Point]:
    """Points to try, without end."""
    numbers = sorted({n[1] for n in program.nodes if n[0] == "const"})[:1000] or [1.0]
    while True:
        yield _point(program.inputs, numbers, random)


def _point(inputs: Sequence[Input], numbers: Sequence[float], random: Random) -> Point:
    form = random.random()
    kind = random.choice(_KINDS)
    found = []
    for _ in inputs:
        if form < 0.2:  # each of its own kind
            kind = random.choice(_KINDS)
        found.append(kind(random, numbers))
    if 0.2 <= form < 0.3:  # all of one magnitude
        size = _power(random, _REACH)
        found = [size * random.uniform(-1.0, 1.0) for _ in inputs]
    elif 0.3 <= form < 0.4:
        found.sort(reverse=random.random() < 0.5)
    return {
        item.name: inside(item, random) if item.domain else _short(x)
        for item, x in zip(inputs, found)
    }


def _ordinary(random: Random, numbers: Sequence[float]) -> float:
    return random.uniform(-3.0, 3.0)


def _positive(random: Random, numbers: Sequence[float]) -> float:
    return random.uniform(0.0, 3.0)


def _unit(random: Random, numbers: Sequence[float]) -> float:
    return random.random()


def _larger(random: Random, numbers: Sequence[float]) -> float:
    return random.uniform(1.0, 100.0)


def _wide(random: Random, numbers: Sequence[float]) -> float:
    return random.choice((1.0, -1.0)) * _power(random, _REACH)


def _whole(random: Random, numbers: Sequence[float]) -> float:
    return float(random.randint(-4, 9))


def _near(random: Random, numbers: Sequence[float]) -> float:
    """Close to a number of the formula, or between two, with either sign."""
    one, other = random.choice(numbers), random.choice(numbers)
    found = random.choice(
        (
            one + random.uniform(-1.0, 1.0),
            one * (1.0 + random.uniform(-0.1, 0.1)),
            random.uniform(one, other),
        )
    )
    return found * random.choice((1.0, -1.0))


_KINDS: Sequence[Kind] = (
    *(_ordinary, _ordinary, _positive, _positive),
    *(_unit, _larger, _wide, _wide, _whole, _near),
)


def inside(item: Input, random: Random) -> float:
    """A number of a declared domain: anywhere in it, or near or at one of its ends."""
    assert item.low is not None and item.high is not None
    for _ in range(20):
        x = _drawn(item.low, item.high, random)
        for shown in (_short(x), x):
            if _within(item, shown):
                return shown
    return item.high if math.isinf(item.low) else item.low + _gap(item)


def _drawn(low: float, high: float, random: Random) -> float:
    form = random.random()
    if math.isinf(low) and math.isinf(high):
        return random.choice(_KINDS)(random, (0.0, 1.0))
    if math.isinf(low) or math.isinf(high):
        reach = _REACH if form < 0.5 else 1.0
        away = _power(random, reach)
        return low + away if math.isinf(high) else high - away
    if form < 0.05:
        return random.choice((low, high))
    if form < 0.2:  # near an end
        part = 0.01 * _power(random, 3.0)
        return low + part * (high - low) if form < 0.125 else high - part * (high - low)
    if form < 0.5 and low > 0.0 and high / low > 10.0:  # over many magnitudes
        return low * math.exp(random.random() * math.log(high / low))
    if form < 0.3:
        return float(round(random.uniform(low, high)))
    return random.uniform(low, high)


def _within(item: Input, x: float) -> bool:
    assert item.low is not None and item.high is not None
    above = x > item.low if item.low_open else x >= item.low
    return above and (x < item.high if item.high_open else x <= item.high)


def _gap(item: Input) -> float:
    assert item.low is not None and item.high is not None
    width = item.high - item.low
    return (width if math.isfinite(width) else 2.0) / 2.0


def _power(random: Random, reach: float) -> float:
    """A magnitude up to so many decades above and below 1."""
    return math.pow(10.0, random.uniform(-reach, reach))


def _short(x: float) -> float:
    return float(f"{x:.5g}")
