"""Roots of quadratics whose coefficients are sums: no digits are lost where these meet."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

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
