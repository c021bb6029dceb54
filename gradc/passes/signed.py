"""Take out of a size what its sign is multiplied with, so that both are one number.

    %3 = abs %2                         %3 = abs %1
    %4 = sign %0             -->        %4 = mul %0 %3
    %5 = mul %4 %3

Here %2 is x*y, and `sign(x)*abs(x*y)` is x*abs(y), which has no kink at x = 0. Where a
formula asks for the sign of a number, sizes and signs of its multiples are written factor
by factor, and so are lengths and the largest and smallest of several multiples of it:
`hypot(x, x^2)` is abs(x)*hypot(1, x). A sign of a number times its size is that number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import copysign

from gradc.analysis.forms import NUMBER, Forms
from gradc.ir import COMPARISONS, EXTREMES, Builder, Node, Program, compact
from gradc.language.syntax import Span

MOST = 1_000  # nodes above which a program is left as it is
SIGNS = frozenset({"sign", "copysign"})
SPLIT = frozenset({"abs", "sign"})  # those of a product are products of those
SIZED = frozenset({"abs", "hypot", *EXTREMES})


def signed(program: Program) -> Program:
    """Return a program in whose products no sign stands beside its own size."""
    if SIZED.isdisjoint(program.operations) or len(program.nodes) > MOST:
        return program
    asked = _asked(program)
    return _Signed(program, asked).run() if asked else program


def _asked(program: Program) -> set[int]:
    """The nodes whose signs a program multiplies with, and their factors."""
    nodes = program.nodes
    found: set[int] = set()
    for op, *args in nodes:
        if op in SIGNS:
            found.add(args[-1])
        elif op == "where" and _are_opposite(nodes, args[1:]):
            compared, *sides = nodes[args[0]]
            if compared in COMPARISONS and nodes[sides[1]] == ("const", 0.0):
                found.add(sides[0])
    if found:
        forms = Forms(Builder.upon(program), [False] * len(nodes))
        found |= {base for i in [*found] for base, _ in forms.factors(i)[1]}
    return found


def _are_opposite(nodes: Sequence[Node], pair: Sequence[int]) -> bool:
    """Whether two nodes are numbers of one size and two signs."""
    (op, *one), (other_op, *other) = (nodes[i] for i in pair)
    return op == other_op == "const" and bool(one[0] == -other[0] != 0.0)


class _Signed:
    def __init__(self, program: Program, asked: set[int]) -> None:
        self.program = program
        self.builder = Builder(program.ops)
        self.forms = Forms(self.builder, [])
        self.old_asked = asked
        self.asked: set[int] = set()
        self.new: list[int] = []

    def run(self) -> Program:
        program, builder = self.program, self.builder
        fired: list[tuple[str, Span | None]] = []
        for i, node in enumerate(program.nodes):
            j = builder.copy(program, i, self.new)
            other = self._written(builder.nodes[j])
            if other is not None:
                fired.append(("sign and size", program.spans[i]))
                builder.label(other, program.spans[i])
                j = other
            self.new.append(j)
            if i in self.old_asked:
                self.asked.add(j)
        if not fired:
            return program
        after = builder.follow(program, [self.new[i] for i in program.outputs])
        return replace(compact(after), rules=(*program.rules, *fired))

    def _written(self, node: Node) -> int | None:
        """What a node is written as, None if it stays."""
        op, *args = node
        if op in SPLIT:
            return self._split(op, args[0])
        if op == "hypot" or op in EXTREMES:
            return self._without_common(op, args)
        return self._met(node) if op in ("mul", "div") else None

    def _split(self, op: str, i: int) -> int | None:
        """The size or the sign of a product, as one of those of its factors."""
        c, powers = self.forms.factors(i)
        if len(powers) < 2 or self.asked.isdisjoint(base for base, _ in powers):
            return None
        each = [(self.builder.add(op, base), e) for base, e in powers]
        return self._times(abs(c) if op == "abs" else copysign(1.0, c), each)

    def _without_common(self, op: str, args: Sequence[int]) -> int | None:
        """A length, or the largest of some numbers, without a factor of them all."""
        terms = [self.forms.factors(i) for i in args]
        for base in dict.fromkeys(base for _, powers in terms for base, _ in powers):
            size = self.builder.nodes[base]
            u = size[1] if size[0] == "abs" else base
            if u not in self.asked:
                continue
            rests = [self._left(op, u, dict(powers)) for _, powers in terms]
            found = [
                self._times(c, [*rest.items()])
                for (c, _), rest in zip(terms, rests)
                if rest is not None
            ]
            if len(found) == len(terms):
                size_of = self.builder.add("abs", u)
                return self.builder.add("mul", size_of, self.builder.add(op, *found))
        return None

    def _left(self, op: str, u: int, powers: dict[int, int]) -> dict[int, int] | None:
        """A product divided by the size of a factor, None if that is none of its own.

        The sign of what a length is of does not count.
        """
        size = self.builder.add("abs", u)
        if op == "hypot" and powers.get(u, 0) > 0:
            powers[u] -= 1
        elif powers.get(size, 0) > 0:
            powers[size] -= 1
        elif powers.get(u, 0) > 1:
            powers[u] -= 2
            powers[size] = powers.get(size, 0) + 1
        else:
            return None
        return {base: e for base, e in powers.items() if e}

    def _met(self, node: Node) -> int | None:
        """A product in which signs have met their sizes, None if none has."""
        i = self.builder.add(node[0], *node[1:])
        c, powers = self.forms.factors(i)
        if powers == NUMBER:
            return None
        left = dict(powers)
        for base, e in powers:
            op, *args = self.builder.nodes[base]
            size = self.builder.add("abs", args[0]) if op == "sign" else -1
            both = min(e, left.get(size, 0))
            if both > 0:
                left[base] -= both
                left[size] -= both
                left[args[0]] = left.get(args[0], 0) + both
        if left == dict(powers):
            return None
        return self._times(c, [(base, e) for base, e in left.items() if e])

    def _times(self, c: float, powers: Sequence[tuple[int, int]]) -> int:
        """A number times powers."""
        return self.forms.product(c, tuple(powers))
