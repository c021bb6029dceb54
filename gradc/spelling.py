"""How a row is written in a language: its spelling as a template, and as a function.

A spelling is Python text with named holes, `{x} if {x} > 0.0 else 0.0`; `{xs}` takes
the rest of the arguments, and a name with dots is imported from the module before its
last. A row that gives none is a call of its own name. Which
operand needs parentheses is read from Python's own syntax tree, once per row. Other
languages write out the same tree, of a column of their own if the table has it.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from inspect import ismodule
from typing import Any, NamedTuple

from gradc import special
from gradc.errors import Source, mistake
from gradc.ops import OPS, Op

Compute = Callable[..., Any]

# The operators of two operands that are written alike in Python.
SYMBOLS = {
    row.name: row.signature.split()[1]
    for row in OPS
    if row.infix and len(row.params) == 2 and row.name != "pow"
}

# Python's levels of precedence, loosest first, and what its syntax tree has of each.
TERNARY, OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, ATOM = range(9)
_TREE = "IfExp", "Or", "And", "Not", "Compare", "Add Sub", "Mult Div Mod", "USub"
_LEVELS = {name: level for level, names in enumerate(_TREE) for name in names.split()}
_MARK = re.compile(r"hole_(\d+)_(?:(\d)_)?")


@dataclass(frozen=True, eq=False)
class Language:
    """How a language writes what all of them have.

    Attributes:
        title: what it is called; `column` is that of the table with its spellings.
        equal: what stands behind two signs of equality.
        functions: what it has of Python's, by their names there, perhaps with holes
            for their arguments; what it lacks is called so with `own` in front.
        once, above: what declares a number or a condition, where it is assigned and
            before all else; `nothing` is what they begin with.
        entry: of an array, by its `name`, its place `k` in all, and its indices `at`;
            where there is none it is a variable.
    """

    title: str
    column: str
    reserved: frozenset[str]
    functions: Mapping[str, str] = field(default_factory=dict)
    own: str = ""
    infinity: str = "1e999"
    nan: str = "nan"
    equal: str = ""
    remark: str = "#"
    opens: str = ":"
    elif_: str = "elif "
    else_: str = "else:"
    closes: str = ""
    end: str = ""
    once: tuple[str, str] = ("", "")
    above: tuple[str, str] = ("", "")
    nothing: tuple[str, str] = ("0.0", "False")
    entry: str = ""

    def literal(self, value: float) -> str:
        """A binary64, in Python as black writes it; an infinite one needs no import."""
        text = repr(value).replace("e+", "e").replace("inf", self.infinity)
        return text.replace("nan", self.nan)

    def called(self, name: str) -> str:
        """What a function is called that has this name in Python."""
        return self.functions.get(name, f"{self.own}{name}")

    def refuse(self, source: Source, told: Mapping[str, object]) -> None:
        """Refuse what no text of this language has, by what it is called.

        Raises:
            GradcError: the formula or an option asks for it.
        """
        for name, is_on in told.items():
            if is_on:
                raise mistake("target_never", source, name=name, target=self.title)

    def level(self, node: ast.AST) -> int:
        """The level of an expression; `!` binds as a minus does."""
        name = type(getattr(node, "op", node)).__name__
        return UNARY if self.closes and name == "Not" else _LEVELS.get(name, ATOM)

    def parts(self, node: ast.AST) -> tuple[str, list[tuple[ast.expr, int]]]:
        """The text around the operands of a node, "" for one that only Python has.

        Each operand has the loosest level that may stand there. Where blocks have braces,
        `--` and an `&&` beside `||` are avoided.
        """
        level, braces = self.level(node), bool(self.closes)
        name = type(getattr(node, "ops", [getattr(node, "op", None)])[0]).__name__
        sign = SIGNS.get(name, "") + self.equal * (name in ("Eq", "NotEq"))
        around = f"{{}} {sign} {{}}" if sign else ""
        match node:
            case ast.BinOp(left=x, right=y):
                return around, [(x, level), (y, level + 1)]
            case ast.UnaryOp(operand=x):
                return sign and f"{sign}{{}}", [(x, level + braces)]
            case ast.BoolOp(values=[x, *others]):
                least = AND + 1 if braces else level + 1
                first = least if braces and level == OR else level
                around += f" {sign} {{}}" * (len(others) - 1)
                return around, [(x, first), *((y, least) for y in others)]
            case ast.Compare(left=x, comparators=others):
                return around * (len(others) == 1), [(y, SUM) for y in (x, *others)]
            case ast.IfExp(body=x, test=c, orelse=y):
                return "{1} ? {0} : {2}", [(x, OR), (c, OR), (y, TERNARY)]
            case ast.Call(func=ast.Name(id=name), args=args):
                if "{" in self.called(name):
                    return self.called(name), [(x, ATOM) for x in args]
        return "", []

    def written(self, node: ast.expr) -> str:
        """An expression of Python in this language."""
        if not self.closes:
            return ast.unparse(node)
        texts, (around, operands) = list[str](), self.parts(node)
        for part, limit in operands if around else ():
            text = self.written(part)
            texts.append(text if self.level(part) >= limit else f"({text})")
        match node:
            case _ if around:
                return around.format(*texts)
            case ast.Call(func=ast.Name(id=name), keywords=[]):
                return f"{self.called(name)}({', '.join(map(self.written, node.args))})"
            case ast.Name(id=name):
                return name
            case ast.Constant(value=float(value) | int(value)):
                return self.literal(float(value))
        raise mistake("spelling_missing", text=ast.unparse(node), target=self.title)


SIGNS = {
    **{"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "USub": "-", "Not": "!"},
    **{"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="},
    **{"And": "&&", "Or": "||"},
}
# Of C and C++, what headers of C declare beside functions, and some that are called.
_RESERVED = """
alignas alignof and and_eq asm assert auto bitand bitor bool break case catch cbrt char
char16_t char32_t class compl complex const const_cast constexpr continue decltype
default delete do DOMAIN double double_t dynamic_cast else enum EOF errno exp2 explicit
export extern fabs false far float float_t for friend goto HUGE huge HUGE_VAL I i386 if
imaginary INFINITY inline int interface ldexp linux long main mutable namespace NAN
NDEBUG near new noexcept not not_eq NULL nullptr operator or or_eq OVERFLOW private
protected public register reinterpret_cast restrict return short signed signgam sizeof
small static static_assert static_cast struct switch template this thread_local throw
true try typedef typeid typename typeof UNDERFLOW union unix unsigned using virtual void
volatile wchar_t while xor xor_eq
"""
_HAS = """
acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh erf erfc exp expm1 floor
fmod hypot isfinite log log10 log1p log2 pow remainder rint sin sinh sqrt tan tanh trunc
"""
PYTHON = Language("Python", "python", frozenset(keyword.kwlist) | {"__debug__"})
C = Language(
    "C",
    "c",
    frozenset((_RESERVED + _HAS).split()),
    {
        **{name: name for name in _HAS.split()},
        **{"abs": "fabs", "**": "pow", "ldexp": "ldexp({}, (int){})"},
        "at": "{1}[(size_t){0}]",
    },
    own="gradc_",
    infinity="HUGE_VAL",
    nan="NAN",
    remark="//",
    opens=" {",
    elif_="} else if ",
    else_="} else {",
    closes="}",
    end=";",
    once=("double ", "int "),
    above=("double ", "int "),
    nothing=("0.0", "0"),
    entry="{name}[{k}]",
)
_WORDS = """
arguments await break case catch class const continue debugger default delete do else
enum eval export extends false finally Float64Array for function if implements import in
Infinity instanceof interface let Math NaN new null package private protected public
return static super switch this throw true try typeof undefined var void while with
yield
"""
_LACKS = "copysign erf erfc fmod hypot pow remainder rint".split()
JS = replace(
    C,
    title="JavaScript",
    column="js",
    reserved=frozenset(_WORDS.split()),
    functions={
        **{name: f"Math.{name}" for name in _HAS.split() if name not in _LACKS},
        **{"abs": "Math.abs", "**": "Math.pow", "isfinite": "Number.isFinite"},
        "fmod": "({} % {})",  # which is no remainder of Python's
    },
    own="",
    infinity="Infinity",
    nan="NaN",
    equal="=",
    once=("const ", "const "),
    above=("let ", "let "),
    nothing=("0.0", "false"),
    entry="{name}{at}",
)


def text(op: Op, count: int, language: Language = PYTHON) -> str:
    """The spelling of a row for `count` arguments, with holes {0}, {1}, ...

    Of any number of arguments a language of its own column spells two, of which it
    takes one after the other, or one, and sums.
    """
    numbers = [f"{{{k}}}" for k in range(count)]
    own: str | None = getattr(op, language.column) or (
        op.c if language.closes else None
    )
    if op.variadic and language is not PYTHON and own and count != len(op.params):
        lead = dict(zip(op.params, numbers[: op.leading]))
        parts = numbers[op.leading :]
        if "{y}" not in own:
            parts = [f"({own.format_map({**lead, 'x': part})})" for part in parts]
            own = "{x} + {y}"
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2])
            joined = [own.format_map({**lead, "x": x, "y": y}) for x, y in pairs]
            parts = joined + parts[len(parts) & ~1 :]
        return parts[0]
    spelled = (op.python or own) if op.variadic else own or op.python
    if spelled is None or (op.variadic and count != len(op.params)):
        return f"{op.called}({', '.join(numbers)})"
    return spelled.format_map(dict(zip(op.params, numbers)))


class Spelling(NamedTuple):
    """A row's text in a language as a template; its holes are arguments.

    A hole has the loosest level that may stand there without parentheses; `level` is
    that of the whole. `names` are what it mentions, by its names in Python, a module
    with a dot behind it, `repeated` the arguments that stand in it twice, `columns` the
    width of the text alone.
    """

    template: str
    holes: tuple[tuple[int, int], ...]
    level: int
    names: tuple[str, ...]
    repeated: frozenset[int]
    columns: int


@cache
def spelling(op: Op, count: int, language: Language = PYTHON) -> Spelling:
    """The spelling of a row for `count` arguments."""
    spelled = text(op, count, language)
    tree = ast.parse(spelled.format(*[f"hole_{k}_" for k in range(count)]), mode="eval")
    nodes = [*ast.walk(tree.body)]
    names = {n.id for n in nodes if isinstance(n, ast.Name) and not _MARK.match(n.id)}
    names |= {f"{module}." for module in modules(spelled)}
    holes = [n for n in nodes if isinstance(n, ast.Name) and _MARK.match(n.id)]
    limits = {id(c): limit for n in nodes for c, limit in language.parts(n)[1]}
    for hole in holes:
        hole.id += f"{limits.get(id(hole), TERNARY)}_"
    marked = language.written(tree.body)
    found = [(int(k), int(limit)) for k, limit in _MARK.findall(marked)]
    return Spelling(
        template=_MARK.sub("%s", marked.replace("%", "%%")),
        holes=tuple(found),
        level=language.level(tree.body),
        names=tuple(sorted(names)),
        repeated=frozenset(k for k, n in Counter(k for k, _ in found).items() if n > 1),
        columns=len(_MARK.sub("", marked)),
    )


def modules(spelled: str | None) -> set[str]:
    """The modules that a spelling mentions: what stands before the last dot of names."""
    return {*re.findall(r"(?<![\w.)}\]])([A-Za-z_][\w.]*)\.", spelled or "")}


def origin(name: str) -> str:
    """The module a function of a spelling comes from: special, builtins or math.

    What Python 3.10's `math` lacks comes from `special`, on every version alike.
    """
    own = getattr(special, name, None)
    is_ours = own is not None and not ismodule(own)
    if is_ours and own is not getattr(math, name, None):
        return "special"
    return "builtins" if name in vars(builtins) and name not in vars(math) else "math"


# What the names of spellings stand for.
NAMES: dict[str, Any] = {**vars(builtins), **vars(math), **vars(special)}


@cache
def function(op: Op) -> Compute:
    """What the spelling of the row computes of its arguments, which are all evaluated."""
    if op.variadic or op.python is None:
        called: Compute = NAMES[op.called]
        return called
    try:
        found = {x.partition(".")[0]: __import__(x) for x in modules(op.python)}
    except ImportError as error:
        raise mistake("module_needs", name=str(error.name)) from None
    scope = NAMES | found
    for name in spelling(op, len(op.params)).names:
        if name[-1] != "." and name not in scope:
            raise mistake("row_name", row=op.signature, name=name)
    return made(op.python, {x: f"a{k}" for k, x in enumerate(op.params)}, scope)


def made(body: str, holes: Mapping[str, str], scope: dict[str, Any]) -> Compute:
    """A text with holes as a function; `holes` are its parameters by their names."""
    head = f"lambda {', '.join(holes.values())}: "
    found: Compute = eval(head + body.format_map(holes), scope)
    return found
