"""The Python target: a module that is the formula, on the standard library alone.

It holds the formula in its docstring, the options and a digest below it, the constants
that are computed once, copies of the special functions it uses, and the functions that
were asked for. A name that the author gave to something else is not called: what has it
in the module gets another one.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from gradc.arithmetic import FLOATS
from gradc.arrays import leaves
from gradc.functions import ZERO, Function, filled
from gradc.ir import CONDITIONS, LAZY, Argument, Program, grouped, varying
from gradc.passes.schedule import WIDTH, Schedule, schedule
from gradc.spelling import ATOM, UNARY, origin
from gradc.targets.copies import Copied, copied
from gradc.targets.interface import (
    Parameter,
    by,
    defined,
    one_line,
    parameters,
    returned,
    unpacking,
)
from gradc.targets.names import Lives, Names, lives
from gradc.targets.origin import Origin
from gradc.targets.outside import Outside
from gradc.targets.pieces import LONGEST, pieces
from gradc.targets.printer import Phrases, Printer, assignment, literal
from gradc.targets.wrappers import IMPORTS, of_numpy, wrapped

RESERVED = frozenset(keyword.kwlist) | {"__debug__"}
_ROOM = 40  # columns of a constant that may stand inside another
_TITLE = 24  # columns of a constant's name
_WORDS = ((".0", ""), (" / ", " over "), (" - ", " less "), (" + ", " plus "))
_DOCS = {
    "value": "the value of the {kind}.",
    "value_and_grad": "the value and its gradient, in the order of WRT.",
    "value_and_jacobian": "the value and its Jacobian, in the order of WRT.",
    "value_grad_and_hessian": "the value, its gradient and its Hessian, by WRT.",
    "hvp": "the Hessian times v, both like the gradient.",
    "jvp": "the Jacobian times v, which is nested like a gradient.",
    "vjp": "v times the Jacobian; v is nested like the value.",
}
_SPARSE = {
    "value_and_jacobian": "the value, and the Jacobian's entries at ROWS and COLUMNS.",
    "value_grad_and_hessian": "value, gradient, and Hessian at ROWS and COLUMNS.",
}


def module(functions: Sequence[Function], wrt: Sequence[str], origin: Origin) -> str:
    """Print a module.

    Arguments:
        functions: those it has, `value` first.
        wrt: the inputs that get a derivative, in order.
        origin: what the text embeds, so that the module can be made again.

    Raises:
        GradcError: conditions that wait for each other, too many to take apart.
    """
    found = _Module(functions, wrt, origin)
    text = found.text()
    vars(found).clear()  # its parts refer to it, and the collector may be held
    return text


def schedules(functions: Sequence[Function]) -> list[Schedule]:
    """The statements of functions, as the module has them."""
    return [page.schedule for page in pages(functions)]


class Scope:
    """What the functions of one program share: names, and the texts of its leaves."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = Names(program, RESERVED)
        self.fixed = fixed(program)[0]
        self.leaves = [""] * len(program.nodes)
        self.widths = self.names.widths()
        self.inputs: dict[int, str] = {}
        for i, node in enumerate(program.nodes):
            if node[0] == "const":
                self.leaves[i] = literal(node[1])
            elif node[0] == "input":
                self.leaves[i] = self.inputs[i] = self.names.elements[node[1]]
            if self.leaves[i]:
                self.widths[i] = len(self.leaves[i])
            elif self.fixed[i]:
                self.widths[i] = _TITLE // 2


class Page(NamedTuple):
    """A function as it is written: its statements, their steps, and its variables."""

    scope: Scope
    function: Function
    schedule: Schedule
    lives: Lives
    assigned: dict[int, str]


def pages(functions: Sequence[Function]) -> Iterator[Page]:
    """Functions, put in order."""
    scopes: dict[int, Scope] = {}
    for function in functions:
        program = function.program
        scope = scopes.setdefault(id(program), Scope(program))
        shown = (k for k in leaves(function.layout) if k != ZERO)
        outputs = tuple([program.outputs[k] for k in shown])
        found = schedule(program, outputs, scope.fixed, scope.widths)
        steps = lives(found)
        yield Page(scope, function, found, steps, scope.names.assign(found, steps))


def fixed(program: Program) -> tuple[list[bool], list[int]]:
    """Which nodes are computed at import, and which constants have no finite value."""
    ops, varies = program.ops, varying(program.nodes)
    found, broken = [False] * len(program.nodes), []
    values: dict[int, float] = {}
    for i, (op, *args) in enumerate(program.nodes):
        if op == "const":
            values[i] = args[0]
        elif varies[i] or op in LAZY or op in CONDITIONS or {*args} - values.keys():
            continue
        else:
            try:
                value = float(FLOATS.compute(ops[op], ops)(*[values[a] for a in args]))
            except (ArithmeticError, ValueError):
                value = math.nan
            if math.isfinite(value):
                found[i], values[i] = True, value
            else:
                broken.append(i)
    return found, broken


class _Module:
    def __init__(
        self, functions: Sequence[Function], wrt: Sequence[str], origin: Origin
    ) -> None:
        self.wrt = wrt
        self.origin = origin
        self.pages = [*pages(functions)]
        self.program = functions[0].program
        self.arguments = grouped(self.program.inputs)
        self.locals: set[str] = set()  # the names of all arguments and variables
        for page in self.pages:
            self.locals.update(page.scope.names.taken, page.assigned.values())
        self.called: set[str] = set()  # what the functions call, by its own name
        self.named: dict[str, str] = {}  # the names of constants by their texts
        self.phrases = Phrases(self.program.ops, self.spell)
        self.outside = Outside(origin.outside, functions[0].layout, self.spell)

    def spell(self, name: str) -> str:
        """What something of the module, or imported, is called in its functions."""
        self.called.add(name)
        while name in self.locals:
            name = f"_{name}"
        return name

    def _free(self, name: str) -> str:
        """The name of a variable that nothing else has."""
        while name in self.locals:
            name += "_"
        return name

    # ---- the parts of the text, from the inside out

    def text(self) -> str:
        last = {id(page.scope): page for page in self.pages}
        constants = [line for page in last.values() for line in self._constants(page)]
        written = [lines for page in self.pages for lines in self._function(page)]
        copies = copied(n for n in self.called if origin(n) == "special")
        if self.outside.row:
            constants.append(f"{self.spell('_NONE')} = {one_line(self.outside.row)}")
        head = [self._imports(copies), self._facts(), copies.constants]
        body = [[text] for text in copies.functions] + [self._aliases("special")]
        (body if copies.functions else head).append(constants)
        body += [*written, self._aliases("module")]
        start = "\n\n".join("\n".join(part) for part in head if part)
        rest = "\n\n\n".join("\n".join(part) for part in body if part)
        names = [page.function.name for page in self.pages]
        what = " and its gradient" if names[1:] == ["value_and_grad"] else ""
        what = what or " and its derivatives" * (len(names) > 1)
        facts = [*self._facts_of_arguments()]
        return self.origin.signed(what, facts, f"{start}\n\n\n{rest}\n")

    def _facts_of_arguments(self) -> Iterator[str]:
        """What is to be known of arguments, a line for those that have the same."""
        facts: dict[str, list[str]] = {}
        for item in self.arguments:
            known, domain = [by(item.shape)] * bool(item.shape), item.elements[0].domain
            if item.name not in self.wrt:
                known.append("data, gets no derivative")
            if self.origin.flat and item.name in self.wrt:
                known += _contents(item)
            elif domain:
                known.append(f"in {domain}")
            name = self.pages[0].scope.names.parameters[item.name]
            facts.setdefault("; ".join(known), []).append(name)
        facts.pop("", None)
        for text, names in facts.items():
            yield f"{', '.join(names)}: {text}"

    def _imports(self, copies: Copied) -> list[str]:
        found: dict[str, set[str]] = {"math": {*copies.math}}
        for name in self.called:
            where, other = origin(name), self.spell(name)
            where = where if where != "math" or hasattr(math, name) else ""
            if where == "math" or (where == "builtins" and other != name):
                renamed = f"{name} as {other}" if other != name else name
                found.setdefault(where, set()).add(renamed)
        if "floats" in self.called:
            found |= {"typing": {"Any"}, "collections.abc": {"Sequence"}}
        lines: list[str] = []
        for where, names in sorted(found.items()):
            line = f"from {where} import {', '.join(sorted(names))}"
            inner = [f"    {name}," for name in sorted(names)]
            parts = [f"from {where} import (", *inner, ")"]
            lines += ([line] if len(line) <= WIDTH else parts) if names else []
        if self.origin.numpy:
            numpy = self.spell("numpy")
            lines += [
                "",
                "import numpy" + f" as {numpy}" * (numpy != "numpy"),
                *IMPORTS,
            ]
        return lines

    def _facts(self) -> list[str]:
        """The names of arguments and results, and where entries of a matrix stand."""
        named = {item.name: item.elements for item in self.arguments}
        wrt = [*self.wrt]
        if self.origin.flat:
            wrt = [element.name for name in self.wrt for element in named[name]]
        results = [result.name for result in self.program.results]
        facts: dict[str, Sequence[str | int]] = {"INPUTS": [*named], "WRT": wrt}
        if any(results):
            facts["RESULTS"] = results
        for page in self.pages:
            places = page.function.places
            if places is not None:
                facts["ROWS"] = [row for row, _ in places]
                facts["COLUMNS"] = [column for _, column in places]
        return [line for name, items in facts.items() for line in _listed(name, items)]

    def _aliases(self, where: str) -> list[str]:
        """Other names for functions of the module whose own name the formula uses."""
        own = {page.function.name for page in self.pages}
        own |= {f"_{name}" for name in own}
        pairs = ((self.spell(name), name) for name in sorted(self.called))
        return [
            f"{other} = {name}"
            for other, name in pairs
            if other != name and where == ("module" if name in own else origin(name))
        ]

    def _constants(self, page: Page) -> list[str]:
        """What no input changes, each with a name, in the order of their use.

        Arguments:
            page: the last function of its program, which uses all that the others do.
        """
        program, leaves, last = page.scope.program, page.scope.leaves, page.lives.last
        lines: list[str] = []
        uses = {i: 2 * (last[i] >= 0) for i, on in enumerate(page.scope.fixed) if on}
        for i in reversed(uses):
            for a in program.nodes[i][1:] if uses[i] else ():
                if a in uses:
                    uses[a] += 1
        levels = [UNARY if text[:1] == "-" else ATOM for text in leaves]
        for i in (i for i, count in uses.items() if count):
            node = program.nodes[i]
            if len(node) == 1:
                leaves[i] = self.spell(node[0])
                continue
            text, levels[i] = self.phrases.write(node, leaves, levels)
            if uses[i] > 1 or len(text) > _ROOM:
                if text not in self.named:
                    self.named[text] = self._title(text)
                    lines += assignment(self.named[text], text, "")
                text, levels[i] = self.named[text], ATOM
            leaves[i] = text
        return lines

    def _title(self, text: str) -> str:
        """A name that says what a constant is, `_LOG_2`, and that nothing else has."""
        for sign, word in _WORDS:
            text = text.replace(sign, word)
        name = "_" + re.sub(r"[\W_]+", "_", text).strip("_").upper()
        first, begin = (name, f"{name}_") if len(name) <= _TITLE else ("_C1", "_C")
        name, count = first, 1
        while name in self.locals:
            count += 1
            name = f"{begin}{count}"
        self.locals.add(name)
        return name

    # ---- functions

    def _function(self, page: Page) -> list[list[str]]:
        """The lines of a function, and of those that go on where it is too long."""
        scope, function = page.scope, page.function
        takes = parameters(function, scope.names)
        if self.origin.numpy:
            takes = [of_numpy(parameter) for parameter in takes]
        total, long = self.origin.outside != "raise", len(page.lives.targets) > LONGEST
        found, depth = self._free("found"), 2 if total and not long else 1
        printer = Printer(page.schedule, scope.leaves, page.assigned, self.phrases)
        body = printer.lines(depth)
        texts = iter([printer.texts[i] for i in page.schedule.outputs])
        result = filled(function.layout, lambda k: "0.0" if k == ZERO else next(texts))
        body += returned(result, depth, "return " if depth == 1 else f"{found} = ")
        docs = _DOCS if function.places is None else _SPARSE
        doc = f"Return {docs[function.name].format(kind=self.origin.kind)}"
        name, unpacked = self._inner(function.name), [*unpacking(takes, self.spell)]
        lines: list[list[str]] = []
        if long:
            own = self._free(f"_{name}_1") if total else name
            lines = self._pieces(page, own, body, printer.tops)
            lines[0] = [
                *defined(own, takes, function.layout, doc),
                *unpacked,
                *lines[0],
            ]
            body = [f"        {found} = {own}({_names(takes)})"]
        if total:
            value = self.spell(self._inner("value"))
            call = f"{value}({_names(takes[: len(self.arguments)])})"
            body = self.outside.ended(function, body, found, call)
        if total or not long:
            head = defined(name, takes, function.layout, doc)
            lines = [[*head, *unpacked, *body], *lines]
        around = wrapped(function, takes, doc, self.spell) if self.origin.numpy else []
        return [*around, *lines]

    def _inner(self, name: str) -> str:
        """The function that computes, which with arrays stands inside another."""
        return f"_{name}" if self.origin.numpy else name

    def _pieces(
        self, page: Page, name: str, body: Sequence[str], starts: Sequence[int]
    ) -> list[list[str]]:
        """The body of a long function, and the functions that it goes on in."""
        inputs, kept = page.scope.inputs, self._free("kept")
        names = {**inputs, **page.assigned}
        given = [*inputs.values()]
        found = pieces(page.schedule, names, given, body, starts, kept)
        takes = [Parameter(kept, "list[float]", kept)]
        for k, part in enumerate(found):
            if k:
                doc, before = f"Go on where {name} ends.", found[k - 1]
                name = self._free(f"_{self._inner(page.function.name)}_{k + 1}")
                before.append(f"    return {name}({kept})")
                part[:0] = defined(name, takes, page.function.layout, doc)
        return found


def _names(takes: Sequence[Parameter]) -> str:
    return ", ".join(parameter.name for parameter in takes)


def _listed(name: str, items: Sequence[str | int]) -> list[str]:
    """A tuple of constants with a name."""
    texts = [str(x) if isinstance(x, int) else f'"{x}"' for x in items]
    line = f"{name} = ({', '.join(texts)}{',' * (len(texts) == 1)})"
    if len(line) <= WIDTH:
        return [line]
    return [f"{name} = (", *(f"    {text}," for text in texts), ")"]


def _contents(item: Argument) -> Iterator[str]:
    """What stands in a flat sequence: numbers, and the elements of arrays."""
    for _, group in groupby(item.elements, lambda e: e.name.partition("[")[0]):
        first, *others = group
        name = f"{first.name} to {others[-1].name}" if others else first.name
        yield f"{name} in {first.domain}" if first.domain else name
