"""Bounds hold at every point of the domains that they follow from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from gradc.analysis.bounds import LARGEST, MODERATE, SHARE, Size, sizes
from gradc.evaluate import evaluate
from gradc.ir import Input, Node, Program, arguments
from gradc.language.lower import read
from tests.strategies import Point, formula


def numbers(program: Program, point: Point) -> Iterator[tuple[float, Size]]:
    """The numbers that a run needs, until it raises or terms cancel, and their bounds."""
    known: list[Any] = []
    try:
        evaluate(program, point, known)
    except (ArithmeticError, ValueError):
        pass
    for node, x, size in zip(program.nodes, known, sizes(program)):
        if isinstance(x, float):
            if math.isnan(x) or cancels(node, x, known):
                return
            yield x, size


def cancels(node: Node, x: float, known: Sequence[Any]) -> bool:
    """Whether a sum has lost most of its terms."""
    terms = (
        [abs(known[a]) for a in arguments(node)] if node[0] in ("add", "sub") else []
    )
    return bool(terms) and abs(x) < SHARE * max(terms)


def is_inside(item: Input, x: float) -> bool:
    """Whether an input is in its domain, and not tiny if that is moderate."""
    if item.low is None or item.high is None:
        return True
    largest = max(abs(item.low), abs(item.high))
    is_tiny = largest <= MODERATE and 0.0 < abs(x) < SHARE * largest
    return item.low <= x <= item.high and not is_tiny


@pytest.mark.parametrize("seed", range(4))
def test_numbers_are_within_their_bounds(seed: int) -> None:
    random, count = Random(seed), 0
    for _ in range(200):
        drawn = formula(random)
        program = read(drawn.text)
        for point in drawn.points(random, 8):
            if not all(is_inside(item, point[item.name]) for item in program.inputs):
                continue
            for x, size in numbers(program, point):
                assert abs(x) <= size.high * (1.0 + 1e-9), (drawn.text, point)
                assert not x < 0.0 or not size.positive, (drawn.text, point)
                assert x == 0.0 or size.low <= abs(x) * (1.0 + 1e-9), (
                    drawn.text,
                    point,
                )
                count += 1
    assert count > 5_000


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("input x, y in [1, 2]; x*y/4", 0.25, 1.0),
        ("input x in [-3, 2]; exp(x) + 1", None, math.exp(3.0) + 1.0),
        ("input x in [2, 4]; 1/(x*x)", 1 / 16, 0.25),
        ("input x, y in [-1, 1]; 1/(x*x + y*y)", 0.5, 1e6),
        ("x + 1", None, LARGEST),
        ("x*sin(y)", None, LARGEST),
        ("x*y", None, math.inf),
        ("1/x", None, math.inf),
    ],
)
def test_bounds_are_close(text: str, low: float | None, high: float) -> None:
    program = read(text)
    found = sizes(program)[program.outputs[0]]
    assert found.high == pytest.approx(high)
    assert low is None or found.low == pytest.approx(low)
