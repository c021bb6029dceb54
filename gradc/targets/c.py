"""The C target: functions of C99 that stand alone, over `math.h`, and their header.

A file holds the formula in its first comment, the options and a digest below it,
prototypes, bodies of the special functions that it calls, and the functions that were
asked for. A number is returned; arrays are filled, row by row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from gradc.arrays import leaves
from gradc.errors import GradcError, mistake
from gradc.functions import DOCS, ZERO, Function
from gradc.ir import grouped
from gradc.spelling import C, Language, spelling
from gradc.targets import bodies
from gradc.targets.bodies import filled
from gradc.targets.kernels import PARTS, VECTORS, Kernel, opened, parts_of, prototype
from gradc.targets.names import Page, Result, cut, fixed, pages
from gradc.targets.origin import Origin, parted
from gradc.targets.printer import Printer

_OPEN = ["#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
_CLOSE = ["", "#ifdef __cplusplus", "}", "#endif"]
_APART = [
    "#ifdef __GNUC__",
    "#define GRADC_APART static __attribute__((noinline)) void",
    "#else",
    "#define GRADC_APART static void",
    "#endif",
]
_OURS = re.compile(  # names that C keeps for itself, and macros of its headers
    r"_[_A-Z]|(M|FP|MATH|EXIT|RAND|FD|MB)_|SNAN|HUGE_VAL|MAXFLOAT|NFDBITS|BYTE_ORDER"
    r"|[A-Z]+_ENDIAN|W[A-Z]{4}|alloca|math_errhandling"
)


class Parts:
    """How a function of C takes and returns what one of Python does.

    Attributes:
        takes: its parameters, of which the last are filled.
        parts: the name of each part that is filled or returned, with its outputs.
        is_number: whether the first part is returned.
    """

    def __init__(self, page: Page) -> None:
        function, names = page.function, page.names
        self.name = function.name
        found = parts_of(function)
        words = [names.free(x) for x in PARTS.get(self.name, "value").split()]
        self.is_number = isinstance(found[0], int)
        self.parts = [(x, [*leaves(part)]) for x, part in zip(words, found)]
        self.given: list[str] = []
        self.takes: list[str] = []
        for name, _, own in function.arguments():
            called, size = names.parameters[name], len([*leaves(own)])
            self.given.append(called)
            is_number = isinstance(own, str)
            self.takes.append(
                f"double {called}" if is_number else f"const double {called}[{size}]"
            )
        self.takes += [
            f"double {x}[{len(own)}]" for x, own in self.parts[self.is_number :] if own
        ]

    def head(self, prefix: str, end: str) -> list[str]:
        """The first lines, or a prototype."""
        return prototype(f"{prefix}_{self.name}", self.takes, self.is_number, end)


def named(stem: str) -> str:
    """The stem of a file as names of C begin."""
    return re.sub(r"\W|^(?=\d)", "_", stem)


class Source:
    """A C file with some functions, whose names begin with a prefix.

    Raises:
        GradcError: something in them cannot be said in C.
    """

    def __init__(
        self,
        functions: Sequence[Function],
        wrt: Sequence[str],
        origin: Origin,
        stem: str = "formula",
    ) -> None:
        program = functions[0].program
        is_told = origin.outside != "raise" or origin.numpy
        own = {"numpy" if origin.numpy else "outside": is_told and not origin.native}
        for name, is_on in own.items():
            if is_on:
                raise mistake("target_never", program.source, name=name, target="C")
        self.functions, self.wrt, self.origin = functions, wrt, origin
        self.prefix = named(stem)
        self.called = called(functions, C)
        reserved = {C.called(name) for name in self.called}
        reserved |= {f"{self.prefix}_{f.name}" for f in functions}
        names = {i.array or i.name for f in functions for i in f.program.inputs}
        names |= {x for f in functions for x in f.program.names.values()}
        reserved |= {x for x in names if _OURS.match(x)}
        self.kernels = list[Kernel]()
        if functions[0].is_columnar:
            reserved |= {f"vector_{x}" for x in VECTORS}
            for function in functions:
                try:
                    self.kernels.append(Kernel(function, reserved, origin))
                except GradcError:
                    if not origin.native:  # which has loops of its own
                        raise
        self.pages = (
            [] if functions[0].is_columnar else [*pages(functions, reserved, C)]
        )
        self.heads = [Parts(page) for page in self.pages]

    @cached_property
    def digest(self) -> str:
        """That of the functions alone."""
        return parted(self.text())[0]

    @cached_property
    def written(self) -> list[list[str]]:
        """The lines of each function."""
        return [[*self._function(*pair)] for pair in zip(self.pages, self.heads)]

    def text(self, ends: Sequence[str] = ()) -> str:
        """The file, perhaps with something at its end."""
        lines = ["#include <math.h>", "", *_OPEN, *self._declared(), *_CLOSE]
        loops = [line for x in self.kernels for line in ("", *x.function(self.prefix))]
        if self.functions[0].is_columnar:
            lines.insert(1, "#include <stddef.h>")
            lines += opened({*re.findall(r"\w+", "\n".join([*loops, *ends]))})
        if any(line.startswith("GRADC_APART") for own in self.written for line in own):
            lines += ["", *_APART]
        for body in bodies.copies(self.called, C):
            lines += ["", *body.split("\n")]
        for own in self.written:
            lines += ["", *own]
        lines += loops
        for name, places in self._tables().items():
            start, tail = f"const int {name}[{len(places)}] = {{", "};"
            lines += ["", *filled(f"{start}{', '.join(places)}{tail}")]
        return self._signed([*lines, *ends])

    def header(self) -> str:
        """The header that belongs to it."""
        guard = f"{self.prefix.upper()}_H"
        lines = [f"#ifndef {guard}", f"#define {guard}", ""]
        lines += ["#include <stddef.h>", ""] if self.kernels else []
        lines += _OPEN
        lines += [*self._declared(), *_CLOSE, "", f"#endif  // {guard}"]
        return self._signed(lines)

    def _signed(self, lines: Sequence[str]) -> str:
        facts = "\n".join([*self._facts(), "", *lines, ""])
        return self.origin.signed([f.name for f in self.functions], facts, C)

    def _facts(self) -> Iterator[str]:
        """The names of arguments and results."""
        program = self.functions[0].program
        facts: dict[str, list[tuple[str, Any]]] = {
            "INPUTS": [(i.name, i.shape) for i in grouped(program.inputs)],
            "WRT": [(name, ()) for name in self.wrt],
            "RESULTS": [(r.name, r.shape) for r in program.results],
        }
        for word, items in facts.items():
            texts = [x + "".join(f"[{n}]" for n in shape) for x, shape in items]
            if any(x for x, _ in items):
                yield from filled(f"// {word}: {', '.join(texts)}", "//     ")

    def _declared(self) -> Iterator[str]:
        """Prototypes, and where the entries of sparse matrices stand."""
        heads: list[Parts | Kernel] = [*self.heads, *self.kernels]
        for head in heads:
            yield from head.head(self.prefix, ";")
        for name, places in self._tables().items():
            yield f"extern const int {name}[{len(places)}];"

    def _tables(self) -> dict[str, list[str]]:
        """The rows and the columns of the entries of sparse matrices."""
        found = {}
        for page, head in zip(self.pages, self.heads):
            for k, word in enumerate(("rows", "columns")):
                places = [str(place[k]) for place in page.function.places or ()]
                if places:
                    found[f"{self.prefix}_{head.parts[-1][0]}_{word}"] = places
        return found

    def _function(self, page: Page, head: Parts) -> Iterator[str]:
        """The lines of a function, behind those that are cut off a long one."""
        nodes, results = iter(page.schedule.outputs), list[Result]()
        for part, (name, outputs) in enumerate(head.parts):
            for k, leaf in enumerate(outputs):
                is_returned = part == 0 and head.is_number
                text = "return " if is_returned else f"{name}[{k}] = "
                results.append(Result(text, None if leaf == ZERO else next(nodes)))
        results.sort(key=lambda result: result.head == "return ")
        pieces, arrays = cut(page, results)
        printer, written = Printer(page), list[list[str]]()
        for piece in pieces:
            lines = printer.lines(1, [x for x in piece if not isinstance(x, Result)])
            for text, i in [x for x in piece if isinstance(x, Result)]:
                shown = "0.0" if i is None else printer.texts[i]
                lines += printer.statement(text, shown, 1, ";")
            written.append(lines)
        calls = [f"    {array} = {{0}};" for array in arrays]
        every = {x.partition("[")[0].split(" ")[-1]: x for x in head.takes + arrays}
        for k, lines in enumerate(written[:-1], 1):
            name = f"{self.prefix}_{head.name}_{k}"
            read = words(lines)
            own = {x: takes for x, takes in every.items() if x in read}
            takes = ", ".join(own.values()).replace(" ", "\0").replace(",\0", ", ")
            yield from filled(f"GRADC_APART {name}({takes}) {{", " " * 8)
            yield from [*lines, "}", ""]
            calls += filled(f"\0\0\0\0{name}({', '.join(own)});", " " * 8)
        yield f"// Return {DOCS[head.name].format(kind=self.origin.kind)}"
        if page.function.places:
            matrix = head.parts[-1][0]
            places = f"{self.prefix}_{matrix}_rows and {self.prefix}_{matrix}_columns"
            yield from filled(f"// The {matrix} is its entries at {places}.", "// ")
        yield from head.head(self.prefix, " {")
        body = [*calls, *written[-1]]
        read = words(body)
        yield from (f"    (void){x};" for x in head.given if x not in read)
        yield from [*body, "}"]


def words(lines: Sequence[str]) -> set[str]:
    """The words of some lines, but for remarks."""
    return {*re.findall(r"\w+", "\n".join(x.partition("//")[0] for x in lines))}


def called(functions: Sequence[Function], language: Language) -> set[str]:
    """What functions call in a language, by its names in Python.

    Raises:
        GradcError: a row has no spelling there; the message shows the place.
    """
    seen, found = set[tuple[str, int]](), set[str]()
    ours = language.functions.keys() | bodies.functions().keys()
    ours |= {name for name, one in bodies.FIXED if one is language}
    for program in (f.program for f in functions):
        known = fixed(program)[2]  # which are numbers
        for i, (op, *args) in enumerate(program.nodes):
            if i not in known and op in program.ops and (op, len(args)) not in seen:
                seen.add((op, len(args)))
                names = {""}
                with suppress(GradcError):
                    names = {*spelling(program.ops[op], len(args), language).names}
                if names - ours:
                    at = program.source, program.spans[i] or (0, 0)
                    said: Any = {"text": program.ops[op].signature}
                    said["target"] = language.title
                    raise mistake("spelling_missing", *at, **said)
                found |= names
    return found
