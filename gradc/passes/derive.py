"""Reverse mode: append the nodes of the gradient, one adjoint for each node that counts.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = sin %1                      %2 = sin %1
    %3 = mul %0 %2          -->      %3 = mul %0 %2
    out %3                           %4 = cos %1
                                     %5 = mul %0 %4
                                     out %3 %2 %5

The loop runs over the program backwards (Griewank and Walther, Evaluating Derivatives,
section 3.2). The adjoint of a node is a sum of terms, each with the guard under which
it arises; a term from inside a branch becomes `where(condition, term, 0)` when the node
stands outside, and `where` itself only hands its adjoint on. So inside a branch
derivatives are plain, nothing is multiplied by a branch not taken, and an adjoint that
nothing sends is absent rather than zero.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from gradc.analysis.guards import ALWAYS, NEVER, Guards
from gradc.analysis.ranges import POSITIVE, Ranges
from gradc.calculus import (
    ADJOINT,
    Template,
    adjoint_template,
    meaning_template,
    row_params,
)
from gradc.ir import Adjoint, Builder, Program, compact, varying
from gradc.language.limits import check_derivatives

ZERO = ("const", 0.0)  # of either sign
LINEAR = ("add", "sub", "neg")
FEW = 4  # guards whose terms are handed on one by one
MOST = 10_000  # nodes above which what is not needed is left for later passes to drop
_adjoint = partial(tuple.__new__, Adjoint)  # as Adjoint(...), in a third of the time
Term = tuple[int, int]  # a guard and the position of what arises under it
Debt = tuple[int, Template]  # what is owed to an argument


def derive(program: Program, wrt: Iterable[str]) -> Program:
    """Append the derivative of the first output by each of the inputs `wrt`.

    The outputs become the value, then one derivative per name, in their order.
    """
    reverse = Reverse(program, tuple(wrt))
    first = reverse.program.outputs[0]
    found = reverse.sweep([(first, reverse.one)])
    check_derivatives(reverse.builder, reverse.program.source)
    return reverse.finish(found)


def differentiable(program: Program) -> Program:
    """Replace every row that has no partials by what it means."""
    ops = program.ops
    defined = {
        op.name
        for op in ops
        if op.partials is None and op.each is None and op.means is not None
    }
    if defined.isdisjoint(program.operations):
        return program
    builder = Builder(ops)
    new: list[int] = []
    for i, node in enumerate(program.nodes):
        if node[0] in defined:
            row = ops[node[0]]
            builder.span = program.spans[i]
            args = dict(zip(row.params, [new[a] for a in node[1:]]))
            new.append(meaning_template(row, ops).build(builder, args))
            builder.label(new[i], program.spans[i])
        else:
            new.append(builder.copy(program, i, new))
    return builder.follow(program, [new[i] for i in program.outputs])


class Columns:
    """Chooses the column of the table that has the partials of a node.

    `x^y` with a number for `y` has those that need least work and keep all digits. Where
    `y` varies they reuse the power, and where `x` is known to be positive they have no
    branch.
    """

    def __init__(self, program: Program, builder: Builder) -> None:
        self.nodes = program.nodes
        self.several = frozenset(op.name for op in program.ops if op.varying)
        self.ranges = Ranges(builder, program.inputs)

    def of(self, op: str, args: Sequence[int]) -> str:
        """The column for an operation."""
        if op not in self.several or self.nodes[args[1]][0] == "const":
            return "partials"
        positive = self.ranges.sign(args[0]) == POSITIVE
        return "positive" if positive else "varying"


class Reverse:
    """Reverse mode: the growing program, and the terms of each adjoint in a sweep."""

    def __init__(
        self, program: Program, wrt: tuple[str, ...], rows: bool = False
    ) -> None:
        """Prepare sweeps; with `rows` many, each of which meets few of the nodes."""
        self.program = program = differentiable(program)
        self.wrt = wrt
        self.number = {name: k for k, name in enumerate(wrt)}
        self.waiting: list[int] | None = [] if rows else None
        self.guards = Guards(program)
        self.varies = varying(program.nodes, {*wrt})
        self.builder = Builder.upon(program)
        self.terms: list[list[Term] | None] = [None] * len(program.nodes)
        self.columns = Columns(program, self.builder)
        self.owed: dict[tuple[str, int, str], list[Debt]] = {}
        self.variadic = frozenset(op.name for op in program.ops if op.variadic)

    @property
    def one(self) -> int:
        """The adjoint of what is differentiated."""
        return self.builder.const(1.0)

    def sweep(self, seeds: Sequence[tuple[int, int]]) -> list[int]:
        """The derivatives by each input of a sum of nodes, each times its seed.

        -1 for an input that the nodes do not depend on.
        """
        found = self.derivatives(seeds)
        return [found.get(k, -1) for k in range(len(self.wrt))]

    def derivatives(self, seeds: Sequence[tuple[int, int]]) -> dict[int, int]:
        """The derivatives of `sweep`, by the number of the input in `wrt`."""
        program, builder = self.program, self.builder
        for i, seed in seeds:
            if self.varies[i]:
                self._send(i, ALWAYS, seed)
        found: dict[int, int] = {}
        for i in self._backwards(max(seeds)[0]):
            if self.terms[i] is not None:
                node = program.nodes[i]
                for guard, adjoint in self._settle(i):
                    if node[0] != "input":
                        self._propagate(i, guard, adjoint)
                        continue
                    found[self.number[node[1]]] = adjoint
        return found

    def _backwards(self, last: int) -> Iterator[int]:
        """The nodes from the last one on, or those of them that have terms."""
        if self.waiting is None:
            yield from range(last, -1, -1)
        else:
            while self.waiting:
                yield -heapq.heappop(self.waiting)

    def finish(self, derivatives: Sequence[int]) -> Program:
        """The program with derivatives behind its values, 0 for those that are -1.

        Of a large one, nodes that are not needed are left for later passes to drop.
        """
        zero = self.builder.const(0.0) if -1 in derivatives else -1
        values = self.program.outputs[: self.program.count]
        outputs = [*values, *(zero if d == -1 else d for d in derivatives)]
        found = self.builder.follow(self.program, outputs)
        return compact(found) if len(found.nodes) <= MOST else found

    def _send(self, i: int, guard: int, term: int) -> None:
        """Add a term to the adjoint of node `i`."""
        if guard == NEVER:
            return
        found = self.terms[i]
        if found is None:
            self.terms[i] = [(guard, term)]
            if self.waiting is not None:
                heapq.heappush(self.waiting, -i)
        else:
            found.append((guard, term))

    def _propagate(self, i: int, guard: int, adjoint: int) -> None:
        """Send what node `i` owes under a guard to each of its arguments."""
        op, *args = self.program.nodes[i]
        varies, builder = self.varies, self.builder
        if op == "where":
            for a, branch in ((args[1], True), (args[2], False)):
                if varies[a]:
                    self._send(a, self.guards.child(guard, args[0], branch), adjoint)
            return
        column = "partials"
        if op in self.columns.several:
            column = self.columns.of(op, args)
        owed = self._owed(op, len(args), column)
        if op in self.variadic:
            self._propagate_to_each(i, guard, adjoint, owed)
            return
        params = dict(zip(self.program.ops[op].params, args))
        params[ADJOINT] = adjoint
        for k, template in owed:
            if varies[args[k]]:
                term = template.build(builder, params)
                if builder.nodes[term] != ZERO:
                    self._send(args[k], guard, term)

    def _propagate_to_each(
        self, i: int, guard: int, adjoint: int, owed: Sequence[Debt]
    ) -> None:
        """Send what a node of any number of arguments owes to each of them."""
        op, *args = self.program.nodes[i]
        row, builder = self.program.ops[op], self.builder
        every = args[row.leading :]
        shared: dict[Template, dict[int, int]] = {}
        for k, template in owed:
            if self.varies[args[k]]:
                params = row_params(row, args, k, adjoint)
                known = shared.setdefault(template, {})
                term = template.build(builder, params, every, known)
                if builder.nodes[term] != ZERO:
                    self._send(args[k], guard, term)

    def _owed(self, op: str, count: int, column: str) -> list[Debt]:
        """What an operation owes to those of its arguments that it owes something."""
        found = self.owed.get((op, count, column))
        if found is None:
            found = self.owed[op, count, column] = []
            row = self.program.ops[op]
            for k in range(count):
                ops = self.program.ops
                template = adjoint_template(row, k, count, ops, column)
                if template is not None:
                    found.append((k, template))
        return found

    def _settle(self, i: int) -> list[Term]:
        """The adjoint of node `i`, the sum of its terms, and where one of them arises.

        On paths that exclude each other the sums are computed apart.
        """
        span = self.program.spans[i]
        self.builder.span = None if span is None else _adjoint(span)
        terms = self.terms[i] or []
        self.terms[i] = None
        guard, adjoint = terms[0]
        # A derivative is asked for on every path, also by what one branch alone reads.
        is_input = self.program.nodes[i][0] == "input"
        if len(terms) == 2 and guard == terms[1][0] == ALWAYS:  # as below, for most are
            adjoint = self.builder.add("add", terms[1][1], adjoint)
        elif is_input or len(terms) > 1:
            guard = ALWAYS if is_input else self.guards.join([g for g, _ in terms])
            ways = self.guards.ways(guard)
            if self.program.nodes[i][0] in LINEAR:
                own = {*(g for g, _ in terms)}
                if 1 < len(own) <= FEW and guard not in own:
                    return [
                        (g, self._sum([t for t in terms if t[0] == g], g))
                        for g in dict.fromkeys(g for g, _ in terms)
                    ]
            if len(ways) > 1:
                return [(way, self._sum(self._on(way, terms), way)) for way in ways]
            adjoint = self._sum(terms, guard)
        return [(guard, adjoint)]

    def _on(self, way: int, terms: Sequence[Term]) -> list[Term]:
        """What some terms come to on a path."""
        guards = self.guards
        pairs = [(m, term) for g, term in terms for m in guards.members[g]]
        return [(m, term) for m, term in pairs if guards.covers(way, m)]

    def _sum(self, terms: Sequence[Term], guard: int) -> int:
        """The sum of terms under a guard, the last one first."""
        own = [term for g, term in reversed(terms) if g == guard]
        if len(own) < len(terms):
            own.append(self._lift([t for t in terms if t[0] != guard], guard))
        adjoint = own[0]
        for term in own[1:]:
            adjoint = self.builder.add("add", adjoint, term)
        return adjoint

    def _lift(self, terms: Sequence[Term], guard: int) -> int:
        """The sum of terms from inside branches, brought out of them."""
        guards, builder = self.guards, self.builder
        base = guards.common([guard, *(g for g, _ in terms)])
        zero = builder.const(0.0)
        inside: dict[int, int] = {}
        heap: list[tuple[int, int]] = []  # contexts to leave, innermost first
        for g, term in reversed(terms):
            if len(guards.members[g]) > 1:
                around = guards.common([g])
                term = builder.add("where", self._condition(g, around), term, zero)
                g = around
            self._meet(inside, heap, g, term)
        while True:
            context = heapq.heappop(heap)[1]
            if context == base:
                return inside[base]
            if context in inside:
                term = inside.pop(context)
                condition, branch = guards.literal[context]
                other = inside.pop(guards.opposite(context), zero)
                arms = (term, other) if branch else (other, term)
                lifted = builder.add("where", condition, *arms)
                self._meet(inside, heap, guards.enclosing[context], lifted)

    def _meet(
        self,
        inside: dict[int, int],
        heap: list[tuple[int, int]],
        context: int,
        term: int,
    ) -> None:
        """Add a term to what has already come out to a context."""
        known = inside.get(context)
        if known is None:
            heapq.heappush(heap, (-self.guards.depth(context), context))
            inside[context] = term
        else:
            inside[context] = self.builder.add("add", known, term)

    def _condition(self, guard: int, base: int) -> int:
        """The disjunction of a guard's contexts, as a condition inside `base`."""
        builder = self.builder
        either = -1
        failed: set[tuple[int, bool]] = set()  # what is known once the others fail
        for member in self.guards.members[guard]:
            both = -1
            way = self.guards.way(member, base)
            way = [step for step in way if step not in failed] or way[-1:]
            if len(way) == 1:
                failed.add((way[0][0], not way[0][1]))
            for condition, branch in way:
                node = condition if branch else builder.add("not", condition)
                both = node if both == -1 else builder.add("and", both, node)
            either = both if either == -1 else builder.add("or", either, both)
        return either
