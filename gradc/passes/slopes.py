"""Derivatives that a formula asks for: the reverse pass, run on a part of the program.

    %0 = input x                    %0 = input x
    %1 = sin %0                     %1 = cos %0
    %2 = const 1.0           -->    out %1
    %3 = _diff %1 %0 %2
    out %3

What lies between an expression and its variables becomes a program of its own, in which
the variables are inputs; the nodes of its derivatives are then added to the formula. A
derivative by a binding treats it as independent of what it is computed from, and two
names that happen to have one value are two variables: `lower` has wrapped what they
stand for in an operation of its own, which is the identity, and goes here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from gradc.ir import Builder, Input, Program, below, compact
from gradc.language.limits import MAX_OPS
from gradc.language.vectors import Scalars
from gradc.ops import DIFF, VARIABLE
from gradc.passes.derive import derive
from gradc.passes.resolve import resolve

WORK = 20  # steps of a loop that differentiating an operation takes as long as


def slopes(program: Program, kind: type[Builder] = Builder) -> Program:
    """Replace the derivatives of a program, and drop what tells its variables apart.

    It is grown by `kind`. A GradcError tells that the derivatives are too large.
    """
    if program.ops.plain is program.ops:
        return program
    grown = _grown(program, kind(program.ops))
    builder, new = kind(program.ops.plain), dict[int, int]()
    for i, node in enumerate(grown.nodes):
        if node[0] == VARIABLE:
            new[i] = builder.mark(new[node[1]], grown, i)
        else:
            new[i] = builder.copy(grown, i, new)
    return compact(builder.follow(program, [new[i] for i in grown.outputs]))


def _grown(program: Program, builder: Builder) -> Program:
    """The program with its derivatives, those of a call at once."""
    work, new = Scalars(builder, program.source, MAX_OPS), dict[int, int]()
    calls: dict[tuple[int, int], list[int]] = defaultdict(list)  # variables of a node
    found: dict[tuple[int, int], Mapping[int, int]] = {}
    for op, *args in program.nodes:
        if op == DIFF:
            calls[args[0], args[2]].append(args[1])
    for i, node in enumerate(program.nodes):
        if node[0] != DIFF:
            new[i] = builder.copy(program, i, new)
            continue
        _, y, x, call = node
        builder.span = program.spans[i]
        if (y, call) not in found:
            variables = [new[variable] for variable in calls[y, call]]
            part = below(builder.nodes, new[y], variables)
            work.count(WORK * len(part))
            found[y, call] = _gradient(builder, part, variables, program)
        new[i] = builder.mark(found[y, call][new[x]], program, i)
    return builder.follow(program, [new[i] for i in program.outputs])


def _gradient(
    builder: Builder, part: Sequence[int], variables: Sequence[int], program: Program
) -> Mapping[int, int]:
    """Add the derivatives of the last node of a part of a program by some variables."""
    names = {x: f"variable {x}" for x in variables}
    inner, new = Builder(builder.ops), dict[int, int]()
    for i in part:
        inner.span = builder.spans[i]
        new[i] = inner.input(names[i]) if i in names else inner.copy(builder, i, new)
    items = *program.inputs, *map(Input, names.values())
    whole = inner.finish(items, [new[part[-1]]], program.source)
    if "where" in whole.operations:  # which takes out a point, as where(x == 0, 1, ...)
        whole = resolve(whole, joins=True)
    derived = derive(whole, names.values())
    inputs, back = {("input", name): x for x, name in names.items()}, dict[int, int]()
    for i, node in enumerate(derived.nodes):
        back[i] = inputs[node] if node in inputs else builder.copy(derived, i, back)
    return dict(zip(names, [back[i] for i in derived.outputs[1:]]))
