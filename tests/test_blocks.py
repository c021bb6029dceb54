"""Columns in NumPy: the same as in the standard library, however they lie in memory."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mpmath import mp

import gradc
from gradc.compiler import Compiled
from gradc.errors import GradcError
from gradc.ops import OPS
from tests.strategies import COARSE, NUMBERS, Columns
from tests.test_columns import DECAY, PLAIN, Given, drawn, size

numpy = pytest.importorskip("numpy")

SUMS = "return chi2 = sum(where(t > 1, r^2, abs(r))), top = max(r), all = prod(1 + r/9)"
POINT = (1.2, 0.3, 0.5, 0.1, 0.2)


def made(text: str, block: int | None = None, **options: Any) -> dict[str, Any]:
    """A module of a formula over columns, perhaps with blocks of another size."""
    module: dict[str, Any] = gradc.compile(text, numpy=True, **options)._module
    if block is not None:
        module["BLOCK"] = block
    return module


def readings(n: int) -> tuple[Any, Any]:
    """Times and readings."""
    t = numpy.linspace(0.1, 3.0, n)
    return t, numpy.cos(3.0 * t) * numpy.exp(-0.3 * t)


def flat(found: Any) -> Any:
    """All numbers that a function returns."""
    if isinstance(found, (tuple, list)) and not all(
        isinstance(x, float) for x in found
    ):
        return numpy.concatenate([flat(part) for part in found] or [numpy.zeros(0)])
    return numpy.ravel(found)


def called(compiled: Compiled, name: str, given: Given) -> Any:
    """The numbers that a function of a module returns, None where it raises."""
    try:
        return flat(compiled._module[name](*[given[x] for x in compiled.inputs]))
    except (ArithmeticError, ValueError):
        return None


def law(seed: int, rows: Any = PLAIN) -> int:
    """Compare a random formula with the standard library; how often both had numbers."""
    random, count = Random(seed), 0
    text = Columns(random, rows).formula()
    wrt = random.choice(("a,b", "a", "b"))
    try:
        one, two = (gradc.compile(text, wrt=wrt, numpy=on) for on in (False, True))
    except GradcError as error:
        assert error.kind == "LimitMistake", text
        return 0
    for n in (1, 2, 5, 19):
        given, fixed = drawn(random, n, n), one.fixed(n)
        for name in fixed.functions:
            right = called(one, name, given)
            if right is not None and not numpy.isfinite(right).all():
                continue  # what overflows may be told
            most = 0.0 if right is None else 1e-12 * n * size(fixed, name, given)
            for block in (8192, 1, 7):
                two._module["BLOCK"] = block
                found = called(two, name, given)
                assert (found is None) == (right is None), two.source
                if found is not None:
                    assert found.shape == right.shape
                    assert abs(found - right).max(initial=0.0) <= most, two.source
                    count += 1
    return count


def test_any_formula_is_that_of_the_standard_library() -> None:
    assert sum(map(law, range(30))) > 300


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1100, 25))
def test_many_formulas_are_those_of_the_standard_library(first: int) -> None:
    rows = [row for row in NUMBERS if row.name not in COARSE]
    assert sum(law(seed, rows) for seed in range(first, first + 25)) > 200


@pytest.mark.parametrize("n", [5, 6, 12, 24, 40])
def test_any_number_of_sums_has_names(n: int) -> None:
    names = ", ".join(f"p{k}" for k in range(n))
    terms = " + ".join(f"exp(-p{k}*t)" for k in range(n))
    text = f"data t[n]; input {names}; return sum({terms})"
    one, two = (gradc.compile(text, numpy=numpy) for numpy in (True, False))
    found, right = (f.value_and_grad([0.5, 1.0], *range(n)) for f in (one, two))
    assert flat(found) == pytest.approx(flat(right), rel=1e-14)


@pytest.mark.parametrize("result", ["return r", SUMS, "return r, t, y"])
@pytest.mark.parametrize("n", [1, 7, 8, 100])
def test_the_size_of_blocks_does_not_matter(result: str, n: int) -> None:
    whole, *others = (made(DECAY + result, block) for block in (None, 1, 7, 8192))
    name = "value_and_jacobian"
    right = flat(whole[name](*readings(n), *POINT))
    for module in others:
        found = flat(module[name](*readings(n), *POINT))
        assert (abs(found - right) <= 1e-14 * n * (1.0 + abs(right))).all()


def ways(column: Any) -> list[Any]:
    """The same column as it may lie in memory."""
    n = len(column)
    table = numpy.asfortranarray(numpy.stack([column, -column, column], axis=1))
    rows = numpy.ascontiguousarray(table)
    double = numpy.zeros(2 * n)
    double[::2] = column
    fixed = column.copy()
    fixed.flags.writeable = False
    backwards = column[::-1].copy()[::-1]
    swapped = column.astype(">f8")
    return [*(table.T[0], rows[:, 0], double[::2], fixed, backwards, swapped)]


@pytest.mark.parametrize("result", ["return r", SUMS])
def test_it_does_not_matter_how_columns_lie_in_memory(result: str) -> None:
    module = made(DECAY + result)
    t, y = readings(10_001)
    right = flat(module["value_and_jacobian"](t, y, *POINT)).tobytes()
    for a, b in zip(ways(t), reversed(ways(y))):
        found = module["value_and_jacobian"](a, b, *POINT)
        assert flat(found).tobytes() == right
    found = module["value_and_jacobian"](t.tolist(), tuple(y.tolist()), *POINT)
    assert flat(found).tobytes() == right


def test_columns_of_other_numbers_are_taken_as_floats() -> None:
    module = made(DECAY + "return r")
    t = numpy.arange(1, 100)
    for kind in ("i1", "u4", "i8", "f4", "f2", ">i2"):
        found = module["value"](t.astype(kind), t.astype(kind), *POINT)
        assert found.tobytes() == module["value"](t / 1.0, t / 1.0, *POINT).tobytes()
    found = module["value"](t > 9, t / 1.0, *POINT)
    assert found.tobytes() == module["value"]((t > 9) * 1.0, t / 1.0, *POINT).tobytes()


@pytest.mark.long
@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_series_of_tables_are_columns(name: str) -> None:
    library = pytest.importorskip(name)
    module, (t, y) = made(DECAY + "return r"), readings(50)
    table = library.DataFrame({"t": t, "y": y})
    found = module["value_and_jacobian"](table["t"], table["y"], *POINT)
    right = module["value_and_jacobian"](t, y, *POINT)
    assert flat(found).tobytes() == flat(right).tobytes()


def test_two_callers_at_once_get_the_same_bytes() -> None:
    module, (t, y) = made(DECAY + "return r"), readings(30_000)
    bound = module["bind"](t, y)
    right = [flat(bound.value_and_jacobian(POINT)).tobytes()] * 4
    start = threading.Barrier(4)

    def call(_: int) -> bytes:
        start.wait()
        found: bytes = flat(bound.value_and_jacobian(POINT)).tobytes()
        return found

    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert [*pool.map(call, range(4))] == right


def test_bound_columns_give_what_the_functions_do() -> None:
    text = DECAY.replace("+ c - y", "+ c - lgamma(y + 3)")
    for result, name in (("r", "value_and_jacobian"), ("sum(r^2)", "value_and_grad")):
        module, (t, y) = made(text + "return " + result), readings(20)
        bound = module["bind"](t, y)
        right = module[name](t, y, *POINT)
        for x in (POINT, [*POINT], numpy.array(POINT)):
            assert flat(getattr(bound, name)(x)).tobytes() == flat(right).tobytes()
            assert flat(bound.value(x)).tobytes() == flat(right[0]).tobytes()
        last = bound.jacobian if "jacobian" in name else bound.grad
        assert flat(last(POINT)).tobytes() == flat(right[1]).tobytes()


def test_results_are_new_arrays_or_those_that_are_given() -> None:
    module, (t, y) = made(DECAY + "return r"), readings(20)
    bound, again = module["bind"](t, y), module["bind"](t, y, reuse=True)
    one, two = (bound.value_and_jacobian(POINT) for _ in range(2))
    assert not numpy.shares_memory(one[1], two[1])
    held = one[1][3]  # a view keeps the array that it is of
    del one, two
    other, right = bound.value_and_jacobian([0.5, *POINT[1:]])[1], held.copy()
    assert not numpy.shares_memory(held, other) and (held == right).all()
    place = other.ctypes.data
    del other
    assert bound.value_and_jacobian(POINT)[1].ctypes.data == place  # nobody holds it
    first, _ = again.value_and_jacobian(POINT)
    assert again.value_and_jacobian([0.5, *POINT[1:]])[0] is first
    assert again.value(POINT) is again.value(POINT)
    bound.value(POINT)
    place = bound.value(POINT).ctypes.data
    assert bound.value(POINT).ctypes.data == place
    assert again.jacobian(POINT) is again.jacobian(POINT)
    assert not numpy.shares_memory(bound.value(POINT), bound.value(POINT))
    out = numpy.empty(20), numpy.empty((20, 5))
    found = module["value_and_jacobian"](t, y, *POINT, out=out)
    assert found[0] is out[0] and found[1] is out[1]
    assert (out[1][3] == held).all()


TABLE = numpy.full((5, 4), numpy.nan)
FIT = numpy.full((5, 2), numpy.nan)
FROZEN = numpy.broadcast_to(numpy.nan, 5)
TAKEN = [
    (TABLE[:, 0], TABLE[:, 1:3]),
    [numpy.zeros(10)[::2], numpy.zeros((2, 5)).T],
    (numpy.ma.array(numpy.zeros(5), mask=[0, 1, 0, 0, 0]), FIT),
    None,
]
UNFIT = [
    *((numpy.zeros(5), FIT.T), (numpy.zeros(4), FIT), (numpy.zeros(6), FIT)),
    *((numpy.zeros(5, kind), FIT) for kind in ("f4", "i8", "O", "c16", ">f8")),
    *((FROZEN, FIT), (numpy.zeros((5, 1)), FIT), ([0.0] * 5, FIT), (None, FIT)),
    *((FIT[:, 0], FIT), (TABLE[:, 1], TABLE[::-1, :2])),
    *(FIT, (FIT,), (numpy.zeros(5), None, FIT), "ab", 1.0),
]


def filling(native: bool) -> list[Any]:
    """The functions that fill arrays, of a module and of what was compiled."""
    f = gradc.compile("data t[n]; input a, b; a*exp(b*t)", numpy=True, native=native)
    names = ("value_and_jacobian", "jacobian")
    return [*map(f._module.get, names), *(getattr(f, name) for name in names)]


WAYS = pytest.mark.parametrize(
    "native", [False, pytest.param(True, marks=pytest.mark.long)]
)


@WAYS
def test_arrays_that_are_given_are_filled(native: bool) -> None:
    t, both = TABLE[:, 3], (1.5, 0.5)
    t[:] = [1.0, 2.0, 3.0, 4.0, 5.0]
    for fill in filling(native):
        right = flat(fill(t, *both))
        for out in TAKEN:
            found = fill(t, *both, out=out)
            last = found[1] if isinstance(found, tuple) else found
            assert flat(found) == pytest.approx(right, rel=1e-15)
            assert out is None or numpy.shares_memory(last, out[1])


@WAYS
@pytest.mark.parametrize("out", UNFIT, ids=range(len(UNFIT)))
def test_arrays_that_do_not_fit_are_told(native: bool, out: Any) -> None:
    t, said = TABLE[::-1, 1].copy(), r"float64 of shape \(5,\) and \(5, 2\), writable"
    t[:] = 1.0
    for fill in filling(native):
        with pytest.raises(ValueError, match=said):
            fill(t, 1.5, 0.5, out=out)
        with pytest.raises(ValueError, match=said):
            fill(t, 1.5, 0.5, out=(t, numpy.zeros((5, 2))))
    assert (t == 1.0).all()


def test_one_array_is_filled_alone() -> None:
    f = gradc.compile("input s[n], a; sum(a*s^2)", numpy=True)
    out = numpy.zeros(2)
    value, (found, by_a) = f.value_and_grad([1.0, 2.0], 3.0, out=out)
    assert found is out and out.tolist() == [6.0, 12.0] and (value, by_a) == (15.0, 5.0)
    with pytest.raises(TypeError, match="out"):
        f([1.0, 2.0], 3.0, out=out)
    vars(f)["_explain"] = None  # what takes long
    with pytest.raises(ValueError, match=r"float64 of shape \(3,\), writable"):
        f.value_and_grad([1.0, 2.0, 3.0], 3.0, out=out)
    f = gradc.compile("data t[n]; input out; out*t", numpy=True)
    assert f([1.0, 2.0], out=3.0).tolist() == [3.0, 6.0]
    assert f.jacobian([1.0, 2.0], out=3.0).tolist() == [[1.0], [2.0]]


def most(call: Any) -> float:
    """How many bytes a call takes at most beyond what it returns."""
    call()
    tracemalloc.start()
    found = call()
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    return peak - kept


@pytest.mark.parametrize(
    "result", ["r", "sum(where(t > 1, r^2, abs(r))), max(r)", "r, t*a"]
)
@pytest.mark.parametrize("bound", [False, True])
def test_a_call_takes_little_memory_beside_its_results(
    result: str, bound: bool
) -> None:
    n, options = 1_000_000, {"reuse": True} if bound else {}
    text, (t, y) = f"{DECAY}return {result}", readings(n)
    f = gradc.compile(text, numpy=True)
    own: Any = f.bind(t, y, **options) if bound else None
    for name in f.functions:
        if bound:
            calls = [lambda: getattr(own, name)(POINT)]
        else:
            call = f if name == "value" else getattr(f, name)
            calls = [lambda: call(t, y, *POINT), lambda: f._module[name](t, y, *POINT)]
        for each in calls:
            assert most(each) <= 2 * n


def test_large_results_of_both_signs_are_finite() -> None:
    f = gradc.compile("data t[n]; input a; return a*t, a*t[1:]", numpy=True)
    assert f([1.7e308, -1.7e308], 1.0)[0].tolist() == [1.7e308, -1.7e308]
    assert f([1.0], 2.0)[1].tolist() == []
    for big in (1e308, -1e308):
        with pytest.raises(gradc.DomainError, match="in row 1"):
            f([1.0, big], 10.0)


ODD = ["a", b"1", None, 1j, [2.0], numpy.zeros(3), numpy.zeros(1), 10**400, {}]


@pytest.mark.parametrize("odd", ODD, ids=map(repr, ODD))
def test_what_is_no_number_is_told(odd: Any) -> None:
    text, given = "data t[n]; input a, b; a*exp(b*t)", [1.0, 2.0, 3.0]
    told = r"^b (is no number but |has shape \(\) but was given shape \()"
    with pytest.raises(ValueError, match="^b is no number but "):
        made(text, emit=("jacobian", "gram"))["bind"](given).value((1.0, odd))
    for numpy in (False, True):
        f = gradc.compile(text, numpy=numpy, emit=("jacobian", "gram"))
        for name in ("value_and_jacobian", "jacobian", "gram"):
            for call in (f._module.get(name, f), getattr(f, name)):
                with pytest.raises(ValueError, match=told):
                    call(given, 1.0, odd)


@pytest.mark.parametrize("x", [None, 1.0, [], [1.0], [1.0, 2.0, 3.0]])
def test_parameters_of_another_number_are_told(x: Any) -> None:
    module = made("data t[n]; input a, b; a*exp(b*t)", emit=("jacobian", "gram"))
    bound = module["bind"]([1.0, 2.0])
    for name in ("value", "value_and_jacobian", "jacobian", "gram"):
        with pytest.raises(TypeError, match=r"the 2 parameters \('a', 'b'\) are one"):
            getattr(bound, name)(x)


@pytest.mark.parametrize("kind", [True, False])
def test_columns_of_objects_are_named(kind: bool) -> None:
    f = gradc.compile("data t[n]; input a; a*t", numpy=kind)
    for odd in (None, "2", 1j, [1.0], object()):
        column = numpy.array([1.0, 2.0], object)
        column[1] = odd
        for call in (f, f._module["value"], f._module["value_and_jacobian"]):
            with pytest.raises(ValueError, match="^t is no column of numbers"):
                call(column, 1.0)


def test_sums_of_products_are_those_of_residual_and_jacobian() -> None:
    for n in (1, 2, 100):
        module, (t, y) = made(
            DECAY + "return r", 7, emit=("jacobian", "gram")
        ), readings(n)
        residual, jacobian = module["value_and_jacobian"](t, y, *POINT)
        both = numpy.column_stack([residual, jacobian])
        found, right = module["gram"](t, y, *POINT), both.T @ both
        assert found.shape == (6, 6)
        assert (abs(found - right) <= 1e-13 * (1.0 + abs(right))).all()
        assert (module["bind"](t, y).gram(POINT) == found).all()


def test_what_is_alike_is_in_arrays_of_its_own() -> None:
    found = made("data t[n]; input a; return r = a*t, s = a*t + 1")
    (r, s), (by_r, by_s) = found["value_and_jacobian"]([1.0, 2.0], 3.0)
    assert by_r is not by_s and by_r.tolist() == by_s.tolist() == [[1.0], [2.0]]
    assert (s - r).tolist() == [1.0, 1.0]


def test_rows_with_a_nan_are_told_or_left_out() -> None:
    module, (t, y) = made(DECAY + "return r"), readings(20)
    y[7] = numpy.nan
    with pytest.raises(ValueError, match="y is nan in row 7"):
        module["bind"](t, y)
    with pytest.raises(ValueError, match="y is nan in row 7"):
        module["value"](t, y, *POINT)
    kept = numpy.delete(t, 7), numpy.delete(y, 7)
    found = module["bind"](t, y, missing="drop").value(POINT)
    assert found.tobytes() == module["value"](*kept, *POINT).tobytes()
    with pytest.raises(ValueError, match="no row is left"):
        module["bind"](t, y * numpy.nan, missing="drop")


@pytest.mark.parametrize("block", [1, 7, 8192])
def test_an_error_tells_of_the_row(block: int) -> None:
    module = made("data t[n]; input a; return sum(a*log(t)), sum(sqrt(t - a))", block)
    t = numpy.linspace(1.0, 2.0, 40)
    assert module["value"](t, 1.0)
    t[23] = 0.0
    with pytest.raises(ArithmeticError, match="in row 23, t_? = 0.0"):
        module["value"](t, -1.0)
    with pytest.raises(ArithmeticError, match="in row 0, t_? = 1.0"):
        module["value_and_jacobian"](t, 3.0)


@pytest.mark.parametrize("column", [1.0, "ab", [1j], [[1.0]], [None], []])
def test_what_is_no_column_is_told(column: Any) -> None:
    module = made(DECAY + "return r")
    for given in ((column, [1.0]), ([1.0], column)):
        with pytest.raises(ValueError, match="^[ty] (is no column|has . rows)"):
            module["value"](*given, *POINT)
        with pytest.raises(ValueError, match="^[ty] (is no column|has . rows)"):
            module["bind"](*given)


SIDES = [
    ("where(t > 0, log(t), t)", [-1.0, 0.0, 2.0]),
    ("where(t == 0, 1, sin(t)/t)", [0.0, 1.0, -2.0]),
    ("where(t >= 0, sqrt(t), where(t > -1, log(1 + t), 1/t))", [-1.0, -0.5, 0.0, 4.0]),
    ("where(t > 0 and log(t) > 0, sqrt(log(t)), 0)", [-1.0, 0.5, 1.0, 3.0]),
    ("where(a > 0, t, log(a)*t)", [-1.0, 0.5]),
    ("where(t > 0, log(a*t), t)", [-1.0, -0.5]),
]


@pytest.mark.parametrize(("text", "t"), SIDES)
def test_a_side_is_computed_where_it_is_taken_alone(text: str, t: list[float]) -> None:
    whole = f"data t[n]; input a; return a*({text})"
    one, two = (gradc.compile(whole, numpy=on) for on in (False, True))
    for rows in (t, t[::-1], t[:1], t[-1:], t * 9):
        for name in ("value", "value_and_jacobian"):
            found, right = (flat(c._module[name](rows, 0.75)) for c in (two, one))
            assert (abs(found - right) <= 1e-15 * abs(right)).all()


def test_what_is_large_on_the_way_alone_is_no_error() -> None:
    text = "data t[n]; input a; return exp(-a*t^2), sum(1/(1 + (t^2)^2))"
    one, two = (gradc.compile(text, numpy=on) for on in (False, True))
    t = [1.0, 1e300, -1e200, 0.0]
    found, right = (flat(c._module["value"](t, 0.75)) for c in (two, one))
    assert (abs(found - right) <= 1e-15).all()
    with pytest.raises(ArithmeticError, match="row 1"):
        made("data t[n]; input a; return exp(a*t)")["value"](t, 1.0)


@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_arrays_of_error_functions_keep_their_digits(name: str) -> None:
    random = numpy.random.default_rng(1)
    parts = random.uniform(-6.0, 26.0, 500), random.uniform(-1.5, 1.5, 500)
    t = numpy.concatenate(
        [*parts, [0.0, 1e-300, -5e-324, 30.0, -1e300, 1e300, -math.inf, math.inf]]
    )
    found = made(f"data t[n]; input a; return a*{name}(t)")["value"](t, 1.0)
    for x, y in zip(t.tolist(), found.tolist()):
        right = getattr(mp, name)(mp.mpf(max(-40.0, min(x, 40.0))))
        assert abs(y - right) <= max(6e-16 * abs(right), 1e-307), x


def test_what_depends_on_data_alone_is_computed_once_for_bound_columns() -> None:
    module = made("data t[n]; input a; return sum(a*log(t) + exp(-a*t))")
    t, found = numpy.linspace(1.0, 2.0, 9), list[int]()

    class Counting:
        def __getattr__(self, name: str) -> Any:
            found.append(name == "log")
            return getattr(numpy, name)

    module["numpy"] = Counting()
    bound = module["bind"](t)
    values = [bound.value([a]) for a in (1.0, 2.0, 1.0)]
    assert sum(found) == 1 and values[0] == values[2]
    t[4] = 0.0
    for call in (lambda: module["value"](t, 1.0), lambda: module["bind"](t).value([1])):
        with pytest.raises(ArithmeticError, match="in row 4, t_? = 0.0"):
            call()


@pytest.mark.parametrize("name", ["erf", "lgamma", "digamma", "exp", "relu"])
def test_a_named_result_is_written_where_it_goes(name: str) -> None:
    text = f"data t[n]; input a; r = {name}(a*t); return r"
    t, a = [0.5, 1.5, 2.5], 1.25
    found = gradc.compile(text, numpy=True)(t, a)
    assert found.tolist() == pytest.approx(gradc.compile(text)(t, a), rel=1e-14)


def test_half_angles_keep_sixteen_decimals() -> None:
    text = "data t[n]; input a; return sin(a*t), cos(a*t), where(t > 0, cos(a*t), a)"
    plain, half = made(text), made(text, half_angle=True)
    random = numpy.random.default_rng(1)
    t = numpy.concatenate([random.uniform(-50.0, 50.0, 9_000), [0.0, numpy.pi, 1e9]])
    for name in ("value", "value_and_jacobian"):
        found, right = (flat(module[name](t, 0.7)) for module in (half, plain))
        size = 1.0 if name == "value" else 1.0 + abs(numpy.tile(t, 6).max())
        assert 0.0 < abs(found - right).max() <= 5e-16 * size


def test_half_angles_stand_in_a_short_formula() -> None:
    f = gradc.compile("data t[n]; return sin(t)", numpy=True, half_angle=True)
    assert f([0.5, 1.0]) == pytest.approx(numpy.sin([0.5, 1.0]), rel=1e-15)


@pytest.mark.parametrize("numpy", [False, True])
def test_half_angles_are_for_columns_in_numpy(numpy: bool) -> None:
    text = "input t" if numpy else "data t[n]; input a"
    with pytest.raises(GradcError, match="half angles are for formulas over columns"):
        gradc.compile(text + "; sin(t)", numpy=numpy, half_angle=True)


def test_sine_and_cosine_of_an_angle_keep_their_digits() -> None:
    module = made("data t[n]; input a; return sin(a*t), cos(a*t)")
    random = numpy.random.default_rng(1)
    t = numpy.concatenate(
        [random.uniform(-20.0, 20.0, 2_000), random.uniform(-9e5, 9e5, 500)]
        + [[k * numpy.pi / 2 for k in range(300)], [1e-300, 5e-324, -1e-9]]
    )
    for name, found in zip(("sin", "cos"), module["value"](t, 1.0)):
        with mp.workprec(150):
            for x, y in zip(t.tolist(), found.tolist()):
                right = getattr(mp, name)(mp.mpf(x))
                assert abs(y - right) <= 2.0 * math.ulp(float(right)), x
    beyond = numpy.append(t, 1e7)
    for name, found in zip(("sin", "cos"), module["value"](beyond, 1.0)):
        assert (found == getattr(numpy, name)(beyond)).all()


def test_functions_of_numbers_leave_them_as_they_are() -> None:
    text = "data t[n]; input a; sum(where(t > 1, digamma(a)*t, lgamma(a) + a))"
    one, two = gradc.compile(text), made(text, 1)
    for name in ("value", "value_and_grad"):
        found, right = (
            flat(call([2.0, 0.5, 3.0, 1.0], 0.75))
            for call in (two[name], one._module[name])
        )
        assert found.tolist() == pytest.approx(right.tolist(), rel=1e-14)


def test_several_numbers_are_bound_and_nothing_is_where_there_is_no_column() -> None:
    module = made("data t[n]; input a, b; return u = sum(t)*a, v = sum(t^2)*b")
    found = module["bind"]([1.0, 2.0], reuse=True).value_and_jacobian([2.0, 3.0])
    assert found == ((6.0, 15.0), ((3.0, 0.0), (0.0, 5.0)))
    for options in ({"columns": "v", "numpy": True}, {"numpy": True}, {}):
        f = gradc.compile("m*v^2/2", **options)
        with pytest.raises(GradcError, match="no columns to bind, or no NumPy"):
            f.bind([1.0])


def test_a_constant_in_a_side_waits_for_no_condition() -> None:
    text = "data t[n]; input a; f(x, y) = beta(x, y) if x > 0 and y > 0 else x"
    text += "; return sum(f(exp(t), e) - a*t)"
    one, two = (gradc.compile(text, numpy=on) for on in (False, True))
    assert two([0.5, -1.0], 2.0) == pytest.approx(one([0.5, -1.0], 2.0), rel=1e-14)


LAG = "data t[n], y[n]; input a; sum((y[1:] - a*y[:-1])^2) + sum(t)"
STATE = "data t[n]; input a; x[0] = a; x[i] = x[i-1]*t[i]; return x"
GROUPS = "data G[n], a[m]; input b; sum(b*a[G])"
NUMBERED = "data t[n]; input a; return [a*t[i]*i for i in range(n)]"


@pytest.mark.parametrize("text", [LAG, STATE, GROUPS, NUMBERED])
def test_rows_that_know_of_others_are_not_left_out(text: str) -> None:
    module = made(text)
    count = len(module["INPUTS"]) - 1
    module["bind"](*[[0.0, 1.0]] * count)
    with pytest.raises(ValueError, match="no row can be left out"):
        module["bind"](*[[0.0, 1.0]] * count, missing="drop")


def test_rows_in_groups_may_be_left_out() -> None:
    bound = made("data y[n], G[n], c; input a[m]; c*sum(y*a[G])")["bind"]
    kept = bound([1.0, math.nan, 3.0], [0.0, 1.0, 1.0], 1.0, missing="drop")
    assert kept.value([[2.0, 5.0]]) == 17.0


@pytest.mark.parametrize("column", [1.0, None, numpy.array(1.0)])
def test_what_is_certified_over_no_column_is_told(column: Any) -> None:
    f = gradc.compile("data t[n]; input a; sum(log(a)*t)")
    with pytest.raises(ValueError, match="t is no column of numbers"):
        f.certified(column, 2.0)


REFUSED = [
    (numpy.ma.array([1.0, 2.0], mask=[0, 1]), "no column of numbers .* masked"),
    ([[1.0], [2.0, 3.0]], "the rows of t differ in shape"),
    ([10**400], "no column of numbers"),
    ([], "t has 0 rows, but one is needed"),
]


@pytest.mark.parametrize(("column", "told"), REFUSED)
def test_columns_that_are_refused_are_named(column: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        made("data t[n]; input a; sum(a*t)")["value"](column, 1.0)
    with pytest.raises(ValueError, match='missing is "raise" or "drop", not .dorp.'):
        made("data t[n]; input a; sum(a*t)")["bind"]([1.0], missing="dorp")


@pytest.mark.parametrize(
    "name", "self missing reuse given dict t_s n_bound x WRT bind Checked found".split()
)
@pytest.mark.parametrize("kind", [False, True])
def test_any_name_may_be_bound(name: str, kind: bool) -> None:
    for text in (f"data {name}[n]; input a", f"data a[n]; input {name}"):
        text = f"{text}; return a*exp({name})"
        f = gradc.compile(text, emit="jacobian,bind", numpy=kind)
        assert numpy.shape(f.bind([0.0, 1.0]).jacobian([1.0])) == (2, 1)
        with pytest.raises(
            TypeError, match="the 1 parameters .'(a|" + name + ")',. are"
        ):
            f.bind([0.0, 1.0]).value([])


def test_what_goes_along_with_an_array_of_rows_is_bound_and_returned() -> None:
    module = made("data X[n,2]; input a; return a*X, a*sum(X)")
    X = [[1.0, 2.0], [3.0, 4.0]]
    _, (rows, numbers) = module["value_and_jacobian"](X, 2.0)
    assert rows.tolist() == [[[1.0], [2.0]], [[3.0], [4.0]]] and numbers == (10.0,)
    bound = made("data t[n]; input w[2]; return w[0]*sum(t), w[1]*mean(t)")["bind"]
    assert bound([1.0, 3.0]).jacobian([1.0, 2.0]) == ((4.0, 0.0), (0.0, 2.0))
    bound = made("data t[n]; input s[n], a; return a*s^2*t", wrt="a,s")["bind"]
    with pytest.raises(ValueError, match="t is not bound alone: s has as many rows"):
        bound([1.0])
    bound = made("data t[n]; input A[m,2], b; b*sum(A)*sum(t)")["bind"]([1.0])
    value, found = bound.value_and_grad([[[1.0, 2.0], [3.0, 4.0]], 5.0])
    assert value == 50.0 and found.tolist() == [5.0, 5.0, 5.0, 5.0, 10.0]


@pytest.mark.parametrize("result", ["prod(1 + a*t/10)", "sum(a*t)"])
@pytest.mark.parametrize("block", [7, 8192])
def test_what_overflows_over_rows_is_no_fault_of_a_row(result: str, block: int) -> None:
    text, t = f"data t[n]; input a; {result}", [1e305] * 9_000
    assert made(text, block)["value"](t, 1.0) == math.inf
    assert gradc.compile(text)._module["value"](t, 1.0) == math.inf


def test_a_sum_without_a_value_of_rows_that_have_one_is_told() -> None:
    text, t, y = "data t[n], y[n]; input a; sum(a*t*y)", [1.5e308] * 16, [1.0, -1.0]
    for name in ("value", "value_and_grad"):  # inf - inf
        try:
            found = flat(made(text)[name](t, y * 8, 1.0))
        except FloatingPointError as error:
            assert "invalid" in str(error)
        else:  # not all builds of NumPy tell of products
            assert not numpy.isfinite(found[0])


KINDS = [
    *(DECAY + "return r", DECAY + SUMS, LAG, STATE, GROUPS, NUMBERED),
    "data X[n, 2]; input a; return a*X, a*sum(X)",
    "data y[n], G[n]; input a[m]; sum(log(a[G])*y)",
    "data t[n]; input a; return sin(a*t), where(t > 0, cos(a*t), erf(lgamma(t)*a))",
    "input s[n]; return s^2, max(s)",
]


@pytest.mark.long
def test_modules_are_in_the_layout_of_black_and_import_what_they_use() -> None:
    black = pytest.importorskip("black")
    for text in KINDS:
        for options in ({}, {"emit": ("jacobian", "gram")}):
            try:
                source = gradc.compile(text, numpy=True, **options).source
            except GradcError:
                continue
            own = source.replace("# fmt: off  # ruff: noqa\n", "")
            assert black.format_str(own, mode=black.Mode()) == own
            code = own.split('"""\n', 1)[1]
            for line in re.findall(r"^from \S+ import (.*)", code, re.MULTILINE):
                for name in line.split(", "):
                    assert len(re.findall(rf"(?<!numpy\.)\b{name}\b", code)) > 1, name


@pytest.mark.long
def test_mypy_accepts_modules(tmp_path: Path) -> None:
    for k, text in enumerate(KINDS):
        gradc.compile(text, numpy=True).save(tmp_path / f"m{k}.py")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "."]
    subprocess.run(command, check=True, cwd=tmp_path)
