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
# digest: ff300f78316c359f

from math import pi, pow

INPUTS = ("speed", "diameter", "density", "viscosity")
WRT = ("speed", "diameter")


def value(speed: float, diameter: float, density: float, viscosity: float) -> float:
    """Return the value of the formula."""
    t2 = False
    t3 = coefficient = 0.0
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
    t4 = 0.125 * (density * coefficient * (speed * speed))  # in coefficient *...
    return t4 * (diameter * pi * diameter)


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t6 = False
    t7 = t11 = coefficient = t8 = t12 = t9 = t10 = 0.0
    t1 = density * speed  # in density*speed*diameter/viscosity
    reynolds = t1 * diameter / viscosity  # density*speed*diameter/viscosity
    t2 = reynolds < 0.1
    t3 = diameter * pi  # in d(coefficient * density*speed^2/2)
    t4 = t3 * diameter  # in d(coefficient * density*speed^2/2)
    t5 = speed * speed  # speed^2
    if not t2:
        t6 = reynolds < 1000.0
        if t6:
            t7 = 1.0 + 0.15 * pow(reynolds, 0.687)  # 1 + 0.15*reynolds^0.687
            t8 = t7 / reynolds - 0.10305 * pow(reynolds, -0.31299999999999994)
        else:
            coefficient = 0.44
            t9 = -0.0
            t10 = -0.0
    if t2 or t6:
        t11 = 24.0 / reynolds
        t12 = t11 * 0.125 * t4 * t5 * density  # in d(density*speed*diameter)
    if t2:
        coefficient = t11
        t13 = t12 / viscosity / reynolds  # in d(diameter)
        t9 = t13 * t1  # in d(diameter)
        t10 = t13 * diameter * density  # in d(speed)
    elif t6:
        coefficient = t11 * t7  # 24/reynolds*(1 + 0.15*reynolds^0.687)
        t14 = t8 * t12 / viscosity  # in d(density*speed*diameter)
        t9 = t14 * t1  # in d(density*speed*diameter)
        t10 = t14 * diameter * density  # in d(density*speed)
    t15 = density * coefficient * t5  # in coefficient * density*speed^2/2 * pi*...
    return 0.125 * t15 * t4, (0.25 * t4 * coefficient * t1 - t10, 0.25 * t15 * t3 - t9)
