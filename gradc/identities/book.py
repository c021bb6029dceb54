"""The identity book, `grammar/identities.txt`: its rules, and what they write.

The text is the documentation of the rules. Patterns are read when the book is first
opened, a replacement when its rule is first applied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial, reduce

from gradc.analysis.forms import Form, Forms, Powers, added, meet, summed, times
from gradc.analysis.ranges import Ranges
from gradc.errors import Source, grammar_text
from gradc.identities.match import NEVER, Bindings, Bound, Matcher, Pattern
from gradc.identities.match import operation, pattern
from gradc.language.parse import parse
from gradc.language.syntax import Result, Row

SELF = "self"  # the pattern as it was
NEAR = 1 / 32  # to 0, where a quotient 0/0 has lost digits
SMALL = 32  # terms up to which a sum is written with equal terms met
_LINE = re.compile(r"([\w ,-]+): +(.+?) -> (.+?)(?: given (.+))?\Z")

Nodes = list[int]  # the value of a row: one node, or one for each term of a list


# What a rule may ask of forms; two that share a term differ in another.
_PREDICATES: Mapping[str, Callable[..., bool]] = {
    "shared": lambda _, x, y: x != y and not x.items().isdisjoint(y.items()),
    "number": lambda _, x: not any(x),
    "product": lambda _, x: len(x) == 1,
    "negative": lambda _, x: bool(x) and all(c < 0 for c in x.values()),
    "reduces": lambda writer, x, y: writer.reduces(x, y),
}


@dataclass(frozen=True)
class Rule:
    """A line of the book."""

    name: str
    pattern: str
    replacement: str
    conditions: tuple[str, ...]  # predicates or `not` ones, known at compile time

    @cached_property
    def wanted(self) -> Pattern:
        """The pattern as the matcher reads it."""
        return _pattern(self.pattern)

    @cached_property
    def operations(self) -> frozenset[str]:
        """What a sum or a product must have among its bases."""
        return frozenset().union(*(part.operations for part in self.wanted.parts))

    @property
    def kind(self) -> str:
        """What the rule is for: the operation of a call, `sum` or `product`."""
        if (call := self.wanted.call) is not None:
            return call.op
        return "product" if len(self.wanted.parts) == 1 else "sum"

    @cached_property
    def takes_anything(self) -> bool:
        """Whether the pattern is a call in which no other one stands."""
        call = self.wanted.call
        return call is not None and all(NEVER not in arg.needs for arg in call.args)

    @property
    def repeats(self) -> bool:
        """Whether what the replacement calls may be the pattern again, and no smaller."""
        return self.wanted.call is None or "detach(" in self.replacement

    def holds(self, matcher: Matcher, writer: Writer, env: Bindings) -> bool:
        """Whether the conditions hold, of a list for one element."""
        for text in self.conditions:
            call = _pattern(text.removeprefix("not ")).call
            assert call is not None
            lists = [matcher.values(arg, env) for arg in call.args]
            asks = partial(_PREDICATES[call.op], writer)
            found = any(asks(*forms) for forms in zip(*lists))
            if found is text.startswith("not "):
                return False
        return True


def rules() -> Iterator[Rule]:
    """The rules of the book, in their order."""
    for line in grammar_text("identities.txt").splitlines():
        if line and not line.startswith("#"):
            match = _LINE.match(line)
            assert match, f"no rule: {line!r}"
            name, before, after, given = match.groups()
            conditions = given.split(" and ") if given else ()
            yield Rule(name, before.strip(), after, tuple(conditions))


@cache
def book() -> Mapping[str, list[Rule]]:
    """The rules by their kinds; the first one that matches is applied."""
    found: dict[str, list[Rule]] = {}
    for rule in rules():
        found.setdefault(rule.kind, []).append(rule)
    return found


@cache
def _rows(text: str) -> tuple[Row, ...]:
    """An expression row by row, the last one its root."""
    syntax = parse(Source(text, "<identity book>"))
    (statement,) = syntax.statements
    assert isinstance(statement, Result)
    return tuple(syntax.rows[: statement.value + 1])


@cache
def _pattern(text: str) -> Pattern:
    return pattern(_rows(text))


class Writer:
    """Writes replacements in which the variables of rules are bound."""

    def __init__(self, forms: Forms, ranges: Ranges) -> None:
        self.forms = forms
        self.builder = forms.builder
        self.ranges = ranges
        self.better: dict[int, int] = {}  # what nodes that rules look at have become

    def reduces(self, x: Form, y: Form) -> bool:
        """Whether two sums have a common factor, and it may vanish."""
        ends = [self.ranges.of(summed(self.builder, form)) for form in (x, y)]
        is_near = all(low < NEAR and high > -NEAR for low, high in ends)
        return is_near and self.forms.reduced(x, y) is not None

    def write(self, rule: Rule, env: Bindings) -> int | None:
        """Add the nodes of a replacement, the variables in the order of the text.

        None if it is the pattern as it was.
        """
        names = dict.fromkeys(re.findall(r"\w+", f"{rule.pattern} {rule.replacement}"))
        known = {name: self._bound(env[name]) for name in names if name in env}
        if SELF in rule.replacement:
            known[SELF] = self._written(_rows(rule.pattern), known)
        (found,) = self._written(_rows(rule.replacement), known)
        return None if [found] == known.get(SELF) else found

    def _bound(self, bounds: Sequence[Bound]) -> Nodes:
        nodes = [self.node(b.form) if b.node is None else b.node for b in bounds]
        return [self.better.get(i, i) for i in nodes]

    def node(self, form: Form) -> int:
        """Write a form out, over what its bases have become."""
        found: Form = {}
        for powers, c in form.items():
            meet(found, self.now(powers), c)
        return summed(self.builder, found)

    def now(self, powers: Powers) -> Powers:
        """A product of what its bases have become."""
        return times((), tuple((self.better.get(b, b), e) for b, e in powers))

    def _written(self, rows: Sequence[Row], known: Mapping[str, Nodes]) -> Nodes:
        values: list[Nodes] = []
        for row in rows:
            values.append(self._row(row, [values[a] for a in row.args], known))
        return values[-1]

    def _row(self, row: Row, args: list[Nodes], known: Mapping[str, Nodes]) -> Nodes:
        name, add = str(row.payload), self.builder.add
        if row.op == "number":
            return [self.builder.const(float(row.payload))]
        if row.op == "name":
            return known.get(name) or [add(name)]  # pi
        if row.op == "where":
            decided = self.ranges.decided(args[0][0])
            if decided is not None:
                return args[1] if decided else args[2]
        if row.op == "call" and name == "each":
            return args[0]
        if row.op == "call" and name == "every":
            return [reduce(partial(add, "add"), args[0])]
        op = operation(row)
        if op in self.builder.ops and self.builder.ops[op].variadic:
            return [add(op, *[a for one in args for a in one])]
        count = max(map(len, args))
        spread = [one * count if len(one) == 1 else one for one in args]
        return [self._added(op, *each) for each in zip(*spread)]

    def _added(self, op: str, *args: int) -> int:
        """An operation; a sum in which equal terms meet is written out anew.

        And so is a quotient with a common factor.
        """
        if op in ("add", "sub", "div"):
            x, y = (self.forms.of(a) for a in args)
        if op == "div" and (left := self.forms.reduced(x, y)) is not None:
            return self.builder.add(op, *[summed(self.builder, form) for form in left])
        if op in ("add", "sub"):
            total = added(x, y, 1 if op == "add" else -1)
            if len(total) < len(x) + len(y) <= SMALL:
                return summed(self.builder, total)
        if op == "pow" and self.builder.value_of(args[1]) == 2.0:
            return self.builder.add("mul", args[0], args[0])
        return self.builder.add(op, *args)
