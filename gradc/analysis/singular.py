"""Where a program may lose its digits: at 0/0, and where the terms of a sum cancel.

A quotient may be healed by itself or by what stands above it. Terms cancel badly where
the sum vanishes twice at least, and faster than its terms do: near such a point
x - sin(x) is x^3/6, which is all rounding.

Everything here is a guess, made fast from what floats say near a point. Whether it is
right the series decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from gradc.analysis.digits import Digits
from gradc.ir import CONDITIONS, Builder, Node, arguments
from gradc.spelling import functions

CONE = 100  # nodes below a node, above which it is left alone
CLIMB = 12  # nodes above a quotient in which its pole may cancel
ZEROS = 30  # nodes below a denominator that are tried
NUMBERS = 4  # constants below a denominator that are tried
WORK = 50_000  # nodes that are computed for one program
SUMS = 10_000  # of these, for its sums
APART = (2.0**-6, 2.0**-3)  # distances from a point at which a pole shows
DRAWS = 2
AROUND_ONE = (0.6, 1.7)  # what inputs are drawn from
BELOW_ONE = (0.1, 0.7)  # the same where that is undefined, as for probabilities
TINY = 1e-12  # what a float may be that is 0
STEPS = (2.0**-7, 2.0**-4)  # distances from a point at which terms are seen to cancel
ORDER = 1.5  # with which a sum vanishes at the least, as far as floats can say
FIRST = 0.9  # the same at 0, for what is not made by arithmetic alone
READERS = 4  # nodes above a node among which a conditional is looked for
FASTER = 0.7  # by which its order is more than that of its terms
ROOTS = frozenset({"sqrt", "acos", "asin", "acosh"})  # at whose edge is a root
TERMS = ("add", "sub")
ROOTED = frozenset({"log", "lgamma"})  # that vanish where an argument does not
RATIONAL = frozenset({"const", "input", "add", "sub", "mul", "neg", "pow", "div"})


Solved = Callable[[Builder, int, Sequence[int], int], list[int]]


def _product_solved(builder: Builder, y: int, args: Sequence[int], k: int) -> list[int]:
    return [builder.add("div", y, args[1 - k])]


def _quotient_solved(
    builder: Builder, y: int, args: Sequence[int], k: int
) -> list[int]:
    return [builder.add("div", args[0], y) if k else builder.add("mul", y, args[1])]


def _power_solved(builder: Builder, y: int, args: Sequence[int], k: int) -> list[int]:
    """The exponent, or the roots of a whole power that are exact, or quotients of such."""
    if k:
        logs = [builder.add("log", x) for x in (y, args[0])]
        return [builder.add("div", *logs)]
    exponent = builder.value_of(args[1])
    if exponent is None or exponent < 2.0 or exponent % 1.0:
        return []
    op, *below = builder.nodes[y]
    root = _root(builder, y, exponent)
    if root is None and op in ("mul", "div"):
        one, other = (_root(builder, b, exponent) for b in below)
        if one is not None and other is not None:
            root = builder.add(op, one, other)
    if root is None or exponent % 2.0:
        return [] if root is None else [root]
    return [root, builder.add("neg", root)]


def _difference_solved(
    builder: Builder, y: int, args: Sequence[int], k: int
) -> list[int]:
    return [builder.add("sub", args[0], y) if k else builder.add("add", y, args[1])]


def _root(builder: Builder, i: int, exponent: float) -> int | None:
    """The node of which a node is such a power, if it is one."""
    op, *args = builder.nodes[i]
    if op == "pow" and builder.value_of(args[1]) == exponent:
        return int(args[0])
    value = builder.value_of(i) if op == "const" else None
    if value is None or (value < 0.0 and exponent % 2.0 == 0.0):
        return None
    root = float(round(abs(value) ** (1.0 / exponent)))
    if root**exponent != abs(value):
        return None
    return builder.const(math.copysign(root, value))


def _solved_by(name: str) -> Solved:
    """What the argument of a function is by its inverse."""
    return lambda builder, y, args, k: [builder.add(name, y)]


# What an argument is, by its place, of an operation with a constant that is given.
INVERSES: Mapping[str, Solved] = {
    "add": lambda builder, y, args, k: [builder.add("sub", y, args[1 - k])],
    "sub": _difference_solved,
    "neg": _solved_by("neg"),
    "mul": _product_solved,
    "div": _quotient_solved,
    "pow": _power_solved,
    "sqrt": lambda builder, y, args, k: [builder.add("mul", y, y)],
    "exp": _solved_by("log"),
    "exp2": _solved_by("log2"),
    "log": _solved_by("exp"),
}


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
        self._nodes = tuple(builder.nodes)
        self._users: list[list[int]] = [[] for _ in self._nodes]
        for i, node in enumerate(self._nodes):
            for a in arguments(node):
                self._users[a].append(i)
        self._work = WORK
        self._below: dict[int, frozenset[int]] = {}
        self._varies: dict[int, bool] = {}
        self._ordered: dict[int, list[int]] = {}
        self._functions = functions(builder.ops)
        random = Random(1729)
        inputs = [i for i, node in enumerate(self._nodes) if node[0] == "input"]
        self._draws, self._fractions = (
            [{i: random.uniform(*ends) for i in inputs} for _ in range(DRAWS)]
            for ends in (AROUND_ONE, BELOW_ONE)
        )

    def below(self, i: int) -> frozenset[int]:
        """A node and all that it needs; nothing if that is too much."""
        if i not in self._below:
            found = {i}
            stack = [i]
            while stack and len(found) <= CONE:
                for a in arguments(self._builder.nodes[stack.pop()]):
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
        if i not in self._varies:
            inputs = (self._nodes[a][0] == "input" for a in self.below(i))
            self._varies[i] = any(inputs)
        return self._varies[i]

    def above(self, i: int, base: int) -> Callable[[int], bool]:
        """Tells whether a node below `i` has the base below it."""
        depends = {base}
        for a in sorted(self.below(i)):
            if any(b in depends for b in arguments(self._nodes[a])):
                depends.add(a)
        return depends.__contains__

    def sides(self, i: int, point: Point) -> Iterator[Point]:
        """The two sides of a point, if a root below a node may begin there."""
        above = self.above(i, point.base)
        if any(self._nodes[a][0] in ROOTS and above(a) for a in self.below(i)):
            yield point._replace(side=1)
            yield point._replace(side=-1)

    def is_function(self, i: int, base: int) -> bool:
        """Whether a node depends on nothing but a base."""
        stack, seen = [i], {i, base}
        while stack:
            i = stack.pop()
            if self._nodes[i][0] == "input" and i != base:
                return False
            new = [a for a in arguments(self._nodes[i]) if a not in seen]
            seen.update(new)
            stack += new
        return True

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
                if self._vanishes(leaf, Point(a, zero)):
                    yield Point(a, zero)

    def _vanishes(self, i: int, point: Point) -> bool:
        """Whether a node is 0 at a point, as far as floats can say."""
        for draws in (self._draws, self._fractions):
            values = []
            for draw in draws:
                center = draw.get(point.center, self._builder.value_of(point.center))
                assert center is not None
                values.append(self._float(i, {**draw, point.base: center}))
            if any(value is not None for value in values):
                break
        return all(value is not None and abs(value) < TINY for value in values)

    def cancelling(self, i: int) -> Iterator[Point]:
        """Where the terms of a sum may cancel; no base lies below another.

        A logarithm is as a sum of its argument and -1, and so is that of gamma, unless
        it is a term of a larger sum, where its last digits would be lost again, or its
        argument a sum with a number, which the pass `unround` takes care of.
        """
        op, *args = self._nodes[i]
        if op not in (*TERMS, *ROOTED) or self._work < WORK - SUMS:
            return
        if op == "lgamma":
            added = [self._nodes[a][0] for a in self._terms(args[0])]
            readers = [self._nodes[u][0] for u in self._users[i]]
            if "const" in added or not set(TERMS).isdisjoint(readers):
                return
        below = self.below(i)
        terms = args if op in ROOTED else self._terms(i)
        if not below or not any(map(self.varies, terms)):
            return
        done: set[int] = set()
        for a in self._bases(below - {i}):
            if a in done:
                continue
            for center in self._centers(a, below):
                point = Point(a, center)
                if all(self._cancels(i, terms, point, draw) for draw in self._draws):
                    done |= self.below(a)
                    yield point

    def _bases(self, below: Iterable[int]) -> list[int]:
        """The nodes that are tried as bases, of which the inputs are the last."""
        free = [a for a in sorted(below, reverse=True) if self.varies(a)]
        inner = [a for a in free if self._nodes[a][0] != "input"]
        inputs = [a for a in free if self._nodes[a][0] == "input"]
        return inner[:ZEROS] + inputs[:ZEROS]

    def _centers(self, a: int, below: frozenset[int]) -> Iterator[int]:
        """Values of a node that are tried: an input may also meet another."""
        yield self._builder.const(0.0)
        if self._nodes[a][0] == "input" and not self._is_rational(max(below)):
            for value in (1.0, -1.0):
                yield self._builder.const(value)
            for b in sorted(below):
                if b < a and self._nodes[b][0] == "input":
                    yield b

    def _cancels(
        self, i: int, terms: Sequence[int], point: Point, draw: dict[int, float]
    ) -> bool:
        """Whether a sum vanishes near a point, and faster than its terms."""
        center = draw.get(point.center, self._builder.value_of(point.center))
        if center is None:
            return False
        found = []
        for step in STEPS:
            given = {**draw, point.base: center + step}
            values = self._floats(i, given)
            total, sizes = values.get(i), [values.get(a) for a in terms]
            if not total or None in sizes or not self._is_taken(i, given):
                return False
            size = max(abs(x) for x in sizes if x is not None)
            if 4.0 * abs(total) > size:
                return False
            found.append((abs(total), size))
        (near, small), (far, large) = found
        growth = STEPS[1] / STEPS[0]
        falls = far / near
        at_zero = self._builder.value_of(point.center) == 0.0
        order = FIRST if at_zero and not self._is_rational(i) else ORDER
        return bool(falls > growth**order and falls * small > large * growth**FASTER)

    def _is_rational(self, i: int) -> bool:
        """Whether a node is made by arithmetic alone."""
        return all(self._nodes[a][0] in RATIONAL for a in self.below(i))

    def _is_taken(self, i: int, given: dict[int, float], height: int = READERS) -> bool:
        """Whether a reader of a node is no conditional on its other side."""
        if not self._users[i] or not height:
            return True
        for user in self._users[i]:
            op, *args = self._nodes[user]
            if op == "where" and i in args[1:]:
                holds = self._float(args[0], given)
                if holds is not None and i != args[1 if holds else 2]:
                    continue
            if self._is_taken(user, given, height - 1):
                return True
        return False

    def _terms(self, i: int) -> list[int]:
        """The terms of a sum, each once."""
        found, stack, seen = [], [i], {i}
        while stack:
            i = stack.pop()
            op, *args = self._nodes[i]
            if op in ("add", "sub", "neg"):
                stack += [a for a in args if a not in seen]
                seen.update(args)
            else:
                found.append(i)
        return found

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
                        if not self.varies(b):
                            yield from self._solved(a, b)
            if op == "add":
                for a, b in (args, args[::-1]):
                    number = self._builder.value_of(b)
                    if number is not None:
                        yield from self._solved(a, self._builder.const(-number))
            yield from self._roots(factor)

    def _solved(self, a: int, center: int) -> Iterator[Point]:
        """Where what a node is computed of with constants makes it a constant.

        So 2*x/pi is 1 where x is pi/2.
        """
        stack = [(a, center)]
        while stack:
            a, center = stack.pop()
            op, *args = self._nodes[a]
            free = [b for b in args if self.varies(b)] if op in INVERSES else []
            if len(free) == 1:
                places = INVERSES[op](self._builder, center, args, args.index(*free))
                for place in map(self._simple, places):
                    yield Point(free[0], place)
                    stack.append((free[0], place))

    def _simple(self, i: int) -> int:
        """A node, or the simple number that it is."""
        value = self._float(i, {})
        if value is None or self._builder.nodes[i][0] == "const":
            return i
        short = self._digits.short(i, value)
        return i if short is None else self._builder.const(float(short))

    @cached_property
    def _digits(self) -> Digits:
        return Digits(self._builder)

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
            for value in filter(None, known):
                if math.isfinite(1.0 / value):  # as it is not for a subnormal
                    numbers |= {1.0 / value, -1.0 / value}
        free = self._bases(below - {i})
        for a in free:
            for x in sorted(numbers):
                point = Point(a, self._builder.const(x))
                if self._vanishes(i, point):
                    yield point
            yield from self._meetings(i, a, free)

    def _meetings(self, i: int, a: int, free: Sequence[int]) -> Iterator[Point]:
        """Inputs at which another one makes a factor vanish, as x = y in log(x/y)."""
        if self._nodes[a][0] != "input":
            return
        for b in free:
            if b < a and self._nodes[b][0] == "input":
                if self._vanishes(i, Point(a, b)):
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
                if self._carries(user, point.base) and self._reaches(user, i, point):
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

    def _reaches(self, user: int, i: int, point: Point) -> bool:
        """Whether what reads a node is no conditional on its other side near a point."""
        op, *args = self._nodes[user]
        if op != "where" or i not in args[1:]:
            return True
        sides = []
        for given in self._around(point):
            holds = self._float(args[0], given)
            sides.append(None if holds is None else args[1 if holds else 2])
        return not sides or None in sides or i in sides

    def _around(self, point: Point) -> Iterator[dict[int, float]]:
        """Floats around a point."""
        for draw in (*self._draws, *self._fractions):
            center = self._float(point.center, draw)
            if center is not None:
                scale = max(1.0, abs(center))
                for h in (*APART, *(-h for h in APART)):
                    yield {**draw, point.base: center + scale * h}

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
        for draw in (*self._draws, *self._fractions):
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
        found = self._values(i, given).get(i)
        return None if found is None or not math.isfinite(found) else float(found)

    def _floats(self, i: int, given: dict[int, float]) -> dict[int, float]:
        """What a node and those below it are, but for what is not a finite number."""
        found = self._values(i, given).items()
        return {k: float(x) for k, x in found if x is not None and math.isfinite(x)}

    def _values(self, i: int, given: dict[int, float]) -> dict[int, Any]:
        """What a node and those below it are, None for what is undefined."""
        values: dict[int, Any] = dict(given)
        order = self._ordered.get(i)
        if order is None:
            order = self._ordered[i] = sorted(self.below(i))
        self._work -= len(order)
        if self._work < 0:
            return {}
        nodes = self._builder.nodes
        for k in order:
            if k not in values:
                values[k] = self._compute(nodes[k], values)
        return values

    def _compute(self, node: Node, values: dict[int, Any]) -> Any:
        op = node[0]
        if op == "const":
            return node[1]
        found = [values[a] for a in node[1:]]
        try:
            if op == "where":
                return None if found[0] is None else found[1 if found[0] else 2]
            if op in ("and", "or"):
                return all(found) if op == "and" else any(found)
            return self._functions[op](*found)
        except (ArithmeticError, ValueError, TypeError):
            return None  # a TypeError is an operand that is None
        except AttributeError:
            return None  # a row that its user has defined by its meaning alone
