"""Derivatives that a formula asks for: the reverse pass, run on a part of the program.

    %0 = input x                    %0 = input x
    %1 = sin %0                     %1 = cos %0
    %2 = _diff %1 %0         -->    out %1
    out %2

What lies between an expression and its variables becomes a program of its own, in which
the variables are inputs; the nodes of its derivatives are then added to the formula. A
derivative by a binding treats it as independent of what it is computed from, and two
names that happen to have one value are two variables: `lower` has wrapped what they
stand for in an operation of its own, which is the identity, and goes here.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from gradc.errors import mistake
from gradc.ir import Builder, Node, Program, arguments, compact
from gradc.language.limits import MAX_NODES, MAX_STEPS
from gradc.ops import DIFF, VARIABLE
from gradc.passes.derive import derive

WORK = 20  # steps of a loop that differentiating an operation takes as long as
MANY = 4  # results for each variable from which on all are differentiated at once


def slopes(program: Program, kind: type[Builder] = Builder) -> Program:
    """Replace the derivatives of a program, and drop what tells its variables apart.

    Arguments:
        kind: what grows the program, for one to which no identity is applied.

    Raises:
        GradcError: the derivatives are too large.
    """
    if program.ops.plain is program.ops:
        return program
    grown = _Slopes(program, kind).grown()
    builder, new = kind(program.ops.plain), list[int]()
    for i, node in enumerate(grown.nodes):
        if node[0] == VARIABLE:
            new.append(new[node[1]])
            if i in grown.names:
                builder.name(new[i], grown.names[i])
        else:
            new.append(builder.copy(grown, i, new))
    return compact(builder.follow(program, [new[i] for i in grown.outputs]))


class _Slopes:
    """Grows a program with its derivatives; `new` maps the old positions to its own."""

    def __init__(self, program: Program, kind: type[Builder]) -> None:
        self.program, self.builder = program, kind(program.ops)
        self.new: dict[int, int] = {}
        self.steps = 0

    def grown(self) -> Program:
        """The program, each derivative behind what it is of."""
        for i, node in enumerate(self.program.nodes):
            if node[0] != DIFF:
                self.new[i] = self.builder.copy(self.program, i, self.new)
            elif i not in self.new:
                self._replace(i)
        outputs = [self.new[i] for i in self.program.outputs]
        return self.builder.follow(self.program, outputs)

    def _replace(self, first: int) -> None:
        """Add the derivatives from one on that wait for none of each other."""
        nodes, columns, rows = self.program.nodes, dict[int, int](), dict[int, int]()
        last = first
        while last < len(nodes) and nodes[last][0] == DIFF and nodes[last][1] < first:
            _, y, x = nodes[last]
            rows[y], columns[x] = self.new[y], self.new[x]
            last += 1
        self.builder.span = self.program.spans[first]
        found: dict[tuple[int, int], int] = {}
        if len(rows) > MANY * len(columns):
            for x in columns.values():
                slopes = self._tangents([*rows.values()], x)
                found |= {(y, x): d for y, d in zip(rows.values(), slopes)}
        else:
            for old, y in rows.items():
                by = [self.new[n[2]] for n in nodes[first:last] if n[1] == old]
                found |= {(y, x): d for x, d in zip(by, self._gradient(y, by))}
        for i in range(first, last):
            self.new[i] = found[self.new[nodes[i][1]], self.new[nodes[i][2]]]
            if i in self.program.names:
                self.builder.name(self.new[i], self.program.names[i])

    def _gradient(self, y: int, variables: Sequence[int]) -> list[int]:
        """The derivatives of a node by some variables."""
        part = self._part([y], variables)
        names = [part.names[x] for x in variables]
        return part.back(derive(part.program(part.new[y]), names))

    def _tangents(self, ys: Sequence[int], variable: int) -> list[int]:
        """The derivatives of many nodes by one variable.

        The derivative of their weighted sum is linear in the weights, so that its own
        gradient by the weights has them all, for the work of two.
        """
        part = self._part(ys, [variable])
        inner = part.inner
        weights = [f"weight {k}" for k in range(len(ys))]
        terms = [
            inner.add("mul", inner.input(weight), part.new[y])
            for weight, y in zip(weights, ys)
        ]
        total = reduce(lambda x, y: inner.add("add", x, y), terms)
        slope = derive(part.program(total), [part.names[variable]])
        slope = replace(slope, outputs=slope.outputs[1:])
        return part.back(derive(slope, weights))

    def _part(self, outputs: Sequence[int], variables: Sequence[int]) -> _Part:
        """What lies between some nodes and the variables, unless all is too large."""
        source, span = self.program.source, self.builder.span
        part = _Part(self.builder, outputs, variables, self.program)
        self.steps += WORK * len(part.new)
        if self.steps > MAX_STEPS:
            raise mistake("too_many_steps", source, span, limit=MAX_STEPS)
        if len(self.builder) > MAX_NODES:
            raise mistake("program_too_large", source, span, limit=MAX_NODES)
        return part


class _Part:
    """What lies between some nodes of a program and the variables."""

    def __init__(
        self,
        builder: Builder,
        outputs: Sequence[int],
        variables: Sequence[int],
        program: Program,
    ) -> None:
        self.builder, self.source = builder, program.source
        self.names = {x: f"variable {x}" for x in variables}
        self.inner, self.new = Builder(builder.ops), dict[int, int]()
        for i in _between(builder, outputs, self.names):
            self.inner.span = builder.spans[i]
            if i in self.names:
                self.new[i] = self.inner.input(self.names[i])
            else:
                self.new[i] = _added(self.inner, builder.nodes[i], self.new)

    def program(self, output: int) -> Program:
        return self.inner.finish((), [output], self.source)

    def back(self, derived: Program) -> list[int]:
        """Add the derivatives to the program that the part was taken from."""
        given = {("input", name): x for x, name in self.names.items()}
        new: dict[int, int] = {}
        for i, node in enumerate(derived.nodes):
            self.builder.span = derived.spans[i]
            new[i] = given[node] if node in given else _added(self.builder, node, new)
        return [new[i] for i in derived.outputs[1:]]


def _between(
    builder: Builder, outputs: Sequence[int], variables: Container[int]
) -> list[int]:
    """The nodes that some outputs need, in order, up to the variables."""
    found = set(outputs)
    stack = list(found)
    while stack:
        i = stack.pop()
        if i not in variables:
            new = set(arguments(builder.nodes[i])) - found
            found |= new
            stack += new
    return sorted(found)


def _added(builder: Builder, node: Node, new: Mapping[int, int]) -> int:
    """The node of another program, added to this one."""
    op, *rest = node
    if op == "const":
        return builder.const(rest[0])
    if op == "input":
        return builder.input(rest[0])
    return builder.add(op, *[new[a] for a in rest])
