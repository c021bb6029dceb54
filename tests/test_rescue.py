"""Modules that stand alone: what they do where Python raises."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

import gradc
from gradc import given as checking
from gradc import special, unbounded
from gradc.ops import OPS
from gradc.spelling import function
from gradc.targets.python import extract
from gradc.targets.rescue import is_partial
from tests.strategies import Formula, formulas, law
from tests.test_careful import FINITE, UNDEFINED

Point = tuple[float, ...]
INF = math.inf
EXTREMES = (0.0, -0.0, 1.0, -1.0, 0.5, 710.0, -710.0, 5e-324, 1e308, -1e308)

# Python raises nowhere in these: what overflows in sums and products goes unnoticed.
SILENT = {"x*y*z", "sqrt(x^4 + 1)", "x^3/(x^2 + 1)", "1 + x*x"}


def load(text: str, **options: Any) -> dict[str, Any]:
    """The names of a module, which knows nothing of gradc."""
    scope: dict[str, Any] = {}
    exec(gradc.compile(text, **options).source, scope)
    return scope


@pytest.mark.parametrize(
    ("text", "point", "value", "gradient"), [c for c in FINITE if c[0] not in SILENT]
)
def test_what_raises_on_the_way_spoils_nothing(
    text: str, point: Point, value: float, gradient: Point
) -> None:
    module = load(text)
    assert module["value"](*point) == pytest.approx(value, rel=1e-14)
    found = module["value_and_grad"](*point)
    assert found[0] == pytest.approx(value, rel=1e-14)
    assert found[1] == pytest.approx(gradient, rel=1e-14)


RAISING = [case for case in UNDEFINED if case[0] not in SILENT]


@pytest.mark.parametrize(("text", "point", "part", "place", "what"), RAISING)
def test_one_exception_that_names_the_part(
    text: str, point: Point, part: str, place: tuple[int, int], what: str
) -> None:
    module = load(text)
    for name in ("value", "value_and_grad"):
        with pytest.raises(ValueError) as caught:
            module[name](*point)
        line, column = place
        want = f"{line}:{column}: {part} is {what} at x = {point[0]!r}"
        assert str(caught.value) == want


@pytest.mark.parametrize(("text", "point", "part", "place", "what"), RAISING)
def test_ieee_returns_what_c_does(
    text: str, point: Point, part: str, place: tuple[int, int], what: str
) -> None:
    module = load(text, ieee=True)
    for found in (module["value"](*point), module["value_and_grad"](*point)[0]):
        assert math.isinf(found) if what == "infinite" else math.isnan(found)


@pytest.mark.parametrize(
    ("point", "part"),
    [
        ((-1.0, 1.0, 1.0), "1:1: log(x)"),
        ((1.0, -1.0, 1.0), "1:12: log(y)"),
        ((1.0, 1.0, -1.0), "1:21: log(z)"),
    ],
)
def test_the_same_operation_twice_in_a_statement(point: Point, part: str) -> None:
    module = load("log(x)*2 * log(y) + log(z)*cos(x)")
    with pytest.raises(ValueError) as caught:
        module["value"](*point)
    assert str(caught.value).startswith(f"{part} is ")


def test_a_derivative_without_a_value_is_no_number() -> None:
    module = load("x^2*y/(x^2 + y^2)")
    assert module["value"](0.0, 0.0) == 0.0
    with pytest.raises(ValueError, match="1:1: x.*: a derivative is not a real"):
        module["value_and_grad"](0.0, 0.0)


@pytest.mark.parametrize(
    "text",
    [
        "sin(x)*cos(y)",
        "max(x, 0)/3",
        "input x, y in [-2, 2]; (1 - x)^2 + 100*(y - x^2)^2",
        "input x, y in [0, 9]; x - e*sin(x) - y",
    ],
)
def test_what_cannot_raise_carries_nothing(text: str) -> None:
    source = gradc.compile(text).source
    assert "try:" not in source and "Decimal" not in source


def test_only_spellings_that_never_raise_go_unguarded() -> None:
    """At no finite float does an unguarded row raise."""
    unguarded = 0
    for row in OPS:
        count = len(row.params)
        nodes = [*(("input", name) for name in row.params), (row.name, *range(count))]
        if row.variadic or row.result != "number" or not count:
            continue
        if is_partial(OPS, nodes, count):
            continue
        unguarded += 1
        for x in EXTREMES:
            for y in EXTREMES:
                function(row)(*(x, y, x)[:count])
    assert unguarded > 9


@pytest.mark.parametrize("name", ["ValueError", "careful", "value", "inf"])
def test_no_name_disturbs_the_rescue(name: str) -> None:
    module = load(f"{name}*log({name})")
    assert module["value_and_grad"](0.0) == (0.0, (-INF,))
    with pytest.raises(ValueError, match=f"1:{len(name) + 2}: log.{name}. is not"):
        module["value"](-1.0)


@settings(law, max_examples=12)
@given(formulas())
def test_modules_agree_with_the_library(drawn: tuple[Formula, Random]) -> None:
    compare_module(*drawn)


@pytest.mark.long
@settings(law, max_examples=60)
@given(formulas())
def test_many_modules_agree_with_the_library(drawn: tuple[Formula, Random]) -> None:
    compare_module(*drawn)


def compare_module(formula: Formula, random: Random) -> None:
    """Where the fast code raises, both come to the same, or to an error."""
    try:
        f = gradc.compile(formula.text)
    except gradc.GradcError:
        return
    module: dict[str, Any] = {}
    exec(f.source, module)
    for point in formula.points(random):
        args = [point[name] for name in f.inputs]
        try:
            f._value(*args)
        except (ArithmeticError, ValueError):
            want, got = attempt(f, args), attempt(module["value"], args)
            if want is None:
                assert got is None, point
            else:
                assert got == pytest.approx(want, rel=1e-6, nan_ok=True), point


def attempt(run: Callable[..., float], args: list[float]) -> float | None:
    try:
        return run(*args)
    except ValueError:
        return None


def test_a_module_stands_alone(tmp_path: Path) -> None:
    gradc.compile("y*log(x)/x").save(tmp_path / "alone.py")
    program = (
        "import sys, json; sys.path.insert(0, '.'); import alone\n"
        "try: alone.value(1.0, 0.0)\n"
        "except ValueError as error: print(json.dumps(str(error)))\n"
        "assert not [name for name in sys.modules if 'gradc' in name]"
    )
    command = [sys.executable, "-S", "-I", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(done.stdout) == "1:3: log(x) is infinite at y = 1.0, x = 0.0"


def test_what_is_carried_fits_the_lines() -> None:
    lines = Path(unbounded.__file__).read_text(encoding="utf-8").split("\n")
    head = lines.index("# ---- what modules carry")
    carried = [line.partition("  # for ")[0] for line in lines[head:]]
    assert len(carried) > 300 and max(map(len, carried)) <= 88


def test_every_mark_is_a_word_that_modules_use() -> None:
    """A remark that begins as a mark does would take its line out of all modules."""
    text = Path(unbounded.__file__).read_text(encoding="utf-8")
    carried = text.partition("# ---- what modules carry")[2]
    marks = {
        word
        for line in carried.split("\n")
        for word in line.partition("  # for ")[2].split()
    }
    kinds = "functions decimals ones steep limits compared ties checks scalars"
    kinds += " constants axes bounds exact"
    operators = "+ - * / % neg < <= > >= == !="
    called = {f"{name}()" for name in re.findall(r"(\w+)\(", carried)}
    known = {*kinds.split(), *operators.split(), *called, "abs", "min", "max"}
    assert not marks - {*known, *dir(math), *dir(special)}
    assert len(marks) > 50


def test_options_come_back_from_the_text() -> None:
    source = gradc.compile("1/x", ieee=True).source
    origin = extract(source)
    assert origin is not None and origin.ieee
    assert gradc.compile(origin.formula, ieee=origin.ieee).source == source


def test_what_modules_carry_has_names_of_its_own() -> None:
    """Whatever parts of these a module carries, no definition hides another."""
    found = [
        name
        for module in (checking, special, unbounded)
        for name, item in vars(module).items()
        if getattr(item, "__module__", "") == module.__name__
    ]
    assert len(found) > 100 and len(found) == len({*found})
