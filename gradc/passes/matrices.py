"""Jacobian, Hessian and their products with a vector: forward and reverse mode.

Forward mode pushes tangents from the inputs through the program:

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

A Jacobian is accumulated row by row in reverse mode or column by column in forward mode,
whichever makes fewer operations; a Hessian forward over reverse, where an entry and the
one opposite are the same node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress, product

from gradc.errors import mistake
from gradc.ir import CALL, ZERO, Adjoint, Builder, Input, Program, arguments, compact
from gradc.ir import live, states, tail, varying
from gradc.language.limits import check_derivatives
from gradc.ops import AT, REDUCTIONS, TOTAL
from gradc.passes.backward import Backward, is_reversible
from gradc.passes.cancel import cancel
from gradc.passes.derive import Reverse, derive, differentiable, partials
from gradc.passes.split import of_interest

Place = tuple[int, int]  # row and column
Entries = Mapping[Place, int]  # the output that is the entry at a place
Derived = tuple[Program, Entries]
FEW = 4  # inputs of a state for which forward mode is looked at
Tangents = Mapping[int, int]  # the tangent of a node by direction


def jacobian(program: Program, wrt: Sequence[str]) -> Derived:
    """Append the derivatives of all outputs by the inputs `wrt`.

    Returns a program whose outputs are the values and then the entries, and what stands
    where: a row for each value and a column for each input.
    """
    if states(program):
        return _stateful(program, wrt)
    reverse, cells = Reverse(program, tuple(wrt)), dict[Place, int]()
    program, one = reverse.program, reverse.builder.const(1.0)

    def swept(k: int) -> None:
        """Make the derivatives of an output in reverse mode."""
        found = reverse.sweep([(program.outputs[k], one)])
        cells.update({(k, column): adjoint for column, adjoint in found.items()})
        check_derivatives(reverse.builder, program.source, len(cells))

    either, is_columnar = [*range(len(program.outputs))], bool(program.lengths)
    if is_columnar:  # a number has one row of derivatives, and is made of many
        either = [k for k in either if program.rows[program.outputs[k]]]
        for k in sorted({*range(len(program.outputs))} - {*either}):
            swept(k)
    forward = Forward(reverse.builder.follow(program, program.outputs))
    pushed = forward.along(wrt, [program.outputs[k] for k in either])
    placed = {(either[k], column): t for (k, column), t in pushed.items()}
    found = _assembled(forward.builder, program, cells | placed)
    if is_columnar and any([_has_sums(reverse, wrt, k) for k in either]):
        return found
    for k in either:
        swept(k)
    other = _assembled(reverse.builder, program, cells)
    return min(other, found, key=lambda pair: pair[0].cost)


def hessian(program: Program, wrt: Sequence[str], strict: bool = False) -> Derived:
    """Append gradient and Hessian of the only output by `wrt`.

    Returns a program whose outputs are the value, the gradient and the entries, and what
    stands where.

    Arguments:
        strict: whether nothing may cancel in the gradient before it is differentiated.
    """
    forward = Forward(_gradient(program, wrt, strict))
    found = forward.along(wrt, forward.program.outputs[1:])
    upper = {(i, j): tangent for (i, j), tangent in found.items() if i <= j}
    lower = {(j, i): tangent for (i, j), tangent in upper.items()}
    return _assembled(forward.builder, forward.program, upper | lower)


def jvp(
    program: Program, wrt: Sequence[str], vector: Sequence[Input], first: int = 0
) -> Program:
    """Append the Jacobian times a vector, in forward mode.

    Arguments:
        wrt: the inputs to differentiate by.
        vector: the inputs that are its elements, one for each of `wrt`.
        first: the output from which on tangents are returned.
    """
    forward = Forward(program)
    program, builder = forward.program, forward.builder
    seeds = {name: {0: builder.input(v.name)} for name, v in zip(wrt, vector)}
    zero = builder.const(0.0)
    tangents = forward.push(seeds, program.outputs[first:])
    products = [tangent.get(0, zero) for tangent in tangents]
    outputs = [*program.outputs[: program.count], *products]
    found = compact(builder.follow(program, outputs))
    return replace(found, inputs=(*found.inputs, *vector))


def hvp(
    program: Program, wrt: Sequence[str], vector: Sequence[Input], strict: bool = False
) -> Program:
    """Append the Hessian times a vector, forward over reverse mode.

    The arguments are those of `jvp` and `hessian`.
    """
    return jvp(_gradient(program, wrt, strict), wrt, vector, first=1)


def vjp(program: Program, wrt: Sequence[str], vector: Sequence[Input]) -> Program:
    """Append a vector times the Jacobian, in reverse mode.

    Arguments:
        wrt: the inputs to differentiate by.
        vector: the inputs that are its elements, one for each output.
    """
    reverse = Reverse(program, tuple(wrt))
    weights = [reverse.builder.input(item.name) for item in vector]
    found = reverse.finish(reverse.sweep(zip(reverse.program.outputs, weights)))
    return replace(found, inputs=(*found.inputs, *vector))


def _gradient(program: Program, wrt: Sequence[str], strict: bool) -> Program:
    first = derive(program, wrt)
    return first if strict else cancel(first)


def _has_sums(reverse: Reverse, wrt: Sequence[str], k: int) -> bool:
    """Whether a row of an output depends on sums over rows that vary.

    Raises:
        GradcError: it depends on the entries of a column in other rows.
    """
    program = reverse.program
    output = program.outputs[k]
    alive = [*compress(range(len(program.nodes)), live(program.nodes, [output]))]
    sums = [i for i in alive if program.nodes[i][0] in REDUCTIONS]
    columns = varying(program.nodes, program.lengths.keys() & {*wrt})
    if any([columns[i] for i in sums]) or _are_several(program, alive, columns):
        span = program.spans[output] or (0, 0)
        raise mistake("column_by_column", program.source, span)
    return any([reverse.varies[i] for i in sums])


def _stateful(program: Program, wrt: Sequence[str]) -> Derived:
    """The Jacobian of a formula with states, whose derivatives are further states.

    That of a number is accumulated forward or in reverse, whichever makes fewer
    operations; forward for few inputs alone.

    Raises:
        GradcError: it is by a column.
    """
    if program.lengths.keys() & {*wrt}:
        span = program.spans[program.outputs[0]] or (0, 0)
        raise mistake("column_by_column", program.source, span)
    program = differentiable(program)
    program = of_interest(program, program.outputs[: program.count])
    count = sum(map(len, _reach(program, wrt))) - len(wrt)  # of further states
    found = list[Derived]()
    if count and is_reversible(program):
        back = Backward(program, wrt)
        found.append(_assembled(back.builder, back.program, back.cells, back.made))
    if not found or count <= FEW * len(states(program)):
        found.append(_along_states(program, wrt))
    return min(found, key=lambda pair: pair[0].cost + CALL * len(states(pair[0])))


def _along_states(program: Program, wrt: Sequence[str]) -> Derived:
    """Forward mode through states: each has one further state for each input."""
    forward = Forward(program)
    program, builder = forward.program, forward.builder
    one, zero = builder.const(1.0), builder.const(0.0)
    seeds: dict[str, dict[int, int]] = {name: {k: one} for k, name in enumerate(wrt)}
    further = list[Input]()
    reach = _reach(program, wrt)
    for item, (k, by) in product(program.inputs, enumerate(wrt)):
        name = item.of or item.name
        if name in reach[k] - {by}:
            of = f"d_{name}/{by}"
            new = replace(
                item, name=of + item.name.removeprefix(name), of=item.of and of
            )
            further.append(new)
            seeds.setdefault(item.name, {})[k] = builder.input(new.name)
    pushed, made = forward.push(seeds, program.outputs), tail(program)
    values = program.outputs[: len(pushed) - len(made)]
    sent = dict(zip(made, pushed[len(values) :]))
    for state, (k, reached) in product(states(program), enumerate(reach)):
        if state.item.name in reached:
            made += [sent[i].get(k, zero) for i in state.nodes]
    cells = {
        (i, k): t for i, row in enumerate(pushed[: len(values)]) for k, t in row.items()
    }
    whole = replace(program, outputs=values, inputs=(*program.inputs, *further))
    return _assembled(builder, whole, cells, made)


def _reach(program: Program, wrt: Sequence[str]) -> list[set[str]]:
    """Which states depend on inputs, for each of these."""
    found = list[set[str]]()
    for name in wrt:
        reached, new = set[str](), {name}
        while new - reached:
            reached |= new
            moved = {i.name for i in program.inputs if (i.of or i.name) in reached}
            varies = varying(program.nodes, moved)
            own = states(program)
            new = {s.item.name for s in own if any([varies[i] for i in s.nodes])}
        found.append(reached)
    return found


def _are_several(
    program: Program, nodes: Iterable[int], columns: Sequence[int]
) -> bool:
    """Whether some nodes read several entries of one of some columns in a row."""
    reads = {
        (a, args[0] if op == AT else -1)  # where it is read, -1 in its own row
        for op, *args in [program.nodes[i] for i in nodes]
        for a in (args if op not in ("const", "input") else ())
        if columns[a] and program.nodes[a][0] == "input"
    }
    return len({a for a, _ in reads}) < len(reads)


def _assembled(
    builder: Builder,
    program: Program,
    cells: Mapping[Place, int],
    made: Sequence[int] = (),
) -> Derived:
    """The program with the cells that are not zero as further outputs, before states."""
    number: dict[int, int] = {}  # of the output that a node is
    entries: dict[Place, int] = {}
    for place in sorted(cells):
        node = cells[place]
        if builder.nodes[node] != ZERO:
            entries[place] = number.setdefault(node, len(program.outputs) + len(number))
    check_derivatives(builder, program.source)
    outputs = [*program.outputs, *number, *made]
    return compact(builder.follow(program, outputs)), entries


class Forward:
    """Forward mode: the growing program, and the tangents of all nodes by direction."""

    def __init__(self, program: Program) -> None:
        self.program = differentiable(program)
        self.builder = Builder.upon(self.program)
        self.tangents: list[Tangents] = []

    def along(self, wrt: Sequence[str], wanted: Sequence[int]) -> dict[Place, int]:
        """The derivatives of some nodes, a row each, by inputs, a column each."""
        one = self.builder.const(1.0)
        seeds = {name: {column: one} for column, name in enumerate(wrt)}
        rows = enumerate(self.push(seeds, wanted))
        return {(i, j): tangent for i, row in rows for j, tangent in row.items()}

    def push(
        self, seeds: Mapping[str, Tangents], wanted: Sequence[int]
    ) -> list[Tangents]:
        """Add the tangents of some nodes to the program, and return them.

        Arguments:
            seeds: the tangents of the inputs, none for one that no direction changes.
            wanted: the nodes.
        """
        needed, entries = live(self.program.nodes, wanted), 0
        for i, node in enumerate(self.program.nodes):
            span, found = self.program.spans[i], dict[int, int]()
            self.builder.span = span and Adjoint(span)
            if node[0] == "input":
                found |= seeds.get(node[1], {})
            elif needed[i] and any([self.tangents[a] for a in arguments(node)]):
                op, *args = node
                found = self._chosen(*args) if op == "where" else self._sent(op, args)
                if op == AT:
                    found = {d: self._read(t, *args) for d, t in found.items()}
                if op in REDUCTIONS:
                    add, n = self.builder.add, args[1]
                    found = {d: add(TOTAL, t, n) for d, t in found.items()}
                entries += len(found)
                check_derivatives(self.builder, self.program.source, entries)
            self.tangents.append(found)
        return [self.tangents[i] for i in wanted]

    def _chosen(self, condition: int, x: int, y: int) -> dict[int, int]:
        """The tangents of a `where`: those of the side that is taken."""
        yes, no, zero = self.tangents[x], self.tangents[y], self.builder.const(0.0)
        ways = {d: (yes.get(d, zero), no.get(d, zero)) for d in {**yes, **no}}
        return {d: self.builder.add("where", condition, *w) for d, w in ways.items()}

    def _read(self, tangent: int, k: int, _: int, j: int) -> int:
        """The tangent of an entry of another column; it is 1 by the entry itself."""
        is_column = self.builder.nodes[tangent][0] == "input"
        return self.builder.add(AT, k, tangent, j) if is_column else tangent

    def _sent(self, op: str, args: Sequence[int]) -> dict[int, int]:
        """The tangents of an operation, sums of what its arguments send."""
        builder, add, found = self.builder, self.builder.add, dict[int, int]()
        for k, template in partials(self.program, op, args):
            for d, tangent in self.tangents[args[k]].items():
                minus = builder.nodes[tangent][0] == "neg"
                arrives = builder.nodes[tangent][1] if minus else tangent
                term = template.build(builder, args, k, arrives)
                term = add("neg", term) if minus else term
                if builder.nodes[term] != ZERO:
                    known = found.get(d)
                    found[d] = term if known is None else add("add", known, term)
        return {d: term for d, term in found.items() if builder.nodes[term] != ZERO}
