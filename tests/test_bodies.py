"""Bodies of special functions are the same in C, in JavaScript and in Python.

The functions of a library differ in their last digits. So each of them is replaced by
the same quotient in all languages: what is left is exact, and every bit must agree.
"""

import ast
import math
import random
import re
import shutil
import statistics
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from inspect import getsource
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gradc
from gradc import special
from gradc.errors import GradcError
from gradc.ops import OPS
from gradc.spelling import C, JS, Language, spelling
from gradc.targets import portable
from gradc.targets.bodies import copies, functions
from gradc.targets.printer import statement

# What is replaced, and by which a of (a*x + y)/(1 + x*x + y*y) of its arguments x, y.
NAMES = "exp expm1 log log1p sin cos tan erf erfc raw_pow".split()
FAKES = {name: 1.5 + 0.25 * k for k, name in enumerate(NAMES)}
POINTS = 60
FLAGS = "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -O1 -ffp-contract=off"
Calls = Sequence[tuple[str, tuple[float, ...]]]


def drawn(name: str) -> Iterator[tuple[float, ...]]:
    """Points of all sizes for a function; orders are whole."""
    draw = random.Random(name)
    scales: list[Callable[[], float]] = [
        lambda: draw.uniform(-5, 5),
        lambda: 10 ** draw.uniform(-12, 12),
        lambda: -(10 ** draw.uniform(-3, 3)),
        lambda: float(draw.randint(-9, 30)),
        lambda: draw.choice([0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1e308]),
    ]
    for k in range(POINTS):
        yield tuple(
            (
                float(draw.randint(2, 5))
                if arg.arg in ("n", "s", "e")
                else draw.choice(scales[: 5 - k % 2])()
            )
            for arg in functions()[name].args.args
        )


class _Raw(ast.NodeTransformer):
    """x**y is a call."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        node = self.generic_visit(node)  # type: ignore[assignment]
        has_name = any(isinstance(n, ast.Name) for n in ast.walk(node))
        if isinstance(node.op, ast.Pow) and has_name:
            name = ast.Name("raw_pow", ast.Load())
            return ast.Call(name, [node.left, node.right], [])
        return node


def in_python(language: Language, calls: Calls) -> list[float]:
    """What the bodies give as Python; NaN where one raises."""
    scope: dict[str, Any] = {}
    for module in (special, portable):
        tree = ast.fix_missing_locations(_Raw().visit(ast.parse(getsource(module))))
        exec(compile(tree, module.__name__, "exec"), scope)
    for name in vars(math).keys() & {*functions(), "frexp", "ldexp"}:
        if name in language.functions or (language is C and name in ("frexp", "ldexp")):
            scope[name] = getattr(math, name)
    for name, a in fakes(language).items():
        scope[name] = lambda x, y=0.5, a=a: (a * x + y) / (1.0 + x * x + y * y)
    if language is JS:
        scope["frexp"] = lambda x: (0.0, scope["exponent"](x))
    scope.setdefault("raw_pow", math.pow)
    normal = SimpleNamespace(inv_cdf=scope["quantile"])
    scope["statistics"] = SimpleNamespace(NormalDist=lambda: normal)
    found = []
    for name, xs in calls:
        try:
            found.append(float(scope[name](*xs)))
        except (ArithmeticError, ValueError):
            found.append(math.nan)
    return found


def fakes(language: Language) -> dict[str, float]:
    """What is replaced in a language, each with its number."""
    known = {*language.functions} | ({"raw_pow"} if language is JS else set())
    return {name: a for name, a in FAKES.items() if name in known}


def program(language: Language, calls: Calls) -> str:
    """A program that prints what the bodies give at some points, in hexadecimal."""
    text = "\n\n".join(copies({name for name, _ in calls}, language))
    names = "|".join(fakes(language))
    text = text.replace("Math.pow(", "raw_pow(")
    text = re.sub(rf"(?<![\w.])(?:Math\.)?\b({names})\(", r"fake_\1(", text)
    rows = [
        f"show({language.called(name)}({', '.join(map(language.literal, xs))}));"
        for name, xs in calls
    ]
    if language is JS:
        head = [
            f"const fake_{n} = (x, y = 0.5) => ({a}*x + y)/(1.0 + x*x + y*y);"
            for n, a in fakes(language).items()
        ]
        show = """const out = [], view = new DataView(new ArrayBuffer(8));
function show(x) {
    view.setFloat64(0, x);
    out.push(view.getBigUint64(0).toString(16).padStart(16, '0'));
}"""
        return "\n".join([*head, text, show, *rows, "console.log(out.join('\\n'));"])
    head = [
        f"static double fake_{n}(double x) {{ return ({a}*x + 0.5)/(1.0 + x*x + 0.25); }}"
        for n, a in fakes(language).items()
    ]
    show = """static void show(double x) {
    unsigned long long n;
    memcpy(&n, &x, 8);
    printf("%016llx\\n", n);
}"""
    includes = [f"#include <{name}.h>" for name in ("math", "stdio", "string")]
    body = ["int main(void) {", *rows, "}"]
    return "\n".join([*includes, *head, text, show, *body, ""])


def lines(text: str, tool: str) -> list[str]:
    """The lines that a program prints, in JavaScript or in C."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("bodies.mjs" if tool == "node" else "bodies.c")
        path.write_text(text)
        command = ["node", str(path)]
        if tool != "node":
            command = [f"{folder}/bodies"]
            built = [tool, *FLAGS.split(), str(path), "-o", *command, "-lm"]
            subprocess.run(built, check=True)
        found = subprocess.run(command, check=True, capture_output=True, text=True)
    return found.stdout.split()


@pytest.mark.long
@pytest.mark.parametrize("tool", ["gcc", "clang", "node"])
def test_bodies_give_the_same_bits(tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is missing")
    language = JS if tool == "node" else C
    odd = {"hurwitz", "exponent", *language.functions}  # the first two of x > 0 alone
    odd |= {"ldexp"} if language is C else set()
    names = [name for name in functions() if name not in odd]
    calls = [(name, xs) for name in names for xs in drawn(name)]
    found = lines(program(language, calls), tool)
    assert len(found) == len(calls) > 1500
    for call, line, true in zip(calls, found, in_python(language, calls)):
        own = bytes.fromhex(line)
        if math.isfinite(true):
            assert own == struct.pack(">d", true), (
                call,
                struct.unpack(">d", own),
                true,
            )


def steps(found: float, true: float) -> float:
    """How far a number is from another, in units in the last place."""
    if found == true or found != found and true != true:
        return 0.0
    return abs(found - true) / math.ulp(true)


@pytest.mark.parametrize(
    "name, true, ulp",
    [
        ("gamma", math.gamma, 0),
        ("lgamma", math.lgamma, 0),
        ("quantile", statistics.NormalDist().inv_cdf, 0),
        ("remainder", math.remainder, 0),
        ("exponent", lambda x: float(math.frexp(x)[1]), 0),
        ("copysign", math.copysign, 0),
        ("rint", lambda x: special.rounded(round, x), 0),
        ("hypot", math.hypot, 1),
        ("erf", math.erf, 1),
        ("erfc", math.erfc, 5),
    ],
)
def test_what_a_library_lacks(name: str, true: Callable[..., float], ulp: int) -> None:
    draw, worst, own = random.Random(name), 0.0, getattr(portable, name)
    for _ in range(2000):
        args = functions()[name].args.args
        xs = [draw.choice([1, -1]) * 10 ** draw.uniform(-3, 2.2) for _ in args]
        xs = [3.0 + abs(xs[0])] if name == "lgamma" else xs
        xs = [draw.random()] if name == "quantile" else xs
        if name != "erfc" or xs[0] < 26:
            worst = max(worst, steps(own(*xs), true(*xs)))
    assert worst <= ulp


def test_powers_next_to_one_have_all_digits() -> None:
    draw = random.Random(1)
    for _ in range(300):
        x = 1.0 + draw.uniform(-1, 1) * 10 ** draw.uniform(-13, -6.1)
        y = draw.uniform(-690, 690) / math.log(x)
        assert steps(portable.pow(x, y), math.pow(x, y)) <= 2.0
    assert portable.pow(-1.0, 2.0**40 + 1.0) == -1.0
    assert portable.pow(1.0, 1e308) == 1.0


@pytest.mark.parametrize("language", [C, JS])
def test_what_rows_call_has_a_body(language: Language) -> None:
    for row in OPS:
        for more in (0, 2 * row.variadic):
            count = max(len(row.params), 2 * row.variadic) + more
            if not row.is_written_out and "scipy" not in (row.python or ""):
                names = {*spelling(row, count, language).names} - {*language.functions}
                assert names <= {*functions(), "pi", "e", "fmod"}, row.name


@pytest.mark.parametrize("python", ["{x}**2", "{x} % 2.0", "{x} // 2.0", "1 < {x} < 2"])
@pytest.mark.parametrize("target", ["c", "js"])
def test_what_a_language_does_not_write_is_refused(python: str, target: str) -> None:
    ops = OPS.define("own(x)", "A row.", partials="x", python=python)
    with pytest.raises(GradcError, match="no spelling"):
        gradc.compile("own(x)", ops=ops).text(target)


def test_a_statement_keeps_its_end() -> None:
    for size in range(60, 100):
        text = f"({'a' * size} * b) * cos(c) + d"
        assert statement("x = ", text, ";", 1)[-1].endswith(";")
