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
# digest: e04cb58d2e0a6d52

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
    t11 = t9 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t12 = t11 / t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t13 = t12 * t3  # in d(sqrt(sum((x[0] - x[1])^2)))
    t14 = t10 * x_1_2 + t13  # in d(x)
    t15 = t12 * t2  # in d(x)
    t16 = t10 * x_1_1 + t15  # in d(x)
    t17 = t12 * t1  # in d(x)
    t18 = t10 * x_1_0 + t17  # in d(x)
    t19 = zeta / t4  # in d(x)
    slope_0_2 = t13 - t19 * x_0_2  # in d(x)
    slope_0_1 = t15 - t19 * x_0_1  # in d(x)
    slope_0_0 = t17 - t19 * x_0_0  # in d(x)
    t20 = 1.0 / t6  # in d(2*(1 + b*apart))
    t21 = b / t8 * 0.5 * ((b - t20) / t8 - t20) - t11 / t6  # in d(sqrt(sum((x[0] -...
    t22 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / (t5 * t5)
    t23 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / (t4 * t4)
    t24 = zeta * ((t22 - 3.0) / t5 + (t23 - 3.0) / t4)
    t25 = 2.0 * (t9 * 3.0 + t21 * (t1 * t1 + t2 * t2 + t3 * t3))
    curvature = t24 + t25 / t6 / t8  # sum(diff(slope[i, k], x[i, k]) for i in range(...
    t26 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t27 = t26 + slope_0_2 * slope_0_2 + t18 * t18 + t16 * t16 + t14 * t14
    return t20 - 0.5 * (curvature + t27) - 2.0 * (1.0 / t4 + 1.0 / t5)


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
    t11 = t10 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t12 = t11 / t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t13 = t12 * t3  # in d(sqrt(sum((x[0] - x[1])^2)))
    t14 = t7 * x_1_2 + t13  # in d(x)
    t15 = t12 * t2  # in d(x)
    t16 = t7 * x_1_1 + t15  # in d(x)
    t17 = t12 * t1  # in d(x)
    t12 = t7 * x_1_0 + t17  # in d(x)
    t7 = zeta / t4  # in d(x)
    slope_0_2 = t13 - t7 * x_0_2  # in d(x)
    slope_0_1 = t15 - t7 * x_0_1  # in d(x)
    slope_0_0 = t17 - t7 * x_0_0  # in d(x)
    t7 = 1.0 / t6  # in d(2*(1 + b*apart))
    t17 = b - t7  # in d(2*(1 + b*apart))
    t15 = b / t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t13 = t15 * 0.5 * (t17 / t8 - t7) - t11 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t18 = t5 * t5  # in sum(diff(slope[i, k], x[i, k]) for i in range(2) for k in...
    t19 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / t18
    t20 = t19 - 3.0
    t21 = t4 * t4
    t22 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / t21
    t23 = t22 - 3.0
    t24 = t1 * t1 + t2 * t2 + t3 * t3
    t25 = 2.0 * (t10 * 3.0 + t13 * t24) / t6 / t8
    curvature = zeta * (t20 / t5 + t23 / t4) + t25  # sum(diff(slope[i, k], x[i, k])...
    t25 = t12 + slope_0_0  # in d((x[0] - x[1])^2)
    t26 = t16 + slope_0_1  # in d((x[0] - x[1])^2)
    t27 = t14 + slope_0_2  # in d((x[0] - x[1])^2)
    t28 = 2.0 * (x_0_2 * slope_0_2 + x_0_1 * slope_0_1 + x_0_0 * slope_0_0)
    t29 = t23 - t28  # in d(sqrt(sum(u^2)))
    t28 = t20 + 2.0 * (x_1_2 * t14 + x_1_1 * t16 + x_1_0 * t12)  # in d(sqrt(sum(u^2)))
    t20 = t24 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t23 = t20 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t30 = 2.0 * (t23 - t3 * t27 - t2 * t26 - t1 * t25) - 6.0  # in d(sqrt(sum((x[0] -...
    t31 = 0.5 * t30  # in d(1 + b*apart)
    t32 = 0.5 * (t31 + t20 * t15)  # in d(1 + b*apart)
    t33 = 0.25 * t30  # in d(1 + b*apart)
    t30 = t15 * (t32 + t33 - t23 * 2.5 / t8) - t33 / t6  # in d(1 + b*apart)
    t23 = t15 / t8  # in d(sqrt(sum((x[0] - x[1])^2)))
    t34 = (t23 + t11) / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t11 = ((t24 * (t13 - t34) - t10 * t31) / t6 - t15 * t32) / t8 - t7
    t32 = t30 * t23 + t11 / t6  # in d(sqrt(sum((x[0] - x[1])^2)))
    t11 = 0.5 * t34 - t13 * 1.5  # in d(x[0] - x[1])
    t34 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t13 = t34 + slope_0_2 * slope_0_2 + t12 * t12 + t16 * t16 + t14 * t14
    t34 = (2.0 + zeta * (0.5 * t29 + t22 - 1.0)) / t21  # in d(x)
    t22 = (t1 * t32 + (t1 * t11 - t10 * t25) / t8) / t6  # in d(x)
    t25 = (t2 * t32 + (t2 * t11 - t10 * t26) / t8) / t6  # in d(x)
    t26 = (t3 * t32 + (t3 * t11 - t10 * t27) / t8) / t6  # in d(x)
    t11 = (2.0 + zeta * (0.5 * t28 + t19 - 1.0)) / t18  # in d(x)
    return t7 - 0.5 * (curvature + t13) - 2.0 * (1.0 / t4 + 1.0 / t5), (
        (
            (
                t22 + (zeta * slope_0_0 + t34 * x_0_0) / t4,
                t25 + (zeta * slope_0_1 + t34 * x_0_1) / t4,
                t26 + (zeta * slope_0_2 + t34 * x_0_2) / t4,
            ),
            (
                (t11 * x_1_0 - zeta * t12) / t5 - t22,
                (t11 * x_1_1 - zeta * t16) / t5 - t25,
                (t11 * x_1_2 - zeta * t14) / t5 - t26,
            ),
        ),
        -0.5 * (t28 / t5 + t29 / t4),
        (t6 * t30 + t9 * t20 * (t7 - t17) - t33) / t8 / t8,
    )
