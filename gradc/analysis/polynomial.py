"""A series as a polynomial that a program evaluates, and where it may.

    m * h^order * (c0 + c1*t + c2*t^2 + ...)    t = s*h^step

The c are numbers; m and s are products of what is fixed. The number of terms and the
radius are chosen here: inside it the polynomial and its first two derivatives lose
nothing by the terms left out. A series of other coefficients is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
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
from gradc.calculus import template
from gradc.ir import LAZY, Builder, arguments

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
    """Numbers c0, c1, ... for each product m, and the product s and step of t."""

    families: Mapping[Product, list[Number]]
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
        self.position = position
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
        conditions = self._domains(scaled)
        conditions.append(self._within(scaled, radius))
        conditions += self._restrictions(conditions[-1])
        condition = reduce(partial(self.builder.add, "and"), conditions)
        return Near(condition, value, self._within(scaled, radius / FEWER))

    def _scaled(self) -> tuple[Scaled, list[tuple[float, int]]]:
        """The first coefficients, and how far each family of them serves."""
        first = [self.series[self.order + k] for k in range(FEW)]
        step = math.gcd(*[k for k, x in enumerate(first) if x]) or 1
        for most in (FEW, MANY):
            terms = [self.series[self.order + k] for k in range(most * step)]
            step = math.gcd(*[k for k, x in enumerate(terms) if x]) or 1
            scaled = self._families(terms[::step], step)
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
        terms: list[Terms] = [
            x if isinstance(x, dict) else {(): x} if x else {} for x in coefficients
        ]
        for s in _scales(terms):
            families: dict[Product, list[Number]] = {}
            for k, term in enumerate(terms):
                for written, number in term.items():
                    m = times(written, s, -k)
                    families.setdefault(m, [ZERO] * len(terms))[k] = number
                if len(families) > FAMILIES:
                    break
            else:
                return Scaled(families, s, step)
        raise NoExpansion

    def _summed(self, scaled: Scaled, counts: Sequence[int]) -> int:
        """The sum of the polynomials."""
        add, written = self.builder.add, self.coefficients.written
        argument = written(scaled.s, self._power(scaled.step))
        total = -1
        for (m, numbers), count in zip(scaled.families.items(), counts):
            value = self._sum(numbers[:count], argument)
            if m or self.order:
                value = add("mul", written(m, self._power(self.order)), value)
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
        size = add("abs", self.coefficients.written(above, size))
        limit = const(_short(radius**step))
        if below:
            divisor = add("abs", self.coefficients.written(below, const(1.0)))
            limit = add("mul", limit, divisor)
        return add("lt", size, limit)

    def _domains(self, scaled: Scaled) -> list[int]:
        """Where products are defined that the node as written may not need."""
        builder, found = self.builder, dict[int, None]()
        needed = _below(builder, [self.position], lazy=True)
        leaves = [leaf for m in (scaled.s, *scaled.families) for leaf, _ in m]
        for i in sorted(_below(builder, leaves) - needed):
            op, *args = builder.nodes[i]
            row = None if op in ("const", "input") else builder.ops[op]
            if row is not None and row.domain is not None and not row.variadic:
                chosen = template(
                    f"where({row.domain}, 1, 0)", row, "domain", builder.ops
                )
                held = chosen.build(builder, dict(zip(row.params, args)))
                if builder.value_of(held) is None:
                    _, condition, one, _ = builder.nodes[held]
                    holds = builder.value_of(one) == 1.0
                    found[condition if holds else builder.add("not", condition)] = None
        return list(found)

    def _restrictions(self, within: int) -> list[int]:
        """Conditions that chose a side, and may change inside the radius."""
        builder, expansion = self.builder, self.expansion
        _, size, limit = builder.nodes[within]
        found = []
        for i, truth in expansion.decided.items():
            op, *args = builder.nodes[i]
            bound = (
                builder.value_of(args[-1]) if [op, args[0]] == ["lt", size] else None
            )
            if bound is None or bound < (builder.value_of(limit) or bound):
                found.append(i if truth else builder.add("not", i))
        if expansion.side:
            op = "ge" if expansion.side > 0 else "le"
            found.append(builder.add(op, expansion.base, expansion.center))
        return found


def _below(builder: Builder, nodes: Iterable[int], lazy: bool = False) -> set[int]:
    """What nodes need; with `lazy` without the sides of conditionals."""
    found, stack = set[int](), list(nodes)
    while stack:
        i = stack.pop()
        if i not in found:
            found.add(i)
            args = arguments(builder.nodes[i])
            stack += args[:1] if lazy and builder.nodes[i][0] in LAZY else args
    return found


def _scales(terms: Sequence[Terms]) -> Iterator[Product]:
    """Products that the base may be multiplied by: none, or what two terms tell."""
    yield ()
    for k in [k for k, term in enumerate(terms) if k and term][:2]:
        for p, q in product(terms[0], terms[k]):
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


def extent(terms: Sequence[Number], order: int, step: int) -> tuple[float, int, bool]:
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
