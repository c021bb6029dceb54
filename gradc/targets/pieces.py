"""Cut the lines of a function that is too long for CPython into pieces.

    def f(x):                       def f(x):
        t1 = sin(x)                     t1 = sin(x)
        t2 = t1 * x                     kept = [t1, x]
        return t1 + t2      -->         return _f_2(kept)

                                    def _f_2(kept):
                                        t1, x = kept[0:2]
                                        t2 = t1 * x
                                        return t1 + t2

Each piece hands the next one a list: it appends what a later piece reads, and takes out
what it reads itself. A value is kept once however far it goes, so the text stays linear;
values that the same pieces read are neighbours, so that they are taken out together.

A variable that some branch leaves without a value is zero there, where it is kept:
nothing will read it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from gradc.passes.schedule import If, Schedule, Statement
from gradc.targets.names import Lives

LONGEST = 40_000  # lines: CPython takes 2 kB for each to compile a function
WINDOW = 20  # a cut may move by this part of a piece, to where few variables cross

Run = tuple[int, int]  # places from the first one to before the second one
Kept = tuple[tuple[int, ...], list[int]]  # by which pieces, and which variables


class Piece(NamedTuple):
    """Lines with what they need from the list, zeros, and what they put on the list.

    `taken` are runs of neighbours, each the place of the first one and their names.
    """

    taken: list[tuple[int, list[str]]]
    zeros: list[str]
    lines: Sequence[str]
    kept: list[str]


class _Flow(NamedTuple):
    """The variables that statements read, and those they assign; some on every path."""

    reads: set[int]
    sometimes: set[int]
    always: set[int]


def pieces(
    page: Schedule,
    lives: Lives,
    names: Mapping[int, str],
    lines: Sequence[str],
    starts: Sequence[int],
) -> list[Piece]:
    """Cut the body of a function, `return` included.

    Arguments:
        page: the statements of the function.
        lives: their steps.
        names: the name of each variable, parameters included.
        lines: the text of the body.
        starts: the line at which each statement of the body begins.
    """
    cuts = _cuts(lives, starts, len(lines)) if len(lines) > LONGEST else []
    if not cuts:
        return [Piece([], [], lines, [])]
    ends = [*cuts, len(page.body)]
    flows = [_flow(page, page.body[a:b]) for a, b in zip([0, *cuts], ends)]
    flows[0].always.update(names.keys() - {*lives.targets})  # the arguments
    flows[-1].reads.update(_read(page, page.outputs))
    edges = [0, *(starts[cut] for cut in cuts), len(lines)]
    return _joined([lines[a:b] for a, b in zip(edges, edges[1:])], flows, names)


def _cuts(lives: Lives, starts: Sequence[int], length: int) -> list[int]:
    """The statements at which the pieces after the first one begin."""
    crossing = _crossing(lives)
    count = -(-length // LONGEST)
    size = length // count
    found = []
    for middle in range(size, size * count, size):
        first = bisect_left(starts, middle - size // WINDOW)
        last = bisect_left(starts, middle + size // WINDOW)
        if first < last:
            near = range(first, last)
            found.append(min(near, key=lambda k: crossing[lives.starts[k]]))
    return found


def _crossing(lives: Lives) -> list[int]:
    """How many variables have a value before each step that is read from it on."""
    change = [0] * (len(lives.targets) + 2)
    seen: set[int] = set()
    for k, variable in enumerate(lives.targets):
        if variable >= 0 and lives.last[variable] > k and variable not in seen:
            seen.add(variable)
            change[k + 1] += 1
            change[lives.last[variable] + 1] -= 1
    return list(accumulate(change))


def _flow(page: Schedule, body: Sequence[Statement]) -> _Flow:
    nodes, target = page.nodes, page.target
    always: set[int] = set()
    sometimes: set[int] = set()
    roots: list[int] = []
    inside: list[Statement] = []
    assigned = always
    for statements in (body, inside):
        for statement in statements:
            if isinstance(statement, If):
                roots.append(statement.condition)
                inside += statement.yes
                inside += statement.no
                continue
            i = statement.value
            assigned.add(target[statement.target])
            if i == statement.target:
                roots += nodes[i][1:]
            else:
                roots.append(i)
        assigned = sometimes
    return _Flow(_read(page, roots), sometimes - always, always)


def _read(page: Schedule, roots: Iterable[int]) -> set[int]:
    """The variables that some expressions mention."""
    nodes, inline, target = page.nodes, page.inline, page.target
    found: set[int] = set()
    mentioned = list(roots)
    for i in mentioned:
        if inline[i]:
            mentioned += nodes[i][1:]
        else:
            found.add(target[i])
    return found


def _joined(
    parts: Sequence[Sequence[str]], flows: Sequence[_Flow], names: Mapping[int, str]
) -> list[Piece]:
    """Find out what each piece has to hand on, and where those behind it find that."""
    several = _several(flows)
    places: dict[int, int] = {}  # of those that several pieces assign
    order: list[str] = []  # the names on the list
    wanted: list[list[Run]] = [[] for _ in flows]  # what the pieces take out
    found = []
    for part, flow, keeps, runs in zip(parts, flows, _keeps(flows), wanted):
        kept = chain.from_iterable(variables for _, variables in keeps)
        partly = flow.sometimes.intersection(kept)
        again = several & (flow.reads | partly) & places.keys()
        runs += [(places[v], places[v] + 1) for v in again]
        taken = [(a, order[a:b]) for a, b in _runs(runs)]
        zeros = {names[v] for v in partly if v not in places}
        if zeros:
            zeros -= {name for _, run in taken for name in run}
        first = len(order)
        for readers, variables in keeps:
            place = len(order)
            order += [names[v] for v in variables]
            if several.isdisjoint(variables):
                for k in readers:
                    wanted[k].append((place, len(order)))
                continue
            for place, v in enumerate(variables, place):
                if v in several:
                    places[v] = place
                    continue
                for k in readers:
                    wanted[k].append((place, place + 1))
        found.append(Piece(taken, sorted(zeros), part, order[first:]))
    return found


def _several(flows: Sequence[_Flow]) -> set[int]:
    """The variables that more than one piece assigns."""
    several: set[int] = set()
    seen: set[int] = set()
    for _, sometimes, always in flows:
        several |= seen & sometimes
        several |= seen & always
        seen |= sometimes
        seen |= always
    return several


def _keeps(flows: Sequence[_Flow]) -> list[list[Kept]]:
    """What each piece hands on, from the last one to the first.

    Those that the same pieces read come one after the other.
    """
    found: list[list[Kept]] = []
    readers: dict[int, tuple[int, ...]] = {}  # the later pieces that want a variable
    for k in range(len(flows) - 1, -1, -1):
        reads, sometimes, always = flows[k]
        partly = sometimes & readers.keys()
        whole = always & readers.keys()
        groups: dict[tuple[int, ...], list[int]] = {}
        for variable in sorted(partly | whole):
            groups.setdefault(readers[variable], []).append(variable)
        found.append(sorted(groups.items()))
        for variable in whole:
            del readers[variable]
        more: dict[tuple[int, ...], tuple[int, ...]] = {}  # so that they are shared
        for variable in (reads | partly) - always:
            known = readers.get(variable, ())
            readers[variable] = more.get(known) or more.setdefault(known, (k, *known))
    return found[::-1]


def _runs(places: Iterable[Run]) -> list[Run]:
    """Places in their order, neighbours together."""
    found: list[Run] = []
    for first, end in sorted(places):
        if found and found[-1][1] == first:
            first = found.pop()[0]
        found.append((first, end))
    return found
