"""Share what several products have in common.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = input z                     %2 = input z
    %3 = mul %0 %1                   %3 = mul %0 %1
    %4 = exp %3                      %4 = exp %3
    %5 = mul %4 %0         -->       %5 = mul %3 %4
    %6 = mul %5 %2                   %6 = mul %5 %2
    %7 = mul %6 %1                   out %6
    out %7

Products and quotients are read as bags of factors and divisors, with those inside them
that nothing else reads. The pair that most bags hold becomes a product of its own, and so
on while a pair stands in two of them: greedy, as common subexpressions are found in
signal processing (Hartley, Subexpression sharing in filters using canonic signed digit
multipliers, 1996). Only products that are needed under one guard share. The factors are
multiplied in another order than before, so `strict` compilation leaves the pass out.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence

from gradc.analysis.guards import Guards, place
from gradc.ir import Builder, Program, arguments, compact, cost, varying

MOST = 20_000  # nodes above which a program is left as it is
WIDE = 16  # factors above which a product is left as it is
PRODUCTS = ("mul", "div", "neg")
NEGATIVE = -1  # stands for the factor -1

Factor = tuple[
    int, bool
]  # a node, or a part of products below NEGATIVE; whether it divides
Bag = list[Factor]
Pair = tuple[int, Factor, Factor]  # a guard and two factors


def share(program: Program) -> Program:
    """Return a program of the same real function, in which products share factors."""
    if len(program.nodes) > MOST:
        return program
    placed = place(program, Guards(program))
    ways = [_Sharer(program, placed, deep) for deep in (False, True)]
    if ways[0].bags == ways[1].bags:
        ways.pop()
    found = [program]
    for sharer in ways:
        if len(sharer.bags) > 1:
            sharer.nest()
            sharer.pair()
            found.append(sharer.written())
    return min(found, key=lambda program: cost(program.nodes))


class _Sharer:
    """The products of a program: a bag of factors for each, by its node.

    With `deep`, quotients that only products read are dissolved in these, too, and
    divisors are taken apart.
    """

    def __init__(self, program: Program, placed: Sequence[int], deep: bool) -> None:
        self.program = program
        self.deep = deep
        self.varying = varying(program.nodes)
        self.placed = placed
        self.inner: set[int] = set()  # nodes that are only a part of products
        self.parts: list[Bag] = []
        self.bags = self._read()
        self.holders: dict[tuple[int, Factor], set[int]] = defaultdict(set)
        for i, bag in self.bags.items():
            for factor in bag:
                self.holders[self.placed[i], factor].add(i)
        self.builder = Builder(program.ops)
        self.new: dict[int, int] = {}

    def _read(self) -> dict[int, Bag]:
        """Collect the products that are more than a part of other ones."""
        placed, nodes = self.placed, self.program.nodes
        uses, inside = Counter(self.program.outputs), Counter[int]()
        for i, node in enumerate(nodes):
            uses.update(arguments(node))
            above = self._above(i)
            inside.update(a for a in above if placed[a] == placed[i])
        found: dict[int, Bag] = {}
        for i, node in enumerate(nodes):
            if node[0] not in PRODUCTS or not self.varying[i]:
                continue
            bag: Bag = [(NEGATIVE, False)] if node[0] == "neg" else []
            for a in self._above(i):
                bag += found[a] if a in self.inner else [(a, False)]
            if node[0] == "div":
                below = found.get(node[2], []) if self.deep else []
                if not below or (NEGATIVE, False) in below:
                    below = [(node[2], False)]
                bag += [(f, not divides) for f, divides in below]
            found[i] = bag
            alone = uses[i] == inside[i] and i not in self.program.names
            if uses[i] > 1 and any(divides for _, divides in bag):
                alone = alone and self.deep
            if alone and len(bag) < WIDE:
                self.inner.add(i)
        return {i: bag for i, bag in found.items() if i not in self.inner}

    def _above(self, i: int) -> tuple[int, ...]:
        """The arguments of a node that are factors of it."""
        node = self.program.nodes[i]
        if node[0] == "mul":
            return node[1:]
        return node[1:2] if node[0] in PRODUCTS else ()

    def nest(self) -> None:
        """Use a product for the part of another one that it is, the largest first."""
        for i in sorted(self.bags, key=lambda i: (-len(self.bags[i]), i)):
            bag, guard = self.bags[i], self.placed[i]
            around = [self.holders[guard, f] for f in bag]
            for j in sorted(set[int].intersection(*around)) if len(bag) > 1 else ():
                is_smaller = (len(bag), i) < (len(self.bags[j]), j)
                if is_smaller and Counter(bag) <= Counter(self.bags[j]):
                    self._replace(j, bag, (i, False))

    def _replace(self, i: int, factors: Bag, by: Factor) -> None:
        """Put one factor in the place of several."""
        bag, guard = self.bags[i], self.placed[i]
        at = min(bag.index(factor) for factor in factors)
        for factor in factors:
            bag.remove(factor)
            if factor not in bag:
                self.holders[guard, factor].discard(i)
        bag.insert(at, by)
        self.holders[guard, by].add(i)

    def pair(self) -> None:
        """Make products of the pairs of factors that several products hold."""
        count = Counter[Pair]()
        for i in self.bags:
            count.update(self._pairs(i))
        heap = [(-n, pair) for pair, n in count.items() if n > 1]
        heapq.heapify(heap)
        while heap:  # which has every pair at least as often as it is there
            n, pair = heapq.heappop(heap)
            if count[pair] != -n:
                if 1 < count[pair] < -n:
                    heapq.heappush(heap, (-count[pair], pair))
                continue
            for other in self._replaced(pair, count):
                if count[other] > 1:
                    heapq.heappush(heap, (-count[other], other))

    def _replaced(self, pair: Pair, count: Counter[Pair]) -> set[Pair]:
        """Put a new part for two factors wherever they stand; the pairs that it has."""
        guard, x, y = pair
        divides = x[1] and y[1]
        self.parts.append([(x[0], False), (y[0], False)] if divides else [x, y])
        part = NEGATIVE - len(self.parts), divides
        more: set[Pair] = set()
        for i in sorted(self.holders[guard, x] & self.holders[guard, y]):
            bag = self.bags[i]
            count.subtract(self._pairs(i))
            while x in bag and y in bag and bag.count(x) > (x == y):
                self._replace(i, [x, y], part)
            count.update(found := self._pairs(i))
            more.update(other for other in found if part in other)
        return more

    def _pairs(self, i: int) -> dict[Pair, int]:
        """How often a product holds each pair of factors."""
        times = Counter(self.bags[i])
        factors = sorted(times, key=lambda f: (f[1], f[0]))
        guard = self.placed[i]
        found: dict[Pair, int] = {}
        for k, x in enumerate(factors):
            for y in factors[k:]:
                both = times[x] // 2 if x == y else min(times[x], times[y])
                if both and not (y[1] and x[0] == NEGATIVE):
                    found[guard, x, y] = both
        return found

    def written(self) -> Program:
        """The program with its products written out again."""
        program, builder = self.program, self.builder
        for i in range(len(program.nodes)):
            if i in self.bags:
                self._written(i)
            elif i not in self.inner:
                self.new[i] = builder.copy(program, i, self.new)
        outputs = [self.new[i] for i in program.outputs]
        return compact(builder.follow(program, outputs))

    def _written(self, i: int) -> int:
        """Write a product; those that are nested in it, which are smaller, first."""
        if i not in self.new:
            program, builder = self.program, self.builder
            builder.span = program.spans[i]
            self.new[i] = self._product(self.bags[i], i)
            builder.label(self.new[i], program.spans[i])
            if i in program.names:
                builder.name(self.new[i], program.names[i])
        return self.new[i]

    def _product(self, bag: Bag, i: int) -> int:
        """Write a product: factors, then divisors."""
        total = -1
        for f, divides in sorted(bag, key=lambda factor: factor[1]):
            if f != NEGATIVE:
                x = self._factor(f, i)
                if total < 0 and divides:
                    total = self.builder.const(1.0)
                op = "div" if divides else "mul"
                total = x if total < 0 else self.builder.add(op, total, x)
        is_negative = bag.count((NEGATIVE, False)) % 2
        return self.builder.add("neg", total) if is_negative else total

    def _factor(self, f: int, i: int) -> int:
        """Where a factor is; a part is written when it is needed first."""
        if f in self.bags:
            return self._written(f)
        if f not in self.new:
            self.builder.span = self.program.spans[i]
            self.new[f] = self._product(self.parts[NEGATIVE - f - 1], i)
        return self.new[f]
