"""Coefficients of power series: fractions times products of nodes, and sums of these.

    coefficient := fraction | {product: fraction, ...}
    product     := ((node, whole exponent), ...)    no node depends on the base

That a coefficient is zero is therefore known and not believed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from gradc.ir import Builder
from gradc.spelling import function

Product = tuple[tuple[int, int], ...]
Terms = dict[Product, Fraction]
Coefficient = Fraction | Terms

ZERO, ONE = Fraction(0), Fraction(1)
BITS = 4096  # of a fraction, beyond which an expansion is given up
SIMPLE = frozenset({0.0, 0.5, -0.5, 1.0, -1.0})  # floats that a row takes exactly
POWER = 8  # exponent up to which a power is a product
MOST = 24  # terms of a coefficient
PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494459")
EXACT = frozenset({"pi", "sqrt"})  # numbers that have as many digits
WAVES = {"sin": (0, 1, 0, -1), "cos": (1, 0, -1, 0)}  # at right angles


class NoExpansion(Exception):
    """A node has no power series at the center, or none that can be written."""


class Coefficients:
    """Arithmetic on coefficients, whose nodes live in a builder.

    All methods raise NoExpansion for what is not defined, or too long.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._values: dict[int, Fraction] = {}  # of nodes below which no input stands

    def of(self, i: int) -> Coefficient:
        """The coefficient that a node is."""
        value = self.builder.value_of(i)
        if value is None:
            return {((i, 1),): ONE}
        try:
            return Fraction(value)
        except (OverflowError, ValueError):
            raise NoExpansion from None

    def add(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A sum."""
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return x + y
        total = dict(terms(x))
        for product, factor in terms(y).items():
            total[product] = total.get(product, ZERO) + factor
        return _simplified(total)

    def mul(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A product."""
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return _simplified({(): x * y})
        total: Terms = {}
        for p, a in terms(x).items():
            for q, b in terms(y).items():
                product = times(p, q)
                total[product] = total.get(product, ZERO) + a * b
        return _simplified(total)

    def div(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A quotient; the divisor is no sum, which might be zero."""
        if not y or isinstance(y, dict) and len(y) > 1:
            raise NoExpansion
        ((q, b),) = terms(y).items()
        return self.mul(x, {times((), q, -1): 1 / b})

    def power(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A power, a product if the exponent is whole and small."""
        if not isinstance(y, Fraction) or y.denominator != 1 or abs(y) > POWER:
            return ONE if x == 1 else self.call("pow", [x, y])
        found: Coefficient = ONE
        for _ in range(abs(y.numerator)):
            found = self.mul(found, x)
        return found if y >= 0 else self.div(ONE, found)

    def call(self, op: str, args: Sequence[Coefficient]) -> Coefficient:
        """What a row is at coefficients: a simple number, or a node."""
        if op in WAVES and isinstance(args[0], dict) and len(args[0]) == 1:
            ((product, factor),) = args[0].items()
            (leaf, exponent), *others = product
            angles = 2 * factor
            if self.builder.nodes[leaf] == ("pi",) and exponent == 1 and not others:
                if angles.denominator == 1:
                    return Fraction(WAVES[op][angles.numerator % 4])
        given = [self.value(a) for a in args]
        node, value = self.builder.add(op, *map(self.node, args)), None
        if None not in given:
            value = self._computed(op, [Fraction(x or 0) for x in given])
            simple = [a for a in args if isinstance(a, Fraction) and a in SIMPLE]
            if value in SIMPLE and args and len(simple) == len(args):
                return value
            self._values[node] = value
        return self.of(node)

    def _computed(self, op: str, args: Sequence[Fraction]) -> Fraction:
        """A row of numbers as floats have it, but that of pi and roots has more digits."""
        if op == "pi":
            return PI
        try:
            if op == "sqrt":
                return Fraction(math.isqrt(int(args[0] * 10**120)), 10**60)
            return Fraction(function(self.builder.ops[op])(*map(float, args)))
        except (ArithmeticError, ValueError, TypeError, AttributeError):
            raise NoExpansion from None

    def value(self, x: Coefficient) -> Fraction | None:
        """What a coefficient is if no input stands below it."""
        total = ZERO
        for product, factor in terms(x).items():
            for leaf, exponent in product:
                if not self._values.get(leaf):
                    return None
                factor *= self._values[leaf] ** exponent
            total += factor
        return total

    def numbers(self, x: Coefficient) -> Terms:
        """The terms of a coefficient, nodes that are numbers being these.

        It is no sum that cancels, for floats cannot tell whether that is zero.
        """
        total: Terms = {}
        for product, factor in terms(x).items():
            fixed = tuple(p for p in product if p[0] in self._values)
            kept = tuple(p for p in product if p not in fixed)
            part = self.value({fixed: factor}) or ZERO
            total[kept] = total.get(kept, ZERO) + part
            ops = {self.builder.nodes[leaf][0] for leaf, _ in fixed}
            if not ops <= EXACT and abs(total[kept]) < abs(part) / 1000:
                raise NoExpansion
        return total

    def node(self, x: Coefficient) -> int:
        """The position of a coefficient's node."""
        builder, total = self.builder, -1
        for product, factor in sorted(terms(x or {(): ZERO}).items(), reverse=True):
            size = builder.const(rounded(abs(factor)))
            term = written(builder, product, size)
            if total == -1:
                total = builder.add("neg", term) if factor < 0 else term
            else:
                total = builder.add("sub" if factor < 0 else "add", total, term)
        return total


def terms(x: Coefficient) -> Terms:
    """The terms of a coefficient."""
    return x if isinstance(x, dict) else {(): x}


def times(p: Product, q: Product, exponent: int | Fraction = 1) -> Product:
    """A product times a power of another."""
    if not q:
        return p
    found: dict[int, Any] = dict(p)
    for leaf, power in q:
        found[leaf] = found.get(leaf, 0) + exponent * power
    return tuple(sorted((leaf, e) for leaf, e in found.items() if e))


def written(builder: Builder, product: Product, factor: int) -> int:
    """Add a node times a product of powers, as a quotient if some are negative."""
    parts = [factor, builder.const(1.0)]
    for leaf, exponent in product:
        for _ in range(abs(exponent)):
            part = parts[exponent < 0]
            is_one = builder.value_of(part) == 1.0
            parts[exponent < 0] = leaf if is_one else builder.add("mul", part, leaf)
    is_whole = builder.value_of(parts[1]) == 1.0
    return parts[0] if is_whole else builder.add("div", *parts)


def rounded(x: Fraction) -> float:
    """The float next to a fraction, unless it is too large."""
    try:
        return float(x)
    except OverflowError:
        raise NoExpansion from None


def _simplified(total: Terms) -> Coefficient:
    """A sum without the terms that are zero, if it is short."""
    total = {product: factor for product, factor in total.items() if factor}
    if len(total) > MOST:
        raise NoExpansion
    for x in total.values():
        if x.numerator.bit_length() + x.denominator.bit_length() > BITS:
            raise NoExpansion
    if not total:
        return ZERO
    return total[()] if total.keys() == {()} else total
