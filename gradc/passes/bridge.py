"""Give derivatives at a kink on the way what they are on both of its sides.

    %1 = sign %0                        %5 = const 1.0
    %7 = div %1 %6         -->          %7 = div %5 %6
    %8 = mul %7 %1

Here %6 is 1 + abs(x). The derivative of `sign(x)*log(1 + abs(x))` is 1/(1 + abs(x)) on
either side of 0, and at 0 by the conventions for `sign` and `abs` it would be 0. Whether
a formula is smooth where something in it is not shows at points on the kink and next to
it: its value goes through, and a derivative is the same number on both sides and another
one between. Such a derivative is taken without the question if its form is the same on
both sides, too, and else, at the kink, as on one of them. The conditions of a formula
are none of this: at their edges the side counts that is taken.

Two kinks may meet at some of their points only, as those of `relu(abs(x) - 1)` and of
`clip(x, -1, 1)` do at 1. What is decided there is then changed at the kink alone, and
only if no derivative is left that has one number on both sides and another between, and
if all that have two keep what is between by the conventions.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from random import Random
from typing import NamedTuple

from gradc.analysis.forms import Forms
from gradc.evaluate import evaluate
from gradc.ir import (
    COMPARISONS,
    Builder,
    Input,
    Node,
    Program,
    arguments,
    compact,
    live,
    within,
)
from gradc.ops import Table
from gradc.source import Source

MOST = 1_500  # nodes above which a program is left as it is
FEW = 12  # kinks that are looked at
POINTS = 6  # on each kink, at which it has to look the same
LEAST = 2  # of these that need values
NEAR = 2.0**-30  # how far beside it, in units of the input
FAR = 2.0**-20
SAME = 1e-6  # the difference of what is the same on both sides, for its size
STEADY = 1e-3  # the same nearer and further away; what tends to 0 is not
ELSEWHERE = 96  # points
TRIES = 10
STEPS = 8  # of secants
NUMBERS = (0.5, 2.0, 0.25, 1.25, 4.0, 0.75, 1.0)  # with few bits: they meet exactly

# Comparisons that hold where the first is larger, and what they are if it is so at a tie.
_LARGER = {"gt": "ge", "le": "lt", "lt": "lt", "ge": "ge"}
_SMALLER = {"gt": "gt", "le": "le", "lt": "le", "ge": "gt"}

Point = tuple[float, ...]
_Size = tuple[float, float]  # of a derivative, and what it is compared with


class _Kink(NamedTuple):
    """Two nodes, points at which they meet, and the input that is moved to part them."""

    pair: tuple[int, int]
    points: list[Point]
    place: int


def bridge(program: Program) -> Program:
    """Return a program whose derivatives have no kink where the formula has none."""
    asked = {*COMPARISONS, "sign", "copysign"}
    if asked.isdisjoint(program.operations) or len(program.nodes) > MOST:
        return program
    bridged = _Bridge(program)
    found = bridged.run()
    for preferred in (1, -1) if bridged.is_left else ():
        other = _Bridge(_Bridge(program, preferred).run())
        if _Bridge(program).is_kept_by(other) and not other.has_kinks():
            return other.program
    return found


class _Bridge:
    """Bridges the kinks of a program, one after the other.

    Attributes:
        is_left: whether a derivative has been left with a kink that it should not have.
    """

    def __init__(self, program: Program, preferred: int = 0) -> None:
        """Prepare.

        Arguments:
            preferred: 0, or for kinks that meet at some of their points only: the side
                that a derivative is first taken from, where the first node of a kink
                is larger, or -1 for the other one.
        """
        self.program = program
        self.preferred = preferred
        self.is_left = False
        # Of outputs, what they should be at the kinks that have been bridged.
        self.reached: dict[int, list[tuple[_Kink, list[_Size]]]] = defaultdict(list)
        self.builder = Builder.upon(program)
        self.zero = self.builder.const(0.0)
        self.programs: dict[tuple[int, ...], Program] = {}  # of nodes, to run them
        self.random = Random(1729)
        valued = live(program.nodes, program.outputs[: program.count])
        self.asked = {
            i
            for i, on in enumerate(valued)
            if on and program.nodes[i][0] in COMPARISONS
        }

    def run(self) -> Program:
        program = self.program
        for pair in self._pairs():
            for kink in self._kinks(*pair):
                self._bridge(kink)
        if self.program is program:
            return program
        return compact(self.program)

    def has_kinks(self) -> bool:
        """Whether a derivative has a kink that it should not have."""
        kinks = (kink for pair in self._pairs() for kink in self._kinks(*pair))
        return any(self._smooth(kink)[1] for kink in kinks)

    def is_kept_by(self, other: _Bridge) -> bool:
        """Whether another program differs on kinks only where both sides agree."""
        for pair in self._pairs():
            for kink in self._kinks(*pair):
                mirrored = [self._moved(kink, p, -p[kink.place]) for p in kink.points]
                on = [p for p in mirrored if self._order(pair, p) == 0]
                if not all(self._is_kept(kink, p, other) for p in kink.points + on):
                    return False
        return True

    def _is_kept(self, kink: _Kink, point: Point, other: _Bridge) -> bool:
        """Whether another program has the same derivatives at a point, or smooth ones."""
        outputs = self.program.outputs
        at = self._values(outputs, point)
        found = other._values(other.program.outputs, point)
        sides = [
            self._values(outputs, self._beside(kink, point, step))
            for step in (NEAR, -NEAR)
        ]
        if at is None or found is None or None in sides:
            return at == found
        size = max(map(abs, (*at, *found)))
        around = [values or [] for values in sides]
        return all(
            abs(y - x) <= SAME * size
            or all(abs(y - values[k]) <= SAME * size for values in around)
            for k, (x, y) in enumerate(zip(at, found))
        )

    # ---- kinks

    def _pairs(self) -> list[tuple[int, int]]:
        """What derivatives compare, a few pairs of nodes."""
        nodes = self.program.nodes
        derived = live(nodes, self.program.outputs[self.program.count :])
        found: dict[tuple[int, int], None] = {}
        for i, on in enumerate(derived):
            pair = self._compared(i) if on else None
            if pair is not None and pair[::-1] not in found:
                found[pair] = None
        return list(found) if len(found) <= FEW else []

    def _compared(self, i: int) -> tuple[int, int] | None:
        """The nodes whose difference decides what a node is."""
        op, *args = self.builder.nodes[i]
        if op in COMPARISONS:
            return args[0], args[1]
        if op in ("sign", "copysign"):
            return args[-1], self.zero
        return None

    def _kinks(self, a: int, b: int) -> Iterator[_Kink]:
        """Points at which two nodes are equal, in the domains.

        There are others along another input if x*y is 0 because x is.
        """
        below = live(self.builder.nodes, [a, b])
        names = {
            node[1]
            for node, on in zip(self.builder.nodes, below)
            if on and node[0] == "input"
        }
        for place, item in enumerate(self.program.inputs):
            if item.name in names:
                points = _meeting(self._alone((a, b)), place)
                crossing = [x for x in points if self._crosses(a, b, x, place)]
                points = crossing if len(crossing) >= LEAST else points
                if len(points) >= LEAST:
                    yield _Kink((a, b), points, place)
                    if any(point[place] for point in points):
                        return

    def _crosses(self, a: int, b: int, point: Point, place: int) -> bool:
        """Whether the larger of two nodes is another one on each side of a point."""
        kink = _Kink((a, b), [], place)
        sides = (self._beside(kink, point, step) for step in (NEAR, -NEAR))
        one, other = (self._order((a, b), side) for side in sides)
        return None not in (one, other) and one != other

    # ---- values

    def _values(self, nodes: Sequence[int], point: Point) -> list[float] | None:
        """Some nodes at a point, None if one has no value."""
        outputs = (*nodes,)
        program = self.programs.get(outputs)
        if program is None:
            program = self.builder.follow(self.program, outputs)
            self.programs[outputs] = program
        return _values(program, point)

    def _alone(self, nodes: Sequence[int]) -> _Alone:
        """Some nodes and what they need."""
        program = compact(self.builder.follow(self.program, nodes))
        return _Alone(program.nodes, program.outputs, program.inputs, program.ops)

    def _beside(self, kink: _Kink, point: Point, step: float) -> Point:
        x = point[kink.place]
        return self._moved(kink, point, x + step * (abs(x) or 1.0))

    def _moved(self, kink: _Kink, point: Point, x: float) -> Point:
        """A point with another number for the input that parts the nodes of a kink."""
        return (*point[: kink.place], x, *point[kink.place + 1 :])

    def _smooth(self, kink: _Kink) -> tuple[list[Point], dict[int, list[_Size]]]:
        """The points that have values, and the derivatives to change, by their place.

        At each point what they are on both sides, and the size of that and what was.
        """
        outputs, count = self.program.outputs, self.program.count
        found: dict[int, list[_Size]] | None = None
        changed: set[int] = set()
        defined: list[Point] = []
        for point in kink.points:
            at = self._values(outputs, point)
            steps = (NEAR, -NEAR, FAR)
            around = [
                self._values(outputs, self._beside(kink, point, step)) for step in steps
            ]
            if at is None or None in around:
                continue
            defined.append(point)
            right, left, far = (values or [] for values in around)
            size = max(map(abs, (*at, *right)))
            pairs = zip(at[:count], right, left)
            if any(max(abs(y - x), abs(z - x)) > SAME * size for x, y, z in pairs):
                return [], {}
            here = {}
            for k in range(count, len(outputs)):
                both, most = right[k], max(abs(right[k]), abs(at[k]))
                if most <= SAME * size:  # which vanishes here by chance
                    here[k] = both, size
                elif abs(both - left[k]) <= SAME * most:
                    if abs(both - far[k]) <= STEADY * most:
                        here[k] = both, most
                        if abs(both - at[k]) > SAME * most:
                            changed.add(k)
            if found is None:
                found = {k: [] for k in here}
            found = {k: [*xs, here[k]] for k, xs in found.items() if k in here}
        if len(defined) < LEAST:
            return [], {}
        return defined, {k: xs for k, xs in (found or {}).items() if k in changed}

    # ---- writing

    def _bridge(self, kink: _Kink) -> None:
        """Rewrite the derivatives that are the same on both sides of a kink."""
        points, wanted = self._smooth(kink)
        kink = kink._replace(points=points)
        signs = self._signs(kink) if wanted else []
        together = bool(wanted) and self._go_together(kink, signs)
        signs = signs[:: self.preferred or 1] if together or self.preferred else []
        outputs = list(self.program.outputs)
        for k, sizes in wanted.items():
            self.reached[k].append((kink, sizes))
            new = self._across(outputs[k], signs, together, partial(self._reaches, k))
            if new is not None:
                self.builder.label(new, self.program.spans[outputs[k]])
                outputs[k] = new
            else:
                self.reached[k].pop()
                self.is_left = True
        if outputs != list(self.program.outputs):
            self.program = self.builder.follow(self.program, outputs)

    def _reaches(self, k: int, i: int) -> bool:
        """Whether a node has the derivatives that output `k` should have at kinks."""
        return all(
            x is not None and abs(x[0] - y) <= STEADY * most
            for kink, sizes in self.reached[k]
            for point, (y, most) in zip(kink.points, sizes)
            for x in [self._values([i], point)]
        )

    def _signs(self, kink: _Kink) -> list[dict[int, int]]:
        """The nodes that are decided at a kink, with the signs of what is compared.

        Those are the signs on either side, first on that where the kink's first node is
        larger.
        """
        sides = []
        for point in kink.points:
            both = [self._beside(kink, point, step) for step in (NEAR, -NEAR)]
            both.sort(key=lambda beside: self._order(kink.pair, beside) or 0)
            sides.append((point, *both[::-1]))
        found: list[dict[int, int]] = [{}, {}]
        for i in range(len(self.program.nodes)):
            pair = self._compared(i)
            if pair is None:
                continue
            orders = {tuple(self._order(pair, p) for p in points) for points in sides}
            at, first, second = orders.pop()
            if not orders and at == 0 and first and second:
                found[0][i], found[1][i] = first, second
        return found

    def _go_together(self, kink: _Kink, signs: Sequence[Mapping[int, int]]) -> bool:
        """Whether what is decided at a kink is decided by its two nodes everywhere."""
        pairs = {i: pair for i in signs[0] if (pair := self._compared(i)) is not None}
        for _ in range(ELSEWHERE):
            point = (*map(self._anywhere, self.program.inputs),)
            order = self._order(kink.pair, point)
            side = signs[0 if order == 1 else 1]
            for i, pair in pairs.items() if order else ():
                if self._order(pair, point) not in (side[i], None):
                    return False
        return True

    def _order(self, pair: tuple[int, int], point: Point) -> int | None:
        """The sign of the difference of two nodes, None if it has none."""
        found = self._values(pair, point)
        return None if found is None else (found[0] > found[1]) - (found[0] < found[1])

    def _anywhere(self, item: Input) -> float:
        """A number in the domain of an input, of any size."""
        low = -math.inf if item.low is None else item.low
        high = math.inf if item.high is None else item.high
        most = self.random.choice((2.0, 12.0, 100.0))
        size = math.pow(10.0, self.random.uniform(-most, most))
        return min(max(self.random.choice((-size, size)), low), high)

    def _across(
        self,
        output: int,
        signs: Sequence[Mapping[int, int]],
        together: bool,
        reaches: Callable[[int], bool],
    ) -> int | None:
        """A derivative as it is on both sides, or at the kink as on one of them.

        What the formula asks itself is answered as it is there.

        Arguments:
            together: whether nothing else decides elsewhere, so that both may be one.
        """
        for side in signs:
            own = {i: sign for i, sign in side.items() if i not in self.asked}
            new = self._decided(output, own, only_at_kink=True)
            if reaches(new):
                if not together:
                    return new
                right, left = (self._decided(output, side) for side in signs)
                forms = Forms(self.builder, [False] * len(self.builder.nodes))
                same = right == left or forms.of(right) == forms.of(left)
                return right if same and reaches(right) else new
        return None

    def _decided(
        self, output: int, signs: Mapping[int, int], only_at_kink: bool = False
    ) -> int:
        """A derivative on one side, or one that is so at the kink and else as it was."""
        builder = self.builder
        new: dict[int, int] = {}
        holds: dict[int, bool] = {}
        for i, on in enumerate(live(builder.nodes, [output])):
            if not on:
                continue
            op, *args = builder.nodes[i]
            builder.span = within(builder.spans[i])
            if i in signs and op in COMPARISONS:
                if not only_at_kink:
                    holds[i] = self._holds(op, signs[i])
                elif op in ("eq", "ne"):
                    holds[i] = op == "ne"
                else:
                    table = _LARGER if signs[i] > 0 else _SMALLER
                    new[i] = builder.add(table[op], *[new[a] for a in args])
            elif i in signs:
                new[i] = self._sign(op, [new[a] for a in args], signs[i], only_at_kink)
            elif any(a in holds for a in arguments(builder.nodes[i])):
                self._simplified(i, new, holds)
            else:
                given = arguments(builder.nodes[i])
                same = all(new[a] == a for a in given)
                new[i] = i if same else builder.add(op, *[new[a] for a in given])
        return new[output]

    def _holds(self, op: str, sign: int) -> bool:
        return op == "ne" or op in (("gt", "ge") if sign > 0 else ("lt", "le"))

    def _sign(self, op: str, args: Sequence[int], sign: int, only_at_kink: bool) -> int:
        """`sign(x)`, or `copysign(c, x)`, for an x that is 0 at the kink."""
        builder = self.builder
        if op == "sign":
            size = builder.const(1.0)
        else:
            known = builder.value_of(args[0])
            size = (
                builder.add("abs", args[0])
                if known is None
                else builder.const(abs(known))
            )
        sides = size, builder.add("neg", size)
        if not only_at_kink:
            return sides[0 if sign > 0 else 1]
        asked = "ge" if sign > 0 else "gt"
        return builder.add("where", builder.add(asked, args[-1], self.zero), *sides)

    def _simplified(self, i: int, new: dict[int, int], holds: dict[int, bool]) -> None:
        """Decide a node by conditions that are known to hold or not."""
        op, *args = self.builder.nodes[i]
        if op == "not":
            holds[i] = not holds[args[0]]
            return
        if op == "where":
            taken = args[1] if holds[args[0]] else args[2]
        else:
            known = args[0] if args[0] in holds else args[1]
            other = args[1] if known == args[0] else args[0]
            taken = other if holds[known] == (op == "and") else known
        if taken in holds:
            holds[i] = holds[taken]
        else:
            new[i] = new[taken]


def _is_inside(item: Input, x: float) -> bool:
    """Whether a number is inside the domain of an input, not at its ends."""
    low = -math.inf if item.low is None else item.low
    high = math.inf if item.high is None else item.high
    return low < x < high and math.isfinite(x)


# ---- where nodes meet


class _Alone(NamedTuple):
    """A program as far as its points go: those that are equal have the same."""

    nodes: Sequence[Node]
    outputs: tuple[int, ...]
    inputs: tuple[Input, ...]
    ops: Table


@lru_cache(maxsize=64)  # each way to derive a function asks for the same
def _meeting(alone: _Alone, place: int) -> list[Point]:
    """Points at which two nodes are equal, a few.

    They are solved for one input by secants, which are exact if it enters linearly. The
    others are positive at half of them, and at the rest each in turn is negative.
    """
    nodes, outputs, inputs, ops = alone
    spans = [None] * len(nodes)
    program = Program(nodes, inputs, outputs, spans, {}, Source(""), ops=ops)
    random = Random(1729)
    others = [i for i in range(len(inputs)) if i != place]
    found: list[Point] = []
    for k in range(TRIES):
        below = others[k // 2 % len(others)] if k % 2 and others else None
        signs = [-1 if i == below else 1 - k % 2 for i in range(len(inputs))]
        drawn = [_number(*both, random) for both in zip(inputs, signs)]
        point = [x for x in drawn if x is not None]
        if len(point) < len(drawn) or len(found) == POINTS:
            break
        y = _solved(lambda x: _gap(program, point, place, x))
        if y is not None and _is_inside(inputs[place], y):
            found.append((*point[:place], y, *point[place + 1 :]))
    return found


def _solved(gap: Callable[[float], float]) -> float | None:
    """A number for which a difference is exactly 0, if one is found."""
    x, y = 0.0, 1.0
    before, now = gap(x), gap(y)
    for _ in range(STEPS):
        slope = (now - before) / (y - x) if y != x else 0.0
        if now == 0.0 or not slope or not math.isfinite(slope):
            break
        x, y, before = y, y - now / slope, now
        now = gap(y)
    if now == 0.0:
        return y
    if abs(y - x) < NEAR * abs(y):  # rounding moves it
        for z in (math.nextafter(y, -math.inf), math.nextafter(y, math.inf)):
            if gap(z) == 0.0:
                return z
    return None


def _gap(program: Program, point: Sequence[float], place: int, x: float) -> float:
    """The difference of two nodes at a point with another number for one input."""
    found = _values(program, (*point[:place], x, *point[place + 1 :]))
    return found[0] - found[1] if found else math.nan


def _number(item: Input, sign: int, random: Random) -> float | None:
    """A number for an input, None if its domain has none of a few.

    Arguments:
        sign: of the number, if it can have it; 0 if it may have any.
    """
    if item.low is not None and item.high is not None:
        width = item.high - item.low
        if math.isfinite(width):
            return item.low + width * random.choice((0.25, 0.5, 0.625, 0.75))
    both = [x * side for x in NUMBERS for side in (1.0, -1.0)]
    inside = [x for x in both if _is_inside(item, x)]
    some = [x for x in inside if x * sign > 0.0]
    return random.choice(some or inside) if inside else None


def _values(program: Program, point: Point) -> list[float] | None:
    """The outputs of a program at a point, None if one has no value."""
    names = [item.name for item in program.inputs]
    try:
        found = [*map(float, evaluate(program, dict(zip(names, point))))]
    except (ArithmeticError, ValueError, TypeError):
        return None
    return found if all(map(math.isfinite, found)) else None
