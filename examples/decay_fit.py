"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # The sum of squared residuals of a decay to a background, for a fit by least squares.
    input height in [0.1, 10], rate in [0.01, 5], background in [-1, 1]
    data t[6] in [0, 10], seen[6] in [-1, 11]

    residual = height*exp(-rate*t) + background - seen
    sum(residual^2)

Arguments:
    height: in [0.1, 10]
    rate: in [0.01, 5]
    background: in [-1, 1]
    t: 6; data, gets no derivative; in [0, 10]
    seen: 6; data, gets no derivative; in [-1, 11]
"""

# Do not edit: change the formula and compile it again.
# digest: 148e07278652b0783222be20c990b0f6

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import exp, inf, isfinite, isnan, nan
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("height", "rate", "background", "t", "seen")
WRT = ("height", "rate", "background")


def value(
    height: float,
    rate: float,
    background: float,
    t: Sequence[float],
    seen: Sequence[float],
) -> float:
    """Return the value of the formula."""
    try:
        t_0, t_1, t_2, t_3, t_4, t_5 = t
        seen_0, seen_1, seen_2, seen_3, seen_4, seen_5 = seen
    except (TypeError, ValueError):
        raise ValueError("the arguments have other shapes than t: 6, seen: 6") from None
    try:
        t1 = -rate
        residual_0 = height * exp(t1 * t_0) + background - seen_0  # height*exp(-rate...
        residual_1 = height * exp(t1 * t_1) + background - seen_1  # height*exp(-rate...
        residual_2 = height * exp(t1 * t_2) + background - seen_2  # height*exp(-rate...
        residual_3 = height * exp(t1 * t_3) + background - seen_3  # height*exp(-rate...
        residual_4 = height * exp(t1 * t_4) + background - seen_4  # height*exp(-rate...
        residual_5 = height * exp(t1 * t_5) + background - seen_5  # height*exp(-rate...
        t2 = (
            residual_0 * residual_0
            + residual_1 * residual_1
            + residual_2 * residual_2
            + residual_3 * residual_3
            + residual_4 * residual_4
            + residual_5 * residual_5
        )  # sum(residual^2)
        return t2
    except (ArithmeticError, ValueError):
        return careful_value(height, rate, background, t, seen)


def value_and_grad(
    height: float,
    rate: float,
    background: float,
    t: Sequence[float],
    seen: Sequence[float],
) -> tuple[float, tuple[float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t_0, t_1, t_2, t_3, t_4, t_5 = t
        seen_0, seen_1, seen_2, seen_3, seen_4, seen_5 = seen
    except (TypeError, ValueError):
        raise ValueError("the arguments have other shapes than t: 6, seen: 6") from None
    try:
        t1 = -rate
        t2 = exp(t1 * t_0)  # exp(-rate*t)
        t3 = exp(t1 * t_1)  # exp(-rate*t)
        t4 = exp(t1 * t_2)  # exp(-rate*t)
        t5 = exp(t1 * t_3)  # exp(-rate*t)
        t6 = exp(t1 * t_4)  # exp(-rate*t)
        t7 = exp(t1 * t_5)  # exp(-rate*t)
        residual_0 = height * t2 + background - seen_0  # height*exp(-rate*t) + backg...
        residual_1 = height * t3 + background - seen_1  # height*exp(-rate*t) + backg...
        residual_2 = height * t4 + background - seen_2  # height*exp(-rate*t) + backg...
        residual_3 = height * t5 + background - seen_3  # height*exp(-rate*t) + backg...
        residual_4 = height * t6 + background - seen_4  # height*exp(-rate*t) + backg...
        residual_5 = height * t7 + background - seen_5  # height*exp(-rate*t) + backg...
        t1 = (
            residual_0 * residual_0
            + residual_1 * residual_1
            + residual_2 * residual_2
            + residual_3 * residual_3
            + residual_4 * residual_4
            + residual_5 * residual_5
        )  # sum(residual^2)
        t8 = residual_0 * t2
        t2 = residual_1 * t3
        t3 = residual_2 * t4
        t4 = residual_3 * t5
        t5 = residual_4 * t6
        t6 = residual_5 * t7
        t7 = t8 * t_0 + t2 * t_1 + t3 * t_2 + t4 * t_3 + t5 * t_4 + t6 * t_5
        t9 = residual_0 + residual_1 + residual_2 + residual_3 + residual_4 + residual_5
        return t1, (2.0 * (t8 + t2 + t3 + t4 + t5 + t6), -2.0 * t7 * height, 2.0 * t9)
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(height, rate, background, t, seen)


IEEE = False
PARTS = {
    (0, "", 0): "6:1: sum(residual^2)",
    (15, "exp", 1): "5:19: exp(-rate*t)",
    (16, "exp", 1): "5:19: exp(-rate*t)",
    (17, "exp", 1): "5:19: exp(-rate*t)",
    (18, "exp", 1): "5:19: exp(-rate*t)",
    (19, "exp", 1): "5:19: exp(-rate*t)",
    (20, "exp", 1): "5:19: exp(-rate*t)",
}

# Where Python raises, the functions above run again, in numbers without bounds.

UNBOUNDED = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

# Functions that leave the range of floats, come back to it, or have a pole.
DECIMALS: dict[str, Callable[..., Decimal]] = {
    "exp": Decimal.exp,
}


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
