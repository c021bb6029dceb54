"""From where the parser is stuck to the sentence that says why.

The key is whether an operand or an operator was expected, and the token found: states
of the parser are too many, and the same mistake in another place is another state. What
was probably meant is read off the text around it: functions are written as in other
languages, or as on paper.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

from gradc.errors import (
    RESERVED,
    GradcError,
    Source,
    Span,
    character,
    mistake,
    quote,
    remedy,
)
from gradc.language.syntax import FUNCTIONS
from gradc.ops import OPS

DOT = "\u00b7"  # legal inside Python's identifiers, but here a sign of product
DIGITS = "[0-9]+(?:_[0-9]+)*"
NUMBER = re.compile(
    rf"(?:{DIGITS}(?:\.(?:{DIGITS})?)?|\.{DIGITS})(?:[eE][+-]?{DIGITS})?"
)
LINE_END = "the end of the line"
TEXT_END = "the end of the formula"
CLOSING = {"(": ")", "[": "]"}
OPERANDS = ("NAME", "NUMBER", "(", "input", "data")
NEAR = 200  # characters before a mistake that are looked at
LONGEST = 30  # characters of an argument that a remedy repeats
_DECLARING = re.compile(r"\s*(?:input|data)(?:\s.*,)?\s*")
_POWER = re.compile(r"(\w+)\s*(?:\^|\*\*)\s*(-?\s*[\w.]+)\s*$")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.\w+)*\.([^\W\d]\w*)")
_NAME = re.compile(r"\w+\Z")
_LOOP = re.compile(r"\bfor\s+\w+\s+in\s[^\n;()\[\]]*\Z")
_DECLARATION = re.compile(r"(?:\A|[\n;])[ \t]*(?:input|data)\b[^\n;]*\Z")


@dataclass(frozen=True)
class Stuck:
    """The parser before a token that has no place.

    `wanted` are the tokens that could follow, `opens` the places of the open brackets,
    `last` the place of the token before.
    """

    source: Source
    token: str
    span: Span
    last: Span
    wanted: frozenset[str]
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
        if self.token == "$END":
            return TEXT_END
        return LINE_END if self.text[0] == "\n" else quote(self.text)

    @property
    def place(self) -> Span:
        """Where the caret goes: an end is shown just behind the last token."""
        if self.found not in (TEXT_END, LINE_END):
            return self.span
        return self.last[1], self.last[1] + 1

    @property
    def new_line(self) -> bool:
        """Whether a line ended before the token, or the text."""
        between = self.source.text[self.last[1] : self.span[0]]
        return self.token == "$END" or "\n" in between

    def here(self, key: str, **names: Any) -> GradcError:
        """The mistake is the token."""
        return mistake(key, self.source, self.span, **names)

    def missing(self, key: str, **names: Any) -> GradcError:
        """Something is missing where the token stands."""
        after = f" after {quote(self.before)}" if self.before else ""
        place, found = self.place, self.found
        return mistake(key, self.source, place, found=found, after=after, **names)

    def operand(self, at: int) -> str:
        """What stands in the round brackets that open at a place; short, or dots."""
        text, depth = self.source.text[at : at + LONGEST + 2], 0
        for k, char in enumerate(text):
            depth += (char in "([") - (char in ")]")
            if depth <= 0:
                return text[1:k] if char == ")" and "\n" not in text[:k] else "..."
        return "..."


def explain(stuck: Stuck) -> GradcError:
    """Choose the sentence."""
    if stuck.token == "$END" and "return" in stuck.wanted:
        return mistake("empty", stuck.source)
    return (
        _reserved(stuck)
        or _by_token(stuck)
        or _by_bracket(stuck)
        or _in_declaration(stuck)
        or (_operand(stuck) if "NUMBER" in stuck.wanted else _operator(stuck))
    )


def _reserved(stuck: Stuck) -> GradcError | None:
    """A reserved word that is declared, where that or what follows has no place."""
    text = stuck.source.text
    for first, last in (stuck.last, stuck.span):
        line = max(text.rfind("\n", 0, first), text.rfind(";", 0, first)) + 1
        word = text[first:last]
        if word in RESERVED and _DECLARING.fullmatch(text, line, first):
            return mistake("reserved_declared", stuck.source, (first, last), word=word)
    return None


def _by_token(stuck: Stuck) -> GradcError | None:
    """Tokens that are wrong wherever they stand."""
    source, span, text = stuck.source, stuck.span, stuck.text
    if stuck.token == "MALFORMED":
        return _malformed(source, span)
    if text == "!":
        return stuck.here("exclamation" if "NUMBER" in stuck.wanted else "factorial")
    if stuck.token == "STRANGE":
        return stuck.here("sign", sign=text, hint=remedy("SIGNS", text))
    if stuck.token == "WRONG":
        found = _dotted(stuck) if text == "." else None
        return found or _stray(source, span)
    if text == "for":
        return stuck.here("loop")
    return _colon(stuck) if text == ":" else None


def _stray(source: Source, span: Span) -> GradcError:
    """A character that the language does not have."""
    char = source.text[span[0]]
    plain, hint = unicodedata.normalize("NFKC", char), remedy("CHARACTERS", char)
    key, shown = "stray", character(char)
    if hint is None and plain != char and plain.isascii():
        key = "stray_sign" if plain.strip() else "stray_blank"
    return mistake(key, source, span, hint=hint, char=shown, plain=plain)


def _colon(stuck: Stuck) -> GradcError:
    """A colon in a `range`, an index, a declaration, or elsewhere."""
    text, opens = stuck.source.text, stuck.opens
    before = text[max(stuck.span[0] - NEAR, 0) : stuck.span[0]]
    place = "anywhere"
    if _LOOP.search(before):
        place = "range"
    elif opens:
        array = text[max(opens[-1] - NEAR, 0) : opens[-1]].rstrip()
        if text[opens[-1]] == "[" and re.search(r"[\w)\]]\Z", array):
            return stuck.here("colon_in_index")
    elif _DECLARATION.search(before):
        place = "declaration"
    return stuck.here("colon", hint=remedy("COLONS", place))


def _by_bracket(stuck: Stuck) -> GradcError | None:
    """Brackets that are open too long, closed too early, or not at all."""
    source, text = stuck.source, stuck.text
    if not stuck.opens:
        if text in (")", "]"):
            return stuck.here("bracket_closes_nothing", bracket=text)
        return None
    at = stuck.opens[-1]
    opened, bracket = (at, at + 1), source.text[at]
    names: dict[str, Any] = {"bracket": bracket, "closing": CLOSING[bracket]}
    if stuck.new_line and (stuck.token == "$END" or "NUMBER" not in stuck.wanted):
        return mistake("bracket_open", source, opened, **names)
    if text == ";":
        return mistake("semicolon_inside", source, stuck.span, earlier=opened)
    if text in (")", "]") and text != CLOSING[bracket]:
        names |= {"found": text}
        return mistake("bracket_differs", source, stuck.span, earlier=opened, **names)
    return None


def _in_declaration(stuck: Stuck) -> GradcError | None:
    """Places that only declarations, and the clauses of loops, have."""
    wanted = stuck.wanted
    if wanted == {"(", "["}:
        return stuck.missing("interval_missing")
    if wanted == {"in"}:
        return stuck.missing("loop_in_missing")
    if "in" in wanted:
        return stuck.missing("declared_value" if stuck.text == "=" else "declared_end")
    if "NAME" in wanted and "NUMBER" not in wanted:
        if stuck.before == "for":
            return stuck.missing("loop_name_missing")
        kind = stuck.before if stuck.before in ("input", "data") else "input"
        return stuck.missing("declared_name_missing", kind=kind)
    one_end = "," in wanted and wanted.isdisjoint((")", "]"))
    if one_end and stuck.text in (")", "]") or wanted >= {")", "]"}:
        return stuck.missing("interval_ends")
    return None


def _operand(stuck: Stuck) -> GradcError:
    """A number, a name or a bracket was expected."""
    text, before = stuck.text, stuck.before
    if text == "," and before in ("(", ","):
        return stuck.here("argument_missing", found=stuck.found)
    if text == ")" and before == "(":
        span = stuck.last[0], stuck.span[1]
        return mistake("brackets_empty", stuck.source, span)
    if text == "return":
        return stuck.here("return_inside")
    if text in RESERVED:
        return stuck.here("reserved", word=text, hint=remedy("RESERVED", text))
    is_line = stuck.found == LINE_END
    return stuck.missing("operand_missing_line" if is_line else "operand_missing")


def _operator(stuck: Stuck) -> GradcError:
    """The expression could only go on with an operator, or end."""
    text, inside = stuck.text, bool(stuck.opens) or "else" in stuck.wanted
    if stuck.token in OPERANDS:
        return _side_by_side(stuck)
    if text == "=":
        return stuck.here("equals_inside" if inside else "equals_twice")
    if text == ",":
        if not stuck.opens:
            return stuck.here("comma_outside")
        return stuck.here("comma_in_piece" if _is_piece(stuck) else "comma_inside")
    if text == "in":
        return stuck.here("interval_outside")
    if "else" in stuck.wanted:
        return stuck.missing("else_missing")
    if text in ("else", "return"):
        return stuck.here("else_alone" if text == "else" else "return_inside")
    return stuck.missing("operator_missing")


def _is_piece(stuck: Stuck) -> bool:
    """Whether the innermost bracket is a piece of `piecewise`."""
    if len(stuck.opens) < 2:
        return False
    at = stuck.opens[-2]
    return stuck.source.text[max(at - NEAR, 0) : at].rstrip().endswith("piecewise")


def _side_by_side(stuck: Stuck) -> GradcError:
    """`2 x`, `x y`, `2(x)`, `(x)(y)`."""
    source, before, last = stuck.source, stuck.before, stuck.last
    if hint := remedy("WORDS", before):
        return mistake("foreign_word", source, last, word=before, hint=hint)
    place = (last[0], stuck.span[1])
    if before in functions():
        operand = stuck.text
        return mistake("brackets_missing", source, place, name=before, operand=operand)
    if found := _raised(stuck):
        return found
    left = "(...)" if before == ")" else before
    right = "(...)" if stuck.text == "(" else stuck.text
    right += "(...)" if right in functions() else ""
    return mistake("product_sign_missing", source, place, left=left, right=right)


# ---- what was probably meant


@cache
def functions() -> frozenset[str]:
    """The names of all functions."""
    return frozenset({*OPS.callables(), *FUNCTIONS, "where", "piecewise"})


def _raised(stuck: Stuck) -> GradcError | None:
    """`sin^2(x)` and `sin^2 x`: the mistake, if an operand follows such a power."""
    span = stuck.span
    match = _POWER.search(stuck.source.text[max(span[0] - NEAR, 0) : span[0]])
    if match is None or match[1] not in functions():
        return None
    start = span[0] - len(match[0])
    operand = stuck.operand(span[0]) if stuck.text == "(" else stuck.text
    power = "".join(match[2].split())
    place = start, span[0]
    return raised(stuck.source, place, match[1], power, operand)


def raised_name(source: Source, span: Span, plain: str) -> GradcError | None:
    """`sin²(x)` and `sin²x`, whose name is `sin^2` in plain characters, or `sin^2x`."""
    match = re.fullmatch(r"(\w+)\^(-?\d+)(\w*)", plain)
    called = source.text[span[1] : span[1] + 1] == "("
    if match is None or not (called or match[1] in functions()):
        return None
    operand = match[3] or "x"
    if called:
        stuck = Stuck(source, "NAME", span, span, frozenset(), [])
        operand = stuck.operand(span[1])
    return raised(source, span, match[1], match[2], operand)


def raised(
    source: Source, span: Span, name: str, power: str, operand: str
) -> GradcError:
    """A function has a power, of which -1 may mean its inverse."""
    has_inverse = power == "-1" and f"a{name}" in functions()
    key = "function_inverted" if has_inverse else "function_raised"
    return mistake(key, source, span, name=name, operand=operand, power=power)


def _dotted(stuck: Stuck) -> GradcError | None:
    """`math.sin(x)`, `math.pi` and `x.sum()`."""
    text, at = stuck.source.text, stuck.span[0]
    head = _NAME.search(text[max(at - NEAR, 0) : at])
    match = head and _DOTTED.match(text, at - len(head[0]))
    if not head or not match:
        return None
    name, end = match[1], match.end()
    owner = match[0].rpartition(".")[0]
    called = text[end : end + 1] == "("
    if called and name in functions():
        instead = f"{name}({stuck.operand(end) or owner})"
    elif name == "T" and not called:
        instead = f"transpose({owner})"
    elif name in ("pi", "e", "inf") and not called:
        instead = name
    else:
        return None
    place = stuck.source, match.span()
    return mistake("dotted", *place, name=match[0], instead=instead)


# ---- names and numbers


def misspelled(source: Source, span: Span, name: str, limit: int) -> GradcError:
    """A name that is too long, no identifier, or another name to Python."""
    text = source.text[slice(*span)]
    if len(text) > limit:
        return mistake("name_long", source, span, count=len(text), limit=limit)
    if plain(name) != name:
        if found := raised_name(source, span, plain(name)):
            return found
        instead = _instead(name)
        return mistake("name_changed", source, span, name=name, instead=instead)
    heads = (f"a{text[: i + 1]}" for i in range(len(text)))
    wrong = (
        i for i, head in enumerate(heads) if head[-1] == DOT or not head.isidentifier()
    )
    return _character(source, span[0] + next(wrong, 0))


def _character(source: Source, at: int) -> GradcError:
    """The mistake that a character stands in a name."""
    char = source.text[at]
    hint, shown = remedy("CHARACTERS", char), character(char)
    return mistake("name_character", source, (at, at + 1), hint=hint, char=shown)


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


def _malformed(source: Source, span: Span) -> GradcError:
    """Say what is wrong with a text that begins as a number."""
    text = source.text[slice(*span)]
    match = NUMBER.match(text)
    head = match[0] if match else ""
    tail = text[len(head) :]
    if re.fullmatch("0[xXoObB][0-9a-fA-F_]+", text):
        return mistake("number_base", source, span, number=text)
    if head and tail in ("j", "J"):
        place = source, span
        return mistake("number_imaginary", *place, number=text, real=head, unit=tail)
    if head and plain(tail)[0] == "^":
        instead = plain(text)
        return mistake("number_raised", source, span, number=text, instead=instead)
    if head and tail.isidentifier() and tail[0] != "_":
        return mistake("product_sign_missing", source, span, left=head, right=tail)
    return mistake("number_malformed", source, span, number=text)
