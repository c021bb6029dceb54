"""Leave out of derivatives the sides of a kink that a factor smooths.

    where(x > 0, 2*max(x, 0), where(x < 0, 0, max(x, 0)))    -->    2*max(x, 0)

The square of a hinge has no kink: where its derivative is 0 by the condition it is by
the factor, too. What else is in that product is a number, or by the domains one of
moderate size, so that 0 times it is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from gradc.analysis.intervals import Intervals
from gradc.ir import Builder, Node, Program, compact

MOST = 10_000  # nodes above which a program is left as it is
LARGEST = 1e100  # what a moderate number is below

# Hinges, by the sign of what they return.
HINGES: Mapping[str, int] = {"max": 1, "min": -1, "relu": 1}

# What has a value wherever its interval is bounded.
_TOTAL = frozenset(
    "const input add sub mul div neg abs max min relu exp sin cos tanh sigmoid".split()
)
# The signs of the first of two numbers, less the second, for which a comparison holds.
_HOLDS: Mapping[str, Sequence[int]] = {
    "gt": (1,),
    "ge": (0, 1),
    "lt": (-1,),
    "le": (-1, 0),
}

Hinge = tuple[int, int]  # a node, and the sign of it for which something is not 0


def smooth(program: Program) -> Program:
    """Return a program whose derivatives do not ask what a factor of theirs tells."""
    operations = program.operations
    if "where" not in operations or operations.isdisjoint(HINGES):
        return program
    if len(program.nodes) > MOST:
        return program
    taken = dict(_Smoother(program).taken())
    if not taken:
        return program
    builder = Builder(program.ops)
    new: list[int] = []
    for i in range(len(program.nodes)):
        known = taken.get(i)
        new.append(builder.copy(program, i, new) if known is None else new[known])
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


class _Smoother:
    """Finds the conditionals of derivatives that are one of their sides."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.nodes = program.nodes
        zeros = (i for i, node in enumerate(program.nodes) if node == ("const", 0.0))
        self.zero = next(zeros, -1)
        self.asked: dict[int, tuple[int, Sequence[int]]] = {}
        for i, node in enumerate(program.nodes):
            if node[0] in _HOLDS and self.zero in node[1:]:
                self.asked[i] = self._asked(node)

    def _asked(self, node: Node) -> tuple[int, Sequence[int]]:
        """What a comparison with 0 compares, and the signs for which it holds."""
        op, x, y = node
        if y == self.zero:
            return x, _HOLDS[op]
        return y, [-sign for sign in _HOLDS[op]]

    def taken(self) -> Iterator[tuple[int, int]]:
        """Conditionals, and the side that each is everywhere."""
        for i in range(self.program.last + 1, len(self.nodes)):
            op, *args = self.nodes[i]
            if op == "where" and args[0] in self.asked:
                u, _ = self.asked[args[0]]
                for sign in (1, -1):
                    side = self._side(i, u, sign)
                    others = [self._side(i, u, other) for other in (0, -sign)]
                    if self._vanish((u, sign), [side]) and self._vanish(
                        (u, sign), (a for a in others if a != self.zero)
                    ):
                        yield i, side
                        break

    def _side(self, i: int, u: int, sign: int) -> int:
        """What a conditional is for a sign of `u`, as far as it asks for that."""
        while self.nodes[i][0] == "where":
            _, condition, yes, no = self.nodes[i]
            asked, signs = self.asked.get(condition, (-1, ()))
            if asked != u:
                break
            i = yes if sign in signs else no
        return i

    def _vanish(self, hinge: Hinge, nodes: Iterable[int]) -> bool:
        """Whether nodes are 0 where a hinge is."""
        return all(hinge in self.vanishing[i] for i in nodes)

    @cached_property
    def vanishing(self) -> Sequence[frozenset[Hinge]]:
        """The hinges with which each node is 0."""
        found: list[frozenset[Hinge]] = []
        none: frozenset[Hinge] = frozenset()
        for node in self.nodes:
            op, *args = node
            if op in HINGES:
                others = [a for a in args if a != self.zero]
                is_hinge = len(others) == 1 and (op == "relu" or len(args) == 2)
                found.append(frozenset({(others[0], HINGES[op])} if is_hinge else ()))
            elif op == "mul":
                x, y = args
                both = found[x] & found[y]
                left = found[x] if self.moderate[y] else none
                right = found[y] if self.moderate[x] else none
                found.append(both | left | right)
            elif op == "neg":
                found.append(found[args[0]])
            elif op == "div":
                found.append(found[args[0]] if self._divides(args[1]) else none)
            elif op == "pow":
                is_root = (
                    self.nodes[args[1]][0] == "const" and self.nodes[args[1]][1] > 0
                )
                found.append(found[args[0]] if is_root else none)
            else:
                found.append(none)
        return found

    def _divides(self, i: int) -> bool:
        low, high = self.intervals.of(i)
        return self.moderate[i] and (low > 0.0 or high < 0.0)

    @cached_property
    def moderate(self) -> Sequence[bool]:
        """Which nodes the domains keep finite and small."""
        found: list[bool] = []
        for i, (op, *args) in enumerate(self.nodes):
            is_total = op in _TOTAL and (
                op in ("const", "input") or all(found[a] for a in args)
            )
            sizes = self.intervals.of(i) if is_total else ()
            found.append(is_total and max(map(abs, sizes)) < LARGEST)
        return found

    @cached_property
    def intervals(self) -> Intervals:
        """The intervals of the nodes."""
        return Intervals(Builder.upon(self.program), self.program.inputs)
