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
# digest: 27697b03b9a17a27a4704888692d1b61

from math import inf, isfinite, isinf, isnan, nan, pi, pow
from sys import _getframe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

INPUTS = ("speed", "diameter", "density", "viscosity")
WRT = ("speed", "diameter")

_C1 = 0.125 * pi
_QUARTER_PI = 0.25 * pi


def value(speed: float, diameter: float, density: float, viscosity: float) -> float:
    """Return the value of the formula."""
    try:
        t1 = speed * diameter * density  # in density*speed*diameter/viscosity
        reynolds = t1 / viscosity  # density*speed*diameter/viscosity
        if reynolds < 0.1:
            coefficient = 24.0 * viscosity / t1
        elif reynolds < 1000.0:
            t2 = 1.0 + 0.15 * pow(reynolds, 0.687)
            coefficient = t2 * (24.0 * viscosity / t1)
        else:
            coefficient = 0.44
        return _C1 * (t1 * coefficient * speed) * diameter
    except (ArithmeticError, ValueError):
        return careful(value, speed, diameter, density, viscosity)


def value_and_grad(
    speed: float, diameter: float, density: float, viscosity: float
) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t1 = speed * diameter * density  # in density*speed*diameter/viscosity
        reynolds = t1 / viscosity  # density*speed*diameter/viscosity
        if reynolds < 0.1:
            coefficient = 24.0 * viscosity / t1
            t2 = density * coefficient * (_C1 * diameter * speed)
            t3 = t2 * speed
            t4 = t2 * diameter
        elif reynolds < 1000.0:
            t5 = 1.0 + 0.15 * pow(reynolds, 0.687)
            coefficient = t5 * (24.0 * viscosity / t1)
            t6 = 2.4732000000000003 * pow(reynolds, -0.31299999999999994)
            t7 = density * (_C1 * diameter * speed)
            t8 = t7 * (coefficient - t6)
            t3 = t8 * speed  # d(diameter)
            t4 = t8 * diameter  # d(speed)
        else:
            coefficient = 0.44
            t3 = 0.0
            t4 = 0.0
        t9 = t1 * coefficient
        t10 = t9 * speed
        return _C1 * t10 * diameter, (
            _QUARTER_PI * t9 * diameter - t4,
            _QUARTER_PI * t10 - t3,
        )
    except (ArithmeticError, ValueError):
        return careful(value_and_grad, speed, diameter, density, viscosity)


IEEE = False
PARTS = {
    (0, "", 0): "13:1: coefficient * density*speed^2/2 * pi*diameter^2/4",
    (4, "/", 1): "7:12: density*speed*diameter/viscosity",
    (6, "/", 1): "the formula",
    (8, "pow", 1): "10:28: reynolds^0.687",
    (9, "/", 1): "the formula",
}


def constants() -> "dict[str, Any]":
    """Return what is computed at import."""
    _C1 = 0.125 * pi
    _QUARTER_PI = 0.25 * pi
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

    def __lt__(self, other: "Number") -> bool:
        return self.x < other.x


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
    "pow": lambda x, y: y * x.ln(),
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
    "pow": lambda x, y: power(x, y),
}


def power(x: "Decimal", y: "Decimal") -> "Any":
    """x to the y: 1 if y is 0, and without a value if 1 is raised to an infinity."""
    if not y:
        return type(x)(1)
    return x**y if x != 1 or abs(y) < inf else nan


def log_1p(x: "Decimal") -> "Decimal":
    """log(1 + x)."""
    return x - x * x / 2 if is_tiny(x) else (1 + x).ln()


def is_tiny(x: "Decimal") -> bool:
    """Whether less than half of the digits of x are left in 1 + x."""
    return abs(x) < type(x)(10) ** (precision() * -9 // 20)


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
