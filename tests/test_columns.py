"""Columns of any length: the same as with so many rows written out."""

import ast
import inspect
import math
import pickle
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.compiler import Compiled
from gradc.errors import DomainError, GradcError
from gradc.ops import OPS, Table, op
from gradc.run import run
from tests.strategies import COARSE, DYADIC, NUMBERS, Columns, formula

DECAY = """data t[n], y[n]
input a, b, f, phi, c
r = a*exp(-b*t)*cos(2*pi*f*t + phi) + c - y
"""
PLAIN = [OPS[name] for name in "exp sin log sqrt abs tanh max".split()]
NAN, WORDS = math.nan, ("nan", "inf")
TYPED = [
    "data t[n], y[n]; input a, b; sum((a*exp(-b*t) - y)^2)/(n - 2)",
    "data t[n]; input a; return r = t*a - mean(a^2*t)",
    "data X[n, 3], y[n]; input b[3], s[n]; m = X @ b; sum(log(1 + exp(m)) - y*m*s)",
    "data t[n], u[m]; input a; t*sum(u)*a + norm(t)*a",
    "data t[n]; input a; sum(where(t > a, log(t), t*a))",
]

Given = Mapping[str, Any]


def drawn(random: Random, n: int, m: int) -> Given:
    """Arguments for a formula of `Columns`."""

    def numbers(count: int) -> list[float]:
        return [round(random.uniform(-3.0, 3.0) * 16) / 16 for _ in range(count)]

    a, b = numbers(2)
    columns = {"t": numbers(n), "y": numbers(n), "u": numbers(m), "s": numbers(n)}
    return {**columns, "X": [numbers(2) for _ in range(n)], "a": a, "b": b}


def called(compiled: Compiled, name: str, given: Given) -> list[float] | None:
    """The numbers that a function returns, None where it raises."""
    call = compiled if name == "value" else getattr(compiled, name)
    try:
        return [*leaves(call(**{x: given[x] for x in compiled.inputs}))]
    except (ArithmeticError, ValueError):
        return None


def size(compiled: Compiled, name: str, given: Given) -> float:
    """The largest number on the way to what a function of a formula returns."""
    args = [given[x] for x in compiled.inputs]
    point = compiled._point(name, compiled._floats(name, args, {}))
    ran = run(compiled.functions[name].program, point)
    sizes = [abs(x) for i, x in enumerate(ran.values) if ran.has(i)]
    return max(1.0, *sizes)


def agrees(compiled: Compiled, random: Random, n: int) -> int:
    """Compare with the formula of n rows; of how many functions both have numbers."""
    count, given = 0, drawn(random, n, n)
    try:
        fixed = compiled.fixed(n)
    except GradcError:  # of no rows there is no mean
        assert n == 0
        return 0
    for name in compiled.functions:
        found, right = called(compiled, name, given), called(fixed, name, given)
        if name == "value":  # at a kink one may have a slope, and the other not
            assert (found is None) == (right is None), compiled.source
        if found is not None and right is not None:
            assert len(found) == len(right)
            most = 1e-12 * (n + 1) * size(fixed, name, given)
            differences = [abs(x - y) for x, y in zip(found, right)]
            assert max(differences, default=0.0) <= most, compiled.source
            count += 1
    return count


def laws(seed: int, rows: Sequence[Any] = PLAIN) -> int:
    """Compare a random formula with rows written out; how often both had numbers."""
    random = Random(seed)
    text = Columns(random, rows).formula()
    names = random.choice(("a,b", "a", "b"))
    try:
        compiled = gradc.compile(text, wrt=names)
    except GradcError as error:
        assert error.kind == "LimitMistake", text
        return 0
    return sum(agrees(compiled, random, n) for n in (0, 1, 2, 5))


def test_any_formula_is_that_of_rows_written_out() -> None:
    assert sum(map(laws, range(10))) > 35


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1400, 50))
def test_many_formulas_are_those_of_rows_written_out(first: int) -> None:
    rows = [row for row in NUMBERS if row.name not in COARSE]
    assert sum(laws(seed, rows) for seed in range(first, first + 50)) > 150


def test_the_gradient_of_a_sum_is_the_sum_of_gradients() -> None:
    whole = gradc.compile(DECAY + "return sum(r^2)")
    one = gradc.compile(re.sub(r"\[n\]", "", DECAY) + "return r^2")
    random = Random(1)
    t, y = ([random.uniform(0.0, 3.0) for _ in range(7)] for _ in "ty")
    parameters = [1.2, 0.3, 0.5, 0.1, 0.2]
    value, slopes = whole.value_and_grad(t, y, *parameters)
    rows = [one.value_and_grad(*row, *parameters) for row in zip(t, y)]
    assert math.isclose(value, math.fsum(x for x, _ in rows), rel_tol=1e-13)
    columns = zip(*[found for _, found in rows])
    for slope, column in zip(slopes, columns, strict=True):
        size = math.fsum(map(abs, column))
        assert abs(slope - math.fsum(column)) <= 1e-13 * size


def statements(text: str) -> int:
    """How many statements the functions of a module have, but for what all modules have."""
    found = [x for x in ast.parse(text).body if isinstance(x, ast.FunctionDef)]
    fixed = "columns rows over floats number numbers jacobian".split()
    own = [x for x in found if x.name not in fixed]
    return sum(isinstance(x, ast.stmt) for part in own for x in ast.walk(part))


@pytest.mark.parametrize("result", ["r", "sum(r^2)", "mean(r^2)/b, sum(abs(r))"])
def test_modules_are_about_as_long_as_those_of_one_row(result: str) -> None:
    columns = gradc.compile(f"{DECAY}return {result}").source
    plain = re.sub(r"\[n\]", "", DECAY) + "return " + re.sub("sum|mean", "", result)
    one = gradc.compile(plain, wrt="a,b,f,phi,c").source
    assert statements(columns) <= 1.5 * statements(one) + 20


def test_what_depends_on_parameters_alone_is_computed_once() -> None:
    text = gradc.compile("data t[n]; input a, b; sum(exp(a*b)*sin(t*log(b)))").source
    text = re.sub("#.*", "", text)
    loops = re.findall(r"def _value.*?\n\n", text, re.DOTALL)
    assert len(loops) == 2
    for loop in loops:
        assert "exp(" not in loop and "log(" not in loop


BAD: Sequence[tuple[Any, Any, str]] = [
    ([1, 2], [1], "y has 1 rows, but t has 2"),
    ([1, 2], [], "y has 0 rows, but t has 2"),
    ([1, None], [1, 2], "t is no column of numbers"),
    (["1", "2"], [1, 2], "t is no column of numbers"),
    ([1, 2j], [1, 2], "t is no column of numbers"),
    (1.0, [1, 2], "t is no column of numbers"),
    (b"ab", [1, 2], "t is no column of numbers"),
    ({1: 2, 3: 4}, [1, 2], "t is no column of numbers"),
    ({1, 2}, [1, 2], "t is no column of numbers"),
    ([1, 2], [[1], [2]], "y is no column of numbers"),
    ([1, 2, 3], [1, NAN, 3], "y is nan in row 1"),
]


@pytest.mark.parametrize(("t", "y", "said"), BAD)
@pytest.mark.parametrize("result", ["r", "sum(r)"])
def test_what_is_no_column_is_told(t: Any, y: Any, said: str, result: str) -> None:
    compiled = gradc.compile("data t[n], y[n]; input a; r = a*t - y; " + result)
    for call in (compiled, compiled._module["value"]):
        with pytest.raises(ValueError, match=f"^{said}$"):
            call(t, y, 1.0)


def test_of_a_column_of_rows_it_is_told_as_well() -> None:
    compiled = gradc.compile("data X[n, 2]; input w[2]; X @ w")
    assert compiled([], [1, 2]) == []
    with pytest.raises(ValueError, match="the rows of X have not 2 entries"):
        compiled([[1, 2], [3]], [1, 2])
    with pytest.raises(ValueError, match="X is nan in row 1"):
        compiled([[1, 2], [3, NAN]], [1, 2])


def test_nothing_is_summed_over_no_rows() -> None:
    found = gradc.compile("data t[n]; input a; return a*sum(t), prod(a*t)")([], 2.0)
    assert found == (0.0, 1.0)
    with pytest.raises(ValueError, match="t has 0 rows, but 1 are read"):
        gradc.compile("data t[n]; input a; max(a*t)")([], 2.0)
    with pytest.raises(DomainError, match="infinite|not a real"):
        gradc.compile("data t[n]; input a; mean(a*t)")([], 2.0)


@pytest.mark.parametrize("numpy", [False, True])
def test_a_row_without_a_value_is_told_with_its_number(numpy: bool) -> None:
    text = "data t[n], y[n]; input a; sum(a*log(t) - y)"
    compiled = gradc.compile(text, numpy=numpy)
    said = r"log\(t\) is not a real number in row 1, at t = -2.0, y = 3.0, a = 5.0"
    with pytest.raises(DomainError, match=said) as caught:
        compiled.value_and_grad([1.0, -2.0], [1.0, 3.0], 5.0)
    assert text[slice(*caught.value.span or ())] == "log(t)"
    with pytest.raises((ArithmeticError, ValueError), match="in row 1, "):
        compiled._module["value"]([1.0, -2.0], [1.0, 3.0], 5.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sum(exp(1000*a*t))", r"exp\(1000\*a\*t\) is infinite in row 2, at t = 3.0"),
        ("sum((1e200*t)^2)*a", r"\(1e200\*t\)\^2 is infinite in row 0, at t = 1"),
        ("log(min(t) - 5*a)", r"log\(min\(t\) - 5\*a\) is not a real number at a = "),
        ("t - log(-a)*mean(t)", r"log\(-a\) is not a real number at a = 0.3"),
        ("[sqrt(1 - a*i) for i in range(n)]*t[1:][0]", "in row 4"),
        ("a*t/(t - 2.5)", r"a\*t/\(t - 2.5\) is infinite in row 4"),
        ("(exp(a*(t - 1)) - 1)/(t - 1) - log(t - a - 1)", r"log\(t - a - 1\) .* row 0"),
    ],
)
def test_the_part_at_fault_is_shown(text: str, said: str) -> None:
    compiled = gradc.compile(f"data t[n]; input a; {text}")
    with pytest.raises(DomainError, match=said) as caught:
        compiled([1.0, 2.0, 3.0, 0.5, 2.5], 0.3)
    row = re.search(r"in row (\d+)", str(caught.value))
    assert caught.value.row == (int(row[1]) if row else None)


def test_a_row_of_the_table_that_goes_over_no_column() -> None:
    row = op("most(x, ...)", "The largest.", means="max(x, 0)")
    with pytest.raises(GradcError, match="'most' does not go over the rows"):
        gradc.compile("data t[n]; input a; a*most(t)", ops=Table((*OPS, row)))


def test_the_signature_is_that_of_the_formula() -> None:
    compiled = gradc.compile(DECAY + "return r")
    for found in (compiled, pickle.loads(pickle.dumps(compiled))):
        assert [*inspect.signature(found).parameters] == [*compiled.inputs]


@pytest.mark.long
def test_a_loop_is_what_numba_takes() -> None:
    numba = pytest.importorskip("numba")
    numpy = pytest.importorskip("numpy")
    space = gradc.compile(DECAY + "return sum(where(t > 1, r^2, abs(r)))")._module
    t, y = numpy.linspace(0.0, 3.0, 50), numpy.cos(numpy.linspace(0.0, 9.0, 50))
    args = [1.2, 0.3, 0.5, 0.1, 0.2]
    loop = space["_value"]
    count = loop.__code__.co_argcount - 2
    found = numba.njit(loop)(t, y, *args[:count])
    assert math.isclose(found, loop([*t], [*y], *args[:count]), rel_tol=1e-13)


ROOTS = "data t[n], y[n]; input a, b; r = a*sqrt(t) - log(y) + b; return "


@pytest.mark.parametrize("word", ["nan", "inf"])
def test_a_row_without_a_value_leaves_the_others_as_they_are(word: str) -> None:
    result = "r = r, total = sum(r), rest = a*mean(t)"
    plain = gradc.compile(ROOTS + result)
    given = [1.0, 4.0, 2.0, 9.0], [1.0, 2.0, 3.0, 4.0], 2.0, 0.5
    compiled = gradc.compile(ROOTS + result, outside=word)
    assert compiled.value_and_jacobian(*given) == plain.value_and_jacobian(*given)
    bad = [1.0, -4.0, 2.0, 9.0], [1.0, 2.0, 0.0, 4.0], 2.0, 0.5
    (values, *_), (rows, *_) = plain.value_and_jacobian(*given)
    (r, total, rest), (slopes, *others) = compiled.value_and_jacobian(*bad)
    assert compiled(*bad)[0] == r and [r[0], r[3]] == [values[0], values[3]]
    assert [slopes[0], slopes[3]] == [rows[0], rows[3]]
    assert {*map(str, [r[1], r[2], total, rest])} == {word}
    assert all(map(math.isnan, leaves([slopes[1], slopes[2], others])))


def test_a_row_without_a_derivative_keeps_its_value() -> None:
    compiled = gradc.compile("input s[n], a; a*sqrt(s)", outside="nan")
    values, rows = compiled.value_and_jacobian([4.0, 0.0, -1.0], 3.0)
    assert str(values) == "[6.0, 0.0, nan]"
    assert str(rows) == "[[0.75, 2.0], [nan, nan], [nan, nan]]"
    total = gradc.compile("input s[n], a; sum(a*sqrt(s))", outside="inf")
    assert str(total.value_and_grad([4.0, 0.0], 3.0)) == "(6.0, ([0.75, nan], nan))"
    assert str(total([4.0, -1.0], 3.0)) == "inf"


def test_an_array_may_have_one_entry() -> None:
    for numpy in (False, True):
        f = gradc.compile("data t[n]; input w[1]; sum(w[0]*t)", numpy=numpy)
        assert f([1.0, 2.0], [3.0]) == 9.0


def test_sums_of_products_are_nan_if_one_row_has_no_value() -> None:
    text = "data t[n]; input a; return r = log(t) - a"
    f = gradc.compile(text, emit="gram", outside="nan")
    assert f.gram([1.0, 1.0], 2.0) == ((8.0, 4.0), (4.0, 2.0))
    assert all(map(math.isnan, leaves(f.gram([1.0, -1.0], 2.0))))


@pytest.mark.parametrize("a", [-1.0, 800.0])
def test_without_a_number_that_all_rows_need_there_is_nothing(a: float) -> None:
    compiled = gradc.compile("data t[n]; input a; t*log(a)*exp(a)", outside="nan")
    values, rows = compiled.value_and_jacobian([1.0, 2.0], a)
    assert all(map(math.isnan, leaves([values, rows])))


NEVER: Sequence[Mapping[str, Any]] = [
    *[{"emit": word} for word in ("hessian", "hvp", "jvp", "vjp", "error")],
    *[{"sparse": True}, {"flat": True}, {"outside": "certified"}],
    {"numpy": True, "outside": "nan"},
]


@pytest.mark.parametrize("options", NEVER)
def test_what_columns_cannot_have_is_told(options: Mapping[str, Any]) -> None:
    text = "data t[n]; input s[n], a; sum(a*s^2*t)"
    with pytest.raises(GradcError, match="is not for this formula, which has columns"):
        gradc.compile(text, **options)


def test_second_derivatives_by_numbers() -> None:
    compiled = gradc.compile(DECAY + "return log(mean(r^2))", emit="hessian")
    given = [0.0, 1.0, 2.0], [1.0, 0.3, -0.2], 1.2, 0.3, 0.5, 0.1, 0.2
    found = [*leaves(compiled.value_grad_and_hessian(*given))]
    right = [*leaves(compiled.fixed(3).value_grad_and_hessian(*given))]
    assert all(map(math.isclose, found, right))
    matrix = compiled.value_grad_and_hessian(*given)[2]
    written: dict[str, Any] = {}
    exec(compiled.source, written)
    assert written["hessian"](*given) == compiled.hessian(*given) == matrix
    bound = gradc.compile(compiled.origin.formula, numpy=True, emit="hessian")
    found = bound.bind(*given[:2]).hessian(given[2:])
    assert found.ravel().tolist() == pytest.approx([*leaves(matrix)], rel=1e-13)


def test_an_entry_of_a_row_is_read_in_this_row() -> None:
    X = [[1.0, 2.0], [3.0, 4.0]]
    for text in ("[x[1]*a for x in X]", "[X[i][1]*a for i in range(n)]", "a*X[:, 1]"):
        assert gradc.compile(f"data X[n, 2]; input a; {text}")(X, 2.0) == [4.0, 8.0]


PRICE = """data r
input S in [50, 150], K in [50, 150], v in [0.1, 1], T in [0.1, 2], w[2]
d = (log(S/K) + (r + v^2/2)*T)/(v*sqrt(T))
return price = S*normcdf(d) - K*exp(-r*T)*normcdf(d - v*sqrt(T)), m = norm(w)*T
"""


@pytest.mark.parametrize("names", ["S,K", "S, v", "r,T", "w,S", "all"])
def test_columns_of_a_formula_as_it_is(names: str) -> None:
    one = gradc.compile(PRICE)
    compiled = gradc.compile(PRICE, columns=names)
    rows = [
        {"r": 0.02, "S": 90.0, "K": 100.0, "v": 0.2, "T": 1.0, "w": [1.0, 2.0]},
        {"r": 0.03, "S": 120.0, "K": 95.0, "v": 0.4, "T": 0.5, "w": [2.0, -1.0]},
    ]
    chosen = [*one.inputs] if names == "all" else re.split(", *", names)
    given = {x: [row[x] for row in rows] for x in chosen} | {
        x: rows[0][x] for x in one.inputs if x not in chosen
    }
    each = [{x: row[x] if x in chosen else rows[0][x] for x in row} for row in rows]
    (price, m), _ = compiled.value_and_jacobian(**given)
    right = [one.value_and_jacobian(**row) for row in each]
    assert all(map(math.isclose, price, [values[0] for values, _ in right]))
    m = m if isinstance(m, list) else [m, m]
    assert all(map(math.isclose, m, [values[1] for values, _ in right]))
    fixed = compiled.fixed(2)
    assert all(map(math.isclose, leaves(fixed(**given)[0]), price))
    slopes, _ = compiled.jacobian(**given)
    for k, (_, (row, _)) in enumerate(right):
        assert all(map(math.isclose, leaves(slopes[k]), leaves(row)))


def test_columns_of_what_there_is_not() -> None:
    with pytest.raises(GradcError, match="'q', but the inputs are 'x', 'y'"):
        gradc.compile("x*y", columns="q")
    with pytest.raises(GradcError, match="has columns of length 'n'"):
        gradc.compile("data x[n]; input a; sum(a*x)", columns=["a"])
    assert gradc.compile("x*rows", columns="x")([1.0, 2.0], 3.0) == [3.0, 6.0]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (DECAY + "return r = r, s = sum(r^2)", {}),
        ("input s[n], a; data t[n]; a*s^2*exp(-t^2)", {}),
        ("input s[n], a; data t[n]; sum(abs(a*s)*t)", {}),
        ("data t[n]; input a; sum((a*t[2:] - t[1:-1])^2)", {}),
        (PRICE, {"columns": "S,K"}),
    ],
)
def test_the_check_compares_with_rows_written_out(text: str, options: Any) -> None:
    compiled = gradc.compile(text, check=True, **options)
    name = [*compiled.functions][-1]
    wrong = gradc.compile(text, **options)
    right = wrong._module[name]

    def spoiled(*args: Any) -> Any:
        return [1.001 * x for x in leaves(right(*args))]

    wrong._module[name] = spoiled
    assert not wrong.check().ok


def test_certified_numbers_of_columns() -> None:
    pytest.importorskip("flint")
    compiled = gradc.compile(DECAY + "return r = r, s = sum(r^2)")
    given = [0.0, 1.0, 2.0], [1.0, 0.3, -0.2], 1.2, 0.3, 0.5, 0.1, 0.2
    sure, found = compiled.certified(*given), compiled.value_and_jacobian(*given)
    pairs = zip(leaves([sure.value, sure.gradient]), leaves(found), strict=True)
    assert all(math.isclose(x, y, rel_tol=1e-12) for x, y in pairs)
    assert gradc.compile("x*y", columns="x").certified([0.5, 0.25], 3).value == (
        1.5,
        0.75,
    )


@pytest.mark.parametrize("first", [0, 1])
def test_rows_of_one_side_keep_what_they_read(first: int) -> None:
    """Where all rows take one side, what it reads is overwritten behind it at most."""
    text = "lgamma(k + r) - lgamma(r) - lgamma(k + 1) + k*log(m/(r + m))"
    given = {"k": [first + float(k) for k in range(9)], "r": 1.5, "m": 2.0}
    text = f"data k[n]\ninput r, m\nsum({text})"
    one, other = (gradc.compile(text, numpy=numpy) for numpy in (False, True))
    found = called(other, "value_and_grad", given)
    assert found == pytest.approx(called(one, "value_and_grad", given), rel=1e-12)


def alike(x: float, y: float) -> bool:
    """Whether two numbers agree, also in being none."""
    if math.isfinite(x) and math.isfinite(y):
        return math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-300)
    return not math.isfinite(x) and not math.isfinite(y)


def by_rows(seed: int) -> int:
    """Compare a formula over columns with that of one row, outside domains too."""
    random = Random(seed)
    rows = [row for row in NUMBERS if row.name not in COARSE]
    drawn, word = formula(random, rows, DYADIC, guarded=False), random.choice(WORDS)
    names = [*drawn.domains]
    chosen = random.choice((names, names[:1], names[-1:]))
    try:
        one = gradc.compile(drawn.text, outside=word)
    except GradcError:  # it has a constant without a value
        return 0
    compiled = gradc.compile(drawn.text, columns=chosen, outside=word)
    points = [drawn.point(random, (0.0, 1.0, -1.0, 2.0)) for _ in range(5)]
    points = [{x: (p if x in chosen else points[0])[x] for x in p} for p in points]
    given = {x: [p[x] for p in points] if x in chosen else points[0][x] for x in names}
    if not compiled.formula.results[0].rows:
        return 0
    values, slopes = compiled.value_and_jacobian(**given)
    for point, value, row in zip(points, values, slopes):
        found = leaves(one.value_and_grad(**point))
        assert all(map(alike, found, [value, *row])), (seed, drawn.text, point)
    return 1


def test_any_formula_of_one_row_may_have_columns() -> None:
    assert sum(map(by_rows, range(15))) > 8


@pytest.mark.long
def test_many_formulas_of_one_row_may_have_columns() -> None:
    assert sum(map(by_rows, range(1000, 1400))) > 250


def test_behind_a_state_without_a_value_there_is_none() -> None:
    text = "data y[n]; input a; h[0] = 1; h[i] = y[i - 1] - a*sqrt(h[i - 1]); h"
    raising, compiled = gradc.compile(text), gradc.compile(text, outside="nan")
    good, bad = ([2.0, 3.0, 1.0], 1.0), ([2.0, 0.0, 1.0, 9.0], 1.0)
    assert compiled.value_and_jacobian(*good) == raising.value_and_jacobian(*good)
    values, slopes = compiled.value_and_jacobian(*bad)
    assert str(values) == "[1.0, 1.0, -1.0, nan]"
    assert [math.isnan(row[0]) for row in slopes] == [False, False, False, True]


@pytest.mark.long
def test_curve_fit_takes_a_formula_as_it_is() -> None:
    numpy = pytest.importorskip("numpy")
    fit = pytest.importorskip("scipy.optimize").curve_fit
    model = gradc.compile("data t[n]; input a, b; a*exp(-b*t)")
    t = numpy.linspace(0.0, 3.0, 20)
    y = 2.0 * numpy.exp(-0.7 * t)
    for options in ({}, {"jac": model.jacobian}, {"p0": [1.0, 1.0]}):
        found, _ = fit(model, t, y, **options)
        assert numpy.allclose(found, [2.0, 0.7])


@pytest.mark.parametrize("sums", ["dot(t, a*t) - sum(t)", "(exp(sum(a*t)) - 1)/sum(t)"])
def test_a_sum_over_rows_is_not_what_it_is_of_one_row(sums: str) -> None:
    f = gradc.compile(f"data t[n]; input a; {sums}")
    given = [0.25, -0.5, 0.75], 0.125
    value, (slope,) = f.value_and_grad(*given)
    found = f.fixed(3).value_and_grad(*given)
    assert (value, slope) == pytest.approx((found[0], found[1][0]), rel=1e-14)


def test_one_derivative_may_be_that_of_rows_and_of_a_number() -> None:
    for numpy in (False, True):
        f = gradc.compile("data t[n]; input a; return r = t + a, q = a", numpy=numpy)
        (_, one), (rows, (other,)) = f.value_and_jacobian([1.0, 2.0], 3.0)
        assert (one, other) == (3.0, 1.0) and [*map(list, rows)] == [[1.0], [1.0]]


@pytest.mark.parametrize("name", ["min", "max", "sum", "prod"])
def test_what_goes_over_rows_may_be_long(name: str) -> None:
    terms = [f"a{k}*exp(-b{k}*t)*sin(t + {k})" for k in range(9)]
    names = ", ".join([f"a{k}, b{k}" for k in range(9)])
    compiled = gradc.compile(f"data t[n]; input {names}; {name}({' + '.join(terms)})")
    args = [[1.0, 2.0], *[0.5] * 18]
    found, right = (c.value_and_grad(*args) for c in (compiled, compiled.fixed(2)))
    assert [*leaves(found)] == pytest.approx([*leaves(right)], rel=1e-12)


BESIDE = {  # numbers beside columns, and columns beside numbers, that have no value
    "log(a)*t + sum(t)": "[nan, nan] [[nan], [nan]]",
    "log(t/3)*sum(t) - a*t + 1": "[nan, 7.0] [[nan], [-3.0]]",
    "r = a*t + 1, q = log(a)*sum(t)": "([1.0, -5.0], nan) ([[0.0], [3.0]], (nan,))",
}


@pytest.mark.parametrize("text", BESIDE)
@pytest.mark.parametrize("word", WORDS)
def test_beside_what_has_no_value_there_is_no_derivative(text: str, word: str) -> None:
    compiled = gradc.compile(f"data t[n]; input a; return {text}", outside=word)
    found = compiled.value_and_jacobian([0.0, 3.0], -2.0)
    assert " ".join(map(str, found)).replace("inf", "nan") == BESIDE[text]


def test_a_sum_without_a_value_has_no_derivatives_by_rows() -> None:
    compiled = gradc.compile("input s[n], a; sum(log(s)*a)", outside="nan")
    assert str(compiled.value_and_grad([0.0, 1.0], 2.0)) == "(nan, ([nan, nan], nan))"


NOTICED = (
    "where(sum(log(t)) > 0, a, 2*a)",
    "max(t - mean(log(t)))*a",
    "max(sum(log(t)), a)",
    "h[0] = log(t[0]); h[i] = log(h[i - 1]*t[i]); sum(where(h > 0, h, a))",
)


@pytest.mark.parametrize("text", NOTICED)
@pytest.mark.parametrize("word", WORDS)
def test_no_condition_passes_by_what_has_no_value(text: str, word: str) -> None:
    f = gradc.compile(f"data t[n]; input a; {text}", outside=word)
    assert str(f.value_and_grad([2.0, -1.0, 3.0], 2.0)) == f"({word}, (nan,))"


def test_any_formula_is_nan_where_it_would_raise() -> None:
    count = 0
    for seed in range(12):
        random = Random(seed)
        head, body = Columns(random, PLAIN).formula().split("s[n]", 1)
        text = f"{head}s[n]\nw = log(t)" + re.sub(r"\bt\b", "w", body)
        loud, silent = (
            gradc.compile(text, wrt="a", outside=x) for x in ("raise", "nan")
        )
        for n in (1, 2, 4):
            given = drawn(random, n, n)
            found, right = called(silent, "value", given), called(loud, "value", given)
            assert found is not None and (right is None or found == right), text
            assert right is not None or any(map(math.isnan, found)), text
            count += right is None
    assert count > 5


TAKEN = "k rows over columns floats sloped float len range enumerate zip max type error"
TAKEN += " isfinite Any Callable Sequence ValueError is value jacobian found"
TAKEN += " m i c p s t1 m1 i1 c1 p1 s1 t_ p1_ d_a u_0 u1"
NAMED = (
    ("data t[{0}]; input a; r = a*t/{0}; return sum(r), r", ([1.0, 2.0], 3.0)),
    ("data t[n]; input {0}; r = {0}*exp(-t); return sum(r), r", ([1.0, 2.0], 3.0)),
    ("data {0}[n]; input a; r = a*{0}; return sum(r), r", ([1.0, 2.0], 3.0)),
    ("data t[n]; input a; return {0} = exp(a*t), q = sum(a*t)", ([1.0, 2.0], 3.0)),
    ("data {0}[n]; input a[l]; sum(a[{0}])/l", ([0.0, 1.0], [3.0, 4.0])),
    ("data X[n, 2]; input a; return {0} = a*X", ([[1.0, 2.0], [3.0, 4.0]], 3.0)),
    (
        "data t[n]; input a; return {0} = where(t > 1, log(t)*a, cos(t)^2), max(a*t)",
        ([0.5, 2.0], 3.0),
    ),
    ("data {0}[n]; input a; max(a*{0})", ([1.0, 2.0], 3.0)),
    (
        "data {0}[n]; input a; x[0] = a; x[q] = x[q - 1]*{0}[q]; sum(x)",
        ([1.0, 2.0], 3.0),
    ),
    (
        "data t[n]; input a; {0}[0] = a; {0}[q] = {0}[q - 1]*t[q]; sum({0})",
        ([1.0, 2.0], 3.0),
    ),
)


@pytest.mark.parametrize("numpy", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize(("text", "given"), NAMED)
def test_any_name_may_be_that_of_a_column_or_a_length(
    text: str, given: Sequence[Any], numpy: bool
) -> None:
    def found(name: str) -> list[float]:
        compiled = gradc.compile(text.format(name), numpy=numpy)
        return [*leaves(getattr(compiled, [*compiled.functions][-1])(*given))]

    for name in TAKEN.split():
        assert found(name) == found("u"), name


@pytest.mark.long
@pytest.mark.parametrize(
    "options", [{}, {"outside": "nan"}, {"numpy": True}, {"emit": "bind"}], ids=str
)
def test_modules_over_columns_pass_strict_types(
    options: dict[str, Any], tmp_path: Path
) -> None:
    for k, text in enumerate(TYPED):
        source = gradc.compile(text, **options).source
        (tmp_path / f"m{k}.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


BINDING = [
    ("data t[n], y[n]; input a, b; return a*exp(-b*t) - y", (1.5, 0.5), 2),
    ("data t[n], y[n]; input a, w[2]; sum((a*w[0]*t - y*w[1])^2)", (1.5, 2.0, 3.0), 2),
    (
        "data X[n, 2], g[n], c; input a[m], b; b*sum(X)*sum(a[g])*c",
        ([1.0, 2.0], 3.0),
        3,
    ),
    ("data y[n]; input a; h[0] = a; h[i] = a*h[i-1] + y[i]; return h - y", (0.5,), 1),
]


@pytest.mark.parametrize("options", [{}, {"outside": "nan"}], ids=str)
@pytest.mark.parametrize(("text", "x", "fixed"), BINDING)
def test_what_is_bound_has_the_functions_of_the_parameters(
    text: str, x: tuple[Any, ...], fixed: int, options: dict[str, Any]
) -> None:
    one = gradc.compile(text, **options)
    f = gradc.compile(text, emit="bind", **options)
    assert [*f.functions] == [*one.functions] and "numpy" not in f.source
    data: list[Any] = [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], 2.0][:fixed]
    data[0] = [[k, 1.0] for k in data[0]] if "X" in text else data[0]
    bound, given = f.bind(*data), (x[0], x[1:]) if "w" in text else x
    for name in f.functions:
        assert getattr(bound, name)(x) == one._module[name](*data, *given)
    last = "grad" if "value_and_grad" in f.functions else "jacobian"
    assert getattr(bound, last)([*x]) == getattr(one, last)(*data, *given)
    assert f(*data, *given) == one(*data, *given)


def test_what_is_bound_is_checked_once() -> None:
    f, seen = gradc.compile(BINDING[0][0], emit="bind"), list[float]()
    f._module["isfinite"] = lambda x: seen.append(x) or True  # type: ignore
    bound = f.bind([0.0, 1.0], [1.0, 0.5])
    bound.value((1.5, 0.5)), bound.value_and_jacobian((1.5, 0.5))
    assert seen == [1.0, 1.5]
    f([0.0, 1.0], [1.0, 0.5], 1.5, 0.5)
    assert seen == [1.0, 1.5] * 2


def test_sums_of_products_are_bound() -> None:
    f = gradc.compile(BINDING[0][0], emit="bind,gram")
    data, x = ([0.0, 1.0], [1.0, 0.5]), (1.5, 0.5)
    assert f.bind(*data).gram(x) == f.gram(*data, *x)
    assert [*f.functions] == ["value", "gram"]
    assert f.fixed(2).functions.keys() == {"value"}


def test_what_cannot_be_bound_is_told() -> None:
    f = gradc.compile(BINDING[0][0], emit="bind")
    with pytest.raises(ValueError, match="y has 1 rows, but t has 2"):
        f.bind([0.0, 1.0], [1.0])
    with pytest.raises(ValueError, match="t is nan in row 1"):
        f.bind([0.0, NAN], [1.0, 2.0])
    bound = f.bind([0.0, 1.0], [1.0, 2.0])
    for x in (None, [1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(TypeError, match=r"the 2 parameters \('a', 'b'\) are one"):
            bound.value(x)
    with pytest.raises(ValueError, match="b is no number but 'x'"):
        bound.jacobian([1.0, "x"])
    with pytest.raises(DomainError):
        gradc.compile("data t[n]; input a; sum(log(a*t))", emit="bind")([1.0], -1.0)
    with pytest.raises(GradcError, match="there are no columns to bind"):
        gradc.compile("x*y", emit="bind")
    with pytest.raises(GradcError, match="'bind' is not for C"):
        f.text("c")


def test_rows_to_write_out_are_at_least_one() -> None:
    f = gradc.compile("data g[n], y[n], a[m]; input b; return b*a[g] - y")
    for rows in (0, -1, {"n": 2}, {"n": 2, "m": 0}):
        with pytest.raises(GradcError, match="at least 1 for each of 'm', 'n'"):
            f.fixed(rows)
