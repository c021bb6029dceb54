"""Text is read up to a limited size; modules are written whole or not at all."""

from __future__ import annotations

import os
import sys

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
