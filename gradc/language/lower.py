"""Syntax to program: the arguments with their domains, and the statements one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from math import prod

from gradc import arrays
from gradc.ir import Builder, Input, Program, Result, compact
from gradc.language import limits
from gradc.language.arrays import Unfolding
from gradc.language.names import Names
from gradc.language.syntax import Answer, Binding, Declaration, Function, Interval
from gradc.language.syntax import Item, Shape, Syntax
from gradc.language.vectors import Array, Axes, Operand, entries_of, shape_of, shaped
from gradc.ops import OPS, Table
from gradc.run import evaluate

CONSTANTS = ("inf", "pi", "e")  # what the end of an interval may be made of
NOWHERE = (None, None, False, False)

Domain = tuple[float | None, float | None, bool, bool]  # the ends, and which are open


def lower(
    syntax: Syntax,
    ops: Table = OPS,
    *,
    inputs: Sequence[str] | None = None,
    max_ops: int = limits.MAX_OPS,
    kind: type[Builder] = Builder,
) -> Program:
    """Build the program of a formula.

    Arguments:
        inputs: acts as an `input` line: declares the names and their order.
        max_ops: how many operations the program may have, with all calls written out.
        kind: what grows the program.

    Raises:
        GradcError: a name, a call, an interval or the size is not in order.
    """
    names = Names(syntax, ops, inputs)
    builder = kind(ops.differentiable if names.slopes else ops)
    size = limits.Size(builder, syntax.source, max_ops)
    return _Lowering(size, names).program()


class _Lowering(Unfolding):
    """The program of one formula, and the inputs of each of its arguments."""

    def program(self) -> Program:
        """Run the statements; arrays are declared where their declarations stand."""
        self.ends: dict[Interval, Domain] = {}
        self.inputs: dict[str, list[Input]] = dict.fromkeys(self.names.arguments, [])
        for item in self.names.arguments.values():
            if item.shape is None:
                self.declare(item)
        for statement in self.names.syntax.statements:
            if isinstance(statement, Declaration):
                for item in statement.names:
                    if item.shape is not None:
                        self.declare(item)
            elif isinstance(statement, Binding):
                found = [("", self.bind(statement))]
            elif not isinstance(statement, Function):
                found = [(a.name, self.bind(a)) for a in statement.answers]
            self.size.check(statement.span)
        if not all(entries_of(value) for _, value in found):
            raise self.wrong("result_empty", statement.span)
        outputs = [entry for _, value in found for entry in entries_of(value)]
        results = tuple(Result(name, shape_of(value)) for name, value in found)
        inputs, notes = tuple(chain(*self.inputs.values())), tuple(self.names.notes)
        return compact(
            self.builder.finish(inputs, outputs, self.source, notes, results)
        )

    def bind(self, named: Binding | Answer) -> Operand:
        """Give a name its value, if there is one; where it has one that stays."""
        name, value = named.name, self.expression(named.value)
        if name:
            if self.names.slopes and isinstance(named, Binding):
                value = self.variable(value, constant=name in self.names.by[""])
            self.scope.setdefault(name, value)
            entries = arrays.names(name, shape_of(value))
            for entry, text in zip(entries_of(value), entries):
                if self.builder.nodes[entry][0] not in ("input", "const"):
                    self.builder.name(entry, text)
        return value

    # ---- arguments

    def declare(self, item: Item) -> None:
        """Add an argument, or the elements of an array."""
        name, shape = item.name, self.shape(item.shape) if item.shape else ()
        ends = self.domain(item.interval) if item.interval else NOWHERE
        array = name if shape else ""
        self.inputs[name] = inputs = [
            Input(element, item.kind, *ends, array, shape)
            for element in arrays.names(name, shape)
        ]
        self.builder.span = item.span
        self.scope[name] = shaped(shape, [self.builder.input(i.name) for i in inputs])

    def shape(self, shape: Shape) -> Axes:
        """The shape that a declaration gives."""
        self.size.refuse("too_many_axes", len(shape.axes), limits.MAX_AXES, shape.span)
        found: list[int] = []
        for axis in shape.axes:
            node = self.expression(axis)
            length = None if isinstance(node, Array) else self.whole.get(node)
            if length is None or length < 1.0:
                raise self.wrong("axis_not_whole", axis)
            found.append(int(length))
            most, span = limits.MAX_NODES, self.rows[axis].span
            self.size.refuse("program_too_large", prod(found), most, span)
        return tuple(found)

    def domain(self, interval: Interval) -> Domain:
        """An interval, which is not empty; one may belong to many names."""
        if interval not in self.ends:
            low = self.end(interval.first, interval.low)
            high = self.end(interval.low + 1, interval.high)
            if not low < high:
                raise self.wrong("interval_empty", interval.span, low=low, high=high)
            self.ends[interval] = low, high, interval.low_open, interval.high_open
        return self.ends[interval]

    def end(self, first: int, last: int) -> float:
        """Compute an end of an interval, in a program of its own."""
        size = limits.Size(Builder(self.builder.ops), self.source, limits.MAX_OPS)
        work = Unfolding(size, self.names)
        work.scope["inf"] = work.builder.const(math.inf)
        for i in range(first, last + 1):
            op, name = self.rows[i].op, self.rows[i].payload
            own = op == "call" and self.names.function(name, i)
            if own or op == "name" and name not in CONSTANTS:
                raise self.wrong("interval_not_constant", i)
            if op == "call":
                self.names.check_call(i)
        node = work.expression(last)
        program = work.builder.finish((), entries_of(node), self.source)
        if isinstance(node, Array):
            raise self.wrong("interval_not_constant", last)
        try:
            (value,) = evaluate(program, {})
        except (ArithmeticError, ValueError):
            value = math.nan
        if math.isnan(value):
            raise self.wrong("interval_undefined", last)
        return float(value)
