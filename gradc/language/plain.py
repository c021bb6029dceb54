"""Bindings of plain arithmetic, most lines of a large formula: all rows at one go.

The script of such a line (`driver`) appends a row with each rule. What these rows will
be is known from the script, but for the texts and places of their tokens and for where
the first of them stands: so they are read off it once, and written without the rules.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gradc.language.lalr import Step

ARITHMETIC = frozenset({"add", "sub", "mul", "div", "neg", "pos", "pow"})
FIRST = "variable", "target"  # of the name that is bound


class Written(NamedTuple):
    """A row: arguments count from the first one, and tokens of the line have numbers."""

    op: str
    args: tuple[int, ...]
    token: int  # whose text is the payload, -1 if there is none
    start: int
    end: int


class Plain(NamedTuple):
    """The rows of a line that binds the token `name` to the row `value`."""

    rows: list[Written]
    name: int
    value: int
    start: int
    end: int


def plain(steps: Sequence[Step], rules: Sequence[str], count: int) -> Plain | None:
    """Read the rows of a line off its script.

    Arguments:
        rules: the name of the rule of each step.
        count: how many tokens the line has, blanks included.

    Returns:
        None if the line does anything but bind a name to arithmetic and calls.
    """
    if (*rules[:2], *rules[-1:]) != (*FIRST, "bind") or steps[0][1] != steps[1][1]:
        return None  # a name in brackets is a mistake
    rows: list[Written] = []
    values: list[list[int]] = [[]] * (count + 2)  # the rows that tokens and steps mean
    numbers = list(range(count + len(steps)))
    for (_, start, end, pick), rule in list(zip(steps, rules))[2:-1]:
        parts = pick(numbers)
        args = [row for part in parts for row in values[part]]
        if rule in ("first", "more"):
            values.append(args)
            continue
        token = parts[0] if rule in ("variable", "number", "call") else -1
        if token < 0 and rule not in ARITHMETIC:
            return None
        values.append([len(rows)])
        op = "name" if rule == "variable" else rule
        rows.append(Written(op, tuple(args), token, start, end))
    (name,) = steps[0][3](numbers)
    _, start, end, pick = steps[-1]
    (value,) = values[pick(numbers)[1]]
    return Plain(rows, name, value, start, end)
