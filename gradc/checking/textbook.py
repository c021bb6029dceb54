"""The formula as written, run by `Value`: what it gives, and what rounding may change.

For the value, the local rounding errors weighted by the adjoints are the bound. For
the gradient it is the spread of runs in which every result, forward and backward, is
off by its rounding; the errors of such a run add up as squares, and sqrt(n) of them
bound what n errors of one sign can do.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from gradc.arithmetic import FLOATS, RATIONAL, Arithmetic, Compute, is_defined
from gradc.engine.value import Value
from gradc.ir import CONDITIONS, Program
from gradc.ops import Op, Table
from gradc.run import NOT_DEFINED, Numbers, run
from gradc.run import Run as Trace

ROUNDOFF = 2.0**-52
SAME = 8.0 * ROUNDOFF  # what a chain of a few operations may always be off by
RUNS = 3
STEPS = (2.0**-15, 2.0**-16, 2.0**-17)  # of the difference quotients in floats
STRAIN = 2.0**500  # magnitudes from which another order of operations may overflow

_ROUNDED_ONCE = frozenset({"input", "add", "sub", "mul", "div", "neg", "sqrt", "where"})


@dataclass(frozen=True)
class Run:
    """The value and the derivatives at a point, and all that led there."""

    results: list[float]
    trace: Trace


class Rounding:
    """What rounding explains, for each output; it widens with every perturbed run.

    `shaky` says that rounding decides a condition, or whether there is a result at all.
    """

    def __init__(self, allowed: Sequence[float], slack: float, runs: Spreads) -> None:
        self.allowed = list(allowed)
        self.shaky = False
        self._spread = [0.0] * len(self.allowed)
        self._slack = slack
        self._runs = runs

    def explains(self, j: int, difference: float) -> bool:
        """Whether the output `j` may differ by so much; runs again as needed."""
        while not difference <= self.allowed[j] and self._widen():
            pass
        return difference <= self.allowed[j]

    def unit(self, j: int) -> float:
        """How far rounding moves the output `j`."""
        while self._widen():
            pass
        return self._spread[j] or math.ulp(0.0)

    def _widen(self) -> bool:
        run = next(self._runs, None)
        if run is None:
            return False
        spread, shaky = run
        self.shaky = self.shaky or shaky
        for j, found in enumerate(spread):
            more = max(found - self._spread[j], 0.0)
            self._spread[j] += more
            self.allowed[j] += self._slack * more
        return True


Spreads = Iterator[tuple[list[float], bool]]  # of each run: the changes, and shaky?


class Textbook:
    """The formula as written, ready to be evaluated and differentiated."""

    def __init__(self, written: Program, wrt: Sequence[str]) -> None:
        self.program = written
        self.wrt = wrt
        self.output = written.outputs[0]
        self.values = Value(0.0).arithmetic
        self.slack = 4.0 + math.sqrt(len(written.nodes))
        self.noise = Noise()

    def path(self, point: Mapping[str, float]) -> Trace:
        """Evaluate the formula on floats."""
        return run(self.program, point, FLOATS)

    def value(self, path: Trace) -> Any:
        """The value that a run found, None if it failed."""
        return None if path.failed is not None else path.values[self.output]

    def run(self, point: Mapping[str, float], path: Trace) -> Run | None:
        """Value and gradient along a path; None if something raises or overflows."""
        found = self._along(self.values, point, path)
        return found if found and all(map(math.isfinite, found.results)) else None

    def _along(
        self, numbers: Numbers, point: Mapping[str, float], path: Trace
    ) -> Run | None:
        if path.failed is not None:
            return None
        leaves = {name: Value(x) for name, x in point.items()}
        trace = run(self.program, leaves, numbers, along=path)
        if trace.failed is not None:
            return None
        output = trace.values[self.output]
        try:
            if isinstance(output, Value):
                output.backward()
                output = output.data
            slopes = [float(leaves[name].grad) for name in self.wrt]
            return Run([float(output), *slopes], trace)
        except NOT_DEFINED:
            return None

    def rounding(self, point: Mapping[str, float], path: Trace, run: Run) -> Rounding:
        """What rounding explains of a difference from the results of a run."""
        allowed = [SAME * abs(x) for x in run.results]
        allowed[0] += 4.0 * self._weighted(run.trace)
        if not allowed[0] < math.inf:  # something overflowed on the way
            allowed[0] = SAME * abs(run.results[0])
        return Rounding(allowed, self.slack, self._spreads(point, path, run))

    def _weighted(self, trace: Trace) -> float:
        """The rounding errors of all results on the way, as the value feels them.

        Inputs count as rounded: near a root a function of the library is as good as
        its argument, and no better.
        """
        total = 0.0
        for i in range(len(trace.values)):
            node = trace.values[i]
            if isinstance(node, Value):
                once = self.program.nodes[i][0] in _ROUNDED_ONCE
                error = abs(node.data) * (ROUNDOFF if once else 4.0 * ROUNDOFF)
                total += abs(node.grad) * max(error, 5e-324)
        return total

    def _spreads(self, point: Mapping[str, float], path: Trace, run: Run) -> Spreads:
        for k in range(RUNS):
            noisy = self.noise.start(k, point)
            other = self._along(self.noise.values, noisy, path)
            if other is None:
                yield [math.inf] * len(run.results), True
                return
            yield _changes(other.results, run.results), self._flipped(other, path)

    def _flipped(self, run: Run, path: Trace) -> bool:
        """Whether a condition came out otherwise than on the path."""
        nodes, then, now = self.program.nodes, path.values, run.trace.values
        return any(
            nodes[i][0] in CONDITIONS and bool(then[i]) != bool(now[i])
            for i in path.order
        )

    def is_slope(self, point: Mapping[str, float], path: Trace, run: Run) -> bool:
        """Whether the gradient fits what the value does nearby, as far as floats tell.

        Of three difference quotients along one direction, each with half the step of
        the one before, the last two tell how far off the last may be. Where they do
        not settle, there is nothing to say.
        """
        self.noise.random.seed(f"slope {list(point.items())}")
        along = {
            name: self.noise.random.choice((-1.0, 1.0, 0.7)) * (abs(point[name]) or 1.0)
            for name in self.wrt
        }
        terms = [slope * along[name] for name, slope in zip(self.wrt, run.results[1:])]
        noise = 8.0 * (self._weighted(run.trace) + ROUNDOFF * abs(run.results[0]))
        noise = (noise + SAME * sum(map(abs, terms))) / STEPS[-1]
        quotients = [self._quotient(point, path, along, h) for h in STEPS]
        first, second, third = (math.nan if q is None else q for q in quotients)
        settled = abs(second - third) <= abs(first - second) / 2.0 + noise
        settled = settled and abs(second - third) <= 1e-3 * abs(third) + noise
        known = 4.0 * abs(second - third) + noise
        return not settled or not abs(sum(terms) - third) > known

    def _quotient(
        self,
        point: Mapping[str, float],
        path: Trace,
        along: Mapping[str, float],
        step: float,
    ) -> float | None:
        """A central difference quotient, None if another branch is taken."""
        sides = []
        for h in (step, -step):
            moved = {name: x + h * along.get(name, 0.0) for name, x in point.items()}
            there = self.path(moved)
            value = self.value(there)
            if there.taken != path.taken or not is_finite(value):
                return None
            sides.append(float(value))
        return (sides[0] - sides[1]) / (2.0 * step)

    def strained(self, run: Run) -> bool:
        """Whether numbers of a run come near the ends of the range of a float."""
        for i in run.trace.order:
            node = run.trace.values[i]
            for x in (node.data, node.grad) if isinstance(node, Value) else (node,):
                if x and not 1.0 / STRAIN < abs(x) < STRAIN:
                    return True
        return False


class Noise:
    """The type of float whose every result is off by its rounding, and its source."""

    def __init__(self) -> None:
        self.random = Random()
        self.number = perturbed(self.random, ROUNDOFF)
        self.numbers: Numbers = self.number.arithmetic  # type: ignore[attr-defined]
        self.values: Numbers = Value(self.number(0.0)).arithmetic

    def start(self, run: int, point: Mapping[str, float]) -> dict[str, float]:
        """Begin a run, the same one for the same point; return the point."""
        self.random.seed(f"{run} {list(point.items())}")
        return {name: self.number(x) for name, x in point.items()}


def own_rounding(program: Program, point: Mapping[str, float]) -> Rounding:
    """What rounding explains of a difference from the results of a compiled program."""
    noise = Noise()
    path = run(program, point, FLOATS)
    slack = 4.0 + math.sqrt(len(program.nodes))

    def spreads() -> Spreads:
        for k in range(RUNS):
            trace = path
            if path.failed is None:
                start = noise.start(k, point)
                trace = run(program, start, noise.numbers, along=path)
            if trace.failed is not None:
                yield [math.inf] * len(program.outputs), True
                return
            yield _changes(trace.results(), path.results()), False

    sizes = [0.0] * len(program.outputs) if path.failed is not None else path.results()
    return Rounding([SAME * abs(x) for x in sizes], slack, spreads())


def _changes(now: Sequence[float], then: Sequence[float]) -> list[float]:
    changes = [abs(x - y) for x, y in zip(now, then)]
    return [math.inf if math.isnan(change) else change for change in changes]


def is_finite(x: Any) -> bool:
    """Whether a number is one: neither infinite nor NaN, nor complex."""
    return isinstance(x, (int, float)) and math.isfinite(x)


# The rows that choose or cut, and so never round.
_EXACT = frozenset(RATIONAL) - {"pow", "mod", "fma", "fdim"}
_EXACTLY: Mapping[str, Compute] = {
    "add": operator.add,
    "radd": operator.add,
    "sub": operator.sub,
    "rsub": lambda x, y: y - x,
    "mul": operator.mul,
    "rmul": operator.mul,
    "truediv": operator.truediv,
    "rtruediv": lambda x, y: y / x,
}


def perturbed(random: Random, roundoff: float = 2.0**-52) -> type[float]:
    """A type of float whose every result is off by its rounding, as `random` draws.

    Sums, products and quotients are off by at most `roundoff`, functions by four times
    as much; what is exact stays exact.
    """

    class Perturbed(float):
        arithmetic: Arithmetic

    def off(compute: Compute, size: float, exact: Compute | None = None) -> Compute:
        def result(*args: Any) -> Any:
            found = compute(*args)
            if found is NotImplemented:
                return found
            if isinstance(found, complex):
                raise ValueError("not a real number")
            if size and not (exact and _is_exact(exact, args, found)):
                found *= 1.0 + size * (2.0 * random.random() - 1.0)
            return Perturbed(found)

        return result

    def primitive(op: Op, ops: Table) -> Compute | None:
        if is_defined(op):
            return None
        compute = FLOATS.compute(op, ops)
        # Of many arguments it is no better than these, as softmax is.
        given = off(float, roundoff if op.variadic and op.name not in _EXACT else 0.0)
        size = 0.0 if op.name in _EXACT else 4.0 * roundoff
        return off(lambda *args: compute(*map(float, map(given, args))), size)

    for name, exact in _EXACTLY.items():
        compute = off(getattr(float, f"__{name}__"), roundoff, exact)
        setattr(Perturbed, f"__{name}__", compute)
    for name in ("neg", "abs"):
        setattr(Perturbed, f"__{name}__", off(getattr(float, f"__{name}__"), 0.0))
    Perturbed.arithmetic = Arithmetic(Perturbed, primitive, rank=2)
    return Perturbed


def _is_exact(compute: Compute, args: Iterable[Any], found: float) -> bool:
    """Whether floats give what rational numbers do."""
    if not all(map(math.isfinite, (*args, found))):
        return False
    return bool(compute(*map(Fraction, args)) == Fraction(found))
