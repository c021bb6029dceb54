"""Losses: where differences lose the digits of floats, and what shows it.

`cosh(x) - cosh(y)` keeps few digits where x is next to y, and what is computed from it
keeps no more. What the passes before did not mend is found here: a program is run at
special points (`draws`), and where functions are steep (`edges`), and again with every
rounding moved (`roundings`). Where an output moves much further, digits were lost, and
differences below it are chosen to be tested: what was subtracted, over the difference,
is added to the values times 1e304, which is infinite once four digits are gone, or
times more if an output loses several digits by each. Nearest to what is special a
difference of differences may be all noise, which shows nothing, so that one of those
below it is tested as well. A power of a large exponent is as
a difference, of its base and 1; so is the part of a period that a sine, or a remainder,
finds in a large argument, a sine next to one of its zeros, a tangent next to a pole, and
what is left to 1 where asin is steep. A few differences that are as one of these, but of
other inputs, are tested with it. The function then runs again in more digits.

That a difference is small at a point that is not special, as a residual may be anywhere,
is chance, and not tested, unless it is one of two products or there is an edge (`levels`);
nor is a sum whose terms cancel at many of them (`nothing`).
"""

from __future__ import annotations

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import repeat

from gradc.analysis.draws import Drawn, Draws, Special
from gradc.analysis.kinds import Kind
from gradc.analysis.levels import edges
from gradc.analysis.nothing import Nothing
from gradc.analysis.roundings import (
    DIFFERENCES,
    MOVED,
    PERIODIC,
    STEEP,
    SUMS,
    WINDING,
    Columns,
    Moved,
    Point,
    Runs,
    free,
    may_cancel,
    rule_of,
)
from gradc.analysis.suspects import Suspects, covering
from gradc.careful import keeps_digits
from gradc.ir import Builder, arguments

WORK = 80_000  # nodes that are run for a function
TRIES = 4  # at the most to draw one where anything is defined
AGAIN = 3  # runs with moved results, so that they do not cancel in all
LOST = 1e5  # times as far an output moves that has lost digits
MISSED = 1e6  # the same where inputs are special in two ways
SMALL = 1e4  # times as large as a difference is what is subtracted then
PERIODS = 100.0  # times as large may be the argument of a sine
WOUND = 1e3  # up to which the argument of a sine is not large
NOTED = 300.0  # the same where it is noted how far outputs move
TRUE = 0.1  # the share of itself that an output may move for that
SPOILT = 1e5  # times as far an output may move where no test fails
LARGEST = 1e308  # times which a number above 1.8 is infinite
ALIKE = 4  # differences up to which all of one shape are tested
FEW = 2  # points for which no test is added, which may be chance


def terms(suspects: Suspects, builder: Builder, draws: Draws) -> Iterator[int]:
    """Nodes that are infinite where a function has lost digits.

    There are none if it has operations of which no run has more digits than floats.

    Arguments:
        draws: of the program.
    """
    program = suspects.program
    live = filter(suspects.is_live, range(len(program.nodes)))
    some = any(may_cancel(program, i) for i in live)
    if some and keeps_digits(program):
        yield from _Tests(suspects, builder, draws).terms()


class _Tests:
    """Looks for the differences that one function of a program has to test."""

    def __init__(self, suspects: Suspects, builder: Builder, draws: Draws) -> None:
        self.suspects = suspects
        self.builder = builder
        self.program = suspects.program
        self.draws = draws
        self.runs = Runs(suspects, draws.random)
        self.nothing = Nothing(self.runs, draws, suspects.shapes)
        self.points_left = WORK // len(self.runs.steps)
        self.powers: dict[int, list[float]] = {}  # of ratios, with which outputs move
        self.uses = Counter(a for node in self.program.nodes for a in arguments(node))
        self.totals = self._totals()
        self.edged = edges(self.program.nodes)

    def _totals(self) -> list[int]:
        """Of each node the sum that it ends in if nothing else reads it, or itself."""
        found = [*range(len(self.program.nodes))]
        returned = {*self.program.outputs}
        for i in range(len(found) - 1, -1, -1):
            op, *args = self.program.nodes[i]
            read = args if op in SUMS else args[1:] if op == "where" else ()
            for a in read:
                if self.uses[a] == 1 and a not in returned:
                    found[a] = found[i]
        return found

    def terms(self) -> Iterator[int]:
        """Nodes that are infinite where digits are lost."""
        chosen = [*self.draws.chosen]
        cases = [*self._cases()]
        chosen += covering([case for _, case in cases], FEW, [*chosen])
        shown = {tuple(k): k for k, case in cases if not case.isdisjoint(chosen)}
        nearest = partial(self.draws.nearest, shown.values())
        wanted = self.runs.differences
        chosen += covering([*self._left(nearest, LOST, wanted, chosen)], FEW)
        wanted = [i for i in self.runs.differences if not self._is_residual(i)]
        combined, edges = self.draws.combined, self.draws.edges
        chosen += covering([*self._left(combined, MISSED, wanted, chosen)], FEW)
        wanted = [*filter(self._is_edge, wanted)]
        steep = [*covering([*self._left(edges, LOST, wanted, chosen)], FEW)]
        for i in steep:  # which moves outputs as far as it is near
            self.powers.pop(i, None)
        chosen += steep
        chosen += self._alike(chosen)
        for i in chosen:
            kept = self.draws.chosen.get(i, SMALL)
            self.draws.chosen[i] = min(kept, self._large(i))
        yield from dict.fromkeys(map(self._term, chosen))

    def _alike(self, chosen: Sequence[int]) -> list[int]:
        """Differences that are as one of those chosen is, but of other inputs.

        What one loses they lose, at points that need not have been drawn.
        """
        shapes = self.suspects.shapes
        groups: dict[int, list[int]] = defaultdict(list)
        for i in self.runs.differences:
            groups[shapes[i]].append(i)
        wanted = dict.fromkeys(shapes[i] for i in chosen if i >= 0)
        found = [groups[k] for k in wanted if len(groups[k]) <= ALIKE]
        return [i for group in found for i in group if i not in chosen]

    def _points(self) -> Iterator[tuple[Drawn, Columns]]:
        """Special points, and what the nodes are there.

        Those where nothing is defined are drawn again, behind the others.
        """
        left: list[Special] = []
        for k in range(TRIES):
            most = self.points_left
            drawn = self.draws.drawn(left, most) if k else self.draws.first(most)
            self.points_left -= len(drawn.points)
            values = self.runs.run(drawn.points, known=drawn.values)
            yield drawn, values
            undefined: Iterable[int] = range(len(drawn.points))
            for i in self.suspects.outputs:
                column = values[i]
                undefined = [k for k in undefined if math.isnan(column[k])]
            left = drawn.missed + [drawn.kinds[k] for k in undefined]

    def _is_residual(self, i: int) -> bool:
        """Whether a sum has a term that is an input, and nothing else reads that.

        What is subtracted from it meets it by chance, if not at an edge.
        """
        op, *args = self.program.nodes[i]
        nodes = self.program.nodes
        return (
            op in SUMS
            and i not in self.edged
            and any(nodes[a][0] == "input" and self.uses[a] == 1 for a in args)
        )

    def _is_edge(self, i: int) -> bool:
        """Whether a node is steep, or what is left to 1 where one is."""
        op, *args = self.program.nodes[i]
        nodes = self.program.nodes
        return op in STEEP or (
            op in SUMS and ("const", 1.0) in (nodes[a] for a in args)
        )

    # ---- what is lost

    def _cases(self) -> Iterator[tuple[Kind, set[int]]]:
        """Differences of which each shows at a point that an output has lost digits.

        With the kind of the point.
        """
        for drawn, values in self._points():
            ratios = self._all_ratios(self.runs.differences, values)
            kept = {k for r in ratios.values() for k, x in enumerate(r) if x > NOTED}
            noted = sorted(kept)
            cases = self._seen(drawn.points, values, ratios, noted, LOST)
            yield from zip((drawn.kinds[k][0] for k in noted), cases)

    def _left(
        self,
        draw: Callable[[], Drawn],
        least: float,
        wanted: Sequence[int],
        chosen: Sequence[int],
    ) -> Iterator[set[int]]:
        """The same of some differences where none of the tests so far fails."""
        if not {*wanted, *(~i for i in wanted)} - {*chosen}:
            return
        drawn = draw()
        if not drawn.points:
            return
        values = self.runs.run(drawn.points, known=drawn.values)
        ratios = self._all_ratios(wanted, values)
        noted = {k for r in ratios.values() for k, x in enumerate(r) if x > SMALL}
        read = self._read(values, noted) if chosen else {}
        for i in chosen:
            test = self._all_ratios([max(i, ~i)], values)[i]
            there = read.get(max(i, ~i), set())
            noted.difference_update(k for k in there if test[k] > SMALL)
        powers, self.powers = self.powers, {}
        yield from self._seen(drawn.points, values, ratios, sorted(noted), least)
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
        moved = Moved(
            [[column[k] for k in noted] for column in values],
            [self.runs.run(again, MOVED) for _ in range(AGAIN)] if noted else [],
        )
        small = {i: [r[k] for k in noted] for i, r in ratios.items()}
        return self._lost(moved, small, len(noted), least)

    def _lost(
        self,
        moved: Moved,
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
                reached[a] |= {k for k in read if moved.far(a, k) > NOTED}
            is_tested = points and i in ratios and not self.nothing.is_error(i)
            for key in (i, ~i) if is_tested else ():
                for k in points if key in ratios else ():
                    ratio = ratios[key][k]
                    if ratio > NOTED and furthest[k] < TRUE / MOVED:
                        power = math.log(furthest[k]) / math.log(ratio)
                        self.powers.setdefault(key, []).append(power)
                    if ratio > SMALL and moved.far(i, k) > least:
                        found[k].add(key)
        return found

    def _read(self, values: Columns, points: Set[int]) -> Mapping[int, Set[int]]:
        """Those of some points at which the outputs are computed from each node."""
        found: dict[int, set[int]] = defaultdict(set)
        for i in self.suspects.outputs:
            found[i] = {*points}
        for i in range(max(self.suspects.outputs), -1, -1):
            for a in arguments(self.program.nodes[i]) if found[i] else ():
                found[a] |= self._reading(i, a, values, found[i])
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
        if op in PERIODIC:
            return [abs(x) / PERIODS for x in values[args[0]]]
        if op in STEEP:
            argument = values[free(self.program, args[0])]
            sizes = argument if op == "log1p" else map(abs, argument)
            gaps = [1.0 + x if op == "log1p" else 1.0 - x for x in sizes]
            return [1.0 / x if x else math.inf for x in gaps]
        compared = self._compared(i)
        large: Iterable[float] = (
            repeat(compared)
            if isinstance(compared, float)
            else map(abs, values[compared])
        )
        left: Iterable[float] = map(abs, self._left_of(i, values))
        if self.totals[i] != i:
            left = map(operator.add, left, map(abs, values[self.totals[i]]))
        return [y / x if x else math.inf for x, y in zip(left, large)]

    def _left_of(self, i: int, values: Columns) -> Sequence[float]:
        """What is left of a difference whose terms are not held."""
        op, own = self._own(i)
        if op not in SUMS:
            return values[i]
        return [*map(rule_of(self.program, op), *(values[a] for a in own))]

    def _own(self, i: int) -> tuple[str, list[int]]:
        """An operation and its arguments, as `free` has them."""
        op, *args = self.program.nodes[i]
        return op, [free(self.program, a) for a in args if op in SUMS]

    def _all_ratios(
        self, differences: Iterable[int], values: Columns
    ) -> dict[int, list[float]]:
        """The ratios of some differences, and of sines, as ~i, next to their zeros."""
        found = {i: self._ratios(i, values) for i in differences}
        nodes = self.program.nodes
        sines = [i for i in found if nodes[i][0] in PERIODIC]
        return {**found, **{~i: self._shares(i, values) for i in sines}}

    def _shares(self, i: int, values: Columns) -> list[float]:
        """The same of a sine that is small beside its argument, unless that is large.

        A tangent may be large instead, next to a pole.
        """
        op, a = self.program.nodes[i]
        sizes = [*map(abs, values[i])]
        if op == "tan":
            sizes = [min(x, 1.0 / x) if x else x for x in sizes]
        return [
            0.0 if abs(y) > WOUND else abs(y) / x / PERIODS if x else math.inf
            for x, y in zip(sizes, values[a])
        ]

    def _compared(self, i: int) -> int | float:
        """What a difference is compared with: a node, or a number."""
        nodes = self.program.nodes
        op, *args = nodes[i]
        if op in DIFFERENCES:
            return 1.0
        if op in WINDING:
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
            if op == "tan":
                found = builder.add("add", found, builder.add("mul", args[0], i))
            found = builder.add("mul", self._factor(1.0 / (large * PERIODS)), found)
        elif op == "pow":
            found = builder.add("mul", self._factor(1.0 / large), args[1])
        elif op in PERIODIC:
            found = builder.add("mul", self._factor(1.0 / (large * PERIODS)), args[0])
        elif op in STEEP:
            found = builder.add("div", self._factor(1.0 / large), self._gap(i))
        elif isinstance(compared := self._compared(i), float):
            most = self._factor(min(compared / large, 1.0))
            found = builder.add("div", most, self._kept(i))
        else:
            found = builder.add("div", compared, self._kept(i))
            found = builder.add("mul", self._factor(1.0 / large), found)
            is_zero = self.nothing.is_zero(i)
            if is_zero or self.nothing.is_idle(i):
                zero = builder.const(0.0)
                empty = builder.add("eq", i if is_zero else compared, zero)
                found = builder.add("where", empty, zero, found)
        return self.suspects.term(i, found, builder)

    def _kept(self, i: int) -> int:
        """A difference, or a size that is small only if the sum it ends in is, too."""
        total = self.totals[i]
        if total == i:
            op, own = self._own(i)
            return self.builder.add(op, *own) if op in SUMS else i
        return self.builder.add(
            "add", *(self.builder.add("abs", k) for k in (i, total))
        )

    def _gap(self, i: int) -> int:
        """How far an argument is from where the function is steep."""
        op, x = self.program.nodes[i]
        x, one = free(self.program, x), self.builder.const(1.0)
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
