"""From where the parser is stuck to the sentence that says why.

A mistake is told by what was expected, an operand or an operator, by the token found and
by the text before it: states of the parser are too many, and the same mistake in another
place is another state. Functions are written as in other languages, or as on paper.
"""

import re
from collections import deque
from collections.abc import Collection
from functools import cache
from itertools import chain
from typing import Any, NamedTuple
from unicodedata import name as name_of
from unicodedata import normalize

from gradc.errors import RESERVED, GradcError, Source, character, grammar_text, mistake
from gradc.errors import quote, remedy, sections
from gradc.language.grammar import DOTS, END, LONGEST, MALFORMED, MISSPELLED, NUMERAL
from gradc.language.grammar import Token, plain, table, tokens
from gradc.language.syntax import CONDITIONALS, FUNCTIONS
from gradc.ops import OPS

NEAR = 200  # characters before a mistake that are looked at
LONG = 30  # characters of an argument that a remedy repeats
CLOSING = {"(": ")", "[": "]"}
SHORT = {"(": "(...)", ")": "(...)", "]": "[...]"}  # operands in brackets

CALLED = frozenset({*OPS.callables(), *FUNCTIONS, *CONDITIONALS})
ANY = r"(?s:.*)"
ARGUMENT = r"\(((?:[^()\n]|\([^()\n]*\))*)\)"  # with brackets inside them


class Row(NamedTuple):
    """When a sentence is said; `stuck.txt` has the rows, and tells of their columns."""

    key: str
    state: str = ""
    before: str = ""
    token: str = ""
    place: str = ""
    table: str = ""


@cache
def stuck_rows() -> list[Row]:
    """The rows of `stuck.txt`."""
    parts = {
        "CALLED": "|".join(CALLED),
        "INVERTED": "|".join(name for name in CALLED if f"a{name}" in CALLED),
        "RESERVED": "|".join(RESERVED),
        "FOREIGN": "|".join(sections()["FOREIGN"]),
        "SIGNS": "|".join(map(re.escape, sections()["SIGNS"])),
        "NUMERAL": NUMERAL,
    }
    found = []
    for line in grammar_text("stuck.txt").split("\n"):
        if line and line[0] != "#":
            filled = re.sub("{([A-Z_]+)}", lambda part: parts[part[1]], line)
            name, _, rest = filled.partition(": ")
            if name.isupper():
                parts[name] = rest
            else:
                found.append(Row(*[cell.strip(" ") for cell in filled.split(" | ")]))
    return found


class Stuck:
    """The parser before a token that has no place, and what is known of it.

    `opened` is the innermost bracket, `last` where the token before ends, `meant` what
    Python would read, and `fault` where the first character is that no name has.
    """

    def __init__(self, source: Source, token: Token, wanted: Collection[str]) -> None:
        self.source, self.wanted = source, {*wanted}
        self.kind, _, self.start, self.end = token
        opens = list[int]()
        before = tokens(source.text[: self.start], opens)
        (*_, first, self.last), _ = deque(chain([(END, "", 0, 0)], before), maxlen=2)
        self.before = source.text[first : self.last].strip("\n;")
        self.opened = (opens[-1], opens[-1] + 1) if opens else None
        self.bracket = source.text[slice(*self.opened)] if self.opened else ""
        self.text = source.text[self.start : self.end]
        self.name = normalize("NFC", self.text[:LONGEST])
        self.meant = plain(self.name)
        parts = enumerate(self.text[:LONGEST])
        odd = (i for i, c in parts if c in DOTS or not f"a{c}".isidentifier())
        self.fault = next(odd, 0)

    def state(self) -> set[str]:
        """What is expected, within which brackets, and what kind of token is found."""
        wanted, char = self.wanted, self.text[:1]
        said = {
            "operand": "NUMBER" in wanted,
            "name": "NAME" in wanted and "NUMBER" not in wanted,
            "interval": "interval" in wanted,
            "ends": wanted == {","} or "right" in wanted,
            "in": "in" in wanted,
            "malformed": self.kind == MALFORMED,
            "misspelled": self.kind == MISSPELLED,
            "long": len(self.text) > LONGEST,
            "other": self.meant != self.name,
            "called": self.source.text.startswith("(", self.end),
            "wide": not char.isascii() and normalize("NFKC", char).isascii(),
            "strange": self.kind == self.text not in table().literals,
            "end": self.kind == END,
            "line": "\n" in self.source.text[self.last : self.start],
            "inside": self.opened is not None,
            "outside": self.opened is None,
            self.bracket: True,
        }
        return {word for word, holds in said.items() if holds}

    def names(self) -> dict[str, Any]:
        """What may stand in a sentence, but for what its row finds."""
        char, found = self.text[self.fault : self.fault + 1], quote(self.text)
        if self.text[:1] in ("", "\n"):
            found = f"the end of the {'line' if self.text else 'formula'}"
        new = (c for c in self.meant if c not in self.name and not c.isascii())
        instead = quote(self.meant), *(f"with {name_of(c, '')}" for c in new)
        return {
            "kind": "input",
            "bracket": self.bracket,
            "closing": CLOSING.get(self.bracket, ""),
            "found": found,
            "after": f" after {quote(self.before)}" if self.before else "",
            "word": char,
            "char": character(char),
            "plain": normalize("NFKC", char),
            "name": self.name,
            "instead": ", ".join(instead),
            "count": len(self.text),
            "limit": LONGEST,
            "operand": "" if self.text.endswith("(") else self.text,
        }

    def argument(self) -> str:
        """What stands in the brackets that open here, if they do; short, or dots."""
        at = self.end - self.text.endswith("(")
        match = re.match(ARGUMENT, self.source.text[at : at + NEAR])
        if match and len(match[1]) <= LONG:
            return match[1]
        return "..." if self.source.text.startswith("(", at) else ""


def explain(source: Source, token: Token, wanted: Collection[str]) -> GradcError:
    """Say why a token has no place where others are wanted: by the first row that fits."""
    stuck = Stuck(source, token, wanted)
    if stuck.kind == END and "return" in wanted:
        return mistake("empty", source)
    state, near = stuck.state(), source.text[max(stuck.start - NEAR, 0) : stuck.start]
    text = stuck.meant if stuck.kind == MISSPELLED else stuck.text
    for row in stuck_rows():
        before = re.search(rf"(?:{row.before})\Z", near)
        found = re.fullmatch(row.token or ANY, text)
        if before and found and state.issuperset(row.state.split()):
            return _said(stuck, row, before, found)
    raise AssertionError("the last row always fits")


def _said(
    stuck: Stuck, row: Row, before: re.Match[str], token: re.Match[str]
) -> GradcError:
    """The sentence of a row, and its place: an end is shown just behind the last token."""
    names = stuck.names() | before.groupdict() | token.groupdict()
    start, end = stuck.start, stuck.end
    if row.place == "bracket" and stuck.opened:
        start, end = stuck.opened
    elif row.place == "char":
        start, end = start + stuck.fault, start + stuck.fault + 1
    elif row.place:
        start += before.start(row.place) - len(before.string)
        end = start + len(names["word"]) if row.place == "word" else end
        end -= stuck.text.endswith("(") and row.place in ("name", "owner")
    elif stuck.text[:1] in ("", "\n"):
        start, end = stuck.last, stuck.last + 1
    names["operand"] = names["operand"] or stuck.argument() or names.get("owner", "x")
    for side in {"left", "right"} & names.keys():
        names[side] = SHORT.get(names[side], names[side])
    if names.get("right") in CALLED:
        names["right"] += "(...)"
    names |= {"earlier": stuck.opened, "hint": remedy(row.table, names["word"])}
    return mistake(row.key, stuck.source, (start, end), **names)
