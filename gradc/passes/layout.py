"""What stands on a line: which conditionals are blocks, which nodes stand inline.

A conditional is written as an expression if its branches are short and nothing in them
is read elsewhere, otherwise as a block, whose branches are assigned to its variable.
Single uses move into the expression that reads them, up to the width of a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress

from gradc.analysis.guards import NEVER, Guards, needs
from gradc.ir import LAZY, Node, Program
from gradc.spelling import ATOM, PYTHON, Language, Spelling, spelling

DEPTH = 6  # nested blocks before a nest is cut
ROOM = 76  # columns that a statement may fill by taking others in
HEAD = 7  # of them before and behind its variable
SHORT = 20  # columns of a named part that may lose its line when it is used once
ARM = 30  # columns of a branch that may stand in a conditional expression
LEAVES = frozenset({"const", "input"})


class Layout:
    """Which nodes of a program stand inline, and whose variable the others take.

    Attributes:
        nodes: the program's nodes; conditions of our own may be appended.
        inline: whether a node stands in the expression that reads it.
        target: the node whose variable each node is assigned to.
        uses: how often each node is read.
        alive: which nodes are computed when the function is called.
        blocks: the conditionals that are printed as blocks rather than expressions.
    """

    def __init__(
        self,
        program: Program,
        fixed: Sequence[bool],
        widths: Sequence[int],
        guards: Guards,
        placed: Sequence[int],
        language: Language = PYTHON,
    ) -> None:
        self.program, self.language, self.widths = program, language, widths
        self.guards, self.placed = guards, placed
        self.nodes: list[Node] = list(program.nodes)
        self.alive = [
            g != NEVER and not f and node[0] not in LEAVES
            for g, f, node in zip(placed, fixed, self.nodes)
        ]
        self.target = list(range(len(self.nodes)))
        self.inline = [False] * len(self.nodes)
        alive = compress(self.nodes, self.alive)
        reads = Counter([*program.outputs, *[a for node in alive for a in node[1:]]])
        self.uses = [reads[i] for i in range(len(self.nodes))]
        self.blocks: set[int] = set()
        self._wide = list(widths)  # columns of what each node computes
        self._columns = list(widths)  # columns where it is read
        self._level = [ATOM] * len(self.nodes)
        if program.operations & LAZY:
            self._shape()
        self._flatten()

    def reads(self, i: int) -> list[tuple[int, int]]:
        """The arguments of a node, each with the guard under which it is read."""
        return needs(self.nodes[i], self.placed[i], self.guards)

    def statements(self) -> list[int]:
        """The nodes that are computed on a line of their own."""
        return [i for i, on in enumerate(self.alive) if on and not self.inline[i]]

    def own(self, op: str, *args: int) -> int:
        """Append a condition of our own, to stand inline."""
        self.nodes.append((op, *args))
        self.target.append(len(self.nodes) - 1)
        self.inline.append(True)
        self.uses.append(1)
        return len(self.nodes) - 1

    def _shape(self) -> None:
        """Find the conditionals that need a block, and who shares whose variable."""
        alone = [False] * len(self.nodes)  # whether it may stand where it is read
        width = list(self.widths)
        asked: set[tuple[int, int]] = set()  # conditions of blocks, with their guards
        for i in compress(range(len(self.nodes)), self.alive):
            node, guard = self.nodes[i], self.placed[i]
            solid = True
            for k, (a, inner) in enumerate(self.reads(i)):
                if not self.alive[a] or self.placed[a] != inner:
                    continue
                if node[0] == "where" and k and not (alone[a] and width[a] <= ARM):
                    asked.add((guard, node[1]))
                    solid = False
                solid = solid and alone[a]
            if solid:
                row = self.program.ops[node[0]]
                width[i] = spelling(row, len(node) - 1, self.language).columns
                width[i] += sum([width[a] + 2 for a in node[1:]])
                alone[i] = self.uses[i] == 1
        for i in compress(range(len(self.nodes)), self.alive):
            node = self.nodes[i]
            if node[0] == "where" and (self.placed[i], node[1]) in asked:
                self.blocks.add(i)
                self.uses[node[1]] -= 1
        for i in sorted(self.blocks, reverse=True):
            self._share(i)

    def _share(self, i: int) -> None:
        """Let branches take the variable of their conditional, for it is the same.

        A branch that has a name, and other readers, keeps its own. What else only the
        condition reads is computed before it, and stays if nothing comes in its place.
        """
        condition = self.nodes[i][1]
        for a, guard in self.reads(i)[1:]:
            free = self.uses[a] == 1 or a not in self.program.names
            own = self.alive[a] and self.placed[a] == guard
            if self.placed[a] == self.placed[condition] == self.placed[i] != guard:
                own = self.alive[a] and a in self.nodes[condition][1:]
                free = self.uses[a] == 2 and not self.uses[condition]
            if own and free and self.target[a] == a:
                self.target[a] = self.target[i]

    def _flatten(self) -> None:
        """Move single uses into their readers while the line has room."""
        once = [on and uses == 1 for on, uses in zip(self.alive, self.uses)]
        own = [i == t and i not in self.blocks for i, t in enumerate(self.target)]
        free = [one and its for one, its in zip(once, own)]
        outputs = frozenset(self.program.outputs)
        for i in compress(range(len(self.nodes)), self.alive):
            if i in self.blocks:
                continue
            node = self.nodes[i]
            taken = [a for a in node[1:] if free[a]]
            if not (taken or free[i] or i in outputs):
                continue  # nothing asks how wide it is
            row = self.program.ops[node[0]]
            spelled = spelling(row, len(node) - 1, self.language)
            if taken:
                self._fit(i, self._take(i, taken, spelled), spelled)
            self._wide[i] = self._width(i, spelled)
            self._level[i] = spelled.level
            if self._wide[i] > SHORT and i in self.program.names:
                free[i] = False
        for i in outputs:
            if free[i] and i not in self.program.names and self._wide[i] <= ROOM:
                self.inline[i] = True

    def _take(self, i: int, free: Sequence[int], spelled: Spelling) -> list[int]:
        """Take in those of the arguments that are free to move that may stand here."""
        found = list[int]()
        for k, (a, guard) in enumerate(self.reads(i)):
            if a in free and k not in spelled.repeated and self.placed[a] == guard:
                self.inline[a] = True
                self._columns[a] = self._wide[a]
                found.append(a)
        return found

    def _fit(self, i: int, taken: list[int], spelled: Spelling) -> None:
        """Put the widest of what a node has taken in back on lines of their own.

        A branch may not leave its conditional.
        """
        room, node = ROOM - HEAD - self.widths[self.target[i]], self.nodes[i]
        is_long = len(spelled.holes) > room  # each of them takes a column
        for widest in sorted(taken, key=lambda a: -self._wide[a]):
            if not is_long and self._width(i, spelled) <= room:
                break
            if node[0] == "where" and widest != node[1]:
                break
            taken.remove(widest)
            self.inline[widest] = False
            self._columns[widest] = self.widths[self.target[widest]]

    def _width(self, i: int, spelled: Spelling) -> int:
        """The columns of an expression."""
        node, total = self.nodes[i], spelled.columns
        for k, limit in spelled.holes:
            a = node[1 + k]
            brackets = 2 * (self.inline[a] and self._level[a] < limit)
            total += self._columns[a] + brackets
        return total
