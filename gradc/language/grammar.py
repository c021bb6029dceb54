"""The grammar: the table that Lark makes of `expression.lark`, tokens, and the driver.

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
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import itemgetter
from os.path import dirname, exists, join
from typing import Any, NamedTuple

from gradc.errors import RESERVED, Source, Span, grammar_text, mistake, sections
from gradc.language.mistakes import misspelled, plain

SHIPPED = join(dirname(__file__), "parse_table.json")
GRAMMAR = "expression.lark"
MAX_TOKENS = 8_000_000  # what two million operations take, and some more
LONGEST = 255  # characters of a name
DOT = "\u00b7"  # legal inside Python's identifiers, but here a sign of product

# The kinds of what is found in a text; a sign and a word are kinds of their own.
NAME, NUMBER, MALFORMED, STRANGE = "NAME", "NUMBER", "MALFORMED", "STRANGE"
SIGN, SEPARATOR, WRONG, END = "SIGN", "_SEP", "WRONG", "$END"
_OTHERS = re.compile(r"[^\0-\x7f]-[^\0-\x7f]")  # a range of letters beyond ASCII

Act = Callable[..., Any]  # what a rule does: act(start, end, *values)
Token = tuple[str, Any, int, int]  # its kind, its value, where it starts and ends


# ---- the table


class Rule(NamedTuple):
    """A rule as the driver uses it: `pick` takes the values that count off the stack.

    Without a name, the value of the rule is that of its first part that counts.
    """

    name: str | None
    size: int
    origin: str
    pick: Callable[[list[Any]], Any]


class Table(NamedTuple):
    """Per state what each symbol does: a state to enter, or ~rule to reduce by.

    `kinds` has the pattern of each kind, `blank` that of what stands between tokens;
    what `jumps` holds grows with use.
    """

    moves: list[dict[str, int]]
    rules: list[Rule]
    kinds: dict[str, str]
    blank: str
    words: frozenset[str]
    tokens: tuple[str, ...]
    jumps: dict[tuple[int, int, str], tuple[int, int | None]]


def build(grammar: str) -> dict[str, Any]:
    """Ask Lark for the table of a grammar; states and rules get numbers of our own.

    States are numbered in the order in which a search from the first one meets them,
    so that the result depends on the grammar alone, not on the version of Lark.
    """
    from lark import Lark
    from lark.parsers.lalr_analysis import Shift

    lark: Any = Lark(grammar, parser="lalr", start="source")
    table = lark.parser.parser._parse_table
    texts = {t.name: t.pattern.value for t in lark.terminals}
    signs = {t.name for t in lark.terminals if t.pattern.type == "str"}
    spelled = {name: texts[name] for name in signs}
    rules = {str(rule): _rule(rule, spelled) for rule in lark.rules}
    order = sorted(rules, key=lambda text: json.dumps(rules[text]))
    place = {text: ~k for k, text in enumerate(order)}
    found, moves = {table.start_states["source"]: 0}, []
    for state in (queue := [*found]):
        row = {}
        for symbol, (action, move) in sorted(table.states[state].items()):
            if action is Shift and move not in found:
                found[move] = len(found)
                queue.append(move)
            symbol = spelled.get(symbol, symbol)
            row[symbol] = found[move] if action is Shift else place[str(move)]
        moves.append(row)
    moves[moves[0]["source"]][END] = moves[0]["source"]
    return {
        "grammar": grammar,
        "literals": sorted(spelled.values()),
        "patterns": {n: text for n, text in sorted(texts.items()) if n not in signs},
        "ignored": sorted(lark.ignore_tokens),
        "rules": [rules[text] for text in order],
        "moves": moves,
    }


def _rule(rule: Any, spelled: dict[str, str]) -> list[Any]:
    """Return [origin, name or None, symbols, places of those that count]."""
    keeps = rule.options.keep_all_tokens
    symbols = [spelled.get(part.name, part.name) for part in rule.expansion]
    counts = [
        i - len(symbols)
        for i, part in enumerate(rule.expansion)
        if keeps or not (getattr(part, "filter_out", False) or part.name[0] == "_")
    ]
    return [str(rule.origin.name), rule.alias, symbols, counts]


@cache
def load() -> Table:
    """Return the table of the grammar at hand, the shipped one if it is of it."""
    grammar, data = grammar_text(GRAMMAR), dict[str, Any]()
    if exists(SHIPPED):
        with open(SHIPPED, encoding="utf-8") as file:
            data = json.load(file)
    if data.get("grammar") != grammar:
        data = build(grammar)
    rules = [
        Rule(name, len(symbols), origin, _picker(places))
        for origin, name, symbols, places in data["rules"]
    ]
    literals, patterns = data["literals"], data["patterns"]
    kinds = {
        NAME: patterns[NAME],
        NUMBER: patterns[NUMBER],
        MALFORMED: r"\.?[0-9](?:[eE][+-][0-9]|[\w.])*",
        STRANGE: _any(sections()["SIGNS"]),
        SIGN: _any(text for text in literals if not text.isalpha()),
        SEPARATOR: patterns[SEPARATOR],
        "END": r"\Z",
        WRONG: "(?s:.)",
    }
    blank = f"(?:{'|'.join(patterns[name] for name in data['ignored'])})*"
    words = frozenset({*filter(str.isalpha, literals), *RESERVED})
    tokens = *literals, NAME, NUMBER, SEPARATOR, END
    return Table(data["moves"], rules, kinds, blank, words, tokens, {})


def _any(texts: Iterable[str]) -> str:
    """Return the pattern of any of the texts, the longest that fits."""
    return "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))


def _picker(places: list[int]) -> Callable[[list[Any]], Any]:
    """Return what takes the values at some places, counted from the end, off a list."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1 or None) if places else slice(0))


# ---- tokens


@cache
def pattern(is_ascii: bool) -> re.Pattern[str]:
    """What finds the next token, in a group of its kind, and what stands before it.

    That of texts in ASCII has no ranges of other letters, which take long to compile.
    """
    table = load()
    kinds = "|".join(f"(?P<{kind}>{text})" for kind, text in table.kinds.items())
    return re.compile(
        table.blank + f"(?:{_OTHERS.sub('', kinds) if is_ascii else kinds})"
    )


def is_name(text: str) -> bool:
    """Whether a text is a run of letters that the language reads as one name."""
    match = pattern(False).fullmatch(text)
    return match is not None and match[NAME] == text and text not in RESERVED


def tokens(source: Source, opens: list[int], limit: int) -> Iterator[Token]:
    """Yield the tokens that start before a limit, and the end of the text.

    Inside brackets, the end of a line is none.

    Arguments:
        opens: where the brackets are that are open so far, which is kept up to date.

    Raises:
        GradcError: a run of letters is no name, or there are too many tokens.
    """
    text, words, is_ascii = source.text, load().words, source.text.isascii()
    count = 0
    for match in pattern(is_ascii).finditer(text):
        group = match.lastindex or 0
        kind, found = match.lastgroup or "", match[group]
        start, stop = match.span(group)
        if start >= limit or kind == "END":
            break
        if kind == NAME:
            if found in words:
                kind = found
            elif not is_ascii or len(found) > LONGEST:
                found = spelled(source, (start, stop))
        elif kind == SIGN:
            kind = found
            if found in "([":
                opens.append(start)
            elif found in ")]" and opens:
                opens.pop()
        elif kind == SEPARATOR and opens and found != ";":
            continue
        count += 1
        if count > MAX_TOKENS:
            raise mistake("text_too_long", source, (start, stop), limit=MAX_TOKENS)
        yield kind, found, start, stop
    if limit > len(text):
        yield END, "", len(text), len(text)


def spelled(source: Source, span: Span) -> str:
    """Return the name at a place, in NFC.

    Python reads a name in Unicode's normal form NFKC, so `x` with a subscript n would
    silently be `xn` in the generated module. Such names are refused; of all others the
    two ways to write an accented letter are one.

    Raises:
        GradcError: it is too long, no identifier, or another name to Python.
    """
    text = source.text[slice(*span)]
    if text.isascii() and len(text) <= LONGEST:
        return text
    name = unicodedata.normalize("NFC", text)
    is_plain = text.isidentifier() and plain(name) == name and DOT not in name
    if not is_plain or len(text) > LONGEST:
        raise misspelled(source, span, name, LONGEST)
    return name


# ---- the driver


class Driver:
    """Reads tokens by the table; `acts` gives what a rule of some name does.

    What has been read is on three stacks: the states, the value of each, and where it
    starts.
    """

    def __init__(self, acts: Callable[[str], Act]) -> None:
        self.table = load()
        self.acts = [rule.name and acts(rule.name) for rule in self.table.rules]
        self.states, self.values, self.starts = [0], [None], [0]
        self.end = 0

    def read(self, tokens: Iterable[Token]) -> Token | None:
        """Shift tokens, reducing by the rules that they complete.

        Returns:
            The first token that has no place, None if all of them have one.
        """
        moves, rules, jumps, acts = *self.table[:2], self.table.jumps, self.acts
        states, values, starts = self.states, self.values, self.starts
        for token in tokens:
            kind, value, start, stop = token
            move = moves[states[-1]].get(kind)
            while move is None or move < 0:
                if move is None:
                    return token
                _, size, _, pick = rules[~move]
                parts, act = pick(values), acts[~move]
                if act:
                    result = act(starts[-size], self.end, *parts)
                else:
                    result = parts[0] if parts else None
                jump = jumps.get((states[-size - 1], move, kind))
                if jump is None:
                    jump = self.jump(states[-size - 1], move, kind)
                if size > 1:
                    del states[1 - size :], values[1 - size :], starts[1 - size :]
                values[-1] = result
                states[-1], move = jump
            states.append(move)
            values.append(value)
            starts.append(start)
            self.end = stop
        return None

    def jump(self, below: int, move: int, token: str) -> tuple[int, int | None]:
        """Reduce by the rule of `move` above a state: the new state, and what is next.

        Rules that only rename a value, as the ladder of precedence is full of them,
        are climbed at once; the answer is kept.
        """
        moves, rules = self.table.moves, self.table.rules
        state = moves[below][rules[~move].origin]
        following = moves[state].get(token)
        while following is not None and following < 0:
            rule = rules[~following]
            if rule.name is not None or rule.size > 1:
                break
            state = moves[below][rule.origin]
            following = moves[state].get(token)
        self.table.jumps[below, move, token] = state, following
        return state, following

    def wanted(self) -> frozenset[str]:
        """The tokens that could follow."""
        return frozenset(filter(self.accepts, self.table.tokens))

    def accepts(self, token: str) -> bool:
        """Whether a token could follow, tried on a copy of the stack."""
        moves, rules, states = self.table.moves, self.table.rules, self.states.copy()
        while (move := moves[states[-1]].get(token, 0)) < 0:
            rule = rules[~move]
            states[-rule.size :] = (moves[states[-rule.size - 1]][rule.origin],)
        return token in moves[states[-1]]
