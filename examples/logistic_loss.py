"""A formula and its gradient, compiled by gradc 0.2.0.

# Surprise of a logistic classifier at one example whose label is 0 or 1:
# minus the logarithm of the probability that it gave to the label.
input w1, w2, bias in [-10, 10]
data x1, x2 in [-10, 10], label in [0, 1]

score = w1*x1 + w2*x2 + bias
label*softplus(-score) + (1 - label)*softplus(score)
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 4f86b5d01eff8264

from math import exp, log1p

INPUTS = ("w1", "w2", "bias", "x1", "x2", "label")
WRT = ("w1", "w2", "bias")


def value(
    w1: float, w2: float, bias: float, x1: float, x2: float, label: float
) -> float:
    """Return the value of the formula."""
    score = w1 * x1 + w2 * x2 + bias
    if score >= 0.0:
        t1 = log1p(exp(-score))  # in softplus(-score)
        t2 = score + t1  # in softplus(score)
    else:
        t2 = log1p(exp(score))
        t1 = t2 - score
    return label * t1 + (1.0 - label) * t2


def value_and_grad(
    w1: float, w2: float, bias: float, x1: float, x2: float, label: float
) -> tuple[float, tuple[float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    score = w1 * x1 + w2 * x2 + bias
    t1 = 1.0 - label
    if score >= 0.0:
        t2 = exp(-score)  # in softplus(-score)
        t3 = log1p(t2)
        t4 = score + t3  # in softplus(score)
        t5 = 1.0 + t2  # in d(softplus(score))
        t6 = 1.0 / t5  # in d(softplus(score))
        t7 = t2 / t5  # in d(softplus(-score))
    else:
        t8 = exp(score)
        t4 = log1p(t8)
        t3 = t4 - score
        t9 = 1.0 + t8  # in d(softplus(score))
        t6 = t8 / t9  # in d(softplus(score))
        t7 = 1.0 / t9  # in d(softplus(-score))
    t10 = t1 * t6 - label * t7  # in d(w1*x1 + w2*x2 + bias)
    return label * t3 + t1 * t4, (t10 * x1, t10 * x2, t10)
