"""What a module was compiled from: into its text, and out of it again.

The docstring has the formula; comments below it have the options, and a digest of
everything else.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from textwrap import dedent

from gradc import __version__
from gradc.errors import visible
from gradc.spelling import PYTHON, Language

CERTAIN = "certified"
OUTSIDE = ("raise", "nan", "inf", CERTAIN)
# What would end a comment, begin another, be a backslash to C, or end a script.
_DEFUSED = [("*/", "* /"), ("/*", "/ *"), ("??/", "?? /"), ("</", "< /")]
UNSURE = frozenset({"hvp", "jvp", "vjp", "value_grad_and_error"})  # nothing is certain


@dataclass(frozen=True)
class Origin:
    """What a module was compiled from: the formula's text and the options."""

    formula: str
    wrt: tuple[str, ...] | None = None
    strict: bool = False
    outside: str = "raise"
    emit: tuple[str, ...] | None = None
    sparse: bool = False
    flat: bool = False
    numpy: bool = False
    bare: bool = False
    columns: tuple[str, ...] = ()
    half_angle: bool = False
    native: bool = False
    recorded: str = ""  # the Python function, if it is no formula

    @property
    def kind(self) -> str:
        """What it is that was compiled."""
        return "recorded function" if self.recorded else "formula"

    @property
    def options(self) -> str:
        """The options that are not those by default, as JSON."""
        plain = asdict(Origin(self.formula, recorded=self.recorded))
        options = {k: v for k, v in asdict(self).items() if v != plain[k]}
        return json.dumps(options, ensure_ascii=False)

    def signed(
        self, functions: Sequence[str], text: str, language: Language = PYTHON
    ) -> str:
        """The text of a file with some functions, and what stands above it."""
        others, is_python = functions[1:], language is PYTHON
        what = " and its derivatives" if others else ""
        what = " and its gradient" if others == ["value_and_grad"] else what
        body, sign = self.recorded or embedded(self.formula), language.remark
        opens, closes = ('"""', '"""') if is_python else ("/* ", "*/")
        escaped = [("\\", "\\\\"), ('"""', '\\"\\"\\"')]
        for one, other in escaped if is_python else _DEFUSED:
            body = body.replace(one, other)
        head = [f"{opens}A {self.kind}{what}, compiled by gradc {__version__}.", ""]
        head += [*map(visible, body.split("\n")), closes, ""]
        head += ["# fmt: off  # ruff: noqa"] if is_python else []
        head.append(f"{sign} Do not edit: change the {self.kind} and compile it again.")
        if self.options != "{}":
            head.append(f"{sign} options: {self.options}")
        before, behind = "\n".join([*head, f"{sign} digest: "]), f"\n\n{text}"
        return f"{before}{digest(before + behind)}{behind}"


def embedded(formula: str) -> str:
    """The formula as a module carries it: no space at line ends, no empty ends."""
    lines = [line.rstrip(" \t") for line in formula.split("\n")]
    return dedent("\n".join(lines)).strip("\n")


def _end(text: str) -> int:
    """Where the docstring ends, or the first comment of C or JavaScript."""
    return text.find("*/" if text.startswith("/*") else '"""', 3)


def _comment(name: str, text: str) -> re.Match[str] | None:
    """A comment behind the docstring, whose formula may have such lines as well."""
    line = re.compile(f"^(?:#|//) {name}: (.*)$", re.MULTILINE)
    return line.search(text, max(_end(text), 0))


def parted(text: str) -> tuple[str, str]:
    """The digest that a module carries, if it does, and its text without it."""
    match = _comment("digest", text)
    if match is None:
        return "", text
    return match[1], text[: match.start(1)] + text[match.end(1) :]


def digest(text: str, size: int = 16) -> str:
    """The digest of a module's text, whatever digest it already carries."""
    return hashlib.sha256(parted(text)[1].encode()).hexdigest()[:size]


def fault(text: str) -> str:
    """The mistake of a text that gradc did not write, or not so; of any version ""."""
    carried = parted(text)[0]  # of 16 digits, in gradc 0.1 of 32
    if len(carried) in (16, 32) and carried == digest(text, len(carried)):
        return ""
    return "module_edited" if carried else "module_foreign"


def extract(text: str) -> Origin | None:
    """The formula and the options of a file of this version, None if recorded."""
    if text.startswith("/*"):
        docstring = text[3 : _end(text)]
    else:
        docstring = ast.literal_eval(text[: _end(text) + 3])
    title, _, formula = docstring.partition("\n\n")
    match = _comment("options", text)
    try:
        options = json.loads(match[1]) if match else {}
        for name in options.keys() & {"wrt", "emit", "columns"}:
            options[name] = tuple(map(str, options[name]))
        found = Origin(formula.strip("\n"), **options)
    except (AttributeError, RecursionError, TypeError, ValueError):
        return None
    known = title.startswith("A formula") and found.outside in OUTSIDE
    return found if known else None
