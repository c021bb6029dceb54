"""Derivatives inside a formula: the reverse pass, run on a part of the program.

What lies between an expression and its variables becomes a program of its own, in which
the variables are inputs; the nodes of its gradient are then added to the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

from gradc.errors import shape_text
from gradc.ir import Builder, Node, Program, arguments
from gradc.language.calls import Call
from gradc.language.shapes import Array, Entry, Operand, entries_of, shape_of, shaped
from gradc.language.variables import is_variable
from gradc.passes.derive import derive

WORK = 20  # steps of a loop that differentiating an operation takes as long as
MANY = 4  # results for each variable from which on all are differentiated at once


class _Part:
    """What lies between some nodes of a program and the variables."""

    def __init__(
        self, call: Call, outputs: Sequence[int], variables: Sequence[int]
    ) -> None:
        self.builder, self.source = call.size.builder, call.source
        self.names = {v: f"variable {v}" for v in variables}
        part = _between(self.builder, outputs, self.names)
        call.size.run(WORK * len(part), call.span)
        self.inner, self.new = Builder(self.builder.ops), dict[int, int]()
        for i in part:
            self.inner.span = self.builder.spans[i]
            if i in self.names:
                self.new[i] = self.inner.input(self.names[i])
            else:
                self.new[i] = _added(self.inner, self.builder.nodes[i], self.new)

    def program(self, output: int) -> Program:
        return self.inner.finish((), [output], self.source)

    def back(self, derived: Program) -> list[int]:
        """Add the derivatives to the program that the part was taken from."""
        given = {("input", name): v for v, name in self.names.items()}
        new: dict[int, int] = {}
        for i, node in enumerate(derived.nodes):
            self.builder.span = derived.spans[i]
            new[i] = given[node] if node in given else _added(self.builder, node, new)
        return [new[i] for i in derived.outputs[1:]]


def gradient(call: Call, output: Entry, variables: Sequence[int]) -> list[int]:
    """The nodes of the derivatives of an entry by some variables."""
    if not isinstance(output, int):
        return [call.size.const(0.0)] * len(variables)
    part = _Part(call, [output], variables)
    names = [part.names[v] for v in variables]
    return part.back(derive(part.program(part.new[output]), names))


def tangents(call: Call, outputs: Sequence[int], variable: int) -> list[int]:
    """The nodes of the derivatives of many nodes by one variable.

    The derivative of their weighted sum is linear in the weights, so that its own
    gradient by the weights has them all, for the work of two.
    """
    part = _Part(call, outputs, [variable])
    inner = part.inner
    weights = [f"weight {k}" for k in range(len(outputs))]
    terms = [
        inner.add("mul", inner.input(weight), part.new[output])
        for weight, output in zip(weights, outputs)
    ]
    total = reduce(lambda x, y: inner.add("add", x, y), terms)
    slope = derive(part.program(total), [part.names[variable]])
    slope = replace(slope, outputs=slope.outputs[1:])
    return part.back(derive(slope, weights))


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


def _variables(call: Call) -> list[int]:
    """The nodes that a call differentiates by."""
    found: list[int] = []
    for entry in entries_of(call.args[1]):
        if not isinstance(entry, int) or not is_variable(call.size.builder, entry):
            raise call.mistake("variable_expected", 1)
        found.append(entry)
    return found


def diff(call: Call) -> Operand:
    """The derivatives of all entries by all variables."""
    value, variables = call.args[0], _variables(call)
    entries = entries_of(value)
    shape = shape_of(value) + shape_of(call.args[1])
    if len(entries) > MANY * len(variables):
        nodes = [e if isinstance(e, int) else call.size.const(0.0) for e in entries]
        columns = [tangents(call, nodes, variable) for variable in variables]
        return shaped(shape, chain.from_iterable(zip(*columns)))
    rows = [gradient(call, entry, variables) for entry in entries]
    return shaped(shape, chain.from_iterable(rows))


def grad(call: Call) -> Operand:
    """The derivatives of a number."""
    if isinstance(call.args[0], Array):
        shape = shape_text(call.args[0].shape)
        raise call.mistake("gradient_of_array", 0, shape=shape)
    return diff(call)


def hessian(call: Call) -> Operand:
    """The second derivatives of a number; each pair of variables is met once."""
    first, variables = entries_of(grad(call)), _variables(call)
    count = len(variables)
    found: dict[tuple[int, int], Entry] = {}
    for i in range(count):
        for j, entry in enumerate(gradient(call, first[i], variables[i:]), start=i):
            found[i, j] = found[j, i] = entry
    shape = shape_of(call.args[1])
    return shaped(
        shape + shape, [found[i, j] for i in range(count) for j in range(count)]
    )


COMPUTE: Mapping[str, Callable[[Call], Operand]] = {
    "diff": diff,
    "grad": grad,
    "jacobian": diff,
    "hessian": hessian,
}
