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
from itertools import permutations
from typing import NamedTuple

from gradc.analysis.forms import NUMBER, SUMS, Form, Forms, Number, Powers, Term, added
from gradc.analysis.forms import divided, multiplied, raised, square_root, times
from gradc.analysis.forms import written
from gradc.ir import Builder
from gradc.language.syntax import Row
from gradc.ops import OPS

CONSTANTS = frozenset({"pi", "e"})  # names that are no variables
EVERY = "every"  # `every(t)`: a sum of any number of terms `t`
SUM = "sum"  # what a base is called that is a sum
NEVER = ""  # the variable of an operation and of a quotient, which is never known
LONGEST = 64  # terms of a sum up to which some of them are looked for
ONE: Term = (1, NUMBER)


class Call(NamedTuple):
    """An operation that is no arithmetic."""

    op: str
    args: tuple[Pattern, ...]


class Factor(NamedTuple):
    """A base of a product: a variable, an operation or a sum; and its exponent."""

    base: str | Call | Pattern
    exponent: int


@dataclass(frozen=True)
class Part:
    """A term of a pattern: a coefficient times factors."""

    coefficient: Number
    factors: tuple[Factor, ...]

    @cached_property
    def operations(self) -> frozenset[str]:
        """What the bases have to be that are no variables."""
        bases = [base for base, _ in self.factors if not isinstance(base, str)]
        return frozenset(base.op if isinstance(base, Call) else SUM for base in bases)

    @cached_property
    def variable(self) -> str | None:
        """The variable that the part is, but for its coefficient."""
        (base, e), *others = self.factors or [Factor("", 0)]
        return base if isinstance(base, str) and e == 1 and not others else None

    @cached_property
    def needs(self) -> frozenset[str]:
        """The variables that tell what it is."""
        found: set[str] = set()
        for base, e in self.factors:
            if e < 0 or isinstance(base, Call):
                found.add(NEVER)
            else:
                found |= {base} if isinstance(base, str) else base.needs
        return frozenset(found)


@dataclass(frozen=True)
class Pattern:
    """A sum of parts, those first from which the others follow."""

    parts: tuple[Part, ...]
    every: bool = False

    @cached_property
    def needs(self) -> frozenset[str]:
        """The variables that tell what it is."""
        own = frozenset({NEVER} if self.every else ())
        return own.union(*(part.needs for part in self.parts))

    @cached_property
    def call(self) -> Call | None:
        """The operation that the whole pattern is, None if it is arithmetic."""
        part, *others = self.parts
        (base, e), *more = part.factors or [Factor("", 0)]
        if others or more or self.every or part.coefficient != 1 or e != 1:
            return None
        return base if isinstance(base, Call) else None


def operation(row: Row) -> str:
    """What a row does: the operation that its name calls, or what it is called."""
    name, count = row.payload if row.op in ("call", "name") else row.op, len(row.args)
    fitting = (found.name for found in OPS.function(name) if found.accepts(count))
    return next(fitting, name)


def pattern(rows: Sequence[Row]) -> Pattern:
    """Read an expression."""
    builder, new = Builder(), list[int]()
    for row in rows:
        if row.op == "number":
            new.append(builder.const(row.payload))
        elif row.op == "name" and row.payload not in CONSTANTS:
            new.append(builder.input(row.payload))
        else:
            new.append(builder.add(operation(row), *[new[a] for a in row.args]))
    return _sum(Forms(builder, [True] * len(builder)), new[-1])


def _sum(forms: Forms, i: int) -> Pattern:
    """A node as a pattern."""
    op, *args = forms.builder.nodes[i]
    if op == EVERY:
        return replace(_sum(forms, args[0]), every=True)
    parts = list[Part]()
    for powers, c in forms.of(i).items():
        factors = [Factor(_base(forms, base), e) for base, e in powers]
        parts.append(Part(c, tuple(sorted(factors, key=_freedom))))
    parts.sort(key=lambda part: min(map(_freedom, part.factors), default=2))
    return Pattern(tuple(parts or [Part(0, ())]))


def _base(forms: Forms, i: int) -> str | Call | Pattern:
    op, *args = forms.builder.nodes[i]
    if op == "input" or op in SUMS:
        return _sum(forms, i) if op in SUMS else str(args[0])
    return Call(op, tuple(_sum(forms, a) for a in args))


def _freedom(factor: Factor) -> float:
    """How much it can match: calls of one term least, plain variables most."""
    base, e = factor
    if isinstance(base, str):
        return 3 if e == 1 else 2
    if isinstance(base, Call):
        return 1 - 1 / max(1, sum(len(arg.parts) for arg in base.args))
    return 1


@dataclass(frozen=True)
class Bound:
    """What a variable stands for: a form, and the node it was if it was one."""

    form: Form
    node: int | None = None


Bindings = Mapping[str, tuple[Bound, ...]]  # one of a variable, or those of a list


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

    def whole(self, wanted: Pattern, bound: Bound, env: Bindings) -> list[Bindings]:
        """Match all of a form."""
        first, form = wanted.parts[0], bound.form
        if wanted.every:
            return self._every(first, form, env)
        if first.variable and first.coefficient == 1 and len(wanted.parts) == 1:
            if first.variable not in env:
                return [{**env, first.variable: (bound,)}]
        matched = self._parts(wanted.parts, form, ONE, env)
        return [found for found, rest in matched if not rest]

    def terms(
        self, wanted: Pattern, form: Form, env: Bindings
    ) -> Iterator[tuple[Bindings, Term, Form]]:
        """Match part of a sum: the bindings, the factor around it, the other terms."""
        first, *others = wanted.parts
        if wanted.needs <= env.keys():
            for opened in (True, False):
                if self.value(wanted.parts, env, opened) == form:
                    yield env, ONE, {}
            return
        for powers, c in form.items() if len(form) <= LONGEST else ():
            if first.operations <= self.heads(powers):
                rest = {p: d for p, d in form.items() if p != powers}
                for found, scale in self.term(first, (c, powers), env):
                    for last, left in self._parts(others, rest, scale, found):
                        yield last, scale, left

    def _parts(
        self, parts: Sequence[Part], form: Form, scale: Term, env: Bindings
    ) -> list[tuple[Bindings, Form]]:
        """Match parts of a sum, all with the same factor around them; what is left."""
        c, around = scale
        told = [part for part in parts if part.needs <= env.keys()]
        total = {times(p, around): d * c for p, d in self.value(told, env).items()}
        if any(form.get(p) != d for p, d in total.items()):
            return []
        form = {p: d for p, d in form.items() if p not in total}
        if len(told) == len(parts):
            return [(env, form)]
        first, *others = [part for part in parts if part not in told]
        if first.variable is not None:  # it takes one term if others are left
            some = dict([*form.items()][: 1 if others else None])
            rest = {p: d for p, d in form.items() if p not in some}
            size = c * first.coefficient
            own = {times(p, around, -1): divided(d, size) for p, d in some.items()}
            env = {**env, first.variable: (Bound(own),)}
            return self._parts(others, rest, scale, env) if own else []
        found: list[tuple[Bindings, Form]] = []
        wanted = first.operations - self.heads(around)
        for powers, d in form.items() if len(form) <= LONGEST else ():
            if wanted <= self.heads(powers):
                inner = divided(d, c), times(powers, around, -1)
                rest = {p: e for p, e in form.items() if p != powers}
                for one in self._exactly(first, inner, env):
                    found += self._parts(others, rest, scale, one)
        return found

    def _every(self, part: Part, form: Form, env: Bindings) -> list[Bindings]:
        """Match every term of a sum; a variable becomes the list of what it matched.

        A term without the exponential is taken with the exponential of 0.
        """
        head, weight = part.factors[0].base, part.factors[-1].base
        listed: list[Bindings] = []
        called = 0
        for powers, c in form.items():
            matched = self._exactly(part, (c, powers), {})
            called += bool(matched)
            if not matched and isinstance(head, Call) and head.op == "exp":
                found = {head.args[0].parts[0].variable or "": (Bound({}),)}
                if isinstance(weight, str):
                    matched = [{**found, weight: (Bound({powers: c}),)}]
                elif (c, powers) == ONE:
                    matched = [found]
            if not matched:
                return []
            listed.append(matched[0])
        if not called or len(form) == 1:
            return []
        lists = {name: [one[name][0] for one in listed] for name in listed[0]}
        return [{**env, **{name: tuple(found) for name, found in lists.items()}}]

    def _exactly(self, part: Part, term: Term, env: Bindings) -> list[Bindings]:
        """Match all of a product."""
        return [found for found, left in self.term(part, term, env) if left == ONE]

    def term(
        self, part: Part, term: Term, env: Bindings
    ) -> list[tuple[Bindings, Term]]:
        """Match part of a product: the bindings, and the factors that are left."""
        found = [(env, (divided(term[0], part.coefficient), term[1]))]
        for factor in part.factors:
            found = [new for one in found for new in self._factor(factor, *one)]
        return found

    def _factor(
        self, factor: Factor, env: Bindings, term: Term
    ) -> Iterator[tuple[Bindings, Term]]:
        base, exponent = factor
        c, powers = term
        if isinstance(base, str):
            for one, left in self._taken(exponent, term) if base not in env else ():
                yield {**env, base: (one,)}, left
            known = env[base][0].form if base in env else {}
            for inner, d in known.items() if len(known) == 1 else ():
                taken, there = tuple((b, e * exponent) for b, e in inner), dict(powers)
                if all(there.get(b, 0) * e >= e * e for b, e in taken):
                    yield env, (
                        divided(c, raised(d, exponent)),
                        times(powers, taken, -1),
                    )
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
        elif exponent == -1:  # each divisor once, or as often as it stands
            below = tuple((b, -e) for b, e in powers if e < 0)
            for taken in (
                {tuple((b, 1) for b, _ in below): 0, below: 0} if below else ()
            ):
                yield self._opened(1, taken), (c, times(powers, taken))
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
                return Bound(inner, written(self.forms.builder, c, powers))
        return Bound({powers: c} if c else {})

    def call(self, wanted: Call, i: int, env: Bindings) -> list[Bindings]:
        """Match an operation, up to three arguments in any order if they commute."""
        args: tuple[int, ...] = self.nodes[i][1:]
        if len(args) != len(wanted.args):
            return []
        bounds = [Bound(self.forms.of(a), a) for a in args]
        row, matched = self.forms.builder.ops[wanted.op], list[Bindings]()
        is_free = len(args) <= 3 and (row.commutes or row.variadic)
        for order in permutations(bounds) if is_free else (bounds,):
            found = [env]
            for inner, bound in zip(wanted.args, order):
                found = [new for one in found for new in self.whole(inner, bound, one)]
            matched += found
        return matched

    def values(self, wanted: Pattern, env: Bindings) -> list[Form]:
        """The form of a plain sum, or those of a variable that is a list."""
        bounds = env.get(wanted.parts[0].variable or "", ())
        if len(bounds) > 1:
            return [bound.form for bound in bounds]
        return [self.value(wanted.parts, env)]

    def value(self, parts: Sequence[Part], env: Bindings, opened: bool = True) -> Form:
        """The form of a sum in which nothing is left to be found.

        The sums that variables stand for are multiplied out, unless they are not opened.
        """
        total: Form = {}
        for part in parts:
            product: Form = {NUMBER: part.coefficient}
            for base, exponent in part.factors:
                assert not isinstance(base, Call)
                if isinstance(base, str):
                    inner, node = env[base][0].form, env[base][0].node
                    if len(inner) > 1 and node is not None and not opened:
                        inner = {((node, 1),): 1}
                else:
                    inner = self.value(base.parts, env, opened)
                for _ in range(exponent):
                    product = multiplied(product, inner)
            total = added(total, product)
        return total
