"""The functions of a module as formulas of one number each, so that they can be checked.

A row of a Jacobian is the gradient of one result. A row of a Hessian is the gradient of
one derivative. What a Jacobian or a Hessian sends a vector v to is the derivative by t,
at 0, of a result or a derivative at x + t*v. And v times a Jacobian is the gradient of
the sum of the results, each times its element of v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from random import Random
from typing import Any, Protocol

from gradc.arrays import leaves, nest
from gradc.checking.points import Point
from gradc.engine.tracing import Recording
from gradc.functions import Function, filled, titles, values
from gradc.ir import Builder, Input, Program, Result, elements, grouped
from gradc.passes.derive import derive
from gradc.passes.matrices import hessian, jacobian
from gradc.run import evaluate

ROWS = 4  # of a matrix, or elements of a product, that are looked at
REACH = 2.0  # of the elements of a vector
STEP = "v.t"  # an input like no other, as are the elements v.0, v.1 of a vector


class Compiled(Protocol):
    """A compiled formula, as far as its functions are concerned."""

    program: Program
    functions: dict[str, Function]
    inputs: tuple[str, ...]
    wrt: tuple[str, ...]
    recording: Recording | None

    @property
    def formula(self) -> Program: ...

    def __call__(self, *args: Any) -> Any: ...

    def value_and_grad(self, *args: Any) -> tuple[Any, tuple[Any, ...]]: ...


@dataclass
class Component:
    """A number that a function returns, with its derivatives, as a formula.

    Attributes:
        program: its inputs are the elements of all arguments, each on its own.
        titles: what the number and its derivatives are called; the number has no name
            if no function returns it.
        compute: the number and the derivatives at a point.
        whole: all that the function computes, which has no value where one has none.
        alone: the number once more, as another function has it.
    """

    program: Program
    wrt: tuple[str, ...]
    recording: Recording
    titles: tuple[str, ...]
    compute: Callable[[Point], Sequence[Any]]
    whole: Program
    alone: Callable[[Point], Any] | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.program.inputs)

    def __call__(self, *args: Any) -> Any:
        point = dict(zip(self.inputs, args))
        return self.alone(point) if self.alone else self.compute(point)[0]

    def value_and_grad(self, *args: Any) -> tuple[Any, tuple[Any, ...]]:
        value, *slopes = self.compute(dict(zip(self.inputs, args)))
        return value, tuple(slopes)

    def is_defined(self, point: Point) -> bool:
        """Whether the formula as it was written has all that the function returns."""
        try:
            return all(map(isfinite, evaluate(self.whole, point)))
        except (ArithmeticError, ValueError, TypeError):
            return False


def components(compiled: Compiled, written: Program, every: bool) -> list[Component]:
    """The formulas that a module computes beside its value and its gradient.

    Arguments:
        written: the formula as it was written.
        every: all of them, not only a few of each function.
    """
    return list(_Components(compiled, written, every).all())


class _Components:
    def __init__(self, compiled: Compiled, written: Program, every: bool) -> None:
        self.compiled = compiled
        alone = [replace(i, array="", shape=()) for i in compiled.program.inputs]
        self.written = replace(written, inputs=tuple(alone))
        self.names = elements(compiled.program, compiled.wrt)
        self.every = every
        self.random = Random(0)
        self.count = compiled.program.count
        self.single = isinstance(values(compiled.program), int)

    def all(self) -> Iterator[Component]:
        functions = self.compiled.functions
        if not self.single:
            yield from self._rows(functions.get("value_and_jacobian"))
        elif "value_and_jacobian" in functions:
            yield from self._rows(functions["value_and_jacobian"])
        if "value_grad_and_hessian" in functions:
            yield from self._slopes(functions["value_grad_and_hessian"])
        if "hvp" in functions:
            gradient = derive(self.written, self.names)
            gradient = replace(gradient, outputs=gradient.outputs[1:])
            yield from self._along("hvp", gradient)
        if "jvp" in functions:
            yield from self._along("jvp", self.written)
        if "vjp" in functions:
            yield self._weighted()

    def _chosen(self, count: int) -> Sequence[int]:
        """Some of so many components."""
        if self.every or count <= ROWS:
            return range(count)
        return sorted(self.random.sample(range(count), ROWS))

    # ---- rows of matrices

    def _rows(self, function: Function | None) -> Iterator[Component]:
        """The results, each with its row of the Jacobian."""
        wrt = () if function is None else tuple(self.names)
        whole = jacobian(self.written, wrt)[0]
        for k in self._chosen(self.count):
            written = _single(self.written, self.written.outputs[k])
            name = "value" if self.single else titles(self.compiled.program)[k]
            called = (name, *(f"d{name}/d{x}" for x in wrt))
            compute = partial(self._row, function, k)
            alone = None if self.single else partial(self._value, k)
            recording = self._recording(written, k)
            yield Component(written, wrt, recording, called, compute, whole, alone)

    def _value(self, k: int, point: Point) -> Any:
        return list(leaves(self.compiled(*self._packed(point))))[k]

    def _row(self, function: Function | None, k: int, point: Point) -> Sequence[Any]:
        if function is None:
            return [self._value(k, point)]
        found, matrix = self._called(function.name, point)
        return [list(leaves(found))[k], *self._entries(function, matrix, k)]

    def _slopes(self, function: Function) -> Iterator[Component]:
        """The derivatives, each with its row of the Hessian."""
        gradient = derive(self.written, self.names)
        whole = hessian(self.written, self.names)[0]
        for k in self._chosen(len(self.names)):
            written = _single(gradient, gradient.outputs[1 + k])
            name = self.names[k]
            titles = (f"d/d{name}", *(f"d2/d{name} d{x}" for x in self.names))

            def row(point: Point, k: int = k) -> Sequence[Any]:
                _, slopes, matrix = self._called(function.name, point)
                return [list(leaves(slopes))[k], *self._entries(function, matrix, k)]

            recording = self._recording(written)
            yield Component(written, tuple(self.names), recording, titles, row, whole)

    def _entries(self, function: Function, matrix: Any, row: int) -> Sequence[Any]:
        """A row of a matrix."""
        entries, columns = list(leaves(matrix)), len(self.names)
        if function.places is None:
            return entries[row * columns : (row + 1) * columns]
        there = dict(zip(function.places, entries))
        return [there.get((row, column), 0.0) for column in range(columns)]

    # ---- products

    def _along(self, name: str, program: Program) -> Iterator[Component]:
        """The elements of what a matrix sends a vector to."""
        vector = [_element(k) for k in range(len(self.names))]
        moved = _moved(program, self.names, vector)
        whole = jacobian(moved, (STEP,))[0]
        for k in self._chosen(len(moved.outputs)):
            written = _single(moved, moved.outputs[k])

            def element(
                point: Point, k: int = k, written: Program = written
            ) -> Sequence[Any]:
                v = [point[item.name] for item in vector]
                there = dict(point)
                for x, slope in zip(self.names, v):
                    there[x] += point[STEP] * slope
                found = list(leaves(self._called(name, there, v)))[k]
                return [evaluate(written, point)[0], found]

            titles = ("", f"{name}[{k}]")
            recording = self._recording(written)
            yield Component(written, (STEP,), recording, titles, element, whole)

    def _weighted(self) -> Component:
        """A vector times the Jacobian."""
        vector = [_element(k) for k in range(self.count)]
        builder = Builder.upon(self.written)
        total = builder.const(0.0)
        for item, output in zip(vector, self.written.outputs):
            term = builder.add("mul", builder.input(item.name), output)
            total = builder.add("add", total, term)
        summed = builder.follow(self.written, [total])
        written = _single(replace(summed, inputs=(*summed.inputs, *vector)), total)

        def product(point: Point) -> Sequence[Any]:
            v = [point[item.name] for item in vector]
            found = leaves(self._called("vjp", point, v))
            return [evaluate(written, point)[0], *found]

        titles = ("", *(f"vjp[{x}]" for x in self.names))
        recording = self._recording(written)
        whole = derive(written, self.names)
        return Component(written, tuple(self.names), recording, titles, product, whole)

    # ---- calls

    def _called(self, name: str, point: Point, vector: Sequence[float] = ()) -> Any:
        """What a function returns at a point."""
        args = self._packed(point)
        layout = self.compiled.functions[name].vector
        if layout is not None:
            args.append(filled(layout, vector.__getitem__))
        return getattr(self.compiled, name)(*args)

    def _packed(self, point: Point) -> list[Any]:
        """The arguments of the compiled formula at a point."""
        return [
            nest([point[item.name] for item in argument.elements], argument.shape)
            for argument in grouped(self.compiled.program.inputs)
        ]

    def _recording(self, written: Program, k: int | None = None) -> Recording:
        recording = self.compiled.recording
        if recording is None:
            return Recording(written, (written.source, None))
        function = recording.function
        if function is None or k is None:
            return Recording(written, recording.place)

        def one(given: Any) -> Any:
            return list(leaves(function(given)))[k]

        return Recording(written, recording.place, one)


def _element(k: int) -> Input:
    return Input(f"v.{k}", kind="vector", low=-REACH, high=REACH)


def _single(program: Program, output: int) -> Program:
    """A program with one output."""
    return replace(program, outputs=(output,), results=(Result("", ()),))


def _moved(program: Program, names: Sequence[str], vector: Sequence[Input]) -> Program:
    """A program at x + t*v for some of its inputs."""
    builder = Builder(program.ops)
    t = Input(STEP, low=0.0, high=0.0)
    along = {name: item.name for name, item in zip(names, vector)}
    new: list[int] = []
    for i, node in enumerate(program.nodes):
        j = builder.copy(program, i, new)
        if node[0] == "input" and node[1] in along:
            v = builder.input(along[node[1]])
            j = builder.add("add", j, builder.add("mul", builder.input(STEP), v))
        new.append(j)
    moved = builder.follow(program, [new[i] for i in program.outputs])
    return replace(moved, inputs=(*program.inputs, *vector, t))
