"""Nothing: differences of which nothing is left at some ordinary points.

The slopes of a network are sums over its samples, and where the same neurons are on
their terms cancel, whatever the weights are. Half of all points make nothing of
`max(x, y) - x`. Floats have 0 there, or what the rounding of the terms has left, as in
any sum; no digits of a result are lost that had some. A test for lost digits stands off
there: of a sum that is exactly 0, or whose terms all are, it asks nothing, and there is
none of one that is what rounding has left, unless a formula is so small that its only
slope may be that. Other differences are but small: `(1 + x)^20 - 1` may be nothing for
floats, though not in more digits.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from gradc.analysis.draws import RANGES, Draws
from gradc.analysis.roundings import SUMS, Column, Point, Runs
from gradc.careful import DIGITS, Careful

POINTS = 50  # in each range
TRUE = 2  # at which more digits are asked
FEW = 8  # inputs of a formula that is small
ERROR = 2.0**-48  # the share of its terms that is rounding errors


class Nothing:
    """Knows of which sums nothing is left at some ordinary points.

    Those that are alike, but of other inputs, share what is known of one of them.
    """

    def __init__(self, runs: Runs, draws: Draws, shapes: Sequence[int]) -> None:
        self._runs = runs
        self._draws = draws
        self._shapes = shapes
        self._known: dict[int, bool] = {}  # by shapes
        self._careful: dict[tuple[int, int], Careful] = {}  # by points and digits

    def is_error(self, i: int) -> bool:
        """Whether a sum is at some points what rounding has left of nothing, and may be.

        In a formula of few inputs none may be: nothing is 0 there.
        """
        is_small = len(self._runs.program.inputs) <= FEW
        return not is_small and self._is_nothing(i) and self._has_errors(i)

    def is_zero(self, i: int) -> bool:
        """Whether a sum is 0 at some points, as it should be, and nowhere an error."""
        return self._is_nothing(i) and not self._has_errors(i)

    def is_idle(self, i: int) -> bool:
        """Whether all terms of a sum are 0 at some points."""
        return self._shapes[i] in self._idle

    def _has_errors(self, i: int) -> bool:
        return any(left.x for left in self._left[self._shapes[i]])

    @cached_property
    def _points(self) -> list[Point]:
        state = self._draws.random.getstate()
        found = [*self._draws.ordinary(RANGES, POINTS)]
        self._draws.random.setstate(state)
        return found

    @cached_property
    def _sums(self) -> list[tuple[int, Column, Column, Column]]:
        """The sums, with what they and their terms are at the points."""
        values = self._runs.run(self._points)
        nodes = self._runs.program.nodes
        sums = [i for i in self._runs.differences if nodes[i][0] in SUMS]
        return [(i, values[i], values[nodes[i][1]], values[nodes[i][2]]) for i in sums]

    @cached_property
    def _idle(self) -> Set[int]:
        """The shapes of sums of which all terms are 0 at some points."""
        return {
            self._shapes[i]
            for i, _, *terms in self._sums
            if any(x == y == 0.0 for x, y in zip(*terms))
        }

    @cached_property
    def _left(self) -> Mapping[int, Sequence[_Left]]:
        """What floats have left of some sums where that is nothing, by their shapes."""
        found: dict[int, list[_Left]] = defaultdict(list)
        for i, sums, terms, _ in self._sums:
            pairs = [(k, x) for k, x in enumerate(sums) if math.isfinite(x)]
            left = [
                _Left(i, k, x)
                for k, x in pairs
                if abs(x) <= ERROR * abs(terms[k]) and terms[k]
            ]
            if len(left) < len(pairs):
                found[self._shapes[i]] += left
        return found

    def _is_nothing(self, i: int) -> bool:
        """Whether nothing is left of a sum in more digits either."""
        shape = self._shapes[i]
        if shape not in self._known:
            some = self._left.get(shape, ())[:TRUE]
            zeros = (self._true(left.node, left.point) == 0 for left in some)
            self._known[shape] = bool(some) and all(zeros)
        return self._known[shape]

    def _true(self, i: int, k: int) -> Decimal:
        """What a node is at one of the points, in as many more digits as it needs."""
        digits, found = DIGITS, self._at(k, DIGITS).number(i)
        while (more := self._at(k, digits).values[i].needed()) > digits:
            digits, found = more, self._at(k, more).number(i)
        return found

    def _at(self, k: int, digits: int) -> Careful:
        """A run at one of the points in so many digits."""
        if (k, digits) not in self._careful:
            program = self._runs.program
            self._careful[k, digits] = Careful(program, self._points[k], digits, -1)
        return self._careful[k, digits]


class _Left(NamedTuple):
    """What floats have left of a node at a point."""

    node: int
    point: int
    x: float
