"""Certified points for code in any language: what they hold, and that Python keeps them."""

import json
import math
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.checking.vectors import vectors
from gradc.cli import main

pytest.importorskip("flint")
FORMULAS = [
    "x*tanh(y) + digamma(x)",
    "x*y - z*z",
    "where(x > y, log(x - y), exp(x)*y)",
    "input A[2, 2], v[2]; return A @ v, sin(v[0])",
    "data t[n]; input a, b; sum((exp(a*t) - b)^2)",
    "erfc(x)*cbrt(y)/(1 + hypot(x, y))",
]


def kept(found: dict[str, Any], target: str, numbers: list[list[float]]) -> list[str]:
    """What is further off than a target may be, of the numbers at each point."""
    wrong = []
    for at, row in zip(found["points"], numbers, strict=True):
        true = [*map(float.fromhex, at["numbers"])]
        for title, x, y, ulp in zip(
            found["numbers"], row, true, at["ulp"][target], strict=True
        ):
            if not abs(x - y) <= ulp * math.ulp(y):
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


def test_nowhere_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "-e", "log(-1 - x^2)"]) == 1
    assert "no point was found" in capsys.readouterr().err
