"""The grammar: tokens, the table that Lark makes of `expression.lark`, and the driver.

Lark's own parser would take longer to read a large formula than all that follows, so
only its table is used, which `pytest --bless` writes to `parse_table.json`. Knows
nothing of what the rules do, and of names only how they are spelled.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from os.path import dirname, join
from typing import Any, NamedTuple

from gradc.errors import sections

SHIPPED = join(dirname(__file__), "parse_table.json")
LONGEST = 255  # characters of a name
DOTS = {"\u00b7", "\u0387"}  # legal in Python's names, but here signs of product

# The kinds of tokens; each sign and each word is a kind of its own.
NAME, NUMBER, SEPARATOR, SIGN, END = "NAME", "NUMBER", "_SEP", "SIGN", "END"
MISSPELLED, MALFORMED = "MISSPELLED", "MALFORMED"  # have no place in any formula

DIGITS = "[0-9]+(?:_[0-9]+)*"
NUMERAL = rf"(?:{DIGITS}(?:\.(?:{DIGITS})?)?|\.{DIGITS})(?:[eE][+-]?{DIGITS})?"
# \w leaves out combining marks, so every script beyond Latin is let in as a whole.
LETTERS = (
    r"\u0300-\u1fff\u2070-\u209c\u20d0-\u20ff\u2c00-\u2fff\u3005-\ud7ff\uf900-\ufefe"
    r"\U00010000-\U0010ffff"
)
ATTRIBUTE = r"(?:\.[^\W\d]\w*)+\(?"  # which the language does not have
BLANK = r"(?:[ \t\f]+|\\[ \t\f]*\n|#[^\n]*)*"

Act = Callable[..., Any]  # what a rule does: act(span, *values)
Token = tuple[str, Any, int, int]  # its kind, its value, where it starts and ends


class Rule(NamedTuple):
    """A rule as the driver uses it: of `size` parts count those at places from the end.

    Without a name, the value of the rule is that of its first part that counts.
    """

    origin: str
    name: str | None
    size: int
    counts: list[int]


class Table(NamedTuple):
    """Per state what each symbol does: a state to enter, or ~rule to reduce by."""

    first: int
    moves: dict[int, dict[str, int]]
    rules: list[Rule]
    literals: frozenset[str]


@cache
def table() -> Table:
    """The table of the grammar, as it is shipped."""
    with open(SHIPPED, encoding="utf-8") as file:
        _, first, moves, rules, literals = json.load(file)
    return Table(first, dict(moves), [Rule(*r) for r in rules], frozenset(literals))


@cache
def pattern(letters: str) -> re.Pattern[str]:
    """What finds the next token, in a group of its kind, and what stands before it.

    Letters beyond ASCII are a range, which takes long to compile.
    """
    signs = sorted({*table().literals, *sections()["SIGNS"]}, key=len, reverse=True)
    kinds = {
        NAME: rf"[^\W\d][\w{letters}]*",
        NUMBER: rf"{NUMERAL}(?![\w.])",
        MALFORMED: r"\.?[0-9](?:[eE][+-][0-9]|[\w.])*",
        SEPARATOR: r"\n[ \t\f\n]*|;",
        END: r"\Z",
        SIGN: "|".join(map(re.escape, signs)) + rf"|{ATTRIBUTE}|(?s:.)",
    }
    groups = "|".join(f"(?P<{kind}>{text})" for kind, text in kinds.items())
    return re.compile(f"{BLANK}(?:{groups})")


def tokens(text: str, opens: list[int]) -> Iterator[Token]:
    """Yield the tokens, the last of which is the end of the text.

    Inside brackets, the end of a line is none: `opens` is where they are open so far.
    """
    literals, is_ascii = table().literals, text.isascii()
    for match in pattern("" if is_ascii else LETTERS).finditer(text):
        group = match.lastindex or 0
        start, stop = match.span(group)
        kind, found = match.lastgroup or "", text[start:stop]
        if kind == NAME:
            if found in literals:
                kind = found
            elif not is_ascii or len(found) > LONGEST:
                name = spelled(found)
                kind, found = (NAME, name) if name else (MISSPELLED, found)
        elif kind == SIGN:
            kind = found
            if found in "([":
                opens.append(start)
            elif found in ")]" and opens:
                opens.pop()
        elif kind == SEPARATOR and opens and found != ";":
            continue
        yield kind, found, start, stop
        if kind == END:
            break


def spelled(text: str) -> str | None:
    """Return a run of letters as a name, in NFC; None if it is none.

    Python reads a name in Unicode's normal form NFKC, so `x` with a subscript n would
    silently be `xn` in the generated module. Such names are none; of all others the
    two ways to write an accented letter are one.
    """
    name = unicodedata.normalize("NFC", text)
    is_plain = text.isidentifier() and plain(name) == name and DOTS.isdisjoint(name)
    return name if is_plain and len(text) <= LONGEST else None


def plain(text: str) -> str:
    """Write indices as `_n`, exponents as `^n`, and the rest in NFKC."""
    parts, before = [], ""
    for char in text:
        tag = unicodedata.decomposition(char).partition(" ")[0]
        mark = {"<sub>": "_", "<super>": "^" * (char not in "ªº")}.get(tag, "")
        if mark != before:
            parts.append(mark)
        before = mark
        parts.append(unicodedata.normalize("NFKC", char) if tag else char)
    return "".join(parts).replace("\u2212", "-")


def drive(
    tokens: Iterable[Token], act_of: Callable[[str], Act]
) -> tuple[Token, Collection[str]] | None:
    """Read tokens: shift each, reducing by the rules that it completes.

    What has been read is on three stacks: the states, the value of each, and where it
    starts. Return the first token that has no place, if there is one, and what has.
    """
    first, moves, rules, _ = table()
    acts = [rule.name and act_of(rule.name) for rule in rules]
    states, values, starts, end = [first], list[Any]([None]), [0], 0
    for token in tokens:
        kind, value, start, stop = token
        while (move := moves[states[-1]].get(kind)) is not None and move < 0:
            origin, _, size, counts = rules[~move]
            if act := acts[~move]:
                parts = [values[i] for i in counts]
                values[-size] = act((starts[-size], end), *parts)
            elif counts:
                values[-size] = values[counts[0]]
            if size > 1:
                del states[1 - size :], values[1 - size :], starts[1 - size :]
            states[-1] = moves[states[-2]][origin]
        if move is None:
            return token, moves[states[-1]]
        states.append(move)
        values.append(value)
        starts.append(start)
        end = stop
    return None
