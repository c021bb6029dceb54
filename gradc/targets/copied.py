"""Functions that a generated module has copies of, with all that they use in turn."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType

# At the margin stand names that are defined, and brackets that are closed.
_DEFINITION = re.compile(
    r"^(?:def )?(\w+)(?:\(| =|: .* = ).*\n(?:(?:[ )\]}].*)?\n)*", re.MULTILINE
)


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
    known = definitions(source) if called else {}
    stack = sorted(called)
    wanted: set[str] = set()
    outside: set[str] = set()
    while stack:
        name = stack.pop()
        if name in wanted:
            continue
        wanted.add(name)
        for other in _mentioned(name, known[name]):
            if other in known:
                stack.append(other)
            else:
                outside.add(other)
    texts = [known[name] for name in known if name in wanted]
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
def definitions(module: ModuleType) -> Mapping[str, str]:
    """The text of each definition of a module, up to the next line at the margin."""
    assert module.__file__ is not None
    with open(module.__file__, encoding="utf-8") as file:
        text = file.read()
    return {match[1]: match[0].rstrip("\n") for match in _DEFINITION.finditer(text)}


def _mentioned(name: str, text: str) -> set[str]:
    """The names that a definition mentions and does not assign to."""
    named = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)]
    local = {n.id for n in named if isinstance(n.ctx, ast.Store)} - {name}
    return {n.id for n in named} - local
