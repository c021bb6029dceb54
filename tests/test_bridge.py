"""The laws of `bridge`: where both sides of a kink agree there is one derivative."""

from __future__ import annotations

import math
import re
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradc
from gradc.evaluate import evaluate
from gradc.ir import Program, verify
from gradc.language.lower import read
from gradc.passes.bridge import bridge
from tests.strategies import differentiated, law

# Functions that are 0 at 0, and their first derivatives there.
RISING = {
    "{}": 1,
    "log(1 + {})": 1,
    "sinh({})": 1,
    "1 - exp(-{})": 1,
    "2*sqrt(1 + {}) - 2": 1,
    "{}^2": 0,
    "{0}*exp({0})": 1,
}
# What has the sign of u, and what is the size of u.
SIGNS = [
    "sign({})*({})",
    "where({} < 0, -1, 1)*({})",
    "where({} >= 0, 1, -1)*({})",
    "copysign({1}, {0})",
]
SIZES = ["abs({})", "sqrt(({})^2)", "max({0}, -({0}))", "(relu({0}) + relu(-({0})))"]
# What u may be, and a point where it is 0.
INSIDE = {
    "x": (0.0, 3.0),
    "x - y": (2.0, 2.0),
    "x*y - 1": (0.5, 2.0),
    "2*x + y - 3": (1.0, 1.0),
    "y^2 - x": (4.0, 2.0),
}


def odd(sign: str, size: str, rising: str, u: str) -> str:
    """A smooth formula with kinks on the way: one side is the other turned."""
    return sign.format(u, rising.format(size.format(u)))


def slopes(u: str, x: float, y: float) -> tuple[float, float]:
    f = gradc.compile(u, inputs=["x", "y"])
    one, other = f.grad(x, y)
    return one, other


@pytest.mark.parametrize(
    "sign, size, rising, u", [*product(SIGNS, SIZES, RISING, INSIDE)][::9]
)
@pytest.mark.some(3)
def test_what_is_turned_around_a_point_is_smooth_there(
    sign: str, size: str, rising: str, u: str
) -> None:
    x, y = INSIDE[u]
    f = gradc.compile(f"{odd(sign, size, rising, u)} + x*y", inputs=["x", "y"])
    module: dict[str, Any] = {}
    exec(f.source, module)
    along = [RISING[rising] * slope for slope in slopes(u, x, y)]
    want = along[0] + y, along[1] + x
    for run in (f.value_and_grad, module["value_and_grad"]):
        assert run(x, y)[1] == pytest.approx(want, rel=1e-14, abs=1e-15)


# Smooth formulas, with the first and second derivatives at 0.
SMOOTH: dict[str, tuple[float, float]] = {
    "relu(x) - relu(-x)": (1, 0),
    "fdim(x, 0) - fdim(0, x) + x^2": (1, 2),
    "relu(x) + min(x, 0)": (1, 0),
    "relu(x) + log(1 + exp(-abs(x)))": (0.5, 0.25),
    "where(x >= 0, x, 0) + log1p(exp(-abs(x)))": (0.5, 0.25),
    "sign(x)*tanh(abs(x))": (1, 0),
    "where(not (x < 0 or x == 0), x, 0) - relu(-x)": (1, 0),
    "where(x < 0, -1, 1)*log(abs(x) + sqrt(x^2 + 1))": (1, 0),
}


@pytest.mark.parametrize("text", SMOOTH)
@pytest.mark.parametrize("x", [0.0, -0.0])
def test_derivatives_at_a_point_that_is_smooth(text: str, x: float) -> None:
    f = gradc.compile(text, emit="gradient,hessian")
    _, slope, ((curvature,),) = f.value_grad_and_hessian(x)
    assert (*slope, curvature) == pytest.approx(SMOOTH[text], abs=1e-15)
    assert f.value_and_grad(x)[1] == slope


# What is 0 where u is, with a kink there that signs undo, and its slope by u.
SIGNED = {
    "sign(u)*sign(v)*abs(u*v)": "v",
    "sign(u)*max(u, -u)*v": "v",
    "relu(u*v) - relu(-u*v)": "v",
    "sign(u)*log(1 + abs(u*v))": "abs(v)",
    "sign(u)*hypot(u, u^2)*v": "v",
    "sign(u)*sqrt(u^2 + (u*v)^2)": "sqrt(1 + v^2)",
    "sign(u)*max(abs(u), abs(u)*v^2/7)": "max(1, v^2/7)",
    "copysign(1, v)*sign(u)*abs(v*u)": "v",
    "sign(u*v)*abs(u)*abs(v)": "v",
    "where(v > 0, 1, -1)*sign(u)*abs(u/2*v)": "v/2",
    "max(u*v, -(u*v))*sign(v)*sign(u)": "v",
    "sign(u)*tanh(abs(u*v))*sign(v)": "v",
    "-min(u, -u)*sign(u)": "1 + 0*v",
}
LATER = [pytest.param(text, marks=pytest.mark.long) for text in [*SIGNED][7:]]


@pytest.mark.parametrize("text", [*[*SIGNED][:7], *LATER])
def test_a_sign_and_a_size_of_one_number_are_smooth(text: str) -> None:
    slope = gradc.compile(SIGNED[text], inputs=["v"])
    for u, x in {"x": 0.0, "(x - 2)": 2.0}.items():
        f = gradc.compile(
            re.sub(r"\bu\b", u, re.sub(r"\bv\b", "y", text)),
            inputs=["x", "y"],
            emit="gradient,hessian",
        )
        for y in (-3.0, 0.5):
            along, (across,) = slope.value_and_grad(y)
            for value, gradient, *second in (
                f.value_and_grad(x, y),
                f.value_grad_and_hessian(x, y),
            ):
                assert (value, *gradient) == pytest.approx((0.0, along, 0.0))
                assert not second or second[0][0][1] == pytest.approx(across)


# Formulas of which two kinks meet at some of their points, and derivatives there.
MEETING: dict[str, dict[tuple[float, ...], float]] = {
    "clip(x, -1, 1)^2/2 + relu(abs(x) - 1)": {(1.0,): 1, (-1.0,): -1, (0.5,): 0.5},
    "relu(abs(x) - 2)*4 + clip(x, -2, 2)^2": {(2.0,): 4, (-2.0,): -4, (3.0,): 4},
    "clip(x, -y, y)^2/2 + y*relu(abs(x) - y)": {(2.0, 2.0): 2, (-2.0, 2.0): -2},
    "clip(x, -y, y)^2/2 + y*fdim(abs(x), y)": {(2.0, 2.0): 2, (-2.0, 2.0): -2},
    "min(x, 1)^2/2 + relu(abs(x) - 1)": {(1.0,): 1, (-1.0,): -1, (2.0,): 1},
    "max(x, -1)^2/2 + relu(abs(x) - 1)": {(-1.0,): -1, (1.0,): 1, (2.0,): 3},
    "abs(x)*sign(x*(x - 3))": {(0.0,): -1, (1.0,): -1, (4.0,): 1},
    "abs(x)*sign(x*(1e-60*x - 1))": {(0.0,): -1, (1.0,): -1, (-1.0,): -1},
}


@pytest.mark.parametrize("text", MEETING)
def test_kinks_that_meet_here_and_there_are_smooth_there(text: str) -> None:
    f = gradc.compile(text)
    for at, slope in MEETING[text].items():
        assert f.grad(*at)[0] == pytest.approx(slope, rel=1e-14), at


def test_kinks_that_meet_keep_their_conventions_elsewhere() -> None:
    """At -1 nothing meets the hinge, whose derivative there is 0."""
    for text in (
        "clip(x, -5, 1)^2/2 + relu(abs(x) - 1)",
        "min(x, 1)^2/2 + relu(abs(x) - 1)",
    ):
        assert gradc.compile(text).grad(-1.0) == (-1.0,)


def test_a_kink_on_a_curve_is_found() -> None:
    u = "x^2 + y^2 - 1"
    f = gradc.compile(f"sign({u})*log(1 + abs({u}))")
    assert [f.grad(*at) for at in ((0.0, 1.0), (-1.0, 0.0))] == [(0, 2), (-2, 0)]


def test_a_curvature_may_vanish_at_some_points_of_a_kink() -> None:
    x, y = "max(x, y)", "min(x, y)"
    f = gradc.compile(f"{x}*exp(-{x}) + {y}*exp(-{y})", emit="hessian")
    _, _, ((curvature, _), _) = f.value_grad_and_hessian(1.5, 1.5)
    assert curvature == pytest.approx(-0.5 * math.exp(-1.5))


@pytest.mark.parametrize(
    "text",
    [
        "abs(x)",
        "relu(x)*y",
        "max(x, y)",
        "clip(x, 0, 1)",
        "sign(x)*(1 + abs(x))",  # which jumps
        "where(x == 0, 5, x)",
        "where(x < 0, 2*x, 3*x)",
        "where(x == 0, 0, x^2 + x)",  # of which the taken side counts
        "b = where(x == y, y, x); x/b",
        "abs(x)*sign(x*(x + 1e7*y))",  # whose sides change places
        "sign(x)*sign(y)*abs(x*y)",  # with the sign of y
        "where(y > 0, sign(x)*abs(x), abs(x))",  # a kink where y is negative
        "where(y < 0, sign(x)*abs(x), abs(x))",
        "where(y > 0, sign(x)*abs(x), abs(x)) + w*x + z*x",
        "where(z > 0, sign(x)*abs(x), abs(x)) + w*x + y*x",
        "where(w > 0, sign(x)*abs(x), abs(x)) + z*x + y*x",
        "sign(x)*abs(x)^0.5",
        "x*abs(x)",  # smooth, and 0 is right
        "input x, y in [1, 2]\nsign(x)*abs(x)",  # no kink in the domain
    ],
)
def test_other_kinks_keep_their_conventions(text: str) -> None:
    program = differentiated(read(text))
    assert bridge(program) is program


TERMS = [
    "abs({0})",
    "abs({0})*sign(({0})*(x - 3))",
    "relu({0})",
    "relu(-({0}))",
    "min({0}, 0)",
    "sign({0})*log(1 + abs({0}))",
    "sign({0})*({0})^2",
    "where({0} < 0, -1, 1)*sinh(abs({0}))",
    "y*{0}",
    "exp(-abs({0}))",
]
formulas = st.builds(
    lambda terms, counts, u: (
        " + ".join(f"{count}*({term.format(u)})" for count, term in zip(counts, terms)),
        INSIDE[u],
    ),
    st.lists(st.sampled_from(TERMS), min_size=1, max_size=4, unique=True),
    st.lists(st.sampled_from((1, -1, 2)), min_size=4, max_size=4),
    st.sampled_from([*INSIDE]),
)


def values(program: Program, x: float, y: float) -> list[float]:
    known = {"x": x, "y": y}
    point = {item.name: known[item.name] for item in program.inputs}
    return [float(z) for z in evaluate(program, point)]


@law
@given(formulas, st.integers(0, 999))
def test_bridging_keeps_all_else(
    formula: tuple[str, tuple[float, float]], seed: int
) -> None:
    """Off the kinks nothing changes, on them what both sides agree about."""
    text, (x, y) = formula
    before = differentiated(read(f"input x, y\n{text}"))
    after = verify(bridge(before))
    random = Random(seed)
    for _ in range(5):
        point = random.uniform(-3, 3), random.uniform(-3, 3)
        assert values(after, *point) == pytest.approx(values(before, *point), rel=1e-13)
    step = 2.0**-32
    old, new = values(before, x, y), values(after, x, y)
    right, left = values(before, x + step, y), values(before, x - step, y)
    assert new[0] == old[0]
    for one, other, at, was in zip(right[1:], left[1:], new[1:], old[1:]):
        smooth = math.isclose(one, other, rel_tol=1e-7, abs_tol=1e-7)
        if "(x - 3)" in text:  # whose sides change places: it may keep its convention
            smooth = smooth and math.isclose(at, one, rel_tol=1e-7, abs_tol=1e-7)
        assert at == pytest.approx(one if smooth else was, rel=1e-7, abs=1e-7), text
