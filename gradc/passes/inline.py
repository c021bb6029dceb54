"""What stands on a line: which conditionals are blocks, which nodes stand inline.

A conditional is written as an expression if its branches are short and nothing in them
is read elsewhere, otherwise as a block. Single uses move into the expression that reads
them, up to the width of a line; branches that only their conditional reads are assigned
to its variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, count

from gradc.analysis.guards import ALWAYS, NEVER, Guards
from gradc.ir import LAZY, Node, Program
from gradc.passes.parts import Parts
from gradc.spelling import ATOM, Spelling, spelling

DEPTH = 6  # nested blocks before a nest is cut
ROOM = 76  # columns that a statement may fill by taking others in
SHORT = 20  # columns of a named part that may lose its line when it is used once
ARM = 30  # columns of a branch that may stand in a conditional expression
TERMS = 50  # lines of a sum, which CPython's parser takes one inside the other
SUMS = ("add", "sub")
LEAVES = frozenset({"const", "input"})
NEST = 8  # operations inside each other in one expression

Read = tuple[int, int]  # a variable, and the guard under which it is read


class Layout:
    """Which nodes of a program stand inline, and whose variable the others take.

    Attributes:
        nodes: the program's nodes; conditions of our own may be appended.
        inline: whether a node stands in the expression that reads it.
        target: the node whose variable each node is assigned to.
        uses: how often each node is read.
        alive: which nodes are computed when the function is called.
        blocks: the conditionals that are printed as blocks rather than expressions.
        lazy: whether some node is a conditional.
    """

    def __init__(
        self,
        program: Program,
        fixed: Sequence[bool],
        widths: Sequence[int],
        guards: Guards,
        placed: Sequence[int],
    ) -> None:
        self.program = program
        self.widths = widths
        self.guards = guards
        self.placed = placed
        self.nodes: list[Node] = list(program.nodes)
        self.lazy = bool(guards.lazy)
        self.alive = [
            g != NEVER and not f and node[0] not in LEAVES
            for g, f, node in zip(placed, fixed, self.nodes)
        ]
        self.target = list(range(len(self.nodes)))
        self.uses = self._count()
        self.inline = [False] * len(self.nodes)
        self._blocky: set[tuple[int, int]] = set()
        self._spelled: dict[tuple[str, int], Spelling] = {}
        self.blocks: set[int] = set()
        if self.lazy:
            self._shape()
        self.width = list(widths)
        self.columns = [widths[i] for i in self.target]
        self.level = [ATOM] * len(self.nodes)
        self.nest = [0] * len(self.nodes)
        self._flatten()

    # ---- what is used, and where

    def _count(self) -> list[int]:
        uses = [0] * len(self.nodes)
        for i in self.program.outputs:
            uses[i] += 1
        for node in compress(self.nodes, self.alive):
            if len(node) == 3:  # most are: this one in half of the time
                uses[node[1]] += 1
                uses[node[2]] += 1
            else:
                for a in node[1:]:
                    uses[a] += 1
        return uses

    def slots(self, i: int) -> list[tuple[int, int]]:
        """The arguments of a node, each with the guard under which it is read."""
        guard, node = self.placed[i], self.nodes[i]
        if node[0] not in LAZY:
            return [(a, guard) for a in node[1:]]
        c = node[1]
        yes, no = self.branches(i)
        if node[0] == "where":
            return [(c, guard), (node[2], yes), (node[3], no)]
        return [(c, guard), (node[2], yes if node[0] == "and" else no)]

    def branches(self, i: int) -> tuple[int, int]:
        """The guards of the two sides of a lazy node."""
        guard, c = self.placed[i], self.nodes[i][1]
        child = self.guards.child
        return child(guard, c, True), child(guard, c, False)

    # ---- which conditionals become blocks

    def _shape(self) -> None:
        """Find the conditions that need a block, and who shares whose variable."""
        alive, placed, uses = self.alive, self.placed, self.uses
        alone = [False] * len(self.nodes)
        width = list(self.widths)
        for i in self._shaping():
            node = self.nodes[i]
            if node[0] in LAZY:
                solid = self._is_solid(i, alone, width)
            else:
                guard, solid = placed[i], True
                for a in node[1:]:
                    if not alone[a] and alive[a] and placed[a] == guard:
                        solid = False
                        break
            if solid:
                spelled = self._spelling(node)
                width[i] = spelled.columns
                for k, _ in spelled.holes:
                    width[i] += width[node[1 + k]] + 2
                alone[i] = uses[i] == 1
        wheres = [i for i in self.guards.lazy if self.nodes[i][0] == "where"]
        keys = ((placed[i], self.nodes[i][1]) for i in wheres)
        blocks = [i for i, key in zip(wheres, keys) if key in self._blocky]
        self.blocks.update(blocks)
        self._share(blocks)
        for i in blocks:
            self.uses[self.nodes[i][1]] -= 1
        for _, condition in self._blocky:
            self.uses[condition] += 1

    def _shaping(self) -> list[int]:
        """The nodes in branches, and what may stand on one line with them."""
        nodes, alive, placed, uses = self.nodes, self.alive, self.placed, self.uses
        inner = [i for i, guard in enumerate(placed) if guard not in (ALWAYS, NEVER)]
        stack = [i for i in (*self.guards.lazy, *inner) if alive[i]]
        found = set(stack)
        while stack:
            i = stack.pop()
            node, guard = nodes[i], placed[i]
            reads = [a for a in node[1:] if alive[a]]
            own = () if node[0] in LAZY else reads
            if all(uses[a] == 1 or placed[a] != guard for a in own):
                reads = [a for a in reads if a not in found]
                found.update(reads)
                stack += reads
        return sorted(found)

    def _is_solid(self, i: int, alone: list[bool], width: list[int]) -> bool:
        """Whether a lazy node can stand on one line; else it may need a block."""
        op, condition, *_ = self.nodes[i]
        solid = True
        for k, (a, guard) in enumerate(self.slots(i)):
            if self.alive[a] and self.placed[a] == guard:
                if not alone[a]:
                    solid = False
                if op == "where" and k > 0 and (not alone[a] or width[a] > ARM):
                    self._blocky.add((self.placed[i], condition))
                    solid = False
        return solid

    def _share(self, blocks: Sequence[int]) -> None:
        """Let branches take the variable of their conditional, for it is the same.

        A branch that has a name, and other readers, keeps its own.
        """
        for i in reversed(blocks):
            for a, guard in self.slots(i)[1:]:
                own = self.alive[a] and self.placed[a] == guard
                free = self.uses[a] == 1 or a not in self.program.names
                if own and free and self.target[a] == a:
                    self.target[a] = self.target[i]

    # ---- which nodes stand inline

    def _flatten(self) -> None:
        """Move single uses into their readers while the line has room."""
        alive, names, spellings = self.alive, self.program.names, self._spelled
        width, level, columns = self.width, self.level, self.columns
        placed, blocks = self.placed, self.blocks
        sums: dict[int, tuple[int, int]] = {}  # terms of a sum, and its widest one
        free = self._movable()
        outputs = frozenset(self.program.outputs)
        rooms = {guard: self._room(guard) for guard in {*self.placed}}
        for i, node in enumerate(self.nodes):
            if not alive[i]:
                continue
            if i in blocks:
                width[i] = self.widths[self.target[i]]
                continue
            if len(node) == 3:  # most are: this one in half of the time
                _, x, y = node
                taken = [x] if free[x] else []
                if free[y]:
                    taken.append(y)
            else:
                taken = [a for a in node[1:] if free[a]]
            if not (taken or free[i] or i in outputs):
                continue  # nothing asks how wide it is
            spelled = spellings.get((node[0], len(node))) or self._spelling(node)
            if taken:
                taken = self._take(i, taken, spelled)
            total = spelled.columns
            for k, limit in spelled.holes:
                a = node[1 + k]
                total += columns[a] if level[a] >= limit else columns[a] + 2
            width[i] = total
            if taken:
                room = rooms[placed[i]] - columns[i]
                if total > room:
                    self._fit(i, room, taken, spelled, sums)
            if free[i]:
                if width[i] > SHORT and i in names:
                    free[i] = False
                else:
                    level[i] = spelled.level
                    if taken:
                        self._nest(i, taken)
        self._return()

    def _take(self, i: int, free: Iterable[int], spelled: Spelling) -> list[int]:
        """Take in those of the arguments that are free to move that may stand here."""
        placed, nest, width = self.placed, self.nest, self.width
        guard = placed[i]
        special = spelled.repeated or self.nodes[i][0] in LAZY
        found = []
        for a in free:
            if special or width[a] > ROOM:
                fits = self._fits(i, a, spelled)
            else:
                fits = placed[a] == guard
            if fits and nest[a] < NEST:
                self.inline[a] = True
                self.columns[a] = width[a]
                found.append(a)
            else:
                self.level[a] = ATOM
        return found

    def _fits(self, i: int, a: int, spelled: Spelling) -> bool:
        """Whether an argument may stand in a conditional, or where it is wide."""
        node = self.nodes[i]
        k = node.index(a, 1) - 1
        if k in spelled.repeated:
            return False
        if self.width[a] > ROOM and (k > 0 or node[0] not in SUMS):
            return False  # a sum of several lines stands in no bracket
        return self.placed[a] == self.slots(i)[k][1]

    def _movable(self) -> list[bool]:
        """Which nodes may stand in their reader: computed here, read once, no block."""
        free = [
            alive and uses == 1 and target == i
            for i, alive, uses, target in zip(
                count(), self.alive, self.uses, self.target
            )
        ]
        for i in self.blocks:
            free[i] = False
        return free

    def _fit(
        self,
        i: int,
        room: int,
        taken: list[int],
        spelled: Spelling,
        sums: dict[int, tuple[int, int]],
    ) -> None:
        """Put the widest of what a node has taken in back on lines of their own.

        A sum may go on for TERMS lines, if each of its terms has room on one.
        """
        node, width = self.nodes[i], self.width
        limits = {node[1 + k]: limit for k, limit in spelled.holes}
        for widest in sorted(taken, key=lambda a: -width[a]):
            count, widest_term = self._terms(i, sums)
            if 2 < count <= TERMS and widest_term <= room - 8:
                break
            if node[0] == "where" and widest != node[1]:
                break  # a branch may not leave its conditional
            self.inline[widest] = False
            brackets = 2 if self.level[widest] < limits[widest] else 0
            self.columns[widest] = self.widths[self.target[widest]]
            self.level[widest] = ATOM
            width[i] += self.columns[widest] - width[widest] - brackets
            sums.pop(i, None)
            if width[i] <= room:
                break
        taken[:] = [a for a in taken if self.inline[a]]

    def _nest(self, i: int, taken: Sequence[int]) -> None:
        """Note how many operations stand inside each other in a node, sums as one."""
        nodes, nest = self.nodes, self.nest
        first = nodes[i][1]
        if nodes[i][0] not in SUMS or nodes[first][0] not in SUMS:
            first = -1
        for a in taken:
            depth = nest[a] + (a != first)
            if nest[i] < depth:
                nest[i] = depth

    def _terms(self, i: int, sums: dict[int, tuple[int, int]]) -> tuple[int, int]:
        """How many terms a sum has, and the columns of the widest; 0 for no sum."""
        nodes, inline = self.nodes, self.inline
        todo = []
        while i not in sums and nodes[i][0] in SUMS:
            todo.append(i)
            if not inline[nodes[i][1]]:
                break
            i = nodes[i][1]
        for i in reversed(todo):
            count, widest = 0, 0
            for k, a in enumerate(nodes[i][1:]):
                more, columns = 1, self.columns[a] + 2 * inline[a]
                if inline[a] and k == 0 and a in sums:
                    more, columns = sums[a]
                count, widest = count + more, max(widest, columns)
            sums[i] = count, widest
        return sums.get(i, (0, 0))

    def settle(self, parts: Parts) -> None:
        """Give a variable to every condition that a block will ask for."""
        seen = {ALWAYS}
        blocks = self.blocks
        todo = [i for i, g in enumerate(self.placed) if g != ALWAYS or i in blocks]
        todo = [i for i in todo if self.alive[i] and not self.inline[i]]
        while todo:
            i = todo.pop()
            guards = [self.placed[i]]
            if i in self.blocks:
                guards += self.branches(i)
            for guard in list(guards):
                guards += parts.of(guard) or ()
            for context in self._around(guards, seen):
                condition, _ = self.guards.literal[context]
                key = (self.guards.enclosing[context], condition)
                if key not in self._blocky:
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

    def _return(self) -> None:
        """Move results that have room on a line into the return statement."""
        for i in self.program.outputs:
            if (
                self.uses[i] == 1
                and self.alive[i]
                and i not in self.blocks
                and i not in self.program.names
                and self.width[i] <= ROOM
            ):
                self.inline[i] = True

    def own(self, op: str, *args: int) -> int:
        """Append a condition of our own, to stand inline; `True` and `False` are such."""
        self.nodes.append((op, *args))
        self.target.append(len(self.nodes) - 1)
        self.inline.append(True)
        self.uses.append(1)
        return len(self.nodes) - 1

    def _spelling(self, node: Node) -> Spelling:
        key = (node[0], len(node))
        found = self._spelled.get(key)
        if found is None:
            row = self.program.ops[node[0]]
            found = self._spelled[key] = spelling(row, len(node) - 1)
        return found

    def _room(self, guard: int) -> int:
        """The columns of a variable and its value under a guard."""
        depth = 1
        while guard not in (ALWAYS, NEVER) and depth <= DEPTH:
            guard = self.guards.enclosing[guard]
            depth += 1
        return ROOM - 3 - 4 * depth
