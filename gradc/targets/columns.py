"""A function over columns in the standard library: loops, and what stands around them.

The columns arrive as sequences of one length; results are lists, a Jacobian is a list of
rows. A loop is a function of its own, which takes checked columns, numbers, and the
lists that it fills in, and returns what it sums over the rows.

    def value_and_grad(t: Sequence[float], a: float) -> tuple[float, tuple[float]]:
        [a] = numbers(a=a)
        [t] = columns(t=(t,))
        s1, s2 = over(_value_and_grad, (t,), a)
        return s1, (s2,)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import getsource
from itertools import count
from typing import Any, NamedTuple, cast

from gradc.functions import DOCS, ZERO, Column, Function, Layout, filled
from gradc.arrays import nest
from gradc.ir import ARITHMETIC, Argument, Builder, Input, Program, grouped
from gradc.ir import trimmed
from gradc.ops import BOTTOM, BY, PRODUCT, TOP, TOTAL
from gradc.passes.split import NEUTRAL, Part, Split, of_interest
from gradc.special import number
from gradc.spelling import PYTHON
from gradc.targets.interface import MATRICES, Frame, apart
from gradc.targets.names import Page, literal, pages
from gradc.targets.origin import Origin
from gradc.targets.printer import Printer, statement, tupled

# What stands in a module beside its loops.
COLUMNS = '''def columns(**given: tuple[Any, ...]) -> list[list[float]]:
    """Return a list for each entry of a row of columns, which have one length."""
    found: list[list[float]] = []
    for name, (column, *shape) in given.items():
        try:
            if isinstance(column, (bytes, bytearray, dict, set, frozenset)):
                raise TypeError
            flat = column.tolist() if hasattr(column, "tolist") else list(column)
            rows, size = len(flat), 1
            for axis in shape:
                if any(len(row) != axis for row in flat):
                    raise ValueError(f"the rows of {name} have not {axis} entries")
                flat, size = [x for row in flat for x in row], size * axis
            flat = flat if type(sum(flat)) is float else [float(x) for x in flat if {x}]
        except (TypeError, OverflowError):
            raise ValueError(f"{name} is no column of numbers") from None
        if found and rows != len(found[0]):
            first = next(iter(given))
            raise ValueError(f"{name} has {rows} rows, but {first} has {len(found[0])}")
        if not isfinite(sum(flat)) and any(map(isnan, flat)):
            row = [*map(isnan, flat)].index(True) // size
            raise ValueError(f"{name} is nan in row {row}")
        found += [flat[k::size] for k in range(size)]
    return found'''
# What takes columns that are bound, too.
_FIRST = "    found: list[list[float]] = []\n"
_KNOWN = """    bound: Any = next(iter(given.values()))[0]
    if isinstance(bound, Checked):
        return bound
"""
CHECKED = '''class Checked(list[Any]):
    """The entries of columns that are bound."""'''
NUMBERS = f'''{getsource(number)}

def numbers(**given: Any) -> Iterable[float]:
    """Return floats for arguments that are numbers."""
    for name, x in given.items():
        if type(x) is not float:
            given[name] = float(x) if isinstance(x, float) else number(name, x)
    return given.values()'''
ROWS = '''def rows(entries: Sequence[list[float]], *shape: int) -> list[Any]:
    """Return what stands in rows, rows of a shape, from a list for each entry."""
    found: list[Any] = [list(row) for row in zip(*entries)]
    for size in shape[:0:-1]:
        cuts = range(0, len(found[0]) if found else 0, size)
        found = [[row[k : k + size] for k in cuts] for row in found]
    return found'''
OVER = '''def over(loop: Callable[..., Any], columns: Sequence[Any], *others: Any) -> Any:
    """Return what a loop over columns does; an error tells of the row."""
    try:
        return loop(*columns, *others)
    except (ArithmeticError, ValueError) as error:
        names, number = loop.__code__.co_varnames, 0
        for number, row in enumerate(zip(*columns)):
            try:
                loop(*[[x] for x in row], *others)
            except (ArithmeticError, ValueError) as found:
                given = ", ".join(f"{name[:-2]} = {x}" for name, x in zip(names, row))
                raise type(found)(f"{found} in row {number}, {given}") from None
        raise error'''
SLOPED = '''def sloped(value: Any, *slopes: Any) -> Any:
    """Return a value and its derivatives, which are nan where it is not finite."""
    return value, *(lacking(value, x) for x in slopes)


def lacking(value: Any, slopes: Any) -> Any:
    """Return what is nested like a value, and nan where that is not finite."""
    if isinstance(value, (list, tuple)):
        return type(value)([lacking(*pair) for pair in zip(value, slopes)])
    if isinstance(slopes, (list, tuple)):
        return type(slopes)([lacking(value, x) for x in slopes])
    return slopes if isfinite(value) else nan'''
_FOLD = {
    TOTAL: "{0} += {1}",
    PRODUCT: "{0} *= {1}",
    TOP: "{0} = max({0}, {1})",
    BOTTOM: "{0} = min({0}, {1})",
    BY: "{0}[{2}] += {1}",
}
# Of these a nan makes one; a condition, and a largest number, may pass it by.
_NAN = {*ARITHMETIC, TOTAL, PRODUCT, BY, *"const input pi neg pow exp log sqrt".split()}
TOGETHER = 8  # sums that begin in one line
_NO_NAME = re.compile(r"\W+")
_STEP = re.compile(r"([tmick]|case)\d*")  # how variables of steps are called


class Loop(NamedTuple):
    """A loop over rows: what it takes, and what it makes."""

    name: str
    part: Part
    page: Page
    columns: list[str]  # the entries of a row
    given: list[str]  # what is passed for them
    numbers: dict[str, str]  # what is passed for each
    sums: dict[str, str]  # the operations by names
    groups: dict[str, str]  # what is summed by entry, with the length of the entries
    filled: list[str]  # the columns of results
    made: list[str]  # and of states


class Loops(Frame):
    """A function over columns as it is written.

    With `outside` it raises nothing: what has no value is nan or inf, its derivatives
    are nan, those of a row in this row alone.

        for k, (t_, y_) in enumerate(zip(t_s, y_s)):
            try:
                t1 = a * log(t_) - y_
                s1 += t1
                residual[k] = t1
                if not isfinite(residual[k]):
                    raise ValueError
            except (ArithmeticError, ValueError):
                s1 = residual[k] = nan

        residual = [nan] * len(t)
        try:
            s1 = _value(t, y, a, residual)
            found = residual, s1
            if isfinite(found[1]):
                return found
        except (ArithmeticError, ValueError):
            pass
        return residual, nan

    Attributes:
        pages: those of its parts.
        helpers: definitions that may stand beside it in a module.
        words: other names that nothing of the author's may have.

    Arguments:
        function: what it computes and returns.
        own: names that nothing of the author's may have.
        origin: with the options.
    """

    helpers: tuple[str, ...] = COLUMNS, NUMBERS, ROWS, OVER, SLOPED
    languages = PYTHON, PYTHON  # of numbers, and in rows
    picked = plain = column_of = "{}"  # of a column a number, its list, and back
    zeroed, rising = "[0.0] * {}", "[*map(float, range({}))]"  # so many
    apart = False  # whether a column that is checked has another name
    keeps = False  # whether what depends on data alone is kept
    bound = "Checked(columns({}))"  # columns that are
    looks = False  # whether it shows what each part reads before it is computed
    words: tuple[str, ...] = (
        *("Any", "Callable", "Column", "Sequence", "found", "isfinite", "isnan"),
        *("max", "min", "k", "value_and_jacobian", "float", "len", "range", "zip"),
        *("enumerate", "type", "error", "ArithmeticError", "ValueError"),
        *("back", "reversed"),
    )

    def __init__(self, function: Function, own: set[str], origin: Origin) -> None:
        if origin.outside != "raise":
            function = _lacking(function)
        program, layout = function.program, function.layout
        self.items = grouped(program.inputs)
        spelled = {x for i in program.inputs for x in (i.name, i.array)}
        self.base = {*self.languages[0].reserved, *own, *self.words}
        self.taken = {*self.base, *spelled, *program.names.values()}
        self.called = {i.name: self.free(i.name, True) for i in self.items}
        takes = [(self.called[item.name], item) for item in self.items]
        several = function.name.startswith("value_")
        values = cast(Any, layout)[0] if several else layout
        super().__init__(function, origin, values, takes)
        self.numpy &= function.name == "gram"  # other arrays are made otherwise
        self.test = "isfinite" if several else self.test
        self.tables: dict[str, list[Argument]] = {}  # the columns by length
        for item in [i for i in self.items if i.elements[0].rows]:
            self.tables.setdefault(item.elements[0].rows, []).append(item)
        every = [*columns_of(layout)]
        self.columns = [column for column in every if column.length]
        leaves = [(k, column.length) for column in every for k in column if k != ZERO]
        shown = [*dict.fromkeys(leaves)]
        whole = of_interest(program, [program.outputs[k] for k, _ in shown])
        standing = [length for _, length in shown]
        self.split = Split(whole, standing, self.called, self.free, self.keeps)
        may_pass = self.split.program.operations - _NAN  # what has no value
        self.watched = self.outside != "raise" and bool(may_pass)
        self.node = dict(zip([k for k, _ in shown], self.split.program.outputs))
        self.valued = {self.node.get(k) for k in range(program.count)}
        self.texts: dict[int, str] = {}  # of numbers that are returned
        self.pages = [self._page(part.program) for part in self.split.parts]
        self._gather()

    def _gather(self) -> None:
        """Find what is returned in columns, kept, and read."""
        self.taken |= {x for page in self.pages for x in page.names.bound.values()}
        self.lists: dict[tuple[int, str], str] = {}  # the names of columns of results
        for column in self.columns:
            for place, label in zip(self._places(column), column.labels):
                if place not in self.lists:
                    self.lists[place] = self.free(label)
        self.data: dict[Part, Page] = {}  # of what is kept
        self.handles: dict[str, str] = {}  # of columns of which something is kept
        self.read = set[str]()
        for part in self.split.parts:
            if part.data is not None:
                self.data[part] = self._page(part.data)
                length = trimmed(part.length)[0]
                self.handles.setdefault(length, f"{self.free('bound')} = ")
            self.read |= {item.name for item in part.program.inputs}
            self.read |= {self._start(i) for state in part.states for i in state.starts}

    def free(self, name: str, own: bool = False) -> str:
        """A name like this one that nothing else has, or its `own` one of the author."""
        if own and name not in self.base:
            return name
        is_open = name.endswith("_") or _STEP.fullmatch(name)
        stem = _NO_NAME.sub("_", name).strip("_") + "_" * bool(is_open)
        numbered = (f"{stem}{k or ''}" for k in count(int(stem in ("s", "p"))))
        found = next(x for x in numbered if self.taken.isdisjoint((x, f"{x}s")))
        self.taken |= {found, f"{found}s"}  # a list of them
        return found

    def _places(self, column: Column) -> list[tuple[int, str]]:
        """The node of each entry of a row of results, and the length."""
        return [(self.node.get(k, ZERO), column.length) for k in column]

    def _page(self, program: Program) -> Page:
        """The page of a part, in which its own names are free."""
        known = {item.name for item in program.inputs} | {*program.names.values()}
        layout = [*range(len(program.outputs))]
        own = self.taken - (known - self.base)
        language = self.languages[any(item.rows for item in program.inputs)]
        return next(pages([Function(self.name, program, layout)], own, language))

    def lines(self) -> Iterator[list[str]]:
        """The loops, and then the function."""
        body, numbers = list[str](), count(1)
        for part, page in zip(self.split.parts, self.pages):
            if not part.length:
                body += self._between(part, page)
                continue
            end = f"_{k}" if (k := next(numbers)) > 1 else ""
            loop = self._loop(f"_{self.name}{end}", part, page)
            yield self.loop(loop)
            body += self._made(loop) if part.states else self.call(loop)
            names = [*loop.sums, *[f"{x}[-1]" for x in loop.made]]
            failed = [f"isnan({x})" for x in names]
            if self.watched and failed:
                body += statement("if ", " or ".join(failed), ":", depth=self.depth)
                body.append(f"{'    ' * self.depth}    raise ValueError")
        doc = f"Return {DOCS[self.name].format(kind='formula')}"
        yield self.written(doc, body, self._number)
        if self.name in MATRICES and not isinstance(self.layout, int):
            yield self.matrix()

    def _loop(self, name: str, part: Part, page: Page) -> Loop:
        """What a loop takes, and what it makes."""
        named, nodes, inputs = self.split.names, self.split.nodes, part.program.inputs
        every = [*inputs, *(part.data.inputs if part.data else ())]
        own = [i for i in every if i.rows and i.name not in part.kept.values()]
        columns = {i.name: self._taken(i) for i in own}
        numbers = (i for i in inputs if not i.rows and i.kind != "past")
        by = [i for i in part.sums if nodes[i][0] == BY]
        return Loop(
            *(name, part, page, [*columns]),
            given=[*columns.values()] or [self.first(part.length)],
            numbers={i.name: self._taken(i) for i in numbers},
            sums={named[i]: nodes[i][0] for i in part.sums if i not in by},
            groups={named[i]: self.split.rows[i] for i in by},
            filled=[self.lists[i, part.length] for i in part.roots],
            made=[self.split.whole[state.item.name] for state in part.states],
        )

    def _number(self, k: int) -> str:
        """The text of a number that is returned."""
        return "0.0" if k == ZERO else self.texts[self.node[k]]

    def accepted(self, item: Argument) -> str:
        """The type of an argument."""
        inner, depth = "Column" if item.elements[0].rows else "float", len(item.shape)
        return "Sequence[" * depth + inner + "]" * depth

    def unpacked(self) -> Iterator[str]:
        """Statements that take arrays apart, check columns and make those of results."""
        for item in self.items:
            if item.shape and not item.elements[0].rows:
                names = [self.split.entries[e.name] for e in item.elements]
                name = self.called[item.name]
                yield from apart(f'"{name}"', name, nest(names, item.shape))
        numbers = [i for i in self.items if not (i.shape or i.elements[0].rows)]
        if names := [self.called[item.name] for item in numbers]:
            call = f"numbers({', '.join([f'{x}={x}' for x in names])})"
            yield from statement(f"{assigned(names)} = ", call, depth=1)
        for length, items in self.tables.items():
            columns = [element for item in items for element in item.elements]
            names = [*map(self._list, columns)]
            call = f"columns({', '.join(map(self.given, items))})"
            head = f"{assigned(names)} = {self.handles.get(length, '')}"
            yield from statement(head, call, depth=1)
            for i in self.split.program.inputs:
                if i.kind == "length" and trimmed(i.name)[0] == length:
                    yield from self._counted(i, names[0])
            yield from self._picked(columns)
        yield from self._allocated()

    def given(self, item: Argument) -> str:
        """A column as an argument of what checks it."""
        name = self.called[item.name]
        return f"{name}={tupled([name, *map(str, item.shape)])}"

    def _list(self, item: Input) -> str:
        """The list of an input in rows, or what is picked of one."""
        if item.kind == "index":
            return self.rising.format(f"len({self.first(item.rows)})")
        if item.of:
            whole = self.split.inputs[item.of]
            return self._list(whole) + item.name.removeprefix(item.of)
        if item.kind == "state":
            return self.split.whole[item.name]
        if item.array or self.apart:
            return f"{self.split.entries[item.name]}s"
        return self.called[item.name]

    def first(self, length: str) -> str:
        """The first column of a length."""
        base, cut = trimmed(length)
        return self._list(self.tables[base][0].elements[0]) + f"[{cut}:]" * bool(cut)

    def _counted(self, item: Input, first: str) -> Iterator[str]:
        """Statements for the number of rows, of which there may be too few."""
        name, nodes = self.split.entries[item.name], self.split.nodes
        cut = trimmed(item.name)[1]
        parts = [part for part in self.split.parts if part.length == item.name]
        has_end = any(nodes[i][0] in (TOP, BOTTOM) for p in parts for i in p.sums)
        if least := max(int(item.low or 0), cut + 1 if has_end else 0):
            yield f"    if len({first}) < {least}:"
            text = f"{{len({first})}} rows, but {least} are read"
            told = self.called[self.tables[trimmed(item.name)[0]][0].name]
            yield f'        raise ValueError(f"{told} has {text}")'
        if name in self.read:
            count = f"max(len({first}) - {cut}, 0)" if cut else f"len({first})"
            yield f"    {name} = float({count})"

    def _picked(self, columns: Iterable[Input], depth: int = 1) -> Iterator[str]:
        """Statements, so far in, that pick the numbers of columns that are read."""
        wanted = {item.name for item in columns}
        for item in self.split.program.inputs:
            own = self.split.entries[item.name]
            if item.of in wanted and not item.rows and own in self.read:
                yield f"{'    ' * depth}{own} = {self.picked.format(self._list(item))}"

    def _allocated(self) -> Iterator[str]:
        """Statements that make the lists of results, as they are without a value."""
        groups: dict[tuple[str, str], list[str]] = {}
        for (i, length), name in self.lists.items():
            start = self.outside if i in self.valued else "nan"
            start = "0.0" if self.outside == "raise" else start
            groups.setdefault((length, start), []).append(name)
        for (length, start), names in groups.items():
            text = f"[{start}] * len({self.first(length)})"
            if len(names) > 1:
                text = f"({text} for _ in range({len(names)}))"
            yield from statement(f"{', '.join(names)} = ", text, depth=1)

    def _taken(self, item: Input) -> str:
        """What a loop takes for an input of its own."""
        is_list = item.kind == "list" or item.of and item.rows
        return self._list(self.split.inputs[item.of]) if is_list else item.name

    def call(self, loop: Loop) -> list[str]:
        """Statements that call a loop on columns; an error tells of the row."""
        takes = [*loop.numbers.values(), *loop.groups, *loop.filled]
        call = f"over({', '.join([loop.name, tupled(loop.given), *takes])})"
        if self.outside != "raise":
            call = f"{loop.name}({', '.join([*loop.given, *takes])})"
        head = f"{', '.join(loop.sums)} = " if loop.sums else ""
        return [*self._grouped(loop), *statement(head, call, depth=self.depth)]

    def _grouped(self, loop: Loop) -> Iterator[str]:
        """Statements for what a loop sums by groups, before the first row."""
        for x, length in loop.groups.items():
            zeros = self.zeroed.format(f"len({self.first(length)})")
            yield from statement(f"{x} = ", zeros, depth=self.depth)

    def _made(self, loop: Loop) -> Iterator[str]:
        """Statements that make states, from those that they start with."""
        space = "    " * self.depth
        for x, state in zip(loop.made, loop.part.states):
            head = f"{x}: Any = " if self.apart else f"{x} = "
            text = f"[{', '.join(map(self._start, state.starts))}]"
            yield from statement(head, text, depth=self.depth)
        given = [self.plain.format(x) for x in loop.given]
        row, is_back = f"len({loop.made[-1]})", loop.part.is_back
        if is_back:
            given = [f"reversed({x})" for x in given]
            yield from statement("back: Any = ", given[0], depth=self.depth)
            given[0], order = "back", trimmed(loop.part.length)[1]
            row = f"back.__length_hint__() + {order}"
        call = f"{loop.name}({', '.join([*given, *loop.numbers.values(), *loop.made])})"
        head = f"{', '.join(loop.sums)} = " if loop.sums else ""
        yield f"{space}try:"
        yield from statement(head, call, depth=self.depth + 1)
        if self.outside == "raise" or is_back:
            yield f"{space}except (ArithmeticError, ValueError) as error:"
            text = f'f"{{error}} in row {{{row}}}"'
            yield f"{space}    raise type(error)({text}) from None"
        else:
            yield f"{space}except (ArithmeticError, ValueError):"
            count = f"len({self.first(trimmed(loop.part.length)[0])})"
            for x in loop.made:
                yield f"{space}    {x} += [nan] * ({count} - len({x}))"
        if self.column_of != "{}" and not is_back:
            yield from (f"    {x} = {self.column_of.format(x)}" for x in loop.made)
        yield from self._picked([s.item for s in loop.part.states], self.depth)

    def _start(self, i: int) -> str:
        """The text of a number behind the loops that it depends on."""
        op, *args = self.split.nodes[i]
        if op == "const":
            return literal(args[0])
        return self.split.entries[args[0]] if op == "input" else self.split.names[i]

    def _printed(
        self, part: Part, page: Page, depth: int
    ) -> tuple[Printer, list[str], Iterator[str]]:
        """The statements of a part, so far in, and the texts of its outputs."""
        printer, number = Printer(page), self.split.parts.index(part)
        look = [f"{'    ' * depth}look({number}, locals())"] if self.looks else []
        texts = [printer.texts[k] for k in page.schedule.outputs]
        return printer, [*look, *printer.lines(depth)], iter(texts)

    def _between(self, part: Part, page: Page) -> Iterator[str]:
        """The statements of a part between loops."""
        printer, lines, texts = self._printed(part, page, self.depth)
        (kind, _), end = page.names.language.once, page.names.language.end
        yield from lines
        for i, text in zip(part.roots, texts):
            self.texts[i] = text
            if (name := self.split.names.get(i, text)) != text:
                head = f"{kind}{name} = "
                yield from printer.statement(head, text, self.depth, end)

    def loop(self, loop: Loop) -> list[str]:
        """The text of a loop over rows."""
        given = [f"{entry}s" for entry in loop.columns] or ["rows"]
        each, many = ", ".join(loop.columns) or "_", ", ".join(given)
        many = f"zip({many})" if len(given) > 1 else many
        if loop.filled:
            each = f"k, ({each})" if len(given) > 1 else f"k, {each}"
            many = f"enumerate({many})"
        takes = [*given, *loop.numbers, *loop.groups, *loop.filled, *loop.made]
        is_tried = self.outside != "raise" and not loop.made
        return [
            *statement("def ", f"{loop.name}({', '.join(takes)})", ":"),
            *self._started(loop.sums),
            *statement(f"for {each} in ", many, ":", depth=1),
            *["        try:"][:is_tried],
            *self._row(loop, 2 + is_tried),
            *(self._failed(loop) if is_tried else ()),
            *([f"    return {', '.join(loop.sums)}"] if loop.sums else []),
        ]

    def _row(self, loop: Loop, depth: int) -> Iterator[str]:
        """The statements of one row, so far in."""
        part, named, space = loop.part, self.split.names, "    " * depth
        for item in part.program.inputs:
            if item.kind == "past":
                own = self.split.whole[self.split.inputs[item.of].of]
                yield f"{space}{item.name} = {own}[-{item.order}]"
        _, lines, texts = self._printed(part, loop.page, depth)
        yield from lines
        sums, filled = [*zip(part.sums, texts)], [*zip(loop.filled, texts)]
        for i, text in sums:
            op, keys = self.split.nodes[i][0], [next(texts) for _ in self.split.key(i)]
            if is_guarded := len(keys) > 1:
                keys = [f"entry({', '.join(keys)})"]
                yield from statement("if ", text, ":", depth=depth)
            head, sign, text = _FOLD[op].format(named[i], text, *keys).partition("= ")
            yield from statement(head + sign, text, depth=depth + is_guarded)
        for x, text in filled:
            yield from statement(f"{x}[k] = ", text, depth=depth)
        for x, text in zip(loop.made, texts):
            head, end = (f"{x}[0] = ", "") if part.is_back else (f"{x}.append(", ")")
            yield from statement(head, text, end, depth=depth)

    def _failed(self, loop: Loop) -> Iterator[str]:
        """What is done where a row has no value."""
        pairs = [(f"{x}[k]", i) for x, i in zip(loop.filled, loop.part.roots)]
        values = [x for x, i in pairs if i in self.valued]
        if values:
            word = "not isfinite" if self.outside == "nan" else "isnan"
            failed = " or ".join([f"{word}({x})" for x in values])
            yield from statement("if ", failed, ":", depth=3)
            yield f"{'    ' * 4}raise ValueError"
        yield "        except (ArithmeticError, ValueError):"
        yield from alike(values, self.outside, 3)
        rest = [x for x, i in pairs if i not in self.valued]
        yield from alike([*loop.sums, *rest], "nan", 3)
        yield from [f"            {x}[:] = [nan] * len({x})" for x in loop.groups]

    def _started(self, sums: Mapping[str, str]) -> Iterator[str]:
        """Statements for what sums are before the first row."""
        for op, start in NEUTRAL.items():
            names = [x for x, other in sums.items() if other == op]
            yield from alike(names, literal(start), 1)

    def column(self, column: Column) -> str:
        """The text of a column of results."""
        names = [self.lists[place] for place in self._places(column)]
        shape = "".join(f", {size}" for size in column.shape)
        return f"rows([{', '.join(names)}]{shape})" if shape else names[0]

    def joined(self, parts: list[str]) -> str:
        """The text of a value and its derivatives, which a row may not have."""
        if self.outside == "raise" or not self.columns:
            return super().joined(parts)
        if any(column.length for column in columns_of(self.values)):
            parts[0] = self._call("value")
        return f"sloped({', '.join(parts)})"


class Bound(Loops):
    """A function over columns that may be bound, as it is written."""

    helpers = (CHECKED, COLUMNS.replace(_FIRST, _KNOWN + _FIRST), *Loops.helpers[1:])
    words = (*Loops.words, "self", "given", "x", "WRT")


class Told(Loops):
    """A function that shows what each part reads, row by row, before it is computed."""

    looks = True
    words = (*Loops.words, "locals", "look")


def _lacking(function: Function) -> Function:
    """A function whose zeros are outputs, for a row may lack them, too."""
    program = function.program
    places = [k for column in columns_of(function.layout) for k in column]
    builder, outputs, new = Builder.upon(program), [*program.outputs], max(places) + 1
    outputs.insert(new, builder.const(0.0))
    layout = filled(function.layout, lambda k: new if k == ZERO else k)
    return function._replace(program=builder.follow(program, outputs), layout=layout)


def alike(names: Sequence[str], word: str, depth: int) -> Iterator[str]:
    """Statements, so far in, that give many names the same number."""
    for k in range(0, len(names), TOGETHER):
        yield f"{'    ' * depth}{' = '.join([*names[k : k + TOGETHER], word])}"


def assigned(names: Sequence[str]) -> str:
    """What the items of a list are assigned to."""
    return ", ".join(names) if len(names) > 1 else f"[{''.join(names)}]"


def columns_of(layout: Layout) -> Iterator[Column]:
    """The columns in a layout, of which numbers are some without a length."""
    if isinstance(layout, int):
        yield Column([layout], length="")
    elif isinstance(layout, Column):
        yield layout
    else:
        for inner in layout:
            yield from columns_of(inner)
