"""A program is run on what its outputs need, and the node at fault is found."""

import math
import re

import pytest

import gradc
from gradc.errors import Source
from gradc.ir import Builder, Program
from gradc.run import evaluate, run
from tests.conftest import read


def part(program: Program, i: int) -> str:
    start, end = program.spans[i] or (0, 0)
    return program.source.text[start:end]


@pytest.mark.parametrize(
    ("text", "point", "fault", "kind"),
    [
        ("1 + log(x - 2)", {"x": 1.0}, "log(x - 2)", ValueError),
        ("x + 1/(y - 1)", {"x": 1.0, "y": 1.0}, "1/(y - 1)", ZeroDivisionError),
        ("exp(1000*x) + sqrt(x)", {"x": 1.0}, "exp(1000*x)", OverflowError),
        ("log(x*1e200*1e200)", {"x": 1.0}, "x*1e200*1e200", None),
        ("exp(-x*x*1e200*x) + x*1e308*10", {"x": 1e200}, "x*1e308", None),
        ("log(x) if x > 1 else sqrt(x)", {"x": -1.0}, "sqrt(x)", ValueError),
        ("(-x)^y", {"x": 1.0, "y": 0.5}, "(-x)^y", ValueError),
    ],
)
def test_the_part_at_fault(
    text: str, point: dict[str, float], fault: str, kind: type[Exception] | None
) -> None:
    program = read(text)
    found = run(program, point)
    i = found.fault()
    assert i is not None and part(program, i) == fault
    assert kind is None if found.error is None else type(found.error) is kind


@pytest.mark.parametrize(
    ("text", "point", "fault"),
    [
        ("r/((1 + r)^n - 1)", [0.5, 2000.0], "(1 + r)^n is infinite"),
        ("1/(exp(x) - 1) + x", [900.0], "exp(x) is infinite"),
        ("log((1 - x)/(1 + x))", [-1.0], "(1 - x)/(1 + x) is infinite"),
        ("sqrt(1 - x*x)", [1.0], "the derivative of sqrt(1 - x*x) is infinite"),
        ("2*asin(x*x)", [1.0], "the derivative of asin(x*x) is infinite"),
        ("log(a) - log(b)", [1.0, -2.0], "log(b) is not a real number"),
    ],
)
def test_the_part_is_as_small_as_in_the_formula(
    text: str, point: list[float], fault: str
) -> None:
    """Also where the module computes several of them at once."""
    with pytest.raises(gradc.DomainError, match=re.escape(f": {fault} at ")):
        gradc.compile(text).value_and_grad(*point)


def test_an_infinity_that_does_no_harm_is_no_fault() -> None:
    assert run(read("exp(-(x*x*x))"), {"x": 1e200}).fault() is None
    assert run(read("1/x if x != 0 else 0"), {"x": 0.0}).fault() is None


def test_an_input_may_be_at_fault() -> None:
    program = read("x + y")
    i = run(program, {"x": math.inf, "y": 1.0}).fault()
    assert i is not None and program.nodes[i] == ("input", "x")


def test_only_what_is_needed_is_computed() -> None:
    program = read("log(x) if x > 0 and 1/x > 0.1 else 0")
    found = run(program, {"x": -1.0})
    assert found.results() == (0.0,)
    assert not any(found.has(i) for i, n in enumerate(program.nodes) if n[0] == "log")


def test_long_chains_do_not_recurse() -> None:
    builder = Builder()
    x = builder.input("x")
    for _ in range(10_000):
        c = builder.add("lt", x, builder.const(0.5))
        x = builder.add("where", c, builder.add("add", x, builder.const(1.0)), x)
    (found,) = evaluate(builder.finish((), [x], Source("", "")), {"x": 0.0})
    assert found == 1.0
