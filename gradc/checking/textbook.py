"""The formula as written, run by `Value`: what it gives, and what rounding may change.

For the value, the local rounding errors weighted by the adjoints are the bound. For
the gradient it is the spread of runs in which every result, forward and backward, is
off by its rounding; the errors of such a run add up as squares, and sqrt(n) of them
bound what n errors of one sign can do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from gradc.checking.interpret import NOT_DEFINED, Engine, Machine, Trace, is_finite
from gradc.engine.arithmetic import FLOATS, arithmetic, perturbed
from gradc.engine.value import Value
from gradc.ir import CONDITIONS, Program

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
        self.machine = Machine(written)
        self.floats = self.machine.engine(FLOATS)
        self.values = self.machine.engine(FLOATS, over_values=True)
        self.slack = 4.0 + math.sqrt(len(written.nodes))
        self.noise = Noise()
        self.noisy: Engine | None = None

    def path(self, point: Mapping[str, float]) -> Trace:
        """Evaluate the formula on floats."""
        return self.machine.run(self.floats, point)

    def value(self, path: Trace) -> Any:
        """The value that a run found, None if it failed."""
        return None if path.failed is not None else path.values[self.output]

    def run(self, point: Mapping[str, float], path: Trace) -> Run | None:
        """Value and gradient along a path; None if something raises or overflows."""
        run = self._along(self.values, point, path)
        return run if run and all(map(math.isfinite, run.results)) else None

    def _along(
        self, engine: Engine, point: Mapping[str, float], path: Trace
    ) -> Run | None:
        if path.failed is not None:
            return None
        leaves = {name: Value(x) for name, x in point.items()}
        trace = self.machine.follow(engine, leaves, path)
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
        for i in (*trace.order, *(i for i, _ in self.machine.leaves)):
            node = trace.values[i]
            if isinstance(node, Value):
                once = self.program.nodes[i][0] in _ROUNDED_ONCE
                error = abs(node.data) * (ROUNDOFF if once else 4.0 * ROUNDOFF)
                total += abs(node.grad) * max(error, 5e-324)
        return total

    def _spreads(self, point: Mapping[str, float], path: Trace, run: Run) -> Spreads:
        if self.noisy is None:
            self.noisy = self.machine.engine(self.noise.numbers, over_values=True)
        for k in range(RUNS):
            noisy = self.noise.start(k, point)
            other = self._along(self.noisy, noisy, path)
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
            if there.chosen != path.chosen or not is_finite(value):
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
        self.numbers = arithmetic(self.number(0.0))

    def start(self, run: int, point: Mapping[str, float]) -> dict[str, float]:
        """Begin a run, the same one for the same point; return the point."""
        self.random.seed(f"{run} {list(point.items())}")
        return {name: self.number(x) for name, x in point.items()}


def own_rounding(program: Program, point: Mapping[str, float]) -> Rounding:
    """What rounding explains of a difference from the results of a compiled program."""
    machine, noise = Machine(program), Noise()
    path = machine.run(machine.engine(FLOATS), point)
    slack = 4.0 + math.sqrt(len(program.nodes))

    def outputs(trace: Trace) -> list[float]:
        return [float(trace.values[i]) for i in program.outputs]

    def spreads() -> Spreads:
        engine = machine.engine(noise.numbers)
        for k in range(RUNS):
            trace = path
            if path.failed is None:
                trace = machine.follow(engine, noise.start(k, point), path)
            if trace.failed is not None:
                yield [math.inf] * len(program.outputs), True
                return
            yield _changes(outputs(trace), outputs(path)), False

    sizes = [0.0] * len(program.outputs) if path.failed is not None else outputs(path)
    return Rounding([SAME * abs(x) for x in sizes], slack, spreads())


def _changes(now: Sequence[float], then: Sequence[float]) -> list[float]:
    changes = [abs(x - y) for x, y in zip(now, then)]
    return [math.inf if math.isnan(change) else change for change in changes]
