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
# digest: fb16ddb53a016986

from math import exp, log1p

INPUTS = ("w1", "w2", "bias", "x1", "x2", "label")
WRT = ("w1", "w2", "bias")


def value(
    w1: float, w2: float, bias: float, x1: float, x2: float, label: float
) -> float:
    """Return the value of the formula."""
    score = w1 * x1 + w2 * x2 + bias
    return label * log1p(exp(-score)) + log1p(exp(score)) * (1.0 - label)


def value_and_grad(
    w1: float, w2: float, bias: float, x1: float, x2: float, label: float
) -> tuple[float, tuple[float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    score = w1 * x1 + w2 * x2 + bias
    t1 = exp(score)  # in softplus(-score)
    t2 = 1.0 - label
    t3 = (t1 * t2 - label) / (1.0 + t1)  # in d(w1*x1 + w2*x2 + bias)
    return label * log1p(exp(-score)) + log1p(t1) * t2, (x1 * t3, x2 * t3, t3)
