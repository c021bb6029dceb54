"""The compiler: from a formula's text to a module, and to functions one can call.

>>> compile("x * tanh(y)").value_and_grad(2.0, 0.0)
(0.0, (0.0, 2.0))
"""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from builtins import compile as load
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from inspect import Parameter, Signature
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gradc.analysis.guards import ALWAYS, Guards, place
from gradc.arrays import Shape, leaves, nest, shape_of
from gradc.errors import DomainError, GradcError, Source, listed, mistake
from gradc.errors import point_text, visible
from gradc.files import FilePath, read_text, write
from gradc.functions import DOCS, EMITTED, Function, Interface, chosen, filled
from gradc.functions import Number, free, functions, numbers, words
from gradc.ir import Adjoint, Program, elements, grouped, trimmed
from gradc.language.limits import MAX_OPS
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.language.syntax import Declaration
from gradc.ops import OPS, Table
from gradc.passes.slopes import slopes
from gradc.run import FLOATS, Run, evaluate, run
from gradc.special import floats, number
from gradc.targets.columns import Told
from gradc.targets.module import Module
from gradc.targets.names import RESERVED, fixed
from gradc.targets.origin import CERTAIN, OUTSIDE, UNSURE, Origin

if TYPE_CHECKING:
    from gradc.checking.certified import Certified
    from gradc.record import Recording
    from gradc.value import Value


T = TypeVar("T")
Named = dict[str, Any]  # arguments by name
# What is certified, the first of these that there is.
CERTIFIED = [EMITTED[w] for w in ("hessian", "jacobian", "gradient", "error", "value")]
TARGETS = "python", "c", "h", "js"
SUFFIXES = {".py": "python", ".c": "c", ".h": "h", ".js": "js", ".mjs": "js"}
SUFFIXES |= dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp"), "C++")
SUFFIXES |= dict.fromkeys((".ts", ".mts", ".cts", ".tsx"), "TypeScript")
SUFFIXES |= {".cjs": "CommonJS", ".jsx": "JSX"}
SETTLED = 8_960  # bits after which what raised raises; what is 0 in half is 0
LONG, OFTEN = 8_000, 10  # nodes of a program that runs as such for as many calls


def compile(
    source: str | Value | Sequence[Any] | Recording,
    *,
    inputs: Sequence[str] | Mapping[str, Any] | None = None,
    wrt: Sequence[str] | None = None,
    strict: bool = False,
    max_ops: int = MAX_OPS,
    filename: str = "<formula>",
    ops: Table = OPS,
    outside: str = "raise",
    check: bool = False,
    emit: Sequence[str] | str | None = None,
    sparse: bool = False,
    flat: bool = False,
    numpy: bool = False,
    bare: bool = False,
    columns: Sequence[str] | str = (),
    half_angle: bool = False,
    native: bool = False,
) -> Compiled:
    """Compile the text of a formula, or the graph below a `Value` or several.

    Of a graph, nested lists or a tuple of Values, `inputs` are the Values that are the
    arguments, by name; all else is constant. `gradc help library` tells of the options.

    Raises:
        GradcError: the formula is at fault; the message shows the place. With `check`
            also if the generated function is wrong.
    """
    if outside not in OUTSIDE:
        raise ValueError(f"outside is one of {', '.join(OUTSIDE)}, not {outside!r}")
    with uncollected():
        own = tuple(words(columns))
        sizes = {"max_ops": max_ops, "columns": own}
        program, recording, formula = read(source, inputs, filename, ops, **sizes)
        for name in program.operations - {"const", "input"}:
            FLOATS.compute(program.ops[name])  # says which library is missing
        require_constants(program)
        given = None if wrt is None else select(program, wrt)
        emitted = None if emit is None else chosen(program, emit)
        title = recording.title if recording else ""
        shape = (sparse, flat, numpy, bare, own, half_angle, native)
        origin = Origin(formula, given, strict, outside, emitted, *shape, title)
        require_options(program, origin)
        compiled = Compiled(program, origin, recording)
    if check:
        (report := compiled.check()).require()
        compiled.notes += tuple(report.notes)
    return compiled


def trace(
    function: Callable[..., Any], options: Mapping[str, Any] = {}, /, **inputs: Any
) -> Compiled:
    """Compile a Python function of numbers, by recording what it does.

    Arguments:
        function: takes the inputs by name and returns a number, nested lists or an
            array of numbers, or a tuple of such results (a named one gives them names).
        options: those of `compile` by name, but for `inputs`, `filename` and `ops`.
        inputs: each given by its shape (`w=(8, 2)`, `c=()`) or by an example: a number,
            lists, or a NumPy array. Lists arrive as lists, an array as an array.

    Raises:
        GradcError: something in the function could freeze a value silently, an input
            has no effect, or the recording is too large. The message shows the line.
    """
    from gradc.record import record

    if not isinstance(options, Mapping):
        raise mistake("trace_kind")
    options = dict(options)
    with uncollected():
        recording = record(function, inputs, options.pop("max_ops", MAX_OPS))
    return compile(recording, **options)


def read(
    source: Any, inputs: Any, filename: str, ops: Table, **sizes: Any
) -> tuple[Program, Recording | None, str]:
    """A formula before any pass, what it was recorded from, and its text.

    Arguments:
        sizes: of `lower`, how much there may be, and what has how many rows.
    """
    if isinstance(source, str):
        names = None if inputs is None else list(inputs)
        syntax = parse(Source.read(source, filename))
        program = slopes(lower(syntax, ops, inputs=names, **sizes))
        has_line = any(isinstance(s, Declaration) for s in syntax.statements)
        line = "" if names is None or has_line else f"input {', '.join(names)}\n"
        return program, None, line + syntax.source.text
    from gradc.record import Recording, graph

    is_recorded = isinstance(source, Recording)
    recording = source if is_recorded else graph(source, inputs, sizes["max_ops"])
    return recording.joined, recording, ""


def compile_file(path: FilePath, **options: Any) -> Compiled:
    """Compile a formula file; the options are those of `compile`."""
    name = os.fspath(path)
    return compile(read_text(name), **{"filename": name, **options})


def require_constants(program: Program) -> None:
    """Refuse `x + log(-1)`: a constant without a value that every call asks for."""
    broken = fixed(program)[1]
    placed = place(program, Guards(program)) if broken else []
    for i in broken:
        if placed[i] == ALWAYS:
            span = program.spans[i] or (0, 0)
            raise mistake("constant_undefined", program.source, span)


def require_options(program: Program, origin: Origin) -> None:
    """Refuse the options that a program has not."""
    certain, silent = origin.outside == CERTAIN, origin.outside != "raise"
    unsure = UNSURE & {EMITTED[word] for word in origin.emit or ()}
    if certain and (unsure or origin.recorded or origin.numpy):
        raise mistake("certified_never")
    if origin.half_angle and not (origin.numpy and program.rows.lengths):
        raise mistake("half_angle_alone")
    if origin.native and bool(program.rows.lengths) != origin.numpy:
        raise mistake("native_numpy" if origin.numpy else "native_columns")
    odd = {"sparse": origin.sparse, "flat": origin.flat, "outside certified": certain}
    odd["outside with numpy"] = silent and origin.numpy
    for name, is_on in odd.items():
        if is_on and program.rows.lengths:
            raise mistake("columns_never", program.source, name=name)


def select(program: Program, wrt: Sequence[str] | None) -> tuple[str, ...]:
    """The inputs to differentiate by: those named, perhaps in one text, or all."""
    arguments = grouped(program.inputs)
    known = [item.name for item in arguments if item.elements[0].kind == "input"]
    names = words(known if wrt is None else wrt)
    for name in names:
        if name not in known:
            inputs, source = listed(known), program.source
            raise mistake("unknown_wrt", source, near=known, name=name, inputs=inputs)
    return tuple(dict.fromkeys(names))


@contextmanager
def uncollected() -> Iterator[None]:
    """Hold the garbage collector off: little that is made here refers to itself."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _method(name: str, last: str = "") -> Callable[..., Any]:
    """The method that calls a function of the module, or one for its last part."""

    def method(self: Compiled, *args: Any, **named: Any) -> Any:
        found = self._call(name, args, named)
        return found[-1] if last else found

    method.__name__ = last or name
    method.__doc__ = f"Return {'the last part of ' * bool(last)}{DOCS[name]}"
    return method


class Compiled:
    """A compiled formula: call it for the value.

    Attributes:
        inputs: the names of all arguments, in order, as the source spells them.
        wrt: the names that get a derivative, in order.
        source: the text of the module that `gradc compile` writes.
        functions: those in it; a method for another one compiles it when called.
        program: the program of the first functions; its repr is a listing.
        formula: the program before any pass, its inputs as they were declared.
        recording: what it was recorded from, None for a formula.
        notes: remarks on the formula, such as that `e` was taken for Euler's number.

    All methods take the arguments in order or by name, and make floats of all numbers.
    Where the formula has no finite value, or no derivative, they raise DomainError,
    unless it was compiled with `outside`. Compiled formulas can be pickled and copied.
    """

    def __init__(
        self, formula: Program, origin: Origin, recording: Recording | None = None
    ) -> None:
        self.formula, self.origin, self.recording = formula, origin, recording
        wrt = select(formula, origin.wrt)
        shapes = [x for x in ("flat", "numpy", "sparse", "bare") if vars(origin)[x]]
        interface = Interface(formula, wrt, shapes)
        made = functions(interface, chosen(formula, origin.emit), origin.strict)
        self.functions = {function.name: function for function in made}
        self.program = made[0].program
        self.inputs = tuple(item.name for item in grouped(self.program.inputs))
        own = self.program.inputs
        taken = [free(x, own) if x in RESERVED else x for x in self.inputs]
        takes = [Parameter(x, Parameter.POSITIONAL_OR_KEYWORD) for x in taken]
        self.__signature__, self.__name__ = Signature(takes), "value"
        self.wrt = interface.wrt
        self.notes = self.program.notes
        self._columns = {i.array or i.name for i in self.program.inputs if i.rows}
        self.is_columnar = bool(self._columns)  # the module looks at columns
        is_plain = origin.outside == "raise" and not (origin.numpy or self.is_columnar)
        is_long = is_plain and len(self.program.nodes) > LONG
        self._unprinted = OFTEN if is_long else 0  # calls before it is printed
        self._rows: dict[str, Any] = {"columns": origin.columns}
        self._native: Any = None  # the extension, once it is built
        self._others: dict[Origin, Compiled] = {}
        self._told: dict[str, tuple[Any, Any]] = {}
        self._takes = {function.name: [*function.arguments()] for function in made}
        if origin.native:
            self.build()

    @cached_property
    def source(self) -> str:
        return Module([*self.functions.values()], self.wrt, self.origin).text()

    def fixed(self, rows: int | Mapping[str, int]) -> Compiled:
        """The same formula with the rows of columns written out.

        Arguments:
            rows: how many there are, at least 1, perhaps by the names of their lengths.
        """
        lengths = {trimmed(i.rows)[0] for i in self.formula.inputs if i.rows}
        rows = dict.fromkeys(lengths, rows) if isinstance(rows, int) else rows
        if any(rows.get(length, 0) < 1 for length in lengths):
            raise mistake("rows_missing", names=listed(sorted(lengths)))
        given: Any = {"columns": self.origin.columns, "fixed": rows}
        formula, source = self.origin.formula, self.formula.source
        program, *_ = read(formula, None, source.name, self.formula.ops, **given)
        emit = tuple([x for x in self.origin.emit or () if x not in ("gram", "bind")])
        found = Compiled(program, replace(self.origin, emit=emit or None))
        found._rows = given
        return found

    def sized(self, args: Sequence[Any]) -> Compiled:
        """The same formula with as many rows written out as columns have."""
        rows = dict[str, int]()
        for (name, shape, (e, *_)), x in zip(grouped(self.program.inputs), args):
            if e.rows:
                found = len(self._module["columns"](**{name: (x, *shape)})[0])
                if (wanted := rows.setdefault(e.rows, found)) != found:
                    raise mistake("rows_differ", name=name, found=found, wanted=wanted)
        return self.fixed(rows) if rows else self

    @cached_property
    def written(self) -> Program:
        """The formula as it is written, or recorded, call by call and unchanged."""
        if self.recording is not None:
            return self.recording.program
        from gradc.checking.check import unroll

        return unroll(parse(self.formula.source), self.formula, **self._rows)

    @cached_property
    def _module(self) -> dict[str, Any]:
        """What stands in the module, by name."""
        found = _executed(load(self.source, "<gradc formula>", "exec"))
        if self.origin.outside == CERTAIN:
            found["_certified"] = self.settled  # with the table and formula at hand
        if self._native:
            found |= self._native.functions(found)
        return found

    def build(self) -> None:
        """Build the extension in the cache; its functions take the place of the methods.

        Where there is no C compiler, a note says so and all stays as it is.
        """
        from gradc.targets import native  # which imports much

        source = self._source("formula")
        try:
            self._native = native.cached(source)
        except (GradcError, ImportError, OSError, RuntimeError) as error:
            said = f"note: Python runs alone, no extension is built: {error}"
            self.notes += (said.partition("\n")[0],)
            return
        names = {*self.functions} - {"value"}
        own = {name: getattr(type(self), name).__get__(self) for name in names}
        vars(self).update(self._native.functions(own))

    def __getstate__(self) -> dict[str, Any]:
        omitted = {"_module", "_native", "_told", *self.functions}
        return {name: x for name, x in vars(self).items() if name not in omitted}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _native=None, _told={})
        if self.origin.native:
            self.build()

    def __repr__(self) -> str:
        return f"<gradc formula of {', '.join(self.inputs)}>"

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The value at a point."""
        return self._call("value", args, named)

    value_and_grad: Callable[..., tuple[Any, tuple[Any, ...]]]
    value_and_grad = _method("value_and_grad")
    grad: Callable[..., tuple[Any, ...]] = _method("value_and_grad", "grad")
    value_and_jacobian = _method("value_and_jacobian")
    value_grad_and_hessian = _method("value_grad_and_hessian")
    value_grad_and_error = _method("value_grad_and_error")
    hvp, jvp, vjp, gram = map(_method, ("hvp", "jvp", "vjp", "gram"))
    jacobian = _method("value_and_jacobian", "jacobian")
    hessian = _method("value_grad_and_hessian", "hessian")

    def bind(self, *args: Any, **named: Any) -> Any:
        """The functions of a module over some columns, which are checked and kept.

        Its methods take the parameters as one sequence in the order of `wrt`. The module
        is one for NumPy, or compiled with `emit="bind"`, which has no other arguments.

        Arguments:
            args, named: all that is not in `wrt`, in order or by name.
            missing: "raise", or "drop" for the rows that have a nan to be left out.
            reuse: whether each call overwrites the arrays that the last one returned.
        """
        if "bind" not in self._module:
            raise mistake("bind_nothing")
        return self._module["bind"](*args, **named)

    def _call(self, name: str, args: Sequence[Any], named: Named) -> Any:
        """What a function returns, in the module or compiled for the occasion."""
        if name not in self.functions:
            return self._other(name)._call(name, args, named)
        has_out = self.is_columnar and self.origin.numpy and "out" not in self.inputs
        options = {x: named.pop(x) for x in {"out"} & {*named} if has_out}
        args, run = self._floats(name, args, named), self._run(name)
        if self.origin.outside not in ("raise", CERTAIN):
            return run(*args)
        try:
            result = run(*args, **options)
        except (ArithmeticError, ValueError) as error:
            if not str(error).startswith("out has to be"):  # no part is at fault
                self._explain(name, args, error)
            raise
        if not isfinite(_total(result)):
            self._explain(name, args, None)
        return result

    def _floats(self, name: str, args: Sequence[Any], named: Named) -> list[Any]:
        """The arguments of a function in order, with floats for their numbers."""
        takes = self._takes[name]
        if named or len(args) != len(takes):
            args = _arguments([own for own, *_ in takes], args, named)
        found = []
        for x, (own, shape, nested) in zip(args, takes):
            is_plain = x.__class__ is float and not shape or own in self._columns
            found.append(x if is_plain else _floated(own, x, shape, nested))
        return found

    def certified(
        self,
        *args: Any,
        digits: int | None = None,
        max_bits: int = 600_000,
        **named: Any,
    ) -> Certified:
        """The numbers of the formula as written, certain; `gradc help certified` tells.

        They are floats, or texts of so many decimal `digits`. What `max_bits` bits do
        not decide is None. There is a Hessian if the formula was compiled with one.

        Raises:
            GradcError: python-flint is missing, the extra `certified`.
        """
        try:
            from gradc.checking.certified import certified
        except ImportError:
            raise mistake("certified_missing") from None
        if self.is_columnar:
            own = _arguments(self.inputs, args, named)
            return self.sized(own).certified(*own, digits=digits, max_bits=max_bits)
        name = self._asked[0].name
        point = self._point(name, self._floats(name, args, named))
        return certified(self, point, digits, max_bits)

    @cached_property
    def _asked(self) -> tuple[Function, Sequence[Number]]:
        """The function whose numbers are certified, and these."""
        name = next(name for name in CERTIFIED if name in self.functions)
        function, wrt = self.functions[name], elements(self.program, self.wrt)
        return function, numbers(function, self.written, wrt)

    def settled(self, function: Callable[..., T], error: Exception, args: Any) -> T:
        """What a function returns where it raised an error, certain; else that raises."""
        name: str = function.__name__
        try:
            sure = self._other(name).certified(*args, max_bits=SETTLED)
        except ValueError:
            raise error from None
        several = sure.value, sure.gradient, sure.hessian
        found = sure.value if name == "value" else several[: 2 + ("hessian" in name)]
        if sure.undecided or not isfinite(_total(found)):
            raise error from None
        return cast(T, found)

    def _run(self, name: str) -> Callable[..., Any]:
        """A function of the module; a long one is not printed for a call or two."""
        self._unprinted -= 1
        if self._unprinted < 0 or self._native or "source" in vars(self):
            printed: Callable[..., Any] = self._module[name]
            return printed
        program, layout = self._program(name), self.functions[name].layout
        return lambda *args: filled(
            layout, [*evaluate(program, self._point(name, args)), 0.0].__getitem__
        )

    def _program(self, name: str) -> Program:
        """What a function computes: `value` shares its nodes with a derivative."""
        program = self.functions[name].program
        if name != "value":
            return program
        return replace(program, outputs=program.outputs[: program.count])

    def _point(self, name: str, args: Sequence[Any]) -> dict[str, float]:
        """The numbers of all arguments by their names, but for those in rows."""
        found: dict[str, float] = {}
        for (own, _, nested), x in zip(self._takes[name], args):
            if own not in self._columns:
                found |= zip(leaves(nested), leaves(x))
        return found

    def _explain(self, name: str, args: Sequence[Any], error: Exception | None) -> None:
        """Raise a DomainError for the part that has no finite value, if it is found."""
        found = self._found(name, args)
        if found is not None and not self.origin.strict:  # as written it says more
            with suppress(GradcError):  # it is too large
                plain = self._other(name, strict=True, native=False)
                found = _closer(found, plain._found(name, args))
        if found is not None:
            raise found from error

    def _found(self, name: str, args: Sequence[Any]) -> DomainError | None:
        """The fault of the first part, in a row or between loops, that has one."""
        found, point = list[DomainError](), self._point(name, args)
        if not self.is_columnar:
            return self._fault(run(self._program(name), point), point)
        if name not in self._told:  # once, for what may be asked often
            plain = replace(self.origin, outside="raise", numpy=False, emit=None)
            module = Module([self.functions[name]], self.wrt, plain, Told)
            code = load(module.text(), "<gradc formula>", "exec")
            self._told[name] = module.loops[0].split, code
        (split, code), rows = self._told[name], Counter[int]()

        def look(number: int, read: dict[str, Any]) -> None:
            part = split.parts[number]
            row, told, ran = split.ran(part, rows[number], read)
            rows[number] += 1
            fault = self._fault(ran, {**told, **point}, row if part.length else None)
            if fault is not None:
                found.append(fault)
                raise fault

        with suppress(ArithmeticError, ValueError):
            _executed(code, look=look)[name](*args)
        return found[0] if found else None

    def _fault(
        self, ran: Run, point: Mapping[str, Any], row: int | None = None
    ) -> DomainError | None:
        """What is at fault in a run at a point, of a row or of none, if anything is."""
        if (fault := ran.fault()) is None:
            return None
        span, formula = ran.program.spans[fault], ran.program.source
        is_infinite = isinstance(ran.error, (OverflowError, ZeroDivisionError))
        if ran.error is None:
            is_infinite = not isnan(ran.values[fault])
        what = "infinite" if is_infinite else "not a real number"
        part = visible(formula.text[slice(*span)]) if span else "the formula"
        of = "the derivative of " if isinstance(span, Adjoint) else ""
        where = f"{f'in row {row}, ' * (row is not None)}at {point_text(point)}"
        found = DomainError(f"{of}{part} is {what} {where}", formula, span)
        found.row = row
        return found

    def _other(self, name: str, **options: Any) -> Compiled:
        """The same formula with a function that this module has not, or other options."""
        emit = [word for word, emitted in EMITTED.items() if emitted == name]
        origin = replace(self.origin, emit=("value", *emit), **options)
        if origin not in self._others:
            self._others[origin] = Compiled(self.formula, origin)
        return self._others[origin]

    def text(self, target: str = "python", stem: str = "formula") -> str:
        """The text for a target of TARGETS; the names in C begin with a stem.

        Raises:
            GradcError: the target has not what the formula or the options need.
        """
        if target not in TARGETS:
            raise mistake("target_unknown", near=TARGETS, name=target)
        functions, is_native = [*self.functions.values()], self.origin.native
        if target == "python" and not is_native:
            return self.source
        from gradc.targets import javascript, native

        if target == "js":
            return javascript.Script(functions, self.wrt, self.origin).text()
        made = self._source(stem)
        if target == "python":
            return Module(functions, self.wrt, self.origin).text(native.tail(made))
        if target == "h":
            return str(made.header())
        return native.text(made) if is_native else str(made.text())

    def _source(self, stem: str) -> Any:
        """The C file, whose names begin with a stem."""
        from gradc.targets.c import Source  # as above: Python needs none of it

        return Source([*self.functions.values()], self.wrt, self.origin, stem)

    def save(self, path: FilePath, *, force: bool = False) -> None:
        """Write the module to a file, for `.c` and `.h` in C.

        What is not gradc's only `force` overwrites.
        """
        write(path, self.text(*target_of(path)), force=force)

    def check(self, **options: Any) -> Any:
        """A report on the module; the options are those of `checking.check.check`."""
        from gradc.checking.check import check

        if self.origin.outside == CERTAIN:  # what that asks needs no check
            origin = replace(self.origin, outside="raise")
            return Compiled(self.formula, origin).check(**options)
        return check(self, **options)

    def _few(self) -> Mapping[str, int]:
        """How many rows of each length are enough to see all that is done with rows."""
        inputs, wrt = self.formula.inputs, {*elements(self.program, self.wrt)}
        alone = any(result.rows for result in self.formula.results)
        alone &= any(i.rows and i.name in wrt for i in inputs)
        least = Counter[str]()
        for i in inputs:
            if length := i.name if i.kind == "length" else i.rows:
                base, cut = trimmed(length)
                least[base] = max(least[base], cut, 0 if i.rows else int(i.low or 0))
        return {base: (1 if alone else 2) + cut for base, cut in least.items()}


@lru_cache(maxsize=64)
def again(docstring: str | None, options: str) -> Compiled:
    """What a module with this docstring, and options as JSON, was compiled from."""
    return compile((docstring or "").partition("\n\n")[2], **json.loads(options))


def target_of(path: FilePath, target: str | None = None) -> tuple[str, str]:
    """The target that is asked for, or else that of a file by its name, and its stem.

    Raises:
        GradcError: the name is that of another language.
    """
    stem, end = os.path.splitext(name := os.path.basename(path))
    known = SUFFIXES.get(end.lower(), target or "python")
    if known != (target := target or (known if known in TARGETS else "python")):
        raise mistake("target_other", name=name, known=known, target=target)
    return target, stem


def _closer(found: DomainError, other: DomainError | None) -> DomainError:
    """The second of two faults, if it is of a part of the first, or of what is around."""
    if other is None or found.span is None or other.span is None:
        return found
    if found.row != other.row:  # what has a value there has none as it is written
        return found
    (start, end), (low, high) = found.span, other.span
    return other if (low - start) * (end - high) >= 0 else found


def _executed(code: Any, **given: Any) -> dict[str, Any]:
    """What stands in a module with this code, by name, beside what is given."""
    space = {"__name__": "gradc_formula", **given}
    try:
        exec(code, space)
    except ImportError as error:
        raise mistake("module_needs", name=str(error.name)) from None
    return space


def _arguments(inputs: Sequence[str], args: Sequence[Any], named: Named) -> list[Any]:
    """The arguments in order, from those given in order and those by name."""
    found = {**dict(zip(inputs, args)), **named}
    if len(args) + len(named) != len(inputs) or found.keys() != {*inputs}:
        given = f"{len(args)} given in order and {', '.join(named) or 'none'} by name"
        raise TypeError(f"the inputs are {', '.join(inputs)}, but {given}")
    return [found[name] for name in inputs]


def _floated(name: str, given: Any, shape: Shape | None, nested: Any) -> Any:
    """An argument with floats for its numbers, nested like their names."""
    if shape == () and not hasattr(given, "__len__"):
        return number(name, given)
    if shape is not None:
        given = given.tolist() if hasattr(given, "tolist") else given
        return nest([*map(float, floats(name, given, *shape))], shape)
    parts = enumerate(zip(given, nested, strict=True))  # arrays and numbers in a tuple
    return [_floated(f"{name}[{k}]", x, shape_of(n), n) for k, (x, n) in parts]


def _total(result: Any) -> float:
    """The sum of a result, of arrays of two extremes: a test of all that costs little."""
    if isinstance(result, (float, int)):
        return result
    if hasattr(result, "max"):
        return float(result.max(initial=0.0)) - float(result.min(initial=0.0))
    is_column = isinstance(result, list) and {*map(type, result)} == {float}
    return sum(result if is_column else map(_total, result))
