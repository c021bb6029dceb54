"""Numbers without bounds, in which a generated module runs its functions again.

A module in which an operation can raise carries a copy of what stands here below the
line. Where one does raise, the same code runs once more in `Number`s: what is too large
or too small for a float stays what it is, a pole is infinite, what has no value is NaN,
and what follows goes on from there, so that nothing on the way spoils a result that is
finite. The rules are those of `gradc.careful`, which goes node by node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import inf, isfinite, isnan, nan
from sys import _getframe
from types import FunctionType
from typing import Any

# What a module has of its own. PARTS are the parts of the formula by the line of their
# statement in `value`, the operation, and which of those in the statement it is.
INPUTS: tuple[str, ...] = ()
WRT: tuple[str, ...] = ()
IEEE = False
PARTS: Mapping[tuple[int, str, int], str] = {(0, "", 0): "the formula"}
value: Callable[..., Any]
value_and_grad: Callable[..., Any]

# ---- what modules carry

# Where Python raises, the functions above run again, in numbers without bounds.

UNBOUNDED = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

# Functions that leave the range of floats, come back to it, or have a pole.
DECIMALS: dict[str, Callable[..., Decimal]] = {
    "sqrt": Decimal.sqrt,
    "cbrt": lambda x: (x.copy_abs() ** (1 / Decimal(3))).copy_sign(x),
    "exp": Decimal.exp,
    "exp2": lambda x: 2**x,
    "expm1": lambda x: x.exp() - 1,
    "sinh": lambda x: (x.exp() - (-x).exp()) / 2,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "log": lambda x, *base: x.ln() / base[0].ln() if base else x.ln(),
    "log1p": lambda x: (1 + x).ln(),
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "log10": Decimal.log10,
    "atanh": lambda x: ((1 + x) / (1 - x)).ln() / 2,
    "gamma": lambda x: 1 / x if abs(x) < 1 else Decimal(inf if x > 0 else 0),
    "pow": lambda x, y: x**y,
    "beyond": lambda limit: limit,
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
    ("__mod__", "%", lambda x, y: float(x) % float(y) if y else nan),
    ("__neg__", "-", Decimal.__neg__),
    ("__abs__", "abs", Decimal.copy_abs),
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
