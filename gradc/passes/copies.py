"""Write a program in which some nodes are computed on several paths, once on each.

    %3 = exp %0                              %3 = exp %0
    %4 = where %1 %3 %2            -->       %4 = exp %0
    %5 = where %1 %2 %3                      %5 = where %1 %3 %2
                                             %6 = where %1 %2 %4

Equal nodes are one node, so a node that mutually exclusive branches need stands in none
of them. Here it is copied: each copy belongs to a guard and reads what its arguments
are there, the side of a conditional that is decided or the copy of the same guard. What
holds bit for bit is applied to the copies, and in derivatives a term is left out that
does not arise. What reads a node elsewhere reads a conditional between its copies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gradc.analysis.guards import ALWAYS, NEVER, Guards
from gradc.ir import CONDITIONS, LAZY, Builder, Program, arguments, live

RETURN = "return"  # the end of a path: what is returned there, and what is tested
LEAVES = frozenset({"const", "input"})
NONE = -1  # stands for no condition
ARITHMETIC = frozenset({"add", "sub", "mul", "div"})


class Entangled(Exception):
    """A condition would have to be chosen between its copies."""


def slots(
    program: Program, guards: Guards, i: int, guard: int
) -> Iterator[tuple[int, int]]:
    """The arguments of a node, each with the guard under which it is read there."""
    op, *args = program.nodes[i]
    if op in LEAVES:
        return
    if op not in LAZY:
        for a in args:
            yield a, guard
        return
    yes, no = (guards.child(guard, args[0], side) for side in (True, False))
    inner = (yes, no) if op == "where" else (yes if op == "and" else no,)
    yield from zip(args, (guard, *inner))


class Copier:
    """Writes a program in which nodes have copies.

    Arguments:
        program: whose one output is the end of a function.
        guards: its guards.
        placed: the guard of each node.
        copies: the guards of nodes that are copied.
        condition: which decides between the guards of each, NONE if nothing asks.
    """

    def __init__(
        self,
        program: Program,
        guards: Guards,
        placed: Sequence[int],
        copies: Mapping[int, Sequence[int]],
        condition: int = NONE,
    ) -> None:
        self.program = program
        self.guards = guards
        self.placed = placed
        self.copies = copies
        self.condition = condition
        self.builder = Builder(program.ops)
        self.new: dict[tuple[int, int], int] = {}  # by the node and its guard
        self.joined: dict[int, int] = {}
        self.first: dict[int, int] = {}  # of the twins of a node
        self.twins: dict[int, int] = {}
        ends = [node[1:] for node in program.nodes if node[0] == RETURN]
        values = [a for end in ends for a in end[: program.count]]
        self.exact = live(program.nodes, values)
        self.tests = _tests(program, [end[-1] for end in ends])

    def written(self) -> Program:
        """The program with the copies.

        Raises:
            Entangled: a condition has copies, and a reader that does not tell which.
        """
        program = self.program
        for i, guard in enumerate(self.placed):
            for own in self.copies.get(i, (guard,)):
                if own != NEVER:
                    self.new[i, own] = self._copy(i, own)
        outputs = [self._read(i, ALWAYS) for i in program.outputs]
        return replace(self.builder.follow(program, outputs), twins=self.twins)

    def _copy(self, i: int, guard: int) -> int:
        """Write a node as it is under a guard."""
        program, builder = self.program, self.builder
        op = program.nodes[i][0]
        before = len(builder)
        builder.span = program.spans[i]
        if op == "const":
            return builder.const(program.nodes[i][1])
        if op == "input":
            return builder.input(program.nodes[i][1])
        reads = slots(program, self.guards, i, guard)
        args = [self._read(a, inner) for a, inner in reads]
        if op == "where":
            for k, side in ((1, True), (2, False)):
                if self.guards.child(guard, program.nodes[i][1], not side) == NEVER:
                    return args[k]
        builder.forget()
        found = None if self.exact[i] else self._without_zeros(i, op, args)
        if found is None:
            found = builder.add(op, *args)
        if found >= before:
            self._label(i, found)
        return found

    def _without_zeros(self, i: int, op: str, args: list[int]) -> int | None:
        """What a derivative or a test comes to if a term of it does not arise.

        None if all its terms do.
        """
        builder = self.builder
        zeros = [builder.value_of(a) == 0.0 for a in args]
        if op == "where" and any(zeros):
            sides = [builder.const(0.0) if on else a for on, a in zip(zeros, args)]
            builder.forget()
            return builder.add(op, *sides)
        if op in ("mul", "div") and i in self.tests and any(zeros):
            return args[zeros.index(True)]
        if op not in ("add", "sub") or not any(zeros):
            return None
        if zeros[1]:
            return args[0]
        return args[1] if op == "add" else builder.add("neg", args[1])

    def _label(self, i: int, found: int) -> None:
        """Hand on what a node is called, and note whose twin its copy is."""
        program, builder = self.program, self.builder
        if i in program.names:
            builder.names.setdefault(found, program.names[i])
        if i in program.hints:
            builder.hints.setdefault(found, program.hints[i])
        first = self.first.setdefault(program.twins.get(i, i), found)
        if first != found:
            self.twins[found] = first

    def _read(self, i: int, guard: int) -> int:
        """A node where it is read under a guard."""
        nodes, guards = self.program.nodes, self.guards
        while guard != NEVER and nodes[i][0] == "where":
            sides = [guards.child(guard, nodes[i][1], side) for side in (True, False)]
            if NEVER not in sides:
                break
            taken = sides[0] == NEVER
            i, guard = nodes[i][2 + taken], sides[taken]  # where a copy of it may stand
        if guard == NEVER:  # on no path
            return self.new.get((i, self.placed[i]), 0)
        owns = self.copies.get(i)
        if owns is None:
            return self.new[i, self.placed[i]]
        for own in owns:
            if own == guard or (own != NEVER and guards.covers(own, guard)):
                return self.new[i, own]
        return self._join(i, owns)

    def _join(self, i: int, owns: Sequence[int]) -> int:
        """The conditional between the copies of a node."""
        if i not in self.joined:
            builder, asked = self.builder, self.condition
            condition = self.new.get((asked, self.placed[asked]))
            if condition is None or self.program.nodes[i][0] in CONDITIONS:
                raise Entangled
            builder.span = self.program.spans[i]
            builder.forget()
            sides = [self.new[i, own] for own in owns]
            self.joined[i] = builder.add("where", condition, *sides)
            if i in self.program.names or i in self.program.hints:
                self._label(i, self.joined[i])
        return self.joined[i]


def _tests(program: Program, ends: Sequence[int]) -> set[int]:
    """The arithmetic that is read for nothing but whether it is finite."""
    nodes = program.nodes
    readers = Counter(a for node in nodes for a in arguments(node))
    stack = list(ends)
    found = set()
    while stack:
        i = stack.pop()
        if readers[i] == 1 and (nodes[i][0] in ARITHMETIC or nodes[i][0] == "where"):
            found.add(i)
            stack += nodes[i][1:]
    return found
