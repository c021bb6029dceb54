"""Formulas with exact values and gradients, and what counts as right.

A case is a name, the lines of a formula, its inputs in order, and a line for each point:
what kind of point it is where that is known, then inputs | value | gradient. Numbers of
inputs are exact floats; values and gradients are those of the exact real function there,
in 18 digits. Where each file comes from stands in README.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
TRAPS = "nan_traps"  # where a derivative that is 0 has to be 0
CLOSE, TINY = Fraction(1, 10**9), Fraction(1, 10**323)


@dataclass(frozen=True)
class Point:
    kind: str
    inputs: tuple[float, ...]
    value: str
    gradient: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    corpus: str
    name: str
    formula: str
    inputs: tuple[str, ...]
    points: list[Point] = field(default_factory=list)


def cases(corpus: str) -> list[Case]:
    """Read a file of cases."""
    text = (FOLDER / f"{corpus}.txt").read_text(encoding="utf-8")
    return [_case(corpus, block.split("\n")) for block in text.strip().split("\n\n")]


def _case(corpus: str, lines: list[str]) -> Case:
    formula = [line[2:] for line in lines if line.startswith("> ")]
    head, *points = lines[1 + len(formula) :]
    found = Case(corpus, lines[0][2:], "\n".join(formula), tuple(head.split()))
    for line in points:
        kind, _, rest = line.rpartition(": ")
        inputs, value, gradient = (part.split() for part in rest.split("|"))
        point = Point(kind, tuple(map(float, inputs)), value[0], tuple(gradient))
        found.points.append(point)
    return found


def complaints(case: Case, compiled: Any) -> Iterator[str]:
    """What is wrong with value and gradient at each point, "" for what is right."""
    for point in case.points:
        try:
            value, gradient = compiled.value_and_grad(*point.inputs)
        except (ValueError, ArithmeticError) as error:
            yield f"{type(error).__name__} at {point.inputs}"
            continue
        yield _complaint(case, point, value, gradient)


def _complaint(case: Case, point: Point, value: float, gradient: Any) -> str:
    exact = case.corpus == TRAPS
    if not _right(value, point.value, Fraction(1, 10**300) if exact else Fraction(0)):
        return f"value {value!r}, not {point.value}, at {point.inputs}"
    sizes = [abs(Fraction(want)) for want in point.gradient if "inf" not in want]
    zero = Fraction(1, 10**300) if exact else max(sizes, default=Fraction(0)) / 10**12
    for name, found, want in zip(case.inputs, gradient, point.gradient, strict=True):
        if not _right(found, want, zero):
            return f"d/d{name} {found!r}, not {want}, at {point.inputs}"
    return ""


def _right(found: float, want: str, zero: Fraction) -> bool:
    """Whether a number is right to nine digits, and a true 0 within `zero`."""
    if "inf" in want:
        return found == float(want)
    if not math.isfinite(found):
        return False
    got, true = Fraction(found), Fraction(want)
    if not true:
        return abs(got) <= zero
    return abs(got - true) <= max(abs(true) * CLOSE, TINY)
