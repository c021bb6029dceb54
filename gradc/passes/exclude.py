"""Leave out of derivatives the branches that the domains exclude.

    where(hypot(x, y) == 0, 0, x/hypot(x, y)), x in [1, 2]    -->    x/hypot(x, y)

The table protects a partial where it would be 0/0 or lose digits. The conditions of the
formula itself stay, and what tells the sides of a kink.

Second derivatives ask for no length of 0 either: the Hessian of cos(hypot(x, y)) is not
0 at the origin, as the partial of the table is, but -1 on its diagonal, which a second
run finds by what the entries tend to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradc.analysis.intervals import Intervals
from gradc.ir import COMPARISONS, Builder, Node, Program, arguments, compact

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
    return _chosen(program, {i: truth for i, truth in known if truth is not None})


def unguarded(program: Program) -> Program:
    """Return a program whose derivatives are 0/0 where a length is 0."""
    nodes, last = program.nodes, program.last
    if "hypot" not in program.operations:
        return program
    chosen = [i for i in range(last + 1, len(nodes)) if nodes[i][0] == "where"]
    return _chosen(
        program, {i: False for i in chosen if _is_length(nodes, last, nodes[i][1])}
    )


def _chosen(program: Program, decided: Mapping[int, bool]) -> Program:
    """A program with conditionals that are one of their sides."""
    if not decided:
        return program
    nodes = program.nodes
    builder = Builder(program.ops)
    new: list[int] = []
    for i, node in enumerate(nodes):
        if i in decided:
            new.append(new[node[2] if decided[i] else node[3]])
        else:
            new.append(builder.copy(program, i, new))
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _is_length(nodes: Sequence[Node], last: int, condition: int) -> bool:
    """Whether a condition is that a length is 0, and the values do not ask for it."""
    if condition <= last or nodes[condition][0] != "eq":
        return False
    asked = [nodes[a] for a in arguments(nodes[condition])]
    return ("const", 0.0) in asked and "hypot" in (node[0] for node in asked)


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
