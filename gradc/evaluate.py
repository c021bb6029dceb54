"""The meaning of a program: run it on numbers.

`evaluate` asks for each node as it is needed. It is the reference that passes and printed
code are tested against: lazy, with a stack of its own, so a branch that is not taken is
never touched. `walk` computes all nodes in their order, and is what a program that takes
long to print and to load is run by at first.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from gradc.errors import GradcError, outside_domain
from gradc.ir import LAZY, Node, Program, arguments
from gradc.spelling import Functions, functions

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
    nodes, computes = program.nodes, functions(program.ops)
    values += [_MISSING] * (len(nodes) - len(values))
    stack = list(program.outputs)
    while stack:
        i = stack[-1]
        if values[i] is _MISSING:
            node = nodes[i]
            wanted = _wanted(node, values)
            if wanted:
                stack += wanted[::-1]
                continue
            values[i] = _compute(computes, node, values, point)
        stack.pop()
    return tuple([values[i] for i in program.outputs])


def is_reached(program: Program, i: int, point: Mapping[str, Any]) -> bool | None:
    """Whether the outputs of a program need a node at a point; None if undefined."""
    values: list[Any] = []
    try:
        evaluate(program, point, values)
    except (ArithmeticError, ValueError):
        return None
    return values[i] is not _MISSING


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
    computes: Functions, node: Node, values: list[Any], point: Mapping[str, Any]
) -> Any:
    op = node[0]
    if op == "const":
        return node[1]
    if op == "input":
        return point[node[1]]
    if op in LAZY:
        chosen = _chosen(node, values[node[1]])
        return values[node[1]] if chosen is None else values[chosen]
    return computes[op](*[values[a] for a in node[1:]])


def walk(program: Program, point: Sequence[float], outputs: Sequence[int]) -> list[Any]:
    """Some nodes of a program at a point, a number for each input.

    All nodes are computed; those that raise are undefined, and so is what needs them.

    Raises:
        ValueError: one of the outputs is undefined.
    """
    computes = functions(program.ops)
    given = dict(zip([item.name for item in program.inputs], point))
    values = array("d")  # next to each other, for they are read in any order
    undefined: set[int] = set()
    for node in program.nodes[: max(outputs) + 1]:
        op = node[0]
        try:
            if undefined and _needs(node, undefined, values):
                raise ValueError
            if len(node) == 3:  # most are: this one in half of the time
                values.append(computes[op](values[node[1]], values[node[2]]))
            elif op == "const":
                values.append(node[1])
            elif op == "input":
                values.append(given[node[1]])
            else:
                values.append(computes[op](*[values[a] for a in node[1:]]))
        except (ArithmeticError, ValueError, TypeError):
            undefined.add(len(values))
            values.append(math.nan)
    if not undefined.isdisjoint(outputs):
        raise ValueError("undefined")
    return [values[i] for i in outputs]


def _needs(node: Node, some: set[int], values: Sequence[Any]) -> bool:
    """Whether a node needs one of some others, a lazy one on the side that it takes."""
    if some.isdisjoint(arguments(node)):
        return False
    if node[0] not in LAZY or node[1] in some:
        return True
    return _chosen(node, values[node[1]]) in some


def located(
    program: Program, point: Sequence[float], outputs: Sequence[int]
) -> GradcError | None:
    """The error of the first node that has no finite value where outputs have none.

    None if all of them are finite.
    """
    given = dict(zip([item.name for item in program.inputs], point))
    values: list[Any] = [_MISSING] * len(program.nodes)
    nodes, computes = program.nodes, functions(program.ops)
    endless: tuple[int, float] | None = None
    for output in outputs:
        stack = [output]
        while stack:
            i = stack[-1]
            if values[i] is _MISSING:
                wanted = _wanted(nodes[i], values)
                if wanted:
                    stack += wanted[::-1]
                    continue
                try:
                    values[i] = _compute(computes, nodes[i], values, given)
                except (ArithmeticError, ValueError):
                    return _undefined(program, i, math.nan, given)
                found = values[i]
                if endless is None and isinstance(found, float):
                    if not math.isfinite(found):
                        endless = i, found
            stack.pop()
        if not math.isfinite(values[output]):
            i, found = endless or (output, values[output])
            return _undefined(program, i, values[output], given)
    return None


def _undefined(
    program: Program, i: int, found: float, given: Mapping[str, float]
) -> GradcError:
    span = program.spans[i]
    return outside_domain(program.source, span, found, given, i > program.last)
