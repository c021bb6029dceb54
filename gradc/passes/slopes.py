"""Derivatives that a formula asks for, each of a part of the program.

    %0 = input x                    %0 = input x
    %1 = sin %0                     %1 = cos %0
    %2 = _diff %1 %0         -->    out %1
    out %2

What lies between expressions and their variables becomes a program of its own, in which
the variables are inputs; the nodes of its derivatives are then added to the formula. A
derivative by a binding treats it as independent of what it is computed from, and two
names that happen to have one value are two variables: `lower` has wrapped what they
stand for in an operation of its own, which is the identity, and goes here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradc.errors import Source, mistake
from gradc.ir import Builder, Program, arguments, compact
from gradc.language.limits import MAX_NODES, MAX_STEPS
from gradc.ops import DIFF, VARIABLE
from gradc.passes.derive import derive
from gradc.passes.matrices import jacobian

WORK = 20  # steps of a loop that differentiating an operation takes as long as
MANY = 4  # results for each variable from which on all are differentiated at once

Pair = tuple[int, int]  # a node, and a variable that it is differentiated by


def slopes(program: Program, kind: type[Builder] = Builder) -> Program:
    """Replace the derivatives of a program, and drop what tells its variables apart.

    Arguments:
        kind: what grows the program, for one to which no identity is applied.

    Raises:
        GradcError: the derivatives are too large.
    """
    if program.ops.plain is program.ops:
        return program
    grown = _grown(program, kind(program.ops))
    builder, new = kind(program.ops.plain), dict[int, int]()
    for i, node in enumerate(grown.nodes):
        if node[0] == VARIABLE:
            new[i] = new[node[1]]
            if i in grown.names:
                builder.name(new[i], grown.names[i])
        else:
            new[i] = builder.copy(grown, i, new)
    return compact(builder.follow(program, [new[i] for i in grown.outputs]))


def _grown(program: Program, builder: Builder) -> Program:
    """The program with its derivatives, each behind what it is of."""
    nodes, new, steps = program.nodes, dict[int, int](), 0
    for i, node in enumerate(nodes):
        if node[0] != DIFF:
            new[i] = builder.copy(program, i, new)
        elif i not in new:  # with those behind it that wait for none of each other
            last = i
            while last < len(nodes) and nodes[last][0] == DIFF and nodes[last][1] < i:
                last += 1
            pairs = [(new[y], new[x]) for _, y, x in nodes[i:last]]
            builder.span, found = program.spans[i], dict[Pair, int]()
            for some in _groups(pairs):
                part = _between(builder, some)
                steps += WORK * len(part)
                _check(steps, builder, program.source)
                found |= _derivatives(builder, part, some, program.source)
            for k, pair in enumerate(pairs, i):
                new[k] = found[pair]
                if k in program.names:
                    builder.name(new[k], program.names[k])
    return builder.follow(program, [new[i] for i in program.outputs])


def _groups(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """What is differentiated at once: a node, or all if they are many."""
    groups: dict[int, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair[0], []).append(pair)
    if len(groups) > MANY * len({x for _, x in pairs}):
        return [[*pairs]]
    return [*groups.values()]


def _check(steps: int, builder: Builder, source: Source) -> None:
    """Refuse derivatives of very much."""
    if steps > MAX_STEPS:
        raise mistake("too_many_steps", source, builder.span, limit=MAX_STEPS)
    if len(builder) > MAX_NODES:
        raise mistake("program_too_large", source, builder.span, limit=MAX_NODES)


def _between(builder: Builder, pairs: Sequence[Pair]) -> list[int]:
    """The nodes that some need, in order, up to the variables."""
    found, variables = {y for y, _ in pairs}, {x for _, x in pairs}
    stack = [*found]
    while stack:
        i = stack.pop()
        if i not in variables:
            new = {*arguments(builder.nodes[i])} - found
            found |= new
            stack += new
    return sorted(found)


def _derivatives(
    builder: Builder, part: Sequence[int], pairs: Sequence[Pair], source: Source
) -> Mapping[Pair, int]:
    """Add the derivatives of a part of a program by its variables."""
    ys, xs = (list(dict.fromkeys(nodes)) for nodes in zip(*pairs))
    names = {x: f"variable {x}" for x in xs}
    inner, new = Builder(builder.ops), dict[int, int]()
    for i in part:
        inner.span = builder.spans[i]
        new[i] = inner.input(names[i]) if i in names else inner.copy(builder, i, new)
    formula = inner.finish((), [new[y] for y in ys], source)
    entries: Mapping[Pair, int]
    if len(ys) == 1:
        derived = derive(formula, names.values())
        entries = {(0, column): 1 + column for column in range(len(xs))}
    else:
        derived, entries = jacobian(formula, [*names.values()])
    inputs, back = {("input", name): x for x, name in names.items()}, dict[int, int]()
    for i, node in enumerate(derived.nodes):
        back[i] = inputs[node] if node in inputs else builder.copy(derived, i, back)
    found = dict.fromkeys(pairs, builder.const(0.0))
    for (row, column), k in entries.items():
        found[ys[row], xs[column]] = back[derived.outputs[k]]
    return found
