# CORE (the lead) is rewriting gather, dissolve, factor, terms and share as one pass
# right now: nobody else edits these five files.
"""Sums and products as forms: n-ary, with their coefficients apart.

A product is a coefficient times powers of bases, a sum a list of products. Bases are
positions in the program that is being built. Nothing here writes a node.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

Factors = list[tuple[int, int]]  # (position in the new program, exponent)
Powers = dict[int, int]
Term = tuple[float, Powers]  # a coefficient times powers
Packed = tuple[Any, ...]  # a term in a third of the room


@dataclass(slots=True)
class Product:
    """`coefficient / divisor * base^exponent * ...`, bases as they appeared.

    The divisor is positive and kept apart while the coefficient is 1, so that `x/3`
    stays a division.
    """

    coefficient: float = 1.0
    factors: Factors = field(default_factory=list)
    divisor: float = 1.0


@dataclass(slots=True)
class Sum:
    """`sign * (term + term + ...)`; the sign spares a walk over a long list.

    `bases` are those of the terms, once something has asked for them.
    """

    sign: float = 1.0
    terms: list[Product] = field(default_factory=list)
    bases: set[int] | None = None

    def extend(self, other: Sum) -> None:
        """Take over the terms of another sum."""
        if self.sign != other.sign:
            for term in other.terms:
                term.coefficient = -term.coefficient
        self.terms.extend(other.terms)
        if self.bases is not None:
            self.bases.update(base for term in other.terms for base, _ in term.factors)

    def meets(self, other: Sum) -> bool:
        """Whether some base stands in both sums."""
        if self.bases is None:
            self.bases = {base for term in self.terms for base, _ in term.factors}
        return any(b in self.bases for term in other.terms for b, _ in term.factors)


Form = Product | Sum
Scaled = tuple[float, int]  # a coefficient and a position

SIGN, ALL, NOTHING = range(3)  # how much of a coefficient is left to the reader


def unrelated(x: Product, y: Product) -> bool:
    """Whether two terms have nothing to share, neither a base nor a coefficient."""
    for term in (x, y):
        if abs(term.coefficient) != 1.0 or term.divisor != 1.0 or not term.factors:
            return False
    bases = [base for base, _ in x.factors]
    return all(base not in bases for base, _ in y.factors)


def are_apart(terms: list[Term]) -> bool:
    """Whether no base stands in two terms, nor are two of them numbers."""
    bases = [base for _, powers in terms for base in powers]
    if len({*bases}) < len(bases):
        return False
    return [powers for _, powers in terms].count({}) < 2


def sound(coefficient: float) -> bool:
    """Whether a product of coefficients has neither overflowed nor underflowed."""
    return 1e-290 < abs(coefficient) < 1e290


def is_power_of_two(size: float) -> bool:
    """Whether the reciprocal of a number is exact."""
    return math.frexp(size)[0] == 0.5 and sound(size)


def has_number(term: Term) -> bool:
    """Whether there is a number to put a sign before, or to multiply."""
    c, powers = term
    return abs(c) != 1.0 or not powers


def is_exact_product(x: float, y: float) -> bool:
    """Whether the product of two coefficients is not rounded."""
    digits = abs(x.as_integer_ratio()[0] * y.as_integer_ratio()[0])
    return sound(x * y) and (digits // (digits & -digits)).bit_length() <= 53


def flipped(factors: Factors) -> Factors:
    """The reciprocal of a product."""
    return [(base, -exponent) for base, exponent in factors]


def power(size: float, exponent: int) -> float:
    """A power of a coefficient, infinite if it is too large."""
    try:
        return size**exponent
    except (OverflowError, ZeroDivisionError):
        return math.inf


def weight(powers: Powers) -> int:
    """How many factors and divisors a product has."""
    return sum(abs(e) for e in powers.values())


def exponents(factors: Iterable[tuple[int, int]]) -> Powers:
    """Add up the exponents of each base."""
    powers: Powers = {}
    for base, exponent in factors:
        total = powers.get(base, 0) + exponent
        if total:
            powers[base] = total
        else:
            powers.pop(base, None)
    return powers


def packed(coefficient: float, powers: Powers) -> Packed:
    """A term to be kept: its coefficient, then each base and its exponent."""
    return coefficient, *chain.from_iterable(powers.items())


def unpacked(term: Packed) -> Term:
    """A term that was kept."""
    return term[0], dict(zip(term[1::2], term[2::2]))


def divided(powers: Powers, by: Powers) -> Powers:
    """What is left of powers when others are taken out."""
    left = {b: e - by.get(b, 0) for b, e in powers.items()}
    return {b: e for b, e in left.items() if e}


def common_powers(all_powers: list[Powers]) -> Powers:
    """The factors that all products have, and the divisors."""
    shared = dict(all_powers[0])
    for powers in all_powers[1:]:
        if not shared:
            break
        found: Powers = {}
        for b, e in shared.items():
            other = powers.get(b, 0)
            if e > 0 < other:
                found[b] = min(e, other)
            elif e < 0 > other:
                found[b] = max(e, other)
        shared = found
    return shared


def collected(terms: list[Term]) -> list[Term]:
    """Add up the coefficients of terms with equal powers."""
    total: dict[frozenset[tuple[int, int]], float] = {}
    keys = [frozenset(powers.items()) for _, powers in terms]
    for key, (c, _) in zip(keys, terms):
        total[key] = total.get(key, 0.0) + c
    if len(total) == len(terms):
        return terms
    found = []
    for key, (_, powers) in zip(keys, terms):
        c = total.pop(key, 0.0)
        if c != 0.0:
            found.append((c, powers))
    return found
