"""Where a program may lose its digits: at 0/0, and where the terms of a sum cancel.

A quotient may be healed by itself or by what stands above it. Terms cancel badly where
the sum vanishes faster than they do: near 0, x - sin(x) is x^3/6, which is all rounding.

Everything here is a guess, made fast from what floats say near a point. Whether it is
right the series decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from gradc.ir import Builder, arguments, varying
from gradc.run import FLOATS, NOT_DEFINED

CONE = 100  # nodes below a node, above which it is left alone
BASES = 12  # nodes, and as many inputs, that are tried for one zero
NUMBERS = 4  # constants below a denominator that are tried
WORK = 30_000  # nodes that are computed for one program
RANGES = ((0.6, 1.7), (0.6, 1.7), (0.1, 0.7))  # what inputs are drawn from
TINY = 1e-12  # what a float may be that is 0
STEPS = (2.0**-7, 2.0**-4)  # distances from a point
ORDER = 0.9  # with which a sum vanishes at the least, as far as floats can say
FASTER = 0.7  # by which its order is more than that of its terms
UNITS = frozenset({("pi",), ("e",)})
FACTORS = {"mul": 2, "neg": 1, "div": 1, "pow": 1, "sqrt": 1}  # arguments that are
RATIONAL = frozenset({"const", "input", "add", "sub", "mul", "neg", "pow", "div"})


class Point(NamedTuple):
    """Where something may vanish: a node, and the node of the value it takes."""

    base: int
    center: int


class Finder:
    """Looks for removable singularities among the nodes that a builder has."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._nodes = builder.nodes
        self._ops = builder.ops
        self._work = WORK
        self._varies = varying(self._nodes)
        self._below: dict[int, tuple[int, ...]] = {}
        random = Random(1729)
        inputs = [node for node in self._nodes if node[0] == "input"]
        self._draws = [
            {node: random.uniform(*ends) for node in inputs} for ends in RANGES
        ]

    def below(self, i: int) -> tuple[int, ...]:
        """What a node needs, and it, in their order; nothing if that is too much."""
        if i not in self._below:
            found, stack = {i}, [i]
            while stack and len(found) <= CONE:
                new = set(arguments(self._nodes[stack.pop()])) - found
                found |= new
                stack += new
            self._below[i] = tuple(sorted(found) if len(found) <= CONE else ())
        return self._below[i]

    # ---- zeros of denominators

    def denominator(self, i: int) -> int:
        """What a node divides by, -1 if that never vanishes."""
        op, *args = self._nodes[i]
        if op == "div" or op == "pow" and self._value(args[1]) < 0.0:
            found = args[op == "div"]
            return found if self._varies[found] and self.below(i) else -1
        return -1

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
        yield from sorted(found, key=lambda p: p.base, reverse=True)

    def holds(self, condition: int, point: Point) -> bool:
        """Whether a condition, which may be a new one, holds at a point."""
        draws = range(len(RANGES))
        found = [self._at(point, condition, 0.0, k).get(condition) for k in draws]
        return 1.0 in found and 0.0 not in found

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

    def _vanishes(self, i: int, point: Point) -> bool:
        """Whether a node is 0 at a point, as far as floats can say."""
        found = [self._at(point, i, 0.0, k).get(i) for k in range(len(RANGES))]
        defined = [x for x in found if x is not None]
        return bool(defined) and all(abs(x) < TINY for x in defined)

    # ---- sums whose terms cancel

    def cancelling(self, i: int) -> Iterator[Point]:
        """Where the terms of a sum may cancel, if it is not made by arithmetic alone."""
        op, *args = self._nodes[i]
        ops = {self._nodes[a][0] for a in self.below(i)}
        if op not in ("add", "sub") or ops <= RATIONAL or not self._varies[i]:
            return
        done: set[int] = set()
        for base in self._bases(i):
            point = Point(base, self._builder.const(0.0))
            if base not in done and all(
                self._cancels(args, i, point, k) for k in (0, 1)
            ):
                done.update(self.below(base))
                yield point

    def _cancels(self, terms: Sequence[int], i: int, point: Point, k: int) -> bool:
        """Whether a sum vanishes near a point, and faster than its terms."""
        found = []
        for step in STEPS:
            values = self._at(point, i, step, k)
            total, size = values.get(i), max(abs(values.get(a, 0.0)) for a in terms)
            if not total or 4.0 * abs(total) > size:
                return False
            found.append((abs(total), size))
        (near, small), (far, large) = found
        growth, falls = STEPS[1] / STEPS[0], far / near
        faster = large / small * math.pow(growth, FASTER)
        return falls > max(math.pow(growth, ORDER), faster)

    # ---- floats

    def _at(self, point: Point, i: int, step: float, k: int) -> dict[int, float]:
        """What nodes up to one are near a point in a draw, where they are finite."""
        values: dict[int, Any] = {}
        center, path = self.below(point.center), self.below(i)
        self._work -= len(path)
        if self._work < 0:
            return {}
        for a in (*center, *path):
            op, *args = self._nodes[a]
            try:
                if a == point.base:
                    x = values[point.center]
                    values[a] = x + step * max(1.0, abs(x))
                elif op in ("const", "input"):
                    draw = self._draws[k]
                    values[a] = args[0] if op == "const" else draw[self._nodes[a]]
                else:
                    values[a] = FLOATS.compute(self._ops[op])(
                        *[values[b] for b in args]
                    )
            except (LookupError, *NOT_DEFINED, AttributeError):
                pass
        return {a: float(x) for a, x in values.items() if math.isfinite(x)}
