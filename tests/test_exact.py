"""`exact` leaves differences that lose no digits, so that nothing runs again for them."""

from collections.abc import Callable
from typing import Any

import pytest

from gradc import compile

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
