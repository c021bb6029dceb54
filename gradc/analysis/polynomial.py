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
from itertools import product
from typing import NamedTuple

from gradc.analysis.coefficients import (
    ZERO,
    Coefficient,
    Coefficients,
    NoExpansion,
    Number,
    Product,
    Terms,
    rounded,
    times,
)
from gradc.analysis.series import Expansion, Series

TERMS = 16  # of a polynomial at the most
FAMILIES = 2  # products that numbers may be multiplied by
BEYOND = 8  # terms that stand for all that are left out
FIRST = 8  # coefficients that tell whether every other one vanishes
CLOSE = 2.0**-10  # radius of a series of one term
LOST = (2.0**-53, 2.0**-51, 2.0**-48)  # left out of the value and two derivatives
RADII = [2.0**-k for k in range(-10, 41)]  # few, so that conditions meet


class Near(NamedTuple):
    """A polynomial, and the condition under which it is right; -1 if it always is."""

    condition: int
    value: int


class Scaled(NamedTuple):
    """Numbers c0, c1, ... for each product m, and the product s and step of t."""

    families: Mapping[Product, list[Number]]
    s: Product
    step: int


def near(expansion: Expansion, position: int) -> Near:
    """Add the polynomial that the series of a node begins with to the program.

    Raises:
        NoExpansion: the series has a pole, converges nowhere, or has coefficients that
            are no numbers.
    """
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
        if self.series.degree is not None:
            scaled, limits = Scaled({}, (), 1), list[int]()
            value, radius = self._whole(self.series.degree), math.inf
        else:
            scaled = self._scaled()
            value, radius = self._summed(scaled)
            limits = [self._within(scaled, radius)]
        conditions = [*limits, *self._restrictions(scaled, radius)]
        condition = conditions[0] if conditions else -1
        for other in conditions[1:]:
            condition = self.builder.add("and", condition, other)
        return Near(condition, value)

    def _summed(self, scaled: Scaled) -> tuple[int, float]:
        """The sum of the polynomials, and the radius in which all of them serve."""
        step, families = scaled.step, scaled.families
        extents = [extent(numbers, self.order, step) for numbers in families.values()]
        argument = self._times(scaled.s, self._power(step))
        total = -1
        for (m, numbers), (_, count) in zip(families.items(), extents):
            value = self._sum(numbers[:count], argument)
            if m:
                value = self.builder.add("mul", self._times(m, self._power(0)), value)
            total = value if total == -1 else self.builder.add("add", total, value)
        if self.order:
            total = self.builder.add("mul", self._power(self.order), total)
        return total, min(radius for radius, _ in extents)

    def _scaled(self) -> Scaled:
        """The first coefficients, which are numbers times powers of one product."""
        series = self.series
        terms = [series[self.order + k] for k in range(FIRST)]
        step = math.gcd(*[k for k, x in enumerate(terms) if x])
        count = (TERMS + BEYOND) * (step or 1)
        terms += [series[self.order + k] for k in range(FIRST, count)]
        step = math.gcd(*[k for k, x in enumerate(terms) if x]) or 1
        found: list[Terms] = [
            x if isinstance(x, dict) else {(): x} if x else {} for x in terms[::step]
        ]
        for s in self._scales(found):
            families: dict[Product, list[Number]] = {}
            for k, term in enumerate(found):
                for written, number in term.items():
                    m = times(written, s, -k)
                    families.setdefault(m, [ZERO] * len(found))[k] = number
                if len(families) > FAMILIES:
                    break
            else:
                return Scaled(families, s, step)
        raise NoExpansion

    def _scales(self, terms: Sequence[Terms]) -> Iterator[Product]:
        """Products that the base may be multiplied by: none, or what two terms tell."""
        yield ()
        first = terms[0]
        for k, term in [(k, x) for k, x in enumerate(terms) if k and x][:2]:
            for p, q in product(first, term):
                s = times((), times(q, p, -1), Fraction(1, k))
                if s and all(e == int(e) for _, e in s):
                    yield tuple((leaf, int(e)) for leaf, e in s)

    def _whole(self, degree: int) -> int:
        """The polynomial that a series is, in the base itself if that is exact."""
        c, expansion = self.coefficients, self.expansion
        terms = [self.series[k] for k in range(degree + 1)]
        center = c.of(expansion.center)
        if not isinstance(center, Fraction):
            return self._sum(terms, self.h)
        for k in range(degree):  # from powers of u - c to powers of u
            for j in range(degree - 1, k - 1, -1):
                terms[j] = c.add(terms[j], c.mul(terms[j + 1], -center))
        return self._sum(terms, expansion.base)

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

    def _times(self, product: Product, factor: int) -> int:
        return self.coefficients.written(product, factor)

    def _power(self, n: int) -> int:
        """A power of h, without the root that h may be."""
        builder = self.builder
        total = self.h if n % 2 else builder.const(1.0)
        for _ in range(n // 2):
            square = self._square()
            one = builder.value_of(total) == 1.0
            total = square if one else builder.add("mul", total, square)
        return total

    def _square(self) -> int:
        """The square of h."""
        builder = self.builder
        op, *args = builder.nodes[self.h]
        if op == "sqrt":
            return int(args[0])
        if op != "hypot":
            return builder.add("mul", self.h, self.h)
        first, *others = [builder.add("mul", a, a) for a in args]
        for other in others:
            first = builder.add("add", first, other)
        return first

    def _within(self, scaled: Scaled, radius: float) -> int:
        """That t is small: no side divides, for the divisor may be 0."""
        builder, step = self.builder, scaled.step
        above = tuple((leaf, e) for leaf, e in scaled.s if e > 0)
        below = tuple((leaf, -e) for leaf, e in scaled.s if e < 0)
        size = self.h if step == 2 and not scaled.s else self._power(step)
        size = builder.add("abs", self._times(above, size))
        plain = step == 2 and not scaled.s
        limit = builder.const(_short(radius if plain else radius**step))
        if below:
            divisor = self._times(below, builder.const(1.0))
            limit = builder.add("mul", limit, builder.add("abs", divisor))
        return builder.add("lt", size, limit)

    def _restrictions(self, scaled: Scaled, radius: float) -> list[int]:
        """Conditions that chose a side and may change inside the radius."""
        builder, expansion = self.builder, self.expansion
        found = []
        for i, (truth, difference) in expansion.decided.items():
            if difference is None or not self._keeps(difference, scaled, radius):
                found.append(i if truth else builder.add("not", i))
        if expansion.side:
            op = "ge" if expansion.side > 0 else "le"
            found.append(builder.add(op, expansion.base, expansion.center))
        return found

    def _keeps(self, difference: Series, scaled: Scaled, radius: float) -> bool:
        """Whether a difference has no zero inside the radius."""
        roots = 2 if self.expansion.side else 1
        left = 1.0
        try:
            first = self.coefficients.single(difference[0])[1]
            for k in range(1, FIRST):
                found, number = self.coefficients.single(difference[k])
                share = Fraction(k, scaled.step * roots)
                if number and times((), scaled.s, share) != found:
                    return False
                size = abs(rounded(number) / rounded(first)) if number else 0.0
                left -= size * radius ** (k / roots) if size else 0.0
        except (NoExpansion, OverflowError):
            return False
        return left > 0.25


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


def extent(terms: Sequence[Number], order: int, step: int) -> tuple[float, int]:
    """The radius in which a polynomial serves, and how many terms it needs there.

    Arguments:
        terms: the coefficients of h^order, h^(order + step), ...; the last `BEYOND` are
            never used, but tell how large the rest is.

    Raises:
        NoExpansion: no radius is small enough.
    """
    sizes = [abs(rounded(term)) for term in terms]
    powers = [order + step * k for k in range(len(terms))]
    reach = _reach(sizes, order, step)
    for radius in RADII:
        if radius > reach:
            continue
        at = [
            [_slope(c, p, d, radius) for c, p in zip(sizes, powers)] for d in range(3)
        ]
        count = max(map(_enough, at, LOST))
        if count <= len(terms) - BEYOND and _is_calm(terms, powers, radius):
            return radius, count
    raise NoExpansion


def _slope(size: float, power: int, derivative: int, radius: float) -> float:
    """The size of a term's derivative at the radius."""
    if power < derivative:
        return 0.0
    try:
        return size * math.perm(power, derivative) * radius ** (power - derivative)
    except OverflowError:
        return math.inf


def _reach(sizes: Sequence[float], order: int, step: int) -> float:
    """An eighth of the distance at which the first two terms are of one size.

    A single term serves until something else in the formula changes it; the higher its
    power, the further from the center the terms that it stands for cancel.
    """
    (j, first), *more = [(k, size) for k, size in enumerate(sizes) if size]
    if not more:
        return float(CLOSE ** (1.0 / max(order, 1)))
    k, second = more[0]
    return 0.125 * float((first / second) ** (1.0 / (step * (k - j))))


def _enough(sizes: Sequence[float], lost: float) -> int:
    """How many terms leave nothing of note out, `len(sizes)` if none do."""
    first = next((size for size in sizes if size), 0.0)
    ends = not any(sizes[-BEYOND:])
    rest = 0.0 if ends else 2.0 * _last([size for size in sizes if size])
    if not first < math.inf or not rest < math.inf:
        return len(sizes)
    for k in range(len(sizes) - 1, -1, -1):
        rest += sizes[k]
        if rest > lost * first:
            return k + 1
    return 1


def _last(sizes: Sequence[float]) -> float:
    """The size from which the terms beyond go on falling by half at the least.

    Infinite if the last ones do not fall so. One of them may be small by chance, as
    every fourth is of sin(x)/(exp(x) - 1): then the larger of two counts.
    """
    last = sizes[-4:]
    if all(y <= x / 2 for x, y in zip(last, last[1:])):
        return last[-1] if last else 0.0
    if len(last) == 4 and max(last[2:]) <= max(last[:2]) / 4:
        return max(last[2:])
    return math.inf


def _is_calm(terms: Sequence[Number], powers: Sequence[int], radius: float) -> bool:
    """Whether the terms do not cancel at the radius, on either side."""
    at = [rounded(term) * radius**power for term, power in zip(terms, powers)]
    other = [-x if power % 2 else x for x, power in zip(at, powers)]
    size = sum(map(abs, at))
    return size <= 4.0 * min(abs(sum(at)), abs(sum(other)))


def _short(x: float) -> float:
    """A number of two digits, not above another."""
    scale = 10.0 ** (math.floor(math.log10(x)) - 1)
    return float(f"{math.floor(x / scale) * scale:.2g}")
