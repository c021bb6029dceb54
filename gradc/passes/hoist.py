"""Compute sooner what costs less than to ask whether it is needed.

    if not a or b:                         t = x * y
        t = x * y                 -->      if not a:
    if not a:                                  r = t + 1.0
        r = t + 1.0

Only sums, products, comparisons and exponentials that cannot raise, whose arguments are
there anyway, and which more than one condition leads to; on a path that does not need
them nothing reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from gradc.guards import NEVER, Guards
from gradc.ir import COMPARISONS, Node, Program

LEAVES = ("const", "input")
CHEAP = frozenset({"add", "sub", "mul", "neg", *COMPARISONS})


def hoist(program: Program, guards: Guards, placed: Sequence[int]) -> list[int]:
    """The guard under which each node is computed; NEVER for one that is not needed.

    Arguments:
        program: any program.
        guards: those of the program.
        placed: the guard under which each node is needed.
    """
    found = list(placed)
    common = cache(lambda guard: guards.common([guard]))
    for i, node in enumerate(program.nodes):
        guard = placed[i]
        if guard != NEVER and len(guards.members[guard]) > 1:
            if node[0] in CHEAP or _is_small(node, program.nodes):
                around = common(guard)
                computed = (a for a in node[1:] if program.nodes[a][0] not in LEAVES)
                if all(_is_around(guards, found[a], around) for a in computed):
                    found[i] = around
    return found


def _is_around(guards: Guards, guard: int, context: int) -> bool:
    """Whether a guard is a context around another one."""
    members = guards.members[guard]
    return len(members) == 1 and guards.inside(context, members[0])


def _is_small(node: Node, nodes: Sequence[Node]) -> bool:
    """Whether a node is an exponential of at most 1, `exp(x - max(x, y))`."""
    if node[0] != "exp" or nodes[node[1]][0] != "sub":
        return False
    _, x, largest = nodes[node[1]]
    return nodes[largest][0] == "max" and x in nodes[largest][1:]
