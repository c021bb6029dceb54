"""Write n-ary forms out as nodes, with less work than they were read from.

    x*y + x*z            ->  x*(y + z)
    2*x + 2*y            ->  2*(x + y)
    -x - y               ->  -(x + y), the sign left to what reads the sum
    x*x*x*x              ->  (x*x)*(x*x)

A form is a sum of terms, each a coefficient times powers of bases, which are positions in
the program that is being built. Factors that terms have in common are taken out, the most
frequent first (a greedy multivariate Horner scheme: Ceberio and Kreinovich, Greedy
algorithms for optimizing multivariate Horner schemes, 2004); terms of equal coefficient
share a bracket; powers are chains of squares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from gradc.analysis.forms import common
from gradc.ir import Builder

Powers = dict[int, int]  # exponents, by base
Term = tuple[Fraction, Powers]
Form = list[Term]
Scaled = tuple[Fraction, int]  # a coefficient and a position

ONE = Fraction(1)
PARTS = 6  # terms up to which a sum that has been written may be opened again
LEVELS = 12  # how deep factors are taken out of what is left


def times(x: Term, y: Term, exponent: int = 1) -> Term:
    """The product of two terms, or of one and a power of the other."""
    powers = dict(x[1])
    for base, e in y[1].items():
        powers[base] = powers.get(base, 0) + e * exponent
        if not powers[base]:
            del powers[base]
    return x[0] * y[0] ** exponent, powers


def collected(terms: Iterable[Term]) -> Form:
    """Add up the coefficients of terms with equal powers."""
    total: dict[frozenset[tuple[int, int]], Term] = {}
    for c, powers in terms:
        key = frozenset(powers.items())
        known = total.get(key)
        total[key] = (c, powers) if known is None else (known[0] + c, known[1])
    return [term for term in total.values() if term[0]]


def weight(powers: Powers) -> int:
    """How many factors and divisors a product has."""
    return sum(map(abs, powers.values()))


def work(term: Term) -> int:
    """How many operations a term takes in a sum."""
    return max(1, weight(term[1]) + (abs(term[0]) != 1))


class Writer:
    """Turns forms into nodes, and remembers what it wrote.

    `addends` are the sums that nodes stand for, so that what cancels with a part of them
    does. A sum in a product is a base below 0 until that is written out, for it may
    dissolve in a sum around it.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.addends: dict[int, Form] = {}
        self.sums: list[Form] = []  # those that are bases below 0
        self._known: dict[frozenset[Any], int] = {}
        self._written: dict[int, int] = {}

    def write(self, form: Form) -> Scaled:
        """Write a form but for its sign, which is left to the readers."""
        c, powers = self.factored(form)
        if not c:
            return ONE, self.builder.const(0.0)
        return (ONE if c > 0 else -ONE), self.product(abs(c), powers)

    def position(self, scaled: Scaled) -> int:
        """Write a node with its coefficient."""
        c, position = scaled
        return position if c == 1 else self.product(c, {position: 1})

    def product(self, c: Fraction, powers: Powers) -> int:
        """Write out a product: the number first, then factors, then divisors."""
        if any(base < 0 for base in powers):
            term: Term = c, {}
            for base, e in powers.items():
                term = times(term, (ONE, {self.placed(base): e}))
            c, powers = term
        total = self._multiplied(-1, [(b, e) for b, e in powers.items() if e > 0])
        below = [(b, -e) for b, e in powers.items() if e < 0]
        divides = c.numerator in (1, -1) and c != _float(c)
        if divides:
            below.append((self.builder.const(_float(Fraction(c.denominator))), 1))
            c = Fraction(c.numerator)
        if total < 0:
            total, c = self.builder.const(_float(c)), ONE
        if c == -1:
            total = self.builder.add("neg", total)
        elif c != 1:
            total = self.builder.add("mul", self.builder.const(_float(c)), total)
        for base, e in below:
            divisor = self._power(base, e) if e > 2 else base
            for _ in range(1 if e > 2 else e):
                total = self.builder.add("div", total, divisor)
        return total

    def _multiplied(self, total: int, factors: Iterable[tuple[int, int]]) -> int:
        for base, e in factors:
            power = self._power(base, e)
            total = power if total < 0 else self.builder.add("mul", total, power)
        return total

    def _power(self, base: int, exponent: int) -> int:
        """A power by squaring the half, which cubes and sixth powers then share."""
        if exponent == 1:
            return base
        half = self._power(base, exponent // 2)
        square = self.builder.add("mul", half, half)
        return self.builder.add("mul", square, base) if exponent % 2 else square

    def factored(self, form: Form, level: int = LEVELS) -> Term:
        """A sum as a product: what its terms have in common, times what is left."""
        terms = self._flattened(collected(form))
        if len(terms) < 2:
            return terms[0] if terms else (Fraction(0), {})
        shared = common([powers for _, powers in terms])
        if shared:
            terms = self._flattened([times(t, (ONE, shared), -1) for t in terms])
        if len(terms) < 2:
            return times(terms[0], (ONE, shared)) if terms else (Fraction(0), {})
        addends = terms
        terms = self._grouped(terms, level) if level else terms
        if len(terms) < 2:
            return times(terms[0], (ONE, shared)) if terms else (Fraction(0), {})
        sizes = {abs(c) for c, _ in terms}
        is_even = len(sizes) == 1 and all(powers for _, powers in terms)
        scale = sizes.pop() if is_even else ONE
        scale = -scale if all(c < 0 for c, _ in terms) else scale
        terms = [(c / scale, powers) for c, powers in terms]
        total = self._sum(terms)
        if len(addends) <= PARTS:
            self.addends.setdefault(total, [(c / scale, p) for c, p in addends])
        return times((scale, {total: 1}), (ONE, shared))

    def _sum(self, terms: Form) -> int:
        """A sum as a base of its own."""
        key = frozenset((c, frozenset(powers.items())) for c, powers in terms)
        found = self._known.get(key)
        if found is None:
            self.sums.append(terms)
            found = self._known[key] = -len(self.sums)
        return found

    def placed(self, base: int) -> int:
        """Where a base is, a sum written out if it is not yet."""
        if base >= 0:
            return base
        found = self._written.get(base)
        if found is None:
            found = self._added(self._bracketed(self.sums[-1 - base]))
            self._written[base] = found
            if base in self.addends:
                self.addends.setdefault(found, self.addends[base])
        return found

    def _flattened(self, terms: Form) -> Form:
        """Write `2*s - 3*x` as `2 - x`, where `s` is the sum `1 + x`, if that is less.

        A sum that nothing else reads dissolves if it has a base in common with the rest.
        """
        for k, (c, powers) in enumerate(terms):
            base = next(iter(powers), 0)
            if base not in self.addends or powers != {base: 1}:
                continue
            inside = [(c * size, inner) for size, inner in self.addends[base]]
            rest = [*terms[:k], *terms[k + 1 :]]
            if base < 0 and base not in self._written:
                bases = {b for _, p in rest for b in p}
                is_less = any(b in bases for _, p in inside for b in p)
            else:
                flat = collected([*inside, *rest])
                is_less = sum(map(work, flat)) < sum(map(work, terms))
            if is_less:
                terms = [*terms[:k], *inside, *terms[k + 1 :]]
                return self._flattened(collected(terms))
        return terms

    def _grouped(self, terms: Form, level: int) -> Form:
        """Take a base that several terms share out of them, the most frequent first."""
        while True:
            sides = [(b, e > 0) for _, powers in terms for b, e in powers.items()]
            (base, above), n = max(
                Counter(sides).items(), key=lambda item: item[1], default=((0, True), 0)
            )
            if n < 2 or len(terms) == n:
                return terms
            exponents = [powers.get(base, 0) for _, powers in terms]
            held = [e != 0 and (e > 0) == above for e in exponents]
            group = [term for term, holds in zip(terms, held) if holds]
            product = self.factored(group, level - 1)
            rest = [term for term, holds in zip(terms, held) if not holds]
            place = held.index(True)
            terms = collected([*rest[:place], product, *rest[place:]])
            if len(terms) > len(held) - n + 1:
                return terms

    def _bracketed(self, terms: Form) -> Form:
        """Put the terms that share a coefficient into one bracket."""
        sizes = Counter(abs(c) for c, powers in terms if powers and abs(c) != 1)
        for size, n in sizes.items():
            if 1 < n < len(terms):
                group = [t for t in terms if abs(t[0]) == size and t[1]]
                sign = -1 if all(c < 0 for c, _ in group) else 1
                bracket = self._added([(sign * c / size, p) for c, p in group])
                rest = [t for t in terms if t not in group]
                terms = [*rest, (sign * size, {bracket: 1})]
        return terms

    def _added(self, terms: Form) -> int:
        """Write a sum, at first what is not subtracted or has a number for the sign."""
        ranks = [(c < 0) * (2 - (abs(c) != 1 or not p)) for c, p in terms]
        first = ranks.index(min(ranks))
        total = -1
        for c, powers in (terms[first], *terms[:first], *terms[first + 1 :]):
            if total < 0:
                total = self.product(c, powers)
            else:
                op = "sub" if c < 0 else "add"
                total = self.builder.add(op, total, self.product(abs(c), powers))
        return total


def _float(c: Fraction) -> float:
    """A coefficient as a float.

    Raises:
        OverflowError: it is too large for one, or too small.
    """
    found = float(c)
    if c and not found:
        raise OverflowError
    return found
