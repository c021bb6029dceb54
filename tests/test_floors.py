"""Imports point down only: a module imports from the floors below it.

Within a floor a module may also import those that stand to its left, so the table is
one order and no cycle can hide.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def modules(floor: str) -> list[str]:
    """The dotted names of modules, of which `package[a b]` has two."""
    return re.sub(
        r"(\w+)\[(.*?)\]",
        lambda found: " ".join(f"{found[1]}.{name}" for name in found[2].split()),
        floor,
    ).split()


FLOORS = (
    "collector errors arrays",
    "ops special",
    "language[syntax] ir functions costs spelling language[shapes limits]",
    "language[mistakes grammar parse scopes] evaluate run analysis[implied guards]",
    "calculus arithmetic analysis[sampling forms intervals] identities[pattern match] analysis[signs] identities[book instantiate] analysis[cancellation]",
    "analysis[digits coefficients powers series polynomial singular separate]",
    "passes[decide stabilise cancel squares columns derive resolve merge]",
    "passes[push matrices products] emit",
    "language[variables calls linear slopes vectors names entries indices rows unfold domains]",
    "language[lower]",
    "passes[expand share terms factor]",
    "passes[dissolve gather]",
    "passes[negate speculate parts inline blocks straight schedule]",
    "pipeline",
    "targets[names interface pieces printer wrappers module]",
    "engine[value places record tape] math nn",
    "checking[points report unroll witness textbook blame components]",
    "checking[check]",
    "files compiled compiler engine[tracing]",
    "show checking[compare] __init__ cli __main__",
)
# What `compile` of a graph asks for when it is called. The version stands in the package itself.
ASKED = {
    "targets.module": {"__init__"},
    "checking.compare": {"__init__"},
    "compiler": {"engine.tracing"},
}
ORDER = {name: i for i, name in enumerate(modules(" ".join(FLOORS)))}
FILES = sorted((ROOT / "gradc").rglob("*.py"))


def module(path: Path) -> str:
    """Return the name of a file as the table writes it."""
    parts = path.relative_to(ROOT / "gradc").with_suffix("").parts
    if len(parts) > 1 and parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


def imported(path: Path) -> Iterator[str]:
    """Yield the modules of gradc that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
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


def test_every_module_has_a_floor() -> None:
    packages = {name.partition(".")[0] for name in ORDER if "." in name}
    assert {module(path) for path in FILES} == set(ORDER) | packages


@pytest.mark.parametrize("path", FILES, ids=module)
def test_imports_point_down(path: Path) -> None:
    name = module(path)
    here = ORDER.get(name, -1)
    above = {used for used in imported(path) if ORDER.get(used, here) >= here}
    assert above == ASKED.get(name, set())


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
