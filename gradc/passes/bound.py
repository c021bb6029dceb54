"""Append a bound of first order on the rounding errors of the values.

    %0 = input x                     %0 = input x
    %1 = sin %0           -->        %1 = sin %0
    out %1                           %2 = abs %1
                                     ...
                                     %5 = mul 1.1e-16 2*%2
                                     out %1 %5

A node that is off by a share of itself moves a value by its adjoint times as much
(Linnainmaa, Taylor expansion of the accumulated rounding error, BIT 16, 1976; Bauer,
Computational graphs and rounding error, SIAM J. Numer. Anal. 11, 1974). The bound is the
sum, with the shares of the table's column `ulp`. Inputs are exact, and so is what
multiplies by a power of two, chooses, or changes a sign. The pass stands behind all
others, so that what is bounded is the error of what is computed.
"""

from __future__ import annotations

from math import frexp

from gradc.analysis.guards import ALWAYS
from gradc.ir import CONDITIONS, LAZY, Node, Program, arguments, compact
from gradc.language.limits import check_derivatives
from gradc.passes.derive import Reverse
from gradc.passes.expand import expand

UNIT = 2.0**-53  # half a unit in the last place of 1
SHORT = 32  # bits up to which a constant is taken for exact; of 1/3 all are used
UNKNOWN = 1.0  # units in the last place, of a row that does not say


def bound(program: Program) -> Program:
    """Append a bound for each value, behind all other outputs."""
    reverse, outputs = Reverse(program, ()), [*program.outputs]
    builder, program = reverse.builder, reverse.program
    add, const = builder.add, builder.const
    shares = [_share(program, node) for node in program.nodes]
    for op, *args in [n for n in program.nodes if n[0] in program.ops]:
        for k in program.ops[op].held:  # an order, by which there is no derivative
            shares[args[k]] = 0.0
    off = reverse.varies = bytearray()  # which nodes some rounding moves
    for node, share in zip(program.nodes, shares):
        off.append(share > 0.0 or any([off[a] for a in arguments(node)]))
    for output in program.outputs[: program.count]:
        every, builder.span = [*reverse.adjoints([(output, const(1.0))])], None
        terms = []
        for i, guard, adjoint in every:
            if share := UNIT * shares[i]:
                part = add("abs", add("mul", adjoint, i))
                terms.append((guard, add("mul", const(share), part)))
        outputs.append(reverse.sum(terms, ALWAYS) if terms else const(0.0))
        check_derivatives(builder, program.source)
    return expand(compact(builder.follow(program, outputs)), strict=True)


def _share(program: Program, node: Node) -> float:
    """By how many units a node is off, halves of the last place; 0 if it is exact."""
    op, nodes = node[0], program.nodes
    if op == "const":
        return float(not _is_short(node[1], SHORT))
    if op == "input" or op in CONDITIONS | LAZY:
        return 0.0
    scales = node[1:] if op == "mul" else node[2:] if op == "div" else ()
    if any(nodes[a][0] == "const" and _is_short(nodes[a][1], 1) for a in scales):
        return 0.0
    return 2.0 * (program.ops[op].ulp or (UNKNOWN,))[0]


def _is_short(x: float, bits: int) -> bool:
    """Whether a number has at most so many bits from its first to its last one."""
    return (frexp(x)[0] * 2.0**bits).is_integer()
