"""The formula as written, as a plain list of steps: its calls written out, no more.

Nothing is folded, reordered or simplified, and nothing of `lower` is used, so that the
self-check compares compiled code with something that the compiler never touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradc.ir import Node, Program
from gradc.syntax import Binding, Function, Result, Row, Span, Syntax

Key = tuple[str, tuple[int, ...]]  # a call: the function, the nodes of the arguments


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
