"""Patterns of the identity book, and which parts of a program they describe.

Patterns and programs are compared as n-ary forms (`forms`), so sums and products match
in any order, with any signs and numbers, and with more terms around them. In a pattern
stand first the parts, and in a part the factors, from which the others follow: calls
before sums, sums before variables. The matcher calls itself only as deep as a pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from gradc.analysis.forms import (
    NUMBER,
    SUMS,
    Form,
    Forms,
    Number,
    Powers,
    Term,
    added,
    divided,
    exact,
    multiplied,
    raised,
    square_root,
    times,
)
from gradc.language.syntax import Row

CONSTANTS = frozenset({"pi", "e"})  # names that are no variables
EVERY = "every"  # `every(t)`: a sum of any number of terms `t`
SUM = "sum"  # what a base is called that is a sum
LONGEST = 64  # terms of a sum up to which some of them are looked for


class Call(NamedTuple):
    """An operation that is no arithmetic."""

    op: str
    args: tuple[Pattern, ...]


class Factor(NamedTuple):
    """A base of a product: a variable, an operation or a sum; and its exponent."""

    base: str | Call | Pattern
    exponent: int

    @property
    def freedom(self) -> int:
        """How much it can match: calls least, plain variables most."""
        if isinstance(self.base, str):
            return 3 if self.exponent == 1 else 2
        return 0 if isinstance(self.base, Call) else 1


class Part(NamedTuple):
    """A term of a pattern: a coefficient times factors."""

    coefficient: Number
    factors: tuple[Factor, ...]

    @property
    def operations(self) -> frozenset[str]:
        """What the bases have to be that are no variables."""
        bases = [base for base, _ in self.factors if not isinstance(base, str)]
        return frozenset(base.op if isinstance(base, Call) else SUM for base in bases)

    @property
    def variable(self) -> str | None:
        """The variable that the part is, but for its coefficient."""
        (base, e), *others = self.factors or [Factor("", 0)]
        return base if isinstance(base, str) and e == 1 and not others else None


@dataclass(frozen=True)
class Pattern:
    """A sum of parts, those first from which the others follow."""

    parts: tuple[Part, ...]
    every: bool = False

    @cached_property
    def bases(self) -> tuple[str | Call | Pattern, ...]:
        """What stands in its products."""
        return tuple(base for part in self.parts for base, _ in part.factors)

    @cached_property
    def variables(self) -> frozenset[str]:
        """The variables in it."""
        found = {base for base in self.bases if isinstance(base, str)}
        for base in self.bases:
            if not isinstance(base, str):
                inner = base.args if isinstance(base, Call) else (base,)
                found.update(*(sum_.variables for sum_ in inner))
        return frozenset(found)

    @cached_property
    def calls(self) -> bool:
        """Whether an operation stands in it."""
        return any(
            isinstance(base, Call) or isinstance(base, Pattern) and base.calls
            for base in self.bases
        )

    @property
    def free(self) -> bool:
        """Whether a variable takes up the terms that are left."""
        return any(part.variable for part in self.parts)

    @property
    def call(self) -> Call | None:
        """The operation that the whole pattern is, None if it is arithmetic."""
        (c, factors), *others = self.parts
        if others or self.every or c != 1 or len(factors) != 1:
            return None
        base, e = factors[0]
        return base if isinstance(base, Call) and e == 1 else None


def pattern(rows: Sequence[Row], ops: Mapping[str, str]) -> Pattern:
    """Read an expression; `ops` gives the operation that a name calls."""
    read: list[Pattern] = []
    for row in rows:
        read.append(_read(row, [read[a] for a in row.args], ops))
    return read[-1]


def _read(row: Row, args: list[Pattern], ops: Mapping[str, str]) -> Pattern:
    op, name = row.op, str(row.payload)
    if op == "number":
        return Pattern((Part(exact(float(row.payload)), ()),))
    if op == "name" and name not in CONSTANTS:
        return _one(name)
    if op in ("add", "sub", "neg"):
        last = args[-1].parts
        if op != "add":
            last = tuple(Part(-c, factors) for c, factors in last)
        parts = [*(args[0].parts if op != "neg" else ()), *last]
        return Pattern(tuple(sorted(parts, key=_freedom)))
    if op in ("mul", "div"):
        return _product((args[0], 1), (args[1], 1 if op == "mul" else -1))
    if op == "pow" and not args[1].parts[0].factors:
        exponent = args[1].parts[0].coefficient
        if exponent == int(exponent):
            return _product((args[0], int(exponent)))
    if op == "call" and name == EVERY:
        return replace(args[0], every=True)
    if op in ("call", "name"):
        op = ops[name]
    return _one(Call(op, tuple(args)))


def _one(base: str | Call) -> Pattern:
    return Pattern((Part(1, (Factor(base, 1),)),))


def _freedom(part: Part) -> int:
    return min((factor.freedom for factor in part.factors), default=2)


def _product(*args: tuple[Pattern, int]) -> Pattern:
    coefficient: Number = 1
    factors: list[Factor] = []
    for one, exponent in args:
        if len(one.parts) == 1 and not one.every:
            coefficient *= raised(one.parts[0].coefficient, exponent)
            factors += [Factor(b, k * exponent) for b, k in one.parts[0].factors]
        else:
            factors.append(Factor(one, exponent))
    factors.sort(key=lambda factor: factor.freedom)
    return Pattern((Part(coefficient, tuple(factors)),))


@dataclass(frozen=True)
class Bound:
    """What a variable stands for: a form, and the node it was if it was one."""

    form: Form
    node: int | None = None


Bindings = Mapping[str, Any]  # a bound, or a tuple of them


class Matcher:
    """Matches patterns with the nodes of a growing program."""

    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self.nodes = forms.builder.nodes
        self._heads: dict[Powers, frozenset[str]] = {}

    def heads(self, powers: Powers) -> frozenset[str]:
        """The operations that the bases of a product are."""
        found = self._heads.get(powers)
        if found is None:
            ops = [self.nodes[base][0] for base, _ in powers]
            found = frozenset(SUM if op in SUMS else op for op in ops)
            self._heads[powers] = found
        return found

    # ---- sums

    def whole(self, wanted: Pattern, bound: Bound, env: Bindings) -> Iterator[Bindings]:
        """Match all of a form."""
        form = bound.form
        if wanted.every:
            yield from self._every(wanted.parts[0], form, env)
        elif (value := self.value(wanted, env)) is not None:
            if value == form:
                yield env
        elif len(wanted.parts) > 1:
            if len(form) == len(wanted.parts) or wanted.free:
                for found, rest in self._others(wanted.parts, form, (1, NUMBER), env):
                    if not rest:
                        yield found
        elif (name := wanted.parts[0].variable) is not None:
            if (c := wanted.parts[0].coefficient) != 1:
                bound = Bound({p: divided(d, c) for p, d in form.items()})
            yield from self._bind(name, bound, env)
        elif len(form) == 1:
            ((powers, d),) = form.items()
            yield from self._exactly(wanted.parts[0], (d, powers), env)

    def _bind(self, name: str, bound: Bound, env: Bindings) -> Iterator[Bindings]:
        if name not in env:
            yield {**env, name: bound}
        elif isinstance(env[name], Bound) and env[name].form == bound.form:
            yield env

    def terms(
        self, wanted: Pattern, form: Form, env: Bindings
    ) -> Iterator[tuple[Bindings, Term, Form]]:
        """Match part of a sum: the bindings, the factor around it, the other terms."""
        first, *others = wanted.parts
        if len(form) > LONGEST or (len(form) < len(wanted.parts) and not wanted.free):
            return
        for powers, c in form.items():
            if first.operations <= self.heads(powers):
                rest = {p: d for p, d in form.items() if p != powers}
                for found, scale in self.term(first, (c, powers), env):
                    for last, left in self._others(others, rest, scale, found):
                        yield last, scale, left

    def _others(
        self, parts: Sequence[Part], form: Form, scale: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Form]]:
        """Match the parts that follow, all with the same factor around them."""
        if not parts:
            yield env, form
            return
        for found, left in self._other(parts[0], form, scale, env):
            yield from self._others(parts[1:], left, scale, found)

    def _other(
        self, part: Part, form: Form, scale: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Form]]:
        c, around = scale
        if (known := self.value(Pattern((part,)), env)) is not None:
            known = {times(p, around): d * c for p, d in known.items()}
            if all(form.get(p) == d for p, d in known.items()):
                yield env, {p: d for p, d in form.items() if p not in known}
        elif (name := part.variable) is not None:
            if form:
                size = c * part.coefficient
                rest = {times(p, around, -1): divided(d, size) for p, d in form.items()}
                for found in self._bind(name, Bound(rest), env):
                    yield found, {}
        else:
            wanted = part.operations - self.heads(around)
            for powers, d in form.items():
                if wanted <= self.heads(powers):
                    inner = divided(d, c), times(powers, around, -1)
                    for found in self._exactly(part, inner, env):
                        yield found, {p: e for p, e in form.items() if p != powers}

    def _every(self, part: Part, form: Form, env: Bindings) -> Iterator[Bindings]:
        """Match every term of a sum; a variable becomes the list of what it matched.

        A term without the exponential is taken with the exponential of 0.
        """
        head, weight = part.factors[0].base, part.factors[-1].base
        names = sorted(Pattern((part,)).variables)
        is_exp = isinstance(head, Call) and head.op == "exp"
        listed: list[Bindings] = []
        called = 0
        for powers, c in form.items():
            found = next(self._exactly(part, (c, powers), env), None)
            called += found is not None
            if found is None and is_exp:
                found = dict.fromkeys(names, Bound({}))
                if isinstance(weight, str):
                    found[weight] = Bound({powers: c})
                elif (c, powers) != (1, NUMBER):
                    return
            if found is None:
                return
            listed.append(found)
        if called and len(form) > 1:
            yield {**env, **{n: tuple(one[n] for one in listed) for n in names}}

    # ---- products

    def _exactly(self, part: Part, term: Term, env: Bindings) -> Iterator[Bindings]:
        """Match all of a product."""
        for found, left in self.term(part, term, env):
            if left == (1, NUMBER):
                yield found

    def term(
        self, part: Part, term: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Term]]:
        """Match part of a product: the bindings, and the factors that are left."""
        start = divided(term[0], part.coefficient), term[1]
        yield from self._factors(part.factors, start, env)

    def _factors(
        self, factors: Sequence[Factor], term: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Term]]:
        if not factors:
            yield env, term
            return
        for found, left in self._factor(factors[0], term, env):
            yield from self._factors(factors[1:], left, found)

    def _factor(
        self, factor: Factor, term: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Term]]:
        base, exponent = factor
        c, powers = term
        if isinstance(base, str):
            if base not in env:
                for one, left in self._taken(exponent, term):
                    yield {**env, base: one}, left
            return
        for b, e in powers:
            if e * exponent <= 0 or abs(e) < abs(exponent):
                continue
            rest = times(powers, ((b, exponent),), -1)
            if isinstance(base, Call):
                if self.nodes[b][0] == base.op:
                    for found in self.call(base, b, env):
                        yield found, (c, rest)
            elif self.nodes[b][0] in SUMS:
                for found, (k, around), more in self.terms(base, self.forms.of(b), env):
                    if not more and not around:
                        yield found, (c * raised(k, exponent), rest)

    def _taken(self, exponent: int, term: Term) -> Iterator[tuple[Bound, Term]]:
        """What a new variable can stand for in a product."""
        c, powers = term
        if exponent == 1:
            yield self._opened(c, powers), (1, NUMBER)
        elif exponent == -1:
            below = tuple((b, -e) for b, e in powers if e < 0)
            if below:
                yield self._opened(1, below), (c, times(powers, below))
        elif powers and all(e % exponent == 0 for _, e in powers):
            taken = tuple((b, e // exponent) for b, e in powers)
            size = square_root(c) if exponent == 2 and c > 0 else None
            if size not in (1, None):
                yield self._opened(size or 1, taken), (1, NUMBER)
            yield self._opened(1, taken), (c, NUMBER)

    def _opened(self, c: Number, powers: Powers) -> Bound:
        """A product that is one sum after all, as that sum."""
        if len(powers) == 1 and powers[0][1] == 1:
            base = powers[0][0]
            if self.nodes[base][0] in SUMS:
                inner = {p: c * d for p, d in self.forms.of(base).items()}
                return Bound(inner, base if c == 1 else None)
        return Bound({powers: c} if c else {})

    # ---- calls

    def call(self, wanted: Call, i: int, env: Bindings) -> Iterator[Bindings]:
        """Match an operation, its arguments in either order if they commute."""
        args: tuple[int, ...] = self.nodes[i][1:]
        bounds = [Bound(self.forms.of(a), a) for a in args]
        if len(args) == len(wanted.args):
            yield from self._arguments(wanted.args, bounds, env)
            row = self.forms.builder.ops[wanted.op]
            if len(args) == 2 and (row.commutes or row.variadic):
                yield from self._arguments(wanted.args, bounds[::-1], env)

    def _arguments(
        self, wanted: Sequence[Pattern], bounds: Sequence[Bound], env: Bindings
    ) -> Iterator[Bindings]:
        if not wanted:
            yield env
            return
        for found in self.whole(wanted[0], bounds[0], env):
            yield from self._arguments(wanted[1:], bounds[1:], found)

    # ---- values

    def values(self, wanted: Pattern, env: Bindings) -> list[Form]:
        """The form of a plain sum, or those of a variable that is a list; else none."""
        listed = env.get(wanted.parts[0].variable or "")
        if isinstance(listed, tuple):
            return [bound.form for bound in listed]
        found = self.value(wanted, env)
        return [] if found is None else [found]

    def value(self, wanted: Pattern, env: Bindings) -> Form | None:
        """The form of a plain sum of known variables, None of anything else."""
        if wanted.calls or wanted.every or not wanted.variables <= env.keys():
            return None
        total: Form = {}
        for part in wanted.parts:
            product: Form = {NUMBER: part.coefficient}
            for base, exponent in part.factors:
                bound = env[base] if isinstance(base, str) else None
                inner = bound.form if isinstance(bound, Bound) else None
                if isinstance(base, Pattern):
                    inner = self.value(base, env)
                if inner is None or exponent < 0:
                    return None
                for _ in range(exponent):
                    product = multiplied(product, inner)
            total = added(total, product)
        return total
