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
so never on a path that does not need it, but for a little arithmetic that cannot raise.
All nodes that wait for one condition share one block unless a value forbids it. Where a
condition waits for what stands behind it elsewhere, the paths are taken one by one, and
what two of them need is computed on each:

    if x > 0.0:
        s = sin(x)
    u = s if x > 0.0 else 1.0
    if u > 0.0:
        s = sin(x)

`layout` shapes the lines; here each statement is put behind those whose results it
reads.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from gradc.analysis.guards import ALWAYS, NEVER, Guards, holds, needs, place
from gradc.errors import mistake
from gradc.ir import COMPARISONS, LAZY, Node, Program
from gradc.passes.decide import decide
from gradc.passes.layout import DEPTH, LEAVES, Layout
from gradc.spelling import PYTHON, Language

WIDTH = 88  # columns of a line
HARMLESS = frozenset({"add", "sub", "mul", "neg", "abs", *COMPARISONS})  # never raise


class Assign(NamedTuple):
    """Give the variable of node `target` the value of the node `value`."""

    target: int
    value: int


class If(NamedTuple):
    """Two blocks behind a condition; either may be empty, not both."""

    condition: int
    yes: list[Assign | If]
    no: list[Assign | If]


Statement = Assign | If
Lists = list[tuple[int, list[Statement]]]  # blocks, and what is written in each
Step = tuple[int, bool, int]  # a condition, its branch, and where it is asked


class Schedule(NamedTuple):
    """The statements of one function.

    `nodes` are the program's, with the conditions of flags appended. `inline` tells
    which nodes stand inside the expression that reads them, `target` whose variable
    each other node is assigned to.
    """

    program: Program
    nodes: Sequence[Node]
    outputs: tuple[int, ...]
    body: list[Statement]
    inline: Sequence[bool]
    target: Sequence[int]


def schedule(
    program: Program,
    outputs: tuple[int, ...],
    fixed: Sequence[bool],
    widths: Sequence[int],
    language: Language = PYTHON,
) -> Schedule:
    """Order the part of a program that some of its outputs need.

    Arguments:
        program: any program.
        outputs: the positions to return, a selection of the program's own.
        fixed: the nodes that are computed once at import.
        widths: how many columns the name (or literal) of each node may take.
        language: that it is written in.

    Raises:
        GradcError: conditions that wait for each other.
    """
    program = decide(replace(program, outputs=outputs))
    guards = Guards(program)
    placed = _widened(program, guards, place(program, guards))
    divided: set[int] = set()
    body: list[Statement]
    while True:
        layout = Layout(program, fixed, widths, guards, placed, language)
        if not program.operations & LAZY:
            body = [Assign(i, i) for i in layout.statements()]
            break
        order = _Order(layout, divided)
        body = order.body()
        stuck = order.stuck()
        if not stuck:
            _condense(layout, body)
            break
        if stuck <= divided:
            span = program.spans[outputs[0]] or (0, 0)
            raise mistake("conditions_entangled", program.source, span)
        divided |= stuck
    shaped = layout.nodes, program.outputs, body, layout.inline, layout.target
    return Schedule(program, *shaped)


def _widened(program: Program, guards: Guards, placed: list[int]) -> list[int]:
    """The guards, wider for arithmetic that several conditions ask for.

    It is done where these meet, if what it reads is there.
    """
    nodes = program.nodes
    for i, guard in enumerate(placed):
        if guard == NEVER or len(guards.members[guard]) == 1:
            continue
        op, *args = nodes[i]
        around = guards.enclosing[guard]
        if op in HARMLESS and all(
            nodes[a][0] in LEAVES or guards.covers(placed[a], around) for a in args
        ):
            placed[i] = around
    return placed


class _Unit(NamedTuple):
    """A statement, its guard, and the block in which it stands.

    Where a guard is divided there is a unit for each of its contexts.
    """

    target: int
    value: int
    guard: int
    block: int
    divided: bool = False


class _Block(NamedTuple):
    """A run of statements under a condition, asked in a context; the root has neither."""

    parent: int
    context: int
    condition: int
    branch: bool
    depth: int


class _Order:
    """The statements of a function that has conditionals, in their order.

    A unit is ready when all that it reads has been written. What is ready is written;
    a block is opened only when nothing else is, and again if more in it becomes ready.
    """

    def __init__(self, layout: Layout, divided: Set[int]) -> None:
        self.layout, self.divided, self.guards = layout, divided, layout.guards
        self.blocks = [_Block(-1, ALWAYS, -1, True, 0)]
        self.block_of = {ALWAYS: 0}
        self.sides: dict[tuple[int, int, bool], int] = {}  # blocks, by their decisions
        self.asks: dict[int, list[tuple[int, int]]] = {}  # what flags read, and where
        self.units: list[_Unit] = []
        self.makers: defaultdict[int, list[int]] = defaultdict(list)  # of variables
        self._settle()
        for i in layout.statements():
            self._list(i)
        self._link()

    def _settle(self) -> None:
        """Give a variable to every condition that a block will ask for."""
        layout, guards = self.layout, self.guards
        seen = {ALWAYS}
        todo = layout.statements()
        while todo:
            i = todo.pop()
            around = {layout.placed[i]}
            if i in layout.blocks:
                around |= {guard for _, guard in layout.reads(i)}
            for context in {m for g in around if g != NEVER for m in guards.members[g]}:
                while context not in seen:
                    seen.add(context)
                    condition, _ = guards.literal[context]
                    layout.uses[condition] += guards.opposite(context) not in seen
                    if layout.inline[condition]:
                        layout.inline[condition] = False
                        todo.append(condition)
                    context = guards.enclosing[context]

    def _list(self, i: int) -> None:
        """Make the units of a node: one, or of a block one in each branch."""
        layout = self.layout
        if i not in layout.blocks:
            self._write(i, i, layout.placed[i])
            return
        for a, guard in layout.reads(i)[1:]:
            if layout.target[a] == layout.target[i]:
                self.makers[i] += self.makers[a]
            else:
                self._write(i, a, guard)

    def _write(self, target: int, value: int, guard: int) -> None:
        """Make the unit of an assignment, or one in each context of its guard."""
        divided = guard in self.divided
        for one in self.guards.members[guard] if divided else (guard,):
            block = self._block(one)
            self.makers[target].append(len(self.units))
            self.units.append(_Unit(target, value, one, block, divided))

    def _block(self, guard: int) -> int:
        """The block of a guard, inside that of the context around it."""
        trail = []
        while guard not in self.block_of:
            trail.append(guard)
            guard = self.guards.enclosing[guard]
        for inner in reversed(trail):
            around, guard = guard, inner
            home, members = self.block_of[around], self.guards.members[guard]
            condition, branch = self.guards.literal[guard]
            if len(members) > 1:
                condition, branch = self._flag(members, around), True
            elif self.blocks[home].depth >= DEPTH:
                home, condition, branch = 0, self._flag(members, ALWAYS), True
            self.block_of[guard] = len(self.blocks)
            self.sides[home, condition, branch] = len(self.blocks)
            depth = self.blocks[home].depth + 1
            self.blocks.append(_Block(home, around, condition, branch, depth))
        return self.block_of[guard]

    def _flag(self, contexts: Sequence[int], around: int) -> int:
        """A condition of our own: that one of some contexts holds."""
        asks, ways = [], []
        failed: set[tuple[int, bool]] = set()
        for context in contexts:
            way = self._way(context, around)
            asks += [(condition, inner) for condition, _, inner in way]
            if len(way) == 1:
                failed.add((way[0][0], not way[0][1]))
            literals = [step[:2] for step in way]
            ways.append([one for one in literals if one not in failed] or literals)
        flag = self.layout.own("flag", holds(self.layout.own, ways))
        self.asks[flag] = asks
        self.layout.inline[flag] = False
        self._write(flag, flag, around)
        return flag

    def _way(self, context: int, around: int) -> list[Step]:
        """The decisions that lead to a context, from where a flag stands for them.

        Each with the context in which it is made.
        """
        found: list[Step] = []
        while context != around:
            block = self.blocks[self.block_of.get(context, 0)]
            is_flag = self.layout.nodes[block.condition][0] == "flag"
            if around == ALWAYS and block.parent == 0 and is_flag:
                self.layout.uses[block.condition] += 1
                found.append((block.condition, True, ALWAYS))
                break
            outside = self.guards.enclosing[context]
            found.append((*self.guards.literal[context], outside))
            context = outside
        return found[::-1]

    def _link(self) -> None:
        """Count for each unit what it waits for."""
        count = len(self.blocks)
        self.ready: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self.children: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self.marked = [False] * count  # blocks in which something is ready
        self.readers: defaultdict[int, list[int]] = defaultdict(list)
        self.waiting = [0] * len(self.units)
        for u, unit in enumerate(self.units):
            waits = {m for a, guard in self._reads(unit) for m in self._made(a, guard)}
            self.waiting[u] = len(waits)
            for m in waits:
                self.readers[m].append(u)
            if not waits:
                self._mark(u)

    def _made(self, a: int, guard: int) -> Iterator[int]:
        """The units that make a variable where it is read under a guard.

        Of a divided guard those are left out that others have run for.
        """
        units, implies = self.units, self.guards.implies
        divided = [m for m in self.makers.get(a, ()) if units[m].divided]
        for reader in self.guards.members[guard] if divided else ():
            kept: list[int] = []
            for m in divided:
                one = units[m].guard
                if self.guards.excludes(reader, one):
                    continue
                if not any(implies(units[k].guard, reader, one) for k in kept):
                    kept = [k for k in kept if not implies(one, reader, units[k].guard)]
                    kept.append(m)
            yield from kept
        yield from (m for m in self.makers.get(a, ()) if not units[m].divided)

    def _reads(self, unit: _Unit) -> list[tuple[int, int]]:
        """The variables that a statement and the blocks around it mention.

        Each with the guard under which it is read.
        """
        layout = self.layout
        inline, nodes = layout.inline, layout.nodes
        found, block = [], unit.block
        while block != 0:
            here = self.blocks[block]
            found.append((here.condition, here.context))
            block = here.parent
        if unit.target in self.asks:
            return found + self.asks[unit.target]
        guard = unit.guard
        if unit.value != unit.target and not inline[unit.value]:
            return [*found, (unit.value, guard)]
        stack = [(unit.value, guard)]
        for i, guard in stack:
            for a, inner in needs(nodes[i], guard, self.guards):
                (stack if inline[a] else found).append((a, inner))
        return found

    def _mark(self, u: int) -> None:
        """Note that a unit is ready, in its block and in those around."""
        position, block = self.units[u].target, self.units[u].block
        heapq.heappush(self.ready[block], (position, u))
        while block != 0 and not self.marked[block]:
            self.marked[block] = True
            parent = self.blocks[block].parent
            heapq.heappush(self.children[parent], (position, block))
            block = parent

    def body(self) -> list[Statement]:
        """The statements in their order, without those that wait for each other."""
        body: list[Statement] = []
        lists: Lists = [(0, body)]
        while lists:
            block, written = lists[-1]
            if self.ready[block]:
                unit = heapq.heappop(self.ready[block])[1]
                written.append(Assign(self.units[unit].target, self.units[unit].value))
                for reader in self.readers.pop(unit, ()):
                    self.waiting[reader] -= 1
                    if self.waiting[reader] == 0:
                        self._mark(reader)
            elif self.children[block]:
                child = heapq.heappop(self.children[block])[1]
                if self.marked[child]:
                    statement = If(self.blocks[child].condition, [], [])
                    written.append(statement)
                    lists += self._arms(child, statement)
            else:
                self.marked[block] = False
                lists.pop()
        return body

    def stuck(self) -> set[int]:
        """The guards of statements that wait for each other."""
        waiting = {unit.guard for unit, n in zip(self.units, self.waiting) if n}
        found = {guard for guard in waiting if len(self.guards.members[guard]) > 1}
        return found or waiting

    def _arms(self, block: int, statement: If) -> Lists:
        """The blocks of a condition, that for yes last if something in it is ready."""
        parent, _, condition, *_ = self.blocks[block]
        yes, no = (self.sides.get((parent, condition, on), 0) for on in (True, False))
        arms = [(no, statement.no), (yes, statement.yes)]
        return [arm for arm in arms[:: 1 if self.marked[yes] else -1] if arm[0] != 0]


def _condense(layout: Layout, body: list[Statement]) -> None:
    """Write a condition that one block and nothing else asks for into its first line."""
    bodies = [body]
    for inner in bodies:
        bodies += [arm for s in inner if isinstance(s, If) for arm in (s.yes, s.no)]
    statements = [s for inner in bodies for s in inner]
    opened = Counter([s.condition for s in statements if isinstance(s, If)])
    for s in statements:
        if isinstance(s, Assign) and opened[s.target] == layout.uses[s.target] == 1:
            layout.inline[s.target] = True
    for inner in reversed(bodies):
        inner[:] = [
            s
            for s in inner
            if (s.yes or s.no if isinstance(s, If) else not layout.inline[s.target])
        ]
