"""The first witness of what a formula is: `Value`, on the formula as it is written.

Calls and loops are written out, and nothing is folded, reordered or simplified but whole
numbers where that is exact. `Value` and compiled code read the same partials, so that
their agreement proves the machinery and not the mathematics; the second witness, which
is certain of both, is in `certified`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from itertools import chain, product
from typing import Any, NamedTuple

from gradc.arrays import leaves
from gradc.functions import ZERO, Function, titles
from gradc.ir import Builder, Program, grouped
from gradc.language.lower import lower
from gradc.language.syntax import Syntax
from gradc.passes.slopes import slopes
from gradc.record import data
from gradc.run import NOT_DEFINED, Point, arithmetic, run
from gradc.value import Value


class Steps(Builder):
    """Grows a list of steps; the same step of the same arguments stands there once."""

    def add(self, op: str, *args: int) -> int:
        """Return the position of a step, to which no identity is applied."""
        return self._intern((op, *args), (op, *args))


def unroll(syntax: Syntax, program: Program, **rows: Any) -> Program:
    """The steps of a formula as written; `program` says what its inputs are.

    Of columns `rows` are the options of `lower`.
    """
    inputs, most = [item.name for item in grouped(program.inputs)], sys.maxsize
    found = lower(syntax, program.ops, inputs=inputs, max_ops=most, kind=Steps, **rows)
    return slopes(found, Steps)


class Number(NamedTuple):
    """A number that a function returns: an output of the formula, or a derivative of it.

    `place` is the output of the function's program, ZERO for what is left out.
    """

    function: str
    title: str
    place: int
    output: int = 0
    along: tuple[str, ...] = ()  # the inputs that it is the derivative by


def numbers(
    function: Function, program: Program, wrt: Sequence[str], axis: int = 0
) -> list[Number]:
    """All that a function returns of a formula and its derivatives by `wrt`, in order.

    A product is that with a unit vector, of this axis.
    """
    called, name = titles(program), function.name
    outputs, unit = range(len(called)), wrt[axis % max(len(wrt), 1) :][:1]
    most = 1 if name == "value" else 3 if name == "value_grad_and_hessian" else 2
    orders = [product(outputs, product(wrt, repeat=order)) for order in range(most)]
    products = {
        "vjp": product([axis % len(called)], product(wrt)),
        "jvp": product(outputs, product(unit)),
        "hvp": product([0], product(unit, wrt)),
    }
    every = [*products.get(name, chain(*orders))]
    places = [*leaves(function.layout)]
    if name == "value_grad_and_error":  # whose bounds are no numbers of the formula
        del places[-len(called) :]
    if function.places is not None:
        start = len(places) - len(function.places)
        at = [i * len(wrt) + j for i, j in function.places]
        kept = dict(zip(at, places[start:]))
        places[start:] = [kept.get(k, ZERO) for k in range(len(every) - start)]
    found = []
    for place, (k, along) in zip(places, every):
        of = "" if along and called[k] == "value" else called[k]
        title = f"d{of}/d{' d'.join(along)}" if along else of
        found.append(Number(name, title, place, k, along))
    return found


class Textbook:
    """The numbers of a formula and its derivatives by `wrt` at a point, by `Value`."""

    def __init__(self, program: Program, wrt: Sequence[str], point: Point) -> None:
        self.program, self.wrt, self.point = program, wrt, point
        self.path = run(program, point)
        self._slopes: dict[Any, Mapping[str, float]] = {}

    def number(self, number: Number) -> float | None:
        """A number; None if something raises on the way to it or is not finite."""
        output, *along = number.output, *number.along
        try:
            found = self.path.results()[output]
            if along:
                found = self._gradient(output, *along[:-1])[along[-1]]
        except NOT_DEFINED:
            return None
        return float(found) if math.isfinite(found) else None

    def _gradient(self, output: int, *along: str) -> Mapping[str, float]:
        """The derivatives of an output, or of its derivative by some inputs."""
        key = output, *along
        if key not in self._slopes:
            self._slopes[key] = dict.fromkeys(self.wrt, math.nan)  # if something raises
            given: dict[str, Any] = {**self.point}
            for _ in key:  # Values of Values for derivatives of derivatives
                given = {name: Value(x) for name, x in given.items()}
            numbers = arithmetic(*given.values())
            total = run(self.program, given, numbers).results()[output]
            for name in (*along, ""):
                if isinstance(total, Value):
                    total.backward()
                slopes = {x: given[x].grad for x in self.wrt}
                if name:
                    total, given = slopes[name], {k: x.data for k, x in given.items()}
            self._slopes[key] = {x: data(slope) for x, slope in slopes.items()}
        return self._slopes[key]
