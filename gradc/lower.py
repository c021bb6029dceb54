"""Syntax to program: every row becomes a node, and every call is written out.

A call of the formula's own functions replays the rows of the body with the arguments
in the place of the parameters.  The same function of the same nodes gives the same
node, so a call is replayed once for each list of arguments; calls within calls wait on
a stack of this module's own.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from gradc import errors
from gradc.errors import Span
from gradc.evaluate import evaluate
from gradc.ir import Builder, Input, Program
from gradc.names import Argument, Names
from gradc.ops import OPS, Table
from gradc.parse import parse
from gradc.source import Source
from gradc.syntax import Binding, Interval, Result, Syntax

MAX_OPS = 10_000_000
MAX_NODES = 2_000_000  # what CPython compiles, with the gradient, in a few GiB
REPLAYED = 2  # rows that calls may replay for each operation allowed: two are usual


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
    names = Names(syntax, ops)
    names.collect()
    if inputs is not None:
        names.give(inputs)
    names.resolve()
    return Lowering(syntax, names, max_ops).program()


Key = tuple[str, tuple[int, ...]]  # a call: the function, the nodes of the arguments


class Body(NamedTuple):
    """The rows of a function, and the names of its parameters."""

    params: tuple[str, ...]
    first: int
    last: int


class Lowering:
    """Grows the program of one formula; `values` holds the nodes of its names."""

    def __init__(self, syntax: Syntax, names: Names, max_ops: int = MAX_OPS) -> None:
        self.syntax, self.names, self.max_ops = syntax, names, max_ops
        self.most = min(max_ops, MAX_NODES)
        self.builder = Builder(names.ops)
        self.values: dict[str, int] = {}
        self.functions = {
            name: Body(tuple(p for p, _ in f.params), f.first, f.value)
            for name, f in names.functions.items()
        }
        self.results: dict[Key, int] = {}
        self.numbers: dict[int, int] = {}
        self.leaves = 0  # nodes that are no operations
        self.replayed = 0
        self.domains: dict[Interval, tuple[float, float]] = {}

    def program(self) -> Program:
        """Build the statements in order; the last one gives the output."""
        builder, arguments = self.builder, self.names.arguments
        for name, argument in arguments.items():
            builder.span = argument.span
            self.values[name] = builder.input(name)
        self.leaves, value = len(builder), 0
        for statement in self.syntax.statements:
            if not isinstance(statement, (Binding, Result)):
                continue
            value = self.expression(statement.first, statement.value)
            self.check_size(statement.span)
            if isinstance(statement, Binding):
                self.values[statement.name] = value
                if builder.nodes[value][0] not in ("input", "const"):
                    builder.name(value, statement.name)
        inputs = tuple(self.input(name, arg) for name, arg in arguments.items())
        notes = tuple(self.names.notes)
        return builder.finish(inputs, (value,), self.syntax.source, notes)

    def expression(self, first: int, last: int) -> int:
        """Build the rows from `first` to `last`; return the node of the last one.

        `at` holds the nodes of the rows from `first` on, `values` those of the names.
        An expression waits on the stack while a call in it is written out.
        """
        rows, builder, functions = self.syntax.rows, self.builder, self.functions
        results, values, i = self.results, self.values, first
        at: list[int] = []
        stack: list[tuple[Key, int, int, int, list[int], dict[str, int]]] = []
        node: int | None
        payload: Any  # the name in a name or a call, the value in a number
        while True:
            if i > last:
                node = at[-1]
                if not stack:
                    return node
                key, i, first, last, at, values = stack.pop()
                results[key] = node
            else:
                op, args, payload, start, end = rows[i]
                builder.span = start, end
                if op == "name":
                    node = values.get(payload)
                    if node is None:
                        node = self.name(payload)
                elif op == "number":
                    node = self.number(i, payload)
                elif op == "pos":
                    node = at[args[0] - first]
                elif op == "call":
                    key = payload, tuple([at[a - first] for a in args])
                    function = functions.get(payload)
                    if function is None or function.last > i:
                        node = self.operation(i, *key)
                    elif (node := results.get(key)) is None:
                        stack.append((key, i, first, last, at, values))
                        self.check_call(function, stack[0][1])
                        values, at = dict(zip(function.params, key[1])), []
                        i, first, last = function.first, function.first, function.last
                        continue
                else:
                    node = builder.add(op, *[at[a - first] for a in args])
            at.append(node)
            i += 1

    def name(self, name: str) -> int:
        """Return the node of an input, a binding or a constant."""
        if name not in self.values:
            self.values[name] = self.builder.add(name)
        return self.values[name]

    def number(self, row: int, value: float) -> int:
        """Return the node of a number, which is no operation."""
        node = self.numbers.get(row)
        if node is None:
            size = len(self.builder)
            node = self.numbers[row] = self.builder.const(value)
            self.leaves += len(self.builder) - size
        return node

    def operation(self, row: int, name: str, args: tuple[int, ...]) -> int:
        """Build a call of an operation of the table."""
        found = self.names.ops.function(name)
        op = next(op for op in found if op.accepts(len(args)))
        if op.is_ordered:
            order = self.builder.value_of(args[0])
            if order is None or order < 0.0 or order != math.floor(order):
                span = self.syntax.rows[self.syntax.rows[row].args[0]].span
                raise errors.order_not_constant(self.syntax.source, span, name)
        return self.builder.add(op.name, *args)

    # Size: what is built, and what is replayed without building anything

    def check_size(self, span: Span) -> None:
        """Refuse more operations than allowed; nodes that are shared count once."""
        excess = len(self.builder) - self.leaves - self.max_ops
        if excess > 0 or self.replayed > REPLAYED * self.max_ops:
            raise errors.too_many_operations(self.syntax.source, span, self.max_ops)
        if len(self.builder) > MAX_NODES:
            raise errors.program_too_large(self.syntax.source, span, MAX_NODES)

    def check_call(self, function: Body, row: int) -> None:
        """Count the rows of a call that is about to be written out, for `row`."""
        self.replayed += function.last - function.first + 1
        if len(self.builder.nodes) > self.most or self.replayed > self.max_ops:
            self.check_size(self.syntax.rows[row].span)

    # Domains

    def input(self, name: str, argument: Argument) -> Input:
        """Return an argument of the program, with the ends of its interval."""
        interval = argument.interval
        if interval is None:
            return Input(name, argument.kind)
        if interval not in self.domains:
            self.domains[interval] = self.domain(interval)
        low, high = self.domains[interval]
        return Input(
            name, argument.kind, low, high, interval.low_open, interval.high_open
        )

    def domain(self, interval: Interval) -> tuple[float, float]:
        """Compute the ends of an interval, which is not empty."""
        low = self.end(interval.first, interval.low)
        high = self.end(interval.low + 1, interval.high)
        if not low < high:
            raise errors.interval_empty(self.syntax.source, interval.span, low, high)
        return low, high

    def end(self, first: int, last: int) -> float:
        """Compute an end of an interval, in a program of its own."""
        source, span = self.syntax.source, self.syntax.rows[last].span
        scratch = Lowering(self.syntax, self.names)
        scratch.values["inf"] = scratch.builder.const(math.inf)
        for row in self.syntax.rows[first : last + 1]:
            if row.op == "name" and row.payload not in ("inf", "pi", "e"):
                raise errors.interval_not_constant(source, row.span)
            if row.op == "call":
                self.names.check_call(row)
        node = scratch.expression(first, last)
        program = scratch.builder.finish((), (node,), source)
        try:
            (value,) = evaluate(program, {})
        except (ArithmeticError, ValueError):
            value = math.nan
        if math.isnan(value):
            raise errors.interval_undefined(source, span)
        return float(value)
