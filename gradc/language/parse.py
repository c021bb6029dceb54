"""Text to syntax: what the rules of the grammar do.

A rule of the grammar with an alias becomes a row, or calls the method of that name.
The driver's stack is a list and so is its result, so no depth of the input is too
deep.  What a name means, and whether a function exists, is left to `names`.
"""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from gradc.errors import GradcError, Source, Span, character, mistake
from gradc.language import mistakes
from gradc.language.grammar import MAX_TOKENS, NAME, Act, Driver, Token, pattern, tokens
from gradc.language.syntax import (
    Answer,
    Binding,
    Clause,
    Comprehension,
    Declaration,
    Function,
    Interval,
    Item,
    Result,
    Results,
    Row,
    Shape,
    Slice,
    Slot,
    Statement,
    Syntax,
)

COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
LOGICAL = frozenset({"and", "or", "not"})
CONDITIONS = LOGICAL | {*COMPARISONS.values()}
KINDS = CONDITIONS | {"where", "comprehension"}  # where there is something to check
LONGEST = 30  # characters of a part that a remedy repeats


def parse(text: str | Source, name: str = "<formula>") -> Syntax:
    """Parse a formula.

    Raises:
        GradcError: with the place of the first mistake.
    """
    source = text if isinstance(text, Source) else Source.read(text, name)
    try:
        source.text.encode("utf-8")
    except UnicodeEncodeError as error:
        place = error.start, error.start + 1
        char = character(source.text[error.start])
        raise mistake("half_character", source, place, char=char) from None
    return Parser(source).parse()


class Piece(NamedTuple):
    """`(value, condition)`, an argument of piecewise."""

    value: int
    condition: int
    span: Span


class Target(NamedTuple):
    """The left side of `=`; a definition has parameters."""

    name: str
    span: Span
    params: tuple[tuple[str, Span], ...] | None


# As Row(...) and Binding(...), in a third of the time.
_row = partial(tuple.__new__, Row)
_binding = partial(tuple.__new__, Binding)


class Parser:
    """The state of one parse; its public methods are the aliases of the grammar."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rows: list[Row] = []
        self.statements: list[Statement] = []
        self.next_row = 0  # where the rows of the statement begin
        self.loops: dict[int, list[int]] = {}  # by first row, where comprehensions end
        self.returned_at: Span | None = None

    def parse(self) -> Syntax:
        """Read the text.

        Raises:
            GradcError: with the place of the first mistake.
        """
        driver, limit = Driver(self.act), len(self.source.text) + 1
        if limit > MAX_TOKENS:  # what is too long is refused before rows are made
            deque(tokens(self.source, [], limit), maxlen=0)
        token = driver.read(tokens(self.source, [], limit))
        if token is not None:
            raise self.stuck(token)
        last = self.statements[-1]
        if isinstance(last, (Function, Declaration)):
            kind = "definition" if isinstance(last, Function) else "declaration"
            raise mistake("result_missing", self.source, last.span, kind=kind)
        self.check_kinds({row[0] for row in self.rows})
        return Syntax(self.source, self.rows, tuple(self.statements), self.loops)

    def act(self, name: str) -> Act:
        """Return what a rule of this name does: its method, or the row of an operator."""
        method: Act | None = getattr(self, name, None)
        return method or partial(self.operator, name)

    def stuck(self, token: Token) -> GradcError:
        """Say why a token has no place.

        The tokens that could stand there are found on the stack as it was before this
        one was offered: the table reduces before it notices, and then wants less. So
        what stands before it is read again, by rules that do nothing.
        """
        kind, _, start, end = token
        driver, opens = Driver(lambda name: lambda *_: None), list[int]()
        driver.read(tokens(self.source, opens, start))
        last, wanted = (driver.starts[-1], driver.end), driver.wanted()
        return mistakes.explain(
            mistakes.Stuck(self.source, kind, (start, end), last, wanted, opens)
        )

    # Rows

    def row(
        self, op: str, args: tuple[int, ...], start: int, end: int, payload: Any = None
    ) -> int:
        """Append a row, and return its position."""
        self.rows.append(_row((op, args, payload, start, end)))
        return len(self.rows) - 1

    def variable(self, start: int, end: int, name: str) -> int:
        return self.row("name", (), start, end, name)

    def number(self, start: int, end: int, text: str) -> int:
        """A decimal number, as Python reads it."""
        if text[0] == "0" and text.replace("_", "").isdigit() and text.strip("0_"):
            instead = text.lstrip("0_")
            raise self.wrong("number_zeros", (start, end), number=text, instead=instead)
        value = float(text)
        if math.isinf(value):
            raise self.wrong("number_large", (start, end), number=text)
        return self.row("number", (), start, end, value)

    def operator(self, op: str, start: int, end: int, *args: int) -> int:
        """The row of an operator."""
        return self.row(op, args, start, end)

    def comparison(self, start: int, end: int, chain: list[Any]) -> int:
        """`a < b <= c` is `a < b and b <= c`, with one row for b."""
        links: list[int] = []
        for left, sign, right in zip(chain[::2], chain[1::2], chain[2::2]):
            begin, stop = self.rows[left].start, self.rows[right].end
            links.append(self.row(COMPARISONS[sign], (left, right), begin, stop))
            if len(links) == 2:
                links = [self.row("and", tuple(links), start, stop)]
        return links[0]

    def conditional(self, start: int, end: int, yes: int, test: int, no: int) -> int:
        """`yes if test else no`."""
        return self.row("where", (test, yes, no), start, end)

    def call(self, start: int, end: int, name: str, args: Sequence[Any] = ()) -> int:
        """`name(a, b)`, of which `where` and `piecewise` are no rows of their own."""
        if name == "piecewise":
            return self.piecewise(start, end, list(args))
        for arg in args:
            if isinstance(arg, Piece):
                raise self.wrong("piece_outside", arg.span, name=name)
        if name == "where":
            if len(args) != 3:
                raise self.arity((start, end), name, "3 arguments (c, a, b)", args)
            test, yes, no = args
            return self.conditional(start, end, yes, test, no)
        return self.row("call", tuple(args), start, end, name)

    def piece(self, start: int, end: int, value: int, condition: int) -> Piece:
        """`(value, condition)`, an argument of piecewise."""
        return Piece(value, condition, (start, end))

    def piecewise(self, start: int, end: int, args: list[Any]) -> int:
        """Nest the pieces as conditionals, the last one innermost."""
        if len(args) < 2:
            expected = "2 or more arguments ((value, condition), ..., otherwise)"
            raise self.arity((start, end), "piecewise", expected, args)
        *pieces, otherwise = args
        if isinstance(otherwise, Piece):
            raise self.wrong("otherwise_missing", otherwise.span)
        for piece in pieces:
            if not isinstance(piece, Piece):
                raise self.wrong("piece_expected", self.rows[piece].span)
        result: int = otherwise
        for value, condition, span in reversed(pieces):
            result = self.conditional(span[0], end, value, condition, result)
        return result

    def first(self, start: int, end: int, *values: Any) -> list[Any]:
        """The beginning of a list."""
        return list(values)

    def more(self, start: int, end: int, values: list[Any], *more: Any) -> list[Any]:
        """A list that goes on, in place: copying would be quadratic."""
        values.extend(more)
        return values

    def name_span(self, start: int) -> Span:
        """Return the place of a name; in the text it may be longer than in NFC."""
        text = self.source.text
        match = pattern(text.isascii()).match(text, start)
        assert match is not None
        return match.span(NAME)

    # Mistakes

    def wrong(self, key: str, span: Span, **names: Any) -> GradcError:
        """A mistake at a place."""
        return mistake(key, self.source, span, **names)

    def arity(
        self, span: Span, name: str, expected: str, args: Sequence[Any]
    ) -> GradcError:
        """The mistake that a call has another number of arguments."""
        count = len(args)
        return self.wrong("arity", span, name=name, expected=expected, count=count)

    # Arrays

    def shape(self, start: int, end: int, axes: list[int]) -> Shape:
        """`[2, 3]` behind a declared name."""
        return Shape(tuple(axes), self.taken(), (start, end))

    def array(self, start: int, end: int, elements: list[int]) -> int:
        """`[a, b]`, an array of numbers or of arrays."""
        return self.row("array", tuple(elements), start, end)

    def slice(self, start: int, end: int, *parts: int | str) -> Slice:
        """`start:stop:step`, of which each may be left out."""
        found: list[int | None] = [None]
        for part in parts:
            if isinstance(part, str):
                found.append(None)
            else:
                found[-1] = part
        first, stop, step = (*found, None, None)[:3]
        return Slice(first, stop, step, (start, end))

    def index(self, start: int, end: int, array: int, slots: list[Slot]) -> int:
        """`array[i, j:k]`."""
        rows = [array]
        for slot in slots:
            rows += slot.rows if isinstance(slot, Slice) else [slot]
        return self.row("index", tuple(rows), start, end, tuple(slots))

    def runner(self, start: int, end: int, name: str) -> tuple[str, Span]:
        """The name that runs through the items."""
        return name, self.name_span(start)

    def clause(
        self, start: int, end: int, runner: tuple[str, Span], iterable: int
    ) -> Clause:
        """`for name in iterable`."""
        return Clause(*runner, iterable, [])

    def filter(self, start: int, end: int, clause: Clause, condition: int) -> Clause:
        """`if condition`, behind a clause."""
        clause.filters.append(condition)
        return clause

    def comprehension(
        self, start: int, end: int, body: int, clauses: list[Clause]
    ) -> int:
        """`[body for name in iterable if condition]`.

        Its rows stand in the order of the text, first to body and then the clauses, and
        run once for each item: so they are passed over where the row behind is reached.
        """
        # Of the rows so far, those inside are the ones that start behind the bracket.
        first = bisect_left(self.rows, start, key=lambda row: row.start)
        self.loops.setdefault(first, []).append(len(self.rows))
        payload = Comprehension(first, body, tuple(clauses))
        return self.row("comprehension", (), start, end, payload)

    def reduction(
        self, start: int, end: int, name: str, body: int, clauses: list[Clause]
    ) -> int:
        """`sum(body for name in iterable)` is `sum([body for name in iterable])`."""
        if name in ("where", "piecewise"):
            raise self.wrong("loop", self.name_span(start))
        array = self.comprehension(start + len(name), end, body, clauses)
        return self.call(start, end, name, (array,))

    # Statements

    def taken(self) -> int:
        """Where the rows of a part begin that ends here."""
        first, self.next_row = self.next_row, len(self.rows)
        return first

    def add_statement(self, statement: Statement) -> None:
        """Append a statement, unless the one before had to be the last."""
        if self.returned_at is not None:
            earlier = self.returned_at
            raise self.wrong("after_return", statement.span, earlier=earlier)
        if self.statements and isinstance(self.statements[-1], Result):
            raise self.wrong("result_early", self.statements[-1].span)
        self.statements.append(statement)
        self.next_row = len(self.rows)

    def result(self, start: int, end: int, value: int) -> None:
        self.add_statement(Result(value, self.next_row, (start, end)))

    def returned(self, start: int, end: int, answers: list[Answer]) -> None:
        """`return a`, or `return name = a, b`."""
        if len(answers) == 1 and not answers[0].name:
            self.add_statement(Result(*answers[0][2:], (start, end)))
        else:
            self.add_statement(Results(self.named(answers), (start, end)))
        self.returned_at = (start, end)

    def named(self, answers: list[Answer]) -> tuple[Answer, ...]:
        """The results, of which a mere name is called so if others have names."""
        given = {answer.name for answer in answers}
        if given == {""}:
            return tuple(answers)
        found = []
        for answer in answers:
            op, _, name, *span = self.rows[answer.value]
            if not answer.name and op == "name" and name not in given:
                given.add(name)
                answer = answer._replace(name=name, span=(span[0], span[1]))
            found.append(answer)
        return tuple(found)

    def answer(self, start: int, end: int, *parts: Any) -> Answer:
        """`a` or `name = a`, one of the results."""
        target = parts[0] if len(parts) > 1 else Target("", (start, end), None)
        if target.params is not None:
            raise self.wrong("target_expected", target.span)
        return Answer(target.name, target.span, parts[-1], self.taken())

    def target(self, start: int, end: int, left: int) -> Target:
        """Read the left side of `=` back from its rows, and forget them."""
        rows, count = self.rows, len(self.rows) - self.next_row
        op, args, name, first, _ = rows[-1]
        if op == "name" and count == 1 and first == start:
            params = None
        elif op == "call" and count == len(args) + 1 and first == start:
            params = self.parameters(rows[self.next_row : -1])
        else:
            span = start, rows[left].end
            raise self.wrong("target_expected", span)
        del rows[self.next_row :]
        ends = start + len(name)  # what is not ASCII may be longer before it is in NFC
        span = (start, ends) if name.isascii() else self.name_span(start)
        return Target(name, span, params)

    def parameters(self, args: list[Row]) -> tuple[tuple[str, Span], ...]:
        """Return the parameters of a definition, which are names, each once."""
        seen: dict[str, Span] = {}
        for arg in args:
            name = str(arg.payload)
            if arg.op != "name":
                raise self.wrong("target_expected", arg.span)
            if name in seen:
                raise self.wrong(
                    "parameter_twice", arg.span, earlier=seen[name], name=name
                )
            seen[name] = arg.span
        return tuple(seen.items())

    def bind(self, start: int, end: int, target: Target, value: int) -> None:
        """`name = expression` or `name(a, b) = expression`."""
        name, span, params = target
        rest = value, self.next_row, (start, end)
        if params is None:
            self.add_statement(_binding((name, span, *rest)))
        else:
            self.add_statement(Function(name, span, params, *rest))

    def item(self, start: int, end: int, name: str, *rest: Shape | Interval) -> Item:
        """A declared name, perhaps with a shape and an interval."""
        shape = next((part for part in rest if isinstance(part, Shape)), None)
        interval = next((part for part in rest if isinstance(part, Interval)), None)
        return Item(name, self.name_span(start), interval, shape)

    def interval(
        self, start: int, end: int, left: str, low: int, high: int, right: str
    ) -> Interval:
        return Interval(
            low, high, self.taken(), left == "(", right == ")", (start, end)
        )

    def declare(self, start: int, end: int, kind: str, items: list[Item]) -> None:
        """An interval belongs to all names to its left that have none."""
        names: list[Item] = []
        interval = None
        for item in reversed(items):
            interval = item.interval or interval
            names.append(item._replace(interval=interval))
        which: Literal["input", "data"] = "data" if kind == "data" else "input"
        self.add_statement(Declaration(which, tuple(names[::-1]), (start, end)))

    # Kinds: a condition is no number, and no number is a condition

    def check_kinds(self, ops: set[str]) -> None:
        """Refuse conditions as numbers, and numbers as conditions.

        Arguments:
            ops: of all rows.
        """
        if ops.isdisjoint(KINDS):
            return
        for op, args, payload, *_ in self.rows:
            conditions: Sequence[int] = ()
            if op in LOGICAL:
                conditions, args = args, ()
            elif op == "where":
                conditions, args = args[:1], args[1:]
            elif op == "comprehension":
                args = payload.body, *[clause.iterable for clause in payload.clauses]
                conditions = [i for clause in payload.clauses for i in clause.filters]
            self.want_numbers(args)
            for i in conditions:
                if self.rows[i].op not in CONDITIONS:
                    raise self.no_condition(self.rows[i].span)
        for statement in self.statements:
            if isinstance(statement, Declaration):
                for _, _, interval, shape in statement.names:
                    self.want_numbers(interval[:2] if interval else ())
                    self.want_numbers(shape.axes if shape else ())
            else:
                answers = getattr(statement, "answers", [statement])
                self.want_numbers([each.value for each in answers], "condition_bound")

    def want_numbers(
        self, rows: Sequence[int], key: str = "condition_as_number"
    ) -> None:
        for i in rows:
            if self.rows[i].op in CONDITIONS:
                span = self.rows[i].span
                text = self.source.text[slice(*span)]
                shown = text if len(text) <= LONGEST and "\n" not in text else "x > 0"
                raise self.wrong(key, span, shown=shown)

    def no_condition(self, span: Span) -> GradcError:
        text = self.source.text[slice(*span)]
        key = {"true": "always", "false": "never"}.get(text.lower())
        shown = text if text.isalnum() and len(text) <= LONGEST else "x"
        return self.wrong(key or "number_as_condition", span, shown=shown)
