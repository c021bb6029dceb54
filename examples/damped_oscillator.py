"""A formula and its gradient, compiled by gradc 0.2.0.

# How far one reading lies from a damped oscillation, squared.
# Summed over the readings, this is what a least-squares fit makes small.
input amplitude in (0, 5], rate in [0, 2], frequency in (0, 2], phase in [-pi, pi]
data t in [0, 10], reading in [-5, 5]

model = amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase)
(model - reading)^2
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 9bb616a014399fb8

from math import cos, exp, pi, sin

INPUTS = ("amplitude", "rate", "frequency", "phase", "t", "reading")
WRT = ("amplitude", "rate", "frequency", "phase")

_2_PI = 2.0 * pi
_PI_4 = pi * -4.0


def value(
    amplitude: float,
    rate: float,
    frequency: float,
    phase: float,
    t: float,
    reading: float,
) -> float:
    """Return the value of the formula."""
    t1 = cos(_2_PI * frequency * t + phase)  # cos(2*pi*frequency*t + phase)
    model = amplitude * exp(-(rate * t)) * t1  # amplitude*exp(-rate*t)*cos(2*pi*...
    t2 = model - reading
    return t2 * t2


def value_and_grad(
    amplitude: float,
    rate: float,
    frequency: float,
    phase: float,
    t: float,
    reading: float,
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = exp(-(rate * t))  # exp(-rate*t)
    t2 = _2_PI * frequency * t + phase  # 2*pi*frequency*t + phase
    t3 = cos(t2)  # cos(2*pi*frequency*t + phase)
    t4 = amplitude * t1  # in amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase)
    model = t4 * t3  # amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase)
    t5 = model - reading
    t6 = t4 * t5 * sin(t2)  # in d(-rate)
    return t5 * t5, (
        2.0 * t5 * t3 * t1,
        -2.0 * t5 * model * t,
        _PI_4 * t6 * t,
        -2.0 * t6,
    )
