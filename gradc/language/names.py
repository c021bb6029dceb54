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
    Result,
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
    """The names of one formula; `arguments` is in the order of the declarations.

    A derivative by a binding treats it as independent of what it is computed from, and
    two names that happen to have one value are two variables. So where a formula has
    `slopes`, what its names stand for is wrapped in an operation of its own, which is
    the identity, until the pass of this name has replaced the derivatives.
    """

    syntax: Syntax
    ops: Table
    arguments: dict[str, Argument] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    closed: bool = False  # whether a free name is a mistake
    given: bool = False  # whether the caller gave the list of inputs
    known: set[str] = field(default_factory=set)  # names with a value so far
    bound: dict[str, Span] = field(default_factory=dict)  # all bindings, later ones too
    defined: dict[str, Function] = field(default_factory=dict)  # functions so far
    functions: dict[str, Function] = field(default_factory=dict)  # later ones too
    local: set[int] = field(default_factory=set)  # where names of loops stand
    slopes: bool = False  # whether there are derivatives
    by: set[str] = field(default_factory=set)  # the bindings that they are by
    within: list[tuple[int, str]] = field(default_factory=list)  # by row, other names

    @classmethod
    def of(
        cls, syntax: Syntax, ops: Table, inputs: Sequence[str] | None = None
    ) -> "Names":
        """The names of a formula.

        Arguments:
            inputs: acts as an `input` line.

        Raises:
            GradcError: a name or a call is not in order.
        """
        names = cls(syntax, ops)
        names._collect()
        if inputs is not None:
            names._give(inputs)
        names._resolve()
        return names

    @property
    def table(self) -> Table:
        """The table that the program needs."""
        return self.ops.differentiable if self.slopes else self.ops

    def wrong(
        self, key: str, name: str, span: Span | None, earlier: Span | None = None
    ) -> GradcError:
        """A mistake in a name."""
        return mistake(key, self.syntax.source, span, earlier=earlier, name=name)

    def note(self, key: str, name: str, span: Span) -> None:
        """Note what is no mistake."""
        self.notes.append(note(key, self.syntax.source, span, name=name))

    # ---- what is bound, defined and declared

    def _collect(self) -> None:
        """Gather what the statements bind, define and declare, each once."""
        for statement in self.syntax.statements:
            if isinstance(statement, Declaration):
                self._declare(statement)
            elif isinstance(statement, Binding):
                self._bind(statement.name, statement.name_span)
            elif isinstance(statement, Function):
                name, span = statement.name, statement.name_span
                if twin := self.functions.get(name):
                    raise self.wrong("defined_twice", name, span, twin.name_span)
                self.functions[name] = statement
            elif isinstance(statement, Results):
                seen: dict[str, Span] = {}
                for name, span, *_ in statement.answers:
                    if name in seen:
                        raise self.wrong("result_twice", name, span, seen[name])
                    seen |= {name: span} if name else {}

    def _declare(self, statement: Declaration) -> None:
        self.closed = True
        for name, span, interval, shape in statement.names:
            if (argument := self.arguments.get(name)) and argument.span:
                raise self.wrong("declared_twice", name, span, argument.span)
            if name in self.bound:
                raise self.wrong("declared_bound", name, span, self.bound[name])
            self.arguments[name] = Argument(statement.kind, span, interval, shape)

    def _bind(self, name: str, span: Span) -> None:
        first = self.bound.setdefault(name, span)
        if first is not span:
            raise self.wrong("bound_twice", name, span, first)
        if argument := self.arguments.get(name):
            raise self.wrong("declared_bound", name, span, argument.span)

    def _give(self, inputs: Sequence[str]) -> None:
        """Take the caller's list of inputs, which acts as an `input` line."""
        names: list[str] = []
        source = self.syntax.source
        for text in inputs:
            if not isinstance(text, str) or not is_name(text):
                raise self.wrong("inputs_invalid", str(text), None)
            name = spelled(Source(text, source.name), (0, len(text)))
            if name in names:
                raise self.wrong("inputs_twice", name, None)
            if name in self.bound:
                raise self.wrong("inputs_bound", name, self.bound[name])
            names.append(name)
        if self.closed and names != list(self.arguments):
            mine, theirs = ", ".join(self.arguments), ", ".join(names)
            raise mistake("inputs_contradict", source, declared=mine, given=theirs)
        for name in names:
            self.arguments.setdefault(name, Argument("input", None))
        self.closed = self.given = True

    # ---- what is read

    def _resolve(self) -> None:
        """Check every name and every call, and find the free names."""
        self.known.update(self.arguments)
        self.local = _local(self.syntax)
        for statement in self.syntax.statements:
            if isinstance(statement, Declaration):
                self._check_shapes(statement)
                continue
            self._check_rows(statement)
            if isinstance(statement, Function):
                name = statement.name
                self.defined[name] = statement
                if self.ops.function(name) or name in FUNCTIONS:
                    self.note("hidden", name, statement.name_span)
            elif isinstance(statement, Binding):
                self.known.add(statement.name)
        if not self.arguments:
            raise self.wrong("no_inputs", "", self.syntax.statements[-1].span)

    def _check_rows(self, statement: Binding | Function | Result | Results) -> None:
        """Check the names and calls of a statement."""
        known, answers, params = self.known, dict[int, str](), frozenset[str]()
        own = statement.name if isinstance(statement, Binding) else ""
        if isinstance(statement, Function):
            params = frozenset(name for name, _ in statement.params)
        elif isinstance(statement, Results):
            answers = {answer.value: answer.name for answer in statement.answers}
        rows = self.syntax.rows
        for i in range(statement.first, statement.value + 1):
            op, _, name, start, _ = rows[i]
            if op == "name":
                if name not in known and name not in params:
                    if start not in self.local:
                        self._free(name, rows[i].span, own)
            elif op == "call":
                self.check_call(rows[i], statement)
                own_row = name in self.defined or self.ops.function(name)
                if name in DERIVATIVES and not own_row:
                    self._differentiate(i, params)
            if i in answers:
                known.add(answers[i])

    def _check_shapes(self, statement: Declaration) -> None:
        """Check the names and calls in the shapes of a declaration."""
        for item in statement.names:
            if item.shape is None:
                continue
            for row in self.syntax.rows[item.shape.first : item.shape.axes[-1] + 1]:
                if row.op == "name" and row.start not in self.local:
                    name = str(row.payload)
                    if name not in self.known or name == item.name:
                        near = self.known - self.arguments.keys()
                        place = self.syntax.source, row.span
                        raise mistake("axis_unknown", *place, near=near, name=name)
                elif row.op == "call":
                    self.check_call(row, statement)

    def _free(self, name: str, span: Span, own: str) -> None:
        """Take a name without a value for a constant or an input, or refuse it.

        Arguments:
            own: the name of the binding in which it stands.
        """
        if name == own:
            raise self.wrong("own_name", name, span)
        if name in self.bound:
            raise self.wrong("later_name", name, span, self.bound[name])
        if name in self.ops and not self.ops[name].params:
            if name == "e":
                self.note("euler", name, span)
        elif self.given:
            raise self.wrong("inputs_missing", name, span)
        elif self.closed:
            place, near = (self.syntax.source, span), self.known
            raise mistake("unknown_name", *place, near=near, name=name)
        else:
            self.arguments[name] = Argument("input", span)
            if remedy("NUMBERS", name):
                self.note("number", name, span)
        self.known.add(name)

    # ---- calls

    def check_call(self, row: Row, inside: Statement | None = None) -> None:
        """Refuse a call of what is no function, or with a wrong number of arguments."""
        name, count = str(row.payload), len(row.args)
        if isinstance(inside, Function) and inside.name == name:
            raise self.wrong("recursion", name, row.span)
        if name in self.defined:
            params = [param for param, _ in self.defined[name].params]
            if len(params) != count:
                noun = "argument" if len(params) == 1 else "arguments"
                listed = f" ({', '.join(params)})" if params else ""
                raise self._arity(row, f"{len(params)} {noun}{listed}")
        elif found := self.ops.function(name):
            if not any(op.accepts(count) for op in found):
                raise self._arity(row, " or ".join(op.arity_text for op in found))
        elif name in FUNCTIONS:
            if not FUNCTIONS[name].accepts(count):
                raise self._arity(row, FUNCTIONS[name].arity_text)
        else:
            raise self._unknown(row, name)

    def _arity(self, row: Row, expected: str) -> GradcError:
        place, count = (self.syntax.source, row.span), len(row.args)
        name = row.payload
        return mistake("arity", *place, name=name, expected=expected, count=count)

    def _unknown(self, row: Row, name: str) -> GradcError:
        span = row.start, row.start + len(name)
        place, rows = (self.syntax.source, span), self.syntax.rows
        if name in self.functions:
            where = self.functions[name].name_span
            return self.wrong("later_function", name, span, where)
        if name in {*self.known, *self.bound, "pi", "e"} or any(
            row.op == "name" and row.payload == name for row in rows
        ):
            return mistake("not_a_function", *place, name=name)
        key = "unknown_function" if len(name) > 2 else "unknown_call"
        if spelling := remedy("SPELLINGS", name.lower()):
            return mistake(key, *place, hint=f"write {spelling}", name=name)
        near = [*self.ops.callables(), *self.defined, *CONDITIONALS, *FUNCTIONS]
        return mistake(key, *place, near=near, name=name)

    # ---- what derivatives are by

    def _differentiate(self, i: int, params: frozenset[str]) -> None:
        """Note the names that a call differentiates by: listed, or picked from."""
        self.slopes = True
        stack = [self.syntax.rows[i].args[1]]
        while stack:
            row = self.syntax.rows[stack.pop()]
            if row.op == "name":
                if row.start in self.local or row.payload in params:
                    self.within.append((i, row.payload))
                else:
                    self.by.add(row.payload)
            elif row.op == "index":
                stack.append(row.args[0])
            elif row.op == "array":
                stack += row.args

    def inner(self, first: int, last: int) -> set[str]:
        """The names of functions and loops that rows differentiate by."""
        start = bisect_left(self.within, (first, ""))
        stop = bisect_left(self.within, (last + 1, ""))
        return {name for _, name in self.within[start:stop]}


def _local(syntax: Syntax) -> set[int]:
    """Return where in the text the variables of comprehensions are read.

    A variable is known in the body, and in what follows its own iterable.
    """
    opened: dict[int, list[str]] = {}
    closed: dict[int, list[str]] = {}
    for end in chain.from_iterable(syntax.loops.values()):
        loop = syntax.rows[end].payload
        assert isinstance(loop, Comprehension)
        for clause in loop.clauses:
            parts = (loop.first, loop.body + 1), (clause.iterable + 1, end)
            for first, behind in parts:
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
