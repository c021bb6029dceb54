"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Drag on a sphere in a stream, newtons (Schiller and Naumann, 1935).
    input speed in [1e-4, 10]     # metres a second
    input diameter in [1e-4, 0.1]
    data density in [1, 2000]
    data viscosity in [1e-5, 1]

    reynolds = density*speed*diameter/viscosity
    coefficient = piecewise(
        (24/reynolds, reynolds < 0.1),                              # Stokes
        (24/reynolds*(1 + 0.15*reynolds^0.687), reynolds < 1000),
        0.44                                                        # Newton
    )
    coefficient * density*speed^2/2 * pi*diameter^2/4

Arguments:
    speed: in [0.0001, 10]
    diameter: in [0.0001, 0.1]
    density: data, gets no derivative; in [1, 2000]
    viscosity: data, gets no derivative; in [1e-05, 1]
"""

# Do not edit: change the formula and compile it again.
# digest: 736a3d6236a3446f9e9b08d52962cb25

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import inf, isfinite, isnan, nan, pi, pow
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("speed", "diameter", "density", "viscosity")
WRT = ("speed", "diameter")

_C1 = 0.125 * pi
_C2 = 0.25 * pi


def value(speed: float, diameter: float, density: float, viscosity: float) -> float:
    """Return the value of the formula."""
    try:
        t1 = density * speed * diameter  # density*speed*diameter
        reynolds = t1 / viscosity  # density*speed*diameter/viscosity
        t2 = reynolds < 0.1
        if not t2:
            t3 = reynolds < 1000.0  # reynolds < 1000
            if not t3:
                coefficient = 0.44
        if t2 or t3:
            t4 = 24.0 * viscosity / t1
        if t2:
            coefficient = t4
        elif t3:
            coefficient = t4 * (1.0 + 0.15 * pow(reynolds, 0.687))  # 24/reynolds*(1...
        t5 = _C1 * (density * coefficient * (speed * speed))
        return t5 * (diameter * diameter)
    except (ArithmeticError, ValueError):
        return careful_value(speed, diameter, density, viscosity)


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t1 = density * speed  # density*speed
        t2 = t1 * diameter  # density*speed*diameter
        reynolds = t2 / viscosity  # density*speed*diameter/viscosity
        t3 = reynolds < 0.1
        t4 = speed * speed  # speed^2
        t5 = diameter * diameter  # diameter^2
        if t3:
            t6 = 0.0
            t7 = 0.0
        else:
            t8 = reynolds < 1000.0  # reynolds < 1000
            if t8:
                t9 = 1.0 + 0.15 * pow(reynolds, 0.687)  # 1 + 0.15*reynolds^0.687
            else:
                coefficient = 0.44
                t6 = 0.0
                t7 = 0.0
        t10 = t3 or t8
        if not t3 and t8 or t10:
            t11 = 24.0 * viscosity / t2
        if t3:
            coefficient = t11
        elif t8:
            coefficient = t11 * t9  # 24/reynolds*(1 + 0.15*reynolds^0.687)
        t12 = density * coefficient * t4
        if not t3 and t8 or t10 and t3:
            d_coefficient = _C1 * t5 * t4 * density  # d(coefficient * density)
        if t10:
            if t3:
                t4 = d_coefficient
            elif t8:
                t4 = d_coefficient * t9  # d(24/reynolds*(1 + 0.15*reynolds^0.687))
            else:
                t4 = 0.0
            t9 = density / t2 * t11 * t4
            t4 = t9 * speed
            t11 = t9 * diameter
        else:
            t4 = -0.0
            t11 = -0.0
        if not t3:
            if t8:
                t9 = 2.4732000000000003 / t2 * d_coefficient
                t2 = t9 * pow(reynolds, -0.31299999999999994)
                t6 = t2 * t1  # d(density*speed*diameter)
                t7 = t2 * diameter * density  # d(density*speed)
        return _C1 * t12 * t5, (
            _C2 * coefficient * t1 * t5 + (t7 - t11),
            _C2 * t12 * diameter + (t6 - t4),
        )
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(speed, diameter, density, viscosity)


IEEE = False
PARTS = {
    (0, "", 0): "13:1: coefficient * density*speed^2/2 * pi*diameter^2/4",
    (4, "/", 1): "7:12: density*speed*diameter/viscosity",
    (11, "/", 1): "the formula",
    (15, "pow", 1): "10:28: reynolds^0.687",
}

# Where Python raises, the functions above run again, in numbers without bounds.

UNBOUNDED = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

# Functions that leave the range of floats, come back to it, or have a pole.
DECIMALS: dict[str, Callable[..., Decimal]] = {
    "pow": lambda x, y: x**y,
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
