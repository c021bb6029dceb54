"""Numbers without bounds, in which a generated module runs its functions again.

A module in which an operation can raise carries a copy of what stands here below the
line. Where one does raise, or a test fails, the same code runs once more in `Number`s:
what is too large or too small for a float stays what it is, a pole is infinite, what has
no value is NaN, and what follows goes on from there, so that nothing on the way spoils a
result that is finite. `gradc.careful` goes by the same numbers, node by node.

Decimals end, too, near exp(1e18). What is beyond them is infinite or 0 and knows its
logarithm, by which products, quotients and sums go on: x/exp(x) is 0 at 1e200.

A number has 60 digits, and a function, computed in 80, is right in at least 36 of them.
So is a constant that the formula has written as a quotient; a series that serves floats
alone is not in use. Where more than 25 digits cancel in a sum, or a logarithm may vanish
by rounding, and numbers are so large or small, or a function is so close to 1, that the
fourth power of one could be what is left, all is run once more in as many digits as that
needs, at most 1000; and so it is where a sine has more than 20 digits of periods behind.

What is marked, as with `# for exp`, is carried by modules that use one of the words
behind: operators of a formula, `functions` and `decimals` for functions and for those of
them in the table, `checks` of arguments, `constants` that are computed at import. A line
of the table is carried by modules that use its function, and `# for series()` with what
calls `series`. A module is to be imported fast, so nothing is imported before it is
needed.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

from math import inf, isfinite, isinf, isnan, nan
from sys import _getframe

# What a module has of its own. PARTS are the parts of the formula by the line of their
# statement in the function of its values, the operation, and the how-manieth there.
# EXACT are the constants that floats round, as quotients, BOUNDS those that a series is
# chosen by, which is not in use here, for it has only the digits of floats.
INPUTS: "tuple[str, ...]" = ()
IEEE = False
PARTS: "Mapping[tuple[int, str, int], str]" = {(0, "", 0): "the formula"}
EXACT: "Mapping[float, tuple[int, int]]" = {}
BOUNDS: "tuple[float, ...]" = ()
CHECKS: "tuple[Callable[..., Any], ...]" = ()
constants: "Callable[[], dict[str, Any]]"  # those that are computed at import
_value: "Callable[..., Any]"

# ---- what modules carry

# Where Python raises or digits are lost, the functions above run again, in numbers
# without bounds and of so many digits, or of more where most of these cancel.
DIGITS = 60


def careful(what: "Callable[..., Result]", *args: "Any") -> "Result":
    """What a function returns where floats end, on the way or in a result."""
    point = args[: len(INPUTS)]
    found: "Any"
    if what is _value:
        found = floats(run_again(what, point), point)
    else:
        alone = _value(*point)  # where there is none, all else is in vain
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
    first = _value.__code__.co_firstlineno
    starts = [first + n for n, name, _ in PARTS if name == symbol and first + n <= line]
    start = max(starts, default=0)
    count = sum(name == symbol and n >= start for n, name in done)
    return PARTS.get((start - first, symbol, count), PARTS[0, "", 0])


def run_again(what: "Any", args: "tuple[Any, ...]", adjoint: bool = False) -> "Any":
    """Run a function of this module on numbers without bounds."""
    found = run_once(what, args, adjoint)
    if adjoint or has_none(found):  # for limits
        found = tending(found, what, args)
    return found


def has_none(found: "Any") -> bool:  # for limits
    """Whether a result has no finite value."""
    is_one = not isinstance(found, tuple)
    return not isfinite(found) if is_one else any(map(has_none, found))


def is_vague(found: "Any") -> bool:  # for limits
    """Whether a result has no finite value, or one that was taken for a limit."""
    if isinstance(found, tuple):
        return any(map(is_vague, found))
    return has_none(found) or getattr(found, "taken", False)  # or it is a constant


def around(point: "Any") -> "list[Any]":  # for limits
    """Four points on two lines through a point, in pairs on its two sides."""
    return [moved(point, k, []) for k in range(4)]


def moved(x: "Any", k: int, others: "list[Any]") -> "Any":  # for limits
    """The k-th of the points, of which the others before this entry are done."""
    x = x.tolist() if hasattr(x, "tolist") else x  # of NumPy
    if hasattr(x, "__iter__"):
        return [moved(entry, k, others) for entry in x]
    others.append(x)
    n = len(others)
    wide = n + 1 / n if k < 2 else (-1) ** n * (2 + n)
    step = (1.3e-12, -1.3e-12, 7e-13, -7e-13)[k] * wide
    return x + (x or 1.0) * step


def tending(found: "Any", what: "Any", args: "Any") -> "Any":  # for limits
    """A result; what has no value is what it tends to, and so are its derivatives."""
    point, others = args[: len(INPUTS)], args[len(INPUTS) :]
    adjoint = what is not _value
    whole = adjoint and has_none(run_once(_value, point, False))
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


def is_open(x: "Number") -> bool:  # for limits
    """Whether arithmetic left open what a number is, not the domain of a function."""
    return isfinite(x) or x.pole or x.done[x.origin - 1][1] in "+-*/"


def limit(xs: "list[float]", inside: bool, slope: bool) -> float:  # for limits
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
    names = map(what.__globals__.get, what.__code__.co_names)  # for checks
    given = args if any(item in CHECKS for item in names) else given  # for checks
    with localcontext(wide(digits)):
        run = lifted(what, kind)
        run.__globals__.update(lifted(constants, kind)())  # for constants
        kind.done.clear()  # for constants
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
        if item is isfinite:  # for isfinite
            return lambda _: True
        if item in CHECKS:  # for checks
            return lambda *given: numbers(item(*given))
        if callable(item) and item not in (abs, max, min):  # for functions
            return function(item)
        if not isinstance(item, float):
            return item
        found = kind(item)
        found.settle()  # for exact bounds
        return found

    def numbers(found: "Any") -> "Any":  # for checks
        is_one = isinstance(found, float)
        return kind(found) if is_one else [kind(float(x)) for x in found]

    code, names = what.__code__, what.__globals__
    used = {name: replaced(names[name]) for name in code.co_names if name in names}
    if "pi" in used:  # for pi
        used["pi"] = kind(long_pi())
    if "e" in used:  # for e
        used["e"] = kind(kind(1.0).x.exp())
    code = code.replace(co_consts=tuple(map(replaced, code.co_consts)))
    return type(what)(code, used)


class Number:
    """A number without bounds, infinite or NaN where Python raises."""

    done: "list[tuple[int, str]]"  # the operations of a run, with their lines
    adjoint: bool  # of a derivative, in which a factor of 0 contributes nothing
    origin = 0  # how many operations were done when it came to be infinite or NaN
    slow = False  # infinite as a logarithm is, which any power outweighs
    pole = False  # infinite at first, and so at an edge, not behind it  # for limits
    faint = False  # 0 as the inverse of an infinity is
    taken = False  # a derivative for which 0/0 has been taken for 0
    log: "Decimal | None" = None  # of its size, where decimals end
    rounded = False  # computed, and so it may be
    exact = EXACT  # for exact bounds
    bounds = BOUNDS  # for exact bounds
    bound = False  # to compare with it is of use to floats alone  # for exact bounds
    short = False  # of a run, in which too many digits have cancelled
    size = 0  # of a run, of the smallest number in it, or the largest that cancelled

    def __init__(self, x: "Decimal | float") -> None:
        from decimal import Decimal

        self.x = Decimal(x)
        if self.x:
            type(self).size = max(self.size, -self.x.adjusted())

    def settle(self) -> None:  # for exact bounds
        """Be the constant that this number is the float of."""
        size = float(abs(self.x))
        self.bound = size in self.bounds
        if size in self.exact:
            above, below = map(type(self.x), self.exact[size])
            self.x = (above / below).copy_sign(self.x)

    def __float__(self) -> float:
        return float(self.x)

    def found(self, symbol: str, x: "Decimal | float", *others: "Number") -> "Number":
        """The result of an operation on this and other numbers."""
        args = (self, *others)
        new = type(self)(x)
        endless = [y for y in args if not y.x.is_finite()]
        self.done.append((_getframe(2).f_lineno, symbol))
        new.rounded = True
        new.bound = symbol == "*" and any(y.bound for y in args)  # for bounds
        new.origin = endless[0].origin if endless else len(self.done)
        new.pole = endless[0].pole if endless else isinf(new.x)  # for limits
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            new.slow = isinf(new.x) and all(y.slow for y in endless)
        new.faint = not new.x and (bool(endless) or any(y.faint for y in args))
        new.taken = any(y.taken for y in args)
        if not (new.x and new.x.is_finite()):  # for exp exp2 expm1 sinh cosh pow
            new.go_on(symbol, args)  # for exp exp2 expm1 sinh cosh pow
        return new

    def go_on(self, symbol: str, args: "tuple[Number, ...]") -> None:  # for go_on()
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

    def vanishes(self, *others: "Number") -> bool:  # for * /
        """Whether a product or quotient that has no value is 0, as one of its factors."""
        factors = (self, *others)
        if any(y.slow for y in factors):
            return True
        self.taken = self.adjoint and not any(y.faint for y in factors)
        return self.taken

    def left(self, x: "Decimal", other: "Number") -> "Decimal":  # for + - sin cos tan
        """What is left of this number in a sum or sine, 0 for nothing but rounding."""
        if abs(x) < abs(self.x).scaleb(-25) and (self.rounded or other.rounded):
            type(self).short = True
            type(self).size = max(self.size, self.x.adjusted())
            return x - x if abs(x) < abs(self.x).scaleb(6 - precision()) else x
        return x

    def winds(self, *others: "Number") -> None:  # for % sin cos tan fmod remainder
        """Ask for more digits where so many periods leave too few."""
        period = others[0].x if others else self.x / self.x
        apart = self.x.adjusted() - period.adjusted()
        if self.rounded and apart > 20 and self.x.is_finite():
            type(self).short = True
            type(self).size = max(self.size, apart // 3 + 10)

    def __add__(self, other: "Number") -> "Number":  # for +
        return self.found("+", self.left(self.x + other.x, other), other)

    def __sub__(self, other: "Number") -> "Number":  # for -
        return self.found("-", self.left(self.x - other.x, other), other)

    def __mul__(self, other: "Number") -> "Number":  # for *
        low, high = sorted((abs(self.x), abs(other.x)))
        is_zero = low == 0 and high == inf and self.vanishes(other)
        return self.found("*", low if is_zero else self.x * other.x, other)

    def __truediv__(self, other: "Number") -> "Number":  # for /
        is_zero = self.x == other.x == 0 and self.vanishes()
        return self.found("/", self.x if is_zero else self.x / other.x, other)

    def __mod__(self, other: "Number") -> "Number":  # for %
        x = rest(self.x, other.x)
        apart = x and (x > 0) != (other.x > 0)
        self.winds(other)
        return self.found("%", x + other.x if apart else x, other)

    def __neg__(self) -> "Number":  # for neg
        return self.found("-", -self.x)

    def __abs__(self) -> "Number":  # for abs
        return self.found("abs", abs(self.x))

    def edge(self) -> "Decimal":  # for bounds
        """This number in a comparison: nothing is near to what a bound belongs to."""
        return self.x.scaleb(-300) if self.bound else self.x

    def __lt__(self, other: "Number") -> bool:  # for < min
        if self.bound or other.bound:  # for bounds
            return self.edge() < other.edge()  # for bounds
        return self.x < other.x

    def __le__(self, other: "Number") -> bool:  # for <=
        if self.bound or other.bound:  # for bounds
            return self.edge() <= other.edge()  # for bounds
        return self.x <= other.x

    def __gt__(self, other: "Number") -> bool:  # for > max
        if self.bound or other.bound:  # for bounds
            return self.edge() > other.edge()  # for bounds
        return self.x > other.x

    def __ge__(self, other: "Number") -> bool:  # for >=
        if self.bound or other.bound:  # for bounds
            return self.edge() >= other.edge()  # for bounds
        return self.x >= other.x

    def __eq__(self, other: object) -> bool:  # for == !=
        return isinstance(other, Number) and self.x == other.x


def function(on: "Callable[..., float]") -> "Callable[..., Number]":  # for functions
    """A function on floats as one on numbers."""

    def run(*args: Number) -> Number:
        first, *others = args
        found = of_decimals(on, *(y.x for y in args))
        if first.rounded and abs(abs(first.x) - 1) < 1e-25:  # where log and log1p end
            type(first).short = True
        gap = abs(abs(found) - 1)
        if not others and abs(first.x) > 9 and gap < 1e-25:  # such as tanh far out
            type(first).size = max(first.size, -gap.adjusted() if gap else 250)
        if on.__name__ in WINDING:  # for sin cos tan fmod remainder
            first.winds(*others)  # for sin cos tan fmod remainder
            found = found if others else first.left(found, first)  # for sin cos tan
        return first.found(on.__name__, found, *others)

    return run


def beyond(symbol: str, args: "Any") -> "Any":  # for beyond()
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


# Functions that are as their argument near 0.  # for beyond()
SAME = {"expm1", "log1p", "sinh", "tanh", "atan", "sin", "tan"}  # for beyond()


# The logarithms of functions where decimals end.  # for beyond()
LOGARITHMS: "dict[str, Callable[..., Any]]" = {  # for beyond()
    "exp": lambda x: x,
    "exp2": lambda x: x * type(x)(2).ln(),
    "expm1": lambda x: x,
    "exp_square": lambda x, factor: factor * x * x,
    "pow": lambda x, y: y * x.ln(),
    "sinh": lambda x: abs(x) - type(x)(2).ln(),
    "cosh": lambda x: abs(x) - type(x)(2).ln(),
    "sech2": lambda x: type(x)(4).ln() - 2 * abs(x),
    "sigmoid": lambda x: x,
    "erfc": lambda x: scaled_erf_rest(x).ln() - x * x,
}


def of_decimals(on: "Any", *args: "Decimal") -> "Any":  # for functions
    """What a function on floats is on decimals."""
    if any(map(isnan, args)):
        return nan
    try:
        if on.__name__ in DECIMALS:  # for decimals
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


# Functions of which many periods may lie before an argument.  # for winds()
WINDING = {"sin", "cos", "tan", "fmod", "remainder"}  # for winds()


# Functions on decimals. One that is NaN is left to floats.  # for decimals
DECIMALS: "dict[str, Callable[..., Any]]" = {  # for decimals
    "sqrt": lambda x: x.sqrt(),
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
    return found - abs(product).ln() if x not in (1, 2) else 0


def climbed(x: "Decimal") -> "Any":  # for climbed()
    """Stirling's series for log(gamma(x + n)) far enough out, and what leads there."""
    product = type(x)(1)
    if x < -1000 or (x < 0 and x % 1 == 0):
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
    """The sum of B/x^k over even k, times a factor of k, B being Bernoulli's numbers."""
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
    if x.adjusted() > precision() - 25:
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


def long_pi() -> "Decimal":  # for long_pi()
    """pi by the means of Gauss, as Salamin and Brent use them."""
    from decimal import Decimal

    x, y, rest, n = Decimal(1), Decimal("0.5").sqrt(), Decimal("0.25"), 1
    while n < 2 * precision():
        mean = (x + y) / 2
        x, y, rest = mean, (x * y).sqrt(), rest - n * (x - mean) ** 2
        n *= 2
    return x * x / rest


def precision() -> int:  # for precision()
    """How many digits are computed with."""
    from decimal import getcontext

    return getcontext().prec
