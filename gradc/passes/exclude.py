"""Leave out of derivatives the branches that the domains exclude.

    where(hypot(x, y) == 0, 0, x/hypot(x, y)), x in [1, 2]    -->    x/hypot(x, y)

The table protects a partial where it would be 0/0, overflow or lose digits. The
conditions of the formula itself stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradc.analysis.intervals import Intervals
from gradc.ir import COMPARISONS, Builder, Node, Program, arguments, compact


def exclude(program: Program) -> Program:
    """Return a program in which derivatives ask for nothing that the domains tell."""
    if not any(item.domain for item in program.inputs):
        return program
    nodes, last = program.nodes, program.last
    intervals = Intervals(Builder.upon(program), program.inputs)
    decided: dict[int, bool] = {}
    for i in range(last + 1, len(nodes)):
        if nodes[i][0] == "where" and _is_added(nodes, last, nodes[i][1]):
            known = intervals.decided(nodes[i][1])
            if known is not None:
                decided[i] = known
    if not decided:
        return program
    builder = Builder(program.ops)
    new: list[int] = []
    for i, node in enumerate(nodes):
        if i in decided:
            new.append(new[node[2] if decided[i] else node[3]])
        else:
            new.append(builder.copy(program, i, new))
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _is_added(nodes: Sequence[Node], last: int, condition: int) -> bool:
    """Whether a condition asks for nothing that the values ask for, too."""
    asked = [condition]
    for i in asked:
        if i <= last:
            return False
        if nodes[i][0] not in COMPARISONS:
            asked += arguments(nodes[i])
    return True
