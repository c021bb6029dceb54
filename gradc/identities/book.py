"""The identity book, `grammar/identities.txt`: its rules, where to look for them.

The text is the documentation of the rules. A line is read when a program has all the
operations that its pattern calls, for before it matches nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from gradc.analysis.forms import Form
from gradc.errors import Source, grammar_text
from gradc.identities.match import (
    EVERY,
    Bindings,
    Call,
    Matcher,
    Pattern,
    pattern,
)
from gradc.language.parse import parse
from gradc.language.syntax import Result, Row
from gradc.ops import OPS

_LINE = re.compile(r"([\w ,-]+): +(.+?) -> (.+?)(?: given (.+))?\Z")
_CALLED = re.compile(r"\w+(?=\()")
_OPERATORS = {"^": "pow", "/": "div"}  # what a pattern without a call waits for

Head = tuple[str, str]  # sum, product or call, and a base that it needs


@dataclass(frozen=True)
class Condition:
    """What has to be known when a formula is compiled."""

    text: str

    @cached_property
    def asked(self) -> Call:
        """The predicate with its arguments."""
        found = _pattern(self.text.removeprefix("not ")).call
        assert found is not None and found.op in _PREDICATES, self.text
        return found

    def holds(self, matcher: Matcher, env: Bindings) -> bool:
        """Whether it is known for some bindings."""
        op, args = self.asked
        lists = [matcher.values(arg, env) for arg in args]
        found = any(_PREDICATES[op](*forms) for forms in zip(*lists))
        return found is not self.text.startswith("not ")


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
class Rule:
    """A line of the book; its expressions are read when they are needed."""

    name: str
    place: int  # in the book
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
    def takes_anything(self) -> bool:
        """Whether the pattern is a call in which no other one stands."""
        call = self.wanted.call
        return call is not None and not any(arg.calls for arg in call.args)

    @property
    def repeats(self) -> bool:
        """Whether what the replacement calls may be the pattern again, and no smaller."""
        return self.wanted.call is None or "every(" in self.replacement

    @cached_property
    def needs(self) -> Mapping[str, int]:
        """The operations that a sum must have among its bases, in so many terms."""
        return Counter(op for part in self.wanted.parts for op in part.operations)

    @property
    def head(self) -> Head:
        """Where to look for the rule."""
        if (call := self.wanted.call) is not None:
            return "call", call.op
        kind = "product" if len(self.wanted.parts) == 1 else "sum"
        base, exponent = self.wanted.parts[0].factors[0]
        if isinstance(base, Call):
            return kind, base.op
        return kind, "inverse" if isinstance(base, str) and exponent < 0 else "sum"

    @property
    def waits_for(self) -> list[str]:
        """The names that the pattern calls, or an operator that it cannot do without."""
        called = [name for name in _CALLED.findall(self.pattern) if name != EVERY]
        return called or [op for c, op in _OPERATORS.items() if c in self.pattern][:1]


def rules(text: str | None = None) -> Iterator[Rule]:
    """The rules of a text, by default of the book, in their order."""
    lines = (grammar_text("identities.txt") if text is None else text).splitlines()
    for place, line in enumerate(lines):
        if line and not line.startswith("#"):
            match = _LINE.match(line)
            assert match, f"no rule: {line!r}"
            name, before, after, given = match.groups()
            conditions = [Condition(c) for c in (given or "").split(" and ") if c]
            yield Rule(name, place, before.strip(), after, tuple(conditions))


def _rows(text: str) -> tuple[Row, ...]:
    syntax = parse(Source(text, "<identity book>"))
    (statement,) = syntax.statements
    assert isinstance(statement, Result)
    return tuple(syntax.rows[: statement.value + 1])


def _pattern(text: str) -> Pattern:
    return pattern(_rows(text), _names())


@cache
def _names() -> Mapping[str, str]:
    """The operation that each name of the language calls."""
    names = {name: row.name for row in OPS for name in (row.called, *row.also)}
    rows = {row.name: row.name for row in OPS}
    return names | rows | {name: name for name in _PREDICATES}


class Book:
    """The rules that have been read, by their heads, in their order."""

    def __init__(self, unread: Iterable[Rule]) -> None:
        self.unread = list(unread)
        self.met: set[str] = set()  # operations, and their names in the language
        self.by_head: dict[Head, list[Rule]] = {}

    def meet(self, ops: Iterable[str]) -> None:
        """Read the rules that may match a program with some more operations."""
        new = {op for op in ops if op not in self.met}
        if not new:
            return
        self.met |= new
        self.met.update(
            n for op in new if op in OPS for n in (OPS[op].called, *OPS[op].also)
        )
        ready = [rule for rule in self.unread if self.met.issuperset(rule.waits_for)]
        self.unread = [rule for rule in self.unread if rule not in ready]
        for rule in ready:
            self.by_head.setdefault(rule.head, []).append(rule)
            self.by_head[rule.head].sort(key=lambda rule: rule.place)


@cache
def book() -> Book:
    """The book, of which is read what programs have asked for so far."""
    return Book(rules())
