"""The blocks of a function: one for each guard, and the flags that some stand behind.

The block of a context stands inside that of the context around it, behind the
condition itself. A guard of several contexts, and a context below DEPTH others, stand
behind a flag, which holds the disjunction of the ways that lead there. A guard that is
taken apart has a block for each of its parts; one that can meet earlier ones asks that
none of them has run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from gradc.analysis.guards import ALWAYS, Guards
from gradc.analysis.implied import Literal
from gradc.passes.inline import DEPTH, ROOM, SHORT, Layout, Read
from gradc.passes.parts import Key, Parts

Ways = tuple[int, tuple[tuple[Literal, ...], ...]]  # from a block


class Step(NamedTuple):
    """A decision on the way to a block, and the guard around it."""

    condition: int
    branch: bool
    guard: int


@dataclass
class Block:
    """A run of statements under a condition; the root has neither."""

    parent: int
    condition: int
    branch: bool
    guard: int
    depth: int
    sibling: int = -1  # the block of the other branch


class Blocks:
    """The blocks of one function, made when they are first asked for.

    Attributes:
        all: the blocks; the first is the function's body.
        home: the block in which each flag is assigned.
        asks: the conditions that each flag reads.
        keys: where each flag comes in the order of parts.
    """

    def __init__(self, layout: Layout, guards: Guards, parts: Parts) -> None:
        self.all: list[Block] = [Block(-1, -1, True, ALWAYS, 0)]
        self.home: dict[int, int] = {}
        self.asks: dict[int, list[Read]] = {}
        self.keys: dict[int, Key] = {}
        self._layout = layout
        self._guards = guards
        self._parts = parts
        self._block_of: dict[int, int] = {ALWAYS: 0}
        self._blocks_of: dict[int, list[int]] = {}  # of a guard that is taken apart
        self._known: dict[Ways, int] = {}  # flags for ways that others begin with, too

    def of(self, guard: int) -> int:
        """The block of a guard that stays whole."""
        trail = []
        while guard not in self._block_of:
            trail.append(guard)
            guard = self._around(guard)
        for guard in reversed(trail):
            if len(self._guards.members[guard]) > 1:
                self._block_of[guard] = self._union(guard)
            else:
                self._block_of[guard] = self._plain(guard)
        return self._block_of[guard]

    def of_parts(self, guard: int, contexts: list[int]) -> list[int]:
        """The blocks of a guard's parts; one is passed by if an earlier one was not."""
        if guard not in self._blocks_of:
            around = self.of(self._guards.common(contexts))
            made: list[int] = []
            self._blocks_of[guard] = made
            meet = self._parts.meet
            for context in contexts:
                earlier = [m for m, c in zip(made, contexts) if meet(c, context)]
                made.append(self._part(context, earlier, around))
        return self._blocks_of[guard]

    def _around(self, guard: int) -> int:
        if len(self._guards.members[guard]) > 1:
            return self._guards.common([guard])
        return self._guards.enclosing[guard]

    def _union(self, guard: int) -> int:
        """The block of several contexts, behind a flag unless one holds them all."""
        members = self._guards.members[guard]
        sides = {side for m in members for side in self._sides(m)}
        widest = members
        if sides:
            widest = tuple(m for m in members if sides.isdisjoint(self._steps(m)))
        if len(widest) == 1:
            return self.of(widest[0])
        around = self._block_of[self._around(guard)]
        ways = [self._way(self.of(m), around) for m in widest]
        return self._flagged(around, *self._either(ways, around), guard)

    def _sides(self, context: int) -> list[tuple[int, int, bool]]:
        """The decisions each of which is enough for `a or b`, or for `not (a and b)`."""
        condition, branch = self._guards.literal[context]
        op, *sides = self._layout.nodes[condition]
        if op != ("or" if branch else "and"):
            return []
        return [(self._guards.enclosing[context], side, branch) for side in sides]

    def _steps(self, context: int) -> Iterator[tuple[int, int, bool]]:
        """The decisions on the way to a context, each with the context around it."""
        while context != ALWAYS:
            around = self._guards.enclosing[context]
            yield (around, *self._guards.literal[context])
            context = around

    def _plain(self, guard: int) -> int:
        outside = self._guards.enclosing[guard]
        around = self._block_of[outside]
        condition, branch = self._guards.literal[guard]
        if self.all[around].depth >= DEPTH:
            way = [*self._way(around, 0), Step(condition, branch, outside)]
            return self._flagged(0, *self._either([way], 0), guard)
        block = self._new(around, condition, branch, guard)
        other = self._block_of.get(self._guards.opposite(guard), -1)
        if other >= 0 and self.all[other].parent == around:
            self.all[block].sibling, self.all[other].sibling = other, block
        return block

    def _part(self, context: int, earlier: list[int], around: int) -> int:
        """The block of a context, passed by where one of some earlier ones ran."""
        plain = self.of(context)
        if not earlier:
            return plain
        way = [self._passed(block, around) for block in earlier]
        way += self._way(plain, around)
        return self._flagged(around, *self._all(way, around), context)

    def _passed(self, block: int, around: int) -> Step:
        """The decision that a block has not been run, inside one around it."""
        here = self.all[block]
        if here.parent == around:
            return Step(here.condition, not here.branch, self.all[around].guard)
        condition, asks = self._all(self._way(block, around), around)
        return Step(self._flag(condition, asks, around), False, ALWAYS)

    def _way(self, block: int, around: int) -> list[Step]:
        """The decisions that lead to a block from one around it."""
        way = []
        while block != around and block != 0:
            here = self.all[block]
            block = here.parent
            way.append(Step(here.condition, here.branch, self.all[block].guard))
        return way[::-1]

    def _flagged(
        self, around: int, condition: int, asks: list[Read], guard: int
    ) -> int:
        """A block behind a condition of its own; at the margin if it stood too deep."""
        if self.all[around].depth >= DEPTH:
            flag = self._flag(condition, asks, around)
            way = [*self._way(around, 0), Step(flag, True, ALWAYS)]
            around = 0
            condition, asks = self._all(way, around)
        if self._layout.nodes[condition][0] != "flag":
            condition = self._flag(condition, asks, around)
        return self._new(around, condition, True, guard)

    def _new(self, parent: int, condition: int, branch: bool, guard: int) -> int:
        depth = self.all[parent].depth + 1
        self.all.append(Block(parent, condition, branch, guard, depth))
        return len(self.all) - 1

    # ---- conditions of our own

    def _either(self, ways: list[list[Step]], block: int) -> tuple[int, list[Read]]:
        """A condition that holds on any of the ways, and what it reads, in a block.

        What all of them end with is asked once, behind what they begin with.
        """
        ways, end = _parted(ways)
        if end:
            begun = [Step(self._begun(ways, block), True, ALWAYS)] if ways else []
            return self._all([*begun, *end], block)
        either, width = -1, 0
        asks: list[Read] = []
        failed: set[Literal] = set()  # what is known once the others fail
        for way in sorted(ways, key=len):
            if any((s.condition, not s.branch) in failed for s in way):
                continue  # one of the others goes on here as well
            rest = [s for s in way if not self._is_known(s, failed)] or way[-1:]
            if self._columns(rest) < ROOM - 2 * SHORT:
                way = rest  # short enough to be read behind the others
            if len(way) == 1:
                failed.add((way[0].condition, not way[0].branch))
            if either >= 0 and width + self._columns(way) > ROOM - 8:
                either, width = self._flag(either, asks, block), SHORT
                asks = [(either, ALWAYS)]
            both, own = self._all(way, block)
            width += min(self._columns(way), ROOM)
            asks = asks + own
            either = both if either < 0 else self._layout.own("or", either, both)
        return either, asks

    def _begun(self, ways: list[list[Step]], block: int) -> int:
        """A flag for the ways on which several things are done, one for all of these."""
        key = block, tuple(sorted(tuple(s[:2] for s in way) for way in ways))
        if key not in self._known:
            self._known[key] = self._flag(*self._either(ways, block), block)
        return self._known[key]

    def _is_known(self, step: Step, known: Set[Literal]) -> bool:
        """Whether a decision is among some, or follows from one of them at once."""
        condition, branch, _ = step
        op, *sides = self._layout.nodes[condition]
        follows = op == ("or" if branch else "and")
        return (condition, branch) in known or (
            follows and any((side, branch) in known for side in sides)
        )

    def _all(self, way: list[Step], block: int) -> tuple[int, list[Read]]:
        """A condition that holds at the end of a way, and what it reads."""
        both, width = -1, 0
        asks: list[Read] = []
        for step in way:
            condition, branch, guard = step
            self._layout.uses[condition] += 1
            width += self._columns([step])
            if both >= 0 and width > ROOM - 8:
                both, width = self._flag(both, asks, block), SHORT
                asks = [(both, ALWAYS)]
            asks = [*asks, (condition, guard)]
            node = condition if branch else self._layout.own("not", condition)
            both = node if both < 0 else self._layout.own("and", both, node)
        return both, asks

    def _columns(self, way: Sequence[Step]) -> int:
        """How many columns the decisions of a way may take."""
        widths = self._layout.widths
        return sum(9 + (widths[c] if c < len(widths) else 0) for c, _, _ in way)

    def _flag(self, condition: int, asks: list[Read], block: int) -> int:
        """Give a condition of our own a variable, assigned in a block."""
        flag = self._layout.own("flag", condition)
        self._layout.inline[flag] = False
        self.home[flag] = block
        self.asks[flag] = asks
        if self._parts:
            key = max(self.keys.get(a) or self._parts.key(g, a) for a, g in asks)
            before = key.index(-1) if -1 in key else len(key)
            self.keys[flag] = [*key[:before], -1, flag]  # after all that it reads
        return flag


def _parted(ways: list[list[Step]]) -> tuple[list[list[Step]], list[Step]]:
    """What ways begin with, none if one is all the others end with, and that end."""
    shortest = min(ways, key=len)
    count = 0
    while count < len(shortest) and len(ways) > 1:
        last = {way[-1 - count][:2] for way in ways}
        if len(last) > 1:
            break
        count += 1
    if not count:
        return ways, []
    begun = [way[:-count] for way in ways]
    return (begun if all(begun) else []), shortest[-count:]
