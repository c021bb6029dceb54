"""A node as a product: what does not depend on a base, times what does.

    (r/u*p - s/u*q)*sin(u)    -->    (r*p - s*q) * (sin(u)/u)

Only the second factor can be singular where u has a value of its own, and nodes that
differ in the first have it in common.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gradc.analysis.powers import HIGHEST
from gradc.ir import Builder

Powers = tuple[tuple[int, int], ...]  # nodes and their exponents, in order


class Separated(NamedTuple):
    """What is fixed, a node, and the powers of the nodes that depend on the base."""

    fixed: int
    powers: Powers


def separate(
    builder: Builder, i: int, base: int, depends: Callable[[int], bool]
) -> Separated:
    """Separate a node, of which a small program computes the value."""
    separation = _Separation(builder, depends)
    one = builder.const(1.0)
    separation.known[base] = Separated(one, ((base, 1),))  # what it is made of is fixed
    return separation.of(i)


class _Separation:
    def __init__(self, builder: Builder, depends: Callable[[int], bool]) -> None:
        self.builder = builder
        self.depends = depends
        self.known: dict[int, Separated] = {}

    def of(self, i: int) -> Separated:
        if i not in self.known:
            self.known[i] = self._found(i) if self.depends(i) else Separated(i, ())
        return self.known[i]

    def _found(self, i: int) -> Separated:
        op, *args = self.builder.nodes[i]
        if op in ("mul", "div"):
            (x, p), (y, q) = map(self.of, args)
            return Separated(
                self._made(op, x, y), _times(p, q, 1 if op == "mul" else -1)
            )
        if op == "neg":
            x, p = self.of(args[0])
            return Separated(self.builder.add(op, x), p)
        if op in ("add", "sub"):
            (x, p), (y, q) = map(self.of, args)
            if p == q:
                return Separated(self.builder.add(op, x, y), p)
        exponent = self.builder.value_of(args[1]) if op == "pow" else None
        if exponent is not None and exponent in range(1, HIGHEST + 1):
            x, p = self.of(args[0])
            powers = tuple((base, e * int(exponent)) for base, e in p)
            return Separated(self._made(op, x, args[1]), powers)
        return Separated(self.builder.const(1.0), ((i, 1),))

    def _made(self, op: str, x: int, y: int) -> int:
        """An operation, unless one changes nothing in it."""
        if op != "pow" and self.builder.value_of(y) == 1.0:
            return x
        if op != "div" and self.builder.value_of(x) == 1.0:
            return y if op == "mul" else x
        return self.builder.add(op, x, y)


def _times(p: Powers, q: Powers, exponent: int) -> Powers:
    found = dict(p)
    for base, e in q:
        found[base] = found.get(base, 0) + e * exponent
    return tuple(sorted((base, e) for base, e in found.items() if e))
