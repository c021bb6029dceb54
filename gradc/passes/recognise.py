"""Recognise derivatives that are a product or a quotient of two nodes there are.

    %5 = exp %4                   %5 = exp %4
    %6 = mul %1 %5                %6 = mul %1 %5
    ...                    -->    ...
    %20 = add %18 %19             %20 = div %6 %0
    out %6 %20                    out %6 %20

Where `merge` looks for a node that is another one, this pass looks for two, and a number:
floats at a few points tell which, and the same 50 digits as there whether it is true.
The density of a normal distribution by its mean is the density times a residual, the
response of an oscillator by its time is its velocity. A derivative is replaced if it is
the end of more work than the product; by nodes that are computed whenever it is, and in
which no difference can lose digits that loses none in the derivative or in the value. What
divides is not 0 in the domains, or divides in the value already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from heapq import heappop, heappush
from operator import or_
from typing import NamedTuple

from gradc.analysis.forms import SUMS
from gradc.analysis.guards import NEVER
from gradc.analysis.intervals import Intervals
from gradc.costs import CALL, NANOSECONDS
from gradc.ir import CONDITIONS, Builder, Node, Program, arguments, varying
from gradc.passes.merge import FEWEST, Merger

MOST = 400  # nodes above which a program is left as it is
CONE = 60  # nodes that are looked at to find what a derivative costs
GAIN = 9.0  # nanoseconds that a product has to save
POINTS = 6  # at which floats are compared
DIGITS = 1e-9  # to which these agree
STEP = 1e-8  # of the logarithms by which pairs are found
TRIED = 4  # products that are tried for one derivative
SIMPLE = 64.0  # the largest number by which a product is multiplied


class Closed(NamedTuple):
    """What a derivative may be: `factor*x*y`, or `factor*x/y`."""

    op: str
    x: int
    y: int
    factor: float


def recognise(program: Program) -> Program:
    """Return a program in which derivatives are products of other nodes, if any are."""
    derived = len(program.nodes) - program.last - 1
    if derived < FEWEST or len(program.nodes) > MOST:
        return program
    recogniser = _Recogniser(program)
    return recogniser.run() if recogniser.closed else program


class _Recogniser(Merger):
    """Replaces derivatives by products that they are in 50 digits."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, range(len(program.nodes)))
        self.intervals = Intervals(Builder.upon(program), program.inputs)
        self.divided = self._divided()
        self.closed = dict(_Search(program, self._is_there).found())

    def _divided(self) -> dict[int, list[int]]:
        """What the value divides by, and the guards under which it does."""
        nodes = self.program.nodes
        found: dict[int, list[int]] = {}
        for i in range(self.program.last + 1):
            op, *args = nodes[i]
            stack = args[-1:] if op in ("div", "log") else []
            while stack and self.placed[i] != NEVER:
                a = stack.pop()
                guards = found.setdefault(a, [])
                if self.placed[i] not in guards:
                    guards.append(self.placed[i])
                    stack += _dividing(nodes[a])
        return found

    def _is_there(self, i: int, closed: Closed) -> bool:
        """Whether a product can be computed wherever a node is."""
        guard = self.placed[i]
        if not all(self._covers(self.placed[a], guard) for a in (closed.x, closed.y)):
            return False
        if closed.op == "mul":
            return True
        low, high = self.intervals.of(closed.y)
        known = self.divided.get(closed.y, ())
        return low > 0.0 or high < 0.0 or any(self._covers(g, guard) for g in known)

    def _known(self, i: int, j: int) -> int:
        for op, x, y, factor in self.closed.get(i, ()):
            found = self.builder.add(op, self.new[x], self.new[y])
            if factor == -1.0:
                found = self.builder.add("neg", found)
            elif factor != 1.0:
                found = self.builder.add("mul", self.builder.const(factor), found)
            self._evaluate(i)
            if self._replaceable(found, j, i) > 0:
                self._rename(i, found)
                return found
        return j


def _dividing(node: Node) -> list[int]:
    """The nodes that divide if a node does."""
    op, *args = node
    if op in ("mul", "neg"):
        return args
    return args[:1] if op in ("sqrt", "pow", "div") else []


class _Search:
    """Looks for derivatives that are products as far as floats can say."""

    def __init__(
        self, program: Program, is_there: Callable[[int, Closed], bool]
    ) -> None:
        from gradc.analysis.sampling import glanced

        self.nodes = program.nodes
        self.last = program.last
        self.is_there = is_there
        self.floats = glanced(program, POINTS, inside=True)
        self.varies = varying(program.nodes)
        self.readers = [0] * len(program.nodes)
        self.below: list[int] = []  # bits of the nodes below each, itself among them
        for i, node in enumerate(program.nodes):
            bits = 1 << i
            for a in arguments(node):
                bits |= self.below[a]
                self.readers[a] += program.alive[i]
            self.below.append(bits)
        for i in program.outputs:
            self.readers[i] += 1
        values = program.outputs[: program.count]
        self.valued = reduce(or_, [self.below[i] for i in values], 0)
        self.sums = sum(1 << i for i, node in enumerate(self.nodes) if node[0] in SUMS)
        self.ratios = self._ratios(program.alive)
        self.index: dict[int, list[int]] = {}
        for i, ratio in self.ratios.items():
            self.index.setdefault(round(ratio / STEP), []).append(i)

    def _ratios(self, alive: Sequence[bool]) -> dict[int, float]:
        """The logarithms by which nodes differ between the points where most are."""
        counts = [sum(bool(values[k]) for values in self.floats) for k in range(POINTS)]
        first, second, *_ = sorted(range(POINTS), key=lambda k: (-counts[k], k))
        found: dict[int, float] = {}
        for i, node in enumerate(self.nodes):
            x, y = self.floats[i][first], self.floats[i][second]
            if alive[i] and self.varies[i] and node[0] not in (*CONDITIONS, "neg"):
                if x and y and 0.0 < abs(x / y) < math.inf:
                    found[i] = math.log(abs(x / y))
        return found

    def found(self) -> Iterator[tuple[int, list[Closed]]]:
        """Derivatives, the last ones first, and what they may be, the cheapest first."""
        for i in range(len(self.nodes) - 1, self.last, -1):
            if i in self.ratios and self.nodes[i][0] != "where":
                shares = self._shares(i)
                total = sum(self._cost(k) * share for k, share in shares.items())
                if total >= GAIN + NANOSECONDS["mul"]:
                    if found := self._products(i, shares):
                        yield i, found

    def _cost(self, i: int) -> float:
        return NANOSECONDS.get(self.nodes[i][0], CALL) if self.varies[i] else 0.0

    def _shares(self, i: int) -> dict[int, float]:
        """How much of the nodes below a node it is that needs them."""
        found: dict[int, float] = {i: 1.0}
        heap = [-i]
        while heap and len(found) < CONE:
            i = -heappop(heap)
            for a in arguments(self.nodes[i]):
                if a not in found:
                    found[a] = 0.0
                    heappush(heap, -a)
                found[a] += found[i] / self.readers[a]
        return found

    def _products(self, i: int, shares: Mapping[int, float]) -> list[Closed]:
        """The cheapest products that a derivative may be."""
        ranked: list[tuple[float, Closed]] = []
        for closed in self._pairs(i):
            both = self.below[closed.x] | self.below[closed.y]
            if both & self.sums & ~(self.below[i] | self.valued):
                continue
            saved = sum(
                self._cost(k) * share
                for k, share in shares.items()
                if not both >> k & 1
            )
            times = (abs(closed.factor) != 1.0) * NANOSECONDS["mul"]
            saved -= NANOSECONDS[closed.op] + times
            if saved >= GAIN and self.is_there(i, closed):
                ranked.append((-saved, closed))
        return [closed for _, closed in sorted(ranked)[:TRIED]]

    def _pairs(self, i: int) -> Iterator[Closed]:
        """Nodes before one whose product, or quotient, goes with it at all points."""
        whole = self.ratios[i]
        for x, ratio in self.ratios.items():
            if x >= i:
                break
            for op, rest in (("mul", whole - ratio), ("div", ratio - whole)):
                at = round(rest / STEP)
                for y in (
                    y for k in (at - 1, at, at + 1) for y in self.index.get(k, ())
                ):
                    if y < i and (op == "div" or x <= y):
                        factor = self._factor(i, op, x, y)
                        if factor:
                            yield Closed(op, x, y, factor)

    def _factor(self, i: int, op: str, x: int, y: int) -> float:
        """The number that is left at all points; 0 if it is none, or not simple."""
        factors: list[float] = []
        for whole, a, b in zip(self.floats[i], self.floats[x], self.floats[y]):
            if whole and a and b:
                factors.append(whole / a / b if op == "mul" else whole / a * b)
        first = factors[0]
        if not abs(first) <= SIMPLE:
            return 0.0
        rounded = round(first * SIMPLE) / SIMPLE
        near = DIGITS * abs(first)
        return rounded if all(abs(f - rounded) <= near for f in factors) else 0.0
