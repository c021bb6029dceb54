"""Columns in C: a function goes over their rows in loops, and allocates nothing.

    double fit_value(size_t n_rows, const double *t, double a) {
        double s1 = 0.0;
        GRADC_ROWS(omp simd reduction(+ : s1))
        for (size_t k = 0; k < n_rows; k++) {
            double t_ = t[k];
            s1 += vector_exp(a * t_);
        }
        return s1;
    }

A column of rows with several entries is read row by row; one of results holds its first
entry for all rows, then the next. Where GRADC_SIMD is defined, and the C library has
vectors of its functions, several rows are computed at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from gradc.functions import ZERO, Column, Function
from gradc.ir import Input, Program, trimmed
from gradc.ops import BOTTOM, BY, PRODUCT, TOP, TOTAL
from gradc.passes.split import Part, Split
from gradc.spelling import C
from gradc.targets.columns import Loops, columns_of
from gradc.targets.names import Page
from gradc.targets.origin import Origin
from gradc.targets.printer import Printer, filled

# What glibc 2.35 and later have for several numbers at once.
VECTORS = """
acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 expm1 hypot log
log10 log1p log2 pow sin sinh tan tanh
""".split()
ROWS = replace(C, functions={**C.functions, **{x: f"vector_{x}" for x in VECTORS}})
# What a sum begins with, its sign among reductions, and how a row goes into it; where
# there is no number, that remains.
_FOLD = {
    TOTAL: ("0.0", "+", "{0} += ", "{1}"),
    PRODUCT: ("1.0", "*", "{0} *= ", "{1}"),
    TOP: ("-HUGE_VAL", "max", "{0} = ", "{0} != {0} || {1} <= {0} ? {0} : {1}"),
    BOTTOM: ("HUGE_VAL", "min", "{0} = ", "{0} != {0} || {1} >= {0} ? {0} : {1}"),
}
# What stands in a file before functions over columns.
OPEN = """#ifdef GRADC_SIMD
#define GRADC_ROWS(...) _Pragma(#__VA_ARGS__)
#else
#define GRADC_ROWS(...)
#endif"""
GLIBC = "__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 35)"
Targets = dict[tuple[int, str], list[str]]


class Head(NamedTuple):
    """The head of a function in C, which returns a number or fills what it takes last."""

    name: str
    takes: Sequence[str]
    kind: str = "void"

    def lines(self, prefix: str, end: str) -> list[str]:
        """The first lines, or a prototype."""
        every = ", ".join(x.replace(" ", "\0") for x in self.takes) or "void"
        text = f"{self.kind}\0{prefix}_{self.name}({every}){end}"
        return filled(text, "    " if end == ";" else "        ")

    @property
    def named(self) -> dict[str, str]:
        """The parameters by their names."""
        return {re.findall(r"\w+", x.partition("[")[0])[-1]: x for x in self.takes}


def words(lines: Sequence[str]) -> set[str]:
    """The words of some lines, but for remarks."""
    return {*re.findall(r"\w+", "\n".join(x.partition("//")[0] for x in lines))}


def opened(words: Set[str]) -> Iterator[str]:
    """What stands before functions over columns that mention some words."""
    yield from ("", *OPEN.splitlines())
    if vectors := [x for x in VECTORS if f"vector_{x}" in words]:
        known = "defined(GRADC_SIMD) && defined(__x86_64__) && !defined(__clang__)"
        yield from ("", f"#if {known} && \\", f"    ({GLIBC})")
        simd = '__attribute__((simd("notinbranch"), const, nothrow))'
        for x in vectors:
            takes = "double, double" if x in ("atan2", "hypot", "pow") else "double"
            yield from filled(
                f'extern double vector_{x}({takes}) __asm__("{x}") {simd};'
            )
        yield from ("#else", *[f"#define vector_{x} {x}" for x in vectors], "#endif")


def parts_of(function: Any) -> list[tuple[str, Any]]:
    """What is returned or filled one after the other: what it is called, and its layout."""
    if function.vector is not None:
        return [("product", function.layout)]
    words = function.name.replace("_and", "").split("_")
    return [*zip(words, function.layout if words[1:] else [function.layout])]


class Kernel(Loops):
    """A function over columns in C, as it is written.

    Attributes:
        head: with its parameters, of which the last are filled.

    Raises:
        GradcError: it needs columns beside those of its caller: it has states, or what it
            sums by groups is no result; or what it reads at a column is none of those.
    """

    languages = C, ROWS
    words = ("k", "size_t")
    sparse, places = "", ()  # no matrix is

    def __init__(self, function: Function, own: set[str], origin: Origin) -> None:
        # Vectors round in another way, so no row might be the largest any more.
        if function.program.operations & {TOP, BOTTOM}:
            self.languages = C, C
        super().__init__(function, own, origin)
        self.sizes = {x: self.free(f"{x}_rows") for x in self.tables}
        for name in self.lists.values():  # of lists that there are not
            self.taken -= {name, f"{name}s"}
        self.targets: Targets = {}  # of results, by node
        self.ends = list[tuple[str, int]]()  # the heads of numbers that are results
        self.zeros = list[tuple[str, str]]()  # entries that are zero in all rows
        takes = [f"size_t {size}" for size in self.sizes.values()]
        takes += [self._accepted(name, item) for name, item in self.takes]
        for word, part in parts_of(self):
            columns = [*columns_of(part)]
            numbers = [x[0] for x in columns if not x.length]
            if numbers and not isinstance(part, int):
                name = self.free(word)
                takes.append(f"double {name}[{len(numbers)}]")
                self.ends += [(f"{name}[{j}] = ", x) for j, x in enumerate(numbers)]
            for column in [x for x in columns if x.length]:
                name = self.free(word if len(columns) == 1 else column.name)
                takes.append(f"double *{name}")
                self._fills(name, column)
        returned = [x for _, x in parts_of(self)[:1] if isinstance(x, int)]
        self.ends += [("return ", x) for x in returned]
        self.head = Head(self.name, takes, "double" if returned else "void")
        self._require()

    def _require(self) -> None:
        """Refuse what would need columns beside those of the caller."""
        parts, inputs = self.split.parts, self.split.inputs
        sums = [(i, self.split.rows[i]) for part in parts for i in part.sums]
        groups = [x for x in sums if self.split.nodes[x[0]][0] == BY]
        read = [i for part in parts for i in part.program.inputs if i.kind == "list"]
        others = [i for i in read if inputs[i.of].array or inputs[i.of].of]
        never = {
            "states": any(part.states for part in parts),
            "sums by groups beside the results": {*groups} - self.targets.keys(),
            "rows of several, or other ones, read at a column": others,
        }
        C.refuse(self.split.program.source, never)

    def _page(self, program: Program) -> Page:
        page = super()._page(program)
        if page.names.language is C:  # what stands between loops is declared once
            self.taken |= {*page.assigned.values()}
        return page

    def _accepted(self, name: str, item: Any) -> str:
        """A parameter for what the caller passes."""
        if item.elements[0].rows:
            return f"const double *{name}"
        size = f"[{prod(item.shape)}]" if item.shape else ""
        return f"{'const ' * bool(size)}double {name}{size}"

    def _fills(self, name: str, column: Column) -> None:
        """Note where the entries of a column of results stand."""
        for j, (node, length) in enumerate(self._places(column)):
            base, cut = trimmed(length)
            size = f"({self.sizes[base]} - {cut})" if cut else self.sizes[base]
            start = f"{f'{j} * ' * (j > 1)}{size} + " if j else ""
            if node == ZERO:
                self.zeros.append((length, f"{name}[{start}k]"))
            else:
                text = f"{name}[{start}{{}}]"
                self.targets.setdefault((node, length), []).append(text)

    def pieces(self, prefix: str) -> tuple[list[str], list[str]]:
        """Nothing that stands before it, and its body."""
        body, printer = [*self._opened()], Printer(self.pages[-1])
        for part, page in zip(self.split.parts, self.pages):
            body += (self._looped if part.length else self._between)(part, page)
        for length, text in self.zeros:
            body += self._cleared(length, text)
        for head, x in self.ends:
            body += printer.statement(head, self._number(x), 1, ";")
        return [], body

    def _opened(self) -> Iterator[str]:
        """Statements for the numbers that are no parameters."""
        for item in self.split.program.inputs:
            own, text = self.split.entries[item.name], ""
            if item.rows or own not in self.read:
                continue
            if item.kind == "length":
                text = f"(double){self._size(item.name)}"
            elif item.of:
                place = int(item.name.removeprefix(item.of)[1:-1])
                size = self.sizes[self.split.inputs[item.of].rows]
                k = f"{size} - {-place}" if place < 0 else str(place)
                enough = max(-place, place + 1)
                text = f"{size} >= {enough} ? {self._entry(item.of, k)} : NAN"
            elif item.array:
                text = self._entry(item.name, "")
            if text:
                yield f"    double {own} = {text};"

    def _entry(self, name: str, k: str) -> str:
        """The text of an input, in the row `k` of columns."""
        item = next(x for x in self.items if name in [e.name for e in x.elements])
        j = [e.name for e in item.elements].index(name)
        if not item.shape:
            return f"{self.called[item.name]}[{k}]"
        row = f"{len(item.elements)} * {f'({k})' if ' ' in k else k}" if k else ""
        end = f" + {j}" if row and j else str(j) if not row else ""
        return f"{self.called[item.name]}[{row}{end}]"

    def _read(self, item: Input) -> str:
        """The text of what a loop reads in its row."""
        if not item.of:  # an earlier loop has made it
            node = next(i for i, x in self.split.names.items() if x == item.name)
            return self.targets[node, self.split.rows[node]][0].format("k")
        source = self.split.inputs[item.of]
        if source.kind == "index":
            return "(double)k"
        first = source.name.removeprefix(source.of)[1:].partition(":")[0]
        k = f"k + {first}" if source.of and first else "k"
        return self._entry(source.of or source.name, k)

    def _size(self, length: str) -> str:
        """The number of rows of a length."""
        base, cut = trimmed(length)
        size = self.sizes[base]
        return f"({size} > {cut} ? {size} - {cut} : 0)" if cut else size

    def _for(self, length: str) -> str:
        """The head of a loop over rows."""
        return f"    for (size_t k = 0; k < {self._size(length)}; k++) {{"

    def _cleared(self, length: str, text: str) -> list[str]:
        """A loop that makes zeros."""
        return [self._for(length), f"        {text.format('k')} = 0.0;", "    }"]

    def _looped(self, part: Part, page: Page) -> Iterator[str]:
        """The statements of a loop over rows, and those before it."""
        for i in [i for i in part.sums if self.split.nodes[i][0] == BY]:
            for text in self.targets[i, self.split.rows[i]]:
                yield from self._cleared(self.split.rows[i], text)
        reads = dict[str, str]()
        for item in part.program.inputs:
            if item.kind == "list":
                text = f"const double *{item.name} = &{self._entry(item.of, '0')};"
                reads[item.name] = text
            elif item.rows:
                reads[item.name] = f"double {item.name} = {self._read(item)};"
        nodes, length = self.split.nodes, part.length
        there = {(i, length): list[str]() for i in part.roots if nodes[i][0] == BY}
        targets, head = {**self.targets, **there}, self._for(length)
        yield from looped(self.split, part, page, targets, reads, head)


def looped(
    split: Split,
    part: Part,
    page: Page,
    targets: Targets,
    reads: Mapping[str, str],
    head: str,
) -> Iterator[str]:
    """The statements of a loop over rows.

    Arguments:
        targets: where nodes are written, by the length in whose rows they stand.
        reads: the statements that read what a row has.
        head: that of the loop.
    """
    body, signs = [*_row(split, part, page, targets)], dict[str, list[str]]()
    if not body:
        return
    for i in part.sums:
        if (op := split.nodes[i][0]) != BY:
            start, sign, *_ = _FOLD[op]
            signs.setdefault(sign, []).append(split.names[i])
            yield f"    double {split.names[i]} = {start};"
    if not any(split.nodes[i][0] == BY for i in part.sums):
        ends = [f" reduction({x} : {', '.join(names)})" for x, names in signs.items()]
        yield f"    GRADC_ROWS(omp simd{''.join(ends)})"
    read = words(body)
    yield head
    yield from [f"        {text}" for name, text in reads.items() if name in read]
    yield from [*body, "    }"]


def _row(split: Split, part: Part, page: Page, targets: Targets) -> Iterator[str]:
    """The statements of a row behind those that read it."""
    named, nodes, printer = split.names, split.nodes, Printer(page)
    texts = iter([printer.texts[k] for k in page.schedule.outputs])
    sums = {i: next(texts) for i in part.sums}
    roots = [(targets[i, part.length], next(texts)) for i in part.roots]
    if not sums and not any(places for places, _ in roots):
        return
    yield from printer.lines(2)
    for i, text in sums.items():
        op = nodes[i][0]
        row = split.free(f"{named[i]}_row") if op in (BY, TOP, BOTTOM) else ""
        if op == BY:
            keys = [next(texts) for _ in split.key(i)]
            entry = f"{C.called('entry')}({', '.join(keys)})" if keys[1:] else keys[0]
            yield from printer.statement(f"double {row} = ", entry, 2, ";")
            yield f"        if ({row} >= 0.0) {{"
            for target in targets[i, split.rows[i]]:
                head = f"{target.format(f'(size_t){row}')} += "
                yield from printer.statement(head, text, 3, ";")
            yield "        }"
            continue
        if op in (TOP, BOTTOM):
            yield from printer.statement(f"double {row} = ", text, 2, ";")
            text = row
        head, text = (x.format(named[i], text) for x in _FOLD[op][2:])
        yield from printer.statement(head, text, 2, ";")
    for places, text in roots:
        for place in places:
            yield from printer.statement(f"{place.format('k')} = ", text, 2, ";")
