"""Points where Python raises, and where floats end."""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from mpmath import mp, mpf

import gradc
from gradc import careful, pipeline, unbounded
from gradc.arrays import leaves
from gradc.careful import keeps_digits, outputs
from gradc.checking.witness import Witness
from gradc.fields import replace
from gradc.language.lower import read
from gradc.ops import OPS, Op, Table
from gradc.spelling import BUILTINS, function, spelling
from gradc.targets import rescue
from gradc.unbounded import DECIMALS
from tests.test_table import Numbers, known, timed

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
    ("exp(x)*exp(y - logsumexp(x))", (900.0, 3.0), math.exp(3.0), (0.0, math.exp(3.0))),
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


# Formulas without a value at a point, and what they and their gradients tend to.
LIMITS: list[tuple[str, tuple[float, ...], float, tuple[float, ...]]] = [
    ("atan(1/x)", (0.0,), math.pi / 2, (-1.0,)),
    ("(cos(x) - cos(y))/(x^2 - y^2)", (0.0, 0.0), -0.5, (0.0, 0.0)),
    (
        "(cos(x) - cos(y))/(x^2 - y^2)",
        (3.0, -3.0),
        -math.sin(3.0) / 6.0,
        (
            (math.sin(3.0) / 3.0 - math.cos(3.0)) / 12.0,
            (math.cos(3.0) - math.sin(3.0) / 3.0) / 12.0,
        ),
    ),
    ("log(x)/(x - 1)/(1 + y)", (1.0, 1.0), 0.5, (-0.25, -0.25)),
    # A slope that grows as a small multiple of a logarithm.
    ("x/4*log(x/4) + (4 - x)/4*log((4 - x)/4)", (0.0,), 0.0, (-INF,)),
    ("x/100*log(x/100) + (100 - x)/100*log((100 - x)/100)", (100.0,), 0.0, (INF,)),
    ("s = x + y; x/s*log(x/s) + y/s*log(y/s)", (3.0, 0.0), 0.0, (0.0, -INF)),
    ("x*acosh(1/x)/5", (0.0,), 0.0, (INF,)),
    (
        "abs(a - 2)/a*(((x/c)^2/abs(a - 2) + 1)^(a/2) - 1)",
        (2.0, 1.0, 1.0),
        0.5,
        (INF, 1.0, -1.0),
    ),
    # The edge of a domain, beyond which another part is too large for decimals.
    ("exp(-x^2/(4*t))/sqrt(4*pi*t)", (1.0, 0.0), 0.0, (0.0, 0.0)),
    ("exp(-k/T)*T^n", (1.0, 0.0, 2.5), 0.0, (0.0, 0.0, 0.0)),
    ("exp(-k/T)*T^n", (853.0, 0.0, -0.5), 0.0, (0.0, 0.0, 0.0)),
    ("sqrt(c/(2*pi*x^3))*exp(-c/(2*x))", (1.0, 0.0), 0.0, (0.0, 0.0)),
    ("exp(-1/(x - m))/sqrt(x - m)", (1.0, 1.0), 0.0, (0.0, 0.0)),
    ("exp(-1/x)*sqrt(x)", (0.0,), 0.0, (0.0,)),
    (
        "exp(-(x^2 - 2*r*x*y + y^2)/(2*(1 - r^2)))/(2*pi*sqrt(1 - r^2))",
        (2.0, 1.0, -1.0),
        0.0,
        (0.0, 0.0, 0.0),
    ),
    ("(x*y - y - x + 1)/(x - 1)/(y - 1)", (1.0, 1.0), 1.0, (0.0, 0.0)),
    # 1 to an infinity, and a rounding error over 0.
    (
        "(x^r/4 + 3*y^r/4)^(1/r)",
        (16.0, 0.0, 1.0),
        2.0,
        (1 / 32, 3 / 16 * math.log(16.0) ** 2, 3 / 2),
    ),
    (
        "log(exp(r*x)/4 + 3*exp(r*y)/4)/r",
        (0.0, 2.0, 3.0),
        2.75,
        (3 / 32, 1 / 4, 3 / 4),
    ),
    (
        "log(x^r*y^(1 - r) + (1 - x)^r*(1 - y)^(1 - r))/(r - 1)",
        (0.5, 1.0, 0.25),
        math.log(4 / 3) / 2,
        (math.log(3.0), math.log(3.0) ** 2 / 8, -4 / 3),
    ),
    # What is tiny itself, and nearer to 0 than the points around are to it.
    ("(cos(x + y) - cos(x))/y", (1e-16, 0.0), -1e-16, (-1.0, -0.5)),
    ("(cos(x + y) - cos(x))/y", (-1e-22, 0.0), 1e-22, (-1.0, -0.5)),
    ("(exp(x*y) - 1)/y", (1e-18, 0.0), 1e-18, (1.0, 5e-37)),
    # A derivative in which 0/0 stands for something else than 0.
    ("cos(sqrt(x)*y)", (0.0, 3.0), 1.0, (-4.5, 0.0)),
    ("cos(3*acos(x))", (1.0,), 1.0, (9.0,)),
    ("cos(3*acos(x))", (-1.0,), -1.0, (9.0,)),
    ("cosh(4*acosh(x)*y)", (1.0, 0.5), 1.0, (4.0, 0.0)),
    ("sqrt(x^2 + y^2)", (0.0, 0.0), 0.0, (0.0, 0.0)),
    ("acos(x)^3", (1.0,), 0.0, (0.0,)),
    # A logarithm of what cancels in hundreds of digits.
    (
        "log(1 + (exp(-t*u) - 1)*(exp(-t*v) - 1)/(exp(-t) - 1))/t",
        (900.0, 0.3, 0.6),
        -0.3,
        (-1.8406624730267637e-121, -1.0, -5.501611081740512e-118),
    ),
    # What is 0 times a pole at the edge of a domain.
    (
        "S*normcdf((log(S/K) + 1/9)/2) - K*normcdf((log(S/K) - 1/9)/2)",
        (0.0, 95.0),
        0.0,
        (0.0, 0.0),
    ),
    (
        "(x^((s - 1)/s)/4 + 3*y^((s - 1)/s)/4)^(s/(s - 1))",
        (0.0, 0.5, 3.0),
        0.0,
        (4.0, 0.0, 0.0),
    ),
    # A derivative that grows as a logarithm, or its square.
    ("x*log(1 + 1/x)", (0.0,), 0.0, (math.inf,)),
    ("-r*log(1 + m/r)", (0.0, 2.0), 0.0, (-math.inf, 0.0)),
    ("x*log(1 + x^-2)", (0.0,), 0.0, (math.inf,)),
    ("x*log(3 + 1/x)^2*y", (0.0, -2.0), 0.0, (-math.inf, 0.0)),
    # Both sides of a power change.
    ("x^x", (0.0,), 1.0, (-math.inf,)),
    ("x^sin(2*x)*y", (0.0, 3.0), 3.0, (-math.inf, 1.0)),
    ("(x*y)^(x^2)", (0.0, 3.0), 1.0, (0.0, 0.0)),
    ("x^(x + y)", (0.0, 1.0), 0.0, (1.0, 0.0)),
    ("x^y", (0.0, 0.0), 1.0, (0.0, 0.0)),
    # A derivative that tends to nothing from all sides may along its own input.
    ("-(y*log(p) + (1 - y)*log(1 - p))", (1.0, 1.0), 0.0, (-math.inf, -1.0)),
    (
        "k*log(p) + (n - k)*log(1 - p)",
        (10.0, 1.0, 10.0),
        0.0,
        (math.inf, 10.0, -math.inf),
    ),
    # Slopes of terms that are infinite in opposite directions.
    ("sqrt(x - x*x)", (1.0,), 0.0, (-math.inf,)),
    ("sqrt(2*x) - sqrt(x)", (0.0,), 0.0, (math.inf,)),
    ("sqrt(2*r*h - h*h)", (1.0, 2.0), 0.0, (math.inf, -math.inf)),
    (
        "s = (a + b + c)/2; sqrt(s*(s - a)*(s - b)*(s - c))",
        (2.0, 1.0, 1.0),
        0.0,
        (-math.inf, math.inf, math.inf),
    ),
    ("K*exp(log(N/K)*exp(-r))", (5.0, 0.0, 1.0), 0.0, (0.0, math.inf, 0.0)),
    # The edge of a domain on which a root begins.
    ("acos(x)^2/(1 - x)", (1.0,), 2.0, (-1 / 3,)),
    ("sqrt((1 - x)*(1 + x))*y/acos(x)", (1.0, 3.0), 3.0, (1.0, 1.0)),
    ("acosh(y)^2/(y - 1)", (1.0,), 2.0, (-1 / 3,)),
    ("(pi/2 - asin(x))/sqrt(1 - x)", (1.0,), math.sqrt(2), (-math.sqrt(2) / 12,)),
    # A sine of three times pi.
    ("sin(3*acos(x))*y", (-1.0, 2.0), 0.0, (math.inf, 0.0)),
    # In the corner of a domain, out of which some directions lead.
    ("sqrt(x + y) - sqrt(x)", (0.0, 0.0), 0.0, (-math.inf, math.inf)),
    ("sqrt(1 + x) - sqrt(1 + y)", (-1.0, -1.0), 0.0, (math.inf, -math.inf)),
    ("k*log1p(sqrt(x + y) - sqrt(x))", (2.0, 0.0, 0.0), 0.0, (0, -math.inf, math.inf)),
    ("sqrt(-x - y) - sqrt(-x)", (0.0, 0.0), 0.0, (math.inf, -math.inf)),
    ("(x*y)^1.5/(sqrt(x) + sqrt(y))", (0.0, 0.0), 0.0, (0.0, 0.0)),
    # Slopes that shrink as the inverse of a logarithm does.
    ("(x - y)/log(x/y)", (0.0, 1.0), 0.0, (math.inf, 0.0)),
    ("(x - y)/log(x/y)", (0.3, 0.0), 0.0, (0.0, math.inf)),
    ("(x - y)/(log(x) - log(y))", (0.0, 3e5), 0.0, (math.inf, 0.0)),
    ("-1/log(x/y)", (0.0, 2.0), 0.0, (math.inf, 0.0)),
    ("x*y/(1 - log(x))", (0.0, 2.0), 0.0, (0.0, 0.0)),
    # Beside numbers that are small as well.
    ("erfc(x/(2*sqrt(y)))", (1e-9, 0.0), 0.0, (0.0, 0.0)),
    ("erfc(x/(2*sqrt(y)))", (1e-20, 0.0), 0.0, (0.0, 0.0)),
    ("exp(-x^2/(4*k*y))/sqrt(k*y)", (1e-7, 1e-9, 0.0), 0.0, (0.0, 0.0, 0.0)),
    # And of numbers that are next to each other.
    (
        "(x - k)*normcdf((x - k)/sqrt(y))",
        (1.0 + 2.0**-30, 1.0, 0.0),
        2.0**-30,
        (1.0, -1.0, 0.0),
    ),
]


@pytest.mark.parametrize(("text", "at", "value", "gradient"), LIMITS)
@pytest.mark.some(3)
def test_what_has_no_value_is_what_it_tends_to(
    text: str, at: tuple[float, ...], value: float, gradient: tuple[float, ...]
) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for found in (f.value_and_grad(*at), module["value_and_grad"](*at)):
        assert found[0] == pytest.approx(value, rel=1e-12, abs=1e-300)
        assert found[1] == pytest.approx(gradient, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("least", [1.0, -0.1, 0.02, 0.0])
def test_what_shrinks_to_a_number_is_not_taken_for_0(least: float, power: int) -> None:
    """As 1/log(x) does around 0; 0 is what it tends to if it is only that."""
    distances = (2.0e-20, 2.5e-20, 3e-40, 1e-39, 2.9e-39, 1e-38)
    xs = [least - 1.0 / (math.log(x) - 1.0) ** power for x in distances]
    found = unbounded.limit(xs, slope=True)
    assert math.isnan(found) if least else found == 0.0


@pytest.mark.parametrize(
    "text", ["x*sin(1/x)", "x^2*sin(1/x)", "x*asinh(1/x)", "x*cos(log(x))"]
)
def test_what_changes_its_sign_or_size_tends_to_nothing(text: str) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    with pytest.raises(gradc.DomainError, match="is not a real number at x = 0.0"):
        f.value_and_grad(0.0)
    with pytest.raises(ValueError, match="is not a real number at x = 0.0"):
        module["value_and_grad"](0.0)


def test_entries_of_arrays_tend_as_inputs_do() -> None:
    text = "input x[2], A[1, 2], r\n(x[0]^r - x[1]^r)*A[0, 0]/r"
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for function in (f, module["value"]):
        found = function([2.0, 3.0], [[1.5, 1.0]], 0.0)
        assert found == pytest.approx(1.5 * math.log(2 / 3), rel=1e-12)


CONSTANTS = [  # that are no floats, on the way to a result at 1.5 that is one
    ("exp(710)*exp(-710)*x", 1.5, 1.0),
    ("x/exp(700)/exp(9)", 1.5 / math.exp(700) / math.exp(9), math.exp(-709)),
    ("x + 1/exp(1000)", 1.5, 1.0),
    ("x*(1e200*1e200)/1e300", 1.5e100, 1e100),
    ("x - -1e308*10*1e-309", 2.5, 1.0),
    ("x + 1e200*1e200*1e-300", 1e100, 1.0),
    ("(1e200*1e200)*x*(1e-200*1e-200)", 1.5, 1.0),
    ("c = 1e308 + 1e308; c*x/4", 0.75e308, 0.5e308),
    ("x*log(1e200*1e200)", 600.0 * math.log(10), 400.0 * math.log(10)),
    ("x*2^2000/2^1999", 3.0, 2.0),
    ("x*gamma(172)/gamma(171)", 256.5, 171.0),
    ("hypot(1e308*10, x)/1e300", 1e9, 0.0),
    ("where(x < exp(710), x, log(-1))", 1.5, 1.0),
    ("input x in [0, 2]; x*(1e200*1e200)/1e300", 1.5e100, 1e100),
    ("input x[1]; [1e200*1e200*x[0]][0]/1e300", 1.5e100, 1e100),
]


@pytest.mark.parametrize("options", [{}, {"strict": True}, {"ieee": True}], ids=str)
@pytest.mark.parametrize(("text", "value", "slope"), CONSTANTS)
def test_constants_that_are_no_floats(
    text: str, value: float, slope: float, options: dict[str, bool]
) -> None:
    f = gradc.compile(text, **options)  # type: ignore[arg-type]
    module: dict[str, Any] = {}
    exec(f.source, module)
    at: Any = [1.5] if "x[" in text else 1.5
    for function in (f.value_and_grad, module["value_and_grad"]):
        if options.get("ieee") and function is not f.value_and_grad:
            continue  # values are not tested
        found = function(at)
        assert found[0] == pytest.approx(value, rel=1e-12)
        assert [*leaves(found[1])] == [pytest.approx(slope, rel=1e-12)]


def test_tiny_constants_keep_their_digits() -> None:
    f = gradc.compile("x*(1e-200*1e-200)*1e300")
    module: dict[str, Any] = {}
    exec(f.source, module)
    for function in (f, module["value"]):
        assert function(1.5) == pytest.approx(1.5e-100, rel=1e-12)


def test_nought_over_nought_is_not_one() -> None:
    f = gradc.compile("where(x > 0, x*(0/0), x)")
    module: dict[str, Any] = {}
    exec(f.source, module)
    for function in (f, module["value"]):
        assert function(-1.0) == -1.0
        with pytest.raises(ValueError, match="0/0 is not a real number"):
            function(1.0)


def test_poles_are_infinite_with_ieee() -> None:
    module: dict[str, Any] = {}
    exec(gradc.compile("x/0", ieee=True).source, module)
    assert module["value_and_grad"](2.0) == (math.inf, (math.inf,))


def test_what_is_undefined_is_to_blame_and_not_what_is_large() -> None:
    f = gradc.compile("where(x > 0, x*sqrt(-exp(710)), 1)")
    with pytest.raises(gradc.DomainError) as caught:
        f(1.0)
    assert caught.value.message == "sqrt(-exp(710)) is not a real number"


@pytest.mark.parametrize("options", [{}, {"ieee": True}], ids=str)
def test_coefficients_that_add_up_to_no_float(options: dict[str, bool]) -> None:
    text = "1e308*x*y + 7*x + 1e308*y*x + 1e308*x*y"
    module: dict[str, Any] = {}
    exec(gradc.compile(text, **options).source, module)  # type: ignore[arg-type]
    assert module["value"](1e-10, 1e-10) == pytest.approx(3e288, rel=1e-12)


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_at_an_edge_it_tends_from_inside(p: float) -> None:
    text = "log(p^a*q^(1 - a) + (1 - p)^a*(1 - q)^(1 - a))/(a - 1)"
    f = gradc.compile(text, inputs=["p", "q", "a"])
    module: dict[str, Any] = {}
    exec(f.source, module)
    for function in (f, module["value"]):
        assert function(p, 0.5, 1.0) == pytest.approx(math.log(2.0), rel=1e-9)


@pytest.mark.parametrize(
    "text", ["cbrt(x + y) - cbrt(x)", "x*y/(x + y)", "x*y^2/(x^2 + y^2)"]
)
def test_a_value_needs_no_derivative(text: str) -> None:
    """That the gradient depends on the direction does not spoil it."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for function in (f, module["value"]):
        assert function(0.0, 0.0) == 0.0
    for function in (f.value_and_grad, module["value_and_grad"]):
        with pytest.raises(ValueError, match="derivative|not a real number"):
            function(0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "x"), [("asin(x)", 1 + 1e-15), ("(1 - x)^1.5", 1 + 1e-13)]
)
def test_behind_an_edge_there_is_no_limit(text: str, x: float) -> None:
    with pytest.raises(gradc.DomainError):
        gradc.compile(text)(x)


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("sqrt((a^2 + b^2)/2 - ((a + b)/2)^2)", (2.0, 2.0)),
        ("m = (a + b + c)/3; sqrt((a^2 + b^2 + c^2)/3 - m^2)", (2.0, 2.0, 2.0)),
        ("m = (a + b + c)/3; sqrt(((a-m)^2 + (b-m)^2 + (c-m)^2)/3)", (0.1, 0.1, 0.1)),
        ("sqrt(a^2 - 2*a*b + b^2)", (7.0, 7.0)),
        ("sqrt(1 - 2*x + x^2)", (1.0,)),
        ("sqrt(1 - (a*c + b*d)^2/((a^2 + b^2)*(c^2 + d^2)))", (1.0, 2.0, 2.0, 4.0)),
    ],
)
def test_roots_of_hidden_squares_have_kinks(text: str, point: list[float]) -> None:
    """Their gradient is 0 there, as that of a norm at the origin is."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f.value_and_grad, module["value_and_grad"]):
        assert run(*point) == (0.0, (0.0,) * len(point))


@pytest.mark.parametrize("text", ["sin(x)/abs(x)", "x*abs(x)/x^2"])
def test_a_value_that_jumps_has_no_limit(text: str) -> None:
    compiled = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    for run in (compiled, module["value"], module["value_and_grad"]):
        with pytest.raises(ValueError, match="not a real number"):
            run(0.0)


@pytest.mark.parametrize(
    "text",
    [
        "x*y/(x^2 + y^2)",
        "x^2*y/(x^2 + y^2)",
        "sqrt(x)*sqrt(y)/(x + y)",
        "(sqrt(x) - sqrt(y))/(sqrt(x) + sqrt(y))",
    ],
)
def test_what_depends_on_the_direction_has_no_limit(text: str) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for function in (f.value_and_grad, module["value_and_grad"]):
        with pytest.raises(ValueError, match="not a real number"):
            function(0.0, 0.0)


def test_what_runs_again_is_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = []

    def watched(*args: Any) -> Any:
        prepared.append(args)
        return pipeline.prepared(*args)

    monkeypatch.setattr("gradc.compiled.prepared", watched)
    f = gradc.compile("log(x) + log(y)")
    for _ in range(3):
        with pytest.raises(gradc.DomainError):
            f(-1.0, 2.0)
    assert 1 <= len(prepared) <= 2  # once for each function
    prepared.clear()
    f = gradc.compile("atan(1/x)*y")
    assert f.value_and_grad(0.0, 2.0)[1] == (-2.0, math.pi / 2)
    assert not prepared  # what the module does is enough


# ---- digits of the second run

KNOWN = [
    row
    for row in OPS
    if (names := {*spelling(row, len(row.params)).names} - BUILTINS)
    and names <= DECIMALS.keys()
]
WAVES = {"sin", "cos", "tan", "sinc_n"}
SMALLEST = mpf(10) ** (MIN_EMIN + 1)
HUGE = mpf(10) ** 30  # an argument beyond which sines are those of floats


def carried(row: Op) -> dict[str, Any]:
    """The names in a module that calls nothing but this row."""
    used = {*spelling(row, len(row.params)).names, "functions", "decimals", "ones"}
    scope = {name: getattr(math, name) for name in rescue.MATH}
    scope |= {"_getframe": sys._getframe, "CHECKS": ()}
    exec(rescue.carried(used, "value"), scope)
    return scope


def wide(digits: int) -> Context:
    """The precision and the range of numbers without bounds."""
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def on_numbers(
    names: dict[str, Any], row: Op, args: Numbers, digits: int = 80
) -> Decimal:
    """A row in numbers without bounds, the library's or those of a module."""
    own = {"done": [], "adjoint": False, "digits": digits}
    kind = type("Number", (names["Number"],), own)
    on = function(row)
    run = names["function"](on) if row.variadic else names["lifted"](on, kind)
    with localcontext(wide(digits)):
        found: Decimal = run(*map(kind, args)).x
        return found


@pytest.mark.parametrize("row", [timed(row, id=row.name) for row in KNOWN])
@pytest.mark.some(3)
def test_functions_have_more_digits_than_floats(row: Op) -> None:
    checked = 0
    module = carried(row)
    for args, truth in known(row):
        found = on_numbers(vars(unbounded), row, args)
        assert str(on_numbers(module, row, args)) == str(found)
        of_floats = row.name in WAVES and max(map(abs, args)) > HUGE
        places, least = (15, mpf(math.ulp(0.0))) if of_floats else (36, SMALLEST)
        if (
            row.name == "sinc_n"
        ):  # whose truth at whole numbers is 0 but for its rounding
            least = max(least, mpf(10) ** -2000)
        with mp.workdps(60):
            error = abs(mpf(str(found)) - truth)
            assert error <= abs(truth) * mpf(10) ** -places + least, args
        checked += 1
    assert checked >= 10


def test_products_of_gammas_have_their_signs() -> None:
    f = gradc.compile("gamma(x)*gamma(y)/gamma(x + y)")
    shares = [k / 4 - 3.125 for k in range(26)]
    for x in shares:
        for y in shares:
            found, slopes = f.value_and_grad(x, y + 0.0625)
            with mp.workdps(30):
                point = mpf(x), mpf(y + 0.0625)
                truth = mp.beta(*point)
                slope = truth * (mp.digamma(point[0]) - mp.digamma(sum(point)))
            assert found == pytest.approx(float(truth), rel=1e-13), point
            assert slopes[0] == pytest.approx(float(slope), rel=1e-11), point


@pytest.mark.parametrize("row", [timed(row, id=row.name) for row in KNOWN])
def test_cuts_are_on_the_sides_that_floats_take(row: Op) -> None:
    """On the cut of an angle the sign of a zero decides."""
    for args in product((0.0, -0.0, 1.0, -1.0), repeat=len(row.params)):
        try:
            want = function(row)(*args)
        except (ArithmeticError, ValueError):
            continue
        found = float(on_numbers(vars(unbounded), row, args))
        assert found == pytest.approx(want), args


@pytest.mark.parametrize("row", [timed(row, id=row.name) for row in KNOWN])
@pytest.mark.some(3)
def test_functions_have_as_many_digits_as_are_asked_for(row: Op) -> None:
    for args, _ in known(row)[::10]:
        found = on_numbers(vars(unbounded), row, args, 300)
        finer = on_numbers(vars(unbounded), row, args, 400)
        if row.name not in WAVES or max(map(abs, args)) <= HUGE:
            with localcontext(wide(400)):
                assert found == finer or abs(found / finer - 1) < 1e-130, args


# Nearly all digits of the result cancel on the way.
CANCELLING = [
    ("a*(cosh(x/a) - cosh(l/(2*a)))", {"a": 1e6, "x": 1.0, "l": 3.0}),
    ("(sin(x) - x*cos(x))/x^3", {"x": 1e-5}),
    ("(acos(x) - acos(y))/(x - y)", {"x": 0.5, "y": 0.5000000001}),
    ("x*erfc(x) - exp(-x^2)/y", {"x": 9.0, "y": 1.7831}),
    ("log(erfc(x)) + x^2", {"x": 1e5}),
    ("(tan(x) - sin(x))/x^3", {"x": 1e-4}),
    ("log(cosh(x))/x^2", {"x": 1e-6}),
    ("(log1p(x) - atan(x))/x^2", {"x": 1e-6}),
    ("(asinh(x) - log(2*x))*x^2", {"x": 1e7}),
    ("lgamma(x + y) - lgamma(x) - y*log(x)", {"x": 1e10, "y": 2.0}),
    ("a*log(x) - x - lgamma(a)", {"a": 1e10, "x": 1e10 + 1.0}),
    ("log(beta(x, y)/beta(x, y + 1))*y", {"x": 1e-10, "y": 3.0}),
    # More than 60 of them do.
    ("acos(sin(x)/x)", {"x": 1e-100}),
    ("acosh(exp(x))", {"x": 1e-100}),
    ("(x + 1)^3 - x^3 - 3*x^2 - 3*x", {"x": 1e100}),
    ("((1 + 1/x)^x - e)*x", {"x": 1e100}),
    ("(sin(x + y) - sin(y) - x*cos(y))/x^2", {"x": 1e-70, "y": 1.0}),
    ("log(exp(x)/4 + 3/4*exp(y))", {"x": 1e-160, "y": 2e-160}),
    ("log((1 + exp(x) + exp(y))/3)", {"x": 1e-90, "y": 2e-90}),
    ("digamma(x + 1) - digamma(x)", {"x": 1e82}),
    ("acos(x/hypot(x, y))", {"x": 1e60, "y": 1.0}),
    ("atan((x + 1)/y) - atan((x - 1)/y)", {"x": 1e90, "y": 1e90}),
    # Constants have more digits than their floats.
    ("x + 1/3 - (y + 1/3)*(x/y)", {"x": 1.0, "y": 1.0000000001}),
    ("x^(1/3) - cbrt(y) + 2/7*(x - y)", {"x": 3.0, "y": 3.0000000001}),
    ("exp(-x/3) - exp(-1/3)*y", {"x": 1.0, "y": 1.0}),
    ("sin(x) - (x - x^3/6 + x^5/120)", {"x": 1e-3}),
    ("x^2*y/6/7 - x*(x + 1)*y/42 + z/42", {"x": 3.0, "y": 1.1, "z": 3.3000000001}),
    ("0.1*x^2 - 0.3*y + x*(y - x)", {"x": 0.3, "y": 0.3000000001}),
    # What serves floats alone, such as a series, does not.
    ("sin(x)/x - tanh(y)/y", {"x": 1e-6, "y": 2e-6}),
    ("log(1 + x)/x - exp(-y/2)", {"x": 1e-9, "y": 1.1e-9}),
    ("erf(x) - erf(y) - 2/sqrt(pi)*(x - y)*exp(-x*y)", {"x": 0.3, "y": 0.30001}),
    ("log(cosh(x)) - log(abs(sinh(x)))", {"x": -50.0}),
    # Of many periods a part is left.
    ("sin(x*y)", {"x": 1e100, "y": 1e100}),
    ("cos(x*y + 1)", {"x": 1e9, "y": 0.7}),
    ("tan(exp(x))", {"x": 100.0}),
    ("tan(exp(x))", {"x": 800.0}),
    ("sin(1/x)", {"x": 5e-324}),
    ("mod(x*y, 1)", {"x": 1e15, "y": -0.3}),
    ("fmod(exp(x), y)", {"x": 50.0, "y": 0.1}),
    ("remainder(x*x, y)", {"x": 1e20, "y": 0.1}),
    ("x*y - floor(x*y)", {"x": 3e7, "y": 0.1}),
    ("round(x*y) + trunc(x*y) + ceil(x*y)", {"x": 1e20, "y": 0.1}),
    # Functions are as good as 1.
    ("1 - 4/tanh(x)^2 + 3/tanh(x)^4", {"x": 200.0}),
    ("1 - erf(x)^3", {"x": 20.0}),
]


@pytest.mark.parametrize(("text", "at"), CANCELLING, ids=[t for t, _ in CANCELLING])
@pytest.mark.some(3)
def test_the_second_run_of_what_cancels_is_exact(
    text: str, at: dict[str, float]
) -> None:
    f = gradc.compile(text)
    point = [at[name] for name in f.inputs]
    witness = Witness(read(text))
    exact = [float(witness.derivative(at, name)) for name in f.inputs]
    exact.insert(0, float(witness.value(at)))
    program = f.functions["value_and_grad"].program
    assert keeps_digits(program)
    assert list(outputs(program, point)) == exact
    module: dict[str, Any] = {}
    exec(f.source, module)
    _, gradient = module["careful"](module["value_and_grad"], *point)
    assert [module["careful"](module["value"], *point), *gradient] == exact


# Formulas of which nothing is left at a point, or of a derivative.
NOTHING = {
    "lgamma(k + a) - lgamma(a) - lgamma(k + 1)": (0.0, 1.3),
    "gamma(n + 1)/(gamma(k + 1)*gamma(n - k + 1))": (4.0, 0.0),
    "a*x^b*y^(1 - b)": (2.0, 0.7, 0.3, 0.7),
    "m^k*exp(-m)/gamma(k + 1)": (2.0, 2.0),
    "d + (a - d)*x^b/(c^b + x^b)": (1.0, 0.5, 3.0, 1.5, 3.0),
    "log(w*exp(-(x - a)^2/2) + (1 - w)*exp(-(x - b)^2/2))": (0.3, 2.0, 0.5, 0.5),
    "p*log(p/q) + (1 - p)*log((1 - p)/(1 - q))": (0.3, 0.3),
}


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_known_by_few_digits(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left by rounding makes no number small, nor do constants of tests."""
    used = []
    begin = careful.Careful.__init__

    def begun(
        run: careful.Careful, program: Any, point: Any, digits: int, *on: Any
    ) -> None:
        used.append(digits)
        begin(run, program, point, digits, *on)

    monkeypatch.setattr(careful.Careful, "__init__", begun)
    f = gradc.compile(text)
    found = [*outputs(f.functions["value_and_grad"].program, NOTHING[text])]
    assert max(used) <= 160 and 0.0 in found
    module: dict[str, Any] = {}
    exec(f.source, module)
    run = module["run"]
    used.clear()

    def counted(what: Any, args: Any, digits: int = 80, *on: Any) -> Any:
        used.append(digits)
        return run(what, args, digits, *on)

    module["run"] = counted
    value, gradient = module["careful"](module["value_and_grad"], *NOTHING[text])
    assert [value, *gradient] == found and max(used) <= 160


def test_no_logarithm_is_taken_of_what_no_exponential_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What has no value goes on from there at no cost."""

    def taken(number: Any) -> Any:
        raise AssertionError(number.x)

    monkeypatch.setattr(unbounded.Number, "logarithm", taken)
    f = gradc.compile("(sqrt(x)*sin(x) + 1/y)/(exp(y) - 1)*log(x*x)", ieee=True)
    for point in ((-1.0, 2.0), (0.0, 1.0), (1.0, 0.0), (1e200, -700.0)):
        assert len(f.value_and_grad(*point)[1]) == 2


def test_what_is_computed_alike_is_equal() -> None:
    """Of what is not nothing the digits are asked for, however alike it looks."""
    text = "(exp(x) - exp(z))*(1 + y) + log(x/y) - log(z/y)"
    f = gradc.compile(text)
    program = f.functions["value_and_grad"].program
    for z in (math.nextafter(3.0, 2.0), math.nextafter(3.0, 4.0)):
        at = {"x": 3.0, "y": 0.1, "z": z}
        witness = Witness(read(text))
        exact = [float(witness.derivative(at, name)) for name in f.inputs]
        point = [at[name] for name in f.inputs]
        assert [*outputs(program, point)] == [float(witness.value(at)), *exact]


@pytest.mark.parametrize("tiny", ["1e-200", "1e-308", "3e-324"])
def test_products_of_constants_may_vanish(tiny: str) -> None:
    f = gradc.compile(f"{tiny}*x^2.3*y + x/y")
    assert f.value_and_grad(1.0, 2.0) == (0.5, (0.5, -0.25))


TENTH = Fraction(0.1)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("x*(1/3) + y*(2/7 - 1/3)", {1 / 3: (1, 3), 1 / 21: (1, 21), 2 / 7: (2, 7)}),
        ("x*(1/3) + 0.3333333333333333*y", {}),  # what is written is its float
        ("0.3333333333333333*y + x*(1/3)", {}),
        ("x*(1/4) + y*(3/2)", {}),  # floats have those
        ("x*(0.1*3)", {0.1 * 3: (TENTH * 3).as_integer_ratio()}),
        ("x*(0.1*10)", {}),  # passes make a 1, too
        ("x/2/3", {1 / 6: (1, 6)}),  # a pass divides once
        ("x/2/3 + 0.1*y", {}),  # whose quotients are none of small integers
        ("x^1.3*y", {1.3 - 1: (Fraction(1.3) - 1).as_integer_ratio()}),
        ("x^0.3 + 0.7*y", {}),  # what is written is its float
    ],
)
def test_rounded_constants_are_known(
    text: str, exact: dict[float, tuple[int, int]]
) -> None:
    program = gradc.compile(text).functions["value_and_grad"].program
    assert program.exact == exact


BEYOND = {
    "x/(exp(x) - 1)": lambda x: (0.0, 0.0) if x > 0.0 else (-x, -1.0),
    "x^2*exp(x)/(exp(x) - 1)^2": lambda x: (0.0, 0.0),
    "x/sinh(x)": lambda x: (0.0, 0.0),
    "(sinh(x) + sin(x))/(cosh(x) - cos(x))*x": lambda x: (abs(x), math.copysign(1, x)),
    "(3 + exp(x))/(5 + exp(x))": lambda x: (1.0 if x > 0.0 else 0.6, 0.0),
    "exp(x + 1)/(exp(x) + exp(-x))": lambda x: (math.e if x > 0.0 else 0.0, 0.0),
    "log2(1 + 2^x)": lambda x: (x, 1.0) if x > 0.0 else (0.0, 0.0),
    "2*atan(exp(x))": lambda x: (math.pi if x > 0.0 else 0.0, 0.0),
    "exp(-x^2)/erfc(abs(x))/x": lambda x: (math.sqrt(math.pi) * abs(x) / x, 0.0),
    "(x^2 + 1)^x/(1 + (x^2 + 1)^x)": lambda x: (1.0 if x > 0.0 else 0.0, 0.0),
}


@pytest.mark.parametrize("text", BEYOND)
@pytest.mark.parametrize("x", [1e19, 1e20, 1e80, -1e19, -1e20, -1e80])
@pytest.mark.some(3)
def test_where_decimals_end_a_result_is_right_or_an_error(text: str, x: float) -> None:
    value, slope = BEYOND[text](x)
    compiled = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    for run in (compiled.value_and_grad, module["value_and_grad"]):
        try:
            y, (d_x,) = run(x)
        except ValueError:
            continue
        assert y == pytest.approx(value, rel=1e-12, abs=1e-300)
        assert d_x == pytest.approx(slope, rel=1e-12, abs=1e-12)


# What is 0, or infinite on the way, as far beyond where decimals end.
KNOWN_BEYOND = {
    "exp(-x)": 0.0,
    "1/(1 + exp(x))": 0.0,
    "x/(exp(x) - 1)": 0.0,
    "1/(1 + exp(x)^2)": 0.0,
    "3 + exp(-x)*x": 3.0,
    "exp(-x)/x": 0.0,
    "atan(exp(x))": math.pi / 2,
    "tanh(exp(x))": 1.0,
    "1/cosh(x)": 0.0,
    "exp(-exp(x))": 0.0,
}


@pytest.mark.parametrize("text", KNOWN_BEYOND)
@pytest.mark.parametrize("x", [1e19, 1e30, 1e200])
def test_what_outgrows_decimals_is_as_good_as_infinite(text: str, x: float) -> None:
    compiled = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    for run in (compiled, module["value"]):
        assert run(x) == pytest.approx(KNOWN_BEYOND[text], rel=1e-15)


# What is left of it where something outweighs it.
OUTWEIGHED = {
    "x/log(1 + exp(2*x)*exp(x/3))": 3 / 7,
    "1/(1 + exp(2*x)*exp(-x)*exp(-x))": 0.5,
    "exp(2*x)^(1/x)": math.exp(2.0),
    "log(exp(-x))/x": -1.0,
    "x/log(3 + cosh(x))": 1.0,
    "exp(x)*exp(-x) + 1": 2.0,
    "sqrt(exp(2*x)/(1 + exp(2*x)))": 1.0,
    "asinh(exp(x))/x": 1.0,
    "x/acosh(exp(x)) + x/log(exp(x) + 1)": 2.0,
    "1/(1 + (exp(x) + exp(2*x))*exp(-2*x))": 0.5,
}


@pytest.mark.parametrize("text", OUTWEIGHED)
@pytest.mark.parametrize("x", [2.4e18, 1e19, 1e200])
def test_what_outgrows_decimals_is_never_wrong(text: str, x: float) -> None:
    compiled = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    careful = module.get("careful", lambda value, x: value(x))
    for run in (compiled, module["value"], lambda x: careful(module["value"], x)):
        with suppress(ValueError):
            assert run(x) == pytest.approx(OUTWEIGHED[text], rel=1e-12)


def test_an_error_says_what_is_beyond_computing() -> None:
    compiled = gradc.compile("(3 + gamma(x))/(5 + gamma(x))")
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    for run in (compiled, module["value"]):
        with pytest.raises(ValueError, match="gamma.x. is beyond what can be computed"):
            run(1e19)


def test_a_logarithm_that_is_finite_outweighs_nothing() -> None:
    program = read("log(x)/(x - 1)")
    assert outputs(program, [1.0]) == (1.0,)


def test_slopes_of_what_no_float_is_take_no_time() -> None:
    decimals = unbounded.DECIMALS
    with localcontext(wide(60)):
        huge, tiny, two = Decimal("1e999999"), Decimal("1e-999999"), Decimal(2)
        assert (
            abs(decimals["erfcx_n"](two, huge) / Decimal("1.128e-2999997") - 1) < 1e-3
        )
        assert abs(decimals["erfcx_n"](two, -tiny) - 2) < 1e-9
        assert abs(decimals["sinc_n"](two, tiny) / Decimal("-3.2899") - 1) < 1e-4


@pytest.mark.parametrize(
    "row",
    [row for row in KNOWN if not row.variadic and "n" not in row.params],
    ids=lambda row: row.name,
)
def test_rows_keep_digits_if_they_are_of_the_table(row: Op) -> None:
    program = read(row.signature)
    assert keeps_digits(program)
    changed = replace(row, doc="Another function.")
    ops = Table(tuple(changed if item is row else item for item in OPS))
    assert not keeps_digits(replace(program, ops=ops))


def test_what_is_kept_between_runs_has_their_digits() -> None:
    """pi is computed once for all digits, and a run has it in its own."""
    for digits in (250, 80, 1000, 80, 250):
        with localcontext(Context(digits)), mp.workdps(digits + 5):
            assert abs(mpf(str(unbounded.long_pi())) - mp.pi) < mpf(10) ** (5 - digits)
            assert len(unbounded.long_pi().as_tuple().digits) == digits


@pytest.mark.parametrize(
    "text, point",
    [
        ("exp(1/x)", [0.0]),
        ("input T in [0, 500]; exp(2/T)", [0.0]),
        ("x*exp(1/x)", [0.0]),
        ("x^(1/p)", [3.0, 0.0]),
        ("(abs(x)^p + abs(y)^p)^(1/p)", [3.0, 0.0, 4.0]),
        ("log(x) + 1e8", [0.0]),
        ("1e12 - log(x)", [0.0]),
        ("log(exp(a) - exp(b))", [1e8, 1e8]),
        ("log(x - y) + 1e9", [2.0, 2.0]),
        ("1/(x - y)", [1e55, 1e55]),
        ("1/(x - y)", [-1e300, -1e300]),
        ("1/(x*x - y*y)", [1e100, 1e100]),
        ("1/(a*d - b*c)", [1e30] * 4),
    ],
)
def test_what_tends_to_nothing_is_no_number(text: str, point: list[float]) -> None:
    """One side may be finite, or all far from where they would grow."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f, f.value_and_grad, module["value"], module["value_and_grad"]):
        with pytest.raises(ValueError, match="infinite|not a real number|beyond"):
            run(*point)


@pytest.mark.parametrize(
    "text, point",
    [
        ("-T*log(1 + exp(-d/T))", [0.0, 2.0]),
        ("1/M*((1 + 0.2*M^2)/1.2)^3", [1.0]),
        ("(x - 1)/(x^2 - 1)", [1.0]),
        ("x*log(x) + atan(1/y)", [0.0, 0.0]),
        ("sqrt(x + y) - sqrt(x)", [0.0, 0.0]),
        ("input p, k, n; k*log(p) + (n - k)*log(1 - p) + sin(n)", [1.0, 50.0, 50.0]),
    ],
)
def test_a_second_run_of_the_library_is_that_of_the_module(
    text: str, point: list[float]
) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    assert f(*point) == module["value"](*point)
    assert f.value_and_grad(*point) == module["value_and_grad"](*point)


@pytest.mark.parametrize("order", ["p, k, n", "k, p, n", "n, k, p"])
@pytest.mark.parametrize("n", [1.0, 10.0, 50.0, 1000.0])
def test_what_depends_on_the_direction_does_not_grow(order: str, n: float) -> None:
    """A slope of a hundred in one direction and of two hundred in another."""
    f = gradc.compile(f"input {order}; k*log(p) + (n - k)*log(1 - p) + sin(n)")
    _, gradient = f.value_and_grad(**{"p": 1.0, "k": n, "n": n})
    found = dict(zip(f.inputs, gradient))
    assert found == {"p": n, "k": math.inf, "n": -math.inf}


@pytest.mark.parametrize(
    "text", ["log(1 - 4/3*p)", "atanh(4/3*p)", "log(1 - (4/3*p)^2)", "1/acosh(4/3*p)"]
)
def test_at_a_rounded_edge_it_is_infinite(text: str) -> None:
    """What digits leave of a difference that is nothing is nothing."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f, f.value_and_grad, module["value"], module["value_and_grad"]):
        with pytest.raises(ValueError, match="infinite|not a real number"):
            run(0.75)


@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e-200, 1e-310])
def test_near_is_near_what_other_inputs_are(scale: float) -> None:
    f = gradc.compile("sqrt((x - y)*(x + y))")
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f, f.value_and_grad, module["value"], module["value_and_grad"]):
        with pytest.raises(ValueError, match="not a real number"):
            run(0.0, scale)
    f = gradc.compile("(x^2 - y^2)/(x - y)*z")
    module = {}
    exec(f.source, module)
    for run in (f, module["value"]):
        assert run(scale, scale, 0.0) == 0.0
        assert run(0.0, 0.0, scale) == 0.0


@pytest.mark.parametrize(
    "text, point, value",
    [
        ("z*(1 + (w/z)^2)", (0.0, 0.0), 0.0),
        ("x*log(x/y) - x + y", (0.0, 0.0), 0.0),
        ("log(1 - c^2/(a*b))", (0.0, 0.0, 1.0), 0.0),
    ],
)
def test_a_value_needs_no_derivative(
    text: str, point: tuple[float, ...], value: float
) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    assert f(*point) == module["value"](*point) == value


@pytest.mark.parametrize("at", [(0.0, 0.0, 1.0, 1.0), (1.0, 2.0, 0.0, -0.0)])
@pytest.mark.parametrize(
    "text", ["acos((a*c + b*d)/(hypot(a, b)*hypot(c, d)))", "turn(a, b, c, d)"]
)
def test_a_zero_vector_has_no_angle(text: str, at: tuple[float, ...]) -> None:
    f = gradc.compile(f"input a, b, c, d; {text}")
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f, f.value_and_grad, module["value"], module["value_and_grad"]):
        with pytest.raises(ValueError, match="not a real number"):
            run(*at)


@pytest.mark.parametrize("x", [1e20, 1e100, 1e160, 1e250, 1e300])
@pytest.mark.parametrize(
    "text, value",
    [
        ("x^2*(log(x + 1) + log(x - 1) - 2*log(x))", -1.0),
        ("x^2*(log(x + 1) - log(x) - 1/x)", -0.5),
        ("(x + 1)^2 - x^2 - 2*x", 1.0),
        ("x^2*(atan(x) + 1/x - atan(x + 1) - 1/(x + 1))", 0.0),
    ],
)
def test_far_out_differences_have_their_digits(
    text: str, value: float, x: float
) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f, module["value"]):
        assert run(x) == pytest.approx(value, rel=1e-14, abs=1e-15 + 9 / x)


@pytest.mark.parametrize(
    "text, right, left",
    [
        ("tanh(1/x)", 1.0, -1.0),
        ("atan(2/x)", math.pi / 2, -math.pi / 2),
        ("1/(1 + exp(1/x))", 0.0, 1.0),
        ("erf(3/x)*cosh(x)", 1.0, -1.0),
    ],
)
def test_a_jump_is_what_it_is_on_the_side_of_the_zero(
    text: str, right: float, left: float
) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for x, value in ((0.0, right), (-0.0, left)):
        assert f(x) == module["value"](x) == value
        assert f.value_and_grad(x)[0] == module["value_and_grad"](x)[0] == value


@pytest.mark.parametrize(
    "text, point, gradient",
    [
        ("sqrt(x - a)*sqrt(x - b)", (1.0, 1.0, 1.0), (1.0, 0.0, 0.0)),
        ("sqrt(a - x)*sqrt(a - y)", (1.0, 1.0, 1.0), (1.0, 0.0, 0.0)),
        ("sqrt(1 - v/a)*sqrt(1 - v/b)", (1.0, 1.0, 1.0), (-1.0, 0.0, 0.0)),
        ("sqrt(1 - x/a)*sqrt(1 - y/a)", (1.0, 1.0, 1.0), (0.0, 1.0, 0.0)),
        ("sqrt(a*x - 1)*sqrt(a*y - 1)", (1.0, 1.0, 1.0), (1.0, 0.0, 0.0)),
        ("sqrt(x - 2)*sqrt(x - y)*z", (2.0, 2.0, 3.0), (3.0, 0.0, 0.0)),
        ("y = 1 - x/a; z = 1 - b/a; sqrt(y)*sqrt(z)", (1.0, 1.0, 1.0), (0.0, 1.0, 0.0)),
    ],
)
def test_what_depends_on_the_direction_is_no_limit(
    text: str, point: Numbers, gradient: Numbers
) -> None:
    """Such derivatives are those along each input alone, in the module too."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f.value_and_grad, module["value_and_grad"]):
        assert run(*point) == (0.0, gradient)


@pytest.mark.parametrize("text", ["k*log(j/k)", "3*k*log(k/j)", "k*log2(k/j + 1)"])
def test_where_a_value_is_a_limit_its_derivatives_are_limits_too(text: str) -> None:
    """Or there are none: one by j is k over j."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    assert f(0.0, 0.0) == module["value"](0.0, 0.0) == 0.0
    for run in (f.value_and_grad, module["value_and_grad"]):
        with pytest.raises(ValueError, match="not a real number"):
            run(0.0, 0.0)


@pytest.mark.parametrize(
    "text, slope",
    [
        ("x*log(x)^2", math.inf),
        ("x*log(x)^3", -math.inf),
        ("x*log(x)*log2(x)", math.inf),
        ("x*log(x)^2 - 3*x*log(x)", math.inf),
        ("x*log1p(x - 1)^2", math.inf),
        ("x^2*log(x)^2 + x*log(x)", -math.inf),
    ],
)
def test_of_powers_of_a_logarithm_the_largest_decides(text: str, slope: float) -> None:
    """In the module, too, if it has no division."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f.value_and_grad, module["value_and_grad"]):
        assert run(0.0) == (0.0, (slope,))


@pytest.mark.parametrize("z", [3e9, 1e15, 7e60, 1e130])
@pytest.mark.parametrize(
    ("text", "point", "scale"),
    [
        ("exp(x*y)*erfc(sqrt(x*y))", "zz", 1.0),
        ("exp(k*x + k*k*t)*erfc(x/(2*sqrt(t)) + k*sqrt(t))", "z11", math.exp(-0.25)),
        ("exp(x^2)*erfc(abs(x))", "z", 1.0),
        ("sqrt(2)*exp(x*x/2)*normcdf(-x)", "z", 1.0),
        ("x*exp(-x*x/2)/normcdf(-x)/(x*x*sqrt(2))", "z", 1.0),
    ],
)
def test_a_tail_beyond_decimals_is_not_nothing(
    text: str, point: str, scale: float, z: float
) -> None:
    """Its logarithm is known, and where that has too many digits nothing is."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    at = [z if name == "z" else 1.0 for name in point]
    true = 1.0 / math.sqrt(math.pi) / z * scale
    if "/normcdf" in text:
        true = math.sqrt(math.pi)
    for function in (f, module["value"]):
        if z > 1e120:
            with pytest.raises(ValueError, match="beyond what can be computed"):
                function(*at)
        else:
            assert function(*at) == pytest.approx(true, rel=1e-9, abs=0.0)


def test_a_tail_beyond_decimals_is_nothing_in_a_sum() -> None:
    assert gradc.compile("y + erfc(x)")(2.0, 3e9) == 2.0
