"""The grammar: tokens, the table that Lark makes of `expression.lark`, and the driver.

Lark's own parser would take longer to read a large formula than all that follows, and
to import it as long as to compile a small one. So the table travels as
`parse_table.json`, and Lark is asked only when the text of the grammar is no longer the
one that the table was built from. `pytest --bless` writes it anew, and a test compares
it with the grammar.

Knows nothing of what the rules do, and of names only how they are spelled.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from operator import itemgetter
from os.path import dirname, join
from typing import Any, NamedTuple

from gradc.errors import grammar_text, sections

SHIPPED = join(dirname(__file__), "parse_table.json")
GRAMMAR = "expression.lark"
LONGEST = 255  # characters of a name
DOT = "\u00b7"  # legal inside Python's identifiers, but here a sign of product

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


# ---- the table


class Rule(NamedTuple):
    """A rule as the driver uses it: `pick` takes the values that count off the stack.

    Without a name, the value of the rule is that of its first part that counts.
    """

    origin: str
    name: str | None
    size: int
    pick: Callable[[list[Any]], Any]


class Table(NamedTuple):
    """Per state what each symbol does: a state to enter, or ~rule to reduce by."""

    moves: list[dict[str, int]]
    rules: list[Rule]
    literals: frozenset[str]


def build(grammar: str) -> dict[str, Any]:
    """Ask Lark for the table of a grammar; states and rules get numbers of our own.

    States are numbered in the order in which a search from the first one meets them,
    so that the result depends on the grammar alone, not on the version of Lark.
    """
    from lark import Lark

    lark: Any = Lark(grammar, parser="lalr", start="source")
    table = lark.parser.parser._parse_table
    literals = {t.name: t.pattern.value for t in lark.terminals}
    rules = sorted(lark.rules, key=str)
    numbers: dict[Any, int] = {rule: ~k for k, rule in enumerate(rules)}
    queue, moves = [table.start_states["source"]], list[dict[str, int]]()
    numbers[queue[0]] = 0
    for state in queue:
        row = {}
        for symbol, (_, target) in sorted(table.states[state].items()):
            if target not in numbers:
                numbers[target] = len(queue)
                queue.append(target)
            row[literals.get(symbol, symbol)] = numbers[target]
        moves.append(row)
    texts = sorted(literals.values())
    rows = [_rule(rule) for rule in rules]
    return {"grammar": grammar, "literals": texts, "rules": rows, "moves": moves}


def _rule(rule: Any) -> list[Any]:
    """Return [origin, name or None, size, places of the parts that count]."""
    size, every = len(rule.expansion), rule.options.keep_all_tokens
    counts = [
        i - size
        for i, part in enumerate(rule.expansion)
        if every or not (getattr(part, "filter_out", False) or part.name[0] == "_")
    ]
    return [str(rule.origin.name), rule.alias, size, counts]


@cache
def load() -> Table:
    """Return the table of the grammar at hand, the shipped one if it is of it."""
    grammar = grammar_text(GRAMMAR)
    with open(SHIPPED, encoding="utf-8") as file:
        data = json.load(file)
    if data["grammar"] != grammar:
        data = build(grammar)
    rules = [
        Rule(origin, name, size, _picker(places))
        for origin, name, size, places in data["rules"]
    ]
    return Table(data["moves"], rules, frozenset(data["literals"]))


def _picker(places: list[int]) -> Callable[[list[Any]], Any]:
    """Return what takes the values at some places, counted from the end, off a list."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1 or None) if places else slice(0))


# ---- tokens


@cache
def pattern(letters: str) -> re.Pattern[str]:
    """What finds the next token, in a group of its kind, and what stands before it.

    Arguments:
        letters: beyond ASCII; a range of them takes long to compile.
    """
    signs = sorted({*load().literals, *sections()["SIGNS"]}, key=len, reverse=True)
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

    Inside brackets, the end of a line is none.

    Arguments:
        opens: where the brackets are that are open so far, which is kept up to date.
    """
    literals, is_ascii = load().literals, text.isascii()
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
    is_plain = text.isidentifier() and plain(name) == name and DOT not in name
    return name if is_plain and len(text) <= LONGEST else None


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


# ---- the driver


def drive(
    tokens: Iterable[Token], act_of: Callable[[str], Act]
) -> tuple[Token, Collection[str]] | None:
    """Read tokens: shift each, reducing by the rules that it completes.

    What has been read is on three stacks: the states, the value of each, and where it
    starts.

    Arguments:
        act_of: gives what a rule of some name does.

    Returns:
        The first token that has no place and what could stand there, if there is one.
    """
    moves, rules, _ = load()
    acts = [rule.name and act_of(rule.name) for rule in rules]
    states, values, starts, end = [0], list[Any]([None]), [0], 0
    for token in tokens:
        kind, value, start, stop = token
        move = moves[states[-1]].get(kind)
        while move is None or move < 0:
            if move is None:
                return token, moves[states[-1]]
            _, _, size, pick = rules[~move]
            parts, act = pick(values), acts[~move]
            if act:
                result = act((starts[-size], end), *parts)
            else:
                result = parts[0] if parts else None
            jump = _jump(states[-size - 1], move, kind)
            if size > 1:
                del states[1 - size :], values[1 - size :], starts[1 - size :]
            values[-1] = result
            states[-1], move = jump
        states.append(move)
        values.append(value)
        starts.append(start)
        end = stop
    return None


@cache
def _jump(below: int, move: int, token: str) -> tuple[int, int | None]:
    """Reduce by the rule of `move` above a state: the new state, and what is next.

    Rules that only rename a value, as the ladder of precedence is full of them, are
    climbed at once; the answer is kept.
    """
    moves, rules, _ = load()
    state = moves[below][rules[~move].origin]
    while (following := moves[state].get(token)) is not None and following < 0:
        rule = rules[~following]
        if rule.name is not None or rule.size > 1:
            break
        state = moves[below][rule.origin]
    return state, following
