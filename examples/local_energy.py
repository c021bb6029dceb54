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
# digest: fbd46fdaf771a7f2

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
    t6 = 0.5 - 0.5 * t4 / t5  # in d(x)
    t7 = zeta / r_1  # in d(x)
    t8 = apart * t5  # in d(x)
    t9 = t6 / t8  # in d(x)
    t10 = t9 * t3  # in d(x)
    t11 = t7 * x_1_2 + t10  # in d(x)
    t12 = t9 * t2  # in d(x)
    t13 = t7 * x_1_1 + t12  # in d(x)
    t14 = t9 * t1  # in d(x)
    t15 = t7 * x_1_0 + t14  # in d(x)
    t16 = zeta / r_0  # in d(x)
    slope_0_2 = t10 - t16 * x_0_2  # in d(x)
    slope_0_1 = t12 - t16 * x_0_1  # in d(x)
    slope_0_0 = t14 - t16 * x_0_0  # in d(x)
    t17 = 1.0 / apart  # in d(x[0] - x[1])
    t18 = 0.5 * b / t5 * ((b - t17) / t5 - t17)  # in d(1 + b*apart)
    t19 = t18 - t6 / (apart * apart)  # in d(x[0] - x[1])
    t20 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / (r_0 * r_0)
    t21 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / (r_1 * r_1)
    t22 = t19 * (t1 * t1) + t6
    t23 = t22 + (t19 * (t2 * t2) + t6)
    t24 = 2.0 * (t23 + (t19 * (t3 * t3) + t6)) / t8
    curvature = ((t20 - 3.0) / r_0 + (t21 - 3.0) / r_1) * zeta + t24  # sum(diff(...
    t25 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t26 = t25 + slope_0_2 * slope_0_2 + t15 * t15 + t13 * t13
    t27 = t17 - 0.5 * (curvature + (t26 + t11 * t11))
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
    t6 = 0.5 - 0.5 * t4 / t5  # in d(x)
    t4 = zeta / r_1  # in d(x)
    t7 = apart * t5  # in d(x)
    t8 = t6 / t7  # in d(x)
    t9 = t8 * t3  # in d(x)
    t10 = t4 * x_1_2 + t9  # in d(x)
    slope_1_2 = -t10  # in d(x)
    t11 = t8 * t2  # in d(x)
    t12 = t4 * x_1_1 + t11  # in d(x)
    slope_1_1 = -t12  # in d(x)
    t13 = t8 * t1  # in d(x)
    t8 = t4 * x_1_0 + t13  # in d(x)
    slope_1_0 = -t8  # in d(x)
    t4 = zeta / r_0  # in d(x)
    slope_0_2 = t9 - t4 * x_0_2  # in d(x)
    slope_0_1 = t11 - t4 * x_0_1  # in d(x)
    slope_0_0 = t13 - t4 * x_0_0  # in d(x)
    t4 = 1.0 / apart  # in d(x[0] - x[1])
    t13 = b - t4  # in d(x[0] - x[1])
    t11 = 0.5 * b  # in d(1 + b*apart)
    t9 = t11 / t5  # in d(1 + b*apart)
    t14 = apart * apart  # in d(x[0] - x[1])
    t15 = t9 * (t13 / t5 - t4) - t6 / t14  # in d(x[0] - x[1])
    t16 = r_0 * r_0  # in sum(diff(slope[i, k], x[i, k]) for i in range(2) for k in...
    t17 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) / t16
    t18 = t17 - 3.0
    t19 = r_1 * r_1
    t20 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) / t19
    t21 = t20 - 3.0
    t22 = t1 * t1
    t23 = t2 * t2
    t24 = t15 * t22 + t6 + (t15 * t23 + t6)
    t25 = t3 * t3
    t26 = 2.0 * (t24 + (t15 * t25 + t6)) / t7
    curvature = (t18 / r_0 + t21 / r_1) * zeta + t26  # sum(diff(slope[i, k], x[i, k]...
    t26 = slope_1_0 - slope_0_0  # in d((x[0] - x[1])^2)
    t24 = slope_1_1 - slope_0_1  # in d((x[0] - x[1])^2)
    t27 = slope_1_2 - slope_0_2  # in d((x[0] - x[1])^2)
    t28 = t22 + t23 + t25  # in d(apart/(2*(1 + b*apart)))
    t25 = slope_1_2 * x_1_2 + slope_1_1 * x_1_1 + slope_1_0 * x_1_0  # in d(sqrt(sum(...
    t23 = t21 - 2.0 * t25  # in d(sqrt(sum(u^2)))
    t25 = slope_0_2 * x_0_2 + slope_0_1 * x_0_1 + slope_0_0 * x_0_0
    t21 = t18 - 2.0 * t25  # in d(sqrt(sum(u^2)))
    t25 = t28 / t14  # in d(1 + b*apart)
    t14 = 2.0 * (t27 * t3 + t24 * t2 + t26 * t1 + t25)  # in d(1 + b*apart)
    t18 = t14 - 6.0  # in d(1 + b*apart)
    t14 = 0.5 * t18  # in d(1 + b*apart)
    t22 = t28 / t7  # in d(1 + b*apart)
    t7 = (t14 + (t11 - 2.5 / apart) * t22) * b / t5  # in d(1 + b*apart)
    t11 = 0.25 * t18  # in d(1 + b*apart)
    t18 = t5 * t5  # in d(1 + b*apart)
    t29 = (t7 - t11 / apart) / t18  # in d(1 + b*apart)
    t7 = b / t18  # in d(sqrt(sum((x[0] - x[1])^2)))
    t30 = 0.25 * t6 / apart + 0.125 * t7  # in d(sqrt(sum((x[0] - x[1])^2)))
    t31 = (2.0 * t30 + (0.25 - 0.5 * t25) * t7) / apart  # in d(x[0] - x[1])
    t7 = ((t15 - 4.0 * t30 / apart) * t28 - t14 * t6) / apart  # in d(x[0] - x[1])
    t30 = ((t7 - t9 * (t14 + t22 * b)) / t5 - t4) / apart  # in d(x[0] - x[1])
    t7 = (t31 - 1.5 * t15) / t5 + t29 * b + t30  # in d(x[0] - x[1])
    t30 = ((0.5 * t21 + t17 - 1.0) * zeta + 2.0) / t16  # in d(x)
    t17 = ((0.5 * t23 + t20 - 1.0) * zeta + 2.0) / t19  # in d(x)
    t20 = slope_0_0 * slope_0_0 + slope_0_1 * slope_0_1  # in -(curvature + sum(...
    t19 = t20 + slope_0_2 * slope_0_2 + t8 * t8 + t12 * t12
    t20 = t4 - 0.5 * (curvature + (t19 + t10 * t10))
    t19 = t6 / t5  # in d(x)
    t6 = (t7 * t1 + t26 * t19) / apart  # in d(x)
    t26 = (t7 * t2 + t24 * t19) / apart  # in d(x)
    t24 = (t7 * t3 + t27 * t19) / apart  # in d(x)
    return t20 - 2.0 * (1.0 / r_0 + 1.0 / r_1), (
        (
            (
                t6 + (t30 * x_0_0 + slope_0_0 * zeta) / r_0,
                t26 + (t30 * x_0_1 + slope_0_1 * zeta) / r_0,
                t24 + (t30 * x_0_2 + slope_0_2 * zeta) / r_0,
            ),
            (
                (t17 * x_1_0 + slope_1_0 * zeta) / r_1 - t6,
                (t17 * x_1_1 + slope_1_1 * zeta) / r_1 - t26,
                (t17 * x_1_2 + slope_1_2 * zeta) / r_1 - t24,
            ),
        ),
        -0.5 * (t23 / r_1 + t21 / r_0),
        t29 * apart + (0.5 * (t4 - t13) * t22 - t11) / t18,
    )
