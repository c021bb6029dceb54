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

A row that has the column `steps` would be a call of a function; its value and its
derivative, which are other rows, would each compute the same exponential. The steps give
the same floats as the function, so `strict` compilation runs the pass as well. So do
the terms of `sumexp`, `sumexcess` and `rivals`, if they have few arguments. Where the
last bits may differ, those of the same arguments in another order are one, and a sum of
exponentials is 1 and its excess where that is computed, too.

What a partial adds only for its own derivative is dropped: x - y where x == y.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial, reduce

from gradc.analysis.guards import NEVER, Guards, place
from gradc.analysis.ranges import Interval, Ranges
from gradc.calculus import steps_template
from gradc.ir import LAZY, Builder, Node, Program, arguments, compact

SYMMETRIC = frozenset({"max", "min", "sumexcess", "rivals"})  # in all arguments
LOGISTIC = frozenset({"sigmoid", "softplus"})  # whose steps choose by the sign
LARGE = 700.0  # exp(LARGE) and its inverse are ordinary numbers
FEW = 8  # arguments of what is written out term by term


def expand(program: Program, strict: bool = False) -> Program:
    """Return a program in which no node is of a row with steps of its own."""
    program = _without_differences(program)
    program = program if strict else _with_label(program)
    steps = {op.name for op in program.ops if op.steps is not None}
    for names in (steps, {*SHORT}):
        while _has_any(program, names):
            program = _expanded(program, names, strict)
        program = program if strict else _by_excess(_met(program))
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
    if SYMMETRIC.isdisjoint(program.operations):
        return program
    builder = Builder(program.ops)
    new: list[int] = []
    first: dict[tuple[str, tuple[int, ...]], int] = {}
    for i, node in enumerate(program.nodes):
        if node[0] in SYMMETRIC:
            key = node[0], tuple(sorted([new[a] for a in node[1:]]))
            if key not in first:
                first[key] = builder.copy(program, i, new)
            new.append(first[key])
        else:
            new.append(builder.copy(program, i, new))
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _with_label(program: Program) -> Program:
    """Write the loss of a label, the only one of its logits, by the other logits.

    That is log1p(others) if the label is the largest of them, which is the level.
    """
    if "neg_log_softmax" not in program.operations:
        return program
    labels: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for op, *args in program.nodes:
        if op == "neg_log_softmax":
            labels[tuple(sorted(args))].add(args[0])
    builder = Builder(program.ops)
    new: list[int] = []
    for i, (op, *args) in enumerate(program.nodes):
        logits = args if op == "neg_log_softmax" else args[1:] if op == "sumexp" else []
        found = labels.get(tuple(sorted(logits)), set())
        if len(found) != 1 or not 1 < len(logits) <= FEW:
            new.append(builder.copy(program, i, new))
            continue
        builder.span = program.spans[i]
        (label,) = found
        place = logits.index(label)
        y, others = new[label], [new[a] for a in logits[:place] + logits[place + 1 :]]
        level = new[args[0]] if op == "sumexp" else builder.add("max", y, *others)
        rest = builder.add("sumexp", level, *others)
        below = builder.add("exp", builder.add("sub", y, level))
        j = total = builder.add("add", rest, below)
        if op == "neg_log_softmax":
            gap = builder.add("sub", level, y)
            longer = builder.add("add", gap, builder.add("log", total))
            largest = builder.add("eq", y, level)
            j = builder.add("where", largest, builder.add("log1p", rest), longer)
        new.append(j)
        builder.label(j, program.spans[i])
        if i in program.names:
            builder.name(j, program.names[i])
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _by_excess(program: Program) -> Program:
    """Read sums of exponentials below the largest by the excess, where that is known.

    All of them are one more than it, and all but one, if that is the largest, are it.
    """
    if not {"sumexp", "sumexcess"} <= program.operations:
        return program
    nodes = program.nodes
    excesses = {node[1:] for node in nodes if node[0] == "sumexcess"}
    builder = Builder(program.ops)
    new: list[int] = []
    for i, node in enumerate(nodes):
        levels = nodes[node[1]][1:] if node[0] == "sumexp" else ()
        left, more = Counter(levels), Counter(node[2:])
        left, more = left - more, more - left
        if levels not in excesses or left.total() > 1 or more:
            new.append(builder.copy(program, i, new))
            continue
        builder.span = program.spans[i]
        level, excess = new[node[1]], builder.add(
            "sumexcess", *[new[a] for a in levels]
        )
        j = total = builder.add("add", builder.const(1.0), excess)
        for y in [new[a] for a in left]:
            below = builder.add("exp", builder.add("sub", y, level))
            largest = builder.add("eq", y, level)
            others = builder.add("sub", total, below)
            j = builder.add("where", largest, excess, others)
        new.append(j)
        builder.label(j, program.spans[i])
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _without_differences(program: Program) -> Program:
    """Read z + (x - y) as z where x == y is known to hold."""
    if "eq" not in program.operations:
        return program
    nodes = program.nodes
    equal = {frozenset(node[1:]): i for i, node in enumerate(nodes) if node[0] == "eq"}
    found: dict[int, tuple[int, int]] = {}  # of a sum the term to keep, if what holds
    for i, node in enumerate(nodes):
        if node[0] == "add" and nodes[node[2]][0] == "sub":
            condition = equal.get(frozenset(nodes[node[2]][1:]))
            if condition is not None:
                found[i] = node[1], condition
    if not found:
        return program
    guards = Guards(program)
    placed = place(program, guards)
    kept = {
        i: term
        for i, (term, condition) in found.items()
        if guards.child(placed[i], condition, False) == NEVER
    }
    read = [
        (
            node
            if node[0] in ("const", "input")
            else (node[0], *(kept.get(a, a) for a in node[1:]))
        )
        for node in nodes
    ]
    return replace(program, nodes=read)


def _has_any(program: Program, names: Set[str]) -> bool:
    if names.isdisjoint(program.operations):
        return False
    return any(_has_steps(node, names) for node in program.nodes)


def _has_steps(node: Node, names: Set[str]) -> bool:
    return node[0] in names and (node[0] not in SHORT or len(node) <= FEW + 1)


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
    if op in SHORT:
        return SHORT[op](builder, args)
    row = builder.ops[op]
    every = args[row.leading :] if row.variadic else []
    params = dict(zip(row.params, args))
    found = steps_template(row, builder.ops).build(builder, params, every)
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


def _sum_excess(builder: Builder, args: list[int]) -> int:
    """The exponentials of all arguments, of which one is the largest and left out."""
    largest = builder.add("max", *args)
    terms = [builder.add("exp", builder.add("sub", a, largest)) for a in args]
    if len(args) == 1:
        return builder.const(0.0)
    without = [terms[:k] + terms[k + 1 :] for k in range(len(args))]
    *sums, found = [reduce(partial(builder.add, "add"), rest) for rest in without]
    for a, total in reversed([*zip(args, sums)]):
        found = builder.add("where", builder.add("eq", a, largest), total, found)
    return found


def _sum_exp(builder: Builder, args: list[int]) -> int:
    """The exponentials of all arguments but the first, which is taken from the others."""
    level, *others = args
    if not others:
        return builder.const(0.0)
    terms = [builder.add("exp", builder.add("sub", a, level)) for a in others]
    return reduce(partial(builder.add, "add"), terms)


def _rivals(builder: Builder, args: list[int]) -> int:
    """One for each argument that is the largest, but for the first."""
    largest = builder.add("max", *args)
    one, zero = builder.const(1.0), builder.const(0.0)
    found = [
        builder.add("where", builder.add("eq", a, largest), one, zero) for a in args
    ]
    return builder.add("sub", reduce(partial(builder.add, "add"), found), one)


SHORT: Mapping[str, Callable[[Builder, list[int]], int]] = {  # written out term by term
    "sumexp": _sum_exp,
    "sumexcess": _sum_excess,
    "rivals": _rivals,
}
