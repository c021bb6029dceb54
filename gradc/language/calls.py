"""A call of a function of arrays, and what such a function is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from gradc import errors
from gradc.errors import GradcError, Span
from gradc.language.limits import Size
from gradc.language.shapes import Array, Entry, Operand, Whole, shape_of
from gradc.source import Source

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
            raise errors.whole_expected(self.source, self.spans[k])
        return found.value

    def array(self, k: int = 0, axes: Sequence[int] = (), empty: bool = False) -> Array:
        """The argument `k`, which has to be an array.

        Arguments:
            axes: how many axes it may have; by default any number.
            empty: whether it may be without entries.
        """
        found = self.args[k]
        if not isinstance(found, Array):
            raise errors.array_expected(*self.place(k))
        if axes and len(found.shape) not in axes:
            wanted = " or ".join(KINDS[count] for count in axes)
            raise errors.axes_expected(*self.place(k), wanted, found.shape)
        if not found.entries and not empty:
            raise errors.array_empty(*self.place(k))
        return found

    def place(self, k: int) -> tuple[Source, Span, str]:
        """Where the argument `k` stands, and the function that takes it."""
        return self.source, self.spans[k], self.name

    def differ(self, k: int = 1, earlier: int = 0) -> GradcError:
        """The mistake that the shapes of two arguments do not fit."""
        return errors.shapes_differ(
            self.source,
            (self.spans[k], shape_of(self.args[k])),
            (self.spans[earlier], shape_of(self.args[earlier])),
            self.name,
        )


class Function(NamedTuple):
    """A function of arrays, and what it takes."""

    params: tuple[str, ...]
    compute: Callable[[Call], Operand]
    doc: str
    least: int = -1  # arguments, if the last ones may be left out

    def accepts(self, count: int) -> bool:
        """Whether it takes so many arguments."""
        return self.fewest <= count <= len(self.params)

    def signature(self, name: str) -> str:
        """How it is called."""
        return f"{name}({', '.join(self.params)})"

    @property
    def fewest(self) -> int:
        return len(self.params) if self.least < 0 else self.least

    @property
    def arity_text(self) -> str:
        """The arguments in words: `2 arguments (x, y)`."""
        count, fewest = len(self.params), self.fewest
        words = f"{count}" if fewest == count else f"{fewest} to {count}"
        noun = "argument" if count == 1 else "arguments"
        return f"{words} {noun} ({', '.join(self.params)})"


def total(do: Do, terms: Sequence[Entry]) -> Entry:
    """The sum of some entries."""
    return reduce(lambda x, y: do("add", x, y), terms) if terms else Whole(0.0)
