"""Modules of Python in other runtimes: Pyodide, PyPy and Nuitka, where they are there.

Modules that numba, Cython and mypyc compile are in `test_tools`.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gradc
from gradc.arrays import leaves
from tests.conftest import ROOT
from tests.test_tools import points, tool

pytestmark = pytest.mark.long
EXAMPLES = sorted((ROOT / "examples").glob("*.txt"))
# How far functions of `math` are from those of CPython on glibc, in units in the last
# place; a derivative has several of them.
STEPS = {"pypy3": 32.0, "pyodide": 8.0}
PYODIDE = os.environ.get("GRADC_PYODIDE", "")  # a folder with node_modules/pyodide
PROGRAM = """
import json, sys
found = []
for text, name, points in json.loads(TEXT):
    space = {}
    exec(text, space)
    for point in points:
        value, slopes = space[name](*point)
        found.append([*flat([value, slopes])])
"""


def flat_source() -> str:
    return """
def flat(x):
    if isinstance(x, (list, tuple)):
        for part in x:
            yield from flat(part)
    else:
        yield float(x).hex()
"""


def work() -> tuple[str, list[list[float]]]:
    """Modules of the examples of numbers with points, and what CPython finds there."""
    given, found = [], []
    for path in EXAMPLES:
        compiled = gradc.compile(path.read_text(encoding="utf-8"))
        if compiled.is_columnar or any(i.array for i in compiled.program.inputs):
            continue
        name = [*compiled.functions][-1]
        space: dict[str, object] = {}
        exec(compiled.source, space)
        own = []
        for point in points(compiled):
            try:
                numbers = [*leaves(space[name](*point))]  # type: ignore[operator]
            except (ArithmeticError, ValueError):
                continue
            own.append(point)
            found.append(numbers)
        given.append((compiled.source, name, own))
    return json.dumps(given), found


def judged(runtime: str, words: list[list[str]], true: list[list[float]]) -> None:
    """Compare what a runtime has found, relative to the largest number of a point."""
    assert len(words) == len(true) > 100
    worst = 0.0
    for row, numbers in zip(words, true, strict=True):
        most = max(map(abs, numbers))
        for word, x in zip(row, numbers, strict=True):
            off = abs(float.fromhex(word) - x) / math.ulp(most)
            worst = max(worst, off)
    assert worst <= STEPS[runtime], worst


def test_pypy_runs_the_examples(tmp_path: Path) -> None:
    if shutil.which("pypy3") is None:
        pytest.skip("pypy3 is missing")
    text, true = work()
    program = flat_source() + PROGRAM.replace("TEXT", "open(sys.argv[1]).read()")
    (tmp_path / "given.json").write_text(text)
    (tmp_path / "run.py").write_text(program + "\nprint(json.dumps(found))\n")
    command = ["pypy3", str(tmp_path / "run.py"), str(tmp_path / "given.json")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    judged("pypy3", json.loads(ran.stdout), true)


def test_pyodide_runs_the_examples(tmp_path: Path) -> None:
    folder = Path(PYODIDE) / "node_modules" / "pyodide"
    if not PYODIDE or not folder.exists() or shutil.which("node") is None:
        pytest.skip("GRADC_PYODIDE is no folder with node_modules/pyodide")
    text, true = work()
    program = flat_source() + PROGRAM.replace("TEXT", "given") + "\njson.dumps(found)"
    (tmp_path / "given.json").write_text(text)
    (tmp_path / "run.py").write_text(program)
    (tmp_path / "run.mjs").write_text(f"""
import {{ readFileSync }} from "fs";
import {{ loadPyodide }} from "{folder}/pyodide.mjs";
const pyodide = await loadPyodide();
pyodide.globals.set("given", readFileSync("{tmp_path}/given.json", "utf8"));
console.log(pyodide.runPython(readFileSync("{tmp_path}/run.py", "utf8")));
""")
    command = ["node", str(tmp_path / "run.mjs")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    judged("pyodide", json.loads(ran.stdout.strip().split("\n")[-1]), true)


def test_nuitka_compiles_an_example(tmp_path: Path) -> None:
    nuitka = tool("nuitka")
    path = ROOT / "examples" / "black_scholes.txt"
    compiled = gradc.compile(path.read_text(encoding="utf-8"))
    (tmp_path / "priced.py").write_text(compiled.source)
    words = [nuitka, "--module", "--quiet", "--assume-yes-for-downloads", "priced.py"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "priced.py").unlink()
    point = next(iter(points(compiled)))
    code = f"import priced; print(repr(priced.value_and_grad(*{point!r})))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.stdout.strip() == repr(compiled.value_and_grad(*point)), ran.stderr
