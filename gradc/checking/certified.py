"""Certified numbers of a formula at a point: the value and the derivatives, or why not.

The formula is run as it is written on power series of balls (`balls`), by one input after
the other. The bits are doubled until all results have those of a float. Where a divisor
is 0 at the point whichever input moves, all inputs drift a little, as t^2, which no first
derivative sees: what does not depend on the drift is the limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, arb_series, ctx

from gradc.checking.balls import BALLS, ZERO, Ball, Branching, Short, Undecided
from gradc.checking.balls import Unfinished, exactly, here
from gradc.checking.witness import numbers
from gradc.functions import ZERO as LEFT_OUT
from gradc.functions import Function, filled
from gradc.ir import Program
from gradc.run import NOT_DEFINED, Point, run

Terms = Sequence[Any]  # balls: the value, the slope, half of the curvature

BITS = 80  # beyond those of a result, in a first try
MOST = 70_000  # bits after which nothing is decided, unless more are asked for
WORK = 600_000_000  # nodes times bits times terms for one point, some seconds
CHECKED = 5_000  # bits after which the check leaves a number undecided
TERMS = 48  # of a series, that division takes from
FLOAT = 60  # bits of a result that is a float
LEAST = arb(2) ** -500  # where 0 is told by digits, no number on the way is smaller
TINY = arb(2) ** -1080  # what is 0 as a float
SIZES = 1200  # a binary exponent far below those of floats
SINGLED = "an equality at the point alone counts as none"
# What inputs drift by: a sign, and two numbers. In the first pair t has both signs.
DRIFTS = ((1, 3, 7), (-2, 5, 4)), ((1, 3, 7), (2, 5, 4))


@contextmanager
def precision(bits: int, terms: int) -> Iterator[None]:
    """Compute with so many bits and terms."""
    before = ctx.prec, ctx.cap
    ctx.prec, ctx.cap = bits, terms
    try:
        yield
    finally:
        ctx.prec, ctx.cap = before


def _agree(one: Terms, two: Terms) -> bool:
    return all(x.overlaps(y) for x, y in zip(one, two))


class Way(NamedTuple):
    """What is wanted: an output, and so many of its derivatives along some inputs."""

    output: int
    along: frozenset[str]
    order: int


class Numbers:
    """The certain numbers of a formula at a point, each way gone once.

    Arguments:
        bits: those of a result; after `most` of them nothing is decided.
        left: how much work may be done, in nodes times bits times terms.

    Attributes:
        conventions: what was settled by convention, in words.
    """

    def __init__(
        self,
        program: Program,
        point: Point,
        bits: int = FLOAT,
        most: int = MOST,
        left: float = WORK,
    ) -> None:
        self.program, self.point = program, point
        self.bits, self.most, self.left = bits, most, left
        self.conventions: dict[str, None] = {}
        self.values: Sequence[Any] = ()  # of all nodes, in the last run
        self._known: dict[Way, Terms | Exception] = {}

    def ball(self, output: int, along: Sequence[str]) -> Any:
        """A value or a derivative by some inputs, a mixed one by three directions.

        Raises:
            Undecided, ValueError, ArithmeticError: there is none, or none is certain.
        """
        order = len(along)
        if len({*along}) < 2:
            terms = self.terms(Way(output, frozenset(along), order))
            return terms[order] * math.factorial(order)
        ways = (frozenset(names) for names in (along[:1], along[1:], along))
        one, two, both = (self.terms(Way(output, names, 2))[2] for names in ways)
        return both - one - two

    def terms(self, way: Way) -> Terms:
        """A value and its derivatives, divided by factorials."""
        if way not in self._known:
            here.used = {}
            try:
                self._known[way] = self._beside(way)
            except NOT_DEFINED as error:
                self._known[way] = error
            self.conventions |= here.used
        found = self._known[way]
        if isinstance(found, Exception):
            raise found
        return found

    def _beside(self, way: Way) -> Terms:
        """Those at the point, or at a kink those on which both sides agree."""
        here.through = here.singled = here.kinks = False
        found, used = self._drifted(way), here.used
        if not here.singled and not here.kinks:
            return found
        has_kinks, here.through, here.used = here.kinks, True, {}
        try:
            above, below = (self._certain(way, (), side) for side in (1, -1))
        except NOT_DEFINED:
            if self.left < 0:  # perhaps they do
                raise
            here.used = used
            return found
        is_alike = _agree(above[:1], found) and _agree(below[:1], found)
        if has_kinks and not is_alike:
            raise Undecided("values that differ on both sides")
        if is_alike and _agree(above, below):
            if here.singled:
                here.used[SINGLED] = None
            return above
        here.used = used
        return found

    def _drifted(self, way: Way) -> Terms:
        """Those at the point, or the limit on which two drifts agree."""
        try:
            return self._sided(way, ())
        except (Undecided, ZeroDivisionError) as error:
            if way.along == self.point.keys():
                raise
            failed = error
        for drifts in DRIFTS:
            try:
                one, two = (self._sided(way, drift) for drift in drifts)
                if _agree(one, two):
                    return one
                failed = Undecided("limits that differ")
            except NOT_DEFINED as error:
                failed = error if isinstance(error, Undecided) else failed
            here.used["the limit from above"] = None
        raise failed

    def _sided(self, way: Way, drift: Sequence[int]) -> Terms:
        """By t, or by t^2 or -t^2 where a root begins."""
        with suppress(Branching):
            return self._certain(way, drift, 0)
        found, errors = list[Terms](), list[Exception]()
        for side in (1, -1):
            try:
                found.append(self._certain(way, drift, side))
            except NOT_DEFINED as error:
                errors.append(error)
        if found and _agree(found[0], found[-1]):
            return found[0]
        undecided = [error for error in errors if isinstance(error, Undecided)]
        raise Undecided("sides that differ") if found else [*undecided, *errors][0]

    def _certain(self, way: Way, drift: Sequence[int], side: int) -> Terms:
        """With as many bits and terms as it takes."""
        bits, terms, here.assumes = BITS + self.bits, way.order + 2, False
        while True:
            self.left -= len(self.program.nodes) * bits * terms
            if self.left < 0:
                raise Unfinished("it takes more work than is allowed")
            with precision(bits, terms):
                try:
                    return self._tried(way, drift, side)
                except Short:
                    terms *= 2
                    if terms > TERMS:
                        raise
                except Unfinished:
                    if here.assumes:
                        raise
                    bits, here.assumes = min(2 * bits, self.most), 2 * bits > self.most

    def _tried(self, way: Way, drift: Sequence[int], side: int) -> Terms:
        here.side, step, sign = abs(side), 2 if side else 1, side or 1
        given = {}
        for k, (name, x) in enumerate(self.point.items()):
            moves: list[Any] = [arb(x), *[0] * (way.order + 1) * step]
            moves[step] = sign * (name in way.along)
            if drift:
                moves[-1] += arb(sign * drift[0] * (drift[1] + k)) / (drift[2] + k)
            is_moving = any(moves[1:])
            given[name] = Ball(arb_series(moves, ctx.cap)) if is_moving else exactly(x)
        ran = run(self.program, given, BALLS)
        self.values, found = ran.values, ran.results()[way.output]
        if here.assumes:
            self._require_moderate()
        if found is not ZERO and found.low < 0:
            found.first()
            raise Undecided("a pole")
        terms = [found[k] for k in range(step * way.order + 1)]
        for x in terms:
            is_enough = x.is_exact() or x.rel_accuracy_bits() >= self.bits
            if not is_enough and not x.abs_upper() < TINY:
                raise Unfinished("the digits of a result")
        if any(not x.contains(0) for k, x in enumerate(terms) if k % step):
            raise Undecided("an infinite derivative")
        return [x * sign**k for k, x in enumerate(terms[::step])]

    def _require_moderate(self) -> None:
        """Refuse to take anything for 0 beside numbers as small as what is left of it."""
        for x in self.values:
            if isinstance(x, Ball) and x is not ZERO and not x.low:
                if not LEAST < abs(x[0]) < 1 / LEAST:
                    raise Unfinished("whether a number is 0")
        here.used[f"what is 0 in {int(0.15 * self.most)} digits is 0"] = None


def exact(x: Any) -> Fraction | float:
    """The middle of a ball, infinite or 0 if no float is of its size."""
    if x.contains(0):
        return Fraction(0)
    mantissa, exponent = (int(part) for part in x.mid().man_exp())
    size = exponent + mantissa.bit_length()
    if mantissa and not -SIZES < size <= 1024:
        return (0.0 if size < 0 else math.inf) * (1 if mantissa > 0 else -1)
    return mantissa * Fraction(2) ** exponent


@dataclass(frozen=True)
class Certified:
    """The numbers of a formula as written at a point: floats, or texts of decimals.

    Attributes:
        value, gradient, hessian: nested as the functions return them, None for what is
            undecided. The gradient of a formula that is no number is its Jacobian.
        undecided: the reasons, by the names of the numbers.
        conventions: what was settled by convention: slopes at kinks, limits, zeros.
    """

    value: Any
    gradient: Any = None
    hessian: Any = None
    undecided: Mapping[str, str] = field(default_factory=dict)
    conventions: tuple[str, ...] = ()


def certified(
    written: Program,
    function: Function,
    wrt: Sequence[str],
    point: Point,
    digits: int | None = None,
    most: int = MOST,
) -> Certified:
    """What a function returns at a point, certain.

    Arguments:
        written: the formula as it is written.
        wrt: the inputs to differentiate by, by elements.
        digits: those of results that are texts of decimals, None for floats.
        most: bits after which a number is undecided.
    """
    bits = FLOAT if digits is None else math.ceil(digits / math.log10(2.0)) + 8
    there = Numbers(written, point, bits, max(most, 2 * bits))
    undecided, values = dict[str, str](), dict[int, str]()
    found: dict[int, Any] = {LEFT_OUT: 0.0 if digits is None else "0"}
    for number in numbers(function, written, wrt):
        if failed := values.get(number.output):  # no slope where there is no value
            undecided[number.title] = failed
            continue
        try:
            with precision(bits + BITS, TERMS):
                ball = there.ball(number.output, number.along)
                text = digits and ball.str(digits, radius=False)
                found[number.place] = text or float(exact(ball))
        except NOT_DEFINED as error:
            undecided[number.title] = str(error)
            if not number.along:
                values[number.output] = str(error)
    parts = filled(function.layout, found.get)
    value, slopes, *curves = (parts, None) if function.name == "value" else parts
    hessian = curves[0] if "hessian" in function.name else None
    return Certified(value, slopes, hessian, undecided, (*there.conventions,))


class Witness:
    """Says what a formula is, for the check; `left` is the work that it may still do."""

    def __init__(self, program: Program, left: float = math.inf) -> None:
        self.program, self.left = program, left
        self._at = Numbers(program, {})

    def truth(
        self, point: Point, along: Sequence[str] = (), output: int = 0
    ) -> Fraction | float | None:
        """An output or its derivative by some inputs, None where it cannot be said."""
        if self._at.point != point:
            self._at = Numbers(self.program, point, BITS, CHECKED)
        start = self._at.left = min(self._at.left, self.left)
        try:
            with precision(2 * BITS, TERMS):
                return exact(self._at.ball(output, along))
        except NOT_DEFINED:
            return None
        finally:
            self.left -= start - self._at.left

    def exponents(self) -> tuple[int, int]:
        """Those of the smallest and the largest number on the way to the last truth."""
        balls = [x for x in self._at.values if isinstance(x, Ball) and x is not ZERO]
        parts = [x[0].mid().man_exp() for x in balls if not x.low and x.terms.length()]
        sizes = [int(e) + int(m).bit_length() for m, e in parts]
        return min(sizes, default=0), max(sizes, default=0)
