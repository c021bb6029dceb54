"""Compute what mutually exclusive branches need in each of them.

    if not a or not b:              if a:
        y = f(x)                        if b:
    if a:                                   z = g(x)
        if b:                           else:
            z = g(x)      -->               z = 2.0 * f(x)
        else:                       else:
            z = 2.0 * y                 z = f(x)
    else:
        z = y

Only one of the branches runs, so that nothing is saved where they share a node behind a
flag. The text grows by the copies, of which there are no more than a function may have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gradc.analysis.guards import ALWAYS, NEVER, Guards
from gradc.analysis.implied import Literal
from gradc.ir import Program, arguments
from gradc.passes.copies import LEAVES, Copier, slots
from gradc.passes.decide import decide
from gradc.passes.speculate import speculate

FEW = 4  # operations that may be copied rather than done before all branches
CHEAP = frozenset({"add", "sub", "mul", "div", "neg"})


def divide(program: Program, most: int) -> tuple[Program, int]:
    """A program in which few nodes are needed on several exclusive paths at once.

    Arguments:
        most: how many nodes may be added.

    Returns:
        The program, and how many nodes have been added to it.
    """
    decided, guards, placed = decide(program)
    copies = _Ways(decided, guards, placed).found(most)
    if not copies:
        return program, 0
    added = sum(len(ways) - 1 for ways in copies.values())
    return Copier(decided, guards, placed, copies).written(), added


class _Ways:
    """Finds nodes whose readers stand on exclusive paths."""

    def __init__(self, program: Program, guards: Guards, placed: Sequence[int]) -> None:
        self.program = program
        self.guards = guards
        self.placed = placed
        self.readers = Counter(a for node in program.nodes for a in arguments(node))
        early = speculate(program, guards, placed)
        moved = [a for a, b in zip(placed, early) if a != b]
        many = {guard for guard, count in Counter(moved).items() if count > FEW}
        self.early = {i for i, g in enumerate(placed) if g in many and early[i] != g}

    def found(self, most: int) -> dict[int, tuple[int, ...]]:
        """The nodes, each with the guards of its copies."""
        copies: dict[int, tuple[int, ...]] = {}
        reads: dict[int, list[int]] = {}  # the guards under which a node is read
        for i in range(len(self.placed) - 1, -1, -1):
            guard = self.placed[i]
            if guard == NEVER or self.program.nodes[i][0] in LEAVES:
                continue
            ways = self.guards.ways(guard)
            if i in self.early:
                ways = (guard,)
            inside = reads.get(i, [])
            if len(ways) == 1:
                ways = self._sides(i, inside) or ways
            if 1 < len(ways) <= most + 1 and self._tells(ways, inside):
                copies[i] = ways
                most -= len(ways) - 1
            for own in copies.get(i, (guard,)):
                for a, inner in slots(self.program, self.guards, i, own):
                    if inner != NEVER:
                        reads.setdefault(a, []).append(inner)
        return copies

    def _sides(self, i: int, reads: Sequence[int]) -> tuple[int, int] | None:
        """The branches of a condition each of which reads a simple node once.

        There it needs no line of its own.
        """
        guards, guard = self.guards, self.placed[i]
        op, *args = self.program.nodes[i]
        if op not in CHEAP or len(reads) != 2 or len(guards.members[guard]) > 1:
            return None
        if any(self._is_inside(a, guard) for a in args):
            return None
        one, other = (self._first(read, guard) for read in reads)
        if one is None or other is None or other != (one[0], not one[1]):
            return None
        return guards.child(guard, one[0], True), guards.child(guard, one[0], False)

    def _is_inside(self, a: int, guard: int) -> bool:
        """Whether an argument stands in the expression of the one node that reads it."""
        op = self.program.nodes[a][0]
        alone = self.readers[a] == 1 and a not in self.program.names
        return alone and self.placed[a] == guard and op not in LEAVES

    def _first(self, read: int, guard: int) -> Literal | None:
        """The decision that leads first from a guard to one inside it."""
        guards = self.guards
        if read == guard or len(guards.members[read]) > 1:
            return None
        while read != ALWAYS and guards.enclosing[read] != guard:
            read = guards.enclosing[read]
        return None if read == ALWAYS else guards.literal[read]

    def _tells(self, ways: Sequence[int], reads: Iterable[int]) -> bool:
        """Whether each read of a node stands on one of its ways."""
        covers = self.guards.covers
        return all(any(covers(way, read) for way in ways) for read in reads)
