"""Certified numbers of a formula at a point: the value and the derivatives, or why not.

The formula is run as it is written on power series of balls (`balls`): by all inputs at
once, or if that meets a kink or a divisor of 0 by each, at the point and from both sides.
The bits are doubled until all results have those of a float. Where a divisor is 0
whichever input moves, all inputs drift a little, by a power of t too high for what is
looked for: what does not depend on the drift is the limit.

Test vectors are such numbers at points that are drawn, with how far each target may be
off: a bound of first order on what rounds on the way (`passes.bound`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, product
from random import Random
from typing import Any, NamedTuple

from flint import arb, arb_series, ctx

from gradc.checking.balls import ABOVE, BALLS, SLOPE, ZERO, Ball, Below, Look, Short
from gradc.checking.balls import Undecided, Unfinished, exactly, precision
from gradc.checking.samples import drawn
from gradc.errors import GradcError, mistake
from gradc.functions import ZERO as LEFT_OUT
from gradc.functions import Number, filled
from gradc.ir import Program, Result, grouped
from gradc.ops import Table
from gradc.passes.bound import bound
from gradc.run import NOT_DEFINED, Point, Run, run

BITS = 60  # beyond those of a result, in a first try
WORK = 2_000_000_000  # nodes times bits times terms for one point, some seconds
ALIKE = 8_960  # bits from which on what is 0 in half of them may be 0
TERMS = 48  # of a series, that division takes from
WIDE = 2_000  # bits up to which there may be more, where flint may abort
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
SIDES = 1, -1  # of a point, above and below
# Units in the last place by which functions of a target are off, where that is more than
# the table says; `gradc help accuracy` tells how it was measured.
TARGETS: Mapping[str, Mapping[str, float]] = {
    "python": {},
    "numpy": dict(erf=2, erfc=6, hypot=2),
    "c": dict(hypot=2),
    "js": dict(atan2=1.5, erfc=4, erfcx=5, hypot=2.5),
}
DRAWS = 40  # points that are tried for a vector
MEANT = 2.0**52  # units beyond which a number is of no size, as 0 of terms that cancel
TURNED = 100  # times its bound that an error is where rounding turns a condition
DRIFTS = 1, 2  # in one direction and another, the k-th input by 3 + k to that power


class Way(NamedTuple):
    """What is looked for: the terms of outputs at powers of t, by which inputs move."""

    outputs: Sequence[int]
    moves: Mapping[str, Sequence[int]]
    powers: Sequence[int]


Found = Look | Exception  # what was found, or why nothing
Exact = Fraction | float  # the latter infinite or 0


def _joined(looks: Sequence[Found]) -> Found:
    """What looks agree on, of which at most half are outside of the domain."""
    seen = [look for look in looks if isinstance(look, Look)]
    failed = [look for look in looks if isinstance(look, Exception)]
    outside = (Below,) if any(ABOVE in look.used for look in seen) else ()
    inside = [error for error in failed if not isinstance(error, outside)]
    undecided = [error for error in inside if isinstance(error, Undecided)]
    if undecided or len(failed) > len(seen):
        return (undecided or failed)[0]
    pairs = [pair for look in seen for pair in zip(seen[0].terms, look.terms)]
    is_same = all(x.overlaps(y) for x, y in pairs)
    return seen[0] if is_same else Undecided("limits that differ")


@dataclass
class Witness:
    """The certain numbers of a formula, those of one point after the other.

    Of a point each is found once; `left` is the work that may be done for all points.
    """

    program: Program
    left: float = math.inf  # nodes times bits times terms
    bits: int = TRUTH  # of a result
    most: int = ALIKE  # bits after which nothing is decided
    tiny: Any = TINY  # what is smaller is 0
    used: dict[str, None] = field(default_factory=dict)  # conventions, in words
    point: Point = field(default_factory=dict)
    is_smooth: bool = True  # whether no kink, edge or root was met at the point
    _known: dict[Any, tuple[Found, int]] = field(default_factory=dict)  # and the term

    def at(self, point: Point) -> "Witness":
        """The numbers at a point."""
        if point != self.point:
            self.point, self.is_smooth, self._known = point, True, {}
        return self

    def truth(self, along: Sequence[str] = (), output: int = 0) -> Exact | None:
        """An output or its derivative by some inputs, None where it cannot be said."""
        try:
            return exact(self.ball(output, along))
        except NOT_DEFINED:
            return None

    def explains(
        self, program: Program, point: Point, output: int, found: Any, truth: Any
    ) -> bool | None:
        """Whether rounding leads a program from the truth to what is found.

        None if that cannot be said, at a kink, or beyond the range that is promised.
        """
        if not self.is_smooth or not self.is_promised():
            return None
        if found is None:
            return False
        ran, place = _coarse(program, point), program.outputs[output]
        if ran.error is not None or not (ball := ran.values[place][0]).is_finite():
            return None
        gaps = [abs(exact(ball.mid()) - x) for x in (Fraction(found), truth)]
        return bool(max(gaps) <= exact(ball.rad()))

    def is_promised(self) -> bool:
        """Whether no number on the way is beyond the range that is promised."""
        values, most = _coarse(self.program, self.point).values, arb(2) ** PROMISED
        sizes = [abs(x[0]) for x in values if isinstance(x, Ball) and x is not ZERO]
        return all(x < most and (x.contains(0) or x > 1 / most) for x in sizes)

    def ball(self, output: int, along: Sequence[str] = ()) -> Any:
        """A value, or a derivative by one or two inputs of what has a value.

        Raises:
            Undecided, ValueError, ArithmeticError: there is none, or none is certain.
        """
        if along:
            self.ball(output)
        if not self._known:
            self._known = self._together()
        if (key := (output, tuple(along))) not in self._known:
            self._known[key] = self._found(output, along), -1
        found, k = self._known[key]
        if isinstance(found, Exception):
            raise found
        self.used |= found.used
        return found.terms[k]

    def _together(self) -> dict[Any, tuple[Found, int]]:
        """All values and slopes by one look, if it meets no kink and no divisor of 0.

        Of n inputs the k-th moves by t^(n + k), so that t^(2*n) is of second order.
        """
        n, outputs = len(self.point), range(len(self.program.outputs))
        moves = {name: [n + k] for k, name in enumerate(self.point)}
        found = self._look(Way(outputs, moves, (0, *range(n, 2 * n))))
        if isinstance(found, Exception) or found.settled:
            return {}
        every = product(outputs, [(), *[(name,) for name in moves]])
        return {key: (found, k) for k, key in enumerate(every)}

    def _found(self, output: int, along: Sequence[str]) -> Found:
        """At the point, or what is agreed on beside it, or the convention.

        For second derivatives inputs move by t^3 and t^5, as t^8 is no other product.
        """
        steps = (3, 5) if len(along) > 1 else (1,)
        moves = {x: [k for k, y in zip(steps, along) if x == y] for x in along}
        way = Way([output], moves, ((0,), (0, 1), (0, 3, 5, 6, 8))[len(along)])
        at = self._look(way)
        if isinstance(at, Look):
            return self._settled(way, at) if at.settled else at
        is_limit = isinstance(at, (Undecided, ZeroDivisionError))
        if isinstance(at, Unfinished) or not is_limit:
            return at
        self.is_smooth = False
        found = _joined([self._look(way, *beside) for beside in product(SIDES, DRIFTS)])
        if not along or isinstance(found, Exception):
            return found
        is_same = found.terms[0].overlaps(self.ball(output))
        return found if is_same else Undecided("sides that differ")

    def _settled(self, way: Way, at: Look) -> Found:
        """What both sides agree on if they go on from the point, or the convention."""
        self.is_smooth = False
        sides = [self._look(way, side) for side in SIDES]
        found, seen = _joined(sides), [x for x in sides if isinstance(x, Look)]
        if isinstance(found, Unfinished) or len(seen) < len(sides):
            return found if isinstance(found, Unfinished) else at
        if all(x.terms[0].overlaps(at.terms[0]) for x in seen):
            return found if isinstance(found, Look) else at
        return Undecided("sides that differ") if at.settled == SLOPE else at

    def _look(self, way: Way, side: int = 0, drift: int = 0) -> Found:
        """With as many bits and terms as it takes, by half of the work that is left."""
        assumes, bits = False, BITS + self.bits
        terms = (way.powers[-1] + abs(side)) * (1 + abs(side)) + 1
        while 2 * (cost := len(self.program.nodes) * bits * terms) <= self.left:
            if terms > TERMS and bits > WIDE:
                break
            self.left -= cost
            look = Look(side, drift, assumes)
            try:
                with precision(bits, terms, look):
                    look.terms = self._run(way, look)
            except Short as error:
                terms *= 2
                if terms > TERMS:
                    return error
            except Unfinished as error:
                if assumes := not assumes and bits >= ALIKE:
                    continue
                if bits >= self.most:
                    return error
                bits = min(2 * bits, self.most)
            except NOT_DEFINED as error:
                return error
            else:
                if assumes:
                    look.used[f"what is 0 in {int(0.15 * bits)} digits is 0"] = None
                if drift and len(self.point) > 1:
                    look.used["a limit is that along straight lines"] = None
                return look
        return Unfinished("it takes more work than is allowed")

    def _run(self, way: Way, look: Look) -> Sequence[Any]:
        """In one run: inputs move to both sides, or by the square of t to one.

        They drift by a power of t that is too high for those that are looked for.
        """
        step, sign, given = 1 + abs(look.side), look.side or 1, {}
        last, found = (way.powers[-1] + abs(look.side)) * step, []
        for k, (name, x) in enumerate(self.point.items()):
            moves: list[Any] = [arb(x), *[0] * last]
            for power in way.moves.get(name, ()):
                moves[step * power] = sign
            if look.drift:
                moves[-1] = sign * (3 + k) ** look.drift
            is_moving = any(moves[1:])
            given[name] = Ball(arb_series(moves, ctx.cap)) if is_moving else exactly(x)
        between = {*range(step * way.powers[-1])} - {step * k for k in way.powers}
        ends = run(self.program, given, BALLS).results()
        for end in map(ends.__getitem__, way.outputs):
            if end.low < 0:
                end.first()
                raise Undecided("a pole")
            wanted = [end[step * k] for k in way.powers]
            for x in wanted:
                if x.rel_accuracy_bits() < self.bits and not x.abs_upper() < self.tiny:
                    raise Unfinished("the digits of a result")
            if not all(end[k].contains(0) for k in between):
                raise Undecided("an infinite derivative")
            found += [x * sign**k for x, k in zip(wanted, way.powers)]
        return found


def exact(x: Any) -> Exact:
    """The middle of a ball, infinite or 0 if no float is of its size."""
    if x.contains(0):
        return Fraction(0)
    if (nearest := float(x)) in (0.0, math.inf, -math.inf):
        return nearest
    middle = x.mid().fmpq()
    return Fraction(int(middle.p), int(middle.q))


@dataclass(frozen=True)
class Certified:
    """The numbers of a formula as written at a point: floats, or texts of decimals.

    They are nested as the functions return them, None if undecided. The gradient of a
    formula that is no number is its Jacobian.
    """

    value: Any
    gradient: Any = None
    hessian: Any = None
    undecided: Mapping[str, str] = field(default_factory=dict)  # the reasons, by name
    conventions: tuple[str, ...] = ()  # that settled slopes at kinks, limits, zeros


def certified(compiled: Any, point: Point, digits: int | None, most: int) -> Certified:
    """What a function returns of a formula as it is written, each number certain.

    Raises:
        ValueError: the digits are no number of digits.
    """
    if digits is not None and (not isinstance(digits, int) or digits < 1):
        raise ValueError(f"digits is a whole number from 1 on, not {digits!r}")
    bits = FLOAT if digits is None else math.ceil(digits / math.log10(2.0)) + 8
    tiny = TINY if digits is None else 0  # texts have digits, however small
    there = Witness(compiled.written, WORK, bits, max(most, 2 * bits), tiny).at(point)
    function, every = compiled._asked
    undecided, is_known = dict[str, str](), all(map(math.isfinite, point.values()))
    found: dict[int, Any] = {LEFT_OUT: 0.0 if digits is None else "0"}
    for number in every:
        try:
            if not is_known:
                raise Undecided("an input that is not finite")
            ball = there.ball(number.output, number.along)
            text = digits and ball.str(digits, radius=False)
            found[number.place] = text or float(ball) + 0.0
        except NOT_DEFINED as error:
            undecided[number.title] = str(error)
    parts = filled(function.layout, found.get)
    value, slopes, *curves = (parts, None) if function.name == "value" else parts
    hessian = curves[0] if "hessian" in function.name else None
    return Certified(value, slopes, hessian, undecided, (*there.used,))


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
    with precision(bits, 1):
        return run(program, {name: exactly(x) for name, x in point.items()}, BALLS)


def vectors(compiled: Any, points: int = 16) -> dict[str, Any]:
    """The test vectors of a compiled formula as JSON has them; a column has three rows.

    Raises:
        GradcError: no point was found.
    """
    compiled = compiled.fixed(3) if compiled.is_columnar else compiled
    function, every = compiled._asked
    if odd := compiled.functions.keys() - {"value", function.name}:
        raise mistake("vectors_never", name=min(odd))
    program, bounds = function.program, dict[str, Program]()
    for name, own in TARGETS.items():
        if name in ("c", "js"):
            try:
                compiled.text(name)
            except GradcError:  # it has not all rows of the formula
                continue
        pairs = [(x, own.get(x.name)) for x in program.ops]
        rows = [replace(x, ulp=(ulp, 0.0) if ulp else x.ulp) for x, ulp in pairs]
        results = (Result("", ()),) * len(program.outputs)  # all are bounded
        bounds[name] = bound(replace(program, ops=Table((*rows,)), results=results))
    witness, random = Witness(compiled.written), Random(compiled.formula.source.text)
    draws = islice(drawn(compiled.formula, random), DRAWS * points)
    each = (_vector(witness.at(point), program, every, bounds) for point in draws)
    found = [*islice(filter(None, each), points)]
    if not found:
        raise mistake("vectors_nowhere", compiled.formula.source)
    inputs = grouped(compiled.program.inputs)
    return {
        "formula": compiled.origin.formula,
        "inputs": [{"name": i.name, "shape": [*(i.shape or ())]} for i in inputs],
        "wrt": [*compiled.wrt],
        "numbers": [number.title for number in every],
        "points": found,
    }


def _vector(
    there: Witness, program: Program, every: list[Number], bounds: dict[str, Program]
) -> dict[str, Any] | None:
    """The vector of a point, None where a number has no value, or is not ordinary.

    The error of Python itself is twice in what is allowed.
    """
    ran, places, ulps = run(program, there.point), [n.place for n in every], {}
    sizes = [abs(x) for x in ran.values if isinstance(x, float) and x]
    if ran.error is not None or not all(SMALL <= x < 1 / SMALL for x in sizes):
        return None
    try:
        true = [float(there.ball(n.output, n.along)) + 0.0 for n in every]
    except NOT_DEFINED:
        return None
    ours = [*ran.results(), 0.0]  # which is in the last place, LEFT_OUT
    off = [2.0 * abs(ours[k] - x) for k, x in zip(places, true)]
    for name, other in bounds.items():
        bound = run(other, there.point)
        if bound.error is not None:  # of what lies between numbers that are ordinary
            return None
        most = [*bound.results()[len(program.outputs) :], 0.0]
        pairs = [(most[k], x) for k, x in zip(places, off)]
        units = [max(pair) / math.ulp(x) for pair, x in zip(pairs, true)]
        is_turned = any(x > TURNED * least for least, x in pairs)
        if is_turned or not there.is_smooth or not math.isfinite(sum(units)):
            return None
        ulps[name] = [math.ceil(x) + 1 if x < MEANT else None for x in units]
    inputs = [float(x).hex() for x in there.point.values()]
    return {"inputs": inputs, "numbers": [x.hex() for x in true], "ulp": ulps}
