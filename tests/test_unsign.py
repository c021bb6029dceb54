"""The angle on its cut is pi, whatever sign floats have left a zero."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

import gradc

SIGNED = (0.0, -0.0, 1.0, -1.0)
VANISHING = (
    "x*y",
    "-x*y",
    "2*x*y",
    "x/2*y",
    "sin(x)*y",
    "-sin(x*y)",
    "x*y - y*x*2",
    "-(x*y + x)",
    "where(x > 0, x, -x)*y",
    "min(x*y, 2*x*y)",
    "tanh(x)*cos(y)",
    "-abs(x)",
    "x*y^2/(1 + y^2)",
)


@pytest.mark.parametrize("text", VANISHING)
@pytest.mark.parametrize("leg", ["-1", "-exp(x)", "x - 2", "-2 - x*y"])
@pytest.mark.some(3)
def test_an_angle_on_its_cut_is_the_one_from_above(text: str, leg: str) -> None:
    """Where the leg is negative and the other vanishes, of whatever sign it was."""
    f = gradc.compile(f"input x, y\natan2({text}, {leg})")
    module: dict[str, Any] = {}
    exec(f.source, module)
    side = gradc.compile(f"input x, y\n{text}")
    for point in product(SIGNED, repeat=2):
        if side(*point) == 0.0:
            for value in (f, module["value"]):
                assert value(*point) == math.pi, point
            for both in (f.value_and_grad, module["value_and_grad"]):
                assert both(*point)[0] == math.pi, point


def test_the_caller_may_choose_a_side() -> None:
    f = gradc.compile("atan2(y, x)")
    assert f(0.0, -1.0) == math.pi and f(-0.0, -1.0) == -math.pi


@pytest.mark.parametrize(
    "text",
    [
        "atan2(y, x)",
        "atan2(y - x, x)",
        "atan2(x*y, exp(x))",
        "atan2(x*x, y)",
        "atan2(x*y + 1, y)",
    ],
)
def test_what_never_becomes_a_zero_of_a_sign_stays(text: str) -> None:
    assert "0.0 - " not in (source := gradc.compile(text).source)
    assert "+ 0.0" not in source


def test_strict_computes_what_is_written() -> None:
    assert gradc.compile("atan2(x*y, -1)", strict=True)(0.0, -1.0) == -math.pi
