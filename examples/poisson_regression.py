"""A formula and its gradient, compiled by gradc 0.2.0.

# The negative logarithm of the likelihood of counts whose expectation depends
# exponentially on three covariates (Nelder and Wedderburn, 1972).
n = 8
input beta[3] in [-1, 1]
data X[n, 3] in [-2, 2], count[n] in [0, 20]

eta = X @ beta
sum(exp(eta[i]) - count[i]*eta[i] + lgamma(count[i] + 1) for i in range(n))
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: dec515a8ff10b1e8

from collections.abc import Sequence
from math import copysign, exp, lgamma, log, log1p, pi, remainder, sin
from typing import Any

INPUTS = ("beta", "X", "count")
WRT = ("beta",)

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


def sinpi(x: float) -> float:
    """sin(pi*x), reduced exactly: zero at the integers."""
    r = remainder(x, 2.0)
    return sin(pi * (r if abs(r) <= 0.5 else copysign(1.0 - abs(r), r)))


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


def value(
    beta: Sequence[float], X: Sequence[Sequence[float]], count: Sequence[float]
) -> float:
    """Return the value of the formula."""
    beta_0, beta_1, beta_2 = floats("beta", beta, 3)
    (
        X_0_0,
        X_0_1,
        X_0_2,
        X_1_0,
        X_1_1,
        X_1_2,
        X_2_0,
        X_2_1,
        X_2_2,
        X_3_0,
        X_3_1,
        X_3_2,
        X_4_0,
        X_4_1,
        X_4_2,
        X_5_0,
        X_5_1,
        X_5_2,
        X_6_0,
        X_6_1,
        X_6_2,
        X_7_0,
        X_7_1,
        X_7_2,
    ) = floats("X", X, 8, 3)
    count_0, count_1, count_2, count_3, count_4, count_5, count_6, count_7 = floats(
        "count", count, 8
    )
    eta_0 = beta_0 * X_0_0 + beta_1 * X_0_1 + beta_2 * X_0_2  # in X @ beta
    eta_1 = beta_0 * X_1_0 + beta_1 * X_1_1 + beta_2 * X_1_2
    eta_2 = beta_0 * X_2_0 + beta_1 * X_2_1 + beta_2 * X_2_2
    eta_3 = beta_0 * X_3_0 + beta_1 * X_3_1 + beta_2 * X_3_2
    eta_4 = beta_0 * X_4_0 + beta_1 * X_4_1 + beta_2 * X_4_2
    eta_5 = beta_0 * X_5_0 + beta_1 * X_5_1 + beta_2 * X_5_2
    eta_6 = beta_0 * X_6_0 + beta_1 * X_6_1 + beta_2 * X_6_2
    eta_7 = beta_0 * X_7_0 + beta_1 * X_7_1 + beta_2 * X_7_2  # X @ beta
    t1 = exp(eta_0) - count_0 * eta_0 + loggamma(count_0 + 1.0)  # in sum(exp(eta[i])...
    t2 = t1 + (exp(eta_1) - count_1 * eta_1 + loggamma(count_1 + 1.0))
    t3 = t2 + (exp(eta_2) - count_2 * eta_2 + loggamma(count_2 + 1.0))
    t4 = t3 + (exp(eta_3) - count_3 * eta_3 + loggamma(count_3 + 1.0))
    t5 = t4 + (exp(eta_4) - count_4 * eta_4 + loggamma(count_4 + 1.0))
    t6 = t5 + (exp(eta_5) - count_5 * eta_5 + loggamma(count_5 + 1.0))
    t7 = t6 + (exp(eta_6) - count_6 * eta_6 + loggamma(count_6 + 1.0))
    return t7 + (exp(eta_7) - count_7 * eta_7 + loggamma(count_7 + 1.0))


def value_and_grad(
    beta: Sequence[float], X: Sequence[Sequence[float]], count: Sequence[float]
) -> tuple[float, tuple[tuple[float, float, float]]]:
    """Return the value and its gradient, in the order of WRT."""
    beta_0, beta_1, beta_2 = floats("beta", beta, 3)
    (
        X_0_0,
        X_0_1,
        X_0_2,
        X_1_0,
        X_1_1,
        X_1_2,
        X_2_0,
        X_2_1,
        X_2_2,
        X_3_0,
        X_3_1,
        X_3_2,
        X_4_0,
        X_4_1,
        X_4_2,
        X_5_0,
        X_5_1,
        X_5_2,
        X_6_0,
        X_6_1,
        X_6_2,
        X_7_0,
        X_7_1,
        X_7_2,
    ) = floats("X", X, 8, 3)
    count_0, count_1, count_2, count_3, count_4, count_5, count_6, count_7 = floats(
        "count", count, 8
    )
    eta_0 = beta_0 * X_0_0 + beta_1 * X_0_1 + beta_2 * X_0_2  # in X @ beta
    eta_1 = beta_0 * X_1_0 + beta_1 * X_1_1 + beta_2 * X_1_2
    eta_2 = beta_0 * X_2_0 + beta_1 * X_2_1 + beta_2 * X_2_2
    eta_3 = beta_0 * X_3_0 + beta_1 * X_3_1 + beta_2 * X_3_2
    eta_4 = beta_0 * X_4_0 + beta_1 * X_4_1 + beta_2 * X_4_2
    eta_5 = beta_0 * X_5_0 + beta_1 * X_5_1 + beta_2 * X_5_2
    eta_6 = beta_0 * X_6_0 + beta_1 * X_6_1 + beta_2 * X_6_2
    eta_7 = beta_0 * X_7_0 + beta_1 * X_7_1 + beta_2 * X_7_2  # X @ beta
    t1 = exp(eta_0)  # in exp(eta[i])
    t2 = exp(eta_1)
    t3 = exp(eta_2)
    t4 = exp(eta_3)
    t5 = exp(eta_4)
    t6 = exp(eta_5)
    t7 = exp(eta_6)
    t8 = exp(eta_7)  # exp(eta[i])
    t9 = t8 - count_7  # in d(X @ beta)
    t10 = t7 - count_6  # in d(X @ beta)
    t11 = t6 - count_5  # in d(X @ beta)
    t12 = t5 - count_4  # in d(X @ beta)
    t13 = t4 - count_3  # in d(X @ beta)
    t14 = t3 - count_2  # in d(X @ beta)
    t15 = t2 - count_1  # in d(X @ beta)
    t16 = t1 - count_0  # in d(X @ beta)
    t17 = t1 - count_0 * eta_0 + loggamma(count_0 + 1.0)  # in sum(exp(eta[i]) -...
    t18 = t17 + (t2 - count_1 * eta_1 + loggamma(count_1 + 1.0))
    t19 = t18 + (t3 - count_2 * eta_2 + loggamma(count_2 + 1.0))
    t20 = t19 + (t4 - count_3 * eta_3 + loggamma(count_3 + 1.0))
    t21 = t20 + (t5 - count_4 * eta_4 + loggamma(count_4 + 1.0))
    t22 = t21 + (t6 - count_5 * eta_5 + loggamma(count_5 + 1.0))
    t23 = t22 + (t7 - count_6 * eta_6 + loggamma(count_6 + 1.0))
    t24 = X_0_0 * t16 + X_1_0 * t15 + X_2_0 * t14 + X_3_0 * t13  # in d(beta)
    t25 = X_0_1 * t16 + X_1_1 * t15 + X_2_1 * t14 + X_3_1 * t13  # in d(beta)
    t26 = X_0_2 * t16 + X_1_2 * t15 + X_2_2 * t14 + X_3_2 * t13  # in d(beta)
    return t23 + (t8 - count_7 * eta_7 + loggamma(count_7 + 1.0)), (
        (
            t24 + X_4_0 * t12 + X_5_0 * t11 + X_6_0 * t10 + X_7_0 * t9,
            t25 + X_4_1 * t12 + X_5_1 * t11 + X_6_1 * t10 + X_7_1 * t9,
            t26 + X_4_2 * t12 + X_5_2 * t11 + X_6_2 * t10 + X_7_2 * t9,
        ),
    )
