"""Arrays, loops and functions of a formula, written out as one flat program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from gradc import arrays, ir
from gradc.errors import mistake, shape_text
from gradc.language.rows import Rows
from gradc.language.shapes import (
    Array,
    Axes,
    Operand,
    Whole,
    entries_of,
    shape_of,
    shaped,
)
from gradc.language.syntax import Answer, Binding, Declaration, Function, Results, Shape


class Unfolding(Rows):
    """Grows a program by the statements of a formula."""

    def formula(
        self, declare: Callable[[Declaration], None]
    ) -> tuple[list[int], tuple[ir.Result, ...]]:
        """Run all statements, and return the outputs with their shapes.

        Arguments:
            declare: what is done with a declaration.
        """
        found: list[tuple[str, Operand]] = []
        for statement in self.syntax.statements:
            if isinstance(statement, Declaration):
                declare(statement)
            elif isinstance(statement, Results):
                found = [self.answer(answer) for answer in statement.answers]
            elif not isinstance(statement, Function):
                value = self.expression(statement.first, statement.value)
                if isinstance(statement, Binding):
                    self.bind(statement.name, value)
                found = [("", value)]
            self.size.check(statement.span)
        for _, value in found:
            if not entries_of(value):
                raise mistake("result_empty", self.source, statement.span)
        outputs = [
            self.node(entry) for _, value in found for entry in entries_of(value)
        ]
        return outputs, tuple(ir.Result(name, shape_of(value)) for name, value in found)

    def answer(self, answer: Answer) -> tuple[str, Operand]:
        """One of several results."""
        value = self.expression(answer.first, answer.value)
        if answer.name:
            self.scope.setdefault(answer.name, value)
            self.label(answer.name, value)
        return answer.name, value

    def declare(self, name: str, shape: Axes, elements: Sequence[str]) -> None:
        """Add an argument, a number or an array with these elements."""
        size = len(self.builder)
        self.scope[name] = shaped(shape, map(self.builder.input, elements))
        self.size.leaves += len(self.builder) - size

    def shape(self, shape: Shape) -> Axes:
        """The shape that a declaration gives."""
        self.require_axes(len(shape.axes), shape.span)
        found: list[int] = []
        first = shape.first
        for last in shape.axes:
            length = self.expression(first, last)
            if not isinstance(length, Whole) or length.value < 1.0:
                raise mistake("axis_not_whole", self.source, self.rows[last].span)
            found.append(int(length.value))
            self.size.hold(prod(found), self.rows[last].span)
            first = last + 1
        return tuple(found)

    def bind(self, name: str, value: Operand) -> None:
        """Give a name its value."""
        if self.variables.any:
            value = self.variable(value, constant=name in self.variables.bindings)
        self.scope[name] = value
        self.label(name, value)

    def label(self, name: str, value: Operand) -> None:
        """Give the nodes of a value a name."""
        texts = arrays.names(name, shape_of(value))
        for text, entry in zip(texts, entries_of(value)):
            if isinstance(entry, int):
                if self.builder.nodes[entry][0] not in ("input", "const"):
                    self.builder.name(entry, text)

    def number(self, first: int, last: int) -> int:
        """The node of an expression that has to be a number."""
        found = self.expression(first, last)
        if isinstance(found, Array):
            span = self.rows[last].span
            shape = shape_text(found.shape)
            raise mistake("number_expected", self.source, span, shape=shape)
        return self.node(found)
