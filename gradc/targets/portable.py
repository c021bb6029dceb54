"""What the libraries of other languages lack or round badly, in the Python of `special`.

`bodies` prints these functions where a language has none of its own. Python has them in
`math` and `statistics`: with the same bits, but for erf and erfc, hypot, and pow where that of
JavaScript is off. `tests/test_bodies.py` measures it.
"""

from math import atan2, cos, exp, expm1, floor, fmod, inf, log, log2, nan, pi, sin, sqrt

from gradc.special import horner

# erf(x)/x - 1 by x^2 on [0, 1], and erfc(x)*exp(x^2)*(1 + 2*x) by (4*x - 15)/(4*x + 15)
# on [0, 28]: Chebyshev fits, highest power first, their errors 1e-19 and 1e-16. The sum
# of Lanczos as a quotient, lowest power first (Boost.Math). The normal quantile near 1/2,
# in the tail, and far out (Wichura, AS 241, PPND16).
_TABLES = """
5.957176147748911e-11 -1.1372848856791674e-09 1.4659775274047436e-08
-1.6350312701054695e-07 1.6461000484121368e-06 -1.4925595266831182e-05
0.0001205533111164271 -0.000854832698083379 0.0052239776248180145 -0.026866170645076792
0.11283791670954879 -0.3761263890318375 0.1283791670955126

5.575698000886232e-09 3.0765786106553526e-08 -2.4939883909341244e-09
-2.5877777061012165e-07 -2.5767825896065014e-08 1.7612484630167294e-06
-9.950701048660069e-07 -1.1454173186951395e-05 2.23931981882943e-05
5.165421548248807e-05 -0.00029015641208476314 0.0002937121574245422
0.0017556262284450098 -0.009746579295257933 0.028362277383047398 -0.05869339861557158
0.09230432116225044 -0.10880393014045761 0.08227673849010006 0.003585415485439576
-0.14024059858554663 1.2375126308378277

23531376880.41076 42919803642.6491 35711959237.35567 17921034426.03721 6039542586.352028
1439720407.3117216 248874557.86205417 31426415.585400194 2876370.6289353725
186056.26539522348 8071.672002365816 210.82427775157936 2.5066282746310002

0.0 39916800.0 120543840.0 150917976.0 105258076.0 45995730.0 13339535.0 2637558.0
357423.0 32670.0 1925.0 66.0 1.0

2509.0809287301227 33430.57558358813 67265.7709270087 45921.95393154987
13731.69376550946 1971.5909503065513 133.14166789178438 3.3871328727963665

5226.495278852854 28729.085735721943 39307.89580009271 21213.794301586597
5394.196021424751 687.1870074920579 42.31333070160091 1.0

0.0007745450142783414 0.022723844989269184 0.2417807251774506 1.2704582524523684
3.6478483247632045 5.769497221460691 4.630337846156546 1.4234371107496835

1.0507500716444169e-09 0.0005475938084995345 0.015198666563616457 0.14810397642748008
0.6897673349851 1.6763848301838038 2.053191626637759 1.0

2.0103343992922881e-07 2.7115555687434876e-05 0.0012426609473880784 0.026532189526576124
0.29656057182850487 1.7848265399172913 5.463784911164114 6.657904643501103

2.0442631033899397e-15 1.421511758316446e-07 1.8463183175100548e-05
0.0007868691311456133 0.014875361290850615 0.1369298809227358 0.599832206555888 1.0
"""
_READ = [tuple(map(float, part.split())) for part in _TABLES.split("\n\n")]
ERF_P, ERFC_P, LANCZOS_P, LANCZOS_Q, *_QUANTILE = _READ
QUANTILE_P0, QUANTILE_Q0, QUANTILE_P1, QUANTILE_Q1, QUANTILE_P2, QUANTILE_Q2 = _QUANTILE
LANCZOS_G = 6.02468004077673


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
    """x*2^e, in two steps, for 2^e may be beyond what floats have."""
    half = floor(0.5 * e)
    return x * float(2.0**half) * float(2.0 ** (e - half))


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
        return y * 1e308 if x > 0.0 else 0.0 / sine(y)
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
