"""Training steps: a loss and its gradient by engines that build a graph, and compiled.

All sides get the same numbers and are timed in turn, round by round. Recording and
compiling is paid once; how many steps pay it back is told as well.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from operator import methodcaller
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from types import SimpleNamespace
from typing import Any

import gradc
from gradc import Value, nn
from gradc.collector import collector_held
from gradc.engine.tape import Tape
from gradc.ir import Input
from tests.benchmarks import engine
from tests.benchmarks.graphs import random_graph
from tests.benchmarks.report import Table

CLASSIC = Path(__file__).parents[2] / "examples" / "classic"
ROUND = 2e-3  # seconds that a side is called in a round, at the least

Step = Callable[[], Any]


@dataclass
class Training:
    """Seconds a gradient of each side, and the seconds of recording and compiling."""

    name: str
    seconds: dict[str, float]
    building: float
    pays: str  # the side whose time pays for the building

    @property
    def steps(self) -> float:
        """How many steps pay for recording and compiling."""
        return self.building / (self.seconds[self.pays] - self.seconds["compiled"])


def timed(sides: dict[str, Step], rounds: int) -> dict[str, float]:
    """Seconds a call of each side, medians of rounds in which all take their turn."""
    calls = {}
    for name, side in sides.items():
        side()
        start = perf_counter()
        side()
        calls[name] = max(1, int(ROUND / (perf_counter() - start)))
    found: dict[str, list[float]] = {name: [] for name in sides}
    for k in range(rounds):
        order = list(sides) if k % 2 else list(reversed(sides))
        for name in order:
            start = perf_counter()
            for _ in range(calls[name]):
                sides[name]()
            found[name].append((perf_counter() - start) / calls[name])
    return {name: median(times) for name, times in found.items()}


def built(function: Callable[..., Any], **inputs: Any) -> tuple[gradc.Compiled, float]:
    """A compiled function, and the seconds of the processor that it took."""
    start = process_time()
    compiled = gradc.trace(function, **inputs)
    return compiled, process_time() - start


# ---- networks


XOR = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)], [-1, 1, 1, -1]


def network(
    name: str, layers: Sequence[int], data: tuple[Any, Any], rounds: int
) -> Training:
    """A network with relu and hinge loss, as micrograd has it."""
    random.seed(1337)
    model = nn.MLP(2, layers)
    weights = model.parameters()
    numbers = [p.data for p in weights]

    def loss(weights: Any) -> Any:
        return _hinge(model.using(weights), data)

    compiled, building = built(loss, weights=(len(numbers),))
    sides = {"compiled": lambda: compiled.value_and_grad(numbers)}
    sides["Value"] = lambda: _backward(model, data)
    if find_spec("micrograd"):
        peer = import_module("micrograd.nn").MLP(2, list(layers))
        for p, number in zip(peer.parameters(), numbers):
            p.data = number
        sides["micrograd"] = lambda: _backward(peer, data)
    agree(*(side() for side in sides.values()))
    return Training(name, timed(sides, rounds), building, "Value")


def _hinge(model: Any, data: tuple[Any, Any]) -> Any:
    points, labels = data
    losses = [(1 + -y * model(x)).relu() for x, y in zip(points, labels)]
    return sum(losses) * (1.0 / len(losses))


def _backward(model: Any, data: tuple[Any, Any]) -> Any:
    loss = _hinge(model, data)
    model.zero_grad()
    loss.backward()
    return loss.data, ([p.grad for p in model.parameters()],)


def agree(first: Any, *others: Any) -> None:
    """Make sure that all sides compute the same."""
    for value, slopes in others:
        close(value, first[0])
        for mine, own in zip(slopes, first[1]):
            for x, y in zip(mine, own):
                close(x, y)


def close(x: float, y: float) -> None:
    if not abs(x - y) <= 1e-9 * max(1.0, abs(y)):
        raise AssertionError(f"the sides differ: {x!r} and {y!r}")


# ---- the document


def document(rounds: int) -> Training:
    """A name of three letters in the example's GPT; the compiled side gets numbers."""
    model = example("gpt")
    random.seed(42)
    weights = model.Weights()
    ids = model.names(3)[0]
    inputs = weights.inputs(ids)
    point = {name: model.numbers(matrix) for name, matrix in inputs.items()}
    shapes = {name: (len(m), len(m[0])) for name, m in point.items()}
    compiled, building = built(model.loss, **shapes)
    own, plain = model.math, list(point.values())

    def by(kind: Any, names: Any) -> Any:
        model.math = names
        leaves = [[[kind(x) for x in row] for row in m] for m in plain]
        loss = model.loss(**dict(zip(point, leaves)))
        loss.backward()
        model.math = own
        slopes = [[p.grad for row in m for p in row] for m in leaves]
        return loss.data, slopes

    def flat() -> Any:
        value, slopes = compiled.value_and_grad(*plain)
        return value, [[g for row in m for g in row] for m in slopes]

    sides = {
        "compiled": lambda: compiled.value_and_grad(*plain),
        "Value": lambda: by(Value, own),
        "textbook": lambda: by(engine.Node, engine.Functions),
    }
    agree(flat(), sides["Value"](), sides["textbook"]())
    return Training("GPT document", timed(sides, rounds), building, "textbook")


# ---- recording


METHODS = SimpleNamespace(
    **{
        name: methodcaller(name)
        for name in ("sin", "cos", "tanh", "exp", "log", "sqrt")
    }
)


@dataclass
class Recorded:
    """Seconds to run a function on Values, and to record it."""

    size: int  # in operations
    value: float
    recording: float


def recording(quick: bool) -> list[Recorded]:
    """Run a large graph on Values and on a tape, in turn."""
    size, rounds = (10_000, 3) if quick else (100_000, 7)
    graph = random_graph(size)
    times: list[list[float]] = [[], []]
    for _ in range(rounds):
        values = [Value(x) for x in graph.inputs]
        tape = Tape(None, 10 * size)
        recorded = [tape.input(Input(f"v{k}"), None) for k in range(len(values))]
        for leaves, found in zip((values, recorded), times):
            with collector_held():
                start = perf_counter()
                result = graph.run(leaves, METHODS)
                found.append(perf_counter() - start)
            del result
    return [Recorded(size, *map(median, times))]


# ---- all of them


def measured(quick: bool) -> list[Training]:
    rounds = 5 if quick else 25
    return [
        network("XOR, MLP(2, [4, 4, 1])", [4, 4, 1], XOR, rounds),
        network("moons, MLP(2, [16, 16, 1])", [16, 16, 1], moons(20), rounds),
        document(rounds),
    ]


def moons(count: int) -> tuple[Any, Any]:
    """Points and labels of the example."""
    random.seed(7)
    points, labels = zip(*example("moons").moons(count))
    return points, labels


def example(name: str) -> Any:
    """A script of the examples as a module."""
    sys.path.insert(0, str(CLASSIC))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(CLASSIC))


def table(steps: list[Training], recorded: list[Recorded]) -> Table:
    """Times in milliseconds, and how many times faster the compiled function is."""
    sides = ("Value", "micrograd", "textbook")
    lines = []
    for row in steps:
        times = row.seconds
        cells = [f"{1e3 * times['compiled']:.4f}"]
        for side in sides:
            ratio = times[side] / times["compiled"] if side in times else 0.0
            cells.append(f"{1e3 * times[side]:.2f} ({ratio:.0f}x)" if ratio else "")
        lines.append([row.name, *cells, f"{row.building:.2f} s", f"{row.steps:.0f}"])
    return Table(
        "A loss and its gradient, milliseconds (in brackets: times the compiled one)",
        ["", "compiled", *sides, "building", "steps that pay"],
        lines,
        notes=[
            f"{r.size} operations: {r.value:.2f} s as a graph of Values, "
            f"{r.recording:.2f} s recorded, {r.recording / r.value:.2f} times as long"
            for r in recorded
        ],
    )
