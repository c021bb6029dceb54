"""A compiled formula: its functions, loaded from the text of its module."""

from __future__ import annotations

import os
import re
from builtins import compile as _compile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from gradc.arrays import leaves
from gradc.collector import collector_held
from gradc.emit import EMITTED, chosen
from gradc.errors import DomainError, unknown_wrt, wrt_is_data, wrt_twice
from gradc.evaluate import located, walk
from gradc.files import write
from gradc.functions import (
    Function,
    Interface,
    flattened,
    is_long,
    is_short,
    numbers,
    packed,
    parts_of,
    shape_of,
)
from gradc.given import are_floats, elements, parts
from gradc.ir import Program, grouped
from gradc.pipeline import functions
from gradc.targets.pages import Pages
from gradc.targets.python import Origin, alone, digest, module, paged

if TYPE_CHECKING:
    from gradc.engine.tape import Recording

SHORT = 100_000  # characters of a module that is compiled as a whole
OFTEN = 25  # calls of a long function that take what it takes to print and to load it
_NAMES = "|".join(emitted.name for emitted in EMITTED.values())
_NAME = re.compile(rf"def _*({_NAMES})(?:_\d+_*)?\(")
_FIRST = re.compile(rf"\n\n\n(?=def _*({_NAMES})\()")
_LOADED = (
    "_value",
    "_value_and_grad",
    "_total",
    "_loaded",
    "_others",
    "_pages",
)


class Compiled:
    """A compiled formula: call it for the value.

    Attributes:
        inputs: the names of all arguments, in order, as the source spells them.
        wrt: the names that get a derivative, in order.
        source: the text of the module that `gradc compile` writes, printed when asked
            for.
        functions: the functions in it; a method for another one compiles it when called.
        program: the program of the first functions; its repr is a listing.
        recording: what it was recorded from, None for a formula.
        notes: remarks on the formula, such as that `e` was taken for Euler's number.

    All methods take the arguments in order or by name; a wrong number of them or an
    unknown name is a TypeError. Compiled formulas can be pickled and copied.
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

    @classmethod
    def of(
        cls,
        program: Program,
        wrt: Sequence[str],
        origin: Origin,
        recording: Recording | None = None,
    ) -> Compiled:
        """Differentiate a program by some of its arguments, ready to be printed."""
        interface = interface_of(program, wrt, origin)
        emit = chosen(program, origin.emit)
        found = functions(interface, emit, origin.strict)
        names = tuple(item.name for item in interface.wrt)
        compiled = cls(None, found, names, origin, written=program, recording=recording)
        compiled._pages = paged(found)
        return compiled

    @property
    def formula(self) -> Program:
        """The formula before any pass, its inputs as they were declared."""
        return self.program if self._written is None else self._written

    @cached_property
    def source(self) -> str:
        with collector_held():
            return module(self._taken(), self.wrt, self.origin)

    def _taken(self) -> list[Pages]:
        """The pages, which take much room and are not kept."""
        pages = self._pages
        del self._pages
        return pages

    @cached_property
    def _pages(self) -> list[Pages]:
        return paged([*self.functions.values()])

    def _text(self, name: str) -> str:
        """What a function is loaded from: unless the module is short only itself."""
        short = all(is_short(f.program) for f in self.functions.values())
        if short or "source" in vars(self):
            return self.source
        return alone(self._taken(), self.wrt, self.origin, name)

    @cached_property
    def _value(self) -> Callable[..., Any]:
        return self._load("value")

    @cached_property
    def _value_and_grad(self) -> Callable[..., Any]:
        return self._load("value_and_grad")

    def _load(self, name: str) -> Callable[..., Any]:
        """A function as it is called."""
        if name not in self.functions:
            return self._other(name)._load(name)
        is_patient = is_long(self.functions[name].program)
        return self._patient(name) if is_patient else self._run(name)

    def _run(self, name: str) -> Callable[..., Any]:
        """Run the module; unless it is short only what a function of it needs."""
        with collector_held():
            text = self._text(name)
        # A loader in the namespace lets tracebacks show the lines of the module.
        namespace: dict[str, Any] = {
            "__name__": "gradc_formula",
            "__loader__": _Loader(text),
        }
        file = f"gradc formula {digest(text)[:8]}.py"
        with collector_held():
            for part in _parts(text, name):
                exec(_compile(part, file, "exec"), namespace)
        found: Callable[..., Any] = namespace[name]
        return found

    def _patient(self, name: str) -> Callable[..., Any]:
        """A function that runs over the nodes of its program until it is called OFTEN.

        Or until the text of the module has been asked for.
        """
        function, calls = self.functions[name], 0
        program = function.program
        outputs = program.outputs[: max(numbers(function.layout)) + 1]
        loaded: Callable[..., Any] | None = None

        def run(*args: Any) -> Any:
            nonlocal calls, loaded
            calls += 1
            if loaded is None and calls < OFTEN and "source" not in vars(self):
                found = walk(program, self._flat(function, args), outputs)
                return packed(function, found, self.origin.numpy)
            loaded = loaded or self._run(name)
            return loaded(*args)

        return run

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in _LOADED}

    def __repr__(self) -> str:
        return f"<gradc formula of {', '.join(self.inputs)}>"

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The value at a point."""
        if named or len(args) != len(self.inputs):
            args = self._arguments(args, named)
        if self._is_bare and not are_floats((0.0, *args)):
            args = self._flat(self.functions["value"], args)
        try:
            value = self._value(*args)
            if isfinite(value) if type(value) is float else _is_finite(value):
                return value
        except (ArithmeticError, ValueError):
            pass
        return self._carefully("value", args)

    def value_and_grad(self, *args: Any, **named: Any) -> tuple[Any, tuple[Any, ...]]:
        """The value, and the derivatives by `wrt` in order."""
        if named or len(args) != len(self.inputs):
            args = self._arguments(args, named)
        if self._is_bare and not are_floats((0.0, *args)):
            args = self._flat(self.functions["value"], args)
        both = self._value_and_grad  # which may have to be compiled
        try:
            result: tuple[Any, tuple[Any, ...]] = both(*args)
            if isfinite(self._total(result)):
                return result
        except (ArithmeticError, ValueError):
            pass
        result = self._carefully("value_and_grad", args)
        return result

    @cached_property
    def _total(self) -> Callable[[tuple[Any, tuple[Any, ...]]], float]:
        """The sum of a value and its derivatives, a test that costs little."""
        nested = any(item.shape for item in grouped(self.program.inputs))
        if not nested and not self.origin.numpy:
            return lambda result: sum(result[1], result[0])
        return lambda result: sum(map(float, leaves(result[1])), result[0])

    def value_and_jacobian(self, *args: Any, **named: Any) -> Any:
        """The value and the Jacobian: a row for each result, a column for each input."""
        return self._result("value_and_jacobian", args, named)

    def value_grad_and_hessian(self, *args: Any, **named: Any) -> Any:
        """The value, the gradient, and the Hessian by `wrt`."""
        return self._result("value_grad_and_hessian", args, named)

    def hvp(self, *args: Any, **named: Any) -> Any:
        """The Hessian times the last argument `v`, both nested like the gradient."""
        return self._result("hvp", args, named)

    def jvp(self, *args: Any, **named: Any) -> Any:
        """The Jacobian times the last argument `v`, which is nested like the gradient."""
        return self._result("jvp", args, named)

    def vjp(self, *args: Any, **named: Any) -> Any:
        """The last argument `v`, nested like the value, times the Jacobian."""
        return self._result("vjp", args, named)

    def jacobian(self, *args: Any, **named: Any) -> Any:
        """The Jacobian; see `value_and_jacobian`."""
        return self.value_and_jacobian(*args, **named)[1]

    def hessian(self, *args: Any, **named: Any) -> Any:
        """The Hessian; see `value_grad_and_hessian`."""
        return self.value_grad_and_hessian(*args, **named)[2]

    def _result(self, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What a function returns, in the module or compiled for the occasion."""
        if name not in self.functions:
            return self._other(name)._result(name, args, named)
        function = self.functions[name]
        inputs = grouped(function.program.inputs)
        if named or len(args) != len(inputs):
            args = self._arguments(args, named, [item.name for item in inputs])
        if self._is_bare and _takes_numbers(function) and not are_floats((0.0, *args)):
            args = self._flat(function, args)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        try:
            result = self._loaded[name](*args)
            if _is_finite(result):
                return result
        except (ArithmeticError, ValueError):
            pass
        return self._carefully(name, args)

    @cached_property
    def _loaded(self) -> dict[str, Callable[..., Any]]:
        return {}

    @cached_property
    def _others(self) -> dict[str, Compiled]:
        return {}

    def _other(self, name: str) -> Compiled:
        """The same formula with a function that this module has not."""
        if name not in self._others:
            assert self._written is not None
            words = [w for w, emitted in EMITTED.items() if emitted.name == name]
            origin = replace(self.origin, emit=tuple(words))
            wrt = select(self._written, origin.wrt)
            self._others[name] = Compiled.of(self._written, wrt, origin)
        return self._others[name]

    def _carefully(self, name: str, args: Sequence[Any]) -> Any:
        """Raise the error of a point at which the formula has no value."""
        function = self.functions[name]
        program, point = function.program, self._flat(function, args)
        outputs = program.outputs[: max(numbers(function.layout)) + 1]
        error = located(program, point, outputs)
        raise error or DomainError(
            "the formula has no finite value here", program.source, None
        )

    @cached_property
    def _is_bare(self) -> bool:
        """Whether the module leaves it to Python what its arguments are."""
        return _takes_numbers(self.functions["value"]) and not self.origin.numpy

    def _flat(self, function: Function, args: Sequence[Any]) -> tuple[float, ...]:
        """The elements of all arguments.

        Raises:
            ValueError: an argument has another shape.
            TypeError: something in it is no number.
        """
        found: list[float] = []
        for item, given in zip(grouped(function.program.inputs), args):
            layout = function.vector if item.elements[0].kind == "vector" else None
            shape = item.shape if layout is None else shape_of(layout)
            if shape is not None:
                found += elements(item.name, given, shape)
            elif layout is not None and not isinstance(layout, int):
                found += parts(item.name, given, parts_of(layout))
        return tuple(found)

    def grad(self, *args: Any, **named: Any) -> tuple[Any, ...]:
        """The derivatives by `wrt`, in order."""
        return self.value_and_grad(*args, **named)[1]

    def _arguments(
        self,
        args: tuple[Any, ...],
        named: dict[str, Any],
        inputs: Sequence[str] | None = None,
    ) -> tuple[Any, ...]:
        """The arguments in order, from those given in order and those by name."""
        inputs = self.inputs if inputs is None else inputs
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
        return tuple(found[name] for name in inputs)

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


def _takes_numbers(function: Function) -> bool:
    """Whether no argument is an array."""
    return not any(item.array for item in function.program.inputs)


def _is_finite(result: Any) -> bool:
    """Whether all numbers that a function returned are finite."""
    return isfinite(sum(map(float, leaves(result))))


class _Loader:
    """Hands the text of a module to tracebacks and debuggers."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, name: str) -> str:
        return self._text


def _parts(text: str, name: str) -> Iterator[str]:
    """A module, cut before its functions if it is long; `name` is the one to keep.

    CPython takes 2 kB a line to compile. Empty lines keep the numbers of the lines.
    """
    if len(text) < SHORT:
        yield text
        return
    first = _FIRST.search(text)
    start = first.end() if first is not None else len(text)
    yield text[:start]
    line = text.count("\n", 0, start)
    while start < len(text):
        end = text.find("\n\n\n", start)
        end = len(text) if end < 0 else end
        found = _NAME.match(text, start)
        if text.startswith("def ", start) and (not found or found[1] == name):
            yield "\n" * line + text[start:end]
        line += text.count("\n", start, end) + 3
        start = end + 3


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
            raise unknown_wrt(program.source, name, list(kinds))
        if kinds[name] == "data":
            raise wrt_is_data(program.source, name)
        if name in wrt[:k]:
            raise wrt_twice(program.source, name)
    return tuple(wrt)
