"""A formula and its gradient, compiled by gradc 0.2.0.

# Rosenbrock's valley (1960): a test for optimisers, flat along a bent floor.
# The minimum is 0 at x = y = 1.
input x, y in [-2, 2]

(1 - x)^2 + 100*(y - x^2)^2
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: d869d713e6dbf499

INPUTS = ("x", "y")
WRT = ("x", "y")


def value(x: float, y: float) -> float:
    """Return the value of the formula."""
    t1 = 1.0 - x
    t2 = y - x * x  # y - x^2
    return t1 * t1 + 100.0 * (t2 * t2)


def value_and_grad(x: float, y: float) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = 1.0 - x
    t2 = y - x * x  # y - x^2
    t3 = 200.0 * t2  # in d((y - x^2)^2)
    return t1 * t1 + 100.0 * (t2 * t2), (-2.0 * (x * t3 + t1), t3)
