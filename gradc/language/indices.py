"""Indices and slices of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gradc.errors import GradcError, Source, mistake, shape_text
from gradc.language.shapes import Array, Axes, Known, Operand, Whole, picked
from gradc.language.syntax import Row, Slice, Slot, Span


class Missing(NamedTuple):
    """An entry outside of its array, as `x[i + 1] if i + 1 < n else 0` may ask for."""

    mistake: GradcError


class Indices:
    """Reads the rows of indices."""

    def __init__(self, source: Source, rows: Sequence[Row]) -> None:
        self.source, self.rows = source, rows

    def index(self, row: Row, args: list[Any]) -> Operand | Missing:
        """`array[i, j:k]`."""
        array, slots = args[0], row.payload
        if not isinstance(array, Array):
            raise self.no_array(row)
        if len(slots) > len(array.shape):
            span = self.place(slots[len(array.shape)])
            shape = shape_text(array.shape)
            raise mistake("index_too_many", self.source, span, shape=shape)
        values = dict(zip(row.args, args))
        axes = []
        for k, slot in enumerate(slots):
            place = self.places(slot, values, array.shape[k])
            if place is None:
                return self.outside(slot, values[slot], array.shape, k)
            axes.append(place)
        return picked(array, axes)

    def places(
        self, slot: Slot, values: Mapping[int, Operand], length: int
    ) -> int | range | None:
        """What an index picks along an axis; None outside of it."""
        if isinstance(slot, Slice):
            parts = [None if i is None else self.whole(values[i], i) for i in slot[:3]]
            if parts[2] == 0:
                raise mistake("slice_standing", self.source, slot.span)
            return range(*slice(*parts).indices(length))
        at = self.whole(values[slot], slot)
        return at % length if -length <= at < length else None

    def outside(self, i: int, at: Any, shape: Axes, axis: int) -> Missing:
        """An entry that is not there, which is a mistake only if it is used."""
        length = shape[axis]
        names: dict[str, Any] = {
            "index": int(at.value),
            "shape": shape_text(shape),
            "where": f" of axis {axis}" if len(shape) > 1 else "",
            "length": length,
            "last": length - 1,
        }
        key = "index_outside" if length else "index_of_nothing"
        return Missing(mistake(key, self.source, self.rows[i].span, **names))

    def whole(self, value: Operand, i: int) -> int:
        """The whole number that the row `i` has to be."""
        if not isinstance(value, Whole):
            raise mistake("whole_expected", self.source, self.rows[i].span)
        return int(value.value)

    def place(self, slot: Slot) -> Span:
        """Where an index stands."""
        return slot.span if isinstance(slot, Slice) else self.rows[slot].span

    def no_array(self, row: Row) -> GradcError:
        """The mistake that what has an index is a number."""
        base = self.rows[row.args[0]]
        name = str(base.payload) if base.op == "name" else "x"
        return mistake("index_of_number", self.source, base.span, name=name)


def require(value: Operand | Missing) -> None:
    """Refuse an entry that is not there.

    Raises:
        GradcError: an index was outside, and no constant condition saw to it.
    """
    if isinstance(value, Missing):
        raise value.mistake


def lost(row: Row, args: Sequence[Any]) -> Missing | None:
    """What makes a row an entry that is not there, unless a condition chooses."""
    if row.op == "where" and isinstance(args[0], Known):
        return None
    return next((arg for arg in args if isinstance(arg, Missing)), None)
