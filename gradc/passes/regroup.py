"""Regroup sums, so that others can use a part of them.

    %3 = add %0 %1                     %3 = add %1 %2
    %4 = add %3 %2                     %4 = add %0 %3
    %5 = mul %4 %2          -->        %5 = mul %4 %2
    %6 = mul %4 %1                     %6 = mul %4 %3
    %7 = add %5 %6                     out %4 %5 %6
    out %4 %5 %7

The derivatives by the joints of a chain are sums of which each is the one before it with
more terms, g*a - h*b and g*a - h*b + g*c - h*d. The second is g*(a + c) - h*(b + d), an
operation less, if a + c and b + d cost nothing: where they are there, or are a part of
another sum, such as a + x + c, that may add them first.

Only what has been rounded, products and functions, changes its place in a sum; a new
order adds no more than that to the error. What an input or a difference has exactly stays
where it is. The last bits may differ, so `strict` compilation leaves the pass out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gradc.analysis.guards import NEVER, Guards, place
from gradc.costs import cost
from gradc.ir import Builder, Node, Program, arguments, compact, within

MOST = 20_000  # nodes above which a program is left as it is
WIDE = 64  # terms above which a sum is left as it is
COMMON = 16  # sums that hold a term, up to which they are searched
SUMS = ("add", "sub")
EXACT = frozenset({"input", "const", "add", "sub", "neg", "where"})

Term = tuple[float, int]  # a sign and a node


class Part(NamedTuple):
    """Two terms of a sum in their order there, and the sign that they have elsewhere."""

    whole: int
    first: Term
    second: Term
    sign: float


class Saving(NamedTuple):
    """A factor, what it multiplies, and the product that this makes needless."""

    factor: int
    part: Part
    spared: Term


def regroup(program: Program) -> Program:
    """Return a program of the same real function, in which sums share their parts."""
    if len(program.nodes) > MOST or program.operations.isdisjoint(SUMS):
        return program
    regrouper = _Regrouper(program)
    if not regrouper.improved():
        return program
    return min(program, regrouper.written(), key=lambda found: cost(found.nodes))


class _Regrouper:
    """The sums of a program by their last node: the terms of each in their order.

    Behind the nodes of the program come new ones, parts of sums and their products.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.nodes: list[Node] = [*program.nodes]
        self.numbers: dict[Node, int] = {}  # of the new nodes
        self.placed = place(program, Guards(program))
        self.uses = Counter(program.outputs)
        for node, guard in zip(program.nodes, self.placed):
            if guard != NEVER:
                self.uses.update(arguments(node))
        self.sums: dict[int, list[Term]] = {}
        self.holders: dict[int, set[int]] = defaultdict(set)
        self.changed: set[int] = set()
        self._read()

    def _read(self) -> None:
        """Collect the terms of sums; brackets stay."""
        for i, node in enumerate(self.program.nodes):
            if node[0] in SUMS and self.placed[i] != NEVER:
                op, first, second = node
                terms = [(1.0, first)]
                if first in self.sums and self._is_step(first, i):
                    terms = self.sums.pop(first)
                self.sums[i] = [*terms, (1.0 if op == "add" else -1.0, second)]
        for i, terms in self.sums.items():
            for _, term in terms:
                self.holders[term].add(i)

    def _is_step(self, a: int, i: int) -> bool:
        """Whether the node `a` is there for the node `i` alone."""
        alone = self.uses[a] == 1 and a not in self.program.names
        return alone and self.placed[a] == self.placed[i]

    # ---- what is shared

    def improved(self) -> bool:
        """Open terms of sums where that saves an operation; whether it did."""
        for i, terms in self.sums.items():
            shared = [term for term in terms if self.uses[term[1]] > 1]
            if shared and len(terms) <= WIDE:
                products = self._products(i)
                any(self._opened(i, term, products) for term in shared)
        return bool(self.changed)

    def _products(self, i: int) -> dict[int, list[Term]]:
        """The products that only the sum `i` needs, by their factors."""
        found: dict[int, list[Term]] = {}
        for term in self.sums[i]:
            op, *factors = self.nodes[term[1]]
            if op == "mul" and self._is_step(term[1], i):
                for factor in factors:
                    found.setdefault(factor, []).append(term)
        return found

    def _opened(self, i: int, shared: Term, products: Mapping[int, list[Term]]) -> bool:
        """Open a term of the sum `i`, if its own terms find parts that are there."""
        sign, whole = shared
        if self.placed[whole] != self.placed[i]:
            return False
        found: list[Saving] = []
        taken: set[tuple[int, Term]] = set()
        rest = [term for term in self.sums[i] if term != shared]
        for s, term in self.sums.get(whole, [(1.0, whole)]):
            for saving in self._savings(i, (s * sign, term), products):
                part = {(saving.part.whole, term) for term in saving.part[1:3]}
                if saving.spared in rest and taken.isdisjoint(part):
                    taken |= part
                    found.append(saving)
                    rest.remove(saving.spared)
                    break
            else:
                return False
        signs = [saving.part.sign for saving in found] + [s for s, _ in rest]
        if max(signs) < 0.0:
            return False
        made = [self._new("mul", s.factor, self._made(s.part)) for s in found]
        terms = [*zip(signs, made), *rest]
        terms.insert(0, terms.pop(signs.index(1.0)))
        self.sums[i] = terms
        self.changed.add(i)
        return True

    def _savings(
        self, i: int, term: Term, products: Mapping[int, list[Term]]
    ) -> Iterator[Saving]:
        """The ways to put a product together with one of the sum `i`."""
        op, *factors = self.nodes[term[1]]
        if op != "mul":
            return
        for factor, x in zip(factors, reversed(factors)):
            for spared in products.get(factor, ()):
                _, *others = self.nodes[spared[1]]
                others.remove(factor)
                part = self._part(i, (term[0], x), (spared[0], others[0]))
                if part:
                    yield Saving(factor, part, spared)

    def _part(self, i: int, x: Term, y: Term) -> Part | None:
        """A sum that has two terms for a part, or may have."""
        holding = self.holders[x[1]], self.holders[y[1]]
        if x[1] == y[1] or max(map(len, holding)) > COMMON:
            return None
        for whole in sorted(holding[0] & holding[1] - {i}):
            pair = [term for term in self.sums[whole] if term[1] in (x[1], y[1])]
            if len(pair) != 2 or self.placed[whole] != self.placed[i]:
                continue
            first, second = pair
            if first[0] * second[0] == x[0] * y[0] and self._is_free(whole, pair, i):
                return Part(whole, first, second, (x if first[1] == x[1] else y)[0])
        return None

    def _is_free(self, whole: int, pair: list[Term], i: int) -> bool:
        """Whether a sum may add two of its terms first, for the sum `i` to use."""
        terms = self.sums[whole]
        if len(terms) == 2:
            return whole < i
        return terms[:2] == pair or all(self._is_rounded(term) for _, term in pair)

    def _is_rounded(self, i: int) -> bool:
        """Whether a node has an error of its own, so that another does not matter."""
        if i >= len(self.program.nodes):
            return True  # a sum of such
        op, *args = self.nodes[i]
        if op in EXACT:
            return False
        varying = [a for a in args if self.nodes[a][0] != "const"]
        if op in ("mul", "div") and len(varying) == 1:
            return self.nodes[varying[0]][0] not in EXACT  # 2*x may be exact
        ulp = self.program.ops[op].ulp
        return ulp is None or ulp[0] > 0.0

    # ---- what is new

    def _new(self, op: str, x: int, y: int) -> int:
        """The number of a new node."""
        node = op, x, y
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]

    def _made(self, part: Part) -> int:
        """Have a sum add two of its terms first; the node of the two."""
        whole, first, second, _ = part
        terms = self.sums[whole]
        if len(terms) == 2:
            return whole
        op = "add" if first[0] == second[0] else "sub"
        new = self._new(op, first[1], second[1])
        terms[terms.index(first)] = first[0], new
        terms.remove(second)
        self.holders[new].add(whole)
        self.changed.add(whole)
        return new

    # ---- the new program

    def written(self) -> Program:
        """The program with the sums as they are now."""
        program, builder = self.program, Builder(self.program.ops)
        new: dict[int, int] = {}
        for i in range(len(program.nodes)):
            if i not in self.changed:
                new[i] = builder.copy(program, i, new)
                continue
            builder.span = within(program.spans[i])
            for _, term in self.sums[i]:
                self._write(term, builder, new)
            new[i] = self._added(i, builder, new)
            builder.label(new[i], program.spans[i])
            if i in program.names:
                builder.name(new[i], program.names[i])
            if i in program.hints:
                builder.hints.setdefault(new[i], program.hints[i])
        return compact(builder.follow(program, [new[i] for i in program.outputs]))

    def _write(self, i: int, builder: Builder, new: dict[int, int]) -> None:
        """Write a new node, after those that it reads."""
        stack = [i]
        while stack:
            op, *args = self.nodes[stack[-1]]
            missing = [a for a in args if a not in new] if stack[-1] not in new else []
            if missing:
                stack += missing
                continue
            i = stack.pop()
            if i not in new:
                new[i] = builder.add(op, *[new[a] for a in args])

    def _added(self, i: int, builder: Builder, new: Mapping[int, int]) -> int:
        """Write a sum term by term."""
        (_, first), *rest = self.sums[i]
        total = new[first]
        for sign, term in rest:
            total = builder.add("add" if sign > 0.0 else "sub", total, new[term])
        return total
