"""Laurent series of a program's nodes around a point, derived from the table.

Every node is a power series in h = u - c, where the node u, the base, is free and all
else is fixed. Sums, products, quotients and powers have the recurrences of Taylor
arithmetic (Moore, Methods and applications of interval analysis, 1979; Griewank and
Walther, Evaluating derivatives, 2008). Any other row follows from its partials, by

    f(a, b)' = f_a(a, b)*a' + f_b(a, b)*b'

read coefficient by coefficient, the partials being nodes that are expanded in their
turn. Series are lazy, so rows that define each other, as sine and cosine do, need no
special care.

A coefficient is a sum of numbers times products of nodes that do not depend on the base.
The numbers have 100 digits, and what cancels in 50 of them is 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Context, Decimal
from functools import reduce
from itertools import product
from math import isfinite, perm
from typing import Any

from gradc.analysis.forms import Powers, exact, summed, times
from gradc.calculus import meaning_template, partial_template
from gradc.ir import ARITHMETIC, COMPARISONS, CONDITIONS, Builder, arguments, below
from gradc.ops import Op
from gradc.run import FLOATS

FINE = Context(prec=100)  # in which series are computed
NAN = Decimal("nan")  # what is not known in 100 digits
NOTHING = Decimal("1e-50")  # what is left of a sum that is 0
SIMPLE = frozenset({0.0, 0.5, -0.5, 1.0, -1.0})  # floats that a row takes exactly
QUOTIENTS = frozenset({"sinc"})  # rows whose slope is a few terms where that is 0/0
POWER = 8  # exponent up to which a power is a product
ALIKE = 8  # coefficients in which series agree that are one function
LONGEST = 32  # products in a coefficient
ORDERS = 30  # leading coefficients that may vanish
NODES = 1500  # that one expansion may add
PRODUCTS = frozenset({"neg", "mul", "div"})  # of what is fixed
OPERATORS: Mapping[str, Callable[..., Any]] = {**ARITHMETIC, "neg": operator.neg}
# Rows that have no series at their kinks, which their partials tell; others may jump.
KINKED = frozenset("sqrt cbrt asin acos acosh hypot lambertw boxcox powrel".split())


class NoExpansion(ArithmeticError):
    """A node has no power series at the center, or none that can be written."""


class Coefficient(dict[Powers, Decimal]):
    """A sum of numbers times products of nodes that are fixed; 0 if it is empty."""

    @property
    def number(self) -> Decimal | None:
        """What it is if no product stands in it."""
        return self.get((), Decimal(0)) if self.keys() <= {()} else None

    def __neg__(self) -> Coefficient:
        return Coefficient({p: -x for p, x in self.items()})

    def __add__(self, other: Coefficient) -> Coefficient:
        return total((self, other))

    def __sub__(self, other: Coefficient) -> Coefficient:
        return self + -other

    def __mul__(self, other: Coefficient) -> Coefficient:
        pairs = product(self.items(), other.items())
        return total(Coefficient({times(p, q): x * y}) for (p, x), (q, y) in pairs)

    def __truediv__(self, other: Coefficient) -> Coefficient:
        if len(other) != 1:
            raise NoExpansion  # a sum might be zero
        ((q, y),) = other.items()
        return self * Coefficient({times((), q, -1): 1 / y})


def number(x: Decimal | int) -> Coefficient:
    """A coefficient that is a number.

    Raises:
        NoExpansion: floats have none of its size.
    """
    if not isfinite(float(x)):
        raise NoExpansion
    return Coefficient({(): Decimal(x)} if x else {})


ZERO, ONE = number(0), number(1)


def total(found: Iterable[Coefficient]) -> Coefficient:
    """A sum, in which like products are added; what cancels in 50 digits is 0."""
    sums: dict[Powers, Decimal] = {}
    sizes: dict[Powers, Decimal] = {}
    for coefficient in found:
        for p, x in coefficient.items():
            sums[p] = sums.get(p, 0) + x
            sizes[p] = max(sizes.get(p, Decimal(0)), abs(x))
    kept = {p: x for p, x in sums.items() if abs(x) > NOTHING * sizes[p]}
    if len(kept) > LONGEST:
        raise NoExpansion
    return Coefficient(kept)


class Series:
    """The coefficients of h^low, h^(low+1), ..., computed as they are asked for."""

    def __init__(self, rule: Callable[[int], Coefficient], low: int = 0) -> None:
        self.low = low
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
            except RecursionError:  # from order to order of a Bessel function
                raise NoExpansion from None
            finally:
                self._busy = False
        return self._known[power - self.low]

    def __neg__(self) -> Series:
        return Series(lambda k: -self[k], self.low)

    def __add__(self, other: Series) -> Series:
        return Series(lambda k: self[k] + other[k], min(self.low, other.low))

    def __sub__(self, other: Series) -> Series:
        return self + -other

    def __mul__(self, other: Series) -> Series:
        def rule(k: int) -> Coefficient:
            powers = range(self.low, k - other.low + 1)
            return total(self[i] * other[k - i] for i in powers if self[i])

        return Series(rule, self.low + other.low)

    def halved(self, side: int) -> Series:
        """A series in h as one in side*h^2."""

        def rule(k: int) -> Coefficient:
            if self[2 * k + 1]:
                raise NoExpansion
            return -self[2 * k] if k % 2 and side < 0 else self[2 * k]

        return Series(rule, self.low // 2)

    def order(self) -> int:
        """The power with which the series begins.

        Raises:
            NoExpansion: it vanishes, or seems to.
        """
        for k in range(self.low, self.low + ORDERS + 1):
            if self[k]:
                return k
        raise NoExpansion

    def leading(self) -> Decimal:
        """The first coefficient, which is a number."""
        found = self[self.order()].number
        if found is None:
            raise NoExpansion
        return found

    def regular(self) -> Series:
        """The series itself, if it has no negative powers: the argument of a row."""
        if any(self[k] for k in range(self.low, 0)):
            raise NoExpansion
        return self


def polynomial(*values: Coefficient) -> Series:
    """A series that ends."""
    return Series(lambda k: values[k] if k < len(values) else ZERO)


class Expansion:
    """The series of a builder's nodes around a center of one of them, the base.

    Arguments:
        side: 0 if the base is c + h; 1 or -1 if it is c + h^2 or c - h^2 with h > 0, in
            which a root that begins there has a series, that of Puiseux.
        own: the number of nodes that the formula has; the others are the compiler's.
    """

    def __init__(
        self, builder: Builder, base: int, center: int, side: int, own: int
    ) -> None:
        self.builder, self.base, self.center, self.side = builder, base, center, side
        self._own = own
        self._most = len(builder) + NODES
        self._varying = {base}
        self.sides: dict[int, int] = {}  # what holds near the center, by the `where`
        self._series: dict[int, Series | None] = {}  # of a condition None
        distance = (ZERO, number(side)) if side else (ONE,)
        moved = polynomial(self.series(center)[0], *distance)
        op, *args = builder.nodes[base]
        if op == "neg":  # which sums leave out: 1 + -x is 1 - x
            self._series[args[0]] = -moved
            self._varying.add(args[0])
        self._series[base] = moved

    def series(self, position: int) -> Series:
        """The series of a node, what lies below it being expanded first.

        Raises:
            NoExpansion: there is none.
        """
        known = self._series
        for i in below(self.builder.nodes, position, known):
            if i not in known:
                try:
                    known[i] = self._expanded(i)
                except ArithmeticError:
                    known[i] = None  # it may stand on a side that is not taken
        return self._at(position)

    def node(self, x: Coefficient) -> int:
        """The position of a coefficient's node."""
        terms = sorted(x.items(), reverse=True)
        return summed(self.builder, {p: exact(float(size)) for p, size in terms})

    def _at(self, i: int) -> Series:
        found = self._series[i]
        if found is None:
            raise NoExpansion
        return found

    def _expanded(self, i: int) -> Series:
        op, *args = node = self.builder.nodes[i]
        varies = not self._varying.isdisjoint(arguments(node))
        if varies:
            self._varying.add(i)
        if op in CONDITIONS or len(self.builder) > self._most:
            raise NoExpansion
        if op == "const":
            exact: Any = getattr(args[0], "exact", args[0])  # of 1/6, and the float
            x, y = exact.as_integer_ratio()
            return polynomial(number(Decimal(x) / Decimal(y)))
        if not varies:
            return polynomial(self._fixed(i))
        if op[0] == "_":  # what goes over rows, of which this one is not all
            raise NoExpansion
        if op == "where":
            return self._chosen(i, *args)
        if op == "pow" and args[1] in self._varying:
            add, (base, exponent) = self.builder.add, args
            return self.series(add("exp", add("mul", exponent, add("log", base))))
        if op == "pow":
            return self._power(*args)
        if op == "abs" and self.side:
            size, zero = self._at(args[0]), self.builder.const(0.0)
            op = "ge" if size.leading() > 0 else "le"
            self.sides[i] = self.builder.add(op, args[0], zero)
            return size if op == "ge" else -size
        if op == "sqrt" and self.side and not self._at(args[0])[0]:
            return self._power(args[0], self.builder.const(0.5))
        if op == "div":
            return self._at(args[0]) * self._power(args[1], self.builder.const(-1.0))
        if op in OPERATORS:
            found: Series = OPERATORS[op](*map(self._at, args))
            return found
        row = self.builder.ops[op]
        if op in QUOTIENTS:
            whole = meaning_template(row).build(self.builder, args)
            return self.series(arguments(self.builder.nodes[whole])[-1])
        return self._integral(row, args)

    def _fixed(self, i: int) -> Coefficient:
        """A node that the base does not change: a number, a product, or what it is."""
        op, *args = self.builder.nodes[i]
        if op != "input" and all(self._series[a] for a in args):
            given = [self._at(a)[0] for a in args]
            if op == "pow":
                return self.power(*given)
            if op in PRODUCTS:
                found: Coefficient = OPERATORS[op](*given)
                return found
            if op == "sub" and given[0] == given[1]:
                return Coefficient()
            return self.call(op, given)
        return Coefficient({((i, 1),): Decimal(1)})

    def call(self, op: str, args: Sequence[Coefficient]) -> Coefficient:
        """What a row is at coefficients: a number if that is known, or a node."""
        row, nodes = self.builder.ops[op], [self.node(x) for x in args]
        numbers = [x.number for x in args if x.number is not None]
        if (limit := self._limit(row, nodes)) >= 0:
            return self.series(limit)[0]
        if len(numbers) == len(args):
            if op in _NUMBERS:
                return number(_NUMBERS[op](*numbers))
            if row.means is not None:
                meaning = meaning_template(row)
                return self.series(meaning.build(self.builder, nodes))[0]
            try:
                value = float(FLOATS.compute(row)(*map(float, numbers)))
            except (ValueError, TypeError, AttributeError):
                raise NoExpansion from None
            simple = [x for k, x in enumerate(numbers) if k not in row.held]
            if SIMPLE.issuperset((*simple, value)):
                return number(Decimal(value))
        return Coefficient({((self.builder.add(op, *nodes), 1),): Decimal(1)})

    def _limit(self, row: Op, nodes: Sequence[int]) -> int:
        """What the meaning of a row is where two numbers are equal that are here, or -1."""
        if row.means is None or not row.means.startswith("where("):
            return -1
        made = meaning_template(row).build(self.builder, nodes)
        if self.builder.nodes[made][0] != "where":
            return made  # the condition was decided
        _, condition, limit, _ = self.builder.nodes[made]
        op, *args = self.builder.nodes[condition]
        x, y = (self.series(a)[0] for a in args) if op == "eq" else (ONE, ZERO)
        return -1 if x - y else limit

    def power(self, x: Coefficient, y: Coefficient) -> Coefficient:
        """A power, a product if the exponent is whole and small."""
        n = y.number
        if n is None or n != int(n) or abs(n) > POWER:
            return ONE if x == ONE else self.call("pow", [x, y])
        found = reduce(operator.mul, [x] * abs(int(n)), ONE)
        return found if n >= 0 else ONE / found

    def _chosen(self, i: int, condition: int, yes: int, no: int) -> Series:
        """Either side if both are the same function; of a partial what is taken."""
        try:
            x, y = self._at(yes), self._at(no)
            powers = range(min(x.low, y.low), ALIKE)
            if not any(x[k] - y[k] for k in powers):
                return x
        except ArithmeticError:
            pass
        spans, holds = self.builder.spans, True
        is_fixed = condition not in self._varying
        by_rule = i >= self._own or spans[i] == spans[condition]
        if not by_rule and not self.side:
            raise NoExpansion  # the formula changes; no rule wrote it in two parts
        if not by_rule or not is_fixed:
            holds = self._holds(condition)
        if i < self._own:
            self.sides[i] = condition if holds else self.builder.add("not", condition)
        return self._at(yes if holds else no)

    def _holds(self, condition: int) -> bool:
        """Whether a comparison holds at the center, and so near it, or two of them."""
        op, *args = self.builder.nodes[condition]
        if op == "and" and all(self.builder.nodes[a][0] in COMPARISONS for a in args):
            return all(map(self._holds, args))
        if op not in COMPARISONS:
            raise NoExpansion
        if self.side:
            sign = reduce(operator.sub, map(self._at, args)).leading()
        else:
            sign = reduce(operator.sub, map(self._start, args)).number or Decimal(0)
        if not sign:
            raise NoExpansion
        return COMPARISONS[op](float(sign), 0.0)

    def _start(self, i: int) -> Coefficient:
        """What a node is at the center, an absolute value too."""
        op, *args = self.builder.nodes[i]
        is_size = op == "abs" and i != self.base
        if is_size and (found := self._start(args[0]).number) is not None:
            return number(abs(found))
        return self._at(i).regular()[0]

    def _power(self, base: int, exponent: int) -> Series:
        """A power of a fixed exponent."""
        x, p = self._at(base), self.series(exponent)[0]
        order, low = x.order(), 0
        if order:
            n = p.number
            if n is None or order * n % 1 or not self.side and n % 1:
                raise NoExpansion
            low = int(order * n)

        def rule(k: int) -> Coefficient:
            n = k - low
            if n == 0:
                return self.power(x[order], p)
            found = [
                (p * number(j) + number(j - n)) * x[order + j] * power[k - j]
                for j in range(1, n + 1)
                if x[order + j]
            ]
            return total(found) / number(n) / x[order]

        power = Series(rule, low)
        return power

    def _integral(self, row: Op, args: Sequence[int]) -> Series:
        """The series whose derivative the partials of a row give."""
        if row.kinks is not None and row.name not in KINKED:
            raise NoExpansion
        given = [self._at(a).regular() for a in args]
        slopes: dict[int, Series] = {}

        def rule(k: int) -> Coefficient:
            if k == 0:
                return self.call(row.name, [a[0] for a in given])
            for j, a in enumerate(args):
                if j not in slopes and a in self._varying:
                    slopes[j] = self._partial(row, j, args)
            poles = min(0, *(x.low for x in slopes.values()))
            if k == 1 and any(slope(m) for m in range(poles, 0)):
                raise NoExpansion
            return slope(k - 1) / number(k)

        def slope(k: int) -> Coefficient:
            return total(
                given[j][i] * number(i) * x[k + 1 - i]
                for j, x in slopes.items()
                for i in range(1, k - x.low + 2)
                if given[j][i]
            )

        return Series(rule)

    def _partial(self, row: Op, j: int, args: Sequence[int]) -> Series:
        """A partial by an argument."""
        text = partial_template(row, j, len(args))
        if text is None:
            raise NoExpansion
        return self.series(text.build(self.builder, args, j))


def _wave(x: Decimal, n: int) -> Decimal:
    """The sine, from the power 1 on, or from 0 on the cosine."""
    x = x.remainder_near(2 * PI)
    term, found = x if n else Decimal(1), Decimal(0)
    while abs(term) > NOTHING**2:
        found += term
        term *= -x * x / ((n + 1) * (n + 2))
        n += 2
    return found if abs(found) > NOTHING else Decimal(0)


PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510"
    "58209749445923078164062862089986280348253421170679821480865"
)
_NUMBERS: Mapping[str, Callable[..., Decimal]] = {
    "pi": lambda: PI,
    "e": lambda: Decimal(1).exp(),
    "add": operator.add,
    "sub": operator.sub,
    "pow": pow,
    "exp": Decimal.exp,
    "log": Decimal.ln,
    "sqrt": Decimal.sqrt,
    "sin": lambda x: _wave(x, 1),
    "cos": lambda x: _wave(x, 0),
    "sinh": lambda x: (x.exp() - (-x).exp()) / 2,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "dexprel": lambda n, x, y: x.exp() / (n + 1) if x == y else NAN,
    "dlogrel": lambda n, x, y: (
        perm(int(n)) / (n + 1) / x / (-x) ** n if x == y else NAN
    ),
}
