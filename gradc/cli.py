"""The command line: its words, what each command does, and how it ends.

What was asked for goes to standard output; notes and mistakes go to standard error. The
exit code is 0 if all is well, 1 if the input is at fault, 2 if the command line is, and
3 for a bug in gradc. Options stand before or after the words they belong to. The help
of a command is its docstring.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from textwrap import dedent, indent
from typing import Any, NoReturn
from unicodedata import normalize

from gradc import __version__
from gradc.arrays import leaves, nest
from gradc.compiler import compile
from gradc.errors import GradcError, bug, listed, mistake, note
from gradc.files import decode, manual, read_text, standard_input, write
from gradc.functions import EMITTED, titles
from gradc.ir import Argument, Program, elements, grouped
from gradc.language.limits import MAX_OPS
from gradc.language.syntax import ARRAYS, FUNCTIONS
from gradc.ops import OPS
from gradc.targets.origin import extract

FINE, INPUT, USAGE, BUG = range(4)
INTERRUPTED, PIPE_CLOSED = 128 + 2, 128 + 13  # as a shell reports SIGINT and SIGPIPE
ABOUT = """Compile a formula into a Python module with its value and gradient.

gradc compile -e 'x * tanh(y)' -o f.py"""


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line, by default the one that Python was started with.

    Returns the exit code.
    """
    words = sys.argv[1:] if words is None else words
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal may lack some characters
            stream.reconfigure(errors="backslashreplace")
    try:
        args = read(words)
        COMMANDS[args.command][0](args)
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
    text, code = str(error), INPUT
    if isinstance(error, GradcError) and error.kind == "UsageMistake":
        command = "".join(f" {word}" for word in words[:1] if word in COMMANDS)
        text, code = f"gradc{command}: {error}", USAGE
    elif isinstance(error, MemoryError):
        text = str(mistake("memory_exhausted"))
    elif isinstance(error, OSError):  # files have their own; this is standard output
        _drop_output()
        reason = error.strerror or str(error)
        text = str(mistake("unwritable", "<stdout>", reason=reason))
    elif not isinstance(error, GradcError):
        if os.environ.get("GRADC_TRACEBACK"):
            raise error
        text, code = bug(error), BUG
    print(text, file=sys.stderr)
    return code


def _drop_output() -> None:
    """Let Python find nothing to complain of when it flushes the output at its end."""
    if sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


# ---- the commands


def run_compile(args: Namespace) -> None:
    """Compile a formula to a Python module.

    gradc compile spring.txt -o spring.py
    gradc compile -e 'x * tanh(y)' --wrt x
    gradc compile spring.txt --emit hessian,hvp --flat -o hessian.py
    gradc compile --verify spring.txt -o spring.py
    """
    file = None if args.output == "-" else args.output
    if args.verify and file is None:
        raise mistake("verify_without_file")
    text, name = formula(args)
    if file and os.path.exists(file) and os.path.exists(name):
        if os.path.samefile(file, name):
            raise mistake("output_is_source", file)
    shape = {k: getattr(args, k) for k in ("emit", "sparse", "flat", "numpy")}
    compiled = compile(text, filename=name, **_options(args), **shape)
    remark(compiled.notes)
    if args.sparse and all(f.places is None for f in compiled.functions.values()):
        remark([note("sparse")])
    if not args.no_check and not args.verify:
        report = compiled.check()
        report.require()
        remark(report.notes)
    if file is None:
        put_exactly(compiled.source)
    elif args.verify:
        from gradc.checking.check import compare  # which imports much

        compare(file, compiled.source)
    else:
        write(file, compiled.source, force=args.force)


def run_check(args: Namespace) -> None:
    """Test that a module is what its formula gives, and that it is right.

    gradc check spring.py
    """
    from gradc.checking.check import compare, known

    origin = extract(known(args.file))
    if origin is None:
        raise mistake("module_foreign", args.file)
    options = {**vars(origin), "max_ops": args.max_ops}
    del options["recorded"]
    # What runs is compiled from the formula anew, never the text of the file.
    name = f"{args.file}, formula"
    compiled = compile(options.pop("formula"), filename=name, **options)
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
    """Print the value and the gradient at a point.

    gradc eval spring.txt k=2.5 x=1e-3
    gradc eval -e 'input A[2, 2]; sum(A)' A=[[1,2],[3,4]]
    gradc eval -e 'x * tanh(y)' x=2 y=0.5 --json
    """
    from gradc import show  # only these commands need it

    text, name = formula(args)
    compiled = compile(text, filename=name, **_options(args))
    remark(compiled.notes)
    inputs = grouped(compiled.program.inputs)
    at = point(args.words, inputs)
    several = "value_and_jacobian" in compiled.functions
    run = compiled.value_and_jacobian if several else compiled.value_and_grad
    value, slopes = run(
        *(nest([at[item.name] for item in i.elements], i.shape) for i in inputs)
    )
    called, wrt = titles(compiled.program), elements(compiled.program, compiled.wrt)
    values, flat, n = list(leaves(value)), list(leaves(slopes)), len(wrt)
    rows = {name: flat[k * n : (k + 1) * n] for k, name in enumerate(called)}
    if args.json:
        each = {name: dict(zip(wrt, row)) for name, row in rows.items()}
        both = {"value": dict(zip(called, values)), "jacobian": each}
        one = {"value": values[0], "gradient": each[called[0]]}
        return put(_json(both if len(called) > 1 else one))
    lines = []
    for name, x in zip(called, values):
        of = "" if called == ["value"] else name
        lines += [(name, repr(x))]
        lines += [(f"d{of}/d{by}", repr(slope)) for by, slope in zip(wrt, rows[name])]
    put(show.table(lines))


def run_show(args: Namespace) -> None:
    """Print the program as it is after a pass.

    gradc show derive spring.txt
    gradc show lower -e 'x * tanh(y)' x=2 y=0.5 --dot | dot -Tsvg >graph.svg
    """
    from gradc import show

    wanted, known = args.stage, [*show.names(args.strict), "all"]
    if wanted not in known:
        names = ", ".join(known)
        raise mistake("stage_unknown", near=known, name=wanted, names=names)
    if args.dot and wanted not in show.programs(args.strict):
        names = ", ".join(show.programs(args.strict))
        raise mistake("stage_without_graph", name=wanted, names=names)
    text, name = formula(args)
    if args.words and not args.dot:
        raise mistake("point_without_graph")
    parts = []
    for title, stage in show.stages(text, name, **_options(args)):
        if wanted == "all":
            parts.append(f"{title}\n{'-' * len(title)}\n{show.shown(stage)}")
        elif title == wanted and args.dot and isinstance(stage, Program):
            at = point(args.words, grouped(stage.inputs)) if args.words else None
            return put(show.dot(stage, args.wrt, at))
        elif title == wanted:
            return put(show.shown(stage))
    put("\n\n".join(parts))


def run_ops(args: Namespace) -> None:
    """List the operations, or show one in full.

    gradc ops
    gradc ops atan2
    """
    from gradc import show

    if not args.name:
        return put(show.table([(row.signature, row.doc) for row in (*OPS, *ARRAYS)]))
    if rows := FUNCTIONS.get(args.name):
        return put("\n".join(f"{row.signature}\n  {row.doc}" for row in rows))
    found = [show.full(row) for row in OPS if args.name in show.calls(row)]
    if not found:
        names = {name for row in OPS for name in show.calls(row)}
        near = sorted({*names, *FUNCTIONS})
        raise mistake("operation_unknown", near=near, name=args.name)
    put("\n\n".join(found))


def run_help(args: Namespace) -> None:
    """List the pages of the manual, or show one.

    gradc help
    gradc help language
    """
    from gradc import show

    pages = manual()
    if not args.topic:
        rows = [(name, text.partition("\n")[0][2:]) for name, text in pages.items()]
        put(f"{show.table(rows)}\n\n`gradc help TOPIC` shows a page.")
    elif args.topic in pages:
        put(pages[args.topic].rstrip("\n"))
    elif args.topic in COMMANDS:
        parser(args.topic).print_help()
    else:
        raise mistake("topic_unknown", near=list(pages), name=args.topic)


# ---- the words


def _matching(pattern: str, read: Callable[[str], Any], says: str) -> Any:
    """What reads the value of an option, if it is as it should be."""

    def reader(text: str) -> Any:
        if not re.fullmatch(pattern, text):
            raise ArgumentTypeError(says)
        return read(text)

    return reader


def _names(text: str) -> tuple[str, ...]:
    found = tuple(map(str.strip, text.split(",")))
    if "" in found:
        raise ArgumentTypeError("a name is empty")
    return found


_count = _matching(r"0{0,9}[1-9]\d{0,17}", int, "it takes a positive number")
_ulp = _matching(r"\d*\.?\d+(e-?\d+)?", float, "it takes a number that is not negative")
_what = _matching("raise|nan|inf", str, "it takes raise, nan or inf")


class Once(argparse.Action):
    """An option of one value, of which a second one is a mistake."""

    def __call__(self, parser: Any, found: Any, value: Any, _: Any = None) -> None:
        if getattr(found, self.dest) is not self.default:
            raise argparse.ArgumentError(self, "it stands there twice")
        setattr(found, self.dest, value)


def _takes(metavar: str, what: str, read: Any = str, default: Any = None) -> Any:
    """An option that takes a value."""
    found = {"action": Once, "metavar": metavar, "help": what}
    return found | {"type": read, "default": default}


def _switch(what: str) -> Any:
    return {"action": "store_true", "help": what}


FORMULA = "expression wrt strict max-ops"
MODULE = "output emit sparse flat numpy outside verify no-check force"
# Each command: what it runs, the words behind it, and its options.
COMMANDS: Mapping[str, tuple[Callable[[Namespace], None], str, str]] = {
    "compile": (run_compile, "SOURCE", f"{FORMULA} {MODULE}"),
    "check": (run_check, "FILE.py", "max-ulp max-ops json"),
    "eval": (run_eval, "SOURCE NAME=NUMBER ...", f"{FORMULA} outside json"),
    "show": (run_show, "PASS SOURCE [NAME=NUMBER ...]", f"{FORMULA} dot"),
    "ops": (run_ops, "[NAME]", ""),
    "help": (run_help, "[TOPIC]", ""),
}
# Each word: the name it goes by, how many there are, and its help.
WORDS: Mapping[str, tuple[str, str | None, str]] = {
    "SOURCE": ("words", "*", "a file with a formula, or - for standard input"),
    "FILE.py": ("file", None, "a module that gradc wrote"),
    "PASS": ("stage", None, "parse, lower, derive, ... or all; a wrong one lists them"),
    "[NAME]": ("name", "?", "a name or a symbol, such as log or '*'"),
    "[TOPIC]": ("topic", "?", "a page of the manual, or a command"),
}
SHORT = {"expression": ["-e"], "output": ["-o"]}
OPTIONS: Mapping[str, Any] = {
    "expression": _takes("TEXT", "the formula itself, for SOURCE"),
    "output": _takes("FILE", "the module to write, else it is printed"),
    "wrt": _takes("x,y", "differentiate by these inputs only", _names),
    "emit": _takes("x,y", f"the functions to write, of {', '.join(EMITTED)}", _names),
    "sparse": _switch("of a matrix only what is not always zero, at ROWS and COLUMNS"),
    "flat": _switch("take all inputs in one flat sequence"),
    "numpy": _switch("take and return NumPy arrays"),
    "outside": _takes("WHAT", "where there is no value: raise, nan or inf", _what),
    "strict": _switch("the value is bit for bit that of the formula as written"),
    "max-ops": _takes("N", f"refuse more operations ({MAX_OPS})", _count, MAX_OPS),
    "verify": _switch("only test that FILE is up to date"),
    "no-check": _switch("do not test the module"),
    "force": _switch("overwrite a file that is not gradc's"),
    "max-ulp": _takes("N", "fail if an error is more units in the last place", _ulp),
    "json": _switch("print JSON"),
    "dot": _switch("the graph for Graphviz, with numbers if a point is given"),
}


class Parser(argparse.ArgumentParser):
    """Raises its mistakes, for the command line to print them like all others."""

    def error(self, message: str) -> NoReturn:
        raise mistake("usage", message=message, prog=self.prog)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End after help or version; a closed pipe shows here and not at the exit."""
        print(end="", flush=True)
        super().exit(status, message)


def read(words: Sequence[str]) -> Namespace:
    """Read a command line; its `command` says which of the commands it is.

    Raises:
        GradcError: it cannot be read.
        SystemExit: it asked for help or for the version, and has got it.
    """
    command = words[0] if words else ""
    if command.startswith("-"):
        parser().parse_args(words)
    if not command or command.startswith("-"):
        raise mistake("command_missing", names=", ".join(COMMANDS))
    if command not in COMMANDS:
        known, names = list(COMMANDS), ", ".join(COMMANDS)
        raise mistake("command_unknown", near=known, name=command, names=names)
    return parser(command).parse_intermixed_args(_joined(words[1:]))


def _joined(words: Sequence[str]) -> list[str]:
    """Join `-e` with the word behind it; what is behind `--` is no option."""
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*found, *(f"./{w}" if w[:1] == "-" != w else w for w in rest)]
        if word == "--ieee":
            raise mistake("ieee_replaced")
        if word in ("-e", "--expression"):
            text = next(rest, None)
            word = word if text is None else f"--expression={text}"
        found.append(word)
    return found


def parser(command: str = "") -> Parser:
    """The parser of a command, or of what stands before one: help and version.

    Its help is a docstring: a sentence, and below it examples.
    """
    run, words, options = COMMANDS.get(command, (None, "COMMAND ...", ""))
    doc, _, examples = ((run.__doc__ if run else ABOUT) or "").partition("\n\n")
    result = Parser(
        prog=f"gradc {command}".rstrip(),
        usage=f"gradc {command} [OPTION ...] {words}" if run else f"gradc {words}",
        description=doc if run else f"{doc}\n\ncommands:\n{_listed()}",
        epilog=f"example:\n{indent(dedent(examples).strip(), '  ')}",
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=80),
        allow_abbrev=False,
    )
    result.set_defaults(command=command)
    if run is None:
        version = f"gradc {__version__}"
        result.add_argument("--version", action="version", version=version)
    for word in filter(WORDS.__contains__, words.split()):
        name, count, what = WORDS[word]
        result.add_argument(name, metavar=word, nargs=count, default=[], help=what)
    for name in options.split():
        result.add_argument(*SHORT.get(name, []), f"--{name}", **OPTIONS[name])
    return result


def _listed() -> str:
    """The commands and what they do."""
    lines = []
    for name, (run, *_) in COMMANDS.items():
        first = (run.__doc__ or " ").partition(".")[0]
        lines.append(f"  {name:9} {first[:1].lower()}{first[1:]}")
    return "\n".join(lines)


def _options(args: Namespace) -> dict[str, Any]:
    """What `compile` and `show` are asked for."""
    found = {"wrt": args.wrt, "strict": args.strict, "max_ops": args.max_ops}
    if getattr(args, "outside", None):
        found["outside"] = args.outside
    return found


# ---- the formula and its numbers


def formula(args: Namespace) -> tuple[str, str]:
    """The text of the formula and its name; leaves the values of a point in `words`.

    Raises:
        GradcError: there is no formula, it cannot be read, or a word is left over.
    """
    values = [w for w in args.words if "=" in w and w.partition("=")[0].isidentifier()]
    files = [word for word in args.words if word not in values]
    if args.expression is None and not files:
        raise mistake("source_missing")
    surplus = files[1:] if args.expression is None else files
    if args.command == "compile":
        surplus += values
    if surplus:
        key = "word_unexpected" if args.command == "compile" else "word_behind"
        raise mistake(key, word=surplus[0])
    args.words = values
    if args.expression is not None:  # what is no text arrives in surrogates
        return decode(os.fsencode(args.expression), "<formula>"), "<formula>"
    if files[0] == "-":
        return standard_input(), "<stdin>"
    return read_text(files[0]), files[0]


def point(words: Sequence[str], arguments: Sequence[Argument]) -> dict[str, float]:
    """Read `x=1 w=2,3 A=[[4,5],[6,7]]`, into the elements in their order.

    Raises:
        GradcError: a name is unknown, missing or given twice, a value is no number, or
            an array has another number of them; how they are nested is not looked at.
    """
    known = {argument.name: argument for argument in arguments}
    given: dict[str, list[float]] = {}
    for word in words:
        name, _, text = word.partition("=")
        name = normalize("NFC", name)
        if name not in known:
            inputs = listed(list(known))
            raise mistake("argument_unknown", name=name, inputs=inputs)
        if name in given:
            raise mistake("argument_twice", name=name)
        parts = re.sub(r"[][\s]", "", text).split(",")
        if len(parts) != len(known[name].elements):
            wanted, found = len(known[name].elements), len(parts)
            raise mistake("argument_count", name=name, found=found, wanted=wanted)
        given[name] = [_number(name, part) for part in parts]
    if missing := [name for name in known if name not in given]:
        example = " ".join(f"{name}=1.5" for name in missing[:3])
        example += " ..." if missing[3:] else ""
        raise mistake("arguments_missing", names=listed(missing), example=example)
    names = [item.name for argument in arguments for item in argument.elements]
    return dict(zip(names, [x for name in known for x in given[name]]))


def _number(name: str, text: str) -> float:
    """Read a decimal number, or an infinity or NaN that is spelled out."""
    try:
        value = float(text)
    except ValueError:
        raise mistake("argument_malformed", name=name, text=text) from None
    if math.isinf(value) and "inf" not in text.lower():
        raise mistake("argument_large", name=name, text=text)
    return value


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
    """Print notes, which are no part of what was asked for."""
    for note in notes:
        print(note, file=sys.stderr)


def _json(found: Any) -> str:
    """JSON, which has neither infinities nor NaN: these are strings."""

    def spelled(part: Any) -> Any:
        if isinstance(part, Mapping):
            return {name: spelled(inner) for name, inner in part.items()}
        return repr(part) if part in (math.inf, -math.inf) or part != part else part

    return json.dumps(spelled(found), indent=2)
