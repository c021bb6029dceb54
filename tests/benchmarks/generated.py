"""The generated functions against those that an expert wrote by hand.

Both sides are called with positional arguments, in one interleaved run (`clock`), after
it was checked that they agree. Beside the times stand the operations and calls in the
text of both, and what the gradient costs: the generated `value_and_grad` against the
generated `value`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from tests.benchmarks.case import Case, agree, load
from tests.benchmarks.cases import CASES
from tests.benchmarks.clock import race
from tests.benchmarks.count import Count, count
from tests.benchmarks.report import Table

POINTS = 16


@dataclass(frozen=True)
class Row:
    """One case: nanoseconds a call, ratios, and counts of both sides."""

    name: str
    generated: float
    expert: float
    ratio: float
    gradient: float
    ours: Count
    theirs: Count
    note: str


def measure(case: Case, batches: int) -> Row:
    """Time a case.

    Raises:
        AssertionError: the two sides disagree.
    """
    functions = load(case.generated.source, {"__name__": "generated"})
    value, both = functions["value"], functions["value_and_grad"]
    points = case.points(POINTS)
    for point in points:
        assert agree(both(*point), case.written(*point)), (case.name, point)
    against = race(both, case.written, points, batches)
    return Row(
        name=case.name,
        generated=against.first,
        expert=against.second,
        ratio=against.ratio,
        gradient=race(both, value, points, max(10, batches // 4)).ratio,
        ours=count(case.generated.source),
        theirs=count(case.expert),
        note=case.note,
    )


def measured(quick: bool) -> list[Row]:
    batches = 40 if quick else 200
    return [measure(case, batches) for case in CASES]


def mean_ratio(rows: list[Row]) -> float:
    """The geometric mean of generated/expert."""
    return math.exp(sum(math.log(row.ratio) for row in rows) / len(rows))


def table(rows: list[Row]) -> Table:
    lines = [
        [
            row.name,
            f"{row.ratio:.3f}",
            f"{row.generated / 1000:.2f}",
            f"{row.expert / 1000:.2f}",
            f"{row.ours.operations} + {row.ours.calls}",
            f"{row.theirs.operations} + {row.theirs.calls}",
            f"{row.gradient:.2f}",
        ]
        for row in rows
    ]
    lines.append(
        ["geometric mean, median", f"{mean_ratio(rows):.3f}", "", "", "", ""]
        + [f"{median(row.gradient for row in rows):.2f}"]
    )
    notes = [f"{row.name}: {row.note}" for row in rows if row.note]
    return Table(
        "Value and gradient, generated against written by hand",
        ["case", "ratio", "us", "expert us", "ops + calls", "expert", "gradient/value"],
        lines,
        [
            "Operations and calls are those of the path that does most.",
            *notes,
        ],
    )
