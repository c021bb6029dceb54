"""Arrays of a formula: a shape, and the entries one after the other.

All arrays are unrolled, so an entry is the position of a node. A whole number that is
known while a formula is read (a literal, the variable of a loop, a length) becomes a
node only where it meets one; until then it may be an index or a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

LARGEST_WHOLE = 2.0**53  # up to which every whole number is a float

Axes = tuple[int, ...]


class Whole(NamedTuple):
    """A whole number that is known, as the float that it is in the program."""

    value: float


class Known(NamedTuple):
    """A condition that is decided."""

    holds: bool


Entry = int | Whole | Known  # an int is the position of a node


class Array(NamedTuple):
    """The entries of an array in row-major order."""

    shape: Axes
    entries: tuple[Entry, ...]


Operand = Entry | Array


def shape_of(operand: Operand) -> Axes:
    """The shape of an array, `()` of a number."""
    return operand.shape if isinstance(operand, Array) else ()


def entries_of(operand: Operand) -> tuple[Entry, ...]:
    """The entries of an array; a number is its only one."""
    return operand.entries if isinstance(operand, Array) else (operand,)


def shaped(shape: Axes, entries: Iterable[Entry]) -> Operand:
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


# ---- whole numbers: what is exact


def folded(op: str, values: Sequence[float]) -> Whole | None:
    """An operation on whole numbers, None unless the result is one without rounding."""
    compute = _EXACT.get(op)
    try:
        found = compute(*values) if compute else math.nan
    except (ArithmeticError, ValueError, TypeError):
        return None
    exact = abs(found) <= LARGEST_WHOLE and found.is_integer()
    return Whole(found) if exact else None


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
