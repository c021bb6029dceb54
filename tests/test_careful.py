"""Points where Python raises, and where floats end."""

from __future__ import annotations

import math

import pytest

import gradc

INF = math.inf

# Finite, although something on the way is not, or is too large for a float.
FINITE = [
    ("x*log(x)", (0.0,), 0.0, (-INF,)),
    ("sqrt(x)", (0.0,), 0.0, (INF,)),
    ("x*y*z", (1e200, 1e200, 1e-300), 1e100, (1e-100, 1e-100, INF)),
    ("1/(1 + exp(x)^2)", (800.0,), 0.0, (0.0,)),
    ("x*exp(-exp(x))", (1000.0,), 0.0, (0.0,)),
    ("sqrt(x^4 + 1)", (1e150,), 1e300, (2e150,)),
    ("x^3/(x^2 + 1)", (1e200,), 1e200, (1.0,)),
    ("cosh(x)/exp(x)", (900.0,), 0.5, (0.0,)),
    ("sqrt(max(x^2 - 1, 0))", (1e200,), 1e200, (1.0,)),
    (
        "log(1 + (x/y)^2)*y/2",
        (1e200, 1.0),
        200 * math.log(10),
        (1e-200, 200 * math.log(10) - 1),
    ),
    ("hypot(x^2, 1)/x^2", (1e200,), 1.0, (0.0,)),
    ("asinh(x^2)", (1e200,), 400 * math.log(10) + math.log(2), (2e-200,)),
    ("softplus(x^2)/x^2", (1e200,), 1.0, (0.0,)),
    ("logaddexp(x^2, x)/x^2", (1e200,), 1.0, (0.0,)),
    ("sqrt(x^2 + 1) - x", (1e200,), 5e-201, (0.0,)),
    ("polygamma(1, x)*y", (1e-200, 1e-300), 1e100, (-2e300, math.inf)),
    ("polygamma(2, x)*y", (-1e-150, 1e-300), 2e150, (6e300, math.inf)),
    (
        "exp(x)*erfc(y)",
        (900.0, 30.0),
        0.018795888861416751,
        (0.018795888861416751, -2 / math.sqrt(math.pi)),
    ),
    (
        "exp(x)*normcdf(-y)",
        (2000.0, 63.0),
        34121.226454137911656,
        (34121.226454137911656, -2150178.6008044719719),
    ),
    (
        "exp(x)*normpdf(y)",
        (2000.0, 63.0),
        2150178.6008044719719,
        (2150178.6008044719719, -135461251.85068173423),
    ),
    ("digamma(x)*y", (1e-310, 1e-10), -1e300, (math.inf, -math.inf)),
]
UNDEFINED = [
    ("1/x", (0.0,), "1/x", (1, 1), "infinite"),
    ("y = 2\nx + log(x - y)", (1.0,), "log(x - y)", (2, 5), "not a real number"),
    ("exp(x)", (1e4,), "exp(x)", (1, 1), "infinite"),
    ("1 + x*x", (1e200,), "x*x", (1, 5), "infinite"),
    ("sqrt(x)", (-1.0,), "sqrt(x)", (1, 1), "not a real number"),
    ("(x - 8)^(1/3)", (0.0,), "(x - 8)^(1/3)", (1, 1), "not a real number"),
    ("x^-1", (0.0,), "x^-1", (1, 1), "infinite"),
    ("log(x)", (0.0,), "log(x)", (1, 1), "infinite"),
]


@pytest.mark.parametrize(("text", "point", "value", "gradient"), FINITE)
def test_nothing_on_the_way_spoils_what_is_finite(
    text: str, point: tuple[float, ...], value: float, gradient: tuple[float, ...]
) -> None:
    f = gradc.compile(text)
    assert f(*point) == pytest.approx(value, rel=1e-14)
    assert f.grad(*point) == pytest.approx(gradient, rel=1e-14)


@pytest.mark.parametrize(("text", "point", "part", "place", "what"), UNDEFINED)
def test_one_exception_that_names_the_part(
    text: str, point: tuple[float, ...], part: str, place: tuple[int, int], what: str
) -> None:
    f = gradc.compile(text)
    for run in (f, f.value_and_grad):
        with pytest.raises(gradc.DomainError) as caught:
            run(*point)
        assert isinstance(caught.value, gradc.GradcError)
        assert caught.value.message.startswith(f"{part} is {what} at ")
        assert f"x = {point[0]!r}" in caught.value.message
        assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(("text", "point", "part", "place", "what"), UNDEFINED)
def test_ieee_returns_what_c_does(
    text: str, point: tuple[float, ...], part: str, place: tuple[int, int], what: str
) -> None:
    value = gradc.compile(text, ieee=True)(*point)
    assert math.isinf(value) if what == "infinite" else math.isnan(value)


def test_an_infinity_from_a_pole_hides_no_derivative() -> None:
    f = gradc.compile("atan(1/x)")
    assert f(0.0) == math.pi / 2
    with pytest.raises(gradc.DomainError, match="the derivative of 1/x is not"):
        f.value_and_grad(0.0)
