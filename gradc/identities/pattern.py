"""Patterns of the identity book, read into the same n-ary forms as a program has.

A pattern is a sum of parts, a part a coefficient times powers of factors. The parts from
which the others follow come first, and so do the factors of a part: calls before sums,
sums before plain variables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from gradc.language.syntax import Row

CONSTANTS = frozenset("ckmnp")  # variables that stand for a constant
NUMBERS = frozenset({"pi", "e"})  # which are no variables
EVERY = "every"  # `every(t)`: a sum of any number of terms `t`
FOLDED = frozenset({"hypot", "logsumexp"})  # of all arguments as of one and the others
SUM = "sum"  # what a base is called that is a sum


class Variable(NamedTuple):
    """Stands for anything, or for a constant; the same each time it is named."""

    name: str


class Call(NamedTuple):
    """An operation that is no arithmetic."""

    op: str
    args: tuple[Pattern, ...]


class Factor(NamedTuple):
    """A base of a product, itself a sum perhaps, and its exponent."""

    base: Variable | Call | Pattern
    exponent: int


@dataclass(frozen=True)
class Part:
    """A term of a pattern: a coefficient times factors."""

    coefficient: float
    factors: tuple[Factor, ...]

    @cached_property
    def whole(self) -> Pattern:
        """The pattern that is this part alone."""
        bases = [b if isinstance(b, Pattern) else _base(b) for b, _ in self.factors]
        return Pattern((self,), *_contents(bases))

    @cached_property
    def operations(self) -> frozenset[str]:
        """What the bases have to be that are no variables."""
        bases = [base for base, _ in self.factors]
        calls = frozenset(base.op for base in bases if isinstance(base, Call))
        sums = any(isinstance(base, Pattern) and not base.every for base in bases)
        return calls | {SUM} if sums else calls


@dataclass(frozen=True)
class Pattern:
    """A sum of parts, those first from which the others follow."""

    parts: tuple[Part, ...]
    variables: frozenset[str]
    calls: bool  # whether an operation stands in it
    every: bool = False

    @property
    def free(self) -> bool:
        """Whether a plain variable takes up the terms that are left."""
        return any(
            len(part.factors) == 1
            and isinstance(part.factors[0].base, Variable)
            and part.factors[0].exponent == 1
            for part in self.parts
        )

    @cached_property
    def needs(self) -> Mapping[str, int]:
        """The operations that a sum must have among its bases, each in so many terms."""
        return Counter(op for part in self.parts for op in part.operations)

    @property
    def only(self) -> Variable | Call | Pattern | None:
        """The base that the whole pattern is, None if it is any arithmetic."""
        if len(self.parts) == 1 and self.parts[0].coefficient == 1.0:
            factors = self.parts[0].factors
            if len(factors) == 1 and factors[0].exponent == 1 and not self.every:
                return factors[0].base
        return None


def pattern(rows: Sequence[Row], ops: Mapping[str, str]) -> Pattern:
    """Read an expression; `ops` gives the operation that a name calls.

    Or a name with a number of arguments, as `log/2`.
    """
    read: list[Pattern] = []
    for row in rows:
        read.append(_read(row, [read[a] for a in row.args], ops))
    return read[-1]


def _read(row: Row, args: list[Pattern], ops: Mapping[str, str]) -> Pattern:
    op = row.op
    if op == "number":
        return Pattern((Part(float(row.payload or 0.0), ()),), frozenset(), False)
    if op == "name" and row.payload not in NUMBERS:
        return _base(Variable(str(row.payload)))
    if op in ("add", "sub", "neg"):
        first = args[0].parts if op != "neg" else ()
        last: Sequence[Part] = args[-1].parts
        if op != "add":
            last = [Part(-p.coefficient, p.factors) for p in last]
        parts = _ordered([*first, *last])
        return Pattern(parts, *_contents(args))
    if op == "mul":
        return _product(args[0], 1, args[1], 1)
    if op == "div":
        return _product(args[0], 1, args[1], -1)
    if op == "pow" and args[1].parts[0].factors == ():
        exponent = args[1].parts[0].coefficient
        if exponent == int(exponent):
            return _product(args[0], int(exponent), None, 0)
    if op == "call" and row.payload == EVERY:
        return Pattern(args[0].parts, *_contents(args), every=True)
    if op == "call" or op == "name":
        op = ops.get(f"{row.payload}/{len(args)}") or ops[str(row.payload)]
    return _base(Call(op, tuple(args)))


def _base(base: Variable | Call) -> Pattern:
    """The pattern that is one base."""
    part = Part(1.0, (Factor(base, 1),))
    if isinstance(base, Variable):
        return Pattern((part,), frozenset((base.name,)), False)
    names = frozenset[str]().union(*(arg.variables for arg in base.args))
    return Pattern((part,), names, True)


def _product(x: Pattern, e: int, y: Pattern | None, f: int) -> Pattern:
    coefficient, factors = 1.0, []
    args = [(x, e)] if y is None else [(x, e), (y, f)]
    for one, exponent in args:
        if len(one.parts) == 1 and not one.every:
            coefficient *= one.parts[0].coefficient ** exponent
            factors += [Factor(b, k * exponent) for b, k in one.parts[0].factors]
        else:
            factors.append(Factor(one, exponent))
    factors.sort(key=_freedom)
    part = Part(coefficient, tuple(factors))
    return Pattern((part,), *_contents([one for one, _ in args]))


def _contents(args: Sequence[Pattern]) -> tuple[frozenset[str], bool]:
    """The variables of some patterns, and whether they have a call."""
    names = frozenset[str]().union(*(arg.variables for arg in args))
    return names, any(arg.calls for arg in args)


def _freedom(factor: Factor) -> int:
    """How much a factor can match: calls first, plain variables last."""
    if isinstance(factor.base, Variable):
        return 3 if factor.exponent == 1 else 2
    return 0 if isinstance(factor.base, Call) else 1


def _ordered(parts: list[Part]) -> tuple[Part, ...]:
    """The parts of a sum in their order."""
    parts.sort(key=lambda part: min(map(_freedom, part.factors), default=2))
    return tuple(parts)
