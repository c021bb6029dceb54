"""A loop over columns in NumPy: straight lines over a block of rows.

A block of 8,192 rows stays in the processor's cache, and an array that is no longer
read is overwritten. What a condition on rows guards is computed for the rows that take
its side, and nowhere else:

    m1 = t > 0.0
    i1 = chosen(m1)
    t1 = t[i1]
    numpy.log(t1, t1)
    t2 = numpy.empty(len(t))
    t2[i1] = t1
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, count, product
from typing import NamedTuple

from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.arrays import nest
from gradc.functions import ZERO, Column, Function, Layout
from gradc.ir import COMPARISONS, CONDITIONS, Argument, arguments, trimmed
from gradc.ops import AT, BOTTOM, ENTRY, PRODUCT, TOP, TOTAL
from gradc.passes.schedule import HARMLESS, WIDTH
from gradc.passes.split import Part
from gradc.spelling import ATOM, UNARY, spelling
from gradc.targets.columns import Loop, Loops, defined
from gradc.targets.interface import Leaf
from gradc.targets.names import Page
from gradc.targets.origin import Origin
from gradc.targets.printer import Printer, phrase, statement, tupled

FULL = ALWAYS  # the frame of all rows; that of a guard has the rows for which it holds
# What rows of the table are called in NumPy.
UFUNCS = {
    **{"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide"},
    **{"neg": "negative", "pow": "power", "mod": "remainder", "abs": "absolute"},
    **{"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"},
    **{"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "round": "rint"},
    **{"min": "minimum", "max": "maximum", "and": "logical_and", "or": "logical_or"},
    **{"not": "logical_not", "gt": "greater", "lt": "less", "ge": "greater_equal"},
    **{"le": "less_equal", "eq": "equal", "ne": "not_equal", "cbrt": "cbrt"},
    **{x: x for x in "exp log sin cos tan sinh cosh tanh sqrt expm1 log1p".split()},
    **{x: x for x in "log2 log10 hypot copysign fmod floor ceil trunc".split()},
}
FEW, MANY = 6, 12  # sums that are named in the line of a call, and in one of their own
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
REDUCE = {PRODUCT: "multiply", TOP: "maximum", BOTTOM: "minimum"}
EITHER = CONDITIONS | {"neg", "abs"}  # raise nothing, whatever stands in a row

_SIMPLE = re.compile(r"[\w.]+")  # a name or a number
Made = tuple[int, int]  # a node in a frame


class Line(NamedTuple):
    """A statement: what it makes of what.

    `kind` is "op", "choice", "gather", "scatter", "mask", "index",
    "number", "circle" (sine and cosine) or "turn" (one of them).
    """

    made: Made
    kind: str
    reads: tuple[Made, ...]
    text: str = ""


class Stuck(Exception):
    """A condition waits for what it guards elsewhere."""


class Block:
    """The statements of a loop for a block of rows.

    Arguments:
        page: that of the loop's program.
        folds: the reductions whose results are its first outputs.
        results: the arrays that the other outputs are written to.
        first: a column.
        half: whether sine and cosine are computed from half of the angle.

    Raises:
        Stuck: rows have to be gone over one by one.
    """

    def __init__(
        self,
        page: Page,
        folds: Sequence[str],
        results: Sequence[str],
        first: str,
        half: bool = False,
    ) -> None:
        self.page, self.folds, self.first, self.half = page, folds, first, half
        self.program = program = page.schedule.program
        self.rows, self.nodes, self.outputs = (
            program.rows,
            program.nodes,
            page.schedule.outputs,
        )
        self.guards = Guards(program)
        self.placed = place(program, self.guards)
        self.results = dict(zip(self.outputs[len(folds) :], results))
        self.texts = [*page.names.leaves]
        self.levels = [UNARY if text[:1] == "-" else ATOM for text in self.texts]
        self.lines: list[Line] = []
        self.known = set[Made]()
        self.numbers = count(1)
        of = {op: {n[1] for n in self.nodes if n[0] == op} for op in ("sin", "cos")}
        self.angles = of["sin"] | of["cos"] if half else of["sin"] & of["cos"]
        uses = Counter([*self.outputs, *(a for n in self.nodes for a in arguments(n))])
        sums = self.outputs[: len(folds)]
        self.products = {  # of which only the sum is wanted
            i
            for op, i in zip(folds, sums)
            if (op, self.nodes[i][0], uses[i]) == (TOTAL, "mul", 1)
            and all(self.rows[a] for a in self.nodes[i][1:])
        }
        for i in self._ordered():
            if self.rows[i]:
                self._row(i, self.nodes[i][0])
            elif not self.texts[i] and self.nodes[i][0] != "const":
                self._number(i)

    def _ordered(self) -> Iterator[int]:
        """What is asked for, behind what it reads and the conditions that guard it."""
        done, begun = set[int](), set[int]()
        for i, guard in enumerate(self.placed):
            waiting = [i] if guard != NEVER else []
            while waiting:
                node = waiting[-1]
                needs = [*arguments(self.nodes[node])]
                for member in self.guards.members[self.placed[node]] if needs else ():
                    needs += [c for c, _ in self.guards.way(member, ALWAYS)]
                asked = [n for n in needs if self.placed[n] != NEVER]
                missing = [n for n in asked if n not in done]
                if not begun.isdisjoint(missing):
                    raise Stuck
                if missing:
                    begun.add(node)
                    waiting += missing
                elif waiting.pop() not in done:
                    begun.discard(node)
                    done.add(node)
                    yield node

    def _number(self, i: int) -> None:
        """A number that is computed in the block, if the rows ask for it."""
        ops, node, texts = self.program.ops, self.nodes[i], self.texts
        guard = self.placed[i]
        if guard == ALWAYS or node[0] in HARMLESS | CONDITIONS:
            texts[i], self.levels[i] = phrase(ops, node, texts, self.levels)
            return
        own = {a: texts[a] for a in arguments(node) if self.nodes[a][0] == "input"}
        for a, x in own.items():  # a function might change an array
            texts[a] = f"float({x})"
        text, _ = phrase(ops, node, texts, self.levels)
        for a, x in own.items():
            texts[a] = x
        mask = self._mask(guard)
        self.lines.append(Line((i, FULL), "number", (mask,), text))
        self.texts[i] = f"p{next(self.numbers)}_"
        self.levels[i] = ATOM

    def _row(self, i: int, op: str) -> None:
        """Add the statements that make a node of the rows."""
        guard = self.placed[i]
        if op == "input":
            self.known.add((i, FULL))
            return
        if i in self.products:
            for a in arguments(self.nodes[i]):
                self._read(a, FULL)
            return
        reads = [a for a in arguments(self.nodes[i]) if self.rows[a]]
        is_known = all((a, FULL) in self.known for a in reads)
        if op == "where" and not is_known:
            self._choice(i, guard)
            return
        frame = FULL if is_known and (op in EITHER or op == "where") else guard
        found = [self._read(a, frame) for a in reads]
        kind = "turn" if op in ("sin", "cos") and reads[0] in self.angles else "op"
        if kind == "turn":
            both = -3 - reads[0], frame  # sine and cosine
            if both not in self.known:
                self._add(Line(both, "circle", tuple(found)))
            found = [both]
        self._add(Line((i, frame), kind, tuple(found)))

    def _choice(self, i: int, guard: int) -> None:
        """A node that is one of two in each row."""
        condition, *sides = self.nodes[i][1:]
        found = list[Made]()
        for side, on in zip(sides, (True, False)):
            if (frame := self.guards.child(guard, condition, on)) != NEVER:
                found += [self._read(side, frame), self._index(frame)]
        self._add(Line((i, FULL), "choice", tuple(found)))

    def _read(self, i: int, frame: int) -> Made:
        """A node in a frame; a number is the same in all."""
        if not self.rows[i] or (i, frame) in self.known:
            return i, frame
        if (i, FULL) not in self.known:
            other = next(made[1] for made in self.known if made[0] == i)
            self._add(Line((i, FULL), "scatter", ((i, other), self._index(other))))
        if frame != FULL:
            reads = (i, FULL), self._index(frame)
            self._add(Line((i, frame), "gather", reads))
        return i, frame

    def _add(self, line: Line) -> None:
        self.known.add(line.made)
        self.lines.append(line)

    def _mask(self, guard: int) -> Made:
        """The rows for which a guard holds, as truths."""
        made = -1, guard
        if made not in self.known:
            paths, reads = list[str](), list[Made]()
            for member in self.guards.members[guard]:
                texts = list[str]()
                for condition, on in self.guards.way(member, ALWAYS):
                    if self.rows[condition]:
                        reads.append(self._read(condition, FULL))
                        texts.append("{}" if on else "~{}")
                    else:
                        text = self.texts[condition]
                        texts.append(f"({text})" if on else f"(not ({text}))")
                paths.append(" & ".join(texts))
            text = " | ".join(f"({path})" for path in paths) if paths[1:] else paths[0]
            if not reads:
                text = f"numpy.full(len({self.first}), {text})"
            self._add(Line(made, "mask", tuple(reads), text))
        return made

    def _index(self, frame: int) -> Made:
        """Where the rows of a frame stand."""
        made = -2, frame
        if made not in self.known:
            self._add(Line(made, "index", (self._mask(frame),)))
        return made

    def text(self, depth: int) -> Iterator[str]:
        """The lines, so far in, and the texts of what goes over rows in `sums`."""
        named, printer = _Registers(self), Printer(self.page)
        last = {made: k for k, line in enumerate(self.lines) for made in line.reads}
        ends = [a for i in self.products for a in self.nodes[i][1:]]
        last |= {(i, FULL): len(self.lines) for i in (*self.outputs, *ends)}
        for k, line in enumerate(self.lines):
            for text in named.statements(line, k, last):
                i = line.made[0]
                said = ""
                if line.kind in ("op", "choice", "turn") and text == named.final:
                    said = printer.remark(i, text, WIDTH - 4 - 4 * depth - len(text))
                yield f"{'    ' * depth}{text}{said}"
        for i, result in self.results.items():
            if not self.rows[i]:
                yield f"{'    ' * depth}{result}.fill({self.texts[i]})"
            elif self.nodes[i][0] == "input":
                yield f"{'    ' * depth}{result}[:] = {self.texts[i]}"
        self.sums = [named.total(op, i) for op, i in zip(self.folds, self.outputs)]
        self.found = [named.name((i, FULL)) for i in self.outputs[len(self.folds) :]]


class _Registers:
    """The variables of a block, in which arrays that are no longer read are reused."""

    def __init__(self, block: Block) -> None:
        self.block, self.nodes = block, block.nodes
        self.called: dict[Made, str] = {}
        self.free: dict[int, list[str]] = {}  # arrays to be overwritten, by frame
        self.owned = set[str]()
        self.final = self.into = ""
        self.names = {word: self._numbered(word) for word in "tmic"}

    def _numbered(self, word: str) -> Iterator[str]:
        """Names that nothing else has."""
        taken = self.block.page.names.taken
        yield from (x for n in count(1) if (x := f"{word}{n}") not in taken)

    def name(self, made: Made) -> str:
        """What something is called, or the text of a number."""
        block, (i, frame) = self.block, made
        if made in self.called:
            return self.called[made]
        return block.texts[i]

    def statements(self, line: Line, k: int, last: dict[Made, int]) -> list[str]:
        """The text of a statement, and what can be overwritten behind it."""
        made, (i, frame) = line.made, line.made
        reads = [self.name(read) for read in line.reads]
        dying = [
            self.called[read]
            for read in dict.fromkeys(line.reads)
            if last[read] == k and self.called.get(read) in self.owned
        ]
        self.into = ""
        found = getattr(self, f"_{line.kind}")(line, reads, dying)
        self.final = found[-1] if found else ""
        kept = self.called.get(made)
        for read, own in [(r, self.called.get(r)) for r in dict.fromkeys(line.reads)]:
            if own in dying and own not in (kept, self.into):
                self.free.setdefault(read[1], []).append(own)
                self.owned.discard(own)
        if made not in last and kept in self.owned:
            self.free.setdefault(frame, []).append(kept)
        return [x for x in found]

    def _own(self, name: str, is_truth: bool = False) -> None:
        """Have an array overwritten later; what the author named stays as it is."""
        if not is_truth and name not in self.block.page.names.bound.values():
            self.owned.add(name)

    def _fresh(self, made: Made, word: str) -> str:
        own = self.block.page.names.bound.get(made[0], "") if made[1] == FULL else ""
        name = own if own and word == "t" else next(self.names[word])
        self.called[made] = name
        return name

    def _number(self, line: Line, reads: list[str], dying: list[str]) -> list[str]:
        name = self.block.texts[line.made[0]]
        return [f"{name} = ({line.text}) if numpy.any({reads[0]}) else 0.0"]

    def _mask(self, line: Line, reads: list[str], dying: list[str]) -> list[str]:
        text = line.text.format(*reads)
        if line.text == "{}":
            self.called[line.made] = text
            return []
        return [f"{self._fresh(line.made, 'm')} = {text}"]

    def _index(self, line: Line, reads: list[str], dying: list[str]) -> list[str]:
        return [f"{self._fresh(line.made, 'i')} = chosen({reads[0]})"]

    def _gather(self, line: Line, reads: list[str], dying: list[str]) -> list[str]:
        return [f"{self._fresh(line.made, 't')} = {reads[0]}[{reads[1]}]"]

    def _scatter(self, line: Line, reads: list[str], dying: list[str]) -> list[str]:
        op, first = self.nodes[line.made[0]][0], self.block.first
        is_truth = op in CONDITIONS
        name = self._fresh(line.made, "m" if is_truth else "t")
        start = f"zeros(len({first}), bool)" if is_truth else f"empty(len({first}))"
        self._own(name, is_truth)
        return [f"{name} = numpy.{start}", f"{name}[{reads[1]}] = {reads[0]}"]

    def _choice(self, line: Line, reads: list[str], dying: list[str]) -> list[str]:
        result = self.block.results.get(line.made[0])
        found = []
        if result is None:
            name, first = self._fresh(line.made, "t"), self.block.first
            self._own(name)
            found = [f"{name} = numpy.empty(len({first}))"]
        else:
            name = self.called[line.made] = result
        pairs = zip(reads[::2], reads[1::2])
        return [*found, *(f"{name}[{index}] = {side}" for side, index in pairs)]

    def _circle(self, line: Line, reads: list[str], dying: list[str]) -> list[str]:
        return [
            f"{self._fresh(line.made, 'c')} = {'half_' * self.block.half}circle({reads[0]})"
        ]

    def _turn(self, line: Line, reads: list[str], dying: list[str]) -> list[str]:
        i = line.made[0]
        text = f"{reads[0]}[{int(self.nodes[i][0] == 'cos')}]"
        if i in self.block.results and line.made[1] == FULL:
            self.called[line.made] = name = self.block.results[i]
            return [f"{name}[:] = {text}"]
        name = self._fresh(line.made, "t")
        self._own(name)
        return [f"{name} = {text}"]

    def _op(self, line: Line, reads: list[str], dying: list[str]) -> list[str]:
        """An operation, into the array of a result, or over one that is not read again."""
        (i, frame), block = line.made, self.block
        op, *args = self.nodes[i]
        given = [self.name((a, frame)) for a in args]
        if op == "where":
            self.called[line.made] = name = block.results.get(i) or self._fresh(
                line.made, "t"
            )
            text = f"numpy.where({', '.join(given)})"
            if i in block.results:
                return [f"{name}[:] = {text}"]
            self._own(name)
            return [f"{name} = {text}"]
        truth = op in CONDITIONS
        into = block.results.get(i) if frame == FULL else None
        if into is None and not truth:
            free = self.free.get(frame, [])
            into = dying[0] if dying else free.pop() if free else None
            if into is not None and given[0] in dying:
                into = given[0]
        bound = block.page.names.bound.get(i) if frame == FULL else None
        call = self._spelled(op, given, into, i, bool(bound) and i not in block.results)
        if into is None:
            name = self._fresh(line.made, "m" if truth else "t")
            self._own(name, truth)
            return [f"{name} = {call}"]
        self.called[line.made] = self.into = into
        if i not in block.results:
            self.owned.add(into)
            if bound:
                self.called[line.made] = bound
                self.owned.discard(into)  # what the author named stays
                return [f"{bound} = {call}"]
        return [call]

    def _spelled(
        self, op: str, given: list[str], into: str | None, i: int, called: bool
    ) -> str:
        """The text of an operation; with `into` it is written there."""
        if into is not None and into == given[0] and op in SIGNS and not called:
            return f"{into} {SIGNS[op]}= {given[1]}"
        if op in UFUNCS and len(given) <= 2:
            if into is not None:
                last = f"out={into}" if op in ("max", "min") else into
                return f"numpy.{UFUNCS[op]}({', '.join([*given, last])})"
            if op in SIGNS or op in COMPARISONS or op == "neg":
                shown = [x if _SIMPLE.fullmatch(x) else f"({x})" for x in given]
                form = spelling(self.block.program.ops[op], len(given)).template
                return form % tuple(shown)
            return f"numpy.{UFUNCS[op]}({', '.join(given)})"
        if f"array_{op}" in Blocks.helpers:
            text = f"array_{op}({given[0]})"
        elif op in ("min", "max", "hypot"):
            text = given[0]
            for x in given[1:]:
                text = f"numpy.{UFUNCS[op]}({text}, {x})"
        else:
            text = f"each({self._function(i, len(given))}, {', '.join(given)})"
        return text if into is None or called else f"{into}[:] = {text}"

    def _function(self, i: int, count: int) -> str:
        """What computes a row of the table of numbers, as a function."""
        found = spelling(self.block.program.ops[self.nodes[i][0]], count)
        holes = [f"x{k}" for k in range(count)]
        text = found.template % tuple(holes[k] for k, _ in found.holes)
        if text.endswith(f"({', '.join(holes)})") and text.count("(") == 1:
            return text.partition("(")[0]
        return f"lambda {', '.join(holes)}: {text}"

    def total(self, op: str, i: int) -> str:
        """What goes over the rows of a block."""
        if i in self.block.products:
            pair = [self.name((a, FULL)) for a in self.nodes[i][1:]]
            return f"{pair[0]}.dot({pair[1]})"
        x = self.name((i, FULL))
        if op == TOTAL:
            return f"numpy.add.reduce({x})"
        return f"numpy.{REDUCE[op]}.reduce({x})"


COLUMNS = '''class Checked(list[Any]):
    """The entries of checked columns, and by function what was computed of them."""

    made: dict[Any, Any] | None = None


def checked(missing: str, given: dict[str, tuple[Any, ...]]) -> Checked:
    """Return an array for each entry of a row of columns, which have one length."""
    found: dict[str, Any] = {}
    bad: Any = None  # the rows in which there is a nan
    for name, (column, *shape) in given.items():
        array = numpy.asarray(column)
        is_number = array.dtype.kind in "biuf"
        if not is_number or not array.ndim or [*array.shape[1:]] != shape:
            kind = f"{array.dtype} of shape {array.shape}"
            raise ValueError(f"{name} is no column of numbers but {kind}")
        found[name] = array = array.astype(float, copy=False)
        first, rows = next(iter(found)), len(array)
        if rows != len(found[first]) or not rows:
            told = f"{rows} rows, {first} has {len(found[first])}"
            raise ValueError(f"{name} has {told}")
        if not isfinite(numpy.add.reduce(array, axis=None)):
            gone = numpy.isnan(array.reshape(rows, -1)).any(axis=1)
            if gone.any() and missing != "drop":
                raise ValueError(f"{name} is nan in row {gone.argmax()}")
            bad = gone if bad is None else bad | gone
    kept = [x if bad is None else x[~bad] for x in found.values()]
    if not len(kept[0]):
        raise ValueError("no row is left: each has a nan")
    every = [column for array in kept for column in entries(array)]
    return Checked(map(numpy.ascontiguousarray, every))


def columns(**given: tuple[Any, ...]) -> Checked:
    """Return columns, checked; those that are bound are."""
    first = next(iter(given.values()))[0]
    return first if isinstance(first, Checked) else checked("raise", given)


def entries(array: Any) -> list[Any]:
    """Return a column for each entry of the rows of an array."""
    if array.ndim < 3:
        return [*array.T] if array.ndim == 2 else [array]
    return [column for part in array.swapaxes(0, 1) for column in entries(part)]'''
OVER = '''@numpy.errstate(divide="raise", invalid="raise", over="raise")
def over(
    loop: Any,
    columns: Any,
    *others: Any,
    out: Any = (),
    folds: Any = (),
    kept: Any = None,
    data: Any = None,
    by_rows: bool = False,
) -> Any:
    """Return what a loop over columns does, in blocks; an error tells of the row.

    It takes what `data` makes of columns, which is kept if these are bound.
    """
    found, rows, inner, given = [], len(columns[0]), loop, columns
    if data is not None:
        def loop(*block: Any) -> Any:
            return inner(*data(*block[: len(given)]), *block[len(given) :])
        try:
            if kept.made is not None:
                columns = kept.made[data] = kept.made.get(data) or data(*given)
                loop = inner
        except (ArithmeticError, ValueError):
            pass  # the row is told below
    if not by_rows:
        others = [numpy.asarray(x) for x in others]  # as arrays they are faster

    def run(low: int, high: int, results: Any) -> Any:
        is_all = high - low == rows
        block = columns if is_all else [x[low:high] for x in columns]
        try:
            return loop(*block, *others, *results)
        except FloatingPointError:  # perhaps of what is large on the way alone
            with numpy.errstate(over="ignore"):
                sums = loop(*block, *others, *results)
            if all(numpy.isfinite(x).all() for x in (*results, *(sums or ()))):
                return sums
            raise

    for low in range(0, rows, BLOCK):
        high = min(low + BLOCK, rows)
        try:
            results = out if rows <= BLOCK else [x[low:high] for x in out]
            found.append(run(low, high, results))
        except (ArithmeticError, ValueError) as error:
            while high - low > 1:  # it is in one of the halves
                half = (low + high) // 2
                try:
                    run(low, half, numpy.empty((len(out), half - low)))
                    low = half
                except (ArithmeticError, ValueError):
                    high = half
            pairs = zip((data or inner).__code__.co_varnames, given)
            told = ", ".join(f"{name} = {x[low]}" for name, x in pairs)
            raise type(error)(f"{error} in row {low}, {told}") from None
    if len(found) == 1:
        return [*map(float, found[0] or ())]
    parts = zip(*found) if folds and found else [()] * len(folds)
    return [float(f(x)) for f, x in zip(folds, parts)]'''
RESULTS = '''def results(rows: int, shape: tuple[int, ...]) -> Any:
    """Return an array of so shaped rows, whose entries are contiguous."""
    return numpy.empty((*shape[::-1], rows)).T'''
CHOSEN = '''def chosen(mask: Any) -> Any:
    """Return where the rows stand for which a condition holds, to be copied from there."""
    return numpy.flatnonzero(mask) if numpy.any(mask) else slice(0, 0)'''
EACH = '''def each(function: Callable[..., float], *arrays: Any) -> Any:
    """Return what a function of numbers is of each row."""
    columns = [x.tolist() for x in numpy.broadcast_arrays(*arrays)]
    return numpy.fromiter(map(function, *columns), float)'''
ERFC = '''ERFC_P = (
    *(-2.623107347133476e-09, -1.9551358868985616e-09, 3.197926671666804e-08),
    *(1.879082322370048e-08, -2.4857126248016745e-07, -5.084465378687302e-08),
    *(1.7419821586224816e-06, -9.792625707303523e-07, -1.1438048033346894e-05),
    *(2.2387565714911816e-05, 5.164652974177416e-05, -0.00029015535246077655),
    *(0.000293714378044958, 0.0017556261651970652, -0.009746579683265262),
    *(0.02836227737211114, -0.05869339857664934, 0.09230432116428125),
    *(-0.10880393014244462, 0.08227673848999506, 0.0035854154854790257),
    *(-0.14024059858554525, 1.2375126308378275),
)


def array_erfc(x: Any) -> Any:
    """erfc, each to 6e-16 of itself: of exp(x*x)*(1 + 2*x)*erfc(x) a polynomial."""
    far = numpy.minimum(numpy.absolute(x), 40.0)
    near = numpy.rint(far * 16.0) / 16.0  # whose square is exact
    t = (far - 3.75) / (far + 3.75)
    found = numpy.full(len(t), ERFC_P[0])
    for coefficient in ERFC_P[1:]:
        found *= t
        found += coefficient
    found *= numpy.exp(-near * near)
    found *= numpy.exp((near - far) * (near + far))
    found /= 1.0 + 2.0 * far
    return numpy.where(x < 0.0, 2.0 - found, found)'''
ERF = '''ERF_P = (
    *(5.958930743134941e-11, -1.1373902296430911e-09, 1.4660051998394848e-08),
    *(-1.6350354461959655e-07, 1.6461004480962034e-06, -1.4925595519506043e-05),
    *(0.00012055331122299266, -0.0008548326981129666, 0.005223977624823223),
    *(-0.026866170645077334, 0.11283791670954882, -0.3761263890318375),
    *(1.1283791670955126,),
)


def array_erf(x: Any) -> Any:
    """erf, each to 6e-16 of itself: a polynomial below 1, and beyond 1 - erfc."""
    t = numpy.minimum(numpy.absolute(x), 1.0)
    t *= t
    found = numpy.full(len(t), ERF_P[0])
    for coefficient in ERF_P[1:]:
        found *= t
        found += coefficient
    far = numpy.copysign(1.0 - array_erfc(numpy.absolute(x)), x)
    return numpy.where(t < 1.0, x * found, far)'''
CIRCLE = '''SINE_P = (
    *(1.58969099521155e-10, -2.5050760253406863e-08),
    *(2.7557313707070068e-06, -0.0001984126982985795),
    *(0.00833333333332249, -0.16666666666666632),
)
COSINE_P = (
    *(-1.1359647557788195e-11, 2.087572321298175e-09),
    *(-2.7557314351390663e-07, 2.480158728947673e-05),
    *(-0.001388888888887411, 0.0416666666666666),
)


def circle(x: Any) -> Any:
    """Return sine and cosine, each to 2 units in its last place: those of fdlibm."""
    if len(x) < 2048 or not numpy.absolute(x).max() < 1e6:
        return numpy.sin(x), numpy.cos(x)
    turns = numpy.rint(x * 0.6366197723675814)  # quarters of them
    r = x - turns * 1.5707963267341256  # of 33 bits, so that the product is exact
    r -= turns * 6.077100506303966e-11
    r -= turns * 2.0222662487959506e-21
    z = r * r
    sine, cosine = z * SINE_P[0], z * COSINE_P[0]
    for p, q in zip(SINE_P[1:-1], COSINE_P[1:-1]):
        sine += p
        sine *= z
        cosine += q
        cosine *= z
    sine += SINE_P[-1]
    sine *= z
    sine *= r
    sine += r
    cosine += COSINE_P[-1]
    cosine *= z
    cosine -= 0.5
    cosine *= z
    cosine += 1.0
    k = turns.astype(int)
    is_odd = (k & 1).astype(bool)
    sine, cosine = numpy.where(is_odd, cosine, sine), numpy.where(is_odd, sine, cosine)
    sine *= 1 - (k & 2)
    cosine *= 1 - ((k + 1) & 2)
    return sine, cosine'''
HALF = '''def half_circle(x: Any) -> Any:
    """Return sine and cosine, to 3e-16, from the tangent of half of an angle."""
    sine = numpy.tan(0.5 * x)
    cosine = sine * sine
    cosine += 1.0
    numpy.divide(2.0, cosine, cosine)
    sine *= cosine
    cosine -= 1.0
    return sine, cosine'''
BOUND = '''class Bound:
    """The functions over columns, of the parameters as one sequence in their order."""

    given: Callable[..., Any]
    reuse, out = False, None

    def value(self, x: ArrayLike) -> Any:
        """Return the value."""
        return value(*self.given(*x))'''
METHODS = {
    "value_and_grad": '''
    def value_and_grad(self, x: ArrayLike) -> Any:
        """Return the value and the gradient, an array."""
        value, found = value_and_grad(*self.given(*x))
        return value, numpy.concatenate([numpy.ravel(part) for part in found])

    def grad(self, x: ArrayLike) -> Any:
        """Return the gradient."""
        return self.value_and_grad(x)[1]''',
    "value_and_jacobian": '''
    def value_and_jacobian(self, x: ArrayLike) -> Any:
        """Return the value and the Jacobian; to `reuse` arrays is to overwrite them."""
        found = value_and_jacobian(*self.given(*x), out=self.out)
        self.out = found if self.reuse else None
        return found

    def jacobian(self, x: ArrayLike) -> Any:
        """Return the Jacobian."""
        return self.value_and_jacobian(x)[1]''',
    "gram": '''
    def gram(self, x: ArrayLike) -> Any:
        """Return the sums of products."""
        return gram(*self.given(*x))''',
}
FOLDS = {TOTAL: "sum", PRODUCT: "numpy.prod", TOP: "max", BOTTOM: "min"}


class Blocks(Loops):
    """A function over columns in NumPy, as it is written."""

    helpers = {
        **{"columns": COLUMNS, "over": OVER, "results": RESULTS},
        **{"chosen": CHOSEN, "each": EACH, "array_erf": ERF, "array_erfc": ERFC},
        **{"circle": CIRCLE, "half_circle": HALF},
    }
    picked, plain, column_of = "float({})", "{}.tolist()", "numpy.array({})"
    keeps = True
    words = (
        *(*Loops.words, "numpy", "sum", "out", "entries", "BLOCK"),
        *("Checked", "checked"),
    )

    def __init__(self, function: Function, own: set[str], origin: Origin) -> None:
        self.half = origin.half_angle
        super().__init__(function, own, origin)
        self.by_rows = set[str]()  # loops that go row by row
        if any(self._is_stuck(*pair) for pair in zip(self.split.parts, self.pages)):
            self.keeps = False
            super().__init__(function, own, origin)
        between = [x for p, x in zip(self.split.parts, self.pages) if not p.length]
        used = {name for page in between for name in page.names.bound.values()}
        used |= {*self.base, *self.called.values(), *self.split.names.values()}
        used |= self.read
        self.arrays = list[str]()
        for x in self.columns:
            names = (f"{x.name}{end}" for end in chain(("", "_"), count(2)))
            self.arrays.append(next(i for i in names if i not in used))
            used.add(self.arrays[-1])
        self.targets: dict[tuple[int, str], list[str]] = {}  # of results, by node
        for column, name in zip(self.columns, self.arrays):
            ends = [", ".join(map(str, k)) for k in product(*map(range, column.shape))]
            for place, end in zip(self._places(column), ends):
                text = f"{name}[:, {end}]" if end else name
                self.targets.setdefault(place, []).append(text)

    def _is_stuck(self, part: Part, page: Page) -> bool:
        """Whether something is kept for a part, but its rows have to go one by one."""
        if part.data is None:
            return False
        try:
            for one in (page, self.data[next(iter(part.kept.values()))]):
                Block(one, (), (), "")
        except Stuck:
            return True
        return bool(part.program.operations & {AT, ENTRY})

    def accepted(self, item: Argument) -> str:
        """The type of an argument."""
        is_array = item.shape or item.elements[0].rows
        return "ArrayLike" if is_array else "float"

    def type(self, layout: Layout, several: bool = False) -> str:
        """The type of what is returned in a layout."""
        is_column = isinstance(layout, Column) or self.name == "gram"
        return "NDArray[float64]" if is_column else super().type(layout, several)

    def options(self) -> list[str]:
        """Where results go, if they are columns; fitters take the value as a model."""
        takes_out = self.columns and self.name != "value"
        return ["*", "out: Any = None"] if takes_out else []

    def index(self, length: str) -> str:
        """The numbers of rows."""
        return f"numpy.arange(float(len({self.first(length)})))"

    def _allocated(self) -> Iterator[str]:
        """Statements that make the arrays of results."""
        made = list[str]()
        for column in self.columns:
            shape = f"({''.join(f'{size}, ' for size in column.shape).strip()})"
            made.append(f"results(len({self.first(column.length)}), {shape})")
        if made:
            text = tupled(made) if made[1:] else made[0]
            head = f"{', '.join(self.arrays)} = "
            text += " if out is None else out" * bool(self.options())
            yield from statement(head, text, depth=1)
        for column, name in zip(self.columns, self.arrays):
            if ZERO in column:
                yield f"    {name}[...] = 0.0"

    def call(self, loop: Loop) -> list[str]:
        """Statements that go over the rows with a loop."""
        part, sums, made = loop.part, [*loop.sums], list[str]()
        filled = [self.targets[i, part.length] for i in part.roots]
        for x, length in loop.groups.items():
            zeros = f"numpy.zeros(len({self.first(length)}))"
            made += statement(f"{x} = ", zeros, depth=1)
        takes = [loop.name, tupled(loop.given), *loop.others, *loop.groups]
        if filled:
            takes.append(f"out={tupled(self._out([texts[0] for texts in filled]))}")
        if part.data is not None:
            handle = self.handles[trimmed(part.length)[0]].removesuffix(" = ")
            takes += [f"kept={handle}", f"data={loop.name}_data"]
        takes += ["by_rows=True"] if loop.name in self.by_rows else []
        if sums:
            folds = [FOLDS[op] for op in loop.sums.values()]
            is_same = len({*folds}) == 1 and len(folds) > 2
            text = f"({folds[0]},) * {len(folds)}" if is_same else tupled(folds)
            takes.append(f"folds={text}")
        is_long = len(sums) > FEW
        head = ", ".join(sums) if len(sums) > 1 else f"[{''.join(sums)}]"
        head = f"{'found' if is_long else head} = " if sums else ""
        found = statement(head, f"over({', '.join(takes)})", depth=1)
        for k in range(0, len(sums), MANY) if is_long else ():
            end = k + MANY if k + MANY < len(sums) else ""
            found.append(
                f"    {', '.join(sums[k : k + MANY])} = found[{k or ''}:{end}]"
            )
        for first, *others in filled:
            found += [f"    {text}[...] = {first}" for text in others]
        return made + found

    def _out(self, texts: Sequence[str]) -> list[str]:
        """Columns of results, all those of an array in one word."""
        found, rest = list[str](), [*texts]
        while rest:
            name = rest[0].partition("[")[0]
            every = [x for one in self.targets.values() for x in one if name + "[" in x]
            if every and rest[: len(every)] == every:
                found.append(f"*entries({name})")
            else:
                every = rest[:1]
                found += every
            rest = rest[len(every) :]
        return found

    def loop(self, loop: Loop) -> list[str]:
        """What is done with a block of rows."""
        part, given, found = loop.part, loop.columns or ["rows"], list[str]()
        folds = [self.split.nodes[i][0] for i in part.sums]
        if part.data is not None:
            found = self._data(f"{loop.name}_data", part, given)
            given = [i.name for i in part.program.inputs if i.rows]
        if part.states:
            return super().loop(loop)
        try:
            if part.program.operations & {AT, ENTRY}:  # row by row
                raise Stuck
            block = Block(loop.page, folds, loop.filled, given[0], self.half)
        except Stuck:
            self.by_rows.add(loop.name)
            *body, last = super().loop(loop)
            return [*found, *body, f"{last}," if len(loop.sums) == 1 else last]
        body = [*block.text(1)]
        ends = statement("return ", tupled(block.sums), depth=1) if folds else []
        head = defined(loop.name, [*given, *loop.numbers, *loop.filled])
        return [*found, *head, *body, *ends]

    def _data(self, name: str, part: Part, given: Sequence[str]) -> list[str]:
        """What depends on data alone, in a block of rows or in all."""
        assert part.data is not None
        page = self.data[next(iter(part.kept.values()))]
        block = Block(page, (), (), given[0], self.half)
        body = [*block.text(1)]
        own = dict(zip(part.kept.values(), block.found))
        texts = [own.get(i.name, i.name) for i in part.program.inputs if i.rows]
        ends = statement("return ", tupled(texts), depth=1)
        return [*defined(name, given), *body, *ends, "", ""]

    def text(self, leaf: Leaf) -> str:
        """The text of what is returned."""
        text = super().text(leaf)
        return f"numpy.array({text})" if self.name == "gram" else text

    def column(self, column: Column) -> str:
        """The text of a column of results."""
        return self.arrays[self.columns.index(column)]


def binding(functions: Sequence[Loops], wrt: Sequence[str]) -> list[str]:
    """The class that binds columns: its texts for the functions of a module."""
    first = functions[0]
    texts = [METHODS[f.name] for f in functions if f.name in METHODS]
    if len(first.columns) > 1:  # of several results no arrays are kept
        texts = [
            re.sub(r", out=self.out|.*self.out = .*\n", "", text) for text in texts
        ]
    if not any(i.shape or i.elements[0].rows for i in first.items if i.name in wrt):
        parts = "numpy.concatenate([numpy.ravel(part) for part in found])"
        texts = [text.replace(parts, "numpy.array(found)") for text in texts]
    fixed = [item for item in first.items if item.name not in wrt]
    names = [first.called[item.name] for item in fixed]
    lines = [
        "class bind(Bound):",
        '    """Columns and other data, checked and kept."""',
        "",
    ]
    options = ["*", 'missing: str = "raise"', "reuse: bool = False"]
    types = [f"{name}: {first.accepted(item)}" for name, item in zip(names, fixed)]
    head = f"__init__({', '.join(['self', *types, *options])})"
    lines += statement("def ", head, " -> None:", depth=1)
    for items in first.tables.values():
        if bound := [item for item in items if item in fixed]:
            call = f"checked(missing, dict({', '.join(map(first.given, bound))}))"
            head = " = ".join(first.called[item.name] for item in bound)
            lines += statement(f"{head} = ", call, depth=2)
            if any(items[0].elements[0].rows in f.handles for f in functions):
                lines.append(f"        {first.called[bound[0].name]}.made = {{}}")
    takes, given = list[str](), list[str]()
    for item in first.items:
        own = [first.called[item.name]]
        if item.shape and item not in fixed:
            own = [first.split.entries[e.name] for e in item.elements]
        takes += own if item not in fixed else []
        given.append(nested(own, item.shape) if len(own) > 1 else own[0])
    lines += ["", *statement("def ", f"given({', '.join(takes)})", " -> Any:", depth=2)]
    lines += [*statement("return ", tupled(given), depth=3), ""]
    lines += ["        self.given, self.reuse = given, reuse"]
    return ["\n".join([BOUND, *texts]), "\n".join(lines)]


def nested(names: Sequence[str], shape: tuple[int, ...]) -> str:
    """The text of tuples nested like a shape."""
    text: str = nest(names, shape, tupled)
    return text
