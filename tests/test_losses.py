"""Where `gradc check` says that digits are lost: really, and nowhere else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import gradc
from gradc import cli
from gradc.checking.check import Report
from gradc.checking.certified import PERIODIC
from tests.conftest import compiled
from tests.corpus import cases

pytest.importorskip("flint")


def told(text: str) -> list[str]:
    """The first lines of what is told of a formula, without the name of its source."""
    report = compiled(text).check(thorough=True)
    lines = [str(lost).partition("\n")[0] for _, lost in report.losses]
    assert [much for much, _ in report.losses] == sorted(
        (much for much, _ in report.losses), reverse=True
    )
    return [line.partition(":")[2] for line in lines]


LOSSY = [
    ("sqrt(a) - sqrt(b)", "1:1: sqrt(a) - sqrt(b) loses 9 digits near a = b"),
    ("input x, y\nu = x\nz = log(u/y)\nz*3", "3:5: log(u/y) loses 8 digits near x = y"),
    ("m*c^2/sqrt(1 - v^2/c^2)", "1:12: 1 - v^2/c^2 loses 8 digits near c = v"),
    ("input x in [0.99, 1.01]; x^3 - 3*x^2 + 3*x - 1", "x^3 - 3*x^2 + 3*x - 1 loses"),
    ("input x in [1e8, 1e9]; atan(x + 1) - atan(x)", "atan(x + 1) - atan(x) loses"),
]


@pytest.mark.parametrize(("text", "line"), LOSSY)
def test_the_part_is_named(text: str, line: str) -> None:
    assert line in told(text)[0]


GOOD = [
    "x*sin(y) + exp(-x^2/2)",
    "100*(y - x^2)^2 + (1 - x)^2",
    "log(1 + exp(x))",
    "(exp(x) - 1)/x",
    "sqrt(x^2 + y^2)",
    "sin(1e6*x)",
    "x - y",
    "1 + (sqrt(x) - sqrt(y))*1e-30",
    "1 + log(x/y)*z",
    "where(x > y, x^2 - y, exp(y))",
    "input x in [0, 1], y in [2, 3]; x*log(y) - y",
    "input x; 3",
]


@pytest.mark.parametrize("text", GOOD)
def test_of_what_is_good_nothing_is_told(text: str) -> None:
    assert not told(text)


@pytest.mark.parametrize("name", ["feynman", "distributions"])
def test_what_is_told_is_measured(name: str) -> None:
    """A loss at a point is an error of the value, and an error is a loss."""
    for case in cases(name)[::12]:
        f = gradc.compile(case.formula, inputs=case.inputs)
        report = f.check(thorough=True)
        if "value" in report.errors:
            measured = report.errors["value"].worst
            at = [much for much, lost in report.losses if " at " in lost.message]
            assert not at or measured > 1e3, case.name
            assert measured < 1e5 or report.losses or f.program.operations & PERIODIC


def test_a_limit_fails_on_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "f.py"
    gradc.compile("c*log(a/b)").save(path)
    assert cli.main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "formula:1:3: log(a/b) loses 8 digits near a = b\n" in out
    assert "    c*log(a/b)\n      ^^^^^^^^\n" in out
    assert cli.main(["check", str(path), "--max-ulp", "1e4", "--json"]) == 1
    shown = capsys.readouterr()
    assert len(json.loads(shown.out)["losses"]) == 1
    assert "log(a/b) loses 8 digits" in shown.err
    assert cli.main(["check", str(path), "--max-ulp", "1e17"]) == 0


def test_without_flint_there_is_one_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    for name in ("balls", "certified"):
        monkeypatch.delitem(sys.modules, f"gradc.checking.{name}", raising=False)
    report: Report = gradc.compile("sqrt(a) - sqrt(b)").check(thorough=True)
    assert not report.losses and len(report.notes) == 1
