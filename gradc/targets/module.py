"""The Python target: a module that is the formula, on the standard library alone.

It holds the formula in its docstring, the options and a digest below it, the constants
that are computed once, copies of the special functions it uses, and the functions that
were asked for. `extract` finds formula and options again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import keyword
import math
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from textwrap import dedent
from typing import NamedTuple

from gradc import __version__, special
from gradc.functions import ZERO, Function, Layout, filled, numbers
from gradc.ir import CONDITIONS, LAZY, Argument, Program, grouped, varying
from gradc.passes.schedule import WIDTH, Schedule, schedule
from gradc.spelling import ATOM, UNARY, functions
from gradc.spelling import origin as origin_of
from gradc.targets.interface import (
    EXACT,
    VALUES,
    Nested,
    Parameter,
    by,
    one_line,
    parameters,
    returned,
    returns,
    signature,
    unpacking,
)
from gradc.targets.names import Lives, Names, lives
from gradc.targets.pieces import LONGEST, pieces
from gradc.targets.printer import Phrases, Printer, assignment, escape, literal
from gradc.targets.wrappers import IMPORTS, of_numpy, wrapped

RESERVED = frozenset(keyword.kwlist) | {"__debug__"}
OUTSIDE = ("raise", "nan", "inf")
_OFF = "# fmt: off  # ruff: noqa"
_DIGEST = "# digest: "
_OPTIONS = "# options: "
_ARGUMENTS = "\n\nArguments:\n"
_SWITCHES = ("strict", "sparse", "flat", "numpy")
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


@dataclass(frozen=True)
class Origin:
    """What a module was compiled from: the formula's text and the options."""

    formula: str
    wrt: tuple[str, ...] | None = None
    strict: bool = False
    outside: str = "raise"
    emit: tuple[str, ...] | None = None
    sparse: bool = False
    flat: bool = False
    numpy: bool = False
    recorded: str = ""  # the Python function, if it is no formula

    @property
    def kind(self) -> str:
        """What it is that was compiled."""
        return "recorded function" if self.recorded else "formula"


def module(functions: Sequence[Function], wrt: Sequence[str], origin: Origin) -> str:
    """Print a module.

    Arguments:
        functions: those it has, `value` first.
        wrt: the inputs that get a derivative, in order.
        origin: what the text embeds, so that the module can be made again.

    Raises:
        GradcError: conditions that wait for each other, too many to take apart.
    """
    return _Module(functions, wrt, origin).text()


def schedules(functions: Sequence[Function]) -> list[Schedule]:
    """The statements of functions, as the module has them."""
    return [page.schedule for page in pages(functions)]


class _Scope:
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

    def page(self, function: Function) -> Page:
        """A function, put in order."""
        shown = [k for k in numbers(function.layout) if k != ZERO]
        outputs = tuple(self.program.outputs[k] for k in shown)
        found = schedule(self.program, outputs, self.fixed, self.widths)
        steps = lives(found)
        return Page(self, function, found, steps, self.names.assign(found, steps))


class Page(NamedTuple):
    """A function as it is written: its statements, their steps, and its variables."""

    scope: _Scope
    function: Function
    schedule: Schedule
    lives: Lives
    assigned: dict[int, str]


def pages(functions: Sequence[Function]) -> list[Page]:
    """Functions as they are written, in their order."""
    scopes: dict[int, _Scope] = {}
    for function in functions:
        if id(function.program) not in scopes:
            scopes[id(function.program)] = _Scope(function.program)
    return [scopes[id(function.program)].page(function) for function in functions]


def fixed(program: Program) -> tuple[list[bool], list[int]]:
    """Which nodes are computed at import, and which constants have no finite value."""
    computes, varies = functions(program.ops), varying(program.nodes)
    found, broken = [False] * len(program.nodes), []
    values: dict[int, float] = {}
    for i, (op, *args) in enumerate(program.nodes):
        if op == "const":
            values[i] = args[0]
        elif not varies[i] and op not in LAZY and op not in CONDITIONS:
            if all(a in values for a in args):
                try:
                    values[i] = float(computes[op](*[values[a] for a in args]))
                except (ArithmeticError, ValueError):
                    values[i] = math.nan
                found[i] = math.isfinite(values[i])
                if not found[i]:
                    del values[i]
                    broken.append(i)
    return found, broken


class _Called:
    """The functions that a module calls; `taken` are names that they may not have."""

    def __init__(self, taken: Set[str]) -> None:
        self.names: set[str] = set()
        self._taken = taken

    def spell(self, name: str) -> str:
        """The name of a function as the module's functions call it."""
        self.names.add(name)
        called = name
        while called in self._taken:
            called = f"_{called}"
        return called


class _Module:
    def __init__(
        self, functions: Sequence[Function], wrt: Sequence[str], origin: Origin
    ) -> None:
        self.wrt = wrt
        self.origin = origin
        self.pages = pages(functions)
        self.program = functions[0].program
        self.arguments = grouped(self.program.inputs)
        self.locals: set[str] = set()  # the names of all arguments and variables
        for page in self.pages:
            self.locals.update(page.scope.names.taken, page.assigned.values())
        self.called = _Called(self.locals)
        self.none: Sequence[Nested] = []  # a row of what stands where there is no value
        self.again: dict[str, str] = {}  # functions with another name at the end
        self.named: dict[str, str] = {}  # the names of constants by their texts
        self.phrases = Phrases(self.program.ops, self.called.spell)

    # ---- the parts of the text, from the inside out

    def text(self) -> str:
        last = {id(page.scope): page for page in self.pages}
        constants = [line for page in last.values() for line in self._constants(page)]
        written = [lines for page in self.pages for lines in self._function(page)]
        copies = copied({n for n in self.called.names if origin_of(n) == "special"})
        head = [self._imports(copies), self._facts(), [*copies.constants]]
        body = [text.split("\n") for text in copies.functions]
        if aliases := self._aliases():
            body.append(aliases)
        if self.none:
            none = one_line(self.none, VALUES)
            constants.append(f"{self._unused('_NONE')} = {none}")
        (body if copies.functions else head).append(constants)
        body += written
        if self.again:
            body.append([f"{new} = {name}" for name, new in self.again.items()])
        start = "\n\n".join("\n".join(part) for part in head if part)
        functions = "\n\n\n".join("\n".join(part) for part in body if part)
        return _signed(self._docstring(), f"{start}\n\n\n{functions}\n", self.origin)

    def _docstring(self) -> str:
        names = [page.function.name for page in self.pages]
        what = " and its derivatives" if len(names) > 1 else ""
        if names[1:] == ["value_and_grad"]:
            what = " and its gradient"
        title = f'"""A {self.origin.kind}{what}, compiled by gradc {__version__}.'
        body = self.origin.recorded or embedded(self.origin.formula)
        facts = "\n".join(self._facts_of_arguments())
        return f"{title}\n\n{_in_docstring(body)}{facts and _ARGUMENTS + facts}\n" '"""'

    def _facts_of_arguments(self) -> Iterator[str]:
        """What is to be known of arguments, a line for those that have the same."""
        facts: dict[str, list[str]] = {}
        for item in self.arguments:
            known = [by(item.shape)] if item.shape else []
            known += ["data, gets no derivative"] * (item.name not in self.wrt)
            domain = item.elements[0].domain
            known += [f"in {domain}"] if domain else []
            flat = self.origin.flat and item.name in self.wrt
            known = [*known[:1], *_contents(item)] if flat else known
            name = self.pages[0].scope.names.parameters[item.name]
            facts.setdefault("; ".join(known), []).append(name)
        facts.pop("", None)
        for text, names in facts.items():
            yield f"    {', '.join(names)}: {text}"

    def _imports(self, copies: Copied) -> list[str]:
        spell, used = self.called.spell, self.called.names
        found: dict[str, set[str]] = {"math": {*copies.math}}
        for name in used:
            origin, other = origin_of(name), spell(name)
            if origin == "math" or (origin == "builtins" and other != name):
                renamed = f"{name} as {other}" if other != name else name
                found.setdefault(origin, set()).add(renamed)
        if "floats" in used:
            found |= {"typing": {"Any"}, "collections.abc": {"Sequence"}}
        lines = [line for n in sorted(found) for line in _from(n, sorted(found[n]))]
        if self.origin.numpy:
            numpy = self._unused("numpy")
            as_other = f" as {numpy}" if numpy != "numpy" else ""
            lines += ["", f"import numpy{as_other}", *IMPORTS]
        return lines

    def _facts(self) -> list[str]:
        """The names of arguments and results, and where entries of a matrix stand."""
        named = {item.name: item.elements for item in self.arguments}
        wrt = [*self.wrt]
        if self.origin.flat:
            wrt = [element.name for name in self.wrt for element in named[name]]
        facts = {"INPUTS": [*map(_quoted, named)], "WRT": [*map(_quoted, wrt)]}
        if any(result.name for result in self.program.results):
            facts["RESULTS"] = [_quoted(result.name) for result in self.program.results]
        for places in (page.function.places for page in self.pages):
            if places is not None:
                facts["ROWS"] = [str(row) for row, _ in places]
                facts["COLUMNS"] = [str(column) for _, column in places]
        return [line for name in facts for line in _listed(f"{name} = ", facts[name])]

    def _aliases(self) -> list[str]:
        """Other names for copied functions whose own name the formula uses."""
        pairs = [(self.called.spell(name), name) for name in sorted(self.called.names)]
        return [f"{s} = {n}" for s, n in pairs if s != n and origin_of(n) == "special"]

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
        for i in uses:
            node = program.nodes[i]
            if not uses[i]:
                continue
            if len(node) == 1:
                leaves[i] = self.called.spell(node[0])
                continue
            text, levels[i] = self.phrases.write(node, leaves, levels)
            if uses[i] > 1 or len(text) > _ROOM:
                if text not in self.named:
                    self.named[text] = self._constant_name(text)
                    lines += assignment(self.named[text], text, "")
                text, levels[i] = self.named[text], ATOM
            leaves[i] = text
        return lines

    def _constant_name(self, text: str) -> str:
        """A name that says what a constant is, `_LOG_2`, and that nothing else has."""
        for sign, word in _WORDS:
            text = text.replace(sign, word)
        found = name = "_" + re.sub(r"[\W_]+", "_", text).strip("_").upper()
        if len(name) > _TITLE:
            found, name = "_C", "_C1"
        count = 1
        while name in self.locals:
            count += 1
            name = f"{found}{count}" if found == "_C" else f"{found}_{count}"
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
        depth = 2 if total and not long else 1
        found, name = self._free("found"), self._inner(function.name)
        printer = Printer(page.schedule, scope.leaves, page.assigned, self.phrases)
        body = printer.lines(depth)
        texts = iter([printer.texts[i] for i in page.schedule.outputs])
        result = filled(function.layout, lambda k: "0.0" if k == ZERO else next(texts))
        body += returned(result, depth, "return " if depth == 1 else f"{found} = ")
        unpacked, doc = [*unpacking(takes, self.called.spell)], self._doc(function)
        lines: list[list[str]] = []
        if long:
            names = {**scope.inputs, **page.assigned}
            kept, given = self._free("kept"), [*scope.inputs.values()]
            parts = pieces(page.schedule, names, given, body, printer.tops, kept)
            own = self._free(f"_{name}_1") if total else name
            lines = self._chain(function, takes, [unpacked + parts[0], *parts[1:]], own)
            body = [f"        {found} = {own}({', '.join(p.name for p in takes)})"]
        if total:
            body = ["    try:", *body, *self._otherwise(function, takes, found)]
        if total or not long:
            head = _defined(name, takes, function, doc)
            lines = [[*head, *unpacked, *body], *lines]
        if self.origin.numpy:
            lines = [*wrapped(function, takes, doc, self._spelled), *lines]
        return lines

    def _chain(
        self,
        function: Function,
        takes: Sequence[Parameter],
        parts: Sequence[list[str]],
        name: str,
    ) -> list[list[str]]:
        """The pieces of a function, each of which calls the next one."""
        kept = self._free("kept")
        inner = self._inner(function.name)
        others = [self._free(f"_{inner}_{k}") for k in range(2, len(parts) + 1)]
        lines = [_defined(name, takes, function, self._doc(function))]
        for before in [name, *others[:-1]]:
            doc = f"Go on where {before} ends."
            head = signature(
                others[len(lines) - 1],
                [f"{kept}: list[float]"],
                returns(function.layout),
            )
            lines.append([*head, f'    """{doc}"""'])
        for head, part, after in zip(lines, parts, [*others, ""]):
            head += part
            head += [f"    return {after}({kept})"] if after else []
        return lines

    def _otherwise(
        self, function: Function, takes: Sequence[Parameter], found: str
    ) -> Iterator[str]:
        """The end of a function that returns also where the formula has no value.

        The value is what `value` returns, and there is no derivative.
        """
        spell, instead = self.called.spell, self.origin.outside
        test = spell("isfinite") if instead == "nan" else f"not {spell('isnan')}"
        call = self._outside(self._inner("value"))
        call += f"({', '.join(item.name for item in takes[: len(self.arguments)])})"
        tested, shape = found, function.layout
        word = instead if function.name == "value" else "nan"
        if function.vector is not None:
            test, tested, shape = spell("isfinite"), call, self.pages[0].function.layout
            while not isinstance(shape, int):  # without a value no part has one
                tested, shape = f"{tested}[0]", shape[0]
        elif function.name != "value":
            assert not isinstance(shape, int)
            tested, shape = f"{found}[0]", shape[0]
        yield f"        if {_tested(shape, tested, test)}:"
        yield f"            return {found}"
        errors = ", ".join(map(spell, ("ArithmeticError", "ValueError")))
        yield f"    except ({errors}):"
        yield "        pass"
        result = _alike(function.layout, spell(word))
        for nothing in (result, self._named(function.layout, result, spell(word))):
            if function.vector is None and function.name != "value":
                nothing = [call, *nothing[1:]]
            lines = returned(nothing)
            if len(lines) == 1:
                break
        yield from lines

    def _named(self, layout: Layout, nothing: Nested, text: str) -> Nested:
        """What is returned where there is no value, with a name for each row of it."""
        row = nothing
        while not isinstance(row, str) and not isinstance(row[-1], str):
            row = row[-1]
        if isinstance(row, str) or any(part != text for part in row):
            return nothing
        self.none = self.none or row
        return _alike(layout, text, self._unused("_NONE"), self.none)

    def _spelled(self, name: str) -> str:
        """The name of something in a wrapper: a function, or what no argument is."""
        if name == "float":
            return self.called.spell(name)
        return self._unused(name) if name in ("numpy", "found") else self._outside(name)

    def _doc(self, function: Function) -> str:
        docs = _DOCS if function.places is None else _SPARSE
        return f"Return {docs[function.name].format(kind=self.origin.kind)}"

    def _inner(self, name: str) -> str:
        """The function that computes, which with arrays stands inside another."""
        return f"_{name}" if self.origin.numpy else name

    def _outside(self, name: str) -> str:
        """The name of a function of the module as no variable is called."""
        called = self._unused(name)
        if called != name:
            self.again[name] = called
        return called

    def _unused(self, name: str) -> str:
        while name in self.locals:
            name = f"_{name}"
        return name

    def _free(self, name: str) -> str:
        """A name that no variable has."""
        while name in self.locals:
            name += "_"
        return name


def _defined(
    name: str, takes: Sequence[Parameter], function: Function, doc: str
) -> list[str]:
    """The first lines of a function."""
    parameters = [f"{parameter.name}: {parameter.type}" for parameter in takes]
    return [*signature(name, parameters, returns(function.layout)), f'    """{doc}"""']


def _alike(
    layout: Layout, text: str, name: str = "", row: Sequence[Nested] = ()
) -> Nested:
    """A text at every place of a layout, with a name for rows of it."""
    if isinstance(layout, int):
        return text
    inner = [_alike(part, text, name, row) for part in layout]
    if inner == row:
        return name
    if len(inner) > EXACT and inner.count(inner[0]) == len(inner):
        return f"({one_line(inner[0], VALUES)},) * {len(inner)}"
    return inner


def _tested(layout: Layout, text: str, test: str) -> str:
    """A condition that holds if a test does for all numbers of a layout."""
    if isinstance(layout, int):
        return f"{test}({text})"
    if all(isinstance(part, int) for part in layout):
        return f"all({test}(x) for x in {text})"
    parts = (_tested(part, f"{text}[{k}]", test) for k, part in enumerate(layout))
    return " and ".join(parts)


def _contents(item: Argument) -> Iterator[str]:
    """What stands in a flat sequence: numbers, and the elements of arrays."""
    for _, group in groupby(item.elements, lambda e: e.name.partition("[")[0]):
        first, *others = group
        name = f"{first.name} to {others[-1].name}" if others else first.name
        yield f"{name} in {first.domain}" if first.domain else name


# ---- copies of functions


class Copied(NamedTuple):
    """Functions of `special` as text, and what they need: constants, and math."""

    functions: list[str]
    constants: list[str]
    math: set[str]


def copied(called: Iterable[str]) -> Copied:
    """Some functions of `special` with all that they use in turn, in their own order."""
    known, stack = _definitions() if called else {}, [*called]
    wanted: set[str] = set()
    outside: set[str] = set()
    while stack:
        name = stack.pop()
        if name in wanted:
            continue
        wanted.add(name)
        mentioned = known[name][1]
        stack += mentioned & known.keys()
        outside |= mentioned - known.keys()
    texts = [text for name, (text, _) in known.items() if name in wanted]
    return Copied(
        functions=[text for text in texts if text.startswith("def ")],
        constants=[text for text in texts if not text.startswith("def ")],
        math={name for name in outside if hasattr(math, name)},
    )


@cache
def _definitions() -> dict[str, tuple[str, set[str]]]:
    """The text of each definition of `special`, with the names that it mentions."""
    with open(special.__file__, encoding="utf-8") as file:
        text = file.read()
    lines, found = text.split("\n"), {}
    for node in ast.parse(text).body:
        if not isinstance(node, (ast.FunctionDef, ast.Assign)):
            continue
        inside = [*ast.walk(node)]
        names = {n.id for n in inside if isinstance(n, ast.Name)}
        own = {n.arg for n in inside if isinstance(n, ast.arg)}
        own |= {
            n.id
            for n in inside
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        target = node.name if isinstance(node, ast.FunctionDef) else [*own][0]
        found[target] = (
            "\n".join(lines[node.lineno - 1 : node.end_lineno]),
            names - own,
        )
    return found


# ---- the layout of lists


def _quoted(name: str) -> str:
    return f'"{name}"'


def _listed(head: str, items: Sequence[str]) -> list[str]:
    """A tuple behind what it is assigned to."""
    line = f"{head}({', '.join(items)}{',' * (len(items) == 1)})"
    if len(line) <= WIDTH:
        return [line]
    return [f"{head}(", *(f"    {item}," for item in items), ")"]


def _from(name: str, items: list[str]) -> list[str]:
    line = f"from {name} import {', '.join(items)}"
    if not items or len(line) <= WIDTH:
        return [line] * bool(items)
    return [f"from {name} import (", *(f"    {item}," for item in items), ")"]


# ---- the formula inside the module, and out of it again


def embedded(formula: str) -> str:
    """The formula as a module carries it: no space at line ends, no empty ends."""
    lines = [line.rstrip(" \t") for line in formula.split("\n")]
    return dedent("\n".join(lines)).strip("\n")


def _in_docstring(text: str) -> str:
    lines = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').split("\n")
    return "\n".join(map(escape, lines))


def _signed(docstring: str, text: str, origin: Origin) -> str:
    """A module with the lines of options and digest between two parts of it."""
    options: dict[str, object] = {}
    if origin.wrt is not None:
        options["wrt"] = list(origin.wrt)
    if origin.outside != "raise":
        options["outside"] = origin.outside
    if origin.emit is not None:
        options["emit"] = list(origin.emit)
    options |= {name: True for name in _SWITCHES if getattr(origin, name)}
    lines = [_OFF, f"# Do not edit: change the {origin.kind} and compile it again."]
    if options:
        lines.append(_OPTIONS + json.dumps(options, ensure_ascii=False))
    start = "\n".join([docstring, "", *lines, ""])
    text = f"\n\n{text}"
    return f"{start}{_DIGEST}{_hashed(f'{start}{_DIGEST}', text)[:16]}{text}"


def _hashed(before: str, behind: str) -> str:
    """The digest of a text, all but the line with the digest itself."""
    found = hashlib.sha256(before.encode())
    found.update(behind.encode())
    return found.hexdigest()


def _carried(text: str) -> tuple[str, str] | None:
    """The digest that a module carries, and the one that its text has; or None."""
    match = _find(_DIGEST, r"\w+", text)
    if match is None:
        return None
    return match[1], _hashed(text[: match.start(1)], text[match.end(1) :])


def _find(begin: str, pattern: str, text: str) -> re.Match[str] | None:
    """A line behind the docstring, whose formula may have such lines as well."""
    line = re.compile(rf"^{begin}({pattern})$", re.MULTILINE)
    return line.search(text, max(text.find('"""', 3), 0))


def digest(text: str) -> str:
    """The digest of a module's text, whatever digest it already carries."""
    found = _carried(text)
    return found[1][:16] if found else _hashed(text, "")[:16]


def is_ours(text: str) -> bool:
    """Whether gradc wrote this text, in any version, and nobody has edited it since."""
    found = _carried(text)
    if found is None:
        return False
    return len(found[0]) in (16, 32) and found[1].startswith(found[0])


def carries_digest(text: str) -> bool:
    """Whether gradc wrote this text, edited since or not."""
    return _carried(text) is not None


def version(text: str) -> str:
    """The version of gradc that a module says it was written by."""
    return text.partition("\n")[0].rpartition(" ")[2].rstrip(".")


def extract(text: str) -> Origin | None:
    """The formula and the options that a module carries; None if it carries none.

    Of a module that another version wrote only the formula can be trusted.
    """
    try:
        docstring = ast.get_docstring(ast.parse(text), clean=False) or ""
        title, _, formula = docstring.partition("\n\n")
        if not title.startswith("A formula") or not carries_digest(text):
            return None
        formula = formula.rpartition(_ARGUMENTS)[0] or formula
        match = _find(_OPTIONS, ".*", text)
        options = json.loads(match[1]) if match else {}
        wrt, emit = options.get("wrt"), options.get("emit")
        for names in (wrt, emit):
            if names is not None and not all(isinstance(n, str) for n in list(names)):
                return None
        outside = options.get("outside", "raise")
        return Origin(
            formula=formula.strip("\n"),
            wrt=None if wrt is None else tuple(wrt),
            emit=None if emit is None else tuple(emit),
            outside=outside if outside in OUTSIDE else "raise",
            strict=options.get("strict") is True,
            sparse=options.get("sparse") is True,
            flat=options.get("flat") is True,
            numpy=options.get("numpy") is True,
        )
    except (SyntaxError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    except MemoryError:
        return None
