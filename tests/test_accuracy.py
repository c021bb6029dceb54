"""The table of errors in the manual has every row, and is what is measured."""

import shutil

import pytest

from tests.measure import MARK, PAGE, TARGETS, measured, rows


def shown() -> dict[str, list[float]]:
    """The table of the manual."""
    text = PAGE.read_text(encoding="utf-8").partition(MARK)[2].strip().split("\n\n")[0]
    found = {}
    for line in text.split("\n")[2:]:
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        found[name.strip("`")] = [float(cell) for cell in cells[-len(TARGETS) :]]
    return found


def test_the_table_has_every_row() -> None:
    assert [*shown()] == [row.signature for row in rows()]


@pytest.mark.long
def test_the_table_is_what_is_measured() -> None:
    pytest.importorskip("numpy")
    if not (shutil.which("gcc") and shutil.which("node")):
        pytest.skip("gcc or node is missing")
    told = shown()
    for name, worst in measured().items():
        for target, x, known in zip(TARGETS, worst, told[name], strict=True):
            assert x <= 1.25 * known + 0.5, (name, target, x)
