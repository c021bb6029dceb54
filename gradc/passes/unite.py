"""Do in the branches of a condition what stands between and behind its blocks.

    if c:                            if c:
        a = f(x)                         a = f(x)
    else:                                return h(2.0 * a)
        a = g(x)                     return 2.0 * g(x)
    b = 2.0 * a             -->
    if c:
        return h(b)
    return b

Each path does the same as before, less a test, and reads as one run of statements. What
stood outside the branches is written once for each of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set

from gradc.analysis.guards import ALWAYS, NEVER, Guards
from gradc.ir import Program, arguments, live
from gradc.passes.copies import LEAVES, Copier, Entangled
from gradc.passes.divide import CHEAP

FEW = 3  # contexts in which one condition is looked at


class Uniter:
    """Finds what can be done in the branches of conditions.

    Arguments:
        program: whose output is the end of a function.
        guards: its guards.
        placed: the guard of each node.
    """

    def __init__(self, program: Program, guards: Guards, placed: Sequence[int]) -> None:
        self.program = program
        self.guards = guards
        self.placed = placed
        self.readers: list[list[int]] = [[] for _ in program.nodes]
        for i, guard in enumerate(placed):
            if guard != NEVER:
                for a in arguments(program.nodes[i]):
                    self.readers[a].append(i)
        self.around: defaultdict[int, dict[int, None]] = defaultdict(dict)
        for context, (condition, _) in enumerate(guards.literal):
            if len(guards.members[context]) == 1:
                self.around[condition].setdefault(guards.enclosing[context])

    def united(self, condition: int, most: int) -> Iterator[tuple[Program, int]]:
        """Forms of the program with more in the branches of a condition.

        Either all that stands behind its blocks goes there, or what stands between them,
        or what reads nothing else that has been computed.

        Arguments:
            most: how many nodes may be added.

        Returns:
            The programs, and how many nodes have been added to each.
        """
        guards = self.guards
        outside = sorted(self.around[condition], key=lambda c: (guards.level(c), c))
        for context in outside[:FEW]:
            if not guards.covers(self.placed[condition], context):
                continue
            whole = self._behind(condition, context)
            forms = [whole, self._between(condition, whole)]
            forms.append(self._close(condition, whole))
            for k, region in enumerate(forms):
                if region and region not in forms[:k]:
                    region = region | set(self._alone(condition, context, region))
                    grown = sum(not self._asks(i, condition) for i in region)
                    found = self._written(condition, region) if grown <= most else None
                    if found is not None:
                        yield found, grown

    def _written(self, condition: int, region: Set[int]) -> Program | None:
        """The program with a region in the branches, None if some reader forbids it."""
        sides = {i: self._branches(i, condition) for i in region}
        copier = Copier(self.program, self.guards, self.placed, sides, condition)
        try:
            return copier.written()
        except Entangled:
            return None

    def _asks(self, i: int, condition: int) -> bool:
        """Whether a node is a conditional of a condition."""
        return bool(self.program.nodes[i][:2] == ("where", condition))

    def _branches(self, i: int, condition: int) -> tuple[int, int]:
        """The guards of a node in the branches of a condition."""
        guard, child = self.placed[i], self.guards.child
        return child(guard, condition, True), child(guard, condition, False)

    def _is_open(self, i: int, condition: int, context: int) -> bool:
        """Whether a node is computed in a context, and a condition not decided there."""
        guards, guard = self.guards, self.placed[i]
        if guard == NEVER:
            return False
        if not all(guards.inside(m, context) for m in guards.members[guard]):
            return False
        return NEVER not in self._branches(i, condition)

    def _is_mixed(self, i: int, condition: int) -> bool:
        """Whether a node is needed in a branch, and where the condition is open."""
        members, child = self.guards.members[self.placed[i]], self.guards.child
        return len(members) > 1 and any(
            NEVER in (child(m, condition, True), child(m, condition, False))
            for m in members
        )

    def _behind(self, condition: int, context: int) -> set[int]:
        """What depends on conditionals of a condition, or is needed beside its blocks."""
        nodes = self.program.nodes
        below = live(nodes[: condition + 1], [condition])
        found: set[int] = set()
        for i, node in enumerate(nodes):
            if self.placed[i] == NEVER or node[0] in LEAVES:
                continue
            if i <= condition and below[i]:
                continue
            if (
                self._asks(i, condition)
                or not found.isdisjoint(arguments(node))
                or self._is_mixed(i, condition)
            ) and self._is_open(i, condition, context):
                found.add(i)
        return found

    def _between(self, condition: int, region: Set[int]) -> set[int]:
        """What of a region a block of the condition needs, directly or not."""
        needed: set[int] = set()
        for i in sorted(region, reverse=True):
            for reader in self.readers[i]:
                if (
                    reader in needed
                    or self._asks(reader, condition)
                    or (
                        reader not in region
                        and NEVER in self._branches(reader, condition)
                    )
                ):
                    needed.add(i)
                    break
        return needed

    def _close(self, condition: int, region: Set[int]) -> set[int]:
        """What of a region reads nothing else that has been computed."""
        nodes = self.program.nodes
        found: set[int] = set()
        for i in sorted(region):
            read = [a for a in arguments(nodes[i]) if nodes[a][0] not in LEAVES]
            simple = nodes[i][0] in CHEAP and found.issuperset(read)
            if simple or self._asks(i, condition):
                found.add(i)
        return found

    def _alone(self, condition: int, context: int, region: Set[int]) -> Iterator[int]:
        """What is computed in other branches for the sake of a region alone."""
        inner = set(region)
        for i in range(len(self.placed) - 1, -1, -1):
            if i in inner or self.placed[i] in (NEVER, ALWAYS, context):
                continue
            if self.program.nodes[i][0] in LEAVES or not self.readers[i]:
                continue
            if inner.issuperset(self.readers[i]):
                if self._is_open(i, condition, context):
                    inner.add(i)
                    yield i
