"""Tails: quotients and roots of what ends below all floats, from 1 to 1e300."""

from __future__ import annotations

from typing import Any

import pytest
from mpmath import mp, mpf

import gradc

# The hazard of the standard normal distribution and Mills' ratio, which is its inverse.
HAZARDS = (
    "normpdf(x)/(1 - normcdf(x))",
    "normpdf(x)/normcdf(-x)",
    "exp(-x^2/2)/sqrt(2*pi)/(1 - normcdf(x))",
    "sqrt(2/pi)*exp(-x^2/2)/erfc(x/sqrt(2))",
    "2*normpdf(x)/erfc(x/sqrt(2))",
    "2*normpdf(x)/(1 - erf(x/sqrt(2)))",
)
MILLS = (
    "(1 - normcdf(x))/normpdf(x)",
    "normcdf(-x)/normpdf(x)",
    "sqrt(pi/2)*exp(x^2/2)*erfc(x/sqrt(2))",
)
NEAR = (-30.0, -5.0, -0.5, 0.5, 5.0, 20.0, 37.0, 38.0, 38.3, 38.5, 38.6, 40.0, 1e3, 1e5)
FAR = tuple(10.0**k for k in (12, 50, 153, 154, 155, 160, 200, 250, 300))


def hazard(x: Any) -> list[Any]:
    """The hazard with its two derivatives."""
    h = mp.exp(-x * x / 2) / mp.sqrt(mp.pi / 2) / mp.erfc(x / mp.sqrt(2))
    slope = h * (h - x)
    return [h, slope, slope * (2 * h - x) - h]


def inverse(h: Any, slope: Any, second: Any) -> list[Any]:
    """The inverse of a function with its two derivatives."""
    return [1 / h, -slope / h**2, (2 * slope**2 / h - second) / h**2]


def functions(text: str) -> list[Any]:
    """All that a module has of a formula of one input, as functions to rows."""
    module: dict[str, Any] = {}
    exec(gradc.compile(text, emit="gradient,hessian").source, module)
    return [
        lambda x: [module["value"](x)],
        lambda x: flat(module["value_and_grad"](x)),
        lambda x: flat(module["value_grad_and_hessian"](x)),
    ]


def flat(found: Any) -> list[float]:
    if not isinstance(found, tuple):
        return [found]
    return [x for inner in found for x in flat(inner)]


@pytest.mark.parametrize("text", HAZARDS + MILLS)
def test_the_ratio_of_a_density_and_its_tail_keeps_its_digits(text: str) -> None:
    found = functions(text)
    for x in NEAR:
        with mp.workdps(120):
            true = hazard(mpf(x))
            if text in MILLS:
                true = inverse(*true)
            for function in found:
                for y, z in zip(function(x), true):
                    if 1e-290 < abs(z) < 1e290:
                        assert abs(y - z) <= abs(z) * 1e-9, (x, function(x))


@pytest.mark.parametrize("text", HAZARDS)
@pytest.mark.some(4)
def test_far_out_a_hazard_is_its_argument(text: str) -> None:
    for k, function in enumerate(functions(text)):
        for x in FAR:
            try:
                row = function(x)
            except ValueError as error:
                assert "beyond what can be computed" in str(error)
                continue
            assert row == pytest.approx([x, 1.0, 0.0][: k + 1], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("text", HAZARDS)
def test_on_the_other_side_a_hazard_vanishes(text: str) -> None:
    for function in functions(text):
        for x in FAR:
            assert not any(function(-x)), x


@pytest.mark.parametrize(
    "text, value",
    [
        ("sqrt(erfc(x))", lambda x: mp.sqrt(mp.erfc(x))),
        ("erfc(x)^(1/x)", lambda x: mp.erfc(x) ** (1 / x)),
        ("normcdf(-x)^(1/5)", lambda x: mp.ncdf(-x) ** (mpf(1) / 5)),
        ("cbrt(normpdf(x))", lambda x: mp.cbrt(mp.npdf(x))),
        ("sqrt(normpdf(x)*normcdf(-x))", lambda x: mp.sqrt(mp.npdf(x) * mp.ncdf(-x))),
        ("(1 - tanh(x)^2)^(1/x)", lambda x: mp.sech(x) ** (2 / x)),
    ],
)
def test_a_root_of_a_tail_is_right_where_that_has_ended(text: str, value: Any) -> None:
    function = functions(text)[0]
    for x in (3.0, 20.0, 30.0, 39.0, 45.0):
        true = value(mpf(x))
        if true > 1e-290:
            assert function(x)[0] == pytest.approx(float(true), rel=1e-11), x
