"""Take signs out of derivatives, so that their squares are 1 at a kink as well.

    (sign(x)*y - z)*sign(x)    -->    y - z*sign(x)

Second derivatives have signs from abs(x). At 0 a sign is 0, which is right where it
stands for a jump; its square is 1 on both sides. A derivative is a sum of products with
signs and without, so each node is taken as one part for every product of signs. It is
written in these parts only where a square has met in them.
"""

from __future__ import annotations

from functools import reduce

from gradc.ir import Builder, Node, Program, arguments, compact

FEW = 4  # parts that a node is taken in

Signs = frozenset[int]  # what the signs are of that a part is multiplied with
Parts = dict[Signs, int]
NONE: Signs = frozenset()


def odd(program: Program) -> Program:
    """Return a program in whose derivatives no sign meets itself."""
    return _Odd(program).run() if "sign" in program.operations else program


class _Odd:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.builder = Builder.upon(program)
        self.new = list(range(len(program.nodes)))
        self.parts: list[Parts] = [{NONE: i} for i in self.new]
        self.met = [False] * len(program.nodes)  # whether a square has, in the parts

    def run(self) -> Program:
        program, builder = self.program, self.builder
        for i in range(program.last + 1, len(program.nodes)):
            op, args = program.nodes[i][0], arguments(program.nodes[i])
            builder.span = program.spans[i]
            parts = self._taken(i, op, args)
            if parts is not None:
                self.parts[i] = parts
            if parts is not None and self.met[i]:
                self.new[i] = self._whole(parts)
            elif any(self.new[a] != a for a in args):
                self.new[i] = builder.add(op, *[self.new[a] for a in args])
            if parts is None:
                self.parts[i], self.met[i] = {NONE: self.new[i]}, False
        if not any(self.met):
            return program
        return compact(builder.follow(program, [self.new[i] for i in program.outputs]))

    def _taken(self, i: int, op: str, args: Node) -> Parts | None:
        """A node in parts; None if it is only one without signs."""
        if op == "sign":
            return {frozenset({args[0]}): self.builder.const(1.0)}
        if op not in ("add", "sub", "mul", "div", "neg", "where"):
            return None
        args = args[1:] if op == "where" else args
        known = [self.parts[a] for a in args]
        if all(parts.keys() == {NONE} for parts in known) and not self._has_met(args):
            return None
        self.met[i] = self._has_met(args)
        found: Parts = {}
        if op in ("add", "sub"):
            found = dict(known[0])
            for signs, part in known[1].items():
                found[signs] = self._added(op, found.get(signs), part)
        elif op == "where":
            condition = self.new[self.program.nodes[i][1]]
            found = self._chosen(condition, *known)
        elif op == "neg":
            found = {s: self.builder.add("neg", part) for s, part in known[0].items()}
        elif op == "mul" or known[1].keys() == {NONE}:
            for s, x in known[0].items():
                for t, y in known[1].items():
                    self.met[i] = self.met[i] or bool(s & t)
                    part = self._product(op, x, y)
                    found[s ^ t] = self._added("add", found.get(s ^ t), part)
        return found if 0 < len(found) <= FEW else None

    def _has_met(self, args: Node) -> bool:
        return any(self.met[a] for a in args)

    def _chosen(self, condition: int, x: Parts, y: Parts) -> Parts:
        """A conditional in parts, of which a side may be 0."""
        zero = self.builder.const(0.0)
        sides = [{} if side == {NONE: zero} else side for side in (x, y)]
        return {
            signs: self.builder.add("where", condition, *parts)
            for signs in dict.fromkeys([*sides[0], *sides[1]])
            for parts in [[side.get(signs, zero) for side in sides]]
        }

    def _added(self, op: str, x: int | None, y: int) -> int:
        if x is None:
            return y if op == "add" else self.builder.add("neg", y)
        return self.builder.add(op, x, y)

    def _product(self, op: str, x: int, y: int) -> int:
        one = ("const", 1.0)
        if self.builder.nodes[y] == one or (
            op == "mul" and self.builder.nodes[x] == one
        ):
            return x if self.builder.nodes[y] == one else y
        return self.builder.add(op, x, y)

    def _whole(self, parts: Parts) -> int:
        """A node of its parts."""
        terms = []
        for signs, part in parts.items():
            factors = [self.builder.add("sign", self.new[x]) for x in sorted(signs)]
            terms.append(reduce(lambda x, y: self._product("mul", x, y), factors, part))
        return reduce(lambda x, y: self.builder.add("add", x, y), terms)
