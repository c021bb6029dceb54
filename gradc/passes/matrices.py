"""The Jacobian and the Hessian: their entries that are not zero, each computed once.

A Jacobian is accumulated row by row in reverse mode or column by column in forward mode;
a Hessian forward over reverse, where an entry and the one opposite are the same node.
The way that makes the fewest operations is taken. Entries that are
zero whatever the inputs are absent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gradc.costs import cost
from gradc.functions import Entries, Place
from gradc.ir import Builder, Pass, Program, compact, unchanged
from gradc.language.limits import check_derivatives, check_entries
from gradc.passes.derive import ZERO, Reverse, derive, differentiable
from gradc.passes.push import Tangents, push

WASTE = 3.0  # times the nodes of the cheapest way, all that are made included

Derived = tuple[Program, Entries]
Way = Callable[[Program, Sequence[str], float], Derived | None]


def jacobian(program: Program, wrt: Sequence[str]) -> Derived:
    """Append the derivatives of all outputs by the inputs `wrt`, in the cheapest way.

    Returns a program whose outputs are the values and then the entries, and what stands
    where: a row for each value and a column for each input.
    """
    ways: list[Way] = [partial(_forward, staged=staged) for staged in (True, False)]
    ways.insert(0 if program.count < len(wrt) else 2, _reverse)
    found: list[Derived] = []
    for way in ways:
        derived = way(program, wrt, _limit(found))
        found += [derived] if derived else []
    return _cheapest(found)


def hessian(program: Program, wrt: Sequence[str], settle: Pass = unchanged) -> Derived:
    """Append gradient and Hessian of the only output by `wrt`, in the cheapest way.

    The gradient goes through `settle` before it is differentiated again.
    Returns a program whose outputs are the value, the gradient and the entries, and what
    stands where.
    """
    first = differentiable(settle(derive(program, wrt)))
    found: list[Derived] = []
    for staged in (True, False):
        builder = Builder.upon(first)
        axes, outputs = _axes(builder, wrt), first.outputs[1:]
        slopes = push(builder, first, axes, outputs, staged, _limit(found)) or []
        for upper in (False, True) if slopes else ():
            cells: dict[Place, int] = {}
            for row, known in enumerate(slopes):
                for column, tangent in known.items():
                    if (column >= row) if upper else (column <= row):
                        cells[row, column] = cells[column, row] = tangent
            found.append(_assembled(builder, first, cells))
    return _cheapest(found)


def _limit(found: list[Derived]) -> float:
    """The nodes that another way may take before it is given up."""
    return min([WASTE * len(program.nodes) for program, _ in found], default=math.inf)


def _cheapest(found: list[Derived]) -> Derived:
    return min(found, key=lambda pair: cost(pair[0].nodes))


def _reverse(program: Program, wrt: Sequence[str], limit: float) -> Derived | None:
    reverse = Reverse(program, tuple(wrt), rows=True)
    cells: dict[Place, int] = {}
    for row, output in enumerate(reverse.program.outputs):
        if len(reverse.builder) > limit:
            return None
        for column, adjoint in reverse.derivatives([(output, reverse.one)]).items():
            cells[row, column] = adjoint
        check_entries(len(cells), program.source)
    return _assembled(reverse.builder, reverse.program, cells)


def _forward(
    program: Program, wrt: Sequence[str], limit: float, staged: bool
) -> Derived | None:
    program = differentiable(program)
    builder = Builder.upon(program)
    axes, outputs = _axes(builder, wrt), program.outputs
    rows = push(builder, program, axes, outputs, staged, limit)
    if rows is None:
        return None
    cells = {
        (row, column): tangent
        for row, known in enumerate(rows)
        for column, tangent in known.items()
    }
    return _assembled(builder, program, cells)


def _axes(builder: Builder, wrt: Sequence[str]) -> Mapping[str, Tangents]:
    """A direction along each input."""
    one = builder.const(1.0)
    return {name: {column: one} for column, name in enumerate(wrt)}


def _assembled(
    builder: Builder, program: Program, cells: Mapping[Place, int]
) -> Derived:
    """The program with the cells that are not zero as further outputs."""
    number: dict[int, int] = {}  # of the output that a node is
    entries: dict[Place, int] = {}
    for place in sorted(cells):
        node = cells[place]
        if builder.nodes[node] != ZERO:
            entries[place] = number.setdefault(node, len(program.outputs) + len(number))
    check_derivatives(builder, program.source)
    return compact(builder.follow(program, [*program.outputs, *number])), entries
