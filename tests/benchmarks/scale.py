"""The compiler's own speed on large formulas: time and memory up to their functions.

Each build runs in a fresh process, `python -m tests.benchmarks.scale SIDE SIZE`, which
prints processor seconds, from the input to a function whose gradient was called once,
and megabytes, the peak of the process. Sides and CasADi take turns. SIDE is

- text: bindings of one operation each, over 20 inputs; CasADi gets the same lines as a
  Python function;
- trace: a Python function of the same operations, run on what records them;
- arrays: the squared errors of a linear model with 20 weights, as one line over arrays;
  CasADi gets it as a Python function of numbers.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import process_time
from types import SimpleNamespace
from typing import Any

from tests.benchmarks.graphs import INPUTS, random_graph

ROOT = Path(__file__).parents[2]
LIMITS = {"text": 3.0, "trace": 1.5, "arrays": 1.5}  # times CasADi's time
PEAK, TENFOLD = 300, 12.0  # megabytes; how many times as long ten times the size takes
FUNCTIONS = ("sin", "cos", "tanh", "exp", "log", "sqrt")


def _text(size: int) -> Callable[[], object]:
    import gradc

    graph = random_graph(size)
    formula = graph.formula()
    return lambda: gradc.compile(formula).value_and_grad(*graph.inputs)


def _trace(size: int) -> Callable[[], object]:
    import gradc

    graph = random_graph(size)

    def model(v: Any) -> Any:
        return graph.run(v, gradc.math)

    return lambda: gradc.trace(model, v=(INPUTS,)).value_and_grad(graph.inputs)


def _arrays(size: int) -> Callable[[], object]:
    import gradc

    rows = size // (2 * INPUTS + 2)
    formula = f"input w[{INPUTS}]\ndata X[{rows}, {INPUTS}], y[{rows}]\n"
    formula += "sum((X @ w - y)^2)"
    weights, table, seen = _regression(rows)
    return lambda: gradc.compile(formula).value_and_grad(weights, table, seen)


def _regression(rows: int) -> tuple[list[float], list[list[float]], list[float]]:
    table = [[(7 * i + 3 * j) % 11 / 11 for j in range(INPUTS)] for i in range(rows)]
    return [0.5] * INPUTS, table, [1.0] * rows


def _casadi_text(size: int) -> Callable[[], object]:
    import casadi

    graph = random_graph(size)
    head, *lines, last = graph.formula().split("\n")
    body = "\n".join(f"    {line}" for line in lines)
    text = f"def f({head.removeprefix('input ')}):\n{body}\n    return {last}\n"

    def run(values: Sequence[Any]) -> Any:
        names: dict[str, Any] = {name: getattr(casadi, name) for name in FUNCTIONS}
        exec(text, names)
        return names["f"](*values)

    return lambda: _casadi(run, [], graph.inputs)


def _casadi_trace(size: int) -> Callable[[], object]:
    import casadi

    graph = random_graph(size)
    names = SimpleNamespace(**{name: getattr(casadi, name) for name in FUNCTIONS})
    return lambda: _casadi(lambda v: graph.run(v, names), [], graph.inputs)


def _casadi_arrays(size: int) -> Callable[[], object]:
    import casadi

    rows = size // (2 * INPUTS + 2)
    weights, table, seen = _regression(rows)

    def run() -> object:
        X = [[casadi.SX.sym(f"x{i}_{j}") for j in range(INPUTS)] for i in range(rows)]
        y = [casadi.SX.sym(f"y{i}") for i in range(rows)]

        def loss(w: Sequence[Any]) -> Any:
            errors = (sum(a * b for a, b in zip(r, w)) - s for r, s in zip(X, y))
            return sum(e**2 for e in errors)

        data = [*(x for row in X for x in row), *y]
        point = [*weights, *(x for row in table for x in row), *seen]
        return _casadi(loss, data, point)

    return run


def _casadi(
    run: Callable[[Sequence[Any]], Any], data: list[Any], point: Sequence[float]
) -> object:
    """Value and gradient as a function of CasADi's expressions, called once."""
    import casadi

    values = [casadi.SX.sym(f"v{i}") for i in range(INPUTS)]
    result = run(values)
    slopes = casadi.gradient(result, casadi.vertcat(*values))
    function = casadi.Function("f", [casadi.vertcat(*values, *data)], [result, slopes])
    return function(point)


BUILDS = {
    "text": _text,
    "trace": _trace,
    "arrays": _arrays,
    "casadi text": _casadi_text,
    "casadi trace": _casadi_trace,
    "casadi arrays": _casadi_arrays,
}


def _peak() -> float:
    """The most memory this process ever held, in megabytes.

    Linux hands a parent's peak on to `ru_maxrss` of its child; the kernel's own figure
    for the new image is taken where there is one.
    """
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.exists() else ():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1024**2 if sys.platform == "darwin" else 1024)


def built(side: str, size: int) -> tuple[float, float]:
    """Seconds and megabytes of one build, in a process of its own."""
    line = [sys.executable, "-m", "tests.benchmarks.scale", side, str(size)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def run(size: int, repeats: int, full: bool) -> None:
    """Print time and memory of each side, at `size` and, if `full`, ten times that."""
    print(f"\n{size:,} operations with {INPUTS} gradients")
    for side, limit in LIMITS.items():
        pairs = []
        for _ in range(repeats):
            ours = built(side, size)
            peer = built(f"casadi {side}", size) if find_spec("casadi") else (1.0, 0.0)
            pairs.append((ours, peer))
        seconds = median(ours[0] for ours, _ in pairs)
        peak = median(ours[1] for ours, _ in pairs)
        ratio = median(ours[0] / peer[0] for ours, peer in pairs)
        marks = "  ABOVE" if ratio > limit or peak > PEAK else ""
        print(
            f"{ratio:6.2f} times CasADi, {seconds:.2f} s, {peak:.0f} MB {side}{marks}"
        )
        if full:
            longer, peak = built(side, 10 * size)
            mark = "  ABOVE" if longer > TENFOLD * seconds else ""
            print(
                f"{longer / seconds:6.2f} times that, {longer:.1f} s, {peak:.0f} MB",
                mark,
            )
        sys.stdout.flush()


if __name__ == "__main__":
    build = BUILDS[sys.argv[1]](int(sys.argv[2]))
    start = process_time()
    build()
    print(json.dumps([process_time() - start, _peak()]))
