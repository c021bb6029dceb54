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
# digest: edf3db2c4c55a223a53710a9158ea7c6

from math import erfc, exp, inf, isfinite, isinf, isnan, log, nan, pi, sqrt
from sys import _getframe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

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
        spread = sigma * sqrt(T)
        d1 = (log(S / K) + (r + 0.5 * sigma * sigma) * T) / spread  # (log(S/K) + (r...
        return S * normcdf(d1) - K * (exp(-r * T) * normcdf(d1 - spread))
    except (ArithmeticError, ValueError):
        return careful(value, S, K, r, sigma, T)


def value_and_grad(
    S: float, K: float, r: float, sigma: float, T: float
) -> tuple[float, tuple[float, float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t1 = sqrt(T)
        spread = sigma * t1  # sigma*sqrt(T)
        t2 = 0.5 * sigma
        d1 = (log(S / K) + (r + t2 * sigma) * T) / spread  # (log(S/K) + (r + sigma^2...
        d_S = normcdf(d1)
        t3 = exp(-r * T) * normcdf(d1 - spread)
        t4 = K * t3  # K*exp(-r*T)*normcdf(d2)
        d_spread = S * normpdf(d1)  # d(normcdf(d1))
        return S * d_S - t4, (
            d_S,
            -t3,
            t4 * T,
            d_spread * t1,
            t2 * d_spread / t1 + t4 * r,
        )
    except (ArithmeticError, ValueError):
        return careful(value_and_grad, S, K, r, sigma, T)


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

# Where Python raises or digits are lost, the functions above run again, in numbers
# without bounds and of so many digits, or of more where most of these cancel.
DIGITS = 60


def careful(what: "Callable[..., Result]", *args: "Any") -> "Result":
    """What a function returns where floats end, on the way or in a result."""
    point = args[: len(INPUTS)]
    found: "Any"
    if what is value:
        found = floats(run_again(what, point), point)
    else:
        alone = value(*point)  # where there is none, all else is in vain
        derived = run_again(what, args, adjoint=True)
        is_product = len(args) > len(INPUTS)
        found = floats(derived if is_product else derived[1:], point)
        found = found if is_product else (alone, *found)
    result: "Result" = found
    return result


def floats(item: "Any", point: "tuple[Any, ...]") -> "Any":
    """The results of a run as floats.

    Raises:
        ValueError: a value is not finite, or a derivative is not a number.
    """
    if isinstance(item, tuple):
        return tuple(floats(x, point) for x in item)
    found = float(item)
    if not IEEE and (isnan(found) or (isinf(found) and not item.adjoint)):
        what = f"{PARTS[0, '', 0]}: a derivative" if item.adjoint else part(item)
        how = "not a real number" if isnan(found) else "infinite"
        at = ", ".join(f"{name} = {x!r}" for name, x in zip(INPUTS, point))
        raise ValueError(f"{what} is {how} at {at}")
    return found


def part(found: "Number") -> str:
    """The part of the formula that made a value infinite or NaN."""
    done = found.done[: found.origin]
    line, symbol = done[-1] if done else (0, "")
    first = value.__code__.co_firstlineno
    starts = [first + n for n, name, _ in PARTS if name == symbol and first + n <= line]
    start = max(starts, default=0)
    count = sum(name == symbol and n >= start for n, name in done)
    return PARTS.get((start - first, symbol, count), PARTS[0, "", 0])


def run_again(what: "Any", args: "tuple[Any, ...]", adjoint: bool = False) -> "Any":
    """Run a function of this module on numbers without bounds."""
    found = run_once(what, args, adjoint)
    if adjoint or has_none(found):
        found = tending(found, what, args)
    return found


def has_none(found: "Any") -> bool:
    """Whether a result has no finite value."""
    is_one = not isinstance(found, tuple)
    return not isfinite(found) if is_one else any(map(has_none, found))


def is_vague(found: "Any") -> bool:
    """Whether a result has no finite value, or one that was taken for a limit."""
    if isinstance(found, tuple):
        return any(map(is_vague, found))
    return has_none(found) or getattr(found, "taken", False)  # or it is a constant


def around(point: "Any") -> "list[Any]":
    """Four points on two lines through a point, in pairs on its two sides."""
    return [moved(point, k, []) for k in range(4)]


def moved(x: "Any", k: int, others: "list[Any]") -> "Any":
    """The k-th of the points, of which the others before this entry are done."""
    x = x.tolist() if hasattr(x, "tolist") else x  # of NumPy
    if hasattr(x, "__iter__"):
        return [moved(entry, k, others) for entry in x]
    others.append(x)
    n = len(others)
    wide = n + 1 / n if k < 2 else (-1) ** n * (2 + n)
    step = (1.3e-12, -1.3e-12, 7e-13, -7e-13)[k] * wide
    return x + (x or 1.0) * step


def tending(found: "Any", what: "Any", args: "Any") -> "Any":
    """A result; what has no value is what it tends to, and so are its derivatives."""
    point, others = args[: len(INPUTS)], args[len(INPUTS) :]
    adjoint = what is not value
    whole = adjoint and has_none(run_once(value, point, False))
    if not whole and not is_vague(found):
        return found
    sides = [run_once(what, (*x, *others), adjoint) for x in around(point)]

    def mended(x: "Any", sides: "Any") -> "Any":
        if isinstance(x, tuple):
            return tuple(map(mended, x, zip(*sides)))
        if not whole and not is_vague(x):
            return x
        slope = adjoint and not whole and isnan(x)
        near = limit([*map(float, sides)], is_open(x), slope)
        is_kept = not whole and abs(near - float(x)) < 1e-4 * abs(near)
        if is_kept or (isnan(near) and (has_none(x) or not whole)):
            return x
        return type(x)(near)

    return mended(found, sides)


def is_open(x: "Number") -> bool:
    """Whether arithmetic left open what a number is, not the domain of a function."""
    return isfinite(x) or x.pole or x.done[x.origin - 1][1] in "+-*/"


def limit(xs: "list[float]", inside: bool, slope: bool) -> float:
    """What numbers around a point tend to: the mean of pairs, 0 if they are tiny.

    Arguments:
        inside: one number of each pair is enough, as at the edge of a domain.
        slope: of a value that is known, and 0 where the value has a kink as abs has.
    """
    pairs = [[x for x in pair if isfinite(x)] for pair in (xs[:2], xs[2:])]
    found = [x for pair in pairs for x in pair]
    if not all(pairs) or (len(found) < 4 and not inside):
        return nan
    one, other = (sum(pair) / len(pair) for pair in pairs)
    size, spread = max(map(abs, found)), max(found) - min(found)
    if spread <= 1e-2 * size and abs(one - other) <= 1e-6 * size:
        return (one + other) / 2
    is_kink = slope and len(found) == 4 and max(abs(one), abs(other)) < 1e-2 * size
    return 0.0 if size < 1e-9 or is_kink else nan


def run_once(what: "Any", args: "tuple[Any, ...]", adjoint: bool) -> "Any":
    """Run a function of this module on numbers of as many digits as it needs."""
    found, digits = run_in(DIGITS, what, args, adjoint)
    return found if digits == DIGITS else run_in(digits, what, args, adjoint)[0]


def run_in(digits: int, what: "Any", args: "Any", adjoint: bool) -> "tuple[Any, int]":
    """Run a function in so many digits; also how many it needs."""
    from decimal import localcontext

    kind: "Any" = type("Number", (Number,), {"done": [], "adjoint": adjoint})
    given: "Any" = (kind(float(x)) for x in args)
    with localcontext(wide(digits)):
        run = lifted(what, kind)
        return run(*given), needed(kind)


def needed(kind: "type[Number]") -> int:
    """How many digits a run needs, by how large and small its numbers were."""
    return min(DIGITS + 4 * kind.size, 1000) if kind.short and kind.size > 9 else DIGITS


def wide(digits: int) -> "Any":
    """The precision and the range of numbers without bounds."""
    from decimal import MAX_EMAX, MIN_EMIN, Context

    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def lifted(what: "Any", kind: "type[Number]") -> "Any":
    """A function of floats as one of numbers, with the constants in it."""

    def replaced(item: "Any") -> "Any":
        if callable(item) and item not in (abs, max, min):
            return function(item)
        if not isinstance(item, float):
            return item
        found = kind(item)
        return found

    code, names = what.__code__, what.__globals__
    used = {name: replaced(names[name]) for name in code.co_names if name in names}
    code = code.replace(co_consts=tuple(map(replaced, code.co_consts)))
    return type(what)(code, used)


class Number:
    """A number without bounds, infinite or NaN where Python raises."""

    done: "list[tuple[int, str]]"  # the operations of a run, with their lines
    adjoint: bool  # of a derivative, in which a factor of 0 contributes nothing
    origin = 0  # how many operations were done when it came to be infinite or NaN
    slow = False  # infinite as a logarithm is, which any power outweighs
    pole = False  # infinite at first, and so at an edge, not behind it
    faint = False  # 0 as the inverse of an infinity is
    taken = False  # a derivative for which 0/0 has been taken for 0
    log: "Decimal | None" = None  # of its size, where decimals end
    rounded = False  # computed, and so it may be
    short = False  # of a run, in which too many digits have cancelled
    size = 0  # of a run, of the smallest number in it, or the largest that cancelled

    def __init__(self, x: "Decimal | float") -> None:
        from decimal import Decimal

        self.x = Decimal(x)
        if self.x:
            type(self).size = max(self.size, -self.x.adjusted())

    def __float__(self) -> float:
        return float(self.x)

    def found(self, symbol: str, x: "Decimal | float", *others: "Number") -> "Number":
        """The result of an operation on this and other numbers."""
        args = (self, *others)
        new = type(self)(x)
        endless = [y for y in args if not y.x.is_finite()]
        self.done.append((_getframe(2).f_lineno, symbol))
        new.rounded = True
        new.origin = endless[0].origin if endless else len(self.done)
        new.pole = endless[0].pole if endless else isinf(new.x)
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            new.slow = isinf(new.x) and all(y.slow for y in endless)
        new.faint = not new.x and (bool(endless) or any(y.faint for y in args))
        new.taken = any(y.taken for y in args)
        if not (new.x and new.x.is_finite()):
            new.go_on(symbol, args)
        return new

    def go_on(self, symbol: str, args: "tuple[Number, ...]") -> None:
        """Be what logarithms give where decimals end, as with exp(1e20)."""
        sign, log = beyond(symbol, args)
        if log.is_nan():
            return
        sizes = [abs(x) for x in (log, *(y.log for y in args)) if x is not None]
        error = max(sizes).scaleb(2 - precision())
        if error.adjusted() > -25:
            type(self).short = True
            type(self).size = max(self.size, error.adjusted() + precision())
        if error.adjusted() <= -25 or abs(log) > 1000 * error:
            self.x = log.exp() * sign
            self.log = None if self.x and self.x.is_finite() else log
            self.faint = not self.x
            self.slow = self.pole = self.taken = False

    def vanishes(self, *others: "Number") -> bool:
        """Whether a product or quotient that has no value is 0, as one of its factors."""
        factors = (self, *others)
        if any(y.slow for y in factors):
            return True
        self.taken = self.adjoint and not any(y.faint for y in factors)
        return self.taken

    def left(self, x: "Decimal", other: "Number") -> "Decimal":
        """What is left of this number in a sum or sine, 0 for nothing but rounding."""
        if abs(x) < abs(self.x).scaleb(-25) and (self.rounded or other.rounded):
            type(self).short = True
            type(self).size = max(self.size, self.x.adjusted())
            return x - x if abs(x) < abs(self.x).scaleb(6 - precision()) else x
        return x

    def __add__(self, other: "Number") -> "Number":
        return self.found("+", self.left(self.x + other.x, other), other)

    def __sub__(self, other: "Number") -> "Number":
        return self.found("-", self.left(self.x - other.x, other), other)

    def __mul__(self, other: "Number") -> "Number":
        low, high = sorted((abs(self.x), abs(other.x)))
        is_zero = low == 0 and high == inf and self.vanishes(other)
        return self.found("*", low if is_zero else self.x * other.x, other)

    def __truediv__(self, other: "Number") -> "Number":
        is_zero = self.x == other.x == 0 and self.vanishes()
        return self.found("/", self.x if is_zero else self.x / other.x, other)

    def __neg__(self) -> "Number":
        return self.found("-", -self.x)


def function(on: "Callable[..., float]") -> "Callable[..., Number]":
    """A function on floats as one on numbers."""

    def run(*args: Number) -> Number:
        first, *others = args
        found = of_decimals(on, *(y.x for y in args))
        if first.rounded and abs(abs(first.x) - 1) < 1e-25:  # where log and log1p end
            type(first).short = True
        gap = abs(abs(found) - 1)
        if not others and abs(first.x) > 9 and gap < 1e-25:  # such as tanh far out
            type(first).size = max(first.size, -gap.adjusted() if gap else 250)
        return first.found(on.__name__, found, *others)

    return run


def beyond(symbol: str, args: "Any") -> "Any":
    """The sign of a result that decimals have not, and its logarithm; NaN if unknown."""
    xs = [y.x for y in args]
    one = type(xs[0])(1)
    none = one, type(one)(nan)
    known = [bool(x) and x.is_finite() for x in xs]
    if symbol in LOGARITHMS and all(known):
        return one.copy_sign(xs[0] if symbol == "sinh" else one), LOGARITHMS[symbol](
            *xs
        )
    if all(y.log is None for y in args):
        return none
    logs = [
        abs(x).ln() if is_known else y.log for x, is_known, y in zip(xs, known, args)
    ]
    if None in logs:
        return none
    signs = [one.copy_sign(x) for x in xs]
    first, last = logs[0], logs[-1]
    if symbol in ("*", "/"):
        return signs[0] * signs[1], first + last if symbol == "*" else first - last
    if symbol in ("+", "-") and len(args) > 1:
        signs[1] *= 1 if symbol == "+" else -1
        gap = signs[0] * signs[1] * (-abs(first - last)).exp()
        return signs[last > first], max(logs) + log_1p(gap) if gap > -1 else none[1]
    if symbol == "pow" and known[1] and (xs[0] > 0 or not xs[1] % 1):
        return signs[0] if xs[1] % 2 else one, first * xs[1]
    if symbol in ("-", "abs", "sqrt"):
        return -signs[0] if symbol == "-" else one, first / (1 + (symbol == "sqrt"))
    if symbol.startswith("log") and xs[0] >= 0 and (xs[0] or symbol != "log1p"):
        base = one * int(symbol[3:]) if symbol in ("log2", "log10") else one.exp()
        return one.copy_sign(first), (abs(first) / base.ln()).ln()
    return (signs[0], first) if symbol in SAME and not xs[0] else none


# Functions that are as their argument near 0.
SAME = {"expm1", "log1p", "sinh", "tanh", "atan", "sin", "tan"}


# The logarithms of functions where decimals end.
LOGARITHMS: "dict[str, Callable[..., Any]]" = {
    "exp": lambda x: x,
}


def of_decimals(on: "Any", *args: "Decimal") -> "Any":
    """What a function on floats is on decimals."""
    if any(map(isnan, args)):
        return nan
    try:
        if on.__name__ in DECIMALS:
            from decimal import localcontext

            with localcontext() as context:
                context.prec += 20
                found = DECIMALS[on.__name__](*args)
            if not isnan(found) or on.__name__ == "pow":
                return +found
        return on(*map(float, args))
    except OverflowError:
        return inf
    except (ArithmeticError, ValueError):
        return nan


# Functions on decimals. One that is NaN is left to floats.
DECIMALS: "dict[str, Callable[..., Any]]" = {
    "sqrt": lambda x: x.sqrt(),
    "exp": lambda x: x.exp(),
    "log": lambda x, *base: x.ln() / base[0].ln() if base else x.ln(),
    "normcdf": lambda x: erf_rest(-x / type(x)(2).sqrt()) / 2,
    "normpdf": lambda x: (-x * x / 2).exp() / (2 * long_pi()).sqrt(),
}


def log_1p(x: "Decimal") -> "Decimal":
    """log(1 + x)."""
    return x - x * x / 2 if is_tiny(x) else (1 + x).ln()


def erf_rest(x: "Decimal") -> "Any":
    """1 - erf(x)."""
    return (-x * x).exp() * scaled_erf_rest(x)


def scaled_erf_rest(x: "Decimal") -> "Any":
    """exp(x^2)*(1 - erf(x)), by a series or, far out, by a continued fraction."""
    if x < 0:
        return 2 * (x * x).exp() - scaled_erf_rest(-x)
    if x * x < precision():
        found = series(x, lambda n: 2 * x * x / (2 * n + 1))
        return (x * x).exp() - 2 * found / long_pi().sqrt()
    below, digits = x, precision()
    for k in range(int(digits / 2 + (digits / float(x)) ** 2), 0, -1):
        below = x + k / (2 * below)
    return 1 / below / long_pi().sqrt()


def is_tiny(x: "Decimal") -> bool:
    """Whether less than half of the digits of x are left in 1 + x."""
    return abs(x) < type(x)(10) ** (precision() * -9 // 20)


def series(term: "Any", ratio: "Callable[[int], Any]") -> "Any":
    """The sum of a series by its first term and the ratios from each to the next."""
    found, n = term, 1
    while abs(found + term - found) > 0:
        term *= ratio(n)
        found += term
        n += 1
    return found


def long_pi() -> "Decimal":
    """pi by the means of Gauss, as Salamin and Brent use them."""
    from decimal import Decimal

    x, y, rest, n = Decimal(1), Decimal("0.5").sqrt(), Decimal("0.25"), 1
    while n < 2 * precision():
        mean = (x + y) / 2
        x, y, rest = mean, (x * y).sqrt(), rest - n * (x - mean) ** 2
        n *= 2
    return x * x / rest


def precision() -> int:
    """How many digits are computed with."""
    from decimal import getcontext

    return getcontext().prec
