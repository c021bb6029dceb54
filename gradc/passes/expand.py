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

from collections.abc import Sequence, Set
from functools import partial, reduce

from gradc.analysis.guards import Guards, place
from gradc.analysis.ranges import Interval, Ranges
from gradc.calculus import meaning_template
from gradc.ir import LAZY, Builder, Node, Program, arguments, compact

SYMMETRIC = {"max": 0, "min": 0, "sumexp": 1}  # in all arguments but the first of these
SUM = "sumexp"  # of exponentials, whose steps are its terms
LOGISTIC = frozenset({"sigmoid", "softplus"})  # whose steps choose by the sign
LARGE = 700.0  # exp(LARGE) and its inverse are ordinary numbers
FEW = 8  # arguments of what is written out term by term


def expand(program: Program, strict: bool = False) -> Program:
    """Return a program in which every row has a spelling."""
    names = {op.name for op in program.ops if op.is_written_out} | {SUM}
    while _has_any(program, names):
        program = _expanded(program, names, strict)
        program = program if strict else _met(program)
    return _with_bounds(program)


def _with_bounds(program: Program) -> Program:
    """Ask -c < x < c for abs(x) < c, if only a branch needs the size besides."""
    if "abs" not in program.operations or LAZY.isdisjoint(program.operations):
        return program
    nodes = program.nodes
    found = {
        i
        for i, (op, *args) in enumerate(nodes)
        if op in ("lt", "le") and nodes[args[0]][0] == "abs" and _limit(nodes, args[1])
    }
    if not found:
        return program
    placed = place(program, Guards(program))
    sizes = {nodes[i][1] for i in found} - {*program.outputs}
    wanted: set[int] = set()  # besides
    for i, node in enumerate(nodes):
        if i not in found and not sizes.isdisjoint(arguments(node)):
            wanted.update(arguments(node))
            sizes -= {a for a in arguments(node) if placed[a] == placed[i]}
    sizes &= wanted
    builder = Builder(program.ops)
    new: list[int] = []
    for i, node in enumerate(nodes):
        if i in found and node[1] in sizes:
            builder.span = program.spans[i]
            x, limit = new[nodes[node[1]][1]], new[node[2]]
            above = builder.add(node[0], builder.add("neg", limit), x)
            below = builder.add(node[0], x, limit)
            new.append(builder.add("and", above, below))
            builder.label(new[i], program.spans[i])
        else:
            new.append(builder.copy(program, i, new))
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _limit(nodes: Sequence[Node], i: int) -> bool:
    """Whether a node is a positive constant."""
    return bool(nodes[i][0] == "const" and nodes[i][1] > 0.0)


def _met(program: Program) -> Program:
    """Make one node of those that have the same arguments in another order."""
    if SYMMETRIC.keys().isdisjoint(program.operations):
        return program
    builder = Builder(program.ops)
    new: list[int] = []
    first: dict[tuple[int | str, ...], int] = {}
    for i, (op, *args) in enumerate(program.nodes):
        j = builder.copy(program, i, new)
        if op in SYMMETRIC:
            args = [new[a] for a in args]
            leading = SYMMETRIC[op]
            key = op, *args[:leading], *sorted(args[leading:])
            j = first.setdefault(key, j)
        new.append(j)
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _has_any(program: Program, names: Set[str]) -> bool:
    if names.isdisjoint(program.operations):
        return False
    return any(_has_steps(node, names) for node in program.nodes)


def _has_steps(node: Node, names: Set[str]) -> bool:
    return node[0] in names and (node[0] != SUM or len(node) <= FEW + 2)


def _expanded(program: Program, names: Set[str], strict: bool) -> Program:
    """Write rows out; their steps may be rows with steps in their turn.

    Where the last bits may differ, steps that the domains exclude are left out: both
    sides of a choice are the same function, but where that has a kink.
    """
    builder = Builder(program.ops)
    ranges = Ranges(builder, () if strict else program.inputs)
    falling, both = _ramps(program)
    new: list[int] = []
    for i, node in enumerate(program.nodes):
        if not _has_steps(node, names):
            new.append(builder.copy(program, i, new))
            continue
        builder.span = program.spans[i]
        args = [new[a] for a in node[1:]]
        is_logistic = node[0] in LOGISTIC and node[1] not in both and not strict
        if is_logistic and _is_moderate(ranges.of(args[0])):
            j = _logistic(builder, node[0], args[0], node[1] in falling)
        else:
            j = _stepped(builder, node[0], args)
        if builder.nodes[j][0] == "where" and program.ops[node[0]].kinks is None:
            _, condition, yes, no = builder.nodes[j]
            known = ranges.decided(condition)
            j = j if known is None else yes if known else no
        builder.label(j, program.spans[i])
        if i in program.names:
            builder.name(j, program.names[i])
        new.append(j)
    return builder.follow(program, [new[i] for i in program.outputs])


def _is_moderate(interval: Interval) -> bool:
    return -LARGE < interval[0] <= interval[1] < LARGE


def _ramps(program: Program) -> tuple[set[int], set[int]]:
    """The nodes x and -x of which the program has softplus(-x) alone, or that of both.

    Of both one is the other one less x where that loses nothing: the steps say where.
    """
    if "softplus" not in program.operations:
        return set(), set()
    nodes = program.nodes
    ramps = {node[1] for node in nodes if node[0] == "softplus"}
    opposite = {i: nodes[i][1] for i in ramps if nodes[i][0] == "neg"}
    both = {i for i, x in opposite.items() if x in ramps}
    falling = opposite.keys() - both
    return (
        falling | {opposite[i] for i in falling},
        both | {opposite[i] for i in both},
    )


def _logistic(builder: Builder, op: str, x: int, falling: bool) -> int:
    """A row of one exponential that cannot overflow, the same one for x and -x."""
    node, one = builder.nodes[x], builder.const(1.0)
    power = node[1] if node[0] == "neg" else x
    if op == "softplus":
        return builder.add("log1p", builder.add("exp", x))
    if falling:
        power = builder.add("neg", power)
    e = builder.add("exp", power)
    return builder.add("div", e if power == x else one, builder.add("add", one, e))


def _stepped(builder: Builder, op: str, args: list[int]) -> int:
    if op == SUM:
        return _sum_exp(builder, args)
    row = builder.ops[op]
    every = args[row.leading :] if row.variadic else []
    params = dict(zip(row.params, args))
    found = meaning_template(row, builder.ops).build(builder, params, every)
    return _mirrored(builder, found)


def _mirrored(builder: Builder, found: int) -> int:
    """Read a choice by -x >= 0 as one by x >= 0, whose sides agree where x is 0.

    The steps of sigmoid(-x) then stand in the branches of those of sigmoid(x).
    """
    op, *args = builder.nodes[found]
    if op != "where":
        return found
    condition, yes, no = args
    comparison, opposite, zero = builder.nodes[condition]
    x = builder.nodes[opposite]
    if comparison != "ge" or x[0] != "neg" or builder.value_of(zero) != 0.0:
        return found
    return builder.add("where", builder.add("ge", x[1], zero), no, yes)


def _sum_exp(builder: Builder, args: list[int]) -> int:
    """The exponentials of all arguments but the first, which is taken from the others."""
    level, *others = args
    if not others:
        return builder.const(0.0)
    one = builder.const(1.0)
    terms = [
        one if a == level else builder.add("exp", builder.add("sub", a, level))
        for a in others
    ]
    return reduce(partial(builder.add, "add"), terms)
