"""Random formulas: compiled code against the check, and bit for bit where that is said.

Hypothesis draws every choice that makes a formula and its points, so that it shrinks
what it finds.
"""

from __future__ import annotations

import math
from itertools import product
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradc
from gradc.checking.witness import unroll
from gradc.errors import GradcError, Source
from gradc.ir import Program
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.ops import OPS
from gradc.run import evaluate
from tests.strategies import FINE, Formula, Point, formula

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -7.0)
EXTREME = (5e-324, -1e-310, 1e-300, -1e-300, 1e-20, 1e16, 1e300, -1e300, 1.7e308)
SIGNED = ("atan2", "copysign")  # of -0.0, which mpmath does not have
PLAIN = tuple(
    row for row in FINE if row.name not in SIGNED and "herm" not in f"{row.witness}"
)

randoms = st.randoms(use_true_random=False)
short = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
long = settings(short, max_examples=400)


def point_of(drawn: Formula, random: Random, special: tuple[float, ...]) -> Point:
    """A point in the domains, of numbers with few digits or of special ones."""
    point: Point = {}
    for name, (low, high) in drawn.domains.items():
        inside = [x for x in (*special, *point.values()) if low <= x <= high]
        if inside and random.random() < 0.5:
            point[name] = random.choice(inside)
        else:
            low, high = max(low, -4.0), min(high, 4.0)
            point[name] = round(random.uniform(low, high) * 16) / 16
    return point


def checked(random: Random) -> None:
    """The check finds no mistake: not against `Value`, and not in 50 digits."""
    drawn = formula(random, rows=PLAIN, lines=2)
    try:
        compiled = gradc.compile(drawn.text)
    except GradcError as error:
        assert error.kind == "DomainMistake"  # a constant of the formula has no value
        return
    report = compiled.check(points=6)
    for wrong in report.mistakes:  # a formula may have a value nowhere
        assert wrong.message.startswith("no point was found"), drawn.text


@short
@given(randoms)
def test_checked(random: Random) -> None:
    checked(random)


@pytest.mark.long
@long
@given(randoms)
def test_checked_at_length(random: Random) -> None:
    checked(random)


# ---- strict: the value of the formula as written, bit for bit


def strictly(random: Random) -> None:
    """All that a formula has for its value agrees with it, evaluated node by node."""
    drawn = formula(random, lines=3)
    try:
        compiled = gradc.compile(drawn.text, strict=True)
    except GradcError as error:
        assert error.kind == "DomainMistake"  # a constant of the formula has no value
        return
    written = unroll(parse(drawn.text), compiled.program)
    for _ in range(3):
        point = point_of(drawn, random, (*SPECIAL, *EXTREME))
        args = [point[name] for name in compiled.inputs]
        try:
            value = float(evaluate(written, point)[0])
        except (ArithmeticError, ValueError, TypeError):
            continue
        if not math.isfinite(value):
            with pytest.raises(gradc.DomainError):
                compiled(*args)
            continue
        assert compiled(*args).hex() == value.hex()
        try:
            beside = compiled.value_and_grad(*args)[0]
        except gradc.DomainError:  # a derivative is not a number
            continue
        assert beside.hex() == value.hex()


@settings(short, max_examples=100)
@given(randoms)
def test_strict(random: Random) -> None:
    strictly(random)


@pytest.mark.long
@settings(long, max_examples=1000)
@given(randoms)
def test_strict_at_length(random: Random) -> None:
    strictly(random)


LEAVES = ("x", "y", "0", "-0.0", "1", "-1", "2", "0.5", "(-x)")
SYMBOLS = ("<", "<=", ">", ">=", "==", "!=")
PAIRS: tuple[str, ...] = (
    "{} + {}",
    "{} - {}",
    "{}*{}",
    "{}/{}",
    "{}^{}",
    "max({}, {})",
    "min({}, {})",
)
HELD = ("where(max({{}}, 0.5) {} {{}}, 1, 2)", "where({{}} {} min({{}}, -1), 1, 2)")
PAIRS += tuple(text.format(sign) for text in HELD for sign in SYMBOLS)
NUMBERS = (0.0, -0.0, 1.0, -2.0, 5e-324, 1e308, math.inf, -math.inf, math.nan)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.some(2)
def test_identities_hold_bit_for_bit(pair: str) -> None:
    """What construction simplifies keeps signed zeros, infinities and NaN."""
    for a, b in product(LEAVES, repeat=2):
        syntax = parse(Source.read(f"input x, y\n{pair.format(a, b)}", "<test>"))
        lowered = lower(syntax, OPS)
        written = unroll(syntax, lowered)
        for x, y in product(NUMBERS, repeat=2):
            want = bits(written, x, y)
            assert want is None or bits(lowered, x, y) == want, (a, b, x, y)


def bits(program: Program, x: float, y: float) -> str | None:
    """The value of a program as bits, None where Python raises."""
    try:
        return float(evaluate(program, {"x": x, "y": y})[0]).hex()
    except (ArithmeticError, ValueError, TypeError):
        return None
