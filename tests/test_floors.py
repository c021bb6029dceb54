"""Imports point down, and in no circle.

A floor is made of folders and modules, and imports from its own and those above it in
the list. What stands in the list by itself may be on another floor than its folder.
"""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = (
    "errors source ops special spelling arrays levenberg",
    "ir language.syntax",
    "language calculus run",
    "analysis",
    "identities passes",
    "functions value record",
    "targets checking files",
    "compiler fitting show cli __init__ __main__ math nn",
)
ORDER = {name: i for i, floor in enumerate(FLOORS) for name in floor.split()}
FILES = sorted((ROOT / "gradc").rglob("*.py"))


def module(path: Path) -> str:
    """Return the name of a file as the list writes it."""
    parts = path.relative_to(ROOT / "gradc").with_suffix("").parts
    if len(parts) > 1 and parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


def floor(name: str) -> int:
    """The floor of a module, or of its folder."""
    found = ORDER.get(name)
    return ORDER[name.partition(".")[0]] if found is None else found


def imported(path: Path) -> Iterator[str]:
    """Yield the modules of gradc that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            inner = [name for name in inner if name != "gradc.__version__"]
            names = [name if exists(name) else node.module or "" for name in inner]
        else:
            continue
        for name in names:
            if name == "gradc":
                yield "__init__"
            elif name.startswith("gradc."):
                yield name.removeprefix("gradc.")


def exists(name: str) -> bool:
    """Whether a dotted name is a module or package of the tree."""
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


@pytest.mark.parametrize("path", FILES, ids=module)
def test_imports_point_down(path: Path) -> None:
    here = floor(module(path))
    above = {used for used in imported(path) if floor(used) > here}
    assert not above


def test_there_is_no_circle() -> None:
    graph = {module(path): {*imported(path)} for path in FILES}
    TopologicalSorter(graph).prepare()  # raises if there is one


@pytest.mark.parametrize("path", FILES, ids=module)
def test_what_is_imported_is_used(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    words = {
        word
        for node in ast.walk(tree)  # quoted types, and the names in __all__
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in re.findall(r"\w+", node.value)
        if len(node.value) < 50
    }
    assert names - used - words <= {"annotations"}
