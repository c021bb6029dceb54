"""Laws of the identity book: every rule is alive, true, and better than what it replaces."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

import gradc
from gradc.checking.witness import Witness
from gradc.identities.book import Index, Rule, rules
from gradc.ir import Program, verify
from gradc.language.lower import read
from gradc.ops import OPS
from gradc.passes.stabilise import stabilise

mpmath = pytest.importorskip("mpmath")

RULES = {rule.name: rule for rule in rules()}
MAGNITUDES = (1e-9, 1e-3, 0.3, 1.0, 2.5, 20.0)
FAR = (1e-4, 1.0, 1e4)
POINTS = 24
FINE = 300  # digits that are enough at all of them
ULPS = 256  # of value and gradient, unless those as written are about as bad
SMALLEST, LARGEST = 1e-290, 1e290

# What the variables of a rule are where its condition wants more than chance gives.
HOLDING = {
    "shared(x, y) > 0": {"x": "(u + v)", "y": "u"},
    "shared(x, y) > 0 and shared(x, 0 - y) > 0": {"x": "(u + v)", "y": "(u - v)"},
    "shared(y*u, v*x) > 0": {"y": "1", "v": "1", "u": "(x + a)"},
    "shared(y, x^2) > 0": {"y": "(x^2 + u)"},
    "shared(x, 1) > 0": {"x": "(1 + u)"},
    "shared(x, 1) > 0 and number(y) == 0": {"x": "(1 + u)"},
    "shared(1 + x, y) > 0": {"y": "x"},
    "shared(v, w) > 0 and shared(1 + x, y) > 0": {"v": "(a + 1)", "w": "a", "y": "x"},
    "shared(2*x, 1) > 0": {"x": "((1 - u)/2)"},
    "x - z == y - w": {"z": "(x + v)", "w": "(y + v)"},
    "x + y == 1": {"y": "(1 - x)"},
    "x + z == y + w": {"z": "(1 - x)", "w": "(1 - y)"},
    "x + z == 1": {"z": "(1 - x)"},
    "x + z == 1 and y + w == 1": {"z": "(1 - x)", "w": "(1 - y)"},
    "c > 0": {},
    "c > 0 and 1 - c > 0": {},
    "length(x) < 1 and length(y) < 1": {},
    "level(x) < 1": {},
    "k > 0": {},
    "k > 0 and (k - 1)^2 > 0": {},
    "c > 0 and k > 0": {},
    "negative(x) < 1": {},
    "negative(v) < 1": {},
    "c > 0 and negative(v) < 1": {},
    "terms(v) < 2 and negative(v) < 1": {},
    "c > 0 and terms(v) < 2 and negative(v) < 1": {},
    "plain(x) > 0 and plain(y) > 0": {},
    "number(y) == 0": {},
    "number(z) == 0": {},
    "positive(x) > 0": {"x": "softplus(u)"},
    "x >= 0": {"x": "abs(u)"},
    "y > 0 and level(x) > 0": {
        "x": "(u - detach(max(u, v)))",
        "y": "exp(v - detach(max(u, v)))",
    },
    "y > 0 and terms(y) > 1": {"y": "(exp(u) + exp(v))"},
    "y > 0 and terms(y) < 2": {"y": "cosh(u)"},
    "x > 0 and y > 0": {"x": "softplus(u)", "y": "softplus(v)"},
    "z == x + y": {"z": "(x + y)"},
    "z + 1 == x + y": {"z": "(x + y - 1)"},
    "shared(x, y) > 0 and shared(x, z) > 0": {"x": "(y + z + u)"},
    "x == y + 1": {"x": "(y + 1)"},
    "y == x + 1": {"y": "(x + 1)"},
    "x - y > 0.1": {"x": "(y + 2.5)"},
    "x - y > 0": {"x": "(y + 2.5)"},
    "y - x > 0": {"y": "(x + 2.5)"},
}
ALONE = "alone > 0"
CONSTANT = {"p": "0.3", "c": "0.7", "k": "1.7"}
EVERY = {
    "w*exp(x)": "w*exp(x) + exp(y) + 2",
    "w*exp(y)": "w*exp(y) + exp(x) + 3*exp(z)",
    "k*exp(x)": "k*exp(x) + k*exp(y) + k",
    "x^2": "x^2 + 9*y^2 + z^2",
    "y": "y, z, 2*w",
}


def formula(rule: Rule) -> str:
    """An instance of a rule's pattern, as a formula."""
    text = rule.pattern.source
    for term, terms in EVERY.items():
        listed = terms if "," in terms else f"({terms})"
        text = text.replace(f"every({term})", listed)
    asked = rule.given.source.replace(" and alone > 0", "") if rule.given else ALONE
    given = HOLDING[asked] if asked != ALONE else {}
    swap = {**CONSTANT, **given}
    return re.sub(r"\b\w+\b", lambda m: swap.get(m[0], m[0]), text)


def points(
    program: Program, name: str, magnitudes: Sequence[float] = MAGNITUDES
) -> Iterator[dict[str, float]]:
    """Random points of mixed sizes and signs."""
    draw = Random(name)
    for k in range(POINTS):
        yield {
            item.name: draw.uniform(0.5, 2.0)
            * draw.choice(magnitudes)
            * (1 if k % 2 else draw.choice((1, -1)))
            for item in program.inputs
        }


@pytest.mark.parametrize("name", RULES)
def test_a_rule_applies_to_its_pattern(name: str) -> None:
    after = stabilise(read(formula(RULES[name])))
    assert name in {rule for rule, _ in after.rules}


@pytest.mark.parametrize("name", [*RULES][::4])
@pytest.mark.some(3)
def test_it_makes_no_difference_which_rules_have_been_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = read(formula(RULES[name]))
    known = [Index(), Index()]
    for op in [*(row.name for row in OPS), "where"]:
        known[1].meet(op)
    assert {rule.name for some in known[1].values() for rule in some} == {*RULES}
    found = []
    for index in known:
        monkeypatch.setattr("gradc.passes.stabilise.index", lambda: index)
        found.append(stabilise(program))
    assert repr(found[0]) == repr(found[1]) and found[0].rules == found[1].rules


@pytest.mark.parametrize("name", RULES)
@pytest.mark.some(2)
def test_a_rule_is_true_and_keeps_the_domain(name: str) -> None:
    before = read(formula(RULES[name]))
    after = verify(stabilise(before))
    old, new, exact = Witness(before), Witness(after), Witness(unbounded(after))
    defined = 0
    for point in points(before, name):
        x, y, z = old.value(point), new.value(point), exact.value(point)
        assert (x is None) == (y is None) == (z is None), point
        if x is not None:
            defined += 1
            unit = max(abs(x), SMALLEST)
            assert abs(x - y) <= unit * mpmath.mpf(10) ** -19, (point, x, y)
            if abs(x - z) > unit * mpmath.mpf(10) ** -40:  # x may have 20 digits
                x = old.trace(point, FINE).values[before.outputs[0]]
            assert abs(x - z) <= unit * mpmath.mpf(10) ** -40, (point, x, z)
    assert defined > 2


@pytest.mark.parametrize(
    "name", [n for n in RULES if ", same)" in RULES[n].replacement.source]
)
def test_what_is_the_same_is_so_on_both_sides(name: str) -> None:
    """Where a domain decides the condition of such a rule it holds outside as well."""
    rule = RULES[name]
    (formula,) = re.findall(r"^where\(.*?, (.*), same\)$", rule.replacement.source)
    before, after = read(rule.pattern.source), read(formula)
    old, new = Witness(before), Witness(after)
    compared = 0
    for point in points(before, name):
        x, y = old.value(point), new.value(point)
        if x is not None and y is not None:
            compared += 1
            assert abs(x - y) <= max(abs(x), SMALLEST) * mpmath.mpf(10) ** -19, point
    assert compared > 2


def unbounded(program: Program) -> Program:
    """A program as a run in more digits takes it: nothing is below its bounds."""
    nodes = [
        ("const", 0.0) if n[0] == "const" and n[1] in program.bounds else n
        for n in program.nodes
    ]
    return replace(program, nodes=tuple(nodes))


def test_rules_that_are_not_equations_say_so() -> None:
    """Of the others a law asks 40 digits; these have the digits of floats."""
    assert {name for name in RULES if "near(" in RULES[name].replacement.source} == {
        "near erfs",
        "near normcdfs",
        "log of normcdfs",
        "digamma less log",
        "next digamma less log",
    }


def gap(found: float, true: Any) -> float:
    """The distance to the truth in units in the last place."""
    return float(abs(found - true)) / math.ulp(float(true))


def answers(compiled: gradc.Compiled, point: dict[str, float]) -> list[float]:
    """The value and the derivatives; not a number where there is an exception."""
    try:
        value, slopes = compiled.value_and_grad(**point)
    except (ArithmeticError, ValueError):
        return [math.nan] * (1 + len(compiled.wrt))
    return [value, *slopes]


@pytest.mark.long
@pytest.mark.parametrize("name", RULES)
def test_a_rule_keeps_its_digits(name: str) -> None:
    compare_digits(formula(RULES[name]), name, MAGNITUDES, worse=2)


NEAR = [
    name
    for name, rule in RULES.items()
    if rule.given and "shared(x, y)" in rule.given.source
]


@pytest.mark.parametrize("name", NEAR)
def test_a_near_rule_keeps_its_digits_far_apart(name: str) -> None:
    far = {**CONSTANT, "x": "(u^2 + 1)", "y": "(v^2 + 1)"}
    source = RULES[name].pattern.source
    text = re.sub(r"\b\w+\b", lambda m: far.get(m[0], m[0]), source)
    compare_digits(text, name, FAR, worse=10)


def compare_digits(
    text: str, name: str, magnitudes: Sequence[float], worse: float
) -> None:
    """Beyond ULPS, no error is so many times that of the formula as written."""
    compiled, written = gradc.compile(text), gradc.compile(text, strict=True)
    witness = Witness(read(text))
    for point in points(witness.program, name, magnitudes):
        if witness.value(point) is None:
            continue
        truth = [witness.value(point)]
        truth += [witness.derivative(point, name) for name in compiled.wrt]
        rows = zip(truth, answers(compiled, point), answers(written, point))
        for true, found, before in rows:
            if true is None or true != true or not SMALLEST < abs(true) < LARGEST:
                continue
            error, usual = gap(found, true), gap(before, true)
            assert error <= ULPS or not usual < error / worse
