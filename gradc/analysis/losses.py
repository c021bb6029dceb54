"""Losses: where differences lose the digits of floats, and what shows it.

`cosh(x) - cosh(y)` keeps few digits where x is next to y, and what is computed from it
keeps no more. What the passes before did not mend is found here: a program is run at
special points, where one input is tiny, huge or next to 1, say, or two are next to each
other. There it is run again, the result of every inexact operation moved by some ulp
(stochastic arithmetic: Vignes, "A stochastic arithmetic for reliable scientific
computation", Math. Comput. Simul. 35, 1993). Where an output moves much further, digits
were lost, and differences below it are chosen to be tested: what was subtracted, over
the difference, is added to the values times 1e304, which is infinite once four digits
are gone, or times more if an output loses several digits by each. A power of a large
exponent is as a difference, of its base and 1; so is the part of a period that a sine,
or a remainder, finds in a large argument, a sine next to one of its zeros, and what is
left to 1 where asin is steep. The
function then runs again in more digits.

That a difference is small at a point that is not special, as a residual may be anywhere,
is chance, and not tested.
"""

from __future__ import annotations

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import combinations, product, repeat, starmap
from random import Random
from typing import Any, NamedTuple

from gradc.analysis.bounds import is_moderate
from gradc.analysis.suspects import Suspects, covering
from gradc.careful import keeps_digits
from gradc.ir import COMPARISONS, Builder, Input, Program, arguments
from gradc.spelling import function

WORK = 80_000  # nodes that are run for a function
DRAWS = 4  # of points of each kind, in each range
LEAST = 80  # points in each range, though there are few kinds
TRIES = 4  # at the most to draw one where anything is defined
AGAIN = 3  # runs with moved results, so that they do not cancel in all
MOVED = 2.0**-43  # by which results are moved
LOST = 1e5  # times as far an output moves that has lost digits
MISSED = 1e6  # the same where inputs are special in two ways
SMALL = 1e4  # times as large as a difference is what is subtracted then
PERIODS = 100.0  # times as large may be the argument of a sine
WOUND = 1e3  # up to which the argument of a sine is not large
NOTED = 300.0  # the same where it is noted how far outputs move
TRUE = 0.1  # the share of itself that an output may move for that
SPOILT = 1e5  # times as far an output may move where no test fails
LARGEST = 1e308  # times which a number above 1.8 is infinite
RANGES = (0.0, 1.0), (1.0, 3.0)  # of inputs without a domain
NEAR = (5.0, 15.5)  # exponents of small numbers
NEARER = (7.0, 15.5)  # the same where two things are special
FAR = (3.0, 5.0)  # the same where fewer digits are lost, next to what has been left
PARTS = 720.0  # as multiples of which numbers are quotients
EVEN = 1e-12  # relative error of that
TURNS = 8  # of a sine, next to which points are
FEW = 2  # points for which no test is added, which may be chance
PAIRED = 12  # the first inputs, of which two may be next to each other
MIXED = 20  # kinds of points of which several inputs are tiny or huge
TWICE = 8  # inputs of which two pairs may be
COMBINED = 32  # kinds of points of which inputs are special in two ways
TWO = 2  # points of each of these in each range
TOGETHER = 8  # the first inputs, of which several may be next to one another

Point = list[float]
Columns = Sequence[Sequence[Any]]  # of each node what it is, point by point
Rule = Callable[[float, float], float]
Kind = list[tuple[int, int, Rule]]  # special inputs, by what input, and how
_Special = tuple[Kind, float, float, tuple[float, float]]  # see `_drawn`

_SUMS = frozenset({"add", "sub"})
# Functions that are small where their argument is next to 1.
_DIFFERENCES = frozenset({"log", "log2", "log10", "acosh"})
# Functions that are steep where their argument is next to 1 or -1, and what with 1 is
# small there.
_STEEP: Mapping[str, Sequence[str]] = {
    "acos": ("add", "sub"),
    "asin": ("add", "sub"),
    "atanh": ("add", "sub"),
    "log1p": ("add",),
}
# Functions of which a period is lost in the rounding errors of a large argument.
_PERIODIC = frozenset({"sin", "cos", "tan"})
_WINDING = _PERIODIC | {"mod", "fmod", "remainder"}
_EXACT = frozenset("neg abs where max min relu copysign sign floor ceil".split())

# What a special input is, by what it was and a small number.
_ALONE: Sequence[Rule] = (
    lambda x, small: x * small,
    lambda x, small: x / small,
    lambda x, small: x / small**2,
    lambda x, small: 30.0 * x,  # where exponentials saturate
    lambda x, small: math.copysign(1.0, x) + small,
    lambda x, small: math.copysign(0.5, x) + small,
)
# What an input is next to another.
_BESIDE: Sequence[Rule] = (
    lambda y, small: y + y * small,
    lambda y, small: y * small - y,
    lambda y, small: y * small + 2.0 * y,
    lambda y, small: y * small + 0.5 * y,
    lambda y, small: 1.0 - y + small,
    lambda y, small: (1.0 + small) / y,
)


def terms(suspects: Suspects, builder: Builder, draws: Draws) -> Iterator[int]:
    """Nodes that are infinite where a function has lost digits.

    There are none if it has operations of which no run has more digits than floats.

    Arguments:
        draws: of the program.
    """
    program = suspects.program
    nodes = program.nodes
    some = any(suspects.is_live(i) and _may_cancel(nodes, i) for i in range(len(nodes)))
    if some and keeps_digits(program):
        yield from _Tests(suspects, builder, draws).terms()


def _may_cancel(nodes: Sequence[Any], i: int) -> bool:
    """Whether a node is a difference of what may be inexact."""
    op, *args = nodes[i]
    if op == "pow" and nodes[args[1]][0] != "const":
        return nodes[args[0]][0] not in ("input", "const")
    is_difference = op in _SUMS | _DIFFERENCES | _WINDING or op in _STEEP
    return is_difference and any(nodes[a][0] not in ("input", "const") for a in args)


class _Line(NamedTuple):
    """What a node is by one input: a slope times it and a start."""

    name: str | None
    slope: float = 0.0
    start: float = 0.0

    def plus(self, other: _Line, sign: float) -> _Line | None:
        """The sum, if it is one."""
        if None not in (self.name, other.name) and self.name != other.name:
            return None
        slope, start = self.slope + sign * other.slope, self.start + sign * other.start
        return _Line(self.name or other.name, slope, start)

    def times(self, factor: float) -> _Line:
        return _Line(self.name, self.slope * factor, self.start * factor)


def _lines(nodes: Sequence[Any]) -> dict[int, _Line]:
    """The nodes that are such, by their positions."""
    found: dict[int, _Line] = {}
    for i, (op, *args) in enumerate(nodes):
        if op in _CONSTANTS:
            found[i] = _Line(None, start=_CONSTANTS[op](*args))
        elif op == "input":
            found[i] = _Line(args[0], 1.0)
        elif op in _LINEAR and all(a in found for a in args):
            line = _LINEAR[op](*(found[a] for a in args))
            if line is not None:
                found[i] = line
    return found


def _product(one: _Line, other: _Line) -> _Line | None:
    """The product of two lines, if one of them is constant."""
    if one.name is not None and other.name is not None:
        return None
    return other.times(one.start) if one.name is None else one.times(other.start)


def _quotient(one: _Line, other: _Line) -> _Line | None:
    """The quotient by a constant."""
    return one.times(1.0 / other.start) if not other.name and other.start else None


_CONSTANTS: Mapping[str, Callable[..., float]] = {
    "const": lambda number: number,
    "pi": lambda: math.pi,
}
_LINEAR: Mapping[str, Callable[..., _Line | None]] = {
    "add": lambda one, other: one.plus(other, 1.0),
    "sub": lambda one, other: one.plus(other, -1.0),
    "neg": lambda line: line.times(-1.0),
    "mul": _product,
    "div": _quotient,
}


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


class _Drawn(NamedTuple):
    """Points that were drawn, of what kinds, and the kinds that had none."""

    points: list[Point]
    kinds: list[_Special]
    missed: list[_Special]
    values: dict[int, list[Any]]  # what is known of the nodes there


class Draws:
    """Draws special points inside the domains of a program's inputs.

    What is drawn first, and what is special in two ways, is the same for all its
    functions.

    Attributes:
        chosen: the tests of the functions so far, with the ratios at which they fail.
            The others have them too (see `extremes`).
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.chosen: dict[int, float] = {}
        self.random = Random(1729)
        self.domains = [*map(_Domain.of, program.inputs)]
        self.bounded = [
            (i, domain)
            for i, domain in enumerate(self.domains)
            if math.isfinite(domain.low) or math.isfinite(domain.high)
        ]
        self._begun = self.random.getstate()
        self._twice: _Drawn | None = None
        self._known: tuple[int, _Drawn, Any] | None = None  # with most, state

    def first(self, most: int) -> _Drawn:
        """The first points, so many at the most."""
        if self._known is not None:
            limit, found, state = self._known
            if limit == most or len(found.points) < min(limit, most):
                self.random.setstate(state)
                return found
        self.random.setstate(self._begun)
        found = self.drawn(self._special(), most)
        self._known = most, found, self.random.getstate()
        return found

    def combined(self) -> _Drawn:
        """Points that are special in two ways."""
        if self._twice is None:
            state = self.random.getstate()
            self.random.seed(1729)
            ranked = [*_combined(len(self.program.inputs), self._compared())]
            self.random.shuffle(ranked)
            ranked.sort(key=operator.itemgetter(0))
            kinds = [kind for _, kind in ranked[:COMBINED]]
            self._twice = self.drawn(
                ((kind, *ends, NEARER) for ends in RANGES * TWO for kind in kinds),
                len(kinds) * len(RANGES) * TWO,
            )
            self.random.setstate(state)
        return self._twice

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

    def drawn(self, specials: Iterable[_Special], most: int) -> _Drawn:
        """Points of some kinds, so many at the most."""
        found = _Drawn([], [], [], {})
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

    def _special(self) -> Iterator[_Special]:
        """What points are drawn, the kinds in any order."""
        removable = [*self._left()]
        kinds = [*_kinds(len(self.program.inputs)), *self._measured(), *self._turned()]
        for low, high in RANGES * max(DRAWS, LEAST // len(kinds)):
            self.random.shuffle(kinds)
            for sizes, special in ((FAR, removable), (NEAR, removable), (NEAR, kinds)):
                for kind in special:
                    yield kind, low, high, sizes

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
            for i, domain in self.bounded:
                if not domain.low <= xs[i] <= domain.high:
                    break
            else:
                return xs
        return None

    def _left(self) -> Iterator[Kind]:
        """The kinds of points next to singularities that have been left as they are."""
        names = [item.name for item in self.program.inputs]
        for name, at in self.program.removable:
            i = names.index(name)
            if isinstance(at, str):
                yield [(i, names.index(at), _BESIDE[0])]
            else:
                yield [(i, i, partial(_next_to, at) if at else _ALONE[0])]

    def _measured(self) -> Iterator[Kind]:
        """The kinds of points at which an input is next to a unit that it is divided by.

        That is 1/c where 1/x is compared with a number c.
        """
        nodes = self.program.nodes
        places = {item.name: i for i, item in enumerate(self.program.inputs)}
        found: set[tuple[int, float]] = set()
        for op, *args in nodes:
            if op not in ("div", *_SUMS):
                continue
            for a, b in (args, args[::-1]):
                number = nodes[b][1] if nodes[b][0] == "const" else 0.0
                below = nodes[a]
                if op in _SUMS and number and below[0] == "div":
                    is_inverse = nodes[below[1]][0] == "const"
                    number = nodes[below[1]][1] / number if is_inverse else 0.0
                    below = nodes[below[2]]
                elif op in _SUMS:
                    continue
                if below[0] == "input" and abs(number) not in (0.0, 0.5, 1.0, 2.0):
                    found.add((places[below[1]], abs(number)))
        for i, number in sorted(found):
            yield [(i, i, partial(_next_to, number))]

    def _turned(self) -> Iterator[Kind]:
        """The kinds of points where sines of an input make eighths of a turn.

        Where sin(pi*x/3) vanishes, 3, is a number as exact as the input; next to pi/2,
        sin(x) is next to 1.
        """
        nodes = self.program.nodes
        places = {item.name: i for i, item in enumerate(self.program.inputs)}
        lines = _lines(nodes)
        special: dict[tuple[int, float], None] = {}
        for op, *args in nodes:
            name, slope, start = lines.get(args[0] if args else -1, _Line(None))
            if op not in _PERIODIC or name is None or not slope:
                continue
            if _is_even(slope / math.pi):
                half = 0.5 if op == "cos" else 0.0
                turns = [(k + half) * math.pi for k in range(-4, 5)]
            elif _is_even(slope):
                turns = [k * math.pi / 4.0 for k in range(-4, 5)]
            else:
                continue
            found = (x for turn in turns if (x := (turn - start) / slope))
            for x in sorted(found, key=abs)[:TURNS]:
                special[places[name], x] = None
        for i, x in special:
            yield [(i, i, partial(_next_to, x))]

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


class _Tests:
    """Looks for the differences that one function of a program has to test."""

    def __init__(self, suspects: Suspects, builder: Builder, draws: Draws) -> None:
        self.suspects = suspects
        self.builder = builder
        self.program = suspects.program
        self.draws = draws
        self.runs = _Runs(suspects, draws.random)
        self.points_left = WORK // len(self.runs.steps)
        self.powers: dict[int, list[float]] = {}  # of ratios, with which outputs move
        self.uses = Counter(a for node in self.program.nodes for a in arguments(node))

    def terms(self) -> Iterator[int]:
        """Nodes that are infinite where digits are lost."""
        chosen = [*self.draws.chosen]
        chosen += covering([*self._cases()], FEW, [*chosen])
        chosen += covering([*self._left(chosen)], FEW)
        for i in chosen:
            kept = self.draws.chosen.get(i, SMALL)
            self.draws.chosen[i] = min(kept, self._large(i))
        yield from map(self._term, chosen)

    def _points(self) -> Iterator[tuple[list[Point], Columns]]:
        """Special points, and what the nodes are there.

        Those where nothing is defined are drawn again, behind the others.
        """
        left: list[_Special] = []
        for k in range(TRIES):
            most = self.points_left
            drawn = self.draws.drawn(left, most) if k else self.draws.first(most)
            self.points_left -= len(drawn.points)
            values = self.runs.run(drawn.points, known=drawn.values)
            yield drawn.points, values
            undefined: Iterable[int] = range(len(drawn.points))
            for i in self.suspects.outputs:
                column = values[i]
                undefined = [k for k in undefined if math.isnan(column[k])]
            left = drawn.missed + [drawn.kinds[k] for k in undefined]

    def _is_residual(self, i: int) -> bool:
        """Whether a sum has a term that is an input, and nothing else reads that."""
        op, *args = self.program.nodes[i]
        nodes = self.program.nodes
        return op in _SUMS and any(
            nodes[a][0] == "input" and self.uses[a] == 1 for a in args
        )

    # ---- what is lost

    def _cases(self) -> Iterator[set[int]]:
        """Differences of which each shows at a point that an output has lost digits."""
        for points, values in self._points():
            ratios = self._all_ratios(self.runs.differences, values)
            noted = {k for r in ratios.values() for k, x in enumerate(r) if x > NOTED}
            yield from self._seen(points, values, ratios, sorted(noted), LOST)

    def _left(self, chosen: Sequence[int]) -> Iterator[set[int]]:
        """The same where points are special in two ways and none of some tests fails.

        What is subtracted there from an input that nothing else reads meets it by
        chance.
        """
        wanted = [i for i in self.runs.differences if not self._is_residual(i)]
        if not {*wanted, *(~i for i in wanted)} - {*chosen}:
            return
        drawn = self.draws.combined()
        values = self.runs.run(drawn.points, known=drawn.values)
        ratios = self._all_ratios(wanted, values)
        noted = {k for r in ratios.values() for k, x in enumerate(r) if x > SMALL}
        for i in chosen:
            test = self._all_ratios([max(i, ~i)], values)[i]
            noted.difference_update(k for k in [*noted] if test[k] > SMALL)
        powers, self.powers = self.powers, {}
        yield from self._seen(drawn.points, values, ratios, sorted(noted), MISSED)
        self.powers.update(powers)

    def _seen(
        self,
        points: Sequence[Point],
        values: Columns,
        ratios: Mapping[int, Sequence[float]],
        noted: Sequence[int],
        least: float,
    ) -> list[set[int]]:
        """The differences that show at some of the points what has been lost."""
        again = [points[k] for k in noted]
        moved = _Moved(
            [[column[k] for k in noted] for column in values],
            [self.runs.run(again, MOVED) for _ in range(AGAIN)] if noted else [],
        )
        small = {i: [r[k] for k in noted] for i, r in ratios.items()}
        return self._lost(moved, small, len(noted), least)

    def _lost(
        self,
        moved: _Moved,
        ratios: Mapping[int, Sequence[float]],
        count: int,
        least: float,
    ) -> list[set[int]]:
        """The differences that show that an output has lost digits, by points.

        Arguments:
            least: how many times as far an output moves that has lost digits.
        """
        found: list[set[int]] = [set() for _ in range(count)]
        outputs = self.suspects.outputs
        furthest = [max(moved.far(i, k) for i in outputs) for k in range(count)]
        lost = [k for k, far in enumerate(furthest) if far > least]
        reached: dict[int, set[int]] = defaultdict(set)  # points, from what is lost
        for i in outputs:
            reached[i] = {k for k in lost if moved.far(i, k) > least}
        for i in range(max(outputs), -1, -1):
            points = reached.pop(i, set())
            for a in arguments(self.program.nodes[i]) if points else ():
                read = self._reading(i, a, moved.values, points) - reached[a]
                reached[a] |= {k for k in read if moved.far(a, k) > least}
            for key in (i, ~i):
                for k in points if key in ratios else ():
                    ratio = ratios[key][k]
                    if ratio > NOTED and furthest[k] < TRUE / MOVED:
                        power = math.log(furthest[k]) / math.log(ratio)
                        self.powers.setdefault(key, []).append(power)
                    if ratio > SMALL:
                        found[k].add(key)
        return found

    def _reading(self, i: int, a: int, values: Columns, points: Set[int]) -> Set[int]:
        """Those of some points at which a node is computed from this argument."""
        op, *args = self.program.nodes[i]
        if op != "where":
            return points
        sides = {True: args[1], False: args[2]}
        return {k for k in points if sides[values[args[0]][k] is True] == a}

    def _ratios(self, i: int, values: Columns) -> list[float]:
        """How many times as large as a difference is what a test compares it with."""
        op, *args = self.program.nodes[i]
        if op == "pow":
            return [*map(math.fabs, values[args[1]])]
        if op in _PERIODIC:
            return [abs(x) / PERIODS for x in values[args[0]]]
        if op in _STEEP:
            sizes = values[args[0]] if op == "log1p" else map(abs, values[args[0]])
            gaps = [1.0 + x if op == "log1p" else 1.0 - x for x in sizes]
            return [1.0 / x if x else math.inf for x in gaps]
        compared = self._compared(i)
        large: Iterable[float] = (
            repeat(compared)
            if isinstance(compared, float)
            else map(abs, values[compared])
        )
        return [y / abs(x) if x else math.inf for x, y in zip(values[i], large)]

    def _all_ratios(
        self, differences: Iterable[int], values: Columns
    ) -> dict[int, list[float]]:
        """The ratios of some differences, and of sines, as ~i, next to their zeros."""
        found = {i: self._ratios(i, values) for i in differences}
        nodes = self.program.nodes
        sines = [i for i in found if nodes[i][0] in _PERIODIC]
        return {**found, **{~i: self._shares(i, values) for i in sines}}

    def _shares(self, i: int, values: Columns) -> list[float]:
        """The same of a sine that is small beside its argument, unless that is large."""
        pairs = zip(values[i], values[self.program.nodes[i][1]])
        return [
            0.0 if abs(y) > WOUND else abs(y / x) / PERIODS if x else math.inf
            for x, y in pairs
        ]

    def _compared(self, i: int) -> int | float:
        """What a difference is compared with: a node, or a number."""
        nodes = self.program.nodes
        op, *args = nodes[i]
        if op in _DIFFERENCES:
            return 1.0
        if op in _WINDING:
            return int(args[0])
        numbers = [abs(nodes[a][1]) for a in args if nodes[a][0] == "const"]
        return numbers[0] if numbers else int(args[1])

    def _term(self, key: int) -> int:
        """A node that is infinite where a difference is small, or ~key, if a sine is."""
        builder, large = self.builder, self.draws.chosen[key]
        i = max(key, ~key)
        op, *args = self.program.nodes[i]
        if key < 0:
            found = builder.add("div", args[0], i)
            found = builder.add("mul", self._factor(1.0 / (large * PERIODS)), found)
        elif op == "pow":
            found = builder.add("mul", self._factor(1.0 / large), args[1])
        elif op in _PERIODIC:
            found = builder.add("mul", self._factor(1.0 / (large * PERIODS)), args[0])
        elif op in _STEEP:
            found = builder.add("div", self._factor(1.0 / large), self._gap(i))
        elif isinstance(compared := self._compared(i), float):
            found = builder.add("div", self._factor(min(compared / large, 1.0)), i)
        else:
            found = builder.add("div", compared, i)
            found = builder.add("mul", self._factor(1.0 / large), found)
        return self.suspects.term(i, found, builder)

    def _gap(self, i: int) -> int:
        """How far an argument is from where the function is steep."""
        op, x = self.program.nodes[i]
        one = self.builder.const(1.0)
        if op == "log1p":
            return self.builder.add("add", one, x)
        return self.builder.add("sub", one, self.builder.add("abs", x))

    def _factor(self, share: float) -> int:
        """A share of the largest number, in one digit."""
        return self.builder.const(float(f"{LARGEST * share:.0e}"))

    def _large(self, i: int) -> float:
        """The ratio at which a test fails, smaller if outputs move by a power of it."""
        powers = sorted(self.powers.get(i, [1.0]))
        power = powers[4 * len(powers) // 5]  # few are larger by chance
        return min(SMALL, math.pow(SPOILT, 1.0 / max(power, 1.0)))


def _kinds(n: int) -> Iterator[Kind]:
    """The kinds of points of so many inputs."""
    equal = _BESIDE[0]
    pairs = [*combinations(range(min(n, PAIRED)), 2)]
    for rule in _ALONE:
        for i in range(n):
            yield [(i, i, rule)]
    for rule in _BESIDE:
        for i, j in pairs:
            yield [(i, j, rule)]
    if n == 2:
        yield [(1, 1, _ALONE[1]), (0, 1, equal)]
    for sizes in _mixed(n):
        yield [(i, i, _ALONE[size]) for i, size in enumerate(sizes) if size is not None]
    if n <= TWICE:
        for one, other in combinations(pairs, 2):
            if {*one}.isdisjoint(other):
                yield [(*one, equal), (*other, equal)]


def _combined(n: int, compared: Set[tuple[int, int]]) -> Iterator[tuple[int, Kind]]:
    """The kinds of points of so many inputs that are special in two ways, by rank.

    Arguments:
        compared: the pairs of inputs that come first.
    """
    tiny, large, _, saturated, one, _ = _ALONE
    equal = _BESIDE[0]
    some = range(min(n, PAIRED))
    for i, j in combinations(some, 2):
        yield 1, [(i, i, one), (j, j, tiny)]
        yield 1, [(j, j, one), (i, i, tiny)]
        yield 1, [(i, i, saturated), (j, j, saturated)]
        rank = 0 if (i, j) in compared else 1
        for k in some:
            if k not in (i, j):
                for rule in (tiny, large, one):
                    yield rank, [(i, j, equal), (k, k, rule)]
    if 2 < n <= TOGETHER:
        for k in range(-1, n):
            first, *others = (i for i in range(n) if i != k)
            beside = [(i, first, equal) for i in others]
            if len(beside) > 1:
                rank = 0 if k < 0 else 1
                yield rank, beside
                yield rank, [(first, first, large), *beside]
                if k >= 0:
                    yield rank, [*beside, (k, k, tiny)]


def _mixed(n: int) -> Iterator[Sequence[int | None]]:
    """Which inputs are tiny and which huge where several are, by `_ALONE`."""
    yield from ([size] * n for size in (0, 1) if n > 1)
    whole = [*product((0, 1, None), repeat=n)] if 3**n <= MIXED else []
    random = Random(n)
    some = whole or (
        [random.choice((0, 1, None)) for _ in range(n)] for _ in range(MIXED)
    )
    for sizes in some:
        if len({*sizes}) > 1 and sum(size is not None for size in sizes) > 1:
            yield sizes


def _is_even(x: float) -> bool:
    """Whether a number is a quotient of small whole numbers."""
    parts = x * PARTS
    return abs(parts) > 0.5 and abs(parts - round(parts)) <= abs(parts) * EVEN


def _next_to(number: float, x: float, small: float) -> float:
    """What an input is next to a number."""
    return number * (1.0 + small)


class _Moved(NamedTuple):
    """What the nodes are at some points, and in runs of which results are moved."""

    values: Columns
    runs: Sequence[Columns]

    def far(self, i: int, k: int) -> float:
        """How far a node has been moved at a point, in units of MOVED."""
        x = self.values[i][k]
        if not isinstance(x, float) or not math.isfinite(x):
            return 0.0
        far = 0.0
        for run in self.runs:
            y = run[i][k]
            if math.isfinite(y):
                far = max(far, abs(y - x))
        return far / abs(x) / MOVED if x else math.inf if far else 0.0


class _Runs:
    """Runs a program on floats; what raises, and what follows from it, is NaN."""

    def __init__(self, suspects: Suspects, random: Random) -> None:
        self.program = program = suspects.program
        self.random = random
        self.start: list[Any] = [math.nan] * len(program.nodes)
        self.inputs: list[tuple[int, int]] = []
        self.steps: list[_Step] = []
        self.differences: list[int] = []
        names = [item.name for item in program.inputs]
        gaps = {
            (node[0], a)
            for i, node in enumerate(program.nodes)
            if node[0] in _SUMS and suspects.is_live(i)
            for a, other in (node[1:], node[:0:-1])
            if program.nodes[other] == ("const", 1.0)
        }
        for i, node in enumerate(program.nodes):
            if not suspects.is_live(i):
                continue
            op, *args = node
            if op == "const":
                self.start[i] = args[0]
            elif op == "input":
                self.inputs.append((i, names.index(args[0])))
            else:
                self.steps.append(self._step(i, op, args))
            if _may_cancel(program.nodes, i) and suspects.is_placed(i):
                shown = {(sign, args[0]) for sign in _STEEP.get(op, ())}
                if not shown or not shown <= gaps:
                    self.differences.append(i)

    def _step(self, i: int, op: str, args: Sequence[int]) -> _Step:
        rule = _PLAIN.get(op) or COMPARISONS.get(op) or function(self.program.ops[op])
        is_exact = op in _EXACT or op in _CHOICES or op in COMPARISONS
        return _Step(i, rule, args, None if is_exact else _EXACT_AT.get(op, _nowhere))

    def run(
        self,
        points: Sequence[Point],
        by: float = 0.0,
        known: dict[int, list[Any]] | None = None,
    ) -> Columns:
        """The nodes at some points, inexact ones moved by a share of themselves.

        Arguments:
            known: what some nodes are there; all others are added.
        """
        n = len(points)
        random = self.random.random
        found = [[x] * n for x in self.start]
        for i, k in self.inputs:
            found[i] = [point[k] for point in points]
        for i, rule, args, is_exact in self.steps:
            if known is not None and i in known:
                found[i] = known[i]
                continue
            operands = [found[a] for a in args]
            results = found[i] = _column(rule, operands, n)
            if by and is_exact is not None:
                moved = [x + (by if random() >= 0.5 else -by) * x for x in results]
                exact = is_exact(results, *operands)
                if exact is not None:
                    moved = [x if e else y for x, y, e in zip(results, moved, exact)]
                found[i] = moved
            if known is not None:
                known[i] = found[i]
        return found


def _column(
    rule: Callable[..., Any], operands: Sequence[Sequence[Any]], n: int
) -> list[Any]:
    """What a rule gives at n points, by its arguments there; where it raises, NaN."""
    found: list[Any] = []
    results = map(rule, *operands) if operands else starmap(rule, repeat((), n))
    while len(found) < n:
        try:
            found.extend(results)
        except (ArithmeticError, ValueError, TypeError):
            found.append(math.nan)
    return found


Column = Sequence[float]


class _Step(NamedTuple):
    """How a node is computed, and where that was exact; None for what always is."""

    node: int
    rule: Callable[..., Any]
    args: Sequence[int]
    is_exact: Callable[..., Sequence[bool] | None] | None


# NaN, for a condition that has no value, is neither true nor false.
_CHOICES: Mapping[str, Callable[..., Any]] = {
    "where": lambda condition, yes, no: yes if condition is True else no,
    "and": lambda x, y: x is True and y is True,
    "or": lambda x, y: x is True or y is True,
    "not": lambda x: x is not True,
}


_PLAIN: Mapping[str, Callable[..., Any]] = {
    **_CHOICES,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}


def _exact_sums(xs: Column, ys: Column, zs: Column) -> Sequence[bool]:
    """Where a sum has no rounding error: Knuth, TAOCP 4.2.2."""
    return [
        (y - (x - (near := x - y))) + (z - near) == 0.0 for x, y, z in zip(xs, ys, zs)
    ]


def _exact_differences(xs: Column, ys: Column, zs: Column) -> Sequence[bool]:
    return [
        (y - (x - (near := x - y))) - (z + near) == 0.0 for x, y, z in zip(xs, ys, zs)
    ]


def _exact_products(_: Column, ys: Column, zs: Column) -> Sequence[bool] | None:
    left, right = _powers_of_two(ys), _powers_of_two(zs)
    if left is None or right is None:
        return right if left is None else left
    return [*map(operator.or_, left, right)]


def _exact_quotients(_: Column, ys: Column, zs: Column) -> Sequence[bool] | None:
    return _powers_of_two(zs)


def _powers_of_two(xs: Column) -> Sequence[bool] | None:
    """Which numbers are powers of two, None if none is."""
    found = [abs(share) == 0.5 for share, _ in map(math.frexp, xs)]
    return found if True in found else None


def _nowhere(*_: Column) -> None:
    return None


# Where an operation has been computed without rounding, by its results and arguments.
_EXACT_AT: Mapping[str, Callable[..., Sequence[bool] | None]] = {
    "add": _exact_sums,
    "sub": _exact_differences,
    "mul": _exact_products,
    "div": _exact_quotients,
}
