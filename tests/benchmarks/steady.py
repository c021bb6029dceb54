"""Whether round numbers cost more than others: fifty formulas of textbooks.

The usual time of a formula is the median over its points.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import gradc
from tests.benchmarks.cases import load
from tests.benchmarks.clock import batch

LIMIT = 3.0
CALLS = 200


def textbook() -> Iterator[tuple[str, list[str], list[list[float]]]]:
    """Formulas, their inputs and the points."""
    text = Path(__file__).with_name("textbook.txt").read_text(encoding="utf-8")
    for block in text.strip().split("\n\n")[1:]:
        formula, line = block.split("\n")
        names, points = line.split(": ")
        numbers = [[*map(float, point.split())] for point in points.split(",")]
        yield formula.removeprefix("> ").replace("; ", "\n"), names.split(), numbers


def slowest(function: Any, points: list[list[float]], rounds: int) -> list[float]:
    """The time at each point, as a multiple of the usual one."""
    times: list[list[float]] = [[] for _ in points]
    for _ in range(rounds):
        for point, found in zip(points, times):
            found.append(batch(function, point, CALLS))
    each = [median(found) for found in times]
    return [taken / median(each) for taken in each]


def run(rounds: int) -> None:
    """Print the formulas that have a slow point, or one where they raise."""
    print("\ntextbook formulas at round numbers: the slowest point, by the usual time")
    worst, count, slow = 0.0, 0, 0
    for formula, names, points in textbook():
        source = gradc.compile(formula, inputs=names).source
        function = load(source)["value_and_grad"]
        count += 1
        try:
            found = max(slowest(function, points, rounds))
        except (ValueError, ArithmeticError) as error:
            print(f"raises  {formula!r}: {error}")
            continue
        worst = max(worst, found)
        if found > LIMIT:
            slow += 1
            print(f"{found:6.1f}  {formula!r}  ABOVE", flush=True)
    print(f"{worst:6.2f}  at the most, of {count} formulas; {slow} above {LIMIT}")
