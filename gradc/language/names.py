"""What each name of a formula stands for, and every mistake one can make with names.

One loop over the rows, in the order of the text, before anything is built: so a body
is checked where it is defined, whether it is called or not, and `lower` can trust what
it reads.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from gradc.errors import GradcError, Source, Span, mistake, note, remedy
from gradc.language.grammar import is_name, spelled
from gradc.language.syntax import (
    DERIVATIVES,
    FUNCTIONS,
    Binding,
    Comprehension,
    Declaration,
    Function,
    Interval,
    Results,
    Row,
    Shape,
    Statement,
    Syntax,
)
from gradc.ops import Table

CONDITIONALS = ("where", "piecewise")


@dataclass(frozen=True)
class Argument:
    """An argument of the formula, as it is declared or as it first appears."""

    kind: str
    span: Span | None
    interval: Interval | None = None
    shape: Shape | None = None


@dataclass
class Names:
    """The names of one formula; `arguments` is in the order of the declarations."""

    syntax: Syntax
    ops: Table
    arguments: dict[str, Argument] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    closed: bool = False  # whether a free name is a mistake
    given: bool = False  # whether the caller gave the list of inputs
    known: set[str] = field(default_factory=set)  # names with a value so far
    bound: dict[str, Span] = field(default_factory=dict)  # all bindings, later ones too
    defined: dict[str, Function] = field(default_factory=dict)  # functions so far
    functions: dict[str, Function] = field(default_factory=dict)  # later ones too
    local: set[int] = field(default_factory=set)  # where names of loops stand
    arrays: bool = False  # whether anything is not one number

    @property
    def source(self) -> Source:
        return self.syntax.source

    def collect(self) -> None:
        """Gather what the statements bind, define and declare, each once."""
        for statement in self.syntax.statements:
            if isinstance(statement, Declaration):
                self._declare(statement)
            elif isinstance(statement, Binding):
                self._bind(statement)
            elif isinstance(statement, Function):
                name, span = statement.name, statement.name_span
                if earlier := self.functions.get(name):
                    where = earlier.name_span
                    raise self.twice(
                        "defined_twice", "first defined", name, span, where
                    )
                self.functions[name] = statement
            elif isinstance(statement, Results):
                self._name_results(statement)

    def _name_results(self, statement: Results) -> None:
        seen: dict[str, Span] = {}
        for name, span, *_ in statement.answers:
            if name in seen:
                raise self.twice("result_twice", "first", name, span, seen[name])
            if name:
                seen[name] = span

    def _declare(self, statement: Declaration) -> None:
        self.closed = True
        for name, span, interval, shape in statement.names:
            if (argument := self.arguments.get(name)) and argument.span:
                earlier = argument.span
                raise self.twice(
                    "declared_twice", "first declared", name, span, earlier
                )
            if name in self.bound:
                earlier = self.bound[name]
                raise self.twice("declared_bound", "first seen", name, span, earlier)
            self.arguments[name] = Argument(statement.kind, span, interval, shape)

    def _bind(self, statement: Binding) -> None:
        name, span = statement.name, statement.name_span
        first = self.bound.setdefault(name, span)
        if first is not span:
            raise self.twice("bound_twice", "first bound", name, span, first)
        if argument := self.arguments.get(name):
            if argument.span is None:
                raise mistake("inputs_bound", self.source, span, name=name)
            earlier = argument.span
            raise self.twice("declared_bound", "first seen", name, span, earlier)

    def give(self, inputs: Sequence[str]) -> None:
        """Take the caller's list of inputs, which acts as an `input` line."""
        names: list[str] = []
        for text in inputs:
            name = _valid(self.source, text)
            if name in names:
                raise mistake("inputs_twice", self.source, name=name)
            if name in self.bound:
                span = self.bound[name]
                raise mistake("inputs_bound", self.source, span, name=name)
            names.append(name)
        if self.closed and names != list(self.arguments):
            mine, theirs = ", ".join(self.arguments), ", ".join(names)
            raise mistake("inputs_contradict", self.source, declared=mine, given=theirs)
        for name in names:
            self.arguments.setdefault(name, Argument("input", None))
        self.closed = self.given = True

    def resolve(self) -> None:
        """Check every name and every call, and find the free names."""
        self.known.update(self.arguments)
        self.arrays = self.syntax.arrays
        self.local = local_names(self.syntax)
        self._resolve()
        if not self.arguments:
            raise mistake("no_inputs", self.source, self.syntax.statements[-1].span)

    def _resolve(self) -> None:
        """Check the names and calls of the statements."""
        for statement in self.syntax.statements:
            if isinstance(statement, Binding):
                own, first, last = statement.name, statement.first, statement.value
                self._check_rows(first, last, statement, own)
                self.known.add(own)
            elif isinstance(statement, Declaration):
                self._check_shapes(statement)
            elif isinstance(statement, Results):
                for answer in statement.answers:
                    self._check_rows(answer.first, answer.value, statement)
                    self.known.add(answer.name)
            elif isinstance(statement, Function):
                params = frozenset(name for name, _ in statement.params)
                self._check_rows(
                    statement.first, statement.value, statement, params=params
                )
                self._define(statement)
            else:
                self._check_rows(statement.first, statement.value, statement)

    def _check_rows(
        self,
        first: int,
        last: int,
        statement: Statement,
        own: str = "",
        params: frozenset[str] = frozenset(),
    ) -> None:
        """Check the names and calls of an expression in a statement."""
        known = self.known
        for row in self.syntax.rows[first : last + 1]:
            op, _, name, start, _ = row
            if op == "name":
                if name not in known and name not in params:
                    if start not in self.local:
                        self.free(str(name), row.span, own)
            elif op == "call":
                self.check_call(row, statement)

    def _check_shapes(self, statement: Declaration) -> None:
        """Check the names and calls in the shapes of a declaration."""
        for item in statement.names:
            if item.shape is None:
                continue
            for row in self.syntax.rows[item.shape.first : item.shape.axes[-1] + 1]:
                if row.op == "name" and row.start not in self.local:
                    name = str(row.payload)
                    if name not in self.known or name == item.name:
                        known = self.known - self.arguments.keys()
                        raise mistake(
                            "axis_unknown", self.source, row.span, name=name, near=known
                        )
                elif row.op == "call":
                    self.check_call(row, statement)

    def _define(self, statement: Function) -> None:
        name, span = statement.name, statement.name_span
        self.defined[name] = statement
        if self.ops.function(name) or name in FUNCTIONS:
            self.notes.append(note("hidden", self.source, span, name=name))

    def free(self, name: str, span: Span, own: str = "") -> None:
        """Take a name without a value for a constant or an input, or refuse it.

        Arguments:
            own: the name of the binding in which it stands.
        """
        if name == own:
            raise mistake("own_name", self.source, span, name=name)
        if name in self.bound:
            earlier = self.bound[name]
            raise self.twice("later_name", "it is bound", name, span, earlier)
        if name in self.ops and not self.ops[name].params:
            self.constants.add(name)
            if name == "e":
                self.notes.append(note("euler", self.source, span))
        elif self.given:
            raise mistake("inputs_missing", self.source, span, name=name)
        elif self.closed:
            known = self.known
            raise mistake("unknown_name", self.source, span, name=name, near=known)
        else:
            self.arguments[name] = Argument("input", span)
            if remedy("NUMBERS", name):
                self.notes.append(note("number", self.source, span, name=name))
        self.known.add(name)

    def check_call(self, row: Row, inside: object = None) -> None:
        """Refuse a call of what is no function, or with a wrong number of arguments."""
        name, count = str(row.payload), len(row.args)
        if isinstance(inside, Function) and inside.name == name:
            raise mistake("recursion", self.source, row.span, name=name)
        if name in self.defined:
            params = [param for param, _ in self.defined[name].params]
            if len(params) != count:
                raise self._arity(row, _in_words(params))
        elif found := self.ops.function(name):
            if not any(op.accepts(count) for op in found):
                raise self._arity(row, " or ".join(op.arity_text for op in found))
        elif name in FUNCTIONS:
            self.arrays = True
            if not FUNCTIONS[name].accepts(count):
                raise self._arity(row, FUNCTIONS[name].arity_text)
        else:
            raise self._unknown(row)

    def _arity(self, row: Row, expected: str) -> GradcError:
        names: dict[str, Any] = {
            "name": row.payload,
            "expected": expected,
            "count": len(row.args),
        }
        return mistake("arity", self.source, row.span, **names)

    def _unknown(self, row: Row) -> GradcError:
        name = str(row.payload)
        span = (row.start, row.start + len(name))
        if name in self.functions:
            where = self.functions[name].name_span
            return self.twice("later_function", "it is defined", name, span, where)
        rows = self.syntax.rows
        variable = name in self.known or name in self.bound or name in ("pi", "e")
        variable = variable or any(r.op == "name" and r.payload == name for r in rows)
        key = "not_a_function" if variable else "unknown_function"
        key = "unknown_call" if key == "unknown_function" and len(name) < 3 else key
        spelling = remedy("SPELLINGS", name.lower())
        hint = f"write {spelling}" if spelling and not variable else None
        near = [*self.ops.callables(), *self.defined, *CONDITIONALS, *FUNCTIONS]
        return mistake(
            key,
            self.source,
            span,
            hint=hint,
            near=[] if hint or variable else near,
            name=name,
            product=f"{name}*(...)",
        )

    def twice(
        self, key: str, label: str, name: str, span: Span, earlier: Span
    ) -> GradcError:
        """The mistake of a name that also stands elsewhere."""
        where = label, earlier
        return mistake(key, self.source, span, earlier=where, name=name)


def _valid(source: Source, text: str) -> str:
    """Return an entry of the list of inputs in NFC, if it is a name at all."""
    if not isinstance(text, str) or not is_name(text):
        raise mistake("inputs_invalid", source, name=str(text))
    return spelled(Source(text, source.name), (0, len(text)))


def _in_words(params: Sequence[str]) -> str:
    noun = "argument" if len(params) == 1 else "arguments"
    listed = f" ({', '.join(params)})" if params else ""
    return f"{len(params)} {noun}{listed}"


# ---- the names of loops, and of derivatives


def local_names(syntax: Syntax) -> set[int]:
    """Return where in the text the variables of comprehensions are read.

    A variable is known in the body, and in what follows its own iterable.
    """
    opened: dict[int, list[str]] = {}
    closed: dict[int, list[str]] = {}
    for end in chain.from_iterable(syntax.loops.values()):
        loop = syntax.rows[end].payload
        assert isinstance(loop, Comprehension)
        for clause in loop.clauses:
            for first, behind in (
                (loop.first, loop.body + 1),
                (clause.iterable + 1, end),
            ):
                opened.setdefault(first, []).append(clause.name)
                closed.setdefault(behind, []).append(clause.name)
    active: Counter[str] = Counter()
    found: set[int] = set()
    for i in range(min(opened, default=0), max(closed, default=0)):
        active.update(opened.get(i, ()))
        active.subtract(closed.get(i, ()))
        row = syntax.rows[i]
        if row.op == "name" and active[str(row.payload)] > 0:
            found.add(row.start)
    return found


class Variables:
    """The names by which a formula differentiates, and how they stay apart.

    A derivative by a binding treats it as independent of what it is computed from, and
    two names that happen to have one value are two variables. So where a formula asks
    for derivatives, what its names stand for is wrapped in an operation of its own,
    which is the identity, until the pass `slopes` has replaced the derivatives.

    Attributes:
        bindings: those that the statements bind.
    """

    def __init__(self, syntax: Syntax) -> None:
        self.bindings: set[str] = set()
        self._inner: list[tuple[int, str]] = []  # by row, those of functions and loops
        loops, own = local_names(syntax), dict[str, Function]()
        for statement in syntax.statements:
            if isinstance(statement, Declaration):
                continue
            params = dict(statement.params) if isinstance(statement, Function) else {}
            for i in range(statement.first, statement.value + 1):
                row = syntax.rows[i]
                if row.op == "call" and row.payload in DERIVATIVES:
                    named = [] if row.payload in own else _names(syntax, row.args[1])
                    for name in named:
                        if name.start in loops or name.payload in params:
                            self._inner.append((i, name.payload))
                        else:
                            self.bindings.add(name.payload)
            if isinstance(statement, Function):
                own[statement.name] = statement
        self.any = bool(self.bindings or self._inner)

    def table(self, ops: Table) -> Table:
        """The table that a program needs in which the names are told apart."""
        return ops.differentiable if self.any else ops

    def inner(self, first: int, last: int) -> set[str]:
        """The names that the rows from `first` to `last` differentiate by."""
        start = bisect_left(self._inner, (first, ""))
        stop = bisect_left(self._inner, (last + 1, ""))
        return {name for _, name in self._inner[start:stop]}


def _names(syntax: Syntax, i: int) -> list[Row]:
    """The names that an expression lists, or picks from."""
    found, stack = [], [i]
    while stack:
        row = syntax.rows[stack.pop()]
        if row.op == "name":
            found.append(row)
        elif row.op == "index":
            stack.append(row.args[0])
        elif row.op == "array":
            stack += row.args
    return found
