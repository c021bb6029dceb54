"""The laws of second derivatives: a module that has them has the gradient, too."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

import gradc
from gradc.arrays import leaves

LARGE = (-300.0, -40.0, -0.3, 25.0, 300.0)
LABELS = (0.0, 1.0, 1.0 - 1e-9, 0.4)
# Losses of a label y, by a probability or a logit.
LABELLED = (
    "log(sigmoid(x))*y + log(1 - sigmoid(x))*(1 - y)",
    "(1 - y)*softplus(x) + y*softplus(-x)",
    "y*log(1 + exp(-w*x)) + (1 - y)*log(1 + exp(w*x))",
)


@pytest.mark.parametrize("text", LABELLED)
def test_a_label_leaves_one_term_of_a_slope(text: str) -> None:
    """The first results of a Hessian's function are those of the gradient's."""
    more = [(1.5,)] if "w" in text else [()]
    inputs = "input w, x, y\n" if "w" in text else "input x, y\n"
    compiled = gradc.compile(inputs + text, emit="gradient,hessian")
    for w, x, y in product(more, LARGE, LABELS):
        known = [*leaves(compiled.value_and_grad(*w, x, y))]
        found = [*leaves(compiled.value_grad_and_hessian(*w, x, y))][: len(known)]
        assert found == pytest.approx(known, rel=1e-13, abs=1e-320), (x, y)


@pytest.mark.parametrize("name", ["atanh", "normppf", "sin"])
def test_a_sum_may_vanish_while_its_factors_are_taken_out(name: str) -> None:
    text = f"1/((({name}(x) - 1)/(x + x))/x)"
    f, x = gradc.compile(text, emit="hessian"), 0.375
    found = leaves(f.value_grad_and_hessian(x))
    certified = f.certified(x)
    known = certified.value, *certified.gradient, *leaves(certified.hessian)
    assert [*found] == pytest.approx(known, rel=1e-13)


@pytest.mark.parametrize("x", [1e200, 1e5, 710.0, -1e200])
@pytest.mark.parametrize("text", ["log1p(exp(x))", "max(x, 0) + log1p(exp(-abs(x)))"])
def test_softplus_far_out(text: str, x: float) -> None:
    slope = 1.0 if x > 0.0 else 0.0
    assert gradc.compile(text).value_and_grad(x) == (max(x, 0.0), (slope,))


MULTIPLIED: tuple[tuple[str, list[tuple[float, ...]]], ...] = (
    ("(x^5 - 1)/(x - 1)", [(1.0000001,), (-2.0,)]),
    ("1/(1/x + 1/y)", [(0.5, 2.0), (1e-2, 1.0)]),
    ("(x - y)/(x + y)", [(1.0, 1.00000001)]),
    ("k*T*log(V/W)", [(1.0, 2.0, 1.00000001, 1.0)]),
    ("P*L^3/(48*E*I)", [(1e9, 0.4, 1e11, 0.3)]),
    ("y*log(p) + (1 - y)*log(1 - p)", [(0.97, 0.97000001), (0.5, 0.3)]),
)


@pytest.mark.parametrize(("text", "points"), MULTIPLIED)
def test_products_are_those_of_the_matrices(
    text: str, points: Sequence[tuple[float, ...]]
) -> None:
    """Along an axis a product is a column of the matrix."""
    compiled = gradc.compile(text, emit="gradient,hessian,hvp,jvp")
    for point, k in product(points, range(len(compiled.inputs))):
        axis = [float(i == k) for i in range(len(compiled.inputs))]
        _, slopes, matrix = compiled.value_grad_and_hessian(*point)
        column = [row[k] for row in matrix]
        assert compiled.hvp(*point, axis) == pytest.approx(column, rel=1e-11)
        assert compiled.jvp(*point, axis) == pytest.approx(slopes[k], rel=1e-12)
