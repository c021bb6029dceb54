"""Names: inputs keep theirs, then bindings, and everything else steps aside."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import NamedTuple

from gradc.ir import CONDITIONS, Program, grouped
from gradc.passes.schedule import Assign, Schedule, Statement

MANY = 60  # variables of a function from which on names are used again
MOST = 100  # from which on bindings have no names of their own
_BRACKETS = re.compile(r"\[(\d+)\]")
_CONDITIONS = CONDITIONS | {"flag"}


def identifier(name: str) -> str:
    """The name of an element of a list as one word: `w[0][1]` is `w_0_1`."""
    return _BRACKETS.sub(r"_\1", name) if name.endswith("]") else name


class Names:
    """The names of one program: arguments, then variables as they are written.

    `reserved` are the words that the target does not let anyone use; a name that is
    one of them gets an underscore.
    """

    def __init__(self, program: Program, reserved: Iterable[str]) -> None:
        self.program = program
        self.taken = set(reserved)
        arguments = grouped(program.inputs)
        spelled = {item.name for item in arguments}
        fine = spelled - self.taken
        self.parameters = {name: name for name in spelled}
        for name in sorted(spelled - fine):
            self.parameters[name] = self._free(name + "_", spelled)
        self.taken |= fine
        self.elements: dict[str, str] = {}
        for item in arguments:
            for element in item.elements:
                own = "" if element.array else self.parameters[element.name]
                self.elements[element.name] = own or self._claim(element.name)
        self.bound: dict[int, str] = {}
        for i, name in sorted(program.names.items()):
            if program.nodes[i][0] not in ("const", "input"):
                self.bound[i] = self._claim(name)

    def _free(self, name: str, also: Container[str] = ()) -> str:
        while name in self.taken or name in also:
            name += "_"
        self.taken.add(name)
        return name

    def _claim(self, name: str) -> str:
        name = identifier(name)
        return self._free(f"{name}_" if name in self.taken else name)

    def widths(self) -> list[int]:
        """How many columns the variable of each node takes at the most."""
        widest = len(str(len(self.program.nodes))) + 2
        found = [widest] * len(self.program.nodes)
        for i, name in self.bound.items():
            found[i] = len(name)
        return found

    def assign(self, page: Schedule, lives: Lives) -> dict[int, str]:
        """Name the variables of a schedule in the order in which they appear.

        Each has a name of its own, but in a function of more than MANY variables those
        that are no longer read, a line or more below, lend theirs: each variable that
        is spared saves CPython up to a third of an operation. Of more than MOST, so do
        bindings: numbers that are kept miss the free list.
        """
        count = len(set(lives.targets))
        bound = self.bound if count <= MOST else {}
        names: dict[int, str] = {}
        taken, numbers = set(self.taken), 0
        free: dict[bool, list[str]] = {False: [], True: []}  # True for conditions
        dying: dict[int, list[int]] = {}  # variables by the step that reads them last
        for k, target in enumerate(lives.targets):
            for gone in dying.pop(k - 1, ()):
                free[page.nodes[gone][0] in _CONDITIONS].append(names[gone])
            if target < 0 or target in names:
                continue
            if target in bound:
                names[target] = bound[target]
                continue
            unused = free[page.nodes[target][0] in _CONDITIONS]
            if unused:
                names[target] = unused.pop()
            else:
                word = "case" if page.nodes[target][0] == "flag" else "t"
                numbers += 1
                while f"{word}{numbers}" in taken:
                    numbers += 1
                names[target] = f"{word}{numbers}"
                taken.add(names[target])
            if count > MANY:
                dying.setdefault(max(lives.last[target], k), []).append(target)
        return names


class Lives(NamedTuple):
    """The steps of a function, its statements and conditions in the order of the text.

    `targets` has the variable that a step assigns, -1 for a condition; `last` the step
    that reads a node's variable last, -1 for a node that stands inline or is not read.
    """

    targets: list[int]
    last: list[int]


def lives(page: Schedule) -> Lives:
    """When the variables of a schedule are assigned, and when they are read last."""
    nodes, inline, target = page.nodes, page.inline, page.target
    targets: list[int] = []
    last = [-1] * len(nodes)
    at = [-1] * len(nodes)  # the last step that computes a node
    stack: list[Statement] = page.body[::-1]
    while stack:
        statement, k = stack.pop(), len(targets)
        if isinstance(statement, Assign):
            i, variable = statement.value, statement.target
            targets.append(target[variable])
        else:
            i, variable = statement.condition, -1
            targets.append(-1)
            stack += [*statement.no[::-1], *statement.yes[::-1]]
        if i == variable or inline[i]:
            at[i] = k
        else:
            last[target[i]] = k
    for i in page.outputs:
        if inline[i]:
            at[i] = len(targets)
        else:
            last[target[i]] = len(targets)
    for k, node in zip(reversed(at), reversed(nodes)):
        if k >= 0:
            for a in node[1:]:  # a leaf is computed by no step
                if inline[a]:
                    at[a] = max(at[a], k)
                else:
                    last[target[a]] = max(last[target[a]], k)
    return Lives(targets, last)
