"""Functions too long for CPython: cut into pieces, and before run as their programs."""

import re
from collections.abc import Sequence
from random import Random

import pytest

from gradc import Compiled, DomainError, compile, compiler
from gradc.functions import EMITTED
from gradc.targets import module, names, pieces
from tests.benchmarks.graphs import random_graph
from tests.strategies import formula

SEEDS = range(16)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut functions of a few lines, anywhere."""
    for place in (pieces, module):
        monkeypatch.setattr(place, "LONGEST", 7)


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


@pytest.mark.parametrize("how", ["short", "taped"])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.some(4)
def test_pieces_and_steps_compute_what_the_whole_does(
    seed: int, how: str, request: pytest.FixtureRequest
) -> None:
    drawn = formula(Random(seed), lines=3 + seed % 9)
    points = drawn.points(Random(seed))
    expected = results(compile(drawn.text), points)
    request.getfixturevalue(how)
    cut = compile(drawn.text)
    assert results(cut, points) == expected
    cut = compile(drawn.text, outside="inf")
    assert all(": " not in found for found in results(cut, points))


def test_a_large_function_is_cut(request: pytest.FixtureRequest) -> None:
    graph = random_graph(400)
    expected = compile(graph.formula()).value_and_grad(*graph.inputs)
    request.getfixturevalue("short")
    for outside in ("raise", "nan"):
        cut = compile(graph.formula(), outside=outside)
        assert cut.value_and_grad(*graph.inputs) == expected
        assert cut.source.count("\ndef _value_and_grad_") > 5


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


def test_the_elements_of_arrays_are_handed_on(request: pytest.FixtureRequest) -> None:
    text = "input x[40], w\nsum([tanh(w*v) for v in x[::-1]]*x) + x[3]"
    x = [k / 8 for k in range(40)]
    expected = compile(text).value_and_grad(x, 0.5)
    request.getfixturevalue("short")
    cut = compile(text)
    assert cut.value_and_grad(x, 0.5) == expected
    assert cut.source.count("\ndef _value_and_grad_") > 3


def test_each_value_is_kept_once(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "MANY", 10_000)  # each variable has a name of its own
    source = compile(random_graph(400).formula()).source
    for function in ("value", "value_and_grad"):
        parts = re.findall(rf"\ndef _?{function}(?:_\d+)?\((.*?)\n\n", source, re.S)
        lists = re.findall(r"kept \+?= \[(.*?)\]", "\n".join(parts), re.S)
        kept = [name for words in lists for name in re.findall(r"\w+", words)]
        assert len(parts) > 5 and len(kept) > 50
        assert len(kept) == len(set(kept))


@pytest.mark.parametrize("how", ["taped", "short"])
@pytest.mark.parametrize("name", [*EMITTED, *EMITTED.values()])
def test_inputs_may_be_called_like_functions(
    name: str, how: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(how)
    f = compile(f"{name}*log({name}) + floats", emit=[*EMITTED])
    assert f(1.0, 2.0) == 2.0 and f.value_and_grad(1.0, 2.0) == (2.0, (1.0, 1.0))
    for run in (f, f.value_and_grad):
        with pytest.raises(DomainError):
            run(-1.0, 2.0)
