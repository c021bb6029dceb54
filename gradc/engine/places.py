"""Which line of Python is running: for the remarks, errors and names of a recording.

The lines that a recording meets are written down one below the other, each behind its
place, `line 12: h = w*x` or `model.py:12: h = w*x` if it is in another file than the
function. That text is the source of the recorded program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from gradc.errors import Lines, Source
from gradc.language.syntax import Span

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Places:
    """The lines that a function and what it calls run through.

    Arguments:
        code: the function's own code, if it is written in Python.
    """

    def __init__(self, code: CodeType | None) -> None:
        self.file = code.co_filename if code else ""
        self.name = os.path.basename(self.file) or "<graph>"
        self._code = code
        self._lines: list[str] = []
        self._end = 0
        self._written: dict[tuple[str, int], Span] = {}
        self._known: dict[CodeType, _Code | None] = {}

    def here(self) -> Span | None:
        """Where the innermost line that the user wrote stands in the source."""
        frame, code = self._innermost(sys._getframe(2))
        if frame is None or code is None:
            return None
        if code.frame is not frame:
            code.frame = frame
            code.runs += 1
        at = frame.f_lasti
        if at not in code.spans:
            code.spans[at] = self._write(frame.f_code.co_filename, frame.f_lineno)
        return code.spans[at]

    def _innermost(
        self, frame: FrameType | None
    ) -> tuple[FrameType | None, _Code | None]:
        """The innermost frame of the user, with what is known of its code."""
        known = self._known
        while frame is not None:
            code = frame.f_code
            if code not in known:
                file = code.co_filename
                is_user = file == self.file or not _is_installed(file)
                known[code] = _Code() if is_user else None
            if found := known[code]:
                return frame, found
            frame = frame.f_back
        return None, None

    def _write(self, file: str, line: int) -> Span:
        """The place of a line, which is added to the source if it is new."""
        if (file, line) not in self._written:
            own = file == self.file
            place = f"line {line}" if own else f"{os.path.basename(file)}:{line}"
            import linecache  # only those who trace need it

            words = linecache.getline(file, line).strip()
            text = f"{place}: {words}" if words else place
            self._lines.append(text)
            self._written[file, line] = self._end, self._end + len(text)
            self._end += len(text) + 1
        return self._written[file, line]

    def source(self) -> Source:
        """The lines that have been met, as the source of a program."""
        return Lines("\n".join(self._lines), f"<recording of {self.name}>")

    def now(self) -> tuple[Source, Span | None]:
        """The file and the line that are running, for an error."""
        frame, _ = self._innermost(sys._getframe())
        if frame is None:
            return self.function()
        return _shown(frame.f_code.co_filename, frame.f_lineno)

    def function(self) -> tuple[Source, Span | None]:
        """The file of the function and the line where it begins."""
        if self._code is None:
            return Source("", self.name), None
        return _shown(self.file, self._code.co_firstlineno)

    def variables(self) -> Iterator[tuple[str, Any]]:
        """What the variables of functions hold that ran once, the function's first."""
        codes = sorted(self._known, key=lambda code: code is not self._code)
        for found in filter(None, map(self._known.get, codes)):
            if found.frame is not None and found.runs == 1:
                yield from found.frame.f_locals.items()


class _Code:
    """What is known of a function's code: its lines and the last frame that ran it."""

    def __init__(self) -> None:
        self.spans: dict[int, Span] = {}  # by instructions
        self.frame: FrameType | None = None
        self.runs = 0


@lru_cache(maxsize=None)
def _is_installed(file: str) -> bool:
    """Whether a file belongs to gradc, to Python or to an installed library."""
    path = os.path.abspath(file)
    return path.startswith(_installed()) or file.startswith("<frozen")


@lru_cache(maxsize=1)
def _installed() -> tuple[str, ...]:
    """The folders of gradc, of Python and of installed libraries."""
    import sysconfig  # loads a module of its own for this machine

    libraries = [sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")]
    return tuple(os.path.join(path, "") for path in (_OWN, *libraries))


def _shown(file: str, line: int) -> tuple[Source, Span | None]:
    """A file with the place of the words in a line."""
    import linecache  # only those who trace need it

    name = os.path.basename(file)
    source = Source.read("".join(linecache.getlines(file)), name)
    if line > source.text.count("\n"):  # nothing is left of what was typed in
        return Source("", f"{name}:{line}"), None
    start, words = source.offset(line), source.line_text(line)
    lead = len(words) - len(words.lstrip())
    return source, (start + lead, start + max(len(words.rstrip()), lead))
