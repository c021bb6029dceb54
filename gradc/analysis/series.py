"""Taylor and Laurent expansions of a program's nodes, derived from the table.

Every node is a power series in h = u - c, where the node u, the base, is free and all
else is fixed. Sums, products, quotients and powers have the recurrences of Taylor
arithmetic (Moore, Methods and applications of interval analysis, 1979; Griewank and
Walther, Evaluating derivatives, 2008). Any other row follows from its partials, by

    f(a, b)' = f_a(a, b)*a' + f_b(a, b)*b'

read coefficient by coefficient, the partials being expanded in their turn. Series are
lazy, so rows that define each other, as sine and cosine do, need no special care.

Where a root begins, as sqrt(u) and acos(1 - u) do at 0, there are series in h for
u = c + h^2 or u = c - h^2, with h > 0: those of Puiseux. If only even powers of h occur
in one, it is a power series in u - c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from gradc.analysis.coefficients import ZERO, Coefficient, Coefficients, NoExpansion
from gradc.calculus import EVERY, Template, meaning_template, partial_template, template
from gradc.ir import COMPARISONS, CONDITIONS, arguments
from gradc.ops import Op, Table

ORDERS = 12  # leading coefficients that may vanish
ALIKE = 4  # coefficients in which series agree that are one function
ROUNDED = 13  # digits in which they agree, for a third in a node is rounded
LONGEST = 16  # coefficients of a quotient that is tried as a polynomial
HALF = Fraction(1, 2)
EDGES = frozenset({"acos", "asin", "acosh"})  # where roots begin, at their kinks
LINEAR = frozenset({"add", "sub", "neg", "mul"})  # forms are added term by term
Truth = bool | int  # of a condition: known, or the position of its node


class Series:
    """The coefficients of h^low, h^(low+1), ..., computed as they are asked for.

    `degree` is the highest power in a polynomial, None if the series may go on, and
    `inverse` the polynomial that the series is 1 over, if there is one.
    """

    def __init__(
        self,
        rule: Callable[[int], Coefficient],
        low: int = 0,
        degree: int | None = None,
    ) -> None:
        self.low = low
        self.degree = degree
        self.inverse: Series | None = None
        self._rule = rule
        self._known: list[Coefficient] = []
        self._busy = False

    def __getitem__(self, power: int) -> Coefficient:
        if power < self.low or (self.degree is not None and power > self.degree):
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

    def order(self, coefficients: Coefficients) -> int:
        """The power with which the series begins.

        Raises:
            NoExpansion: it vanishes, or seems to.
        """
        for k in range(self.low, self.low + ORDERS + 1):
            if not coefficients.is_zero(self[k]):
                return k
            if k - self.low < len(self._known):
                self._known[k - self.low] = ZERO  # also where sampling found it
        raise NoExpansion

    @property
    def is_constant(self) -> bool:
        """Whether no power of h but the zeroth occurs."""
        return self.degree == 0 and self.low == 0


def constant(value: Coefficient) -> Series:
    """The series of what does not depend on h."""
    return Series(lambda k: value, degree=0)


def halved(series: Series, coefficients: Coefficients, side: int) -> Series:
    """A series in h as one in side*h^2.

    Raises:
        NoExpansion: it has odd powers.
    """

    def rule(k: int) -> Coefficient:
        if not coefficients.is_zero(series[2 * k - 1]):
            raise NoExpansion
        return coefficients.scale(series[2 * k], Fraction(side) ** k)

    return Series(rule, series.low // 2)


class Expansion:
    """The series of a builder's nodes around a center of one of them, the base.

    `decided` are the conditions that chose a side because of what they are near the
    center; the series hold where they say the same.

    Arguments:
        side: 0 if the base is c + h; 1 or -1 if it is c + h^2 or c - h^2 with h > 0.
    """

    def __init__(
        self, coefficients: Coefficients, base: int, center: int, side: int = 0
    ) -> None:
        self.coefficients = coefficients
        self.side = side
        step = [ZERO, Fraction(side)] if side else [Fraction(1)]
        start = [coefficients.of(center), *step]
        self._series = {base: Series(start.__getitem__, degree=len(step))}
        self.decided: dict[int, bool] = {}
        self._truth: dict[int, Truth] = {}
        self._failed: set[int] = set()
        self._calls: dict[tuple[object, ...], tuple[Sequence[Series], Series]] = {}

    def series(self, position: int, depends: Callable[[int], bool]) -> Series:
        """The series of a node, what lies below it being expanded first.

        Arguments:
            depends: tells of a node whether the base lies below it.

        Raises:
            NoExpansion: there is none.
        """
        stack = [position]
        while stack:
            i = stack[-1]
            node = self.coefficients.builder.nodes[i]
            missing = [a for a in arguments(node) if not self._is_known(a)]
            opened = node[0] in LINEAR or depends(i)
            if missing and opened and not self._is_known(i):
                stack += missing
                continue
            stack.pop()
            if not self._is_known(i):
                try:
                    self._expand(i, depends(i))
                except NoExpansion:
                    self._failed.add(i)  # it may stand on a side that is not taken
        return self._at(position)

    def _is_known(self, i: int) -> bool:
        return i in self._series or i in self._truth or i in self._failed

    def _at(self, i: int) -> Series:
        if i not in self._series:
            raise NoExpansion
        return self._series[i]

    def _holds(self, i: int) -> Truth:
        if i not in self._truth:
            raise NoExpansion
        return self._truth[i]

    def _expand(self, i: int, depends: bool) -> None:
        op, *args = self.coefficients.builder.nodes[i]
        if op in CONDITIONS:
            self._truth[i] = self._condition(op, args) if depends else i
        elif op not in LINEAR and (not depends or op in ("const", "input")):
            self._series[i] = constant(self.coefficients.of(i))
        elif op == "where":
            self._series[i] = self._chosen(*args)
        else:
            self._series[i] = self.apply(op, [self._at(a) for a in args])
            self._decide(i, op, args)

    def _decide(self, i: int, op: str, args: Sequence[int]) -> None:
        """Note between which kinks or steps of a row its series holds."""
        builder = self.coefficients.builder
        if all(self._at(a).is_constant for a in args):
            return
        if op == "abs":
            x = self._at(args[0])
            order = x.order(self.coefficients)
            if order % 2 == 0 or self.side:
                sign = builder.add("ge", args[0], builder.const(0.0))
                self.decided[sign] = self._series[i][order] == x[order]
        elif _is_step(builder.ops[op]):
            level = self.coefficients.node(self._series[i][0])
            self.decided[builder.add("eq", i, level)] = True

    def _chosen(self, condition: int, yes: int, no: int) -> Series:
        """The side that is taken, or either if both are the same function."""
        truth = self._holds(condition)
        if isinstance(truth, bool):
            self.decided[condition] = truth
            return self._at(yes if truth else no)
        x, y = self._at(yes), self._at(no)
        for k in range(min(x.low, y.low), ALIKE):
            difference = self.value("sub", [x[k], y[k]])
            if not self.coefficients.is_zero(difference, ROUNDED):
                raise NoExpansion
        return y

    def _condition(self, op: str, args: Sequence[int]) -> Truth:
        if op in COMPARISONS:
            return self.compare(op, self._at(args[0]), self._at(args[1]))
        return self.connect(op, [self._holds(a) for a in args])

    def _first(self, x: Series) -> Coefficient:
        """The first coefficient that is not zero, as a number if it is one."""
        return self.coefficients.number(x[x.order(self.coefficients)])

    # ---- conditions, which must hold on both sides of the center

    def compare(self, op: str, x: Series, y: Series) -> Truth:
        """A comparison near the center.

        Raises:
            NoExpansion: it changes there.
        """
        a, b = _regular(self, x)[0], _regular(self, y)[0]
        if a == b and not (x.is_constant and y.is_constant):
            a, b = self._first(_sub(self, x, y)), ZERO
            if not (self.side and isinstance(a, Fraction)):
                raise NoExpansion
        if a == b or (isinstance(a, Fraction) and isinstance(b, Fraction)):
            difference = self.value("sub", [a, b])
            assert isinstance(difference, Fraction)
            return COMPARISONS[op](float(difference > 0) - float(difference < 0), 0.0)
        if op in ("eq", "ne"):
            return op == "ne"  # of different forms, but for a few points
        node = self.coefficients.node
        return self.coefficients.builder.add(op, node(a), node(b))

    def connect(self, op: str, truths: Sequence[Truth]) -> Truth:
        """`not`, `and` or `or` of conditions, of which some may be known."""
        builder = self.coefficients.builder
        if op == "not":
            (truth,) = truths
            known = isinstance(truth, bool)
            return not truth if known else builder.add("not", truth)
        open_ = [t for t in truths if not isinstance(t, bool)]
        decided = [t for t in truths if isinstance(t, bool)]
        if (op == "or") in decided:
            return op == "or"
        if not open_:
            return op == "and"
        return open_[0] if len(open_) == 1 else builder.add(op, *open_)

    # ---- what a row does to series

    def apply(self, op: str, args: Sequence[Series]) -> Series:
        """A row of the table on series."""
        key = (op, *map(id, args))
        if key not in self._calls:
            if all(a.is_constant for a in args):
                found = constant(self.value(op, [a[0] for a in args]))
            elif op in _RECURRENCES:
                found = _RECURRENCES[op](self, *args)
            else:
                found = self.row(op, args)
            self._calls[key] = args, found  # the arguments keep their identity
        return self._calls[key][1]

    def value(self, op: str, args: Sequence[Coefficient]) -> Coefficient:
        """A row of the table on coefficients."""
        c = self.coefficients
        if op == "neg":
            return c.scale(args[0], Fraction(-1))
        if op == "add":
            return c.add(args[0], args[1])
        if op == "sub":
            return c.add(args[0], c.scale(args[1], Fraction(-1)))
        if op == "mul":
            return c.mul(args[0], args[1])
        if op == "div":
            return c.div(args[0], args[1])
        if op == "pow":
            return c.power(args[0], args[1])
        return c.call(op, args)

    def row(self, op: str, args: Sequence[Series]) -> Series:
        """A row by its partials, or by what it means."""
        ops = self.coefficients.builder.ops
        row = ops[op]
        args = [_regular(self, a) for a in args]
        if op == "sqrt" and self.side and self.coefficients.is_zero(args[0][0]):
            return _pow(self, args[0], constant(HALF))
        if row.kinks is not None and not (self.side and op in EDGES):
            at = [constant(a[0]) for a in args]
            named = dict(zip(row.params, at))
            every = at[row.leading :] if row.variadic else ()
            if self._fill(row, _kinks(row, ops), named, every) is True:
                raise NoExpansion
        if row.partials is not None or row.each is not None:
            return self._integral(row, args)
        if row.means is None:
            raise NoExpansion
        named = dict(zip(row.params, args))
        return _number(self._fill(row, meaning_template(row, ops), named))

    def _integral(self, row: Op, args: Sequence[Series]) -> Series:
        """The series whose derivative the partials give."""
        c = self.coefficients
        start = c.call(row.name, [a[0] for a in args])
        varying = [j for j, a in enumerate(args) if not a.is_constant]
        partials: dict[int, Series] = {}

        def rule(k: int) -> Coefficient:
            if k == 0:
                return start
            for j in varying:
                if j not in partials:
                    partials[j] = self._partial(row, j, args)
            poles = min((0, *(partial.low for partial in partials.values())))
            if k == 1 and not all(c.is_zero(slope(m)) for m in range(poles, 0)):
                raise NoExpansion
            return c.scale(slope(k - 1), Fraction(1, k))

        def slope(k: int) -> Coefficient:
            total: Coefficient = ZERO
            for j, partial in partials.items():
                for i in range(1, k - partial.low + 2):
                    if args[j][i] != 0:
                        step = c.scale(args[j][i], Fraction(i))
                        total = c.add(total, c.mul(step, partial[k + 1 - i]))
            return total

        return Series(rule)

    def _partial(self, row: Op, j: int, args: Sequence[Series]) -> Series:
        text = partial_template(row, j, len(args), self.coefficients.builder.ops)
        if text is None:
            raise NoExpansion
        if text.is_zero and not all(isinstance(a[0], Fraction) for a in args):
            raise NoExpansion  # a step, and nobody knows on which side of it
        named = dict(zip(row.params, args))
        if row.variadic and (row.partials is None or len(row.partials) != len(args)):
            named = {**dict(zip(row.params[: row.leading], args)), "x": args[j]}
        every = args[row.leading :] if row.variadic else ()
        return _number(self._fill(row, text, named, every))

    def _fill(
        self,
        row: Op,
        text: Template,
        named: Mapping[str, Series],
        every: Sequence[Series] = (),
    ) -> Series | Truth:
        """A text of a row on series, `every` standing for `xs`.

        What has no expansion may stand on the side of a `where` that is not taken.
        """
        found: list[Series | Truth | None] = []
        for kind, content in text.items:
            item: Series | Truth | None = None
            if isinstance(content, float):
                item = constant(Fraction(content))
            elif kind == "param":
                item = None if content == EVERY else named[str(content)]
            elif isinstance(content, tuple):
                args: list[Series | Truth | None] = []
                for a in content:
                    whole = text.items[a] == ("param", EVERY)
                    args += every if whole else [found[a]]
                try:
                    item = self._item(row, kind, args)
                except NoExpansion:
                    item = None
            found.append(item)
        if found[-1] is None:
            raise NoExpansion
        return found[-1]

    def _item(
        self, row: Op, op: str, args: Sequence[Series | Truth | None]
    ) -> Series | Truth:
        if op == "where" and isinstance(args[0], bool):
            return _number(args[1 if args[0] else 2])
        if op == "where" and isinstance(args[0], int):
            if row.kinks is not None:
                raise NoExpansion
            return self._either(args[0], _number(args[1]), _number(args[2]))
        if op in COMPARISONS:
            return self.compare(op, _number(args[0]), _number(args[1]))
        if op in CONDITIONS:
            known = [a for a in args if isinstance(a, int)]
            if len(known) < len(args):
                raise NoExpansion
            return self.connect(op, known)
        return self.apply(op, [_number(a) for a in args])

    def _either(self, condition: int, x: Series, y: Series) -> Series:
        """One of two series, by a condition that the center decides at run time."""
        c = self.coefficients

        def rule(k: int) -> Coefficient:
            if x[k] == y[k]:
                return x[k]
            arms = (c.node(x[k]), c.node(y[k]))
            return c.of(c.builder.add("where", condition, *arms))

        return Series(rule, min(x.low, y.low))


def _is_step(row: Op) -> bool:
    """Whether a row is constant but for jumps."""
    return row.kinks is not None and set(row.partials or (row.each,)) == {"0"}


@lru_cache(maxsize=None)
def _kinks(row: Op, ops: Table) -> Template:
    """The condition under which the derivative of a row is a convention."""
    chosen = template(f"where({row.kinks}, 1, 0)", row, "kinks", ops)
    content = chosen.items[-1][1]
    assert isinstance(content, tuple)
    return Template(chosen.items[: content[0] + 1])


def _number(item: Series | Truth | None) -> Series:
    if not isinstance(item, Series):
        raise NoExpansion
    return item


def _regular(expansion: Expansion, series: Series) -> Series:
    """A series without negative powers, as the argument of a row must be."""
    zero = expansion.coefficients.is_zero
    if any(not zero(series[k]) for k in range(series.low, 0)):
        raise NoExpansion
    return series


# ---- the recurrences of Taylor arithmetic


def _neg(expansion: Expansion, x: Series) -> Series:
    scale = expansion.coefficients.scale
    return Series(lambda k: scale(x[k], Fraction(-1)), x.low, x.degree)


def _add(expansion: Expansion, x: Series, y: Series) -> Series:
    add = expansion.coefficients.add
    known = x.degree is not None and y.degree is not None
    degree = max(x.degree or 0, y.degree or 0) if known else None
    return Series(lambda k: add(x[k], y[k]), min(x.low, y.low), degree)


def _sub(expansion: Expansion, x: Series, y: Series) -> Series:
    return _add(expansion, x, _neg(expansion, y))


def _mul(expansion: Expansion, x: Series, y: Series) -> Series:
    c = expansion.coefficients

    def rule(k: int) -> Coefficient:
        total: Coefficient = ZERO
        for i in range(x.low, k - y.low + 1):
            if x[i] != 0:
                total = c.add(total, c.mul(x[i], y[k - i]))
        return total

    known = x.degree is not None and y.degree is not None
    degree = (x.degree or 0) + (y.degree or 0) if known else None
    return Series(rule, x.low + y.low, degree)


def _div(expansion: Expansion, x: Series, y: Series) -> Series:
    quotient = _quotient(expansion, x, y)
    if quotient.degree is None and x.degree and y.degree and x.degree < y.degree:
        inverse = _quotient(expansion, y, x)
        quotient.inverse = None if inverse.degree is None else inverse
    return quotient


def _quotient(expansion: Expansion, x: Series, y: Series) -> Series:
    c = expansion.coefficients
    order = y.order(c)
    low = x.low - order

    def rule(k: int) -> Coefficient:
        total = x[k + order]
        for i in range(1, k - low + 1):
            if y[order + i] != 0:
                term = c.mul(y[order + i], quotient[k - i])
                total = c.add(total, c.scale(term, Fraction(-1)))
        return c.div(total, y[order])

    quotient = Series(rule, low)
    if x.degree is not None and y.degree is not None and x.degree - low <= LONGEST:
        degree = x.degree - y.degree  # of the quotient, if there is no remainder
        remainder = range(degree + 1, x.degree - order + 1)
        if degree >= low and all(c.is_zero(quotient[k]) for k in remainder):
            quotient.degree = degree
    return quotient


def _pow(expansion: Expansion, x: Series, y: Series) -> Series:
    if not y.is_constant:
        return _power(expansion, x, y)
    c, p = expansion.coefficients, y[0]
    order = x.order(c)
    whole = isinstance(p, Fraction) and p.denominator == 1
    first = order * p if isinstance(p, Fraction) else ZERO
    if order and not (whole or expansion.side and first.denominator == 1):
        raise NoExpansion
    low = int(first)
    root = order and p == HALF
    start = c.call("sqrt", [x[order]]) if root else c.power(x[order], p)

    def rule(k: int) -> Coefficient:
        n = k - low
        total: Coefficient = ZERO
        for j in range(1, n + 1):
            if x[order + j] != 0:
                factor = c.add(c.scale(p, Fraction(j)), Fraction(j - n))
                term = c.mul(c.mul(factor, x[order + j]), power[k - j])
                total = c.add(total, term)
        return c.div(c.scale(total, Fraction(1, n)), x[order]) if n else start

    power = Series(rule, low)
    if isinstance(p, Fraction) and whole and x.degree is not None:
        if p >= 0 or x.degree == order:
            power.degree = x.degree * p.numerator
    return power


def _power(expansion: Expansion, x: Series, y: Series) -> Series:
    """A power of any exponent, by z' = z*(y*log(x))'."""
    c = expansion.coefficients
    log = expansion.apply("mul", [y, expansion.apply("log", [x])])
    log = _regular(expansion, log)
    has_pole = y.low < 0  # then x is 1 at the center
    start = c.call("exp", [log[0]]) if has_pole else c.power(x[0], y[0])

    def rule(k: int) -> Coefficient:
        total = ZERO if k else start
        for i in range(1, k + 1):
            slope = c.scale(log[i], Fraction(i, k))
            total = c.add(total, c.mul(slope, power[k - i]))
        return total

    power = Series(rule)
    return power


def _abs(expansion: Expansion, x: Series) -> Series:
    """The series itself or its opposite, but for an odd zero, where both sides differ."""
    order = x.order(expansion.coefficients)
    if order % 2 == 0 or expansion.side:
        first = expansion.coefficients.number(x[order])
        if not isinstance(first, Fraction):
            return expansion.row("abs", [x])
        return x if first > 0 else _neg(expansion, x)

    def rule(k: int) -> Coefficient:
        if k < order:
            return ZERO
        raise NoExpansion

    return Series(rule, min(x.low, order))


_RECURRENCES: Mapping[str, Callable[..., Series]] = {
    "neg": _neg,
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "pow": _pow,
    "abs": _abs,
}
