"""Formulas that mean harm: each ends in a result or a refusal, and in nothing else.

They run in a process of their own, in a minute of the processor and six gigabytes.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import gradc
from gradc.errors import GradcError
from gradc.language import limits
from gradc.targets.origin import extract
from tests.benchmarks.graphs import random_graph
from tests.conftest import ROOT

SECONDS = 60
MEMORY = 6 << 30
N = 50_000
MB = 2_000_000


@dataclass(frozen=True)
class Attack:
    """A formula, written when it is needed.

    Its refusal begins with `said`, or what is noted on it, if anything, with `noted`.
    """

    name: str
    text: Callable[[], str]
    said: str = ""
    noted: str = ""


def doubled(step: str, count: int = 60) -> str:
    """Functions that each call the one before twice."""
    calls = (f"f{k}(a) = " + step.replace("f", f"f{k - 1}") for k in range(1, count))
    return "\n".join(["f0(a) = a*sin(a)", *calls, f"f{count - 1}(x)"])


def chain(line: str, count: int = N) -> str:
    """Statements that each use the one before."""
    lines = (line.format(this=f"v{k}", last=f"v{k - 1}") for k in range(1, count))
    return "\n".join(["v0 = x", *lines, f"v{count - 1}"])


def around(left: str, inner: str, right: str = "", count: int = N) -> str:
    return left * count + inner + right * count


def nested(count: int) -> str:
    """Derivatives, each of which has twice the terms of the one inside it."""
    return around("diff(", "sin(x)*exp(x*x)", ", x)", count)


LARGE, LONG = "too many to compile", f"the name has {MB} characters"
UNCOMPARED = "note: for time, nothing was compared of so large a formula"
QUICK = [
    Attack("nothing", lambda: "", "the formula is empty"),
    Attack("brackets", lambda: around("(", "x", ")")),
    Attack("brackets that stay open", lambda: "(" * N, "'(' is never closed"),
    Attack("brackets that close", lambda: ")" * N, "')' closes nothing"),
    Attack("signs of nothing", lambda: "-" * N, "expected an operand"),
    Attack("plus signs", lambda: around("+", "x")),
    Attack("tower", lambda: "9^9^9^9*x", "this constant has no finite value"),
    Attack("tall tower", lambda: "x*" + "9^" * N + "9", "this constant has no"),
    Attack("digits", lambda: "x*" + "9" * 1_000_000, "larger than any binary64"),
    Attack("zeros", lambda: "x*" + "0" * 1_000_000 + "1", "begins with a zero"),
    Attack("decimals", lambda: "x*0." + "9" * 1_000_000),
    Attack("exponent", lambda: "x*1e" + "9" * 1_000_000, "larger than any binary64"),
    Attack("name", lambda: "x" * MB, LONG),
    Attack("statements on a line", lambda: "x;" * 1_000_000, "only the last"),
    Attack("lines", lambda: "\n" * MB + "x"),
    Attack("only lines", lambda: "\n" * MB, "the formula is empty"),
    Attack("NUL", lambda: "x\0y", "unexpected character '\\x00'"),
    Attack("NULs", lambda: "\0" * 1_000_000, "unexpected character '\\x00'"),
    Attack("comment", lambda: "# " + "x" * MB + "\nx"),
    Attack("functions that share", lambda: doubled("f(a) + f(a)")),
    Attack("third derivatives", lambda: "input x[300]\nhessian(prod(x), x)", LARGE),
]
SLOW = [
    Attack("functions that differ", lambda: doubled("f(a) + f(a + 1)")),
    Attack("bindings that share", lambda: chain("{this} = {last}*{last} + x", 2000)),
    Attack("signs", lambda: around("-", "x")),
    Attack("calls", lambda: around("sin(", "x", ")")),
    Attack("open calls", lambda: "sin(" * N, "'(' is never closed"),
    Attack("conditionals", lambda: around("where(x > 0, ", "x", ", 1)")),
    Attack("conditional expressions", lambda: around("x if x > 0 else ", "1")),
    Attack(
        "different conditions",
        lambda: chain("{this} = where({last} > 0, x, 1)", N // 4),
        noted="note: no point was found at which a condition of",
    ),
    Attack("nots", lambda: f"where({around('not ', 'x > 0')}, x, 1)"),
    Attack(
        "ands",
        lambda: f"where({around('x > 0 and ', 'x > 1', count=N // 3)}, x, 1)",
        noted="note: no point was found at which",
    ),
    Attack(
        "comparisons",
        lambda: f"where({around('x < ', '1', count=N // 3)}, x, 1)",
        noted="note: no point was found at which",
    ),
    Attack(
        "powers",
        lambda: around("x^", "2", count=N // 40),
        noted="note: no point was found at which a condition of",
    ),
    Attack("comparison as a number", lambda: around("(", "x > 0", ")"), "a comparison"),
    Attack("tower of powers", lambda: "x^" * 2 * N + "x", LARGE),
    Attack(
        "powers of powers",
        lambda: "x^" * 20_000 + "x",
        noted="note: no point was found at which a condition of",
    ),
    Attack("powers to powers", lambda: "(" * 500 + "x" + "^x)" * 500, LARGE),
    Attack("derivatives of derivatives", lambda: nested(30), LARGE),
    Attack("functions of functions", lambda: doubled("f(f(a))"), LARGE),
    Attack("functions in a chain", lambda: doubled("f(a)", N)),
    Attack("statements", lambda: chain("{this} = sin({last})")),
    Attack(
        "operations that share",
        lambda: random_graph(N // 5).formula(),
        noted="note: for time, nothing was compared: at none of",
    ),
    Attack("inputs", lambda: "+".join(f"x{k}" for k in range(N // 2))),
    Attack("arguments", lambda: f"max({'x, ' * (N // 10)}y)", noted=UNCOMPARED),
    Attack("declared", lambda: f"input {','.join(f'x{k}' for k in range(N))}\nx0"),
    Attack("sum", lambda: "x+" * (MB // 2) + "x", noted=UNCOMPARED),
    Attack("product of brackets", lambda: "(x)*" * (MB // 4) + "x", noted=UNCOMPARED),
    Attack("open brackets", lambda: "(" * MB, "'(' is never closed"),
    Attack("minus signs", lambda: "-" * MB + "x", LARGE),
    Attack("many statements", lambda: "x;" * (MB // 2), "only the last statement"),
    Attack("commas", lambda: f"max({'x,' * (MB // 2)}x)", LARGE),
    Attack("comments", lambda: "# x\n" * (MB // 10) + "x"),
    Attack("joined lines", lambda: "\\\n" * (MB // 2) + "x"),
    Attack("blanks", lambda: " " * MB + "x"),
]
EVERY = [pytest.param(attack, id=attack.name) for attack in QUICK]
EVERY += [
    pytest.param(attack, id=attack.name, marks=pytest.mark.long) for attack in SLOW
]

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
from gradc.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by Linux")
@pytest.mark.parametrize("attack", EVERY)
@pytest.mark.some(3)
def test_hostile(attack: Attack, tmp_path: Path) -> None:
    file = tmp_path / "formula.txt"
    file.write_bytes(attack.text().encode())
    limited = LIMITED.format(memory=MEMORY, seconds=SECONDS)
    line = [sys.executable, "-c", limited, "compile", str(file)]
    done = subprocess.run(line, capture_output=True, cwd=ROOT, timeout=10 * SECONDS)
    said = done.stderr.decode()
    if not attack.said:
        assert done.returncode == 0
        assert said.startswith(attack.noted) and bool(said) == bool(attack.noted)
    else:
        assert done.returncode == 1 and attack.said in said.split("\n")[0]
        assert len(said) < 1000


def test_limits_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_NODES", 1000)
    gradc.compile(chain("{this} = sin({last})", 900))
    for text in (chain("{this} = sin({last})", 1100), doubled("f(f(a))")):
        with pytest.raises(GradcError) as caught:
            gradc.compile(text)
        assert "more than 1000 operations, too many" in caught.value.message
    monkeypatch.setattr(limits, "MAX_DERIVED", 1000)
    with pytest.raises(GradcError) as caught:
        gradc.compile(chain("{this} = sin({last})", 900))
    assert "take more than 1000 operations, too many" in caught.value.message
    monkeypatch.setattr(limits, "MAX_ARGS", 3)
    with pytest.raises(GradcError) as caught:
        gradc.compile("max(x, y, z, 1)")
    assert "more than 3 arguments, too many" in caught.value.message
    monkeypatch.setattr(limits, "MAX_TOKENS", 6)
    gradc.compile("x + y*2")
    with pytest.raises(GradcError) as caught:
        gradc.compile("x + y*2 + 3")
    assert "more than 6 words and signs" in caught.value.message
    assert (caught.value.line, caught.value.column) == (1, 11)


# ---- text that would be code

STRANGE = [
    '"""',
    "'''",
    '""" + __import__("os").abort() + """',
    "\\",
    '\\"""',
    '"',
    "\\N{BULLET} \\x41 \\u0041 \\101",
    "\0",
    "\x1b[2J",
    "\x0c",
    "\x85",
    "\u2028",
    "\u202e x",
    "\u200b",
    "\ufeff",
    "\U0001f40d",
    "\t",
    "{x} %s %(x)s",
    "# type: ignore",
    "# digest: 0",
    "coding: utf-16",
]


def code(module: str) -> list[str]:
    """What a module does: its syntax without the docstring."""
    first, *rest = ast.parse(module).body
    assert isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return [ast.dump(statement) for statement in rest]


@pytest.mark.parametrize("text", STRANGE)
@pytest.mark.parametrize(
    "formula", ["x*y#{}", "#{}\nx*y", "s = (x*#{}\n  y)\nsin(s)*s + cos(s)"]
)
def test_comments_are_no_code(formula: str, text: str) -> None:
    written = formula.replace("{}", text)
    compiled = gradc.compile(written)
    origin = extract(compiled.source)
    assert origin is not None
    assert origin.formula == re.sub(r"[ \t]+$", "", written, flags=re.MULTILINE)
    assert code(compiled.source) == code(gradc.compile(formula).source)
    shown = set(compiled.source) - {"\n", "\t"}
    assert all(char.isprintable() for char in shown)


@pytest.mark.parametrize("text", STRANGE)
def test_file_names_are_no_code(text: str) -> None:
    named = gradc.compile("x*y", filename=f"{text}.txt")
    assert named.source == gradc.compile("x*y").source


@pytest.mark.parametrize("text", [*STRANGE, "x y", "x\n", "__import__('os')", "1x", ""])
def test_names_are_no_code(text: str) -> None:
    for given in (text, f"x{text}"):
        if not given.isidentifier():
            with pytest.raises(gradc.GradcError):
                gradc.compile("x*y", inputs=["x", "y", given])
            with pytest.raises(gradc.GradcError):
                gradc.compile("x*y", wrt=[given + "?"])


NAMES = ("lambda", "None", "__debug__", "__name__", "_", "value", "float", "tuple")
NAMES += ("INPUTS", "value_and_grad", "print", "exp", "d_x", "t1", "_C", "class_")


@pytest.mark.parametrize("name", NAMES)
def test_names_that_mean_something_to_python(name: str) -> None:
    text = "input {0}, x, y1, y2\n"
    text += "{0}*exp(x)*log(2)*pi + sin({0}*x) + where({0} > 0, y1, y2)"
    ours = gradc.compile(text.format(name), check=True)
    plain = gradc.compile(text.format("u"))
    point = (1.5, 0.5, 2.0, 3.0)
    assert ours.value_and_grad(*point) == plain.value_and_grad(*point)
    assert ours.inputs[0] == name
