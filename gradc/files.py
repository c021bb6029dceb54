"""Files: formulas are read as UTF-8, modules are written whole or not at all."""

from __future__ import annotations

import os

from gradc.errors import not_ours, not_utf8, unreadable, unwritable
from gradc.targets.python import carries_digest, is_ours


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file.

    Raises:
        GradcError: the file cannot be read or is not UTF-8.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            return decode(file.read(), name)
    except OSError as error:
        raise unreadable(name, error.strerror or str(error)) from None


def decode(data: bytes, name: str) -> str:
    """Bytes as text.

    Raises:
        GradcError: they are not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(name, error.start) from None


def write(path: str | os.PathLike[str], text: str, *, force: bool = False) -> None:
    """Write a module, by way of a temporary file in the same folder.

    Raises:
        GradcError: the file is there and is not ours to overwrite, unless `force`; or
            its folder cannot be written.
    """
    name = os.fspath(path)
    if os.path.exists(name) and not os.path.isfile(name):
        _write_through(name, text)  # a device or a pipe, which nothing may replace
        return
    if not force:
        _require_ours(name)
    target = os.path.realpath(name)
    temporary = os.path.join(os.path.dirname(target), f".gradc-{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb") as file:
            os.chmod(temporary, _mode(name))
            file.write(text.encode("utf-8"))
        os.replace(temporary, target)
    except OSError as error:
        raise unwritable(name, error.strerror or str(error)) from None
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _write_through(name: str, text: str) -> None:
    try:
        with open(name, "wb") as file:
            file.write(text.encode("utf-8"))
    except OSError as error:
        raise unwritable(name, error.strerror or str(error)) from None


def _mode(name: str) -> int:
    """The permissions of the file that is replaced, or of any new file."""
    try:
        return os.stat(name).st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _require_ours(name: str) -> None:
    try:
        with open(name, "rb") as file:
            text = file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise unwritable(name, error.strerror or str(error)) from None
    if text and not is_ours(text):
        raise not_ours(name, carries_digest(text))
