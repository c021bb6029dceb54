"""How a row is written in Python: its spelling as a template, and as a function.

A spelling is Python text with named holes, `{x} if {x} > 0.0 else 0.0`; `{xs}` takes
the rest of the arguments, and a name with dots is imported from the module before its
last. A row that gives none is a call of its own name. Which
operand needs parentheses is read from Python's own syntax tree, once per row.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from inspect import ismodule
from typing import Any, NamedTuple

from gradc import special
from gradc.errors import mistake
from gradc.ops import OPS, Op

Compute = Callable[..., Any]

# The operators of two operands that are written alike in Python.
SYMBOLS = {
    row.name: row.signature.split()[1]
    for row in OPS
    if row.infix and len(row.params) == 2 and row.name != "pow"
}

# Python's levels of precedence, loosest first, and what its syntax tree has of each.
TERNARY, OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, ATOM = range(9)
_TREE = "IfExp", "Or", "And", "Not", "Compare", "Add Sub", "Mult Div Mod", "USub"
_LEVELS = {name: level for level, names in enumerate(_TREE) for name in names.split()}
_MARK = re.compile(r"hole_(\d+)_")


def text(op: Op, count: int) -> str:
    """The spelling of a row for `count` arguments, with holes {0}, {1}, ..."""
    numbers = [f"{{{k}}}" for k in range(count)]
    if op.python is None or (op.variadic and count != len(op.params)):
        return f"{op.called}({', '.join(numbers)})"
    return op.python.format_map(dict(zip(op.params, numbers)))


class Spelling(NamedTuple):
    """A row's Python as a template; its holes are arguments.

    A hole has the loosest level that may stand there without parentheses; `level` is
    that of the whole. `names` are what it mentions, a module with a dot behind it,
    `repeated` the arguments that stand in it twice, `columns` the width of the text
    alone.
    """

    template: str
    holes: tuple[tuple[int, int], ...]
    level: int
    names: tuple[str, ...]
    repeated: frozenset[int]
    columns: int


@cache
def spelling(op: Op, count: int) -> Spelling:
    """The spelling of a row for `count` arguments."""
    marked = text(op, count).format(*[f"hole_{k}_" for k in range(count)])
    tree = ast.parse(marked, mode="eval").body
    nodes = [*ast.walk(tree)]
    limits = {c.col_offset: limit for n in nodes for c, limit in _operands(n)}
    holes = [
        (int(match[1]), limits.get(match.start(), TERNARY))
        for match in _MARK.finditer(marked)
    ]
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    names |= {f"{module}." for module in modules(op.python)}
    return Spelling(
        template=_MARK.sub("%s", marked.replace("%", "%%")),
        holes=tuple(holes),
        level=_level(tree),
        names=tuple(sorted(n for n in names if not _MARK.match(n))),
        repeated=frozenset(k for k, n in Counter(k for k, _ in holes).items() if n > 1),
        columns=len(_MARK.sub("", marked)),
    )


def _level(node: ast.AST) -> int:
    return _LEVELS.get(type(getattr(node, "op", node)).__name__, ATOM)


def _operands(node: ast.AST) -> list[tuple[ast.expr, int]]:
    """The operands of a node, each with the loosest level that needs no parentheses."""
    level = _level(node)
    match node:
        case ast.BinOp(left=x, right=y):
            return [(x, level), (y, level + 1)]
        case ast.UnaryOp(operand=x):
            return [(x, level)]
        case ast.BoolOp(values=[x, *others]):
            return [(x, level), *((y, level + 1) for y in others)]
        case ast.Compare(left=x, comparators=others):
            return [(y, SUM) for y in (x, *others)]
        case ast.IfExp(body=x, test=c, orelse=y):
            return [(x, OR), (c, OR), (y, TERNARY)]
    return []


def modules(spelled: str | None) -> set[str]:
    """The modules that a spelling mentions: what stands before the last dot of names."""
    return {*re.findall(r"(?<![\w.)}\]])([A-Za-z_][\w.]*)\.", spelled or "")}


def origin(name: str) -> str:
    """The module a function of a spelling comes from: special, builtins or math.

    What Python 3.10's `math` lacks comes from `special`, on every version alike.
    """
    own = getattr(special, name, None)
    is_ours = own is not None and not ismodule(own)
    if is_ours and own is not getattr(math, name, None):
        return "special"
    return "builtins" if name in vars(builtins) and name not in vars(math) else "math"


# What the names of spellings stand for.
NAMES: dict[str, Any] = {**vars(builtins), **vars(math), **vars(special)}


@cache
def function(op: Op) -> Compute:
    """What the spelling of the row computes of its arguments, which are all evaluated."""
    if op.variadic or op.python is None:
        called: Compute = NAMES[op.called]
        return called
    try:
        found = {x.partition(".")[0]: __import__(x) for x in modules(op.python)}
    except ImportError as error:
        raise mistake("module_needs", name=str(error.name)) from None
    scope = NAMES | found
    for name in spelling(op, len(op.params)).names:
        if name[-1] != "." and name not in scope:
            raise mistake("row_name", row=op.signature, name=name)
    return made(op.python, {x: f"a{k}" for k, x in enumerate(op.params)}, scope)


def made(body: str, holes: Mapping[str, str], scope: dict[str, Any]) -> Compute:
    """A text with holes as a function; `holes` are its parameters by their names."""
    head = f"lambda {', '.join(holes.values())}: "
    found: Compute = eval(head + body.format_map(holes), scope)
    return found
