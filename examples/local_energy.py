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
# digest: 8377e8dc0278fc18

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
    r_0 = hypot(x_0_0, x_0_1, x_0_2)  # in sqrt(sum(u^2))
    r_1 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
    apart = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
    t4 = b * apart  # in 1 + b*apart
    t5 = 1.0 + t4  # 1 + b*apart
    t6 = 0.5 - 0.5 / t5 * t4  # in d(sqrt(sum((x[0] - x[1])^2)))
    t7 = zeta / r_1  # in d(x)
    t8 = t6 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t9 = t8 / t5  # in d(sqrt(sum((x[0] - x[1])^2)))
    t10 = t9 * t3  # in d(sqrt(sum((x[0] - x[1])^2)))
    t11 = t7 * x_1_2 + t10  # in d(x)
    t12 = t9 * t2  # in d(x)
    t13 = t7 * x_1_1 + t12  # in d(x)
    t14 = t9 * t1  # in d(x)
    t15 = t7 * x_1_0 + t14  # in d(x)
    t16 = zeta / r_0  # in d(x)
    slope_0_2 = t10 - t16 * x_0_2  # in d(x)
    slope_0_1 = t12 - t16 * x_0_1  # in d(x)
    slope_0_0 = t14 - t16 * x_0_0  # in d(x)
    t17 = 1.0 / apart  # in d(2*(1 + b*apart))
    t18 = b / t5 * 0.5 * ((b - t17) / t5 - t17) - t8 / apart  # in d(sqrt(sum((x[0] -...
    t19 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / (r_1 * r_1)
    t20 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / (r_0 * r_0)
    t21 = zeta * ((t19 - 3.0) / r_1 + (t20 - 3.0) / r_0)
    t22 = 2.0 * (t6 * 3.0 + t18 * (t1 * t1 + t2 * t2 + t3 * t3))
    curvature = t21 + t22 / apart / t5  # sum(diff(slope[i, k], x[i, k]) for i in...
    t23 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t24 = t23 + slope_0_2 * slope_0_2 + t15 * t15 + t13 * t13 + t11 * t11
    return t17 - 0.5 * (curvature + t24) - 2.0 * (1.0 / r_0 + 1.0 / r_1)


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
    t6 = 0.5 / t5  # in d(sqrt(sum((x[0] - x[1])^2)))
    t7 = 0.5 - t6 * t4  # in d(sqrt(sum((x[0] - x[1])^2)))
    t4 = zeta / r_1  # in d(x)
    t8 = t7 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t9 = t8 / t5  # in d(sqrt(sum((x[0] - x[1])^2)))
    t10 = t9 * t3  # in d(sqrt(sum((x[0] - x[1])^2)))
    t11 = t4 * x_1_2 + t10  # in d(x)
    t12 = t9 * t2  # in d(x)
    t13 = t4 * x_1_1 + t12  # in d(x)
    t14 = t9 * t1  # in d(x)
    t9 = t4 * x_1_0 + t14  # in d(x)
    t4 = zeta / r_0  # in d(x)
    slope_0_2 = t10 - t4 * x_0_2  # in d(x)
    slope_0_1 = t12 - t4 * x_0_1  # in d(x)
    slope_0_0 = t14 - t4 * x_0_0  # in d(x)
    t4 = 1.0 / apart  # in d(2*(1 + b*apart))
    t14 = b - t4  # in d(2*(1 + b*apart))
    t12 = b / t5  # in d(sqrt(sum((x[0] - x[1])^2)))
    t10 = t12 * 0.5 * (t14 / t5 - t4) - t8 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t15 = r_1 * r_1  # in sum(diff(slope[i, k], x[i, k]) for i in range(2) for k in...
    t16 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / t15
    t17 = t16 - 3.0
    t18 = r_0 * r_0
    t19 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / t18
    t20 = t19 - 3.0
    t21 = t1 * t1 + t2 * t2 + t3 * t3
    t22 = 2.0 * (t7 * 3.0 + t10 * t21) / apart / t5
    curvature = zeta * (t17 / r_1 + t20 / r_0) + t22  # sum(diff(slope[i, k], x[i, k]...
    t22 = t9 + slope_0_0  # in d((x[0] - x[1])^2)
    t23 = t13 + slope_0_1  # in d((x[0] - x[1])^2)
    t24 = t11 + slope_0_2  # in d((x[0] - x[1])^2)
    t25 = 2.0 * (x_0_2 * slope_0_2 + x_0_1 * slope_0_1 + x_0_0 * slope_0_0)
    t26 = t20 - t25  # in d(sqrt(sum(u^2)))
    t25 = t17 + 2.0 * (x_1_2 * t11 + x_1_1 * t13 + x_1_0 * t9)  # in d(sqrt(sum(u^2)))
    t17 = t21 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t20 = t17 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t27 = 2.0 * (t20 - t3 * t24 - t2 * t23 - t1 * t22) - 6.0  # in d(sqrt(sum((x[0] -...
    t28 = 0.5 * t27  # in d(1 + b*apart)
    t29 = 0.5 * (t28 + t17 * t12)  # in d(1 + b*apart)
    t30 = 0.25 * t27  # in d(1 + b*apart)
    t27 = t12 * (t29 + t30 - t20 * 2.5 / t5) - t30 / apart  # in d(1 + b*apart)
    t20 = t12 / t5  # in d(sqrt(sum((x[0] - x[1])^2)))
    t31 = (t20 + t8) / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t8 = ((t21 * (t10 - t31) - t7 * t28) / apart - t12 * t29) / t5 - t4
    t29 = t27 * t20 + t8 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t8 = 0.5 * t31 - t10 * 1.5  # in d(x[0] - x[1])
    t31 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t10 = t31 + slope_0_2 * slope_0_2 + t9 * t9 + t13 * t13 + t11 * t11
    t31 = (2.0 + zeta * (0.5 * t26 + t19 - 1.0)) / t18  # in d(x)
    t19 = (t1 * t29 + (t1 * t8 - t7 * t22) / t5) / apart  # in d(x)
    t22 = (t2 * t29 + (t2 * t8 - t7 * t23) / t5) / apart  # in d(x)
    t23 = (t3 * t29 + (t3 * t8 - t7 * t24) / t5) / apart  # in d(x)
    t8 = (2.0 + zeta * (0.5 * t25 + t16 - 1.0)) / t15  # in d(x)
    return t4 - 0.5 * (curvature + t10) - 2.0 * (1.0 / r_0 + 1.0 / r_1), (
        (
            (
                t19 + (zeta * slope_0_0 + t31 * x_0_0) / r_0,
                t22 + (zeta * slope_0_1 + t31 * x_0_1) / r_0,
                t23 + (zeta * slope_0_2 + t31 * x_0_2) / r_0,
            ),
            (
                (t8 * x_1_0 - zeta * t9) / r_1 - t19,
                (t8 * x_1_1 - zeta * t13) / r_1 - t22,
                (t8 * x_1_2 - zeta * t11) / r_1 - t23,
            ),
        ),
        -0.5 * (t25 / r_1 + t26 / r_0),
        (apart * t27 + t6 * t17 * (t4 - t14) - t30) / t5 / t5,
    )
