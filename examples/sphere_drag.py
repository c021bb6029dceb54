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
# digest: cba527a31babf157

from math import pi, pow

INPUTS = ("speed", "diameter", "density", "viscosity")
WRT = ("speed", "diameter")

_PI_0_125 = pi * 0.125
_PI_0_5 = pi * 0.5


def value(speed: float, diameter: float, density: float, viscosity: float) -> float:
    """Return the value of the formula."""
    t3 = 0.0
    t2 = False
    coefficient = 0.0
    reynolds = diameter * (speed * density) / viscosity  # density*speed*diameter/...
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
    t4 = _PI_0_5 * coefficient * (speed * speed)  # in coefficient * density*speed^2/...
    return t4 * (diameter * density) * diameter * 0.25


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t11 = 0.0
    t6 = False
    t7 = coefficient = t12 = t8 = t9 = t10 = 0.0
    t1 = speed * density  # density*speed
    reynolds = diameter * t1 / viscosity  # density*speed*diameter/viscosity
    t2 = reynolds < 0.1
    t3 = speed * speed  # speed^2
    t4 = _PI_0_125 * diameter * diameter  # in d(coefficient * density*speed^2/2)
    t5 = diameter * density  # in d(density*speed)
    if not t2:
        t6 = reynolds < 1000.0
        if t6:
            t7 = 1.0 + 0.15 * pow(reynolds, 0.687)  # 1 + 0.15*reynolds^0.687
            t8 = pow(reynolds, -0.31299999999999994) * 0.10305 - t7 / reynolds
        else:
            coefficient = 0.44
            t9 = 0.0
            t10 = 0.0
    if t2 or t6:
        t11 = 24.0 / reynolds
        t12 = density * t11 * t3 * t4  # in d(density*speed*diameter/viscosity)
    if t2:
        coefficient = t11
        t13 = -(t12 / viscosity / reynolds)  # in d(density*speed*diameter)
        t9 = t13 * t1  # in d(density*speed*diameter)
        t10 = t13 * t5  # in d(density*speed)
    elif t6:
        coefficient = t11 * t7  # 24/reynolds*(1 + 0.15*reynolds^0.687)
        t14 = t12 * t8 / viscosity  # in d(density*speed*diameter/viscosity)
        t9 = t1 * t14  # in d(density*speed*diameter)
        t10 = t14 * t5  # in d(density*speed)
    t15 = _PI_0_5 * coefficient * t3 * t5  # in coefficient * density*speed^2/2 * pi*...
    return t15 * diameter * 0.25, (t1 * coefficient * 2.0 * t4 + t10, t15 * 0.5 + t9)
