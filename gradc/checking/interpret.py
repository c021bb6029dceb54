"""A program run step by step, on numbers of any type."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gradc.engine.arithmetic import Arithmetic
from gradc.engine.value import Value, apply
from gradc.ir import CONDITIONS, LAZY, Node, Program, arguments
from gradc.ops import OPS, Op, Table
from gradc.spelling import function

Compute = Callable[..., Any]

# What operations raise outside their domains; a TypeError is that of a complex power.
NOT_DEFINED = (ArithmeticError, ValueError, TypeError)

_MISSING = object()


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
        self.lazy = not LAZY.isdisjoint(program.operations)
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
                node = nodes[i]
                if i in chosen:
                    values[i] = values[chosen[i]]
                elif len(node) == 3:  # most are: this one in two thirds of the time
                    values[i] = computes[i](values[node[1]], values[node[2]])
                else:
                    values[i] = computes[i](*[values[a] for a in node[1:]])
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
