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

from collections.abc import Container, Sequence
from functools import partial, reduce

from gradc.analysis.ranges import Ranges
from gradc.calculus import meaning_template
from gradc.ir import Builder, Program

SUM = "sumexp"  # of exponentials, whose steps are its terms
LOGISTIC = frozenset({"sigmoid", "softplus"})  # whose steps choose by the sign
FEW = 8  # arguments of what is written out term by term
LARGE = 700.0  # exp(LARGE) and its inverse are ordinary numbers


def expand(program: Program, strict: bool = False) -> Program:
    """Return a program in which every row has a spelling."""
    names = {op.name for op in program.ops if op.is_written_out}
    while not names.isdisjoint(program.operations):
        program = written_out(program, names, strict)
    return written_out(program, {SUM}) if SUM in program.operations else program


def written_out(
    program: Program, names: Container[str], strict: bool = True
) -> Program:
    """Write some operations out; their steps may be rows with steps in their turn."""
    builder, new = Builder(program.ops), list[int]()
    ranges = Ranges(builder, program.inputs)
    for i, (op, *args) in enumerate(program.nodes):
        if op not in names:
            new.append(builder.copy(program, i, new))
            continue
        builder.span = program.spans[i]
        j = _stepped(builder, op, [new[a] for a in args])
        j = j if strict else _chosen(builder, ranges, op, j)
        new.append(builder.mark(j, program, i))
    return builder.follow(program, [new[i] for i in program.outputs])


def _stepped(builder: Builder, op: str, args: Sequence[int]) -> int:
    """The steps of an operation; those of a long sum are the sum itself."""
    if op != SUM:
        return meaning_template(builder.ops[op]).build(builder, args)
    if len(args) > FEW + 1:
        return builder.add(op, *args)
    (level, *others), add, one = args, builder.add, builder.const(1.0)
    terms = [one if a == level else add("exp", add("sub", a, level)) for a in others]
    return reduce(partial(add, "add"), terms)


def _chosen(builder: Builder, ranges: Ranges, row: str, found: int) -> int:
    """A choice by x >= 0, made where the domains tell; one by -z >= 0 is one by z >= 0.

    So the steps of sigmoid(-z) stand in the branches of those of sigmoid(z). In a
    moderate domain one side of these will do.
    """
    op, *args = builder.nodes[found]
    if op != "where" or builder.nodes[args[0]][0] != "ge":
        return found
    condition, yes, no = args
    _, x, zero = builder.nodes[condition]
    known, (low, high) = ranges.decided(condition), ranges.of(x)
    is_opposite = builder.nodes[x][0] == "neg"
    if row in LOGISTIC and -LARGE < low <= high < LARGE:
        known = row == "sigmoid" and is_opposite
    if known is not None:
        return int(yes if known else no)
    if is_opposite:
        opposite = builder.add("ge", builder.nodes[x][1], zero)
        return builder.add("where", opposite, no, yes)
    return found
