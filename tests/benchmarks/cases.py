"""Benchmark cases: a formula, and the best that an expert made of it by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import gradc
from gradc import special

Function = Callable[..., Any]
Point = tuple[Any, ...]

# What an expert's function may call; where gradc's table needs a function of its own to
# be accurate, the expert calls the same one.
NAMES = {
    name: getattr(module, name)
    for module in (special, math)
    for name in dir(module)
    if name[0] != "_"
}


@dataclass(frozen=True)
class Case:
    """A formula and the hand-written Python of its value and gradient.

    Attributes:
        formula: gradc's source; its domains are where the points are drawn from.
        expert: lines of a function of the same arguments, the last one returns.
        ranges: where to draw the inputs that the formula gives no domain.
        note: what the expert was given, or knows, that must be said beside his time.
    """

    name: str
    formula: str
    expert: Sequence[str]
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    note: str = ""
    function = "value_and_grad"

    @cached_property
    def compiled(self) -> Any:
        return gradc.compile(self.formula)

    @cached_property
    def generated(self) -> Function:
        """The function of the module."""
        found: Function = load(self.compiled.source)[self.function]
        return found

    @cached_property
    def source(self) -> str:
        """The expert's function as text."""
        body = "".join(f"    {line}\n" for line in self.expert)
        return f"def {self.function}({', '.join(self.compiled.inputs)}):\n{body}"

    @cached_property
    def written(self) -> Function:
        """The expert's function."""
        found: Function = load(self.source)[self.function]
        return found

    def points(self, count: int) -> list[Point]:
        """Points drawn evenly from the domains."""
        rng = random.Random(1)
        bounds = {item.name: (item.low, item.high) for item in self.inputs}
        pairs: list[Any] = [*{**bounds, **self.ranges}.values()]
        return [tuple(rng.uniform(*pair) for pair in pairs) for _ in range(count)]

    @property
    def inputs(self) -> Any:
        return self.compiled.program.inputs


def load(source: str) -> dict[str, Any]:
    """Execute a source over the names that an expert may use."""
    namespace = {**NAMES, "__name__": "loaded"}
    exec(source, namespace)
    return namespace


def returned(value: str, gradient: Sequence[str]) -> str:
    """The last line of an expert's function."""
    return f"return {value}, ({', '.join(gradient)},)"


def numbers(result: Any) -> list[float]:
    """All numbers of a nested result, in order."""
    found, stack = [], [result]
    while stack:
        part = stack.pop()
        if isinstance(part, (tuple, list)):
            stack += reversed(part)
        else:
            found.append(part)
    return found


def agree(one: Any, other: Any, tolerance: float = 1e-9) -> bool:
    """Whether two results are equal but for rounding, part by part.

    A number may be off by the tolerance times the largest of its part, since it may be
    a difference of such.
    """
    for part, same in zip(one, other, strict=True):
        pairs = [*zip(numbers(part), numbers(same), strict=True)]
        largest = max(abs(b) for _, b in pairs)
        if not all(abs(a - b) <= tolerance * largest for a, b in pairs):
            return False
    return True


def _read() -> list[Case]:
    text = Path(__file__).with_name("experts.txt").read_text(encoding="utf-8")
    return [_case(block.split("\n")) for block in text.strip("\n").split("\n\n")]


def _case(lines: Sequence[str]) -> Case:
    """Read comments, formula, ranges and body of a case."""
    name, *note = [line[2:] for line in lines if line.startswith("# ")]
    formula = [line[2:] for line in lines if line.startswith("> ")]
    ranges = {}
    for line in lines:
        if line.startswith("@ "):
            *names, low, high = line[2:].split()
            ranges |= dict.fromkeys(names, (float(low), float(high)))
    body = [line for line in lines if line[:2] not in ("# ", "> ", "@ ")]
    return Case(name, "\n".join(formula), body, ranges, " ".join(note))


READ = _read()
