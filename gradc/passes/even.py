"""Drop what has a kink below what has none there: abs below a function that is even.

    %0 = input x                     %0 = input x
    %1 = abs %0                      %1 = cos %0
    %2 = cos %1             -->      out %1
    out %2

Both are the same number for every x, but the first one's derivatives go through those of
abs, which has none at 0: a second derivative there would be that of a convention. An
absolute value is dropped through products and quotients, below rows that are even in an
argument, even powers, and products of a number with itself; such a power of a length is
one of its sum of squares.
"""

from __future__ import annotations

from functools import reduce

from gradc.ir import Builder, Node, Program, arguments, compact

EVEN = frozenset({"abs", "cos", "cosh", "sech2", "sinc", "gauss", "normpdf", "hypot"})
CARRY = frozenset({"neg", "mul", "div"})  # an absolute value goes through them
FEW = 4  # absolute values that are followed through one product
KINKED = frozenset({"abs", "hypot"})
Factors = frozenset[int]
NONE: Factors = frozenset()


def even(program: Program) -> Program:
    """Return a program of the same numbers with fewer kinks on the way."""
    if KINKED.isdisjoint(program.operations):
        return program
    return _Bare(program).run()


class _Bare:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.builder = Builder(program.ops)
        self.new: list[int] = []
        self.bare: list[int] = []  # with no absolute value as a factor
        self.kinks: list[Factors] = []  # of which such a node lacks the sign

    def run(self) -> Program:
        program, builder, found = self.program, self.builder, False
        for i, node in enumerate(program.nodes):
            builder.span = program.spans[i]
            bare, kinks = self._without_kinks(node)
            other = bare if bare is not None and not kinks else self._even(node)
            if other is None:
                self.new.append(builder.copy(program, i, self.new))
            else:
                found = True
                self.new.append(other)
                builder.label(other, program.spans[i])
                is_leaf = builder.nodes[other][0] in ("const", "input")
                if i in program.names and not is_leaf:
                    builder.name(other, program.names[i])
            self.bare.append(self.new[i] if bare is None else bare)
            self.kinks.append(kinks)
        if not found:
            return program
        return compact(builder.follow(program, [self.new[i] for i in program.outputs]))

    def _without_kinks(self, node: Node) -> tuple[int | None, Factors]:
        """A node with what is inside absolute values for these, and which are not even.

        None for a node that has no such factor.
        """
        op, args = node[0], arguments(node)
        if op == "abs":
            return self.bare[args[0]], frozenset({self.bare[args[0]]})
        bare = [self.bare[a] for a in args]
        if op not in CARRY or bare == [self.new[a] for a in args]:
            return None, NONE
        kinks = reduce(frozenset.symmetric_difference, [self.kinks[a] for a in args])
        if len(kinks) > FEW:
            return None, NONE
        return self.builder.add(op, *bare), kinks

    def _even(self, node: Node) -> int | None:
        """A node that is even in its arguments, on these without their signs.

        None if it is not, or has no absolute value below it.
        """
        op, args = node[0], arguments(node)
        half = self._half(node)
        if op not in EVEN and not half:
            return None
        bare = [self.bare[a] for a in args]
        length = self.builder.nodes[bare[0]]
        if half and length[0] == "hypot":
            return self._squares(arguments(length), half)
        if bare == [self.new[a] for a in args]:
            return None
        return self.builder.add(op, *bare)

    def _half(self, node: Node) -> float:
        """Half of the exponent of an even power, which may be a product; 0 of others."""
        if node[0] == "mul":
            return float(node[1] == node[2])
        exponent = self.program.nodes[node[2]] if node[0] == "pow" else ("const", 0.0)
        if exponent[0] != "const" or exponent[1] < 0 or exponent[1] % 2:
            return 0.0
        return float(exponent[1] / 2)

    def _squares(self, sides: tuple[int, ...], half: float) -> int:
        """A power of a sum of squares."""
        builder = self.builder
        squares = [builder.add("mul", side, side) for side in sides]
        total = reduce(lambda x, y: builder.add("add", x, y), squares)
        return total if half == 1.0 else builder.add("pow", total, builder.const(half))
