"""Timing two functions against each other on a machine that others use as well.

The two are called in turn in batches of a fraction of a millisecond, at the same point,
and the sides change places from batch to batch. A disturbance then meets both or spoils
a batch, and the median of the ratios leaves it out.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from itertools import repeat
from statistics import median
from time import perf_counter_ns
from typing import Any, NamedTuple

BATCH = 300_000  # nanoseconds


class Race(NamedTuple):
    """Nanoseconds a call of each side, and the median of their ratios."""

    first: float
    second: float
    ratio: float


def race(
    first: Callable[..., Any],
    second: Callable[..., Any],
    points: Sequence[Sequence[Any]],
    batches: int,
) -> Race:
    """Time two functions of the same arguments, batch by batch in turn."""
    calls = _calls(first, second, points[0])
    times: list[tuple[float, float]] = []
    gc.disable()
    for k in range(batches):
        point = points[k % len(points)]
        if k % 2:
            b = batch(second, point, calls)
            a = batch(first, point, calls)
        else:
            a = batch(first, point, calls)
            b = batch(second, point, calls)
        times.append((a, b))
    gc.enable()
    return Race(
        median(a for a, _ in times),
        median(b for _, b in times),
        median(a / b for a, b in times),
    )


def _calls(
    first: Callable[..., Any], second: Callable[..., Any], point: Sequence[Any]
) -> int:
    """How many calls fill a batch, after a few that warm both sides up."""
    for _ in range(3):
        slow = max(batch(first, point, 10), batch(second, point, 10))
    return max(1, int(BATCH / slow))


def batch(function: Callable[..., Any], point: Sequence[Any], calls: int) -> float:
    """Nanoseconds a call, over many calls at one point."""
    start = perf_counter_ns()
    for _ in repeat(None, calls):
        function(*point)
    return (perf_counter_ns() - start) / calls
