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
from collections.abc import Sequence
from dataclasses import dataclass, field

from gradc.errors import conditions_entangled
from gradc.guards import ALWAYS, NEVER, Guards, place
from gradc.ir import CONDITIONS, LAZY, Node, Program
from gradc.spelling import ATOM, UNARY, Spelling, spelling

DEPTH = 6  # nested blocks before a nest is cut
WIDTH = 88  # columns of a line
ROOM = 68  # columns that a statement may fill by taking others in
SHORT = 20  # columns of a named part that may lose its line when it is used once
ARM = 30  # columns of a branch that may stand in a conditional expression
NEST = 8  # operations inside each other in one expression


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
        GradcError: conditions that wait for each other in a way no order can meet.
    """
    splits: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    while True:
        page = _Page(program, outputs, fixed, widths, splits)
        stuck = page.run()
        if stuck is None:
            return page.finish()
        if stuck in splits or len(splits) > 50:
            span = next((s for s in program.spans if s is not None), (0, 0))
            raise conditions_entangled(program.source, span)
        splits[stuck] = page.divide(stuck)


@dataclass
class _Block:
    """A run of statements under a condition; the root has neither."""

    parent: int
    condition: int
    branch: bool
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
        splits: dict[int, tuple[tuple[int, ...], tuple[int, ...]]],
    ) -> None:
        self.program = program
        self.outputs = outputs
        self.spelled: dict[tuple[str, int], Spelling] = {}
        self.nodes: list[Node] = list(program.nodes)
        self.widths = widths
        self.guards = Guards(program)
        self.placed = place(program, self.guards, outputs)
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
        self.blocks: list[_Block] = [_Block(-1, -1, True, 0)]
        self.block_of: dict[int, int] = {ALWAYS: 0}
        self.home: dict[int, int] = {}  # the block in which a flag is assigned
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
                inner = [width[a] for a, _ in slots]
                width[i] = sum(inner) + 4 * len(inner) + 6
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
        width = [0] * len(self.nodes)
        level = [ATOM] * len(self.nodes)
        nest = [0] * len(self.nodes)
        names = self.program.names
        for i, node in enumerate(self.nodes):
            if not self.alive[i]:
                width[i] = self.widths[i]
                if node[0] == "const" and str(node[1]).startswith("-"):
                    level[i] = UNARY
                continue
            if self._is_block(i):
                width[i] = self.widths[self.target[i]]
                continue
            spelled = self._spelling(node)
            taken: list[int] = []
            for k, (a, guard) in enumerate(self._slots(i)):
                if (
                    self.uses[a] == 1
                    and self.target[a] == a
                    and self.placed[a] == guard
                    and self.alive[a]
                    and not self._is_block(a)
                    and k not in spelled.repeated
                    and nest[a] < NEST
                    and (a not in names or width[a] <= SHORT)
                    and guard not in self.splits
                ):
                    taken.append(a)
                    self.inline[a] = True
            width[i] = self._width(i, width, level)
            room = ROOM - 4 * self._depth(self.placed[i])
            while taken and width[i] + self.widths[self.target[i]] + 3 > room:
                widest = max(taken, key=lambda a: width[a])
                if node[0] == "where" and widest != node[1]:
                    break  # a branch may not leave its conditional
                taken.remove(widest)
                self.inline[widest] = False
                width[i] = self._width(i, width, level)
            level[i] = spelled.level
            nest[i] = 1 + max((nest[a] for a in taken), default=0)
        self._return(width)

    def _head(self) -> None:
        """Give a variable to every condition that a block will ask for."""
        seen = {ALWAYS}
        todo = [i for i, alive in enumerate(self.alive) if alive and not self.inline[i]]
        while todo:
            i = todo.pop()
            guards = [self.placed[i]]
            if self._is_block(i):
                guards += [g for g in self._branches(i) if g != NEVER]
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
                    implied = self.guards.implied[context]
                    context = self.guards.enclosing[context]
                    if implied not in seen and len(self.guards.members[guard]) > 1:
                        found += self._around([implied], seen)
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

    def _width(self, i: int, width: list[int], level: list[int]) -> int:
        node = self.nodes[i]
        total = 0
        for piece in self._spelling(node).pieces:
            if isinstance(piece, str):
                total += len(piece)
                continue
            a = node[1 + piece[0]]
            if self.inline[a]:
                total += width[a] + 2 * (level[a] < piece[1])
            else:
                total += self.widths[self.target[a]]
        return total

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
                guard = self.guards.ancestor(guard)
            else:
                guard = self.guards.enclosing[guard]
        for guard in reversed(trail):
            if len(self.guards.members[guard]) > 1:
                members = self.guards.members[guard]
                around = self.block_of[self.guards.ancestor(guard)]
                base = self.guards.ancestor(guard)
                ways = [self.guards.way(m, base) for m in members]
                self.block_of[guard] = self._flagged(around, self._either(ways, around))
            else:
                self.block_of[guard] = self._plain(guard)
        return self.block_of[guard]

    def _plain(self, guard: int) -> int:
        around = self.block_of[self.guards.enclosing[guard]]
        condition, branch = self.guards.literal[guard]
        if self.blocks[around].depth >= DEPTH:
            return self._flagged(around, self._either([[(condition, branch)]], around))
        block = self._new_block(around, condition, branch)
        other = self.block_of.get(self.guards.opposite(guard), -1)
        if other >= 0 and self.blocks[other].parent == around:
            self.blocks[block].sibling, self.blocks[other].sibling = other, block
        return block

    def _flagged(self, around: int, condition: int) -> int:
        """A block behind a condition of its own; at the margin if it stood too deep."""
        if self.blocks[around].depth >= DEPTH:
            way: list[tuple[int, bool]] = []
            while around != 0:
                block = self.blocks[around]
                way.append((block.condition, block.branch))
                around = block.parent
                if self.nodes[block.condition][0] == "flag":
                    break
            around = 0
            condition = self._either([way[::-1] + [(condition, True)]], 0)
        flag = self._node(("flag", condition), around)
        return self._new_block(around, flag, True)

    def _new_block(self, parent: int, condition: int, branch: bool) -> int:
        depth = self.blocks[parent].depth + 1
        self.blocks.append(_Block(parent, condition, branch, depth))
        return len(self.blocks) - 1

    def _either(self, ways: list[list[tuple[int, bool]]], block: int) -> int:
        """A condition that holds on any of the ways, read in a block."""
        either, width = -1, 0
        failed: set[tuple[int, bool]] = set()  # what is known once the others fail
        for way in ways:
            both = -1
            way = [step for step in way if step not in failed] or way[-1:]
            if len(way) == 1:
                failed.add((way[0][0], not way[0][1]))
            for condition, branch in way:
                self.uses[condition] += 1
                node = condition if branch else self._node(("not", condition), block)
                both = node if both < 0 else self._node(("and", both, node), block)
                width += 9
                if condition < len(self.widths):
                    width += self.widths[condition]
            if either >= 0 and width > ROOM - 8:
                either, width = self._node(("flag", either), block), 2 * SHORT
            either = both if either < 0 else self._node(("or", either, both), block)
        return either

    def _node(self, node: Node, block: int) -> int:
        """Append a condition of our own; only a flag has a line, in its block."""
        self.nodes.append(node)
        self.target.append(len(self.nodes) - 1)
        self.inline.append(node[0] != "flag")
        self.home[len(self.nodes) - 1] = block
        self.uses.append(2)
        return len(self.nodes) - 1

    # ---- the order

    def run(self) -> int | None:
        """Order the statements; the guard to split if they wait for each other."""
        if not self.lazy:
            self.body = [
                Assign(i, i)
                for i in range(len(self.nodes))
                if self.alive[i] and not self.inline[i]
            ]
            return None
        self._units()
        self._drain()
        if not any(self.waiting):
            return None
        return self._culprit()

    def _units(self) -> None:
        """List what has to be written down: (position, block, target, value)."""
        self.units: list[tuple[int, int, int, int]] = []
        self.guard_of: list[int] = []
        self.makers: dict[int, list[int]] = {}
        count = len(self.nodes)
        for i in range(count):
            if not self.alive[i] or self.inline[i]:
                continue
            if not self._is_block(i):
                self._add_unit(i, i, self.placed[i])
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
        for i in self.home:
            if self.nodes[i][0] == "flag":
                self._write(i, i, self.home[i], -1)
        self._link()

    def _add_unit(self, i: int, value: int, guard: int) -> None:
        self.makers[i] = self._new_units(i, value, guard)

    def _new_units(self, i: int, value: int, guard: int) -> list[int]:
        """The units of one statement: one, or two where its guard had to be split."""
        if guard not in self.splits:
            return [self._write(i, value, self._block(guard), guard)]
        first, second = self.splits[guard]
        ways = []
        base = self.guards.ancestor(guard)
        for part in (first, second):
            ways.append([self.guards.way(m, base) for m in part])
        key = -2 - guard
        if key not in self.block_of:
            around = self._block(base)
            one = self._either(ways[0], around)
            two = self._either(ways[1], around)
            if not all(self._contradict(a, b) for a in first for b in second):
                two = self._either([[(two, True), (one, False)]], around)
            self.block_of[key] = self._flagged(around, one)
            self.block_of[key * 10**9] = self._flagged(around, two)
        return [
            self._write(i, value, self.block_of[key], self.guards.join(first)),
            self._write(i, value, self.block_of[key * 10**9], self.guards.join(second)),
        ]

    def _write(self, i: int, value: int, block: int, guard: int) -> int:
        self.units.append((i, block, i, value))
        self.guard_of.append(guard)
        if self.nodes[i][0] == "flag":
            self.makers[i] = [len(self.units) - 1]
        return len(self.units) - 1

    def _link(self) -> None:
        """Count for each unit what it waits for."""
        self.waiting = [0] * len(self.units)
        self.readers: list[list[int]] = [[] for _ in self.units]
        for u, (i, block, _, value) in enumerate(self.units):
            makers: set[int] = set()
            for a in self._reads(i, value):
                makers.update(m for m in self.makers.get(a, ()) if self._meets(u, m))
            while block != 0:
                condition = self.blocks[block].condition
                makers.update(m for m in self.makers[condition] if self._meets(u, m))
                block = self.blocks[block].parent
            makers.discard(u)
            self.waiting[u] = len(makers)
            for m in makers:
                self.readers[m].append(u)
            if not makers:
                self._ready(u)

    def _reads(self, i: int, value: int) -> list[int]:
        """The variables that the expression of a statement mentions."""
        own = self.nodes[value]
        if i != value and not self.inline[value]:
            return [value]
        found: list[int] = []
        stack = [own]
        while stack:
            node = stack.pop()
            if node[0] in ("const", "input"):
                continue
            for a in node[1:]:
                if self.inline[a]:
                    stack.append(self.nodes[a])
                else:
                    found.append(a)
        return found

    def _meets(self, reader: int, maker: int) -> bool:
        """Whether a unit can run on a path on which a part of a split guard runs."""
        r, m = self.guard_of[reader], self.guard_of[maker]
        if not self.splits or r < 0 or m < 0:
            return True
        return any(
            not self._contradict(a, b)
            for a in self.guards.members[r]
            for b in self.guards.members[m]
        )

    def _contradict(self, a: int, b: int) -> bool:
        way = set(self.guards.way(a, ALWAYS))
        return any((c, not branch) in way for c, branch in self.guards.way(b, ALWAYS))

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
        self.opened: dict[int, int] = {}
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

    def _culprit(self) -> int:
        """A guard of several contexts that something still waits behind."""
        for u, (_, _, _, _) in enumerate(self.units):
            guard = self.guard_of[u]
            if self.waiting[u] and guard >= 0 and len(self.guards.members[guard]) > 1:
                if self._open_members(guard) and guard not in self.splits:
                    return guard
        return -1

    def _open_members(self, guard: int) -> list[int]:
        """The contexts of a guard whose conditions have all been written."""
        base = self.guards.ancestor(guard)
        found = []
        for member in self.guards.members[guard]:
            way = self.guards.way(member, base)
            units = [u for c, _ in way for u in self.makers.get(c, ())]
            if not any(self.waiting[u] for u in units):
                found.append(member)
        return found

    def divide(self, guard: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Cut a guard into the contexts that can be decided now and the others."""
        if guard < 0:
            return (), ()
        first = self._open_members(guard)
        second = [m for m in self.guards.members[guard] if m not in first]
        return tuple(first), tuple(second)

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
        stack = [self.body]
        while stack:
            body = stack.pop()
            kept: list[Statement] = []
            for statement in body:
                if isinstance(statement, If):
                    stack += [statement.yes, statement.no]
                elif self._once(statement):
                    self.inline[statement.target] = True
                    continue
                kept.append(statement)
            body[:] = kept

    def _once(self, statement: Assign) -> bool:
        i = statement.target
        if i != statement.value or self.opened.get(i) != 1:
            return False
        if self.nodes[i][0] == "flag":
            return True
        if self._is_block(i):
            return False
        return self.nodes[i][0] in CONDITIONS and self.uses[i] == 1
