"""Drop the conditionals whose condition is known where they stand.

    where(x > 0, where(x > 0, a, b), c)    -->    where(x > 0, a, c)

The inner one stands in a branch that its own condition leads to, so what it chooses is
certain and the other side is needed nowhere. The same for `and` and `or`. A node in
such a branch that reads a conditional from outside reads the side that it is there.

    where(r == 0, 0, x/r) + 1/r, with r = hypot(x, y)    -->    x/r + 1/r

Where a condition says that two numbers are equal, their difference is 0.

What every path divides by is not 0 where Python does not raise, so nobody asks whether
it is. Nor do derivatives ask for what the declared domains tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.analysis.ranges import Ranges
from gradc.ir import COMPARISONS, LAZY, Builder, Node, Program, arguments

ROUNDS = 8
ZERO: Node = ("const", 0.0)
Compared = dict[frozenset[int], list[tuple[int, Node]]]  # by what they compare
MOST = 10_000  # nodes above which domains are not asked


def decide(program: Program, last: bool = False) -> Program:
    """Return a program in which what reads a decided conditional reads the side it takes.

    Positions stay; no slope of a difference that is known to be 0 is asked for after the
    `last` time. Nodes that nothing reads any more are left in place.
    """
    for _ in range(ROUNDS if program.operations & LAZY else 0):
        decided = _once(program, last)
        if decided is program:
            break
        program = decided
    return program


def _once(program: Program, last: bool) -> Program:
    guards = Guards(program, limits=True)
    placed = place(program, guards)
    known = _known(program, placed)
    nodes = [*program.nodes]
    compared: Compared = {}
    for i, node in enumerate(nodes if last else ()):
        if node[0] in ("eq", "ne", "lt", "gt"):
            compared.setdefault(frozenset(node[1:]), []).append((i, node))
    zero = nodes.index(ZERO) if compared and ZERO in nodes else len(nodes)
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
                elif nodes[a][0] == "sub" and zero < i:
                    if _are_equal(nodes[a][1:], compared, guards, guard):
                        args[k] = zero
            if op == "mul" and zero in args:
                taken[i] = zero
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
        holds = _holds(condition, guards, guard)
    if holds is None:
        return i
    if op == "where":
        return int(node[2] if holds else node[3])
    return int(node[2] if holds == (op == "and") else condition)


def _holds(condition: int, guards: Guards, guard: int) -> bool | None:
    """Whether a condition holds under a guard, None if that is not certain."""
    ways = {guards.decided(context, condition) for context in guards.members[guard]}
    return ways.pop() if len(ways) == 1 else None


def _are_equal(
    pair: Sequence[int], compared: Compared, guards: Guards, guard: int
) -> bool:
    """Whether two numbers are known to be equal under a guard."""
    denied = set[tuple[int, ...]]()  # of a < b and b < a
    for condition, (op, *args) in compared.get(frozenset(pair), ()):
        holds = _holds(condition, guards, guard)
        if holds is (op == "eq"):
            if op in ("eq", "ne"):
                return True
            denied.add(tuple(args if op == "lt" else args[::-1]))
    return len(denied) == 2


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
