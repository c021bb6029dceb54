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
# digest: 3c3bd305dba525a6dc89a74c93cc1ee1

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
        t5 = 1.0 / t4  # d(apart/(2*(1 + b*apart)))
        t6 = 1.0 / (t4 * t4) / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t7 = t6 * t3  # d((x[0] - x[1])^2)
        t8 = t6 * t2  # d((x[0] - x[1])^2)
        t9 = t6 * t1  # d((x[0] - x[1])^2)
        t10 = t1 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t11 = apart * t4  # d(apart/(2*(1 + b*apart)))
        t4 = t5 * t5  # d(apart/(2*(1 + b*apart)))
        t12 = t10 * b * t4  # d(apart/(2*(1 + b*apart)))
        t13 = apart * t5
        t14 = 0.5 / apart
        t15 = b * (t12 * t13 - t1 / t11 * t5 * t5)  # d(sqrt(sum((x[0] - x[1])^2)))
        t16 = t2 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t17 = t16 * b * t4  # d(apart/(2*(1 + b*apart)))
        t18 = b * (t17 * t13 - t2 / t11 * t5 * t5)  # d(sqrt(sum((x[0] - x[1])^2)))
        t19 = t3 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t20 = t19 * b * t4  # d(apart/(2*(1 + b*apart)))
        t4 = b * (t20 * t13 - t3 / t11 * t5 * t5)  # d(sqrt(sum((x[0] - x[1])^2)))
        t5 = (
            t14 * (t15 - (t12 + t10 * t6)) * t1
            + 1.5 * t6
            + t14 * (t18 - (t17 + t16 * t6)) * t2
            + t14 * (t4 - (t20 + t19 * t6)) * t3
        )  # in -(curvature + sum(slope^2))/2 - 2/r[0] - 2/r[1] + 1/apart
        r_0 = hypot(x_0_0, x_0_1, x_0_2)  # sqrt(sum(u^2))
        t6 = zeta / r_0  # d(sqrt(sum(u^2)))
        slope_0_2 = 0.5 * t7 - t6 * x_0_2  # d(x)
        slope_0_1 = 0.5 * t8 - t6 * x_0_1  # d(x)
        slope_0_0 = 0.5 * t9 - t6 * x_0_0  # d(x)
        t4 = 1.0 / r_0  # in 2/r[0]
        t3 = x_0_0 * t4  # d(u^2)
        t20 = x_0_1 * t4  # d(u^2)
        t2 = x_0_2 * t4  # d(u^2)
        t19 = (t3 * t3 - 3.0 + t20 * t20 + t2 * t2) * t6
        r_1 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
        t6 = zeta / r_1  # d(sqrt(sum(u^2)))
        slope_1_2 = -0.5 * t7 - t6 * x_1_2  # d(x)
        slope_1_1 = -0.5 * t8 - t6 * x_1_1  # d(x)
        slope_1_0 = -0.5 * t9 - t6 * x_1_0  # d(x)
        t9 = 1.0 / r_1  # in 2/r[1]
        t8 = x_1_0 * t9  # d(u^2)
        t7 = x_1_1 * t9  # d(u^2)
        t3 = x_1_2 * t9  # d(u^2)
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
        t6 = 1.0 / t5  # d(apart/(2*(1 + b*apart)))
        t7 = 1.0 / (t5 * t5)  # d(sqrt(sum((x[0] - x[1])^2)))
        t8 = t7 / t4  # d(sqrt(sum((x[0] - x[1])^2)))
        t9 = t8 * t3  # d((x[0] - x[1])^2)
        t10 = t8 * t2  # d((x[0] - x[1])^2)
        t11 = t8 * t1  # d((x[0] - x[1])^2)
        t12 = t1 / t4  # d(sqrt(sum((x[0] - x[1])^2)))
        t13 = t12 * b  # d(b*apart)
        t14 = t4 * t5  # d(apart/(2*(1 + b*apart)))
        t15 = t1 / t14  # d(apart/(2*(1 + b*apart)))
        t16 = t15 * t6  # d(apart/(2*(1 + b*apart)))
        t17 = t16 * t6  # d(apart/(2*(1 + b*apart)))
        t18 = t6 * t6  # d(apart/(2*(1 + b*apart)))
        t19 = t13 * t18  # d(apart/(2*(1 + b*apart)))
        t20 = t4 * t6
        t21 = t19 * t20 - t17  # d(2*(1 + b*apart))
        t22 = t12 * t8  # d(sqrt(sum((x[0] - x[1])^2)))
        t23 = 0.5 / t4
        t24 = t23 * (b * t21 - (t19 + t22))  # d(sqrt(sum((x[0] - x[1])^2)))
        t25 = t2 / t4  # d(sqrt(sum((x[0] - x[1])^2)))
        t26 = t25 * b  # d(b*apart)
        t27 = t2 / t14  # d(apart/(2*(1 + b*apart)))
        t28 = t27 * t6  # d(apart/(2*(1 + b*apart)))
        t29 = t28 * t6  # d(apart/(2*(1 + b*apart)))
        t30 = t26 * t18  # d(apart/(2*(1 + b*apart)))
        t31 = t30 * t20 - t29  # d(2*(1 + b*apart))
        t32 = t25 * t8  # d(sqrt(sum((x[0] - x[1])^2)))
        t33 = t23 * (b * t31 - (t30 + t32))  # d(sqrt(sum((x[0] - x[1])^2)))
        t34 = t3 / t4  # d(sqrt(sum((x[0] - x[1])^2)))
        t35 = t34 * b  # d(b*apart)
        t36 = t3 / t14  # d(apart/(2*(1 + b*apart)))
        t37 = t36 * t6  # d(apart/(2*(1 + b*apart)))
        t38 = t37 * t6  # d(apart/(2*(1 + b*apart)))
        t39 = t35 * t18  # d(apart/(2*(1 + b*apart)))
        t18 = t39 * t20 - t38  # d(2*(1 + b*apart))
        t40 = t34 * t8  # d(sqrt(sum((x[0] - x[1])^2)))
        t41 = t23 * (b * t18 - (t39 + t40))  # d(sqrt(sum((x[0] - x[1])^2)))
        t23 = 1.0 / t4  # 1/apart
        t42 = t39 / t14  # d(apart/(2*(1 + b*apart)))
        t43 = t30 / t14  # d(apart/(2*(1 + b*apart)))
        t44 = t19 / t14  # d(apart/(2*(1 + b*apart)))
        t14 = t44 * t15 + t43 * t27 + t42 * t36  # d(apart/(2*(1 + b*apart)))
        t36 = t14 * t4  # d(apart/(2*(1 + b*apart)))
        t27 = (t13 * t19 + t26 * t30 + t35 * t39) * t6  # d(apart/(2*(1 + b*apart)))
        t35 = t23 * (t40 + t38 * b)  # d(sqrt(sum((x[0] - x[1])^2)))
        t40 = t23 * (t32 + t29 * b)  # d(sqrt(sum((x[0] - x[1])^2)))
        t32 = t23 * (t22 + t17 * b)  # d(sqrt(sum((x[0] - x[1])^2)))
        t22 = t24 * t1 + 1.5 * t8 + t33 * t2 + t41 * t3  # in -(curvature + sum(slope...
        t26 = t17 * t12 + t29 * t25 + t38 * t34 - t12 * t21 - t25 * t31 - t34 * t18
        t38 = hypot(x_0_0, x_0_1, x_0_2)  # sqrt(sum(u^2))
        t31 = zeta / t38  # d(sqrt(sum(u^2)))
        t29 = 0.5 * t9 - t31 * x_0_2  # d(x)
        t21 = 0.5 * t10 - t31 * x_0_1  # d(x)
        t18 = 0.5 * t11 - t31 * x_0_0  # d(x)
        t17 = 1.0 / t38  # in 2/r[0]
        t38 = x_0_0 * t17  # d(u^2)
        t13 = t38 * t38  # d(u^2)
        t15 = x_0_1 * t17  # d(u^2)
        t45 = t15 * t15  # d(u^2)
        t46 = x_0_2 * t17  # d(u^2)
        t47 = t46 * t46  # d(u^2)
        t48 = t31 * t17
        t49 = t48 * t46  # d(u^2)
        t50 = t48 * t15  # d(u^2)
        t51 = t48 * t38  # d(u^2)
        t48 = -1.5 - t29 * x_0_2 - t21 * x_0_1 - t18 * x_0_0  # d(sqrt(sum(u^2)))
        t52 = (2.0 * t48 + t13 + t45 + t47) * t17  # d(sqrt(sum(u^2)))
        t48 = 0.5 * t52 * t31 + 2.0 * (t17 * t17) + t51 * t38 + t50 * t15 + t49 * t46
        t53 = (t13 - 3.0 + t45 + t47) * t31
        t47 = hypot(x_1_0, x_1_1, x_1_2)  # sqrt(sum(u^2))
        t45 = zeta / t47  # d(sqrt(sum(u^2)))
        t13 = -0.5 * t9 - t45 * x_1_2  # d(x)
        t9 = -0.5 * t10 - t45 * x_1_1  # d(x)
        t10 = -0.5 * t11 - t45 * x_1_0  # d(x)
        t11 = 1.0 / t47  # in 2/r[1]
        t47 = x_1_0 * t11  # d(u^2)
        t54 = t47 * t47  # d(u^2)
        t55 = x_1_1 * t11  # d(u^2)
        t56 = t55 * t55  # d(u^2)
        t57 = x_1_2 * t11  # d(u^2)
        t58 = t57 * t57  # d(u^2)
        t59 = t45 * t11
        t60 = t59 * t57  # d(u^2)
        t61 = t59 * t55  # d(u^2)
        t62 = t59 * t47  # d(u^2)
        t59 = -1.5 - t13 * x_1_2 - t9 * x_1_1 - t10 * x_1_0  # d(sqrt(sum(u^2)))
        t63 = (2.0 * t59 + t54 + t56 + t58) * t11  # d(sqrt(sum(u^2)))
        t59 = t10 - t18  # d((x[0] - x[1])^2)
        t64 = t9 - t21  # d((x[0] - x[1])^2)
        t65 = t13 - t29  # d((x[0] - x[1])^2)
        t66 = t65 * t3 + t64 * t2 + t59 * t1 - 3.0 + t12 * t12 + t25 * t25 + t34 * t34
        t3 = t66 * t23  # d(sqrt(sum((x[0] - x[1])^2)))
        t66 = 0.5 * t63 * t45 + 2.0 * (t11 * t11) + t62 * t47 + t61 * t55 + t60 * t57
        t2 = 0.5 * (t27 * t20 - (2.0 * t3 * t6 * t7 + t36))  # d(1 + b*apart)
        t7 = t2 - (t36 + t19 * t16 + t30 * t28 + t39 * t37)  # d(1 + b*apart)
        t39 = t27 + t14 * t5 + t3 * t8 + (t32 * t12 + t40 * t25 + t35 * t34)
        t5 = t7 * b + t12 * t24 + t25 * t33 + t34 * t41 - t23 * t23 - 0.5 * t39
        t39 = 0.5 * (t35 + (t42 + t65 * t8))  # d(x[0] - x[1])
        t65 = t39 + (t5 * t34 - t41)  # d(x[0] - x[1])
        t41 = 0.5 * (t40 + (t43 + t64 * t8))  # d(x[0] - x[1])
        t64 = t41 + (t5 * t25 - t33)  # d(x[0] - x[1])
        t41 = 0.5 * (t32 + (t44 + t59 * t8))  # d(x[0] - x[1])
        t8 = t41 + (t5 * t12 - t24)  # d(x[0] - x[1])
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

# Where Python raises or digits are lost, the functions above run again, in numbers
# without bounds and of so many digits, or of more where most of these cancel.
DIGITS = 60


def careful(what: "Callable[..., Result]", *args: "Any") -> "Result":
    """What a function returns where floats end, on the way or in a result."""
    point = args[: len(INPUTS)]
    found: "Any"
    if what is value:
        found = floats(run_again(what, point), point)
    else:
        alone = value(*point)  # where there is none, all else is in vain
        derived = run_again(what, args, adjoint=True)
        is_product = len(args) > len(INPUTS)
        found = floats(derived if is_product else derived[1:], point)
        found = found if is_product else (alone, *found)
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
    """Whether a result has no finite value."""
    is_one = not isinstance(found, tuple)
    return not isfinite(found) if is_one else any(map(has_none, found))


def is_vague(found: "Any") -> bool:
    """Whether a result has no finite value, or one that was taken for a limit."""
    if isinstance(found, tuple):
        return any(map(is_vague, found))
    return has_none(found) or getattr(found, "taken", False)  # or it is a constant


def around(point: "Any") -> "list[Any]":
    """Four points on two lines through a point, in pairs on its two sides."""
    return [moved(point, k, []) for k in range(4)]


def moved(x: "Any", k: int, others: "list[Any]") -> "Any":
    """The k-th of the points, of which the others before this entry are done."""
    x = x.tolist() if hasattr(x, "tolist") else x  # of NumPy
    if hasattr(x, "__iter__"):
        return [moved(entry, k, others) for entry in x]
    others.append(x)
    n = len(others)
    wide = n + 1 / n if k < 2 else (-1) ** n * (2 + n)
    step = (1.3e-12, -1.3e-12, 7e-13, -7e-13)[k] * wide
    return x + (x or 1.0) * step


def tending(found: "Any", what: "Any", args: "Any") -> "Any":
    """A result; what has no value is what it tends to, and so are its derivatives."""
    point, others = args[: len(INPUTS)], args[len(INPUTS) :]
    adjoint = what is not value
    whole = adjoint and has_none(run_once(value, point, False))
    if not whole and not is_vague(found):
        return found
    sides = [run_once(what, (*x, *others), adjoint) for x in around(point)]

    def mended(x: "Any", sides: "Any") -> "Any":
        if isinstance(x, tuple):
            return tuple(map(mended, x, zip(*sides)))
        if not whole and not is_vague(x):
            return x
        slope = adjoint and not whole and isnan(x)
        near = limit([*map(float, sides)], is_open(x), slope)
        is_kept = not whole and abs(near - float(x)) < 1e-4 * abs(near)
        if is_kept or (isnan(near) and (has_none(x) or not whole)):
            return x
        return type(x)(near)

    return mended(found, sides)


def is_open(x: "Number") -> bool:
    """Whether arithmetic left open what a number is, not the domain of a function."""
    return isfinite(x) or x.pole or x.done[x.origin - 1][1] in "+-*/"


def limit(xs: "list[float]", inside: bool, slope: bool) -> float:
    """What numbers around a point tend to: the mean of pairs, 0 if they are tiny.

    Arguments:
        inside: one number of each pair is enough, as at the edge of a domain.
        slope: of a value that is known, and 0 where the value has a kink as abs has.
    """
    pairs = [[x for x in pair if isfinite(x)] for pair in (xs[:2], xs[2:])]
    found = [x for pair in pairs for x in pair]
    if not all(pairs) or (len(found) < 4 and not inside):
        return nan
    one, other = (sum(pair) / len(pair) for pair in pairs)
    size, spread = max(map(abs, found)), max(found) - min(found)
    if spread <= 1e-2 * size and abs(one - other) <= 1e-6 * size:
        return (one + other) / 2
    is_kink = slope and len(found) == 4 and max(abs(one), abs(other)) < 1e-2 * size
    return 0.0 if size < 1e-9 or is_kink else nan


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
        if not isinstance(item, float):
            return item
        found = kind(item)
        return found

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
    pole = False  # infinite at first, and so at an edge, not behind it
    faint = False  # 0 as the inverse of an infinity is
    taken = False  # a derivative for which 0/0 has been taken for 0
    log: "Decimal | None" = None  # of its size, where decimals end
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
        new.pole = endless[0].pole if endless else isinf(new.x)
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            new.slow = isinf(new.x) and all(y.slow for y in endless)
        new.faint = not new.x and (bool(endless) or any(y.faint for y in args))
        new.taken = any(y.taken for y in args)
        return new

    def vanishes(self, *others: "Number") -> bool:
        """Whether a product or quotient that has no value is 0, as one of its factors."""
        factors = (self, *others)
        if any(y.slow for y in factors):
            return True
        self.taken = self.adjoint and not any(y.faint for y in factors)
        return self.taken

    def left(self, x: "Decimal", other: "Number") -> "Decimal":
        """What is left of this number in a sum or sine, 0 for nothing but rounding."""
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
        if first.rounded and abs(abs(first.x) - 1) < 1e-25:  # where log and log1p end
            type(first).short = True
        gap = abs(abs(found) - 1)
        if not others and abs(first.x) > 9 and gap < 1e-25:  # such as tanh far out
            type(first).size = max(first.size, -gap.adjusted() if gap else 250)
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
            if not isnan(found) or on.__name__ == "pow":
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
