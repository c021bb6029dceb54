"""Guards whose conditions wait for what they guard, taken apart.

    where(where(x > 0, sin(x), 1) > 0, sin(x), y)

needs `sin(x)` under `x > 0`, and under a condition that reads `sin(x)`. A node like
this is computed in parts, one for each context of its guard; a part is passed by where
an earlier one has run.

Which nodes need it, the strongly connected components of "waits for" tell. The parts
come in the order of their keys: the conditions of the context and the node itself, as
a set, two sets compared by the largest element in which they differ. What a node needs
stands earlier in the program and is there under a subset of the node's own decisions,
and a condition is known under a subset of the decisions behind it. So all that a part
can need has a smaller key, and whatever has a larger one need not be waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush

from gradc.analysis.guards import ALWAYS, NEVER, Guards
from gradc.analysis.implied import Literal
from gradc.errors import mistake
from gradc.ir import LAZY, Program, arguments

MOST = 256  # contexts of a guard that may be taken apart
Key = list[int]


class Parts:
    """The guards that are taken apart, each a list of contexts in their order.

    Arguments:
        program: any program.
        guards: its guards.
        placed: the guard of each node.
        alive: which nodes are computed.

    Raises:
        GradcError: a guard has too many contexts.
    """

    def __init__(
        self,
        program: Program,
        guards: Guards,
        placed: Sequence[int],
        alive: Sequence[bool],
    ) -> None:
        self._program = program
        self._guards = guards
        self._facts: dict[int, frozenset[Literal]] = {ALWAYS: frozenset()}
        self._contexts: dict[int, list[int]] = {}
        if all(len(members) == 1 for members in guards.members):
            return  # what needs a node in one context waits outside of no other
        waits = _Waits(program, guards, placed, alive)
        for i in entangled(waits.all, waits.of):
            for guard in waits.guards_of(i):
                if guard not in self._contexts:
                    self._contexts[guard] = self._divide(guard, i)

    def __bool__(self) -> bool:
        return bool(self._contexts)

    def of(self, guard: int) -> list[int] | None:
        """The contexts of a guard in their order, None if it stays whole."""
        return self._contexts.get(guard)

    def _divide(self, guard: int, i: int) -> list[int]:
        contexts = self._guards.members[guard]
        if len(contexts) > MOST:
            span = self._program.spans[i] or (0, 0)
            raise mistake("conditions_entangled", self._program.source, span)
        found: list[int] = []
        for context in sorted(contexts, key=self.key):
            facts = self._known(context)
            if not any(self._known(other) <= facts for other in found):
                found.append(context)
        return found

    def key(self, context: int, *nodes: int) -> Key:
        """Sorts what runs in a context behind all that it can need."""
        conditions = {condition for condition, _ in self._known(context)}
        return sorted(conditions.union(nodes), reverse=True)

    def meet(self, context: int, other: int) -> bool:
        """Whether two contexts can hold together."""
        facts = self._known(context)
        return not any((c, not branch) in facts for c, branch in self._known(other))

    def _known(self, context: int) -> frozenset[Literal]:
        """All decisions that a context stands for, implied ones included."""
        stack = [context]
        while stack:
            last = stack[-1]
            around = self._guards.enclosing[last], self._guards.implied[last]
            missing = [c for c in around if c not in self._facts]
            if missing:
                stack += missing
                continue
            if last not in self._facts:
                facts = self._facts[around[0]] | self._facts[around[1]]
                self._facts[last] = facts | {self._guards.literal[last]}
            stack.pop()
        return self._facts[context]


def is_tangled(program: Program, guards: Guards, placed: Sequence[int]) -> bool:
    """Whether some conditions wait for what they guard."""
    alive = [guard != NEVER for guard in placed]
    waits = _Waits(program, guards, placed, alive)
    return any(True for _ in entangled(waits.all, waits.of))


def is_crowded(guards: Guards) -> bool:
    """Whether a guard has too many contexts to be taken apart, should it have to be."""
    return any(len(contexts) > MOST for contexts in guards.members)


def may_be_crowded(program: Program, outputs: Sequence[int]) -> bool:
    """Whether a guard may have too many contexts, asked before any is made."""
    return crowd(program, outputs) > MOST


def crowd(program: Program, outputs: Sequence[int]) -> int:
    """At most so many contexts a guard has, found without making any.

    A node that is read under several guards has no more contexts than these together.
    Of those that may be too many, the first one found is as good as another.
    """
    nodes = program.nodes
    always = [False] * len(nodes)  # which are computed on every path
    for i in outputs:
        always[i] = True
    counts: dict[int, int] = {}  # of the contexts of those that are not
    i = len(nodes)
    for node in reversed(nodes):
        i -= 1
        if always[i]:
            if len(node) == 3 and node[0] not in LAZY:  # most are
                _, a, b = node
                always[a] = always[b] = True
            elif node[0] in LAZY:
                always[node[1]] = True
                for a in node[2:]:
                    counts[a] = counts.get(a, 0) + 1
            else:
                for a in arguments(node):
                    always[a] = True
    heap = [-a for a in counts if not always[a]]
    heapify(heap)
    most = 1
    while heap:
        i = -heappop(heap)
        most = max(most, counts[i])
        if most > MOST:
            break
        for a in arguments(nodes[i]):
            if not always[a]:
                if a not in counts:
                    heappush(heap, -a)
                counts[a] = counts.get(a, 0) + counts[i]
    return most


class _Waits:
    """What waits for what: nodes by their positions, and behind them the guards."""

    def __init__(
        self,
        program: Program,
        guards: Guards,
        placed: Sequence[int],
        alive: Sequence[bool],
    ) -> None:
        self._nodes = program.nodes
        self._guards = guards
        self._placed = placed
        self._alive = alive
        self.all = [i for i, on in enumerate(alive) if on]

    def guards_of(self, i: int) -> list[int]:
        """The guards under which a node has statements; none for a guard itself."""
        if i >= len(self._nodes):
            return []
        guard, node = self._placed[i], self._nodes[i]
        if node[0] != "where":
            return [guard]
        sides = [self._guards.child(guard, node[1], side) for side in (True, False)]
        return [guard, *sides]

    def of(self, i: int) -> list[int]:
        """What a node or a guard waits for."""
        count = len(self._nodes)
        if i < count:
            reads = [a for a in arguments(self._nodes[i]) if self._alive[a]]
            around = self.guards_of(i)
        else:
            members = self._guards.members[i - count]
            reads, around = [], list(members)
            if len(members) == 1:
                reads = [self._guards.literal[i - count][0]]
                around = [self._guards.enclosing[i - count]]
        return [*reads, *(count + g for g in around if g != ALWAYS)]


def entangled(
    vertices: Iterable[int], successors: Callable[[int], list[int]]
) -> Iterator[int]:
    """The vertices of a graph that lie on a cycle.

    Gabow's algorithm: `path` holds what is not settled, `starts` where the components
    found so far begin on it; an edge back into the path joins all from there on.
    """
    path: list[int] = []
    starts: list[int] = []
    number: dict[int, int] = {}  # places on the path, -1 for what is settled
    rest: dict[int, Iterator[int]] = {}  # edges not followed yet
    for root in vertices:
        stack = [] if root in number else [root]
        while stack:
            i = stack[-1]
            if i not in number:
                number[i] = len(path)
                starts.append(len(path))
                path.append(i)
                rest[i] = iter(successors(i))
            for other in rest[i]:
                if other not in number:
                    stack.append(other)
                    break
                while -1 < number[other] < starts[-1]:
                    starts.pop()
            else:
                stack.pop()
                if starts[-1] == number[i]:
                    component = path[starts[-1] :]
                    del path[starts.pop() :]
                    number.update(dict.fromkeys(component, -1))
                    if len(component) > 1:
                        yield from component
