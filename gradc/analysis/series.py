"""Taylor and Laurent expansions of a program's nodes, derived from the table.

Every node is a power series in h = u - c, where the node u, the base, is free and all
else is fixed. Sums, products, quotients and powers have the recurrences of Taylor
arithmetic (Moore, Methods and applications of interval analysis, 1979; Griewank and
Walther, Evaluating derivatives, 2008). Any other row follows from its partials, by

    f(a, b)' = f_a(a, b)*a' + f_b(a, b)*b'

read coefficient by coefficient, the partials being nodes that are expanded in their
turn. Series are lazy, so rows that define each other, as sine and cosine do, need no
special care.

Where a root begins, as sqrt(u) and acos(1 - u) do at 0, there are series in h for
u = c + h^2 or u = c - h^2, with h > 0: those of Puiseux. If only even powers of h occur
in one, it is a power series in u - c.

A coefficient is a fraction, or a sum of products of nodes that do not depend on the base:

    coefficient := fraction | {product: fraction, ...}
    product     := ((node, whole exponent), ...)

That it is zero is therefore known and not believed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from gradc.arithmetic import FLOATS
from gradc.calculus import meaning_template, partial_template
from gradc.ir import COMPARISONS, CONDITIONS, Builder, arguments
from gradc.ops import Op

Product = tuple[tuple[int, int], ...]
Terms = dict[Product, Fraction]
Coefficient = Fraction | Terms

ZERO, ONE = Fraction(0), Fraction(1)
BITS = 4096  # of a fraction, beyond which an expansion is given up
SIMPLE = frozenset({0.0, 0.5, -0.5, 1.0, -1.0})  # floats that a row takes exactly
POWER = 8  # exponent up to which a power is a product
MOST = 24  # terms of a coefficient
PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494459")
EXACT = frozenset({"pi", "sqrt"})  # numbers that have as many digits
WAVES = {"sin": (0, 1, 0, -1), "cos": (1, 0, -1, 0)}  # at right angles
ORDERS = 12  # leading coefficients that may vanish
ALIKE = 8  # coefficients in which series agree that are one function
NODES = 400  # that one expansion may add
HALF = Fraction(1, 2)
PRODUCTS = frozenset({"neg", "mul", "div", "pow"})  # of what is fixed
# Rows that have no series at their kinks, which their partials tell; others may jump.
KINKED = frozenset("sqrt cbrt asin acos acosh hypot relu fdim clip xlogy".split())


class NoExpansion(Exception):
    """A node has no power series at the center, or none that can be written."""


class Coefficients:
    """Arithmetic on coefficients, whose nodes live in a builder.

    All methods raise NoExpansion for what is not defined, or too long.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._values: dict[int, Fraction] = {}  # of nodes below which no input stands

    def of(self, i: int) -> Coefficient:
        """The coefficient that a node is."""
        value = self.builder.value_of(i)
        if value is None:
            return {((i, 1),): ONE}
        try:
            return Fraction(value)
        except (OverflowError, ValueError):
            raise NoExpansion from None

    def add(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A sum."""
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return x + y
        total = dict(terms(x))
        for product, factor in terms(y).items():
            total[product] = total.get(product, ZERO) + factor
        return _simplified(total)

    def mul(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A product."""
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return _simplified({(): x * y})
        total: Terms = {}
        for p, a in terms(x).items():
            for q, b in terms(y).items():
                product = times(p, q)
                total[product] = total.get(product, ZERO) + a * b
        return _simplified(total)

    def div(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A quotient; the divisor is no sum, which might be zero."""
        if not y or isinstance(y, dict) and len(y) > 1:
            raise NoExpansion
        ((q, b),) = terms(y).items()
        return self.mul(x, {times((), q, -1): 1 / b})

    def power(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A power, a product if the exponent is whole and small."""
        if not isinstance(y, Fraction) or y.denominator != 1 or abs(y) > POWER:
            return ONE if x == 1 else self.call("pow", [x, y])
        found: Coefficient = ONE
        for _ in range(abs(y.numerator)):
            found = self.mul(found, x)
        return found if y >= 0 else self.div(ONE, found)

    def call(self, op: str, args: Sequence[Coefficient]) -> Coefficient:
        """What a row is at coefficients: a simple number, or a node."""
        if op in WAVES and isinstance(args[0], dict) and len(args[0]) == 1:
            ((product, factor),) = args[0].items()
            (leaf, exponent), *others = product
            angles = 2 * factor
            if self.builder.nodes[leaf] == ("pi",) and exponent == 1 and not others:
                if angles.denominator == 1:
                    return Fraction(WAVES[op][angles.numerator % 4])
        given = [self.value(a) for a in args]
        node, value = self.builder.add(op, *map(self.node, args)), None
        if None not in given:
            value = self._computed(op, [Fraction(x or 0) for x in given])
            simple = [a for a in args if isinstance(a, Fraction) and a in SIMPLE]
            if value in SIMPLE and args and len(simple) == len(args):
                return value
            self._values[node] = value
        return self.of(node)

    def _computed(self, op: str, args: Sequence[Fraction]) -> Fraction:
        """A row of numbers as floats have it, but that of pi and roots has more digits."""
        if op == "pi":
            return PI
        try:
            if op == "sqrt":
                return Fraction(math.isqrt(int(args[0] * 10**120)), 10**60)
            ops = self.builder.ops
            return Fraction(FLOATS.compute(ops[op], ops)(*map(float, args)))
        except (ArithmeticError, ValueError, TypeError, AttributeError):
            raise NoExpansion from None

    def value(self, x: Coefficient) -> Fraction | None:
        """What a coefficient is if no input stands below it."""
        total = ZERO
        for product, factor in terms(x).items():
            for leaf, exponent in product:
                if not self._values.get(leaf):
                    return None
                factor *= self._values[leaf] ** exponent
            total += factor
        return total

    def numbers(self, x: Coefficient) -> Terms:
        """The terms of a coefficient, nodes that are numbers being these.

        It is no sum that cancels, for floats cannot tell whether that is zero.
        """
        total: Terms = {}
        for product, factor in terms(x).items():
            fixed = tuple(p for p in product if p[0] in self._values)
            kept = tuple(p for p in product if p not in fixed)
            part = self.value({fixed: factor}) or ZERO
            total[kept] = total.get(kept, ZERO) + part
            ops = {self.builder.nodes[leaf][0] for leaf, _ in fixed}
            if not ops <= EXACT and abs(total[kept]) < abs(part) / 1000:
                raise NoExpansion
        return total

    def node(self, x: Coefficient) -> int:
        """The position of a coefficient's node."""
        builder, total = self.builder, -1
        for product, factor in sorted(terms(x or {(): ZERO}).items(), reverse=True):
            size = builder.const(rounded(abs(factor)))
            term = written(builder, product, size)
            if total == -1:
                total = builder.add("neg", term) if factor < 0 else term
            else:
                total = builder.add("sub" if factor < 0 else "add", total, term)
        return total


def terms(x: Coefficient) -> Terms:
    """The terms of a coefficient."""
    return x if isinstance(x, dict) else {(): x}


def times(p: Product, q: Product, exponent: int | Fraction = 1) -> Product:
    """A product times a power of another."""
    if not q:
        return p
    found: dict[int, Any] = dict(p)
    for leaf, power in q:
        found[leaf] = found.get(leaf, 0) + exponent * power
    return tuple(sorted((leaf, e) for leaf, e in found.items() if e))


def written(builder: Builder, product: Product, factor: int) -> int:
    """Add a node times a product of powers, as a quotient if some are negative."""
    parts = [factor, builder.const(1.0)]
    for leaf, exponent in product:
        for _ in range(abs(exponent)):
            part = parts[exponent < 0]
            is_one = builder.value_of(part) == 1.0
            parts[exponent < 0] = leaf if is_one else builder.add("mul", part, leaf)
    is_whole = builder.value_of(parts[1]) == 1.0
    return parts[0] if is_whole else builder.add("div", *parts)


def rounded(x: Fraction) -> float:
    """The float next to a fraction, unless it is too large."""
    try:
        return float(x)
    except OverflowError:
        raise NoExpansion from None


def _simplified(total: Terms) -> Coefficient:
    """A sum without the terms that are zero, if it is short."""
    total = {product: factor for product, factor in total.items() if factor}
    if len(total) > MOST:
        raise NoExpansion
    for x in total.values():
        if x.numerator.bit_length() + x.denominator.bit_length() > BITS:
            raise NoExpansion
    if not total:
        return ZERO
    return total[()] if total.keys() == {()} else total


class Series:
    """The coefficients of h^low, h^(low+1), ..., computed as they are asked for."""

    def __init__(self, rule: Callable[[int], Coefficient], low: int = 0) -> None:
        self.low = low
        self.is_constant = False  # known to have no power of h but the zeroth
        self._rule = rule
        self._known: list[Coefficient] = []
        self._busy = False

    def __getitem__(self, power: int) -> Coefficient:
        if power < self.low:
            return ZERO
        while len(self._known) <= power - self.low:
            if self._busy:  # a row at a singular point defines itself by itself
                raise NoExpansion
            self._busy = True
            try:
                self._known.append(self._rule(self.low + len(self._known)))
            finally:
                self._busy = False
        return self._known[power - self.low]

    def order(self) -> int:
        """The power with which the series begins.

        Raises:
            NoExpansion: it vanishes, or seems to.
        """
        for k in range(self.low, self.low + ORDERS + 1):
            if self[k]:
                return k
        raise NoExpansion


def constant(value: Coefficient) -> Series:
    """The series of what does not depend on h."""
    series = polynomial([value])
    series.is_constant = True
    return series


def polynomial(values: Sequence[Coefficient]) -> Series:
    """A series that ends."""
    return Series(lambda k: values[k] if k < len(values) else ZERO)


class Expansion:
    """The series of a builder's nodes around a center of one of them, the base.

    `decided` are the conditions that chose a side because of what they are near the
    center; the series hold where they say the same.

    Arguments:
        side: 0 if the base is c + h; 1 or -1 if it is c + h^2 or c - h^2 with h > 0.
    """

    def __init__(self, builder: Builder, base: int, center: int, side: int = 0) -> None:
        self.builder = builder
        self.coefficients = Coefficients(builder)
        self.base = base
        self.center = center
        self.side = side
        self.decided: dict[int, bool] = {}
        self._series: dict[int, Series | None] = {}
        self._truth: dict[int, bool | None] = {}
        self._kinds: list[int] = []
        self._written = len(builder)
        start = [self.series(center)[0], *([ZERO, Fraction(side)] if side else [ONE])]
        self._series[base] = polynomial(start)

    def kind(self, i: int) -> int:
        """2 if the base lies below a node, 1 if only other inputs do, 0 for a number."""
        known = self._kinds
        for k in range(len(known), len(self.builder)):
            node = self.builder.nodes[k]
            below = max([known[a] for a in arguments(node)], default=0)
            known.append(2 if k == self.base else below or node[0] == "input")
        return known[i]

    def series(self, position: int) -> Series:
        """The series of a node, what lies below it being expanded first.

        Raises:
            NoExpansion: there is none.
        """
        stack = [position]
        while stack:
            i = stack[-1]
            node = self.builder.nodes[i]
            opened = node[0] in PRODUCTS or self.kind(i) != 1
            missing = [a for a in arguments(node) if not self._is_known(a)]
            if missing and opened and not self._is_known(i):
                stack += missing
                continue
            stack.pop()
            if not self._is_known(i):
                try:
                    self._expand(i)
                except NoExpansion:
                    self._series[i] = None  # it may stand on a side that is not taken
        return self._at(position)

    def _is_known(self, i: int) -> bool:
        return i in self._series or i in self._truth

    def _at(self, i: int) -> Series:
        found = self._series.get(i)
        if found is None:
            raise NoExpansion
        return found

    def _expand(self, i: int) -> None:
        op, *args = self.builder.nodes[i]
        if len(self.builder) > self._written + NODES:
            raise NoExpansion
        if op in CONDITIONS:
            self._truth[i] = self._condition(op, args) if self.kind(i) == 2 else None
        elif op in ("const", "input") or self.kind(i) == 1 and op not in PRODUCTS:
            self._series[i] = constant(self.coefficients.of(i))
        elif op in _RECURRENCES:
            self._series[i] = self._arithmetic(op, args)
        elif not self.kind(i):
            given = [self._at(a)[0] for a in args]
            self._series[i] = constant(self._value(self.builder.ops[op], given))
        elif op == "where":
            self._series[i] = self._chosen(*args)
        elif op == "abs":
            self._series[i] = self._size(*args)
        else:
            self._series[i] = self._row(op, args)

    # ---- conditions, which must hold on both sides of the center

    def _condition(self, op: str, args: Sequence[int]) -> bool | None:
        """Whether a condition holds near the center; None if a node decides that.

        Raises:
            NoExpansion: it changes at the center.
        """
        if op in COMPARISONS:
            return self._compared(op, _sub(self, *[self._at(a) for a in args]))
        if any(a not in self._truth for a in args):
            raise NoExpansion
        truths = [self._truth[a] for a in args]
        if op == "not":
            return None if truths[0] is None else not truths[0]
        if (op == "or") in truths:
            return op == "or"
        return None if None in truths else op == "and"

    def _compared(self, op: str, difference: Series) -> bool | None:
        order = 0 if difference.is_constant else _regular(difference).order()
        first = difference[order]
        if order and not (self.side and isinstance(first, Fraction)):
            raise NoExpansion
        if isinstance(first, Fraction):
            return COMPARISONS[op](float(first > 0) - float(first < 0), 0.0)
        if op in ("eq", "ne"):
            return op == "ne"  # of different forms, but for a few points
        return None

    def _chosen(self, condition: int, yes: int, no: int) -> Series:
        """The side that is taken, or either if both are the same function."""
        if condition not in self._truth:
            raise NoExpansion
        op = self.builder.nodes[condition][0]
        truth = self._truth[condition]
        if not self._agree(yes, no):
            if truth is None:
                raise NoExpansion
            if op != "eq" or condition < self._written:  # not that of a row's partial
                self.decided[condition] = truth
        return self._at(no if truth is False else yes)

    def _agree(self, i: int, j: int) -> bool:
        """Whether two nodes are the same function, as far as their series begin."""
        c = self.coefficients
        try:
            x, y = self._at(i), self._at(j)
            powers = range(min(x.low, y.low), ALIKE)
            return not any(c.add(x[k], c.mul(y[k], -ONE)) for k in powers)
        except NoExpansion:
            return False

    def _size(self, i: int) -> Series:
        """The size of a node: it or its opposite, or nothing but that it vanishes."""
        x = _regular(self._at(i))
        order = 0 if x.is_constant else x.order()
        first = x[order]
        if order and not self.side:
            return Series(partial(_folded, order))
        if not isinstance(first, Fraction):
            raise NoExpansion
        self.decided[self.builder.add("ge", i, self.builder.const(0.0))] = first > 0
        return x if first > 0 else _neg(self, x)

    # ---- what a row does to series

    def _arithmetic(self, op: str, args: Sequence[int]) -> Series:
        given = [self._at(a) for a in args]
        if op == "pow" and self.kind(args[1]) == 2:
            return self._power(*args)
        found = _RECURRENCES[op](self, *given)
        return constant(found[0]) if all(a.is_constant for a in given) else found

    def _power(self, base: int, exponent: int) -> Series:
        """A power of any exponent, by z' = z*(y*log(x))'."""
        c, builder = self.coefficients, self.builder
        x, y = self._at(base), self._at(exponent)
        product = builder.add("mul", exponent, builder.add("log", base))
        log = _regular(self.series(product))

        def rule(k: int) -> Coefficient:
            if k == 0:  # where the exponent has a pole, the base is 1 at the center
                return c.call("exp", [log[0]]) if y.low < 0 else c.power(x[0], y[0])
            total: Coefficient = ZERO
            for i in range(1, k + 1):
                slope = c.mul(log[i], Fraction(i, k))
                total = c.add(total, c.mul(slope, power[k - i]))
            return total

        power = Series(rule)
        return power

    def _row(self, op: str, args: Sequence[int]) -> Series:
        """A row by its partials, or by what it means."""
        builder, row = self.builder, self.builder.ops[op]
        if row.kinks is not None and op not in KINKED:
            raise NoExpansion
        if op == "sqrt" and self.side and not _regular(self._at(args[0]))[0]:
            return _pow(self, self._at(args[0]), constant(HALF))
        if row.partials is not None or row.each is not None:
            return self._integral(row, args)
        if row.means is None:
            raise NoExpansion
        return self.series(meaning_template(row, builder.ops).build(builder, args))

    def _integral(self, row: Op, args: Sequence[int]) -> Series:
        """The series whose derivative the partials give."""
        c, given = self.coefficients, [_regular(self._at(a)) for a in args]
        varying = [j for j, a in enumerate(given) if not a.is_constant]
        slopes: dict[int, Series] = {}

        def rule(k: int) -> Coefficient:
            if k == 0:
                return self._value(row, [a[0] for a in given])
            for j in varying:
                if j not in slopes:
                    slopes[j] = self._partial(row, j, args)
            poles = min((0, *(x.low for x in slopes.values())))
            if k == 1 and any(slope(m) for m in range(poles, 0)):
                raise NoExpansion
            return c.mul(slope(k - 1), Fraction(1, k))

        def slope(k: int) -> Coefficient:
            total: Coefficient = ZERO
            for j, x in slopes.items():
                for i in range(1, k - x.low + 2):
                    if given[j][i]:
                        step = c.mul(given[j][i], Fraction(i))
                        total = c.add(total, c.mul(step, x[k + 1 - i]))
            return total

        return Series(rule)

    def _value(self, row: Op, args: Sequence[Coefficient]) -> Coefficient:
        """What a row is at coefficients, of fractions as it is meant."""
        if row.means is not None and all(isinstance(a, Fraction) for a in args):
            given = [*map(self.coefficients.node, args)]
            meaning = meaning_template(row, self.builder.ops)
            return self.series(meaning.build(self.builder, given))[0]
        return self.coefficients.call(row.name, args)

    def _partial(self, row: Op, j: int, args: Sequence[int]) -> Series:
        text = partial_template(row, j, len(args), self.builder.ops)
        if text is None:
            raise NoExpansion
        before = dict(self.decided)
        found = self.series(text.build(self.builder, args, j))
        if row.kinks is None:
            self.decided = before  # its conditions choose between spellings
        return found


def _folded(order: int, k: int) -> Coefficient:
    """The coefficients of the size of what vanishes."""
    if k >= order:
        raise NoExpansion
    return ZERO


def _regular(series: Series) -> Series:
    """A series without negative powers, as the argument of a row must be."""
    if any(series[k] for k in range(series.low, 0)):
        raise NoExpansion
    return series


# ---- the recurrences of Taylor arithmetic


def _neg(expansion: Expansion, x: Series) -> Series:
    mul = expansion.coefficients.mul
    return Series(lambda k: mul(x[k], -ONE), x.low)


def _add(expansion: Expansion, x: Series, y: Series) -> Series:
    add = expansion.coefficients.add
    found = Series(lambda k: add(x[k], y[k]), min(x.low, y.low))
    found.is_constant = x.is_constant and y.is_constant
    return found


def _sub(expansion: Expansion, x: Series, y: Series) -> Series:
    return _add(expansion, x, _neg(expansion, y))


def _mul(expansion: Expansion, x: Series, y: Series) -> Series:
    c = expansion.coefficients

    def rule(k: int) -> Coefficient:
        total: Coefficient = ZERO
        for i in range(x.low, k - y.low + 1):
            if x[i]:
                total = c.add(total, c.mul(x[i], y[k - i]))
        return total

    return Series(rule, x.low + y.low)


def _div(expansion: Expansion, x: Series, y: Series) -> Series:
    c = expansion.coefficients
    order = y.order()
    low = x.low - order

    def rule(k: int) -> Coefficient:
        total = x[k + order]
        for i in range(1, k - low + 1):
            if y[order + i]:
                term = c.mul(y[order + i], quotient[k - i])
                total = c.add(total, c.mul(term, -ONE))
        return c.div(total, y[order])

    quotient = Series(rule, low)
    return quotient


def _pow(expansion: Expansion, x: Series, y: Series) -> Series:
    c, p = expansion.coefficients, y[0]
    order = x.order()
    whole = isinstance(p, Fraction) and p.denominator == 1
    first = order * p if isinstance(p, Fraction) else ZERO
    if order and not (whole or expansion.side and first.denominator == 1):
        raise NoExpansion
    low = int(first)
    start = c.call("sqrt", [x[order]]) if p == HALF else c.power(x[order], p)

    def rule(k: int) -> Coefficient:
        n = k - low
        total: Coefficient = ZERO
        for j in range(1, n + 1):
            if x[order + j]:
                factor = c.add(c.mul(p, Fraction(j)), Fraction(j - n))
                term = c.mul(c.mul(factor, x[order + j]), power[k - j])
                total = c.add(total, term)
        return c.div(c.mul(total, Fraction(1, n)), x[order]) if n else start

    power = Series(rule, low)
    return power


_RECURRENCES: Mapping[str, Callable[..., Series]] = {
    "neg": _neg,
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "pow": _pow,
}
