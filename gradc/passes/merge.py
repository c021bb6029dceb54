"""Merge nodes that are the same function, however they are written.

    %0 = input x                %0 = input x
    %1 = input y                %1 = input y
    %2 = sqrt %0                %2 = sqrt %0
    %3 = div %0 %2       -->    %3 = mul %2 %1
    %4 = mul %3 %1              out %3
    out %4

Nodes that agree in 40 digits at random points are equal as functions (Schwartz, Fast
probabilistic algorithms for verification of polynomial identities, 1980; Monagan and
Gonnet, Signature functions for algebraic numbers, 1994). They become the first of them;
a node that is the same number everywhere becomes that number. This finds identities
that nobody wrote down, as that of the two densities of the Black-Scholes formula.

The standard library's `decimal` computes sums, products, powers, exponentials and
logarithms in 60 digits, and what the table writes with these. Of any other row only
this is known: equal arguments give equal numbers, and otherwise they are random, of
either sign at the points that have negative numbers. A root has a random sign, the same
for equal radicands, and at the same point once more the other one, and at last the right
one: `sqrt(x)*sqrt(x)` is x, and `sqrt(u^2)` is not u, even if u is positive at all
points. A sum that swallows a term is unknown.

A node is replaced only by one that stands earlier, so that the value never depends on a
derivative; that is computed whenever it is (`guards`); that is defined wherever it is,
and no deeper, for a deeper expression may have a pole or a cancellation at a place of
its own; nor is a very deep one, for the steps of a tower of powers may have converged at
the points. Still the last bits may differ: `strict` leaves the pass out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from itertools import compress
from math import isnan
from operator import attrgetter
from random import Random
from zlib import crc32

from gradc.analysis.guards import NEVER, Guards, place
from gradc.calculus import meaning_template
from gradc.ir import CONDITIONS, Builder, Program, arguments, compact
from gradc.ops import Table
from gradc.run import FLOATS, NOT_DEFINED

FEWEST = 6  # nodes of a gradient below which there is nothing to gain
MOST = 5_000  # nodes above which a program is left as it is
EVIDENCE = 4  # points at which nodes must be known to be called equal
DEEPEST = 100  # sums, quotients and calls above one another, in nodes that are merged

# The points have magnitudes 10^(center +- spread), the first ones no negative number.
SCALES = ((0.0, 0.3), (-0.5, 0.4), (0.5, 0.5), (0.2, 0.5), (4.3, 0.4), (-0.1, 0.4))
POSITIVE = 3
SWALLOWED = 19  # digits between the terms of a sum of which it swallows one
CANCELLED = 45  # digits that a sum loses which is 0

NAN = Decimal("nan")  # not defined
UNKNOWN = Decimal("inf")
_FINE = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_KEY = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_WEIGHT = Decimal("1.25992104989487316476721060727822835057025146470150798008197")


def merge(program: Program) -> Program:
    """Return a program in which nodes that agree at sampled points are one node."""
    derived = len(program.nodes) - program.last - 1
    if derived < FEWEST or len(program.nodes) > MOST:
        return program
    with localcontext(_FINE):
        return Merger(program).run()


class Merger:
    """Merges the nodes of a program.

    Attributes:
        new: the new nodes of the old ones.
        guard: under which a new node is computed.
        depth: how many sums, quotients and calls of an old node stand above one another.
        seen: the old nodes that are looked at, by the number that they first are.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.samples = samples(program)
        self.guards = Guards(program)
        self.placed = place(program, self.guards)
        self.builder = Builder(program.ops)
        self.new: dict[int, int] = {}
        self.guard: dict[int, int] = {}
        self.seen: dict[Decimal, list[int]] = {}
        self.depth: list[int] = []
        for node in program.nodes:
            below = max([self.depth[a] for a in arguments(node)], default=-1)
            self.depth.append(below + (node[0] not in ("mul", "neg")))

    def run(self) -> Program:
        """Merge the nodes, of the derivatives those of little depth first."""
        program, placed, guard, new = self.program, self.placed, self.guard, self.new
        values = range(program.last + 1)
        derivatives = range(program.last + 1, len(program.nodes))
        for i in (*values, *sorted(derivatives, key=self.depth.__getitem__)):
            j = self.builder.copy(program, i, new)
            if j not in guard:
                j = self._known(i, j)
            if j not in guard or self.guards.covers(placed[i], guard[j]):
                guard[j] = placed[i]
            new[i] = j
        merged = self.builder.follow(program, [new[i] for i in program.outputs])
        return min(program, compact(merged), key=attrgetter("cost"))

    def _known(self, i: int, j: int) -> int:
        """The node to use for the old node `i` that became `j`: `j` or its equal."""
        op, nodes = self.builder.nodes[j][0], self.builder.nodes
        sampled = [x for x in self.samples[i] if x.is_finite()]
        if op in CONDITIONS or op == "const" or self.placed[i] == NEVER or not sampled:
            return j
        value = float(sampled[0]) + 0.0  # no constant is -0.0
        undefined = i <= self.program.last and any(map(isnan, self.samples[i]))
        pairs = [(Decimal(value), x) for x in self.samples[i]]
        if not undefined and _sign(pairs) == 1:
            return self.builder.const(value)
        peers = self.seen.setdefault(abs(_key(sampled[0])), [])
        for peer in peers if op != "input" else ():
            if sign := self._replaceable(peer, i):
                r = self.new[peer]
                found = r if sign > 0 else self.builder.add("neg", r)
                if i in self.program.names and nodes[found][0] != "input":
                    self.builder.name(found, self.program.names[i])
                return found
        peers.append(i)
        return j

    def _replaceable(self, peer: int, i: int) -> int:
        """The sign with which a node may stand for the node `i`; 0 if it may not.

        The value stays undefined where the formula is; a derivative is not read there.
        """
        available = self.guards.covers(self.guard[self.new[peer]], self.placed[i])
        if not available or not self.depth[peer] <= self.depth[i] <= DEEPEST:
            return 0
        pairs = [*zip(self.samples[peer], self.samples[i])]
        for x, y in pairs:
            if isnan(x) != isnan(y) and (isnan(x) or i <= self.program.last):
                return 0
        return _sign(pairs)


def _sign(pairs: Sequence[tuple[Decimal, Decimal]]) -> int:
    """1 if the numbers of all pairs are equal, -1 if they are opposite, else 0.

    Nothing is told without some that are of roots that are positive.
    """
    known = [x.is_finite() and y.is_finite() for x, y in pairs]
    is_sure = sum(known) >= EVIDENCE and any(known[2 * len(SCALES) :] or known)
    for sign in (1, -1) if is_sure else ():
        if all(_key(x) == sign * _key(y) for x, y in compress(pairs, known)):
            return sign
    return 0


def samples(program: Program) -> list[tuple[Decimal, ...]]:
    """60 digits of each node at random points, or NAN, or UNKNOWN."""
    random, runs = Random(1729), list[list[Decimal]]()
    points = [
        {item.name: _drawn(random, k, n) for n, item in enumerate(program.inputs)}
        for k in range(len(SCALES))
    ]
    signs = 1 if program.operations.isdisjoint(_POWERS) else 3
    for k, point in enumerate(points * signs):
        values: list[Decimal] = []
        for op, *args in program.nodes:
            if op in ("const", "input"):
                values.append(Decimal(args[0]) if op == "const" else point[args[0]])
            else:
                values.append(_row(op, [values[a] for a in args], k, program.ops))
        runs.append(values)
    return [*zip(*runs)]


def _drawn(random: Random, k: int, n: int) -> Decimal:
    """A short number for the `n`-th input at the point `k`."""
    center, spread = SCALES[k]
    drawn = 10.0 ** (center + spread * random.uniform(-1.0, 1.0))
    return Decimal(f"{-drawn if k >= POSITIVE and (n + k // 2) % 2 else drawn:.12g}")


def _key(x: Decimal) -> Decimal:
    """What numbers share that agree in some 40 digits.

    The weight keeps numbers of few digits away from where rounding decides.
    """
    return _KEY.multiply(x, _WEIGHT)


def _row(name: str, args: Sequence[Decimal], k: int, ops: Table) -> Decimal:
    """What a row is on some numbers, at the point `k`."""
    if not all([x.is_finite() for x in args]):
        return NAN if any(map(isnan, args)) else UNKNOWN
    if name in _RULES:
        return _RULES[name](*args)
    if name in _POWERS:
        return _power(*_POWERS[name](*args), k)
    row = ops[name]
    if row.means is None or row.variadic or row.kinks or "where" in row.means:
        return _random(name, args, k, ops)
    values: list[Decimal] = []
    params = dict(zip(row.params, args))
    for kind, content in meaning_template(row).items:
        if kind == "const" or kind == "param":
            values.append(Decimal(content) if kind == "const" else params[content])
        else:
            values.append(_row(kind, [values[a] for a in content], k, ops))
    return values[-1]


def _random(name: str, args: Sequence[Decimal], k: int, ops: Table) -> Decimal:
    """A number for a row of which only the domain is known."""
    try:
        FLOATS.compute(ops[name])(*map(float, args))
    except NOT_DEFINED:
        return NAN
    words = [name, str(k % len(SCALES)), *map(str, map(_key, args))]
    drawn = crc32(" ".join(words).encode())
    size = 1 + Decimal(drawn) / 2**32
    return -size if drawn % 2 and k % len(SCALES) >= POSITIVE else size


def _sum(x: Decimal, y: Decimal) -> Decimal:
    """A sum, which is 0 if it cancels."""
    if x and y and abs(x.adjusted() - y.adjusted()) > SWALLOWED:
        return UNKNOWN
    total = x + y
    return total if abs(total) > abs(x).scaleb(-CANCELLED) else Decimal(0)


def _exp(x: Decimal) -> Decimal:
    """The exponential, not followed where it is 1 in many digits, or too large."""
    if x and not -SWALLOWED < x.adjusted() < 9:
        return UNKNOWN
    return x.exp()


def _power(x: Decimal, y: Decimal, k: int) -> Decimal:
    """A power; a root has a random sign at the point `k`, then the other, then none."""
    if not x:
        return UNKNOWN if y > 0 else NAN  # 0^y has a jump at 0
    if abs(y) > 1000 or (y and y.adjusted() < -SWALLOWED):
        return UNKNOWN
    if y == y.to_integral_value():
        return x**y
    sign = crc32(f"{_key(x)} {k % len(SCALES)}".encode()) + k // len(SCALES)
    return -(x**y) if sign % 2 and k < 2 * len(SCALES) else x**y


_RULES: Mapping[str, Callable[..., Decimal]] = {
    "add": _sum,
    "sub": lambda x, y: _sum(x, -y),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y if y else NAN,
    "neg": lambda x: -x,
    "exp": _exp,
    "log": lambda x: x.ln() if x > 0 else NAN,
}
_POWERS: Mapping[str, Callable[..., tuple[Decimal, Decimal]]] = {
    "pow": lambda x, y: (x, y),
    "sqrt": lambda x: (x, Decimal("0.5")),
    "hypot": lambda *xs: (sum([x * x for x in xs], Decimal(0)), Decimal("0.5")),
}
