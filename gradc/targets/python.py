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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gradc import special
from gradc.evaluate import evaluate
from gradc.ir import CONDITIONS, LAZY, Builder, Program
from gradc.passes.schedule import WIDTH, Assign, If, Schedule, schedule
from gradc.spelling import origin as origin_of
from gradc.targets.names import Names
from gradc.targets.printer import Printer, assignment, escape, literal
from gradc.version import __version__

RESERVED = frozenset(keyword.kwlist) | {"__debug__"}
_EXACT_TUPLE = 8  # derivatives up to which the annotation counts them
_DIGEST = "# digest: "
_OPTIONS = "# options: "
_TITLE = 24  # columns of a constant's name
_ROOM = 40  # columns of a constant that may stand inside another


@dataclass(frozen=True)
class Origin:
    """What a module was compiled from: the formula's text and the options."""

    formula: str
    wrt: tuple[str, ...] | None = None
    strict: bool = False


def module(program: Program, wrt: Sequence[str], origin: Origin) -> str:
    """Print the module of a differentiated program.

    Arguments:
        program: its outputs are the value, then one derivative per name in `wrt`.
        wrt: the inputs that get a derivative, in order.
        origin: what the text embeds, so that the module can be made again.
    """
    return _Module(program, tuple(wrt), origin).text()


class _Module:
    def __init__(self, program: Program, wrt: tuple[str, ...], origin: Origin) -> None:
        self.program = program
        self.wrt = wrt
        self.origin = origin
        self.names = Names(program, RESERVED)
        self.fixed = fixed(program)
        widths = [self._width(i) for i in range(len(program.nodes))]
        self.pages = [
            schedule(program, outputs, self.fixed, widths)
            for outputs in (program.outputs[:1], program.outputs)
        ]
        self.assigned = [self.names.assign(page) for page in self.pages]
        self.locals = set(self.names.taken)
        for assigned in self.assigned:
            self.locals.update(assigned.values())
        self.used: set[str] = set()
        self.constants: dict[int, str] = {}

    def _width(self, i: int) -> int:
        """How many columns the name or the literal of a node takes at the most."""
        node = self.program.nodes[i]
        if node[0] == "const":
            return len(literal(node[1]))
        if node[0] == "input":
            return len(self.names.parameters[node[1]])
        return max(self.names.width(i), _TITLE + 2 if self.fixed[i] else 0)

    def _is_fixed(self, i: int) -> bool:
        return i < len(self.fixed) and self.fixed[i]

    # ---- the parts of the text, from the inside out

    def text(self) -> str:
        constants = self._constants()
        functions = [self._function(k) for k in range(2)]
        helpers = _closure(n for n in self.used if origin_of(n) == "special")
        parts = [self._imports(helpers)]
        parts.append(
            [
                *_listed("INPUTS = (", [_quoted(i.name) for i in self.program.inputs]),
                *_listed("WRT = (", [_quoted(name) for name in self.wrt]),
            ]
        )
        if helpers.constants:
            parts.append(list(helpers.constants))
        functions = [*helpers.functions, *functions]
        if aliases := self._aliases():
            functions.insert(len(helpers.functions), aliases)
        if constants and helpers.functions:
            functions.insert(-2, constants)
        elif constants:
            parts.append(constants)
        head = "\n\n".join("\n".join(part) for part in parts if part)
        body = "\n\n\n".join("\n".join(function) for function in functions)
        return _signed(f"{self._docstring()}\n\n{head}\n\n\n{body}\n", self.origin)

    def _docstring(self) -> str:
        lines = [
            f'"""A formula and its gradient, compiled by gradc {__version__}.',
            "",
            "Formula:",
            "",
        ]
        for line in embedded(self.origin.formula).split("\n"):
            lines.append(f"    {_in_docstring(line)}" if line else "")
        lines += ["", "Arguments:"]
        for item in self.program.inputs:
            facts = ["data, gets no derivative"] if item.name not in self.wrt else []
            facts += [f"in {item.domain}"] if item.domain else []
            spelled = self.names.parameters[item.name]
            if facts:
                lines.append(f"    {spelled}: {'; '.join(facts)}")
            else:
                lines.append(f"    {spelled}")
        return "\n".join([*lines, '"""'])

    def _imports(self, helpers: _Copied) -> list[str]:
        plain = {n for n in self.used if origin_of(n) == "math"}
        renamed = {n for n in self.used if self._spell(n) != n}
        lines = []
        shadowed = sorted(n for n in renamed if origin_of(n) == "builtins")
        if shadowed:
            lines += _from("builtins", [f"{n} as {self._spell(n)}" for n in shadowed])
        lines += [f"from fractions import {n}" for n in helpers.fractions]
        names = sorted((plain - renamed) | set(helpers.math))
        names += [f"{n} as {self._spell(n)}" for n in plain & renamed]
        names.sort()
        return lines + (_from("math", names) if names else [])

    def _aliases(self) -> list[str]:
        """Other names for copied functions whose own name the formula uses."""
        return [
            f"{self._spell(n)} = {n}"
            for n in sorted(self.used)
            if origin_of(n) == "special" and self._spell(n) != n
        ]

    def _spell(self, name: str) -> str:
        """The name of a function as the module's functions call it."""
        self.used.add(name)
        called = name
        while called in self.locals:
            called = f"_{called}"
        return called

    def _constants(self) -> list[str]:
        """What no input changes, each with a name, in the order of their use."""
        program, fixed = self.program, self.fixed
        uses = [0] * len(program.nodes)
        for page in self.pages[1:]:
            for i in (*page.outputs, *_read(page)):
                if self._is_fixed(i):
                    uses[i] += 2
        for i in range(len(program.nodes) - 1, -1, -1):
            if fixed[i] and uses[i]:
                for a in program.nodes[i][1:]:
                    uses[a] += 1
        lines: list[str] = []
        for i, node in enumerate(program.nodes):
            if not fixed[i] or not uses[i]:
                continue
            if len(node) == 1:
                self.constants[i] = self._spell(node[0])
                continue
            text = self._printer(0).constant(i)[0]
            if uses[i] > 1 or len(text) > _ROOM:
                name = self._constant_name(i)
                lines += assignment(name, text, "")
                self.constants[i] = name
        return lines

    def _constant_name(self, i: int) -> str:
        name = found = title(self.program, i)
        count = 0
        while name == "_C" or name in self.locals or name in self.constants.values():
            count += 1
            name = f"{found}{count}" if found == "_C" else f"{found}_{count}"
        return name

    def _printer(self, k: int) -> _FixedPrinter:
        return _FixedPrinter(self.pages[k], self._leaf, self.assigned[k], self._spell)

    def _leaf(self, i: int) -> str:
        node = self.program.nodes[i]
        if node[0] == "const":
            return literal(node[1])
        if node[0] == "input":
            return self.names.parameters[node[1]]
        return self.constants[i]

    def _function(self, k: int) -> list[str]:
        printer = self._printer(k)
        body = printer.lines()
        value, *gradient = [printer.operand(i) for i in self.pages[k].outputs]
        parameters = [f"{p}: float" for p in self.names.parameters.values()]
        if k == 0:
            head = _signature("value", parameters, "float")
            doc = "Return the value of the formula."
            last = [f"    return {value[0]}"]
        else:
            count = len(self.wrt)
            inner = ", ".join(["float"] * count) if count else "()"
            if count > _EXACT_TUPLE:
                inner = "float, ..."
            result = f"tuple[float, tuple[{inner}]]"
            head = _signature("value_and_grad", parameters, result)
            doc = "Return the value and its gradient, in the order of WRT."
            last = _returned(value, [text for text, _ in gradient])
        return [*head, f'    """{doc}"""', *body, *last]


class _FixedPrinter(Printer):
    """A printer that can also write out what is computed at import."""

    def constant(self, i: int) -> tuple[str, int]:
        """The text of a constant, those without a name of their own written out."""
        node = self.page.nodes[i]
        spelled = self._spelling(node)
        parts = []
        for piece in spelled.pieces:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            a = node[1 + piece[0]]
            try:
                text, level = self.operand(a)
            except KeyError:
                text, level = self.constant(a)
            parts.append(f"({text})" if level < piece[1] else text)
        return "".join(parts), spelled.level


def fixed(program: Program) -> list[bool]:
    """Which nodes no input changes and are finite: they are computed at import."""
    found = [False] * len(program.nodes)
    values: dict[int, float] = {}
    for i, node in enumerate(program.nodes):
        op, args = node[0], node[1:]
        if op == "const":
            values[i] = node[1]
        elif op != "input" and op not in LAZY and op not in CONDITIONS:
            if all(a in values for a in args):
                value = _value(program, node, [values[a] for a in args])
                if math.isfinite(value):
                    found[i], values[i] = True, value
    return found


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


def _read(page: Schedule) -> list[int]:
    """What the statements of a page read, variables and constants alike."""
    found: list[int] = []
    stack: list[int] = []
    todo = list(page.body)
    while todo:
        statement = todo.pop()
        if isinstance(statement, Assign):
            stack.append(statement.value)
        elif isinstance(statement, If):
            todo += [*statement.yes, *statement.no]
            stack.append(statement.condition)
    stack += page.outputs
    seen: set[int] = set()
    while stack:
        i = stack.pop()
        node = page.nodes[i]
        if i < 0 or i in seen or node[0] in ("const", "input"):
            continue
        seen.add(i)
        if i < len(page.fixed) and page.fixed[i]:
            found.append(i)
            continue
        stack += node[1:]
    return found


# ---- the layout of lists, signatures and the last line


def _quoted(name: str) -> str:
    return f'"{name}"'


def _listed(head: str, items: list[str]) -> list[str]:
    line = head + ", ".join(items) + (",)" if len(items) == 1 else ")")
    if len(line) <= WIDTH:
        return [line]
    return [head, *(f"    {item}," for item in items), ")"]


def _from(name: str, items: list[str]) -> list[str]:
    line = f"from {name} import {', '.join(items)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"from {name} import (", *(f"    {item}," for item in items), ")"]


def _signature(name: str, parameters: list[str], result: str) -> list[str]:
    line = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(line) <= WIDTH:
        return [line]
    inner = "    " + ", ".join(parameters)
    listed = [f"    {parameter}," for parameter in parameters]
    if len(inner) <= WIDTH and len(parameters) > 1:
        listed = [inner]
    return [f"def {name}(", *listed, f") -> {result}:"]


def _returned(value: tuple[str, int], gradient: list[str]) -> list[str]:
    text = value[0]
    inner = ", ".join(gradient) + ("," if len(gradient) == 1 else "")
    line = f"    return {text}, ({inner})"
    if len(line) <= WIDTH:
        return [line]
    return [f"    return {text}, (", *(f"        {g}," for g in gradient), "    )"]


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
        mentioned = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
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
    return escape(line.replace("\\", "\\\\").replace('"', '\\"'))


def _signed(text: str, origin: Origin) -> str:
    """Add the lines with the options and the digest behind the docstring."""
    options: dict[str, object] = {}
    if origin.wrt is not None:
        options["wrt"] = list(origin.wrt)
    if origin.strict:
        options["strict"] = True
    lines = ["# Do not edit: change the formula and compile it again."]
    if options:
        lines.append(_OPTIONS + json.dumps(options, ensure_ascii=False))
    end = text.index('"""', 3) + 4
    marked = f"{text[:end]}\n" + "\n".join([*lines, _DIGEST, ""]) + text[end:]
    return marked.replace(f"\n{_DIGEST}\n", f"\n{_DIGEST}{digest(marked)}\n", 1)


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
        )
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
