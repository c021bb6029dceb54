"""A call of a function of arrays, and what such a function is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from gradc.errors import GradcError, Source, Span, mistake, quote, remedy, shape_text
from gradc.language.limits import Size
from gradc.language.shapes import Array, Axes, Entry, Operand, Whole, shape_of

Placed = tuple[Span, Axes]  # a place, and the shape of what stands there
Do = Callable[..., Entry]
KINDS = ("a number", "a vector", "a matrix")  # by the number of axes


class Call(NamedTuple):
    """A call: its name, its arguments with their places, and what adds operations.

    Every `do(op, *entries)` adds an operation of the table to the program.
    """

    source: Source
    name: str
    span: Span
    args: Sequence[Operand]
    spans: Sequence[Span]
    do: Do
    size: Size

    def whole(self, k: int) -> float:
        """The argument `k`, which has to be a whole number that is known."""
        found = self.args[k]
        if not isinstance(found, Whole):
            raise self.mistake("whole_expected", k)
        return found.value

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
        return mistake(key, self.source, self.spans[k], name=self.name, **names)

    def unfit(self, k: int, wanted: str, shape: tuple[int, ...]) -> GradcError:
        """The mistake that the argument `k` has another shape than wanted."""
        found = shape_text(shape)
        return self.mistake("axes_expected", k, wanted=wanted, shape=found)

    def differ(self, k: int = 1, earlier: int = 0) -> GradcError:
        """The mistake that the shapes of two arguments do not fit."""
        return shapes_differ(
            self.source,
            (self.spans[k], shape_of(self.args[k])),
            (self.spans[earlier], shape_of(self.args[earlier])),
            self.name,
        )


def total(do: Do, terms: Sequence[Entry]) -> Entry:
    """The sum of some entries."""
    return reduce(lambda x, y: do("add", x, y), terms) if terms else Whole(0.0)


def shapes_differ(
    source: Source, later: Placed, earlier: Placed, name: str = ""
) -> GradcError:
    """The mistake that arrays do not fit; the name is that of a function."""
    (span, shape), (first, other) = later, earlier
    names: dict[str, Any] = {"one": brackets(other), "other": brackets(shape)}
    return mistake(
        "shapes_differ",
        source,
        span,
        earlier=(f"an array of shape {brackets(other)}", first),
        hint=remedy("PRODUCTS", name),
        of=f" of {quote(name)}" if name else "",
        **names,
    )


def brackets(shape: Axes) -> str:
    """A shape in brackets."""
    return f"[{', '.join(map(str, shape))}]"
