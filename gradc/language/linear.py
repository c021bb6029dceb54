"""Linear algebra of small matrices, written in operations of the table."""

from __future__ import annotations

from collections.abc import Sequence

from gradc.language.calls import Call, Do, total
from gradc.language.shapes import (
    Array,
    Entry,
    Operand,
    Whole,
    entries_of,
    parts_of,
    shaped,
    transposed,
)

LARGEST = 4  # rows of a matrix that is inverted


def product(call: Call) -> Operand:
    """`x @ y`, each of them a vector or a matrix."""
    x, y = (call.array(k, (1, 2)) for k in range(2))
    if x.shape[-1] != y.shape[0]:
        raise call.differ()
    rows = parts_of(x) if len(x.shape) == 2 else [x]
    columns = parts_of(transposed(y)) if len(y.shape) == 2 else [y]
    call.size.run(len(rows) * len(columns) * len(y.entries), call.span)
    return shaped(
        (*x.shape[:-1], *y.shape[1:]),
        [_dot(call.do, entries_of(a), entries_of(b)) for a in rows for b in columns],
    )


def _dot(do: Do, x: Sequence[Entry], y: Sequence[Entry]) -> Entry:
    return total(do, [do("mul", a, b) for a, b in zip(x, y)])


def cross(call: Call) -> Operand:
    """The cross product of two vectors of three entries."""
    x, y = (call.array(k, (1,)) for k in range(2))
    if x.shape != y.shape:
        raise call.differ()
    if x.shape != (3,):
        raise call.unfit(0, "arrays of shape [3]", x.shape)
    do, a, b = call.do, x.entries, y.entries
    turns = [(1, 2), (2, 0), (0, 1)]
    return Array(
        (3,),
        tuple(
            do("sub", do("mul", a[i], b[j]), do("mul", a[j], b[i])) for i, j in turns
        ),
    )


def transpose(call: Call) -> Operand:
    """A matrix with rows and columns exchanged."""
    return transposed(call.array(0, (2,)))


class Minors:
    """The determinants of the parts of a matrix, each computed once."""

    def __init__(self, call: Call) -> None:
        matrix = call.array(0, (2,))
        height, width = matrix.shape
        if height != width or height > LARGEST:
            wanted = f"a square matrix up to {LARGEST} by {LARGEST}"
            raise call.unfit(0, wanted, matrix.shape)
        self.matrix, self.do = matrix, call.do
        self.all = tuple(range(height))
        self.known: dict[tuple[tuple[int, ...], tuple[int, ...]], Entry] = {}

    def of(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> Entry:
        """The determinant of some rows and columns, by its first row."""
        if not rows:
            return Whole(1.0)
        if (rows, columns) not in self.known:
            found: Entry | None = None
            for k, column in enumerate(columns):
                entry = self.matrix.entries[rows[0] * len(self.all) + column]
                if len(rows) > 1:
                    rest = self.of(rows[1:], without(columns, column))
                    entry = self.do("mul", entry, rest)
                if found is None:
                    found = entry
                else:
                    found = self.do("sub" if k % 2 else "add", found, entry)
            assert found is not None
            self.known[rows, columns] = found
        return self.known[rows, columns]


def without(places: tuple[int, ...], place: int) -> tuple[int, ...]:
    """All places but one."""
    return tuple(k for k in places if k != place)


def determinant(call: Call) -> Operand:
    """The determinant of a square matrix."""
    minors = Minors(call)
    return minors.of(minors.all, minors.all)


def inverse(call: Call) -> Operand:
    """The inverse of a square matrix: its cofactors over its determinant."""
    minors, do = Minors(call), call.do
    every = minors.all
    whole = minors.of(every, every)
    found = []
    for j in every:
        for i in every:
            cofactor = minors.of(without(every, i), without(every, j))
            if (i + j) % 2:
                cofactor = do("neg", cofactor)
            found.append(do("div", cofactor, whole))
    return Array((len(every), len(every)), tuple(found))
