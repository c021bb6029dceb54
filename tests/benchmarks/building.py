"""The compiler's own speed: time and memory from a formula's text to its functions.

Each build runs in a fresh process (`child`). Times are processor seconds, since the
machine may be shared; the sides take turns, and the median of the repeats counts. Memory
is the peak of the whole process, interpreter and libraries included. Processes start
from bytecode, as those of installed packages do.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import process_time

import gradc
from tests.benchmarks.case import EXPERT_NAMES
from tests.benchmarks.report import Table
from tests.benchmarks.sciences import bundle_adjustment

ROOT = Path(__file__).parents[2]
TEN_LINES = """\
input x, y, z in [0.1, 2]
r = sqrt(x^2 + y^2 + z^2)
u = x/r
v = y/r
w = z/r
a = exp(-r)*sin(u + v)
b = log(1 + r^2)*cos(w)
c = a*b + u*v*w
d = tanh(c) - a/(1 + b^2)
c*d + r
"""
KEEPING = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
IMPORT = """
import importlib, sys, time
sys.path.insert(0, sys.argv[1])
def load(name):
    sys.modules.pop(name, None)
    start = time.process_time()
    importlib.import_module(name)
    return time.process_time() - start
names = sys.argv[2:]
times = {name: [] for name in names}
for k in range(201):
    for name in names:
        times[name].append(load(name))
for name in names:
    print(sorted(times[name][1:])[100])
"""


@dataclass(frozen=True)
class Build:
    """A shape and size built by one side: processor seconds, and megabytes at most.

    Of a long function the module is not printed for that; it takes `printing` seconds.
    """

    side: str
    shape: str
    size: int
    seconds: float
    peak: float
    printing: float


def sizes(quick: bool, full: bool) -> Iterator[tuple[str, int]]:
    """The shapes and sizes to build, small ones first."""
    largest = 10_000 if quick else 1_000_000 if full else 100_000
    for shape, limit in (
        ("graph", largest),
        ("sum", largest),
        ("nest", min(largest, 100_000)),
        ("inputs", 10_000),
    ):
        size = 1000
        while size <= limit:
            yield shape, size
            size *= 10


def measured(quick: bool, full: bool) -> list[Build]:
    """Build every shape and size, with CasADi where it is installed."""
    _keep_bytecode()
    found = []
    for shape, size in sizes(quick, full):
        sides = ["gradc"]
        if shape == "graph" and find_spec("casadi"):
            sides += ["casadi", "loop"]
        repeats = 1 if quick or size >= 1_000_000 else 3
        runs = [[run(side, shape, size) for side in sides] for _ in range(repeats)]
        for k, side in enumerate(sides):
            facts = ("cpu", "peak", "printing")
            medians = [median(turn[k][fact] for turn in runs) for fact in facts]
            found.append(Build(side, shape, size, *medians))
    return found


def _keep_bytecode() -> None:
    """Compile the modules of gradc, as installing it does."""
    command = [sys.executable, "-m", "compileall", "-q", "gradc"]
    subprocess.run(command, cwd=ROOT, env=KEEPING, check=True)


def run(side: str, shape: str, size: int) -> dict[str, float]:
    """One build in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.child", side, shape, str(size)]
    done = subprocess.run(
        command, cwd=ROOT, env=KEEPING, capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def table(builds: list[Build]) -> Table:
    known = {(b.side, b.shape, b.size): b for b in builds}
    return Table(
        "From text to functions with gradients",
        ["shape, size", "s", "MB", "growth", "module s"]
        + ["CasADi s", "CasADi MB", "ratio", "by loop s"],
        [_line(b, known) for b in builds if b.side == "gradc"],
        [
            "graph: bindings of one operation over 20 inputs; sum: terms on one line;",
            "nest: levels of calls and brackets; inputs: a chain over that many inputs.",
            "gradc's gradient is called once, for the first call compiles its Python, or",
            "runs over the program if it is long: the module takes so much longer then;",
            "CasADi reads the graph as a Python function; by loop, without any text.",
        ],
    )


def _line(build: Build, known: dict[tuple[str, str, int], Build]) -> list[str]:
    name, size = build.shape, build.size
    line = [f"{name}, {size:,}", f"{build.seconds:.3f}", f"{build.peak:.0f}"]
    last = known.get(("gradc", name, size // 10))
    line.append(f"{build.seconds / last.seconds:.1f}" if last else "")
    line.append(f"{build.printing:.3f}")
    peer, loop = (known.get((side, name, size)) for side in ("casadi", "loop"))
    if not peer or not loop:
        return [*line, "", "", "", ""]
    line += [f"{peer.seconds:.3f}", f"{peer.peak:.0f}"]
    return [*line, f"{build.seconds / peer.seconds:.2f}", f"{loop.seconds:.3f}"]


# ---- what is felt with small formulas


@dataclass(frozen=True)
class Felt:
    """A small thing a user waits for, in milliseconds, and what to hold it against."""

    name: str
    milliseconds: float
    plain: float
    against: str


def felt(quick: bool) -> list[Felt]:
    repeats = 5 if quick else 15
    return [_warm(20 * repeats), _command(repeats), *_import()]


def _warm(repeats: int) -> Felt:
    gradc.compile("x*sin(y)")
    source = gradc.compile("x*sin(y)").source
    ours, plain = [], []
    for _ in range(repeats):
        start = process_time()
        gradc.compile("x*sin(y)").value_and_grad(1.0, 2.0)
        middle = process_time()
        compile(source, "module", "exec")
        ours.append(middle - start)
        plain.append(process_time() - middle)
    name = 'gradc.compile("x*sin(y)"), warm'
    return Felt(name, 1000 * median(ours), 1000 * median(plain), "Python's compile")


def _command(repeats: int) -> Felt:
    """`gradc compile` on ten lines, and an interpreter that does nothing."""
    _keep_bytecode()
    ours, plain = [], []
    with tempfile.TemporaryDirectory() as folder:
        formula = Path(folder, "formula.txt")
        formula.write_text(TEN_LINES)
        target = str(Path(folder, "formula.py"))
        command = ["-m", "gradc", "compile", str(formula), "-o", target]
        for _ in range(repeats):
            ours.append(_process(command))
            plain.append(_process(["-c", "pass"]))
    name = "the command on ten lines"
    return Felt(name, 1000 * median(ours), 1000 * median(plain), "python -c pass")


def _process(arguments: list[str]) -> float:
    """Processor seconds of an interpreter, from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(
        command, cwd=ROOT, env=KEEPING, check=True, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _import() -> list[Felt]:
    """Imports of a generated module and of the expert's, in turn, from bytecode.

    What stands behind the functions of a module is a guard: it runs where floats end. As
    in the other benchmarks the expert is held against with the same guard, and without.
    """
    expert = bundle_adjustment.expert
    used = [n for n in EXPERT_NAMES if f"{n}(" in expert and n.isidentifier()]
    written = f"from math import {', '.join(used)}\n\n\n{expert}\n"
    generated = bundle_adjustment.generated.source
    head, begin, rest = generated.partition("\n\nIEEE = ")
    declared = head[head.index("\nfrom math ") : head.index("\n\n\ndef ")]
    texts = {
        "generated": generated,
        "guarded": f"{declared}\n{written}{begin}{rest}",
        "written": written,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, f"{name}.py").write_text(text)
        command = [sys.executable, "-c", IMPORT, folder, *texts]
        done = subprocess.run(
            command, env=KEEPING, capture_output=True, text=True, check=True
        )
    ours, *plain = (1000 * float(seconds) for seconds in done.stdout.split())
    against = ("the expert's with the same second run", "the expert's without")
    name = "import of a generated module"
    return [Felt(name, ours, other, what) for other, what in zip(plain, against)]


def felt_table(rows: list[Felt]) -> Table:
    lines = [
        [row.name, f"{row.milliseconds:.3f}", f"{row.plain:.3f}", row.against]
        for row in rows
    ]
    return Table("Small formulas", ["what", "ms", "plain ms", "plain"], lines)
