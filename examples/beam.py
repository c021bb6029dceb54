"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Deflection at x of a beam that rests on its two ends and carries a force F at a
    # (Euler and Bernoulli).
    input F in [0, 1e4]           # newtons
    input a in [0.5, 3.5]         # metres from the left end
    input E in [1e10, 2.1e11]     # stiffness of the material, pascals
    input I in [1e-6, 1e-4]       # second moment of the cross-section
    data x in [0, 4]
    L = 4                         # length

    # as seen from the end that has the force beyond x, at the distance b from the other
    bend(x, b) = F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
    bend(x, L - a) if x <= a else bend(L - x, a)

Arguments:
    F: in [0, 10000]
    a: in [0.5, 3.5]
    E: in [1e+10, 2.1e+11]
    I: in [1e-06, 0.0001]
    x: data, gets no derivative; in [0, 4]
"""

# Do not edit: change the formula and compile it again.
# digest: ea19bbfe43ae62f8912dbc03f2e5755a

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import inf, isfinite, isnan, nan
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("F", "a", "E", "I", "x")
WRT = ("F", "a", "E", "I")


def value(F: float, a: float, E: float, I: float, x: float) -> float:
    """Return the value of the formula."""
    try:
        t1 = 24.0 * E * I  # 6*L*E*I
        if x <= a:
            t2 = 4.0 - a  # L - a
            t3 = F * x * (16.0 - t2 * t2 - x * x) * t2 / t1  # F*b*x*(L^2 - b^2 - x^2...
        else:
            t4 = 4.0 - x  # L - x
            t3 = F * t4 * (16.0 - a * a - t4 * t4) * a / t1  # F*b*x*(L^2 - b^2 - x^2...
        return t3
    except (ArithmeticError, ValueError):
        return careful_value(F, a, E, I, x)


def value_and_grad(
    F: float, a: float, E: float, I: float, x: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t1 = 24.0 * E * I  # 6*L*E*I
        t2 = 1.0 / t1  # d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
        t3 = 2.0 * t2
        if x <= a:
            t4 = 4.0 - a  # L - a
            t5 = t4 * t4
            t6 = 16.0 - t5 - x * x  # L^2 - b^2 - x^2
            t7 = F * x
            t8 = t7 * t6
            t9 = t8 * t4 / t1  # F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
            t10 = t2 * t9  # d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
            d_a = t3 * t7 * t5 - t2 * t8  # d(L - a)
            d_F = t2 * t6 * x * t4  # d(F*b)
        else:
            t11 = 4.0 - x  # L - x
            t12 = a * a
            t13 = 16.0 - t12 - t11 * t11  # L^2 - b^2 - x^2
            t14 = F * t11
            t15 = t14 * t13
            t9 = t15 * a / t1  # F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
            t10 = t2 * t9  # d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
            d_a = t2 * t15 - t3 * t14 * t12  # d(a)
            d_F = t2 * t13 * t11 * a  # d(F*b)
        t16 = -24.0 * t10
        return t9, (d_F, d_a, t16 * I, t16 * E)
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(F, a, E, I, x)


CHECKS = ()
IEEE = False
PARTS = {
    (0, "", 0): "12:1: bend(x, L - a) if x <= a else bend(L - x, a)",
    (6, "/", 1): "11:14: F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)",
    (9, "/", 1): "11:14: F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)",
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
