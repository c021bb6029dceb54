"""The mathematics of the rows, read from their text into templates.

A template is a small program over a row's parameters. `adjoint_template` also
multiplies the partial derivative by the adjoint that arrives, in the form that loses
least: the factor goes into a numerator, through a minus sign, into both branches of a
`where` (so that nothing is ever multiplied by a branch not taken).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from gradc.errors import GradcError, Source
from gradc.ir import Builder
from gradc.language.parse import parse
from gradc.language.syntax import Result, Row
from gradc.ops import Op, Table

ADJOINT = "adjoint"  # the parameter of an adjoint template beside the row's own
EVERY = "xs"  # stands for all the arguments of a row of any number of arguments

LEAVES = ("const", "param")
Item = tuple[str, Any]


@dataclass(frozen=True, eq=False)
class Template:
    """A row's text as a list: (operation, argument positions), leaves by name.

    A leaf is ("const", value) or ("param", name).
    """

    items: tuple[Item, ...]
    row: Op

    @property
    def is_zero(self) -> bool:
        """Whether it is the constant 0, a derivative that vanishes."""
        return self.items[-1] == ("const", 0.0)

    def build(
        self,
        builder: Builder,
        args: Sequence[int],
        k: int = 0,
        adjoint: int = -1,
        shared: dict[int, int] | None = None,
    ) -> int:
        """Add to a program what the text says of some arguments of its row.

        Arguments:
            k: the argument that `x` is, of a row of any number of arguments.
            adjoint: the node of `ADJOINT`.
            shared: the nodes of the items in which `x` does not stand, which this fills
                for the next of these arguments.
        """
        params = {**dict(zip(self.row.params, args)), ADJOINT: adjoint}
        if is_repeated(self.row, k, len(args)):
            params["x"] = args[k]
        new: list[int] = []
        for i, (kind, content) in enumerate(self.items):
            if shared and i in shared:
                new.append(shared[i])
            elif kind == "param":
                new.append(params.get(content, -1))  # all of them stand for EVERY
            elif kind == "const":
                new.append(builder.const(content))
            else:
                given = [new[a] for a in content]
                if -1 in given:
                    every = args[self.row.leading :]
                    given = [b for a in given for b in (every if a == -1 else (a,))]
                new.append(builder.add(kind, *given))
        if shared is not None and not shared:
            shared.update((i, new[i]) for i in self._without_x)
        return new[-1]

    @cached_property
    def _without_x(self) -> list[int]:
        """The items in which `x` does not stand, nor anything that needs it."""
        with_x: set[int] = set()
        for k, (kind, content) in enumerate(self.items):
            read = () if kind in LEAVES else content
            if content == "x" or not with_x.isdisjoint(read):
                with_x.add(k)
        return [k for k in range(len(self.items)) if k not in with_x]


@cache
def template(text: str, row: Op, column: str) -> Template:
    """Read one text of a row; a mistake in it is told with the row and the column."""
    place = f"row {row.signature!r}, column {column!r}"
    syntax = parse(Source(text, f"<{place}>"))
    if len(syntax.statements) != 1 or not isinstance(syntax.statements[0], Result):
        raise GradcError(f"{place}: '{text}' is not one expression")
    params = {*row.params, EVERY} if row.variadic else set(row.params)
    items = [_item(written, params, place, row.table) for written in syntax.rows]
    return Template(tuple(items[: syntax.statements[0].value + 1]), row)


def _item(row: Row, params: set[str], place: str, ops: Table) -> Item:
    if row.op == "number":
        return "const", row.payload
    if row.op == "name":
        if row.payload in params:
            return "param", row.payload
        if row.payload in ops and not ops[str(row.payload)].params:
            return str(row.payload), ()
        raise GradcError(f"{place}: '{row.payload}' is no parameter of the row")
    if row.op == "call":
        for found in ops.function(str(row.payload)):
            if found.variadic or found.accepts(len(row.args)):
                return found.name, row.args
        raise GradcError(f"{place}: '{row.payload}' is no function of the table")
    return row.op, row.args


def meaning_template(row: Op) -> Template:
    """The plain expression that a row stands for."""
    assert row.means is not None
    return template(row.means, row, "means")


def is_repeated(row: Op, k: int, count: int) -> bool:
    """Whether argument `k` of `count` is one of those that share a partial."""
    return (
        row.each is not None and len(row.partials or ()) != count and k >= row.leading
    )


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


def adjoint_template(
    row: Op, k: int, count: int, column: str = "partials"
) -> Template | None:
    """The partial derivative times the adjoint of the node, None where that is zero."""
    partial = partial_template(row, k, count, column)
    return None if partial is None or partial.is_zero else _scaled(partial)


@cache
def _scaled(partial: Template) -> Template:
    """A partial times the adjoint."""
    items = [*partial.items, ("param", ADJOINT)]
    _scale(items, len(partial.items) - 1, len(partial.items))
    return Template(tuple(items), partial.row)


def _scale(items: list[Item], i: int, adjoint: int) -> int:
    """Append the item `i` times the adjoint; descends only as deep as the row's text."""
    kind, content = items[i]
    if items[i] == ("const", 1.0):
        items.append(items[adjoint])
    elif items[i] == ("const", 0.0):
        items.append(items[i])
    elif kind in ("neg", "mul", "div"):
        items.append((kind, (_scale(items, content[0], adjoint), *content[1:])))
    elif kind == "where":
        arms = [_scale(items, a, adjoint) for a in content[1:]]
        items.append((kind, (content[0], *arms)))
    else:
        items.append(("mul", (adjoint, i)))
    return len(items) - 1
