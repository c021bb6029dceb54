"""Drop the conditionals whose condition is known where they stand.

    where(x > 0, where(x > 0, a, b), c)    -->    where(x > 0, a, c)

The inner one stands in a branch that its own condition leads to, so what it chooses is
certain and the other side is needed nowhere. The same for `and` and `or`. A node in
such a branch that reads a conditional from outside reads the side that it is there.

    where(r == 0, 0, x/r) + 1/r, with r = hypot(x, y)    -->    x/r + 1/r

What every path divides by is not 0 where Python does not raise, so nobody asks whether
it is. Nor do derivatives ask for what the declared domains tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.analysis.ranges import Ranges
from gradc.ir import COMPARISONS, LAZY, ZERO, Builder, Node, Program, arguments

ROUNDS = 8
MOST = 10_000  # nodes above which domains are not asked


def decide(program: Program) -> Program:
    """Return a program in which what reads a decided conditional reads the side it takes.

    Positions stay; nodes that nothing reads any more are left in place.
    """
    for _ in range(ROUNDS if program.operations & LAZY else 0):
        decided = _once(program)
        if decided is program:
            break
        program = decided
    return program


def _once(program: Program) -> Program:
    guards = Guards(program)
    placed = place(program, guards)
    known = _known(program, placed)
    nodes = [*program.nodes]
    taken: dict[int, Any] = {}  # what a decided node comes to
    for i, guard in enumerate(placed):
        op = nodes[i][0]
        is_same = not taken and guard == ALWAYS and op not in LAZY
        if is_same or guard == NEVER or op == "const" or op == "input":
            continue
        args: list[Any] = [taken.get(a, a) for a in nodes[i][1:]]
        if op in LAZY:
            side = _side(i, (op, *args), guards, guard, known)
            if side != i:
                taken[i] = taken.get(side, side)
        elif guard != ALWAYS:
            for k, a in enumerate(args):  # of a conditional the side that it is there
                if nodes[a][0] == "where":
                    args[k] = _side(a, nodes[a], guards, guard, {})
        nodes[i] = (op, *args)
    outputs = tuple(taken.get(i, i) for i in program.outputs)
    if outputs == program.outputs and nodes == [*program.nodes]:
        return program
    return replace(program, nodes=nodes, outputs=outputs)


def _side(
    i: int, node: Node, guards: Guards, guard: int, known: dict[int, bool]
) -> int:
    """The argument that a lazy node under a guard comes to; itself if not certain."""
    op, condition = node[:2]
    holds = known.get(condition)
    if holds is None:
        members = guards.members[guard]
        ways = {guards.decided(context, condition) for context in members}
        if len(ways) > 1 or None in ways:
            return i
        (holds,) = ways
    if op == "where":
        return int(node[2] if holds else node[3])
    return int(node[2] if holds == (op == "and") else condition)


def _known(program: Program, placed: Sequence[int]) -> dict[int, bool]:
    """The conditions that are known everywhere, and whether they hold."""
    nodes = program.nodes
    first = program.last + 1  # the value knows nothing from its derivatives
    ends = (first, len(nodes)) if program.operations & {"eq", "ne"} else ()
    nonzero = [_divisors(program, placed[:end]) for end in ends]
    found: dict[int, bool] = {}
    for i, node in enumerate(nodes) if any(nonzero) else ():
        if node[0] in ("eq", "ne") and ZERO in (nodes[node[1]], nodes[node[2]]):
            if not nonzero[i >= first].isdisjoint(node[1:]):
                found[i] = node[0] == "ne"
    if len(nodes) <= MOST and any(item.low is not None for item in program.inputs):
        ranges = Ranges(Builder.upon(program), program.inputs)
        for i in range(first, len(nodes)):
            if nodes[i][0] in COMPARISONS and i not in found:
                if (decided := ranges.decided(i)) is not None:
                    found[i] = decided
    return found


def _divisors(program: Program, placed: Sequence[int]) -> set[int]:
    """What every path divides by, and the factors of that."""
    nodes = program.nodes
    stack = [
        node[2]
        for node, guard in zip(nodes, placed)
        if guard == ALWAYS and node[0] == "div"
    ]
    found: set[int] = set(stack)
    while stack:
        node = nodes[stack.pop()]
        if node[0] in ("mul", "neg", "abs", "sqrt", "pow"):
            new = {*arguments(node)[: 1 + (node[0] == "mul")]} - found
            found |= new
            stack += new
    return found
