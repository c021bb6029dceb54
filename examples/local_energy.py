"""A formula and its gradient, compiled by gradc 0.2.0.

# The local energy of a trial wave function of helium, in atomic units: the kinetic part
# is -1/2 of its Laplacian over itself. The mean over places of the two electrons is an
# upper bound of the energy (variational Monte Carlo).
input x[2, 3] in [-2, 2]     # the electrons
input zeta in [1, 3], b in [0, 1]

r = [sqrt(sum(u^2)) for u in x]
apart = sqrt(sum((x[0] - x[1])^2))
log_psi = -zeta*sum(r) + apart/(2*(1 + b*apart))
slope = grad(log_psi, x)
curvature = sum(diff(slope[i, k], x[i, k]) for i in range(2) for k in range(3))
-(curvature + sum(slope^2))/2 - 2/r[0] - 2/r[1] + 1/apart

Arguments:
    x: 2 by 3; in [-2, 2]
    zeta: in [1, 3]
    b: in [0, 1]
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: edf3cdf026e2e687

from collections.abc import Sequence
from math import hypot
from typing import Any

INPUTS = ("x", "zeta", "b")
WRT = ("x", "zeta", "b")


def floats(name: str, given: Any, *shape: int) -> Sequence[float]:
    """Return the numbers of an array as floats, row by row, if it has this shape."""
    flat, found = [given], list[object]()
    while flat and hasattr(flat[0], "__len__") and len(found) <= len(shape):
        rows = [x.tolist() if hasattr(x, "tolist") else x for x in flat]
        alike = all(isinstance(x, Sequence) and len(x) == len(rows[0]) for x in rows)
        found.append(len(rows[0]) if alike else "ragged")
        flat = [x for row in rows for x in row] if alike else []
    if tuple(found) != shape:
        raise ValueError(f"{name} has shape {shape} but was given shape {(*found,)}")
    return flat if type(sum(flat)) is float else [*map(float, flat)]


def value(x: Sequence[Sequence[float]], zeta: float, b: float) -> float:
    """Return the value of the formula."""
    x_0_0, x_0_1, x_0_2, x_1_0, x_1_1, x_1_2 = floats("x", x, 2, 3)
    t1 = x_0_0 - x_1_0  # in x[0] - x[1]
    t2 = x_0_1 - x_1_1
    t3 = x_0_2 - x_1_2  # x[0] - x[1]
    apart = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
    t4 = 1.0 + b * apart
    t5 = 1.0 / t4  # in d(apart/(2*(1 + b*apart)))
    t6 = 1.0 / (t4 * t4) / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t7 = t6 * t3  # in d((x[0] - x[1])^2)
    t8 = t6 * t2  # in d((x[0] - x[1])^2)
    t9 = t6 * t1  # in d((x[0] - x[1])^2)
    t10 = t1 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t11 = apart * t4  # in d(apart/(2*(1 + b*apart)))
    t12 = t5 * t5  # in d(apart/(2*(1 + b*apart)))
    t13 = t10 * b * t12  # in d(apart/(2*(1 + b*apart)))
    t14 = apart * t5
    t15 = 0.5 / apart
    t16 = b * (t13 * t14 - t1 / t11 * t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t17 = t2 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t18 = t17 * b * t12  # in d(apart/(2*(1 + b*apart)))
    t19 = b * (t18 * t14 - t2 / t11 * t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t20 = t3 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t21 = t20 * b * t12  # in d(apart/(2*(1 + b*apart)))
    t22 = b * (t21 * t14 - t3 / t11 * t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t23 = (
        t15 * (t16 - (t13 + t10 * t6)) * t1
        + 1.5 * t6
        + t15 * (t19 - (t18 + t17 * t6)) * t2
        + t15 * (t22 - (t21 + t20 * t6)) * t3
    )  # in -(curvature + sum(slope^2))/2 - 2/r[0] - 2/r[1] + 1/apart
    r_0 = hypot(x_0_0, x_0_1, x_0_2)  # in sqrt(sum(u^2))
    t24 = zeta / r_0  # in d(sqrt(sum(u^2)))
    slope_0_2 = 0.5 * t7 - t24 * x_0_2  # in d(x)
    slope_0_1 = 0.5 * t8 - t24 * x_0_1  # in d(x)
    slope_0_0 = 0.5 * t9 - t24 * x_0_0  # in d(x)
    t25 = t24 / r_0
    r_1 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
    t26 = zeta / r_1  # in d(sqrt(sum(u^2)))
    slope_1_2 = -0.5 * t7 - t26 * x_1_2  # in d(x)
    slope_1_1 = -0.5 * t8 - t26 * x_1_1  # in d(x)
    slope_1_0 = -0.5 * t9 - t26 * x_1_0  # in d(x)
    t27 = t26 / r_1
    t28 = (
        x_0_0 / r_0 * t25 * x_0_0
        + x_0_1 / r_0 * t25 * x_0_1
        + x_0_2 / r_0 * t25 * x_0_2
        + x_1_0 / r_1 * t27 * x_1_0
        + x_1_1 / r_1 * t27 * x_1_1
        + x_1_2 / r_1 * t27 * x_1_2
    )
    t29 = (
        slope_0_0 * slope_0_0
        + slope_0_1 * slope_0_1
        + slope_0_2 * slope_0_2
        + slope_1_0 * slope_1_0
        + slope_1_1 * slope_1_1
        + slope_1_2 * slope_1_2
    )
    t30 = 0.5 * (2.0 * t23 - 3.0 * (t24 + t26) + t28 + t29)
    return 1.0 / apart - t30 - 2.0 * (1.0 / r_0 + 1.0 / r_1)


def value_and_grad(x: Sequence[Sequence[float]], zeta: float, b: float) -> tuple[
    float,
    tuple[tuple[tuple[float, float, float], tuple[float, float, float]], float, float],
]:
    """Return the value and its gradient, in the order of WRT."""
    x_0_0, x_0_1, x_0_2, x_1_0, x_1_1, x_1_2 = floats("x", x, 2, 3)
    t1 = x_0_0 - x_1_0  # in x[0] - x[1]
    t2 = x_0_1 - x_1_1
    t3 = x_0_2 - x_1_2  # x[0] - x[1]
    t4 = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
    t5 = 1.0 + b * t4  # 1 + b*apart
    t6 = 1.0 / t5  # in d(apart/(2*(1 + b*apart)))
    t7 = 1.0 / (t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t8 = t7 / t4  # in d(sqrt(sum((x[0] - x[1])^2)))
    t9 = t8 * t3  # in d((x[0] - x[1])^2)
    t10 = t8 * t2  # in d((x[0] - x[1])^2)
    t11 = t8 * t1  # in d((x[0] - x[1])^2)
    t12 = t1 / t4  # in d(sqrt(sum((x[0] - x[1])^2)))
    t13 = t12 * b  # in d(b*apart)
    t14 = t4 * t5  # in d(apart/(2*(1 + b*apart)))
    t15 = t1 / t14  # in d(apart/(2*(1 + b*apart)))
    t16 = t15 * t6  # in d(apart/(2*(1 + b*apart)))
    t17 = t16 * t6  # in d(apart/(2*(1 + b*apart)))
    t18 = t6 * t6  # in d(apart/(2*(1 + b*apart)))
    t19 = t13 * t18  # in d(apart/(2*(1 + b*apart)))
    t20 = t4 * t6
    t21 = t19 * t20 - t17  # in d(2*(1 + b*apart))
    t22 = t12 * t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t23 = 0.5 / t4
    t24 = t23 * (b * t21 - (t19 + t22))  # in d(sqrt(sum((x[0] - x[1])^2)))
    t25 = t2 / t4  # in d(sqrt(sum((x[0] - x[1])^2)))
    t26 = t25 * b  # in d(b*apart)
    t27 = t2 / t14  # in d(apart/(2*(1 + b*apart)))
    t28 = t27 * t6  # in d(apart/(2*(1 + b*apart)))
    t29 = t28 * t6  # in d(apart/(2*(1 + b*apart)))
    t30 = t26 * t18  # in d(apart/(2*(1 + b*apart)))
    t31 = t30 * t20 - t29  # in d(2*(1 + b*apart))
    t32 = t25 * t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t33 = t23 * (b * t31 - (t30 + t32))  # in d(sqrt(sum((x[0] - x[1])^2)))
    t34 = t3 / t4  # in d(sqrt(sum((x[0] - x[1])^2)))
    t35 = t34 * b  # in d(b*apart)
    t36 = t3 / t14  # in d(apart/(2*(1 + b*apart)))
    t37 = t36 * t6  # in d(apart/(2*(1 + b*apart)))
    t38 = t37 * t6  # in d(apart/(2*(1 + b*apart)))
    t39 = t35 * t18  # in d(apart/(2*(1 + b*apart)))
    t18 = t39 * t20 - t38  # in d(2*(1 + b*apart))
    t40 = t34 * t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t41 = t23 * (b * t18 - (t39 + t40))  # in d(sqrt(sum((x[0] - x[1])^2)))
    t23 = 1.0 / t4  # 1/apart
    t42 = t39 / t14  # in d(apart/(2*(1 + b*apart)))
    t43 = t30 / t14  # in d(apart/(2*(1 + b*apart)))
    t44 = t19 / t14  # in d(apart/(2*(1 + b*apart)))
    t14 = t44 * t15 + t43 * t27 + t42 * t36  # in d(apart/(2*(1 + b*apart)))
    t36 = t14 * t4  # in d(apart/(2*(1 + b*apart)))
    t27 = (t13 * t19 + t26 * t30 + t35 * t39) * t6  # in d(apart/(2*(1 + b*apart)))
    t35 = t23 * (t40 + t38 * b)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t40 = t23 * (t32 + t29 * b)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t32 = t23 * (t22 + t17 * b)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t22 = t24 * t1 + 1.5 * t8 + t33 * t2 + t41 * t3  # in -(curvature + sum(slope^2))...
    t26 = t17 * t12 + t29 * t25 + t38 * t34 - t12 * t21 - t25 * t31 - t34 * t18
    t18 = hypot(x_0_0, x_0_1, x_0_2)  # in sqrt(sum(u^2))
    t38 = zeta / t18  # in d(sqrt(sum(u^2)))
    t31 = 0.5 * t9 - t38 * x_0_2  # in d(x)
    t29 = 0.5 * t10 - t38 * x_0_1  # in d(x)
    t21 = 0.5 * t11 - t38 * x_0_0  # in d(x)
    t17 = x_0_0 / t18  # in d(sqrt(sum(u^2)))
    t13 = t38 / t18
    t15 = t17 * t13  # in d(sqrt(sum(u^2)))
    t45 = x_0_1 / t18  # in d(sqrt(sum(u^2)))
    t46 = t45 * t13  # in d(sqrt(sum(u^2)))
    t47 = x_0_2 / t18  # in d(sqrt(sum(u^2)))
    t48 = t47 * t13  # in d(sqrt(sum(u^2)))
    t13 = 1.0 / t18  # 2/r[0]
    t18 = -1.5 - t31 * x_0_2 - t29 * x_0_1 - t21 * x_0_0  # in d(sqrt(sum(u^2)))
    t49 = 2.0 * t18 + t17 * t17 + t45 * t45 + t47 * t47  # in d(sqrt(sum(u^2)))
    t18 = t49 * t13  # in d(sqrt(sum(u^2)))
    t49 = 0.5 * t18 * t38 + t17 * t15 + t45 * t46 + t47 * t48 + 2.0 * (t13 * t13)
    t50 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
    t51 = zeta / t50  # in d(sqrt(sum(u^2)))
    t52 = -0.5 * t9 - t51 * x_1_2  # in d(x)
    t9 = -0.5 * t10 - t51 * x_1_1  # in d(x)
    t10 = -0.5 * t11 - t51 * x_1_0  # in d(x)
    t11 = x_1_0 / t50  # in d(sqrt(sum(u^2)))
    t53 = t51 / t50
    t54 = t11 * t53  # in d(sqrt(sum(u^2)))
    t55 = x_1_1 / t50  # in d(sqrt(sum(u^2)))
    t56 = t55 * t53  # in d(sqrt(sum(u^2)))
    t57 = x_1_2 / t50  # in d(sqrt(sum(u^2)))
    t58 = t57 * t53  # in d(sqrt(sum(u^2)))
    t53 = 1.0 / t50  # 2/r[1]
    t50 = -1.5 - t52 * x_1_2 - t9 * x_1_1 - t10 * x_1_0  # in d(sqrt(sum(u^2)))
    t59 = 2.0 * t50 + t11 * t11 + t55 * t55 + t57 * t57  # in d(sqrt(sum(u^2)))
    t50 = t59 * t53  # in d(sqrt(sum(u^2)))
    t59 = t10 - t21  # in d((x[0] - x[1])^2)
    t60 = t9 - t29  # in d((x[0] - x[1])^2)
    t61 = t52 - t31  # in d((x[0] - x[1])^2)
    t62 = t61 * t3 + t60 * t2 + t59 * t1 - 3.0 + t12 * t12 + t25 * t25 + t34 * t34
    t3 = t62 * t23  # in d(sqrt(sum((x[0] - x[1])^2)))
    t62 = 0.5 * t50 * t51 + t11 * t54 + t55 * t56 + t57 * t58 + 2.0 * (t53 * t53)
    t2 = 0.5 * (t27 * t20 - (2.0 * t3 * t6 * t7 + t36))  # in d(1 + b*apart)
    t20 = t2 - (t36 + t19 * t16 + t30 * t28 + t39 * t37)  # in d(1 + b*apart)
    t2 = t27 + t14 * t5 + t3 * t8 + (t32 * t12 + t40 * t25 + t35 * t34)
    t3 = t20 * b + t12 * t24 + t25 * t33 + t34 * t41 - t23 * t23 - 0.5 * t2
    t2 = 0.5 * (t35 + (t42 + t61 * t8))  # in d(x[0] - x[1])
    t61 = t2 + (t3 * t34 - t41)  # in d(x[0] - x[1])
    t2 = 0.5 * (t40 + (t43 + t60 * t8))  # in d(x[0] - x[1])
    t60 = t2 + (t3 * t25 - t33)  # in d(x[0] - x[1])
    t2 = 0.5 * (t32 + (t44 + t59 * t8))  # in d(x[0] - x[1])
    t59 = t2 + (t3 * t12 - t24)  # in d(x[0] - x[1])
    t2 = (
        t15 * x_0_0
        + t46 * x_0_1
        + t48 * x_0_2
        + t54 * x_1_0
        + t56 * x_1_1
        + t58 * x_1_2
    )
    t3 = t21 * t21 + t29 * t29 + t31 * t31 + t10 * t10 + t9 * t9 + t52 * t52
    t24 = 0.5 * (2.0 * t22 - 3.0 * (t38 + t51) + t2 + t3)
    return t23 - t24 - 2.0 * (t13 + t53), (
        (
            (
                t59 - t15 + t49 * t17 + t21 * t38,
                t60 - t46 + t49 * t45 + t29 * t38,
                t61 - t48 + t49 * t47 + t31 * t38,
            ),
            (
                t62 * t11 - t54 - t59 + t10 * t51,
                t62 * t55 - t56 - t60 + t9 * t51,
                t62 * t57 - t58 - t61 + t52 * t51,
            ),
        ),
        -0.5 * (t50 + t18),
        t20 * t4 + 0.5 * t26,
    )
