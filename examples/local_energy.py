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
# digest: 4f7b0b715c7cc668

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
    t4 = 1.0 + b * apart
    t5 = zeta / r_1  # in grad(log_psi, x)
    t6 = t4 * t4
    t7 = 0.5 / apart / t6
    t8 = t7 * t3
    t9 = t5 * x_1_2 + t8
    t10 = t7 * t2
    t11 = t5 * x_1_1 + t10
    t12 = t7 * t1
    t13 = t5 * x_1_0 + t12
    t14 = zeta / r_0
    slope_0_2 = t8 - t14 * x_0_2
    slope_0_1 = t10 - t14 * x_0_1
    slope_0_0 = t12 - t14 * x_0_0  # grad(log_psi, x)
    t15 = 1.0 / apart  # in d(2*(1 + b*apart))
    t16 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / (r_1 * r_1)
    t17 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / (r_0 * r_0)
    t18 = 0.5 * ((b - t15) * (b / t4) - (b + t15) / apart)  # in d(x[0] - x[1])
    t19 = 2.0 * (1.5 + (t1 * t1 + t2 * t2 + t3 * t3) * t18) / t6
    curvature = zeta * ((t16 - 3.0) / r_1 + (t17 - 3.0) / r_0) + t19 / apart
    t20 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t21 = t20 + slope_0_2 * slope_0_2 + t13 * t13 + t11 * t11 + t9 * t9
    return t15 - 0.5 * (curvature + t21) - 2.0 * (1.0 / r_0 + 1.0 / r_1)


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
    t4 = 1.0 + b * apart
    t5 = zeta / r_1  # in grad(log_psi, x)
    t6 = 0.5 / apart  # in d(x[0] - x[1])
    t7 = t4 * t4
    t8 = t6 / t7
    t9 = t8 * t3
    t10 = t5 * x_1_2 + t9
    t11 = t8 * t2
    t12 = t5 * x_1_1 + t11
    t13 = t8 * t1
    t14 = t5 * x_1_0 + t13
    t15 = zeta / r_0
    slope_0_2 = t9 - t15 * x_0_2
    slope_0_1 = t11 - t15 * x_0_1
    slope_0_0 = t13 - t15 * x_0_0  # grad(log_psi, x)
    t16 = 1.0 / apart  # in d(2*(1 + b*apart))
    t17 = b - t16  # in d(2*(1 + b*apart))
    t18 = b / t4  # in d(x[0] - x[1])
    t19 = t17 * t18 - (b + t16) / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
    t20 = r_1 * r_1  # in sum(diff(slope[i, k], x[i, k]) for i in range(2) for k in...
    t21 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / t20
    t22 = t21 - 3.0
    t23 = r_0 * r_0
    t24 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / t23
    t25 = t24 - 3.0
    t26 = t1 * t1 + t2 * t2 + t3 * t3
    t27 = 0.5 * t19  # in d(x[0] - x[1])
    t28 = 2.0 * (1.5 + t26 * t27) / t7 / apart
    curvature = zeta * (t22 / r_1 + t25 / r_0) + t28  # sum(diff(slope[i, k], x[i, k]...
    t29 = t14 + slope_0_0  # in d((x[0] - x[1])^2)
    t30 = t12 + slope_0_1  # in d((x[0] - x[1])^2)
    t31 = t10 + slope_0_2  # in d((x[0] - x[1])^2)
    t32 = 2.0 * (x_0_2 * slope_0_2 + x_0_1 * slope_0_1 + x_0_0 * slope_0_0)
    t33 = t25 - t32  # in d(sqrt(sum(u^2)))
    t34 = t22 + 2.0 * (x_1_2 * t10 + x_1_1 * t12 + x_1_0 * t14)  # in d(sqrt(sum(u^2)))
    t35 = 2.0 * (t26 / apart / apart - t3 * t31 - t2 * t30 - t1 * t29)
    t36 = t35 - 6.0  # in d(sqrt(sum((x[0] - x[1])^2)))
    t37 = t26 * (b * 0.5 - 2.5 / apart) * t18 - 0.5 * t36  # in d(sqrt(sum((x[0] - x[...
    t38 = 0.5 * t26 * (t19 - b * t18 - (2.0 * t18 + t16) / apart)  # in d(sqrt(sum((...
    t39 = t7 * t4  # in d(sqrt(sum((x[0] - x[1])^2)))
    t40 = (t18 + t6) / apart - t27  # in d(x[0] - x[1])
    t41 = (b * t37 / t39 + ((t38 - t36 * 0.25) / t7 - 1.0) / apart) / apart  # in d(x)
    t42 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t43 = t42 + slope_0_2 * slope_0_2 + t14 * t14 + t12 * t12 + t10 * t10
    t44 = (2.0 + zeta * (0.5 * t33 + t24 - 1.0)) / t23  # in d(x)
    t45 = (t41 * t1 + (t1 * t40 - 0.5 * t29) / t7) / apart  # in d(x)
    t46 = (t41 * t2 + (t2 * t40 - 0.5 * t30) / t7) / apart  # in d(x)
    t47 = (t41 * t3 + (t3 * t40 - 0.5 * t31) / t7) / apart  # in d(x)
    t48 = (2.0 + zeta * (0.5 * t34 + t21 - 1.0)) / t20  # in d(x)
    return t16 - 0.5 * (curvature + t43) - 2.0 * (1.0 / r_0 + 1.0 / r_1), (
        (
            (
                t45 + (zeta * slope_0_0 + t44 * x_0_0) / r_0,
                t46 + (zeta * slope_0_1 + t44 * x_0_1) / r_0,
                t47 + (zeta * slope_0_2 + t44 * x_0_2) / r_0,
            ),
            (
                (t48 * x_1_0 - zeta * t14) / r_1 - t45,
                (t48 * x_1_1 - zeta * t12) / r_1 - t46,
                (t48 * x_1_2 - zeta * t10) / r_1 - t47,
            ),
        ),
        -0.5 * (t34 / r_1 + t33 / r_0),
        (t37 + t26 * t6 * (t16 - t17)) / t39,
    )
