"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # The negative logarithm of the likelihood of counts whose expectation depends
    # exponentially on three covariates (Nelder and Wedderburn, 1972).
    n = 8
    input beta[3] in [-1, 1]
    data X[n, 3] in [-2, 2], count[n] in [0, 20]

    eta = X @ beta
    sum(exp(eta[i]) - count[i]*eta[i] + lgamma(count[i] + 1) for i in range(n))

Arguments:
    beta: 3; in [-1, 1]
    X: 8 by 3; data, gets no derivative; in [-2, 2]
    count: 8; data, gets no derivative; in [0, 20]
"""

# Do not edit: change the formula and compile it again.
# digest: c54da5deac335f9a96034066d4a40396

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import (
    copysign,
    exp,
    inf,
    isfinite,
    isnan,
    lgamma,
    log,
    log1p,
    nan,
    pi,
    remainder,
    sin,
)
from sys import _getframe
from types import FunctionType
from typing import Any

INPUTS = ("beta", "X", "count")
WRT = ("beta",)

LOGGAMMA_P = (
    2.7475390051909663e-07,
    -5.811277768921246e-07,
    9.242852225162277e-07,
    -1.9743106888421067e-06,
    4.3828545383846665e-06,
    -9.45628851510172e-06,
    2.050601970174762e-05,
    -4.4923727564247656e-05,
    9.945761692157133e-05,
    -0.00022315497746292723,
    0.0005096695196526673,
    -0.0011927539009983087,
    0.002890510330865901,
    -0.007385551028935545,
    0.02058080842778338,
    -0.06735230105319563,
    0.3224670334241132,
    0.42278433509846713,
)


def horner(coefficients: tuple[float, ...], x: float) -> float:
    """The polynomial with these coefficients, highest power first, at x."""
    total = 0.0
    for coefficient in coefficients:
        total = total * x + coefficient
    return total


def sinpi(x: float) -> float:
    """sin(pi*x), reduced exactly: zero at the integers."""
    r = remainder(x, 2.0)
    return sin(pi * (r if abs(r) <= 0.5 else copysign(1.0 - abs(r), r)))


def loggamma(x: float) -> float:
    """log(abs(gamma(x))), with all its digits at its roots 1 and 2.

    A&S 6.1.15 leads from below 10, where math.lgamma is less accurate, to [1.5, 2.5];
    6.1.17 reflects negative x.
    """
    if x <= 0:
        if x % 1.0 == 0:
            raise ValueError("math domain error: pole of lgamma")
        return -log(abs(sinpi(x)) / pi) - loggamma(1.0 - x)
    if x >= 10.0:
        return lgamma(x)
    if x < 0.5:
        return x * horner(LOGGAMMA_P, x) - log1p(x) - log(x)
    if x < 1.5:
        return (x - 1.0) * horner(LOGGAMMA_P, x - 1.0) - log1p(x - 1.0)
    product = 1.0
    while x > 2.5:
        x -= 1.0
        product *= x
    return (x - 2.0) * horner(LOGGAMMA_P, x - 2.0) + log(product)


def value(
    beta: Sequence[float], X: Sequence[Sequence[float]], count: Sequence[float]
) -> float:
    """Return the value of the formula."""
    try:
        beta_0, beta_1, beta_2 = beta
        (
            (X_0_0, X_0_1, X_0_2),
            (X_1_0, X_1_1, X_1_2),
            (X_2_0, X_2_1, X_2_2),
            (X_3_0, X_3_1, X_3_2),
            (X_4_0, X_4_1, X_4_2),
            (X_5_0, X_5_1, X_5_2),
            (X_6_0, X_6_1, X_6_2),
            (X_7_0, X_7_1, X_7_2),
        ) = X
        count_0, count_1, count_2, count_3, count_4, count_5, count_6, count_7 = count
    except (TypeError, ValueError):
        raise ValueError(
            "the arguments have other shapes than beta: 3, X: 8 by 3, count: 8"
        ) from None
    try:
        eta_0 = X_0_0 * beta_0 + X_0_1 * beta_1 + X_0_2 * beta_2  # X @ beta
        eta_1 = X_1_0 * beta_0 + X_1_1 * beta_1 + X_1_2 * beta_2  # X @ beta
        eta_2 = X_2_0 * beta_0 + X_2_1 * beta_1 + X_2_2 * beta_2  # X @ beta
        eta_3 = X_3_0 * beta_0 + X_3_1 * beta_1 + X_3_2 * beta_2  # X @ beta
        eta_4 = X_4_0 * beta_0 + X_4_1 * beta_1 + X_4_2 * beta_2  # X @ beta
        eta_5 = X_5_0 * beta_0 + X_5_1 * beta_1 + X_5_2 * beta_2  # X @ beta
        eta_6 = X_6_0 * beta_0 + X_6_1 * beta_1 + X_6_2 * beta_2  # X @ beta
        eta_7 = X_7_0 * beta_0 + X_7_1 * beta_1 + X_7_2 * beta_2  # X @ beta
        t1 = exp(eta_1) - count_1 * eta_1 + loggamma(count_1 + 1.0)  # sum(exp(eta[i]...
        t2 = exp(eta_2) - count_2 * eta_2 + loggamma(count_2 + 1.0)  # sum(exp(eta[i]...
        t3 = exp(eta_3) - count_3 * eta_3 + loggamma(count_3 + 1.0)  # sum(exp(eta[i]...
        t4 = exp(eta_4) - count_4 * eta_4 + loggamma(count_4 + 1.0)  # sum(exp(eta[i]...
        t5 = exp(eta_5) - count_5 * eta_5 + loggamma(count_5 + 1.0)  # sum(exp(eta[i]...
        t6 = exp(eta_6) - count_6 * eta_6 + loggamma(count_6 + 1.0)  # sum(exp(eta[i]...
        t7 = exp(eta_7) - count_7 * eta_7 + loggamma(count_7 + 1.0)  # sum(exp(eta[i]...
        t8 = exp(eta_0) - count_0 * eta_0 + loggamma(count_0 + 1.0)
        return t8 + t1 + t2 + t3 + t4 + t5 + t6 + t7
    except (ArithmeticError, ValueError):
        return careful_value(beta, X, count)


def value_and_grad(
    beta: Sequence[float], X: Sequence[Sequence[float]], count: Sequence[float]
) -> tuple[float, tuple[tuple[float, float, float]]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        beta_0, beta_1, beta_2 = beta
        (
            (X_0_0, X_0_1, X_0_2),
            (X_1_0, X_1_1, X_1_2),
            (X_2_0, X_2_1, X_2_2),
            (X_3_0, X_3_1, X_3_2),
            (X_4_0, X_4_1, X_4_2),
            (X_5_0, X_5_1, X_5_2),
            (X_6_0, X_6_1, X_6_2),
            (X_7_0, X_7_1, X_7_2),
        ) = X
        count_0, count_1, count_2, count_3, count_4, count_5, count_6, count_7 = count
    except (TypeError, ValueError):
        raise ValueError(
            "the arguments have other shapes than beta: 3, X: 8 by 3, count: 8"
        ) from None
    try:
        eta_0 = X_0_0 * beta_0 + X_0_1 * beta_1 + X_0_2 * beta_2  # X @ beta
        eta_1 = X_1_0 * beta_0 + X_1_1 * beta_1 + X_1_2 * beta_2  # X @ beta
        eta_2 = X_2_0 * beta_0 + X_2_1 * beta_1 + X_2_2 * beta_2  # X @ beta
        eta_3 = X_3_0 * beta_0 + X_3_1 * beta_1 + X_3_2 * beta_2  # X @ beta
        eta_4 = X_4_0 * beta_0 + X_4_1 * beta_1 + X_4_2 * beta_2  # X @ beta
        eta_5 = X_5_0 * beta_0 + X_5_1 * beta_1 + X_5_2 * beta_2  # X @ beta
        eta_6 = X_6_0 * beta_0 + X_6_1 * beta_1 + X_6_2 * beta_2  # X @ beta
        eta_7 = X_7_0 * beta_0 + X_7_1 * beta_1 + X_7_2 * beta_2  # X @ beta
        t1 = exp(eta_0)  # exp(eta[i])
        t2 = exp(eta_1)  # exp(eta[i])
        t3 = exp(eta_2)  # exp(eta[i])
        t4 = exp(eta_3)  # exp(eta[i])
        t5 = exp(eta_4)  # exp(eta[i])
        t6 = exp(eta_5)  # exp(eta[i])
        t7 = exp(eta_6)  # exp(eta[i])
        t8 = exp(eta_7)  # exp(eta[i])
        t9 = t2 - count_1 * eta_1 + loggamma(count_1 + 1.0)  # sum(exp(eta[i]) - coun...
        t10 = t3 - count_2 * eta_2 + loggamma(count_2 + 1.0)  # sum(exp(eta[i]) - cou...
        t11 = t4 - count_3 * eta_3 + loggamma(count_3 + 1.0)  # sum(exp(eta[i]) - cou...
        t12 = t5 - count_4 * eta_4 + loggamma(count_4 + 1.0)  # sum(exp(eta[i]) - cou...
        t13 = t6 - count_5 * eta_5 + loggamma(count_5 + 1.0)  # sum(exp(eta[i]) - cou...
        t14 = t7 - count_6 * eta_6 + loggamma(count_6 + 1.0)  # sum(exp(eta[i]) - cou...
        t15 = t8 - count_7 * eta_7 + loggamma(count_7 + 1.0)  # sum(exp(eta[i]) - cou...
        d_eta_7 = t8 - count_7  # d(X @ beta)
        d_eta_6 = t7 - count_6  # d(X @ beta)
        d_eta_5 = t6 - count_5  # d(X @ beta)
        d_eta_4 = t5 - count_4  # d(X @ beta)
        d_eta_3 = t4 - count_3  # d(X @ beta)
        d_eta_2 = t3 - count_2  # d(X @ beta)
        d_eta_1 = t2 - count_1  # d(X @ beta)
        d_eta_0 = t1 - count_0  # d(X @ beta)
        t2 = t1 - count_0 * eta_0 + loggamma(count_0 + 1.0)
        t1 = t2 + t9 + t10 + t11 + t12 + t13 + t14
        d_beta_0 = (
            d_eta_0 * X_0_0
            + d_eta_1 * X_1_0
            + d_eta_2 * X_2_0
            + d_eta_3 * X_3_0
            + d_eta_4 * X_4_0
            + d_eta_5 * X_5_0
            + d_eta_6 * X_6_0
            + d_eta_7 * X_7_0
        )  # d(beta)
        d_beta_1 = (
            d_eta_0 * X_0_1
            + d_eta_1 * X_1_1
            + d_eta_2 * X_2_1
            + d_eta_3 * X_3_1
            + d_eta_4 * X_4_1
            + d_eta_5 * X_5_1
            + d_eta_6 * X_6_1
            + d_eta_7 * X_7_1
        )  # d(beta)
        d_beta_2 = (
            d_eta_0 * X_0_2
            + d_eta_1 * X_1_2
            + d_eta_2 * X_2_2
            + d_eta_3 * X_3_2
            + d_eta_4 * X_4_2
            + d_eta_5 * X_5_2
            + d_eta_6 * X_6_2
            + d_eta_7 * X_7_2
        )  # d(beta)
        return t1 + t15, ((d_beta_0, d_beta_1, d_beta_2),)
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(beta, X, count)


IEEE = False
PARTS = {
    (0, "", 0): "8:1: sum(exp(eta[i]) - count[i]*eta[i] + lgamma(count[i] + 1) for...",
    (30, "exp", 1): "8:5: exp(eta[i])",
    (30, "loggamma", 1): "8:37: lgamma(count[i] + 1)",
    (31, "exp", 1): "8:5: exp(eta[i])",
    (31, "loggamma", 1): "8:37: lgamma(count[i] + 1)",
    (32, "exp", 1): "8:5: exp(eta[i])",
    (32, "loggamma", 1): "8:37: lgamma(count[i] + 1)",
    (33, "exp", 1): "8:5: exp(eta[i])",
    (33, "loggamma", 1): "8:37: lgamma(count[i] + 1)",
    (34, "exp", 1): "8:5: exp(eta[i])",
    (34, "loggamma", 1): "8:37: lgamma(count[i] + 1)",
    (35, "exp", 1): "8:5: exp(eta[i])",
    (35, "loggamma", 1): "8:37: lgamma(count[i] + 1)",
    (36, "exp", 1): "8:5: exp(eta[i])",
    (36, "loggamma", 1): "8:37: lgamma(count[i] + 1)",
    (37, "exp", 1): "8:5: exp(eta[i])",
    (37, "loggamma", 1): "8:37: lgamma(count[i] + 1)",
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
