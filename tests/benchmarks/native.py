"""Extensions: value and gradient against an expert's extension, CasADi's C, and Python.

The expert's lines are those of Python, written in C behind `PyFloat_AsDouble` and one test
with `isfinite`. CasADi's C is built with -O3 and called through its buffers, in the fastest
way known here: `struct` fills and reads them. Its call alone, with the same numbers each
time and none read, is shown behind.
"""

from __future__ import annotations

import ast
import importlib.util
import math
import os
import struct
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import gradc
from gradc.spelling import C, SIGNS
from gradc.targets.bodies import copies, functions
from gradc.targets.native import compiler
from tests.benchmarks.cases import READ, Case, agree, load
from tests.benchmarks.clock import race
from tests.benchmarks.generated import LOOSE
from tests.benchmarks.javascript import _HYPOT, _length

EXPERT, CASADI, PYTHON = 1.05, 1.0, 2.5  # at most, at most, at least
_TEXT = """
#include <Python.h>
#include <math.h>
{bodies}
static PyObject *called(PyObject *self, PyObject *const *args_, Py_ssize_t n_) {{
    (void)self;
    if (n_ != {count}) {{
        PyErr_SetString(PyExc_TypeError, "another number of arguments");
        return NULL;
    }}
    {takes}
    if (PyErr_Occurred()) return NULL;
    {lines}
    double value_ = {value}, slopes_[] = {{{slopes}}};
    if (!isfinite(value_)) {{
        PyErr_SetString(PyExc_ValueError, "math domain error");
        return NULL;
    }}
    PyObject *gradient_ = PyTuple_New({wrt}), *found_ = PyTuple_New(2);
    if (!gradient_ || !found_) return NULL;
    for (int k_ = 0; k_ < {wrt}; k_++)
        PyTuple_SET_ITEM(gradient_, k_, PyFloat_FromDouble(slopes_[k_]));
    PyTuple_SET_ITEM(found_, 0, PyFloat_FromDouble(value_));
    PyTuple_SET_ITEM(found_, 1, gradient_);
    return found_;
}}
static PyMethodDef methods[] = {{
    {{"called", (PyCFunction)(void (*)(void))called, METH_FASTCALL, NULL}}, {{0}}}};
static PyModuleDef module = {{PyModuleDef_HEAD_INIT, "_expert", NULL, -1, methods}};
PyMODINIT_FUNC PyInit__expert(void) {{ return PyModule_Create(&module); }}
"""


class _Powers(ast.NodeTransformer):
    """Makes calls of powers, as C has them."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        args = [self.visit(node.left), self.visit(node.right)]
        if isinstance(node.op, ast.Pow):
            return ast.Call(ast.Name("pow"), args, [])
        return ast.BinOp(args[0], node.op, args[1])


def expert(case: Case, folder: Path) -> Callable[..., Any] | None:
    """The expert's lines as an extension, None if there are branches in them."""
    tree = _Powers().visit(ast.parse(_HYPOT.sub(_length, "\n".join(case.expert))))
    called = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    lines, known, told = list[str](), set[str](), dict[str, Any]()
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                word = "" if name in known else "double "
                known.add(name)
                lines.append(f"{word}{name} = {C.written(value)};")
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                lines.append(f"{name} {SIGNS[type(op).__name__]}= {C.written(value)};")
            case ast.Return(value=ast.Tuple(elts=[value, ast.Tuple(elts=slopes)])):
                told["value"], told["wrt"] = C.written(value), len(slopes)
                told["slopes"] = ", ".join(map(C.written, slopes))
            case _:  # a branch
                return None
    inputs = case.compiled.inputs
    takes = [
        f"double {x} = PyFloat_AsDouble(args_[{k}]);" for k, x in enumerate(inputs)
    ]
    told |= {"takes": "\n    ".join(takes), "lines": "\n    ".join(lines)}
    bodies = copies(called & functions().keys() - C.functions.keys(), C)
    text = _TEXT.format(bodies="\n".join(bodies), count=len(inputs), **told)
    source, target = folder / "expert.c", folder / "_expert.so"
    source.write_text(text)
    include = f"-I{sysconfig.get_paths()['include']}"
    flags = ["-O3", "-DNDEBUG", "-fno-math-errno", "-shared", "-fPIC", include]
    words = [*compiler(), *flags, str(source), "-o", str(target), "-lm"]
    subprocess.run(words, check=True)
    spec = importlib.util.spec_from_file_location("_expert", target)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = module.called
    return found


def buffers(case: Case, folder: Path) -> tuple[Any, Any] | None:
    """CasADi's C with numbers in and out, and its call alone; None if it has none."""
    try:
        import casadi
        import numpy
    except ImportError:
        return None
    own: Any = {x: getattr(casadi, x) for x in dir(casadi) if hasattr(math, x)}
    own |= {"hypot": lambda *xs: casadi.sqrt(sum(x * x for x in xs))}
    own |= {"erfc": lambda x: 1 - casadi.erf(x), "pow": lambda x, y: x**y}
    plain = gradc.compile(case.formula, emit="value", strict=True)
    scope = load(plain.source)
    scope |= {name: x for name, x in own.items() if name in scope}
    symbols = [casadi.SX.sym(name) for name in case.compiled.inputs]
    try:
        value = scope["value"](*symbols)
    except Exception:  # a branch, or a function that CasADi has not
        return None
    slopes = casadi.gradient(value, casadi.vertcat(*symbols))
    function = casadi.Function("f", [casadi.vertcat(*symbols)], [value, slopes])
    given, found = numpy.zeros(len(symbols)), numpy.zeros(1 + len(symbols))
    call = built(function, [given], [found[:1], found[1:]], folder)
    fill = partial(struct.Struct(f"{len(symbols)}d").pack_into, memoryview(given), 0)
    read = partial(struct.Struct(f"{1 + len(symbols)}d").unpack, memoryview(found))

    def called(*point: float) -> Any:
        fill(*point)
        call()
        return read()

    return called, call


def built(
    function: Any, given: Sequence[Any], found: Sequence[Any], folder: Path
) -> Callable[[], Any]:
    """A call of a function of CasADi in C, from arrays into arrays."""
    import casadi

    here = os.getcwd()
    try:
        os.chdir(folder)
        function.generate("casadi.c")
        flags = ["-O3", "-shared", "-fPIC"]
        words = [compiler()[0], *flags, "casadi.c", "-o", "casadi.so", "-lm"]
        subprocess.run(words, check=True)
        external = casadi.external(function.name(), str(folder / "casadi.so"))
    finally:
        os.chdir(here)
    buffer, call = external.buffer()
    for k, x in enumerate(given):
        buffer.set_arg(k, memoryview(x))
    for k, x in enumerate(found):
        buffer.set_res(k, memoryview(x))
    return lambda kept=(buffer, given, found): call()  # which are there as long


def measured(case: Case, batches: int) -> dict[str, float]:
    """Ratios of times: ours to the expert's, ours to CasADi's, and Python's to ours."""
    native = gradc.compile(case.formula, native=True)
    assert not native.notes or "compiler" not in native.notes[-1], native.notes
    ours, points = native.value_and_grad, case.points(16)
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if theirs := expert(case, folder):
            for point in points:
                assert agree(ours(*point), theirs(*point), 1e-7), (case.name, point)
            found["expert"] = race(ours, theirs, points, batches).ratio
        found["python"] = race(case.generated, ours, points, batches).ratio
        if pair := buffers(case, folder):
            called, call = pair
            value, slopes = ours(*points[0])
            near = partial(math.isclose, rel_tol=1e-6, abs_tol=1e-9)
            if all(
                map(near, called(*points[0]), (value, *slopes))
            ):  # else digits are lost
                found["casadi"] = race(ours, called, points, batches).ratio
                own = partial(ours, *points[0])
                found["alone"] = race(own, call, [()], batches).ratio
    return found


def run(batches: int) -> None:
    """Print a line for each case, and the geometric means."""
    print(
        "\nextensions: time / expert's; Python's / ours; ours / CasADi's, / its call alone"
    )
    means: dict[str, list[float]]
    means = {"expert": [], "python": [], "casadi": [], "alone": []}
    for case in READ:
        found = measured(case, batches)
        for key, ratio in found.items():
            means[key].append(ratio)
        limit = LOOSE.get(case.name, EXPERT)
        bad = found.get("expert", 0) > limit or found.get("casadi", 0) > CASADI
        mark = "  ABOVE" if bad or found["python"] < PYTHON else ""
        texts = [f"{found[k]:6.2f}" if k in found else "     -" for k in means]
        print(*texts, f" {case.name}{mark}", flush=True)
    texts = [f"{geometric_mean(xs):6.2f}" if xs else "     -" for xs in means.values()]
    print(*texts, " geometric mean")
