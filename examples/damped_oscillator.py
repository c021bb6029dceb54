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
# digest: 59c34da63b561bc9ef30e9301c294f55

from math import cos, exp, inf, isinf, isnan, nan, pi, sin
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
_MINUS_2_PI = -2.0 * pi


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
        model = amplitude * exp(-t * rate) * t1  # amplitude*exp(-rate*t)*cos(2*pi*fr...
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
        d_model = 2.0 * t6  # d((model - reading)^2)
        t7 = d_model * t5  # d(amplitude*exp(-rate*t)*cos(2*pi*frequency*t + phase))
        t8 = d_model * t3 * sin(t4)  # d(cos(2*pi*frequency*t + phase))
        return t6 * t6, (t7 * t2, t1 * t7 * t3, _MINUS_2_PI * t8 * t, -t8)
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
    _MINUS_2_PI = -2.0 * pi
    return locals()


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
    return found


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
        run.__globals__.update(lifted(constants, kind)())
        kind.done.clear()
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
    if "pi" in used:
        used["pi"] = kind(long_pi())
    code = code.replace(co_consts=tuple(map(replaced, code.co_consts)))
    return type(what)(code, used)


class Number:
    """A number without bounds, infinite or NaN where Python raises."""

    done: "list[tuple[int, str]]"  # the operations of a run, with their lines
    adjoint: bool  # of a derivative, in which a factor of 0 contributes nothing
    origin = 0  # how many operations were done when it came to be infinite or NaN
    slow = False  # infinite as a logarithm is, which any power outweighs
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

    def winds(self, *others: "Number") -> None:
        """Ask for more digits where so many periods leave too few."""
        period = others[0].x if others else self.x / self.x
        apart = self.x.adjusted() - period.adjusted()
        if self.rounded and apart > 20 and self.x.is_finite():
            type(self).short = True
            type(self).size = max(self.size, apart // 3 + 10)

    def __add__(self, other: "Number") -> "Number":
        return self.found("+", self.left(self.x + other.x, other), other)

    def __sub__(self, other: "Number") -> "Number":
        return self.found("-", self.left(self.x - other.x, other), other)

    def __mul__(self, other: "Number") -> "Number":
        low, high = sorted((abs(self.x), abs(other.x)))
        is_zero = low == 0 and high == inf and self.vanishes(other)
        return self.found("*", low if is_zero else self.x * other.x, other)

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
        if on.__name__ in WINDING:
            first.winds(*others)
            found = found if others else first.left(found, first)
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


# Functions of which many periods may lie before an argument.
WINDING = {"sin", "cos", "tan", "fmod", "remainder"}


# Functions on decimals. One that is NaN is left to floats.
DECIMALS: "dict[str, Callable[..., Any]]" = {
    "exp": lambda x: x.exp(),
    "sin": lambda x: sine(2 * x / long_pi(), 0),
    "cos": lambda x: sine(2 * x / long_pi(), 1),
}


def log_1p(x: "Decimal") -> "Decimal":
    """log(1 + x)."""
    return x - x * x / 2 if is_tiny(x) else (1 + x).ln()


def sine(x: "Decimal", n: int) -> "Any":
    """The sine of x + n right angles; NaN where x is too large."""
    if x.adjusted() > precision() - 25:
        return type(x)(nan)
    nearest = round(x)
    y = (x - nearest) * long_pi() / 2
    n = (nearest + n) % 4
    odd = n % 2
    first = type(y)(1) if odd else y
    found = series(first, lambda k: -y * y / (2 * k * (2 * k + 1 - 2 * odd)))
    return -found if n > 1 else found


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
