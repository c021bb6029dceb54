"""The parse table: what Lark makes of the grammar, as plain data.

Building the table takes Lark a tenth of a second and importing Lark as long again, so
the table travels as `parse_table.json`, and Lark is asked only when the text of the
grammar is no longer the one that the shipped table was built from.  `pytest --bless`
writes the table anew, and a test compares it with the grammar.

Knows Lark's table; knows nothing of rows, and of the language only the patterns of
its terminals.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import itemgetter
from os.path import dirname, exists, join
from typing import Any, NamedTuple

from gradc.errors import grammar_text, sections

HERE = dirname(__file__)
SHIPPED = join(HERE, "parse_table.json")
GRAMMAR = "expression.lark"
END = "$END"

# The kinds of what the lexer finds, but that a sign is a kind of its own.
NAME, NUMBER, MALFORMED, STRANGE = "NAME", "NUMBER", "MALFORMED", "STRANGE"
SIGN, SEPARATOR, COMMENT, WRONG, BLANK = "SIGN", "_SEP", "COMMENT", "WRONG", "BLANK"
_OTHERS = re.compile(r"[^\0-\x7f]-[^\0-\x7f]")  # a range of letters beyond ASCII


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


Pick = Callable[[list[Any]], Sequence[Any]]
Step = tuple[int, int, int, Pick]  # of a script: a rule, where it begins, ends, picks


class Rule(NamedTuple):
    """A rule as the driver uses it: `pick` takes the values that count off the stack.

    Without a name, the value of the rule is that of its first part that counts.
    """

    name: str | None
    size: int
    origin: str
    pick: Pick


class Table(NamedTuple):
    """Per state what each symbol does: a state to enter, or ~rule to reduce by.

    `kinds` has the pattern of each kind of what the lexer finds. Where a statement can
    begin behind another one, the states on the stack are `between`. What `jumps` and
    `scripts` hold grows with use.
    """

    moves: list[dict[str, int]]
    rules: list[Rule]
    kinds: dict[str, str]
    words: tuple[str, ...]
    tokens: tuple[str, ...]
    between: list[int]
    jumps: dict[tuple[int, int, str], tuple[int, int | None]]
    scripts: dict[tuple[str, ...], list[Step]]

    def jump(self, below: int, move: int, token: str) -> tuple[int, int | None]:
        """Reduce by the rule of `move` above a state: the new state, and what is next.

        Rules that only rename a value, as the ladder of precedence is full of them,
        are climbed at once; the answer is kept.
        """
        state = self.moves[below][self.rules[~move].origin]
        following = self.moves[state].get(token)
        while following is not None and following < 0:
            rule = self.rules[~following]
            if rule.name is not None or rule.size > 1:
                break
            state = self.moves[below][rule.origin]
            following = self.moves[state].get(token)
        self.jumps[below, move, token] = state, following
        return state, following

    def accepts(self, states: list[int], token: str) -> bool:
        """Whether a token could follow, tried on a copy of the stack."""
        states = states.copy()
        while (move := self.moves[states[-1]].get(token, 0)) < 0:
            rule = self.rules[~move]
            states[-rule.size :] = (self.moves[states[-rule.size - 1]][rule.origin],)
        return token in self.moves[states[-1]]


def build(grammar: str) -> dict[str, Any]:
    """Ask Lark for the table of a grammar; states and rules get numbers of our own.

    States are numbered in the order in which a search from the first one meets them,
    so that the result depends on the grammar alone, not on the version of Lark.
    """
    from lark import Lark
    from lark.grammar import Rule as LarkRule
    from lark.lexer import TerminalDef

    parser = Lark(grammar, parser="lalr", start="source")
    data, memo = parser.memo_serialize([TerminalDef, LarkRule])
    core = data["parser"]["parser"]
    terminals = {}
    for reference in data["parser"]["lexer_conf"]["terminals"]:
        terminal = memo[reference["@"]]
        literal = terminal["pattern"]["__type__"] == "PatternStr"
        terminals[terminal["name"]] = (literal, terminal["pattern"]["value"])
    spelled = {name: text for name, (literal, text) in terminals.items() if literal}
    names = {int(k): spelled.get(v, v) for k, v in core["tokens"].items()}
    rules = {key: _rule(memo[key], spelled) for key in memo if "origin" in memo[key]}
    order = sorted(rules, key=lambda key: json.dumps(rules[key]))
    place = {key: i for i, key in enumerate(order)}
    states = {
        int(state): {
            names[int(token)]: (kind, place[move["@"]] if kind else move)
            for token, (kind, move) in row.items()
        }
        for state, row in core["states"].items()
    }
    return {
        "grammar": grammar,
        "literals": sorted(spelled.values()),
        "patterns": {
            n: text for n, (literal, text) in terminals.items() if not literal
        },
        "ignored": sorted(data["parser"]["lexer_conf"]["ignore"]),
        "rules": [rules[key] for key in order],
        "moves": _numbered(states, core["start_states"]["source"]),
    }


def _rule(rule: dict[str, Any], spelled: dict[str, str]) -> list[Any]:
    """Return [origin, name or None, symbols, places of the symbols that count]."""
    symbols = [part["name"] for part in rule["expansion"]]
    counts = [
        i
        for i, part in enumerate(rule["expansion"])
        if rule["options"]["keep_all_tokens"]
        or not (part.get("filter_out") or part["name"].startswith("_"))
    ]
    symbols = [spelled.get(name, name) for name in symbols]
    return [rule["origin"]["name"], rule["alias"], symbols, counts]


def _numbered(
    states: dict[int, dict[str, tuple[int, int]]], start: int
) -> list[dict[str, int]]:
    """Number the states from the first on; ~rule reduces; the last takes the end."""
    found = {start: 0}
    moves = []
    for state in (queue := [start]):
        row = {}
        for symbol, (kind, move) in sorted(states[state].items()):
            if not kind and move not in found:
                found[move] = len(found)
                queue.append(move)
            row[symbol] = ~move if kind else found[move]
        moves.append(row)
    moves[moves[0]["source"]][END] = moves[0]["source"]
    return moves


@cache
def load() -> Table:
    """Return the table of the grammar at hand, the shipped one if it is of it."""
    grammar = grammar_text(GRAMMAR)
    data = json.loads(_read(SHIPPED)) if exists(SHIPPED) else {}
    if data.get("grammar") != grammar:
        data = build(grammar)
    rules = [
        Rule(name, len(symbols), origin, picker([i - len(symbols) for i in counts]))
        for origin, name, symbols, counts in data["rules"]
    ]
    moves = data["moves"]
    statements = moves[0]["statements"]
    between = [0, statements, moves[statements][SEPARATOR]]
    words = tuple(text for text in data["literals"] if text.isalpha())
    tokens = (*data["literals"], NAME, NUMBER, SEPARATOR, END)
    kinds = _kinds(data, sections()["SIGNS"])
    return Table(moves, rules, kinds, words, tokens, between, {}, {})


class Scanner(NamedTuple):
    """A pattern with a named group for each kind, and the same without groups."""

    pattern: re.Pattern[str]
    pieces: re.Pattern[str]


def scanner(text: str) -> Scanner:
    """Return what finds the pieces of a text."""
    return _scanner(text.isascii())


@cache
def _scanner(plain: bool) -> Scanner:
    """Return the scanner; that of plain texts has no ranges of other letters.

    They take long to compile.
    """
    kinds = load().kinds
    if plain:
        kinds = {kind: _OTHERS.sub("", text) for kind, text in kinds.items()}
    named = "|".join(f"(?P<{kind}>{text})" for kind, text in kinds.items())
    pieces = "|".join(f"(?:{text})" for text in kinds.values())
    return Scanner(re.compile(named), re.compile(pieces))


def picker(places: Sequence[int]) -> Pick:
    """Return what takes the values at some places out of a list."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1 or None) if places else slice(0))


def _kinds(data: dict[str, Any], strange: Iterable[str]) -> dict[str, str]:
    """Return the pattern of each kind of what the lexer finds, the first that fits."""
    patterns = data["patterns"]
    signs = [text for text in data["literals"] if not text.isalpha()]
    blank = [patterns[name] for name in data["ignored"] if name != COMMENT]
    return {
        NAME: patterns[NAME],
        BLANK: f"(?:{'|'.join(blank)})+",
        NUMBER: patterns[NUMBER],
        MALFORMED: r"\.?[0-9](?:[eE][+-][0-9]|[\w.])*",
        STRANGE: _any(strange),
        SIGN: _any(signs),
        SEPARATOR: patterns[SEPARATOR],
        COMMENT: patterns[COMMENT],
        WRONG: "(?s:.)",
    }


def _any(texts: Iterable[str]) -> str:
    """Return the pattern of any of the texts, the longest that fits."""
    return "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
