"""Numbers without bounds, in which a generated module runs its functions again.

A module in which an operation can raise carries a copy of what stands here below the
line. Where one does raise, the same code runs once more in `Number`s: what is too large
or too small for a float stays what it is, a pole is infinite, what has no value is NaN,
and what follows goes on from there, so that nothing on the way spoils a result that is
finite. The rules are those of `gradc.careful`, which goes node by node.

What is marked, as with `# for exp`, is carried by modules that use one of the words
behind: operators and functions of a formula, `functions` and `decimals` for any of those
and of those in the table, `checks` of arguments. A module is to be imported fast, so
nothing is imported before it is needed.
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
INPUTS: "tuple[str, ...]" = ()
IEEE = False
PARTS: "Mapping[tuple[int, str, int], str]" = {(0, "", 0): "the formula"}
CHECKS: "tuple[Callable[..., Any], ...]" = ()
_value: "Callable[..., Any]"

# ---- what modules carry

# Where Python raises, the functions above run again, in numbers without bounds.


def careful(what: "Callable[..., Result]", *args: "Any") -> "Result":
    """What a function returns where floats end, on the way or in a result."""
    point = args[: len(INPUTS)]
    found: "Any" = floats(run_again(_value, point), point)
    if what is not _value:
        derived = run_again(what, args, adjoint=True)
        is_product = len(args) > len(INPUTS)
        found = floats(derived if is_product else (found, *derived[1:]), point)
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
    """Run a function of this module on numbers without bounds, constants included."""
    from decimal import MAX_EMAX, MIN_EMIN, Context, localcontext

    kind = type("Number", (Number,), {"done": [], "adjoint": adjoint})

    def lifted(item: "Any") -> "Any":
        if item is isfinite:  # for isfinite
            return lambda _: True
        if item in CHECKS:  # for checks
            return lambda *given: numbers(item(*given))
        if callable(item):  # for functions
            return function(item)
        return kind(item) if isinstance(item, float) else item

    def numbers(found: "Any") -> "Any":  # for checks
        is_one = isinstance(found, float)
        return kind(found) if is_one else [kind(float(x)) for x in found]

    code, names = what.__code__, what.__globals__
    used = {name: names[name] for name in code.co_names if name in names}
    given: "Any" = (kind(float(x)) for x in args)
    if any(item in CHECKS for item in used.values()):  # for checks
        given = args
    code = code.replace(co_consts=tuple(map(lifted, code.co_consts)))
    used = {name: lifted(item) for name, item in used.items()}
    with localcontext(Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])):
        return type(what)(code, used)(*given)


class Number:
    """A number without bounds, infinite or NaN where Python raises."""

    done: "list[tuple[int, str]]"  # the operations of a run, with their lines
    adjoint: bool  # of a derivative, in which a factor of 0 contributes nothing
    origin = 0  # how many operations were done when it came to be infinite or NaN
    slow = False  # infinite as a logarithm is, which any power outweighs
    faint = False  # 0 as the inverse of an infinity is

    def __init__(self, x: "Decimal | float") -> None:
        from decimal import Decimal

        self.x = Decimal(x)

    def __float__(self) -> float:
        return float(self.x)

    def found(self, symbol: str, x: "Decimal | float", *others: "Number") -> "Number":
        """The result of an operation on this and other numbers."""
        args = (self, *others)
        new = type(self)(x)
        endless = [y for y in args if not y.x.is_finite()]
        self.done.append((_getframe(2).f_lineno, symbol))
        new.origin = endless[0].origin if endless else len(self.done)
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            new.slow = all(y.slow for y in endless)
        new.faint = not new.x and (bool(endless) or any(y.faint for y in args))
        return new

    def vanishes(self, *others: "Number") -> bool:  # for * /
        """Whether a product or quotient that has no value is 0, as one of its factors."""
        factors = (self, *others)
        faint = any(y.faint for y in factors)
        return any(y.slow for y in factors) or (self.adjoint and not faint)

    def __add__(self, other: "Number") -> "Number":  # for +
        return self.found("+", self.x + other.x, other)

    def __sub__(self, other: "Number") -> "Number":  # for -
        return self.found("-", self.x - other.x, other)

    def __mul__(self, other: "Number") -> "Number":  # for *
        low, high = sorted((abs(self.x), abs(other.x)))
        is_zero = low == 0 and high == inf and self.vanishes(other)
        return self.found("*", low if is_zero else self.x * other.x, other)

    def __truediv__(self, other: "Number") -> "Number":  # for /
        is_zero = self.x == other.x == 0 and self.vanishes()
        return self.found("/", self.x if is_zero else self.x / other.x, other)

    def __mod__(self, other: "Number") -> "Number":  # for %
        x = float(self) % float(other) if other.x else nan
        return self.found("%", x, other)

    def __neg__(self) -> "Number":  # for neg
        return self.found("-", -self.x)

    def __abs__(self) -> "Number":  # for abs
        return self.found("abs", abs(self.x))

    def __lt__(self, other: "Number") -> bool:  # for < min
        return self.x < other.x

    def __le__(self, other: "Number") -> bool:  # for <=
        return self.x <= other.x

    def __gt__(self, other: "Number") -> bool:  # for > max
        return self.x > other.x

    def __ge__(self, other: "Number") -> bool:  # for >=
        return self.x >= other.x

    def __eq__(self, other: object) -> bool:  # for == !=
        return isinstance(other, Number) and self.x == other.x


def function(on: "Callable[..., float]") -> "Callable[..., Number]":  # for functions
    """A function on floats as one on numbers."""
    name = on.__name__

    def of_decimals(*args: "Decimal") -> "Decimal | float":
        try:
            found = nan if any(map(isnan, args)) else on(*map(float, args))
        except OverflowError:
            found = inf
        except (ArithmeticError, ValueError):
            found = nan
        if name in DECIMALS and not 1e-307 < abs(found) < inf:  # for decimals
            return DECIMALS[name](*args)
        return found

    def run(*args: Number) -> Number:
        first, *others = args
        return first.found(name, of_decimals(*(y.x for y in args)), *others)

    return run


def at_pole(n: int, x: "Decimal") -> "Decimal | float":  # for digamma polygamma
    """polygamma(n, x) where floats end: near its pole at 0, and far out."""
    from math import factorial

    if abs(x / (1 + x)) ** (n + 1) < 1e-20:
        return factorial(n) / (-x) ** (n + 1)
    if n and x > 1e20 * n:
        return -factorial(n - 1) / (-x) ** n
    return inf if n else 0.0


def far_erfc(x: "Decimal") -> "Decimal":  # for erfc normcdf
    """erfc(x) for a large x, by its continued fraction."""
    below = x
    for k in range(20, 0, -1):
        below = x + k / (2 * below)
    return (-x * x).exp() / below / type(x)(3.141592653589793).sqrt()


def far_normpdf(x: "Decimal") -> "Decimal":  # for normpdf
    """normpdf(x) where floats end."""
    return (-x * x / 2).exp() / type(x)(6.283185307179586).sqrt()


# Functions that leave the range of floats or come back to it.  # for decimals
DECIMALS: "dict[str, Callable[..., Decimal | float]]" = {  # for decimals
    "sqrt": lambda x: x.sqrt(),  # for sqrt
    "cbrt": lambda x: (abs(x) ** (1 / type(x)(3))).copy_sign(x),  # for cbrt
    "exp": lambda x: x.exp(),  # for exp
    "exp2": lambda x: 2**x,  # for exp2
    "expm1": lambda x: x.exp() - 1,  # for expm1
    "sinh": lambda x: (x.exp() - (-x).exp()) / 2,  # for sinh
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,  # for cosh
    "log": lambda x, *base: x.ln() / base[0].ln() if base else x.ln(),  # for log
    "log1p": lambda x: (1 + x).ln(),  # for log1p
    "log2": lambda x: x.ln() / type(x)(2).ln(),  # for log2
    "log10": lambda x: x.log10(),  # for log10
    "log1pmx": lambda x: (1 + x).ln() - x if abs(x) > 1 else -x * x / 2,  # for log1pmx
    "loggrowth": lambda x, y: y * (1 + x / y).ln(),  # for loggrowth
    "softplus": lambda x: x if x > 0 else x.exp(),  # for softplus
    "logaddexp": lambda x, y: max(x, y),  # for logaddexp
    "xlogy": lambda x, y: x * y.ln() if x else x,  # for xlogy
    "hypot": lambda *xs: sum(x * x for x in xs).sqrt(),  # for hypot
    "asinh": lambda x: (abs(x) + (x * x + 1).sqrt()).ln().copy_sign(x),  # for asinh
    "acosh": lambda x: (x + (x * x - 1).sqrt()).ln(),  # for acosh
    "atanh": lambda x: ((1 + x) / (1 - x)).ln() / 2,  # for atanh
    "erfc": lambda x: far_erfc(x),  # for erfc
    "normcdf": lambda x: far_erfc(-x / type(x)(2).sqrt()) / 2,  # for normcdf
    "normpdf": lambda x: far_normpdf(x),  # for normpdf
    "exp_square": lambda x, factor: (factor * x * x).exp(),  # for exp_square
    "gamma": lambda x: 1 / x if abs(x) < 1 else inf if x > 0 else 0.0,  # for gamma
    "digamma": lambda x: at_pole(0, x),  # for digamma
    "polygamma": lambda n, x: at_pole(int(n), x),  # for polygamma
    "pow": lambda x, y: x**y,  # for pow
}
