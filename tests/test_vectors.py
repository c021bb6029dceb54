"""Certified points for code in any language: what they hold, and that Python keeps them."""

import json
import math
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.cli import main
from tests.fuzz import drawn
from tests.targets import RUNNERS, Case, in_numpy

vectors = pytest.importorskip("gradc.checking.certified").vectors
EXAMPLES = Path(__file__).parent.parent / "examples"
DRAWN, SECOND = 300, 6  # formulas, and each of so many with its Hessian
FORMULAS = [
    "x*tanh(y) + digamma(x)",
    "x*y - z*z",
    "where(x > y, log(x - y), exp(x)*y)",
    "input A[2, 2], v[2]; return A @ v, sin(v[0])",
    "data t[n]; input a, b; sum((exp(a*t) - b)^2)",
    "erfc(x)*cbrt(y)/(1 + hypot(x, y))",
    "x^y",
    "P*(1 + r)^n",
    "data k; input a; a^k",
]


def kept(found: dict[str, Any], target: str, numbers: list[list[float]]) -> list[str]:
    """What is further off than a target may be, of the numbers at each point."""
    wrong = []
    for at, row in zip(found["points"], numbers, strict=True):
        true = [*map(float.fromhex, at["numbers"])]
        for title, x, y, ulp in zip(
            found["numbers"], row, true, at["ulp"][target], strict=True
        ):
            if ulp is not None and not abs(x - y) <= ulp * math.ulp(y):
                off = abs(x - y) / math.ulp(y)
                wrong.append(
                    f"{title} at {at['inputs']}: {x!r} is {off} ulp off, not {ulp}"
                )
    return wrong


def arguments(found: dict[str, Any], at: dict[str, Any]) -> list[Any]:
    """The arguments of a function at a point, arrays as flat lists."""
    flat, args = map(float.fromhex, at["inputs"]), []
    for item in found["inputs"]:
        shape = item["shape"]
        own = [next(flat) for _ in range(math.prod(shape))]
        args.append(nest(own, shape) if shape else own[0])
    return args


def nest(flat: list[Any], shape: list[int]) -> list[Any]:
    """Nested lists of a shape."""
    for size in shape[:0:-1]:
        flat = [flat[k : k + size] for k in range(0, len(flat), size)]
    return flat


@pytest.mark.parametrize("text", FORMULAS)
def test_python_keeps_the_bounds(text: str) -> None:
    compiled = gradc.compile(text)
    found = vectors(compiled, 8)
    assert len(found["points"]) == 8
    if compiled.is_columnar:
        compiled = compiled.fixed(3)
    several = "value_and_jacobian" in compiled.functions
    call = compiled.value_and_jacobian if several else compiled.value_and_grad
    numbers = [[*leaves(call(*arguments(found, at)))] for at in found["points"]]
    assert not kept(found, "python", numbers)


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "-e", "x*exp(y)", "--points", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["numbers"] == ["value", "d/dx", "d/dy"] and len(found["points"]) == 2
    assert {*found["points"][0]["ulp"]} == {"python", "numpy", "c", "js"}


def test_a_target_without_a_function_is_left_out() -> None:
    pytest.importorskip("scipy")
    found = vectors(gradc.compile("x*jv(1, x)"), 1)
    assert {*found["points"][0]["ulp"]} == {"python", "numpy"}


def test_what_no_unit_measures_has_no_bound() -> None:
    found = vectors(gradc.compile("tan(x)*cos(x) - sin(x)"), 1)
    assert found["points"][0]["ulp"]["c"] == [None, None]


def test_a_point_whose_bound_has_no_value_is_left_out() -> None:
    assert len(vectors(gradc.compile("sqrt(exp(-x^2))"), 16)["points"]) > 8


def test_nowhere_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "-e", "log(-1 - x^2)"]) == 1
    assert "no point was found" in capsys.readouterr().err


@cache
def tried() -> list[tuple[Case, dict[str, Any]]]:
    """Every example, and some hundred formulas that are drawn, with their vectors."""
    texts = [path.read_text() for path in sorted(EXAMPLES.glob("*.txt"))]
    texts += [drawn(7, k)[0] for k in range(900)]
    found: list[tuple[Case, dict[str, Any]]] = []
    for k, text in enumerate(texts):
        if len(found) == DRAWN + len(FORMULAS):
            break
        try:
            compiled = gradc.compile(text)
            if k % SECOND == 0 and "value_and_grad" in compiled.functions:
                compiled = gradc.compile(text, emit="hessian")
            if compiled.is_columnar:
                compiled = compiled.fixed(3)
            compiled.text("c"), compiled.text("js")
            own = vectors(compiled, 4)
        except gradc.GradcError:
            continue
        points = [[*map(float.fromhex, at["inputs"])] for at in own["points"]]
        found.append((Case(compiled, points), own))
    return found


@pytest.mark.long
@pytest.mark.parametrize("runner", RUNNERS)
def test_all_targets_keep_the_bounds(runner: str, tmp_path: Path) -> None:
    tool, target, run = RUNNERS[runner]
    if tool != "python" and shutil.which(tool) is None:
        pytest.skip(f"{tool} is missing")
    cases = [case for case, _ in tried()]
    assert len(cases) >= DRAWN
    wrong = []
    for (case, found), numbers in zip(tried(), run(cases, tmp_path)):
        wrong += [
            f"{case.compiled.origin.formula!r} {x}"
            for x in kept(found, target, numbers)
        ]
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.long
def test_columns_in_numpy_keep_the_bounds() -> None:
    pytest.importorskip("numpy")
    wrong, met = [], 0
    for case, found in tried():
        numbers = in_numpy(case.compiled, case.points)
        if numbers is not None and len(numbers[0]) == len(found["numbers"]):
            met += 1
            wrong += [
                f"{case.compiled.origin.formula!r} {x}"
                for x in kept(found, "numpy", numbers)
            ]
    assert met > 100
    assert not wrong, "\n".join(wrong[:20])
