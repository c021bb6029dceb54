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
# digest: 332ef62911f04bc2

from math import pi, pow

INPUTS = ("speed", "diameter", "density", "viscosity")
WRT = ("speed", "diameter")

_12_PI = 12.0 * pi
_0_5_PI = 0.5 * pi
_0_125_PI = 0.125 * pi
_3_PI = 3.0 * pi
_0_25_PI = 0.25 * pi


def value(speed: float, diameter: float, density: float, viscosity: float) -> float:
    """Return the value of the formula."""
    reynolds = speed * density * diameter / viscosity  # density*speed*diameter/...
    t1 = reynolds < 1000.0
    t2 = reynolds < 0.1
    t3 = speed * speed  # speed^2
    if t1 and t2:
        t4 = _12_PI * (viscosity / speed * diameter * t3)
    else:
        if t2 or t1:
            t5 = 24.0 / reynolds
        if t2:
            coefficient = t5
        elif t1:
            coefficient = t5 * (1.0 + 0.15 * pow(reynolds, 0.687))  # 24/reynolds*(1...
        else:
            coefficient = 0.44
        t6 = _0_5_PI * (density * diameter * coefficient * t3)  # in coefficient *...
        t4 = t6 * diameter
    return 0.25 * t4


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    reynolds = speed * density * diameter / viscosity  # density*speed*diameter/...
    t1 = reynolds < 1000.0
    t2 = reynolds < 0.1
    t3 = speed * speed  # speed^2
    if t1 and t2:
        t4 = viscosity / speed
        t5 = t4 * diameter
        t6 = t5 * t3
        t7 = _12_PI * t6
        t8 = _3_PI * t5
        t9 = _3_PI * t4 * t3
        t10 = _3_PI * t6 / speed  # in d(density*speed)
    else:
        t11 = density * diameter
        t12 = _0_125_PI * diameter  # in d(coefficient * density*speed^2/2)
        if t2 or t1:
            t13 = 24.0 / reynolds
            t14 = t13 * t12 * t3
        if t2:
            coefficient = t13
            t15 = density * t14  # in d(density*speed*diameter)
            t10 = t15 * diameter / speed  # in d(density*speed)
        elif t1:
            t16 = 1.0 + 0.15 * pow(reynolds, 0.687)  # 1 + 0.15*reynolds^0.687
            coefficient = t13 * t16  # 24/reynolds*(1 + 0.15*reynolds^0.687)
            t17 = 0.10305 * pow(reynolds, -0.31299999999999994)
            t18 = t11 / viscosity * t14 * (t16 / reynolds - t17)
            t15 = t18 * density * speed  # in d(density*speed*diameter)
            t10 = t18 * t11  # in d(density*speed)
        else:
            coefficient = 0.44
            t15 = -0.0
            t10 = -0.0
        t19 = t11 * coefficient
        t20 = t19 * t3
        t7 = _0_5_PI * t20 * diameter  # in coefficient * density*speed^2/2 * pi*...
        t8 = t12 * t19  # in d(coefficient * density*speed^2)
        t9 = _0_25_PI * t20 - t15  # in d(diameter)
    return 0.25 * t7, (2.0 * t8 * speed - t10, t9)
