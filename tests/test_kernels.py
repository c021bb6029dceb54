"""Columns in C: loops that compute what those of Python do."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.compiler import Compiled
from gradc.errors import GradcError
from gradc.ir import trimmed
from gradc.targets.c import Source
from gradc.targets.columns import columns_of
from gradc.targets.kernels import parts_of
from tests.strategies import COARSE, NUMBERS, Columns
from tests.test_columns import PLAIN, called, drawn, size

LOOPS = [
    "data t[n], y[n]; input a, b; sum((a*exp(-b*t) - y)^2)/(n + 2)",
    "data t[n]; input a; return r = t*a - mean(a^2*t)",
    "data X[n, 2], y[n]; input w[2], s[n]; m = X @ w; sum(log(1 + exp(m)) - y*m*s)",
    "data t[n]; input a; sum(where(t > a, log(t + 4), t*a))",
    "data t[n]; input a; (t[1:] - t[:-1])*a",
    "data t[n]; input a; sum(t[1:]*t[:-1]*a) + t[-1]*t[0] + n",
    "data g[n], y[n]; input c[m]; sum((c[g] - y)^2)",
    "input t[n], y[n]; max(t*y) - min(exp(-t)) + prod(1 + y/n)",
    "data X[n, 2]; input w[2], b; return r = X @ w + b, q = mean(X @ w)^2",
    "data t[n]; input a; [0*t[i] + i*a for i in range(n)]",
    "data t[n]; input a; u = sin(a*t); w = sin(a*t); return u, w",
    "data t[n]; input a; sum(cbrt(a*t))",
]
REFUSED = {
    "data y[n]; input a; h[0] = 1; h[i] = a*h[i - 1] + y[i]; sum(h)": "states",
    "data g[n]; input a[m]; exp(sum(a[g])) + sum(a)": "sums by groups",
    "data g[n], x[m, 2]; input a; sum(a*x[g, 1])": "rows of several",
    "data g[n], t[n]; input a; sum(a*t[1:][0*g[i]] for i in range(n))": "or other ones",
}
STRICT = "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -ffp-contract=off"
FAST = "-O3 -fopenmp-simd -fno-math-errno -fno-tree-sink -DGRADC_SIMD"
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")


@pytest.mark.parametrize("text", REFUSED)
def test_what_would_need_columns_of_its_own_is_refused(text: str) -> None:
    with pytest.raises(GradcError, match=REFUSED[text]):
        gradc.compile(text).text("c")


class Library:
    """Formulas over columns in one shared library."""

    def __init__(self, formulas: Sequence[Compiled], folder: Path, flags: str) -> None:
        self.formulas, self.sources = formulas, list[Source]()
        files = list[Path]()
        for k, one in enumerate(formulas):
            functions = [*one.functions.values()]
            self.sources.append(Source(functions, one.wrt, one.origin, f"f{k}"))
            files.append(folder / f"f{k}.c")
            files[-1].write_text(self.sources[-1].text(), encoding="utf-8")
        made = folder / "library.so"
        command = ["gcc", *flags.split(), "-shared", "-fPIC", *map(str, files)]
        ran = subprocess.run(
            [*command, "-o", made, "-lm"], capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
        self.functions = ctypes.CDLL(str(made))

    def numbers(self, k: int, name: str, given: Any) -> list[float]:
        """The numbers that a function of a formula returns, as Python nests them."""
        kernel = next(x for x in self.sources[k].made if x.name == name)
        call = getattr(self.functions, f"f{k}_{name}")
        is_number = kernel.head.kind == "double"
        call.restype = ctypes.c_double if is_number else None
        sizes = {x: len(given[items[0].name]) for x, items in kernel.tables.items()}
        args: list[Any] = [ctypes.c_size_t(sizes[x]) for x in kernel.sizes]
        for _, item in kernel.takes:
            own = [float(x) for x in leaves(given[item.name])]
            is_one = not item.shape and not item.elements[0].rows
            array = (ctypes.c_double * len(own))(*own)
            args.append(ctypes.c_double(own[0]) if is_one else array)
        filled = list[Any]()
        for _, part in parts_of(kernel)[is_number:]:
            columns = [*columns_of(part)]
            counts = [sum(not x.length for x in columns)]
            for column in [x for x in columns if x.length]:
                base, cut = trimmed(column.length)
                counts.append(len(column) * (sizes[base] - cut))
            counts = counts if counts[0] else counts[1:]
            filled += [(ctypes.c_double * n)(*[0.5] * n) for n in counts]
        value = call(*args, *filled)
        arrays, found = iter(filled), list[float]()
        for k, (_, part) in enumerate(parts_of(kernel)):
            entries = [*columns_of(part)]
            is_value = k == 0 and is_number
            is_filled = not is_value and any(not x.length for x in entries)
            numbers = iter(next(arrays) if is_filled else [value])
            for entry in entries:
                if entry.length:
                    found += by_rows(next(arrays), len(entry))
                else:
                    found.append(next(numbers))
        return found


def by_rows(array: Sequence[float], count: int) -> Iterator[float]:
    """So many entries for all rows, one after the other, row by row."""
    rows = len(array) // count
    return (array[j * rows + k] for k in range(rows) for j in range(count))


def same(library: Library, given: Any) -> int:
    """Compare with Python; how many functions have numbers."""
    count = 0
    for k, compiled in enumerate(library.formulas):
        for name in compiled.functions:
            right = called(compiled, name, given)
            if right is None:
                continue
            found = library.numbers(k, name, given)
            n = max(map(len, (x for x in given.values() if isinstance(x, list))))
            most = 1e-11 * (n + 1) * size(compiled.fixed(n), name, given)
            assert len(found) == len(right), compiled.formula
            pairs = [*zip(found, right)]
            assert all(abs(x - y) <= most for x, y in pairs), (compiled.formula, pairs)
            count += 1
    return count


@pytest.mark.long
@needs_gcc
@pytest.mark.parametrize("flags", [STRICT, f"{STRICT} {FAST}"], ids=["plain", "simd"])
def test_loops_in_c_compute_what_those_of_python_do(flags: str, tmp_path: Path) -> None:
    library = Library([gradc.compile(text) for text in LOOPS], tmp_path, flags)
    random = Random(3)
    for n in (2, 3, 17):
        given = {**drawn(random, n, n), "g": [float(k % n) for k in range(n)]}
        given |= {"w": [0.5, -1.5], "c": given["u"]}
        assert same(library, given) == 2 * len(LOOPS)


def formulas(seeds: Iterator[int]) -> Iterator[Compiled]:
    """Random formulas over columns."""
    rows = [row for row in NUMBERS if row.name not in COARSE]
    for seed in seeds:
        random = Random(seed)
        text = Columns(random, rows if seed % 2 else PLAIN).formula()
        try:
            compiled = gradc.compile(text, wrt=random.choice(("a,b", "a", "b")))
            compiled.text("c")
        except GradcError:  # limits, and rows that C has not
            continue
        yield compiled


@pytest.mark.long
@needs_gcc
def test_random_formulas_over_columns_are_those_of_python(tmp_path: Path) -> None:
    found = [*formulas(iter(range(3000, 3060)))]
    library, random = Library(found, tmp_path, f"{STRICT} {FAST}"), Random(5)
    assert sum(same(library, drawn(random, n, n)) for n in (1, 2, 9)) > 120


WITH_NUMPY = [
    *LOOPS,
    "data y[n]; input a, b; h[0] = b; h[i] = a*h[i - 1] + y[i]; sum(h*y)",
    "data g[n], y[n]; input c[m]; sum(exp(sum(c^2)) * c[g] * y)",
    "data t[n], y[n]; input double, k; sum((double*t - k*y - gamma(t + 9))^2)",
]


@pytest.mark.long
@needs_gcc
@pytest.mark.parametrize("text", WITH_NUMPY)
def test_an_extension_computes_what_numpy_does(text: str, own_cache: None) -> None:
    plain = gradc.compile(text, numpy=True)
    native = gradc.compile(text, numpy=True, native=True)
    assert native.notes == plain.notes
    random = Random(4)
    for n in (1, 2, 7, 20_000):
        given = {**drawn(random, n, n), "g": [float(k % n) for k in range(n)]}
        given |= {"w": [0.5, -1.5], "c": given["u"], "double": 2.0, "k": -1.0}
        for name in plain.functions:
            right, found = called(plain, name, given), called(native, name, given)
            assert (right is None) == (found is None)
            if right is None:
                continue
            size = max(map(abs, right), default=1.0)
            assert found == pytest.approx(right, rel=1e-11, abs=1e-15 * n * size)


@pytest.mark.long
@needs_gcc
@pytest.mark.parametrize(
    "text", ["data X[n, 2, 3]; input a, b; a*X + b*X^2", "data t[n]; input a, b; a*t^b"]
)
def test_an_extension_fills_what_it_is_given(text: str, own_cache: None) -> None:
    numpy = pytest.importorskip("numpy")
    given = numpy.linspace(0.5, 2.0, 30).reshape(5, 2, 3)
    given = given if "X" in text else given[:, 0, 0]
    for native in (False, True):
        f = gradc.compile(text, numpy=True, native=native)._module["value_and_jacobian"]
        right = f(given, 2.0, 1.5)
        lies: list[Callable[[Any], Any]] = [
            lambda x: numpy.full(x.shape, numpy.nan),
            lambda x: numpy.full(x.shape[::-1], numpy.nan).T,
            lambda x: numpy.full((2 * len(x), *x.shape[1:]), numpy.nan)[::-2],
            lambda x: numpy.full((*x.shape, 2), numpy.nan)[..., 1],
        ]
        for lie in lies:
            out = tuple(map(lie, right))
            assert f(given, 2.0, 1.5, out=out) is not None
            for x, y in zip(out, right):
                assert x == pytest.approx(y, rel=1e-14)


@pytest.mark.long
@needs_gcc
def test_an_extension_tells_of_rows_as_numpy_does(own_cache: None) -> None:
    text = "data t[n], g[n]; input a[m]; log(t)*a[g]"
    said = list[str]()
    for t, g in (([1.0, -2.0], [0.0, 0.0]), ([1.0, 2.0], [0.0, 5.0]), ([1.0], [])):
        for native in (False, True):
            compiled = gradc.compile(text, numpy=True, native=native)
            with pytest.raises(ValueError) as caught:
                compiled(t, g, [3.0])
            said.append(str(caught.value))
    assert said[::2] == said[1::2]


@pytest.mark.long
@needs_gcc
def test_fits_with_an_extension_are_those_without(own_cache: None) -> None:
    t = [k / 10 for k in range(50)]
    data = {
        "t": t,
        "y": [2.0 * 2.718 ** (-0.7 * x) + 0.01 * (-1) ** k for k, x in enumerate(t)],
    }
    text, start = "data t[n], y[n]; input a, b; residual = a*exp(-b*t) - y", {
        "a": 1,
        "b": 1,
    }
    found, right = (
        gradc.fit(text, data, start, native=x).as_dict() for x in (True, False)
    )
    for name in "ab":
        for what in ("value", "se"):
            pair = (one["estimates"][name][what] for one in (found, right))
            assert next(pair) == pytest.approx(next(pair), rel=1e-9)


def test_over_columns_an_extension_goes_with_numpy() -> None:
    with pytest.raises(GradcError, match="give numpy, too"):
        gradc.compile("data t[n]; input a; sum(a*t)", native=True)
