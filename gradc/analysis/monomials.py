"""Monomials: products of powers in a program of which at most one factor can be 0.

The derivative of `p = c*x^m*y^n` by x is `m*p/x` if x is not 0 (logarithmic
differentiation). Where a product has many factors, that is less work than the product of
all the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gradc.analysis.intervals import Interval, Intervals
from gradc.ir import Builder, Program, arguments

PRODUCTS = frozenset({"mul", "div", "neg", "sqrt", "pow"})
MOST = 32  # factors of a product that is looked at
TINY, HUGE = 1e-30, 1e30  # between these a factor makes no product vanish
LARGEST = 1e250  # such a product does not overflow


class Monomial(NamedTuple):
    """A product of powers: its sign and the exponents of the factors.

    Attributes:
        vanishing: the only factor that may be 0, -1 if there is none.
    """

    sign: float
    exponents: Mapping[int, float]
    vanishing: int


def monomials(program: Program, varies: Sequence[bool]) -> dict[int, Monomial]:
    """The largest monomials of a program, by the node that is the product."""
    nodes = program.nodes
    readers = Counter(program.outputs)
    for node in nodes:
        readers.update(arguments(node))
    intervals = Intervals(Builder.upon(program), program.inputs)
    found: dict[int, Monomial] = {}
    inside: set[int] = set()  # other products
    for i in range(len(nodes) - 1, -1, -1):
        if i in inside or not varies[i] or nodes[i][0] not in PRODUCTS:
            continue
        read = _read(program, i, readers)
        if read is None:
            continue
        sign, exponents, interior = read
        varying = [x for x in exponents if varies[x]]
        several = sum(program.nodes[x][0] != "const" for x in exponents)
        simple = several < 3 and all(abs(e) == 1.0 for e in exponents.values())
        if len(varying) < 2 or simple:
            continue
        vanishing = [x for x in varying if not _is_sized(intervals.of(x))]
        if len(vanishing) > 1 or any(exponents[x] not in (1.0, 2.0) for x in vanishing):
            continue
        if max(map(abs, intervals.of(i))) > LARGEST:
            continue
        found[i] = Monomial(sign, exponents, *(vanishing or [-1]))
        inside.update(interior)
    return found


def _is_sized(interval: Interval) -> bool:
    """Whether a factor is neither tiny nor huge."""
    low, high = sorted(map(abs, interval))
    return interval[0] * interval[1] > 0.0 and TINY < low and high < HUGE


def _read(
    program: Program, root: int, readers: Mapping[int, int]
) -> tuple[float, dict[int, float], list[int]] | None:
    """A product with the products that only it reads, and these; None if it is wide."""
    sign = 1.0
    exponents: dict[int, float] = {}
    interior: list[int] = []
    todo = [(root, 1.0)]
    for i, e in todo:
        op, *args = program.nodes[i]
        exponent = _exponent(program, i) if i == root or readers[i] == 1 else 0.0
        if op in ("mul", "div") and exponent:
            todo += [(args[0], e), (args[1], e if op == "mul" else -e)]
        elif op == "neg" and exponent and e == int(e):
            sign *= (-1.0) ** e
            todo.append((args[0], e))
        elif op in ("pow", "sqrt") and exponent:
            todo.append((args[0], e * exponent))
        else:
            exponents[i] = exponents.get(i, 0.0) + e
            continue
        interior.append(i)
        if len(todo) > MOST:
            return None
    left = {i: e for i, e in exponents.items() if e}
    return sign, left, interior


def _exponent(program: Program, i: int) -> float:
    """The power to which a product raises its first argument, 0 for what is none."""
    op, *args = program.nodes[i]
    if op == "sqrt":
        return 0.5
    if op != "pow":
        return float(op in PRODUCTS)
    exponent = program.nodes[args[1]]
    return float(exponent[1]) if exponent[0] == "const" else 0.0
