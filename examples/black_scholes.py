"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # The price of a European call option (Black and Scholes, 1973).
    # Its gradient holds the "Greeks": delta, dual delta, rho, vega and minus theta.
    input S, K in [50, 150]       # price of the share today, price it may be bought at
    input r in [0, 0.1]           # interest rate a year
    input sigma in [0.05, 0.8]    # volatility of the share
    input T in [0.05, 3]          # years that are left

    spread = sigma*sqrt(T)
    d1 = (log(S/K) + (r + sigma^2/2)*T)/spread
    d2 = d1 - spread
    S*normcdf(d1) - K*exp(-r*T)*normcdf(d2)

Arguments:
    S: in [50, 150]
    K: in [50, 150]
    r: in [0, 0.1]
    sigma: in [0.05, 0.8]
    T: in [0.05, 3]
"""

# Do not edit: change the formula and compile it again.
# digest: 4abcab55f53b2e420337184b2716cf28

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import erfc, exp, inf, isfinite, isnan, log, nan, pi, sqrt
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("S", "K", "r", "sigma", "T")
WRT = ("S", "K", "r", "sigma", "T")


def exp_square(x: float, factor: float) -> float:
    """exp(factor*x^2), factor a power of two; beyond 1 with what rounding took from x^2.

    h is x in 26 bits (Veltkamp), so that h^2 is exact and x^2 = h^2 + (x - h)*(x + h).
    """
    square = x * x
    power = exp(factor * square)
    if square < 1.0 or power == 0.0:
        return power
    h = 134217729.0 * x
    h -= h - x
    rest = (h * h - square) + (x - h) * (x + h)
    return power * (1.0 + factor * rest)


def erfcx(x: float) -> float:
    """exp(x^2)*erfc(x), from 10 on by the asymptotic series (DLMF 7.12.1)."""
    if x < -26.62873571375149:
        raise OverflowError("math range error in erfcx")
    if x < 10.0:
        return exp_square(x, 1.0) * erfc(x)
    t, series = 0.5 / x / x, 1.0
    for k in range(15, 0, -1):
        series = 1.0 - (2 * k - 1) * t * series
    return series / sqrt(pi) / x


def normpdf(x: float) -> float:
    """exp(-x^2/2)/sqrt(2*pi)."""
    return exp_square(x, -0.5) / sqrt(2.0 * pi)


def normcdf(x: float) -> float:
    """erfc(-x/sqrt(2))/2, with exp(-x^2/2) split off in the left tail."""
    if not x < -1.0:
        return 0.5 * erfc(-x / sqrt(2.0))
    return 0.5 * erfcx(-x / sqrt(2.0)) * exp_square(x, -0.5)


def value(S: float, K: float, r: float, sigma: float, T: float) -> float:
    """Return the value of the formula."""
    try:
        spread = sigma * sqrt(T)  # sigma*sqrt(T)
        d1 = (log(S / K) + (r + 0.5 * sigma * sigma) * T) / spread  # (log(S/K) + (r...
        return S * normcdf(d1) - K * exp(-r * T) * normcdf(d1 - spread)
    except (ArithmeticError, ValueError):
        return careful_value(S, K, r, sigma, T)


def value_and_grad(
    S: float, K: float, r: float, sigma: float, T: float
) -> tuple[float, tuple[float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t1 = sqrt(T)
        spread = sigma * t1  # sigma*sqrt(T)
        t2 = 0.5 * sigma
        d1 = (log(S / K) + (r + t2 * sigma) * T) / spread  # (log(S/K) + (r + sigma^2...
        d2 = d1 - spread
        d_S = normcdf(d1)
        t3 = exp(-r * T)  # exp(-r*T)
        t4 = K * t3  # K*exp(-r*T)
        t5 = normcdf(d2)
        t6 = t4 * t5  # K*exp(-r*T)*normcdf(d2)
        d_spread = t4 * normpdf(d2)  # d(sigma*sqrt(T))
        return S * d_S - t6, (
            d_S,
            -t5 * t3,
            t6 * T,
            d_spread * t1,
            t2 * d_spread / t1 + t6 * r,
        )
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(S, K, r, sigma, T)


CHECKS = ()
IEEE = False
PARTS = {
    (0, "", 0): "11:1: S*normcdf(d1) - K*exp(-r*T)*normcdf(d2)",
    (3, "sqrt", 1): "8:16: sqrt(T)",
    (4, "/", 1): "9:11: S/K",
    (4, "log", 1): "9:7: log(S/K)",
    (4, "/", 2): "9:6: (log(S/K) + (r + sigma^2/2)*T)/spread",
    (5, "normcdf", 1): "11:3: normcdf(d1)",
    (5, "exp", 1): "11:19: exp(-r*T)",
    (5, "normcdf", 2): "11:29: normcdf(d2)",
}

# Where Python raises, the functions above run again, in numbers without bounds.

UNBOUNDED = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

# Functions that leave the range of floats, come back to it, or have a pole.
DECIMALS: dict[str, Callable[..., Decimal]] = {
    "sqrt": Decimal.sqrt,
    "exp": Decimal.exp,
    "log": lambda x, *base: x.ln() / base[0].ln() if base else x.ln(),
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
