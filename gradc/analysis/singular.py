"""Where a program may lose its digits: at 0/0, and where the terms of a sum cancel.

A quotient may be healed by itself or by what stands above it. Terms cancel badly where
the sum vanishes faster than they do: near 0, x - sin(x) is x^3/6, which is all rounding.

Everything here is a guess, made fast from what floats say near a point. Whether it is
right the series decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from gradc.ir import Builder, arguments, below, varying
from gradc.run import FLOATS, NOT_DEFINED

CONE = 100  # nodes below a node, above which it is left alone
BASES = 12  # nodes, and as many inputs, that are tried for one zero
NUMBERS = 4  # constants below a denominator that are tried
WORK = 30_000  # nodes that are computed for one program
RANGES = ((0.6, 1.7), (0.6, 1.7), (0.1, 0.7))  # what inputs are drawn from
STEP = 2.0**-30  # the distance from a point at which floats are looked at
LOSS = 1e-13  # up to which values are the same
UNITS = frozenset({("pi",), ("e",)})
TINY = 1e-6  # what a float may be there that is 0 at the point
FACTORS = {"mul": 2, "neg": 1, "div": 1, "pow": 1, "sqrt": 1}  # arguments that are
ROOTS = frozenset({"sqrt", "acos", "asin", "acosh"})  # at whose edge is a root
RATIONAL = frozenset({"const", "input", "add", "sub", "mul", "neg", "pow", "div"})


class Point(NamedTuple):
    """Where something may vanish: a node, and the node of the value it takes.

    `side` is 1 or -1 if only greater values are meant or only smaller ones.
    """

    base: int
    center: int
    side: int = 0


class Finder:
    """Looks for removable singularities among the nodes that a builder has."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._nodes = builder.nodes
        self._ops = builder.ops
        self._work = WORK
        self._varies = varying(self._nodes)
        self._below: dict[int, tuple[int, ...]] = {}
        self._roots = [n[1] for n in self._nodes if n[0] in ROOTS]
        random = Random(1729)
        inputs = [node[1] for node in self._nodes if node[0] == "input"]
        self._draws = [
            {name: random.uniform(*ends) for name in inputs} for ends in RANGES
        ]

    def below(self, i: int) -> tuple[int, ...]:
        """What a node needs, and it, in their order; nothing if that is too much."""
        if i not in self._below:
            found = below(self._nodes, i, most=CONE)
            self._below[i] = tuple(found) if len(found) <= CONE else ()
        return self._below[i]

    def denominator(self, i: int) -> int:
        """What a node divides by, -1 if that never vanishes."""
        op, *args = self._nodes[i]
        divides = op == "div" or op == "pow" and self._value(args[1]) < 0.0
        found = args[op == "div"] if divides else -1
        return found if divides and self._varies[found] and self.below(i) else -1

    def zeros(self, denominator: int) -> Iterator[Point]:
        """The points at which a denominator vanishes, those of high nodes first."""
        yield Point(denominator, self._builder.const(0.0))
        found: dict[Point, None] = {}
        stack = [denominator]
        while stack:
            op, *args = self._nodes[factor := stack.pop()]
            if op in FACTORS:
                stack += args[: FACTORS[op]]
            elif self._varies[factor]:
                found.update(dict.fromkeys(self._zeros_of(factor)))
        for point in sorted(found, key=lambda p: p.base, reverse=True):
            yield point
            roots = [i for i in self._roots if point.base in self.below(i)]
            if any(self._begins(i, point) for i in roots):
                yield from (point._replace(side=1), point._replace(side=-1))

    def _begins(self, i: int, point: Point) -> bool:
        """Whether a root of a node may begin at a point, where the node is 0, 1 or -1."""
        near = [abs(self._near(point, i, draw)) for draw in self._draws]
        return all(x < TINY for x in near) or all(abs(x - 1.0) < TINY for x in near)

    def _value(self, i: int) -> float:
        value = self._builder.value_of(i)
        return math.nan if value is None else value

    def _zeros_of(self, factor: int) -> Iterator[Point]:
        yield Point(factor, self._builder.const(0.0))
        op, *args = self._nodes[factor]
        for a, b in (args, args[::-1]) if op == "sub" else ():
            if self._nodes[a][0] != "const" and a not in self.below(b):
                yield Point(a, b)
        for base in self._bases(factor):
            for center in self._centers(base, factor):
                if self._vanishes(factor, Point(base, center)):
                    yield Point(base, center)

    def _bases(self, i: int) -> Sequence[int]:
        """Nodes of which alone a node may be a function, and the inputs below it."""
        found, inner = list[int](), [i]
        while len(found) < BASES and inner:
            found += inner
            below = {
                a for k in inner for a in arguments(self._nodes[k]) if self._varies[a]
            }
            inner = sorted(below, reverse=True) if len(inner) == 1 else []
        inputs = [a for a in self.below(i) if self._nodes[a][0] == "input"]
        return list(dict.fromkeys((*found[1:], *inputs[: -BASES - 1 : -1])))

    def _centers(self, base: int, factor: int) -> Iterator[int]:
        """Values of a node that are tried: numbers that stand below, and their roots.

        An input may also meet another, or a multiple of pi or e that stands there.
        """
        below, add, const = self.below(factor), self._builder.add, self._builder.const
        known = {abs(self._value(a)) for a in below if self._nodes[a][0] == "const"}
        numbers = {0.0, 1.0}
        if len(known) <= NUMBERS:
            roots = {round(x ** (1.0 / n)) for x in known for n in known if 1.0 < n < x}
            numbers |= known | {float(x) for x in roots}
            numbers |= {1.0 / x for x in numbers if x > 1e-300}
        units = [a for a in below if self._nodes[a] in UNITS]
        for x in sorted(numbers | {-x for x in numbers}, key=abs):
            yield const(x)
            yield from (add("mul", const(x), unit) for unit in units if x)
        if self._nodes[base][0] == "input":
            inputs = (b for b in below if self._nodes[b][0] == "input")
            yield from (b for b in inputs if b < base)

    def cancelling(self, i: int) -> Iterator[Point]:
        """Where the terms of a sum may cancel, if it is not made by arithmetic alone."""
        ops = {self._nodes[a][0] for a in self.below(i)}
        is_sum = self._nodes[i][0] in ("add", "sub")
        if is_sum and self._varies[i] and not ops <= RATIONAL:
            points = [Point(base, self._builder.const(0.0)) for base in self._bases(i)]
            yield from (point for point in points if self._vanishes(i, point))

    def _vanishes(self, i: int, point: Point) -> bool:
        """Whether a node may be 0 at a point: it nearly is, as near as floats can say."""
        self._work -= len(self._draws) * len(self.below(i))
        draws = self._draws if self._work >= 0 else ()
        found = [self._near(point, i, draw) for draw in draws]
        defined = [x for x in found if math.isfinite(x)]
        return bool(defined) and all(abs(x) < TINY for x in defined)

    def is_free(self, point: Point) -> bool:
        """Whether a node may meet another, which does not depend on it."""
        return bool(self._varies[point.base]) and point.base not in self.below(
            point.center
        )

    def agree(self, i: int, j: int, point: Point) -> bool:
        """Whether two nodes have the same value at a point, where they have one."""
        pairs = [
            [self._near(point, k, draw, 0.0) for k in (i, j)] for draw in self._draws
        ]
        known = [(x, y) for x, y in pairs if math.isfinite(x + y)]
        return bool(known) and all(abs(x - y) <= LOSS * abs(y) for x, y in known)

    def _near(
        self, point: Point, i: int, draw: Mapping[str, float], step: float = STEP
    ) -> float:
        """What a node is next to a point in a draw, nan if it has no value."""
        values = dict[int, float]()
        for a in (*self.below(point.center), *self.below(i)):
            node = self._nodes[a]
            try:
                if a == point.base:
                    x = values[point.center]
                    values[a] = x + step * max(1.0, abs(x))
                elif node[0] in ("const", "input"):
                    values[a] = node[1] if node[0] == "const" else draw[node[1]]
                else:
                    compute = FLOATS.compute(self._ops[node[0]])
                    values[a] = float(compute(*[values[b] for b in node[1:]]))
            except (LookupError, *NOT_DEFINED, AttributeError):
                pass
        return values.get(i, math.nan)
