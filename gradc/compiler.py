"""The compiler: from a formula's text to a module, and to functions one can call.

>>> f = compile("x * tanh(y)")
>>> f.value_and_grad(2.0, 0.0)
(0.0, (0.0, 2.0))
"""

from __future__ import annotations

import os
import re
from builtins import compile as _compile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isfinite, prod
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from gradc.arrays import flatten, leaves, nest
from gradc.collector import collector_held
from gradc.errors import (
    constant_undefined,
    unknown_wrt,
    wrt_is_data,
    wrt_twice,
)
from gradc.files import read_text, write
from gradc.guards import ALWAYS, Guards, place
from gradc.ir import Program, elements, grouped
from gradc.lower import MAX_OPS, lower
from gradc.ops import OPS, Table
from gradc.parse import parse
from gradc.passes.cancel import cancel
from gradc.passes.derive import derive
from gradc.passes.expand import expand
from gradc.passes.gather import gather
from gradc.passes.merge import merge
from gradc.passes.negate import negate
from gradc.passes.resolve import resolve
from gradc.passes.share import share
from gradc.passes.stabilise import stabilise
from gradc.source import Source
from gradc.syntax import Declaration, Syntax
from gradc.targets.python import Origin, digest, fixed, module

if TYPE_CHECKING:
    from gradc.tape import Recording
    from gradc.value import Value

SHORT = 100_000  # characters of a module that is compiled as a whole
_NAME = re.compile(r"def _?(value(?:_and_grad)?)(?:_\d+_*)?\(")
_CAREFUL = re.compile("_*careful_value(_and_grad)?")


class Compiled:
    """A compiled formula: call it for the value.

    Attributes:
        inputs: the names of all arguments, in order, as the source spells them.
        wrt: the names that get a derivative, in order.
        source: the text of the module that `gradc compile` writes.
        program: the program that the module computes; its repr is a listing.
        recording: what it was recorded from, None for a formula.
        notes: remarks on the formula, such as that `e` was taken for Euler's number.

    All methods take the arguments in order or by name; a wrong number of them or an
    unknown name is a TypeError. Compiled formulas can be pickled and copied.
    """

    def __init__(
        self,
        source: str,
        program: Program,
        wrt: tuple[str, ...],
        *,
        written: Program | None = None,
        strict: bool = False,
        ieee: bool = False,
        recording: Recording | None = None,
    ) -> None:
        self.source = source
        self.ieee = ieee
        self._strict = strict
        self._written = written
        self.program = program
        self.recording = recording
        self.inputs = tuple(item.name for item in grouped(program.inputs))
        self.wrt = wrt
        self.notes = program.notes

    @cached_property
    def _value(self) -> Callable[..., Any]:
        return self._load("value")

    @cached_property
    def _value_and_grad(self) -> Callable[..., Any]:
        return self._load("value_and_grad")

    def _load(self, name: str) -> Callable[..., Any]:
        """Run the module; of a long one only what a function of it needs."""
        # A loader in the namespace lets tracebacks show the lines of the module.
        namespace: dict[str, Any] = {
            "__name__": "gradc_formula",
            "__loader__": _Loader(self.source),
        }
        file = f"gradc formula {digest(self.source)[:8]}.py"
        with collector_held():
            for part in _parts(self.source, name):
                exec(_compile(part, file, "exec"), namespace)
        found: Callable[..., Any] = namespace[name]
        for careful in filter(_CAREFUL.fullmatch, found.__code__.co_names):
            namespace[careful] = _raise_again  # `careful` knows better what to do
        return found

    def __getstate__(self) -> dict[str, Any]:
        dropped = ("_value", "_value_and_grad", "_total", "_plain")
        return {k: v for k, v in self.__dict__.items() if k not in dropped}

    def __repr__(self) -> str:
        return f"<gradc formula of {', '.join(self.inputs)}>"

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The value at a point."""
        if named or len(args) != len(self.inputs):
            args = self._arguments(args, named)
        try:
            value = self._value(*args)
            if isfinite(value):
                return value
        except (ArithmeticError, ValueError):
            pass
        from gradc import careful  # rarely needed

        return careful.value(self._plain, self._flat(args), self.ieee)

    def value_and_grad(self, *args: Any, **named: Any) -> tuple[Any, tuple[Any, ...]]:
        """The value, and the derivatives by `wrt` in order."""
        if named or len(args) != len(self.inputs):
            args = self._arguments(args, named)
        try:
            result: tuple[Any, tuple[Any, ...]] = self._value_and_grad(*args)
            if isfinite(self._total(result)):
                return result
        except (ArithmeticError, ValueError):
            pass
        from gradc import careful  # rarely needed

        value = self(*args)
        slopes = careful.gradient(self._plain, self._flat(args), self.ieee)
        return value, self._nested(slopes)

    @cached_property
    def _total(self) -> Callable[[tuple[Any, tuple[Any, ...]]], float]:
        """The sum of a value and its derivatives, a test that costs little."""
        if not any(item.shape for item in grouped(self.program.inputs)):
            return lambda result: sum(result[1], result[0])
        return lambda result: sum(leaves(result[1]), result[0])

    def _flat(self, args: Sequence[Any]) -> list[Any]:
        """The elements of all arguments."""
        found: list[Any] = []
        for item, given in zip(grouped(self.program.inputs), args):
            shape, elements = flatten(given)
            if shape != item.shape:
                raise ValueError(f"{item.name} has shape {shape}, not {item.shape}")
            found += elements
        return found

    def _nested(self, slopes: Sequence[Any]) -> tuple[Any, ...]:
        """The derivatives in the nesting of the arguments."""
        shapes = {item.name: item.shape for item in grouped(self.program.inputs)}
        rest, found = iter(slopes), []
        for name in self.wrt:
            own = [next(rest) for _ in range(prod(shapes[name]))]
            found.append(nest(own, shapes[name], tuple))
        return tuple(found)

    @cached_property
    def _plain(self) -> Program:
        """The derived program before it is made fast."""
        if self._written is None:
            return self.program
        program = self._written
        wrt = elements(self.program, self.wrt)
        for name, run in passes(wrt, self._strict):
            program = run(program)
            if name == "derive":
                break
        return program

    def grad(self, *args: Any, **named: Any) -> tuple[Any, ...]:
        """The derivatives by `wrt`, in order."""
        return self.value_and_grad(*args, **named)[1]

    def _arguments(
        self, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[Any, ...]:
        """The arguments in order, from those given in order and those by name."""
        takes = f"the inputs are {', '.join(self.inputs)}"
        if len(args) > len(self.inputs):
            raise TypeError(f"{len(args)} arguments for {len(self.inputs)}; {takes}")
        found = dict(zip(self.inputs, args))
        for name, given in named.items():
            if name not in self.inputs:
                raise TypeError(f"no input is called '{name}'; {takes}")
            if name in found:
                raise TypeError(f"'{name}' is given twice; {takes}")
            found[name] = given
        missing = [name for name in self.inputs if name not in found]
        if missing:
            raise TypeError(f"{', '.join(missing)} is missing; {takes}")
        return tuple(found[name] for name in self.inputs)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the module to a file, whole or not at all.

        Raises:
            GradcError: the file is there and gradc did not write it, or it was edited
                since (`force` overwrites it); or its folder cannot be written.
        """
        write(path, self.source, force=force)

    def check(self, **options: Any) -> Any:
        """Compare the generated function with `Value` and with 50-digit arithmetic.

        Returns a report; see `gradc.check.check`.
        """
        from gradc.check import check

        return check(self, **options)


def _raise_again(*args: float) -> None:
    """Let the exception go on that a module has caught."""
    raise


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
    start = text.index("\n\n\ndef value(") + 3
    yield text[:start]
    line = text.count("\n", 0, start)
    while start < len(text):
        end = text.find("\n\n\n", start)
        end = len(text) if end < 0 else end
        found = _NAME.match(text, start)
        if found and found[1] == name:
            yield "\n" * line + text[start:end]
        line += text.count("\n", start, end) + 3
        start = end + 3


def compile(
    source: str | Value,
    *,
    inputs: Sequence[str] | Mapping[str, Any] | None = None,
    wrt: Sequence[str] | None = None,
    strict: bool = False,
    max_ops: int = MAX_OPS,
    filename: str | None = None,
    ops: Table = OPS,
    ieee: bool = False,
    check: bool = False,
) -> Compiled:
    """Compile the text of a formula, or the graph below a `Value`.

    Arguments:
        source: the formula, in the language of `grammar/expression.lark`; or a Value.
        inputs: acts as an `input` line: declares the arguments and their order. Of a
            graph they are the Values themselves, in nested lists, by name; all else
            that it was built from is constant, also the numbers and the branches that
            the program took from `.data`, which nothing in a graph shows.
        wrt: the inputs to differentiate by; by default all but `data`.
        strict: the value is bit for bit that of the formula as written.
        max_ops: how many operations the formula may have, with all calls written out.
        filename: the name of the source in messages.
        ops: the table of operations, `OPS` or one made by `OPS.define`.
        ieee: return infinities and NaN instead of raising `DomainError`.
        check: compare the result with `Value` at sampled points before returning.

    Raises:
        GradcError: the formula is at fault; the message shows the place. With `check`
            also if the generated function is wrong.
    """
    if not isinstance(source, str):
        from gradc.tracing import from_graph

        options = {"wrt": wrt, "strict": strict, "max_ops": max_ops, "check": check}
        return from_graph(source, inputs, options)
    listed = None if inputs is None else list(inputs)
    with collector_held():
        text = Source.read(source, "<formula>" if filename is None else filename)
        syntax = parse(text)
        program = lower(syntax, ops, inputs=listed, max_ops=max_ops)
        names = select(program, wrt)
        origin = Origin(
            formula=declared(syntax, listed),
            wrt=None if wrt is None else names,
            strict=strict,
            ieee=ieee,
        )
        del syntax  # large formulas need the room
        compiled = assemble(program, names, origin, ieee=ieee)
    if check:
        report = compiled.check()
        report.require()
        compiled.notes += tuple(report.notes)
    return compiled


def assemble(
    program: Program,
    wrt: tuple[str, ...],
    origin: Origin,
    *,
    ieee: bool = False,
    recording: Recording | None = None,
) -> Compiled:
    """Differentiate a program by some of its arguments, print it and load it."""
    require_constants(program)
    fast = derived(program, elements(program, wrt), origin.strict)
    return Compiled(
        module(fast, wrt, origin),
        fast,
        wrt,
        written=program,
        strict=origin.strict,
        ieee=ieee,
        recording=recording,
    )


def compile_file(path: str | os.PathLike[str], **options: Any) -> Compiled:
    """Compile a formula file; the options are those of `compile`.

    Raises:
        GradcError: the file cannot be read, or the formula is at fault.
    """
    name = os.fspath(path)
    options.setdefault("filename", name)
    return compile(read_text(name), **options)


def require_constants(program: Program) -> None:
    """Refuse a constant without a value, if every call would ask for it.

    Raises:
        GradcError: such as for `x + log(-1)`; in a branch it may stand.
    """
    _, broken = fixed(program)
    placed = place(program, Guards(program)) if broken else []
    for i in broken:
        if placed[i] == ALWAYS:
            raise constant_undefined(program.source, program.spans[i] or (0, 0))


def derived(program: Program, wrt: Sequence[str], strict: bool) -> Program:
    """Run the passes between the formula and the printer."""
    for name, run in passes(wrt, strict):
        program = run(program)
    return program


def passes(
    wrt: Sequence[str], strict: bool
) -> list[tuple[str, Callable[[Program], Program]]]:
    """The passes in their order, each with the name that `gradc show` takes."""
    found: list[tuple[str, Callable[[Program], Program]]] = [
        ("derive", lambda program: derive(program, wrt)),
    ]
    if not strict:
        first = [("stabilise", stabilise), ("resolve", resolve)]
        found = [*first, *found, ("cancel", cancel), ("merge", merge)]
    found.append(("expand", expand))
    if not strict:
        found += [("gather", gather), ("share", share), ("negate", negate)]
    return found


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


def declared(syntax: Syntax, inputs: Sequence[str] | None) -> str:
    """The formula with the caller's list of inputs as a line of its own."""
    text = syntax.source.text
    if inputs is None or any(isinstance(s, Declaration) for s in syntax.statements):
        return text
    return f"input {', '.join(inputs)}\n{text}"
