"""The interpreter: what the nodes of a program are at a point, on numbers of any type.

It is the meaning of a program, which passes and printed code are tested against, and
what names the part at fault where a module raises. Only what the outputs need is
computed: `where`, `and` and `or` ask for the side that they take. Nothing recurses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradc.arithmetic import FLOATS, Arithmetic
from gradc.ir import LAZY, Program, arguments

# What operations raise outside their domains; a TypeError is that of a complex power.
NOT_DEFINED = (ArithmeticError, ValueError, TypeError)

_MISSING = object()


@dataclass
class Run:
    """What was computed: the values, in which order, and what each lazy node took.

    `failed` is the node that raised `error`; what comes after it has no value.
    """

    program: Program
    outputs: Sequence[int]
    values: list[Any]
    order: list[int] = field(default_factory=list)
    taken: dict[int, int] = field(default_factory=dict)
    failed: int | None = None
    error: Exception | None = None

    def has(self, i: int) -> bool:
        """Whether a node was needed, and could be computed."""
        return self.values[i] is not _MISSING

    def results(self) -> tuple[Any, ...]:
        """The outputs.

        Raises:
            ArithmeticError, ValueError: what the node that failed has raised.
        """
        if self.error is not None:
            raise self.error
        return tuple([self.values[i] for i in self.outputs])

    def reads(self, i: int) -> Sequence[int]:
        """The arguments that a node needs: of a lazy one the side that it takes.

        Before its condition is known, that is what it waits for.
        """
        op, args = self.program.nodes[i][0], arguments(self.program.nodes[i])
        if op not in LAZY:
            return args
        first = self.values[args[0]]
        if i not in self.taken and first is not _MISSING:
            sides = args[1:] if op == "where" else args[:: -1 if op == "and" else 1]
            self.taken[i] = sides[0] if first else sides[1]
        return args[0], self.taken.get(i, args[0])

    def fault(self) -> int | None:
        """The node at fault where the run raised or is not finite; None where it is.

        Of what is not finite it is found from the output back: infinities on the way
        that do no harm are passed by.
        """
        if self.failed is not None:
            return self.failed
        for i in self.outputs:
            bad = [i]
            while bad := [a for a in bad if not math.isfinite(self.values[a])]:
                i, bad = bad[0], list(self.reads(bad[0]))
            if not math.isfinite(self.values[i]):
                return i
        return None


def run(
    program: Program,
    point: Mapping[str, Any],
    numbers: Arithmetic = FLOATS,
    *,
    outputs: Sequence[int] | None = None,
) -> Run:
    """Compute some nodes of a program at a point; what raises ends the run.

    Arguments:
        numbers: what the rows are computed on; by default floats.
        outputs: the nodes that are wanted, by default the program's outputs.
    """
    nodes, ops, leaves = program.nodes, program.ops, {"const", "input"}
    computes = {o: numbers.compute(ops[o]) for o in program.operations - leaves}
    values = [numbers.number(x[1]) if x[0] == "const" else _MISSING for x in nodes]
    found = Run(program, program.outputs if outputs is None else outputs, values)
    stack = list(reversed(found.outputs))
    while stack:
        i = stack[-1]
        if values[i] is _MISSING:
            op, *args = nodes[i]
            if waits := [a for a in found.reads(i) if values[a] is _MISSING]:
                stack += reversed(waits)
                continue
            try:
                if op == "input":
                    values[i] = point[args[0]]
                elif op in LAZY:
                    values[i] = values[found.taken[i]]
                else:
                    values[i] = computes[op](*[values[a] for a in args])
            except NOT_DEFINED as error:
                found.failed, found.error = i, error
                return found
            found.order.append(i)
        stack.pop()
    return found


def evaluate(program: Program, point: Mapping[str, Any]) -> tuple[Any, ...]:
    """The outputs of a program at a point, a mapping from input names to floats.

    Raises:
        ArithmeticError, ValueError: what the operations raise outside their domains.
    """
    return run(program, point).results()
