"""A text that the user wrote: its name, its lines, and the place of an offset.

Knows nothing of the language.  Lines are counted by newlines only, for the other
characters at which `str.splitlines` breaks would move the caret.
"""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

QUOTED = 400  # characters of a part that is quoted


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

    def part(self, start: int, end: int, moved: int = 0) -> str:
        """Return a part behind its place, as in `3:12: sin(x)`, so many lines down."""
        line, column = self.place(start)
        return f"{line + moved}:{column}: {self.quote(start, end)}"


class Lines(Source):
    """Lines of other texts, each behind its place: `line 12: h = w*x`."""

    def quote(self, start: int, end: int, again: bool = False) -> str:
        """Return a line, or only its place if it is known by now."""
        text = super().quote(start, end)
        return text.partition(": ")[0] if again else text

    def part(self, start: int, end: int, moved: int = 0) -> str:
        """Return a line, which tells its place."""
        return self.quote(start, end)
