"""The arguments of a program, with the domains that the formula declares."""

import math
from dataclasses import replace
from functools import cached_property

from gradc import arrays
from gradc.errors import mistake
from gradc.ir import Builder, Input
from gradc.language.limits import MAX_OPS, Size
from gradc.language.names import Argument, Names
from gradc.language.shapes import Axes
from gradc.language.syntax import Interval, Syntax
from gradc.language.unfold import Unfolding
from gradc.language.variables import Variables
from gradc.ops import DIFF
from gradc.run import evaluate

CONSTANTS = ("inf", "pi", "e")


class Domains:
    """Computes the ends of the intervals, each once."""

    def __init__(self, syntax: Syntax, names: Names) -> None:
        self.syntax, self.names = syntax, names
        self.known: dict[Interval, tuple[float, float]] = {}

    @cached_property
    def variables(self) -> Variables:
        return Variables(self.syntax)

    def inputs(
        self, name: str, argument: Argument, shape: Axes = ()
    ) -> tuple[Input, ...]:
        """Return an argument of the program, or the elements of an array."""
        whole = Input(name, argument.kind)
        if argument.interval is not None:
            whole = Input(name, argument.kind, *self.ends(argument.interval))
        if not shape:
            return (whole,)
        whole = replace(whole, array=name, shape=shape)
        return tuple(replace(whole, name=e) for e in arrays.names(name, shape))

    def ends(self, interval: Interval) -> tuple[float, float, bool, bool]:
        """Compute the ends of an interval, which is not empty; which are open?"""
        if interval not in self.known:
            low = self.end(interval.first, interval.low)
            high = self.end(interval.low + 1, interval.high)
            if not low < high:
                source, span = self.syntax.source, interval.span
                raise mistake("interval_empty", source, span, low=low, high=high)
            self.known[interval] = low, high
        return *self.known[interval], interval.low_open, interval.high_open

    def end(self, first: int, last: int) -> float:
        """Compute an end of an interval, in a program of its own."""
        source, span = self.syntax.source, self.syntax.rows[last].span
        builder = Builder(self.variables.table(self.names.ops))
        size = Size(builder, source, MAX_OPS)
        work = Unfolding(self.syntax, size, self.variables)
        work.scope["inf"] = builder.const(math.inf)
        for row in self.syntax.rows[first : last + 1]:
            if row.op == "name" and row.payload not in CONSTANTS:
                raise mistake("interval_not_constant", source, row.span)
            if row.op == "call":
                self.names.check_call(row)
        node = work.number(first, last)
        program = builder.finish((), (node,), source)
        if DIFF in program.operations:
            raise mistake("interval_not_constant", source, span)
        try:
            (value,) = evaluate(program, {})
        except (ArithmeticError, ValueError):
            value = math.nan
        if math.isnan(value):
            raise mistake("interval_undefined", source, span)
        return float(value)
