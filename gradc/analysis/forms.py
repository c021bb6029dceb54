"""The n-ary view of arithmetic: a node as a sum of coefficients times powers.

`a - 2*(b - c)/d` is the form {a: 1, b/d: -2, c/d: 2}; what is no arithmetic is a base of
its own, and x/x is 1. Forms are for looking at a program: two spellings of one sum have
one form. Their coefficients are exact, and become floats when a form is written out. A
node that is shared opens only while it is small, so that all forms of a program
together stay linear in its size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial, reduce

from gradc.ir import Builder, Node, arguments

Number = int | Fraction  # whole ones are mostly ints, which are faster
Powers = tuple[tuple[int, int], ...]  # (base, exponent), by position of the base
Form = dict[Powers, Number]  # a sum: the coefficient of each product of powers
Term = tuple[Number, Powers]

SUMS = frozenset({"add", "sub"})
PRODUCTS = frozenset({"mul", "div", "neg"})
KINDS = dict.fromkeys(SUMS, "sum") | dict.fromkeys(PRODUCTS, "product")
SHARED = 16  # terms or factors up to which a shared node is opened
HIGHEST = 4  # the largest constant exponent that a power opens for
NUMBER: Powers = ()


class Forms:
    """The forms of a growing program.

    `single` says which nodes have one reader; others open up to `shared` terms.
    """

    def __init__(
        self, builder: Builder, single: Sequence[bool], shared: int = SHARED
    ) -> None:
        self.builder, self.single, self.shared = builder, single, shared
        self._widths: list[int] = []
        self._known: dict[int, Form] = {}
        self.vanishing: set[int] = set()  # sums in which terms have met their opposites

    def of(self, i: int) -> Form:
        """The form of a node."""
        found = self._known.get(i)
        if found is None:
            found = self._known[i] = self._sum(i)
        return found

    def reduced(self, x: Form, y: Form) -> tuple[Form, Form] | None:
        """A sum over a product or a sum: what is left of both, None if nothing goes."""
        whole: Form = {NUMBER: 1}
        if max(len(x), len(y)) > self.shared:
            return None
        if len(y) != 1:
            found = self._quotient(x, y)
            return None if found is None else (found, whole)
        ((below, c),) = y.items()
        left = below
        for base in [base for base, e in below for _ in range(e)]:
            if (found := self._quotient(x, self.of(base))) is not None:
                x, left = found, times(left, ((base, 1),), -1)
        if left == below:
            return None
        return (
            (x, {left: c}) if len(x) > 1 else (multiplied(x, _inverse(left, c)), whole)
        )

    def _quotient(self, x: Form, y: Form) -> Form | None:
        """A sum over another that divides it, by which a factor may be it already."""
        found, rest = dict[Powers, Number](), dict(x)
        for powers, c in x.items():
            for base in [base for base, e in powers if e > 0]:
                if powers in rest and (k := _ratio(self.of(base), y)):
                    found = added(found, {times(powers, ((base, 1),), -1): c * k})
                    del rest[powers]
        for powers, c in y.items() if rest and len(y) > 1 else ():
            one = multiplied(dict([next(iter(rest.items()))]), _inverse(powers, c))
            if multiplied(one, y) == rest:
                return added(found, one)
        return None if rest else found

    def _sum(self, root: int) -> Form:
        form: Form = {}
        stack: list[tuple[int, Number]] = [(root, 1)]
        while stack:
            i, c = stack.pop()
            node = self.builder.nodes[i]
            if node[0] in SUMS and (i == root or self._opens(i)):
                stack.append((node[2], c if node[0] == "add" else -c))
                stack.append((node[1], c))
                continue
            factor, powers = self.factors(i)
            base = powers[0][0] if len(powers) == 1 and powers[0][1] == 1 else i
            if base != i and self.builder.nodes[base][0] in SUMS and self._opens(base):
                stack.append((base, c * factor))
            elif meet(form, powers, c * factor):
                self.vanishing.add(root)
        return form

    def factors(self, root: int) -> Term:
        """A node as one product."""
        coefficient: Number = 1
        powers: dict[int, int] = {}
        stack = [(root, 1)]
        nodes = self.builder.nodes
        while stack:
            i, e = stack.pop()
            node = nodes[i]
            op = node[0]
            if i != root and op in PRODUCTS and not self._opens(i):
                op = ""
            if op == "const" and (e > 0 or node[1]) and is_ordinary(node[1]):
                coefficient = coefficient * raised(exact(node[1]), e)
            elif op == "neg":
                coefficient = -coefficient if e % 2 else coefficient
                stack.append((node[1], e))
            elif op == "mul" or op == "div":
                stack.append((node[2], e if op == "mul" else -e))
                stack.append((node[1], e))
            elif op == "pow" and (k := self.exponent(node)):
                stack.append((node[1], e * k))
            else:
                powers[i] = powers.get(i, 0) + e
        if coefficient and not is_ordinary(coefficient):
            return 1, ((root, 1),)
        found = sorted((b, e) for b, e in powers.items() if e)
        return coefficient, tuple(found) if coefficient else NUMBER

    def exponent(self, node: Node) -> int:
        """The exponent of a power that opens, 0 of any other."""
        value = self.builder.value_of(node[2])
        if value is None or abs(value) > HIGHEST or value != int(value):
            return 0
        return int(value)

    def _opens(self, i: int) -> bool:
        is_single = i < len(self.single) and self.single[i]
        return is_single or self._width(i) <= self.shared

    def _width(self, i: int) -> int:
        """How many leaves the node's own kind of arithmetic has, if all is opened."""
        widths, nodes = self._widths, self.builder.nodes
        for node in nodes[len(widths) : i + 1]:
            args, kind = arguments(node), KINDS.get(node[0])
            inner = [a for a in args if kind and KINDS.get(nodes[a][0]) == kind]
            leaves = len(args) - len(inner)
            widths.append(min(sum(widths[a] for a in inner) + leaves, 10**6))
        return widths[i]


def summed(builder: Builder, form: Form, least: int = 2) -> int:
    """Write a sum out, at first what is not subtracted or has a number for the sign.

    `least` is the first power that is a divisor; by lower ones is divided repeatedly.
    """
    ranks = {p: (c < 0) * (2 - (abs(c) != 1 or not p)) for p, c in form.items()}
    first, total = min(ranks, key=ranks.__getitem__, default=NUMBER), -1
    for powers in dict.fromkeys((first, *form)):
        c = form.get(powers, 0)
        if total < 0:
            total = written(builder, c, powers, least)
        else:
            term = written(builder, size(c), powers, least)
            total = builder.add("sub" if c < 0 else "add", total, term)
    return total


def written(
    builder: Builder, c: Number, powers: Sequence[tuple[int, int]], least: int = 2
) -> int:
    """Write a product out: the number first, then factors, then divisors."""
    add, total = builder.add, -1
    below = list[int]()
    for base, e in powers:
        if e > 0:
            power = base if e == 1 else _power(builder, base, e)
            total = power if total < 0 else add("mul", total, power)
        else:
            below += [_power(builder, base, -e)] if -e >= least else [base] * -e
    if abs(c.numerator) == 1 and c != rounded(c):
        below.append(builder.const(c.denominator))
        c = c.numerator
    if total < 0:
        total = builder.const(rounded(c))
    elif c == -1:
        total = add("neg", total)
    elif c != 1:
        total = add("mul", builder.const(rounded(c)), total)
    return reduce(partial(add, "div"), below, total)


def _power(builder: Builder, base: int, exponent: int) -> int:
    """A power by squaring the half, which cubes and sixth powers then share."""
    if exponent == 1:
        return base
    half = _power(builder, base, exponent // 2)
    square = builder.add("mul", half, half)
    return builder.add("mul", square, base) if exponent % 2 else square


def exact(x: float) -> Number:
    """A float as the number that it is."""
    return int(x) if x.is_integer() and abs(x) < 2.0**53 else Fraction(x)


def rounded(x: Number | float) -> float:
    """The nearest float, infinite or 0 beyond their range."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def is_ordinary(x: Number | float) -> bool:
    """Whether a coefficient is 0, or far from the ends of the floats."""
    return not x or 1e-290 < abs(rounded(x)) < 1e290


def size(x: Number) -> Number:
    """A coefficient without its sign."""
    return -x if x < 0 else x


def divided(x: Number, y: Number) -> Number:
    """The quotient of two coefficients."""
    return x if y == 1 else Fraction(x) / y


def raised(x: Number, exponent: int) -> Number:
    """A whole power of a coefficient."""
    return x**exponent if exponent >= 0 else Fraction(1) / x**-exponent


def square_root(x: Number) -> Number | None:
    """The root of a positive number that is the square of a fraction."""
    above, below = map(math.isqrt, (x.numerator, x.denominator))
    found = divided(above, below)
    return found if found * found == x else None


def times(powers: Powers, others: Powers, sign: int = 1) -> Powers:
    """The product of two products, or with -1 their quotient."""
    if not others:
        return powers
    total = dict(powers)
    for base, e in others:
        total[base] = total.get(base, 0) + sign * e
    return tuple(sorted((b, e) for b, e in total.items() if e))


def meet(form: Form, powers: Powers, c: Number) -> bool:
    """Add a term to a sum; whether it met its opposite there."""
    total = form.get(powers, 0) + c
    if total:
        form[powers] = total
        return False
    return form.pop(powers, None) is not None


def added(x: Form, y: Form, factor: Number = 1) -> Form:
    """`x + factor*y`, in which equal terms have met."""
    total = dict(x)
    for powers, c in y.items():
        meet(total, powers, factor * c)
    return total


def multiplied(x: Form, y: Form) -> Form:
    """The product of two sums, term by term."""
    total: Form = {}
    for p, c in x.items():
        for q, d in y.items():
            meet(total, times(p, q), c * d)
    return total


def _inverse(powers: Powers, c: Number) -> Form:
    return {times((), powers, -1): divided(1, c)}


def _ratio(x: Form, y: Form) -> Number:
    """How many times a sum is another, 0 if it is no multiple of it."""
    k = divided(next(iter(x.values())), next(iter(y.values()))) if x and y else 0
    return k if x == {powers: k * c for powers, c in y.items()} else 0


def common(products: Iterable[Powers]) -> Powers:
    """The factors that all products have, and the divisors."""
    first, *others = map(dict, products)
    for powers in others:
        both = {b: (e, powers[b]) for b, e in first.items() if e * powers.get(b, 0) > 0}
        first = {b: min(pair, key=abs) for b, pair in both.items()}
    return tuple(first.items())
