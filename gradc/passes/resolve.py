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

from decimal import localcontext
from math import nan

from gradc.analysis.polynomial import Near, near
from gradc.analysis.ranges import Ranges
from gradc.analysis.series import FINE, Expansion, Series
from gradc.analysis.singular import Finder, Point
from gradc.ir import CONDITIONS, Builder, Program, arguments, compact

MOST = 10_000  # nodes above which a program is left as it is
POINTS = 50  # at which one program is expanded
CLIMB = 12  # nodes above a quotient in which its pole may cancel
SUSPECT = frozenset({"div", "pow", "add", "sub", "log"})

Sites = dict[int, dict[int, int]]  # what a node is where a condition holds


def resolve(program: Program, twice: bool = False) -> Program:
    """Return a program that is defined at its removable singularities, and near them.

    Arguments:
        twice: whether second derivatives are to be taken of it.
    """
    if len(program.nodes) > MOST or SUSPECT.isdisjoint(program.operations):
        return program
    search = Search(program, twice)
    search.run()
    if not search.sites:
        return program
    return _rebuilt(search.builder.follow(program, program.outputs), search.sites)


class Search:
    """A search for the sites among the nodes of a program."""

    def __init__(self, program: Program, twice: bool = False) -> None:
        self.twice = twice
        self.builder = Builder.upon(program)
        self.builder.span = None
        self.ranges = Ranges(self.builder, program.inputs)
        self.finder = Finder(self.builder)
        self.sites: Sites = {}
        self.expansions: dict[Point, Expansion] = {}
        self.users: list[list[int]] = [[] for _ in program.nodes]
        for i, node in enumerate(program.nodes):
            for a in arguments(node):
                self.users[a].append(i)

    def run(self) -> None:
        """Find all sites."""
        with localcontext(FINE):
            for i in range(len(self.users)):
                self._examine(i)

    def _examine(self, i: int) -> None:
        """Find the sites that heal the poles of a quotient, or the cancelling of a sum."""
        zero, healed = self.finder.denominator(i), list[int]()  # distances from points
        for point in self.finder.zeros(zero) if zero != -1 else ():
            if any(self._order(h, point) > 0 for h in healed):
                continue  # it is one of them, told by another node
            if self._order(zero, point) > 0 and self._heal(i, point):
                healed.append(self.builder.add("sub", *point[:2]))
        done: set[int] = set()
        for point in self.finder.cancelling(i) if i not in self.sites else ():
            if point.base not in done and self._cancels(i, point):
                done.update(self.finder.below(point.base))
                if (found := self._near(i, point)) is not None:
                    self._replace(i, found)

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
            self._replace(site, regular)
        return bool(found)

    def _near(self, site: int, point: Point) -> Near | None:
        """What a node is near a point if it is regular there."""
        try:
            found = near(self.expansions[point], site, self.finder.below(site))
        except ArithmeticError:
            return None
        return None if point.side and self._jumps(site, point) else found

    def _replace(self, site: int, found: Near) -> None:
        """Replace a node near a point, if it may come near it."""
        has_sides = self.builder.nodes[site][0] == "where"  # another one is taken there
        if not has_sides and self.ranges.decided(found.needed) is not False:
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
                new[i] = builder.add("where", new[condition], new[value], new[i])
            if name is not None:
                builder.name(new[i], name)
    return compact(builder.follow(program, [new[i] for i in program.outputs]))
