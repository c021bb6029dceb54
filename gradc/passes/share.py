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
from itertools import combinations_with_replacement
from operator import attrgetter

from gradc.analysis.forms import written
from gradc.analysis.guards import Guards, place
from gradc.ir import Builder, Node, Program, arguments, compact

MOST = 20_000  # nodes above which a program is left as it is
WIDE = 16  # factors above which a product is left as it is
PRODUCTS = ("mul", "div", "neg")
MINUS = (False, -1)  # the factor -1; parts of products stand below it

Factor = tuple[bool, int]  # whether it divides; a node, or a part
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
    return min(found, key=attrgetter("cost"))


def _factors(node: Node) -> tuple[int, ...]:
    """The arguments of a product, but for what it is divided by."""
    if node[0] == "mul":
        return node[1:]
    return node[1:2] if node[0] in PRODUCTS else ()


def _readers(program: Program, placed: Sequence[int]) -> list[int]:
    """How often a node is a factor, 0 if it is read as anything else or has a name."""
    found, others = [0] * len(program.nodes), {*program.outputs, *program.names}
    for i, node in enumerate(program.nodes):
        factors = _factors(node)
        others.update(arguments(node)[len(factors) :])
        for a in factors:
            found[a] += 1
            if placed[a] != placed[i]:
                others.add(a)
    return [0 if i in others else n for i, n in enumerate(found)]


class _Sharer:
    """The products of a program: a bag of factors for each, by its node.

    With `deep`, quotients that several products read are dissolved in these, too, and
    divisors are taken apart.
    """

    def __init__(self, program: Program, placed: Sequence[int], deep: bool) -> None:
        self.program, self.placed = program, placed
        self.fixed = {i for i, varies in enumerate(program.varying) if not varies}
        self.inner: set[int] = set()  # nodes that are only a part of products
        self.parts = 0
        self.bags = self._read(deep)
        self.holders: dict[tuple[int, Factor], set[int]] = defaultdict(set)
        for i, bag in self.bags.items():
            for factor in bag:
                self.holders[self.placed[i], factor].add(i)
        self.builder = Builder(program.ops)
        self.new: dict[int, int] = {}

    def _read(self, deep: bool) -> dict[int, Bag]:
        """Collect the products that are more than a part of other ones."""
        readers, found = _readers(self.program, self.placed), dict[int, Bag]()
        for i, node in enumerate(self.program.nodes):
            if node[0] not in PRODUCTS or not self.program.varying[i]:
                continue
            bag: Bag = [MINUS] if node[0] == "neg" else []
            for a in _factors(node):
                bag += found[a] if a in self.inner else [(False, a)]
            if node[0] == "div":
                below = found.get(node[2], []) if deep else []
                if not below or MINUS in below:
                    below = [(False, node[2])]
                bag += [(not divides, f) for divides, f in below]
            while bag.count(MINUS) > 1:  # two of them are none
                bag.remove(MINUS)
                bag.remove(MINUS)
            found[i] = bag
            alone = readers[i] == 1 or deep or not any(divides for divides, _ in bag)
            if readers[i] and alone and len(bag) < WIDE:
                self.inner.add(i)
        return {i: bag for i, bag in found.items() if i not in self.inner}

    def nest(self) -> None:
        """Use a product for the part of another one that it is, the largest first."""
        for i in sorted(self.bags, key=lambda i: (-len(self.bags[i]), i)):
            bag, guard = self.bags[i], self.placed[i]
            around = [self.holders[guard, f] for f in bag]
            for j in sorted(set[int].intersection(*around)) if len(bag) > 1 else ():
                is_smaller = (len(bag), i) < (len(self.bags[j]), j)
                if is_smaller and Counter(bag) <= Counter(self.bags[j]):
                    self._replace(j, bag, (False, i))

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
        for i, bag in self.bags.items():
            for x, y in combinations_with_replacement(sorted({*bag}), 2):
                count[self.placed[i], x, y] += self._often(i, x, y)
        heap = [(-n, pair) for pair, n in count.items() if n > 1]
        heapq.heapify(heap)
        while heap:  # which has every pair at least as often as it is there
            n, (guard, x, y) = heapq.heappop(heap)
            both = self.holders[guard, x] & self.holders[guard, y]
            now, more = sum(self._often(i, x, y) for i in both), Counter[Pair]()
            if now == -n:
                more = self._replaced(guard, x, y, sorted(both))
            elif now > 1:
                more[guard, x, y] = now
            for pair, n in more.items():
                if n > 1:
                    heapq.heappush(heap, (-n, pair))

    def _replaced(
        self, guard: int, x: Factor, y: Factor, held: list[int]
    ) -> Counter[Pair]:
        """Put a new part for two factors wherever they stand; the pairs that it has."""
        divides = x[0] and y[0]
        self.parts += 1
        part, found = (divides, MINUS[1] - self.parts), Counter[Pair]()
        self.bags[part[1]] = [(False, x[1]), (False, y[1])] if divides else [x, y]
        for i in held:
            bag = self.bags[i]
            while x in bag and y in bag and bag.count(x) > (x == y):
                self._replace(i, [x, y], part)
            for other in {*bag}:
                first, second = (part, other) if part < other else (other, part)
                found[guard, first, second] += self._often(i, first, second)
        return found

    def _often(self, i: int, x: Factor, y: Factor) -> int:
        """How often a product holds two factors of which the first is no greater."""
        if y[0] and x == MINUS:
            return 0
        count = self.bags[i].count
        both = count(x) // 2 if x == y else min(count(x), count(y))
        # Of what does not vary one product is enough: it is computed at import.
        return 2 * both if {x[1], y[1]} <= self.fixed else both

    def written(self) -> Program:
        """The program with its products written out again."""
        program, builder = self.program, self.builder
        for i in range(len(program.nodes)):
            if i in self.bags:
                self._factor(i, i)
            elif i not in self.inner:
                self.new[i] = builder.copy(program, i, self.new)
        outputs = [self.new[i] for i in program.outputs]
        return compact(builder.follow(program, outputs))

    def _factor(self, f: int, i: int) -> int:
        """Where a factor is of the product `i`; one is written when it is needed first."""
        if f not in self.new:
            program, builder, bag = self.program, self.builder, self.bags[f]
            whole = f if f >= 0 else i  # of which a part has the label
            builder.span = program.spans[whole]
            found = [d for d in sorted(bag) if d != MINUS]
            inner = [(self._factor(a, whole), -1 if by else 1) for by, a in found]
            product = written(builder, (-1) ** (len(bag) - len(found)), inner)
            self.new[f] = builder.mark(product, program, f) if f >= 0 else product
        return self.new[f]
