"""Constants that binary64 rounds: 1/3 is computed once, and 0.3333333333333333 a float.

A formula means the third. Floats cannot tell, but a run in more digits does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction

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
        """The constants that are not their floats."""
        return {
            x: exact.as_integer_ratio()
            for x, exact in self._exact.items()
            if exact is not None and exact != x and math.isfinite(x)
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
