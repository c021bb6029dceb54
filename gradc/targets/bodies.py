"""The special functions of other languages, printed from their Python.

A body is of numbers: assignments, `if`, `while`, `for` over a range, calls and
conditional expressions. What a language writes otherwise is first put in Python that all
of them have; what raises is NaN there, and a polynomial has a function of its own.

    for k in range(8, 0, -1):               for (int k = 8; k > 0; k -= 1) {
        series = series * t + B[k] / k  -->     series = series * t + B[k] / k;
                                            }
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from inspect import getsource
from typing import Any

from gradc import special
from gradc.spelling import C, SIGNS, Language
from gradc.targets import portable
from gradc.targets.printer import filled

# What is called otherwise than in Python.
_CALLED = {
    **{"round": "rint", "min": "least", "max": "most"},
    "statistics.NormalDist().inv_cdf": "quantile",
}
_CONSTANTS: dict[str, Any] = {**vars(special), **vars(portable)}
_ONLY = "horner", "floats", "number", "finite", "rounded", "ties", "sumexp"  # of Python
# What no Python says, in C.
UNDEFINED = """// Nan, of which IEEE arithmetic tells.
static double gradc_undefined(void) {
    volatile double zero = 0.0;
    return zero / zero;
}"""


class _Plain(ast.NodeTransformer):
    """Makes of an expression one that a language has the parts of."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func)
        args: list[ast.expr] = [self.visit(x) for x in node.args]
        if name in ("int", "float"):  # all are numbers
            return args[0]
        if name == "horner":
            return _call(ast.unparse(node.args[0]).lower(), args[1])
        return _call(_CALLED.get(name, name), *args)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "nan" and self.language is C:
            return _call("undefined")
        is_number = node.id.isupper() or node.id in ("pi", "inf", "nan")
        return ast.Constant(_CONSTANTS[node.id]) if is_number else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        names = any(isinstance(n, (ast.Name, ast.Call)) for n in ast.walk(node))
        if isinstance(node.op, (ast.Pow, ast.Div)) and not names:  # 2**52
            return ast.Constant(float(eval(ast.unparse(node))))
        x, y = self.visit(node.left), self.visit(node.right)
        match node.op:
            case ast.Mod():
                return _call("modulo", x, y)
            case ast.Pow():
                return _call("**", x, y)
            case ast.FloorDiv():
                return _call("floor", ast.BinOp(x, ast.Div(), y))
        return ast.BinOp(x, node.op, y)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        sides = [self.visit(x) for x in (node.left, *node.comparators)]
        parts = zip(sides, node.ops, sides[1:])
        found: list[ast.expr] = [ast.Compare(x, [op], [y]) for x, op, y in parts]
        return found[0] if len(found) == 1 else ast.BoolOp(ast.And(), found)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.value, ast.Call):  # frexp(x)[1]
            return _call("exponent", *map(self.visit, node.value.args))
        return ast.Name(ast.unparse(node), ast.Load())  # whole numbers are left


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*args], [])


@cache
def functions() -> dict[str, ast.FunctionDef]:
    """The functions that have a body in Python."""
    every = [x for y in (special, portable) for x in ast.parse(getsource(y)).body]
    named = {x.name: x for x in every if isinstance(x, ast.FunctionDef)}
    return {name: x for name, x in named.items() if name not in _ONLY}


class Body:
    """The text of a function in a language, and the names of those that it `calls`."""

    def __init__(self, name: str, language: Language) -> None:
        self.language, self.calls = language, dict[str, None]()
        self.tree = functions()[name]
        self.takes = [arg.arg for arg in self.tree.args.args]
        self.known = {*self.takes}
        self.uses = _uses([self.tree])
        self.writes = Counter(_targets(self.tree.body))
        doc = (ast.get_docstring(self.tree) or "").split("\n")
        head = headed(language, name, self.takes, doc)
        body = [*self._block(self.tree.body[1:], "    ")]
        self.text = "\n".join([*head, *[x for line in body for x in folded(line)], "}"])

    def _text(self, node: ast.expr) -> str:
        copy = ast.parse(ast.unparse(node), mode="eval").body
        plain = _Plain(self.language).visit(copy)
        names = [n.id for n in ast.walk(plain) if isinstance(n, ast.Name)]
        for name in [name.partition("[")[0] for name in names]:
            if name in {*functions(), "undefined"} or name.upper() in _CONSTANTS:
                self.calls[name] = None
        return self.language.written(plain)

    def _block(self, body: Sequence[ast.stmt], indent: str) -> Iterator[str]:
        """Statements; what is read behind a block is declared in front of it."""
        for part in body:
            blocks = [getattr(part, word, []) for word in ("body", "orelse")]
            for inner in filter(None, blocks):
                uses = _uses(inner)
                for name in dict.fromkeys(_targets(inner)):
                    if name not in self.known and uses[name] < self.uses[name]:
                        self.known.add(name)
                        yield f"{indent}{self.language.above[0]}{name};"
            known = {*self.known}
            yield from self._statement(part, indent)
            self.known = known if any(blocks) else self.known

    def _statement(self, part: ast.stmt, indent: str) -> Iterator[str]:
        match part:
            case ast.Assign(targets=targets, value=value):
                yield from (f"{indent}{x};" for x in self._assign(targets, value))
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                yield f"{indent}{name} {SIGNS[type(op).__name__]}= {self._text(value)};"
            case ast.Return(value=ast.expr() as value):
                yield f"{indent}return {self._text(value)};"
            case ast.Raise():
                yield from self._statement(ast.Return(ast.Name("nan")), indent)
            case ast.If():
                yield from self._if("if ", part, indent)
            case ast.While(test=test, body=body):
                yield f"{indent}while ({self._text(test)}) {{"
                yield from self._block(body, f"{indent}    ")
                yield f"{indent}}}"
            case ast.For():
                yield from self._for(part, indent)
            case _:
                raise TypeError(ast.unparse(part))

    def _if(self, word: str, part: ast.If, indent: str) -> Iterator[str]:
        yield f"{indent}{word}({self._text(part.test)}) {{"
        yield from self._block(part.body, f"{indent}    ")
        if len(part.orelse) == 1 and isinstance(part.orelse[0], ast.If):
            yield from self._if(self.language.elif_, part.orelse[0], indent)
            return
        if part.orelse:
            yield f"{indent}{self.language.else_}"
            yield from self._block(part.orelse, f"{indent}    ")
        yield f"{indent}}}"

    def _for(self, part: ast.For, indent: str) -> Iterator[str]:
        """A loop over a range, whose step is a literal."""
        assert isinstance(part.iter, ast.Call)
        name, (first, stop, *step) = ast.unparse(part.target), part.iter.args
        by = ast.literal_eval(step[0]) if step else 1
        is_plain = isinstance(stop, (ast.Constant, ast.UnaryOp))
        end = ast.unparse(stop) if is_plain else self._text(stop)
        begin = f"{self.language.above[1]}{name} = {ast.unparse(first)}"
        ahead = f"{name} {'-' if by < 0 else '+'}= {abs(by)}"
        yield f"{indent}for ({begin}; {name} {'>' if by < 0 else '<'} {end}; {ahead}) {{"
        yield from self._block(part.body, f"{indent}    ")
        yield f"{indent}}}"

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr) -> Iterator[str]:
        """The statements of an assignment, of which none reads what is set."""
        names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        if not isinstance(targets[0], ast.Tuple):  # a = b = 0.0
            texts = [self._text(value), *names]
        elif isinstance(value, ast.Tuple):
            texts = [self._text(x) for x in value.elts]
        else:  # of a table
            texts = [repr(x) for x in _CONSTANTS[ast.unparse(value)]]
        for name, text in zip(names, texts):
            word = self.language.once[0] if self.writes[name] == 1 else ""
            word = "" if name in self.known else word or self.language.above[0]
            self.known.add(name)
            yield f"{word}{name} = {text}"


def headed(
    language: Language, name: str, takes: Sequence[str], doc: Sequence[str]
) -> list[str]:
    """The head of a function of numbers, with its documentation above."""
    called = language.called(name)
    if language is C:
        told = [f"// {line}".rstrip() for line in doc]
        listed = ", ".join(f"double {x}" for x in takes)
        return [*told, f"static double {called}({listed}) {{"]
    types = [*[f"@param {{number}} {x}" for x in takes], "@returns {number}"]
    told = [f" * {line}".rstrip() for line in (*doc, *types)]
    return ["/**", *told, " */", f"function {called}({', '.join(takes)}) {{"]


def folded(line: str, deeper: int = 8) -> list[str]:
    """A line in as many as it takes, but for the first so much deeper."""
    indent = " " * (len(line) - len(line.lstrip()) + deeper)
    return filled(line, indent)


def _targets(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The variables that statements assign, but for those of loops."""
    every = [n for part in body for n in ast.walk(part)]
    loops = {id(n.target) for n in every if isinstance(n, ast.For)}
    names = (n for n in every if isinstance(n, ast.Name) and id(n) not in loops)
    return (n.id for n in names if isinstance(n.ctx, ast.Store))


def _uses(nodes: Iterable[ast.AST]) -> Counter[str]:
    """How often each name stands in some nodes."""
    every = (n for node in nodes for n in ast.walk(node))
    return Counter(n.id for n in every if isinstance(n, ast.Name))


def copies(called: Iterable[str], language: Language) -> list[str]:
    """The texts of functions by their names in Python, behind those of what they call."""
    found = dict[str, str]()
    for name in sorted(called):
        _copy(name, language, found)
    return [*found.values()]


def _copy(name: str, language: Language, found: dict[str, str]) -> None:
    """Add the text of a function or a table, behind those of what it calls."""
    if name in found or name in language.functions:
        return
    needs = list[str]()
    if name == "undefined":
        text = UNDEFINED
    elif name.isupper():
        values = ", ".join(map(repr, map(float, _CONSTANTS[name])))
        head, tail = f"const {name} = [", "];"
        if language is C:
            head, tail = f"static const double {name}[] = {{", "};"
        text = "\n".join([head, *folded(f"    {values},", 0), tail])
    elif name in functions():
        body = Body(name, language)
        text, needs = body.text, [*body.calls]
    else:
        text = _polynomial(name, language)
    for other in reversed(needs):
        _copy(other, language, found)
    found[name] = text


def _polynomial(name: str, language: Language) -> str:
    """A function with the coefficients of a table, highest power first."""
    first, *others = _CONSTANTS[name.upper()]
    lines = [f"    {language.above[0]}total = {first!r};"]
    lines += [f"    total = total * x {'-+'[c >= 0]} {abs(c)!r};" for c in others]
    head = headed(language, name, ["x"], ["A polynomial."])
    return "\n".join([*head, *lines, "    return total;", "}"])
