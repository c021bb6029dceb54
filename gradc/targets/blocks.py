"""A loop over columns in NumPy: straight lines over a block of rows.

A block of at most 8,192 rows stays in the processor's cache, and an array that is no longer
read is overwritten. What a condition on rows guards is computed for the rows that take
its side, and nowhere else:

    m1 = t > 0.0
    i1 = numpy.flatnonzero(m1)
    t1 = t[i1]
    numpy.log(t1, t1)
    t2 = numpy.empty(len(t))
    t2[i1] = t1
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import chain, count, product
from typing import NamedTuple

from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.arrays import nest
from gradc.functions import DOCS, ZERO, Column, Function, Layout
from gradc.ir import COMPARISONS, CONDITIONS, UNPASSED, Argument, arguments, trimmed
from gradc.ops import AT, BOTTOM, BY, ENTRY, PRODUCT, TOP, TOTAL
from gradc.passes.schedule import HARMLESS, WIDTH
from gradc.passes.split import Part
from gradc.spelling import ATOM, UNARY, spelling
from gradc.targets import portable
from gradc.targets.columns import NUMBERS, Loop, Loops, assigned
from gradc.targets.interface import MATRICES
from gradc.targets.names import Page
from gradc.targets.origin import Origin
from gradc.targets.printer import Printer, parted, phrase, statement, tupled, unwrapped

FULL = ALWAYS  # the frame of all rows; that of a guard has the rows for which it holds
# What rows of the table are called in NumPy.
UFUNCS = {
    **{"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide"},
    **{"neg": "negative", "pow": "power", "mod": "remainder", "abs": "absolute"},
    **{"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"},
    **{"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "round": "rint"},
    **{"min": "minimum", "max": "maximum", "and": "logical_and", "or": "logical_or"},
    **{"not": "logical_not"},
    **{x: x for x in "exp log sin cos tan sinh cosh tanh sqrt expm1 log1p".split()},
    **{x: x for x in "cbrt log2 log10 hypot copysign fmod floor ceil trunc".split()},
}
CALLED = {op: f"numpy.{x}" for op, x in {**UFUNCS, "where": "where"}.items()}
CALLED |= {x: f"array_{x}" for x in ("erf", "erfc", "cosdiff")}
FEW = 6  # sums that are named in the line of a call
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
REDUCE = {TOTAL: "sum", PRODUCT: "prod", TOP: "max", BOTTOM: "min"}
EITHER = CONDITIONS | {"neg", "abs"}  # raise nothing, whatever stands in a row

_SIMPLE = re.compile(r"[\w.]+")  # a name or a number
Made = tuple[int, int]  # a node in a frame


class Line(NamedTuple):
    """A statement: what it makes of what.

    `word` is what the name begins with: "t" an array of numbers, which may be overwritten
    when it is no longer read, "m" one of truths, "i" the places of rows, "c" sine and
    cosine, "p" a number. `text` has a place for each of what it reads.
    """

    made: Made
    reads: tuple[Made, ...]
    text: str
    word: str = "t"
    ufunc: str = ""  # which may write over an array
    fills: bool = False  # whether pairs of rows and their places are written into it


class Block:
    """The statements of a loop for a block of rows.

    Arguments:
        page: that of the loop's program.
        folds: the reductions whose results are its first outputs.
        results: the arrays that the other outputs are written to.
        groups: the arrays into which the sums by groups go, whose places the last outputs
            are, or the numbers and how many places there are.
        half: whether sine and cosine are computed from half of the angle.

    Raises:
        CycleError: a condition waits for what it guards elsewhere.
    """

    def __init__(
        self,
        page: Page,
        folds: Sequence[str] = (),
        results: Sequence[str] = (),
        groups: Sequence[str] = (),
        half: bool = False,
    ) -> None:
        self.page, self.folds, self.groups = page, folds, groups
        self.program = program = page.schedule.program
        self.rows, self.nodes = program.rows, program.nodes
        self.outputs = page.schedule.outputs
        first = next((item.name for item in program.inputs if item.rows), "rows")
        self.size, self.circle = f"len({first})", "half_circle" if half else "circle"
        guards = self.guards = Guards(program)
        self.placed, others = place(program, guards), self.outputs[len(folds) :]
        self.results = dict(zip(others, results))
        self.keys = others[len(results) :]
        self.texts = [*page.names.leaves]
        self.levels = [UNARY if text[:1] == "-" else ATOM for text in self.texts]
        self.lines: list[Line] = []
        self.known = {(i, FULL) for i, text in enumerate(self.texts) if text}
        self.called: dict[Made, str] = {}
        self.free = defaultdict[int, list[str]](list)  # to be overwritten, by frame
        self.owned = set[str]()  # arrays that may be, when they are no longer read
        self.names = {word: self._numbered(word) for word in "tmickp"}
        of = {op: {n[1] for n in self.nodes if n[0] == op} for op in ("sin", "cos")}
        self.angles = of["sin"] | of["cos"] if half else of["sin"] & of["cos"]
        uses = Counter([*self.outputs, *(a for n in self.nodes for a in arguments(n))])
        self.products = {  # of which only the sum is wanted
            i
            for op, i in zip(folds, self.outputs)
            if (op, self.nodes[i][0], uses[i]) == (TOTAL, "mul", 1)
            and all(self.rows[a] for a in self.nodes[i][1:])
        }
        for i in self._ordered():
            if not self.texts[i] and self.nodes[i][0] != "const":
                (self._row if self.rows[i] else self._number)(i)

    def _ordered(self) -> Iterator[int]:
        """What is asked for, behind what it reads and the conditions that guard it."""
        asked = {i for i, guard in enumerate(self.placed) if guard != NEVER}
        waiting: TopologicalSorter[int] = TopologicalSorter()
        ready = list[int]()
        for i in asked:
            needs = {*arguments(self.nodes[i])}
            for member in self.guards.members[self.placed[i]] if needs else ():
                needs.update(c for c, _ in self.guards.way(member, ALWAYS))
            waiting.add(i, *(needs & asked))
        waiting.prepare()
        while waiting.is_active():
            for i in waiting.get_ready():
                heappush(ready, i)
            yield (i := heappop(ready))
            waiting.done(i)

    def _number(self, i: int) -> None:
        """A number that is computed in the block, if the rows ask for it."""
        node, texts, guard = self.nodes[i], [*self.texts], self.placed[i]
        is_sure = guard == ALWAYS or node[0] in HARMLESS | CONDITIONS or not node[1:]
        for a in arguments(node) if not is_sure and node[0] != AT else ():
            if self.nodes[a][0] == "input":  # it might change an array
                texts[a] = f"float({texts[a]})"
        text, self.levels[i] = phrase(self.program.ops, node, texts, self.levels)
        if not is_sure:
            text = f"({text}) if numpy.any({{}}) else 0.0"
            self.lines.append(Line((i, FULL), (self._mask(guard),), text, "p"))
            text = self.page.names.bound.get(i) or next(self.names["p"])
            self.levels[i] = ATOM
        self.texts[i] = text

    def _row(self, i: int) -> None:
        """Add the statements that make a node of the rows."""
        (op, *args), guard = self.nodes[i], self.placed[i]
        if i in self.products:
            for a in args:
                self._read(a, FULL)
            return
        is_known = all((a, FULL) in self.known for a in args if self.rows[a])
        if op == "where" and not is_known:
            self._choice(i, guard)
            return
        frame = FULL if is_known and (op in EITHER or op == "where") else guard
        reads = tuple([self._read(a, frame) for a in args])
        if op in ("sin", "cos") and args[0] in self.angles:
            both = -3 - args[0], frame
            if both not in self.known:
                self._add(Line(both, reads, f"{self.circle}({{}})", "c"))
            self._add(Line((i, frame), (both,), f"{{}}[{int(op == 'cos')}]"))
            return
        word, text = self._word(i), self._spelled(op, args)
        ufunc = UFUNCS.get(op, "") if len(args) <= 2 and word == "t" else ""
        self._add(Line((i, frame), reads, text, word, ufunc))

    def _spelled(self, op: str, args: Sequence[int]) -> str:
        """The text of an operation, with places for what it reads."""
        if op in (ENTRY, AT):
            return "places({}, {})" if op == ENTRY else "{1}[{0}]"
        found, places = spelling(self.program.ops[op], len(args)), ["{}"] * len(args)
        if op in SIGNS or op in COMPARISONS or op == "neg":
            bare = [self.rows[a] or _SIMPLE.fullmatch(self.texts[a]) for a in args]
            return found.template % tuple("{}" if x else "({})" for x in bare)
        if op in UFUNCS and len(args) > 2:
            return reduce(lambda x, y: f"{CALLED[op]}({x}, {y})", places)
        if op in CALLED:
            return f"{CALLED[op]}({', '.join(places)})"
        holes = [f"x{k}" for k in range(len(args))]
        text, each = found.template % tuple(holes[k] for k, _ in found.holes), ", ".join
        is_call = text.endswith(f"({each(holes)})") and text.count("(") == 1
        text = text.partition("(")[0] if is_call else f"lambda {each(holes)}: {text}"
        return f"each({text}, {each(places)})"

    def _choice(self, i: int, guard: int) -> None:
        """A node that is one of two in each row."""
        condition, *sides = self.nodes[i][1:]
        found = list[Made]()
        for side, on in zip(sides, (True, False)):
            if (frame := self.guards.child(guard, condition, on)) != NEVER:
                found += [self._read(side, frame), self._index(frame)]
        start = f"numpy.empty({self.size})"
        self._add(Line((i, FULL), tuple(found), start, fills=True))

    def _read(self, i: int, frame: int) -> Made:
        """A node in a frame; a number is the same in all."""
        if not self.rows[i] or (i, frame) in self.known:
            return i, frame
        word = self._word(i)
        if (i, FULL) not in self.known:
            other = next(made[1] for made in self.known if made[0] == i)
            pair = (i, other), self._index(other)
            kind = {"m": "bool", "k": "int"}.get(word, "float")
            start = f"numpy.zeros({self.size}, {kind})"
            self._add(Line((i, FULL), pair, start, word, fills=True))
        if frame != FULL:
            reads = (i, FULL), self._index(frame)
            self._add(Line((i, frame), reads, "{}[{}]", word))
        return i, frame

    def _word(self, i: int) -> str:
        """What the name of a node begins with."""
        op = self.nodes[i][0]
        return "m" if op in CONDITIONS else "k" if op == ENTRY else "t"

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
            if text == "{}":
                return reads[0]
            text = text if reads else f"numpy.full({self.size}, {text})"
            self._add(Line(made, tuple(reads), text, "m"))
        return made

    def _index(self, frame: int) -> Made:
        """Where the rows of a frame stand."""
        made = -2, frame
        if made not in self.known:
            self._add(Line(made, (self._mask(frame),), "numpy.flatnonzero({})", "i"))
        return made

    def text(self) -> Iterator[str]:
        """The lines, and the texts of what goes over rows in `sums`."""
        printer = Printer(self.page)
        last = {made: k for k, line in enumerate(self.lines) for made in line.reads}
        ends = [a for i in self.products for a in self.nodes[i][1:]]
        last |= {(i, FULL): len(self.lines) for i in (*self.outputs, *ends)}
        for k, line in enumerate(self.lines):
            dying = {read for read in line.reads if last[read] == k}
            *others, text = self._statements(line, dying)
            i, of = line.made[0], [read[0] for read in line.reads]
            if i >= 0 and line.word in ("t", "m") and i not in of:
                text += printer.remark(i, text, WIDTH - 8 - len(text))
            yield from (f"    {x}" for x in (*others, text))
        for i, result in self.results.items():
            if not self.rows[i] or self.nodes[i][0] == "input":
                yield f"    {result}[:] = {self.texts[i]}"
        self.sums, groups, keys = list[str](), iter(self.groups), iter(self.keys)
        for op, i in zip(self.folds, self.outputs):
            if op == BY:
                yield from self._grouped(next(groups), i, keys)
            elif i in self.products:
                x, y = (self.name(a) for a in self.nodes[i][1:])
                self.sums.append(f"{x}.dot({y})")
            else:
                self.sums.append(f"{self.name(i)}.{REDUCE[op]}()")

    def _grouped(self, name: str, i: int, keys: Iterator[int]) -> Iterator[str]:
        """The statements that add to an array what a node is in its rows, by groups."""
        x, place = (
            self.name(a) if self.rows[a] else f"numpy.full({self.size}, {self.name(a)})"
            for a in (i, next(keys))
        )
        if len(self.keys) > len(self.groups):  # only there it is a place
            index, most = next(self.names["i"]), self.name(next(keys))
            yield f"    {index} = numpy.flatnonzero({x})"
            x, place = f"{x}[{index}]", f"places({place}[{index}], {most})"
        text = f"numpy.bincount({place}, {x}, len({name}))"
        yield from statement(f"{name} += ", text, depth=1)

    def _numbered(self, word: str) -> Iterator[str]:
        """Names that nothing else has."""
        taken, end = self.page.names.taken, "_" * (word == "p")
        yield from (x for n in count(1) if (x := f"{word}{n}{end}") not in taken)

    def name(self, i: int, frame: int = FULL) -> str:
        """What a node is called in a frame, or the text of a number."""
        return self.called.get((i, frame)) or self.texts[i]

    def _statements(self, line: Line, dying: set[Made]) -> list[str]:
        """The text of a statement, behind which what is `dying` is read no more.

        It may write into an array of results, or into one that is read no more.
        """
        i, frame = line.made
        for read in reversed(dict.fromkeys(line.reads)):  # the first is taken first
            if read in dying and (x := self.name(*read)) in self.owned:
                self.free[read[1]].append(x)
        given = [self.name(*read) for read in line.reads]
        known = self.results, self.page.names.bound
        result, own = (x.get(i) if frame == FULL else None for x in known)
        spare = self.free[frame] if line.ufunc else []
        into = result or (spare.pop() if spare else None)
        name = result or own or into
        if not name:
            name = self.texts[i] if line.word == "p" else next(self.names[line.word])
            self.owned |= {name} if line.word == "t" else set()
        self.called[line.made] = name
        if line.fills:
            pairs = [f"{name}[{at}] = {x}" for x, at in zip(given[::2], given[1::2])]
            return pairs if into else [f"{name} = {line.text}", *pairs]
        text = line.text.format(*given)
        if into and line.ufunc:
            op = self.nodes[i][0]
            if name == into == given[0] and op in SIGNS:
                return [f"{into} {SIGNS[op]}= {given[1]}"]
            last = f"out={into}" if op in ("max", "min") else into
            text = f"numpy.{line.ufunc}({', '.join([*given, last])})"
            return [text if name == into else f"{name} = {text}"]
        return [f"{name}[:] = {text}" if into else f"{name} = {text}"]


COLUMNS = '''class Checked(list[Any]):
    """The entries of columns that are bound, and what is computed of them alone."""

    reuse = False  # whether arrays of results are always those of the call before


@numpy.errstate(all="ignore")
def checked(missing: str, given: dict[str, tuple[Any, ...]]) -> list[Any]:
    """Return an array for each entry of a row of columns, which have one length."""
    if missing not in ("raise", "drop"):
        raise ValueError(f'missing is "raise" or "drop", not {missing!r}')
    found: dict[str, Any] = {}
    bad: Any = False  # the rows in which there is a nan
    for name, (column, *shape) in given.items():
        try:
            array: Any = numpy.asarray(column)
        except ValueError:
            raise ValueError(f"the rows of {name} differ in shape") from None
        is_masked = numpy.ma.is_masked(column)
        is_column = array.ndim and [*array.shape[1:]] == shape and not is_masked
        if array.dtype.kind not in "biuf" or not is_column:
            kind = f"{array.dtype} of shape {array.shape}{', masked' * is_masked}"
            raise ValueError(f"{name} is no column of numbers but {kind}")
        found[name] = array = array.astype(float, copy=False)
        first, rows = next(iter(found)), len(array)
        if rows != len(found[first]):
            told = f"{rows} rows, but {first} has {len(found[first])}"
            raise ValueError(f"{name} has {told}")
        if not rows:
            raise ValueError(f"{name} has 0 rows, but one is needed")
        if not isfinite(array.sum()):
            gone = numpy.isnan(array.reshape(rows, -1)).any(axis=1)
            if gone.any() and missing != "drop":
                raise ValueError(f"{name} is nan in row {gone.argmax()}")
            bad = bad | gone
    kept = [x if bad is False else x[~bad] for x in found.values()]
    if not len(kept[0]):
        raise ValueError("no row is left: each has a nan")
    return [numpy.ascontiguousarray(x) for array in kept for x in entries(array)]


def columns(**given: tuple[Any, ...]) -> Any:
    """Return columns, checked; those that are bound are."""
    first = next(iter(given.values()))[0]
    return first if isinstance(first, Checked) else checked("raise", given)


def entries(array: Any) -> list[Any]:
    """Return a column for each entry of the rows of an array."""
    columns = [array]
    while columns[0].ndim > 1:
        columns = [x for part in columns for x in part.swapaxes(0, 1)]
    return columns'''
RESULTS = '''def results(name: str, given: Any, out: Any, *shapes: tuple[int, ...]) -> list[Any]:
    """Return arrays for the results of a function: new ones, or those of its caller.

    Of what is bound they are those of the call before, if nobody holds them any more, nor
    a view of them.
    """
    if out is None:
        found: list[Any] = []
        for bound in given:
            if keeps := isinstance(bound, Checked):  # small ones are as fast anew
                keeps = bound.reuse or shapes[0][0] > 8192
                break
        if keeps:
            was, last = vars(bound).pop(name, ((), ()))
            count: Any = getattr(sys, "getrefcount", id)  # 2: that of a list, its own
            if was == shapes and (bound.reuse or max(map(count, last)) == 2):
                found += last
        for shape in () if found else shapes:
            found.append(numpy.empty(shape, order="F"))
        if keeps:
            vars(bound)[name] = shapes, [*found]  # others may look at it from now on
        return found
    found = [*out] if isinstance(out, (list, tuple)) else [out]
    others = [*found, *(x for part in given for x in part)]
    is_fit = [isinstance(x, numpy.ndarray) and x.shape for x in found] == [*shapes]
    is_fit = is_fit and all(x.dtype == float and x.flags.writeable for x in found)
    pairs = ((x, y) for k, x in enumerate(found) for y in others[k + 1 :])
    if not is_fit or any(numpy.shares_memory(*pair) for pair in pairs):
        told = f"float64 of shape {' and '.join(map(str, shapes))}"
        raise ValueError(f"out has to be {told}, writable and apart from all else")
    return [*map(numpy.asarray, found)]'''
OVER = '''@numpy.errstate(divide="raise", invalid="raise", over="raise")
def over(
    loop: Any,
    given: Any,
    *others: Any,
    out: Any = (),
    folds: Any = (),
    kept: Any = (None, None),
) -> list[float]:
    """Return what a loop over columns does, in blocks; an error tells of the row.

    It takes what the second of `kept` makes of columns, kept if the first are bound.
    """
    columns, rows, (bound, data), found = given, len(given[0]), kept, list[Any]()
    out = [x for array in out for x in entries(array)]
    if isinstance(bound, Checked):
        made = vars(bound)
        try:
            columns = made[data.__name__] = made.get(data.__name__) or data(*given)
            data = None
        except (ArithmeticError, ValueError):
            pass  # the row is told below

    def run(low: int, high: int, others: Any) -> Any:
        block, results = columns, out
        if high - low < rows:
            block, results = ([x[low:high] for x in part] for part in (columns, out))
        try:
            takes = *(data(*block) if data else block), *others, *results
            return None, loop(*takes) or ()
        except FloatingPointError as error:  # perhaps of what is large on the way alone
            with numpy.errstate(over="ignore"):
                takes = *(data(*block) if data else block), *others, *results
                sums = loop(*takes) or ()
            is_fine = all(numpy.isfinite(x).all() for x in (*results, *sums))
            return None if is_fine else error, sums

    def failed(low: int, high: int, others: Any) -> Any:
        try:
            return run(low, high, others)
        except (ArithmeticError, ValueError) as error:
            return error, ()

    size = rows // (rows // BLOCK + 1) + 1
    for low in range(0, rows or 1, size):
        high = min(low + size, rows)
        error, sums = failed(low, high, [*map(numpy.asarray, others)])  # fast ones
        for row in range(low, high) if error else ():
            fault, _ = failed(row, row + 1, [numpy.array(x) for x in others])
            if fault:
                called = kept[1] or loop  # perhaps one in an extension
                names = getattr(called, "__self__", called).__code__.co_varnames
                pairs = zip(names, [x[row] for x in given])
                told = ", ".join(f"{x.rstrip('s')[:-1]} = {y}" for x, y in pairs)
                raise type(fault)(f"{fault} in row {row}, {told}") from None
        if error and folds and not sums:
            raise error  # of what goes over the rows
        found.append(sums)  # perhaps what goes over all rows is not finite
    return [float(f(map(float, x))) for f, x in zip(folds, zip(*found))]'''
PLACES = '''def places(x: Any, n: Any) -> Any:
    """Return whole numbers as places among n entries."""
    is_none = ~((x >= 0.0) & (x < n) & (x == numpy.floor(x)))
    if is_none.any():
        raise ValueError(f"there is no entry {x[is_none][0]} of {int(n)}")
    return x.astype(int)'''
EACH = '''def each(function: Callable[..., float], *arrays: Any) -> Any:
    """Return what a function of numbers is of each row."""
    columns = [x.tolist() for x in numpy.broadcast_arrays(*arrays)]
    return numpy.fromiter(map(function, *columns), float)'''
POLYNOMIAL = '''def polynomial(x: Any, first: float, *others: float) -> Any:
    """Return a polynomial of each number, whose highest power comes first."""
    found = numpy.full(len(x), first)
    for coefficient in others:
        found *= x
        found += coefficient
    return found'''


def table(name: str) -> str:
    """A table of `portable` as a statement."""
    values = [*map(repr, vars(portable)[name])]
    rows = [f"    *{tupled(values[k : k + 3])}," for k in range(0, len(values), 3)]
    return "\n".join([f"{name} = (", *rows, ")"])


ERFC = f'''{table("ERFC_P")}


def array_erfc(x: Any) -> Any:
    """erfc, each to 6e-16 of itself: of exp(x*x)*(1 + 2*x)*erfc(x) a polynomial."""
    far = numpy.minimum(numpy.absolute(x), 40.0)
    near = numpy.rint(far * 16.0) / 16.0  # whose square is exact
    found = polynomial((far - 3.75) / (far + 3.75), *ERFC_P)
    found *= numpy.exp(-near * near)
    found *= numpy.exp((near - far) * (near + far))
    found /= 1.0 + 2.0 * far
    return numpy.where(x < 0.0, 2.0 - found, found)'''
ERF = f'''{table("ERF_P")}


def array_erf(x: Any) -> Any:
    """erf, each to 6e-16 of itself: a polynomial below 1, and beyond 1 - erfc."""
    near = numpy.maximum(numpy.minimum(x, 1.0), -1.0)
    t = numpy.square(near)
    far = numpy.copysign(1.0 - array_erfc(numpy.absolute(x)), x)
    return numpy.where(t < 1.0, near + near * polynomial(t, *ERF_P), far)'''
COSDIFF = '''def array_cosdiff(x: Any, y: Any) -> Any:
    """cos(x - y), with what rounding takes from the difference (Knuth's TwoSum)."""
    d = x - y
    back = x - d
    rest = x - (d + back) - (y - back)
    return numpy.cos(d) * numpy.cos(rest) - numpy.sin(d) * numpy.sin(rest)'''
CIRCLE = '''SINE_P = (
    *(1.58969099521155e-10, -2.5050760253406863e-08, 2.7557313707070068e-06),
    *(-0.0001984126982985795, 0.00833333333332249, -0.16666666666666632, 1.0),
)
COSINE_P = (
    *(-1.1359647557788195e-11, 2.087572321298175e-09, -2.7557314351390663e-07),
    *(2.480158728947673e-05, -0.001388888888887411, 0.0416666666666666, -0.5, 1.0),
)


def circle(x: Any) -> Any:
    """Return sine and cosine, each to 2 units in its last place: those of fdlibm."""
    if len(x) < 2048 or not numpy.absolute(x).max() < 1e6:
        return numpy.sin(x), numpy.cos(x)
    turns = numpy.rint(x * 0.6366197723675814)  # quarters of them
    r = x - turns * 1.5707963267341256  # of 33 bits, so that the product is exact
    r -= turns * 6.077100506303966e-11
    r -= turns * 2.0222662487959506e-21
    z, k = r * r, turns.astype(int)
    r *= polynomial(z, *SINE_P)
    z = polynomial(z, *COSINE_P)
    is_odd = (k & 1).astype(bool)
    sine, cosine = numpy.where(is_odd, z, r), numpy.where(is_odd, r, z)
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
FLAT = '''def flat(parts: Any) -> list[float]:
    """Return the numbers in nested tuples."""
    found = [flat(x) if isinstance(x, tuple) else [x] for x in parts]
    return [x for part in found for x in part]'''
BIND = '''class bind:
    """Columns and other data, checked and kept, and the functions of the parameters.

    These are one sequence in their order.
    """

    given: Callable[[Iterable[Any]], tuple[Any, ...]]
'''
METHOD = '''
    def {}(self, x: Iterable[Any]) -> Any:
        """Return {}"""
        {}'''
METHODS = {  # what is more than a call
    "value_and_grad": """value, found = value_and_grad(*self.given(x))
        return value, numpy.concatenate([numpy.ravel(x) for x in found])""",
    "value_grad_and_hessian": """value, *parts = value_grad_and_hessian(*self.given(x))
        slopes, entries = map(flat, parts)
        return value, numpy.array(slopes), numpy.reshape(entries, (len(slopes), -1))""",
}
LAST = {**MATRICES, "value_and_grad": "grad"}


class Blocks(Loops):
    """A function over columns in NumPy, as it is written."""

    helpers = (
        *(COLUMNS, NUMBERS, RESULTS, OVER, PLACES, EACH, ERF, ERFC, COSDIFF),
        *(CIRCLE, HALF, POLYNOMIAL, FLAT),
    )
    picked, plain, column_of = "float({})", "{}.tolist()", "numpy.array({})"
    zeroed, rising = "numpy.zeros({})", "numpy.arange(float({}))"
    keeps = apart = True
    bound = "Checked(checked(missing, dict({})))"
    words = (
        *(*Loops.words, "numpy", "sum", "out", "BLOCK"),
        *("dict", "self", "missing", "reuse", "given", "x", "WRT"),
    )

    def __init__(self, function: Function, own: set[str], origin: Origin) -> None:
        self.half = origin.half_angle
        super().__init__(function, own, origin)
        try:
            made = {x: Block(page, half=self.half) for x, page in self.data.items()}
            self.blocks = made  # of what depends on data alone
        except CycleError:
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
        self.whole: dict[str, str] = {}  # the entries of an array of results
        for column, name in zip(self.columns, self.arrays):
            ends = [", ".join(map(str, k)) for k in product(*map(range, column.shape))]
            texts = [f"{name}[:, {end}]" if end else name for end in ends]
            for place, text in zip(self._places(column), texts):
                self.targets.setdefault(place, []).append(text)
            if texts != [name]:
                self.whole[", ".join(texts)] = name
        for length in self.tables if self.columns else ():
            self.handles.setdefault(length, f"{self.free('bound')} = ")

    def accepted(self, item: Argument) -> str:
        """The type of an argument."""
        is_array = item.shape or item.elements[0].rows
        return "ArrayLike" if is_array else "float"

    def type(self, layout: Layout, several: bool = False) -> str:
        """The type of what is returned in a layout."""
        is_column = isinstance(layout, Column)
        return "NDArray[float64]" if is_column else super().type(layout, several)

    def options(self) -> list[str]:
        """Where results go, if they are columns; fitters take the value as a model."""
        takes_out = self.columns and self.name != "value"
        return ["*", "out: Any = None"] if takes_out else []

    def _allocated(self) -> Iterator[str]:
        """Statements that make the arrays of results, whose entries are contiguous."""
        if self.columns:
            bound = tupled([x.removesuffix(" = ") for x in self.handles.values()])
            takes = [f'"{self.name}"', bound, "out" if self.options() else "None"]
            for column in self.columns:
                size = f"len({self.first(column.length)})"
                takes.append(tupled([size, *map(str, column.shape)]))
            call = f"results({', '.join(takes)})"
            yield from statement(f"{assigned(self.arrays)} = ", call, depth=1)
        for column, name in zip(self.columns, self.arrays):
            if ZERO in column:
                yield f"    {name}[...] = 0.0"

    def call(self, loop: Loop) -> list[str]:
        """Statements that go over the rows with a loop."""
        part, sums, found = loop.part, [*loop.sums], [*self._grouped(loop)]
        filled = [self.targets[i, part.length] for i in part.roots]
        takes = [loop.name, tupled(loop.given), *loop.numbers.values(), *loop.groups]
        if filled:
            out = ", ".join([texts[0] for texts in filled])
            for entries, name in self.whole.items():
                out = re.sub(rf"\b{re.escape(entries)}", name, out)
            takes.append(f"out=[{out}]")
        if sums:
            folds = [REDUCE[op] for op in loop.sums.values()]
            takes.append(f"folds={tupled(folds)}")
        if part.data is not None:
            handle = self.handles[trimmed(part.length)[0]].removesuffix(" = ")
            takes.append(f"kept=({handle}, {loop.name}_data)")
        is_long = len(sums) > FEW
        head = f"{'found' if is_long else assigned(sums)} = " if sums else ""
        found += statement(head, f"over({', '.join(takes)})", depth=1)
        found += parted(sums, "found") if is_long else []
        for first, *others in filled:
            found += [f"    {text}[...] = {first}" for text in others]
        return found

    def loop(self, loop: Loop) -> list[str]:
        """What is done with a block of rows."""
        if loop.part.states:
            return super().loop(loop)
        part, found = loop.part, list[str]()
        folds = [self.split.nodes[i][0] for i in part.sums]
        if part.data is not None:
            found = self._data(f"{loop.name}_data", part, loop.columns)
            own = [i.name for i in part.program.inputs if i.rows]
            loop = loop._replace(columns=own)
        try:
            block = Block(loop.page, folds, loop.filled, [*loop.groups], self.half)
        except CycleError:  # it goes row by row, where arrays are slower than floats
            *body, last = super().loop(loop)
            head = next(k for k, line in enumerate(body, 1) if line[-1] == ":")
            lists = {i.name for i in part.program.inputs if i.kind == "list"}
            own = [x for x in loop.numbers if x not in lists]
            body[head:head] = [f"    {x} = float({x})" for x in own]
            if len(loop.sums) == 1:
                last = last.replace("return ", "return (") + ",)"
            return [*found, *body, last]
        takes = [*(loop.columns or ["rows"]), *loop.numbers]
        takes += [*loop.groups, *loop.filled]
        return [*found, *_defined(loop.name, takes, [*block.text()], block.sums)]

    def _data(self, name: str, part: Part, given: Sequence[str]) -> list[str]:
        """What depends on data alone, in a block of rows or in all."""
        block = self.blocks[part]
        body, made = [*block.text()], map(block.name, block.outputs)
        own = dict(zip(part.kept.values(), made))
        texts = [own.get(i.name, i.name) for i in part.program.inputs if i.rows]
        return [*_defined(name, given, body, texts), "", ""]

    def column(self, column: Column) -> str:
        """The text of a column of results."""
        return next(x for c, x in zip(self.columns, self.arrays) if c is column)


def _defined(
    name: str, takes: Sequence[str], body: Sequence[str], found: Sequence[str]
) -> list[str]:
    """A loop, whose types are left open, and what it returns, if anything."""
    head = statement("def ", f"{name}({', '.join(takes)})", ":")
    ends = statement("return ", tupled(found), depth=1) if found else []
    return [*head, *body, *ends]


def binding(functions: Sequence[Loops], wrt: Sequence[str]) -> Iterator[list[str]]:
    """The class that binds columns, for the functions of a module, if there are any."""
    first = functions[0]
    fixed = [item for item in first.items if item.name not in wrt]
    if not any(item.elements[0].rows for item in fixed):
        return
    types = [f"{first.called[item.name]}: {first.accepted(item)}" for item in fixed]
    options = ["*", 'missing: str = "raise"', "reuse: bool = False"]
    takes = ["self", *types, *(options if isinstance(first, Blocks) else ())]
    head = f"__init__({', '.join(takes)})"
    lines = [BIND, *statement("def ", head, " -> None:", depth=1)]
    lines += _keeping(functions, fixed)
    for name in [function.name for function in functions]:
        text = f"return {name}(*self.given(x))"
        text = METHODS.get(name, text) if isinstance(first, Blocks) else text
        if not any(i.shape or i.elements[0].rows for i in first.items if i.name in wrt):
            parts = "concatenate([numpy.ravel(x) for x in found])"
            text = text.replace(parts, "array(found)")
        lines.append(METHOD.format(name, DOCS[name].format(kind="formula"), text))
        if last := LAST.get(name):
            text = f"return self.{name}(x)[-1]"
            lines.append(METHOD.format(last, f"the last part of `{name}`.", text))
    yield lines


def _keeping(functions: Sequence[Loops], fixed: Sequence[Argument]) -> Iterator[str]:
    """The statements that check and keep what is bound."""
    first, bound = functions[0], dict[str, str]()
    is_array = isinstance(first, Blocks)
    own = {e.name for item in fixed for e in item.elements}
    own |= {item.elements[0].rows for item in fixed}
    read = [i for f in functions for i in f.split.inputs.values()]
    read = [i for i in read if i.kind in UNPASSED]
    if is_array and any((i.of or trimmed(i.rows)[0]) in own - {""} for i in read):
        yield '        if missing == "drop":'
        text = "no row can be left out: rows know of others"
        yield f'            raise ValueError("{text}")'
    for length, items in first.tables.items():
        if not (some := [item.name for item in items if item in fixed]):
            continue
        if others := [item.name for item in items if item not in fixed]:
            told = f"{some[0]} is not bound alone: {others[0]} has as many rows"
            yield f'        raise ValueError("{told}")'
            return
        bound |= dict.fromkeys(some, kept := first.free(f"{length}_bound"))
        call = first.bound.format(", ".join(map(first.given, items)))
        yield from statement(f"{kept} = ", call, depth=2)
        yield from [f"        {kept}.reuse = reuse"] * is_array
    takes, given = list[str](), list[str]()
    for item in first.items:
        names, shape = [bound.get(item.name, first.called[item.name])], item.shape
        if item in fixed or item.elements[0].rows:
            shape = ()
        elif shape:
            names = [first.split.entries[e.name] for e in item.elements]
        takes += names if item not in fixed else []
        given.append(nest(names, shape, tupled))
    yield from ["", "        def given(x: Iterable[Any]) -> tuple[Any, ...]:"]
    yield "            try:"
    yield from statement(f"{assigned(takes)} = ", "x", depth=4)
    yield "            except (TypeError, ValueError):"
    told = f'f"the {len(takes)} parameters {{WRT}} are one sequence"'
    yield f"                raise TypeError({told}) from None"
    yield from [*statement("return ", unwrapped(tupled(given)), depth=3), ""]
    yield "        self.given = given"
