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
The coefficients are numbers, times what is fixed: m*(c0 + c1*t + c2*t^2 + ...), where t
is the distance from the point times a product of what is fixed. A series of any other
coefficients is left out: near its point the formula stands as it is written.

The pass runs before `derive`, so the derivatives are those of the polynomial too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from gradc.analysis.ranges import Ranges
from gradc.ir import Builder, Program, arguments, compact

if TYPE_CHECKING:
    from gradc.analysis.singular import Point

MOST = 10_000  # nodes above which a program is left as it is
EXPANSIONS = 50  # tried on one program
SUSPECT = frozenset({"div", "pow", "add", "sub", "log"})


Near = tuple[int, int]  # a condition, and what a node is where it holds
Sites = dict[int, list[Near]]  # what replaces a node


def resolve(program: Program) -> Program:
    """Return a program that is defined at its removable singularities, and near them."""
    if len(program.nodes) > MOST or SUSPECT.isdisjoint(program.operations):
        return program
    search = Search(program)
    for i in range(len(program.nodes)):
        search.examine(i)
    if not search.sites:
        return program
    return _rebuilt(search.builder.follow(program, program.outputs), search.sites)


class Search:
    """A search for the sites among the nodes of a program."""

    def __init__(self, program: Program) -> None:
        from gradc.analysis.singular import Finder  # which few formulas need

        self.program = program
        self.builder = Builder.upon(program)
        self.builder.span = None
        self.sites: Sites = {}
        self.tries = EXPANSIONS
        self.finder = Finder(self.builder)
        self.conditions: list[int] = []  # of the polynomials of one quotient
        self.tried: dict[tuple[int, Point], bool] = {}

    def examine(self, i: int) -> None:
        """Find the sites that heal the poles of a quotient, or the cancelling of a sum."""
        finder, zero = self.finder, self.finder.denominator(i)
        self.conditions = []
        for point in finder.zeros(zero) if zero != -1 else ():
            if not any(finder.holds(c, point) for c in self.conditions):
                healed = finder.heal(i, point, partial(self._heals, point, zero))
                if healed and point.base == zero:
                    break
        if i not in self.sites:
            for point in self.finder.cancelling(i):
                self._heals(point, i, i)

    def _heals(self, point: Point, zero: int, site: int) -> bool:
        """Whether a node is regular at a point; if so, it is replaced near it."""
        key = site, point
        if key not in self.tried:
            self.tried[key] = self._expanded(zero, site, point) or any(
                [
                    self._expanded(zero, site, side)
                    for side in self.finder.sides(site, point)
                ]
            )
        return self.tried[key]

    def _expanded(self, zero: int, site: int, point: Point) -> bool:
        from gradc.analysis.polynomial import near
        from gradc.analysis.series import Expansion, NoExpansion

        self.tries -= 1
        if self.tries < 0:
            return False
        try:
            expansion = Expansion(self.builder, *point)
            found = near(expansion, site, zero)
        except NoExpansion:
            return False
        ranges = Ranges(self.builder, self.program.inputs)
        self.conditions.append(found.condition)
        if ranges.decided(found.needed) is not False:
            self.sites.setdefault(site, []).append((found.condition, found.value))
        return True


def _rebuilt(program: Program, sites: Sites) -> Program:
    """A copy of a program in which the sites are replaced."""
    builder = Builder(program.ops)
    new: dict[int, int] = {}
    stack = list(reversed(program.outputs))
    while stack:
        i = stack[-1]
        nears = sites.get(i, [])
        needed = [*arguments(program.nodes[i]), *(k for near in nears for k in near)]
        missing = [k for k in needed if k not in new]
        stack += reversed(missing)
        if not missing:
            stack.pop()
            if i not in new:
                new[i] = _copied(builder, program, i, nears, new)
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _copied(
    builder: Builder,
    program: Program,
    i: int,
    nears: Sequence[Near],
    new: dict[int, int],
) -> int:
    """A copy of a node, near its points the polynomials."""
    found = builder.copy(program, i, new)
    if not nears:
        return found
    name = builder.names.pop(found, None)
    for condition, value in nears:
        found = builder.add("where", new[condition], new[value], found)
    if name is not None:
        builder.name(found, name)
    return found
