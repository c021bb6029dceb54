"""Laws of `squares`: the function stays the same, and keeps its digits."""

from random import Random

import pytest

from gradc import compile
from gradc.checking.witness import Witness
from gradc.ir import verify
from gradc.language.lower import read
from gradc.passes.squares import squares

mpmath = pytest.importorskip("mpmath")

# formulas in x and y, and what makes the squares equal
FORMULAS = {
    "x^2 - y^2": (3.0, 3.0),
    "1 - x^2 + 0*y": (1.0, 2.0),
    "y*(9 - x*x)": (-3.0, 5.0),
    "x/sqrt(1 - x^2/y^2)": (7.0, 7.0),
    "(4*x^2 - y^2)/(3*x + y)": (1.5, -3.0),
    "where(x > 0, 3*(x^2 - y^2), y)": (0.3, 0.3),
}


@pytest.mark.parametrize("text", FORMULAS)
def test_squares_keep_the_function(text: str) -> None:
    program = read(text)
    after = verify(squares(program))
    assert after != program and squares(after) == after
    old, new, draw = Witness(program), Witness(after), Random(text)
    for _ in range(8):
        point = {"x": draw.uniform(-2, 2), "y": draw.uniform(-4, 4)}
        x, y = old.value(point), new.value(point)
        assert (x is None) == (y is None)
        if x is not None:
            assert abs(x - y) <= abs(x) * mpmath.mpf(10) ** -40


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("apart", [1e-3, 1e-7, 1e-11, 1e-15])
def test_near_squares_keep_their_digits(text: str, apart: float) -> None:
    x, y = FORMULAS[text]
    point = {"x": x * (1.0 - apart), "y": y}
    true = Witness(read(text)).value(point)
    assert abs(compile(text)(**point) - true) <= abs(true) * mpmath.mpf(2) ** -50


@pytest.mark.parametrize(
    "text", ["2 - x^2", "1 - 3*x^2", "1 - sin(x)^2", "x^2 - y^2 - 1", "x^2 + y^2"]
)
def test_what_is_rounded_stays(text: str) -> None:
    program = read(text)
    assert squares(program) is program


@pytest.mark.parametrize(
    "text", ["1 - x^2", "x*y^2 - x*x*x", "y^2 - x^2", "9*x - y*x*x"]
)
def test_squares_that_domains_keep_apart_stay(text: str) -> None:
    program = read(f"input x in [-0.8, 0.8], y in [2, 3]\n{text}")
    assert squares(program) is program


@pytest.mark.parametrize("text", ["1 - x^2", "4*x^2 - y^2", "y^2 - x^2"])
@pytest.mark.parametrize("high", [0.85, 1.0])
def test_squares_that_may_meet_do_not(text: str, high: float) -> None:
    program = read(f"input x in [0, {high}], y in [1, 3]\n{text}")
    assert squares(program) is not program


@pytest.mark.parametrize("text", ["1 - x^2", "y^2 - x^2"])
def test_squares_that_stay_are_as_accurate(text: str) -> None:
    """Squares at the ends of the domains, where they are nearest, and inside."""
    code = compile(f"input x in [-0.8, 0.8], y in [1.4, 2]\n{text}")
    true, draw = Witness(read(text.replace("y^2", "y*y") + " + 0*x*y")), Random(text)
    for k in range(400):
        x = draw.choice((-1, 1)) * (0.8 if k % 2 else draw.uniform(0, 0.8))
        point = {"x": x, "y": draw.uniform(1.4, 1.5) if "y" in text else 1.5}
        exact = true.value(point)
        given = {name: point[name] for name in code.inputs}
        assert abs(code(**given) - exact) <= abs(exact) * 3 * mpmath.mpf(2) ** -53
