"""Text to syntax: what the rules of the grammar do.

A rule of the grammar with an alias becomes a row, or calls the method of that name.
The driver's stack is a list and so is its result, so no depth of the input is too
deep.  What a name means, and whether a function exists, is left to `names`.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

from gradc.errors import GradcError, Source, Span, character, mistake, remedy
from gradc.language import limits
from gradc.language.grammar import Act, drive, tokens
from gradc.language.mistakes import explain
from gradc.language.syntax import CONDITIONALS, Binding, Clause, Comprehension
from gradc.language.syntax import Declaration, Item, Kind, Result, Row, Statement
from gradc.language.syntax import Syntax, System

COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
ASKED = {"and": 2, "or": 2, "not": 1, "where": 1}  # arguments that are conditions
CONDITIONS = frozenset({"and", "or", "not", *COMPARISONS.values()})
ENTRIES = ["name", "name"], ["name", "number"]  # rows of `name[i]` and `name[0]`
KINDS = CONDITIONS | {"where", "comprehension"}  # where there is something to check

Params = Sequence[tuple[str, Span]]
Target = tuple[str, Span, Params | None, int | str | None]  # as those of a Binding


def parse(text: str | Source, name: str = "<formula>") -> Syntax:
    """Parse a formula; a GradcError has the place of the first mistake."""
    return Parser(text if isinstance(text, Source) else Source.read(text, name)).parse()


class Parser:
    """The state of one parse; its public methods are the aliases of the grammar."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rows: list[Row] = []
        self.statements: list[Statement] = []
        self.next_row = 0  # where the rows of the statement begin

    def parse(self) -> Syntax:
        """Read the text."""
        text, most = self.source.text, limits.MAX_TOKENS
        if half := re.search("[\ud800-\udfff]", text):
            raise self.wrong("half_character", half.span(), char=character(half[0]))
        found = tokens(text, [])
        if stuck := drive(islice(found, most), self.act):
            raise explain(self.source, *stuck)
        for *_, start, end in found:
            raise self.wrong("text_too_long", (start, end), limit=most)
        last = self.statements[-1]
        is_plain = isinstance(last, Binding) and last.is_plain
        if not (is_plain or isinstance(last, Result)):
            kind = "declaration" if isinstance(last, Declaration) else "definition"
            raise self.wrong("result_missing", last.span, kind=kind)
        self.check_kinds()
        return Syntax(self.source, self.rows, tuple(self.statements))

    def act(self, name: str) -> Act:
        """Return what a rule of this name does: its method, or the row of an operator."""
        method: Act | None = getattr(self, name, None)
        return method or (lambda span, *args: self.row(name, args, span))

    def wrong(self, key: str, span: Span, **names: Any) -> GradcError:
        """A mistake at a place."""
        return mistake(key, self.source, span, **names)

    def row(
        self, op: str, args: tuple[int, ...], span: Span, payload: Any = None
    ) -> int:
        """Append a row, made in a third of the time of `Row(...)`; return its position."""
        self.rows.append(tuple.__new__(Row, (op, args, payload, *span)))
        return len(self.rows) - 1

    def variable(self, span: Span, name: str) -> int:
        return self.row("name", (), span, name)

    def number(self, span: Span, text: str) -> int:
        """A decimal number, as Python reads it."""
        if text[0] == "0" and text.replace("_", "").isdigit() and text.strip("0_"):
            instead = text.lstrip("0_")
            raise self.wrong("number_zeros", span, number=text, instead=instead)
        value = float(text)
        if math.isinf(value):
            raise self.wrong("number_large", span, number=text)
        if value == 0.0 and text.lower().partition("e")[0].strip("0._"):
            raise self.wrong("number_small", span, number=text)
        return self.row("number", (), span, value)

    def comparison(self, span: Span, chain: list[Any]) -> int:
        """`a < b <= c` is `a < b and b <= c`, with one row for b."""
        links: list[int] = []
        for left, sign, right in zip(chain[::2], chain[1::2], chain[2::2]):
            begin, stop = self.rows[left].start, self.rows[right].end
            links.append(self.row(COMPARISONS[sign], (left, right), (begin, stop)))
            if len(links) == 2:
                links = [self.row("and", tuple(links), (span[0], stop))]
        return links[0]

    def conditional(self, span: Span, yes: int, test: int, no: int) -> int:
        return self.row("where", (test, yes, no), span)

    def call(self, span: Span, name: str, args: Sequence[Any] = ()) -> int:
        """`name(a, b)`, of which `where` and `piecewise` are no rows of their own."""
        count, wanted = len(args), CONDITIONALS.get(name)
        if name == "where" and count != 3 or name == "piecewise" and count < 2:
            raise self.wrong("arity", span, name=name, expected=wanted, count=count)
        if name == "piecewise":
            return self.piecewise(span, args)
        for arg in args:
            if isinstance(arg, tuple):
                raise self.wrong("piece_outside", arg[2], name=name)
        if name == "where":
            return self.row(name, tuple(args), span)
        return self.row("call", tuple(args), span, name)

    def piece(self, span: Span, value: int, condition: int) -> tuple[int, int, Span]:
        return value, condition, span

    def piecewise(self, span: Span, args: Sequence[Any]) -> int:
        """Nest the pieces as conditionals, the last one innermost."""
        *pieces, result = args
        if isinstance(result, tuple):
            raise self.wrong("otherwise_missing", result[2])
        for piece in pieces:
            if not isinstance(piece, tuple):
                raise self.wrong("piece_expected", self.rows[piece].span)
        for value, condition, (start, _) in reversed(pieces):
            result = self.conditional((start, span[1]), value, condition, result)
        return int(result)

    def first(self, span: Span, *values: Any) -> list[Any]:
        """The beginning of a list."""
        return list(values)

    def more(self, span: Span, values: list[Any], *more: Any) -> list[Any]:
        """A list that goes on, in place: copying would be quadratic."""
        values.extend(more)
        return values

    def array(self, span: Span, elements: list[int]) -> int:
        return self.row("array", tuple(elements), span)

    def slice(self, span: Span, *parts: Any) -> int:
        """`start:stop:step`, of which each may be left out."""
        rows = tuple([part for part in parts if part != ":"])
        kind = "".join([":" if part == ":" else "x" for part in parts])
        return self.row("slice", rows, span, kind)

    def index(self, span: Span, array: int, slots: list[int]) -> int:
        """`array[i, j:k]`."""
        return self.row("index", (array, *slots), span)

    def clause(self, span: Span, name: str, iterable: int) -> Clause:
        return Clause(name, iterable, [])

    def filter(self, span: Span, clause: Clause, condition: int) -> Clause:
        clause.filters.append(condition)
        return clause

    def comprehension(self, span: Span, body: int, clauses: list[Clause]) -> int:
        """`[body for name in iterable if condition]`.

        Its rows stand in the order of the text, first to body and then the clauses, and
        run once for each item: so they are passed over where the row behind is reached.
        """
        # Of the rows so far, those inside are the ones that start behind the bracket.
        first = bisect_left(self.rows, span[0], key=lambda row: row.start)
        payload = Comprehension(first, body, tuple(clauses))
        return self.row("comprehension", (), span, payload)

    def reduction(self, span: Span, name: str, body: int, clauses: list[Clause]) -> int:
        """`sum(body for name in iterable)` is `sum([body for name in iterable])`."""
        if name in CONDITIONALS:
            raise self.wrong("loop", (span[0], span[0] + len(name)))
        array = self.comprehension((span[0] + len(name), span[1]), body, clauses)
        return self.call(span, name, (array,))

    def taken(self, *values: int, key: str = "condition_as_number") -> int:
        """Where the rows of a part begin that ends here, whose values are numbers."""
        self.refuse(values, key)
        first, self.next_row = self.next_row, len(self.rows)
        return first

    def statement(self, span: Span, *parts: Any) -> None:
        """Append a statement, unless the one before had to be the last."""
        last = self.statements[-1] if self.statements else None
        *_, found = parts
        if isinstance(last, Result):
            if last.span == last.bindings[0].span:  # it is no `return`
                raise self.wrong("result_early", last.span)
            raise self.wrong("after_return", found.span, earlier=last.span)
        if isinstance(found, Binding) and not found.name:
            found = Result((found,), found.span)
        elif isinstance(found, Binding) and found.place is not None:
            if isinstance(last, System):
                last.bindings.append(found)
                return
            found = System([found])
        self.statements.append(found)

    def returned(self, span: Span, answers: list[Any]) -> Result:
        """`return a`, or `return name = a, b`: a mere name is called so beside others."""
        given = {answer.name for answer in answers}
        is_plain = given == {""}
        for k, answer in enumerate(answers):
            if not answer.is_plain:
                raise self.wrong("target_expected", answer.name_span)
            op, _, name, *_ = row = self.rows[answer.value]
            if not (is_plain or answer.name) and op == "name" and name not in given:
                given.add(name)
                answers[k] = answer._replace(name=name, name_span=row.span)
        return Result(answers, span)

    def target(self, span: Span, left: int) -> Target:
        """Read the left side of `=` back from its rows, and forget them."""
        *rows, (op, args, name, start, stop) = self.rows[self.next_row :]
        del self.rows[self.next_row :]
        if op == "index" and [row.op for row in rows] in ENTRIES:
            own, at = rows
            place = int(at.payload) if at.op == "number" else at.payload
            if place == at.payload:
                return own.payload, own.span, None, place
        if op == "name" and not rows and start == span[0]:
            return name, (start, stop), None, None
        if op != "call" or len(rows) != len(args) or start != span[0]:
            raise self.wrong("target_expected", (span[0], stop))
        params: dict[str, Span] = {}
        for row in rows:
            if row.op != "name":
                raise self.wrong("target_expected", row.span)
            if earlier := params.get(row.payload):
                names = {"earlier": earlier, "name": row.payload}
                raise self.wrong("parameter_twice", row.span, **names)
            params[row.payload] = row.span
        return name, (start, start + len(name)), [*params.items()], None

    def binding(self, span: Span, *parts: Any) -> Binding:
        """`a`, `name = a`, `name(x, y) = a` or `name[i] = a`."""
        *targets, value = parts
        target: Target = targets[0] if targets else ("", span, None, None)
        return Binding(*target, value, self.taken(value, key="condition_bound"), span)

    def shape(self, span: Span, axes: list[int]) -> Row:
        return Row("shape", tuple(axes), self.taken(*axes), *span)

    def interval(self, span: Span, left: str, low: int, high: int, right: str) -> Row:
        ends = self.taken(low, high), left == "(", right == ")"
        return Row("interval", (low, high), ends, *span)

    def item(self, span: Span, name: str, *rest: Row) -> Item:
        """A declared name, perhaps with a shape and an interval."""
        found, place = {row.op: row for row in rest}, (span[0], span[0] + len(name))
        return Item(name, place, found.get("interval"), found.get("shape"))

    def declare(self, span: Span, kind: Kind, items: list[Item]) -> Declaration:
        """An interval belongs to all names to its left that have none."""
        interval = None
        for k, item in reversed([*enumerate(items)]):
            interval = item.interval or interval
            items[k] = item._replace(interval=interval, kind=kind)
        return Declaration(tuple(items), span)

    def check_kinds(self) -> None:
        """Refuse conditions as numbers, and numbers as conditions."""
        if KINDS.isdisjoint({row[0] for row in self.rows}):
            return
        for op, args, payload, *_ in self.rows:
            count = ASKED.get(op, 0)
            conditions, numbers = args[:count], args[count:]
            if op == "comprehension":
                clauses = payload.clauses
                numbers = payload.body, *[clause.iterable for clause in clauses]
                conditions = tuple(chain(*[clause.filters for clause in clauses]))
            self.refuse(numbers, "condition_as_number")
            self.refuse(conditions, "number_as_condition", if_condition=False)

    def refuse(self, rows: Iterable[int], key: str, if_condition: bool = True) -> None:
        """Refuse conditions, or what is none."""
        for i in rows:
            if (self.rows[i].op in CONDITIONS) is if_condition:
                span = self.rows[i].span
                text = self.source.text[slice(*span)]
                raise self.wrong(key, span, shown=text, hint=remedy("CONDITIONS", text))
