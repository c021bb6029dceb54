"""The rows of a formula, run one after the other: what each comes to.

An array is a shape and its entries, and an operation on arrays is done entry by entry.
The rows of a function, or of a loop, are run once for each call, or for each item. What
waits for something else is a generator, and those that wait stand in a list, so that
nothing recurses on what the user wrote.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Mapping, Sequence
from itertools import repeat
from typing import Any

from gradc.errors import GradcError, mistake, shape_text
from gradc.language import linear
from gradc.language.calls import Call, shapes_differ
from gradc.language.entries import Entries
from gradc.language.indices import Indices, Missing, lost, require
from gradc.language.limits import MAX_ORDER, Size, is_order
from gradc.language.shapes import (
    Array,
    Axes,
    Known,
    Operand,
    Whole,
    entries_of,
    parts_of,
    shape_of,
    stacked,
)
from gradc.language.syntax import Clause, Comprehension, Function, Row, Span, Syntax
from gradc.language.variables import Variables
from gradc.language.vectors import COMPUTE
from gradc.ops import Op

Scope = Mapping[str, Operand]
Task = Generator["Task", Any, Operand]  # yields what it waits for
Key = tuple[str, tuple[Operand, ...]]  # a call: the function, its arguments

MAX_AXES = 32  # as NumPy
LOOP = 8  # rows that it takes as long as to go on to the next item of a loop

_SPECIAL = frozenset({"number", "call", "index", "array", "matmul", "where", "pos"})


class Rows(Entries):
    """Runs the rows of a formula; `scope` holds what its names are."""

    def __init__(self, syntax: Syntax, size: Size, variables: Variables) -> None:
        super().__init__(size)
        self.syntax, self.variables = syntax, variables
        self.rows, self.loops, self.source = syntax.rows, syntax.loops, syntax.source
        self.indices = Indices(syntax.source, syntax.rows)
        self.scope: dict[str, Operand] = {}
        self.functions = {
            statement.name: statement
            for statement in syntax.statements
            if isinstance(statement, Function)
        }
        self.results: dict[Key, Operand] = {}
        self.missing = False  # whether an entry was asked for that is not there

    def expression(self, first: int, last: int) -> Operand:
        """What the rows from `first` to `last` come to."""
        tasks = [self.run(first, last, {})]
        value: Operand | None = None
        while tasks:
            try:
                task = tasks[-1].send(value)
            except StopIteration as done:
                tasks.pop()
                value = done.value
            else:
                tasks.append(task)
                value = None
        assert value is not None
        require(value)
        return value

    def run(self, first: int, last: int, scope: Scope) -> Task:
        """Run the rows from `first` to `last`; `scope` holds what is local there."""
        at: dict[int, Any] = {}  # what the rows have come to
        i = first
        while i <= last:
            if i in self.loops and (end := self.loop(i, last)) is not None:
                value: Any = yield self.comprehension(end, scope)
                i = end
            else:
                row = self.rows[i]
                args = [at[a] for a in row[1]]
                if self.missing and (absent := lost(row, args)):
                    value = absent
                elif row[0] == "call" and (called := self.called(row, i)):
                    args = [self.told_apart(arg) for arg in args]
                    key = str(row.payload), tuple(args)
                    value = self.results.get(key)
                    if value is None:
                        value = yield self.body(called, args, row.span)
                        self.results[key] = value
                else:
                    self.builder.span = row[3:]
                    value = self.row(row, args, scope)
            at[i] = value
            i += 1
        result: Operand = at[last]
        return result

    def loop(self, i: int, last: int) -> int | None:
        """The end of the outermost comprehension that begins at a row."""
        ends = self.loops.get(i)
        if not ends or ends[0] > last:
            return None
        return ends[bisect_right(ends, last) - 1]

    def weight(self, first: int, last: int) -> int:
        """How many rows are run from `first` to `last`, without those of loops."""
        count = LOOP
        i = first
        while i <= last:
            end = self.loop(i, last)
            i = (i if end is None else end) + 1
            count += 1
        return count

    def called(self, row: Row, i: int) -> Function | None:
        """The formula's own function of a call, if it is defined above the call."""
        function = self.functions.get(str(row.payload))
        return function if function and function.value < i else None

    def body(self, function: Function, args: Sequence[Operand], span: Span) -> Task:
        """The rows of a function, with its arguments as the parameters."""
        first, last = function.first, function.value
        self.size.run(self.weight(first, last), span)
        scope = dict(zip([name for name, _ in function.params], args))
        for name in self.variables.inner(first, last) & scope.keys():
            scope[name] = self.variable(scope[name])
        return self.run(first, last, scope)

    def row(self, row: Row, args: list[Any], scope: Scope) -> Any:
        """What a row comes to, of which the arguments are known."""
        op = row[0]
        if op == "name":
            known = scope.get(row.payload)
            known = self.scope.get(row.payload) if known is None else known
            return self.constant(row) if known is None else known
        if op not in _SPECIAL:
            return self.each(op, row, args)
        if op == "number":
            return self.literal(row.payload)
        if op == "call":
            return self.call(row, args)
        if op == "index":
            return self.index(row, args)
        if op == "array":
            return self.array(row, args)
        if op == "matmul":
            return linear.product(self._call(row, args, "@"))
        if op == "where" and isinstance(args[0], Known):
            return args[1] if args[0].holds else args[2]
        return args[0] if op == "pos" else self.each(op, row, args)

    def constant(self, row: Row) -> Operand:
        """A constant of the table, such as pi; or an array that is declared below."""
        name = str(row.payload)
        if name not in self.builder.ops:
            raise mistake("declared_later", self.source, row.span, name=name)
        return self.builder.add(name)

    def array(self, row: Row, parts: list[Operand]) -> Operand:
        """`[a, b]`, whose parts have one shape."""
        for part, i in zip(parts, row.args):
            if shape_of(part) != shape_of(parts[0]):
                raise self.ragged(i, shape_of(part), row.args[0], shape_of(parts[0]))
        return self.stacked(parts, row.span)

    def stacked(self, parts: Sequence[Operand], span: Span) -> Array:
        """The array of some parts, if it is of moderate size."""
        found = stacked(parts)
        self.size.run(len(found.entries), span)
        self.require_axes(len(found.shape), span)
        return found

    def require_axes(self, count: int, span: Span) -> None:
        """Refuse arrays of very many axes, whose shapes alone would take long."""
        if count > MAX_AXES:
            raise mistake("too_many_axes", self.source, span, limit=MAX_AXES)

    def index(self, row: Row, args: list[Any]) -> Operand | Missing:
        """`array[i, j:k]`; what is outside is a mistake only if it is used."""
        found = self.indices.index(row, args)
        if isinstance(found, Missing):
            self.missing = True
        elif isinstance(found, Array):
            self.size.run(len(found.entries), row.span)
        return found

    # ---- operations

    def call(self, row: Row, args: list[Operand]) -> Operand:
        """A function of the table, entry by entry, or one of arrays."""
        name = str(row.payload)
        found = next((op for op in self.ops(name) if op.accepts(len(args))), None)
        if found is None:
            self.size.run(sum(len(entries_of(arg)) for arg in args), row.span)
            return COMPUTE[name](self._call(row, args))
        if found.variadic and len(args) == 1 and isinstance(args[0], Array):
            self.size.run(len(args[0].entries), row.span)
            return self.entry(found.name, *self._call(row, args).array().entries)
        if found.params[0] == "n":
            self.require_order(row, args[0])
        return self.each(found.name, row, args)

    def ops(self, name: str) -> tuple[Op, ...]:
        return self.builder.ops.function(name)

    def _call(self, row: Row, args: list[Operand], name: str = "") -> Call:
        spans = [self.rows[a].span for a in row.args]
        name = name or str(row.payload)
        return Call(self.source, name, row.span, args, spans, self.entry, self.size)

    def require_order(self, row: Row, order: Operand) -> None:
        """Refuse an order of a function that is no whole number, as polygamma has."""
        if not all(
            isinstance(e, Whole) and is_order(e.value) for e in entries_of(order)
        ):
            span, name = self.rows[row.args[0]].span, str(row.payload)
            names: dict[str, Any] = {"name": name, "most": MAX_ORDER}
            raise mistake("order_not_constant", self.source, span, **names)

    def each(self, op: str, row: Row, args: list[Any]) -> Operand:
        """An operation on numbers, or entry by entry on arrays of one shape."""
        if not any([arg.__class__ is Array for arg in args]):
            return self.entry(op, *args)
        shape: Axes = ()
        first = -1
        for arg, i in zip(args, row.args):
            if isinstance(arg, Array):
                if first >= 0 and arg.shape != shape:
                    raise self.differ(row, (i, arg.shape), (first, shape))
                shape, first = arg.shape, i
        columns = [a.entries if isinstance(a, Array) else repeat(a) for a in args]
        found = Array(shape, tuple(self.entry(op, *each) for each in zip(*columns)))
        self.size.run(len(found.entries), row.span)
        return found

    # ---- loops

    def comprehension(self, end: int, scope: Scope) -> Task:
        """The array of what a body comes to, for each item that passes."""
        loop = self.rows[end].payload
        assert isinstance(loop, Comprehension)
        scopes: list[Scope] = [scope]
        first = loop.body + 1
        for clause in loop.clauses:
            wider: list[Scope] = []
            for outer in scopes:
                value = yield self.run(first, clause.iterable, outer)
                items = self.items(value, clause, loop)
                if clause.name in self.variables.inner(loop.first, end):
                    items = [self.variable(item) for item in items]
                for item in items:
                    inner = {**outer, clause.name: item}
                    if (yield self.passes(clause, inner)).holds:
                        wider.append(inner)
            scopes, first = wider, _behind(clause)
        found: list[Operand] = []
        for one in scopes:
            part = yield self.run(loop.first, loop.body, one)
            require(part)
            if found and shape_of(part) != shape_of(found[0]):
                raise self.uneven(loop, shape_of(part), shape_of(found[0]))
            found.append(part)
        return self.stacked(found, self.rows[end].span)

    def items(
        self, value: Operand, clause: Clause, loop: Comprehension
    ) -> list[Operand]:
        """What a clause runs through."""
        require(value)
        span = self.rows[clause.iterable].span
        if not isinstance(value, Array):
            raise mistake("iterable_expected", self.source, span)
        inmost = clause is loop.clauses[-1]
        weight = self.weight(loop.first, loop.body) if inmost else LOOP
        self.size.run(value.shape[0] * weight, span)
        return parts_of(value)

    def passes(self, clause: Clause, scope: Scope) -> Task:
        """Whether the conditions of a clause hold."""
        first = clause.iterable + 1
        for last in clause.filters:
            condition = yield self.run(first, last, scope)
            require(condition)
            if not isinstance(condition, Known):
                span = self.rows[last].span
                raise mistake("filter_not_constant", self.source, span)
            if not condition.holds:
                return condition
            first = last + 1
        return Known(True)

    # ---- mistakes

    def differ(
        self, row: Row, one: tuple[int, Axes], other: tuple[int, Axes]
    ) -> GradcError:
        """The mistake that two arguments of an operation have different shapes."""
        (i, shape), (first, earlier) = one, other
        return shapes_differ(
            self.source,
            (self.rows[i].span, shape),
            (self.rows[first].span, earlier),
            str(row.payload) if row.op == "call" else "",
        )

    def ragged(self, i: int, shape: Axes, first: int, earlier: Axes) -> GradcError:
        """The mistake that the parts of an array have different shapes."""
        other = shape_text(earlier)
        return mistake(
            "ragged",
            self.source,
            self.rows[i].span,
            earlier=(f"{other} is given", self.rows[first].span),
            shape=shape_text(shape),
            other=other,
        )

    def uneven(self, loop: Comprehension, shape: Axes, earlier: Axes) -> GradcError:
        """The mistake that a body has another shape for another item."""
        names: dict[str, Any] = {
            "shape": shape_text(shape),
            "other": shape_text(earlier),
        }
        return mistake("ragged", self.source, self.rows[loop.body].span, **names)


def _behind(clause: Clause) -> int:
    """Where the rows of the next clause begin."""
    return (clause.filters or [clause.iterable])[-1] + 1
