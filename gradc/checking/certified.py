"""Certified numbers of a formula at a point: the value and the derivatives, or why not.

The formula is run as it is written on power series of balls (`balls`), by one input after
the other. The bits are doubled until all results have those of a float. Where a divisor
is 0 at the point whichever input moves, all inputs drift a little, as t^2, which no first
derivative sees: what does not depend on the drift is the limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, arb_series, ctx

from gradc.checking.balls import BALLS, ZERO, Ball, Beside, Short, Undecided
from gradc.checking.balls import Unfinished, exactly, here
from gradc.checking.witness import Number
from gradc.functions import ZERO as LEFT_OUT
from gradc.functions import Function, filled
from gradc.ir import Program
from gradc.run import NOT_DEFINED, Point, Run, run

Terms = Sequence[Any]  # balls: the value, the slope, half of the curvature

BITS = 60  # beyond those of a result, in a first try
MOST = 600_000  # bits after which nothing is decided, unless fewer are asked for
WORK = 1_000_000_000  # nodes times bits times terms for one point, some seconds
ALIKE = 8_960  # bits from which on what is 0 in half of them may be 0
WHOLE = 16  # times the first bits, up to which all inputs move at once
TERMS = 48  # of a series, that division takes from
FLOAT = 60  # bits of a result that is a float
TRUTH = 80  # and of one that others are compared with
TINY = arb(2) ** -1080  # what is 0 as a float
ROUNDED = 44  # bits, half of a thousand units in the last place from those of floats
STEPS = 400  # bits in which the steps of a function are compared with floats
UNIT = 2.0**-53  # half a unit in the last place of 1
LOST = 1e4  # times which an error is enlarged where digits are lost
SMALL = 1e-290  # what is no larger has few digits as a float
PERIODIC = frozenset({"sin", "cos", "tan"})
PROMISED = 465  # the binary exponents of 1e-140 and 1e140
DRIFTS = (3, 7), (5, 4)  # two directions in which all inputs drift


@contextmanager
def precision(bits: int, terms: int, assumes: bool = False) -> Iterator[None]:
    """Compute with so many bits and terms, and perhaps take for 0 what may be."""
    before = ctx.prec, ctx.cap, here.assumes, here.found
    ctx.prec, ctx.cap, here.assumes, here.found = bits, terms, assumes, {}
    try:
        yield
    finally:
        ctx.prec, ctx.cap, here.assumes, here.found = before


class Way(NamedTuple):
    """What is wanted: an output, and so many of its derivatives along some inputs."""

    output: int
    along: frozenset[str]
    order: int


class Seen(NamedTuple):
    """What one look found: the terms, whether a kink was settled, and conventions."""

    terms: Terms
    kinks: bool
    used: Mapping[str, None]


Look = Seen | Exception  # or why nothing was found


def _agree(one: Terms, two: Terms) -> bool:
    return all(x.overlaps(y) for x, y in zip(one, two))


def _is_enough(x: Any, bits: int) -> bool:
    """Whether so many bits of a number are certain, or it is 0 among floats."""
    is_accurate = x.is_exact() or x.rel_accuracy_bits() >= bits
    return is_accurate or bool(x.abs_upper() < TINY)


def _joined(one: Look, two: Look, why: str) -> Look:
    """What two looks agree on, or the one if the other is outside of the domain."""
    if isinstance(one, Seen) and isinstance(two, Seen):
        return one if _agree(one.terms, two.terms) else Undecided(why)
    first, last = (one, two) if isinstance(two, Seen) else (two, one)
    return first if isinstance(first, Undecided) else last


class Numbers:
    """The certain numbers of a formula at a point, each way gone once.

    Arguments:
        bits: those of a result; after `most` of them nothing is decided.
        left: how much work may be done, in nodes times bits times terms.

    Attributes:
        conventions: what was settled by convention, in words.
        is_smooth: whether no kink, edge or root was met.
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
        self.is_smooth = True
        self._known: dict[Way, Look] = {}
        self._enough: dict[bool, int] = {}  # bits, where inputs drift and where not
        self._need = bits

    def ball(self, output: int, along: Sequence[str]) -> Any:
        """A value or a derivative by some inputs, a mixed one by three directions.

        Raises:
            Undecided, ValueError, ArithmeticError: there is none, or none is certain.
        """
        order = len(along)
        if len({*along}) < 2:
            term = self.terms(Way(output, frozenset(along), order))[order]
            if order < 2:
                return term
            with precision(2 * self.bits, TERMS):
                return term + term
        ways = [Way(output, frozenset(a), 2) for a in (along[:1], along[1:], along)]
        while True:
            one, two, both = (self.terms(way)[2] for way in ways)
            with precision(2 * self.bits, TERMS):
                found = both - one - two
            if _is_enough(found, self._need):
                return found
            if self.bits > self.most:
                raise Unfinished("the digits of a result")
            self.bits, self._known, self._enough = 4 * self.bits, {}, {}

    def terms(self, way: Way) -> Terms:
        """A value and its derivatives, divided by factorials."""
        if not self._known and self.left > 0:
            self._known.update(self._whole())
        if way not in self._known:
            self._known[way] = self._found(way)
        found = self._known[way]
        if isinstance(found, Exception):
            raise found
        self.conventions |= found.used
        return found.terms

    def _whole(self) -> Iterator[tuple[Way, Look]]:
        """All values and slopes by one run, if it meets no kink and no divisor of 0.

        Of n inputs the k-th moves by t^(n + k), so that t^(2*n) is of second order.
        """
        n, bits = max(len(self.point), 1), BITS + self.bits
        here.side, here.settles, here.whole, here.used = 0, False, True, {}
        given = {
            name: arb_series([x, *[0] * (n + k - 1), 1], 2 * n)
            for k, (name, x) in enumerate(self.point.items())
        }
        while bits <= min(WHOLE * BITS, self.most):
            self.left -= (cost := len(self.program.nodes) * bits * n)
            if self.left < 0:
                self.left += cost
                return
            try:
                with precision(bits, 2 * n):
                    balls = {name: Ball(x) for name, x in given.items()}
                    ends = run(self.program, balls, BALLS).results()
                    found = [[x[0], *[x[k] for k in range(n, 2 * n)]] for x in ends]
                if all(_is_enough(x, self.bits) for terms in found for x in terms):
                    break
            except Unfinished:
                pass
            except NOT_DEFINED:
                return
            bits *= 2
        else:
            return
        for output, (value, *slopes) in enumerate(found):
            yield Way(output, frozenset(), 0), Seen([value], False, here.used)
            for name, slope in zip(self.point, slopes):
                way = Way(output, frozenset([name]), 1)
                yield way, Seen([value, slope], False, here.used)

    def _found(self, way: Way) -> Look:
        """At the point, or beside it, or the limit on which two drifts agree."""
        at = self._look(way)
        if isinstance(at, Beside):
            at = self._beside(way)
        is_open = isinstance(at, (Undecided, ZeroDivisionError))
        if not is_open or type(at) is Unfinished or way.along == self.point.keys():
            return at
        above, below = (
            _joined(one, two, "limits that differ")
            for one, two in ([self._look(way, k, d) for d in DRIFTS] for k in (1, -1))
        )
        return _joined(above, below, "limits that differ")

    def _beside(self, way: Way) -> Look:
        """What both sides agree on if it goes on from the point, or the convention."""
        self.is_smooth = False
        above, below = self._look(way, 1), self._look(way, -1)
        at = self._look(way, settles=True)
        if isinstance(at, Exception):
            return _joined(above, below, "sides that differ")
        if isinstance(above, Exception) or isinstance(below, Exception):
            return at if self.left >= 0 else Unfinished("both sides")
        if all(_agree(x.terms[:1], at.terms) for x in (above, below)):
            return above if _agree(above.terms, below.terms) else at
        return Undecided("values that differ on both sides") if at.kinks else at

    def _look(
        self,
        way: Way,
        side: int = 0,
        drift: tuple[int, int] | None = None,
        settles: bool = False,
    ) -> Look:
        """With as many bits and terms as it takes."""
        here.side, here.settles, here.whole, here.used = side, settles, False, {}
        here.kinks = assumes = False
        bits = self._enough.get(drift is None, BITS + self.bits)
        terms = (way.order + 1) * (1 + abs(side)) + 1
        while True:
            self.left -= len(self.program.nodes) * bits * terms
            if self.left < 0:
                return Unfinished("it takes more work than is allowed")
            try:
                with precision(bits, terms, assumes):
                    found = self._run(way, side, drift)
                self._enough[drift is None] = bits
                if assumes:
                    here.used[f"what is 0 in {int(0.15 * bits)} digits is 0"] = None
                return Seen(found, here.kinks, here.used)
            except Short as error:
                terms *= 2
                if terms > TERMS:
                    return error
            except Unfinished as error:
                if not assumes and bits >= ALIKE:
                    assumes = True
                elif bits < self.most:
                    bits, assumes = min(2 * bits, self.most), False
                else:
                    return error
            except NOT_DEFINED as error:
                return error

    def _run(self, way: Way, side: int, drift: tuple[int, int] | None) -> Terms:
        """In one run: inputs move by t, or to one side by t^2."""
        step, sign, given = 2 if side else 1, side or 1, {}
        for k, (name, x) in enumerate(self.point.items()):
            moves: list[Any] = [arb(x), *[0] * (way.order + 1) * step]
            moves[step] = sign * (name in way.along)
            if drift:
                moves[-1] += arb(sign * (drift[0] + k)) / (drift[1] + k)
            is_moving = any(moves[1:])
            given[name] = Ball(arb_series(moves, ctx.cap)) if is_moving else exactly(x)
        found = run(self.program, given, BALLS).results()[way.output]
        if found is not ZERO and found.low < 0:
            found.first()
            raise Undecided("a pole")
        terms = [found[k] for k in range(step * way.order + 1)]
        for x in terms:
            if not _is_enough(x, self.bits):
                raise Unfinished("the digits of a result")
        if any(not x.contains(0) for k, x in enumerate(terms) if k % step):
            raise Undecided("an infinite derivative")
        return [x * sign**k for k, x in enumerate(terms[::step])]


def exact(x: Any) -> Fraction | float:
    """The middle of a ball, infinite or 0 if no float is of its size."""
    nearest = float(x)
    if x.contains(0) or not nearest or math.isinf(nearest):
        return Fraction(0) if x.contains(0) else nearest
    mantissa, exponent = (int(part) for part in x.mid().man_exp())
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
    every: Sequence[Number],
    point: Point,
    digits: int | None = None,
    most: int = MOST,
) -> Certified:
    """What a function returns at a point, certain.

    Arguments:
        written: the formula as it is written.
        every: what it returns.
        digits: those of results that are texts of decimals, None for floats.
        most: bits after which a number is undecided.
    """
    bits = FLOAT if digits is None else math.ceil(digits / math.log10(2.0)) + 8
    there = Numbers(written, point, bits, max(most, 2 * bits))
    undecided, values = dict[str, str](), dict[int, str]()
    found: dict[int, Any] = {LEFT_OUT: 0.0 if digits is None else "0"}
    for number in every:
        if failed := values.get(number.output):  # no slope where there is no value
            undecided[number.title] = failed
            continue
        try:
            ball = there.ball(number.output, number.along)
            text = digits and ball.str(digits, radius=False)
            found[number.place] = text or float(ball) + 0.0
        except NOT_DEFINED as error:
            undecided[number.title] = str(error)
            if not number.along:
                values[number.output] = str(error)
    parts = filled(function.layout, found.get)
    value, slopes, *curves = (parts, None) if function.name == "value" else parts
    hessian = curves[0] if "hessian" in function.name else None
    return Certified(value, slopes, hessian, undecided, (*there.conventions,))


class Witness:
    """Says what a formula is, for the check; `left` is the work that it may still do.

    `used` are the conventions that settled some truth.
    """

    def __init__(self, program: Program, left: float = math.inf) -> None:
        self.program, self.left, self.used = program, left, dict[str, None]()
        self._at = Numbers(program, {})

    def truth(
        self, point: Point, along: Sequence[str] = (), output: int = 0
    ) -> Fraction | float | None:
        """An output or its derivative by some inputs, None where it cannot be said."""
        if self._at.point != point:
            self._at = Numbers(self.program, point, TRUTH, ALIKE)
        start = self._at.left = min(self._at.left, self.left)
        try:
            return exact(self._at.ball(output, along))
        except NOT_DEFINED:
            return None
        finally:
            self.left -= start - self._at.left
            self.used |= self._at.conventions

    def explains(
        self, program: Program, point: Point, output: int, found: Any, truth: Any
    ) -> bool | None:
        """Whether rounding leads a program from the truth to what is found.

        None if that cannot be said, at a kink, or beyond the range that is promised.
        """
        if not self._at.is_smooth or not self.is_promised(point):
            return None
        ran = _coarse(program, point)
        if found is None or ran.error is not None:
            return False if found is None else None
        ball = ran.values[program.outputs[output]][0]
        if not ball.is_finite():
            return None
        gaps = [abs(exact(ball.mid()) - x) for x in (Fraction(found), truth)]
        return bool(max(gaps) <= exact(ball.rad()))

    def is_promised(self, point: Point) -> bool:
        """Whether no number on the way is beyond the range that is promised."""
        balls = [x for x in _coarse(self.program, point).values if isinstance(x, Ball)]
        sizes = [abs(x[0]) for x in balls if x is not ZERO]
        most = arb(2) ** PROMISED
        return all(x < most and (x.contains(0) or x > 1 / most) for x in sizes)


def loss(program: Program, point: Point) -> tuple[int, float]:
    """The step at which floats lose most digits, and by how much it enlarges an error.

    That is 1 where no result lacks digits, and of sines of large numbers, which are as
    uncertain as those. A loss in many steps is that of the result.
    """
    ran, sure = run(program, point), _coarse(program, point, STEPS).values
    off = [UNIT] * len(sure)  # the share by which each step is
    with precision(STEPS, 1):
        for i, x in enumerate(sure):
            known = x[0] if ran.has(i) and isinstance(x, Ball) else arb(0)
            if abs(known) > SMALL and known.rel_accuracy_bits() >= BITS:
                share = float(abs(arb(ran.values[i]) / known - 1).mid())
                off[i] = min(1.0, max(UNIT, share))
    inner = [max([off[a] for a in ran.reads(i)], default=x) for i, x in enumerate(off)]
    worst = max(program.outputs, key=off.__getitem__)
    lossy = max(range(len(off)), key=lambda i: off[i] / inner[i])
    if off[lossy] < LOST * inner[lossy]:
        lossy, inner[worst] = worst, UNIT
    if off[worst] < LOST * UNIT or program.nodes[lossy][0] in PERIODIC:
        return worst, 1.0
    return lossy, off[lossy] / inner[lossy]


def _coarse(program: Program, point: Point, bits: int = ROUNDED) -> Run:
    """A program at a point in bits so few that all roundings of floats show."""
    here.side, here.settles, here.whole, here.used = 0, True, False, {}
    with precision(bits, 1):
        return run(program, {name: exactly(x) for name, x in point.items()}, BALLS)
