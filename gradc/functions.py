"""The functions of a module: which outputs of a program each of them returns, and how.

    value                    y
    value_and_grad           y, gradient
    value_and_jacobian       y, Jacobian
    value_grad_and_hessian   y, gradient, Hessian
    hvp                      Hessian times v
    jvp                      Jacobian times v
    vjp                      v times Jacobian

A layout is the nesting of what a function takes or returns: a number stands for the
output (or the element) of this number, -1 for a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from math import prod
from typing import Any, NamedTuple

from gradc.arrays import Shape, names, nest
from gradc.ir import Input, Program, elements, grouped

ZERO = -1
SHORT = 8_000  # nodes of a program that is short
LONG = 100_000  # nodes of a program that takes seconds to print and to load
Layout = int | Sequence["Layout"]
Place = tuple[int, int]  # row and column
Entries = Mapping[Place, int]  # the output that is the entry at a place


def is_short(program: Program) -> bool:
    """Whether the functions of a program need not be cut, and so can be guarded."""
    return len(program.nodes) <= SHORT


def is_long(program: Program) -> bool:
    """Whether the functions of a program run over its nodes until they are called often."""
    return len(program.nodes) > LONG


class Function(NamedTuple):
    """One function of a module.

    Attributes:
        program: what it computes.
        layout: what it returns, by the program's outputs.
        vector: the layout of its last argument `v`, by the elements of kind "vector"
            among the program's inputs; None for a function without it.
        places: where in its matrix the entries stand that it returns, None for all.
    """

    name: str
    program: Program
    layout: Layout
    vector: Layout | None = None
    places: Sequence[Place] | None = None


def filled(
    layout: Layout,
    leaf: Callable[[int], Any],
    kind: Callable[[Iterable[Any]], Any] = list,
) -> Any:
    """The sequences of a layout with something else at the place of its numbers."""
    if isinstance(layout, int):
        return leaf(layout)
    return kind(filled(inner, leaf, kind) for inner in layout)


def numbers(layout: Layout) -> Iterator[int]:
    """The numbers of a layout, in order."""
    if isinstance(layout, int):
        yield layout
    else:
        for inner in layout:
            yield from numbers(inner)


def shifted(layout: Layout, start: int) -> Layout:
    """A layout whose numbers begin further on."""
    found: Layout = filled(layout, lambda k: k + start)
    return found


def without_zeros(function: Function) -> Function:
    """A function that returns the entries of a matrix without those that became zero."""
    if function.places is None or isinstance(function.layout, int):
        return function
    program = function.program
    *others, matrix = function.layout
    assert not isinstance(matrix, int)
    kept = [
        (place, k)
        for place, k in zip(function.places, matrix)
        if program.nodes[program.outputs[filled(k, int)]] != ("const", 0.0)
    ]
    layout = [*others, [k for _, k in kept]]
    return function._replace(layout=layout, places=[place for place, _ in kept])


def shape_of(nested: int | str | Sequence[Any]) -> Shape | None:
    """The shape of an array with this layout, or of these texts; None if it is none."""
    if isinstance(nested, (int, str)):
        return ()
    shapes = {shape_of(inner) for inner in nested}
    inner = shapes.pop() if len(shapes) == 1 else None
    return None if inner is None else (len(nested), *inner)


def parts_of(nested: Sequence[Any]) -> tuple[Shape, ...]:
    """The shapes of the arrays and numbers that stand side by side."""
    return tuple(shape for shape in map(shape_of, nested) if shape is not None)


class Interface:
    """How the functions of a formula take and return what they do.

    Arguments:
        program: the formula.
        wrt: the arguments to differentiate by.
        bare: the gradient by one array is an array, not a tuple of one.
        sparse: of a matrix only the entries that are not zero are returned.
    """

    def __init__(
        self, program: Program, wrt: Sequence[str], bare: bool, sparse: bool
    ) -> None:
        named = {item.name: item for item in grouped(program.inputs)}
        self.program = program
        self.wrt = [named[name] for name in wrt]
        self.names = [item.name for argument in self.wrt for item in argument.elements]
        self.sparse = sparse
        self.values = values(program)
        nested = _nested(item.shape for item in self.wrt)
        is_array = len(self.wrt) == 1 and self.wrt[0].shape != ()
        self.inputs = nested[0] if is_array else nested  # of a row of a matrix
        self.gradient = self.inputs if bare else nested

    def matrix(
        self, rows: Layout, entries: Entries
    ) -> tuple[Layout, Sequence[Place] | None]:
        """A matrix with a row for each number of a layout, a column for each input.

        Returns its layout, and the places of its entries if it is sparse.
        """
        if self.sparse and not isinstance(rows, int):
            places = sorted(entries)
            return [entries[place] for place in places], places

        def row(i: int) -> Layout:
            found: Layout = filled(self.inputs, lambda j: entries.get((i, j), ZERO))
            return found

        return filled(rows, row), None

    def vector(self, layout: Layout) -> list[Input]:
        """The inputs that are the elements of `v`."""
        name = "v"
        while any(name in (i.name, i.array) for i in self.program.inputs):
            name += "_"
        if isinstance(layout, int):
            return [Input(name, kind="vector")]
        return [Input(n, kind="vector", array=name) for n in _indexed(name, layout)]


def _nested(shapes: Iterable[tuple[int, ...]]) -> list[Layout]:
    numbers = count()
    return [nest([next(numbers) for _ in range(prod(s))], s) for s in shapes]


def values(program: Program) -> Layout:
    """How the values of a formula are returned: one result alone, several as a tuple."""
    found = _nested(result.shape for result in program.results)
    return found[0] if len(found) == 1 else found


def titles(program: Program) -> list[str]:
    """What the values of a formula are called: `value`, `force[2]`, `value[1]`."""
    results = program.results
    plain = ["value"] if len(results) == 1 else names("value", (len(results),))
    called = [result.name or other for result, other in zip(results, plain)]
    pairs = zip(called, results)
    return [title for name, result in pairs for title in names(name, result.shape)]


def _indexed(name: str, layout: Layout) -> list[str]:
    if isinstance(layout, int):
        return [name]
    pairs = enumerate(layout)
    return [found for k, inner in pairs for found in _indexed(f"{name}[{k}]", inner)]


def packed(function: Function, numbers: Sequence[Any], numpy: bool) -> Any:
    """What a function returns, from the outputs of its program."""
    return _packed(function, function.layout, numbers, numpy)


def _packed(
    function: Function, layout: Layout, numbers: Sequence[Any], numpy: bool
) -> Any:
    if not numpy or isinstance(layout, int):
        return filled(layout, [*numbers, 0.0].__getitem__, tuple)
    if is_tuple(function, layout):
        return tuple(_packed(function, inner, numbers, numpy) for inner in layout)
    from numpy import array

    return array(filled(layout, [*numbers, 0.0].__getitem__))


def is_tuple(function: Function, layout: Layout) -> bool:
    """Whether a part of a layout is no array, so that it stays a tuple with NumPy."""
    several = layout is function.layout and function.name.startswith("value_")
    return several or shape_of(layout) is None


def flattened(program: Program, wrt: Sequence[str]) -> tuple[Program, tuple[str, ...]]:
    """A program with one array as the argument for all of `wrt`, before the others."""
    chosen = {name: None for name in elements(program, wrt)}
    named = {item.name: item for item in program.inputs}
    others = [item for item in program.inputs if item.name not in chosen]
    name = "x"
    while any(name in (item.name, item.array) for item in others):
        name += "_"
    shape = (len(chosen),)
    flat = [replace(named[n], array=name, shape=shape) for n in chosen]
    return replace(program, inputs=(*flat, *others)), (name,) if flat else ()
