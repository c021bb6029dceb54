"""The special functions against balls, over their whole domains, in ulp."""

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import mpmath
import pytest
from mpmath import mp, mpf

import gradc
from gradc import special
from gradc.checking.certified import Witness

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


def certain(text: str) -> Callable[..., Any]:
    """What balls are certain of a formula of x, or of x and y."""
    witness = Witness(gradc.compile(text).written)

    def truth(*xs: mpf) -> mpf:
        found = witness.at(dict(zip("xy", map(float, xs)))).truth()
        assert found is not None, (text, xs)
        if math.isinf(found):
            return mpf(found)
        return mpf(Fraction(found).numerator) / Fraction(found).denominator

    return truth


log_beta, log_gamma = certain("lbeta(x, y)"), certain("lgamma(x)")


def beta_part(x: mpf, y: mpf) -> mpf:
    """The size of what the logarithm of a large beta rounds, in units of beta."""
    log = log_beta(x, y)
    return mpmath.exp(log) * abs(log)


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


def orders(*bounds: tuple[int, float]) -> dict[str, Law]:
    """One law for each order n of polygamma(n, ...)."""
    return {
        f"polygamma {n}": Law(
            partial(special.polygamma, n),
            certain(f"polygamma({n}, x)"),
            POSITIVE + NEGATIVE,
            ulp,
            partial(cot_part, n),
        )
        for n, ulp in bounds
    }


# fmt: off
LAWS = {
    "cbrt": Law(special.cbrt, certain("cbrt(x)"), LINE, 0.51),
    "sinpi": Law(special.sinpi, mpmath.sinpi, LINE + near(1, -2, 1e6), 1.5),
    "sinc": Law(special.sinc, certain("sinc(x)"), LINE + near(1, -2, 1e6), 2.5),
    "erfcx": Law(special.erfcx, certain("erfcx(x)"), RUN + near(10), 4),
    "loggamma": Law(special.loggamma, log_gamma, POSITIVE + near(1, 2, 3), 12),
    "loggamma below 0": Law(special.loggamma, log_gamma, NEGATIVE, 12, lambda x: 1 + abs(log_gamma(1 - x))),
    "digamma": Law(special.digamma, certain("digamma(x)"), POSITIVE + near(1.4616321449683623, 2, 10), 4),
    "digamma below 0": Law(special.digamma, certain("digamma(x)"), NEGATIVE, 4, partial(cot_part, 0)),
    **orders((1, 4), (2, 4), (3, 4), (6, 6), (20, 8)),
    "beta": Law(special.beta, certain("beta(x, y)"), PAIRS, 12, beta_part),
    "lbeta": Law(special.lbeta, log_beta, PAIRS, 12, lambda x, y: 1),
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


def test_cubes_have_exact_roots() -> None:
    for k in range(-2000, 2000):
        assert special.cbrt(float(k**3)) == k


def test_rounding_keeps_signs_and_size() -> None:
    values = [0.0, 0.3, 0.5, 1.5, 2.5, 2.0**52 - 0.5, 1e300, math.inf]
    for x in values + [-x for x in values]:
        for to, rule in (
            (round, mpmath.nint),
            (math.floor, mpmath.floor),
            (math.ceil, mpmath.ceil),
            (math.trunc, lambda t: mpmath.sign(t) * mpmath.floor(abs(t))),
        ):
            rounded = special.rounded(to, x)
            assert rounded == (rule(mpf(x)) if math.isfinite(x) else x), (to, x)
            assert math.copysign(1.0, rounded) == math.copysign(1.0, x) or rounded > x


def test_choices() -> None:
    assert special.ties(2.0, 2.0, 1.0, 2.0) == 2.0


@pytest.mark.parametrize(
    "call, expected",
    [
        ("sinc(inf)", 0.0),
        ("erfcx(inf)", 0.0),
        ("cbrt(-inf)", -math.inf),
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
    "call",
    """rounded(round,nan) rounded(floor,nan) cbrt(nan) sinc(nan) erfcx(nan) loggamma(nan)
    digamma(nan)""".split(),
)
def test_nan_stays_nan(call: str) -> None:
    assert math.isnan(eval(call, {**vars(special), "nan": math.nan}))


@pytest.mark.parametrize(
    "call",
    """digamma(0.0) digamma(-3.0) digamma(-1e300) digamma(-inf) loggamma(-0.0)
    loggamma(-2.0) polygamma(1,0.0) polygamma(2,-4.0) polygamma(-1,2.0)
    polygamma(0.5,2.0) beta(0.0,1.0) beta(1.0,-0.5) lbeta(0.0,1.0)""".split(),
)
def test_outside_the_domain(call: str) -> None:
    with pytest.raises(ValueError, match="math domain error"):
        eval(call, {**vars(special), "inf": math.inf})


@pytest.mark.parametrize(
    "call",
    ["erfcx(-27.0)", "polygamma(1,1e-200)"],
)
def test_beyond_the_largest_float(call: str) -> None:
    with pytest.raises(OverflowError):
        eval(call, vars(special))
