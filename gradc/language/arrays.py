"""The rows of a formula, run one after the other: arrays, functions and loops written out.

An operation on arrays is done entry by entry. The rows of a function, or of a loop, are
run once for each call, or for each item. What waits for something else is a generator,
and those that wait stand in a list, so that nothing recurses on what the user wrote.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Mapping, Sequence
from itertools import pairwise, repeat
from math import prod
from typing import Any

from gradc import arrays, ir
from gradc.errors import GradcError, Span, mistake, quote, remedy, shape_text
from gradc.language.limits import MAX_ORDER, Size
from gradc.language.names import Names
from gradc.language.syntax import (
    DERIVATIVES,
    Answer,
    Binding,
    Clause,
    Declaration,
    Function,
    Result,
    Row,
    Slice,
    Syntax,
)
from gradc.language.vectors import (
    FITS,
    RULES,
    Array,
    Axes,
    Operand,
    Scalars,
    entries_of,
    product,
    shape_of,
    shaped,
)
from gradc.ops import DIFF

Scope = Mapping[str, Operand]
Task = Generator["Task", Any, Any]  # yields what it waits for

MAX_AXES = 32  # as NumPy
LOOP = 8  # rows that it takes as long as to go on to the next item of a loop


class Unfolding(Scalars):
    """Grows a program by the statements of a formula; `scope` has what its names are.

    An entry outside of its array, as `x[i + 1] if i + 1 < n else 0` may ask for, is a
    node that stands in `missing`, and a mistake if a value needs it.
    """

    def __init__(self, syntax: Syntax, size: Size, names: Names) -> None:
        super().__init__(size)
        self.syntax, self.names = syntax, names
        self.rows, self.loops = syntax.rows, syntax.loops
        self.scope: dict[str, Operand] = {}
        self.results: dict[tuple[Any, ...], Operand] = {}  # by function and arguments
        self.missing: dict[int, GradcError] = {}

    def wrong(
        self, key: str, row: int | Span, earlier: int | None = None, **names: Any
    ) -> GradcError:
        """A mistake in a row, or at a place; another row may be shown with it."""
        span = self.rows[row].span if isinstance(row, int) else row
        first = None if earlier is None else self.rows[earlier].span
        return mistake(key, self.source, span, earlier=first, **names)

    # ---- statements

    def formula(self) -> tuple[list[int], tuple[ir.Result, ...]]:
        """Run all statements, and return the outputs with their shapes."""
        found: list[tuple[str, Operand]] = []
        for statement in self.syntax.statements:
            if isinstance(statement, Declaration):
                self.declaration(statement)
            elif isinstance(statement, Result):
                found = [self.answer(answer) for answer in statement.answers]
            elif isinstance(statement, Binding):
                value = self.expression(statement.first, statement.value)
                self.bind(statement.name, value)
                found = [("", value)]
            self.size.check(statement.span)
        if not all(entries_of(value) for _, value in found):
            raise self.wrong("result_empty", statement.span)
        self.require([*self.scope.values(), *[value for _, value in found]])
        outputs = [entry for _, value in found for entry in entries_of(value)]
        return outputs, tuple(ir.Result(name, shape_of(value)) for name, value in found)

    def declaration(self, statement: Declaration) -> None:
        """What is done with a declaration: nothing, where the arguments are given."""

    def declare(self, name: str, shape: Axes, elements: Sequence[str]) -> None:
        """Add an argument, a number or an array with these elements."""
        self.scope[name] = shaped(shape, map(self.builder.input, elements))

    def bind(self, name: str, value: Operand) -> None:
        """Give a name its value."""
        if self.names.slopes:
            value = self.variable(value, constant=name in self.names.by)
        self.scope[name] = value
        self.label(name, value)

    def answer(self, answer: Answer) -> tuple[str, Operand]:
        """One of several results."""
        value = self.expression(answer.first, answer.value)
        if answer.name:
            self.scope.setdefault(answer.name, value)
            self.label(answer.name, value)
        return answer.name, value

    def label(self, name: str, value: Operand) -> None:
        """Give the nodes of a value a name."""
        texts = arrays.names(name, value.shape) if isinstance(value, Array) else [name]
        for text, entry in zip(texts, entries_of(value)):
            if self.builder.nodes[entry][0] not in ("input", "const"):
                self.builder.name(entry, text)

    # ---- rows

    def expression(self, first: int, last: int) -> Operand:
        """What the rows from `first` to `last` come to."""
        tasks = [self.run(first, last, {})]
        value: Any = None
        while tasks:
            try:
                tasks.append(tasks[-1].send(value))
                value = None
            except StopIteration as done:
                tasks.pop()
                value = done.value
        result: Operand = value
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
                row = rows[i]
                op, args, payload, start, stop = row
                builder.span = start, stop
                if op == "name":
                    value = scope.get(payload)
                    value = names.get(payload) if value is None else value
                    value = self.constant(row) if value is None else value
                elif op == "number":
                    value = self.number(payload)
                else:
                    values = [at[a - first] for a in args]
                    if op == "call" and (own := self.names.function(payload, i)):
                        call = own.name, *values
                        if call not in self.results:
                            body = self.body(own, values, (start, stop))
                            self.results[call] = yield body
                            self.size.run(1, (start, stop))
                        value = self.results[call]
                    else:
                        value = self.row(row, values)
            at.append(value)
            i += 1
        return at[-1]

    def constant(self, row: Row) -> Operand:
        """A constant of the table, such as pi; or an array that is declared below."""
        name = str(row.payload)
        if name not in self.builder.ops:
            raise self.wrong("declared_later", row.span, name=name)
        return self.builder.add(name)

    def loop(self, i: int, last: int) -> int | None:
        """The end of the outermost comprehension that begins at a row."""
        ends = self.loops.get(i)
        if not ends or ends[0] > last:
            return None
        return ends[bisect_right(ends, last) - 1]

    def weight(self, first: int, last: int) -> int:
        """How many rows are run from `first` to `last`, without those of loops."""
        count, i = LOOP, first
        while i <= last:
            end = self.loop(i, last)
            i = (i if end is None else end) + 1
            count += 1
        return count

    def body(self, function: Function, args: Sequence[Operand], span: Span) -> Task:
        """The rows of a function, with its arguments as the parameters."""
        first, last = function.first, function.value
        self.size.run(self.weight(first, last), span)
        scope = dict(zip([name for name, _ in function.params], args))
        for name in self.names.inner(first, last) & scope.keys():
            scope[name] = self.variable(scope[name], constant=True)
        return self.run(first, last, scope)

    def row(self, row: Row, args: list[Any]) -> Any:
        """What a row comes to, of which the arguments are known."""
        op = row.op
        if op == "call":
            return self.call(row, args)
        if op == "index":
            return self.index(row, args)
        if op == "array":
            return self.stacked(args, row.span, row.args)
        if op == "matmul":
            return self.function("@", row, args)
        if op == "where" and args[0] in self.decided:
            return args[1] if self.decided[args[0]] else args[2]
        return args[0] if op == "pos" else self.each(op, row, args)

    def stacked(
        self, parts: Sequence[Operand], span: Span, rows: Sequence[int]
    ) -> Array:
        """The array of some parts, which have one shape; each is the value of a row."""
        shape = shape_of(parts[0]) if parts else ()
        for part, row in zip(parts, rows):
            if shape_of(part) != shape:
                names = {
                    "shape": shape_text(shape_of(part)),
                    "other": shape_text(shape),
                }
                earlier = rows[0] if row != rows[0] else None
                raise self.wrong("ragged", row, earlier, **names)
        entries = tuple(entry for part in parts for entry in entries_of(part))
        self.size.run(len(entries), span)
        self.require_axes(1 + len(shape), span)
        return Array((len(parts), *shape), entries)

    def require_axes(self, count: int, span: Span) -> None:
        """Refuse arrays of very many axes, whose shapes alone would take long."""
        if count > MAX_AXES:
            raise self.wrong("too_many_axes", span, limit=MAX_AXES)

    # ---- indices

    def index(self, row: Row, args: list[Any]) -> Operand:
        """`array[i, j:k]`; what is outside is a mistake only if it is used."""
        array, slots, base = args[0], row.payload, self.rows[row.args[0]]
        if not isinstance(array, Array):
            name = str(base.payload) if base.op == "name" else "x"
            raise self.wrong("index_of_number", base.span, name=name)
        if len(slots) > len(array.shape):
            slot, shape = slots[len(array.shape)], shape_text(array.shape)
            where = slot.span if isinstance(slot, Slice) else slot
            raise self.wrong("index_too_many", where, shape=shape)
        found, values = array, dict(zip(row.args, args))
        axes: list[int | range] = []
        for axis, (slot, length) in enumerate(zip(slots, array.shape)):
            if isinstance(slot, Slice):
                axes.append(self.places(slot, values, length))
            else:
                at = self.known(values[slot], slot)
                if not -length <= at < length:
                    found, at = self.outside(array, axis, at, slot), 0
                axes.append(at % max(length, 1))
        picked = found.picked(axes)
        self.count(len(entries_of(picked)))
        return picked

    def places(self, slot: Slice, values: Mapping[int, Operand], length: int) -> range:
        """The places along an axis that a slice picks."""
        parts = [
            None if row is None else self.known(values[row], row) for row in slot[:3]
        ]
        if parts[2] == 0:
            raise self.wrong("slice_standing", slot.span)
        return range(*slice(*parts).indices(length))

    def outside(self, array: Array, axis: int, at: int, row: int) -> Array:
        """What stands for an array where an index is outside: a mistake if it is used."""
        length, shape = array.shape[axis], [max(n, 1) for n in array.shape]
        names: dict[str, Any] = {"index": at, "length": length, "last": length - 1}
        names["where"] = f" of axis {axis}" if len(shape) > 1 else ""
        names["shape"] = shape_text(array.shape)
        key = "index_outside" if length else "index_of_nothing"
        node = self.builder.input(f"entry {len(self.missing)}")  # no name has a blank
        self.missing[node] = self.wrong(key, row, **names)
        return Array(tuple(shape), (node,) * prod(shape))

    def known(self, value: Operand, row: int) -> int:
        """The whole number that a row has to be."""
        if isinstance(value, Array) or value not in self.whole:
            self.require([value])
            raise self.wrong("whole_expected", row)
        return int(self.whole[value])

    def require(self, values: Sequence[Operand]) -> None:
        """Refuse values that need an entry outside of its array."""
        if self.missing:
            needed = [entry for value in values for entry in entries_of(value)]
            alive = ir.live(self.builder.nodes, needed)
            for node, error in self.missing.items():
                if alive[node]:
                    raise error

    # ---- operations

    def call(self, row: Row, args: list[Operand]) -> Operand:
        """A function of the table, entry by entry, or one of arrays."""
        name, ops = str(row.payload), self.builder.ops.function(str(row.payload))
        found = next((op for op in ops if op.accepts(len(args))), None)
        if found is None:
            self.count(sum(len(entries_of(arg)) for arg in args))
            return self.function(name, row, args)
        if found.variadic:
            self.size.join(max(len(args), len(entries_of(args[0]))), row.span)
            if len(args) == 1 and isinstance(args[0], Array):
                self.count(len(args[0].entries))
                self.require_fit(name, "an array", row, args)
                return self.do(found.name, *args[0].entries)
        if found.is_ordered:
            orders = [self.whole.get(entry, -1.0) for entry in entries_of(args[0])]
            if not all(0.0 <= order <= MAX_ORDER for order in orders):
                names: dict[str, Any] = {"name": name, "most": MAX_ORDER}
                raise self.wrong("order_not_constant", row.args[0], **names)
        return self.each(found.name, row, args)

    def each(self, op: str, row: Row, args: list[Any]) -> Operand:
        """An operation on numbers, or entry by entry on arrays of one shape."""
        if Array not in map(type, args):
            return self.do(op, *args)
        placed = [(i, arg) for i, arg in zip(row.args, args) if isinstance(arg, Array)]
        for one, other in pairwise(placed):
            if one[1].shape != other[1].shape:
                raise self.differ(one, other, str(row.payload or ""))
        columns = [a.entries if isinstance(a, Array) else repeat(a) for a in args]
        found = tuple(self.do(op, *each) for each in zip(*columns))
        self.count(len(found))
        return Array(placed[0][1].shape, found)

    def differ(
        self, one: tuple[int, Array], other: tuple[int, Array], name: str
    ) -> GradcError:
        """The mistake that arrays do not fit, each the value of a row."""
        (row, x), (later, y) = one, other
        names = {
            "of": f" of {quote(name)}" if name else "",
            "hint": remedy("PRODUCTS", name),
        }
        shapes = {"one": f"{list(x.shape)}", "other": f"{list(y.shape)}"}
        return self.wrong("shapes_differ", later, row, **names, **shapes)

    # ---- functions of arrays

    def function(self, name: str, row: Row, args: list[Any]) -> Operand:
        """A function of arrays, or a product of them, `@`."""
        if name == "range":
            return self.whole_numbers(row, args)
        if name in DERIVATIVES:
            return self.derivative(name, row, args)
        rule = RULES[name]
        self.require_fit(name, rule.takes, row, args)
        if rule.compute is product and args[0].shape[-1] != args[1].shape[0]:
            x, y = zip(row.args, args)
            raise self.differ(x, y, name)
        return rule.compute(self, *args)

    def require_fit(self, name: str, takes: str, row: Row, args: list[Any]) -> None:
        """Refuse arguments that are no arrays, or not those that a function takes."""
        for i, x in zip(row.args, args):
            if not isinstance(x, Array):
                hint = remedy("ARRAYS", name)
                raise self.wrong("array_expected", i, hint=hint, name=name)
            if not FITS[takes](x.shape):
                shape = shape_text(x.shape)
                raise self.wrong(
                    "axes_expected", i, name=name, wanted=takes, shape=shape
                )
            if not x.entries and takes != "any array":
                raise self.wrong("array_empty", i, name=name)

    def whole_numbers(self, row: Row, args: list[Operand]) -> Operand:
        """`range(start, stop, step)`, whole numbers as in Python."""
        values = [self.known(arg, i) for arg, i in zip(args, row.args)]
        if values[2:] == [0]:
            raise self.wrong("slice_standing", row.args[2])
        numbers = range(*values)
        self.size.hold(len(numbers), row.span)
        return Array((len(numbers),), tuple(self.number(float(k)) for k in numbers))

    def derivative(self, name: str, row: Row, args: list[Operand]) -> Operand:
        """The derivatives of all entries by all variables; `slopes` writes them out.

        Second derivatives meet each pair of variables once.
        """
        y, x = entries_of(args[0]), entries_of(args[1])
        if not all(map(self.is_variable, x)):
            raise self.wrong("variable_expected", row.args[1], name=name)
        if name in ("grad", "hessian") and isinstance(args[0], Array):
            shape = shape_text(args[0].shape)
            raise self.wrong("gradient_of_array", row.args[0], name=name, shape=shape)
        found = [self.do(DIFF, a, b) for a in y for b in x]
        if name != "hessian":
            return shaped(shape_of(args[0]) + shape_of(args[1]), found)
        count = range(len(x))
        pairs = {
            (i, j): self.do(DIFF, found[i], x[j]) for i in count for j in count[i:]
        }
        every = [pairs[min(i, j), max(i, j)] for i in count for j in count]
        return shaped(shape_of(args[1]) * 2, every)

    # ---- loops

    def comprehension(self, end: int, scope: Scope) -> Task:
        """The array of what a body comes to, for each item that passes."""
        loop = self.rows[end].payload
        scopes: list[Scope] = [scope]
        first = loop.body + 1
        by = self.names.inner(loop.first, end)
        for clause in loop.clauses:
            inmost = clause is loop.clauses[-1]
            weight = self.weight(loop.first, loop.body) if inmost else LOOP
            wider: list[Scope] = []
            for outer in scopes:
                value: Any = yield self.run(first, clause.iterable, outer)
                if not isinstance(value, Array):
                    raise self.wrong("iterable_expected", clause.iterable)
                span = self.rows[clause.iterable].span
                self.size.run(value.shape[0] * weight, span)
                for item in value.parts():
                    if clause.name in by:
                        item = self.variable(item, constant=True)
                    inner: Scope = {**outer, clause.name: item}
                    if (yield self.passes(clause, inner)):
                        wider.append(inner)
            scopes, first = wider, (clause.filters or [clause.iterable])[-1] + 1
        found: list[Operand] = []
        for inner in scopes:
            found.append((yield self.run(loop.first, loop.body, inner)))
        rows = repeat(loop.body, len(found))
        return self.stacked(found, self.rows[end].span, [*rows])

    def passes(self, clause: Clause, scope: Scope) -> Task:
        """Whether the conditions of a clause hold."""
        first = clause.iterable + 1
        for last in clause.filters:
            condition = yield self.run(first, last, scope)
            if condition not in self.decided:
                self.require([condition])
                raise self.wrong("filter_not_constant", last)
            if not self.decided[condition]:
                return False
            first = last + 1
        return True
