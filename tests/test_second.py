"""The laws of second derivatives: a module that has them has the gradient, too."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from tests.test_losses import check_to_second_order

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
