"""Errors: every sentence is in the golden file, and points where it says."""

import copy
import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from gradc import errors
from gradc.errors import GradcError
from gradc.parse import parse
from gradc.source import Source
from tests.conftest import load
from tests.test_golden import lowered

PACKAGE = Path(errors.__file__).parent
READERS = ("parse", "mistakes", "spell", "names", "lower")


def said_by(*modules: str) -> dict[str, Any]:
    """The constructors of mistakes that the modules call."""
    text = "".join((PACKAGE / f"{module}.py").read_text("utf-8") for module in modules)
    called = set(re.findall(r"errors\.([a-z_]+)\b", text))
    return {
        name: function
        for name, function in inspect.getmembers(errors, inspect.isfunction)
        if name in called
        and inspect.signature(function).return_annotation is GradcError
    }


def test_golden_errors_show_every_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    said, functions = set(), said_by(*READERS)

    def recording(name: str, function: Any) -> Any:
        def record(*args: Any) -> GradcError:
            said.add(name)
            error = function(*args)
            assert isinstance(error, GradcError)
            return error

        return record

    for name, function in functions.items():
        monkeypatch.setattr(errors, name, recording(name, function))
    for case in load("errors"):
        with pytest.raises(GradcError):
            lowered(case)
    assert said == set(functions)


def mistake(text: str) -> GradcError:
    with pytest.raises(GradcError) as caught:
        parse(text, "expr.txt")
    return caught.value


def test_parts() -> None:
    error = mistake("x = 1\ny = x + * 2")
    assert (error.line, error.column) == (2, 9)
    assert error.source is not None and error.source.name == "expr.txt"
    assert error.span == (14, 15)
    assert error.hint is not None and error.hint in str(error)
    assert isinstance(error, ValueError)


def test_pickle_and_copy() -> None:
    error = mistake("f(a, a) = 1")
    for twin in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(twin) is type(error)
        assert str(twin) == str(error) and twin.line == error.line


def test_caret_stands_under_the_place() -> None:
    lines = str(mistake("\tx + \u4e2d * e\u0301 * 3 %")).split("\n")
    # A tab is shown as one blank; a wide character takes two columns, a mark none.
    assert lines[2] == " " * (4 + 16) + "^"


def test_long_line_is_clipped_around_the_place() -> None:
    text = "x + " * 5000 + "%" + " + x" * 5000
    lines = str(mistake(text)).split("\n")
    assert all(len(line) < 120 for line in lines)
    assert lines[1][lines[2].index("^")] == "%"


def test_what_does_not_print_is_escaped() -> None:
    shown = str(GradcError("m", Source("a\x1b[31m\u202eb", "n\nm"), (0, 1)))
    assert shown == "n\\nm:1:1: m\n    a\\x1b[31m\\u202eb\n    ^"


def test_closest() -> None:
    names = ["tan", "tanh", "sin", "sinh", "asin", "hypot"]
    assert errors.closest("tahn", names) == "tanh"
    assert errors.closest("Sin", names) == "sin"
    assert errors.closest("hipot", names) == "hypot"
    assert errors.closest("frobnicate", names) is None
