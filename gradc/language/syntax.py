"""The syntax of a formula: a list of rows in post-order, and the statements over it.

A row's arguments stand earlier in the list, so a subexpression is a contiguous slice,
nothing here is nested, and no walker ever recurses.  Names are not resolved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from gradc.errors import Source, Span
from gradc.ops import ARRAYS


class Clause(NamedTuple):
    """`for name in iterable if condition`; iterable and conditions are rows."""

    name: str
    iterable: int
    filters: list[int]


class Comprehension(NamedTuple):
    """`[body for ...]`: the rows from `first` to `body`, then those of the clauses."""

    first: int
    body: int
    clauses: tuple[Clause, ...]


Kind = Literal["input", "data"]  # of a declaration


class Row(NamedTuple):
    """A number, a name, a call or an operator; `args` are earlier rows.

    The payload is the value of a number, a name, `x:` of a slice that has a start only,
    or the `Comprehension` of one.
    """

    op: str
    args: tuple[int, ...]
    payload: Any
    start: int
    end: int

    @property
    def span(self) -> Span:
        return self.start, self.end


class Binding(NamedTuple):
    """`name = a`, perhaps with brackets, or a result: the rows from `first` to `value`.

    `place` is the number of an entry of a state, or the name of the row's number.
    """

    name: str
    name_span: Span
    params: Sequence[tuple[str, Span]] | None  # of `name(b, c) = a`, each with its span
    place: int | str | None  # of `name[0] = a` or `name[i] = a`
    value: int
    first: int
    span: Span

    @property
    def is_plain(self) -> bool:
        """Whether the name has no brackets."""
        return self.params is None and self.place is None


class System(NamedTuple):
    """Entries that stand one after the other: states, and what they start with."""

    bindings: list[Binding]

    @property
    def span(self) -> Span:
        return self.bindings[0].span[0], self.bindings[-1].span[1]


class Item(NamedTuple):
    """A declared name; an interval belongs to all names before it that have none.

    The arguments of its `shape` are the axes, those of `interval` the ends, whose rows
    stand in order; the payload says where the rows begin, and which ends are open.
    """

    name: str
    span: Span | None  # None if the caller gives it
    interval: Row | None = None
    shape: Row | None = None
    kind: Kind = "input"


class Declaration(NamedTuple):
    """`input x, y in [0, 1]` or `data t`."""

    names: tuple[Item, ...]
    span: Span


class Result(NamedTuple):
    """`x + y`, `return a, b` or `return name = a, other = b`: the last statement."""

    bindings: Sequence[Binding]
    span: Span

    @property
    def value(self) -> int:
        return self.bindings[-1].value


Statement = Binding | Declaration | System | Result


@dataclass(frozen=True)
class Syntax:
    """A parsed formula; the last statement is a result or a binding."""

    source: Source
    rows: list[Row]
    statements: tuple[Statement, ...]


CONDITIONALS = {  # by name, what they take
    "where": "3 arguments (c, a, b)",
    "piecewise": "2 or more arguments ((value, condition), ..., otherwise)",
}
DERIVATIVES = ("diff", "grad", "jacobian", "hessian")
FUNCTIONS = {row.name: [r for r in ARRAYS if r.name == row.name] for row in ARRAYS}


def listing(syntax: Syntax) -> str:
    """Write the rows, one a line, and behind those of a statement its own text."""
    lines, i = [], 0
    for statement in syntax.statements:
        while i < len(syntax.rows) and syntax.rows[i].end <= statement.span[1]:
            lines.append(f"%{i} = {_row_text(syntax.rows[i])}")
            i += 1
        lines.append(" ".join(syntax.source.text[slice(*statement.span)].split()))
    return "\n".join(lines)


def _row_text(row: Row) -> str:
    words = [row.op, *(f"%{a}" for a in row.args)]
    if isinstance(row.payload, Comprehension):
        words.append(f"%{row.payload.body}")
        for name, iterable, filters in row.payload.clauses:
            words += [f"for {name} in %{iterable}", *(f"if %{i}" for i in filters)]
    elif isinstance(row.payload, (str, float)):
        words.insert(1, str(row.payload))
    return " ".join(words)
