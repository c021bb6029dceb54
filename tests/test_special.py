"""The special functions against 50 digits, over their whole domains, in ulp."""

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import cycle
from typing import Any, NamedTuple

import mpmath
import pytest
from mpmath import mp, mpf

from gradc import special

DIGITS = 50
Point = tuple[float, ...]


def one(*values: float) -> list[Point]:
    return [(value,) for value in values]


def uniform(low: float, high: float, count: int = 200) -> list[Point]:
    draw = random.Random(f"{low} {high}")
    return one(*(draw.uniform(low, high) for _ in range(count)))


def scaled(low: float, high: float, count: int = 200) -> list[Point]:
    """Positive numbers with a uniform decimal exponent."""
    draw = random.Random(f"{low} {high}")
    return one(*(10 ** draw.uniform(low, high) for _ in range(count)))


def signed(points: list[Point]) -> list[Point]:
    return points + [(-x,) for (x,) in points]


def near(*places: float) -> list[Point]:
    """Both sides of each place, from far to next to it."""
    sides = [side * 10.0**-k for k in range(1, 16) for side in (1, -1)]
    return one(*(place + side for place in places for side in sides))


def pairs(low: float, high: float, count: int = 250) -> list[Point]:
    draw = random.Random(f"pairs {low} {high}")
    return [
        (10 ** draw.uniform(low, high), 10 ** draw.uniform(low, high))
        for _ in range(count)
    ]


LINE = signed(uniform(0, 40) + scaled(-320, 300) + one(0.0, 5e-324, 1e-300, 1.0))
BELL = signed(uniform(0, 40) + scaled(-320, 2) + one(0.0, 5e-324)) + near(-1)
POSITIVE = uniform(0, 15) + scaled(-300, 300, 100) + one(1.0, 2.0, 3.0, 10.0, 1e300)
NEGATIVE = [(-x,) for (x,) in uniform(0, 20) if x % 1] + near(-1.0, -2.0, -7.0)
RUN = uniform(-26, 3, 100) + uniform(0, 15, 60) + scaled(-300, 300, 40) + one(1e300)
PAIRS = pairs(-12, 12) + pairs(-1, 1) + pairs(0.9, 2.5) + pairs(-60, 60, 50)


def digits(*xs: mpf) -> int:
    """Digits that survive a difference between terms of these magnitudes."""
    return DIGITS + 2 * sum(abs(int(mpmath.log10(abs(x)))) for x in xs if x)


def sinc_witness(n: int, x: mpf) -> mpf:
    with mp.workdps(digits(x)):
        whole = mpmath.hyp1f1(n + 1, n + 2, 1j * mp.pi * x)
        return mp.pi**n / (n + 1) * mpmath.re(mpmath.mpc(0, 1) ** n * whole)


def erfcx_witness(n: int, x: mpf) -> mpf:
    if x > 0:
        upper = mpmath.hyperu(mpf(n + 1) / 2, 0.5, x * x)
        return (-1) ** n * mpmath.factorial(n) / mpmath.sqrt(mp.pi) * upper
    with mp.workdps(DIGITS + int(x * x)):
        before, f = mpf(0), mpmath.exp(x * x) * mpmath.erfc(x)
        for k in range(n):
            inner = k * before if k else -1 / mpmath.sqrt(mp.pi)
            before, f = f, 2 * (x * f + inner)
        return f


def log_beta(x: mpf, y: mpf) -> mpf:
    with mp.workdps(digits(x, y)):
        whole = mpmath.loggamma(x + y)
        return mpmath.loggamma(x) + mpmath.loggamma(y) - whole


def gap_witness(n: int, x: mpf, y: mpf) -> mpf:
    with mp.workdps(digits(x, y)):
        return mpmath.psi(n, x) - mpmath.psi(n, x + y)


def lgamma_gap(x: mpf, y: mpf) -> mpf:
    with mp.workdps(digits(x, y)):
        return mpmath.loggamma(x) - mpmath.loggamma(x + y)


def log1pmx(x: mpf) -> mpf:
    with mp.workdps(100 + DIGITS):
        return mpmath.log1p(x) - x


class Law(NamedTuple):
    """`function` is within `ulp` of `witness`, in units of the larger of it and scale."""

    function: Callable[..., float]
    witness: Callable[..., Any]
    points: list[Point]
    ulp: float
    scale: Callable[..., Any] = lambda *xs: 0


def cot_part(n: int, x: mpf) -> mpf:
    """The size of the terms of polygamma(n, x) that cancel near its negative roots."""
    r = abs(x - mpmath.nint(x))
    return mpmath.factorial(n) / r ** (n + 1) if x < 0 else 0


def envelope(n: int, x: mpf) -> mpf:
    """The size of the n-th derivative of sinc between its roots."""
    return mp.pi**n / (n + 1 + mp.pi * abs(x)) if n else 0


def orders(name: str, *bounds: tuple[int, float], **columns: Any) -> dict[str, Law]:
    """One law for each order n of a family f(n, ...)."""
    family = {"polygamma": mpmath.psi, "sinc_n": sinc_witness}
    family |= {"erfcx_n": erfcx_witness, "polygamma_gap": gap_witness}
    scale = columns.pop("scale", lambda n, *xs: 0)
    return {
        f"{name} {n}": Law(
            partial(getattr(special, name), n),
            partial(family[name], n),
            ulp=ulp,
            scale=partial(scale, n),
            **columns,
        )
        for n, ulp in bounds
    }


def real(x: mpf) -> mpf:
    return mpmath.re(mpmath.loggamma(x))


def total(x: mpf, y: mpf) -> mpf:
    """The logarithm of gamma of an exact sum."""
    with mp.workdps(digits(x, y)):
        return real(x + y)


SMALL = [sign * 10.0**-k for k in range(1, 40) for sign in (1, -1)]
ROOTS = [(n, x) for n in (0.5, 1.0, 1.5, 2.0, 3.0) for x in SMALL] + PAIRS
POLES = [(x, n) for n in (-3.0, -1.0, -0.25) for x in SMALL]


# fmt: off
LAWS = {
    "cbrt": Law(special.cbrt, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), LINE, 0.51),
    "exp2": Law(special.exp2, lambda x: mpmath.power(2, x), uniform(-1074, 1024), 0.6),
    "sinpi": Law(special.sinpi, mpmath.sinpi, LINE + near(1, -2, 1e6), 1.5),
    "cospi": Law(special.cospi, mpmath.cospi, LINE + near(0.5, -2.5, 1e6 + 0.5), 1.5),
    "sinc": Law(special.sinc, mpmath.sincpi, LINE + near(1, -2, 1e6), 2.5),
    "sigmoid": Law(special.sigmoid, lambda x: 1 / (1 + mpmath.exp(-x)), LINE + uniform(-745, 0), 2),
    "softplus": Law(special.softplus, lambda x: mpmath.log1p(mpmath.exp(x)), LINE + uniform(-745, 0), 1.5),
    "silu": Law(special.silu, lambda x: x / (1 + mpmath.exp(-x)), LINE + uniform(-760, 0), 2.5),
    "sech2": Law(special.sech2, lambda x: mpmath.sech(x) ** 2, LINE + uniform(-380, 380), 3.5),
    "erfcx": Law(special.erfcx, partial(erfcx_witness, 0), RUN + near(10), 4),
    "normpdf": Law(special.normpdf, mpmath.npdf, BELL, 3),
    "normcdf": Law(special.normcdf, mpmath.ncdf, BELL, 4),
    "gelu": Law(special.gelu, lambda x: x * mpmath.ncdf(x), BELL, 4),
    "loggamma": Law(special.loggamma, real, POSITIVE + near(1, 2, 3), 12),
    "loggamma below 0": Law(special.loggamma, real, NEGATIVE, 12, lambda x: 1 + abs(real(1 - x))),
    "loggamma_sum": Law(special.loggamma_sum, total, ROOTS, 12),
    "loggamma_sum below 0": Law(special.loggamma_sum, total, POLES, 12, lambda x, y: 1 + abs(real(1 - x - y))),
    "digamma": Law(special.digamma, mpmath.digamma, POSITIVE + near(1.4616321449683623, 2, 10), 4),
    "digamma below 0": Law(special.digamma, mpmath.digamma, NEGATIVE, 4, partial(cot_part, 0)),
    **orders("polygamma", (1, 4), (2, 4), (3, 4), (6, 6), (20, 8), points=POSITIVE + NEGATIVE, scale=cot_part),
    **orders("polygamma_gap", (0, 4), (1, 4), (2, 4), (5, 8), points=PAIRS),
    **orders("sinc_n", (1, 3), (2, 4), (3, 4), (4, 5), (10, 10), points=LINE + near(1, -2), scale=envelope),
    **orders("erfcx_n", (1, 4), (2, 6), (3, 8), (5, 12), points=RUN),
    "beta": Law(special.beta, lambda x, y: mpmath.exp(log_beta(x, y)), PAIRS, 12),
    "lbeta": Law(special.lbeta, log_beta, PAIRS, 6, lambda x, y: 1),
    "lgamma_gap": Law(special.lgamma_gap, lgamma_gap, PAIRS, 8, lambda x, y: min(y, 1 + abs(real(x))) if x < 3 else 0),
    "log1pmx": Law(special.log1pmx, log1pmx, uniform(-1, 2) + near(0, -0.6, 1), 4),
    "turn": Law(
        special.turn, lambda x, y, u, v: mpmath.atan2(x * v - y * u, x * u + y * v),
        [(x, y, x * (1 + z), y * (1 - z * z)) for (x, y), z in zip(PAIRS, cycle((0.3, 1e-4, -1e-12, -2.5)))], 2,
    ),
    "logaddexp": Law(
        special.logaddexp, lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
        [(x, y) for x, y in zip(range(-700, 700, 7), range(700, -700, -7))] + pairs(-3, 2.8), 1.5,
    ),
    "logsumexp": Law(
        special.logsumexp, lambda *xs: mpmath.log(sum(mpmath.exp(x) for x in xs)),
        [(x, y, -x, 2.0) for x, y in pairs(-3, 2.8)], 1.5,
    ),
}
# fmt: on


def errors(law: Law) -> Iterator[tuple[float, Point]]:
    """The error at each point, in ulp; a result beyond the largest float is left out."""
    for point in law.points:
        exact = [mpf(x) for x in point]
        with mp.workdps(DIGITS):
            truth = law.witness(*exact)
            size = max(abs(truth), law.scale(*exact))
            if size < 2**1024:
                error = abs(mpf(law.function(*point)) - truth)
                yield float(error / math.ulp(float(size))), point


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.some(2)
def test_the_stated_error_is_kept(name: str) -> None:
    law = LAWS[name]
    measured = list(errors(law))
    assert len(measured) > 100
    worst, where = max(measured)
    assert worst <= law.ulp, f"{name}{where} is {worst:.2f} ulp off"


def test_fma_rounds_once() -> None:
    draw = random.Random(1)
    for _ in range(2000):
        x, y = (draw.gauss(0, 1) * 2.0 ** draw.randint(-430, 430) for _ in range(2))
        z = -x * y * draw.choice([1, 1 + 2**-52, 1e-17, 1e17])
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        assert special.fma(x, y, z) == float(exact)


def test_fma2_rounds_once() -> None:
    draw = random.Random(2)
    for _ in range(2000):
        x, y, z = (draw.gauss(0, 1) * 2.0 ** draw.randint(-99, 99) for _ in range(3))
        w = -x * y / z * draw.choice([1, 1 + 2**-52, 1e-17, 1e17])
        c = draw.choice([0.0, -1.0, x * y, 1e-17 * x * y])
        exact = Fraction(x) * Fraction(y) + Fraction(z) * Fraction(w) + Fraction(c)
        assert special.fma2(x, y, z, w, c) == float(exact)


@pytest.mark.parametrize(
    "x, y, z, expected",
    [
        (1e300, 1e300, -math.inf, -math.inf),
        (math.inf, 0.0, 1.0, math.nan),
        (math.inf, 1.0, -math.inf, math.nan),
        (0.0, -1.0, -0.0, -0.0),
        (0.0, -1.0, 0.0, 0.0),
        (1.0, 1.0, -1.0, 0.0),
        (-1e-300, 1e-300, 0.0, -0.0),
    ],
)
def test_fma_at_the_edges(x: float, y: float, z: float, expected: float) -> None:
    assert repr(special.fma(x, y, z)) == repr(expected)


def test_cubes_have_exact_roots() -> None:
    for k in range(-2000, 2000):
        assert special.cbrt(float(k**3)) == k


def test_rounding_keeps_signs_and_size() -> None:
    values = [0.0, 0.3, 0.5, 1.5, 2.5, 2.0**52 - 0.5, 1e300, math.inf]
    for x in values + [-x for x in values]:
        for name, rule in (
            ("round_even", mpmath.nint),
            ("round_down", mpmath.floor),
            ("round_up", mpmath.ceil),
            ("round_to_zero", lambda t: mpmath.sign(t) * mpmath.floor(abs(t))),
        ):
            rounded = getattr(special, name)(x)
            assert rounded == (rule(mpf(x)) if math.isfinite(x) else x), (name, x)
            assert math.copysign(1.0, rounded) == math.copysign(1.0, x) or rounded > x


def test_choices() -> None:
    assert [special.sign(x) for x in (-2.0, -0.0, 5e-324)] == [-1.0, 0.0, 1.0]
    assert [special.fdim(3.0, y) for y in (1.0, 3.0, 4.0)] == [2.0, 0.0, 0.0]
    assert special.ties(2.0, 2.0, 1.0, 2.0) == 2.0
    assert special.rivals(2.0, 1.0, 2.0) == 1.0
    assert [special.xlogy(x, y) for x, y in ((0.0, 0.0), (2.0, 1.0))] == [0.0, 0.0]
    assert special.xlogy(3.0, 2.0) == 3.0 * math.log(2.0)


@pytest.mark.parametrize(
    "call, expected",
    [
        ("sigmoid(-inf)", 0.0),
        ("sigmoid(inf)", 1.0),
        ("softplus(inf)", math.inf),
        ("softplus(-inf)", 0.0),
        ("silu(-inf)", 0.0),
        ("gelu(-inf)", 0.0),
        ("gelu(inf)", math.inf),
        ("normcdf(-inf)", 0.0),
        ("normcdf(inf)", 1.0),
        ("normpdf(-inf)", 0.0),
        ("sech2(inf)", 0.0),
        ("sinc(inf)", 0.0),
        ("erfcx(inf)", 0.0),
        ("cbrt(-inf)", -math.inf),
        ("logaddexp(inf, inf)", math.inf),
        ("logaddexp(-inf, -inf)", -math.inf),
        ("logsumexp(-inf, -inf)", -math.inf),
        ("logsumexp(inf, 1.0)", math.inf),
        ("logsumexp(3.0)", 3.0),
        ("digamma(inf)", math.inf),
        ("digamma(5e-324)", -math.inf),
        ("polygamma(2, inf)", 0.0),
        ("loggamma(inf)", math.inf),
        ("beta(2.0, inf)", 0.0),
        ("lbeta(2.0, inf)", -math.inf),
        ("beta(1e19, 1e11)", 0.0),
    ],
)
def test_limits(call: str, expected: float) -> None:
    assert eval(call, {**vars(special), "inf": math.inf}) == expected


@pytest.mark.parametrize(
    "name",
    "sign round_even round_down round_up round_to_zero cbrt exp2 sigmoid softplus silu "
    "sech2 sinc erfcx normpdf normcdf gelu loggamma digamma".split(),
)
def test_nan_stays_nan(name: str) -> None:
    assert math.isnan(getattr(special, name)(math.nan))


@pytest.mark.parametrize(
    "call",
    """digamma(0.0) digamma(-3.0) digamma(-1e300) digamma(-inf) loggamma(-0.0)
    loggamma(-2.0) polygamma(1,0.0) polygamma(2,-4.0) polygamma(-1,2.0)
    polygamma(0.5,2.0) beta(0.0,1.0) beta(1.0,-0.5) lbeta(0.0,1.0) xlogy(1.0,0.0)
    polygamma_gap(0,0.0,1.0)""".split(),
)
def test_outside_the_domain(call: str) -> None:
    with pytest.raises(ValueError, match="math domain error"):
        eval(call, {**vars(special), "inf": math.inf})


@pytest.mark.parametrize(
    "call",
    ["exp2(1024.0)", "erfcx(-26.63)", "polygamma(1,1e-200)", "fma(1e300,1e10,0.0)"],
)
def test_beyond_the_largest_float(call: str) -> None:
    with pytest.raises(OverflowError):
        eval(call, vars(special))
