"""From where the parser is stuck to the sentence that says why.

A mistake is told by what was expected, an operand or an operator, by the token found and
by the text before it: states of the parser are too many, and the same mistake in another
place is another state. Functions are written as in other languages, or as on paper.
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from gradc.errors import (
    RESERVED,
    GradcError,
    Source,
    Span,
    character,
    mistake,
    quote,
    remedy,
    sections,
)
from gradc.language.grammar import (
    DOT,
    END,
    LONGEST,
    MALFORMED,
    MISSPELLED,
    NUMERAL,
    plain,
    table,
)
from gradc.language.syntax import FUNCTIONS
from gradc.ops import OPS

NEAR = 200  # characters before a mistake that are looked at
LONG = 30  # characters of an argument that a remedy repeats
CLOSING = {"(": ")", "[": "]"}
SHORT = {"(": "(...)", ")": "(...)", "]": "[...]"}  # operands in brackets

CALLED = frozenset({*OPS.callables(), *FUNCTIONS, "where", "piecewise"})
FUNCTION = "|".join(CALLED)
INVERTED = "|".join(name for name in CALLED if f"a{name}" in CALLED)
WORD, FOREIGN = "|".join(RESERVED), "|".join(sections()["FOREIGN_WORD"])
LETTERS = r"(?P<right>[^\W\d_]\w*)"
ANY = r"(?s:.*)"
OPERAND = r"(?P<right>(?!(?:else|in|not|and|or|return)\Z)[^\W\d]\w*|[.0-9].*|\()"
OWNER = r"(?P<owner>\b[^\W\d]\w*)"
PATH = r"(?P<path>(?:\.\w+)*)\."
POWER = r"\s*(?:\^|\*\*)\s*(?P<power>-?[0-9.]+)\s*"
INVERSE = r"\s*(?:\^|\*\*)\s*(?P<power>-1)\s*"
STATEMENT = r"(?:\A|[\n;])[ \t]*"
DECLARING = rf"{STATEMENT}(?:input|data)\b(?:\s[^\n;]*,)?\s*"
DECLARED = rf"{STATEMENT}(?:input|data)\b[^\n;]*"
NO_ELSE = r"\bif\b(?!.*\belse\b)[^\n;]*"
ARGUMENT = r"\(((?:[^()\n]|\([^()\n]*\))*)\)"  # with brackets inside them


class Row(NamedTuple):
    """When a sentence is said: in which state, behind which text, of which token.

    Groups stand in the sentence. The place is the token, or it begins with the group of
    the text before that is named; or it is the bracket that is open.
    """

    key: str
    state: str = ""
    before: str = ""
    token: str = ANY
    place: str = ""


# The first row that fits is said.
ROWS = (
    Row("reserved_declared", "", rf"{DECLARING}(?P<word>{WORD})\s*", ANY, "word"),
    Row("reserved_declared", "", DECLARING, f"(?P<word>{WORD})"),
    Row("dotted_call", "", OWNER, rf"{PATH}(?P<name>{FUNCTION})\(", "owner"),
    Row("dotted_constant", "", OWNER, rf"{PATH}(?P<name>pi|e|inf)", "owner"),
    Row("dotted_transpose", "", OWNER, rf"\.T", "owner"),
    Row("stray", "strange"),
    Row("number_base", "", "", r"(?P<number>0[xXoObB][0-9a-fA-F_]+)"),
    Row("number_imaginary", "", "", rf"(?P<number>(?P<real>{NUMERAL})(?P<unit>[jJ]))"),
    Row("number_raised", "", "", rf"(?P<number>{NUMERAL}[²³¹\u2070-\u208e].*)"),
    Row("product_sign_missing", "malformed", "", rf"(?P<left>{NUMERAL}){LETTERS}"),
    Row("number_malformed", "malformed", "", r"(?P<number>.*)"),
    Row("loop", "", "", "for"),
    Row("colon_in_range", "", r"\bfor\s+\w+\s+in\s[^\n;()\[\]]*", ":"),
    Row("colon_in_index", "", r"[\w)\]]\s*\[[^\[\]]*", ":"),
    Row("colon_declared", "", DECLARED, ":"),
    Row("colon", "", "", ":"),
    Row("bracket_closes_nothing", "outside", "", r"(?P<bracket>[)\]])"),
    Row("bracket_open", "inside end", place="bracket"),
    Row("semicolon_inside", "inside", "", ";"),
    Row("bracket_differs", "(", "", r"\]"),
    Row("bracket_differs", "[", "", r"\)"),
    Row("interval_missing", "interval"),
    Row("interval_ends", "ends"),
    Row("loop_in_missing", "in", r"\bfor\s+\w+\s*"),
    Row("declared_value", "in outside", DECLARED, "="),
    Row("declared_end", "in outside", DECLARED),
    Row("loop_name_missing", "name", r"\bfor\s*"),
    Row("declared_name_missing", "name", r"\b(?P<kind>input|data)\b[^\n;]*"),
    Row("argument_missing", "operand", r"[(,]\s*", ","),
    Row("brackets_empty", "operand", r"(?P<left>\()\s*", r"\)", "left"),
    Row("return_inside", "operand", "", "return"),
    Row("reserved", "operand", "", f"(?P<word>{WORD})"),
    Row("operand_missing_line", "operand", "", r"\n\s*"),
    Row("operand_missing", "operand"),
    Row("bracket_open", "inside line", place="bracket"),
    Row("foreign_word", "", rf"\b(?P<word>{FOREIGN})\s*", OPERAND, "word"),
    Row("brackets_missing", "", rf"\b(?P<name>{FUNCTION})\s*", OPERAND, "name"),
    Row("function_inverted", "", rf"\b(?P<name>{INVERTED}){INVERSE}", OPERAND, "name"),
    Row("function_raised", "", rf"\b(?P<name>{FUNCTION}){POWER}", OPERAND, "name"),
    Row("product_sign_missing", "", r"(?P<left>[\w.]+|[)\]])\s*", OPERAND, "left"),
    Row("equals_inside", "inside", "", "="),
    Row("equals_inside", "", NO_ELSE, "="),
    Row("equals_twice", "", "", "="),
    Row("comma_outside", "outside", "", ","),
    Row("comma_in_piece", "", r"\bpiecewise\s*\((?:.*\),)?\s*\([^()]*", ","),
    Row("comma_inside", "", "", ","),
    Row("interval_outside", "", "", "in"),
    Row("else_missing", "", NO_ELSE),
    Row("else_alone", "", "", "else"),
    Row("return_inside", "", "", "return"),
    Row("operator_missing"),
)


@dataclass(frozen=True)
class Stuck:
    """The parser before a token that has no place.

    `wanted` is what could follow, `opens` the places of the open brackets, `last` the
    place of the token before.
    """

    source: Source
    kind: str
    span: Span
    last: Span
    wanted: Collection[str]
    opens: list[int]

    @property
    def text(self) -> str:
        """The token itself, empty at the end."""
        return self.source.text[slice(*self.span)]

    @property
    def before(self) -> str:
        """The token before, empty if it ends a statement."""
        return self.source.text[slice(*self.last)].strip("\n;")

    @property
    def found(self) -> str:
        """The token in words."""
        if self.kind == END:
            return "the end of the formula"
        return "the end of the line" if self.text[0] == "\n" else quote(self.text)

    @property
    def opened(self) -> Span:
        """The place of the bracket that is open, or nowhere."""
        return (self.opens[-1], self.opens[-1] + 1) if self.opens else (0, 0)

    @property
    def bracket(self) -> str:
        """The bracket that is open, empty if there is none."""
        return self.source.text[slice(*self.opened)]

    def state(self) -> set[str]:
        """What is expected, within which brackets, and whether a line or all ends."""
        wanted, between = {*self.wanted}, self.source.text[self.last[1] : self.span[0]]
        said = {
            "operand": "NUMBER" in wanted,
            "name": "NAME" in wanted and "NUMBER" not in wanted,
            "interval": "interval" in wanted,
            "ends": wanted == {","} or "right" in wanted,
            "in": "in" in wanted,
            "malformed": self.kind == MALFORMED,
            "strange": self.kind == self.text not in table().literals,
            "end": self.kind == END,
            "line": "\n" in between,
            "inside": bool(self.opens),
            "outside": not self.opens,
            self.bracket: True,
        }
        return {word for word, holds in said.items() if holds}

    def near(self, at: int) -> str:
        """The text before a place."""
        return self.source.text[max(at - NEAR, 0) : at]

    def here(self, key: str, **names: Any) -> GradcError:
        """The mistake is the token."""
        return mistake(key, self.source, self.span, **names)


def explain(stuck: Stuck) -> GradcError:
    """Choose the sentence."""
    text = stuck.text
    if stuck.kind == END and "return" in stuck.wanted:
        return mistake("empty", stuck.source)
    if stuck.kind == MISSPELLED:
        return _misspelled(stuck)
    if hint := remedy("SIGNS", text):
        return stuck.here("sign", sign=text, hint=hint)
    state, near = stuck.state(), stuck.near(stuck.span[0])
    for row in ROWS:
        before = re.search(rf"(?:{row.before})\Z", near)
        token = re.fullmatch(row.token, text)
        if before and token and state.issuperset(row.state.split()):
            return _said(stuck, row, before, token)
    raise AssertionError("the last row always fits")


def _said(
    stuck: Stuck, row: Row, before: re.Match[str], token: re.Match[str]
) -> GradcError:
    """The sentence of a row, and its place: an end is shown just behind the last token."""
    if row.key == "stray":
        return _stray(stuck)
    source, text, (start, end) = stuck.source, stuck.text, stuck.span
    names = {
        "kind": "input",
        "bracket": stuck.bracket,
        "closing": CLOSING.get(stuck.bracket, ""),
        "found": stuck.found,
        "after": f" after {quote(stuck.before)}" if stuck.before else "",
        "instead": plain(text),
        "operand": text,
        **before.groupdict(),
        **token.groupdict(),
    }
    if row.place == "bracket":
        start, end = stuck.opened
    elif row.place:
        start += before.start(row.place) - len(before.string)
        end = start + len(names["word"]) if row.place == "word" else end
    elif stuck.found[0] != "'":
        start, end = stuck.last[1], stuck.last[1] + 1
    if text.endswith("("):
        end -= row.place in ("name", "owner")
        argument = _argument(source, stuck.span[1] - 1)
        names["operand"] = argument or names.get("owner", "")
    for side in {"left", "right"} & names.keys():
        names[side] = SHORT.get(names[side], names[side])
    if names.get("right") in CALLED:
        names["right"] += "(...)"
    hint = remedy(row.key.upper(), names.get("word", ""))
    earlier = stuck.opened if stuck.opens else None
    return mistake(row.key, source, (start, end), earlier=earlier, hint=hint, **names)


# ---- what was probably meant


def _argument(source: Source, at: int) -> str | None:
    """What stands in the brackets that open at a place, if they do; short, or dots."""
    if source.text[at : at + 1] != "(":
        return None
    match = re.match(ARGUMENT, source.text[at : at + NEAR])
    return match[1] if match and len(match[1]) <= LONG else "..."


def _stray(stuck: Stuck) -> GradcError:
    """A character that the language does not have."""
    char, place = stuck.text[0], (stuck.span[0], stuck.span[0] + 1)
    normal, hint = unicodedata.normalize("NFKC", char), remedy("CHARACTERS", char)
    key = "stray"
    if hint is None and normal != char and normal.isascii():
        key = "stray_sign" if normal.strip() else "stray_blank"
    shown = character(char)
    return mistake(key, stuck.source, place, hint=hint, char=shown, plain=normal)


def _misspelled(stuck: Stuck) -> GradcError:
    """A name that is too long, no identifier, or another name to Python."""
    source, span, text = stuck.source, stuck.span, stuck.text
    name = unicodedata.normalize("NFC", text)
    meant = plain(name)
    if len(text) > LONGEST:
        return stuck.here("name_long", count=len(text), limit=LONGEST)
    if meant != name:
        match = re.fullmatch(rf"(?P<name>\w+?){POWER}(?P<operand>\w*)", meant)
        argument = _argument(source, span[1])
        if match and (argument or match["name"] in CALLED):
            names = match.groupdict() | {"operand": match["operand"] or argument or "x"}
            has_inverse = names["power"] == "-1" and f"a{names['name']}" in CALLED
            key = "function_inverted" if has_inverse else "function_raised"
            return stuck.here(key, **names)
        new = (c for c in meant if c not in name and not c.isascii())
        said = [quote(meant), *(f"with {unicodedata.name(c, '')}" for c in new)]
        return stuck.here("name_changed", name=name, instead=", ".join(said))
    at = next(i for i, c in enumerate(text) if c == DOT or not f"a{c}".isidentifier())
    char, place = text[at], (span[0] + at, span[0] + at + 1)
    hint, shown = remedy("CHARACTERS", char), character(char)
    return mistake("name_character", source, place, hint=hint, char=shown)
