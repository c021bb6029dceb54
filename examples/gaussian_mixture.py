"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Minus the log-likelihood of one observation under a mixture of two normal
    # distributions.
    input weight in (0, 1), mean1, mean2 in [-10, 10], sd1, sd2 in [0.1, 5]
    data x in [-10, 10]

    part(w, mean, sd) = log(w/sd) - ((x - mean)/sd)^2/2
    log(2*pi)/2 - logsumexp(part(weight, mean1, sd1), part(1 - weight, mean2, sd2))

Arguments:
    weight: in (0, 1)
    mean1: in [-10, 10]
    mean2: in [-10, 10]
    sd1: in [0.1, 5]
    sd2: in [0.1, 5]
    x: data, gets no derivative; in [-10, 10]
"""

# Do not edit: change the formula and compile it again.
# digest: d7861abe9b817a0f402dd93e50de85c9

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import exp, inf, isfinite, isnan, log, log1p, nan, pi
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("weight", "mean1", "mean2", "sd1", "sd2", "x")
WRT = ("weight", "mean1", "mean2", "sd1", "sd2")

_C1 = 0.5 * log(2.0 * pi)


def value(
    weight: float, mean1: float, mean2: float, sd1: float, sd2: float, x: float
) -> float:
    """Return the value of the formula."""
    try:
        t1 = (x - mean1) / sd1  # (x - mean)/sd
        t2 = log(weight / sd1) - 0.5 * (t1 * t1)  # log(w/sd) - ((x - mean)/sd)^2/2
        t3 = (x - mean2) / sd2  # (x - mean)/sd
        t4 = log((1.0 - weight) / sd2) - 0.5 * (t3 * t3)  # log(w/sd) - ((x - mean)/s...
        t5 = max(t2, t4)  # logsumexp(part(weight, mean1, sd1), part(1 - weight, mean...
        t6 = exp(t4 - t5) if t2 == t5 else exp(t2 - t5)  # logsumexp(part(weight, mea...
        return _C1 - (t5 + log1p(t6))
    except (ArithmeticError, ValueError):
        return careful_value(weight, mean1, mean2, sd1, sd2, x)


def value_and_grad(
    weight: float, mean1: float, mean2: float, sd1: float, sd2: float, x: float
) -> tuple[float, tuple[float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t1 = weight / sd1  # w/sd
        t2 = (x - mean1) / sd1  # (x - mean)/sd
        t3 = log(t1) - 0.5 * (t2 * t2)  # log(w/sd) - ((x - mean)/sd)^2/2
        t4 = 1.0 - weight  # w/sd
        t5 = t4 / sd2  # w/sd
        t6 = (x - mean2) / sd2  # (x - mean)/sd
        t7 = log(t5) - 0.5 * (t6 * t6)  # log(w/sd) - ((x - mean)/sd)^2/2
        t8 = max(t3, t7)  # logsumexp(part(weight, mean1, sd1), part(1 - weight, mean...
        t9 = exp(t3 - t8)  # logsumexp(part(weight, mean1, sd1), part(1 - weight, mea...
        t10 = exp(t7 - t8)  # logsumexp(part(weight, mean1, sd1), part(1 - weight, me...
        t11 = t10 if t3 == t8 else t9  # logsumexp(part(weight, mean1, sd1), part(1 -...
        t12 = -1.0 - t11
        t13 = t9 / t12  # d(logsumexp(part(weight, mean1, sd1), part(1 - weight, mean...
        t14 = t10 / t12  # d(logsumexp(part(weight, mean1, sd1), part(1 - weight, mea...
        d_mean2 = t14 * t6 / sd2  # d((x - mean)/sd)
        t15 = t14 / t4  # d(w/sd)
        d_mean1 = t13 * t2 / sd1  # d((x - mean)/sd)
        t16 = t13 / weight  # d(w/sd)
        return _C1 - (t8 + log1p(t11)), (
            t16 - t15,
            d_mean1,
            d_mean2,
            d_mean1 * t2 - t16 * t1,
            d_mean2 * t6 - t15 * t5,
        )
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(weight, mean1, mean2, sd1, sd2, x)


CHECKS = ()
IEEE = False
PARTS = {
    (0, "", 0): "7:1: log(2*pi)/2 - logsumexp(part(weight, mean1, sd1), part(1 - we...",
    (5, "/", 1): "6:34: (x - mean)/sd",
    (6, "/", 1): "6:25: w/sd",
    (6, "log", 1): "6:21: log(w/sd)",
    (7, "/", 1): "6:34: (x - mean)/sd",
    (8, "/", 1): "6:25: w/sd",
    (8, "log", 1): "6:21: log(w/sd)",
    (10, "exp", 1): "7:15: logsumexp(part(weight, mean1, sd1), part(1 - weight, mea...",
    (10, "exp", 2): "7:15: logsumexp(part(weight, mean1, sd1), part(1 - weight, mea...",
    (11, "log1p", 1): "7:15: logsumexp(part(weight, mean1, sd1), part(1 - weight, m...",
}

# Where Python raises, the functions above run again, in numbers without bounds.

UNBOUNDED = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

# Functions that leave the range of floats, come back to it, or have a pole.
DECIMALS: dict[str, Callable[..., Decimal]] = {
    "exp": Decimal.exp,
    "log": lambda x, *base: x.ln() / base[0].ln() if base else x.ln(),
    "log1p": lambda x: (1 + x).ln(),
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
        if item in CHECKS:
            return lambda *args: mapped(kind, item(*args))
        return function(item) if callable(item) else item

    names, code = what.__globals__, what.__code__
    code = code.replace(co_consts=tuple(map(lifted, code.co_consts)))
    used = {name: lifted(names[name]) for name in code.co_names if name in names}
    with localcontext(UNBOUNDED):
        return FunctionType(code, used)(
            *(x if hasattr(x, "__iter__") else kind(float(x)) for x in args)
        )


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
