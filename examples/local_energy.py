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
# digest: c8b5da9936536544162702afdcec3e4b

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
        t4 = 1.0 + b * apart  # 1 + b*apart
        t5 = apart / t4  # apart/(2*(1 + b*apart))
        t6 = 1.0 / t4  # d(apart/(2*(1 + b*apart)))
        t7 = 1.0 / (t4 * t4) / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t8 = t7 * t3  # d((x[0] - x[1])^2)
        t9 = t7 * t2  # d((x[0] - x[1])^2)
        t10 = t7 * t1  # d((x[0] - x[1])^2)
        t11 = zeta / r_1  # d(sqrt(sum(u^2)))
        t12 = zeta / r_0  # d(sqrt(sum(u^2)))
        slope_1_2 = -0.5 * t8 - t11 * x_1_2  # d(x)
        slope_1_1 = -0.5 * t9 - t11 * x_1_1  # d(x)
        slope_1_0 = -0.5 * t10 - t11 * x_1_0  # d(x)
        slope_0_2 = 0.5 * t8 - t12 * x_0_2  # d(x)
        slope_0_1 = 0.5 * t9 - t12 * x_0_1  # d(x)
        slope_0_0 = 0.5 * t10 - t12 * x_0_0  # d(x)
        t10 = t1 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t9 = apart * t4  # d(apart/(2*(1 + b*apart)))
        t4 = t6 * t6
        t6 = t10 * b * t4  # d(apart/(2*(1 + b*apart)))
        t8 = 0.5 / apart
        t13 = b * (t6 * t5 - t1 / t9 * t4)  # d(sqrt(sum((x[0] - x[1])^2)))
        t14 = t12 / r_0
        t15 = t2 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t16 = t15 * b * t4  # d(apart/(2*(1 + b*apart)))
        t17 = b * (t16 * t5 - t2 / t9 * t4)  # d(sqrt(sum((x[0] - x[1])^2)))
        t18 = t3 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t19 = t18 * b * t4  # d(apart/(2*(1 + b*apart)))
        t20 = b * (t19 * t5 - t3 / t9 * t4)  # d(sqrt(sum((x[0] - x[1])^2)))
        t9 = t11 / r_1
        t5 = t8 * (t13 - (t6 + t10 * t7)) * t1
        t6 = t8 * (t17 - (t16 + t15 * t7)) * t2
        t2 = t8 * (t20 - (t19 + t18 * t7)) * t3
        t8 = x_0_0 / r_0 * t14 * x_0_0
        t3 = (
            t8
            + x_0_1 / r_0 * t14 * x_0_1
            + x_0_2 / r_0 * t14 * x_0_2
            + x_1_0 / r_1 * t9 * x_1_0
            + x_1_1 / r_1 * t9 * x_1_1
            + x_1_2 / r_1 * t9 * x_1_2
        )
        t9 = (
            slope_0_0 * slope_0_0
            + slope_0_1 * slope_0_1
            + slope_0_2 * slope_0_2
            + slope_1_0 * slope_1_0
            + slope_1_1 * slope_1_1
            + slope_1_2 * slope_1_2
        )
        t8 = 2.0 * (t5 + 1.5 * t7 + t6 + t2)
        t7 = 0.5 * (t8 - 3.0 * (t12 + t11) + t3 + t9)
        return 1.0 / apart - t7 - 2.0 * (1.0 / r_0 + 1.0 / r_1)
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
        t4 = 1.0 + b * apart  # 1 + b*apart
        t5 = apart / t4  # apart/(2*(1 + b*apart))
        t6 = 1.0 / t4  # d(apart/(2*(1 + b*apart)))
        t7 = 1.0 / (t4 * t4)
        t8 = t7 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t9 = t8 * t3  # d((x[0] - x[1])^2)
        t10 = t8 * t2  # d((x[0] - x[1])^2)
        t11 = t8 * t1  # d((x[0] - x[1])^2)
        t12 = zeta / r_1  # d(sqrt(sum(u^2)))
        t13 = zeta / r_0  # d(sqrt(sum(u^2)))
        slope_1_2 = -0.5 * t9 - t12 * x_1_2  # d(x)
        slope_1_1 = -0.5 * t10 - t12 * x_1_1  # d(x)
        slope_1_0 = -0.5 * t11 - t12 * x_1_0  # d(x)
        slope_0_2 = 0.5 * t9 - t13 * x_0_2  # d(x)
        slope_0_1 = 0.5 * t10 - t13 * x_0_1  # d(x)
        slope_0_0 = 0.5 * t11 - t13 * x_0_0  # d(x)
        t11 = x_0_0 / r_0  # d(sqrt(sum(u^2)))
        t10 = t1 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t9 = t10 * b  # d(b*apart)
        t14 = apart * t4  # d(apart/(2*(1 + b*apart)))
        t15 = t1 / t14  # d(apart/(2*(1 + b*apart)))
        t16 = t6 * t6
        t17 = t9 * t16  # d(apart/(2*(1 + b*apart)))
        t18 = t15 * t16
        t19 = t17 * t5 - t18  # d(2*(1 + b*apart))
        t20 = t10 * t8  # d(sqrt(sum((x[0] - x[1])^2)))
        t21 = 0.5 / apart
        t22 = t21 * (b * t19 - (t17 + t20))  # d(sqrt(sum((x[0] - x[1])^2)))
        t23 = t13 / r_0
        t24 = t11 * t23  # d(sqrt(sum(u^2)))
        t25 = x_0_1 / r_0  # d(sqrt(sum(u^2)))
        t26 = t2 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t27 = t26 * b  # d(b*apart)
        t28 = t2 / t14  # d(apart/(2*(1 + b*apart)))
        t29 = t27 * t16  # d(apart/(2*(1 + b*apart)))
        t30 = t28 * t16
        t31 = t29 * t5 - t30  # d(2*(1 + b*apart))
        t32 = t26 * t8  # d(sqrt(sum((x[0] - x[1])^2)))
        t33 = t21 * (b * t31 - (t29 + t32))  # d(sqrt(sum((x[0] - x[1])^2)))
        t34 = t25 * t23  # d(sqrt(sum(u^2)))
        t35 = x_0_2 / r_0  # d(sqrt(sum(u^2)))
        t36 = t3 / apart  # d(sqrt(sum((x[0] - x[1])^2)))
        t37 = t36 * b  # d(b*apart)
        t38 = t3 / t14  # d(apart/(2*(1 + b*apart)))
        t39 = t37 * t16  # d(apart/(2*(1 + b*apart)))
        t40 = t38 * t16
        t16 = t39 * t5 - t40  # d(2*(1 + b*apart))
        t41 = t36 * t8  # d(sqrt(sum((x[0] - x[1])^2)))
        t42 = t21 * (b * t16 - (t39 + t41))  # d(sqrt(sum((x[0] - x[1])^2)))
        t21 = t35 * t23  # d(sqrt(sum(u^2)))
        t23 = x_1_0 / r_1  # d(sqrt(sum(u^2)))
        t43 = t12 / r_1
        t44 = t23 * t43  # d(sqrt(sum(u^2)))
        t45 = x_1_1 / r_1  # d(sqrt(sum(u^2)))
        t46 = t45 * t43  # d(sqrt(sum(u^2)))
        t47 = x_1_2 / r_1  # d(sqrt(sum(u^2)))
        t48 = t47 * t43  # d(sqrt(sum(u^2)))
        t43 = 1.0 / r_0  # 2/r[0]
        t49 = 1.0 / r_1  # 2/r[1]
        t50 = 1.0 / apart  # 1/apart
        t51 = t39 / t14  # d(apart/(2*(1 + b*apart)))
        t52 = t29 / t14  # d(apart/(2*(1 + b*apart)))
        t53 = t17 / t14  # d(apart/(2*(1 + b*apart)))
        t14 = t53 * t15 + t52 * t28 + t51 * t38  # d(apart/(2*(1 + b*apart)))
        t54 = t14 * apart  # d(apart/(2*(1 + b*apart)))
        t55 = -1.5 - slope_0_2 * x_0_2 - slope_0_1 * x_0_1 - slope_0_0 * x_0_0
        t56 = 2.0 * t55 + t11 * t11 + t25 * t25 + t35 * t35  # d(sqrt(sum(u^2)))
        t55 = t56 * t43  # d(sqrt(sum(u^2)))
        t56 = -1.5 - slope_1_2 * x_1_2 - slope_1_1 * x_1_1 - slope_1_0 * x_1_0
        t57 = 2.0 * t56 + t23 * t23 + t45 * t45 + t47 * t47  # d(sqrt(sum(u^2)))
        t56 = t57 * t49  # d(sqrt(sum(u^2)))
        t57 = slope_1_0 - slope_0_0  # d((x[0] - x[1])^2)
        t58 = slope_1_1 - slope_0_1  # d((x[0] - x[1])^2)
        t59 = slope_1_2 - slope_0_2  # d((x[0] - x[1])^2)
        t60 = t59 * t3 + t58 * t2 + t57 * t1 - 3.0 + t10 * t10 + t26 * t26 + t36 * t36
        t61 = t60 * t50  # d(sqrt(sum((x[0] - x[1])^2)))
        t60 = 0.5 * t56 * t12 + t23 * t44 + t45 * t46 + t47 * t48 + 2.0 * (t49 * t49)
        t62 = 0.5 * t55 * t13 + t11 * t24 + t25 * t34 + t35 * t21 + 2.0 * (t43 * t43)
        t63 = t50 * (t41 + t40 * b)  # d(sqrt(sum((x[0] - x[1])^2)))
        t41 = t50 * (t32 + t30 * b)  # d(sqrt(sum((x[0] - x[1])^2)))
        t32 = t50 * (t20 + t18 * b)  # d(sqrt(sum((x[0] - x[1])^2)))
        t20 = (t9 * t17 + t27 * t29 + t37 * t39) * t6
        t9 = t20 * t5 - 2.0 * t61 * t6 * t7 - t54
        t7 = t54 + t17 * t15 * t6 + t29 * t28 * t6 + t39 * t38 * t6  # d(1 + b*apart)
        t6 = 0.5 * t9 - t7  # d(1 + b*apart)
        t9 = t20 + t14 * t4 + t61 * t8 + (t32 * t10 + t41 * t26 + t63 * t36)
        t61 = t6 * b + t10 * t22 + t26 * t33 + t36 * t42 - t50 * t50 - 0.5 * t9
        t9 = 0.5 * (t63 + (t51 + t59 * t8))
        t63 = t9 + (t61 * t36 - t42)  # d(x[0] - x[1])
        t9 = 0.5 * (t41 + (t52 + t58 * t8))
        t58 = t9 + (t61 * t26 - t33)  # d(x[0] - x[1])
        t9 = 0.5 * (t32 + (t53 + t57 * t8))
        t57 = t9 + (t61 * t10 - t22)  # d(x[0] - x[1])
        t9 = t22 * t1 + 1.5 * t8 + t33 * t2 + t42 * t3
        t8 = (
            t24 * x_0_0
            + t34 * x_0_1
            + t21 * x_0_2
            + t44 * x_1_0
            + t46 * x_1_1
            + t48 * x_1_2
        )
        t42 = (
            slope_0_0 * slope_0_0
            + slope_0_1 * slope_0_1
            + slope_0_2 * slope_0_2
            + slope_1_0 * slope_1_0
            + slope_1_1 * slope_1_1
            + slope_1_2 * slope_1_2
        )
        t33 = 2.0 * t9 - 3.0 * (t13 + t12) + t8 + t42
        t9 = t18 * t10 + t30 * t26 + t40 * t36 - t10 * t19 - t26 * t31 - t36 * t16
        return t50 - 0.5 * t33 - 2.0 * (t43 + t49), (
            (
                (
                    t57 - t24 + t62 * t11 + slope_0_0 * t13,
                    t58 - t34 + t62 * t25 + slope_0_1 * t13,
                    t63 - t21 + t62 * t35 + slope_0_2 * t13,
                ),
                (
                    t60 * t23 - t44 - t57 + slope_1_0 * t12,
                    t60 * t45 - t46 - t58 + slope_1_1 * t12,
                    t60 * t47 - t48 - t63 + slope_1_2 * t12,
                ),
            ),
            -0.5 * (t56 + t55),
            t6 * apart + 0.5 * t9,
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
    (15, "/", 1): "the formula",
    (15, "/", 2): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (19, "/", 1): "7:6: sqrt(sum(u^2))",
    (20, "/", 1): "7:6: sqrt(sum(u^2))",
    (27, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (31, "/", 1): "the formula",
    (32, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (33, "/", 1): "the formula",
    (34, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (36, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (37, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (39, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (40, "/", 1): "the formula",
    (44, "/", 1): "7:6: sqrt(sum(u^2))",
    (45, "/", 1): "7:6: sqrt(sum(u^2))",
    (45, "/", 2): "7:6: sqrt(sum(u^2))",
    (45, "/", 3): "7:6: sqrt(sum(u^2))",
    (45, "/", 4): "7:6: sqrt(sum(u^2))",
    (45, "/", 5): "7:6: sqrt(sum(u^2))",
    (63, "/", 1): "12:51: 1/apart",
    (63, "/", 2): "12:33: 2/r[0]",
    (63, "/", 3): "12:42: 2/r[1]",
}
CHECKS = (elements, number)

# Where Python raises, the functions above run again, in numbers without bounds.


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
    """Run a function of this module on numbers without bounds, constants included."""
    from decimal import MAX_EMAX, MIN_EMIN, Context, localcontext

    kind = type("Number", (Number,), {"done": [], "adjoint": adjoint})

    def lifted(item: "Any") -> "Any":
        if item in CHECKS:
            return lambda *given: numbers(item(*given))
        if callable(item):
            return function(item)
        return kind(item) if isinstance(item, float) else item

    def numbers(found: "Any") -> "Any":
        is_one = isinstance(found, float)
        return kind(found) if is_one else [kind(float(x)) for x in found]

    code, names = what.__code__, what.__globals__
    used = {name: names[name] for name in code.co_names if name in names}
    given: "Any" = (kind(float(x)) for x in args)
    if any(item in CHECKS for item in used.values()):
        given = args
    code = code.replace(co_consts=tuple(map(lifted, code.co_consts)))
    used = {name: lifted(item) for name, item in used.items()}
    with localcontext(Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])):
        return type(what)(code, used)(*given)


class Number:
    """A number without bounds, infinite or NaN where Python raises."""

    done: "list[tuple[int, str]]"  # the operations of a run, with their lines
    adjoint: bool  # of a derivative, in which a factor of 0 contributes nothing
    origin = 0  # how many operations were done when it came to be infinite or NaN
    slow = False  # infinite as a logarithm is, which any power outweighs
    faint = False  # 0 as the inverse of an infinity is

    def __init__(self, x: "Decimal | float") -> None:
        from decimal import Decimal

        self.x = Decimal(x)

    def __float__(self) -> float:
        return float(self.x)

    def found(self, symbol: str, x: "Decimal | float", *others: "Number") -> "Number":
        """The result of an operation on this and other numbers."""
        args = (self, *others)
        new = type(self)(x)
        endless = [y for y in args if not y.x.is_finite()]
        self.done.append((_getframe(2).f_lineno, symbol))
        new.origin = endless[0].origin if endless else len(self.done)
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            new.slow = all(y.slow for y in endless)
        new.faint = not new.x and (bool(endless) or any(y.faint for y in args))
        return new

    def vanishes(self, *others: "Number") -> bool:
        """Whether a product or quotient that has no value is 0, as one of its factors."""
        factors = (self, *others)
        faint = any(y.faint for y in factors)
        return any(y.slow for y in factors) or (self.adjoint and not faint)

    def __add__(self, other: "Number") -> "Number":
        return self.found("+", self.x + other.x, other)

    def __sub__(self, other: "Number") -> "Number":
        return self.found("-", self.x - other.x, other)

    def __mul__(self, other: "Number") -> "Number":
        low, high = sorted((abs(self.x), abs(other.x)))
        is_zero = low == 0 and high == inf and self.vanishes(other)
        return self.found("*", low if is_zero else self.x * other.x, other)

    def __truediv__(self, other: "Number") -> "Number":
        is_zero = self.x == other.x == 0 and self.vanishes()
        return self.found("/", self.x if is_zero else self.x / other.x, other)


def function(on: "Callable[..., float]") -> "Callable[..., Number]":
    """A function on floats as one on numbers."""
    name = on.__name__

    def of_decimals(*args: "Decimal") -> "Decimal | float":
        try:
            found = nan if any(map(isnan, args)) else on(*map(float, args))
        except OverflowError:
            found = inf
        except (ArithmeticError, ValueError):
            found = nan
        return found

    def run(*args: Number) -> Number:
        first, *others = args
        return first.found(name, of_decimals(*(y.x for y in args)), *others)

    return run
