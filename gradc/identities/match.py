"""Matching: which parts of a program a pattern of the identity book describes.

Patterns and programs are compared as n-ary forms (`forms`), so sums and products match
in any order, with any signs and constants, and with more terms around them. The matcher
calls itself only as deep as a pattern is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gradc.analysis.forms import (
    NUMBER,
    SUMS,
    Form,
    Forms,
    Powers,
    Term,
    added,
    multiplied,
    over,
    power,
    root,
    scaled,
    square_root,
    times,
)
from gradc.identities.pattern import (
    CONSTANTS,
    FOLDED,
    SUM,
    Call,
    Factor,
    Part,
    Pattern,
    Variable,
)
from gradc.ir import Node

LONGEST = 64  # terms of a sum up to which some of them are looked for


@dataclass(frozen=True)
class Bound:
    """What a variable stands for: a form, and the node it was if it was one."""

    form: Form
    node: int | None = None

    @property
    def number(self) -> float | None:
        """The value of a constant."""
        if not self.form:
            return 0.0
        return self.form.get(NUMBER) if len(self.form) == 1 else None


Bindings = Mapping[str, "Bound | tuple[Bound, ...]"]


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

    def whole(self, wanted: Pattern, bound: Bound, env: Bindings) -> Iterator[Bindings]:
        """Match all of a form."""
        if wanted.every:
            yield from self._every(wanted.parts[0], bound.form, env)
            return
        if not wanted.calls and wanted.variables <= env.keys():
            if self._value(wanted, env) == bound.form:
                yield env
            return
        base = wanted.only
        if isinstance(base, Variable):
            if base.name not in CONSTANTS or bound.number is not None:
                yield {**env, base.name: bound}
            return
        form = bound.form
        if len(wanted.parts) == 1:
            yield from self._single(wanted.parts[0], form, env)
            return
        if len(form) != len(wanted.parts) and not wanted.free:
            return
        for found, rest in self._others(list(wanted.parts), form, (1.0, NUMBER), env):
            if not rest:
                yield found

    def _single(self, part: Part, form: Form, env: Bindings) -> Iterator[Bindings]:
        """Match a form with a pattern that is one term."""
        if len(form) == 1:
            ((powers, c),) = form.items()
            for found, (k, left) in self.term(part, (c, powers), env):
                if k == 1.0 and not left:
                    yield found
        elif len(part.factors) == 1 and part.factors[0].exponent == 1:
            base = part.factors[0].base
            if isinstance(base, Variable):
                divided = {p: over(c, part.coefficient) for p, c in form.items()}
                yield from self._bind(base.name, Bound(divided), env)

    def _bind(self, name: str, bound: Bound, env: Bindings) -> Iterator[Bindings]:
        known = env.get(name)
        if known is None:
            if name not in CONSTANTS or bound.number is not None:
                yield {**env, name: bound}
        elif isinstance(known, Bound) and known.form == bound.form:
            yield env

    # ---- sums

    def terms(
        self, wanted: Pattern, form: Form, env: Bindings
    ) -> Iterator[tuple[Bindings, Term, Form]]:
        """Match part of a sum: the bindings, the factor around it, the other terms."""
        first, *others = wanted.parts
        if len(form) > LONGEST or (len(form) < len(wanted.parts) and not wanted.free):
            return
        for powers, c in form.items():
            if not first.operations <= self.heads(powers):
                continue
            for found, scale in self.term(first, (c, powers), env):
                rest = {p: d for p, d in form.items() if p != powers}
                for last, left in self._others(others, rest, scale, found):
                    yield last, scale, left

    def _others(
        self, parts: list[Part], form: Form, scale: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Form]]:
        """Match the parts that follow, all with the same factor around them."""
        if not parts:
            yield env, form
            return
        part, *others = parts
        for found, left in self._other(part, form, scale, env):
            yield from self._others(others, left, scale, found)

    def _other(
        self, part: Part, form: Form, scale: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Form]]:
        c, around = scale
        if not part.whole.calls and part.whole.variables <= env.keys():
            value = self._value(part.whole, env)
            if value is None:
                return
            value = {times(p, around): scaled(d, c) for p, d in value.items()}
            if all(form.get(p) == d for p, d in value.items()):
                yield env, {p: d for p, d in form.items() if p not in value}
            return
        free = part.factors[0].base
        if len(part.factors) == 1 and isinstance(free, Variable):
            if form and free.name not in CONSTANTS and part.factors[0].exponent == 1:
                size = scaled(c, part.coefficient)
                rest = {times(p, around, -1): over(d, size) for p, d in form.items()}
                for found in self._bind(free.name, Bound(rest), env):
                    yield found, {}
                return
        wanted = part.operations - self.heads(around)
        for powers, d in form.items():
            if not wanted <= self.heads(powers):
                continue
            divided = (over(d, c), times(powers, around, -1))
            for found, (k, left) in self.term(part, divided, env):
                if k == 1.0 and not left:
                    yield found, {p: e for p, e in form.items() if p != powers}

    def _every(self, part: Part, form: Form, env: Bindings) -> Iterator[Bindings]:
        """Match every term of a sum; a variable becomes the list of what it matched.

        A term without the exponential is taken with the exponential of 0.
        """
        names = part.whole.variables
        listed: dict[str, list[Bound]] = {name: [] for name in names}
        called = 0
        for powers, c in form.items():
            found = next(self._listed(part, (c, powers), env), None)
            called += found is not None
            if found is None:
                head = part.factors[0].base
                if not isinstance(head, Call) or head.op != "exp":
                    return
                rest = part.factors[-1].base
                found = {n: Bound({}) for n in names}
                if isinstance(rest, Variable):
                    found[rest.name] = Bound({powers: c})
            for name in names:
                bound = found[name]
                assert isinstance(bound, Bound)
                listed[name].append(bound)
        if called > 0 and len(form) > 1:
            yield {**env, **{name: tuple(bs) for name, bs in listed.items()}}

    def _listed(self, part: Part, term: Term, env: Bindings) -> Iterator[Bindings]:
        for found, (k, left) in self.term(part, term, env):
            if k == 1.0 and not left:
                yield found
        last = part.factors[-1]
        if len(part.factors) > 1 and isinstance(last.base, Variable):
            bare = Part(part.coefficient, part.factors[:-1])
            for found, (k, left) in self.term(bare, term, env):
                if not left:
                    yield {**found, last.base.name: Bound({NUMBER: k})}

    # ---- products

    def term(
        self, part: Part, term: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Term]]:
        """Match part of a product: the bindings, and the factors that are left."""
        start = (over(term[0], part.coefficient), term[1])
        yield from self._factors(list(part.factors), start, env)

    def _factors(
        self, factors: list[Factor], term: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Term]]:
        if not factors:
            yield env, term
            return
        first, *others = factors
        if others and isinstance(first.base, Variable) and first.exponent == 1:
            if first.base.name not in env and first.base.name not in CONSTANTS:
                for (b, e), found in self._one_of(first.base.name, term, env):
                    left = term[0], _without(term[1], b, e)
                    yield from self._factors(others, left, found)
                return
        for found, left in self._factor(first, term, env):
            yield from self._factors(others, left, found)

    def _one_of(
        self, name: str, term: Term, env: Bindings
    ) -> Iterator[tuple[tuple[int, int], Bindings]]:
        """Bind a variable that others follow to each of the factors above the line."""
        for b, e in term[1]:
            if e > 0:
                yield (b, e), {**env, name: self._opened({((b, e),): 1.0})}

    def _factor(
        self, factor: Factor, term: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Term]]:
        base, exponent = factor
        c, powers = term
        if isinstance(base, Variable):
            yield from self._variable(base.name, exponent, term, env)
            return
        for b, e in powers:
            if e * exponent <= 0 or abs(e) < abs(exponent):
                continue
            node = self.nodes[b]
            if isinstance(base, Call) and node[0] != base.op:
                continue
            if isinstance(base, Call):
                for found in self.call(base, b, env):
                    yield found, (c, _without(powers, b, exponent))
            elif base.every:
                for found in self._every(base.parts[0], self.forms.of(b), env):
                    yield found, (c, _without(powers, b, exponent))
            elif node[0] in SUMS:
                for found, (k, around), rest in self.terms(base, self.forms.of(b), env):
                    if not rest and not around:
                        left = _without(powers, b, exponent)
                        yield found, (scaled(c, power(k, exponent)), left)

    def _variable(
        self, name: str, exponent: int, term: Term, env: Bindings
    ) -> Iterator[tuple[Bindings, Term]]:
        c, powers = term
        known = env.get(name)
        if isinstance(known, Bound):
            if len(known.form) == 1:
                ((p, d),) = known.form.items()
                p = tuple((b, e * exponent) for b, e in p)
                held = dict(powers)
                if all(held.get(b, 0) * e > 0 for b, e in p):
                    yield env, (over(c, power(d, exponent)), times(powers, p, -1))
                return
            for b, e in powers:
                if e == exponent and self.nodes[b][0] in SUMS:
                    if self.forms.of(b) == known.form:
                        yield env, (c, times(powers, ((b, e),), -1))
            return
        if name in CONSTANTS:
            if exponent == 1:
                yield {**env, name: Bound({NUMBER: c})}, (1.0, powers)
            return
        if exponent == -1:
            below = tuple((b, -e) for b, e in powers if e < 0)
            parts: list[Powers] = [(one,) for one in below] if len(below) > 1 else []
            for divisor in [below, *parts] if below else []:
                left = times(powers, divisor)
                yield {**env, name: self._opened({divisor: 1.0})}, (c, left)
            return
        taken = root(powers, exponent)
        if not powers or taken is None:
            return
        if exponent == 1:
            yield {**env, name: self._opened({taken: c})}, (1.0, NUMBER)
            return
        yield {**env, name: self._opened({taken: 1.0})}, (c, NUMBER)
        if exponent == 2 and c > 0.0 and c != 1.0:
            factor = square_root(c)
            if factor is not None:
                yield {**env, name: self._opened({taken: factor})}, (1.0, NUMBER)

    def _opened(self, form: Form) -> Bound:
        """A product that is one sum after all, as that sum."""
        ((powers, c),) = form.items()
        if len(powers) == 1 and powers[0][1] == 1:
            base = powers[0][0]
            if self.nodes[base][0] in SUMS:
                inner = self.forms.of(base)
                found = {p: scaled(c, d) for p, d in inner.items()}
                return Bound(found, base if c == 1.0 else None)
        return Bound(form)

    # ---- calls

    def call(self, wanted: Call, i: int, env: Bindings) -> Iterator[Bindings]:
        """Match an operation, its arguments in either order if they commute."""
        if wanted.op in FOLDED and wanted.args[-1].every:
            yield from self._one_and_others(wanted, self.nodes[i][1:], env)
            return
        for args in self._orders(wanted, self.nodes[i][1:]):
            yield from self._arguments(list(zip(wanted.args, args)), env)

    def _one_and_others(
        self, wanted: Call, args: Node, env: Bindings
    ) -> Iterator[Bindings]:
        """Match one argument of several with a variable, and list the others."""
        one = wanted.args[0].only
        assert isinstance(one, Variable)
        names = wanted.args[1].variables
        if 2 < len(args) <= LONGEST:
            bound = [Bound(self.forms.of(a), a) for a in args]
            for k in range(len(args)):
                left = (*bound[:k], *bound[k + 1 :])
                for found in self._bind(one.name, bound[k], env):
                    yield {**found, **dict.fromkeys(names, left)}

    def _orders(self, wanted: Call, args: Node) -> Iterator[Sequence[int]]:
        """The arguments as a pattern may take them, by as many as it has.

        A length of many parts is one of any part and of the length of the others, and
        so is the logarithm of a sum of exponentials.
        """
        op, builder = wanted.op, self.forms.builder
        if op in FOLDED and len(wanted.args) == 2 <= len(args) <= LONGEST:
            for k, a in enumerate(args):
                others = args[:k] + args[k + 1 :]
                yield a, builder.add(op, *others) if len(others) > 1 else others[0]
        elif len(args) == len(wanted.args):
            yield args
            if len(args) == 2 and builder.ops[op].commutes:
                yield args[::-1]

    def _arguments(
        self, pairs: list[tuple[Pattern, int]], env: Bindings
    ) -> Iterator[Bindings]:
        if not pairs:
            yield env
            return
        (wanted, i), *others = pairs
        for found in self.whole(wanted, Bound(self.forms.of(i), i), env):
            yield from self._arguments(others, found)

    # ---- values

    def _value(self, wanted: Pattern, env: Bindings) -> Form | None:
        """The form of a pattern of known variables; None if it is no plain sum."""
        total: Form = {}
        for part in wanted.parts:
            product: Form | None = {NUMBER: part.coefficient}
            for base, exponent in part.factors:
                inner = self._known(base, env)
                if inner is None or (exponent < 0 and len(inner) != 1):
                    return None
                product = _raised(product or {}, inner, exponent)
            total = added(total, self._squared(product or {}))
        return total

    def _squared(self, form: Form) -> Form:
        """A sum in which the squares of roots of constants are those constants."""
        found: Form = {}
        for powers, c in form.items():
            left = []
            for base, e in powers:
                radicand = self._radicand(base)
                if radicand is not None and e % 2 == 0:
                    c = scaled(c, power(radicand, e // 2))
                else:
                    left.append((base, e))
            found[tuple(left)] = c
        return found

    def _radicand(self, base: int) -> float | None:
        """The constant below a root."""
        op, *args = self.nodes[base]
        return self.forms.builder.value_of(args[0]) if op == "sqrt" else None

    def _known(self, base: Variable | Call | Pattern, env: Bindings) -> Form | None:
        if isinstance(base, Variable):
            bound = env[base.name]
            return bound.form if isinstance(bound, Bound) else None
        return self._value(base, env) if isinstance(base, Pattern) else None


def _without(powers: Powers, base: int, exponent: int) -> Powers:
    """A product divided by a power of one of its bases."""
    left = [(b, e - exponent if b == base else e) for b, e in powers]
    return tuple([(b, e) for b, e in left if e])


def _raised(product: Form, base: Form, exponent: int) -> Form | None:
    if exponent < 0:
        ((powers, c),) = base.items()
        inverse = {tuple((b, -e) for b, e in powers): over(1.0, c)}
        return _raised(product, inverse, -exponent)
    for _ in range(exponent):
        product = multiplied(product, base)
    return product
