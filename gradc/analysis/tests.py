"""What a function tests before it returns: a sum that is infinite or NaN where it errs.

Its terms are the values that may be infinite, and what shows that floats have ended on
the way (`extremes`, `decays`) or that digits are lost (`losses`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce

from gradc.analysis import decays, extremes, losses
from gradc.analysis.bounds import sizes
from gradc.analysis.draws import Draws
from gradc.analysis.runs import Runs
from gradc.analysis.suspects import Suspects
from gradc.functions import ZERO, Function, is_short, numbers
from gradc.ir import Builder

MOST = 2_000  # nodes above which only results are tested
SHARE = 100  # and derivatives only if there are so many nodes for each of them


def tested(
    functions: Sequence[Function], strict: bool, ieee: bool = False
) -> list[Function]:
    """Functions of one program that test their results.

    Arguments:
        strict: the values are tested and nothing else.
        ieee: the values may be infinite.
    """
    program = functions[-1].program
    if not is_short(program):
        return [*functions]
    values = [] if ieee else extremes.infinite(program)
    builder = Builder.upon(program)
    builder.span = None
    found = []
    runs, draws = Runs(program), Draws(program)
    for function in functions:
        terms = values if function.vector is None else []
        if not strict and len(program.nodes) <= MOST:
            suspects = Suspects(function)
            terms = [*terms, *extremes.terms(suspects, builder, terms, runs)]
            terms += decays.terms(suspects, builder)
            terms += losses.terms(suspects, builder, draws)
        elif not strict:
            terms = [*terms, *_derivatives(function, values)]
        found.append(reduce(partial(builder.add, "add"), terms) if terms else 0)
    grown = replace(program, nodes=tuple(builder.nodes), spans=tuple(builder.spans))
    if not any(found) or not is_short(grown):
        return [*functions]
    return [f._replace(program=grown, finite=i) for f, i in zip(functions, found)]


def _derivatives(function: Function, values: Sequence[int]) -> list[int]:
    """The derivatives of a long function that may be infinite, if they are few."""
    program = function.program
    chosen = (program.outputs[k] for k in numbers(function.layout) if k != ZERO)
    found = [i for i in dict.fromkeys(chosen) if i not in values]
    if not found or len(found) * SHARE > len(program.nodes):
        return []
    known = sizes(program)
    return [i for i in found if known[i].high == math.inf]
