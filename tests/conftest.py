"""Golden files: cases of a source and what is expected of it, rewritten by --bless.

    # the derivative of a product reuses both factors
    > x * sin(y)   wrt x, y
    %0 = input x
    ...

Cases are separated by blank lines.  Lines with `>` are the source; its first line may
end in options, three blanks or more after the text.  Characters that an editor would
not show are written as escapes such as `\\u200b`.
"""

import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis.internal.conjecture import providers

import gradc
from gradc.errors import Source
from gradc.ir import Program
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.ops import OPS

GOLDEN = Path(__file__).parent / "golden"
ROOT = Path(__file__).parent.parent

os.environ.setdefault("PYTHONPATH", str(ROOT))  # for programs that tests start

# Special functions, which `test_functions` measures against balls, not the other laws.
FUNCTIONS = frozenset("erfinv erfcinv normppf logit".split())
FUNCTIONS |= frozenset("gammacdf betacdf chi2cdf fcdf poissoncdf voigt".split())
FUNCTIONS |= {row.name for row in OPS if "scipy" in (row.python or "")}

_ESCAPE = re.compile(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})")
_OPTIONS = re.compile(r" {3,}((?:wrt|inputs|max_ops|at|emit) .*)$")


# Hypothesis draws among the constants of all modules that happen to be loaded, so that a
# change of one, or another order of tests, moves what every test draws. Not here.
if hasattr(providers, "_get_local_constants"):
    nothing = providers._local_constants
    providers._get_local_constants = lambda: nothing


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless", action="store_true", help="rewrite what the golden tests expect"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked `some(n)` every n-th case is run always, the others are long."""
    met: Counter[str] = Counter()
    for item in items:
        mark = item.get_closest_marker("some")
        if mark is not None:
            name = item.nodeid.partition("[")[0]
            if met[name] % mark.args[0]:
                item.add_marker(pytest.mark.long)
            met[name] += 1


def read(text: str | Source, name: str = "<formula>", **options: Any) -> Program:
    """The program of a formula before any pass; the options are those of `lower`."""
    return lower(parse(text, name), **options)


@lru_cache(maxsize=None)
def compiled(text: str, **options: Any) -> gradc.Compiled:
    """A formula that several tests compile, compiled once in each process."""
    return gradc.compile(text, **options)


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless"))


@dataclass
class Case:
    """One case of a golden file: comments, source lines, and the expected text."""

    line: int
    comments: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    expected: str = ""

    @property
    def options(self) -> dict[str, str]:
        """The options behind the first source line, `wrt x, y` as {"wrt": "x, y"}."""
        match = _OPTIONS.search(self.written[0])
        words = match[1].split("   ") if match else []
        return dict(word.strip().split(" ", 1) for word in words if word.strip())

    @property
    def source(self) -> str:
        """The source, with its escapes replaced and without the options."""
        first = _OPTIONS.sub("", self.written[0])
        text = "\n".join([first, *self.written[1:]])
        return _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), text)

    def __str__(self) -> str:
        lines = [*self.comments, *(f"> {line}".rstrip() for line in self.written)]
        return "\n".join([*lines, *([self.expected] if self.expected else [])])


def load(name: str) -> list[Case]:
    """Read the cases of a golden file."""
    path = GOLDEN / f"{name}.txt"
    cases = []
    at = 1
    for block in re.split(r"\n{2,}", path.read_text(encoding="utf-8").strip("\n")):
        lines = block.split("\n")
        case = Case(at, comments=[line for line in lines if line.startswith("#")])
        case.written = [line[2:] for line in lines if line.startswith(">")]
        rest = [line for line in lines if not line.startswith(("#", ">"))]
        case.expected = "\n".join(rest)
        cases.append(case)
        at += len(lines) + 1
    return cases


def check(name: str, show: Callable[[Case], str], bless: bool) -> None:
    """Compare every case of a golden file with what `show` says, or rewrite it."""
    cases = load(name)
    wrong = []
    for case in cases:
        if not case.written:
            continue
        found = "\n".join(line.rstrip() for line in show(case).rstrip().split("\n"))
        if found != case.expected:
            wrong.append(f"{name}.txt:{case.line}: {case.source!r}\n{found}")
        case.expected = found
    if bless:
        text = "\n\n".join(str(case) for case in cases)
        (GOLDEN / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    else:
        assert not wrong, "\n\n".join(wrong)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Extensions are built in a folder of the test."""
    monkeypatch.setenv("GRADC_CACHE", str(tmp_path / "cache"))
