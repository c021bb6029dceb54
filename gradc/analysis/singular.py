"""Where a program may lose its digits: at 0/0, and where the terms of a sum cancel.

A quotient may be healed by itself or by what stands above it. Terms cancel badly where
the sum vanishes twice at least, and faster than its terms do: near such a point
x - sin(x) is x^3/6, which is all rounding.

Everything here is a guess, made fast from what floats say near a point. Whether it is
right the series decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from gradc.arithmetic import FLOATS
from gradc.ir import CONDITIONS, Builder, Node, arguments

CONE = 100  # nodes below a node, above which it is left alone
CLIMB = 12  # nodes above a quotient in which its pole may cancel
BASES = 12  # nodes, and as many inputs, that are tried for one zero
NUMBERS = 4  # constants below a denominator that are tried
WORK = 30_000  # nodes that are computed for one program
RANGES = ((0.6, 1.7), (0.6, 1.7), (0.1, 0.7))  # what inputs are drawn from
TINY = 1e-12  # what a float may be that is 0
STEPS = (2.0**-7, 2.0**-4)  # distances from a point
ORDER = 1.5  # with which a sum vanishes at the least, as far as floats can say
FIRST = 0.9  # the same at 0, for what is not made by arithmetic alone
FASTER = 0.7  # by which its order is more than that of its terms
ROOTS = frozenset({"sqrt", "acos", "asin", "acosh"})  # at whose edge is a root
UNITS = frozenset({("pi",), ("e",)})
TERMS = frozenset({"add", "sub"})
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
        self._below: dict[int, frozenset[int]] = {}
        self._paths: dict[tuple[int, int], list[int]] = {}
        self._users: list[list[int]] = [[] for _ in self._nodes]
        for i, node in enumerate(self._nodes):
            for a in arguments(node):
                self._users[a].append(i)
        self._through = dominators(self._nodes)
        random = Random(1729)
        self._draws: list[list[Any]] = [[] for _ in RANGES]
        for draw, ends in zip(self._draws, RANGES):
            for node in self._nodes:
                if node[0] == "input":
                    draw.append(random.uniform(*ends))
                else:
                    draw.append(self._compute(node, draw.__getitem__))

    def varies(self, i: int) -> bool:
        """Whether a node is a number that depends on an input."""
        return self._nodes[i][0] not in CONDITIONS and self._through[i] is not None

    def below(self, i: int) -> frozenset[int]:
        """A node and all that it needs; nothing if that is too much."""
        if i not in self._below:
            found, stack = {i}, [i]
            while stack and len(found) <= CONE:
                new = set(arguments(self._nodes[stack.pop()])) - found
                found |= new
                stack += new
            self._below[i] = frozenset(found if len(found) <= CONE else ())
        return self._below[i]

    # ---- zeros of denominators

    def denominator(self, i: int) -> int:
        """What a node divides by, -1 if that never vanishes."""
        op, *args = self._nodes[i]
        is_quotient = op == "div" or op == "pow" and self._value(args[1]) < 0.0
        found = args[op == "div"] if is_quotient and self.below(i) else -1
        return found if found != -1 and self.varies(found) else -1

    def zeros(self, denominator: int) -> Iterator[Point]:
        """The points at which a denominator vanishes, those of high nodes first."""
        yield Point(denominator, self._builder.const(0.0))
        found: dict[Point, None] = {}
        for factor in self._factors(denominator):
            if self.varies(factor):
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

    def _factors(self, i: int) -> Iterator[int]:
        """The factors of a product, and what is raised to a power."""
        stack = [i]
        while stack:
            i = stack.pop()
            op, *args = self._nodes[i]
            if op == "mul":
                stack += args
            elif op in ("neg", "div", "pow", "sqrt"):
                stack.append(args[0])
            else:
                yield i

    def _zeros_of(self, factor: int) -> Iterator[Point]:
        const = self._builder.const
        yield Point(factor, const(0.0))
        op, *args = self._nodes[factor]
        for a, b in (args, args[::-1]) if op == "sub" else ():
            if self._nodes[a][0] != "const" and a not in self.below(b):
                yield Point(a, b)
        for base in self.bases(factor):
            for center in self._centers(base, factor):
                if self._vanishes(factor, Point(base, center)):
                    yield Point(base, center)

    def bases(self, i: int) -> list[int]:
        """The nodes of which alone a node is a function, and the inputs below it."""
        found = list[int]()
        k = self._through[i]
        while k is not None and k != -1 and len(found) < BASES:
            found.append(k)
            k = self._through[k]
        inputs = [a for a in self.below(i) if self._nodes[a][0] == "input"]
        return found + [
            a for a in sorted(inputs, reverse=True)[:BASES] if a not in found
        ]

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
        for x in sorted(numbers):
            yield from map(const, (x, -x))
            for unit in sorted(a for a in below if self._nodes[a] in UNITS):
                multiple = add("mul", const(x), unit)
                yield from (multiple, add("neg", multiple))
        if self._nodes[base][0] == "input":
            inputs = (b for b in sorted(below) if self._nodes[b][0] == "input")
            yield from (b for b in inputs if b < base)

    def _vanishes(self, i: int, point: Point) -> bool:
        """Whether a node is 0 at a point, as far as floats can say."""
        found = [self._at(point, i, 0.0, k).get(i) for k in range(len(RANGES))]
        defined = [x for x in found if x is not None]
        return bool(defined) and all(abs(x) < TINY for x in defined)

    # ---- sums whose terms cancel

    def cancelling(self, i: int) -> Iterator[Point]:
        """Where the terms of a sum may cancel.

        A logarithm is as a sum of its argument and -1.
        """
        op, *args = self._nodes[i]
        if op not in (*TERMS, "log") or not self.below(i) or not self.varies(i):
            return
        done: set[int] = set()
        is_rational = RATIONAL.issuperset(self._nodes[a][0] for a in self.below(i))
        for base in self.bases(i):
            is_input = self._nodes[base][0] == "input"
            centers = [0.0, 1.0, -1.0] if is_input and not is_rational else [0.0]
            for center in map(self._builder.const, centers if base not in done else ()):
                point, order = Point(base, center), ORDER
                if self._value(center) == 0.0 and not is_rational:
                    order = FIRST
                if all(self._cancels(i, args, point, k, order) for k in (0, 1)):
                    done |= self.below(base)
                    yield point

    def _cancels(
        self, i: int, terms: Sequence[int], point: Point, k: int, order: float
    ) -> bool:
        """Whether a sum vanishes near a point, and faster than its terms."""
        found = []
        for step in STEPS:
            values = self._at(point, i, step, k)
            sizes = [values.get(a, self._draws[k][a]) for a in terms]
            total, size = values.get(i), max(abs(x or 0.0) for x in sizes)
            if not total or None in sizes or 4.0 * abs(total) > size:
                return False
            found.append((abs(total), size))
        (near, small), (far, large) = found
        growth, falls = STEPS[1] / STEPS[0], far / near
        return bool(falls > growth**order and falls * small > large * growth**FASTER)

    # ---- what stands above a pole

    def heal(self, i: int, point: Point, heals: Callable[[int], bool]) -> bool:
        """Offer a quotient and nodes above it that stay finite near a point.

        Arguments:
            heals: whether a node is regular; what stands above one that is, is not asked.
        """
        stack, seen, healed = [i], {i}, False
        while stack:
            i = stack.pop(0)
            if self._is_tame(i, point) and heals(i):
                healed = True
                continue
            for user in self._users[i]:
                op, *args = self._nodes[user]
                if op == "div" and point.base in self.below(args[1]):
                    continue  # a pole divided by another loses no digits near it
                if user not in seen and len(seen) < CLIMB and self.below(user):
                    if op not in CONDITIONS:
                        seen.add(user)
                        stack.append(user)
        return healed

    def sides(self, i: int, point: Point) -> list[Point]:
        """The two sides of a point, if a root below a node may begin there."""
        if any(self._nodes[a][0] in ROOTS for a in self._path(point.base, i)):
            return [point._replace(side=1), point._replace(side=-1)]
        return []

    def _is_tame(self, i: int, point: Point) -> bool:
        """Whether a node stays finite as floats come near a point, on a side at least."""
        for k in range(len(RANGES)):
            for sign in (1.0, -1.0):
                near, far = (self._at(point, i, sign * h, k).get(i) for h in STEPS)
                if near is not None and far is not None:
                    return bool(abs(near) < 4.0 * abs(far) or abs(near) < TINY)
        return False

    # ---- floats

    def _path(self, base: int, i: int) -> list[int]:
        """The nodes below a node, and it, that depend on a base, in their order."""
        if (base, i) not in self._paths:
            depends = {base}
            for k in sorted(self.below(i)):
                if not depends.isdisjoint(arguments(self._nodes[k])):
                    depends.add(k)
            self._paths[base, i] = sorted(depends - {base})
        return self._paths[base, i]

    def _at(self, point: Point, i: int, step: float, k: int) -> dict[int, float]:
        """What nodes up to one are near a point in a draw, where they are finite."""
        draw, values = self._draws[k], dict[int, Any]()
        for node in self._nodes[len(draw) : max(i, point.center) + 1]:
            draw.append(self._compute(node, draw.__getitem__))
        center, path = draw[point.center], self._path(point.base, i)
        self._work -= len(path)
        if center is None or self._work < 0:
            return {}
        values[point.base] = center + step * max(1.0, abs(center))
        for a in path:
            values[a] = self._compute(
                self._nodes[a], lambda b: values[b] if b in values else draw[b]
            )
        return {
            a: float(x) for a, x in values.items() if x is not None and math.isfinite(x)
        }

    def _compute(self, node: Node, value: Callable[[int], Any]) -> Any:
        """A node in floats, None where it is undefined."""
        op = node[0]
        if op == "const":
            return node[1]
        found = [value(a) for a in node[1:]]
        try:
            if op == "where":
                return None if found[0] is None else found[1 if found[0] else 2]
            if op in ("and", "or"):
                return all(found) if op == "and" else any(found)
            return FLOATS.compute(self._ops[op], self._ops)(*found)
        except (ArithmeticError, ValueError, TypeError, AttributeError):
            return None  # an operand is None


def dominators(nodes: Sequence[Node]) -> list[int | None]:
    """The node below each through which alone it depends on inputs.

    -1 if there is none, None if no input stands below it (Cooper, Harvey and Kennedy,
    A simple, fast dominance algorithm, 2001).
    """
    found: list[int | None] = []
    for node in nodes:
        common: int | None = -1 if node[0] == "input" else None
        for a in arguments(node):
            if found[a] is None:
                continue
            other: int | None = a
            while common is not None and other is not None and other != common:
                if other > common:
                    other = found[other]
                else:
                    common = found[common]
            common = other
        found.append(common)
    return found
