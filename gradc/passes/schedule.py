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
so never on a path that does not need it, but for a little arithmetic (`speculate`), and never
twice. All nodes that wait for one condition share one block unless a value forbids it.
`parts` takes guards apart whose conditions wait for what they guard, `inline` shapes the
lines, `blocks` the blocks; here each statement is put behind those whose results it reads.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from gradc.analysis.guards import ALWAYS, Guards
from gradc.errors import InternalError
from gradc.ir import CONDITIONS, Node, Program
from gradc.passes.blocks import Blocks
from gradc.passes.decide import decide
from gradc.passes.inline import Layout
from gradc.passes.parts import Key, Parts, is_crowded, is_tangled, may_be_crowded
from gradc.passes.speculate import speculate
from gradc.passes.straight import straight

WIDTH = 88  # columns of a line


@dataclass(slots=True)
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


def is_entangled(program: Program, outputs: tuple[int, ...]) -> bool:
    """Whether there are guards that could not be taken apart, should they need it."""
    if not may_be_crowded(program, outputs):
        return False
    _, guards, _ = decide(replace(program, outputs=outputs))
    return is_crowded(guards)


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
    given = replace(program, outputs=outputs)
    program, guards, placed = decide(given)
    placed = speculate(program, guards, placed)
    if guards.conclusive and is_tangled(program, guards, placed):
        program, guards, placed = decide(given, plain=True)
        placed = speculate(program, guards, placed)
    layout = Layout(program, fixed, widths, guards, placed)
    if layout.lazy:
        parts = Parts(program, guards, placed, layout.alive)
        layout.settle(parts)
        body = _Order(layout, guards, parts).body()
        _remember(layout, body)
        _condense(layout, body)
    else:
        body = [Assign(i, i) for i in straight(layout)]
    return Schedule(
        program=program,
        nodes=layout.nodes,
        outputs=program.outputs,
        body=body,
        inline=layout.inline,
        target=layout.target,
        fixed=fixed,
    )


class _Unit(NamedTuple):
    """A statement and its block; with a key if it is a part, or might be one."""

    target: int
    value: int
    block: int
    key: Key | None


class _Order:
    """The statements of a function that has conditionals, in their order."""

    def __init__(self, layout: Layout, guards: Guards, parts: Parts) -> None:
        self.layout = layout
        self.parts = parts
        self.blocks = Blocks(layout, guards, parts)
        self.units: list[_Unit] = []
        self.makers: dict[int, list[int]] = {}  # the units that assign a variable
        self.early = self._early()
        self._list()
        self.waiting = [0] * len(self.units)
        self.readers: defaultdict[int, list[int]] = defaultdict(list)
        count = len(self.blocks.all)
        self.ready: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self.children: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self.marked = [False] * count  # blocks in which something is ready
        self._link()

    # ---- what has to be written

    def _early(self) -> list[bool]:
        """Which nodes wait for no block, for nothing that they need stands in one."""
        layout = self.layout
        blocks = layout.blocks
        early = [not alive for alive in layout.alive]
        for i, (node, guard) in enumerate(zip(layout.nodes, layout.placed)):
            if guard == ALWAYS and not early[i] and i not in blocks:
                if len(node) == 3:  # most are: this one in half of the time
                    early[i] = early[node[1]] and early[node[2]]
                    continue
                for a in node[1:]:
                    if not early[a]:
                        break
                else:
                    early[i] = True
        return early

    def _list(self) -> None:
        """Make the units of what is not early."""
        layout = self.layout
        for i, early in enumerate(self.early):
            if early or layout.inline[i]:
                continue
            if i not in layout.blocks:
                self.makers[i] = self._write(i, i, layout.placed[i])
                continue
            made = self.makers[i] = []
            for a, guard in layout.slots(i)[1:]:
                if layout.target[a] == layout.target[i]:
                    made += self.makers[a]
                else:
                    made += self._write(i, a, guard)
        for flag, block in self.blocks.home.items():
            self.makers[flag] = [len(self.units)]
            self.units.append(_Unit(flag, flag, block, self.blocks.keys.get(flag)))

    def _write(self, i: int, value: int, guard: int) -> list[int]:
        """The units of one statement: one, or several where its guard is divided."""
        first = len(self.units)
        contexts = self.parts.of(guard)
        if contexts is None:
            self.units.append(_Unit(i, value, self.blocks.of(guard), None))
        else:
            blocks = self.blocks.of_parts(guard, contexts)
            for context, block in zip(contexts, blocks):
                key = self.parts.key(context, i)
                self.units.append(_Unit(i, value, block, key))
        return [*range(first, len(self.units))]

    def _link(self) -> None:
        """Count for each unit what it waits for."""
        makers = self.makers
        for u, unit in enumerate(self.units):
            reads = self._reads(unit)
            waits = {m for a in reads if a in makers for m in makers[a]}
            if unit.key is not None:
                waits = {m for m in waits if self._waits(unit.key, m)}
            self.waiting[u] = len(waits)
            for m in waits:
                self.readers[m].append(u)
            if not waits:
                self._mark(u)

    def _waits(self, key: Key, maker: int) -> bool:
        """Whether a part needs another unit: another part only if its key is smaller."""
        other = self.units[maker].key
        return other is None or other < key

    def _reads(self, unit: _Unit) -> list[int]:
        """The variables that a statement and the blocks around it mention."""
        found = []
        block = unit.block
        while block != 0:
            found.append(self.blocks.all[block].condition)
            block = self.blocks.all[block].parent
        if unit.target in self.blocks.asks:
            return found + [a for a, _ in self.blocks.asks[unit.target]]
        inline, nodes = self.layout.inline, self.layout.nodes
        if unit.value != unit.target and not inline[unit.value]:
            return [*found, unit.value]
        stack = [unit.value]
        for i in stack:
            for a in nodes[i][1:]:
                (stack if inline[a] else found).append(a)
        return found

    # ---- the order

    def body(self) -> list[Statement]:
        """Write what is ready; open a block only when nothing else is."""
        inline = self.layout.inline
        body: list[Statement] = [
            Assign(i, i)
            for i, early in enumerate(self.early)
            if early and self.layout.alive[i] and not inline[i]
        ]
        lists: list[tuple[int, list[Statement]]] = [(0, body)]
        while lists:
            block, written = lists[-1]
            if self.ready[block]:
                unit = heapq.heappop(self.ready[block])[1]
                written.append(Assign(self.units[unit].target, self.units[unit].value))
                self._release(unit)
            elif self.children[block]:
                child = heapq.heappop(self.children[block])[1]
                if self.marked[child]:
                    lists.append(self._enter(child, written))
            else:
                self.marked[block] = False
                lists.pop()
                if lists:
                    self._turn(block, lists)
        if any(self.waiting):
            raise InternalError("statements wait for each other", repr(self.layout))
        return body

    def _release(self, unit: int) -> None:
        for reader in self.readers.pop(unit, ()):
            self.waiting[reader] -= 1
            if self.waiting[reader] == 0:
                self._mark(reader)

    def _mark(self, u: int) -> None:
        """Note that a unit is ready, in its block and in those around."""
        position, block = self.units[u].target, self.units[u].block
        heapq.heappush(self.ready[block], (position, u))
        while block != 0 and not self.marked[block]:
            self.marked[block] = True
            parent = self.blocks.all[block].parent
            heapq.heappush(self.children[parent], (position, block))
            block = parent

    def _enter(
        self, child: int, written: list[Statement]
    ) -> tuple[int, list[Statement]]:
        block = self.blocks.all[child]
        statement = If(block.condition)
        written.append(statement)
        if not block.branch and block.sibling >= 0 and self.marked[block.sibling]:
            return block.sibling, statement.yes
        return child, statement.yes if block.branch else statement.no

    def _turn(self, left: int, lists: list[tuple[int, list[Statement]]]) -> None:
        """After a block, go on with the other branch of the same condition."""
        block = self.blocks.all[left]
        if block.sibling >= 0 and self.marked[block.sibling]:
            last = lists[-1][1][-1]
            assert isinstance(last, If)
            other = last.no if block.branch else last.yes
            if not other:
                lists.append((block.sibling, other))


def _bodies(body: list[Statement]) -> tuple[list[list[Statement]], Counter[int]]:
    """All runs of statements, outer ones first; how many blocks ask for a condition."""
    bodies = [body]
    opened: Counter[int] = Counter()
    for inner in bodies:
        for statement in inner:
            if isinstance(statement, If):
                opened[statement.condition] += 1
                bodies += [statement.yes, statement.no]
    return bodies, opened


def _remember(layout: Layout, body: list[Statement]) -> None:
    """Let blocks behind `a and b` ask for b alone, where a block behind a computes it.

    if a:                        if a:
        b = f(x)                     b = f(x)
    if a and b:          -->     else:
        y = g(x)                     b = False
                                 if b:
                                     y = g(x)
    """
    bodies, opened = _bodies(body)
    settled = [pair for inner in bodies for pair in _settled(layout, inner)]
    reads = _reads(layout) if settled else Counter[int]()
    known: dict[int, int] = {}  # what is asked in the place of a condition
    for i, other in settled:
        _, first, second = layout.nodes[i]
        if reads[i] == opened[second] == 0 and reads[second] == 1:
            truth = layout.own("True" if layout.nodes[i][0] == "or" else "False")
            other.append(Assign(second, truth))
            layout.uses[first] -= 1
            layout.uses[second] += layout.uses[i]
            known[i] = second
    for inner in bodies if known else ():
        inner[:] = [s for s in inner if isinstance(s, If) or s.target not in known]
        for statement in inner:
            if isinstance(statement, If):
                condition = statement.condition
                statement.condition = known.get(condition, condition)


def _settled(
    layout: Layout, body: list[Statement]
) -> Iterator[tuple[int, list[Statement]]]:
    """Each `a and b` whose b one branch computes, and the branch that does not."""
    made: dict[tuple[int, bool, int], list[Statement]] = {}
    for statement in body:
        if isinstance(statement, Assign):
            op, *sides = layout.nodes[statement.target]
            if op in ("and", "or"):
                key = sides[0], op == "and", sides[1]
                if key in made:
                    yield statement.target, made[key]
            continue
        condition, yes, no = statement.condition, statement.yes, statement.no
        for branch, side, other in ((True, yes, no), (False, no, yes)):
            given = [a.target for a in side if isinstance(a, Assign)]
            made.update(((condition, branch, i), other) for i in given)


def _reads(layout: Layout) -> Counter[int]:
    """How many expressions read each node; that a block asks for it is none."""
    found: Counter[int] = Counter()
    for i, node in enumerate(layout.nodes):
        if i >= len(layout.alive) or layout.alive[i]:
            found.update(node[1 + (i in layout.blocks) :])
    return found


def _condense(layout: Layout, body: list[Statement]) -> None:
    """Write a condition that one block asks for into its first line."""
    bodies, opened = _bodies(body)
    for inner in reversed(bodies):
        kept: list[Statement] = []
        for statement in inner:
            if isinstance(statement, If):
                if statement.yes or statement.no:
                    kept.append(statement)
            elif statement.target in opened and _once(layout, statement, opened):
                layout.inline[statement.target] = True
            else:
                kept.append(statement)
        inner[:] = kept


def _once(layout: Layout, statement: Assign, opened: Mapping[int, int]) -> bool:
    """Whether a statement computes what one block and nothing else reads."""
    i = statement.target
    if i != statement.value or i in layout.blocks:
        return False
    condition = layout.nodes[i][0] == "flag" or layout.nodes[i][0] in CONDITIONS
    return condition and opened[i] == layout.uses[i] == 1
