"""Intervals hold at every point of the domains that they follow from."""

from __future__ import annotations

import math
import re
from random import Random

import pytest
from hypothesis import given, settings

import gradc
from gradc.analysis.ranges import Ranges
from gradc.ir import CONDITIONS, Builder, Input
from gradc.run import run
from tests.conftest import read
from tests.strategies import DYADIC, SMOOTH, Formula, formula, formulas, law


def is_inside(item: Input, x: float) -> bool:
    low = -math.inf if item.low is None else item.low
    high = math.inf if item.high is None else item.high
    return low <= x <= high


@pytest.mark.parametrize("seed", range(4))
def test_numbers_are_in_their_ranges(seed: int) -> None:
    random, bounded, decided = Random(seed), 0, 0
    for _ in range(300):
        drawn = formula(random)
        program = read(drawn.text)
        ranges = Ranges(Builder.upon(program), program.inputs)
        for point in drawn.points(random, 8):
            if not all(is_inside(item, point[item.name]) for item in program.inputs):
                continue  # `input x, y in [0, 1]` is the domain of both
            known = run(program, point).values
            for i, (node, x) in enumerate(zip(program.nodes, known)):
                if isinstance(x, bool) and node[0] in CONDITIONS:
                    truth = ranges.decided(i)
                    decided += truth is not None
                    assert truth is None or truth == x, (drawn.text, point)
                elif isinstance(x, float) and not math.isnan(x):
                    low, high = ranges.of(i)
                    bounded += -math.inf < low or high < math.inf
                    assert low <= x <= high, (drawn.text, point, node)
    assert bounded > 10_000
    assert decided > 500


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("input x, y in [1, 2]; x*y/4", 0.25, 1.0),
        ("input x in [-3, 2]; x^2", 0.0, 9.0),
        ("input x in [-3, 2]; x*x - 1", -1.0, 8.0),
        ("input x in [-3, -2]; 1/x", -0.5, -1 / 3),
        ("input x in [0, 2]; log(1 + x)", 0.0, math.log(3.0)),
        ("input x in [0, 2]; 1/x", 0.5, math.inf),
        ("input x in [0.5, inf); exp(-x)", 0.0, math.exp(-0.5)),
        ("x^2 + 1", 1.0, math.inf),
    ],
)
def test_ranges_are_close(text: str, low: float, high: float) -> None:
    program = read(text)
    found = Ranges(Builder.upon(program), program.inputs).of(program.outputs[0])
    assert found == pytest.approx((low, high), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("exp(x) + sqrt(y)", 0.0),
        ("input x in (0, 1], y; x", 5e-324),
        ("input x in [0, 1], y; x*abs(y)", 0.0),
        ("1 + x^2*y^2", 1.0),
        ("exp(x) - exp(y)", -math.inf),
        ("x^3", -math.inf),
    ],
)
def test_the_lower_end(text: str, least: float) -> None:
    program = read(text)
    ranges = Ranges(Builder.upon(program), program.inputs)
    assert ranges.of(program.outputs[0])[0] == pytest.approx(least, rel=1e-10, abs=0.0)


@pytest.mark.parametrize(
    "formula",
    [
        "sin({0})/{0}",
        "(1 - exp(-{0}))/{0}",
        "softplus({0})",
        "{0}^y",
    ],
)
def test_what_a_domain_excludes_is_left_out(formula: str) -> None:
    inside = gradc.compile("input x in [1.5, 2], y in [3, 4]; " + formula.format("x"))
    unknown = gradc.compile("input x, y; " + formula.format("x"))
    assert not inside.program.operations & {"where", "lt", "gt"}
    assert unknown.program.operations & {"where", "lt", "gt"}


def test_an_authors_own_conditions_stay() -> None:
    compiled = gradc.compile("input x in [1, 2]; where(x > 0, x, -3)")
    assert compiled(-1.0) == -3.0


def test_a_domain_decides_a_rule_that_is_about_digits() -> None:
    """Outside of it the digits are lost, the value is not."""
    compiled = gradc.compile("input m in [0.1, 9], p; sqrt(m^2 + p^2) - m")
    assert " > 0.0" not in compiled.source
    assert compiled(-2.0, 1.5) == pytest.approx(4.5, rel=1e-9)


@settings(law, max_examples=12)
@given(formulas(rows=SMOOTH, constants=DYADIC, lines=3))
def test_outside_of_its_domains_a_formula_is_the_same(
    found: tuple[Formula, Random],
) -> None:
    compare_outside(*found)


@pytest.mark.long
@settings(law, max_examples=50)
@given(formulas(rows=SMOOTH, constants=DYADIC, lines=3))
def test_outside_of_their_domains_many_formulas_are_the_same(
    found: tuple[Formula, Random],
) -> None:
    compare_outside(*found)


def compare_outside(drawn: Formula, random: Random) -> None:
    """Compare a formula with the same without domains, where these may not hold."""
    free = re.sub(r" in \[.*?\]", "", drawn.text, count=len(drawn.domains))
    try:
        promised, plain = gradc.compile(drawn.text), gradc.compile(free)
    except gradc.GradcError:
        return  # it has no value anywhere
    for _ in range(4):
        point = {name: random.uniform(-3.0, 3.0) for name in drawn.domains}
        try:
            x, y = promised.value_and_grad(**point), plain.value_and_grad(**point)
        except gradc.DomainError:
            continue
        size = max(map(abs, [y[0], *y[1]]))
        assert x[0] == pytest.approx(y[0], rel=1e-6, abs=1e-9 * size), point
        assert x[1] == pytest.approx(y[1], rel=1e-6, abs=1e-9 * size), point
