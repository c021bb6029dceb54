"""The functions of a module: what each of them takes and returns, and how it is derived.

    value                    y
    value_and_grad           y, gradient
    value_and_jacobian       y, Jacobian
    value_grad_and_hessian   y, gradient, Hessian
    hvp                      Hessian times v
    jvp                      Jacobian times v
    vjp                      v times Jacobian

A layout is the nesting of what a function takes or returns: a number stands for the
output (or the element) of this number, -1 for a zero. The program of a function has the
values as its first outputs until it is finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from math import prod
from typing import Any, NamedTuple

from gradc.arrays import Shape, names, nest
from gradc.errors import mistake
from gradc.ir import Input, Program, elements, grouped
from gradc.passes.derive import derive
from gradc.passes.matrices import Entries, Place, hessian, hvp, jacobian, jvp, vjp

ZERO = -1
SHORT = 8_000  # nodes of a program that is printed and loaded in a moment
Layout = int | Sequence["Layout"]


def is_short(program: Program) -> bool:
    """Whether a program is printed at once; others are when their text is asked for."""
    return len(program.nodes) <= SHORT


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


# ---- layouts


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


def shape_of(nested: int | str | Sequence[Any]) -> Shape | None:
    """The shape of an array with this layout, or of these texts; None if it is none."""
    if isinstance(nested, (int, str)):
        return ()
    shapes = {shape_of(inner) for inner in nested}
    inner = shapes.pop() if len(shapes) == 1 else None
    return None if inner is None else (len(nested), *inner)


def packed(
    function: Function, layout: Layout, numbers: Sequence[Any], numpy: bool
) -> Any:
    """What a function returns in a layout, from the outputs of its program."""
    if not numpy or isinstance(layout, int):
        return filled(layout, [*numbers, 0.0].__getitem__, tuple)
    if is_tuple(function, layout):
        return tuple(packed(function, inner, numbers, numpy) for inner in layout)
    from numpy import array  # only where NumPy is asked for

    return array(filled(layout, [*numbers, 0.0].__getitem__))


def is_tuple(function: Function, layout: Layout) -> bool:
    """Whether a part of a layout is no array, so that it stays a tuple with NumPy."""
    several = layout is function.layout and function.name.startswith("value_")
    return several or shape_of(layout) is None


def _nested(shapes: Iterable[Shape]) -> list[Layout]:
    numbers = count()
    return [nest([next(numbers) for _ in range(prod(s))], s) for s in shapes]


def _indexed(name: str, layout: Layout) -> list[str]:
    if isinstance(layout, int):
        return [name]
    pairs = enumerate(layout)
    return [found for k, inner in pairs for found in _indexed(f"{name}[{k}]", inner)]


# ---- what a formula returns


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


# ---- what can be emitted

Derivation = Callable[[Program, Interface, bool], Function]


class Emitted(NamedTuple):
    """A function that a module can have: its name, and how it is derived."""

    name: str
    derived: Derivation
    scalar: bool = False  # whether the formula must have one number as its result


def _value(program: Program, interface: Interface, strict: bool) -> Function:
    return Function("value", program, interface.values)


def _gradient(program: Program, interface: Interface, strict: bool) -> Function:
    layout = [interface.values, shifted(interface.gradient, program.count)]
    return Function("value_and_grad", derive(program, interface.names), layout)


def _jacobian(program: Program, interface: Interface, strict: bool) -> Function:
    grown, entries = jacobian(program, interface.names)
    matrix, places = interface.matrix(interface.values, entries)
    layout = [interface.values, matrix]
    return Function("value_and_jacobian", grown, layout, places=places)


def _hessian(program: Program, interface: Interface, strict: bool) -> Function:
    gradient = shifted(interface.gradient, program.count)
    grown, entries = hessian(program, interface.names, strict)
    matrix, places = interface.matrix(interface.inputs, entries)
    layout = [interface.values, gradient, matrix]
    return Function("value_grad_and_hessian", grown, layout, places=places)


def _hvp(program: Program, interface: Interface, strict: bool) -> Function:
    vector = interface.vector(interface.gradient)
    grown = hvp(program, interface.names, vector, strict)
    layout = shifted(interface.gradient, program.count)
    return Function("hvp", grown, layout, vector=interface.gradient)


def _jvp(program: Program, interface: Interface, strict: bool) -> Function:
    grown = jvp(program, interface.names, interface.vector(interface.gradient))
    layout = shifted(interface.values, program.count)
    return Function("jvp", grown, layout, vector=interface.gradient)


def _vjp(program: Program, interface: Interface, strict: bool) -> Function:
    grown = vjp(program, interface.names, interface.vector(interface.values))
    layout = shifted(interface.gradient, program.count)
    return Function("vjp", grown, layout, vector=interface.values)


EMITTED: Mapping[str, Emitted] = {
    "value": Emitted("value", _value),
    "gradient": Emitted("value_and_grad", _gradient, scalar=True),
    "jacobian": Emitted("value_and_jacobian", _jacobian),
    "hessian": Emitted("value_grad_and_hessian", _hessian, scalar=True),
    "hvp": Emitted("hvp", _hvp, scalar=True),
    "jvp": Emitted("jvp", _jvp),
    "vjp": Emitted("vjp", _vjp),
}


def chosen(program: Program, emit: Sequence[str] | str | None) -> tuple[str, ...]:
    """The names of what to emit, in the order of the table; the value is always there.

    Arguments:
        emit: some of the names, also as one text with commas; None for the value with
            its gradient, or its Jacobian if it is more than one number.

    Raises:
        GradcError: a name is unknown, or the formula has too many results for it.
    """
    is_scalar = isinstance(values(program), int)
    if emit is None:
        emit = ("gradient",) if is_scalar else ("jacobian",)
    words = emit.split(",") if isinstance(emit, str) else emit
    words = [word.strip() for word in words]
    for word in words:
        if word not in EMITTED:
            names = ", ".join(EMITTED)
            raise mistake("emit_unknown", near=list(EMITTED), name=word, names=names)
        if EMITTED[word].scalar and not is_scalar:
            count = program.count
            results = "an array of one result" if count == 1 else f"{count} results"
            source = program.source
            raise mistake("emit_needs_one", source, name=word, results=results)
    return tuple(word for word in EMITTED if word == "value" or word in words)
