"""Arrays of a formula: shapes and entries, operations on them, and their functions.

An array is a shape and the nodes of its entries, in row-major order. A whole number
that is known while a formula is read (a literal, the variable of a loop, a length, and
what they add up to) may be an index or a bound.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial, reduce
from itertools import accumulate, chain, product, zip_longest
from typing import Any, NamedTuple

from gradc.errors import Source, Span, mistake
from gradc.ir import Builder, Input, Rows, decided
from gradc.language import limits
from gradc.ops import BOTTOM, PRODUCT, TOP, TOTAL, VARIABLE

LARGEST_WHOLE = 2.0**53  # up to which every whole number is a float

Axes = tuple[Any, ...]  # lengths; a name is the free length of a column, and is first
Picks = Sequence[int | range]  # places along axes
Matrix = Sequence[tuple[int, ...]]  # rows of nodes


class Array(NamedTuple):
    """The nodes of the entries of an array; of a column, those of one row."""

    shape: Axes
    entries: tuple[int, ...]

    @property
    def rows(self) -> Matrix:
        """The entries along the last axis: of a vector, its only row."""
        width = self.shape[-1] if self.shape[-1] != self.length else 1
        return [self.entries[k : k + width] for k in range(0, len(self.entries), width)]

    @property
    def length(self) -> str:
        """The free length of a column, "" of an array."""
        return length_of(self.shape)

    def picked(self, axes: Picks) -> "Operand":
        """What stands at an index: a number drops its axis, a range keeps its places."""
        offsets, shape = [0], list[Any]()
        for length, places in zip_longest(self.shape, axes):
            if isinstance(length, str):
                shape += [] if places == 0 else [length]
            elif isinstance(places, int):
                offsets = [length * at + places for at in offsets]
            else:
                places = range(length) if places is None else places
                offsets = [length * at + place for at in offsets for place in places]
                shape.append(len(places))
        return shaped(tuple(shape), [self.entries[at] for at in offsets])


Operand = int | Array  # an int is the node of a number


def shape_of(operand: Operand) -> Axes:
    """The shape of an array, `()` of a number."""
    return operand.shape if isinstance(operand, Array) else ()


def length_of(shape: Axes) -> str:
    """The free length of a column of this shape, "" of any other."""
    return shape[0] if shape and isinstance(shape[0], str) else ""


def inner(shape: Axes) -> Axes:
    """The shape of what stands in a row of a column; that of an array is its own."""
    return shape[1:] if length_of(shape) else shape


def entries_of(operand: Operand) -> tuple[int, ...]:
    """The entries of an array; a number is its only one."""
    return operand.entries if isinstance(operand, Array) else (operand,)


def shaped(shape: Axes, entries: Iterable[int]) -> Operand:
    """The array of a shape, or the number if the shape is `()`."""
    entries = tuple(entries)
    return Array(shape, entries) if shape else entries[0]


def joined(parts: Sequence[Operand]) -> Array:
    """The array of some parts, which have one shape."""
    entries = chain(*map(entries_of, parts))
    return Array((len(parts), *shape_of(parts[0])), tuple(entries))


def _power(x: float, y: float) -> float:
    is_small = abs(x) <= 1.0 or 0.0 <= y <= 53.0
    return float(int(x) ** int(y)) if is_small else math.nan


_WHOLE: Mapping[str, Callable[..., float]] = {
    **{op: getattr(operator, op) for op in ("add", "sub", "mul", "neg", "mod", "abs")},
    **dict.fromkeys(("floor", "ceil", "round", "trunc"), float),
    **{"div": operator.truediv, "pow": _power, "min": min, "max": max},
}


class Scalars:
    """Adds operations on numbers to a program, of which it has `max_ops` at most."""

    def __init__(self, builder: Builder, source: Source, max_ops: int) -> None:
        self.builder, self.source, self.max_ops = builder, source, max_ops
        self.steps = 0  # of loops and of functions of arrays
        self.within = Rows(builder.nodes, {})  # in which rows nodes stand
        self.further: dict[str, Input] = {}  # inputs that no one passes

    def count(self, steps: int, span: Span | None = None) -> None:
        """Count what a loop or a function of arrays does, or is about to do.

        Of operations those that are shared count once.
        """
        span, nodes = span or self.builder.span or (0, 0), self.builder.nodes
        self.steps += steps
        self.refuse("too_many_steps", self.steps, limits.MAX_STEPS, span)
        self.refuse("program_too_large", len(nodes), limits.MAX_NODES, span)
        if len(nodes) > self.max_ops:
            count = sum(node[0] not in ("input", "const") for node in nodes)
            self.refuse("too_many_operations", count, self.max_ops, span)

    def refuse(self, key: str, count: int, limit: int, span: Span) -> None:
        """Refuse what passes a limit."""
        if count > limit:
            raise mistake(key, self.source, span, limit=limit)

    def whole(self, value: Operand) -> float:
        """The whole number that is known while the formula is read, nan if it is none."""
        found = None if isinstance(value, Array) else self.builder.value_of(value)
        if found is None or not found.is_integer() or abs(found) > LARGEST_WHOLE:
            return math.nan
        return found

    def decided(self, condition: Operand) -> bool | None:
        """Whether a condition on constants holds, None if it is not known."""
        if isinstance(condition, Array):
            return None
        return decided(self.builder, condition)

    def do(self, op: str, *args: int) -> int:
        """Add an operation, which on whole numbers is done at once."""
        if op in _WHOLE and self.builder.nodes[args[0]][0] == "const":
            values = [self.whole(a) for a in args]
            if not any(map(math.isnan, values)):
                with suppress(ArithmeticError, TypeError):
                    found = _WHOLE[op](*values)
                    if found.is_integer() and abs(found) <= LARGEST_WHOLE:
                        return self.builder.const(found)
        if self.within.lengths:
            assert len({self.within[a] for a in args} - {""}) < 2  # rows of one column
        return self.builder.add(op, *args)

    def length(self, name: str) -> int:
        """The number of rows of columns."""
        self.further.setdefault(name, Input(name, "length"))
        return self.builder.input(name)

    def over(self, op: str, x: Array, node: int) -> int:
        """What the numbers in the rows of a column, or in its only one, come to."""
        same = {TOTAL: "mul", PRODUCT: "pow"}.get(op)  # of what is so in each row
        done = op if self.within[node] else same
        return self.do(done, node, self.length(x.length)) if x.length and done else node

    def rows_of(self, operand: Operand) -> str:
        """The length of the columns in whose rows an operand stands, "" if in none."""
        return next(filter(None, map(self.within.__getitem__, entries_of(operand))), "")

    def total(self, terms: Sequence[int]) -> int:
        """The sum of some numbers, from the left."""
        return reduce(partial(self.do, "add"), terms or [self.builder.const(0.0)])

    def serial(self) -> int:
        """A number that no variable or call had before: how many nodes there are."""
        return self.builder.const(float(len(self.builder)))

    def is_variable(self, node: int) -> bool:
        """Whether a node is something that one can differentiate by."""
        return self.builder.nodes[node][0] in ("input", VARIABLE)

    def variable(self, value: Operand, constant: bool) -> Operand:
        """Make variables of what a name stands for.

        So it does with a `constant` if told to, which then is no bound any more.
        """
        found: list[int] = []
        for entry in entries_of(value):
            fixed = self.builder.nodes[entry][0] == "const" and not constant
            if not fixed and not self.is_variable(entry):
                entry = self.builder.add(VARIABLE, entry, self.serial())
            found.append(entry)
        return shaped(shape_of(value), found)


def _len(work: Scalars, x: Array) -> Operand:
    return work.length(x.length) if x.length else work.builder.const(x.shape[0])


def _prod(work: Scalars, x: Array) -> Operand:
    factors = list(x.entries)
    while len(factors) > 1:  # by halves, so that no derivative is a long product
        pairs = [work.do("mul", *pair) for pair in zip(factors[::2], factors[1::2])]
        factors = pairs + factors[2 * len(pairs) :]
    return work.over(PRODUCT, x, factors[0]) if factors else work.builder.const(1.0)


def _mean(work: Scalars, x: Array) -> Operand:
    count = work.over(TOTAL, x, work.builder.const(len(x.entries)))
    return work.do("div", work.over(TOTAL, x, work.total(x.entries)), count)


def _norm(work: Scalars, x: Array) -> Operand:
    if not x.length:
        return work.do("hypot", *x.entries)
    sizes = [work.do("abs", entry) for entry in x.entries]
    largest = work.do("detach", work.over(TOP, x, work.do("max", *sizes)))
    parts = [work.do("div", entry, largest) for entry in x.entries]
    squares = work.total([work.do("mul", part, part) for part in parts])
    root = work.do("mul", largest, work.do("sqrt", work.over(TOTAL, x, squares)))
    zero = work.do("eq", largest, work.builder.const(0.0))
    return work.do("where", zero, largest, root)


def _cumsum(work: Scalars, x: Array) -> Operand:
    return Array(x.shape, tuple(accumulate(x.entries, partial(work.do, "add"))))


def _softmax(work: Scalars, x: Array) -> Operand:
    largest, total = _exponentials(work, x)
    shares = [work.do("exp", work.do("sub", entry, largest)) for entry in x.entries]
    return Array(x.shape, tuple(work.do("div", share, total) for share in shares))


def _exponentials(work: Scalars, x: Array) -> tuple[int, int]:
    """The largest entry, and the sum of what exponentials are of those of the largest."""
    largest = work.do("detach", work.over(TOP, x, work.do("max", *x.entries)))
    return largest, work.over(TOTAL, x, work.do("sumexp", largest, *x.entries))


def _logsumexp(work: Scalars, x: Array) -> Operand:
    largest, total = _exponentials(work, x)
    return work.do("add", largest, work.do("log", total))


def _product(work: Scalars, x: Array, y: Array) -> Operand:
    columns = [*zip(*y.rows)] if len(y.shape) == 2 else y.rows
    work.count(len(x.rows) * len(columns) * len(y.entries))
    inner = Array((x.shape[-1],), ())  # what is summed over, perhaps the rows
    found = list[int]()
    for row, column in product(x.rows, columns):
        terms = [work.do("mul", a, b) for a, b in zip(row, column)]
        found.append(work.over(TOTAL, inner, work.total(terms)))
    return shaped((*x.shape[:-1], *y.shape[1:]), found)


def _cross(work: Scalars, x: Array, y: Array) -> Operand:
    (a, b, c), (d, e, f) = x.entries, y.entries
    turns = [(b, c), (e, f)], [(c, a), (f, d)], [(a, b), (d, e)]
    return Array((3,), tuple(_determinant(work, turn) for turn in turns))


def _inverse(work: Scalars, A: Array) -> Operand:
    """The inverse of a square matrix: its cofactors over its determinant."""
    rows, whole, found = A.rows, _determinant(work, A.rows), list[int]()
    for j in range(len(rows)):
        for i in range(len(rows)):
            others = [*rows[:i], *rows[i + 1 :]]
            minor = _determinant(work, [row[:j] + row[j + 1 :] for row in others])
            cofactor = work.do("neg", minor) if (i + j) % 2 else minor
            found.append(work.do("div", cofactor, whole))
    return Array(A.shape, tuple(found))


def _determinant(work: Scalars, rows: Matrix) -> int:
    """The determinant, from those of fewer rows and columns: the same is one node."""
    if not rows:
        return work.builder.const(1.0)
    (first, *others), terms = rows, list[int]()
    for k, entry in enumerate(first):
        minor = _determinant(work, [row[:k] + row[k + 1 :] for row in others])
        terms.append(work.do("mul", entry, minor))
    total = terms[0]
    for k, term in enumerate(terms[1:]):
        total = work.do("add" if k % 2 else "sub", total, term)
    return total


FITS: Mapping[str, Callable[[Axes], bool]] = {
    "an array": lambda shape: True,
    "any array": lambda shape: True,  # also one without entries
    "a vector": lambda shape: [*map(type, shape)] == [int],
    "a matrix": lambda shape: [*map(type, shape)] == [int, int],
    "a vector or a matrix": lambda shape: len(shape) in (1, 2),
    "arrays of shape [3]": lambda shape: shape == (3,),
    "a square matrix up to 4 by 4": lambda shape: shape in [(n, n) for n in range(5)],
}
# What functions of any number of arguments are of the rows of a column.
COLUMNS: Mapping[str, Callable[[Scalars, Array], Operand]] = {
    "max": lambda work, x: work.over(TOP, x, work.do("max", *x.entries)),
    "min": lambda work, x: work.over(BOTTOM, x, work.do("min", *x.entries)),
    "hypot": _norm,
    "logsumexp": _logsumexp,
}
RULES: Mapping[str, tuple[str, Callable[..., Operand]]] = {
    "sum": ("any array", lambda work, x: work.over(TOTAL, x, work.total(x.entries))),
    "prod": ("any array", _prod),
    "len": ("any array", _len),
    "mean": ("an array", _mean),
    "norm": ("an array", _norm),
    "softmax": ("an array", _softmax),
    "cumsum": ("a vector", _cumsum),
    "dot": ("a vector or a matrix", _product),
    "@": ("a vector or a matrix", _product),
    "cross": ("arrays of shape [3]", _cross),
    "transpose": ("a matrix", lambda _, A: shaped(A.shape[::-1], chain(*zip(*A.rows)))),
    "det": ("a square matrix up to 4 by 4", lambda work, A: _determinant(work, A.rows)),
    "inv": ("a square matrix up to 4 by 4", _inverse),
}
