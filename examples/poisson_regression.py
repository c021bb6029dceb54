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
# digest: 8c2ca551bee8508bffcdb67af7e4920f

from math import (
    copysign,
    exp,
    floor,
    fsum,
    inf,
    isfinite,
    isinf,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

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

    A&S 6.1.15 leads from below 3, where math.lgamma is less accurate, to [1.5, 2.5];
    6.1.17 reflects negative x.
    """
    if x >= 3.0 or x == 1.0 or x == 2.0:
        return lgamma(x)
    if x <= 0:
        if x % 1.0 == 0:
            raise ValueError("math domain error: pole of lgamma")
        return -log(abs(sinpi(x)) / pi) - loggamma(1.0 - x)
    if x < 0.5:
        return x * horner(LOGGAMMA_P, x) - log1p(x) - log(x)
    if x < 1.5:
        return (x - 1.0) * horner(LOGGAMMA_P, x - 1.0) - log1p(x - 1.0)
    if x <= 2.5:
        return (x - 2.0) * horner(LOGGAMMA_P, x - 2.0)
    return (x - 3.0) * horner(LOGGAMMA_P, x - 3.0) + log(x - 1.0)


def loggamma_sum(x: float, y: float) -> float:
    """log(abs(gamma(x + y))), with the digits that x + y lacks next to an integer."""
    total = x + y
    if total >= 3.0:
        return lgamma(total)
    if not total < 2.5 or (total - x == y and total - y == x):
        return loggamma(total)
    near = floor(total + 0.5)
    z = fsum((x, y, -near))
    if near == 2:
        return z * horner(LOGGAMMA_P, z)
    if near == 1:
        return z * horner(LOGGAMMA_P, z) - log1p(z)
    if total >= 0.0 or z == 0.0:
        return loggamma(z)
    return -log(abs(sinpi(z)) / pi) - loggamma(1.0 - total)


def value(
    beta: "Sequence[float]", X: "Sequence[Sequence[float]]", count: "Sequence[float]"
) -> float:
    """Return the value of the formula."""
    beta_0, beta_1, beta_2 = vector("beta", beta, 3)
    (
        X_0_0,
        X_0_1,
        X_0_2,
        X_1_0,
        X_1_1,
        X_1_2,
        X_2_0,
        X_2_1,
        X_2_2,
        X_3_0,
        X_3_1,
        X_3_2,
        X_4_0,
        X_4_1,
        X_4_2,
        X_5_0,
        X_5_1,
        X_5_2,
        X_6_0,
        X_6_1,
        X_6_2,
        X_7_0,
        X_7_1,
        X_7_2,
    ) = elements("X", X, (8, 3))
    count_0, count_1, count_2, count_3, count_4, count_5, count_6, count_7 = vector(
        "count", count, 8
    )
    try:
        eta_0 = X_0_0 * beta_0 + X_0_1 * beta_1 + X_0_2 * beta_2  # X @ beta
        eta_1 = X_1_0 * beta_0 + X_1_1 * beta_1 + X_1_2 * beta_2  # X @ beta
        eta_2 = X_2_0 * beta_0 + X_2_1 * beta_1 + X_2_2 * beta_2  # X @ beta
        eta_3 = X_3_0 * beta_0 + X_3_1 * beta_1 + X_3_2 * beta_2  # X @ beta
        eta_4 = X_4_0 * beta_0 + X_4_1 * beta_1 + X_4_2 * beta_2  # X @ beta
        eta_5 = X_5_0 * beta_0 + X_5_1 * beta_1 + X_5_2 * beta_2  # X @ beta
        eta_6 = X_6_0 * beta_0 + X_6_1 * beta_1 + X_6_2 * beta_2  # X @ beta
        eta_7 = X_7_0 * beta_0 + X_7_1 * beta_1 + X_7_2 * beta_2  # X @ beta
        t1 = exp(eta_1) - count_1 * eta_1 + loggamma_sum(1.0, count_1)
        t2 = exp(eta_2) - count_2 * eta_2 + loggamma_sum(1.0, count_2)
        t3 = exp(eta_3) - count_3 * eta_3 + loggamma_sum(1.0, count_3)
        t4 = exp(eta_4) - count_4 * eta_4 + loggamma_sum(1.0, count_4)
        t5 = exp(eta_5) - count_5 * eta_5 + loggamma_sum(1.0, count_5)
        t6 = exp(eta_6) - count_6 * eta_6 + loggamma_sum(1.0, count_6)
        t7 = exp(eta_7) - count_7 * eta_7 + loggamma_sum(1.0, count_7)
        t8 = exp(eta_0) - count_0 * eta_0 + loggamma_sum(1.0, count_0)
        return t8 + t1 + t2 + t3 + t4 + t5 + t6 + t7
    except (ArithmeticError, ValueError):
        return careful(value, beta, X, count)


def value_and_grad(
    beta: "Sequence[float]", X: "Sequence[Sequence[float]]", count: "Sequence[float]"
) -> tuple[float, tuple[tuple[float, float, float]]]:
    """Return the value and its gradient, in the order of WRT."""
    beta_0, beta_1, beta_2 = vector("beta", beta, 3)
    (
        X_0_0,
        X_0_1,
        X_0_2,
        X_1_0,
        X_1_1,
        X_1_2,
        X_2_0,
        X_2_1,
        X_2_2,
        X_3_0,
        X_3_1,
        X_3_2,
        X_4_0,
        X_4_1,
        X_4_2,
        X_5_0,
        X_5_1,
        X_5_2,
        X_6_0,
        X_6_1,
        X_6_2,
        X_7_0,
        X_7_1,
        X_7_2,
    ) = elements("X", X, (8, 3))
    count_0, count_1, count_2, count_3, count_4, count_5, count_6, count_7 = vector(
        "count", count, 8
    )
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
        d_eta_7 = t8 - count_7  # in d(X @ beta)
        d_eta_6 = t7 - count_6  # in d(X @ beta)
        d_eta_5 = t6 - count_5  # in d(X @ beta)
        d_eta_4 = t5 - count_4  # in d(X @ beta)
        d_eta_3 = t4 - count_3  # in d(X @ beta)
        d_eta_2 = t3 - count_2  # in d(X @ beta)
        d_eta_1 = t2 - count_1  # in d(X @ beta)
        d_eta_0 = t1 - count_0  # in d(X @ beta)
        t9 = (
            t1
            - count_0 * eta_0
            + loggamma_sum(1.0, count_0)
            + (t2 - count_1 * eta_1 + loggamma_sum(1.0, count_1))
            + (t3 - count_2 * eta_2 + loggamma_sum(1.0, count_2))
            + (t4 - count_3 * eta_3 + loggamma_sum(1.0, count_3))
            + (t5 - count_4 * eta_4 + loggamma_sum(1.0, count_4))
            + (t6 - count_5 * eta_5 + loggamma_sum(1.0, count_5))
            + (t7 - count_6 * eta_6 + loggamma_sum(1.0, count_6))
            + (t8 - count_7 * eta_7 + loggamma_sum(1.0, count_7))
        )  # sum(exp(eta[i]) - count[i]*eta[i] + lgamma(count[i] + 1) for i in range(n))
        d_beta_0 = (
            d_eta_0 * X_0_0
            + d_eta_1 * X_1_0
            + d_eta_2 * X_2_0
            + d_eta_3 * X_3_0
            + d_eta_4 * X_4_0
            + d_eta_5 * X_5_0
            + d_eta_6 * X_6_0
            + d_eta_7 * X_7_0
        )  # in d(beta)
        d_beta_1 = (
            d_eta_0 * X_0_1
            + d_eta_1 * X_1_1
            + d_eta_2 * X_2_1
            + d_eta_3 * X_3_1
            + d_eta_4 * X_4_1
            + d_eta_5 * X_5_1
            + d_eta_6 * X_6_1
            + d_eta_7 * X_7_1
        )  # in d(beta)
        d_beta_2 = (
            d_eta_0 * X_0_2
            + d_eta_1 * X_1_2
            + d_eta_2 * X_2_2
            + d_eta_3 * X_3_2
            + d_eta_4 * X_4_2
            + d_eta_5 * X_5_2
            + d_eta_6 * X_6_2
            + d_eta_7 * X_7_2
        )  # in d(beta)
        return t9, ((d_beta_0, d_beta_1, d_beta_2),)
    except (ArithmeticError, ValueError):
        return careful(value_and_grad, beta, X, count)


# The arguments may be any sequences of numbers, nested in their shapes.


def vector(name: str, given: object, size: int) -> "Sequence[float]":
    """The numbers of an array of one dimension; see `elements`."""
    try:
        if (type(given) is tuple or type(given) is list) and len(given) == size:
            if type(sum(given, 0.0)) is float:  # as only a sum of numbers is
                return given
    except (ArithmeticError, TypeError, ValueError):
        pass
    return elements(name, given, (size,))


def elements(name: str, given: object, shape: tuple[int, ...]) -> "Sequence[float]":
    """The numbers of an array, row by row.

    Raises:
        ValueError: the array has another shape.
        TypeError: something in it is no number.
    """
    if hasattr(given, "tolist"):  # an array of NumPy
        given = given.tolist()
    flat = plain(given, shape)
    if flat is None:
        given = listed(name, given)
        flat = plain(given, shape)
    if flat is None:
        found = shape_of(given)
        raise ValueError(f"{name} has shape {shape} but was given shape {found}")
    return flat


def plain(given: object, shape: tuple[int, ...]) -> "Sequence[float] | None":
    """The numbers of nested lists or tuples of floats, None if they are none."""
    if not shape:
        return [given] if type(given) is float else None
    if not isinstance(given, (list, tuple)) or len(given) != shape[0]:
        return None
    flat = given
    for length in shape[1:]:
        rows, flat = flat, []
        for row in rows:
            if not isinstance(row, (list, tuple)) or len(row) != length:
                return None
            flat += row
    return flat if are_floats(flat) else None


def are_floats(flat: "Sequence[float]") -> bool:
    """Whether all are numbers and not all of them integers: then their sum is a float.

    This costs less than to look at the type of each.
    """
    try:
        return type(sum(flat)) is float
    except (ArithmeticError, TypeError, ValueError):
        return False


def listed(name: str, given: object) -> object:
    """Nested sequences, arrays and numbers as nested lists of floats."""
    if hasattr(given, "tolist"):
        given = given.tolist()
    if hasattr(given, "__float__"):
        try:
            return float(given)
        except OverflowError:
            what = f"{name} is given a number that is too large for a float"
            raise ValueError(what) from None
    if isinstance(given, set) or hasattr(given, "keys"):
        return given  # which has no shape
    if hasattr(given, "__getitem__") and not isinstance(given, (str, bytes)):
        if hasattr(given, "__iter__"):
            return [listed(name, item) for item in given]
    raise TypeError(f"{name} is given {given!r}, which is no number")


def shape_of(nested: object) -> tuple[object, ...]:
    """The shape of nested lists, ending in a word where they have none."""
    if not isinstance(nested, list):
        return () if type(nested) is float else (type(nested).__name__,)
    shapes = {shape_of(item) for item in nested} or {()}
    return (len(nested), *(shapes.pop() if len(shapes) == 1 else ("ragged",)))


IEEE = False
PARTS = {
    (0, "", 0): "8:1: sum(exp(eta[i]) - count[i]*eta[i] + lgamma(count[i] + 1) for...",
    (43, "exp", 1): "8:5: exp(eta[i])",
    (43, "loggamma_sum", 1): "8:37: lgamma(count[i] + 1)",
    (44, "exp", 1): "8:5: exp(eta[i])",
    (44, "loggamma_sum", 1): "8:37: lgamma(count[i] + 1)",
    (45, "exp", 1): "8:5: exp(eta[i])",
    (45, "loggamma_sum", 1): "8:37: lgamma(count[i] + 1)",
    (46, "exp", 1): "8:5: exp(eta[i])",
    (46, "loggamma_sum", 1): "8:37: lgamma(count[i] + 1)",
    (47, "exp", 1): "8:5: exp(eta[i])",
    (47, "loggamma_sum", 1): "8:37: lgamma(count[i] + 1)",
    (48, "exp", 1): "8:5: exp(eta[i])",
    (48, "loggamma_sum", 1): "8:37: lgamma(count[i] + 1)",
    (49, "exp", 1): "8:5: exp(eta[i])",
    (49, "loggamma_sum", 1): "8:37: lgamma(count[i] + 1)",
    (50, "exp", 1): "8:5: exp(eta[i])",
    (50, "loggamma_sum", 1): "8:37: lgamma(count[i] + 1)",
}
CHECKS = (vector, elements)

# Where Python raises or digits are lost, the functions above run again, on decimals of
# 80 digits, or of more if these cancel, whose exponents end at 1e18. What has no value
# there is what it tends to, and an error if it tends to nothing. What they test is a
# sum that is infinite then: 1e208*t is where t is too large for what follows, 1e208/t
# and u/(t + 1e-292) where t is too small, 1e304*(t/d) where d is all that is left of
# a difference of t and another number.


def careful(what: "Callable[..., Result]", *args: "Any") -> "Result":
    """What a function returns where floats end, on the way or in a result."""
    alone = what is value or value(*args[: len(INPUTS)])  # or all else is in vain
    found = run(what, args)
    if what is not value and len(args) == len(INPUTS):
        found = (alone, *floats(found[1:], args))
    else:
        found = floats(found, args)
    result: "Result" = found
    return result


def floats(found: "Any", args: "tuple[Any, ...]") -> "Any":
    """Results as floats, or a ValueError that names the part to blame."""
    if isinstance(found, tuple):
        return tuple(floats(x, args) for x in found)
    x = float(found)
    if IEEE or isfinite(x) or (isinf(x) and found.adjoint):
        return x
    what = f"{PARTS[0, '', 0]}: a derivative" if found.adjoint else part(found)
    none = "beyond what can be computed" if found.beyond else "not a real number"
    how = none if isnan(x) else "infinite"
    at = ", ".join(f"{name} = {x!r}" for name, x in zip(INPUTS, args))
    raise ValueError(f"{what} is {how} at {at}")


def part(found: "Number") -> str:
    """The part of the formula that made a value infinite or NaN."""
    done = found.done[: found.origin]
    line, symbol = done[-1] if done else (0, "")
    first = value.__code__.co_firstlineno
    starts = [first + n for n, name, _ in PARTS if name == symbol and first + n <= line]
    start = max(starts, default=0)
    count = sum(name == symbol and n >= start for n, name in done)
    return PARTS.get((start - first, symbol, count), PARTS[0, "", 0])


def flat(found: "Any") -> "list[Any]":
    """The numbers in a tuple, and in tuples in it."""
    if not isinstance(found, tuple):
        return [found]
    return [x for inner in found for x in flat(inner)]


def run(
    what: "Any",
    args: "Any",
    digits: int = 80,
    side: int = -1,
    only: int = -1,
    kept: "Any" = (),
) -> "Any":
    """What a function returns on numbers, again in more digits if it needs them.

    On a side of its arguments, or of only one of them, it is what it tends to; numbers
    that are equal at the point itself may be kept so there.
    """
    from decimal import MAX_EMAX, MIN_EMIN, Context, localcontext

    own = {"done": [], "digits": digits, "adjoint": what is not value}
    kind: "Any" = type("Number", (Number,), own)
    with localcontext(Context(digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])):
        on_numbers = lifted(what, kind)
        given = [kind.of(x) for x in args]
        point = given[: len(INPUTS)] if side >= 0 else []
        point = leaves(point)
        found = on_numbers(*given)
    more = max([kind.asked, *(x.needed() for x in flat(found) if type(x) is kind)])
    return found if more <= digits else run(what, args, more, side, only, kept)


def leaves(rows: "Any") -> "list[Any]":
    """The numbers in a sequence, and in lists in it."""
    return [y for row in rows for y in (row if type(row) is list else [row])]


def lifted(what: "Any", kind: "type[Number]") -> "Any":
    """A function of floats as one of numbers, with the constants in it."""

    def replaced(item: "Any") -> "Any":
        if item in CHECKS:
            return lambda name, given, *_: given
        if callable(item) and item not in (abs, max, min):
            return function(item)
        if isinstance(item, float):
            item = kind(item)
        return item

    code, names = what.__code__, what.__globals__
    used = {name: replaced(names[name]) for name in code.co_names if name in names}
    code = code.replace(co_consts=tuple(map(replaced, code.co_consts)))
    return type(what)(code, used)


def function(on: "Any") -> "Callable[..., Number]":
    """A function on floats as one on numbers."""
    return operation(on.__name__, lambda *xs: of_decimals(on, *xs))


def of_decimals(on: "Any", *xs: "Decimal") -> "Any":
    """What a function on floats is on decimals."""
    try:
        if any(map(isnan, xs)):
            return nan
        xs = tuple(map(one_or, xs))
        if on.__name__ in DECIMALS:
            found = DECIMALS[on.__name__](*xs)
            edged = ("acos", "acosh", "asin", "pow", "sqrt")
            if not isnan(found) or on.__name__ in edged:
                return found
        return on(*map(float, xs))
    except (ArithmeticError, ValueError):
        return nan


def one_or(x: "Decimal") -> "Decimal":
    """A number, or 1 or -1 if nothing but noise is between."""
    one = type(x)(1).copy_sign(x)
    return one if abs(x - one) < type(x)(10) ** (26 - precision()) else x


def operation(symbol: str, on: "Callable[..., Any]") -> "Callable[..., Number]":
    """An operation on decimals as one on numbers, which know where they come from."""

    def compute(*args: "Number") -> "Number":
        from decimal import Inexact, getcontext

        flags = getcontext().flags
        flags[Inexact] = False
        new = type(args[0])(on(*(y.x for y in args)), args)
        is_exact = symbol in ("+", "-", "*", "/") and not flags[Inexact]
        endless = [y for y in args if not y.x.is_finite()]
        new.done.append((_getframe(1).f_lineno, symbol))
        new.origin = endless[0].origin if endless else len(new.done)
        new.taken = any(y.taken for y in args)
        if not (new.x and new.x.is_finite()):
            new.end(symbol, args, endless)
        new.come(symbol, args, is_exact)
        new.lose(symbol, args)
        new.measure()
        return new

    return compute


class Number:
    """A decimal of a run, infinite or NaN where Python raises, so that it goes on."""

    done: "list[tuple[int, str]]"  # the operations of the run, with their lines
    adjoint: bool  # a run for derivatives, to which a factor of 0 contributes nothing
    digits: int  # those of the run
    asked = 0  # how many what was compared needs
    beyond = False  # it came to the size of what is too large or small for decimals
    short = False  # on the way to this number too many digits have cancelled
    empty = False  # all of them, even of many
    size = 0  # the exponent of the smallest number there, or of what cancelled
    large = 0  # the exponent of the largest number there
    how: "int | None" = None  # it was computed, if it is not exact: equal for equals
    origin = 0  # how many operations were done when this was computed, or had no value
    slow = False  # infinite as a logarithm is, which any power outweighs
    faint = False  # 0 as the inverse of an infinity is
    taken = False  # of a derivative for which 0/0 has been taken for 0

    def __init__(self, x: "Decimal | float", args: "Any" = ()) -> None:
        from decimal import Decimal

        self.x = Decimal(x)
        if args:
            self.short = any(y.short for y in args)
            self.empty = any(y.empty for y in args)
            self.size = max(y.size for y in args)
            self.large = max(y.large for y in args)

    def measure(self) -> "Number":
        """Count this number among those on the way; constants are but used there."""
        if self.x:
            self.size = max(self.size, -self.x.adjusted())
            self.large = max(self.large, self.x.adjusted())
        return self

    def __float__(self) -> float:
        return float(self.x)

    @classmethod
    def of(cls, x: "Any") -> "Any":
        """An argument in numbers, those of an array row by row."""
        x = x.tolist() if hasattr(x, "tolist") else x  # of NumPy
        if not hasattr(x, "__iter__"):
            return cls(float(x)).measure()
        return leaves(map(cls.of, x))

    def needed(self) -> int:
        """How many digits this number needs, by how large and small those before are.

        Noise in 160 of them is nothing, unless a number is large or small.
        """
        most = 640 if self.empty and self.large < 1000 else 320
        more = max(4 * self.size, min(2 * self.large, most))
        return min(80 + more, 1000) if self.short and more > 36 else 0

    def end(self, symbol: str, args: "Any", endless: "list[Number]") -> None:
        """Know how this number came to be 0 or infinite; be 0 if a factor of 0 wins."""
        from decimal import Overflow, Underflow, getcontext

        xs, flags = [y.x for y in args], getcontext().flags
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            self.slow = isinf(self.x) and all(y.slow for y in endless)
        self.faint = not self.x and (bool(endless) or any(y.faint for y in args))
        if (endless or 0 in xs) and (flags[Overflow] or flags[Underflow]):
            grows = symbol not in ("+", "-", "*", "/", "abs") and isinf(self.x)
            far = any(x and abs(x.adjusted()) > 1e9 for x in xs)
            if grows or far or symbol == "pow":
                self.x = type(self.x)(nan)
            type(self).beyond = self.beyond or isnan(self.x)
        elif symbol in "*/" and isnan(self.x) and 0 in xs and not any(map(isnan, xs)):
            slow = any(y.slow for y in args)
            if slow or (self.adjoint and not any(y.faint for y in args)):
                self.x, self.taken = type(self.x)(0), self.taken or not slow

    def come(self, symbol: str, args: "Any", is_exact: bool) -> None:
        """Know whether this number is exact, and else how it was computed."""
        if all(y.how is None for y in args) and (is_exact or not self.x):
            return
        kept = [y for y in args if y.x or y.how is not None]
        self.how = hash((symbol, *map(Number.key, args)))
        if symbol == "+" and len(kept) == 1:
            self.how = kept[0].how or self.how

    def key(self) -> int:
        """A number that is the same for what has the same digits, of any number."""
        return hash(self.x) if self.how is None else self.how

    def lose(self, symbol: str, args: "Any") -> None:
        """Ask for more digits if few of an argument are left; be 0 if only noise is."""
        if symbol == "-" and not self.x and len({*map(Number.key, args)}) < len(args):
            return
        x, is_exact = abs(args[0].x), all(y.how is None for y in args)
        lossy = symbol in ("+", "-", "%", "sin", "cos", "tan", "fmod", "remainder")
        is_short = x < inf and not abs(self.x) >= x.scaleb(-25)
        if lossy and is_short and not is_exact:
            self.short, self.size = True, max(self.size, x.adjusted())
            if abs(self.x) < x.scaleb(26 - self.digits):
                self.x -= self.x
                self.size = max(self.size, 20)  # so in 160 of them
                self.empty = self.digits >= 400
        if symbol in DECIMALS and abs(x - 1) < 1e-25:
            self.short = self.short or not is_exact  # where logarithms end
        if symbol in DECIMALS and abs(abs(self.x) - 1) < 1e-25:
            self.size = max(self.size, 250 * (x > 9))  # as tanh is far out

    __add__ = operation("+", lambda x, y: x + y)
    __sub__ = operation("-", lambda x, y: x - y)
    __mul__ = operation("*", lambda x, y: x * y)

    def edge(self, other: "Number") -> "Decimal":
        """This number in a comparison, which needs the digits of both."""
        type(self).asked = max(self.asked, self.needed(), other.needed())
        return self.x


# Functions on decimals. One that is NaN is left to floats.
DECIMALS: "dict[str, Callable[..., Any]]" = {
    "exp": lambda x: x.exp(),
    "loggamma_sum": lambda x, y: log_gamma(x + y),
}


def log_gamma(x: "Decimal") -> "Any":
    """log(abs(gamma(x)))."""
    found, product = climbed(x)
    return found - abs(product).ln() if x not in (1, 2) else type(x)(0)


def climbed(x: "Decimal") -> "Any":
    """Stirling's series for log(gamma(x + n)) far enough out, and what leads there."""
    product = type(x)(1)
    if x < -3000 or (x < 0 and x % 1 == 0):
        return type(x)(nan), product
    while x < precision():
        product *= x
        x += 1
    half = type(x)("0.5")
    found = (x - half) * x.ln() - x + (2 * long_pi()).ln() * half
    return found + far_out(x, lambda k: 1 / type(x)(k * (k - 1))) * x, product


def far_out(x: "Decimal", factor: "Callable[[int], Any]") -> "Any":
    """The sum over even k of B/x^k times a factor of k, B the numbers of Bernoulli."""
    found, count = type(x)(0), precision() // 2
    for k, tangent in zip(range(count, 0, -1), reversed(tangents(count))):
        number = type(x)((-1) ** (k - 1) * 2 * k * tangent) / (4**k * (4**k - 1))
        found = (found + number * factor(2 * k)) / (x * x)
    return found


TANGENTS: "dict[int, list[int]]" = {}


def tangents(count: int) -> "list[int]":
    """The first tangent numbers, which are asked for often (Brent and Harvey 2011)."""
    from math import factorial

    if count not in TANGENTS:
        found = TANGENTS[count] = [factorial(k) for k in range(count)]
        for k in range(1, count):
            for j in range(k, count):
                found[j] = (j - k) * found[j - 1] + (j - k + 2) * found[j]
    return TANGENTS[count]


PI: "dict[int, Decimal]" = {}


def long_pi() -> "Decimal":
    """pi by the means of Gauss, as Salamin and Brent use them, once for all digits."""
    from decimal import Decimal

    if precision() in PI:
        return PI[precision()]
    x, y, rest, n = Decimal(1), Decimal("0.5").sqrt(), Decimal("0.25"), 1
    while n < 2 * precision():
        mean = (x + y) / 2
        x, y, rest = mean, (x * y).sqrt(), rest - n * (x - mean) ** 2
        n *= 2
    found = PI[precision()] = x * x / rest
    return found


def precision() -> int:
    """How many digits are computed with."""
    from decimal import getcontext

    return getcontext().prec
