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
# digest: 5de4f4b89764fd2a581f4259f5950277

from math import hypot, inf, isfinite, isinf, isnan, nan
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
        apart = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
        t4 = 1.0 + b * apart
        t5 = 1.0 / t4  # in d(apart/(2*(1 + b*apart)))
        t6 = 1.0 / (t4 * t4) / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
        t7 = t6 * t3  # in d((x[0] - x[1])^2)
        t8 = t6 * t2  # in d((x[0] - x[1])^2)
        t9 = t6 * t1  # in d((x[0] - x[1])^2)
        t10 = t1 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
        t11 = apart * t4  # in d(apart/(2*(1 + b*apart)))
        t4 = t5 * t5  # in d(apart/(2*(1 + b*apart)))
        t12 = t10 * b * t4  # in d(apart/(2*(1 + b*apart)))
        t13 = apart * t5
        t14 = 0.5 / apart
        t15 = b * (t12 * t13 - t1 / t11 * t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
        t16 = t2 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
        t17 = t16 * b * t4  # in d(apart/(2*(1 + b*apart)))
        t18 = b * (t17 * t13 - t2 / t11 * t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
        t19 = t3 / apart  # in d(sqrt(sum((x[0] - x[1])^2)))
        t20 = t19 * b * t4  # in d(apart/(2*(1 + b*apart)))
        t4 = b * (t20 * t13 - t3 / t11 * t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
        t5 = (
            t14 * (t15 - (t12 + t10 * t6)) * t1
            + 1.5 * t6
            + t14 * (t18 - (t17 + t16 * t6)) * t2
            + t14 * (t4 - (t20 + t19 * t6)) * t3
        )  # in -(curvature + sum(slope^2))/2 - 2/r[0] - 2/r[1] + 1/apart
        r_0 = hypot(x_0_0, x_0_1, x_0_2)  # sqrt(sum(u^2))
        t6 = zeta / r_0  # in d(sqrt(sum(u^2)))
        slope_0_2 = 0.5 * t7 - t6 * x_0_2  # in d(x)
        slope_0_1 = 0.5 * t8 - t6 * x_0_1  # in d(x)
        slope_0_0 = 0.5 * t9 - t6 * x_0_0  # in d(x)
        t4 = 1.0 / r_0  # in 2/r[0]
        t3 = x_0_0 * t4  # in d(u^2)
        t20 = x_0_1 * t4  # in d(u^2)
        t2 = x_0_2 * t4  # in d(u^2)
        t19 = (t3 * t3 - 3.0 + t20 * t20 + t2 * t2) * t6
        r_1 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
        t6 = zeta / r_1  # in d(sqrt(sum(u^2)))
        slope_1_2 = -0.5 * t7 - t6 * x_1_2  # in d(x)
        slope_1_1 = -0.5 * t8 - t6 * x_1_1  # in d(x)
        slope_1_0 = -0.5 * t9 - t6 * x_1_0  # in d(x)
        t9 = 1.0 / r_1  # in 2/r[1]
        t8 = x_1_0 * t9  # in d(u^2)
        t7 = x_1_1 * t9  # in d(u^2)
        t3 = x_1_2 * t9  # in d(u^2)
        t20 = (t8 * t8 - 3.0 + t7 * t7 + t3 * t3) * t6
        t8 = (
            slope_0_0 * slope_0_0
            + slope_0_1 * slope_0_1
            + slope_0_2 * slope_0_2
            + slope_1_0 * slope_1_0
            + slope_1_1 * slope_1_1
            + slope_1_2 * slope_1_2
        )
        t7 = 1.0 / apart - 0.5 * (2.0 * t5 + (t19 + t20) + t8) - 2.0 * (t4 + t9)
        return t7
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
        t4 = hypot(t1, t2, t3)  # sqrt(sum((x[0] - x[1])^2))
        t5 = 1.0 + b * t4  # 1 + b*apart
        t6 = 1.0 / t5  # in d(apart/(2*(1 + b*apart)))
        t7 = 1.0 / (t5 * t5)  # in d(sqrt(sum((x[0] - x[1])^2)))
        t8 = t7 / t4  # in d(sqrt(sum((x[0] - x[1])^2)))
        t9 = t8 * t3  # in d((x[0] - x[1])^2)
        t10 = t8 * t2  # in d((x[0] - x[1])^2)
        t11 = t8 * t1  # in d((x[0] - x[1])^2)
        t12 = t1 / t4  # in d(sqrt(sum((x[0] - x[1])^2)))
        t13 = t12 * b  # in d(b*apart)
        t14 = t4 * t5  # in d(apart/(2*(1 + b*apart)))
        t15 = t1 / t14  # in d(apart/(2*(1 + b*apart)))
        t16 = t15 * t6  # in d(apart/(2*(1 + b*apart)))
        t17 = t16 * t6  # in d(apart/(2*(1 + b*apart)))
        t18 = t6 * t6  # in d(apart/(2*(1 + b*apart)))
        t19 = t13 * t18  # in d(apart/(2*(1 + b*apart)))
        t20 = t4 * t6
        t21 = t19 * t20 - t17  # in d(2*(1 + b*apart))
        t22 = t12 * t8  # in d(sqrt(sum((x[0] - x[1])^2)))
        t23 = 0.5 / t4
        t24 = t23 * (b * t21 - (t19 + t22))  # in d(sqrt(sum((x[0] - x[1])^2)))
        t25 = t2 / t4  # in d(sqrt(sum((x[0] - x[1])^2)))
        t26 = t25 * b  # in d(b*apart)
        t27 = t2 / t14  # in d(apart/(2*(1 + b*apart)))
        t28 = t27 * t6  # in d(apart/(2*(1 + b*apart)))
        t29 = t28 * t6  # in d(apart/(2*(1 + b*apart)))
        t30 = t26 * t18  # in d(apart/(2*(1 + b*apart)))
        t31 = t30 * t20 - t29  # in d(2*(1 + b*apart))
        t32 = t25 * t8  # in d(sqrt(sum((x[0] - x[1])^2)))
        t33 = t23 * (b * t31 - (t30 + t32))  # in d(sqrt(sum((x[0] - x[1])^2)))
        t34 = t3 / t4  # in d(sqrt(sum((x[0] - x[1])^2)))
        t35 = t34 * b  # in d(b*apart)
        t36 = t3 / t14  # in d(apart/(2*(1 + b*apart)))
        t37 = t36 * t6  # in d(apart/(2*(1 + b*apart)))
        t38 = t37 * t6  # in d(apart/(2*(1 + b*apart)))
        t39 = t35 * t18  # in d(apart/(2*(1 + b*apart)))
        t18 = t39 * t20 - t38  # in d(2*(1 + b*apart))
        t40 = t34 * t8  # in d(sqrt(sum((x[0] - x[1])^2)))
        t41 = t23 * (b * t18 - (t39 + t40))  # in d(sqrt(sum((x[0] - x[1])^2)))
        t23 = 1.0 / t4  # 1/apart
        t42 = t39 / t14  # in d(apart/(2*(1 + b*apart)))
        t43 = t30 / t14  # in d(apart/(2*(1 + b*apart)))
        t44 = t19 / t14  # in d(apart/(2*(1 + b*apart)))
        t14 = t44 * t15 + t43 * t27 + t42 * t36  # in d(apart/(2*(1 + b*apart)))
        t36 = t14 * t4  # in d(apart/(2*(1 + b*apart)))
        t27 = (t13 * t19 + t26 * t30 + t35 * t39) * t6  # in d(apart/(2*(1 + b*apart)))
        t35 = t23 * (t40 + t38 * b)  # in d(sqrt(sum((x[0] - x[1])^2)))
        t40 = t23 * (t32 + t29 * b)  # in d(sqrt(sum((x[0] - x[1])^2)))
        t32 = t23 * (t22 + t17 * b)  # in d(sqrt(sum((x[0] - x[1])^2)))
        t22 = t24 * t1 + 1.5 * t8 + t33 * t2 + t41 * t3  # in -(...)/2 - 2/r[0] - 2/...
        t26 = t17 * t12 + t29 * t25 + t38 * t34 - t12 * t21 - t25 * t31 - t34 * t18
        t38 = hypot(x_0_0, x_0_1, x_0_2)  # sqrt(sum(u^2))
        t31 = zeta / t38  # in d(sqrt(sum(u^2)))
        t29 = 0.5 * t9 - t31 * x_0_2  # in d(x)
        t21 = 0.5 * t10 - t31 * x_0_1  # in d(x)
        t18 = 0.5 * t11 - t31 * x_0_0  # in d(x)
        t17 = 1.0 / t38  # in 2/r[0]
        t38 = x_0_0 * t17  # in d(u^2)
        t13 = t38 * t38  # in d(u^2)
        t15 = x_0_1 * t17  # in d(u^2)
        t45 = t15 * t15  # in d(u^2)
        t46 = x_0_2 * t17  # in d(u^2)
        t47 = t46 * t46  # in d(u^2)
        t48 = t31 * t17
        t49 = t48 * t46  # in d(u^2)
        t50 = t48 * t15  # in d(u^2)
        t51 = t48 * t38  # in d(u^2)
        t48 = -1.5 - t29 * x_0_2 - t21 * x_0_1 - t18 * x_0_0  # in d(sqrt(sum(u^2)))
        t52 = (2.0 * t48 + t13 + t45 + t47) * t17  # in d(sqrt(sum(u^2)))
        t48 = 0.5 * t52 * t31 + 2.0 * (t17 * t17) + t51 * t38 + t50 * t15 + t49 * t46
        t53 = (t13 - 3.0 + t45 + t47) * t31
        t47 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
        t45 = zeta / t47  # in d(sqrt(sum(u^2)))
        t13 = -0.5 * t9 - t45 * x_1_2  # in d(x)
        t9 = -0.5 * t10 - t45 * x_1_1  # in d(x)
        t10 = -0.5 * t11 - t45 * x_1_0  # in d(x)
        t11 = 1.0 / t47  # in 2/r[1]
        t47 = x_1_0 * t11  # in d(u^2)
        t54 = t47 * t47  # in d(u^2)
        t55 = x_1_1 * t11  # in d(u^2)
        t56 = t55 * t55  # in d(u^2)
        t57 = x_1_2 * t11  # in d(u^2)
        t58 = t57 * t57  # in d(u^2)
        t59 = t45 * t11
        t60 = t59 * t57  # in d(u^2)
        t61 = t59 * t55  # in d(u^2)
        t62 = t59 * t47  # in d(u^2)
        t59 = -1.5 - t13 * x_1_2 - t9 * x_1_1 - t10 * x_1_0  # in d(sqrt(sum(u^2)))
        t63 = (2.0 * t59 + t54 + t56 + t58) * t11  # in d(sqrt(sum(u^2)))
        t59 = t10 - t18  # in d((x[0] - x[1])^2)
        t64 = t9 - t21  # in d((x[0] - x[1])^2)
        t65 = t13 - t29  # in d((x[0] - x[1])^2)
        t66 = t65 * t3 + t64 * t2 + t59 * t1 - 3.0 + t12 * t12 + t25 * t25 + t34 * t34
        t3 = t66 * t23  # in d(sqrt(sum((x[0] - x[1])^2)))
        t66 = 0.5 * t63 * t45 + 2.0 * (t11 * t11) + t62 * t47 + t61 * t55 + t60 * t57
        t2 = 0.5 * (t27 * t20 - (2.0 * t3 * t6 * t7 + t36))  # in d(1 + b*apart)
        t7 = t2 - (t36 + t19 * t16 + t30 * t28 + t39 * t37)  # in d(1 + b*apart)
        t39 = t27 + t14 * t5 + t3 * t8 + (t32 * t12 + t40 * t25 + t35 * t34)
        t5 = t7 * b + t12 * t24 + t25 * t33 + t34 * t41 - t23 * t23 - 0.5 * t39
        t39 = 0.5 * (t35 + (t42 + t65 * t8))  # in d(x[0] - x[1])
        t65 = t39 + (t5 * t34 - t41)  # in d(x[0] - x[1])
        t41 = 0.5 * (t40 + (t43 + t64 * t8))  # in d(x[0] - x[1])
        t64 = t41 + (t5 * t25 - t33)  # in d(x[0] - x[1])
        t41 = 0.5 * (t32 + (t44 + t59 * t8))  # in d(x[0] - x[1])
        t8 = t41 + (t5 * t12 - t24)  # in d(x[0] - x[1])
        t5 = t18 * t18 + t21 * t21 + t29 * t29 + t10 * t10 + t9 * t9 + t13 * t13
        t41 = 2.0 * t22 + (t53 + (t54 - 3.0 + t56 + t58) * t45) + t5
        return t23 - 0.5 * t41 - 2.0 * (t17 + t11), (
            (
                (
                    t8 + t48 * t38 + t18 * t31 - t51,
                    t64 + t48 * t15 + t21 * t31 - t50,
                    t65 + t48 * t46 + t29 * t31 - t49,
                ),
                (
                    t66 * t47 - t8 + t10 * t45 - t62,
                    t66 * t55 - t64 + t9 * t45 - t61,
                    t66 * t57 - t65 + t13 * t45 - t60,
                ),
            ),
            -0.5 * (t63 + t52),
            t7 * t4 + 0.5 * t26,
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
        try:
            return float(given)
        except OverflowError:
            what = f"{name} is given a number that is too large for a float"
            raise ValueError(what) from None
    if isinstance(given, set) or hasattr(given, "keys"):
        return given  # which has no shape
    if hasattr(given, "__getitem__") and not isinstance(given, (str, bytes)):
        if hasattr(given, "__iter__"):
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
    (11, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (12, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (12, "/", 2): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (16, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (21, "/", 1): "the formula",
    (22, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (23, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (25, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (26, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (28, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (36, "/", 1): "7:6: sqrt(sum(u^2))",
    (40, "/", 1): "12:33: 2/r[0]",
    (46, "/", 1): "7:6: sqrt(sum(u^2))",
    (50, "/", 1): "12:42: 2/r[1]",
    (63, "/", 1): "12:51: 1/apart",
}
CHECKS = (elements, number)

# Where Python raises or digits are lost, the functions above run again, on decimals of
# 80 digits, or of more if these cancel, whose exponents end at 1e18. What has no value
# there is what it tends to, and an error if it tends to nothing. What they test is a
# sum that is infinite then: 1e208*t is where t is too large for what follows, 1e208/t
# and u/(t + 1e-292) where t is too small, 1e304*(t/d) where d is all that is left of
# a difference of t and another number.


def careful(what: "Callable[..., Result]", *args: "Any") -> "Result":
    """What a function returns where floats end, on the way or in a result."""
    alone = what is value or value(*args[: len(INPUTS)])  # or all else is in vain
    found = run(what, args)
    found = tending(found, what, args)
    if what is not value and len(args) == len(INPUTS):
        found = (alone, *floats(found[1:], args))
    else:
        found = floats(found, args)
    result: "Result" = found
    return result


def floats(found: "Any", args: "tuple[Any, ...]") -> "Any":
    """Results as floats, or a ValueError that names the part to blame."""
    if isinstance(found, tuple):
        return tuple(floats(x, args) for x in found)
    x = float(found)
    if IEEE or isfinite(x) or (isinf(x) and found.adjoint):
        return x
    what = f"{PARTS[0, '', 0]}: a derivative" if found.adjoint else part(found)
    none = "beyond what can be computed" if found.beyond else "not a real number"
    how = none if isnan(x) else "infinite"
    at = ", ".join(f"{name} = {x!r}" for name, x in zip(INPUTS, args))
    raise ValueError(f"{what} is {how} at {at}")


def part(found: "Number") -> str:
    """The part of the formula that made a value infinite or NaN."""
    done = found.done[: found.origin]
    line, symbol = done[-1] if done else (0, "")
    first = value.__code__.co_firstlineno
    starts = [first + n for n, name, _ in PARTS if name == symbol and first + n <= line]
    start = max(starts, default=0)
    count = sum(name == symbol and n >= start for n, name in done)
    return PARTS.get((start - first, symbol, count), PARTS[0, "", 0])


def tending(found: "Any", what: "Any", args: "Any") -> "Any":
    """Results; what has no value is what it tends to, and so are its derivatives."""
    derived = what is not value
    whole = derived and is_vague(run(value, args[: len(INPUTS)]))
    if not whole and not is_vague(found):
        return found
    ways = [around(what, args)]

    def mended(x: "Any", ways: "Any") -> "Any":
        if isinstance(x, tuple):
            return tuple(mended(y, nth(ways, k)) for k, y in enumerate(x))
        if not whole and not is_vague(x):
            return x
        near = tended(ways, derived and not whole and isnan(x))
        settled = isfinite(x) or getattr(x, "taken", False)
        keeps = isnan(near) and not (whole and settled)
        return x if keeps or float(x) == near else type(x)(near)

    found = mended(found, ways)
    return found


def around(what: "Any", args: "Any", *how: "Any") -> "list[Any]":
    """Results around a point, those further away and, if there are any, the near."""
    sides = [run(what, args, 250, side, *how) for side in (0, 1)]
    if any(map(isfinite, flat(tuple(sides)))):
        sides += [run(what, args, 250, side, *how) for side in range(2, 6)]
    return sides


def nth(ways: "Any", k: int) -> "list[Any]":
    """The k-th part of results around a point."""
    return [[side[k] for side in sides] for sides in ways]


def tended(ways: "Any", slope: bool) -> float:
    """What numbers tend to, in the first of some ways to a point in which they do."""
    near = (limit([*map(sized, sides)], slope) for sides in ways)
    return next((x for x in near if not isnan(x)), nan)


def flat(found: "Any") -> "list[Any]":
    """The numbers in a tuple, and in tuples in it."""
    if not isinstance(found, tuple):
        return [found]
    return [x for inner in found for x in flat(inner)]


def is_vague(found: "Any") -> bool:
    """Whether a result has no finite value, or one that was taken for a limit.

    One that is too large for a float has a value; that of a logarithm at 0 is no other.
    """
    if isinstance(found, tuple):
        return any(map(is_vague, found))
    x = getattr(found, "x", found)  # or it is a constant
    ends = x in (inf, -inf) and not getattr(found, "slow", False)
    return isnan(x) or ends or getattr(found, "taken", False)


def beside(x: "Any", n: int, side: int, least: "Any") -> "Any":
    """A number next to the n-th input, in one of three directions, on one of two sides.

    In the second one not all inputs grow, in the others all do or none.
    """
    wide = n + 1 / n if side < 2 else (2 + n**3) * (-1 if side < 4 and n % 2 else 1)
    near = type(x)(1 if x else least) * type(x)((1e-20, -1e-20)[side % 2])
    near *= abs(near) if side > 1 else 1
    return x + (x or 1) * near * type(x)(wide)


def smallest(xs: "Any") -> "Any":
    """What numbers next to 0 are measured by: 1, or the square of a smaller input.

    Or of the difference of two inputs.
    """
    ys = sorted([0, *xs])
    least = min([1, *[y - x for x, y in zip(ys, ys[1:]) if x < y]])
    return least * least if least > 1e-30 else least


def sized(x: "Any") -> float:
    """A number as a float, infinite if it is beyond what can be computed."""
    far = getattr(x, "beyond", False) and not getattr(x, "outside", False)
    return inf if isnan(x) and far else float(x)


def limit(xs: "list[float]", slope: bool) -> float:
    """What numbers around a point tend to, of which the two first are less near.

    The others are those in two directions: where these differ there is no limit. A
    slope is 0, too, where a value has a kink as abs has. What grows as a logarithm
    does, or any power, and has one sign is infinite; 0 is what shrinks as its inverse.
    """
    far, near = [[x for x in part if isfinite(x)] for part in (xs[:2], xs[2:])]
    if not far or not near or any(map(isinf, xs)):
        return nan  # of each pair one is enough, as at the edge of a domain
    size, middle = max(map(abs, far + near)), sum(near) / len(near)
    off = abs(sum(far) / len(far) - middle)  # which is half of a logarithm
    if max(near) - min(near) <= 1e-6 * abs(middle) and off <= 1e-5 * abs(middle):
        return middle
    sign = 1.0 if near[0] > 0 else -1.0
    low, high = [sign * x for x in far], [sign * x for x in near]
    least = 0.05 if near[1:] else 2
    most = 1e4 if min(low) > 20 else 1.2 if min(low) > least else 0.0
    even = max(low) < most * min(low) and max(high) < most * min(high)
    if even and 1.5 * max(low) < min(high):
        # From 1e-20 to 1e-40 a logarithm doubles, and is about the same all around.
        if min(high) > 1e3 * max(low) or max(high) < 1.5 * min(high):
            return sign * inf
    first, last = max(map(abs, far)), max(map(abs, near))
    shrinks = 0 < last < 1e-2 * first or (size < 1e-15 and last < 1e2 * first)
    halves = 1.75 * max(high) < min(low) and max(low) < 5.5 * min(high)
    halves = halves and max(low) < 1.3 * min(low) and max(high) < 1.3 * min(high)
    shrinks = shrinks or (halves and min(high) > 0)  # as a logarithm doubles
    is_kink = slope and max(abs(sum(far)), abs(sum(near))) < 1e-2 * size
    return 0.0 if shrinks or (is_kink and len(far + near) == len(xs)) else nan


def run(
    what: "Any",
    args: "Any",
    digits: int = 80,
    side: int = -1,
    only: int = -1,
    kept: "Any" = (),
) -> "Any":
    """What a function returns on numbers, again in more digits if it needs them.

    On a side of its arguments, or of only one of them, it is what it tends to; numbers
    that are equal at the point itself may be kept so there.
    """
    from decimal import MAX_EMAX, MIN_EMIN, Context, localcontext

    own = {"done": [], "digits": digits, "adjoint": what is not value}
    kind: "Any" = type("Number", (Number,), own)
    with localcontext(Context(digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])):
        on_numbers = lifted(what, kind)
        given = [kind.of(x) for x in args]
        point = given[: len(INPUTS)] if side >= 0 else []
        point = leaves(point)
        least = smallest([y.x for y in point])
        for n, y in enumerate(point, 1):
            if only < 0 or n == only + 1:
                y.x = beside(y.x, n, side, least)
        found = on_numbers(*given)
    more = max([kind.asked, *(x.needed() for x in flat(found) if type(x) is kind)])
    return found if more <= digits else run(what, args, more, side, only, kept)


def leaves(rows: "Any") -> "list[Any]":
    """The numbers in a sequence, and in lists in it."""
    return [y for row in rows for y in (row if type(row) is list else [row])]


def lifted(what: "Any", kind: "type[Number]") -> "Any":
    """A function of floats as one of numbers, with the constants in it."""

    def replaced(item: "Any") -> "Any":
        if item in CHECKS:
            return lambda name, given, *_: given
        if callable(item) and item not in (abs, max, min):
            return function(item)
        if isinstance(item, float):
            item = kind(item)
        return item

    code, names = what.__code__, what.__globals__
    used = {name: replaced(names[name]) for name in code.co_names if name in names}
    code = code.replace(co_consts=tuple(map(replaced, code.co_consts)))
    return type(what)(code, used)


def function(on: "Any") -> "Callable[..., Number]":
    """A function on floats as one on numbers."""
    return operation(on.__name__, lambda *xs: of_decimals(on, *xs))


def of_decimals(on: "Any", *xs: "Decimal") -> "Any":
    """What a function on floats is on decimals."""
    try:
        if any(map(isnan, xs)):
            return nan
        if on.__name__ in DECIMALS:
            found = DECIMALS[on.__name__](*xs)
            edged = ("acos", "acosh", "asin", "pow", "sqrt")
            if not isnan(found) or on.__name__ in edged:
                return found
        return on(*map(float, xs))
    except (ArithmeticError, ValueError):
        return nan


def operation(symbol: str, on: "Callable[..., Any]") -> "Callable[..., Number]":
    """An operation on decimals as one on numbers, which know where they come from."""

    def compute(*args: "Number") -> "Number":
        from decimal import Inexact, getcontext

        flags = getcontext().flags
        flags[Inexact] = False
        new = type(args[0])(on(*(y.x for y in args)), args)
        is_exact = symbol in ("+", "-", "*", "/") and not flags[Inexact]
        endless = [y for y in args if not y.x.is_finite()]
        new.done.append((_getframe(1).f_lineno, symbol))
        new.origin = endless[0].origin if endless else len(new.done)
        new.taken = any(y.taken for y in args)
        new.leave(symbol, args)
        if not (new.x and new.x.is_finite()):
            new.end(symbol, args, endless)
        new.come(symbol, args, is_exact)
        new.lose(symbol, args)
        new.measure()
        return new

    return compute


class Number:
    """A decimal of a run, infinite or NaN where Python raises, so that it goes on."""

    done: "list[tuple[int, str]]"  # the operations of the run, with their lines
    adjoint: bool  # a run for derivatives, to which a factor of 0 contributes nothing
    digits: int  # those of the run
    asked = 0  # how many what was compared needs
    beyond = False  # it came to the size of what is too large or small for decimals
    short = False  # on the way to this number too many digits have cancelled
    empty = False  # all of them, even of many
    size = 0  # the exponent of the smallest number there, or of what cancelled
    large = 0  # the exponent of the largest number there
    how: "int | None" = None  # it was computed, if it is not exact: equal for equals
    origin = 0  # how many operations were done when this was computed, or had no value
    slow = False  # infinite as a logarithm is, which any power outweighs
    faint = False  # 0 as the inverse of an infinity is
    taken = False  # of a derivative for which 0/0 has been taken for 0
    outside = False  # it is not defined, however large numbers may be

    def __init__(self, x: "Decimal | float", args: "Any" = ()) -> None:
        from decimal import Decimal

        self.x = Decimal(x)
        if args:
            self.short = any(y.short for y in args)
            self.empty = any(y.empty for y in args)
            self.size = max(y.size for y in args)
            self.large = max(y.large for y in args)

    def measure(self) -> "Number":
        """Count this number among those on the way; constants are but used there."""
        if self.x:
            self.size = max(self.size, -self.x.adjusted())
            self.large = max(self.large, self.x.adjusted())
        return self

    def __float__(self) -> float:
        return float(self.x)

    @classmethod
    def of(cls, x: "Any") -> "Any":
        """An argument in numbers, those of an array row by row."""
        x = x.tolist() if hasattr(x, "tolist") else x  # of NumPy
        if not hasattr(x, "__iter__"):
            return cls(float(x)).measure()
        return leaves(map(cls.of, x))

    def needed(self) -> int:
        """How many digits this number needs, by how large and small those before are.

        Noise in 160 of them is nothing, unless a number is large or small.
        """
        most = 640 if self.empty and self.large < 1000 else 320
        more = max(4 * self.size, min(2 * self.large, most))
        return min(80 + more, 1000) if self.short and more > 36 else 0

    def end(self, symbol: str, args: "Any", endless: "list[Number]") -> None:
        """Know how this number came to be 0 or infinite; be 0 if a factor of 0 wins."""
        from decimal import Overflow, Underflow, getcontext

        xs, flags = [y.x for y in args], getcontext().flags
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            self.slow = isinf(self.x) and all(y.slow for y in endless)
        self.faint = not self.x and (bool(endless) or any(y.faint for y in args))
        if (endless or 0 in xs) and (flags[Overflow] or flags[Underflow]):
            grows = symbol not in ("+", "-", "*", "/", "abs") and isinf(self.x)
            far = any(x and abs(x.adjusted()) > 1e9 for x in xs)
            if grows or far or symbol == "pow":
                self.x = type(self.x)(nan)
            type(self).beyond = self.beyond or isnan(self.x)
        elif symbol in "*/" and isnan(self.x) and 0 in xs and not any(map(isnan, xs)):
            slow = any(y.slow for y in args)
            if slow or (self.adjoint and not any(y.faint for y in args)):
                self.x, self.taken = type(self.x)(0), self.taken or not slow

    def leave(self, symbol: str, args: "Any") -> None:
        """Know whether a function is not defined there, as a root is not below 0."""
        ends = isnan(self.x) and not any(isnan(y.x) for y in args)
        ends = ends and symbol in ("acos", "acosh", "asin", "log", "pow", "sqrt")
        self.outside = ends or any(y.outside for y in args)

    def come(self, symbol: str, args: "Any", is_exact: bool) -> None:
        """Know whether this number is exact, and else how it was computed."""
        if all(y.how is None for y in args) and (is_exact or not self.x):
            return
        kept = [y for y in args if y.x or y.how is not None]
        self.how = hash((symbol, *map(Number.key, args)))
        if symbol == "+" and len(kept) == 1:
            self.how = kept[0].how or self.how

    def key(self) -> int:
        """A number that is the same for what has the same digits, of any number."""
        return hash(self.x) if self.how is None else self.how

    def lose(self, symbol: str, args: "Any") -> None:
        """Ask for more digits if few of an argument are left; be 0 if only noise is."""
        if symbol == "-" and not self.x and len({*map(Number.key, args)}) < len(args):
            return
        x, is_exact = abs(args[0].x), all(y.how is None for y in args)
        lossy = symbol in ("+", "-", "%", "sin", "cos", "tan", "fmod", "remainder")
        is_short = x < inf and not abs(self.x) >= x.scaleb(-25)
        if lossy and is_short and not is_exact:
            self.short, self.size = True, max(self.size, x.adjusted())
            if abs(self.x) < x.scaleb(26 - self.digits):
                self.x -= self.x
                self.size = max(self.size, 20)  # so in 160 of them
                self.empty = self.digits >= 400

    __add__ = operation("+", lambda x, y: x + y)
    __sub__ = operation("-", lambda x, y: x - y)
    __mul__ = operation("*", lambda x, y: x * y)
    __truediv__ = operation("/", lambda x, y: x / y)

    def edge(self, other: "Number") -> "Decimal":
        """This number in a comparison, which needs the digits of both."""
        type(self).asked = max(self.asked, self.needed(), other.needed())
        return self.x


# Functions on decimals. One that is NaN is left to floats.
DECIMALS: "dict[str, Callable[..., Any]]" = {
    "hypot": lambda *xs: sum(x * x for x in xs).sqrt(),
}
