"""The laws of `smooth`: derivatives stay what they are, at kinks and far out, too."""

from math import isfinite
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradc import compile
from gradc.costs import cost
from gradc.evaluate import evaluate
from gradc.ir import Program, verify
from gradc.language.lower import read
from gradc.passes.smooth import smooth
from tests.strategies import differentiated, law

HINGES = ["max({}, 0)", "max(0, {})", "min({}, 0)", "min(0, {})", "relu({})"]
INSIDE = ["x - y", "x*y - 1", "y - abs(x)", "x", "2*x + y - 3"]
POWERS = ["{0}^2", "{0}*{0}", "{0}^3", "{0}^2.5", "3*{0}^2/4", "{0}", "abs({0})"]
AROUND = ["{}", "{}*x", "{}/y", "y*{} + x", "({} + 1)^2", "exp(-{})", "{}*(x - y)"]
DOMAINS = ["", "input x in [-2, 2], y in [0.5, 2]\n", "input x in [1, 2], y\n"]

formulas = st.builds(
    lambda hinge, inside, power, around, domains: domains
    + around.format(f"({power.format(hinge.format(inside))})"),
    *map(st.sampled_from, (HINGES, INSIDE, POWERS, AROUND, DOMAINS)),
)


def values(program: Program, x: float, y: float) -> list[float] | None:
    point = {item.name: {"x": x, "y": y}[item.name] for item in program.inputs}
    try:
        found = [*evaluate(program, point)]
    except (ArithmeticError, ValueError):
        return None
    return found if all(map(isfinite, found)) else None


@law
@given(formulas, st.integers(0, 999))
def test_smoothing_keeps_the_derivatives(text: str, seed: int) -> None:
    before = differentiated(read(text))
    after = verify(smooth(before))
    assert cost(after.nodes) <= cost(before.nodes)
    random = Random(seed)
    special = [0.0, -0.0, 0.5, 1.0, 1.5, 2.0, -2.0, 3.0]
    for k in range(20):
        x, y = (
            random.choice(special) if random.random() < 0.5 else random.uniform(-3, 3)
            for _ in range(2)
        )
        if k > 15 and not before.inputs[0].domain:
            x *= 10.0 ** random.uniform(-300, 300)
        old = values(before, x, y)
        assert old is None or values(after, x, y) == old


@pytest.mark.parametrize("hinge", HINGES)
@pytest.mark.parametrize("power", ["{0}^2", "{0}^3", "5*{0}^2.5"])
def test_a_power_of_a_hinge_asks_once(hinge: str, power: str) -> None:
    program = smooth(differentiated(read(power.format(hinge.format("x - y")))))
    assert "where" not in program.operations


@pytest.mark.parametrize(
    "text",
    [
        "max(x, 0)",
        "max(x, 0)^0.5",
        "max(x, 0)*y",
        "relu(x)^2*y",  # of which y may be infinite
        "max(x, y)^2",
        "max(x, 1)^2",
        "input x, y in [-1, 1]\nrelu(x)^2/y",
        "where(x > 0, 2*max(y, 0), 0)",
    ],
)
def test_other_kinks_stay(text: str) -> None:
    program = differentiated(read(text))
    assert smooth(program) is program


def test_the_derivative_of_a_squared_hinge_is_exact() -> None:
    code = compile("max(x - k, 0)^2/2 + min(x, 0)^2")
    for x in (-2.0, -0.0, 0.0, 1.0, 3.0):
        least = 2.0 * min(x, 0.0)
        assert code.value_and_grad(x, 1.0)[1][0] == max(x - 1.0, 0.0) + least
