"""Leave out of derivatives the branches that the domains exclude.

    where(hypot(x, y) == 0, 0, x/hypot(x, y)), x in [1, 2]    -->    x/hypot(x, y)

The table protects a partial where it would be 0/0 or lose digits. The conditions of the
formula itself stay, and what tells the sides of a kink.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradc.analysis.intervals import Intervals
from gradc.ir import COMPARISONS, Builder, Node, Program, compact

MOST = 10_000  # nodes above which a program is left as it is


def exclude(program: Program) -> Program:
    """Return a program in which derivatives ask for nothing that the domains tell."""
    nodes, last = program.nodes, program.last
    if "where" not in program.operations or len(nodes) > MOST:
        return program
    chosen = [i for i in range(last + 1, len(nodes)) if nodes[i][0] == "where"]
    added = [i for i in chosen if _is_added(nodes, last, nodes[i][1])]
    if not added:
        return program
    intervals = Intervals(Builder.upon(program), program.inputs)
    known = ((i, intervals.decided(nodes[i][1])) for i in added)
    decided = {i: truth for i, truth in known if truth is not None}
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
    """Whether a condition protects a derivative, and the values do not ask for it.

    It compares with 0, or a square of tanh; what else a partial asks for may be a kink,
    and outside of the domains derivatives are to be right as well.
    """
    op, *args = nodes[condition]
    if condition <= last or op not in COMPARISONS:
        return False
    if op in ("eq", "ne"):
        return any(nodes[a] == ("const", 0.0) for a in args)
    asked, *factors = nodes[args[0]]
    return asked == "mul" and all(nodes[a][0] == "tanh" for a in factors)
