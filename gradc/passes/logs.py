"""Add the logarithms of a value up in one: log(x) + log(y) is log(x*y).

    0.5*(log(x) + log(y)), x in [2, 3], y in [1.5, 2]    -->    0.5*log(x*y)

The domains keep all of what is multiplied above 1, or all below, and away from it: so
the logarithm of the product loses no digits that the sum has. What is negative outside
of the domains still raises: but for one factor all are positive everywhere, or the value
has a square root of them. The pass is the last one, so that it still has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gradc.analysis.forms import PRODUCTS, SUMS, Forms
from gradc.analysis.guards import ALWAYS, Guards, place
from gradc.analysis.intervals import Intervals
from gradc.ir import Builder, Program, arguments, compact
from gradc.passes.stabilise import roots

MOST = 2_000  # nodes above which a program is left as it is
FEWEST = 2  # logarithms that are added up
AWAY = 1.5  # what is multiplied is above this, or below its inverse
LARGEST = 1e300  # what the product is below


def logs(program: Program) -> Program:
    """Return a program whose values have fewer logarithms."""
    if len(program.nodes) > MOST or "log" not in program.operations:
        return program
    if sum(node[0] == "log" for node in program.nodes) < FEWEST:
        return program
    if all(item.low is None or item.high is None for item in program.inputs):
        return program
    groups = [*_Groups(program).found()]
    if not groups:
        return program
    last = {group[-1]: group for group in groups}
    gone = {
        i for group in groups for i in group[:-1]
    }  # and what is made of these alone
    builder = Builder(program.ops)
    new: list[int] = []
    for i, node in enumerate(program.nodes):
        op, *args = node
        left = [a for a in arguments(node) if a not in gone]
        if i in gone or (op in PRODUCTS and len(left) < len(args)):
            gone.add(i)
            new.append(builder.const(0.0))
        elif i in last:
            first, *more = (new[program.nodes[k][1]] for k in last[i])
            for x in more:
                first = builder.add("mul", first, x)
            builder.span = program.spans[i]
            new.append(builder.add("log", first))
        elif op in SUMS and len(left) < len(args):
            gone.update([i] if not left else [])
            is_opposite = op == "sub" and left == args[1:]
            other = new[left[0]] if left else builder.const(0.0)
            new.append(builder.add("neg", other) if is_opposite else other)
        else:
            new.append(builder.copy(program, i, new))
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


class _Groups:
    """Finds logarithms that have one factor in a sum, and nothing else reads."""

    def __init__(self, program: Program) -> None:
        self.program = program
        _, self.single = roots(program)
        anywhere = [replace(item, low=None, high=None) for item in program.inputs]
        builder = Builder.upon(program)
        self.forms = Forms(builder, self.single, shared=0)
        self.intervals = Intervals(builder, program.inputs)
        self.anywhere = Intervals(builder, anywhere)

    def found(self) -> Iterator[Sequence[int]]:
        """Groups of logarithms that may be added up, each in order."""
        program = self.program
        for output in dict.fromkeys(program.outputs[: program.count]):
            groups: dict[tuple[float, bool], list[int]] = defaultdict(list)
            for powers, c in self.forms.of(output).items():
                if len(powers) == 1 and powers[0][1] == 1:
                    i = powers[0][0]
                    if program.nodes[i][0] == "log" and self.single[i]:
                        low, high = self.intervals.of(program.nodes[i][1])
                        if low >= AWAY or 0.0 < high <= 1.0 / AWAY:
                            groups[c, low >= AWAY].append(i)
            for group in groups.values():
                if len(group) >= FEWEST and self._is_safe(group):
                    yield sorted(group)

    def _is_safe(self, group: Sequence[int]) -> bool:
        """Whether a product stays in the range of floats, and raises as its factors."""
        least, most, unsure = 1.0, 1.0, 0
        rooted = self._rooted()
        for i in group:
            x = self.program.nodes[i][1]
            low, high = self.intervals.of(x)
            least, most = least * max(low, 0.0), most * high
            unsure += x not in rooted and not self.anywhere.of(x)[0] >= 0.0
        return most < LARGEST and least > 1.0 / LARGEST and unsure <= 1

    def _rooted(self) -> set[int]:
        """What a value has a square root of on every path."""
        program = self.program
        values = program.outputs[: program.count]
        placed = place(program, Guards(program), values)
        return {
            node[1]
            for i, node in enumerate(program.nodes)
            if node[0] == "sqrt" and placed[i] == ALWAYS
        }
