"""Recognise derivatives that are products, or sums of two, of nodes there are.

    %5 = exp %4                   %5 = exp %4
    %6 = mul %1 %5                %6 = mul %1 %5
    ...                    -->    ...
    %20 = add %18 %19             %20 = div %6 %0
    out %6 %20                    out %6 %20

Where `merge` looks for a node that is another one, this pass looks for two, and a number:
floats at a few points tell which, and the same 50 digits as there whether it is true.
The density of a normal distribution by its mean is the density times a residual, the
response of an oscillator by its time is its velocity. An output for which none is found
may be a sum of two products or quotients, or a product of three (`sums`): the square of
a distance by the angle of a rotation, `2*(u*y - v*x)`.

A derivative is replaced if it is the end of more work than what it becomes, and by nodes
that are computed whenever it is. In a product no difference may lose digits that loses
none in the derivative or in the value; a sum has to be as accurate at many points, among
them those where the derivative is nearly 0 (`steady`). What divides is not 0 in the
domains, or divides in the value already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from heapq import heappop, heappush
from operator import or_
from typing import NamedTuple

from gradc.analysis.bounds import is_moderate
from gradc.analysis.forms import SUMS
from gradc.analysis.guards import NEVER
from gradc.analysis.intervals import Intervals
from gradc.costs import CALL, NANOSECONDS
from gradc.ir import CONDITIONS, Builder, Node, Program, arguments, varying
from gradc.passes.merge import FEWEST, Merger
from gradc.passes.sums import ONE, Multiple, Sum, Sums, scaled

MOST = 400  # nodes above which a program is left as it is
CONE = 60  # nodes that are looked at to find what a derivative costs
GAIN = 9.0  # nanoseconds that a product has to save
MORE = 25.0  # the same of a sum
COSTLY = 50.0  # nanoseconds of an output for which sums are looked for
POINTS = 6  # at which floats are compared
DIGITS = 1e-9  # to which these agree
STEP = 1e-8  # of the logarithms by which pairs are found
LEFT = frozenset({*CONDITIONS, "neg", "where"})  # what stands in no product
ALMOST = 0.999  # the share of a node that only one derivative needs
TRIED = 4  # products that are tried for one derivative
SIMPLE = 64.0  # the largest number by which a product is multiplied


class Closed(NamedTuple):
    """What a derivative may be: `factor*x*y`, or `factor*x/y`."""

    op: str
    x: int
    y: int
    factor: float

    @property
    def nodes(self) -> list[int]:
        """Those of which it is made."""
        return [self.x, self.y]

    @property
    def divisors(self) -> list[int]:
        """The nodes that divide."""
        return [self.y] if self.op == "div" else []

    @property
    def cost(self) -> float:
        """What it costs to compute, given these."""
        return NANOSECONDS[self.op] + (abs(self.factor) != 1.0) * NANOSECONDS["mul"]

    def build(self, builder: Builder, new: Callable[[int], int]) -> int:
        """Add it; the positions of the nodes there are `new`."""
        return scaled(
            builder, self.factor, builder.add(self.op, new(self.x), new(self.y))
        )


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
        self.closed = dict(_Search(program, self._is_there, self._may_divide).found())

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

    def _is_there(self, i: int, a: int, divides: bool = False) -> bool:
        """Whether one node is there wherever another is, and divides there."""
        guard = self.placed[i]
        if not divides:
            return self._covers(self.placed[a], guard)
        known = self.divided.get(a, ())
        return self._is_nonzero(a) or any(self._covers(g, guard) for g in known)

    def _may_divide(self, a: int) -> bool:
        """Whether a node divides anywhere."""
        return a in self.divided or self._is_nonzero(a)

    def _is_nonzero(self, a: int) -> bool:
        low, high = self.intervals.of(a)
        return low > 0.0 or high < 0.0

    def _known(self, i: int, j: int) -> int:
        for closed in self.closed.get(i, ()):
            found = closed.build(self.builder, self._new)
            self._evaluate(i)
            if isinstance(closed, Closed):
                stands = self._replaceable(found, j, i) > 0
            else:
                stands = self._is_sum(found, j, i)
            if stands:
                self._rename(i, found)
                return found
        return j

    def _new(self, a: int) -> int:
        return self.builder.const(1.0) if a == ONE else self.new[a]

    def _is_sum(self, found: int, j: int, i: int) -> bool:
        """Whether a sum may stand for `j`, the old node `i`."""
        from gradc.analysis.steady import is_as_accurate

        new, old = self.values[found], self.values[j]
        if self.sampling.agree(new, old, wider=i > self.last) <= 0:
            return False
        if not all(map(is_moderate, self.program.inputs)):
            if self.depth[found] > self.depth[j]:
                return False
            if not self.sampling.replaces(new.floats, old.floats):
                return False
        program = self.builder.follow(self.program, [found, j])
        return is_as_accurate(program, found, j)


def _dividing(node: Node) -> list[int]:
    """The nodes that divide if a node does."""
    op, *args = node
    if op in ("mul", "neg"):
        return args
    return args[:1] if op in ("sqrt", "pow", "div") else []


class _Search:
    """Looks for derivatives that are products as far as floats can say."""

    def __init__(
        self,
        program: Program,
        is_there: Callable[[int, int, bool], bool],
        may_divide: Callable[[int], bool],
    ) -> None:
        from gradc.analysis.sampling import glanced

        self.nodes = program.nodes
        self.last = program.last
        self.outputs = frozenset(program.outputs)
        self.is_there = is_there
        self.may_divide = may_divide
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
        self.alive = program.alive
        self.sought: Sums | None = None
        steps: dict[int, list[int]] = {}
        for i, ratio in self.ratios.items():
            steps.setdefault(round(ratio / STEP), []).append(i)
        self.near: dict[int, list[int]] = {}  # those of a step and of its neighbours
        for at in sorted(steps):
            for k in (at - 1, at, at + 1):
                self.near.setdefault(k, []).extend(steps[at])

    def _ratios(self, alive: Sequence[bool]) -> dict[int, float]:
        """The logarithms by which nodes differ between the points where most are."""
        counts = [sum(bool(values[k]) for values in self.floats) for k in range(POINTS)]
        first, second, *_ = sorted(range(POINTS), key=lambda k: (-counts[k], k))
        self.first = first
        found: dict[int, float] = {}
        for i, node in enumerate(self.nodes):
            x, y = self.floats[i][first], self.floats[i][second]
            if alive[i] and self.varies[i] and node[0] not in (*CONDITIONS, "neg"):
                if x and y and 0.0 < abs(x / y) < math.inf:
                    found[i] = math.log(abs(x / y))
        return found

    def found(self) -> Iterator[tuple[int, list[Closed | Sum | Multiple]]]:
        """Derivatives, the last ones first, and what they may be, the cheapest first."""
        for i in range(len(self.nodes) - 1, self.last, -1):
            if i in self.ratios and self.nodes[i][0] != "where":
                shares = self._shares(i)
                total = sum(self._cost(k) * share for k, share in shares.items())
                if total >= GAIN + NANOSECONDS["mul"]:
                    found = self._cheapest(i, shares, self._pairs(i))
                    if not found and total >= COSTLY and i in self.outputs:
                        found = self._cheapest(i, shares, self._twofold(i, shares))
                    if found:
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

    def _cheapest(
        self,
        i: int,
        shares: Mapping[int, float],
        found: Iterable[Closed | Sum | Multiple],
    ) -> list[Closed | Sum | Multiple]:
        """The cheapest forms that a derivative may have, if it has not."""
        ranked: list[tuple[float, int, Closed | Sum | Multiple]] = []
        for closed in found:
            both = reduce(or_, [self.below[a] for a in closed.nodes])
            if isinstance(closed, Closed):
                if both & self.sums & ~(self.below[i] | self.valued):
                    continue
            saved = sum(
                self._cost(k) * share
                for k, share in shares.items()
                if not both >> k & 1
            )
            saved -= closed.cost
            least = GAIN if isinstance(closed, Closed) else MORE
            if saved >= least and self._can_be(i, closed):
                ranked.append((-saved, len(ranked), closed))
        return [closed for *_, closed in sorted(ranked)[:TRIED]]

    def _can_be(self, i: int, closed: Closed | Sum | Multiple) -> bool:
        """Whether a form can be computed wherever a node is."""
        is_there = all(self.is_there(i, a, False) for a in closed.nodes)
        return is_there and all(self.is_there(i, a, True) for a in closed.divisors)

    def _twofold(self, i: int, shares: Mapping[int, float]) -> Iterator[Sum | Multiple]:
        """The sums of two products, or quotients, and what else of three or four nodes."""
        if self.sought is None:
            nodes = [
                k
                for k, node in enumerate(self.nodes)
                if self.alive[k] and self.varies[k] and node[0] not in LEFT
            ]
            self.sought = Sums(self.floats, self.first, nodes, self.may_divide)
        own = {k for k, share in shares.items() if share > ALMOST}
        return self.sought.of(i, own)

    def _pairs(self, i: int) -> Iterator[Closed]:
        """Nodes before one whose product, or quotient, goes with it at all points."""
        whole, near = self.ratios[i], self.near
        for x, ratio in self.ratios.items():
            if x >= i:
                break
            at = round((whole - ratio) / STEP)
            for op, k in ("mul", at), ("div", -at):
                for y in near.get(k, ()):
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
