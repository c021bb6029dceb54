"""The lexer: text to lines, and lines to tokens.

The text is cut into pieces by one pattern, many lines at once. Of what kind a piece is
depends on its text alone, so that is found out once for most texts. Tokens are the
pieces that are neither blank nor comments; inside brackets, the end of a line is none
either.
"""

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import accumulate, islice
from typing import NamedTuple

from gradc.errors import RESERVED, Source, Span, mistake
from gradc.language.lalr import (
    BLANK,
    COMMENT,
    NAME,
    SEPARATOR,
    SIGN,
    Table,
    scanner,
)
from gradc.language.spell import LONGEST, spelled

LONG = 10_000  # characters that are read at once
MANY = 10_000  # texts of which the kind is remembered
MAX_TOKENS = 8_000_000  # what two million operations take, and some more
BLANK_LINES = re.compile(r"[ \t\f\n]*")
LETTERS = "LETTERS"  # a run of letters that may be no name, or another one

Token = tuple[str, str, int, int]  # its kind, its text, where it starts and ends


class Line(NamedTuple):
    """The pieces of a line up to a separator, or of a part of one that is long.

    Their kinds, their texts, and where each starts and the last one ends.
    """

    kinds: tuple[str, ...]
    texts: list[str]
    places: list[int]


_line = partial(tuple.__new__, Line)  # as Line(...), in a third of the time


class Kinds(dict[str, str]):
    """The kind of each text that has been met, not too long ago."""

    def __init__(self, words: tuple[str, ...], pattern: re.Pattern[str]) -> None:
        self.words = {word: word for word in (*words, *RESERVED)}
        super().__init__(self.words)
        self.pattern = pattern

    def __missing__(self, text: str) -> str:
        if len(self) > MANY:  # to look one up would take as long as to find it out
            self.clear()
            self.update(self.words)
        if text.isidentifier() and text.isascii() and len(text) <= LONGEST:
            self[text] = NAME  # as the pattern would find, in a third of the time
            return NAME
        match = self.pattern.match(text)
        assert match is not None
        kind = match.lastgroup or ""
        if kind == NAME:
            if not text.isascii() or len(text) > LONGEST:
                kind = LETTERS
        elif kind == SIGN:
            kind = text
        if kind != COMMENT and len(text) <= LONGEST:
            self[text] = kind
        return kind


_kinds = lru_cache(maxsize=4)(Kinds)  # those of one text serve the next


class Lexer:
    """Reads one text; `opens` has where the brackets are that are open so far."""

    def __init__(self, source: Source, table: Table) -> None:
        self.source = source
        pattern, self.pieces = scanner(source.text)
        self.kinds = _kinds(table.words, pattern)
        self.comments: list[Span] = []
        self.opens: list[int] = []

    def lines(self, limit: int) -> Iterator[Line]:
        """Yield the lines before `limit`, those that are long in parts.

        Raises:
            GradcError: there are more than `MAX_TOKENS` tokens.
        """
        start = count = 0
        for texts in self._read(limit):
            kinds = tuple(map(self.kinds.__getitem__, texts))
            places = list(accumulate(map(len, texts), initial=start))
            start = places[-1]
            count += len(kinds) - kinds.count(BLANK)
            if count > MAX_TOKENS:
                tokens = [i for i, kind in enumerate(kinds) if kind != BLANK]
                first = tokens[MAX_TOKENS - count]
                span = places[first], places[first + 1]
                raise mistake("text_too_long", self.source, span, limit=MAX_TOKENS)
            first = 0
            for _ in range(kinds.count(SEPARATOR)):
                end = kinds.index(SEPARATOR, first) + 1
                pieces = kinds[first:end], texts[first:end], places[first : end + 1]
                yield _line(pieces)
                first = end
            if first < len(kinds):
                yield _line((kinds[first:], texts[first:], places[first:]))

    def _read(self, limit: int) -> Iterator[list[str]]:
        """Yield the pieces of whole lines, with the blank lines behind them.

        Those of a long line are yielded in parts.
        """
        text, start = self.source.text, 0
        while start < limit:
            near = min(start + LONG, limit)
            end = near if near == limit else text.rfind("\n", start, near) + 1
            is_long = end == 0
            if is_long:
                end = text.find("\n", near, limit) + 1 or limit
            blank = BLANK_LINES.match(text, end, limit)
            end = blank.end() if blank else end
            if is_long:
                pieces = self.pieces.finditer(text, start, end)
                while texts := [piece[0] for piece in islice(pieces, LONG)]:
                    yield texts
            else:
                yield self.pieces.findall(text, start, end)
            start = end

    def tokens(self, line: Line) -> Iterator[Token]:
        """Yield the tokens of a line.

        Raises:
            GradcError: a run of letters is no name.
        """
        opens = self.opens
        for kind, text, start, stop in zip(*line, line.places[1:]):
            if kind == BLANK or kind == SEPARATOR and opens and text != ";":
                continue
            if kind == COMMENT:
                self.comments.append((start, stop))
                continue
            if kind == LETTERS:
                kind, text = NAME, spelled(self.source, (start, stop))
            elif kind in "([":
                opens.append(start)
            elif kind in ")]" and opens:
                opens.pop()
            yield kind, text, start, stop
