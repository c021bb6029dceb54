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

Nodes that agree in 36 digits at random points are equal as functions (Schwartz, Fast
probabilistic algorithms for verification of polynomial identities, 1980; Monagan and
Gonnet, Signature functions for algebraic numbers, 1994). They become the first of them;
a sum that cancels becomes 0; a node that is the same float everywhere becomes that
float. This finds identities that nobody wrote down, such as the one between the two
densities of the Black-Scholes formula.

A node is replaced only by one that stands earlier, so that the value never depends on a
derivative; that is computed whenever it is (`guards`); that is no deeper, for a deeper
expression may have a pole or a cancellation at a place of its own; that loses no more
bits; and that is a float wherever it is. Of two derivatives the one that is less deep is
written first. Still the last bits may differ: `strict` leaves the pass out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.analysis.samples import Samples, in_full, promising
from gradc.ir import CONDITIONS, Builder, Program, arguments, compact, cost

FEWEST = 6  # nodes of a gradient below which there is nothing to gain
MOST = 10_000  # nodes above which a program is left as it is
PEERS = 4  # nodes of one value at one point with which a node is compared
SLACK = 10.0  # bits, of all points together, that a node may lose against the one it replaces


def merge(program: Program) -> Program:
    """Return a program in which nodes that agree at sampled points are one node."""
    derived = len(program.nodes) - program.last - 1
    if derived < FEWEST or len(program.nodes) > MOST or not promising(program):
        return program
    with in_full():
        samples = Samples(program)
        merger = Merger(program, samples)
        found = merger.run(range(len(program.nodes)))
        if not merger.simpler:
            return found
        other = Merger(program, samples).run(_ordered(program, merger.simpler))
        return min(other, found, key=lambda one: cost(one.nodes))


def _ordered(program: Program, first: Mapping[int, int]) -> Sequence[int]:
    """The nodes of a program, some of them just before others, if that can be."""
    at = [*range(len(program.nodes))]
    for i, before in first.items():
        at[i] = before
    for i in reversed(range(len(at))):
        for a in arguments(program.nodes[i]) if at[i] < i else ():
            if a == at[i]:
                return range(len(at))
            at[a] = min(at[a], at[i])
    return sorted(range(len(at)), key=lambda i: (at[i], at[i] == i, i))


class Merger:
    """Merges the nodes of a program.

    Once it has run, `simpler` are derivatives that are equal to deeper ones before them.
    """

    def __init__(self, program: Program, samples: Samples) -> None:
        self.program = program
        self.samples = samples
        self.simpler: dict[int, int] = {}
        self.last = program.last
        self.guards = Guards(program)
        self.placed = place(program, self.guards)
        self.builder = Builder(program.ops)
        self.new: dict[int, int] = {}
        self.origin: list[int] = []  # the old nodes that have added the new ones
        self.guard: list[int] = []  # under which a new node is needed
        self.depth: list[int] = []  # the sums, quotients and calls above one another
        self.seen: dict[tuple[int, str], list[int]] = {}

    def run(self, order: Sequence[int]) -> Program:
        """Merge the nodes, which are taken in some order."""
        program, builder, new = self.program, self.builder, self.new
        for i in order:
            before = len(builder)
            j = builder.copy(program, i, new)
            self._note(i)
            if j >= before:
                j = self._known(i, j)
                self._note(i)
            elif self._covers(self.placed[i], self.guard[j]):
                self.guard[j] = self.placed[i]
            new[i] = j
        if all(i == j for i, j in new.items()):
            return program
        return compact(builder.follow(program, [new[i] for i in program.outputs]))

    def _note(self, i: int) -> None:
        """Note of the nodes that the old node `i` has added what is asked for later."""
        nodes = self.builder.nodes
        for j in range(len(self.origin), len(nodes)):
            self.origin.append(i)
            self.guard.append(self.placed[i])
            self.depth.append(self._below(j) + (nodes[j][0] not in ("mul", "neg")))

    def _below(self, j: int) -> int:
        """The depth of the deepest argument of a node."""
        args = arguments(self.builder.nodes[j])
        return max([self.depth[a] for a in args], default=-1)

    def _known(self, i: int, j: int) -> int:
        """The node to use for the old node `i` that became `j`: `j` or its equal."""
        op = self.builder.nodes[j][0]
        if op in CONDITIONS or op == "const" or self.placed[i] == NEVER:
            return j
        value = self._constant(i, j) if op != "input" else None
        if value is not None:
            return self.builder.const(value)
        index = self.samples.index(i)
        if index is None:
            return j
        peers = self.seen.setdefault(index, [])
        for r in peers if op != "input" else ():
            sign = self._replaceable(r, j, i)
            if sign:
                found = r if sign > 0 else self.builder.add("neg", r)
                if i in self.program.names and self.builder.nodes[found][0] != "input":
                    self.builder.name(found, self.program.names[i])
                return found
        if len(peers) < PEERS:
            peers.append(j)
        return j

    def _replaceable(self, r: int, j: int, i: int) -> int:
        """The sign with which `r` may stand for `j`, the old node `i`; 0 if it may not.

        The value stays undefined where the formula is; a derivative is not read there.
        """
        samples, new = self.samples, self.origin[r]
        sign = samples.agree(new, i)
        if not sign or not self._covers(self.guard[r], self.placed[i]):
            return 0
        if self.depth[r] > self.depth[j]:
            if new > self.last and self._below(r) > self._below(j):
                self.simpler.setdefault(i, new)
            return 0
        if i <= self.last and not samples.undefined(i) <= samples.undefined(new):
            return 0
        if samples.lost[new] > samples.lost[i] + SLACK:
            return 0
        return sign if samples.serves(samples.floats[new], i) else 0

    def _constant(self, i: int, j: int) -> float | None:
        """The constant that a node is, if that loses no digit."""
        op, *args = self.builder.nodes[j]
        samples = self.samples
        if i <= self.last and samples.undefined(i):
            return None  # the value is not to be defined where the formula is not
        if i > self.last and op in ("mul", "div"):
            if any(self.builder.value_of(a) == 0.0 for a in args[: 1 + (op == "mul")]):
                return 0.0
        value = samples.constant(i)
        if value == 0.0 and op in ("add", "sub"):
            x, y = arguments(self.program.nodes[i])
            both = samples.serves(samples.floats[x], y), samples.serves(
                samples.floats[y], x
            )
            return 0.0 if all(both) else None
        if value is None or not samples.serves([value] * len(samples.floats[i]), i):
            return None
        return value

    def _covers(self, wide: int, narrow: int) -> bool:
        """Whether what is computed under one guard is there under another."""
        if wide in (ALWAYS, narrow) or NEVER in (wide, narrow):
            return wide != NEVER
        return self.guards.covers(wide, narrow)
