"""Columns: what `--numpy` writes against JAX and NumPy by hand, whole fits, and loops.

JAX is the better of what its users write (jit, 64 bits), on the one core of the process.
"""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.benchmarks.clock import race

COSINE = """data t[n], y[n]
input a, b, f, phi, c
return residual = a*exp(-b*t)*cos(2*pi*f*t + phi) + c - y"""
POISSON = """data u[n], v[n], w[n], y[n]
input b0, b1, b2, b3
eta = b0 + b1*u + b2*v + b3*w
return loglik = sum(y*eta - exp(eta) - lgamma(y + 1))"""
OPTION = """input S[n], K[n], T[n], r[n], v[n]
d1 = (log(S/K) + (r + v^2/2)*T)/(v*sqrt(T))
d2 = d1 - v*sqrt(T)
return call = S*normcdf(d1) - K*exp(-r*T)*normcdf(d2)"""
CAMERA = """input r1{0}, r2{0}, r3{0}, C1{0}, C2{0}, C3{0}, f{0}, u0{0}, v0{0}, k1{0}, k2{0}
input X1[n], X2[n], X3[n]
data o1[n], o2[n]
p = [X1 - C1, X2 - C2, X3 - C3]
theta = sqrt(r1^2 + r2^2 + r3^2)
w1 = r1/theta
w2 = r2/theta
w3 = r3/theta
p1 = X1 - C1
p2 = X2 - C2
p3 = X3 - C3
t = (w1*p1 + w2*p2 + w3*p3)*(1 - cos(theta))
q1 = p1*cos(theta) + (w2*p3 - w3*p2)*sin(theta) + w1*t
q2 = p2*cos(theta) + (w3*p1 - w1*p3)*sin(theta) + w2*t
q3 = p3*cos(theta) + (w1*p2 - w2*p1)*sin(theta) + w3*t
a = q1/q3
b = q2/q3
s = a^2 + b^2
l = 1 + k1*s + k2*s^2
return (f*a*l + u0 - o1)^2 + (f*b*l + v0 - o2)^2""".replace(
    "p = [X1 - C1, X2 - C2, X3 - C3]\n", ""
)
RATE = """data S[n], y[n]
input V, Km, Ki
return residual = V*S/(Km + S + S^2/Ki) - y"""
POINT = [2.0, 0.3, 0.8, 0.4, 0.5]
SMALL = {500: "500", 10_000: "1e4", 100_000: "1e5", 1_000_000: "1e6"}

RANGES = {  # between which columns are drawn, else between 1/2 and 1
    **{"S": (80.0, 120.0), "K": (80.0, 120.0), "r": (0.0, 0.05), "v": (0.1, 0.4)},
    **{"X3": (4.0, 6.0), "o1": (-0.5, 0.5), "o2": (-0.5, 0.5), "y": (0.0, 2.0)},
}

Call = Callable[[], Any]
Line = tuple[str, Call, Call, float]  # what, ours, the peer's, times as fast at least


def cosine(numpy: Any, n: int) -> tuple[Any, Any, Call]:
    """Times, readings, and residual and Jacobian as an expert writes them in NumPy."""
    t = numpy.linspace(0.0, 5.0, n)
    y = numpy.cos(t) + 0.5

    def expert() -> Any:
        a, b, f, phi, c = POINT
        decay = numpy.exp(-b * t)
        angle = 2.0 * numpy.pi * f * t + phi
        wave = decay * numpy.cos(angle)
        jacobian = numpy.empty((5, n))
        jacobian[0] = wave
        jacobian[1] = -a * t * wave
        jacobian[3] = -a * decay * numpy.sin(angle)
        jacobian[2] = 2.0 * numpy.pi * t * jacobian[3]
        jacobian[4] = 1.0
        return a * wave + c - y, jacobian.T

    return t, y, expert


def module(text: str, **options: Any) -> Any:
    """A module of a formula over columns."""
    import gradc

    found = gradc.compile(text, **{"numpy": True} | options)
    return SimpleNamespace(**found._module)


def by_hand() -> Iterator[Line]:
    """Against NumPy by hand."""
    import numpy

    for n, least in ((500, 1.0), (10_000, 1.1), (1_000_000, 1.8)):
        t, y, expert = cosine(numpy, n)
        bound = module(COSINE).bind(t, y)
        ours = lambda bound=bound: bound.value_and_jacobian(POINT)
        yield f"cosine, n x 5 Jacobian, {SMALL[n]} rows", ours, expert, least


def by_jax(native: bool = False) -> Iterator[Line]:
    """Against JAX."""
    import jax
    import numpy
    from jax import numpy as jnp

    jax.config.update("jax_enable_x64", True)
    own = {"native": native}

    def compiled(function: Any, columns: int, takes: int, wrt: Any = None) -> Any:
        wrt = range(columns, takes) if wrt is None else wrt
        axes = [0 if k < columns else None for k in range(takes)]
        return jax.jit(jax.vmap(jax.value_and_grad(function, tuple(wrt)), axes))

    def residual(t: Any, y: Any, a: Any, b: Any, f: Any, phi: Any, c: Any) -> Any:
        return a * jnp.exp(-b * t) * jnp.cos(2 * jnp.pi * f * t + phi) + c - y

    def ready(function: Any, *args: Any) -> Call:
        return lambda: jax.block_until_ready(function(*args))

    cosines = compiled(residual, 2, 7)
    for n, least, half in ((500, 2.5, 4.0), (10_000, 1.2, 5.0), (1_000_000, 1.3, 6.0)):
        t, y, _ = cosine(numpy, n)
        peer = ready(cosines, jnp.array(t), jnp.array(y), *POINT)
        ways = ((own, least, ""), (HALF, half, "half angle, "))
        for options, wanted, told in ways[: 1 if native else 2]:
            bound = module(COSINE, **options).bind(t, y)
            ours = lambda bound=bound: bound.value_and_jacobian(POINT)
            yield f"cosine, {told}{SMALL[n]} rows", ours, peer, wanted

    random = numpy.random.default_rng(1)

    def loglik(x: Any, design: Any, y: Any, known: Any) -> Any:
        eta = design @ x
        return jnp.sum(y * eta - jnp.exp(eta) - known)

    x, summed = [0.5, 0.1, -0.2, 0.3], jax.jit(jax.value_and_grad(loglik))
    for n in (10_000, 1_000_000):
        table = random.normal(size=(n, 3))
        counts = random.poisson(2.0, n).astype(float)
        bound = module(POISSON, **own).bind(*table.T, counts)
        design = jnp.array(numpy.column_stack([numpy.ones(n), table]))
        known = jax.scipy.special.gammaln(jnp.array(counts) + 1)
        peer = ready(summed, jnp.array(x), design, jnp.array(counts), known)
        ours = lambda bound=bound: bound.value_and_grad(x)
        least = 2.0 if n == 10_000 else 0.0
        yield f"Poisson, value and gradient, bound, {SMALL[n]} rows", ours, peer, least

    def rate(S: Any, y: Any, V: Any, Km: Any, Ki: Any) -> Any:
        return V * S / (Km + S + S**2 / Ki) - y

    many = random.uniform(0.1, 5.0, (2, 1_000_000))
    rates, own_rate = compiled(rate, 2, 5), module(RATE, **own).bind(*many)
    peer = ready(rates, *map(jnp.array, many), 2.0, 0.7, 3.0)
    ours = lambda: own_rate.value_and_jacobian([2.0, 0.7, 3.0])
    yield "Michaelis-Menten, 1e6 rows", ours, peer, 0.0

    def call(S: Any, K: Any, T: Any, r: Any, v: Any) -> Any:
        cdf = jax.scipy.stats.norm.cdf
        d1 = (jnp.log(S / K) + (r + v**2 / 2) * T) / (v * jnp.sqrt(T))
        d2 = d1 - v * jnp.sqrt(T)
        return S * cdf(d1) - K * jnp.exp(-r * T) * cdf(d2)

    lows, highs = (80.0, 80.0, 0.2, 0.0, 0.1), (120.0, 120.0, 2.0, 0.05, 0.4)
    args = [random.uniform(a, b, 1_000_000) for a, b in zip(lows, highs)]
    greeks = compiled(call, 5, 5, range(5))
    priced = module(OPTION, **own)
    peer = ready(greeks, *map(jnp.array, args))
    ours = lambda: priced.value_and_jacobian(*args)
    yield "Black-Scholes, five Greeks, 1e6 rows", ours, peer, 3.0
    taken = priced.value_and_jacobian(*args)
    ours = lambda: priced.value_and_jacobian(*args, out=taken)
    yield "Black-Scholes, into arrays that are given (out=)", ours, peer, 3.0

    space = {"cos": jnp.cos, "sin": jnp.sin, "sqrt": jnp.sqrt}
    *lines, last = CAMERA.format("").replace("^", "**").splitlines()[3:]
    names = "r1 r2 r3 C1 C2 C3 f u0 v0 k1 k2 X1 X2 X3 o1 o2".split()
    body = "\n    ".join([*lines, last])
    exec(f"def error({', '.join(names)}):\n    {body}", space)
    lows = (
        *[0.1] * 3,
        *[-0.2] * 3,
        0.8,
        *[-0.1] * 3,
        -0.05,
        -1.0,
        -1.0,
        4.0,
        -0.5,
        -0.5,
    )
    highs = (*[0.5] * 3, *[0.2] * 3, 1.2, *[0.1] * 3, 0.05, 1.0, 1.0, 6.0, 0.5, 0.5)
    every = [random.uniform(a, b, 100_000) for a, b in zip(lows, highs)]
    shot = module(CAMERA.format("[n]"), **own)
    peer = ready(compiled(space["error"], 16, 16, range(14)), *map(jnp.array, every))
    ours = lambda: shot.value_and_jacobian(*every)
    yield "reprojection, 14 gradients, 1e5 rows", ours, peer, 1.2


HALF: dict[str, Any] = {"half_angle": True}


def by_native() -> Iterator[Line]:
    """An extension against JAX."""
    aims = 20.0, 9.0, 11.0, 4.0, 3.0, 1.8, 10.0, 10.0, 5.0
    for line, least in zip(by_jax(True), aims):
        yield (*line[:3], least)


Task = tuple[str, str, int, list[float], str, float, float]


def tasks(random: Any) -> Iterator[Task]:
    """Formulas, their rows and parameters, what is returned, and aims: numba, CasADi."""
    poisson = POISSON.replace("lgamma(y + 1)", "known").replace(
        "y[n]", "y[n], known[n]"
    )
    camera = CAMERA.format("[n]")
    yield "cosine", COSINE, 10_000, POINT, "value_and_jacobian", 4.0, 20.0
    yield "Poisson", poisson, 1_000_000, [
        0.5,
        0.1,
        -0.2,
        0.3,
    ], "value_and_grad", 2.2, 35.0
    yield "Black-Scholes", OPTION, 1_000_000, [], "value_and_jacobian", 3.5, 10.0
    yield "reprojection", camera, 100_000, [], "value_and_jacobian", 1.8, 0.0
    rate = [2.0, 0.7, 3.0]
    yield "Michaelis-Menten", RATE, 1_000_000, rate, "value_and_jacobian", 0.9, 0.0


def by_numba() -> Iterator[Line]:
    """An extension against loops of numba over the lines of one row."""
    import numba
    import numpy

    random, sums = numpy.random.default_rng(2), list[Any]()
    for name, text, n, x, called, least, _ in tasks(random):
        one, columns = module(one_row(text), numpy=False), drawn(random, text, n)
        is_sum, slopes = called == "value_and_grad", len(one.WRT)
        if "hypot" in (own := one.value.__globals__):  # numba has that of two alone
            own["hypot"] = numba.njit(lambda x, y, z: math.sqrt(x * x + y * y + z * z))
        space: Any = {"row": numba.njit(one.value_and_grad, fastmath=is_sum)}
        takes = [x for x in one.INPUTS if x in columns]
        rest = [x for x in one.INPUTS if x not in columns]
        given = ", ".join([*[f"{x}[k_]" for x in takes], *rest])
        line = f"value_, g_ = row({given})"
        adds = [f"s_[{j}] += g_[{j}]" for j in range(slopes)]
        sets = [f"s_[{j}, k_] = g_[{j}]" for j in range(slopes)]
        body = [
            line,
            *(["total_ += value_", *adds] if is_sum else ["r_[k_] = value_", *sets]),
        ]
        head = f"def loop({', '.join([*takes, *rest])}, r_, s_):"
        lines = [head, "    total_ = 0.0", f"    for k_ in range(len({takes[0]})):"]
        exec(
            "\n".join([*lines, *[f"        {x}" for x in body], "    return total_"]),
            space,
        )
        loop = numba.njit(space["loop"], fastmath=is_sum)
        sums += [loop] * is_sum
        args = *columns.values(), *x

        def peer(loop: Any = loop, args: Any = args, slopes: int = slopes) -> Any:
            n = len(args[0])
            found = (
                numpy.empty((slopes, n)) if loop not in sums else numpy.zeros(slopes)
            )
            return loop(*args, numpy.empty(n * (loop not in sums)), found), found

        yield f"{name}, {SMALL[n]} rows", over(text, columns, x, called), peer, least


def by_casadi() -> Iterator[Line]:
    """An extension against the C of CasADi's maps (-O3), both into arrays that are kept."""
    import casadi
    import numpy
    from tests.benchmarks.native import built

    own: dict[str, Any] = {"erfc": lambda x: 1 - casadi.erf(x), "pow": pow}
    own |= {x: getattr(casadi, x) for x in ("exp", "log", "sqrt", "sin", "cos")}
    random = numpy.random.default_rng(2)
    for name, text, n, x, called, _, least in tasks(random):
        if not least:
            continue
        one, columns = module(one_row(text), numpy=False), drawn(random, text, n)
        scope, is_sum = one.value.__globals__, called == "value_and_grad"
        scope |= {word: f for word, f in own.items() if word in scope}
        symbols = {x: casadi.SX.sym(x) for x in one.INPUTS}
        value = one.value(*symbols.values())
        slopes = casadi.gradient(value, casadi.vertcat(*[symbols[x] for x in one.WRT]))
        row = casadi.Function("row", [*symbols.values()], [value, slopes])
        fixed = [k for k, x in enumerate(symbols) if x not in columns]
        function = row.map("f", "serial", n, fixed, [0, 1] if is_sum else [])
        given, numbers = [columns.get(word) for word in symbols], iter(x)
        arrays = [numpy.array([next(numbers)]) if a is None else a for a in given]
        sizes = (1, len(one.WRT)) if is_sum else (n, n * len(one.WRT))
        found = [*map(numpy.zeros, sizes)]
        with tempfile.TemporaryDirectory() as folder:
            peer = built(function, arrays, found, Path(folder))
        ours = over(text, columns, x, called, kept=not is_sum)
        peer(), ours()
        yield f"{name}, {SMALL[n]} rows", ours, peer, least


def over(
    text: str, columns: dict[str, Any], x: list[float], called: str, kept: bool = False
) -> Call:
    """A call of an extension, of bound columns if there are parameters.

    Arguments:
        kept: whether the results go where they went before.
    """
    made = module(text, native=True)
    if x:
        bound = made.bind(*columns.values(), reuse=kept)
        return lambda call=getattr(bound, called): call(x)
    call, given = getattr(made, called), columns.values()
    options = {"out": call(*given)} if kept else {}
    return lambda: call(*given, **options)


def one_row(text: str) -> str:
    """The same formula of one row."""
    return text.replace("[n]", "").replace("sum(", "(")


def drawn(random: Any, text: str, n: int) -> dict[str, Any]:
    """Columns for a formula, at which it has values."""
    words = re.findall(r"(\w+)\[n\]", text)
    return {x: random.uniform(*RANGES.get(x, (0.5, 1.0)), n) for x in words}


def by_native_fits() -> Iterator[Line]:
    """Whole fits with an extension against `curve_fit` with numeric differences."""
    for line, least in zip(by_fits(True), (2.3, 3.0, 2.0, 10.0, 2.0, 15.0)):
        yield (*line[:3], least)


def by_fits(native: bool = False) -> Iterator[Line]:
    """Whole fits against `curve_fit` with numeric differences."""
    import numpy
    from scipy.optimize import curve_fit

    import gradc

    text = COSINE.replace("residual = ", "model = ").replace(" - y", "")
    model = module(text.replace("data t[n], y[n]", "data t[n]"), native=native)
    for n, least in ((500, 1.8), (10_000, 2.2), (1_000_000, 3.5)):
        random = numpy.random.default_rng(n)
        t = numpy.linspace(0.0, 5.0, n)
        y = model.value(t, 1.9, 0.32, 0.81, 0.35, 0.5) + random.normal(0.0, 0.1, n)

        def expert(t: Any, a: Any, b: Any, f: Any, phi: Any, c: Any) -> Any:
            return a * numpy.exp(-b * t) * numpy.cos(2 * numpy.pi * f * t + phi) + c

        peer = lambda t=t, y=y: curve_fit(expert, t, y, POINT)
        ours = lambda t=t, y=y: curve_fit(model.value, t, y, POINT, jac=model.jacobian)
        yield f"curve_fit(jac=), {SMALL[n]} rows", ours, peer, 1.0
        start = dict(zip(("a", "b", "f", "phi", "c"), POINT))
        given = {"t": t, "y": y}
        fit = lambda given=given: gradc.fit(COSINE, given, start, native=native)
        yield f"gradc.fit, {SMALL[n]} rows", fit, peer, least


def by_loops() -> Iterator[Line]:
    """The loop of the standard library against a call a row."""
    t = [5.0 * k / 10_000 for k in range(10_000)]
    counts = [float(k % 6) for k in range(10_000)]
    squares = COSINE.replace("residual = ", "sum((").replace("- y", "- y)^2)")
    tasks: list[tuple[str, str, tuple[list[float], ...], list[float]]] = [
        ("cosine, squares", squares, (t, t), POINT),
        ("Poisson", POISSON, (t, t, t, counts), [0.5, 0.1, -0.2, 0.3]),
    ]
    for name, text, columns, x in tasks:
        loop = module(text, numpy=False).value_and_grad
        one = module(text.replace("[n]", "").replace("sum(", "("), numpy=False)

        def rows(call: Any = one.value_and_grad, columns: Any = columns) -> Any:
            total, slopes = 0.0, [0.0] * len(x)
            for row in zip(*columns):
                value, found = call(*row, *x)
                total += value
                for k, slope in enumerate(found):
                    slopes[k] += slope
            return total, slopes

        ours = lambda loop=loop, columns=columns: loop(*columns, *x)
        yield f"loop, {name}, value and gradient, 1e4 rows", ours, rows, 2.5


def run(batches: int) -> None:
    """Print how many times as fast ours is, and mark what is below its aim."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    print("\ncolumns: times as fast as the peer, one thread, medians of ratios")
    for part in (
        by_hand,
        by_jax,
        by_fits,
        by_native,
        by_numba,
        by_casadi,
        by_native_fits,
        by_loops,
    ):
        print(part.__doc__)
        try:
            for name, ours, peer, least in part():
                found = race(peer, ours, [()], batches)
                mark = "" if found.ratio >= least else f"  BELOW {least}"
                figures = f"{found.second / 1e3:.0f} us, {found.first / 1e3:.0f} us"
                print(f"{found.ratio:6.2f}  {name} ({figures}){mark}", flush=True)
        except ImportError as error:
            print(f"   not measured: {error}")
