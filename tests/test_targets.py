"""The laws of the Python target: the module computes what the program means.

Bit for bit, on every path exactly the operations that the path needs, each once; in the
layout of black and with types that mypy accepts; whatever the formula calls its names
and whatever its comments say.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import black
import pytest
from hypothesis import HealthCheck, given, reject, settings

import gradc
from gradc import ir, special
from gradc.compiler import Compiled
from gradc.errors import GradcError
from gradc.ops import OPS, Op
from gradc.passes.schedule import HARMLESS
from gradc.run import evaluate
from gradc.spelling import NAMES, SYMBOLS, spelling
from gradc.spelling import text as spelled
from gradc.targets.module import copied
from gradc.targets.names import pages
from gradc.targets.origin import embedded, extract, fault
from tests.conftest import ROOT, read
from tests.corpus import cases
from tests.strategies import NUMBERS, Formula, formula, formulas, needed, written

LONG = pytest.mark.long
law = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)

Point = dict[str, float]
UNDEFINED = (ArithmeticError, ValueError, TypeError)


def bits(compute: Callable[[], tuple[Any, ...]]) -> list[str] | None:
    """Results as the bits of floats, None where the formula is not defined."""
    try:
        return [float(x).hex() for x in compute()]
    except UNDEFINED:
        return None


def signless(result: Sequence[float]) -> tuple[float, ...]:
    """A value and derivatives, of which a 0 has no sign: a term may not arise."""
    return (result[0], *(x + 0.0 for x in result[1:]))


def flat(result: tuple[Any, tuple[Any, ...]]) -> tuple[Any, ...]:
    return (result[0], *result[1])


def compiled(text: str, **options: Any) -> Compiled:
    """A drawn formula, unless one of its constants has no value."""
    try:
        return gradc.compile(text, **options)
    except GradcError as error:
        assert error.kind == "DomainMistake"
        reject()


def has_constants(text: str) -> bool:
    """Whether the constants of a drawn formula have values."""
    try:
        gradc.compile(text)
    except GradcError as error:
        assert error.kind == "DomainMistake"
        return False
    return True


def loaded(f: Compiled) -> dict[str, Any]:
    """The names of a module."""
    scope: dict[str, Any] = {}
    exec(f.source, scope)
    return scope


# ---- the same numbers


def is_inside(f: Compiled, point: Point) -> bool:
    """Whether a point is in the domains that derivatives rely on."""
    bounds = ((i.low, point[i.name], i.high) for i in f.program.inputs)
    return all(low is None or low <= x <= (high or x) for low, x, high in bounds)


def check_meaning(formula: Formula, random: Random) -> None:
    for strict in (False, True):
        f = compiled(formula.text, strict=strict)
        run = loaded(f)
        value = read(formula.text) if strict else f.program
        value = replace(value, outputs=value.outputs[:1])
        for point in formula.points(random):
            args = [point[name] for name in f.inputs]
            want = bits(lambda: signless(evaluate(f.program, point)))
            found = bits(lambda: signless(flat(run["value_and_grad"](*args))))
            assert found == want or not is_inside(f, point), point
            want = bits(lambda: evaluate(value, point))
            assert bits(lambda: (run["value"](*args),)) == want, point


@settings(law, max_examples=25)
@given(formulas())
def test_modules_compute_what_the_program_means(drawn: tuple[Formula, Random]) -> None:
    check_meaning(*drawn)


@pytest.mark.long
@settings(law, max_examples=100)
@given(formulas())
def test_many_modules_compute_what_the_program_means(
    drawn: tuple[Formula, Random],
) -> None:
    check_meaning(*drawn)


# ---- the same work: every operation that a path needs, once, and no other


class Trace:
    """Counts operations with their operands, as inputs of its own type meet them."""

    def __init__(self) -> None:
        self.seen: Counter[tuple[Any, ...]] = Counter()
        self.inside = False
        trace = self

        class Number(float):
            def __hash__(self) -> int:
                return super().__hash__()

            def __neg__(self) -> float:
                return trace.result("neg", (self,), Number(-float(self)))

            def __pos__(self) -> float:
                return self

        for op, symbol in {**SYMBOLS, "mod": "%"}.items():
            if op not in ("and", "or"):
                self._operator(Number, op, symbol)
        self.number = Number

    def _operator(self, number: Any, op: str, symbol: str) -> None:
        plain = eval(f"lambda x, y: float(x) {symbol} float(y)")

        def forward(x: float, y: float) -> Any:
            found = plain(x, y)
            found = found if isinstance(found, bool) else number(found)
            return self.result(op, (x, y), found)

        names = {"div": "truediv"}
        setattr(number, f"__{names.get(op, op)}__", forward)
        mirrored = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
        if op in mirrored:
            # `1.0 < x` asks x for `x > 1.0`: both are written as `lt` or `le`.
            if op in ("gt", "ge"):
                turned = lambda x, y: self.result(mirrored[op], (y, x), plain(x, y))
                setattr(number, f"__{op}__", turned)
        elif op not in ("eq", "ne"):
            backward = lambda x, y: forward(y, x)
            setattr(number, f"__r{names.get(op, op)}__", backward)

    def result(self, op: str, args: tuple[Any, ...], found: Any) -> Any:
        if not self.inside:
            # `abs(x) < 0.5` may be asked as `-0.5 < x < 0.5`, and `x > 0` as `0 < x`.
            op = {"gt": "lt", "ge": "le"}.get(op, op)
            is_bound = op in ("lt", "le")
            keys = [float(abs(x) if is_bound else x).hex() for x in args]
            commutes = op in ir.COMPARISONS or (op in OPS and OPS[op].commutes)
            self.seen[(op, *(sorted(keys) if commutes else keys))] += 1
        return found

    def function(self, name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
        """A function that counts its calls, but not what happens inside."""

        def counted(*args: Any) -> Any:
            if self.inside:
                return compute(*args)
            self.inside = True
            try:
                found = compute(*[float(a) for a in args])
            finally:
                self.inside = False
            if any(isinstance(a, self.number) for a in args):
                self.result(name, args, None)
                return self.number(found) if isinstance(found, float) else found
            return found

        return counted


def traced_module(f: Compiled, trace: Trace) -> dict[str, Any]:
    """The module's names, with every function that it calls replaced."""
    scope: dict[str, Any] = {}
    exec(f.source, scope)
    used = {n for op in OPS for n in spelling_names(op) if n in NAMES}
    for name in used & {*scope, "abs", "min", "max", "pow", "float", "round"}:
        compute = scope.get(name, NAMES[name])
        if callable(compute):
            scope[name] = trace.function(name, compute)
    return scope


def spelling_names(op: Op) -> tuple[str, ...]:
    if op.name in ("and", "or", "not", "where") or op.is_written_out:
        return ()
    return spelling(op, op.leading + 1 if op.variadic else len(op.params)).names


def traced_meaning(program: ir.Program, point: Point, trace: Trace) -> None:
    """Evaluate a program by the same spellings, through the same trace."""

    @lru_cache(maxsize=None)
    def compute(op: Op, count: int) -> Callable[..., Any]:
        body = re.sub(r"\{(\d+)\}", r"a\1", spelled(op, count))
        scope = {
            n: trace.function(n, NAMES[n]) if callable(NAMES[n]) else NAMES[n]
            for n in spelling(op, count).names
        }
        args = ", ".join(f"a{k}" for k in range(count))
        made: Callable[..., Any] = eval(f"lambda {args}: {body}", scope)
        return made

    def called(op: Op) -> Callable[..., Any]:
        return lambda *args: compute(op, len(args))(*args)

    needed(program, point, called, number=lambda x: x)


LESS = {"abs", "lt", "le", "add", "sub", "mul", "div", "neg"}


def compare_work(text: str, points: list[Point]) -> int:
    """Compare what module and meaning do at some points; how many were defined."""
    f = compiled(text)
    defined = 0
    for k, name in enumerate(("value", "value_and_grad")):
        values = f.program.outputs[: None if k else 1]
        program = replace(f.program, outputs=values)
        for point in points:
            want, found = Trace(), Trace()
            try:
                exact = {n: want.number(x) for n, x in point.items()}
                traced_meaning(program, exact, want)
            except UNDEFINED:
                continue
            scope = traced_module(f, found)
            scope[name](*[found.number(point[name]) for name in f.inputs])
            if not found.seen:  # it returns numbers; nobody asks for the sign of a 0
                defined += 1
                continue
            if is_divided(f.source):  # for conditions that wait for each other
                again = found.seen - want.seen
                found.seen -= Counter({key: again[key] for key in want.seen})
            more, less = found.seen - want.seen, want.seen - found.seen
            leaves = leaves_at(program, point)
            for op, *args in more:  # to ask may cost more than to compute these
                compares = op in ir.COMPARISONS and leaves.issuperset(args)
                fraction = op == "exp" and float.fromhex(args[0]) <= 0.0
                bounds = op in ("lt", "le") and (op, *args) in want.seen
                known = compares or fraction or bounds or op in HARMLESS
                assert known, (op, f.source)
            # The lower bound is asked for first, whichever of the two was.
            # And a term that does not arise is not added, nor computed for a test, and
            # what equality has decided, or the domain, is not asked again.
            for op, *args in less:
                decided = " in [" in text or leaves.issuperset(args)
                known = op in ("eq", "ne") and decided
                assert known or op in LESS, (op, point, f.source)
            assert found.seen - more == want.seen - less, (point, f.source)
            defined += 1
    return defined


def is_divided(source: str) -> bool:
    """Whether a function has a statement twice, each on paths of its own."""
    for function in source.split("\ndef ")[1:]:
        lines = Counter(line.partition("#")[0].strip() for line in function.split("\n"))
        if any(n > 1 and " = " in line for line, n in lines.items()):
            return True
    return False


def leaves_at(program: ir.Program, point: Point) -> set[str]:
    """The inputs and constants of a program at a point, as a trace writes numbers."""
    constants = [n[1] for n in program.nodes if n[0] == "const"]
    return {float(x).hex() for x in (*point.values(), *constants)}


@settings(law, max_examples=25)
@given(formulas(lines=6))
def test_paths_compute_what_they_need_once(drawn: tuple[Formula, Random]) -> None:
    formula, random = drawn
    compare_work(formula.text, formula.points(random))


@pytest.mark.long
@settings(law, max_examples=80)
@given(formulas(lines=6))
def test_many_paths_compute_what_they_need_once(drawn: tuple[Formula, Random]) -> None:
    formula, random = drawn
    compare_work(formula.text, formula.points(random))


LAZY_CASES = [
    # a node that two unrelated conditions need
    "where(x > 1, log(x), 0) + where(y > 1, log(x)*y, x)",
    # under a condition, and inside the next one that reads it
    "where(where(x > 0, sin(x), 1) > 0, sin(x), y)",
    # a condition that implies another
    "where(x > 0 and log(x) > y, sqrt(log(x) - y), where(y > 0, log(y + 1)*x, x*x))",
    "where(x > 0 or y > 0, exp(x)*y, y) + where(y > 0, exp(x), y)",
    # both branches of one condition
    "where(x > 0, sin(y)*x, sin(y) + x)*where(x > 0, 2, cos(y))",
    # a binding in several branches
    "a = exp(x*y)\nb = a + sin(a)\nwhere(x > 1, b, where(y > 1, a*b, x))",
    # chained comparisons, negations, the same condition in other words
    "where(0 < x < 1, log(x), where(not x > 0, exp(x), 1/x))",
    "where(not (x > 0 and y > 0), x*y, log(x) + log(y))",
    "where(x > 0, log(x), 0)*where(y > 0, where(x > 0, log(x), y), log(-y + 1))",
    "piecewise((log(x), x > 1), (exp(y), y > 1), (sin(x), x > y), x*y)",
    "f(t) = where(t > 0, sqrt(t), 0)\nf(x) + f(y)*f(x*y) + f(f(x) - 1)",
]


@pytest.mark.parametrize("text", LAZY_CASES)
@pytest.mark.some(4)
def test_lazy_cases(text: str) -> None:
    values = [-2.0, -1.0, 0.0, 0.5, 1.0, 1.5, 3.0]
    names = read(text).inputs
    points = [{"x": x, "y": y} for x in values for y in values]
    points = [{i.name: p[i.name] for i in names} for p in points]
    undefined = sum(bits(lambda: evaluate(read(text), p)) is None for p in points)
    assert undefined <= len(points) / 8
    assert compare_work(text, points) == 2 * (len(points) - undefined)


def nested_wheres(count: int) -> str:
    text = "x*y"
    for k in range(count):
        text = f"where(x > {k}, log(x)*{k}, {text})"
    return text


def nested_in_conditions(count: int) -> str:
    lines = ["a0 = x"]
    for k in range(count):
        c = f"where(a{k} > {k}, sin(a{k}), y)"
        lines.append(f"a{k + 1} = where({c} > 0, sin(a{k}), a{k})")
    return "\n".join([*lines, f"a{count}*x"])


def many_pieces(count: int) -> str:
    pieces = [f"(sin(x)*{k}, x > {k} and y > {k})" for k in range(count)]
    return f"piecewise({', '.join(pieces)}, y)"


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(nested_wheres, marks=pytest.mark.long),
        pytest.param(many_pieces, marks=pytest.mark.long),
        pytest.param(nested_in_conditions, marks=pytest.mark.long),
    ],
)
def test_two_thousand_conditionals(draw: Callable[[int], str]) -> None:
    f = gradc.compile(draw(2000))
    for x, y in ((0.5, 2.0), (-3.0, 1.0), (1000.5, 700.25), (3000.0, 4000.0)):
        want = bits(lambda: evaluate(f.program, {"x": x, "y": y}))
        assert bits(lambda: flat(f.value_and_grad(x, y))) == want


# ---- the layout of black


def is_black(source: str) -> bool:
    """Whether black leaves a module as it is, without the line that keeps it off."""
    own = source.replace("# fmt: off  # ruff: noqa\n", "")
    assert own != source
    return black.format_str(own, mode=black.Mode()) == own


def check_style(source: str) -> None:
    assert is_black(source)
    ast.parse(source, feature_version=(3, 10))
    assert source.isascii() or source.encode("utf-8")
    assert not fault(source)


@pytest.mark.long
@settings(law, max_examples=40)
@given(formulas(lines=8))
def test_black_changes_nothing(drawn: tuple[Formula, Random]) -> None:
    check_style(compiled(drawn[0].text).source)


LENGTHS = [1, 8, 20, 30, 39, 43, 60, 75, 79, 80, 81, 84, 88, 120, 255]


def named(template: str, size: int) -> str:
    """A formula with names of some length in the place of A, B and C."""
    for letter in "ABC":
        template = re.sub(rf"\b{letter}\b", letter * size, template)
    return template


SHAPES = [
    "A + B",
    "A*B - A/B",
    "-A",
    "(-A)^B",
    "A^2",
    "A^-3 + B^2.5",
    "C = A*B; C*sin(C) + C",
    "C = max(A, B, A*B); C*C",
    "C = hypot(A, B, A + B, A*B, A - B, A/B); C*C",
    "C = where(A > B, sin(A)*B, cos(B)); C*C",
    "where(A > B and A*B > 2 or not B > 1, sin(A), B)",
    "where(A > B > A*B > sin(A) > cos(B), A, B)",
    "where(A > 0, log(A), B)*where(A > 0, sqrt(A), A*A)*where(B > 0, A, sqrt(-B))",
    "where(A > 0, A, where(B > 0, B, where(A > 1, 2*A, where(B > 2, 3*B, A*B))))",
    "relu(A) + relu(A*B) + relu(relu(B))",
    "clip(A, B, A*B) + mod(A, B) + mod(A + B, A*B)",
    "abs(A)*sign(B)*floor(A)*copysign(A, B)",
    "erf(A)*gamma(B)*polygamma(2, A)*beta(A, B)",
    "log(A, B) + logsumexp(A, B, 1) + logaddexp(A, B)",
    "C = A + B\nC",
    "C = 1e300*A\nC*1e-300 + 0.1*B",
    "log(2*pi)*A + sqrt(2*pi)*B + log(2*pi)*exp(-1)*A*sin(0.5)",
    "input A in [0, 1]\ndata B\nA*B",
    "input A\n2",
    "input A, B\nA",
    "sin(A) + cos(A) + tan(A) + asin(A) + atan(A) + sinh(A) + tanh(A) + expm1(A)*exp(A)",
]


@pytest.mark.parametrize("start", [0, *(pytest.param(k, marks=LONG) for k in (1, 2))])
@pytest.mark.parametrize("text", SHAPES)
@pytest.mark.some(6)
def test_black_changes_nothing_at_any_width(text: str, start: int) -> None:
    for size in LENGTHS[start::3]:
        source = gradc.compile(named(text, size)).source
        assert is_black(source), size


MANY = pytest.param(300, marks=pytest.mark.long)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 9, 12, 14, 20, 40, MANY])
@pytest.mark.some(2)
def test_black_changes_nothing_for_many_inputs(count: int) -> None:
    names = [f"x{k}" for k in range(count)]
    check_style(gradc.compile(" + ".join(f"sin({n})*{n}" for n in names)).source)
    check_style(gradc.compile("*".join(names)).source)
    for size in (3, 30, 88):
        long = [name.ljust(2 * size, "x") for name in names[:20]]
        check_style(gradc.compile(" + ".join(f"{n}*{n}" for n in long)).source)


@pytest.mark.parametrize("sizes", [(12, 70), pytest.param((1, 30), marks=LONG)])
@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: row.name)
@pytest.mark.some(3)
def test_black_changes_nothing_for_any_row(row: Op, sizes: tuple[int, ...]) -> None:
    counts = [len(row.params)] if not row.variadic else [row.leading + 1, 3, 12]
    for size in sizes:
        for count in counts:
            args = [named("A" if k % 2 else "B*2", size) for k in range(count)]
            if row.params[:1] == ("n",):
                args[0] = "1"
            text = f"{written(row, args)}*{named('A', size)}"
            check_style(gradc.compile(f"c = {text}\nc*c").source)


def nested(depth: int) -> str:
    text = "x"
    for k in range(depth):
        text = f"where(x > {k} and y > {k}, sin({text})*y, {text} + {k})"
    return text


@pytest.mark.parametrize("depth", [1, 2, 4, 6, 7, 9])
def test_black_changes_nothing_for_deep_conditionals(depth: int) -> None:
    def deep(level: int) -> str:
        if level == depth:
            return "x*y"
        return f"where(x > {level}, log(x)*({deep(level + 1)}), sin(y)*{level}*x)"

    check_style(gradc.compile(deep(0)).source)
    check_style(gradc.compile(f"long_name = {deep(0)}\nlong_name^2 + x").source)


# ---- types


@pytest.mark.long
def test_mypy_accepts_every_module(tmp_path: Path) -> None:
    drawn = [formula(Random(seed), lines=6).text for seed in range(60)]
    texts = [text for text in drawn if has_constants(text)]
    assert len(texts) > 40
    texts += [named(text, size) for text in SHAPES for size in (1, 30)]
    texts += [f"{written(row, order_first(row))}*x" for row in NUMBERS]
    check_types(texts, tmp_path)


def order_first(row: Op) -> list[str]:
    count = row.leading + 2 if row.variadic else len(row.params)
    args = ["x", "y", "z", "x", "y"][:count]
    return ["1", *args[1:]] if row.params[:1] == ("n",) else args


def test_mypy_accepts_modules_of_every_kind(tmp_path: Path) -> None:
    check_types([*LAZY_CASES, *SHAPES[:12], "digamma(x)*cbrt(y)"], tmp_path)


def check_types(texts: list[str], folder: Path) -> None:
    for k, text in enumerate(texts):
        (folder / f"m{k}.py").write_text(gradc.compile(text).source, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental"]
    command += ["--python-version", "3.10", "--config-file=", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert run.returncode == 0, run.stdout + run.stderr


# ---- names


TAKEN = [
    *("lambda", "class", "None", "True", "False", "__debug__", "sin", "exp", "abs"),
    *("float", "min", "max", "pow", "t1", "t2", "d_x", "d_y", "value", "case1"),
    *("value_and_grad", "INPUTS", "WRT", "pi", "e", "x_bar", "α", "Ω", "_LOG_2"),
    *("erfcx", "cbrt", "digamma", "tuple", "str", "int", "print", "match", "type"),
    *("_sin", "__sin", "lambda_", "case", "log", "math", "Fraction", "_", "__name__"),
    *("x_", "sqrt", "BERNOULLI", "_exp", "range", "__file__", "self", "async", "nan"),
]


NAMED = (
    "input A, y\nb = sin(A)*exp(y) + log(2)*cbrt(A) + abs(y)\n"
    "c = where(A > y, b*max(A, y), digamma(A) + b)\npow(c, y) + tanh(b)*A"
)
PLACES = ("A", "b", "c")  # an input and two bindings
EVERYWHERE = [
    pytest.param(
        name, place, marks=[pytest.mark.long] if (k + j) % (2 * len(PLACES)) else []
    )
    for k, name in enumerate(TAKEN)
    for j, place in enumerate(PLACES)
]


@lru_cache(maxsize=None)
def unchanged() -> Compiled:
    return gradc.compile(NAMED)


@pytest.mark.parametrize(("name", "place"), EVERYWHERE)
@pytest.mark.some(2)
def test_no_name_changes_a_result(name: str, place: str) -> None:
    plain = unchanged()
    f = gradc.compile(re.sub(rf"\b{place}\b", name, NAMED))
    check_style(f.source)
    scope: dict[str, Any] = {}
    exec(f.source, scope)
    for point in [(1.25, 0.75), (0.5, 2.0), (3.0, 3.0)]:
        want = bits(lambda: flat(plain.value_and_grad(*point)))
        assert bits(lambda: flat(scope["value_and_grad"](*point))) == want
        assert bits(lambda: (scope["value"](*point),)) == want[:1]
    if place == "A":
        assert scope["INPUTS"] == scope["WRT"] == f.inputs == (name, "y")


def test_a_name_steps_aside_for_what_is_called() -> None:
    run = loaded(gradc.compile("gamma*gamma(x) + sin*value"))
    assert run["INPUTS"] == run["WRT"] == ("gamma", "x", "sin", "value")
    assert run["value"](gamma_=2.0, x=3.0, sin=1.0, value=0.5) == 4.5
    assert "import gamma\n" in gradc.compile("gamma*gamma(x)", emit="value").source


def test_many_taken_names_at_once() -> None:
    names = [n for n in TAKEN if n not in ("pi", "e")]
    plain = [f"v{k}" for k in range(len(names))]
    text = " + ".join(
        f"sin({{{k}}})*exp({{{k}}})*{{{(k + 1) % len(names)}}}"
        for k in range(1, len(names))
    )
    sources = []
    for chosen in (names, plain):
        f = gradc.compile(text.format(*chosen), inputs=chosen)
        check_style(f.source)
        point = [0.5 + k / 64 for k in range(len(names))]
        sources.append(bits(lambda: flat(f.value_and_grad(*point))))
    assert sources[0] == sources[1]


# ---- what a stranger writes


NASTY = [
    '"""',
    "'''",
    '\\"""',
    "\\",
    "\\\\",
    "\\N{DIGIT ONE}",
    '"""; import os; os.abort()  #',
    'ends in a quote"',
    "ends in a backslash\\",
    "# type: ignore",
    "# fmt: off",
    "# fmt: skip",
    "# digest: 00000000000000000000000000000000",
    '# options: {"strict": true}',
    "Formula:",
    "Arguments:",
    "x\u202ey\u2066z\u2069",
    "\u2028 \u2029 \x85 \x0c \x0b \x1c",
    "\x00\x01\x1b[31m\x7f",
    "coding: latin-1",
    "-*- coding: utf-7 -*-",
    "tab\there",
    "\ud800",
    "é ü 漢字 \U0001f600",
]


@pytest.mark.parametrize("nasty", NASTY, ids=ascii)
def test_comments_cannot_change_the_code(nasty: str) -> None:
    plain = gradc.compile("x*sin(x)")
    for text in (
        f"# {nasty}\nx*sin(x)",
        f"x*sin(x)  # {nasty}",
        f"#{nasty}\n\n\nb = x  # {nasty}\nx*sin(x # {nasty}\n)\n#{nasty}",
    ):
        try:
            f = gradc.compile(text, filename=f"{nasty}.txt")
        except GradcError:
            continue
        f.source.encode("utf-8")
        assert is_black(f.source)
        assert code(f.source) == code(plain.source)
        origin = extract(f.source)
        assert origin is not None and not origin.strict and origin.wrt is None
        assert origin.formula == embedded(text)
        assert gradc.compile(origin.formula).source == f.source
        assert not fault(f.source)


def code(source: str) -> str:
    """A module without docstring and comments."""
    return ast.dump(ast.Module(ast.parse(source).body[1:], []))


def test_file_names_do_not_show() -> None:
    plain = gradc.compile("x*y")
    for nasty in NASTY:
        assert gradc.compile("x*y", filename=nasty).source == plain.source


@pytest.mark.long
@settings(law, max_examples=30)
@given(formulas(lines=4))
def test_modules_give_back_their_formula(drawn: tuple[Formula, Random]) -> None:
    text = drawn[0].text
    for options in ({}, {"strict": True}, {"wrt": ["x"]}):
        f = compiled(text, **options)
        origin = extract(f.source)
        assert origin is not None and origin.formula == embedded(text)
        again = gradc.compile(origin.formula, wrt=origin.wrt, strict=origin.strict)
        assert again.source == f.source


def test_line_ends_do_not_show() -> None:
    text = "# why\na = x*y\n\nsin(a) + a\n"
    plain = gradc.compile(text).source
    for end in ("\r\n", "\r"):
        assert gradc.compile(text.replace("\n", end)).source == plain
    assert gradc.compile("\ufeff" + text).source == plain


# ---- the numbers a module takes


def test_numbers_of_other_types() -> None:
    numpy = pytest.importorskip("numpy")
    f = gradc.compile("x*y + sin(x)/y + where(x > y, x, y^2)")
    want = flat(f.value_and_grad(2.0, 3.0))
    for kind in (int, numpy.float64, numpy.int64):
        assert flat(f.value_and_grad(kind(2), kind(3))) == want
    assert f(2, 3) == want[0]
    assert type(gradc.compile("x*y + x*x")(2, 3)) is float


def test_signed_zeros_infinities_and_nan() -> None:
    for text in ("x + 0", "x - 0", "x*1", "-(-x)", "0 - x", "x + x", "-x + y", "x*-1"):
        f = gradc.compile(text, strict=True)
        value = loaded(f)["value"]
        for x in (0.0, -0.0, math.inf, -math.inf, math.nan):
            point = {name: x for name in f.inputs}
            want = bits(lambda: evaluate(read(text), point))
            assert bits(lambda: (value(**point),)) == want, (text, x)


def test_what_is_in_the_value_is_told_as_a_part_of_it() -> None:
    source = gradc.compile("V*S/(K + S)").source
    assert "# V*S/(K + S)\n" in source and source.count("in d(") == 1


def test_a_temporary_means_one_thing() -> None:
    """In functions of up to 60 variables each has a name of its own."""
    met = 0
    for path in sorted((ROOT / "examples").glob("*.txt")):
        f = gradc.compile(path.read_text(encoding="utf-8"))
        for page in pages([*f.functions.values()]):
            names = [*page.assigned.values()]
            met += len(names) <= 60
            assert len(names) == len({*names}) or len(names) > 60, path
    assert met > 20


# ---- size


def test_a_module_is_the_formula() -> None:
    source = gradc.compile("x*sin(y)+exp(-x^2/2)").source
    head, _, functions = source.partition("\n\n\n")
    assert head.split("\n")[:6] == [
        '"""A formula and its gradient, compiled by gradc 0.2.0.',
        "",
        "x*sin(y)+exp(-x^2/2)",
        '"""',
        "",
        "# fmt: off  # ruff: noqa",
    ]
    assert head.endswith(
        'from math import cos, exp, sin\n\nINPUTS = ("x", "y")\nWRT = ("x", "y")'
    )
    assert functions.count("\ndef ") == 1 and functions.count("return ") == 2
    assert source.count("\n") <= 28
    assert gradc.compile("log(x)").source.count("\n") <= 26


def test_half_of_the_modules_of_physics_have_few_lines() -> None:
    sizes = [
        gradc.compile(case.formula, inputs=case.inputs).source.count("\n")
        for case in cases("feynman")
    ]
    assert statistics.median(sizes) <= 40
    assert not any("try:" in gradc.compile(c.formula).source for c in cases("feynman"))


def test_definitions_are_those_of_python() -> None:
    """A copy of a function of `special` is that function, with all that it needs."""
    for name in ("digamma", "beta", "floats", "erfcx"):
        texts, called = copied([name])
        scope: dict[str, Any] = {"Any": Any, "Sequence": Sequence}
        exec(f"from math import {', '.join(called) or 'pi'}", scope)
        exec("\n".join(texts), scope)
        own = inspect.getsource(getattr(special, name)).rstrip()
        assert own in texts and callable(scope[name])


@pytest.mark.parametrize("numpy", [False, True])
@pytest.mark.parametrize("word", ["value", "gradient", "hessian", "hvp"])
@pytest.mark.parametrize("text", ["x*y", "input w[3], x; sum(w*x)"])
def test_a_module_uses_what_it_imports(text: str, word: str, numpy: bool) -> None:
    for outside in ("raise", "nan", "certified") if not numpy else ("raise", "inf"):
        if (outside, word) == ("certified", "hvp"):
            continue
        options: dict[str, Any] = {"emit": word, "numpy": numpy, "outside": outside}
        tree = ast.parse(gradc.compile(text, **options).source)
        found = [x for x in tree.body if isinstance(x, ast.Import | ast.ImportFrom)]
        names = [alias.name for x in found for alias in x.names]
        used = {x.id for x in ast.walk(tree) if isinstance(x, ast.Name)}
        assert len({*names}) == len(names) and used >= {*names}
