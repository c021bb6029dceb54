"""Functions of `special` that a module has copies of, with all that they use in turn."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from gradc import special


class Copied(NamedTuple):
    """Functions as text, and what they need: constants, and functions of `math`."""

    functions: list[str]
    constants: list[str]
    math: set[str]


def copied(called: Iterable[str]) -> Copied:
    """Some functions with all that they use in turn, in their own order."""
    stack = [*called]
    known = _definitions() if stack else {}
    wanted: set[str] = set()
    for name in stack:
        if name not in wanted:
            wanted.add(name)
            stack += known[name][1] & known.keys()
    mentioned = {other for name in wanted for other in known[name][1]}
    texts = [text for name, (text, _) in known.items() if name in wanted]
    return Copied(
        functions=[text for text in texts if text.startswith("def ")],
        constants=[text for text in texts if not text.startswith("def ")],
        math=(mentioned - known.keys()) & vars(math).keys(),
    )


@cache
def _definitions() -> dict[str, tuple[str, set[str]]]:
    """The text of each definition, with the names that it mentions and does not bind."""
    with open(special.__file__, encoding="utf-8") as file:
        text = file.read()
    lines, found = text.split("\n"), {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.Assign)):
            names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
            own = {n.id for n in names if isinstance(n.ctx, ast.Store)}
            own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
            (name,) = [node.name] if isinstance(node, ast.FunctionDef) else own
            written = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            found[name] = written, {n.id for n in names} - own
    return found
