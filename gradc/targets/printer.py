"""From a schedule to lines of text.

It knows how expressions nest, and what black does where a line has no room: what stands
in brackets gets lines of its own, one if it fits, else one for each item, or for each
operand of the operator that binds loosest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from gradc.errors import Span, visible
from gradc.ir import Adjoint, Node
from gradc.ops import Table
from gradc.passes.schedule import WIDTH, Assign, If, Statement
from gradc.spelling import ATOM, PYTHON, UNARY, Language, spelling
from gradc.targets.names import DECIDING, TRUTHS, Page, outer, steps, undecided

_COMMAS, *_OPERATORS = (  # with brackets, the operators from the loosest on
    re.compile(rf"[(\[\])]|{words}")
    for words in (
        ", ",
        r" if | else | \? | : ",
        r" or | and | \|\| | && ",
        " <=? | >=? | == | != ",
        r" \+ | - ",
        r" \* | / | % ",
    )
)
_CALL = re.compile(r"(?:\W+ )?([\w.]*)[(\[](.+)[)\]]\Z")  # or a tuple, or a list
_WORD_AT_END, _NAME_AT_END = re.compile(r"\w+$"), re.compile(r"[\w.]*$")
EXACT = 8  # elements up to which a tuple of the same is written out
_LEAST = 16  # columns that a remark needs to be worth its place


def phrase(
    ops: Table,
    node: Node,
    texts: Sequence[str],
    levels: Sequence[int],
    language: Language = PYTHON,
) -> tuple[str, int]:
    """The text of a node over those of its arguments, and its level."""
    op, *args = node
    if op == "flag":
        return texts[args[0]], levels[args[0]]
    found = spelling(ops[op], len(args), language)
    parts = []
    for k, limit in found.holes:
        text = texts[args[k]]
        parts.append(text if levels[args[k]] >= limit else f"({text})")
    return found.template % tuple(parts), found.level


class Printer:
    """Prints the statements of one function."""

    def __init__(self, page: Page) -> None:
        self.page, self.names = page.schedule, page.assigned
        self.language = page.names.language
        own = len(self.page.nodes) - len(page.names.leaves)  # conditions of flags
        self.texts = [*page.names.leaves, *[""] * own]  # where nodes are read
        self.levels = [UNARY if text[:1] == "-" else ATOM for text in self.texts]
        is_python = self.language is PYTHON
        self.above = undecided(page.steps) if is_python else outer(page.steps)
        if self.page.program.operations & {"and", "or"}:  # mypy calls them True or so
            again = outer(page.steps)
            self.above |= {i for i in again if self.page.nodes[i][0] in ("and", "or")}
        spans = enumerate(self.page.program.spans)
        self.whole = {s: i for i, s in spans if s and s.__class__ is not Adjoint}
        self.quoted: set[Span] = set()  # the parts of the source in remarks so far
        self.shortened: set[str] = set()  # the remarks so far that leave something out
        for i, text in enumerate(self.texts):
            if not text and self.page.inline[i]:
                self.texts[i], self.levels[i] = self._phrase(self.page.nodes[i])
            elif not text:
                self.texts[i] = self.names.get(self.page.target[i], "")

    def _phrase(self, node: Node) -> tuple[str, int]:
        ops = self.page.program.ops
        return phrase(ops, node, self.texts, self.levels, self.language)

    def lines(self, depth: int, body: list[Statement] | None = None) -> list[str]:
        """The body of the function or a part of it, so far in, without its last line.

        What is read where not every path has assigned it begins as zero, and what
        has to be declared above.
        """
        found, end = list[str](), self.language.end
        body = self.page.body if body is None else body
        own = {step.target for step in steps(self.page, body)} if self.above else set()
        for i in sorted(i for i in self.above & own if self.names[i].isidentifier()):
            is_truth = self.page.nodes[i][0] in TRUTHS
            none = f" = {self.language.nothing[is_truth]}{end}"
            line = f"{self.names[i]}{none}"
            if found and found[-1].endswith(none):  # a = b = 0.0, or a = 0.0, b = 0.0;
                start = found[-1].removesuffix(end or none[3:])
                longer = f"{start}{', ' * bool(end)}{line}"
                if len(longer) <= WIDTH:
                    found[-1] = longer
                    continue
            found.append(f"{'    ' * depth}{self.language.above[is_truth]}{line}")
        return [*found, *self._block(body, depth)]

    def _block(self, body: Sequence[Statement], depth: int) -> Iterator[str]:
        """Statements so far in; `schedule` nests only a few blocks."""
        for part in body:
            if isinstance(part, Assign):
                yield from self._assign(part, depth)
            else:
                yield from self._if("if ", part, depth)
                if self.language.closes:
                    yield f"{'    ' * depth}{self.language.closes}"

    def _if(self, word: str, part: If, depth: int) -> Iterator[str]:
        """A block behind a condition, or behind its opposite."""
        text, yes, no = self.texts[part.condition], part.yes, part.no
        if not yes:
            text, yes, no = self._phrase(("not", part.condition))[0], no, []
        language = self.language
        text = f"({text})" if language.closes else text
        yield from self.statement(word, text, depth, language.opens)
        yield from self._block(yes, depth + 1)
        if len(no) == 1 and isinstance(no[0], If):
            yield from self._if(language.elif_, no[0], depth)
        elif no:
            yield f"{'    ' * depth}{language.else_}"
            yield from self._block(no, depth + 1)

    def _assign(self, part: Assign, depth: int) -> list[str]:
        i, target = part.value, part.target
        own = self.page.target[target]
        name, is_truth = self.names[own], self.page.nodes[own][0] in TRUTHS
        is_known = own in self.above or name[-1] == "]"
        head = "" if is_known else self.language.once[is_truth]
        text = self._phrase(self.page.nodes[i])[0] if i == target else self.texts[i]
        found = self.statement(f"{head}{name} = ", text, depth, self.language.end)
        if i == target or self.page.inline[i]:
            found[-1] += self.remark(i, text, WIDTH - len(found[-1]) - 4)
        return found

    def statement(self, head: str, text: str, depth: int, tail: str) -> list[str]:
        """A statement; only in Python a comma may stand before a bracket."""
        found = statement(head, text, tail, depth)
        if self.language is not PYTHON:
            closes = [line.lstrip()[:1] in (*")]",) for line in (*found[1:], "")]
            found = [
                x.rstrip(",") if is_last else x for x, is_last in zip(found, closes)
            ]
        return found

    def remark(self, i: int, text: str, room: int) -> str:
        """The part of the source that a statement computes, if that says more."""
        program = self.page.program
        span = program.spans[i] if i < len(program.nodes) else None
        derived, again = span.__class__ is Adjoint, span in self.quoted
        if span is None or (derived and program.nodes[i][0] in DECIDING):
            return ""
        self.quoted.add(span)
        quoted = program.source.quote(*span, derived or again)
        if "#" in quoted or "\\" in quoted:  # comments, joined lines
            quoted = re.sub(r"#[^\n]*|\\(?=\s)", " ", quoted)
        said = visible(" ".join(quoted.split()))  # in one line
        if derived:
            said = f"in d({said})"
        elif self.whole[span] != i:
            said = "" if again else f"in {said}"
        shown = said
        if len(said) > room:  # it is cut, but no two alike
            shown = f"{_WORD_AT_END.sub('', said[: max(room - 3, 0)]).rstrip()}..."
            if room < _LEAST or shown in self.shortened:
                return ""
        if not said or _bare(said) in (_bare(text), f"in{_bare(text)}"):
            return ""
        if shown is not said:
            self.shortened.add(shown)
        return f"  {self.language.remark} {shown}"


def _bare(text: str) -> str:
    """A formula without what the printer may write in another way."""
    return re.sub(r"\s|\.0\b", "", text)


def statement(head: str, text: str, tail: str = "", depth: int = 0) -> list[str]:
    """An expression between what begins its statement and what ends it.

    A tuple has its parentheses only where black would leave them.
    """
    indent = "    " * depth
    line = f"{indent}{head}{text}{tail}"
    if len(line) <= WIDTH:
        return [line]
    items = _split(text, _COMMAS)
    if len(items) > 1:
        if len(items) == 2 and (found := exploded(items[1], indent, tail)):
            first = f"{indent}{head}{items[0]}, {found[0].lstrip()}"
            if len(first) <= WIDTH:
                return [first, *found[1:]]
        text = f"({text})"
    is_short = len(indent) + 4 + len(text) <= WIDTH
    if found := exploded(text, indent, tail):
        first = f"{indent}{head}{found[0].lstrip()}"
        if len(first) <= WIDTH or not is_short:
            return [first, *found[1:]]
    if text.isidentifier() and not is_short:
        return [line]
    if (found := _hung(text, indent, head, tail)) and len(found[0]) <= WIDTH:
        return found
    return [f"{indent}{head}(", *_inside(text, f"{indent}    "), f"{indent}){tail}"]


def _hung(text: str, indent: str, head: str, tail: str) -> list[str]:
    """The lines of what has one loosest operator, and brackets at its end or start."""
    parts = next((p for o in _OPERATORS if len(p := _split(text, o)) > 1), [])
    if len(parts) == 2 and text[-1] == ")":
        depth, start = 1, len(text) - 1
        while depth:
            start -= 1
            depth += (text[start] in ")]") - (text[start] in "([")
        start -= len(_NAME_AT_END.findall(text[:start])[0])
        head, found = head + text[:start], exploded(text[start:], indent, tail)
    elif len(parts) == 2 and text[0] == "(" and not {*"(["} & {*parts[1]}:
        found = exploded(parts[0], indent, f" {parts[1]}{tail}")
    else:
        return []
    return [f"{indent}{head}{found[0].lstrip()}", *found[1:]] if found else []


def tupled(items: Sequence[str]) -> str:
    """The text of a tuple, of which a long one of the same is not written out."""
    if len(items) > EXACT and len({*items}) == 1:
        return f"({items[0]},) * {len(items)}"
    return f"({', '.join(items)}{',' * (len(items) == 1)})"


def parted(names: Sequence[str], text: str) -> list[str]:
    """A statement of a body that gives names to the items of a sequence."""
    items = tupled(names)
    if len(bare := unwrapped(items)) > WIDTH - 8:
        return statement("", items, f" = {text}", depth=1)
    return statement(f"{bare} = ", text, depth=1)


def unwrapped(text: str) -> str:
    """A tuple without the parentheses that it does not need behind `return`."""
    several = text[0] == "(" and len(_split(text[1:-1], _COMMAS)) > 1
    return text[1:-1] if several else text


def _inside(text: str, indent: str, tail: str = "") -> list[str]:
    """What stands in brackets: one line if it fits, else one an operand."""
    line = f"{indent}{text}{tail}"
    if len(line) <= WIDTH:
        return [line]
    for operators in _OPERATORS:
        *others, last = _split(text, operators)
        if others:
            lines = [line for part in others for line in _inside(part, indent)]
            return lines + _inside(last, indent, tail)
    return exploded(text, indent, tail) or [line]


def exploded(text: str, indent: str = "", tail: str = "") -> list[str]:
    """A call, tuple or list with its items on other lines; none if it is no such."""
    match, inner = _CALL.match(text), f"{indent}    "
    if not match or not (parts := _split(match[2], _COMMAS)):
        return []
    name, items = match.groups()
    fits = name and text[-1] == ")" and len(inner) + len(items) <= WIDTH
    if items[-1] != "," and (fits or len(parts) == 1):
        body = _inside(items, inner)
    else:
        body = [line for part in parts for line in _inside(part, inner, ",")]
    return [indent + text[: match.start(2)], *body, f"{indent}{text[-1]}{tail}"]


def headed(name: str, types: Sequence[str], returns: str, doc: str) -> list[str]:
    """The head of a function, of which a line may have room for each argument."""
    ending = statement(") -> ", returns, ":")
    line, documented = f"def {name}({', '.join(types)}", f'    """{doc}"""'
    if len(line + ending[0]) <= WIDTH:
        return [line + ending[0], *ending[1:], documented]
    _, *listed, _ = exploded(f"{name}{tupled(types)}")
    return [f"def {name}(", *listed, *ending, documented]


def _split(text: str, cuts: re.Pattern[str]) -> list[str]:
    """Cut text before the operators that stand outside all brackets; commas go.

    Nothing is found where a bracket is closed that was not opened.
    """
    parts, depth, start = [], 0, 0
    for match in cuts.finditer(text):
        if match[0] in "([":
            depth += 1
        elif match[0] in ")]":
            depth -= 1
            if depth < 0:
                return []
        elif not depth:
            parts.append(text[start : match.start()])
            start = match.start()
    return [part.strip(", ") for part in (*parts, text[start:])]


def filled(text: str, indent: str = "    ") -> list[str]:
    """A text in lines, which are not cut at a zero byte."""
    options: Any = {"break_long_words": False, "break_on_hyphens": False}
    lines = wrap(text, WIDTH, subsequent_indent=indent, **options)
    return [line.replace("\0", " ") for line in lines]
