"""The mathematics of the rows, read from their text into templates.

A template is a small program over a row's parameters. `adjoint_templates` also
multiplies the partial derivative by the adjoint that arrives, in the form that loses
least: the factor goes into a numerator, through a minus sign, into both branches of a
`where` (so that nothing is ever multiplied by a branch not taken).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from gradc.errors import GradcError, Source
from gradc.ir import ZERO, Builder, Node
from gradc.language.parse import parse
from gradc.language.syntax import Result, Row
from gradc.ops import Op, Table

ADJOINT = "adjoint"  # the parameter of an adjoint template beside the row's own
EVERY = "xs"  # stands for all the arguments of a row of any number of arguments
ALL = -2  # the position that stands for theirs

Item = tuple[str, Any]
Owed = Sequence[tuple[int, "Template"]]  # to some of the arguments, by their numbers


@dataclass(frozen=True, eq=False)
class Template:
    """A row's text as a list: (operation, argument positions), leaves by name.

    A leaf is ("const", value) or ("param", name).
    """

    items: tuple[Item, ...]
    row: Op
    repeats: bool

    @property
    def is_zero(self) -> bool:
        """Whether it is the constant 0, a derivative that vanishes."""
        return self.items[-1] == ZERO

    def build(
        self,
        builder: Builder,
        args: Sequence[int],
        k: int = 0,
        adjoint: int = -1,
        shared: dict[Node, int] | None = None,
    ) -> int:
        """Add to a program what the text says of some arguments of its row.

        Arguments:
            k: the argument that `x` is, of a row of any number of arguments.
            adjoint: the node of `ADJOINT`.
            shared: what is computed of all arguments, kept here for others of them.
        """
        given = dict(zip(self.row.params, args))
        given |= {ADJOINT: adjoint, EVERY: ALL}
        if self.repeats:
            given["x"] = args[k]
        known = {} if shared is None else shared
        found: list[int] = []
        for kind, content in self.items:
            if kind == "param":
                found.append(given[content])
            elif kind == "const":
                found.append(builder.const(content))
            elif content and found[content[-1]] == ALL:
                node = kind, *[found[a] for a in content]
                if node not in known:
                    every = args[self.row.leading :]
                    known[node] = builder.add(*node[:-1], *every)
                found.append(known[node])
            else:
                found.append(builder.add(kind, *[found[a] for a in content]))
        return found[-1]


@cache
def template(text: str, row: Op, column: str) -> Template:
    """Read one text of a row; a mistake in it is told with the row and the column."""
    place = f"row {row.signature!r}, column {column!r}"
    syntax = parse(Source(text, f"<{place}>"))
    if len(syntax.statements) != 1 or not isinstance(syntax.statements[0], Result):
        raise GradcError(f"{place}: '{text}' is not one expression")
    params = {*row.params, EVERY} if row.variadic else set(row.params)
    items = [_item(written, params, place, row.table) for written in syntax.rows]
    root = syntax.statements[0].value
    return Template(tuple(items[: root + 1]), row, column == "each")


def _item(row: Row, params: set[str], place: str, ops: Table) -> Item:
    op, args, name, *_ = row
    if op == "number" or op == "name" and name in params:
        return "const" if op == "number" else "param", name
    if op not in ("name", "call"):
        return op, args
    constants = [ops[name]] if op == "name" and name in ops else []
    for found in constants or ops.function(name):
        if found.variadic or found.accepts(len(args)):
            return found.name, args
    kind = "parameter of the row" if op == "name" else "function of the table"
    raise GradcError(f"{place}: '{name}' is no {kind}")


def meaning_template(row: Op) -> Template:
    """The plain expression that a row stands for."""
    assert row.means is not None
    return template(row.means, row, "means")


def is_repeated(row: Op, k: int, count: int) -> bool:
    """Whether argument `k` of `count` is one of those that share a partial."""
    several = row.each is not None and len(row.partials or ()) != count
    return several and k >= row.leading


def partial_template(
    row: Op, k: int, count: int, column: str = "partials"
) -> Template | None:
    """The partial derivative by argument `k` of `count`, None where there is none."""
    if is_repeated(row, k, count):
        text, column = row.each, "each"
    else:
        texts = getattr(row, column)
        text = texts[k] if texts else None
    return None if text is None else template(text, row, column)


@cache
def adjoint_templates(row: Op, count: int, column: str) -> Owed:
    """Those partials of `count` arguments that are not zero, times the adjoint."""
    partials = [(k, partial_template(row, k, count, column)) for k in range(count)]
    return [(k, _scaled(one)) for k, one in partials if one and not one.is_zero]


@cache
def passes_through(row: Op, count: int) -> list[int]:
    """The arguments that a derivative goes to, or should go to."""
    if row.name == "where":
        return [1, 2]
    return [*row.held, *(k for k, _ in adjoint_templates(row, count, "partials"))]


@cache
def _scaled(partial: Template) -> Template:
    """A partial times the adjoint."""
    items = [*partial.items]
    _scale(items, len(items) - 1)
    return Template(tuple(items), partial.row, partial.repeats)


def _scale(items: list[Item], i: int) -> int:
    """Append the item `i` times the adjoint; descends only as deep as the row's text."""
    kind, content = items[i]
    if items[i] == ZERO:
        return i
    if kind in ("neg", "mul", "div", "where") and i == len(items) - 1:
        items.pop()  # what it was made of is
    if kind in ("neg", "mul", "div"):
        items.append((kind, (_scale(items, content[0]), *content[1:])))
    elif kind == "where":
        items.append((kind, (content[0], *[_scale(items, a) for a in content[1:]])))
    else:
        items.append(("param", ADJOINT))
        if items[i] != ("const", 1.0):
            items.append(("mul", (len(items) - 1, i)))
    return len(items) - 1
