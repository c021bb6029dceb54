"""Decays: products in which an exponential is 0 as a float, and a power makes up for it.

`exp(-x)` is 0 from 746 on, where `x^20*exp(-x)` is still 3e-267. Inputs that are that
far, and no farther, are not met by chance, as the other extremes are (`extremes`), so a
product of a high power and an exponential is tested wherever it stands: the power over
the exponential is added to the values, which is infinite where the power is above 1e16
and the exponential below 1e-292. With a smaller power the product is wrong by 1e-307 at
most. A low power is not tested, which is above 1e16 only where its base is much larger
than the exponent: `x^3*exp(-x/1e6)` is 0 at 7.5e8, where 8e-300 is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from typing import NamedTuple

from gradc.analysis.bounds import sizes
from gradc.analysis.suspects import Suspects
from gradc.ir import Builder, Program

LEAST = 1e-292  # added to an exponential, so that only powers above 1e16 show
DEGREE = 6.0  # from which on a power of 745, where exponentials end, is above 1e16
MOST = 4  # factors of a product that are multiplied for it
ENDING = frozenset("exp pow sigmoid sech2 erfc gauss normpdf normcdf".split())
_KEEPING = frozenset({"neg", "abs", "div"})  # of the first argument
_SUMS = frozenset({"add", "sub", "log1p"})


class Power(NamedTuple):
    """The highest power that a node is a multiple of, or a sum with."""

    base: int
    degree: float


class Product(NamedTuple):
    """A product of an exponential and other factors, with the degree of these."""

    low: int
    degree: float
    factors: list[int]


def terms(suspects: Suspects, builder: Builder) -> Iterator[int]:
    """Nodes that are infinite where a power makes up for an exponential that is 0."""
    program = suspects.program
    if ENDING.isdisjoint(program.operations):
        return
    products = _products(program, suspects)
    bounds = sizes(program) if products else []
    for low, factors in products.items():
        if bounds[low].low > LEAST:
            continue  # by the domains of the inputs
        high = reduce(partial(builder.add, "mul"), factors)
        found = builder.add("div", high, builder.add("add", low, builder.const(LEAST)))
        yield suspects.term(low, found, builder)


def _products(program: Program, suspects: Suspects) -> dict[int, list[int]]:
    """The factors of a high power by which a function multiplies an exponential."""
    powers: list[Power] = []
    products: list[Product | None] = []  # that a node is
    found: dict[int, Product] = {}
    for i, (op, *args) in enumerate(program.nodes):
        powers.append(_power(program, i, powers))
        products.append(None)
        if _is_exponential(program, i) or _is_made_of(program, i, products):
            products[i] = Product(i, 0.0, [])
            powers[i] = Power(i, 0.0)
        elif op in _KEEPING:
            products[i] = products[args[0]]
        elif op == "mul":
            a, b = args
            product = _product(powers[i].degree, a, b, products)
            products[i] = product
            if product is None or product.degree < DEGREE or not suspects.is_live(i):
                continue
            low = product.low
            is_near = all(
                suspects.placed[low] == suspects.placed[f] for f in product.factors
            )
            is_higher = low not in found or product.degree > found[low].degree
            if is_near and is_higher and suspects.is_placed(low):
                found[low] = product
    return {low: product.factors for low, product in found.items()}


def _product(
    degree: float, a: int, b: int, products: Sequence[Product | None]
) -> Product | None:
    """The product of two nodes, if one of them has an exponential as a factor."""
    first, second = products[a], products[b]
    if first and second:
        return first
    known = first or second
    if known is None or len(known.factors) == MOST:
        return known
    return Product(known.low, degree, [*known.factors, b if first else a])


def _is_exponential(program: Program, i: int) -> bool:
    """Whether a node may be 0 as a float although it is 0 nowhere."""
    op, *args = program.nodes[i]
    if op == "pow":
        base = program.nodes[args[0]]
        return base[0] == "const" and base[1] not in (0.0, 1.0)
    return op in ENDING


def _is_made_of(program: Program, i: int, products: Sequence[Product | None]) -> bool:
    """Whether a node is a sum of exponentials, or one in some branch and 0 in none."""
    op, *args = program.nodes[i]
    if op == "where":
        sides = args[1:]
        some = any(products[a] for a in sides)
        return some and all(program.nodes[a][0] != "const" for a in sides)
    return op in _SUMS and all(products[a] for a in args)


def _power(program: Program, i: int, powers: list[Power]) -> Power:
    """The power that a node is, of what is none."""
    op, *args = program.nodes[i]
    if op in ("add", "sub"):
        return max(*(powers[a] for a in args), key=lambda power: power.degree)
    if op in _KEEPING:
        return powers[args[0]]
    if op == "mul":
        a, b = sorted((powers[a] for a in args), key=lambda power: power.degree)
        return Power(b.base, a.degree + b.degree) if a.base == b.base else b
    if op == "pow":
        exponent = program.nodes[args[1]]
        base, degree = powers[args[0]]
        if exponent[0] == "const":
            return Power(base, degree * exponent[1])
        return Power(base, max(DEGREE, degree))
    return Power(i, 0.0 if op == "const" else 1.0)
