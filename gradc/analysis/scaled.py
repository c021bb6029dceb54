"""Sums that are a product times a function of another product.

    t - c/a*asinh(a*t/c)    -->    t*(1 - asinh(u)/u)  with u = a*t/c

What is fixed differs from term to term by a power of u alone, so where u is small the
terms cancel as the series of 1 - asinh(u)/u says, whatever a, t and c are by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gradc.analysis.coefficients import Coefficients, NoExpansion
from gradc.analysis.polynomial import Near, near
from gradc.analysis.powers import Powers, exponents, power_product, product
from gradc.analysis.series import Expansion
from gradc.analysis.singular import Finder, Point
from gradc.ir import Builder

TERMS = 6  # of a sum at the most
SUMS = ("add", "sub")


class Scaled(NamedTuple):
    """The powers of what is fixed, and a node that depends on the point's base alone."""

    fixed: Powers
    function: int


def scaled(builder: Builder, finder: Finder, i: int) -> tuple[Point, Near] | None:
    """The polynomial that a node is where its terms cancel, and the point."""
    around, signed = _terms(builder, i)
    if not 1 < len(signed) <= TERMS:
        return None
    zero = builder.const(0.0)
    for u in _arguments(builder, finder, [term for _, term in signed]):
        point = Point(u, zero)
        found = _function(builder, finder, signed, u)
        if found is not None:
            value = _near(builder, finder, i, point, found, around)
            if value is not None:
                return point, value
    return None


def _terms(builder: Builder, i: int) -> tuple[Powers, list[tuple[int, int]]]:
    """The factors around a sum, and its terms with their signs."""
    around: Powers = {}
    total = -1
    for leaf, exponent, _ in product(builder, i):
        if builder.nodes[leaf][0] in SUMS and exponent == 1 and total == -1:
            total = leaf
        else:
            around[leaf] = around.get(leaf, 0) + exponent
    found: list[tuple[int, int]] = []
    stack = [(1, total)] if total != -1 else []
    while stack and len(found) <= TERMS:
        sign, k = stack.pop()
        op, *args = builder.nodes[k]
        if op in SUMS:
            stack += [(sign, args[0]), (sign if op == "add" else -sign, args[1])]
        else:
            found.append((sign, k))
    return around, found


def _arguments(builder: Builder, finder: Finder, terms: list[int]) -> Iterator[int]:
    """The products of several factors that calls in some terms are of."""
    seen: set[int] = set()
    for term in terms:
        for leaf, _, _ in product(builder, term):
            op, *args = builder.nodes[leaf]
            single = len(args) == 1 and op not in ("const", "input")
            if single and args[0] not in seen and finder.varies(leaf):
                seen.add(args[0])
                if len(_variables(builder, args[0])) > 1:
                    yield args[0]


def _variables(builder: Builder, i: int) -> Powers:
    """The factors of a product but for constants."""
    found = exponents(product(builder, i)).items()
    return {leaf: e for leaf, e in found if e and builder.value_of(leaf) is None}


def _function(
    builder: Builder, finder: Finder, signed: list[tuple[int, int]], u: int
) -> Scaled | None:
    """A sum as what is fixed, times a function of u; None if it is no such."""
    unit = _variables(builder, u)
    factors = exponents(product(builder, u)).items()
    numbers = {leaf: e for leaf, e in factors if leaf not in unit}
    first: Powers | None = None
    total = -1
    for sign, term in signed:
        above = finder.above(term, u)
        inner: Powers = {}
        fixed: Powers = {}
        for leaf, exponent, _ in product(builder, term):
            inside = builder.value_of(leaf) is not None or above(leaf)
            part = inner if inside else fixed
            part[leaf] = part.get(leaf, 0) + exponent
        first = fixed if first is None else first
        power = _ratio(fixed, first, unit)
        if power is None:
            return None
        inner[u] = inner.get(u, 0) + power
        for leaf, exponent in numbers.items():
            inner[leaf] = inner.get(leaf, 0) - exponent * power
        node = power_product(builder, inner)
        if total == -1:
            total = node if sign > 0 else builder.add("neg", node)
        else:
            total = builder.add("add" if sign > 0 else "sub", total, node)
    return None if first is None else Scaled(first, total)


def _ratio(x: Powers, y: Powers, unit: Powers) -> int | None:
    """The whole n for which x is y times the n-th power of a unit."""
    rest = {leaf: x.get(leaf, 0) - y.get(leaf, 0) for leaf in {**x, **y}}
    rest = {leaf: exponent for leaf, exponent in rest.items() if exponent}
    leaf, exponent = next(iter(unit.items()))
    power = rest.get(leaf, 0) // exponent
    wanted = {k: e * power for k, e in unit.items() if power}
    return power if rest == wanted else None


def _near(
    builder: Builder,
    finder: Finder,
    i: int,
    point: Point,
    found: Scaled,
    around: Powers,
) -> Near | None:
    """What is fixed times the polynomial of the function, if terms cancel in it."""
    expansion = Expansion(Coefficients(builder), point.base, point.center)
    below, above = finder.below(i), finder.above(i, point.base)

    def depends(k: int) -> bool:
        return k not in below or above(k)

    try:
        order = expansion.series(found.function, depends).order(expansion.coefficients)
        divisor = power_product(builder, {point.base: order})
        rest = builder.add("div", found.function, divisor)
        series = expansion.series(rest, depends)
        whole = near(expansion.coefficients, series, *point[:2], compared=False)
    except NoExpansion:
        return None
    if expansion.decided or order < 1 or whole.condition is None:
        return None
    powers = dict(found.fixed)
    for leaf, exponent in around.items():
        powers[leaf] = powers.get(leaf, 0) + exponent
    for leaf, exponent, _ in product(builder, point.base):
        powers[leaf] = powers.get(leaf, 0) + exponent * order
    value = builder.add("mul", power_product(builder, powers), whole.value)
    return Near(whole.condition, value)
