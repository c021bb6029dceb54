"""The formula as written, run by `Value`: what it gives, and what rounding may change.

Calls and loops are written out, and nothing is folded, reordered or simplified but whole
numbers where that is exact. Nothing is shared with `lower` but the reading of arrays,
so that compiled code is compared with something that the compiler never touched.

What rounding explains is how far results move in runs in which every step is off by
its rounding, its value forward and its adjoint backward; the errors of such a run add
up as squares, and sqrt(n) of them bound what n errors of one sign can do.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from gradc.arithmetic import FLOATS, RATIONAL, Arithmetic
from gradc.checking.samples import VECTOR, Number, Point, component
from gradc.ir import CONDITIONS, LAZY, Builder, Program, compact, grouped
from gradc.language.arrays import Unfolding
from gradc.language.limits import Size
from gradc.language.names import Names
from gradc.language.syntax import Syntax
from gradc.ops import OPS, Op, Table
from gradc.passes.slopes import slopes
from gradc.record import data
from gradc.run import NOT_DEFINED, Run, run
from gradc.value import Value

ROUNDOFF = 2.0**-52


class Steps(Builder):
    """Grows a list of steps; the same step of the same arguments stands there once."""

    def add(self, op: str, *args: int) -> int:
        """Return the position of a step, to which no identity is applied."""
        return self._intern((op, *args), (op, *args))


def unroll(syntax: Syntax, program: Program) -> Program:
    """The steps of a formula as written; `program` says what its inputs are."""
    arguments = [item.name for item in grouped(program.inputs)]
    names = Names.of(syntax, program.ops, arguments)
    builder = Steps(names.table)
    work = Unfolding(syntax, Size(builder, program.source, sys.maxsize), names)
    for name, shape, elements in grouped(program.inputs):
        work.declare(name, shape, [item.name for item in elements])
    outputs, results = work.formula()
    found = builder.finish(program.inputs, outputs, program.source, results=results)
    return slopes(compact(found), Steps)


class Textbook:
    """The formula as written, ready to be evaluated and differentiated."""

    def __init__(self, written: Program, wrt: Sequence[str]) -> None:
        self.program, self.wrt = written, wrt
        self.inputs = [item.name for item in written.inputs]

    def path(self, point: Point) -> Run:
        """Evaluate the formula on floats."""
        return run(self.program, point, FLOATS)

    def weights(self, output: int | None) -> dict[int, float]:
        """The nodes that an output is the sum of, each with its weight."""
        if output is not None:
            return {self.program.outputs[output]: 1.0}
        found: dict[int, float] = {}
        for k, i in enumerate(self.program.outputs):
            found[i] = found.get(i, 0.0) + component(k)
        return found

    def direction(self, name: str) -> dict[str, float]:
        """Along what a number is a derivative."""
        if name != VECTOR:
            return {name: 1.0}
        return {x: component(k) for k, x in enumerate(self.wrt)}


class Answers:
    """The numbers of a formula at a point, along a path, by `Value`.

    `shaky` says whether a condition came out otherwise than on the path, as with noise.
    """

    def __init__(
        self, book: Textbook, point: Point, path: Run, noise: Random | None = None
    ) -> None:
        self.book, self.point, self.path, self.noise = book, point, path, noise
        self.shaky = False
        self._known: dict[Any, tuple[Any, dict[str, Any]] | None] = {}

    def number(self, number: Number) -> float | None:
        """A number; None if something raises on the way to it or is not finite."""
        key = number.output, number.along[:-1]
        if key not in self._known:
            try:
                self._known[key] = self._gradient(*key)
            except NOT_DEFINED:
                self._known[key] = None
        found = self._known[key]
        if found is None or not all(map(math.isfinite, (found[0], *found[1].values()))):
            return None
        for name in number.along[-1:]:
            return float(_dot(self.book.direction(name), found[1]))
        return float(found[0])

    def _gradient(
        self, output: int | None, along: tuple[str, ...]
    ) -> tuple[Any, dict[str, Any]]:
        """An output, or its derivative along something, and its own derivatives."""
        book = self.book
        leaves: dict[str, Any] = {name: Value(self.point[name]) for name in book.inputs}
        numbers = Value(0.0).arithmetic
        if along:  # Values of Values, for derivatives of derivatives
            leaves = {name: Value(x) for name, x in leaves.items()}
            numbers = Value(Value(0.0)).arithmetic
        if self.noise:
            numbers = Rounded(numbers, self.noise)
        self.path.results()
        found = run(book.program, leaves, numbers, along=self.path)
        found.results()
        for i in self.path.order:
            if book.program.nodes[i][0] in CONDITIONS:
                self.shaky |= bool(found.values[i]) != bool(self.path.values[i])
        weights = book.weights(output)
        total = _dot(weights, {i: found.values[i] for i in weights})
        for name in along:
            total = _dot(book.direction(name), self._slopes(total, leaves))
            leaves = {name: x.data for name, x in leaves.items()}
        slopes = self._slopes(total, leaves)
        return data(total), {name: data(x) for name, x in slopes.items()}

    def _slopes(self, total: Any, leaves: Mapping[str, Value]) -> dict[str, Any]:
        if isinstance(total, Value):
            total.backward()
        return {name: leaves[name].grad for name in self.book.wrt}


def _dot(weights: Mapping[Any, float], found: Mapping[Any, Any]) -> Any:
    return sum((weight * found[key] for key, weight in weights.items()), start=0.0)


# The rows that choose or cut, and so never round.
_EXACT = CONDITIONS | LAZY | {*RATIONAL, "clip", "neg"} - {"pow", "mod"}
_ONCE: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}


class Rounded(Arithmetic):
    """Numbers of which every result is off by its rounding; what is exact stays exact.

    Sums, products and quotients are off by at most the roundoff, functions by four times
    as much; and so are the adjoints that a Value hands on, each by another factor.
    """

    def __init__(self, numbers: Arithmetic, random: Random) -> None:
        super().__init__(numbers.number, numbers.primitive, numbers.rank)
        self.numbers = numbers
        self.random = random

    def compute(self, op: Op, ops: Table = OPS) -> Callable[..., Any]:
        """What a row computes, with a rounding that is drawn anew each time."""
        compute = self.numbers.compute(op, ops)
        if op.name in _EXACT:
            return compute
        exactly = _ONCE.get(op.name)
        size = ROUNDOFF if exactly else 4.0 * ROUNDOFF

        def result(*args: Any) -> Any:
            found = compute(*map(self._handed, args))
            if exactly and _is_exact(exactly, args, found):
                return found
            if op.variadic:  # no better than its arguments, as softmax is
                room = max(abs(float(data(x))) for x in args)
                found = found + size * room * self.random.uniform(-1.0, 1.0)
            return found * (1.0 + size * self.random.uniform(-1.0, 1.0))

        return result

    def _handed(self, x: Any) -> Any:
        """The same number, whose adjoint is off by its rounding."""
        if not isinstance(x, Value):
            return x
        found = x * (1.0 + ROUNDOFF * self.random.uniform(-1.0, 1.0))
        found.data = x.data
        return found


def _is_exact(compute: Callable[..., Any], args: Sequence[Any], found: Any) -> bool:
    """Whether floats give what rational numbers do."""
    numbers = [float(data(x)) for x in (*args, found)]
    if not all(map(math.isfinite, numbers)):
        return False
    *given, there = map(Fraction, numbers)
    return bool(compute(*given) == there)
