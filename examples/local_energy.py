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
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 7add7d13b5b221c0

from collections.abc import Sequence
from math import hypot
from typing import Any

INPUTS = ("x", "zeta", "b")
WRT = ("x", "zeta", "b")


def floats(name: str, given: Any, *shape: int) -> Sequence[float]:
    """Return the numbers of an array as floats, row by row, if it has this shape."""
    flat = [given]
    found: list[object] = []
    while flat and hasattr(flat[0], "__len__") and len(found) <= len(shape):
        rows = [x.tolist() if hasattr(x, "tolist") else x for x in flat]
        sizes = [len(x) if isinstance(x, (list, tuple, Sequence)) else -1 for x in rows]
        found.append(sizes[0] if -1 != min(sizes) == max(sizes) else "ragged")
        flat = [] if found[-1] == "ragged" else [x for row in rows for x in row]
    if tuple(found) == shape:
        try:
            return flat if type(sum(flat)) is float else [float(x) for x in flat if {x}]
        except TypeError:
            found.append("ragged")
    raise ValueError(f"{name} has shape {shape} but was given shape {(*found,)}")


def value(x: Sequence[Sequence[float]], zeta: float, b: float) -> float:
    """Return the value of the formula."""
    x_0_0, x_0_1, x_0_2, x_1_0, x_1_1, x_1_2 = floats("x", x, 2, 3)
    t1 = x_0_0 - x_1_0  # in x[0] - x[1]
    t2 = x_0_1 - x_1_1
    t3 = x_0_2 - x_1_2  # x[0] - x[1]
    t4 = hypot(x_0_0, x_0_1, x_0_2)  # in sqrt(sum(u^2))
    t5 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
    t6 = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
    t7 = b * t6  # in 1 + b*apart
    t8 = 1.0 + t7  # 1 + b*apart
    t9 = 0.5 - 0.5 / t8 * t7  # in d(sqrt(sum((x[0] - x[1])^2)))
    t10 = zeta / t5  # in d(x)
    t11 = t9 / t8 / t6  # in d(x)
    t12 = t11 * t3  # in d(x)
    t13 = t10 * x_1_2 + t12  # in d(x)
    t14 = t11 * t2  # in d(x)
    t15 = t10 * x_1_1 + t14  # in d(x)
    t16 = t11 * t1  # in d(x)
    t17 = t10 * x_1_0 + t16  # in d(x)
    t18 = zeta / t4  # in d(x)
    slope_0_2 = t12 - t18 * x_0_2  # in d(x)
    slope_0_1 = t14 - t18 * x_0_1  # in d(x)
    slope_0_0 = t16 - t18 * x_0_0  # in d(x)
    t19 = 1.0 / t6  # in d(2*(1 + b*apart))
    t20 = 0.5 * (b / t8) * ((b - t19) / t8 - t19)  # in d(sqrt(sum((x[0] - x[1])^2)))
    t21 = x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2  # in sum(diff(slope[i, k],...
    t22 = x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2
    t23 = (t21 / (t4 * t4) - 3.0) / t4
    t24 = (t23 + (t22 / (t5 * t5) - 3.0) / t5) * zeta
    t25 = t1 * t1 + t2 * t2 + t3 * t3
    t26 = 2.0 * (t25 * (t20 - t9 / t6 / t6) + 3.0 * t9)
    curvature = t24 + t26 / t6 / t8  # sum(diff(slope[i, k], x[i, k]) for i in range(...
    t27 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t28 = t27 + slope_0_2 * slope_0_2 + t17 * t17 + t15 * t15
    t29 = t19 - 0.5 * (curvature + (t28 + t13 * t13))
    return t29 - 2.0 * (1.0 / t4 + 1.0 / t5)


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
    t9 = 0.5 / t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t10 = 0.5 - t9 * t7  # in d(sqrt(sum((x[0] - x[1])^2)))
    t7 = zeta / t5  # in d(x)
    t11 = t10 / t8  # in d(x)
    t12 = t11 / t6  # in d(x)
    t13 = t12 * t3  # in d(x)
    t14 = t7 * x_1_2 + t13  # in d(x)
    slope_1_2 = -t14  # in d(x)
    t15 = t12 * t2  # in d(x)
    t16 = t7 * x_1_1 + t15  # in d(x)
    slope_1_1 = -t16  # in d(x)
    t17 = t12 * t1  # in d(x)
    t12 = t7 * x_1_0 + t17  # in d(x)
    slope_1_0 = -t12  # in d(x)
    t7 = zeta / t4  # in d(x)
    slope_0_2 = t13 - t7 * x_0_2  # in d(x)
    slope_0_1 = t15 - t7 * x_0_1  # in d(x)
    slope_0_0 = t17 - t7 * x_0_0  # in d(x)
    t7 = 1.0 / t6  # in d(2*(1 + b*apart))
    t17 = b - t7  # in d(2*(1 + b*apart))
    t15 = b / t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t13 = t10 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t18 = 0.5 * t15 * (t17 / t8 - t7) - t13 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t19 = t4 * t4  # in sum(diff(slope[i, k], x[i, k]) for i in range(2) for k in...
    t20 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / t19
    t21 = t20 - 3.0
    t22 = t5 * t5
    t23 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / t22
    t24 = t23 - 3.0
    t25 = t1 * t1 + t2 * t2 + t3 * t3
    t26 = 2.0 * (t25 * t18 + 3.0 * t10) / t6 / t8
    curvature = (t21 / t4 + t24 / t5) * zeta + t26  # sum(diff(slope[i, k], x[i, k])...
    t26 = slope_1_0 - slope_0_0  # in d((x[0] - x[1])^2)
    t27 = slope_1_1 - slope_0_1  # in d((x[0] - x[1])^2)
    t28 = slope_1_2 - slope_0_2  # in d((x[0] - x[1])^2)
    t29 = t15 / t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t30 = 0.25 * t13 + 0.125 * t29  # in d(sqrt(sum((x[0] - x[1])^2)))
    t13 = slope_0_2 * x_0_2 + slope_0_1 * x_0_1 + slope_0_0 * x_0_0  # in d(sqrt(sum(...
    t31 = t21 - 2.0 * t13  # in d(sqrt(sum(u^2)))
    t13 = slope_1_2 * x_1_2 + slope_1_1 * x_1_1 + slope_1_0 * x_1_0
    t21 = t24 - 2.0 * t13  # in d(sqrt(sum(u^2)))
    t13 = t25 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t24 = t13 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t32 = 2.0 * (t28 * t3 + t27 * t2 + t26 * t1 + t24)  # in d(sqrt(sum((x[0] - x[1])...
    t33 = t32 - 6.0  # in d(sqrt(sum((x[0] - x[1])^2)))
    t32 = 0.5 * t33  # in d(1 + b*apart)
    t34 = 0.5 * (t32 + t13 * t15)  # in d(1 + b*apart)
    t35 = 0.25 * t33  # in d(1 + b*apart)
    t33 = (t34 + t35 - 2.5 * t24 / t8) * t15 - t35 / t6  # in d(1 + b*apart)
    t36 = (2.0 * t30 + (0.25 - 0.5 * t24) * t29) / t6  # in d(x[0] - x[1])
    t24 = ((t18 - 4.0 * t30 / t6) * t25 - t32 * t10) / t6  # in d(x[0] - x[1])
    t32 = ((t24 - t34 * t15) / t8 - t7) / t6  # in d(x[0] - x[1])
    t24 = (t36 - 1.5 * t18 + t33 * t15) / t8 + t32  # in d(x[0] - x[1])
    t32 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t36 = t32 + slope_0_2 * slope_0_2 + t12 * t12 + t16 * t16
    t32 = t7 - 0.5 * (curvature + (t36 + t14 * t14))
    t36 = (t24 * t1 + t26 * t11) / t6  # in d(x)
    t26 = ((0.5 * t31 + t20 - 1.0) * zeta + 2.0) / t19  # in d(x)
    t20 = (t24 * t2 + t27 * t11) / t6  # in d(x)
    t27 = (t24 * t3 + t28 * t11) / t6  # in d(x)
    t24 = ((0.5 * t21 + t23 - 1.0) * zeta + 2.0) / t22  # in d(x)
    t23 = t33 * t6 + t9 * (t7 - t17) * t13 - t35  # in d(b)
    return t32 - 2.0 * (1.0 / t4 + 1.0 / t5), (
        (
            (
                t36 + (t26 * x_0_0 + slope_0_0 * zeta) / t4,
                t20 + (t26 * x_0_1 + slope_0_1 * zeta) / t4,
                t27 + (t26 * x_0_2 + slope_0_2 * zeta) / t4,
            ),
            (
                (t24 * x_1_0 + slope_1_0 * zeta) / t5 - t36,
                (t24 * x_1_1 + slope_1_1 * zeta) / t5 - t20,
                (t24 * x_1_2 + slope_1_2 * zeta) / t5 - t27,
            ),
        ),
        -0.5 * (t21 / t5 + t31 / t4),
        t23 / t8 / t8,
    )
