"""The grammar of the command line: the commands, their options and their help.

Options stand before or after the words they belong to. `-e` takes the next word as it
is, so that a formula may begin with a minus sign.
"""

from __future__ import annotations

import argparse
import math
import re
import unicodedata
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from gradc import errors
from gradc.emit import EMITTED
from gradc.ir import Argument
from gradc.language.lower import MAX_OPS
from gradc.version import __version__

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

DOC = "Compile a formula into a Python module with its value and gradient."
NUMBERS = re.compile(r"[^][,]+")  # of an array as Python writes it
EXAMPLE = "gradc compile -e 'x * tanh(y)' -o f.py"

COMMANDS = {
    "compile": "compile a formula to a Python module",
    "check": "test that a module is what its formula gives, and that it is right",
    "eval": "print the value and the gradient at a point",
    "show": "print the program as it is after a pass",
    "ops": "list the operations, or show one in full",
}
EXAMPLES = {
    "compile": """
  gradc compile spring.txt -o spring.py
  gradc compile -e 'x * tanh(y)' --wrt x
  gradc compile spring.txt --emit hessian,hvp --flat -o hessian.py
  gradc compile --verify spring.txt -o spring.py""",
    "check": """
  gradc check spring.py""",
    "eval": """
  gradc eval spring.txt k=2.5 x=1e-3
  gradc eval -e 'input A[2, 2]; sum(A)' A=[[1,2],[3,4]]
  gradc eval -e 'x * tanh(y)' x=2 y=0.5 --json""",
    "show": """
  gradc show derive spring.txt
  gradc show lower -e 'x * tanh(y)' x=2 y=0.5 --dot | dot -Tsvg >graph.svg""",
    "ops": """
  gradc ops
  gradc ops atan2""",
}


class Once(argparse.Action):
    """An option of one value, of which a second one is a mistake."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) is not self.default:
            raise argparse.ArgumentError(self, "it stands there twice")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """Raises its mistakes, for the command line to print them like all others.

    Only for help it asks how wide the terminal is, which takes long.
    """

    def error(self, message: str) -> NoReturn:
        raise errors.usage(message, self.prog)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        super().print_help(file)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End after help or version; a closed pipe shows here and not at the exit."""
        print(end="", flush=True)
        super().exit(status, message)


def read(words: Sequence[str]) -> argparse.Namespace:
    """Read a command line; its `command` says which of the commands it is.

    Raises:
        UsageMistake: it cannot be read.
        SystemExit: it asked for help or for the version, and has got it.
    """
    command = words[0] if words else ""
    if command.startswith("-"):
        top().parse_args(words)
    if not command or command.startswith("-"):
        raise errors.command_missing(list(COMMANDS))
    if command not in COMMANDS:
        raise errors.command_unknown(command, list(COMMANDS))
    return parser(command).parse_intermixed_args(_joined(words[1:]))


def point(words: Sequence[str], arguments: Sequence[Argument]) -> dict[str, float]:
    """Read `x=1 w=2,3 A=[[4,5],[6,7]]`, into the elements in their order.

    Raises:
        GradcError: a name is unknown, missing or given twice, a value is no number, or
            an array has another number of them or another nesting.
    """
    known = {argument.name: argument for argument in arguments}
    given: dict[str, list[float]] = {}
    for word in words:
        name, _, text = word.partition("=")
        name = unicodedata.normalize("NFC", name)
        if name not in known:
            raise errors.argument_unknown(name, list(known))
        if name in given:
            raise errors.argument_twice(name)
        given[name] = [number(name, part) for part in _parts(text, known[name])]
    if missing := [name for name in known if name not in given]:
        raise errors.arguments_missing(missing)
    return {
        element.name: x
        for argument in arguments
        for element, x in zip(argument.elements, given[argument.name])
    }


def _parts(text: str, argument: Argument) -> list[str]:
    """The numbers of an argument: of an array nested like it, or in a row."""
    name, shape, elements = argument
    if not shape:
        return [text]
    if "[" not in text:
        parts = text.split(",")
        if len(parts) != len(elements):
            raise errors.argument_count(name, len(parts), len(elements))
        return parts
    nesting = "#"
    for length in reversed(shape):
        nesting = f"[{','.join([nesting] * length)}]"
    if NUMBERS.sub("#", "".join(text.split())) != nesting:
        raise errors.argument_nesting(name, text, shape)
    return NUMBERS.findall("".join(text.split()))


def number(name: str, text: str) -> float:
    """Read a decimal number, or an infinity or NaN that is spelled out."""
    try:
        value = float(text)
    except ValueError:
        raise errors.argument_malformed(name, text) from None
    if math.isinf(value) and "inf" not in text.lower():
        raise errors.argument_large(name, text)
    return value


def _joined(words: Sequence[str]) -> list[str]:
    """Join `-e` with the word behind it; what is behind `--` is no option."""
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*found, *(f"./{w}" if w[:1] == "-" != w else w for w in rest)]
        if word in ("-e", "--expression"):
            text = next(rest, None)
            word = word if text is None else f"--expression={text}"
        found.append(word)
    return found


def top() -> Parser:
    """What stands before a command: only help and version."""
    listed = "\n".join(f"  {name:9} {what}" for name, what in COMMANDS.items())
    result = _parser("gradc", "gradc COMMAND ...", DOC, f"\n  {EXAMPLE}")
    result.description = f"{DOC}\n\ncommands:\n{listed}"
    result.add_argument("--version", action="version", version=f"gradc {__version__}")
    return result


def parser(command: str) -> Parser:
    """The parser of one command."""
    words = {
        "compile": "SOURCE",
        "check": "FILE.py",
        "eval": "SOURCE NAME=NUMBER ...",
        "show": "PASS SOURCE [NAME=NUMBER ...]",
        "ops": "[NAME]",
    }
    prog = f"gradc {command}"
    usage = f"{prog} [OPTION ...] {words[command]}"
    doc = f"{COMMANDS[command][0].upper()}{COMMANDS[command][1:]}."
    result = _parser(prog, usage, doc, EXAMPLES[command])
    result.set_defaults(command=command)
    _OPTIONS[command](result)
    return result


def _parser(prog: str, usage: str, doc: str, examples: str) -> Parser:
    return Parser(
        prog=prog,
        usage=usage,
        description=doc,
        epilog=f"example:{examples}",
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=80),
        allow_abbrev=False,
    )


def _compile(result: Parser) -> None:
    _formula(result, words="SOURCE")
    add = result.add_argument
    add(
        "-o",
        "--output",
        action=Once,
        metavar="FILE",
        help="the module to write, else it is printed",
    )
    what = "the functions to write, of " + ", ".join(EMITTED)
    add("--emit", action=Once, metavar="x,y", type=_names, help=what)
    what = "of a matrix return only what is not always zero, at ROWS and COLUMNS"
    add("--sparse", action="store_true", help=what)
    add("--flat", action="store_true", help="take all inputs in one flat sequence")
    add("--numpy", action="store_true", help="take and return NumPy arrays")
    add("--verify", action="store_true", help="only test that FILE is up to date")
    add("--no-check", dest="check", action="store_false", help="do not test the module")
    add("--force", action="store_true", help="overwrite a file that is not gradc's")
    _ieee(result)


def _check(result: Parser) -> None:
    result.add_argument("file", metavar="FILE.py", help="a module that gradc wrote")
    what = "fail if an error is larger, in units in the last place"
    add = result.add_argument
    add("--max-ulp", action=Once, metavar="N", type=_ulp, help=what)
    _max_ops(result)
    _json(result)


def _eval(result: Parser) -> None:
    _formula(result, words="SOURCE NAME=NUMBER")
    _ieee(result)
    _json(result)


def _show(result: Parser) -> None:
    what = "parse, lower, derive, ... or all; a wrong one lists them"
    result.add_argument("stage", metavar="PASS", help=what)
    _formula(result, words="SOURCE [NAME=NUMBER]")
    what = "the graph for Graphviz, with numbers if a point is given"
    result.add_argument("--dot", action="store_true", help=what)


def _ops(result: Parser) -> None:
    what = "a name or a symbol, such as log or '*'"
    result.add_argument("name", metavar="NAME", nargs="?", help=what)


_OPTIONS = {
    "compile": _compile,
    "check": _check,
    "eval": _eval,
    "show": _show,
    "ops": _ops,
}


def _formula(result: Parser, words: str) -> None:
    add = result.add_argument
    what = "a file with a formula, or - for standard input"
    if "NUMBER" in words:
        what += "; then a number for each input"
    add("words", metavar=words, nargs="*", default=[], help=what)
    what = "the formula itself, for SOURCE"
    add("-e", "--expression", action=Once, metavar="TEXT", help=what)
    what = "differentiate by these inputs only"
    add("--wrt", action=Once, metavar="x,y", type=_names, help=what)
    what = "the value is bit for bit that of the formula as written"
    add("--strict", action="store_true", help=what)
    _max_ops(result)


def _ieee(result: Parser) -> None:
    what = "infinities and NaN are results, and no errors"
    result.add_argument("--ieee", action="store_true", help=what)


def _max_ops(result: Parser) -> None:
    what = "refuse a formula of more operations (%(default)s)"
    add = result.add_argument
    add(
        "--max-ops",
        action=Once,
        metavar="N",
        type=_positive,
        default=MAX_OPS,
        help=what,
    )


def _json(result: Parser) -> None:
    result.add_argument("--json", action="store_true", help="print JSON")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if "" in names:
        raise argparse.ArgumentTypeError("a name is empty")
    return names


def _ulp(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not found >= 0.0:
        raise argparse.ArgumentTypeError("it takes a number that is not negative")
    return found


def _positive(text: str) -> int:
    if not text.isdecimal() or len(text) > 18 or int(text) < 1:
        raise argparse.ArgumentTypeError("it takes a positive number")
    return int(text)
