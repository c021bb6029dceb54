"""What the fitters of others are given: functions over columns, and bare numbers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from inspect import signature
from operator import attrgetter, itemgetter
from pathlib import Path
from random import Random
from typing import Any

import numpy
import pytest

import gradc
from gradc.arrays import leaves
from gradc.levenberg import Task, least
from gradc.passes.split import is_additive
from tests.strategies import Columns
from tests.test_columns import PLAIN, drawn

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


# ---- formulas that add up


ADDING = [
    "sum(r^2)",
    "-sum(r^2)/(2*b^2) - n*log(b)",
    "a*sum(t) - (sum(y) + n*b)/2",
    "dot(r, y), sum(log(1 + r^2))",
    "r, sum(r)",
    "where(a > 0, sum(pi*t), sum(y))",
    "sum(max(t[i], y[i]*a) for i in range(n))",
    "sum(w[g[i]]*t[i] for i in range(n))",
]
NOT_ADDING = [
    "mean(r)",
    "sum(r^2) + a^2",
    "sum(r)^2",
    "sqrt(sum(r^2))",
    "sum(t)*sum(y)",
    "n*sum(t)",
    "max(t)",
    "r/n",
    "t - mean(t)",
    "sum(t*y[0])",
    "sum(t[1:] - t[:-1])",
    "sum(i*t[i] for i in range(n))",
    "sum(r), prod(r)",
    "sum(t)/sum(y)",
    "where(sum(t) > 0, sum(t), sum(y))",
]
GROUPED = [
    "sum((y - b*a[g])^2)",
    "y - b*a[g], sum(c*y)",
    "sum(y*a[g])*sum(a^2)*m",
    "sum(v[g]*y - a[g])",
]
NOT_GROUPED = ["sum(y*a[g]) + sum(a)", "v*a, sum(y*a[g])", "sum(n*a[g])"]
HEAD = "data t[n], y[n], g[n]; input a, b, w[3]; r = a*exp(-b*t) - y; return "


def results(f: Any, at: dict[str, Any], way: slice) -> list[tuple[Any, bool]]:
    """Each result and its derivatives over some rows, and whether it is a column."""
    args = [at[x][way] if x in "t y s u X g".split() else at[x] for x in f.inputs]
    value, jacobian = f(*args), f.value_and_jacobian(*args)[1]
    kinds = [bool(result.rows) for result in f.formula.results]
    if len(kinds) == 1:
        value, jacobian = [value], [jacobian]
    return [*zip(value, kinds), *zip(jacobian, kinds)]


def adds_up(f: Any, at: dict[str, Any], cut: int) -> bool:
    """Test that numbers over parts add up, and that columns are joined."""
    try:
        found = [results(f, at, k) for k in (slice(cut), slice(cut, None), slice(None))]
    except (ArithmeticError, ValueError):
        return False
    for (first, is_column), (second, _), (whole, _) in zip(*found):
        if is_column:
            assert [*leaves([*first, *second])] == [*leaves(whole)]
            continue
        for x, y, both in zip(*[leaves([part]) for part in (first, second, whole)]):
            size = max(1.0, abs(x), abs(y))
            assert abs(x + y - both) <= 1e-11 * size, f.formula.source.text
    return True


@pytest.mark.parametrize("result", ADDING)
def test_what_adds_up_says_so(result: str) -> None:
    f = gradc.compile(HEAD + result, wrt="a,b")
    assert "\nADDITIVE = True" in f.source
    at = {"t": [0.5, 1.0, 2.5, 3.0], "y": [2.0, 1.0, 0.5, 0.25], "g": [0, 2, 1, 0]}
    at |= {"a": 1.5, "b": 0.75, "w": [0.5, 1.5, 2.5]}
    assert adds_up(f, at, 2)


@pytest.mark.parametrize("result", NOT_ADDING)
def test_what_does_not_add_up_says_nothing(result: str) -> None:
    for numpy_ in (False, True):
        assert "ADDITIVE" not in gradc.compile(HEAD + result, numpy=numpy_).source
    assert "ADDITIVE" not in gradc.compile("x^2").source
    state = "data t[n]; input a; h[0] = a; h[i] = a*h[i-1] + t[i]; return sum(h)"
    assert "ADDITIVE" not in gradc.compile(state).source


@pytest.mark.parametrize("result", GROUPED + NOT_GROUPED)
def test_what_adds_up_by_groups_says_so(result: str) -> None:
    head = "data y[n], g[n], v[m]; input a[m], b, c; return "
    f = gradc.compile(head + result)
    assert ("\nADDITIVE = True" in f.source) == (result in GROUPED)
    at = {"y": [2.0, 1.0, 0.5, 0.25], "g": [0, 2, 1, 0], "b": 1.5, "c": 0.5}
    at |= {"a": [0.5, 1.5, 2.5], "v": [1.0, 3.0, 2.0]}
    assert result in NOT_GROUPED or adds_up(f, at, 2)


def test_a_formula_that_says_so_adds_up() -> None:
    count = 0
    for seed in range(70):
        random = Random(seed)
        text = Columns(random, PLAIN).formula()
        try:
            f = gradc.compile(text, wrt="a,b")
        except gradc.GradcError:
            continue
        if is_additive(f.program):
            count += sum(adds_up(f, dict(drawn(random, 6, 6)), cut) for cut in (1, 3))
    assert count > 4, count


def test_sums_of_products_add_up() -> None:
    f = gradc.compile(MODEL + " - 1", emit="gram", numpy=True)
    parts = [f.gram(t, 1.0, 0.5) for t in (T[:2], T[2:])]
    assert "\nADDITIVE = True" in f.source
    assert numpy.allclose(sum(parts), f.gram(T, 1.0, 0.5), rtol=1e-14)


# ---- the page of the manual


PAGE = Path(__file__).parent.parent / "gradc" / "manual" / "fitters.md"
FIT, VALLEY = [3.000109, 1.004183], [1.0, 1.0]
FIRST = attrgetter("x")
SCIPY = "from scipy.optimize import *"
LMFIT = "import lmfit"
IMINUIT = "from iminuit import Minuit; from iminuit.cost import LeastSquares"
ASTROPY = "from astropy.modeling import custom_model"
ASTROPY += "; from astropy.modeling.fitting import LMLSQFitter"
# By what a row of the page begins with: what it imports, where the answer stands in what
# the line returns, and what that is.
LINES: dict[str, tuple[str, Callable[[Any], Any], Any]] = {
    "SciPy 1.17.1 `curve_fit`": (SCIPY, itemgetter(0), FIT),
    "`least_squares`": (SCIPY, FIRST, FIT),
    "`leastsq`": (SCIPY, itemgetter(0), FIT),
    "lmfit 1.3.4 `Model`": (LMFIT, lambda x: [*x.best_values.values()], FIT),
    "with Jacobian": (LMFIT, lambda x: [*x.best_values.values()], FIT),
    "`minimize`": (LMFIT, lambda x: [*x.params.valuesdict().values()], FIT),
    "iminuit 2.33.0": (IMINUIT, lambda x: [*x.migrad().values], FIT),
    "`LeastSquares`": (IMINUIT, lambda x: [*x.migrad().values], FIT),
    "odrpack 0.7.0": ("from odrpack import odr_fit", attrgetter("beta"), FIT),
    "astropy 8.0.2": (ASTROPY, attrgetter("parameters"), FIT),
    "SciPy BFGS": (SCIPY, FIRST, FIT),
    "L-BFGS-B": (SCIPY, FIRST, VALLEY),
    "Newton-CG": (SCIPY, FIRST, VALLEY),
    "SLSQP": (SCIPY, FIRST, VALLEY),
    "CG, TNC, trust-constr": (SCIPY, FIRST, VALLEY),
    "`differential_evolution`": (SCIPY, FIRST, VALLEY),
    "nlopt 2.11.0": ("import nlopt", lambda opt: opt.optimize([-1.2, 1.0]), VALLEY),
    "optimagic 0.5.3": ("import optimagic", attrgetter("params"), VALLEY),
    "`root`": (SCIPY, FIRST, VALLEY),
    "`root_scalar`": (SCIPY, attrgetter("root"), 1.49870113),
    "Halley": (SCIPY, attrgetter("root"), 1.49870113),
    "`newton`": (SCIPY, float, 1.49870113),
}


def page() -> tuple[dict[str, str], dict[str, Any]]:
    """The lines of the page's tables by what they are for, and the names in them."""
    text = PAGE.read_text(encoding="utf-8")
    rows = [row.split(" | ") for row in re.findall(r"^\| (.*) \|$", text, re.MULTILINE)]
    code = re.findall(r"^(?:>>>|\.\.\.) (.*)$", text, re.MULTILINE)
    names: dict[str, Any] = {}
    exec("\n".join(code), names)
    names["F"] = gradc.compile(
        "input x[2]; [x[0] + x[1] - 2, x[0] - x[1]^3]", numpy=True
    )
    return {row[0]: (re.findall("`(.*?)`", row[1]) or [""])[0] for row in rows}, names


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LINES)
def test_the_lines_of_the_page_fit(name: str) -> None:
    imports, answer, right = LINES[name]
    pytest.importorskip(imports.replace("from ", "import ").split()[1].rstrip(";"))
    lines, names = page()
    exec(imports, names)
    if name == "nlopt 2.11.0":
        names["opt"] = opt = names["nlopt"].opt(names["nlopt"].LD_LBFGS, 2)
        opt.set_xtol_rel(1e-10)
        opt.set_min_objective(names["objective"])
    found = eval(lines[name], names)
    found = names["opt"] if found is None else found
    assert numpy.allclose(answer(found), right, rtol=3e-4)


def test_the_page_has_the_lines_that_are_tested() -> None:
    assert {*LINES} <= {*page()[0]}


@pytest.mark.parametrize("numpy_", [False, True])
def test_functions_of_a_module_are_fitted(numpy_: bool) -> None:
    from scipy.optimize import curve_fit

    m = module(MODEL, numpy=numpy_, emit="jacobian")
    found, _ = curve_fit(m["value"], T, Y, START, jac=m["jacobian"])
    assert numpy.allclose(found, curve_fit(gradc.compile(MODEL), T, Y, START)[0])
    assert not {"out"} & {*signature(m["value"]).parameters}  # a model for lmfit


@pytest.mark.long
@pytest.mark.parametrize("numpy_", [False, True])
def test_functions_of_a_module_are_models_of_lmfit(numpy_: bool) -> None:
    lmfit = pytest.importorskip("lmfit")
    model = lmfit.Model(module(MODEL, numpy=numpy_)["value"])
    assert (model.independent_vars, model.param_names) == (["t"], ["a", "b"])
    found = model.fit(numpy.array(Y), t=T, a=1.0, b=1.0).best_values
    assert numpy.allclose([*found.values()], [1.971446, 0.496422], rtol=1e-4)


# ---- a cluster


@pytest.mark.long
def test_a_cluster_fits_what_no_worker_holds(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    formula = "data t[n], y[n]; input a, b, c; return a*exp(-b*t) + c - y"
    (tmp_path / "decay.txt").write_text(formula, encoding="utf-8")
    random, every = numpy.random.default_rng(1), list[Any]()
    for k in range(16):
        t = random.uniform(0.0, 4.0, 400_000)
        y = 2.0 * numpy.exp(-1.5 * t) + 0.5 + random.normal(0.0, 0.1, t.size)
        every.append(numpy.stack([t, y]))
        path, rows = tmp_path / f"part{k:02}.csv", every[-1].T
        numpy.savetxt(path, rows, "%.17g", ",", header="t,y", comments="")
    paths = [*map(str, sorted(tmp_path.glob("*.csv")))]
    memory = 200_000_000
    assert sum(Path(path).stat().st_size for path in paths) > memory
    script = Path(__file__).parent.parent / "examples" / "cluster.py"
    line = [sys.executable, str(script), str(tmp_path / "decay.txt"), "a=1,b=1,c=0"]
    line += [*paths, "--memory", str(memory)]
    env = {**os.environ, "PYTHONPATH": str(script.parent.parent)}
    done = subprocess.run(line, capture_output=True, text=True, env=env, timeout=500)
    assert done.returncode == 0, done.stderr
    said = dict(row.split(" ", 1) for row in done.stdout.strip().split("\n"))
    assert said.pop("converged")
    f = gradc.compile(formula, numpy=True, emit="gram")
    t, y = numpy.concatenate(every, axis=1)
    task = Task(lambda x: f.gram(t, y, *x), t.size)
    here = least(task, numpy.array([1.0, 1.0, 0.0]))
    assert not here.reason and [*said] == ["a", "b", "c"]
    found = numpy.array([*map(float, said.values())])
    assert numpy.abs(found / here.b - 1.0).max() < 1e-12
