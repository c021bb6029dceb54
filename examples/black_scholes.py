"""A formula and its gradient, compiled by gradc 0.2.0.

# The price of a European call option (Black and Scholes, 1973).
# Its gradient holds the "Greeks": delta, dual delta, rho, vega and minus theta.
input S, K in [50, 150]       # price of the share today, price it may be bought at
input r in [0, 0.1]           # interest rate a year
input sigma in [0.05, 0.8]    # volatility of the share
input T in [0.05, 3]          # years that are left

spread = sigma*sqrt(T)
d1 = (log(S/K) + (r + sigma^2/2)*T)/spread
d2 = d1 - spread
S*normcdf(d1) - K*exp(-r*T)*normcdf(d2)

Arguments:
    S, K: in [50, 150]
    r: in [0, 0.1]
    sigma: in [0.05, 0.8]
    T: in [0.05, 3]
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: d3c38d3797143733

from math import erfc, exp, log, pi, sqrt

INPUTS = ("S", "K", "r", "sigma", "T")
WRT = ("S", "K", "r", "sigma", "T")


def exp_square(x: float, factor: float) -> float:
    """exp(factor*x^2), factor a power of two; beyond 1 with what rounding took from x^2.

    h is x in 26 bits (Veltkamp), so that h^2 is exact and x^2 = h^2 + (x - h)*(x + h).
    """
    square = x * x
    power = exp(factor * square)
    if square < 1.0 or power == 0.0:
        return power
    h = 134217729.0 * x
    h -= h - x
    rest = (h * h - square) + (x - h) * (x + h)
    return power * (1.0 + factor * rest)


def erfcx(x: float) -> float:
    """exp(x^2)*erfc(x), from 10 on by the asymptotic series (DLMF 7.12.1)."""
    if x < -26.62873571375149:
        raise OverflowError("math range error in erfcx")
    if x < 10.0:
        return exp_square(x, 1.0) * erfc(x)
    t, series = 0.5 / x / x, 1.0
    for k in range(15, 0, -1):
        series = 1.0 - (2 * k - 1) * t * series
    return series / sqrt(pi) / x


def normpdf(x: float) -> float:
    """exp(-x^2/2)/sqrt(2*pi)."""
    return exp_square(x, -0.5) / sqrt(2.0 * pi)


def normcdf(x: float) -> float:
    """erfc(-x/sqrt(2))/2, with exp(-x^2/2) split off in the left tail."""
    if not x < -1.0:
        return 0.5 * erfc(-x / sqrt(2.0))
    return 0.5 * erfcx(-x / sqrt(2.0)) * exp_square(x, -0.5)


def value(S: float, K: float, r: float, sigma: float, T: float) -> float:
    """Return the value of the formula."""
    spread = sigma * sqrt(T)
    d1 = (log(S / K) + (r + 0.5 * sigma * sigma) * T) / spread  # (log(S/K) + (r +...
    return S * normcdf(d1) - K * (exp(-r * T) * normcdf(d1 - spread))


def value_and_grad(
    S: float, K: float, r: float, sigma: float, T: float
) -> tuple[float, tuple[float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = sqrt(T)
    spread = sigma * t1  # sigma*sqrt(T)
    t2 = 0.5 * sigma
    d1 = (log(S / K) + (r + t2 * sigma) * T) / spread  # (log(S/K) + (r + sigma^2/2)*...
    t3 = normcdf(d1)
    t4 = exp(-r * T) * normcdf(d1 - spread)
    t5 = K * t4  # in S*normcdf(d1) - K*exp(-r*T)*normcdf(d2)
    t6 = S * normpdf(d1)  # in d(sigma*sqrt(T))
    return S * t3 - t5, (t3, -t4, t5 * T, t6 * t1, t2 * t6 / t1 + t5 * r)
