"""The pass `resolve`: right at a removable singularity, near it and far from it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import mpmath as mp
import pytest

import gradc
from gradc.analysis.coefficients import Coefficients, NoExpansion
from gradc.analysis.powers import power_product
from gradc.analysis.separate import separate
from gradc.analysis.series import Expansion
from gradc.checking.witness import Witness
from gradc.arithmetic import arithmetic
from gradc.run import evaluate
from gradc.fields import replace
from gradc.ir import Builder, Input, Program, arguments
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.ops import OPS
from gradc.passes.derive import derive
from gradc.passes.resolve import resolve
from gradc.passes.stabilise import stabilise
from gradc.errors import Source

DIGITS = 250
STEP = mp.mpf(10) ** -30
TINY = 1e-40  # what the differences leave of a zero
APART = (0.0, 1e-9, -1e-6, 1e-4, 1e-3, -0.01, 0.03, 0.06, -0.1, 0.2, 0.4, -0.7)

# Formulas of one variable, with the point where they are 0/0.
FORMULAS = {
    "sin(x)/x": 0,
    "(x^2 - 9)/(x^3 + 27)": -3,
    "sin(x + 2)/(x^5 + 32)": -2,
    "log(sin(x)/x)/x^2": 0,
    "log(expm1(x)/x)/x": 0,
    "(1 - cos(x))/x^2": 0,
    "(exp(x) - 1)/x": 0,
    "log(1 + x)/x": 0,
    "tan(x)/x": 0,
    "tanh(x)/x": 0,
    "erf(x)/x": 0,
    "atan(x)/x": 0,
    "1/tanh(x) - 1/x": 0,
    "1/sin(x)^2 - 1/x^2": 0,
    "1/(exp(x) - 1) - 1/x": 0,
    "x/(exp(x) - 1)": 0,
    "x*cos(x)/sin(x)": 0,
    "sin(x)*(1/x)": 0,
    "(x^2 - 1)/(x - 1)": 1,
    "(x^2 - 4)/(x^2 - 3*x + 2)": 2,
    "(1.5^(3*x) - 1)/x": 0,
    "((1 + x)^7.5 - 1)/x": 0,
    "(1 + x)^(1/x)": 0,
    "x/x": 0,
    "1/(1/x)": 0,
    "(x - sin(x))/x^3": 0,
    "3*(sin(x) - x*cos(x))/x^3": 0,
    "log(x)/(x - 1)": 1,
    "(sqrt(x) - 2)/(x - 4)": 4,
    "(exp(x) - e)/(x - 1)": 1,
    "sin(3*x)/sin(x)": 0,
    "x^3/(exp(2*x) - 1)": 0,
    "(exp(2*x) - exp(3*x))/x": 0,
    "(sin(x) - sin(0.7))/(x - 0.7)": 0.7,
    "(cos(x) - cos(0.7))/(x - 0.7)": 0.7,
    "sin(pi*x)/(1 - x)": 1,
    "(1 - (1 + x)^(-30))/x": 0,
    "(2^(2*x) - 1)/(2*x)": 0,
    "1/log(1 + x) - 1/x": 0,
    "(x*log(x) - x + 1)/(x - 1)^2": 1,
    "x^2*exp(x)/(exp(x) - 1)^2": 0,
    "(2*(1 - cos(x)) - x*sin(x))/x^4": 0,
    "(erf(x) - 2*x/sqrt(pi)*exp(-x*x))/x^3": 0,
    "3/x^2*(1 - x/tanh(x))": 0,
    "(log(1 + exp(x)) - log(2))/x": 0,
    "cos(pi*x)/(1 - 4*x^2)": 0.5,
    "sin(pi*x)/(x*(1 - x))": 1,
    "(1 - 0.25^x - 0.75^x)/(x - 1)": 1,
}
# Quotients that tend to 1 at 0, and functions of them that are 0/0 there.
QUOTIENTS = tuple(
    f"({f})/x"
    for f in "sin(x) tan(x) expm1(x) log1p(x) tanh(x) atan(x) asinh(x) exp(x)-1".split()
)
COMPOSED = (
    "log({})/x",
    "(log({}) - {} + 1)/x^2",
    "(sqrt({}) - 1)/x",
    "(1/({}) - 1)/x",
    "({})^(1/x)",
    "(exp({} - 1) - 1)/x",
    "tan(log({}))/sin(x)",
    "({} - 1)/log({})",
)
# Sums that vanish there faster than their terms, with the point.
CANCELLING = {
    "log(sin(x)/x)": 0,
    "1 - x/tanh(x)": 0,
    "sinh(x) - x": 0,
    "exp(x) - 1 - x": 0,
    "x - sin(x)": 0,
    "x - log(1 + x)": 0,
    "x - 1 - log(x)": 1,
    "tan(x) - x": 0,
    "cosh(x) - 1 - x^2/2": 0,
    "x^2 - sin(x)^2": 0,
    "log(cosh(x)) - x^2/2": 0,
    "sqrt(1 + x) - 1 - x/2": 0,
    "1/(1 + x) - 1 + x": 0,
    "(1 + x)^2 - 2*x - 1": 0,
}
# The same with roots that begin at the point, and the side on which they are defined.
BEGINNING = {
    "(1 - cos(sqrt(x)))/x": (0, 1),
    "(sqrt(x) - sin(sqrt(x)))/sqrt(x)^3": (0, 1),
    "(sqrt(x) - sin(sqrt(x)))/x^1.5": (0, 1),
    "(sinh(sqrt(-x)) - sqrt(-x))/(-x)^1.5": (0, -1),
    "(1/cos(sqrt(x)/2) - 1)/x": (0, 1),
    "sqrt(3)*tanh(2*sqrt(x))/sqrt(x)": (0, 1),
    "acos(x)/sqrt(1 - x)": (1, -1),
    "2*acos(x)/sqrt(1 - x*x)": (1, -1),
    "sqrt(1 - x^2)/acos(x)": (1, -1),
    "acosh(x)/sqrt(x^2 - 1)": (1, 1),
    "acos(1/x)/sqrt(x^2 - 1)": (1, 1),
    "sqrt(x)*tan(sqrt(x))/x": (0, 1),
    "(pi - 2*asin(x))/sqrt(1 - x)": (1, -1),
}
# Products of x^(n/2) and what does not vanish at 0, with n.
ODD_HALVES = {
    "sqrt(x*y)*log(1 + x)/x": 1,
    "sqrt(x)*sin(x)/x": 1,
    "sqrt(x)*y*(1 - cos(x))/x": 3,
    "sqrt(x)*(exp(x) - 1)/x^2*x": 1,
    "sqrt(x*y)*sin(x)*sin(y)/(x*y)": 1,
    "x/sqrt(x)": 1,
    "x*y/sqrt(x*y^3)": 1,
    "x*y*(1/sqrt(x*y))": 1,
    "sin(x)/sqrt(x)": 1,
    "(1 - cos(x))/x^1.5": 1,
    "x^2/(sqrt(x)*sin(x))*y": 1,
    "(exp(x) - 1)*x/sqrt(x*y)": 3,
}
LEFT_ALONE = (
    "x*y/z",
    "cos(x)/x",
    "exp(-x)/x - 1/y",
    "1/(1/x + 1/y)",
    "(x + y)/(1 + x*y)",
    "x/(x^2 + y^2)",
    "1/sqrt(1 - x^2)",
    "x/y^2 - y/x^2",
    "x - cos(x)",
    "x*exp(y) - y*exp(x)",
    "sin(x) - sin(y)",
    "x^2 - 2*x + 1",
)


@cache
def compiled(text: str, *inputs: str) -> gradc.Compiled:
    """A formula, compiled once for all its points."""
    return gradc.compile(text, inputs=inputs or None)


def read(text: str) -> Program:
    return lower(parse(Source.read(text, "<test>")), OPS)


def reference(text: str) -> Callable[[Any], Any]:
    """The formula in many digits."""
    exact = re.sub(r"(?<![\w.])(\d+(\.\d+)?)", r"mpf(float('\1'))", text)
    return eval(f"lambda x: {exact.replace('^', '**')}", vars(mp).copy())


def slopes(text: str, x: float) -> list[Any]:
    """The value and two derivatives, by differences in many digits."""
    with mp.workdps(DIGITS):
        g = reference(text)
        right, left = g(x + STEP), g(x - STEP)
        further = g(x + 2 * STEP), g(x - 2 * STEP)
        value = (4 * (right + left) - sum(further)) / 6
        second = (sum(further) - right - left) / (3 * STEP**2)
        return [value, (right - left) / (2 * STEP), second]


def derived(text: str) -> Program:
    """The program of the first derivative and the second."""
    program = derive(resolve(stabilise(read(text))), ["x"])
    return derive(replace(program, outputs=program.outputs[1:]), ["x"])


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.some(4)
def test_value_and_gradient(text: str) -> None:
    f = compiled(text)
    for h in APART:
        x = FORMULAS[text] + h
        value, (slope,) = f.value_and_grad(x)
        exact = slopes(text, x)
        assert abs(value - exact[0]) <= 1e-13 * max(abs(exact[0]), abs(h), TINY), x
        assert abs(slope - exact[1]) <= 1e-10 * max(abs(exact[1]), abs(h), TINY), x


@pytest.mark.long
@pytest.mark.parametrize("around", COMPOSED)
@pytest.mark.parametrize("quotient", QUOTIENTS)
def test_functions_of_quotients(around: str, quotient: str) -> None:
    text = around.replace("{}", quotient)
    f = compiled(text)
    for h in APART:
        exact = slopes(text, h)
        if abs(mp.im(exact[0])) > TINY or abs(exact[0]) > 1e20:
            continue  # a root of what is negative, or a pole
        value, (slope,) = f.value_and_grad(h)
        assert abs(value - exact[0]) <= 1e-13 * max(abs(exact[0]), abs(h), TINY), h
        assert abs(slope - exact[1]) <= 1e-10 * max(abs(exact[1]), abs(h), TINY), h


@pytest.mark.parametrize("text", BEGINNING)
def test_where_a_root_begins(text: str) -> None:
    f = compiled(text)
    center, side = BEGINNING[text]
    for h in (0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.4):
        x = center + side * h
        value, (slope,) = f.value_and_grad(x)
        exact = [float(mp.re(part)) for part in slopes(text, x)]
        assert value == pytest.approx(exact[0], rel=1e-13), x
        assert slope == pytest.approx(exact[1], rel=1e-10), x


@pytest.mark.parametrize("text", BEGINNING)
def test_nothing_is_defined_behind_the_beginning(text: str) -> None:
    center, side = BEGINNING[text]
    with pytest.raises(gradc.DomainError):
        gradc.compile(text)(center - side * 0.01)


@pytest.mark.parametrize("text", ODD_HALVES)
def test_a_root_is_left_of_what_vanishes(text: str) -> None:
    f = gradc.compile("input x, y\n" + text)
    slope = math.inf if ODD_HALVES[text] == 1 else 0.0
    assert f(0.0, 2.0) == 0.0
    assert f.value_and_grad(0.0, 2.0) == (0.0, (slope, 0.0))
    witness = Witness(read(text))
    for x in (1e-200, 1e-12, 1e-6, 1e-3, 0.1, 0.4, 3.0):
        point = {"x": x, "y": 2.0}
        value, gradient = f.value_and_grad(**point)
        assert value == pytest.approx(float(witness.value(point)), rel=1e-13), x
        exact = [float(witness.derivative(point, name)) for name in ("x", "y")]
        assert gradient == pytest.approx(exact, rel=1e-10), x


def test_a_root_may_hold_two_factors_that_vanish_together() -> None:
    f = gradc.compile("sin(x)/sqrt(sin(x)*x)")
    assert f.value_and_grad(0.0) == (1.0, (0.0,))


@pytest.mark.parametrize(
    ("text", "slopes"),
    [
        ("sqrt(m*g/k)*tanh(t*sqrt(g*k/m))", (1e-9 * 2**3 * 9 / 3, 2.0, -24.0, 3.0)),
        ("(1 - cos(sqrt(k)*t))*m*g/k", (6.0, 2.0, -2.0, 6.0)),
    ],
)
def test_roots_of_several_inputs(text: str, slopes: tuple[float, ...]) -> None:
    f = gradc.compile(text, inputs=["m", "g", "k", "t"])
    _, found = f.value_and_grad(1.0, 3.0, 1e-9, 2.0)
    assert found == pytest.approx(slopes, rel=1e-7)


@pytest.mark.parametrize("text", CANCELLING)
def test_sums_keep_their_digits(text: str) -> None:
    f = compiled(text)
    for h in filter(None, APART):
        x = CANCELLING[text] + h
        value, (slope,) = f.value_and_grad(x)
        exact = slopes(text, x)
        assert value == pytest.approx(float(exact[0]), rel=1e-14), x
        assert slope == pytest.approx(float(exact[1]), rel=1e-14), x


# What stands for x in a polynomial, with its slope by x; y is 1.25.
BASES: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "x": (lambda x: x, lambda x: 1.0),
    "x*y": (lambda x: 1.25 * x, lambda x: 1.25),
    "x + y": (lambda x: x + 1.25, lambda x: 1.0),
    "atan(x)": (math.atan, lambda x: 1.0 / (1.0 + x * x)),
}


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("c", [1.0, -2.0, 0.75])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_quotient_of_polynomials_may_be_one_over_a_third(
    base: str, c: float, n: int
) -> None:
    """(u - c)/(u^n - c^n) is 1/(u^(n - 1) + ... + c^(n - 1))."""
    text = f"u = {base}; (u {-c:+})/(u^{n} {-(c**n):+})"
    f = gradc.compile(text)
    assert "where" not in resolve(stabilise(lower(parse(text)))).operations
    for x in (0.3, -1.7, 4.0, c, c * (1.0 + 1e-9), c - 1e-5, 0.98 * c, c - 1.25):
        u, along = (of(x) for of in BASES[base])
        below = sum(u ** (n - 1 - k) * c**k for k in range(n))
        if abs(below) > 0.01:
            value, slopes = f.value_and_grad(*[x, 1.25][: len(f.inputs)])
            assert value == pytest.approx(1.0 / below, rel=1e-12), x
            slope = sum((n - 1 - k) * u ** (n - 2 - k) * c**k for k in range(n - 1))
            expected = -slope * along / below**2
            assert slopes[0] == pytest.approx(expected, rel=1e-11, abs=1e-13), x


@pytest.mark.parametrize("n", [3, 4, 5, 7])
@pytest.mark.parametrize("x", [0.999, 1.001, 0.99, 1.03])
def test_a_root_of_high_order_cancels_far_around(n: int, x: float) -> None:
    terms = [f"{math.comb(n, k) * (-1) ** k}*x^{n - k}" for k in range(n)]
    f = gradc.compile(" + ".join([*terms, f"{(-1)**n}"]))
    value, (slope,) = f.value_and_grad(x)
    assert value == pytest.approx((x - 1.0) ** n, rel=1e-9, abs=0.0)
    assert slope == pytest.approx(n * (x - 1.0) ** (n - 1), rel=1e-9, abs=0.0)


@pytest.mark.parametrize("text", FORMULAS)
def test_second_derivative(text: str) -> None:
    program = derived(text)
    for h in APART:
        x = FORMULAS[text] + h
        found = float(evaluate(program, {"x": x})[1])
        exact = slopes(text, x)[2]
        assert abs(found - exact) <= 1e-8 * max(abs(exact), 1.0), x


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.some(3)
def test_as_close_as_floats_come(text: str) -> None:
    f = compiled(text)
    center = float(FORMULAS[text])
    for h in (5e-324, -1e-300, 1e-200):
        close = f.value_and_grad(center + h)
        at = f.value_and_grad(center)
        assert close[0] == pytest.approx(at[0], rel=1e-15, abs=1e-150)
        assert close[1] == pytest.approx(at[1], rel=1e-15, abs=1e-150)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_fires_only_where_something_is_removable(text: str) -> None:
    program = read(text)
    assert resolve(program) is program


@pytest.mark.parametrize(
    "text",
    [
        "x = 3e9*m; where(x > 0, p*(p/(hypot(x, p) + x)), hypot(x, p) - x)",
        "x = 3e9*m; where(x < 0, p*(p/(hypot(x, p) - x)), hypot(x, p) + x)",
    ],
)
def test_a_pole_on_the_side_that_is_not_taken_needs_no_series(text: str) -> None:
    program = read(text)
    assert resolve(program) is program


@pytest.mark.parametrize(
    ("text", "value", "gradient"),
    [
        ("(exp(x) - exp(y))/(x - y)", 1.0, (0.5, 0.5)),
        ("(sin(x) - sin(y))/(x - y)", 1.0, (0.0, 0.0)),
        ("(tanh(x) - tanh(y))/(x - y)", 1.0, (0.0, 0.0)),
        ("(x^3 - y^3)/(x - y)", 0.0, (0.0, 0.0)),
        ("sin(x*y)/(x*y)", 1.0, (0.0, 0.0)),
        ("sin(x)*sin(y)/(x*y)", 1.0, (0.0, 0.0)),
        ("(1 - (1 + x)^5*(1 + y)^(-5))/(y - x)", 5.0, (10.0, -15.0)),
    ],
)
def test_two_variables(text: str, value: float, gradient: tuple[float, float]) -> None:
    found = gradc.compile(text).value_and_grad(0.0, 0.0)
    assert found[0] == pytest.approx(value, abs=1e-300)
    assert found[1] == pytest.approx(gradient, abs=1e-300)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("w*(sin(t + x*h) - sin(t))/x", 0.0),
        ("w/x*(cos(t) - cos(t + x*h))", 0.0),
        ("(exp(-x*t) - exp(-h*t))/(h - x)", 0.4),
        ("w*log((sqrt(1 - 2*h*x + x^2) + x - h)/(1 - h))/x", 0.0),
        ("z = w*(h*t)^h*x; z/log((sqrt(1 - 2*h*z + z^2) + z - h)/(1 - h))", 0.0),
    ],
)
def test_parameters_of_any_sign(text: str, at: float) -> None:
    f = compiled(f"input x, w, t, h\n{text}")
    for w, t in [(2.0, 0.7), (2.0, 1.3)]:
        value, slopes = f.value_and_grad(at, w, t, 0.4)
        close, near = f.value_and_grad(at + 1e-9, w, t, 0.4)
        assert value == pytest.approx(close, rel=1e-8)
        assert slopes == pytest.approx(near, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize(
    ("text", "product"),
    [
        ("1 - exp(-u)*(1 + u + u^2/2)", "1 - exp(-a*b)*(1 + a*b + (a*b)^2/2)"),
        ("(1 + u)*exp(-u) - 1", "(1 + b*a)*exp(-a*b) - 1"),
        ("cos(pi*u)/(1 - (2*u)^2)", "cos(pi*a*b)/(1 - (2*a*b)^2)"),
        ("(sin(3*u) - 3*u)/(2*u)^3", "(sin(3*a*b) - 3*b*a)/(2*a*b)^3"),
    ],
)
@pytest.mark.parametrize("u", [0.01, 1e-4, 0.5, 0.4999999, -0.5, 2.0])
def test_a_product_may_be_what_varies(text: str, product: str, u: float) -> None:
    value, (slope,) = compiled(text).value_and_grad(u)
    f = compiled(product, "a", "b")
    found, slopes = f.value_and_grad(u / 2, 2.0)
    assert found == pytest.approx(value, rel=1e-13)
    assert slopes == pytest.approx((2 * slope, slope * u / 2), rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "(cosh(u) - 1)/x",
        "sin(u)/sqrt(x)",
        "a/(2*sigmoid(2*u) - 1) - 1/sqrt(x)",
        "(sinh(u) - u)/x^1.5",
    ],
)
@pytest.mark.parametrize("u", ["2*(a*sqrt(x))/2", "3*((a + 1 - 1)*sqrt(x))/3"])
def test_a_factor_may_stand_above_and_below(text: str, u: str) -> None:
    """As the 2 does that two rules have written, beside a root."""
    plain = compiled(text.replace("u", "(a*sqrt(x))"), "a", "x")
    f = compiled(text.replace("u", f"({u})"), "a", "x")
    for a, x in ((2.0, 1e-4), (3.0, 1e-3), (0.5, 0.01), (1.5, 0.0), (2.0, 1.0)):
        value, slopes = plain.value_and_grad(a, x)
        found, others = f.value_and_grad(a, x)
        assert found == pytest.approx(value, rel=1e-9)
        assert others == pytest.approx(slopes, rel=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "t - c/a*asinh(a*t/c)",
        "c/a*(1 - exp(-a*t)) - c*t",
        "(t*c/a)*(t - c/a*(1 - exp(-a*t/c)))",
        "sin(a*t)/a - t + 0*c",
        "c*log(1 + a*t/c) - a*t",
        "t + (1 - cos(2*a*t))/(2*a) + 0*c",
    ],
)
@pytest.mark.parametrize("a", [1e-9, 1e-5, 0.01, 0.5, 3.0])
@pytest.mark.parametrize(("t", "c"), [(2.0, 1.5), (1000.0, 3e8), (1e-3, 1e-4)])
def test_terms_cancel_as_a_product_is_small(
    text: str, a: float, t: float, c: float
) -> None:
    program = lower(parse(Source.read(f"input t, c, a\n{text}", "<test>")), OPS)
    witness, point = Witness(program), {"t": t, "c": c, "a": a}
    value, slopes = compiled(text, "t", "c", "a").value_and_grad(t, c, a)
    assert value == pytest.approx(float(witness.value(point)), rel=1e-12)
    for name, slope in zip(point, slopes):
        true = float(witness.derivative(point, name))
        assert slope == pytest.approx(true, rel=1e-11, abs=1e-290), name


SLOPE = 0.09003057317038046 * (1.0 - 0.09003057317038046) / 2.0  # of a softmax


@pytest.mark.parametrize(
    ("text", "value", "slope"),
    [
        ("max(x)/x", 1.0, 0.0),
        ("sin(max(x, y, -3)*x)/x", 2.0, 0.0),
        ("sin(hypot(x, y)*x)/x", 2.0, 0.0),
        ("(hypot(x, y) - abs(y))/x^2", 0.25, 0.0),
        ("(sqrt(x^2 + y^2) - y)/x^2", 0.25, 0.0),
        ("(sqrt(x + y^2) - abs(y))/x", 0.25, -1 / 64),
        ("(sqrt(x^2 + exp(y)^2) - exp(y))/x", 0.0, 0.5 * math.exp(-2.0)),
        ("(logsumexp(x, y, 1) - logsumexp(0, y, 1))/x", 0.09003057317038046, SLOPE),
    ],
)
def test_rows_of_many_arguments(text: str, value: float, slope: float) -> None:
    f = gradc.compile(text, wrt=["x"], inputs=["x", "y"])
    found, slopes = f.value_and_grad(0.0, 2.0)
    assert found == pytest.approx(value, abs=1e-300, rel=1e-15)
    assert slopes == pytest.approx((slope,), abs=1e-300, rel=1e-14)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_the_logarithm_of_gamma_keeps_its_digits_at_its_roots(k: int) -> None:
    f = gradc.compile(f"lgamma({k} + x)")
    for h in (1e-9, -1e-5, 1e-3, -0.02, 0.1) if k else (1e-9, 1.0 + 1e-9):
        value, (slope,) = f.value_and_grad(h)
        with mp.workdps(DIGITS):
            exact = mp.loggamma(mp.mpf(h) + k), mp.digamma(mp.mpf(h) + k)
        assert value == pytest.approx(float(exact[0]), rel=1e-14)
        assert slope == pytest.approx(float(exact[1]), rel=1e-14)


@pytest.mark.parametrize("p", [0.25, 0.3, 0.9])
def test_a_probability_is_below_one(p: float) -> None:
    entropy = -p * math.log(p) - (1.0 - p) * math.log(1.0 - p)
    slope = math.log((1.0 - p) / p)
    for text in ("(1 - p^a - (1 - p)^a)/(a - 1)", "log(p^a + (1 - p)^a)/(1 - a)"):
        value, slopes = compiled(text, "p", "a").value_and_grad(p, 1.0)
        assert value == pytest.approx(entropy, rel=1e-14)
        assert slopes[0] == pytest.approx(slope, rel=1e-14)


def test_a_power_of_an_exponent_with_a_pole_is_no_power_of_its_mean() -> None:
    f = gradc.compile("(p^a + (1 - p)^a)^(1/(1 - a))", inputs=["p", "a"])
    entropy = 0.25 * math.log(4.0) - 0.75 * math.log(0.75)
    assert f(0.25, 1.0) == pytest.approx(math.exp(entropy), rel=1e-14)


@pytest.mark.parametrize(("r", "t"), [(1e-9, 3.0), (3.0, 1e-9), (1e-5, 0.5)])
def test_a_sum_may_cancel_at_several_points(r: float, t: float) -> None:
    f = compiled("(1 + r)^t - 1 - r*t", "r", "t")
    with mp.workdps(DIGITS):
        exact = mp.power(1 + mp.mpf(r), t) - 1 - mp.mpf(r) * t
    assert f(r, t) == pytest.approx(float(exact), rel=1e-13)


def test_far_from_the_point_a_quotient_is_as_written() -> None:
    f = gradc.compile("(1 - exp(-a*t))/a", inputs=["a", "t"])
    assert f.grad(2.0, 30.0)[1] == pytest.approx(math.exp(-60.0), rel=1e-14)
    assert f.grad(0.0, 30.0) == pytest.approx((-450.0, 1.0), rel=1e-14)


@pytest.mark.parametrize("w", [-6222000.7, -6223.3, -222.77])
@pytest.mark.parametrize("g", [0.1979, 0.022979, 1.37e-3])
@pytest.mark.parametrize(
    ("text", "slope"),
    [
        (
            "(exp(g*w) - 1)/(exp(g) - 1)",
            lambda g, w: g * math.exp(g * w) / math.expm1(g),
        ),
        ("tanh(g*w)/sinh(g)", lambda g, w: g / math.cosh(g * w) ** 2 / math.sinh(g)),
    ],
)
@pytest.mark.some(3)
def test_where_only_a_denominator_vanishes_nothing_cancels(
    text: str, slope: Callable[[float, float], float], g: float, w: float
) -> None:
    """What is all but constant has a derivative that is all but 0, and no rounding."""
    if abs(g * w) < 300.0:
        assert gradc.compile(text).grad(g, w)[1] == pytest.approx(
            slope(g, w), rel=1e-12
        )
    else:
        assert abs(gradc.compile(text).grad(g, w)[1]) < 1e-300


@pytest.mark.parametrize("text", ["sin(n*x)/(n*sin(x))", "n*sin(x)/sin(n*x)"])
def test_what_vanishes_with_one_factor_of_two(text: str) -> None:
    f = gradc.compile(text)
    for n, x in product((0.0, 1e-9, 0.01, 0.3, 3.0), (1e-9, 0.01, 0.3, 2.5)):
        with mp.workdps(DIGITS):
            above = mp.sin(n * mp.mpf(x)) if n else mp.mpf(x)
            true = above / mp.sin(x) / (n or 1)
        want = float(true if text[0] == "s" else 1 / true)
        assert f(n=n, x=x) == pytest.approx(want, rel=1e-14), (n, x)


@pytest.mark.parametrize("a", [-2.0, 0.7])
@pytest.mark.parametrize("b", [-1.3, 3.0])
@pytest.mark.parametrize(
    "text",
    [
        "sqrt(a*x/b)*tanh(sqrt(x*b/a)*3)",
        "sqrt(x*a*b)*sin(sqrt(x/(a*b)))",
        "sqrt(a*b*x)/tan(sqrt(x*b/a))*x",
        "sqrt(a^3*x*b)*asinh(sqrt(x*a/b))/a",
    ],
)
@pytest.mark.some(3)
def test_a_product_of_roots_has_the_slope_of_where_it_is_defined(
    text: str, a: float, b: float
) -> None:
    f = gradc.compile(text, inputs=["x", "a", "b"])
    h = math.copysign(1e-9, a * b)
    slope = (f(2.0 * h, a, b) - f(h, a, b)) / h
    assert f.grad(0.0, a, b)[0] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("number", ["5e-324", "1e-310", "1e-308"])
def test_a_number_without_an_inverse_is_no_center(number: str) -> None:
    f = gradc.compile(f"x/erfc(x + {number})")
    assert f(1.0) == pytest.approx(1.0 / math.erfc(1.0), rel=1e-14)


def test_a_branch_is_resolved_only_where_it_is_taken() -> None:
    f = gradc.compile("pi + where(x > 1, where(x != 0, 0/x, 0), pi)")
    assert (f(2.0), f(0.5)) == (math.pi, 2 * math.pi)
    f = gradc.compile("where(x > 0.01, exp(x)/x, 1)*x")
    assert f(0.02) == pytest.approx(math.exp(0.02), rel=1e-15)
    assert f(0.005) == 0.005


@pytest.mark.parametrize("text", ["0.1*x/b", "x*y/b", "b/x", "x*(1/b)", "sin(x)/b"])
def test_a_condition_that_holds_at_a_point_decides_there(text: str) -> None:
    f = gradc.compile(f"input x, y\nb = where(x == y, y, x)\n{text}")
    taken = gradc.compile(f"input x, y\nb = y\n{text}")
    assert f.grad(0.5, 0.5) == pytest.approx(taken.grad(0.5, 0.5), rel=1e-15)


PIECES = (
    "abs(x - 1) - 1",
    "1/2 - abs(1/2 - x)",
    "(abs(x - 0.1) - 0.1)/x",
    "(exp(abs(x - 0.05) - 0.05) - 1)/x",
    "(exp(((x - 0.05)^2)^0.5 - 0.05) - 1)/x",
    "hypot(1 - x, 0) - 1",
    "sin(x*sign(0.05 - x))/x",
    "sin(x + floor(x + 0.95))/x",
    "sin(x + round(x + 0.45))/x",
)


@pytest.mark.parametrize("text", PIECES)
def test_a_series_of_pieces_ends_at_their_kinks(text: str) -> None:
    compiled, written = gradc.compile(text), gradc.compile(text, strict=True)
    for x in (-3.0, -0.3, 0.03, 0.12, 0.7, 1.3, 4.0):
        value, (slope,) = compiled.value_and_grad(x)
        exact, (exact_slope,) = written.value_and_grad(x)
        assert value == pytest.approx(exact, rel=1e-9, abs=1e-12), x
        assert slope == pytest.approx(exact_slope, rel=1e-9, abs=1e-12), x


@pytest.mark.parametrize(
    "text", ["cosh(x)/log10(x*5e-324)", "(cos(x*1e200) - 2)/(x*1e-200)"]
)
def test_coefficients_that_no_float_holds(text: str) -> None:
    written = gradc.compile(text, strict=True)
    assert gradc.compile(text)(0.5) == pytest.approx(written(0.5), rel=1e-15)


def test_a_factor_that_vanishes_with_a_product() -> None:
    f = gradc.compile("w^3/(exp(a*w) - 1)")
    assert f.value_and_grad(0.0, 2.0) == (0.0, (0.0, 0.0))
    assert f(1e-9, 2.0) == pytest.approx(0.5e-18, rel=1e-8)


ROTATED = """
theta = sqrt(x^2 + y^2)
a = x/theta
b = y/theta
(a*p - b*q)*sin(theta) + a*(a*p + b*q)*(1 - cos(theta))
"""


def test_factors_without_the_base_are_taken_out() -> None:
    program = read(ROTATED)
    conditions = {node for node in resolve(program).nodes if node[0] == "lt"}
    assert len(conditions) == 1
    value, slopes = gradc.compile(ROTATED).value_and_grad(0.0, 0.0, 2.0, 3.0)
    assert (value, slopes) == (0.0, (2.0, -3.0, 0.0, 0.0))


@pytest.mark.parametrize(
    "text", ["(p/u - q/u)*sin(u)", "-(p*u)^3/u*sin(u)", "p*u + q", "(p + 1/u)*u - q*u"]
)
def test_separated_factors_multiply_to_the_node(text: str) -> None:
    program = lower(parse(Source.read(text, "<test>")), OPS)
    builder = Builder.upon(program)
    base = next(i for i, node in enumerate(builder.nodes) if node == ("input", "u"))
    depends = {base}
    for i, node in enumerate(builder.nodes):
        if not depends.isdisjoint(arguments(node)):
            depends.add(i)
    fixed, powers = separate(builder, program.outputs[0], base, depends.__contains__)
    whole = builder.add("mul", fixed, power_product(builder, dict(powers)))
    point = {"u": 0.7, "p": 1.3, "q": -2.1}
    assert fixed not in depends
    (before,) = evaluate(program, point)
    (after,) = evaluate(builder.follow(program, [whole]), point)
    assert after == pytest.approx(before, rel=1e-14)


# ---- series


def series_of(name: str, at: float, count: int) -> list[float]:
    """The Taylor coefficients of a row of one argument."""
    builder = Builder()
    x = builder.input("x")
    node = builder.add(name, x)
    coefficients = Coefficients(builder)
    expansion = Expansion(coefficients, x, builder.const(at))
    series = expansion.series(node, {x, node}.__contains__)
    nodes = [coefficients.node(series[k]) for k in range(count)]
    program = builder.finish((Input("x"),), nodes, Source.read("x", "<test>"))
    return [float(found) for found in evaluate(program, {"x": at})]


UNARY = [row for row in OPS if len(row.params) == 1 and not row.variadic]


@pytest.mark.parametrize("at", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("row", UNARY, ids=lambda row: row.name)
def test_series_of_rows_are_taylor_series(row: Any, at: float) -> None:
    if row.result == "condition":
        return
    try:
        found = series_of(row.name, at, 6)
    except NoExpansion:
        return  # a pole, a kink or a step
    with mp.workdps(40):
        compute = arithmetic(mp.mpf(1)).compute(row)
        exact = mp.taylor(compute, mp.mpf(at), 5)
    size = max(abs(term) for term in exact)
    for term, want in zip(found, exact):
        assert abs(term - want) <= 1e-12 * max(abs(want), 1e-3 * size)
