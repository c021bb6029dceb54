"""Text is read up to a limited size; modules are written whole or not at all.

Columns of numbers are read from CSV files, which may be larger.
"""

import csv
import os
import re
import sys
from io import StringIO
from math import isfinite, nan
from pathlib import Path
from typing import Any

from gradc.arrays import leaves, nest
from gradc.errors import mistake
from gradc.ir import Argument
from gradc.targets.origin import fault

FilePath = str | os.PathLike[str]
MISSING = ("raise", "drop")  # what is done with rows in which something is missing
LIMIT = 64 * 10**6  # bytes that are read; a device or a pipe may have no end


def read_text(path: FilePath, most: int | None = LIMIT) -> str:
    """The text of a UTF-8 file, or for `-` of standard input, of so many bytes."""
    path = os.fspath(path)
    name = "<stdin>" if path == "-" else path
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as file:
            data = file.read() if most is None else file.read(most + 1)
        if most is not None and len(data) > most:
            raise mistake("oversized", name, limit=most // 10**6)
        return data.decode("utf-8")
    except OSError as error:
        raise mistake("unreadable", name, reason=error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise mistake("not_utf8", name, byte=error.start + 1) from None


def write(path: FilePath, text: str, *, force: bool = False) -> None:
    """Write a module whole or not at all; what is not ours only `force` overwrites."""
    name, data = os.fspath(path), text.encode("utf-8")
    try:
        if os.path.exists(name) and not os.path.isfile(name):
            Path(name).write_bytes(data)  # a device or a pipe, which stays
            return
        if os.path.exists(name) and not force:
            old = Path(name).read_text("utf-8", "replace")
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
        Path(temporary).unlink(missing_ok=True)


def numbers(item: Argument, given: Any) -> Any:
    """What is given for an argument, a text such as `2,3` or numbers, nested as it is."""
    name, shape, (first, *more) = item
    is_text = isinstance(given, str)
    parts = re.sub(r"[][\s]", "", given).split(",") if is_text else leaves(given)
    try:
        found = [*map(float, parts)]
    except (TypeError, ValueError):
        raise mistake("point_value", name=name, text=str(given)) from None
    rows, odd = divmod(len(found), 1 + len(more))
    if odd or (rows != 1 and not first.rows):
        raise mistake("point_count", name=name, found=len(found), wanted=1 + len(more))
    return nest(found, (rows, *shape) if first.rows else shape)


class Sheet:
    """A CSV file: columns by the names in its first line, numbers when asked for.

    Commas part the cells; lines without a cell are nothing.

    Arguments:
        missing: "drop" if cells may be empty, NA or nan, which is nan then.

    Raises:
        GradcError: the file cannot be read, is empty, or a line is too long or short.
    """

    def __init__(self, path: FilePath, missing: str = "raise") -> None:
        self.path, self.missing = os.fspath(path), missing
        text = read_text(path, None).removeprefix("\ufeff")
        reader = csv.reader(StringIO(text, newline=""))
        try:
            lines = [(reader.line_num, cells) for cells in reader if cells]
        except csv.Error as error:
            raise mistake("not_csv", self.path, reason=str(error)) from None
        if len(lines) < 2:
            raise mistake("no_rows", self.path)
        (_, head), *self.rows = lines
        self.columns, wanted = [name.strip() for name in head], len(head)
        for line, row in self.rows:
            if len(row) != wanted:
                raise mistake("cells", self.path, line=line, n=len(row), wanted=wanted)

    def __getitem__(self, name: str) -> list[float]:
        at, numbers = self.columns.index(name), list[float]()
        if name in self.columns[at + 1 :]:
            raise mistake("column_twice", self.path, name=name)
        for line, row in self.rows:
            cell = row[at].strip()
            try:
                number = float(cell.replace("_", "no digit"))
            except ValueError:
                number = nan
            if not isfinite(number):
                if self.missing != "drop" or cell.lower() not in ("", "na", "nan"):
                    raise mistake("cell", self.path, line=line, name=name, cell=cell)
                number = nan
            numbers.append(number)
        return numbers
