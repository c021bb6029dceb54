"""Choose which nodes are computed with the opposite sign, so that few are negated.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = exp %0                      %2 = exp %0
    %3 = sub %0 %1                   %3 = sub %1 %0
    %4 = mul %3 %2        -->        %4 = mul %3 %2
    %5 = mul %3 %1                   %5 = mul %3 %1
    %6 = neg %4                      out %2 %4 %5
    %7 = neg %5
    out %2 %6 %7

A sum takes a sign for nothing: it is a difference then, or the difference the other way
round. So does a product with a number. From each node that is negated signs are passed
on, up to what it is computed from and down to what reads it, and stay there if fewer
are left, first among the derivatives, then also in what the value is computed from.
Results are the same bit for bit but for the sign of a zero, so `strict` compilation
leaves the pass out.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradc.ir import CONDITIONS, Builder, Program, arguments, compact, live

MOST = 5_000  # nodes above which a program is left as it is
CHANGES = 48  # nodes whose sign may change with that of one
READERS = 48  # of a node that may change its sign
SUMS = ("add", "sub")
PRODUCTS = ("mul", "div")
EVEN = ("abs", "cos", "cosh")  # functions that make a sign vanish
ODD = ("asin", "asinh", "atan", "atanh", "cbrt", "erf", "sin", "sinh", "tan", "tanh")
CARRY = frozenset((*SUMS, *PRODUCTS, *ODD, "neg", "where"))  # take signs, and have one


def negate(program: Program) -> Program:
    """Return a program of the same function, in which fewer nodes are negated."""
    if len(program.nodes) > MOST or "neg" not in program.operations:
        return program
    signs = _Signs(program)
    for signs.keeps_value in (True, False):
        signs.improve()
    return signs.written() if signs.opposite else program


class _Signs:
    """Which nodes of a program have the opposite sign, and what signs that leaves.

    With `keeps_value` nothing changes that the value is computed from, without it no
    sum of that.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.keeps_value = True
        self.nodes = program.nodes
        self.opposite: set[int] = set()
        self.readers: list[list[int]] = [[] for _ in self.nodes]
        self.plain = set(program.outputs)  # what is read as it is
        self.forward = live(program.nodes, program.outputs[:1])
        for i, node in enumerate(self.nodes):
            for a in arguments(node):
                self.readers[a].append(i)
            self.plain.update(self._plainly(i))

    def _plainly(self, i: int) -> tuple[int, ...]:
        """The arguments that a node cannot take with the opposite sign."""
        op, *args = self.nodes[i]
        if op == "where":
            return (args[0],)
        taken = op in CARRY or op in EVEN or op in ("const", "input")
        return () if taken else tuple(args)

    def _is_free(self, i: int) -> bool:
        """Whether a node may change its sign at all."""
        op, *args = self.nodes[i]
        if op not in CARRY or i in self.program.names:
            return False
        if self.forward[i] and (self.keeps_value or op == "add"):
            return False
        if op == "where" and any(self.nodes[a][0] in CONDITIONS for a in args[1:]):
            return False
        return len(self.readers[i]) <= READERS

    def _is_number(self, i: int) -> bool:
        return bool(self.nodes[i][0] == "const")

    def _minus(self, i: int) -> list[bool]:
        """Before which arguments of a node a sign stands, of a product before one."""
        op, *args = self.nodes[i]
        if op not in CARRY:
            return []
        first = (i in self.opposite) != (op == "neg")
        minus = [first != (a in self.opposite) for a in args]
        if op in PRODUCTS:
            return [(minus[0] != minus[1]) != first, False]
        if op == "sub":
            minus[1] = not minus[1]
        if op == "where":
            minus[0] = False
        return minus

    def _left(self, i: int) -> int:
        """How many signs a node needs that it does not get for nothing."""
        op, *args = self.nodes[i]
        found = int(i in self.opposite and i in self.plain)
        minus = self._minus(i)
        if not any(minus):
            return found
        if op in SUMS:
            return found + (all(minus) and not any(map(self._is_number, args)))
        if op in PRODUCTS:
            return found + (not any(map(self._is_number, args)))
        return found + sum(m and not self._is_number(a) for m, a in zip(minus, args))

    def improve(self) -> None:
        """Pass on the signs that are left."""
        for i, node in enumerate(self.nodes):
            for start in (i, *arguments(node)):
                for upwards in (False, True):
                    if self._left(i) and self._is_free(start):
                        self._pass_on(start, upwards)

    def _pass_on(self, start: int, upwards: bool) -> None:
        """Change the sign of a node and of those around it; undo it if that is no gain.

        Where a sign is left that was not there before, another node has to change as
        well: an argument first if `upwards`, else what reads it.
        """
        before: dict[int, int] = {}
        changed = [start]
        for i in changed:
            around = (i, *self.readers[i])
            for j in around:
                if j not in before:
                    before[j] = self._left(j)
            self.opposite ^= {i}
            for j in around:
                if self._left(j) > before[j]:
                    others = (k for k in self._near(j, upwards) if k not in changed)
                    changed += [k for k in others if self._is_free(k)][:1]
            if len(changed) > CHANGES:
                break
        if sum(map(self._left, before)) >= sum(before.values()):
            self.opposite.symmetric_difference_update(changed[: changed.index(i) + 1])

    def _near(self, i: int, upwards: bool) -> Iterator[int]:
        """A node and its arguments, in the order in which one of them is to change."""
        args = arguments(self.nodes[i])
        yield from (*args, i) if upwards or i in self.plain else (i, *args)

    def written(self) -> Program:
        """The program with its signs where they are now."""
        program, builder = self.program, Builder(self.program.ops)
        new: list[int] = []

        def plain(a: int) -> int:
            return builder.add("neg", new[a]) if a in self.opposite else new[a]

        for i, (op, *args) in enumerate(self.nodes):
            if op in CARRY:
                builder.span = program.spans[i]
                new.append(self._write(builder, i, new))
                if i in program.names:
                    builder.name(new[i], program.names[i])
            elif op == "const" or op == "input":
                new.append(builder.copy(program, i, new))
            else:
                builder.span = program.spans[i]
                read = [new[a] if op in EVEN else plain(a) for a in args]
                new.append(builder.add(op, *read))
        outputs = [plain(i) for i in program.outputs]
        return compact(builder.follow(program, outputs))

    def _write(self, builder: Builder, i: int, new: list[int]) -> int:
        """Write a node that takes signs."""
        op, *args = self.nodes[i]
        minus = self._minus(i)
        number = next((k for k, a in enumerate(args) if self._is_number(a)), -1)
        if op in PRODUCTS and minus[0] and number >= 0:
            minus = [k == number for k in range(2)]
        if op in SUMS:
            x, y = (new[a] for a in args)
            if all(minus) and number < 0:
                return builder.add("neg", builder.add("add", x, y))
            if all(minus):  # of a number and a node, the opposite number less the node
                first = builder.add("neg", new[args[number]])
                return builder.add("sub", first, new[args[1 - number]])
            x, y = (y, x) if minus[0] else (x, y)
            return builder.add("sub" if any(minus) else "add", x, y)
        given = [
            builder.add("neg", new[a]) if m else new[a] for m, a in zip(minus, args)
        ]
        return given[0] if op == "neg" else builder.add(op, *given)
