"""Resolve removable singularities: what is 0/0 at a point gets its series around it.

    %0 = input x               %0 = input x
    %1 = sin %0                %1 = mul %0 %0
    %2 = div %1 %0             %2 = const 1.0
    out %2           -->       %3 = lt %1 %2
                               ...               the polynomial in x*x
                               %23 = sin %0
                               %24 = div %23 %0
                               %25 = where %3 %22 %24
                               out %25

A quotient has a pole where its denominator vanishes. If the numerator vanishes with it,
or a sum or a product above cancels the pole, then the Laurent series of the node says
so (`series`), and its first terms replace the node near the point: the polynomial and
two derivatives are right to the last digits inside, and the formula as written has not
yet lost many outside (`extent`).
Where the series is none that `polynomial` can write, the formula stands as it is written.
The pass runs before `derive`, so the derivatives are those of the polynomial too.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import localcontext
from itertools import product
from math import nan

from gradc.analysis.forms import SUMS
from gradc.analysis.polynomial import Near, near
from gradc.analysis.ranges import Ranges
from gradc.analysis.series import FINE, Coefficient, Expansion, Series
from gradc.analysis.singular import Finder, Point
from gradc.errors import note
from gradc.ir import COMPARISONS, CONDITIONS, Builder, Program, arguments, compact
from gradc.ir import varying

MOST = 10_000  # nodes above which a program is left as it is
POINTS = 50  # at which one program is expanded
CLIMB = 12  # nodes above a quotient in which its pole may cancel
SUSPECT = frozenset({"div", "pow", "add", "sub", "log", "where"})

BAND = 0.01  # around a point that a row of the book heals
HEALED = frozenset(
    "exprel exprel2 expm1over dexprel logrel logrel2 log1prel boxcox powrel".split()
)

# Rows that step from one value to another, and where the quotient in them is steep.
STEPS = {"tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0), "atan": (0.0, 0.0)}
STEEP = 1e-100

# What a node is where a condition holds; everywhere if that is the condition's node too.
Sites = dict[int, dict[int, int]]


def resolve(program: Program, twice: bool = False, joins: bool = False) -> Program:
    """Return a program that is defined at its removable singularities, and near them.

    Arguments:
        twice: whether second derivatives are to be taken of it.
        joins: whether all that counts is what conditions take out.
    """
    if len(program.nodes) > MOST or SUSPECT.isdisjoint(program.operations):
        return program
    search = Search(program, twice)
    search.run(joins)
    if search.notes:
        program = replace(program, notes=(*program.notes, *search.notes))
    if not search.sites:
        return program
    return _rebuilt(search.builder.follow(program, program.outputs), search.sites)


class Search:
    """A search for the sites among the nodes of a program."""

    def __init__(self, program: Program, twice: bool = False) -> None:
        self.program, self.twice = program, twice
        self.builder = Builder.upon(program)
        self.ranges = Ranges(self.builder, program.inputs)
        self.finder = Finder(self.builder)
        self.sites: Sites = {}
        self.points: dict[Point, set[int]] = {}  # the sites at each
        self.notes: list[str] = []
        self.expansions: dict[Point, Expansion] = {}
        self.users = program.readers

    def run(self, joins: bool = False) -> None:
        """Find all sites."""
        with localcontext(FINE):
            for i in range(len(self.users)):
                if self.builder.nodes[i][0] == "where":
                    self._join(i)
                elif not joins:
                    self._examine(i)

    def _examine(self, i: int) -> None:
        """Find the sites that heal the poles of a quotient, or the cancelling of a sum."""
        if self.builder.nodes[i][0] in STEPS:
            self._step(i, *self.builder.nodes[i])
        zero, healed = self.finder.denominator(i), list[int]()  # distances from points
        for point in self.finder.zeros(zero) if zero != -1 else ():
            if any(self._order(h, point) > 0 for h in healed):
                continue  # it is one of them, told by another node
            if self._order(zero, point) > 0 and self._heal(i, point):
                healed.append(self.builder.add("sub", *point[:2]))
        done: set[int] = set()
        points = [*self.finder.cancelling(i), *self._met(i)]
        for point in points if i not in self.sites else ():
            if point.base not in done and self._cancels(i, point):
                done.update(self.finder.below(point.base))
                if (found := self._near(i, point)) is not None:
                    self._replace(i, point, found)

    def _step(self, i: int, op: str, quotient: int) -> None:
        """Give a bounded step that is infinitely steep its limits from the right."""
        const = self.builder.const
        below, add = self.finder.denominator(quotient), self.builder.add
        if below == -1 or self.builder.nodes[quotient][0] != "div":
            return
        x, zero = self.builder.nodes[quotient][1], const(0.0)
        if op == "atan":
            size = self.builder.value_of(x)
            size = add("abs", x) if size is None else const(abs(size))
            limit = add("mul", const(STEEP), size)
            steep = add("lt", add("abs", below), limit)
            left = add("atan2", add("neg", x), add("neg", below))
            is_left, right = add("lt", below, zero), add("atan2", x, below)
        else:
            steep = add("and", add("eq", below, zero), add("ne", x, zero))
            is_left, (left, right) = add("lt", x, zero), map(const, STEPS[op])
        if self.ranges.decided(steep) is not False:
            self.sites[i] = {steep: add("where", is_left, left, right)}

    def _join(self, i: int) -> None:
        """Give a point that a condition takes out the derivatives of what is around it."""
        nodes, spans = self.builder.nodes, self.builder.spans
        _, condition, own, other = nodes[i]
        op, *pair = nodes[condition]
        if op == "ne" or self._is_between(i, condition):
            condition, own, other = self.builder.add("not", condition), other, own
        elif op != "eq":
            return self._tell_band(i, condition)
        pairs = [pair, pair[::-1]]
        if nodes[pair[0]][0] == "sub" and self.builder.value_of(pair[1]) == 0.0:
            pairs.append([*nodes[pair[0]][1:]])
        for (base, center), side in product(pairs, (0, 1, -1)):
            point = Point(base, center, side)
            if self.finder.is_free(point) and (z := self._limit(own, other, point)):
                self.sites[i] = {condition: z}
                return
        free = {item.name for item in self.program.inputs if item.kind != "data"}
        if spans[i] != spans[condition] and varying(nodes, free)[condition]:
            self.notes.append(note("taken_out", self.program.source, spans[i]))

    def _tell_band(self, i: int, condition: int) -> None:
        """Note that a condition takes out a band around a point that has been healed.

        That is here, or in a small band by a row of the book.
        """
        nodes, below = self.builder.nodes, self.finder.below
        op, size, *most = nodes[condition]
        if op not in COMPARISONS or nodes[size][0] != "abs":
            return
        near, inside = {nodes[size][1], *arguments(nodes[nodes[size][1]])}, below(i)
        sites = [p.base for p, at in self.points.items() if not at.isdisjoint(inside)]
        found = not near.isdisjoint(sites)
        if (self.builder.value_of(most[0]) or 1.0) <= BAND:
            moves = {j for j in below(size) if nodes[j][0] == "input"}
            found |= any(moves <= {*below(j)} for j in inside if nodes[j][0] in HEALED)
        if found:
            span = self.builder.spans[i]
            self.notes.append(note("band", self.program.source, span))

    def _is_between(self, i: int, condition: int) -> bool:
        """Whether the last of three sides, a < b, a > b and this one, is a node's last."""
        nodes, users = self.builder.nodes, self.users[i]
        op, *args = nodes[users[0]] if len(users) == 1 else ("",)
        less = []
        for c in (condition, args[0]) if op == "where" and args[2] == i else ():
            op, *pair = nodes[c]
            less.append(pair if op == "lt" else pair[::-1] if op == "gt" else [])
        return bool(less) and less[0] != [] and less[0] == less[1][::-1]

    def _limit(self, own: int, other: int, point: Point) -> int | None:
        """What one side is around a point, if it tends there to the value of the other."""
        add, terms = self.builder.add, list[Coefficient]()
        for side in {point.side: 0, -point.side: 0}:
            try:
                series = self._series(other, point._replace(side=side)).regular()
                series = series.halved(side) if side else series
                found = [series[k] for k in range(3)]
                nodes = [self.expansions[point].node(x) for x in found]
            except (KeyError, ArithmeticError):
                continue
            if any(x - y for x, y in zip(terms, found)):
                return None  # a kink
            terms = found
        if not terms or not self.finder.agree(own, nodes[0], point):
            return None
        back, more = add("sub", point.center, point.base), self.builder.const(0.0)
        for sign, power, k in (("sub", back, 1), ("add", add("mul", back, back), 2)):
            if terms[k]:
                more = add(sign, more, add("mul", power, nodes[k]))
        return add("add", nodes[0], more)

    def _met(self, i: int) -> list[Point]:
        """The points at which something below a sum has been replaced."""
        is_sum, below = self.builder.nodes[i][0] in SUMS, self.finder.below(i)
        return [p for p in self.points if is_sum and p.base in below]

    def _cancels(self, i: int, point: Point) -> bool:
        """Whether a sum vanishes at a point, and faster than its terms."""
        order, terms = self._order(i, point), arguments(self.builder.nodes[i])
        return order > 0 and all(order > self._order(a, point) for a in terms)

    def _order(self, i: int, point: Point) -> float:
        """The power of the distance with which a node begins, nan if it has no series."""
        try:
            return self._series(i, point).order()
        except (KeyError, ArithmeticError):
            return nan

    def _series(self, i: int, point: Point) -> Series:
        if point not in self.expansions and len(self.expansions) < POINTS:
            own = len(self.users)
            self.expansions[point] = Expansion(self.builder, *point, own)
        return self.expansions[point].series(i)

    def _jumps(self, i: int, point: Point) -> bool:
        """Whether a node has another value on the other side of a point."""
        try:
            other = self._series(i, point._replace(side=-point.side))[0]
            return bool((other - self._series(i, point)[0]).number)
        except (KeyError, ArithmeticError):
            return False

    def _heal(self, i: int, point: Point) -> bool:
        """Replace a quotient near its pole, or nodes above it that stay finite there.

        What stands above one that is replaced is not looked at. Return whether any is.
        A direction is bounded, and loses digits in second derivatives alone: but for
        these it is healed in all that reads it, or not at all.
        """
        nodes, below = self.builder.nodes, self.finder.below
        x, length = nodes[i][1], nodes[nodes[i][-1]]
        has_to_end = length[0] == "hypot" and x in length and not self.twice
        stack, seen, found, ends = [i], {i}, dict[int, Near](), True
        while stack:
            i = stack.pop(0)
            regular = self._near(i, point)
            if regular is not None:
                found[i] = regular
                continue
            for user in self.users[i]:
                op, *args = nodes[user]
                if user in seen or op in CONDITIONS:
                    continue
                if op == "div" and point.base in below(args[1]):
                    continue  # a pole divided by another loses no digits near it
                if len(seen) < CLIMB and below(user):
                    seen.add(user)
                    stack.append(user)
                else:
                    ends = False
        for site, regular in found.items() if ends or not has_to_end else ():
            self._replace(site, point, regular)
        return bool(found)

    def _near(self, site: int, point: Point) -> Near | None:
        """What a node is near a point if it is regular there."""
        try:
            found = near(self.expansions[point], site, self.finder.below(site))
        except ArithmeticError:
            return None
        return None if point.side and self._jumps(site, point) else found

    def _replace(self, site: int, point: Point, found: Near) -> None:
        """Replace a node near a point, if it may come near it."""
        if site == found.value or self.builder.nodes[site][0] == "where":
            return  # it is so already, or another one is taken there
        if self.ranges.decided(found.needed) is not False:
            self.points.setdefault(point, set()).add(site)
            self.sites.setdefault(site, {})[found.condition] = found.value


def _rebuilt(program: Program, sites: Sites) -> Program:
    """A copy of a program in which the sites are replaced."""
    builder = Builder(program.ops)
    new: dict[int, int] = {}
    stack = list(reversed(program.outputs))
    while stack:
        i = stack[-1]
        nears = sites.get(i, {})
        needed = (*arguments(program.nodes[i]), *nears, *nears.values())
        if missing := [k for k in needed if k not in new]:
            stack += reversed(missing)
            continue
        stack.pop()
        if i not in new:
            new[i] = builder.copy(program, i, new)
            name = builder.names.pop(new[i], None) if nears else None
            for condition, value in nears.items():
                other = new[i] if condition != value else new[value]
                new[i] = builder.add("where", new[condition], new[value], other)
            if name is not None:
                builder.name(new[i], name)
    return compact(builder.follow(program, [new[i] for i in program.outputs]))
