"""The Python target: a module that stands alone on the standard library.

The module holds the formula in its docstring, the options and a digest below it, the
constants that are computed once, the special functions it uses, and the functions that
were asked for. `extract` finds formula and options again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from gradc import given, special
from gradc.functions import ZERO, Function, filled
from gradc.ir import Argument, Program, grouped
from gradc.passes.schedule import WIDTH, Schedule
from gradc.spelling import ATOM, UNARY
from gradc.spelling import origin as origin_of
from gradc.targets.copied import Copied, copied
from gradc.targets.interface import (
    Parameter,
    by,
    returned,
    returns,
    signature,
    unpacking,
)
from gradc.targets.pages import Pages, title, together
from gradc.targets.pieces import Piece, pieces
from gradc.targets.printer import (
    Phrases,
    Printer,
    assignment,
    escape,
)
from gradc.targets.wrappers import IMPORTS, of_numpy, wrapper
from gradc.targets.wrappers import alone as wrapped
from gradc.version import __version__

RESERVED = frozenset(keyword.kwlist) | {"__debug__"}
_DIGEST = "# digest: "
CHUNK = 1 << 20  # characters of a text that are read at once
_OPTIONS = "# options: "
_SWITCHES = ("sparse", "flat", "numpy")
_CHECKS = "# The arguments may be any sequences of numbers, nested in their shapes."
_ROOM = 40  # columns of a constant that may stand inside another
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
    ieee: bool = False
    emit: tuple[str, ...] | None = None
    sparse: bool = False
    flat: bool = False
    numpy: bool = False
    recorded: str = ""  # the Python function, if it is no formula

    @property
    def kind(self) -> str:
        """What it is that was compiled."""
        return "recorded function" if self.recorded else "formula"


def module(pages: Sequence[Pages], wrt: Sequence[str], origin: Origin) -> str:
    """Print a module.

    Arguments:
        pages: the functions it has, `value` first.
        wrt: the inputs that get a derivative, in order.
        origin: what the text embeds, so that the module can be made again.
    """
    return _Module(pages, wrt, origin, "").text()


def alone(pages: Sequence[Pages], wrt: Sequence[str], origin: Origin, only: str) -> str:
    """Print one function of a module, for nobody but Python to read."""
    return _Module(pages, wrt, origin, only).text()


def paged(functions: Sequence[Function]) -> list[Pages]:
    """The functions of a module by their programs, ready to be printed.

    Raises:
        GradcError: conditions that wait for each other, too many to take apart.
    """
    return [Pages(several, RESERVED) for several in together(functions)]


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
        self,
        pages: Sequence[Pages],
        wrt: Sequence[str],
        origin: Origin,
        only: str,
    ) -> None:
        self.is_read = not only
        self.functions = [function for page in pages for function in page.functions]
        self.wrt = wrt
        self.origin = origin
        self.printed = [
            (several, function)
            for several in pages
            for function in several.functions
            if only in ("", function.name)
        ]
        self.program = pages[0].program
        self.names = pages[0].names
        self.arguments = grouped(self.program.inputs)
        self.locals: set[str] = set()  # the names of all arguments and variables
        for several, function in self.printed:
            names = several.page(function).assigned.values()
            self.locals.update(several.names.taken, names)
        self.called = _Called(self.locals)
        self.outside: dict[str, str] = {}  # functions with another name at the end
        self.counts: dict[str, int] = {}  # of constants that would share a title
        self.named: dict[str, str] = {}  # the names of constants by their texts
        self.phrases = Phrases(self.program.ops, self.called.spell)
        self.checks: dict[str, str] = {}  # of arguments, as they are called here

    # ---- the parts of the text, from the inside out

    def text(self) -> str:
        constants = [
            line
            for pages, last in dict(self.printed).items()
            for line in self._constants(pages, last)
        ]
        functions = [lines for pair in self.printed for lines in self._function(*pair)]
        used = {n: n for n in self.called.names if origin_of(n) == "special"}
        helpers = copied(special, used)
        parts = [self._imports(helpers), self._types()]
        parts.append(
            [
                *_listed("INPUTS = (", [_quoted(a.name) for a in self.arguments]),
                *_listed("WRT = (", [_quoted(name) for name in self._wrt()]),
                *self._results(),
                *self._places(),
            ]
        )
        if helpers.constants:
            parts.append(list(helpers.constants))
        written = len(functions)
        functions = [*helpers.functions, *functions]
        if aliases := self._aliases():
            functions.insert(len(helpers.functions), aliases)
        if constants and helpers.functions:
            functions.insert(len(functions) - written, constants)
        elif constants:
            parts.append(constants)
        if checks := copied(given, self.checks).functions:
            functions += [[_CHECKS, "", "", *checks[0]], *checks[1:]]
        if self.outside:
            functions.append([f"{new} = {name}" for name, new in self.outside.items()])
        head = "\n\n".join("\n".join(part) for part in parts if part)
        body = "\n\n\n".join("\n".join(function) for function in functions)
        del functions  # of a large formula they need more room than anything else
        if not self.is_read:
            return f"{head}\n\n\n{body}\n"
        return _signed(f"{self._docstring()}\n\n{head}\n\n\n{body}\n", self.origin)

    def _docstring(self) -> str:
        what = " and its gradient" if _is_plain(self.functions) else ""
        if len(self.functions) > 1 and not what:
            what = " and its derivatives"
        lines = [
            f'"""A {self.origin.kind}{what}, compiled by gradc {__version__}.',
            "",
        ]
        if self.origin.recorded:
            lines += [f"Recorded: {_in_docstring(self.origin.recorded)}"]
        else:
            lines += ["Formula:", ""]
            for line in embedded(self.origin.formula).split("\n"):
                lines.append(f"    {_in_docstring(line)}" if line else "")
        lines += ["", "Arguments:"]
        differentiated = set(self.wrt)
        for item in self.arguments:
            facts = [by(item.shape)] if item.shape else []
            if item.name not in differentiated:
                facts += ["data, gets no derivative"]
            domain = item.elements[0].domain
            facts += [f"in {domain}"] if domain else []
            spelled = self.names.parameters[item.name]
            lines.append(
                f"    {spelled}: {'; '.join(facts)}" if facts else f"    {spelled}"
            )
            if self.origin.flat and item.name in differentiated:
                lines += [f"        {line}" for line in _contents(item)]
        return "\n".join([*lines, '"""'])

    def _imports(self, helpers: Copied) -> list[str]:
        plain = {n for n in self.called.names if origin_of(n) == "math"}
        renamed = {n for n in self.called.names if self.called.spell(n) != n}
        lines = []
        shadowed = sorted(n for n in renamed if origin_of(n) == "builtins")
        if shadowed:
            lines += _from(
                "builtins", [f"{n} as {self.called.spell(n)}" for n in shadowed]
            )
        lines += [f"from fractions import {n}" for n in helpers.fractions]
        names = sorted((plain - renamed) | set(helpers.math))
        names += [f"{n} as {self.called.spell(n)}" for n in plain & renamed]
        names.sort()
        lines += _from("math", names) if names else []
        if self.origin.numpy:
            numpy = self._unused("numpy")
            renamed_numpy = f" as {numpy}" if numpy != "numpy" else ""
            lines += ["", f"import numpy{renamed_numpy}", *IMPORTS]
        return lines

    def _types(self) -> list[str]:
        """What only the types need, which is not imported when the module runs."""
        if not self.checks:
            return []
        lines = ["from collections.abc import Sequence"]
        indented = [f"    {line}" if line else "" for line in lines]
        return ["TYPE_CHECKING = False", "if TYPE_CHECKING:", *indented]

    def _wrt(self) -> list[str]:
        """What the gradient is by, in its order."""
        if not self.origin.flat:
            return list(self.wrt)
        named = {item.name: item.elements for item in self.arguments}
        return [element.name for name in self.wrt for element in named[name]]

    def _results(self) -> list[str]:
        """The names of the results, if they have any."""
        names = [result.name for result in self.program.results]
        return _listed("RESULTS = (", [*map(_quoted, names)]) if any(names) else []

    def _places(self) -> list[str]:
        """Where the entries of a sparse matrix stand."""
        for function in self.functions:
            if function.places is not None:
                rows = [str(row) for row, _ in function.places]
                columns = [str(column) for _, column in function.places]
                return [*_listed("ROWS = (", rows), *_listed("COLUMNS = (", columns)]
        return []

    def _aliases(self) -> list[str]:
        """Other names for copied functions whose own name the formula uses."""
        return [
            f"{self.called.spell(n)} = {n}"
            for n in sorted(self.called.names)
            if origin_of(n) == "special" and self.called.spell(n) != n
        ]

    def _constants(self, pages: Pages, function: Function) -> list[str]:
        """What no input changes, each with a name, in the order of their use.

        Arguments:
            function: the last one of the pages, which uses all that the others do.
        """
        page, leaves = pages.page(function), pages.leaves
        program, last = page.schedule.program, page.lives.last
        lines: list[str] = []
        fixed = [i for i, is_fixed in enumerate(page.schedule.fixed) if is_fixed]
        if not fixed:
            return lines
        uses = {i: 2 * (last[i] >= 0) for i in fixed}
        for i in reversed(fixed):
            if uses[i]:
                for a in program.nodes[i][1:]:
                    if a in uses:
                        uses[a] += 1
        levels = [UNARY if text[:1] == "-" else ATOM for text in leaves]
        for i in fixed:
            node = program.nodes[i]
            if not uses[i]:
                continue
            if len(node) == 1:
                leaves[i] = self.called.spell(node[0])
                continue
            leaves[i], levels[i] = self.phrases.write(node, leaves, levels)
            if uses[i] > 1 or len(leaves[i]) > _ROOM:
                text = leaves[i]
                if text not in self.named:
                    self.named[text] = self._constant_name(program, i)
                    lines += assignment(self.named[text], text, "")
                leaves[i], levels[i] = self.named[text], ATOM
        return lines

    def _constant_name(self, program: Program, i: int) -> str:
        """A name that nothing has; it is taken from here on."""
        name = found = title(program, i)
        while name == "_C" or name in self.locals:
            self.counts[found] = count = self.counts.get(found, 0) + 1
            name = f"{found}{count}" if found == "_C" else f"{found}_{count}"
        self.locals.add(name)
        return name

    def _function(self, pages: Pages, function: Function) -> list[list[str]]:
        """The lines of a function, and of those that go on where it is too long."""
        schedule, lives, assigned = pages.page(function)
        leaves = pages.leaves[: len(schedule.program.nodes)]

        printer = Printer(schedule, leaves, assigned, self.phrases, self.is_read)
        body = printer.lines()
        texts = (printer.texts[i] for i in schedule.outputs)
        filling = lambda k: "0.0" if k == ZERO else next(texts)
        body += returned(filled(function.layout, filling))
        parameters = pages.parameters(function)
        if self.origin.numpy:
            parameters = [of_numpy(parameter) for parameter in parameters]
        around = self._wrapper(function, parameters)
        variables = {**pages.inputs, **assigned}
        first, *others = pieces(schedule, lives, variables, body, printer.tops)
        first = first._replace(lines=[*self._unpacked(parameters), *first.lines])
        found = self._chain(function, parameters, [first, *others])
        return [*around, *found]

    def _unpacked(self, parameters: Sequence[Parameter]) -> list[str]:
        """The statements that check the arguments and take arrays apart."""
        if self.origin.numpy or any(parameter.is_array for parameter in parameters):
            return [*unpacking(parameters, self._checking)]
        return []

    def _wrapper(
        self, function: Function, parameters: Sequence[Parameter]
    ) -> list[list[str]]:
        """The function with arrays around one that computes, if there is to be any."""
        if not self.origin.numpy:
            return []
        around = wrapper(function, parameters, self._doc(function), self._spelled)
        return [
            lines
            for lines in (around, wrapped(function, parameters, self._spelled))
            if lines
        ]

    def _spelled(self, name: str) -> str:
        """The name of something in a wrapper: a function, or what no argument is."""
        return self._unused(name) if name in ("numpy", "found") else self._outside(name)

    def _doc(self, function: Function) -> str:
        docs = _DOCS if function.places is None else _SPARSE
        return f"Return {docs[function.name].format(kind=self.origin.kind)}"

    def _chain(
        self, function: Function, takes: Sequence[Parameter], parts: list[Piece]
    ) -> list[list[str]]:
        """The pieces of a function, each of which calls the next one."""
        name, result = self._inner(function.name), returns(function.layout)
        doc = self._doc(function)
        kept = self._free("kept")
        called = [
            name,
            *(self._free(f"_{name}_{k + 2}") for k in range(len(parts) - 1)),
        ]
        parameters = [f"{parameter.name}: {parameter.type}" for parameter in takes]
        found = []
        for k, part in enumerate(parts):
            lines = [*signature(called[k], parameters, result), f'    """{doc}"""']
            lines += _taken(kept, part.taken)
            lines += [f"    {n} = 0.0" for n in part.zeros]
            lines += part.lines
            if k + 1 < len(parts):
                lines += _kept(kept, part.kept, k == 0)
                lines.append(f"    return {called[k + 1]}({kept})")
            found.append(lines)
            parameters = [f"{kept}: list[float]"]
            doc = f"Go on where {called[k]} ends."
        return found

    def _checking(self, name: str) -> str:
        """A function that checks an argument, as it is called in the module."""
        self.checks[name] = self._unused(name)
        return self.checks[name]

    def _inner(self, name: str) -> str:
        """The function that computes, which with arrays stands inside another."""
        return f"_{name}" if self.origin.numpy else name

    def _outside(self, name: str) -> str:
        """The name of a function of the module as no variable is called."""
        called = self._unused(name)
        if called != name:
            self.outside[name] = called
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


def _is_plain(functions: Sequence[Function]) -> bool:
    """Whether a module has the value and the gradient of one number, and no more."""
    return len(functions) == 2 and functions[1].name == "value_and_grad"


def _contents(item: Argument) -> Iterator[str]:
    """What stands in a flat sequence: numbers, and the elements of arrays."""
    for _, group in groupby(item.elements, lambda e: e.name.partition("[")[0]):
        first, *others = group
        name = f"{first.name} to {others[-1].name}" if others else first.name
        yield f"{name}: in {first.domain}" if first.domain else name


def schedules(functions: Sequence[Function]) -> list[Schedule]:
    """The statements of functions, as the module has them."""
    return [
        pages.page(function).schedule
        for pages in paged(functions)
        for function in pages.functions
    ]


# ---- the layout of lists


def _quoted(name: str) -> str:
    return f'"{name}"'


def _listed(head: str, items: list[str], end: str = ")") -> list[str]:
    """A tuple, or a list that ends in a bracket as far in as its head."""
    one = "," if len(items) == 1 and end == ")" else ""
    line = f"{head}{', '.join(items)}{one}{end.strip()}"
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(end) + 3)
    return [head, *(f"{indent}{item}," for item in items), end]


def _taken(kept: str, runs: Iterable[tuple[int, Sequence[str]]]) -> Iterator[str]:
    """Statements that take names out of a list, as many in a line as it holds."""
    for place, names in runs:
        room = WIDTH - len(f"     = {kept}[:]") - 2 * len(str(place + len(names)))
        for line in _filled(names, room):
            end = place + len(line)
            where = f"{place}:{end}" if len(line) > 1 else f"{place}"
            yield f"    {', '.join(line)} = {kept}[{where}]"
            place = end


def _kept(kept: str, names: Sequence[str], first: bool) -> Iterator[str]:
    """Statements that put names on a list, or on a new one."""
    for line in _filled(names, WIDTH - len(f"    {kept} += []")) or [[]]:
        yield from _listed(f"    {kept} {'=' if first else '+='} [", line, "    ]")
        first = False


def _filled(words: Sequence[str], room: int) -> list[list[str]]:
    """Words by lines, as many as some columns hold with commas between them."""
    lines: list[list[str]] = []
    left = 0
    for word in words:
        left -= len(word) + 2
        if left < 0 or not lines:
            lines.append([])
            left = room - len(word)
        lines[-1].append(word)
    return lines


def _from(name: str, items: list[str]) -> list[str]:
    line = f"from {name} import {', '.join(items)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"from {name} import (", *(f"    {item}," for item in items), ")"]


# ---- the formula inside the module, and out of it again


def embedded(formula: str) -> str:
    """The formula as a module carries it: no space at line ends, no empty ends."""
    lines = [line.rstrip(" \t") for line in formula.split("\n")]
    return "\n".join(lines).strip("\n")


def _in_docstring(line: str) -> str:
    return escape(line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"'))


def _signed(text: str, origin: Origin) -> str:
    """Add the lines with the options and the digest behind the docstring."""
    options: dict[str, object] = {}
    if origin.wrt is not None:
        options["wrt"] = list(origin.wrt)
    if origin.strict:
        options["strict"] = True
    if origin.ieee:
        options["ieee"] = True
    if origin.emit is not None:
        options["emit"] = list(origin.emit)
    options |= {name: True for name in _SWITCHES if getattr(origin, name)}
    lines = [f"# Do not edit: change the {origin.kind} and compile it again."]
    if options:
        lines.append(_OPTIONS + json.dumps(options, ensure_ascii=False))
    end = text.index('"""', 3) + 4
    start, rest = f"{text[:end]}\n" + "\n".join([*lines, _DIGEST]), "\n" + text[end:]
    return "".join([start, _hashed(start, rest), rest])


def digest(text: str) -> str:
    """The digest of a module's text, whatever digest it already carries."""
    match = re.search(rf"^{_DIGEST}.*$", text, flags=re.MULTILINE)
    if match is None:
        return _hashed(text)
    return _hashed(text[: match.start()], _DIGEST, text[match.end() :])


def _hashed(*parts: str) -> str:
    """The digest of some parts of a text, of which no copy is made as a whole."""
    found = hashlib.sha256()
    for part in parts:
        for start in range(0, len(part), CHUNK):
            found.update(part[start : start + CHUNK].encode("utf-8"))
    return found.hexdigest()[:32]


def is_ours(text: str) -> bool:
    """Whether gradc wrote this text and nobody has edited it since."""
    match = re.search(rf"^{_DIGEST}(\w+)$", text, flags=re.MULTILINE)
    return match is not None and match[1] == digest(text)


def carries_digest(text: str) -> bool:
    """Whether gradc wrote this text, edited since or not."""
    return re.search(rf"^{_DIGEST}\w+$", text, flags=re.MULTILINE) is not None


def extract(text: str) -> Origin | None:
    """The formula and the options that a module carries; None if it carries none."""
    try:
        docstring = ast.get_docstring(ast.parse(text), clean=False)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if docstring is None or "\nFormula:\n\n" not in docstring:
        return None
    lines = docstring.split("\nFormula:\n\n", 1)[1].split("\n")
    formula: list[str] = []
    for line in lines:
        if line and not line.startswith("    "):
            break
        formula.append(line[4:])
    match = re.search(rf"^{_OPTIONS}(.*)$", text, flags=re.MULTILINE)
    try:
        options = json.loads(match[1]) if match else {}
        wrt, emit = options.get("wrt"), options.get("emit")
        for names in (wrt, emit):
            if names is not None and not all(isinstance(n, str) for n in list(names)):
                return None
        return Origin(
            formula="\n".join(formula).strip("\n"),
            wrt=None if wrt is None else tuple(wrt),
            strict=bool(options.get("strict", False)),
            ieee=bool(options.get("ieee", False)),
            emit=None if emit is None else tuple(emit),
            sparse=bool(options.get("sparse", False)),
            flat=bool(options.get("flat", False)),
            numpy=bool(options.get("numpy", False)),
        )
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
