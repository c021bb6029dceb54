"""Write what cancels or overflows in another way, by the rules of the identity book.

    %0 = input x                     %0 = input x
    %1 = exp %0                      %1 = softplus %0
    %2 = const 1.0          -->      out %1
    %3 = add %1 %2
    %4 = log %3
    out %4

The pass runs before `derive`, so that the derivative is that of the better form. It goes
through the program once; a node is looked up by its operation, a sum or a product by the
operations of its terms, so a program in which no rule applies comes back as it was. An
operation is offered to the rules over what it was written with and, if none applies,
over what that has become: `log(exp(x) - exp(y))` is one rule although its difference
alone would be another. Sums and products are offered the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradc.analysis.forms import KINDS, PRODUCTS, SUMS, Form, Forms, Term, times
from gradc.analysis.forms import written
from gradc.analysis.ranges import Ranges
from gradc.errors import Span
from gradc.identities.book import Rule, Writer, book
from gradc.identities.match import ONE, Bindings, Matcher
from gradc.ir import EXTREMES, Builder, Program, arguments, compact
from gradc.passes.factor import weight

MOST = 10_000  # nodes above which a program is left as it is
ROUNDS = 8  # rules that are applied to one node after the other

Match = tuple[Rule, Bindings, Term, Form]  # and the factor and the terms around it


def stabilise(program: Program) -> Program:
    """Return a program of the same real function that keeps more digits."""
    if len(program.nodes) > MOST:
        return program
    return _Stabiliser(program).run()


class _Stabiliser:
    """A growing program, and which rules have been applied to it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.fired: list[tuple[str, Span | None]] = []
        self.refined: dict[int, int] = {}  # what replacements have added, as it is now
        self.roots, single = roots(program)
        self.builder = Builder.upon(program)
        self.forms = Forms(self.builder, single)
        self.matcher = Matcher(self.forms)
        self.writer = Writer(self.forms, Ranges(self.builder, program.inputs))

    def run(self) -> Program:
        program, builder = self.program, self.builder
        plain: list[int] = []  # with arguments as they are now, not rewritten itself
        deep: list[int] = []  # and neither is the arithmetic below
        new: list[int] = []
        for i, node in enumerate(program.nodes):
            builder.span = program.spans[i]
            args = arguments(node)
            j = self._over(i, [new[a] for a in args])
            plain.append(j)
            is_opened = node[0] in SUMS | PRODUCTS
            deep.append(self._over(i, [deep[a] for a in args]) if is_opened else j)
            if self.roots[i] and args:
                seen = deep if node[0] in PRODUCTS else plain
                j = self._settled(i, self._over(i, [seen[a] for a in args]), j)
                builder.label(j, program.spans[i])
            new.append(j)
            self.writer.better |= {plain[i]: j, deep[i]: j}
            if i != j and i in program.names:
                builder.names.pop(i, None)
                if builder.nodes[j][0] not in ("const", "input"):
                    builder.name(j, program.names[i])
        if all(i == j for i, j in enumerate(new)):
            return program
        after = builder.follow(program, [new[i] for i in program.outputs])
        return replace(compact(after), rules=tuple(self.fired))

    def _over(self, i: int, args: list[int]) -> int:
        """A node over other arguments; a maximum over all that it is the maximum of."""
        (op, *old), nodes = self.program.nodes[i], self.builder.nodes
        if op in EXTREMES and any(nodes[a][0] == op for a in args):  # to share a tie
            inner = [nodes[a][1:] if nodes[a][0] == op else (a,) for a in args]
            args = [*dict.fromkeys(a for some in inner for a in some)]
        return i if args == old or not args else self.builder.add(op, *args)

    def _settled(self, i: int, written: int, j: int) -> int:
        """Apply rules to a node until none applies, first to it as it was written."""
        is_arithmetic = self.builder.nodes[j][0] in SUMS | PRODUCTS
        found = None
        for k in dict.fromkeys((j, written) if is_arithmetic else (written, j)):
            found = found or self._once(i, k, anything=k == j)
        for _ in range(ROUNDS):
            if found is None:
                break
            j, found = found, self._once(i, found)
        return j

    def _once(
        self, i: int, j: int, anything: bool = True, within: tuple[Rule, ...] = ()
    ) -> int | None:
        """What the first rule that applies to a node makes of it.

        Arguments:
            anything: whether to apply rules of a call of anything; what was rewritten
                below is better than log1p(x) of anything.
            within: the rules whose replacements the node is a part of.
        """
        for rule, env, scale, rest in self._matches(j) if len(within) < ROUNDS else ():
            if rule.takes_anything and not anything or rule.repeats and rule in within:
                continue
            if rule.holds(self.matcher, self.writer, env):
                size = len(self.builder)
                if (value := self.writer.write(rule, env)) is None:
                    continue
                value = self._refined(i, size, value, (*within, rule))
                value = self._around(value, scale, rest)
                if value != j:
                    self.fired.append((rule.name, self.program.spans[i]))
                    return value
        return self._into_branches(j)

    def _into_branches(self, j: int) -> int | None:
        """Move a product into the branches of a rule, if it cancels in one of them.

        `where(c, -4*a*e, d)/a` has the derivative by `a` that its branches have.
        """
        c, powers = self.forms.factors(j)
        for base, e in powers:
            op, *args = self.builder.nodes[base]
            if op == "where" and e == 1 and base >= len(self.program.nodes):
                around = times(powers, ((base, 1),), -1)
                arms = [self.forms.factors(a) for a in args[1:]]
                whole = [(c * d, times(own, around)) for d, own in arms]
                sizes = [weight(own) + weight(around) for _, own in arms]
                if any(weight(p) < size for (_, p), size in zip(whole, sizes)):
                    sides = [written(self.builder, *side) for side in whole]
                    return self.builder.add("where", args[0], *sides)
        return None

    def _refined(self, i: int, size: int, value: int, within: tuple[Rule, ...]) -> int:
        """Apply rules to the operations that a replacement has added."""
        for j in range(size, value + 1):
            node = self.builder.nodes[j]
            args = [self.refined.get(a, a) for a in arguments(node)]
            k = self.builder.add(node[0], *args) if args else j
            found = self._once(i, k, within=within) if args and j != value else None
            self.refined[j] = k if found is None else found
        return self.refined.get(value, value)

    def _around(self, value: int, scale: Term, rest: Form) -> int:
        """The replacement with the factor and the terms that stood around it."""
        c, powers = scale
        if powers or c != 1:
            inner, own = self.forms.factors(value)
            powers = times(self.writer.now(powers), own)
            value = written(self.builder, c * inner, powers)
        return self.builder.add("add", self.writer.node(rest), value) if rest else value

    def _matches(self, j: int) -> Iterator[Match]:
        """The rules that match a node."""
        op, matcher = self.builder.nodes[j][0], self.matcher
        c, powers = self.forms.factors(j)
        if op not in SUMS and powers == ((j, 1),):
            for rule in book().get(op, ()):
                call = rule.wanted.call
                assert call is not None
                for found in matcher.call(call, j, {}):
                    yield rule, found, ONE, {}
            return
        form = self.forms.of(j) if op in SUMS else {powers: c}
        heads = frozenset().union(*map(matcher.heads, form))
        for rule in book()["sum" if op in SUMS else "product"]:
            if rule.operations <= heads:
                for found, scale, rest in matcher.terms(rule.wanted, form, {}):
                    yield rule, found, scale, rest


def roots(program: Program) -> tuple[list[bool], list[bool]]:
    """Which nodes no larger sum or product takes in, and which have one reader."""
    nodes = program.nodes
    readers = [[nodes[i][0] for i in own] for own in program.readers]  # operations
    for i in program.outputs:
        readers[i].append("")
    single = [len(ops) == 1 for ops in readers]
    inner = [
        one and KINDS.get(node[0], node[0]) == KINDS.get(ops[0])
        for node, ops, one in zip(nodes, readers, single)
    ]
    return [not one for one in inner], single
