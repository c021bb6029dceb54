"""Where a program may be 0/0: quotients, the points where they are, what heals them.

Everything here is a guess, made fast from what floats say near a point. Whether it is
right the series decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from gradc.ir import COMPARISONS, CONDITIONS, Builder, arguments
from gradc.spelling import function

CONE = 100  # nodes below a node, above which it is left alone
CLIMB = 12  # nodes above a quotient in which its pole may cancel
ZEROS = 16  # nodes below a denominator that are tried
NUMBERS = 4  # constants below a denominator that are tried
WORK = 50_000  # nodes that are computed for one program
APART = (2.0**-6, 2.0**-3)  # distances from a point at which a pole shows
DRAWS = 2
TINY = 1e-12  # what a float may be that is 0


class Point(NamedTuple):
    """Where something may vanish: a node, and the node of the value it takes."""

    base: int
    center: int


class Finder:
    """Looks for removable singularities among the nodes that a builder has."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._nodes = tuple(builder.nodes)
        self._users: list[list[int]] = [[] for _ in self._nodes]
        for i, node in enumerate(self._nodes):
            for a in arguments(node):
                self._users[a].append(i)
        self._work = WORK
        self._below: dict[int, frozenset[int]] = {}
        random = Random(1729)
        self._draws = [
            {
                i: random.uniform(0.6, 1.7)
                for i, node in enumerate(self._nodes)
                if node[0] == "input"
            }
            for _ in range(DRAWS)
        ]

    def below(self, i: int) -> frozenset[int]:
        """A node and all that it needs; nothing if that is too much."""
        if i not in self._below:
            found = {i}
            stack = [i]
            while stack and len(found) <= CONE:
                for a in arguments(self._nodes[stack.pop()]):
                    if a not in found:
                        found.add(a)
                        stack.append(a)
            self._below[i] = frozenset(found if len(found) <= CONE else ())
        return self._below[i]

    def __len__(self) -> int:
        return len(self._nodes)

    def varies(self, i: int) -> bool:
        """Whether a node is a number that depends on an input."""
        if i >= len(self) or self._nodes[i][0] in CONDITIONS:
            return i >= len(self)
        return any(self._nodes[a][0] == "input" for a in self.below(i))

    def above(self, i: int, base: int) -> Callable[[int], bool]:
        """Tells whether a node below `i` has the base below it."""
        depends = {base}
        for a in sorted(self.below(i)):
            if any(b in depends for b in arguments(self._nodes[a])):
                depends.add(a)
        return depends.__contains__

    def vanishing(self, leaf: int, others: Sequence[int]) -> Iterator[Point]:
        """Where a factor vanishes: with a difference among the others, or a node at 0.

        Nodes come before what stands below them.
        """
        if leaf >= len(self) or self._nodes[leaf][0] in ("const", "input"):
            return
        below = self.below(leaf)
        for other in others:
            node = self._nodes[other] if other < len(self) else ("",)
            if node[0] == "sub" and other != leaf and node[1] in below:
                if self.varies(node[1]) and node[1] not in self.below(node[2]):
                    yield Point(node[1], node[2])
        zero = self._builder.const(0.0)
        for a in sorted(below - {leaf}, reverse=True)[:ZEROS]:
            if self._nodes[a][0] != "const" and self.varies(a):
                values = [self._float(leaf, {**draw, a: 0.0}) for draw in self._draws]
                if all(value is not None and abs(value) < TINY for value in values):
                    yield Point(a, zero)

    def points(self, i: int) -> Iterator[Point]:
        """Where the denominator of a node, if it has one, may vanish."""
        denominator = self._denominator(i)
        if denominator is None or not self.below(i):
            return
        seen: set[Point] = set()
        for point in self._zeros(denominator):
            if point not in seen:
                seen.add(point)
                yield point

    def _denominator(self, i: int) -> int | None:
        op, *args = self._nodes[i]
        if op == "div" and self._nodes[args[1]][0] != "const":
            return int(args[1])
        if op == "pow" and (self._builder.value_of(args[1]) or 0.0) < 0.0:
            return int(args[0])
        return None

    def _zeros(self, denominator: int) -> Iterator[Point]:
        zero = self._builder.const(0.0)
        if not self.varies(denominator):
            return
        yield Point(denominator, zero)
        for factor in self._factors(denominator):
            op, *args = self._nodes[factor]
            if not self.varies(factor):
                continue
            yield Point(factor, zero)
            if op == "sub":
                for a, b in (args, args[::-1]):
                    if a not in self.below(b) and self._nodes[a][0] != "const":
                        yield Point(a, b)
            yield from self._roots(factor)

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

    def _roots(self, i: int) -> Iterator[Point]:
        """Nodes below a factor, and the simple values of theirs at which it is 0."""
        below = self.below(i)
        values = [self._builder.value_of(a) for a in below]
        known = {abs(value) for value in values if value is not None}
        numbers = {0.0, 1.0, -1.0}
        if len(known) <= NUMBERS:
            numbers |= known | {-value for value in known}
        free = [a for a in below if a != i and self.varies(a)]
        for a in sorted(free, reverse=True)[:ZEROS]:
            for x in sorted(numbers):
                given = [{**draw, a: x} for draw in self._draws]
                if all(self._float(i, g) == 0.0 for g in given):
                    yield Point(a, self._builder.const(x))
            yield from self._meetings(i, a, free)

    def _meetings(self, i: int, a: int, free: Sequence[int]) -> Iterator[Point]:
        """Inputs at which another one makes a factor vanish, as x = y in log(x/y)."""
        if self._nodes[a][0] != "input":
            return
        for b in free:
            if b < a and self._nodes[b][0] == "input":
                given = [{**draw, a: draw[b]} for draw in self._draws]
                if all(self._float(i, g) == 0.0 for g in given):
                    yield Point(a, b)

    def heal(self, i: int, point: Point, heals: Callable[[int], bool]) -> None:
        """Offer nodes, the quotient `i` or above it, that may be regular at a point.

        Arguments:
            heals: whether a node is regular; what lies above one that is, is not asked.
        """
        stack, seen = [(i, -1)], {i}
        while stack:
            i, source = stack.pop(0)
            if self._meets(i, source, point.base) and self._is_tame(i, point):
                if heals(i):
                    continue
            for user in self._users[i]:
                if user in seen or len(seen) == CLIMB or not self.below(user):
                    continue
                if self._carries(user, point.base):
                    seen.add(user)
                    stack.append((user, i))

    def _carries(self, i: int, base: int) -> bool:
        """Whether a pole below a node may be looked for above it.

        A pole divided by another is finite, but loses no digits near it.
        """
        op, *args = self._nodes[i]
        if op == "div":
            return base not in self.below(args[1])
        return op not in CONDITIONS

    def _meets(self, i: int, source: int, base: int) -> bool:
        """Whether anything else than where one comes from depends on the base."""
        op, *args = self._nodes[i]
        if op in ("div", "pow"):
            if source == -1:  # where the pole comes from
                return op == "div" and base in self.below(args[0])
            if source == args[-1]:
                return True
        return any(a != source and base in self.below(a) for a in args)

    def _is_tame(self, i: int, point: Point) -> bool:
        """Whether a node stays finite as floats come near a point."""
        for draw in self._draws:
            center = self._float(point.center, draw)
            if center is None:
                continue
            for sign in (1.0, -1.0):
                scale = sign * max(1.0, abs(center))
                at = [{**draw, point.base: center + scale * h} for h in APART]
                close, far = [self._float(i, given) for given in at]
                if close is not None and far is not None:
                    return abs(close) < 4.0 * abs(far)
        return False

    def _float(self, i: int, given: dict[int, float]) -> float | None:
        """What a node is if others are given; None where it is undefined."""
        values: dict[int, Any] = dict(given)
        below = self.below(i) if i < len(self) else {i}
        self._work -= len(below)
        if self._work < 0:
            return None
        for k in sorted(below):
            if k not in values:
                values[k] = self._compute(k, values)
        found = values[i]
        return float(found) if found is not None and math.isfinite(found) else None

    def _compute(self, k: int, values: dict[int, Any]) -> Any:
        op, *args = self._builder.nodes[k]
        if op == "const":
            return args[0]
        found = [values[a] for a in args]
        try:
            if op == "where":
                return None if found[0] is None else found[1 if found[0] else 2]
            if op in ("and", "or"):
                return all(found) if op == "and" else any(found)
            compute = COMPARISONS.get(op) or function(self._builder.ops[op])
            return compute(*found)
        except (ArithmeticError, ValueError, TypeError):
            return None  # a TypeError is an operand that is None
