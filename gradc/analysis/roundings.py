"""Roundings: a program is run on floats, and again with every rounding moved.

The result of every inexact operation is moved by some ulp (stochastic arithmetic:
Vignes, "A stochastic arithmetic for reliable scientific computation", Math. Comput.
Simul. 35, 1993). Where an output moves much further, digits were lost, and what may be
at fault are the differences that stand here: sums, powers of a large exponent, sines of
a large argument, and what is steep.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat, starmap
from random import Random
from typing import Any, NamedTuple

from gradc.analysis.suspects import Suspects
from gradc.ir import COMPARISONS, EXTREMES, Program
from gradc.spelling import function

MOVED = 2.0**-43  # by which results are moved

Point = list[float]
Columns = Sequence[Sequence[Any]]  # of each node what it is, point by point

SUMS = frozenset({"add", "sub"})

# Functions that are small where their argument is next to 1.
DIFFERENCES = frozenset({"log", "log2", "log10", "acosh"})

# Functions that are steep where their argument is next to 1 or -1, and what with 1 is
# small there.
STEEP: Mapping[str, Sequence[str]] = {
    "acos": ("add", "sub"),
    "asin": ("add", "sub"),
    "atanh": ("add", "sub"),
    "log1p": ("add",),
}

# Functions of which a period is lost in the rounding errors of a large argument.
PERIODIC = frozenset({"sin", "cos", "tan"})
WINDING = PERIODIC | {"mod", "fmod", "remainder"}
_EXACT = frozenset("neg abs where max min relu copysign sign floor ceil".split())


def free(program: Program, x: int) -> int:
    """A node without the numbers that it is held at, where nothing is lost.

    That is so if these are floats: 1 - 1e-12 is rounded.
    """
    nodes = program.nodes
    while nodes[x][0] in EXTREMES and len(nodes[x]) == 3:
        op, *bound = nodes[nodes[x][2]]
        if op != "const" or abs(bound[0]) in program.exact:
            break
        x = nodes[x][1]
    return x


def may_cancel(program: Program, i: int) -> bool:
    """Whether a node is a difference of what may be inexact."""
    op, *args = program.nodes[i]
    if op == "pow" and program.nodes[args[1]][0] != "const":
        return _is_rounded(program, args[0])
    is_difference = op in SUMS | DIFFERENCES | WINDING or op in STEEP
    return is_difference and any(_is_rounded(program, a) for a in args)


def _is_rounded(program: Program, i: int) -> bool:
    """Whether a node is no input, nor a constant that is its float."""
    op, *args = program.nodes[i]
    return op != "input" and (op != "const" or abs(args[0]) in program.exact)


class Moved(NamedTuple):
    """What the nodes are at some points, and in runs of which results are moved."""

    values: Columns
    runs: Sequence[Columns]

    def far(self, i: int, k: int) -> float:
        """How far a node has been moved at a point, in units of MOVED."""
        x = self.values[i][k]
        if not isinstance(x, float) or not math.isfinite(x):
            return 0.0
        far = 0.0
        for run in self.runs:
            y = run[i][k]
            if math.isfinite(y):
                far = max(far, abs(y - x))
        return far / abs(x) / MOVED if x else math.inf if far else 0.0


class Runs:
    """Runs a program on floats; what raises, and what follows from it, is NaN."""

    def __init__(self, suspects: Suspects, random: Random) -> None:
        self.program = program = suspects.program
        self.random = random
        self.start: list[Any] = [math.nan] * len(program.nodes)
        self.inputs: list[tuple[int, int]] = []
        self.rounded: list[int] = []  # constants that are not their floats
        self.steps: list[_Step] = []
        self.differences: list[int] = []
        names = [item.name for item in program.inputs]
        gaps = {
            (node[0], a)
            for i, node in enumerate(program.nodes)
            if node[0] in SUMS and suspects.is_live(i)
            for a, other in (node[1:], node[:0:-1])
            if program.nodes[other] == ("const", 1.0)
        }
        for i, node in enumerate(program.nodes):
            if not suspects.is_live(i):
                continue
            op, *args = node
            if op == "const":
                self.start[i] = args[0]
                if abs(args[0]) in program.exact:
                    self.rounded.append(i)
            elif op == "input":
                self.inputs.append((i, names.index(args[0])))
            else:
                self.steps.append(self._step(i, op, args))
            if may_cancel(program, i) and suspects.is_placed(i):
                shown = {(sign, args[0]) for sign in STEEP.get(op, ())}
                if not shown or not shown <= gaps:
                    self.differences.append(i)

    def _step(self, i: int, op: str, args: Sequence[int]) -> _Step:
        is_exact = op in _EXACT or op in _CHOICES or op in COMPARISONS
        rule = rule_of(self.program, op)
        return _Step(i, rule, args, None if is_exact else _EXACT_AT.get(op, _nowhere))

    def run(
        self,
        points: Sequence[Point],
        by: float = 0.0,
        known: dict[int, list[Any]] | None = None,
    ) -> Columns:
        """The nodes at some points, inexact ones moved by a share of themselves.

        Arguments:
            known: what some nodes are there; all others are added.
        """
        n = len(points)
        random = self.random.random
        found = [[x] * n for x in self.start]
        for i, k in self.inputs:
            found[i] = [point[k] for point in points]
        for i in self.rounded if by else ():
            found[i] = [x + (by if random() >= 0.5 else -by) * x for x in found[i]]
        for i, rule, args, is_exact in self.steps:
            if known is not None and i in known:
                found[i] = known[i]
                continue
            operands = [found[a] for a in args]
            results = found[i] = _column(rule, operands, n)
            if by and is_exact is not None:
                moved = [x + (by if random() >= 0.5 else -by) * x for x in results]
                exact = is_exact(results, *operands)
                if exact is not None:
                    moved = [x if e else y for x, y, e in zip(results, moved, exact)]
                found[i] = moved
            if known is not None:
                known[i] = found[i]
        return found


def rule_of(program: Program, op: str) -> Callable[..., Any]:
    """What computes an operation of a program on floats."""
    return _PLAIN.get(op) or COMPARISONS.get(op) or function(program.ops[op])


def _column(
    rule: Callable[..., Any], operands: Sequence[Sequence[Any]], n: int
) -> list[Any]:
    """What a rule gives at n points, by its arguments there; where it raises, NaN."""
    found: list[Any] = []
    results = map(rule, *operands) if operands else starmap(rule, repeat((), n))
    while len(found) < n:
        try:
            found.extend(results)
        except (ArithmeticError, ValueError, TypeError):
            found.append(math.nan)
    return found


Column = Sequence[float]


class _Step(NamedTuple):
    """How a node is computed, and where that was exact; None for what always is."""

    node: int
    rule: Callable[..., Any]
    args: Sequence[int]
    is_exact: Callable[..., Sequence[bool] | None] | None


# NaN, for a condition that has no value, is neither true nor false.
_CHOICES: Mapping[str, Callable[..., Any]] = {
    "where": lambda condition, yes, no: yes if condition is True else no,
    "and": lambda x, y: x is True and y is True,
    "or": lambda x, y: x is True or y is True,
    "not": lambda x: x is not True,
}

_PLAIN: Mapping[str, Callable[..., Any]] = {
    **_CHOICES,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}


def _exact_sums(xs: Column, ys: Column, zs: Column) -> Sequence[bool]:
    """Where a sum has no rounding error: Knuth, TAOCP 4.2.2."""
    return [
        (y - (x - (near := x - y))) + (z - near) == 0.0 for x, y, z in zip(xs, ys, zs)
    ]


def _exact_differences(xs: Column, ys: Column, zs: Column) -> Sequence[bool]:
    return [
        (y - (x - (near := x - y))) - (z + near) == 0.0 for x, y, z in zip(xs, ys, zs)
    ]


def _exact_products(_: Column, ys: Column, zs: Column) -> Sequence[bool] | None:
    left, right = _powers_of_two(ys), _powers_of_two(zs)
    if left is None or right is None:
        return right if left is None else left
    return [*map(operator.or_, left, right)]


def _exact_quotients(_: Column, ys: Column, zs: Column) -> Sequence[bool] | None:
    return _powers_of_two(zs)


def _powers_of_two(xs: Column) -> Sequence[bool] | None:
    """Which numbers are powers of two, None if none is."""
    found = [abs(share) == 0.5 for share, _ in map(math.frexp, xs)]
    return found if True in found else None


def _nowhere(*_: Column) -> None:
    return None


# Where an operation has been computed without rounding, by its results and arguments.
_EXACT_AT: Mapping[str, Callable[..., Sequence[bool] | None]] = {
    "add": _exact_sums,
    "sub": _exact_differences,
    "mul": _exact_products,
    "div": _exact_quotients,
}
