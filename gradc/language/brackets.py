"""The part of the parser that reads arrays: square brackets and what belongs to them.

Its public methods are aliases of the grammar.  The rows of a comprehension stand in
the order of the text, `first` to `body` and then its clauses, and run once for each
item, so they are passed over when the row behind them is reached.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from gradc.errors import Source, mistake
from gradc.language.syntax import Clause, Comprehension, Row, Shape, Slice, Slot, Span


class Brackets:
    """What the parser inherits; it says where the rows and their kinds are kept."""

    source: Source
    rows: list[Row]
    next_row: int
    arrays: bool  # whether anything is not one number
    loops: dict[int, list[int]]  # by the first row of comprehensions, where they end

    def want_numbers(self, *rows: int) -> None:
        raise NotImplementedError

    def want_condition(self, row: int) -> None:
        raise NotImplementedError

    def name_span(self, start: int) -> Span:
        raise NotImplementedError

    def call(self, start: int, end: int, name: str, args: Sequence[int]) -> int:
        raise NotImplementedError

    def shape(self, start: int, end: int, axes: list[int]) -> Shape:
        """`[2, 3]` behind a declared name."""
        self.arrays = True
        self.want_numbers(*axes)
        first, self.next_row = self.next_row, len(self.rows)
        return Shape(tuple(axes), first, (start, end))

    def array(self, start: int, end: int, elements: list[int]) -> int:
        """`[a, b]`, an array of numbers or of arrays."""
        self.want_numbers(*elements)
        return self._append("array", tuple(elements), None, start, end)

    def slice(self, start: int, end: int, *parts: int | str) -> Slice:
        """`start:stop:step`, of which each may be left out."""
        found: list[int | None] = [None]
        for part in parts:
            if isinstance(part, str):
                found.append(None)
            else:
                found[-1] = part
        first, stop, step = (*found, None, None)[:3]
        return Slice(first, stop, step, (start, end))

    def matmul(self, start: int, end: int, left: int, right: int) -> int:
        """`left @ right`, of which both should be arrays."""
        self.want_numbers(left, right)
        return self._append("matmul", (left, right), None, start, end)

    def index(self, start: int, end: int, array: int, slots: list[Slot]) -> int:
        """`array[i, j:k]`."""
        rows = [array]
        for slot in slots:
            rows += slot.rows if isinstance(slot, Slice) else [slot]
        self.want_numbers(*rows)
        return self._append("index", tuple(rows), tuple(slots), start, end)

    def runner(self, start: int, end: int, name: str) -> tuple[str, Span]:
        """The name that runs through the items."""
        return name, self.name_span(start)

    def clause(
        self, start: int, end: int, runner: tuple[str, Span], iterable: int
    ) -> Clause:
        """`for name in iterable`."""
        self.want_numbers(iterable)
        return Clause(*runner, iterable, [])

    def filter(self, start: int, end: int, clause: Clause, condition: int) -> Clause:
        """`if condition`, behind a clause."""
        self.want_condition(condition)
        clause.filters.append(condition)
        return clause

    def comprehension(
        self, start: int, end: int, body: int, clauses: list[Clause]
    ) -> int:
        """`[body for name in iterable if condition]`."""
        self.want_numbers(body)
        # Of the rows so far, those inside are the ones that start behind the bracket.
        first = bisect_left(self.rows, start, key=lambda row: row.start)
        self.loops.setdefault(first, []).append(len(self.rows))
        payload = Comprehension(first, body, tuple(clauses))
        return self._append("comprehension", (), payload, start, end)

    def reduction(
        self, start: int, end: int, name: str, body: int, clauses: list[Clause]
    ) -> int:
        """`sum(body for name in iterable)` is `sum([body for name in iterable])`."""
        if name in ("where", "piecewise"):
            raise mistake("loop", self.source, self.name_span(start))
        array = self.comprehension(start + len(name), end, body, clauses)
        return self.call(start, end, name, (array,))

    def _append(
        self,
        op: str,
        args: tuple[int, ...],
        payload: Any,
        start: int,
        end: int,
    ) -> int:
        self.arrays = True
        self.rows.append(Row(op, args, payload, start, end))
        return len(self.rows) - 1
