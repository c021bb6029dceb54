"""Laws of `cancel`: the gradient stays the same function, and keeps its digits."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from gradc import compile
from gradc.checking.certified import Witness
from gradc.ir import Program
from gradc.passes.cancel import cancel
from gradc.passes.derive import derive
from tests.conftest import read
from tests.strategies import verify

FORMULAS = (
    "x/(x + y)",
    "(x - y)/(1 - y)",
    "(x + y)*(x - y)",
    "(x^2 - 4*y^2)/(x^2 + 4*y^2)",
    "x/y + (2 + z*2*(1 - x))/(x*z)",
    "(x - y)/(2*x*y)",
    "(x*y + z*(t - 3))/(y + z*(b - y))",
    "(m*(1 - m)/v - 1)*(1 - m)",
    "sqrt((x^2 - y^2)/x^2)",
    "exp(x)*(x + 1)/(x + 2)^2",
    "where(x > y, x/(x + y), y^2/(x - 2*y))",
    "x/sqrt(x^2 + y^2 + 1)",
    "x*y/sqrt(x^2 + z)^3",
    "x/hypot(x, y)",
    "where(x > 0, x/hypot(x, y, 1), y)",
    "a*(1 + x^2)^t/(1 + y^2)^t + t*y",
    "x*abs(x)/(1 + abs(x))",
    "x*y/(z + 3*abs(x*y/t))",
)
ROOTS = (
    "sqrt(x^2 + 1)",
    "sqrt(x^2 + y^2 + 3)",
    "hypot(x, y)",
    "hypot(x, y, z)",
    "hypot(x, 2)",
    "x/hypot(x, y)",
    "x/sqrt(1 + x^2)",
)


def points(program: Program, seed: str, decades: float) -> Iterator[dict[str, float]]:
    draw = Random(seed)
    for _ in range(8):
        yield {
            item.name: draw.choice((1, -1)) * 10 ** draw.uniform(-decades, decades)
            for item in program.inputs
        }


def gradient(text: str) -> Program:
    program = read(text)
    return derive(program, [item.name for item in program.inputs])


@pytest.mark.parametrize("text", FORMULAS)
def test_the_gradient_is_the_same_function(text: str) -> None:
    before = gradient(text)
    after = verify(cancel(before))
    assert cancel(after) == after
    for i, j in zip(before.outputs, after.outputs):
        old = Witness(replace(before, outputs=(i,)))
        new = Witness(replace(after, outputs=(j,)))
        for point in points(before, text, 1.0):
            x, y = old.at(point).truth(), new.at(point).truth()
            if x is not None:
                assert abs(x - y) <= abs(x) * Fraction(1, 10**19)


@pytest.mark.parametrize("text", FORMULAS[:6])
def test_the_gradient_keeps_its_digits_over_many_decades(text: str) -> None:
    before = gradient(text)
    compiled = compile(text)
    for point in points(before, text, 8.0):
        found = compiled.grad(**point)
        for i, slope in zip(before.outputs[1:], found):
            true = Witness(replace(before, outputs=(i,))).at(point).truth()
            assert abs(Fraction(slope) - true) <= abs(true) * Fraction(1, 2**40)


@pytest.mark.parametrize("text", ROOTS)
def test_second_derivatives_of_roots_keep_their_digits(text: str) -> None:
    program = read(text)
    names = [item.name for item in program.inputs]
    compiled = compile(text, emit="hessian")
    slopes = {
        (x, y): Witness(compile(f"diff(diff({text}, {x}), {y})").program)
        for x in names
        for y in names
    }
    for point in points(program, text, 8.0):
        _, _, found = compiled.value_grad_and_hessian(**point)
        for i, x in enumerate(names):
            for j, y in enumerate(names):
                true = slopes[x, y].at(point).truth()
                assert abs(Fraction(found[i][j]) - true) <= abs(true) * Fraction(
                    1, 2**40
                )


@pytest.mark.parametrize("text", ["y*sign(0)*x", "x*sign(0*x)", "x*sign(x - x)*x"])
def test_the_sign_of_nothing_is_nothing(text: str) -> None:
    compiled = compile(text)
    assert compiled(*[2.0] * len(compiled.inputs)) == 0.0
