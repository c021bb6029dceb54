"""What each name of a formula stands for, and every mistake one can make with names.

One loop over the rows, in the order of the text, before anything is built: so a body
is checked where it is defined, whether it is called or not, and `lower` can trust what
it reads.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from gradc.errors import RESERVED, GradcError, Span, listed, mistake, note, remedy
from gradc.language.grammar import spelled
from gradc.language.syntax import CONDITIONALS, DERIVATIVES, FUNCTIONS, Binding
from gradc.language.syntax import Declaration, Item, Result, Row, Statement, Syntax
from gradc.language.syntax import System
from gradc.ops import Op, Table

Named = Item | Binding  # begins with the name and its place


class Names:
    """The names of one formula; `arguments` is in the order of the declarations.

    What is `given` is the caller's list of inputs, which acts as an `input` line.
    """

    def __init__(self, syntax: Syntax, ops: Table, given: Sequence[str] | None) -> None:
        self.syntax, self.ops = syntax, ops
        self.arguments: dict[str, Item] = {}
        self.notes: list[str] = []
        self.missing = ""  # the mistake that a free name is, if it is one
        self.known: set[str] = set()  # names with a value so far
        self.local: Counter[str] = Counter()  # those of functions and loops here
        self.bound: dict[str, Binding] = {}  # later ones too
        self.functions: dict[str, Binding] = {}  # later ones too
        self.calls: dict[str, Sequence[Op]] = {}  # what they take
        self.slopes = False  # whether there are derivatives
        self.states: dict[str, Binding] = {}  # names with an entry for each row
        self.lengths: set[str] = set()  # of columns: axes that nothing binds
        self.columns: Collection[str] = ()  # arguments that are columns of theirs
        self.rows = "rows"  # the length of these
        self.by: dict[str, set[str]] = defaultdict(set)  # what by; in which function
        self._collect()
        if given is not None:
            self._give(given)
        self._resolve()

    def function(self, name: str, row: int) -> Binding | None:
        """The formula's own function of a call, if it is defined above the call."""
        found = self.functions.get(name)
        return found if found and found.value < row else None

    def make_columns(self, columns: Collection[str]) -> None:
        """Make columns of some arguments of a formula that has none, or of all."""
        if not columns:
            return
        if self.lengths:
            raise self.wrong("columns_twice", None, name=min(self.lengths))
        self.columns = self.arguments if columns == ("all",) else columns
        for name in self.columns:
            if name not in self.arguments:
                said: Any = {"near": self.arguments, "inputs": listed(self.arguments)}
                raise self.wrong("columns_unknown", None, name=name, **said)
        while self.rows in {*self.arguments, *self.bound, *self.functions}:
            self.rows += "_"
        self.lengths.add(self.rows)

    def wrong(
        self, key: str, span: Span | None, earlier: Span | None = None, **names: Any
    ) -> GradcError:
        """A mistake at a place; another one may be shown with it."""
        return mistake(key, self.syntax.source, span, earlier=earlier, **names)

    def _collect(self) -> None:
        """Gather what the statements bind, define and declare, each once."""
        for statement in self.syntax.statements:
            if isinstance(statement, Declaration):
                self.missing = "unknown_name"
                for item in statement.names:
                    self._once("declared_twice", item, self.arguments)
                    self._once("declared_bound", item, self.bound)
                    self.arguments[item.name] = item
            elif isinstance(statement, System):
                self._state(statement)
            elif isinstance(statement, Result):
                results = dict[str, Binding]()
                for answer in statement.bindings:
                    if answer.name:
                        self._once("result_twice", answer, results)
                        results[answer.name] = answer
            elif statement.params is None:
                self._once("bound_twice", statement, self.bound)
                self._once("bound_twice", statement, self.states)
                self._once("declared_bound", statement, self.arguments)
                self.bound[statement.name] = statement
            else:
                self._once("defined_twice", statement, self.functions)
                self.functions[statement.name] = statement
                name, params = statement.name, tuple(x for x, _ in statement.params)
                self.calls[name] = [Op(name, name, "", params, "")]
                if self.ops.function(name) or name in FUNCTIONS:
                    source, span = self.syntax.source, statement.name_span
                    self.notes.append(note("hidden", source, span, name=name))

    def _state(self, system: System) -> None:
        """Gather states, all in one place: each has as many first entries, and a next."""
        found: dict[str, list[Any]] = defaultdict(list)
        for entry in system.bindings:
            name, place = entry.name, entry.place
            place = place if isinstance(place, int) else ""
            self._once("declared_bound", entry, self.arguments)
            self._once("bound_twice", entry, self.bound)
            if place in found[name] or name in self.states:
                raise self.wrong("bound_twice", entry.name_span, name=name)
            found[name].append(place)
        self.states |= {entry.name: entry for entry in reversed(system.bindings)}
        order = max(map(len, found.values())) - 1
        for entry in system.bindings:
            places = sorted(found[entry.name], key=lambda place: place == "")
            if order < 1 or places != [*range(order), ""]:
                raise self.wrong("state_starts", entry.span, name=entry.name)

    def _once(self, key: str, named: Named, earlier: Mapping[str, Named]) -> None:
        """Refuse a name that something else has."""
        name, span = named[0], named[1]
        if name in earlier:
            raise self.wrong(key, span, earlier[name][1], name=name)

    def _give(self, inputs: Sequence[str]) -> None:
        """Declare the names that the caller gives."""
        items: dict[str, Item] = {}
        for text in inputs:
            name = spelled(text) if isinstance(text, str) else None
            if name is None or name in RESERVED:
                raise self.wrong("inputs_invalid", None, name=str(text))
            if name in self.bound:
                raise self.wrong("inputs_bound", self.bound[name].name_span, name=name)
            self._once("inputs_twice", Item(name, None), items)
            items[name] = Item(name, None)
        if self.missing and [*items] != [*self.arguments]:
            declared, given = ", ".join(self.arguments), ", ".join(items)
            raise self.wrong("inputs_contradict", None, declared=declared, given=given)
        self.arguments = items | self.arguments
        self.missing = "inputs_missing"

    def _resolve(self) -> None:
        """Check every name and every call, and find the free names."""
        self.known.update(n for n, item in self.arguments.items() if not item.shape)
        rows, loops = self.syntax.rows, _loops(self.syntax.rows)
        for statement in self.syntax.statements:
            if isinstance(statement, System):
                self.known |= {entry.name for entry in statement.bindings}
            for first, last, name, own in _parts(statement):
                self.local.update(own)
                for i in range(first, last + 1):
                    if i in loops:
                        self.local.update(loops[i])
                    if rows[i][0] in ("name", "call"):
                        self._check(i, statement)
                self.known.add(name)
                self.local.subtract(own)
        if not self.arguments:
            raise self.wrong("no_inputs", self.syntax.statements[-1].span)

    def _check(self, i: int, statement: Statement) -> None:
        """Check a name or a call."""
        op, args, name, *_ = row = self.syntax.rows[i]
        if op == "name":
            if name not in self.known and not self.local[name]:
                self._free(name, row.span, statement)
        else:
            self.check_call(i)
            if name in DERIVATIVES:
                self.slopes = True
                picked = {*self._picked(args[1])}
                self.by[""] |= picked
                if isinstance(statement, Binding):
                    self.by[statement.name] |= picked

    def _picked(self, last: int) -> Iterator[str]:
        """The names that are differentiated by: listed, or picked from."""
        stack = [last]
        while stack:
            row = self.syntax.rows[stack.pop()]
            if row.op == "name":
                yield row.payload
            elif row.op == "index":
                stack.append(row.args[0])
            elif row.op == "array":
                stack += row.args

    def _free(self, name: str, span: Span, statement: Statement) -> None:
        """Take a name without a value for a constant or an input, or refuse it."""
        if name in self.bound and self.bound[name] is statement:
            raise self.wrong("own_name", span, name=name)
        if name in self.bound:
            raise self.wrong("later_name", span, self.bound[name].name_span, name=name)
        if name in self.arguments:
            raise self.wrong("declared_later", span, name=name)
        if name in self.ops and not self.ops[name].params:
            if name == "e":
                self.notes.append(note("euler", self.syntax.source, span, name=name))
        elif isinstance(statement, Declaration):
            self.lengths.add(name)
        elif self.missing:
            raise self.wrong(self.missing, span, near=self.known, name=name)
        else:
            if hint := remedy("NUMBERS", name):
                raise self.wrong("number_word", span, name=name, hint=hint)
            self.arguments[name] = Item(name, span)
        self.known.add(name)

    def check_call(self, i: int) -> None:
        """Refuse a call of what is no function, or with a wrong number of arguments."""
        row = self.syntax.rows[i]
        name, count = str(row.payload), len(row.args)
        own = self.functions.get(name)
        if own and own.first <= i <= own.value:
            raise self.wrong("recursion", row.span, name=name)
        found = self.calls[name] if self.function(name, i) else self.ops.function(name)
        found = found or FUNCTIONS.get(name, ())
        if not found:
            raise self._unknown(row, name)
        if not any(op.accepts(count) for op in found):
            wanted = " or ".join(op.arity_text for op in found)
            raise self.wrong("arity", row.span, name=name, expected=wanted, count=count)

    def _unknown(self, row: Row, name: str) -> GradcError:
        """The mistake that a call is of no function."""
        span = row.start, row.start + len(name)
        if name in self.functions:
            where = self.functions[name].name_span
            return self.wrong("later_function", span, where, name=name)
        read = {row.payload for row in self.syntax.rows if row.op == "name"}
        if name in {*read, *self.known, *self.bound, "pi", "e"}:
            return self.wrong("not_a_function", span, name=name)
        key = "unknown_function" if len(name) > 2 else "unknown_call"
        found = (remedy("SPELLINGS", word) for word in (name, name.lower()))
        if spelling := next(filter(None, found), None):
            return self.wrong(key, span, hint=f"write {spelling}", name=name)
        near = [*self.ops.callables(), *self.functions, *CONDITIONALS, *FUNCTIONS]
        return self.wrong(key, span, near=near, name=name)


def _parts(statement: Statement) -> Iterator[tuple[int, int, str, list[str]]]:
    """The rows of a statement, first and last; names with a value behind, and inside."""
    if isinstance(statement, Declaration):
        for item in statement.names:
            if item.shape:
                yield item.shape.payload, item.shape.args[-1], item.name, []
        return
    for each in [statement] if isinstance(statement, Binding) else statement.bindings:
        own = [name for name, _ in each.params or ()]
        own += [each.place] if isinstance(each.place, str) else []
        yield each.first, each.value, each.name if each.params is None else "", own


def _loops(rows: Sequence[Row]) -> Mapping[int, Mapping[str, int]]:
    """By row, of how many comprehensions more or fewer a name is the variable there.

    It is known in the body, and in what follows its own iterable.
    """
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for end, row in enumerate(rows):
        if row.op == "comprehension":
            loop = row.payload
            for name, iterable, _ in loop.clauses:
                for first, behind in (loop.first, loop.body + 1), (iterable + 1, end):
                    found[first][name] += 1
                    found[behind][name] -= 1
    return found
