"""Certified numbers against the same by mpmath: a value and all first derivatives.

Mpmath runs the formula as written on `Value`s of its numbers, so that one pass backwards
gives all derivatives, in 120 bits, and again with twice the bits until all floats are
the same twice: the cheapest way to be as good as certain. Points at which that raises,
or at which more than 2,000 bits do not do, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Any

from mpmath import mp, mpf

import gradc
from gradc.run import NOT_DEFINED, arithmetic, run
from gradc.value import Value
from tests.corpus import cases

CORPORA = "feynman scipy_opt fpbench engineering distributions nan_traps reports"
FIRST, MOST = 120, 2_000  # bits of mpmath


def by_mpmath(compiled: gradc.Compiled, point: Sequence[float]) -> list[float] | None:
    """The floats of a value and its gradient."""
    last, bits = None, FIRST
    while bits <= MOST:
        with mp.workprec(bits):
            given = {x: Value(mpf(p)) for x, p in zip(compiled.inputs, point)}
            try:
                numbers = arithmetic(*given.values())
                (total,) = run(compiled.written, given, numbers).results()
                if isinstance(total, Value):
                    total.backward()
                ends = total.data if isinstance(total, Value) else total
                found = [float(x) for x in (ends, *[x.grad for x in given.values()])]
            except NOT_DEFINED:
                return None
        if found == last:
            return found
        last, bits = found, 2 * bits
    return None


def seconds(call: Callable[[], Any]) -> float:
    start = process_time()
    call()
    return process_time() - start


def run_all(often: int) -> list[tuple[float, float, int]]:
    """Seconds of both at each point, in turn, and how many operations there are."""
    found = []
    for corpus in CORPORA.split():
        for case in cases(corpus)[::often]:
            f = gradc.compile(case.formula, inputs=case.inputs)
            size = len(f.written.nodes)
            for k, point in enumerate(case.points):
                if by_mpmath(f, point.inputs) is None:
                    continue
                sides = [
                    lambda: f.certified(*point.inputs),
                    lambda: by_mpmath(f, point.inputs),
                ]
                order = (0, 1) if k % 2 else (1, 0)
                times = {side: seconds(sides[side]) for side in order}
                found.append((times[0], times[1], size))
    return found


def figures(often: int) -> str:
    """The figures in a line."""
    times = run_all(often)
    ours = sorted(a for a, _, size in times if size <= 100)
    ratio = median(a / b for a, b, _ in times)
    late = ours[len(ours) * 99 // 100]
    return (
        f"certified  {len(times)} points  {1e3 * median(ours):.2f} ms"
        f"  99 % within {1e3 * late:.1f} ms  {ratio:.2f} times mpmath"
    )
