"""Whether a module on disk is what its formula gives, and if not, what it is."""

from __future__ import annotations

import os

from gradc.errors import mistake
from gradc.files import read_text
from gradc.targets.module import carries_digest, extract, is_ours, version


def compare(file: str, expected: str) -> None:
    """Compare a file with the module that it should be; nothing of it is executed.

    Raises:
        GradcError: they differ; the message says how that came about.
    """
    if not os.path.lexists(file):
        raise mistake("module_missing", file)
    text = read_text(file)
    if text == expected:
        return
    if not carries_digest(text):
        raise mistake("module_foreign", file)
    if not is_ours(text):
        raise mistake("module_edited", file)
    if version(text) != version(expected):
        raise mistake(
            "module_of_version", file, version=version(text), ours=version(expected)
        )
    theirs, ours = extract(text), extract(expected)
    if theirs is None or ours is None or theirs == ours:
        raise mistake("module_differs", file)
    if theirs.formula != ours.formula:
        raise mistake("module_of_formula", file)
    raise mistake("module_of_options", file)
