"""The command line: its words, what each command does, and how it ends.

What was asked for goes to standard output; notes and mistakes go to standard error. The
exit code is 0 if all is well, 1 if the input is at fault, 2 if the command line is, and
3 for a bug in gradc. The help of a command is its docstring.
"""

import argparse
import json
import math
import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent, indent
from time import monotonic
from typing import Any, NoReturn
from unicodedata import normalize

from gradc import __version__
from gradc.arrays import leaves
from gradc.compiler import TARGETS, compile, target_of, require_options
from gradc.errors import DomainError, GradcError, listed, mistake, remedy, table
from gradc.files import MISSING, numbers, read_text, write
from gradc.functions import EMITTED, titles
from gradc.ir import Program, elements, grouped
from gradc.ops import ARRAYS, OPS
from gradc.targets.origin import OUTSIDE, extract

FINE, INPUT, USAGE, BUG = range(4)
INTERRUPTED, PIPE_CLOSED = 128 + 2, 128 + 13  # as a shell reports SIGINT and SIGPIPE
ABOUT = """Compile a formula into a Python module with its value and gradient.

gradc compile -e 'x * tanh(y)' -o f.py"""


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of the process, and return the exit code."""
    words = sys.argv[1:] if words is None else words
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal may lack some characters
            stream.reconfigure(errors="backslashreplace")
    try:
        with suppress(SystemExit):  # for help, or for the version
            args = read(words)
            COMMANDS[args.command][0](args)
        sys.stdout.flush()
        return FINE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return _report(error, words)


def _report(error: Exception, words: Sequence[str]) -> int:
    """Say what went wrong, and return the exit code."""
    if isinstance(error, OSError):  # of standard output, for files have their own
        if sys.stdout is sys.__stdout__:  # which Python would flush again at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            return PIPE_CLOSED
        error = mistake("unwritable", "<stdout>", reason=error.strerror or str(error))
    elif isinstance(error, MemoryError):
        error = mistake("memory_exhausted")
    elif not isinstance(error, GradcError):
        if os.environ.get("GRADC_TRACEBACK"):
            raise error
        said = f"{type(error).__name__}: {error}".partition("\n")[0]
        error = mistake("bug", said=said.removesuffix(": "))
    text, codes = str(error), {"UsageMistake": USAGE, "BugMistake": BUG}
    if error.kind == "UsageMistake":
        command = "".join(f" {word}" for word in words[:1] if word in COMMANDS)
        text = f"gradc{command}: {error}"
    print(text, file=sys.stderr)
    return codes.get(error.kind, INPUT)


def run_compile(args: Namespace) -> None:
    """Compile a formula to a Python module.

    gradc compile spring.txt -o spring.py
    gradc compile -e 'x * tanh(y)' --wrt x
    gradc compile spring.txt --emit hessian,hvp --flat -o hessian.py
    gradc compile --verify spring.txt -o spring.py
    gradc compile --target c --header spring.txt -o spring.c
    gradc compile --native spring.txt -o spring.py
    """
    file = None if args.output == "-" else args.output
    if args.verify and file is None:
        raise mistake("verify_without_file")
    text, name = formula(args)
    if file and all(map(os.path.exists, (file, name))) and os.path.samefile(file, name):
        raise mistake("output_is_source", file)
    is_c = args.native or (file and target_of(file, args.target)[0] == "c")
    if args.header and not is_c:
        raise mistake("option_alone", name="--header", others="--native, or a C file")
    if args.no_build and not args.native:
        raise mistake("option_alone", name="--no-build", others="--native")
    has_check = not args.no_check and not args.verify
    compiled = compile(text, filename=name, check=has_check, **_options(args))
    sys.stderr.writelines(f"{note}\n" for note in compiled.notes)
    if args.native and (file is None or not file.endswith(".py")):
        raise mistake("native_without_file")
    if file is None:
        text = compiled.text(args.target or "python")
        sys.stdout.buffer.write(text.encode())  # whatever the terminal has
        return
    target, stem = target_of(file, args.target)
    if args.native:
        compiled.origin = replace(compiled.origin, native=True)
        require_options(compiled.formula, compiled.origin)
    files = {file: compiled.text(target, stem)}
    for end in ["c"] * args.native + ["h"] * args.header:
        files[f"{os.path.splitext(file)[0]}.{end}"] = compiled.text(end, stem)
    for path, text in files.items():
        if args.verify:
            from gradc.checking.check import compare  # which imports much

            compare(path, text)
        else:
            write(path, text, force=args.force)
    if args.native and not (args.no_build or args.verify):
        from gradc.targets.native import built

        print(built(file), file=sys.stderr)


def run_check(args: Namespace) -> None:
    """Test that a module is what its formula gives, and that it is right.

    gradc check spring.py
    """
    from gradc.checking.check import compare, known

    origin = extract(known(args.file))
    if origin is None:
        raise mistake("module_recorded", args.file)
    # What runs is compiled from the formula anew, never the text of the file.
    options = {**vars(origin), **_options(args), "filename": f"{args.file}, formula"}
    del options["recorded"]
    compiled = compile(options.pop("formula"), **options)
    compare(args.file, compiled.text(*target_of(args.file)))
    report = compiled.check(thorough=True)
    if args.max_ulp is not None:
        if find_spec("flint") is None:
            raise mistake("certified_missing")
        report.limit(args.max_ulp)
    if args.json:
        print(_json(report.as_dict()))
    elif report.ok:
        print(*report.lines(), sep="\n")
    report.require()


def run_eval(args: Namespace) -> None:
    """Print the value and the gradient at a point.

    gradc eval spring.txt k=2.5 x=1e-3
    gradc eval --certified --digits 30 -e 'sin(x)/x' x=0
    gradc eval -e 'input A[2, 2]; sum(A)' A=[[1,2],[3,4]]
    gradc eval -e 'data t[n]; input a; sum(exp(a*t))' t=0,1,2 a=0.5
    gradc eval -e 'x * tanh(y)' x=2 y=0.5 --json
    """
    text, name = formula(args)
    compiled = compile(text, filename=name, **_options(args))
    sys.stderr.writelines(f"{note}\n" for note in compiled.notes)
    given = point(args.words, compiled.program)
    compiled = compiled.sized(given)
    function, every = compiled._asked
    call, names = getattr(compiled, function.name), [number.title for number in every]
    more: dict[str, Any] = {}
    if args.certified:
        limits = {"max_bits": args.max_bits} if args.max_bits else {}
        digits = args.digits if args.json else max(args.digits or 0, 20)
        sure = compiled.certified(*given, digits=digits, **limits)
        if not args.json:
            return print(_beside(sure, names, call, given, args))
        found = sure.value, sure.gradient
        more = {"undecided": sure.undecided, "conventions": sure.conventions}
    elif args.digits or args.max_bits:
        raise mistake("digits_without")
    else:
        found = call(*given)
    if not args.json:
        return print(table([*zip(names, leaves(found))]))
    values, slopes = map(leaves, found)
    value = dict(zip(titles(compiled.program), values))
    wrt = elements(compiled.program, compiled.wrt)
    rows = {name: {x: next(slopes) for x in wrt} for name in value}
    if function.name == "value_and_jacobian":
        print(_json({"value": value, "jacobian": rows, **more}))
    else:
        print(_json({"value": value["value"], "gradient": rows["value"], **more}))


def _beside(
    sure: Any, names: list[str], call: Any, given: list[Any], args: Namespace
) -> str:
    """The certified numbers at a point, with those of the module and their errors."""
    ours, rows = [math.nan] * len(names), []
    try:
        ours = [*leaves(call(*given))]
    except DomainError as error:
        print(error, file=sys.stderr)
    for name, text, found in zip(names, leaves([sure.value, sure.gradient]), ours):
        if text is None:
            rows.append((name, f"undecided: {sure.undecided[name]}"))
            continue
        shown = f"{Decimal(text):.{args.digits}g}" if args.digits else repr(float(text))
        if math.isfinite(found) and math.isfinite(true := float(text)):
            off = float(abs(Decimal(found) - Decimal(text))) / math.ulp(true)
            shown += f"  the module gives {found!r}, {off:.2g} ulp off"
        rows.append((name, shown))
    return "\n".join([table(rows), *[f"by convention: {c}" for c in sure.conventions]])


def run_vectors(args: Namespace) -> None:
    """Print points with certified numbers, to test code in any language, as JSON.

    gradc vectors spring.txt
    gradc vectors spring.txt --points 100
    """
    try:
        from gradc.checking.certified import vectors
    except ImportError:
        raise mistake("certified_missing") from None
    text, name = formula(args)
    compiled = compile(text, filename=name, **_options(args))
    print(_json(vectors(compiled, args.points or 16)))


def run_fit(args: Namespace) -> None:
    """Fit the parameters of a formula to the columns of a CSV file.

    gradc fit decay.txt readings.csv --start a=1,b=0.5
    gradc fit -e 'a*exp(-b*t)' readings.csv --response y --start a=1,b=0.5 --json
    gradc fit decay.txt readings.csv --start a=1,b=0.5 --bounds b=0:
    """
    if len(args.words) + (args.expression is not None) != 2:
        raise mistake("fit_words")
    *args.words, data = args.words
    text, name = formula(args)
    try:
        from gradc.fitting import fit
    except ImportError:
        raise mistake("fit_needs", name="NumPy", extra="fit") from None
    words = "response sigma relative_sigma missing native".split()
    given: Any = {word: getattr(args, word) for word in words}
    given |= {"bounds": assigned(args.bounds), "rename": assigned(args.map)}
    begun, has_terminal = monotonic(), sys.stderr.isatty()

    def tell(count: int) -> None:
        if has_terminal and monotonic() > begun + 1:
            print(f"{count} evaluations", end="\r", file=sys.stderr, flush=True)

    start = assigned(args.start)
    found = fit(text, data, start, progress=tell, filename=name, **given)
    sys.stderr.write("\033[K" * has_terminal)
    shown = str(found) if found.converged else str(found).removesuffix(found.reason)
    print(_json(found.as_dict()) if args.json else shown.rstrip())
    if args.plot:
        found.plot(args.plot)
    if not found.converged:
        raise mistake("fit_unsolved", reason=found.reason)


def run_show(args: Namespace) -> None:
    """Print the program as it is after a pass.

    gradc show derive spring.txt
    gradc show lower -e 'x * tanh(y)' x=2 y=0.5 --dot | dot -Tsvg >graph.svg
    """
    from gradc import show

    text, name = formula(args)
    known = ["all"]
    for title, stage in show.stages(text, name, **_options(args)):
        if args.dot and not isinstance(stage, Program):
            continue
        known.append(title)
        if args.stage == "all":
            print(f"{title}\n{'-' * len(title)}\n{show.shown(stage)}\n")
        elif title == args.stage and args.dot and isinstance(stage, Program):
            given = leaves(point(args.words, stage) if args.words else [])
            at = dict(zip([item.name for item in stage.inputs], given))
            return print(show.dot(stage, args.wrt, at))
        elif title == args.stage:
            return print(show.shown(stage))
    if args.stage != "all":
        names = ", ".join(known)
        raise mistake("stage_unknown", near=known, name=args.stage, names=names)


def run_ops(args: Namespace) -> None:
    """List the operations, or show one in full.

    gradc ops
    gradc ops atan2
    """
    from gradc import show

    rows = *OPS, *ARRAYS
    if not args.name:
        print(table([(row.signature, row.doc) for row in rows]))
    elif found := [show.full(row) for row in rows if args.name in show.calls(row)]:
        print("\n\n".join(found))
    else:
        every = sorted({name for row in rows for name in show.calls(row)})
        raise mistake("operation_unknown", near=every, name=args.name)


def run_help(args: Namespace) -> None:
    """List the pages of the manual, or show one.

    gradc help
    gradc help language
    """
    paths = sorted((Path(__file__).parent / "manual").glob("*.md"))
    pages = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    if not args.topic:
        rows = [(name, text.partition("\n")[0][2:]) for name, text in pages.items()]
        print(f"{table(rows)}\n\n`gradc help TOPIC` shows a page.")
    elif args.topic in pages:
        print(pages[args.topic], end="")
    else:
        raise mistake("topic_unknown", near=list(pages), name=args.topic)


def count(text: str) -> int:
    if not int(text) > 0:
        raise ValueError
    return int(text)


FORMULA = "-e/--expression --wrt --strict --max-ops --columns"
MODULE = "--target --header --native --no-build --emit --sparse --flat --numpy --bare --half-angle --outside --verify --no-check --force"
CERTIFIED = "--json --certified --digits --max-bits"
FITTED = "--start --response --sigma --relative-sigma --bounds --map --missing --native --plot"
# Each command: what it runs, and its words and options.
COMMANDS: Mapping[str, tuple[Callable[[Namespace], None], str]] = {
    "compile": (run_compile, f"words {FORMULA} -o/--output {MODULE}"),
    "check": (run_check, "file --max-ulp --max-ops --json"),
    "eval": (run_eval, f"words+point {FORMULA} --outside {CERTIFIED}"),
    "vectors": (run_vectors, f"words {FORMULA} --emit --points"),
    "fit": (run_fit, f"words+data -e/--expression {FITTED} --json"),
    "show": (run_show, f"stage words+point {FORMULA} --dot"),
    "ops": (run_ops, "name"),
    "help": (run_help, "topic"),
}
# What is not said of a word by its row of `mistakes.txt`.
_MANY: Any = {"nargs": "*", "default": []}
MORE: Mapping[str, Any] = {
    **{"words": _MANY, "words+point": _MANY, "words+data": _MANY},
    **{"name": {"nargs": "?"}, "topic": {"nargs": "?"}},
    **{"--outside": {"choices": OUTSIDE}, "--target": {"choices": TARGETS}},
    **{"--missing": {"choices": MISSING, "default": "raise"}},
    **dict.fromkeys(("--start", "--bounds", "--map"), {"action": "append"}),
    "--max-ulp": {"type": float},
}


class Parser(argparse.ArgumentParser):
    """Its help is a docstring: a sentence, and below it examples."""

    def __init__(self, prog: str, doc: str) -> None:
        doc, _, examples = doc.partition("\n\n")
        ends = f"example:\n{indent(dedent(examples).strip(), '  ')}"
        raw = argparse.RawDescriptionHelpFormatter
        super().__init__(prog, None, doc, ends, formatter_class=raw, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        key = "ieee_left" if "--ieee" in message else "usage"
        raise mistake(key, message=message, prog=self.prog)


def read(words: Sequence[str]) -> Namespace:
    """Read a command line; its `command` says which of the commands it is."""
    first = Parser("gradc", ABOUT)
    names = ", ".join(COMMANDS)
    first.add_argument("command", metavar="COMMAND", nargs="?", default="", help=names)
    first.add_argument("--version", action="version", version=f"gradc {__version__}")
    command = first.parse_args(words[:1]).command
    if command not in COMMANDS:
        raise mistake("command_unknown", near=COMMANDS, name=command, names=names)
    run, takes = COMMANDS[command]
    parser = Parser(f"gradc {command}", run.__doc__ or "")
    parser.set_defaults(command=command)
    for word in takes.split():
        called, _, what = (remedy("OPTIONS", word) or "").rpartition(" ~ ")
        more: Any = {"help": what.format(emitted=", ".join(EMITTED))}
        more |= {"metavar": called} if called else {}
        more |= {"type": count} if called == "N" else {}
        more |= MORE.get(word, {} if called else {"action": "store_true"})
        parser.add_argument(*word.partition("+")[0].split("/"), **more)
    # A text behind `-e` may begin with a minus.
    text = re.sub("\0(-e|--expression)\0", "\0--expression=", "\0".join(words))
    return parser.parse_intermixed_args(text.split("\0")[1:])


def _options(args: Namespace) -> dict[str, Any]:
    """What `compile` and `show` are asked for."""
    words = "wrt strict max_ops columns outside emit sparse flat numpy bare half_angle"
    given = {name: getattr(args, name, None) for name in words.split()}
    return {name: x for name, x in given.items() if x is not None}


def formula(args: Namespace) -> tuple[str, str]:
    """The text of the formula and its name; leaves the values of a point in `words`."""
    values = [w for w in args.words if "=" in w and w.split("=")[0].isidentifier()]
    files = [word for word in args.words if word not in values]
    if args.expression is None and not files:
        raise mistake("source_missing")
    has_point = args.command == "eval" or getattr(args, "dot", False)
    if surplus := files[args.expression is None :] + values * (not has_point):
        raise mistake("word_unexpected", word=surplus[0])
    args.words = values
    if args.expression is not None:
        return args.expression, "<formula>"
    return read_text(files[0]), "<stdin>" if files == ["-"] else files[0]


def point(words: Sequence[str], program: Program) -> list[Any]:
    """The arguments of a program in order, from `x=1 w=2,3 A=[[4,5],[6,7]]`."""
    given, inputs = assigned(words), grouped(program.inputs)
    known = {item.name: item for item in inputs}
    if odd := [name for name in known | given if name not in known.keys() & given]:
        raise mistake("point_names", names=listed(odd), inputs=listed(known))
    return [numbers(item, given[name]) for name, item in known.items()]


def assigned(texts: Sequence[str] | None) -> dict[str, str]:
    """What has a name in some texts, each once: `a=1,b=2,3` is a of 1, and b of 2,3."""
    text, found = ",".join(texts or ()), dict[str, str]()
    for part in re.split(r",(?=[^,=]*=)", text) if text else ():
        name, sign, value = part.partition("=")
        if not sign:
            raise mistake("pair", word=name)
        if (name := normalize("NFC", name.strip())) in found:
            raise mistake("pair_twice", name=name)
        found[name] = value.strip()
    return found


def _json(found: Any) -> str:
    """JSON, which has neither infinities nor NaN: these are strings."""
    plain = json.loads(json.dumps(found), parse_constant=lambda x: repr(float(x)))
    return json.dumps(plain, indent=2)
