"""Numbers without bounds, in which a generated module runs its functions again.

A module in which an operation can raise carries a copy of what stands here below the
line. Where one does raise, or a test fails, the same code runs once more in `Number`s:
what is too large or too small for a float stays what it is, a pole is infinite, what
has no value is NaN, and what follows goes on from there, so that nothing on the way
spoils a result that is finite. `gradc.careful` goes by the same numbers, node by node.

Decimals end, too, near exp(2e18). What is beyond them is infinite or 0, which is right
where it is only added, multiplied, divided by, or where a function has a limit, as in
1/(1 + exp(x)). Of exponentials the logarithm is known, too, and so it is of sums,
products and quotients of them, of which one may be a decimal again: exp(x + 1)/exp(x)
is that at 1e300. What depends on another size has no value: infinity over infinity, a
logarithm, a power, a product with what is nearly as small.

A number has 80 digits, of which a function is right in at least 36. So is a constant
that the formula has written as a quotient; a series that serves floats alone is not in
use. Where more than 25 digits cancel in a sum, or are whole periods of a sine, or a
logarithm may vanish by rounding, and numbers are so large or small, or a function is so
close to 1, that the fourth power of one could be what is left, all is run once more in
as many digits as that needs, at most 1000. What a result is not computed from does not
count, nor does noise, and the difference of two numbers that were computed in the same
way from the same ones is nothing in any digits.

What is marked, as with `# for exp`, is carried by modules that use one of the words
behind: operators of a formula, `functions` and `decimals` for functions and for those
of them in the table, `ones` for those that lose digits at 1, `steep` for exponentials
that may be beyond decimals, `limits` for divisions, `compared` for comparisons, `ties`
for both, `checks` of arguments or `scalars` if there are none, `constants` that are
computed at import. A line of the table is carried by modules that use its function,
and `# for series()` with what calls `series`. A module is to be imported fast, so
nothing is imported before it is needed.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

from math import inf, isfinite, isinf, isnan, nan
from sys import _getframe

# What a module has of its own. PARTS are the parts of the formula by the line of their
# statement in the function of its values, the operation, and the how-manieth there.
# EXACT are the constants that floats round, as quotients, BOUNDS those that a series is
# chosen by, which is not in use here, for it has only the digits of floats. AXES are
# the elements of the arguments that derivatives are by.
INPUTS: "tuple[str, ...]" = ()
IEEE = False
PARTS: "Mapping[tuple[int, str, int], str]" = {(0, "", 0): "the formula"}
EXACT: "Mapping[float, tuple[int, int]]" = {}
BOUNDS: "tuple[float, ...]" = ()
CHECKS: "tuple[Callable[..., Any], ...]" = ()
AXES: "Sequence[int]" = ()
constants: "Callable[[], dict[str, Any]]"  # those that are computed at import
_value: "Callable[..., Any]"

# ---- what modules carry

# Where Python raises or digits are lost, the functions above run again, on decimals of
# 80 digits, or of more if these cancel, whose exponents end at 1e18. What has no value
# there is what it tends to, and an error if it tends to nothing. What they test is a
# sum that is infinite then: 1e208*t is where t is too large for what follows, 1e208/t
# and u/(t + 1e-292) where t is too small, 1e304*(t/d) where d is all that is left of
# a difference of t and another number.


def careful(what: "Callable[..., Result]", *args: "Any") -> "Result":
    """What a function returns where floats end, on the way or in a result."""
    alone = what is _value or _value(*args[: len(INPUTS)])  # or all else is in vain
    found = run(what, args)
    found = tending(found, what, args)  # for limits
    if what is not _value and len(args) == len(INPUTS):
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
    first = _value.__code__.co_firstlineno
    starts = [first + n for n, name, _ in PARTS if name == symbol and first + n <= line]
    start = max(starts, default=0)
    count = sum(name == symbol and n >= start for n, name in done)
    return PARTS.get((start - first, symbol, count), PARTS[0, "", 0])


def tending(found: "Any", what: "Any", args: "Any") -> "Any":  # for limits
    """Results; what has no value is what it tends to, and so are its derivatives."""
    derived = what is not _value
    whole = derived and is_vague(run(_value, args[: len(INPUTS)]))
    if not whole and not is_vague(found):
        return found
    ways = [around(what, args)]
    if derived and tied(found):  # for ties
        ways.insert(0, around(what, args, -1, tied(found)))  # for ties

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
    if derived and not whole and len(args) == len(INPUTS):  # for axes
        found = (found[0], *along(found[1:], what, args))  # for axes
    return found


def tied(found: "Any") -> "Any":  # for ties
    """The comparisons of equal numbers on the way to results, whether they hold."""
    return next((x.ties for x in flat(found) if hasattr(x, "ties")), {})


def around(what: "Any", args: "Any", *how: "Any") -> "list[Any]":  # for limits
    """Results around a point, those further away and, if there are any, the near."""
    sides = [run(what, args, 250, side, *how) for side in (0, 1)]
    if any(map(isfinite, flat(tuple(sides)))):
        sides += [run(what, args, 250, side, *how) for side in range(2, 6)]
    return sides


def nth(ways: "Any", k: int) -> "list[Any]":  # for limits
    """The k-th part of results around a point."""
    return [[side[k] for side in sides] for sides in ways]


def tended(ways: "Any", slope: bool) -> float:  # for limits
    """What numbers tend to, in the first of some ways to a point in which they do."""
    near = (limit([*map(sized, sides)], slope) for sides in ways)
    return next((x for x in near if not isnan(x)), nan)


def along(found: "Any", what: "Any", args: "Any") -> "Any":  # for axes
    """Derivatives; one that tends to nothing from all sides may along its own input."""
    numbers = flat(found)
    near: "dict[int, Any]" = {}
    for k, x in enumerate(numbers):
        if isnan(x) or getattr(x, "taken", False):
            place = AXES[k % len(AXES)]
            if place not in near:
                ways = [around(what, args, place)]
                if tied(found):  # for ties
                    ways.insert(0, around(what, args, place, tied(found)))  # for ties
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


def is_vague(found: "Any") -> bool:  # for limits
    """Whether a result has no finite value, or one that was taken for a limit.

    One that is too large for a float has a value; that of a logarithm at 0 is no other.
    """
    if isinstance(found, tuple):
        return any(map(is_vague, found))
    x = getattr(found, "x", found)  # or it is a constant
    ends = x in (inf, -inf) and not getattr(found, "slow", False)
    return isnan(x) or ends or getattr(found, "taken", False)


def beside(x: "Any", n: int, side: int, least: "Any") -> "Any":  # for limits
    """A number next to the n-th input, in one of three directions, on one of two sides.

    In the second one not all inputs grow, in the others all do or none.
    """
    wide = n + 1 / n if side < 2 else (2 + n**3) * (-1 if side < 4 and n % 2 else 1)
    near = type(x)(1 if x else least) * type(x)((1e-20, -1e-20)[side % 2])
    near *= abs(near) if side > 1 else 1
    return x + (x or 1) * near * type(x)(wide)


def smallest(xs: "Any") -> "Any":  # for limits
    """What numbers next to 0 are measured by: 1, or the square of a smaller input.

    Or of the difference of two inputs.
    """
    ys = sorted([0, *xs])
    least = min([1, *[y - x for x, y in zip(ys, ys[1:]) if x < y]])
    return least * least if least > 1e-30 else least


def sized(x: "Any") -> float:  # for limits
    """A number as a float, infinite if it is beyond what can be computed."""
    far = getattr(x, "beyond", False) and not getattr(x, "outside", False)
    return inf if isnan(x) and far else float(x)


def limit(xs: "list[float]", slope: bool) -> float:  # for limits
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

    own = {"done": [], "digits": digits, "adjoint": what is not _value}
    own |= {"ties": {}, "kept": dict(kept)}  # for ties
    kind: "Any" = type("Number", (Number,), own)
    with localcontext(Context(digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])):
        on_numbers = lifted(what, kind)
        on_numbers.__globals__.update(lifted(constants, kind)())  # for constants
        kind.done.clear()  # for constants
        given: "Any" = [kind(float(x)).measure() for x in args]  # for scalars
        given = [kind.of(x) for x in args]  # for checks
        point = given[: len(INPUTS)] if side >= 0 else []  # for limits checks
        point = leaves(point)  # for checks
        least = smallest([y.x for y in point])  # for limits
        for n, y in enumerate(point, 1):  # for limits
            if only < 0 or n == only + 1:
                y.x = beside(y.x, n, side, least)
        found = on_numbers(*given)
    more = max([kind.asked, *(x.needed() for x in flat(found) if type(x) is kind)])
    return found if more <= digits else run(what, args, more, side, only, kept)


def leaves(rows: "Any") -> "list[Any]":  # for checks
    """The numbers in a sequence, and in lists in it."""
    return [y for row in rows for y in (row if type(row) is list else [row])]


def lifted(what: "Any", kind: "type[Number]") -> "Any":
    """A function of floats as one of numbers, with the constants in it."""

    def replaced(item: "Any") -> "Any":
        if item is isfinite:  # for isfinite
            return lambda _: True
        if item in CHECKS:  # for checks
            return lambda name, given, *_: given
        if callable(item) and item not in (abs, max, min):  # for functions
            return function(item)
        if isinstance(item, float):
            item = kind(item)
            item.settle()  # for exact bounds
        return item

    code, names = what.__code__, what.__globals__
    used = {name: replaced(names[name]) for name in code.co_names if name in names}
    if "pi" in used:  # for pi
        used["pi"] = kind(long_pi())
        used["pi"].how = hash("pi")  # for pi
    if "e" in used:  # for e
        used["e"] = kind(kind(1.0).x.exp())
        used["e"].how = hash("e")  # for e
    code = code.replace(co_consts=tuple(map(replaced, code.co_consts)))
    return type(what)(code, used)


def function(on: "Any") -> "Callable[..., Number]":  # for functions
    """A function on floats as one on numbers."""
    return operation(on.__name__, lambda *xs: of_decimals(on, *xs))


def of_decimals(on: "Any", *xs: "Decimal") -> "Any":  # for functions
    """What a function on floats is on decimals."""
    try:
        if any(map(isnan, xs)):
            return nan
        xs = tuple(map(one_or, xs))  # for ones
        if on.__name__ in DECIMALS:  # for decimals
            found = DECIMALS[on.__name__](*xs)
            edged = ("acos", "acosh", "asin", "pow", "sqrt")
            if not isnan(found) or on.__name__ in edged:
                return found
        return on(*map(float, xs))
    except (ArithmeticError, ValueError):
        return nan


def one_or(x: "Decimal") -> "Decimal":  # for ones
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
        new.leave(symbol, args)  # for limits
        new.bound = symbol == "*" and any(y.bound for y in args)  # for bounds
        if not (new.x and new.x.is_finite()):
            new.end(symbol, args, endless)
        new.come(symbol, args, is_exact)
        new.lose(symbol, args)
        new.measure()
        return new

    return compute


def comparison(on: "Callable[..., bool]") -> "Callable[..., bool]":  # for compared
    """A comparison of decimals as one of numbers."""

    def holds(one: "Number", other: "Any") -> bool:
        if not isinstance(other, Number):
            return False
        kind, x, y = type(one), one.edge(other), other.edge(one)
        held = on(x, y)
        kind.compared += 1  # for ties
        held = kind.kept.get(kind.compared, held)  # for ties
        if x == y:  # for ties
            kind.ties[kind.compared] = held  # for ties
        return held

    return holds


class Number:
    """A decimal of a run, infinite or NaN where Python raises, so that it goes on."""

    done: "list[tuple[int, str]]"  # the operations of the run, with their lines
    adjoint: bool  # a run for derivatives, to which a factor of 0 contributes nothing
    digits: int  # those of the run
    asked = 0  # how many what was compared needs
    compared = 0  # how many comparisons were made  # for ties
    ties: "dict[int, bool]"  # those of equal numbers, whether they hold  # for ties
    kept: "dict[int, bool]"  # those that hold as in another run  # for ties
    beyond = False  # it came to the size of what is too large or small for decimals
    short = False  # on the way to this number too many digits have cancelled
    empty = False  # all of them, even of many
    size = 0  # the exponent of the smallest number there, or of what cancelled
    large = 0  # the exponent of the largest number there
    how: "int | None" = None  # it was computed, if it is not exact: equal for equals
    origin = 0  # how many operations were done when this was computed, or had no value
    slow = False  # infinite as a logarithm is, which any power outweighs
    faint = False  # 0 as the inverse of an infinity is
    log: "Decimal | None" = None  # of the size of what is beyond decimals  # for steep
    taken = False  # of a derivative for which 0/0 has been taken for 0
    outside = False  # it is not defined, however large numbers may be  # for limits
    exact = EXACT  # for exact bounds
    bounds = BOUNDS  # for exact bounds
    bound = False  # to compare with it is of use to floats alone  # for exact bounds

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

    def settle(self) -> None:  # for exact bounds
        """Be the constant that this number is the float of."""
        size = float(abs(self.x))
        self.bound = size in self.bounds
        if size in self.exact:
            above, below = map(type(self.x), self.exact[size])
            self.x, self.how = (above / below).copy_sign(self.x), hash(self.x)

    @classmethod  # for checks
    def of(cls, x: "Any") -> "Any":  # for checks
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

        if self.grow(symbol, args):  # for steep
            return  # for steep
        xs, flags = [y.x for y in args], getcontext().flags
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            self.slow = isinf(self.x) and all(y.slow for y in endless)
        self.faint = not self.x and (bool(endless) or any(y.faint for y in args))
        self.faint |= symbol in ("erfc", "normcdf") and not self.x  # for erfc normcdf
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

    def grow(self, symbol: str, args: "Any") -> bool:  # for steep
        """Be what follows from the logarithms of numbers that are beyond decimals.

        Whether it does: an infinity has none, and of a difference little may be left.
        """
        (x, *others), ends = (y.x for y in args), type(self.x)(ENDS)
        if symbol in STEEP:
            found = STEEP[symbol](x, *others)
            if abs(found) > ends and (found.is_finite() or args[0].log):
                self.log = found
                return True
        if all(y.log is None for y in args):
            return False
        logs = [y.logarithm() for y in args]
        if any(map(isnan, logs)):
            return False
        first, signs = max(logs), [y.x.is_signed() for y in args]
        total, left, negative = first, ends, sum(signs) % 2 > 0
        if symbol == "log" and not others and not negative:
            self.x = first
            return True
        if symbol in ("+", "-"):
            signs[-1] ^= symbol == "-"
            negative = signs[logs.index(first)]
            if others:
                part = (min(logs) - first).exp()
                if signs[0] != signs[1]:
                    left, part = first - min(logs), -part
                total += (1 + part).ln()
        elif symbol in ("*", "/"):
            total = left = logs[0] + (logs[1] if symbol == "*" else -logs[1])
        elif symbol == "sqrt" and not negative:
            total = first / 2
        elif symbol == "pow" and args[1].log is None and not signs[0]:
            total = logs[0] * others[0]
        elif symbol == "abs":
            negative = False
        else:
            return False
        most = max([abs(y) for y in logs if y.is_finite()], default=ends)
        error = most.scaleb(2 - precision())
        if error.adjusted() > -55 and abs(left) < error.scaleb(40):
            self.short, self.size = True, max(self.size, most.adjusted())
            return False
        if isnan(total) or total == inf:
            return False
        if symbol in "+-" and abs(left) < 1e-50:  # only noise is left
            self.x = type(x)(0)
            return True
        self.x = total.exp() if abs(total) < ends else type(x)(inf if total > 0 else 0)
        self.x = self.x.copy_sign(-1 if negative else 1)
        self.log = total if ends <= abs(total) < inf else None
        self.faint = self.log is not None and not self.x
        return True

    def logarithm(self) -> "Decimal":  # for steep
        """The logarithm of the size of this number, NaN where it is not known."""
        if self.log is not None:
            return self.log
        known = self.x.is_finite() and not self.faint
        return abs(self.x).ln() if known else type(self.x)(nan)

    def leave(self, symbol: str, args: "Any") -> None:  # for limits
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
        lossy = lossy or symbol in ("logaddexp", "logsumexp")  # for logaddexp logsumexp
        is_short = x < inf and not abs(self.x) >= x.scaleb(-25)
        if lossy and is_short and not is_exact:
            self.short, self.size = True, max(self.size, x.adjusted())
            if abs(self.x) < x.scaleb(26 - self.digits):
                self.x -= self.x
                self.size = max(self.size, 20)  # so in 160 of them
                self.empty = self.digits >= 400
        if symbol in DECIMALS and abs(x - 1) < 1e-25:  # for ones
            self.short = self.short or not is_exact  # where logarithms end
        if symbol in DECIMALS and abs(abs(self.x) - 1) < 1e-25:  # for ones
            self.size = max(self.size, 250 * (x > 9))  # as tanh is far out

    __add__ = operation("+", lambda x, y: x + y)  # for +
    __sub__ = operation("-", lambda x, y: x - y)  # for -
    __mul__ = operation("*", lambda x, y: x * y)  # for *
    __truediv__ = operation("/", lambda x, y: x / y)  # for /
    __mod__ = operation("%", lambda x, y: modulo(x, y))  # for %
    __neg__ = operation("-", lambda x: -x)  # for neg
    __abs__ = operation("abs", abs)  # for abs

    def edge(self, other: "Number") -> "Decimal":
        """This number in a comparison, which needs the digits of both."""
        type(self).asked = max(self.asked, self.needed(), other.needed())
        if self.bound:  # nothing is near to what it belongs to  # for bounds
            return self.x.scaleb(-300)  # for bounds
        return self.x

    __lt__ = comparison(lambda x, y: x < y)  # for < min
    __le__ = comparison(lambda x, y: x <= y)  # for <=
    __gt__ = comparison(lambda x, y: x > y)  # for > max
    __ge__ = comparison(lambda x, y: x >= y)  # for >=
    __eq__ = comparison(lambda x, y: x == y)  # for == !=


ENDS = 2e18  # of the exponentials that are decimals  # for steep

# The logarithms of the sizes of exponentials.  # for steep
STEEP: "dict[str, Callable[..., Decimal]]" = {  # for steep
    "exp": lambda x: x,
    "exp2": lambda x: x * type(x)(2).ln(),
    "expm1": lambda x: x,
    "sinh": lambda x: abs(x) - type(x)(2).ln(),
    "cosh": lambda x: abs(x) - type(x)(2).ln(),
    "sech2": lambda x: 2 * (type(x)(2).ln() - abs(x)),
    "sigmoid": lambda x: min(x, 0),
    "exp_square": lambda x, factor: type(x)(factor) * x * x,
    "normpdf": lambda x: -x * x / 2 - (2 * long_pi()).ln() / 2,
    "erfc": lambda x: log_erf_rest(x),
    "normcdf": lambda x: log_erf_rest(-x / type(x)(2).sqrt()) - type(x)(2).ln(),
    "pow": lambda x, y: y * abs(x).ln(),
}


def modulo(x: "Decimal", y: "Decimal") -> "Any":  # for %
    """x modulo y, which has the sign of y."""
    found = rest(x, y)
    return found + y if found and (found > 0) != (y > 0) else found


# Functions on decimals. One that is NaN is left to floats.  # for decimals
DECIMALS: "dict[str, Callable[..., Any]]" = {  # for decimals
    "sqrt": lambda x: (x + 0).sqrt(),
    "cbrt": lambda x: (abs(x) ** (1 / type(x)(3))).copy_sign(x),
    "hypot": lambda *xs: sum(x * x for x in xs).sqrt(),
    "fma": lambda x, y, z: x.fma(y, z),
    "fma2": lambda x, y, z, w, c: x * y + z * w + c,
    "pow": lambda x, y: power(x, y),
    "exp": lambda x: x.exp(),
    "exp2": lambda x: 2**x,
    "expm1": lambda x: x + x * x / 2 if is_tiny(x) else x.exp() - 1,
    "exp_square": lambda x, factor: (type(x)(factor) * x * x).exp(),
    "log": lambda x, *base: x.ln() / base[0].ln() if base else x.ln(),
    "log2": lambda x: x.ln() / type(x)(2).ln(),
    "log10": lambda x: x.log10(),
    "log1p": lambda x: log_1p(x),
    "log1pmx": lambda x: x * x * (2 * x - 3) / 6 if is_tiny(x) else log_1p(x) - x,
    "loggrowth": lambda x, y: y * log_1p(x / y),
    "logaddexp": lambda x, y: max(x, y) + log_1p((-abs(x - y)).exp()),
    "logsumexp": lambda *xs: max(xs) + log_1p(sum_excess(xs)),
    "logexcess": lambda *xs: log_1p(sum_excess(xs)),
    "neg_log_softmax": lambda *xs: max(xs) - xs[0] + log_1p(sum_excess(xs)),
    "sumexp": lambda m, *xs: sum([(x - m).exp() for x in xs]),
    "sumexcess": lambda *xs: sum_excess(xs),
    "xlogy": lambda x, y: x * y.ln() if x else x,
    "sigmoid": lambda x: 1 / (1 + (-x).exp()),
    "silu": lambda x: x / (1 + (-x).exp()),
    "softplus": lambda x: max(x, 0) + log_1p((-abs(x)).exp()),
    "sinh": lambda x: x if is_tiny(x) else (x.exp() - (-x).exp()) / 2,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "tanh": lambda x: x if is_tiny(x) else 1 - 2 / ((2 * x).exp() + 1),
    "sech2": lambda x: 4 / (x.exp() + (-x).exp()) ** 2,
    "asinh": lambda x: log_1p(abs(x) + x * x / (1 + (1 + x * x).sqrt())).copy_sign(x),
    "acosh": lambda x: (x + ((x - 1) * (x + 1)).sqrt()).ln(),
    "atanh": lambda x: x if is_tiny(x) else ((1 + x) / (1 - x)).ln() / 2,
    "sin": lambda x: sine(2 * x / long_pi(), 0),
    "cos": lambda x: sine(2 * x / long_pi(), 1),
    "tan": lambda x: sine(2 * x / long_pi(), 0) / sine(2 * x / long_pi(), 1),
    "sinpi": lambda x: sine(2 * x, 0),
    "cospi": lambda x: sine(2 * x, 1),
    "sinc": lambda x: sine(2 * x, 0) / (long_pi() * x) if x else 1,
    "sinc_n": lambda n, x: nan if n % 1 else sinc_slope(int(n), x),
    "asin": lambda x: angle(x, ((1 - x) * (1 + x)).sqrt()),
    "acos": lambda x: angle(((1 - x) * (1 + x)).sqrt(), x),
    "atan": lambda x: angle(x, type(x)(1)),
    "atan2": lambda y, x: angle(y, x),
    "turn": lambda x, y, u, v: angle(0 + x * v - y * u, x * u + y * v),
    "degrees": lambda x: 180 * x / long_pi(),
    "radians": lambda x: x * long_pi() / 180,
    "erf": lambda x: 2 * x / long_pi().sqrt() if is_tiny(x) else 1 - erf_rest(x),
    "erfc": lambda x: erf_rest(x),
    "erfcx": lambda x: scaled_erf_rest(x),
    "erfcx_n": lambda n, x: nan if n % 1 else erfcx_slope(int(n), x),
    "normcdf": lambda x: erf_rest(-x / type(x)(2).sqrt()) / 2,
    "normpdf": lambda x: (-x * x / 2).exp() / (2 * long_pi()).sqrt(),
    "gelu": lambda x: x * erf_rest(-x / type(x)(2).sqrt()) / 2,
    "sign": lambda x: type(x)(1).copy_sign(x) if x else x,
    "copysign": lambda x, y: x.copy_sign(y),
    "round_down": lambda x: x.to_integral("ROUND_FLOOR"),
    "round_up": lambda x: x.to_integral("ROUND_CEILING"),
    "round_to_zero": lambda x: x.to_integral("ROUND_DOWN"),
    "round_even": lambda x: x.to_integral("ROUND_HALF_EVEN"),
    "fmod": lambda x, y: rest(x, y),
    "remainder": lambda x, y: rest(x, y, near=True),
    "fdim": lambda x, y: x - y if x > y else 0,
    "ties": lambda m, *xs: xs.count(m),
    "rivals": lambda *xs: xs.count(max(xs)) - 1,
    "gamma": lambda x: climbed(x)[0].exp() / climbed(x)[1],
    "loggamma": lambda x: log_gamma(x),
    "loggamma_sum": lambda x, y: log_gamma(x + y),
    "digamma": lambda x: poly_gamma(0, x),
    "polygamma": lambda n, x: nan if n % 1 else poly_gamma(int(n), x),
    "beta": lambda x, y: signed_beta(min(x, y), max(x, y)),
    "lbeta": lambda x, y: log_beta(min(x, y), max(x, y)),
    "lgamma_gap": lambda x, y: log_gap(x, y),
    "polygamma_gap": lambda n, x, y: nan if n % 1 else poly_gap(int(n), x, y),
}


def signed_beta(x: "Decimal", y: "Decimal") -> "Any":  # for signed_beta()
    """beta(x, y), y being the larger; gamma is below 0 between -1 and 0, -3 and -2."""
    below = sum(-1 < z % 2 < 0 for z in (x, y, x + y))
    return log_beta(x, y).exp() * (-1) ** below


def log_beta(x: "Decimal", y: "Decimal") -> "Any":  # for log_beta()
    """log(beta(x, y)), y being the larger."""
    far = is_tiny(x / y)
    return log_gamma(x) + (-x * y.ln() if far else log_gap(y, x))


def log_gap(x: "Decimal", y: "Decimal") -> "Any":  # for log_gap()
    """loggamma(x) - loggamma(x + y)."""
    if is_tiny(y / x):
        return -y * poly_gamma(0, x)
    return log_gamma(x) - log_gamma(x + y)


def poly_gap(n: int, x: "Decimal", y: "Decimal") -> "Any":  # for poly_gap()
    """polygamma(n, x) - polygamma(n, x + y)."""
    if is_tiny(y / x):
        return -y * poly_gamma(n + 1, x)
    return poly_gamma(n, x) - poly_gamma(n, x + y)


def log_gamma(x: "Decimal") -> "Any":  # for log_gamma()
    """log(abs(gamma(x)))."""
    found, product = climbed(x)
    return found - abs(product).ln() if x not in (1, 2) else type(x)(0)


def climbed(x: "Decimal") -> "Any":  # for climbed()
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


def poly_gamma(n: int, x: "Decimal") -> "Any":  # for poly_gamma()
    """polygamma(n, x) by its series far enough out (Abramowitz and Stegun 6.4.11)."""
    from math import comb, factorial

    total = type(x)(0)
    if x < -1000 or n > 1000 or (x < 0 and x % 1 == 0):
        return type(x)(nan)
    while x < precision() + n:
        total += x ** -(n + 1)
        x += 1
    total += 1 / (n * x**n) if n else -x.ln()
    total += x ** -(n + 1) / 2
    total += far_out(x, lambda k: comb(k + n - 1, n) / type(x)(k)) / x**n
    return (-1) ** (n + 1) * factorial(n) * total


def far_out(x: "Decimal", factor: "Callable[[int], Any]") -> "Any":  # for far_out()
    """The sum over even k of B/x^k times a factor of k, B the numbers of Bernoulli."""
    found, count = type(x)(0), precision() // 2
    for k, tangent in zip(range(count, 0, -1), reversed(tangents(count))):
        number = type(x)((-1) ** (k - 1) * 2 * k * tangent) / (4**k * (4**k - 1))
        found = (found + number * factor(2 * k)) / (x * x)
    return found


TANGENTS: "dict[int, list[int]]" = {}  # for tangents()


def tangents(count: int) -> "list[int]":  # for tangents()
    """The first tangent numbers, which are asked for often (Brent and Harvey 2011)."""
    from math import factorial

    if count not in TANGENTS:
        found = TANGENTS[count] = [factorial(k) for k in range(count)]
        for k in range(1, count):
            for j in range(k, count):
                found[j] = (j - k) * found[j - 1] + (j - k + 2) * found[j]
    return TANGENTS[count]


def power(x: "Decimal", y: "Decimal") -> "Any":  # for power()
    """x to the y: 1 if y is 0, and without a value if 1 is raised to an infinity."""
    if not y:
        return type(x)(1)
    return x**y if x != 1 or abs(y) < inf else nan


def log_1p(x: "Decimal") -> "Decimal":  # for log_1p()
    """log(1 + x)."""
    return x - x * x / 2 if is_tiny(x) else (1 + x).ln()


def sum_excess(xs: "Any") -> "Any":  # for sum_excess()
    """The sum of exp(x - max(xs)) without the largest term, which is 1."""
    terms = [(x - max(xs)).exp() for x in sorted(xs)[:-1]]
    return sum(terms, type(xs[0])(0))


def sinc_slope(n: int, x: "Decimal") -> "Any":  # for sinc_slope()
    """The n-th derivative of sinc by its recurrence, which cancels near 0."""
    from decimal import localcontext

    z = long_pi() * x
    if not z or z.adjusted() < -precision():
        return (1, -z, -1, z)[n % 4] * long_pi() ** n / (n + 1 + n % 2)
    with localcontext() as context:
        context.prec += n * (2 * max(-x.adjusted(), 0) + 4)
        z = long_pi() * x
        found = sine(2 * x, 0) / z
        for k in range(1, n + 1):
            found = (sine(2 * x, k) - k * found) / z
        return found * long_pi() ** n


def rest(x: "Decimal", y: "Decimal", near: bool = False) -> "Any":  # for rest() %
    """What multiples of y leave of x, those towards 0 or the nearest one."""
    from decimal import localcontext

    with localcontext() as context:
        context.prec += min(max(x.adjusted() - y.adjusted(), 0), 1000)
        return x.remainder_near(y) if near else x % y


def sine(x: "Decimal", n: int) -> "Any":  # for sine()
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


def angle(y: "Decimal", x: "Decimal") -> "Any":  # for angle()
    """The angle of the point (x, y), halved five times for the series."""
    for _ in range(5):
        r = (x * x + y * y).sqrt()
        x, y = (r + x, y) if x > 0 else (abs(y), (r - x).copy_sign(y))
    t = y / x
    return 32 * series(t, lambda n: t * t * (1 - 2 * n) / (1 + 2 * n))


def erfcx_slope(n: int, x: "Decimal") -> "Any":  # for erfcx_slope()
    """The n-th derivative of erfcx by its recurrence, which cancels far out."""
    from decimal import localcontext
    from math import factorial

    if x.adjusted() > precision() and x > 0:
        return (-1) ** n * factorial(n) / x ** (n + 1) / long_pi().sqrt()
    with localcontext() as context:
        context.prec += n * (2 * max(x.adjusted(), 0) + 4) if x > 0 else 0
        before, found = type(x)(0), scaled_erf_rest(x)
        for k in range(n):
            rest = 2 * k * before if k else -2 / long_pi().sqrt()
            before, found = found, 2 * x * found + rest
    return found


def log_erf_rest(x: "Decimal") -> "Any":  # for log_erf_rest()
    """log(1 - erf(x)) where that is tiny; 0 where it is not, or has too many digits."""
    return scaled_erf_rest(x).ln() - x * x if 0 < x < 1e120 else type(x)(0)


def erf_rest(x: "Decimal") -> "Any":  # for erf_rest()
    """1 - erf(x)."""
    return (-x * x).exp() * scaled_erf_rest(x)


def scaled_erf_rest(x: "Decimal") -> "Any":  # for erf_rest() scaled_erf_rest()
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


def is_tiny(x: "Decimal") -> bool:  # for is_tiny()
    """Whether less than half of the digits of x are left in 1 + x."""
    return abs(x) < type(x)(10) ** (precision() * -9 // 20)


def series(term: "Any", ratio: "Callable[[int], Any]") -> "Any":  # for series()
    """The sum of a series by its first term and the ratios from each to the next."""
    found, n = term, 1
    while abs(found + term - found) > 0:
        term *= ratio(n)
        found += term
        n += 1
    return found


PI: "dict[int, Decimal]" = {}  # for long_pi()


def long_pi() -> "Decimal":  # for long_pi()
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


def precision() -> int:  # for precision()
    """How many digits are computed with."""
    from decimal import getcontext

    return getcontext().prec
