"""The same formula gives the same text: wherever, whenever, and by whatever Python."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gradc
from gradc.cli import main
from tests.conftest import ROOT
from tests.test_check import FORMULAS, PROGRAMS

EXAMPLES = sorted((ROOT / "examples").glob("*.txt"))
OTHERS = [text for text in (*FORMULAS, *PROGRAMS) if len(text) < 500]
DIGESTS = """
import hashlib, json, sys
import gradc
for text in json.load(sys.stdin):
    print(hashlib.sha256(gradc.compile(text).source.encode()).hexdigest())
"""


def texts() -> list[str]:
    return OTHERS + [path.read_text(encoding="utf-8") for path in EXAMPLES]


@pytest.fixture(scope="module")
def digests() -> list[str]:
    sources = (gradc.compile(text).source for text in texts())
    return [hashlib.sha256(source.encode()).hexdigest() for source in sources]


def digests_of(python: str, folder: Path, **variables: str) -> list[str]:
    """What another process finds; nothing but gradc itself is on its path."""
    done = subprocess.run(
        [python, "-S", "-c", DIGESTS],
        input=json.dumps(texts()),
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), **variables},
        timeout=300,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    "seed",
    ["0", *(pytest.param(n, marks=pytest.mark.long) for n in ("1", "4294967295"))],
)
def test_hash_seeds(digests: list[str], tmp_path: Path, seed: str) -> None:
    assert digests_of(sys.executable, tmp_path, PYTHONHASHSEED=seed) == digests


def test_locale_and_optimisation(digests: list[str], tmp_path: Path) -> None:
    variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONOPTIMIZE": "2"}
    assert digests_of(sys.executable, tmp_path, **variables) == digests


def interpreters() -> Iterator[str]:
    """Other Pythons on the path, or where pyenv keeps them."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for minor in range(10, 20):
        found = sorted(pyenv.glob(f"versions/3.{minor}.*/bin/python"))
        named = shutil.which(f"python3.{minor}", path=os.defpath)
        if (found or named) and minor != sys.version_info.minor:
            yield str(found[-1]) if found else str(named)


PYTHONS = {Path(p).resolve(): p for p in interpreters()}.values()


@pytest.mark.long
@pytest.mark.parametrize("python", PYTHONS)
def test_other_pythons(digests: list[str], tmp_path: Path, python: str) -> None:
    assert digests_of(python, tmp_path) == digests


# ---- the command


@pytest.mark.parametrize("path", EXAMPLES[:4], ids=lambda path: path.stem)
def test_the_command_writes_the_same_text(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = path.read_text(encoding="utf-8")
    expected = gradc.compile(text).source.encode()
    monkeypatch.chdir(tmp_path)
    endings = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
    for name, ending in endings.items():
        for mark in ("", "\ufeff"):
            source = Path(f"{name}{len(mark)}.txt")
            source.write_bytes((mark + text.replace("\n", ending)).encode())
            output = Path(f"{name}{len(mark)}.py")
            words = ["compile", str(source), "--no-check", "-o", str(output)]
            assert main(words) == 0
            assert output.read_bytes() == expected


def test_the_order_of_compilations_does_not_matter() -> None:
    some = texts()[:40]
    forth = [gradc.compile(text).source for text in some]
    back = [gradc.compile(text).source for text in reversed(some)]
    assert forth == back[::-1]


# ---- what is imported


def test_compiling_needs_the_standard_library_alone(tmp_path: Path) -> None:
    code = (
        "import sys, gradc; gradc.compile('x*tanh(y)*gamma(x)', check=True);"
        "print({name.partition('.')[0] for name in sys.modules}"
        " - sys.stdlib_module_names - {'gradc', '__main__'})"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert (done.stderr, done.stdout) == ("", "set()\n")


@pytest.mark.parametrize("python", [sys.executable, *PYTHONS])
def test_modules_need_nothing(tmp_path: Path, python: str) -> None:
    """Examples and operations run isolated, with nothing installed that is not named."""
    calls = [
        f"{row.called}({', '.join('2' if p == 'n' else p for p in row.params)})"
        for row in gradc.OPS
        if row.params and not row.infix and row.result == "number"
    ]
    files = [path.with_suffix(".py") for path in EXAMPLES]
    for k, text in enumerate(text for text in calls if can_be_called(text)):
        files.append(tmp_path / f"f{k}.py")
        gradc.compile(text).save(files[-1])
        if "beside the standard library" in files[-1].read_text(encoding="utf-8"):
            files.pop()
    runs = "import runpy, sys\nfor f in sys.argv[1:]: runpy.run_path(f)['value']"
    line = [python, "-S", "-I", "-c", runs, *map(str, files)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def can_be_called(text: str) -> bool:
    """Whether a formula may consist of this call."""
    try:
        gradc.compile(text)
    except gradc.GradcError:
        return False
    return True
