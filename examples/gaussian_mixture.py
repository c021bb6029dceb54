"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Minus the log-likelihood of one observation under a mixture of two normal
    # distributions.
    input weight in (0, 1), mean1, mean2 in [-10, 10], sd1, sd2 in [0.1, 5]
    data x in [-10, 10]

    part(w, mean, sd) = log(w/sd) - ((x - mean)/sd)^2/2
    log(2*pi)/2 - logsumexp(part(weight, mean1, sd1), part(1 - weight, mean2, sd2))

Arguments:
    weight: in (0, 1)
    mean1: in [-10, 10]
    mean2: in [-10, 10]
    sd1: in [0.1, 5]
    sd2: in [0.1, 5]
    x: data, gets no derivative; in [-10, 10]
"""

# Do not edit: change the formula and compile it again.
# digest: 5573391d9645bd1ea3a34f3dc7c80aa9

from math import exp, fsum, inf, log, log1p, pi

INPUTS = ("weight", "mean1", "mean2", "sd1", "sd2", "x")
WRT = ("weight", "mean1", "mean2", "sd1", "sd2")


def logexcess(*xs: float) -> float:
    """logsumexp(xs) - max(xs): the largest term is taken out as the 1 of log1p."""
    m = max(xs)
    if abs(m) == inf:
        return 0.0
    largest = xs.index(m)
    return log1p(fsum(exp(x - m) for i, x in enumerate(xs) if i != largest))


_C1 = 0.5 * log(2.0 * pi)


def value(
    weight: float, mean1: float, mean2: float, sd1: float, sd2: float, x: float
) -> float:
    """Return the value of the formula."""
    t1 = (x - mean1) / sd1  # (x - mean)/sd
    t2 = log(weight / sd1) - 0.5 * (t1 * t1)  # log(w/sd) - ((x - mean)/sd)^2/2
    t3 = (x - mean2) / sd2  # (x - mean)/sd
    t4 = log((1.0 - weight) / sd2) - 0.5 * (t3 * t3)  # log(w/sd) - ((x - mean)/sd)^2/2
    t5 = max(t2, t4) + logexcess(t2, t4)  # log(2*pi)/2 - logsumexp(part(weight, mean...
    return _C1 - t5


def value_and_grad(
    weight: float, mean1: float, mean2: float, sd1: float, sd2: float, x: float
) -> tuple[float, tuple[float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = weight / sd1  # w/sd
    t2 = (x - mean1) / sd1  # (x - mean)/sd
    t3 = log(t1) - 0.5 * (t2 * t2)  # log(w/sd) - ((x - mean)/sd)^2/2
    t4 = 1.0 - weight  # w/sd
    t5 = t4 / sd2  # w/sd
    t6 = (x - mean2) / sd2  # (x - mean)/sd
    t7 = log(t5) - 0.5 * (t6 * t6)  # log(w/sd) - ((x - mean)/sd)^2/2
    t8 = max(t3, t7)  # logsumexp(part(weight, mean1, sd1), part(1 - weight, mean2, s...
    t9 = logexcess(t3, t7)  # logsumexp(part(weight, mean1, sd1), part(1 - weight, me...
    t10 = exp(t3 - t8 - t9)  # d(logsumexp(part(weight, mean1, sd1), part(1 - weight,...
    t11 = exp(t7 - t8 - t9)  # d(logsumexp(part(weight, mean1, sd1), part(1 - weight,...
    t12 = t11 * t6 / sd2  # d((x - mean)/sd)
    t13 = t11 / t4  # d(w/sd)
    t14 = t10 * t2 / sd1  # d((x - mean)/sd)
    t15 = t10 / weight  # d(w/sd)
    t16 = _C1 - (t8 + t9)  # log(2*pi)/2 - logsumexp(part(weight, mean1, sd1), part(1...
    return t16, (t13 - t15, -t14, -t12, t15 * t1 - t14 * t2, t13 * t5 - t12 * t6)
