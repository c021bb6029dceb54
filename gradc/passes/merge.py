"""Merge nodes that are the same function, however they are written.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = sqrt %0                     %2 = sqrt %0
    %3 = div %0 %2                   %3 = mul %2 %1
    %4 = mul %3 %1                   %4 = neg %1
    %5 = div %1 %2         -->       %5 = const 2.0
    %6 = mul %5 %3                   %6 = div %4 %5
    %7 = neg %6                      %7 = div %6 %2
    %8 = const 2.0                   %8 = neg %7
    %9 = div %7 %8                   out %3 %8 %2
    %10 = div %9 %2
    %11 = add %10 %5
    out %4 %11 %3

Every node is evaluated in 50 digits at a few points (`sampling`). Nodes that agree
there, or are opposite, become the first of them; a sum that cancels becomes 0, and what
is multiplied by it goes; a node that is the same float everywhere becomes that float.
This finds identities that nobody wrote down, such as the one between the two densities
of the Black-Scholes formula, which leaves the closed form of its derivatives.

A node is replaced only by one that stands earlier, so that the value never depends on a
derivative; that is computed whenever it is (`guards`); that is no deeper, for a deeper
expression may have a pole or a cancellation at a place of its own; that loses no more
bits at the points; and that is a float wherever it is. Of two derivatives the one that
is less deep is written first. Still the last bits may differ, so `strict` compilation
leaves the pass out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.costs import cost
from gradc.ir import CONDITIONS, Builder, Program, arguments, compact

if TYPE_CHECKING:
    from gradc.analysis.sampling import Values

FEWEST = 6  # nodes of a gradient below which there is nothing to gain
MOST = 10_000  # nodes above which a program is left as it is
PEERS = 4  # nodes of one value at one point with which a node is compared
SLACK = 0.5  # bits that a node may lose against the one it replaces


def merge(program: Program) -> Program:
    """Return a program in which nodes that agree at sampled points are one node."""
    derived = len(program.nodes) - program.last - 1
    if derived < FEWEST or len(program.nodes) > MOST:
        return program
    from gradc.analysis import sampling  # loads `decimal`, which few formulas need

    if not sampling.promising(program):
        return program
    merger = Merger(program, range(len(program.nodes)))
    found = merger.run()
    if not merger.simpler:
        return found
    other = Merger(program, _ordered(program, merger.simpler)).run()
    return min(other, found, key=lambda one: cost(one.nodes))


def _ordered(program: Program, first: Mapping[int, int]) -> list[int]:
    """The nodes of a program, some of them just before others, if that can be."""
    at = [*range(len(program.nodes))]
    for i, before in first.items():
        at[i] = before
    for i in reversed(range(len(at))):
        for a in arguments(program.nodes[i]) if at[i] < i else ():
            if a == at[i]:
                return [*range(len(at))]
            at[a] = min(at[a], at[i])
    return sorted(range(len(at)), key=lambda i: (at[i], at[i] == i, i))


class Merger:
    """Merges the nodes of a program, which it takes in some order.

    Once it has run, `simpler` are derivatives that are equal to deeper ones before them.
    """

    def __init__(self, program: Program, order: Sequence[int]) -> None:
        from gradc.analysis import sampling

        self.sampling = sampling
        self.program = program
        self.order = order
        self.simpler: dict[int, int] = {}
        self.origin: list[int] = []  # the old nodes that have added the new ones
        self.last = program.last
        self.sample = sampling.Sample(program.inputs, program.ops)
        self.guards = Guards(program)
        self.placed = place(program, self.guards)
        self.builder = Builder(program.ops)
        self.new: dict[int, int] = {}
        self.values: list[Values] = []  # of the new nodes
        self.guard: list[int] = []  # under which a new node is needed
        self.depth: list[int] = []  # the sums, quotients and calls above one another
        self.seen: dict[tuple[int, str], list[int]] = {}

    def run(self) -> Program:
        program, builder, new = self.program, self.builder, self.new
        with self.sampling.in_full():
            for i in self.order:
                before = len(builder)
                j = builder.copy(program, i, new)
                self._evaluate(i)
                if j >= before:
                    j = self._known(i, j)
                    self._evaluate(i)
                elif self._covers(self.placed[i], self.guard[j]):
                    self.guard[j] = self.placed[i]
                new[i] = j
        if all(i == j for i, j in new.items()):
            return program
        return compact(builder.follow(program, [new[i] for i in program.outputs]))

    def _evaluate(self, i: int) -> None:
        """Give values to the nodes that the old node `i` has added."""
        nodes = self.builder.nodes
        for j in range(len(self.values), len(nodes)):
            args = [self.values[a] for a in arguments(nodes[j])]
            self.values.append(self.sample.values(nodes[j], args))
            self.guard.append(self.placed[i])
            self.origin.append(i)
            self.depth.append(self._below(j) + (nodes[j][0] not in ("mul", "neg")))

    def _below(self, j: int) -> int:
        """The depth of the deepest argument of a node."""
        args = arguments(self.builder.nodes[j])
        return max([self.depth[a] for a in args], default=-1)

    def _known(self, i: int, j: int) -> int:
        """The node to use for the old node `i` that became `j`: `j` or its equal."""
        op = self.builder.nodes[j][0]
        if op in CONDITIONS or self.placed[i] == NEVER:
            return j
        value = self._constant(i, j)
        if value is not None:
            return self.builder.const(value)
        index = self._index(j)
        peers = self.seen.setdefault(index, []) if index else []
        if op not in ("const", "input"):
            for r in peers:
                sign = self._replaceable(r, j, i)
                if sign:
                    found = r if sign > 0 else self.builder.add("neg", r)
                    self._rename(i, found)
                    return found
        if len(peers) < PEERS:
            peers.append(j)
        return j

    def _index(self, j: int) -> tuple[int, str] | None:
        """What nodes share that may be equal: the first digits at the first point."""
        exact = self.values[j].exact
        for k in self.values[j].points:
            if exact[k]:
                return k, self.sampling.key(exact[k])
        return None

    def _replaceable(self, r: int, j: int, i: int) -> int:
        """The sign with which `r` may stand for `j`, the old node `i`; 0 if it may not.

        The value stays undefined where the formula is; a derivative is not read there.
        """
        new, old = self.values[r], self.values[j]
        sign = self.sampling.agree(new, old, wider=i > self.last)
        if not sign or not self._covers(self.guard[r], self.placed[i]):
            return 0
        if self.depth[r] > self.depth[j]:
            if self.origin[r] > self.last and self._below(r) > self._below(j):
                self.simpler.setdefault(i, self.origin[r])
            return 0
        if new.lost_bits > old.lost_bits + SLACK:
            return 0
        return sign if self.sampling.replaces(new.floats, old.floats, sign) else 0

    def _constant(self, i: int, j: int) -> float | None:
        """The constant that a node is, if that loses no digit."""
        op, *args = self.builder.nodes[j]
        if op == "const" or op == "input":
            return None
        values = self.values[j]
        adjoint = i > self.last
        if not adjoint and not values.total:
            return None  # the value is not to be defined where the formula is not
        if adjoint and op in ("mul", "div"):
            if any(self.builder.value_of(a) == 0.0 for a in args[: 1 + (op == "mul")]):
                return 0.0
        if op == "add" or op == "sub":
            x, y = (self.values[a] for a in args)
            sign = 1 if op == "add" else -1
            if self.sampling.cancels(x, y, values, sign):
                return 0.0
        return self.sampling.constant(values)

    def _covers(self, wide: int, narrow: int) -> bool:
        """Whether what is computed under one guard is there under another."""
        if wide in (ALWAYS, narrow) or NEVER in (wide, narrow):
            return wide != NEVER
        inside, members = self.guards.inside, self.guards.members
        if len(members[wide]) * len(members[narrow]) > 16:
            return False
        return all(any(inside(m, n) for n in members[wide]) for m in members[narrow])

    def _rename(self, i: int, found: int) -> None:
        """Give what stands for the old node `i` its names."""
        if self.builder.nodes[found][0] in ("const", "input"):
            return
        if i in self.program.names:
            self.builder.name(found, self.program.names[i])
