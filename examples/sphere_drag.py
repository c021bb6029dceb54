"""A formula and its gradient, compiled by gradc 0.2.0.

# Drag on a sphere in a stream, newtons (Schiller and Naumann, 1935).
input speed in [1e-4, 10]     # metres a second
input diameter in [1e-4, 0.1]
data density in [1, 2000]
data viscosity in [1e-5, 1]

reynolds = density*speed*diameter/viscosity
coefficient = piecewise(
    (24/reynolds, reynolds < 0.1),                              # Stokes
    (24/reynolds*(1 + 0.15*reynolds^0.687), reynolds < 1000),
    0.44                                                        # Newton
)
coefficient * density*speed^2/2 * pi*diameter^2/4

Arguments:
    speed: in [0.0001, 10]
    diameter: in [0.0001, 0.1]
    density: data, gets no derivative; in [1, 2000]
    viscosity: data, gets no derivative; in [1e-05, 1]
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 6db8cd6e05d4198b

from math import pi, pow

INPUTS = ("speed", "diameter", "density", "viscosity")
WRT = ("speed", "diameter")

_0_5_PI = 0.5 * pi
_0_125_PI = 0.125 * pi
_0_25_PI = 0.25 * pi


def value(speed: float, diameter: float, density: float, viscosity: float) -> float:
    """Return the value of the formula."""
    t4 = 0.0
    reynolds = density * speed * diameter / viscosity
    t1 = reynolds < 0.1
    t2 = reynolds < 1000.0
    if t2 and t1:
        t3 = 37.69911184307752 * speed * viscosity * diameter
    else:
        if t1 or t2:
            t4 = 24.0 / reynolds
        if t1:
            coefficient = t4
        elif t2:
            coefficient = t4 * (1.0 + 0.15 * pow(reynolds, 0.687))  # 24/reynolds*(1...
        else:
            coefficient = 0.44
        t5 = _0_5_PI * (coefficient * density) * (speed * speed)  # coefficient *...
        t3 = t5 * (diameter * diameter)  # in coefficient * density*speed^2/2 * pi*...
    return 0.25 * t3


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t11 = 0.0
    t1 = density * speed
    reynolds = t1 * diameter / viscosity  # density*speed*diameter/viscosity
    t2 = reynolds < 0.1
    t3 = reynolds < 1000.0
    if t3 and t2:
        t4 = 37.69911184307752 * speed * viscosity
        t5 = t4 * diameter
        t6 = 0.25 * t4
        t7 = 9.42477796076938 * diameter * viscosity
    else:
        t8 = speed * speed  # speed^2
        t9 = diameter * diameter  # diameter^2
        t10 = _0_125_PI * t9 * t8 * density  # in d(coefficient * density)
        if t2 or t3:
            t11 = 24.0 / reynolds
        if t2:
            coefficient = t11
            t12 = t10 * t11 / reynolds / viscosity
            t13 = t12 * t1  # in d(density*speed*diameter)
            t14 = t12 * diameter * density  # in d(density*speed)
        elif t3:
            coefficient = t11 * (1.0 + 0.15 * pow(reynolds, 0.687))  # 24/reynolds*(...
            t15 = 0.10305 * t11 * pow(reynolds, -0.31299999999999994)
            t16 = (coefficient / reynolds - t15) * t10 / viscosity  # in d(density*...
            t13 = t16 * t1  # in d(density*speed*diameter)
            t14 = t16 * diameter * density  # in d(density*speed)
        else:
            coefficient = 0.44
            t13 = -0.0
            t14 = -0.0
        t17 = coefficient * density
        t18 = _0_5_PI * t17 * t8  # coefficient * density*speed^2/2 * pi
        t5 = t18 * t9  # in coefficient * density*speed^2/2 * pi*diameter^2
        t6 = 0.5 * t18 * diameter - t13  # in d(diameter)
        t7 = _0_25_PI * t17 * speed * t9 - t14  # in d(speed)
    return 0.25 * t5, (t7, t6)
