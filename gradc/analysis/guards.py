"""Guards: under which conditions each node of a program is needed.

A context is a path of decisions, "this condition, that branch", from the root 0, which
stands for always. A guard is a set of contexts, read as their disjunction; most guards
are a single context. `place` walks a program backwards once and gives every node the
guard under which some output needs it, so that a node is computed on no other path.

A context has two parents. The enclosing one is where its block stands in the text; the
implied one is the tightest context that its decision is known to lie inside: the branch
`yes` of `a and b` is inside `a` and inside `b`. Common ancestors follow implied parents.
A context that is only concluded, as that of x < 5 is from x < 0, guards nothing: nobody
computes its condition there, until the program itself asks for it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from gradc.analysis.implied import Implied, Literal
from gradc.ir import COMPARISONS, LAZY, Node, Program, live

ALWAYS = 0
NEVER = -1
FEW = 8  # contexts of which every two may be compared
WAYS = 6  # contexts of a guard that may be taken one by one


class Guards:
    """The contexts and guards of one program, interned: equal ones are one number.

    Attributes:
        lazy: the lazy nodes that are needed, in their order.
        conclusive: whether something has been concluded from a simple decision.
    """

    def __init__(self, program: Program, plain: bool = False) -> None:
        """Prepare; `plain` guards know nothing about what decisions imply."""
        self.lazy: list[int] = []
        self._nodes = program.nodes
        self.enclosing: list[int] = [ALWAYS]
        self.implied: list[int] = [ALWAYS]
        self.literal: list[Literal] = [(-1, True)]
        self.members: list[tuple[int, ...]] = [(ALWAYS,)]
        self._level: list[int] = [0]
        self._depth: list[int] = [0]  # the same by implied parents
        self._jump: list[int] = [ALWAYS]  # a far ancestor, for logarithmic ascent
        self._children: dict[tuple[int, int, bool], int] = {}  # of contexts, concluded
        self._asked: dict[tuple[int, int, bool], int] = {}  # of guards, decided there
        self._made: dict[int, int] = {}  # what stands in the text for one concluded
        self._unions: dict[tuple[int, ...], int] = {}
        self._joins: dict[frozenset[int], int] = {}
        self._deciding: dict[int, dict[int, None]] = {}
        self._ways: dict[int, tuple[int, ...]] = {}
        self._implied: Implied | None = None
        self._plain = plain
        self.conclusive = False

    # ---- contexts

    def child(self, guard: int, condition: int, branch: bool) -> int:
        """The part of a guard in which a condition goes the way of `branch`."""
        key = (guard, condition, branch)
        found = self._asked.get(key)
        if found is None:
            parts = [self._part(m, condition, branch) for m in self.members[guard]]
            found = self._asked[key] = self.join(p for p in parts if p != NEVER)
        return found

    def _part(self, context: int, condition: int, branch: bool) -> int:
        """The part of a context in which a condition computed there goes one way.

        If that has been concluded so far from other decisions only, it may stand where
        its conditions are not computed. Then the decision is made here instead.
        """
        found = self._context(context, condition, branch)
        if found in (NEVER, context):
            return found
        made = self._made.get(found)
        if made is None:
            made = found
            if self.enclosing[found] != context:
                literal = self.literal[found]
                made = self._new(context, found, literal)
                self._deciding.setdefault(literal[0], {})[made] = None
            self._made[found] = self._made[made] = made
        return made

    def _context(self, context: int, condition: int, branch: bool) -> int:
        """The context in which a condition has gone one way, NEVER if it cannot."""
        key = (context, condition, branch)
        todo: list[tuple[Literal, int]] = [((condition, branch), NEVER)]
        while todo and context != NEVER:
            literal, start = todo.pop()
            if start != NEVER:
                context = self._conclude(start, context, literal)
                continue
            found = self._children.get((context, literal[0], literal[1]))
            parts = self._split(*literal)
            if found is not None:
                context = found
            elif (known := self._decided(context, literal[0])) != NEVER:
                holds = self.literal[known][1] == literal[1]
                found = context if holds else NEVER
                context = self._children[context, literal[0], literal[1]] = found
            elif parts == [literal]:
                context = self._decide(context, literal, context)
            else:
                todo.append((literal, context))
                todo.extend((part, NEVER) for part in reversed(parts))
        return self._children.setdefault(key, context)

    def _conclude(self, start: int, context: int, literal: Literal) -> int:
        """The context of a decision made in `start`, all of its parts being taken."""
        op = self._nodes[literal[0]][0]
        if op != "not" and op != ("and" if literal[1] else "or"):
            context = self._decide(context, literal, start)
        elif op != "not" and context != start:
            context = self._new(start, context, literal)
            self._deciding.setdefault(literal[0], {})[context] = None
        self._children[start, literal[0], literal[1]] = context
        return context

    def _split(self, condition: int, branch: bool) -> list[Literal]:
        """The decisions that a decision amounts to; itself if it is a simple one."""
        node = self._nodes[condition]
        if node[0] == "not":
            return [(node[1], not branch)]
        if node[0] == ("and" if branch else "or"):
            return [(node[1], branch), (node[2], branch)]
        if self._implied is None:
            self._implied = Implied(() if self._plain else self._nodes)
        implied = self._implied.by((condition, branch))
        self.conclusive |= bool(implied)
        return implied or [(condition, branch)]

    def _decide(self, context: int, literal: Literal, outside: int) -> int:
        """The context inside `context` after one simple decision made outside of it."""
        key = (context, *literal)
        found = self._children.get(key)
        if found is None:
            condition, branch = literal
            known = self._decided(context, condition)
            if known != NEVER:
                found = context if self.literal[known][1] == branch else NEVER
            else:
                found = self._new(outside, context, literal)
                self._deciding.setdefault(condition, {})[found] = None
            self._children[key] = found
        return found

    def _decided(self, context: int, condition: int) -> int:
        """What decides a condition around a context, NEVER if nothing does."""
        deciding = self._deciding.get(condition, {})
        if self._depth[context] < len(deciding):
            while context != ALWAYS and context not in deciding:
                context = self.implied[context]
            return context if context in deciding else NEVER
        return next((c for c in deciding if self.inside(context, c)), NEVER)

    def _new(self, enclosing: int, implied: int, literal: Literal) -> int:
        context = self._grow((len(self.members),), enclosing, implied, literal)
        far, near = self._jump[self._jump[implied]], self._jump[implied]
        depth = self._depth
        even = depth[implied] - depth[near] == depth[near] - depth[far]
        depth[context] = depth[implied] + 1
        self._jump[context] = far if even else implied
        return context

    def _grow(
        self, members: tuple[int, ...], enclosing: int, implied: int, literal: Literal
    ) -> int:
        self.enclosing.append(enclosing)
        self.implied.append(implied)
        self.literal.append(literal)
        self.members.append(members)
        self._level.append(self._level[enclosing] + 1)
        self._depth.append(0)
        self._jump.append(ALWAYS)
        return len(self.members) - 1

    def level(self, context: int) -> int:
        """How many blocks stand around what runs in a context."""
        return self._level[context]

    def opposite(self, context: int) -> int:
        """The other branch of a context's decision, NEVER if nothing asked for it."""
        condition, branch = self.literal[context]
        key = (self.enclosing[context], condition, not branch)
        found = self._children.get(key, NEVER)
        return self._made.get(found, found)

    def inside(self, context: int, other: int) -> bool:
        """Whether `other` is the context or one that the context implies."""
        depth = self._depth
        while depth[context] > depth[other]:
            far = self._jump[context]
            context = far if depth[far] >= depth[other] else self.implied[context]
        return context == other

    def covers(self, guard: int, inner: int) -> bool:
        """Whether a guard is known to hold wherever an inner one does."""
        return all(
            any(self.inside(m, o) or self.facts(o) <= self.facts(m) for o in around)
            for around in [self.members[guard]]
            for m in self.members[inner]
        )

    def ways(self, guard: int) -> tuple[int, ...]:
        """The contexts of a guard if they are few and no two of them hold together."""
        found = self._ways.get(guard)
        if found is None:
            found = self.members[guard]
            facts = [self.facts(m) for m in found[:WAYS]]
            pairs = ((a, b) for k, a in enumerate(facts) for b in facts[:k])
            apart = all(any((c, not way) in a for c, way in b) for a, b in pairs)
            if not apart or len(found) > WAYS:
                found = (guard,)
            self._ways[guard] = found
        return found

    def common(self, guards: Iterable[int]) -> int:
        """The innermost context whose block stands around all of some guards."""
        contexts = {m for g in guards for m in self.members[g]}
        heap = [(-self._level[c], c) for c in contexts]
        heapq.heapify(heap)
        while len(contexts) > 1:
            context = heapq.heappop(heap)[1]
            contexts.discard(context)
            around = self.enclosing[context]
            if around not in contexts:
                contexts.add(around)
                heapq.heappush(heap, (-self._level[around], around))
        return contexts.pop()

    # ---- guards

    def join(self, guards: Iterable[int]) -> int:
        """The disjunction of guards; NEVER for none."""
        distinct = frozenset(guards) - {NEVER}
        if len(distinct) < 2:
            return next(iter(distinct), NEVER)
        if ALWAYS in distinct:
            return ALWAYS
        found = self._joins.get(distinct)
        if found is None:
            found = self._joins[distinct] = self._union(distinct)
        return found

    def _union(self, guards: Iterable[int]) -> int:
        contexts = {m for g in guards for m in self.members[g]}
        members = self._absorb(self._complete(contexts))
        if len(members) == 1:
            return members[0]
        found = self._unions.get(members)
        if found is None:
            found = self._grow(members, ALWAYS, ALWAYS, (-1, True))
            self._unions[members] = found
        return found

    def _complete(self, contexts: set[int]) -> set[int]:
        """Replace both branches of one condition by what is around them."""
        heap = [(-self._depth[c], c) for c in contexts]
        heapq.heapify(heap)
        while heap:
            _, context = heapq.heappop(heap)
            around, other = self.enclosing[context], self.opposite(context)
            if context in contexts and other in contexts and context != other:
                contexts -= {context, other}
                contexts.add(around)
                heapq.heappush(heap, (-self._depth[around], around))
        return contexts

    def _absorb(self, contexts: set[int]) -> tuple[int, ...]:
        """Drop every context that lies inside another of the set, and sort."""
        if len(contexts) > FEW:
            covered: dict[int, bool] = {ALWAYS: ALWAYS in contexts}
            kept = [c for c in contexts if not self._is_covered(c, contexts, covered)]
        else:
            pairs = [(c, d) for c in contexts for d in contexts if c != d]
            inner = {c for c, d in pairs if self.inside(c, d)}
            kept = [c for c in contexts if c not in inner]
        if 1 < len(kept) <= FEW:
            paths = {c: self.facts(c) for c in kept}
            kept = [
                c
                for c in kept
                if not any(paths[d] < paths[c] for d in kept)
                and not any(paths[d] == paths[c] and d < c for d in kept)
            ]
        return tuple(sorted(kept))

    def _is_covered(
        self, context: int, contexts: set[int], covered: dict[int, bool]
    ) -> bool:
        if context == ALWAYS:
            return False
        trail = []
        above = self.implied[context]
        while above not in covered and above not in contexts:
            trail.append(above)
            above = self.implied[above]
        result = above in contexts or covered[above]
        covered.update(dict.fromkeys(trail, result))
        return result

    def facts(self, context: int) -> frozenset[Literal]:
        """The decisions on the way to a context, of at most 64 levels."""
        found: list[Literal] = []
        while context != ALWAYS and len(found) < 64:
            found.append(self.literal[context])
            context = self.implied[context]
        return frozenset(found)

    def way(self, context: int, start: int) -> list[Literal]:
        """The decisions that lead from the context `start` into one inside it."""
        found: list[Literal] = []
        while context != start:
            found.append(self.literal[context])
            context = self.enclosing[context]
        return found[::-1]


def place(
    program: Program, guards: Guards, outputs: Sequence[int] | None = None
) -> list[int]:
    """The guard of each node, NEVER for one that no output needs.

    `outputs` may be a selection of the program's own.
    """
    nodes = program.nodes
    if LAZY.isdisjoint(program.operations):
        alive = program.alive if outputs is None else live(nodes, outputs)
        return [ALWAYS if on else NEVER for on in alive]
    outputs = program.outputs if outputs is None else outputs
    placed = [NEVER] * len(nodes)
    several: dict[int, list[int]] = {}  # the guards of a node that is wanted under more
    for i in outputs:
        placed[i] = ALWAYS
    i = len(nodes)
    for node in reversed(nodes):
        i -= 1
        guard = placed[i]
        if guard == NEVER:
            continue
        if guard == ALWAYS:
            if len(node) == 3 and node[0] not in LAZY:  # most are
                _, a, b = node
                placed[a] = placed[b] = ALWAYS
                continue
        elif i in several:
            guard = placed[i] = guards.join(several.pop(i))
            if len(guards.members[guard]) > FEW and _is_plain(i, nodes):
                guard = placed[i] = guards.common([guard])
        op = node[0]
        if op in LAZY:
            guards.lazy.append(i)
            for a, inner in _needs(node, guard, guards):
                known = placed[a]
                if known == NEVER:
                    placed[a] = inner
                elif known != inner != NEVER:
                    several.setdefault(a, [known]).append(inner)
        elif len(node) == 3:  # most are: this one in half of the time
            _, a, b = node
            if placed[a] == NEVER:
                placed[a] = guard
            elif placed[a] != guard:
                several.setdefault(a, [placed[a]]).append(guard)
            if placed[b] == NEVER:
                placed[b] = guard
            elif placed[b] != guard:
                several.setdefault(b, [placed[b]]).append(guard)
        elif op != "const" and op != "input":
            for a in node[1:]:
                known = placed[a]
                if known != guard:
                    if known == NEVER:
                        placed[a] = guard
                    else:
                        several.setdefault(a, [known]).append(guard)
    guards.lazy.reverse()
    return placed


def _is_plain(i: int, nodes: Sequence[Node]) -> bool:
    """Whether a node compares inputs and constants, which costs less than guards."""
    op, *args = nodes[i]
    return op in COMPARISONS and all(nodes[a][0] in ("const", "input") for a in args)


def _needs(node: Node, guard: int, guards: Guards) -> list[tuple[int, int]]:
    """The arguments a lazy node needs, each with the guard under which it needs it."""
    op, c, x, *rest = node
    yes, no = guards.child(guard, c, True), guards.child(guard, c, False)
    if op == "where":
        return [(c, guard), (x, yes), (rest[0], no)]
    return [(c, guard), (x, yes if op == "and" else no)]
