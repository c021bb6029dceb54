"""The command line: what each command does, and how it ends.

What was asked for goes to standard output; notes and mistakes go to standard error. The
exit code is 0 if all is well, 1 if the input is at fault, 2 if the command line is, and
3 for a bug in gradc.
"""

from __future__ import annotations

import json
import math
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradc import errors, usage
from gradc.arrays import leaves, nest
from gradc.checking.compare import compare
from gradc.compiled import Compiled, select
from gradc.compiler import compile
from gradc.errors import GradcError, UsageMistake
from gradc.files import decode, read_text, write
from gradc.functions import titles
from gradc.ir import Program, elements, grouped
from gradc.language.vectors import FUNCTIONS
from gradc.ops import OPS
from gradc.targets.python import extract

FINE, INPUT, USAGE, BUG = range(4)
INTERRUPTED, PIPE_CLOSED = 128 + 2, 128 + 13  # as a shell reports SIGINT and SIGPIPE


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line, by default the one that Python was started with.

    Returns the exit code.
    """
    words = sys.argv[1:] if words is None else words
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal may lack some characters
            stream.reconfigure(errors="backslashreplace")
    try:
        args = usage.read(words)
        COMMANDS[args.command](args)
        return FINE
    except SystemExit as asked:  # for help, or for the version
        return FINE if asked.code is None else int(asked.code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return PIPE_CLOSED
    except Exception as error:
        return _report(error, words)


def _report(error: Exception, words: Sequence[str]) -> int:
    """Say what went wrong, and return the exit code."""
    if isinstance(error, UsageMistake):
        command = "".join(f" {word}" for word in words[:1] if word in COMMANDS)
        return _say(f"gradc{command}: {error}", USAGE)
    if isinstance(error, MemoryError):
        error = errors.memory_exhausted()
    if isinstance(error, OSError):  # files have their own; this is standard output
        _drop_output()
        error = errors.unwritable("<stdout>", error.strerror or str(error))
    if isinstance(error, GradcError):
        return _say(str(error), INPUT)
    if os.environ.get("GRADC_TRACEBACK"):
        raise error
    return _say(errors.bug(error), BUG)


def _say(text: str, code: int) -> int:
    print(text, file=sys.stderr)
    return code


def _drop_output() -> None:
    """Let Python find nothing to complain of when it flushes the output at its end."""
    if sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


# ---- the commands


def run_compile(args: Namespace) -> None:
    """Compile a formula to a Python module."""
    file = None if args.output == "-" else args.output
    if args.verify and file is None:
        raise errors.verify_without_file()
    text, name = formula(args)
    if file is not None and _same_file(file, name):
        raise errors.output_is_source(file)
    compiled = compile(
        text,
        filename=name,
        ieee=args.ieee,
        emit=args.emit,
        sparse=args.sparse,
        flat=args.flat,
        numpy=args.numpy,
        **_options(args),
    )
    remark(compiled.notes)
    if args.sparse and all(f.places is None for f in compiled.functions.values()):
        remark([errors.sparse_note()])
    if args.check and not args.verify:
        report = compiled.check()
        report.require()
        remark(report.notes)
    if file is None:
        put_exactly(compiled.source)
    elif args.verify:
        compare(file, compiled.source)
    else:
        write(file, compiled.source, force=args.force)


def run_check(args: Namespace) -> None:
    """Test that a module is what its formula gives, and that it is right.

    What runs is compiled from the formula anew, never the text of the file.
    """
    origin = extract(read_text(args.file))
    if origin is None:
        raise errors.module_foreign(args.file)
    compiled = compile(
        origin.formula,
        wrt=origin.wrt,
        strict=origin.strict,
        ieee=origin.ieee,
        emit=origin.emit,
        sparse=origin.sparse,
        flat=origin.flat,
        numpy=origin.numpy,
        max_ops=args.max_ops,
        filename=f"{args.file}, formula",
    )
    compare(args.file, compiled.source)
    report = compiled.check(thorough=True)
    if args.max_ulp is not None:
        report.limit(args.max_ulp)
    if args.json:
        put(_json(report.as_dict()))
    elif report.ok:
        put("\n".join(report.lines()))
    report.require()


def run_eval(args: Namespace) -> None:
    """Print the value and the gradient at a point."""
    from gradc.show import table

    text, name = formula(args)
    compiled = compile(text, filename=name, ieee=args.ieee, **_options(args))
    remark(compiled.notes)
    at = usage.point(args.words, grouped(compiled.program.inputs))
    values, rows = evaluated(compiled, at)
    called, wrt = titles(compiled.program), elements(compiled.program, compiled.wrt)
    if args.json:
        slopes = [dict(zip(wrt, row)) for row in rows]
        if len(called) == 1:
            found: dict[str, Any] = {"value": values[0], "gradient": slopes[0]}
        else:
            found = dict(zip(called, values))
            found = {"value": found, "jacobian": dict(zip(called, slopes))}
        put(_json(found))
    else:
        lines = []
        for name, value, row in zip(called, values, rows):
            of = "" if called == ["value"] else name
            lines += [(name, repr(value))]
            lines += [(f"d{of}/d{x}", repr(slope)) for x, slope in zip(wrt, row)]
        put(table(lines))


def run_show(args: Namespace) -> None:
    """Print the program as it is after a pass."""
    from gradc import show

    wanted, known = args.stage, [*show.names(args.strict), "all"]
    if wanted not in known:
        raise errors.stage_unknown(wanted, known)
    if args.dot and wanted not in show.programs(args.strict):
        raise errors.stage_without_graph(wanted, show.programs(args.strict))
    text, name = formula(args)
    if args.words and not args.dot:
        raise errors.point_without_graph()
    parts = []
    for title, stage in show.stages(text, name, **_options(args)):
        if wanted == "all":
            parts.append(f"{title}\n{'-' * len(title)}\n{show.shown(stage)}")
        elif title == wanted:
            if args.dot and isinstance(stage, Program):
                parts.append(_graph(stage, args))
            else:
                parts.append(show.shown(stage))
            break
    put("\n\n".join(parts))


def run_ops(args: Namespace) -> None:
    """List the operations, or show one in full."""
    from gradc.show import calls, full, table

    arrays = [(f.signature(name), f.doc) for name, f in FUNCTIONS.items()]
    if args.name is None:
        return put(table([*((row.signature, row.doc) for row in OPS), *arrays]))
    if args.name in FUNCTIONS:
        function = FUNCTIONS[args.name]
        return put(f"{function.signature(args.name)}\n  {function.doc}")
    rows = [row for row in OPS if args.name in calls(row)]
    if not rows:
        every = {name for row in OPS for name in calls(row)} | FUNCTIONS.keys()
        raise errors.operation_unknown(args.name, sorted(every))
    put("\n\n".join(map(full, rows)))


COMMANDS: Mapping[str, Callable[[Namespace], None]] = {
    "compile": run_compile,
    "check": run_check,
    "eval": run_eval,
    "show": run_show,
    "ops": run_ops,
}


# ---- the formula and its numbers


def formula(args: Namespace) -> tuple[str, str]:
    """The text of the formula and its name; leaves the values of a point in `words`.

    Raises:
        GradcError: there is no formula, it cannot be read, or a word is left over.
    """
    values = [word for word in args.words if _is_value(word)]
    files = [word for word in args.words if not _is_value(word)]
    if args.expression is None and not files:
        raise errors.source_missing()
    surplus = files[1:] if args.expression is None else files
    if args.command == "compile":
        surplus += values
    if surplus:
        raise errors.word_unexpected(surplus[0], args.command != "compile")
    args.words = values
    if args.expression is not None:  # what is no text arrives in surrogates
        return decode(os.fsencode(args.expression), "<formula>"), "<formula>"
    if files[0] == "-":
        return decode(_standard_input(), "<stdin>"), "<stdin>"
    return read_text(files[0]), files[0]


def _is_value(word: str) -> bool:
    """Whether a word is `x=1`, and not the name of a file."""
    name, sign, _ = word.partition("=")
    return sign == "=" and name.isidentifier()


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read()
    except (AttributeError, OSError):  # it is closed, or no file for reading
        raise errors.unreadable("<stdin>", "it is not open") from None


def _options(args: Namespace) -> dict[str, Any]:
    return {"wrt": args.wrt, "strict": args.strict, "max_ops": args.max_ops}


def evaluated(
    compiled: Compiled, at: Mapping[str, float]
) -> tuple[Sequence[float], Sequence[Sequence[float]]]:
    """The values and their derivatives at a point, a row for each value.

    Raises:
        GradcError: the formula is not defined there; the message shows which part.
    """
    from gradc.graph import trace

    program = compiled.program
    args = [
        nest([at[item.name] for item in argument.elements], argument.shape)
        for argument in grouped(program.inputs)
    ]
    several = "value_and_jacobian" in compiled.functions
    run = compiled.value_and_jacobian if several else compiled.value_and_grad
    try:
        value, slopes = run(*args)
    except errors.GradcError:
        raise
    except (ArithmeticError, ValueError, TypeError):  # or compared complex numbers
        trace(program, at)
        raise
    values, slopes = list(leaves(value)), list(leaves(slopes))
    if any(isinstance(x, complex) for x in (*values, *slopes)):
        trace(program, at)
    size = len(slopes) // len(values)
    return values, [slopes[k * size : (k + 1) * size] for k in range(len(values))]


def _graph(program: Program, args: Namespace) -> str:
    from gradc.graph import dot

    wrt, called = elements(program, select(program, args.wrt)), titles(program)
    slopes = [f"d/d{x}" for x in wrt]
    if len(called) > 1:  # of a Jacobian only what is not zero
        slopes = ["derivative"] * (len(program.outputs) - len(called))
    inputs = grouped(program.inputs)
    at = usage.point(args.words, inputs) if args.words else None
    return dot(program, [*called, *slopes], at)


def _same_file(file: str, other: str) -> bool:
    return (
        os.path.exists(file) and os.path.exists(other) and os.path.samefile(file, other)
    )


# ---- output


def put(text: str) -> None:
    """Print what was asked for."""
    print(text, flush=True)


def put_exactly(text: str) -> None:
    """Print a module: in UTF-8, and with its own line ends, whatever the terminal."""
    if not hasattr(sys.stdout, "buffer"):
        return print(text, end="", flush=True)
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def remark(notes: Sequence[str]) -> None:
    for note in notes:
        print(note, file=sys.stderr)


def _json(found: Mapping[str, Any]) -> str:
    return json.dumps(_spelled(found), indent=2)


def _spelled(found: Any) -> Any:
    """What JSON can hold: it has neither infinities nor NaN, so these are strings."""
    if isinstance(found, Mapping):
        return {name: _spelled(part) for name, part in found.items()}
    if isinstance(found, float) and not math.isfinite(found):
        return repr(found)
    return found
