"""Write n-ary forms out as nodes, with less work than they were read from.

    x*y + x*z            ->  x*(y + z)
    2*x + 2*y            ->  2*(x + y)
    -x - y               ->  -(x + y), the sign left to what reads the sum
    x*x*x*x              ->  (x*x)*(x*x)

The bases of a form are positions in the program that is being built. Factors that terms
have in common are taken out, the most frequent first (a greedy multivariate Horner
scheme: Ceberio and Kreinovich, Greedy algorithms for optimizing multivariate Horner
schemes, 2004); terms of equal coefficient share a bracket; powers are chains of squares.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from gradc.analysis.forms import NUMBER, Form, Powers, Term, added, common, divided
from gradc.analysis.forms import is_ordinary, meet, size, summed, times
from gradc.ir import Builder

PARTS = 6  # terms up to which a sum that has been written may be opened again
LEVELS = 12  # how deep factors are taken out of what is left


def weight(powers: Powers) -> int:
    """How many factors and divisors a product has."""
    return sum(abs(e) for _, e in powers)


def work(form: Form) -> int:
    """How many operations the terms of a sum take."""
    return sum(max(1, weight(p) + (abs(c) != 1)) for p, c in form.items())


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

    def write(self, form: Form, around: Powers = NUMBER) -> int:
        """Write a form times a product; a sign before all of it is a node of its own."""
        c, powers = self.factored(form)
        found = self._summed({times(powers, around): size(c)})
        return self.builder.add("neg", found) if c < 0 else found

    def factored(self, form: Form, level: int = LEVELS) -> Term:
        """A sum as a product: what its terms have in common, times what is left."""
        form = self._flattened(form)
        shared = common(form) if len(form) > 1 else NUMBER
        if shared:
            form = {times(p, shared, -1): c for p, c in form.items()}
            form = self._flattened(form)
        addends = form
        if level and len(form) > 1:
            form = self._grouped(form, level)
        if len(form) < 2:
            powers, c = next(iter(form.items()), (NUMBER, 0))
            return c, times(powers, shared) if c else NUMBER
        sizes = {size(c) for c in form.values()}
        scale = sizes.pop() if len(sizes) == 1 and NUMBER not in form else 1
        scale = -scale if all(c < 0 for c in form.values()) else scale
        total = self._sum({p: divided(c, scale) for p, c in form.items()})
        if len(addends) <= PARTS:
            inside = {p: divided(c, scale) for p, c in addends.items()}
            self.addends.setdefault(total, inside)
        return scale, times(((total, 1),), shared)

    def _sum(self, form: Form) -> int:
        """A sum as a base of its own."""
        found = self._known.setdefault(frozenset(form.items()), -1 - len(self.sums))
        if found < -len(self.sums):
            self.sums.append(form)
        return found

    def placed(self, base: int) -> int:
        """Where a base is, a sum written out if it is not yet."""
        if base >= 0:
            return base
        found = self._written.get(base)
        if found is None:
            found = self._summed(self._bracketed(self.sums[-1 - base]))
            self._written[base] = found
            if base in self.addends:
                self.addends.setdefault(found, self.addends[base])
        return found

    def _flattened(self, form: Form) -> Form:
        """Write `2*s - 3*x` as `2 - x`, where `s` is the sum `1 + x`, if that is less.

        A sum that nothing else reads dissolves if it has a base in common with the rest.
        """
        for powers, c in form.items():
            base = powers[0][0] if powers else 0
            if base not in self.addends or powers != ((base, 1),):
                continue
            inside = self.addends[base]
            rest = {p: d for p, d in form.items() if p != powers}
            flat = added(rest, inside, c)
            if base < 0 and base not in self._written:
                bases = {b for p in rest for b, _ in p}
                is_less = any(b in bases for p in inside for b, _ in p)
            else:
                is_less = work(flat) < work(form)
            if is_less:
                return self._flattened(flat)
        return form

    def _grouped(self, form: Form, level: int) -> Form:
        """Take a base that several terms share out of them, the most frequent first.

        Of several it is that which is computed last.
        """
        while True:
            sides = Counter((b, e > 0) for powers in form for b, e in powers)
            n, side = max([(n, side) for side, n in sides.items()], default=(0, None))
            if n < 2 or len(form) == n:
                return form
            held = {p: c for p, c in form.items() if side in [(b, e > 0) for b, e in p]}
            form = {p: c for p, c in form.items() if p not in held}
            c, powers = self.factored(held, level - 1)
            meet(form, powers, c)

    def _bracketed(self, form: Form) -> Form:
        """Put the terms that share a coefficient into one bracket."""
        sizes = Counter(size(c) for p, c in form.items() if p and abs(c) != 1)
        for scale, n in sizes.items():
            if 1 < n < len(form):
                group = {p: c for p, c in form.items() if abs(c) == scale and p}
                sign = -1 if all(c < 0 for c in group.values()) else 1
                bracket = {p: divided(sign * c, scale) for p, c in group.items()}
                form = {p: c for p, c in form.items() if p not in group}
                meet(form, ((self._summed(bracket), 1),), sign * scale)
        return form

    def _summed(self, form: Form) -> int:
        """Write a sum, the sums in it first.

        Raises:
            OverflowError: a coefficient is too large for a float, or too small.
        """
        total: Form = {}
        for powers, c in form.items():
            if not is_ordinary(c):
                raise OverflowError
            if powers and powers[0][0] < 0:
                powers = times((), tuple((self.placed(b), e) for b, e in powers))
            meet(total, powers, c)
        return summed(self.builder, total, least=3)
