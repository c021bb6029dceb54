"""The formula as written, run step by step on numbers of any type.

`unroll` writes out the calls of the formula's own functions and changes nothing else:
nothing is folded, reordered or simplified, and nothing of `lower` is used, so that the
self-check compares compiled code with something that the compiler never touched.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gradc.arithmetic import Arithmetic
from gradc.ir import CONDITIONS, LAZY, Node, Program, arguments
from gradc.ops import OPS, Op, Table
from gradc.spelling import function
from gradc.syntax import Binding, Function, Result, Row, Span, Syntax
from gradc.value import Value, apply

Compute = Callable[..., Any]
Key = tuple[str, tuple[int, ...]]  # a call: the function, the nodes of the arguments

# What operations raise outside their domains; a TypeError is that of a complex power.
NOT_DEFINED = (ArithmeticError, ValueError, TypeError)

_MISSING = object()


# ---- from syntax to the plain list of steps


def unroll(syntax: Syntax, program: Program) -> Program:
    """The steps of a formula as written; `program` says what its inputs are."""
    work = _Unrolling(syntax, program)
    for statement in syntax.statements:
        if isinstance(statement, Function):
            work.functions[statement.name] = statement
        elif isinstance(statement, (Binding, Result)):
            value = work.expression(statement.first, statement.value)
            if isinstance(statement, Binding):
                work.scope[statement.name] = value
                work.names[value] = statement.name
    return Program(
        nodes=work.nodes,
        inputs=program.inputs,
        outputs=(value,),
        spans=work.spans,
        names=work.names,
        source=program.source,
        ops=program.ops,
    )


@dataclass
class _Frame:
    """An expression under way: the rows from `first` on, and the nodes they became."""

    first: int
    last: int
    scope: Mapping[str, int]
    key: Key | None = None
    at: list[int] = field(default_factory=list)


class _Unrolling:
    """The steps so far; the same step of the same arguments stands there once."""

    def __init__(self, syntax: Syntax, program: Program) -> None:
        self.rows, self.ops = syntax.rows, program.ops
        self.nodes: list[Node] = []
        self.spans: list[Span | None] = []
        self.names: dict[int, str] = {}
        self.index: dict[Node, int] = {}
        self.functions: dict[str, Function] = {}
        self.results: dict[Key, int] = {}
        self.scope: dict[str, int] = {}
        for item in program.inputs:
            self.scope[item.name] = self.add(("input", item.name), None)

    def add(self, node: Node, span: Span | None) -> int:
        found = self.index.setdefault(node, len(self.nodes))
        if found == len(self.nodes):
            self.nodes.append(node)
            self.spans.append(span)
        return found

    def expression(self, first: int, last: int) -> int:
        """Add the rows from `first` to `last`; return the node of the last one.

        A row that calls is met twice: first it puts the body on the stack, and once
        the body is done it finds the result.
        """
        stack = [_Frame(first, last, self.scope)]
        while True:
            frame = stack[-1]
            row = frame.first + len(frame.at)
            if row > frame.last:
                stack.pop()
                if frame.key is None:
                    return frame.at[-1]
                self.results[frame.key] = frame.at[-1]
                continue
            node = self.row(row, self.rows[row], frame, stack)
            if node is not None:
                frame.at.append(node)

    def row(self, i: int, row: Row, frame: _Frame, stack: list[_Frame]) -> int | None:
        """Return the node of a row, or None if a body has to come first."""
        args = tuple([frame.at[a - frame.first] for a in row.args])
        name = str(row.payload)
        if row.op == "number":
            return self.add(("const", row.payload), row.span)
        if row.op == "name":
            found = frame.scope.get(name, self.scope.get(name))
            return self.add((name,), row.span) if found is None else found
        if row.op == "pos":
            return args[0]
        if row.op != "call":
            return self.add((row.op, *args), row.span)
        called = self.functions.get(name)
        if called is None or called.value > i:  # not yet defined where the call stands
            op = next(o for o in self.ops.function(name) if o.accepts(len(args)))
            return self.add((op.name, *args), row.span)
        if (name, args) not in self.results:
            scope = dict(zip([param for param, _ in called.params], args))
            stack.append(_Frame(called.first, called.value, scope, (name, args)))
        return self.results.get((name, args))


# ---- running the steps


@dataclass
class Engine:
    """How the nodes of a program are computed on one type of number.

    `start` holds the constants; `computes` a function for each other node.
    """

    start: list[Any]
    computes: list[Compute]


@dataclass
class Trace:
    """What a run computed: the values, the order, and what each lazy node chose.

    `failed` is the node that raised, if one did; its value and the output's are absent.
    """

    values: list[Any]
    order: Sequence[int]
    chosen: dict[int, int]
    failed: int | None = None
    error: Exception | None = None


class Machine:
    """A program ready to run: only what is needed is computed, and nothing recurses."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lazy = any(node[0] in LAZY for node in program.nodes)
        self.leaves = [(i, n[1]) for i, n in enumerate(program.nodes) if _is_input(n)]
        self.fixed = _fixed(program)
        self.straight = [] if self.lazy else _needed(program)

    def engine(self, numbers: Arithmetic, over_values: bool = False) -> Engine:
        """The functions of the nodes, on plain numbers or on Values of such numbers."""
        program, ops = self.program, self.program.ops
        used = {node[0] for node in program.nodes} & {op.name for op in ops}
        plain = {name: _plain(ops[name], ops, numbers) for name in used}
        other = {name: _node(ops[name], ops) for name in used} if over_values else plain
        start: list[Any] = [_MISSING] * len(program.nodes)
        computes: list[Compute] = [_unknown] * len(program.nodes)
        for i, node in enumerate(program.nodes):
            if node[0] == "const":
                start[i] = numbers.number(node[1])
            elif node[0] != "input":
                computes[i] = (plain if self.fixed[i] else other)[node[0]]
        return Engine(start, computes)

    def run(self, engine: Engine, point: Mapping[str, Any]) -> Trace:
        """Compute the outputs at a point; what cannot be computed ends the run."""
        values = self._leaves(engine, point)
        if not self.lazy:
            trace = Trace(values, self.straight, {})
            return self._straight(engine, trace)
        trace = Trace(values, [], {})
        return self._lazily(engine, trace)

    def follow(self, engine: Engine, point: Mapping[str, Any], path: Trace) -> Trace:
        """Compute again what another run computed, whatever the conditions say now."""
        values = self._leaves(engine, point)
        return self._straight(engine, Trace(values, path.order, path.chosen))

    def _leaves(self, engine: Engine, point: Mapping[str, Any]) -> list[Any]:
        values = engine.start.copy()
        for i, name in self.leaves:
            values[i] = point[name]
        return values

    def _straight(self, engine: Engine, trace: Trace) -> Trace:
        nodes, values, computes = self.program.nodes, trace.values, engine.computes
        chosen, i = trace.chosen, -1
        try:
            for i in trace.order:
                if i in chosen:
                    values[i] = values[chosen[i]]
                else:
                    values[i] = computes[i](*[values[a] for a in nodes[i][1:]])
        except NOT_DEFINED as error:
            trace.failed, trace.error = i, error
        return trace

    def _lazily(self, engine: Engine, trace: Trace) -> Trace:
        nodes, values, computes = self.program.nodes, trace.values, engine.computes
        order: list[int] = []
        trace.order = order
        stack = list(reversed(self.program.outputs))
        while stack:
            i = stack[-1]
            if values[i] is not _MISSING:
                stack.pop()
                continue
            if nodes[i][0] in LAZY:
                waits = self._decide(i, trace)
            else:
                waits = [a for a in nodes[i][1:] if values[a] is _MISSING]
            if waits:
                stack += waits[::-1]
                continue
            stack.pop()
            order.append(i)
            try:
                if i in trace.chosen:
                    values[i] = values[trace.chosen[i]]
                else:
                    values[i] = computes[i](*[values[a] for a in nodes[i][1:]])
            except NOT_DEFINED as error:
                trace.failed, trace.error = i, error
                break
        return trace

    def _decide(self, i: int, trace: Trace) -> list[int]:
        """Choose the argument that a lazy node takes; return what it waits for."""
        op, first, *rest = self.program.nodes[i]
        known = trace.values[first]
        if known is _MISSING:
            return [first]
        if op == "where":
            taken = rest[0] if known else rest[1]
        else:
            taken = rest[0] if bool(known) == (op == "and") else first
        trace.chosen[i] = taken
        return [taken] if trace.values[taken] is _MISSING else []


def _is_input(node: Node) -> bool:
    return bool(node[0] == "input")


def _fixed(program: Program) -> list[bool]:
    """Which nodes depend on no input."""
    fixed: list[bool] = []
    for node in program.nodes:
        fixed.append(not _is_input(node) and all(fixed[a] for a in arguments(node)))
    return fixed


def _needed(program: Program) -> list[int]:
    """The nodes that the outputs depend on, in order, without the leaves."""
    needed = set(program.outputs)
    for i in range(len(program.nodes) - 1, -1, -1):
        if i in needed:
            needed.update(arguments(program.nodes[i]))
    return [i for i in sorted(needed) if program.nodes[i][0] not in ("const", "input")]


def _unknown(*args: Any) -> Any:
    raise AssertionError("a leaf is not computed")


def _plain(op: Op, ops: Table, numbers: Arithmetic) -> Compute:
    if op.name in CONDITIONS or op.name in LAZY:
        return function(op)
    return numbers.compute(op, ops)


_INFIX: Mapping[str, Compute] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}


def _node(op: Op, ops: Table) -> Compute:
    """What computes a row on Values, or on what a conditional made of them."""
    slow: Compute = partial(apply, op, ops=ops)
    if op.name not in OPS or OPS[op.name] is not op:
        return slow
    if op.name in _INFIX:
        return _INFIX[op.name]
    if op.name == "pow":
        return lambda x, y: x ** y if x.__class__ is Value else slow(x, y)
    if len(op.params) == 1 and not op.variadic and op.result == "number":
        if len(OPS.function(op.called)) == 1:
            quick: Compute = getattr(Value, op.called)
            return lambda x: quick(x) if x.__class__ is Value else slow(x)
    return slow


def is_finite(x: Any) -> bool:
    """Whether a number is one: neither infinite nor NaN, nor complex."""
    return isinstance(x, (int, float)) and math.isfinite(x)
