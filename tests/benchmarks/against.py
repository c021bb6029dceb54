"""This tree against an older one: compiling, calling, and starting up.

Two processes, each with the gradc of one folder, take turns formula by formula; the
median of the ratios counts, so that what else the machine does meets both.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from tests.corpus import Case, cases

HERE = Path(__file__).parents[2]
TARGETS = {"feynman": 4.0, "scipy_opt": 4.0, "fpbench": 2.5}
FASTER = 1.12  # ordinary points, of what the older tree takes
SMALL = "import gradc; gradc.compile('x*sin(y)').value_and_grad(1.0, 2.0)"
KEEPING = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


class Side:
    """A worker process."""

    def __init__(self, folder: Path) -> None:
        line = [sys.executable, str(Path(__file__).with_name("worker.py")), str(folder)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(line, stdin=pipe, stdout=pipe, text=True)

    def do(self, *task: Any) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@contextmanager
def sides(older: Path) -> Iterator[list[Side]]:
    """Workers for the older tree and this one, warm."""
    both = [Side(folder.resolve()) for folder in (older, HERE)]
    for side in both:
        for case in cases("feynman")[:5]:
            side.do("compile", case.formula, case.inputs)
    yield both
    for side in both:
        side.process.kill()
        side.process.wait()


def compiling(older: Path, repeats: int, every: int) -> None:
    """How many times as fast the corpora are compiled, a formula at a time."""
    print("\ncompiling: times as fast as the older tree, median (and of all together)")
    with sides(older) as both:
        for corpus, target in TARGETS.items():
            chosen = cases(corpus)[::every]
            ratios, totals = [], [0.0, 0.0]
            for case in chosen:
                times = _turns(both, "compile", case, repeats)
                ratios.append(times[0] / times[1])
                totals = [a + b for a, b in zip(totals, times)]
            found = median(ratios)
            mark = "  BELOW" if found < target else ""
            print(
                f"{found:6.2f}  ({totals[0] / totals[1]:.2f}: {totals[0]:.1f} s,"
                f" {totals[1]:.1f} s) {corpus}, {len(chosen)} formulas{mark}",
                flush=True,
            )


def _turns(both: list[Side], task: str, case: Case, repeats: int) -> list[float]:
    """Median seconds of each side, in turn."""
    times: list[list[float]] = [[], []]
    for k in range(repeats):
        for i in (0, 1) if k % 2 else (1, 0):
            times[i].append(both[i].do(task, case.formula, case.inputs))
    return [median(found) for found in times]


def calling(older: Path, rounds: int) -> None:
    """How many times as fast generated functions are at ordinary points."""
    print("\nordinary points: times as fast as the older tree, geometric mean")
    with sides(older) as both:
        for corpus in ("engineering", "distributions"):
            ratios = {}
            for case in cases(corpus):
                points = [list(p.inputs) for p in case.points if p.kind == "ordinary"]
                task = ("load", case.formula, case.inputs, points[0])
                if all([side.do(*task) for side in both]):
                    found = [
                        both[0].do("call", point) / both[1].do("call", point)
                        for _ in range(rounds)
                        for point in points
                    ]
                    ratios[case.name] = median(found)
            mean = geometric_mean(ratios.values())
            mark = "  BELOW" if mean < FASTER else ""
            slowest = sorted(ratios, key=ratios.__getitem__)[:5]
            print(f"{mean:6.2f}  {corpus}, {len(ratios)} formulas{mark}; least:")
            for name in slowest:
                print(f"        {ratios[name]:.2f} {name}", flush=True)


def starting(older: Path, repeats: int) -> None:
    """Importing and compiling one small formula, in a process of its own."""
    ratios = []
    for folder in (older, HERE):
        line = [sys.executable, "-m", "compileall", "-q", "gradc"]
        subprocess.run(line, cwd=folder, env=KEEPING, check=True)
    for k in range(repeats):
        times = {}
        for folder in (older, HERE) if k % 2 else (HERE, older):
            times[folder] = _process(folder)
        ratios.append(times[HERE] / times[older])
    found = median(ratios)
    mark = "  ABOVE" if found > 1.0 else ""
    print(f"\nimport and x*sin(y): {found:.2f} of the older tree's time{mark}")


def _process(folder: Path) -> float:
    """Processor seconds of an interpreter, from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", SMALL], cwd=folder, env=KEEPING, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
