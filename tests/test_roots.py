"""Roots: of quadratics whose coefficients are sums, and of what is below all floats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

import gradc
from gradc.checking.witness import Witness
from gradc.language.lower import read

# Discriminants that are squares less four products, and roots with them.
TEXTS = (
    "sqrt((a + b + k)^2 - 4*a*b)",
    "(a + b + k - sqrt((a + b + k)^2 - 4*a*b))/2",
    "s = a + b + k; v*(s - sqrt(s^2 - 4*a*b))/(2*a)",
    "sqrt((a + b)^2 - 4*(a*b - k*v))",
    "sqrt(((a + b)/2)^2 - a*b + k^2)",
    "(a + b + sqrt((a + b)^2 - 4*(a*b - k*k)))/2",
    "log((a + b + k)^2 - 4*a*b)",
)


def points(text: str) -> Iterator[dict[str, float]]:
    draw = Random(text)
    for _ in range(20):
        a = draw.uniform(0.3, 3.0)
        near = a * (1.0 + draw.choice((1, -1)) * 10 ** draw.uniform(-12.0, -1.0))
        b = draw.choice((a, near, draw.uniform(0.3, 3.0)))
        yield {"a": a, "b": b, "k": 10 ** draw.uniform(-14.0, 0.0), "v": 1.5}


@pytest.mark.parametrize("text", TEXTS)
def test_a_discriminant_keeps_its_digits(text: str) -> None:
    compiled, witness = gradc.compile(text), Witness(read(text))
    for at in points(text):
        point = {name: at[name] for name in compiled.inputs}
        found, gradient = compiled.value_and_grad(**point)
        true = witness.value(point)
        assert abs(found - true) <= abs(true) * 2.0**-49, point
        for name, slope in zip(compiled.inputs, gradient):
            true = witness.derivative(point, name)
            assert abs(slope - true) <= abs(true) * 2.0**-36, (name, point)


def test_a_root_that_is_a_difference_is_taken_as_a_quotient() -> None:
    """Although the discriminant in it is written in another way."""
    source = gradc.compile(TEXTS[1]).source.partition("def value_and_grad")[0]
    assert "/ (t4 + t2)" in source


# Sums and products that may be below all floats, as a root of them is not.
STEEP = (
    "exp(-a*x) + exp(-a*y)",
    "(exp(-a*x) + 3*exp(-a*y))/4",
    "2^(-a*x) + 2^(-a*y)",
    "exp(-a*x^2) + exp(-a*y^2)",
    "exp(-a*x)*exp(-a*y)",
    "exp(-a*x)*(y/9)^a",
    "(x/9)^a + (y/9)^a",
    "0.3*(x/9)^a + 0.7*(y/9)^a",
)
ROOTS = ("s^(1/a)", "s^(-1/a)", "exp(-s^(1/a))", "log(s)/a", "cbrt(s)", "s^(1/9)")


@pytest.mark.parametrize("steep, root", [*product(STEEP, ROOTS)][::2])
@pytest.mark.some(3)
def test_a_root_is_right_where_what_it_is_of_has_ended(steep: str, root: str) -> None:
    text = f"s = {steep}; {root}"
    compiled, witness, draw = gradc.compile(text), Witness(read(text)), Random(text)
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    for _ in range(12):
        x = draw.uniform(1.0, 4.0)
        y = x + draw.choice((0.0, 1e-3, 0.1)) * draw.uniform(-1.0, 1.0)
        at = {"a": 10.0 ** draw.uniform(1.0, 3.5), "x": x, "y": y}
        true = witness.value(at)
        if 1e-290 < abs(true) < 1e290:
            for function in (compiled, module["value"]):
                assert abs(function(**at) - true) <= abs(true) * 1e-12, at


@pytest.mark.parametrize("theta", [30.0, 500.0, 3000.0])
@pytest.mark.parametrize("u, v", [(0.9, 0.8), (0.8, 0.85), (0.5, 0.4)])
def test_a_copula_has_its_limit(u: float, v: float, theta: float) -> None:
    text = "exp(-((-log(u))^t + (-log(v))^t)^(1/t))"
    at = {"u": u, "v": v, "t": theta}
    true = Witness(read(text)).value(at)
    assert gradc.compile(text)(**at) == pytest.approx(float(true), rel=1e-12)


@pytest.mark.parametrize("text", ["(x*y)^n", "(x*y)^(-n)", "(x/y)^n", "k*(x*y)^n"])
def test_a_large_power_of_a_product_next_to_1_keeps_its_digits(text: str) -> None:
    compiled, witness, draw = gradc.compile(text), Witness(read(text)), Random(text)
    for exponent in range(3, 18):
        x, n = draw.uniform(0.3, 3.0), 10.0**exponent
        y = (x if "/" in text else 1.0 / x) * (1.0 + draw.uniform(-1.0, 1.0) / n)
        at = {"x": x, "y": y, "n": n, "k": 3.0}
        point = {name: at[name] for name in compiled.inputs}
        true = witness.value(point)
        assert abs(compiled(**point) - true) <= abs(true) * 1e-10, point


# Sums of multiples that floats round, and of which a square meets the square.
MULTIPLES = (
    "(3*a - 2*c)/7",
    "(3*a + c)*(1/7)",
    "0.1*(3*a - c)",
    "0.3*a - 0.7*c",
    "0.1*(0.3*a - 0.7*c)/3",
    "c/3 - 2*(a - c/7)/5",
)


@pytest.mark.parametrize(
    "text", ["sqrt(x^2 + b) - x", "sqrt(b + x*x) + x", "x^2 - y^2"]
)
@pytest.mark.parametrize("multiple", MULTIPLES)
def test_multiples_that_floats_round_meet_exactly(multiple: str, text: str) -> None:
    """What is left of thirds and tenths of the same sums is no rounding of them."""
    text = f"x = {multiple}; y = {multiple.replace('2*', '2.0*')} + b; {text}"
    compiled, witness, draw = gradc.compile(text), Witness(read(text)), Random(text)
    sign = -1.0 if text.endswith("+ x") else 1.0
    for exponent in range(9):
        a = sign * draw.uniform(1.0, 3.0) * 10.0**exponent
        at = {
            "a": a,
            "c": sign * draw.uniform(0.1, 1.0),
            "b": 10.0 ** -draw.uniform(0, 8),
        }
        found, gradient = compiled.value_and_grad(**at)
        true = witness.value(at)
        assert abs(found - true) <= abs(true) * 2.0**-48, at
        for name, slope in zip(compiled.inputs, gradient):
            true = witness.derivative(at, name)
            assert abs(slope - true) <= abs(true) * 2.0**-40, (name, at)
