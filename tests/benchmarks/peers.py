"""Other tools on the same formulas, those that happen to be installed.

Every peer gets the formula's own lines as a Python function over its kind of number and
builds value and gradient in its own way, once; only the call at a point is timed,
interleaved with the generated function. A peer that cannot express a formula, or would
take minutes to build it, has an empty cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tests.benchmarks.case import Case, Function, agree, load
from tests.benchmarks.cases import CASES
from tests.benchmarks.clock import race
from tests.benchmarks.report import Table

SYMBOLIC = 150  # operations beyond which SymPy's expressions take minutes
TRACED = 1500  # and JAX's compiler
DEFINITION = re.compile(r"^(\w+\([\w, ]*\)) = ")

Builder = Callable[[Case], Function]


def as_python(case: Case, names: dict[str, Any]) -> Function:
    """The formula's lines as a Python function, over the names it may call."""
    inputs = [item.name for item in case.generated.program.inputs]
    lines = case.formula.replace("^", "**").split("\n")
    lines = [line for line in lines if not line.startswith(("input ", "data "))]
    lines = [DEFINITION.sub(r"def \1: return ", line) for line in lines]
    body = "".join(f"    {line}\n" for line in lines[:-1])
    text = f"def f({', '.join(inputs)}):\n{body}    return {lines[-1]}\n"
    found: Function = load(text, {"pi": math.pi, **names})["f"]
    return found


def positions(case: Case) -> list[int]:
    """Where the inputs with a derivative stand among the arguments."""
    inputs = case.generated.program.inputs
    return [k for k, item in enumerate(inputs) if item.kind == "input"]


def operations(case: Case) -> int:
    return sum(case.formula.count(sign) for sign in "+-*/^")


def elementary(module: Any) -> dict[str, Any]:
    """The functions that every library calls by the same name."""
    names = ("exp", "log", "sqrt", "sin", "cos", "tanh")
    return {name: getattr(module, name) for name in names}


def value(case: Case) -> Function:
    """gradc's own run-time engine."""
    from gradc import OPS, Value, where

    def lifted(name: str) -> Function:
        method = getattr(Value, name)
        return lambda x, *rest: method(x if isinstance(x, Value) else Value(x), *rest)

    names = {op.name: lifted(op.name) for op in OPS if hasattr(Value, op.name)}
    return _backward(case, Value, {**names, "where": where})


def micrograd(case: Case) -> Function:
    kind = import_module("micrograd.engine").Value
    names = {
        "sqrt": lambda x: x**0.5,
        "exp": lambda x: x.exp(),
        "tanh": lambda x: x.tanh(),
        "relu": lambda x: x.relu(),
    }
    both = _backward(case, kind, names)
    try:
        both(*case.points(1)[0])
    except AssertionError as error:  # it asserts that an exponent is a number
        raise NotImplementedError(f"{error}") from None
    return both


def _backward(case: Case, kind: Any, names: dict[str, Any]) -> Function:
    function, wanted = as_python(case, names), positions(case)

    def run(*args: float) -> Any:
        leaves = [kind(x) for x in args]
        out = function(*leaves)
        out.backward()
        return out.data, [leaves[k].grad for k in wanted]

    return run


def autograd(case: Case) -> Function:
    np = import_module("autograd.numpy")
    names = {
        **elementary(np),
        "erf": import_module("autograd.scipy.special").erf,
        "relu": lambda x: x if x > 0.0 else 0.0 * x,
        "softplus": lambda x: np.logaddexp(0.0, x),
    }
    differentiate = import_module("autograd").value_and_grad
    both: Function = differentiate(as_python(case, names), positions(case))
    return both


def jax(case: Case) -> Function:
    """JAX's compiled function, all numbers in and out in one array."""
    if operations(case) > TRACED:
        raise NotImplementedError("too long to build")
    jax, numpy = import_module("jax"), import_module("numpy")
    jax.config.update("jax_enable_x64", True)
    np = jax.numpy
    names = {
        **elementary(np),
        "erf": jax.scipy.special.erf,
        "relu": jax.nn.relu,
        "softplus": jax.nn.softplus,
    }
    function = jax.value_and_grad(as_python(case, names), positions(case))

    def packed(point: Any) -> Any:
        out, gradient = function(*point)
        return np.stack([out, *gradient])

    compiled = jax.jit(packed)

    def run(*args: float) -> Any:
        out, *gradient = compiled(numpy.array(args)).tolist()
        return out, gradient

    return run


def casadi(case: Case) -> Function:
    """CasADi's virtual machine by its fastest way in and out, a buffer."""
    casadi, numpy = import_module("casadi"), import_module("numpy")
    names = {
        **elementary(casadi),
        "erf": casadi.erf,
        "relu": lambda x: casadi.fmax(x, 0.0),
        "softplus": lambda x: casadi.logsumexp(casadi.vertcat(0.0, x)),
    }
    inputs = [casadi.SX.sym(item.name) for item in case.generated.program.inputs]
    out = as_python(case, names)(*inputs)
    wanted = casadi.vertcat(*[inputs[k] for k in positions(case)])
    results = casadi.vertcat(out, casadi.gradient(out, wanted))
    buffer, call = casadi.Function("f", [casadi.vertcat(*inputs)], [results]).buffer()
    point, found = numpy.zeros(len(inputs)), numpy.zeros(1 + len(positions(case)))
    buffer.set_arg(0, memoryview(point))
    buffer.set_res(0, memoryview(found))

    def run(*args: float) -> Any:
        point[:] = args
        call()
        result, *gradient = found.tolist()
        return result, gradient

    run.keep = buffer  # type: ignore[attr-defined]  # the call borrows it
    return run


def sympy(case: Case) -> Function:
    """Derivatives by SymPy, common subexpressions shared, as a Python function."""
    if operations(case) > SYMBOLIC:
        raise NotImplementedError("too long to build")
    sympy = import_module("sympy")
    names = {
        **elementary(sympy),
        "erf": sympy.erf,
        "softplus": lambda x: sympy.log(1 + sympy.exp(x)),
    }
    symbols = [sympy.Symbol(item.name) for item in case.generated.program.inputs]
    out = as_python(case, names)(*symbols)
    wanted = [sympy.diff(out, symbols[k]) for k in positions(case)]
    function = sympy.lambdify(symbols, [out, *wanted], modules="math", cse=True)

    def run(*args: float) -> Any:
        result, *gradient = function(*args)
        return result, gradient

    return run


PEERS: dict[str, Builder] = {
    "sympy": sympy,
    "casadi": casadi,
    "jax": jax,
    "autograd": autograd,
    "micrograd": micrograd,
    "gradc": value,
}
HEADINGS = {"gradc": "Value"}


@dataclass(frozen=True)
class Row:
    """A case: how many times as long as the generated function each peer takes."""

    name: str
    ratios: dict[str, float]


def measured(quick: bool) -> list[Row]:
    installed = {name: peer for name, peer in PEERS.items() if find_spec(name)}
    batches = 5 if quick else 15
    return [_row(case, installed, batches) for case in CASES]


def _row(case: Case, peers: dict[str, Builder], batches: int) -> Row:
    points = case.points(4)
    ours = load(case.generated.source, {"__name__": "generated"})["value_and_grad"]
    ratios = {}
    for name, peer in peers.items():
        try:
            function = peer(case)
            result = function(*points[0])
        except (AttributeError, NameError, NotImplementedError, TypeError):
            continue  # the peer lacks an operation of this formula
        assert agree(result, ours(*points[0]), 1e-8), (case.name, name)
        ratios[name] = race(function, ours, points, batches).ratio
    return Row(case.name, ratios)


def table(rows: list[Row]) -> Table:
    names = [name for name in PEERS if any(name in row.ratios for row in rows)]
    lines = [
        [row.name, *(_cell(row.ratios[n]) if n in row.ratios else "" for n in names)]
        for row in rows
    ]
    return Table(
        "Time of a call, as a multiple of the generated function's",
        ["case", *(HEADINGS.get(name, name) for name in names)],
        lines,
        ["Below 1 the peer is faster. Building is not counted, only calls."],
    )


def _cell(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 9.995 else f"{ratio:.0f}"
