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

from gradc.passes.schedule import WIDTH, Assign, Schedule, Statement

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
    reads = [_read(page, names, body) for body in bodies]
    reads[-1] |= _names(page, names, page.outputs)
    wanted = {name: k for k, found in enumerate(reads) for name in found}
    edges = [*(starts[cut] for cut in cuts[:-1]), len(lines)]
    places: dict[str, int] = {}  # of the names on the list
    found = []
    for k, body in enumerate(bodies):
        always, sometimes = _assigned(page, names, body)
        always |= {*arguments} if k == 0 else set()
        keeps = sorted(n for n in always | sometimes if wanted.get(n, 0) > k)
        takes = {n for n in reads[k] | sometimes if n in places}
        part = [*_taken(kept, sorted((places[n], n) for n in takes))]
        zeros = sometimes.intersection(keeps) - always - takes
        part += [f"    {n} = 0.0" for n in sorted(zeros)]
        part += lines[edges[k] : edges[k + 1]]
        part += [f"    {kept}[{places[n]}] = {n}" for n in keeps if n in places]
        new = [n for n in keeps if n not in places]
        places.update({n: j for j, n in enumerate(new, len(places))})
        if k + 1 < len(bodies):
            part += _kept(kept, new, "=" if k == 0 else "+=")
        found.append(part)
    return found


def _assigned(
    page: Schedule, names: Mapping[int, str], body: Sequence[Statement]
) -> tuple[set[str], set[str]]:
    """What some statements assign: on every path, and in branches."""
    always = {names[page.target[s.target]] for s in body if isinstance(s, Assign)}
    blocks = [s for s in body if not isinstance(s, Assign)]
    inside = [t for block in blocks for t in (*block.yes, *block.no)]
    sometimes: set[str] = set()
    for statement in inside:
        if isinstance(statement, Assign):
            sometimes.add(names[page.target[statement.target]])
        else:
            inside += [*statement.yes, *statement.no]
    return always, sometimes


def _read(
    page: Schedule, names: Mapping[int, str], body: Sequence[Statement]
) -> set[str]:
    """The names that some statements read."""
    roots: list[int] = []
    stack = [*body]
    for statement in stack:
        if not isinstance(statement, Assign):
            roots.append(statement.condition)
            stack += [*statement.yes, *statement.no]
        elif statement.value == statement.target:
            roots += page.nodes[statement.value][1:]
        else:
            roots.append(statement.value)
    return _names(page, names, roots)


def _names(page: Schedule, names: Mapping[int, str], roots: Iterable[int]) -> set[str]:
    """The names that some expressions mention."""
    found: set[str] = set()
    mentioned = [*roots]
    for i in mentioned:
        if page.inline[i]:
            mentioned += page.nodes[i][1:]
        elif page.target[i] in names:
            found.add(names[page.target[i]])
    return found


def _taken(kept: str, places: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Statements that take names out of a list, neighbours in one slice."""
    first = 0
    for k in range(1, len(places) + 1):
        run = places[first:k]
        names = ", ".join(name for _, name in run)
        start, end = run[0][0], run[-1][0] + 1
        line = f"    {names} = {kept}[{start}:{end}]"
        ends = k == len(places) or places[k][0] != end
        if ends or len(line) + len(places[k][1]) + 4 > WIDTH:
            yield line if k - first > 1 else f"    {names} = {kept}[{start}]"
            first = k


def _kept(kept: str, names: Sequence[str], sign: str) -> Iterator[str]:
    """Statements that put names on a list, as many in a line as it holds."""
    line: list[str] = []
    for name in [*names, ""]:
        text = f"    {kept} {sign} [{', '.join([*line, name])}]"
        if line and (not name or len(text) > WIDTH):
            yield f"    {kept} {sign} [{', '.join(line)}]"
            line, sign = [], "+="
        line.append(name)
    if not names and sign == "=":
        yield f"    {kept} {sign} []"
