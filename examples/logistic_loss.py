"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Surprise of a logistic classifier at one example whose label is 0 or 1:
    # minus the logarithm of the probability that it gave to the label.
    input w1, w2, bias in [-10, 10]
    data x1, x2 in [-10, 10], label in [0, 1]

    score = w1*x1 + w2*x2 + bias
    label*softplus(-score) + (1 - label)*softplus(score)

Arguments:
    w1: in [-10, 10]
    w2: in [-10, 10]
    bias: in [-10, 10]
    x1: data, gets no derivative; in [-10, 10]
    x2: data, gets no derivative; in [-10, 10]
    label: data, gets no derivative; in [0, 1]
"""

# Do not edit: change the formula and compile it again.
# digest: 6df80a636d234cb7068548f52d346137

from math import exp, log1p

INPUTS = ("w1", "w2", "bias", "x1", "x2", "label")
WRT = ("w1", "w2", "bias")


def value(
    w1: float, w2: float, bias: float, x1: float, x2: float, label: float
) -> float:
    """Return the value of the formula."""
    score = w1 * x1 + w2 * x2 + bias  # w1*x1 + w2*x2 + bias
    t1 = -score  # softplus(-score)
    t2 = t1 >= 0.0  # softplus(-score)
    t3 = score >= 0.0  # softplus(score)
    if not t3 or t2:
        t4 = log1p(exp(score))  # softplus(-score)
    if t3 or not t2:
        t5 = log1p(exp(t1))  # softplus(-score)
    if t2:
        t6 = t4 - score  # softplus(-score)
    else:
        t6 = t5
    if t3:
        t7 = score + t5  # softplus(score)
    else:
        t7 = t4
    return label * t6 + (1.0 - label) * t7


def value_and_grad(
    w1: float, w2: float, bias: float, x1: float, x2: float, label: float
) -> tuple[float, tuple[float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    score = w1 * x1 + w2 * x2 + bias  # w1*x1 + w2*x2 + bias
    t1 = -score  # softplus(-score)
    t2 = t1 >= 0.0  # softplus(-score)
    t3 = 1.0 - label  # 1 - label
    t4 = score >= 0.0  # softplus(score)
    if t2 or not t4:
        t5 = exp(score)  # softplus(-score)
        t6 = log1p(t5)  # softplus(-score)
        t7 = 1.0 + t5  # d(softplus(score))
    if not t2 or t4:
        t8 = exp(t1)  # softplus(-score)
        t9 = log1p(t8)  # softplus(-score)
        t10 = 1.0 / (1.0 + t8)  # d(softplus(score))
    if t2:
        t11 = t6 - score  # softplus(-score)
        t12 = 1.0 / t7  # d(softplus(-score))
    else:
        t11 = t9
        t12 = t8 * t10  # d(softplus(-score))
    if t4:
        t13 = score + t9  # softplus(score)
        t14 = t10
    else:
        t13 = t6
        t14 = t5 / t7  # d(softplus(score))
    d_bias = t3 * t14 - label * t12  # d(w1*x1 + w2*x2 + bias)
    return label * t11 + t3 * t13, (d_bias * x1, d_bias * x2, d_bias)
