"""Laws of `reduce`: the function stays the same, and less is left of it."""

from random import Random

import pytest

from gradc import compile
from gradc.checking.witness import Witness
from gradc.costs import cost
from gradc.ir import verify
from gradc.language.lower import read
from gradc.passes.reduce import reduce
from tests.benchmarks.count import count

mpmath = pytest.importorskip("mpmath")

FRACTIONS = [
    "x*y*z/(3*y^3)",
    "(x*y)^2*z/(x*(z + 1))",
    "1/x/(y/x^2)",
    "a = x^2*y; a/(x*y^2)",
    "(x + y)^2*(x - y)/(-(x + y)*z) + 1",
    "pi*x^-2*exp(y/x)*x^3/y",
    "where(x > 0, x*y/x^3, z)",
]


@pytest.mark.parametrize("text", FRACTIONS)
def test_reduced_fractions_are_the_same_function(text: str) -> None:
    program = read(text)
    after = verify(reduce(program))
    assert cost(after.nodes) < cost(program.nodes)
    assert reduce(after) == after
    old, new, draw = Witness(program), Witness(after), Random(text)
    for _ in range(8):
        point = {item.name: draw.uniform(-2, 2) for item in program.inputs}
        x, y = old.value(point), new.value(point)
        assert x is not None and abs(x - y) <= abs(x) * mpmath.mpf(10) ** -40


@pytest.mark.parametrize(
    "text",
    [
        "x*x*x*x",
        "(x*y)^3/(2*x*z)",
        "x*y/z",
        "x/(2*pi)*y/3",
        "2*x/(pi*y)",
        "(x + y)/x",
        "1/x^2",
    ],
)
def test_what_is_in_lowest_terms_stays(text: str) -> None:
    program = read(text)
    assert reduce(program) is program


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("2*sqrt(3)*x/(pi*sqrt(z))*y/z", 4),
        ("sqrt(2)*x/(3*y)*z", 3),
        ("exp(sqrt(5)*x/(exp(1)*y))", 2),
    ],
)
def test_constants_on_both_sides_are_one(text: str, operations: int) -> None:
    text = f"input x, y, z in [1, 2]; {text}"
    program = read(text)
    after = verify(reduce(program))
    assert after != program and reduce(after) == after
    assert count(compile(text).source, "value").operations == operations
    draw = Random(text)
    for _ in range(8):
        point = {item.name: draw.uniform(1, 2) for item in program.inputs}
        x, y = Witness(program).value(point), Witness(after).value(point)
        assert x is not None and abs(x - y) <= abs(x) * mpmath.mpf(10) ** -40


def test_what_cancels_needs_no_value() -> None:
    f = compile("x^3*y/x")
    assert f.value_and_grad(0.0, 3.0) == (0.0, (0.0, 0.0))
