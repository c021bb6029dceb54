"""Cut the lines of a function that is too long for CPython into pieces.

    def f(x):                     def f(x):
        t1 = sin(x)                   t1 = sin(x)
        t2 = t1 * x                   kept = [x, t1]
        return t1 + t2    -->         return _f_2(kept)

                                  def _f_2(kept):
                                      x, t1 = kept[0:2]
                                      t2 = t1 * x
                                      return t1 + t2

Each piece hands the next one a list: it appends what a later piece reads, and takes out
what it reads itself. A value is kept once however far it goes, so the text stays linear.
A variable that only some branch assigns is 0 before, where it is kept: then nothing
will read it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from gradc.passes.schedule import Assign, Schedule, Statement
from gradc.targets.printer import mentioned

LONGEST = 40_000  # lines: CPython takes 2 kB for each to compile a function


def pieces(
    page: Schedule,
    names: Mapping[int, str],
    arguments: Sequence[str],
    lines: Sequence[str],
    starts: Sequence[int],
    kept: str,
) -> list[list[str]]:
    """Cut the body of a function; to all but the last piece a `return` is to be added.

    Arguments:
        page: the statements of the function.
        names: the name of each variable, elements of arguments included.
        arguments: the names that have a value from the start.
        lines: the text of the body, `return` included.
        starts: the line at which each statement of the body begins.
        kept: what the list is called.
    """
    count = -(-len(lines) // LONGEST)
    if count <= 1:
        return [[*lines]]
    cuts = [bisect_left(starts, len(lines) * k // count) for k in range(1, count)]
    cuts = [0, *sorted({*cuts} - {0, len(starts)}), len(starts)]
    bodies = [page.body[a:b] for a, b in zip(cuts, cuts[1:])]
    flows = [_flow(page, names, body) for body in bodies]
    flows[-1][0].update(_names(page, names, page.outputs))
    wanted = {name: k for k, (reads, *_) in enumerate(flows) for name in reads}
    edges = [*(starts[cut] for cut in cuts[:-1]), len(lines)]
    places: dict[str, int] = {}  # of the names on the list
    found = []
    for k, (reads, assigned, always) in enumerate(flows):
        given = assigned if k else assigned.union(arguments)
        keeps = sorted(n for n in given if wanted.get(n, 0) > k)
        takes = {n for n in reads | (assigned - always) if n in places}
        part = [*_taken(kept, sorted((places[n], n) for n in takes))]
        zeros = (assigned - always).intersection(keeps) - takes
        part += [f"    {n} = 0.0" for n in sorted(zeros)]
        part += lines[edges[k] : edges[k + 1]]
        part += [f"    {kept}[{places[n]}] = {n}" for n in keeps if n in places]
        new = [n for n in keeps if n not in places]
        places.update({n: j for j, n in enumerate(new, len(places))})
        if new or k == 0:
            part.append(f"    {kept} {'+' if k else ''}= [{', '.join(new)}]")
        found.append(part)
    return found


def _flow(
    page: Schedule, names: Mapping[int, str], body: Sequence[Statement]
) -> tuple[set[str], set[str], set[str]]:
    """What some statements read, what they assign, and what of it on every path."""
    roots: list[int] = []
    assigned: list[str] = []
    always, stack = 0, [*body]
    for k, statement in enumerate(stack):
        if isinstance(statement, Assign):
            i, target = statement.value, statement.target
            roots += page.nodes[i][1:] if i == target else [i]
            assigned.append(names[page.target[target]])
        else:
            roots.append(statement.condition)
            stack += [*statement.yes, *statement.no]
        always = len(assigned) if k < len(body) else always
    return _names(page, names, roots), {*assigned}, {*assigned[:always]}


def _names(page: Schedule, names: Mapping[int, str], roots: Iterable[int]) -> set[str]:
    return {names[i] for i in mentioned(page, roots) if i in names}


def _taken(kept: str, places: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Statements that take names out of a list, neighbours in one slice."""
    runs = groupby(enumerate(places), lambda item: item[1][0] - item[0])
    for _, run in runs:
        found = [pair for _, pair in run]
        names = ", ".join(name for _, name in found)
        start, end = found[0][0], found[-1][0] + 1
        where = f"{start}:{end}" if len(found) > 1 else f"{start}"
        yield f"    {names} = {kept}[{where}]"
