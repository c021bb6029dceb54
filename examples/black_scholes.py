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
# digest: b9d61e02a4c3f99fc37478276586a54f

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
        d1 = (log(S / K) + (r + 0.5 * sigma * sigma) * T) / spread  # (...)/spread
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
        d1 = (log(S / K) + (r + t2 * sigma) * T) / spread  # (log(S/K) + (...)*T)/spread
        d_S = normcdf(d1)
        t3 = exp(-r * T) * normcdf(d1 - spread)
        t4 = K * t3  # K*exp(-r*T)*normcdf(d2)
        d_spread = S * normpdf(d1)  # in d(normcdf(d1))
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
AXES = range(5)

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
    found = tending(found, what, args)
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


def tending(found: "Any", what: "Any", args: "Any") -> "Any":
    """Results; what has no value is what it tends to, and so are its derivatives."""
    derived = what is not value
    whole = derived and is_vague(run(value, args[: len(INPUTS)]))
    if not whole and not is_vague(found):
        return found
    ways = [around(what, args)]

    def mended(x: "Any", ways: "Any") -> "Any":
        if isinstance(x, tuple):
            return tuple(mended(y, nth(ways, k)) for k, y in enumerate(x))
        if not whole and not is_vague(x):
            return x
        near = tended(ways, derived and not whole and isnan(x))
        settled = isfinite(x) or getattr(x, "taken", False)
        keeps = isnan(near) and not (whole and settled)
        return x if keeps or float(x) == near else type(x)(near)

    found = mended(found, ways)
    if derived and not whole and len(args) == len(INPUTS):
        found = (found[0], *along(found[1:], what, args))
    return found


def around(what: "Any", args: "Any", *how: "Any") -> "list[Any]":
    """Results around a point, those further away and, if there are any, the near."""
    sides = [run(what, args, 250, side, *how) for side in (0, 1)]
    if any(map(isfinite, flat(tuple(sides)))):
        sides += [run(what, args, 250, side, *how) for side in range(2, 6)]
    return sides


def nth(ways: "Any", k: int) -> "list[Any]":
    """The k-th part of results around a point."""
    return [[side[k] for side in sides] for sides in ways]


def tended(ways: "Any", slope: bool) -> float:
    """What numbers tend to, in the first of some ways to a point in which they do."""
    near = (limit([*map(sized, sides)], slope) for sides in ways)
    return next((x for x in near if not isnan(x)), nan)


def along(found: "Any", what: "Any", args: "Any") -> "Any":
    """Derivatives; one that tends to nothing from all sides may along its own input."""
    numbers = flat(found)
    near: "dict[int, Any]" = {}
    for k, x in enumerate(numbers):
        if isnan(x) or getattr(x, "taken", False):
            place = AXES[k % len(AXES)]
            if place not in near:
                ways = [around(what, args, place)]
                near[place] = [[flat(side[1:]) for side in way] for way in ways]
            there = tended(nth(near[place], k), isnan(x))
            numbers[k] = x if isnan(there) else type(x)(there)
    rest = iter(numbers)

    def nested(x: "Any") -> "Any":
        return tuple(map(nested, x)) if isinstance(x, tuple) else next(rest)

    return nested(found)


def flat(found: "Any") -> "list[Any]":
    """The numbers in a tuple, and in tuples in it."""
    if not isinstance(found, tuple):
        return [found]
    return [x for inner in found for x in flat(inner)]


def is_vague(found: "Any") -> bool:
    """Whether a result has no finite value, or one that was taken for a limit.

    One that is too large for a float has a value; that of a logarithm at 0 is no other.
    """
    if isinstance(found, tuple):
        return any(map(is_vague, found))
    x = getattr(found, "x", found)  # or it is a constant
    ends = x in (inf, -inf) and not getattr(found, "slow", False)
    return isnan(x) or ends or getattr(found, "taken", False)


def beside(x: "Any", n: int, side: int, least: "Any") -> "Any":
    """A number next to the n-th input, in one of three directions, on one of two sides.

    In the second one not all inputs grow, in the others all do or none.
    """
    wide = n + 1 / n if side < 2 else (2 + n**3) * (-1 if side < 4 and n % 2 else 1)
    near = type(x)(1 if x else least) * type(x)((1e-20, -1e-20)[side % 2])
    near *= abs(near) if side > 1 else 1
    return x + (x or 1) * near * type(x)(wide)


def smallest(xs: "Any") -> "Any":
    """What numbers next to 0 are measured by: 1, or the square of a smaller input.

    Or of the difference of two inputs.
    """
    ys = sorted([0, *xs])
    least = min([1, *[y - x for x, y in zip(ys, ys[1:]) if x < y]])
    return least * least if least > 1e-30 else least


def sized(x: "Any") -> float:
    """A number as a float, infinite if it is beyond what can be computed."""
    far = getattr(x, "beyond", False) and not getattr(x, "outside", False)
    return inf if isnan(x) and far else float(x)


def limit(xs: "list[float]", slope: bool) -> float:
    """What numbers around a point tend to, of which the two first are less near.

    The others are those in two directions: where these differ there is no limit. A
    slope is 0, too, where a value has a kink as abs has. What grows as a logarithm
    does, or any power, and has one sign is infinite; 0 is what shrinks as its inverse.
    """
    far, near = [[x for x in part if isfinite(x)] for part in (xs[:2], xs[2:])]
    if not far or not near or any(map(isinf, xs)):
        return nan  # of each pair one is enough, as at the edge of a domain
    size, middle = max(map(abs, far + near)), sum(near) / len(near)
    off = abs(sum(far) / len(far) - middle)  # which is half of a logarithm
    if max(near) - min(near) <= 1e-6 * abs(middle) and off <= 1e-5 * abs(middle):
        return middle
    sign = 1.0 if near[0] > 0 else -1.0
    low, high = [sign * x for x in far], [sign * x for x in near]
    least = 0.05 if near[1:] else 2
    most = 1e4 if min(low) > 20 else 1.2 if min(low) > least else 0.0
    even = max(low) < most * min(low) and max(high) < most * min(high)
    if even and 1.5 * max(low) < min(high):
        # From 1e-20 to 1e-40 a logarithm doubles, and is about the same all around.
        if min(high) > 1e3 * max(low) or max(high) < 1.5 * min(high):
            return sign * inf
    first, last = max(map(abs, far)), max(map(abs, near))
    shrinks = 0 < last < 1e-2 * first or (size < 1e-15 and last < 1e2 * first)
    halves = 1.75 * max(high) < min(low) and max(low) < 5.5 * min(high)
    halves = halves and max(low) < 1.3 * min(low) and max(high) < 1.3 * min(high)
    shrinks = shrinks or (halves and min(high) > 0)  # as a logarithm doubles
    is_kink = slope and max(abs(sum(far)), abs(sum(near))) < 1e-2 * size
    return 0.0 if shrinks or (is_kink and len(far + near) == len(xs)) else nan


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
        given: "Any" = [kind(float(x)).measure() for x in args]
        point = given[: len(INPUTS)] if side >= 0 else []
        least = smallest([y.x for y in point])
        for n, y in enumerate(point, 1):
            if only < 0 or n == only + 1:
                y.x = beside(y.x, n, side, least)
        found = on_numbers(*given)
    more = max([kind.asked, *(x.needed() for x in flat(found) if type(x) is kind)])
    return found if more <= digits else run(what, args, more, side, only, kept)


def lifted(what: "Any", kind: "type[Number]") -> "Any":
    """A function of floats as one of numbers, with the constants in it."""

    def replaced(item: "Any") -> "Any":
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
        new.leave(symbol, args)
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
    outside = False  # it is not defined, however large numbers may be

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
        self.faint |= symbol in ("erfc", "normcdf") and not self.x
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

    def leave(self, symbol: str, args: "Any") -> None:
        """Know whether a function is not defined there, as a root is not below 0."""
        ends = isnan(self.x) and not any(isnan(y.x) for y in args)
        ends = ends and symbol in ("acos", "acosh", "asin", "log", "pow", "sqrt")
        self.outside = ends or any(y.outside for y in args)

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
    __truediv__ = operation("/", lambda x, y: x / y)
    __neg__ = operation("-", lambda x: -x)

    def edge(self, other: "Number") -> "Decimal":
        """This number in a comparison, which needs the digits of both."""
        type(self).asked = max(self.asked, self.needed(), other.needed())
        return self.x


# Functions on decimals. One that is NaN is left to floats.
DECIMALS: "dict[str, Callable[..., Any]]" = {
    "sqrt": lambda x: (x + 0).sqrt(),
    "exp": lambda x: x.exp(),
    "log": lambda x, *base: x.ln() / base[0].ln() if base else x.ln(),
    "normcdf": lambda x: erf_rest(-x / type(x)(2).sqrt()) / 2,
    "normpdf": lambda x: (-x * x / 2).exp() / (2 * long_pi()).sqrt(),
}


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


def series(term: "Any", ratio: "Callable[[int], Any]") -> "Any":
    """The sum of a series by its first term and the ratios from each to the next."""
    found, n = term, 1
    while abs(found + term - found) > 0:
        term *= ratio(n)
        found += term
        n += 1
    return found


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
