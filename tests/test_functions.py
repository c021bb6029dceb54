"""The laws of the special functions: rows of SciPy, and what is made of a few lines.

Each row is met at points of its domain of the size that formulas have. That the floats
keep the digits that the row states is measured against balls; that its mathematics is
right, by the differences of its values, which flint computes without any partial.
"""

import math
import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import mpmath
import pytest

import gradc
from gradc.calculus import partial_template, template
from gradc.errors import GradcError
from gradc.ops import OPS, Op
from gradc.run import FLOATS, arithmetic
from gradc.spelling import spelling
from gradc.value import Value, called

from tests.conftest import FUNCTIONS

flint = pytest.importorskip("flint")
scipy = pytest.importorskip("scipy")

from gradc.checking.balls import BALLS, exactly  # noqa: E402
from gradc.checking.certified import precision  # noqa: E402

ROWS = [OPS[name] for name in sorted(FUNCTIONS)]
Point = tuple[float, ...]

# How far from 0 an argument goes, by its name; orders are small whole numbers.
REACH = {"x": 1.7, "y": 1.0, "v": 1.0, "a": 1.5, "b": 1.5, "m": 1.5, "k": 1.3}
COUNT = 30
HERE = 200  # bits


def draw(name: str, chance: random.Random) -> float:
    if name == "n":
        return float(chance.randint(0, 6))
    least = 0.0 if name in ("sigma", "gamma") else -2.0
    size: float = 10 ** chance.uniform(least, REACH.get(name, 1.0))
    if name == "k":
        return size + 0.01
    return size * chance.choice((1, 1, -1))


@lru_cache(maxsize=None)
def points(row: Op) -> tuple[Point, ...]:
    chance, found = random.Random(row.name), list[Point]()
    while len(found) < COUNT:
        args = tuple(draw(name, chance) for name in row.params)
        if (
            row.domain
            and "< 1" in row.domain
            or row.params[-1:] == ("x",)
            and "x <= 1" in str(row.domain)
        ):
            args = (*args[:-1], chance.random() ** chance.choice((1, 9)))
        if row.name == "erfcinv":
            args = (2 * args[0],)
        if row.domain is None or holds(row, row.domain, args):
            found.append(args)
    return tuple(found)


def holds(row: Op, text: str, args: Point) -> bool:
    chosen = template(f"where({text}, 1, 0)", row, "domain")
    return bool(FLOATS.function(chosen, row.params)(*args))


def ball(row: Op, args: Sequence[Any], bits: int = HERE) -> Any:
    """The value of a row in balls."""
    with precision(bits, 4):
        return BALLS.compute(row)(*map(exactly, args))[0]


def off(value: float, truth: Any, scale: float) -> float:
    size = max(abs(float(truth.mid())), abs(scale), 1e-300)
    return float((abs(flint.arb(value) - truth)).mid()) / math.ulp(size)


# The size of what a value is at a root, or cancels from.
WAVE = "where(abs(x) > 1 + abs(v), 1/sqrt(abs(x)), 0)"
SIZES = {name: "1/sqrt(1 + abs(x))" for name in ("j0", "j1", "y0", "y1")}
SIZES |= {"jv": WAVE, "yv": WAVE, "ei": "1"}
SIZES |= {f"spherical_{x}n": "where(abs(x) > 1 + n, 1/abs(x), 0)" for x in "jy"}


def size(row: Op, args: Point) -> float:
    text = template(SIZES.get(row.name, "0"), row, "size")
    return float(FLOATS.function(text, row.params)(*args))


def sized(text: Any, params: dict[str, float]) -> tuple[float, float]:
    """What a text is, and the size of the terms that cancel in it or are rounded."""

    def found(i: int) -> tuple[float, float]:
        kind, content = text.items[i]
        if kind in ("const", "param"):
            x = params[content] if kind == "param" else content
            return x, abs(x)
        if kind == "where":
            return found(content[1] if found(content[0])[0] else content[2])
        xs, sizes = zip(*map(found, content)) if content else ((), ())
        x = float(FLOATS.compute(OPS[kind])(*xs))
        if kind in ("add", "sub"):
            return x, sum(sizes)
        if kind in ("mul", "div"):
            more = [max(s / abs(y), 1.0) if y else 1.0 for y, s in zip(xs, sizes)]
            return x, abs(x) * math.prod(more) if x else math.prod(sizes)
        if kind in ("exp", "normpdf"):
            return x, abs(x) * (1 + sizes[0] * (abs(xs[0]) if kind == "normpdf" else 1))
        own = size(OPS[kind], xs) if kind in SIZES else 0.0
        return x, sizes[0] if kind == "neg" else max(abs(x), own)

    return found(len(text.items) - 1)


def value_errors(row: Op) -> Iterator[tuple[float, Point]]:
    for args in points(row):
        found = float(FLOATS.compute(row)(*args))
        yield off(found, ball(row, args), size(row, args)), args


def slots() -> list[Any]:
    """The arguments of rows that have a partial."""
    return [
        pytest.param(row, k, id=f"{row.name} by {row.params[k]}")
        for row in ROWS
        for k in range(len(row.params))
        if partial_template(row, k, len(row.params)) is not None
    ]


def slope(row: Op, k: int, args: Sequence[Any], bits: int = HERE) -> Any:
    """What the text of a partial is in balls."""
    text = partial_template(row, k, len(row.params))
    assert text is not None
    with precision(bits, 4):
        return BALLS.function(text, row.params)(*map(exactly, args))[0]


def partial_errors(row: Op, k: int) -> Iterator[tuple[float, Point]]:
    text = partial_template(row, k, len(row.params))
    assert text is not None
    for args in points(row):
        found, scale = sized(text, dict(zip(row.params, args)))
        yield off(found, slope(row, k, args), scale), args


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_value_keeps_the_stated_error(row: Op) -> None:
    error, where = max(value_errors(row))
    assert row.ulp is not None and error <= row.ulp[0], f"{error:.1f} ulp at {where}"


@pytest.mark.parametrize("row, k", slots())
def test_the_partial_keeps_the_stated_error(row: Op, k: int) -> None:
    error, where = max(partial_errors(row, k))
    assert row.ulp is not None and error <= row.ulp[1], f"{error:.1f} ulp at {where}"


@pytest.mark.parametrize("row, k", slots())
@pytest.mark.some(3)
def test_the_partial_is_the_slope_of_the_value(row: Op, k: int) -> None:
    """A difference of values, of which flint has computed each by itself."""
    for args in points(row)[:6]:
        with precision(400, 4):
            step = flint.arb(2) ** -110
            sides = [[*args] for _ in range(2)]
            for side, sign in zip(sides, (1, -1)):
                side[k] = flint.arb(args[k]) + sign * step
            above, below = (ball(row, side, 400) for side in sides)
            difference = (above - below) / (2 * step)
        claimed = slope(row, k, args, 400)
        assert abs(difference - claimed) <= abs(claimed) * 1e-30 + 1e-60, args


def formula(row: Op, args: Point) -> tuple[str, Point, list[str]]:
    """A call whose orders are numbers, the others' point, and their names."""
    held = {k for k, name in enumerate(row.params) if partial_of(row, k) is None}
    texts = [repr(x) if k in held else row.params[k] for k, x in enumerate(args)]
    free = [k for k in range(len(args)) if k not in held]
    names = [row.params[k] for k in free]
    text = f"{row.called}({', '.join(texts)})"
    return text, tuple(args[k] for k in free), names


def partial_of(row: Op, k: int) -> object:
    if row.partials is None:  # that of what it means
        return "" if row.name == "voigt" or row.params[k] == "x" else None
    return row.partials[k]


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r.name != "zeta"], ids=lambda r: r.name
)
@pytest.mark.some(3)
def test_second_derivatives_compile_and_are_certain(row: Op) -> None:
    """Two derivatives of a row, whose texts are those of other rows."""
    text, _, names = formula(row, points(row)[0])
    compared = 0
    for args in points(row)[:4]:
        text, at, names = formula(row, args)
        compiled = gradc.compile(text, inputs=names, emit="hessian")
        sure = compiled.certified(*at)
        if sure.undecided:
            continue
        value, gradient, hessian = compiled.value_grad_and_hessian(*at)
        numbers = [value, *gradient, *(x for line in hessian for x in line)]
        truths = [
            sure.value,
            *sure.gradient,
            *(x for line in sure.hessian for x in line),
        ]
        most = max(map(abs, truths))
        assert numbers == pytest.approx(truths, rel=1e-7, abs=1e-9 * most), (text, at)
        compared += 1
    assert compared >= 2


@pytest.mark.parametrize("row", [r for r in ROWS if r.witness], ids=lambda r: r.name)
@pytest.mark.some(3)
def test_the_spelling_in_mpmath_is_the_same(row: Op) -> None:
    for args in points(row)[:2]:
        with mpmath.mp.workdps(40):
            compute = arithmetic(mpmath.mpf(1)).compute(row)
            found = compute(*map(mpmath.mpf, args))
            truth = mpmath.mpf(ball(row, args).str(30, radius=False))
            assert abs(found - truth) <= abs(truth) * 1e-20, args


HELD = [
    ("jv(v, x)", "jv(detach(v), x)"),
    ("gammacdf(x, v)", "gammacdf(x, detach(v))"),
    ("x*kv(v + 1, x)", "x*kv(floor(v) + 1, x)"),
    ("zeta(v)*x", "zeta(detach(v))*x"),
]


@pytest.mark.parametrize("text, held", HELD)
def test_an_order_is_held_constant(text: str, held: str) -> None:
    """One without an elementary derivative is a constant, or another input's."""
    with pytest.raises(GradcError, match="has no derivative by its order") as caught:
        gradc.compile(text)
    assert "hold it constant, detach(v" in str(caught.value)
    by_x = gradc.compile(text, wrt="x").grad(v=2.0, x=1.5)
    found = gradc.compile(held, wrt="v,x").grad(v=2.0, x=1.5)
    assert found == pytest.approx((0.0, *by_x), rel=1e-12)


def test_the_slope_of_a_value_by_an_order_is_not_known() -> None:
    order, x = Value(2.5), Value(1.5)
    called("jv")(order, x).backward()
    assert math.isnan(order.grad)
    assert x.grad == gradc.compile("jv(2.5, x)").grad(1.5)[0]
    called("poissoncdf")(count := Value(2.0), x).backward()
    assert count.grad == 0


REMOVABLE = [
    ("2*j1(x)/x", 1.0),
    ("(2*j1(x)/x)^2", 1.0),
    ("(1 - j0(x))/x^2", 0.25),
    ("i1(x)/i0(x)/x", 0.5),
    ("spherical_jn(2, x)/x^2", 1 / 15),
    ("lambertw(x)/x", 1.0),
    ("dawsn(x)/x", 1.0),
]


@pytest.mark.parametrize("text, limit", REMOVABLE)
@pytest.mark.some(3)
def test_quotients_at_0_have_their_series(text: str, limit: float) -> None:
    """As those of elementary functions have, with their derivatives, and near it."""
    compiled = gradc.compile(text, emit="hessian")
    assert compiled(0.0) == pytest.approx(limit, rel=1e-15)
    for x in (0.0, 1e-9, 1e-4, 0.03, 0.4):
        found, sure = compiled.value_grad_and_hessian(x), compiled.certified(x)
        numbers = [found[0], found[1][0], found[2][0][0]]
        truths = [sure.value, sure.gradient[0], sure.hessian[0][0]]
        assert numbers == pytest.approx(truths, rel=1e-10, abs=1e-12)


def test_a_row_of_ones_own_may_be_of_another_library() -> None:
    """Two such rows may differentiate into each other, in whatever order they come."""
    spelled = "finite(scipy.special.{}({{x}}))"
    ops = OPS.define("one(x)", "J.", partials="-two(x)", python=spelled.format("j0"))
    with pytest.raises(GradcError, match="'two' is no function of the table"):
        gradc.compile("one(x)", ops=ops)
    ops = ops.define(
        "two(x)", "J.", partials="one(x) - two(x)/x", python=spelled.format("j1")
    )
    own = gradc.compile("one(x)*y", ops=ops, emit="hessian")
    rows = gradc.compile("j0(x)*y", emit="hessian")
    for x, y in ((0.3, 2.0), (4.0, -1.0)):
        found, truth = (f.value_grad_and_hessian(x, y) for f in (own, rows))
        for one, other in zip(
            (found[0], *found[1], *found[2]), (truth[0], *truth[1], *truth[2])
        ):
            assert one == pytest.approx(other, rel=1e-13)
    assert "import scipy.special" in own.source


def test_only_a_module_with_such_rows_imports_the_library() -> None:
    assert "scipy" not in gradc.compile("erfinv(x) + logit(p) + normppf(p)").source
    head = gradc.compile("j0(x)").source.partition("INPUTS")[0]
    assert "# It needs scipy.special beside the standard library.\n" in head
    assert "import scipy.special" in head


@pytest.mark.parametrize("text, x", [("y0(x)", -1.0), ("k0(x)", 0.0), ("i0(x)", 1e3)])
def test_outside_its_domain_a_row_raises(text: str, x: float) -> None:
    compiled = gradc.compile(text)
    space: dict[str, Any] = {}
    exec(compiled.source, space)
    with pytest.raises(ValueError, match="math domain error"):
        space["value"](x)
    with pytest.raises(gradc.DomainError):
        compiled(x)
    assert gradc.compile(text, outside="nan")(x) != 0.0


@pytest.mark.parametrize(
    ("python", "said"),
    [
        ("i0e({x})", "'i0e' in column 'python' is no name of Python or math"),
        ("import os", "column 'python' is no expression of Python"),
        ("{x", "column 'python' is no expression of Python"),
        ("math.soon({x})", "column 'python': math has no soon"),
        ("no_such_library.f({x})", "needs no_such_library, which is not installed"),
    ],
)
def test_a_row_that_cannot_be_spelled_is_told(python: str, said: str) -> None:
    with pytest.raises(GradcError, match=said):
        ops = OPS.define("own(x)", "F.", partials="1", python=python)
        gradc.compile("own(x)", ops=ops)
