"""The derivatives that are conventions, as one table, and those that are none.

| where | convention |
| --- | --- |
| a tie of `min` or `max` | the arguments that are equal share in equal parts |
| `relu(x)` at 0 | 0 |
| `abs(x)`, `sign(x)` at 0 | 0 |
| `hypot(...)` and `norm(...)` at 0 | 0, also written as a root, but not strictly |
| `atan2(y, x)` at 0, and on its cut | 0, and the limit from above |
| a distance on a sphere, or an angle, at 0 and at pi | 0 |
| the edge of a domain where a slope has no end | it raises |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import mpmath as mp
import pytest

import gradc

Point = tuple[float, ...]

CONVENTIONS: dict[str, list[tuple[Point, Point]]] = {
    "max(x, y)": [((1.0, 1.0), (0.5, 0.5)), ((0.0, -0.0), (0.5, 0.5))],
    "min(x, y)": [((2.0, 2.0), (0.5, 0.5))],
    "max(x, 1)": [((1.0,), (0.5,))],
    "min(3, x)": [((3.0,), (0.5,))],
    "clip(x, 0, 1)": [((0.0,), (0.5,)), ((1.0,), (0.5,))],
    "max(x, y, z)": [
        ((1.0, 1.0, 1.0), (1 / 3, 1 / 3, 1 / 3)),
        ((1.0, 1.0, 0.0), (0.5, 0.5, 0.0)),
    ],
    "max(x, x, y)": [((1.0, 1.0), (2 / 3, 1 / 3))],
    "min(2, x, x, y)": [((2.0, 2.0), (0.5, 0.25))],
    "min(x, y, 2)": [((2.0, 2.0), (1 / 3, 1 / 3)), ((3.0, 2.0), (0.0, 0.5))],
    "relu(x)": [((0.0,), (0.0,)), ((-0.0,), (0.0,))],
    "abs(x)": [((0.0,), (0.0,)), ((-0.0,), (0.0,))],
    "sign(x)": [((0.0,), (0.0,))],
    "hypot(x, y)": [((0.0, 0.0), (0.0, 0.0))],
    "norm([x, y, z])": [((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))],
    "atan2(y, x)": [((0.0, -2.0), (-0.5, 0.0)), ((0.0, 0.0), (0.0, 0.0))],
}
LENGTHS = {"sqrt(x^2 + y^2)": 2, "sqrt(x*x + y*y + z*z)": 3, "sqrt(x^2)": 1}
HALF = "h = sin((a - x)/2)^2 + cos(x)*cos(a)*sin((b - y)/2)^2; "
DISTANCES = (
    HALF + "2*asin(sqrt(h))",
    HALF + "2*atan2(sqrt(h), sqrt(1 - h))",
    HALF + "acos(1 - 2*h)",
    "acos(sin(x)*sin(a) + cos(x)*cos(a)*cos(y - b))",
)
ANGLES = {
    2: "acos(dot([a, b], [x, y])/(norm([a, b])*norm([x, y])))",
    3: "acos(dot([a, b, c], [x, y, z])/norm([a, b, c])/norm([x, y, z]))",
}
STEEP = {"sqrt(x)": 0.0, "x^0.5": 0.0, "asin(x)": 1.0, "acosh(x)": 1.0}

# Smooth, although written with a kink: each with its derivative, in plain Python.
SMOOTH = {
    "max(x, 0)^2": lambda x: 2 * x if x > 0 else 0.0,
    "relu(x)^2": lambda x: 2 * x if x > 0 else 0.0,
    "x*abs(x)": lambda x: 2 * abs(x),
    "abs(x)^2": lambda x: 2 * x,
    "abs(x)^3": lambda x: 3 * x * abs(x),
    "abs(x)*x^2": lambda x: 3 * x * abs(x),
    "max(x, 0) - max(-x, 0)": lambda x: 1.0,
    "max(x, 0) + min(x, 0)": lambda x: 1.0,
    "sign(x)*x^2": lambda x: 2 * abs(x),
    "max(x, 1) + min(x, 1)": lambda x: 1.0,
    "max(x, 0)^3 - 2*max(-x, 0)^2": lambda x: 3 * x * x if x > 0 else -4 * x,
    "max(x, -x) - abs(x) + x": lambda x: 1.0,
}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("text", CONVENTIONS)
def test_conventions(text: str, strict: bool) -> None:
    f = gradc.compile(text, strict=strict)
    for point, gradient in CONVENTIONS[text]:
        assert f.grad(*point) == gradient


@pytest.mark.parametrize("text", LENGTHS)
def test_a_length_has_no_slope_where_it_is_0(text: str) -> None:
    point = (0.0,) * LENGTHS[text]
    assert gradc.compile(text).grad(*point) == point


@pytest.mark.parametrize(
    "text", ["x*atan(x/y)", "x*tanh(x/y)", "x/(1 + exp(-x/y))", "(x - 1)*sigmoid(x/y)"]
)
def test_a_steep_step_is_its_limit_from_one_side(text: str) -> None:
    f = gradc.compile(text, inputs=["x", "y"])
    for x in (2.0, -0.5, 1e-3, -7.0):
        for y, near in ((0.0, 1e-12), (1e-300, 1e-12), (-1e-300, -1e-12)):
            value, gradient = f.value_and_grad(x, y)
            assert value == pytest.approx(f(x, near), rel=1e-8, abs=1e-11), y
            assert gradient == pytest.approx(f.grad(x, near), rel=1e-8, abs=1e-11), y
    with pytest.raises(gradc.DomainError):
        f.value_and_grad(0.0, 0.0)


@pytest.mark.parametrize("text", DISTANCES)
def test_distances_next_to_a_point_and_to_the_opposite_one(text: str) -> None:
    f, random = gradc.compile(text, inputs=["x", "y", "a", "b"]), Random(text)
    assert f.value_and_grad(0.5, -2.0, 0.5, -2.0) == (0.0, (0.0,) * 4)
    for k in range(60):
        x, y = random.uniform(-1.5, 1.5), random.uniform(-3.0, 3.0)
        away, turn = 10.0 ** random.uniform(-16, -0.5), random.uniform(0.0, 6.0)
        a, b = x + away * mp.cos(turn), y + away * mp.sin(turn)
        point = [x, y, float(-a if k % 2 else a), float(b + k % 2 * mp.pi)]
        value, gradient = f.value_and_grad(*point)
        with mp.workdps(120):
            exact = [sphere(*point), *slopes(sphere, point)]
        assert value == pytest.approx(float(exact[0]), rel=1e-9), point
        assert gradient == pytest.approx([*map(float, exact[1:])], rel=1e-9), point


def sphere(x: mp.mpf, y: mp.mpf, a: mp.mpf, b: mp.mpf) -> mp.mpf:
    return mp.acos(mp.sin(x) * mp.sin(a) + mp.cos(x) * mp.cos(a) * mp.cos(b - y))


def angle(*point: mp.mpf) -> mp.mpf:
    half = len(point) // 2
    u, v = mp.matrix(point[:half]), mp.matrix(point[half:])
    return mp.acos(sum(u[k] * v[k] for k in range(half)) / mp.norm(u) / mp.norm(v))


def slopes(function: Callable[..., Any], point: Sequence[float]) -> list[Any]:
    """Derivatives by differences in many digits."""
    found, h = [], mp.mpf(10) ** (-5 * mp.mp.dps // 12)
    point = [*map(mp.mpf, point)]
    for k, x in enumerate(point):
        right, left = [*point], [*point]
        right[k], left[k] = x + h, x - h
        found.append((function(*right) - function(*left)) / (2 * h))
    return found


@pytest.mark.parametrize("size", ANGLES)
def test_angles_next_to_a_line(size: int) -> None:
    f, random = gradc.compile(
        ANGLES[size], inputs=[*"abc"[:size], *"xyz"[:size]]
    ), Random(2)
    u = [0.5, -1.0, 2.0][:size]
    for side in (2.0, -0.25):
        straight = f.value_and_grad(*u, *[side * x for x in u])
        assert straight == (0.0 if side > 0 else math.pi, (0.0,) * (2 * size))
    for k in range(40):
        u = [random.uniform(-2.0, 2.0) for _ in range(size)]
        away = 10.0 ** random.uniform(-6, 0)
        v = [(-1) ** k * 1.5 * x + away * random.uniform(-1.0, 1.0) for x in u]
        value, gradient = f.value_and_grad(*u, *v)
        with mp.workdps(60):
            exact = [angle(*u, *v), *slopes(angle, [*u, *v])]
        assert value == pytest.approx(float(exact[0]), rel=1e-8)
        size_of = max(map(abs, exact[1:]))
        assert gradient == pytest.approx(
            [*map(float, exact[1:])], abs=1e-8 * float(size_of)
        )


@pytest.mark.parametrize("text", STEEP)
def test_a_slope_without_end_raises(text: str) -> None:
    f = gradc.compile(text)
    f(STEEP[text])
    with pytest.raises(gradc.DomainError):
        f.grad(STEEP[text])


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("text", SMOOTH)
def test_smooth_formulas_have_one_gradient(text: str, strict: bool) -> None:
    f = gradc.compile(text, strict=strict)
    for x in (0.0, -0.0, 1.0, -1.0, 2.5, -0.3, 1e-200, -5e-324):
        want = SMOOTH[text](x)
        assert f.grad(x)[0] == pytest.approx(want, rel=1e-15, abs=1e-300), x


# What is smooth although it is computed by the largest, and the same without.
TIED = {
    "exp(x)/(exp(x) + exp(y) + exp(z))": "exp(x)/(exp(x) + exp(y) + exp(z))",
    "logsumexp(x, y, z) - x": "log(exp(x) + exp(y) + exp(z)) - x",
}


@pytest.mark.parametrize("text", TIED)
def test_second_derivatives_at_a_tie(text: str) -> None:
    inputs = ["x", "y", "z"]
    f = gradc.compile(text, inputs=inputs)
    smooth = gradc.compile(TIED[text], inputs=inputs, strict=True)
    for point in ((0.0, 0.0, 1.0), (1.0, 1.0, 1.0), (2.0, 0.0, 2.0), (0.0, 1.0, 1.0)):
        for row, other in zip(f.hessian(*point), smooth.hessian(*point)):
            assert row == pytest.approx(other, rel=1e-14, abs=1e-15), point


@pytest.mark.parametrize("text", ["max(x, y)", "min(x, y, z)", "max(x, 2, y)"])
def test_a_tie_gives_away_all_of_the_gradient(text: str) -> None:
    """Moving all arguments together moves the value as much."""
    f = gradc.compile(text.replace("2", "w"))
    for point in ((2.0, 2.0, 2.0), (1.0, 2.0, 2.0), (2.0, 1.0, 3.0)):
        assert sum(f.grad(*point[: len(f.inputs)])) == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize(
    "text", ["{0}({0}(x, y), z)", "m = {0}(y, z); {0}({0}(x, m), m)"]
)
def test_ties_of_nested_extremes_share_in_equal_parts(op: str, text: str) -> None:
    f = gradc.compile("input x, y, z\n" + text.format(op))
    away = 1.0 if op == "max" else 3.0
    assert f.grad(2.0, 2.0, 2.0) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert f.grad(2.0, away, 2.0) == pytest.approx((0.5, 0.0, 0.5))


@pytest.mark.parametrize("text", ["x*abs(x)", "abs(x)*tanh(x)"])
def test_a_second_derivative_that_jumps_is_in_the_middle(text: str) -> None:
    f = gradc.compile(text, emit="hessian")
    assert f.hessian(0.0) == ((0.0,),)
    assert f.hessian(1e-9)[0][0] == -f.hessian(-1e-9)[0][0] != 0.0
