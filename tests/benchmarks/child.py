"""One build in a process of its own: `python -m tests.benchmarks.child SIDE SHAPE SIZE`.

Prints, as JSON, the seconds from the formula's text to a function that can be called,
the peak of the process in megabytes, that peak before the build began, and the seconds
that it takes then to print the text of the module, if there is one. SIDE is
gradc; casadi, for which the text is a Python function of the same lines that runs over
its symbols; or loop, where CasADi gets the operations without any text.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from tests.benchmarks import graphs

if TYPE_CHECKING:
    import gradc

SHAPES: dict[str, Callable[[int], str]] = {
    "sum": graphs.wide_sum,
    "nest": graphs.deep_nest,
    "inputs": graphs.many_inputs,
}


def peak() -> float:
    """The most memory this process ever held, in megabytes.

    Linux hands a parent's peak on to `ru_maxrss` of its child; the kernel's own figure
    for the new image is taken where there is one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1024**2 if sys.platform == "darwin" else 1024)


def prepare(side: str, shape: str, size: int) -> Callable[[], object]:
    """Import the side and make its input; return what is to be timed."""
    if side == "gradc":
        import gradc

        if shape == "graph":
            graph = graphs.random_graph(size)
            formula, point = graph.formula(), graph.inputs
        else:
            formula, point = SHAPES[shape](size), []
        return lambda: called(gradc.compile(formula), point)
    import casadi

    assert casadi and shape == "graph"
    graph = graphs.random_graph(size)
    if side == "casadi":
        text = as_python(graph.formula())
        return lambda: casadi_function(partial(execute, text))
    return lambda: casadi_function(graph.run)


def called(compiled: gradc.Compiled, point: Sequence[float]) -> gradc.Compiled:
    """Call the gradient once: the first call is what compiles it, unless it is long.

    A graph has a point at which all its operations are defined.
    """
    compiled.value_and_grad(*(point or [0.5] * len(compiled.inputs)))
    return compiled


def as_python(formula: str) -> str:
    """A graph's formula as a user of CasADi has it: the lines of a Python function."""
    head, *lines, last = formula.split("\n")
    names = head.removeprefix("input ")
    body = "\n".join(f"    {line}" for line in lines)
    return f"def f({names}):\n{body}\n    return {last}\n"


def execute(text: str, values: Sequence[Any], names: Any) -> Any:
    namespace = dict(vars(names))
    exec(text, namespace)
    return namespace["f"](*values)


def casadi_function(run: Callable[[Sequence[Any], Any], Any]) -> object:
    """Value and gradient as a function of CasADi's expressions."""
    import casadi

    values = [casadi.SX.sym(f"v{i}") for i in range(graphs.INPUTS)]
    inputs = casadi.vertcat(*values)
    result = run(values, casadi)
    gradient = casadi.gradient(result, inputs)
    return casadi.Function("f", [inputs], [result, gradient])


def main(side: str, shape: str, size: str) -> None:
    build = prepare(side, shape, int(size))
    before = peak()
    start, used = perf_counter(), process_time()
    built = build()
    found = {
        "seconds": perf_counter() - start,
        "cpu": process_time() - used,
        "before": before,
        "peak": peak(),
    }
    assert built is not None
    used = process_time()
    getattr(built, "source", None)  # of gradc
    print(json.dumps({**found, "printing": process_time() - used}))


if __name__ == "__main__":
    main(*sys.argv[1:])
