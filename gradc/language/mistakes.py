"""From where the parser is stuck to the sentence that says why.

The key is whether an operand or an operator was expected, and the token found: states
of the parser are too many, and the same mistake in another place is another state.
"""

import re
from dataclasses import dataclass

from gradc import errors
from gradc.errors import LINE_END, TEXT_END, GradcError, Span
from gradc.language import hints, spell
from gradc.source import Source

CLOSING = {"(": ")", "[": "]"}
OPERANDS = ("NAME", "NUMBER", "(", "input", "data")
_DECLARING = re.compile(r"\s*(?:input|data)(?:\s.*,)?\s*")


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
        return LINE_END if self.text[0] == "\n" else errors.quote(self.text)

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


def explain(stuck: Stuck) -> GradcError:
    """Choose the sentence."""
    if stuck.token == "$END" and "return" in stuck.wanted:
        return errors.empty(stuck.source)
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
        if word in errors.RESERVED and _DECLARING.fullmatch(text, line, first):
            return errors.reserved_declared(stuck.source, (first, last), word)
    return None


def _by_token(stuck: Stuck) -> GradcError | None:
    """Tokens that are wrong wherever they stand."""
    source, span, text = stuck.source, stuck.span, stuck.text
    if stuck.token == "MALFORMED":
        return spell.malformed(source, span)
    if text == "!":
        return errors.exclamation(source, span, "NUMBER" in stuck.wanted)
    if stuck.token == "STRANGE":
        return errors.lexeme(source, span, text)
    if stuck.token == "WRONG":
        found = hints.dotted(source, span[0]) if text == "." else None
        return found or errors.stray(source, span)
    if text == "for":
        return errors.loop(source, span)
    if text == ":":
        return errors.colon(source, span, hints.colon(source, span[0], stuck.opens))
    return None


def _by_bracket(stuck: Stuck) -> GradcError | None:
    """Brackets that are open too long, closed too early, or not at all."""
    source, span, text = stuck.source, stuck.span, stuck.text
    if not stuck.opens:
        if text in (")", "]"):
            return errors.bracket_closes_nothing(source, span, text)
        return None
    at = stuck.opens[-1]
    opened, bracket = (at, at + 1), source.text[at]
    if stuck.new_line and (stuck.token == "$END" or "NUMBER" not in stuck.wanted):
        return errors.bracket_open(source, opened, bracket)
    if text == ";":
        return errors.semicolon_inside(source, span, opened)
    if text in (")", "]") and text != CLOSING[bracket]:
        return errors.bracket_differs(source, span, opened)
    return None


def _in_declaration(stuck: Stuck) -> GradcError | None:
    """Places that only declarations, and the clauses of loops, have."""
    source, wanted, found = stuck.source, stuck.wanted, stuck.found
    if wanted == {"(", "["}:
        return errors.interval_missing(source, stuck.place, found)
    if wanted == {"in"}:
        return errors.loop_in_missing(source, stuck.place, found)
    if "in" in wanted:
        return errors.declared_end(source, stuck.place, found)
    if "NAME" in wanted and "NUMBER" not in wanted:
        if stuck.before == "for":
            return errors.loop_name_missing(source, stuck.place, found)
        kind = stuck.before if stuck.before in ("input", "data") else "input"
        return errors.declared_name_missing(source, stuck.place, kind, found)
    one_end = "," in wanted and wanted.isdisjoint((")", "]"))
    if one_end and stuck.text in (")", "]") or wanted >= {")", "]"}:
        return errors.interval_ends(source, stuck.place, found)
    return None


def _operand(stuck: Stuck) -> GradcError:
    """A number, a name or a bracket was expected."""
    source, text, before = stuck.source, stuck.text, stuck.before
    if text == "," and before in ("(", ","):
        return errors.argument_missing(source, stuck.span, stuck.found)
    if text == ")" and before == "(":
        return errors.brackets_empty(source, (stuck.last[0], stuck.span[1]))
    if text == "return":
        return errors.return_inside(source, stuck.span)
    if text in errors.RESERVED:
        return errors.reserved(source, stuck.span, text)
    return errors.operand_missing(source, stuck.place, before or None, stuck.found)


def _operator(stuck: Stuck) -> GradcError:
    """The expression could only go on with an operator, or end."""
    source, span, text = stuck.source, stuck.span, stuck.text
    if stuck.token in OPERANDS:
        return _side_by_side(stuck)
    if text == "=":
        inside = bool(stuck.opens) or "else" in stuck.wanted
        return (errors.equals_inside if inside else errors.equals_twice)(source, span)
    if text == "," and not stuck.opens:
        return errors.comma_outside(source, span)
    if text == ",":
        return errors.comma_inside(source, span, hints.is_piece(source, stuck.opens))
    if text == "in":
        return errors.interval_outside(source, span)
    if "else" in stuck.wanted:
        return errors.else_missing(source, stuck.place, stuck.found)
    if text == "else":
        return errors.else_alone(source, span)
    if text == "return":
        return errors.return_inside(source, span)
    before = stuck.before or None
    return errors.operator_missing(source, stuck.place, before, stuck.found)


def _side_by_side(stuck: Stuck) -> GradcError:
    """`2 x`, `x y`, `2(x)`, `(x)(y)`."""
    source, before, last = stuck.source, stuck.before, stuck.last
    if before in errors.WORDS:
        return errors.foreign_word(source, last, before)
    place = (last[0], stuck.span[1])
    if before in hints.functions():
        return errors.brackets_missing(source, place, before, stuck.text)
    if found := hints.raised(source, stuck.span):
        return found
    left = "(...)" if before == ")" else before
    right = "(...)" if stuck.text == "(" else stuck.text
    right += "(...)" if right in hints.functions() else ""
    return errors.product_sign_missing(source, place, left, right)
