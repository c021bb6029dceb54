"""Which part of a formula a wrong result comes from.

The functions of a module keep the names of the formula, so their variables can be
compared with the formula as written: the first binding whose value differs is the part
to show, else the last one whose derivative does, which a module keeps as `d_name`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gradc.checking.textbook import Run
from gradc.engine.value import Value
from gradc.ir import Program
from gradc.language.syntax import Row, Span
from gradc.targets.names import identifier

_CLEAR = 1e-6  # a relative difference that no rounding makes, in what is ordinary

Variables = Mapping[str, Any]


def part(
    rows: Sequence[Row],
    written: Program,
    run: Run | None,
    functions: Sequence[Callable[[], Any]],
    wrt: str | None,
) -> Span | None:
    """The place to show for a wrong value, or a wrong derivative by `wrt`.

    Arguments:
        rows: the formula's syntax, empty if there is none.
        run: the formula as written at the point in question, if it can be run.
        functions: call the functions of the module there.
    """
    if run is not None:
        for function in functions:
            position = _differing(written, run, variables(function), wrt is not None)
            if position is not None:
                return written.spans[position]
    for row in rows:
        if wrt is not None and row.op == "name" and row.payload == wrt:
            return row.span
    return written.spans[written.outputs[0]]


def _differing(
    written: Program, run: Run, found: Variables, derivatives: bool
) -> int | None:
    """The binding whose value differs first, or whose derivative differs last."""
    named = sorted(written.names.items())
    for i, name in named:
        node = run.trace.values[i]
        number = node.data if isinstance(node, Value) else node
        if _differs(found.get(identifier(name)), number):
            return i
    for i, name in reversed(named):
        node = run.trace.values[i]
        if derivatives and isinstance(node, Value):
            if _differs(found.get(f"d_{identifier(name)}"), node.grad):
                return i
    return None


def _differs(found: Any, expected: Any) -> bool:
    if not isinstance(found, (int, float)) or not isinstance(expected, (int, float)):
        return False
    return not abs(found - expected) <= _CLEAR * abs(expected)


def variables(call: Callable[[], Any]) -> Variables:
    """The variables that a function has when it returns or raises."""
    found: dict[str, Any] = {}

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code.co_name in ("value", "value_and_grad"):
            if "INPUTS" in frame.f_globals:
                found.update(frame.f_locals)

    with _watched(watch):
        try:
            call()
        except Exception:  # what it raised has been noted before
            pass
    return found


@contextmanager
def _watched(watch: Callable[[FrameType, str, object], None]) -> Iterator[None]:
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)
