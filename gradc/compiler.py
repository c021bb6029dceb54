"""The compiler: from a formula's text to a module, and to functions one can call.

>>> f = compile("x * tanh(y)")
>>> f.value_and_grad(2.0, 0.0)
(0.0, (0.0, 2.0))
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradc.analysis.guards import ALWAYS, Guards, place
from gradc.collector import collector_held
from gradc.compiled import Compiled, select
from gradc.emit import chosen
from gradc.errors import Source, mistake
from gradc.files import read_text
from gradc.ir import Program
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.language.limits import MAX_OPS
from gradc.language.syntax import Declaration, Syntax
from gradc.ops import OPS, Table
from gradc.targets.module import OUTSIDE, Origin, fixed

if TYPE_CHECKING:
    from gradc.engine.tape import Recording
    from gradc.engine.value import Value


def compile(
    source: str | Value | Sequence[Any],
    *,
    inputs: Sequence[str] | Mapping[str, Any] | None = None,
    wrt: Sequence[str] | None = None,
    strict: bool = False,
    max_ops: int = MAX_OPS,
    filename: str | None = None,
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
            that it was built from is constant, also the numbers and the branches that
            the program took from `.data`, which nothing in a graph shows.
        wrt: the inputs to differentiate by; by default all but `data`.
        strict: the value is bit for bit that of the formula as written.
        max_ops: how many operations the formula may have, with all calls written out.
        filename: the name of the source in messages.
        ops: the table of operations, `OPS` or one made by `OPS.define`.
        outside: what the value is where the formula has none: `raise` leaves it to an
            exception, `nan` and `inf` are returned, and every derivative is then nan.
            Where only a derivative has no value, the value is returned beside nans.
        check: compare the result with `Value` at sampled points before returning.
        emit: the functions of the module, names among `value`, `gradient`, `jacobian`,
            `hessian`, `hvp`, `jvp` and `vjp` in a sequence or a text with commas; by
            default the value with its gradient, or the Jacobian of several results.
        sparse: of a Jacobian with several rows, or a Hessian, return only the entries
            that are not always zero, those at `ROWS` and `COLUMNS` of the module.
        flat: functions of one sequence of all inputs in `wrt`; the others stay apart.
        numpy: functions that take and return NumPy arrays.

    Raises:
        GradcError: the formula is at fault; the message shows the place. With `check`
            also if the generated function is wrong.
    """
    if outside not in OUTSIDE:
        raise ValueError(f"outside is one of {', '.join(OUTSIDE)}, not {outside!r}")
    if not isinstance(source, str):
        from gradc.engine.tracing import from_graph

        options = {"wrt": wrt, "strict": strict, "max_ops": max_ops, "check": check}
        options |= {"emit": emit, "sparse": sparse, "flat": flat, "numpy": numpy}
        options["outside"] = outside
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
            outside=outside,
            emit=None if emit is None else chosen(program, emit),
            sparse=sparse,
            flat=flat,
            numpy=numpy,
        )
        del syntax  # large formulas need the room
        compiled = assemble(program, names, origin)
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
    recording: Recording | None = None,
) -> Compiled:
    """Differentiate a program by some of its arguments, ready to be printed."""
    require_constants(program)
    return Compiled.of(program, wrt, origin, recording)


def compile_file(path: str | os.PathLike[str], **options: Any) -> Compiled:
    """Compile a formula file; the options are those of `compile`.

    Raises:
        GradcError: the file cannot be read, or the formula is at fault.
    """
    name = os.fspath(path)
    options.setdefault("filename", name)
    return compile(read_text(name), **options)


def require_constants(program: Program) -> None:
    """Refuse a constant without a finite value, if every call would ask for it.

    Raises:
        GradcError: such as for `x + log(-1)`; in a branch it may stand.
    """
    _, broken = fixed(program)
    if not broken:
        return
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
