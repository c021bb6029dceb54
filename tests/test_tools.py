"""What others make of the modules: compilers run them, checkers and linters are silent."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gradc
from tests.conftest import ROOT
from tests.strategies import NUMBERS, written
from tests.test_targets import LAZY_CASES, SHAPES, named, order_first

pytestmark = pytest.mark.long
EXAMPLES = sorted((ROOT / "examples").glob("*.txt"))
EMITS = "value,gradient,hessian,hvp,jvp,vjp"
POINTS = 20


def modules() -> Iterator[tuple[str, str]]:
    """Modules of every kind: names and texts."""
    for path in EXAMPLES:
        text = path.read_text(encoding="utf-8")
        yield path.stem, gradc.compile(text).source
    options: list[dict[str, Any]] = [{}, {"outside": "nan"}, {"outside": "inf"}]
    texts = [*LAZY_CASES, *(named(text, size) for text in SHAPES for size in (1, 30))]
    texts += [f"{written(row, order_first(row))}*x" for row in NUMBERS]
    for k, text in enumerate(texts):
        yield f"drawn{k}", gradc.compile(text, **options[k % 3]).source
    for k, option in enumerate(("numpy", "flat", "sparse", "strict")):
        for outside in ("raise", "nan", "inf"):
            text = "input x[2], y\nlog(x[0]*y)*x[1] + x[0]^y"
            switches: dict[str, Any] = {option: True, "outside": outside}
            emit = "hessian" if option == "sparse" else EMITS
            yield f"{option}_{outside}", gradc.compile(
                text, emit=emit, **switches
            ).source


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("modules")
    for name, text in modules():
        (found / f"{name}.py").write_text(text, encoding="utf-8")
    return found


def tool(name: str) -> str:
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    found = found or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def silent(*words: str, folder: Path) -> None:
    run = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]


def test_pyright_is_silent(folder: Path) -> None:
    (folder / "pyrightconfig.json").write_text(json.dumps({"pythonVersion": "3.10"}))
    silent(tool("pyright"), ".", folder=folder)


def test_mypy_is_silent(folder: Path) -> None:
    words = ("--strict", "--no-incremental", "--python-version", "3.10")
    silent(sys.executable, "-m", "mypy", *words, "--config-file=", ".", folder=folder)


def test_ruff_is_silent(folder: Path) -> None:
    silent(tool("ruff"), "check", "--isolated", "--no-cache", ".", folder=folder)


def test_black_is_kept_off_and_agrees(folder: Path) -> None:
    silent(sys.executable, "-m", "black", "--check", "-q", ".", folder=folder)


# ---- compilers


@cache
def example(path: Path) -> gradc.Compiled:
    return gradc.compile(path.read_text(encoding="utf-8"))


def scalars() -> list[Path]:
    """The examples that take numbers only."""
    return [path for path in EXAMPLES if "def floats(" not in example(path).source]


def points(compiled: Any) -> Iterator[list[float]]:
    random = Random(repr(compiled))
    for _ in range(POINTS):
        yield [
            random.uniform(
                *(bound or 0.5 + k for k, bound in enumerate((i.low, i.high)))
            )
            for i in compiled.program.inputs
        ]


def agrees(path: Path, module: Any) -> None:
    """The compiled functions return the same bits wherever nothing raises."""
    f = example(path)
    plain: dict[str, Any] = {}
    exec(f.source, plain)
    met = 0
    for point in points(f):
        for name in f.functions:
            try:
                want = plain[name](*point)
            except (ArithmeticError, ValueError):
                continue
            met += 1
            assert repr(getattr(module, name)(*point)) == repr(want), (name, point)
    assert met


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_numba_compiles_modules(path: Path) -> None:
    numba = pytest.importorskip("numba")
    f = example(path)
    heads = [line for line in f.source.split("\n") if line.startswith("def ")]
    if not all(line.startswith("def value") for line in heads):
        pytest.skip("the module has a helper")
    if re.search(r"hypot\([^()]*,[^()]*,", f.source):
        pytest.skip("numba has the length of two numbers only")
    space: dict[str, Any] = {}
    exec(f.source, space)

    class Module:
        """What numba has made of the functions."""

    for name in f.functions:
        setattr(Module, name, staticmethod(numba.njit(space[name])))
    agrees(path, Module)


def built(folder: Path, names: list[str], words: list[str]) -> Iterator[Any]:
    subprocess.run(words, check=True, cwd=folder, capture_output=True)
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        for name in names:
            found = importlib.import_module(name)
            assert not str(found.__file__).endswith(".py"), found.__file__
            yield found
    finally:
        sys.path.remove(str(folder))


@pytest.mark.parametrize("compiler", ["cython", "mypyc"])
def test_compilers_take_all_examples(compiler: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("Cython" if compiler == "cython" else "mypyc") is None:
        pytest.skip(f"{compiler} is not installed")
    names = []
    for path in scalars():
        names.append(f"{compiler}_{path.stem}")
        text = example(path).source
        (tmp_path / f"{names[-1]}.py").write_text(text, encoding="utf-8")
    files = [f"{name}.py" for name in names]
    words = {
        "cython": [tool("cythonize"), "-3", "-i", *files],
        "mypyc": [tool("mypyc"), *files],
    }[compiler]
    for path, module in zip(scalars(), built(tmp_path, names, words), strict=True):
        agrees(path, module)
