"""Files: what is read is text of a limited size, modules are written whole or not at all.

The pages of the manual are files of the package.
"""

from __future__ import annotations

import os
import sys

from gradc.errors import mistake
from gradc.targets.origin import carries_digest, is_ours

LIMIT = 64 * 10**6  # bytes that are read; a device or a pipe may have no end


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file.

    Raises:
        GradcError: the file cannot be read, is too large or is not UTF-8.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            return decode(file.read(LIMIT + 1), name)
    except OSError as error:
        reason = error.strerror or str(error)
        raise mistake("unreadable", name, reason=reason) from None


def standard_input() -> str:
    """The text of standard input, with the mistakes of `read_text`."""
    try:
        return decode(sys.stdin.buffer.read(LIMIT + 1), "<stdin>")
    except (AttributeError, OSError):  # it is closed, or no file for reading
        raise mistake("unreadable", "<stdin>", reason="it is not open") from None


def decode(data: bytes, name: str) -> str:
    """Bytes as text.

    Raises:
        GradcError: they are too many or not UTF-8.
    """
    if len(data) > LIMIT:
        raise mistake("oversized", name, limit=LIMIT // 10**6)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise mistake("not_utf8", name, byte=error.start + 1) from None


def write(path: str | os.PathLike[str], text: str, *, force: bool = False) -> None:
    """Write a module, by way of a temporary file in the same folder.

    Raises:
        GradcError: the file is there and is not ours to overwrite, unless `force`; or
            its folder cannot be written.
    """
    name = os.fspath(path)
    data = text.encode("utf-8")
    try:
        if os.path.exists(name) and not os.path.isfile(name):
            with open(name, "wb") as file:  # a device or a pipe, which stays
                file.write(data)
            return
        if os.path.exists(name) and not force:
            _require_ours(name)
        _replace(os.path.realpath(name), data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise mistake("unwritable", name, reason=reason) from None


def _require_ours(name: str) -> None:
    with open(name, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if text and not is_ours(text):
        edited = carries_digest(text)
        raise mistake("not_ours_edited" if edited else "not_ours", name)


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


def manual() -> dict[str, str]:
    """The pages of the manual by name, the first one first."""
    from pathlib import Path  # rarely needed

    pages = sorted((Path(__file__).parent / "manual").glob("*.md"))
    return {page.stem: page.read_text(encoding="utf-8") for page in pages}
