"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

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

# Do not edit: change the formula and compile it again.
# digest: fa8d3d218980edbcb1e9650e0f7eadda

from math import pi, pow

INPUTS = ("speed", "diameter", "density", "viscosity")
WRT = ("speed", "diameter")

_C1 = 0.125 * pi
_C2 = 0.25 * pi


def value(speed: float, diameter: float, density: float, viscosity: float) -> float:
    """Return the value of the formula."""
    t1 = density * speed * diameter  # density*speed*diameter
    reynolds = t1 / viscosity  # density*speed*diameter/viscosity
    t2 = reynolds < 0.1
    if not t2:
        t3 = reynolds < 1000.0  # reynolds < 1000
        if not t3:
            coefficient = 0.44
    if t2 or t3:
        t4 = 24.0 * viscosity / t1
    if t2:
        coefficient = t4
    elif t3:
        coefficient = t4 * (1.0 + 0.15 * pow(reynolds, 0.687))  # 24/reynolds*(1 + 0....
    t5 = density * coefficient * (speed * speed)
    t6 = _C1 * t5 * (diameter * diameter)  # coefficient * density*speed^2/2 * pi*dia...
    return t6


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = density * speed  # density*speed
    t2 = t1 * diameter  # density*speed*diameter
    reynolds = t2 / viscosity  # density*speed*diameter/viscosity
    t3 = reynolds < 0.1
    t4 = speed * speed  # speed^2
    t5 = diameter * diameter  # diameter^2
    if t3:
        t6 = 0.0
        t7 = 0.0
    else:
        t8 = reynolds < 1000.0  # reynolds < 1000
        if t8:
            t9 = 1.0 + 0.15 * pow(reynolds, 0.687)  # 1 + 0.15*reynolds^0.687
        else:
            coefficient = 0.44
            t6 = 0.0
            t7 = 0.0
    t10 = t3 or t8
    if not t3 and t8 or t10:
        t11 = 24.0 * viscosity / t2
    if t3:
        coefficient = t11
    elif t8:
        coefficient = t11 * t9  # 24/reynolds*(1 + 0.15*reynolds^0.687)
    t12 = density * coefficient * t4
    t13 = _C2 * coefficient * t1 * t5
    t14 = _C2 * t12 * diameter
    if not t3 and t8 or t10 and t3:
        t15 = _C1 * t5 * t4
        d_coefficient = t15 * density  # d(coefficient * density)
    if t10:
        if t3:
            t16 = d_coefficient
        elif t8:
            t16 = d_coefficient * t9  # d(24/reynolds*(1 + 0.15*reynolds^0.687))
        else:
            t16 = 0.0
        t17 = -density / t2 * t11 * t16
        t18 = t17 * speed
        t19 = t17 * diameter
    else:
        t18 = 0.0
        t19 = 0.0
    if not t3:
        if t8:
            t20 = 2.4732000000000003 / t2 * d_coefficient
            t21 = t20 * pow(reynolds, -0.31299999999999994)
            t6 = t21 * t1  # d(density*speed*diameter)
            t7 = t21 * diameter * density  # d(density*speed)
    return _C1 * t12 * t5, (t13 + (t19 + t7), t14 + (t18 + t6))
