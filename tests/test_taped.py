"""Long functions run as the steps of their programs before they are printed and loaded."""

from collections.abc import Sequence
from random import Random

import pytest

from gradc import Compiled, DomainError, compile, compiler
from gradc.functions import EMITTED
from tests.benchmarks.graphs import random_graph
from tests.strategies import formula
from tests.test_targets import is_inside

SEEDS = range(16)


@pytest.fixture
def taped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every function as the steps of its program."""
    monkeypatch.setattr(compiler, "LONG", 0)


def results(f: Compiled, points: Sequence[dict[str, float]]) -> list[str]:
    """What both functions return or raise at some points."""
    found = []
    for point in points:
        for function in (f, f.value_and_grad):
            try:
                found.append(repr(function(**point)))
            except (ArithmeticError, ValueError) as error:
                found.append(str(error))
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.some(4)
def test_steps_compute_what_the_module_does(
    seed: int, request: pytest.FixtureRequest
) -> None:
    drawn = formula(Random(seed), lines=3 + seed % 9)
    whole = compile(drawn.text)
    points = [p for p in drawn.points(Random(seed)) if is_inside(whole, p)]
    expected = results(whole, points)
    request.getfixturevalue("taped")
    assert results(compile(drawn.text), points) == expected
    total = compile(drawn.text, outside="inf")
    assert all(": " not in found for found in results(total, points))


@pytest.mark.parametrize("numpy", [False, True])
def test_steps_take_and_return_what_the_module_does(
    numpy: bool, request: pytest.FixtureRequest
) -> None:
    result = " + ".join(f"sin(result*x[{k % 3}] - {k})" for k in range(9))
    text = f"input result, x[3]\n{result} + (log(x[0] - 3) if result > 1 else x[1])"
    whole = compile(text, numpy=numpy)
    points = (0.25, [1.0, 2.0, 3.0]), (1.5, [4, 5, 6])
    expected = [whole.value_and_grad(*point) for point in points]
    request.getfixturevalue("taped")
    taped = compile(text, numpy=numpy)
    found = [taped.value_and_grad(*point) for point in points]
    assert repr(found) == repr(expected)
    assert [taped(*point) for point in points] == [value for value, _ in expected]
    with pytest.raises(ValueError, match="x has shape"):
        taped(0.25, [1.0])
    with pytest.raises(DomainError, match="log"):
        taped(1.5, [2.0, 5.0, 6.0])


def test_a_function_is_printed_where_it_is_called_often(
    taped: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "OFTEN", 4)
    graph = random_graph(200)
    f = compile(graph.formula())
    expected = f.value_and_grad(*graph.inputs)
    assert f(*graph.inputs) == expected[0]
    for k in range(4):
        assert ("source" in vars(f)) == (k > 2)
        assert f.value_and_grad(*graph.inputs) == expected


def test_what_is_checked_is_the_text(
    taped: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "evaluate", None)
    report = compile("x*sin(y) + where(x > 0, log(x), y)").check()
    assert report.points > 0 and report.ok


@pytest.mark.parametrize("is_long", [True, False])
@pytest.mark.parametrize("name", [*EMITTED, *EMITTED.values()])
def test_inputs_may_be_called_like_functions(
    name: str, is_long: bool, request: pytest.FixtureRequest
) -> None:
    if is_long:
        request.getfixturevalue("taped")
    f = compile(f"{name}*log({name}) + floats", emit=[*{*EMITTED} - {"gram", "bind"}])
    assert f(1.0, 2.0) == 2.0 and f.value_and_grad(1.0, 2.0) == (2.0, (1.0, 1.0))
    for run in (f, f.value_and_grad):
        with pytest.raises(DomainError):
            run(-1.0, 2.0)
