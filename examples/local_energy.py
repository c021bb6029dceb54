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
# digest: 64e871e3f7117318064108c2d7f3a07d

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import hypot, inf, isfinite, isnan, nan
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("x", "zeta", "b")
WRT = ("x", "zeta", "b")


def value(x: Sequence[Sequence[float]], zeta: float, b: float) -> float:
    """Return the value of the formula."""
    try:
        (x_0_0, x_0_1, x_0_2), (x_1_0, x_1_1, x_1_2) = x
    except (TypeError, ValueError):
        raise ValueError("the arguments have other shapes than x: 2 by 3") from None
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
        return careful_value(x, zeta, b)


def value_and_grad(x: Sequence[Sequence[float]], zeta: float, b: float) -> tuple[
    float,
    tuple[tuple[tuple[float, float, float], tuple[float, float, float]], float, float],
]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        (x_0_0, x_0_1, x_0_2), (x_1_0, x_1_1, x_1_2) = x
    except (TypeError, ValueError):
        raise ValueError("the arguments have other shapes than x: 2 by 3") from None
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
        return careful_value_and_grad(x, zeta, b)


IEEE = False
PARTS = {
    (0, "", 0): "12:1: -(curvature + sum(slope^2))/2 - 2/r[0] - 2/r[1] + 1/apart",
    (14, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (15, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (16, "/", 1): "the formula",
    (16, "/", 2): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (20, "/", 1): "7:6: sqrt(sum(u^2))",
    (21, "/", 1): "7:6: sqrt(sum(u^2))",
    (28, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (32, "/", 1): "the formula",
    (33, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (34, "/", 1): "the formula",
    (35, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (37, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (38, "/", 1): "8:9: sqrt(sum((x[0] - x[1])^2))",
    (40, "/", 1): "9:26: apart/(2*(1 + b*apart))",
    (41, "/", 1): "the formula",
    (45, "/", 1): "7:6: sqrt(sum(u^2))",
    (46, "/", 1): "7:6: sqrt(sum(u^2))",
    (46, "/", 2): "7:6: sqrt(sum(u^2))",
    (46, "/", 3): "7:6: sqrt(sum(u^2))",
    (46, "/", 4): "7:6: sqrt(sum(u^2))",
    (46, "/", 5): "7:6: sqrt(sum(u^2))",
    (64, "/", 1): "12:51: 1/apart",
    (64, "/", 2): "12:33: 2/r[0]",
    (64, "/", 3): "12:42: 2/r[1]",
}

# Where Python raises, the functions above run again, in numbers without bounds.

UNBOUNDED = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

# Functions that leave the range of floats, come back to it, or have a pole.
DECIMALS: dict[str, Callable[..., Decimal]] = {}


class Number(Decimal):
    """A number without bounds, infinite or NaN where Python raises."""

    done: list[tuple[int, str]] = []  # the operations of a run, with their lines
    origin = 0  # how many of them there were when it came to be infinite or NaN
    slow = False  # infinite as a logarithm is, which any power outweighs
    faint = False  # 0 as the inverse of an infinity is
    adjoint = False  # of a derivative, in which a factor of 0 contributes nothing


class Adjoint(Number):
    """A number of a derivative."""

    adjoint = True


def operation(symbol: str, compute: Callable[..., Any]) -> Callable[..., Number]:
    """An operation on numbers, which notes how a number comes to be without end."""

    def run(*args: Number) -> Number:
        found = type(args[0])(compute(*args))
        endless = [x for x in args if not x.is_finite()]
        found.done.append((_getframe(1).f_lineno, symbol))
        found.origin = endless[0].origin if endless else len(found.done)
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            found.slow = all(x.slow for x in endless)
        found.faint = found == 0 and (bool(endless) or any(x.faint for x in args))
        return found

    return run


def vanishes(*factors: Number) -> bool:
    """Whether a product that has no value is 0, as one of its factors."""
    faint = any(x.faint for x in factors)
    return any(x.slow for x in factors) or (factors[0].adjoint and not faint)


def product(x: Number, y: Number) -> Decimal:
    opposed = (x == 0 and y.is_infinite()) or (y == 0 and x.is_infinite())
    return Decimal(0) if opposed and vanishes(x, y) else Decimal.__mul__(x, y)


def quotient(x: Number, y: Number) -> Decimal:
    is_zero = x == y == 0 and vanishes(x)
    return Decimal(0) if is_zero else Decimal.__truediv__(x, y)


def function(of_floats: Callable[..., float]) -> Callable[..., Number]:
    """A function of floats as an operation on numbers."""
    name = of_floats.__name__

    def compute(*args: Number) -> Any:
        try:
            found = nan if any(map(isnan, args)) else of_floats(*map(float, args))
        except OverflowError:
            found = inf
        except (ArithmeticError, ValueError):
            found = nan
        if name not in DECIMALS or 1e-307 < abs(found) < inf:
            return found
        return DECIMALS[name](*args)

    return operation(name, compute)


for _name, _symbol, _compute in (
    ("__add__", "+", Decimal.__add__),
    ("__sub__", "-", Decimal.__sub__),
    ("__mul__", "*", product),
    ("__truediv__", "/", quotient),
    ("__neg__", "-", Decimal.__neg__),
):
    setattr(Number, _name, operation(_symbol, _compute))


def mapped(change: Callable[[Any], Any], item: Any) -> Any:
    """A number changed, or the numbers of nested sequences."""
    is_nested = hasattr(item, "__iter__")
    return tuple(mapped(change, x) for x in item) if is_nested else change(item)


def run_again(what: Callable[..., Any], base: type[Number], args: Any) -> Any:
    """Run a function of this module on numbers of a kind, constants included."""
    kind = type(base.__name__, (base,), {"done": []})

    def lifted(item: Any) -> Any:
        if isinstance(item, float):
            return kind(item)
        return function(item) if callable(item) else item

    names, code = what.__globals__, what.__code__
    code = code.replace(co_consts=tuple(map(lifted, code.co_consts)))
    used = {name: lifted(names[name]) for name in code.co_names if name in names}
    with localcontext(UNBOUNDED):
        return FunctionType(code, used)(*mapped(lambda x: kind(float(x)), args))


def part(number: Number) -> str:
    """The part of the formula that made a number infinite or NaN."""
    done = number.done[: number.origin]
    line, symbol = done[-1] if done else (0, "")
    first = value.__code__.co_firstlineno
    starts = [first + n for n, name, _ in PARTS if name == symbol and first + n <= line]
    start = max(starts, default=0)
    count = sum(name == symbol and n >= start for n, name in done)
    return PARTS.get((start - first, symbol, count), PARTS[0, "", 0])


def outside(what: str, found: float, args: Any) -> ValueError:
    """The mistake that something has no finite value."""
    how = "not a real number" if isnan(found) else "infinite"
    at = ", ".join(f"{name} = {x!r}" for name, x in zip(INPUTS, args))
    return ValueError(f"{what} is {how} at {at}")


def careful_value(*args: Any) -> float:
    """The value, wherever it is."""
    number = run_again(value, Number, args)
    found = float(number)
    if not (IEEE or isfinite(found)):
        raise outside(part(number), found, args)
    return found


def careful_value_and_grad(*args: Any) -> tuple[float, Any]:
    """The value and its gradient, wherever they are."""
    first = careful_value(*args)
    gradient = mapped(float, run_again(value_and_grad, Adjoint, args)[1])
    for name, slope in zip(WRT, gradient):
        slopes: list[float] = []
        mapped(slopes.append, slope)
        if any(map(isnan, slopes)) and not IEEE:
            what = f"{PARTS[0, '', 0]}: the derivative by {name}"
            raise outside(what, nan, args)
    return first, gradient
