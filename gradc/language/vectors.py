"""Arrays of a formula: shapes and entries, operations on them, and their functions.

All arrays are unrolled: an array is a shape and the nodes of its entries, in row-major
order. A whole number that is known while a formula is read (a literal, the variable of
a loop, a length, and what they add up to) may be an index or a bound. A function of
arrays gets a call and returns the result, written in operations of the table; sums are
folded from the left, as one writes them by hand.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from gradc.errors import GradcError, Source, Span, mistake, quote, remedy, shape_text
from gradc.ir import COMPARISONS
from gradc.language.limits import Size
from gradc.ops import DIFF, VARIABLE

LARGEST = 4  # rows of a matrix that is inverted
LARGEST_WHOLE = 2.0**53  # up to which every whole number is a float
KINDS = ("a number", "a vector", "a matrix")  # by the number of axes

Axes = tuple[int, ...]


class Array(NamedTuple):
    """The nodes of the entries of an array."""

    shape: Axes
    entries: tuple[int, ...]


Operand = int | Array  # an int is the node of a number


def shape_of(operand: Operand) -> Axes:
    """The shape of an array, `()` of a number."""
    return operand.shape if isinstance(operand, Array) else ()


def entries_of(operand: Operand) -> tuple[int, ...]:
    """The entries of an array; a number is its only one."""
    return operand.entries if isinstance(operand, Array) else (operand,)


def shaped(shape: Axes, entries: Iterable[int]) -> Operand:
    """The array of a shape, or the number if the shape is `()`."""
    entries = tuple(entries)
    return Array(shape, entries) if shape else entries[0]


def stacked(parts: Sequence[Operand]) -> Array:
    """The array of some parts, which have one shape."""
    inner = shape_of(parts[0]) if parts else ()
    entries = tuple(entry for part in parts for entry in entries_of(part))
    return Array((len(parts), *inner), entries)


def parts_of(array: Array) -> list[Operand]:
    """What an array consists of along its first axis."""
    inner = array.shape[1:]
    size = math.prod(inner)
    return [
        shaped(inner, array.entries[k * size : (k + 1) * size])
        for k in range(array.shape[0])
    ]


def picked(array: Array, axes: Sequence[int | range]) -> Operand:
    """What stands at an index: a number drops its axis, a range keeps its places."""
    offsets, shape = [0], []
    for length, places in zip_longest(array.shape, axes):
        if isinstance(places, int):
            offsets = [length * at + places for at in offsets]
        else:
            places = range(length) if places is None else places
            offsets = [length * at + place for at in offsets for place in places]
            shape.append(len(places))
    return shaped(tuple(shape), [array.entries[at] for at in offsets])


def transposed(matrix: Array) -> Array:
    """A matrix with rows and columns exchanged."""
    height, width = matrix.shape
    columns = [matrix.entries[k::width] for k in range(width)]
    return Array((width, height), tuple(entry for c in columns for entry in c))


# ---- operations on entries


class Entries:
    """Adds operations on numbers to a program.

    Attributes:
        whole: by node, the whole numbers that are known.
        decided: by node, the conditions that are.
    """

    def __init__(self, size: Size) -> None:
        self.size, self.builder, self.source = size, size.builder, size.source
        self.whole: dict[int, float] = {}
        self.decided: dict[int, bool] = {}
        self.serial = 0  # of the last variable

    def number(self, value: float) -> int:
        """The node of a constant, which may be a known whole number."""
        node = self.size.const(value)
        if value.is_integer() and abs(value) <= LARGEST_WHOLE:
            self.whole[node] = value
        return node

    def do(self, op: str, *args: int) -> int:
        """Add an operation, which is done at once if what is known decides it."""
        whole, decided = self.whole, self.decided
        if args[0] in whole and whole.keys() >= {*args}:
            values = [whole[a] for a in args]
            if op in COMPARISONS:
                node = self.builder.add(op, *args)
                decided[node] = COMPARISONS[op](*values)
                return node
            found = _folded(op, values)
            if found is not None:
                return self.number(found)
        elif op == "where" and args[0] in decided:
            return args[1] if decided[args[0]] else args[2]
        elif op == "and" or op == "or":
            for one, other in (args, args[::-1]):
                if one in decided:
                    return other if decided[one] == (op == "and") else one
        node = self.builder.add(op, *args)
        if op == "not" and args[0] in decided:
            decided[node] = not decided[args[0]]
        return node

    def total(self, terms: Sequence[int]) -> int:
        """The sum of some numbers, from the left."""
        if not terms:
            return self.number(0.0)
        found = terms[0]
        for term in terms[1:]:
            found = self.do("add", found, term)
        return found

    def is_variable(self, node: int) -> bool:
        """Whether a node is something that one can differentiate by."""
        return self.builder.nodes[node][0] in ("input", VARIABLE)

    def variable(self, value: Operand, constant: bool = True) -> Operand:
        """Make variables of what a name stands for.

        Arguments:
            constant: whether also of constants, which then are no bounds any more.
        """
        found: list[int] = []
        for entry in entries_of(value):
            fixed = self.builder.nodes[entry][0] == "const" and not constant
            if not fixed and not self.is_variable(entry):
                self.serial += 1
                serial = self.size.const(float(self.serial))
                entry = self.builder.add(VARIABLE, entry, serial)
            found.append(entry)
        return shaped(shape_of(value), found)


def _folded(op: str, values: Sequence[float]) -> float | None:
    """An operation on whole numbers, None unless the result is one without rounding."""
    compute = _EXACT.get(op)
    try:
        found = compute(*values) if compute else math.nan
    except (ArithmeticError, ValueError, TypeError):
        return None
    return found if abs(found) <= LARGEST_WHOLE and found.is_integer() else None


def _quotient(x: float, y: float) -> float:
    return x / y if math.fmod(x, y) == 0.0 else math.nan


def _power(x: float, y: float) -> float:
    if y < 0.0 or (abs(x) > 1.0 and y > 53.0):
        return math.nan
    return math.pow(x, y) if abs(x) <= 1.0 else float(int(x) ** int(y))


_EXACT: Mapping[str, Callable[..., float]] = {
    **{op: getattr(operator, op) for op in ("add", "sub", "mul", "neg", "mod", "abs")},
    **dict.fromkeys(("floor", "ceil", "round", "trunc"), float),
    **{"div": _quotient, "pow": _power, "min": min, "max": max},
}


# ---- calls of functions of arrays


class Call(NamedTuple):
    """A call: its name, its arguments with their places, and what adds operations."""

    work: Entries
    name: str
    span: Span
    args: Sequence[Operand]
    spans: Sequence[Span]

    def whole(self, k: int) -> int:
        """The argument `k`, which has to be a whole number that is known."""
        found = self.args[k]
        if isinstance(found, Array) or found not in self.work.whole:
            raise self.mistake("whole_expected", k)
        return int(self.work.whole[found])

    def array(self, k: int = 0, axes: Sequence[int] = (), empty: bool = False) -> Array:
        """The argument `k`, which has to be an array.

        Arguments:
            axes: how many axes it may have; by default any number.
            empty: whether it may be without entries.
        """
        found = self.args[k]
        if not isinstance(found, Array):
            hint = remedy("ARRAYS", self.name)
            raise self.mistake("array_expected", k, hint=hint)
        if axes and len(found.shape) not in axes:
            wanted = " or ".join(KINDS[count] for count in axes)
            raise self.unfit(k, wanted, found.shape)
        if not found.entries and not empty:
            raise self.mistake("array_empty", k)
        return found

    def mistake(self, key: str, k: int, **names: Any) -> GradcError:
        """A mistake in the argument `k`."""
        return mistake(key, self.work.source, self.spans[k], name=self.name, **names)

    def unfit(self, k: int, wanted: str, shape: Axes) -> GradcError:
        """The mistake that the argument `k` has another shape than wanted."""
        found = shape_text(shape)
        return self.mistake("axes_expected", k, wanted=wanted, shape=found)

    def differ(self) -> GradcError:
        """The mistake that the shapes of two arguments do not fit."""
        first, second = zip(self.spans, map(shape_of, self.args))
        return differ(self.work.source, second, first, self.name)


def differ(
    source: Source,
    later: tuple[Span, Axes],
    earlier: tuple[Span, Axes],
    name: str = "",
) -> GradcError:
    """The mistake that arrays do not fit; the name is that of a function."""
    (span, shape), (first, other) = later, earlier
    of = f" of {quote(name)}" if name else ""
    hint = remedy("PRODUCTS", name)
    shapes: dict[str, Any] = {"one": f"{list(other)}", "other": f"{list(shape)}"}
    return mistake(
        "shapes_differ", source, span, earlier=first, hint=hint, of=of, **shapes
    )


# ---- functions of arrays


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
