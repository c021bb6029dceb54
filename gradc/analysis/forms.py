"""The n-ary view of arithmetic: a node as a sum of coefficients times powers.

`a - 2*(b - c)/d` is the form {a: 1, b/d: -2, c/d: 2}; what is no arithmetic is a base of
its own. Forms are for looking at a program: two spellings of one sum have one form. A
node that is shared opens only while it is small, so that all forms of a program
together stay linear in its size.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from gradc.ir import Builder, Node, arguments

Powers = tuple[tuple[int, int], ...]  # (base, exponent), by position of the base
Form = dict[Powers, float]  # a sum: the coefficient of each product of powers
Term = tuple[float, Powers]

SUMS = frozenset({"add", "sub"})
PRODUCTS = frozenset({"mul", "div", "neg"})
SHARED = 16  # terms or factors up to which a shared node is opened
TINY = 1e-3  # the share of a number that another one is not added to
HIGHEST = 4  # the largest constant exponent that a power opens for
NUMBER: Powers = ()


class Forms:
    """The forms of a growing program.

    `single` says which nodes have one reader; others open up to `shared` terms. If they
    are `sized`, u*sign(u) is abs(u) in them, which is added to the program.
    """

    def __init__(
        self,
        builder: Builder,
        single: Sequence[bool],
        shared: int = SHARED,
        sized: bool = False,
    ) -> None:
        self.builder = builder
        self.single = single
        self.shared = shared
        self.sized = sized
        self._widths: list[int] = []
        self._known: dict[int, Form] = {}
        self.vanishing: set[int] = set()  # sums in which terms have met their opposites

    def of(self, i: int) -> Form:
        """The form of a node."""
        found = self._known.get(i)
        if found is None:
            found = self._known[i] = self._sum(i)
        return found

    def node(self, form: Mapping[Powers, float]) -> int:
        """Write a form out; the terms that are added come first."""
        terms = [(c, powers) for powers, c in form.items() if c != 0.0]
        terms.sort(key=lambda term: term[0] < 0.0)
        total = -1
        for c, powers in terms:
            op = "add"
            if total >= 0 and c < 0.0:
                op, c = "sub", -c
            term = self.product(c, powers)
            total = term if total < 0 else self.builder.add(op, total, term)
        return self.builder.const(0.0) if total < 0 else total

    def product(self, coefficient: float, powers: Powers) -> int:
        """Write one term out, its negative powers as one quotient."""
        builder = self.builder
        above = self._multiplied([(b, e) for b, e in powers if e > 0])
        below = self._multiplied([(b, -e) for b, e in powers if e < 0])
        inverse = over(1.0, coefficient)
        if above >= 0 and abs(inverse) > 1.0 and inverse.is_integer():
            whole = self._const(inverse)
            below = whole if below < 0 else builder.add("mul", whole, below)
        elif above < 0:
            above = self._const(coefficient)
        elif coefficient == -1.0:
            above = builder.add("neg", above)
        elif coefficient != 1.0:
            above = builder.add("mul", self._const(coefficient), above)
        return above if below < 0 else builder.add("div", above, below)

    def _const(self, coefficient: float) -> int:
        return self.builder.const(coefficient)

    def _multiplied(self, powers: Sequence[tuple[int, int]]) -> int:
        total = -1
        for base, e in powers:
            if e > 1:
                base = self.builder.add("pow", base, self.builder.const(e))
            total = base if total < 0 else self.builder.add("mul", total, base)
        return total

    def _sum(self, root: int) -> Form:
        form: Form = {}
        stack = [(root, 1.0)]
        while stack:
            i, c = stack.pop()
            node = self.builder.nodes[i]
            if node[0] in SUMS and (i == root or self._opens(i)):
                stack.append((node[2], c if node[0] == "add" else -c))
                stack.append((node[1], c))
                continue
            factor, powers = self.factors(i)
            if len(powers) == 1 and powers[0][1] == 1 and powers[0][0] != i:
                base = powers[0][0]
                if self.builder.nodes[base][0] in SUMS and self._opens(base):
                    stack.append((base, scaled(c, factor)))
                    continue
            if powers == NUMBER:
                self._meet_number(form, scaled(c, factor))
            elif meet(form, powers, scaled(c, factor)):
                self.vanishing.add(root)
        return form

    def _meet_number(self, form: Form, c: float) -> None:
        """Add a number to a sum, a tiny one as a term of its own: 1 - x^2 + 1e-12."""
        known = form.get(NUMBER, 0.0)
        small, large = sorted((c, known), key=abs)
        if 0.0 < abs(small) < TINY * abs(large):
            form[NUMBER] = large
            meet(form, ((self.builder.const(small), 1),), 1.0)
        else:
            meet(form, NUMBER, c)

    def factors(self, root: int) -> Term:
        """A node as one product."""
        coefficient, powers = self._opened(root)
        if self.sized:
            coefficient *= self._with_sizes(powers)
        return coefficient, tuple(sorted((b, e) for b, e in powers.items() if e))

    def _with_sizes(self, powers: dict[int, int]) -> float:
        """Let signs in a product meet what they are of; the number that is left."""
        factor = 1.0
        for i in [b for b in powers if self.builder.nodes[b][0] == "sign"]:
            base = self.builder.nodes[i][1]
            c, inside = self._opened(base)
            met = bool(inside) and all(_has(powers, b, e) for b, e in inside.items())
            if met and powers[i] == 1:
                size = self.builder.add("abs", base)
                for b, e in [(i, 1), *inside.items(), (size, -1)]:
                    powers[b] = powers.get(b, 0) - e
                factor /= c
        return factor

    def _opened(self, root: int) -> tuple[float, dict[int, int]]:
        """The coefficient and the factors of a product."""
        coefficient = 1.0
        powers: dict[int, int] = {}
        stack = [(root, 1)]
        nodes = self.builder.nodes
        while stack:
            i, e = stack.pop()
            node = nodes[i]
            op = node[0]
            if i != root and op in PRODUCTS and not self._opens(i):
                op = ""
            if op == "const" and node[1] == 0.0 and e > 0:
                return 0.0, {}
            if op == "const" and (c := _scaled(coefficient, node[1], e)):
                coefficient = c
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
        return coefficient, powers

    def has_one_reader(self, i: int) -> bool:
        """Whether a node is known to be read once."""
        return i < len(self.single) and self.single[i]

    def exponent(self, node: Node) -> int:
        """The exponent of a power that opens, 0 of any other."""
        value = self.builder.value_of(node[2])
        if value is None or abs(value) > HIGHEST or value != int(value):
            return 0
        return int(value)

    def _opens(self, i: int) -> bool:
        return self.has_one_reader(i) or self._width(i) <= self.shared

    def _width(self, i: int) -> int:
        """How many leaves the node's own kind of arithmetic has, if all is opened."""
        widths, nodes = self._widths, self.builder.nodes
        for node in nodes[len(widths) : i + 1]:
            kind = _kind(node)
            inner = [a for a in arguments(node) if kind and _kind(nodes[a]) == kind]
            leaves = len(arguments(node)) - len(inner)
            widths.append(min(sum(widths[a] for a in inner) + leaves, 10**6))
        return widths[i]


def _has(powers: Mapping[int, int], base: int, exponent: int) -> bool:
    """Whether a power is a factor of some."""
    have = powers.get(base, 0)
    return have * exponent > 0 and abs(have) >= abs(exponent)


def _kind(node: Node) -> str:
    return "sum" if node[0] in SUMS else "product" if node[0] in PRODUCTS else ""


def _scaled(coefficient: float, value: float, exponent: int) -> float:
    """`coefficient * value^exponent`, 0.0 if that is no ordinary number."""
    if value == 0.0 or not math.isfinite(value):
        return 0.0
    if abs(exponent * math.log2(abs(value))) > 900.0:
        return 0.0
    factor = value if exponent == 1 else power(value, exponent)
    product = scaled(coefficient, factor)
    return product if 1e-290 < abs(product) < 1e290 else 0.0


def times(powers: Powers, others: Powers, sign: int = 1) -> Powers:
    """The product of two products, or with -1 their quotient."""
    if not others:
        return powers
    total = dict(powers)
    for base, e in others:
        total[base] = total.get(base, 0) + sign * e
    return tuple(sorted((b, e) for b, e in total.items() if e))


def root(powers: Powers, degree: int) -> Powers | None:
    """The product whose power `degree` this is."""
    if any(e % degree for _, e in powers):
        return None
    return tuple((b, e // degree) for b, e in powers)


def meet(form: Form, powers: Powers, c: float) -> bool:
    """Add a term to a sum; whether it met its opposite there."""
    total = plus(form.get(powers, 0.0), c)
    if total:
        form[powers] = total
        return False
    return form.pop(powers, None) is not None


def added(x: Form, y: Form, factor: float = 1.0) -> Form:
    """`x + factor*y`, in which equal terms have met."""
    total = dict(x)
    for powers, c in y.items():
        meet(total, powers, scaled(factor, c))
    return total


def multiplied(x: Form, y: Form) -> Form:
    """The product of two sums, term by term."""
    total: Form = {}
    for p, c in x.items():
        for q, d in y.items():
            meet(total, times(p, q), scaled(c, d))
    return total


def plus(x: float, y: float) -> float:
    """The sum of two coefficients."""
    return x + y


def scaled(x: float, y: float) -> float:
    """The product of two coefficients."""
    return x * y


def over(x: float, y: float) -> float:
    """The quotient of two coefficients."""
    return x / y


def power(x: float, exponent: int) -> float:
    """A whole power of a coefficient."""
    try:
        return float(x**exponent)
    except OverflowError:
        return math.inf


def square_root(x: float) -> float | None:
    """The root of a positive number that is the square of a fraction."""
    ratio = Fraction(x)
    above, below = map(math.isqrt, ratio.as_integer_ratio())
    root = Fraction(above, below)
    return float(root) if root * root == ratio else None
