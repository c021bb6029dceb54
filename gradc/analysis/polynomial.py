"""A series as a polynomial that a program evaluates, and where it may.

If all coefficients are numbers, but for a factor that they share, the number of terms
and the radius are chosen here: inside it the polynomial and its first two derivatives
lose nothing by the terms left out. A series of other coefficients is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from gradc.analysis.coefficients import (
    ONE,
    Coefficient,
    Coefficients,
    Form,
    NoExpansion,
    NoNumbers,
    direction,
    rounded,
)
from gradc.analysis.powers import exponents, power_product, product, rooted
from gradc.analysis.series import Series

TERMS = 16  # of a polynomial at the most
BEYOND = 8  # terms that stand for all that are left out
FEWEST = 5  # terms where the coefficients grow too large
COMPARED = 8  # terms where the program has to compare
NEARBY = 2.0**-3  # distance, by the size of the center, from which nobody compares
CLOSE = 2.0**-10  # radius of a series of one term
LOST = (2.0**-53, 2.0**-51, 2.0**-48)  # left out of the value and two derivatives
RADII = [2.0**-k for k in range(-10, 41)]  # few, so that conditions meet
LENGTHS = ("sqrt", "abs", "hypot")  # operations that are never negative


class Near(NamedTuple):
    """A polynomial, and the condition under which it is right; None if it always is."""

    condition: int | None
    value: int


def near(
    coefficients: Coefficients,
    series: Series,
    base: int,
    center: int,
) -> Near:
    """Add the polynomial that a series begins with to the program.

    Arguments:
        base, center: the nodes u and c of the powers of u - c.

    Raises:
        NoExpansion: the series has a pole, converges nowhere, or has coefficients that
            are no numbers.
    """
    order = series.order(coefficients)
    if order < 0:
        raise NoExpansion
    return _Polynomial(coefficients, series, order, base, center).near()


class _Polynomial:
    """The terms of a series, in h or in h*h if it is even or odd."""

    def __init__(
        self,
        coefficients: Coefficients,
        series: Series,
        order: int,
        base: int,
        center: int,
    ) -> None:
        self.coefficients = coefficients
        self.builder = coefficients.builder
        self.series = series
        self.order = order
        self.base = base
        self.center = center
        zero = self.builder.value_of(center) == 0.0
        self.h = base if zero else self.builder.add("sub", base, center)

    def near(self) -> Near:
        if self.series.degree is not None:
            return Near(None, self._whole(self.series, self.series.degree))
        inverse = self.series.inverse
        if inverse is not None and inverse.degree is not None and self.order == 0:
            below = self._whole(inverse, inverse.degree)
            return Near(None, self.builder.add("div", self.builder.const(1.0), below))
        count = TERMS + BEYOND
        terms = self._terms(2 * count)
        even = not any(term != 0 for term in terms[1::2])
        terms = terms[:: 1 + even][:count]
        argument = self._square() if even else self.h
        found = _shared(terms)
        if found is None:
            raise NoExpansion
        factor, numbers = found
        radius, count = extent(numbers, self.order, 1 + even)
        limit = self.builder.const(_short(radius))
        condition = self.builder.add("lt", self._distance(), limit)
        value = self._sum(numbers[:count], argument)
        if factor != {ONE: 1}:
            value = self.builder.add("mul", self.coefficients.node(factor), value)
        return Near(condition, self._raised(value, argument, even))

    def _terms(self, count: int) -> list[Coefficient]:
        """The first coefficients, all multiples of one.

        Raises:
            NoExpansion: they are not.
        """
        terms: list[Coefficient] = []
        try:
            for k in range(count):
                term = self.series[self.order + k]
                terms.append(self.coefficients.number(term))
                if _shared([terms[0], terms[-1]]) is None:
                    raise NoNumbers
        except NoExpansion as error:
            if len(terms) < FEWEST or isinstance(error, NoNumbers):
                raise
        return terms

    def _whole(self, series: Series, degree: int) -> int:
        """The polynomial that a series is, in the base itself if that is exact."""
        terms = [series[k] for k in range(degree + 1)]
        center = self.coefficients.of(self.center)
        if not isinstance(center, Fraction):
            return self._sum(terms, self.h)
        for k in range(degree):  # from powers of u - c to powers of u
            for j in range(degree - 1, k - 1, -1):
                moved = self.coefficients.scale(terms[j + 1], -center)
                terms[j] = self.coefficients.add(terms[j], moved)
        return self._sum(terms, self.base)

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

    def _raised(self, value: int, argument: int, even: bool) -> int:
        """The value times the power of h that the terms have in common."""
        count, rest = divmod(self.order, 1 + even)
        for factor in [self.h] * rest + [argument] * count:
            value = self.builder.add("mul", value, factor)
        return value

    def _square(self) -> int:
        """The square of h, without the root that h may be."""
        op, *args = self.builder.nodes[self.h]
        if op == "sqrt":
            return int(args[0])
        if op == "abs":
            return self.builder.add("mul", args[0], args[0])
        if op == "hypot":
            squares = [self.builder.add("mul", a, a) for a in args]
            total = squares[0]
            for square in squares[1:]:
                total = self.builder.add("add", total, square)
            return total
        factors = exponents(product(self.builder, self.h))
        powers = {leaf: 2 * e for leaf, e in factors.items()}
        if any(self.builder.nodes[leaf][0] == "sqrt" for leaf in powers):
            return power_product(self.builder, rooted(self.builder, powers))
        return self.builder.add("mul", self.h, self.h)

    def _distance(self) -> int:
        """How far the base is from the center."""
        if self.builder.nodes[self.h][0] in LENGTHS:
            return self.h
        return self.builder.add("abs", self.h)


def _shared(terms: Sequence[Coefficient]) -> tuple[Form, list[Fraction]] | None:
    """What all terms are multiples of, and the factors."""
    found = [direction(term) for term in terms]
    forms = [form for form, _ in found if form]
    if not forms or any(form != forms[0] for form in forms):
        return None
    return forms[0], [factor for _, factor in found]


def extent(terms: Sequence[Fraction], order: int, step: int) -> tuple[float, int]:
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
    rest = 2.0 * _last([size for size in sizes if size])
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


def _is_calm(terms: Sequence[Fraction], powers: Sequence[int], radius: float) -> bool:
    """Whether the terms do not cancel at the radius, on either side."""
    at = [rounded(term) * radius**power for term, power in zip(terms, powers)]
    other = [-x if power % 2 else x for x, power in zip(at, powers)]
    size = sum(map(abs, at))
    return size <= 4.0 * min(abs(sum(at)), abs(sum(other)))


def _short(x: float) -> float:
    """A number of two digits, not above another."""
    scale = 10.0 ** (math.floor(math.log10(x)) - 1)
    return float(f"{math.floor(x / scale) * scale:.2g}")
