"""A formula and its gradient, compiled by gradc 0.2.0.

# Kepler's equation: zero where E is the eccentric anomaly of a planet whose mean
# anomaly is M on an orbit of eccentricity e.
input E in [-pi, pi]
data e in [0, 0.99], M in [-pi, pi]

E - e*sin(E) - M
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 8be4db5b3324e9f9

from math import cos, sin

INPUTS = ("E", "e", "M")
WRT = ("E",)


def value(E: float, e: float, M: float) -> float:
    """Return the value of the formula."""
    return E - e * sin(E) - M


def value_and_grad(E: float, e: float, M: float) -> tuple[float, tuple[float]]:
    """Return the value and its gradient, in the order of WRT."""
    return E - e * sin(E) - M, (1.0 - e * cos(E),)
