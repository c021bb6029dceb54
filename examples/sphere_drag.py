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
# digest: 2ba275dfca0ffc88

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
    t5 = t3 = False
    t1 = density * speed * diameter  # in density*speed*diameter/viscosity
    t2 = -0.00097 < diameter < 0.00097
    if t2:
        reynolds = t1 / viscosity  # density*speed*diameter/viscosity
        t3 = reynolds < 1000.0
    t4 = t2 and t3
    if t4:
        t5 = reynolds < 0.1
    if t4 and t5:
        t6 = 37.69911184307752 * speed * (diameter * viscosity)
    else:
        t7 = -0.00097 < speed < 0.00097
        if t7:
            reynolds = t1 / viscosity  # density*speed*diameter/viscosity
            t3 = reynolds < 1000.0
        t8 = t7 and t3
        if t8:
            t5 = reynolds < 0.1
        if t8 and t5:
            t9 = 24.0 / diameter * (speed * viscosity)
        else:
            reynolds = t1 / viscosity  # density*speed*diameter/viscosity
            t5 = reynolds < 0.1
            if t5:
                t10 = 24.0 / reynolds
                coefficient = t10
            else:
                t3 = reynolds < 1000.0
                if t3:
                    t10 = 24.0 / reynolds
                    coefficient = t10 * (1.0 + 0.15 * pow(reynolds, 0.687))
                else:
                    coefficient = 0.44
            t9 = density * coefficient * (speed * speed)  # in coefficient * density*...
        t6 = _PI_0_5 * t9 * (diameter * diameter)  # in coefficient * density*speed^...
    return 0.25 * t6


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    reynolds = 0.0
    t7 = t5 = False
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
    if t6 and t7:
        t8 = diameter * viscosity
        t9 = 37.69911184307752 * speed * t8
        t10 = 9.42477796076938 * t3
        t11 = 9.42477796076938 * t8
    else:
        t12 = -0.00097 < speed < 0.00097
        t13 = diameter * diameter  # in coefficient * density*speed^2/2 * pi*diameter^2
        t14 = _PI_0_125 * t13  # in d(coefficient * density*speed^2/2)
        if t12:
            reynolds = t2 / viscosity  # density*speed*diameter/viscosity
            t5 = reynolds < 1000.0
        t15 = t12 and t5
        if t15:
            t7 = reynolds < 0.1
        if t15 and t7:
            t16 = 24.0 / diameter
            t17 = t16 * t3
            t18 = _PI_3 * t3  # in d(diameter)
            t11 = t16 * t14 * viscosity
        else:
            reynolds = t2 / viscosity  # density*speed*diameter/viscosity
            t7 = reynolds < 0.1
            t19 = speed * speed  # in coefficient * density*speed^2
            if t7:
                t20 = 24.0 / reynolds
                coefficient = t20
                t21 = t20 * t14 * t19 * density  # in d(density*speed*diameter)
                t18 = t21 * t1 / reynolds / viscosity  # in d(diameter)
                t22 = t21 / speed  # in d(speed)
            else:
                t5 = reynolds < 1000.0
                if t5:
                    t23 = 1.0 + 0.15 * pow(reynolds, 0.687)  # 1 + 0.15*reynolds^0.687
                    t20 = 24.0 / reynolds
                    coefficient = t20 * t23  # 24/reynolds*(1 + 0.15*reynolds^0.687)
                    t24 = 0.10305 * pow(reynolds, -0.31299999999999994)
                    t21 = t20 * t14 * t19 * density  # in d(density*speed*diameter)
                    t25 = (t23 / reynolds - t24) / viscosity * t21  # in d(density*...
                    t18 = t25 * t1  # in d(density*speed*diameter)
                    t22 = t25 * diameter * density  # in d(density*speed)
                else:
                    coefficient = 0.44
                    t18 = -0.0
                    t22 = -0.0
            t26 = density * coefficient
            t17 = t26 * t19
            t11 = 2.0 * t14 * t26 * speed - t22  # in d(speed)
        t9 = _PI_0_5 * t17 * t13
        t10 = _PI_0_25 * t17 * diameter - t18  # in d(diameter)
    return 0.25 * t9, (t11, t10)
