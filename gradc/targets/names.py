"""Names: inputs keep theirs, then bindings, and everything else steps aside."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

from gradc.ir import CONDITIONS, Program
from gradc.passes.schedule import Assign, Schedule

MANY = 100  # variables of a function from which on names are used again
SOON = 40  # statements that a short life lasts; short lives get names of their own
Step = tuple["int | None", list[int]]


class Names:
    """The names of one function: arguments, then variables as they are written.

    `reserved` are the words that the target does not let anyone use; a name that is
    one of them gets an underscore.
    """

    def __init__(self, program: Program, reserved: Iterable[str]) -> None:
        self.program = program
        self.taken = set(reserved)
        spelled = {item.name for item in program.inputs}
        self.parameters: dict[str, str] = {}
        for item in program.inputs:
            keeps = item.name not in self.taken
            self.parameters[item.name] = item.name if keeps else ""
        for name, kept in self.parameters.items():
            if not kept:
                self.parameters[name] = self._free(name + "_", spelled)
        self.taken.update(self.parameters.values())
        self.bound: dict[int, str] = {}
        for i, name in sorted(program.names.items()):
            if program.nodes[i][0] not in ("const", "input"):
                self.bound[i] = self._claim(name)
        self.widest = len(str(len(program.nodes))) + 2

    def _free(self, name: str, also: Iterable[str] = ()) -> str:
        others = set(also)
        while name in self.taken or name in others:
            name += "_"
        self.taken.add(name)
        return name

    def _claim(self, name: str) -> str:
        if name in self.taken:
            name += "_"
        return self._free(name)

    def width(self, i: int) -> int:
        """How many columns the variable of a node takes at the most."""
        if i in self.bound:
            return len(self.bound[i])
        return max(self.widest, len(self.program.hints.get(i, "")) + 3)

    def assign(self, page: Schedule) -> Mapping[int, str]:
        """Name the variables of a schedule in the order in which they appear.

        A function of more than MANY variables uses the names of those that are no
        longer read again: CPython reaches 256 local variables faster than others.
        """
        steps = _steps(page)
        names: dict[int, str] = {}
        taken = set(self.taken)
        hints = self.program.hints
        pool = _Pool(page, steps)
        for k, (target, _) in enumerate(steps):
            if target is not None and target not in names:
                name = self.bound.get(target) or hints.get(target, "")
                if target not in self.bound and (not name or name in taken):
                    name = pool.name(k, target, taken)
                taken.add(name)
                names[target] = name
        return names


class _Pool:
    """Names for the variables that have none: fresh ones, or those of the dead."""

    def __init__(self, page: Schedule, steps: list[Step]) -> None:
        self.nodes = page.nodes
        self.last: dict[int, int] = {}  # the step that reads a variable last
        for k, (_, reads) in enumerate(steps):
            self.last.update(dict.fromkeys(reads, k))
        self.reuse = len({target for target, _ in steps}) > MANY
        self.count = 0
        self.free: dict[tuple[bool, bool], list[str]] = {}
        self.dying: list[tuple[int, str, tuple[bool, bool]]] = []

    def name(self, k: int, target: int, taken: set[str]) -> str:
        """A name for a variable that is first assigned at step `k`."""
        end = self.last.get(target, k)
        is_condition = self.nodes[target][0] in (*CONDITIONS, "flag")
        kind = is_condition, end - k < SOON
        while self.reuse and self.dying and self.dying[0][0] <= k:
            _, name, other = heapq.heappop(self.dying)
            self.free.setdefault(other, []).append(name)
        if free := self.free.get(kind):
            name = free.pop()
        else:
            word = "case" if self.nodes[target][0] == "flag" else "t"
            self.count += 1
            while (name := f"{word}{self.count}") in taken:
                self.count += 1
        if self.reuse:
            heapq.heappush(self.dying, (end, name, kind))
        return name


def _steps(page: Schedule) -> list[Step]:
    """The statements in the order of the text: what is assigned, what is read."""
    found: list[Step] = []
    stack = list(reversed(page.body))
    while stack:
        statement = stack.pop()
        if isinstance(statement, Assign):
            target = page.target[statement.target]
            found.append((target, _reads(page, statement.value, statement.target)))
        else:
            found.append((None, _reads(page, statement.condition, -1)))
            stack += [*reversed(statement.no), *reversed(statement.yes)]
    returned = [a for i in page.outputs for a in _reads(page, i, -1)]
    return [*found, (None, returned)]


def _reads(page: Schedule, value: int, own: int) -> list[int]:
    """The variables that are read to compute a node, or the node's own if it has one."""
    found = []
    stack = [value]
    while stack:
        i = stack.pop()
        if i != own and not page.inline[i]:
            found.append(page.target[i])
            continue
        node = page.nodes[i]
        if node[0] != "const" and node[0] != "input":
            stack += node[1:]
    return found
