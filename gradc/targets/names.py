"""Names: inputs keep theirs, then bindings, and everything else steps aside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gradc.ir import Program
from gradc.passes.schedule import Assign, If, Schedule


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
        """Name the variables of a schedule in the order in which they appear."""
        names: dict[int, str] = {}
        taken = set(self.taken)
        hints = self.program.hints
        count = 0
        for target in _targets(page):
            if target in names:
                continue
            name = self.bound.get(target) or hints.get(target, "")
            if target not in self.bound and (not name or name in taken):
                word = "case" if page.nodes[target][0] == "flag" else "t"
                count += 1
                while (name := f"{word}{count}") in taken:
                    count += 1
            taken.add(name)
            names[target] = name
        return names


def _targets(page: Schedule) -> list[int]:
    """The variables of a schedule, in the order of the text."""
    found = []
    stack = list(reversed(page.body))
    while stack:
        statement = stack.pop()
        if isinstance(statement, Assign):
            found.append(page.target[statement.target])
        else:
            assert isinstance(statement, If)
            stack += [*reversed(statement.no), *reversed(statement.yes)]
    return found
