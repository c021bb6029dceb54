"""Exponents: what nodes are at distant points, and what floats keep of them.

A conditional takes the side that it takes there (see `sides`), or either side where
signs and exponents leave that open. Floats may take the other one, as where x*x is 0.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from typing import NamedTuple

from gradc.analysis import sides
from gradc.analysis.distant import POWER
from gradc.analysis.levels import CONSTANTS
from gradc.analysis.magnitudes import (
    COUNTS,
    GROWN,
    JITTER,
    LARGEST,
    LINEAR,
    SMALLEST,
    STEEP,
    UNDEFINED,
    held,
    is_undefined,
    is_wrong,
    raising,
    rule_of,
)
from gradc.analysis.sides import Sign, Verdict
from gradc.ir import COMPARISONS, Program, arguments

APART = 101  # sums that are told apart
CLOSE = 1e-3  # exponents that differ by less are equal
SATURATED = 1.6  # exponent of an argument beyond which such a function is constant
_SUMS = frozenset({"add", "sub"})
_KEEPING = frozenset({"abs", "neg", "mul"})  # as small as what they are of

# Functions whose exponent does not tell where they are.
_SATURATING = frozenset("atan erf erfc normcdf sigmoid tanh".split())
_TELLING_LITTLE = (
    STEEP | _SATURATING | frozenset("acos acosh asinh cos log log1p sin tan".split())
)
Column = list[float]  # exponents of a node, point by point


class Run(NamedTuple):
    """What the exponents of nodes are at points, and what floats keep of them."""

    program: Program
    common: int  # points before those that are rare
    true: list[Column]
    left: list[Column]  # the same lists where floats keep all
    raised: Sequence[set[int]]  # points where Python raises, or further down
    drawn: Mapping[int, Sequence[bool]]  # sides of conditionals that may be either
    chosen: dict[int, Sequence[bool]]  # the sides of conditionals
    taken: dict[int, Sequence[bool]]  # the sides that floats take
    verdicts: dict[int, Sequence[Verdict]]  # of conditions
    told: dict[int, Sequence[Verdict]]  # the same of floats
    signs: dict[int, Sequence[Sign]]  # of nodes that conditions compare
    asked: Set[int]  # these nodes
    done: set[int]  # the nodes that have been run
    positive: Sequence[bool]  # the nodes that are never below 0
    powers: Mapping[int, Sequence[float]]  # what the exponents of powers are
    steep: Mapping[int, Sequence[float]]  # the exponents of exponentials
    spread: Mapping[int, Sequence[Spread]]  # what these are of, where they are extreme

    def wrong(self, i: int) -> set[int]:
        """Where floats keep something else of a node than the float that it is."""
        if self.left[i] is self.true[i]:
            return set()
        pairs = enumerate(zip(self.true[i], self.left[i]))
        return {k for k, (true, left) in pairs if is_wrong(true, left)}

    def is_endless(self, i: int, k: int) -> bool:
        """Whether floats keep an infinity of a node at a point, or NaN."""
        kept = self.left[i][k]
        return kept == math.inf or math.isnan(kept)

    def reading(self, i: int, a: int, points: Set[int]) -> Set[int]:
        """Those of some points at which a node is computed from this argument."""
        if i not in self.chosen:
            return points
        condition, yes, no = self.program.nodes[i][1:]
        taken, chosen = self.taken[i], self.chosen[i]
        return {
            k
            for k in points
            if a == (yes if taken[k] else no)
            or (a == condition and taken[k] != chosen[k])
        }

    def _without(self, i: int, args: Sequence[int], kept: Column) -> Column:
        """What floats keep of a sum if a term that counts has been lost in it.

        That is off by something else for each sum, or it would be none in a quotient.
        """
        found, off = kept, 1.0 + i % APART / APART
        for a in args:
            if self.left[a] is self.true[a]:
                continue
            pairs = zip(found, self.true[a], self.left[a])
            found = [
                x + off if x - COUNTS < true and left < true - CLOSE else x
                for x, true, left in pairs
            ]
        return found

    def _of_lost(self, i: int, args: Sequence[int], kept: Column) -> Column:
        """What floats keep of a quotient, something else if both its terms are lost."""
        off = 1.0 + i % APART / APART
        above, below = (zip(self.true[a], self.left[a]) for a in args)
        lost = [
            abs(x - y) > CLOSE and abs(z - w) > CLOSE
            for (x, y), (z, w) in zip(above, below)
        ]
        return [
            x + off if bad and math.isfinite(x) else x for x, bad in zip(kept, lost)
        ]

    def decide(self, i: int) -> None:
        """Find whether a condition holds, and what floats say of it."""
        op, *args = self.program.nodes[i]
        self.raised[i].update(*[self.raised[a] for a in args])
        if op not in COMPARISONS:
            rule = sides.JOINED[op]
            asked = [a for a in args if a in self.verdicts]  # the other tells nothing
            for of in (self.verdicts, self.told):
                known = [of[a] for a in asked]
                of[i] = [*map(rule, *known)] if len(known) == len(args) else known[0]
            return
        signs = [*zip(*[self.signs[a] for a in args])]
        true, left = ([*zip(*[of[a] for a in args])] for of in (self.true, self.left))
        loose = [*zip(*[self._loose(a) for a in args])]
        verdict = partial(sides.verdict, op)
        self.verdicts[i] = self.told[i] = [*map(verdict, signs, true, loose)]
        if true != left:
            self.told[i] = [*map(verdict, signs, left, loose)]

    def _loose(self, i: int) -> Sequence[bool]:
        """Where a node may be smaller than its exponent says, by its terms' cancelling."""
        nodes = self.program.nodes
        while nodes[i][0] in _KEEPING:
            others = [a for a in nodes[i][1:] if nodes[a][0] != "const"]
            if len(others) != 1:
                break
            (i,) = others
        if nodes[i][0] not in _SUMS:
            return [False] * len(self.true[i])
        args = nodes[i][1:]
        signs, sizes = (zip(*[of[a] for a in args]) for of in (self.signs, self.true))
        return [*map(partial(sides.is_loose, self.program, i), signs, sizes)]

    def choose(self, i: int) -> None:
        """Find what a conditional is: at each point one of its sides."""
        condition, yes, no = self.program.nodes[i][1:]
        told = self.told[condition]
        known = zip(self.verdicts[condition], told, self.drawn[i])
        chosen = [_first(*verdicts) for verdicts in known]
        taken = [_first(x, y) for x, y in zip(told, chosen)]
        self.chosen[i], self.taken[i] = chosen, taken
        arms = [no, yes]
        self.true[i] = true = [self.true[arms[c]][k] for k, c in enumerate(chosen)]
        left = [self.left[arms[c]][k] for k, c in enumerate(taken)]
        if taken != chosen:
            least = -1.0 if self._are_numbers(arms) else JITTER  # or both may be right
            left = [
                y if c == d else x if abs(x - y) <= least else y + (x == y)
                for x, y, c, d in zip(true, left, chosen, taken)
            ]
        self.left[i] = true if left == true else left
        self.raised[i].update(self.raised[condition])
        raised = [self.raised[a] for a in arms]
        self.raised[i].update(k for k, c in enumerate(taken) if k in raised[c])
        if i in self.asked:
            unknown: list[Sign] = [1] * len(chosen)  # of what no path takes
            signs = [self.signs.get(a, unknown) for a in arms]
            self.signs[i] = [signs[c][k] for k, c in enumerate(chosen)]

    def _are_numbers(self, arms: Sequence[int]) -> bool:
        """Whether the sides of a conditional are two numbers."""
        return all(self.program.nodes[a][0] == "const" for a in arms)

    def _find_signs(self, i: int) -> None:
        """Find the sign of a node at each point."""
        args = arguments(self.program.nodes[i])
        count = len(self.true[i])
        signs = [*zip(*[self.signs[a] for a in args])] or [()] * count
        exponents = [*zip(*[self.true[a] for a in args])] or [()] * count
        of = partial(sides.sign, self.program, i)
        found: list[Sign] = [1] * count
        if not self.positive[i]:
            found = [*map(of, signs, exponents)]
        self.signs[i] = found
        for k, spread in enumerate(self.spread.get(i, ())):
            found[k] = spread.sign if spread.sign else found[k]

    def compute(self, i: int) -> None:
        """Find what a node is, and what floats keep of it."""
        op, *args = self.program.nodes[i]
        rule = rule_of(self.program, i, self.positive)
        left = [self.left[a] for a in args]
        keeps = all(self.left[a] is self.true[a] for a in args)
        right = [self.true[a] for a in args]
        if op == "pow" and args[1] in self.powers:
            left[1] = right[1] = [*self.powers[args[1]]]
        true = results = [*map(rule, *right)]
        if not keeps:
            results = [*map(rule, *left)]
        if i in self.steep:
            true = [x or y for x, y in zip(self.steep[i], true)]
            known = self.steep[i] if op != "pow" or keeps else self._kept(i, args[0])
            results = [x or y for x, y in zip(known, results)]
        if i in self.spread:
            true, results = (
                [s.exponent if s.sign else x for s, x in zip(self.spread[i], column)]
                for column in (true, results)
            )
        if op == "exp":
            true, results = (
                self._grown(i, args[0], known, column)
                for known, column in ((right[0], true), (left[0], results))
            )
        if op in _TELLING_LITTLE and not keeps:
            results = self._with_argument(i, args[0], results)
        if not all(math.isfinite(sum(column)) for column in left):
            undefined = UNDEFINED.get(op, is_undefined)
            if op == "add" and all(self.positive[a] for a in args):
                undefined = is_undefined
            lost = [*map(undefined, *left)]
            if op in _SUMS and undefined is not is_undefined:
                # Signs that nobody knows are opposite at every other point.
                lost = [
                    is_lost and ((k + i) % 2 == 0 or math.isnan(x))
                    for k, (x, is_lost) in enumerate(zip(results, lost))
                ]
            results = [math.nan if y else x for x, y in zip(results, lost)]
        self.raised[i].update(*[self.raised[a] for a in args])
        self.raised[i].update(raising(op, left, true, results))
        kept = [x if SMALLEST < x < LARGEST else held(x) for x in results]
        if not keeps:
            kept = [y if abs(x - y) < CLOSE else x for x, y in zip(kept, true)]
            if op in _SUMS:
                kept = self._without(i, args, kept)
            elif op == "div":
                kept = self._of_lost(i, args, kept)
        self.true[i] = true
        self.left[i] = true if kept == true else kept
        if i in self.asked:
            self._find_signs(i)

    def _grown(self, i: int, a: int, of: Column, results: Column) -> Column:
        """The exponents of an exponential, where they follow from its argument."""
        drawn = self.steep.get(i) or [0.0] * len(of)
        return [
            z if known or sign is None or not x > GROWN
            else sign * 10.0 ** min(x, LARGEST)
            for x, z, sign, known in zip(of, results, self.signs[a], drawn)
        ]  # fmt: skip

    def _kept(self, i: int, base: int) -> Column:
        """The exponents of a power, 0 where floats do not keep its base."""
        drawn = zip(self.true[base], self.left[base], self.steep[i])
        return [z if x == y or abs(x - y) < CLOSE else 0.0 for x, y, z in drawn]

    def _with_argument(self, i: int, a: int, results: Column) -> Column:
        """Results of a function, others where its argument is lost and not small."""
        most = SATURATED if self.program.nodes[i][0] in _SATURATING else LARGEST
        return [
            z if abs(x - y) < CLOSE or not -COUNTS < max(x, y) or min(x, y) > most
            else z + 1.0
            for x, y, z in zip(self.true[a], self.left[a], results)
        ]  # fmt: skip


def _first(*verdicts: Verdict) -> bool:
    """The first verdict that is known."""
    return next(x is True for x in verdicts if x is not None)


class Spread(NamedTuple):
    """What an exponential is of: its sign and exponent of ten, 0 if not extreme."""

    sign: int
    exponent: float

    @classmethod
    def of(cls, grown: float) -> Spread:
        """By the exponent of ten of the exponential."""
        if not grown:
            return cls(0, 0.0)
        return cls(1 if grown > 0.0 else -1, math.log10(abs(grown) * math.log(10.0)))


class Steep(NamedTuple):
    """What an exponential is of: its exponent is that number times a weight.

    A power is of its base and that number.
    """

    of: tuple[int, ...]
    weight: float

    @property
    def name(self) -> str:
        """A name that no input has."""
        return "%" + POWER.join(map(str, self.of))


def is_steep(program: Program, i: int) -> bool:
    """Whether a node is an exponential, extreme where its argument is not."""
    op, *args = program.nodes[i]
    return op in STEEP or (op == "pow" and program.nodes[args[1]][0] != "const")


def exponential(program: Program, i: int, known: Mapping[int, float]) -> Steep:
    """What an exponential is of, without constant factors and terms.

    Arguments:
        known: the nodes that are numbers.
    """
    op, *args = program.nodes[i]
    *bases, of = args
    weight = 1.0
    if bases and bases[0] in known:
        base = known[bases.pop()]
        weight = math.log(base) if base > 0.0 else 0.0
    while True:
        op, *args = program.nodes[of]
        fixed = [k for k, a in enumerate(args) if op in LINEAR and a in known]
        if op not in LINEAR or (op != "neg" and len(fixed) != 1):
            return Steep((*bases, of), weight)
        if op == "neg" or (op == "sub" and fixed == [0]):
            weight = -weight
        elif op == "div" and fixed == [0]:
            return Steep((*bases, of), weight)
        elif op in ("mul", "div"):
            size = known[args[fixed[0]]]
            weight = weight * size if op == "mul" else weight / (size or math.inf)
        (of,) = (a for k, a in enumerate(args) if k not in fixed)


def numbers(program: Program) -> dict[int, float]:
    """The nodes that are numbers, computed from constants in a few simple ways."""
    found: dict[int, float] = {}
    for i, (op, *args) in enumerate(program.nodes):
        if op == "const":
            found[i] = args[0]
        elif op in CONSTANTS:
            found[i] = CONSTANTS[op]
        elif op in _NUMBERS and all(a in found for a in args):
            try:
                found[i] = _NUMBERS[op](*[found[a] for a in args])
            except (ArithmeticError, ValueError):
                continue
    return found


_NUMBERS: Mapping[str, Callable[..., float]] = {
    "neg": operator.neg,
    "mul": operator.mul,
    "div": operator.truediv,
    "log": math.log,
    "sqrt": math.sqrt,
}
