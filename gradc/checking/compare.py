"""Whether a module on disk is what its formula gives, and if not, what it is."""

from __future__ import annotations

import os

from gradc import __version__
from gradc.errors import mistake
from gradc.files import read_text
from gradc.targets.module import carries_digest, extract, is_ours, version


def known(file: str) -> str:
    """The text of a module that this version of gradc wrote and nobody edited.

    Raises:
        GradcError: the file is none; the message says what it is.
    """
    text = read_text(file)
    if not carries_digest(text):
        raise mistake("module_foreign", file)
    if not is_ours(text):
        raise mistake("module_edited", file)
    if version(text) != __version__:
        wrote = version(text)
        raise mistake("module_of_version", file, version=wrote, ours=__version__)
    return text


def compare(file: str, expected: str) -> None:
    """Compare a file with the module that it should be; nothing of it is executed.

    Raises:
        GradcError: they differ; the message says how that came about.
    """
    if not os.path.lexists(file):
        raise mistake("module_missing", file)
    text = known(file)
    if text == expected:
        return
    theirs, ours = extract(text), extract(expected)
    if theirs is None or ours is None or theirs == ours:
        raise mistake("module_differs", file)
    if theirs.formula != ours.formula:
        raise mistake("module_of_formula", file)
    raise mistake("module_of_options", file)
