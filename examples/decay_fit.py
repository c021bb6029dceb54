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
# digest: 2cc9dbb788f0583c45726ca06089f014

from math import exp, inf, isfinite, isinf, isnan, nan
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
        residual_0 = height * exp(t1 * t_0) + background - seen_0  # height*exp(...)...
        residual_1 = height * exp(t1 * t_1) + background - seen_1
        residual_2 = height * exp(t1 * t_2) + background - seen_2
        residual_3 = height * exp(t1 * t_3) + background - seen_3
        residual_4 = height * exp(t1 * t_4) + background - seen_4
        residual_5 = height * exp(t1 * t_5) + background - seen_5
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
        residual_0 = height * t2 + background - seen_0  # height*exp(...) +...
        residual_1 = height * t3 + background - seen_1
        residual_2 = height * t4 + background - seen_2
        residual_3 = height * t5 + background - seen_3
        residual_4 = height * t6 + background - seen_4
        residual_5 = height * t7 + background - seen_5
        t8 = (
            residual_0 * residual_0
            + residual_1 * residual_1
            + residual_2 * residual_2
            + residual_3 * residual_3
            + residual_4 * residual_4
            + residual_5 * residual_5
        )  # sum(residual^2)
        t9 = residual_0 * t2  # in d(height)
        t10 = residual_1 * t3  # in d(height)
        t11 = residual_2 * t4  # in d(height)
        t12 = residual_3 * t5  # in d(height)
        t13 = residual_4 * t6  # in d(height)
        t14 = residual_5 * t7  # in d(height)
        t15 = t9 * t_0 + t10 * t_1 + t11 * t_2 + t12 * t_3 + t13 * t_4 + t14 * t_5
        t16 = (
            residual_0 + residual_1 + residual_2 + residual_3 + residual_4 + residual_5
        )  # in d(background)
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
    (0, "", 0): "6:1: sum(residual^2)",
    (15, "exp", 1): "5:19: exp(-rate*t)",
    (16, "exp", 1): "5:19: exp(-rate*t)",
    (17, "exp", 1): "5:19: exp(-rate*t)",
    (18, "exp", 1): "5:19: exp(-rate*t)",
    (19, "exp", 1): "5:19: exp(-rate*t)",
    (20, "exp", 1): "5:19: exp(-rate*t)",
}
CHECKS = (number, vector)

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
}
