"""The JavaScript target: an ES module that stands alone, with types in its comments.

It holds the formula in its first comment, the options and a digest below it, bodies of
the special functions that it calls, and the functions that were asked for, by the names
of Python in camel case. Arrays are `Float64Array`, or nested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from gradc.arrays import shape_of
from gradc.functions import DOCS, ZERO, Function, Layout
from gradc.spelling import JS
from gradc.targets.bodies import copies
from gradc.targets.c import called
from gradc.targets.interface import facts, typed
from gradc.targets.names import Page, pages
from gradc.targets.origin import Origin
from gradc.targets.printer import EXACT, Printer

_SHAPED = """/**
 * Refuse an array of another shape.
 * @param {string} name
 * @param {any} given
 * @param {number[]} shape
 */
function shaped(name, given, ...shape) {
    if (given?.length !== shape[0]) {
        const found = given?.length === undefined ? "no array" : `length ${given.length}`;
        throw new RangeError(`${name} has length ${shape[0]} but was given ${found}`);
    }
    for (let k = 0; k < given.length; k += 1) {
        if (shape.length > 1) {
            shaped(`${name}[${k}]`, given[k], ...shape.slice(1));
        } else if (typeof given[k] !== "number") {
            throw new RangeError(`${name}[${k}] is no number`);
        }
    }
}"""


def camel(name: str) -> str:
    """`value_and_grad` as `valueAndGrad`."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


class Script:
    """A module with some functions, `value` first, and derivatives by `wrt`.

    Raises:
        GradcError: something in them cannot be said in JavaScript.
    """

    def __init__(
        self, functions: Sequence[Function], wrt: Sequence[str], origin: Origin
    ) -> None:
        self.functions, self.wrt, self.origin = functions, wrt, origin
        program = functions[0].program
        never = {"columns": program.rows.lengths, "numpy": origin.numpy}
        never["outside"] = origin.outside != "raise"
        JS.refuse(program.source, never)
        self.called = called(functions, JS)
        names = {"INPUTS", "WRT", "RESULTS", "ROWS", "COLUMNS", "shaped", "Number"}
        names |= {camel(f.name) for f in functions} | {
            JS.called(x) for x in self.called
        }
        self.pages = [*pages(functions, names, JS)]

    def text(self) -> str:
        """The module."""
        parts = [[*self._facts()], *[[body] for body in copies(self.called, JS)]]
        written = [[*self._function(page)] for page in self.pages]
        if any(line.startswith("    shaped(") for lines in written for line in lines):
            parts.append([_SHAPED])
        text = "\n\n".join("\n".join(lines) for lines in [*parts, *written])
        return self.origin.signed([f.name for f in self.functions], f"{text}\n", JS)

    def _facts(self) -> Iterator[str]:
        """The names of arguments and results, and where entries of a matrix stand."""
        told = facts(self.functions, self.wrt, self.origin.flat)
        for name, items in told.items():
            texts = json.dumps([*items], ensure_ascii=False)
            kind = "number" if name in ("ROWS", "COLUMNS") else "string"
            note = "" if items else f"/** @type {{{kind}[]}} */ "
            yield f"{note}export const {name} = {texts};"

    def _function(self, page: Page) -> Iterator[str]:
        """The lines of a function."""
        function, printer = page.function, Printer(page)
        body, checks = printer.lines(1), list[str]()
        texts = iter([printer.texts[i] for i in page.schedule.outputs])
        yield "/**"
        yield f" * Return {DOCS[function.name].format(kind=self.origin.kind)}"
        if function.places is not None:
            yield " * A matrix is its entries at ROWS and COLUMNS."
        takes = []
        for name, _, own in function.arguments():
            takes.append(page.names.parameters[name])
            type = typed(own, "number", "ArrayLike<{}>", "[{}]")
            yield f" * @param {{{type}}} {takes[-1]}"
            checks += _checks(name, takes[-1], own)
        returns = typed(function.layout, "number", "{}[]", "[{}]", EXACT)
        yield f" * @returns {{{returns}}}"
        yield " */"
        yield f"export function {camel(function.name)}({', '.join(takes)}) {{"
        text = _shown(function.layout, lambda k: "0.0" if k == ZERO else next(texts))
        yield from [*checks, *body, *printer.statement("return ", text, 1, ";"), "}"]


def _checks(quoted: str, given: str, own: Any) -> Iterator[str]:
    """Statements that refuse arrays of other shapes, perhaps side by side."""
    if isinstance(own, str):
        return
    if (shape := shape_of(own)) is not None:
        yield f"    shaped({', '.join([json.dumps(quoted), given, *map(str, shape)])});"
        return
    for k, part in enumerate(own):
        yield from _checks(f"{quoted}[{k}]", f"{given}[{k}]", part)


def _shown(layout: Layout, leaf: Any) -> str:
    """The text of a layout as nested arrays."""
    if isinstance(layout, int):
        return str(leaf(layout))
    return f"[{', '.join([_shown(part, leaf) for part in layout])}]"
