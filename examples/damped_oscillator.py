"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # How far one reading lies from a damped oscillation, squared.
    # Summed over the readings, this is what a least-squares fit makes small.
    input amplitude in (0, 5], rate in [0, 2], frequency in (0, 2], phase in [-pi, pi]
    data t in [0, 10], reading in [-5, 5]

    model = amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase)
    (model - reading)^2

Arguments:
    amplitude: in (0, 5]
    rate: in [0, 2]
    frequency: in (0, 2]
    phase: in [-3.141592653589793, 3.141592653589793]
    t: data, gets no derivative; in [0, 10]
    reading: data, gets no derivative; in [-5, 5]
"""

# Do not edit: change the formula and compile it again.
# digest: c8946a1dbfe8baf0ea2fa77a296ac2ae

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import cos, exp, inf, isfinite, isnan, nan, pi, sin
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("amplitude", "rate", "frequency", "phase", "t", "reading")
WRT = ("amplitude", "rate", "frequency", "phase")

_C1 = 2.0 * pi


def value(
    amplitude: float,
    rate: float,
    frequency: float,
    phase: float,
    t: float,
    reading: float,
) -> float:
    """Return the value of the formula."""
    try:
        t1 = cos(t * _C1 * frequency + phase)  # cos(2*pi*frequency*t + phase)
        model = amplitude * exp(-rate * t) * t1  # amplitude*exp(-rate*t)*cos(2*pi*fr...
        t2 = model - reading
        return t2 * t2
    except (ArithmeticError, ValueError):
        return careful_value(amplitude, rate, frequency, phase, t, reading)


def value_and_grad(
    amplitude: float,
    rate: float,
    frequency: float,
    phase: float,
    t: float,
    reading: float,
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t1 = exp(-rate * t)  # exp(-rate*t)
        t2 = t * _C1
        t3 = t2 * frequency + phase  # 2*pi*frequency*t + phase
        t4 = cos(t3)  # cos(2*pi*frequency*t + phase)
        t5 = amplitude * t1
        model = t5 * t4  # amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase)
        t6 = model - reading
        t7 = -2.0 * t6
        d_phase = t7 * t5 * sin(t3)  # d(cos(2*pi*frequency*t + phase))
        return t6 * t6, (2.0 * t6 * t4 * t1, t7 * model * t, t2 * d_phase, d_phase)
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(amplitude, rate, frequency, phase, t, reading)


CHECKS = ()
IEEE = False
PARTS = {
    (0, "", 0): "7:1: (model - reading)^2",
    (11, "exp", 1): "6:19: exp(-rate*t)",
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
