"""The laws of second derivatives: a module that has them has the gradient, too."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from tests.test_losses import check_to_second_order

mpmath = pytest.importorskip("mpmath")

SAME = 1e-13

LARGE = (-710.0, -40.0, -0.3, 25.0, 300.0)
LABELS = (0.0, 1.0, 1.0 - 1e-9, 0.4)
# Losses of a label y, by a probability or a logit.
LABELLED = (
    "log(sigmoid(x))*y + log(1 - sigmoid(x))*(1 - y)",
    "(1 - y)*softplus(x) + y*softplus(-x)",
    "-y*log(normcdf(x)) - (1 - y)*log(1 - normcdf(x))",
    "-y*log((1 + tanh(x))/2) - (1 - y)*log((1 - tanh(x))/2)",
    "y*log(1 + exp(-w*x)) + (1 - y)*log(1 + exp(w*x))",
)


def check_gradient(text: str, points: Sequence[Sequence[float]]) -> None:
    """Hold the first results of a Hessian to those of a gradient, in all functions."""
    compiled = gradc.compile(text, emit="gradient,hessian")
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    second = compiled.value_grad_and_hessian, module["value_grad_and_hessian"]
    for point in points:
        known = [*leaves(compiled.value_and_grad(*point))]
        for run in second:
            found = [*leaves(run(*point))][: len(known)]
            assert found == pytest.approx(known, rel=SAME, abs=1e-320), point


@pytest.mark.parametrize("text", LABELLED)
def test_a_label_leaves_one_term_of_a_slope(text: str) -> None:
    more = [(1.5,)] if "w" in text else [()]
    points = [(*w, x, y) for w, x, y in product(more, LARGE, LABELS)]
    inputs = "input w, x, y\n" if "w" in text else "input x, y\n"
    check_gradient(inputs + text, points)


@pytest.mark.parametrize("text", ["sin(x)/(exp(x) - 1)", "sin(x)/(exp(2*x) - 1)"])
def test_a_coefficient_may_be_small_by_chance(text: str) -> None:
    """However small it is beside the others, the series reaches as far as they say."""
    points = [{"x": x} for x in (1e-9, -1e-6, 1e-4, -2e-3)]
    check_to_second_order(text, "gradient,hessian", points)


@pytest.mark.parametrize("text", ["log(exp(x) + exp(2*x))", "log(exp(3*x) + exp(2*x))"])
@pytest.mark.parametrize("x", [-330.0, -45.0, -18.6, 0.0, 3.0, 40.0, 330.0])
def test_what_two_exponentials_of_one_input_curve_by(text: str, x: float) -> None:
    """The curvature is that of softplus, whatever slope is added."""
    with mpmath.workdps(400):
        share = 1 / (1 + mpmath.exp(-mpmath.mpf(x)))
        truth = share * (1 - share)
    ((found,),) = gradc.compile(text, emit="hessian").hessian(x)
    assert abs(found - truth) <= 1e-14 * truth


@pytest.mark.parametrize("x", [1e200, 1e5, 710.0, -1e200])
@pytest.mark.parametrize("text", ["log1p(exp(x))", "max(x, 0) + log1p(exp(-abs(x)))"])
def test_softplus_far_out(text: str, x: float) -> None:
    slope = 1.0 if x > 0.0 else 0.0
    module: dict[str, Any] = {}
    exec(gradc.compile(text).source, module)
    assert module["value_and_grad"](x) == (max(x, 0.0), (slope,))


def test_what_is_left_of_an_exponential() -> None:
    f = gradc.compile("log(exp(x) - exp(y) - exp(z))")
    with mpmath.workdps(60):
        truth = mpmath.log(1 - mpmath.exp(-50) - mpmath.exp(-60))
    assert abs(f(0.0, -50.0, -60.0) - truth) <= 1e-15 * abs(truth)


# Formulas whose derivatives lose digits or end, and points at which they would.
MULTIPLIED = (
    ("log(1 - exp(-exp(x)))", [(-40.0,), (-700.0,), (2.0,)]),
    ("(x^5 - 1)/(x - 1)", [(1.0000001,), (1.0 - 1e-9,), (-2.0,)]),
    ("1/(1/x + 1/y)", [(1e100, 1e-100), (3.0, 1e-200), (1e-9, 1.0)]),
    ("(x - y)/(x + y)", [(1.0, 1.00000001), (3.0, 1e200), (1e-150, 1e-140)]),
    ("k*T*log(V/W)", [(1.5, 3.0, 2.0, 1e200), (1.0, 2.0, 1.00000001, 1.0)]),
    ("P*L^3/(48*E*I)", [(1e9, 0.4, 1e200, 0.3), (1e9, 0.4, 3.0, 1e200)]),
    ("abs(x - y)/(abs(x) + abs(y))", [(0.8, 0.800000008), (1e-5, 1.00000001e-5)]),
    (
        "d + (a - d)/(1 + (x/c)^b)",
        [(1e-5, 0.0, 1e-9, 1.0, 1e-9), (1, 1.3, 2, 1.2, 1e-5)],
    ),
    ("y*log(p) + (1 - y)*log(1 - p)", [(0.97, 0.97000001), (1e-9, 1e-9), (0.5, 0.3)]),
    ("x^(1 - g)/(1 - g)", [(1e-300, 1e-300), (0.9999999, 1.9), (2.0, 1.000000001)]),
)


@pytest.mark.parametrize(("text", "points"), MULTIPLIED)
@pytest.mark.some(3)
def test_products_keep_the_digits_of_matrices(
    text: str, points: list[tuple[float, ...]]
) -> None:
    """Along an axis no term of a product hides another: it is a column of a matrix."""
    compiled = gradc.compile(text, emit="gradient,hessian,hvp,jvp")
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    for point, k in product(points, range(len(compiled.inputs))):
        axis = [float(i == k) for i in range(len(compiled.inputs))]
        _, slopes, matrix = compiled.value_grad_and_hessian(*point)
        column = [row[k] for row in matrix]
        for run in (compiled.hvp, module["hvp"]):
            found = run(*point, axis)
            assert found == pytest.approx(column, rel=1e-11, abs=1e-320), (point, k)
        for run in (compiled.jvp, module["jvp"]):
            found = run(*point, axis)
            assert found == pytest.approx(slopes[k], rel=1e-12, abs=1e-320), (point, k)


def test_a_vector_stays_where_limits_are_taken() -> None:
    """Next to a point the inputs are moved, and not what derivatives are multiplied by."""
    compiled = gradc.compile("p*log(p/q) + (1 - p)*log((1 - p)/(1 - q))", emit="hvp")
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    for run in (compiled.hvp, module["hvp"]):
        found = run(1.0, 1.03125, (0.0, 1.0))
        assert found == pytest.approx((32 - 1 / 1.03125, 1 / 1.03125**2), rel=1e-14)
