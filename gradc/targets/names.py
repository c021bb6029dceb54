"""Names: inputs keep theirs, then bindings, and everything else steps aside."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from gradc.ir import CONDITIONS, Program, grouped
from gradc.passes.schedule import Assign, Schedule, Statement

MANY = 60  # variables of a function from which on names are used again
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
        for i, name in self.bound.items():
            found[i] = len(name)
        return found

    def assign(self, page: Schedule, lives: Lives) -> dict[int, str]:
        """Name the variables of a schedule in the order in which they appear.

        A function of more than MANY variables uses the names of a branch again in
        another one, and on a path of more than MANY those that are no longer read, a
        line or more below: each variable that is spared saves CPython up to a third of
        an operation. Of more than MOST, it does so with those of bindings and
        derivatives: numbers that are kept miss the free list.
        """
        names: dict[int, str] = {}
        taken = set(self.taken)
        known = len(page.program.nodes)  # but for flags, which are behind
        count = len(set(lives.targets))
        bound: Mapping[int, str] = self.bound if count <= MOST else {}
        pool = _Pool(page, lives, count > MANY, lives.longest() > MANY)
        for k, target in enumerate(lives.targets):
            if target < 0 or target in names:
                continue
            if target < known and target in bound:
                names[target] = bound[target]
                continue
            name = pool.name(k, target, taken)
            taken.add(name)
            names[target] = name
        return names


class Lives(NamedTuple):
    """The steps of a function, its statements and conditions in the order of the text.

    `targets` has the variable that a step assigns, -1 for a condition; `last` the step
    that reads a node's variable last, -1 for a node that stands inline or is not read.
    `starts` are the steps with which the statements of the body begin. Each step stands
    in one of the branches, which have a parent and an end; the first one is the body,
    two in a row are those of one condition.
    """

    targets: list[int]
    last: list[int]
    starts: list[int]
    branch: list[int]
    parents: list[int]
    ends: list[int]

    def end(self, k: int, last: int) -> int:
        """Where the innermost branch ends around a step and a later one."""
        branch = self.branch[k]
        while branch > 0 and self.ends[branch] <= last:
            branch = self.parents[branch]
        return self.ends[branch]

    def longest(self) -> int:
        """How many variables are assigned on some path, or a few more."""
        totals = [0] * len(self.ends)
        seen = set()
        for target, branch in zip(self.targets, self.branch):
            if target >= 0 and target not in seen:
                seen.add(target)
                totals[branch] += 1
        for branch in range(len(totals) - 2, 0, -2):
            totals[self.parents[branch]] += max(totals[branch : branch + 2])
        return totals[0]


def lives(page: Schedule) -> Lives:
    """When the variables of a schedule are assigned, and when they are read last."""
    nodes, inline, target = page.nodes, page.inline, page.target
    targets: list[int] = []
    starts: list[int] = []
    last = [-1] * len(nodes)
    at = [-1] * len(nodes)  # the last step that computes a node
    branch: list[int] = []
    parents, ends = [0], [0]
    stack: list[tuple[Statement | None, int]] = []  # None for the end of a branch
    for first in page.body:
        k = len(targets)
        starts.append(k)
        if isinstance(first, Assign) and (i := first.value) == first.target:
            targets.append(target[i])  # most do no more
            branch.append(0)
            at[i] = k
            continue
        stack.append((first, 0))
        while stack:
            statement, inside = stack.pop()
            k = len(targets)
            if statement is None:
                ends[inside] = k
                continue
            branch.append(inside)
            if isinstance(statement, Assign):
                i, variable = statement.value, statement.target
                targets.append(target[variable])
            else:
                i, variable = statement.condition, -1
                targets.append(-1)
                yes, no = len(ends), len(ends) + 1
                parents += [inside, inside]
                ends += [0, 0]
                for side, body in ((no, statement.no), (yes, statement.yes)):
                    stack.append((None, side))
                    stack += [(s, side) for s in reversed(body)]
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
    ends[0] = len(targets) + 1
    return Lives(targets, last, starts, branch, parents, ends)


def _descending(freed: tuple[str, bool]) -> tuple[int, list[int]]:
    """Sorts names so that the first one is taken first, from the end."""
    return -len(freed[0]), [-ord(c) for c in freed[0]]


class _Pool:
    """Names for the variables that have none.

    Fresh ones, or with `reuse` those of other branches, or if it is `close` those that
    are no longer read.
    """

    def __init__(self, page: Schedule, lives: Lives, reuse: bool, close: bool) -> None:
        self.nodes = page.nodes
        self.lives = lives
        self.reuse = reuse
        self.close = close
        self.count = 0
        self.free: dict[bool, list[str]] = {False: [], True: []}  # True for conditions
        self.step = 0  # before which all names that are no longer read are free
        self.dying: dict[int, list[tuple[str, bool]]] = {}  # by the last step

    def name(self, k: int, target: int, taken: set[str]) -> str:
        """A name for a variable that is first assigned at step `k`."""
        end = max(self.lives.last[target], k)
        if self.reuse and not self.close:
            end = self.lives.end(k, end) - 1
        op = self.nodes[target][0]
        kind = op in _CONDITIONS
        for step in range(self.step, k if self.reuse else 0):
            if gone := self.dying.pop(step, None):
                key = None if self.close else _descending
                for name, other in sorted(gone, key=key):
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
