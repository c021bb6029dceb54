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
# digest: 92b9080e2c2115ad

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
    t4 = b * apart  # in 1 + b*apart
    t5 = 1.0 + t4  # 1 + b*apart
    t6 = 1.0 / t5  # in d(apart/(2*(1 + b*apart)))
    t7 = (1.0 - t4 * t6) * t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t8 = zeta / r_1  # in d(sqrt(sum(u^2)))
    t9 = zeta / r_0  # in d(sqrt(sum(u^2)))
    t10 = t7 * t3  # in d(x)
    t11 = t10 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    slope_1_2 = -0.5 * t11 - t8 * x_1_2  # in d(x)
    t12 = t7 * t2  # in d(x)
    t13 = t12 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    slope_1_1 = -0.5 * t13 - t8 * x_1_1  # in d(x)
    t14 = t7 * t1  # in d(x)
    t15 = t14 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    slope_1_0 = -0.5 * t15 - t8 * x_1_0  # in d(x)
    t16 = 1.0 / apart
    t17 = 0.5 * t16  # in d(x)
    slope_0_2 = t17 * t10 - t9 * x_0_2  # in d(x)
    slope_0_1 = t17 * t12 - t9 * x_0_1  # in d(x)
    slope_0_0 = t17 * t14 - t9 * x_0_0  # in d(x)
    t18 = t6 / (apart * t5) * t6
    t19 = t6 * t6
    t20 = b * t1 * t19  # in d(apart/(2*(1 + b*apart)))
    t21 = b * (t20 * t6 - t1 * t18) - t16 * (t20 + t15)  # in d(sqrt(sum((x[0] - x[1]...
    t22 = t9 / r_0
    t23 = b * t2 * t19  # in d(apart/(2*(1 + b*apart)))
    t24 = b * (t23 * t6 - t2 * t18) - t16 * (t23 + t13)
    t25 = b * t3 * t19  # in d(apart/(2*(1 + b*apart)))
    t26 = b * (t25 * t6 - t3 * t18) - t16 * (t25 + t11)
    t27 = t8 / r_1
    t28 = x_0_0 / r_0 * t22 * x_0_0 + x_0_1 / r_0 * t22 * x_0_1  # in d(sqrt(sum(u^2)))
    t29 = t28 + x_0_2 / r_0 * t22 * x_0_2  # in d(sqrt(sum(u^2)))
    t30 = 0.5 * (t21 * t1 + t24 * t2 + t26 * t3)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t31 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t32 = t31 + slope_0_2 * slope_0_2 + slope_1_0 * slope_1_0
    t33 = t32 + slope_1_1 * slope_1_1 + slope_1_2 * slope_1_2
    t34 = t29 + x_1_0 / r_1 * t27 * x_1_0
    t35 = t34 + x_1_1 / r_1 * t27 * x_1_1
    t36 = 0.5 * (t35 + x_1_2 / r_1 * t27 * x_1_2 + t33)
    t37 = 1.5 * (t9 + t8) - t36 - 2.0 * (1.0 / r_0 + 1.0 / r_1)
    return t37 + (t16 - (t30 + 1.5 * t7) * t16)


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
    t7 = b * t6  # in 1 + b*apart
    t8 = 1.0 + t7  # 1 + b*apart
    t9 = 1.0 / t8  # in d(apart/(2*(1 + b*apart)))
    t10 = 1.0 - t7 * t9  # in d(sqrt(sum((x[0] - x[1])^2)))
    t7 = t10 * t9  # in d(sqrt(sum((x[0] - x[1])^2)))
    t11 = zeta / t5  # in d(sqrt(sum(u^2)))
    t12 = zeta / t4  # in d(sqrt(sum(u^2)))
    t13 = t7 * t3  # in d(x)
    t14 = t13 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t15 = -0.5 * t14 - t11 * x_1_2  # in d(x)
    t16 = t7 * t2  # in d(x)
    t17 = t16 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t18 = -0.5 * t17 - t11 * x_1_1  # in d(x)
    t19 = t7 * t1  # in d(x)
    t20 = t19 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t21 = -0.5 * t20 - t11 * x_1_0  # in d(x)
    t22 = 1.0 / t6  # 1/apart
    t23 = 0.5 * t22  # in d(x)
    t24 = t23 * t13 - t12 * x_0_2  # in d(x)
    t13 = t23 * t16 - t12 * x_0_1  # in d(x)
    t16 = t23 * t19 - t12 * x_0_0  # in d(x)
    t19 = t9 / (t6 * t8)
    t25 = t19 * t9
    t26 = t1 * t25  # in d(apart/(2*(1 + b*apart)))
    t27 = b * t1
    t28 = t9 * t9
    t29 = t27 * t28  # in d(apart/(2*(1 + b*apart)))
    t30 = t6 * t9
    t31 = t29 * t9 - t26  # in d(2*(1 + b*apart))
    t32 = b * t31 - t22 * (t29 + t20)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t33 = x_0_0 / t4
    t34 = t12 / t4
    t35 = t33 * t34  # in d(sqrt(sum(u^2)))
    t36 = t2 * t25  # in d(apart/(2*(1 + b*apart)))
    t37 = b * t2
    t38 = t37 * t28  # in d(apart/(2*(1 + b*apart)))
    t39 = t38 * t9 - t36  # in d(2*(1 + b*apart))
    t40 = b * t39 - t22 * (t38 + t17)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t41 = x_0_1 / t4
    t42 = t41 * t34  # in d(sqrt(sum(u^2)))
    t43 = t3 * t25  # in d(apart/(2*(1 + b*apart)))
    t25 = b * t3
    t44 = t25 * t28  # in d(apart/(2*(1 + b*apart)))
    t45 = t44 * t9 - t43  # in d(2*(1 + b*apart))
    t46 = b * t45 - t22 * (t44 + t14)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t47 = x_0_2 / t4
    t48 = t47 * t34  # in d(sqrt(sum(u^2)))
    t34 = x_1_0 / t5
    t49 = t11 / t5
    t50 = t34 * t49  # in d(sqrt(sum(u^2)))
    t51 = x_1_1 / t5
    t52 = t51 * t49  # in d(sqrt(sum(u^2)))
    t53 = x_1_2 / t5
    t54 = t53 * t49  # in d(sqrt(sum(u^2)))
    t49 = t50 * x_1_0  # in sum(diff(slope[i, k], x[i, k]) for i in range(2) for k...
    t55 = t52 * x_1_1
    t56 = t54 * x_1_2
    t57 = 1.0 / t4  # 2/r[0]
    t4 = 1.0 / t5  # 2/r[1]
    t5 = t3 * t22
    t58 = t2 * t22
    t59 = t1 * t22
    t60 = (t27 * t1 + t37 * t2 + t25 * t3) * t19  # in d(apart/(2*(1 + b*apart)))
    t61 = t60 * t19  # in d(apart/(2*(1 + b*apart)))
    t19 = -1.5 - t24 * x_0_2 - t13 * x_0_1 - t16 * x_0_0  # in d(sqrt(sum(u^2)))
    t62 = 2.0 * t19 + t33 * t33 + t41 * t41 + t47 * t47  # in d(sqrt(sum(u^2)))
    t19 = t62 * t57  # in d(sqrt(sum(u^2)))
    t62 = -1.5 - t15 * x_1_2 - t18 * x_1_1 - t21 * x_1_0  # in d(sqrt(sum(u^2)))
    t63 = 2.0 * t62 + t34 * t34 + t51 * t51 + t53 * t53  # in d(sqrt(sum(u^2)))
    t62 = t63 * t4  # in d(sqrt(sum(u^2)))
    t63 = t21 - t16  # in d((x[0] - x[1])^2)
    t64 = t18 - t13  # in d((x[0] - x[1])^2)
    t65 = t15 - t24  # in d((x[0] - x[1])^2)
    t66 = t65 * t3 + t64 * t2 + t63 * t1 - 3.0  # in d(apart/(2*(1 + b*apart)))
    t67 = (t66 + t59 * t59 + t58 * t58 + t5 * t5) * t22  # in d(apart/(2*(1 + b*apart)))
    t66 = t9 * t67
    t68 = (t27 * t29 + t37 * t38 + t25 * t44) * t22 * t22  # in d(apart/(2*(1 + b*...
    t44 = (t68 + b * t66) * t9  # in d(apart/(2*(1 + b*apart)))
    t68 = t4 * (2.0 * t4 + (t49 + t55 + t56))  # in d(sqrt(sum(u^2)))
    t9 = t68 + 0.5 * t62 * t11  # in d(sqrt(sum(u^2)))
    t68 = t35 * x_0_0 + t42 * x_0_1 + t48 * x_0_2  # in d(sqrt(sum(u^2)))
    t25 = t57 * (2.0 * t57 + t68) + 0.5 * t19 * t12  # in d(sqrt(sum(u^2)))
    t38 = b * t43  # in d(sqrt(sum((x[0] - x[1])^2)))
    t37 = t22 * t14 + t38  # in d(sqrt(sum((x[0] - x[1])^2)))
    t14 = b * t36  # in d(sqrt(sum((x[0] - x[1])^2)))
    t29 = t22 * t17 + t14  # in d(sqrt(sum((x[0] - x[1])^2)))
    t17 = b * t26  # in d(sqrt(sum((x[0] - x[1])^2)))
    t27 = t22 * t20 + t17  # in d(sqrt(sum((x[0] - x[1])^2)))
    t20 = (-4.0 * t60 * t22 - t10 * t67) * t28 + t44 * t30  # in d(1 + b*apart)
    t60 = t20 - t61  # in d(1 + b*apart)
    t20 = 0.5 * (t32 * t1 + t40 * t2 + t46 * t3)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t3 = t60 * b - t61 * t8 * t22 - t44  # in d(sqrt(sum((x[0] - x[1])^2)))
    t44 = t23 * (t27 * t59 + t29 * t58 + t37 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t61 = (t20 * t22 - t22) * t22 - t44  # in d(sqrt(sum((x[0] - x[1])^2)))
    t44 = 0.5 * (t3 - t67 * t7 * t22) + t61  # in d(sqrt(sum((x[0] - x[1])^2)))
    t61 = t23 * (t38 + t65 * t7 - t46) + t23 * t37  # in d(x[0] - x[1])
    t37 = t61 + t44 * t5  # in d(x[0] - x[1])
    t61 = t23 * (t14 + t64 * t7 - t40) + t23 * t29  # in d(x[0] - x[1])
    t29 = t61 + t44 * t58  # in d(x[0] - x[1])
    t61 = t23 * (t17 + t63 * t7 - t32) + t23 * t27  # in d(x[0] - x[1])
    t27 = t61 + t44 * t59  # in d(x[0] - x[1])
    t61 = t16 * t16 + t13 * t13  # in -(curvature + sum(slope^2))/2 - 2/r[0] - 2/r[1]...
    t44 = t61 + t24 * t24 + t21 * t21
    t61 = t44 + t18 * t18 + t15 * t15
    t44 = (t26 - t31) * t59 + (t36 - t39) * t58  # in d(b)
    t59 = t44 + (t43 - t45) * t5  # in d(b)
    t44 = 0.5 * (t68 + t49 + t55 + t56 + t61)
    t61 = 1.5 * (t12 + t11) - t44 - 2.0 * (t57 + t4)
    return t61 + (t22 - (t20 + 1.5 * t7) * t22), (
        (
            (
                t16 * t12 - t35 + (t27 + t25 * t33),
                t13 * t12 - t42 + (t29 + t25 * t41),
                t24 * t12 - t48 + (t37 + t25 * t47),
            ),
            (
                t21 * t11 - t50 + (t9 * t34 - t27),
                t18 * t11 - t52 + (t9 * t51 - t29),
                t15 * t11 - t54 + (t9 * t53 - t37),
            ),
        ),
        -0.5 * (t62 + t19),
        0.5 * (t60 * t6 - t66 * t30 + t59),
    )
