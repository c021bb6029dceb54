"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Rate of an enzyme whose substrate competes with an inhibitor and, in excess,
    # inhibits the enzyme itself (Haldane's form of Michaelis and Menten).
    input vmax in [0.1, 100]      # rate with plenty of substrate
    input km, ki, ks in [0.01, 50]
    data substrate, inhibitor in [0, 100]

    crowding = 1 + substrate/ks
    vmax*substrate/(km*(1 + inhibitor/ki) + substrate*crowding)

Arguments:
    vmax: in [0.1, 100]
    km: in [0.01, 50]
    ki: in [0.01, 50]
    ks: in [0.01, 50]
    substrate: data, gets no derivative; in [0, 100]
    inhibitor: data, gets no derivative; in [0, 100]
"""

# Do not edit: change the formula and compile it again.
# digest: b5f16fad7b344c5f377356c72d453744

from math import inf, isfinite, isinf, isnan, nan
from sys import _getframe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

INPUTS = ("vmax", "km", "ki", "ks", "substrate", "inhibitor")
WRT = ("vmax", "km", "ki", "ks")


def value(
    vmax: float, km: float, ki: float, ks: float, substrate: float, inhibitor: float
) -> float:
    """Return the value of the formula."""
    try:
        t1 = km * (1.0 + inhibitor / ki) + substrate * (1.0 + substrate / ks)
        return vmax * (substrate / t1)
    except (ArithmeticError, ValueError):
        return careful(value, vmax, km, ki, ks, substrate, inhibitor)


def value_and_grad(
    vmax: float, km: float, ki: float, ks: float, substrate: float, inhibitor: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    try:
        t1 = substrate / ks
        t2 = inhibitor / ki
        t3 = 1.0 + t2  # 1 + inhibitor/ki
        t4 = km * t3 + substrate * (1.0 + t1)  # km*(1 + inhibitor/ki) + substrate*cr...
        d_vmax = substrate / t4  # d(vmax*substrate)
        t5 = vmax * d_vmax  # vmax*substrate/(km*(1 + inhibitor/ki) + substrate*crowd...
        t6 = t5 / t4  # d(vmax*substrate/(km*(1 + inhibitor/ki) + substrate*crowding))
        return t5, (d_vmax, -t6 * t3, t6 * km * t2 / ki, t6 * t1 * t1)
    except (ArithmeticError, ValueError):
        return careful(value_and_grad, vmax, km, ki, ks, substrate, inhibitor)


IEEE = False
PARTS = {
    (0, "", 0): "8:1: vmax*substrate/(km*(1 + inhibitor/ki) + substrate*crowding)",
    (5, "/", 1): "8:25: inhibitor/ki",
    (5, "/", 2): "7:16: substrate/ks",
    (6, "/", 1): "8:1: vmax*substrate",
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
        return new

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

    def __mul__(self, other: "Number") -> "Number":
        low, high = sorted((abs(self.x), abs(other.x)))
        is_zero = low == 0 and high == inf and self.vanishes(other)
        return self.found("*", low if is_zero else self.x * other.x, other)

    def __truediv__(self, other: "Number") -> "Number":
        is_zero = self.x == other.x == 0 and self.vanishes()
        return self.found("/", self.x if is_zero else self.x / other.x, other)

    def __neg__(self) -> "Number":
        return self.found("-", -self.x)


def precision() -> int:
    """How many digits are computed with."""
    from decimal import getcontext

    return getcontext().prec
