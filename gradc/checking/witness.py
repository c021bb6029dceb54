"""The second witness: the formula as written, in high precision, without calculus.

`Value` and compiled code read the same column of partials, so their agreement proves
the machinery and not the mathematics. Here nothing of that column is used: a row is
what mpmath computes for it, and a derivative is a difference quotient. Numbers of the
formula are the binary64s they became, and so are the inputs.

A first run in 50 digits tells over how many decades the numbers on the way spread; the
digits of the second and the step of the quotients follow from that, so that neither
1 + 1e-300 nor a cancellation is lost. A value is what both runs agree on, a derivative
what the quotients to the right and to the left agree on, each in 20 digits. At a kink
or a jump those differ; at the edge of a domain the quotient is the one from inside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gradc.arithmetic import Arithmetic, Compute, arithmetic
from gradc.ir import Program
from gradc.ops import OPS, Op, Table
from gradc.run import Run as Trace
from gradc.run import run

COARSE = 50  # digits of the first run
SPREADS = (90, 330)  # decades to allow for if those of the first run are too few
MORE = 30  # digits of a run that tells how many of the others are right
AGREE = 20  # digits in which two results have to agree
SERIES = ("gamma", "psi", "erf", "ncdf", "beta", "zeta")  # as mpmath computes them
COUNTED = frozenset({"digamma", "polygamma"})  # one step for each unit below 0
LOWEST = -10_000.0  # argument of these that is followed
LARGEST = 5_000  # binary exponent beyond which numbers are not followed


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
    """Evaluates one formula in high precision.

    Raises:
        ImportError: mpmath is not installed.
    """

    def __init__(self, program: Program) -> None:
        import mpmath  # type: ignore[import-untyped]

        self.context: Any = mpmath.mp.clone()
        self.program = program
        self.numbers = Guarded(self.context)
        self.work = 0  # in operations of 50 digits
        self.size = len(program.nodes)
        texts = [
            program.ops[node[0]].witness or node[0]
            for node in program.nodes
            if node[0] in program.ops
        ]
        self.coarse = any("diff(" in text for text in texts)
        self.series = sum(any(name in text for name in SERIES) for text in texts)
        tables = any("gamma" in text or "psi" in text for text in texts)
        self.spreads = SPREADS[:1] if tables else SPREADS  # tables of many digits
        self._told: tuple[Mapping[str, float], Any] = ({}, None)
        self._known: tuple[Mapping[str, float], tuple[int, int]] = ({}, (0, 0))

    def value(self, point: Mapping[str, float]) -> Any:
        """The value to 20 digits or more, None where that cannot be said."""
        if self._told[0] != point:
            self._told = dict(point), self._value(point)
        return self._told[1]

    def _value(self, point: Mapping[str, float]) -> Any:
        coarse = self._at(point, COARSE)
        for decades in (self._decades(point), *self.spreads):
            fine = self._at(point, 60 + 4 * decades)
            if fine is None:
                return None
            if coarse is not None and self._agree(fine, coarse):
                if fine or decades >= SPREADS[0]:  # 0 may be what was lost
                    return fine
            coarse = fine
        return None

    def derivative(self, point: Mapping[str, float], name: str) -> Any:
        """The derivative by an input to 20 digits or more.

        NaN at a kink or a jump, and of what is held, None where it cannot be said.
        """
        if "detach" in self.program.operations:
            return self.context.nan
        if (
            self.coarse or self.value(point) is None
        ):  # as of tan(pi/2), where digits change everything
            return None
        found: list[Any] = []
        once_more = self.spreads[-1] + 10  # in other digits noise is another number
        for decades in dict.fromkeys((self._decades(point), *self.spreads, once_more)):
            digits, step = 90 + 3 * decades, 30 + decades
            with self.context.workdps(digits):
                slope, certain = self._slope(point, name, digits, step)
                if certain or (slope and any(self._agree(slope, x) for x in found)):
                    return slope
            found += [slope] if slope else []
        return self.context.zero if slope and abs(slope) < math.inf else slope

    def _decades(self, point: Mapping[str, float]) -> int:
        """Over how many decades the numbers on the way to the value spread."""
        largest, smallest = self._sizes(point)
        return min(31 * (largest - smallest) // 100 + 1, self.spreads[-1])

    def _sizes(self, point: Mapping[str, float]) -> tuple[int, int]:
        """The exponents of the largest and the smallest number on the way."""
        if self._known[0] != point:
            trace = self.trace(point, COARSE)
            parts = [getattr(x, "_mpf_", (0, 0, 0, 0)) for x in trace.values]
            sizes = [
                exponent + bits for _, mantissa, exponent, bits in parts if mantissa
            ]
            extremes = max(sizes, default=0), min(sizes, default=0)
            self._known = dict(point), extremes
        return self._known[1]

    def _slope(
        self, point: Mapping[str, float], name: str, digits: int, decades: int
    ) -> tuple[Any, bool]:
        """The slope that two quotients agree on; whether more digits change nothing.

        What is less than the rounding of the largest number on the way may be all
        noise, but for one that had other digits would differ.
        """
        mp = self.context
        x = abs(mp.mpf(point[name]))
        step = (x or mp.one) * mp.mpf(10) ** -decades
        middle = self._at(point, digits)
        if middle is None:
            return None, True
        one, other = self._sides(point, name, middle, step)
        if one is None or other is None:
            return None, True
        largest = max(abs(one), abs(other))
        size = mp.ldexp(1, self._sizes(point)[0])
        if largest * step > size * mp.mpf(10) ** -10:  # a jump, or a pole
            return mp.nan, True
        noise = size * mp.mpf(10) ** (AGREE + 5 - digits)
        smallest = (abs(middle) / (x or 1) + 1) * mp.mpf(10) ** (-decades // 3)
        mean = (one + other) / 2 if self._agree(one, other) else mp.zero
        if mean and largest * step > noise:
            finer = self._at(point, digits + MORE)
            if finer is None:
                return None, True
            noise = abs(finer - middle) * mp.mpf(10) ** AGREE
        if largest * step <= noise:
            return mean if largest < smallest else None, False
        if mean:
            return mean, True
        return mp.zero if largest < smallest else mp.nan, False

    def _sides(
        self, point: Mapping[str, float], name: str, middle: Any, step: Any
    ) -> list[Any]:
        """The slopes to both sides; two from inside at the edge of the domain."""
        sides = [self._quotient(point, name, middle, h) for h in (step, -step)]
        if (sides[0] is None) == (sides[1] is None):
            return sides
        inside = step if sides[1] is None else -step
        steps = (inside, inside / 1024)
        return [self._quotient(point, name, middle, h) for h in steps]

    def _quotient(
        self, point: Mapping[str, float], name: str, middle: Any, step: Any
    ) -> Any:
        moved = {**point, name: self.context.mpf(point[name]) + step}
        there = self._at(moved, self.context.dps)
        return None if there is None else (there - middle) / step

    def _at(self, point: Mapping[str, Any], digits: int) -> Any:
        trace = self.trace(point, digits)
        return None if trace.failed is not None else self._output(trace)

    def trace(self, point: Mapping[str, Any], digits: int) -> Trace:
        """Run the formula at a point with so many digits."""
        self.work += self.size + self.series * digits**3 // 10_000
        with self.context.workdps(digits):
            exact = {name: self.context.mpf(x) for name, x in point.items()}
            return run(self.program, exact, self.numbers)

    def _output(self, trace: Trace) -> Any:
        return trace.values[self.program.outputs[0]]

    def _agree(self, x: Any, y: Any) -> bool:
        return bool(abs(x - y) <= abs(x) * self.context.mpf(10) ** -AGREE)


def summon(program: Program) -> Witness | None:
    """A witness for a formula, None if mpmath is not installed."""
    try:
        return Witness(program)
    except ImportError:
        return None
