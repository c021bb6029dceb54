"""Functions too long for CPython: cut into pieces, and before run node by node."""

import re
from collections.abc import Sequence
from random import Random
from typing import Any

import black
import pytest

from gradc import Compiled, DomainError, compile, compiled, functions, pipeline
from gradc.functions import EMITTED
from gradc.evaluate import evaluate, walk
from gradc.language.lower import read
from gradc.passes.derive import derive
from gradc.targets import names, pieces
from tests.benchmarks.graphs import random_graph
from tests.strategies import formula

SEEDS = range(16)
_TINY = re.compile(r"-?[\d.]+e-3\d\d")
_ZERO = re.compile(r"-0\.0\b(?!e)")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut functions of a few lines, anywhere, and compile each piece by itself."""
    monkeypatch.setattr(pieces, "LONGEST", 7)
    monkeypatch.setattr(pieces, "WINDOW", 2)
    monkeypatch.setattr(compiled, "SHORT", 0)
    monkeypatch.setattr(functions, "SHORT", 0)


@pytest.fixture
def untested(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test no results, as long functions do not: more digits have other last bits."""
    monkeypatch.setattr(pipeline, "tested", lambda functions, *_: [*functions])


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every function over the nodes of its program."""
    monkeypatch.setattr(functions, "SHORT", 0)
    monkeypatch.setattr(functions, "LONG", 0)


def results(compiled: Compiled, points: Sequence[dict[str, float]]) -> list[str]:
    """What both functions return or raise at some points.

    A derivative of 1e-301 may have lost a term that is no float; only a run without
    bounds, which one of two functions may need, has all of them. A 0 has no sign.
    """
    found = []
    for point in points:
        for function in (compiled, compiled.value_and_grad):
            try:
                value, comma, others = repr(function(**point)).partition(",")
                others = _ZERO.sub("0.0", _TINY.sub("0.0", others))
                found.append(value + comma + others)
            except (ArithmeticError, ValueError, TypeError) as error:
                found.append(type(error).__name__)
    return found


@pytest.mark.usefixtures("untested")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.some(4)
def test_pieces_compute_what_the_whole_does(
    seed: int, request: pytest.FixtureRequest
) -> None:
    drawn = formula(Random(seed), lines=3 + seed % 9)
    points = drawn.points(Random(seed))
    whole = compile(drawn.text)
    expected = results(whole, points)
    request.getfixturevalue("short")
    cut = compile(drawn.text)
    assert results(cut, points) == expected  # each alone: nobody has read the module
    cut = compile(drawn.text)
    assert black.format_str(cut.source, mode=black.Mode()) == cut.source
    assert results(cut, points) == expected


def test_a_large_function_is_cut(request: pytest.FixtureRequest) -> None:
    graph = random_graph(400)
    expected = compile(graph.formula()).value_and_grad(*graph.inputs)
    request.getfixturevalue("short")
    cut = compile(graph.formula())
    assert cut.value_and_grad(*graph.inputs) == expected
    assert cut.source.count("\ndef _value_and_grad_") > 5


@pytest.mark.usefixtures("untested")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.some(2)
def test_a_walk_computes_what_the_module_does(
    seed: int, request: pytest.FixtureRequest
) -> None:
    drawn = formula(Random(seed), lines=3 + seed % 9)
    points = drawn.points(Random(seed))
    expected = results(compile(drawn.text), points)
    request.getfixturevalue("walked")
    assert results(compile(drawn.text), points) == expected


@pytest.mark.parametrize("seed", range(64))
def test_a_walk_computes_what_the_program_means(seed: int) -> None:
    """Also where a branch that is not taken is undefined."""
    drawn = formula(Random(seed), lines=3 + seed % 9)
    program = read(drawn.text)
    program = derive(program, [item.name for item in program.inputs])
    for point in drawn.points(Random(seed)):
        given = [point[item.name] for item in program.inputs]
        try:
            expected = repr(evaluate(program, point))
        except (ArithmeticError, ValueError):
            with pytest.raises(ValueError, match="undefined"):
                walk(program, given, program.outputs)
        else:
            assert repr(tuple(walk(program, given, program.outputs))) == expected


@pytest.mark.parametrize("numpy", [False, True])
def test_a_walk_takes_and_returns_what_the_module_does(
    numpy: bool, request: pytest.FixtureRequest
) -> None:
    result = " + ".join(f"sin(result*x[{k % 3}] - {k})" for k in range(9))
    text = f"input result, x[3]\n{result} + (log(x[0] - 3) if result > 1 else x[1])"
    whole = compile(text, numpy=numpy)
    points = (0.25, [1.0, 2.0, 3.0]), (1.5, [4, 5, 6])
    expected = [whole.value_and_grad(*point) for point in points]
    request.getfixturevalue("walked")
    walked = compile(text, numpy=numpy)
    found = [walked.value_and_grad(*point) for point in points]
    assert repr(found) == repr(expected)
    assert [walked(*point) for point in points] == [value for value, _ in expected]
    with pytest.raises(ValueError, match="x has shape"):
        walked(0.25, [1.0])
    with pytest.raises(DomainError, match="log"):
        walked(1.5, [2.0, 5.0, 6.0])


def test_a_function_is_loaded_where_it_is_called_often(
    walked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "OFTEN", 3)
    loaded: list[str] = []
    alone = compiled.alone

    def noted(*args: Any) -> Any:
        loaded.append(args[-1])
        return alone(*args)

    monkeypatch.setattr(compiled, "alone", noted)
    graph = random_graph(200)
    cut = compile(graph.formula())
    expected = cut.value_and_grad(*graph.inputs)
    assert cut.value_and_grad(*graph.inputs) == expected and not loaded
    assert cut(*graph.inputs) == expected[0]
    assert [cut.value_and_grad(*graph.inputs) for _ in range(3)] == [expected] * 3
    assert loaded == ["value_and_grad"]


def test_what_is_checked_is_the_text(
    walked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "walk", None)
    report = compile("x*sin(y) + where(x > 0, log(x), y)").check()
    assert report.points > 0 and report.ok


def test_a_function_is_loaded_without_the_others(short: None) -> None:
    graph = random_graph(200)
    expected = compile(graph.formula())
    text = expected.source
    cut = compile(graph.formula())
    value, gradient = cut.value_and_grad(*graph.inputs)
    assert cut(*graph.inputs) == expected(*graph.inputs) == value
    assert gradient == expected.grad(*graph.inputs)
    assert cut.source == text


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
        text = "\n".join(parts)
        branches = set(re.findall(r"^    (\w+) = 0\.0$", text, re.M))  # may add to it
        lists = re.findall(r"kept \+?= \[(.*?)\]", text, re.S)
        kept = [name for words in lists for name in re.findall(r"\w+", words)]
        kept = [name for name in kept if name not in branches]
        assert len(parts) > 5 and len(kept) > 50
        assert len(kept) == len(set(kept))


@pytest.mark.parametrize("length", [0, compiled.SHORT])
@pytest.mark.parametrize("name", [*EMITTED, *(e.name for e in EMITTED.values())])
def test_inputs_may_be_called_like_functions(
    name: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "SHORT", length)
    f = compile(f"{name}*log({name}) + careful", emit=[*EMITTED])
    assert f(1.0, 2.0) == 2.0 and f.value_and_grad(1.0, 2.0) == (2.0, (1.0, 1.0))
    for run in (f, f.value_and_grad):
        with pytest.raises(DomainError):
            run(-1.0, 2.0)
