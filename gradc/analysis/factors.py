"""A quotient as a product of factors, in which what vanishes together cancels.

A factor that vanishes with something, as exp(u) - 1 does with u, is that times a factor
that does not: exp(u) - 1 = u*g(u). So w^3/(exp(a*w) - 1) is w^2/a/g(a*w), which is
defined where w = 0, and the series of 1/g has no coefficients but numbers.

    product := (leaf, whole exponent)*
    leaf    := a node that is no product, quotient or whole power

A root vanishes with its factors, half as fast: sqrt(k/m)*tanh(sqrt(k*m)*t) is what
vanishes with k, times tanh(u)/u.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial, reduce
from typing import NamedTuple

from gradc.analysis.coefficients import Coefficients, NoExpansion
from gradc.analysis.polynomial import Near, near
from gradc.analysis.powers import (
    Powers,
    Product,
    has_pole,
    power_product,
    product,
    rooted,
)
from gradc.analysis.series import Expansion
from gradc.analysis.singular import Finder, Point
from gradc.ir import Builder

Orders = dict[int, Fraction]  # of zeros, halves below a root


class Split(NamedTuple):
    """A leaf is h^order, where h = base - center, times what does not vanish."""

    point: Point
    order: int
    h: int


class Factors:
    """Splits the factors of quotients, and puts quotients together again."""

    def __init__(self, builder: Builder, finder: Finder) -> None:
        self._builder = builder
        self._finder = finder
        self._splits: dict[int, Split | None] = {}
        self.sites: dict[int, dict[Point, Near]] = {}

    def healed(self, i: int) -> Near | None:
        """The product that a quotient is, if that is defined at more points."""
        leaves = product(self._builder, i)
        if not any(self._may_be_pole(leaf, below) for leaf, _, below in leaves):
            return None
        atoms = {leaf: self._atoms(leaf, leaves) for leaf, _, _ in leaves}
        tangled = self._tangled(leaves, atoms)
        healed = {*filter(self._finder.varies, _healed(leaves, atoms, tangled))}
        if not healed:
            return None
        found: Powers = {}
        above: dict[int, int] = {}  # what factors are polynomials of, by condition
        under: dict[int, int] = {}  # the same below the line
        bare = {  # on which sides something vanishes that has no series
            exponent < 0
            for leaf, exponent, _ in leaves
            if self._splits.get(leaf) is None and not healed.isdisjoint(atoms[leaf])
        }
        stack = [(leaf, exponent) for leaf, exponent, _ in leaves]
        while stack:
            leaf, exponent = stack.pop()
            split = self._splits.get(leaf)
            if split is None or healed.isdisjoint(self._atoms(leaf, leaves)):
                found[leaf] = found.get(leaf, 0) + exponent
                continue
            rest = self._rest(leaf, split, exponent < 0)
            if rest is None:
                return None
            near = under if exponent < 0 else above
            near.update(dict.fromkeys(self._near(rest, split.point), split.point.base))
            found[rest] = found.get(rest, 0) + abs(exponent)
            for part, power, _ in product(self._builder, split.h):
                stack.append((part, power * split.order * exponent))
        if bare == {True} and above:
            under = {}
        elif bare == {False} and under:
            above = {}
        elif bare or self._inputs(above) == self._inputs(under):
            above, under = {**above, **under}, {}
        condition = self._joined(above, under)
        found = rooted(self._builder, found)
        return Near(condition, power_product(self._builder, found))

    def _joined(self, above: Iterable[int], under: Iterable[int]) -> int | None:
        """Where a product stands in place of a quotient, by conditions.

        Far from polynomials the quotient as written has the better derivative, and so it
        has where nothing vanishes above the line, or below it.
        """
        either = partial(self._builder.add, "or")
        sides = [reduce(either, near) for near in (above, under) if near]
        return reduce(partial(self._builder.add, "and"), sides) if sides else None

    def _inputs(self, near: dict[int, int]) -> set[int]:
        """The inputs that decide conditions."""
        below = {i for base in near.values() for i in self._finder.below(base)}
        return {i for i in below if self._builder.nodes[i][0] == "input"}

    def _may_be_pole(self, leaf: int, below: bool) -> bool:
        return self._finder.varies(leaf) and (below or has_pole(self._builder, leaf))

    def _near(self, rest: int, point: Point) -> list[int]:
        """The condition under which a factor is a polynomial, if there is one."""
        found = self.sites.get(rest, {}).get(point)
        return [] if found is None or found.condition is None else [found.condition]

    def _atoms(self, leaf: int, others: Product) -> Orders:
        """What a leaf vanishes with, and to which order."""
        found: Orders = {}
        stack = [(leaf, Fraction(1))]
        while stack:
            leaf, exponent = stack.pop()
            op, *args = self._builder.nodes[leaf]
            split = self._split(leaf, others)
            if split is not None:
                for part, power, _ in product(self._builder, split.h):
                    stack.append((part, power * split.order * exponent))
            elif op == "sqrt":
                for part, power, _ in product(self._builder, args[0]):
                    found[part] = found.get(part, 0) + power * exponent / 2
            else:
                found[leaf] = found.get(leaf, 0) + exponent
        return found

    def _tangled(self, leaves: Product, atoms: dict[int, Orders]) -> set[int]:
        """What stands below a root with something else that vanishes, such as sin(x)."""
        found: set[int] = set()
        for leaf, _, _ in leaves:
            op, *args = self._builder.nodes[leaf]
            parts = product(self._builder, args[0]) if op == "sqrt" else []
            if any(self._split(part, leaves) is not None for part, _, _ in parts):
                found |= {atom for atom, n in atoms[leaf].items() if n.denominator > 1}
        return found

    def _split(self, leaf: int, others: Product) -> Split | None:
        if leaf not in self._splits:
            self._splits[leaf] = None
            for point in self._finder.vanishing(
                leaf, [other for other, _, _ in others]
            ):
                split = self._tried(leaf, point)
                if split is not None:
                    self._splits[leaf] = split
                    break
        return self._splits[leaf]

    def _expansion(self, point: Point) -> Expansion:
        return Expansion(Coefficients(self._builder), point.base, point.center)

    def _tried(self, leaf: int, point: Point) -> Split | None:
        h = difference(self._builder, point)
        if h == leaf:
            return None
        try:
            expansion = self._expansion(point)
            series = expansion.series(leaf, self._finder.above(leaf, point.base))
            order = series.order(expansion.coefficients)
        except NoExpansion:
            return None
        if order < 1 or (series.degree == 1 and h != point.base):
            return None  # the leaf and h would be split by each other
        return Split(point, order, h)

    def _rest(self, leaf: int, split: Split, inverse: bool) -> int | None:
        """The node of what a leaf is without what vanishes, or of its inverse."""
        builder = self._builder
        power = split.h
        for _ in range(split.order - 1):
            power = builder.add("mul", power, split.h)
        rest = builder.add("div", *((power, leaf) if inverse else (leaf, power)))
        if rest in self.sites or builder.value_of(rest) is not None:
            return rest
        found = self.expanded(rest, leaf, split.point)
        if found is None:
            return None
        self.sites[rest] = {split.point: found}
        return rest

    def expanded(self, rest: int, whole: int, point: Point) -> Near | None:
        """The polynomial of a new node near a point, if it has numbers only.

        None as well if a condition decides that.

        Arguments:
            whole: the node of the program that it was made of.
        """
        above = self._finder.above(whole, point.base)
        below = self._finder.below(whole)
        try:
            expansion = self._expansion(point)
            series = expansion.series(rest, lambda k: k not in below or above(k))
            found = near(expansion.coefficients, series, *point[:2], compared=False)
        except NoExpansion:
            return None
        return None if expansion.decided else found


def _healed(
    leaves: Product, atoms: dict[int, Orders], tangled: set[int]
) -> Iterator[int]:
    """What vanishes in a denominator, and in the whole no longer.

    A root of it may be left, unless it is `tangled`.
    """
    total: Orders = {}
    poles: set[int] = set()
    for leaf, exponent, below in leaves:
        for atom, order in atoms[leaf].items():
            total[atom] = total.get(atom, 0) + order * exponent
            if order < 0 or below and order > 0:
                poles.add(atom)
    whole = (a for a in poles if total[a].denominator == 1 or a not in tangled)
    return (atom for atom in whole if total[atom] >= 0)


def difference(builder: Builder, point: Point) -> int:
    """The node of u - c."""
    if builder.value_of(point.center) == 0.0:
        return point.base
    return builder.add("sub", point.base, point.center)
