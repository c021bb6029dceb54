"""The derivatives that are conventions, as one table, and those that are none.

| where | convention |
| --- | --- |
| a tie of `min` or `max` | the arguments that are equal share in equal parts |
| `relu(x)` at 0 | 0 |
| `abs(x)`, `sign(x)` at 0 | 0 |
| `hypot(...)` and square roots of sums of squares at 0 | 0 |
| the edge of a domain | the limit from inside, infinite if it is |
| `atan2(y, x)` and `turn` on their cut | the limit from above |
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

import gradc
from gradc.passes.even import EVEN, KINKED

INF = math.inf
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
    "sqrt(x^2 + y^2)": [((0.0, 0.0), (0.0, 0.0))],
    "sqrt(x*x + y*y + z*z)": [((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))],
    "sqrt(x)": [((0.0,), (INF,))],
    "x^0.5": [((0.0,), (INF,))],
    "x*log(x)": [((0.0,), (-INF,))],
    "asin(x)": [((1.0,), (INF,))],
    "acosh(x)": [((1.0,), (INF,))],
    "atan2(y, x)": [((0.0, -2.0), (-0.5, 0.0))],
    "turn(x, y, -2, 0)": [((1.0, 0.0), (0.0, -1.0))],
}

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
    "sqrt(x^2)^2": lambda x: 2 * x,
    "max(x, 0)^3 - 2*max(-x, 0)^2": lambda x: 3 * x * x if x > 0 else -4 * x,
    "max(x, -x) - abs(x) + x": lambda x: 1.0,
}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("text", CONVENTIONS)
def test_conventions(text: str, strict: bool) -> None:
    f = gradc.compile(text, strict=strict)
    for point, gradient in CONVENTIONS[text]:
        assert f.grad(*point) == gradient


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
    "max(x, 0) - x*y + log(1 + exp(-abs(x))) + z": "log(1 + exp(x)) - x*y + z",
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


@pytest.mark.parametrize(
    ("divisor", "asked"),
    [
        ("hypot(x, y)", False),
        ("x*hypot(x, y)", False),
        ("sqrt(2*x^2 + y*hypot(x, y))", False),
        ("1 + hypot(x, y)", True),
        ("z + hypot(x, y)", True),
        ("hypot(x, y)^x", True),
        ("exp(hypot(x, y))", True),
        ("where(z > 0, hypot(x, y), 2)", True),
    ],
)
def test_a_length_is_asked_unless_a_divisor_is_0_with_it(
    divisor: str, asked: bool
) -> None:
    source = gradc.compile(f"hypot(x, y) + z/({divisor})").source
    assert ("== 0.0" in source) == asked


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize(
    "text", ["{0}({0}(x, y), z)", "m = {0}(y, z); {0}({0}(x, m), m)"]
)
def test_ties_of_nested_extremes_share_in_equal_parts(op: str, text: str) -> None:
    f = gradc.compile("input x, y, z\n" + text.format(op))
    away = 1.0 if op == "max" else 3.0
    assert f.grad(2.0, 2.0, 2.0) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert f.grad(2.0, away, 2.0) == pytest.approx((0.5, 0.0, 0.5))


# ---- abs below what has no kink

EVENLY = [f"{op}({{}})" for op in sorted(EVEN - KINKED)]
EVENLY += ["hypot(1, {})", "({})^2", "({})^4", "({}) * ({})", "3*({})*y*({})/2"]
EVENLY += ["exp(-({})^2)", "log(cosh({}))", "sqrt(1 + ({}/y)^2)"]
INSIDE = [("abs(x)", "x"), ("2*abs(x)/y", "2*x/y"), ("-abs(y)*abs(x)", "-y*x")]
INSIDE += [("abs(x*abs(y))", "x*y")]


@pytest.mark.parametrize(
    "outer, kinked, plain",
    [(outer, *inner) for outer, inner in [*product(EVENLY, INSIDE)][::3]],
)
def test_what_is_smooth_has_its_second_derivatives(
    outer: str, kinked: str, plain: str
) -> None:
    """An even function of an absolute value is one of what is inside it."""
    texts = [outer.replace("{}", inner) for inner in (kinked, plain)]
    given = {"inputs": ["x", "y"], "emit": "gradient,hessian"}
    one, other = (gradc.compile(text, **given) for text in texts)
    for point in ((0.0, 0.5), (0.0, -2.0), (0.75, -1.5)):
        assert one(*point) == pytest.approx(other(*point), rel=1e-14)
        for row, expected in zip(one.hessian(*point), other.hessian(*point)):
            assert row == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("power, half", [("^2", ""), ("^4", "^2")])
def test_an_even_power_of_a_length_has_no_kink(power: str, half: str) -> None:
    one = gradc.compile(f"hypot(x, 2*y){power}", emit="hessian")
    other = gradc.compile(f"(x^2 + 4*y^2){half}", emit="hessian")
    for point in ((0.0, 0.0), (0.5, -1.0)):
        for row, expected in zip(one.hessian(*point), other.hessian(*point)):
            assert row == pytest.approx(expected, rel=1e-12)


# Functions of a length without a kink at 0, with their second derivatives there.
RADIAL = {
    "cos({})": -1.0,
    "cosh({})*2": 2.0,
    "(1 + {})*exp(-{})": -1.0,
    "(1 + {} + {}^2/3)*exp(-{})": -1 / 3,
    "log(1 + {}) - {}": -1.0,
    "{}*sin({})": 2.0,
    "sin({})/(1 + {}) - {}": -2.0,
    "exp(-{}^2/2)": -1.0,
    "w*({} - log1p({}))": 0.75,
}
LENGTHS = {
    "abs(x)": "x^2",
    "abs(x - 2*y)/l": "((x - 2*y)/l)^2",
    "hypot(x, y)": "x^2 + y^2",
    "sqrt(x^2 + 3*y^2)": "x^2 + 3*y^2",
    "sqrt(5)*hypot(x, y, 2*z)/l": "5*(x^2 + y^2 + 4*z^2)/l^2",
}
SIZES = (0.75, 1.5)  # of w and l


@pytest.mark.parametrize("text, length", [*product(RADIAL, LENGTHS)][::3])
@pytest.mark.some(4)
def test_second_derivatives_where_a_length_is_zero(text: str, length: str) -> None:
    """They are those of half its square, times that of the function of the length."""
    given = {"inputs": [*"xyzwl"], "wrt": [*"xyz"], "emit": "gradient,hessian,hvp"}
    radial = gradc.compile(text.replace("{}", f"({length})"), **given)
    square = gradc.compile(f"{RADIAL[text]}*({LENGTHS[length]})/2", **given)
    point = (0.0, 0.0, 0.0, *SIZES)
    _, gradient, found = radial.value_grad_and_hessian(*point)
    assert gradient == radial.grad(*point) == (0.0, 0.0, 0.0)
    for row, expected in zip(found, square.hessian(*point)):
        assert row == pytest.approx(expected, rel=1e-14)
    along = (1.0, -0.5, 0.25)
    expected = square.hvp(*point, along)
    assert radial.hvp(*point, along) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("text", ["x*abs(x)", "abs(x)*tanh(x)", "x^3/abs(x)"])
def test_a_second_derivative_that_jumps_is_in_the_middle(text: str) -> None:
    f = gradc.compile(text, emit="hessian")
    assert f.hessian(0.0) == ((0.0,),)
    assert f.hessian(1e-9)[0][0] == -f.hessian(-1e-9)[0][0] != 0.0


# What is smooth up to its edge at 1, though functions on the way are not, with its slope
# there: the first below 1, the others above.
ENDING = {
    "acos({u})^2": -2.0,
    "sqrt(1 - {u})*acos({u})": -math.sqrt(2.0),
    "1 - cos(sqrt(1 - {u}))": -0.5,
    "acos({u})/sin(acos({u}))": -1.0 / 3.0,
    "log(1 + acos({u})^2)": -2.0,
    "cos(acos({u})/2)": 0.25,
}
BEGINNING = {
    "acosh({u})^2": 2.0,
    "sqrt({u} - 1)*sin(sqrt({u} - 1))": 1.0,
    "cosh(sqrt({u} - 1))": 0.5,
    "acosh({u})/sinh(acosh({u}))": -1.0 / 3.0,
    "acosh({u})*sqrt({u} - 1)": math.sqrt(2.0),
}
ENDED = {  # how the argument is kept below 1, and the share of the slope that is left
    "min({x}, 1)": 0.5,
    "min(1, {x})": 0.5,
    "clip({x}, -1, 1)": 0.5,
    "max(-1, min(1, {x}))": 0.5,
    "where({x} > 1, 1, {x})": 1.0,
    "where({x} < 1, {x}, 1)": 0.0,
}
BEGUN = {
    "max({x}, 1)": 0.5,
    "max(1, {x})": 0.5,
    "clip({x}, 1, 9)": 0.5,
    "where({x} < 1, 1, {x})": 1.0,
    "where({x} > 1, {x}, 1)": 0.0,
}
ARGUMENTS = {  # of which 1 is exact, with their derivatives where they are 1
    "x": ((1.0,), (1.0,)),
    "(x*y)": ((2.0, 0.5), (0.5, 2.0)),
    "((x - 1)/2)": ((3.0,), (0.5,)),
}
SMOOTH_UP_TO = [
    *product(ENDING.items(), ENDED.items()),
    *product(BEGINNING.items(), BEGUN.items()),
]


@pytest.mark.parametrize("sides", ["x == 1, {}, 0", "x > 1, 0, {}", "x < 1, 0, {}"])
@pytest.mark.parametrize("text, slope", [*ENDING.items(), *BEGINNING.items()])
@pytest.mark.some(4)
def test_the_side_of_a_condition_that_is_taken_goes_on(
    text: str, slope: float, sides: str
) -> None:
    f = gradc.compile(f"where({sides.format(text.format(u='x'))})")
    assert f.value_and_grad(1.0)[1] == pytest.approx((slope,), rel=1e-12)


def assert_edge(text: str, slope: float, cut: str, share: float, x: str) -> None:
    """What ends at an edge has there the convention's share of the slope inside."""
    point, partials = ARGUMENTS[x]
    f = gradc.compile(text.format(u=cut.format(x=x)))
    module: dict[str, Any] = {}
    exec(f.source, module)
    expected = [slope * share * partial for partial in partials]
    for function in (f.value_and_grad, module["value_and_grad"]):
        assert function(*point)[1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("outer, cut", SMOOTH_UP_TO)
@pytest.mark.some(4)
def test_at_a_tie_a_slope_is_what_it_tends_to(
    outer: tuple[str, float], cut: tuple[str, float]
) -> None:
    assert_edge(*outer, *cut, "x")


@pytest.mark.long
@pytest.mark.parametrize("x", [x for x in ARGUMENTS if x != "x"])
@pytest.mark.parametrize("outer, cut", SMOOTH_UP_TO)
def test_at_a_tie_of_more_a_slope_is_what_it_tends_to(
    outer: tuple[str, float], cut: tuple[str, float], x: str
) -> None:
    assert_edge(*outer, *cut, x)
