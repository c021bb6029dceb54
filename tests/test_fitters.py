"""What the fitters of others are given: functions over columns, and bare numbers."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import gradc

MODEL = "data t[n]; input a, b; return a*exp(-b*t)"
T, Y, START = [0.0, 0.5, 1.0, 2.0, 3.0], [2.0, 1.5, 1.2, 0.7, 0.5], (1.0, 1.0)


def module(text: str, **options: Any) -> dict[str, Any]:
    """The names in the module of a formula."""
    space: dict[str, Any] = {}
    exec(gradc.compile(text, **options).source, space)
    return space


@pytest.mark.parametrize("numpy_", [False, True])
@pytest.mark.parametrize("outer", ["t", "t - mean(t)", "where(t > 1, 0, t)"])
def test_a_module_over_columns_has_its_jacobian_alone(outer: str, numpy_: bool) -> None:
    text = f"data t[n]; input a, b, jacobian; return {outer}*a*exp(b + jacobian)"
    m = module(text, numpy=numpy_)
    whole = m["value_and_jacobian"](T, 1.0, 0.5, 0.25)
    assert numpy.array_equal(m["jacobian"](T, 1.0, 0.5, 0.25), whole[1])
    assert numpy.shape(whole[1]) == (len(T), 3)
