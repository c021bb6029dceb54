"""Operations and calls in the text of a function."""

from __future__ import annotations

import ast
from typing import NamedTuple


class Count(NamedTuple):
    """How much arithmetic a function's text holds, both sides of branches counted."""

    operations: int
    calls: int


def count(source: str, function: str = "value_and_grad") -> Count:
    """Count a function: binary operations and signs, and calls of any function.

    The sign of a constant is no operation, a comparison neither; `a += b` is one. What
    runs where Python raises is not counted.
    """
    found = [0, 0]
    nodes: list[ast.AST] = [_definition(source, function)]
    for node in nodes:
        if not isinstance(node, ast.ExceptHandler):
            nodes += ast.iter_child_nodes(node)
        if isinstance(node, (ast.BinOp, ast.AugAssign)):
            found[0] += 1
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            found[0] += not isinstance(node.operand, ast.Constant)
        elif isinstance(node, ast.Call):
            found[1] += 1
    return Count(*found)


def _definition(source: str, function: str) -> ast.FunctionDef:
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return node
    raise LookupError(function)
