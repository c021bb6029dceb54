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
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 2c68ad55702a4f6c

from math import pi, pow

INPUTS = ("speed", "diameter", "density", "viscosity")
WRT = ("speed", "diameter")

_PI_0_125 = pi * 0.125
_PI_0_5 = pi * 0.5
_PI_0_5_0_25 = _PI_0_5 * 0.25
_PI_0_5_0_5 = _PI_0_5 * 0.5


def value(speed: float, diameter: float, density: float, viscosity: float) -> float:
    """Return the value of the formula."""
    t3 = 0.0
    t2 = False
    coefficient = 0.0
    reynolds = density * speed * diameter / viscosity
    t1 = reynolds < 0.1
    if not t1:
        t2 = reynolds < 1000.0
        if not t2:
            coefficient = 0.44
    if t1 or t2:
        t3 = 24.0 / reynolds
    if t1:
        coefficient = t3
    elif t2:
        coefficient = t3 * (1.0 + 0.15 * pow(reynolds, 0.687))  # 24/reynolds*(1 + 0....
    t4 = _PI_0_5_0_25 * (density * coefficient * (speed * speed))  # in coefficient *...
    return t4 * (diameter * diameter)


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t12 = 0.0
    t7 = False
    t8 = coefficient = t9 = t10 = t11 = 0.0
    t1 = density * speed
    reynolds = t1 * diameter / viscosity  # density*speed*diameter/viscosity
    t2 = reynolds < 0.1
    t3 = speed * speed  # speed^2
    t4 = diameter * diameter  # in d(coefficient * density*speed^2/2)
    t5 = _PI_0_125 * t4  # in d(coefficient * density*speed^2/2)
    t6 = t5 * t3 * density  # in d(coefficient * density)
    if not t2:
        t7 = reynolds < 1000.0
        if t7:
            t8 = 1.0 + 0.15 * pow(reynolds, 0.687)  # 1 + 0.15*reynolds^0.687
            t9 = 0.10305 * pow(reynolds, -0.31299999999999994)  # in d(density*speed*...
        else:
            coefficient = 0.44
            t10 = -0.0
            t11 = -0.0
    if t2 or t7:
        t12 = 24.0 / reynolds
    if t2:
        coefficient = t12
        t13 = t6 * t12 / reynolds / viscosity  # in d(density*speed*diameter/viscosity)
        t10 = t13 * t1  # in d(diameter)
        t11 = t13 * diameter * density  # in d(speed)
    elif t7:
        coefficient = t12 * t8  # 24/reynolds*(1 + 0.15*reynolds^0.687)
        t14 = (t8 / reynolds - t9) * t6 * t12 / viscosity
        t10 = t14 * t1  # in d(density*speed*diameter)
        t11 = t14 * diameter * density  # in d(density*speed)
    t15 = density * coefficient * t3  # in coefficient * density*speed^2/2 * pi*...
    return _PI_0_5_0_25 * t15 * t4, (
        2.0 * t5 * coefficient * t1 - t11,
        _PI_0_5_0_5 * t15 * diameter - t10,
    )
