"""Write rows out as the steps that compute them, so that they share their parts.

    %0 = input x                     %0 = input x
    %1 = softplus %0                 %1 = const 0.0
    %2 = sigmoid %0                  %2 = ge %0 %1
    out %1 %2                        %3 = neg %0
                           -->       %4 = exp %3
                                     ...
                                     %9 = where %2 %6 %8
                                     ...
                                     out %9 %14

A row that the table gives a meaning and no spelling would be a call of a function; its
value and its derivative, which are other rows, would each compute the same exponential.
The meaning is all that computes it, so `strict` compilation runs the pass as well. So it
is with the terms of `sumexp`, if it has few arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

from gradc.analysis.ranges import Ranges
from gradc.calculus import meaning_template
from gradc.ir import Builder, Node, Program

SUM = "sumexp"  # of exponentials, whose steps are its terms
ORDERLESS = frozenset({"max", "min", SUM})  # in the arguments from `x` on
LOGISTIC = frozenset({"sigmoid", "softplus"})  # whose steps choose by the sign
FEW = 8  # arguments of what is written out term by term
LARGE = 700.0  # exp(LARGE) and its inverse are ordinary numbers


def expand(program: Program, strict: bool = False) -> Program:
    """Return a program in which every row has a spelling."""
    names = {op.name for op in program.ops if op.is_written_out} | {SUM}
    while not names.isdisjoint(program.operations):
        written = [
            node[0] in names and (node[0] != SUM or len(node) <= FEW + 2)
            for node in program.nodes
        ]
        if not any(written):
            break
        program = _expanded(program, written, strict)
    return program


def _expanded(program: Program, written: Sequence[bool], strict: bool) -> Program:
    """Write some nodes out; their steps may be rows with steps in their turn.

    Where the last bits may differ, max(x, y) is max(y, x), and steps that the domains
    exclude are left out.
    """
    builder, new = Builder(program.ops), list[int]()
    ranges = Ranges(builder, program.inputs)
    ramps = {
        _signed(program.nodes, node[1])
        for node in program.nodes
        if node[0] == "softplus"
    }
    first: dict[tuple[int | str, ...], int] = {}  # of those in another order
    for i, (op, *args) in enumerate(program.nodes):
        if not written[i]:
            j = builder.copy(program, i, new)
        else:
            builder.span = program.spans[i]
            j = _stepped(builder, op, [new[a] for a in args])
            if op in LOGISTIC and builder.nodes[j][0] == "where" and not strict:
                x, opposite = _signed(program.nodes, args[0])
                used = [(x, side) in ramps for side in (opposite, not opposite)]
                j = _chosen(builder, ranges, j, used)
            builder.label(j, program.spans[i])
            if i in program.names:
                builder.name(j, program.names[i])
        if op in ORDERLESS and not strict:
            start, inner = program.ops[op].leading, [new[a] for a in args]
            j = first.setdefault((op, *inner[:start], *sorted(inner[start:])), j)
        new.append(j)
    return builder.follow(program, [new[i] for i in program.outputs])


def _stepped(builder: Builder, op: str, args: Sequence[int]) -> int:
    """The steps of an operation."""
    row, add = builder.ops[op], builder.add
    if op == SUM:
        (level, *others), one = args, builder.const(1.0)
        terms = [
            one if a == level else add("exp", add("sub", a, level)) for a in others
        ]
        return reduce(partial(add, "add"), terms)
    return meaning_template(row).build(builder, args)


def _signed(nodes: Sequence[Node], x: int) -> tuple[int, bool]:
    """A node as another one and whether it is the opposite of that."""
    return (nodes[x][1], True) if nodes[x][0] == "neg" else (x, False)


def _chosen(builder: Builder, ranges: Ranges, found: int, ramps: Sequence[bool]) -> int:
    """A choice by x >= 0 between two ways to write one function, by exp(-x) or exp(x).

    In a moderate domain either will do: that of softplus(x) or softplus(-x) if the
    program has one of them (`ramps`), or else the same one for x and -x. A choice by
    -z >= 0 is read as one by z >= 0, so that the steps of sigmoid(-z) stand in the
    branches of those of sigmoid(z).
    """
    _, condition, yes, no = builder.nodes[found]
    known, (_, x, zero) = ranges.decided(condition), builder.nodes[condition]
    low, high = ranges.of(x)
    z, is_opposite = _signed(builder.nodes, x)
    if -LARGE < low <= high < LARGE and not all(ramps):
        known = ramps[1] or (is_opposite and not ramps[0])
    if known is not None:
        return int(yes if known else no)
    if is_opposite:
        return builder.add("where", builder.add("ge", z, zero), no, yes)
    return found
