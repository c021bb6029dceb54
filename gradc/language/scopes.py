"""Where the names of loops are read."""

from collections import Counter
from itertools import chain

from gradc.language.syntax import Comprehension, Syntax


def local_names(syntax: Syntax) -> set[int]:
    """Return where in the text the variables of comprehensions are read.

    A variable is known in the body, and in what follows its own iterable.
    """
    opened: dict[int, list[str]] = {}
    closed: dict[int, list[str]] = {}
    for end in chain.from_iterable(syntax.loops.values()):
        loop = syntax.rows[end].payload
        assert isinstance(loop, Comprehension)
        for clause in loop.clauses:
            for first, behind in (
                (loop.first, loop.body + 1),
                (clause.iterable + 1, end),
            ):
                opened.setdefault(first, []).append(clause.name)
                closed.setdefault(behind, []).append(clause.name)
    active: Counter[str] = Counter()
    found: set[int] = set()
    for i in range(min(opened, default=0), max(closed, default=0)):
        active.update(opened.get(i, ()))
        active.subtract(closed.get(i, ()))
        row = syntax.rows[i]
        if row.op == "name" and active[str(row.payload)] > 0:
            found.add(row.start)
    return found
