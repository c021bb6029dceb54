"""The compiler: from a formula's text to a module, and to functions one can call.

>>> f = compile("x * tanh(y)")
>>> f.value_and_grad(2.0, 0.0)
(0.0, (0.0, 2.0))

`trace` runs a Python function once with recorded values and compiles what it did.

>>> def energy(w, x):
...     return sum((a * b).tanh() for a, b in zip(w, x))
>>> f = trace(energy, w=(2,), x=(2,))
>>> f.value_and_grad([1.0, 2.0], [0.0, 0.0])
(0.0, ((0.0, 0.0), (1.0, 2.0)))
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradc.analysis.guards import ALWAYS, Guards, place
from gradc.compiled import Compiled, select, uncollected
from gradc.errors import Source, mistake
from gradc.files import read_text
from gradc.functions import chosen
from gradc.ir import Program
from gradc.language.limits import MAX_OPS
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.language.syntax import Declaration, Syntax
from gradc.ops import OPS, Table
from gradc.passes.slopes import slopes
from gradc.targets.module import fixed
from gradc.targets.origin import OUTSIDE, Origin

if TYPE_CHECKING:
    from gradc.record import Recording
    from gradc.value import Value


@uncollected
def compile(
    source: str | Value | Sequence[Any],
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
) -> Compiled:
    """Compile the text of a formula, or the graph below a `Value` or several.

    Arguments:
        source: the formula, in the language of `grammar/expression.lark`; or a Value,
            nested lists of them for an array, or a tuple of such results.
        inputs: acts as an `input` line: declares the arguments and their order. Of a
            graph they are the Values themselves, in nested lists, by name; all else
            in it is constant, also what the program took from `.data`.
        wrt: the inputs to differentiate by; by default all but `data`.
        strict: the value is bit for bit that of the formula as written.
        max_ops: how many operations the formula may have, with all calls written out.
        filename: the name of the source in messages.
        ops: the table of operations, `OPS` or one made by `OPS.define`.
        outside: `raise`, or what the value is where there is none, `nan` or `inf`;
            every derivative that has no value is then nan.
        check: compare the result with `Value` at sampled points before returning.
        emit: the functions of the module, names of `gradc help derivatives`.
        sparse: of a matrix return only the entries that are not always zero.
        flat: functions of one sequence of all inputs in `wrt`; the others stay apart.
        numpy: functions that take and return NumPy arrays.

    Raises:
        GradcError: the formula is at fault; the message shows the place. With `check`
            also if the generated function is wrong.
    """
    options: Any = dict(wrt=wrt, strict=strict, outside=outside, check=check)
    options |= dict(emit=emit, sparse=sparse, flat=flat, numpy=numpy)
    if not isinstance(source, str):
        from gradc.record import graph

        return _compiled(*graph(source, inputs, max_ops), **options)
    listed = None if inputs is None else list(inputs)
    syntax = parse(Source.read(source, filename))
    program = slopes(lower(syntax, ops, inputs=listed, max_ops=max_ops))
    formula = declared(syntax, listed)
    del syntax  # large formulas need the room
    return _compiled(program, None, formula, **options)


@uncollected
def trace(
    function: Callable[..., Any],
    options: Mapping[str, Any] | None = None,
    /,
    **inputs: Any,
) -> Compiled:
    """Compile a Python function of numbers, by recording what it does.

    Arguments:
        function: takes the inputs by name and returns a number, nested lists or an
            array of numbers, or a tuple of such results (a named one gives them names).
            It may use all operators, methods and functions of `Value`, those of
            `gradc.math`, lists and NumPy arrays; `gradc.where` chooses by a comparison.
        options: those of `compile` by name, but for `inputs`, `filename` and `ops`.
        inputs: each given by its shape (`w=(8, 2)`, `c=()`) or by an example: a number,
            lists, or a NumPy array. A tuple of whole numbers is a shape. Lists arrive
            as lists, an array as an array.

    Returns:
        The compiled function. Its arguments are in the order of the keywords, each with
        a gradient in its nesting.

    Raises:
        GradcError: something in the function could freeze a value silently, an input
            has no effect, or the recording is too large. The message shows the line.
        ValueError: an input is neither a shape nor an example.
    """
    from gradc.record import record

    options = dict(options or {})
    most = options.pop("max_ops", MAX_OPS)
    return _compiled(*record(function, inputs, most), **options)


def _compiled(
    program: Program,
    recording: Recording | None,
    formula: str = "",
    *,
    wrt: Sequence[str] | None = None,
    outside: str = "raise",
    emit: Sequence[str] | str | None = None,
    check: bool = False,
    **shape: bool,
) -> Compiled:
    """Differentiate a program, ready to be printed, and check it if that is asked for."""
    if outside not in OUTSIDE:
        listed = ", ".join(OUTSIDE)
        raise ValueError(f"outside is one of {listed}, not {outside!r}")
    names = select(program, wrt)
    origin = Origin(
        formula,
        wrt=None if wrt is None else names,
        outside=outside,
        emit=None if emit is None else chosen(program, emit),
        recorded="" if recording is None else recording.title,
        **{name: bool(on) for name, on in shape.items()},
    )
    require_constants(program)
    compiled = Compiled(program, names, origin, recording)
    if check:
        report = compiled.check()
        report.require()
        compiled.notes += tuple(report.notes)
    return compiled


def compile_file(path: str | os.PathLike[str], **options: Any) -> Compiled:
    """Compile a formula file; the options are those of `compile`.

    Raises:
        GradcError: the file cannot be read, or the formula is at fault.
    """
    name = os.fspath(path)
    return compile(read_text(name), **{"filename": name, **options})


def require_constants(program: Program) -> None:
    """Refuse a constant without a finite value, if every call would ask for it.

    Raises:
        GradcError: such as for `x + log(-1)`; in a branch it may stand.
    """
    if broken := fixed(program)[1]:
        placed = place(program, Guards(program))
        for i in broken:
            if placed[i] == ALWAYS:
                span = program.spans[i] or (0, 0)
                raise mistake("constant_undefined", program.source, span)


def declared(syntax: Syntax, inputs: Sequence[str] | None) -> str:
    """The formula with the caller's list of inputs as a line of its own."""
    text = syntax.source.text
    if inputs is None or any(isinstance(s, Declaration) for s in syntax.statements):
        return text
    return f"input {', '.join(inputs)}\n{text}"
