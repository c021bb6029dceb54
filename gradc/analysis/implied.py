"""What decisions imply: x > 1/2 that x > 0, and not a that not (a and b)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress, count
from operator import itemgetter

from gradc.ir import COMPARISONS, CONDITIONS, Node

FEW = 6  # comparisons of one number up to which they are compared
MOST = 24  # decisions that may follow from one, directly or not
Literal = tuple[int, bool]  # a condition (its node) and the branch taken


class Implied:
    """The decisions that follow from simple ones in one program."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._implied: dict[Literal, list[Literal]] = {}
        groups: dict[int, list[int]] = {}  # comparisons of a number with constants
        found = map(CONDITIONS.__contains__, map(itemgetter(0), nodes))
        conditions = [*compress(count(), found)]
        for i in conditions:
            op, *args = nodes[i]
            if op in COMPARISONS:
                ops = [nodes[a][0] for a in args]
                if ops.count("const") == 1:
                    groups.setdefault(args[ops[0] == "const"], []).append(i)
        for group in groups.values():
            if 1 < len(group) <= FEW:
                self._compare(group)
        following: dict[Literal, int] = {}  # how much follows from a decision
        for i in reversed(conditions):
            if nodes[i][0] in ("and", "or"):
                for a in nodes[i][1:]:
                    self._settle(a, i, nodes[i][0] == "or", following)

    def by(self, literal: Literal) -> list[Literal]:
        """What a decision implies; of equal decisions one implies the other."""
        return self._implied.get(literal, [])

    def _settle(
        self, a: int, i: int, holds: bool, following: dict[Literal, int]
    ) -> None:
        """Note that one side decides `and` or `or`, unless too much follows from it."""
        branch = holds
        while self._nodes[a][0] == "not":
            a, branch = self._nodes[a][1], not branch
        total = following.get((a, branch), 0) + 1 + following.get((i, holds), 0)
        if total <= MOST:
            following[a, branch] = total
            self._implied.setdefault((a, branch), []).append((i, holds))

    def _compare(self, group: Sequence[int]) -> None:
        """Find which of some comparisons of one number imply each other.

        Between two constants next to each other nothing changes, nor does beyond the
        last one; NaN is a number of its own.
        """
        ends = sorted({self._limit(i) for i in group})
        middles = [(a + b) / 2 for a, b in zip(ends, ends[1:])]
        points = [-math.inf, *ends, *middles, math.inf, math.nan]
        literals = [(i, branch) for i in group for branch in (True, False)]
        holds = {
            (i, branch): {k for k, x in enumerate(points) if self._is(i, x) == branch}
            for i, branch in literals
        }
        for one in literals:
            for other in literals:
                is_equal = holds[one] == holds[other] and other[0] < one[0]
                if holds[one] < holds[other] or is_equal:
                    self._implied.setdefault(one, []).append(other)

    def _limit(self, i: int) -> float:
        _, x, y = self._nodes[i]
        found: float = self._nodes[x if self._nodes[x][0] == "const" else y][1]
        return found

    def _is(self, i: int, x: float) -> bool:
        """Whether a comparison holds for a number."""
        op, first, second = self._nodes[i]
        limit = self._limit(i)
        pair = (limit, x) if self._nodes[first][0] == "const" else (x, limit)
        return COMPARISONS[op](*pair)
