"""The rows of a formula, run one after the other: arrays, functions and loops written out.

An operation on arrays is done entry by entry. The rows of a function, or of a loop, are
run once for each call, or for each item. What waits for something else is a generator,
and those that wait stand in a list, so that nothing recurses on what the user wrote.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import repeat
from math import prod
from typing import Any, NamedTuple

from gradc import arrays, ir
from gradc.errors import GradcError, Span, mistake, shape_text
from gradc.language.limits import MAX_ORDER, Size
from gradc.language.names import Names
from gradc.language.syntax import (
    Answer,
    Binding,
    Clause,
    Comprehension,
    Declaration,
    Function,
    Results,
    Row,
    Shape,
    Slice,
    Slot,
    Syntax,
)
from gradc.language.vectors import (
    COMPUTE,
    Array,
    Axes,
    Call,
    Entries,
    Operand,
    differ,
    entries_of,
    parts_of,
    picked,
    product,
    shape_of,
    shaped,
    stacked,
)

Scope = Mapping[str, Operand]
Task = Generator["Task", Any, Any]  # yields what it waits for

MAX_AXES = 32  # as NumPy
LOOP = 8  # rows that it takes as long as to go on to the next item of a loop


class Missing(NamedTuple):
    """An entry outside of its array, as `x[i + 1] if i + 1 < n else 0` may ask for."""

    mistake: GradcError


class Unfolding(Entries):
    """Grows a program by the statements of a formula; `scope` has what its names are."""

    def __init__(self, syntax: Syntax, size: Size, names: Names) -> None:
        super().__init__(size)
        self.syntax, self.names = syntax, names
        self.rows, self.loops = syntax.rows, syntax.loops
        self.scope: dict[str, Operand] = {}
        self.functions = {
            statement.name: statement
            for statement in syntax.statements
            if isinstance(statement, Function)
        }
        self.results: dict[tuple[str, tuple[Operand, ...]], Operand] = {}
        self.missing = False  # whether an entry was asked for that is not there

    # ---- statements

    def formula(
        self, declare: Callable[[Declaration], None]
    ) -> tuple[list[int], tuple[ir.Result, ...]]:
        """Run all statements, and return the outputs with their shapes.

        Arguments:
            declare: what is done with a declaration.
        """
        found: list[tuple[str, Operand]] = []
        for statement in self.syntax.statements:
            if isinstance(statement, Declaration):
                declare(statement)
            elif isinstance(statement, Results):
                found = [self.answer(answer) for answer in statement.answers]
            elif not isinstance(statement, Function):
                value = self.expression(statement.first, statement.value)
                if isinstance(statement, Binding):
                    self.bind(statement.name, value)
                found = [("", value)]
            self.size.check(statement.span)
        if not all(entries_of(value) for _, value in found):
            raise mistake("result_empty", self.source, statement.span)
        outputs = [entry for _, value in found for entry in entries_of(value)]
        return outputs, tuple(ir.Result(name, shape_of(value)) for name, value in found)

    def answer(self, answer: Answer) -> tuple[str, Operand]:
        """One of several results."""
        value = self.expression(answer.first, answer.value)
        if answer.name:
            self.scope.setdefault(answer.name, value)
            self.label(answer.name, value)
        return answer.name, value

    def declare(self, name: str, shape: Axes, elements: Sequence[str]) -> None:
        """Add an argument, a number or an array with these elements."""
        size = len(self.builder)
        self.scope[name] = shaped(shape, map(self.builder.input, elements))
        self.size.leaves += len(self.builder) - size

    def shape(self, shape: Shape) -> Axes:
        """The shape that a declaration gives."""
        self.require_axes(len(shape.axes), shape.span)
        found: list[int] = []
        first = shape.first
        for last in shape.axes:
            node, span = self.expression(first, last), self.rows[last].span
            length = None if isinstance(node, Array) else self.whole.get(node)
            if length is None or length < 1.0:
                raise mistake("axis_not_whole", self.source, span)
            found.append(int(length))
            self.size.hold(prod(found), span)
            first = last + 1
        return tuple(found)

    def bind(self, name: str, value: Operand) -> None:
        """Give a name its value."""
        if self.names.slopes:
            value = self.variable(value, constant=name in self.names.by)
        self.scope[name] = value
        self.label(name, value)

    def label(self, name: str, value: Operand) -> None:
        """Give the nodes of a value a name."""
        nodes = self.builder.nodes
        texts = (
            arrays.names(name, shape_of(value)) if value.__class__ is Array else [name]
        )
        for text, entry in zip(texts, entries_of(value)):
            if nodes[entry][0] not in ("input", "const"):
                self.builder.name(entry, text)

    # ---- rows

    def expression(self, first: int, last: int) -> Operand:
        """What the rows from `first` to `last` come to."""
        tasks, value = [self.run(first, last, {})], None
        while tasks:
            try:
                task = tasks[-1].send(value)
            except StopIteration as done:
                tasks.pop()
                value = done.value
            else:
                tasks.append(task)
                value = None
        result: Operand = _there(value)
        return result

    def run(self, first: int, last: int, scope: Scope) -> Task:
        """Run the rows from `first` to `last`; `scope` holds what is local there."""
        rows, loops, names, builder = self.rows, self.loops, self.scope, self.builder
        at: list[Any] = []  # what the rows from `first` on have come to
        i = first
        while i <= last:
            if i in loops and (end := self.loop(i, last)) is not None:
                value: Any = yield self.comprehension(end, scope)
                at += [None] * (end - i)
                i = end
            else:
                op, args, payload, start, stop = rows[i]
                builder.span = start, stop
                if op == "name":
                    value = scope.get(payload)
                    value = names.get(payload) if value is None else value
                    value = self.constant(rows[i]) if value is None else value
                elif op == "number":
                    value = self.number(payload)
                else:
                    values = [at[a - first] for a in args]
                    if self.missing and (absent := self.lost(op, values)):
                        value = absent
                    elif op == "call" and (function := self.called(payload, i)):
                        key = payload, tuple(values)
                        value = self.results.get(key)
                        if value is None:
                            value = yield self.body(function, values, (start, stop))
                            self.results[key] = value
                            self.size.run(1, (start, stop))
                    else:
                        value = self.row(rows[i], values)
            at.append(value)
            i += 1
        return at[-1]

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

    def called(self, name: str, i: int) -> Function | None:
        """The formula's own function of a call, if it is defined above the call."""
        function = self.functions.get(name)
        return function if function and function.value < i else None

    def body(self, function: Function, args: Sequence[Operand], span: Span) -> Task:
        """The rows of a function, with its arguments as the parameters."""
        first, last = function.first, function.value
        self.size.run(self.weight(first, last), span)
        scope = dict(zip([name for name, _ in function.params], args))
        for name in self.names.inner(first, last) & scope.keys():
            scope[name] = self.variable(scope[name])
        return self.run(first, last, scope)

    def lost(self, op: str, args: Sequence[Any]) -> Missing | None:
        """What makes a row an entry that is not there, unless a condition chooses."""
        if op == "where" and args[0] in self.decided:
            return None
        return next((arg for arg in args if isinstance(arg, Missing)), None)

    def row(self, row: Row, args: list[Any]) -> Any:
        """What a row comes to, of which the arguments are known."""
        op = row[0]
        if op == "call":
            return self.call(row, args)
        if op == "index":
            return self.index(row, args)
        if op == "array":
            return self.array(row, args)
        if op == "matmul":
            return product(self.made(row, args, "@"))
        if op == "where" and args[0] in self.decided:
            return args[1] if self.decided[args[0]] else args[2]
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
                earlier = self.rows[row.args[0]].span
                raise self.ragged(self.rows[i].span, part, parts[0], earlier)
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

    # ---- indices

    def index(self, row: Row, args: list[Any]) -> Operand | Missing:
        """`array[i, j:k]`; what is outside is a mistake only if it is used."""
        array, slots, base = args[0], row.payload, self.rows[row.args[0]]
        if not isinstance(array, Array):
            name = str(base.payload) if base.op == "name" else "x"
            raise mistake("index_of_number", self.source, base.span, name=name)
        if len(slots) > len(array.shape):
            slot, shape = slots[len(array.shape)], shape_text(array.shape)
            span = slot.span if isinstance(slot, Slice) else self.rows[slot].span
            raise mistake("index_too_many", self.source, span, shape=shape)
        values = dict(zip(row.args, args))
        axes = []
        for k, slot in enumerate(slots):
            place = self.places(slot, values, array.shape[k])
            if place is None:
                self.missing = True
                return self.outside(slot, values, array.shape, k)
            axes.append(place)
        found = picked(array, axes)
        if isinstance(found, Array):
            self.size.run(len(found.entries), row.span)
        return found

    def places(
        self, slot: Slot, values: Mapping[int, Any], length: int
    ) -> int | range | None:
        """What an index picks along an axis; None outside of it."""
        if isinstance(slot, Slice):
            parts = [None if i is None else self.known(values[i], i) for i in slot[:3]]
            if parts[2] == 0:
                raise mistake("slice_standing", self.source, slot.span)
            return range(*slice(*parts).indices(length))
        at = self.known(values[slot], slot)
        return at % length if -length <= at < length else None

    def outside(
        self, slot: int, values: Mapping[int, Any], shape: Axes, axis: int
    ) -> Missing:
        """An entry that is not there, which is a mistake only if it is used."""
        length = shape[axis]
        names: dict[str, Any] = {
            "index": self.known(values[slot], slot),
            "shape": shape_text(shape),
            "where": f" of axis {axis}" if len(shape) > 1 else "",
            "length": length,
            "last": length - 1,
        }
        key = "index_outside" if length else "index_of_nothing"
        return Missing(mistake(key, self.source, self.rows[slot].span, **names))

    def known(self, value: Operand, i: int) -> int:
        """The whole number that the row `i` has to be."""
        if isinstance(value, Array) or value not in self.whole:
            raise mistake("whole_expected", self.source, self.rows[i].span)
        return int(self.whole[value])

    # ---- operations

    def call(self, row: Row, args: list[Operand]) -> Operand:
        """A function of the table, entry by entry, or one of arrays."""
        name = str(row.payload)
        ops = self.builder.ops.function(name)
        found = next((op for op in ops if op.accepts(len(args))), None)
        if found is None:
            self.size.run(sum(len(entries_of(arg)) for arg in args), row.span)
            return COMPUTE[name](self.made(row, args))
        if found.variadic:
            self.size.join(max(len(args), len(entries_of(args[0]))), row.span)
        if found.variadic and len(args) == 1 and isinstance(args[0], Array):
            self.size.run(len(args[0].entries), row.span)
            return self.do(found.name, *self.made(row, args).array().entries)
        if found.is_ordered:
            orders = [self.whole.get(entry, -1.0) for entry in entries_of(args[0])]
            if not all(0.0 <= order <= MAX_ORDER for order in orders):
                span = self.rows[row.args[0]].span
                names: dict[str, Any] = {"name": name, "most": MAX_ORDER}
                raise mistake("order_not_constant", self.source, span, **names)
        return self.each(found.name, row, args)

    def made(self, row: Row, args: list[Operand], name: str = "") -> Call:
        """A call of a function of arrays."""
        spans = [self.rows[a].span for a in row.args]
        return Call(self, name or str(row.payload), row.span, args, spans)

    def each(self, op: str, row: Row, args: list[Any]) -> Operand:
        """An operation on numbers, or entry by entry on arrays of one shape."""
        if Array not in map(type, args):
            return self.do(op, *args)
        placed = [
            (self.rows[i].span, arg.shape)
            for i, arg in zip(row.args, args)
            if isinstance(arg, Array)
        ]
        for earlier, later in zip(placed, placed[1:]):
            if earlier[1] != later[1]:
                name = str(row.payload) if row.op == "call" else ""
                raise differ(self.source, later, earlier, name)
        columns = [a.entries if isinstance(a, Array) else repeat(a) for a in args]
        found = tuple(self.do(op, *each) for each in zip(*columns))
        self.size.run(len(found), row.span)
        return Array(placed[0][1], found)

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
                items = self.items(_there(value), clause, loop)
                if clause.name in self.names.inner(loop.first, end):
                    items = [self.variable(item) for item in items]
                for item in items:
                    inner = {**outer, clause.name: item}
                    if (yield self.passes(clause, inner)):
                        wider.append(inner)
            scopes, first = wider, (clause.filters or [clause.iterable])[-1] + 1
        found: list[Operand] = []
        for one in scopes:
            part = _there((yield self.run(loop.first, loop.body, one)))
            if found and shape_of(part) != shape_of(found[0]):
                raise self.ragged(self.rows[loop.body].span, part, found[0])
            found.append(part)
        return self.stacked(found, self.rows[end].span)

    def items(
        self, value: Operand, clause: Clause, loop: Comprehension
    ) -> list[Operand]:
        """What a clause runs through."""
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
            condition = _there((yield self.run(first, last, scope)))
            if condition not in self.decided:
                span = self.rows[last].span
                raise mistake("filter_not_constant", self.source, span)
            if not self.decided[condition]:
                return False
            first = last + 1
        return True

    def ragged(
        self,
        span: Span,
        part: Operand,
        first: Operand,
        earlier: Span | None = None,
    ) -> GradcError:
        """The mistake that parts of an array have different shapes."""
        shape, other = shape_text(shape_of(part)), shape_text(shape_of(first))
        names: dict[str, Any] = {"shape": shape, "other": other}
        return mistake("ragged", self.source, span, earlier=earlier, **names)


def _there(value: Any) -> Any:
    """What is no entry outside of its array.

    Raises:
        GradcError: an index was outside, and no constant condition saw to it.
    """
    if isinstance(value, Missing):
        raise value.mistake
    return value
