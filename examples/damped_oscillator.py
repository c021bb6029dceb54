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
# digest: c56272b853e2a5fe

from math import cos, exp, pi, sin

INPUTS = ("amplitude", "rate", "frequency", "phase", "t", "reading")
WRT = ("amplitude", "rate", "frequency", "phase")

_2_PI = 2.0 * pi


def value(
    amplitude: float,
    rate: float,
    frequency: float,
    phase: float,
    t: float,
    reading: float,
) -> float:
    """Return the value of the formula."""
    t1 = cos(t * _2_PI * frequency + phase)  # cos(2*pi*frequency*t + phase)
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
    t2 = t * _2_PI  # in 2*pi*frequency*t + phase
    t3 = t2 * frequency + phase  # 2*pi*frequency*t + phase
    t4 = cos(t3)  # cos(2*pi*frequency*t + phase)
    t5 = amplitude * t1 * t4 - reading  # model - reading
    t6 = t1 * 2.0 * t5  # in d(cos(2*pi*frequency*t + phase))
    t7 = -amplitude  # in d(cos(2*pi*frequency*t + phase))
    t8 = t6 * t7 * sin(t3)  # in d(cos(2*pi*frequency*t + phase))
    t9 = t6 * t4  # in d(amplitude*exp(-rate*t))
    return t5 * t5, (t9, t7 * t * t9, t2 * t8, t8)
