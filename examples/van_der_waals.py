"""A formula and its gradient, compiled by gradc 0.2.0.

# Free energy of a mole of van der Waals gas, up to a linear function of T.
# Minus its derivative by V is the pressure, minus that by T the entropy.
input V in [1e-4, 0.1]        # cubic metres
input T in [100, 1000]        # kelvin

R = 8.314462618               # gas constant
a = 0.1370                    # attraction and size of nitrogen's molecules
b = 3.87e-5

ideal = -R*T*(log((V - b)*T^1.5) + 1)
return ideal - a/V
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: d5dd086addfb6588

from math import log, sqrt

INPUTS = ("V", "T")
WRT = ("V", "T")


def value(V: float, T: float) -> float:
    """Return the value of the formula."""
    t1 = T * ((log(T * sqrt(T) * (V - 3.87e-05)) + 1.0) * -8.314462618)
    return t1 - 0.137 / V


def value_and_grad(V: float, T: float) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = V - 3.87e-05  # in (V - b)*T^1.5
    t2 = (log(T * sqrt(T) * t1) + 1.0) * -8.314462618  # in d(T)
    t3 = 0.137 / V  # in ideal - a/V
    return T * t2 - t3, (t3 / V - T * 8.314462618 / t1, t2 - 12.471693927)
