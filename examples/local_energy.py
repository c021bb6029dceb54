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
# digest: f24f2f4b774fbd37

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
    t9 = 0.5 - 0.5 * t7 / t8  # in d(x)
    t10 = zeta / t5  # in d(x)
    t11 = t6 * t8  # in d(x)
    t12 = t9 / t11  # in d(x)
    t13 = t12 * t3  # in d(x)
    t14 = t10 * x_1_2 + t13  # in d(x)
    t15 = t12 * t2  # in d(x)
    t16 = t10 * x_1_1 + t15  # in d(x)
    t17 = t12 * t1  # in d(x)
    t18 = t10 * x_1_0 + t17  # in d(x)
    t19 = zeta / t4  # in d(x)
    slope_0_2 = t13 - t19 * x_0_2  # in d(x)
    slope_0_1 = t15 - t19 * x_0_1  # in d(x)
    slope_0_0 = t17 - t19 * x_0_0  # in d(x)
    t20 = 1.0 / t6  # in d(x[0] - x[1])
    t21 = 0.5 * b / t8 * ((b - t20) / t8 - t20)  # in d(1 + b*apart)
    t22 = t21 - t9 / t6 / t6  # in d(x[0] - x[1])
    t23 = x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2  # in sum(diff(slope[i, k],...
    t24 = x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2
    t25 = (t23 / (t4 * t4) - 3.0) / t4
    t26 = (t25 + (t24 / (t5 * t5) - 3.0) / t5) * zeta
    t27 = t22 * (t1 * t1) + t9
    t28 = t27 + (t22 * (t2 * t2) + t9)
    t29 = 2.0 * (t28 + (t22 * (t3 * t3) + t9)) / t11
    t30 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t31 = t30 + slope_0_2 * slope_0_2 + t18 * t18 + t16 * t16
    t32 = t20 - 0.5 * (t26 + t29 + (t31 + t14 * t14))
    return t32 - 2.0 * (1.0 / t4 + 1.0 / t5)


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
    t9 = 0.5 - 0.5 * t7 / t8  # in d(x)
    t7 = zeta / t5  # in d(x)
    t10 = t6 * t8  # in d(x)
    t11 = t9 / t10  # in d(x)
    t12 = t11 * t3  # in d(x)
    t13 = t7 * x_1_2 + t12  # in d(x)
    slope_1_2 = -t13  # in d(x)
    t14 = t11 * t2  # in d(x)
    t15 = t7 * x_1_1 + t14  # in d(x)
    slope_1_1 = -t15  # in d(x)
    t16 = t11 * t1  # in d(x)
    t11 = t7 * x_1_0 + t16  # in d(x)
    slope_1_0 = -t11  # in d(x)
    t7 = zeta / t4  # in d(x)
    slope_0_2 = t12 - t7 * x_0_2  # in d(x)
    slope_0_1 = t14 - t7 * x_0_1  # in d(x)
    slope_0_0 = t16 - t7 * x_0_0  # in d(x)
    t7 = 1.0 / t6  # in d(x[0] - x[1])
    t16 = b - t7  # in d(x[0] - x[1])
    t14 = 0.5 * b  # in d(1 + b*apart)
    t12 = t14 / t8  # in d(1 + b*apart)
    t17 = t9 / t6  # in d(x[0] - x[1])
    t18 = t12 * (t16 / t8 - t7) - t17 / t6  # in d(x[0] - x[1])
    t19 = t4 * t4  # in sum(diff(slope[i, k], x[i, k]) for i in range(2) for k in...
    t20 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / t19
    t21 = t20 - 3.0
    t22 = t5 * t5
    t23 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / t22
    t24 = t23 - 3.0
    t25 = t1 * t1
    t26 = t2 * t2
    t27 = t18 * t25 + t9 + (t18 * t26 + t9)
    t28 = t3 * t3
    t29 = 2.0 * (t27 + (t18 * t28 + t9)) / t10
    curvature = (t21 / t4 + t24 / t5) * zeta + t29  # sum(diff(slope[i, k], x[i, k])...
    t29 = slope_1_0 - slope_0_0  # in d((x[0] - x[1])^2)
    t27 = slope_1_1 - slope_0_1  # in d((x[0] - x[1])^2)
    t30 = slope_1_2 - slope_0_2  # in d((x[0] - x[1])^2)
    t31 = t25 + t26 + t28  # in d(apart/(2*(1 + b*apart)))
    t28 = slope_1_2 * x_1_2 + slope_1_1 * x_1_1 + slope_1_0 * x_1_0  # in d(sqrt(sum(...
    t26 = t24 - 2.0 * t28  # in d(sqrt(sum(u^2)))
    t28 = slope_0_2 * x_0_2 + slope_0_1 * x_0_1 + slope_0_0 * x_0_0
    t24 = t21 - 2.0 * t28  # in d(sqrt(sum(u^2)))
    t28 = t31 / t6 / t6  # in d(1 + b*apart)
    t21 = 2.0 * (t30 * t3 + t27 * t2 + t29 * t1 + t28)  # in d(1 + b*apart)
    t25 = t21 - 6.0  # in d(1 + b*apart)
    t21 = 0.5 * t25  # in d(1 + b*apart)
    t32 = t31 / t10  # in d(1 + b*apart)
    t10 = (t21 + (t14 - 2.5 / t6) * t32) * b / t8  # in d(1 + b*apart)
    t14 = 0.25 * t25  # in d(1 + b*apart)
    t25 = t8 * t8  # in d(1 + b*apart)
    t33 = (t10 - t14 / t6) / t25  # in d(1 + b*apart)
    t10 = b / t25  # in d(sqrt(sum((x[0] - x[1])^2)))
    t34 = 0.25 * t17 + 0.125 * t10  # in d(sqrt(sum((x[0] - x[1])^2)))
    t17 = (2.0 * t34 + (0.25 - 0.5 * t28) * t10) / t6  # in d(x[0] - x[1])
    t10 = ((t18 - 4.0 * t34 / t6) * t31 - t21 * t9) / t6  # in d(x[0] - x[1])
    t34 = ((t10 - t12 * (t21 + t32 * b)) / t8 - t7) / t6  # in d(x[0] - x[1])
    t10 = (t17 - 1.5 * t18) / t8 + t33 * b + t34  # in d(x[0] - x[1])
    t34 = ((0.5 * t24 + t20 - 1.0) * zeta + 2.0) / t19  # in d(x)
    t20 = ((0.5 * t26 + t23 - 1.0) * zeta + 2.0) / t22  # in d(x)
    t23 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t22 = t23 + slope_0_2 * slope_0_2 + t11 * t11 + t15 * t15
    t23 = t7 - 0.5 * (curvature + (t22 + t13 * t13))
    t22 = t9 / t8  # in d(x)
    t9 = (t10 * t1 + t29 * t22) / t6  # in d(x)
    t29 = (t10 * t2 + t27 * t22) / t6  # in d(x)
    t27 = (t10 * t3 + t30 * t22) / t6  # in d(x)
    return t23 - 2.0 * (1.0 / t4 + 1.0 / t5), (
        (
            (
                t9 + (t34 * x_0_0 + slope_0_0 * zeta) / t4,
                t29 + (t34 * x_0_1 + slope_0_1 * zeta) / t4,
                t27 + (t34 * x_0_2 + slope_0_2 * zeta) / t4,
            ),
            (
                (t20 * x_1_0 + slope_1_0 * zeta) / t5 - t9,
                (t20 * x_1_1 + slope_1_1 * zeta) / t5 - t29,
                (t20 * x_1_2 + slope_1_2 * zeta) / t5 - t27,
            ),
        ),
        -0.5 * (t26 / t5 + t24 / t4),
        t33 * t6 + (0.5 * (t7 - t16) * t32 - t14) / t25,
    )
