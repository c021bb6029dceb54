"""`exact` leaves differences that lose no digits, so that nothing runs again for them."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from gradc import compile, rational

mpmath = pytest.importorskip("mpmath")

exp, mpf = mpmath.exp, mpmath.mpf

# A formula, where its derivative is 0, and that.
MODES: list[tuple[str, float, Callable[[Any], Any]]] = [
    ("x*exp(-x)", 1.0, lambda x: (1 - x) * exp(-x)),
    ("x*exp(-2*x)", 0.5, lambda x: (1 - 2 * x) * exp(-2 * x)),
    ("3*x*exp(-x/0.75)", 0.75, lambda x: (3 - 4 * x) * exp(-x / mpf(0.75))),
    ("3*x*(1 - x/8)", 4.0, lambda x: 3 - mpf(0.75) * x),
    ("x*(5 - x)", 2.5, lambda x: 5 - 2 * x),
    ("x - log(x)", 1.0, lambda x: 1 - 1 / x),
    ("7*log(x) - x", 7.0, lambda x: 7 / x - 1),
]
BESIDE = (0.0, 1e-13, -3e-10, 1e-6, 0.3)


@pytest.mark.parametrize(("text", "mode", "slope"), MODES)
def test_a_slope_next_to_a_mode_is_exact_and_tested_by_nothing(
    text: str, mode: float, slope: Callable[[Any], Any]
) -> None:
    compiled = compile(text)
    function = compiled.source.split("def value_and_grad")[1].split("\n\n\n")[0]
    assert "1e304" not in function, function
    for gap in BESIDE:
        x = mode * (1.0 + gap)
        (found,) = compiled.grad(x)
        with mpmath.workdps(60):
            truth = slope(mpf(x))
            assert abs(found - truth) <= 1e-15 * abs(truth), (x, found, truth)


def exactly(x: float) -> Fraction:
    return x.exact if isinstance(x, rational.Rounded) else Fraction(x)


@pytest.mark.parametrize("seed", range(20))
def test_coefficients_are_what_they_are_exactly(seed: int) -> None:
    """Sums, products, quotients, powers and roots of numbers that floats round."""
    draw = Random(seed)
    known = (0.1, -7.0, 3.0, 1.0, -1.0, 0.5, 2.0**53, 1e-9, 1 / 3)
    numbers = [(x, Fraction(x)) for x in known]
    for above, below in ((1, 3), (-2, 7), (5, 11), (49, 30)):
        numbers.append(
            (rational.over(float(above), float(below)), Fraction(above, below))
        )
    for _ in range(30):
        (x, a), (y, b) = draw.sample(numbers, 2)
        for found, true in (
            (rational.plus(x, y), a + b),
            (rational.plus(x, -y), a - b),
            (rational.scaled(x, y), a * b),
            (rational.over(x, y), a / b),
            (rational.power(x, 2), a * a),
            (rational.square_root(rational.power(x, 2)), abs(a)),
            (-x, -a),
        ):
            assert found is not None and exactly(found) == true
            assert found.is_integer() == (true.denominator == 1)
            assert float(found) == float(true)
        sums = rational.plus(x, y), a + b
        if sums[1] and sums[1].denominator.bit_length() < rational.LONG // 4:
            numbers.append(sums)
    assert any(isinstance(x, rational.Rounded) for x, _ in numbers[-10:])
