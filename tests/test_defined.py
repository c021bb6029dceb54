"""What a path reads it has computed, whatever the operations come to.

The statements of a function are followed without its operations. Each has a number that
is drawn, the same one wherever the same operation meets the same arguments, mostly one
on either side of what the program compares it with: no path is rarer than its decisions
are many, and nothing is known of them but what they imply.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gradc
from gradc.errors import GradcError
from gradc.functions import Function
from gradc.ir import COMPARISONS, Program
from gradc.passes.schedule import Assign, Statement
from gradc.targets.names import Page, pages
from tests.conftest import ROOT, read
from tests.strategies import formula

PATHS = 60  # that are followed through one function
IMPLYING = [  # readings whose comparisons of one number imply each other
    "log(normcdf({x}))",
    "log(1 - normcdf({x}))",
    "log(1 - normcdf({x}*{y}))",
]
BRANCHY = [  # and others that have branches, or derivatives that have
    *IMPLYING,
    "log(1 + exp({x}))",
    "log(1 - exp({x}))",
    "log(exp({x}) - 1)",
    "abs({x})",
    "abs({x} - {y})",
    "max({x}, 0)",
    "max({x}, {y}, 1)",
    "min({x}, {y})",
    "clip({x}, -1, 1)",
    "relu({x} - 1)",
    "where({x} > 1/2, exp({x}*{y}), {x}^2)",
    "where({x} > 0 and {y} > 1, {x}*{y}, {y})",
    "where({x} <= -1 or {y} > 0, sin({x}), cos({y}))",
    "abs({x})^{y}",
    "{x}^3*abs({y})",
    "xlogy(abs({x}), abs({y}))",
    "tanh({x})",
    "sinh({x})/{x}",
    "hypot({x}, {y})",
    "log(cosh({x}))",
]
LEAVES = ("sin(x)", "exp(x)", "log(y)", "cos(y)", "x*y", "x", "2")


# ---- a decision stands where its condition is known


def nest(random: Random, conditions: Sequence[str], depth: int) -> str:
    """Conditionals inside each other."""
    if depth == 0:
        return random.choice(LEAVES)
    yes, no = (nest(random, conditions, random.randrange(depth)) for _ in range(2))
    return f"where({random.choice(conditions)}, {yes}, {no})"


def decisions(random: Random) -> str:
    """A sum of conditionals whose conditions imply each other, or are the same."""
    comparisons = [
        f"{x} {random.choice(('<', '<=', '>', '>='))} {random.choice((-5, -1, 0, 1, 5))}"
        for x in "xxxxyy"
    ]
    pairs = [random.sample(comparisons, 2) for _ in range(2)]
    both = [f"{a} {op} {b}" for op, (a, b) in zip(("and", "or"), pairs)]
    conditions = [*comparisons, *both, f"not {random.choice(comparisons)}"]
    terms = [nest(random, conditions, random.randint(1, 3)) for _ in range(8)]
    return "input x, y; " + " + ".join(terms)


# ---- the statements, followed along their paths


class Unassigned(Exception):
    """A name that is read holds nothing, or not what it stands for."""


class _Numbers:
    """A number for every term: an operation and the terms of its arguments."""

    def __init__(self, program: Program, random: Random) -> None:
        self.random = random
        self.terms: dict[tuple[Any, ...], int] = {}
        self.drawn: list[float] = []
        self.limits: dict[int, list[float]] = {}  # with which a node is compared
        for op, *args in program.nodes:
            for a, b in (args, args[::-1]) if op in COMPARISONS else ():
                if program.nodes[b][0] == "const":
                    self.limits.setdefault(a, []).append(program.nodes[b][1])

    def term(self, i: int, node: Sequence[Any]) -> int:
        """The term of a node, whose arguments are terms."""
        key = tuple(node)
        found = self.terms.get(key)
        if found is None:
            found = self.terms[key] = len(self.drawn)
            self.drawn.append(key[1] if key[0] == "const" else self._number(i, key[0]))
        return found

    def _number(self, i: int, op: str) -> float:
        ends = sorted(set(self.limits.get(i, (-1.0, 0.0, 1.0))))
        middles = [(a + b) / 2 for a, b in zip(ends, ends[1:])]
        points = [-math.inf, *ends, *middles, math.inf, math.nan]
        if op == "hypot":  # is not 0 where it divides what every path needs
            points.remove(0.0) if 0.0 in points else None
        return self.random.choice(points)

    def compare(self, op: str, x: int, y: int) -> bool:
        """Whether a comparison of two terms holds."""
        return COMPARISONS[op](self.drawn[x], self.drawn[y])


def meaning(program: Program, numbers: _Numbers) -> list[Any]:
    """What each node comes to: a term, or whether a condition holds."""
    found: list[Any] = []
    for i, (op, *args) in enumerate(program.nodes):
        if op == "const" or op == "input":
            found.append(numbers.term(i, program.nodes[i]))
            continue
        values = [found[a] for a in args]
        found.append(_result(i, op, values, numbers))
    return found


def _result(i: int, op: str, values: list[Any], numbers: _Numbers) -> Any:
    if op == "where":
        return values[1] if values[0] else values[2]
    if op in ("and", "or", "not"):
        return not values[0] if op == "not" else (all if op == "and" else any)(values)
    if op in COMPARISONS:
        return numbers.compare(op, *values)
    return numbers.term(i, (op, *values))


class _Path:
    """Follows one path through the statements of a function."""

    def __init__(self, page: Page, numbers: _Numbers, means: Sequence[Any]) -> None:
        self.schedule, self.assigned = page.schedule, page.assigned
        self.fixed = page.names.fixed
        self.numbers = numbers
        self.means = means
        self.held: dict[str, Any] = {}  # by the names of variables

    def returned(self) -> list[Any]:
        """What the function returns."""
        self._run(self.schedule.body)
        return [self._read(i) for i in self.schedule.outputs]

    def _run(self, body: Sequence[Statement]) -> None:
        for statement in body:
            if isinstance(statement, Assign):
                i = statement.value
                is_read = i != statement.target and not self.schedule.inline[i]
                value = self._read(i) if is_read else self._computed(i)
                self.held[self._name(statement.target)] = value
            else:
                holds = self._read(statement.condition)
                self._run(statement.yes if holds else statement.no)

    def _name(self, i: int) -> str:
        return self.assigned[self.schedule.target[i]]

    def _read(self, i: int) -> Any:
        """What an expression finds where it mentions a node."""
        nodes, known = self.schedule.nodes, len(self.means)
        if nodes[i][0] in ("const", "input") or (i < known and self.fixed[i]):
            return self.means[i]
        if self.schedule.inline[i]:
            return self._computed(i)
        if (name := self._name(i)) not in self.held:
            raise Unassigned(f"{name} is read but not assigned")
        value = self.held[name]
        if i < known and not isinstance(value, bool) and value != self.means[i]:
            raise Unassigned(f"{name} is not %{i} {nodes[i]}")
        return value

    def _computed(self, i: int) -> Any:
        """What the expression of a node comes to."""
        op, *args = self.schedule.nodes[i]
        if op in ("True", "False"):
            return op == "True"
        if op == "flag":
            return self._read(args[0])
        if op == "where":
            return self._read(args[1] if self._read(args[0]) else args[2])
        if op in ("and", "or"):
            first = self._read(args[0])
            return first if first == (op == "or") else self._read(args[1])
        return _result(i, op, [self._read(a) for a in args], self.numbers)


def follow_all(functions: Sequence[Function], random: Random) -> None:
    """Follow paths through functions and compare what they return."""
    for page in pages(functions):
        program = page.schedule.program
        for _ in range(PATHS):
            numbers = _Numbers(program, random)
            means = meaning(program, numbers)
            returned = _Path(page, numbers, means).returned()
            assert returned == [means[i] for i in page.schedule.outputs]


def follow_text(text: str, random: Random, **options: Any) -> None:
    """Follow paths through the functions of a formula, unless all calls would fail."""
    try:
        functions = gradc.compile(text, **options).functions
    except GradcError as error:
        assert error.kind == "DomainMistake"
        return
    follow_all([*functions.values()], random)


def readings(random: Random) -> str:
    """A sum of two or three readings, most with a factor, one of those that imply."""
    terms = []
    for k in range(random.choice((2, 3))):
        x, y = random.sample("xyz", 2)
        term = random.choice(BRANCHY if k else IMPLYING)
        factor = random.choice(("", "", "{y}*", "abs({x})*"))
        terms.append((factor + term).format(x=x, y=y))
    return " + ".join(terms)


@pytest.mark.parametrize(
    "text",
    [
        "abs(x) + log(1 - normcdf(x)) + abs(y)*log(1 - normcdf(y))",
        "max(x, 0) + log(1 - normcdf(x)) + max(y, 0) + log(1 - normcdf(y))",
        "input b; data x[2]; sum(log(normcdf(b*u)) + log(1 - normcdf(b*u)) for u in x)",
        # a conditional that is decided for only one of the paths that share its reader
        "log(1 - normcdf(x)) + abs(x)*sinh(x)/x",
    ],
)
def test_readings_of_tails(text: str) -> None:
    follow_text(text, Random(1))


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_readings(seed: int) -> None:
    random = Random(seed)
    follow_text(readings(random), random)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 60))
def test_many_sums_of_readings(seed: int) -> None:
    test_sums_of_readings(seed)


@pytest.mark.parametrize("seed", range(5))
def test_drawn_formulas(seed: int) -> None:
    random = Random(seed)
    follow_text(formula(random, lines=4).text, random)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5, 60))
def test_many_drawn_formulas(seed: int) -> None:
    random = Random(seed)
    emit = "gradient,hessian,hvp" if seed % 4 == 0 else "gradient"
    follow_text(formula(random, lines=4).text, random, emit=emit)


@pytest.mark.parametrize("seed", range(6))
def test_drawn_decisions(seed: int) -> None:
    random = Random(seed)
    follow_all([Function("value", read(decisions(random)), 0)], random)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6, 60))
def test_many_drawn_decisions(seed: int) -> None:
    test_drawn_decisions(seed)


@pytest.mark.long
@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("examples/*.txt")), ids=lambda p: p.stem
)
def test_examples(path: Path) -> None:
    follow_text(path.read_text(encoding="utf-8"), Random(1), emit="gradient,hessian")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sqrt(x) + where(x == 0, 5, x)", 5.0),
        ("sqrt(x)*where(x != 0, log(x), 0)", 0.0),
        ("acosh(1 + x) + where(x == 0, 5, x)", 5.0),
        ("v = sqrt(x); v + where(x == 0, 9, 1/x)", 9.0),
    ],
)
def test_the_value_asks_though_a_slope_divides(text: str, value: float) -> None:
    assert gradc.compile(text)(0.0) == value
    assert gradc.compile(text, outside="nan").value_and_grad(0.0)[0] == value
