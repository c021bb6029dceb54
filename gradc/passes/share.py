"""Share what several products have in common.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = input z                     %2 = input z
    %3 = mul %0 %1                   %3 = mul %0 %1
    %4 = mul %3 %2         -->       %4 = mul %3 %2
    %5 = exp %4                      %5 = exp %4
    %6 = mul %5 %0                   %6 = mul %5 %4
    %7 = mul %6 %2                   out %6
    %8 = mul %7 %1
    out %8

Products and quotients of which nothing else reads a part are read as bags of factors
and divisors. A product that lies in another one is used for it, the largest first; then
the pair of factors that most products hold becomes a product of its own, and so on
while a pair stands in two of them. Only products that are needed under one guard share.
The factors are multiplied in another order than before, so `strict` compilation leaves
the pass out.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence, Set

from gradc.analysis.guards import NEVER, Guards, place
from gradc.ir import Builder, Program, arguments, compact, cost

MOST = 20_000  # nodes above which a program is left as it is
WIDE = 16  # factors above which a product is left as it is
COMMON = 64  # products with a factor in common up to which they are compared
PRODUCTS = ("mul", "div", "neg")
ROUNDS = 4  # how often products are nested in each other
QUOTIENTS = 4  # by one divisor, which cost no more than its inverse and products

Factor = tuple[int, bool]  # a node, or a part as a negative number; whether it divides
Bag = list[Factor]
Part = float | tuple[Factor, ...]
Pair = tuple[int, Factor, Factor]  # a guard and two factors


def share(program: Program) -> Program:
    """Return a program of the same real function, in which products share factors."""
    if len(program.nodes) > MOST:
        return program
    found = [program]
    placed = place(program, Guards(program))
    inner = None
    for deep in (False, True):
        sharer = _Sharer(program, placed, deep)
        if len(sharer.bags) > 1 and sharer.inner != inner:
            sharer.nest()
            sharer.pair()
            if sharer.changed:
                found.append(sharer.written())
        inner = sharer.inner
    return min(found, key=lambda program: cost(program.nodes))


class _Sharer:
    """The products of a program: a bag of factors for each, by its node.

    With `deep`, products that only products read are dissolved in these.
    """

    def __init__(self, program: Program, placed: Sequence[int], deep: bool) -> None:
        self.program = program
        self.deep = deep
        self.changed = False  # whether the program would be another one
        self.placed = placed
        self.fixed: set[int] = set()  # nodes that no input changes
        self.bags: dict[int, Bag] = {}
        self.parts: dict[int, Part] = {}  # what is no node yet, by number
        self.numbers: dict[str | tuple[Factor, ...], int] = {}
        self.inner: set[int] = set()  # nodes that are only a part of a product
        self._read()
        self.holders: dict[tuple[int, Factor], set[int]] = defaultdict(set)
        for i, bag in self.bags.items():
            for factor in bag:
                self.holders[self.placed[i], factor].add(i)
        self.builder = Builder(program.ops)
        self.new: dict[int, int] = {}

    def _read(self) -> None:
        """Collect the products that are more than a part of another product."""
        nodes, placed = self.program.nodes, self.placed
        uses, inside = self._uses()
        bags: dict[int, Bag] = {}
        for i, node in enumerate(nodes):
            if placed[i] == NEVER or node[0] not in PRODUCTS or i in self.fixed:
                continue
            bag: Bag = [(self._part(-1.0), False)] if node[0] == "neg" else []
            for a in self._above(i):
                same = placed[a] == placed[i]
                bag += bags[a] if a in bags and same else [(a, False)]
            if node[0] == "div":
                bag.append((node[2], True))
            bag = self._tidied(bag)
            most = QUOTIENTS if len(bag) == 1 and bag[0][1] else 1
            alone = uses[i] == inside[i] and (uses[i] <= most or self.deep)
            if alone and i not in self.program.names and len(bag) < WIDE:
                bags[i] = bag
                self.inner.add(i)
                self.changed |= uses[i] > 1
            else:
                self.bags[i] = bag

    def _uses(self) -> tuple[list[int], list[int]]:
        """How often each node is read; how often as a factor under its own guard."""
        placed, fixed = self.placed, self.fixed
        uses, inside = [0] * len(placed), [0] * len(placed)
        for i in self.program.outputs:
            uses[i] += 1
        for i, node in enumerate(self.program.nodes):
            args = arguments(node)
            for a in args:
                uses[a] += 1
            if node[0] in PRODUCTS and placed[i] != NEVER:
                for a in self._above(i):
                    inside[a] += placed[a] == placed[i]
            if node[0] != "input" and fixed.issuperset(args):
                fixed.add(i)
        return uses, inside

    def _tidied(self, bag: Bag) -> Bag:
        """Put constants, and what else no input changes, into one factor."""
        if not any(f < 0 or f in self.fixed for f, _ in bag):
            return bag
        size = 1.0
        fixed: Bag = []
        rest: Bag = []
        for f, divides in bag:
            value = self._value(f)
            if value is not None and not divides:
                size *= value
            elif value is None and f in self.fixed:
                fixed.append((f, divides))
            else:
                rest.append((f, divides))
        self.changed |= len(bag) > len(rest) + 1
        if size != 1.0:
            fixed.insert(0, (self._part(size), False))
        if len(fixed) > 1 or any(divides for _, divides in fixed):
            fixed = [(self._part(tuple(fixed)), False)]
        return fixed + rest

    def _value(self, f: int) -> float | None:
        """The value of a constant factor."""
        if f < 0:
            content = self.parts[f]
            return content if isinstance(content, float) else None
        node = self.program.nodes[f]
        return node[1] if node[0] == "const" else None

    def _part(self, content: Part) -> int:
        """The number of a constant, or of a product that is no node."""
        key = content.hex() if isinstance(content, float) else content
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = -1 - len(self.parts)
            self.parts[found] = content
        return found

    def _above(self, i: int) -> tuple[int, ...]:
        """The arguments of a node that are factors of it."""
        node = self.program.nodes[i]
        if node[0] == "mul":
            return node[1:]
        return node[1:2] if node[0] in PRODUCTS else ()

    # ---- what is shared

    def nest(self) -> None:
        """Use a product for the part of another one that it is."""
        for _ in range(ROUNDS):
            changed = False
            largest = sorted(self.bags, key=lambda i: (-len(self.bags[i]), i))
            for i in largest:
                if len(self.bags[i]) > 1:
                    for j in self._around(i):
                        self._replace(j, self.bags[i], (i, False))
                        changed = True
            if not changed:
                break

    def _around(self, i: int) -> list[int]:
        """The products that hold all factors of the product `i`."""
        factors, guard = self.bags[i], self.placed[i]
        holding = sorted((self.holders[guard, f] for f in set(factors)), key=len)
        if len(holding[0]) > COMMON:
            return []
        around = holding[0].intersection(*holding[1:]) - {i}
        if not around:
            return []
        bag, size = Counter(factors), len(factors)
        return [
            j
            for j in sorted(around)
            if (len(self.bags[j]), j) > (size, i) and bag <= Counter(self.bags[j])
        ]

    def _replace(self, i: int, factors: Bag, by: Factor) -> None:
        """Put one factor in the place of several."""
        self.changed = True
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
            for pair, n in self._pairs(i).items():
                count[pair] = count.get(pair, 0) + n
        heap = [(-n, pair) for pair, n in count.items() if n > 1]
        heapq.heapify(heap)
        while heap:  # which has every pair at least as often as it is there
            n, pair = heapq.heappop(heap)
            if count[pair] != -n:
                if 1 < count[pair] < -n:
                    heapq.heappush(heap, (-count[pair], pair))
                continue
            guard, x, y = pair
            part = self._part((x, y)), False
            more: set[Pair] = set()
            for i in sorted(self.holders[guard, x] & self.holders[guard, y]):
                before = self._pairs(i, {x, y, part})
                for _ in range(before.get(pair, 0)):
                    self._replace(i, [x, y], part)
                after = self._pairs(i, {x, y, part})
                for other, n in before.items():
                    count[other] -= n
                for other, n in after.items():
                    count[other] += n
                more.update(other for other in after if part in other)
            for other in more:
                if count[other] > 1:
                    heapq.heappush(heap, (-count[other], other))

    def _pairs(self, i: int, among: Set[Factor] | None = None) -> dict[Pair, int]:
        """How often a product holds each pair of factors, but for two divisors.

        Arguments:
            among: what one of the two has to be, anything if it is not given.
        """
        guard, times = self.placed[i], dict[Factor, int]()
        for factor in self.bags[i]:
            times[factor] = times.get(factor, 0) + 1
        found: dict[Pair, int] = {}
        firsts = times.keys() if among is None else among & times.keys()
        for x in firsts:
            for y, n in times.items():
                if (x[1] and y[1]) or (y < x and y in firsts):
                    continue
                both = n // 2 if x == y else min(n, times[x])
                if both:
                    found[(guard, x, y) if x < y else (guard, y, x)] = both
        return found

    # ---- the new program

    def written(self) -> Program:
        """The program with its products written out again."""
        program, builder = self.program, self.builder
        for i in range(len(program.nodes)):
            if i in self.bags:
                self._product(i)
            elif i not in self.inner:
                self.new[i] = builder.copy(program, i, self.new)
        outputs = [self.new[i] for i in program.outputs]
        return compact(builder.follow(program, outputs))

    def _product(self, i: int) -> int:
        """Write a product or a part; those nested in it, which are smaller, first."""
        if i not in self.new:
            bag = self.bags[i] if i >= 0 else self.parts[i]
            if isinstance(bag, float):
                return self.builder.const(bag)
            inner = [(self._factor(f), divides) for f, divides in bag]
            span = self.program.spans[i] if i >= 0 else None
            self.builder.span = span
            self.new[i] = self._joined(inner)
            if i >= 0:
                self._label(i)
        return self.new[i]

    def _factor(self, f: int) -> int:
        return self._product(f) if f < 0 or f in self.bags else self.new[f]

    def _joined(self, bag: Bag) -> int:
        """Factors in their order, then divisors."""
        above = [x for x, divides in bag if not divides]
        total = above[0] if above else self.builder.const(1.0)
        for x in above[1:]:
            total = self.builder.add("mul", total, x)
        for x, divides in bag:
            if divides:
                total = self.builder.add("div", total, x)
        return total

    def _label(self, i: int) -> None:
        program, builder = self.program, self.builder
        builder.label(self.new[i], program.spans[i])
        if i in program.names:
            builder.name(self.new[i], program.names[i])
