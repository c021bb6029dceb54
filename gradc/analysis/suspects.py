"""Suspects: the nodes of a function that a test of its results may look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from itertools import chain
from typing import Any, TypeVar

from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.functions import ZERO, Function, numbers
from gradc.ir import Builder, Node, Program, once

BRANCHES = 3  # in which a node is tested, at the most
CHEAP = frozenset({"add", "sub", "mul", "neg"})

Suspect = TypeVar("Suspect", bound=Any)


class Suspects:
    """What one function computes of its program, and where a test finds it.

    Attributes:
        outputs: the nodes that the function returns.
        is_product: whether it is one of derivatives and a vector.
    """

    def __init__(self, function: Function) -> None:
        self.program = function.program
        self.is_product = function.vector is not None
        chosen = (k for k in numbers(function.layout) if k != ZERO)
        self.outputs = tuple({self.program.outputs[k] for k in chosen})
        self.guards = Guards(self.program)
        self.placed = place(self.program, self.guards, self.outputs)
        self.shapes = once(shapes)(self.program)

    def is_live(self, i: int) -> bool:
        """Whether the function computes a node, at least in some branch."""
        return self.placed[i] != NEVER

    def is_placed(self, i: int) -> bool:
        """Whether a node stands in few branches, so that a test can stand there too."""
        return len(self.guards.members[self.placed[i]]) <= BRANCHES

    def term(self, i: int, found: int, builder: Builder) -> int:
        """What a test computes of node `i`, and 0 where that node is not needed.

        Arithmetic that several branches need is tested in all.
        """
        if self._is_cheap(i):
            return found
        test, found = found, builder.const(0.0)
        for context in self.guards.members[self.placed[i]]:
            way = self.guards.way(context, ALWAYS)
            inside = test
            for decided, branch in reversed(way):
                sides = (inside, found)
                inside = builder.add("where", decided, *sides[:: 1 if branch else -1])
            found = inside
        return found

    def _is_cheap(self, i: int) -> bool:
        """Whether a node is arithmetic, in several branches, on what is there anyway."""
        op, *args = self.program.nodes[i]
        several = len(self.guards.members[self.placed[i]]) > 1
        return several and op in CHEAP and all(self.placed[a] == ALWAYS for a in args)


def covering(
    cases: Iterable[Set[Suspect]],
    few: int,
    chosen: Iterable[Suspect] = (),
    rare: Iterable[Set[Suspect]] = (),
) -> Iterator[Suspect]:
    """Suspects, the most frequent first, until none is left in more than few cases.

    Arguments:
        chosen: before, and not again.
        rare: other cases, which tell suspects apart that are as frequent.
    """
    left = [case for case in cases if case and case.isdisjoint(chosen)]
    others = [case for case in rare if case and case.isdisjoint(chosen)]
    while left:
        counts, also = (Counter(chain.from_iterable(part)) for part in (left, others))
        best = min(
            counts, key=lambda suspect: (-counts[suspect], -also[suspect], suspect)
        )
        if counts[best] <= few:
            return
        left, others = ([c for c in part if best not in c] for part in (left, others))
        yield best


def shapes(program: Program) -> list[int]:
    """A number for each node, equal for those that differ in their inputs alone.

    These have equal domains then.
    """
    found: list[int] = []
    known: dict[Node, int] = {}
    domains = {item.name: [item.low, item.high] for item in program.inputs}
    for op, *args in program.nodes:
        if op == "input":
            args = domains[args[0]]
        elif op != "const":
            args = [found[a] for a in args]
            if program.ops[op].commutes:
                args.sort()
        found.append(known.setdefault((op, *args), len(known)))
    return found
