"""Trains a model twice, with `Value` and with the compiled function, and compares.

The scripts beside it share this: each has a loss over a flat list of parameters, which
Python builds as a graph of `Value`s at each step, and which `gradc.trace` records and
compiles once.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

import gradc
from gradc import Value

Batch = dict[str, Any]  # what a loss takes beside the parameters, by name
Result = tuple[float, Sequence[float]]  # a loss, and its slope by each parameter


class Gradient(Protocol):
    """What computes a loss and its gradient."""

    building: float  # seconds spent on recording and compiling

    def __call__(self, parameters: list[Value], batch: Batch) -> Result: ...


class ByValue:
    """Builds a graph at each step and runs it backward."""

    building = 0.0

    def __init__(self, loss: Callable[..., Any]) -> None:
        self.loss = loss

    def __call__(self, parameters: list[Value], batch: Batch) -> Result:
        for p in parameters:
            p.grad = 0
        loss = self.loss(parameters, **batch)
        loss.backward()
        return loss.data, [p.grad for p in parameters]


class Compiled:
    """Records the loss at the first step, and calls the compiled function since."""

    def __init__(self, loss: Callable[..., Any]) -> None:
        self.loss = loss
        self.building = 0.0
        self.function: gradc.Compiled | None = None

    def __call__(self, parameters: list[Value], batch: Batch) -> Result:
        numbers = [p.data for p in parameters]
        if self.function is None:
            start = perf_counter()
            self.function = gradc.trace(
                self.loss, {"wrt": ["weights"]}, weights=numbers, **batch
            )
            self.building = perf_counter() - start
        loss, (slopes,) = self.function.value_and_grad(numbers, *batch.values())
        return loss, slopes


@dataclass
class Run:
    """The losses of a training run and the seconds that each gradient took."""

    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    building: float = 0.0

    @property
    def pace(self) -> float:
        """Seconds a gradient, the median."""
        return statistics.median(self.seconds)


def train(
    gradient: Gradient,
    parameters: list[Value],
    optimiser: Any,
    batches: Sequence[Batch],
) -> Run:
    """Take a step downhill for each batch."""
    run = Run()
    for batch in batches:
        built, start = gradient.building, perf_counter()
        loss, slopes = gradient(parameters, batch)
        run.seconds.append(perf_counter() - start - (gradient.building - built))
        run.losses.append(loss)
        optimiser.step(slopes)
    run.building = gradient.building
    return run


def race(
    slow: Gradient,
    fast: Gradient,
    parameters: list[Value],
    optimiser: Callable[[list[Value]], Any],
    batches: Sequence[Batch],
    both: int | None = None,
) -> tuple[Run, Run]:
    """Train with one gradient, then from the same start with the other, and report.

    The slow one takes only the first steps, as many as `both` says.
    """
    start = [p.data for p in parameters]
    first = train(slow, parameters, optimiser(parameters), batches[:both])
    for p, number in zip(parameters, start):
        p.data = number
    second = train(fast, parameters, optimiser(parameters), batches)
    report(first, second)
    return first, second


def compare(
    loss: Callable[..., Any],
    parameters: list[Value],
    optimiser: Callable[[list[Value]], Any],
    batches: Sequence[Batch],
) -> tuple[Run, Run]:
    """Train with `Value`, then from the same start with the compiled function."""
    return race(ByValue(loss), Compiled(loss), parameters, optimiser, batches)


def report(slow: Run, fast: Run, rows: int = 10) -> None:
    """Print both loss curves and what the compiled function saves."""
    steps = min(len(slow.losses), len(fast.losses))
    print(f"{'step':>6}  {'loss by Value':>20}  {'compiled':>20}")
    shown = sorted({round(k * (steps - 1) / rows) for k in range(rows + 1)})
    for k in shown:
        print(f"{k:6}  {slow.losses[k]:20.15f}  {fast.losses[k]:20.15f}")
    off = max(abs(a - b) for a, b in zip(slow.losses, fast.losses))
    print(f"the curves differ by {off:.1e} at the most")
    ratio, saved = slow.pace / fast.pace, slow.pace - fast.pace
    print(
        f"a gradient takes {1e3 * slow.pace:.3f} ms by Value and "
        f"{1e3 * fast.pace:.4f} ms compiled: {ratio:.0f} times faster"
    )
    print(
        f"recording and compiling took {fast.building:.2f} s, "
        f"what {fast.building / saved:.0f} such steps save"
    )


def options(
    description: str | None, steps: int, **more: tuple[int, str]
) -> argparse.Namespace:
    """The options that every script has, and `more` whole numbers with their help."""
    parser = argparse.ArgumentParser(description=description)
    for name, (default, text) in {"steps": (steps, "of training"), **more}.items():
        words = f"{text}; {default} unless given"
        parser.add_argument(f"--{name}", type=int, default=default, help=words)
    parser.add_argument(
        "--picture", metavar="FILE", help="draw the result, if matplotlib is installed"
    )
    return parser.parse_args()
