"""From a schedule to lines of text, in the layout that black would give them.

Knows how expressions nest and how long lines are broken; what the operations are called
comes from the table, and names come from `names`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from gradc.ir import CONDITIONS, LAZY, Adjoint, Node
from gradc.language.syntax import Span
from gradc.ops import Table
from gradc.passes.schedule import WIDTH, Assign, If, Schedule
from gradc.spelling import ATOM, COMPARE, NOT, SUM, SYMBOLS, UNARY, spelling

_BRACKET = re.compile("[()]")
_COMMENT = re.compile(r"#[^\n]*")
_SPACE = re.compile(r"\\?\s+")
_WORD = re.compile(r"\w+")
_DECIDING = CONDITIONS | LAZY
_BELOW = ("lt", "le")
_ORDERED = {"lt": "<", "le": "<=", "gt": "<", "ge": "<="}  # as with the lesser first
_WORD_AT_END = re.compile(r"\w+$")
_INNERMOST = re.compile(r"\((?:[^()]|\([^()]{0,3}\)){4,}\)")
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


def one_line(text: str) -> str:
    """A part of a formula, or the beginning of a long one, as it fits in a line."""
    text = text[:400]
    if "\n" in text or "  " in text:
        text = _SPACE.sub(" ", _COMMENT.sub("", text)).strip()
    return escape(text)


class Phrase(NamedTuple):
    """An operation as the module writes it: a template, and what stands in its holes.

    `slots` are the arguments with the loosest level that needs no parentheses.
    """

    template: str
    slots: tuple[tuple[int, int], ...]
    level: int


class Phrases:
    """How a module writes its operations, `spell` naming the functions they call."""

    def __init__(self, ops: Table, spell: Callable[[str], str]) -> None:
        self.ops = ops
        self.spell = spell
        self.known: dict[tuple[str, int], Phrase] = {}

    def write(
        self, node: Node, texts: Sequence[str], levels: Sequence[int]
    ) -> tuple[str, int]:
        """The text of a node over those of its arguments, and its level."""
        if node[0] == "flag":
            return texts[node[1]], levels[node[1]]
        if len(node) == 1 and node[0] in ("False", "True"):
            return node[0], ATOM
        key = node[0], len(node)
        phrase = self.known.get(key)
        if phrase is None:
            phrase = self.known[key] = self._phrase(*key)
        template, slots, level = phrase
        if len(slots) == 2:  # most have two: this one in half of the time
            (j, limit), (k, least) = slots
            a, b = node[j], node[k]
            x = texts[a] if levels[a] >= limit else f"({texts[a]})"
            y = texts[b] if levels[b] >= least else f"({texts[b]})"
            return template % (x, y), level
        parts = []
        for k, limit in slots:
            a = node[k]
            parts.append(texts[a] if levels[a] >= limit else f"({texts[a]})")
        return template % tuple(parts), level

    def _phrase(self, op: str, length: int) -> Phrase:
        found = spelling(self.ops[op], length - 1)
        called = {name: self.spell(name) for name in found.names}
        template = ""
        for piece in found.pieces:
            if isinstance(piece, str):
                text = _WORD.sub(lambda word: called.get(word[0], word[0]), piece)
                template += text.replace("%", "%%")
            else:
                template += "%s"
        slots = tuple((1 + k, limit) for k, limit in found.holes)
        return Phrase(template, slots, found.level)


class Printer:
    """Prints the statements of one function.

    `leaves` are the texts of constants, inputs and nodes computed at import, empty for
    all others; `names` the variables.
    """

    def __init__(
        self,
        page: Schedule,
        leaves: Sequence[str],
        names: Mapping[int, str],
        phrases: Phrases,
    ) -> None:
        self.page = page
        self.names = names
        own = len(page.nodes) - len(leaves)  # conditions of flags
        self.texts = [*leaves, *[""] * own]
        self.levels = [ATOM] * len(self.texts)
        self.values: dict[int, str] = {}  # of nodes that have a variable
        self.whole = {span: i for i, span in enumerate(page.program.spans) if span}
        self.quoted: set[Span] = set()  # the parts of the source in remarks so far
        self.shortened: set[str] = set()  # the remarks so far that leave something out
        self.tops: list[int] = []  # the lines at which the body's statements begin
        self._write(phrases)

    def _write(self, phrases: Phrases) -> None:
        """Write every node that the function computes, inside what reads it."""
        texts, levels, names = self.texts, self.levels, self.names
        inline, target, write = self.page.inline, self.page.target, phrases.write
        for i, node in enumerate(self.page.nodes):
            if texts[i]:
                if texts[i][0] == "-":
                    levels[i] = UNARY
            elif inline[i] or target[i] in names:
                if node[0] in _BELOW and self._is_near(node):
                    text, level = self._near(node), COMPARE
                elif node[0] == "and" and (between := self._between(node)):
                    text, level = between, COMPARE
                else:
                    text, level = write(node, texts, levels)
                if inline[i]:
                    texts[i], levels[i] = text, level
                else:
                    texts[i], self.values[i] = names[target[i]], text

    def _is_near(self, node: Node) -> bool:
        """Whether a comparison is a constant bound on a size that it computes."""
        nodes = self.page.nodes
        size, limit = nodes[node[1]], nodes[node[2]]
        is_bound = limit[0] == "const" and limit[1] > 0.0
        return size[0] == "abs" and self.page.inline[node[1]] and is_bound

    def _near(self, node: Node) -> str:
        """`abs(x) < 0.25` as `-0.25 < x < 0.25`, which calls nothing."""
        symbol, x = SYMBOLS[node[0]], self.page.nodes[node[1]][1]
        text = self.texts[x] if self.levels[x] >= SUM else f"({self.texts[x]})"
        limit = self.texts[node[2]]
        return f"-{limit} {symbol} {text} {symbol} {limit}"

    def _between(self, node: Node) -> str:
        """`x > a and x < b` as `a < x < b`, an empty text for any other condition."""
        first, second = map(self._ordered, node[1:])
        if first and second and first[2] == second[0]:
            return self._chained(first, second)
        if first and second and second[2] == first[0]:
            return self._chained(second, first)
        return ""

    def _ordered(self, i: int) -> tuple[int, str, int] | None:
        """A comparison of what has been computed: the lesser, a symbol, the greater."""
        op, *args = self.page.nodes[i]
        if not self.page.inline[i] or op not in _ORDERED:
            return None
        if any(self.page.inline[a] and self.levels[a] < UNARY for a in args):
            return None
        less, greater = args if op in _BELOW else reversed(args)
        return less, _ORDERED[op], greater

    def _chained(
        self, first: tuple[int, str, int], second: tuple[int, str, int]
    ) -> str:
        (less, one, middle), (_, other, greater) = first, second
        texts = self.texts
        return f"{texts[less]} {one} {texts[middle]} {other} {texts[greater]}"

    # ---- statements

    def lines(self, depth: int = 1) -> list[str]:
        """The body of the function, so far in, without its last line."""
        found: list[str] = []
        for first in self.page.body:
            self.tops.append(len(found))
            if isinstance(first, Assign):
                self._assign(first, depth, found)
            else:
                self._block(first, depth, found)
        return found

    def _block(self, first: If, depth: int, found: list[str]) -> None:
        stack: list[tuple[Assign | If | str, int]] = [(first, depth)]
        while stack:
            statement, depth = stack.pop()
            if isinstance(statement, str):
                found.append("    " * depth + statement)
            elif isinstance(statement, Assign):
                self._assign(statement, depth, found)
            else:
                stack += reversed(self._branching(statement, depth, found))

    def _branching(
        self, statement: If, depth: int, found: list[str]
    ) -> list[tuple[Assign | If | str, int]]:
        """Write the first line of a conditional; what is left of it to write."""
        negative = not statement.yes
        word = "if"
        while True:
            found += self.header(word, statement.condition, negative, depth)
            yes = statement.no if negative else statement.yes
            no = [] if negative else statement.no
            if len(no) == 1 and isinstance(no[0], If) and _simple(yes):
                for simple in yes:
                    assert isinstance(simple, Assign)
                    self._assign(simple, depth + 1, found)
                statement, word = no[0], "elif"
                negative = not statement.yes
                continue
            later: list[tuple[Assign | If | str, int]] = [(s, depth + 1) for s in yes]
            if no:
                later.append(("else:", depth))
            return later + [(s, depth + 1) for s in no]

    def header(
        self, word: str, condition: int, negative: bool, depth: int
    ) -> list[str]:
        """The first line of a block behind a condition, or behind its opposite."""
        text = self.texts[condition]
        if negative:
            simple = self.levels[condition] >= NOT
            text = f"not {text}" if simple else f"not ({text})"
        indent = "    " * depth
        line = f"{indent}{word} {text}:"
        body = broken(text, indent + "    ")
        if len(line) <= WIDTH or (len(body) == 1 and len(body[0]) > WIDTH):
            return [line]
        return [f"{indent}{word} (", *body, f"{indent}):"]

    def _assign(self, statement: Assign, depth: int, found: list[str]) -> None:
        i, target = statement.value, statement.target
        name = self.names[self.page.target[target]]
        text = self.values[i] if i == target else self.texts[i]
        found += assignment(name, text, "    " * depth)
        if i == target or self.page.inline[i]:
            remark = self._remark(i, target)
            if remark and _bare(remark) != _bare(text):
                found[-1] += self._annotation(found[-1], remark)

    def _annotation(self, line: str, remark: str) -> str:
        """A remark behind a line that has room; what one leaves out is left out once."""
        room = WIDTH - len(line) - 4
        text = abridged(remark, room) if room >= _LEAST else ""
        if text != remark:
            if text in self.shortened:
                return ""
            self.shortened.add(text)
        return text and f"  # {text}"

    def _remark(self, i: int, target: int) -> str:
        """The part of the source that a statement computes, on one line."""
        program = self.page.program
        span = program.spans[i] if i < len(program.nodes) else None
        if span is None:
            return ""
        derived, again = span.__class__ is Adjoint, span in self.quoted
        if derived and program.nodes[i][0] in _DECIDING:
            return ""
        self.quoted.add(span)
        start, end = span
        text = one_line(program.source.quote(start, end, derived or again))
        if not derived and self.whole[span] != i:
            return "" if again else f"in {text}"
        return f"in d({text})" if derived else text


def _simple(body: list[Assign | If]) -> bool:
    return all(isinstance(statement, Assign) for statement in body)


def _bare(text: str) -> str:
    """A formula without what the printer may write in another way."""
    return re.sub(r"\s|\.0\b", "", text)


def abridged(remark: str, room: int) -> str:
    """A remark that has room, with brackets closed, or clipped if it is still too long.

        in d(log(exp(a - m) + exp(b - m)))    -->    in d(log(exp(...) + exp(...)))

    Empty if it says nothing.
    """
    if len(remark) <= room:
        return remark
    if remark.startswith("in d("):
        inner = abridged(remark[5:-1], room - 6)
        return inner and f"in d({inner})"
    while len(remark) > room and (shorter := _INNERMOST.sub("(...)", remark)) != remark:
        remark = shorter
    if len(remark) > room:
        remark = _WORD_AT_END.sub("", remark[: room - 3]).rstrip() + "..."
    return remark if _WORD.search(remark.removeprefix("in ")) else ""


def assignment(name: str, text: str, indent: str) -> list[str]:
    """`name = text`, broken as black breaks it when it is too long."""
    line = f"{indent}{name} = {text}"
    if len(line) <= WIDTH:
        return [line]
    if call := _call(text, indent):
        first, *others = call
        return [f"{indent}{name} = {first.lstrip()}", *others]
    body = broken(text, indent + "    ")
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
            return [line for part in parts for line in broken(part.strip(), indent)]
    return _call(text, indent) or [indent + text]


def _call(text: str, indent: str) -> list[str]:
    """A call with its arguments on lines of their own; none if it is no call."""
    call = re.match(r"(?:\W+ )?[\w.]+\((.*)\)\Z", text)
    if not call or not _closes_at_end(text):
        return []
    head, inside, inner = text[: call.start(1)], call[1], indent + "    "
    arguments = _split(inside, (",",))
    if len(inner) + len(inside) <= WIDTH or len(arguments) == 1:
        body = broken(inside, inner)
    else:
        body = []
        for argument in arguments:
            *others, last = broken(argument.strip().rstrip(","), inner)
            body += [*others, f"{last},"]
    return [indent + head, *body, f"{indent})"]


_ORDER = (" < ", " <= ", " > ", " >= ", " == ", " != ")
_SUM = (" + ", " - ")
_PRODUCT = (" * ", " / ", " % ")


def _split(text: str, words: tuple[str, ...]) -> list[str]:
    """Cut text before each of some operators that stands outside all brackets.

    A comma stays with what is before it.
    """
    parts, depth, start = [], 0, 0
    for match in _cuts(words).finditer(text):
        found = match[0]
        if found in "([":
            depth += 1
        elif found in ")]":
            depth -= 1
        elif not depth:
            cut = match.end() if found == "," else match.start()
            parts.append(text[start:cut])
            start = cut
    return [*parts, text[start:]]


@cache
def _cuts(words: tuple[str, ...]) -> re.Pattern[str]:
    """What `_split` has to look at: brackets, and the operators at which it cuts."""
    return re.compile("|".join([r"[(\[\])]", *map(re.escape, words)]))


def _closes_at_end(text: str) -> bool:
    """Whether the first bracket of a call is closed by its last character."""
    depth = 0
    for match in _BRACKET.finditer(text):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.end() == len(text)
    return False
