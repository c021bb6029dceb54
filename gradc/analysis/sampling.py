"""Random identity testing: what a program's nodes are at a few points, in 50 digits.

Nodes that agree in 36 digits at random points are equal as functions (Schwartz, Fast
probabilistic algorithms for verification of polynomial identities, 1980; Monagan and
Gonnet, Signature functions for algebraic numbers, 1994). The standard library's
`decimal` computes sums, products, powers, exponentials and logarithms, and what the
table writes with these. Every other row, and every condition, is an independent random
number for each node. Four things keep a sample from believing what holds only there:

- A power with a broken exponent takes a random branch, a square root a random sign,
  the same for equal radicands. `sqrt(x)*sqrt(x)` is still x, and `sqrt(x*x)` is not,
  even if x is negative at no sampled point.
- A sum that swallows a term (`x + 1e-300`, `1 + exp(-1e6)`) is no evidence, nor is an
  exponential of what is nearly 0.
- A node that is not defined at some point equals none that is defined there.
- Floats are run too, at these points and at extreme ones, so that it shows where an
  intermediate overflows or where a domain ends.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from functools import lru_cache, partial, reduce
from itertools import combinations
from random import Random
from zlib import crc32

from gradc.calculus import meaning_template, template
from gradc.ir import COMPARISONS, CONDITIONS, Builder, Input, Node, Program, arguments
from gradc.ops import Op, Table
from gradc.spelling import function

Numbers = list[Decimal]
Steps = tuple[Node, ...]  # a row as a small program of the rows in `_LISTS`
Floats = list["float | bool | None"]

DIGITS = 50
AGREE = 36  # digits in which equal nodes agree
CANCEL = 30  # digits that a sum loses if it is zero; one that loses them has swallowed
EVIDENCE = 3  # points at which nodes must be defined to be called equal
FORKED = 6  # the same, where a random branch has been taken

# A point has a magnitude 10^(center +- spread) and signs, all positive or mixed.
POSITIVE = (
    (0.0, 0.3),
    (0.0, 0.5),
    (-0.5, 0.5),
    (0.5, 0.5),
    (0.0, 1.0),
    (-1.0, 0.5),
    (-2.0, 1.0),
    (2.0, 1.0),
)
MIXED = ((0.0, 0.4), (-0.5, 0.5), (0.5, 0.7), (1.5, 1.5))
EXTREME = ((2.7, 0.4),) * 4 + ((20.0, 5.0), (-20.0, 5.0), (0.0, 60.0), (0.0, 150.0))
BUDGET = 1000  # transcendental functions computed at most, at all points each
COUNT = len(POSITIVE) + len(MIXED)
GLANCES = 3  # points at which floats are looked at first
ALL = (1 << COUNT) - 1

NAN = Decimal("nan")
_LEAVES = ("const", "input")
_WEIGHT = Decimal("1.2599210498948731647672106072782283505702514647015")
_TOLERANCE = Decimal(10) ** -AGREE
_SMALLEST = Decimal(10) ** -CANCEL  # exponents below which a power is not told from 1
_LARGEST = Decimal(10) ** 12  # exponents beyond which an exponential is not followed


def _context(digits: int) -> Context:
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


_FINE = _context(DIGITS)
_WORKING = _context(24)  # what a row computes before it is rounded to a float's digits
_ROUND = _context(17).plus
_KEY = _context(24)


@dataclass(slots=True)
class Values:
    """A node at all the points: undefined is NaN, and None in the floats.

    `exact` has 50 digits, `rounded` a float's digits after every operation, `floats`
    what Python computes, at the extreme points too. `clean` has a bit for each point
    at which no sum below has swallowed a term, `forked` says whether a random branch
    has been taken below, `fixed` that no input stands below.
    """

    exact: Numbers
    rounded: Numbers
    floats: Floats = field(default_factory=list)
    clean: int = ALL
    forked: bool = False
    fixed: bool = False
    points: Sequence[int] = ()

    def __post_init__(self) -> None:
        self.settle()

    def settle(self) -> None:
        """Note the points at which the digits are evidence."""
        clean = self.clean
        if clean == ALL and self.total:
            self.points = range(COUNT)
        else:
            self.points = [
                k for k, x in enumerate(self.exact) if x == x and clean >> k & 1
            ]

    @property
    def total(self) -> bool:
        """Whether the node is defined at all points."""
        return not any(map(Decimal.is_nan, self.exact))

    @property
    def lost_bits(self) -> float:
        """The bits of error at a point on the average, as Herbie counts them.

        Panchekha et al., Automatically improving accuracy for floating point
        expressions, 2015.
        """
        lost, points = 0.0, 0
        for x, y in zip(self.exact, self.rounded):
            if x == x:
                error = 1.0 if y != y or not x else min(float(abs(x - y) / abs(x)), 1.0)
                lost += math.log2(1.0 + error * 2.0**53) if x or y else 0.0
                points += 1
        return lost / max(points, 1)


def in_full() -> AbstractContextManager[Context]:
    """The digits in which everything here has to be computed."""
    return localcontext(_FINE)


class Sample:
    """Evaluates nodes, given the values of their arguments.

    With `principal` powers, but no roots, are on the branch that floats are on, and a
    conditional whose sides agree is what they are.
    """

    def __init__(
        self, inputs: Sequence[Input], ops: Table, principal: bool = False
    ) -> None:
        self._ops = ops
        self._principal = principal
        self._random = Random(1729)
        self._budget = BUDGET
        self._inputs = {item.name: self._draw(item) for item in inputs}

    def values(self, node: Node, args: Sequence[Values]) -> Values:
        """The values of a node whose arguments have the values `args`."""
        op = node[0]
        if op == "input":
            return self._inputs[node[1]]
        if op == "const":
            return _constant(node[1])
        if op == "where" and self._principal:
            if agree(args[2], args[1], wider=True) == 1:
                return args[2]
        row = self._ops[op]
        found = None
        if op in _POWERS:
            found = self._branched(op, args)
        elif (steps := _steps(row, len(args), self._ops)) is not None:
            found = self._stepped(steps, args)
        if found is None:
            found = self._opaque(row, args)
        found.floats = _floats(row, [v.floats for v in args])
        for v in args:
            found.clean &= v.clean
            found.forked |= v.forked
            found.fixed &= v.fixed
        found.settle()
        return found

    def _afford(self, cost: int) -> bool:
        """Whether so many transcendental functions may still be computed."""
        self._budget -= cost
        return self._budget >= 0

    def _draw(self, item: Input | None = None) -> Values:
        """Random numbers at all points; those of an input respect its domain."""
        exact = [self._number(center, spread) for center, spread in POSITIVE]
        exact += [self._number(*scale) * self._sign() for scale in MIXED]
        if item is not None and item.low is not None and item.high is not None:
            if math.isfinite(item.low) and math.isfinite(item.high):
                for k in range(0, COUNT, 2):
                    drawn = self._random.uniform(item.low, item.high)
                    exact[k] = Decimal(f"{drawn:.12g}")
        extreme = [self._number(*scale) * self._sign() for scale in EXTREME]
        floats: Floats = [float(x) for x in (*exact, *extreme)]
        return Values(exact, exact, floats)

    def _number(self, center: float, spread: float) -> Decimal:
        exponent = center + spread * self._random.uniform(-1.0, 1.0)
        return Decimal(f"{10.0**exponent:.12g}")

    def _sign(self) -> int:
        return self._random.choice((-1, 1))

    def _opaque(self, row: Op, args: Sequence[Values]) -> Values:
        """A row that is not computed: random where its arguments are defined."""
        found = self._draw()
        if row.name != "where":
            for k in range(COUNT):
                if any(v.exact[k] != v.exact[k] for v in args):
                    found.exact[k] = NAN
        return found

    def _stepped(self, steps: Steps, args: Sequence[Values]) -> Values | None:
        """A row that takes known steps, exact and rounded; None if that is too dear."""
        if not self._afford(sum(step[0] in ("exp", "log") for step in steps)):
            return None
        exact, swallowed = _walk(steps, [v.exact for v in args])
        with localcontext(_WORKING):
            rounded, _ = _walk(steps, [v.rounded for v in args])
        found = Values(exact, [_ROUND(x) for x in rounded], fixed=True)
        found.clean &= ~swallowed
        return found

    def _branched(self, op: str, args: Sequence[Values]) -> Values | None:
        """A power on a random branch, the same for the same base; principal if fixed."""
        if op == "pow" and any(2 * y % 1 for y in args[1].exact):
            if not self._afford(2):
                return None
        power = _POWERS[op]
        base, exponent, exact = power([v.exact for v in args])
        with localcontext(_WORKING):
            rounded = power([v.rounded for v in args])[2]
        found = Values(exact, [_ROUND(x) for x in rounded], fixed=True)
        fixed = all(v.fixed for v in args) or (self._principal and op == "pow")
        if not fixed:
            branch = [_branch(x, y) for x, y in zip(base, exponent)]
            found.exact = [x * b for x, b in zip(exact, branch)]
            found.rounded = [_ROUND(x * b) for x, b in zip(rounded, branch)]
            found.forked = any(b != 1 for b in branch)
        return found


def key(x: Decimal) -> str:
    """A text that numbers share which agree in some 24 digits, whatever their signs.

    The weight keeps numbers of few digits away from where rounding decides.
    """
    return str(_KEY.multiply(abs(x), _WEIGHT))


def agree(new: Values, old: Values, wider: bool) -> int:
    """1 if the nodes are equal at all points, -1 if they are opposite, else 0.

    With `wider` the new one may also be defined where the old one is not.
    """
    sign = 0
    evidence = 0
    clean = new.clean & old.clean
    for k, (a, b) in enumerate(zip(new.exact, old.exact)):
        if a != a or b != b:
            if b == b or (a == a and not wider):
                return 0
        elif clean >> k & 1:
            if not sign and a:
                sign = 1 if (a < 0) == (b < 0) else -1
            if abs(a - sign * b) > _TOLERANCE * abs(a):
                return 0
            evidence += 1
    return sign if evidence >= needed(new, old) else 0


def needed(*nodes: Values) -> int:
    """At how many points nodes must be defined for them to be called equal."""
    return FORKED if any(v.forked for v in nodes) else EVIDENCE


def cancels(x: Values, y: Values, total: Values, sign: int) -> bool:
    """Whether a sum of two nodes, or with `sign` -1 their difference, is zero."""
    for k in total.points:
        left, term = total.exact[k], x.exact[k]
        if left and (not term or left.adjusted() > term.adjusted() - CANCEL):
            return False
    opposite: Floats = [None if b is None else -sign * b for b in y.floats]
    both: Floats = [a if b is not None else None for a, b in zip(x.floats, opposite)]
    return len(total.points) >= needed(x, y) and replaces(opposite, both)


def constant(values: Values) -> float | None:
    """The binary64 that a node is at all points, None if it is none."""
    if len(values.points) < needed(values):
        return None
    exact = values.exact
    first = exact[values.points[0]]
    tolerance = abs(first) * _TOLERANCE
    if any(abs(exact[k] - first) > tolerance for k in reversed(values.points)):
        return None
    found = float(first) + 0.0  # no constant is -0.0
    if abs(first - Decimal(found)) > tolerance:
        return None
    return found if replaces([found] * len(values.floats), values.floats) else None


def promising(program: Program) -> bool:
    """Whether floats at a few points show anything to merge, before digits are spent.

    That is two nodes with the same leading digits, a node that is the same number at
    all points, or a sum that cancels. Of many nodes some have the same digits at one
    point by chance: they have to at two, where both are defined at all.
    """
    found = glanced(program, GLANCES)
    seen: set[object] = set()  # digits at one point, and at two
    few: set[object] = set()  # those at one point of nodes that are not defined at all
    for node, values in zip(program.nodes, found):
        op, args = node[0], [found[a] for a in arguments(node)]
        if op != "neg" and op not in CONDITIONS:
            alone = [
                (k, f"{abs(x):.6g}") for k, x in enumerate(values) if x is not None
            ]
            pairs = [*combinations(alone, 2)]
            some = len(alone) < GLANCES
            if not (
                seen.isdisjoint(alone if some else pairs) and few.isdisjoint(alone)
            ):
                return True
            varies = any(len(set(x)) > 1 for x in args)
            if varies and _stands_out(op, values, args):
                return True
            seen.update(alone, pairs)
            few.update(alone if some else ())
    return False


def glanced(program: Program, count: int, inside: bool = False) -> list[Floats]:
    """What floats are at a few points; what is not computed in digits is random.

    Arguments:
        inside: whether every other point is in the domains.
    """
    random = Random(1729)
    domains = {item.name: (item.low, item.high) for item in program.inputs}
    found: list[Floats] = []
    for node in program.nodes:
        op, args = node[0], [found[a] for a in arguments(node)]
        if op == "const":
            values: Floats = [node[1]] * count
        elif op == "input" or is_opaque(program.ops[op], len(args), program.ops):
            values = [10.0 ** random.uniform(-0.5, 0.5) for _ in range(count)]
            low, high = domains[node[1]] if op == "input" and inside else (None, None)
            if low is not None and high is not None and math.isfinite(high - low):
                values[::2] = [random.uniform(low, high) for _ in values[::2]]
        else:
            values = _floats(program.ops[op], args)
        found.append(values)
    return found


def is_opaque(row: Op, count: int, ops: Table) -> bool:
    """Whether a row is not computed, but random wherever it stands."""
    return row.name not in _POWERS and (
        row.result != "number" or _steps(row, count, ops) is None
    )


def _stands_out(op: str, values: Floats, args: Sequence[Floats]) -> bool:
    """Whether a node that should vary is constant, or a sum much smaller than a term."""
    known = [x for x in values if x is not None]
    if len(known) > 1 and max(known) - min(known) <= 1e-6 * abs(known[0]):
        return True
    return op in ("add", "sub") and any(
        x is not None and abs(x) < 1e-6 * max(map(abs, terms))
        for x, *terms in zip(values, *args)
        if None not in terms
    )


def replaces(new: Floats, old: Floats, sign: int = 1) -> bool:
    """Whether a node is a float wherever an older one is, and none of another size."""
    for k, x in enumerate(old):
        if x is not None:
            y = new[k]
            if y is None or (x and not y):
                return False
            if k >= COUNT and abs(x - sign * y) > 0.5 * max(abs(x), abs(y)):
                return False
    return True


# ---- what the decimals compute


def _constant(value: float) -> Values:
    exact = [Decimal(value)] * COUNT
    rounded = [_ROUND(exact[0])] * COUNT
    return Values(exact, rounded, [value] * (COUNT + len(EXTREME)), fixed=True)


@lru_cache(maxsize=None)
def _pi() -> Decimal:
    """The circle constant to 60 digits: 16*atan(1/5) - 4*atan(1/239), by Machin."""
    total = 0
    for factor, n in ((16, 5), (-4, 239)):
        term, k = 10**70 // n, 1
        while term:
            total += factor * term // k
            term //= -n * n
            term, k = term + (term < 0), k + 2
    return Decimal(total).scaleb(-70, _context(60))


def _exp(x: Decimal) -> Decimal:
    """The exponential, not followed where it is 1 in many digits, or too large."""
    if not x:
        return Decimal(1)
    return x.exp() if _SMALLEST < abs(x) < _LARGEST else NAN


_LISTS: dict[str, Callable[..., Numbers]] = {
    "add": lambda x, y: [a + b for a, b in zip(x, y)],
    "sub": lambda x, y: [a - b for a, b in zip(x, y)],
    "mul": lambda x, y: [a * b for a, b in zip(x, y)],
    "div": lambda x, y: [a / b if b else NAN for a, b in zip(x, y)],
    "neg": lambda x: [-a for a in x],
    "exp": lambda x: [_exp(a) for a in x],
    "log": lambda x: [a.ln() if a > 0 else NAN for a in x],
    "sqrt": lambda x: [a.sqrt() for a in x],
    "e": lambda: [Decimal(1).exp()] * COUNT,
    "pi": lambda: [_pi()] * COUNT,
}

# What rows come to that the table takes as they are, in its own language.
_MEANINGS = {
    "exp2": "exp(x*log(2))",
    "log2": "log(x)/log(2)",
    "log10": "log(x)/log(10)",
    "sinh": "(exp(x) - exp(-x))/2",
    "cosh": "(exp(x) + exp(-x))/2",
    "tanh": "1 - 2/(exp(2*x) + 1)",
    "sech2": "4/(exp(x) + exp(-x))/(exp(x) + exp(-x))",
}


@lru_cache(maxsize=None)
def _steps(row: Op, count: int, ops: Table) -> Steps | None:
    """The steps that a row of `count` arguments takes, None if it is not computed."""
    builder = Builder(ops)
    top = builder.add(row.name, *[builder.input(str(k)) for k in range(count)])
    for _ in ops:  # each round writes the rows out by what they mean
        if all(node[0] in _LEAVES or node[0] in _LISTS for node in builder.nodes):
            return _without_roots(tuple(builder.nodes[: top + 1]))
        old, builder = builder.nodes, Builder(ops)
        new: list[int] = []
        for op, *args in old:
            if op in _LEAVES:
                new.append(getattr(builder, op)(*args))
                continue
            written = _written(builder, ops[op], [new[a] for a in args])
            if written is None:
                return None
            new.append(written)
        top = new[top]
    return None


def _without_roots(steps: Steps) -> Steps | None:
    """Refuse a root of anything but a constant: its branch would not be random."""
    fixed: list[bool] = []
    for op, *args in steps:
        leaf = op in _LEAVES
        fixed.append(op == "const" if leaf else all(fixed[a] for a in args))
        if op == "sqrt" and not fixed[-1] and len(steps) > 2:
            return None
    return steps


def _written(builder: Builder, row: Op, args: list[int]) -> int | None:
    """Add a row as it is, or what it means; None if that cannot be computed."""
    if row.name in _LISTS:
        return builder.add(row.name, *args)
    if row.name == "logsumexp":
        terms = [builder.add("exp", a) for a in args]
        return builder.add("log", reduce(partial(builder.add, "add"), terms))
    if row.name in _MEANINGS:
        meaning = template(_MEANINGS[row.name], row, "means", builder.ops)
    elif row.means is not None:
        meaning = meaning_template(row, builder.ops)
    else:
        return None
    every = args[row.leading :] if row.variadic else []
    return meaning.build(builder, dict(zip(row.params, args)), every)


def _walk(steps: Steps, args: Sequence[Numbers]) -> tuple[Numbers, int]:
    """Take steps at all points; the bits are those where a sum swallows a term."""
    lists: list[Numbers] = []
    swallowed = 0
    for op, *operands in steps:
        if op == "const":
            lists.append([Decimal(operands[0])] * COUNT)
        elif op == "input":
            lists.append(args[int(operands[0])])
        else:
            inner = [lists[a] for a in operands]
            lists.append(_LISTS[op](*inner))
            if op == "add" or op == "sub":
                swallowed |= _swallowed(*inner)
    return lists[-1], swallowed


def _swallowed(x: Numbers, y: Numbers) -> int:
    bits = 0
    for k, (a, b) in enumerate(zip(x, y)):
        if not -CANCEL <= a.adjusted() - b.adjusted() <= CANCEL and a and b:
            bits |= 1 << k
    return bits


Power = tuple[Numbers, Numbers, Numbers]  # base, exponent, and the principal branch


def _sqrt(args: Sequence[Numbers]) -> Power:
    return args[0], [Decimal("0.5")] * COUNT, [a.sqrt() for a in args[0]]


def _hypot(args: Sequence[Numbers]) -> Power:
    return _sqrt([[sum((a * a for a in xs), Decimal(0)) for xs in zip(*args)]])


def _pow(args: Sequence[Numbers]) -> Power:
    return args[0], args[1], [_raised(x, y) for x, y in zip(*args)]


def _raised(x: Decimal, y: Decimal) -> Decimal:
    if abs(y) > 1000 or 0 < abs(y) < _SMALLEST or (not x and y <= 0):
        return NAN
    twice = 2 * y
    if abs(twice % 2) == 1 and x >= 0:
        return x.sqrt() ** twice
    power = x**y
    return power if power.is_finite() else NAN


_POWERS: dict[str, Callable[[Sequence[Numbers]], Power]] = {
    "sqrt": _sqrt,
    "hypot": _hypot,
    "pow": _pow,
}


def _branch(base: Decimal, exponent: Decimal) -> Decimal:
    """The factor of a power's branch: 1, a random sign for a root, else anything."""
    rest = (exponent % 1 + 1) % 1
    if not rest:
        return Decimal(1)
    if rest == Decimal("0.5"):
        return Decimal(1 - 2 * (crc32(key(base).encode()) & 1))
    drawn = crc32(f"{key(base)} {key(rest)}".encode())
    return Decimal(1 + drawn % 1000003) / 1000003


# ---- what floats compute


def _floats(row: Op, args: Sequence[Floats]) -> Floats:
    """A row in Python's floats, None where it raises or is not finite."""
    if row.name == "where":
        return [None if c is None else x if c else y for c, x, y in zip(*args)]
    compute = _float_function(row)
    found: Floats = []
    for operands in zip(*args) if args else [()] * (COUNT + len(EXTREME)):
        try:
            x = compute(*operands)
            found.append(x if -math.inf < x < math.inf else None)
        except (ArithmeticError, ValueError, TypeError):
            found.append(None)  # a TypeError is an operand that is None
    return found


@lru_cache(maxsize=None)
def _float_function(row: Op) -> Callable[..., float]:
    return _DIRECT.get(row.name) or COMPARISONS.get(row.name) or function(row)


_DIRECT: dict[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "and": operator.and_,
    "or": operator.or_,
    "not": lambda c: c ^ True,
}
