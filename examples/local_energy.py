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
# digest: fe5f99813fcd67fd

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
    t6 = zeta / r_1  # in d(x)
    t7 = 0.5 - 0.5 / t5 * t4  # in d(x)
    t8 = t7 / t5 / apart  # in d(x)
    t9 = t8 * t3  # in d(x)
    t10 = t6 * x_1_2 + t9  # in d(x)
    t11 = t8 * t2  # in d(x)
    t12 = t6 * x_1_1 + t11  # in d(x)
    t13 = t8 * t1  # in d(x)
    t14 = t6 * x_1_0 + t13  # in d(x)
    t15 = zeta / r_0  # in d(x)
    slope_0_2 = t9 - t15 * x_0_2  # in d(x)
    slope_0_1 = t11 - t15 * x_0_1  # in d(x)
    slope_0_0 = t13 - t15 * x_0_0  # in d(x)
    t16 = 1.0 / apart  # in d(x[0] - x[1])
    t17 = b / t5 * 0.5 * ((b - t16) / t5 - t16)  # in d(x[0] - x[1])
    t18 = t17 - t7 / apart / apart  # in d(x[0] - x[1])
    t19 = (t18 * (t1 * t1) + t7) / t5 / apart  # in d(x[0] - x[1])
    t20 = t19 + (t18 * (t2 * t2) + t7) / t5 / apart  # in sum(diff(slope[i, k], x[i,...
    t21 = t20 + (t18 * (t3 * t3) + t7) / t5 / apart
    t22 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / r_0 / r_0
    t23 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / r_1 / r_1
    t24 = ((t22 - 3.0) / r_0 + (t23 - 3.0) / r_1) * zeta
    t25 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t26 = t25 + slope_0_2 * slope_0_2 + t14 * t14 + t12 * t12
    t27 = t16 - 0.5 * (t24 + 2.0 * t21 + (t26 + t10 * t10))
    return t27 - 2.0 * (1.0 / r_0 + 1.0 / r_1)


def value_and_grad(x: Sequence[Sequence[float]], zeta: float, b: float) -> tuple[
    float,
    tuple[tuple[tuple[float, float, float], tuple[float, float, float]], float, float],
]:
    """Return the value and its gradient, in the order of WRT."""
    x_0_0, x_0_1, x_0_2, x_1_0, x_1_1, x_1_2 = floats("x", x, 2, 3)
    t1 = x_0_0 - x_1_0  # in x[0] - x[1]
    t2 = x_0_1 - x_1_1
    t3 = x_0_2 - x_1_2  # x[0] - x[1]
    r_0 = hypot(x_0_0, x_0_1, x_0_2)  # in sqrt(sum(u^2))
    r_1 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
    apart = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
    t4 = b * apart  # in 1 + b*apart
    t5 = 1.0 + t4  # 1 + b*apart
    t6 = zeta / r_1  # in d(x)
    t7 = 0.5 / t5  # in d(x)
    t8 = 0.5 - t7 * t4  # in d(x)
    t4 = t8 / t5  # in d(x)
    t9 = t4 / apart  # in d(x)
    t10 = t9 * t3  # in d(x)
    t11 = t6 * x_1_2 + t10  # in d(x)
    slope_1_2 = -t11  # in d(x)
    t12 = t9 * t2  # in d(x)
    t13 = t6 * x_1_1 + t12  # in d(x)
    slope_1_1 = -t13  # in d(x)
    t14 = t9 * t1  # in d(x)
    t9 = t6 * x_1_0 + t14  # in d(x)
    slope_1_0 = -t9  # in d(x)
    t15 = zeta / r_0  # in d(x)
    slope_0_2 = t10 - t15 * x_0_2  # in d(x)
    slope_0_1 = t12 - t15 * x_0_1  # in d(x)
    slope_0_0 = t14 - t15 * x_0_0  # in d(x)
    t14 = 1.0 / apart  # in d(x[0] - x[1])
    t12 = b - t14  # in d(x[0] - x[1])
    t10 = b / t5  # in d(x[0] - x[1])
    t16 = t10 * 0.5  # in d(x[0] - x[1])
    t17 = t8 / apart  # in d(x[0] - x[1])
    t18 = t16 * (t12 / t5 - t14) - t17 / apart  # in d(x[0] - x[1])
    t19 = t1 * t1  # in d(x[0] - x[1])
    t20 = (t18 * t19 + t8) / t5 / apart  # in d(x[0] - x[1])
    t21 = t2 * t2  # in d(x[0] - x[1])
    t22 = t3 * t3  # in d(x[0] - x[1])
    t23 = t20 + (t18 * t21 + t8) / t5 / apart  # in sum(diff(slope[i, k], x[i, k])...
    t20 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / r_0 / r_0
    t24 = t20 - 3.0
    t25 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / r_1 / r_1
    t26 = t25 - 3.0
    t27 = 2.0 * (t23 + (t18 * t22 + t8) / t5 / apart)
    curvature = (t24 / r_0 + t26 / r_1) * zeta + t27  # sum(diff(slope[i, k], x[i, k]...
    t27 = slope_1_0 - slope_0_0  # in d((x[0] - x[1])^2)
    t23 = slope_1_1 - slope_0_1  # in d((x[0] - x[1])^2)
    t28 = slope_1_2 - slope_0_2  # in d((x[0] - x[1])^2)
    t29 = t19 + t21 + t22  # in d(apart/(2*(1 + b*apart)))
    t22 = t5 * t5  # in d(apart/(2*(1 + b*apart)))
    t21 = b * t29  # in d(apart/(2*(1 + b*apart)))
    t19 = 0.5 * t21 / (apart * apart * apart) / (t22 * t22)  # in d(apart/(2*(1 + b*...
    t22 = slope_1_2 * x_1_2 + slope_1_1 * x_1_1 + slope_1_0 * x_1_0  # in d(sqrt(sum(...
    t30 = t26 - 2.0 * t22  # in d(sqrt(sum(u^2)))
    t22 = slope_0_2 * x_0_2 + slope_0_1 * x_0_1 + slope_0_0 * x_0_0
    t26 = t24 - 2.0 * t22  # in d(sqrt(sum(u^2)))
    t22 = t29 / apart  # in d(1 + b*apart)
    t24 = t28 * t3 + t23 * t2 + t27 * t1 + t22 / apart  # in d(1 + b*apart)
    t31 = 2.0 * t24 - 6.0  # in d(1 + b*apart)
    t24 = 0.25 * t31  # in d(1 + b*apart)
    t32 = (t24 + (0.25 * t21 - t22) / apart / t5) * t10  # in d(1 + b*apart)
    t21 = 2.0 * (t32 - 0.125 * t31 / apart) / t5 / t5  # in d(1 + b*apart)
    t32 = t21 - t19 * apart  # in d(1 + b*apart)
    t21 = t10 / t5  # in d(sqrt(sum((x[0] - x[1])^2)))
    t33 = 0.25 * t17 + 0.125 * t21  # in d(sqrt(sum((x[0] - x[1])^2)))
    t17 = 0.5 * t31  # in d(sqrt(sum((x[0] - x[1])^2)))
    t31 = ((t18 - 4.0 * t33 / apart) * t29 - t17 * t8) / apart  # in d(sqrt(sum((x[0]...
    t8 = (t31 - t16 * (t17 + t22 * t10)) / t5 - t14  # in d(sqrt(sum((x[0] - x[1])^2)))
    t31 = ((2.0 * t33 + 0.25 * t21) / apart - 1.5 * t18) / t5  # in d(x[0] - x[1])
    t33 = t31 + (t32 * b + t8 / apart - t19 * t5)  # in d(x[0] - x[1])
    t31 = (t33 * t3 + t28 * t4) / apart  # in d(x[0] - x[1])
    t28 = (t33 * t2 + t23 * t4) / apart  # in d(x[0] - x[1])
    t23 = (t33 * t1 + t27 * t4) / apart  # in d(x[0] - x[1])
    t33 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t27 = t33 + slope_0_2 * slope_0_2 + t9 * t9 + t13 * t13
    t33 = t14 - 0.5 * (curvature + (t27 + t11 * t11))
    t27 = ((0.5 * t26 + t20) * zeta + 2.0) / r_0 / r_0 - t15 / r_0  # in d(x)
    t20 = ((0.5 * t30 + t25) * zeta + 2.0) / r_1 / r_1 - t6 / r_1  # in d(x)
    t25 = (t7 * (t22 - t29 * t12) / apart - t24) / t5  # in d(b)
    return t33 - 2.0 * (1.0 / r_0 + 1.0 / r_1), (
        (
            (
                t23 + (t27 * x_0_0 + slope_0_0 * zeta) / r_0,
                t28 + (t27 * x_0_1 + slope_0_1 * zeta) / r_0,
                t31 + (t27 * x_0_2 + slope_0_2 * zeta) / r_0,
            ),
            (
                (t20 * x_1_0 + slope_1_0 * zeta) / r_1 - t23,
                (t20 * x_1_1 + slope_1_1 * zeta) / r_1 - t28,
                (t20 * x_1_2 + slope_1_2 * zeta) / r_1 - t31,
            ),
        ),
        -0.5 * (t30 / r_1 + t26 / r_0),
        t32 * apart + t25 / t5,
    )
