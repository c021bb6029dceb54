"""Draws: points at which inputs are special, where differences may lose digits.

One input is tiny, huge or next to 1 or -1, say, or two are next to each other, or two
things are special at once; or an input is next to a unit that it is measured in, or
turns a sine by eighths, or a product or a sum of some is next to a number. All else is
ordinary, inside the domains that were declared.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, cycle, islice, product
from random import Random
from typing import Any, NamedTuple

from gradc.analysis.bounds import is_moderate, sizes
from gradc.analysis.edges import SATURATING, Edges
from gradc.analysis.kinds import (
    ALONE,
    BESIDE,
    LIKELY,
    SEVERAL,
    TOGETHER,
    Kind,
    Rule,
    across,
    at_one,
    beside_one,
    double,
    in_turn,
    lengths,
    next_to,
    ordinary,
    scaled,
    single,
    smaller,
    unit,
    whole,
    zero,
)
from gradc.analysis.levels import (
    Products,
    balance,
    balances,
    levels,
    meeting,
    totals,
    vanishing,
)
from gradc.analysis.lines import Line, lines
from gradc.analysis.modes import lone, modes
from gradc.analysis.roundings import PERIODIC, STEEP, SUMS, Point
from gradc.ir import EXTREMES, Input, Program, arguments

DRAWS = 4  # of points of each kind, in each range
LEAST = 80  # points in each range, though there are few kinds
RANGES = (0.0, 1.0), (1.0, 3.0)  # of inputs without a domain
NEAR = (5.0, 15.5)  # exponents of small numbers
NEARER = (7.0, 15.5)  # the same where two things are special
NEAREST = (13.0, 15.6)  # the same where inner differences may be all noise
FAR = (3.0, 5.0)  # the same where fewer digits are lost, next to what has been left
PARTS = 720.0  # as multiples of which numbers are quotients
EVEN = 1e-12  # relative error of that
TURNS = 8  # of a sine, next to which points are
CLOSEST = 32  # kinds of points that are drawn as near as can be
COMBINED = 32  # kinds of points of which inputs are special in two ways
MOST = 240  # points where products add up to nothing
MORE = 600  # further points of such kinds, if the inputs are few
FOUR = 4  # of each of these in each range
TWO = 2  # points of each of these in each range
EIGHT = 8  # of those where products add up to nothing
AXES = 4  # along which each kind is drawn, at the most
UNITS = (0.0, 0.5, 1.0)  # next to which inputs are anyway
LEVELS = 4  # products that may have the value they are compared with

# Where a sine vanishes, or a tangent or its inverse, in half turns.
_ZEROS = {"sin": (0.0,), "cos": (0.5,), "tan": (0.0, 0.5)}

Special = tuple[Kind, float, float, tuple[float, float]]  # see `Draws.drawn`


class _Domain(NamedTuple):
    """The numbers that an input may be."""

    low: float
    high: float
    is_moderate: bool

    @classmethod
    def of(cls, item: Input) -> _Domain:
        """What is declared."""
        low = -math.inf if item.low is None else item.low
        high = math.inf if item.high is None else item.high
        return cls(low, high, is_moderate(item))


class Drawn(NamedTuple):
    """Points that were drawn, of what kinds, and the kinds that had none."""

    points: list[Point]
    kinds: list[Special]
    missed: list[Special]
    values: dict[int, list[Any]]  # what is known of the nodes there


class Draws:
    """Draws special points inside the domains of a program's inputs.

    What is drawn first, and what is special in two ways, is the same for all its
    functions. The elements of a vector that derivatives are multiplied by are inputs,
    too; but what their products lose shows at the points that are special without them.

    Attributes:
        own: how many inputs are not of a vector; they are the first ones.
        chosen: the tests of the functions so far, with the ratios at which they fail.
            The others have them too (see `extremes`).
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.chosen: dict[int, float] = {}
        self.own = sum(item.kind != "vector" for item in program.inputs)
        self.random = Random(1729)
        self.domains = [*map(_Domain.of, program.inputs)]
        self.bounded = [
            (i, domain)
            for i, domain in enumerate(self.domains)
            if math.isfinite(domain.low) or math.isfinite(domain.high)
        ]
        self._begun = self.random.getstate()
        self._twice: Drawn | None = None
        self._steep: Drawn | None = None
        self._known: tuple[int, Drawn, Any] | None = None  # with most, state

    def first(self, most: int) -> Drawn:
        """The first points, so many at the most."""
        if self._known is not None:
            limit, found, state = self._known
            if limit == most or len(found.points) < min(limit, most):
                self.random.setstate(state)
                return found
        self.random.setstate(self._begun)
        found = self.drawn(self._special(), most)
        state = self.random.getstate()
        self.random.seed(1729)
        kinds: list[Kind]
        kinds = [[(i, i, across)] for i in range(len(self.program.inputs))]
        kinds += self._vanishing()
        more = ((kind, *ends, NEAR) for ends in RANGES * TWO for kind in kinds)
        opposite = self.drawn(more, most - len(found.points))
        found.points.extend(opposite.points)
        found.kinds.extend(opposite.kinds)
        self.random.setstate(state)
        self._known = most, found, state
        return found

    def ordinary(
        self, ranges: Sequence[tuple[float, float]], count: int
    ) -> Iterator[Point]:
        """So many points in each range at which nothing is special."""
        for ends in ranges:
            for _ in range(count):
                yield self._ordinary(*ends)

    def nearest(self, kinds: Iterable[Kind]) -> Drawn:
        """Points of some kinds, as near as floats can be to what is special."""
        state = self.random.getstate()
        self.random.seed(1729)
        some = [*kinds][:CLOSEST]
        specials = ((kind, *ends, NEAREST) for ends in RANGES * TWO for kind in some)
        found = self.drawn(specials, len(some) * len(RANGES) * TWO)
        self.random.setstate(state)
        return found

    def combined(self) -> Drawn:
        """Points that are special in two ways, or where differences fade."""
        if self._twice is None:
            state = self.random.getstate()
            self.random.seed(1729)
            ranked = [*double(self.own, self._compared())]
            ranked += ((0, kind) for kind in (*self._raised(), *self._turned_beside()))
            ranked += ((0, kind) for kind in (*self._swallowed(), *lone(self.program)))
            ranked += ((0, kind) for kind in self._turned_whole())
            ranked += ((0, kind) for kind in modes(self.program))
            levelled = [*self._levelled()]
            ranked += ((0, kind) for kind in levelled)
            self.random.shuffle(ranked)
            ranked.sort(key=operator.itemgetter(0))
            kinds = [*self._along(kind for _, kind in ranked[:COMBINED])]
            self._twice = self.drawn(
                ((kind, *ends, NEARER) for ends in RANGES * TWO for kind in kinds),
                len(kinds) * len(RANGES) * TWO,
            )
            far = ((kind, *ends, FAR) for ends in RANGES * TWO for kind in levelled)
            self._twice.points.extend(self.drawn(far, COMBINED).points)
            balanced = [*self._along(self._balanced())]
            near = (
                (kind, *ends, NEARER) for ends in RANGES * EIGHT for kind in balanced
            )
            self._twice.points.extend(self.drawn(near, MOST).points)
            normed = [*self._along(self._normed())]
            near = ((kind, *ends, NEARER) for ends in RANGES * TWO for kind in normed)
            self._twice.points.extend(self.drawn(near, COMBINED).points)
            if not EXTREMES.isdisjoint(self.program.operations):
                self._twice.points.extend(self._edges().held(self._anywhere()))
            if not SATURATING.isdisjoint(self.program.operations):
                self._twice.points.extend(self._edges().faded(self._anywhere()))
            if len(self.program.inputs) <= SEVERAL:
                more = self.drawn(self._further(kinds), MORE)
                self._twice.points.extend(more.points)
            self.random.setstate(state)
        return self._twice

    def _further(self, kinds: Sequence[Kind]) -> Iterator[Special]:
        """Points of more such kinds, and of those in which two are next to each other.

        Each is drawn several times, for half of its points may have no value.
        """
        found = [(kind, NEARER) for kind in at_one(self.own)]
        found += [(kind, NEARER) for kind in beside_one(self.own)] * TWO
        found += [(kind, FAR) for kind in scaled(self.own)]
        found *= 2 if self.own < SEVERAL else 1
        found += [(kind, NEARER) for kind in self._turned_at_one()]
        for kind in kinds:
            if len(kinds) <= COMBINED // 2 or kind[0][-1] is BESIDE[0]:
                found.append((kind, NEARER))
        for ends in RANGES * FOUR:
            for kind, sizes in found:
                yield kind, *ends, sizes

    def edges(self) -> Drawn:
        """Points next to which functions are steep."""
        if self._steep is None and STEEP.keys().isdisjoint(self.program.operations):
            self._steep = Drawn([], [], [], {})
        if self._steep is None:
            state = self.random.getstate()
            self.random.seed(1729)
            points = self._edges().points(self._anywhere())
            self._steep = Drawn([*points], [], [], {})
            self.random.setstate(state)
        return self._steep

    def _edges(self) -> Edges:
        """What looks for points next to edges."""
        positive = [size.positive for size in sizes(self.program)]
        return Edges(self.program, positive, self.is_allowed, Random(1729))

    def _anywhere(self) -> Callable[[], Point]:
        """Draws ordinary points, from one range after the other."""
        ranges = cycle(RANGES)
        return lambda: self._ordinary(*next(ranges))

    def _compared(self) -> set[tuple[int, int]]:
        """Pairs of inputs of which a difference or a quotient is computed."""
        nodes = self.program.nodes
        places = {item.name: i for i, item in enumerate(self.program.inputs)}
        found = set()
        for op, *args in nodes:
            if op in ("sub", "div") and all(nodes[a][0] == "input" for a in args):
                i, j = sorted(places[nodes[a][1]] for a in args)
                found.add((i, j))
        return found

    def _raised(self) -> Iterator[Kind]:
        """The kinds of points at which what is next to 1 is raised to a large power."""
        nodes = self.program.nodes
        places = {item.name: i for i, item in enumerate(self.program.inputs)}
        tiny, large, _, _, one, _ = ALONE
        *_, inverse = BESIDE
        for op, *args in nodes:
            if op != "pow" or nodes[args[0]][0] not in SUMS | {"mul"}:
                continue
            name, *below = nodes[args[0]]
            bases, exponents = (
                [places[nodes[a][1]] for a in found if nodes[a][0] == "input"]
                for found in (below, [args[1], *arguments(nodes[args[1]])])
            )
            if len(bases) == 2 and exponents:
                n = exponents[0]
                if name == "mul":
                    kind: Kind = [(bases[0], bases[1], inverse), (n, n, large)]
                    yield from [kind] * LIKELY
                    continue
                for first, second in (bases, bases[:: -1 if name == "add" else 1]):
                    yield [(first, first, one), (second, second, tiny), (n, n, large)]

    def _swallowed(self) -> Iterator[Kind]:
        """The kinds of points at which a tiny term is lost in one of two that cancel."""
        nodes = self.program.nodes
        places = {item.name: i for i, item in enumerate(self.program.inputs)}
        added = {a for node in nodes if node[0] in SUMS for a in node[1:]}
        found: dict[frozenset[int], None] = {}
        for n, (op, *args) in enumerate(nodes):
            if op not in SUMS or n in added or len(places) > SEVERAL:
                continue
            inner = [a for a in args if nodes[a][0] == "sub"]
            terms = [*args, *(b for a in inner for b in nodes[a][1:])]
            three = {places[nodes[a][1]] for a in terms if nodes[a][0] == "input"}
            if len(inner) == 1 and len(three) == 3:
                found[frozenset(three)] = None
        for key in found:
            for k in sorted(key):
                i, j = sorted(key - {k})
                yield from [[(i, j, BESIDE[0]), (k, k, ALONE[0])]] * LIKELY

    def _normed(self) -> Iterator[Kind]:
        """The kinds of points at which several squares may add up to 1."""
        has_squares = any(
            op == "hypot" or (op == "mul" and args[0] == args[1])
            for op, *args in self.program.nodes
        )
        if has_squares and 2 < self.own <= TOGETHER:
            yield from lengths(self.own)

    def _levelled(self) -> Iterator[Kind]:
        """The kinds of points at which a product has the value it is compared with."""
        for level in levels(self.program.nodes)[:LEVELS]:
            for name, other, rule in meeting(level):
                yield self._met([*level.exponents], name, other, rule)

    def _balanced(self) -> Iterator[Kind]:
        """The kinds of points at which products of inputs add up to nothing."""
        for products in balances(self.program.nodes)[:LEVELS]:
            names = [*dict.fromkeys(name for key in products for name, _ in key)]
            for name, other, rule in balance(products):
                yield self._met(names, name, other, rule)
            if len(products) > 2:
                yield from self._flat(products, names)

    def _flat(self, products: Products, names: Sequence[str]) -> Iterator[Kind]:
        """The same where one input is 0, or all but two are."""
        places = {item.name: i for i, item in enumerate(self.program.inputs)}
        for other in names[1:]:
            k = places[other]
            for name, _, rule in islice(balance(products, other), 1):
                yield [(k, k, zero), *self._met(names, name, other, rule)]
            for name, _, rule in islice(balance(products, other, 0.0), 1):
                rest = [places[n] for n in names if n not in (name, other)]
                yield [*((i, i, zero) for i in rest), (places[name], k, rule)]

    def _vanishing(self) -> Iterator[Kind]:
        """The kinds of points at which a number and inputs add up to nothing."""
        for total in totals(self.program.nodes)[:LEVELS]:
            for name, other, rule in vanishing(total):
                kind = self._met([*total.signs], name, other, rule)
                j = kind[-1][1]
                yield from [[(j, j, smaller), *kind]] * LIKELY

    def _met(self, names: Sequence[str], name: str, other: str, rule: Rule) -> Kind:
        """A kind of points at which an input is special by another, all else ordinary."""
        places = {item.name: i for i, item in enumerate(self.program.inputs)}
        fixed = [places[n] for n in names if n not in (name, other)]
        kind: Kind = [(k, k, ordinary) for k in fixed]
        return [*kind, (places[name], places[other], rule)]

    def drawn(self, specials: Iterable[Special], most: int) -> Drawn:
        """Points of some kinds, so many at the most."""
        found = Drawn([], [], [], {})
        for special in specials:
            if len(found.points) == most:
                break
            point = self._point(*special)
            if point is None:
                found.missed.append(special)
            else:
                found.kinds.append(special)
                found.points.append(point)
        return found

    def _special(self) -> Iterator[Special]:
        """What points are drawn, the kinds in any order."""
        removable = [*self._left()]
        rest = len(self.program.inputs) - self.own
        for count in dict.fromkeys((self.own, self.own + rest)):
            kinds = [*single(count), *self._measured(), *self._turned()]
            rounds = max(DRAWS, LEAST // len(kinds))
            if rest and count == self.own:
                rounds *= min(rest, AXES)
            for low, high in RANGES * rounds:
                self.random.shuffle(kinds)
                near = ((FAR, removable), (NEAR, removable), (NEAR, kinds))
                for sizes, special in near:
                    for kind in special if count > self.own else self._along(special):
                        yield kind, low, high, sizes

    def _along(self, kinds: Iterable[Kind]) -> Iterator[Kind]:
        """Kinds with the vector, if any, along an axis, where no term hides another."""
        places = range(self.own, len(self.program.inputs))
        if not places:
            yield from kinds
            return
        for kind, axis in zip(kinds, in_turn(places, self.random)):
            yield [*kind, *((k, k, unit if k == axis else zero) for k in places)]

    def _point(
        self, kind: Kind, low: float, high: float, sizes: tuple[float, float]
    ) -> Point | None:
        """A point of a kind, if it lies inside the domains."""
        ordinary = self._ordinary(low, high)
        numbers = [self._small(*sizes) for _ in kind]
        for sign in (1.0, -1.0):
            xs = ordinary[:]
            for (i, j, rule), small in zip(kind, numbers):
                xs[i] = rule(xs[j], sign * small)
            if self.is_allowed(xs):
                return xs
        return None

    def is_allowed(self, point: Point) -> bool:
        """Whether a point lies inside the domains."""
        for i, domain in self.bounded:
            if not domain.low <= point[i] <= domain.high:
                return False
        return True

    def _left(self) -> Iterator[Kind]:
        """The kinds of points next to singularities that have been left as they are."""
        names = [item.name for item in self.program.inputs]
        for name, at in self.program.removable:
            i = names.index(name)
            if isinstance(at, str):
                yield [(i, names.index(at), BESIDE[0])]
            else:
                yield [(i, i, partial(next_to, at) if at else ALONE[0])]

    def _measured(self) -> Iterator[Kind]:
        """The kinds of points at which an input is next to a number it is compared with.

        Or to a unit that it is divided by, which is 1/c where 1/x is compared with c.
        """
        nodes = self.program.nodes
        places = {item.name: i for i, item in enumerate(self.program.inputs)}
        found: set[tuple[int, float]] = set()
        for op, *args in nodes:
            if op not in ("div", *SUMS):
                continue
            for a, b in (args, args[::-1]):
                number = nodes[b][1] if nodes[b][0] == "const" else 0.0
                below = nodes[a]
                if op in SUMS and number and below[0] == "div":
                    is_inverse = nodes[below[1]][0] == "const"
                    number = nodes[below[1]][1] / number if is_inverse else 0.0
                    below = nodes[below[2]]
                elif op in SUMS and below[0] == "input" and abs(number) not in UNITS:
                    sign = 1.0 if op == "sub" else -1.0
                    found.add((places[below[1]], sign * number))
                    continue
                elif op in SUMS:
                    continue
                if below[0] == "input" and abs(number) not in (0.0, 0.5, 1.0, 2.0):
                    found.add((places[below[1]], abs(number)))
        for i, number in sorted(found):
            yield [(i, i, partial(next_to, number))]

    def _turned(self, rounded: bool = False) -> Iterator[Kind]:
        """The kinds of points where sines of an input make eighths of a turn.

        Where sin(pi*x/3) vanishes, 3, is a number as exact as the input; next to pi/2,
        sin(x) is next to 1. Of rounded turns alone, the nearest.
        """
        nodes = self.program.nodes
        places = {item.name: i for i, item in enumerate(self.program.inputs)}
        known = lines(nodes)
        special: dict[tuple[int, float], None] = {}
        for op, *args in nodes:
            name, slope, start = known.get(args[0] if args else -1, Line(None))
            if op not in PERIODIC or name is None or not slope:
                continue
            if _is_even(slope / math.pi):
                halves = _ZEROS[op]
                turns = [(k + x) * math.pi for k in range(-4, 5) for x in halves]
            elif _is_even(slope) and not rounded:
                turns = [k * math.pi / 4.0 for k in range(-4, 5)]
            else:
                continue
            found = (x for turn in turns if (x := (turn - start) / slope))
            for x in sorted(found, key=abs)[: 2 if rounded else TURNS]:
                special[places[name], x] = None
        for i, x in special:
            yield [(i, i, partial(next_to, x))]

    def _turned_beside(self) -> Iterator[Kind]:
        """The same where what a sine is added to may be tiny, too."""
        others = range(min(len(self.program.inputs), TOGETHER))
        for kind in self._turned(rounded=True):
            for k in others:
                if k != kind[0][0]:
                    yield [*kind, (k, k, ALONE[0])]

    def _turned_at_one(self) -> Iterator[Kind]:
        """The same where another input is next to 1, or two are next to each other.

        So may be what a sine is multiplied by, which is 1 itself, and what that is
        subtracted from.
        """
        inputs = range(len(self.program.inputs))
        for kind in self._turned():
            others = [k for k in inputs if k != kind[0][0]]
            for k in others:
                yield [*kind, (k, k, ALONE[4])]
            for i, j in combinations(others, 2):
                yield [*kind, (i, j, BESIDE[0])]

    def _turned_whole(self) -> Iterator[Kind]:
        """The same where another input is whole, if a sine may have their product.

        Next to pi the sine of n*x vanishes like that of x.
        """
        nodes = self.program.nodes
        known = lines(nodes)
        if any(op in PERIODIC and args[0] not in known for op, *args in nodes):
            others = range(min(len(self.program.inputs), TOGETHER))
            for kind, k in product(self._turned(), others):
                if k != kind[0][0]:
                    yield from [[*kind, (k, k, whole)]] * TWO

    def _small(self, least: float, most: float) -> float:
        """A number of either sign, its exponent rather near the first of two."""
        share = self.random.random() ** 2
        size: float = 10.0 ** -(least + (most - least) * share)
        return self.random.choice((-size, size))

    def _ordinary(self, low: float, high: float) -> list[float]:
        """Numbers in the domains of the inputs, or else in a range or its opposite."""
        random = self.random.random
        found = []
        for least, most, is_moderate in self.domains:
            if is_moderate:
                found.append(least + (most - least) * random())
            else:
                x = low + (high - low) * random()
                found.append(-x if random() < 0.2 and least <= -x <= most else x)
        return found


def _is_even(x: float) -> bool:
    """Whether a number is a quotient of small whole numbers."""
    parts = x * PARTS
    return abs(parts) > 0.5 and abs(parts - round(parts)) <= abs(parts) * EVEN
