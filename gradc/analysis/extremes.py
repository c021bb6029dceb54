"""Extremes: where floats end unnoticed, and what shows it.

Python raises where `exp` or `pow` overflows or a zero divides, but `x*x` is silently
infinite at 1e200 and 0 at 1e-200. So a module asks whether its values are finite, if
the domains of their inputs let them be infinite (see `bounds`).

Where a quotient follows, even a finite value can be spoilt: `x/(x*x + 1)` is 0 at 1e200,
and 1e-200 is true. A program is run here on powers of ten, on exponents that have no end
and on those that floats have. Where an output differs that has a float, a node below it
is chosen to be tested, for being too large or too small, until few points are left: it
is added to the values times 1e208, which is infinite from 1e100 on. An input may be 0,
and is tested for being tiny only if it is not; what is computed from inputs without a
domain may be 0 where one of them is, and is not tested for that.

Inputs are moderate or extreme inside the domains they were declared in, all in one
direction or each in its own; or one of those without a domain is extreme, or one of the
exponentials, which are where nothing else is, or all of them; or some inputs are tiny
where others are 0. The exponentials of one number are extreme together:
`1/cosh(x)^2` and `sinh(x)` are factors of one derivative, and each is a float where
their product is wrong. Inputs of high powers are extreme where these are.

A conditional takes the side that it takes there (see `sides`), or either side where
signs and exponents leave that open. Floats may take the other one, as where x*x is 0.
"""

from __future__ import annotations

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import islice
from random import Random
from typing import NamedTuple

from gradc.analysis import sides
from gradc.analysis.bounds import is_moderate, sizes
from gradc.analysis.sides import Sign, Verdict
from gradc.analysis.suspects import Suspects, covering
from gradc.ir import COMPARISONS, CONDITIONS, Builder, Input, Node, Program, arguments

LARGEST, SMALLEST = 308.0, -307.5  # exponents of floats with all their digits
DRAWS = 80  # of points, in each direction
ALIKE = 4  # one of so many has inputs that are alike
VANISHING = (250.0, -250.0, -340.0, -500.0)  # exponents of exponentials beside them
STEEPLY = (-450.0, 450.0)  # exponents around which all exponentials are extreme
APART = (-200.0, 200.0)  # and how far from there
POWER = "^"  # in the name of a power
STEEPEST = 10  # exponentials that are extreme with inputs they do not depend on
EXTREME = 0.8  # the share of the inputs that are extreme in the others
NEAR = 30.0  # the exponent from which on an input is extreme
JITTER = 3.0  # by which an exponent is moved, so that no two terms are equal
FEW = 1  # points for which no test is added
WORK = 60_000  # nodes that are run for a function
COUNTS = 9.0  # up to so many exponents below a sum its terms count
CLOSE = 1e-3  # exponents that differ by less are equal
POWERS = (-0.6, 3.0)  # the exponents of ten of inputs in exponents, if not extreme
BASES = (-0.5, 0.5)  # the same of inputs beside them
LOWEST = -323.5  # of floats
SATURATED = 1.6  # exponent of an argument beyond which such a function is constant
SEEN = 103.0  # the exponent from which on a test shows it, with room for coefficients
FACTOR = 1e208  # times which a number is infinite that shows it
TINY = 53.0  # the same of inputs that are tiny
OVER_TINY = 1e258

Rule = Callable[..., float]
Point = Mapping[str, float]  # exponents of inputs, and of exponentials

# Without one of these, what is lost is lost in the result too.
_HIDING = frozenset({"div", "sqrt", "cbrt", "pow", "hypot", "log", "where"})
_EVEN = frozenset({"cosh", "sinh"})
_RISING = frozenset({"expm1", "gamma"})  # they are not tiny
_LINEAR = frozenset({"neg", "mul", "div", "add", "sub"})
_LASTING = frozenset({"exp", "cosh"})  # 0 nowhere
_KEEPING = frozenset({"mul", "div", "neg", "abs", "sqrt", "cbrt", "pow"})  # nor of such
_LARGE_RAISES = frozenset({"pow"})
_ZERO_RAISES = frozenset({"div", "log"})
_SUMS = frozenset({"add", "sub"})
_STEEP = frozenset({"exp", "cosh", "sinh", "expm1", "gamma"})  # and constants to powers
# Functions whose exponent does not tell where they are.
_SATURATING = frozenset("atan erf erfc normcdf sigmoid tanh".split())
_TELLING_LITTLE = _STEEP | _SATURATING | frozenset("asinh cos log1p sin tan".split())


def terms(
    suspects: Suspects, builder: Builder, values: Sequence[int], runs: Runs
) -> Iterator[int]:
    """Nodes that are infinite where floats have ended unnoticed.

    Arguments:
        values: the nodes that are tested for being infinite themselves.
        runs: of the program.
    """
    if not _HIDING.isdisjoint(suspects.program.operations):
        yield from _Tests(suspects, builder, values, runs).terms()


def infinite(program: Program) -> list[int]:
    """The values that may be infinite unnoticed where an input may be extreme."""
    if all(map(is_moderate, program.inputs)):
        return []
    found = sizes(program)
    outputs = dict.fromkeys(program.outputs[: program.count])
    return [i for i in outputs if found[i].high == math.inf]


class _Test(NamedTuple):
    """A node that is tested for being too large, or for being too small."""

    cost: int  # that it is not used, so that it needs a name, and of being small
    node: int
    large: bool


class _Tests:
    """Looks for what one function of a program has to test."""

    def __init__(
        self, suspects: Suspects, builder: Builder, values: Sequence[int], runs: Runs
    ) -> None:
        self.builder = builder
        self.values = values
        self.suspects = suspects
        self.program = suspects.program
        self.outputs = suspects.outputs
        self.runs = runs
        self.has_free = any(map(_is_free, self.program.inputs))
        self.lasting = _lasting(self.program, runs.positive)
        self.uses = Counter(a for node in self.program.nodes for a in arguments(node))

    def terms(self) -> Iterator[int]:
        """Nodes that are infinite where floats have ended unnoticed."""
        cases = self._cases(self.runs.run(self.suspects))
        self.runs.chosen += covering(cases, FEW, [*self.runs.chosen])
        yield from map(self._term, self.runs.chosen)

    def _wrong(self, run: _Run) -> set[int]:
        """Points at which an output is wrong, where Python does not raise.

        At none of them does a value show that floats have ended, or cannot but end.
        """
        wrong = {k for i in self.outputs for k in run.wrong(i)}
        wrong.difference_update(*[run.raised[i] for i in self.outputs])
        return {k for k in wrong if all(run.left[i][k] < LARGEST for i in self.values)}

    def _cases(self, run: _Run) -> list[set[_Test]]:
        """Tests of which each shows that an output is wrong, for each such point."""
        cases: dict[int, set[_Test]] = {k: set() for k in self._wrong(run)}
        reached: dict[int, set[int]] = defaultdict(set)  # from what is wrong, by points
        for i in self.outputs:
            reached[i] = run.wrong(i) & cases.keys()
        for i in range(max(self.outputs, default=-1), -1, -1):
            points = reached.pop(i, set())
            if points and self.suspects.is_placed(i):
                self._add(run, i, points, cases)
            for a in arguments(self.program.nodes[i]) if points else ():
                reached[a] |= run.reading(i, a, points)
        return [*cases.values()]

    def _add(
        self, run: _Run, i: int, points: Set[int], cases: Mapping[int, set[_Test]]
    ) -> None:
        """Add the tests that show an exponent that floats have kept of a node."""
        cost = int(self.uses[i] < 2)
        is_input = self.program.nodes[i][0] == "input"
        large = _Test(cost, i, large=True)
        small = _Test(cost + 1 + is_input, i, large=False)
        may_vanish = self.has_free and not self.lasting[i]
        tiny = TINY if is_input else math.inf if may_vanish else SEEN
        for k in points:
            kept = run.left[i][k]
            if kept > SEEN:
                cases[k].add(large)
            elif -math.inf < kept < -tiny:
                cases[k].add(small)

    def _term(self, test: _Test) -> int:
        """A node that is infinite beyond a test."""
        builder, i = self.builder, test.node
        if test.large:
            found = builder.add("mul", builder.const(FACTOR), i)
        elif self.program.nodes[i][0] != "input":
            found = builder.add("div", builder.const(FACTOR), i)
        else:
            zero = builder.const(0.0)
            found = builder.add("div", builder.const(OVER_TINY), i)
            found = builder.add("where", builder.add("ne", i, zero), found, zero)
        return self.suspects.term(i, found, builder)


def _lasting(program: Program, positive: Sequence[bool]) -> list[bool]:
    """The nodes that are 0 nowhere, whatever their inputs are."""
    found: list[bool] = []
    for op, *args in program.nodes:
        if op == "const":
            found.append(args[0] != 0.0)
        elif op == "add":
            lasts = any(found[a] for a in args)
            found.append(lasts and all(positive[a] for a in args))
        elif op in _LASTING:
            found.append(True)
        else:
            kept = args[:1] if op in ("div", "pow") else args
            found.append(op in _KEEPING and all(found[a] for a in kept))
    return found


class _Points:
    """Points at which inputs are extreme, by exponents of ten.

    Arguments:
        inputs: that a function reads.
        steep: the names of the exponentials that it computes.
        below: the inputs that some of these are computed from.
        high: the exponents at which high powers of inputs end.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        steep: Sequence[str],
        below: Mapping[str, Set[str]],
        high: Mapping[str, float],
        random: Random,
    ) -> None:
        self.random = random
        self.large, self.small = (
            {item.name: end for item in inputs if abs(end := _end(item, sign)) > NEAR}
            for sign in (1.0, -1.0)
        )
        self.free = [item.name for item in inputs if _is_free(item)]
        self.alone = [*self.free]
        self.steep: Sequence[str] = []
        self.below: Mapping[str, Set[str]] = {}
        if not all(map(is_moderate, inputs)):
            self.alone += [name for name in steep if POWER not in name]
            self.steep = steep
            self.below = {n: names for n, names in below.items() if POWER not in n}
        self.high = high

    def drawn(self) -> Iterator[Point]:
        """The points: inputs that are extreme, or one of them, or beside some at 0."""
        for k in range(DRAWS):
            for ends in (self.large, self.small, self._mixed()):
                if ends:
                    yield self._draw(ends, k / DRAWS if k % ALIKE == 0 else None)
        for k in range(0, DRAWS, min(ALIKE, max(len(self.alone), 1))):
            for name in self.alone:
                for end in (LARGEST, -LARGEST):
                    yield self._draw({name: end}, k / DRAWS)
                    if name in self.high:
                        yield {name: k / DRAWS * math.copysign(self.high[name], end)}
        self.random = Random(1729)
        for _ in range(DRAWS):
            if len(self.free) > 1 and self.small:
                yield self._without_some(self.small)
            if len(self.steep) > 1:
                for ways in ((1.0,), (1.0,), (1.0, -1.0)):
                    yield self._steeply(ways)

    def _steeply(self, ways: Sequence[float]) -> Point:
        """Exponentials that are extreme, each of them in one of some ways."""
        random = self.random
        around = random.uniform(*STEEPLY)
        return {
            name: random.choice(ways) * around + random.uniform(*APART)
            for name in self.steep
        }

    def _without_some(self, point: Point) -> Point:
        """A point with some of the free inputs at 0."""
        zeros = {name: -math.inf for name in self.free if self.random.random() < 0.5}
        return {**self._draw(point, None), **zeros}

    def _mixed(self) -> Point:
        """Inputs that are extreme, each in its own direction."""
        both = {**self.large, **self.small}
        if not self.below or self.random.random() < 0.5:
            return self._mixed_inputs(both)
        steep, below = self.random.choice([*self.below.items()])
        others = {name: end for name, end in both.items() if name not in below}
        return {**self._mixed_inputs(others), steep: self.random.choice(VANISHING)}

    def _mixed_inputs(self, both: Point) -> Point:
        return {
            name: self.random.choice((self.large, self.small)).get(name, end)
            for name, end in both.items()
            if len(both) > 1
        }

    def _draw(self, ends: Point, share: float | None) -> Point:
        """A point in some ranges of exponents: inputs that are alike, or are not."""
        random = self.random.random
        shares = {name: random() if share is None else share for name in ends}
        if share is None:
            shares = {n: s for n, s in shares.items() if random() < EXTREME}
        moved = {name: JITTER * random() for name in shares}
        return {
            name: math.copysign(
                NEAR + moved[name] + s * (abs(ends[name]) - NEAR - JITTER), ends[name]
            )
            for name, s in shares.items()
        }


Column = list[float]  # exponents of a node, point by point


class _Run(NamedTuple):
    """What the exponents of nodes are at points, and what floats keep of them."""

    program: Program
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
    spread: Mapping[int, Sequence[_Spread]]  # what these are of, where they are extreme

    def wrong(self, i: int) -> set[int]:
        """Where floats keep something else of a node than the float that it is."""
        if self.left[i] is self.true[i]:
            return set()
        pairs = enumerate(zip(self.true[i], self.left[i]))
        return {k for k, (true, left) in pairs if _is_wrong(true, left)}

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

    def _without(self, args: Sequence[int], kept: Column) -> Column:
        """What floats keep of a sum if a term that counts has been lost in it."""
        found = kept
        for a in args:
            if self.left[a] is self.true[a]:
                continue
            pairs = zip(found, self.true[a], self.left[a])
            found = [
                x + 1.0 if x - COUNTS < true and left < true - CLOSE else x
                for x, true, left in pairs
            ]
        return found

    def decide(self, i: int) -> None:
        """Find whether a condition holds, and what floats say of it."""
        op, *args = self.program.nodes[i]
        self.raised[i].update(*[self.raised[a] for a in args])
        if op not in COMPARISONS:
            rule = sides.JOINED[op]
            self.verdicts[i] = [*map(rule, *[self.verdicts[a] for a in args])]
            self.told[i] = [*map(rule, *[self.told[a] for a in args])]
            return
        signs = [*zip(*[self.signs[a] for a in args])]
        true, left = ([*zip(*[of[a] for a in args])] for of in (self.true, self.left))
        verdict = partial(sides.verdict, op)
        self.verdicts[i] = self.told[i] = [*map(verdict, signs, true)]
        if true != left:
            self.told[i] = [*map(verdict, signs, left)]

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
        if taken != chosen:  # both sides may be right, and about equal
            left = [
                y if c == d or abs(x - y) > JITTER else x
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
        rule = _rule(self.program, i)
        left = [self.left[a] for a in args]
        keeps = all(self.left[a] is self.true[a] for a in args)
        right = [self.true[a] for a in args]
        if op == "pow" and args[1] in self.powers:
            left[1] = right[1] = [*self.powers[args[1]]]
        true = results = [*map(rule, *right)]
        if not keeps:
            results = [*map(rule, *left)]
        if i in self.steep:
            true, results = (
                [x or y for x, y in zip(self.steep[i], column)]
                for column in (true, results)
            )
        if i in self.spread:
            true, results = (
                [s.exponent if s.sign else x for s, x in zip(self.spread[i], column)]
                for column in (true, results)
            )
        if op in _TELLING_LITTLE and not keeps:
            results = self._with_argument(i, args[0], results)
        if not all(math.isfinite(sum(column)) for column in left):
            undefined = _UNDEFINED.get(op, _is_undefined)
            if op == "add" and all(self.positive[a] for a in args):
                undefined = _is_undefined
            operands = zip(results, map(undefined, *left))
            results = [math.nan if undefined else x for x, undefined in operands]
        self.raised[i].update(*[self.raised[a] for a in args])
        self.raised[i].update(_raising(op, left, true, results))
        kept = [x if SMALLEST < x < LARGEST else _held(x) for x in results]
        if not keeps:
            kept = [y if abs(x - y) < CLOSE else x for x, y in zip(kept, true)]
            if op in _SUMS:
                kept = self._without(args, kept)
        self.true[i] = true
        self.left[i] = true if kept == true else kept
        if i in self.asked:
            self._find_signs(i)

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


def _is_wrong(true: float, left: float) -> bool:
    """Whether floats keep something else of a node than the float that it is."""
    if left == true or math.isnan(left):
        return left != true
    if true <= SMALLEST:
        return left > SMALLEST + 2.0
    return true < LARGEST


def _held(exponent: float) -> float:
    """What floats keep of an exponent that is none of theirs."""
    if LOWEST < exponent <= SMALLEST:
        return exponent + 1.0  # some number with other digits
    if math.isnan(exponent):
        return exponent
    return math.inf if exponent > 0.0 else -math.inf


def _raising(
    op: str, left: Sequence[Column], true: Column, results: Column
) -> Iterator[int]:
    """The points where Python raises where it should compute a node, or it has none."""
    if not math.isfinite(sum(true)):
        yield from (k for k, x in enumerate(true) if math.isnan(x))
    if op in _ZERO_RAISES:
        column = left[-1 if op == "div" else 0]
        yield from (k for k, x in enumerate(column) if x == -math.inf)
    if op in _STEEP:
        yield from (k for k, x in enumerate(results) if x >= LARGEST)
    if op in _LARGE_RAISES:  # but a power of what is infinite is that
        pairs = enumerate(zip(left[0], results))
        yield from (k for k, (x, y) in pairs if y >= LARGEST and x < LARGEST)


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
        self.chosen: list[_Test] = []
        self.known: dict[tuple[str, ...], _Run] = {}  # by what is extreme
        nodes = program.nodes
        count = range(len(nodes))
        self.steep = {i: _steep(program, i) for i in count if _is_steep(program, i)}
        powers = {
            node[2]
            for node in nodes
            if node[0] == "pow" and nodes[node[1]][0] != "const"
        }
        self.powers = [i for i in sorted(powers) if nodes[i][0] != "const"]
        self.exponents = self._inputs(self.powers)
        self.high = self._high()
        self.asked = sides.asked(program)
        self.positive = [size.positive for size in sizes(program)]

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

    def run(self, suspects: Suspects) -> _Run:
        """Run all that a function computes."""
        nodes = self.program.nodes
        live = [i for i in range(len(nodes)) if suspects.is_live(i)]
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
            points = _Points(inputs, [*steep], below, self.high, random).drawn()
            most = WORK // len(nodes)
            self.known[key] = self._begun([*islice(points, most)], random)
        run = self.known[key]
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

    def _begun(self, points: Sequence[Point], random: Random) -> _Run:
        """A run at points, given by exponents, of which only these are known."""
        nodes = self.program.nodes
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
        return _Run(
            self.program,
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
        return {
            name: [point.get(name, 0.0) / random.choice(sizes) for point in points]
            for name, sizes in weights.items()
            if sizes
        }

    def _spread(
        self, grown: Mapping[str, Sequence[float]]
    ) -> dict[int, Sequence[_Spread]]:
        """What exponentials are of, where they are extreme."""
        found: dict[int, Sequence[_Spread]] = {}
        for one in self.steep.values():
            if len(one.of) == 1 and one.weight:
                is_positive = self.positive[one.of[0]]
                found[one.of[0]] = [
                    _Spread.of(abs(x) if is_positive else x) for x in grown[one.name]
                ]
        return found

    def _signs(
        self, spread: Mapping[int, Sequence[_Spread]], count: int
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
                around = spread.get(i, [_Spread(0, 0.0)] * count)
                found[i] = [s.sign or x for s, x in zip(around, signs)]
            elif not args:  # pi, e
                found[i] = [1] * count
        return found

    def _grows(self, i: int) -> Callable[[float], float]:
        """How the exponent of an exponential follows from what is drawn for it."""
        of, weight = self.steep[i]
        op = self.program.nodes[i][0]
        if op in _EVEN or (len(of) == 1 and self.positive[of[0]]):
            return lambda x: abs(x * weight) if op in _EVEN else abs(x) * weight
        return lambda x: max(x * weight, 0.0) if op in _RISING else x * weight

    def _high(self) -> dict[str, float]:
        """The exponents of ten of inputs at which high powers of them end."""
        nodes = self.program.nodes
        found: dict[str, float] = {}
        for op, *args in nodes:
            if op == "pow" and nodes[args[1]][0] == "const":
                power = abs(nodes[args[1]][1])
                if power * NEAR > LARGEST:
                    for name in self._inputs([args[0]]):
                        found[name] = min(found.get(name, NEAR), LARGEST / power)
        return found

    def _powers(self, true: Sequence[Column], count: int) -> dict[int, Sequence[float]]:
        """What the exponents of powers are, 1 for those that are not arithmetic."""
        values: dict[int, Sequence[float]] = {}
        nodes = self.program.nodes
        for i in sorted(self._below(self.powers)):
            op, *args = nodes[i]
            if op == "const":
                values[i] = [args[0]] * count
            elif op == "input":
                values[i] = [10.0 ** min(x, LARGEST) for x in true[i]]
            else:
                rule = _ARITHMETIC.get(op, _one)
                columns = zip(*(values[a] for a in args)) if args else [()] * count
                values[i] = [rule(*xs) for xs in columns]
        return {i: values[i] for i in self.powers}

    def _moderate(self, name: str, random: Random) -> Callable[[], float]:
        """Draws the exponent of what is not extreme: 1, unless powers are taken."""
        if name in self.exponents:
            return lambda: random.uniform(*POWERS)
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


class _Spread(NamedTuple):
    """What an exponential is of: its sign and exponent of ten, 0 if not extreme."""

    sign: int
    exponent: float

    @classmethod
    def of(cls, grown: float) -> _Spread:
        """By the exponent of ten of the exponential."""
        if not grown:
            return cls(0, 0.0)
        return cls(1 if grown > 0.0 else -1, math.log10(abs(grown) * math.log(10.0)))


class _Steep(NamedTuple):
    """What an exponential is of: its exponent is that number times a weight.

    A power is of its base and that number.
    """

    of: tuple[int, ...]
    weight: float

    @property
    def name(self) -> str:
        """A name that no input has."""
        return "%" + POWER.join(map(str, self.of))


def _is_steep(program: Program, i: int) -> bool:
    """Whether a node is an exponential, extreme where its argument is not."""
    op, *args = program.nodes[i]
    return op in _STEEP or (op == "pow" and program.nodes[args[1]][0] != "const")


def _steep(program: Program, i: int) -> _Steep:
    """What an exponential is of, without constant factors and terms."""
    op, *args = program.nodes[i]
    *bases, of = args
    weight = 1.0
    if bases and program.nodes[bases[0]][0] == "const":
        base = program.nodes[bases.pop()][1]
        weight = math.log(base) if base > 0.0 else 0.0
    while True:
        op, *args = program.nodes[of]
        fixed = [
            k for k, a in enumerate(args) if op in _LINEAR and _is_fixed(program, a)
        ]
        if op not in _LINEAR or (op != "neg" and len(fixed) != 1):
            return _Steep((*bases, of), weight)
        if op == "neg" or (op == "sub" and fixed == [0]):
            weight = -weight
        elif op == "div" and fixed == [0]:
            return _Steep((*bases, of), weight)
        elif op in ("mul", "div"):
            size = program.nodes[args[fixed[0]]][1]
            weight = weight * size if op == "mul" else weight / (size or math.inf)
        (of,) = (a for k, a in enumerate(args) if k not in fixed)


def _is_fixed(program: Program, i: int) -> bool:
    op: str = program.nodes[i][0]
    return op == "const"


def _ways(item: Input) -> Sequence[int]:
    """The signs that an input may have."""
    low = -math.inf if item.low is None else item.low
    high = math.inf if item.high is None else item.high
    return (1,) if low >= 0.0 else (-1,) if high <= 0.0 else (1, -1)


def _is_computed(node: Node) -> bool:
    """Whether what a node is follows from its arguments."""
    return bool(arguments(node))


def _rule(program: Program, i: int) -> Rule:
    """How the exponent of a node follows from those of its arguments.

    It is infinite for a node that is infinite, and for one that is 0 minus that.
    """
    op, *args = program.nodes[i]
    if op == "pow" and program.nodes[args[1]][0] == "const":
        power = program.nodes[args[1]][1]
        return lambda x, _: x * power if power else 0.0
    if op == "pow":
        return lambda x, power: x * power if power else 0.0
    return _RULES.get(op, lambda *xs: 0.0)


def _is_undefined(*exponents: float) -> bool:
    """Whether a node is NaN."""
    return any(map(math.isnan, exponents))


def _may_be_undefined(x: float, y: float) -> bool:
    """The same where infinite terms may have opposite signs."""
    return math.isnan(x) or math.isnan(y) or x == y == math.inf


def _quotient(x: float, y: float) -> float:
    return 0.0 if x == y else x - y


def _within_one(x: float, found: float) -> float:
    """What a function is whose argument may be no larger than 1, or NaN: it raises."""
    return found if x <= JITTER else math.nan


def _logarithm(x: float) -> float:
    return math.log10(max(abs(x) * math.log(10.0), 1.0))


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("add", "sub", "hypot", "max", "min"), max),
    **dict.fromkeys(("neg", "abs", "copysign", "where"), lambda x, *_: x),
    # Functions that are as their argument near 0, and elsewhere as a number.
    **dict.fromkeys(
        "sin tan tanh atan asinh sinh expm1 log1p erf".split(),
        lambda x: min(x, 0.0),
    ),
    "asin": lambda x: _within_one(x, x),
    "atanh": lambda x: _within_one(x, x),
    "acos": lambda x: _within_one(x, 0.0),
    "log1pmx": lambda x: x if x > 0.0 else 2.0 * x,
    "loggrowth": min,
    "softplus": lambda x: max(x, 0.0),
    "mul": lambda x, y: x + y,
    "div": _quotient,
    "sqrt": lambda x: x / 2.0,
    "cbrt": lambda x: x / 3.0,
    "log": _logarithm,
}


def _one(*_: float) -> float:
    return 1.0


_ARITHMETIC: Mapping[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": lambda x, y: x / y if y else 1.0,
    "neg": operator.neg,
}


_UNDEFINED: Mapping[str, Callable[..., bool]] = {
    "mul": lambda x, y: math.isnan(x + y),
    **dict.fromkeys(("add", "sub", "div"), _may_be_undefined),
}


def _is_free(item: Input) -> bool:
    """Whether an input may be any number."""
    return item.low is None and item.kind != "vector"


def _end(item: Input, sign: float) -> float:
    """The largest exponent in the domain of an input, or the smallest.

    That 0 lies in a moderate domain does not make tiny numbers likely.
    """
    if item.low is None or item.high is None:
        return math.copysign(LARGEST, sign) if _is_free(item) else 0.0
    ends = abs(item.low), abs(item.high)
    size = max(ends) if sign > 0.0 else min(ends)
    if sign < 0.0 and item.low <= 0.0 <= item.high:
        size = 0.0 if max(ends) > 10.0**NEAR else 1.0
    return min(max(math.log10(size), -LARGEST), LARGEST) if size else -LARGEST
