"""A function that is too long for CPython as steps, for nobody but Python to read.

    def f(x):                       names = {"x": x}
        t1 = sin(x)                 t1 = sin(x)
        t2 = t1 * x                 result = t1 + t1 * x, t1
        return t1 + t2, t1   -->    return names["result"]

To compile a function takes memory and time for all of it at once. A step is a few of its
statements, compiled by itself and run over a dictionary of its variables: in half of the
time, and without what pieces of a function have to hand on to each other.
"""

from __future__ import annotations

from builtins import compile as _compile
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

SIZE = 125  # statements of a step; more or fewer take longer to compile


class Steps(NamedTuple):
    """The statements of a function, which assign what it returns to `result`."""

    name: str
    parameters: Sequence[str]
    texts: Sequence[str]
    result: str


def cut(lines: Sequence[str], tops: Sequence[int]) -> list[str]:
    """The text of some lines in steps; at `tops` the statements begin."""
    edges = [*tops[SIZE::SIZE], len(lines)]
    return ["\n".join(lines[a:b]) for a, b in zip([0, *edges], edges)]


def loaded(steps: Steps, namespace: dict[str, Any]) -> Callable[..., Any]:
    """The function, `namespace` having what its statements call."""
    _, parameters, texts, result = steps
    codes = [_compile(text, "a step of a formula", "exec") for text in texts]

    def run(*args: Any) -> Any:
        names = dict(zip(parameters, args))
        for code in codes:
            exec(code, namespace, names)
        return names[result]

    return run
