"""Take the arguments of a length out of the conditionals that ask about it.

    where(r == 0, 0, a*x/r), with r = hypot(x, y)    -->    where(r == 0, 0, a/r)*x

So one conditional serves the derivatives by x and by y, for each of which `derive` makes
one, and the sums that these are terms of have x in common. Where r is 0, so is x; where a
length is compared with something else, as near a removable singularity, an argument comes
out if it is an input of bounded domain, for 0 times infinity is not 0. What would be left
of x/r, 1/r, may overflow where r does not vanish: there x stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite

from gradc.ir import Adjoint, Builder, Input, Program, arguments, within

ZERO = ("const", 0.0)
LINEAR = (("div", False), ("add", True))  # in the first argument; whether both are one


def hoist(program: Program) -> Program:
    """Return a program in which such conditionals choose between 0 and what is left."""
    nodes = program.nodes
    lengths = {i for i, node in enumerate(nodes) if node[0] == "hypot"}
    if not lengths:
        return program
    readers = Counter(program.outputs)
    for node in nodes:
        readers.update(set(arguments(node)))
    builder = Builder(program.ops)
    new: list[int] = []
    for i, node in enumerate(nodes):
        way = []
        if node[0] == "where" and isinstance(program.spans[i], Adjoint):
            way = _way(program, i, lengths, readers)
        if way:
            new.append(_hoisted(builder, program, way, new))
        else:
            new.append(builder.copy(program, i, new))
    return builder.follow(program, [new[i] for i in program.outputs])


def _way(
    program: Program, i: int, lengths: set[int], readers: Counter[int]
) -> list[int]:
    """The nodes from a conditional down to a product with an argument of its length.

    Nothing else reads what stands below the conditional. Empty if there is none.
    """
    nodes = program.nodes
    _, condition, *sides = nodes[i]
    zeros = [nodes[a] == ZERO for a in sides]
    factors = _finite(program, condition, lengths)
    if not factors or sum(zeros) != 1:
        return []
    way = [i]
    a = sides[zeros.index(False)]
    while readers[a] == 1:
        way.append(a)
        op, *args = nodes[a]
        if op == "mul" and not factors.isdisjoint(args):
            numbers = any(nodes[b][0] == "const" for b in args)
            return [] if numbers else [*way, next(b for b in args if b in factors)]
        if op != "neg" and (op, args[:1] == args[1:]) not in LINEAR:
            return []
        a = args[0]
    return []


def _finite(program: Program, condition: int, lengths: set[int]) -> set[int]:
    """The arguments of a length that a condition asks about, if 0 times them is 0."""
    op, *args = program.nodes[condition]
    found = {x for i in lengths.intersection(args) for x in program.nodes[i][1:]}
    if op == "eq" and any(program.nodes[a] == ZERO for a in args):
        return found
    bounded = {("input", item.name) for item in program.inputs if _is_bounded(item)}
    return {x for x in found if program.nodes[x] in bounded}


def _is_bounded(item: Input) -> bool:
    return all(end is not None and isfinite(end) for end in (item.low, item.high))


def _hoisted(
    builder: Builder, program: Program, way: Sequence[int], new: Sequence[int]
) -> int:
    """Add what the nodes of a way come to without the factor at its end, times that."""
    *path, product, factor = way
    _, x, y = program.nodes[product]
    found, below = new[x if y == factor else y], product
    for i in reversed(path):
        op, *args = program.nodes[i]
        builder.span = within(program.spans[i])
        found = builder.add(op, *[found if a == below else new[a] for a in args])
        below = i
    builder.span = program.spans[below]
    found = builder.add("mul", found, new[factor])
    if below in program.hints:
        builder.hints.setdefault(found, program.hints[below])
    return found
