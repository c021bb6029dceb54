"""The table of `gradc help kinks`: what gradc and others take for a derivative at kinks.

Each column is asked of the package, where it is installed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

import gradc
from tests.conftest import ROOT

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]
PAGE = (ROOT / "gradc/manual/kinks.md").read_text(encoding="utf-8")
# The slopes by all of these numbers, of formulas in the spelling of the table.
POINTS: dict[str, tuple[float, ...]] = {
    "abs(x) at 0": (0.0,),
    "max(x, y) at a tie": (1.0, 1.0),
    "clip(x, 0, 1) at 0": (0.0,),
    "hypot(x, y) at 0, 0": (0.0, 0.0),
    "norm([x, y]) at 0, 0": (0.0, 0.0),
    "atan2(y, x) at 0, 0": (0.0, 0.0),
    "x^y at -1, 2": (-1.0, 2.0),
    "where(x > 0, sqrt(x), 0) at 0": (0.0,),
    "logaddexp(x, y) at 1000, 0": (1000.0, 0.0),
}
Asked = Callable[[str, Sequence[float]], Sequence[float]]
FEW = ("abs", "max", "clip", "hypot", "norm", "atan2", "x^y", "where", "logaddexp")


def by_gradc(text: str, point: Sequence[float]) -> Sequence[float]:
    return tuple(gradc.compile(text, inputs=["x", "y"][: len(point)]).grad(*point))


def spelled(numpy: Any) -> dict[str, Callable[..., Any]]:
    """The formulas in the spelling of NumPy."""
    return {
        "abs": lambda x: numpy.abs(x),
        "max": lambda x, y: numpy.maximum(x, y),
        "clip": lambda x: numpy.clip(x, 0.0, 1.0),
        "hypot": lambda x, y: numpy.hypot(x, y),
        "norm": lambda x, y: numpy.linalg.norm(numpy.stack([x, y])),
        "atan2": lambda x, y: numpy.arctan2(y, x),
        "x^y": lambda x, y: x**y,
        "where": lambda x: numpy.where(x > 0, numpy.sqrt(x), 0.0),
        "logaddexp": lambda x, y: numpy.logaddexp(x, y),
    }


def by_jax(name: str, point: Sequence[float]) -> Sequence[float]:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f = spelled(import_module("jax.numpy"))[name]
    return [float(x) for x in jax.grad(f, argnums=tuple(range(len(point))))(*point)]


def by_autograd(name: str, point: Sequence[float]) -> Sequence[float]:
    autograd = pytest.importorskip("autograd")
    numpy: Any = import_module("autograd.numpy")
    f, given = spelled(numpy)[name], [numpy.float64(x) for x in point]
    return [float(autograd.grad(f, k)(*given)) for k in range(len(point))]


def by_torch(name: str, point: Sequence[float]) -> Sequence[float]:
    torch = pytest.importorskip("torch")
    numpy = SimpleNamespace(
        **{key: getattr(torch, key) for key in "abs hypot sqrt logaddexp".split()},
        maximum=torch.maximum,
        clip=torch.clamp,
        arctan2=torch.atan2,
        stack=torch.stack,
        linalg=torch.linalg,
        where=lambda c, a, b: torch.where(c, a, torch.zeros_like(a)),
    )
    given = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in point]
    spelled(numpy)[name](*given).backward()
    return [float(x.grad) for x in given]


def by_casadi(name: str, point: Sequence[float]) -> Sequence[float]:
    ca = pytest.importorskip("casadi")
    numpy = SimpleNamespace(
        abs=ca.fabs,
        maximum=ca.fmax,
        clip=lambda x, low, high: ca.fmin(ca.fmax(x, low), high),
        hypot=ca.hypot,
        stack=lambda xs: ca.vertcat(*xs),
        linalg=SimpleNamespace(norm=ca.norm_2),
        arctan2=ca.atan2,
        sqrt=ca.sqrt,
        where=ca.if_else,
        logaddexp=lambda x, y: ca.logsumexp(ca.vertcat(x, y)),
    )
    given = [ca.SX.sym(name) for name in "xy"[: len(point)]]
    f = spelled(numpy)[name](*given)
    slopes = ca.Function("f", given, [ca.gradient(f, x) for x in given])(*point)
    return [float(x) for x in (slopes if len(point) > 1 else [slopes])]


def by_sympy(name: str, point: Sequence[float]) -> Sequence[float]:
    sy = pytest.importorskip("sympy")
    numpy = SimpleNamespace(
        abs=sy.Abs,
        maximum=sy.Max,
        clip=lambda x, low, high: sy.Min(sy.Max(x, low), high),
        hypot=lambda x, y: sy.sqrt(x**2 + y**2),
        stack=lambda xs: sy.Matrix(xs),
        linalg=SimpleNamespace(norm=lambda v: v.norm()),
        arctan2=sy.atan2,
        sqrt=sy.sqrt,
        where=lambda c, a, b: sy.Piecewise((a, c), (b, True)),
        logaddexp=lambda x, y: sy.log(sy.exp(x) + sy.exp(y)),
    )
    given = sy.symbols("x y", real=True)[: len(point)]
    f = spelled(numpy)[name](*given)
    at = dict(zip(given, map(sy.Integer, point)))
    slopes = [sy.diff(f, x).xreplace(at).doit() for x in given]
    return [float(x) if x.is_real else math.nan for x in slopes]


ASKED: dict[str, Asked] = {
    "JAX": by_jax,
    "PyTorch": by_torch,
    "autograd": by_autograd,
    "CasADi": by_casadi,
    "SymPy": by_sympy,
}


def table() -> tuple[list[str], dict[str, list[str]]]:
    """The columns of the page's table, and its rows by their formulas."""
    lines = PAGE.partition("<!-- others -->\n\n")[2].partition("\n\n")[0].split("\n")
    head, _, *rows = [[x.strip() for x in line.split("|")[1:-1]] for line in lines]
    return head[1:], {row[0].replace("`", ""): row[1:] for row in rows}


HEAD, ROWS = table()


def number(text: str) -> float:
    return math.nan if text == "nan" else float(Fraction(text))


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("column", HEAD)
def test_the_table_is_so(row: str, column: str) -> None:
    said = ROWS[row][HEAD.index(column)]
    formula = row.rpartition(" at ")[0]
    if column == "gradc":
        found = by_gradc(formula, POINTS[row])
    else:
        name = next(name for name in FEW if formula.startswith(name))
        found = ASKED[column](name, POINTS[row])
    for x, y in zip(found, map(number, said.split(", ")), strict=True):
        assert x == y or math.isnan(x) and math.isnan(y), found
