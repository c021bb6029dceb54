"""From a schedule to lines of text, in the layout that black would give them.

Knows how expressions nest and how long lines are broken; what the operations are called
comes from the table, and names come from `names`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from gradc.ir import CONDITIONS, LAZY, Adjoint, Node
from gradc.passes.schedule import WIDTH, Assign, If, Schedule
from gradc.spelling import ATOM, UNARY, Spelling, spelling

_COMMENT = re.compile(r"#[^\n]*")
_SPACE = re.compile(r"\\?\s+")
_WORD = re.compile(r"\w+")
_LEAST = 16  # columns that a remark needs to be worth its place


def literal(value: float) -> str:
    """A binary64 as Python and black write it."""
    return repr(value).replace("e+", "e")


def escape(text: str) -> str:
    """Text that cannot end a comment or change the code around it."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class Printer:
    """Prints the statements of one function.

    `leaf` gives the text of a constant, an input or a node computed at import; `names`
    the variables; `spell` the name of a function as the module knows it.
    """

    def __init__(
        self,
        page: Schedule,
        leaf: Callable[[int], str],
        names: Mapping[int, str],
        spell: Callable[[str], str],
    ) -> None:
        self.page = page
        self.leaf = leaf
        self.names = names
        self.spell = spell
        self.spelled: dict[tuple[str, int], Spelling] = {}

    # ---- expressions

    def variable(self, i: int) -> str:
        """The name or the literal that stands for a node."""
        page = self.page
        if i < len(page.fixed):
            if (
                page.fixed[i]
                or page.nodes[i][0] == "const"
                or page.nodes[i][0] == "input"
            ):
                return self.leaf(i)
        return self.names[page.target[i]]

    def expression(self, i: int) -> tuple[str, int]:
        """The text that computes a node, and its level of precedence."""
        node = self.page.nodes[i]
        if node[0] == "flag":
            return self.operand(node[1])
        spelled = self.spelled.get((node[0], len(node)))
        if spelled is None:
            spelled = self._spelling(node)
        parts = []
        for piece in spelled.pieces:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            text, level = self.operand(node[1 + piece[0]])
            parts.append(f"({text})" if level < piece[1] else text)
        return "".join(parts), spelled.level

    def operand(self, i: int) -> tuple[str, int]:
        """The text of a node where it is read: its variable, or it stands inline."""
        if self.page.inline[i]:
            return self.expression(i)
        text = self.variable(i)
        return text, UNARY if text[0] == "-" else ATOM

    def _spelling(self, node: Node) -> Spelling:
        """The spelling of an operation, with the names that the module gives it."""
        found = spelling(self.page.program.ops[node[0]], len(node) - 1)
        renamed = {name: self.spell(name) for name in found.names}
        pieces = []
        for piece in found.pieces:
            if isinstance(piece, str):
                piece = _WORD.sub(lambda m: renamed.get(m[0], m[0]), piece)
            pieces.append(piece)
        found = replace(found, pieces=tuple(pieces))
        self.spelled[node[0], len(node)] = found
        return found

    # ---- statements

    def lines(self) -> list[str]:
        """The body of the function, without its last line."""
        found: list[str] = []
        stack: list[tuple[Assign | If | str, int]] = []
        stack += [(s, 1) for s in reversed(self.page.body)]
        while stack:
            statement, depth = stack.pop()
            if isinstance(statement, str):
                found.append("    " * depth + statement)
            elif isinstance(statement, Assign):
                found += self._assignment(statement, depth)
            else:
                stack += reversed(self._branching(statement, depth, found))
        return found

    def _branching(
        self, statement: If, depth: int, found: list[str]
    ) -> list[tuple[Assign | If | str, int]]:
        """Write the first line of a conditional; what is left of it to write."""
        negative = not statement.yes
        word = "if"
        while True:
            found += self._header(word, statement.condition, negative, depth)
            yes = statement.no if negative else statement.yes
            no = [] if negative else statement.no
            if len(no) == 1 and isinstance(no[0], If) and _simple(yes):
                for simple in yes:
                    assert isinstance(simple, Assign)
                    found += self._assignment(simple, depth + 1)
                statement, word = no[0], "elif"
                negative = not statement.yes
                continue
            later: list[tuple[Assign | If | str, int]] = [(s, depth + 1) for s in yes]
            if no:
                later.append(("else:", depth))
            return later + [(s, depth + 1) for s in no]

    def _header(
        self, word: str, condition: int, negative: bool, depth: int
    ) -> list[str]:
        text, level = self.operand(condition)
        if negative:
            text = f"not {text}" if level > 2 else f"not ({text})"
        indent = "    " * depth
        line = f"{indent}{word} {text}:"
        if len(line) <= WIDTH or (" and " not in text and " or " not in text):
            return [line]
        return [f"{indent}{word} (", *broken(text, indent + "    "), f"{indent}):"]

    def _assignment(self, statement: Assign, depth: int) -> list[str]:
        i = statement.value
        name = self.names[self.page.target[statement.target]]
        computed = i == statement.target or self.page.inline[i]
        text = self.expression(i)[0] if computed else self.variable(i)
        lines = assignment(name, text, "    " * depth)
        remark = self._remark(i) if computed else ""
        return annotated(lines, remark) if remark not in ("", text) else lines

    def _remark(self, i: int) -> str:
        """The part of the source that a statement computes, on one line."""
        if i >= len(self.page.program.spans):
            return ""
        span = self.page.program.spans[i]
        if span is None:
            return ""
        op = self.page.nodes[i][0]
        if isinstance(span, Adjoint) and (op in CONDITIONS or op in LAZY):
            return ""
        source = self.page.program.source.text[span[0] : min(span[1], span[0] + 400)]
        if "\n" in source or "  " in source:
            source = _SPACE.sub(" ", _COMMENT.sub("", source)).strip()
        text = escape(source)
        return f"d({text})" if isinstance(span, Adjoint) else text


def _simple(body: list[Assign | If]) -> bool:
    return all(isinstance(statement, Assign) for statement in body)


def annotated(lines: list[str], remark: str) -> list[str]:
    """Add a remark behind the last line of a statement, clipped to the width."""
    room = WIDTH - len(lines[-1]) - 4
    if room < _LEAST:
        return lines
    if len(remark) > room:
        remark = remark[: room - 3].rstrip() + "..."
    return [*lines[:-1], f"{lines[-1]}  # {remark}"]


def assignment(name: str, text: str, indent: str) -> list[str]:
    """`name = text`, broken as black breaks it when it is too long."""
    line = f"{indent}{name} = {text}"
    if len(line) <= WIDTH:
        return [line]
    inner = indent + "    "
    call = re.match(r"[\w.]+\((.*)\)\Z", text)
    if call and _closes_at_end(text):
        head, arguments = text[: call.start(1)], call[1]
        if len(inner) + len(arguments) <= WIDTH:
            return [f"{indent}{name} = {head}", inner + arguments, f"{indent})"]
        parts = _split(arguments, (",",))
        listed = [f"{inner}{p.strip().rstrip(',')}," for p in parts]
        if len(parts) == 1:
            listed = [inner + arguments]
        return [f"{indent}{name} = {head}", *listed, f"{indent})"]
    body = broken(text, inner)
    if len(body) == 1 and len(body[0]) > WIDTH and text.isidentifier():
        return [line]
    return [f"{indent}{name} = (", *body, f"{indent})"]


def broken(text: str, indent: str) -> list[str]:
    """An expression in parentheses: one line if it fits, else one an operand."""
    if len(indent) + len(text) <= WIDTH:
        return [indent + text]
    for words in ((" if ", " else "), (" or ",), (" and ",), _ORDER, _SUM, _PRODUCT):
        parts = _split(text, words)
        if len(parts) > 1:
            return [indent + part.strip() for part in parts]
    return [indent + text]


_ORDER = (" < ", " <= ", " > ", " >= ", " == ", " != ")
_SUM = (" + ", " - ")
_PRODUCT = (" * ", " / ", " % ")


def _split(text: str, words: tuple[str, ...]) -> list[str]:
    """Cut text before each of some operators that stands outside all brackets.

    A comma stays with what is before it.
    """
    parts, depth, start, k = [], 0, 0, 0
    while k < len(text):
        depth += (text[k] in "([") - (text[k] in ")]")
        found = next((w for w in words if not depth and text.startswith(w, k)), "")
        if found:
            cut = k + 1 if found == "," else k
            parts.append(text[start:cut])
            start = cut
            k += len(found) - 1
        k += 1
    return [*parts, text[start:]]


def _closes_at_end(text: str) -> bool:
    """Whether the first bracket of a call is closed by its last character."""
    depth = 0
    for k, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == ")" and depth == 0:
            return k == len(text) - 1
    return False
