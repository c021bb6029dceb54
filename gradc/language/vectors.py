"""The functions of arrays, written in operations of the table.

A function gets a call and returns the result; it adds operations by `call.work`. Sums
are folded from the left, as one writes them by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gradc.errors import shape_text
from gradc.language.shapes import (
    Array,
    Call,
    Entries,
    Operand,
    entries_of,
    parts_of,
    shape_of,
    shaped,
    transposed,
)
from gradc.ops import DIFF

LARGEST = 4  # rows of a matrix that is inverted


def _sum(call: Call) -> Operand:
    return call.work.total(call.array(empty=True).entries)


def _prod(call: Call) -> Operand:
    factors, do = [*call.array(empty=True).entries], call.work.do
    while len(factors) > 1:  # by halves, so that no derivative is a long product
        pairs = [do("mul", x, y) for x, y in zip(factors[::2], factors[1::2])]
        factors = pairs + factors[2 * len(pairs) :]
    return factors[0] if factors else call.work.number(1.0)


def _mean(call: Call) -> Operand:
    entries, work = call.array().entries, call.work
    return work.do("div", work.total(entries), work.number(float(len(entries))))


def _len(call: Call) -> Operand:
    return call.work.number(float(call.array(empty=True).shape[0]))


def _norm(call: Call) -> Operand:
    return call.work.do("hypot", *call.array().entries)


def _cumsum(call: Call) -> Operand:
    entries = list(call.array(axes=(1,)).entries)
    for k in range(1, len(entries)):
        entries[k] = call.work.do("add", entries[k - 1], entries[k])
    return Array((len(entries),), tuple(entries))


def _softmax(call: Call) -> Operand:
    x, do = call.array(), call.work.do
    level = do("logsumexp", *x.entries)
    return Array(x.shape, tuple(do("exp", do("sub", e, level)) for e in x.entries))


def _range(call: Call) -> Operand:
    values = [call.whole(k) for k in range(len(call.args))]
    if len(values) == 3 and values[2] == 0:
        raise call.mistake("slice_standing", 2)
    numbers = range(*values)
    call.work.size.hold(len(numbers), call.span)
    return Array((len(numbers),), tuple(call.work.number(float(k)) for k in numbers))


# ---- linear algebra of small matrices


def product(call: Call) -> Operand:
    """`x @ y`, each of them a vector or a matrix."""
    x, y = (call.array(k, (1, 2)) for k in range(2))
    if x.shape[-1] != y.shape[0]:
        raise call.differ()
    rows = parts_of(x) if len(x.shape) == 2 else [x]
    columns = parts_of(transposed(y)) if len(y.shape) == 2 else [y]
    call.work.size.run(len(rows) * len(columns) * len(y.entries), call.span)
    return shaped(
        (*x.shape[:-1], *y.shape[1:]),
        [_dot(call.work, entries_of(a), entries_of(b)) for a in rows for b in columns],
    )


def _dot(work: Entries, x: Sequence[int], y: Sequence[int]) -> int:
    return work.total([work.do("mul", a, b) for a, b in zip(x, y)])


def _cross(call: Call) -> Operand:
    x, y = (call.array(k, (1,)) for k in range(2))
    if x.shape != y.shape:
        raise call.differ()
    if x.shape != (3,):
        raise call.unfit(0, "arrays of shape [3]", x.shape)
    do, a, b = call.work.do, x.entries, y.entries
    turns = [(1, 2), (2, 0), (0, 1)]
    found = [do("sub", do("mul", a[i], b[j]), do("mul", a[j], b[i])) for i, j in turns]
    return Array((3,), tuple(found))


def _transpose(call: Call) -> Operand:
    return transposed(call.array(0, (2,)))


class _Minors:
    """The determinants of the parts of a matrix, each computed once."""

    def __init__(self, call: Call) -> None:
        matrix = call.array(0, (2,))
        height, width = matrix.shape
        if height != width or height > LARGEST:
            wanted = f"a square matrix up to {LARGEST} by {LARGEST}"
            raise call.unfit(0, wanted, matrix.shape)
        self.matrix, self.work = matrix, call.work
        self.all = tuple(range(height))
        self.known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}

    def of(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> int:
        """The determinant of some rows and columns, by its first row."""
        if not rows:
            return self.work.number(1.0)
        if (rows, columns) not in self.known:
            signed: list[int] = []
            for k, column in enumerate(columns):
                entry = self.matrix.entries[rows[0] * len(self.all) + column]
                if len(rows) > 1:
                    rest = self.of(rows[1:], _without(columns, column))
                    entry = self.work.do("mul", entry, rest)
                sign = "sub" if k % 2 else "add"
                signed = [self.work.do(sign, *signed, entry) if signed else entry]
            self.known[rows, columns] = signed[0]
        return self.known[rows, columns]


def _without(places: tuple[int, ...], place: int) -> tuple[int, ...]:
    """All places but one."""
    return tuple(k for k in places if k != place)


def _determinant(call: Call) -> Operand:
    minors = _Minors(call)
    return minors.of(minors.all, minors.all)


def _inverse(call: Call) -> Operand:
    """The inverse of a square matrix: its cofactors over its determinant."""
    minors, do = _Minors(call), call.work.do
    every = minors.all
    whole = minors.of(every, every)
    found = []
    for j in every:
        for i in every:
            cofactor = minors.of(_without(every, i), _without(every, j))
            if (i + j) % 2:
                cofactor = do("neg", cofactor)
            found.append(do("div", cofactor, whole))
    return Array((len(every), len(every)), tuple(found))


# ---- derivatives, which the pass `slopes` writes out


def _variables(call: Call) -> tuple[int, ...]:
    """The nodes that a call differentiates by."""
    found = entries_of(call.args[1])
    if not all(map(call.work.is_variable, found)):
        raise call.mistake("variable_expected", 1)
    return found


def _diff(call: Call) -> Operand:
    """The derivatives of all entries by all variables."""
    variables, do = _variables(call), call.work.do
    shape = shape_of(call.args[0]) + shape_of(call.args[1])
    return shaped(
        shape, [do(DIFF, y, x) for y in entries_of(call.args[0]) for x in variables]
    )


def _grad(call: Call) -> Operand:
    """The derivatives of a number."""
    if isinstance(call.args[0], Array):
        shape = shape_text(call.args[0].shape)
        raise call.mistake("gradient_of_array", 0, shape=shape)
    return _diff(call)


def _hessian(call: Call) -> Operand:
    """The second derivatives of a number; each pair of variables is met once."""
    first, variables = entries_of(_grad(call)), _variables(call)
    count, shape = len(variables), shape_of(call.args[1])
    pairs = {
        (i, j): call.work.do(DIFF, first[i], variables[j])
        for i in range(count)
        for j in range(i, count)
    }
    every = [pairs[min(i, j), max(i, j)] for i in range(count) for j in range(count)]
    return shaped(shape + shape, every)


COMPUTE: Mapping[str, Callable[[Call], Operand]] = {
    "sum": _sum,
    "prod": _prod,
    "mean": _mean,
    "len": _len,
    "norm": _norm,
    "cumsum": _cumsum,
    "range": _range,
    "dot": product,
    "cross": _cross,
    "transpose": _transpose,
    "det": _determinant,
    "inv": _inverse,
    "softmax": _softmax,
    "diff": _diff,
    "grad": _grad,
    "jacobian": _diff,
    "hessian": _hessian,
}
