"""Large formulas of any size."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

INPUTS = 20
INFIX = {"add": "+", "sub": "-", "mul": "*"}


@dataclass(frozen=True)
class Step:
    """One line of a graph: an operation on the values at two positions, or at one."""

    op: str
    left: int
    right: int = -1


@dataclass
class Graph:
    """Values by position: the inputs, then a value for each step; the last counts."""

    inputs: list[float]  # near which all values stay between -2 and 2
    steps: list[Step]

    def name(self, i: int) -> str:
        return f"v{i}" if i < len(self.inputs) else f"t{i - len(self.inputs)}"

    def formula(self) -> str:
        """The graph in gradc's language, a binding for each step."""
        head = f"input {', '.join(map(self.name, range(len(self.inputs))))}"
        lines = [head]
        for i, step in enumerate(self.steps, len(self.inputs)):
            left, right = self.name(step.left), self.name(step.right)
            if step.op in INFIX:
                lines.append(f"{self.name(i)} = {left} {INFIX[step.op]} {right}")
            else:
                lines.append(f"{self.name(i)} = {step.op}({left})")
        return "\n".join([*lines, self.name(len(self.inputs) + len(self.steps) - 1)])

    def run(self, values: Sequence[Any], names: Any) -> Any:
        """The value, step by step over numbers or symbols of any kind."""
        known, act = list(values), operations(names)
        for step in self.steps:
            if step.op in INFIX:
                known.append(act[step.op](known[step.left], known[step.right]))
            else:
                known.append(act[step.op](known[step.left]))
        return known[-1]

    def value(self) -> float:
        """The value at the graph's own point."""
        found: float = self.run(self.inputs, math)
        return found


def operations(names: Any) -> dict[str, Callable[..., Any]]:
    """The operations of a graph over the functions of a module."""
    functions = ("sin", "cos", "tanh", "exp", "log", "sqrt")
    return {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        **{name: getattr(names, name) for name in functions},
    }


def random_graph(size: int, seed: int = 7) -> Graph:
    """Operands evenly from all earlier values; sums join what nothing else read."""
    rng = random.Random(seed)
    graph = Graph([rng.uniform(-1, 1) for _ in range(INPUTS)], [])
    values, unread = list(graph.inputs), dict.fromkeys(range(INPUTS))
    run = operations(math)
    kinds = ["mul"] * 7 + ["add"] * 5 + ["sub"] * 3
    kinds += ["sin", "cos", "tanh", "exp", "log", "sqrt"]
    while len(graph.steps) + len(unread) < size:
        left, right = rng.randrange(len(values)), rng.randrange(len(values))
        op = _tame(rng.choice(kinds), values[left], values[right])
        args = (left, right) if op in INFIX else (left,)
        graph.steps.append(Step(op, *args))
        for a in args:
            unread.pop(a, None)
        unread[len(values)] = None
        values.append(run[op](*(values[a] for a in args)))
    total, *rest = unread
    for i in rest:
        graph.steps.append(Step("add", total, i))
        total = INPUTS + len(graph.steps) - 1
    return graph


def _tame(op: str, x: float, y: float) -> str:
    """The operation, or another where it would grow or leave its domain."""
    if op == "exp" and x > 0.5 or op in ("log", "sqrt") and x < 0.3:
        return "sin"
    if op == "add" and abs(x + y) > 2 or op == "sub" and abs(x - y) > 2:
        op = "mul"
    return "tanh" if op == "mul" and abs(x * y) > 2 else op


def wide_sum(terms: int) -> str:
    """One line with a sum of many terms."""
    rng = random.Random(3)
    names = [f"v{i}" for i in range(10)]

    def term() -> str:
        function = rng.choice(("sin", "cos", "tanh"))
        return f"{rng.choice(names)}*{function}({rng.choice(names)})"

    return f"input {', '.join(names)}\n" + " + ".join(term() for _ in range(terms))


def deep_nest(levels: int) -> str:
    """One line with functions and brackets inside each other."""
    opened = ("sin(x + ", "(y*", "cos(y - ", "(x - ")
    text = "".join(opened[k % len(opened)] for k in range(levels))
    return f"input x, y\n{text}x{')' * levels}"


def many_inputs(count: int) -> str:
    """A chain over many inputs."""
    names = [f"x{i}" for i in range(count)]
    lines = [f"input {', '.join(names)}", f"s1 = {names[0]}*sin({names[1]})"]
    for i in range(2, count):
        lines.append(f"s{i} = s{i - 1} + {names[i - 1]}*sin({names[i]})")
    return "\n".join([*lines, f"s{count - 1}"])


def largest(count: int) -> str:
    """The largest of many products, each with inputs of its own."""
    names = [f"x{i}" for i in range(count)]
    products = [f"{x}*{y}" for x, y in zip(names, names[1:])]
    return f"input {', '.join(names)}\nmax({', '.join(products)})"


def quotients(count: int) -> str:
    """A sum of functions of quotients that one input divides."""
    return " + ".join(f"exp(sin({k + 2}*x)/y)" for k in range(count))
