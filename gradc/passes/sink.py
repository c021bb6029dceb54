"""Do inside the branches of a condition what meets behind them.

    where(c, a, b)*x + where(c, d, e)    -->    where(c, a*x + d, b*x + e)

What a rule or a series computes in branches has a derivative in branches, which is added
up behind them. Within a branch its terms can cancel and have factors in common, and what
arises in one branch only is added to nothing in the other. Each path has the same work
as before, or less. Only derivatives are rewritten, in which a 0 stands for a term that
does not arise.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from gradc.ir import Builder, Program, arguments, interned, within
from gradc.passes.decide import decide

ARITHMETIC = frozenset({"add", "sub", "mul", "div"})
MOST = 10_000  # nodes above which a program is left as it is
FEW = 16  # operations between a conditional and what it meets
NOTHING = -1  # the side of a conditional on which no term arises

Step = tuple[str, int, bool]  # an operation, its other argument, and whether that leads


class _Way(NamedTuple):
    """A conditional, the new positions of its sides, and what is done behind it."""

    condition: int
    yes: int
    no: int
    steps: tuple[Step, ...] = ()


def sink(program: Program) -> Program:
    """Return a program in which no two conditionals of one condition meet."""
    nodes, last = program.nodes, program.last
    if "where" not in program.operations or len(nodes) > MOST:
        return program
    derived = [i for i in range(last + 1, len(nodes)) if nodes[i][0] == "where"]
    conditions = Counter(nodes[i][1] for i in derived)
    if not conditions or max(conditions.values()) < 2:
        return program
    return _Sinker(program).run()


class _Sinker:
    """Follows conditionals through arithmetic to where they meet.

    `ways` are those of the nodes that one node reads, by their old positions.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.builder = Builder(program.ops)
        self.ways: dict[int, _Way] = {}
        self.new: list[int] = []
        self.readers = Counter(program.outputs)
        for node in program.nodes:
            self.readers.update(arguments(node))

    def run(self) -> Program:
        program, builder = self.program, self.builder
        sunk = False
        for i, node in enumerate(program.nodes):
            way = self._way(i) if i > program.last else None
            met = way is not None and not way.steps and node[0] != "where"
            if way is not None and met:
                builder.span = program.spans[i]
                self.new.append(builder.add("where", way.condition, way.yes, way.no))
                if i in program.hints:
                    builder.hints.setdefault(self.new[i], program.hints[i])
                sunk = True
            else:
                self.new.append(builder.copy(program, i, self.new))
            if way is not None and self.readers[i] == 1 and len(way.steps) < FEW:
                self.ways[i] = way
        if not sunk:
            return program
        outputs = [self.new[i] for i in program.outputs]
        return interned(decide(builder.follow(program, outputs))[0])

    def _way(self, i: int) -> _Way | None:
        """How a node depends on a conditional; without steps where two have met."""
        op, *args = self.program.nodes[i]
        if op == "where":
            condition, yes, no = (self.new[a] for a in args)
            return _Way(condition, self._side(yes), self._side(no))
        if op == "neg" and args[0] in self.ways:
            return self._further(self.ways[args[0]], (op, NOTHING, False))
        if op not in ARITHMETIC or self.ways.keys().isdisjoint(args):
            return None
        x, y = args
        left, right = self.ways.get(x), self.ways.get(y)
        if left and right and x != y and left.condition == right.condition:
            self.builder.span = within(self.program.spans[i])
            yes = self._joined(op, self._end(left, True), self._end(right, True))
            no = self._joined(op, self._end(left, False), self._end(right, False))
            return _Way(left.condition, self._there(yes), self._there(no))
        if left:
            return self._further(left, (op, self.new[y], False))
        assert right
        return self._further(right, (op, self.new[x], True))

    def _further(self, way: _Way, step: Step) -> _Way:
        return way._replace(steps=(*way.steps, step))

    def _side(self, side: int) -> int:
        return NOTHING if self.builder.value_of(side) == 0.0 else side

    def _there(self, side: int) -> int:
        """A side as a node."""
        return self.builder.const(0.0) if side == NOTHING else side

    def _end(self, way: _Way, branch: bool) -> int:
        """What a way comes to in one branch."""
        found = way.yes if branch else way.no
        for op, other, leads in way.steps:
            found = self._joined(op, *((other, found) if leads else (found, other)))
        return found

    def _joined(self, op: str, x: int, y: int) -> int:
        """An operation of which a side may be nothing."""
        add = self.builder.add
        if op == "neg":
            return NOTHING if x == NOTHING else add(op, x)
        if op in ("add", "sub"):
            if y == NOTHING:
                return x
            if x == NOTHING:
                return y if op == "add" else add("neg", y)
        elif x == NOTHING or (y == NOTHING and op == "mul"):
            return NOTHING
        return add(op, x, self._there(y))
