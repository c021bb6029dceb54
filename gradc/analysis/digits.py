"""Nodes below which no input stands, in more digits than floats have."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from gradc.ir import CONDITIONS, Builder, arguments

if TYPE_CHECKING:
    from gradc.analysis.sampling import Values

SHORT = 2.0**10  # of which a number is a whole part that is likely no accident
LARGEST = 2.0**20
ALIKE = 2.0**-45  # by which a float may miss what it stands for
AGREE = Decimal(10) ** -36  # what the digits of a function are right to, by its size


class Digits:
    """Runs constant nodes of a builder, each once."""

    def __init__(self, builder: Builder) -> None:
        from gradc.analysis import sampling  # loads `decimal`, which few formulas need

        self._sampling = sampling
        self._builder = builder
        self._sample = sampling.Sample((), builder.ops, principal=True)
        self._known: dict[int, Values | None] = {}

    def of(self, i: int) -> Decimal | None:
        """What a node is; None if it is no number, or not known in digits."""
        stack = [i]
        with self._sampling.in_full():
            while stack:
                k = stack[-1]
                missing = [
                    a for a in arguments(self._builder.nodes[k]) if a not in self._known
                ]
                stack += missing
                if not missing:
                    self._known[stack.pop()] = self._values(k)
        found = self._known[i]
        return None if found is None or not found.points else found.exact[0]

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

    def _values(self, i: int) -> Values | None:
        node = self._builder.nodes[i]
        if node[0] == "input" or node[0] in CONDITIONS:
            return None
        args = [self._known[a] for a in arguments(node)]
        known = [a for a in args if a is not None]
        ops = self._builder.ops
        if len(known) < len(args) or (
            node[0] != "const"
            and self._sampling.is_opaque(ops[node[0]], len(args), ops)
        ):
            return None
        return self._sample.values(node, known)
