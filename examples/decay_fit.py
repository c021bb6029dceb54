"""A formula and its gradient, compiled by gradc 0.2.0.

# The sum of squared residuals of a decay to a background, for a fit by least squares.
input height in [0.1, 10], rate in [0.01, 5], background in [-1, 1]
data t[6] in [0, 10], seen[6] in [-1, 11]

residual = height*exp(-rate*t) + background - seen
sum(residual^2)
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 0729a88209cb1947

from collections.abc import Sequence
from math import exp
from typing import Any

INPUTS = ("height", "rate", "background", "t", "seen")
WRT = ("height", "rate", "background")


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


def value(
    height: float,
    rate: float,
    background: float,
    t: Sequence[float],
    seen: Sequence[float],
) -> float:
    """Return the value of the formula."""
    t_0, t_1, t_2, t_3, t_4, t_5 = floats("t", t, 6)
    seen_0, seen_1, seen_2, seen_3, seen_4, seen_5 = floats("seen", seen, 6)
    t1 = -rate  # in -rate*t
    residual_0 = height * exp(t1 * t_0) + background - seen_0  # in height*exp(-rate*...
    residual_1 = height * exp(t1 * t_1) + background - seen_1
    residual_2 = height * exp(t1 * t_2) + background - seen_2
    residual_3 = height * exp(t1 * t_3) + background - seen_3
    residual_4 = height * exp(t1 * t_4) + background - seen_4
    residual_5 = height * exp(t1 * t_5) + background - seen_5  # height*exp(-rate*t)...
    t2 = residual_0 * residual_0 + residual_1 * residual_1  # in sum(residual^2)
    t3 = t2 + residual_2 * residual_2 + residual_3 * residual_3
    return t3 + residual_4 * residual_4 + residual_5 * residual_5


def value_and_grad(
    height: float,
    rate: float,
    background: float,
    t: Sequence[float],
    seen: Sequence[float],
) -> tuple[float, tuple[float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t_0, t_1, t_2, t_3, t_4, t_5 = floats("t", t, 6)
    seen_0, seen_1, seen_2, seen_3, seen_4, seen_5 = floats("seen", seen, 6)
    t1 = -rate  # in -rate*t
    t2 = exp(t1 * t_0)  # in exp(-rate*t)
    t3 = exp(t1 * t_1)
    t4 = exp(t1 * t_2)
    t5 = exp(t1 * t_3)
    t6 = exp(t1 * t_4)
    t7 = exp(t1 * t_5)  # exp(-rate*t)
    residual_0 = height * t2 + background - seen_0  # in height*exp(-rate*t) +...
    residual_1 = height * t3 + background - seen_1
    residual_2 = height * t4 + background - seen_2
    residual_3 = height * t5 + background - seen_3
    residual_4 = height * t6 + background - seen_4
    residual_5 = height * t7 + background - seen_5  # height*exp(-rate*t) +...
    t8 = residual_0 * residual_0 + residual_1 * residual_1  # in sum(residual^2)
    t9 = t8 + residual_2 * residual_2 + residual_3 * residual_3
    t10 = t2 * residual_0  # in d(height)
    t11 = t3 * residual_1  # in d(height)
    t12 = t4 * residual_2  # in d(height)
    t13 = t5 * residual_3  # in d(height)
    t14 = t6 * residual_4  # in d(height)
    t15 = t7 * residual_5  # in d(height)
    t16 = t_0 * t10 + t_1 * t11 + t_2 * t12 + t_3 * t13 + t_4 * t14  # in d(-rate)
    t17 = residual_0 + residual_1 + residual_2 + residual_3 + residual_4
    return t9 + residual_4 * residual_4 + residual_5 * residual_5, (
        2.0 * (t10 + t11 + t12 + t13 + t14 + t15),
        height * -2.0 * (t16 + t_5 * t15),
        2.0 * (t17 + residual_5),
    )
