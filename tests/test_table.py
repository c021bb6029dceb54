"""The laws of the rows: every column of the table against another one.

Each row is met at points all over its domain, extreme magnitudes, edges and ties among
them. That the mathematics is right and that floats keep the digits is one law: value and
partials are within the row's `ulp` of what balls are certain of, which use no partial.
Where they do, the text of a partial is the slope of mpmath, in high precision.
"""

import itertools
import math
import operator
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import mpmath
import pytest
from mpmath import mp, mpf

import gradc
from gradc.calculus import Template, meaning_template, partial_template, template
from gradc.checking.certified import Witness
from gradc.checking.check import Textbook
from gradc.functions import Number
from gradc.ir import Program
from gradc.ops import OPS, Op
from gradc.passes.derive import derive
from gradc.run import FLOATS, evaluate
from gradc.spelling import SYMBOLS
from tests.conftest import FUNCTIONS, read

NUMBERS = [r for r in OPS if r.result == "number" and r.name not in FUNCTIONS]
NUMBERS.remove(OPS["where"])
CONDITIONS = [row for row in OPS if row.result == "condition"]
HELD = "x == x"  # kinks of a row whose slope is a convention everywhere
PARTIALS = [row for row in NUMBERS if (row.partials or row.each) and row.kinks != HELD]

ORDERS = {"n"}  # parameters that are small whole numbers
# Rows whose witness is too slow for numeric slopes at extreme magnitudes.
MODERATE = {"gamma", "lgamma", "digamma", "polygamma", "beta", "lbeta"}
MODERATE |= {"sinc", "erfcx", "gelu", "normcdf", "erfc", "erf"}
MODERATE |= {"mod", "fmod", "remainder"}  # their steps are finer than the slope's
BY_PARTIALS = {
    "digamma",
    "polygamma",
    "dexprel",
    "dlogrel",
}  # of which balls take the slopes from the table
POWERS = {"dlogrel", "powrel", "expm1over"}  # with powers of floats on the way
UNSIGNED_ZERO = {"copysign", "atan2"}  # for mpmath -0.0 is 0

# The size of the terms that cancel at a root of the value, and of the partial. Where it
# is larger than the result, it measures the error.
CANCELLING_TERMS = {
    "cosdiff": ("0", "1 + abs(x - y)"),
    "logaddexp": ("abs(max(x, y))", "0"),
    "logsumexp": ("1 + abs(max(xs))", "0"),
    "sinc": ("0", "pi/(2 + pi*abs(x))"),
    "silu": ("0", "sigmoid(x)"),
    "gelu": (
        "(1 + x*x)*abs(x)*normcdf(x)",
        "(1 + x*x)*(normcdf(x) + abs(x)*normpdf(x))",
    ),
    "erf": ("0", "(1 + x*x)*exp(-(x*x))"),
    "erfc": ("0", "(1 + x*x)*exp(-(x*x))"),
    "erfcx": (
        "erfcx(x)",
        "where(x < 30, 2 + abs(2*x*erfcx(x))*(1 + x*x), 0)",
    ),
    "gamma": ("0", "where(x < 0, abs(gamma(x)/(x - round(x))), 0)"),
    "lgamma": (
        "where(x < 0, abs(lgamma(1 - x)), 0)",
        "where(x < 0, 1/abs(x - round(x)), 0)",
    ),
    "digamma": ("where(x < 0, 1/abs(x - round(x)), 0)", "0"),
    "polygamma": (
        "where(x < 0, gamma(n + 1)/abs(x - round(x))^(n + 1), 0)",
        "where(x < 0, gamma(n + 2)/abs(x - round(x))^(n + 2), 0)",
    ),
    "beta": (
        "beta(x, y)*(1 + abs(lbeta(x, y)))",
        "beta(x, y)*(1 + abs(lbeta(x, y)))"
        "*(abs(digamma(x)) + abs(digamma(y)) + abs(digamma(x + y)))",
    ),
    "lbeta": ("1", "abs(digamma(x)) + abs(digamma(y)) + abs(digamma(x + y))"),
    "powrel": (
        "0",
        "(1 + abs(p))*abs(powrel(x, y, p))*(1/abs(x) + 1/abs(y)"
        " + abs(log(abs(x))) + abs(log(abs(y))))",
    ),
    "normpdf": ("(1 + x*x)*normpdf(x)", "(1 + x*x)*abs(x)*normpdf(x)"),
    "normcdf": ("(1 + x*x)*normcdf(x)", "(1 + x*x)*normpdf(x)"),
}

# How many digits smaller than the value a slope can be, as of tanh at 300.
VANISHING = 330
STEP = 40  # the decade of the step of a difference at 1

EDGES = [0.0, 5e-324, 1e-300, 1e-20, 0.5, 1.0, 1.5, 2.0, 3.0, 20.0, 700.0, 1e16, 1e200]
ENDS = [2.0**-1022, 2.0**-53, 1 - 2.0**-53, 1 + 2.0**-52, 26.0, 38.5, 170.6, 1e100]
ENDS += [1e154, 1e300, sys.float_info.max]
TINY, HUGE = mpf(2) ** -1022, mpf(2) ** 1010
MILD = [0.0, 1e-30, 1e-10, 0.5, 1.0, 1.5, 2.0, 3.0, 20.0]

Numbers = tuple[float, ...]
Compute = Callable[..., Any]


# ---- a row in high precision


@lru_cache(maxsize=None)
def witness(row: Op) -> Compute:
    """What the row means, on mpmath's numbers."""
    if row.witness is not None:
        holes = re.sub(r"\{xs\}", "*xs", row.witness)
        return compiled(row, re.sub(r"\{(\w+)\}", r"\1", holes))
    if row.infix:
        if row.name == "neg":
            return operator.neg
        return compiled(row, f" {SYMBOLS[row.name]} ".join(row.params))
    if not hasattr(mpmath, row.called) and row.means:
        meaning = meaning_template(row)
        return lambda *args: run(meaning, witness, dict(zip(row.params, args)))
    if not row.params:
        return lambda: +getattr(mp, row.name)
    found: Compute = getattr(mpmath, row.called, None) or __builtins__[row.called]
    return found


def compiled(row: Op, text: str) -> Compute:
    params = (
        [*row.params[: row.params.index("x")], "*xs"] if row.variadic else row.params
    )
    scope = {**vars(mpmath), "abs": abs, "min": min, "max": max, "int": int}
    made: Compute = eval(f"lambda {', '.join(params)}: {text}", scope)
    return made


LAZY: dict[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


def run(text: Template, rows: Callable[[Op], Compute], params: dict[str, Any]) -> Any:
    """Evaluate a template lazily, each row by what `rows` makes of it."""

    def value(i: int) -> Any:
        kind, content = text.items[i]
        if kind == "const":
            return mpf(content) if rows is witness else content
        if kind == "param":
            return params[content]
        if kind == "where":
            return value(content[1] if value(content[0]) else content[2])
        if kind in ("and", "or"):
            first = value(content[0])
            return value(content[1]) if bool(first) == (kind == "and") else first
        args: list[Any] = []
        for a in content:
            is_list = text.items[a] == ("param", "xs")
            args.extend(value(a) if is_list else [value(a)])
        return LAZY[kind](*args) if kind in LAZY else rows(OPS[kind])(*args)

    return value(len(text.items) - 1)


def digits(args: Sequence[Any], more: int = 0) -> int:
    """Digits enough for sums of such numbers, and for steps of 10^-more."""
    return 60 + 2 * more + 2 * max((decade(x) for x in args), default=0)


def decade(x: float) -> int:
    return abs(int(mpmath.log10(abs(mpf(x))))) if x else 0


def true_value(row: Op, args: Numbers) -> Any:
    with mp.workdps(digits(args)):
        return witness(row)(*map(mpf, args))


def decades(args: Numbers) -> int:
    """How small the step of a difference is."""
    return STEP + max((decade(x) for x in args if abs(x) < 1), default=0)


def true_partial(row: Op, args: Numbers, k: int) -> Any:
    """The central difference of the witness, or the right one at the edge of a domain.

    One that is small beside the value is taken again, with the digits that it lacks.
    """
    step = decades(args)
    slope = mpf(0)
    for more in (0, VANISHING):
        with mp.workdps(digits(args, step) + more):
            exact, h = list(map(mpf, args)), mpf(10) ** -step

            def at(shift: Any) -> Any:
                return witness(row)(*exact[:k], exact[k] + shift, *exact[k + 1 :])

            value = at(h)
            try:
                slope = (value - at(-h)) / (2 * h)
            except ValueError:
                slope = mpmath.mpc(0, 1)
            if isinstance(slope, mpmath.mpc) or not mpmath.isfinite(slope):
                slope = (value - at(0)) / h
            if abs(slope) > abs(value) * h:
                break
    return slope


# ---- points


def holds(row: Op, text: str | None, args: Numbers) -> bool:
    if text is None:
        return False
    params = named(row, args)
    chosen = template(f"where({text}, 1, 0)", row, "domain")
    return bool(run(chosen, FLOATS.compute, params))


def named(row: Op, args: Numbers, k: int | None = None) -> dict[str, Any]:
    """The row's parameters by name; `x` is argument k of a row that takes many."""
    params: dict[str, Any] = dict(zip(row.params, args))
    if row.variadic:
        params["xs"] = args[row.params.index("x") :]
        params["x"] = params["x"] if k is None else args[k]
    return params


def inside(row: Op) -> Iterator[Numbers]:
    """Points of the row's domain: edges, random magnitudes, ties."""
    draw = random.Random(row.name)
    edges = MILD if row.name in MODERATE else EDGES
    reach = 1 if row.name in MODERATE else 3
    plain = [sign * x for x in edges for sign in (1, -1)]
    count = len(row.params) + (2 if row.variadic else 0)

    def number(name: str) -> float:
        if name in ORDERS:
            return float(draw.randint(0, 4))
        if draw.random() < 0.4:
            return draw.choice(plain)
        return draw.choice([1, -1]) * 10 ** draw.uniform(-reach, reach)

    names = [*row.params, *["x"] * (count - len(row.params))]
    singles = [(x,) for x in plain] if row.params == ("x",) and count == 1 else []
    randoms = (tuple(number(name) for name in names) for _ in range(400))
    ties = [(x,) * count for x in (-2.0, 0.5, 3.0)]
    found = 0
    for args in itertools.chain(singles, ties, randoms):
        if found == (40 if row.name in MODERATE else 120):
            return
        fits = is_inside(row, args)
        if row.name in UNSIGNED_ZERO and any(str(x) == "-0.0" for x in args):
            continue
        if fits:
            found += 1
            yield args


def far_and_near(row: Op, many: int = 80) -> Iterator[Numbers]:
    """Points of the whole domain: every magnitude, next to integers, next to ties."""
    draw = random.Random(row.name)
    special = [sign * x for x in EDGES + ENDS for sign in (1, -1)]
    count = len(row.params) + (2 if row.variadic else 0)

    def number() -> float:
        return draw.choice(
            [
                draw.choice(special),
                draw.uniform(-3, 3),
                draw.uniform(-40, 40),
                draw.uniform(-800, 800),
                draw.choice((1, -1)) * 10 ** draw.uniform(-320, 308),
                draw.randint(-20, 20) / 2
                + draw.choice((1, -1)) * 2 ** -draw.uniform(1, 52),
            ]
        )

    def point() -> Numbers:
        args = [number() for _ in range(count)]
        if row.params[0] in ORDERS:
            args[0] = float(draw.randint(0, 4))
        elif count > 1 and draw.random() < 0.1:
            args = [args[0]] * count
        if count > 1 and draw.random() < 0.3:
            args[-1] = args[-2] * draw.choice((1, -1, 1 + 1e-9, 1 - 2**-53, 2, 0.1))
        return tuple(args)

    lines = [(x,) for x in special] if count == 1 else []
    for args in itertools.chain(lines, (point() for _ in range(many * count))):
        if row.name in UNSIGNED_ZERO and any(str(x) == "-0.0" for x in args):
            continue
        if row.name in POWERS and not all(
            1e-30 < abs(x) < 1e30 for x in args[row.is_ordered :]
        ):
            continue
        if math.inf not in map(abs, args) and is_inside(row, args):
            yield args


def is_inside(row: Op, args: Numbers) -> bool:
    try:
        return row.domain is None or holds(row, row.domain, args)
    except (ValueError, ArithmeticError):
        return False


def exactly(row: Op, args: Numbers, compute: Callable[[], Any]) -> Any:
    """A result in 40 digits: with more and more of them, until they agree.

    None if it is not finite or if mpmath cannot tell.
    """
    last = mpf(0)
    for dps in (60 * times for times in (1, 2, 4, 8, 24, 48)):
        with mp.workdps(dps):
            try:
                found = compute()
            except (ValueError, ArithmeticError):
                return None
        if not finite(found):
            return None
        if found and abs(found - last) <= abs(found) * mpf(10) ** -40:
            return found
        if not found and dps >= 4 * digits(args):
            return found  # terms that are opposite in so many digits are
        last = found
    return last


@lru_cache(maxsize=None)
def points(row: Op) -> tuple[Numbers, ...]:
    return tuple(inside(row))


def off(value: float, truth: Any, scale: Any) -> float:
    """The error in units in the last place of the truth, or of a larger scale."""
    size, error = max(abs(truth), abs(scale)), abs(mpf(value) - truth)
    if size < TINY and error <= TINY:
        return 0.0
    return float(error / mpf(math.ulp(float(size))))


def finite(truth: Any) -> bool:
    return not isinstance(truth, mpmath.mpc) and abs(truth) < mpf(1.79e308)


def size(row: Op, args: Numbers, column: int, k: int | None = None) -> Any:
    """The size of the terms that cancel, in the value of a row or in its partials."""
    text = CANCELLING_TERMS.get(row.name, ("0", "0"))[column]
    return run(template(text, row, "size"), FLOATS.compute, named(row, args, k))


def ids(row: Op) -> str:
    return row.name


# ---- the laws


@pytest.mark.parametrize("row", [*OPS], ids=ids)
def test_a_row_says_in_one_sentence_what_it_is(row: Op) -> None:
    assert re.fullmatch(r"\S.*\.", row.doc)


@lru_cache(maxsize=None)
def known(row: Op, many: int = 80) -> list[tuple[Numbers, Any]]:
    """The points all over the domain where the value is finite, and the value."""
    told = ((args, certain(row, args)) for args in far_and_near(row, many))
    return [(args, truth) for args, truth in told if truth is not None]


def certain(row: Op, args: Numbers, k: int | None = None) -> Any:
    """The value, or the slope by an argument, by balls; None if it is not finite."""
    text, point = formula(row, args)
    along = [] if k is None else [[*point][k - len(args)]]
    found = judge(text).at(point).truth(along)
    return None if found is None or math.isinf(found) else in_digits(found)


def in_digits(x: Fraction | float) -> Any:
    exact = Fraction(x)
    with mp.workdps(60):
        return mpf(exact.numerator) / exact.denominator


@lru_cache(maxsize=None)
def judge(text: str) -> Witness:
    return Witness(gradc.compile(text).written)


def attempt(compute: Compute, args: Numbers, truth: Any) -> float:
    try:
        return float(compute(*args))
    except (ArithmeticError, ValueError) as error:
        raise AssertionError(f"{error} at {args}, not {mpmath.nstr(truth)}") from error


def stated(row: Op) -> tuple[float, float]:
    assert row.ulp is not None, f"row {row.signature!r} does not state its error"
    return row.ulp


def value_errors(row: Op) -> Iterator[tuple[float, Numbers]]:
    for args, truth in known(row):
        got = attempt(FLOATS.compute(row), args, truth)
        yield off(got, truth, size(row, args, 0)), args


@pytest.mark.parametrize("row", [row for row in NUMBERS if row.params], ids=ids)
@pytest.mark.some(2)
def test_the_value_keeps_the_stated_error(row: Op) -> None:
    measured = list(value_errors(row))
    assert len(measured) >= 8
    error, where = max(measured)
    assert error <= stated(row)[0], f"{error:.1f} ulp at {where}"


def partial_errors(
    row: Op, k: int, column: str = "partials"
) -> Iterator[tuple[float, Numbers]]:
    for args, value in known(row):
        text = partial_template(row, k, len(args))
        computed = partial_template(row, k, len(args), column)
        assert text is not None and computed is not None
        if not TINY <= abs(value) < HUGE and value or holds(row, row.kinks, args):
            continue  # the row has lost digits itself or is too large, or has no slope
        if (truth := certain(row, args, k)) is not None:
            slope = partial(partial_value, row, computed, k)
            got = attempt(slope, args, truth)
            yield off(got, truth, size(row, args, 1, k)), args


def partial_value(row: Op, text: Template, k: int, *args: float) -> Any:
    return run(text, FLOATS.compute, named(row, args, k))


def slots(rows: Sequence[Op]) -> list[Any]:
    """Each argument of each row that carries a derivative."""
    return [
        pytest.param(row, k, id=f"{row.name} by argument {k}")
        for row in rows
        for k in range(len(points(row)[0]))
        if partial_template(row, k, len(points(row)[0])) is not None
    ]


@pytest.mark.parametrize("row, k", slots(PARTIALS))
@pytest.mark.some(3)
def test_the_partial_keeps_the_stated_error(row: Op, k: int) -> None:
    """And total: it does not raise where row and slope are finite."""
    measured = list(partial_errors(row, k))
    assert len(measured) >= 8
    error, where = max(measured)
    assert error <= stated(row)[1], f"{error:.1f} ulp at {where}"


@pytest.mark.parametrize("row, k", slots([row for row in PARTIALS if row.varying]))
def test_other_partials_are_the_same(row: Op, k: int) -> None:
    measured = list(partial_errors(row, k, "varying"))
    assert len(measured) >= 8
    error, where = max(measured)
    assert error <= stated(row)[1], f"{error:.1f} ulp at {where}"


@pytest.mark.parametrize(
    "row, k", slots([row for row in PARTIALS if row.name in BY_PARTIALS])
)
def test_the_partial_is_the_slope_of_the_witness(row: Op, k: int) -> None:
    compared = 0
    for args in points(row):
        text = partial_template(row, k, len(args))
        assert text is not None
        if not holds(row, row.kinks, args) and finite(true_value(row, args)):
            exact = named(row, tuple(map(mpf, args)), k)
            claimed = exactly(row, args, lambda: run(text, witness, exact))
            truth = true_partial(row, args, k)
            if claimed is not None and finite(truth):
                unsure = max(abs(truth), mpf(10) ** -VANISHING) * mpf(10) ** -10
                if (
                    claimed == 0
                ):  # of a central difference the square of its step is left
                    unsure = mpf(10) ** (-2 * decades(args))
                assert abs(claimed - truth) <= unsure, args
                compared += 1
    assert compared >= 20


@pytest.mark.parametrize("row", [r for r in NUMBERS if r.means and r.witness], ids=ids)
def test_the_meaning_is_that_of_the_witness(row: Op) -> None:
    assert row.means is not None
    text, compared = template(row.means, row, "means"), 0
    for args in points(row):
        with mp.workdps(digits(args) + VANISHING):
            exact = tuple(map(mpf, args))
            try:
                meant = run(text, witness, named(row, exact))
            except (ArithmeticError, ValueError):
                continue
            truth = witness(row)(*exact)
            assert abs(meant - truth) <= max(1, abs(truth)) * mpf(10) ** -30, args
            compared += 1
    assert compared >= 20


def formula(row: Op, args: Numbers) -> tuple[str, dict[str, float]]:
    """A call of the row on inputs, its orders written as numbers, and a point for it."""
    names = [*row.params, *(f"x{k}" for k in range(len(args) - len(row.params)))]
    point = dict(zip(names, args))
    written = [repr(point[n]) if n in ORDERS else n for n in names]
    text = row.signature if row.infix else f"{row.called}({', '.join(written)})"
    return text, {n: x for n, x in point.items() if n not in ORDERS}


def slope_of(program: Program, name: str) -> Program:
    derived = derive(program, (name,))
    return replace(derived, outputs=derived.outputs[1:])


def middling(row: Op) -> list[Numbers]:
    """A few points away from edges and kinks."""
    far = (
        args
        for args in points(row)
        if all(0.05 < abs(x) < 20 or x in range(5) for x in args)
        and not holds(row, row.kinks, args)
    )
    return list(itertools.islice(far, 4))


@pytest.mark.parametrize(
    "row", [row for row in NUMBERS if row.params and row.kinks != HELD], ids=ids
)
def test_the_derivative_of_the_derivative_compiles_and_is_right(row: Op) -> None:
    chosen = middling(row)
    assert len(chosen) >= 2
    for args in chosen:
        text, point = formula(row, args)
        for first, second in itertools.product(point, point):
            program = slope_of(slope_of(read(text, inputs=list(point)), first), second)
            got = evaluate(program, point)[0]
            truth = mixed(row, args, first, second)
            if isinstance(truth, mpmath.mpc):  # a power of a negative number
                continue
            assert abs(got - truth) <= 1e-10 * max(1, abs(truth)), (args, first, second)


def asked(row: Op) -> bool:
    """Whether some partial of a row asks if numbers are equal."""
    columns = (row.partials, row.varying, (row.each,))
    return any("==" in (text or "") for texts in columns for text in texts or ())


EQUAL = (-1.0, 0.0, 0.5, 1.0, 2.0)  # numbers for which such a question is answered yes


@pytest.mark.parametrize("row", [row for row in NUMBERS if asked(row)], ids=ids)
def test_what_a_partial_asks_is_no_edge_of_its_derivative(row: Op) -> None:
    """Where two numbers are equal, second derivatives are those of the function."""
    compared = 0
    for args in itertools.product(EQUAL, repeat=len(row.params)):
        if not holds(row, row.domain, args) or holds(row, row.kinks, args):
            continue
        text, point = formula(row, args)
        for first, second in itertools.product(point, point):
            truth = mixed(row, args, first, second)
            if isinstance(truth, mpmath.mpc) or abs(truth) > 1e6:  # there is none
                continue
            program = slope_of(slope_of(read(text, inputs=list(point)), first), second)
            got = evaluate(program, point)[0]
            assert abs(got - truth) <= 1e-10 * max(1, abs(truth)), (args, first, second)
            compared += 1
    assert compared or row.variadic or row.kinks


def mixed(row: Op, args: Numbers, first: str, second: str) -> Any:
    """The second derivative of the witness by two parameters, as differences."""
    names = [*row.params, *(f"x{k}" for k in range(len(args) - len(row.params)))]
    with mp.workdps(120):
        h, total = mpf(10) ** -25, mpf(0)
        for a, b in itertools.product((1, -1), repeat=2):
            shifted = list(map(mpf, args))
            shifted[names.index(first)] += a * h
            shifted[names.index(second)] += b * h
            total += a * b * witness(row)(*shifted)
        return total / (4 * h * h)


INFINITE = {"sqrt", "cbrt", "asin", "acos", "acosh", "pow", "xlogy"}  # slopes at a kink

# The conventions: at a kink, the gradient that the row gives.
CONVENTIONS = [
    ("abs(x)", (0.0,), (0.0,)),
    ("sign(x)", (0.0,), (0.0,)),
    ("detach(x)", (2.0,), (0.0,)),
    ("held(x)", (2.0,), (0.0,)),
    ("relu(x)", (0.0,), (0.0,)),
    ("floor(x)", (3.0,), (0.0,)),
    ("ceil(x)", (3.0,), (0.0,)),
    ("trunc(x)", (3.0,), (0.0,)),
    ("round(x)", (2.5,), (0.0,)),
    ("mod(x, y)", (6.0, 2.0), (1.0, -3.0)),
    ("fmod(x, y)", (6.0, 2.0), (1.0, -3.0)),
    ("remainder(x, y)", (3.0, 2.0), (1.0, -2.0)),
    ("fdim(x, y)", (2.0, 2.0), (0.0, 0.0)),
    ("copysign(x, y)", (0.0, -2.0), (0.0, 0.0)),
    ("copysign(x, y)", (3.0, 0.0), (1.0, 0.0)),
    ("min(x, y)", (2.0, 2.0), (0.5, 0.5)),
    ("max(x, y)", (2.0, 2.0), (0.5, 0.5)),
    ("max(x, y, z)", (2.0, 2.0, 2.0), (1 / 3, 1 / 3, 1 / 3)),
    ("min(x, y, z)", (2.0, 3.0, 2.0), (0.5, 0.0, 0.5)),
    ("max(x, 2)", (2.0,), (0.5,)),
    ("clip(x, 1, 2)", (2.0,), (0.5,)),
    ("clip(x, 1, 2)", (1.0,), (0.5,)),
    ("hypot(x, y)", (0.0, 0.0), (0.0, 0.0)),
    ("hypot(x, y, z)", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ("atan2(y, x)", (0.0, 0.0), (0.0, 0.0)),
    ("atan2(y, x)", (0.0, -2.0), (-0.5, 0.0)),
    ("ties(2, x)", (2.0,), (0.0,)),
    ("x^y", (0.0, 0.0), (0.0, 0.0)),
    ("x^y", (0.0, 2.0), (0.0, 0.0)),
    ("xlogy(x, y)", (0.0, 1.0), (0.0, 0.0)),
    ("boxcox(x, y)", (-2.0, 2.0), (-2.0, -0.75)),
    ("powrel(x, y, z)", (-1.0, 2.0, 2.0), (1.0, 1.0, 4 * math.log(2) / 3)),
]


@pytest.mark.parametrize("text, at, gradient", CONVENTIONS)
def test_the_convention_at_a_kink(text: str, at: Numbers, gradient: Numbers) -> None:
    names = [name for name in re.findall(r"[xyz]\b", text.partition("(")[2] or text)]
    compiled = gradc.compile(text, wrt=names, inputs=names)
    assert compiled.value_and_grad(*at)[1] == pytest.approx(gradient, abs=1e-15)
    book = Textbook(read(text, inputs=names), names, dict(zip(names, at)))
    slopes = [book.number(Number("", name, 0, 0, (name,))) for name in names]
    assert slopes == pytest.approx(list(gradient), abs=1e-15)


def test_every_kink_has_its_convention() -> None:
    kinked = {row.name for row in NUMBERS if row.kinks}
    shown = {read(text).nodes[-1][0] for text, *_ in CONVENTIONS}
    assert kinked <= shown | INFINITE
