"""Exact coefficients: fractions, and linear forms of nodes with fractions before them.

That a leading coefficient of a series is zero is therefore known and not believed.
Where a form may be zero by an identity, as log(x) + log(1/x), sampling in 50 digits
decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gradc.analysis.digits import Digits
from gradc.ir import LAZY, Builder, Input, arguments
from gradc.spelling import function

if TYPE_CHECKING:
    from gradc.analysis.sampling import Values

Form = Mapping[int, Fraction]  # nodes with factors; the factor of ONE stands alone
Coefficient = Fraction | Form

ONE = -1
ZERO = Fraction(0)
NODES = 100  # of coefficients that one expansion may add
NUMBERS = 1_000  # more of those below which no input stands
LOST = 30  # digits that a sum of nothing loses
CLEAR = Fraction(1, 10**20)  # share of floats below which there is nothing but rounding
BITS = 4096  # of a fraction, beyond which an expansion is given up
_SIMPLE = frozenset({0.0, 0.5, -0.5, 1.0, -1.0})  # floats that a row takes exactly


_WAVES = {"sin": (0, 1, 0, -1), "cos": (1, 0, -1, 0), "tan": (0, None, 0, None)}


class NoExpansion(Exception):
    """A node has no power series at the center, or none that is known to be exact."""


class NoNumbers(NoExpansion):
    """A power series has coefficients that are no numbers, nor multiples of one node."""


class Coefficients:
    """Exact arithmetic on coefficients, whose nodes live in a builder."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._floats: dict[int, float] = {}
        self._most = len(builder) + NODES
        self._sampled: Sampled | None = None

    @cached_property
    def _digits(self) -> Digits:
        return Digits(self.builder)

    def of(self, position: int) -> Coefficient:
        """The coefficient that a node is.

        Raises:
            NoExpansion: it is not finite, or there are too many nodes by now.
        """
        more = len(self.builder) - self._most
        if more > 0 and (more > NUMBERS or math.isnan(self._float(position))):
            raise NoExpansion
        value = self.builder.value_of(position)
        if value is None:
            return {position: Fraction(1)}
        try:
            return Fraction(value)
        except (OverflowError, ValueError):
            raise NoExpansion from None

    def add(self, x: Coefficient, y: Coefficient) -> Coefficient:
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return x + y
        total = dict(_form(x))
        for node, factor in _form(y).items():
            total[node] = total.get(node, ZERO) + factor
        return _simplified(total)

    def scale(self, x: Coefficient, factor: Fraction) -> Coefficient:
        if isinstance(x, Fraction):
            return _checked(x * factor)
        return _simplified({node: f * factor for node, f in x.items()})

    def mul(self, x: Coefficient, y: Coefficient) -> Coefficient:
        if isinstance(x, Fraction):
            return self.scale(y, x)
        if isinstance(y, Fraction):
            return self.scale(x, y)
        (a, p), (b, q) = self._single(x), self._single(y)
        if a == b and (radicand := self._radicand(a)) is not None:
            return p * q * radicand
        return self.scale(self.of(self.builder.add("mul", a, b)), p * q)

    def div(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """The quotient.

        Raises:
            NoExpansion: the divisor is zero.
        """
        if self.is_zero(y):
            raise NoExpansion
        if isinstance(y, Fraction):
            return self.scale(x, 1 / y)
        if isinstance(x, Fraction) and not x:
            return x
        if x == y:
            return Fraction(1)
        (a, p), (b, q) = self._single(x), self._single(y)
        if a == b:
            return p / q
        if (radicand := self._radicand(b)) is not None:
            return self.scale(self.mul(x, y), 1 / (q * q * radicand))
        return self.scale(self.of(self._quotient(a, b)), p / q)

    def power(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """The power, exact for whole exponents of fractions.

        Raises:
            NoExpansion: it is not defined.
        """
        if x == 1 or y == 0:
            return Fraction(1)
        if y == 1:
            return x
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            if y.denominator == 1 and abs(y) <= BITS:
                if not x and y < 0:
                    raise NoExpansion
                return _checked(x**y.numerator)
        return self.call("pow", [x, y])

    def _radicand(self, i: int) -> Fraction | None:
        """The number of which a node is the root, if it is one."""
        op, *args = self.builder.nodes[i]
        value = self.builder.value_of(args[0]) if op == "sqrt" else None
        return None if value is None else Fraction(value)

    def _quotient(self, a: int, b: int) -> int:
        """The node a/b, a factor that both have in common left out."""
        op, *args = self.builder.nodes[a]
        if op == "mul" and b in args:
            return int(args[1 - args.index(b)])
        return self.builder.add("div", a, b)

    def _single(self, x: Coefficient) -> tuple[int, Fraction]:
        """A coefficient as one node and a factor, the same node for its multiples."""
        form, factor = direction(x)
        return self.node(form), factor

    def call(self, op: str, args: Sequence[Coefficient]) -> Coefficient:
        """What a row is at coefficients, exact if they are simple numbers.

        Raises:
            NoExpansion: it is not defined there.
        """
        if op in _WAVES and (exact := self._wave(op, args[0])) is not None:
            return exact
        positions = [self.node(x) for x in args]
        if op == "sqrt" and (root := self._root(*positions)) is not None:
            return self.of(root)
        if len(positions) == 1 and self.builder.ops[op].variadic:
            return self.of(self.builder.add(op, *positions))  # Python's max needs two
        values = [self.builder.value_of(a) for a in positions]
        if all(v is not None for v in values):
            try:
                found = function(self.builder.ops[op])(*values)
            except (ArithmeticError, ValueError, AttributeError):
                raise NoExpansion from None
            row = self.builder.ops[op]
            is_step = set(row.partials or (row.each,)) == {"0"}
            if is_step or found in _SIMPLE and all(v in _SIMPLE for v in values):
                return Fraction(found)
        if op == "log" and (beyond := self._beyond_one(*positions)) is not None:
            op, positions = "log1p", [beyond]
        position = self.builder.add(op, *positions)
        short = self._digits.short(position, self._float(position))
        return self.of(position) if short is None else short

    def _beyond_one(self, position: int) -> int | None:
        """The other term of a sum with 1, None if a node is none."""
        op, *args = self.builder.nodes[position]
        if op == "add":
            for one, other in (args, args[::-1]):
                if self.builder.value_of(one) == 1.0:
                    return int(other)
        if op == "sub" and self.builder.value_of(args[0]) == 1.0:
            return self.builder.add("neg", args[1])
        return None

    def _wave(self, op: str, x: Coefficient) -> Fraction | None:
        """A trigonometric function of a whole number of right angles."""
        if isinstance(x, Fraction) or len(x) != 1:
            return None
        ((node, factor),) = x.items()
        while (outer := self.builder.nodes[node])[0] in ("neg", "div"):
            below = -1.0 if outer[0] == "neg" else self.builder.value_of(outer[2])
            node, factor = outer[1], factor / Fraction(below or 1.0)
        angles = 2 * factor
        if angles.denominator != 1 or self.builder.nodes[node][0] != "pi":
            return None
        found = _WAVES[op][angles.numerator % 4]
        return None if found is None else Fraction(found)

    def _root(self, square: int) -> int | None:
        """The node of sqrt(x*x) or of sqrt(exp(x)), without the root."""
        op, *args = self.builder.nodes[square]
        if op == "exp":
            half = self.builder.add("mul", self.builder.const(0.5), args[0])
            return self.builder.add("exp", half)
        twice = op == "mul" and args[0] == args[1]
        if twice or op == "pow" and self.builder.value_of(args[1]) == 2.0:
            return self.builder.add("abs", args[0])
        return None

    def node(self, x: Coefficient) -> int:
        """The position of a coefficient's node."""
        builder = self.builder
        total = -1
        for node, factor in sorted(_form(x).items(), reverse=True):
            term = node
            if node == ONE or abs(factor) != 1:
                term = builder.const(rounded(abs(factor)))
                term = term if node == ONE else builder.add("mul", term, node)
            if total == -1:
                total = term if factor > 0 else builder.add("neg", term)
            else:
                total = builder.add("add" if factor > 0 else "sub", total, term)
        return builder.const(0.0) if total == -1 else total

    def number(self, x: Coefficient) -> Coefficient:
        """A coefficient as the number that it is, if no input stands below it."""
        if isinstance(x, Fraction):
            return x
        values = {n: 1.0 if n == ONE else self._float(n) for n in x}
        if not all(map(math.isfinite, values.values())):
            return x
        terms = [self._true(n, values[n]) * f for n, f in x.items()]
        total = sum(terms, ZERO)
        return total if abs(total) > CLEAR * max(map(abs, terms)) else ZERO

    def _true(self, node: int, value: float) -> Fraction:
        """A number as its digits say, 0 if a float of it is nothing but rounding."""
        found = None if node == ONE else self._digits.of(node)
        if found is None:
            return Fraction(value)
        true = Fraction(found)
        return true if abs(true) > CLEAR * Fraction(abs(value)) else ZERO

    def _float(self, position: int) -> float:
        """What Python computes for a node, NaN if that depends on an input."""
        stack = [position]
        while stack:
            op, *args = self.builder.nodes[stack[-1]]
            missing = [a for a in args if a not in self._floats]
            if op in ("const", "input") or op in LAZY or not missing:
                i = stack.pop()
                self._floats[i] = self._computed(op, args)
            else:
                stack += missing
        return self._floats[position]

    def _computed(self, op: str, args: Sequence[Any]) -> float:
        if op == "const":
            return float(args[0])
        if op == "input" or op in LAZY:
            return math.nan
        try:
            operands = [self._floats[a] for a in args]
            return float(function(self.builder.ops[op])(*operands))
        except (ArithmeticError, ValueError, TypeError, AttributeError):
            return math.nan

    def _is_nothing(self, x: Form, digits: int) -> bool | None:
        """Whether a number is what digits of it, or its terms, lose; None if it is none."""
        if any(n != ONE and not math.isfinite(self._float(n)) for n in x):
            return None
        terms, size = [], ZERO
        for node, factor in x.items():
            found = Decimal(1) if node == ONE else self._digits.of(node)
            if found is None:
                return None
            terms.append(Fraction(found) * factor)
            near = terms[-1] if node == ONE else Fraction(self._float(node)) * factor
            size = max(size, abs(near))
        return bool(abs(sum(terms, ZERO)) * 10**digits <= size)

    def is_zero(self, x: Coefficient, digits: int = LOST) -> bool:
        """Whether a coefficient is zero, exactly or in digits at sampled points."""
        if isinstance(x, Fraction):
            return not x
        if (known := self._is_nothing(x, digits)) is not None:
            return known
        if len(x) == 1:
            return False
        if self._sampled is None:
            self._sampled = Sampled(self.builder)
        return self._sampled.cancels(x, digits)


class Sampled:
    """The nodes of a builder in 50 digits at a few points."""

    def __init__(self, builder: Builder) -> None:
        from gradc.analysis import sampling  # loads `decimal`, which few formulas need

        self._sampling = sampling
        self._builder = builder
        names = [node[1] for node in builder.nodes if node[0] == "input"]
        inputs = [Input(name) for name in names]
        self._sample = sampling.Sample(inputs, builder.ops, principal=True)
        self._values: dict[int, Values] = {}

    def cancels(self, form: Form, digits: int) -> bool:
        """Whether the terms of a form sum to nothing in some digits."""
        found = 0
        with self._sampling.in_full():
            terms = [(self._at(n), f) for n, f in form.items() if n != ONE]
            for k in set.intersection(*(set(v.points) for v, _ in terms)):
                numerator, denominator = _parts(form.get(ONE, ZERO))
                total = size = Decimal(numerator) / denominator
                for values, factor in terms:
                    numerator, denominator = _parts(factor)
                    term = values.exact[k] * numerator / denominator
                    total += term
                    size = max(abs(size), abs(term))
                if not total.is_finite() or abs(total) > size.scaleb(-digits):
                    return False
                found += 1
        return found >= self._sampling.EVIDENCE

    def _at(self, position: int) -> Values:
        """The values of a node; those below it are computed first."""
        stack = [position]
        while stack:
            i = stack[-1]
            node = self._builder.nodes[i]
            args = arguments(node)
            missing = [a for a in args if a not in self._values]
            if missing:
                stack += missing
                continue
            stack.pop()
            if i not in self._values:
                values = [self._values[a] for a in args]
                self._values[i] = self._sample.values(node, values)
        return self._values[position]


def direction(x: Coefficient) -> tuple[Form, Fraction]:
    """A coefficient as a form and a factor, the same form for all its multiples."""
    form = _form(x)
    if not form:
        return form, ZERO
    first = form[min(form)]
    return {node: factor / first for node, factor in form.items()}, first


def rounded(x: Fraction) -> float:
    """The float next to a fraction.

    Raises:
        NoExpansion: it is too large.
    """
    try:
        return float(x)
    except OverflowError:
        raise NoExpansion from None


def _parts(x: Fraction) -> tuple[int, int]:
    return x.numerator, x.denominator


def _form(x: Coefficient) -> Form:
    if isinstance(x, Fraction):
        return {ONE: x} if x else {}
    return x


def _checked(x: Fraction) -> Fraction:
    if x.numerator.bit_length() + x.denominator.bit_length() > BITS:
        raise NoExpansion
    return x


def _simplified(total: dict[int, Fraction]) -> Coefficient:
    total = {node: factor for node, factor in total.items() if factor}
    if not total:
        return ZERO
    return total[ONE] if total.keys() == {ONE} else total
