"""Forward mode: push tangents from the inputs through the program.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = sin %1                      %2 = sin %1
    %3 = mul %0 %2          -->      %3 = mul %0 %2
    out %3                           %4 = cos %1
                                     %5 = mul %0 %4
                                     tangents of %3: %2 by x, %5 by y

A node has a tangent along each direction that changes it, and no other: zeros are
absent, so that a sparse derivative costs what is in it. The terms are those of reverse
mode, the table's partials times what arrives, and a minus sign that arrives is taken
along, so that opposite tangents are one node. The tangent of a `where` is a `where`,
inside whose branches derivatives are plain.

Along many directions it is cheaper to go in stages. What a long chain of operations
computes from one number b is differentiated by b once, and then times the tangent of b
along each direction. So a node first has derivatives by such bases. It is a base itself
where several of them meet in a factor or in the argument of a function, not in a sum,
and at a `where`, because nothing outside may need what only a branch computes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from gradc.calculus import Template, adjoint_template, row_params
from gradc.ir import Adjoint, Builder, Node, Program, arguments, live
from gradc.language.limits import check_entries
from gradc.passes.columns import Columns
from gradc.passes.derive import ZERO

Tangents = Mapping[int, int]  # the tangent of a node by direction, or by base

_LINEAR = frozenset({"add", "sub", "neg"})
_SEVERAL: Tangents = {-1: -1}  # of a sum that has several bases, which its terms know


def push(
    builder: Builder,
    program: Program,
    seeds: Mapping[str, Tangents],
    wanted: Sequence[int],
    staged: bool = False,
    limit: float = math.inf,
) -> list[Tangents] | None:
    """Add the tangents of some nodes to a program.

    Returns them, None if there would be more nodes than `limit`.

    Arguments:
        builder: goes on from the program.
        program: every row in it has partials (`differentiable`).
        seeds: the tangents of the inputs, none for an input that no direction changes.
        wanted: the nodes.
        staged: differentiate by bases first.
        limit: a number of nodes at which another way has turned out to be cheaper.
    """
    forward = _Staged if staged else _Forward
    return forward(builder, program, seeds).run(wanted, limit)


class _Forward:
    """Forward mode: the tangents of all nodes by direction."""

    def __init__(
        self, builder: Builder, program: Program, seeds: Mapping[str, Tangents]
    ) -> None:
        self.builder = builder
        self.program = program
        self.seeds = seeds
        self.tangents: list[Tangents] = []
        self.templates: dict[tuple[str, int, str], list[Template | None]] = {}
        self.columns = Columns(program, builder)

    def run(self, wanted: Sequence[int], limit: float) -> list[Tangents] | None:
        needed, entries = live(self.program.nodes, wanted), 0
        for i, node in enumerate(self.program.nodes):
            if len(self.builder) > limit:
                return None
            span = self.program.spans[i]
            self.builder.span = None if span is None else Adjoint(span[0], span[1])
            if node[0] == "input":
                self.tangents.append(self._seeded(i, node[1]))
            elif not needed[i] or not any([self.tangents[a] for a in arguments(node)]):
                self.tangents.append({})
            elif node[0] == "where":
                self.tangents.append(self._chosen(i, node))
            else:
                self.tangents.append(self._pushed(node))
                entries += len(self.tangents[-1])
                check_entries(entries, self.program.source)
        return [self._along(i) for i in wanted]

    def _seeded(self, i: int, name: str) -> Tangents:
        return self.seeds.get(name, {})

    def _along(self, i: int) -> Tangents:
        """The tangents of a node by direction."""
        return self.tangents[i]

    def _chosen(self, i: int, node: Node) -> Tangents:
        """The tangents of a `where`: those of the side that is taken."""
        builder = self.builder
        yes, no = self._along(node[2]), self._along(node[3])
        zero = builder.const(0.0)
        return {
            d: builder.add("where", node[1], yes.get(d, zero), no.get(d, zero))
            for d in {**yes, **no}
        }

    def _pushed(self, node: Node) -> Tangents:
        """The tangents of an operation, sums of what its arguments send."""
        op, *args = node
        row, builder = self.program.ops[op], self.builder
        every = args[row.leading :] if row.variadic else ()
        found: dict[int, int] = {}
        for k, (a, template) in enumerate(zip(args, self._partials(op, args))):
            if template is None:
                continue
            for d, tangent in self.tangents[a].items():
                minus = builder.nodes[tangent][0] == "neg"
                arrives = builder.nodes[tangent][1] if minus else tangent
                params = row_params(row, args, k, arrives)
                term = template.build(builder, params, every)
                self._add(found, d, builder.add("neg", term) if minus else term)
        return {d: term for d, term in found.items() if builder.nodes[term] != ZERO}

    def _add(self, found: dict[int, int], key: int, term: int) -> None:
        """Add a term to a tangent."""
        known = found.get(key)
        if self.builder.nodes[term] != ZERO:
            found[key] = term if known is None else self.builder.add("add", known, term)

    def _partials(self, op: str, args: Sequence[int]) -> Sequence[Template | None]:
        """What the arguments of an operation send, times the tangent that arrives."""
        count, column = len(args), self.columns.of(op, args)
        found = self.templates.get((op, count, column))
        if found is None:
            ops = self.program.ops
            row = ops[op]
            found = [adjoint_template(row, k, count, ops, column) for k in range(count)]
            self.templates[op, count, column] = found
        return found


class _Staged(_Forward):
    """Forward mode in stages: `tangents` are by base, those of a base by direction."""

    def __init__(
        self, builder: Builder, program: Program, seeds: Mapping[str, Tangents]
    ) -> None:
        super().__init__(builder, program, seeds)
        self.bases: dict[int, Tangents] = {}
        self.directed: dict[int, dict[int, int]] = {}  # those of nodes by direction
        self.readers = Counter(a for node in program.nodes for a in arguments(node))
        self.readers.update(program.outputs)
        self.one = builder.const(1.0)

    def _seeded(self, i: int, name: str) -> Tangents:
        if name not in self.seeds:
            return {}
        self.bases[i] = self.seeds[name]
        return {i: self.one}

    def _chosen(self, i: int, node: Node) -> Tangents:
        self.bases[i] = super()._chosen(i, node)
        return {i: self.one} if self.bases[i] else {}

    def _pushed(self, node: Node) -> Tangents:
        if node[0] in _LINEAR:
            bases = {base for a in node[1:] for base in self.tangents[a]}
            several = len(bases) > 1 or not bases.isdisjoint(_SEVERAL)
            return _SEVERAL if several else super()._pushed(node)
        for a in arguments(node):
            if self.tangents[a] is _SEVERAL:
                self.bases[a] = self._along(a)
                self.tangents[a] = {a: self.one}
        return super()._pushed(node)

    def _along(self, i: int) -> Tangents:
        stack = [i]
        while stack:
            j = stack[-1]
            terms = self._terms(j)
            waiting = [a for a in terms if a not in self.directed]
            stack += waiting
            if not waiting:
                stack.pop()
                if j not in self.directed:
                    bases = self.tangents[j]
                    self.directed[j] = (
                        self._summed(j) if terms else self._expanded(bases)
                    )
        return self.directed[i]

    def _terms(self, i: int) -> tuple[int, ...]:
        """The terms of a sum that has several bases, none of any other node."""
        is_sum = self.tangents[i] is _SEVERAL
        return arguments(self.program.nodes[i]) if is_sum else ()

    def _summed(self, i: int) -> dict[int, int]:
        """The tangents of a sum, each term of which may be in other sums as well."""
        op, first, *others = self.program.nodes[i]
        if op == "neg":
            known = self.directed[first].items()
            return {d: self.builder.add("neg", term) for d, term in known}
        found = self.directed[first]
        if self.readers[first] > 1:
            found = dict(found)
        for d, term in self.directed[others[0]].items():
            self._add(found, d, self.builder.add("neg", term) if op == "sub" else term)
        return found

    def _expanded(self, bases: Tangents) -> dict[int, int]:
        """Tangents by direction, from those by base."""
        builder = self.builder
        found: dict[int, int] = {}
        for base, slope in bases.items():
            for d, tangent in self.bases[base].items():
                minus = builder.nodes[tangent][0] == "neg"
                other = builder.nodes[tangent][1] if minus else tangent
                term = builder.add("mul", slope, other)
                self._add(found, d, builder.add("neg", term) if minus else term)
        return {d: term for d, term in found.items() if builder.nodes[term] != ZERO}
