"""A program as a graph for Graphviz, and what each of its nodes is at a point.

    digraph {
      graph [ordering=in, rankdir=BT];
      n0 [label="x", shape=box];
      n1 [label="sin"];
      n0 -> n1;
      o0 [label="value", shape=plaintext];
      n1 -> o0;
    }

At a point every node that the outputs need carries its value, and the derivative of the
first output by it; the nodes of a branch that is not taken carry nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradc.engine.value import Value, apply
from gradc.errors import GradcError, Span, undefined_at
from gradc.ir import LAZY, Node, Program, arguments
from gradc.ops import OPS
from gradc.spelling import SYMBOLS

_ZERO = -0.0  # x + -0.0 is x, bit for bit


def dot(
    program: Program, titles: Sequence[str], point: Mapping[str, float] | None = None
) -> str:
    """The text that Graphviz draws.

    Arguments:
        titles: what the outputs are called, in their order.
        point: a number for each input, to write values and gradients into the nodes.

    Raises:
        GradcError: the program is not defined at the point.
    """
    values = [None] * len(program.nodes) if point is None else trace(program, point)
    if point is not None:
        _differentiate(program, values, point)
    lines = ["digraph {", "  graph [ordering=in, rankdir=BT];"]
    for i, node in enumerate(program.nodes):
        numbers = [] if node[0] == "const" else _numbers(values[i])
        label = "\\n".join([_title(program, i), *numbers])
        shape = ", shape=box" if node[0] == "input" else ""
        lines.append(f'  n{i} [label="{label}"{shape}];')
        lines += [f"  n{a} -> n{i};" for a in arguments(node)]
    for k, (i, title) in enumerate(zip(program.outputs, titles)):
        lines.append(f'  o{k} [label="{_escaped(title)}", shape=plaintext];')
        lines.append(f"  n{i} -> o{k};")
    return "\n".join([*lines, "}"])


def _title(program: Program, i: int) -> str:
    node = program.nodes[i]
    if node[0] in ("const", "input"):
        return _escaped(str(node[1]))
    operation = SYMBOLS.get(node[0], str(node[0]))
    name = program.names.get(i)
    return _escaped(operation if name is None else f"{name} = {operation}")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _numbers(value: Any) -> list[str]:
    """What a node is at a point, a line each."""
    if isinstance(value, Value):
        return [f"{float(value.data):.6g}", f"grad {float(value.grad):.6g}"]
    return [] if value is None else [str(value)]


def trace(program: Program, point: Mapping[str, float]) -> list[Any]:
    """What each node is at a point: a `Value`, a number if no input counts, or a bool.

    None for a node that the outputs do not need there.

    Raises:
        GradcError: a node that they need is not defined; the message shows its part of
            the formula.
    """
    values: list[Any] = []
    for node in program.nodes:
        try:
            values.append(_compute(program, node, values, point))
        except (ArithmeticError, ValueError) as error:
            values.append(error)
    needed = _needed(program, values)
    for i, value in enumerate(values):
        if needed[i] and isinstance(value, Exception):
            raise undefined(program, point, program.spans[i], value)
    return [value if needed[i] else None for i, value in enumerate(values)]


def _compute(
    program: Program, node: Node, values: Sequence[Any], point: Mapping[str, float]
) -> Any:
    """The value of a node; the exception if an argument that it reads is one."""
    op = node[0]
    if op == "const":
        return node[1]
    if op == "input":
        return Value(point[node[1]])
    args = [values[a] for a in _read(node, values)]
    for x in args:
        if isinstance(x, Exception):
            return x
    if op == "where":  # a node of its own, for a derivative of its own
        return apply(OPS["add"], args[1], _ZERO)
    if op in LAZY:
        return args[-1]
    value = apply(program.ops[op], *args, ops=program.ops)
    if isinstance(value.data if isinstance(value, Value) else value, complex):
        raise ValueError  # a power of a negative number
    return value


def _read(node: Node, values: Sequence[Any]) -> tuple[int, ...]:
    """The arguments that a node reads; of a lazy one, those that decide it."""
    if node[0] not in LAZY:
        return arguments(node)
    first = values[node[1]]
    if isinstance(first, Exception):
        return node[1:2]
    if node[0] == "where":
        return node[1], node[2] if first else node[3]
    return node[1:] if bool(first) == (node[0] == "and") else node[1:2]


def _needed(program: Program, values: Sequence[Any]) -> list[bool]:
    needed = [False] * len(values)
    for i in program.outputs:
        needed[i] = True
    for i in range(len(values) - 1, -1, -1):
        if needed[i]:
            for a in _read(program.nodes[i], values):
                needed[a] = True
    return needed


def _differentiate(
    program: Program, values: Sequence[Any], point: Mapping[str, float]
) -> None:
    """Give every node the derivative of the first output by it."""
    first = values[program.outputs[0]]
    try:
        if isinstance(first, Value):  # else no input counts
            first.backward()
    except (ArithmeticError, ValueError):
        raise undefined(program, point) from None


def undefined(
    program: Program,
    point: Mapping[str, float],
    span: Span | None = None,
    error: Exception | None = None,
) -> GradcError:
    """The mistake that a program has no number at a point."""
    reason = "no real number here"
    if error is None:
        reason = "there is no gradient"
    elif isinstance(error, ZeroDivisionError):
        reason = "division by zero"
    elif isinstance(error, OverflowError):
        reason = "overflow"
    shown = [f"{name} = {x!r}" for name, x in point.items()]
    at = ", ".join(shown if len(shown) < 8 else [*shown[:6], "..."])
    return undefined_at(program.source, span, reason, at)
