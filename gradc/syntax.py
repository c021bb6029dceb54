"""The syntax of a formula: a list of rows in post-order, and the statements over it.

A row's arguments stand earlier in the list, so a subexpression is a contiguous slice,
nothing here is nested, and no walker ever recurses.  Names are not resolved.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from gradc.source import Source as Source

Span = tuple[int, int]


class Row(NamedTuple):
    """A number, a name, a call or an operator; `args` are earlier rows."""

    op: str
    args: tuple[int, ...]
    payload: float | str | None
    start: int
    end: int

    @property
    def span(self) -> Span:
        return self.start, self.end


class Binding(NamedTuple):
    """`name = expression`: the rows from `first` to `value`."""

    name: str
    name_span: Span
    value: int
    first: int
    span: Span


class Function(NamedTuple):
    """`name(a, b) = expression`; each parameter comes with its span."""

    name: str
    name_span: Span
    params: tuple[tuple[str, Span], ...]
    value: int
    first: int
    span: Span


class Interval(NamedTuple):
    """A domain; the rows of its low end precede those of its high end."""

    low: int
    high: int
    first: int
    low_open: bool
    high_open: bool
    span: Span


class Item(NamedTuple):
    """A declared name; an interval belongs to all names before it that have none."""

    name: str
    span: Span
    interval: Interval | None


class Declaration(NamedTuple):
    """`input x, y in [0, 1]` or `data t`."""

    kind: Literal["input", "data"]
    names: tuple[Item, ...]
    span: Span


class Result(NamedTuple):
    """The expression that is the value of the formula: always the last statement."""

    value: int
    first: int
    span: Span


Statement = Binding | Function | Declaration | Result


@dataclass(frozen=True)
class Syntax:
    """A parsed formula; the last statement is a result or a binding."""

    source: Source
    rows: list[Row]
    statements: tuple[Statement, ...]
    comments: tuple[Span, ...] = ()


def listing(syntax: Syntax) -> str:
    """Write the statements with their rows, one a line, for tests and the curious."""
    lines: list[str] = []
    for statement in syntax.statements:
        lines += _statement_lines(syntax, statement)
    return "\n".join(lines)


def _statement_lines(syntax: Syntax, statement: Statement) -> list[str]:
    if isinstance(statement, Declaration):
        return _declaration_lines(syntax, statement)
    lines = _row_lines(syntax, statement.first, statement.value)
    if isinstance(statement, Result):
        return [*lines, f"result %{statement.value}"]
    head = statement.name
    if isinstance(statement, Function):
        head += f"({', '.join(name for name, _ in statement.params)})"
    return [*lines, f"{head} = %{statement.value}"]


def _declaration_lines(syntax: Syntax, statement: Declaration) -> list[str]:
    lines, items, seen = [], [], -1
    for name, _, interval in statement.names:
        if interval is None:
            items.append(name)
            continue
        if interval.first > seen:
            lines += _row_lines(syntax, interval.first, interval.high)
        seen = interval.first
        left, right = "[("[interval.low_open], "])"[interval.high_open]
        items.append(f"{name} in {left}%{interval.low}, %{interval.high}{right}")
    return [*lines, f"{statement.kind} {', '.join(items)}"]


def _row_lines(syntax: Syntax, first: int, last: int) -> list[str]:
    lines = []
    for i in range(first, last + 1):
        row = syntax.rows[i]
        words = [row.op, *([] if row.payload is None else [str(row.payload)])]
        lines.append(" ".join([f"%{i} =", *words, *(f"%{j}" for j in row.args)]))
    return lines
