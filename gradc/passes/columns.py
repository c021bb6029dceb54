"""Which partials of a row serve a node best, by what is known of its arguments."""

from __future__ import annotations

from collections.abc import Sequence

from gradc.analysis.ranges import POSITIVE, Ranges
from gradc.ir import Builder, Program, arguments

CONE = 40  # nodes up to which it is found out what a node is computed from


class Columns:
    """Chooses a column of the table for the nodes of a program.

    `x^y` with a number for `y` has the partials that need least work and keep all
    digits. Where `y` varies those reuse the power, if it is not tiny; where a domain
    says that `x` is positive they have no branch. By convention the derivative of 0^0 by
    `y` is 0, but not along x^x, which has a slope there that tends to -inf.

    Attributes:
        several: the operations that have more columns than one.
    """

    def __init__(self, program: Program, builder: Builder) -> None:
        self.nodes = program.nodes
        self.several = frozenset(op.name for op in program.ops if op.varying)
        self.ranges = Ranges(builder, program.inputs)

    def of(self, op: str, args: Sequence[int]) -> str:
        """The column that has the partials of an operation."""
        if op not in self.several or self.nodes[args[1]][0] == "const":
            return "partials"
        if self.ranges.sign(args[0]) == POSITIVE:
            return "positive"
        return "joint" if self._meet(*args) else "varying"

    def _meet(self, x: int, y: int) -> bool:
        """Whether an input changes both of two nodes, which few others are below.

        In towers of powers each would ask all that those above it have asked.
        """
        return not self._inputs(x).isdisjoint(self._inputs(y))

    def _inputs(self, i: int) -> set[int]:
        """The inputs that a node is computed from; none if it is from too many nodes."""
        found, stack = {i}, [i]
        while stack:
            new = {*arguments(self.nodes[stack.pop()])} - found
            found |= new
            stack += new
            if len(found) > CONE:
                return set()
        return {a for a in found if self.nodes[a][0] == "input"}
