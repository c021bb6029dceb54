"""The Python target: a module that stands alone on the standard library.

The module holds the formula in its docstring, the options and a digest below it, the
constants that are computed once, the special functions it uses, and the functions
`value` and `value_and_grad`. `extract` finds formula and options again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import keyword
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from gradc import special
from gradc.arrays import nest
from gradc.evaluate import evaluate
from gradc.ir import CONDITIONS, LAZY, Builder, Node, Program, grouped
from gradc.passes.schedule import WIDTH, Schedule, schedule
from gradc.spelling import ATOM, UNARY
from gradc.spelling import origin as origin_of
from gradc.targets.interface import (
    Nested,
    by,
    given,
    returned,
    signature,
    taken,
    unpacking,
)
from gradc.targets import rescue
from gradc.targets.names import Names, lives
from gradc.targets.pieces import Piece, pieces
from gradc.targets.printer import Phrases, Printer, assignment, escape, literal
from gradc.version import __version__

RESERVED = frozenset(keyword.kwlist) | {"__debug__"}
_DIGEST = "# digest: "
_OPTIONS = "# options: "
_TITLE = 24  # columns of a constant's name
_ROOM = 40  # columns of a constant that may stand inside another
_DECIDING = LAZY | CONDITIONS


@dataclass(frozen=True)
class Origin:
    """What a module was compiled from: the formula's text and the options."""

    formula: str
    wrt: tuple[str, ...] | None = None
    strict: bool = False
    ieee: bool = False
    recorded: str = ""  # the Python function, if it is no formula

    @property
    def kind(self) -> str:
        """What it is that was compiled."""
        return "recorded function" if self.recorded else "formula"


def module(program: Program, wrt: Sequence[str], origin: Origin) -> str:
    """Print the module of a differentiated program.

    Arguments:
        program: its outputs are the value, then one derivative per name in `wrt`.
        wrt: the inputs that get a derivative, in order.
        origin: what the text embeds, so that the module can be made again.
    """
    return _Module(program, tuple(wrt), origin).text()


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
    def __init__(self, program: Program, wrt: tuple[str, ...], origin: Origin) -> None:
        self.program = program
        self.wrt = wrt
        self.origin = origin
        self.names = Names(program, RESERVED)
        self.arguments = grouped(program.inputs)
        self.fixed, _ = fixed(program)
        self.inputs: dict[int, str] = {}  # the parameters, by their nodes
        self.leaves = self._leaves()
        self.pages = self._schedule()
        self.lives = [lives(page) for page in self.pages]
        self.assigned = [self.names.assign(*p) for p in zip(self.pages, self.lives)]
        self.locals = set(self.names.taken)
        for assigned in self.assigned:
            self.locals.update(assigned.values())
        self.called = _Called(self.locals)
        self.counts: dict[str, int] = {}  # of constants that would share a title
        self.phrases = Phrases(program.ops, self.called.spell)
        self.guarded = rescue.is_guarded(program, self.fixed)
        self.parts: dict[tuple[int, str, int], str] = {}  # of a guarded `value`

    def _leaves(self) -> list[str]:
        """The texts of constants and inputs; empty for every other node."""
        leaves = [""] * len(self.program.nodes)
        for i, node in enumerate(self.program.nodes):
            if node[0] == "const":
                leaves[i] = literal(node[1])
            elif node[0] == "input":
                leaves[i] = self.inputs[i] = self.names.elements[node[1]]
        return leaves

    def _schedule(self) -> list[Schedule]:
        """The statements of `value`, which reads no later node, and of both."""
        program, widths = self.program, self.names.widths()
        for i, text in enumerate(self.leaves):
            if text:
                widths[i] = len(text)
            elif self.fixed[i]:
                widths[i] = len(title(program, i)) + 3  # a number may follow
        end = program.outputs[0] + 1
        first = replace(program, nodes=program.nodes[:end])
        return [
            schedule(first, program.outputs[:1], self.fixed[:end], widths[:end]),
            schedule(program, program.outputs, self.fixed, widths),
        ]

    # ---- the parts of the text, from the inside out

    def text(self) -> str:
        constants = self._constants()
        functions = [f for k in range(2) for f in self._function(k)]
        helpers = _closure(n for n in self.called.names if origin_of(n) == "special")
        parts = [self._imports(helpers)]
        parts.append(
            [
                *_listed("INPUTS = (", [_quoted(a.name) for a in self.arguments]),
                *_listed("WRT = (", [_quoted(name) for name in self.wrt]),
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
        if self.guarded:
            functions += self._rescue()
        head = "\n\n".join("\n".join(part) for part in parts if part)
        body = "\n\n\n".join("\n".join(function) for function in functions)
        del functions  # of a large formula they need more room than anything else
        return _signed(f"{self._docstring()}\n\n{head}\n\n\n{body}\n", self.origin)

    def _docstring(self) -> str:
        lines = [
            f'"""A {self.origin.kind} and its gradient, compiled by gradc {__version__}.',
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
            if facts:
                lines.append(f"    {spelled}: {'; '.join(facts)}")
            else:
                lines.append(f"    {spelled}")
        return "\n".join([*lines, '"""'])

    def _imports(self, helpers: _Copied) -> list[str]:
        plain = {n for n in self.called.names if origin_of(n) == "math"}
        renamed = {n for n in self.called.names if self.called.spell(n) != n}
        lines = []
        shadowed = sorted(n for n in renamed if origin_of(n) == "builtins")
        if shadowed:
            lines += _from(
                "builtins", [f"{n} as {self.called.spell(n)}" for n in shadowed]
            )
        abstract = ["Callable"] if self.guarded else []
        if any(argument.shape for argument in self.arguments):
            abstract.append("Sequence")
        lines += _from("collections.abc", abstract) if abstract else []
        if self.guarded:
            lines += _from("decimal", list(rescue.DECIMAL))
        lines += [f"from fractions import {n}" for n in helpers.fractions]
        names = sorted((plain - renamed) | set(helpers.math) | self._rescuing())
        names += [f"{n} as {self.called.spell(n)}" for n in plain & renamed]
        names.sort()
        lines += _from("math", names) if names else []
        if self.guarded:
            lines += ["from sys import _getframe", "from types import FunctionType"]
            lines.append("from typing import Any")
        return lines

    def _aliases(self) -> list[str]:
        """Other names for copied functions whose own name the formula uses."""
        return [
            f"{self.called.spell(n)} = {n}"
            for n in sorted(self.called.names)
            if origin_of(n) == "special" and self.called.spell(n) != n
        ]

    def _constants(self) -> list[str]:
        """What no input changes, each with a name, in the order of their use."""
        program, leaves = self.program, self.leaves
        fixed = [i for i, is_fixed in enumerate(self.fixed) if is_fixed]
        last = self.lives[1].last
        uses = {i: 2 * (last[i] >= 0) for i in fixed}
        for i in reversed(fixed):
            if uses[i]:
                for a in program.nodes[i][1:]:
                    if a in uses:
                        uses[a] += 1
        levels = [UNARY if text[:1] == "-" else ATOM for text in leaves]
        lines: list[str] = []
        for i in fixed:
            node = program.nodes[i]
            if not uses[i]:
                continue
            if len(node) == 1:
                leaves[i] = self.called.spell(node[0])
                continue
            leaves[i], levels[i] = self.phrases.write(node, leaves, levels)
            if uses[i] > 1 or len(leaves[i]) > _ROOM:
                name = self._constant_name(i)
                lines += assignment(name, leaves[i], "")
                leaves[i], levels[i] = name, ATOM
        return lines

    def _constant_name(self, i: int) -> str:
        """A name that nothing has; it is taken from here on."""
        name = found = title(self.program, i)
        while name == "_C" or name in self.locals:
            self.counts[found] = count = self.counts.get(found, 0) + 1
            name = f"{found}{count}" if found == "_C" else f"{found}_{count}"
        self.locals.add(name)
        return name

    def _function(self, k: int) -> list[list[str]]:
        """The lines of a function, and of those that go on where it is too long."""
        page = self.pages[k]
        leaves = self.leaves[: len(page.program.nodes)]
        printer = Printer(page, leaves, self.assigned[k], self.phrases)
        depth = 2 if self.guarded else 1
        body = printer.lines(depth)
        value, *gradient = [printer.texts[i] for i in page.outputs]
        printer.starts.append((len(body), page.outputs[0]))
        result: Nested = "float"
        if k == 0:
            name, doc = "value", f"Return the value of the {self.origin.kind}."
            body += returned(value, depth=depth)
        else:
            named = {a.name: a for a in self.arguments}
            wrt = [named[name] for name in self.wrt]
            name, result = "value_and_grad", ["float", given(wrt)]
            doc = "Return the value and its gradient, in the order of WRT."
            rest = iter(gradient)
            nested = [nest([next(rest) for _ in a.elements], a.shape) for a in wrt]
            body += returned(value, nested, depth)
        if self.guarded:
            body = ["    try:", *body, *self._rescued(k)]
        variables = {**self.inputs, **self.assigned[k]}
        first, *others = pieces(page, self.lives[k], variables, body, printer.tops)
        own = unpacking(self.arguments, self.names.parameters, self.names.elements)
        first = first._replace(lines=[*own, *first.lines])
        found = self._chain(name, result, doc, [first, *others])
        if self.guarded and k == 0:
            before = len(found[0]) - len(body) + 1  # the lines from `def` to `try`
            starts = [(before + line, node) for line, node in printer.starts]
            self.parts = dict(rescue.parts(page, starts, self.fixed, self._moved()))
        return found

    def _chain(
        self, name: str, result: Nested, doc: str, parts: list[Piece]
    ) -> list[list[str]]:
        """The pieces of a function, each of which calls the next one."""
        kept = self._free("kept")
        called = [
            name,
            *(self._free(f"_{name}_{k + 2}") for k in range(len(parts) - 1)),
        ]
        own = self.names.parameters
        parameters = [f"{own[a.name]}: {taken(a.shape)}" for a in self.arguments]
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

    def _rescued(self, k: int) -> list[str]:
        """The end of a guarded function."""
        errors = ", ".join(map(self.called.spell, ("ArithmeticError", "ValueError")))
        arguments = list(self.names.parameters.values())
        call = f"        return {self._outside(rescue.NAMES[k])}("
        return [f"    except ({errors}):", *_listed(call, arguments, "        )")]

    def _outside(self, name: str) -> str:
        """The name of a function below as no variable is called."""
        while name in self.locals:
            name = f"_{name}"
        return name

    def _rescuing(self) -> set[str]:
        """What the text behind the functions takes from `math`."""
        return set(rescue.MATH) if self.guarded else set()

    def _rescue(self) -> list[list[str]]:
        """What stands behind the functions of a guarded module."""
        renamed = [n for n in rescue.NAMES if self._outside(n) != n]
        table = rescue.table(self.parts)
        used = self.called.names.union(*map(self._symbols, self.program.nodes))
        head = [f"IEEE = {self.origin.ieee}", *table, "", rescue.carried(used)]
        aliases = [f"{self._outside(n)} = {n}" for n in renamed]
        return [head, aliases] if aliases else [head]

    def _symbols(self, node: Node) -> list[str]:
        return rescue.symbols(self.program.ops, node)

    def _moved(self) -> int:
        """How many lines further down than in the source the formula stands."""
        text = self.origin.formula
        blank = len(text) - len(text.lstrip("\n"))
        return text.count("\n") - self.program.source.text.count("\n") - blank

    def _free(self, name: str) -> str:
        """A name that no variable has."""
        while name in self.locals:
            name += "_"
        return name


def schedules(program: Program, wrt: tuple[str, ...]) -> list[Schedule]:
    """The statements of `value` and of `value_and_grad`, as the module has them."""
    return _Module(program, wrt, Origin("")).pages


def fixed(program: Program) -> tuple[list[bool], list[int]]:
    """Which nodes no input changes: those computed at import, those without a value."""
    found = [False] * len(program.nodes)
    broken: list[int] = []
    values: dict[int, float] = {}
    for i, node in enumerate(program.nodes):
        op = node[0]
        if op == "const":
            values[i] = node[1]
        elif (len(node) == 1 or node[1] in values) and op not in _DECIDING:
            args = node[1:]
            if all(a in values for a in args):
                value = _value(program, node, [values[a] for a in args])
                if math.isfinite(value):
                    found[i], values[i] = True, value
                else:
                    broken.append(i)
    return found, broken


def _value(program: Program, node: tuple[object, ...], args: list[float]) -> float:
    builder = Builder(program.ops)
    positions = [builder.const(a) for a in args]
    output = builder.add(str(node[0]), *positions)
    try:
        return float(evaluate(builder.follow(program, [output]), {})[0])
    except (ArithmeticError, ValueError):
        return math.nan


def title(program: Program, i: int) -> str:
    """A name for a constant that says what it is, `_LOG_2`; `_C` if it has none."""
    words = _words(program, i, 4)
    name = "_" + re.sub(r"\W+", "_", words).strip("_").upper()
    return name if len(name) <= _TITLE and not name[1].isdigit() else "_C"


def _words(program: Program, i: int, depth: int) -> str:
    node = program.nodes[i]
    if node[0] == "const":
        return literal(node[1]).removesuffix(".0").replace("-", "MINUS ")
    if depth == 0:
        return "LONGER" * 5
    args = [_words(program, a, depth - 1) for a in node[1:]]
    infix = {"add": "PLUS", "sub": "LESS", "mul": "", "div": "OVER", "pow": "TO"}
    if node[0] in infix:
        return f"{args[0]} {infix[node[0]]} {args[1]}"
    return " ".join([node[0], *args])


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


# ---- the copied functions


@dataclass(frozen=True)
class _Copied:
    """Functions of `special` as text, with what they need around them."""

    functions: list[list[str]]
    constants: list[str]
    math: list[str]
    fractions: list[str]


@lru_cache(maxsize=1)
def _library() -> Mapping[str, tuple[str, frozenset[str]]]:
    """Each name `special` defines: its text, and the names it mentions."""
    with open(special.__file__, encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            name = node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        else:
            continue
        named = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
        local = {n.id for n in named if isinstance(n.ctx, ast.Store)} - {name}
        mentioned = {n.id for n in named} - local
        own = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        found[name] = (own, frozenset(mentioned))
    return found


def _closure(names: object) -> _Copied:
    """The functions named, and all that they use in turn, in their own order."""
    library = _library()
    assert hasattr(names, "__iter__")
    stack = sorted(names)
    wanted: set[str] = set()
    outside: set[str] = set()
    while stack:
        name = stack.pop()
        if name in wanted:
            continue
        wanted.add(name)
        for other in library[name][1]:
            if other in library:
                stack.append(other)
            else:
                outside.add(other)
    order = [name for name in library if name in wanted]
    texts = [library[name][0] for name in order]
    return _Copied(
        functions=[t.split("\n") for t in texts if t.startswith("def ")],
        constants=[t for t in texts if not t.startswith("def ")],
        math=sorted(n for n in outside if hasattr(math, n)),
        fractions=sorted(outside & {"Fraction"}),
    )


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
    lines = [f"# Do not edit: change the {origin.kind} and compile it again."]
    if options:
        lines.append(_OPTIONS + json.dumps(options, ensure_ascii=False))
    end = text.index('"""', 3) + 4
    start, rest = f"{text[:end]}\n" + "\n".join([*lines, _DIGEST]), "\n" + text[end:]
    return start + digest(start + rest) + rest


def digest(text: str) -> str:
    """The digest of a module's text, whatever digest it already carries."""
    bare = re.sub(rf"^{_DIGEST}.*$", _DIGEST, text, count=1, flags=re.MULTILINE)
    return hashlib.sha256(bare.encode("utf-8")).hexdigest()[:32]


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
        wrt = options.get("wrt")
        if wrt is not None and not all(isinstance(name, str) for name in list(wrt)):
            return None
        return Origin(
            formula="\n".join(formula).strip("\n"),
            wrt=None if wrt is None else tuple(wrt),
            strict=bool(options.get("strict", False)),
            ieee=bool(options.get("ieee", False)),
        )
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
