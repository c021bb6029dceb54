"""The laws of recognising: a derivative is a product that is as good and as defined."""

from random import Random

import pytest
from hypothesis import given

from gradc import ir
from gradc.costs import cost
from gradc.evaluate import evaluate
from gradc.ir import Program
from gradc.language.lower import read
from gradc.passes.derive import derive
from gradc.passes.recognise import recognise
from tests.strategies import FINE, Formula, formulas, law
from tests.test_merge import compare, gradient_of

DOMAINS = "input x in [1, 2], y in [0.2, 3]\n"


def found(before: Program) -> Program:
    """The program after the pass, whose outputs are those before at a few points."""
    after = ir.verify(recognise(before))
    random = Random(3)
    for _ in range(10):
        point = {item.name: random.uniform(1.05, 1.95) for item in before.inputs}
        compare(before, after, point)
    return after


@pytest.mark.long
@law
@given(formulas(rows=FINE, lines=3))
def test_recognising_keeps_the_function(drawn: tuple[Formula, Random]) -> None:
    formula, random = drawn
    before = gradient_of(formula.text)
    after = ir.verify(recognise(before))
    for point in formula.points(random):
        compare(before, after, point)


@pytest.mark.parametrize(
    "text",
    [
        DOMAINS + "sqrt(y/(2*pi*x^3))*exp(-y*(x - 2)^2/(8*x))",
        DOMAINS + "sqrt(x)*y^3*exp(-x*y)/(1 + x^2)",
        DOMAINS + "(x*y)^2.5*exp(-x^2)",
        "exp(-(x - y)^2/2)/x*z",
    ],
)
def test_a_derivative_is_a_product_of_what_is_there(text: str) -> None:
    before = gradient_of(text)
    assert cost(found(before).nodes) < cost(before.nodes) - 9.0


def test_what_may_be_zero_does_not_divide() -> None:
    """The derivative of x*f(x, y) by y is that over x times a function, but not at 0."""
    text = "x*exp(-x*y^2)*(y^2 + 1)^2"
    after = recognise(gradient_of(text))
    before = gradient_of(text)
    for x in (0.0, -1.0, 2.0):
        compare(before, after, {"x": x, "y": 0.5})


def test_no_new_difference_loses_digits() -> None:
    """What a product reads is no difference that only another derivative has."""
    text = "(x^2 - 1e8)*y/(x + 1e4) + (x - 1e4)*y*z"
    before = derive(read(text), ["y", "z", "x"])
    after = recognise(before)
    point = {"x": 1e4 + 1e-8, "y": 0.7, "z": 1.0}
    for x, y in zip(evaluate(before, point), evaluate(after, point), strict=True):
        assert y == pytest.approx(x, rel=1e-11)


def test_a_product_stays_in_its_branch() -> None:
    text = "where(x > 1.5, sqrt(x - 1)*exp(-x*y)*y^3, x*y) + where(y > 1.5, x/y, y*y)"
    found(gradient_of(text))


def test_small_programs_are_left_alone() -> None:
    program = gradient_of("x*sin(y)")
    assert recognise(program) is program


def test_quotients_may_leave_the_range_of_floats() -> None:
    text = "x*1e200*exp(y) + y*z*1e-200*sin(x*y) + exp(300*x)*1e-200*z*y"
    before = gradient_of(text)
    compare(before, recognise(before), {"x": 0.3, "y": 0.5, "z": 2.0})
