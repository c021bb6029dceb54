"""The lexer: text to lines, and lines to tokens.

A line is cut into pieces by one pattern. Of what kind a piece is depends on its text
alone, so that is found out once for each text. Tokens are the pieces that are neither
blank nor comments; inside brackets, the end of a line is none either.
"""

import re
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import NamedTuple

from gradc.errors import Span
from gradc.lalr import BLANK, COMMENT, NAME, RESERVED, SEPARATOR, SIGN, Table
from gradc.source import Source
from gradc.spell import LONGEST, spelled

LINE = re.compile(r"[^\n]*\n[ \t\f\n]*|[^\n]+")  # with the blank lines behind it
LONG = 1_000  # characters of a line that is read at once
LETTERS = "LETTERS"  # a run of letters that may be no name, or another one

Token = tuple[str, str, int, int]  # its kind, its text, where it starts and ends


class Line(NamedTuple):
    """The pieces of a line, or of a part of one that is long.

    Their kinds, their texts, and where each starts and the last one ends.
    """

    kinds: tuple[str, ...]
    texts: list[str]
    places: list[int]


class Kinds(dict[str, str]):
    """The kind of each text that has been met."""

    def __init__(self, table: Table) -> None:
        super().__init__((word, word) for word in (*table.words, *RESERVED))
        self.pattern = table.pattern

    def __missing__(self, text: str) -> str:
        match = self.pattern.match(text)
        assert match is not None
        kind = match.lastgroup or ""
        if kind == NAME:
            if not text.isascii() or len(text) > LONGEST:
                kind = LETTERS
        elif kind == SIGN:
            kind = text
        elif kind == COMMENT:
            return kind
        self[text] = kind
        return kind


class Lexer:
    """Reads one text; `opens` has where the brackets are that are open so far."""

    def __init__(self, source: Source, table: Table) -> None:
        self.source = source
        self.kinds = Kinds(table)
        self.pieces = table.pieces
        self.comments: list[Span] = []
        self.opens: list[int] = []

    def lines(self, limit: int) -> Iterator[Line]:
        """Yield the lines before `limit`, those that are long in parts."""
        for line in LINE.finditer(self.source.text, 0, limit):
            start, end = line.span()
            if end - start <= LONG:
                yield self._line(self.pieces.findall(line[0]), start)
                continue
            pieces = self.pieces.finditer(self.source.text, start, end)
            while texts := [piece[0] for piece in islice(pieces, LONG)]:
                yield self._line(texts, start)
                start += sum(map(len, texts))

    def _line(self, texts: list[str], start: int) -> Line:
        places = list(accumulate(map(len, texts), initial=start))
        return Line(tuple(map(self.kinds.__getitem__, texts)), texts, places)

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
