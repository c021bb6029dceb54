"""A formula and its gradient, compiled by gradc 0.2.0.

# How far one reading lies from a damped oscillation, squared.
# Summed over the readings, this is what a least-squares fit makes small.
input amplitude in (0, 5], rate in [0, 2], frequency in (0, 2], phase in [-pi, pi]
data t in [0, 10], reading in [-5, 5]

model = amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase)
(model - reading)^2

Arguments:
    amplitude: in (0, 5]
    rate: in [0, 2]
    frequency: in (0, 2]
    phase: in [-3.141592653589793, 3.141592653589793]
    t: data, gets no derivative; in [0, 10]
    reading: data, gets no derivative; in [-5, 5]
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: e78bca4dc439a823

from math import cos, exp, pi, sin

INPUTS = ("amplitude", "rate", "frequency", "phase", "t", "reading")
WRT = ("amplitude", "rate", "frequency", "phase")

_2_PI = 2.0 * pi
_2_PI_2 = -2.0 * pi


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
    model = amplitude * exp(-t * rate) * t1  # amplitude*exp(-rate*t)*cos(2*pi*...
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
    t1 = -t
    t2 = exp(t1 * rate)  # exp(-rate*t)
    t3 = amplitude * t2  # amplitude*exp(-rate*t)
    t4 = _2_PI * frequency * t + phase  # 2*pi*frequency*t + phase
    t5 = cos(t4)  # cos(2*pi*frequency*t + phase)
    t6 = t3 * t5 - reading  # model - reading
    t7 = 2.0 * t6  # in d((model - reading)^2)
    t8 = t7 * t5  # in d(amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase))
    t9 = t7 * t3 * sin(t4)  # in d(cos(2*pi*frequency*t + phase))
    return t6 * t6, (t8 * t2, t1 * t8 * t3, _2_PI_2 * t9 * t, -t9)
