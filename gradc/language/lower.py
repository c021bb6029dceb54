"""Syntax to program: the rows of a formula, run one after the other.

An operation on arrays is done entry by entry. The rows of a function, or of a loop, are
run once for each call, or for each item. What waits for something else is a generator,
and those that wait stand in a list, so that nothing recurses on what the user wrote.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Generator, Mapping, Sequence
from itertools import chain, pairwise, repeat
from typing import Any

from gradc import arrays
from gradc.errors import GradcError, Span, mistake, quote, remedy, shape_text
from gradc.ir import LAZY, Builder, Input, Program, Result, compact, shorter, varying
from gradc.language import limits
from gradc.language.names import Names
from gradc.language.syntax import DERIVATIVES, Binding, Declaration, Item
from gradc.language.syntax import Result as Answers
from gradc.language.syntax import Row, Syntax, System
from gradc.language.vectors import COLUMNS, FITS, RULES, Array, Axes, Operand
from gradc.language.vectors import entries_of, inner, joined, length_of, shape_of
from gradc.language.vectors import shaped
from gradc.language.views import LENGTH, STATE, Place, Views
from gradc.ops import DIFF, OPS, Table
from gradc.run import evaluate

NOWHERE = (None, None, False, False)
INSIDE = "[]"  # no name: is in scope inside a loop over rows
OTHERS = frozenset({"call", "index", "slice", "array", "matmul", "pos"})  # rows
LOOP = 8  # rows that it takes as long as to go on to the next item of a loop
# Which argument is left of a lazy operation whose condition is known.
LEFT = {
    **{("where", True): 1, ("where", False): 2},
    **{("and", True): 1, ("and", False): 0, ("or", True): 0, ("or", False): 1},
}

Domain = tuple[float | None, float | None, bool, bool]  # the ends, and which are open
Counts = Mapping[str, int] | None  # of rows, by the names of lengths
Scope = Mapping[str, Operand]
Slot = Operand | list[Operand | None]  # an index, or the parts of a slice
Task = Generator["Task", Any, Any]  # yields what it waits for


def lower(
    syntax: Syntax,
    ops: Table = OPS,
    *,
    inputs: Sequence[str] | None = None,
    max_ops: int = limits.MAX_OPS,
    kind: type[Builder] = Builder,
    columns: Collection[str] = (),
    fixed: Counts = None,
) -> Program:
    """Build the program of a formula.

    Arguments:
        inputs: acts as an `input` line: declares the names and their order.
        max_ops: how many operations the program may have, with all calls written out.
        kind: what grows the program.
        columns: the arguments that are columns of what they are in the formula.
        fixed: how many rows columns have by length; None to leave it free.

    Raises:
        GradcError: a name, a call, an interval or the size is not in order.
    """
    names = Names(syntax, ops, inputs)
    names.make_columns(columns)
    if names.lengths and fixed is None:
        ops = ops.columnar
    builder = kind(ops.differentiable if names.slopes else ops)
    return _Lowering(builder, names, max_ops, fixed).program()


class _Lowering(Views):
    """Grows a program by the rows of a formula; `scope` has what its names are."""

    def __init__(
        self, builder: Builder, names: Names, max_ops: int, fixed: Counts = None
    ) -> None:
        super().__init__(builder, names.syntax.source, max_ops)
        self.fixed = fixed
        self.names, self.rows = names, names.syntax.rows
        self.scope: dict[str, Operand] = {}
        self.results: dict[tuple[Any, ...], Operand] = {}  # by function and arguments
        self.inputs: dict[str, list[Input]] = dict.fromkeys(names.arguments, [])
        self.ends: dict[Row, Domain] = {}

    def wrong(
        self, key: str, row: int | Span, earlier: int | None = None, **names: Any
    ) -> GradcError:
        """A mistake in a row, or at a place; another row may be shown with it."""
        span = self.rows[row].span if isinstance(row, int) else row
        first = None if earlier is None else self.rows[earlier].span
        return mistake(key, self.source, span, earlier=first, **names)

    def program(self) -> Program:
        """Run the statements; once for each row of columns that are written out."""
        every = list[list[tuple[str, Operand]]]()
        count = self.fixed[self.names.rows] if self.fixed and self.names.columns else 0
        for self.at in range(count or 1):  # the row of columns that are written out
            self.scope = {}
            every.append(self.answers())
        outputs, results = list[int](), list[Result]()
        for (name, value), *others in zip(*every):
            if count and self.rows_of(value):
                value = joined([value, *[other for _, other in others]])
            shape, rows = shape_of(value), "" if self.fixed else self.rows_of(value)
            results.append(Result(name, inner(shape), length_of(shape) or rows))
            outputs += entries_of(value)
            if not entries_of(value):
                raise self.wrong("result_empty", self.names.syntax.statements[-1].span)
        outputs += self.states
        read = {node[1] for node in self.builder.nodes if node[0] == "input"}
        unpassed = self.further.values()
        further = [i for i in unpassed if i.name in read or i.low or i.kind == STATE]
        inputs = (*chain(*self.inputs.values()), *further)
        told = tuple(self.names.notes), tuple(results)
        return compact(self.builder.finish(inputs, outputs, self.source, *told))

    def answers(self) -> list[tuple[str, Operand]]:
        """What the statements come to; arrays are declared where that stands."""
        for name in sorted(self.names.lengths):
            fixed = None if self.fixed is None else self.builder.const(self.fixed[name])
            self.scope[name] = self.length(name) if fixed is None else fixed
        for item in self.names.arguments.values():
            if item.shape is None:
                self.declare(item)
        for statement in self.names.syntax.statements:
            if isinstance(statement, Declaration):
                for item in statement.names:
                    if item.shape is not None:
                        self.declare(item)
            elif isinstance(statement, System):
                self.system(statement)
            elif isinstance(statement, Answers):
                found = [(a.name, self.bind(a)) for a in statement.bindings]
            elif statement.params is None:
                found = [("", self.bind(statement))]
            self.count(0, statement.span)
        return found

    def system(self, system: System) -> None:
        """Define states, each by what it starts with and what the next entry is."""
        if len(self.names.lengths) != 1:
            raise self.wrong("state_length", system.span)
        (length,) = self.names.lengths
        starts: dict[str, list[Operand]] = defaultdict(list)
        steps = [entry for entry in system.bindings if isinstance(entry.place, str)]
        for entry in system.bindings:
            if isinstance(entry.place, int):
                self.extend(starts[entry.name], entry)
        order = len(starts[steps[0].name])
        if self.fixed is not None:
            for k in range(order, self.fixed[length]):
                for step in steps:
                    place = {str(step.place): self.builder.const(k)}
                    self.extend(starts[step.name], step, place)
            return
        self.scope |= dict(self.stated(starts, length))
        row = self.numbered(shorter(length, order), order)
        for step in steps:
            value = self.entry(starts[step.name], step, {str(step.place): row})
            self.now |= zip(arrays.names(step.name, shape_of(value)), entries_of(value))
        varies = varying(self.builder.nodes, self.now.keys())
        for name, own in starts.items():
            for k, text in enumerate(arrays.names(name, shape_of(own[0]))):
                nodes, new = [entries_of(start)[k] for start in own], self.now[text]
                if new is None or varies[new] or any(map(self.rows_of, nodes)):
                    raise self.wrong("state_ahead", system.span, name=name)
                self.states += [*nodes, new]
        self.now.clear()
        self.copies.clear()

    def entry(
        self, before: Sequence[Operand], entry: Binding, scope: Scope = {}
    ) -> Operand:
        """What an entry of a state comes to, of the shape of those before it."""
        value = self.expression(entry.value, scope)
        shape = inner(shape_of(before[0] if before else value))
        if shape_of(value) != shape:
            one, two = shape_text(shape_of(value)), shape_text(shape)
            span, name = self.rows[entry.value].span, entry.name
            raise self.wrong("state_shape", span, name=name, shape=one, other=two)
        return value

    def extend(self, entries: list[Operand], entry: Binding, scope: Scope = {}) -> None:
        """Add an entry to those of a state, which are what its name stands for."""
        entries.append(self.entry(entries, entry, scope))
        self.scope[entry.name] = joined(entries)

    def bind(self, named: Binding) -> Operand:
        """Give a name its value, if there is one; where it has one that stays."""
        name, value = named.name, self.expression(named.value)
        if name:
            if self.names.slopes and self.names.bound.get(name) is named:
                value = self.variable(value, constant=name in self.names.by[""])
            self.scope.setdefault(name, value)
            entries = arrays.names(name, inner(shape_of(value)))
            for entry, text in zip(entries_of(value), entries):
                op, *rest = self.builder.nodes[entry]
                if op not in ("input", "const") or rest[0] in self.names.states:
                    if named is self.names.syntax.statements[-1]:  # what the result is
                        self.builder.names.pop(entry, None)
                    self.builder.name(entry, text)
        return value

    def declare(self, item: Item) -> None:
        """Add an argument, or the elements of an array."""
        name, shape = item.name, self.shape(item.shape) if item.shape else ()
        ends = self.domain(item.interval) if item.interval else NOWHERE
        own, rows = inner(shape), length_of(shape)
        whole, first, size = own, 0, math.prod(own)
        if name in self.names.columns:
            rows = self.names.rows
            if self.fixed:
                whole, first = (self.fixed[rows], *own), self.at * size
        passed = "" if whole is not own else rows
        rest = item.kind, *ends, name if whole else "", whole, passed
        every = arrays.names(name, whole)
        self.inputs[name] = [Input(element, *rest) for element in every]
        elements = every[first : first + size]
        self.standing |= {i.name: i for i in self.inputs[name] if rows}
        self.within.lengths |= {element: rows for element in elements if rows}
        self.builder.span = item.span
        self.scope[name] = shaped(shape, map(self.builder.input, elements))

    def shape(self, shape: Row) -> Axes:
        """The shape that a declaration gives."""
        self.refuse("too_many_axes", len(shape.args), limits.MAX_AXES, shape.span)
        found: list[Any] = []
        for axis in shape.args:
            row = self.rows[axis]
            is_free = row.op == "name" and row.payload in self.names.lengths
            if is_free and self.fixed is None:
                if found:
                    raise self.wrong("length_first", axis, name=row.payload)
                found.append(row.payload)
                continue
            length = self.whole(self.expression(axis))
            if not (length >= 1.0 or is_free):
                raise self.wrong("axis_not_whole", axis)
            found.append(int(length))
            most, span = limits.MAX_NODES, self.rows[axis].span
            self.refuse("program_too_large", math.prod(inner((*found,))), most, span)
        return tuple(found)

    def domain(self, interval: Row) -> Domain:
        """An interval, which is not empty; one may belong to many names."""
        if interval not in self.ends:
            (one, other), (first, *are_open) = interval.args, interval.payload
            low, high = self.end(first, one), self.end(one + 1, other)
            if not low < high:
                raise self.wrong("interval_empty", interval.span, low=low, high=high)
            self.ends[interval] = (low, high, *are_open)
        return self.ends[interval]

    def end(self, first: int, last: int) -> float:
        """Compute an end of an interval, in a program of its own."""
        work = _Lowering(Builder(self.builder.ops), self.names, limits.MAX_OPS)
        work.scope["inf"] = work.builder.const(math.inf)
        for i in range(first, last + 1):
            op, name = self.rows[i].op, self.rows[i].payload
            own = op == "call" and self.names.function(name, i)
            if own or op == "name" and name not in ("inf", "pi", "e"):
                raise self.wrong("interval_not_constant", i)
            if op == "call":
                self.names.check_call(i)
        node = work.expression(last)
        if isinstance(node, Array):
            raise self.wrong("interval_not_constant", last)
        try:
            (value,) = evaluate(work.builder.finish((), [node], self.source), {})
        except (ArithmeticError, ValueError):
            value = math.nan
        if math.isnan(value):
            raise self.wrong("interval_undefined", last)
        return float(value)

    def expression(self, row: int, scope: Scope = {}) -> Operand:
        """What a row comes to."""
        tasks = [self.run(row, scope, self.rows[row].span)]
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

    def run(self, last: int, scope: Scope, span: Span) -> Task:
        """Run the rows that a row needs, of a condition that is known only one side.

        There `scope` is local; at `span` it is told that there are too many steps.
        """
        rows, names, builder = self.rows, self.scope, self.builder
        at: dict[int, Any] = {}  # what the rows have come to
        stack = [last]
        while stack:
            i = stack[-1]
            op, args, payload, start, end = row = rows[i]
            needs: Sequence[int] = args
            if op in LAZY:
                needs = args[:1]
                if args[0] in at:
                    known = self.decided(at[args[0]])
                    needs = args if known is None else [args[LEFT[op, known]]]
            if waiting := [a for a in needs if a not in at]:
                stack += reversed(waiting)
                continue
            builder.span = start, end
            if op == "name":
                value: Any = scope.get(payload, names.get(payload))
                if value is None and payload in self.names.states:
                    raise self.wrong("state_ahead", i, name=payload)
                if value is None:  # a constant of the table
                    value = builder.add(payload)
            elif op == "number":
                value = builder.const(payload)
            elif op == "comprehension":
                value = yield self.comprehension(i, scope)
            elif op == "call" and (own := self.names.function(payload, i)):
                call = own.name, *[at[a] for a in args]
                if call not in self.results:
                    self.results[call] = yield self.body(own, call[1:], (start, end))
                value = self.results[call]
            elif len(needs) < len(args):  # a condition that is known has decided
                value = at[needs[0]]
            else:
                value = self.row(row, [at[a] for a in args])
            at[i] = value
            stack.pop()
        self.count(len(at), span)
        return at[last]

    def body(self, function: Binding, args: Sequence[Operand], span: Span) -> Task:
        """The rows of a function, with its arguments as the parameters."""
        scope = dict(zip([name for name, _ in function.params or ()], args))
        if any(self.rows_of(arg) and not length_of(shape_of(arg)) for arg in args):
            scope[INSIDE] = 0
        for name in self.names.by[function.name] & scope.keys():
            scope[name] = self.variable(scope[name], constant=True)
        return self.run(function.value, scope, span)

    def row(self, row: Row, args: list[Any]) -> Any:
        """What a row comes to, of which the arguments are known."""
        op = row.op
        if op not in OTHERS:
            return self.each(op, row, args)
        if op == "call":
            return self.call(row, args)
        if op == "index":
            return self.index(row, args)
        if op == "slice":
            parts, given = iter(args), [*row.payload.split(":"), ""][:3]
            return [next(parts) if part else None for part in given]
        if op == "array":
            return self.stacked(args, row.span, row.args)
        return self.function("@", row, args) if op == "matmul" else args[0]

    def stacked(self, parts: list[Operand], span: Span, rows: Sequence[int]) -> Array:
        """The array of some parts, which have one shape; each is the value of a row."""
        shape = shape_of(parts[0]) if parts else ()
        for part, row in zip(parts, rows):
            if shape_of(part) != shape:
                here, other = shape_text(shape_of(part)), shape_text(shape)
                earlier = rows[0] if row != rows[0] else None
                raise self.wrong("ragged", row, earlier, shape=here, other=other)
        if length_of(shape):
            raise self.wrong("length_first", rows[0], name=length_of(shape))
        found = joined(parts) if parts else Array((0,), ())
        self.count(len(found.entries), span)
        self.refuse("too_many_axes", len(found.shape), limits.MAX_AXES, span)
        return found

    def index(self, row: Row, args: list[Any]) -> Operand:
        """`array[i, j:k]`; what is outside is a mistake only if it is used."""
        array, base = args[0], self.rows[row.args[0]]
        if not isinstance(array, Array):
            name = str(base.payload) if base.op == "name" else "x"
            raise self.wrong("index_of_number", base.span, name=name)
        if more := row.args[1 + len(array.shape) :]:
            raise self.wrong("index_too_many", more[0], shape=shape_text(array.shape))
        axes = list[int | range]()
        place = Place(array.length, 0) if array.length else None
        reads: list[tuple[int, Operand]] = []  # axes, and columns that say where
        slots = zip(args[1:], row.args[1:], array.shape)
        for axis, (value, slot, length) in enumerate(slots):
            if self.is_read(value, length):
                reads.append((axis, value))
                axes.append(0)
            elif not isinstance(length, str):
                axes.append(self.along(value, slot, array.shape, axis))
            elif isinstance(value, list):
                place = self.sliced(value, length, self.rows[slot].span)
                axes.append(range(1))
            else:
                place = self.pointed(value, length, self.rows[slot].span)
                axes.append(0)
        if len(reads) > 1:
            raise self.wrong("whole_expected", row.span)
        if reads:
            return self.read(array, axes, *reads[0], place)
        self.count(len(entries_of(picked := array.picked(axes))))
        return self.elsewhere(picked, place)

    def along(self, value: Slot, row: int, shape: Axes, axis: int) -> int | range:
        """The places that an index or a slice, a row, picks along an axis."""
        length: int = shape[axis]
        if isinstance(value, list):
            rows = iter(self.rows[row].args)
            parts = [x if x is None else self.known(x, next(rows)) for x in value]
            if parts[2] == 0:
                raise self.wrong("slice_standing", row)
            return range(length)[slice(*parts)]
        at = self.known(value, row)
        if not -length <= at < length:
            where = f" of axis {axis}" if len(shape) > 1 else ""
            key = "index_outside" if length else "index_of_nothing"
            names = {"index": at, "length": length, "last": length - 1}
            raise self.wrong(key, row, shape=shape_text(shape), where=where, **names)
        return at % length

    def is_read(self, value: Slot, length: int | str) -> bool:
        """Whether what an index is, is known in a row of columns only."""
        if isinstance(value, (Array, list)) or not self.names.lengths:
            return isinstance(value, Array) and bool(self.names.lengths)
        if isinstance(length, str):
            return bool(self.within[value]) and self.affine(value) is None
        varies = self.fixed is not None or bool(self.within[value])
        return varies and bool(length) and math.isnan(self.whole(value))

    def known(self, value: Operand, row: int) -> int:
        """The whole number that a row has to be."""
        found = self.whole(value)
        if math.isnan(found):
            raise self.wrong("whole_expected", row)
        return int(found)

    def call(self, row: Row, args: list[Operand]) -> Operand:
        """A function of the table, entry by entry, or one of arrays."""
        name, ops = str(row.payload), self.builder.ops.function(str(row.payload))
        found = next((op for op in ops if op.accepts(len(args))), None)
        if found is None:
            self.count(sum(len(entries_of(arg)) for arg in args))
            return self.function(name, row, args)
        if found.variadic:
            count = max(len(args), len(entries_of(args[0])))
            self.refuse("too_many_arguments", count, limits.MAX_ARGS, row.span)
            if len(args) == 1 and isinstance(args[0], Array):
                self.count(len(args[0].entries))
                self.require_fit(name, "an array", row, args)
                if args[0].length:
                    if found.name not in COLUMNS:
                        raise self.wrong("column_function", row.span, name=name)
                    return COLUMNS[found.name](self, args[0])
                return self.do(found.name, *args[0].entries)
        if found.is_ordered:
            orders = map(self.whole, entries_of(args[0]))
            if not all(0.0 <= order <= limits.MAX_ORDER for order in orders):
                names: dict[str, Any] = {"name": name, "most": limits.MAX_ORDER}
                raise self.wrong("order_not_constant", row.args[0], **names)
        return self.each(found.name, row, args)

    def each(self, op: str, row: Row, args: list[Any]) -> Operand:
        """An operation on numbers, or entry by entry on arrays of one shape."""
        if Array not in map(type, args):
            return self.do(op, *args)
        placed = [(i, arg) for i, arg in zip(row.args, args) if isinstance(arg, Array)]
        for i, arg in zip(row.args, args):
            if not isinstance(arg, Array) and self.within[arg] and placed[0][1].length:
                raise self.wrong("row_and_column", i, placed[0][0])
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
        of, hint = f" of {quote(name)}" if name else "", remedy("PRODUCTS", name)
        shapes = {"one": shape_text(x.shape)[6:], "other": shape_text(y.shape)[6:]}
        return self.wrong("shapes_differ", later, row, of=of, hint=hint, **shapes)

    def function(self, name: str, row: Row, args: list[Any]) -> Operand:
        """A function of arrays, or a product of them, `@`."""
        if name == "range":
            return self.whole_numbers(row, args)
        if name in DERIVATIVES:
            return self.derivative(name, row, args)
        takes, compute = RULES[name]
        self.require_fit(name, takes, row, args)
        if name in ("@", "dot") and args[0].shape[-1] != args[1].shape[0]:
            x, y = zip(row.args, args)
            raise self.differ(x, y, name)
        return compute(self, *args)

    def require_fit(self, name: str, takes: str, row: Row, args: list[Any]) -> None:
        """Refuse arguments that are no arrays, or not those that a function takes."""
        for i, x in zip(row.args, args):
            if not isinstance(x, Array):
                hint = remedy("ARRAYS", name)
                raise self.wrong("array_expected", i, hint=hint, name=name)
            if not FITS[takes](x.shape):
                names: dict[str, Any] = {"wanted": takes, "shape": shape_text(x.shape)}
                raise self.wrong("axes_expected", i, name=name, **names)
            if not x.entries and takes != "any array":
                raise self.wrong("array_empty", i, name=name)

    def whole_numbers(self, row: Row, args: list[Operand]) -> Operand:
        """`range(start, stop, step)`, whole numbers as in Python."""
        edges = filter(None, map(self.affine, args))
        if length := next((x.of for x in edges if x.kind == LENGTH), ""):
            parts = [None, *args] if len(args) == 1 else args
            length, first, _ = self.sliced([*parts, None][:3], length, row.span)
            return Array((length,), (self.numbered(length, first),))
        values = [self.known(arg, i) for arg, i in zip(args, row.args)]
        if values[2:] == [0]:
            raise self.wrong("slice_standing", row.args[2])
        numbers = range(*values)
        self.refuse("program_too_large", len(numbers), limits.MAX_NODES, row.span)
        return Array((len(numbers),), tuple(map(self.builder.const, numbers)))

    def derivative(self, name: str, row: Row, args: list[Operand]) -> Operand:
        """The derivatives of all entries by all variables; `slopes` writes them out.

        Second derivatives are the same node in either order.
        """
        for i, arg in zip(row.args, args):
            if length_of(shape_of(arg)) or self.states:
                raise self.wrong("derivative_of_column", i, name=name)
        y, x = entries_of(args[0]), entries_of(args[1])
        if not all(map(self.is_variable, x)):
            raise self.wrong("variable_expected", row.args[1], name=name)
        if name in ("grad", "hessian") and isinstance(args[0], Array):
            shape = shape_text(args[0].shape)
            raise self.wrong("gradient_of_array", row.args[0], name=name, shape=shape)
        self.count(len(x) * len(y))
        diff, count, call = self.builder.add, range(len(x)), self.serial()
        found = [diff(DIFF, entry, variable, call) for entry in y for variable in x]
        if name != "hessian":
            return shaped(shape_of(args[0]) + shape_of(args[1]), found)
        pairs = [(min(i, j), max(i, j)) for i in count for j in count]
        every = [diff(DIFF, found[i], x[j], call) for i, j in pairs]
        return shaped(shape_of(args[1]) * 2, every)

    def comprehension(self, end: int, scope: Scope) -> Task:
        """The array of what a body comes to, for each item that passes."""
        loop = self.rows[end].payload
        scopes, length = [scope], ""
        for clause in loop.clauses:
            span, wider = self.rows[clause.iterable].span, list[Scope]()
            for outer in scopes:
                value: Any = yield self.run(clause.iterable, outer, span)
                if not isinstance(value, Array):
                    raise self.wrong("iterable_expected", clause.iterable)
                if value.length:
                    if length or INSIDE in outer or len(loop.clauses) > 1:
                        raise self.wrong("loops_nested", clause.iterable)
                    length = value.length
                    outer = {**outer, INSIDE: 0}
                count = 1 if value.length else value.shape[0]
                self.count(LOOP * count, span)
                for k in range(count):
                    item = value.picked([k])
                    if clause.name in self.names.by[""]:
                        item = self.variable(item, constant=True)
                    further: Scope = {**outer, clause.name: item}
                    for row in clause.filters:
                        condition = yield self.run(row, further, span)
                        passes = self.decided(condition)
                        if passes is None:
                            raise self.wrong("filter_not_constant", row)
                        if not passes:
                            break
                    else:
                        wider.append(further)
            scopes = wider
        found: list[Operand] = []
        for each in scopes:
            found.append((yield self.run(loop.body, each, span)))
        if length:
            if length_of(shape_of(found[0])):
                raise self.wrong("loops_nested", loop.body)
            return Array((length, *shape_of(found[0])), entries_of(found[0]))
        return self.stacked(found, self.rows[end].span, [loop.body] * len(found))
