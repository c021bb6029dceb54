"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

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

# Do not edit: change the formula and compile it again.
# digest: ba4cd5b531134df666ec5349faf3f9a1

from math import cos, exp, pi, sin

INPUTS = ("amplitude", "rate", "frequency", "phase", "t", "reading")
WRT = ("amplitude", "rate", "frequency", "phase")

_C1 = 2.0 * pi


def value(
    amplitude: float,
    rate: float,
    frequency: float,
    phase: float,
    t: float,
    reading: float,
) -> float:
    """Return the value of the formula."""
    t1 = cos(_C1 * frequency * t + phase)  # cos(2*pi*frequency*t + phase)
    model = amplitude * exp(-rate * t) * t1  # amplitude*exp(-rate*t)*cos(2*pi*freque...
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
    t1 = exp(-rate * t)  # exp(-rate*t)
    t2 = _C1 * frequency * t + phase  # 2*pi*frequency*t + phase
    t3 = cos(t2)  # cos(2*pi*frequency*t + phase)
    t4 = amplitude * t1
    model = t4 * t3  # amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase)
    t5 = model - reading
    t6 = -2.0 * t5
    d_phase = t6 * t4 * sin(t2)  # d(cos(2*pi*frequency*t + phase))
    d_frequency = d_phase * _C1 * t  # d(2*pi*frequency)
    return t5 * t5, (2.0 * t5 * t3 * t1, t6 * model * t, d_frequency, d_phase)
