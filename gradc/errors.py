"""Everything that gradc says about a mistake, and how it points at the place.

One constructor function per mistake, so that the wording lives in one file.  A message
has four parts: what, where (the caret), why, and what to do (the hint).
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from gradc.source import Source

Span = tuple[int, int]

WIDTH = 88  # longer source lines are clipped around the place


class GradcError(ValueError):
    """A mistake in what the user gave; its `str` is the whole message.

    Without a span the message is one line, `NAME: what is wrong`.
    """

    def __init__(
        self,
        message: str,
        source: Source | None = None,
        span: Span | None = None,
        hint: str | None = None,
        earlier: tuple[str, Span] | None = None,
    ) -> None:
        super().__init__(message, source, span, hint, earlier)
        self.message, self.source, self.span = message, source, span
        self.hint, self.earlier = hint, earlier
        self.line: int | None = None
        self.column: int | None = None
        if source is not None and span is not None:
            self.line, self.column = source.place(span[0])

    def __str__(self) -> str:
        lines = [self.message]
        if self.source is not None:
            place = f":{self.line}:{self.column}" if self.span else ""
            name = visible(self.source.name) or "''"
            lines = [f"{name}{place}: {self.message}"]
            if self.span is not None:
                lines += _excerpt(self.source, self.span)
            if self.earlier is not None:
                label, span = self.earlier
                lines.append(f"  {label} in line {self.source.place(span[0])[0]}:")
                lines += _excerpt(self.source, span)
        if self.hint is not None:
            lines.append(f"  {self.hint}")
        return "\n".join(lines)


class SyntaxMistake(GradcError):
    """The text is not a formula."""


class NameMistake(GradcError):
    """A name is unknown, used too early, or bound twice."""


class ArityMistake(GradcError):
    """A function has another number of arguments."""


class KindMistake(GradcError):
    """A condition stands where a number belongs, or the other way round."""


class DomainMistake(GradcError):
    """An interval, or an argument that must be constant, is not what it must be."""


class DomainError(GradcError):
    """A compiled formula has no finite value at a point, or no derivative."""


class ShapeMistake(GradcError):
    """An array, an index or a bound does not fit."""


class LimitMistake(GradcError):
    """The formula is larger than what gradc takes on."""


class TableMistake(GradcError):
    """A row of the table of operations is not well formed."""


class FileMistake(GradcError):
    """A file cannot be read or written."""


class CheckMistake(GradcError):
    """The self-check found the compiled code wrong, or nothing to try it on."""


class InternalError(Exception):
    """A bug in gradc itself; `listing` is the program in which it showed."""

    def __init__(self, message: str, listing: str = "") -> None:
        super().__init__(message, listing)
        self.message, self.listing = message, listing

    def __str__(self) -> str:
        return f"this is a bug in gradc: {self.message}\n{self.listing}".rstrip()


# Quoting


def visible(text: str) -> str:
    """Escape what would not show, or would change the terminal, when printed."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def quote(text: str, limit: int = 40) -> str:
    """Show a piece of the source in a sentence: escaped, clipped, in quotes."""
    if len(text) > limit:
        text = f"{text[: limit - 3]}..."
    return f"'{visible(text)}'"


def character(char: str) -> str:
    """Show a character; one beyond ASCII with its number and name."""
    if char.isascii():
        return quote(char)
    shown = f"\u25cc{char}" if unicodedata.combining(char) else char
    name = unicodedata.name(char, "")
    return f"{quote(shown)} (U+{ord(char):04X}{' ' if name else ''}{name})"


def _columns(text: str) -> int:
    """Count the columns that a terminal gives to a text."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def _excerpt(source: Source, span: Span) -> list[str]:
    """Draw the line of a span, clipped around it, with carets underneath."""
    start, end = span
    number, column = source.place(start)
    line = source.line_text(number)
    first, last = column - 1, min(column - 1 + max(end - start, 1), len(line))
    left = max(0, min(first - WIDTH // 3, len(line) - WIDTH))
    right = min(len(line), left + WIDTH)
    head = "..." if left else ""
    tail = "..." if right < len(line) else ""
    before = head + visible(line[left:first].replace("\t", " "))
    marked = visible(line[first : min(last, right)].replace("\t", " "))
    after = visible(line[min(last, right) : right].replace("\t", " ")) + tail
    caret = " " * _columns(before) + "^" * max(1, _columns(marked))
    return [f"    {before}{marked}{after}", f"    {caret}"]


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant, if there is one."""
    limit = max(len(name) > 1, len(name) // 3)
    near = [n for n in names if abs(len(n) - len(name)) <= limit < len(n) <= 40]
    ranked = sorted(
        (_distance(name.lower(), n.lower()), _rank(name, n), n) for n in near
    )
    return ranked[0][2] if ranked and ranked[0][0] <= limit else None


def _rank(name: str, other: str) -> tuple[int, bool]:
    """Among names at the same distance: of the same length and beginning first."""
    return abs(len(name) - len(other)), name[:1] != other[:1]


def _distance(a: str, b: str) -> int:
    """Count the letters to insert, drop, replace or swap with a neighbour.

    The restricted Damerau-Levenshtein distance, by rows of its matrix.
    """
    before, row = [0], list(range(len(b) + 1))
    for i, x in enumerate(a):
        last, before, row = before, row, [i + 1]
        for j, y in enumerate(b):
            step = min(before[j] + (x != y), before[j + 1] + 1, row[j] + 1)
            if i and j and x == b[j - 1] and a[i - 1] == y:
                step = min(step, last[j - 1] + 1)
            row.append(step)
    return row[-1]


def _meant(name: str, names: Iterable[str], otherwise: str) -> str:
    best = closest(name, names)
    return f"did you mean '{best}'?" if best else otherwise


# Syntax: operands and operators

LINE_END = "the end of the line"
TEXT_END = "the end of the formula"


def operand_missing(
    source: Source, span: Span, after: str | None, found: str
) -> GradcError:
    """An operator, a comma or a bracket has nothing to work on."""
    place = f" after {quote(after)}" if after else ""
    what = f"expected an operand{place}, found {found}"
    hint = "an operand is a number, a name, a call or an expression in brackets"
    if found == LINE_END:
        hint = "a line goes on inside brackets, or after a backslash at its end"
    return SyntaxMistake(what, source, span, hint)


def operator_missing(
    source: Source, span: Span, after: str | None, found: str
) -> GradcError:
    """Something stands where the expression could only go on or end."""
    place = f" after {quote(after)}" if after else ""
    what = f"expected an operator or the end{place}, found {found}"
    return SyntaxMistake(what, source, span)


def product_sign_missing(
    source: Source, span: Span, left: str, right: str
) -> GradcError:
    """`2x`, `x y`, `2(x)`: two operands side by side."""
    what = f"an operator is missing between {quote(left)} and {quote(right)}"
    hint = f"for a product write {quote(f'{left}*{right}', 60)}"
    return SyntaxMistake(what, source, span, hint)


def brackets_missing(source: Source, span: Span, name: str, operand: str) -> GradcError:
    """`sin x`: a function and an operand side by side."""
    what = f"the argument of {quote(name)} stands in brackets"
    return SyntaxMistake(what, source, span, f"write {quote(f'{name}({operand})', 60)}")


def function_raised(
    source: Source, span: Span, name: str, power: str, operand: str, inverse: str
) -> GradcError:
    """`sin^2(x)`, or the same with a raised 2; -1 may mean the inverse function."""
    what = f"{quote(name)} is a function, and has no power without its argument"
    hint = f"write {quote(f'{name}({operand})^{power}', 60)}"
    if inverse:
        hint += f", or {quote(f'{inverse}({operand})', 60)} for the inverse"
    return SyntaxMistake(what, source, span, hint)


def dotted(source: Source, span: Span, name: str, instead: str) -> GradcError:
    """`math.sin(x)`, `np.exp(x)`, `x.sum()`."""
    what = f"{quote(name)} is not a name of the language, which has no modules"
    return SyntaxMistake(what, source, span, f"write {quote(instead, 60)}")


def bracket_open(source: Source, span: Span, bracket: str) -> GradcError:
    """A bracket is never closed."""
    closing = ")" if bracket == "(" else "]"
    what = f"'{bracket}' is never closed"
    return SyntaxMistake(what, source, span, f"add the '{closing}' that belongs to it")


def bracket_closes_nothing(source: Source, span: Span, bracket: str) -> GradcError:
    """A closing bracket without an opening one."""
    what = f"'{bracket}' closes nothing: no bracket is open here"
    return SyntaxMistake(what, source, span, "remove it, or open a bracket before it")


def bracket_differs(source: Source, span: Span, earlier: Span) -> GradcError:
    """A bracket is closed by one of the other kind."""
    closing, opening = source.text[span[0]], source.text[earlier[0]]
    what = f"'{closing}' cannot close '{opening}'"
    hint = f"write '{')' if opening == '(' else ']'}'"
    return SyntaxMistake(what, source, span, hint, ("opened", earlier))


def brackets_empty(source: Source, span: Span) -> GradcError:
    """`()` without a function before it."""
    what = "the brackets are empty"
    hint = "write an expression between them, or a function's name before them"
    return SyntaxMistake(what, source, span, hint)


def argument_missing(source: Source, span: Span, found: str) -> GradcError:
    """`f(, x)` or `f(x,, y)`: a comma without an argument."""
    what = f"expected an argument before {found}"
    return SyntaxMistake(what, source, span, "write the argument or remove the comma")


def semicolon_inside(source: Source, span: Span, earlier: Span) -> GradcError:
    """`;` inside brackets."""
    what = "';' separates statements and cannot stand inside brackets"
    hint = "close the bracket first, or write ','"
    return SyntaxMistake(what, source, span, hint, ("the bracket is open", earlier))


def comma_inside(source: Source, span: Span, piece: bool) -> GradcError:
    """A comma in brackets that are not a call's, maybe a `piece` of piecewise."""
    what = "',' stands only between arguments, indices and the parts of an array"
    hint = "an array is [x, y]; several results are returned: return x, y"
    if piece:
        hint = "a piece is (value, condition): piecewise((x, x > 0), (-x, x < 0), 0)"
    return SyntaxMistake(what, source, span, hint)


def comma_outside(source: Source, span: Span) -> GradcError:
    """A comma outside brackets."""
    what = "',' cannot stand here: a statement has one expression"
    hint = "several results are returned: return a, b; write '.' for a decimal comma"
    return SyntaxMistake(what, source, span, hint)


def equals_inside(source: Source, span: Span) -> GradcError:
    """`f(a=1)`, `a if x = 1 else b`."""
    what = "'=' binds a name and cannot stand inside an expression"
    hint = "to compare write '=='; arguments of functions have no names"
    return SyntaxMistake(what, source, span, hint)


def equals_twice(source: Source, span: Span) -> GradcError:
    """`a = b = c`."""
    what = "a statement has one '='"
    hint = "bind one name in each statement; to compare write '=='"
    return SyntaxMistake(what, source, span, hint)


def target_expected(source: Source, span: Span) -> GradcError:
    """`x + 1 = 2`: the left side is no name."""
    what = "the left side of '=' must be a name, or a function of names"
    hint = "write name = expression or name(a, b) = expression; to compare write '=='"
    return SyntaxMistake(what, source, span, hint)


def reserved(source: Source, span: Span, word: str) -> GradcError:
    """A reserved word where an operand is expected."""
    what = f"{quote(word)} is a reserved word and cannot stand here"
    return SyntaxMistake(what, source, span, RESERVED.get(word))


def reserved_declared(source: Source, span: Span, word: str) -> GradcError:
    """`input if`."""
    what = f"{quote(word)} is a reserved word and cannot be declared"
    return SyntaxMistake(what, source, span, f"choose another name, such as {word}_")


def else_missing(source: Source, span: Span, found: str) -> GradcError:
    """`a if c` without `else`."""
    what = f"'else' is missing: found {found}"
    hint = "write a if condition else b"
    return SyntaxMistake(what, source, span, hint)


def else_alone(source: Source, span: Span) -> GradcError:
    """`else` without `if`."""
    what = "'else' has no 'if' before it"
    return SyntaxMistake(what, source, span, "write a if condition else b")


def return_inside(source: Source, span: Span) -> GradcError:
    """`return` within a statement."""
    what = "'return' can only begin the last statement"
    hint = "start a new line, or remove it: the last expression is the result"
    return SyntaxMistake(what, source, span, hint)


def loop(source: Source, span: Span) -> GradcError:
    """A `for` that stands outside brackets."""
    what = "'for' stands behind an expression, in brackets or as all of an argument"
    hint = "write [x[i]^2 for i in range(3)], or sum(x[i]^2 for i in range(3))"
    return SyntaxMistake(what, source, span, hint)


def loop_name_missing(source: Source, span: Span, found: str) -> GradcError:
    """`[x for 3 in y]`."""
    what = f"expected a name after 'for', found {found}"
    return SyntaxMistake(what, source, span, "write for i in range(3)")


def loop_in_missing(source: Source, span: Span, found: str) -> GradcError:
    """`[x for i = 1]`, `[x for i, j in y]`."""
    what = f"expected 'in' after the name of the loop, found {found}"
    hint = "write for i in range(3), with one name; each item is an array or a number"
    return SyntaxMistake(what, source, span, hint)


def colon(source: Source, span: Span, place: str) -> GradcError:
    """A colon outside an index, or one too many in it."""
    what = "':' stands only in an index, as in x[1:3]"
    if place == "index":
        what = "an index has two ':' at the most"
    return SyntaxMistake(what, source, span, COLONS[place])


def lexeme(source: Source, span: Span, text: str) -> GradcError:
    """A sign that other languages have."""
    hint = LEXEMES[text]
    what = f"{quote(text)} is not an operator of the language"
    return SyntaxMistake(what, source, span, hint)


def exclamation(source: Source, span: Span, prefix: bool) -> GradcError:
    """`!x` and `x!`."""
    what = "'!' is not an operator of the language"
    hint = "write not" if prefix else "for the factorial of n write gamma(n + 1)"
    return SyntaxMistake(what, source, span, hint)


def stray(source: Source, span: Span) -> GradcError:
    """A character that the language does not have."""
    char = source.text[span[0]]
    plain = unicodedata.normalize("NFKC", char)
    hint = CHARACTERS.get(char)
    if hint is None and plain != char and plain.isascii():
        hint = f"write {quote(plain)}" if plain.strip() else "write an ordinary space"
    return SyntaxMistake(f"unexpected character {character(char)}", source, span, hint)


def half_character(source: Source, span: Span) -> GradcError:
    """A surrogate, which Python's strings can hold and UTF-8 cannot."""
    what = f"{character(source.text[span[0]])} is half a character"
    hint = "the text was not UTF-8 where it came from: save it as UTF-8"
    return SyntaxMistake(what, source, span, hint)


def foreign_word(source: Source, span: Span, word: str) -> GradcError:
    """`let x = 1`, `def f(x) = ...`, `import math`, `lambda x: x`."""
    what = f"{quote(word)} is not a word of the language"
    return SyntaxMistake(what, source, span, WORDS[word])


# Syntax: names and numbers


def name_changed(source: Source, span: Span, name: str, instead: str) -> GradcError:
    """A name that Python would silently spell in another way."""
    what = f"Python would read the name {quote(name)} as another one"
    return SyntaxMistake(what, source, span, f"write {instead}")


def name_character(source: Source, span: Span) -> GradcError:
    """A character that no name can have."""
    char = source.text[span[0]]
    what = f"{character(char)} cannot stand in a name"
    hint = CHARACTERS.get(char, "names have letters, digits and underscores")
    return SyntaxMistake(what, source, span, hint)


def name_long(source: Source, span: Span, limit: int) -> GradcError:
    """A name longer than any that a person writes."""
    what = f"the name has {span[1] - span[0]} characters, more than {limit}"
    return SyntaxMistake(what, source, span, "choose a shorter name")


def number_base(source: Source, span: Span) -> GradcError:
    """`0x1f`, `0b1`, `0o7`."""
    what = f"{quote(source.text[slice(*span)])} is not a decimal number"
    hint = "only decimal numbers are read, such as 31 for 0x1f"
    return SyntaxMistake(what, source, span, hint)


def number_imaginary(source: Source, span: Span) -> GradcError:
    """`1j`."""
    text = source.text[slice(*span)]
    what = f"{quote(text)} is an imaginary number, and all numbers here are real"
    hint = f"for a product write {quote(f'{text[:-1]}*{text[-1]}')}"
    return SyntaxMistake(what, source, span, hint)


def number_zeros(source: Source, span: Span) -> GradcError:
    """`007`."""
    text = source.text[slice(*span)]
    what = f"{quote(text)} begins with a zero, which would be octal elsewhere"
    return SyntaxMistake(what, source, span, f"write {quote(text.lstrip('0_'))}")


def number_large(source: Source, span: Span) -> GradcError:
    """`1e999`."""
    what = f"{quote(source.text[slice(*span)])} is larger than any binary64 number"
    hint = "the largest is 1.7976931348623157e308; an open end of an interval is inf"
    return SyntaxMistake(what, source, span, hint)


def number_malformed(
    source: Source, span: Span, instead: str | None = None
) -> GradcError:
    """`1__0`, `1.2.3`, `1_`, `2` with a raised 2."""
    what = f"{quote(source.text[slice(*span)])} is not a number"
    hint = "numbers are written as 12, 1_000, .5, 2.5 or 1e-3"
    hint = f"write {quote(instead)}" if instead else hint
    return SyntaxMistake(what, source, span, hint)


# Statements


def empty(source: Source) -> GradcError:
    """There is no statement in the source."""
    return SyntaxMistake("the formula is empty", source, None)


def result_missing(source: Source, span: Span, kind: str) -> GradcError:
    """The last statement is a definition or a declaration."""
    what = f"the formula has no result: its last statement is a {kind}"
    hint = "end with an expression, return expression, or name = expression"
    return SyntaxMistake(what, source, span, hint)


def result_early(source: Source, span: Span) -> GradcError:
    """A bare expression that is not the last statement."""
    what = "only the last statement can be an expression without a name"
    hint = "its value would be lost: bind it, name = expression, or remove it"
    return SyntaxMistake(what, source, span, hint)


def after_return(source: Source, span: Span, earlier: Span) -> GradcError:
    """A statement after `return`."""
    what = "a statement after 'return' is never reached"
    hint = "move it above the 'return', or remove it"
    return SyntaxMistake(what, source, span, hint, ("the result is returned", earlier))


def result_twice(source: Source, span: Span, name: str, earlier: Span) -> GradcError:
    """`return a = x, a = y`."""
    what = f"two results are called {quote(name)}"
    return NameMistake(what, source, span, "rename one", ("first", earlier))


def result_empty(source: Source, span: Span) -> GradcError:
    """`x[3:]` of three is returned."""
    what = "the result is an array without entries"
    return ShapeMistake(what, source, span)


# Declarations


def declared_name_missing(
    source: Source, span: Span, kind: str, found: str
) -> GradcError:
    """`input`, `input x,` or `input 3`."""
    what = f"expected a name in the '{kind}' line, found {found}"
    return SyntaxMistake(what, source, span, f"write {kind} x, y in [0, 1]")


def declared_end(source: Source, span: Span, found: str) -> GradcError:
    """`input x > 0`, `input x = 3`, `input x y`."""
    what = f"expected ',' or 'in' after the declared name, found {found}"
    hint = "names are separated by commas; a domain is written x in [0, 10]"
    if found == "'='":
        hint = "an input has no value: bind the name without 'input', or pass its value"
    return SyntaxMistake(what, source, span, hint)


def interval_missing(source: Source, span: Span, found: str) -> GradcError:
    """`input x in 3`."""
    what = f"expected an interval after 'in', found {found}"
    hint = "write [0, 1], or (0, inf) with open ends"
    return SyntaxMistake(what, source, span, hint)


def interval_ends(source: Source, span: Span, found: str) -> GradcError:
    """`input x in [0]`, `input x in [0, 1, 2]`."""
    what = f"an interval has two ends: found {found}"
    hint = "write [0, 1], or (0, inf) with open ends"
    return SyntaxMistake(what, source, span, hint)


def interval_outside(source: Source, span: Span) -> GradcError:
    """`x in [0, 1]` outside a declaration."""
    what = "'in' gives a domain, and only in an 'input' or 'data' line"
    hint = "as a condition write 0 <= x <= 1"
    return SyntaxMistake(what, source, span, hint)


def interval_empty(source: Source, span: Span, low: float, high: float) -> GradcError:
    """The low end is not below the high end."""
    what = f"the interval is empty: {low:g} is not below {high:g}"
    hint = "write the smaller end first; a fixed value is a binding, name = value"
    return DomainMistake(what, source, span, hint)


def interval_not_constant(source: Source, span: Span) -> GradcError:
    """An end of an interval depends on an input."""
    what = "the end of an interval must be a constant"
    hint = "numbers, pi, e, inf and functions of them are constants"
    return DomainMistake(what, source, span, hint)


def interval_undefined(source: Source, span: Span) -> GradcError:
    """An end of an interval has no value, such as sqrt(-1)."""
    what = "the end of the interval has no value"
    return DomainMistake(what, source, span, "choose a number, inf or -inf")


# Kinds


def condition_as_number(source: Source, span: Span) -> GradcError:
    """A comparison is used as a number."""
    what = "a comparison is a condition, and a number is needed here"
    text = source.text[slice(*span)]
    shown = text if len(text) <= 30 and "\n" not in text else "x > 0"
    return KindMistake(what, source, span, f"write where({visible(shown)}, 1, 0)")


def condition_bound(source: Source, span: Span) -> GradcError:
    """A comparison is bound to a name or is the result."""
    what = "a comparison has no value of its own: only numbers are bound and returned"
    text = source.text[slice(*span)]
    shown = text if len(text) <= 30 and "\n" not in text else "x > 0"
    return KindMistake(what, source, span, f"write where({visible(shown)}, 1, 0)")


def number_as_condition(source: Source, span: Span) -> GradcError:
    """A number is used as a condition."""
    what = "a number is not a condition"
    text = source.text[slice(*span)]
    shown = text if text.isalnum() and len(text) <= 30 else "x"
    hint = f"compare it: {shown} != 0"
    if text.lower() in ("true", "false"):
        always = text.lower() == "true"
        hint = (
            f"what {'always' if always else 'never'} holds is 0 {'=!'[not always]}= 0"
        )
    return KindMistake(what, source, span, hint)


# Names


# What stands below the line in functions that the language does without.
RECIPROCALS = {
    "cot": "tan",
    "ctg": "tan",
    "sec": "cos",
    "csc": "sin",
    "cosec": "sin",
    "coth": "tanh",
    "sech": "cosh",
    "csch": "sinh",
    "cosech": "sinh",
}


def unknown_function(
    source: Source, span: Span, name: str, names: Iterable[str], variable: bool
) -> GradcError:
    """A call of something that is no function."""
    if variable:
        what = f"{quote(name)} is a variable, not a function"
        hint = f"for a product write {quote(f'{name}*(...)')}"
        return NameMistake(what, source, span, hint)
    otherwise = f"for a product write {quote(f'{name}*(...)')}"
    if len(name) > 2:
        otherwise = "'gradc ops' lists all functions"
    below = RECIPROCALS.get(name.lower())
    hint = f"write 1/{below}(...)" if below else _meant(name, names, otherwise)
    return NameMistake(f"unknown function {quote(name)}", source, span, hint)


def later_function(source: Source, span: Span, name: str, earlier: Span) -> GradcError:
    """A function is called above its definition."""
    what = f"the function {quote(name)} is called before its definition"
    hint = "move the definition above its first use"
    return NameMistake(what, source, span, hint, ("it is defined", earlier))


def recursion(source: Source, span: Span, name: str) -> GradcError:
    """A function calls itself."""
    what = f"the function {quote(name)} calls itself"
    hint = "functions are written out where they are called, so they cannot recur"
    return NameMistake(what, source, span, hint)


def unknown_name(
    source: Source, span: Span, name: str, names: Iterable[str]
) -> GradcError:
    """A name that is neither declared nor bound."""
    hint = _meant(name, names, f"add it to the inputs: input {visible(name)}")
    return NameMistake(f"the name {quote(name)} is not declared", source, span, hint)


def later_name(source: Source, span: Span, name: str, earlier: Span) -> GradcError:
    """A name is used above its binding."""
    what = f"the name {quote(name)} is used before it is bound"
    hint = "move the binding above its first use"
    return NameMistake(what, source, span, hint, ("it is bound", earlier))


def own_name(source: Source, span: Span, name: str) -> GradcError:
    """`x = x + 1`."""
    what = f"the name {quote(name)} is used in its own binding"
    return NameMistake(what, source, span, "a name is bound once: choose a new name")


def bound_twice(source: Source, span: Span, name: str, earlier: Span) -> GradcError:
    """A name is bound a second time."""
    what = f"the name {quote(name)} is bound twice"
    hint = "a name is bound once: choose a new name"
    return NameMistake(what, source, span, hint, ("first bound", earlier))


def defined_twice(source: Source, span: Span, name: str, earlier: Span) -> GradcError:
    """A function is defined a second time."""
    what = f"the function {quote(name)} is defined twice"
    hint = "a function is defined once: choose a new name"
    return NameMistake(what, source, span, hint, ("first defined", earlier))


def declared_twice(source: Source, span: Span, name: str, earlier: Span) -> GradcError:
    """A name is declared a second time."""
    what = f"the name {quote(name)} is declared twice"
    hint = "remove one of the declarations"
    return NameMistake(what, source, span, hint, ("first declared", earlier))


def declared_bound(source: Source, span: Span, name: str, earlier: Span) -> GradcError:
    """A declared name is bound, or a bound name declared."""
    what = f"the name {quote(name)} is both an input and bound to an expression"
    hint = "remove the declaration, or choose another name"
    return NameMistake(what, source, span, hint, ("first seen", earlier))


def parameter_twice(source: Source, span: Span, name: str, earlier: Span) -> GradcError:
    """A function has two parameters of one name."""
    what = f"the parameter {quote(name)} occurs twice"
    return NameMistake(what, source, span, "rename one", ("first", earlier))


def inputs_missing(source: Source, span: Span, name: str) -> GradcError:
    """A free name is not in the list of inputs that the caller gave."""
    what = f"the name {quote(name)} is not in the list of inputs"
    return NameMistake(what, source, span, f"add {quote(name)} to inputs=[...]")


def inputs_contradict(
    source: Source, declared: Sequence[str], given: Sequence[str]
) -> GradcError:
    """The list of inputs differs from the declarations of the source."""
    mine, theirs = ", ".join(declared), ", ".join(given)
    what = f"the source declares the inputs {quote(mine)}, inputs= says {quote(theirs)}"
    return NameMistake(what, source, None, "leave one of the two out")


def inputs_bound(source: Source, span: Span, name: str) -> GradcError:
    """A name of the list of inputs is bound in the source."""
    what = f"the name {quote(name)} is in the list of inputs, and bound here"
    hint = "remove it from inputs=[...], or choose another name"
    return NameMistake(what, source, span, hint)


def inputs_invalid(source: Source, name: str) -> GradcError:
    """An entry of the list of inputs is no name of the language."""
    return NameMistake(f"inputs: {quote(name)} is not a name", source, None)


def inputs_twice(source: Source, name: str) -> GradcError:
    """The list of inputs has a name twice."""
    return NameMistake(f"inputs: {quote(name)} occurs twice", source, None)


def no_inputs(source: Source, span: Span) -> GradcError:
    """A formula of constants."""
    what = "the formula has no input"
    hint = "there is nothing to differentiate by: use a variable, or declare input x"
    return NameMistake(what, source, span, hint)


# Calls


def arity(
    source: Source, span: Span, name: str, expected: str, count: int
) -> GradcError:
    """A call has another number of arguments than its function."""
    return ArityMistake(f"{quote(name)} takes {expected}, got {count}", source, span)


def piece_outside(source: Source, span: Span, name: str) -> GradcError:
    """A piece as the argument of another function than piecewise."""
    what = (
        f"(value, condition) is an argument of 'piecewise' only, not of {quote(name)}"
    )
    hint = "remove the inner brackets; an array is [x, y]"
    return SyntaxMistake(what, source, span, hint)


def piece_expected(source: Source, span: Span) -> GradcError:
    """An argument of piecewise that is no piece and not the last."""
    what = "an argument of 'piecewise' before the last must be (value, condition)"
    hint = "write piecewise((x, x > 0), (-x, x < 0), 0)"
    return SyntaxMistake(what, source, span, hint)


def otherwise_missing(source: Source, span: Span) -> GradcError:
    """A piecewise whose last argument is a piece."""
    what = "'piecewise' ends with the value for all other cases"
    hint = "add it: piecewise((x, x > 0), (-x, x < 0), 0)"
    return ArityMistake(what, source, span, hint)


def order_not_constant(source: Source, span: Span, name: str, most: int) -> GradcError:
    """The order of polygamma is no constant whole number, or very large."""
    what = (
        f"the order of {quote(name)} must be a constant whole number from 0 to {most}"
    )
    return DomainMistake(what, source, span, f"write {visible(name)}(1, x)")


# Arrays

Shaped = tuple[Span, tuple[int, ...]]  # a place, and the shape of what stands there
PRODUCTS = ("@", "dot")


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as a declaration writes it, in words if it is that of a number."""
    return f"shape [{', '.join(map(str, shape))}]" if shape else "a number"


def shapes_differ(
    source: Source, later: Shaped, earlier: Shaped, name: str = ""
) -> GradcError:
    """`x + y` of arrays that do not fit; the name is that of a function."""
    (span, shape), (first, other) = later, earlier
    of = f" of {quote(name)}" if name else ""
    what = f"the shapes{of} do not fit: [{_axes(other)}] and [{_axes(shape)}]"
    hint = "arrays go together entry by entry, so their shapes are equal"
    if name in PRODUCTS:
        hint = "the last axis of the first is as long as the first axis of the second"
    label = f"an array of shape [{_axes(other)}]"
    return ShapeMistake(what, source, span, hint, (label, first))


def ragged(source: Source, later: Shaped, earlier: Shaped) -> GradcError:
    """`[[1, 2], [3]]`, or a comprehension whose items have different shapes."""
    (span, shape), (first, other) = later, earlier
    what = f"an array has parts of one shape: {shape_text(shape)}"
    what += f" stands beside {shape_text(other)}"
    where = None if span == first else (f"{shape_text(other)} is given", first)
    return ShapeMistake(what, source, span, None, where)


def array_expected(source: Source, span: Span, name: str) -> GradcError:
    """`sum(x)` of a number."""
    what = f"{quote(name)} takes an array, and this is a number"
    hint = f"declare input x[3], or write {visible(name)}([x, y])"
    if name in PRODUCTS:
        hint = "for a product with a number write x*y"
    elif name in ("det", "inv", "transpose"):
        hint = f"declare input x[2, 2], or write {name}([[1, x], [y, 1]])"
    elif name == "cross":
        hint = "declare input x[3], y[3]"
    return ShapeMistake(what, source, span, hint)


def axes_expected(
    source: Source, span: Span, name: str, wanted: str, shape: tuple[int, ...]
) -> GradcError:
    """`det(x)` of a vector."""
    what = f"{quote(name)} takes {wanted}, and this has {shape_text(shape)}"
    return ShapeMistake(what, source, span)


def array_empty(source: Source, span: Span, name: str) -> GradcError:
    """`mean(x[3:3])`."""
    what = f"{quote(name)} of an array without entries has no value"
    return ShapeMistake(what, source, span)


def variable_expected(source: Source, span: Span, name: str) -> GradcError:
    """`diff(x^2, x + 1)`."""
    what = f"{quote(name)} differentiates by a name: an input, a binding, a parameter"
    hint = f"write {visible(name)}(x^2, x), or bind the expression to a name before it"
    return ShapeMistake(what, source, span, hint)


def gradient_of_array(
    source: Source, span: Span, name: str, shape: tuple[int, ...]
) -> GradcError:
    """`grad(x*x, x)` of a vector x."""
    what = f"{quote(name)} takes a number, and this is an array of {shape_text(shape)}"
    return ShapeMistake(what, source, span, "write jacobian(...), or pick an entry")


def too_many_axes(source: Source, span: Span, limit: int) -> GradcError:
    """Brackets within brackets, too deep for an array."""
    what = f"an array has at most {limit} axes"
    return ShapeMistake(what, source, span)


def number_expected(source: Source, span: Span, shape: tuple[int, ...]) -> GradcError:
    """An array where a single number is needed."""
    what = f"a number is needed here, and this is an array of {shape_text(shape)}"
    return ShapeMistake(what, source, span, "pick an entry, or reduce it with sum(...)")


def index_outside(
    source: Source, span: Span, index: int, axis: int, shape: tuple[int, ...]
) -> GradcError:
    """`x[3]` of an array of three."""
    length = shape[axis]
    where = f" of axis {axis}" if len(shape) > 1 else ""
    what = f"the index {index} is outside the array, which has {shape_text(shape)}"
    hint = f"the indices{where} go from 0 to {length - 1}, or from -{length} to -1"
    if not length:
        hint = "there are no entries"
    return ShapeMistake(what, source, span, hint)


def index_too_many(source: Source, span: Span, shape: tuple[int, ...]) -> GradcError:
    """`x[0, 1]` of a vector."""
    what = f"there are more indices than axes: the array has {shape_text(shape)}"
    return ShapeMistake(what, source, span)


def index_of_number(source: Source, span: Span, name: str) -> GradcError:
    """`x[0]` where x is a number."""
    what = "this is a number, and has no entries"
    shown = visible(name) if name else "x"
    return ShapeMistake(what, source, span, f"an array is declared: input {shown}[3]")


def whole_expected(source: Source, span: Span) -> GradcError:
    """`x[y]`, `x[0.5]`, `range(y)`."""
    what = "an index or a bound must be a constant whole number"
    hint = "use numbers, bindings of numbers, len(x), and the variables of 'for'"
    return ShapeMistake(what, source, span, hint)


def slice_standing(source: Source, span: Span) -> GradcError:
    """`x[::0]`, `range(0, 3, 0)`."""
    return ShapeMistake("the step is 0", source, span, "write 1, or -1 for backwards")


def iterable_expected(source: Source, span: Span) -> GradcError:
    """`[x for i in 3]`."""
    what = "'for' runs through an array, and this is a number"
    return ShapeMistake(what, source, span, "write for i in range(3)")


def filter_not_constant(source: Source, span: Span) -> GradcError:
    """`[x[i] for i in range(3) if x[i] > 0]`."""
    what = "the condition of a 'for' must be constant: it decides what is compiled"
    hint = "to decide by values write sum(where(v > 0, v, 0) for v in x)"
    return ShapeMistake(what, source, span, hint)


def axis_not_whole(source: Source, span: Span) -> GradcError:
    """`input x[0]`, `input x[2.5]`."""
    what = "the length of an axis must be a constant whole number, 1 or larger"
    return ShapeMistake(what, source, span, "write input x[3], or bind n = 3 above it")


def axis_unknown(
    source: Source, span: Span, name: str, names: Iterable[str]
) -> GradcError:
    """`input x[n]` where n has no value yet."""
    what = f"the name {quote(name)} has no value here"
    hint = _meant(name, names, f"bind it above the declaration: {visible(name)} = 3")
    return NameMistake(what, source, span, hint)


def declared_later(source: Source, span: Span, name: str) -> GradcError:
    """An array is used above its declaration."""
    what = f"the array {quote(name)} is used before it is declared"
    return NameMistake(what, source, span, "move the declaration to the top")


def _axes(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape))


# Limits


def too_many_operations(source: Source, span: Span, limit: int) -> GradcError:
    """The formula has more operations than the user allows."""
    counted = f"{limit} operation{'' if limit == 1 else 's'}"
    what = f"the formula has more than {counted}, with all calls written out"
    return LimitMistake(what, source, span, "raise the limit with --max-ops")


def program_too_large(source: Source, span: Span, limit: int) -> GradcError:
    """The formula has more operations than can be compiled, whatever the user allows."""
    what = f"the formula has more than {limit} operations, too many to compile"
    return LimitMistake(what, source, span, "split it into several formulas")


def derivatives_too_large(source: Source, limit: int, noun: str) -> GradcError:
    """The derivatives of the formula are more than can be compiled."""
    what = f"the derivatives take more than {limit} {noun}, too many to compile"
    hint = "split the formula, or differentiate by fewer inputs"
    return LimitMistake(what, source, (0, 0), hint)


def too_many_steps(source: Source, span: Span, limit: int) -> GradcError:
    """Loops that run too often, whether they build something or not."""
    what = f"loops and derivatives take more than {limit} steps, too many to compile"
    return LimitMistake(what, source, span, "let them run through fewer items")


def text_too_long(source: Source, span: Span, limit: int) -> GradcError:
    """The text has more tokens than a formula that can be compiled."""
    what = f"the formula has more than {limit} words and signs, too many to compile"
    return LimitMistake(what, source, span, "split it into several formulas")


# The table


def table_mistake(message: str) -> GradcError:
    """A row contradicts itself; the message quotes the row and the column."""
    return TableMistake(message)


# Notes: not mistakes, but worth a line on standard error


def euler_note(source: Source, span: Span) -> str:
    """`e` was taken for Euler's number."""
    line, column = source.place(span[0])
    place = f"{visible(source.name)}:{line}:{column}"
    return f"{place}: note: 'e' is Euler's number; declare 'input e' for a variable"


def number_note(source: Source, span: Span, name: str) -> str:
    """A name that is a number elsewhere was taken for an input."""
    line, column = source.place(span[0])
    place = f"{visible(source.name)}:{line}:{column}"
    what = f"{quote(name)} is an input here, and no constant"
    return f"{place}: note: {what}; declare 'input {name}' to say so"


def sparse_note() -> str:
    """`--sparse` of functions without a matrix."""
    why = "a gradient has no entries that are left out; --emit hessian has"
    return f"note: --sparse changes nothing: {why}"


def hidden_note(source: Source, span: Span, name: str) -> str:
    """A function of the formula has the name of a built-in."""
    line, column = source.place(span[0])
    place = f"{visible(source.name)}:{line}:{column}"
    return f"{place}: note: {quote(name)} hides the built-in function below this line"


NUMBERS = frozenset("inf Inf infinity nan NaN True False true false None".split())

RESERVED = {
    "if": "write a if condition else b",
    "else": "write a if condition else b",
    "and": "write a > 0 and b > 0",
    "or": "write a > 0 or b > 0",
    "not": "write not a > 0",
    "for": "write sum(x[i] for i in range(3))",
    "in": "a domain is declared by input x in [0, 1]",
    "return": "'return' can only begin the last statement",
}

_BINDING = "a binding is name = expression, a function name(a, b) = expression"
_IMPORT = "all functions are there: write sin(x), without a module"
WORDS = {
    **dict.fromkeys("let var const def function double float real".split(), _BINDING),
    **dict.fromkeys("import from using include".split(), _IMPORT),
    "lambda": "a function is name(a, b) = expression",
    "while": "write sum(x[i] for i in range(3))",
}

COLONS = {
    "": "a binding is name = expression",
    "range": "whole numbers are range(1, 4), which ends before 4",
    "index": "write start:stop:step",
    "declaration": "types are not declared; a domain is written x in [0, 10]",
}

LEXEMES = {
    "//": "for a quotient rounded down write floor(x/y)",
    "%": "for the remainder write mod(x, y)",
    "&&": "write and",
    "&": "write and",
    "||": "write or",
    "|": "write or; for the absolute value write abs(x)",
    "^^": "for a power write ^ or **",
    "<>": "write !=",
    "=<": "write <=",
    "=>": "write >=",
    ":=": "a binding is name = expression",
    "->": "a function is name(a, b) = expression",
    "+=": "a name is bound once: give the sum a new name",
    "-=": "a name is bound once: give the difference a new name",
    "*=": "a name is bound once: give the product a new name",
    "/=": "a name is bound once: give the quotient a new name; for unequal write !=",
    "===": "write ==",
    "!==": "write !=",
    "~": "write not",
    "?": "write a if condition else b",
}

CHARACTERS = {
    "{": "use round brackets, ( and )",
    "}": "use round brackets, ( and )",
    '"': "there are no strings",
    "'": "there are no strings; for a derivative, give it a name such as dx",
    "`": "remove it",
    "$": "remove it",
    "\\": "a backslash continues a line only when it is the last character",
    ".": "names have no dots; a number is written 0.5 or .5",
    "\u2212": "write '-'",
    "\u2010": "write '-'",
    "\u2011": "write '-'",
    "\u2013": "write '-'",
    "\u2014": "write '-'",
    "\u00d7": "write '*'",
    "\u00b7": "write '*'",
    "\u22c5": "write '*'",
    "\u2219": "write '*'",
    "\u2217": "write '*'",
    "\u2022": "write '*'",
    "\u00f7": "write '/'",
    "\u2215": "write '/'",
    "\u2044": "write '/'",
    "\u2264": "write '<='",
    "\u2a7d": "write '<='",
    "\u2265": "write '>='",
    "\u2a7e": "write '>='",
    "\u2260": "write '!='",
    "\u2227": "write 'and'",
    "\u2228": "write 'or'",
    "\u00ac": "write 'not'",
    "\u221a": "write sqrt(x)",
    "\u221b": "write cbrt(x)",
    "\u221e": "write inf, as the end of an interval",
    "\u2211": "write sum(x[i] for i in range(n))",
    "\u220f": "write prod(x[i] for i in range(n))",
    "\u2202": "gradients are computed without being asked for",
    "\u2207": "gradients are computed without being asked for",
    "\u00b0": "write radians(x)",
    "\u2208": "write 'in'",
    "\u2032": "for a derivative, choose a name such as dx",
}


# ---- conditions


def conditions_entangled(source: Source, span: Span) -> GradcError:
    """No order of the conditionals lets each be decided before it is needed."""
    what = "the conditions of the formula wait for each other in a circle"
    hint = "bind what both sides need before the conditionals"
    return LimitMistake(what, source, span, hint)


# ---- the options of a compilation


def unknown_wrt(source: Source, name: str, inputs: Sequence[str]) -> GradcError:
    """A name of `wrt` is no input."""
    hint = _meant(name, inputs, f"the inputs are {_listed(inputs)}")
    return NameMistake(f"cannot differentiate by {quote(name)}", source, hint=hint)


def wrt_is_data(source: Source, name: str) -> GradcError:
    """A name of `wrt` is declared as data."""
    what = f"cannot differentiate by {quote(name)}, which the formula declares as data"
    return NameMistake(what, source, hint="declare it as an input")


def wrt_twice(source: Source, name: str) -> GradcError:
    """`wrt` has a name twice."""
    return NameMistake(f"{quote(name)} stands twice among the names of wrt", source)


# ---- what to emit


def emit_unknown(name: str, names: Sequence[str]) -> GradcError:
    """`emit` asks for what there is not."""
    hint = _meant(name, names, f"there are {', '.join(names)}")
    return UsageMistake(f"nothing to emit is called {quote(name)}", hint=hint)


def emit_needs_one(source: Source, name: str, count: int) -> GradcError:
    """The gradient or the Hessian of a formula with several results."""
    results = "an array of one result" if count == 1 else f"{count} results"
    what = f"a formula with {results} has no {name}"
    return NameMistake(what, source, hint="it has a jacobian, and products jvp and vjp")


# ---- constants


def constant_undefined(source: Source, span: Span) -> GradcError:
    """A constant that is no number, such as log(-1), where every call needs it."""
    what = "this constant has no finite value"
    return DomainMistake(what, source, span, "every call of the formula would fail")


# ---- files


def unreadable(name: str, reason: str) -> GradcError:
    """A file that cannot be opened."""
    return FileMistake(f"cannot be read: {reason}", Source("", name))


def oversized(name: str, limit: int) -> GradcError:
    """A file that is too large, or a device or a pipe without end."""
    what = f"holds more than {limit // 10**6} MB, the most that is read"
    return FileMistake(what, Source("", name), hint="is it the file of a formula?")


def not_utf8(name: str, offset: int) -> GradcError:
    """Bytes that are no text."""
    what = f"is not UTF-8: byte {offset + 1} starts no character"
    return FileMistake(what, Source("", name), hint="save the file as UTF-8")


def unwritable(name: str, reason: str) -> GradcError:
    """A file or folder that refuses to be written."""
    return FileMistake(f"cannot be written: {reason}", Source("", name))


def not_ours(name: str, edited: bool) -> GradcError:
    """A file that only --force overwrites."""
    what = "was edited since gradc wrote it" if edited else "was not written by gradc"
    hint = "--force (force=True) overwrites it"
    return FileMistake(f"{what}, so it is not overwritten", Source("", name), hint=hint)


# ---- modules that are on disk already


def module_missing(name: str) -> GradcError:
    """There is no file to verify."""
    hint = "without --verify it is written"
    return FileMistake("does not exist", Source("", name), hint=hint)


def module_foreign(name: str) -> GradcError:
    """A file without a digest."""
    hint = "'gradc compile' writes a module from a file with a formula"
    return FileMistake("was not written by gradc", Source("", name), hint=hint)


def module_edited(name: str) -> GradcError:
    """The text and the digest do not fit."""
    hint = "change the formula and compile it again"
    return FileMistake("was edited since gradc wrote it", Source("", name), hint=hint)


def module_of_version(name: str, version: str, ours: str) -> GradcError:
    """The digest fits, and the version is another one."""
    what = f"was written by gradc {visible(version)}, this is gradc {ours}"
    return FileMistake(what, Source("", name), hint="compile its formula again")


def module_of_formula(name: str) -> GradcError:
    """The file embeds another formula."""
    hint = "compile the formula again"
    return FileMistake("was compiled from another formula", Source("", name), hint=hint)


def module_of_options(name: str) -> GradcError:
    """The same formula, compiled by other inputs or another mode."""
    hint = "give the options that the file was compiled with, or compile it again"
    return FileMistake("was compiled with other options", Source("", name), hint=hint)


def module_differs(name: str) -> GradcError:
    """A digest that fits a text which gradc does not write."""
    what = "is not what its formula gives, though its digest is in order"
    hint = "compile its formula again"
    return FileMistake(what, Source("", name), hint=hint)


def output_is_source(name: str) -> GradcError:
    """`-o` names the file of the formula."""
    what = "holds the formula, so it is not overwritten"
    return FileMistake(what, Source("", name), hint="name another file with -o")


# ---- values at a point


def undefined_at(
    formula: Source, span: Span | None, reason: str, at: str
) -> GradcError:
    """An operation that has no number at a point."""
    return DomainMistake(f"{reason} at {at}", formula, span)


def outside_domain(
    formula: Source,
    span: Span | None,
    found: float,
    at: Mapping[str, float],
    derivative: bool,
    beyond: bool = False,
) -> GradcError:
    """A part of a compiled formula, or its derivative, is no number at a point.

    Arguments:
        beyond: what it is depends on numbers that are too large or too small.
    """
    none = "beyond what can be computed" if beyond else "not a real number"
    what = none if found != found else "infinite"
    shown = [f"{name} = {x!r}" for name, x in at.items()]
    where = ", ".join(shown if len(shown) < 8 else [*shown[:6], "..."])
    where = f" at {where}" if where else ""
    part = "the formula"
    if span is not None:
        part = visible(formula.text[span[0] : span[1]])
    if derivative:
        part = f"the derivative of {part}"
    return DomainError(f"{part} is {what}{where}", formula, span)


def memory_exhausted() -> GradcError:
    """Python ran out of memory."""
    hint = "--max-ops refuses a formula of this size sooner"
    return LimitMistake("there is not enough memory", hint=hint)


# ---- the command line


class UsageMistake(GradcError):
    """The command line is at fault, not what it names."""


def usage(message: str, prog: str) -> GradcError:
    """What argparse says; its own words are shown as they are."""
    return UsageMistake(visible(message), hint=f"`{prog} --help` shows how")


def command_missing(names: Sequence[str]) -> GradcError:
    """`gradc` alone."""
    hint = f"the commands are {', '.join(names)}; `gradc --help` tells more"
    return UsageMistake("there is no command", hint=hint)


def command_unknown(name: str, names: Sequence[str]) -> GradcError:
    """`gradc compil`."""
    hint = _meant(name, names, f"the commands are {', '.join(names)}")
    return UsageMistake(f"no command is called {quote(name)}", hint=hint)


def source_missing() -> GradcError:
    """A command without a formula."""
    hint = "name a file, '-' for standard input, or give the formula with -e"
    return UsageMistake("there is no formula", hint=hint)


def word_unexpected(word: str, after_source: bool) -> GradcError:
    """A word that belongs to nothing."""
    hint = "a name or a formula that has blanks in it needs quotes"
    if after_source:
        hint = "after the formula come numbers for its inputs, such as x=1.5"
    return UsageMistake(f"{quote(word)} is one word too many", hint=hint)


def verify_without_file() -> GradcError:
    """`--verify` without `-o`."""
    return UsageMistake("--verify needs -o FILE, the module to compare with")


def ieee_replaced() -> GradcError:
    """`--ieee`, which was an option."""
    hint = "--outside nan or --outside inf returns these where there is no value"
    return UsageMistake("there is no --ieee, but --outside", hint=hint)


def topic_unknown(name: str, names: Sequence[str]) -> GradcError:
    """`gradc help langage`."""
    hint = _meant(name, names, "`gradc help` lists all pages")
    return UsageMistake(f"no page is called {quote(name)}", hint=hint)


def stage_unknown(name: str, names: Sequence[str]) -> GradcError:
    """`gradc show` of something else."""
    hint = _meant(name, names, f"they are {', '.join(names)}")
    return UsageMistake(f"no pass is called {quote(name)}", hint=hint)


def stage_without_graph(name: str, names: Sequence[str]) -> GradcError:
    """`--dot` of something that is no program."""
    what = f"--dot does not draw {quote(name)}"
    return UsageMistake(what, hint=f"it draws {', '.join(names)}")


def point_without_graph() -> GradcError:
    """`gradc show lower x=1`."""
    what = "a point is of use with --dot only"
    return UsageMistake(what, hint="for the value at a point there is 'gradc eval'")


def operation_unknown(name: str, names: Sequence[str]) -> GradcError:
    """`gradc ops tahn`."""
    hint = _meant(name, names, "`gradc ops` lists all operations")
    return UsageMistake(f"no operation is called {quote(name)}", hint=hint)


def argument_unknown(name: str, names: Sequence[str]) -> GradcError:
    """`z=1` for a formula without z."""
    hint = f"the inputs are {_listed(names)}"
    return UsageMistake(f"no input is called {quote(name)}", hint=hint)


def argument_twice(name: str) -> GradcError:
    """`x=1 x=2`."""
    return UsageMistake(f"{quote(name)} is given twice")


def argument_count(name: str, found: int, wanted: int) -> GradcError:
    """`x=1,2` for an array of three."""
    what = f"{quote(name)} has {wanted} elements, and not {found}"
    return UsageMistake(what, hint=f"write {name}=1,2 and so on, row by row")


def arguments_missing(names: Sequence[str]) -> GradcError:
    """A point that leaves inputs out."""
    example = " ".join(f"{name}=1.5" for name in names[:3])
    what = f"there is no value for {_listed(names)}"
    return UsageMistake(what, hint=f"add {example}{' ...' if names[3:] else ''}")


def argument_malformed(name: str, text: str) -> GradcError:
    """`x=1/2`."""
    what = f"{quote(text)} is no value for {quote(name)}"
    return UsageMistake(what, hint="a value is a decimal number such as 0.5 or 1e-3")


def argument_large(name: str, text: str) -> GradcError:
    """`x=1e999`."""
    what = f"{quote(text)} for {quote(name)} is too large for binary64"
    return UsageMistake(
        what, hint="the largest number is about 1.8e308; infinity is inf"
    )


def _listed(names: Sequence[str], limit: int = 8) -> str:
    """The first of the names, and how many more there are."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(f"'{visible(name)}'" for name in names[:limit]) + more


# ---- accidents


def bug(error: BaseException) -> str:
    """One line on what should never happen."""
    first = visible(str(error).partition("\n")[0])
    said = f"{type(error).__name__}: {first}" if first else type(error).__name__
    if isinstance(error, InternalError):
        said = visible(error.message)
    return f"this is a bug in gradc: {said} (GRADC_TRACEBACK=1 shows where)"


# ---- the self-check

_BUG = "this is a bug in gradc, please report it; --no-check writes the file anyway"


def check_wrong(
    source: Source,
    span: Span | None,
    what: str,
    point: Mapping[str, float],
    found: str,
    right: str,
) -> GradcError:
    """A compiled result that rounding does not explain."""
    message = f"the compiled {what} is {found} at {point_text(point)}, not {right}"
    return CheckMistake(message, source, span, _BUG)


def check_nowhere(source: Source, span: Span | None) -> GradcError:
    """No point was found at which the formula could be tried."""
    return CheckMistake(
        "no point was found at which the formula is defined",
        source,
        span,
        "declare domains, as in 'input x in [0, 1]', or say --no-check",
    )


def check_inaccurate(what: str, ulp: float, place: str, limit: float) -> GradcError:
    """A compiled result is further from the truth than the user allows."""
    return CheckMistake(
        f"the error of the {what} is {ulp:.2f} ulp at {place}, more than {limit:g}"
    )


def check_untold(disagreed: int, points: int) -> str:
    """Points were left undecided for want of mpmath."""
    every = "every point" if disagreed == points else f"{disagreed} of {points} points"
    return (
        f"note: the check is undecided at {every}: the compiled function and the "
        "formula as written differ there by more than rounding, or the formula as "
        "written overflows; mpmath would decide (pip install mpmath)"
    )


def check_spared() -> str:
    """A long formula has no value in floats at the points that were tried."""
    return (
        "note: nothing was compared: at the points that were tried the formula has no "
        "value without more digits, which would take too long; declare domains, as in "
        "'input x in [0, 1]'"
    )


def check_unmeasured() -> str:
    """The errors were to be measured, and mpmath is not installed."""
    return "note: the errors were not measured, which takes mpmath (pip install mpmath)"


def check_cut(measured: int, points: int) -> str:
    """The witness would have taken too long."""
    return f"note: the errors were measured at {measured} of {points} points, for time"


def point_text(point: Mapping[str, float], limit: int = 8) -> str:
    """A point in words: `x = 1.5, y = -2.0`."""
    texts = [f"{visible(name)} = {x!r}" for name, x in islice(point.items(), limit)]
    more = len(point) - limit
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


# ---- recordings of Python functions


class RecordMistake(GradcError):
    """A Python function does what a recording cannot keep."""


def recorded_frozen(
    source: Source, span: Span | None, act: str, hint: str
) -> GradcError:
    """A recorded value would be frozen into a number, or into a decision."""
    return RecordMistake(f"a recorded value {act}", source, span, hint)


def recorded_elsewhere(source: Source, span: Span | None) -> GradcError:
    """A recorded value was kept from another recording."""
    hint = "pass it as an input"
    return RecordMistake("a value of another recording is used", source, span, hint)


def recorded_with_value(source: Source, span: Span | None) -> GradcError:
    """A `Value` that is no input would become a constant."""
    hint = "pass it as an input, or mark it as a constant with gradc.data(x)"
    message = "a Value that is no input meets a recorded value"
    return RecordMistake(message, source, span, hint)


def recorded_result(source: Source, span: Span | None, kind: str) -> GradcError:
    """The function does not return what can be compiled."""
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    message = f"the function returns {article} {kind}, and no recorded value"
    hint = "it must return numbers, or lists of numbers of one length"
    return RecordMistake(message, source, span, hint)


def recorded_changed(source: Source, span: Span | None) -> GradcError:
    """The function assigns to an element of an input, which the caller would notice."""
    hint = "copy the list first: w = list(w)"
    return RecordMistake("an input is changed in place", source, span, hint)


def recorded_unused(
    source: Source, span: Span | None, name: str, taken: bool = False
) -> GradcError:
    """An input was declared for nothing, or its number is `taken` as a constant."""
    message = f"the input '{name}' has no effect on the result"
    hint = "leave it out"
    if taken:
        message = f"the input '{name}' is only read by gradc.data, as a constant"
        hint = "leave it out of the inputs, or use it without gradc.data"
    return RecordMistake(message, source, span, hint)


def recorded_otherwise(
    source: Source,
    span: Span | None,
    what: str,
    point: Mapping[str, float],
    found: str,
    right: str,
) -> GradcError:
    """At another point the function computes something else than what was recorded."""
    message = (
        f"the compiled {what} is {found} at {point_text(point)}, where the Python "
        f"function {right}"
    )
    hint = "its control flow or a constant depends on data: gradc.where keeps a choice"
    return CheckMistake(message, source, span, hint)


def recorded_constant(line: str) -> str:
    """A number was deliberately taken out of a recording."""
    return f"note: {line} takes a number by gradc.data; it is a constant of the code"


def check_recording_only() -> str:
    """The Python function is not there to be run."""
    return (
        "note: the code was checked against the recorded graph alone, for the Python "
        "function that made it is not at hand"
    )


def too_many_recorded(source: Source, span: Span | None, limit: int) -> GradcError:
    """The function has more operations than the user allows."""
    counted = f"{limit} operation{'' if limit == 1 else 's'}"
    hint = "raise the limit with the option 'max_ops'"
    return LimitMistake(f"more than {counted} are recorded", source, span, hint)


def graph_leaf(source: Source, name: str) -> GradcError:
    """An input of a graph is a plain number."""
    return RecordMistake(f"the input '{name}' is no Value", source)


def graph_twice(source: Source, name: str) -> GradcError:
    """One node of a graph is named as two inputs."""
    return RecordMistake(f"the input '{name}' is another input already", source)


def graph_node(source: Source, kind: str) -> GradcError:
    """A node of a graph was computed by no operation of the table."""
    message = f"the graph has a node that gradc cannot compile: {kind}"
    hint = "it may hold numbers and operations of Value only"
    return RecordMistake(message, source, None, hint)
