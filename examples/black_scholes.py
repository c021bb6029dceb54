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
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 52d94fe5de730734

from math import erfc, exp, log, pi, sqrt

INPUTS = ("S", "K", "r", "sigma", "T")
WRT = ("S", "K", "r", "sigma", "T")

_SQRT_2 = sqrt(2.0)
_SQRT_2_PI = sqrt(2.0 * pi)


def value(S: float, K: float, r: float, sigma: float, T: float) -> float:
    """Return the value of the formula."""
    spread = sigma * sqrt(T)
    d1 = (log(S / K) + T * (r + sigma * 0.5 * sigma)) / spread  # (log(S/K) + (r +...
    t1 = exp(-(r * T)) * erfc(-(d1 - spread) / _SQRT_2) * K * 0.5  # K*exp(-r*T)*...
    return S * (0.5 * erfc(-d1 / _SQRT_2)) - t1


def value_and_grad(
    S: float, K: float, r: float, sigma: float, T: float
) -> tuple[float, tuple[float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = sqrt(T)
    spread = sigma * t1  # sigma*sqrt(T)
    t2 = sigma * 0.5  # in (log(S/K) + (r + sigma^2/2)*T)/spread
    d1 = (log(S / K) + T * (r + t2 * sigma)) / spread  # (log(S/K) + (r + sigma^2/2)*...
    t3 = 0.5 * erfc(-d1 / _SQRT_2)  # normcdf(d1)
    t4 = exp(-(r * T)) * erfc(-(d1 - spread) / _SQRT_2)  # in K*exp(-r*T)*normcdf(d2)
    t5 = t4 * K * 0.5  # K*exp(-r*T)*normcdf(d2)
    t6 = S * exp(-0.5 * d1 * d1) / _SQRT_2_PI  # in d(normcdf(d1))
    return S * t3 - t5, (t3, t4 * -0.5, T * t5, t1 * t6, t2 * t6 / t1 + r * t5)
