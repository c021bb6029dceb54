"""The meaning of a program: run it on numbers, asking for each node as it is needed.

This is the reference that passes and printed code are tested against. It is lazy, with
a stack of its own, so a branch that is not taken is never touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradc.ir import LAZY, Node, Program
from gradc.spelling import function

_MISSING = object()


def evaluate(
    program: Program, point: Mapping[str, Any], known: list[Any] | None = None
) -> tuple[Any, ...]:
    """The outputs of a program at a point, a mapping from input names to numbers.

    Arguments:
        known: what earlier runs at this point found, for a program that grows.

    Raises:
        ArithmeticError, ValueError: what the operations raise outside their domains.
    """
    values = [] if known is None else known
    values += [_MISSING] * (len(program.nodes) - len(values))
    stack = list(program.outputs)
    while stack:
        i = stack[-1]
        if values[i] is not _MISSING:
            stack.pop()
            continue
        node = program.nodes[i]
        wanted = _wanted(node, values)
        if wanted:
            stack.extend(reversed(wanted))
            continue
        stack.pop()
        values[i] = _compute(program, node, values, point)
    return tuple(values[i] for i in program.outputs)


def _wanted(node: Node, values: list[Any]) -> list[int]:
    """The arguments that have to be evaluated before the node can be."""
    op = node[0]
    if op in ("const", "input"):
        return []
    if op not in LAZY:
        return [a for a in node[1:] if values[a] is _MISSING]
    first = values[node[1]]
    if first is _MISSING:
        return [node[1]]
    second = _chosen(node, first)
    return [second] if second is not None and values[second] is _MISSING else []


def _chosen(node: Node, first: Any) -> int | None:
    """The argument that decides a lazy node, None if its first one already does."""
    op = node[0]
    if op == "where":
        return int(node[2] if first else node[3])
    return int(node[2]) if bool(first) == (op == "and") else None


def _compute(
    program: Program, node: Node, values: list[Any], point: Mapping[str, Any]
) -> Any:
    op = node[0]
    if op == "const":
        return node[1]
    if op == "input":
        return point[node[1]]
    if op in LAZY:
        chosen = _chosen(node, values[node[1]])
        return values[node[1]] if chosen is None else values[chosen]
    row = program.ops[op]
    return function(row)(*[values[a] for a in node[1:]])
