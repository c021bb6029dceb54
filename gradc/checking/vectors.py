"""Test vectors: points, the certified numbers there, and how far each target may be off.

That is a bound of first order on what rounds on the way (`passes.bound`), in units in
the last place of the number, with the errors of functions in the table and those of the
target's own where they are larger; and it is at least twice what Python is off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

from gradc import __version__
from gradc.checking.samples import drawn
from gradc.errors import mistake
from gradc.functions import Number
from gradc.ir import Program, Result, grouped
from gradc.ops import Table
from gradc.passes.bound import bound
from gradc.run import NOT_DEFINED, run

if TYPE_CHECKING:
    from gradc.checking.certified import Witness

DRAWS = 40  # points that are tried for one
TURNED = 100  # times the bound, beyond which other statements ran
RANGE = 1e-290, 1e290  # of all numbers on the way, 0 and a constant apart
# Units in the last place by which functions of a target are off, where the table has
# fewer; `gradc help accuracy` shows how they were measured.
TARGETS: Mapping[str, Mapping[str, float]] = {
    "python": {},
    "numpy": dict(erf=1.5, erfc=3, hypot=2, tanh=2),
    "c": dict(hypot=2, log10=1.5, tanh=2),
    "js": dict(atan2=1.5, cosh=2, erf=1.5, erfc=4, erfcx=5, hypot=2, log10=1.5, tanh=2),
}


def vectors(compiled: Any, points: int = 16) -> dict[str, Any]:
    """The vectors of a compiled formula as JSON has them; a column has three rows.

    Raises:
        GradcError: no point was found, or python-flint is missing.
    """
    try:
        from gradc.checking.certified import Witness
    except ImportError:
        raise mistake("certified_missing") from None
    compiled = compiled.fixed(3) if compiled.is_columnar else compiled
    function, every = compiled._asked
    random = Random(f"vectors {compiled.formula.source.text}")
    draws = islice(drawn(compiled.formula, random), DRAWS * points)
    bounds = {name: bounded(function.program, own) for name, own in TARGETS.items()}
    witness = Witness(compiled.written)
    each = (_at(witness.at(point), function.program, every, bounds) for point in draws)
    found = [*islice(filter(None, each), points)]
    if not found:
        raise mistake("vectors_nowhere", compiled.formula.source)
    inputs = grouped(compiled.program.inputs)
    return {
        "gradc": __version__,
        "formula": compiled.origin.formula,
        "inputs": [{"name": i.name, "shape": [*(i.shape or ())]} for i in inputs],
        "wrt": [*compiled.wrt],
        "numbers": [number.title for number in every],
        "points": found,
    }


def bounded(program: Program, own: Mapping[str, float]) -> Program:
    """A program with the bounds of all its outputs, functions perhaps with other errors."""
    rows = [
        (
            replace(row, ulp=(max(row.ulp[0], own[row.name]), row.ulp[1]))
            if row.name in own and row.ulp
            else replace(row)
        )
        for row in program.ops
    ]
    results = (Result("", ()),) * len(program.outputs)
    return bound(replace(program, ops=Table((*rows,)), results=results))


def _at(
    there: Witness,
    program: Program,
    every: Sequence[Number],
    bounds: Mapping[str, Program],
) -> dict[str, Any] | None:
    """The vector of a point, None where a number has no value, or is very large."""
    (low, high), ran = RANGE, run(program, there.point)
    sizes = [abs(x) for x in ran.values if isinstance(x, float) and x]
    if ran.error is not None or not all(low < x < high for x in sizes):
        return None
    try:
        numbers = [float(there.ball(n.output, n.along)) + 0.0 for n in every]
    except NOT_DEFINED:
        return None
    if not there.is_smooth:
        return None
    ours = [0.0 if n.place < 0 else ran.results()[n.place] for n in every]
    off = [abs(x - y) for x, y in zip(ours, numbers)]
    ulps = {}
    for name, other in bounds.items():
        ends = run(other, there.point).results()[len(program.outputs) :]
        most = [0.0 if n.place < 0 else ends[n.place] for n in every]
        units = [max(x, 2.0 * y) / math.ulp(z) for x, y, z in zip(most, off, numbers)]
        if any(y > TURNED * x for x, y in zip(most, off)) or not math.isfinite(
            sum(units)
        ):
            return None  # rounding turns a condition
        ulps[name] = [math.ceil(x) + 1 for x in units]
    inputs = [float(x).hex() for x in there.point.values()]
    return {"inputs": inputs, "numbers": [x.hex() for x in numbers], "ulp": ulps}
