"""Text is read up to a limited size; modules are written whole or not at all.

Columns of numbers are read from CSV files, which may be larger.
"""

from __future__ import annotations

import csv
import os
import sys
from contextlib import suppress
from itertools import chain
from math import isfinite, nan
from typing import Any

from gradc.errors import mistake
from gradc.targets.origin import fault

LIMIT = 64 * 10**6  # bytes that are read; a device or a pipe may have no end


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file, or for `-` of standard input."""
    path = os.fspath(path)
    name = "<stdin>" if path == "-" else path
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as file:
            data = file.read(LIMIT + 1)
        if len(data) > LIMIT:
            raise mistake("oversized", name, limit=LIMIT // 10**6)
        return data.decode("utf-8")
    except OSError as error:
        raise mistake("unreadable", name, reason=error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise mistake("not_utf8", name, byte=error.start + 1) from None


def write(path: str | os.PathLike[str], text: str, *, force: bool = False) -> None:
    """Write a module whole or not at all; what is not ours only `force` overwrites."""
    name, data = os.fspath(path), text.encode("utf-8")
    try:
        if os.path.exists(name) and not os.path.isfile(name):
            with open(name, "wb") as file:  # a device or a pipe, which stays
                file.write(data)
            return
        if os.path.exists(name) and not force:
            with open(name, encoding="utf-8", errors="replace") as file:
                old = file.read()
            if old and (key := fault(old)):
                raise mistake(key, name, hint="only --force (force=True) overwrites it")
        _replace(os.path.realpath(name), data)
    except OSError as error:
        raise mistake("unwritable", name, reason=error.strerror or str(error)) from None


def _replace(target: str, data: bytes) -> None:
    """Put a new file in the place of another one, whose permissions it gets."""
    temporary = os.path.join(os.path.dirname(target), f".gradc-{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


class Sheet:
    """A CSV file: columns by the names in its first line, numbers when asked for.

    Cells are parted by commas, or by semicolons or tabs if the first line has these
    and no comma. Lines without a cell are nothing.

    Arguments:
        missing: "drop" if cells may be empty, NA or nan, which is nan then.

    Raises:
        GradcError: the file cannot be read, is empty, or a line is too long or short.
    """

    def __init__(self, path: str | os.PathLike[str], missing: str = "raise") -> None:
        self.path, self.missing = os.fspath(path), missing
        self.rows: list[tuple[Any, ...]]  # each behind the number of its line
        try:
            source = sys.stdin.fileno() if self.path == "-" else self.path
            with open(source, encoding="utf-8-sig", newline="") as file:
                head = file.readline()
                sign = next((sign for sign in ",;\t" if sign in head), ",")
                reader = csv.reader(chain([head], file), delimiter=sign)
                self.rows = [(reader.line_num, *row) for row in reader if row]
        except OSError as error:
            reason = error.strerror or str(error)
            raise mistake("unreadable", self.path, reason=reason) from None
        except (UnicodeDecodeError, csv.Error) as error:
            raise mistake("not_csv", self.path, reason=str(error)) from None
        if len(self.rows) < 2:
            raise mistake("no_rows", self.path)
        self.columns = [name.strip() for name in self.rows.pop(0)[1:]]
        wanted = 1 + len(self.columns)
        if odd := next((row for row in self.rows if len(row) != wanted), None):
            found = len(odd) - 1
            raise mistake("cells", self.path, line=odd[0], n=found, wanted=wanted - 1)

    def __getitem__(self, name: str) -> list[float]:
        at = 1 + self.columns.index(name)
        if name in self.columns[at:]:
            raise mistake("column_twice", self.path, name=name)
        try:
            numbers = [float(row[at]) for row in self.rows]
        except ValueError:
            numbers = [nan]
        if isfinite(sum(numbers)):
            return numbers
        return [self._number(name, row[0], row[at].strip()) for row in self.rows]

    def _number(self, name: str, line: int, cell: str) -> float:
        """A cell that may be at fault."""
        if self.missing == "drop" and cell.lower() in ("", "na", "nan"):
            return nan
        with suppress(ValueError):
            if isfinite(float(cell)):
                return float(cell)
        raise mistake("cell", self.path, line=line, name=name, cell=cell)
