"""What gradc says about a mistake, and how it points at the place.

A message has four parts: what, where (the caret), why, and what to do (the hint). The
sentences are rows of `grammar/mistakes.txt`, and `mistake` fills them in. Lines of a
text are counted by newlines only, for the other characters at which `str.splitlines`
breaks would move the caret.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from os.path import dirname, exists, join
from typing import Any

Span = tuple[int, int]

RESERVED = ("if", "else", "and", "or", "not", "for", "in", "return")
WIDTH = 88  # longer source lines are clipped around the place
QUOTED = 400  # characters of a part that is quoted
SHOWN = 40  # characters of what a sentence quotes
PACKAGE = dirname(__file__)


@dataclass(frozen=True)
class Source:
    """A text with its name.  Invariant: lines end in a newline, and nothing else."""

    text: str
    name: str = "<formula>"

    @classmethod
    def read(cls, text: str, name: str = "<formula>") -> "Source":
        """Drop a byte order mark and turn every style of line end into a newline."""
        text = text.removeprefix("\ufeff")
        return cls(text.replace("\r\n", "\n").replace("\r", "\n"), name)

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column, both counted from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int) -> int:
        """Return where a line, counted from 1, starts."""
        return self._starts[line - 1]

    def line_text(self, line: int) -> str:
        """Return a line, counted from 1, without its newline."""
        start = self._starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def quote(self, start: int, end: int, again: bool = False) -> str:
        """Return a part, cut if it is long; `again` says that it is known by now."""
        return self.text[start : min(end, start + QUOTED)]


class Lines(Source):
    """Lines of other texts, each behind its place: `line 12: h = w*x`."""

    def quote(self, start: int, end: int, again: bool = False) -> str:
        """Return a line, or only its place if it is known by now."""
        text = super().quote(start, end)
        return text.partition(": ")[0] if again else text


class GradcError(ValueError):
    """A mistake in what the user gave; its `str` is the whole message.

    Without a span the message is one line, `NAME: what is wrong`.
    """

    def __init__(
        self,
        message: str,
        source: Source | None = None,
        span: Span | None = None,
        hint: str | None = None,
        earlier: tuple[str, Span] | None = None,
    ) -> None:
        super().__init__(message, source, span, hint, earlier)
        self.message, self.source, self.span = message, source, span
        self.hint, self.earlier = hint, earlier
        self.line: int | None = None
        self.column: int | None = None
        if source is not None and span is not None:
            self.line, self.column = source.place(span[0])

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


class SyntaxMistake(GradcError):
    """The text is not a formula."""


class NameMistake(GradcError):
    """A name is unknown, used too early, or bound twice."""


class ArityMistake(GradcError):
    """A function has another number of arguments."""


class KindMistake(GradcError):
    """A condition stands where a number belongs, or the other way round."""


class DomainMistake(GradcError):
    """An interval, or an argument that must be constant, is not what it must be."""


class DomainError(GradcError):
    """A compiled formula has no finite value at a point, or no derivative."""


class ShapeMistake(GradcError):
    """An array, an index or a bound does not fit."""


class LimitMistake(GradcError):
    """The formula is larger than what gradc takes on."""


class TableMistake(GradcError):
    """A row of the table of operations is not well formed."""


class FileMistake(GradcError):
    """A file cannot be read or written."""


class CheckMistake(GradcError):
    """The self-check found the compiled code wrong, or nothing to try it on."""


class UsageMistake(GradcError):
    """The command line is at fault, not what it names."""


class RecordMistake(GradcError):
    """A Python function does what a recording cannot keep."""


# ---- what a sentence quotes


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
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def _excerpt(source: Source, span: Span) -> list[str]:
    """Draw the line of a span, clipped around it, with carets underneath."""
    start, end = span
    number, column = source.place(start)
    line = source.line_text(number)
    first, last = column - 1, min(column - 1 + max(end - start, 1), len(line))
    left = max(0, min(first - WIDTH // 3, len(line) - WIDTH))
    right = min(len(line), left + WIDTH)
    head = "..." if left else ""
    tail = "..." if right < len(line) else ""
    before = head + visible(line[left:first].replace("\t", " "))
    marked = visible(line[first : min(last, right)].replace("\t", " "))
    after = visible(line[min(last, right) : right].replace("\t", " ")) + tail
    caret = " " * _columns(before) + "^" * max(1, _columns(marked))
    return [f"    {before}{marked}{after}", f"    {caret}"]


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant, if there is one."""
    limit = max(len(name) > 1, len(name) // 3)
    near = [n for n in names if abs(len(n) - len(name)) <= limit < len(n) <= 40]
    ranked = sorted(
        (_distance(name.lower(), n.lower()), _rank(name, n), n) for n in near
    )
    return ranked[0][2] if ranked and ranked[0][0] <= limit else None


def _rank(name: str, other: str) -> tuple[int, bool]:
    """Among names at the same distance: of the same length and beginning first."""
    return abs(len(name) - len(other)), name[:1] != other[:1]


def _distance(a: str, b: str) -> int:
    """Count the letters to insert, drop, replace or swap with a neighbour.

    The restricted Damerau-Levenshtein distance, by rows of its matrix.
    """
    before, row = [0], list(range(len(b) + 1))
    for i, x in enumerate(a):
        last, before, row = before, row, [i + 1]
        for j, y in enumerate(b):
            step = min(before[j] + (x != y), before[j + 1] + 1, row[j] + 1)
            if i and j and x == b[j - 1] and a[i - 1] == y:
                step = min(step, last[j - 1] + 1)
            row.append(step)
    return row[-1]


def listed(names: Sequence[str], limit: int = 8) -> str:
    """The first of the names, and how many more there are."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(f"'{visible(name)}'" for name in names[:limit]) + more


def point_text(point: Mapping[str, float], limit: int = 8) -> str:
    """A point in words: `x = 1.5, y = -2.0`."""
    texts = [f"{visible(name)} = {x!r}" for name, x in islice(point.items(), limit)]
    more = len(point) - limit
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as a declaration writes it, in words if it is that of a number."""
    return f"shape [{', '.join(map(str, shape))}]" if shape else "a number"


# ---- the sentences


def grammar_text(name: str) -> str:
    """Return a text of `grammar/`: inside an installed package, else beside it."""
    installed = join(PACKAGE, "grammar", name)
    beside = join(dirname(PACKAGE), "grammar", name)
    with open(installed if exists(installed) else beside, encoding="utf-8") as file:
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
    return sections()[section].get(word)


@cache
def _kinds() -> Mapping[str, tuple[type[GradcError], str]]:
    """The kind of each mistake and its row."""
    return {
        key: (globals()[section], row)
        for section, rows in sections().items()
        if section.endswith("Mistake")
        for key, row in rows.items()
    }


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
    """Make the error of a row of `mistakes.txt`.

    Arguments:
        source: the text at fault, or the name of a file.
        earlier: another place that is shown.
        hint: said in place of the remedy of the row.
        near: names of which the closest to `name` was probably meant, if there is one.
        names: what stands in braces.
    """
    kind, row = _kinds()[key]
    row, _, label = row.partition(" ~~ ")
    sentence, _, written = row.partition(" ~ ")
    if best := closest(names["name"], near) if near else None:
        hint, names["best"] = "did you mean '{best}'?", best
    shown = {k: Shown(v) if isinstance(v, str) else v for k, v in names.items()}
    said = hint or written
    return kind(
        sentence.format_map(shown),
        Source("", source) if isinstance(source, str) else source,
        span,
        said.format_map(shown) if said else None,
        (label.format_map(shown), earlier) if earlier else None,
    )


def note(
    key: str, source: Source | None = None, span: Span | None = None, **names: Any
) -> str:
    """Make what is no mistake, but worth a line on standard error."""
    shown = {k: Shown(v) if isinstance(v, str) else v for k, v in names.items()}
    text = f"note: {sections()['Note'][key].format_map(shown)}"
    if source is None or span is None:
        return text
    line, column = source.place(span[0])
    return f"{visible(source.name)}:{line}:{column}: {text}"


def outside_domain(
    formula: Source,
    span: Span | None,
    value: float,
    at: Mapping[str, float],
    derivative: bool,
) -> GradcError:
    """A part of a compiled formula, or its derivative, is no number at a point."""
    what = "not a real number" if value != value else "infinite"
    shown = [f"{name} = {x!r}" for name, x in at.items()]
    where = ", ".join(shown if len(shown) < 8 else [*shown[:6], "..."])
    part = "the formula"
    if span is not None:
        part = visible(formula.text[span[0] : span[1]])
    if derivative:
        part = f"the derivative of {part}"
    end = f" at {where}" if where else ""
    return DomainError(f"{part} is {what}{end}", formula, span)


def bug(error: BaseException) -> str:
    """One line on what should never happen."""
    first = visible(str(error).partition("\n")[0])
    said = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return f"this is a bug in gradc: {said} (GRADC_TRACEBACK=1 shows where)"
