"""The driver of the parse table: shifts tokens, and reduces by the rules they complete.

Which rules the tokens of a line complete depends on their kinds alone. So a line of
whole statements need not go through the table if one of the same kinds has: what was
done then is a script, in which the tokens have numbers, and which is run with their
texts and places.

Knows the table and nothing of what the rules do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from gradc.language.lalr import BLANK, SEPARATOR, Step, Table, picker
from gradc.language.lexer import Line

LONGEST = 64  # pieces of a line that gets a script
MOST = 1_000  # scripts that are kept

Act = Callable[..., Any]  # what a rule does: act(start, end, *values)
Acts = Sequence[Act] | Mapping[int, Act]
Token = tuple[str, Any, int, int]  # its kind, its value, where it starts and ends
Read = Callable[[list[Any], list[int]], bool]  # a line's texts and places, done or not


class Stack:
    """What has been read: the states, the value of each, and where it starts."""

    def __init__(self, states: Iterable[int] = (0,)) -> None:
        self.states = list(states)
        self.values: list[Any] = [None] * len(self.states)
        self.starts = [0] * len(self.states)
        self.end = 0


class Driver:
    """Reads the tokens of one text; `acts` has what each rule of the table does.

    A rule without a name does nothing: its value is that of its first part that counts.
    Of a script, with the number of its tokens, `shorten` may make what does the same.
    """

    def __init__(
        self,
        table: Table,
        acts: Acts,
        shorten: Callable[[list[Step], int], Read | None] | None = None,
    ) -> None:
        self.table = table
        self.acts = acts
        self.shorten = shorten
        self.stack = Stack()
        self.ways: dict[tuple[str, ...], tuple[list[Step], Read | None]] = {}

    def run(self, line: Line) -> bool:
        """Read a line by its script; returns whether it has one."""
        kinds, texts, places = line
        if self.stack.states != self.table.between or kinds[-1] != SEPARATOR:
            return False
        way = self.ways.get(kinds)
        if way is None:
            way = self.ways[kinds] = self._way(kinds)
        script, short = way
        if short is None or not short(texts, places):
            if not script:
                return False
            acts, values = self.acts, texts
            for rule, start, end, pick in script:
                values.append(acts[rule](places[start], places[end], *pick(values)))
        self.stack.starts[-1], self.stack.end = places[-2:]
        return True

    def _way(self, kinds: tuple[str, ...]) -> tuple[list[Step], Read | None]:
        """The script of lines of these kinds, and what does the same in less time."""
        script = self.table.scripts.get(kinds)
        if script is None:
            script = written(self.table, kinds)
        short = self.shorten(script, len(kinds)) if script and self.shorten else None
        return script, short

    def shift(self, tokens: Iterable[Token]) -> Token | None:
        """Shift tokens, reducing by the table.

        Returns:
            The first token that has no place, None if all of them have one.
        """
        table, acts, stack = self.table, self.acts, self.stack
        moves, jumps, rules = table.moves, table.jumps, table.rules
        states, values, starts = stack.states, stack.values, stack.starts
        for token in tokens:
            kind, value, start, stop = token
            move = moves[states[-1]].get(kind)
            while move is None or move < 0:
                if move is None:
                    return token
                name, size, _, pick = rules[~move]
                parts = pick(values)
                if name is not None:
                    result = acts[~move](starts[-size], stack.end, *parts)
                else:
                    result = parts[0] if parts else None
                jump = jumps.get((states[-size - 1], move, kind))
                if jump is None:
                    jump = table.jump(states[-size - 1], move, kind)
                if size > 1:
                    del states[1 - size :], values[1 - size :], starts[1 - size :]
                values[-1] = result
                states[-1], move = jump
            states.append(move)
            values.append(value)
            starts.append(start)
            stack.end = stop
        return None


def written(table: Table, kinds: tuple[str, ...]) -> list[Step]:
    """Write the script of a line, an empty one if it is no line of whole statements.

    The line is read with numbers in place of the tokens and of what rules make of them.
    """
    if len(kinds) > LONGEST or len(table.scripts) >= MOST:
        return []
    steps: list[Step] = []

    def write(rule: int, start: int, end: int, *values: int) -> int:
        steps.append((rule, start, end, picker(values)))
        return len(kinds) + len(steps) - 1

    driver = Driver(table, [partial(write, rule) for rule in range(len(table.rules))])
    driver.stack = Stack(table.between)
    tokens = ((kind, i, i, i + 1) for i, kind in enumerate(kinds) if kind != BLANK)
    driver.shift(tokens)
    if driver.stack.states != table.between:
        steps = []
    table.scripts[kinds] = steps
    return steps
