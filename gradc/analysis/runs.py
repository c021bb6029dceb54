"""Runs: what a program computes at distant points, for all its functions.

The exponentials of one number are extreme together: `1/cosh(x)^2` and `sinh(x)` are
factors of one derivative, and each is a float where their product is wrong.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice
from random import Random
from typing import NamedTuple

from gradc.analysis import sides
from gradc.analysis.bounds import sizes
from gradc.analysis.distant import NEAR, Point, Points, along, edges
from gradc.analysis.exponents import (
    Column,
    Run,
    Spread,
    exponential,
    is_steep,
    numbers,
)
from gradc.analysis.magnitudes import BELLS, EVEN, LARGEST, RISING, TAILS
from gradc.analysis.sides import Sign
from gradc.analysis.suspects import Suspects
from gradc.ir import CONDITIONS, Input, Node, Program, arguments

STEEPEST = 10  # exponentials that are extreme with inputs they do not depend on
WORK = 60_000  # nodes that are run for a function
POWERS = (-0.6, 3.0)  # the exponents of ten of inputs in exponents, if not extreme
BASES = (-0.5, 0.5)  # the same of inputs beside them


class Test(NamedTuple):
    """A node that is tested for being too large, or for being too small."""

    cost: int  # that it is not used, so that it needs a name, and of being small
    node: int
    large: bool
    endless: bool = False  # or only for being infinite or NaN


class Runs:
    """Runs a program on exponents of ten, at all points node by node.

    What functions of it have in common is run once. A sum is as its largest term, for
    at a random point none cancel; a condition falls one way or the other.

    Attributes:
        chosen: the tests of the functions so far. The others have them too, so that a
            value is computed again beside its derivatives where it is alone.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.chosen: list[Test] = []
        self.known: dict[tuple[str, ...], Run] = {}  # by what is extreme
        self.edges: Run | None = None
        nodes = program.nodes
        count = range(len(nodes))
        steep = [i for i in count if is_steep(program, i)]
        known = numbers(program) if steep else {}
        self.steep = {i: exponential(program, i, known) for i in steep}
        powers = {
            node[2]
            for node in nodes
            if node[0] == "pow" and nodes[node[1]][0] != "const"
        }
        self.powers = [i for i in sorted(powers) if nodes[i][0] != "const"]
        self.levels = self._levels()
        self.exponents = self._inputs(self.powers)
        self.high = self._high()
        self.asked = sides.asked(program)
        self.positive = [size.positive for size in sizes(program)]

    def _levels(self) -> list[list[str]]:
        """The exponentials of what is below the largest of some numbers, by these."""
        nodes = self.program.nodes
        found: dict[int, list[str]] = defaultdict(list)
        for one in self.steep.values():
            op, *args = nodes[one.of[-1]]
            if op == "sub" and nodes[args[1]][0] == "max":
                if args[0] in nodes[args[1]][1:] and one.name not in found[args[1]]:
                    found[args[1]].append(one.name)
        return [*found.values()]

    def _inputs(self, nodes: Sequence[int]) -> set[str]:
        """The inputs that some nodes are computed from."""
        program = self.program.nodes
        below = self._below(nodes)
        return {program[i][1] for i in below if program[i][0] == "input"}

    def _below(self, nodes: Sequence[int]) -> set[int]:
        """Some nodes and all that they are computed from."""
        found, stack = {*nodes}, [*nodes]
        while stack:
            i = stack.pop()
            new = [a for a in arguments(self.program.nodes[i]) if a not in found]
            found.update(new)
            stack += new
        return found

    def _live(self, suspects: Suspects) -> list[int]:
        """The nodes that a function computes."""
        return [i for i in range(len(self.program.nodes)) if suspects.is_live(i)]

    def run(self, suspects: Suspects) -> Run:
        """Run all that a function computes."""
        nodes = self.program.nodes
        live = self._live(suspects)
        names = {nodes[i][1] for i in live if nodes[i][0] == "input"}
        inputs = [item for item in self.program.inputs if item.name in names]
        found = sorted(
            {self.steep[i] for i in live if i in self.steep},
            key=lambda one: (len(one.of), one),
        )
        steep = {one.name: one.of for one in found}
        key = (*[item.name for item in inputs], *steep)
        if key not in self.known:
            random = Random(1729)
            below = {
                name: self._inputs(of) for name, of in islice(steep.items(), STEEPEST)
            }
            points = Points(inputs, steep, below, self.high, random).drawn()
            own = [item for item in inputs if item.kind != "vector"]
            if len(own) < len(inputs):
                others = Points(own, steep, below, self.high, random).drawn()
                points = chain(along(others, inputs), points)
            most = WORK // len(nodes)
            common = [*islice(points, most)]
            corners = Points(own, steep, below, self.high, random).corners()
            rare = [*islice(corners, most - len(common))]
            self.known[key] = self._begun(common, random, rare)
        return self._done(self.known[key], live)

    def at_edges(self, suspects: Suspects) -> Run:
        """Run all that a function computes where inputs are at the ends of floats."""
        if self.edges is None:
            points = [*edges(self.program.inputs)]
            self.edges = self._begun(points, Random(1729))
        return self._done(self.edges, self._live(suspects))

    def _done(self, run: Run, live: Sequence[int]) -> Run:
        """A run that has come to some nodes."""
        nodes = self.program.nodes
        for i in live:
            if i not in run.done and _is_computed(nodes[i]):
                run.done.add(i)
                if nodes[i][0] == "where":
                    run.choose(i)
                elif nodes[i][0] in CONDITIONS:
                    run.decide(i)
                else:
                    run.compute(i)
        return run

    def _begun(
        self, common: Sequence[Point], random: Random, rare: Sequence[Point] = ()
    ) -> Run:
        """A run at points, given by exponents, of which only these are known."""
        nodes, points = self.program.nodes, [*common, *rare]
        true = [[0.0] * len(points)] * len(nodes)
        for i, (op, *args) in enumerate(nodes):
            if op == "const":
                size = math.log10(abs(args[0])) if args[0] else -math.inf
                true[i] = [size] * len(points)
            elif op == "input":
                draw = self._moderate(args[0], random)
                true[i] = [point.get(args[0]) or draw() for point in points]
        drawn = self._drawn(len(points), random)
        grown = self._grown(points, random)
        spread = self._spread(grown)
        for i in spread:
            if nodes[i][0] == "input":
                true[i] = [
                    s.exponent if s.sign else x for s, x in zip(spread[i], true[i])
                ]
        return Run(
            self.program,
            len(common),
            true,
            left=true[:],
            raised=[set() for _ in nodes],
            drawn=drawn,
            chosen={},
            taken={},
            verdicts={},
            told={},
            signs=self._signs(spread, len(points)),
            asked=self.asked,
            done=set(),
            positive=self.positive,
            powers=self._powers(true, len(points)),
            steep={
                i: [*map(self._grows(i), grown[one.name])]
                for i, one in self.steep.items()
                if one.weight
            },
            spread=spread,
        )

    def _grown(
        self, points: Sequence[Point], random: Random
    ) -> dict[str, Sequence[float]]:
        """The exponents of exponentials of weight 1, 0 where they are not extreme.

        Of those of one number, one that is drawn has the exponent of the point.
        """
        weights: dict[str, list[float]] = defaultdict(list)
        for one in self.steep.values():
            weights[one.name] += [abs(one.weight)] if one.weight else []
        found: dict[str, Sequence[float]] = {
            name: [point.get(name, 0.0) / random.choice(sizes) for point in points]
            for name, sizes in weights.items()
            if sizes
        }
        for below in self.levels:
            names = [name for name in below if name in found]
            levelled = zip(*[_levelled(row) for row in zip(*[found[n] for n in names])])
            found.update(zip(names, levelled))
        return found

    def _spread(
        self, grown: Mapping[str, Sequence[float]]
    ) -> dict[int, Sequence[Spread]]:
        """What exponentials are of, where they are extreme."""
        found: dict[int, Sequence[Spread]] = {}
        for one in self.steep.values():
            if len(one.of) == 1 and one.weight:
                is_positive = self.positive[one.of[0]]
                found[one.of[0]] = [
                    Spread.of(abs(x) if is_positive else x) for x in grown[one.name]
                ]
        return found

    def _signs(
        self, spread: Mapping[int, Sequence[Spread]], count: int
    ) -> dict[int, Sequence[Sign]]:
        """The signs of constants and inputs that conditions ask for."""
        random = Random(1729)
        found: dict[int, Sequence[Sign]] = {}
        inputs = {item.name: item for item in self.program.inputs}
        for i in sorted(self.asked):
            op, *args = self.program.nodes[i]
            if op == "const":
                found[i] = [1 if args[0] >= 0.0 else -1] * count
            elif op == "input":
                ways = _ways(inputs[args[0]])
                signs = [random.choice(ways) for _ in range(count)]
                around = spread.get(i, [Spread(0, 0.0)] * count)
                found[i] = [s.sign or x for s, x in zip(around, signs)]
            elif not args:  # pi, e
                found[i] = [1] * count
        return found

    def _grows(self, i: int) -> Callable[[float], float]:
        """How the exponent of an exponential follows from what is drawn for it."""
        of, weight = self.steep[i]
        op = self.program.nodes[i][0]
        if op in BELLS:
            return lambda x: -abs(x * weight)
        if op in TAILS:
            return lambda x: min(TAILS[op] * weight * x, 0.0)
        if op in EVEN or (len(of) == 1 and self.positive[of[0]]):
            return lambda x: abs(x * weight) if op in EVEN else abs(x) * weight
        return lambda x: max(x * weight, 0.0) if op in RISING else x * weight

    def _high(self) -> dict[str, float]:
        """The exponents of ten of inputs at which high powers of them end."""
        highest: dict[int, float] = {}
        for base, power in _degrees(self.program.nodes):
            if abs(power) * NEAR > LARGEST:
                highest[base] = max(highest.get(base, 0.0), abs(power))
        found: dict[str, float] = {}
        for base, power in highest.items():
            for name in self._inputs([base]):
                found[name] = min(found.get(name, NEAR), LARGEST / power)
        return found

    def _powers(self, true: Sequence[Column], count: int) -> dict[int, Sequence[float]]:
        """What the exponents of powers are, 1 for those that are not arithmetic."""
        values: dict[int, Sequence[float]] = {}
        random = Random(1729)
        inputs = {item.name: item for item in self.program.inputs}
        nodes = self.program.nodes
        for i in sorted(self._below(self.powers)):
            op, *args = nodes[i]
            if op == "const":
                values[i] = [args[0]] * count
            elif op == "input":
                ways = _ways(inputs[args[0]])
                sizes = [10.0 ** min(x, LARGEST) for x in true[i]]
                values[i] = [x * random.choice(ways) for x in sizes]
            else:
                rule = _ARITHMETIC.get(op, _one)
                columns = zip(*(values[a] for a in args)) if args else [()] * count
                values[i] = [rule(*xs) for xs in columns]
        return {i: values[i] for i in self.powers}

    def _moderate(self, name: str, random: Random) -> Callable[[], float]:
        """Draws the exponent of what is not extreme: 1, unless powers are taken."""
        if name in self.exponents:
            low, high = POWERS  # most powers of large numbers are no floats
            return lambda: low + (high - low) * random.random() ** 2
        if self.exponents:
            return lambda: random.uniform(*BASES)
        return lambda: 0.0

    def _drawn(self, count: int, random: Random) -> dict[int, Sequence[bool]]:
        """The sides of conditionals at so many points where they may be either."""
        conditionals = [
            i for i, node in enumerate(self.program.nodes) if node[0] == "where"
        ]
        rows = [
            [random.choice((True, False)) for _ in conditionals] for _ in range(count)
        ]
        return {i: [row[k] for row in rows] for k, i in enumerate(conditionals)}


def _levelled(exponents: Sequence[float]) -> list[float]:
    """Exponents of which the largest is 0."""
    level = max(exponents)
    return [x - level for x in exponents]


def _ways(item: Input) -> Sequence[int]:
    """The signs that an input may have."""
    low = -math.inf if item.low is None else item.low
    high = math.inf if item.high is None else item.high
    return (1,) if low >= 0.0 else (-1,) if high <= 0.0 else (1, -1)


def _degrees(nodes: Sequence[Node]) -> list[tuple[int, float]]:
    """Of each node another, and the power of it that it is for large numbers.

    A polynomial is as its highest term, a number as the zeroth power of any.
    """
    found: list[tuple[int, float]] = []
    for i, (op, *args) in enumerate(nodes):
        below = [found[a] for a in args] if op in _POLYNOMIAL else []
        bases = {base for base, power in below if power}
        degree = (i, 0.0 if op == "const" else 1.0)
        if op == "pow" and nodes[args[1]][0] == "const":
            base, power = found[args[0]]
            degree = base, power * nodes[args[1]][1]
        elif len(bases) == 1:
            degree = bases.pop(), _POLYNOMIAL[op](*[power for _, power in below])
        found.append(degree)
    return found


def _is_computed(node: Node) -> bool:
    """Whether what a node is follows from its arguments."""
    return bool(arguments(node))


def _one(*_: float) -> float:
    return 1.0


_POLYNOMIAL: Mapping[str, Callable[..., float]] = {
    "add": max,
    "sub": max,
    "neg": float,
    "mul": operator.add,
    "div": operator.sub,
}

_ARITHMETIC: Mapping[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": lambda x, y: x / y if y else 1.0,
    "neg": operator.neg,
}
