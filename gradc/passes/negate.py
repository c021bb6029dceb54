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
on, to what it is computed from and to what reads it, and stay there if fewer are left.
Results are the same bit for bit but for the sign of a zero, so `strict` compilation
leaves the pass out.
"""

from __future__ import annotations

from gradc.ir import Builder, Program, arguments, compact

MOST = 5_000  # nodes above which a program is left as it is
MANY = 48  # readers of a node that may change its sign, and nodes that may with it
SUMS = ("add", "sub")
PRODUCTS = ("mul", "div")
CARRY = frozenset((*SUMS, *PRODUCTS, "neg", "where"))  # take signs, and have one


def negate(program: Program) -> Program:
    """Return a program of the same function, in which fewer nodes are negated."""
    if len(program.nodes) > MOST or "neg" not in program.operations:
        return program
    signs = _Signs(program)
    signs.improve()
    return signs.written() if signs.opposite else program


class _Signs:
    """Which nodes of a program have the opposite sign, and what signs that leaves."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.nodes = program.nodes
        self.opposite: set[int] = set()
        self.readers = program.readers
        self.plain = set(program.outputs)  # what is read as it is
        for node in self.nodes:
            if node[0] == "where":
                self.plain.add(node[1])
            elif node[0] not in CARRY:
                self.plain.update(arguments(node))

    def _is_free(self, i: int) -> bool:
        """Whether a node may change its sign at all."""
        carries = self.nodes[i][0] in CARRY and i not in self.program.names
        return carries and len(self.readers[i]) <= MANY

    def _is_number(self, i: int) -> bool:
        """Whether a sign costs nothing; beside columns that of a number does not."""
        is_beside = self.program.rows.lengths and not self.program.rows[i]
        return bool(self.nodes[i][0] == "const" or is_beside)

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
        found, minus = int(i in self.opposite and i in self.plain), self._minus(i)
        if op in SUMS or op in PRODUCTS:
            stands = all(minus) if op in SUMS else any(minus)
            return found + (stands and not any(map(self._is_number, args)))
        return found + sum(m and not self._is_number(a) for m, a in zip(minus, args))

    def improve(self) -> None:
        """Pass on the signs that are left."""
        for i, node in enumerate(self.nodes):
            for start in (i, *arguments(node)):
                if self._left(i) and self._is_free(start):
                    self._pass_on(start)

    def _pass_on(self, start: int) -> None:
        """Change the sign of a node and of those around it; undo it if that is no gain.

        Where a sign is left that was not there before, another node has to change as
        well: what reads it, or an argument of what is read as it is.
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
                    args = arguments(self.nodes[j])
                    near = (*args, j) if j in self.plain else (j, *args)
                    others = (k for k in near if k not in changed)
                    changed += [k for k in others if self._is_free(k)][:1]
            if len(changed) > MANY:
                break
        if sum(map(self._left, before)) >= sum(before.values()):
            self.opposite.symmetric_difference_update(changed[: changed.index(i) + 1])

    def written(self) -> Program:
        """The program with its signs where they are now."""
        program, builder = self.program, Builder(self.program.ops)
        new: list[int] = []

        def plain(a: int) -> int:
            return builder.add("neg", new[a]) if a in self.opposite else new[a]

        for i, node in enumerate(self.nodes):
            if node[0] in CARRY:
                builder.span = program.spans[i]
                new.append(builder.mark(self._write(builder, i, new), program, i))
            else:
                args = {a: plain(a) for a in arguments(node)}
                new.append(builder.copy(program, i, args))
        outputs = [plain(i) for i in program.outputs]
        return compact(builder.follow(program, outputs))

    def _write(self, builder: Builder, i: int, new: list[int]) -> int:
        """Write a node that takes signs."""
        (op, *args), add = self.nodes[i], builder.add
        minus = self._minus(i)
        number = next((k for k, a in enumerate(args) if self._is_number(a)), 0)
        if op in PRODUCTS and minus[0]:
            minus = [k == number for k in range(2)]
        if op in SUMS:
            x, y = (new[a] for a in args)
            if all(minus):  # of a number and a node, the opposite number less the node
                first = add("neg", new[args[number]])
                return add("sub", first, new[args[1 - number]])
            x, y = (y, x) if minus[0] else (x, y)
            return add("sub" if any(minus) else "add", x, y)
        given = [add("neg", new[a]) if m else new[a] for m, a in zip(minus, args)]
        return given[0] if op == "neg" else add(op, *given)
