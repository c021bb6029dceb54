"""Read an exponential off another one that is there.

    %1 = expm1 %0                    %1 = expm1 %0
    %2 = exp %0                      %2 = const 1.0
    out %1 %2              -->       %3 = add %2 %1
                                     out %1 %3

A sum or a product is less work than a call, and lets sums cancel around it. `exp(x)` is
`1 + expm1(x)` where x is not below -1, so that no digit is lost; `exp(2*x)` is a square
and `exp(-x)` an inverse where the domains exclude that they overflow. The other one has
to be computed whenever this one is, and with the value if this one is a part of that.
The last bits may differ, so `strict` compilation leaves the pass out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradc.analysis.forms import Forms, Powers
from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.analysis.intervals import Intervals
from gradc.ir import Builder, Node, Program, compact, within

MOST = 10_000  # nodes above which a program is left as it is
LARGE = 700.0  # exp(LARGE) and its inverse are ordinary numbers
LEAST = -1.0  # above this 1 + expm1(x) keeps its digits


def exponentials(program: Program) -> Program:
    """Return a program of the same real function with fewer exponentials."""
    nodes = program.nodes
    if "exp" not in program.operations or len(nodes) > MOST:
        return program
    wanted = [i for i, node in enumerate(nodes) if node[0] == "exp"]
    if len(wanted) < 2 and "expm1" not in program.operations:
        return program
    return _Reader(program, wanted).run()


class _Reader:
    """Finds exponentials that can be read off others.

    `less` are the nodes `expm1(x)` by `x`; `alike` those `exp(c*x)` by the factors `x`,
    with `c`; `above` for a node the conditions, and their outcome, which tell that it
    is not below `LEAST`.
    """

    def __init__(self, program: Program, wanted: Sequence[int]) -> None:
        nodes = program.nodes
        self.program = program
        self.wanted = {*wanted}
        self.guards = Guards(program)
        self.placed = place(program, self.guards)
        self.builder = Builder(program.ops)
        self.intervals = Intervals(Builder.upon(program), program.inputs)
        self.less = {node[1]: i for i, node in enumerate(nodes) if node[0] == "expm1"}
        self.alike: dict[Powers, list[tuple[float, int]]] = {}
        self.size: dict[int, tuple[float, Powers]] = {}
        forms = Forms(Builder.upon(program), ())
        for i in wanted:
            c, powers = self.size[i] = forms.factors(nodes[i][1])
            self.alike.setdefault(powers, []).append((c, i))
        self.above = _above(nodes)

    def run(self) -> Program:
        program, builder = self.program, self.builder
        new: dict[int, int] = {}
        changed = False
        for i, node in enumerate(program.nodes):
            found = self._read(i, new) if i in self.wanted else None
            if found is None:
                new[i] = builder.copy(program, i, new)
                continue
            new[i], changed = found, True
            builder.label(found, program.spans[i])
            if i in program.names:
                builder.name(found, program.names[i])
            if i in program.hints:
                builder.hints.setdefault(found, program.hints[i])
        if not changed:
            return program
        return compact(builder.follow(program, [new[i] for i in program.outputs]))

    def _read(self, i: int, new: Mapping[int, int]) -> int | None:
        """The exponential `i`, read off another one; None if there is none."""
        builder = self.builder
        builder.span = within(self.program.spans[i])
        x = self.program.nodes[i][1]
        less = self.less.get(x)
        if less is not None and self._is_there(less, i) and self._is_large(i, x):
            one = builder.const(1.0)
            return builder.add("add", one, builder.add("expm1", new[x]))
        c, powers = self.size[i]
        low, high = self.intervals.of(x)
        if not -LARGE < low <= high < LARGE:
            return None
        for d, j in self.alike[powers]:
            if self.program.nodes[j][1] in new and self._is_there(j, i):
                if c == 2.0 * d:
                    root = new[j] if j < i else self._written(j, new)
                    return builder.add("mul", root, root)
                if c == -d and j < i:
                    return builder.add("div", builder.const(1.0), new[j])
        return None

    def _written(self, j: int, new: Mapping[int, int]) -> int:
        """An exponential that stands later in the program."""
        return self.builder.add("exp", new[self.program.nodes[j][1]])

    def _is_there(self, j: int, i: int) -> bool:
        """Whether one node is computed whenever another one is."""
        wide, narrow = self.placed[j], self.placed[i]
        if i == j or (i <= self.program.last < j):
            return False
        if wide in (ALWAYS, narrow) or NEVER in (wide, narrow):
            return wide != NEVER
        inside, members = self.guards.inside, self.guards.members
        return all(any(inside(m, n) for n in members[wide]) for m in members[narrow])

    def _is_large(self, i: int, x: int) -> bool:
        """Whether the argument of an exponential is known not to be below `LEAST`."""
        if self.intervals.of(x)[0] >= LEAST:
            return True
        guard = self.placed[i]
        return any(
            self.guards.child(guard, condition, not holds) == NEVER
            for condition, holds in self.above.get(x, ())
        )


def _above(nodes: Sequence[Node]) -> dict[int, list[tuple[int, bool]]]:
    """The conditions that tell of a node that it is not below `LEAST`, with how."""
    found: dict[int, list[tuple[int, bool]]] = {}
    for i, (op, *args) in enumerate(nodes):
        if op not in ("lt", "le", "gt", "ge"):
            continue
        x, y = args if op in ("lt", "le") else reversed(args)
        if nodes[x][0] == "const" and nodes[x][1] >= LEAST:
            found.setdefault(y, []).append((i, True))
        elif nodes[y][0] == "const":
            if nodes[y][1] >= LEAST:
                found.setdefault(x, []).append((i, False))
            if nodes[x][0] == "abs" and nodes[y][1] <= -LEAST:
                found.setdefault(nodes[x][1], []).append((i, True))
    return found
