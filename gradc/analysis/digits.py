"""Nodes below which no input stands, in more digits than floats have."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from gradc.careful import DIGITS, Careful, has_digits
from gradc.ir import Builder, Program, arguments
from gradc.source import Source

SHORT = 2.0**10  # of which a number is a whole part that is likely no accident
LARGEST = 2.0**20
ALIKE = 2.0**-45  # by which a float may miss what it stands for
AGREE = Decimal(10) ** -36  # what the digits of a function are right to, by its size


class Digits:
    """Runs constant nodes of a builder, each once."""

    def __init__(self, builder: Builder) -> None:
        self._program = Program(
            nodes=builder.nodes,
            inputs=(),
            outputs=(),
            spans=(),
            names={},
            source=Source(""),
            ops=builder.ops,
            exact=builder.exact,
        )
        self._run = Careful(self._program, (), DIGITS, -1)
        self._known: dict[int, bool] = {}

    def of(self, i: int) -> Decimal | None:
        """What a node is; None if it is no number, or a float at some step."""
        if not self._is_known(i):
            return None
        found = self._run.number(i)
        return found if found.is_finite() else None

    def short(self, i: int, rounded: float) -> Fraction | None:
        """The simple number that a node is, which floats find to be one next to it."""
        if not abs(rounded) < LARGEST:
            return None
        near = round(rounded * SHORT) / SHORT
        if abs(near - rounded) > ALIKE * abs(near):
            return None
        found = self.of(i)
        if found is None or abs(found - Decimal(near)) > AGREE * abs(found):
            return None
        return Fraction(near)

    def _is_known(self, i: int) -> bool:
        """Whether a node has its digits throughout."""
        stack = [i]
        while stack:
            i = stack[-1]
            node = self._program.nodes[i]
            missing = [a for a in arguments(node) if a not in self._known]
            stack += missing
            if not missing:
                stack.pop()
                own = node[0] != "input" and has_digits(self._program, node)
                self._known[i] = own and all(self._known[a] for a in arguments(node))
        return self._known[i]
