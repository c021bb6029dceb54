"""Differential fuzzing: compiled code, `Value` and 50 digits on random formulas.

Hypothesis draws every choice that makes a formula and its points, so that it shrinks
what it finds. A result counts as wrong if rounding explains it neither in the formula
as written nor in the program that was compiled.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator
from itertools import product
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import gradc
from gradc.run import Run as Trace
from gradc.checking.textbook import Run, Textbook, own_rounding
from gradc.checking.unroll import unroll
from gradc.checking.witness import Witness
from gradc.compiler import Compiled
from gradc.errors import DomainMistake
from gradc.run import evaluate
from gradc.ir import Program
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.ops import OPS
from gradc.errors import Source
from tests.strategies import FINE, Formula, Point, formula
from tests.test_table import INFINITE, holds

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -7.0)
EXTREME = (5e-324, -1e-310, 1e-300, -1e-300, 1e-20, 1e16, 1e300, -1e300, 1.7e308)
NORMAL = (sys.float_info.min, sys.float_info.max)
LARGEST = 1e290  # result that is compared
SMALLEST = (1e-290, 1e-25)  # value and slope; the witness takes steps of this size
SERIES = ("gamma", "psi", "erf", "ncdf", "npdf", "beta", "zeta", "herm", "diff(")
DIGITS = 700  # so that 1e300 + 1e-300 is not 1e300
STEPS = ("floor", "ceil", "trunc", "round", "mod", "fmod", "remainder", "sign")
TIES = ("min", "max", "clip")
WAVES = ("sin", "cos", "tan", "sinc")  # of 1e300 they hang on the last digit of it
SIGNED = ("atan2", "copysign")  # of -0.0, which mpmath does not have
PLAIN = tuple(
    row for row in FINE if row.name not in SIGNED and "herm" not in f"{row.witness}"
)
QUICK = tuple(  # rows that mpmath follows to extreme points, and differentiates there
    row
    for row in PLAIN
    if row.name not in (*STEPS, *WAVES)
    and not any(name in f"{row.name} {row.witness} {row.means}" for name in SERIES)
)
FEWEST, MOST = 3, 60  # nodes of a formula that is compared


class Trial:
    """One formula, compiled, as written on floats and `Value`, and in 50 digits."""

    def __init__(self, compiled: Compiled, written: Program) -> None:
        self.compiled = compiled
        self.written = written
        self.textbook = Textbook(written, compiled.wrt)
        self.witness = Witness(written)
        self.own = Witness(compiled.program)

    def mistakes(self, point: Point) -> Iterator[str]:
        """What is wrong at a point."""
        found = self.found(point)
        path = self.textbook.path(point)
        exact = self.witness.trace(point, DIGITS)
        if exact.failed is not None or path.failed is None:
            if exact.taken != path.taken or self.steps(exact) != self.steps(path):
                return  # rounding decides a condition or a step
        run = self.textbook.run(point, path)
        for j, truth in enumerate(self.truths(point, path, run)):
            if truth is None or abs(truth) > LARGEST:
                if j == 0:
                    return
                continue
            if abs(truth) < SMALLEST[j > 0]:
                continue
            name = ("value", *self.compiled.wrt)[j]
            if j >= len(found):
                if j == 0 or not self.at(INFINITE, path):
                    yield f"{name} is {float(truth)!r}, and nothing is returned"
            elif not self.explained(point, run, j, found[j], truth):
                yield f"{name} is {float(truth)!r}, not {found[j]!r}"

    def found(self, point: Point) -> tuple[float, ...]:
        """The results of compiled code: all, or the value, or none."""
        args = [point[name] for name in self.compiled.inputs]
        try:
            only = self.compiled(*args)
        except gradc.DomainError:
            return ()
        try:
            value, gradient = self.compiled.value_and_grad(*args)
        except gradc.DomainError:
            return (only,)
        assert value == only
        return value, *gradient

    def steps(self, trace: Trace) -> list[float]:
        """What the steps of a formula come to; those of remainders, in whole numbers."""
        found = []
        for i in trace.order:
            op, *args = self.written.nodes[i]
            if op in STEPS and trace.failed is None:
                step = trace.values[i]
                if len(args) == 2:
                    x, y = (mpf(trace.values[a]) for a in args)
                    step = mp.nint((x - step) / y)
                found.append(float(step))
        return found

    def at(self, rows: Collection[str], path: Trace) -> bool:
        """Whether one of some rows on the way is at a kink."""
        for i in path.order:
            op, *args = self.written.nodes[i]
            if op in rows and path.failed is None:
                if holds(OPS[op], OPS[op].kinks, tuple(path.values[a] for a in args)):
                    return True
        return False

    def truths(
        self, point: Point, path: Trace, run: Run | None
    ) -> Iterator[float | None]:
        """The true results; at a kink those of `Value`, None where nobody knows."""
        value = self.witness.value(point)
        yield value
        for j, name in enumerate(self.compiled.wrt, start=1):
            slope = None if value is None else self.witness.derivative(point, name)
            if slope is None:
                yield None
                continue
            if math.isnan(slope) or self.turns(point, name) or self.at(TIES, path):
                slope = run.results[j] if run else None
            yield slope

    def turns(self, point: Point, name: str) -> bool:
        """Whether a condition changes at a point, so that its slope is a convention."""
        with mp.workdps(400):
            x = mpf(point[name])
            step = mpf(10) ** -330 + abs(x) * mpf(10) ** -25
            near = [{**point, name: x + h} for h in (step, 0, -step)]
        paths = [self.witness.trace(p, 400).taken for p in near]
        return paths[0] != paths[1] or paths[1] != paths[2]

    def explained(
        self, point: Point, run: Run | None, j: int, found: float, truth: float
    ) -> bool:
        """Whether a result differs from the truth by rounding alone."""
        difference = abs(float(truth - found))
        if difference <= 1e-9 * abs(truth):
            return True
        path = self.textbook.path(point)
        if self.beyond(point, j):
            return True
        roundings = [own_rounding(self.compiled.program, point)]
        if run is not None:
            roundings.append(self.textbook.rounding(point, path, run))
        return any(r.explains(j, difference) or r.shaky for r in roundings)

    def beyond(self, point: Point, j: int) -> bool:
        """Whether compiled code passes by numbers that floats do not have.

        It does not notice where such a number ends in what is finite, as 1/1e400 does,
        and a sum of them keeps 40 digits.
        """
        exact = self.own.trace(point, DIGITS)
        sizes = {
            i: abs(x)
            for i, x in enumerate(exact.values)
            if isinstance(x, self.own.context.mpf) and x
        }
        if all(NORMAL[0] <= x <= NORMAL[1] for x in sizes.values()):
            return False
        run = self.compiled._value_and_grad if j else self.compiled._value
        try:
            found = run(*[point[name] for name in self.compiled.inputs])
            if math.isfinite(sum(found[1], found[0]) if j else found):
                return True
        except (ArithmeticError, ValueError):
            pass
        return any(
            sizes[a] > 1e25 * sizes.get(i, 0.0)
            for i, (op, *args) in enumerate(self.compiled.program.nodes)
            for a in args
            if op in ("add", "sub") and a in sizes
        )


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


def compare(drawn: Formula, random: Random, special: tuple[float, ...]) -> None:
    """Let the three agree on a formula, at a few points."""
    try:
        compiled = gradc.compile(drawn.text)
    except DomainMistake:  # a constant of the formula has no value
        return
    written = unroll(parse(drawn.text), compiled.program)
    assume(FEWEST < len(written.nodes) < MOST)
    trial = Trial(compiled, written)
    for _ in range(2):
        point = point_of(drawn, random, special)
        assert not (wrong := [*trial.mistakes(point)]), (drawn.text, point, wrong)


randoms = st.randoms(use_true_random=False)
short = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
long = settings(short, max_examples=300)


def ordinary(random: Random) -> None:
    compare(formula(random, rows=PLAIN, lines=2), random, SPECIAL)


def extreme(random: Random) -> None:
    compare(formula(random, rows=QUICK, lines=2), random, (*SPECIAL, *EXTREME))


@short
@given(randoms)
def test_ordinary_points(random: Random) -> None:
    ordinary(random)


@short
@given(randoms)
def test_extreme_points(random: Random) -> None:
    extreme(random)


@pytest.mark.long
@long
@given(randoms)
def test_many_ordinary_points(random: Random) -> None:
    ordinary(random)


@pytest.mark.long
@long
@given(randoms)
def test_many_extreme_points(random: Random) -> None:
    extreme(random)


# ---- strict: the value of the formula as written, bit for bit


def strictly(random: Random) -> None:
    """All that a formula has for its value agrees with it, evaluated node by node."""
    drawn = formula(random, lines=3)
    try:
        compiled = gradc.compile(drawn.text, strict=True)
    except DomainMistake:  # a constant of the formula has no value
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
            try:
                assert repr(compiled._value(*args)) == repr(value)
            except OverflowError:  # the value is tested
                pass
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
@settings(long, max_examples=600)
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
