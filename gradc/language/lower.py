"""Syntax to program: the arguments with their domains, and the rows run one by one.

A call of the formula's own functions is written out: the rows of the body run with the
arguments in the place of the parameters. The same function of the same nodes gives the
same node, so a body is run once for each list of arguments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from math import prod

from gradc import arrays
from gradc.errors import Source
from gradc.ir import Builder, Input, Program, compact
from gradc.language.arrays import Unfolding
from gradc.language.limits import MAX_OPS as MAX_OPS
from gradc.language.limits import Size
from gradc.language.names import Argument, Names
from gradc.language.parse import parse
from gradc.language.syntax import Declaration, Interval, Shape, Syntax
from gradc.language.vectors import Array, Axes, entries_of
from gradc.ops import DIFF, OPS, Table
from gradc.run import evaluate

CONSTANTS = ("inf", "pi", "e")  # what the end of an interval may be made of


def read(
    text: str | Source,
    name: str = "<formula>",
    ops: Table = OPS,
    *,
    inputs: Sequence[str] | None = None,
    max_ops: int = MAX_OPS,
) -> Program:
    """Parse and lower a formula; see `lower`."""
    return lower(parse(text, name), ops, inputs=inputs, max_ops=max_ops)


def lower(
    syntax: Syntax,
    ops: Table = OPS,
    *,
    inputs: Sequence[str] | None = None,
    max_ops: int = MAX_OPS,
) -> Program:
    """Build the program of a formula.

    Arguments:
        inputs: acts as an `input` line: declares the names and their order.
        max_ops: how many operations the program may have, with all calls written out.

    Raises:
        GradcError: a name, a call, an interval or the size is not in order.
    """
    names = Names(syntax, ops, inputs)
    size = Size(Builder(names.table), syntax.source, max_ops)
    return _Lowering(syntax, size, names).program()


class _Lowering(Unfolding):
    """The program of one formula, and the inputs of each of its arguments."""

    def program(self) -> Program:
        """Run the statements; arrays are declared where their declarations stand."""
        arguments, self.ends = self.names.arguments, dict[Interval, Input]()
        self.inputs: dict[str, list[Input]] = dict.fromkeys(arguments, [])
        for name, argument in arguments.items():
            if argument.shape is None:
                self.argument(name, argument)
        outputs, results = self.formula()
        elements, notes = tuple(chain(*self.inputs.values())), tuple(self.names.notes)
        found = self.builder.finish(elements, outputs, self.source, notes, results)
        return compact(found)

    def declaration(self, statement: Declaration) -> None:
        """Declare the arrays of a line."""
        for item in statement.names:
            if item.shape is not None:
                self.argument(item.name, self.names.arguments[item.name])

    def argument(self, name: str, argument: Argument) -> None:
        """Add an argument, or the elements of an array."""
        shape = self.shape(argument.shape) if argument.shape else ()
        self.builder.span = argument.span
        domain = argument.interval and self.domain(argument.interval) or Input("")
        whole = replace(domain, name=name, kind=argument.kind)
        inputs = [whole]
        if shape:
            whole = replace(whole, array=name, shape=shape)
            inputs = [replace(whole, name=e) for e in arrays.names(name, shape)]
        self.inputs[name] = inputs
        self.declare(name, shape, [item.name for item in inputs])

    def shape(self, shape: Shape) -> Axes:
        """The shape that a declaration gives."""
        self.require_axes(len(shape.axes), shape.span)
        found: list[int] = []
        for axis in shape.axes:
            node = self.expression(axis)
            length = None if isinstance(node, Array) else self.whole.get(node)
            if length is None or length < 1.0:
                raise self.wrong("axis_not_whole", axis)
            found.append(int(length))
            self.size.hold(prod(found), self.rows[axis].span)
        return tuple(found)

    # ---- domains

    def domain(self, interval: Interval) -> Input:
        """An input with the ends of an interval, which is not empty."""
        if interval not in self.ends:
            low = self.end(interval.first, interval.low)
            high = self.end(interval.low + 1, interval.high)
            if not low < high:
                raise self.wrong("interval_empty", interval.span, low=low, high=high)
            which = interval.low_open, interval.high_open
            self.ends[interval] = Input("", "input", low, high, *which)
        return self.ends[interval]

    def end(self, first: int, last: int) -> float:
        """Compute an end of an interval, in a program of its own."""
        builder = Builder(self.builder.ops)
        work = Unfolding(self.syntax, Size(builder, self.source, MAX_OPS), self.names)
        work.scope["inf"] = builder.const(math.inf)
        for i in range(first, last + 1):
            if self.rows[i].op == "name" and self.rows[i].payload not in CONSTANTS:
                raise self.wrong("interval_not_constant", i)
            if self.rows[i].op == "call":
                self.names.check_call(i)
        node = work.expression(last)
        program = builder.finish((), entries_of(node), self.source)
        if isinstance(node, Array) or DIFF in program.operations:
            raise self.wrong("interval_not_constant", last)
        try:
            (value,) = evaluate(program, {})
        except (ArithmeticError, ValueError):
            value = math.nan
        if math.isnan(value):
            raise self.wrong("interval_undefined", last)
        return float(value)
