"""Constants that binary64 rounds: 1/3 is computed once, and 0.3333333333333333 a float.

A formula means the third. Floats cannot tell, but a run in more digits does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Set
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction

WHOLE = 2.0**20  # a denominator that floats have
LARGEST = 10_000  # the denominator of a constant that passes have made
LONG = 256  # bits from which an exact result is no longer kept

Ratio = tuple[int, int]  # numerator and denominator

_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}


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
    has to be so if no constant of the formula is like 0.1, which is its float.

    Arguments:
        exact: the rounded constants of the formula.
        written: the sizes of all constants of the formula.
        used: those of all that the passes have left.
    """
    made = {x for x in used - written if not _is_short(x)}
    if not made or any(map(_quotient, written - exact.keys())):
        return exact
    quotients = {x: _quotient(x) for x in sorted(made)}
    return {**exact, **{x: ratio for x, ratio in quotients.items() if ratio}}


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
