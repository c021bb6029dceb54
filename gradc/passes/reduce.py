"""Reduce fractions: what stands above and below a line cancels.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = mul %0 %1                   %2 = const 2.0
    %3 = const 3.0          -->      %3 = pow %0 %2
    %4 = pow %0 %3                   %4 = div %1 %3
    %5 = div %2 %4                   out %4
    out %5

Squares above and below the line are the square of a quotient: x^2/y^2 is (x/y)^2. A
fraction that would take no fewer operations stays as it is written. The pass runs before
`derive`, so that the derivative is that of the shorter form.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradc.analysis.forms import PRODUCTS, SUMS, Forms, Powers, Term
from gradc.ir import Builder, Program, arguments, compact, within
from gradc.passes.stabilise import roots

MOST = 10_000  # nodes above which a program is left as it is
WIDE = 64  # operations above which a product is left as it is


def reduce(program: Program) -> Program:
    """Return a program of the same real function, its fractions reduced."""
    if len(program.nodes) > MOST or "div" not in program.operations:
        return program
    reducer = _Reducer(program)
    builder, new = reducer.forms.builder, list(range(len(program.nodes)))
    for i, node in enumerate(program.nodes):
        builder.span = within(program.spans[i])
        args = arguments(node)
        if (term := reducer.reduced(i)) is not None:
            new[i] = reducer.written(term, new)
        elif any(new[a] != a for a in args):
            new[i] = builder.add(node[0], *[new[a] for a in args])
        builder.label(new[i], program.spans[i])
        if new[i] != i and i in program.names:
            builder.names.pop(i)
            if builder.nodes[new[i]][0] not in ("const", "input"):
                builder.name(new[i], program.names[i])
    if all(i == j for i, j in enumerate(new)):
        return program
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


class _Reducer:
    """Compares products as they are written with what they are when they are opened."""

    def __init__(self, program: Program) -> None:
        self.nodes = program.nodes
        self.outermost, self.single = roots(program)
        self.forms = Forms(Builder.upon(program), self.single, shared=0)
        self.fixed: set[int] = set()  # what no input changes
        for i, node in enumerate(program.nodes):
            if node[0] != "input" and self.fixed.issuperset(arguments(node)):
                self.fixed.add(i)
        self.differing = self._differing()

    def reduced(self, i: int) -> Term | None:
        """A fraction as a product that takes fewer operations, None if it takes none."""
        if self.nodes[i][0] not in PRODUCTS or not self.outermost[i]:
            return None
        work, scaled = self._work(i)
        if work + scaled < 2:
            return None
        coefficient, powers = self.forms.factors(i)
        if scaled and _is_whole(coefficient):
            work += 1
        varying = [e for base, e in powers if base not in self.fixed]
        least = sum(1 + _multiplications(e) for e in varying) - 1
        least -= len(self._pairs(powers))  # (x/y)^2
        return (coefficient, powers) if coefficient and least < work else None

    def _work(self, root: int) -> tuple[int, bool]:
        """The operations of a fraction as written, but for those with constants.

        0 if nothing divides, or if they are too many. And whether constants multiply
        both sides of the line, where one operation is enough.
        """
        work = 0
        divides = False
        scaled: set[bool] = set()  # the sides that constants multiply
        stack = [(root, False)]
        while stack and work <= WIDE:
            i, below = stack.pop()
            op, *args = node = self.nodes[i]
            if op == "pow" and (exponent := self.forms.exponent(node)):
                work += _multiplications(exponent)
                divides |= exponent < 0
                stack.append((args[0], below != (exponent < 0)))
            elif op in PRODUCTS and (i == root or self.single[i]):
                varying = [a for a in args if a not in self.fixed]
                work += len(varying) == 2
                divides |= op == "div" and args[1] in varying
                if op == "mul" and len(varying) == 1:
                    (number,) = {*args} - {*varying}
                    if below or not self._is_exact(number):
                        scaled.add(below)
                for a in varying:
                    stack.append((a, below != (op == "div" and a == args[1])))
        return (work if divides and not stack else 0), len(scaled) == 2

    def written(self, term: Term, new: Sequence[int]) -> int:
        """Write a product; constants on both sides of the line are one factor."""
        coefficient, powers = term
        product = self.forms.product
        powers, squares = self._paired(powers, new)
        fixed = tuple((new[b], e) for b, e in powers if b in self.fixed)
        sides = {e > 0 for _, e in fixed}
        if abs(coefficient) != 1.0 and _is_whole(coefficient):
            sides.add(abs(coefficient) > 1.0)
        varying = tuple((new[b], e) for b, e in powers if b not in self.fixed)
        varying += squares
        if len(sides) < 2:
            return product(coefficient, tuple((new[b], e) for b, e in powers) + squares)
        factor = product(coefficient, fixed)
        return self.forms.builder.add("mul", factor, product(1.0, varying))

    def _paired(self, powers: Powers, new: Sequence[int]) -> tuple[Powers, Powers]:
        """What is left of a product, and squares above and below the line as one."""
        pairs = self._pairs(powers)
        left = tuple((b, e) for b, e in powers if not any(b in pair for pair in pairs))
        add = self.forms.builder.add
        return left, tuple((add("div", new[a], new[b]), 2) for a, b in pairs)

    def _pairs(self, powers: Powers) -> list[tuple[int, int]]:
        """Bases of which a product holds the squares, one above and one below the line.

        Not where a difference of squares has the product, which is to be a product of
        sum and difference.
        """
        if powers in self.differing:
            return []
        varying = [(b, e) for b, e in powers if b not in self.fixed]
        above = [b for b, e in varying if e == 2]
        return list(zip(above, [b for b, e in varying if e == -2]))

    def _differing(self) -> set[Powers]:
        """The products of even powers that are subtracted from others, or these."""
        found: set[Powers] = set()
        for i, node in enumerate(self.nodes):
            if node[0] in SUMS and self.outermost[i]:
                form = self.forms.of(i)
                even = {p: c for p, c in form.items() if all(e % 2 == 0 for _, e in p)}
                if min(even.values(), default=0.0) < 0.0 < max(even.values()):
                    found.update(even)
        return found

    def _is_exact(self, number: int) -> bool:
        """Whether nothing is rounded where a constant multiplies."""
        value = self.forms.builder.value_of(number)
        return value is not None and abs(math.frexp(value)[0]) == 0.5


def _is_whole(coefficient: float) -> bool:
    """Whether a number, or one over it, has no fraction that might be rounded."""
    return coefficient.is_integer() or (1.0 / coefficient).is_integer()


def _multiplications(exponent: int) -> int:
    """How many a power takes by squaring."""
    return abs(exponent).bit_length() + exponent.bit_count() - 2
