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
from typing import Any

from gradc.errors import mistake
from gradc.functions import DOCS, ZERO, Column, Function
from gradc.ir import Input, Program, trimmed
from gradc.ops import BOTTOM, BY, PRODUCT, TOP, TOTAL
from gradc.passes.split import Part, Split
from gradc.spelling import C
from gradc.targets.bodies import filled
from gradc.targets.columns import Loops, columns_of
from gradc.targets.names import Page
from gradc.targets.origin import Origin
from gradc.targets.printer import Printer

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
PARTS = {  # what is returned or filled
    "value_and_grad": "value grad",
    "value_and_jacobian": "value jacobian",
    "value_grad_and_hessian": "value grad hessian",
    "value_grad_and_error": "value grad error",
    **dict.fromkeys(("hvp", "jvp", "vjp"), "product"),
}


def prototype(name: str, takes: Sequence[str], is_number: bool, end: str) -> list[str]:
    """The first lines of a function that returns a number or nothing, or its prototype."""
    every = ", ".join(x.replace(" ", "\0") for x in takes) or "void"
    text = f"{'double' if is_number else 'void'}\0{name}({every}){end}"
    return filled(text, "    " if end == ";" else "        ")


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


def parts_of(function: Any) -> Sequence[Any]:
    """The layouts of what is returned or filled one after the other."""
    return function.layout if function.name.startswith("value_") else [function.layout]


class Kernel(Loops):
    """A function over columns in C, as it is written.

    Attributes:
        parameters: in their order, of which the last are filled.
        is_number: whether it returns the value.
        filled: what is filled, the outputs of each array of numbers, or a column.

    Raises:
        GradcError: it needs columns beside those of its caller: it has states, or what it
            sums by groups is no result; or what it reads at a column is none of those.
    """

    languages = C, ROWS
    words = ("k", "size_t")

    def __init__(self, function: Function, own: set[str], origin: Origin) -> None:
        # Vectors round in another way, so no row might be the largest any more.
        if function.program.operations & {TOP, BOTTOM}:
            self.languages = C, C
        super().__init__(function, own, origin)
        self.sizes = {x: self.free(f"{x}_rows") for x in self.tables}
        parts = parts_of(self)
        words = PARTS.get(self.name, self.name).split()
        self.is_number = isinstance(parts[0], int)
        self.targets: Targets = {}  # of results, by node
        self.filled = list[Sequence[int]]()
        self.ends = list[tuple[str, int]]()  # the texts of numbers that are results
        self.zeros = list[tuple[str, str]]()  # entries that are zero in all rows
        self.parameters = [f"size_t {size}" for size in self.sizes.values()]
        self.parameters += [self._accepted(name, item) for name, item in self.takes]
        for word, part in zip(words, parts):
            columns = [*columns_of(part)]
            numbers = [x[0] for x in columns if not x.length]
            if numbers and not (word == "value" and self.is_number):
                name = self.free(word)
                self.parameters.append(f"double {name}[{len(numbers)}]")
                self.filled.append(numbers)
                self.ends += [(f"{name}[{j}]", x) for j, x in enumerate(numbers)]
            for column in [x for x in columns if x.length]:
                places = self._places(column)
                known = None if column.shape else self.lists.get(places[0])
                name = known or self.free(column.name)
                name = self.free(word) if len(columns) == 1 else name
                self.parameters.append(f"double *{name}")
                self.filled.append(column)
                self._fills(name, column)
        self._require()

    def _require(self) -> None:
        """Refuse what would need columns beside those of the caller."""
        parts, inputs = self.split.parts, self.split.inputs
        lists = [
            inputs[i.of] for p in parts for i in p.program.inputs if i.kind == "list"
        ]
        never = {
            "states": any(part.states for part in parts),
            "sums by groups beside the results": any(
                self._lost(part, i) for part in parts for i in part.sums
            ),
            "rows of several, or other ones, read at a column": any(
                item.array or item.of for item in lists
            ),
        }
        for text in [text for text, is_on in never.items() if is_on]:
            source = self.split.program.source
            raise mistake("target_never", source, name=text, target="C")

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

    def _lost(self, part: Part, i: int) -> bool:
        """Whether a node sums by groups, and is no result."""
        own = (i, self.split.rows[i])
        return self.split.nodes[i][0] == BY and own not in self.targets

    def head(self, prefix: str, end: str) -> list[str]:
        """The first lines, or a prototype."""
        return prototype(f"{prefix}_{self.name}", self.parameters, self.is_number, end)

    def function(self, prefix: str) -> Iterator[str]:
        """Its lines."""
        body, printer = [*self._opened()], Printer(self.pages[-1])
        for part, page in zip(self.split.parts, self.pages):
            body += (
                self._looped(part, page) if part.length else self._between(part, page)
            )
        for length, text in self.zeros:
            body += [self._for(length), f"        {text} = 0.0;", "    }"]
        for text, x in self.ends:
            body += printer.statement(f"{text} = ", self._number(x), 1, ";")
        yield f"// Return {DOCS[self.name].format(kind='formula')}"
        yield from self.head(prefix, " {")
        if self.is_number:
            value: Any = parts_of(self)[0]
            body += printer.statement("return ", self._number(value), 1, ";")
        words = {*re.findall(r"\w+", "\n".join(x.partition("//")[0] for x in body))}
        names = [re.findall(r"\w+", x.partition("[")[0])[-1] for x in self.parameters]
        yield from (f"    (void){x};" for x in names if x not in words)
        yield from [*body, "}"]

    def _opened(self) -> Iterator[str]:
        """Statements for the numbers that are no parameters."""
        for item in self.split.program.inputs:
            own = self.split.entries[item.name]
            if item.rows or own not in self.read:
                continue
            if item.kind == "length":
                base, cut = trimmed(item.name)
                size = self.sizes[base]
                text = f"{size} > {cut} ? (double)({size} - {cut}) : 0.0"
                yield f"    double {own} = {text if cut else f'(double){size}'};"
            elif item.of:
                place = item.name.removeprefix(item.of)[1:-1]
                size = self.sizes[self.split.inputs[item.of].rows]
                is_last = place[0] == "-"
                k = f"{size} - {place[1:]}" if is_last else place
                enough = int(place[1:]) if is_last else int(place) + 1
                text = f"{size} >= {enough} ? {self._entry(item.of, k)} : NAN"
                yield f"    double {own} = {text};"
            elif item.array:
                yield f"    double {own} = {self._entry(item.name, '')};"

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
        if not item.of:
            return self.targets[self._node(item.name)][0].format("k")
        source = self.split.inputs[item.of]
        if source.kind == "index":
            return "(double)k"
        first = source.name.removeprefix(source.of)[1:].partition(":")[0]
        k = f"k + {first}" if source.of and first else "k"
        return self._entry(source.of or source.name, k)

    def _node(self, name: str) -> tuple[int, str]:
        """The node of a name, and the length in whose rows it stands."""
        found = next(i for i, x in self.split.names.items() if x == name)
        return found, self.split.rows[found]

    def _for(self, length: str) -> str:
        """The head of a loop over rows."""
        base, cut = trimmed(length)
        size = self.sizes[base]
        end = f"({size} > {cut} ? {size} - {cut} : 0)" if cut else size
        return f"    for (size_t k = 0; k < {end}; k++) {{"

    def _looped(self, part: Part, page: Page) -> Iterator[str]:
        """The statements of a loop over rows, and those before it."""
        for i in part.sums:
            length = self.split.rows[i]
            for text in self.targets[i, length] if length else ():
                yield self._for(length)
                yield from (f"        {text.format('k')} = 0.0;", "    }")
        reads = dict[str, str]()
        for item in part.program.inputs:
            if item.kind == "list":
                reads[item.name] = (
                    f"const double *{item.name} = &{self._entry(item.of, '0')};"
                )
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
    words = {*re.findall(r"\w+", "\n".join(x.partition("//")[0] for x in body))}
    yield head
    yield from [f"        {text}" for name, text in reads.items() if name in words]
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
