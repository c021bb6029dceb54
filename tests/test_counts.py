"""The work in the generated code of the benchmark's cases, and the growth of the passes.

The counts are golden: they go up only in a commit that says which promise needs it. The
expert's counts stand beside them. `python -m tests.benchmarks` has the times.
"""

import ast
import math
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import pytest

from gradc.collector import collector_held
from gradc.compiler import compile
from gradc.functions import Function, Interface, shifted
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.pipeline import passes
from gradc.source import Source
from gradc.targets.module import Origin, module, paged
from tests.benchmarks import matrices, peers
from tests.benchmarks.case import agree
from tests.benchmarks.cases import CASES
from tests.benchmarks.count import count
from tests.benchmarks.graphs import (
    deep_nest,
    largest,
    many_inputs,
    quotients,
    random_graph,
    wide_sum,
)
from tests.conftest import Case, check, load

NAMED = {case.name: case for case in CASES}
MATRICES = {case.name: case for case in matrices.CASES}


def counts(case: Case) -> str:
    found = {**NAMED, **MATRICES}[case.source]
    ours = count(found.generated.source, found.function)
    theirs = count(found.expert, found.function)
    lines = [f"generated  {ours.operations} operations, {ours.calls} calls"]
    lines.append(f"expert     {theirs.operations} operations, {theirs.calls} calls")
    return "\n".join(lines)


def test_counts(bless: bool) -> None:
    check("counts", counts, bless)


def test_every_case_is_counted() -> None:
    assert [case.source for case in load("counts") if case.written] == [
        *NAMED,
        *MATRICES,
    ]


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.some(2)
def test_expert_and_generated_agree(name: str) -> None:
    case = NAMED[name]
    both: Callable[..., Any] = case.generated.value_and_grad
    for point in case.points(3):
        assert agree(both(*point), case.written(*point))


@pytest.mark.parametrize("name", NAMED)
def test_peers_get_the_formula_as_it_is(name: str) -> None:
    case = NAMED[name]
    both: Callable[..., Any] = case.generated.value_and_grad
    peer = peers.value(case)
    for point in case.points(3):
        assert agree(peer(*point), both(*point))


@pytest.mark.parametrize("name", MATRICES)
def test_expert_and_generated_matrices_agree(name: str) -> None:
    case = MATRICES[name]
    function = getattr(case.generated, case.function)
    for point in case.points(3):
        assert matrices.agree(function(point), case.written(point))


@pytest.mark.parametrize("name", NAMED)
def test_what_a_block_finds_is_not_asked_for_with_its_condition(name: str) -> None:
    for outer in ast.walk(ast.parse(NAMED[name].generated.source)):
        behind: dict[str, set[str]] = {}  # what blocks assign, by their condition
        for line in outer.body if isinstance(outer, (ast.Try, ast.If)) else ():
            match line:
                case ast.If(test=ast.BoolOp(values=[first, second])):
                    assert ast.unparse(second) not in behind.get(ast.unparse(first), ())
                case ast.If(test=test, body=body):
                    found = {ast.unparse(one).split(" = ")[0] for one in body}
                    behind.setdefault(ast.unparse(test), set()).update(found)


# ---- growth

FORMULAS: dict[str, Callable[[int], str]] = {
    "graph": lambda size: random_graph(size).formula(),
    "sum": wide_sum,
    "nest": deep_nest,
    "inputs": many_inputs,
    "largest": largest,
    "quotients": quotients,
}
GROWTH = 25.0  # ten times the size may take so many times as long, on a busy machine
CLOCK = 0.02  # seconds below which a time says nothing


def times(text: str) -> dict[str, float]:
    """Processor seconds of each step from the text to the module's text."""
    found: dict[str, float] = {}

    def timed(name: str, run: Callable[[], Any]) -> Any:
        start = process_time()
        result = run()
        found[name] = process_time() - start
        return result

    with collector_held():
        syntax = timed("parse", lambda: parse(Source.read(text, "<formula>")))
        program = timed("lower", lambda: lower(syntax))
        names = tuple(item.name for item in program.inputs)
        interface = Interface(program, names, bare=False, sparse=False)
        for name, step in passes(names, strict=False):
            program = timed(name, partial(step, program))
        origin = Origin(formula=text, wrt=None, strict=False)
        layout = [interface.values, shifted(interface.gradient, 1)]
        functions = [
            Function("value", program, interface.values),
            Function("value_and_grad", program, layout),
        ]
        timed("print", lambda: module(paged(functions), names, origin))
    return found


@pytest.mark.parametrize("shape", ["sum", "nest", "inputs", "largest"])
def test_large_shapes_compile(shape: str) -> None:
    compiled = compile(FORMULAS[shape](300))
    value, gradient = compiled.value_and_grad(*[0.5] * len(compiled.inputs))
    assert math.isfinite(value) and len(gradient) == len(compiled.inputs)


def test_graph_and_its_formula_agree() -> None:
    graph = random_graph(300)
    assert compile(graph.formula())(*graph.inputs) == pytest.approx(graph.value())


@pytest.mark.long
@pytest.mark.parametrize(
    ("shape", "size"),
    [("graph", 10_000), ("sum", 10_000), ("largest", 2000), ("quotients", 1000)],
)
def test_passes_are_linear(shape: str, size: int) -> None:
    """Each pass on ten times as much takes about ten times as long."""
    times(FORMULAS[shape](1000))  # tables are read and caches filled
    small = times(FORMULAS[shape](size))
    large = times(FORMULAS[shape](10 * size))
    grown = {name: large[name] / max(small[name], CLOCK) for name in large}
    assert max(grown.values()) < GROWTH, grown


@pytest.mark.parametrize(("name", "count"), [("Rosenbrock", 1), ("CES production", 0)])
def test_a_peer_may_lack_what_a_formula_needs(name: str, count: int) -> None:
    """micrograd has no powers but those with a number as the exponent."""
    pytest.importorskip("micrograd")
    assert (
        len(peers._row(NAMED[name], {"micrograd": peers.micrograd}, 1).ratios) == count
    )
