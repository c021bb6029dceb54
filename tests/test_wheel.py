"""What travels: the wheel, alone in an empty environment, compiles an example, and the
module that it writes runs without any site-packages at all."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
FORMULA = ROOT / "examples" / "black_scholes.txt"
CALL = "value_and_grad"
SHOW = f"print({CALL}(100.0, 95.0, 0.05, 0.2, 1.5))"


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command elsewhere, so that no file of the tree is found by accident."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, and from what it unpacks to the wheel."""
    place = tmp_path_factory.mktemp("built")
    build = (sys.executable, "-m", "hatchling", "build", "-d", place)
    run(*build, "-t", "sdist", cwd=ROOT)
    (sdist,) = place.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(place, filter="data")
    (tree,) = (path for path in place.iterdir() if path.is_dir())
    run(*build, "-t", "wheel", cwd=tree)
    return place


def test_sdist_holds_the_tree(built: Path) -> None:
    (tree,) = (path for path in built.iterdir() if path.is_dir())
    for folder in ("gradc", "grammar", "tests", "examples"):
        left_out = ("__pycache__", ".hypothesis")
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and not any(part in left_out for part in path.parts):
                assert (tree / path.relative_to(ROOT)).is_file(), path
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"):
        assert (tree / name).is_file()


def test_wheel_holds_what_runs(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "gradc/py.typed" in names
    for path in (ROOT / "grammar").iterdir():
        assert f"gradc/grammar/{path.name}" in names
    for path in (ROOT / "gradc" / "manual").iterdir():
        assert f"gradc/manual/{path.name}" in names
    assert not [name for name in names if name.startswith(("tests", "examples"))]


def test_wheel_compiles_and_its_module_stands_alone(
    built: Path, tmp_path: Path
) -> None:
    (wheel,) = built.glob("*.whl")
    run(sys.executable, "-m", "venv", "empty", cwd=tmp_path)
    scripts = tmp_path / "empty" / "bin"
    run(scripts / "pip", "install", "--quiet", wheel, cwd=tmp_path)
    module = tmp_path / FORMULA.with_suffix(".py").name
    run(scripts / "gradc", "compile", FORMULA, "-o", module, cwd=tmp_path)
    assert module.read_bytes() == FORMULA.with_suffix(".py").read_bytes()

    alone = (sys.executable, "-I", "-S", "-c")
    absent = "import importlib.util, sys; assert not importlib.util.find_spec('gradc')"
    found = f"sys.path.insert(0, {str(tmp_path)!r}); from black_scholes import {CALL}"
    by_module = run(*alone, f"{absent}; {found}; {SHOW}", cwd=tmp_path)
    inside = f"import gradc; {CALL} = gradc.compile_file({str(FORMULA)!r}).{CALL}"
    assert by_module == run(scripts / "python", "-c", f"{inside}; {SHOW}", cwd=tmp_path)
