"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Energy of three noble-gas atoms in a plane, in units of the depth of the pair
    # potential and its zero (Lennard-Jones, 1924). The forces are minus the gradient.
    input x1, y1, x2, y2, x3, y3 in [-3, 3]

    well(s) = 4*(s^6 - s^3)       # s is the inverse square of the distance
    pair(ax, ay, bx, by) = well(1/((ax - bx)^2 + (ay - by)^2))

    pair(x1, y1, x2, y2) + pair(x2, y2, x3, y3) + pair(x3, y3, x1, y1)

Arguments:
    x1: in [-3, 3]
    y1: in [-3, 3]
    x2: in [-3, 3]
    y2: in [-3, 3]
    x3: in [-3, 3]
    y3: in [-3, 3]
"""

# Do not edit: change the formula and compile it again.
# digest: 3c789d12e49c17cb87ce7b458f747840

INPUTS = ("x1", "y1", "x2", "y2", "x3", "y3")
WRT = ("x1", "y1", "x2", "y2", "x3", "y3")


def value(x1: float, y1: float, x2: float, y2: float, x3: float, y3: float) -> float:
    """Return the value of the formula."""
    t1 = x1 - x2  # ax - bx
    t2 = y1 - y2  # ay - by
    t3 = 1.0 / (t1 * t1 + t2 * t2)  # 1/((ax - bx)^2 + (ay - by)^2)
    t4 = t3 * t3 * t3  # 4*(s^6 - s^3)
    t5 = x2 - x3  # ax - bx
    t6 = y2 - y3  # ay - by
    t7 = 1.0 / (t5 * t5 + t6 * t6)  # 1/((ax - bx)^2 + (ay - by)^2)
    t8 = t7 * t7 * t7  # 4*(s^6 - s^3)
    t9 = x3 - x1  # ax - bx
    t10 = y3 - y1  # ay - by
    t11 = 1.0 / (t9 * t9 + t10 * t10)  # 1/((ax - bx)^2 + (ay - by)^2)
    t12 = t11 * t11 * t11  # 4*(s^6 - s^3)
    t13 = t4 * t4 - t4 + (t8 * t8 - t8) + (t12 * t12 - t12)
    return 4.0 * t13


def value_and_grad(
    x1: float, y1: float, x2: float, y2: float, x3: float, y3: float
) -> tuple[float, tuple[float, float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = x1 - x2  # ax - bx
    t2 = y1 - y2  # ay - by
    t3 = 1.0 / (t1 * t1 + t2 * t2)  # 1/((ax - bx)^2 + (ay - by)^2)
    t4 = t3 * t3  # 4*(s^6 - s^3)
    t5 = t4 * t3  # 4*(s^6 - s^3)
    t6 = x2 - x3  # ax - bx
    t7 = y2 - y3  # ay - by
    t8 = 1.0 / (t6 * t6 + t7 * t7)  # 1/((ax - bx)^2 + (ay - by)^2)
    t9 = t8 * t8  # 4*(s^6 - s^3)
    t10 = t9 * t8  # 4*(s^6 - s^3)
    t11 = x3 - x1  # ax - bx
    t12 = y3 - y1  # ay - by
    t13 = 1.0 / (t11 * t11 + t12 * t12)  # 1/((ax - bx)^2 + (ay - by)^2)
    t14 = t13 * t13  # 4*(s^6 - s^3)
    t15 = t14 * t13  # 4*(s^6 - s^3)
    t16 = -2.0 * ((24.0 * t15 - 12.0) * t14) * t14  # d((ay - by)^2)
    t17 = t16 * t12  # d((ay - by)^2)
    t18 = t16 * t11  # d((ax - bx)^2)
    t19 = -2.0 * ((24.0 * t10 - 12.0) * t9) * t9  # d((ay - by)^2)
    t20 = t19 * t7  # d((ay - by)^2)
    t21 = t19 * t6  # d((ax - bx)^2)
    t22 = -2.0 * ((24.0 * t5 - 12.0) * t4) * t4  # d((ay - by)^2)
    t23 = t22 * t2  # d((ay - by)^2)
    t24 = t22 * t1  # d((ax - bx)^2)
    t25 = t5 * t5 - t5 + (t10 * t10 - t10) + (t15 * t15 - t15)
    return 4.0 * t25, (t24 - t18, t23 - t17, t21 - t24, t20 - t23, t18 - t21, t17 - t20)
