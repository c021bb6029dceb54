"""Cut the lines of a function that is too long for CPython into pieces.

    def f(x):                       def f(x):
        t1 = sin(x)                     t1 = sin(x)
        t2 = t1 * x                     kept = [t1, x]
        return t1 + t2      -->         return _f_2(kept)

                                    def _f_2(kept):
                                        t1 = kept[0]
                                        x = kept[1]
                                        t2 = t1 * x
                                        return t1 + t2

Each piece hands the next one a list: it appends what a later piece reads, and takes out
what it reads itself. A value is kept once however far it goes, so the text stays linear.

Knows a statement by its indentation and a name by its letters. A variable that some
branch leaves without a value is zero there, where it is kept: nothing will read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

LONGEST = 30_000  # lines: CPython takes 2 kB for each to compile a function
WINDOW = 20  # a cut may move by this part of a piece, to where few names cross
_WORD = re.compile(r"  # .*|\b[^\W\d]\w*")  # a remark is one word, and no name
_ASSIGNED = re.compile(r"( +)(\w+) = ")
_INDENT = 4


class Piece(NamedTuple):
    """Lines with what they need: names from the list, zeros, names for the list."""

    taken: list[tuple[str, int]]
    zeros: list[str]
    lines: Sequence[str]
    kept: list[str]


class _Flow(NamedTuple):
    """The names that lines read before they assign them, and those they assign.

    `always` are assigned on every path.
    """

    reads: dict[str, None]
    sometimes: dict[str, None]
    always: dict[str, None]


class _Words(NamedTuple):
    """By line, the variable that a statement assigns, and those that it reads."""

    targets: list[str]
    reads: list[tuple[str, ...]]


def pieces(lines: Sequence[str], parameters: Iterable[str]) -> list[Piece]:
    """Cut the body of a function, `return` included."""
    if len(lines) <= LONGEST:
        return [Piece([], [], lines, [])]
    parameters = list(parameters)
    words = _words(lines, parameters)
    cuts = [0, *_cuts(lines, words), len(lines)]
    ranges = list(zip(cuts, cuts[1:]))
    flows = [_flow(lines, words, start, end) for start, end in ranges]
    flows[0].always.update(dict.fromkeys(parameters))
    return _joined([lines[start:end] for start, end in ranges], flows)


def _words(lines: Sequence[str], parameters: Iterable[str]) -> _Words:
    """The variables of each line; a name that is not assigned before is none."""
    known = {name: name for name in parameters}
    found = _Words([], [])
    for line in lines:
        target, words = "", _WORD.findall(line)
        if " = " in line and _ASSIGNED.match(line):
            target, *words = words
            target = known.setdefault(target, target)
        found.targets.append(target)
        found.reads.append(tuple([known[word] for word in words if word in known]))
    return found


def _joined(parts: Sequence[Sequence[str]], flows: Sequence[_Flow]) -> list[Piece]:
    """Find out, from the last piece to the first, what each one has to hand on."""
    kept: list[list[str]] = []
    wanted: dict[str, None] = {}
    for flow in reversed(flows):
        kept.append([n for n in wanted if n in flow.always or n in flow.sometimes])
        wanted = {n: None for n in wanted if n not in flow.always}
        wanted.update(flow.reads)
    kept.reverse()
    places: dict[str, int] = {}
    count = 0
    found = []
    for part, flow, keeps in zip(parts, flows, kept):
        partly = [n for n in keeps if n not in flow.always]
        taken = [n for n in (*flow.reads, *partly) if n in places]
        zeros = [n for n in partly if n not in places]
        taken = list(dict.fromkeys(taken))
        found.append(Piece([(n, places[n]) for n in taken], zeros, part, keeps))
        places.update(zip(keeps, range(count, count + len(keeps))))
        count += len(keeps)
    return found


def _flow(lines: Sequence[str], words: _Words, start: int, end: int) -> _Flow:
    reads, sometimes, always = _Flow({}, {}, {})
    pending = ""  # a variable that has its value after the statement
    for k in range(start, end):
        target = words.targets[k]
        if pending and _is_statement(lines[k]):
            always[pending] = None
            pending = ""
        for name in words.reads[k]:
            if name not in always:
                reads[name] = None
        if target and lines[k][_INDENT] != " ":
            pending = target
        elif target:
            sometimes[target] = None
    if pending:
        always[pending] = None
    return _Flow(reads, sometimes, always)


def _is_statement(line: str) -> bool:
    """Whether a statement of the function begins here, and no part of one."""
    return line[_INDENT] not in " )" and not line.startswith(("else", "elif"), _INDENT)


def _cuts(lines: Sequence[str], words: _Words) -> list[int]:
    """The lines at which the pieces after the first one begin."""
    crossing = _crossing(words)
    count = -(-len(lines) // LONGEST)
    size = len(lines) // count
    found = []
    for middle in range(size, size * count, size):
        near = range(middle - size // WINDOW, middle + size // WINDOW)
        places = [p for p in near if _is_statement(lines[p])]
        if places:
            found.append(min(places, key=crossing.__getitem__))
    return found


def _crossing(words: _Words) -> list[int]:
    """How many names are mentioned both before each line and from it on."""
    change = [0] * (len(words.targets) + 1)
    last: dict[str, int] = {}
    for k, (target, names) in enumerate(zip(*words)):
        for name in (target, *names) if target else names:
            if name not in last:
                change[k + 1] += 1
            last[name] = k
    for k in last.values():
        change[k + 1] -= 1
    return list(accumulate(change))
