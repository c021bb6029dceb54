"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Energy of three noble-gas atoms in a plane, in units of the depth of the pair
    # potential and its zero (Lennard-Jones, 1924). The forces are minus the gradient.
    input x1, y1, x2, y2, x3, y3 in [-3, 3]

    well(s) = 4*(s^6 - s^3)       # s is the inverse square of the distance
    pair(ax, ay, bx, by) = well(1/((ax - bx)^2 + (ay - by)^2))

    pair(x1, y1, x2, y2) + pair(x2, y2, x3, y3) + pair(x3, y3, x1, y1)

Arguments:
    x1: in [-3, 3]
    y1: in [-3, 3]
    x2: in [-3, 3]
    y2: in [-3, 3]
    x3: in [-3, 3]
    y3: in [-3, 3]
"""

# Do not edit: change the formula and compile it again.
# digest: d6c6bc62b274093421dcbdb886b4400d

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import inf, isfinite, isnan, nan
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("x1", "y1", "x2", "y2", "x3", "y3")
WRT = ("x1", "y1", "x2", "y2", "x3", "y3")


def value(x1: float, y1: float, x2: float, y2: float, x3: float, y3: float) -> float:
    """Return the value of the formula."""
    try:
        t1 = x1 - x2  # ax - bx
        t2 = y1 - y2  # ay - by
        t3 = 1.0 / (t1 * t1 + t2 * t2)  # 1/((ax - bx)^2 + (ay - by)^2)
        t4 = t3 * t3 * t3  # 4*(s^6 - s^3)
        t5 = x2 - x3  # ax - bx
        t6 = y2 - y3  # ay - by
        t7 = 1.0 / (t5 * t5 + t6 * t6)  # 1/((ax - bx)^2 + (ay - by)^2)
        t8 = t7 * t7 * t7  # 4*(s^6 - s^3)
        t9 = x3 - x1  # ax - bx
        t10 = y3 - y1  # ay - by
        t11 = 1.0 / (t9 * t9 + t10 * t10)  # 1/((ax - bx)^2 + (ay - by)^2)
        t12 = t11 * t11 * t11  # 4*(s^6 - s^3)
        t13 = t4 * t4 - t4 + (t8 * t8 - t8) + (t12 * t12 - t12)  # pair(x1, y1, x2, y...
        return 4.0 * t13
    except (ArithmeticError, ValueError):
        return careful_value(x1, y1, x2, y2, x3, y3)


def value_and_grad(
    x1: float, y1: float, x2: float, y2: float, x3: float, y3: float
) -> tuple[float, tuple[float, float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t1 = x1 - x2  # ax - bx
        t2 = y1 - y2  # ay - by
        t3 = 1.0 / (t1 * t1 + t2 * t2)  # 1/((ax - bx)^2 + (ay - by)^2)
        t4 = t3 * t3  # 4*(s^6 - s^3)
        t5 = t4 * t3  # 4*(s^6 - s^3)
        t3 = x2 - x3  # ax - bx
        t6 = y2 - y3  # ay - by
        t7 = 1.0 / (t3 * t3 + t6 * t6)  # 1/((ax - bx)^2 + (ay - by)^2)
        t8 = t7 * t7  # 4*(s^6 - s^3)
        t9 = t8 * t7  # 4*(s^6 - s^3)
        t7 = x3 - x1  # ax - bx
        t10 = y3 - y1  # ay - by
        t11 = 1.0 / (t7 * t7 + t10 * t10)  # 1/((ax - bx)^2 + (ay - by)^2)
        t12 = t11 * t11  # 4*(s^6 - s^3)
        t13 = t12 * t11  # 4*(s^6 - s^3)
        t11 = t12 * t12 * (24.0 - 48.0 * t13)  # d((ay - by)^2)
        t12 = t11 * t10  # d((ay - by)^2)
        t10 = t11 * t7  # d((ax - bx)^2)
        t7 = t8 * t8 * (24.0 - 48.0 * t9)  # d((ay - by)^2)
        t8 = t7 * t6  # d((ay - by)^2)
        t6 = t7 * t3  # d((ax - bx)^2)
        t7 = t4 * t4 * (24.0 - 48.0 * t5)  # d((ay - by)^2)
        t4 = t7 * t2  # d((ay - by)^2)
        t2 = t7 * t1  # d((ax - bx)^2)
        t7 = t5 * t5 - t5 + (t9 * t9 - t9) + (t13 * t13 - t13)  # pair(x1, y1, x2, y2...
        return 4.0 * t7, (t2 - t10, t4 - t12, t6 - t2, t8 - t4, t10 - t6, t12 - t8)
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(x1, y1, x2, y2, x3, y3)


IEEE = False
PARTS = {
    (0, "", 0): "8:1: pair(x1, y1, x2, y2) + pair(x2, y2, x3, y3) + pair(x3, y3, x1...",
    (5, "/", 1): "6:29: 1/((ax - bx)^2 + (ay - by)^2)",
    (9, "/", 1): "6:29: 1/((ax - bx)^2 + (ay - by)^2)",
    (13, "/", 1): "6:29: 1/((ax - bx)^2 + (ay - by)^2)",
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
