"""The identity book, `grammar/identities.txt`: its rules, by what they are for.

The text is the documentation of the rules. Patterns are read when the book is first
opened, a replacement when its rule is first applied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from gradc.analysis.forms import Form
from gradc.errors import Source, grammar_text
from gradc.identities.match import Bindings, Matcher, Pattern, pattern
from gradc.language.parse import parse
from gradc.language.syntax import Result, Row
from gradc.ops import OPS

_LINE = re.compile(r"([\w ,-]+): +(.+?) -> (.+?)(?: given (.+))?\Z")


def _shared(x: Form, y: Form) -> bool:
    """Whether two sums that differ have a term in common."""
    return x != y and any(y.get(powers) == c for powers, c in x.items())


def _is_number(x: Form) -> bool:
    return not any(x)


def _is_negative(x: Form) -> bool:
    """Whether a sum is written with a minus."""
    return bool(x) and all(c < 0 for c in x.values())


_PREDICATES: Mapping[str, Callable[..., bool]] = {
    "shared": _shared,
    "number": _is_number,
    "negative": _is_negative,
}


@dataclass(frozen=True)
class Condition:
    """What has to be known when a formula is compiled: a predicate, or `not` one."""

    text: str

    @cached_property
    def asked(self) -> Pattern:
        """The predicate as the matcher reads it."""
        return _pattern(self.text.removeprefix("not "))

    def holds(self, matcher: Matcher, env: Bindings) -> bool:
        """Whether it is known for some bindings, of a list for one element."""
        call = self.asked.call
        assert call is not None
        lists = [matcher.values(arg, env) for arg in call.args]
        found = any(_PREDICATES[call.op](*forms) for forms in zip(*lists))
        return found is not self.text.startswith("not ")


@dataclass(frozen=True)
class Rule:
    """A line of the book."""

    name: str
    pattern: str
    replacement: str
    conditions: tuple[Condition, ...]

    @cached_property
    def wanted(self) -> Pattern:
        """The pattern as the matcher reads it."""
        return _pattern(self.pattern)

    @cached_property
    def written(self) -> tuple[Row, ...]:
        """The pattern row by row, as `self` stands for it."""
        return _rows(self.pattern)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The replacement row by row, the last one its root."""
        return _rows(self.replacement)

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
        return call is not None and not any(arg.calls for arg in call.args)

    @property
    def repeats(self) -> bool:
        """Whether what the replacement calls may be the pattern again, and no smaller."""
        return self.wanted.call is None or "every(" in self.replacement


def rules() -> Iterator[Rule]:
    """The rules of the book, in their order."""
    for line in grammar_text("identities.txt").splitlines():
        if line and not line.startswith("#"):
            match = _LINE.match(line)
            assert match, f"no rule: {line!r}"
            name, before, after, given = match.groups()
            conditions = [Condition(c) for c in (given or "").split(" and ") if c]
            yield Rule(name, before.strip(), after, tuple(conditions))


@cache
def book() -> Mapping[str, list[Rule]]:
    """The rules by their kinds; the first one that matches is applied."""
    found: dict[str, list[Rule]] = {}
    for rule in rules():
        found.setdefault(rule.kind, []).append(rule)
    return found


def _rows(text: str) -> tuple[Row, ...]:
    syntax = parse(Source(text, "<identity book>"))
    (statement,) = syntax.statements
    assert isinstance(statement, Result)
    return tuple(syntax.rows[: statement.value + 1])


def _pattern(text: str) -> Pattern:
    return pattern(_rows(text), operations())


@cache
def operations() -> Mapping[str, str]:
    """The operation that each name of the book calls."""
    names = {name: row.name for row in OPS for name in (row.called, *row.also)}
    rows = {row.name: row.name for row in OPS}
    return names | rows | {name: name for name in _PREDICATES}
