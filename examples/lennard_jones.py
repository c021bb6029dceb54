"""A formula and its gradient, compiled by gradc 0.2.0.

# Energy of three noble-gas atoms in a plane, in units of the depth of the pair
# potential and its zero (Lennard-Jones, 1924). The forces are minus the gradient.
input x1, y1, x2, y2, x3, y3 in [-3, 3]

well(s) = 4*(s^6 - s^3)       # s is the inverse square of the distance
pair(ax, ay, bx, by) = well(1/((ax - bx)^2 + (ay - by)^2))

pair(x1, y1, x2, y2) + pair(x2, y2, x3, y3) + pair(x3, y3, x1, y1)
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 426ec083dd9656b4

INPUTS = ("x1", "y1", "x2", "y2", "x3", "y3")
WRT = ("x1", "y1", "x2", "y2", "x3", "y3")


def value(x1: float, y1: float, x2: float, y2: float, x3: float, y3: float) -> float:
    """Return the value of the formula."""
    t1 = x1 - x2  # in ax - bx
    t2 = y1 - y2  # in ay - by
    t3 = 1.0 / (t1 * t1 + t2 * t2)  # in 1/((ax - bx)^2 + (ay - by)^2)
    t4 = x2 - x3
    t5 = y2 - y3
    t6 = 1.0 / (t4 * t4 + t5 * t5)
    t7 = x3 - x1  # ax - bx
    t8 = y3 - y1  # ay - by
    t9 = 1.0 / (t7 * t7 + t8 * t8)  # 1/((ax - bx)^2 + (ay - by)^2)
    t10 = t9 * t9 * t9  # in d((ay - by)^2)
    t11 = t6 * t6 * t6  # in d((ay - by)^2)
    t12 = t3 * t3 * t3  # in d((ay - by)^2)
    return 4.0 * (t12 * (t12 - 1.0) + t11 * (t11 - 1.0) + t10 * (t10 - 1.0))


def value_and_grad(
    x1: float, y1: float, x2: float, y2: float, x3: float, y3: float
) -> tuple[float, tuple[float, float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = x1 - x2  # in ax - bx
    t2 = y1 - y2  # in ay - by
    t3 = t1 * t1 + t2 * t2  # in (ax - bx)^2 + (ay - by)^2
    t4 = 1.0 / t3  # in 1/((ax - bx)^2 + (ay - by)^2)
    t5 = x2 - x3
    t6 = y2 - y3
    t7 = t5 * t5 + t6 * t6
    t8 = 1.0 / t7
    t9 = x3 - x1  # ax - bx
    t10 = y3 - y1  # ay - by
    t11 = t9 * t9 + t10 * t10  # (ax - bx)^2 + (ay - by)^2
    t12 = 1.0 / t11  # 1/((ax - bx)^2 + (ay - by)^2)
    t13 = t12 * t12 * t12  # in d((ay - by)^2)
    t14 = 2.0 * (t13 * (24.0 * t13 - 12.0)) / t11  # in d((ay - by)^2)
    t15 = t10 * t14  # in d((ay - by)^2)
    t16 = t9 * t14  # in d((ax - bx)^2)
    t17 = t8 * t8 * t8  # in d((ay - by)^2)
    t18 = 2.0 * (t17 * (24.0 * t17 - 12.0)) / t7  # in d((ay - by)^2)
    t19 = t6 * t18  # in d((ay - by)^2)
    t20 = t5 * t18  # in d((ax - bx)^2)
    t21 = t4 * t4 * t4  # in d((ay - by)^2)
    t22 = 2.0 * (t21 * (24.0 * t21 - 12.0)) / t3  # in d((ay - by)^2)
    t23 = t2 * t22  # in d((ay - by)^2)
    t24 = t1 * t22  # in d((ax - bx)^2)
    return 4.0 * (t21 * (t21 - 1.0) + t17 * (t17 - 1.0) + t13 * (t13 - 1.0)), (
        t16 - t24,
        t15 - t23,
        t24 - t20,
        t23 - t19,
        t20 - t16,
        t19 - t15,
    )
