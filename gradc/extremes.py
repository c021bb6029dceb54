"""Extremes: where floats end unnoticed, and tests of the nodes that show it.

Python raises where `exp` or `pow` overflows or a zero divides, but `x*x` is silently
infinite at 1e200 and 0 at 1e-200. A sum or a product of that is infinite or 0 as well,
a quotient hides it: `x/(x*x + 1)` is 0 at 1e200, and 1e-200 is true.

Who declares a domain that reaches so far, `input x in (-inf, inf)`, gets a module that
tests for it. A program is run here on powers of ten, on exponents that have no end and
on those that floats have. Inputs are moderate or extreme, all in one direction, inside
their domains. Where an output differs that has a float, a node below it is chosen to be
tested, for being too large or too small, until few points are left. Beyond a test the
function runs again as where it raises.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import NamedTuple

from gradc.functions import ZERO, Function, numbers
from gradc.guards import ALWAYS, NEVER, Guards, place
from gradc.ir import CONDITIONS, Builder, Input, Program, arguments

MOST = 2_000  # nodes above which a program is not tested
DRAWS = 40  # of points, in each direction
ALIKE = 4  # one of so many has inputs that are alike
EXTREME = 0.8  # the share of the inputs that are extreme in the others
NEAR = 30.0  # the exponent from which on an input is extreme
JITTER = 3.0  # by which an exponent is moved, so that no two terms are equal
SHARE = 0.05  # of the points, for which no test is added
WORK = 60_000  # nodes that are run for a function
CLOSE = 1e-3  # exponents that differ by less are equal
LARGEST, SMALLEST = 308.0, -307.5  # exponents of floats with all their digits
LOWEST = -323.5  # of floats
SEEN = 103.0  # the exponent from which on a test shows it, with room for coefficients
FAR = 1e100  # the number from which on one is too large; its inverse is too small

Rule = Callable[..., float]

# Without one of these, what is lost is lost in the result too.
_HIDING = frozenset({"div", "sqrt", "cbrt", "pow", "hypot", "log"})
_LARGE_RAISES = frozenset({"pow"})
_ZERO_RAISES = frozenset({"div", "log"})
_MEETING = frozenset({"add", "sub", "div"})
_NOT_NEGATIVE = frozenset({"exp", "exp2", "cosh", "sqrt", "abs", "hypot", "sigmoid"})


def tested(functions: Sequence[Function]) -> list[Function]:
    """Functions of one program that test what would spoil a finite result unnoticed."""
    program = functions[-1].program
    nodes = program.nodes
    if len(nodes) > MOST or not any(node[0] in _HIDING for node in nodes):
        return [*functions]
    if not any(_end(item, sign) for item in program.inputs for sign in (1.0, -1.0)):
        return [*functions]
    builder = Builder.upon(program)
    builder.span = None
    found = [_Tests(f, builder).condition() for f in functions]
    if not any(found):
        return [*functions]
    grown = replace(program, nodes=tuple(builder.nodes), spans=tuple(builder.spans))
    return [f._replace(program=grown, beyond=i) for f, i in zip(functions, found)]


class _Test(NamedTuple):
    """A node that is tested for being too large, or for being too small."""

    cost: int  # in comparisons, and for a name
    node: int
    large: bool


class _Tests:
    """Looks for what one function of a program has to test."""

    def __init__(self, function: Function, builder: Builder) -> None:
        self.builder = builder
        self.program = function.program
        chosen = (k for k in numbers(function.layout) if k != ZERO)
        self.outputs = tuple({self.program.outputs[k] for k in chosen})
        self.guards = Guards(self.program)
        self.placed = place(self.program, self.guards, self.outputs)
        self.random = Random(1729)
        self.runs = _Runs(self.program, self.random)
        self.signs: dict[int, bool] = {}
        self.uses = Counter(a for node in self.program.nodes for a in arguments(node))

    def condition(self) -> int:
        """The node of a condition under which floats have ended unnoticed, or 0."""
        most = WORK // len(self.program.nodes)
        points = [*islice(self._points(), most)]
        left = [found for found in map(self._found, points) if found]
        condition = 0
        while len(left) > SHARE * len(points):
            counts = Counter(test for found in left for test in found)
            best = min(counts, key=lambda test: (-counts[test], test))
            left = [found for found in left if best not in found]
            test = self._guarded(best)
            condition = self.builder.add("or", condition, test) if condition else test
        return condition

    # ---- points

    def _points(self) -> Iterator[dict[str, float]]:
        """Points at which inputs are extreme, by exponents of ten."""
        live = {
            node[1]
            for node, guard in zip(self.program.nodes, self.placed)
            if node[0] == "input" and guard != NEVER
        }
        inputs = [item for item in self.program.inputs if item.name in live]
        large, small = (
            {item.name: end for item in inputs if abs(end := _end(item, sign)) > NEAR}
            for sign in (1.0, -1.0)
        )
        for k in range(DRAWS):
            for ends in (large, small):
                if ends:
                    yield self._draw(ends, k / DRAWS if k % ALIKE == 0 else None)

    def _draw(self, ends: Mapping[str, float], share: float | None) -> dict[str, float]:
        """A point in some ranges of exponents: inputs that are alike, or are not."""
        random = self.random
        shares = {name: random.random() if share is None else share for name in ends}
        if share is None:
            shares = {n: s for n, s in shares.items() if random.random() < EXTREME}
        moved = {name: JITTER * random.random() for name in shares}
        return {
            name: math.copysign(
                NEAR + moved[name] + s * (abs(ends[name]) - NEAR - JITTER), ends[name]
            )
            for name, s in shares.items()
        }

    # ---- runs

    def _found(self, point: Mapping[str, float]) -> set[_Test]:
        """Tests of which each shows at a point that an output is wrong, if one is."""
        run = self.runs.run(point)
        if not run.raised.isdisjoint(self.outputs):
            return set()
        wrong = [i for i in self.outputs if i in run.kept and is_float(run.true[i])]
        found: set[_Test] = set()
        stack, seen = wrong, set(wrong)
        while stack:
            i = stack.pop()
            if len(self.guards.members[self.placed[i]]) == 1:
                found.update(self._tests(i, run.kept.get(i, run.true[i])))
            below = [a for a in run.read(i) if a not in seen]
            stack += below
            seen.update(below)
        return found

    def _tests(self, i: int, kept: float) -> Iterator[_Test]:
        """The tests of a node that show an exponent that floats have kept of it."""
        cost = (self.uses[i] < 2) + (not self._is_not_negative(i))
        if kept > SEEN:
            yield _Test(cost, i, large=True)
        elif -math.inf < kept < -SEEN:
            yield _Test(cost + 1, i, large=False)

    def _is_not_negative(self, i: int) -> bool:
        if i not in self.signs:
            self.signs[i] = _is_not_negative(self.program, i)
        return self.signs[i]

    # ---- conditions

    def _guarded(self, test: _Test) -> int:
        """A test as a condition, which holds nowhere but where its node is needed."""
        builder = self.builder
        condition = self._written(test)
        way = self.guards.way(self.guards.members[self.placed[test.node]][0], ALWAYS)
        for decided, branch in reversed(way):
            holds = decided if branch else builder.add("not", decided)
            condition = builder.add("and", holds, condition)
        return condition

    def _written(self, test: _Test) -> int:
        """A test as a condition, by the square of a node that has two signs."""
        builder = self.builder
        size, power = test.node, 1.0
        if not self._is_not_negative(test.node):
            size, power = builder.add("mul", size, size), 2.0
        if test.large:
            return builder.add("gt", size, builder.const(FAR**power))
        is_small = builder.add("lt", size, builder.const(FAR**-power))
        is_not_zero = builder.add("ne", test.node, builder.const(0.0))
        return builder.add("and", is_small, is_not_zero)


class _Run(NamedTuple):
    """What the exponents of nodes are at a point, and where floats differ from that."""

    program: Program
    true: Sequence[float]
    kept: dict[int, float]  # where that is something else
    raised: set[int]  # where Python raises, or further down
    chosen: Mapping[int, int]  # the arguments that conditionals are

    def read(self, i: int) -> Sequence[int]:
        """The arguments that a node is computed from."""
        return (
            (self.chosen[i],) if i in self.chosen else arguments(self.program.nodes[i])
        )


class _Runs:
    """Runs a program on exponents of ten.

    A sum is as its largest term, for at a random point none cancel; a condition falls
    one way or the other.
    """

    def __init__(self, program: Program, random: Random) -> None:
        self.program = program
        self.random = random
        self.constants = [0.0] * len(program.nodes)
        self.inputs: list[tuple[int, str]] = []
        self.conditionals: list[tuple[int, tuple[int, int]]] = []
        self.steps: list[tuple[int, Rule, tuple[int, ...]]] = []
        for i, node in enumerate(program.nodes):
            if node[0] == "const":
                self.constants[i] = math.log10(abs(node[1])) if node[1] else -math.inf
            elif node[0] == "input":
                self.inputs.append((i, node[1]))
            elif node[0] not in CONDITIONS:
                self.steps.append((i, _rule(program, i), arguments(node)))
            if node[0] == "where":
                self.conditionals.append((i, node[2:]))

    def run(self, point: Mapping[str, float]) -> _Run:
        """Run the program at a point, given by exponents."""
        true = self.constants[:]
        kept: dict[int, float] = {}
        raised: set[int] = set()
        for i, name in self.inputs:
            true[i] = point.get(name, 0.0)
        chosen = {i: self.random.choice(sides) for i, sides in self.conditionals}
        run = _Run(self.program, true, kept, raised, chosen)
        for i, rule, args in self.steps:
            if i in chosen:
                args = (chosen[i],)
            found = true[i] = rule(*[true[a] for a in args])
            if is_float(found) and kept.keys().isdisjoint(args):
                if raised and not raised.isdisjoint(args):
                    raised.add(i)
            elif found != -math.inf or not kept.keys().isdisjoint(args):
                self._end(run, i, rule, args)
        return run

    def _end(self, run: _Run, i: int, rule: Rule, args: tuple[int, ...]) -> None:
        """Find what floats keep of a node."""
        operands = [run.kept.get(a, run.true[a]) for a in args]
        op = self.program.nodes[i][0]
        if math.isnan(run.true[i]):
            run.raised.add(i)
        kept = math.nan if _is_undefined(op, operands) else rule(*operands)
        if op in _ZERO_RAISES and operands[-1 if op == "div" else 0] == -math.inf:
            run.raised.add(i)
        elif kept >= LARGEST and op in _LARGE_RAISES:
            run.raised.add(i)
        elif not run.raised.isdisjoint(args):
            run.raised.add(i)
        if LOWEST < kept <= SMALLEST:
            kept += 1.0  # some number with other digits
        elif kept >= LARGEST or kept <= LOWEST:
            kept = math.inf if kept > 0.0 else -math.inf
        if not abs(kept - run.true[i]) < CLOSE and kept != run.true[i]:
            run.kept[i] = kept


def is_float(exponent: float) -> bool:
    """Whether there are floats of an exponent."""
    return SMALLEST < exponent < LARGEST


def _rule(program: Program, i: int) -> Rule:
    """How the exponent of a node follows from those of its arguments.

    It is infinite for a node that is infinite, and for one that is 0 minus that.
    """
    op, *args = program.nodes[i]
    if op == "pow" and program.nodes[args[1]][0] == "const":
        power = program.nodes[args[1]][1]
        return lambda x, _: x * power if power else 0.0
    return _RULES.get(op, lambda *xs: 0.0)


def _is_undefined(op: str, exponents: Sequence[float]) -> bool:
    """Whether a node is NaN, or may be: infinite terms may have opposite signs."""
    infinite = exponents.count(math.inf)
    if op == "mul" and infinite:
        return -math.inf in exponents
    return any(map(math.isnan, exponents)) or (op in _MEETING and infinite > 1)


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
    "mul": lambda x, y: x + y,
    "div": _quotient,
    "sqrt": lambda x: x / 2.0,
    "cbrt": lambda x: x / 3.0,
    "log": _logarithm,
}


def _end(item: Input, sign: float) -> float:
    """The largest exponent in the domain of an input, or the smallest.

    That 0 lies in a moderate domain does not make tiny numbers likely.
    """
    if item.low is None or item.high is None:
        return 0.0
    ends = abs(item.low), abs(item.high)
    size = max(ends) if sign > 0.0 else min(ends)
    if sign < 0.0 and item.low <= 0.0 <= item.high:
        size = 0.0 if max(ends) > 10.0**NEAR else 1.0
    return min(max(math.log10(size), -LARGEST), LARGEST) if size else -LARGEST


def _is_not_negative(program: Program, i: int) -> bool:
    """Whether a node is a sum of squares and the like."""
    stack, seen = [i], {i}
    low = {item.name: item.low for item in program.inputs}
    while stack:
        op, *args = program.nodes[stack.pop()]
        if op in _NOT_NEGATIVE or (op == "mul" and args[0] == args[1]):
            continue
        if op == "const" and args[0] >= 0.0:
            continue
        if op == "input" and (low[args[0]] or -1.0) >= 0.0:
            continue
        if op not in ("add", "mul", "div"):
            return False
        stack += (a for a in args if a not in seen)
        seen.update(args)
    return True
