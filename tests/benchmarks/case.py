"""A benchmark case: a formula, and the best that an expert made of it by hand."""

from __future__ import annotations

import ast
import inspect
import math
import random
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gradc.compiled import Compiled
from gradc.compiler import compile
from gradc.special import exp_square, loggamma, sech2

Function = Callable[..., Any]
Point = tuple[float, ...]

# What an expert's function may call; where gradc's table needs a helper of its own to
# be accurate, the expert calls the same one.
EXPERT_NAMES = {
    **vars(math),
    "exp_square": exp_square,
    "loggamma": loggamma,
    "sech2": sech2,
}


@dataclass(frozen=True)
class Case:
    """One formula and the hand-written Python of its value and gradient.

    Attributes:
        name: how the tables call it.
        formula: gradc's source; its domains are where the points are drawn from.
        expert: the source of a function `value_and_grad` of the same arguments.
        note: what the expert was given, or knows, that must be said beside his time.
    """

    name: str
    formula: str
    expert: str
    note: str = ""
    function = "value_and_grad"

    @cached_property
    def generated(self) -> Compiled:
        """What gradc makes of the formula."""
        return compile(self.formula)

    @cached_property
    def written(self) -> Function:
        """The expert's function."""
        found: Function = load(self.expert, EXPERT_NAMES)["value_and_grad"]
        return found

    def points(self, count: int, seed: int = 1) -> list[Point]:
        """Points drawn evenly from the domains that the formula declares."""
        inputs = self.generated.program.inputs
        rng = random.Random(seed)
        bounds = [(_finite(item.low), _finite(item.high)) for item in inputs]
        return [tuple(rng.uniform(*pair) for pair in bounds) for _ in range(count)]


def _finite(bound: float | None) -> float:
    assert bound is not None, "a benchmark's inputs have domains"
    return bound


def load(source: str, names: dict[str, Any]) -> dict[str, Any]:
    """Execute a source over the names it may use."""
    namespace = dict(names)
    exec(source, namespace)
    return namespace


def by_hand(name: str, formula: str, note: str = "") -> Callable[[Function], Case]:
    """Make a case of a function, which is the expert's version of the formula."""

    def decorate(function: Function) -> Case:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        (definition,) = tree.body
        assert isinstance(definition, ast.FunctionDef)
        definition.name = "value_and_grad"
        definition.decorator_list = []
        definition.returns = None
        for argument in definition.args.args:
            argument.annotation = None
        return Case(name, formula.strip("\n"), ast.unparse(tree), note)

    return decorate


def unrolled(
    inputs: Sequence[str], lines: Sequence[str], value: str, gradient: Sequence[str]
) -> str:
    """The source of an expert's function that a program wrote out for him."""
    body = "".join(f"    {line}\n" for line in lines)
    result = f"    return {value}, ({', '.join(gradient)},)\n"
    return f"def value_and_grad({', '.join(inputs)}):\n{body}{result}"


def agree(one: Any, other: Any, tolerance: float = 1e-9) -> bool:
    """Whether two results (value, gradient) are equal but for rounding.

    A derivative may be off by the tolerance times the largest of them, since it may be
    a difference of such.
    """
    largest = max(map(abs, other[1]))
    slopes = zip(one[1], other[1], strict=True)
    return math.isclose(one[0], other[0], rel_tol=tolerance) and all(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance * largest)
        for a, b in slopes
    )
