"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # The sum of squared residuals of a decay to a background, for a fit by least squares.
    input height in [0.1, 10], rate in [0.01, 5], background in [-1, 1]
    data t[6] in [0, 10], seen[6] in [-1, 11]

    residual = height*exp(-rate*t) + background - seen
    sum(residual^2)

Arguments:
    height: in [0.1, 10]
    rate: in [0.01, 5]
    background: in [-1, 1]
    t: 6; data, gets no derivative; in [0, 10]
    seen: 6; data, gets no derivative; in [-1, 11]
"""

# Do not edit: change the formula and compile it again.
# digest: d319c496dfadb0bcb188434502603797

from math import exp, inf, isinf, isnan, nan
from sys import _getframe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

INPUTS = ("height", "rate", "background", "t", "seen")
WRT = ("height", "rate", "background")


def value(
    height: float,
    rate: float,
    background: float,
    t: "Sequence[float]",
    seen: "Sequence[float]",
) -> float:
    """Return the value of the formula."""
    height = number("height", height)
    rate = number("rate", rate)
    background = number("background", background)
    t_0, t_1, t_2, t_3, t_4, t_5 = vector("t", t, 6)
    seen_0, seen_1, seen_2, seen_3, seen_4, seen_5 = vector("seen", seen, 6)
    try:
        t1 = -rate
        residual_0 = height * exp(t1 * t_0) + background - seen_0  # height*exp(-rate...
        residual_1 = height * exp(t1 * t_1) + background - seen_1  # height*exp(-rate...
        residual_2 = height * exp(t1 * t_2) + background - seen_2  # height*exp(-rate...
        residual_3 = height * exp(t1 * t_3) + background - seen_3  # height*exp(-rate...
        residual_4 = height * exp(t1 * t_4) + background - seen_4  # height*exp(-rate...
        residual_5 = height * exp(t1 * t_5) + background - seen_5  # height*exp(-rate...
        t2 = (
            residual_0 * residual_0
            + residual_1 * residual_1
            + residual_2 * residual_2
            + residual_3 * residual_3
            + residual_4 * residual_4
            + residual_5 * residual_5
        )  # sum(residual^2)
        return t2
    except (ArithmeticError, ValueError):
        return careful(value, height, rate, background, t, seen)


def value_and_grad(
    height: float,
    rate: float,
    background: float,
    t: "Sequence[float]",
    seen: "Sequence[float]",
) -> tuple[float, tuple[float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    height = number("height", height)
    rate = number("rate", rate)
    background = number("background", background)
    t_0, t_1, t_2, t_3, t_4, t_5 = vector("t", t, 6)
    seen_0, seen_1, seen_2, seen_3, seen_4, seen_5 = vector("seen", seen, 6)
    try:
        t1 = -rate
        t2 = exp(t1 * t_0)  # exp(-rate*t)
        t3 = exp(t1 * t_1)  # exp(-rate*t)
        t4 = exp(t1 * t_2)  # exp(-rate*t)
        t5 = exp(t1 * t_3)  # exp(-rate*t)
        t6 = exp(t1 * t_4)  # exp(-rate*t)
        t7 = exp(t1 * t_5)  # exp(-rate*t)
        residual_0 = height * t2 + background - seen_0  # height*exp(-rate*t) + backg...
        residual_1 = height * t3 + background - seen_1  # height*exp(-rate*t) + backg...
        residual_2 = height * t4 + background - seen_2  # height*exp(-rate*t) + backg...
        residual_3 = height * t5 + background - seen_3  # height*exp(-rate*t) + backg...
        residual_4 = height * t6 + background - seen_4  # height*exp(-rate*t) + backg...
        residual_5 = height * t7 + background - seen_5  # height*exp(-rate*t) + backg...
        t8 = (
            residual_0 * residual_0
            + residual_1 * residual_1
            + residual_2 * residual_2
            + residual_3 * residual_3
            + residual_4 * residual_4
            + residual_5 * residual_5
        )  # sum(residual^2)
        t9 = residual_0 * t2  # d(height)
        t10 = residual_1 * t3  # d(height)
        t11 = residual_2 * t4  # d(height)
        t12 = residual_3 * t5  # d(height)
        t13 = residual_4 * t6  # d(height)
        t14 = residual_5 * t7  # d(height)
        t15 = t9 * t_0 + t10 * t_1 + t11 * t_2 + t12 * t_3 + t13 * t_4 + t14 * t_5
        t16 = (
            residual_0 + residual_1 + residual_2 + residual_3 + residual_4 + residual_5
        )  # d(background)
        return t8, (
            2.0 * (t9 + t10 + t11 + t12 + t13 + t14),
            -2.0 * t15 * height,
            2.0 * t16,
        )
    except (ArithmeticError, ValueError):
        return careful(value_and_grad, height, rate, background, t, seen)


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


def number(name: str, given: object) -> float:
    """An argument that is one number; see `elements`."""
    return given if type(given) is float else elements(name, given, ())[0]


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
        return float(given)
    if isinstance(given, (str, bytes, set)) or hasattr(given, "keys"):
        return given  # which has no shape
    if hasattr(given, "__getitem__") and hasattr(given, "__iter__"):
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
    (0, "", 0): "6:1: sum(residual^2)",
    (15, "exp", 1): "5:19: exp(-rate*t)",
    (16, "exp", 1): "5:19: exp(-rate*t)",
    (17, "exp", 1): "5:19: exp(-rate*t)",
    (18, "exp", 1): "5:19: exp(-rate*t)",
    (19, "exp", 1): "5:19: exp(-rate*t)",
    (20, "exp", 1): "5:19: exp(-rate*t)",
}
CHECKS = (number, vector)

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
    names = map(what.__globals__.get, what.__code__.co_names)
    given = args if any(item in CHECKS for item in names) else given
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
        if item in CHECKS:
            return lambda *given: numbers(item(*given))
        if callable(item) and item not in (abs, max, min):
            return function(item)
        if not isinstance(item, float):
            return item
        found = kind(item)
        return found

    def numbers(found: "Any") -> "Any":
        is_one = isinstance(found, float)
        return kind(found) if is_one else [kind(float(x)) for x in found]

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
    "exp": lambda x: x.exp(),
}


def log_1p(x: "Decimal") -> "Decimal":
    """log(1 + x)."""
    return x - x * x / 2 if is_tiny(x) else (1 + x).ln()


def is_tiny(x: "Decimal") -> bool:
    """Whether less than half of the digits of x are left in 1 + x."""
    return abs(x) < type(x)(10) ** (precision() * -9 // 20)


def precision() -> int:
    """How many digits are computed with."""
    from decimal import getcontext

    return getcontext().prec
