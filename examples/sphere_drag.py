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
# digest: 590b6baf99521e0b

from math import pi, pow

INPUTS = ("speed", "diameter", "density", "viscosity")
WRT = ("speed", "diameter")

_PI_0_5 = pi * 0.5
_PI_0_125 = pi * 0.125
_PI_3 = pi * 3.0
_PI_0_25 = pi * 0.25


def value(speed: float, diameter: float, density: float, viscosity: float) -> float:
    """Return the value of the formula."""
    reynolds = 0.0
    t5 = t3 = t8 = t9 = t10 = False
    t11 = t7 = 0.0
    t1 = density * speed * diameter  # in density*speed*diameter/viscosity
    t2 = -0.00097 < diameter < 0.00097
    if t2:
        reynolds = t1 / viscosity  # density*speed*diameter/viscosity
        t3 = reynolds < 1000.0
    t4 = t2 and t3
    if t4:
        t5 = reynolds < 0.1
    t6 = t4 and t5
    if t6:
        t7 = 37.69911184307752 * speed * (diameter * viscosity)
    else:
        t8 = -0.00097 < speed < 0.00097
    if not t6 and t8 and not t2:
        reynolds = t1 / viscosity  # density*speed*diameter/viscosity
        t3 = reynolds < 1000.0
    if not t6:
        t9 = t8 and t3
    if not t6 and t9 and not t4:
        t5 = reynolds < 0.1
    if not t6:
        t10 = t9 and t5
        if t10:
            t11 = 24.0 / diameter * (speed * viscosity)
    if not t6 and not t10 and not t2 and not (not t6 and t8):
        reynolds = t1 / viscosity  # density*speed*diameter/viscosity
    if not t6 and not t10 and not t4 and not (not t6 and t9):
        t5 = reynolds < 0.1
    if not t6 and not t10 and not t5 and not t2 and not (not t6 and t8):
        t3 = reynolds < 1000.0
    if not t6:
        if not t10:
            if t5:
                t12 = 24.0 / reynolds
                coefficient = t12
            elif t3:
                t12 = 24.0 / reynolds
                coefficient = t12 * (1.0 + 0.15 * pow(reynolds, 0.687))
            else:
                coefficient = 0.44
            t11 = density * coefficient * (speed * speed)  # in coefficient *...
        t7 = _PI_0_5 * t11 * (diameter * diameter)  # in coefficient * density*speed^...
    return 0.25 * t7


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    reynolds = 0.0
    t7 = t5 = t13 = t16 = t17 = False
    t21 = t19 = t14 = t10 = t15 = t20 = t11 = t12 = 0.0
    t1 = density * speed  # in density*speed*diameter/viscosity
    t2 = t1 * diameter
    t3 = speed * viscosity
    t4 = -0.00097 < diameter < 0.00097
    if t4:
        reynolds = t2 / viscosity  # density*speed*diameter/viscosity
        t5 = reynolds < 1000.0
    t6 = t4 and t5
    if t6:
        t7 = reynolds < 0.1
    t8 = t6 and t7
    if t8:
        t9 = diameter * viscosity
        t10 = 37.69911184307752 * speed * t9
        t11 = 9.42477796076938 * t3
        t12 = 9.42477796076938 * t9
    else:
        t13 = -0.00097 < speed < 0.00097
        t14 = diameter * diameter  # in coefficient * density*speed^2/2 * pi*diameter^2
        t15 = _PI_0_125 * t14  # in d(coefficient * density*speed^2/2)
    if not t8 and t13 and not t4:
        reynolds = t2 / viscosity  # density*speed*diameter/viscosity
        t5 = reynolds < 1000.0
    if not t8:
        t16 = t13 and t5
    if not t8 and t16 and not t6:
        t7 = reynolds < 0.1
    if not t8:
        t17 = t16 and t7
        if t17:
            t18 = 24.0 / diameter
            t19 = t18 * t3
            t20 = _PI_3 * t3  # in d(diameter)
            t12 = t18 * t15 * viscosity
        else:
            t21 = speed * speed  # in coefficient * density*speed^2
    if not t8 and not t17 and not t4 and not (not t8 and t13):
        reynolds = t2 / viscosity  # density*speed*diameter/viscosity
    if not t8 and not t17 and not t6 and not (not t8 and t16):
        t7 = reynolds < 0.1
    if not t8 and not t17 and not t7 and not t4 and not (not t8 and t13):
        t5 = reynolds < 1000.0
    if not t8:
        if not t17:
            if t7:
                t22 = 24.0 / reynolds
                coefficient = t22
                t23 = t22 * t15 * t21 * density  # in d(density*speed*diameter)
                t20 = t23 * t1 / reynolds / viscosity  # in d(diameter)
                t24 = t23 / speed  # in d(speed)
            elif t5:
                t25 = 1.0 + 0.15 * pow(reynolds, 0.687)  # 1 + 0.15*reynolds^0.687
                t22 = 24.0 / reynolds
                coefficient = t22 * t25  # 24/reynolds*(1 + 0.15*reynolds^0.687)
                t26 = 0.10305 * pow(reynolds, -0.31299999999999994)  # in d(density*...
                t23 = t22 * t15 * t21 * density  # in d(density*speed*diameter)
                t27 = (t25 / reynolds - t26) / viscosity * t23  # in d(density*speed*...
                t20 = t27 * t1  # in d(density*speed*diameter)
                t24 = t27 * diameter * density  # in d(density*speed)
            else:
                coefficient = 0.44
                t20 = -0.0
                t24 = -0.0
            t28 = density * coefficient
            t19 = t28 * t21
            t12 = 2.0 * t15 * t28 * speed - t24  # in d(speed)
        t10 = _PI_0_5 * t19 * t14
        t11 = _PI_0_25 * t19 * diameter - t20  # in d(diameter)
    return 0.25 * t10, (t12, t11)
