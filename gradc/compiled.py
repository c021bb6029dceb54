"""A compiled formula: its functions, loaded from the text of its module."""

from __future__ import annotations

import gc
import linecache
import os
from builtins import compile as _compile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial, wraps
from itertools import repeat
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from unicodedata import normalize

from gradc.arrays import leaves
from gradc.errors import listed, mistake, outside_domain
from gradc.files import write
from gradc.functions import EMITTED, Interface, chosen, filled, shape_of
from gradc.ir import Adjoint, Program, grouped
from gradc.pipeline import functions
from gradc.run import evaluate, failing
from gradc.special import floats
from gradc.targets.module import module
from gradc.targets.origin import Origin, digest

if TYPE_CHECKING:
    from gradc.record import Recording

P = ParamSpec("P")
T = TypeVar("T")

LONG = 8_000  # nodes of a program that takes more than a moment to print and to load
OFTEN = 10  # calls of a long function that take as much as that
_LOADED = "_loaded", "_others", "_tapes"
_ENDLESS = OverflowError, ZeroDivisionError


def uncollected(function: Callable[P, T]) -> Callable[P, T]:
    """Hold the garbage collector off: nothing that is made here refers to itself."""

    @wraps(function)
    def held(*args: P.args, **named: P.kwargs) -> T:
        was_on = gc.isenabled()
        gc.disable()
        try:
            return function(*args, **named)
        finally:
            if was_on:
                gc.enable()

    return held


class Compiled:
    """A compiled formula: call it for the value.

    Attributes:
        inputs: the names of all arguments, in order, as the source spells them.
        wrt: the names that get a derivative, in order.
        source: the text of the module that `gradc compile` writes.
        functions: the functions in it; a method for another one compiles it when called.
        program: the program of the first functions; its repr is a listing.
        formula: the program before any pass, its inputs as they were declared.
        recording: what it was recorded from, None for a formula.
        notes: remarks on the formula, such as that `e` was taken for Euler's number.

    All methods take the arguments in order or by name; a wrong number of them or an
    unknown name is a TypeError. They make floats of all numbers, and return floats.
    Where the formula has no finite value, or no derivative, they raise DomainError,
    unless it was compiled with `outside`. Compiled formulas can be pickled and copied.

    Raises:
        GradcError: conditions that wait for each other, too many to take apart.
    """

    def __init__(
        self,
        formula: Program,
        wrt: Sequence[str],
        origin: Origin,
        recording: Recording | None = None,
    ) -> None:
        self.formula, self.origin, self.recording = formula, origin, recording
        shape = {"flat": origin.flat, "numpy": origin.numpy, "sparse": origin.sparse}
        interface = Interface(formula, wrt, **shape)
        emit = chosen(formula, origin.emit)
        made = functions(interface, emit, origin.strict)
        self.functions = {function.name: function for function in made}
        self.program = made[0].program
        self.inputs = tuple(item.name for item in grouped(self.program.inputs))
        self.wrt = tuple(item.name for item in interface.wrt)
        self.notes = self.program.notes
        self._loaded: dict[str, Callable[..., Any]] = {}
        self._tapes: dict[str, Iterator[Callable[..., Any]]] = {}
        self._others: dict[str, Compiled] = {}
        self._takes = {function.name: [*function.arguments()] for function in made}
        if all(len(function.program.nodes) <= LONG for function in made):
            _ = self.source

    @cached_property
    @uncollected
    def source(self) -> str:
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
        takes = self._takes[name]
        if named or len(args) != len(takes):
            args = _arguments([item.name for item, _ in takes], args, named)
        pairs = zip(takes, args)
        args = [
            x if x.__class__ is float else _floated(item.name, x, nested)
            for (item, nested), x in pairs
        ]
        run = self._loaded.get(name) or self._load(name)
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
        point, value = self._point(name, args), self.functions["value"]
        values = value.program.outputs[: max(leaves(value.layout)) + 1]
        pairs = (value.program, values), (self.functions[name].program, None)
        for program, outputs in pairs:
            if failure := failing(program, point, outputs):
                if "source" in vars(self):
                    text, file = self.source, self._file()
                    linecache.cache[file] = len(text), None, text.splitlines(True), file
                span, found = program.spans[failure.node], failure.value
                if isinstance(failure.error, _ENDLESS):
                    found = inf
                of_slope = isinstance(span, Adjoint)
                formula = program.source
                raise outside_domain(formula, span, found, point, of_slope) from error

    def _point(self, name: str, args: Sequence[Any]) -> dict[str, float]:
        """The numbers of all arguments by their names.

        Raises:
            ValueError: an argument has another shape.
        """
        point: dict[str, float] = {}
        for (item, nested), given in zip(self._takes[name], args):
            point.update(_numbers(item.name, given, nested))
        return point

    @uncollected
    def _load(self, name: str) -> Callable[..., Any]:
        """A function of the module; a long one runs as its program for OFTEN calls."""
        function, origin = self.functions[name], self.origin
        plain = origin.outside == "raise" and not origin.numpy
        if plain and "source" not in vars(self):
            if name not in self._tapes:
                self._tapes[name] = repeat(partial(evaluate, function.program), OFTEN)
            for tape in self._tapes[name]:
                return lambda *args: filled(
                    function.layout,
                    [*tape(self._point(name, args)), 0.0].__getitem__,
                    tuple,
                )
        space: dict[str, Any] = {"__name__": "gradc_formula"}
        exec(_compile(self.source, self._file(), "exec"), space)
        self._loaded.update({name: space[name] for name in self.functions})
        return self._loaded[name]

    def _file(self) -> str:
        """What tracebacks call the module."""
        return f"<gradc formula {digest(self.source)[:8]}>"

    def _other(self, name: str) -> Compiled:
        """The same formula with a function that this module has not."""
        if name not in self._others:
            words = [word for word, emitted in EMITTED.items() if emitted.name == name]
            origin = replace(self.origin, emit=("value", *words))
            wrt = select(self.formula, origin.wrt)
            self._others[name] = Compiled(self.formula, wrt, origin)
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
    if sorted([*inputs[: len(args)], *named]) != sorted(inputs):
        given = f"{len(args)} given in order and {', '.join(named) or 'none'} by name"
        raise TypeError(f"the inputs are {', '.join(inputs)}, but {given}")
    found = {**dict(zip(inputs, args)), **named}
    return [found[name] for name in inputs]


def _floated(name: str, given: Any, nested: Any) -> Any:
    """A number as a float; an array as it is, for the module makes floats of it."""
    shape = shape_of(nested)
    if shape is None:  # arrays and numbers side by side
        parts = zip(given, nested, strict=True)
        return [_floated(f"{name}[{k}]", *part) for k, part in enumerate(parts)]
    return given if shape else floats(name, given)[0]


def _numbers(name: str, given: Any, nested: Any) -> dict[str, float]:
    """The numbers of an argument by their names, which stand nested like them."""
    shape = shape_of(nested)
    if shape is not None:
        return dict(zip(leaves(nested), floats(name, given, *shape)))
    found: dict[str, float] = {}
    for k, part in enumerate(zip(given, nested, strict=True)):
        found |= _numbers(f"{name}[{k}]", *part)
    return found


def _total(result: Any) -> float:
    """The sum of all numbers of a result, a test of all that costs little."""
    if hasattr(result, "tolist"):
        result = result.tolist()
    return result if isinstance(result, float) else sum(map(_total, result))


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
            known, inputs = list(kinds), listed(list(kinds))
            source = program.source
            raise mistake("unknown_wrt", source, near=known, name=name, inputs=inputs)
        if kinds[name] == "data":
            raise mistake("wrt_is_data", program.source, name=name)
        if name in wrt[:k]:
            raise mistake("wrt_twice", program.source, name=name)
    return tuple(wrt)
