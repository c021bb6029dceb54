"""A formula and its gradient, compiled by gradc 0.2.0.

# Kepler's equation: zero where E is the eccentric anomaly of a planet whose mean
# anomaly is M on an orbit of eccentricity e.
input E in [-pi, pi]
data e in [0, 0.99], M in [-pi, pi]

E - e*sin(E) - M

Arguments:
    E: in [-3.141592653589793, 3.141592653589793]
    e: data, gets no derivative; in [0, 0.99]
    M: data, gets no derivative; in [-3.141592653589793, 3.141592653589793]
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: ce0589fe249d107a

from math import cos, sin

INPUTS = ("E", "e", "M")
WRT = ("E",)


def value(E: float, e: float, M: float) -> float:
    """Return the value of the formula."""
    return E - e * sin(E) - M


def value_and_grad(E: float, e: float, M: float) -> tuple[float, tuple[float]]:
    """Return the value and its gradient, in the order of WRT."""
    return E - e * sin(E) - M, (1.0 - e * cos(E),)
