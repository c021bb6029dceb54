"""The second witness: the formula as written, in high precision, without calculus.

`Value` and compiled code read the same column of partials, so their agreement proves
the machinery and not the mathematics. Here nothing of that column is used: a row is
what mpmath computes for it, and a derivative is a difference quotient. Numbers of the
formula are the binary64s they became, and so are the inputs.

The digits follow from the decades over which the numbers on the way spread, so that
neither 1 + 1e-300 nor a cancellation is lost. What is said is what two runs agree on in
20 digits, one of them with twice the digits of the other, and of a derivative both of
its sides. At a kink or a jump these differ; at the edge of a domain there is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import compress, product
from typing import Any

from gradc.arithmetic import Arithmetic, Compute, arithmetic
from gradc.ir import Program
from gradc.ops import OPS, Op, Table
from gradc.run import Run, run

COARSE = 50  # digits of the run that tells how many are needed
MOST = 1_500  # digits
AGREE = 20  # digits in which two results have to agree
TABLES = ("gamma", "psi", "beta", "zeta")  # what mpmath makes tables for
SERIES = (*TABLES, "erf", "ncdf")  # and what has as many terms as digits
COUNTED = frozenset({"digamma", "polygamma"})  # one step for each unit below 0
LOWEST = -10_000.0  # argument of these that is followed
LARGEST = 5_000  # binary exponent beyond which numbers are not followed

Direction = Mapping[str, float]  # by how much inputs change along it


class Guarded(Arithmetic):
    """mpmath's numbers, without what is not real, not finite, or too large to follow."""

    def __init__(self, context: Any) -> None:
        inner = arithmetic(context.mpf(1))
        super().__init__(inner.number, inner.primitive, inner.rank)
        self._context = context

    def compute(self, op: Op, ops: Table = OPS) -> Compute:
        if (op, ops) not in self._known:
            found = super().compute(op, ops)
            if op.result == "number" and op.name != "where":
                lowest = LOWEST if op.name in COUNTED else -math.inf
                self._known[op, ops] = self._guarded(found, lowest)
        return self._known[op, ops]

    def _guarded(self, compute: Compute, lowest: float) -> Compute:
        """Refuse to compute where it would be in vain.

        Arguments:
            lowest: the last argument that is followed.
        """
        real, inf = self._context.mpf, self._context.inf

        def result(*args: Any) -> Any:
            for x in args:
                if x._mpf_[2] + x._mpf_[3] > LARGEST:
                    raise OverflowError("beyond what the witness follows")
            if args and args[-1] < lowest:
                raise OverflowError("beyond what the witness counts to")
            found = compute(*args)
            if not isinstance(found, real):
                if isinstance(found, self._context.mpc) and found.imag:
                    raise ValueError("not a real number")
                found = real(found.real)
            if not -inf < found < inf:
                raise OverflowError("not finite")
            return found

        return result


class Witness:
    """Says what one formula is, in so many digits that those of floats are certain.

    `work` tells how much it has done, more digits being more work.

    Raises:
        ImportError: mpmath is not installed.
    """

    def __init__(self, program: Program) -> None:
        import mpmath  # type: ignore[import-untyped]

        self.context: Any = mpmath.mp.clone()
        self.program = program
        self.numbers = Guarded(self.context)
        ops = program.ops
        texts = [ops[n[0]].witness or n[0] for n in program.nodes if n[0] in ops]
        self.series = sum(any(name in text for name in SERIES) for text in texts)
        self.tables = any(name in text for name in TABLES for text in texts)
        self.work = 0

    def value(self, point: Mapping[str, Any]) -> Any:
        """The first output, None where that cannot be said."""
        return self.truth({self.program.outputs[0]: 1.0}, point)

    def derivative(self, point: Mapping[str, Any], name: str) -> Any:
        """The derivative of the first output by an input; see `truth`."""
        return self.truth({self.program.outputs[0]: 1.0}, point, [{name: 1.0}])

    def truth(
        self,
        weights: Mapping[int, float],
        point: Mapping[str, Any],
        along: Sequence[Direction] = (),
    ) -> Any:
        """A sum of nodes with weights, or its derivative along one direction or more.

        NaN for a derivative at a kink or a jump, and of what is detached; None where it
        cannot be said.
        """
        if along and "detach" in self.program.operations:
            return self.context.nan
        quotient = partial(self._quotient, weights, point, along)
        found: list[Any] = []
        sizes: list[Any] = []
        for digits in self._digits(point):
            with self.context.workdps(digits):
                sides = self._sides(quotient) if along else [quotient(1)]
                if None in sides:
                    return None
                tiny = self.context.mpf(10) ** -AGREE
                one, other = sides[0], sides[-1]
                if one and abs(one - other) <= abs(one) * tiny:
                    if any(abs(one - x) <= abs(one) * tiny for x in found):
                        return one
                    found.append(one)
                sizes.append(max(abs(one), abs(other)))
                if len(sizes) > 2 and sizes[-1] < sizes[0] * tiny:
                    break  # it is rounding, and less with more digits
        if sizes[-1] <= max(sizes) * tiny:
            return self.context.zero
        return None if found or not along else self.context.nan

    def exponents(self, point: Mapping[str, Any]) -> tuple[int, int]:
        """The binary exponents of the smallest and the largest number on the way."""
        values = self.trace(point, COARSE).values
        parts = [getattr(x, "_mpf_", (0, 0, 0, 0)) for x in values]
        sizes = [exponent + bits for _, mantissa, exponent, bits in parts if mantissa]
        return min(sizes, default=0), max(sizes, default=0)

    def _digits(self, point: Mapping[str, Any]) -> list[int]:
        least, most = self.exponents(point)
        limit = MOST // 4 if self.tables else MOST  # tables are of all digits
        first = min(100 + (most - least) * 9 // 20, limit // 2)
        return [k * first for k in (1, 2, 4, 8) if k * first <= limit]

    def _sides(self, quotient: Callable[[Any], Any]) -> list[Any]:
        """A quotient on either side, both from inside at the edge of the domain."""
        step = self.context.mpf(10) ** (-3 * self.context.dps // 10)
        sides = [quotient(step), quotient(-step)]
        if (sides[0] is None) == (sides[1] is None):
            return sides
        inside = step if sides[1] is None else -step
        return [quotient(inside), quotient(inside / 1024)]

    def _quotient(
        self,
        weights: Mapping[int, float],
        point: Mapping[str, Any],
        along: Sequence[Direction],
        step: Any,
    ) -> Any:
        """The difference quotient along all directions, without any the value."""
        steps = [step * _scale(point, direction) for direction in along]
        total = self.context.zero
        for corner in product((0, 1), repeat=len(along)):
            moved = {name: self.context.mpf(x) for name, x in point.items()}
            for size, direction in compress(zip(steps, along), corner):
                moved |= {n: moved[n] + size * slope for n, slope in direction.items()}
            there = self.trace(moved, self.context.dps)
            if there.failed is not None:
                return None
            value = sum(weight * there.values[i] for i, weight in weights.items())
            total += value if (len(corner) - sum(corner)) % 2 == 0 else -value
        return total / self.context.fprod(steps)

    def trace(self, point: Mapping[str, Any], digits: int) -> Run:
        """Run the formula at a point with so many digits."""
        size = len(self.program.nodes) + self.series * digits
        self.work += size * (digits // COARSE) ** 2
        with self.context.workdps(digits):
            exact = {name: self.context.mpf(x) for name, x in point.items()}
            return run(self.program, exact, self.numbers)


def _scale(point: Mapping[str, Any], direction: Direction) -> Any:
    """How far one may go along a direction for a small change of all inputs."""
    sizes = [abs(point[name] / slope) for name, slope in direction.items() if slope]
    return min([size for size in sizes if size], default=1.0)
