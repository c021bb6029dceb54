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
from gradc.compiled import Compiled, collector_held, select
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
    **unknown: Any,
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
    _require_known(unknown)
    options = {"wrt": wrt, "strict": strict, "outside": outside, "check": check}
    options |= {"emit": emit, "sparse": sparse, "flat": flat, "numpy": numpy}
    with collector_held():
        if not isinstance(source, str):
            from gradc.record import graph

            return _finished(*graph(source, inputs, max_ops), options)
        listed = None if inputs is None else list(inputs)
        text = Source.read(source, "<formula>" if filename is None else filename)
        syntax = parse(text)
        program = slopes(lower(syntax, ops, inputs=listed, max_ops=max_ops))
        formula = declared(syntax, listed)
        del syntax  # large formulas need the room
        return _finished(program, None, options, formula)


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
        options: those of `gradc.compile` by name: `wrt`, `strict`, `outside`,
            `max_ops`, `check`, `emit`, `sparse`, `flat`, `numpy`.
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

    chosen = {**_DEFAULTS, **(options or {})}
    _require_known(chosen)
    with collector_held():
        return _finished(*record(function, inputs, chosen["max_ops"]), chosen)


_DEFAULTS: Mapping[str, Any] = {
    "wrt": None,
    "strict": False,
    "outside": "raise",
    "max_ops": MAX_OPS,
    "check": False,
    "emit": None,
    "sparse": False,
    "flat": False,
    "numpy": False,
}


def _require_known(options: Mapping[str, Any]) -> None:
    """Refuse an option that there is not."""
    for name in sorted(options.keys() - _DEFAULTS):
        instead = f"there are {', '.join(_DEFAULTS)}"
        if name == "ieee":
            instead = "outside='nan' or outside='inf' (--outside) returns these"
        raise TypeError(f"no option '{name}'; {instead}")


def _finished(
    program: Program,
    recording: Recording | None,
    options: Mapping[str, Any],
    formula: str = "",
) -> Compiled:
    """Differentiate a program, ready to be printed, and check it if that is asked for."""
    if options["outside"] not in OUTSIDE:
        listed = ", ".join(OUTSIDE)
        raise ValueError(f"outside is one of {listed}, not {options['outside']!r}")
    wrt, emit = select(program, options["wrt"]), options["emit"]
    origin = Origin(
        formula=formula,
        wrt=None if options["wrt"] is None else wrt,
        strict=bool(options["strict"]),
        outside=options["outside"],
        emit=None if emit is None else chosen(program, emit),
        sparse=bool(options["sparse"]),
        flat=bool(options["flat"]),
        numpy=bool(options["numpy"]),
        recorded="" if recording is None else recording.title,
    )
    require_constants(program)
    compiled = Compiled.of(program, wrt, origin, recording)
    if options["check"]:
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
