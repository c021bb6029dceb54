"""Coefficients of power series: numbers times products of nodes, and sums of these.

    coefficient := number | {product: number, ...}
    product     := ((node, whole exponent), ...)    no node depends on the base

Numbers are fractions as long as they are exact and short, so that one that is zero is
known and not believed. What no fraction is, as cos(1) or pi, is a decimal of 60 digits:
sums that leave less than a third of them are zero, and what is next to a simple
fraction is it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import count, takewhile
from typing import Any

from gradc.ir import Builder
from gradc.spelling import function

Number = Fraction | Decimal
Product = tuple[tuple[int, int], ...]
Terms = dict[Product, Number]
Coefficient = Fraction | Decimal | Terms

ZERO, ONE = Fraction(0), Fraction(1)
BITS = 300  # of a fraction, which is a decimal from there on
NOTHING = Decimal("1e-40")  # share of its terms that a sum of nothing leaves
SHORT = 2**10  # denominator of simple fractions
SIMPLE = frozenset({0.0, 0.5, -0.5, 1.0, -1.0})  # floats that a row takes exactly
POWER = 8  # exponent up to which a power is a product
MOST = 4  # terms of a coefficient

_FINE, _WIDE = Context(prec=60), Context(prec=80)
_SLIP = Decimal("1." + 53 * "0" + "1")


class NoExpansion(Exception):
    """A node has no power series at the center, or none that can be written."""


class Coefficients:
    """Arithmetic on coefficients, whose nodes live in a builder."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def of(self, i: int) -> Coefficient:
        """The coefficient that a node is.

        Raises:
            NoExpansion: it is not finite.
        """
        op, *args = self.builder.nodes[i]
        if op == "const":
            try:
                return Fraction(args[0])
            except (OverflowError, ValueError):
                raise NoExpansion from None
        return {((i, 1),): ONE}

    def add(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A sum.

        Raises:
            NoExpansion: it has too many terms.
        """
        if isinstance(x, Number) and isinstance(y, Number):
            return _plus(x, y)
        total = dict(_terms(x))
        for product, factor in _terms(y).items():
            total[product] = _plus(total.get(product, ZERO), factor)
        return _simplified(total)

    def mul(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A product.

        Raises:
            NoExpansion: it has too many terms.
        """
        if isinstance(x, Number) and isinstance(y, Number):
            return _times(x, y)
        total: Terms = {}
        for p, a in _terms(x).items():
            for q, b in _terms(y).items():
                product = times(p, q)
                total[product] = _plus(total.get(product, ZERO), _times(a, b))
        return _simplified(total)

    def div(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A quotient.

        Raises:
            NoExpansion: the divisor is zero, or a sum, which may be zero.
        """
        if not y or isinstance(y, dict) and len(y) > 1:
            raise NoExpansion
        ((q, b),) = _terms(y).items()
        return self.mul(x, _simplified({times((), q, -1): _ratio(ONE, b)}))

    def power(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A power, a product if the exponent is whole and small.

        Raises:
            NoExpansion: it is not defined.
        """
        if not isinstance(y, Fraction) or y.denominator != 1 or abs(y) > POWER:
            return ONE if x == 1 else self.call("pow", [x, y])
        found: Coefficient = ONE
        for _ in range(abs(y.numerator)):
            found = self.mul(found, x)
        return found if y >= 0 else self.div(ONE, found)

    def call(self, op: str, args: Sequence[Coefficient]) -> Coefficient:
        """What a row is at coefficients.

        Raises:
            NoExpansion: it is not defined there, or known in floats only.
        """
        numbers = [a for a in args if isinstance(a, Number)]
        if len(numbers) < len(args):
            return self.of(self.builder.add(op, *map(self.node, args)))
        if (known := precise(op, numbers)) is not None:
            return known
        if not all(a in SIMPLE for a in numbers):
            raise NoExpansion
        try:
            found = function(self.builder.ops[op])(*map(float, numbers))
        except (ArithmeticError, ValueError, TypeError, AttributeError):
            raise NoExpansion from None
        if found not in SIMPLE:
            raise NoExpansion
        return Fraction(found)

    def node(self, x: Coefficient) -> int:
        """The position of a coefficient's node."""
        builder, total = self.builder, -1
        for product, factor in sorted(_terms(x or {(): ZERO}).items(), reverse=True):
            term = self.written(product, builder.const(abs(rounded(factor))))
            if total == -1:
                total = builder.add("neg", term) if factor < 0 else term
            else:
                total = builder.add("sub" if factor < 0 else "add", total, term)
        return total

    def written(self, product: Product, factor: int) -> int:
        """Add a node times a product of powers, as a quotient if some are negative."""
        builder = self.builder
        parts = [factor, builder.const(1.0)]
        for leaf, exponent in product:
            for _ in range(abs(exponent)):
                is_one = builder.value_of(parts[exponent < 0]) == 1.0
                args = parts[exponent < 0], leaf
                parts[exponent < 0] = leaf if is_one else builder.add("mul", *args)
        above, below = parts
        return above if builder.value_of(below) == 1.0 else builder.add("div", *parts)


def times(p: Product, q: Product, exponent: int | Fraction = 1) -> Product:
    """A product times a power of another."""
    if not q:
        return p
    found: dict[int, Any] = dict(p)
    for leaf, power in q:
        found[leaf] = found.get(leaf, 0) + exponent * power
    return tuple(sorted((leaf, e) for leaf, e in found.items() if e))


def rounded(x: Number) -> float:
    """The float next to a number.

    Raises:
        NoExpansion: it is too large.
    """
    try:
        found = float(x)
    except OverflowError:
        raise NoExpansion from None
    if math.isinf(found):
        raise NoExpansion
    return found


def _terms(x: Coefficient) -> Terms:
    return x if isinstance(x, dict) else {(): x}


def _simplified(total: Terms) -> Coefficient:
    """A sum without the terms that are zero.

    Raises:
        NoExpansion: it has too many terms.
    """
    total = {product: factor for product, factor in total.items() if factor}
    if len(total) > MOST:
        raise NoExpansion
    if not total:
        return ZERO
    return total[()] if total.keys() == {()} else total


# ---- numbers


def decimal(x: Number) -> Decimal:
    """A number in 60 digits."""
    if isinstance(x, Decimal):
        return x
    return _FINE.divide(Decimal(x.numerator), Decimal(x.denominator))


def _plus(x: Number, y: Number) -> Number:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return _checked(x + y)
    a, b = decimal(x), decimal(y)
    total = _FINE.add(a, b)
    return ZERO if abs(total) <= NOTHING * max(abs(a), abs(b)) else total


def _times(x: Number, y: Number) -> Number:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return _checked(x * y)
    return _FINE.multiply(decimal(x), decimal(y)) if x and y else ZERO


def _ratio(x: Number, y: Number) -> Number:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x / y
    return _FINE.divide(decimal(x), decimal(y))


def _checked(x: Fraction) -> Number:
    """A fraction, or a decimal in place of one that is too long."""
    bits = x.numerator.bit_length() + x.denominator.bit_length()
    return x if bits <= BITS else decimal(x)


def precise(op: str, args: Sequence[Number]) -> Number | None:
    """A row of numbers in 60 digits, or the simple fraction that it is next to.

    None where that is not known, or not defined.
    """
    if op not in _DIGITS:
        return None
    try:
        with localcontext(_WIDE):
            exact = _DIGITS[op](*map(decimal, args))
            if any(isinstance(a, Decimal) for a in args):
                moved = _DIGITS[op](*[decimal(a) * _SLIP for a in args])
                if abs(moved - exact) > abs(exact) / SHORT:
                    return ZERO  # but for rounding, as the sine of 60 digits of pi
            near = Fraction(round(exact * SHORT), SHORT) if abs(exact) < SHORT else ZERO
            if abs(exact - decimal(near)) <= NOTHING * abs(exact):
                return near
        return _FINE.plus(exact)
    except ArithmeticError:
        return None


# In a context of 80 digits:


def _sine(x: Decimal, shift: int = 0) -> Decimal:
    """The sine of x and some right angles, by its series."""
    term = total = x = (x + _PI * shift / 2).remainder_near(2 * _PI)
    for k in takewhile(lambda _: abs(term) > Decimal("1e-80"), count(2, 2)):
        term = -term * x * x / (k * (k + 1))
        total += term
    return total


_PI = Decimal(
    "3.1415926535897932384626433832795028841971693993751"
    "0582097494459230781640628620899862803482534211706798214808651"
)
_DIGITS: Mapping[str, Callable[..., Decimal]] = {
    "pi": lambda: +_PI,
    "e": lambda: Decimal(1).exp(),
    "exp": Decimal.exp,
    "log": Decimal.ln,
    "sqrt": Decimal.sqrt,
    "pow": Decimal.__pow__,
    "sinh": lambda x: (x.exp() - (-x).exp()) / 2,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "tanh": lambda x: 1 - 2 / ((2 * x).exp() + 1),
    "sin": _sine,
    "cos": lambda x: _sine(x, 1),
}
