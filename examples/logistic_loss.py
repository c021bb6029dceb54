"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Surprise of a logistic classifier at one example whose label is 0 or 1:
    # minus the logarithm of the probability that it gave to the label.
    input w1, w2, bias in [-10, 10]
    data x1, x2 in [-10, 10], label in [0, 1]

    score = w1*x1 + w2*x2 + bias
    label*softplus(-score) + (1 - label)*softplus(score)

Arguments:
    w1: in [-10, 10]
    w2: in [-10, 10]
    bias: in [-10, 10]
    x1: data, gets no derivative; in [-10, 10]
    x2: data, gets no derivative; in [-10, 10]
    label: data, gets no derivative; in [0, 1]
"""

# Do not edit: change the formula and compile it again.
# digest: fb2332f4ff96269d2948d0cae8aa8f7c

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import exp, inf, isfinite, isnan, log1p, nan
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("w1", "w2", "bias", "x1", "x2", "label")
WRT = ("w1", "w2", "bias")


def value(
    w1: float, w2: float, bias: float, x1: float, x2: float, label: float
) -> float:
    """Return the value of the formula."""
    try:
        score = w1 * x1 + w2 * x2 + bias  # w1*x1 + w2*x2 + bias
        t1 = -score  # softplus(-score)
        t2 = t1 >= 0.0  # softplus(-score)
        t3 = score >= 0.0  # softplus(score)
        if not t3 or t2:
            t4 = log1p(exp(score))  # softplus(-score)
        if t3 or not t2:
            t5 = log1p(exp(t1))  # softplus(-score)
        if t2:
            t6 = t4 - score  # softplus(-score)
        else:
            t6 = t5
        if t3:
            t7 = score + t5  # softplus(score)
        else:
            t7 = t4
        return label * t6 + (1.0 - label) * t7
    except (ArithmeticError, ValueError):
        return careful_value(w1, w2, bias, x1, x2, label)


def value_and_grad(
    w1: float, w2: float, bias: float, x1: float, x2: float, label: float
) -> tuple[float, tuple[float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        score = w1 * x1 + w2 * x2 + bias  # w1*x1 + w2*x2 + bias
        t1 = -score  # softplus(-score)
        t2 = t1 >= 0.0  # softplus(-score)
        t3 = 1.0 - label  # 1 - label
        t4 = score >= 0.0  # softplus(score)
        if t2 or not t4:
            t5 = exp(score)  # softplus(-score)
            t6 = log1p(t5)  # softplus(-score)
            t7 = 1.0 + t5  # d(softplus(score))
        if not t2 or t4:
            t8 = exp(t1)  # softplus(-score)
            t9 = log1p(t8)  # softplus(-score)
            t10 = 1.0 / (1.0 + t8)  # d(softplus(score))
        if t2:
            t11 = t6 - score  # softplus(-score)
            t12 = 1.0 / t7  # d(softplus(-score))
        else:
            t11 = t9
            t12 = t8 * t10  # d(softplus(-score))
        if t4:
            t13 = score + t9  # softplus(score)
            t14 = t10
        else:
            t13 = t6
            t14 = t5 / t7  # d(softplus(score))
        d_bias = t3 * t14 - label * t12  # d(w1*x1 + w2*x2 + bias)
        return label * t11 + t3 * t13, (d_bias * x1, d_bias * x2, d_bias)
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(w1, w2, bias, x1, x2, label)


CHECKS = ()
IEEE = False
PARTS = {
    (0, "", 0): "7:1: label*softplus(-score) + (1 - label)*softplus(score)",
    (10, "exp", 1): "7:7: softplus(-score)",
    (10, "log1p", 1): "7:7: softplus(-score)",
    (12, "exp", 1): "7:7: softplus(-score)",
    (12, "log1p", 1): "7:7: softplus(-score)",
}

# Where Python raises, the functions above run again, in numbers without bounds.

UNBOUNDED = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

# Functions that leave the range of floats, come back to it, or have a pole.
DECIMALS: dict[str, Callable[..., Decimal]] = {
    "exp": Decimal.exp,
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
