"""The work in the generated code of the benchmark's cases, and how compiling grows.

The counts are golden: they go up only in a commit that says which promise needs it. The
expert's counts stand beside them. `python -m tests.benchmarks` has the times.
"""

import math
from collections.abc import Callable
from time import process_time

import pytest

import gradc
from tests.benchmarks.cases import agree
from tests.benchmarks.count import count
from tests.benchmarks.generated import GROUPS
from tests.benchmarks.graphs import (
    deep_nest,
    largest,
    many_inputs,
    quotients,
    random_graph,
    wide_sum,
)
from tests.conftest import Case, check, load

NAMED = {case.name: case for cases in GROUPS.values() for case in cases}


def counts(case: Case) -> str:
    found = NAMED[case.source]
    ours = count(found.compiled.source, found.function)
    theirs = count(found.source, found.function)
    lines = [f"generated  {ours.operations} operations, {ours.calls} calls"]
    lines.append(f"expert     {theirs.operations} operations, {theirs.calls} calls")
    return "\n".join(lines)


def test_counts(bless: bool) -> None:
    check("counts", counts, bless)


def test_every_case_is_counted() -> None:
    assert [case.source for case in load("counts") if case.written] == [*NAMED]


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.some(3)
def test_expert_and_generated_agree(name: str) -> None:
    case = NAMED[name]
    for point in case.points(3):
        assert agree(case.generated(*point), case.written(*point))


# ---- growth

FORMULAS: dict[str, Callable[[int], str]] = {
    "graph": lambda size: random_graph(size).formula(),
    "sum": wide_sum,
    "nest": deep_nest,
    "inputs": many_inputs,
    "largest": largest,
    "quotients": quotients,
}
GROWTH = 20.0  # ten times the size may take so many times as long, on a busy machine


def seconds(text: str) -> float:
    """Processor time from a formula to its module."""
    start = process_time()
    assert gradc.compile(text).source
    return process_time() - start


@pytest.mark.parametrize("shape", ["sum", "nest", "inputs", "largest"])
def test_large_shapes_compile(shape: str) -> None:
    compiled = gradc.compile(FORMULAS[shape](300))
    value, gradient = compiled.value_and_grad(*[0.5] * len(compiled.inputs))
    assert math.isfinite(value) and len(gradient) == len(compiled.inputs)


def test_graph_and_its_formula_agree() -> None:
    graph = random_graph(300)
    assert gradc.compile(graph.formula())(*graph.inputs) == pytest.approx(graph.value())


@pytest.mark.long
@pytest.mark.parametrize("shape", FORMULAS)
def test_compiling_is_linear(shape: str) -> None:
    """Ten times as much takes about ten times as long."""
    small, large = (seconds(FORMULAS[shape](size)) for size in (1000, 10_000))
    assert large < GROWTH * small
