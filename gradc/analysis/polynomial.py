"""A series as a polynomial that a program evaluates, and where it may.

    m * h^order * (c0 + c1*t + c2*t^2 + ...)    t = s*h^step

The c are numbers; m is a sum and s a product of what is fixed. The number of terms and the
radius are chosen here: inside it the polynomial and its first two derivatives lose
nothing by the terms left out. A series of other coefficients is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from functools import partial, reduce
from typing import NamedTuple

from gradc.analysis.forms import Powers, times, written
from gradc.analysis.series import Coefficient, Expansion, NoExpansion, Series, number

FEW, MANY = 12, 20  # terms that tell the step, and that are looked at
FACTOR = 2  # products in what numbers are multiplied by
FEWER = 8.0  # times nearer than the radius, a series that is not needed there is none
SPREAD = 8  # times smaller than the one before each term is at the radius, or less
BEYOND = 4  # terms that stand for all that are left out
CLOSE = 2.0**-10  # radius of a series of one term
SHORT = Context(prec=2, rounding=ROUND_FLOOR)  # digits of a radius
LOST = (2.0**-53, 2.0**-51, 2.0**-48)  # left out of the value and two derivatives


class Near(NamedTuple):
    """A polynomial, and the condition under which it is right.

    Where `needed` does not hold, the node as written has lost few digits.
    """

    condition: int
    value: int
    needed: int


def near(expansion: Expansion, position: int, below: Iterable[int]) -> Near:
    """Add the polynomial that the series of a node begins with, `below` what it reads.

    Raises:
        NoExpansion: the series has a pole, converges nowhere, or has coefficients that
            are no numbers times a sum of at most two products.
    """
    series, side = expansion.series(position), expansion.side
    series = series.halved(side) if side else series
    found = _Polynomial(expansion, series)
    found.sides = [expansion.sides[i] for i in below if i in expansion.sides]
    spread = SPREAD // max(1, -series.low // 2)  # a chain loses digits farther away
    radius, count = extent(found.numbers, found.order, found.step, spread)
    value = found.value(count)
    return Near(found.condition(radius), value, found.condition(radius / FEWER))


class _Polynomial:
    """The first terms of a series: numbers, the sum m before them, and the s of t."""

    def __init__(self, expansion: Expansion, series: Series) -> None:
        self.builder = builder = expansion.builder
        self.add, self.const = builder.add, builder.const
        base, center = expansion.base, expansion.center
        self.h = self.add("sub", base, center)
        self.inside, self.sides = list[int](), list[int]()  # what holds near the center
        if expansion.side:
            inside = "ge" if expansion.side > 0 else "le"
            self.inside.append(self.add(inside, base, center))
        self.order = order = series.order()
        if order < 0:
            raise NoExpansion
        self.step = math.gcd(*[k for k in range(FEW) if series[order + k]]) or 1
        terms = [series[order + k] for k in range(MANY * self.step)]
        if any(term for k, term in enumerate(terms) if k % self.step):
            raise NoExpansion
        self.numbers, self.sum, self.s = _factored(terms[:: self.step])
        self.m: Powers = ((expansion.node(self.sum), 1),)
        if len(self.sum) == 1:
            (self.m,) = self.sum

    def value(self, count: int) -> int:
        """The sum of so many terms, by Horner's rule."""
        *numbers, last = self.numbers[:count]
        argument, total = self._product(self.s, self.step), self.const(float(last))
        for x in reversed(numbers):
            total = self.add("mul", total, argument)
            if x:
                total = self.add("add", self.const(float(x)), total)
        if self.m or self.order:
            total = self.add("mul", self._product(self.m, self.order), total)
        return total

    def condition(self, radius: float) -> int:
        """That products are defined and t is small: no side divides, it might be by 0."""
        nodes, zero = self.builder.nodes, self.const(0.0)
        leaves = [leaf for p in (self.s, *self.sum) for leaf, _ in p]
        logs = [leaf for leaf in leaves if nodes[leaf][0] == "log"]
        step = self.step if self.s else 1
        above = tuple((leaf, e) for leaf, e in self.s if e > 0)
        below = tuple((leaf, -e) for leaf, e in self.s if e < 0)
        size = self.add("abs", self._product(above, step))
        limit = self.const(float(SHORT.create_decimal(radius**step)))
        if below:
            divisor = self.add("abs", self._product(below, 0))
            limit = self.add("mul", limit, divisor)
        defined = dict.fromkeys(self.add("gt", nodes[i][1], zero) for i in logs)
        found = [*self.inside, *defined, self.add("lt", size, limit), *self.sides]
        return reduce(partial(self.add, "and"), found)

    def _product(self, powers: Powers, n: int) -> int:
        """A product times a power of h, without the root that h may be."""
        op, *args = self.builder.nodes[self.h]
        power = [(self.h, n)]
        if op == "sqrt" or op == "hypot":
            squares = args if op == "sqrt" else [self.add("mul", a, a) for a in args]
            square = reduce(partial(self.add, "add"), squares)
            power = [(square, n // 2), (self.h, n % 2)]
        return written(self.builder, 1, times(powers, tuple(power)))


def _factored(
    terms: Sequence[Coefficient],
) -> tuple[list[Decimal], Coefficient, Powers]:
    """Coefficients as numbers times a sum of products and the power k of a product."""
    first, size = next(iter(terms[0].items()))
    m = terms[0] / number(size)
    n, then = next(((k, x) for k, x in enumerate(terms) if k and x), (1, m))
    for p in then:
        s = tuple((leaf, e // n) for leaf, e in times(p, first, -1))
        scales = [times((), s, k) for k in range(len(terms))]
        found = [x.get(times(first, q), Decimal(0)) for x, q in zip(terms, scales)]
        whole = [m * Coefficient({q: x} if x else {}) for x, q in zip(found, scales)]
        if len(m) <= FACTOR and not any(x - y for x, y in zip(terms, whole)):
            return found, m, s
    raise NoExpansion


def extent(
    terms: Sequence[Decimal], order: int, step: int, spread: int = SPREAD
) -> tuple[float, int]:
    """The radius in which a polynomial serves, and how many terms it needs there.

    Each term is at most an eighth of the one before, or a 64th of the one before that,
    ... at the radius, so that they do not cancel; and those that are left out, of which
    the last `BEYOND` stand for all that come, are nothing in the value and two
    derivatives.

    Arguments:
        terms: the coefficients of h^order, h^(order + step), ...

        spread: the eighth, if it is another share.

    Raises:
        NoExpansion: no radius is small enough.
    """
    sizes = [(k, abs(float(x))) for k, x in enumerate(terms) if x]
    (start, first), *more = sizes
    if not more:  # a single term serves until something else changes the formula
        return CLOSE ** (1.0 / max(order, 1)), start + 1
    even = 1 + (step % 2 == 0)  # t is as a square then
    reach = min((first / c) ** (1.0 / (even * (k - start))) for k, c in more) / spread
    for size in [2.0**-k for k in range(-10, 41) if 2.0**-k <= reach]:
        radius = size ** (even / step)
        needed = start
        for d, lost in enumerate(LOST):
            powers = [(k, c, order + step * k) for k, c in sizes]
            at = [(k, c * math.perm(n, d) * radius ** (n - d)) for k, c, n in powers]
            largest = next((x for _, x in at if x), 0.0)
            needed = max([needed, *(k for k, x in at if x > lost * largest)])
        if needed < len(terms) - BEYOND:
            return radius, needed + 1
    raise NoExpansion
