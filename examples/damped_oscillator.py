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
# digest: 3958879da184354abb8592907eff6bc1

from math import cos, exp, inf, isfinite, isinf, isnan, nan, pi, sin
from sys import _getframe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

INPUTS = ("amplitude", "rate", "frequency", "phase", "t", "reading")
WRT = ("amplitude", "rate", "frequency", "phase")

_TWO_PI = 2.0 * pi
_MINUS_TWO_PI = -2.0 * pi


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
        t1 = cos(_TWO_PI * frequency * t + phase)  # cos(2*pi*frequency*t + phase)
        model = amplitude * exp(-t * rate) * t1  # amplitude*exp(...)*cos(...)
        t2 = model - reading
        return t2 * t2
    except (ArithmeticError, ValueError):
        return careful(value, amplitude, rate, frequency, phase, t, reading)


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
        t1 = -t
        t2 = exp(t1 * rate)  # exp(-rate*t)
        t3 = amplitude * t2  # amplitude*exp(-rate*t)
        t4 = _TWO_PI * frequency * t + phase  # 2*pi*frequency*t + phase
        t5 = cos(t4)  # cos(2*pi*frequency*t + phase)
        t6 = t3 * t5 - reading  # model - reading
        d_model = 2.0 * t6  # in d((model - reading)^2)
        t7 = d_model * t5  # in d(amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase))
        t8 = d_model * t3 * sin(t4)  # in d(cos(2*pi*frequency*t + phase))
        return t6 * t6, (t7 * t2, t1 * t7 * t3, _MINUS_TWO_PI * t8 * t, -t8)
    except (ArithmeticError, ValueError):
        return careful(value_and_grad, amplitude, rate, frequency, phase, t, reading)


IEEE = False
PARTS = {
    (0, "", 0): "7:1: (model - reading)^2",
    (11, "exp", 1): "6:19: exp(-rate*t)",
}


def constants() -> "dict[str, Any]":
    """Return what is computed at import."""
    _TWO_PI = 2.0 * pi
    _MINUS_TWO_PI = -2.0 * pi
    return locals()


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
        on_numbers.__globals__.update(lifted(constants, kind)())
        kind.done.clear()
        given: "Any" = [kind(float(x)).measure() for x in args]
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
    if "pi" in used:
        used["pi"] = kind(long_pi())
        used["pi"].how = hash("pi")
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
        if on.__name__ in DECIMALS:
            found = DECIMALS[on.__name__](*xs)
            edged = ("acos", "acosh", "asin", "pow", "sqrt")
            if not isnan(found) or on.__name__ in edged:
                return found
        return on(*map(float, xs))
    except (ArithmeticError, ValueError):
        return nan


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

    __add__ = operation("+", lambda x, y: x + y)
    __sub__ = operation("-", lambda x, y: x - y)
    __mul__ = operation("*", lambda x, y: x * y)
    __neg__ = operation("-", lambda x: -x)

    def edge(self, other: "Number") -> "Decimal":
        """This number in a comparison, which needs the digits of both."""
        type(self).asked = max(self.asked, self.needed(), other.needed())
        return self.x


# Functions on decimals. One that is NaN is left to floats.
DECIMALS: "dict[str, Callable[..., Any]]" = {
    "exp": lambda x: x.exp(),
    "sin": lambda x: sine(2 * x / long_pi(), 0),
    "cos": lambda x: sine(2 * x / long_pi(), 1),
}


def sine(x: "Decimal", n: int) -> "Any":
    """The sine of x + n right angles; NaN where x is too large."""
    if not x.is_finite() or x.adjusted() > precision() - 25:
        return type(x)(nan)
    nearest = round(x)
    y = (x - nearest) * long_pi() / 2
    n = (nearest + n) % 4
    odd = n % 2
    first = type(y)(1) if odd else y
    found = series(first, lambda k: -y * y / (2 * k * (2 * k + 1 - 2 * odd)))
    return -found if n > 1 else found


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
