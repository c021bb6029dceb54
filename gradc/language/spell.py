"""Names and numbers: what a run of letters or digits stands for, or why for nothing.

Python reads a name in Unicode's normal form NFKC, so `x` with a subscript n would
silently be `xn` in the generated module.  Such names are refused; all others are
brought to NFC, in which the two ways to write an accented letter are one.
"""

import math
import re
import unicodedata

from gradc import errors
from gradc.errors import GradcError, Span
from gradc.source import Source

LONGEST = 255
DOT = "\u00b7"  # legal inside Python's identifiers, but here a sign of product
DIGITS = "[0-9]+(?:_[0-9]+)*"
NUMBER = re.compile(
    rf"(?:{DIGITS}(?:\.(?:{DIGITS})?)?|\.{DIGITS})(?:[eE][+-]?{DIGITS})?"
)


def spelled(source: Source, span: Span) -> str:
    """Return the name at a place, in NFC.

    Raises:
        GradcError: it is too long, no identifier, or another name to Python.
    """
    text = source.text[slice(*span)]
    if len(text) > LONGEST:
        raise errors.name_long(source, span, LONGEST)
    if text.isascii():
        return text
    name = unicodedata.normalize("NFC", text)
    if plain(name) != name:
        from gradc.language import hints  # most names have none

        if found := hints.raised_name(source, span, plain(name)):
            raise found
        raise errors.name_changed(source, span, name, _instead(name))
    for i, char in enumerate(text):
        if char == DOT or not f"a{text[: i + 1]}".isidentifier():
            raise errors.name_character(source, (span[0] + i, span[0] + i + 1))
    if not text.isidentifier() or DOT in name:
        raise errors.name_character(source, (span[0], span[0] + 1))
    return name


def plain(text: str) -> str:
    """Write indices as `_n`, exponents as `^n`, and the rest in NFKC."""
    parts, before = [], ""
    for char in text:
        tag = unicodedata.decomposition(char).partition(" ")[0]
        mark = {"<sub>": "_", "<super>": "^"}.get(tag, "")
        if mark != before:
            parts.append(mark)
        before = mark
        parts.append(unicodedata.normalize("NFKC", char) if tag else char)
    return "".join(parts).replace("\u2212", "-")


def _instead(name: str) -> str:
    """Say what to write for a name that is refused."""
    text = plain(name)
    new = [unicodedata.name(c, "") for c in text if c not in name and not c.isascii()]
    return f"{errors.quote(text)}{', with ' if new else ''}{', '.join(new)}"


def number(source: Source, span: Span) -> float:
    """Return the value of a decimal number, as Python reads it.

    Raises:
        GradcError: a leading zero, or too large for binary64.
    """
    text = source.text[slice(*span)]
    if text[0] == "0" and text.replace("_", "").isdigit() and text.strip("0_"):
        raise errors.number_zeros(source, span)
    value = float(text)
    if math.isinf(value):
        raise errors.number_large(source, span)
    return value


def malformed(source: Source, span: Span) -> GradcError:
    """Say what is wrong with a text that begins as a number."""
    text = source.text[slice(*span)]
    match = NUMBER.match(text)
    head = match[0] if match else ""
    tail = text[len(head) :]
    if re.fullmatch("0[xXoObB][0-9a-fA-F_]+", text):
        return errors.number_base(source, span)
    if head and tail in ("j", "J"):
        return errors.number_imaginary(source, span)
    if head and plain(tail)[0] == "^":
        return errors.number_malformed(source, span, plain(text))
    if head and tail.isidentifier() and tail[0] != "_":
        return errors.product_sign_missing(source, span, head, tail)
    return errors.number_malformed(source, span)
