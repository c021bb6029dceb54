"""Put a program in the order of a page: statements, blocks, and what stands inline.

    %0 = input x
    %1 = const 0.0                       if x > 0.0:
    %2 = gt %0 %1                            w = log(x)
    %3 = log %0                              r = w * w
    %4 = mul %3 %3            -->        else:
    %5 = exp %0                              r = exp(x)
    %6 = where %2 %4 %5                  return r
    out %6

A node that only some paths need is computed under the disjunction of their conditions,
so never on a path that does not need it, and never twice. All nodes that wait for one
condition share one block unless a value forbids it. Deep nests are cut: a block beyond
DEPTH levels starts again at the left margin behind a flag that holds the way to it.
Single uses move into the expression that reads them, up to the width of a line.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from gradc.errors import conditions_entangled
from gradc.guards import ALWAYS, NEVER, Guards, Literal, place
from gradc.ir import CONDITIONS, LAZY, Node, Program
from gradc.spelling import ATOM, UNARY, Spelling, spelling

DEPTH = 6  # nested blocks before a nest is cut
WIDTH = 88  # columns of a line
ROOM = 68  # columns that a statement may fill by taking others in
SHORT = 20  # columns of a named part that may lose its line when it is used once
ARM = 30  # columns of a branch that may stand in a conditional expression
NEST = 8  # operations inside each other in one expression
PATIENCE = 12  # attempts before every guard is split
PARTS = 64  # contexts of a guard that may be split
PAIRS = 4096  # combinations of contexts that are worth a look

Read = tuple[int, int]  # a variable, and the guard under which it is read
Parts = list[tuple[int, ...]]
Splits = dict[int, Parts]  # the parts of the guards that are split


@dataclass(frozen=True)
class Assign:
    """Give the variable of node `target` the value of the node `value`."""

    target: int
    value: int


@dataclass
class If:
    """Two blocks behind a condition; either may be empty, not both."""

    condition: int
    yes: list[Assign | If] = field(default_factory=list)
    no: list[Assign | If] = field(default_factory=list)


Statement = Assign | If


class Step(NamedTuple):
    """A decision on the way to a block, and the guard around it."""

    condition: int
    branch: bool
    guard: int


@dataclass(frozen=True)
class Schedule:
    """The statements of one function.

    `nodes` are the program's, with the conditions of flags appended. `inline` tells
    which nodes stand inside the expression that reads them, `target` whose variable
    each other node is assigned to; `fixed` are the nodes that no input changes and that
    are computed once at import.
    """

    program: Program
    nodes: Sequence[Node]
    outputs: tuple[int, ...]
    body: list[Statement]
    inline: Sequence[bool]
    target: Sequence[int]
    fixed: Sequence[bool]


def schedule(
    program: Program,
    outputs: tuple[int, ...],
    fixed: Sequence[bool],
    widths: Sequence[int],
) -> Schedule:
    """Order the part of a program that some of its outputs need.

    Arguments:
        program: any program.
        outputs: the positions to return, a selection of the program's own.
        fixed: the nodes that are computed once at import.
        widths: how many columns the name (or literal) of each node may take.

    Raises:
        GradcError: conditions that wait for each other, too many to take apart.
    """
    guards = Guards(program)
    placed = place(program, guards, outputs)
    splits: Splits = {}
    for _ in range(PATIENCE):
        page = _Page(program, outputs, fixed, widths, guards, placed, splits)
        if page.run():
            return page.finish()
        splits.update(page.entangled())
    page = _Page(program, outputs, fixed, widths, guards, placed, page.all_splits())
    page.run_in_order()
    return page.finish()


@dataclass
class _Block:
    """A run of statements under a condition; the root has neither."""

    parent: int
    condition: int
    branch: bool
    guard: int
    depth: int
    sibling: int = -1
    ready: list[tuple[int, int]] = field(default_factory=list)
    children: list[tuple[int, int]] = field(default_factory=list)
    marked: bool = False


class _Page:
    """One attempt at a schedule."""

    def __init__(
        self,
        program: Program,
        outputs: tuple[int, ...],
        fixed: Sequence[bool],
        widths: Sequence[int],
        guards: Guards,
        placed: Sequence[int],
        splits: Splits,
    ) -> None:
        self.program = program
        self.outputs = outputs
        self.spelled: dict[tuple[str, int], Spelling] = {}
        self.nodes: list[Node] = list(program.nodes)
        self.widths = widths
        self.guards = guards
        self.placed = placed
        self.fixed = fixed
        self.splits = splits
        self.lazy = any(
            g != NEVER and node[0] in LAZY for g, node in zip(self.placed, self.nodes)
        )
        self.alive = [
            g != NEVER and not f and node[0] not in ("const", "input")
            for g, f, node in zip(self.placed, fixed, self.nodes)
        ]
        self.target = list(range(len(self.nodes)))
        self.uses = self._count()
        self.blocky: set[tuple[int, int]] = set()
        self.inline = [False] * len(self.nodes)
        self.blocks: list[_Block] = [_Block(-1, -1, True, ALWAYS, 0)]
        self.block_of: dict[int, int] = {ALWAYS: 0}
        self.home: dict[int, int] = {}  # the block in which a flag is assigned
        self.asks: dict[int, list[Read]] = {}  # the conditions that a flag reads
        self.facts: dict[int, frozenset[Literal]] = {ALWAYS: frozenset()}
        self.parts_of: dict[int, list[int]] = {}  # the blocks of a split guard
        self.body: list[Statement] = []
        if self.lazy:
            self._shape()
        self._flatten()
        if self.lazy:
            self._head()

    # ---- what is used, and where

    def _count(self) -> list[int]:
        uses = [0] * len(self.nodes)
        for i in self.outputs:
            uses[i] += 1
        for i, node in enumerate(self.nodes):
            if self.alive[i]:
                for a in node[1:]:
                    uses[a] += 1
        return uses

    def _slots(self, i: int) -> list[tuple[int, int]]:
        """The arguments of a node, each with the guard under which it is read."""
        guard, node = self.placed[i], self.nodes[i]
        if node[0] not in LAZY:
            return [(a, guard) for a in node[1:]]
        c = node[1]
        yes, no = self._branches(i)
        if node[0] == "where":
            return [(c, guard), (node[2], yes), (node[3], no)]
        return [(c, guard), (node[2], yes if node[0] == "and" else no)]

    def _branches(self, i: int) -> tuple[int, int]:
        """The guards of the two sides of a lazy node."""
        guard, c = self.placed[i], self.nodes[i][1]
        child = self.guards.child
        return child(guard, c, True), child(guard, c, False)

    def _is_block(self, i: int) -> bool:
        """Whether a conditional is printed as a block rather than an expression."""
        node = self.nodes[i]
        return node[0] == "where" and (self.placed[i], node[1]) in self.blocky

    # ---- which conditionals become blocks

    def _shape(self) -> None:
        """Find the conditions that need a block, and who shares whose variable."""
        alone = [False] * len(self.nodes)
        width = [0] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            width[i] = self.widths[i]
            if not self.alive[i]:
                continue
            slots = self._slots(i)
            solid = True
            for k, (a, guard) in enumerate(slots):
                own = self.alive[a] and self.placed[a] == guard
                if own and not alone[a]:
                    solid = False
                if node[0] == "where" and k > 0:
                    if guard == NEVER or (own and (not alone[a] or width[a] > ARM)):
                        self.blocky.add((self.placed[i], node[1]))
                        solid = False
            if solid:
                spelled = self._spelling(node)
                width[i] = spelled.columns
                width[i] += sum(width[node[1 + k]] + 2 for k, _ in spelled.holes)
            alone[i] = solid and self.uses[i] == 1
        self._share()
        for i, node in enumerate(self.nodes):
            if self.alive[i] and self._is_block(i):
                self.uses[node[1]] -= 1
        for _, condition in self.blocky:
            self.uses[condition] += 1

    def _share(self) -> None:
        """Let a branch that only its conditional reads take the same variable."""
        for i in range(len(self.nodes) - 1, -1, -1):
            if self.alive[i] and self._is_block(i):
                for a, guard in self._slots(i)[1:]:
                    own = self.alive[a] and self.placed[a] == guard
                    if own and self.uses[a] == 1:
                        self.target[a] = self.target[i]

    # ---- which nodes stand inline

    def _flatten(self) -> None:
        """Move single uses into their readers while the line has room."""
        nodes, placed, inline = self.nodes, self.placed, self.inline
        width = list(self.widths)
        level = [ATOM] * len(nodes)
        nest = [0] * len(nodes)
        free = self._movable()
        for i, node in enumerate(nodes):
            op = node[0]
            if not self.alive[i]:
                if op == "const" and node[1].hex().startswith("-"):
                    level[i] = UNARY
                continue
            if op == "where" and self._is_block(i):
                width[i] = self.widths[self.target[i]]
                continue
            spelled = self._spelling(node)
            guard = placed[i]
            slots = self._slots(i) if op in LAZY else None
            taken: list[int] = []
            for k, a in enumerate(node[1:]):
                if free[a] and nest[a] < NEST:
                    read = guard if slots is None else slots[k][1]
                    if placed[a] == read and k not in spelled.repeated:
                        taken.append(a)
                        inline[a] = True
            width[i] = self._width(node, spelled, width, level)
            if taken:
                self._fit(i, taken, width, level, spelled)
                nest[i] = 1 + max([nest[a] for a in taken], default=0)
            level[i] = spelled.level
            if free[i] and i in self.program.names and width[i] > SHORT:
                free[i] = False
        self._return(width)

    def _movable(self) -> list[bool]:
        """Which nodes may stand in their reader: computed here, read once, no block."""
        free = [
            alive and uses == 1 and target == i
            for i, (alive, uses, target) in enumerate(
                zip(self.alive, self.uses, self.target)
            )
        ]
        if self.lazy:
            for i, node in enumerate(self.nodes):
                if free[i] and (self.placed[i] in self.splits or self._is_block(i)):
                    free[i] = False
        return free

    def _fit(
        self,
        i: int,
        taken: list[int],
        width: list[int],
        level: list[int],
        spelled: Spelling,
    ) -> None:
        """Put the widest of what a node has taken in back on lines of their own."""
        node = self.nodes[i]
        room = ROOM - 3 - self.widths[self.target[i]]
        if self.placed[i] != ALWAYS:
            room -= 4 * self._depth(self.placed[i])
        else:
            room -= 4
        while taken and width[i] > room:
            widest = max(taken, key=lambda a: width[a])
            if node[0] == "where" and widest != node[1]:
                return  # a branch may not leave its conditional
            taken.remove(widest)
            self.inline[widest] = False
            width[i] = self._width(node, spelled, width, level)

    def _width(
        self, node: Node, spelled: Spelling, width: list[int], level: list[int]
    ) -> int:
        """The columns of the text of a node with what stands inline in it."""
        total = spelled.columns
        for k, limit in spelled.holes:
            a = node[1 + k]
            if self.inline[a]:
                total += width[a] + 2 * (level[a] < limit)
            else:
                total += self.widths[self.target[a]]
        return total

    def _head(self) -> None:
        """Give a variable to every condition that a block will ask for."""
        seen = {ALWAYS}
        todo = [i for i, alive in enumerate(self.alive) if alive and not self.inline[i]]
        while todo:
            i = todo.pop()
            guards = [self.placed[i]]
            if self._is_block(i):
                guards += [g for g in self._branches(i) if g != NEVER]
            for guard in list(guards):
                guards += [m for part in self.splits.get(guard, ()) for m in part]
            for context in self._around(guards, seen):
                condition, _ = self.guards.literal[context]
                key = (self.guards.enclosing[context], condition)
                if key not in self.blocky:
                    self.uses[condition] += 1
                if self.inline[condition]:
                    self.inline[condition] = False
                    todo.append(condition)

    def _around(self, guards: list[int], seen: set[int]) -> list[int]:
        """The contexts that stand around guards, each once in a lifetime of `seen`."""
        found = []
        for guard in guards:
            for context in self.guards.members[guard]:
                while context not in seen:
                    seen.add(context)
                    found.append(context)
                    context = self.guards.enclosing[context]
        return found

    def _return(self, width: list[int]) -> None:
        """Move short results into the return statement."""
        for i in self.outputs:
            if (
                self.uses[i] == 1
                and self.alive[i]
                and not self._is_block(i)
                and i not in self.program.names
                and width[i] <= 2 * SHORT
            ):
                self.inline[i] = True

    def _spelling(self, node: Node) -> Spelling:
        key = (node[0], len(node))
        found = self.spelled.get(key)
        if found is None:
            row = self.program.ops[node[0]]
            found = self.spelled[key] = spelling(row, len(node) - 1)
        return found

    def _depth(self, guard: int) -> int:
        depth = 1
        while guard != ALWAYS and depth <= DEPTH:
            guard = self.guards.enclosing[guard]
            depth += 1
        return depth

    # ---- blocks

    def _block(self, guard: int) -> int:
        """The block of a guard, made with those around it when first asked for."""
        trail = []
        while guard not in self.block_of:
            trail.append(guard)
            if len(self.guards.members[guard]) > 1:
                guard = self.guards.common([guard])
            else:
                guard = self.guards.enclosing[guard]
        for guard in reversed(trail):
            members = self.guards.members[guard]
            if len(members) > 1:
                around = self.block_of[self.guards.common([guard])]
                found = self._either([self._way(m, around) for m in members], around)
                self.block_of[guard] = self._flagged(around, *found, guard)
            else:
                self.block_of[guard] = self._plain(guard)
        return self.block_of[guard]

    def _way(self, context: int, around: int) -> list[Step]:
        """The decisions that lead to the block of a context, from one around it."""
        block = self._block(context)
        way = []
        while block != around and block != 0:
            here = self.blocks[block]
            outside = self.blocks[here.parent].guard
            way.append(Step(here.condition, here.branch, outside))
            block = here.parent
        return way[::-1]

    def _plain(self, guard: int) -> int:
        around = self.block_of[self.guards.enclosing[guard]]
        condition, branch = self.guards.literal[guard]
        if self.blocks[around].depth >= DEPTH:
            outside = self.guards.enclosing[guard]
            way = [*self._way(outside, 0), Step(condition, branch, outside)]
            return self._flagged(0, *self._either([way], 0), guard)
        block = self._new_block(around, condition, branch, guard)
        other = self.block_of.get(self.guards.opposite(guard), -1)
        if other >= 0 and self.blocks[other].parent == around:
            self.blocks[block].sibling, self.blocks[other].sibling = other, block
        return block

    def _flagged(
        self, around: int, condition: int, asks: list[Read], guard: int
    ) -> int:
        """A block behind a condition of its own; at the margin if it stood too deep."""
        if self.blocks[around].depth >= DEPTH:
            condition, asks = self._flag(condition, asks, around)
            way = self._way(self.blocks[around].guard, 0)
            way.append(Step(condition, True, ALWAYS))
            around = 0
            condition, asks = self._either([way], 0)
        if self.nodes[condition][0] != "flag":
            condition, _ = self._flag(condition, asks, around)
        return self._new_block(around, condition, True, guard)

    def _new_block(self, parent: int, condition: int, branch: bool, guard: int) -> int:
        depth = self.blocks[parent].depth + 1
        self.blocks.append(_Block(parent, condition, branch, guard, depth))
        return len(self.blocks) - 1

    def _either(self, ways: list[list[Step]], block: int) -> tuple[int, list[Read]]:
        """A condition that holds on any of the ways, and what it reads, in a block."""
        either, width = -1, 0
        asks: list[Read] = []
        failed: set[Literal] = set()  # what is known once the others fail
        for way in ways:
            both = -1
            own: list[Read] = []
            way = [s for s in way if (s.condition, s.branch) not in failed] or way[-1:]
            if len(way) == 1:
                failed.add((way[0].condition, not way[0].branch))
            for condition, branch, guard in way:
                self.uses[condition] += 1
                own.append((condition, guard))
                node = condition if branch else self._node(("not", condition), block)
                both = node if both < 0 else self._node(("and", both, node), block)
                width += 9
                if condition < len(self.widths):
                    width += self.widths[condition]
                if width > ROOM - 8:
                    (both, own), width = self._flag(both, own, block), SHORT
            if either >= 0 and width > ROOM - 2 * SHORT:
                (either, asks), width = self._flag(either, asks, block), SHORT
            asks = asks + own
            either = both if either < 0 else self._node(("or", either, both), block)
        return either, asks

    def _flag(
        self, condition: int, asks: list[Read], block: int
    ) -> tuple[int, list[Read]]:
        """Give a condition of our own a variable, assigned in a block."""
        flag = self._node(("flag", condition), block)
        self.asks[flag] = asks
        return flag, [(flag, ALWAYS)]

    def _node(self, node: Node, block: int) -> int:
        """Append a condition of our own; only a flag has a line, in its block."""
        self.nodes.append(node)
        self.target.append(len(self.nodes) - 1)
        self.inline.append(node[0] != "flag")
        self.home[len(self.nodes) - 1] = block
        self.uses.append(1)
        return len(self.nodes) - 1

    def _parts(self, guard: int) -> list[int]:
        """The blocks of a split guard; each is passed by if an earlier one was not."""
        if guard not in self.parts_of:
            contexts = [m for part in self.splits[guard] for m in part]
            around = self._block(self.guards.common(contexts))
            flags: list[tuple[int, tuple[int, ...]]] = []
            blocks = []
            for part in self.splits[guard]:
                ways = [self._way(m, around) for m in part]
                condition, asks = self._either(ways, around)
                for flag, earlier in flags:
                    if any(self._agree(a, b) for a in part for b in earlier):
                        self.uses[flag] += 1
                        passed = self._node(("not", flag), around)
                        condition = self._node(("and", condition, passed), around)
                        asks = [*asks, (flag, ALWAYS)]
                flag, asks = self._flag(condition, asks, around)
                flags.append((flag, part))
                inside = self.guards.join(part)
                blocks.append(self._flagged(around, flag, asks, inside))
            self.parts_of[guard] = blocks
        return self.parts_of[guard]

    # ---- the order

    def run(self) -> bool:
        """Order the statements; whether none is left that waits for another."""
        if not self.lazy:
            self.body = [
                Assign(i, i)
                for i in range(len(self.nodes))
                if self.alive[i] and not self.inline[i]
            ]
            return True
        self._units()
        self._link()
        self._drain()
        return not any(self.waiting)

    def _units(self) -> None:
        """List what has to be written down: (position, block, target, value)."""
        self.units: list[tuple[int, int, int, int]] = []
        self.guard_of: list[int] = []
        self.makers: dict[int, list[int]] = {}
        self.opened: dict[int, int] = {}  # how many blocks ask for a condition
        self.passed: dict[int, tuple[int, ...]] = {}  # where a unit is passed by
        for i in range(len(self.placed)):
            if not self.alive[i] or self.inline[i]:
                continue
            if not self._is_block(i):
                self.makers[i] = self._new_units(i, i, self.placed[i])
                continue
            made: list[int] = []
            for a, guard in self._slots(i)[1:]:
                if guard == NEVER:
                    continue
                if self.target[a] == self.target[i]:
                    made += self.makers[a]
                else:
                    made += self._new_units(i, a, guard)
            self.makers[i] = made
        for i in self.asks:
            self.makers[i] = [self._write(i, i, self.home[i], ALWAYS)]

    def _new_units(self, i: int, value: int, guard: int) -> list[int]:
        """The units of one statement: one, or several where its guard was split."""
        if guard not in self.splits:
            return [self._write(i, value, self._block(guard), guard)]
        earlier: tuple[int, ...] = ()
        made = []
        for part, block in zip(self.splits[guard], self._parts(guard)):
            made.append(self._write(i, value, block, self.blocks[block].guard))
            self.passed[made[-1]] = earlier
            earlier += part
        return made

    def _write(self, i: int, value: int, block: int, guard: int) -> int:
        self.units.append((i, block, i, value))
        self.guard_of.append(guard)
        return len(self.units) - 1

    def _link(self) -> None:
        """Count for each unit what it waits for."""
        self.waiting = [0] * len(self.units)
        self.readers: list[list[int]] = [[] for _ in self.units]
        for u, (i, block, _, value) in enumerate(self.units):
            makers: set[int] = set()
            known, passed = self.guard_of[u], self.passed.get(u, ())
            for a, guard in self._reads(i, value):
                for m in self.makers.get(a, ()):
                    if self._meets((known, guard), passed, m):
                        makers.add(m)
            while block != 0:
                here = self.blocks[block]
                block = here.parent
                for m in self.makers[here.condition]:
                    if self._meets((self.blocks[block].guard,), (), m):
                        makers.add(m)
            makers.discard(u)
            self.waiting[u] = len(makers)
            for m in makers:
                self.readers[m].append(u)
            if not makers:
                self._ready(u)

    def _reads(self, i: int, value: int) -> list[Read]:
        """The variables that a statement mentions, each with the guard around it."""
        if i in self.asks:
            return self.asks[i]
        if i != value and not self.inline[value]:
            return [(value, ALWAYS)]
        found = []
        stack = [value]
        while stack:
            i = stack.pop()
            if self.nodes[i][0] in ("const", "input"):
                continue
            for a, guard in self._slots(i):
                if self.inline[a]:
                    stack.append(a)
                else:
                    same = guard == self.placed[value]
                    found.append((a, ALWAYS if same else guard))
        return found

    # ---- guards that are split because their conditions wait for what they guard

    def _meets(self, known: Sequence[int], passed: Sequence[int], maker: int) -> bool:
        """Whether a unit can run where some guards hold and some contexts do not."""
        if not self.splits:
            return True
        passed = (*passed, *self.passed.get(maker, ()))
        members = [self.guards.members[g] for g in (*known, self.guard_of[maker])]
        if math.prod(map(len, members)) > PAIRS:
            return True
        return any(self._possible(contexts, passed) for contexts in product(*members))

    def _possible(self, contexts: Iterable[int], passed: Iterable[int]) -> bool:
        """Whether contexts can hold together without any of some others."""
        facts = frozenset().union(*[self._known(c) for c in contexts])
        if any((c, not branch) in facts for c, branch in facts):
            return False
        return not any(self._known(p) <= facts for p in passed)

    def _agree(self, a: int, b: int) -> bool:
        return self._possible((a, b), ())

    def _known(self, context: int) -> frozenset[Literal]:
        """All decisions that a context stands for, implied ones included."""
        trail = [context]
        while trail:
            context = trail[-1]
            around = self.guards.enclosing[context], self.guards.implied[context]
            missing = [c for c in around if c not in self.facts]
            if missing:
                trail += missing
                continue
            facts = self.facts[around[0]] | self.facts[around[1]]
            self.facts[context] = facts | {self.guards.literal[context]}
            trail.pop()
        return self.facts[context]

    def entangled(self) -> Splits:
        """How to split the first guard that something waits behind.

        The contexts that can be decided come first, together, then one by one.
        """
        for u, guard in enumerate(self.guard_of):
            members = sorted(self.guards.members[guard], key=self._order)
            if self.waiting[u] and 1 < len(members) and guard not in self.splits:
                ready = [m for m in members if self._is_decided(m)]
                if 0 < len(ready) < len(members) <= PARTS:
                    rest = [(m,) for m in members if m not in ready]
                    return {guard: [tuple(ready), *rest]}
        return {}

    def all_splits(self) -> Splits:
        """Every guard taken apart, in an order in which no part needs a later one.

        Raises:
            GradcError: a guard has too many contexts.
        """
        found: Splits = {}
        guards = {g for g, alive in zip(self.placed, self.alive) if alive}
        for guard in sorted(guards.union(self.guard_of, self.splits) - {ALWAYS}):
            members = sorted(self.guards.parts(guard), key=self._order)
            if len(members) > PARTS:
                span = next((s for s in self.program.spans if s is not None), (0, 0))
                raise conditions_entangled(self.program.source, span)
            parts: Parts = []
            for member in members:
                if self._possible((member,), [m for part in parts for m in part]):
                    parts.append((member,))
            if parts != [self.guards.members[guard]]:
                found[guard] = parts
        return found

    def _order(self, context: int, *nodes: int) -> list[int]:
        """Sorts what runs in a context behind all that it can need.

        Compares sets by the largest element in which they differ: what a node needs
        stands earlier, under some of the same conditions or parts of them.
        """
        conditions = {condition for condition, _ in self._known(context)}
        return sorted(conditions.union(nodes), reverse=True)

    def _is_decided(self, context: int) -> bool:
        """Whether all conditions on the way to a context have been written."""
        way = [condition for condition, _ in self.guards.way(context, ALWAYS)]
        return all(
            c in self.makers and not any(self.waiting[u] for u in self.makers[c])
            for c in way
        )

    def _ready(self, u: int) -> None:
        position, block, _, _ = self.units[u]
        heapq.heappush(self.blocks[block].ready, (position, u))
        while block != 0 and not self.blocks[block].marked:
            self.blocks[block].marked = True
            parent = self.blocks[block].parent
            heapq.heappush(self.blocks[parent].children, (position, block))
            block = parent

    def _drain(self) -> None:
        """Write what is ready; open a block only when nothing else is."""
        here = 0
        lists: list[tuple[int, list[Statement]]] = [(0, self.body)]
        while True:
            here, body = lists[-1]
            block = self.blocks[here]
            if block.ready:
                _, u = heapq.heappop(block.ready)
                _, _, target, value = self.units[u]
                body.append(Assign(target, value))
                self.waiting[u] = 0
                for reader in self.readers[u]:
                    self.waiting[reader] -= 1
                    if self.waiting[reader] == 0:
                        self._ready(reader)
            elif block.children:
                _, child = heapq.heappop(block.children)
                if self.blocks[child].marked:
                    self._enter(child, body, lists)
            elif here == 0:
                return
            else:
                block.marked = False
                lists.pop()
                self._turn(here, lists)

    def _enter(
        self,
        child: int,
        body: list[Statement],
        lists: list[tuple[int, list[Statement]]],
    ) -> None:
        block = self.blocks[child]
        statement = If(block.condition)
        self.opened[block.condition] = self.opened.get(block.condition, 0) + 1
        body.append(statement)
        self.open_if = statement
        sibling = block.sibling
        if not block.branch and sibling >= 0 and self.blocks[sibling].marked:
            child = sibling
            block = self.blocks[child]
        lists.append((child, statement.yes if block.branch else statement.no))

    def _turn(self, left: int, lists: list[tuple[int, list[Statement]]]) -> None:
        """After a block, go on with the other branch of the same condition."""
        block = self.blocks[left]
        sibling = block.sibling
        if sibling < 0 or not self.blocks[sibling].marked:
            return
        last = lists[-1][1][-1]
        assert isinstance(last, If)
        other = last.no if block.branch else last.yes
        if not other:
            lists.append((sibling, other))

    def run_in_order(self) -> None:
        """Order the statements by what they can need at the most."""
        self._units()
        flags: dict[int, list[int]] = {}
        for flag, asks in self.asks.items():
            flags[flag] = max(
                flags[a] if a in flags else self._order(g, a) for a, g in asks
            )
        order = []
        for u, (i, _, _, _) in enumerate(self.units):
            own = flags[i] if i in flags else self._order(self.guard_of[u], i)
            order.append((own, i, u))
        lists: list[tuple[int, list[Statement]]] = [(0, self.body)]
        for _, _, u in sorted(order):
            _, block, target, value = self.units[u]
            self._move(block, lists)
            lists[-1][1].append(Assign(target, value))

    def _move(self, block: int, lists: list[tuple[int, list[Statement]]]) -> None:
        """Leave and enter blocks until `block` is the innermost of those open."""
        trail = []
        while all(block != here for here, _ in lists):
            trail.append(block)
            block = self.blocks[block].parent
        left = -1
        while lists[-1][0] != block:
            left = lists.pop()[0]
        for child in reversed(trail):
            here, body = self.blocks[child], lists[-1][1]
            last = body[-1] if body else None
            if isinstance(last, If) and left >= 0 and here.sibling == left:
                statement, left = last, -1
            else:
                statement = If(here.condition)
                self.opened[here.condition] = self.opened.get(here.condition, 0) + 1
                body.append(statement)
            lists.append((child, statement.yes if here.branch else statement.no))

    # ---- the result

    def finish(self) -> Schedule:
        if self.lazy:
            self._condense()
        return Schedule(
            program=self.program,
            nodes=self.nodes,
            outputs=self.outputs,
            body=self.body,
            inline=self.inline,
            target=self.target,
            fixed=self.fixed,
        )

    def _condense(self) -> None:
        """Write a condition that one block asks for into its first line."""
        bodies = [self.body]
        for body in bodies:
            kept: list[Statement] = []
            for statement in body:
                if isinstance(statement, If):
                    bodies += [statement.yes, statement.no]
                elif self._once(statement):
                    self.inline[statement.target] = True
                    continue
                kept.append(statement)
            body[:] = kept
        for body in reversed(bodies):
            body[:] = [s for s in body if isinstance(s, Assign) or s.yes or s.no]

    def _once(self, statement: Assign) -> bool:
        i = statement.target
        if i != statement.value or self.opened.get(i) != 1:
            return False
        if self.nodes[i][0] == "flag":
            return self.uses[i] == 1
        if self._is_block(i):
            return False
        return self.nodes[i][0] in CONDITIONS and self.uses[i] == 1
