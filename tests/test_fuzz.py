"""Random formulas: modules against both witnesses, and bit for bit where that is said.

Of the latter Hypothesis draws every choice that makes a formula and its points, so that
it shrinks what it finds.
"""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradc
from gradc.checking.check import unroll
from gradc.errors import GradcError, Source
from gradc.ir import Program
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.ops import OPS
from gradc.run import evaluate
from tests.strategies import formula

fuzz: Any = pytest.importorskip("tests.fuzz")  # which asks python-flint

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -7.0)
EXTREME = (5e-324, -1e-310, 1e-300, -1e-300, 1e-20, 1e16, 1e300, -1e300, 1.7e308)

randoms = st.randoms(use_true_random=False)
short = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


# ---- both witnesses


@pytest.mark.parametrize(
    ("seed", "start", "stop"),
    [
        *[(1, k, k + 100) for k in (0, 100, 200)],
        *[
            pytest.param(2, k, k + 500, marks=pytest.mark.long)
            for k in range(0, 5000, 500)
        ],
    ],
)
def test_modules_are_what_the_witnesses_say(seed: int, start: int, stop: int) -> None:
    noted = fuzz.block(seed, range(start, stop))
    assert [x for x in noted["told"] if x.verdict in ("wrong", "crash")] == []
    counts = noted["counts"]
    every = sum(counts[verdict] for verdict in fuzz.VERDICTS)
    assert counts["right"] > 0.9 * (every - counts["raised"] - counts["none"]) > 0


def test_what_is_wrong_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module of another formula than the one that is written."""
    compile = gradc.compile

    def planted(text: str, **options: Any) -> Any:
        found = compile(text, **options)
        found.written = compile(text.replace("sin(", "tan(")).written
        return found

    monkeypatch.setattr(fuzz.gradc, "compile", planted)
    text = "input x, y\nb0 = log1p(abs(y))\n(b0 + where((x < 0), 1, (2*sin((x + y)))))"
    told = [found for _, found in fuzz.judged(text, "", [{"x": 0.5, "y": 0.25}])]
    whats = ["value", "value", "d/dx", "d/dy"]
    assert [(x.verdict, x.what) for x in told if x] == [("wrong", x) for x in whats]
    small = fuzz.shrunk(told[0])
    assert small.text == "input x, y\nsin(1)" and small.key == told[0].key
    assert small.point == {"x": 0.0, "y": 0.0}


# What stands in the manual's list: the emitted, the point, and a number that is off there.
LISTED = {
    "log(0.5*gamma(3)) + 0*x": ("", {"x": 1.0}, "value"),
    "sigmoid(x) - sigmoid(y)": ("hessian", {"x": 4.75, "y": 1.5625}, "d/dx dy"),
    "lgamma(x) + lgamma(y) - lgamma(x + y - 1)": ("", {"x": 1.0, "y": 3.0}, "d/dy"),
    "erf(copysign(1, (x - 1)/(y - x)/-y))": ("", {"x": 1.0, "y": 0.5}, "value"),
    "acos(sin(1e16)*sin(x) + cos(1e16)*cos(x)*cos(x))": ("", {"x": 0.5}, "value"),
}


@pytest.mark.parametrize("text", LISTED)
def test_what_the_manual_lists_is_told_apart(text: str) -> None:
    emit, point, what = LISTED[text]
    told = {x.what: x for _, x in fuzz.judged(text, emit, [point]) if x}
    assert told[what].verdict == "listed"
    place = fuzz.Place(text, emit, gradc.compile(text), None, point)
    assert not place.is_listed("mul(input, input)", 1e-17, 0)
    assert not place.is_listed("sub(mul, mul)", 1e-17, 0.5)
    assert not place.is_listed("sub(mul, mul)", 1e4, 0)


def test_a_run_goes_on_from_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    first, noted = fuzz.Tally(log), fuzz.block(3, range(4))
    first.note(noted)
    again = fuzz.Tally(log)
    assert [*again.lines()] == [*first.lines()] and again.done == {(3, 0)}
    assert fuzz.block(3, range(4)) == noted


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
        point = drawn.point(random, (*SPECIAL, *EXTREME))
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


@short
@given(randoms)
def test_strict(random: Random) -> None:
    strictly(random)


@pytest.mark.long
@settings(short, max_examples=1000)
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
