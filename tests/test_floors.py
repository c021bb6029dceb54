"""Imports point down only: a module imports from the floors below it.

Within a floor a module may also import those that stand to its left, so the table is
one order and no cycle can hide.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = (
    "version collector source errors arrays",
    "ops special given unbounded",
    "syntax ir functions costs spelling shapes limits",
    "lalr spell lexer driver mistakes brackets parse scopes evaluate guards bounds",
    "calculus sampling forms pattern match signs book instantiate cancellation",
    "coefficients series polynomial singular factors separate",
    "passes.decide passes.stabilise passes.cancel passes.squares passes.resolve passes.derive passes.merge",
    "passes.push passes.matrices passes.products emit",
    "variables calls linear slopes vectors names entries indices rows unfold domains",
    "lower",
    "passes.expand passes.share passes.terms passes.factor",
    "passes.dissolve passes.hoist passes.gather",
    "passes.negate passes.parts passes.inline passes.blocks passes.schedule",
    "extremes",
    "pipeline",
    "targets.interface targets.names targets.pieces targets.printer targets.rescue",
    "targets.pages targets.wrappers targets.copied targets.python",
    "arithmetic rules value places record tape math nn",
    "points report unroll interpret witness textbook blame components",
    "check",
    "careful files compiled compiler tracing",
    "graph show usage compare __init__ cli __main__",
)
# what `compile` of a graph asks for when it is called
ASKED = {"compiler": {"tracing"}}
ORDER = {name: i for i, name in enumerate(" ".join(FLOORS).split())}
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
    packages = {"passes", "targets"}  # they only hold their modules
    assert {module(path) for path in FILES} == set(ORDER) | packages


@pytest.mark.parametrize("path", FILES, ids=module)
def test_imports_point_down(path: Path) -> None:
    name = module(path)
    here = ORDER.get(name, -1)
    above = {used for used in imported(path) if ORDER.get(used, here) >= here}
    assert above == ASKED.get(name, set())
