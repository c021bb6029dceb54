"""Names: inputs keep theirs, then bindings, and everything else steps aside."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from gradc.ir import CONDITIONS, Program, grouped
from gradc.passes.schedule import Assign, Schedule, Statement

MANY = 24  # variables of a function from which on names are used again
MOST = 100  # from which on bindings and derivatives have no names of their own
_BRACKETS = re.compile(r"\[(\d+)\]")
_CONDITIONS = CONDITIONS | {"flag"}


def identifier(name: str) -> str:
    """The name of an element of a list as one word: `w[0][1]` is `w_0_1`."""
    return _BRACKETS.sub(r"_\1", name) if name.endswith("]") else name


class Names:
    """The names of one function: arguments, then variables as they are written.

    `reserved` are the words that the target does not let anyone use; a name that is
    one of them gets an underscore.
    """

    def __init__(self, program: Program, reserved: Iterable[str]) -> None:
        self.program = program
        self.taken = set(reserved)
        arguments = grouped(program.inputs)
        spelled = {item.name for item in arguments}
        self.parameters: dict[str, str] = {}
        for item in arguments:
            keeps = item.name not in self.taken
            self.parameters[item.name] = item.name if keeps else ""
        for name, kept in self.parameters.items():
            if not kept:
                self.parameters[name] = self._free(name + "_", spelled)
        self.taken.update(self.parameters.values())
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
        if name in self.taken:
            return self._free(name + "_")
        self.taken.add(name)
        return name

    def widths(self) -> list[int]:
        """How many columns the variable of each node takes at the most."""
        widest = len(str(len(self.program.nodes))) + 2
        found = [widest] * len(self.program.nodes)
        for i, hint in self.program.hints.items():
            found[i] = max(widest, len(hint) + 3)
        for i, name in self.bound.items():
            found[i] = len(name)
        return found

    def assign(self, page: Schedule, lives: Lives) -> dict[int, str]:
        """Name the variables of a schedule in the order in which they appear.

        A function of more than MANY variables uses the names of those that are no
        longer read again, a line or more below: each variable that is spared saves
        CPython up to a third of an operation. Of more than MOST, it does so with those
        of bindings and derivatives: numbers that are kept miss the free list.
        """
        names: dict[int, str] = {}
        taken = set(self.taken)
        known = len(page.program.nodes)  # but for flags, which are behind
        count = len(set(lives.targets))
        bound: Mapping[int, str] = self.bound if count <= MOST else {}
        hints: Mapping[int, str] = {}
        if len(page.outputs) > 1 and count <= MOST:
            hints = self.program.hints  # of derivatives
        pool = _Pool(page, lives, reuse=count > MANY)
        for k, target in enumerate(lives.targets):
            if target < 0 or target in names:
                continue
            if target < known and target in bound:
                names[target] = bound[target]
                continue
            name = identifier(hints.get(target, "")) if target < known else ""
            if not name or name in taken:
                name = pool.name(k, target, taken)
            taken.add(name)
            names[target] = name
        return names


class Lives(NamedTuple):
    """The steps of a function, its statements and conditions in the order of the text.

    `targets` has the variable that a step assigns, -1 for a condition; `last` the step
    that reads a node's variable last, -1 for a node that stands inline or is not read.
    `starts` are the steps with which the statements of the body begin.
    """

    targets: list[int]
    last: list[int]
    starts: list[int]


def lives(page: Schedule) -> Lives:
    """When the variables of a schedule are assigned, and when they are read last."""
    nodes, inline, target = page.nodes, page.inline, page.target
    targets: list[int] = []
    starts: list[int] = []
    last = [-1] * len(nodes)
    at = [-1] * len(nodes)  # the last step that computes a node
    stack: list[Statement] = []
    for first in page.body:
        k = len(targets)
        starts.append(k)
        if isinstance(first, Assign) and (i := first.value) == first.target:
            targets.append(target[i])  # most do no more
            at[i] = k
            continue
        stack.append(first)
        while stack:
            statement, k = stack.pop(), len(targets)
            if isinstance(statement, Assign):
                i, variable = statement.value, statement.target
                targets.append(target[variable])
            else:
                i, variable = statement.condition, -1
                targets.append(-1)
                stack += reversed(statement.no)
                stack += reversed(statement.yes)
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
                    if at[a] < k:
                        at[a] = k
                elif last[target[a]] < k:
                    last[target[a]] = k
    return Lives(targets, last, starts)


class _Pool:
    """Names for the variables that have none: fresh ones, or with `reuse` dead ones."""

    def __init__(self, page: Schedule, lives: Lives, reuse: bool) -> None:
        self.nodes = page.nodes
        self.last = lives.last
        self.reuse = reuse
        self.count = 0
        self.free: dict[bool, list[str]] = {False: [], True: []}  # True for conditions
        self.step = 0  # before which all names that are no longer read are free
        self.dying: dict[int, list[tuple[str, bool]]] = {}  # by the last step

    def name(self, k: int, target: int, taken: set[str]) -> str:
        """A name for a variable that is first assigned at step `k`."""
        end = max(self.last[target], k)
        op = self.nodes[target][0]
        kind = op in _CONDITIONS
        for step in range(self.step, k if self.reuse else 0):
            if gone := self.dying.pop(step, None):
                for name, other in sorted(gone):
                    self.free[other].append(name)
        self.step = k
        if free := self.free[kind]:
            name = free.pop()
        else:
            word = "case" if op == "flag" else "t"
            self.count += 1
            while (name := f"{word}{self.count}") in taken:
                self.count += 1
        if self.reuse:
            self.dying.setdefault(end, []).append((name, kind))
        return name
