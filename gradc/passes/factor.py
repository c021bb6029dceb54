# CORE (the lead) is rewriting gather, dissolve, factor, terms and share as one pass
# right now: nobody else edits these five files.
"""Write forms out as nodes, with less work than they were read from.

    x*y + x*z            ->  x*(y + z)
    2*x + 2*y            ->  2*(x + y)
    -x - y               ->  -(x + y), the sign left to what reads the sum
    x*x*x*x              ->  (x*x)*(x*x)
    x/r*(y/r), r = sqrt(q)   ->  x*y/q

Factors common to several terms are taken out, the most frequent first; terms of equal
coefficient share a bracket; powers are chains of squares; what stands above and below a
line cancels, also inside products that were written before.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Container, Iterable

from gradc.ir import Builder
from gradc.passes.terms import (
    ALL,
    NOTHING,
    SIGN,
    Factors,
    Form,
    Packed,
    Powers,
    Product,
    Scaled,
    Sum,
    Term,
    are_apart,
    collected,
    common_powers,
    divided,
    exponents,
    has_number,
    is_exact_product,
    packed,
    power,
    sound,
    unpacked,
    unrelated,
    weight,
)

CIRCULAR = {"cos": "sin", "sin": "cos"}  # whose squares add up to 1
_ZERO = ("const", 0.0)
LEVELS = 12  # how deep factors are taken out of what is left
PARTS = 6  # factors of a shared product up to which it may be opened again


class Writer:
    """Turns forms into nodes, and remembers what it wrote.

    `known` are the nodes that no input changes; `radicands` what stands below a square
    root. `bodies` are the coefficient and powers that a product stands for, `quotients`
    the quotient of two nodes (of 1 and a node under -1), so that neither is computed
    again; `sums` the terms of sums with a coefficient before each, which nothing has
    read. `carried` are the nodes that leave a coefficient to their readers, with the
    old nodes it comes from, and `blame` the products that these have made necessary.
    With `reuse` a factor that several terms share is left in products that are there,
    and `reused` tells whether one was; `holds` tells whether a coefficient was not left
    to a reader. `complements` are the nodes `y` of which `1 + y`
    or `1 - y` is needed, with the operation.
    """

    def __init__(self, builder: Builder, reuse: bool) -> None:
        self.builder = builder
        self.reuse = reuse
        self.reused = False
        self.holds = False
        self.known: set[int] = set()
        self.radicands: dict[int, int] = {}
        self.carried: dict[int, tuple[float, tuple[int, ...]]] = {}
        self.blame: defaultdict[int, float] = defaultdict(float)
        self.bodies: dict[int, Packed] = {}
        self.quotients: dict[int, dict[int, int]] = {}  # by divisor, then by dividend
        self.sums: dict[int, list[Term]] = {}
        self.addends: dict[int, tuple[float, list[Packed]]] = {}
        self.complements: dict[int, str] = {}
        self.circular = False

    def const(self, value: float) -> int:
        """A constant."""
        new = self.builder.const(value)
        self.known.add(new)
        return new

    def join(self, op: str, x: int, y: int) -> int:
        """Add an arithmetic node, remembering one that no input changes."""
        new = self.builder.add(op, x, y)
        if x in self.known and y in self.known:
            self.known.add(new)
        return new

    def both(self, s: float, x: int, t: float, y: int) -> Scaled:
        """Write `s*x + t*y` for two signs."""
        if s < 0 < t:
            s, x, t, y = t, y, s, x
        return s, self.join("add" if s == t else "sub", x, y)

    def settle(self, product: Product) -> None:
        """Make a base of the coefficient and the divisor, which grow too large."""
        product.factors.append((self.const(product.coefficient), 1))
        product.factors.append((self.const(product.divisor), -1))
        product.coefficient = product.divisor = 1.0

    def powers(self, factors: Iterable[tuple[int, int]]) -> Powers:
        """Add up exponents; of a square root at most one is left, beside its square."""
        powers = exponents(factors)
        if self.radicands.keys().isdisjoint(powers):
            return powers
        for root in [base for base in powers if base in self.radicands]:
            # It may be gone: the root of this root has been squared and cancelled it.
            square, twice = self.radicands[root], powers.get(root, 0)
            half = int(twice / 2)
            left, whole = twice - 2 * half, powers.get(square, 0) + half
            if left * whole < 0:  # x/sqrt(x) is sqrt(x)
                left, whole = -left, whole + left
            for base, e in ((root, left), (square, whole)):
                powers[base] = e
                if not e:
                    del powers[base]
        return powers

    # ---- coefficients that are left to the readers

    def sources(self, form: Form) -> tuple[int, ...]:
        """The old nodes that a form has its coefficient from; none if it is its own."""
        if isinstance(form, Product):
            return self._sources([(form.coefficient / form.divisor, form.factors)])
        return self._sources([(None, term.factors) for term in form.terms])

    def _sources(
        self, terms: Iterable[tuple[float | None, Factors]]
    ) -> tuple[int, ...]:
        found: set[int] = set()
        for size, factors in terms:
            expected = 1.0
            for base, e in factors:
                if base in self.carried:
                    scale, sources = self.carried[base]
                    found.update(sources)
                    expected *= power(scale, e)
            if size is not None and not math.isclose(abs(size), abs(expected)):
                return ()
        return tuple(found) if len(found) <= PARTS else ()

    def charge(self, sources: tuple[int, ...]) -> None:
        """Blame old nodes for one product that their coefficient has made necessary."""
        for i in sources:
            self.blame[i] += 1.0 / len(sources)

    # ---- products

    def body(self, total: int) -> Term:
        """The coefficient and the powers that a product stands for."""
        return unpacked(self.bodies[total])

    def divisor(self, factors: Factors) -> int:
        """Write a product that is about to divide, as the formula has it."""
        powers = self.powers(factors)
        _, total = self.product(Product(1.0, factors))
        if len(powers) <= PARTS:
            self.bodies.setdefault(total, packed(1.0, powers))
        return total

    def product(self, product: Product, left: int = SIGN) -> Scaled:
        """Write a product but for what is left of its coefficient."""
        factors = product.factors
        if len(factors) == 1 and factors[0][1] == 1 and product.divisor == 1.0:
            if abs(product.coefficient) == 1.0:
                return product.coefficient, factors[0][0]
        powers = self.powers(factors)
        return self._product(product.coefficient, product.divisor, powers, left)

    def _product(
        self, coefficient: float, divisor: float, powers: Powers, left: int
    ) -> Scaled:
        """Write a product of powers, which this may change, as `product` does."""
        size, sign = abs(coefficient), math.copysign(1.0, coefficient)
        if size == 0.0:
            return 1.0, self.const(0.0)
        if len(powers) > 1 or any(e != 1 for e in powers.values()):
            if any(e > 0 and self.builder.nodes[b] == _ZERO for b, e in powers.items()):
                return 1.0, self.const(0.0)  # a sum in which all has cancelled
            size = self._reduce(size, powers)
            self._reuse(powers)
        if left == ALL and size != 1.0:
            return sign * size / divisor, self._written(1.0, 1.0, powers)
        self.holds |= left == NOTHING and size != 1.0
        if size != 1.0 and divisor == 1.0:
            taken = sign * size if left == NOTHING else size
            if self._absorbed(taken, powers):
                sign, size = math.copysign(1.0, sign * size / taken), 1.0
        if left == NOTHING:
            if size != 1.0 or not any(e > 0 for e in powers.values()):
                self.holds |= sign < 0.0
                sign, size = 1.0, sign * size
        return sign, self._written(size, divisor, powers)

    def _work(self, size: float, powers: Powers) -> int:
        """How many factors a product has; what no input changes is one of them."""
        varying = {b: e for b, e in powers.items() if b not in self.known}
        return weight(varying) + (size != 1.0 or len(varying) < len(powers))

    def _reduce(self, size: float, powers: Powers) -> float:
        """Cancel through products that are there; returns the coefficient."""
        if self.bodies.keys().isdisjoint(powers):
            return size
        bodies = [base for base in powers if base in self.bodies]
        for bases in ([bodies] if len(bodies) > 1 else []) + [[b] for b in bodies]:
            if powers.keys() >= set(bases):
                scaled, opened = self._opened(size, powers, bases)
                rooted = len(bases) == 1 and self._is_root(bases[0], powers[bases[0]])
                more = self._work(scaled, opened) - self._work(size, powers)
                if more == 0 and len(bases) == 1:  # what is fixed joins the coefficient
                    rooted |= not self.known.isdisjoint(self.body(bases[0])[1])
                if (more < 0 or rooted) and sound(scaled):
                    size = scaled
                    powers.clear()
                    powers.update(opened)
        return size

    def _opened(
        self, size: float, powers: Powers, bases: list[int]
    ) -> tuple[float, Powers]:
        """A product with the bodies of some bases in their place."""
        opened = dict(powers)
        factors: Factors = []
        for base in bases:
            exponent = opened.pop(base)
            scale, body = self.body(base)
            factors += [(b, e * exponent) for b, e in body.items()]
            size *= power(scale, exponent)
        return size, self.powers([*opened.items(), *factors])

    def _absorbed(self, size: float, powers: Powers) -> bool:
        """Multiply a coefficient into a sum, if that takes no more products.

        Each of its terms has one as well, or loses one for each that has not.
        """
        for base, e in powers.items():
            terms = self.sums.get(base)
            if terms and e == 1 and _is_absorbed(size, terms):
                total = self._added([(size * c, inner) for c, inner in terms])
                del powers[base]
                powers[total] = powers.get(total, 0) + 1
                return True
        return False

    def _is_root(self, base: int, exponent: int) -> bool:
        """Whether a power has no root left, but for a constant and its radicand."""
        body = self.body(base)[1]
        return exponent % 2 == 0 and self.radicands.keys() >= body.keys()

    def _reuse(self, powers: Powers) -> None:
        """Use the quotients that are there."""
        for below in [b for b, e in powers.items() if e < 0]:
            there = self.quotients.get(below)
            while there and powers.get(below, 0) < 0:
                dividends = [a for a, e in powers.items() if e > 0 and a in there]
                above = min(dividends, key=there.__getitem__, default=-1)
                if above < 0:
                    above = self._halved(powers, there)
                if above not in there:
                    break
                for base, e in ((below, 1), (above, -1), (there[above], 1)):
                    if base >= 0:
                        powers[base] = powers.get(base, 0) + e
                        if powers[base] == 0:
                            del powers[base]

    def _halved(self, powers: Powers, there: Container[int]) -> int:
        """Open a product of two, one of which is there as a dividend; -1 if none is.

        So `x*x/y` is `x*z` where `z` is `x/y`.
        """
        for base, e in powers.items():
            if e <= 0 or base not in self.bodies:
                continue
            scale, body = self.body(base)
            if scale == 1.0 and sum(body.values()) == 2 == weight(body):
                above = next((a for a in body if a in there), -1)
                if above >= 0:
                    factors = [*powers.items(), (base, -1), *body.items()]
                    opened = self.powers(factors)
                    powers.clear()
                    powers.update(opened)
                    return above
        return -1

    def _written(self, size: float, divisor: float, powers: Powers) -> int:
        """Write out powers: what is constant first, then factors, then divisors."""
        fixed = []
        if len(powers) > 1 and not self.known.isdisjoint(powers):
            fixed = [b for b in powers if b in self.known]
            fixed = [b for b in fixed if self.builder.value_of(b) is None]
        if size != 1.0 and divisor != 1.0:
            size, divisor = size / divisor, 1.0
        total = self.const(size) if size != 1.0 else -1
        for base in fixed:
            total = self._raised(total, base, powers[base])
        above = [b for b, e in powers.items() if e > 0 and b not in fixed]
        below = [b for b, e in powers.items() if e < 0 and b not in fixed]
        for base in above:
            total = self._raised(total, base, powers[base])
        for base in below:
            total = self._raised(total, base, powers[base])
        if divisor != 1.0:
            total = self.const(1.0) if total < 0 else total
            total = self.join("div", total, self.const(divisor))
        if total < 0:
            total = self.const(1.0)
        if 0 < len(powers) <= PARTS and divisor == 1.0 and total not in powers:
            self.bodies.setdefault(total, packed(size, powers))
        return total

    def _raised(self, total: int, base: int, exponent: int) -> int:
        """Multiply by a power of a base, or divide by it."""
        if exponent > 0:
            power = self._power(base, exponent)
            return power if total < 0 else self.join("mul", total, power)
        times, power = -exponent, base
        if times > 2:
            times, power = 1, self._power(base, times)
        for _ in range(times):
            above = -1 if total < 0 else total
            total = self.join("div", self.const(1.0) if above < 0 else above, power)
            self.quotients.setdefault(power, {})[above] = total
        return total

    def _power(self, base: int, exponent: int) -> int:
        """A power by squaring the half, which cubes and sixth powers then share."""
        if exponent == 1:
            return base
        half = self._power(base, exponent // 2)
        square = self.join("mul", half, half)
        return self.join("mul", square, base) if exponent % 2 else square

    # ---- sums

    def sum(self, form: Sum, left: int = SIGN) -> Scaled:
        """Write a sum but for what is left of its coefficient."""
        if len(form.terms) == 2 and unrelated(*form.terms):
            (s, x), (t, y) = (self.product(term) for term in form.terms)
            sign, total = self.both(s, x, t, y)
            return sign * form.sign, total
        return self.product(self.reduced(form), left)

    def reduced(self, form: Sum) -> Product:
        """A sum as a product: what its terms have in common, and what is left."""
        terms = []
        for term in form.terms:
            powers = self.powers(term.factors)
            if term.divisor != 1.0 and abs(term.coefficient) == 1.0:
                below = self.const(term.divisor)
                powers[below] = powers.get(below, 0) - 1
                term.divisor = 1.0
            terms.append((term.coefficient / term.divisor * form.sign, powers))
        if self.complements:
            terms = self._complemented(terms)
        if self.circular:
            terms = self._turned(terms)
        return self._factored(terms, LEVELS)

    def _turned(self, terms: list[Term]) -> list[Term]:
        """Write `x*cos(a)^2 + x*sin(a)^2` as `x`."""
        nodes = self.builder.nodes
        rest = dict(enumerate(terms))
        seen: dict[tuple[str, int, float, frozenset[tuple[int, int]]], int] = {}
        for k, (c, powers) in enumerate(terms):
            for base, e in powers.items():
                node, times = nodes[base], 2
                if node[0] == "mul" and node[1] == node[2]:
                    node, times = nodes[node[1]], 1
                if node[0] not in CIRCULAR or e < times:
                    continue
                left = {**powers, base: e - times}
                key = frozenset((b, f) for b, f in left.items() if f)
                other = seen.get((CIRCULAR[node[0]], node[1], c, key), -1)
                if other in rest:
                    del rest[other]
                    rest[k] = c, dict(sorted(key))
                    break
                seen[node[0], node[1], c, key] = k
        return [*rest.values()]

    def _complemented(self, terms: list[Term]) -> list[Term]:
        """Write `x + x*y` as `(1 + y)*x` where `1 + y` is needed anyway.

        So `1 + y + z`, of which `x` is no factor.
        """
        bare = {
            tuple(powers): k for k, (_, powers) in enumerate(terms) if _is_bare(powers)
        }
        rest = dict(enumerate(terms))
        found: dict[int, Term] = {}
        for k, (c, powers) in enumerate(terms):
            if len(powers) > 2 or any(e != 1 for e in powers.values()):
                continue
            for y in powers:
                x = tuple(b for b in powers if b != y)
                op, j = self.complements.get(y), bare.get(x, -1)
                sign = 1.0 if op == "add" else -1.0
                if op and {k, j} <= rest.keys() and c == sign * terms[j][0]:
                    total = self.join(op, self.const(1.0), y)
                    factors = [(base, 1) for base in (total, *x)]
                    found[k] = rest.pop(j)[0], self.powers(factors)
                    del rest[k]
                    break
        return [term for _, term in sorted((rest | found).items())]

    def _factored(self, terms: list[Term], level: int) -> Product:
        """A sum as a product: common factors, common coefficient, and what is left."""
        given = terms
        apart = are_apart(given)
        terms = self._flattened(given if apart else collected(given))
        apart = apart and terms is given
        terms = [term for term in terms if term[0] != 0.0]
        if not terms:
            return Product(0.0)
        if len(terms) == 1:
            return Product(terms[0][0], list(terms[0][1].items()))
        shared = {} if apart else common_powers([powers for _, powers in terms])
        shared = {b: e for b, e in shared.items() if not self._is_made(b, terms)}
        if any(abs(c) == 1.0 and powers == shared for c, powers in terms):
            shared = {}  # to leave a bare 1 would save nothing
        outside: Factors = list(shared.items())
        if shared:
            terms = self._flattened([(c, divided(p, shared)) for c, p in terms])
            if len(terms) == 1:
                ((c, powers),) = terms
                return Product(c, [*powers.items(), *outside])
        addends = terms
        if level > 0 and not apart:
            terms = self._grouped(terms, level)
            if not terms:
                return Product(0.0)
        coefficient = 1.0
        if len({abs(c) for c, _ in terms}) == 1:
            negative = all(c < 0 for c, _ in terms)
            coefficient = abs(terms[0][0]) * (-1.0 if negative else 1.0)
            if coefficient == -1.0 and any(map(has_number, terms)):
                coefficient = 1.0
            terms = [(c / coefficient, powers) for c, powers in terms]
        else:
            terms = self._bracketed(terms)
        total = self._added(terms)
        if any(map(has_number, terms)):
            self.sums[total] = terms
        if len(addends) <= PARTS:
            self.addends[total] = coefficient, [packed(*term) for term in addends]
        return Product(coefficient, [(total, 1), *outside])

    def _flattened(self, terms: list[Term]) -> list[Term]:
        """Write `2*s - 3*x` as `2 - x`, where `s` is the sum `1 + x`, if that is less.

        Of two sums as well, `x + y` and `x - y`.
        """
        if not self.addends or len(terms) > PARTS:
            return terms
        for k, term in enumerate(terms):
            inside = self._inside(term)
            if len(inside) > 1:
                flat = collected([*terms[:k], *inside, *terms[k + 1 :]])
                if sum(map(_operations, flat)) < sum(map(_operations, terms)):
                    return self._flattened(flat)
        if len(terms) == 2:
            flat = collected([part for term in terms for part in self._inside(term)])
            if len(flat) < 2:
                return flat
        return terms

    def _inside(self, term: Term) -> list[Term]:
        """The terms of a term that is a sum."""
        c, powers = term
        base = next(iter(powers), -1)
        if base not in self.addends or powers != {base: 1}:
            return [term]
        coefficient, addends = self.addends[base]
        inner = [unpacked(term) for term in addends]
        return [(c * (size / coefficient), powers) for size, powers in inner]

    def _grouped(self, terms: list[Term], level: int) -> list[Term]:
        """Take a base that several terms share out of them, the most frequent first."""
        holders: dict[tuple[int, bool], list[int]] = {}
        for k, (c, powers) in enumerate(terms):
            if abs(c) == 1.0 and weight(powers) == 1:
                continue  # to leave a bare 1 would save nothing
            for base, e in powers.items():
                holders.setdefault((base, e > 0), []).append(k)
        count = {key: len(ks) for key, ks in holders.items()}
        heap = [
            (-n, key)
            for key, n in count.items()
            if n > 1 and not self._is_made(key[0], [terms[k] for k in holders[key]])
        ]
        if not heap:
            return terms
        heapq.heapify(heap)
        found: list[Term | None] = list(terms)
        alone = [True] * len(terms)
        while heap:
            n, key = heapq.heappop(heap)
            if -n != count[key]:
                if count[key] > 1:
                    heapq.heappush(heap, (-count[key], key))
                continue
            group = [k for k in holders[key] if alone[k]]
            product = self._factored([terms[k] for k in group], level - 1)
            for k in group:
                found[k], alone[k] = None, False
                for base, e in terms[k][1].items():
                    count[base, e > 0] -= 1
            found[group[0]] = (product.coefficient, self.powers(product.factors))
        return [t for t in found if t is not None and t[0] != 0.0]

    def _is_made(self, base: int, terms: list[Term]) -> bool:
        """Whether all terms hold products with a base that are there already.

        To use these may save more than to take the base out.
        """
        find = self.builder.find
        found = self.reuse and all(
            powers[base] == 1
            and any(
                e > 0 and find("mul", base, b) is not None for b, e in powers.items()
            )
            for _, powers in terms
        )
        self.reused |= found
        return found

    def _bracketed(self, terms: list[Term]) -> list[Term]:
        """Put the terms that share a coefficient into one bracket."""
        by_size: dict[float, list[int]] = {}
        for k, (c, powers) in enumerate(terms):
            if abs(c) != 1.0 and powers:
                by_size.setdefault(abs(c), []).append(k)
        found: list[Term | None] = list(terms)
        for size, group in by_size.items():
            held = [(size, list(terms[k][1].items())) for k in group]
            self.charge(self._sources(held))
            if len(group) < 2:
                continue
            sign = -1.0 if all(terms[k][0] < 0 for k in group) else 1.0
            inner = [(sign * terms[k][0] / size, terms[k][1]) for k in group]
            bracket = self._added(inner)
            for k in group:
                found[k] = None
            found[group[0]] = (sign * size, {bracket: 1})
        left = [term for term in found if term is not None]
        return left if len(left) == len(terms) else self._apart(left)

    def _apart(self, terms: list[Term]) -> list[Term]:
        """Add what stands beside a bracket before it, with smaller roundings."""
        ones = [term for term in terms if abs(term[0]) == 1.0]
        if not 1 < len(ones) < len(terms):
            return terms
        sign = -1.0 if all(c < 0 for c, _ in ones) else 1.0
        total = self._added([(sign * c, powers) for c, powers in ones])
        return [*(term for term in terms if abs(term[0]) != 1.0), (sign, {total: 1})]

    def _added(self, terms: list[Term]) -> int:
        """Write a sum, at first what is not subtracted or has a number for the sign."""
        ranks = [(c < 0) * (2 - has_number((c, powers))) for c, powers in terms]
        first = ranks.index(min(ranks))
        total, held = -1, self.holds
        for c, powers in (terms[first], *terms[:first], *terms[first + 1 :]):
            left = NOTHING if total < 0 else SIGN
            if abs(c) == 1.0 and [*powers.values()] == [1]:  # most are
                sign, position = c, *powers
            else:
                sign, position = self._product(c, 1.0, dict(powers), left)
            if total < 0:
                total = position if sign > 0 else self.builder.add("neg", position)
            else:
                total = self.join("add" if sign > 0 else "sub", total, position)
        self.holds = held  # what stands in a sum has no other reader
        return total


def _operations(term: Term) -> int:
    """How many operations a term takes in a sum."""
    return max(1, weight(term[1]) + (abs(term[0]) != 1.0))


def _is_absorbed(size: float, terms: list[Term]) -> bool:
    """Whether a coefficient costs nothing more within a sum, and rounds nothing."""
    more = sum(not has_number(term) for term in terms)
    less = sum(abs(size * c) == 1.0 and bool(powers) for c, powers in terms)
    return more <= less and all(is_exact_product(size, c) for c, _ in terms)


def _is_bare(powers: Powers) -> bool:
    """Whether a term is a constant times one base at most."""
    return [*powers.values()] in ([], [1])
