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
from gradc.targets.kernels import VECTORS, Head, Kernel, opened, parts_of, words
from gradc.targets.names import Page, Result, cut, fixed, pages
from gradc.targets.origin import Origin, parted
from gradc.targets.printer import Printer, filled

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
    r"_[_A-Z]|GRADC_|(M|FP|MATH|EXIT|RAND|FD|MB)_|SNAN|HUGE_VAL|MAXFLOAT|NFDBITS|BYTE_ORDER"
    r"|[A-Z]+_ENDIAN|W[A-Z]{4}|alloca|math_errhandling"
)


class Plain:
    """A function of numbers and arrays in C, as it is written.

    Attributes:
        parts: the name of each part that is filled or returned, with its outputs.
        is_number: whether the first part is returned.
        head: with its parameters, of which the last are filled.
        sparse: the name of a matrix of which it fills the entries at `places` alone.
    """

    def __init__(self, page: Page) -> None:
        self.page, self.name = page, page.function.name
        names, parts = page.names, parts_of(page.function)
        self.parts = [(names.free(word), [*leaves(part)]) for word, part in parts]
        self.places = page.function.places or ()
        self.sparse = self.parts[-1][0] if self.places else ""
        self.is_number, takes = isinstance(parts[0][1], int), list[str]()
        for name, _, own in page.function.arguments():
            size = "" if isinstance(own, str) else f"[{len([*leaves(own)])}]"
            head = f"{'const ' * bool(size)}double"
            takes.append(f"{head} {names.parameters[name]}{size}")
        filled = [part for part in self.parts[self.is_number :] if part[1]]
        takes += [f"double {x}[{len(own)}]" for x, own in filled]
        self.head = Head(self.name, takes, "double" if self.is_number else "void")

    def pieces(self, prefix: str) -> tuple[list[str], list[str]]:
        """The functions that are cut off a long one, and what remains of its body."""
        nodes, results = iter(self.page.schedule.outputs), list[Result]()
        for part, (name, outputs) in enumerate(self.parts):
            for k, leaf in enumerate(outputs):
                is_returned = part == 0 and self.is_number
                text = "return " if is_returned else f"{name}[{k}] = "
                results.append(Result(text, None if leaf == ZERO else next(nodes)))
        results.sort(key=lambda result: result.head == "return ")
        pieces, arrays = cut(self.page, results)
        printer, found = Printer(self.page), list[list[str]]()
        for piece in pieces:
            lines = printer.lines(1, [x for x in piece if not isinstance(x, Result)])
            for text, i in [x for x in piece if isinstance(x, Result)]:
                shown = "0.0" if i is None else printer.texts[i]
                lines += printer.statement(text, shown, 1, ";")
            found.append(lines)
        *others, last = found
        before, calls = list[str](), [f"    {array} = {{0}};" for array in arrays]
        every = Head("", [*self.head.takes, *arrays]).named
        for k, lines in enumerate(others, 1):
            name, read = f"{self.name}_{k}", words(lines)
            own = {x: takes for x, takes in every.items() if x in read}
            head = Head(name, [*own.values()], kind="GRADC_APART")
            before += [*head.lines(prefix, " {"), *lines, "}", ""]
            call = f"\0\0\0\0{prefix}_{name}({', '.join(own)});"
            calls += filled(call, " " * 8)
        return before, calls + last


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
        self.functions, self.wrt, self.origin = functions, wrt, origin
        self.program, self.prefix = functions[0].program, named(stem)
        never = {"numpy": origin.numpy, "outside": origin.outside != "raise"}
        never["bind"] = "bind" in (origin.emit or ())
        C.refuse(self.program.source, {} if origin.native else never)
        self.called = called(functions, C)
        self.is_columnar = functions[0].is_columnar
        self.reserved = {C.called(name) for name in self.called}
        self.reserved |= {f"{self.prefix}_{f.name}" for f in functions}
        self.reserved |= {f"vector_{x}" for x in VECTORS if self.is_columnar}
        names = {i.array or i.name for f in functions for i in f.program.inputs}
        names |= {x for f in functions for x in f.program.names.values()}
        self.reserved |= {x for x in names if _OURS.match(x)}
        self.made = list[Kernel | Plain]()
        if not self.is_columnar:
            self.made += map(Plain, pages(functions, self.reserved, C))
            return
        for function in functions:
            try:
                self.made.append(Kernel(function, self.reserved, origin))
            except GradcError:
                if not origin.native:  # which has loops of its own
                    raise

    @cached_property
    def digest(self) -> str:
        """That of the functions alone."""
        return parted(self.text())[0]

    @cached_property
    def written(self) -> list[str]:
        """The lines of the functions."""
        return [line for one in self.made for line in ("", *self._function(one))]

    def text(self, ends: Sequence[str] = ()) -> str:
        """The file, perhaps with something at its end."""
        lines = ["#include <math.h>", "", *_OPEN, *self._declared(), *_CLOSE]
        read = words([*self.written, *ends])
        if self.is_columnar:
            lines.insert(1, "#include <stddef.h>")
            lines += opened(read)
        if any(line.startswith("GRADC_APART") for line in self.written):
            lines += ["", *_APART]
        for body in bodies.copies({x for x in self.called if C.called(x) in read}, C):
            lines += ["", *body.split("\n")]
        lines += self.written
        for name, places in self._tables().items():
            start, tail = f"const int {name}[{len(places)}] = {{", "};"
            lines += ["", *filled(f"{start}{', '.join(places)}{tail}")]
        return self._signed([*lines, *ends])

    def header(self) -> str:
        """The header that belongs to it."""
        guard = f"{self.prefix.upper()}_H"
        lines = [f"#ifndef {guard}", f"#define {guard}", ""]
        lines += ["#include <stddef.h>", ""] if self.is_columnar and self.made else []
        lines += _OPEN
        lines += [*self._declared(), *_CLOSE, "", f"#endif  // {guard}"]
        return self._signed(lines)

    def _signed(self, lines: Sequence[str]) -> str:
        facts = "\n".join([*self._facts(), "", *lines, ""])
        return self.origin.signed([f.name for f in self.functions], facts, C)

    def _facts(self) -> Iterator[str]:
        """The names of arguments and results."""
        facts: dict[str, list[tuple[str, Any]]] = {
            "INPUTS": [(i.name, i.shape) for i in grouped(self.program.inputs)],
            "WRT": [(name, ()) for name in self.wrt],
            "RESULTS": [(r.name, r.shape) for r in self.program.results],
        }
        for word, items in facts.items():
            texts = [x + "".join(f"[{n}]" for n in shape) for x, shape in items]
            if any(x for x, _ in items):
                yield from filled(f"// {word}: {', '.join(texts)}", "//     ")

    def _declared(self) -> Iterator[str]:
        """Prototypes, and where the entries of sparse matrices stand."""
        for one in self.made:
            yield from one.head.lines(self.prefix, ";")
        for name, places in self._tables().items():
            yield f"extern const int {name}[{len(places)}];"

    def _tables(self) -> dict[str, list[str]]:
        """The rows and the columns of the entries of sparse matrices."""
        return {
            f"{self.prefix}_{one.sparse}_{word}": [
                str(place[k]) for place in one.places
            ]
            for one in self.made
            for k, word in enumerate(("rows", "columns"))
            if one.sparse
        }

    def _function(self, one: Kernel | Plain) -> Iterator[str]:
        """The lines of a function, behind those that are cut off a long one."""
        before, body = one.pieces(self.prefix)
        yield from before
        yield f"// Return {DOCS[one.name].format(kind=self.origin.kind)}"
        if one.sparse:
            start, text = f"{self.prefix}_{one.sparse}", f"// The {one.sparse} is its"
            text += f" entries at {start}_rows and {start}_columns."
            yield from filled(text, "// ")
        yield from one.head.lines(self.prefix, " {")
        read = words(body)
        yield from (f"    (void){x};" for x in one.head.named if x not in read)
        yield from [*body, "}"]


def called(functions: Sequence[Function], language: Language) -> set[str]:
    """What functions call in a language, by its names in Python.

    Raises:
        GradcError: a row has no spelling there; the message shows the place.
    """
    found = set[str]()
    ours = {*language.functions, *bodies.functions(), "undefined"}
    for program in (f.program for f in functions):
        known = fixed(program)[2]  # which are numbers
        for i, (op, *args) in enumerate(program.nodes):
            if i not in known and op in program.ops:
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
