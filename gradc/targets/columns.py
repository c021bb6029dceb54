"""A function over columns in the standard library: loops, and what stands around them.

The columns arrive as sequences of one length; results are lists, a Jacobian is a list of
rows. A loop is a function of its own, which takes checked columns, numbers, and the
lists that it fills in, and returns what it sums over the rows.

    def value_and_grad(t: Sequence[float], a: float) -> tuple[float, tuple[float]]:
        [t] = columns(t=(t,))
        s1, s2 = over(_value_and_grad, (t,), a)
        return s1, (s2,)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from gradc.functions import ZERO, Column, Function, Layout
from gradc.ir import Argument, Input, grouped
from gradc.ops import BOTTOM, PRODUCT, TOP, TOTAL
from gradc.passes.split import Part, Split
from gradc.targets.names import RESERVED, Page, pages
from gradc.targets.printer import Printer, statement, tupled, unwrapped

# What stands in a module beside its loops.
COLUMNS = '''def columns(**given: tuple[Any, ...]) -> list[list[float]]:
    """Return a list for each entry of a row of columns, which have one length."""
    found: list[list[float]] = []
    for name, (column, *shape) in given.items():
        flat = column.tolist() if hasattr(column, "tolist") else list(column)
        rows = len(flat)
        for size in shape:
            if any(len(row) != size for row in flat):
                raise ValueError(f"the rows of {name} have not {size} entries")
            flat = [x for row in flat for x in row]
        if found and rows != len(found[0]):
            first = next(iter(given))
            raise ValueError(f"{name} has {rows} rows, but {first} has {len(found[0])}")
        size = max(len(flat) // max(rows, 1), 1)
        try:
            flat = flat if type(sum(flat)) is float else [float(x) for x in flat if {x}]
            bad = [] if isfinite(sum(flat)) else [x for x in flat if isnan(x)]
        except TypeError:
            raise ValueError(f"{name} is no column of numbers") from None
        if bad:
            row = next(k for k, x in enumerate(flat) if isnan(x)) // size
            raise ValueError(f"{name} is nan in row {row}")
        found += [flat[k::size] for k in range(size)]
    return found'''
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
            lists = [x[:1] if isinstance(x, list) else x for x in others]
            try:
                loop(*[[x] for x in row], *lists)
            except (ArithmeticError, ValueError) as found:
                given = ", ".join(f"{name} = {x}" for name, x in zip(names, row))
                raise type(found)(f"{found} in row {number}, {given}") from None
        raise error'''
HELPERS = {"columns": COLUMNS, "rows": ROWS, "over": OVER}
NEEDED = "Any Callable Sequence isfinite isnan".split()

_DOCS = {
    "value": "the value of the formula.",
    "value_and_grad": "the value and its gradient, in the order of WRT.",
    "value_and_jacobian": "the value and its Jacobian, in the order of WRT.",
}
_FOLD = {
    TOTAL: "{0} += {1}",
    PRODUCT: "{0} *= {1}",
    TOP: "{0} = max({0}, {1})",
    BOTTOM: "{0} = min({0}, {1})",
}
_START = {TOTAL: "0.0", PRODUCT: "1.0", TOP: "-1e999", BOTTOM: "1e999"}
_NO_NAME = re.compile(r"\W+")


class Loops:
    """A function over columns as it is written.

    Attributes:
        pages: those of its parts.

    Arguments:
        function: what it computes and returns.
        own: names that nothing of the author's may have.
    """

    def __init__(self, function: Function, own: set[str]) -> None:
        self.function, program, self.title = function, function.program, function.name
        self.items = grouped(program.inputs)
        spelled = {x for i in program.inputs for x in (i.name, i.array)}
        self.base = {*RESERVED, *own, *HELPERS, *NEEDED, "k"}
        self.taken = {*self.base, *spelled, *program.names.values()}
        self.called = {
            i.name: self.free(i.name) if i.name in self.base else i.name
            for i in self.items
        }
        columns = {k: c.length for c in _columns(function.layout) for k in c}
        shown = [k for k in dict.fromkeys(_leaves(function.layout)) if k != ZERO]
        whole = replace(program, outputs=tuple([program.outputs[k] for k in shown]))
        lengths = [columns.get(k, "") for k in shown]
        self.split = Split(whole, lengths, self.called, self.free)
        self.node = dict(zip(shown, self.split.program.outputs))
        self.lists: dict[tuple[int, str], str] = {}  # the names of columns of results
        self.texts: dict[int, str] = {}  # of numbers that are returned
        self.pages = [self._page(part) for part in self.split.parts]

    def free(self, name: str, own: bool = False) -> str:
        """A name like this one that nothing else has, or its `own` one of the author."""
        if own and name not in self.base:
            return name
        stem = _NO_NAME.sub("_", name)
        numbered = (f"{stem}{k or ''}" for k in count(int(stem in ("s", "p"))))
        found = next(x for x in numbered if x not in self.taken)
        self.taken.add(found)
        return found

    def _page(self, part: Part) -> Page:
        """The page of a part, in which its own names are free."""
        program = part.program
        known = {item.name for item in program.inputs} | {*program.names.values()}
        layout = [*range(len(program.outputs))]
        own = self.taken - (known - self.base)
        return next(pages([Function(self.title, program, layout)], own))

    def lines(self) -> Iterator[list[str]]:
        """The loops, and then the function."""
        body, number = [*self._checked(), *self._allocated()], count(1)
        for part, page in zip(self.split.parts, self.pages):
            if part.length:
                k = next(number)
                name = f"_{self.title}_{k}" if k > 1 else f"_{self.title}"
                yield self._loop(name, part, page)
                body += self._call(name, part)
            else:
                body += self._between(part, page)
        text = unwrapped(self._shown(self.function.layout))
        yield [*self._head(), *body, *statement("return ", text, depth=1)]

    def _head(self) -> Iterator[str]:
        """The first lines of the function."""
        types = [f"{self.called[i.name]}: {_accepted(i)}" for i in self.items]
        returns = _type(self.function.layout)
        head = f"{self.title}({', '.join(types)})"
        yield from statement("def ", head, f" -> {returns}:")
        yield f'    """Return {_DOCS[self.title]}"""'

    def _entries(self, item: Argument) -> list[str]:
        """What the lists of a column are called, one for each entry of a row."""
        if not item.shape:
            return [self.called[item.name]]
        return [f"{self.split.entries[e.name]}s" for e in item.elements]

    def _checked(self) -> Iterator[str]:
        """Statements that check columns, and take arrays apart."""
        read = {i.name for part in self.split.parts for i in part.program.inputs}
        by: dict[str, list[Argument]] = {}
        for item in self.items:
            by.setdefault(item.elements[0].rows, []).append(item)
        for item in by.pop("", []):
            if item.shape:
                names = [self.split.entries[e.name] for e in item.elements]
                name = self.called[item.name]
                shape = ", ".join([f'"{name}"', name, *map(str, item.shape)])
                head = f"{', '.join(names)} = "
                yield from statement(head, f"floats({shape})", depth=1)
        for length, items in by.items():
            names = [name for item in items for name in self._entries(item)]
            own = [self.called[item.name] for item in items]
            pairs = zip(own, items)
            given = [f"{x}={tupled([x, *map(str, i.shape)])}" for x, i in pairs]
            head = ", ".join(names) if len(names) > 1 else f"[{names[0]}]"
            yield from statement(f"{head} = ", f"columns({', '.join(given)})", depth=1)
            if length in read:
                yield f"    {length} = float(len({names[0]}))"

    def _first(self, length: str) -> str:
        """The first column of a length."""
        found = (i for i in self.items if i.elements[0].rows == length)
        return self._entries(next(found))[0]

    def _allocated(self) -> Iterator[str]:
        """Statements that make the lists of results."""
        for column in _columns(self.function.layout):
            names = list[str]()
            for k, label in zip(column, column.labels):
                place = self.node.get(k, ZERO), column.length
                if place not in self.lists:
                    self.lists[place] = self.free(label)
                    names.append(self.lists[place])
            zeros = f"[0.0] * len({self._first(column.length)})"
            if len(names) == 1:
                yield f"    {names[0]} = {zeros}"
            elif names:
                head = f"{', '.join(names)} = "
                yield from statement(
                    head, f"({zeros} for _ in range({len(names)}))", depth=1
                )

    def _read(self, part: Part) -> tuple[list[Input], list[Input]]:
        """The columns that a loop reads, and the numbers."""
        columns = [i for i in part.program.inputs if i.rows]
        return columns, [i for i in part.program.inputs if not i.rows]

    def _filled(self, part: Part) -> list[str]:
        """The lists that a loop fills in."""
        return [self.lists[i, part.length] for i in part.roots]

    def _call(self, name: str, part: Part) -> list[str]:
        """A statement that calls a loop."""
        columns, numbers = self._read(part)
        back = {entry: name for name, entry in self.split.entries.items()}
        lists = dict[str, str]()
        for item in self.items:
            lists |= zip([e.name for e in item.elements], self._entries(item))
        first = self._first(part.length)
        index = f"[*map(float, range(len({first})))]"
        given = [lists.get(back[i.name], index) for i in columns] or [first]
        others = [name, tupled(given), *(i.name for i in numbers), *self._filled(part)]
        sums = ", ".join([self.split.names[i] for i in part.sums])
        return statement(
            sums + " = " * bool(sums), f"over({', '.join(others)})", depth=1
        )

    def _between(self, part: Part, page: Page) -> Iterator[str]:
        """The statements of a part between loops."""
        printer = Printer(page)
        yield from printer.lines(1)
        for i, k in zip(part.roots, page.schedule.outputs):
            if i in self.split.names and printer.texts[k] != self.split.names[i]:
                yield from statement(
                    f"{self.split.names[i]} = ", printer.texts[k], depth=1
                )
            self.texts[i] = printer.texts[k]

    def _loop(self, name: str, part: Part, page: Page) -> list[str]:
        """A loop over rows."""
        columns, numbers = self._read(part)
        entries = [i.name for i in columns]
        given = [f"{entry}s" for entry in entries] or ["rows"]
        filled = self._filled(part)
        takes = [*given, *(i.name for i in numbers), *filled]
        each, many = ", ".join(entries) or "_", ", ".join(given)
        many = f"zip({many})" if len(given) > 1 else many
        if filled:
            each = f"k, ({each})" if len(given) > 1 else f"k, {each}"
            many = f"enumerate({many})"
        printer, sums = Printer(page), [self.split.names[i] for i in part.sums]
        body = printer.lines(2)
        texts = [printer.texts[k] for k in page.schedule.outputs]
        for i, x, text in zip(part.sums, sums, texts):
            body += statement(
                "", _FOLD[self.split.nodes[i][0]].format(x, text), depth=2
            )
        for x, text in zip(filled, texts[len(sums) :]):
            body += statement(f"{x}[k] = ", text, depth=2)
        starts = [_START[self.split.nodes[i][0]] for i in part.sums]
        head = statement("def ", f"{name}({', '.join(takes)})", ":")
        return [
            f"{head[0]}  # type: ignore",
            *head[1:],
            *(f"    {x} = {start}" for x, start in zip(sums, starts)),
            f"    for {each} in {many}:",
            *body,
            *([f"    return {', '.join(sums)}"] if sums else []),
        ]

    def _shown(self, layout: Layout) -> str:
        """The text of what is returned."""
        if isinstance(layout, int):
            return "0.0" if layout == ZERO else self.texts[self.node[layout]]
        if isinstance(layout, Column):
            places = [(self.node.get(k, ZERO), layout.length) for k in layout]
            names = [self.lists[place] for place in places]
            shape = "".join(f", {size}" for size in layout.shape)
            return f"rows([{', '.join(names)}]{shape})" if shape else names[0]
        return tupled([self._shown(inner) for inner in layout])


def _leaves(layout: Layout) -> Iterator[int]:
    """The outputs in a layout."""
    if isinstance(layout, int):
        yield layout
    else:
        for inner in layout:
            yield from _leaves(inner)


def _columns(layout: Layout) -> Iterator[Column]:
    """The columns in a layout."""
    if isinstance(layout, Column):
        yield layout
    elif not isinstance(layout, int):
        for inner in layout:
            yield from _columns(inner)


def _accepted(item: Argument) -> str:
    """The type of an argument."""
    depth = len(item.shape) + bool(item.elements[0].rows)
    return "Sequence[" * depth + "float" + "]" * depth


def _type(layout: Layout) -> str:
    """The type of what is returned in a layout."""
    if isinstance(layout, int):
        return "float"
    if isinstance(layout, Column):
        depth = len(layout.shape) + 1
        return "list[" * depth + "float" + "]" * depth
    return f"tuple[{', '.join(map(_type, layout)) or '()'}]"
