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

These are identities of real arithmetic: the last bits may differ from the formula as
written, so `strict` compilation leaves the pass out. Quotients keep their order, for
`x/h/h` and `x/(h*h)` differ where `h*h` overflows.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gradc.guards import NEVER, Guards, place
from gradc.ir import Builder, Program, compact

CHAIN = 4  # the largest power in the text that is written as a product
LEVELS = 12  # how deep factors are taken out of what is left
Factors = list[tuple[int, int]]  # (position in the new program, exponent)


@dataclass(slots=True)
class Product:
    """`coefficient * base^exponent * ...`, bases in the order of their appearance."""

    coefficient: float = 1.0
    factors: Factors = field(default_factory=list)


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
        self.builder = Builder(program.ops)
        self.uses = [0] * len(program.nodes)
        self.forms: dict[int, Form] = {}  # of old nodes not yet written out
        self.done: dict[int, Signed] = {}  # old nodes written out
        self.constant: set[int] = set()  # new positions that no input changes

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
        if x in self.constant or y in self.constant:
            return False
        if op == "mul":
            found = s * t, self.builder.add("mul", x, y)
        else:
            t = -t if op == "sub" else t
            if s < 0 < t:
                s, x, t, y = t, y, s, x
            found = s, self.builder.add("add" if s == t else "sub", x, y)
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
            return self._power(i, args[0], args[1])
        return None

    def _open(self, i: int, a: int) -> Form | None:
        """The form of an argument that dissolves into its reader."""
        if self.uses[a] > 1 or self.placed[a] != self.placed[i]:
            return None
        if a in self.done:
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
        sign, position = self._signed(a) if form is None else self._write_sum(form)
        return Product(sign, [(position, 1)])

    def _constant_of(self, a: int) -> float | None:
        node = self.program.nodes[a]
        return node[1] if node[0] == "const" else None

    def _times(self, x: Product, y: Product) -> Product:
        coefficient = x.coefficient * y.coefficient
        if not _sound(coefficient):
            for product in (x, y):
                product.factors.append((self._const(product.coefficient), 1))
                product.coefficient = 1.0
            coefficient = 1.0
        long, short = x, y
        if len(y.factors) > len(x.factors) + 8:
            long, short = y, x
        long.factors.extend(short.factors)
        long.coefficient = coefficient
        return long

    def _quotient(self, i: int, a: int, b: int) -> Product | None:
        """A quotient as a coefficient times what cannot be divided out."""
        top = self._factor(i, a)
        divisor = self._constant_of(b)
        if divisor is not None and _is_power_of_two(divisor):
            coefficient = top.coefficient / divisor
            if _sound(coefficient):
                top.coefficient = coefficient
                return top
        bottom = self._factor(i, b)
        sign = math.copysign(1.0, bottom.coefficient)
        bottom.coefficient = abs(bottom.coefficient)
        self._cancel(top, bottom)
        coefficient, top.coefficient = top.coefficient * sign, 1.0
        if not bottom.factors and bottom.coefficient == 1.0:
            top.coefficient = coefficient
            return top
        if not top.factors or not bottom.factors:
            top.coefficient, coefficient = abs(coefficient), math.copysign(
                1.0, coefficient
            )
        above, below = self._product(top)[1], self._product(bottom)[1]
        quotient = self._join("div", above, below)
        return Product(coefficient, [(quotient, 1)])

    def _cancel(self, top: Product, bottom: Product) -> None:
        """Divide out the bases that stand on both sides."""
        below = _exponents(bottom.factors)
        above = _exponents(top.factors)
        common = {b: min(e, above[b]) for b, e in below.items() if b in above}
        if common:
            top.factors = _less(above, common)
            bottom.factors = _less(below, common)

    def _power(self, i: int, a: int, b: int) -> Product | None:
        """A power with a small constant exponent, as factors."""
        exponent = self._constant_of(b)
        if exponent is None or abs(exponent) > CHAIN:
            return None
        one = self._const(1.0)
        if exponent in (0.5, -0.5):
            root = self.builder.add("sqrt", self._position(a))
            if exponent < 0.0:
                root = self._join("div", one, root)
            return Product(1.0, [(root, 1)])
        if exponent != int(exponent):
            return None
        sign, base = self._signed(a)
        coefficient = sign if exponent % 2 else 1.0
        if exponent > 0:
            return Product(coefficient, [(base, int(exponent))])
        power = self._product(Product(1.0, [(base, int(-exponent))]))[1]
        return Product(coefficient, [(self._join("div", one, power), 1)])

    def _sum(self, i: int, args: Sequence[int], sign: float) -> Sum:
        left = self._addend(i, args[0])
        right = self._addend(i, args[1])
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
        sign, position = self._signed(a)
        return Sum(1.0, [Product(sign, [(position, 1)])])

    # ---- writing out

    def _opaque(self, i: int) -> None:
        """An operation that is no arithmetic: its arguments, then itself."""
        node = self.program.nodes[i]
        if node[0] == "input":
            new = self.builder.input(node[1])
        elif node[0] == "const":
            new = self._const(node[1])
        else:
            args = [self._position(a) for a in node[1:]]
            self.builder.span = self.program.spans[i]
            new = self.builder.add(node[0], *args)
            if self.constant.issuperset(args):
                self.constant.add(new)
        self.done[i] = (1.0, new)
        self._label(i, (1.0, new))

    def _join(self, op: str, x: int, y: int) -> int:
        """Add an arithmetic node, remembering one that no input changes."""
        new = self.builder.add(op, x, y)
        if x in self.constant and y in self.constant:
            self.constant.add(new)
        return new

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
        found = self._write_sum(form) if isinstance(form, Sum) else self._product(form)
        self.done[a] = found
        return found

    def _const(self, value: float) -> int:
        new = self.builder.const(value)
        self.constant.add(new)
        return new

    def _product(self, product: Product) -> Signed:
        """Write a product: what is constant first, powers by repeated squaring."""
        sign = math.copysign(1.0, product.coefficient)
        size = abs(product.coefficient)
        factors = product.factors
        if size == 1.0 and len(factors) == 1 and factors[0][1] == 1:
            return sign, factors[0][0]
        powers = _exponents(factors)
        order: Iterable[int] = powers
        if len(powers) > 1 and not self.constant.isdisjoint(powers):
            order = sorted(powers, key=lambda base: base not in self.constant)
        total = -1
        if size != 1.0 or not powers:
            total = self._const(size)
        for base in order:
            factor = base if powers[base] == 1 else self._raised(base, powers[base])
            total = factor if total < 0 else self._join("mul", total, factor)
        return sign, total

    def _raised(self, base: int, exponent: int) -> int:
        result = -1
        while True:
            if exponent & 1:
                result = base if result < 0 else self._join("mul", result, base)
            exponent >>= 1
            if not exponent:
                return result
            base = self._join("mul", base, base)

    def _write_sum(self, form: Sum) -> Signed:
        terms = [(t.coefficient * form.sign, _exponents(t.factors)) for t in form.terms]
        return self._product(self._factored(terms, LEVELS))

    def _factored(
        self, terms: list[tuple[float, dict[int, int]]], level: int
    ) -> Product:
        """A sum as a product: common factors, common coefficient, and what is left."""
        terms = _collected(terms)
        if not terms:
            return Product(0.0)
        if len(terms) == 1:
            return Product(terms[0][0], list(terms[0][1].items()))
        common = _common([powers for _, powers in terms])
        outside: Factors = list(common.items())
        if common:
            terms = [(c, dict(_less(powers, common))) for c, powers in terms]
        if level > 0:
            terms = self._grouped(terms, level)
        coefficient = terms[0][0]
        sizes = {abs(c) for c, _ in terms}
        if len(sizes) == 1:
            if all(c < 0 for c, _ in terms):
                sizes = {-coefficient}
                coefficient = -abs(coefficient)
            else:
                coefficient = abs(coefficient)
            terms = [(c / coefficient, powers) for c, powers in terms]
        else:
            coefficient = -1.0 if all(c < 0 for c, _ in terms) else 1.0
            terms = [(c * coefficient, powers) for c, powers in terms]
            terms = self._bracketed(terms)
        return Product(coefficient, [(self._added(terms), 1), *outside])

    def _grouped(
        self, terms: list[tuple[float, dict[int, int]]], level: int
    ) -> list[tuple[float, dict[int, int]]]:
        """Take a base that several terms share out of them, the most frequent first."""
        holders: dict[int, list[int]] = {}
        for k, (_, powers) in enumerate(terms):
            for base in powers:
                holders.setdefault(base, []).append(k)
        count = {base: len(ks) for base, ks in holders.items()}
        heap = [(-n, base) for base, n in count.items() if n > 1]
        heapq.heapify(heap)
        found: list[tuple[float, dict[int, int]] | None] = list(terms)
        while heap:
            n, base = heapq.heappop(heap)
            if -n != count[base]:
                if count[base] > 1:
                    heapq.heappush(heap, (-count[base], base))
                continue
            group = [k for k in holders[base] if found[k] is not None]
            members = [t for k in group if (t := found[k]) is not None]
            product = self._factored(members, level - 1)
            for k in group:
                found[k] = None
                for other in terms[k][1]:
                    count[other] -= 1
            found[group[0]] = (product.coefficient, _exponents(product.factors))
            terms = [t if t is not None else (0.0, {}) for t in found]
        return [t for t in found if t is not None]

    def _bracketed(
        self, terms: list[tuple[float, dict[int, int]]]
    ) -> list[tuple[float, dict[int, int]]]:
        """Put the terms that share a coefficient into one bracket."""
        by_size: dict[float, list[int]] = {}
        for k, (c, powers) in enumerate(terms):
            if abs(c) != 1.0 and powers:
                by_size.setdefault(abs(c), []).append(k)
        found: list[tuple[float, dict[int, int]] | None] = list(terms)
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

    def _added(self, terms: list[tuple[float, dict[int, int]]]) -> int:
        """Write a sum with at least one term that is not subtracted."""
        first = next((k for k, (c, _) in enumerate(terms) if c > 0), 0)
        total = -1
        for c, powers in (terms[first], *terms[:first], *terms[first + 1 :]):
            sign, position = self._product(Product(c, list(powers.items())))
            if total < 0:
                total = position if sign > 0 else self.builder.add("neg", position)
            else:
                op = "add" if sign > 0 else "sub"
                total = self._join(op, total, position)
        return total


def _sound(coefficient: float) -> bool:
    """Whether a product of coefficients has neither overflowed nor underflowed."""
    return 1e-290 < abs(coefficient) < 1e290


def _is_power_of_two(value: float) -> bool:
    return value != 0.0 and abs(math.frexp(value)[0]) == 0.5


def _exponents(factors: Iterable[tuple[int, int]]) -> dict[int, int]:
    powers: dict[int, int] = {}
    for base, exponent in factors:
        powers[base] = powers.get(base, 0) + exponent
    return powers


def _less(powers: dict[int, int], common: dict[int, int]) -> Factors:
    return [
        (b, e - common.get(b, 0)) for b, e in powers.items() if e > common.get(b, 0)
    ]


def _common(all_powers: list[dict[int, int]]) -> dict[int, int]:
    common = dict(all_powers[0])
    for powers in all_powers[1:]:
        if not common:
            break
        common = {b: min(e, powers[b]) for b, e in common.items() if b in powers}
    return common


def _collected(
    terms: list[tuple[float, dict[int, int]]],
) -> list[tuple[float, dict[int, int]]]:
    """Add up the coefficients of terms with equal powers."""
    total: dict[tuple[tuple[int, int], ...], float] = {}
    for c, powers in terms:
        key = tuple(sorted(powers.items()))
        total[key] = total.get(key, 0.0) + c
    if len(total) == len(terms):
        return terms
    seen: set[tuple[tuple[int, int], ...]] = set()
    found = []
    for _, powers in terms:
        key = tuple(sorted(powers.items()))
        if key not in seen and total[key] != 0.0:
            found.append((total[key], powers))
        seen.add(key)
    return found
