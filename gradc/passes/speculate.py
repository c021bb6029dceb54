"""Compute arithmetic at once rather than ask several conditions whether it is needed.

    a = x == m                                 e = exp(x - m)
    b = y == m                                 if y == m:
    if not b or a:                   -->           s = e
        e = exp(x - m)                         ...
    if b:
        s = e
    ...

A node that is needed under several contexts stands behind a flag of its own. Arithmetic
and comparisons, which never raise, are done where the contexts meet instead, and so is
the exponential of a term less the largest one, and the sine of what every path takes the
cosine of; but not if something that has to stand behind the flag reads them there.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from gradc.analysis.guards import ALWAYS, Guards
from gradc.ir import COMPARISONS, Node, Program, arguments

LEAVES = ("const", "input")
ROUNDS = 8  # in which nodes are found to be needed behind a flag
HARMLESS = frozenset({"add", "sub", "mul", "neg", "abs", *COMPARISONS})
TWINS = {"sin": "cos", "cos": "sin"}  # each raises where the other does


def speculate(program: Program, guards: Guards, placed: Sequence[int]) -> list[int]:
    """The guards of all nodes, wider for those that are computed at once."""
    several = {g for g in {*placed} if g >= 0 and len(guards.members[g]) > 1}
    if not several:
        return list(placed)
    behind = [i for i, guard in enumerate(placed) if guard in several]
    always = {n for n, guard in zip(program.nodes, placed) if guard == ALWAYS}
    bound = {i for i in behind if not _is_harmless(program, i, always)}
    for _ in range(ROUNDS):
        for i in reversed(behind):
            if i in bound:
                args = arguments(program.nodes[i])
                bound.update(a for a in args if placed[a] == placed[i])
        found = _widened(program, guards, placed, [i for i in behind if i not in bound])
        left = {i for i in behind if found[i] == placed[i]} - bound
        if not left:
            return found
        bound |= left
    return list(placed)


def _widened(
    program: Program, guards: Guards, placed: Sequence[int], nodes: Sequence[int]
) -> list[int]:
    """The guards, those of some nodes wide where that leaves their arguments there."""
    found = list(placed)
    for i in nodes:
        around = guards.common([placed[i]])
        args = [a for a in program.nodes[i][1:] if program.nodes[a][0] not in LEAVES]
        if all(_is_there(guards, found[a], around) for a in args):
            found[i] = around
    return found


def _is_harmless(program: Program, i: int, always: Set[Node]) -> bool:
    """Whether a node raises nowhere else: arithmetic, a twin, or exp(x - max(x, y))."""
    nodes = program.nodes
    op, *args = nodes[i]
    if op in TWINS:
        return (TWINS[op], *args) in always
    if op != "exp" or nodes[args[0]][0] != "sub":
        return op in HARMLESS
    _, x, largest = nodes[args[0]]
    return nodes[largest][0] == "max" and x in arguments(nodes[largest])


def _is_there(guards: Guards, guard: int, context: int) -> bool:
    return any(guards.inside(context, member) for member in guards.members[guard])
