"""Names and numbers: what a run of letters or digits stands for, or why for nothing.

Python reads a name in Unicode's normal form NFKC, so `x` with a subscript n would
silently be `xn` in the generated module.  Such names are refused; all others are
brought to NFC, in which the two ways to write an accented letter are one.
"""

import math
import re
import unicodedata
from typing import Any

from gradc.errors import GradcError, Source, Span, character, mistake, quote, remedy

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
        count = len(text)
        raise mistake("name_long", source, span, count=count, limit=LONGEST)
    if text.isascii():
        return text
    name = unicodedata.normalize("NFC", text)
    if plain(name) != name:
        from gradc.language.mistakes import raised_name  # most names have none

        if found := raised_name(source, span, plain(name)):
            raise found
        names: dict[str, Any] = {"name": name, "instead": _instead(name)}
        raise mistake("name_changed", source, span, **names)
    for i, char in enumerate(text):
        if char == DOT or not f"a{text[: i + 1]}".isidentifier():
            raise _character(source, span[0] + i)
    if not text.isidentifier() or DOT in name:
        raise _character(source, span[0])
    return name


def _character(source: Source, at: int) -> GradcError:
    """The mistake that a character stands in a name."""
    char = source.text[at]
    names: dict[str, Any] = {
        "char": character(char),
        "hint": remedy("CHARACTERS", char),
    }
    return mistake("name_character", source, (at, at + 1), **names)


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
    return f"{quote(text)}{', with ' if new else ''}{', '.join(new)}"


def number(source: Source, span: Span) -> float:
    """Return the value of a decimal number, as Python reads it.

    Raises:
        GradcError: a leading zero, or too large for binary64.
    """
    text = source.text[slice(*span)]
    if text[0] == "0" and text.replace("_", "").isdigit() and text.strip("0_"):
        instead = text.lstrip("0_")
        raise mistake("number_zeros", source, span, number=text, instead=instead)
    value = float(text)
    if math.isinf(value):
        raise mistake("number_large", source, span, number=text)
    return value


def malformed(source: Source, span: Span) -> GradcError:
    """Say what is wrong with a text that begins as a number."""
    text = source.text[slice(*span)]
    match = NUMBER.match(text)
    head = match[0] if match else ""
    tail = text[len(head) :]
    if re.fullmatch("0[xXoObB][0-9a-fA-F_]+", text):
        return mistake("number_base", source, span, number=text)
    if head and tail in ("j", "J"):
        product = f"{text[:-1]}*{text[-1]}"
        return mistake("number_imaginary", source, span, number=text, product=product)
    if head and plain(tail)[0] == "^":
        instead = plain(text)
        return mistake("number_raised", source, span, number=text, instead=instead)
    if head and tail.isidentifier() and tail[0] != "_":
        return unmultiplied(source, span, head, tail)
    return mistake("number_malformed", source, span, number=text)


def unmultiplied(source: Source, span: Span, left: str, right: str) -> GradcError:
    """The mistake that two operands stand side by side."""
    names: dict[str, Any] = {"left": left, "right": right, "product": f"{left}*{right}"}
    return mistake("product_sign_missing", source, span, **names)
