"""A compiled formula: its functions, loaded from the text of its module."""

from __future__ import annotations

import gc
import linecache
import os
from builtins import compile as _compile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import repeat
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from gradc.arrays import leaves, nest
from gradc.errors import listed, mistake, outside_domain
from gradc.files import write
from gradc.functions import (
    EMITTED,
    Function,
    Interface,
    chosen,
    filled,
    flattened,
    is_short,
    numbers,
    packed,
    shape_of,
)
from gradc.ir import Adjoint, Program, grouped
from gradc.pipeline import functions
from gradc.run import Failure, failing, taped
from gradc.special import floats
from gradc.targets.module import module
from gradc.targets.origin import Origin, digest

if TYPE_CHECKING:
    from gradc.record import Recording

OFTEN = 50  # calls of a long function that take what it takes to print and to load
_LOADED = "_loaded", "_others", "_tapes"
_ENDLESS = OverflowError, ZeroDivisionError


@contextmanager
def collector_held() -> Iterator[None]:
    """Hold Python's cyclic garbage collector off, and restore it after.

    Nothing that the compiler makes refers to itself. What came to be meanwhile then
    counts as old, unless the caller keeps some objects frozen.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


class Compiled:
    """A compiled formula: call it for the value.

    Attributes:
        inputs: the names of all arguments, in order, as the source spells them.
        wrt: the names that get a derivative, in order.
        source: the text of the module that `gradc compile` writes.
        functions: the functions in it; a method for another one compiles it when called.
        program: the program of the first functions; its repr is a listing.
        recording: what it was recorded from, None for a formula.
        notes: remarks on the formula, such as that `e` was taken for Euler's number.

    All methods take the arguments in order or by name; a wrong number of them or an
    unknown name is a TypeError. They make floats of all numbers, and return floats.
    Where the formula has no finite value, or no derivative, they raise DomainError,
    unless it was compiled with `outside`. Compiled formulas can be pickled and copied.
    """

    def __init__(
        self,
        source: str | None,
        functions: Sequence[Function],
        wrt: tuple[str, ...],
        origin: Origin = Origin(""),
        *,
        written: Program | None = None,
        recording: Recording | None = None,
    ) -> None:
        if source is not None:
            self.source = source
        self.functions = {function.name: function for function in functions}
        self.origin = origin
        self._written = written
        self.program = functions[0].program
        self.recording = recording
        self.inputs = tuple(item.name for item in grouped(self.program.inputs))
        self.wrt = wrt
        self.notes = self.program.notes
        self._takes = {
            function.name: [
                item
                for item in grouped(function.program.inputs)
                if item.elements[0].kind != "vector" or function.vector is not None
            ]
            for function in functions
        }
        self._loaded: dict[str, Callable[..., Any]] = {}
        self._tapes: dict[str, Iterator[Callable[..., Any]]] = {}
        self._others: dict[str, Compiled] = {}

    @classmethod
    def of(
        cls,
        program: Program,
        wrt: Sequence[str],
        origin: Origin,
        recording: Recording | None = None,
    ) -> Compiled:
        """Differentiate a program by some of its arguments, and print it if it is short.

        Raises:
            GradcError: conditions that wait for each other, too many to take apart.
        """
        interface = interface_of(program, wrt, origin)
        found = functions(interface, chosen(program, origin.emit), origin.strict)
        names = tuple(item.name for item in interface.wrt)
        compiled = cls(None, found, names, origin, written=program, recording=recording)
        if all(is_short(function.program) for function in found):
            _ = compiled.source
        return compiled

    @property
    def formula(self) -> Program:
        """The formula before any pass, its inputs as they were declared."""
        return self.program if self._written is None else self._written

    @cached_property
    def source(self) -> str:
        with collector_held():
            return module([*self.functions.values()], self.wrt, self.origin)

    def __getstate__(self) -> dict[str, Any]:
        return {k: {} if k in _LOADED else v for k, v in vars(self).items()}

    def __repr__(self) -> str:
        return f"<gradc formula of {', '.join(self.inputs)}>"

    # ---- calls

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The value at a point."""
        return self._call("value", args, named)

    def value_and_grad(self, *args: Any, **named: Any) -> tuple[Any, tuple[Any, ...]]:
        """The value, and the derivatives by `wrt` in order."""
        found: tuple[Any, tuple[Any, ...]] = self._call("value_and_grad", args, named)
        return found

    def grad(self, *args: Any, **named: Any) -> tuple[Any, ...]:
        """The derivatives by `wrt`, in order."""
        return self.value_and_grad(*args, **named)[1]

    def value_and_jacobian(self, *args: Any, **named: Any) -> Any:
        """The value and the Jacobian: a row for each result, a column for each input."""
        return self._call("value_and_jacobian", args, named)

    def value_grad_and_hessian(self, *args: Any, **named: Any) -> Any:
        """The value, the gradient, and the Hessian by `wrt`."""
        return self._call("value_grad_and_hessian", args, named)

    def hvp(self, *args: Any, **named: Any) -> Any:
        """The Hessian times the last argument `v`, both nested like the gradient."""
        return self._call("hvp", args, named)

    def jvp(self, *args: Any, **named: Any) -> Any:
        """The Jacobian times the last argument `v`, which is nested like the gradient."""
        return self._call("jvp", args, named)

    def vjp(self, *args: Any, **named: Any) -> Any:
        """The last argument `v`, nested like the value, times the Jacobian."""
        return self._call("vjp", args, named)

    def jacobian(self, *args: Any, **named: Any) -> Any:
        """The Jacobian; see `value_and_jacobian`."""
        return self.value_and_jacobian(*args, **named)[1]

    def hessian(self, *args: Any, **named: Any) -> Any:
        """The Hessian; see `value_grad_and_hessian`."""
        return self.value_grad_and_hessian(*args, **named)[2]

    def _call(self, name: str, args: Sequence[Any], named: dict[str, Any]) -> Any:
        """What a function returns, in the module or compiled for the occasion.

        Raises:
            DomainError: that is no finite number, and nothing else was asked for.
        """
        if name not in self.functions:
            return self._other(name)._call(name, args, named)
        function = self.functions[name]
        takes = self._takes[name]
        if named or len(args) != len(takes):
            args = _arguments([item.name for item in takes], args, named)
        args = [
            (
                x
                if x.__class__ is float
                else _floated(item.name, bool(item.elements[0].array), x)
            )
            for item, x in zip(takes, args)
        ]
        run = self._loaded.get(name) or self._load(name, function)
        if self.origin.outside != "raise":
            return run(*args)
        try:
            result = run(*args)
            if isfinite(_total(result)):
                return result
        except (ArithmeticError, ValueError) as error:
            self._explain(name, args, error)
            raise
        self._explain(name, args, None)
        return result

    def _explain(self, name: str, args: Sequence[Any], error: Exception | None) -> None:
        """Say which part of the formula has no finite value at a point.

        Raises:
            DomainError: it was found.
            ValueError: it was not run, for an array has another shape.
        """
        point = self._point(name, args)
        value = self.functions["value"]
        values = value.program.outputs[: max(numbers(value.layout)) + 1]
        for program, outputs in (
            (value.program, values),
            (self.functions[name].program, None),
        ):
            if failure := failing(program, point, outputs):
                if "source" in vars(self):
                    text, file = self.source, self._file()
                    linecache.cache[file] = len(text), None, text.splitlines(True), file
                raise _mistake(program, failure, point) from error

    def _point(self, name: str, args: Sequence[Any]) -> dict[str, float]:
        """The numbers of all arguments by their names.

        Raises:
            ValueError: an argument has another shape.
        """
        point: dict[str, float] = {}
        for item, given in zip(self._takes[name], args):
            names: Any = [element.name for element in item.elements]
            vector = self.functions[name].vector
            if item.elements[0].kind != "vector" or vector is None:
                _take(item.name, given, nest(names, item.shape), point)
            else:
                _take(item.name, given, filled(vector, names.__getitem__), point)
        return point

    def _load(self, name: str, function: Function) -> Callable[..., Any]:
        """A function of the module; a long one runs as its program for OFTEN calls."""
        plain = self.origin.outside == "raise" and "source" not in vars(self)
        if plain and not is_short(function.program):
            if name not in self._tapes:
                with collector_held():
                    self._tapes[name] = repeat(taped(function.program), OFTEN)
            for tape in self._tapes[name]:
                last = max(numbers(function.layout)) + 1
                return lambda *args: packed(
                    function,
                    function.layout,
                    tape(self._point(name, args))[:last],
                    self.origin.numpy,
                )
        # Part by part: CPython takes 2 kB a line to compile.
        space: dict[str, Any] = {"__name__": "gradc_formula"}
        file, start = self._file(), self.source.find('"""', 3) + 4
        line = self.source.count("\n", 0, start)
        with collector_held():
            for part in self.source[start:].split("\n\n\n"):
                exec(_compile("\n" * line + part, file, "exec"), space)
                line += part.count("\n") + 3
        self._loaded.update({name: space[name] for name in self.functions})
        return self._loaded[name]

    def _file(self) -> str:
        """What tracebacks call the module."""
        return f"<gradc formula {digest(self.source)[:8]}>"

    def _other(self, name: str) -> Compiled:
        """The same formula with a function that this module has not."""
        if name not in self._others:
            assert self._written is not None
            words = [w for w, emitted in EMITTED.items() if emitted.name == name]
            origin = replace(self.origin, emit=("value", *words))
            wrt = select(self._written, origin.wrt)
            self._others[name] = Compiled.of(self._written, wrt, origin)
        return self._others[name]

    # ---- what else there is to do with it

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the module to a file, whole or not at all.

        Raises:
            GradcError: the file is there and gradc did not write it, or it was edited
                since (`force` overwrites it); or its folder cannot be written.
        """
        write(path, self.source, force=force)

    def check(self, **options: Any) -> Any:
        """Compare the generated function with `Value` and with 50-digit arithmetic.

        Returns a report; see `gradc.checking.check.check`.
        """
        from gradc.checking.check import check

        _ = self.source  # what is checked is the text, however long it is
        return check(self, **options)


def _arguments(
    inputs: Sequence[str], args: Sequence[Any], named: dict[str, Any]
) -> Sequence[Any]:
    """The arguments in order, from those given in order and those by name."""
    takes = f"the inputs are {', '.join(inputs)}"
    if len(args) > len(inputs):
        raise TypeError(f"{len(args)} arguments for {len(inputs)}; {takes}")
    found = dict(zip(inputs, args))
    for name, given in named.items():
        if name not in inputs:
            raise TypeError(f"no input is called '{name}'; {takes}")
        if name in found:
            raise TypeError(f"'{name}' is given twice; {takes}")
        found[name] = given
    missing = [name for name in inputs if name not in found]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise TypeError(f"{', '.join(missing)} {verb} missing; {takes}")
    return [found[name] for name in inputs]


def _floated(name: str, nested: bool, given: Any) -> Any:
    """A number as a float, or an array of them; its shape is tested by the module."""
    if hasattr(given, "tolist"):
        given = given.tolist()
    if not nested and hasattr(given, "__len__"):
        return floats(name, given)[0]  # an error
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        if {*map(type, given)} == {float}:
            return given
        return [_floated(name, nested, item) for item in given]
    return given if hasattr(given, "__len__") else float(given)


def _total(result: Any) -> float:
    """The sum of all numbers of a result, a test of all that costs little."""
    if hasattr(result, "tolist"):
        result = result.tolist()
    return result if isinstance(result, float) else sum(map(_total, result))


def _take(name: str, given: Any, names: Any, point: dict[str, float]) -> None:
    """The numbers of an argument, which may be arrays side by side."""
    shape = shape_of(names)
    if shape is not None:
        point.update(zip(leaves(names), floats(name, given, *shape)))
    elif len(given) != len(names):
        raise ValueError(f"{name} has {len(names)} parts but was given {len(given)}")
    else:
        for k, part in enumerate(names):
            _take(f"{name}[{k}]", given[k], part, point)


def _mistake(program: Program, failure: Failure, point: dict[str, float]) -> Exception:
    """The error that a node has no finite value at a point."""
    span = program.spans[failure.node]
    found = inf if isinstance(failure.error, _ENDLESS) else nan
    if failure.error is None:
        found = failure.value
    is_derivative = isinstance(span, Adjoint)
    return outside_domain(program.source, span, found, point, is_derivative)


def interface_of(program: Program, wrt: Sequence[str], origin: Origin) -> Interface:
    """How the functions of a formula take and return what they do."""
    if origin.flat:
        program, wrt = flattened(program, wrt)
    return Interface(program, wrt, origin.flat or origin.numpy, origin.sparse)


def select(program: Program, wrt: Sequence[str] | None) -> tuple[str, ...]:
    """The inputs to differentiate by.

    Raises:
        GradcError: a name that is no input, is data, or stands twice.
    """
    arguments = grouped(program.inputs)
    if wrt is None:
        return tuple(i.name for i in arguments if i.elements[0].kind == "input")
    kinds = {item.name: item.elements[0].kind for item in arguments}
    wrt = [normalize("NFC", name) for name in wrt]
    for k, name in enumerate(wrt):
        if name not in kinds:
            inputs = listed(list(kinds))
            names: dict[str, Any] = {"name": name, "inputs": inputs}
            raise mistake("unknown_wrt", program.source, near=list(kinds), **names)
        if kinds[name] == "data":
            raise mistake("wrt_is_data", program.source, name=name)
        if name in wrt[:k]:
            raise mistake("wrt_twice", program.source, name=name)
    return tuple(wrt)
