"""From a schedule to lines of text, in the layout that black would give them.

Knows how expressions nest and how long lines are broken; what the operations are called
comes from the table, and names come from `names`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from gradc.ir import CONDITIONS, LAZY, Adjoint, Node
from gradc.language.syntax import Span
from gradc.ops import Table
from gradc.passes.schedule import WIDTH, Assign, If, Schedule, Statement
from gradc.spelling import ATOM, COMPARE, NOT, SUM, SYMBOLS, UNARY, Spelling, spelling

_BRACKET = re.compile("[()]")
_COMMENT = re.compile(r"#[^\n]*")
_SPACE = re.compile(r"\\?\s+")
_WORD = re.compile(r"\w+")
_DECIDING = CONDITIONS | LAZY
_CONDITIONS = CONDITIONS | {"flag"}
_BELOW = ("lt", "le")
_WORD_AT_END = re.compile(r"\w+$")
_LEAST = 16  # columns that a remark needs to be worth its place


def literal(value: float) -> str:
    """A binary64 as Python and black write it; an infinite one needs no import."""
    return repr(value).replace("e+", "e").replace("inf", "1e999")


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


class Phrases:
    """How a module writes its operations, `spell` naming the functions they call."""

    def __init__(self, ops: Table, spell: Callable[[str], str]) -> None:
        self.ops = ops
        self.spell = spell
        self.known: dict[tuple[str, int], Spelling] = {}

    def write(
        self, node: Node, texts: Sequence[str], levels: Sequence[int]
    ) -> tuple[str, int]:
        """The text of a node over those of its arguments, and its level."""
        op, *args = node
        if op == "flag":
            return texts[args[0]], levels[args[0]]
        if op in ("False", "True"):
            return op, ATOM
        phrase = self.known.get((op, len(args)))
        if phrase is None:
            phrase = self.known[op, len(args)] = self._phrase(op, len(args))
        parts = []
        for k, limit in phrase.holes:
            text = texts[args[k]]
            parts.append(text if levels[args[k]] >= limit else f"({text})")
        return phrase.template % tuple(parts), phrase.level

    def _phrase(self, op: str, count: int) -> Spelling:
        found = spelling(self.ops[op], count)
        called = {name: self.spell(name) for name in found.names}
        template = _WORD.sub(lambda m: called.get(m[0], m[0]), found.template)
        return found._replace(template=template)


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
        spans = enumerate(page.program.spans)
        self.whole = {s: i for i, s in spans if s and s.__class__ is not Adjoint}
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

    # ---- statements

    def lines(self, depth: int = 1) -> list[str]:
        """The body of the function, so far in, without its last line."""
        found: list[str] = []
        for i in sorted(undecided(self.page) & self.names.keys()):
            none = "False" if self.page.nodes[i][0] in _CONDITIONS else "0.0"
            line = f"{'    ' * depth}{self.names[i]} = {none}"
            if found and found[-1].endswith(none):  # a = b = 0.0
                longer = f"{found[-1].removesuffix(none)}{line.lstrip()}"
                line = longer if len(longer) <= WIDTH and found.pop() else line
            found.append(line)
        for first in self.page.body:
            self.tops.append(len(found))
            stack: list[tuple[str, Statement | None, int]] = [("if", first, depth)]
            while stack:
                word, statement, inner = stack.pop()
                if statement is None:
                    found.append("    " * inner + word)
                elif isinstance(statement, Assign):
                    self._assign(statement, inner, found)
                else:
                    found += self._header(word, statement, inner)
                    yes, no = statement.yes or statement.no, statement.no
                    if statement.yes and len(no) == 1 and isinstance(no[0], If):
                        stack.append(("elif", no[0], inner))
                    elif statement.yes and no:
                        stack += [("if", s, inner + 1) for s in reversed(no)]
                        stack.append(("else:", None, inner))
                    stack += [("if", s, inner + 1) for s in reversed(yes)]
        return found

    def _header(self, word: str, statement: If, depth: int) -> list[str]:
        """The first line of a block behind a condition, or behind its opposite."""
        text = self.texts[statement.condition]
        if not statement.yes:
            simple = self.levels[statement.condition] >= NOT
            text = f"not {text}" if simple else f"not ({text})"
        return asked(word, text, "    " * depth)

    def _assign(self, statement: Assign, depth: int, found: list[str]) -> None:
        i, target = statement.value, statement.target
        name = self.names[self.page.target[target]]
        text = self.values[i] if i == target else self.texts[i]
        found += assignment(name, text, "    " * depth)
        if i == target or self.page.inline[i]:
            remark = self._remark(i)
            if remark and _bare(remark) not in (_bare(text), f"in{_bare(text)}"):
                found[-1] += self._annotation(found[-1], remark)

    def _annotation(self, line: str, remark: str) -> str:
        """A remark behind a line, cut where it has no room; each cut one stands once."""
        room = WIDTH - len(line) - 4
        if len(remark) > room:
            remark = f"{_WORD_AT_END.sub('', remark[: max(room - 3, 0)]).rstrip()}..."
            if room < _LEAST or remark in self.shortened:
                return ""
            self.shortened.add(remark)
        return f"  # {remark}"

    def _remark(self, i: int) -> str:
        """The part of the source that a statement computes, on one line."""
        program = self.page.program
        span = program.spans[i] if i < len(program.nodes) else None
        derived, again = span.__class__ is Adjoint, span in self.quoted
        if span is None or (derived and program.nodes[i][0] in _DECIDING):
            return ""
        self.quoted.add(span)
        text = one_line(program.source.quote(*span, derived or again))
        if derived:
            return f"in d({text})"
        if self.whole[span] == i:
            return text
        return "" if again else f"in {text}"


def undecided(page: Schedule) -> set[int]:
    """The variables that are read where not every path has assigned them."""
    found: set[int] = set()
    known: set[int] = set()
    added: list[list[int]] = [[]]  # to what is known, by the blocks around
    sides: list[set[int]] = []
    stack: list[Statement | str] = [*page.body[::-1]]
    while stack:
        statement = stack.pop()
        if isinstance(statement, Assign):
            i, target = statement.value, page.target[statement.target]
            is_own = i == statement.target
            found |= mentioned(page, page.nodes[i][1:] if is_own else [i]) - known
            if target not in known:
                known.add(target)
                added[-1].append(target)
        elif isinstance(statement, If):
            found |= mentioned(page, [statement.condition]) - known
            stack += ["end", *statement.no[::-1], "else", *statement.yes[::-1]]
            added.append([])
        else:
            sides.append({*added.pop()})
            known -= sides[-1]
            if statement == "else":
                added.append([])
                continue
            both = sides.pop() & sides.pop()
            known |= both
            added[-1] += both
    found |= mentioned(page, page.outputs) - known
    return found


def mentioned(page: Schedule, roots: Iterable[int]) -> set[int]:
    """The variables that some expressions mention."""
    found: set[int] = set()
    stack = [*roots]
    for i in stack:
        if page.inline[i]:
            stack += page.nodes[i][1:]
        else:
            found.add(page.target[i])
    return found


def _bare(text: str) -> str:
    """A formula without what the printer may write in another way."""
    return re.sub(r"\s|\.0\b", "", text)


def asked(word: str, text: str, indent: str) -> list[str]:
    """`if text:`, broken as black breaks it when it is too long."""
    line = f"{indent}{word} {text}:"
    body = broken(text, indent + "    ")
    if len(line) <= WIDTH or (len(body) == 1 and len(body[0]) > WIDTH):
        return [line]
    call = _call(text, indent)
    if call:
        return [f"{indent}{word} {call[0].lstrip()}", *call[1:-1], f"{call[-1]}:"]
    return [f"{indent}{word} (", *body, f"{indent}):"]


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
    for words in ((" if ", " else "), (" or ", " and "), _ORDER, _SUM, _PRODUCT):
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
