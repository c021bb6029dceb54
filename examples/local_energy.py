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
# digest: 13e7362ee44af796

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
    if tuple(found) == shape:
        try:
            return flat if type(sum(flat)) is float else [*map(float, flat)]
        except TypeError:
            found.append("ragged")
    raise ValueError(f"{name} has shape {shape} but was given shape {(*found,)}")


def value(x: Sequence[Sequence[float]], zeta: float, b: float) -> float:
    """Return the value of the formula."""
    x_0_0, x_0_1, x_0_2, x_1_0, x_1_1, x_1_2 = floats("x", x, 2, 3)
    t1 = x_0_0 - x_1_0  # in x[0] - x[1]
    t2 = x_0_1 - x_1_1
    t3 = x_0_2 - x_1_2  # x[0] - x[1]
    r_0 = hypot(x_0_0, x_0_1, x_0_2)  # in sqrt(sum(u^2))
    r_1 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
    apart = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
    t4 = 1.0 + b * apart
    t5 = 1.0 / t4  # in d(apart/(2*(1 + b*apart)))
    t6 = 1.0 / (t4 * t4) / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t7 = t6 * t3  # in d((x[0] - x[1])^2)
    t8 = t6 * t2  # in d((x[0] - x[1])^2)
    t9 = t6 * t1  # in d((x[0] - x[1])^2)
    t10 = zeta / r_1  # in d(sqrt(sum(u^2)))
    t11 = zeta / r_0  # in d(sqrt(sum(u^2)))
    slope_1_2 = -0.5 * t7 - t10 * x_1_2  # in d(x)
    slope_1_1 = -0.5 * t8 - t10 * x_1_1  # in d(x)
    slope_1_0 = -0.5 * t9 - t10 * x_1_0  # in d(x)
    slope_0_2 = 0.5 * t7 - t11 * x_0_2  # in d(x)
    slope_0_1 = 0.5 * t8 - t11 * x_0_1  # in d(x)
    slope_0_0 = 0.5 * t9 - t11 * x_0_0  # in d(x)
    t12 = t1 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t13 = apart * t4  # in d(apart/(2*(1 + b*apart)))
    t14 = t5 * t5  # in d(apart/(2*(1 + b*apart)))
    t15 = t12 * b * t14  # in d(apart/(2*(1 + b*apart)))
    t16 = apart * t5
    t17 = 0.5 / apart
    t18 = b * (t15 * t16 - t1 / t13 * t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t19 = t11 / r_0
    t20 = t2 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t21 = t20 * b * t14  # in d(apart/(2*(1 + b*apart)))
    t22 = b * (t21 * t16 - t2 / t13 * t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t23 = t3 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t24 = t23 * b * t14  # in d(apart/(2*(1 + b*apart)))
    t25 = b * (t24 * t16 - t3 / t13 * t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t26 = t10 / r_1
    t27 = t17 * (t18 - (t15 + t12 * t6)) * t1 + 1.5 * t6  # in -(curvature + sum(...
    t28 = t27 + t17 * (t22 - (t21 + t20 * t6)) * t2
    t29 = t28 + t17 * (t25 - (t24 + t23 * t6)) * t3
    t30 = x_0_0 / r_0 * t19 * x_0_0 + x_0_1 / r_0 * t19 * x_0_1
    t31 = t30 + x_0_2 / r_0 * t19 * x_0_2
    t32 = t31 + x_1_0 / r_1 * t26 * x_1_0
    t33 = t32 + x_1_1 / r_1 * t26 * x_1_1
    t34 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1
    t35 = t34 + slope_0_2 * slope_0_2 + slope_1_0 * slope_1_0
    t36 = t35 + slope_1_1 * slope_1_1 + slope_1_2 * slope_1_2
    t37 = 2.0 * t29 - 3.0 * (t11 + t10)
    t38 = 0.5 * (t37 + (t33 + x_1_2 / r_1 * t26 * x_1_2) + t36)
    return 1.0 / apart - t38 - 2.0 * (1.0 / r_0 + 1.0 / r_1)


def value_and_grad(x: Sequence[Sequence[float]], zeta: float, b: float) -> tuple[
    float,
    tuple[tuple[tuple[float, float, float], tuple[float, float, float]], float, float],
]:
    """Return the value and its gradient, in the order of WRT."""
    x_0_0, x_0_1, x_0_2, x_1_0, x_1_1, x_1_2 = floats("x", x, 2, 3)
    t1 = x_0_0 - x_1_0  # in x[0] - x[1]
    t2 = x_0_1 - x_1_1
    t3 = x_0_2 - x_1_2  # x[0] - x[1]
    t4 = hypot(x_0_0, x_0_1, x_0_2)  # in sqrt(sum(u^2))
    t5 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
    t6 = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
    t7 = 1.0 + b * t6  # 1 + b*apart
    t8 = 1.0 / t7  # in d(apart/(2*(1 + b*apart)))
    t9 = 1.0 / (t7 * t7)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t10 = t9 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t11 = t10 * t3  # in d((x[0] - x[1])^2)
    t12 = t10 * t2  # in d((x[0] - x[1])^2)
    t13 = t10 * t1  # in d((x[0] - x[1])^2)
    t14 = zeta / t5  # in d(sqrt(sum(u^2)))
    t15 = zeta / t4  # in d(sqrt(sum(u^2)))
    t16 = -0.5 * t11 - t14 * x_1_2  # in d(x)
    t17 = -0.5 * t12 - t14 * x_1_1  # in d(x)
    t18 = -0.5 * t13 - t14 * x_1_0  # in d(x)
    t19 = 0.5 * t11 - t15 * x_0_2  # in d(x)
    t11 = 0.5 * t12 - t15 * x_0_1  # in d(x)
    t12 = 0.5 * t13 - t15 * x_0_0  # in d(x)
    t13 = x_0_0 / t4  # in d(sqrt(sum(u^2)))
    t20 = t1 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t21 = t20 * b  # in d(b*apart)
    t22 = t6 * t7  # in d(apart/(2*(1 + b*apart)))
    t23 = t1 / t22  # in d(apart/(2*(1 + b*apart)))
    t24 = t23 * t8  # in d(apart/(2*(1 + b*apart)))
    t25 = t24 * t8  # in d(apart/(2*(1 + b*apart)))
    t26 = t8 * t8  # in d(apart/(2*(1 + b*apart)))
    t27 = t21 * t26  # in d(apart/(2*(1 + b*apart)))
    t28 = t6 * t8
    t29 = t27 * t28 - t25  # in d(2*(1 + b*apart))
    t30 = t20 * t10  # in d(sqrt(sum((x[0] - x[1])^2)))
    t31 = 0.5 / t6
    t32 = t31 * (b * t29 - (t27 + t30))  # in d(sqrt(sum((x[0] - x[1])^2)))
    t33 = t15 / t4
    t34 = t13 * t33  # in d(sqrt(sum(u^2)))
    t35 = x_0_1 / t4  # in d(sqrt(sum(u^2)))
    t36 = t2 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t37 = t36 * b  # in d(b*apart)
    t38 = t2 / t22  # in d(apart/(2*(1 + b*apart)))
    t39 = t38 * t8  # in d(apart/(2*(1 + b*apart)))
    t40 = t39 * t8  # in d(apart/(2*(1 + b*apart)))
    t41 = t37 * t26  # in d(apart/(2*(1 + b*apart)))
    t42 = t41 * t28 - t40  # in d(2*(1 + b*apart))
    t43 = t36 * t10  # in d(sqrt(sum((x[0] - x[1])^2)))
    t44 = t31 * (b * t42 - (t41 + t43))  # in d(sqrt(sum((x[0] - x[1])^2)))
    t45 = t35 * t33  # in d(sqrt(sum(u^2)))
    t46 = x_0_2 / t4  # in d(sqrt(sum(u^2)))
    t47 = t3 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t48 = t47 * b  # in d(b*apart)
    t49 = t3 / t22  # in d(apart/(2*(1 + b*apart)))
    t50 = t49 * t8  # in d(apart/(2*(1 + b*apart)))
    t51 = t50 * t8  # in d(apart/(2*(1 + b*apart)))
    t52 = t48 * t26  # in d(apart/(2*(1 + b*apart)))
    t26 = t52 * t28 - t51  # in d(2*(1 + b*apart))
    t53 = t47 * t10  # in d(sqrt(sum((x[0] - x[1])^2)))
    t54 = t31 * (b * t26 - (t52 + t53))  # in d(sqrt(sum((x[0] - x[1])^2)))
    t31 = t46 * t33  # in d(sqrt(sum(u^2)))
    t33 = x_1_0 / t5  # in d(sqrt(sum(u^2)))
    t55 = t14 / t5
    t56 = t33 * t55  # in d(sqrt(sum(u^2)))
    t57 = x_1_1 / t5  # in d(sqrt(sum(u^2)))
    t58 = t57 * t55  # in d(sqrt(sum(u^2)))
    t59 = x_1_2 / t5  # in d(sqrt(sum(u^2)))
    t60 = t59 * t55  # in d(sqrt(sum(u^2)))
    t55 = 1.0 / t4  # 2/r[0]
    t4 = 1.0 / t5  # 2/r[1]
    t5 = 1.0 / t6  # 1/apart
    t61 = t52 / t22  # in d(apart/(2*(1 + b*apart)))
    t62 = t41 / t22  # in d(apart/(2*(1 + b*apart)))
    t63 = t27 / t22  # in d(apart/(2*(1 + b*apart)))
    t22 = t63 * t23 + t62 * t38 + t61 * t49  # in d(apart/(2*(1 + b*apart)))
    t49 = t22 * t6  # in d(apart/(2*(1 + b*apart)))
    t38 = -1.5 - t19 * x_0_2 - t11 * x_0_1 - t12 * x_0_0  # in d(sqrt(sum(u^2)))
    t23 = 2.0 * t38 + t13 * t13 + t35 * t35 + t46 * t46  # in d(sqrt(sum(u^2)))
    t38 = t23 * t55  # in d(sqrt(sum(u^2)))
    t23 = -1.5 - t16 * x_1_2 - t17 * x_1_1 - t18 * x_1_0  # in d(sqrt(sum(u^2)))
    t64 = 2.0 * t23 + t33 * t33 + t57 * t57 + t59 * t59  # in d(sqrt(sum(u^2)))
    t23 = t64 * t4  # in d(sqrt(sum(u^2)))
    t64 = t18 - t12  # in d((x[0] - x[1])^2)
    t65 = t17 - t11  # in d((x[0] - x[1])^2)
    t66 = t16 - t19  # in d((x[0] - x[1])^2)
    t67 = t66 * t3 + t65 * t2 + t64 * t1 - 3.0  # in d(sqrt(sum((x[0] - x[1])^2)))
    t68 = (t67 + t20 * t20 + t36 * t36 + t47 * t47) * t5  # in d(sqrt(sum((x[0] - x[...
    t67 = (t21 * t27 + t37 * t41 + t48 * t52) * t8  # in d(apart/(2*(1 + b*apart)))
    t48 = 0.5 * t23 * t14 + t33 * t56 + t57 * t58  # in d(sqrt(sum(u^2)))
    t37 = t48 + t59 * t60 + 2.0 * (t4 * t4)  # in d(sqrt(sum(u^2)))
    t48 = 0.5 * t38 * t15 + t13 * t34 + t35 * t45  # in d(sqrt(sum(u^2)))
    t21 = t48 + t46 * t31 + 2.0 * (t55 * t55)  # in d(sqrt(sum(u^2)))
    t48 = t5 * (t53 + t51 * b)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t53 = t5 * (t43 + t40 * b)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t43 = t5 * (t30 + t25 * b)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t30 = 0.5 * (t67 * t28 - (2.0 * t68 * t8 * t9 + t49))  # in d(1 + b*apart)
    t28 = t30 - (t49 + t27 * t24 + t41 * t39 + t52 * t50)  # in d(1 + b*apart)
    t30 = t43 * t20 + t53 * t36 + t48 * t47  # in d(sqrt(sum((x[0] - x[1])^2)))
    t49 = t28 * b + t20 * t32 + t36 * t44 + t47 * t54  # in d(sqrt(sum((x[0] - x[1])^...
    t52 = 0.5 * (t67 + t22 * t7 + t68 * t10 + t30)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t30 = t49 - t5 * t5 - t52  # in d(sqrt(sum((x[0] - x[1])^2)))
    t52 = 0.5 * (t48 + (t61 + t66 * t10))  # in d(x[0] - x[1])
    t48 = t52 + (t30 * t47 - t54)  # in d(x[0] - x[1])
    t52 = 0.5 * (t53 + (t62 + t65 * t10))  # in d(x[0] - x[1])
    t53 = t52 + (t30 * t36 - t44)  # in d(x[0] - x[1])
    t52 = 0.5 * (t43 + (t63 + t64 * t10))  # in d(x[0] - x[1])
    t43 = t52 + (t30 * t20 - t32)  # in d(x[0] - x[1])
    t52 = t32 * t1 + 1.5 * t10 + t44 * t2 + t54 * t3  # in -(curvature + sum(slope^2)...
    t54 = t34 * x_0_0 + t45 * x_0_1 + t31 * x_0_2 + t56 * x_1_0
    t44 = t54 + t58 * x_1_1 + t60 * x_1_2
    t54 = t12 * t12 + t11 * t11
    t32 = t54 + t19 * t19 + t18 * t18
    t54 = t32 + t17 * t17 + t16 * t16
    t32 = t25 * t20 + t40 * t36 + t51 * t47 - t20 * t29  # in d(b)
    t51 = 0.5 * (2.0 * t52 - 3.0 * (t15 + t14) + t44 + t54)
    return t5 - t51 - 2.0 * (t55 + t4), (
        (
            (
                t43 - t34 + t21 * t13 + t12 * t15,
                t53 - t45 + t21 * t35 + t11 * t15,
                t48 - t31 + t21 * t46 + t19 * t15,
            ),
            (
                t37 * t33 - t56 - t43 + t18 * t14,
                t37 * t57 - t58 - t53 + t17 * t14,
                t37 * t59 - t60 - t48 + t16 * t14,
            ),
        ),
        -0.5 * (t23 + t38),
        t28 * t6 + 0.5 * (t32 - t36 * t42 - t47 * t26),
    )
