"""A text that the user wrote: its name, its lines, and the place of an offset.

Knows nothing of the language.  Lines are counted by newlines only, for the other
characters at which `str.splitlines` breaks would move the caret.
"""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property


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

    def line_text(self, line: int) -> str:
        """Return a line, counted from 1, without its newline."""
        start = self._starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]
