"""Columns whose rows read other rows, against the same formula written out."""

import math
import random
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.errors import GradcError

DATA = "data t[n], y[n], x[n, 2]\ninput a, b\nr = a*exp(-b*t) - y*x[:, 1]\nreturn "
LAGS = (
    "sum((y[1:] - a*y[:-1])^2)",
    "sum(r[2:]*r[:-2]) + sum(r[1:-1])",
    "sum((r[i] - b*r[i - 1])^2*i for i in range(1, n))",
    "sum(r[i]*r[i + 1]/(i + a^2 + 1) for i in range(n - 1))",
    "sum(r[i - 2]*t[i + 1] for i in range(2, len(t) - 1))",
    "sum(r[1:n - 1]) + sum(r[1:][1:]) + sum(r[:-1][1:])",
    "a*t[0] + b*y[-1] + r[0]*r[n - 1] + x[-1, 0]*r[1:][0]",
    "mean(r[1:] - mean(r)) + max(x[1:, 1]) + len(y[2:])*a",
    "sum(exp(x[:-1, 0] - x[1:, 1]))*a/(n - 1 + b)",
    "sum(cos(s*b) for s in t[1:])",
    "sum(where(y[1:] > y[:-1], log(1 + a^2*t[1:]), b*t[:-1]))",
    "a*r[0] + sum(r[i]*(t[i] - t[0]) for i in range(n))",
    "norm(r[1:] - r[:-1])",
    "r[0], r[-1]*a",
    "r[1:] - r[:-1]",
    "[a*r[i] + r[i - 1] for i in range(1, n)], sum(r)",
    "x[1:] - x[:-1], a*b, r/r[0]",
)


def columns(n: int, seed: int) -> list[list[Any]]:
    """Return columns of n readings."""
    r = random.Random(seed)
    t = [k + r.random() for k in range(n)]
    x = [[r.uniform(0.5, 2.0), r.uniform(0.5, 2.0)] for _ in range(n)]
    return [t, [r.uniform(0.5, 2.0) for _ in range(n)], x]


def same(formula: gradc.Compiled, n: int, *args: Any) -> None:
    """Check all numbers against those of the formula with n rows written out."""
    try:
        fixed = formula.fixed(n)
    except GradcError:  # there is no such row
        with pytest.raises((ValueError, ZeroDivisionError)):
            assert not all(map(math.isfinite, leaves(formula(*args))))
            raise ZeroDivisionError
        return
    name = [*formula.functions][-1]
    found, wanted = getattr(formula, name)(*args), getattr(fixed, name)(*args)
    close(found, wanted)


def close(found: Any, wanted: Any) -> None:
    """Check that numbers are the same but for roundings."""
    found, wanted = [*leaves(found)], [*leaves(wanted)]
    assert len(found) == len(wanted)
    size = max(map(abs, wanted))
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-13 * size)


@pytest.mark.parametrize("text", LAGS)
def test_other_rows_are_those_of_the_formula_written_out(text: str) -> None:
    formula = gradc.compile(DATA + text)
    has_columns = any(result.rows for result in formula.program.results)
    for n in (1, 2, 3, 5)[has_columns:]:
        same(formula, n, *columns(n, n), 1.5, 0.4)
