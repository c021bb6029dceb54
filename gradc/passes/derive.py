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

A program has one row of its columns. What a row sends to a number is summed over the
rows, once for each number; a number that is the derivative of a row is not. What it
sends to an entry of another column is summed for each entry.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gradc.analysis.guards import ALWAYS, NEVER, Guards, holds
from gradc.calculus import Owed, adjoint_templates, passes_through
from gradc.errors import mistake
from gradc.ir import ZERO, Adjoint, Builder, Node, Program, Rows, arguments, compact
from gradc.language.limits import check_derivatives
from gradc.ops import AT, BY, TOTAL
from gradc.passes.expand import written_out

MOST = 100_000  # nodes above which the few that nothing reads are left in place
FEW = 4  # guards whose terms are handed on one by one
Term = tuple[int, int]  # a guard and the position of what arises under it
Way = tuple[str, tuple[int, ...]]  # from rows of a length, perhaps to entries


def derive(program: Program, wrt: Iterable[str]) -> Program:
    """Append the derivative of the first output by each of the inputs `wrt`.

    The outputs become the value, then one derivative per name, in their order.
    """
    reverse = Reverse(program, tuple(wrt))
    first, one = reverse.program.outputs[0], reverse.builder.const(1.0)
    return reverse.finish(reverse.sweep([(first, one)]))


def differentiable(program: Program) -> Program:
    """Replace every row that has no partials by what it means."""
    names = {op.name for op in program.ops if op.means_only}
    if names.isdisjoint(program.operations):
        return program
    return written_out(program, names)


def partials(program: Program, op: str, args: Sequence[int]) -> Owed:
    """What is owed to arguments of an operation, times what comes.

    `x^y` with a number for `y` has partials that need least work and keep all digits;
    where `y` varies they reuse the power.
    """
    row = program.ops[op]
    varies = row.varying and program.nodes[args[1]][0] != "const"
    return adjoint_templates(row, len(args), "varying" if varies else "partials")


class Reverse:
    """Reverse mode: the growing program, and the terms of each adjoint in a sweep."""

    def __init__(self, program: Program, wrt: tuple[str, ...]) -> None:
        self.program = program = differentiable(program)
        self.number = {name: k for k, name in enumerate(wrt)}
        self.guards = Guards(program)
        self.builder = Builder.upon(program)
        self.varies = bytearray()  # whether a derivative by a node reaches an input
        for op, *args in program.nodes:
            if op in ("const", "input"):
                self.varies.append(op == "input" and args[0] in self.number)
            else:
                through = passes_through(program.ops[op], len(args))
                self.varies.append(any([self.varies[args[k]] for k in through]))
        self.rows = Rows(self.builder.nodes, program.lengths)
        self.sums = False  # whether the derivative is of a number
        self.across: dict[int, dict[Way, list[Term]]] = {}  # to numbers, or other rows
        self.terms: dict[int, list[Term]] = {}
        self.waiting = bytearray(len(program.nodes))  # whether a node has terms

    def sweep(self, seeds: Iterable[tuple[int, int]]) -> dict[int, int]:
        """The derivatives of a sum of nodes, each times its seed, by inputs' numbers.

        Those are absent that the nodes do not depend on.
        """
        found: dict[int, int] = {}
        for i, _, adjoint in self.adjoints(seeds):
            op, *args = self.program.nodes[i]
            if op == "input":
                found[self.number[args[0]]] = adjoint
        return found

    def adjoints(self, seeds: Iterable[Term]) -> Iterator[tuple[int, int, int]]:
        """The nodes that vary, from the last one on, each with a guard and its adjoint."""
        for i, seed in seeds:
            self.sums = bool(self.rows.lengths) and not self.rows[i]
            if self.varies[i]:
                self._send(i, ALWAYS, seed)
        i = len(self.waiting)
        while (i := self.waiting.rfind(True, 0, i)) != -1:
            self.waiting[i] = False
            op, *args = self.program.nodes[i]
            terms = self.terms.pop(i)
            if i in self.across:
                terms += self._totals(i)
            for guard, adjoint in self._settle(i, op, terms):
                yield i, guard, adjoint
                if op == "where":
                    for a, branch in ((args[1], True), (args[2], False)):
                        inner = self.guards.child(guard, args[0], branch)
                        self._send(a, inner, adjoint, i)
                elif arguments(self.program.nodes[i]):
                    self._propagate(i, guard, adjoint)

    def finish(self, derivatives: Mapping[int, int]) -> Program:
        """The program with derivatives behind its values, 0 for those that are absent."""
        outputs = [*self.program.outputs[: self.program.count]]
        for k in self.number.values():
            found = derivatives.get(k)
            outputs.append(self.builder.const(0.0) if found is None else found)
        check_derivatives(self.builder, self.program.source)
        grown = self.builder.follow(self.program, outputs)
        return compact(grown) if len(grown.nodes) <= MOST else grown

    def _totals(self, i: int) -> list[Term]:
        """What the rows of columns send to a number, summed over them."""
        found, add, length = list[Term](), self.builder.add, self.builder.input
        for (n, places), terms in self.across.pop(i).items():
            op = BY if places else TOTAL
            total = add(op, self.sum(terms, ALWAYS), length(n), *places)
            found.append((ALWAYS, total))
        return found

    def _send(self, i: int, guard: int, term: int, sender: int = -1) -> None:
        """Add a term to the adjoint of node `i`, from a node."""
        if guard == NEVER or not self.varies[i] or self.builder.nodes[term] == ZERO:
            return
        self.waiting[i] = True
        terms = self.terms.setdefault(i, [])
        own = self.rows[sender] if self.sums and sender >= 0 else ""
        if own:
            op, *args = self.program.nodes[sender]
            if op == AT or own != self.rows[i]:
                way = own, (args[0], args[2]) if op == AT else ()
                terms = self.across.setdefault(i, {}).setdefault(way, [])
        terms.append((guard, term))

    def _propagate(self, i: int, guard: int, adjoint: int) -> None:
        """Send what a node owes under a guard to each of its arguments.

        Raises:
            GradcError: one that varies is an order that has no partial.
        """
        op, *args = self.program.nodes[i]
        row, shared = self.builder.ops[op], dict[Node, int]()
        for k in row.held:
            if self.varies[a := args[k]]:
                source, spans = self.program.source, self.program.spans
                nodes = self.program.nodes
                while spans[a] == spans[i] and arguments(nodes[a]):  # k/2 in a row
                    a = next(b for b in arguments(nodes[a]) if self.varies[b])
                order = source.quote(*at) if (at := spans[a]) else row.params[k]
                at = at or self.builder.span
                raise mistake("order_varies", source, at, name=row.called, order=order)
        for k, template in partials(self.program, op, args):
            if self.varies[args[k]]:
                term = template.build(self.builder, args, k, adjoint, shared)
                self._send(args[k], guard, term, i)

    def _settle(self, i: int, op: str, terms: Sequence[Term]) -> list[Term]:
        """The adjoint of a node, the sum of its terms, and where one of them arises.

        On paths that exclude each other the sums are computed apart.
        """
        span = self.program.spans[i]
        self.builder.span = span and Adjoint(span)
        # A derivative is asked for on every path, also by what one branch alone reads.
        if op == "input":
            return [(ALWAYS, self.sum(terms, ALWAYS))]
        if len(terms) == 1:
            return [*terms]
        own = dict(terms)
        guard = self.guards.join(own) if len(own) > 1 else terms[0][0]
        is_few = guard not in own and len(own) <= FEW
        if is_few and self.guards.are_apart(guard, own):
            return [(g, self.sum([t for t in terms if t[0] == g], g)) for g in own]
        return [(guard, self.sum(terms, guard))]

    def sum(self, terms: Sequence[Term], guard: int) -> int:
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
        guards, add, zero = self.guards, self.builder.add, self.builder.const(0.0)
        base = guards.common([guard, *(g for g, _ in terms)])
        inside: dict[int, int] = {}
        heap: list[tuple[int, int]] = []  # contexts to leave, innermost first
        arrived = [self._in_one(g, term) for g, term in reversed(terms)]
        while True:
            for context, term in arrived:
                heapq.heappush(heap, (-guards.depth[context], context))
                known = inside.get(context)
                inside[context] = term if known is None else add("add", known, term)
            context = heapq.heappop(heap)[1]
            if context == base:
                return inside[base]
            arrived = []
            if context in inside:
                term = inside.pop(context)
                condition, branch = guards.literal[context]
                other = inside.pop(guards.opposite(context), zero)
                arms = (term, other) if branch else (other, term)
                lifted = add("where", condition, *arms)
                arrived.append((guards.enclosing[context], lifted))

    def _in_one(self, guard: int, term: int) -> Term:
        """A term in one context: that around those of its guard, if they are several."""
        guards, add = self.guards, self.builder.add
        if len(guards.members[guard]) == 1:
            return guard, term
        around = guards.common([guard])
        ways = [guards.way(member, around) for member in guards.members[guard]]
        condition = holds(add, ways)
        return around, add("where", condition, term, self.builder.const(0.0))
