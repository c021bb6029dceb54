"""Syntax to program: every row becomes a node, and every call is written out.

A call of the formula's own functions replays the rows of the body with the arguments
in the place of the parameters.  The same function of the same nodes gives the same
node, so a call is replayed once for each list of arguments; calls within calls wait on
a stack of this module's own.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from gradc.errors import Source, mistake
from gradc.ir import Builder, Input, Program
from gradc.language.domains import Domains
from gradc.language.limits import MAX_OPS as MAX_OPS
from gradc.language.limits import MAX_ORDER, Size, is_order
from gradc.language.names import Argument, Names
from gradc.language.parse import parse
from gradc.language.syntax import Binding, Declaration, Result, Syntax
from gradc.language.unfold import Unfolding
from gradc.language.variables import Variables
from gradc.ops import OPS, Table


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
    if names.arrays:
        return unfolded(syntax, names, max_ops)
    return Lowering(syntax, names, max_ops).program()


def unfolded(syntax: Syntax, names: Names, max_ops: int) -> Program:
    """Build the program of a formula that has arrays."""
    variables = Variables(syntax)
    builder = Builder(variables.table(names.ops))
    work = Unfolding(syntax, Size(builder, syntax.source, max_ops), variables)
    domains = Domains(syntax, names)
    inputs: dict[str, tuple[Input, ...]] = dict.fromkeys(names.arguments, ())

    def declare(name: str, argument: Argument) -> None:
        shape = work.shape(argument.shape) if argument.shape else ()
        builder.span = argument.span
        inputs[name] = domains.inputs(name, argument, shape)
        work.declare(name, shape, [item.name for item in inputs[name]])

    def declare_arrays(statement: Declaration) -> None:
        for item in statement.names:
            if item.shape is not None:
                declare(item.name, names.arguments[item.name])

    for name, argument in names.arguments.items():
        if argument.shape is None:
            declare(name, argument)
    outputs, results = work.formula(declare_arrays)
    elements = tuple(chain.from_iterable(inputs.values()))
    notes = tuple(names.notes)
    return builder.finish(elements, outputs, syntax.source, notes, results)


Key = tuple[str, tuple[int, ...]]  # a call: the function, the nodes of the arguments


class Body(NamedTuple):
    """The rows of a function, and the names of its parameters."""

    params: tuple[str, ...]
    first: int
    last: int


class Lowering:
    """Grows the program of one formula; `values` holds the nodes of its names."""

    def __init__(self, syntax: Syntax, names: Names, max_ops: int = MAX_OPS) -> None:
        self.syntax, self.names = syntax, names
        self.builder = Builder(names.ops)
        self.size = Size(self.builder, syntax.source, max_ops)
        self.values: dict[str, int] = {}
        self.functions = {
            name: Body(tuple(p for p, _ in f.params), f.first, f.value)
            for name, f in names.functions.items()
        }
        self.results: dict[Key, int] = {}
        self.numbers: dict[int, int] = {}
        self.value = -1  # the node of the last statement so far

    def program(self) -> Program:
        """Build the statements in order; the last one gives the output."""
        self.declare()
        self.build(self.syntax)
        return self.finish(self.syntax)

    def declare(self) -> None:
        """Build the inputs."""
        for name, argument in self.names.arguments.items():
            self.builder.span = argument.span
            self.values[name] = self.builder.input(name)
        self.size.leaves = len(self.builder)

    def build(self, syntax: Syntax) -> None:
        """Build statements in order."""
        self.syntax, self.numbers, builder = syntax, {}, self.builder
        for statement in syntax.statements:
            if not isinstance(statement, (Binding, Result)):
                continue
            self.value = value = self.expression(statement.first, statement.value)
            self.size.check(statement.span)
            if isinstance(statement, Binding):
                self.values[statement.name] = value
                if builder.nodes[value][0] not in ("input", "const"):
                    builder.name(value, statement.name)

    def finish(self, declared: Syntax) -> Program:
        """The program of what has been built, with the domains that are declared."""
        domains, arguments = Domains(declared, self.names), self.names.arguments
        inputs = [
            i for name in arguments for i in domains.inputs(name, arguments[name])
        ]
        notes = tuple(self.names.notes)
        source = declared.source
        return self.builder.finish(tuple(inputs), (self.value,), source, notes)

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
                if op == "name" and (node := values.get(payload)) is not None:
                    at.append(node)  # most do no more
                    i += 1
                    continue
                builder.span = start, end
                if op == "name":
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
                elif len(args) == 2:
                    node = builder.add(op, at[args[0] - first], at[args[1] - first])
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
            node = self.numbers[row] = self.size.const(value)
        return node

    def operation(self, row: int, name: str, args: tuple[int, ...]) -> int:
        """Build a call of an operation of the table."""
        found = self.names.ops.function(name)
        op = next(op for op in found if op.accepts(len(args)))
        if op.is_ordered:
            order = self.builder.value_of(args[0])
            if order is None or not is_order(order):
                span = self.syntax.rows[self.syntax.rows[row].args[0]].span
                names: dict[str, Any] = {"name": name, "most": MAX_ORDER}
                raise mistake("order_not_constant", self.syntax.source, span, **names)
        return self.builder.add(op.name, *args)

    def check_call(self, function: Body, row: int) -> None:
        """Count the rows of a call that is about to be written out, for `row`."""
        rows = function.last - function.first + 1
        self.size.replay(rows, self.syntax.rows[row].span)
