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
argument of an operation is offered to the rules as it was written and, if none applies,
as rewritten: `log(exp(x) - exp(y))` is one rule although its difference alone would be
another. Rules for log are rules for log2 and log10, too. A quotient is offered as
rewritten first, and a sum or a product at last with all that lies below it as it was
written, to rules that ask for an equation. What a rule leaves around is taken as rewritten.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from gradc.analysis.cancellation import Cancellation
from gradc.analysis.forms import (
    NUMBER,
    PRODUCTS,
    SUMS,
    Form,
    Forms,
    Powers,
    Term,
    meet,
    scaled,
    times,
)
from gradc.analysis.ranges import Ranges
from gradc.identities.book import Head, Rule, index
from gradc.identities.instantiate import Instance
from gradc.identities.match import Bindings, Bound, Matcher
from gradc.identities.pattern import Call
from gradc.ir import EXTREMES, Builder, Program, arguments, compact
from gradc.language.syntax import Span

MOST = 10_000  # nodes above which a program is left as it is
ALONE = "alone"
BASES = {"log2": 2.0, "log10": 10.0}  # of logarithms that have the rules of log, too
Asked = Callable[[Rule], bool]
Match = tuple[Rule, Bindings, Term, Form]  # and the factor and the terms around it

MANY = 1_000_000  # times that a base may be read by a rule for products
ROUNDS = 8  # rules that are applied to one node after the other


def stabilise(program: Program) -> Program:
    """Return a program of the same real function that keeps more digits."""
    if len(program.nodes) > MOST:
        return program
    return _Stabiliser(program).run()


class _Stabiliser:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.fired: list[tuple[str, Span | None]] = []
        self.rewritten: dict[int, int] = {}  # what nodes have become
        self.refined: dict[int, int] = {}  # the same of nodes that rules have added
        self.roots, self.single = roots(program)
        self.terms = terms(program)
        self.builder = Builder.upon(program)
        self.forms = Forms(self.builder, self.single)
        self.matcher = Matcher(self.forms)
        self.sums = Cancellation(self.forms, self.single)
        self.ranges = Ranges(self.builder, program.inputs)
        self.index = index()
        self.met = 0  # nodes whose operations the index has met

    def run(self) -> Program:
        program, builder = self.program, self.builder
        plain: list[int] = []  # with rewritten arguments, themselves not rewritten
        new: list[int] = []
        for i, node in enumerate(program.nodes):
            builder.span = program.spans[i]
            args = arguments(node)
            if node[0] in EXTREMES:
                j = self._joined(i, [new[a] for a in args])
            elif all(new[a] == a for a in args):
                j = i
            else:
                j = builder.add(node[0], *[new[a] for a in args])
            is_root = node[0] == "sqrt" and plain[args[0]] != new[args[0]]
            plain.append(builder.add("sqrt", plain[args[0]]) if is_root else j)
            if self.roots[i] and args:
                written = j
                if any(plain[a] != new[a] and self._keeps(i, a) for a in args):
                    written = builder.add(node[0], *[plain[a] for a in args])
                j = self._settled(i, written, j)
                builder.label(j, program.spans[i])
            new.append(j)
            self.rewritten |= {k: j for k in (i, plain[i]) if k != j}
            if i != j and i in program.names:
                builder.names.pop(i, None)
                if builder.nodes[j][0] not in ("const", "input"):
                    builder.name(j, program.names[i])
        if all(i == j for i, j in enumerate(new)):
            return program
        after = builder.follow(program, [new[i] for i in program.outputs])
        return replace(compact(after), rules=tuple(self.fired))

    def _joined(self, i: int, args: list[int]) -> int:
        """The largest or smallest of all, so that all of them share a tie equally.

        Numbers are last, so that of equal ones that is taken which depends on inputs.
        """
        op, nodes = self.program.nodes[i][0], self.builder.nodes
        found = [b for a in args for b in (nodes[a][1:] if nodes[a][0] == op else (a,))]
        if len(found) > len(args):
            self.fired.append((f"{op} of {op}", self.program.spans[i]))
            found = [*dict.fromkeys(found)]
        found.sort(key=lambda a: nodes[a][0] == "const")
        return self.builder.add(op, *found)

    def _settled(self, i: int, written: int, j: int) -> int:
        """Apply rules to a node until none applies, an operation first as written."""
        self.builder.span = self.program.spans[i]
        forms = (j, written) if self._is_arithmetic(j) else (written, j)
        found = self._once(i, forms[0], told=forms[0] != j)
        if found is None and written != j:
            found = self._once(i, forms[1], told=forms[1] != j)
        is_wide = self.program.nodes[i][0] in SUMS | PRODUCTS
        if found is None and is_wide and i not in forms:
            found = self._once(i, i, whole=True)
        for _ in range(ROUNDS):
            if found is None:
                break
            j, found = found, self._once(i, found)
        return self._without_opposites(i, j)

    def _without_opposites(self, i: int, j: int) -> int:
        """A sum with the terms gone that vanish over a common denominator."""
        if self.builder.nodes[j][0] not in SUMS:
            return j
        found = self.sums.applied(j)
        if found != j:
            self.fired.append(("opposite terms", self.program.spans[i]))
        return found

    def _keeps(self, i: int, a: int) -> bool:
        """Whether an argument is offered as it was written.

        A sum is, a power or a root in a sum, a logarithm in a product, and below a
        logarithm a product or a power, and the only quotient by its divisor.
        """
        op, (below, *args) = self.program.nodes[i][0], self.program.nodes[a]
        if op in SUMS:
            return below in ("pow", "sqrt")
        if op == "log" and below in PRODUCTS | {"pow"}:
            return below != "div" or self.single[args[1]]
        return below in SUMS or (below == "log" and op in PRODUCTS)

    def _is_arithmetic(self, j: int) -> bool:
        node = self.builder.nodes[j]
        return node[0] in SUMS or self.forms.factors(j) != (1.0, ((j, 1),))

    def _once(
        self,
        i: int,
        j: int,
        branches: bool = True,
        told: bool = False,
        whole: bool = False,
    ) -> int | None:
        """What the first rule that applies to a node makes of it.

        Arguments:
            branches: whether to apply rules that have branches.
            told: whether to apply only rules of calls that say what these are called
                with; what was rewritten below is better than log1p(x) of anything.
            whole: whether to apply only rules that ask for all as it was written.
        """

        def asked(rule: Rule) -> bool:
            if (not branches and rule.branches) or (told and rule.takes_anything):
                return False
            return not whole or rule.asks_as_written

        for rule, bindings, scale, rest in self._matches(j, asked):
            is_term = rest or (i < len(self.terms) and self.terms[i])
            bindings = {**bindings, ALONE: Bound({} if is_term else {NUMBER: 1.0})}
            instance = Instance(self.builder, self.forms, self.ranges, bindings)
            if rule.given and not instance.known(rule.given):
                continue
            size = len(self.builder)
            value = instance.build(rule.replacement, rule.pattern)
            if value is None:
                continue
            value = self._refined(i, size, value, rule)
            value = self._to_base(j, value, rule)
            value = self._around(value, scale, rest)
            if value == j:
                continue
            self.fired.append((rule.name, self.program.spans[i]))
            return value
        return self._into_branches(j)

    def _to_base(self, j: int, value: int, rule: Rule) -> int:
        """What a rule made of a natural logarithm, for one to another base.

        What is a logarithm there becomes one to that base.
        """
        op = self.builder.nodes[j][0]
        if op not in BASES or rule.head != ("call", "log"):
            return value
        builder = self.builder
        kind, *args = builder.nodes[value]
        if kind == "where":
            arms = [self._to_base(j, arm, rule) for arm in args[1:]]
            return builder.add("where", args[0], *arms)
        c, powers = self.forms.factors(value)
        for base, e in powers:
            if builder.nodes[base][0] == "log" and e == 1:
                to_base = builder.add(op, builder.nodes[base][1])
                others = times(powers, ((base, 1),), -1)
                return self.forms.product(c, times(others, ((to_base, 1),)))
        return builder.add("div", value, builder.add("log", builder.const(BASES[op])))

    def _into_branches(self, j: int) -> int | None:
        """Move a product into the branches of a rule, if it cancels in one of them.

        `where(c, -4*a*e, d)/a` has the derivative by `a` that its branches have.
        """
        builder = self.builder
        c, powers = self.forms.factors(j)
        for base, e in powers:
            node = builder.nodes[base]
            if node[0] != "where" or abs(e) != 1 or base < len(self.program.nodes):
                continue
            around = times(powers, ((base, e),), -1)
            arms = [self._raised(a, e) for a in node[2:]]
            if not all(math.isfinite(d) for d, _ in arms):
                continue
            if any(_cancels(own, around) for _, own in arms):
                whole = [
                    self.forms.product(scaled(c, d), times(own, around))
                    for d, own in arms
                ]
                return builder.add("where", node[1], *whole)
        return None

    def _raised(self, i: int, exponent: int) -> Term:
        """A node, or its inverse, as a product."""
        c, powers = self.forms.factors(i)
        return _power(c, exponent), tuple((base, e * exponent) for base, e in powers)

    def _refined(self, i: int, size: int, value: int, rule: Rule) -> int:
        """Apply rules to the operations that a replacement has added.

        Where it has branches only rules that have none, which decide nothing twice.
        """
        nodes = self.builder.nodes
        new: dict[int, int] = {}
        for j in range(size, value + 1):
            node = nodes[j]
            args = [new.get(a, self._best(a)) for a in arguments(node)]
            if node[0] == "mul" or (args and self._known(("call", node[0]))):
                k = self.builder.add(node[0], *args)
                found = self._once(i, k, not rule.branches) if j != value else None
                new[j] = k if found is None else found
                self.refined[j] = new[j]
            elif args != list(arguments(node)):
                new[j] = self.builder.add(node[0], *args)
        return new.get(value, value)

    def _best(self, i: int) -> int:
        """A node, or what it has become: a root, or what a rule has added."""
        if self.builder.nodes[i][0] == "sqrt":
            return self.rewritten.get(i, i)
        return self.refined.get(i, i)

    def _around(self, value: int, scale: Term, rest: Form) -> int:
        """The replacement with the factor and the terms that stood around it."""
        c, powers = scale
        if powers or c != 1.0:
            inner, own = self.forms.factors(value)
            value = self.forms.product(
                scaled(c, inner), times(self._better(powers), own)
            )
        if not rest:
            return value
        others: Form = {}
        for powers, d in rest.items():
            meet(others, self._better(powers), d)
        return self.builder.add("add", self.forms.node(others), value)

    def _better(self, powers: Powers) -> Powers:
        """A product with its factors as they have been rewritten."""
        found = [(self.rewritten.get(base, base), e) for base, e in powers]
        return times(NUMBER, tuple(found))

    # ---- looking rules up

    def _matches(self, j: int, asked: Asked) -> Iterator[Match]:
        """Those of the rules asked for that match a node."""
        node = self.builder.nodes[j]
        if node[0] in SUMS:
            yield from self._in_sum(self.forms.of(j), asked)
            return
        c, powers = self.forms.factors(j)
        if powers != ((j, 1),):
            yield from self._in_product(c, powers, asked)
        else:
            heads = ("call", node[0]), ("call", "log" if node[0] in BASES else "")
            known = (rule for head in heads for rule in self._known(head))
            for rule in filter(asked, known):
                head = rule.wanted.only
                assert isinstance(head, Call)
                for found in self.matcher.call(head, j, {}):
                    yield rule, found, (1.0, NUMBER), {}

    def _in_sum(self, form: Form, asked: Asked) -> Iterator[Match]:
        heads = Counter(op for powers in form for op in self.matcher.heads(powers))
        if sum(any(e < 0 for _, e in powers) for powers in form) > 1:
            heads["inverse"] = 1
        for rule in filter(asked, self._rules("sum", heads)):
            for found, scale, rest in self.matcher.terms(rule.wanted, form, {}):
                yield rule, found, scale, rest

    def _in_product(self, c: float, powers: Powers, asked: Asked) -> Iterator[Match]:
        heads = dict.fromkeys(self.matcher.heads(powers), MANY)
        for rule in filter(asked, self._rules("product", heads)):
            (part,) = rule.wanted.parts
            for found, scale in self.matcher.term(part, (c, powers), {}):
                yield rule, found, scale, {}

    def _known(self, head: Head) -> tuple[Rule, ...]:
        """The rules with a head whose operations are all there."""
        nodes = self.builder.nodes
        for op in {node[0] for node in nodes[self.met :]}:
            self.index.meet(op)
            if op in BASES:
                self.index.meet("log")
        self.met = len(nodes)
        return self.index.get(head, ())

    def _rules(self, kind: str, heads: Mapping[str, int]) -> list[Rule]:
        """The rules for bases of some kinds, which so many terms have."""
        found = [
            rule
            for head in heads
            for rule in self._known((kind, head))
            if all(heads.get(op, 0) >= n for op, n in rule.wanted.needs.items())
        ]
        return sorted(found, key=lambda rule: rule.place) if len(heads) > 1 else found


def _power(size: float, exponent: int) -> float:
    """A power of a coefficient, infinite if there is none."""
    return size**exponent if size else math.inf


def _cancels(powers: Powers, others: Powers) -> bool:
    held = dict(others)
    return any(held.get(base, 0) * e < 0 for base, e in powers)


def terms(program: Program) -> list[bool]:
    """Which nodes are read by a sum, or by a product that one reads."""
    nodes = program.nodes
    found = [False] * len(nodes)
    for i in range(len(nodes) - 1, -1, -1):
        op, *args = nodes[i]
        if op in SUMS or (op in PRODUCTS and found[i]):
            for a in args:
                found[a] = True
    return found


def roots(program: Program) -> tuple[list[bool], list[bool]]:
    """Which nodes no larger sum or product takes in, and which have one reader."""
    nodes = program.nodes
    readers = [0] * len(nodes)
    last = [-1] * len(nodes)
    for i, node in enumerate(nodes):
        for a in arguments(node):
            readers[a] += 1
            last[a] = i
    for i in program.outputs:
        readers[i] += 1
        last[i] = -1
    single = [count == 1 for count in readers]
    roots = [True] * len(nodes)
    for i, node in enumerate(nodes):
        if single[i] and last[i] >= 0:
            reader = nodes[last[i]][0]
            inside = (SUMS, PRODUCTS)
            roots[i] = not any(node[0] in kind and reader in kind for kind in inside)
    return roots, single
