"""Size is a number: lines of functions, and of the modules that are written."""

import ast
from pathlib import Path
from statistics import median

import pytest

from tests.conftest import ROOT, compiled
from tests.corpus import cases

LONGEST = 40  # lines of a function, but for its docstring
# Lines and files of the package: a change may lower these.
LINES, NUMBER = 20_414, 79
FILES = sorted((ROOT / "gradc").rglob("*.py"))


def test_the_package_is_small() -> None:
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    assert sum(text.count("\n") for text in texts) <= LINES
    assert len(texts) <= NUMBER


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_functions_are_short(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            first = node.body[0]
            told = ast.get_docstring(node) is not None
            docstring = (first.end_lineno or 0) - first.lineno + 1 if told else 0
            lines = (node.end_lineno or 0) - node.lineno + 1 - docstring
            assert lines <= LONGEST, (node.name, lines)


@pytest.mark.parametrize(
    ("formula", "most"), [("x*sin(y)+exp(-x^2/2)", 28), ("log(x)", 26)]
)
def test_modules_are_short(formula: str, most: int) -> None:
    assert compiled(formula).source.count("\n") <= most


def test_modules_of_physics_are_short() -> None:
    sizes = [compiled(case.formula).source.count("\n") for case in cases("feynman")]
    assert median(sizes) <= 40
