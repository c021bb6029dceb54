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
so (`series`), and its first terms replace the node near the point. How near, and how
many terms, follows from the coefficients (`polynomial`): the value and two derivatives
of the polynomial are right to the last digits inside, and the formula as written has
not yet lost many outside. A quotient that is a polynomial becomes it everywhere.

A series whose coefficients depend on other inputs is left out: near its point the
formula stands as it is written.

The pass runs before `derive`, so the derivatives are those of the polynomial too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gradc.analysis.ranges import Ranges
from gradc.ir import Builder, Program, arguments, compact

if TYPE_CHECKING:
    from gradc.analysis.polynomial import Near
    from gradc.analysis.singular import Point

MOST = 10_000  # nodes above which a program is left as it is
EXPANSIONS = 50  # tried on one program
SUSPECT = frozenset({"div", "pow", "add", "sub", "log", "lgamma"})

Key = tuple[int, "frozenset[Point]"]  # a node, and points that it is far from
Sites = dict[int, dict["Point", "Near"]]  # what replaces a node, by the point


def resolve(program: Program) -> Program:
    """Return a program that is defined at its removable singularities, and near them."""
    if len(program.nodes) > MOST or not _is_suspect(program):
        return program
    builder = Builder.upon(program)
    sites: Sites = {}
    _Round(builder, sites).run(range(len(program.nodes)))
    if not sites:
        return program
    grown = builder.follow(program, program.outputs)
    return _Rebuilt(grown, sites).run()


def _is_suspect(program: Program) -> bool:
    """Whether there is a quotient or a sum."""
    return not SUSPECT.isdisjoint(program.operations)


def _needed(builder: Builder, sites: Sites, nears: Iterable[Near]) -> set[int]:
    """The nodes of some polynomials, and of those that replace nodes of theirs."""
    needed: set[int] = set()
    stack = [i for near in nears for i in near if i is not None]
    while stack:
        i = stack.pop()
        if i not in needed:
            needed.add(i)
            stack += arguments(builder.nodes[i])
            for near in sites.get(i, {}).values():
                stack += [j for j in near if j is not None]
    return needed


class _Round:
    """A search for the sites among some nodes."""

    def __init__(self, builder: Builder, sites: Sites) -> None:
        from gradc.analysis.singular import Finder  # which few formulas need

        self.builder = builder
        self.sites = sites
        self.tries = EXPANSIONS
        self.finder = Finder(builder)
        builder.span = None

    def run(self, nodes: Sequence[int]) -> None:
        for i in nodes:
            self._examine(i)

    def _add(self, site: int, point: Point, near: Near) -> None:
        """Note what replaces a node, unless that needs the node itself."""
        if site not in _needed(self.builder, self.sites, [near]):
            self.sites.setdefault(site, {})[point] = near

    def _examine(self, i: int) -> None:
        """Find the sites that heal the poles of a quotient."""
        points = [] if i in self.sites else list(self.finder.points(i))
        base = -1
        for point in points if self.tries else []:
            if base in (-1, point.base) and self.finder.is_function(i, point.base):
                whole = self._whole(i, i, point)
                if whole is not None:
                    self._add(i, point, whole)
                    base = point.base
        if base != -1:
            return
        far = [p for p in points if self.builder.value_of(p.center) != 0.0]
        if self.tries and any([self._separates(i, point) for point in far]):
            return
        for point in points if self.tries else []:
            self.finder.heal(i, point, partial(self._heals, point))
        for point in self.finder.cancelling(i) if self.tries else []:
            self._heals(point, i)

    def _heals(self, point: Point, site: int) -> bool:
        """Whether a node is regular at a point; if so, it is replaced near it."""
        if point in self.sites.get(site, {}):
            return True
        if not self.tries:
            return False
        self.tries -= 1
        if self._separates(site, point):
            return True
        found = self._expanded(site, point)
        if found is not None:
            self._add(site, point, found)
            return True
        return any(
            [self._begins(site, side) for side in self.finder.sides(site, point)]
        )

    def _begins(self, site: int, point: Point) -> bool:
        """Whether a node is regular on a side of a point, where a root begins."""
        self.tries -= 1
        found = self._expanded(site, point)
        if found is not None:
            self._add(site, point, found)
        return found is not None

    def _separates(self, site: int, point: Point) -> bool:
        """Replace a node by a product, if the series of one factor has only numbers."""
        from gradc.analysis.polynomial import Near
        from gradc.analysis.powers import power_product
        from gradc.analysis.separate import separate

        above = self.finder.above(site, point.base)
        fixed, powers = separate(self.builder, site, point.base, above)
        if self.builder.value_of(fixed) is not None or not powers:
            return False
        factor = power_product(self.builder, dict(powers))
        found = self._whole(factor, site, point)
        if found is None:
            return False
        self._add(factor, point, found)
        self._add(site, point, Near(None, self.builder.add("mul", fixed, factor)))
        return True

    def _whole(self, rest: int, whole: int, point: Point) -> Near | None:
        """The polynomial of a new node near a point, if it has numbers only.

        None as well if a condition decides that.

        Arguments:
            whole: the node of the program that it was made of.
        """
        from gradc.analysis.coefficients import Coefficients, NoExpansion
        from gradc.analysis.polynomial import near
        from gradc.analysis.series import Expansion

        above = self.finder.above(whole, point.base)
        below = self.finder.below(whole)
        try:
            expansion = Expansion(Coefficients(self.builder), point.base, point.center)
            series = expansion.series(rest, lambda k: k not in below or above(k))
            found = near(expansion.coefficients, series, *point[:2])
        except NoExpansion:
            return None
        return None if expansion.decided else found

    def _expanded(self, site: int, point: Point) -> Near | None:
        """The polynomial that a node is near a point; None if it has none."""
        from gradc.analysis.coefficients import Coefficients, NoExpansion
        from gradc.analysis.polynomial import near
        from gradc.analysis.series import Expansion, halved

        coefficients = Coefficients(self.builder)
        above = self.finder.above(site, point.base)
        base, center, side = point
        try:
            expansion = Expansion(coefficients, base, center, side)
            series = expansion.series(site, above)
            if side:
                series = halved(series, coefficients, side)
            found = near(coefficients, series, base, center)
        except NoExpansion:
            return None
        decided = dict(expansion.decided)
        if side:
            decided[self.builder.add("ge" if side > 0 else "le", base, center)] = True
        return self._restricted(found, decided)

    def _restricted(self, found: Near, decided: Mapping[int, bool]) -> Near:
        """A polynomial where conditions are what they are at its center."""
        condition = found.condition
        for i, truth in decided.items():
            holds = i if truth else self.builder.add("not", i)
            if condition is not None:
                holds = self.builder.add("and", condition, holds)
            condition = holds
        return found._replace(condition=condition)


class _Rebuilt:
    """A copy of a program in which the sites are replaced.

    On the side of a site that is far from its points, what lies below and has the same
    points is left as written: it is needed only there.
    """

    def __init__(self, program: Program, sites: Sites) -> None:
        self.program = program
        self.sites = sites
        self.builder = Builder(program.ops)
        self.new: dict[Key, int] = {}
        self.ranges = Ranges(self.builder, program.inputs)
        self.touched: list[bool] = []
        for i, node in enumerate(program.nodes):
            below = any(self.touched[a] for a in arguments(node))
            self.touched.append(below or i in sites)

    def run(self) -> Program:
        outputs = []
        for output in self.program.outputs:
            key = self._key(output, frozenset())
            self._copy(key)
            outputs.append(self.new[key])
        return compact(self.builder.follow(self.program, outputs))

    def _key(self, i: int, far: frozenset[Point]) -> Key:
        return i, far if self.touched[i] else frozenset()

    def _copy(self, key: Key) -> None:
        """Copy a node with all that it needs, `far` being the points resolved above."""
        stack = [key]
        while stack:
            i, far = stack[-1]
            nears = [
                near
                for point, near in self.sites.get(i, {}).items()
                if point not in far
            ]
            whole = next((n for n in nears if n.condition is None), None)
            wanted = arguments(self.program.nodes[i])
            if whole is not None:
                wanted = (whole.value,)
            elif nears:
                wanted = tuple(p for near in nears for p in near if p is not None)
            keys = [self._key(a, far) for a in wanted]
            if nears and whole is None:
                keys.append((i, far.union(self.sites[i])))
            missing = [k for k in keys if k not in self.new]
            stack += reversed(missing)
            if not missing:
                stack.pop()
                if (i, far) not in self.new:
                    self.new[i, far] = self._made(i, nears, keys)

    def _made(self, i: int, nears: Sequence[Near], keys: Sequence[Key]) -> int:
        """Add the copy of a node, all that it needs being there."""
        made = [self.new[key] for key in keys]
        if not nears:
            return self._as_written(i, made)
        found = made.pop()
        name = self.builder.names.pop(found, None)
        self.builder.span = self.program.spans[i]
        while made:
            value, condition = made.pop(), made.pop()
            near = self.builder.add("where", condition, value, found)
            if self.ranges.decided(condition) is not False:
                found = near
        if name is not None:
            self.builder.name(found, name)
        return found

    def _as_written(self, i: int, args: Sequence[int]) -> int:
        new = dict(zip(arguments(self.program.nodes[i]), args))
        return self.builder.copy(self.program, i, new)
