"""The formula as written, as a plain list of steps: calls and loops written out.

Nothing is folded, reordered or simplified but whole numbers where that is exact, and
nothing is shared with `lower` but the reading of arrays, so that the self-check compares
compiled code with something that the compiler never touched.
"""

from __future__ import annotations

from gradc.ir import Builder, Program, grouped
from gradc.language.arrays import Unfolding
from gradc.language.limits import MAX_OPS, Size
from gradc.language.names import Variables
from gradc.language.syntax import Span, Syntax
from gradc.passes.slopes import slopes


class Steps(Builder):
    """Grows a list of steps; the same step of the same arguments stands there once."""

    def add(self, op: str, *args: int) -> int:
        """Return the position of a step, to which no identity is applied."""
        return self._intern((op, *args), (op, *args))


class Boundless(Size):
    """Counts nothing, for `lower` has refused what is too large."""

    def run(self, rows: int, span: Span) -> None:
        pass

    def check(self, span: Span) -> None:
        pass

    def hold(self, entries: int, span: Span) -> None:
        pass


def unroll(syntax: Syntax, program: Program) -> Program:
    """The steps of a formula as written; `program` says what its inputs are."""
    variables = Variables(syntax)
    builder = Steps(variables.table(program.ops))
    work = Unfolding(syntax, Boundless(builder, program.source, MAX_OPS), variables)
    for name, shape, elements in grouped(program.inputs):
        work.declare(name, shape, [item.name for item in elements])
    outputs, results = work.formula(lambda declaration: None)
    found = builder.finish(program.inputs, outputs, program.source, results=results)
    return slopes(found, Steps)
