"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Kepler's equation: zero where E is the eccentric anomaly of a planet whose mean
    # anomaly is M on an orbit of eccentricity e.
    input E in [-pi, pi]
    data e in [0, 0.99], M in [-pi, pi]

    E - e*sin(E) - M

Arguments:
    E: in [-3.141592653589793, 3.141592653589793]
    e: data, gets no derivative; in [0, 0.99]
    M: data, gets no derivative; in [-3.141592653589793, 3.141592653589793]
"""

# Do not edit: change the formula and compile it again.
# digest: c9ffb2537d5f250ed426053802c5eb92

from math import cos, sin

INPUTS = ("E", "e", "M")
WRT = ("E",)


def value(E: float, e: float, M: float) -> float:
    """Return the value of the formula."""
    t1 = abs(E)  # E - e*sin(E) - M
    t2 = t1 < 1.0  # E - e*sin(E) - M
    if t2:
        t3 = t1 < 0.5
        if t3:
            t4 = E * E
            t5 = 7.647163731819816e-13 * t4
            t6 = (t5 - 1.6059043836821613e-10) * t4
            t7 = (2.505210838544172e-08 + t6) * t4
            t8 = (t7 - 2.7557319223985893e-06) * t4
            t9 = (0.0001984126984126984 + t8) * t4
            t10 = (t9 - 0.008333333333333333) * t4
            t11 = (0.16666666666666666 + t10) * E * t4
    if not t2 or not t3:
        t12 = sin(E)
    if t2:
        if not t3:
            t11 = E - t12  # E - e*sin(E) - M
        t13 = E * (1.0 - e) + e * t11  # E - e*sin(E) - M
    else:
        t13 = E - e * t12  # E - e*sin(E)
    return t13 - M


def value_and_grad(E: float, e: float, M: float) -> tuple[float, tuple[float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = abs(E)  # E - e*sin(E) - M
    t2 = t1 < 1.0  # E - e*sin(E) - M
    if t2:
        t3 = 1.0 - e  # E - e*sin(E) - M
        t4 = t1 < 0.5
        if t4:
            t1 = E * E
            t5 = 7.647163731819816e-13 * t1
            t6 = t5 - 1.6059043836821613e-10
            t7 = 2.505210838544172e-08 + t6 * t1
            t8 = t7 * t1 - 2.7557319223985893e-06
            t9 = 0.0001984126984126984 + t8 * t1
            t10 = t9 * t1 - 0.008333333333333333
            t11 = 0.16666666666666666 + t10 * t1
            t12 = t11 * E
            t13 = t12 * t1
            t14 = e * t1
            t15 = t14 * E
            t16 = t15 * t1
            t17 = t16 * t1
            t18 = ((t5 + t6) * t1 + t7) * (t17 * t1)
            t7 = t18 + t17 * t8 + t16 * t9 + t15 * t10 + e * t12
            t9 = 2.0 * t7 * E + t14 * t11  # d(E)
        else:
            t9 = e
        t7 = t3 + t9  # d(E)
    else:
        t7 = 1.0
    if not t2 or not t4:
        t9 = sin(E)
    if t2:
        if not t4:
            t13 = E - t9  # E - e*sin(E) - M
        t14 = E * t3 + e * t13  # E - e*sin(E) - M
    else:
        t14 = E - e * t9  # E - e*sin(E)
    if not t2 or not t4:
        if t2:
            t9 = -0.0 if t4 else e
        else:
            t9 = e
        t3 = t9 * cos(E)  # d(sin(E))
    else:
        t3 = -0.0
    return t14 - M, (t7 - t3,)
