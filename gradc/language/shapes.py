"""Arrays of a formula, and operations on their entries, done at once where that is exact.

All arrays are unrolled: an array is a shape and the nodes of its entries, in row-major
order. A whole number that is known while a formula is read (a literal, the variable of
a loop, a length, and what they add up to) may be an index or a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from gradc.errors import GradcError, Source, Span, mistake, quote, remedy, shape_text
from gradc.ir import COMPARISONS
from gradc.language.limits import Size
from gradc.ops import VARIABLE

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
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": _quotient,
    "pow": _power,
    "neg": lambda x: -x,
    "abs": abs,
    "mod": lambda x, y: x % y,
    "floor": lambda x: x,
    "ceil": lambda x: x,
    "round": lambda x: x,
    "trunc": lambda x: x,
    "min": min,
    "max": max,
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
