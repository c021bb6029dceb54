"""What the libraries of other languages lack or round badly, in the Python of `special`.

`bodies` prints these functions where a language has none of its own. Python has them in
`math` and `statistics`: with the same bits, but for erf and erfc, hypot, and pow where that of
JavaScript is off. `tests/test_bodies.py` measures it.
"""

from math import atan2, cos, exp, expm1, floor, fmod, inf, log, log2, nan, pi, sin, sqrt

from gradc.special import horner

# erf(x)/x - 1 by x^2 on [0, 1], and erfc(x)*exp(x^2)*(1 + 2*x) by (4*x - 15)/(4*x + 15)
# on [0.45, 28]: Chebyshev fits, highest power first, their errors 1e-19 and 2e-17.
ERF_P = (
    *(5.957176147748911e-11, -1.1372848856791674e-09, 1.4659775274047436e-08),
    *(-1.6350312701054695e-07, 1.6461000484121368e-06, -1.4925595266831182e-05),
    *(0.0001205533111164271, -0.000854832698083379, 0.0052239776248180145),
    *(-0.026866170645076792, 0.11283791670954879, -0.3761263890318375),
    0.1283791670955126,
)
ERFC_P = (
    *(2.5439527200267725e-08, 1.3590636532805841e-08, -2.428611965452645e-07),
    *(-4.5432394200286955e-08, 1.7409563548921328e-06, -9.817999356083346e-07),
    *(-1.143978725504273e-05, 2.238780069098066e-05, 5.164802160016932e-05),
    *(-0.0002901550542697547, 0.0002937138170344782, 0.0017556260194393593),
    *(-0.009746579567575922, 0.02836227740191402, -0.05869339858974981),
    *(0.09230432116132899, -0.10880393014170836, 0.0822767384901211),
    *(0.003585415485463197, -0.14024059858554677, 1.2375126308378275),
)

# The sum of Lanczos with g = 6.0246... as a quotient, lowest power first (Boost.Math).
LANCZOS_G = 6.024680040776729583740234375
LANCZOS_P = (
    *(23531376880.410759688572, 42919803642.649098768958, 35711959237.355668049440),
    *(17921034426.037209699920, 6039542586.3520280050643, 1439720407.3117216736632),
    *(248874557.86205415651146, 31426415.585400194380614, 2876370.6289353724412254),
    *(186056.26539522349504029, 8071.6720023658162106380, 210.82427775157934587251),
    2.5066282746310002701649,
)
LANCZOS_Q = (
    *(0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0),
    *(2637558.0, 357423.0, 32670.0, 1925.0, 66.0, 1.0),
)

# The normal quantile near 1/2, in the tail, and far out (Wichura, AS 241, PPND16).
QUANTILE_P0 = (
    *(2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4),
    *(4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3),
    *(1.3314166789178437745e2, 3.3871328727963666080),
)
QUANTILE_Q0 = (
    *(5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4),
    *(2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2),
    *(4.2313330701600911252e1, 1.0),
)
QUANTILE_P1 = (
    *(7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1),
    *(1.27045825245236838258, 3.64784832476320460504, 5.76949722146069140550),
    *(4.63033784615654529590, 1.42343711074968357734),
)
QUANTILE_Q1 = (
    *(1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2),
    *(1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940),
    *(2.05319162663775882187, 1.0),
)
QUANTILE_P2 = (
    *(2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3),
    *(2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580),
    *(5.46378491116411436990, 6.65790464350110377720),
)
QUANTILE_Q2 = (
    *(2.04426310338993978564e-15, 1.42151175831644588870e-7),
    *(1.84631831751005468180e-5, 7.86869131145613259100e-4),
    *(1.48753612908506148525e-2, 1.36929880922735805310e-1),
    *(5.99832206555887937690e-1, 1.0),
)


def copysign(x: float, y: float) -> float:
    """The magnitude of x with the sign of y."""
    return -abs(x) if y < 0.0 or y == 0.0 and atan2(y, -1.0) < 0.0 else abs(x)


def rint(x: float) -> float:
    """x rounded to the nearest integer, halves to even."""
    big = copysign(2.0**52, x)
    return copysign(x + big - big, x) if abs(x) < 2.0**52 else x


def remainder(x: float, y: float) -> float:
    """The remainder by the nearest multiple of y, of two the even one."""
    if abs(x) < inf and abs(y) == inf:
        return x
    r = fmod(abs(x), abs(y))
    rest = abs(y) - r
    if r == rest:
        r -= 2.0 * fmod(0.5 * (abs(x) - r), abs(y))
    elif r > rest:
        r = -rest
    return r * copysign(1.0, x)


def ldexp(x: float, e: float) -> float:
    """x*2^e."""
    while e > 1000.0:
        x *= 2.0**1000
        e -= 1000.0
    while e < -1000.0:
        x *= 2.0**-1000
        e += 1000.0
    return x * float(2.0**e)


def exponent(x: float) -> float:
    """The e of frexp, with 2^(e - 1) <= abs(x) < 2^e."""
    e = floor(log2(abs(x))) + 1.0
    m = ldexp(abs(x), -e)
    return e + 1.0 if m >= 1.0 else e - 1.0 if m < 0.5 else e


def hypot(x: float, y: float) -> float:
    """The length of a vector."""
    t = x * x + y * y
    if 1e-280 < t < 1e300:
        return sqrt(t)
    if abs(x) == inf or abs(y) == inf:
        return inf
    scale = 2.0**600 if t < 1.0 else 2.0**-600
    x *= scale
    y *= scale
    return sqrt(x * x + y * y) / scale


def factorial(n: float) -> float:
    """n!, beyond 170 infinite."""
    product = 1.0
    for k in range(2, int(n) + 1):
        product *= k
    return product


def pow(x: float, y: float) -> float:
    """x^y, next to 1 of a large y by its logarithm in two parts, where pow is off."""
    d = abs(x) - 1.0
    t = y * d
    if not (2.0**31 < abs(y) < 1e19 and abs(d) < 1e-6 and abs(t) < 800.0):
        return float(x**y)
    if x < 0.0 and fmod(y, 1.0) != 0.0:
        return nan
    a = y * 134217729.0
    a -= a - y
    b = d * 134217729.0
    b -= b - d
    rest = a * b - t + a * (d - b) + (y - a) * b + (y - a) * (d - b)
    rest -= t * d * (0.5 - d * (1.0 / 3.0 - 0.25 * d))
    total = t + rest
    found = exp(total) + exp(total) * (t - total + rest)
    return -found if x < 0.0 and fmod(y, 2.0) != 0.0 else found


def erf(x: float) -> float:
    """The error function: a polynomial of x^2 up to 1, beyond by erfc."""
    if abs(x) < 1.0:
        return x + x * horner(ERF_P, x * x)
    return copysign(1.0 - erfc_tail(abs(x)), x)


def erfc(x: float) -> float:
    """1 - erf(x)."""
    if x < 0.65 and x > -1.0:
        return 1.0 - (x + x * horner(ERF_P, x * x))
    return erfc_tail(x) if x > 0.0 else 2.0 - erfc_tail(-x)


def erfc_tail(x: float) -> float:
    """erfc: exp(-x^2) with an exact square, times a polynomial over 1 + 2*x."""
    if x > 28.0:
        return 0.0
    near = floor(x * 2.0**21) / 2.0**21
    t = horner(ERFC_P, (4.0 * x - 15.0) / (4.0 * x + 15.0)) / (1.0 + 2.0 * x)
    return exp(-near * near) * (t + t * expm1((near - x) * (near + x)))


def sine(x: float) -> float:
    """sin(pi*x) for x > 0."""
    y = fmod(x, 2.0)
    n = floor(2.0 * y + 0.5)
    if n == 1.0 or n == 3.0:
        return cos(pi * (y - 0.5)) if n == 1.0 else -cos(pi * (y - 1.5))
    return sin(pi * (y if n == 0.0 else 1.0 - y if n == 2.0 else y - 2.0))


def lanczos(x: float) -> float:
    """The sum of Lanczos."""
    p = q = 0.0
    for k in range(0, 13):
        p = p * x + LANCZOS_P[12 - k] if x < 5.0 else p / x + LANCZOS_P[k]
        q = q * x + LANCZOS_Q[12 - k] if x < 5.0 else q / x + LANCZOS_Q[k]
    return p / q


def gamma(x: float) -> float:
    """The gamma function (Lanczos 1964), of whole numbers a product."""
    y = abs(x)
    if y < 1e-20 or x == inf:
        return 1.0 / x if x < inf else x
    if x == floor(x) and x < 24.0:
        return factorial(x - 1.0) if x > 0.0 else nan
    if y > 200.0:
        return inf if x > 0.0 else 0.0 / sine(y)
    half = LANCZOS_G - 0.5
    t = y + half
    z = (t - y - half if y > half else t - half - y) * LANCZOS_G / t
    root = float(t ** (y - 0.5 if y < 140.0 else 0.5 * y - 0.25))  # or its square
    if x > 0.0:
        found = lanczos(y) / exp(t)
        found += z * found
        return found * root if y < 140.0 else found * root * root
    found = -pi / sine(y) / y * exp(t) / lanczos(y)
    found -= z * found
    return found / root if y < 140.0 else found / root / root


def lgamma(x: float) -> float:
    """The logarithm of gamma(x) for x > 2."""
    found = log(lanczos(x)) - LANCZOS_G + (x - 0.5) * (log(x + LANCZOS_G - 0.5) - 1.0)
    return found if x < inf else x


def quantile(p: float) -> float:
    """The quantile of the standard normal distribution (Wichura, AS 241)."""
    if p <= 0.0 or p >= 1.0:
        return nan
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return horner(QUANTILE_P0, r) * q / horner(QUANTILE_Q0, r)
    r = sqrt(-log(p if q <= 0.0 else 1.0 - p))
    if r <= 5.0:
        found = horner(QUANTILE_P1, r - 1.6) / horner(QUANTILE_Q1, r - 1.6)
    else:
        found = horner(QUANTILE_P2, r - 5.0) / horner(QUANTILE_Q2, r - 5.0)
    return -found if q < 0.0 else found
