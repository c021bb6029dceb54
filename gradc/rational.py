"""Constants that binary64 rounds: 1/3 is computed once, and 0.3333333333333333 a float.

A formula means the third. Floats cannot tell, but a run in more digits does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import combinations, combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction

WHOLE = 2.0**20  # a denominator that floats have
LARGEST = 10_000  # the denominator of a constant that passes have made
POWERS = 3  # factors of a power's derivative, and what is taken from its exponent
COEFFICIENTS = 2  # before it
PARTS = 12  # as multiples of which numbers are quotients
FEW = 3  # constants of a formula of which others are made
SEVERAL = 16  # constants of a formula of which two may be added
UNITS = (1.0, -1.0)
LONGEST = 2.0**53  # the first integer of more bits than floats have
LONG = 256  # bits from which an exact result is no longer kept

Ratio = tuple[int, int]  # numerator and denominator
Factors = tuple[tuple["Fraction", int], ...]  # each with how many steps it takes

_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}


class Rounded(float):
    """A float, and the number next to it that is meant: the sixth that 1/6 is.

    Sums, products and quotients are exact, and plain floats again where floats hold
    them. What takes too many bits is taken for its float.
    """

    exact: Fraction

    def __add__(self, other: float) -> float:
        return _exactly("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: float) -> float:
        return _exactly("sub", self, other)

    def __rsub__(self, other: float) -> float:
        return _exactly("sub", other, self)

    def __mul__(self, other: float) -> float:
        return _exactly("mul", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> float:
        return _exactly("div", self, other)

    def __rtruediv__(self, other: float) -> float:
        return _exactly("div", other, self)

    def __pow__(self, other: int) -> float:  # type: ignore[override]
        return power(self, other)

    def __neg__(self) -> float:
        return nearest(-self.exact)

    def __abs__(self) -> float:
        return nearest(abs(self.exact))

    def is_integer(self) -> bool:
        return self.exact.denominator == 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rounded) and self.exact == other.exact

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = float.__hash__


def nearest(exact: Fraction) -> float:
    """The float next to a number, which it knows if that is another one."""
    found = Rounded(exact)
    if max(map(int.bit_length, exact.as_integer_ratio())) > LONG:
        return float(found)
    if exact == float(found):
        return float(found)
    found.exact = exact
    return found


def plus(x: float, y: float) -> float:
    """The sum of two numbers; it knows what it is where it is rounded.

    The error of a sum of floats is a float, by Knuth's `TwoSum`.
    """
    found = x + y
    part = found - x
    if found.__class__ is float and (x - (found - part)) + (y - part) == 0.0:
        return found
    return _exactly("add", x, y)


def scaled(x: float, y: float) -> float:
    """The product of two numbers; it knows what it is where it is rounded."""
    if x in UNITS or y in UNITS:
        return x * y
    found = x * y
    if -LONGEST < found < LONGEST and x.is_integer() and y.is_integer():
        return found
    return _exactly("mul", x, y)


def over(x: float, y: float) -> float:
    """The quotient of two numbers; it knows what it is where it is rounded."""
    return x * y if y in UNITS else _exactly("div", x, y)


def power(x: float, exponent: int) -> float:
    """A whole power of a number; it knows what it is where it is rounded."""
    from fractions import Fraction  # rarely needed

    exact = x.exact if isinstance(x, Rounded) else Fraction(x)
    try:
        return nearest(exact**exponent)
    except OverflowError:
        return math.inf


def square_root(x: float) -> float | None:
    """The root of a positive number that is the square of a fraction."""
    from fractions import Fraction  # rarely needed

    ratio = x.exact if isinstance(x, Rounded) else Fraction(x)
    above, below = map(math.isqrt, ratio.as_integer_ratio())
    root = Fraction(above, below)
    return nearest(root) if root * root == ratio else None


def _exactly(op: str, x: float, y: float) -> float:
    """The sum, product or quotient of two numbers, not rounded before it is a float."""
    from fractions import Fraction  # rarely needed

    a, b = (z.exact if isinstance(z, Rounded) else float(z) for z in (x, y))
    try:
        return nearest(_ARITHMETIC[op](Fraction(a), Fraction(b)))
    except (ArithmeticError, ValueError):  # one is not finite, or the result is not
        return float(_ARITHMETIC[op](float(x), float(y)))


class Constants:
    """What the constants of a formula are exactly, by the sizes of their floats."""

    def __init__(self) -> None:
        # None for what is one number here and another there, or is too long.
        self._exact: dict[float, Fraction | float | None] = {}

    def rounded(self) -> dict[float, Ratio]:
        """The constants that are not their floats.

        Without those that are next to such as 1.0, which passes make, too.
        """
        return {
            x: exact.as_integer_ratio()
            for x, exact in self._exact.items()
            if exact is not None and exact != x and not _is_short(x)
        }

    def take(self, value: float) -> None:
        """Note a constant that is its float."""
        self._note(value, abs(value))

    def compute(self, value: float, op: str, x: float, y: float) -> None:
        """Note a constant that has been computed from two others."""
        from fractions import Fraction  # rarely needed

        a, b = self._exact.get(abs(x), abs(x)), self._exact.get(abs(y), abs(y))
        exact = None
        if a is not None and b is not None:
            signed = [Fraction(a), Fraction(b)]
            signed = [c if z > 0.0 else -c for c, z in zip(signed, (x, y))]
            exact = abs(_ARITHMETIC[op](*signed))
            if max(map(int.bit_length, exact.as_integer_ratio())) > LONG:
                exact = None
        self._note(value, exact)

    def _note(self, value: float, exact: Fraction | float | None) -> None:
        if self._exact.setdefault(abs(value), exact) != exact:
            self._exact[abs(value)] = None


def completed(
    exact: Mapping[float, Ratio], written: Set[float], used: Set[float]
) -> Mapping[float, Ratio]:
    """The rounded constants with those that passes have made, such as x/6 from x/2/3.

    A float is taken for the only quotient of small integers that it is next to. That
    has to be so if no constant of the formula is like 0.3, which is its float: what is
    next to 0.7 is then taken for 1 - 0.3 or the like, if it is no other number.

    Arguments:
        exact: the rounded constants of the formula.
        written: the sizes of all constants of the formula.
        used: those of all that the passes have left.
    """
    made = {x for x in used - written if not _is_short(x)}
    if not made:
        return exact
    if any(map(_quotient, written - exact.keys())):
        known = [x for x in sorted(written) if not _is_short(x)]
        ratios = _powers(made, known, exact) if len(known) <= FEW else {}
    else:
        quotients = {x: _quotient(x) for x in sorted(made)}
        ratios = {x: ratio for x, ratio in quotients.items() if ratio}
    sums = _sums(made, sorted(written), exact) if len(written) <= SEVERAL else {}
    return {**sums, **exact, **ratios}


def _sums(
    made: Set[float], written: Sequence[float], exact: Mapping[float, Ratio]
) -> dict[float, Ratio]:
    """The constants that are sums or differences of two others, as 1 + 1e-12 is."""
    from fractions import Fraction  # rarely needed

    known = [x for x in written if math.isfinite(x)]
    sizes = [Fraction(*exact.get(x, x.as_integer_ratio())) for x in known]
    found: dict[float, set[Fraction]] = {x: set() for x in made}
    for a, b in combinations(sizes, 2):
        for total in (a + b, abs(a - b)):
            found.get(float(total), set()).add(total)
    return {
        x: total.as_integer_ratio()
        for x, totals in found.items()
        for total in totals
        if len(totals) == 1 and total != x
    }


def rerounded(exact: Mapping[float, Ratio]) -> dict[float, float]:
    """The floats next to rounded constants that are not: of several roundings."""
    found = {x: above / below for x, (above, below) in exact.items()}
    return {x: y for x, y in found.items() if x != y}


def _powers(
    made: Set[float], known: Sequence[float], exact: Mapping[float, Ratio]
) -> dict[float, Ratio]:
    """The constants that come of known ones where powers are differentiated.

    These are multiples of p*(p - 1)*(p - 2), say, times one or two known constants.
    What takes the fewest steps is meant, if it is only one number.
    """
    from fractions import Fraction  # rarely needed

    sizes = [Fraction(*exact.get(x, x.as_integer_ratio())) for x in known]
    before: list[Factors] = [()]
    steps: list[Factors] = [()]
    for n in range(1, COEFFICIENTS + 1):
        before += combinations_with_replacement([(x, 1) for x in sizes], n)
    for x, n in product(sizes, range(1, POWERS + 1)):
        moved = [(abs(x + k), 2 + abs(k)) for k in range(-POWERS, POWERS + 1) if x + k]
        steps += combinations_with_replacement(moved, n)
    found: dict[float, dict[int, set[Fraction]]] = {x: {} for x in made}
    ways = (x + y for x, y in product(before, steps))
    for factors in filter(None, ways):
        whole = math.prod(float(x) for x, _ in factors)
        for size in made:
            if not whole < 2.0 * PARTS * size < 4.0 * PARTS * whole < math.inf:
                continue
            parts = size / whole * PARTS
            count = round(parts)
            if 0 < count <= PARTS and abs(parts - count) <= 8.0 * math.ulp(parts):
                work = sum(n for _, n in factors) + 2 * (count != PARTS)
                exactly = math.prod((x for x, _ in factors), start=Fraction(1))
                found[size].setdefault(work, set()).add(exactly * count / PARTS)
    least = {size: work[min(work)] for size, work in found.items() if work}
    return {
        size: next(iter(ratios)).as_integer_ratio()
        for size, ratios in least.items()
        if len(ratios) == 1
    }


def _is_short(size: float) -> bool:
    """Whether a float is as it was meant: a whole number of small parts, or infinite."""
    return not math.isfinite(size) or (size * WHOLE).is_integer()


def _quotient(size: float) -> Ratio | None:
    """The quotient of small integers that a float is next to but not equal.

    The float may be its neighbour's, as 1 - 1/3 is that of 2/3.
    """
    from fractions import Fraction  # rarely needed

    if _is_short(size):
        return None
    found = Fraction(size).limit_denominator(LARGEST)
    is_near = abs(float(found) - size) <= 2.0 * math.ulp(size)
    return found.as_integer_ratio() if is_near and size != found else None
