"""How far each row is off in each target, over its whole domain: the table of the manual.

    python -m tests.measure

Points are those of `tests/test_table.py` all over the domain, and others of ordinary size
and in tails. Where terms cancel, the unit is that of the larger terms, as there; in the
tail of a distribution nothing cancels, so it is that of the value.
"""

from __future__ import annotations

import math
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gradc
from gradc.ops import OPS, Op
from tests.conftest import FUNCTIONS, ROOT
from tests.targets import Case, in_c, in_node
from tests.test_table import ORDERS, certain, formula, is_inside, known, off, size

PAGE = ROOT / "gradc" / "manual" / "accuracy.md"
MARK = "<!-- worst ulp -->\n"
MANY = 1000  # points all over, times the number of arguments
ORDINARY = 5000  # others
TAILS = {"gelu", "normcdf", "normpdf"}
TARGETS = "Python", "NumPy", "C", "Node"
Points = list[tuple[Any, Any]]  # arguments, and the certain value there


def rows() -> Iterator[Op]:
    """The rows of numbers that all targets have."""
    for row in OPS:
        text = f"{row.python} {row.means}" if row.name in FUNCTIONS else ""
        has_all = not any(word in text for word in ("scipy", "gamma", "beta"))
        if row.result == "number" and row.params and row.name != "where" and has_all:
            yield row


def ordinary(row: Op) -> Points:
    """Points from 1e-3 to 1e3 in magnitude, near 0, and in tails, with their values."""
    draw, found = random.Random(row.signature), list[Any]()
    kinds = (
        lambda: draw.choice((1, -1)) * 10 ** draw.uniform(-3, 3),
        lambda: draw.uniform(-1, 1),
        lambda: draw.uniform(-6, 6),
        lambda: draw.uniform(-40, 40),
    )
    count = len(row.params) + (2 if row.variadic else 0)
    for _ in range(ORDINARY):
        args = tuple([draw.choice(kinds)() for _ in range(count)])
        if row.params[0] in ORDERS:
            args = (float(draw.randint(0, 4)), *args[1:])
        if is_inside(row, args) and (truth := certain(row, args)) is not None:
            found.append((args, truth))
    return found


def cases() -> Iterator[tuple[Op, str, Points]]:
    """Each row as a formula, with its points."""
    for row in rows():
        groups = defaultdict[str, Points](list)
        for args, truth in (*known(row, MANY), *ordinary(row)):
            if not all(x == 0 or 1e-290 < abs(x) < 1e290 for x in (*args, truth)):
                continue
            groups[formula(row, args)[0]].append((args, truth))
        for text, points in groups.items():
            yield row, text, points


def in_numpy(text: str, points: Sequence[Sequence[float]]) -> list[float]:
    """What the module for columns returns, NaN where it raises."""
    import numpy

    made = gradc.compile(text, columns="all", numpy=True, emit="value")
    found = []
    with numpy.errstate(all="ignore"):
        for point in points:
            try:
                columns = [numpy.full(16, x) for x in point]
                found.append(float(numpy.ravel(made(*columns))[0]))
            except (ArithmeticError, ValueError):
                found.append(math.nan)
    return found


def measured() -> dict[str, list[float]]:
    """The worst error of each row in each target; what has no value is not counted."""
    every = [*cases()]
    made = [
        Case(
            gradc.compile(text, emit="value"),
            [[*formula(row, args)[1].values()] for args, _ in points],
        )
        for row, text, points in every
    ]
    with TemporaryDirectory() as folder:
        flags = "-std=c99"
        c, node = in_c("gcc", flags)(made, Path(folder)), in_node(made, Path(folder))
    found: dict[str, list[float]] = {}
    for k, (row, text, points) in enumerate(every):
        worst = found.setdefault(row.signature, [0.0] * len(TARGETS))
        numpy = in_numpy(text, made[k].points)
        for j, (args, truth) in enumerate(points):
            try:
                python = float(made[k].compiled(*made[k].points[j]))
            except (ArithmeticError, ValueError):
                python = math.nan
            got = python, numpy[j], c[k][j][0], node[k][j][0]
            scale = 0.0 if row.name in TAILS else size(row, args, 0)
            for i, value in enumerate(got):
                if math.isfinite(value):
                    worst[i] = max(worst[i], off(value, truth, scale))
                elif i == 0:
                    print(row.signature, args, truth, value, file=sys.stderr)
    return found


def table(found: dict[str, list[float]]) -> str:
    """The errors as Markdown; equal in all targets they stand once."""
    lines = [f"| row | {' | '.join(TARGETS)} |", "| --- |" + " ---: |" * len(TARGETS)]
    for name, worst in found.items():
        shown = [f"{x:.2g}" if x < 100 else f"{x:.0f}" for x in worst]
        lines.append(f"| `{name}` | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    text = table(measured())
    print(text)
    if PAGE.exists():
        page = PAGE.read_text(encoding="utf-8")
        before, _, after = page.partition(MARK)
        rest = after.lstrip("\n").partition("\n\n")[2]
        PAGE.write_text(f"{before}{MARK}\n{text}\n{rest}", encoding="utf-8")


if __name__ == "__main__":
    main()
