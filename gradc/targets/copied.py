"""Functions that a generated module has copies of, with all that they use in turn."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from types import ModuleType

from gradc.fields import dataclass


@dataclass(frozen=True)
class Copied:
    """Functions of a module as text, with what they need around them."""

    functions: list[list[str]]
    constants: list[str]
    math: list[str]
    fractions: list[str]


def copied(source: ModuleType, called: Mapping[str, str]) -> Copied:
    """The functions of a module with all that they use in turn, in their own order.

    Arguments:
        called: the names of the functions, each with what it is to be called.
    """
    definitions = _definitions(source) if called else {}
    stack = sorted(called)
    wanted: set[str] = set()
    outside: set[str] = set()
    while stack:
        name = stack.pop()
        if name in wanted:
            continue
        wanted.add(name)
        for other in _mentioned(name, definitions[name][1]):
            if other in definitions:
                stack.append(other)
            else:
                outside.add(other)
    order = [name for name in definitions if name in wanted]
    texts = [definitions[name][0] for name in order]
    for name, new in called.items():
        if new != name:
            texts = [re.sub(rf"\b{name}\b(?=\()", new, text) for text in texts]
    return Copied(
        functions=[t.split("\n") for t in texts if t.startswith("def ")],
        constants=[t for t in texts if not t.startswith("def ")],
        math=sorted(n for n in outside if hasattr(math, n)),
        fractions=sorted(outside & {"Fraction"}),
    )


@lru_cache(maxsize=None)
def _definitions(module: ModuleType) -> Mapping[str, tuple[str, ast.stmt]]:
    """Each name that a module defines: its text, and its syntax."""
    assert module.__file__ is not None
    with open(module.__file__, encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    found: dict[str, tuple[str, ast.stmt]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            name = node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        else:
            continue
        found[name] = "\n".join(lines[node.lineno - 1 : node.end_lineno]), node
    return found


def _mentioned(name: str, definition: ast.stmt) -> set[str]:
    """The names that a definition mentions and does not assign to."""
    named = [n for n in ast.walk(definition) if isinstance(n, ast.Name)]
    local = {n.id for n in named if isinstance(n.ctx, ast.Store)} - {name}
    return {n.id for n in named} - local
