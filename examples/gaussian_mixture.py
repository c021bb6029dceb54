"""A formula and its gradient, compiled by gradc 0.2.0.

# Minus the log-likelihood of one observation under a mixture of two normal
# distributions.
input weight in (0, 1), mean1, mean2 in [-10, 10], sd1, sd2 in [0.1, 5]
data x in [-10, 10]

part(w, mean, sd) = log(w/sd) - ((x - mean)/sd)^2/2
log(2*pi)/2 - logsumexp(part(weight, mean1, sd1), part(1 - weight, mean2, sd2))
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: fab946a5aea0a2f2

from math import exp, log, pi

INPUTS = ("weight", "mean1", "mean2", "sd1", "sd2", "x")
WRT = ("weight", "mean1", "mean2", "sd1", "sd2")

_0_5_LOG_2_PI = 0.5 * log(2.0 * pi)


def value(
    weight: float, mean1: float, mean2: float, sd1: float, sd2: float, x: float
) -> float:
    """Return the value of the formula."""
    t1 = (x - mean1) / sd1  # in d(sd1)
    t2 = log(weight / sd1) - 0.5 * (t1 * t1)  # in log(w/sd) - ((x - mean)/sd)^2/2
    t3 = (x - mean2) / sd2  # in d(sd2)
    t4 = log((1.0 - weight) / sd2) - 0.5 * (t3 * t3)  # log(w/sd) - ((x - mean)/sd)^2/2
    t5 = t4 if t2 < t4 else t2  # in logsumexp(part(weight, mean1, sd1), part(1 -...
    return _0_5_LOG_2_PI - (t5 + log(exp(t2 - t5) + exp(t4 - t5)))


def value_and_grad(
    weight: float, mean1: float, mean2: float, sd1: float, sd2: float, x: float
) -> tuple[float, tuple[float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = (x - mean1) / sd1  # in d(sd1)
    t2 = t1 * t1  # in d(sd1)
    t3 = log(weight / sd1) - 0.5 * t2  # in log(w/sd) - ((x - mean)/sd)^2/2
    t4 = 1.0 - weight  # in w/sd
    t5 = (x - mean2) / sd2  # in d(sd2)
    t6 = t5 * t5  # in d(sd2)
    t7 = log(t4 / sd2) - 0.5 * t6  # log(w/sd) - ((x - mean)/sd)^2/2
    t8 = t7 if t3 < t7 else t3  # in logsumexp(part(weight, mean1, sd1), part(1 -...
    t9 = exp(t3 - t8)
    t10 = exp(t7 - t8)
    t11 = t9 + t10
    t12 = t9 / sd1 / t11  # in d(x - mean)
    t13 = t10 / sd2 / t11  # in d(x - mean)
    return _0_5_LOG_2_PI - (t8 + log(t11)), (
        (t10 / t4 - t9 / weight) / t11,
        -(t12 * t1),
        -(t13 * t5),
        t12 * (1.0 - t2),
        t13 * (1.0 - t6),
    )
