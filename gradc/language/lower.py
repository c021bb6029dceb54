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

from gradc import arrays
from gradc.errors import Source, mistake, shape_text
from gradc.ir import Builder, Input, Program, compact
from gradc.language.arrays import Unfolding
from gradc.language.limits import MAX_OPS as MAX_OPS
from gradc.language.limits import Size
from gradc.language.names import Argument, Names
from gradc.language.parse import parse
from gradc.language.syntax import Declaration, Interval, Syntax
from gradc.language.vectors import Array
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
    return _Lowering(syntax, Names.of(syntax, ops, inputs), max_ops).program()


class _Lowering:
    """The program of one formula, and the inputs of each of its arguments."""

    def __init__(self, syntax: Syntax, names: Names, max_ops: int) -> None:
        self.syntax, self.names, self.source = syntax, names, syntax.source
        self.builder = Builder(names.table)
        size = Size(self.builder, self.source, max_ops)
        self.work = Unfolding(syntax, size, names)
        self.inputs: dict[str, list[Input]] = dict.fromkeys(names.arguments, [])
        self.ends: dict[Interval, Input] = {}

    def program(self) -> Program:
        """Run the statements; arrays are declared where their declarations stand."""
        for name, argument in self.names.arguments.items():
            if argument.shape is None:
                self.declare(name, argument)
        outputs, results = self.work.formula(self.declare_arrays)
        elements, notes = tuple(chain(*self.inputs.values())), tuple(self.names.notes)
        found = self.builder.finish(elements, outputs, self.source, notes, results)
        return compact(found)

    def declare_arrays(self, statement: Declaration) -> None:
        for item in statement.names:
            if item.shape is not None:
                self.declare(item.name, self.names.arguments[item.name])

    def declare(self, name: str, argument: Argument) -> None:
        """Add an argument, or the elements of an array."""
        shape = self.work.shape(argument.shape) if argument.shape else ()
        self.builder.span = argument.span
        whole = Input(name, argument.kind)
        if argument.interval is not None:
            domain = self.domain(argument.interval)
            whole = replace(domain, name=name, kind=argument.kind)
        inputs = [whole]
        if shape:
            whole = replace(whole, array=name, shape=shape)
            inputs = [replace(whole, name=e) for e in arrays.names(name, shape)]
        self.inputs[name] = inputs
        self.work.declare(name, shape, [item.name for item in inputs])

    # ---- domains

    def domain(self, interval: Interval) -> Input:
        """An input with the ends of an interval, which is not empty."""
        if interval not in self.ends:
            low = self.end(interval.first, interval.low)
            high = self.end(interval.low + 1, interval.high)
            if not low < high:
                place = self.source, interval.span
                raise mistake("interval_empty", *place, low=low, high=high)
            which = interval.low_open, interval.high_open
            self.ends[interval] = Input("", "input", low, high, *which)
        return self.ends[interval]

    def end(self, first: int, last: int) -> float:
        """Compute an end of an interval, in a program of its own."""
        span = self.syntax.rows[last].span
        builder = Builder(self.builder.ops)
        size = Size(builder, self.source, MAX_OPS)
        work = Unfolding(self.syntax, size, self.names)
        work.scope["inf"] = builder.const(math.inf)
        for row in self.syntax.rows[first : last + 1]:
            if row.op == "name" and row.payload not in CONSTANTS:
                raise mistake("interval_not_constant", self.source, row.span)
            if row.op == "call":
                self.names.check_call(row)
        node = work.expression(first, last)
        if isinstance(node, Array):
            shape = shape_text(node.shape)
            raise mistake("number_expected", self.source, span, shape=shape)
        program = builder.finish((), (node,), self.source)
        if DIFF in program.operations:
            raise mistake("interval_not_constant", self.source, span)
        try:
            (value,) = evaluate(program, {})
        except (ArithmeticError, ValueError):
            value = math.nan
        if math.isnan(value):
            raise mistake("interval_undefined", self.source, span)
        return float(value)
