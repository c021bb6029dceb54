"""A series as a polynomial that a program evaluates, and where it may.

    m * h^order * (c0 + c1*t + c2*t^2 + ...)    t = s*h^step

The c are numbers; m and s are products of what is fixed. The number of terms and the
radius are chosen here: inside it the polynomial and its first two derivatives lose
nothing by the terms left out. A series of other coefficients is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from typing import NamedTuple

from gradc.analysis.series import (
    ZERO,
    Coefficient,
    Coefficients,
    Expansion,
    NoExpansion,
    Product,
    Series,
    Terms,
    rounded,
    times,
    written,
)

FEW, MANY = 12, 20  # terms that are looked at, more if these are not enough
FAMILIES = 2  # products that numbers may be multiplied by
BEYOND = 4  # terms that stand for all that are left out
FEWER = 8.0  # times nearer than the radius, a series that is not needed there is none
CLOSE = 2.0**-10  # radius of a series of one term
LOST = (2.0**-53, 2.0**-51, 2.0**-48)  # left out of the value and two derivatives


class Near(NamedTuple):
    """A polynomial, and the condition under which it is right.

    Where `needed` does not hold, the node as written has lost few digits.
    """

    condition: int
    value: int
    needed: int


class Scaled(NamedTuple):
    """Fractions c0, c1, ... for each product m, and the product s and step of t."""

    families: Mapping[Product, list[Fraction]]
    s: Product
    step: int


def near(expansion: Expansion, position: int, zero: int) -> Near:
    """Add the polynomial that the series of a node begins with to the program.

    Arguments:
        zero: the node that is 0 at the point, if it is one.

    Raises:
        NoExpansion: that is not 0, or the series has a pole, converges nowhere, or has
            coefficients that are no numbers.
    """
    if expansion.series(zero)[0]:
        raise NoExpansion
    return _Polynomial(expansion, position).near()


class _Polynomial:
    """The terms of a series."""

    def __init__(self, expansion: Expansion, position: int) -> None:
        self.expansion = expansion
        self.coefficients = expansion.coefficients
        self.builder = builder = expansion.builder
        self.series = expansion.series(position)
        if expansion.side:
            self.series = halved(self.series, self.coefficients, expansion.side)
        self.order = self.series.order()
        if self.order < 0:
            raise NoExpansion
        at_zero = builder.value_of(expansion.center) == 0.0
        base, center = expansion.base, expansion.center
        self.h = base if at_zero else builder.add("sub", base, center)

    def near(self) -> Near:
        scaled, extents = self._scaled()
        radius = min(radius for radius, _ in extents)
        value = self._summed(scaled, [count for _, count in extents])
        conditions = self._conditions(scaled, radius)
        condition = reduce(partial(self.builder.add, "and"), conditions)
        return Near(condition, value, self._within(scaled, radius / FEWER))

    def _scaled(self) -> tuple[Scaled, list[tuple[float, int]]]:
        """The first coefficients, and how far each family of them serves."""
        first = [self.series[self.order + k] for k in range(FEW)]
        step = math.gcd(*[k for k, x in enumerate(first) if x]) or 1
        for most in (FEW, MANY):
            found = [self.series[self.order + k] for k in range(most * step)]
            step = math.gcd(*[k for k, x in enumerate(found) if x]) or 1
            scaled = self._families(found[::step], step)
            extents = [
                extent(numbers, self.order, step)
                for numbers in scaled.families.values()
            ]
            if all(is_far for *_, is_far in extents):
                break
        if not all(radius for radius, *_ in extents):
            raise NoExpansion
        return scaled, [(radius, count) for radius, count, _ in extents]

    def _families(self, coefficients: Sequence[Coefficient], step: int) -> Scaled:
        """Coefficients as numbers times powers of one product."""
        numbers = self.coefficients.numbers
        found = [numbers(x) if x else {} for x in coefficients]
        for s in _scales(found):
            families: dict[Product, list[Fraction]] = {}
            for k, term in enumerate(found):
                for p, number in term.items():
                    m = times(p, s, -k)
                    families.setdefault(m, [ZERO] * len(found))[k] = number
                if len(families) > FAMILIES:
                    break
            else:
                return Scaled(families, s, step)
        raise NoExpansion

    def _summed(self, scaled: Scaled, counts: Sequence[int]) -> int:
        """The sum of the polynomials."""
        builder, add = self.builder, self.builder.add
        argument = written(builder, scaled.s, self._power(scaled.step))
        total = -1
        for (m, numbers), count in zip(scaled.families.items(), counts):
            value = self._sum(numbers[:count], argument)
            if m or self.order:
                value = add("mul", written(builder, m, self._power(self.order)), value)
            total = value if total == -1 else add("add", total, value)
        return total

    def _sum(self, terms: Sequence[Coefficient], argument: int) -> int:
        """The polynomial by Horner's rule."""
        builder = self.builder
        nodes = [self.coefficients.node(term) for term in terms]
        total = nodes[-1]
        for node in reversed(nodes[:-1]):
            product = builder.add("mul", total, argument)
            zero = builder.value_of(node) == 0.0
            total = product if zero else builder.add("add", node, product)
        return total

    def _power(self, n: int) -> int:
        """A power of h, without the root that h may be."""
        builder = self.builder
        op, *args = builder.nodes[self.h]
        if op == "sqrt":
            square = int(args[0])
        else:
            factors = args if op == "hypot" else [self.h]
            squares = [builder.add("mul", a, a) for a in factors]
            square = reduce(partial(builder.add, "add"), squares)
        parts = [square] * (n // 2) + [self.h] * (n % 2)
        return reduce(partial(builder.add, "mul"), parts or [builder.const(1.0)])

    def _within(self, scaled: Scaled, radius: float) -> int:
        """That t is small: no side divides, for the divisor may be 0."""
        add, const = self.builder.add, self.builder.const
        above = tuple((leaf, e) for leaf, e in scaled.s if e > 0)
        below = tuple((leaf, -e) for leaf, e in scaled.s if e < 0)
        step = scaled.step if scaled.s else 1
        size = self._power(step) if step > 1 else self.h
        size = add("abs", written(self.builder, above, size))
        limit = const(_short(radius**step))
        if below:
            divisor = add("abs", written(self.builder, below, const(1.0)))
            limit = add("mul", limit, divisor)
        return add("lt", size, limit)

    def _conditions(self, scaled: Scaled, radius: float) -> list[int]:
        """Where products are defined, t is small, and the sides are those chosen."""
        builder, expansion = self.builder, self.expansion
        add, zero = builder.add, builder.const(0.0)
        leaves = [leaf for m in (scaled.s, *scaled.families) for leaf, _ in m]
        logs = [leaf for leaf in leaves if builder.nodes[leaf][0] == "log"]
        found = [add("gt", builder.nodes[leaf][1], zero) for leaf in logs]
        found.append(self._within(scaled, radius))
        decided = expansion.decided.items()
        found += [i if truth else add("not", i) for i, truth in decided]
        if expansion.side:
            op = "ge" if expansion.side > 0 else "le"
            found.append(add(op, expansion.base, expansion.center))
        return found


def _scales(found: Sequence[Terms]) -> Iterator[Product]:
    """Products that the base may be multiplied by: none, or what two terms tell."""
    yield ()
    for k in [k for k, term in enumerate(found) if k and term][:2]:
        for p, q in product(found[0], found[k]):
            s = times((), times(q, p, -1), Fraction(1, k))
            if s and all(e == int(e) for _, e in s):
                yield tuple((leaf, int(e)) for leaf, e in s)


def halved(series: Series, coefficients: Coefficients, side: int) -> Series:
    """A series in h as one in side*h^2.

    Raises:
        NoExpansion: it has odd powers.
    """

    def rule(k: int) -> Coefficient:
        if series[2 * k - 1]:
            raise NoExpansion
        return coefficients.mul(series[2 * k], Fraction(side) ** k)

    return Series(rule, series.low // 2)


def extent(terms: Sequence[Fraction], order: int, step: int) -> tuple[float, int, bool]:
    """The radius in which a polynomial serves, and how many terms it needs there.

    Each term is at most an eighth of the one before, or a 64th of the one before that,
    ... at the radius, so that they do not cancel; and those that are left out, of which
    the last `BEYOND` stand for all that come, are nothing in the value and two
    derivatives. True if more terms would not make the radius larger, 0 if none is small
    enough.

    Arguments:
        terms: the coefficients of h^order, h^(order + step), ...
    """
    sizes = [(k, abs(rounded(x))) for k, x in enumerate(terms) if x]
    (start, first), *more = sizes
    if not more:  # a single term serves until something else changes the formula
        return CLOSE ** (1.0 / max(order, 1)), start + 1, True
    even = 1 + (step % 2 == 0)  # t is as a square then
    reach = min((first / c) ** (1.0 / (even * (k - start))) for k, c in more) / 8.0
    radii = [2.0**-k for k in range(-10, 41) if 2.0**-k <= reach]
    for size in radii:
        radius = size ** (even / step)
        needed = start
        for d, lost in enumerate(LOST):
            at = [(k, _slope(c, order + step * k, d, radius)) for k, c in sizes]
            largest = next((x for _, x in at if x), 0.0)
            needed = max([needed, *(k for k, x in at if x > lost * largest)])
        if needed < len(terms) - BEYOND:
            return radius, needed + 1, size == radii[0]
    return 0.0, 0, False


def _slope(size: float, power: int, derivative: int, radius: float) -> float:
    """The size of a term's derivative at the radius."""
    if power < derivative:
        return 0.0
    return size * math.perm(power, derivative) * radius ** (power - derivative)


def _short(x: float) -> float:
    """A number of two digits, not above another."""
    scale = 10.0 ** (math.floor(math.log10(x)) - 1)
    return float(f"{math.floor(x / scale) * scale:.2g}")
