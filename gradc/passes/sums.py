"""Sums: derivatives that are sums of two products or quotients of nodes there are.

    d_x = factor*(a*b + c*d)     d_x = factor*(a/b - c)     d_x = factor*(1 - a)/b

What the products and quotients are at one point is rounded to whole multiples of a small
share of the derivative. Two that add up to it are found in a table of these numbers
then, and are believed if they add up to it at all other points, too. A product of three,
as `factor*a*b/c`, is found on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import NamedTuple

from gradc.costs import NANOSECONDS
from gradc.ir import Builder

ONE = -1  # the number 1, where a node may stand
SCALES = (1.0, 2.0, 0.5)  # by which a sum is multiplied
MULTIPLES = (1.0, 2.0, 0.5, 4.0, 0.25, 3.0)  # the same of a product
MOST = 150  # nodes of which products are looked at
UNITS = 2.0**30  # a derivative in units of the table
LARGEST = 2.0**40  # units of a term
SMALLEST = 2.0**10
DIGITS = 1e-9  # to which floats agree
EVIDENCE = 3  # points at which a sum is a derivative

Floats = Sequence["float | bool | None"]


class Term(NamedTuple):
    """A product or a quotient of two nodes, or of a node and 1."""

    op: str
    x: int
    y: int

    @property
    def nodes(self) -> list[int]:
        """Those that are not the number 1."""
        return [a for a in (self.x, self.y) if a != ONE]

    @property
    def cost(self) -> float:
        """What it costs to compute the term."""
        return NANOSECONDS[self.op] if self.op == "div" or self.x != ONE else 0.0

    @property
    def divisors(self) -> list[int]:
        """The nodes that divide."""
        return [self.y] if self.op == "div" else []

    def build(self, builder: Builder, new: Callable[[int], int]) -> int:
        """Add the term."""
        if self.op == "mul" and self.x == ONE:
            return new(self.y)
        return builder.add(self.op, new(self.x), new(self.y))

    def at(self, x: float, y: float) -> float:
        """What the term is where its nodes are these numbers."""
        return x * y if self.op == "mul" else x / y


class Sum(NamedTuple):
    """What a derivative may be: `factor*(first + second)`, or with "sub" the difference."""

    op: str
    first: Term
    second: Term
    factor: float

    @property
    def nodes(self) -> list[int]:
        """The nodes of both terms."""
        return self.first.nodes + self.second.nodes

    @property
    def divisors(self) -> list[int]:
        """The nodes that divide."""
        return self.first.divisors + self.second.divisors

    @property
    def cost(self) -> float:
        """What it costs to compute the sum."""
        common = self._common()
        terms = common[0].cost if common else self.first.cost + self.second.cost
        times = (abs(self.factor) != 1.0) * NANOSECONDS["mul"]
        return NANOSECONDS[self.op] + terms + times

    def _common(self) -> tuple[Term, int, int] | None:
        """A term `z*c` or `z/c` if one c is in both, and what adds up to z."""
        (op, *first), (other, *second) = self.first, self.second
        if op != other:
            return None
        if op == "div":
            same = first[1] == second[1]
            return (Term(op, 0, first[1]), first[0], second[0]) if same else None
        for k, common in enumerate(first):
            if common != ONE and common in second:
                rest = second[1 - second.index(common)]
                return Term(op, 0, common), first[1 - k], rest
        return None

    def build(self, builder: Builder, new: Callable[[int], int]) -> int:
        """Add the sum.

        Arguments:
            new: the position there of a node, or of the number 1.
        """
        common = self._common()
        if common is None:
            args = [term.build(builder, new) for term in (self.first, self.second)]
            found = builder.add(self.op, *args)
        else:
            term, x, y = common
            found = builder.add(self.op, new(x), new(y))
            found = builder.add(term.op, found, new(term.y))
        return scaled(builder, self.factor, found)


class Multiple(NamedTuple):
    """What a derivative may be: `factor*term*by`, or with "div" the quotient."""

    op: str
    term: Term
    by: int
    factor: float

    @property
    def nodes(self) -> list[int]:
        """Those of the term, and the other one."""
        return [*self.term.nodes, self.by]

    @property
    def divisors(self) -> list[int]:
        """The nodes that divide."""
        return self.term.divisors + [self.by] * (self.op == "div")

    @property
    def cost(self) -> float:
        """What it costs to compute the product."""
        times = (abs(self.factor) != 1.0) * NANOSECONDS["mul"]
        return NANOSECONDS[self.op] + self.term.cost + times

    def build(self, builder: Builder, new: Callable[[int], int]) -> int:
        """Add the product, as `Sum.build` does."""
        found = self.term.build(builder, new)
        return scaled(builder, self.factor, builder.add(self.op, found, new(self.by)))


def scaled(builder: Builder, factor: float, x: int) -> int:
    """Add a multiple of a node."""
    if factor == -1.0:
        return builder.add("neg", x)
    return x if factor == 1.0 else builder.add("mul", builder.const(factor), x)


# As Term(...), in a third of the time.
_term = partial(tuple.__new__, Term)


class Sums:
    """Finds the sums that nodes of a program are as far as floats can say.

    Arguments:
        floats: what each node is at some points.
        at: the point at which most nodes are defined.
        nodes: those that may stand in a sum.
        divides: whether one of them may divide.
    """

    def __init__(
        self,
        floats: Sequence[Floats],
        at: int,
        nodes: Iterable[int],
        divides: Callable[[int], bool],
    ) -> None:
        self.floats = floats
        self.at = at
        self.nodes = [*nodes]
        self.divides = divides
        self.terms = [*self._terms(self.nodes, divides)]

    def _terms(
        self, nodes: Sequence[int], divides: Callable[[int], bool]
    ) -> Iterator[tuple[float, Term]]:
        """The sizes of all terms, and these, the cheapest first."""
        if len(nodes) > MOST:
            return
        sizes = [(a, abs(self.floats[a][self.at] or 0.0)) for a in nodes]
        yield 1.0, Term("mul", ONE, ONE)
        yield from [(y, _term(("mul", ONE, b))) for b, y in sizes]
        for k, (a, x) in enumerate(sizes):
            yield from [(x * y, _term(("mul", a, b))) for b, y in sizes[k:]]
        for b, y in sizes:
            if divides(b) and y:
                yield 1.0 / y, Term("div", ONE, b)
                yield from [(x / y, _term(("div", a, b))) for a, x in sizes if a != b]

    def of(self, i: int, own: Set[int]) -> Iterator[Sum | Multiple]:
        """The sums of two terms, of nodes before a node, or multiples, that it may be.

        Arguments:
            own: nodes that stand in none of them.
        """
        whole = self.floats[i][self.at]
        if not whole or not self.terms:
            return
        scale = UNITS / abs(whole)
        low, high = SMALLEST / scale, LARGEST / scale
        table: dict[int, Term] = {}
        keep = table.setdefault
        allowed = {ONE, *(a for a in self.nodes if a < i)} - own
        for size, term in self.terms:
            if low < size < high and term[1] in allowed and term[2] in allowed:
                keep(round(size * scale), term)
        yield from self._multiples(i, [a for a in self.nodes if a < i], own, table)
        sizes = table.keys()
        for factor in SCALES:
            total = round(UNITS / factor)
            for key in sizes & [total - size for size in sizes]:
                if 2 * key <= total:
                    yield from self._sums(i, table[key], table[total - key], factor)
            for key in sizes & [total + size for size in sizes]:
                yield from self._sums(i, table[key], table[key - total], factor)

    def _multiples(
        self, i: int, nodes: Sequence[int], own: Set[int], table: Mapping[int, Term]
    ) -> Iterator[Multiple]:
        """The products of a term and one more node that a node may be."""
        for by in nodes:
            size = abs(self.floats[by][self.at] or 0.0)
            if not size or by in own:
                continue
            for factor in MULTIPLES:
                found = table.get(round(min(UNITS / size / factor, LARGEST)))
                if found is not None and found.x != ONE:
                    yield from self._multiple(i, "mul", found, by, factor)
                if self.divides(by):
                    found = table.get(round(min(UNITS * size / factor, LARGEST)))
                    if found is not None and found.x != ONE:
                        yield from self._multiple(i, "div", found, by, factor)

    def _multiple(
        self, i: int, op: str, term: Term, by: int, scale: float
    ) -> Iterator[Multiple]:
        """The product of a term and a node, or the quotient, that a node is."""
        points = [
            (whole, x * y if op == "mul" else x / y)
            for whole, x, y in zip(self.floats[i], self._values(term), self.floats[by])
            if whole is not None and x is not None and y
        ]
        if len(points) >= EVIDENCE:
            for factor in (scale, -scale):
                near = (
                    abs(factor * x - whole) <= DIGITS * abs(x) for whole, x in points
                )
                if all(near):
                    yield Multiple(op, term, by, factor)

    def _sums(self, i: int, first: Term, second: Term, scale: float) -> Iterator[Sum]:
        """The sum of two terms that a node is at all points, if one is."""
        columns = self.floats[i], self._values(first), self._values(second)
        points = [
            (whole, x, y)
            for whole, x, y in zip(*columns)
            if whole is not None and x is not None and y is not None
        ]
        if len(points) < EVIDENCE:
            return
        for op, factor in (
            ("add", scale),
            ("sub", scale),
            ("sub", -scale),
            ("add", -scale),
        ):
            sign = 1.0 if op == "add" else -1.0
            if all(
                abs(factor * (x + sign * y) - whole) <= DIGITS * (abs(x) + abs(y))
                for whole, x, y in points
            ):
                if op == "sub" and factor < 0.0:
                    first, second, factor = second, first, -factor
                yield Sum(op, first, second, factor)
                return

    def _values(self, term: Term) -> list[float | None]:
        """What a term is at all points."""
        ones = [1.0] * len(self.floats[0])
        x, y = (ones if a == ONE else self.floats[a] for a in (term.x, term.y))
        return [
            (
                None
                if a is None or b is None or (term.op == "div" and not b)
                else term.at(a, b)
            )
            for a, b in zip(x, y)
        ]
