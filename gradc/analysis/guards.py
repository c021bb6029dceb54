"""Guards: under which conditions each node of a program is needed.

A context is a path of decisions, "this condition, that branch", from the root 0, which
stands for always. A guard is a set of contexts, read as their disjunction; most guards
are a single context. `place` walks a program backwards once and gives every node the
guard under which some output needs it, so that a node is computed on no other path.

A decision on `a and b` that it holds is one on a and one on b as well; what follows from
the decisions on the way to a context is not asked there again.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from itertools import combinations, starmap
from typing import Any

from gradc.errors import mistake
from gradc.ir import LAZY, Node, Program, arguments
from gradc.ops import REDUCTIONS

ALWAYS = 0
NEVER = -1
FEW = 8  # contexts of a guard, the widest, with which all of it are compared
WIDE = 16  # parts of a condition that are looked at
FAR = 100  # decisions in which one on a condition is looked for
MANY = 100_000  # ways to nodes that are wanted under several conditions: some seconds

Literal = tuple[int, bool]  # a condition (its node) and the branch taken


class Guards:
    """The contexts and guards of one program, interned: equal ones are one number.

    Attributes:
        enclosing: the context around each guard, in whose block it is decided.
        literal: the decision that leads from there into each context.
        members: the contexts of each guard, itself for a context.
        depth: how many decisions lead to each guard.
    """

    def __init__(self, program: Program) -> None:
        self._nodes, self._rows = program.nodes, program.rows
        self.enclosing: list[int] = [ALWAYS]
        self.literal: list[Literal] = [(-1, True)]
        self.members: list[tuple[int, ...]] = [(ALWAYS,)]
        self.depth: list[int] = [0]
        self._children: dict[tuple[int, int, bool], int] = {}
        self._deciding: dict[int, dict[int, bool]] = {}  # contexts, by condition
        self._unions: dict[tuple[int, ...], int] = {}

    def child(self, guard: int, condition: int, branch: bool) -> int:
        """The part of a guard in which a condition goes the way of `branch`."""
        key = (guard, condition, branch)
        if key not in self._children:
            parts = [self._part(m, condition, branch) for m in self.members[guard]]
            self._children[key] = self.join(parts)
        return self._children[key]

    def _part(self, context: int, condition: int, branch: bool) -> int:
        """The context in which a condition has gone one way, NEVER if it cannot."""
        condition, branch = self._plain(condition, branch)
        known = self.decided(context, condition)
        if known is not None:
            return context if known == branch else NEVER
        key = (context, condition, branch)
        if key in self._children:
            return self._children[key]
        found = self._children[key] = self._grow((len(self.members),), context, key[1:])
        stack = [key[1:]]
        for _ in range(WIDE):  # what the decision amounts to
            if not stack:
                break
            condition, branch = self._plain(*stack.pop())
            op, *args = self._nodes[condition]
            self._deciding.setdefault(condition, {})[found] = branch
            if op == ("and" if branch else "or"):
                stack += [(arg, branch) for arg in args]
        return found

    def _plain(self, condition: int, branch: bool) -> Literal:
        """A literal without `not`."""
        while self._nodes[condition][0] == "not":
            condition, branch = self._nodes[condition][1], not branch
        return condition, branch

    def _grow(self, members: tuple[int, ...], around: int, literal: Literal) -> int:
        self.enclosing.append(around)
        self.literal.append(literal)
        self.members.append(members)
        self.depth.append(self.depth[around] + 1)
        return len(self.members) - 1

    def decided(self, context: int, condition: int) -> bool | None:
        """Whether a condition holds in a context, None if that is not known there."""
        condition, way = self._plain(condition, True)
        deciding = self._deciding.get(condition, {})
        for _ in range(FAR if deciding else 0):
            if context in deciding:
                return deciding[context] is way
            context = self.enclosing[context]
        return None

    def opposite(self, context: int) -> int:
        """The other branch of a context's decision, NEVER if nothing asked for it."""
        condition, branch = self.literal[context]
        key = (self.enclosing[context], condition, not branch)
        return self._children.get(key, NEVER)

    def inside(self, context: int, other: int) -> bool:
        """Whether `other` is the context or one around it."""
        while self.depth[context] > self.depth[other]:
            context = self.enclosing[context]
        return context == other

    def implies(self, other: int, *contexts: int) -> bool:
        """Whether `other` is known to hold wherever all of some contexts do."""
        for _ in range(WIDE):
            if any(self.inside(context, other) for context in contexts):
                return True
            condition, branch = self.literal[other]
            if not any(self.decided(c, condition) is branch for c in contexts):
                return False
            other = self.enclosing[other]
        return False

    def excludes(self, context: int, other: int) -> bool:
        """Whether two contexts are known never to hold together."""
        for one, two in ((context, other), (other, context)):
            for _ in range(WIDE):
                if self.inside(two, one):
                    break
                condition, branch = self.literal[one]
                if self.decided(two, condition) is (not branch):
                    return True
                one = self.enclosing[one]
        return False

    def covers(self, guard: int, inner: int) -> bool:
        """Whether a guard is known to hold wherever an inner one does."""
        if guard in (ALWAYS, inner) or NEVER in (guard, inner):
            return guard != NEVER
        around = self.members[guard]
        return all(any(self.implies(o, m) for o in around) for m in self.members[inner])

    def are_apart(self, guard: int, parts: Iterable[int]) -> bool:
        """Whether no two parts of a guard of several contexts hold together."""
        pairs = combinations([m for part in parts for m in self.members[part]], 2)
        return len(self.members[guard]) > 1 and all(starmap(self.excludes, pairs))

    def common(self, guards: Iterable[int]) -> int:
        """The innermost context around all of some guards."""
        first, *others = {m for g in guards for m in self.members[g]}
        for other in others:
            while first != other:
                if self.depth[first] < self.depth[other]:
                    first, other = other, first
                first = self.enclosing[first]
        return first

    def way(self, context: int, start: int) -> list[Literal]:
        """The decisions that lead from the context `start` into one inside it."""
        found: list[Literal] = []
        while context != start:
            found.append(self.literal[context])
            context = self.enclosing[context]
        return found[::-1]

    def numbers(self, guard: int) -> int:
        """What is around a guard of no condition that is asked in rows of columns."""
        found = []
        for context in self.members[guard]:
            inner = context
            while context != ALWAYS:
                around = self.enclosing[context]
                if self._rows[self.literal[context][0]]:
                    inner = around
                context = around
            found.append(inner)
        return self.join(found)

    def join(self, guards: Iterable[int]) -> int:
        """The disjunction of guards; NEVER for none."""
        distinct = {*guards} - {NEVER}
        if len(distinct) < 2:
            return next(iter(distinct), NEVER)
        contexts = self._complete({m for g in distinct for m in self.members[g]})
        members = tuple(sorted(self._absorb(contexts)))
        if len(members) == 1:
            return members[0]
        if members not in self._unions:
            around = self.common(members)
            self._unions[members] = self._grow(members, around, (-1, True))
        return self._unions[members]

    def _complete(self, contexts: set[int]) -> set[int]:
        """Replace both branches of one condition by what is around them."""
        heap = [(-self.depth[c], c) for c in contexts]
        heapq.heapify(heap)
        while heap:
            _, context = heapq.heappop(heap)
            around, other = self.enclosing[context], self.opposite(context)
            if context in contexts and other in contexts:
                contexts -= {context, other}
                contexts.add(around)
                heapq.heappush(heap, (-self.depth[around], around))
        return contexts

    def _absorb(self, contexts: set[int]) -> set[int]:
        """Drop every context that one of the widest of them covers."""
        if (around := self.common(contexts)) in contexts:
            return {around}
        kept = sorted(contexts)
        wide = heapq.nsmallest(FEW, kept, key=self.depth.__getitem__)
        for context in reversed(kept):
            others = [c for c in wide if c != context and c in contexts]
            if any(self.implies(other, context) for other in others):
                contexts.remove(context)
        return contexts


def place(program: Program, guards: Guards) -> list[int]:
    """The guard of each node, NEVER for one that no output needs."""
    nodes = program.nodes
    if LAZY.isdisjoint(program.operations):
        return [ALWAYS if on else NEVER for on in program.alive]
    placed = [NEVER] * len(nodes)
    several: dict[int, set[int]] = {}  # the guards of a node that is wanted under more
    met = 0  # contexts of these
    for i in program.outputs:
        placed[i] = ALWAYS
    for i in range(len(nodes) - 1, -1, -1):
        if placed[i] == NEVER:
            continue
        if i in several and placed[i] != ALWAYS:
            placed[i] = guards.join(several.pop(i))
            met += len(guards.members[placed[i]])
            if met > MANY:
                told: Any = {"limit": MANY, "noun": "decisions"}
                raise mistake("derivatives_too_large", program.source, (0, 0), **told)
        node = nodes[i]
        if node[0] in REDUCTIONS:  # it goes over rows whose conditions are others
            placed[i] = guards.numbers(placed[i])
        if placed[i] == ALWAYS and node[0] not in LAZY:  # as below, for most are
            for a in arguments(node):
                placed[a] = ALWAYS
            continue
        for a, guard in needs(node, placed[i], guards):
            known = placed[a]
            if known == NEVER or guard == ALWAYS:
                placed[a] = guard
            elif known != guard and guard != NEVER and known != ALWAYS:
                several.setdefault(a, {known}).add(guard)
    return placed


def holds(add: Callable[..., int], ways: Iterable[Sequence[Literal]]) -> int:
    """A condition: that all decisions of one of some ways are as they are there."""
    paths = list[int]()
    for way in ways:
        conditions = [c if branch else add("not", c) for c, branch in way]
        paths.append(reduce(partial(add, "and"), conditions))
    return reduce(partial(add, "or"), paths)


def needs(node: Node, guard: int, guards: Guards) -> list[tuple[int, int]]:
    """The arguments of a node, each with the guard under which it is needed."""
    op, *args = node
    if op == "const" or op == "input":
        return []
    if op not in LAZY:
        return [(a, guard) for a in args]
    yes, no = (guards.child(guard, args[0], branch) for branch in (True, False))
    inner = (yes, no) if op == "where" else (yes if op == "and" else no,)
    return [*zip(args, (guard, *inner))]
