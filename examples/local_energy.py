"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

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

# Do not edit: change the formula and compile it again.
# digest: eaceb07b8311fb0c9adb6311f352cbd1

from math import hypot, inf, isinf, isnan, nan
from sys import _getframe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

INPUTS = ("x", "zeta", "b")
WRT = ("x", "zeta", "b")


def value(x: "Sequence[Sequence[float]]", zeta: float, b: float) -> float:
    """Return the value of the formula."""
    x_0_0, x_0_1, x_0_2, x_1_0, x_1_1, x_1_2 = elements("x", x, (2, 3))
    zeta = number("zeta", zeta)
    b = number("b", b)
    try:
        t1 = x_0_0 - x_1_0  # x[0] - x[1]
        t2 = x_0_1 - x_1_1  # x[0] - x[1]
        t3 = x_0_2 - x_1_2  # x[0] - x[1]
        r_0 = hypot(x_0_0, x_0_1, x_0_2)  # sqrt(sum(u^2))
        r_1 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
        apart = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
        t4 = 1.0 + b * apart
        t5 = apart / t4  # in apart/(2*(1 + b*apart))
        t6 = 1.0 / t4  # d(apart/(2*(1 + b*apart)))
        t7 = 1.0 / (t4 * t4) / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t8 = zeta / r_1
        t9 = t8 * x_1_2  # d(x)
        t10 = -0.5 * t7
        slope_1_2 = t10 * t3 - t9  # d(x)
        t11 = t8 * x_1_1  # d(x)
        slope_1_1 = t10 * t2 - t11  # d(x)
        t12 = t8 * x_1_0  # d(x)
        slope_1_0 = t10 * t1 - t12  # d(x)
        t10 = zeta / r_0
        t13 = t10 * x_0_2  # d(x)
        t14 = 0.5 * t7
        slope_0_2 = t14 * t3 - t13  # d(x)
        t15 = t10 * x_0_1  # d(x)
        slope_0_1 = t14 * t2 - t15  # d(x)
        t16 = t10 * x_0_0  # d(x)
        slope_0_0 = t14 * t1 - t16  # d(x)
        t14 = t1 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t17 = apart * t4  # d(apart/(2*(1 + b*apart)))
        t4 = t6 * t6  # d(apart/(2*(1 + b*apart)))
        t18 = t14 * b * t4  # d(apart/(2*(1 + b*apart)))
        t19 = 0.5 / apart
        t20 = b * (t18 * t5 - t1 / t17 * t6 * t6)  # d(sqrt(sum((x[0] - x[1])^2)))
        t21 = t2 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t22 = t21 * b * t4  # d(apart/(2*(1 + b*apart)))
        t23 = b * (t22 * t5 - t2 / t17 * t6 * t6)  # d(sqrt(sum((x[0] - x[1])^2)))
        t24 = t3 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t25 = t24 * b * t4  # d(apart/(2*(1 + b*apart)))
        t4 = b * (t25 * t5 - t3 / t17 * t6 * t6)  # d(sqrt(sum((x[0] - x[1])^2)))
        t6 = 1.0 / r_0  # in 2/r[0]
        t5 = 1.0 / r_1  # in 2/r[1]
        t17 = x_1_0 * (t12 / r_1) + x_1_1 * (t11 / r_1) + x_1_2 * (t9 / r_1)
        t9 = x_0_0 * (t16 / r_0) + x_0_1 * (t15 / r_0) + x_0_2 * (t13 / r_0)
        t16 = t19 * (t20 - (t18 + t14 * t7)) * t1  # in -(curvature + sum(slope^2))/2...
        t20 = t19 * (t23 - (t22 + t21 * t7)) * t2
        t23 = t19 * (t4 - (t25 + t24 * t7)) * t3
        t4 = (
            slope_0_0 * slope_0_0
            + slope_0_1 * slope_0_1
            + slope_0_2 * slope_0_2
            + slope_1_0 * slope_1_0
            + slope_1_1 * slope_1_1
            + slope_1_2 * slope_1_2
        )
        t3 = 2.0 * (t16 + 1.5 * t7 + t20 + t23)
        t7 = t3 - 3.0 * (t10 + t8) + (t9 * t6 + t17 * t5) + t4
        return 1.0 / apart - 0.5 * t7 - 2.0 * (t6 + t5)
    except (ArithmeticError, ValueError):
        return careful(value, x, zeta, b)


def value_and_grad(x: "Sequence[Sequence[float]]", zeta: float, b: float) -> tuple[
    float,
    tuple[tuple[tuple[float, float, float], tuple[float, float, float]], float, float],
]:
    """Return the value and its gradient, in the order of WRT."""
    x_0_0, x_0_1, x_0_2, x_1_0, x_1_1, x_1_2 = elements("x", x, (2, 3))
    zeta = number("zeta", zeta)
    b = number("b", b)
    try:
        t1 = x_0_0 - x_1_0  # x[0] - x[1]
        t2 = x_0_1 - x_1_1  # x[0] - x[1]
        t3 = x_0_2 - x_1_2  # x[0] - x[1]
        r_0 = hypot(x_0_0, x_0_1, x_0_2)  # sqrt(sum(u^2))
        r_1 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
        apart = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
        t4 = 1.0 + b * apart
        t5 = apart / t4  # in apart/(2*(1 + b*apart))
        t6 = 1.0 / t4  # d(apart/(2*(1 + b*apart)))
        t7 = 1.0 / (t4 * t4)  # d(sqrt(sum((x[0] - x[1])^2)))
        t8 = t7 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t9 = zeta / r_1
        t10 = t9 * x_1_2  # d(x)
        t11 = -0.5 * t8
        slope_1_2 = t11 * t3 - t10  # d(x)
        t12 = t9 * x_1_1  # d(x)
        slope_1_1 = t11 * t2 - t12  # d(x)
        t13 = t9 * x_1_0  # d(x)
        slope_1_0 = t11 * t1 - t13  # d(x)
        t11 = zeta / r_0
        t14 = t11 * x_0_2  # d(x)
        t15 = 0.5 * t8
        slope_0_2 = t15 * t3 - t14  # d(x)
        t16 = t11 * x_0_1  # d(x)
        slope_0_1 = t15 * t2 - t16  # d(x)
        t17 = t11 * x_0_0  # d(x)
        slope_0_0 = t15 * t1 - t17  # d(x)
        t15 = t1 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t18 = t15 * b  # d(b*apart)
        t19 = apart * t4  # d(apart/(2*(1 + b*apart)))
        t20 = t1 / t19  # d(apart/(2*(1 + b*apart)))
        t21 = t20 * t6  # d(apart/(2*(1 + b*apart)))
        t22 = t21 * t6  # d(apart/(2*(1 + b*apart)))
        t23 = t6 * t6  # d(apart/(2*(1 + b*apart)))
        t24 = t18 * t23  # d(apart/(2*(1 + b*apart)))
        t25 = t24 * t5 - t22  # d(2*(1 + b*apart))
        t26 = 0.5 / apart
        t27 = t15 * t8  # d(sqrt(sum((x[0] - x[1])^2)))
        t28 = t26 * (b * t25 - (t24 + t27))  # d(sqrt(sum((x[0] - x[1])^2)))
        t29 = t17 / r_0  # d(sqrt(sum(u^2)))
        t17 = t2 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t30 = t17 * b  # d(b*apart)
        t31 = t2 / t19  # d(apart/(2*(1 + b*apart)))
        t32 = t31 * t6  # d(apart/(2*(1 + b*apart)))
        t33 = t32 * t6  # d(apart/(2*(1 + b*apart)))
        t34 = t30 * t23  # d(apart/(2*(1 + b*apart)))
        t35 = t34 * t5 - t33  # d(2*(1 + b*apart))
        t36 = t17 * t8  # d(sqrt(sum((x[0] - x[1])^2)))
        t37 = t26 * (b * t35 - (t34 + t36))  # d(sqrt(sum((x[0] - x[1])^2)))
        t38 = t16 / r_0  # d(sqrt(sum(u^2)))
        t16 = t3 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t39 = t16 * b  # d(b*apart)
        t40 = t3 / t19  # d(apart/(2*(1 + b*apart)))
        t41 = t40 * t6  # d(apart/(2*(1 + b*apart)))
        t42 = t41 * t6  # d(apart/(2*(1 + b*apart)))
        t43 = t39 * t23  # d(apart/(2*(1 + b*apart)))
        t23 = t43 * t5 - t42  # d(2*(1 + b*apart))
        t44 = t16 * t8  # d(sqrt(sum((x[0] - x[1])^2)))
        t45 = t26 * (b * t23 - (t43 + t44))  # d(sqrt(sum((x[0] - x[1])^2)))
        t26 = t14 / r_0  # d(sqrt(sum(u^2)))
        t14 = t13 / r_1  # d(sqrt(sum(u^2)))
        t13 = t12 / r_1  # d(sqrt(sum(u^2)))
        t12 = t10 / r_1  # d(sqrt(sum(u^2)))
        t10 = 1.0 / r_0  # in 2/r[0]
        t46 = 1.0 / r_1  # in 2/r[1]
        t47 = 1.0 / apart
        t48 = t43 / t19  # d(apart/(2*(1 + b*apart)))
        t49 = t34 / t19  # d(apart/(2*(1 + b*apart)))
        t50 = t24 / t19  # d(apart/(2*(1 + b*apart)))
        t19 = t50 * t20 + t49 * t31 + t48 * t40  # d(apart/(2*(1 + b*apart)))
        t40 = t19 * apart  # d(apart/(2*(1 + b*apart)))
        t31 = t10 * t10  # d(sqrt(sum(u^2)))
        t20 = -1.5 - slope_0_2 * x_0_2 - slope_0_1 * x_0_1 - slope_0_0 * x_0_0
        t51 = (x_0_0 * x_0_0 + x_0_1 * x_0_1 + x_0_2 * x_0_2) * t31  # d(sqrt(sum(u^2)))
        t52 = (2.0 * t20 + t51) * t10  # d(sqrt(sum(u^2)))
        t51 = t46 * t46  # d(sqrt(sum(u^2)))
        t20 = -1.5 - slope_1_2 * x_1_2 - slope_1_1 * x_1_1 - slope_1_0 * x_1_0
        t53 = (x_1_0 * x_1_0 + x_1_1 * x_1_1 + x_1_2 * x_1_2) * t51  # d(sqrt(sum(u^2)))
        t54 = (2.0 * t20 + t53) * t46  # d(sqrt(sum(u^2)))
        t53 = slope_1_0 - slope_0_0  # d((x[0] - x[1])^2)
        t20 = slope_1_1 - slope_0_1  # d((x[0] - x[1])^2)
        t55 = slope_1_2 - slope_0_2  # d((x[0] - x[1])^2)
        t56 = t55 * t3 + t20 * t2 + t53 * t1 - 3.0 + t15 * t15 + t17 * t17 + t16 * t16
        t57 = t56 * t47  # d(sqrt(sum((x[0] - x[1])^2)))
        t56 = (t18 * t24 + t30 * t34 + t39 * t43) * t6  # d(apart/(2*(1 + b*apart)))
        t39 = 0.5 * zeta
        t30 = (x_1_0 * t14 + x_1_1 * t13 + x_1_2 * t12) * t46  # d(sqrt(sum(u^2)))
        t18 = (t39 * t54 + t30) * t46 + 2.0 * t51  # d(sqrt(sum(u^2)))
        t51 = (x_0_0 * t29 + x_0_1 * t38 + x_0_2 * t26) * t10  # d(sqrt(sum(u^2)))
        t58 = (t39 * t52 + t51) * t10 + 2.0 * t31  # d(sqrt(sum(u^2)))
        t39 = t47 * (t44 + t42 * b)  # d(sqrt(sum((x[0] - x[1])^2)))
        t44 = t47 * (t36 + t33 * b)  # d(sqrt(sum((x[0] - x[1])^2)))
        t36 = t47 * (t27 + t22 * b)  # d(sqrt(sum((x[0] - x[1])^2)))
        t27 = t56 * t5 - (2.0 * t57 * t6 * t7 + t40)  # d(1 + b*apart)
        t7 = t40 + t24 * t21 + t34 * t32 + t43 * t41  # d(1 + b*apart)
        t43 = 0.5 * t27 - t7  # d(1 + b*apart)
        t7 = t56 + t19 * t4 + t57 * t8 + (t36 * t15 + t44 * t17 + t39 * t16)
        t57 = t43 * b + t15 * t28 + t17 * t37 + t16 * t45 - t47 * t47 - 0.5 * t7
        t7 = 0.5 * (t39 + (t48 + t55 * t8))  # d(x[0] - x[1])
        t55 = t7 + (t57 * t16 - t45)  # d(x[0] - x[1])
        t7 = 0.5 * (t44 + (t49 + t20 * t8))  # d(x[0] - x[1])
        t49 = t7 + (t57 * t17 - t37)  # d(x[0] - x[1])
        t7 = 0.5 * (t36 + (t50 + t53 * t8))  # d(x[0] - x[1])
        t53 = t7 + (t57 * t15 - t28)  # d(x[0] - x[1])
        t7 = t28 * t1 + 1.5 * t8 + t37 * t2 + t45 * t3  # in -(curvature + sum(slope^...
        t8 = (
            slope_0_0 * slope_0_0
            + slope_0_1 * slope_0_1
            + slope_0_2 * slope_0_2
            + slope_1_0 * slope_1_0
            + slope_1_1 * slope_1_1
            + slope_1_2 * slope_1_2
        )
        t45 = 2.0 * t7 - 3.0 * (t11 + t9) + (t51 + t30) + t8
        t9 = t22 * t15 + t33 * t17 + t42 * t16 - t15 * t25 - t17 * t35 - t16 * t23
        t42 = (t58 * x_0_0 - t29 + slope_0_0 * zeta) * t10  # d(x)
        t29 = (t58 * x_0_1 - t38 + slope_0_1 * zeta) * t10  # d(x)
        t38 = (t58 * x_0_2 - t26 + slope_0_2 * zeta) * t10  # d(x)
        t58 = (t18 * x_1_0 - t14 + slope_1_0 * zeta) * t46  # d(x)
        t14 = (t18 * x_1_1 - t13 + slope_1_1 * zeta) * t46  # d(x)
        t13 = (t18 * x_1_2 - t12 + slope_1_2 * zeta) * t46  # d(x)
        return t47 - 0.5 * t45 - 2.0 * (t10 + t46), (
            ((t53 + t42, t49 + t29, t55 + t38), (t58 - t53, t14 - t49, t13 - t55)),
            -0.5 * (t54 + t52),
            t43 * apart + 0.5 * t9,
        )
    except (ArithmeticError, ValueError):
        return careful(value_and_grad, x, zeta, b)


# The arguments may be any sequences of numbers, nested in their shapes.


def elements(name: str, given: object, shape: tuple[int, ...]) -> "Sequence[float]":
    """The numbers of an array, row by row.

    Raises:
        ValueError: the array has another shape.
        TypeError: something in it is no number.
    """
    if hasattr(given, "tolist"):  # an array of NumPy
        given = given.tolist()
    flat = plain(given, shape)
    if flat is None:
        given = listed(name, given)
        flat = plain(given, shape)
    if flat is None:
        found = shape_of(given)
        raise ValueError(f"{name} has shape {shape} but was given shape {found}")
    return flat


def number(name: str, given: object) -> float:
    """An argument that is one number; see `elements`."""
    return given if type(given) is float else elements(name, given, ())[0]


def plain(given: object, shape: tuple[int, ...]) -> "Sequence[float] | None":
    """The numbers of nested lists or tuples of floats, None if they are none."""
    if not shape:
        return [given] if type(given) is float else None
    if not isinstance(given, (list, tuple)) or len(given) != shape[0]:
        return None
    flat = given
    for length in shape[1:]:
        rows, flat = flat, []
        for row in rows:
            if not isinstance(row, (list, tuple)) or len(row) != length:
                return None
            flat += row
    return flat if are_floats(flat) else None


def are_floats(flat: "Sequence[float]") -> bool:
    """Whether all are numbers and not all of them integers: then their sum is a float.

    This costs less than to look at the type of each.
    """
    try:
        return type(sum(flat)) is float
    except (ArithmeticError, TypeError, ValueError):
        return False


def listed(name: str, given: object) -> object:
    """Nested sequences, arrays and numbers as nested lists of floats."""
    if hasattr(given, "tolist"):
        given = given.tolist()
    if hasattr(given, "__float__"):
        return float(given)
    if isinstance(given, (str, bytes, set)) or hasattr(given, "keys"):
        return given  # which has no shape
    if hasattr(given, "__getitem__") and hasattr(given, "__iter__"):
        return [listed(name, item) for item in given]
    raise TypeError(f"{name} is given {given!r}, which is no number")


def shape_of(nested: object) -> tuple[object, ...]:
    """The shape of nested lists, ending in a word where they have none."""
    if not isinstance(nested, list):
        return () if type(nested) is float else (type(nested).__name__,)
    shapes = {shape_of(item) for item in nested} or {()}
    return (len(nested), *(shapes.pop() if len(shapes) == 1 else ("ragged",)))


IEEE = False
PARTS = {
    (0, "", 0): "12:1: -(curvature + sum(slope^2))/2 - 2/r[0] - 2/r[1] + 1/apart",
    (13, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (14, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (15, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (15, "/", 2): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (16, "/", 1): "the formula",
    (24, "/", 1): "the formula",
    (32, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (36, "/", 1): "the formula",
    (37, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (38, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (40, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (41, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (43, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (44, "/", 1): "12:33: 2/r[0]",
    (45, "/", 1): "12:42: 2/r[1]",
    (46, "/", 1): "7:6: sqrt(sum(u^2))",
    (46, "/", 2): "7:6: sqrt(sum(u^2))",
    (46, "/", 3): "7:6: sqrt(sum(u^2))",
    (47, "/", 1): "7:6: sqrt(sum(u^2))",
    (47, "/", 2): "7:6: sqrt(sum(u^2))",
    (47, "/", 3): "7:6: sqrt(sum(u^2))",
    (61, "/", 1): "12:51: 1/apart",
}
CHECKS = (elements, number)

# Where Python raises or digits are lost, the functions above run again, in numbers
# without bounds and of so many digits, or of more where most of these cancel.
DIGITS = 60


def careful(what: "Callable[..., Result]", *args: "Any") -> "Result":
    """What a function returns where floats end, on the way or in a result."""
    point = args[: len(INPUTS)]
    found: "Any" = floats(run_again(value, point), point)
    if what is not value:
        derived = run_again(what, args, adjoint=True)
        is_product = len(args) > len(INPUTS)
        found = floats(derived if is_product else (found, *derived[1:]), point)
    result: "Result" = found
    return result


def floats(item: "Any", point: "tuple[Any, ...]") -> "Any":
    """The results of a run as floats.

    Raises:
        ValueError: a value is not finite, or a derivative is not a number.
    """
    if isinstance(item, tuple):
        return tuple(floats(x, point) for x in item)
    found = float(item)
    if not IEEE and (isnan(found) or (isinf(found) and not item.adjoint)):
        what = f"{PARTS[0, '', 0]}: a derivative" if item.adjoint else part(item)
        how = "not a real number" if isnan(found) else "infinite"
        at = ", ".join(f"{name} = {x!r}" for name, x in zip(INPUTS, point))
        raise ValueError(f"{what} is {how} at {at}")
    return found


def part(found: "Number") -> str:
    """The part of the formula that made a value infinite or NaN."""
    done = found.done[: found.origin]
    line, symbol = done[-1] if done else (0, "")
    first = value.__code__.co_firstlineno
    starts = [first + n for n, name, _ in PARTS if name == symbol and first + n <= line]
    start = max(starts, default=0)
    count = sum(name == symbol and n >= start for n, name in done)
    return PARTS.get((start - first, symbol, count), PARTS[0, "", 0])


def run_again(what: "Any", args: "tuple[Any, ...]", adjoint: bool = False) -> "Any":
    """Run a function of this module on numbers without bounds."""
    found = run_once(what, args, adjoint)
    if adjoint or has_none(found):
        found = tending(found, what, args)
    return found


def has_none(found: "Any") -> bool:
    """Whether a result has no value."""
    return any(map(has_none, found)) if isinstance(found, tuple) else isnan(found)


def around(point: "Any") -> "list[list[float]]":
    """Four points on two lines through a point, in pairs on its two sides."""
    steps = 1e-12, -1e-12, 7e-13, -7e-13
    return [
        [
            x + (x or 1.0) * step * (1 + n if k < 2 else (-1) ** n * (3 + n))
            for n, x in enumerate(point)
        ]
        for k, step in enumerate(steps)
    ]


def tending(found: "Any", what: "Any", args: "Any") -> "Any":
    """A result; what has no value is what it tends to, and so are its derivatives."""
    point, others = args[: len(INPUTS)], args[len(INPUTS) :]
    if not all(isinstance(x, (float, int)) for x in point):
        return found
    adjoint = what is not value
    whole = adjoint and has_none(run_once(value, point, False))
    if not whole and not has_none(found):
        return found
    sides = [run_once(what, (*x, *others), adjoint) for x in around(point)]

    def mended(x: "Any", sides: "Any") -> "Any":
        if isinstance(x, tuple):
            return tuple(map(mended, x, zip(*sides)))
        near = limit([*map(float, sides)]) if whole or isnan(x) else x
        return x if near is x or (isnan(near) and isnan(x)) else type(x)(near)

    return mended(found, sides)


def limit(xs: "list[float]") -> float:
    """What numbers around a point tend to: their mean, 0 if they are tiny."""
    size, spread = max(map(abs, xs)), max(xs) - min(xs)
    if any(map(isnan, xs)) or not size < inf:
        return nan
    return 0.0 if size < 1e-9 else sum(xs) / len(xs) if spread < 1e-6 * size else nan


def run_once(what: "Any", args: "tuple[Any, ...]", adjoint: bool) -> "Any":
    """Run a function of this module on numbers of as many digits as it needs."""
    found, digits = run_in(DIGITS, what, args, adjoint)
    return found if digits == DIGITS else run_in(digits, what, args, adjoint)[0]


def run_in(digits: int, what: "Any", args: "Any", adjoint: bool) -> "tuple[Any, int]":
    """Run a function in so many digits; also how many it needs."""
    from decimal import localcontext

    kind: "Any" = type("Number", (Number,), {"done": [], "adjoint": adjoint})
    given: "Any" = (kind(float(x)) for x in args)
    names = map(what.__globals__.get, what.__code__.co_names)
    given = args if any(item in CHECKS for item in names) else given
    with localcontext(wide(digits)):
        run = lifted(what, kind)
        return run(*given), needed(kind)


def needed(kind: "type[Number]") -> int:
    """How many digits a run needs, by how large and small its numbers were."""
    return min(DIGITS + 4 * kind.size, 1000) if kind.short and kind.size > 9 else DIGITS


def wide(digits: int) -> "Any":
    """The precision and the range of numbers without bounds."""
    from decimal import MAX_EMAX, MIN_EMIN, Context

    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def lifted(what: "Any", kind: "type[Number]") -> "Any":
    """A function of floats as one of numbers, with the constants in it."""

    def replaced(item: "Any") -> "Any":
        if item in CHECKS:
            return lambda *given: numbers(item(*given))
        if callable(item) and item not in (abs, max, min):
            return function(item)
        return kind(item) if isinstance(item, float) else item

    def numbers(found: "Any") -> "Any":
        is_one = isinstance(found, float)
        return kind(found) if is_one else [kind(float(x)) for x in found]

    code, names = what.__code__, what.__globals__
    used = {name: replaced(names[name]) for name in code.co_names if name in names}
    code = code.replace(co_consts=tuple(map(replaced, code.co_consts)))
    return type(what)(code, used)


class Number:
    """A number without bounds, infinite or NaN where Python raises."""

    done: "list[tuple[int, str]]"  # the operations of a run, with their lines
    adjoint: bool  # of a derivative, in which a factor of 0 contributes nothing
    origin = 0  # how many operations were done when it came to be infinite or NaN
    slow = False  # infinite as a logarithm is, which any power outweighs
    faint = False  # 0 as the inverse of an infinity is
    rounded = False  # computed, and so it may be
    short = False  # of a run, in which too many digits have cancelled
    size = 0  # of a run, of the smallest number in it, or the largest that cancelled

    def __init__(self, x: "Decimal | float") -> None:
        from decimal import Decimal

        self.x = Decimal(x)
        if self.x:
            type(self).size = max(self.size, -self.x.adjusted())

    def __float__(self) -> float:
        return float(self.x)

    def found(self, symbol: str, x: "Decimal | float", *others: "Number") -> "Number":
        """The result of an operation on this and other numbers."""
        args = (self, *others)
        new = type(self)(x)
        endless = [y for y in args if not y.x.is_finite()]
        self.done.append((_getframe(2).f_lineno, symbol))
        new.rounded = True
        new.origin = endless[0].origin if endless else len(self.done)
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            new.slow = new.x.is_infinite() and all(y.slow for y in endless)
        new.faint = not new.x and (bool(endless) or any(y.faint for y in args))
        return new

    def vanishes(self, *others: "Number") -> bool:
        """Whether a product or quotient that has no value is 0, as one of its factors."""
        factors = (self, *others)
        faint = any(y.faint for y in factors)
        return any(y.slow for y in factors) or (self.adjoint and not faint)

    def left(self, x: "Decimal", other: "Number") -> "Decimal":
        """What is left of this number in a sum, 0 for nothing but rounding."""
        if abs(x) < abs(self.x).scaleb(-25) and (self.rounded or other.rounded):
            type(self).short = True
            type(self).size = max(self.size, self.x.adjusted())
            return x - x if abs(x) < abs(self.x).scaleb(6 - precision()) else x
        return x

    def __add__(self, other: "Number") -> "Number":
        return self.found("+", self.left(self.x + other.x, other), other)

    def __sub__(self, other: "Number") -> "Number":
        return self.found("-", self.left(self.x - other.x, other), other)

    def __mul__(self, other: "Number") -> "Number":
        low, high = sorted((abs(self.x), abs(other.x)))
        is_zero = low == 0 and high == inf and self.vanishes(other)
        return self.found("*", low if is_zero else self.x * other.x, other)

    def __truediv__(self, other: "Number") -> "Number":
        is_zero = self.x == other.x == 0 and self.vanishes()
        return self.found("/", self.x if is_zero else self.x / other.x, other)


def function(on: "Callable[..., float]") -> "Callable[..., Number]":
    """A function on floats as one on numbers."""

    def run(*args: Number) -> Number:
        first, *others = args
        found = of_decimals(on, *(y.x for y in args))
        if first.rounded and abs(first.x - 1) < 1e-25:  # where logarithms vanish
            type(first).short = True
        return first.found(on.__name__, found, *others)

    return run


def of_decimals(on: "Any", *args: "Decimal") -> "Any":
    """What a function on floats is on decimals."""
    if any(map(isnan, args)):
        return nan
    try:
        if on.__name__ in DECIMALS:
            from decimal import localcontext

            with localcontext() as context:
                context.prec += 20
                found = DECIMALS[on.__name__](*args)
            if not isnan(found):
                return +found
        return on(*map(float, args))
    except OverflowError:
        return inf
    except (ArithmeticError, ValueError):
        return nan


# Functions on decimals. One that is NaN is left to floats.
DECIMALS: "dict[str, Callable[..., Any]]" = {
    "hypot": lambda *xs: sum(x * x for x in xs).sqrt(),
}


def precision() -> int:
    """How many digits are computed with."""
    from decimal import getcontext

    return getcontext().prec
