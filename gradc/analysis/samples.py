"""Samples: what the nodes of a program are at random points, in 50 digits and in floats.

The standard library's `decimal` computes sums, products, powers, exponentials and
logarithms, and what the table writes with these. Of any other row only this is known:
equal arguments give equal numbers, and otherwise they are random. Three things keep a
sample from believing what holds only there:

- A power with a broken exponent takes a random branch, a square root a random sign,
  the same for equal radicands. `sqrt(x)*sqrt(x)` is still x, and `sqrt(x*x)` is not,
  even if x is negative at no sampled point.
- A sum that swallows a term (`x + 1e-300`, `1 + exp(-1e6)`) is no evidence, nor is an
  exponential of what is nearly 0: it is NaN, as is what is not defined.
- Floats are run too, at these points and at extreme ones, so that it shows where an
  intermediate overflows or where a domain ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from functools import cached_property, lru_cache
from itertools import combinations
from random import Random
from zlib import crc32

from gradc.calculus import Template, meaning_template, template
from gradc.ir import CONDITIONS, LAZY, Input, Program, arguments, varying
from gradc.ops import Op, Table
from gradc.run import NOT_DEFINED
from gradc.spelling import functions

DIGITS = 50
AGREE = 36  # digits in which equal nodes agree
CANCEL = 30  # digits that a sum loses if it is zero; one that loses them has swallowed
GLANCES = 3  # points at which floats are looked at first
EVIDENCE = 4  # points at which nodes must be known to be called equal

# The points have magnitudes 10^(center +- spread). At the extreme ones only floats run.
SCALES = (
    *((0.0, 0.3), (0.0, 0.5), (-0.5, 0.5), (-1.5, 1.0), (4.5, 0.5)),
    *((0.0, 0.4), (0.0, 0.6), (1.5, 1.5)),
    *((2.7, 0.4),) * 4,
    *((20.0, 5.0), (-20.0, 5.0), (0.0, 60.0), (0.0, 150.0)),
)
POSITIVE = 5  # points at which all inputs are positive
ORDINARY = (
    0,
    1,
    2,
    5,
    6,
)  # points of ordinary size; at the last two each has both signs
COUNT = 8  # points at which there are digits
BUDGET = 12_000  # transcendental functions computed at most

Floats = Sequence["float | None"]

NAN = Decimal("nan")
_FINE = Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_KEY = Context(prec=24, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_WEIGHT = Decimal("1.2599210498948731647672106072782283505702514647015")
_TOLERANCE = Decimal(10) ** -AGREE
_SMALLEST = Decimal(10) ** -CANCEL  # exponents below which a power is not told from 1
_LARGEST = Decimal(10) ** 12  # exponents beyond which an exponential is not followed
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
# What rows come to that the table takes as they are, in its own language.
_MEANINGS = {
    "exp2": "exp(x*log(2))",
    "log2": "log(x)/log(2)",
    "log10": "log(x)/log(10)",
    "sinh": "(exp(x) - exp(-x))/2",
    "cosh": "(exp(x) + exp(-x))/2",
    "tanh": "1 - 2/(exp(2*x) + 1)",
}


def in_full() -> AbstractContextManager[Context]:
    """The digits in which samples have to be taken and compared."""
    return localcontext(_FINE)


class Samples:
    """The nodes of a program at random points.

    Attributes:
        exact: 50 digits of each node, NaN at the points where they are no evidence.
        floats: what Python computes, None where that is no number.
    """

    def __init__(self, program: Program) -> None:
        random = Random(1729)
        digits = Digits(program)
        self._program = program
        inputs = [*enumerate(program.inputs)]
        self._points = [
            {item.name: _drawn(random, item, k, n) for n, item in inputs}
            for k in range(len(SCALES))
        ]
        self.exact = [*zip(*map(digits.run, self._points[:COUNT]))]

    @cached_property
    def floats(self) -> list[tuple[float | None, ...]]:
        return [*zip(*[run(self._program, point) for point in self._points])]

    @cached_property
    def lost(self) -> list[float]:
        """The bits that sums and exponentials cost each node, on the average."""
        lost: list[float] = []
        for node, values in zip(self._program.nodes, self.floats):
            args = arguments(node)
            found = max([lost[a] for a in args], default=0.0)
            if node[0] in ("add", "sub", "exp", "pow"):
                read = zip(*[self.floats[a] for a in args])
                found += sum(_lost(node[0], *pair) for pair in zip(values, read))
            lost.append(found)
        return lost

    def index(self, i: int) -> tuple[int, str] | None:
        """What nodes share that may be equal: the first digits at the first point."""
        for k, x in enumerate(self.exact[i]):
            if x and x == x:
                return k, key(x)
        return None

    def agree(self, i: int, j: int) -> int:
        """1 if nodes are equal wherever both are known, -1 if opposite, else 0."""
        sign = evidence = 0
        for a, b in zip(self.exact[i], self.exact[j]):
            if a == a and b == b:
                if not sign and a:
                    sign = 1 if (a < 0) == (b < 0) else -1
                if abs(a - sign * b) > _TOLERANCE * abs(a):
                    return 0
                evidence += 1
        return sign if evidence >= EVIDENCE else 0

    def constant(self, i: int) -> float | None:
        """The binary64 that a node is at all points, None if it is none."""
        known = [x for x in self.exact[i] if x == x]
        if len(known) < EVIDENCE:
            return None
        found = float(known[0]) + 0.0  # no constant is -0.0
        tolerance = abs(known[0]) * _TOLERANCE
        return (
            found if all(abs(x - Decimal(found)) <= tolerance for x in known) else None
        )

    def undefined(self, i: int) -> set[int]:
        """The points at which a node is not defined, as far as they are ordinary."""
        return {k for k in ORDINARY if self.floats[i][k] is None}

    def serves(self, floats: Floats, i: int) -> bool:
        """Whether these are floats wherever a node is, and 0 only where that is."""
        return all(
            x is None or (y is not None and (y != 0.0 or x == 0.0))
            for x, y in zip(self.floats[i], floats)
        )


def _drawn(random: Random, item: Input, k: int, n: int) -> float:
    """A short number for the `n`-th input, at every other point in its domain."""
    low, high = item.low, item.high
    center, spread = SCALES[k]
    drawn = 10.0 ** (center + spread * random.uniform(-1.0, 1.0))
    sign = (-1) ** (n + k) if k in ORDINARY else random.choice((-1, 1))
    drawn *= sign if k >= POSITIVE else 1
    if low is not None and high is not None and math.isfinite(high - low) and k % 2:
        drawn = random.uniform(low, high)
    return float(f"{drawn:.12g}")


def key(x: Decimal) -> str:
    """A text that numbers share which agree in some 24 digits, whatever their signs.

    The weight keeps numbers of few digits away from where rounding decides.
    """
    return str(_KEY.multiply(abs(x), _WEIGHT))


def promising(program: Program) -> bool:
    """Whether floats at a few points show anything to merge, before digits are spent.

    That is two nodes with the same leading digits, a node that is the same number at
    all points, or a sum that cancels. Of many nodes some have the same digits at one
    point by chance: they have to at two, where both are defined at all.
    """
    random = Random(1729)
    runs = []
    for k in range(GLANCES):
        point = {i.name: 10.0 ** random.uniform(-0.5, 0.5) for i in program.inputs}
        runs.append(run(program, point, random))
    seen: set[object] = set()
    for node, *values in zip(program.nodes, *runs):
        if node[0] == "neg" or node[0] in CONDITIONS:
            continue
        found = [(k, f"{abs(x):.6g}") for k, x in enumerate(values) if x is not None]
        pairs = [*combinations(found, 2)] or found
        if not seen.isdisjoint(pairs):
            return True
        seen.update(pairs)
        args = [[run[a] for run in runs] for a in arguments(node)]
        if any(len(set(x)) > 1 for x in args) and _stands_out(node[0], values, args):
            return True
    return False


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


# ---- what the decimals compute


class Digits:
    """Decimals as an arithmetic of which not every row is known."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._fixed = [not varies for varies in varying(program.nodes)]
        self._budget = BUDGET
        self._runs = 0

    def run(self, point: Mapping[str, float]) -> list[Decimal]:
        """All nodes at a point."""
        self._runs += 1
        values: list[Decimal] = []
        for node, fixed in zip(self._program.nodes, self._fixed):
            if node[0] == "const":
                values.append(Decimal(node[1]))
            elif node[0] == "input":
                values.append(Decimal(repr(point[node[1]])))
            else:
                args = [values[a] for a in node[1:]]
                values.append(self._compute(node[0], args, fixed))
        return values

    def _compute(self, name: str, args: Sequence[Decimal], fixed: bool) -> Decimal:
        if name in _RULES:
            self._budget -= name in ("exp", "log")
            return _RULES[name](*args) if self._budget > 0 else NAN
        if name in _POWERS:
            self._budget -= 2 * (name == "pow")
            return _power(*_POWERS[name](*args), fixed) if self._budget > 0 else NAN
        text = _text(self._program.ops[name], self._program.ops)
        if text is None:
            return _random(f"{name} {self._runs}", args)
        values: list[Decimal] = []
        params = dict(zip(self._program.ops[name].params, args))
        for kind, content in text.items:
            if kind == "const" or kind == "param":
                leaf = Decimal(content) if kind == "const" else params[content]
                values.append(leaf)
            else:
                values.append(self._compute(kind, [values[a] for a in content], fixed))
        return values[-1]


@lru_cache(maxsize=None)
def _text(row: Op, ops: Table) -> Template | None:
    """What a row comes to, None if that is not known, or depends on a condition."""
    if row.name in _MEANINGS:
        return template(_MEANINGS[row.name], row, "means", ops)
    if row.means is None or row.variadic or row.kinks is not None:
        return None
    return meaning_template(row, ops)


def is_known(name: str, ops: Table) -> bool:
    """Whether a row is computed in digits; if not, it is random."""
    return name in _RULES or name in _POWERS or _text(ops[name], ops) is not None


def _random(name: str, args: Sequence[Decimal]) -> Decimal:
    if any(x != x for x in args):
        return NAN
    signs = "".join("-+"[x >= 0] for x in args)
    drawn = crc32(" ".join([name, signs, *map(key, args)]).encode())
    return 1 + Decimal(drawn) / 2**32


def _sum(x: Decimal, y: Decimal) -> Decimal:
    """A sum; 0 if it cancels, no evidence if it swallows a term."""
    if x and y:
        if abs(x.adjusted() - y.adjusted()) > CANCEL:
            return NAN
        if abs(total := x + y) <= abs(x) * _SMALLEST:
            return Decimal(0)
        return total
    return x + y


def _exp(x: Decimal) -> Decimal:
    """The exponential, not followed where it is 1 in many digits, or too large."""
    if not x:
        return Decimal(1)
    return x.exp() if _SMALLEST < abs(x) < _LARGEST else NAN


_RULES: Mapping[str, Callable[..., Decimal]] = {
    "add": _sum,
    "sub": lambda x, y: _sum(x, -y),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y if y else NAN,
    "neg": lambda x: -x,
    "exp": _exp,
    "log": lambda x: x.ln() if x > 0 else NAN,
    "e": lambda: Decimal(1).exp(),
    "pi": lambda: _PI,
}

Power = tuple[Decimal, Decimal, Decimal]  # base, exponent, and the principal branch


def _sqrt(x: Decimal) -> Power:
    return x, Decimal("0.5"), x.sqrt()


def _pow(x: Decimal, y: Decimal) -> Power:
    twice = 2 * y
    if abs(y) > 1000 or 0 < abs(y) < _SMALLEST or (not x and y <= 0):
        power = NAN
    elif abs(twice % 2) == 1 and x >= 0:
        power = x.sqrt() ** twice
    else:
        power = x**y
    return x, y, power if power.is_finite() else NAN


_POWERS: Mapping[str, Callable[..., Power]] = {
    "sqrt": _sqrt,
    "hypot": lambda *xs: _sqrt(sum([x * x for x in xs], Decimal(0))),
    "pow": _pow,
}


def _power(
    base: Decimal, exponent: Decimal, principal: Decimal, fixed: bool
) -> Decimal:
    """A power on a random branch: a random sign for a root, else any factor."""
    rest = (exponent % 1 + 1) % 1
    if fixed or not rest:
        return principal
    if rest == Decimal("0.5"):
        return principal * (1 - 2 * (crc32(key(base).encode()) & 1))
    drawn = crc32(f"{key(base)} {key(rest)}".encode())
    return principal * Decimal(1 + drawn % 1000003) / 1000003


# ---- what floats compute


def run(
    program: Program, point: Mapping[str, float], random: Random | None = None
) -> list[float | None]:
    """All nodes in Python's floats, None where they are none.

    Arguments:
        random: draws what is not computed in digits, if it is given.
    """
    computes, values = functions(program.ops), list[float | None]()
    for node in program.nodes:
        if node[0] == "const":
            values.append(node[1])
        elif node[0] == "input":
            values.append(point[node[1]])
        elif random and not is_known(node[0], program.ops):
            values.append(random.uniform(0.5, 2.0))
        else:
            args = [values[a] for a in node[1:]]
            values.append(_float(computes[node[0]], node[0], args))
    return values


def _float(
    compute: Callable[..., float], op: str, args: Sequence[float | None]
) -> float | None:
    if None in (args[:1] if op in LAZY else args):
        return None
    try:
        x = compute(*args)
    except NOT_DEFINED:
        return None
    return x if x is not None and -math.inf < x < math.inf else None


def _lost(op: str, z: float | None, args: Sequence[float | None]) -> float:
    """The bits by which an argument's error grows, as long as all are floats."""
    known = [abs(x) for x in (z, *args) if x is not None]
    if len(known) <= len(args):
        return 0.0
    size, *sizes = known
    if op in ("exp", "pow"):  # the error of what is in the exponent
        return math.log2(max(sizes[-1], 1.0))
    return min(math.log2(max(sizes) / size), 53.0) if size else 53.0
