"""A formula and its gradient, compiled by gradc 0.2.0.

# Energy of a double pendulum, both rods of length 1 and both bobs of mass 1, at the
# angles θ1, θ2 with the angular velocities ω1, ω2.
input θ1, θ2 in [-pi, pi]
input ω1, ω2 in [-5, 5]

g = 9.80665
kinetic = ω1^2 + ω2^2/2 + ω1*ω2*cos(θ1 - θ2)
potential = -g*(2*cos(θ1) + cos(θ2))
energy = kinetic + potential
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 4527aa8268beaa5f

from math import cos, sin

INPUTS = ("θ1", "θ2", "ω1", "ω2")
WRT = ("θ1", "θ2", "ω1", "ω2")


def value(θ1: float, θ2: float, ω1: float, ω2: float) -> float:
    """Return the value of the formula."""
    kinetic = ω1 * ω1 + ω2 * (0.5 * ω2 + ω1 * cos(θ1 - θ2))  # ω1^2 + ω2^2/2 + ω1*ω2*...
    energy = kinetic - 9.80665 * (2.0 * cos(θ1) + cos(θ2))  # kinetic + potential
    return energy


def value_and_grad(
    θ1: float, θ2: float, ω1: float, ω2: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = θ1 - θ2
    t2 = cos(t1)  # cos(θ1 - θ2)
    t3 = ω1 * t2  # in ω1^2 + ω2^2/2 + ω1*ω2*cos(θ1 - θ2)
    kinetic = ω1 * ω1 + ω2 * (0.5 * ω2 + t3)  # ω1^2 + ω2^2/2 + ω1*ω2*cos(θ1 - θ2)
    energy = kinetic - 9.80665 * (2.0 * cos(θ1) + cos(θ2))  # kinetic + potential
    t4 = ω1 * ω2 * sin(t1)  # in d(θ1)
    return energy, (
        19.6133 * sin(θ1) - t4,
        t4 + 9.80665 * sin(θ2),
        2.0 * ω1 + ω2 * t2,
        ω2 + t3,
    )
