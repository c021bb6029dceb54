"""Extremes: where floats end unnoticed, and what shows it.

Python raises where `exp` or `pow` overflows or a zero divides, but `x*x` is silently
infinite at 1e200 and 0 at 1e-200. So a module asks whether its values are finite, if
the domains of their inputs let them be infinite (see `bounds`).

Where a quotient follows, even a finite value can be spoilt: `x/(x*x + 1)` is 0 at
1e200, and 1e-200 is true. A program is run at points where inputs are extreme
(`distant`), on exponents that have no end and on those that floats have (`runs`). Where
an output differs that has a float, a node below it is chosen to be tested, for being
too large or too small, until few points are left: it is added to the values times
1e208, which is infinite from 1e100 on. An input may be 0, and is tested for being tiny
only if it is not; what is computed from inputs without a domain may be 0 where one of
them is, and is not tested for that.

No result is NaN or infinite that has a float, at none of these points, nor where inputs
are 0 or at the ends of floats: a node that is endless there is tested for being that.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial

from gradc.analysis.bounds import ended, is_moderate, sizes
from gradc.analysis.distant import is_free
from gradc.analysis.exponents import Run
from gradc.analysis.magnitudes import BELLS, LARGEST, TAILS
from gradc.analysis.runs import Runs, Test
from gradc.analysis.suspects import Suspects, covering
from gradc.ir import COMPARISONS, Builder, Program, arguments

FEW = 1  # points for which no test is added
NONE = 0  # the same where a result would be infinite or NaN
SEEN = 103.0  # the exponent from which on a test shows it, with room for coefficients
FACTOR = 1e208  # times which a number is infinite that shows it
TINY = 53.0  # the same of inputs that are tiny
OVER_TINY = 1e258
FAINT = -250.0  # the exponent of a result up to which an exponential is not tested

# Without one of these, or a product with what is lost, that is lost in the result too.
_HIDING = frozenset("div sqrt cbrt pow hypot log where min max atan2".split())
_HELD = frozenset("input const sin cos tanh atan erf sigmoid sign".split())  # by floats
_LASTING = frozenset({"exp", "cosh", *BELLS, *TAILS})  # 0 nowhere
_KEEPING = frozenset("mul div neg abs sqrt cbrt pow where".split())  # nor of such


def terms(
    suspects: Suspects, builder: Builder, values: Sequence[int], runs: Runs
) -> Iterator[int]:
    """Nodes that are infinite where floats have ended unnoticed.

    Arguments:
        values: the nodes that are tested for being infinite themselves.
        runs: of the program.
    """
    if _hides(suspects.program):
        yield from _Tests(suspects, builder, values, runs).terms()


def _hides(program: Program) -> bool:
    """Whether a result may be a float where something below it is none."""
    if not _HIDING.isdisjoint(program.operations):
        return True
    nodes = program.nodes
    hiding = (node for node in nodes if node[0] == "mul" or node[0] in COMPARISONS)
    return any(nodes[a][0] not in _HELD for node in hiding for a in node[1:])


def infinite(program: Program) -> list[int]:
    """The values that may be infinite unnoticed where a number may be extreme."""
    if all(map(is_moderate, program.inputs)) and not ended(program):
        return []
    found = sizes(program)
    outputs = dict.fromkeys(program.outputs[: program.count])
    return [i for i in outputs if found[i].high == math.inf]


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
        self.has_free = any(map(is_free, self.program.inputs))
        self.lasting = _lasting(self.program, runs.positive)
        self.powers = _powers(self.program)
        self.fading = self._fading()
        self.uses = Counter(a for node in self.program.nodes for a in arguments(node))

    def terms(self) -> Iterator[int]:
        """Nodes that are infinite where floats have ended unnoticed."""
        run = self.runs.run(self.suspects)
        cases = self._cases(run)
        rare = {k: self._rare(case) for k, case in cases.items()}
        common = [case for k, case in rare.items() if k < run.common]
        corners = [case for k, case in rare.items() if k >= run.common]
        chosen = self.runs.chosen
        chosen += covering(common, FEW, [*chosen], corners)
        plain = {
            k for i in self.outputs for k in run.wrong(i) if run.true[i][k] > FAINT
        }
        left = [
            case
            for k, case in cases.items()
            if not rare[k]
            and k in plain
            and k < run.common
            and not any(self._shows(run, test, k) for test in chosen)
        ]
        chosen += covering(left, FEW, [*chosen])
        if not self.suspects.is_product:
            for ending in (run, self.runs.at_edges(self.suspects)):
                chosen += covering(self._endless(ending).values(), NONE, [*chosen])
        yield from map(self._term, chosen)

    def _endless(self, run: Run) -> dict[int, set[Test]]:
        """Tests of what is endless where an output is that has a float, by points."""
        wrong = {
            i: {*filter(partial(run.is_endless, i), run.wrong(i))} for i in self.outputs
        }
        points = self._silent(run, {k for found in wrong.values() for k in found})
        points -= {
            k for k in points for test in self.runs.chosen if self._shows(run, test, k)
        }
        cases: dict[int, set[Test]] = {k: set() for k in points}
        for i, found in self._reached(run, wrong, points):
            cost = 2 * (self.uses[i] < 2)
            for k in filter(partial(run.is_endless, i), found):
                cases[k].add(Test(cost, i, large=True, endless=True))
        return cases

    def _rare(self, case: Set[Test]) -> set[Test]:
        """The tests of a case that fail for extreme inputs only.

        An exponential is tiny for many that are ordinary.
        """
        return {test for test in case if test.large or not self.fading[test.node]}

    def _fading(self) -> list[bool]:
        """Which nodes are 0 only where an exponential has ended, or such a power."""
        steep: list[bool] = []
        for i, node in enumerate(self.program.nodes):
            own = node[0] in _LASTING or i in self.powers
            steep.append(own or any(steep[a] for a in arguments(node)))
        return [steep[i] and self._lasts(i) for i in range(len(steep))]

    def _lasts(self, i: int) -> bool:
        """Whether a node is 0 only where it has ended."""
        return self.lasting[i] or i in self.powers

    def _shows(self, run: Run, test: Test, k: int) -> bool:
        """Whether a test fails at a point."""
        kept = run.left[test.node][k]
        if test.endless:
            return run.is_endless(test.node, k)
        return kept > SEEN if test.large else kept < -TINY

    def _silent(self, run: Run, points: set[int]) -> set[int]:
        """Those of some points at which neither Python raises nor a value is endless.

        Nor can one of them but end.
        """
        found = points.difference(*[run.raised[i] for i in self.outputs])
        return {k for k in found if all(run.left[i][k] < LARGEST for i in self.values)}

    def _cases(self, run: Run) -> dict[int, set[Test]]:
        """Tests of which each shows that an output is wrong, for each such point."""
        wrong = {i: run.wrong(i) for i in self.outputs}
        points = self._silent(run, {k for found in wrong.values() for k in found})
        cases: dict[int, set[Test]] = {k: set() for k in points}
        for i, found in self._reached(run, wrong, points):
            self._add(run, i, found, cases)
        return cases

    def _reached(
        self, run: Run, wrong: Mapping[int, set[int]], points: Set[int]
    ) -> Iterator[tuple[int, Set[int]]]:
        """Nodes that tests can look at, each with those of some points that it spoils."""
        reached: dict[int, set[int]] = defaultdict(set)
        for i in self.outputs:
            reached[i] = wrong[i] & points
        for i in range(max(self.outputs, default=-1), -1, -1):
            found = reached.pop(i, set())
            if found and self.suspects.is_placed(i):
                yield i, found
            for a in arguments(self.program.nodes[i]) if found else ():
                reached[a] |= run.reading(i, a, found)

    def _add(
        self, run: Run, i: int, points: Set[int], cases: Mapping[int, set[Test]]
    ) -> None:
        """Add the tests that show an exponent that floats have kept of a node."""
        cost = 2 * (self.uses[i] < 2)
        is_input = self.program.nodes[i][0] == "input"
        is_held = run.left[i] is run.true[i]  # it is far from where digits are lost
        large = Test(cost + is_held, i, large=True)
        small = Test(cost + 2 * (1 + is_input), i, large=False)
        lasts = self._lasts(i)  # then the test divides by 0 where it has ended
        may_vanish = self.has_free and not lasts
        tiny = TINY if is_input else math.inf if may_vanish else SEEN
        for k in points:
            kept = run.left[i][k]
            if kept > SEEN:
                cases[k].add(large)
            elif kept < -tiny and (lasts or kept > -math.inf):
                cases[k].add(small)

    def _term(self, test: Test) -> int:
        """A node that is infinite beyond a test."""
        builder, i = self.builder, test.node
        if test.endless:
            found = i
        elif test.large:
            found = builder.add("mul", builder.const(FACTOR), i)
        elif self.program.nodes[i][0] != "input":
            found = builder.add("div", builder.const(FACTOR), i)
        else:
            zero = builder.const(0.0)
            found = builder.add("div", builder.const(OVER_TINY), i)
            found = builder.add("where", builder.add("ne", i, zero), found, zero)
        return self.suspects.term(i, found, builder)


def _powers(program: Program) -> set[int]:
    """The powers whose exponents are not constant, which are hardly 0 but by them."""
    nodes = program.nodes
    found = (i for i, node in enumerate(nodes) if node[0] == "pow")
    return {i for i in found if nodes[nodes[i][2]][0] != "const"}


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
            kept = args[:1] if op in ("div", "pow") else args[op == "where" :]
            found.append(op in _KEEPING and all(found[a] for a in kept))
    return found
