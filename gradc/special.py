"""Special functions in plain Python over `math`: what Python 3.10 lacks or rounds badly.

A generated module carries copies of the functions it uses, so each of them rests only
on `math`, on a module that is imported here, on other functions of this file and on its UPPER_CASE constants. The error
that each keeps, in units in the last place, is stated and measured in
`tests/test_special.py`. Poles and points outside the domain raise `ValueError`; a result
beyond the largest float is `inf` or an `OverflowError`, as in `math`.
"""

import statistics
from collections.abc import Callable, Sequence
from math import copysign, floor, fmod, frexp, isfinite, ldexp, remainder, trunc
from math import cos, exp, expm1, inf, log, log1p, pi, pow, sin, sqrt, tan
from math import erf, erfc, factorial, gamma, lgamma
from typing import Any

# Bernoulli numbers B2, B4, ..., B20.
BERNOULLI = (
    *(1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510),
    *(43867 / 798, -174611 / 330),
)

# The positive root of digamma in three parts, and digamma(x)/(x - root) - DIGAMMA_Y on
# [1, 2] as a quotient of polynomials in x - 1, highest power first (Boost.Math).
DIGAMMA_ROOT = (1569415565 / 2**30, 381566830 / 2**60, 9.016312093258695918e-20)
DIGAMMA_Y = 0.99558162689208984
DIGAMMA_P = (
    *(-0.0020713321167745952, -0.045251321448739056, -0.28919126444774784),
    *(-0.65031853770896507, -0.32555031186804491, 0.25479851061131551),
)
DIGAMMA_Q = (
    *(-0.55789841321675513e-6, 0.0021284987017821144, 0.054151797245674225),
    *(0.43593529692665969, 1.4606242909763515, 2.0767117023730469, 1.0),
)

# lgamma(2 + z)/z for abs(z) <= 1/2: a Chebyshev fit, its error 5e-18.
LOGGAMMA_P = (
    *(2.7475390051909663e-07, -5.811277768921246e-07, 9.242852225162277e-07),
    *(-1.9743106888421067e-06, 4.3828545383846665e-06, -9.45628851510172e-06),
    *(2.050601970174762e-05, -4.4923727564247656e-05, 9.945761692157133e-05),
    *(-0.00022315497746292723, 0.0005096695196526673, -0.0011927539009983087),
    *(0.002890510330865901, -0.007385551028935545, 0.02058080842778338),
    *(-0.06735230105319563, 0.3224670334241132, 0.42278433509846713),
)


def horner(coefficients: tuple[float, ...], x: float) -> float:
    """The polynomial with these coefficients, highest power first, at x."""
    total = 0.0
    for coefficient in coefficients:
        total = total * x + coefficient
    return total


def floats(name: str, given: Any, *shape: int) -> Sequence[float]:
    """Return the numbers of an array as floats, row by row, if it has this shape."""
    flat = [given]
    found: list[object] = []
    while flat and hasattr(flat[0], "__len__") and len(found) <= len(shape):
        rows = [x.tolist() if hasattr(x, "tolist") else x for x in flat]
        sizes = [len(x) if isinstance(x, (list, tuple, Sequence)) else -1 for x in rows]
        found.append(sizes[0] if -1 != min(sizes) == max(sizes) else "ragged")
        flat = [] if found[-1] == "ragged" else [x for row in rows for x in row]
    if tuple(found) == shape:
        try:
            return flat if type(sum(flat)) is float else [float(x) for x in flat if {x}]
        except TypeError:
            found.append("ragged")
    raise ValueError(f"{name} has shape {shape} but was given shape {(*found,)}")


def number(name: str, x: Any) -> float:
    """Return a float for an argument that is a number."""
    try:
        if isinstance(x, (str, bytes, bytearray)) or getattr(x, "shape", None):
            raise TypeError
        return float(x)
    except (TypeError, OverflowError):
        raise ValueError(f"{name} is no number but {x!r:.50}") from None


def entry(x: float, n: float) -> int:
    """Return a whole number as a place among n entries."""
    if 0 <= x < n and x == floor(x):
        return int(x)
    raise ValueError(f"there is no entry {x} of {int(n)}")


def ties(m: float, *xs: float) -> float:
    """How many of xs equal m."""
    return float(xs.count(m))


def modulo(x: float, y: float) -> float:
    """x % y, for languages that have not this remainder, with the sign of y."""
    r = fmod(x, y)
    if r == 0.0:
        return copysign(0.0, y)
    return r + y if (r < 0.0) != (y < 0.0) else r


def least(x: float, y: float) -> float:
    """The smaller of two, for languages whose own function treats nan otherwise."""
    return y if x > y else x


def most(x: float, y: float) -> float:
    """The larger of two, as `least`."""
    return y if x < y else x


def rounded(to: Callable[[float], int], x: float) -> float:
    """x rounded by floor, ceil, trunc or round, as a float; keeps -0.0, inf and nan."""
    return copysign(float(to(x)), x) if abs(x) < 2**52 else x


def cbrt(x: float) -> float:
    """The real cube root: pow, then t + (m - t^3)/(y^2 + y*t + t^2) with t^3 exact."""
    if x == 0 or not isfinite(x):
        return x
    e = frexp(x)[1]
    shift = e % 3 - 3
    m = ldexp(abs(x), shift - e)
    y = pow(m, 1 / 3)
    t = round(y * 2**17) / 2**17
    y = t + (m - t * t * t) / (y * y + y * t + t * t)
    return copysign(ldexp(y, (e - shift) // 3), x)


def sinpi(x: float) -> float:
    """sin(pi*x), reduced exactly: zero at the integers."""
    r = remainder(x, 2.0)
    return sin(pi * (r if abs(r) <= 0.5 else copysign(1.0 - abs(r), r)))


def sumexp(m: float, *xs: float) -> float:
    """The sum of exp(x - m)."""
    total = 0.0
    for x in xs:
        total += 1.0 if x == m else exp(x - m)
    return total


def sinc(x: float) -> float:
    """sin(pi*x)/(pi*x), and 1 at 0."""
    if x == 0.0 or abs(x) == inf:
        return 0.0 if x != 0.0 else 1.0
    return sinpi(x) / (pi * x)


def erfcx(x: float) -> float:
    """exp(x^2)*erfc(x), from 10 on by the asymptotic series (DLMF 7.12.1)."""
    if x < 10.0:
        near = round(16.0 * x) / 16.0  # its square is exact
        return exp(near * near) * exp((x - near) * (x + near)) * erfc(x)
    t, series = 0.5 / x / x, 1.0
    for k in range(15, 0, -1):
        series = 1.0 - (2 * k - 1) * t * series
    return series / sqrt(pi) / x


def erfinv(x: float) -> float:
    """The y with erf(y) = x, from 1/2 on by its tail, else by a step of Newton's."""
    if abs(x) > 0.5:
        tail = statistics.NormalDist().inv_cdf(0.5 - 0.5 * abs(x))
        return copysign(tail / sqrt(2.0), x)
    y = statistics.NormalDist().inv_cdf(0.5 + 0.5 * x) / sqrt(2.0)
    return y - (erf(y) - x) * exp(y * y) * sqrt(pi) / 2


def finite(x: Any) -> float:
    """A number of another library as a float; what is none raises, as in `math`."""
    if isfinite(x):
        return float(x)
    raise ValueError("math domain error")


def cosdiff(x: float, y: float) -> float:
    """cos(x - y), with what rounding takes from the difference (Knuth's TwoSum)."""
    d = x - y
    back = x - d
    rest = x - (d + back) - (y - back)
    return cos(d) * cos(rest) - sin(d) * sin(rest)


def expdiff(x: float, y: float) -> float:
    """exp(x) - exp(y), of numbers next to each other too."""
    return exp(y) * expm1(x - y) if x < y else -exp(x) * expm1(y - x)


def exprel(x: float, y: float = 0.0) -> float:
    """(exp(x) - exp(y))/(x - y), and exp(x) where x = y."""
    half, d = exp(0.5 * (x if x > y else y)), abs(x - y)
    return half * (-expm1(-d) / d if d != 0.0 else 1.0) * half


def expm1over(x: float, y: float) -> float:
    """(exp(x*y) - 1)/x, and y where x = 0."""
    t = x * y
    if abs(t) > 1.0:
        return expm1(t) / x
    return y * (expm1(t) / t if t != 0.0 else 1.0)


def dexprel(n: float, x: float, y: float) -> float:
    """The integral of t^n*exp(t*x + (1 - t)*y) over [0, 1], n a whole number.

    Near y a power series (DLMF 13.2.2), elsewhere by parts.
    """
    u, k = y - x, n + 1.0
    if abs(u) < 0.5 * k:
        total = term = 1.0 / k
        old = 0.0
        while total != old:
            old = total
            k += 1.0
            term *= u / k
            total += term
        return exp(x) * total
    half = exp(0.5 * (x if u < 0.0 else y))
    edge = half * exp(-abs(u))
    total = (half - edge) / abs(u)
    for m in range(1, int(k)):
        total = (half - m * total) / -u if u < 0.0 else (m * total - edge) / u
    return total * half


def logratio(x: float, y: float) -> float:
    """log(x/y) for x, y > 0."""
    if x <= 0.0 or y <= 0.0:
        raise ValueError("math domain error in logrel")
    ratio = x / y
    if 0.5 < ratio < 2.0:
        return log1p((x - y) / y)
    return log(ratio) if 0.0 < ratio < inf else log(x) - log(y)


def logrel(x: float, y: float = 1.0) -> float:
    """(log(x) - log(y))/(x - y), and 1/x where x = y."""
    return logratio(x, y) / (x - y) if x != y else 1.0 / x


def dlogrel(n: float, x: float, y: float) -> float:
    """The n-th derivative of logrel by x.

    n!/(-x)^n/x times the integral of t^n/(1 - t*w) over [0, 1], w = 1 - y/x.
    """
    w, k = (x - y) / x, n + 1.0
    if abs(w) < 0.5:
        total, old, power = 1.0 / k, 0.0, w
        while total != old:
            k += 1.0
            old = total
            total += power / k
            power *= w
    else:
        total = logratio(x, y) / w
        for m in range(1, int(k)):
            total = (total - 1.0 / m) / w
    return factorial(int(n)) * (total / x) * pow(-x, -n)


def boxcox(x: float, y: float) -> float:
    """(x^y - 1)/y, and log(x) where y = 0."""
    t = y * log(x) if x > 0.0 else inf
    return log(x) * exprel(t, 0.0) if abs(t) < 1.0 else (pow(x, y) - 1.0) / y


def powrel(x: float, y: float, p: float) -> float:
    """(x^p - y^p)/(x - y), and p*x^(p - 1) where x = y."""
    if x > 0.0 and y > 0.0:
        a, b = p * log(x), p * log(y)
        if abs(a - b) < 1.0:
            slope = logrel(x, y)
            return p * pow(y, p) * exprel(p * (x - y) * slope, 0.0) * slope
    return (pow(x, p) - pow(y, p)) / (x - y)


def erf_step(x: float, y: float, logs: float) -> float:
    """erf(x) - erf(y) for x >= y as s*exp(-p), or its half as log(s/2) - p.

    Next to each other by Taylor's series around the middle, in a tail by erfcx.
    """
    a, b = x, y
    if x + y < 0.0:
        a, b = -y, -x
    m, h = 0.5 * (a + b), 0.5 * (a - b)
    if h * (m + 1.0) < 0.02:
        t, q, p = h * h, 4.0 * m * m, m * m
        series = (q * q - 12.0 * q + 12.0) / 120.0
        series += t * (((q - 30.0) * q + 180.0) * q - 120.0) / 5040.0
        s = 4.0 / sqrt(pi) * h * (1.0 + t * ((q - 2.0) / 6.0 + t * series))
    elif b > 0.5:
        s, p = erfcx(b) - exp((b - a) * (b + a)) * erfcx(a), b * b
    else:
        s, p = erf(a) - erf(b), 0.0
    return log(0.5 * s) - p if logs != 0.0 else s * exp(-p)


def erfdiff(x: float, y: float) -> float:
    """erf(x) - erf(y), in the tails and of numbers next to each other too."""
    return erf_step(x, y, 0.0) if x >= y else -erf_step(y, x, 0.0)


def logerfdiff(x: float, y: float) -> float:
    """log((erf(x) - erf(y))/2)."""
    if x <= y:
        raise ValueError("math domain error in logerfdiff")
    if y < -0.5 and 0.5 < x:
        return log1p(-0.5 * (erfc(x) + erfc(-y)))
    return erf_step(x, y, 1.0)


def digamma(x: float) -> float:
    """The derivative of lgamma: A&S 6.3.5 to 6.3.7, 6.3.18, and Boost.Math on [1, 2]."""
    flip = 0.0
    if x <= 0:
        if x % 1.0 == 0:
            raise ValueError("math domain error: pole of digamma")
        flip, x = pi / tan(pi * remainder(x, 1.0)), 1.0 - x
    if x >= 10:
        t = 1.0 / x / x
        series = 0.0
        for k in range(8, 0, -1):
            series = (series + BERNOULLI[k - 1] / (2 * k)) * t
        return log(x) - 0.5 / x - series - flip
    shift = 0.0
    if x < 1:
        shift, x = -1.0 / x, x + 1.0
    while x > 2:
        x -= 1.0
        shift += 1.0 / x
    a, b, c = DIGAMMA_ROOT
    ratio = horner(DIGAMMA_P, x - 1.0) / horner(DIGAMMA_Q, x - 1.0)
    return shift + (x - a - b - c) * (DIGAMMA_Y + ratio) - flip


def hurwitz(s: int, x: float, e: int) -> float:
    """2^(s*e) * sum over k >= 0 of (x + k)^-s, s > 1, x > 0, by Euler-Maclaurin."""
    total = 0.0
    while x < 10 + s:
        total += pow(ldexp(x, -e), -s)
        x += 1.0
    t, series = 1.0 / x / x, 0.0
    for k in range(10, 1, -1):
        rising = (s + 2 * k - 3) * (s + 2 * k - 2)
        series = (series + BERNOULLI[k - 1]) * rising / (2 * k * (2 * k - 1)) * t
    series = (series + BERNOULLI[0]) * s / 2 / x
    return total + pow(ldexp(x, -e), -s) * (x / (s - 1) + 0.5 + series)


def polygamma(n: float, x: float) -> float:
    """The n-th derivative of digamma, (-1)^(n+1) * n! * hurwitz(n + 1, x).

    Terms are scaled by a power of two near x. For negative x the terms of the sum are
    counted from the nearest integer: r + k for k >= 0, and r - k up to x itself.
    """
    if n != trunc(n) or n < 0:
        raise ValueError("math domain error: order of polygamma")
    if x <= 0 and x % 1.0 == 0:
        raise ValueError("math domain error: pole of polygamma")
    if n == 0:
        return digamma(x)
    s = int(n) + 1
    even = 1.0 if s % 2 == 0 else -1.0
    if x == inf:
        return 0.0 * even
    if x > 0:
        e = frexp(x)[1] - 1
        total = hurwitz(s, x, e)
    else:
        e, r = 0, remainder(x, 1.0)
        total = pow(r, -s) + hurwitz(s, 1.0 + r, 0)
        if r != x:
            total += even * (hurwitz(s, 1.0 - r, 0) - hurwitz(s, 1.0 - x, 0))
    product, bits = 1.0, 0  # of the factorial
    for k in range(2, s):
        product *= k
        size = frexp(product)[1]
        product, bits = ldexp(product, -size), bits + size
    return even * ldexp(product * total, bits - s * e)


def stirling(x: float) -> float:
    """lgamma(x) - (x - 0.5)*log(x) + x - 0.5*log(2*pi) for x >= 10 (A&S 6.1.42)."""
    t, series = 1.0 / x / x, 0.0
    for k in range(8, 0, -1):
        series = series * t + BERNOULLI[k - 1] / (2 * k * (2 * k - 1))
    return series / x


def loggamma(x: float) -> float:
    """log(abs(gamma(x))), with all its digits at its roots 1 and 2.

    A&S 6.1.15 leads from below 3, where math.lgamma is less accurate, to [1.5, 2.5];
    6.1.17 reflects negative x.
    """
    if x <= 0 and x % 1.0 == 0:
        raise ValueError("math domain error: pole of lgamma")
    y = x if x > 0 else 1.0 - x
    if y >= 3.0:
        found = lgamma(y)
    elif y < 0.5:
        found = y * horner(LOGGAMMA_P, y) - log1p(y) - log(y)
    elif y < 1.5:
        found = (y - 1.0) * horner(LOGGAMMA_P, y - 1.0) - log1p(y - 1.0)
    elif y <= 2.5:
        found = (y - 2.0) * horner(LOGGAMMA_P, y - 2.0)
    else:
        found = (y - 3.0) * horner(LOGGAMMA_P, y - 3.0) + log(y - 1.0)
    return found if x > 0 else -log(abs(sinpi(x)) / pi) - found


def beta(x: float, y: float) -> float:
    """gamma(x)*gamma(y)/gamma(x + y) for x, y > 0."""
    p, q = min(x, y), max(x, y)
    if p <= 0:
        raise ValueError("math domain error in beta")
    return gamma(p) / gamma(p + q) * gamma(q) if q < 10 else exp(lbeta(p, q))


def lbeta(x: float, y: float) -> float:
    """log(beta(x, y)) for x, y > 0, with Stirling's series from 10 on (TOMS 708)."""
    p, q = min(x, y), max(x, y)
    if p <= 0:
        raise ValueError("math domain error in lbeta")
    if q < 10:
        if p < 1e-300:
            return log1p(p / q) - log(p)
        return log(gamma(p) / gamma(p + q) * gamma(q))
    if q == inf:
        return -inf
    h = p / q
    rest = stirling(q) - stirling(p + q)
    if p < 10:
        return loggamma(p) + rest + p - p * log(p + q) - (q - 0.5) * log1p(h)
    rest += stirling(p) + 0.5 * log(2.0 * pi) - 0.5 * log(q)
    return (p - 0.5) * log(h / (1.0 + h)) - q * log1p(h) + rest
