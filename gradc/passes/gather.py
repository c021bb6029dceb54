"""Gather sums and products into n-ary forms, and write them out again with less work.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = mul %0 %1                   %2 = const 2.0
    %3 = const 2.0          -->      %3 = mul %0 %1
    %4 = mul %3 %0                   %4 = add %1 %2
    %5 = add %2 %4                   %5 = mul %0 %4
    out %5                           out %5

A node that is read once dissolves into the form of its reader: products become a
coefficient times powers of bases, sums a list of such terms. A node that is read more
often, or stands in another branch, stays a base, so nothing leaves its branch and no
sharing is lost. A form is written out with its factors taken out of sums, equal
coefficients in one bracket, signs carried by subtractions, small powers as products.

A quotient is a base with a negative exponent, so what stands above and below a line
cancels, also through quotients that are shared, and a quotient that is there already is
used again. A base that divides twice divides one after the other, for `x/h/h` and
`x/(h*h)` differ where `h*h` overflows.

These are identities of real arithmetic: the last bits may differ from the formula as
written, so `strict` compilation leaves the pass out.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gradc.guards import NEVER, Guards, place
from gradc.ir import LAZY, Builder, Node, Program, compact

CHAIN = 8  # the largest power in the text that is written as a product
LEVELS = 12  # how deep factors are taken out of what is left
PARTS = 6  # factors of a shared quotient up to which it may be opened again
Factors = list[tuple[int, int]]  # (position in the new program, exponent)
Powers = dict[int, int]
Term = tuple[float, Powers]  # a coefficient times powers


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
    """`sign * (term + term + ...)`; the sign spares a walk over a long list."""

    sign: float = 1.0
    terms: list[Product] = field(default_factory=list)


Form = Product | Sum
Signed = tuple[float, int]  # a sign and a position


def gather(program: Program) -> Program:
    """Return a program of the same real function, with fewer operations."""
    return _Gatherer(program).run()


class _Gatherer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.placed = place(program, Guards(program))
        self.uses = [0] * len(program.nodes)
        self.forms: dict[int, Form] = {}  # of old nodes not yet written out
        self.done: dict[int, Signed] = {}  # old nodes written out
        self.writer = _Writer(Builder(program.ops))
        self.builder = self.writer.builder

    def run(self) -> Program:
        program, builder = self.program, self.builder
        nodes = program.nodes
        for i, node in enumerate(nodes):
            if self.placed[i] != NEVER and node[0] not in ("const", "input"):
                for a in node[1:]:
                    self.uses[a] += 1
        for i in program.outputs:
            self.uses[i] += 1
        for i in range(len(nodes)):
            if self.placed[i] != NEVER:
                builder.span = program.spans[i]
                if self._plain(i):
                    continue
                form = self._form(i)
                if form is None:
                    self._opaque(i)
                else:
                    self.forms[i] = form
                    if self.uses[i] > 1 or i in program.names:
                        self._label(i, self._write(i))
        outputs = [self._position(i) for i in program.outputs]
        for i, o in zip(program.outputs, outputs):
            self._label(i, (1.0, o))
        return compact(builder.follow(program, outputs))

    def _plain(self, i: int) -> bool:
        """Write a shared node at once if both its arguments are shared as well."""
        op, *args = self.program.nodes[i]
        if self.uses[i] < 2 or op not in ("add", "sub", "mul"):
            return False
        left, right = self.done.get(args[0]), self.done.get(args[1])
        if left is None or right is None or left[1] == right[1]:
            return False
        (s, x), (t, y) = left, right
        known = self.writer.known
        if x in known or y in known:
            return False
        if op == "mul":
            found = s * t, self.builder.add("mul", x, y)
        else:
            found = self.writer.both(s, x, -t if op == "sub" else t, y)
        self.done[i] = found
        self._label(i, found)
        return True

    # ---- forms

    def _form(self, i: int) -> Form | None:
        """The form of a node, None for an operation that is no arithmetic."""
        op, *args = self.program.nodes[i]
        if op == "add" or op == "sub":
            return self._sum(i, args, 1.0 if op == "add" else -1.0)
        if op == "mul":
            return self._times(self._factor(i, args[0]), self._factor(i, args[1]))
        if op == "neg":
            product = self._factor(i, args[0])
            product.coefficient = -product.coefficient
            return product
        if op == "div":
            return self._quotient(i, args[0], args[1])
        if op == "pow":
            return self._power(args[0], args[1])
        return None

    def _open(self, i: int, a: int) -> Form | None:
        """The form of an argument that dissolves into its reader."""
        if self.uses[a] > 1 or self.placed[a] != self.placed[i] or a in self.done:
            return None
        return self.forms.pop(a, None)

    def _factor(self, i: int, a: int) -> Product:
        """An argument as a product, which the caller may change."""
        value = self._constant_of(a)
        if value is not None:
            return Product(value)
        form = self._open(i, a)
        if isinstance(form, Product):
            return form
        return self._base(self._signed(a) if form is None else self.writer.sum(form))

    def _base(self, signed: Signed) -> Product:
        """What is written out as a product of its own."""
        sign, position = signed
        value = self.builder.value_of(position)
        return Product(sign, [(position, 1)]) if value is None else Product(sign * value)

    def _constant_of(self, a: int) -> float | None:
        node = self.program.nodes[a]
        return node[1] if node[0] == "const" else None

    def _times(self, x: Product, y: Product) -> Product:
        coefficient, divisor = x.coefficient * y.coefficient, x.divisor * y.divisor
        if not _sound(coefficient) or not _sound(divisor):
            for product in (x, y):
                self.writer.settle(product)
            coefficient = divisor = 1.0
        long, short = x, y
        if len(y.factors) > len(x.factors) + 8:
            long, short = y, x
        long.factors.extend(short.factors)
        long.coefficient, long.divisor = coefficient, divisor
        return long

    def _quotient(self, i: int, a: int, b: int) -> Product:
        """A quotient as a product with negative exponents."""
        top, bottom = self._factor(i, a), self._factor(i, b)
        sign = math.copysign(1.0, bottom.coefficient)
        size = abs(bottom.coefficient)
        if size == 0.0:
            bottom.factors.append((self.writer.const(0.0), 1))
            size = 1.0
        above = {base for base, _ in top.factors}
        if len(bottom.factors) > 1 and above.isdisjoint(b for b, _ in bottom.factors):
            bottom.factors = [(self.writer.divisor(bottom.factors), 1)]
        flipped = Product(
            sign * bottom.divisor, [(base, -e) for base, e in bottom.factors], size
        )
        return self._times(top, flipped)

    def _power(self, a: int, b: int) -> Product | None:
        """A power with a small constant exponent, as factors."""
        exponent = self._constant_of(b)
        if exponent is None or abs(exponent) > CHAIN:
            return None
        if exponent == int(exponent):
            sign, base = self._signed(a)
            return Product(sign if exponent % 2 else 1.0, [(base, int(exponent))])
        if 2.0 * exponent == int(2.0 * exponent) and abs(exponent) < CHAIN / 2:
            root = self.builder.add("sqrt", self._position(a))
            return Product(1.0, [(root, int(2.0 * exponent))])
        return None

    def _sum(self, i: int, args: Sequence[int], sign: float) -> Sum:
        left, right = self._addend(i, args[0]), self._addend(i, args[1])
        right.sign *= sign
        long, short = left, right
        if len(right.terms) > len(left.terms) + 8:
            long, short = right, left
        if long.sign != short.sign:
            for term in short.terms:
                term.coefficient = -term.coefficient
        long.terms.extend(short.terms)
        return long

    def _addend(self, i: int, a: int) -> Sum:
        value = self._constant_of(a)
        if value is not None:
            return Sum(1.0, [Product(value)])
        form = self._open(i, a)
        if isinstance(form, Sum):
            return form
        if form is not None:
            return Sum(1.0, [form])
        return Sum(1.0, [self._base(self._signed(a))])

    # ---- what is written out

    def _opaque(self, i: int) -> None:
        """An operation that is no arithmetic: its arguments, then itself."""
        node = self.program.nodes[i]
        decided = self._decided(node)
        if decided is not None:
            self.done[i] = self._signed(decided)
            return
        if node[0] == "input":
            new = self.builder.input(node[1])
        elif node[0] == "const":
            new = self.writer.const(node[1])
        else:
            args = [self._position(a) for a in node[1:]]
            self.builder.span = self.program.spans[i]
            new = self.builder.add(node[0], *args)
            if self.writer.known.issuperset(args):
                self.writer.known.add(new)
        self.done[i] = (1.0, new)
        self._label(i, (1.0, new))

    def _decided(self, node: Node) -> int | None:
        """The side of a conditional to which the conditions around it always lead."""
        if node[0] in LAZY:
            first, *sides = node[1:]
            dead = [a for a in sides if self.placed[a] == NEVER]
            if dead:
                return next((a for a in sides if a not in dead), first)
        return None

    def _label(self, i: int, signed: Signed) -> None:
        sign, new = signed
        self.builder.label(new, self.program.spans[i])
        if sign > 0:
            if i in self.program.names:
                self.builder.name(new, self.program.names[i])
            if i in self.program.hints:
                self.builder.hints.setdefault(new, self.program.hints[i])

    def _signed(self, a: int) -> Signed:
        """An old node as a sign and a position in the new program."""
        if a not in self.done:
            self.done[a] = self._write(a)
        return self.done[a]

    def _position(self, a: int) -> int:
        sign, position = self._signed(a)
        return position if sign > 0 else self.builder.add("neg", position)

    def _write(self, a: int) -> Signed:
        form = self.forms.pop(a)
        self.builder.span = self.program.spans[a]
        if isinstance(form, Sum):
            found = self.writer.sum(form, True)
        else:
            found = self.writer.product(form, True)
        self.done[a] = found
        return found


class _Writer:
    """Turns forms into nodes, and remembers what it wrote.

    `known` are the nodes that no input changes; `bodies` the powers that a shared
    quotient stands for, `quotients` the quotient of two nodes (of 1 and a node under
    -1), so that neither is computed again.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.known: set[int] = set()
        self.bodies: dict[int, Powers] = {}
        self.quotients: dict[int, dict[int, int]] = {}  # by divisor, then by dividend

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

    def both(self, s: float, x: int, t: float, y: int) -> Signed:
        """Write `s*x + t*y` for two signs."""
        if s < 0 < t:
            s, x, t, y = t, y, s, x
        return s, self.join("add" if s == t else "sub", x, y)

    def settle(self, product: Product) -> None:
        """Make a base of the coefficient and the divisor, which grow too large."""
        product.factors.append((self.const(product.coefficient), 1))
        product.factors.append((self.const(product.divisor), -1))
        product.coefficient = product.divisor = 1.0

    # ---- products

    def divisor(self, factors: Factors) -> int:
        """Write a product that is about to divide, as the formula has it."""
        powers = _exponents(factors)
        _, total = self.product(Product(1.0, factors))
        if len(powers) <= PARTS:
            self.bodies.setdefault(total, powers)
        return total

    def product(self, product: Product, whole: bool = False) -> Signed:
        """Write a product; `whole` if a coefficient may take up its sign."""
        size = abs(product.coefficient)
        sign = math.copysign(1.0, product.coefficient)
        factors = product.factors
        if len(factors) == 1 and factors[0][1] == 1 and size == product.divisor == 1.0:
            return sign, factors[0][0]
        if size == 0.0:
            return 1.0, self.const(0.0)
        powers = _exponents(factors)
        if len(powers) > 1 or any(e < 0 for e in powers.values()):
            self._reduce(powers)
        if whole and (size != 1.0 or not any(e > 0 for e in powers.values())):
            sign, size = 1.0, sign * size
        return sign, self._written(size, product.divisor, powers)

    def _reduce(self, powers: Powers) -> None:
        """Cancel through shared quotients, and use those that are there."""
        for base in list(powers):
            body = self.bodies.get(base)
            if body is not None and base in powers:
                opened = dict(powers)
                exponent = opened.pop(base)
                for b, e in body.items():
                    opened[b] = opened.get(b, 0) + exponent * e
                if _weight(opened) < _weight(powers):
                    powers.clear()
                    powers.update((b, e) for b, e in opened.items() if e)
        for below in [b for b, e in powers.items() if e < 0]:
            there = self.quotients.get(below)
            while there and powers.get(below, 0) < 0:
                above = next((a for a in there if powers.get(a, 0) > 0), -1)
                if above not in there:
                    break
                for base, e in ((below, 1), (above, -1), (there[above], 1)):
                    if base >= 0:
                        powers[base] = powers.get(base, 0) + e
                        if powers[base] == 0:
                            del powers[base]

    def _written(self, size: float, divisor: float, powers: Powers) -> int:
        """Write out powers: what is constant first, then factors, then divisors."""
        fixed = [b for b in powers if b in self.known] if len(powers) > 1 else []
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
        if below and len(powers) <= PARTS and size == divisor == 1.0:
            self.bodies.setdefault(total, dict(powers))
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
        """A power by repeated squaring."""
        result = -1
        while True:
            if exponent & 1:
                result = base if result < 0 else self.join("mul", result, base)
            exponent >>= 1
            if not exponent:
                return result
            base = self.join("mul", base, base)

    # ---- sums

    def sum(self, form: Sum, whole: bool = False) -> Signed:
        """Write a sum; `whole` if a coefficient may take up its sign."""
        if len(form.terms) == 2 and _apart(*form.terms):
            (s, x), (t, y) = (self.product(term) for term in form.terms)
            sign, total = self.both(s, x, t, y)
            return sign * form.sign, total
        terms = []
        for term in form.terms:
            powers = _exponents(term.factors)
            if term.divisor != 1.0 and abs(term.coefficient) == 1.0:
                below = self.const(term.divisor)
                powers[below] = powers.get(below, 0) - 1
                term.divisor = 1.0
            terms.append((term.coefficient / term.divisor * form.sign, powers))
        return self.product(self._factored(terms, LEVELS), whole)

    def _factored(self, terms: list[Term], level: int) -> Product:
        """A sum as a product: common factors, common coefficient, and what is left."""
        terms = [term for term in _collected(terms) if term[0] != 0.0]
        if not terms:
            return Product(0.0)
        if len(terms) == 1:
            return Product(terms[0][0], list(terms[0][1].items()))
        common = _common([powers for _, powers in terms])
        outside: Factors = list(common.items())
        if common:
            terms = [(c, _less(powers, common)) for c, powers in terms]
        if level > 0:
            terms = self._grouped(terms, level)
            if not terms:
                return Product(0.0)
        coefficient = terms[0][0]
        if len({abs(c) for c, _ in terms}) == 1:
            negative = all(c < 0 for c, _ in terms)
            coefficient = -abs(coefficient) if negative else abs(coefficient)
            terms = [(c / coefficient, powers) for c, powers in terms]
        else:
            coefficient = -1.0 if all(c < 0 for c, _ in terms) else 1.0
            terms = [(c * coefficient, powers) for c, powers in terms]
            terms = self._bracketed(terms)
        return Product(coefficient, [(self._added(terms), 1), *outside])

    def _grouped(self, terms: list[Term], level: int) -> list[Term]:
        """Take a base that several terms share out of them, the most frequent first."""
        holders: dict[tuple[int, bool], list[int]] = {}
        for k, (_, powers) in enumerate(terms):
            for base, e in powers.items():
                holders.setdefault((base, e > 0), []).append(k)
        count = {key: len(ks) for key, ks in holders.items()}
        heap = [(-n, key) for key, n in count.items() if n > 1]
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
            found[group[0]] = (product.coefficient, _exponents(product.factors))
        return [t for t in found if t is not None and t[0] != 0.0]

    def _bracketed(self, terms: list[Term]) -> list[Term]:
        """Put the terms that share a coefficient into one bracket."""
        by_size: dict[float, list[int]] = {}
        for k, (c, powers) in enumerate(terms):
            if abs(c) != 1.0 and powers:
                by_size.setdefault(abs(c), []).append(k)
        found: list[Term | None] = list(terms)
        for size, group in by_size.items():
            if len(group) < 2:
                continue
            sign = -1.0 if all(terms[k][0] < 0 for k in group) else 1.0
            inner = [(sign * terms[k][0] / size, terms[k][1]) for k in group]
            bracket = self._added(inner)
            for k in group:
                found[k] = None
            found[group[0]] = (sign * size, {bracket: 1})
        return [t for t in found if t is not None]

    def _added(self, terms: list[Term]) -> int:
        """Write a sum with at least one term that is not subtracted."""
        first = next((k for k, (c, _) in enumerate(terms) if c > 0), 0)
        total = -1
        for c, powers in (terms[first], *terms[:first], *terms[first + 1 :]):
            sign, position = self.product(Product(c, list(powers.items())))
            if total < 0:
                total = position if sign > 0 else self.builder.add("neg", position)
            else:
                total = self.join("add" if sign > 0 else "sub", total, position)
        return total


def _apart(x: Product, y: Product) -> bool:
    """Whether two terms have nothing to share, neither a base nor a coefficient."""
    for term in (x, y):
        if abs(term.coefficient) != 1.0 or term.divisor != 1.0 or not term.factors:
            return False
    bases = [base for base, _ in x.factors]
    return all(base not in bases for base, _ in y.factors)


def _sound(coefficient: float) -> bool:
    """Whether a product of coefficients has neither overflowed nor underflowed."""
    return 1e-290 < abs(coefficient) < 1e290


def _weight(powers: Powers) -> int:
    """How many factors and divisors a product has."""
    return sum(abs(e) for e in powers.values())


def _exponents(factors: Iterable[tuple[int, int]]) -> Powers:
    powers: Powers = {}
    for base, exponent in factors:
        total = powers.get(base, 0) + exponent
        if total:
            powers[base] = total
        else:
            powers.pop(base, None)
    return powers


def _less(powers: Powers, common: Powers) -> Powers:
    left = {b: e - common.get(b, 0) for b, e in powers.items()}
    return {b: e for b, e in left.items() if e}


def _common(all_powers: list[Powers]) -> Powers:
    common = dict(all_powers[0])
    for powers in all_powers[1:]:
        if not common:
            break
        found: Powers = {}
        for b, e in common.items():
            other = powers.get(b, 0)
            if e > 0 < other:
                found[b] = min(e, other)
            elif e < 0 > other:
                found[b] = max(e, other)
        common = found
    return common


def _collected(terms: list[Term]) -> list[Term]:
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
