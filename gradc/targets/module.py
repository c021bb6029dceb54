"""The Python target: a module that is the formula, on the standard library alone.

It holds the formula in its docstring, the options and a digest below it, the constants
that are computed once, copies of the special functions it uses, and the functions that
were asked for.
"""

from __future__ import annotations

import ast
import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from inspect import getsource, ismodule
from itertools import chain, count

from gradc import special
from gradc.functions import DOCS, ZERO, Function
from gradc.passes.split import is_additive
from gradc.spelling import ATOM, UNARY, origin, spelling
from gradc.targets.blocks import Blocks, binding
from gradc.targets.columns import Bound, Loops
from gradc.targets.interface import MATRICES, Frame, facts
from gradc.targets.names import CONSTANT, Page, pages
from gradc.targets.origin import CERTAIN, Origin
from gradc.targets.printer import Printer, phrase, statement, tupled

_ASK = '''def _certified(function: Callable[..., T], error: Exception, args: Sequence[Any]) -> T:
    """Return what is certain where a function raises an error, or raise that."""
    try:
        compiled = import_module("gradc.compiler").again(__doc__, OPTIONS)
    except (ImportError, ValueError):
        raise error from None
    found: T = compiled.settled(function, error, args)
    return found'''
_TESTS = "isfinite", "isnan", "nan"  # of columns
_PLACES = {  # of what is imported beside functions
    **dict.fromkeys(("Callable", "Iterable", "Sequence"), "collections.abc"),
    **{"import_module": "importlib", "Any": "typing", "TypeVar": "typing"},
    **{"float64": "numpy", "ArrayLike": "numpy.typing", "NDArray": "numpy.typing"},
}
_OPEN = "# mypy: allow-untyped-defs, allow-untyped-calls, no-warn-return-any"
_ROOM = 40  # columns of a constant that may stand inside another
_WORDS = ((".0", ""), (" / ", " over "), (" - ", " less "), (" + ", " plus "))
_SPARSE = {
    "value_and_jacobian": "the value, and the Jacobian's entries at ROWS and COLUMNS.",
    "value_grad_and_hessian": "value, gradient, and Hessian at ROWS and COLUMNS.",
}


def _callable(functions: Sequence[Function], origin: Origin) -> Iterator[str]:
    """What the functions of a module may call; what its author calls so steps aside."""
    ops = functions[0].program.ops
    for op, size in {(n[0], len(n)) for f in functions for n in f.program.nodes}:
        if op in ops:
            yield from spelling(ops[op], size - 1).names
    yield "floats"
    if origin.outside == CERTAIN:
        yield from ("error", *[function.name for function in functions])
    if origin.outside != "raise":
        yield from "ArithmeticError ValueError all inf isfinite isnan nan value".split()
    if origin.numpy:
        yield from ("float", "numpy", "prod", *MATRICES)


class Module:
    """A module with some functions, `value` first, and derivatives by `wrt`."""

    def __init__(
        self,
        functions: Sequence[Function],
        wrt: Sequence[str],
        origin: Origin,
        kind: type[Loops] = Loops,
    ) -> None:
        self.wrt = wrt
        self.origin = origin
        self.functions = functions
        self.binds = origin.numpy or "bind" in (origin.emit or ())
        plain = Bound if self.binds and kind is Loops else kind
        kind = Blocks if origin.numpy else plain
        columnar = [f for f in functions if f.is_columnar]
        helpers = kind.helpers if columnar else (_ASK,) * (origin.outside == CERTAIN)
        self.helpers = "\n".join(helpers)
        self.callable = {*_callable(functions, origin), *_definitions(self.helpers)}
        self.loops = [kind(f, self.callable, origin) for f in columnar]
        self.pages = [p for x in self.loops for p in (*x.pages, *x.data.values())]
        if not self.loops:
            self.pages = [*pages(functions, self.callable)]
        self.program = functions[0].program
        self.taken = {name for page in self.pages for name in page.names.taken}
        self.named: dict[str, str] = {}  # the names of constants by their texts

    def text(self, ends: str = "") -> str:
        """The text, which embeds its origin so that it can be made again.

        Arguments:
            ends: what else stands at the end.
        """
        last = {id(page.names): page for page in self.pages}
        constants = [line for page in last.values() for line in self._constants(page)]
        if self.loops:
            written = [lines for loops in self.loops for lines in loops.lines()]
            written += binding(self.loops, self.wrt) if self.binds else ()
        else:
            written = [lines for page in self.pages for lines in self._function(page)]
        code = "\n".join(line.partition("#")[0] for line in chain(constants, *written))
        words = {*re.findall(r"\w+", re.sub(r"\bnumpy\.\w+", "numpy", code))}
        called = {x for x in self.callable if x.partition(".")[0] in words}
        copies, mentioned = copied(called, self.helpers)
        head = [[_OPEN] if self.loops else [], [], [*self._facts()]]
        if "Column" in words and self.loops:
            head.append(["Column = Sequence[float]"])
        begins = ("def ", "class ", "@")
        head.append([text for text in copies if not text.startswith(begins)])
        body = [[text] for text in copies if text.startswith(begins)]
        if self.origin.outside == CERTAIN:
            head.append([f"OPTIONS = {self.origin.options!r}", 'T = TypeVar("T")'])
        (body if body else head).append(constants)
        parts = "\n".join(chain(*head, *body, *written))
        words = {*re.findall(r"(?<!numpy\.)\b\w+", re.sub("#.*", "", parts))}
        head[1] = self._imports(called | mentioned, words)
        start = "\n\n".join("\n".join(part) for part in head if part)
        rest = "\n\n\n".join("\n".join(part) for part in [*body, *written] if part)
        names = [function.name for function in self.functions]
        return self.origin.signed(names, f"{start}\n\n\n{rest}\n{ends}")

    def _imports(self, called: set[str], words: set[str]) -> list[str]:
        """Those of the standard library, and what has to be installed beside it."""
        wanted = [name[:-1] for name in sorted(called) if name[-1] == "."]
        known = sys.stdlib_module_names
        others = [x for x in wanted if x.partition(".")[0] not in known]
        lines, beside = [f"import {x}" for x in wanted if x not in others], list[str]()
        lines += ["import sys"] * ("sys" in words)
        if others:
            told = f"# It needs {', '.join(others)} beside the standard library."
            beside = ["", told, *(f"import {x}  # type: ignore" for x in others)]
        if "numpy" in words:
            beside += ["", "import numpy"]
        found = {x: "math" for x in called if origin(x) == "math" and hasattr(math, x)}
        found |= {x: place for x, place in _PLACES.items() if x in words}
        for place in sorted({*found.values()}):
            names = ", ".join(sorted(x for x in found if found[x] == place))
            part = beside if place.startswith("numpy") else lines
            part += statement(f"from {place} import ", names)
        return lines + beside

    def _facts(self) -> Iterator[str]:
        """The names of arguments and results, and what is told of columns."""
        if self.loops and self.origin.numpy:
            yield "BLOCK = 8192  # rows at a time, at most, which stay in the processor's cache"
        if self.loops and is_additive(self.program):
            yield "ADDITIVE = True  # over parts of the rows"
        told = facts(self.functions, self.wrt, self.origin.flat)
        for name, items in told.items():
            quoted = [repr(item).replace("'", '"') for item in items]
            yield from statement(f"{name} = ", tupled(quoted))

    def _constants(self, page: Page) -> Iterator[str]:
        """What no input changes, each with a name; the page is the program's last."""
        nodes, leaves = page.schedule.program.nodes, page.names.leaves
        read = {i for step in page.steps for i in step.reads}
        uses = {i: 2 * (i in read) for i, on in enumerate(page.names.fixed) if on}
        for i in reversed(uses):
            for a in nodes[i][1:] if uses[i] else ():
                if a in uses:
                    uses[a] += 1
        levels = [UNARY if text[:1] == "-" else ATOM for text in leaves]
        for i in (i for i, used in uses.items() if used):
            text, levels[i] = phrase(self.program.ops, nodes[i], leaves, levels)
            if len(nodes[i]) > 1 and (uses[i] > 1 or len(text) > _ROOM):
                if text not in self.named:
                    self.named[text] = self._title(text)
                    yield from statement(f"{self.named[text]} = ", text)
                text, levels[i] = self.named[text], ATOM
            leaves[i] = text

    def _title(self, text: str) -> str:
        """A name that says what a constant is, `_LOG_2`, and that nothing else has."""
        for sign, word in _WORDS:
            text = text.replace(sign, word)
        name = "_" + re.sub(r"[\W_]+", "_", text).strip("_").upper()
        is_short = len(name) <= CONSTANT
        stem, first = (f"{name}_", [name]) if is_short else ("_C", [])
        names = chain(first, (f"{stem}{k}" for k in count(1 + is_short)))
        found = next(name for name in names if name not in self.taken)
        self.taken.add(found)
        return found

    def _function(self, page: Page) -> Iterator[list[str]]:
        """The lines of a function, and with NumPy of one that returns its matrix."""
        name, *_, places = page.function
        arguments = page.function.arguments(page.names.elements.__getitem__)
        takes = [(page.names.parameters[x], inner) for x, _, inner in arguments]
        values, found = self.functions[0].layout, page.names.free("found")
        frame = Frame(page.function, self.origin, values, takes, found)
        printer = Printer(page)
        body = printer.lines(frame.depth)
        texts = iter([printer.texts[i] for i in page.schedule.outputs])
        docs = ({} if places is None else _SPARSE).get(name, DOCS[name])
        doc = f"Return {docs.format(kind=self.origin.kind)}"
        yield frame.written(doc, body, lambda k: "0.0" if k == ZERO else next(texts))
        if self.origin.numpy and name in MATRICES:
            yield frame.matrix()


def copied(called: Iterable[str], helpers: str = "") -> tuple[list[str], set[str]]:
    """The texts of what a module calls that `math` has not, and of what that needs.

    Behind them what they use of `math`. The `helpers` are definitions that it may call.
    """
    own = _definitions(helpers)
    stack = [name for name in called if name in own or origin(name) == "special"]
    has_special = {*stack} - own.keys()
    known = {**(_definitions(getsource(special)) if has_special else {}), **own}
    for name in stack:
        stack += known[name][1] & known.keys() - {*stack}
    mentioned = {other for name in stack for other in known[name][1]} - known.keys()
    texts = [text for name, (text, _) in known.items() if name in stack]
    ours = {f"{name}." for name in mentioned if ismodule(vars(special).get(name))}
    return texts, ours | mentioned & vars(math).keys() & {*vars(special), *_TESTS}


@cache
def _definitions(text: str) -> dict[str, tuple[str, set[str]]]:
    """The text of each definition, with the names that it mentions, in their order."""
    found, lines = {}, text.split("\n")
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Assign)):
            names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
            name = names[0] if isinstance(node, ast.Assign) else node.name
            above = [] if isinstance(node, ast.Assign) else node.decorator_list
            first = min(part.lineno for part in (node, *above))
            found[name] = "\n".join(lines[first - 1 : node.end_lineno]), {*names}
    return found
