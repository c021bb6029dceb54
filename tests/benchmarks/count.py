"""Operations and calls in the text of a function."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple


class Count(NamedTuple):
    """How much arithmetic a function does, on the path that does most."""

    operations: int
    calls: int

    def __str__(self) -> str:
        return f"{self.operations} + {self.calls}"

    def plus(self, other: Count) -> Count:
        """This much and then some more."""
        return Count(self.operations + other.operations, self.calls + other.calls)


NOTHING = Count(0, 0)


def count(source: str, function: str = "value_and_grad") -> Count:
    """Count a function: binary operations and signs, and calls of any function.

    The sign of a constant is no operation, a comparison neither; `a += b` is one. Of
    two branches the one counts that does more, and what runs where Python raises does
    not.
    """
    return _most(_definition(source, function).body)


def _most(body: Sequence[ast.stmt]) -> Count:
    """What the path through some statements does that does most."""
    found = NOTHING
    for statement in reversed(body):
        if isinstance(statement, ast.If):
            sides = [
                _most(side) if _ends(side) else _most(side).plus(found)
                for side in (statement.body, statement.orelse)
            ]
            found = _of(statement.test).plus(max(sides, key=sum))
        elif isinstance(statement, ast.Try):
            found = _most(statement.body).plus(found)
        elif isinstance(statement, (ast.For, ast.While)):
            head = statement.iter if isinstance(statement, ast.For) else statement.test
            found = _of(head).plus(_most(statement.body)).plus(found)
        else:
            found = _of(statement).plus(found)
    return found


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing runs behind some statements."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise))


def _of(node: ast.AST) -> Count:
    """What an expression or a simple statement does."""
    if isinstance(node, ast.IfExp):
        return _of(node.test).plus(max(map(_of, (node.body, node.orelse)), key=sum))
    found = NOTHING
    for child in ast.iter_child_nodes(node):
        found = found.plus(_of(child))
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return found.plus(Count(1, 0))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return found.plus(Count(int(not isinstance(node.operand, ast.Constant)), 0))
    return found.plus(Count(0, 1)) if isinstance(node, ast.Call) else found


def _definition(source: str, function: str) -> ast.FunctionDef:
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return node
    raise LookupError(function)
