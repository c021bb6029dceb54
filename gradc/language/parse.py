"""Text to syntax: what the rules of the grammar do.

A rule of the grammar with an alias becomes a row, or calls the method of that name.
The driver's stack is a list and so is its result, so no depth of the input is too
deep.  What a name means, and whether a function exists, is left to `lower`.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from gradc.errors import GradcError, Source, Span, character, mistake
from gradc.language import lalr
from gradc.language.brackets import Brackets
from gradc.language.driver import Act, Driver, Read, Stack, Token
from gradc.language.lexer import Lexer
from gradc.language.plain import Plain, plain
from gradc.language.spell import number
from gradc.language.syntax import (
    Answer,
    Binding,
    Declaration,
    Function,
    Interval,
    Item,
    Result,
    Results,
    Row,
    Shape,
    Statement,
    Syntax,
)

COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
LONGEST = 30  # characters of a part that a remedy repeats
SPECIAL = ("where", "piecewise")  # calls that are no rows of their own
CONDITIONS = {*COMPARISONS.values(), "and", "or", "not"}


def parse(text: str | Source, name: str = "<formula>") -> Syntax:
    """Parse a formula.

    Raises:
        GradcError: with the place of the first mistake.
    """
    source = text if isinstance(text, Source) else Source.read(text, name)
    require_readable(source)
    parser = Parser(source)
    parser.drive(len(source.text))
    return parser.finish()


def require_readable(source: Source) -> None:
    """Refuse what no file can hold, before it is read.

    Raises:
        GradcError: there is half a character.
    """
    try:
        source.text.encode("utf-8")
    except UnicodeEncodeError as error:
        place = error.start, error.start + 1
        char = character(source.text[error.start])
        raise mistake("half_character", source, place, char=char) from None


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


# As Row(...), Target(...) and Binding(...), in a third of the time.
_row = partial(tuple.__new__, Row)
_binding = partial(tuple.__new__, Binding)
_target = partial(tuple.__new__, Target)


class Acts(dict[int, Act]):
    """What the rules do, each looked up when it is first completed."""

    def __init__(self, parser: "Parser") -> None:
        super().__init__()
        self.parser = parser

    def __missing__(self, rule: int) -> Act:
        act = self[rule] = self.parser.act(self.parser.table.rules[rule].name or "")
        return act


class Parser(Brackets):
    """The state of one parse; its public methods are the aliases of the grammar."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.table = lalr.load()
        self.lexer = Lexer(source, self.table)
        self.rows: list[Row] = []
        self.statements: list[Statement] = []
        self.last: Statement | None = None
        self.conditions: set[int] = set()  # the rows that are no numbers
        self.next_row = 0  # where the rows of the statement begin
        self.arrays = False
        self.loops: dict[int, list[int]] = {}
        self.returned_at: Span | None = None

    def drive(self, limit: int, replay: bool = False) -> Stack:
        """Read the text before `limit`, and unless it is a replay the end behind it.

        Returns:
            What has been read: in a replay as it is before the token at `limit` is
            looked at.
        """
        driver = Driver(self.table, Acts(self), self.shorten)
        for _ in self.lines(driver, limit):
            pass
        if not replay:
            self.end(driver, limit)
        return driver.stack

    def lines(self, driver: Driver, limit: int) -> Iterator[None]:
        """Read the lines before `limit`, and pause behind each."""
        lexer = self.lexer
        for line in lexer.lines(limit):
            if not driver.run(line):
                stuck = driver.shift(lexer.tokens(line))
                if stuck is not None:
                    raise self.stuck(stuck)
            yield

    def end(self, driver: Driver, limit: int) -> None:
        """Read the end of the text."""
        stuck = driver.shift([(lalr.END, "", limit, limit)])
        if stuck is not None:
            raise self.stuck(stuck)

    def parts(self, size: int) -> Iterator[Syntax]:
        """Read the whole text, and hand on its statements a few at a time.

        Each time with their own rows, at least `size` of them, which count from 0.
        """
        limit = len(self.source.text)
        driver = Driver(self.table, Acts(self), self.shorten)
        for _ in self.lines(driver, limit):
            if self.next_row == len(self.rows) >= size:
                if driver.stack.states == self.table.between:
                    yield self.taken()
        self.end(driver, limit)
        yield self.finish()

    def taken(self) -> Syntax:
        """The statements so far, which the parser forgets."""
        rows, statements = self.rows, tuple(self.statements)
        self.rows, self.statements, self.next_row = [], [], 0
        self.conditions = set()
        return Syntax(self.source, rows, statements, (), self.arrays, self.loops)

    def act(self, name: str) -> Act:
        """Return what a rule of this name does: its method, or the row of an operator."""
        method: Act | None = getattr(self, name, None)
        return method or partial(self.operator, name)

    def shorten(self, script: list[lalr.Step], count: int) -> Read | None:
        """What reads a line by one loop, if it binds a name to arithmetic."""
        rules = [self.table.rules[rule].name or "" for rule, *_ in script]
        line = plain(script, rules, count)
        return None if line is None else partial(self.bind_plain, line)

    def bind_plain(self, line: Plain, texts: list[str], places: list[int]) -> bool:
        """Append the rows of a line and its binding, unless there is more to look at."""
        rows, first = self.rows, self.next_row
        if self.conditions or first != len(rows):
            return False
        for op, args, token, start, end in line.rows:
            payload: Any = None
            if token >= 0:
                payload = texts[token]
                if op == "number":
                    payload = number(self.source, (places[start], places[end]))
                elif op == "call" and payload in SPECIAL:
                    del rows[first:]
                    return False
            if len(args) == 2:  # most are: this one in half of the time
                a, b = args
                args = first + a, first + b
            elif args:
                args = tuple([first + a for a in args])
            rows.append(_row((op, args, payload, places[start], places[end])))
        name, start = texts[line.name], places[line.start]
        span = start, start + len(name)
        place = start, places[line.end]
        binding = _binding((name, span, first + line.value, first, place))
        self.add_statement(binding)
        return True

    def stuck(self, token: Token) -> GradcError:
        """Say why a token has no place.

        The tokens that could stand there are found on the stack as it was before this
        one was offered: the table reduces before it notices, and then wants less.
        """
        from gradc.language import mistakes  # most texts have none

        kind, _, *span = token
        twin = Parser(self.source)
        stack = twin.drive(span[0], replay=True)
        last = stack.starts[-1], stack.end
        table, opens = self.table, twin.lexer.opens
        wanted = frozenset(t for t in table.tokens if table.accepts(stack.states, t))
        place = span[0], span[1]
        stuck = mistakes.Stuck(self.source, kind, place, last, wanted, opens)
        return mistakes.explain(stuck)

    # Rows

    def variable(self, start: int, end: int, name: str) -> int:
        self.rows.append(_row(("name", (), name, start, end)))
        return len(self.rows) - 1

    def number(self, start: int, end: int, text: str) -> int:
        value = number(self.source, (start, end))
        self.rows.append(_row(("number", (), value, start, end)))
        return len(self.rows) - 1

    def operator(self, op: str, start: int, end: int, *args: int) -> int:
        """Append the row of an operator on numbers."""
        if self.conditions:
            self.want_numbers(*args)
        self.rows.append(_row((op, args, None, start, end)))
        return len(self.rows) - 1

    def add_row(self, op: str, start: int, end: int, *args: int) -> int:
        """Append a row, and return its position."""
        if op in CONDITIONS:
            self.conditions.add(len(self.rows))
        self.rows.append(_row((op, args, None, start, end)))
        return len(self.rows) - 1

    def both(self, op: str, start: int, end: int, left: int, right: int) -> int:
        """`and` or `or` of two conditions."""
        self.want_condition(left)
        self.want_condition(right)
        return self.add_row(op, start, end, left, right)

    def conjunction(self, start: int, end: int, left: int, right: int) -> int:
        return self.both("and", start, end, left, right)

    def disjunction(self, start: int, end: int, left: int, right: int) -> int:
        return self.both("or", start, end, left, right)

    def negation(self, start: int, end: int, condition: int) -> int:
        self.want_condition(condition)
        return self.add_row("not", start, end, condition)

    def compare(self, start: int, end: int, chain: list[Any]) -> int:
        """`a < b <= c` is `a < b and b <= c`, with one row for b."""
        self.want_numbers(*chain[::2])
        result = None
        for left, sign, right in zip(chain[::2], chain[1::2], chain[2::2]):
            begin, stop = self.rows[left].start, self.rows[right].end
            link = self.add_row(COMPARISONS[sign], begin, stop, left, right)
            if result is None:
                result = link
            else:
                result = self.add_row("and", start, stop, result, link)
        assert result is not None
        return result

    def conditional(self, start: int, end: int, yes: int, test: int, no: int) -> int:
        """`yes if test else no`."""
        self.want_condition(test)
        self.want_numbers(yes, no)
        return self.add_row("where", start, end, test, yes, no)

    def call(self, start: int, end: int, name: str, args: Sequence[Any] = ()) -> int:
        if name == "piecewise":
            return self.piecewise(start, end, list(args))
        for arg in args:
            if isinstance(arg, Piece):
                raise mistake("piece_outside", self.source, arg.span, name=name)
        if name == "where":
            if len(args) != 3:
                raise self.arity((start, end), name, "3 arguments (c, a, b)", args)
            test, yes, no = args
            return self.conditional(start, end, yes, test, no)
        if self.conditions:
            self.want_numbers(*args)
        self.rows.append(_row(("call", tuple(args), name, start, end)))
        return len(self.rows) - 1

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
            raise mistake("otherwise_missing", self.source, otherwise.span)
        for piece in pieces:
            if not isinstance(piece, Piece):
                raise mistake("piece_expected", self.source, self.rows[piece].span)
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
        match = lalr.scanner(text).pattern.match(text, start)
        assert match is not None
        return match.span()

    # Kinds: a condition is no number, and no number is a condition

    def want_numbers(self, *rows: int) -> None:
        for i in rows:
            if i in self.conditions:
                raise self.condition("condition_as_number", self.rows[i].span)

    def want_condition(self, row: int) -> None:
        if row not in self.conditions:
            span = self.rows[row].span
            text = self.source.text[slice(*span)]
            key = {"true": "always", "false": "never"}.get(text.lower())
            shown = text if text.isalnum() and len(text) <= LONGEST else "x"
            key = key or "number_as_condition"
            raise mistake(key, self.source, span, shown=shown)

    def condition(self, key: str, span: Span) -> GradcError:
        """The mistake that a condition is used as a number."""
        text = self.source.text[slice(*span)]
        shown = text if len(text) <= LONGEST and "\n" not in text else "x > 0"
        return mistake(key, self.source, span, shown=shown)

    def arity(
        self, span: Span, name: str, expected: str, args: Sequence[Any]
    ) -> GradcError:
        """The mistake that a call has another number of arguments."""
        count = len(args)
        names: dict[str, Any] = {"name": name, "expected": expected, "count": count}
        return mistake("arity", self.source, span, **names)

    # Statements

    def add_statement(self, statement: Statement) -> None:
        """Append a statement, unless the one before had to be the last."""
        if self.returned_at is not None:
            earlier = "the result is returned", self.returned_at
            raise mistake("after_return", self.source, statement.span, earlier=earlier)
        if isinstance(self.last, Result):
            raise mistake("result_early", self.source, self.last.span)
        self.statements.append(statement)
        self.last = statement
        self.next_row = len(self.rows)

    def bound(self, value: int) -> int:
        """Return the value of a statement, which has to be a number."""
        if value in self.conditions:
            raise self.condition("condition_bound", self.rows[value].span)
        return value

    def result(self, start: int, end: int, value: int) -> None:
        self.add_statement(Result(self.bound(value), self.next_row, (start, end)))

    def returned(self, start: int, end: int, answers: list[Answer]) -> None:
        """`return a`, or `return name = a, b`."""
        if len(answers) == 1 and not answers[0].name:
            self.add_statement(Result(*answers[0][2:], (start, end)))
        else:
            self.arrays = True
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
            raise mistake("target_expected", self.source, target.span)
        first, self.next_row = self.next_row, len(self.rows)
        return Answer(target.name, target.span, self.bound(parts[-1]), first)

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
            raise mistake("target_expected", self.source, span)
        del rows[self.next_row :]
        ends = start + len(name)  # what is not ASCII may be longer before it is in NFC
        span = (start, ends) if name.isascii() else self.name_span(start)
        return _target((name, span, params))

    def parameters(self, args: list[Row]) -> tuple[tuple[str, Span], ...]:
        """Return the parameters of a definition, which are names, each once."""
        seen: dict[str, Span] = {}
        for arg in args:
            name = str(arg.payload)
            if arg.op != "name":
                raise mistake("target_expected", self.source, arg.span)
            if name in seen:
                earlier = "first", seen[name]
                raise mistake(
                    "parameter_twice", self.source, arg.span, earlier=earlier, name=name
                )
            seen[name] = arg.span
        return tuple(seen.items())

    def bind(self, start: int, end: int, target: Target, value: int) -> None:
        """`name = expression` or `name(a, b) = expression`."""
        name, span, params = target
        rest = self.bound(value), self.next_row, (start, end)
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
        self.want_numbers(low, high)
        first, self.next_row = self.next_row, len(self.rows)
        return Interval(low, high, first, left == "(", right == ")", (start, end))

    def declare(self, start: int, end: int, kind: str, items: list[Item]) -> None:
        """An interval belongs to all names to its left that have none."""
        names: list[Item] = []
        interval = None
        for item in reversed(items):
            interval = item.interval or interval
            names.append(item._replace(interval=interval))
        which: Literal["input", "data"] = "data" if kind == "data" else "input"
        self.add_statement(Declaration(which, tuple(names[::-1]), (start, end)))

    def finish(self) -> Syntax:
        """Return the syntax, if the last statement is a result."""
        last = self.last
        if isinstance(last, (Function, Declaration)):
            kind = "definition" if isinstance(last, Function) else "declaration"
            raise mistake("result_missing", self.source, last.span, kind=kind)
        comments, statements = tuple(self.lexer.comments), tuple(self.statements)
        return Syntax(
            self.source, self.rows, statements, comments, self.arrays, self.loops
        )
