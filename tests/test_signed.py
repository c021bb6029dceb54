"""Signs beside sizes: whatever becomes of them, away from kinks nothing changes."""

import math
from random import Random
from typing import Any

import pytest

from gradc import compile

ATOMS = "x y x*y -x 2*x x/3 -0.5*y x/y x^2 x^3 -2*x*y (x-y) (2*x-1) -(x-y)/2 x*(x-y)".split()
SIZES = (
    "abs({a})",
    "abs({a}*{b})",
    "abs({a}/{b})",
    "hypot({a}, {a}*{b})",
    "max({a}*{b}, {a}*2)",
    "min(abs({a}), {a}^2)",
    "max(abs({a}), {a}^2)",
    "sqrt(({a})^2)",
    "max({a}, -({a}))",
)
SIGNS = (
    "sign({a})",
    "copysign(1, {a})",
    "copysign({b}, {a})",
    "where({a} > 0, 1, -1)",
    "where({a} < 0, -2, 2)",
)
BEHIND = ("", "", "+ y", "- x*abs(x*y)", "/hypot(x, 3*x*y)", "/(1 + abs(x))")
POINTS = ((0.7, 1.3), (-2.1, 0.4), (1.7, -0.6), (-0.3, -1.9))


def formula(random: Random) -> str:
    def one(shapes: tuple[str, ...]) -> str:
        return random.choice(shapes).format(
            a=random.choice(ATOMS), b=random.choice(ATOMS)
        )

    factors = [one(SIGNS), one(SIZES), random.choice([one(SIGNS), one(SIZES), "x"])]
    random.shuffle(factors)
    return f"input x, y\n{'*'.join(factors)} {random.choice(BEHIND)}"


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 20), pytest.param(2, 80, marks=pytest.mark.long)]
)
def test_signs_and_sizes_are_what_they_were(seed: int, count: int) -> None:
    random = Random(seed)
    for _ in range(count):
        text = formula(random)
        plain, strict = compile(text), compile(text, strict=True)
        for point in POINTS:
            value, slopes = plain.value_and_grad(*point)
            want, true = strict.value_and_grad(*point)
            assert value == pytest.approx(want, rel=1e-12), (text, point)
            assert slopes == pytest.approx(true, rel=1e-9, abs=1e-12), (text, point)


@pytest.mark.parametrize(
    "text", ["sign(x)*sqrt(abs(x))", "cbrt(abs(x))*sign(x)", "sign(x)*abs(x)^0.7"]
)
def test_a_signed_root_is_steep_at_0(text: str) -> None:
    """From both sides, though abs and sign have slope 0 there."""
    f = compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for x in (0.0, -0.0):
        assert f.value_and_grad(x) == module["value_and_grad"](x) == (0.0, (math.inf,))
    for x in (3.0, 1e-200):
        value, slopes = f.value_and_grad(x)
        assert f.value_and_grad(-x) == (-value, slopes)
