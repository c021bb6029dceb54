"""What gradc says about a mistake, and how it points at the place.

A message has four parts: what, where (the caret), why, and what to do (the hint). The
sentences are rows of `grammar/mistakes.txt`, and `mistake` fills them in. Lines of a
text are counted by newlines only, for the other characters at which `str.splitlines`
breaks would move the caret.
"""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import islice, pairwise
from os.path import dirname, exists, join
from typing import Any

Span = tuple[int, int]

RESERVED = ("if", "else", "and", "or", "not", "for", "in", "return")
WIDTH = 88  # longer source lines are clipped around the place
QUOTED = 400  # characters of a part that is quoted
SHOWN = 40  # characters of what a sentence quotes
SOME = 8  # names, or numbers of a point, that it lists
PACKAGE = dirname(__file__)


@dataclass(frozen=True)
class Source:
    """A text with its name.  Invariant: lines end in a newline, and nothing else."""

    text: str
    name: str = "<formula>"
    recorded: bool = False  # lines of other texts by their place: `line 12: h = w*x`

    @classmethod
    def read(cls, text: str, name: str = "<formula>") -> "Source":
        """Drop a byte order mark and turn every style of line end into a newline."""
        text = text.removeprefix("\ufeff")
        return cls(text.replace("\r\n", "\n").replace("\r", "\n"), name)

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column, both counted from 1."""
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - self.text.rfind("\n", 0, offset)

    def line(self, number: int) -> Span:
        """Return where a line, counted from 1, starts and ends, without its newline."""
        lines = self.text.split("\n", number)
        start = sum(len(line) + 1 for line in lines[: number - 1])
        return start, start + len(lines[number - 1])

    def quote(self, start: int, end: int, again: bool = False) -> str:
        """Return a part, cut if it is long; of a recorded line `again` its place."""
        part = self.text[start : min(end, start + QUOTED)]
        return part.partition(": ")[0] if self.recorded and again else part


@dataclass(eq=False)
class GradcError(ValueError):
    """A mistake in what the user gave; its `str` is the whole message.

    Without a span the message is one line, `NAME: what is wrong`. The kind is the
    section of `mistakes.txt` that has its row.
    """

    message: str
    source: Source | None = None
    span: Span | None = None
    hint: str | None = None
    earlier: tuple[str, Span] | None = None
    kind: str = ""

    def __post_init__(self) -> None:
        self.line: int | None = None
        self.column: int | None = None
        if self.source and self.span:
            self.line, self.column = self.source.place(self.span[0])

    def __str__(self) -> str:
        lines = [self.message]
        if self.source is not None:
            place = f":{self.line}:{self.column}" if self.span else ""
            name = visible(self.source.name) or "''"
            lines = [f"{name}{place}: {self.message}"]
            if self.span is not None:
                lines += _excerpt(self.source, self.span)
            if self.earlier is not None:
                label, span = self.earlier
                lines.append(f"  {label} in line {self.source.place(span[0])[0]}:")
                lines += _excerpt(self.source, span)
        if self.hint is not None:
            lines.append(f"  {self.hint}")
        return "\n".join(lines)


class DomainError(GradcError):
    """A compiled formula has no finite value at a point, or no derivative.

    Over columns `row` is the row in which there is none, counted from 0.
    """

    row: int | None = None


def visible(text: str) -> str:
    """Escape what would not show, or would change the terminal, when printed."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class Shown(str):
    """A text in a sentence: escaped, and cut to the length that a row asks for."""

    def __format__(self, limit: str) -> str:
        most = int(limit or SHOWN)
        return visible(f"{self[: most - 3]}..." if len(self) > most else self)


def quote(text: str) -> str:
    """Show a piece of the source in a sentence: escaped, clipped, in quotes."""
    return f"'{Shown(text)}'"


def character(char: str) -> str:
    """Show a character; one beyond ASCII with its number and name."""
    if char.isascii():
        return quote(char)
    shown = f"\u25cc{char}" if unicodedata.combining(char) else char
    name = unicodedata.name(char, "")
    return f"{quote(shown)} (U+{ord(char):04X}{' ' if name else ''}{name})"


def _columns(text: str) -> int:
    """Count the columns that a terminal gives to a text."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def _excerpt(source: Source, span: Span) -> list[str]:
    """Draw the line of a span, clipped around it, with carets underneath."""
    first, (start, end) = span[0], source.line(source.place(span[0])[0])
    left = max(start, min(first - WIDTH // 3, end - WIDTH))
    right = min(end, left + WIDTH)
    cuts = left, first, max(first, min(span[1], right)), right
    before, marked, after = (
        visible(source.text[i:j].replace("\t", " ")) for i, j in pairwise(cuts)
    )
    before = f"...{before}" if left > start else before
    after = f"{after}..." if right < end else after
    caret = " " * _columns(before) + "^" * max(1, _columns(marked))
    return [f"    {before}{marked}{after}", f"    {caret}"]


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant, if there is one: of the same letters."""
    limit, word = max(len(name) > 1, len(name) // 3), name.lower()
    alike = (n for n in names if abs(len(n) - len(name)) <= limit < len(n) <= 40)
    known = {n.lower(): n for n in alike}
    near = get_close_matches(word, known, cutoff=0.65)
    near.sort(key=lambda other: sorted(other) != sorted(word))
    return known[near[0]] if near else None


def listed(names: Collection[str]) -> str:
    """Names in words: `'x', 'y'`, the first of them if they are many."""
    return _some((f"'{visible(name)}'" for name in names), len(names))


def point_text(point: Mapping[str, float]) -> str:
    """A point in words: `x = 1.5, y = -2.0`, in part if its inputs are many."""
    return _some((f"{visible(name)} = {x!r}" for name, x in point.items()), len(point))


def _some(texts: Iterable[str], count: int) -> str:
    more = f" and {count - SOME} more" if count > SOME else ""
    return ", ".join(islice(texts, SOME)) + more


def table(rows: Sequence[tuple[str, Any]]) -> str:
    """Two columns, the second one aligned."""
    width = max(len(first) for first, _ in rows)
    return "\n".join(f"{first:{width}}  {second}" for first, second in rows)


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as a declaration writes it, in words if it is that of a number."""
    return f"shape [{', '.join(map(str, shape))}]" if shape else "a number"


def grammar_text(name: str) -> str:
    """Return a text of `grammar/`: inside an installed package, else beside it."""
    folder = PACKAGE if exists(join(PACKAGE, "grammar")) else dirname(PACKAGE)
    with open(join(folder, "grammar", name), encoding="utf-8") as file:
        return file.read()


@cache
def sections() -> Mapping[str, Mapping[str, str]]:
    """The rows of `mistakes.txt` by section and name, each a sentence and a remedy."""
    found: dict[str, dict[str, str]] = {}
    section, is_table = dict[str, str](), False
    for line in grammar_text("mistakes.txt").split("\n"):
        if line.startswith("["):
            name = line.strip("[]")
            section = found.setdefault(name, {})
            is_table = name.isupper()
        elif line and not line.startswith("#"):
            names, _, rest = line.partition(" ~ " if is_table else ": ")
            section |= dict.fromkeys(names.split() if is_table else [names], rest)
    return found


def remedy(section: str, word: str) -> str | None:
    """What a section in capitals says of a word, a sign or a character."""
    return sections().get(section, {}).get(word)


def mistake(
    key: str,
    /,
    source: Source | str | None = None,
    span: Span | None = None,
    *,
    earlier: Span | None = None,
    hint: str | None = None,
    near: Iterable[str] = (),
    **names: Any,
) -> GradcError:
    """Make the error of a row of `mistakes.txt`; `names` are what stands in braces.

    Arguments:
        source: the text at fault, or the name of a file.
        earlier: another place that is shown.
        hint: said in place of the remedy of the row.
        near: names of which the closest to `name` was probably meant, if there is one.
    """
    kind, rows = next(each for each in sections().items() if key in each[1])
    row, _, label = rows[key].partition(" ~~ ")
    sentence, _, said = row.partition(" ~ ")
    said = hint or said
    if best := closest(names["name"], near) if near else None:
        said, names["best"] = "did you mean '{best}'?", best
    source = Source("", source) if isinstance(source, str) else source
    what, hint = _filled(sentence, names), _filled(said, names) if said else None
    other = (_filled(label, names), earlier) if earlier and label else None
    return GradcError(what, source, span, hint, other, kind)


def note(
    key: str, source: Source | None = None, span: Span | None = None, **names: Any
) -> str:
    """Make what is no mistake, but worth a line on standard error."""
    said = mistake(key, source, span, **names)
    said.message = f"note: {said.message}"
    return str(said).partition("\n")[0]


def _filled(sentence: str, names: Mapping[str, Any]) -> str:
    """A sentence with what stands in its braces."""
    shown = {k: Shown(v) if isinstance(v, str) else v for k, v in names.items()}
    return sentence.format_map(shown)
