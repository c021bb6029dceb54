"""The self-check: it raises no false alarm, and it catches what is broken.

Faults are injected where they can arise: in a row of the table, in a pass, in a line
of the module. The formulas that have to pass are those on which a fixed tolerance
fails: cancellations, overflows on the way, kinks, conditionals, narrow domains.
"""

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from random import Random
from typing import Any

import pytest

import gradc
from gradc.checking import check as checking
from gradc.checking.check import Report, check
from gradc.checking.samples import Edges, drawn
from gradc.checking.check import unroll
from gradc.checking.certified import Witness
from gradc.compiler import Compiled
from gradc.errors import GradcError
from gradc.ir import Program
from gradc.language.parse import parse
from gradc.ops import OPS, Op, Table
from gradc.run import FLOATS, run as run_program
from tests.conftest import FUNCTIONS

FORMULAS = """
x
3*x
x*y + x
x - y
(a*b + c)^2
100*(y - x^2)^2 + (1 - x)^2
x^3 - 6*x^2 + 11*x - 6
x^2 - 2*x*y + y^2
(x - 1)^7
x^7 - 7*x^6 + 21*x^5 - 35*x^4 + 35*x^3 - 21*x^2 + 7*x - 1
(1 - cos(x))/x^2
x - sin(x)
sin(x)/x
tan(x)/x - 1
(exp(x) - 1)/x
log(1 + x)/x
sqrt(x + 1) - sqrt(x)
(x + 1e10) - 1e10
1/x - 1/(x + 1)
(-b + sqrt(b^2 - 4*a*c))/(2*a)
exp(x) - exp(-x)
log(1 + exp(x))
exp(x)/(1 + exp(x))
log(exp(a) + exp(b) + exp(c))
1/(1 + exp(-x))
sqrt(x^2 + y^2)
exp(-x^2/2)/sqrt(2*pi)
exp(-((x - m)^2)/(2*s^2))/(s*sqrt(2*pi))
x*log(x)
x^y
x^0.5 + x^(1/3)
2^x + x^-2
abs(x)
abs(x - y)*max(x, y)
max(x, 0) + min(y, 1) + max(x, y, 2)
relu(x*w + b)
clip(x, -1, 1)*y
floor(x)*x + ceil(y)
mod(x, 3) + fmod(y, 2) + remainder(x, y)
sign(x)*sqrt(abs(x))
copysign(x, y) + fdim(x, y)
where(x > 0, x*log(x), x^2)
where(x > 5 and y < 2, log(x), where(y > x, exp(y), sin(x)))
where(sin(x)^2 + cos(x)^2 < 1, x, 2*x)
piecewise((x, x < 0), (x^2, x < 1), 2*x - 1)
sqrt(1 - x^2 - y^2 - z^2)
acos(x/1000)*log(x - 990)
asin(x)*acos(x)*atanh(x)
log(b - a) + log(c - b) + log(d - c)
acosh(x) + asinh(x) + atan(x)
hypot(x, y, z) + atan2(y, x)
logsumexp(x, y, z)
logaddexp(x, y) - softplus(x) + silu(y) - gelu(x)
tanh(x)*sigmoid(y) + sinc(x)
erf(x) + erfc(y) + normcdf(x*y) + normpdf(x)
gamma(x) + lgamma(x) + digamma(x)
lgamma(x)
beta(x, y) + lbeta(x, y)
polygamma(2, x)/polygamma(1, x)
x*y*z + xlogy(x, y) + log(x, 3) + cbrt(x)
degrees(x) + radians(y) + log2(x) + log10(x) + log1p(y) + exp2(x) + expm1(y)
x*1e200*1e-200
exp(600)*x*exp(-700)
4*eps*((s/r)^12 - (s/r)^6)
""".strip().split("\n")

PROGRAMS = [
    "input x in [700, 900]\nlog(1 + exp(x))",
    "input x in [800, 900]\nlog(1 + exp(x))",
    "input p, q in (0, 1)\n-q*log(p) - (1 - q)*log(1 - p)",
    "input x in (-inf, -1000]; data t in [0, inf)\nexp(-t)*x",
    "f(a) = a*a + 1\ng(a, b) = f(a) - f(b)\ng(x, y)/f(x*y)",
    "f(a) = a*a\n"
    + "".join(f"f{k}(a) = f{k - 1}(a) + f{k - 1}(-a)\n" for k in range(1, 40)).replace(
        "f0(", "f("
    )
    + "f39(x)",
    "s = sin(t0)\nc = cos(t0)\nr = where(s > c, s/c, c/s)\nr^2 + log(r^2)",
    "lambda = x*2\nclass = lambda + y\nclass*lambda",
    "pi = 3\ne*x + pi",
    "input x, unused\nx^2",
    "u = log(x)\nwhere(y > 0, u*y, 1)",
    "d = f/(x*y)\nsqrt(d*(a + sqrt((a - b)^2 + c)))/d",
]


ROWS = [row for row in OPS if row.name not in FUNCTIONS and row.params]
CALLED = [row for row in ROWS if not row.infix and row.result == "number"]


def passes(compiled: Compiled, **options: Any) -> Report:
    """The report of a check in which nothing was found."""
    report = check(compiled, **options)
    report.require()
    assert report.ok and report.points > 0
    return report


@pytest.mark.parametrize("text", FORMULAS + PROGRAMS)
@pytest.mark.some(2)
def test_what_is_right_passes(text: str) -> None:
    report = passes(gradc.compile(text))
    assert report.undecided <= report.points // 2


@pytest.mark.parametrize("text", ["lgamma(x)", *FORMULAS[::6], *PROGRAMS[:3]])
def test_what_is_right_passes_the_thorough_form(text: str) -> None:
    report = passes(gradc.compile(text), thorough=True, points=40)
    assert report.errors["value"].worst >= 0.0


# ---- the points


def test_a_hessian_is_judged_where_the_formula_as_written_stops() -> None:
    formula = """input z in [-2.0, 2.0], y in [0.0, 1.0], x
safe_div(x, y) = (x / y) if y != 0 else x
b0 = z
b1 = safe_div(x, y)
b2 = safe_div(x, 4)
exp2(where(((z <= b2) and (z < y <= 1e-300)), (x * y), safe_div(b1, x)))"""
    gradc.compile(formula, emit="hessian").check(points=8).require()


@pytest.mark.parametrize("text", FORMULAS[::4])
def test_a_hessian_passes_whatever_the_last_bits_beside_it(text: str) -> None:
    passes(gradc.compile(text, emit="hessian"), points=16)


def test_points_are_in_the_domains() -> None:
    f = gradc.compile("input x, y in [2, 3]; input z in (0, inf)\nx*y*log(z)")
    draw = drawn(f.program, Random(1))
    for _, point in zip(range(500), draw):
        assert 2.0 <= point["x"] <= 3.0 and 2.0 <= point["y"] <= 3.0
        assert 0.0 < point["z"] < math.inf


def test_points_are_of_many_kinds() -> None:
    f = gradc.compile("x + y")
    draw = drawn(f.program, Random(1))
    found = [point["x"] for _, point in zip(range(300), draw)]
    assert min(found) < -1e3 and max(found) > 1e3
    assert min(map(abs, found)) < 1e-4
    assert any(x == int(x) for x in found)


def test_both_branches_are_reached() -> None:
    source = "input x in [0, 1000]\nwhere(x < 990, x, where(x > 999, x^2, x^3))"
    with pytest.raises(GradcError) as caught:
        edited(source, "3.0 *", "3.5 *").require()
    assert caught.value.kind == "CheckMistake"


@pytest.mark.long
def test_a_formula_defined_nowhere() -> None:
    f = gradc.compile("a = x^2\nb = log(-1 - a)\nb*2")
    with pytest.raises(GradcError) as caught:
        check(f).require()
    assert caught.value.kind == "CheckMistake"
    assert "no point" in caught.value.message and caught.value.line == 2
    assert "--no-check" in str(caught.value) and "input" in str(caught.value)


@pytest.mark.long
def test_few_points_for_large_formulas() -> None:
    text = "\n".join(["v0 = x"] + [f"v{k} = sin(v{k - 1})*x" for k in range(1, 3000)])
    report = passes(gradc.compile(text + "\nv2999"))
    assert 1 <= report.points < 10


def test_the_same_report_every_time() -> None:
    f = gradc.compile("where(x > y, exp(x)*y, sin(x))/(x - y)")
    reports = [check(f, thorough=True, points=10) for _ in range(2)]
    assert reports[0].lines() == reports[1].lines()
    assert json.dumps(reports[0].as_dict()) == json.dumps(reports[1].as_dict())


def test_a_list_of_inputs_is_honoured() -> None:
    passes(gradc.compile("e*x + sin", inputs=["sin", "x", "e", "extra"]))


def test_selected_derivatives() -> None:
    report = passes(gradc.compile("x*y*z", wrt=["z", "x"]), thorough=True, points=3)
    assert [*report.errors] == ["value", "d/dz", "d/dx"]


# ---- faults in a printed line


def edited(text: str, old: str, new: str) -> Report:
    """Check a module after a change of its code, wherever `old` stands in it."""
    f = gradc.compile(text)
    head, code = re.split(r"(?=^def value)", f.source, maxsplit=1, flags=re.MULTILINE)
    code = re.sub(r" *#.*", "", code)
    assert old in code
    f.source = head + code.replace(old, new)
    return check(f)


SPRING = "r = x - x0\nenergy = 0.5*k*r^2\nenergy + log(2 + energy)*sin(r)"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x - x0", "x0 - x"),
        ("sin(r)", "sin(k)"),
        ("log(", "sqrt("),
        ("cos(r)", "-cos(r)"),
        ("return ", "return 1e-9 + "),
        ("0.5", "0.500001"),
        (" + ", " - "),
        ("energy = ", "energy = 1 + "),
        ("sin(r)", "sin(missing)"),
    ],
)
def test_a_changed_line_is_caught(old: str, new: str) -> None:
    with pytest.raises(GradcError) as caught:
        edited(SPRING, old, new).require()
    assert caught.value.kind == "CheckMistake"
    assert "x = " in caught.value.message and caught.value.span is not None


# ---- faults in a pass


def tampered(f: Compiled, change: Callable[[Program], Program]) -> Compiled:
    """A compiled formula with one more pass behind all others."""
    found = copy(f)
    found.functions = {
        name: function._replace(program=change(function.program))
        for name, function in f.functions.items()
    }
    vars(found).pop("source", None)  # it is made again
    return found


def flip(program: Program) -> Program:
    """Turn the first difference round."""
    nodes = list(program.nodes)
    k = next(i for i, node in enumerate(nodes) if node[0] == "sub")
    nodes[k] = ("sub", nodes[k][2], nodes[k][1])
    return replace(program, nodes=tuple(nodes))


def drop(program: Program) -> Program:
    """Drop a term of the last sum."""
    nodes = list(program.nodes)
    k = max(i for i, node in enumerate(nodes) if node[0] == "add")
    nodes[k] = ("mul", nodes[k][1], nodes[k][1])
    return replace(program, nodes=tuple(nodes))


def swap(program: Program) -> Program:
    """Exchange two derivatives."""
    value, one, other, *rest = program.outputs
    return replace(program, outputs=(value, other, one, *rest))


def round_off(program: Program) -> Program:
    """Change a constant in its sixth digit."""
    nodes = list(program.nodes)
    k = next(i for i, n in enumerate(nodes) if n[0] == "const" and n[1] not in (0, 1))
    nodes[k] = ("const", nodes[k][1] * (1 + 1e-6))
    return replace(program, nodes=tuple(nodes))


def untake(program: Program) -> Program:
    """Exchange the sides of the last conditional."""
    nodes = list(program.nodes)
    k = max(i for i, node in enumerate(nodes) if node[0] == "where")
    nodes[k] = ("where", nodes[k][1], nodes[k][3], nodes[k][2])
    return replace(program, nodes=tuple(nodes))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (flip, "(x - y)^3 + x*y"),
        (flip, "sqrt(x) - 3*y"),
        (drop, "x*y + sin(x)*y + exp(y)"),
        (swap, "x^2*y"),
        (round_off, "3.7*x^2 + sin(y)"),
        (untake, "where(x > y, x^2*y, x - y)"),
    ],
)
def test_a_broken_pass_is_caught(
    change: Callable[[Program], Program], text: str
) -> None:
    with pytest.raises(GradcError) as caught:
        check(tampered(gradc.compile(text), change)).require()
    assert caught.value.kind == "CheckMistake"
    assert caught.value.line == 1


# ---- branches that the compiler made


def reversed_series(program: Program) -> Program:
    """Turn the sign of the last term of a branch of the compiler's own."""
    nodes = list(program.nodes)
    k = next(i for i, node in enumerate(nodes) if node[0] == "where")
    sums = ("add", "sub")
    wrong = max(i for i in range(nodes[k][2] + 1) if nodes[i][0] in sums)
    op, x, y = nodes[wrong]
    nodes[wrong] = ("sub" if op == "add" else "add", x, y)
    return replace(program, nodes=tuple(nodes))


def own(f: Compiled) -> Edges:
    return Edges(f.program, 100_000)


SERIES = [
    "(1 - cos(x))/x^2",
    "sin(x)/x",
    "(exp(x) - 1)/x",
    "x/(exp(x) - 1)",
    "log(1 + x)/x",
    "sin(x - y)/(x - y)",
    "(exp(x) - 1 - x)/x^2*y",
]


@pytest.mark.parametrize("text", SERIES)
def test_a_series_with_a_wrong_sign_is_caught(text: str) -> None:
    f = gradc.compile(f"{text}")
    assert own(f).sides
    assert passes(f)
    report = check(tampered(f, reversed_series))
    assert not report.ok and "not" in report.mistakes[0].message


def test_a_branch_that_no_drawn_point_enters_is_entered() -> None:
    """The points that are drawn are all on one side."""
    f = gradc.compile("input x in [-1e6, 1e6]; sin(x - 12345.678)/(x - 12345.678)")
    (guard,) = own(f).sides
    draw = drawn(f.program, Random(1))
    runs = [run_program(f.program, point, FLOATS) for _, point in zip(range(200), draw)]
    assert {run.values[guard] for run in runs} == {False}
    assert passes(f) and not check(tampered(f, reversed_series)).ok


def test_both_sides_of_a_guard_are_found_by_solving() -> None:
    f = gradc.compile("input x in [-1000, 1000]; (1 - cos(x))/x^2")
    (guard,) = own(f).sides
    found = [point["x"] for point in own(f).near(guard, [{"x": 700.0}])]
    assert {abs(x) < 0.25 for x in found} == {True, False}
    assert all(abs(abs(x) - 0.25) < 1e-5 for x in found if x)


UNENTERED = (  # sides at which no float is
    "log(r^2)",  # the sign of r, if it were 0
    "x^0.5 + x^(1/3)",  # 0, where the other slope raises
    "x^y",  # y == 0, which is asked where x is 0 as well
    "xlogy(x, y) + log(x, 3)",  # y <= 0 where x is 0, which has no logarithm
)


@pytest.mark.parametrize("text", [*FORMULAS, *PROGRAMS])
@pytest.mark.some(3)
def test_both_sides_of_all_guards_are_entered(text: str) -> None:
    missed = [n for n in passes(gradc.compile(text)).notes if "no point" in n]
    assert not missed or any(part in text for part in UNENTERED)


def test_a_side_that_was_not_entered_is_named() -> None:
    report = passes(gradc.compile("where(x^2 - 2*x*y + 3*y^2 < -1, x, y)"))
    assert "of 'x^2 - 2*x*y + 3*y^2 < -1' is true," in report.notes[0]


# ---- what is promised


def test_what_is_beyond_the_promises_is_undecided() -> None:
    report = edited("input x in [1e155, 1e160]; x + 1", "x + 1.0", "x * x / x + 1.0")
    assert report.ok and report.undecided > 0
    with pytest.raises(GradcError) as caught:
        edited("input x in [1, 2]; x + 1", "x + 1.0", "x / 0.0").require()
    assert caught.value.kind == "CheckMistake"


# ---- faults in a row


def with_row(name: str, **columns: Any) -> Table:
    return Table(tuple(replace(r, **columns) if r.name == name else r for r in OPS))


@pytest.mark.parametrize(
    ("name", "columns", "text"),
    [
        ("sin", {"partials": ("-cos(x)",)}, "sin(x)*y"),
        ("tanh", {"partials": ("1 - tanh(x)",)}, "tanh(x*y)"),
        ("div", {"partials": ("1/y", "x/y^2")}, "x/y"),
        ("exp", {"partials": ("exp(x)*1.00001",)}, "exp(x)"),
        ("tanh", {"python": "sinh({x})"}, "tanh(x)"),
        ("hypot", {"each": "x"}, "hypot(x, y)"),
    ],
)
def test_a_broken_row_is_caught(name: str, columns: Any, text: str) -> None:
    f = gradc.compile(text, ops=with_row(name, **columns))
    with pytest.raises(GradcError) as caught:
        check(f).require()
    assert caught.value.kind == "CheckMistake"


def test_a_row_of_the_user_passes() -> None:
    ops = OPS.define("swish(x)", means="x*sigmoid(x)", doc="Self-gated unit.")
    passes(gradc.compile("swish(x*y) + y", ops=ops))


# ---- the witness


def written(text: str) -> Program:
    f = gradc.compile(text)
    return unroll(parse(f.program.source), f.program)


@pytest.mark.parametrize(
    ("text", "x", "value", "slope"),
    [
        ("x - sin(x)", 1e-8, 1.6666666666666668e-25, 5e-17),
        ("(1 - cos(x))/x^2", 1e-9, 0.5, -8.333333333333334e-11),
        ("log(1 + exp(-x))", 600.0, 2.6503965530043108e-261, -2.6503965530043108e-261),
        ("erf(x)", 23.45, 1.0, 1.7093607380327514e-239),
        ("1 - erf(x)", 20.0, 5.395865611607901e-176, -2.1610374743867984e-174),
        ("x^2", 0.0, 0.0, 0.0),
        ("floor(x)", 3.25, 3.0, 0.0),
        ("log(x - 1e15)", 1e15 + 2.0, math.log(2.0), 0.5),
        (
            "sin(x)/sqrt(sinh(x)^2 + 1)",
            580.0,
            2.391952626801352e-252,
            -3.3366821069319065e-252,
        ),
        ("sin(x)^2 + cos(x)^2", 5.0, 1.0, 0.0),
        ("atanh(tanh(x))", 72.812, 72.812, 1.0),
        (
            "sqrt(cosh(1164 + 0*x) - cos(x))",
            2.0,
            4.063249306075651e252,
            1.1189289141894854e-253,
        ),
        (
            "9^x/gamma(x + 1)",
            262.0,
            3.920800021018615e-272,
            -1.3224964761354412e-271,
        ),
    ],
)
def test_the_witness(text: str, x: float, value: float, slope: float) -> None:
    witness = Witness(written(text))
    assert float(witness.at({"x": x}).truth()) == value
    assert float(witness.at({"x": x}).truth(["x"])) == slope


@pytest.mark.parametrize("text", ["abs(x)", "floor(x)", "relu(x)", "max(x, -x)"])
def test_the_witness_keeps_the_conventions_of_kinks(text: str) -> None:
    assert Witness(written(text)).at({"x": 0.0}).truth(["x"]) == 0


def test_the_witness_does_not_decide_what_is_infinite() -> None:
    assert Witness(written("sqrt(x)")).at({"x": 0.0}).truth(["x"]) is None


def test_the_witness_at_the_edge_of_a_domain() -> None:
    assert Witness(written("x*sqrt(x)")).at({"x": 0.0}).truth(["x"]) == 0
    assert Witness(written("log(x)")).at({"x": -1.0}).truth() is None


@pytest.mark.parametrize("text", ["exp(exp(exp(x)))", "x^x^x^x", "gamma(exp(exp(x)))"])
def test_the_witness_gives_up_in_time(text: str) -> None:
    assert Witness(written(text)).at({"x": 1e3}).truth() is None


def test_the_work_of_the_witness_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    named = gradc.compile("return u = x*y, v = x + y")
    assert not passes(named, thorough=True).notes
    f = gradc.compile("x*erf(x)")
    whole = passes(f, thorough=True)
    assert not whole.notes
    monkeypatch.setattr(checking, "WITNESSED", 0.02)
    report = passes(f, thorough=True)
    match = re.search(r"measured at (\d+) of 64 points", report.notes[0])
    assert match and 0 < int(match[1]) < 64
    assert report.errors["value"].worst <= whole.errors["value"].worst


def test_the_work_of_the_check_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    f = gradc.compile("where(x > y, sin(x)/x, where(x*y > 1, x, exp(y)))")
    points = check(f).points
    monkeypatch.setattr(checking, "EFFORT", 30)
    report = passes(f)
    assert report.points < points
    assert re.match(r"note: no point was found .* and \d more", report.notes[0])
    monkeypatch.setattr(checking, "LARGEST", 5)
    report = check(f)
    assert report.ok and report.points == 0
    assert "nothing was compared" in report.notes[0]


@pytest.mark.long
@pytest.mark.parametrize("row", CALLED, ids=lambda row: row.signature)
def test_every_row_passes_the_thorough_form(row: Op) -> None:
    given = {"n": "2"}  # an order
    if row.name == "where":
        given["c"] = "x < y"
    args = ", ".join(given.get(param, param) for param in row.params)
    f = gradc.compile(f"{row.called}({args})")
    report = passes(f, thorough=True)
    assert report.undecided < report.points


@pytest.fixture
def without_flint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    for name in ("balls", "certified"):
        monkeypatch.delitem(sys.modules, f"gradc.checking.{name}", raising=False)


def test_without_flint_a_difference_stays_undecided(without_flint: None) -> None:
    report = edited(SPRING, "0.5", "0.6")
    assert report.ok and report.undecided > 0
    assert "gradc[certified]" in report.notes[0]


def test_without_flint_what_is_right_passes(without_flint: None) -> None:
    assert not passes(gradc.compile(SPRING)).notes
    thorough = passes(gradc.compile(SPRING), thorough=True)
    assert "gradc[certified]" in thorough.notes[0] and not thorough.errors
    assert thorough.lines() == ["64 points: no mistake found", *thorough.notes]


def test_flint_is_not_imported_without_need() -> None:
    code = (
        "import gradc, sys; gradc.compile('x*sin(y) + x', check=True);"
        "assert 'flint' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- the formula as written


def run(text: str, **point: float) -> float:
    return float(run_program(written(text), point, FLOATS).results()[0])


def test_only_what_is_needed_is_evaluated() -> None:
    assert run("u = log(x)\nwhere(x > 0, u, 7)", x=-1.0) == 7.0
    assert run("f(a, b) = where(x > 0, a, b)\nf(log(x), 7)", x=-1.0) == 7.0
    assert run("where(x > 0 and log(x) > 0, 1, 2)", x=-1.0) == 2.0
    assert run("where(x < 0 or log(x) > 0, 1, 2)", x=-1.0) == 1.0


def test_a_name_that_hides_a_function_hides_it_below() -> None:
    assert run("f(a) = abs(a)\nabs(a) = a + 1\nf(x) + abs(x)", x=-3.0) == 1.0


def test_nothing_is_folded() -> None:
    assert [n[0] for n in written("x*1 + 0").nodes] == [
        "input",
        "const",
        "mul",
        "const",
        "add",
    ]


def test_depth_does_not_recurse() -> None:
    text = "-" * 20_000 + "x" + "+1" * 20_000
    assert run(text, x=1.0) == 20_001.0
    passes(gradc.compile(text))


def test_the_witness_counts_no_further_than_it_can() -> None:
    witness = Witness(written("polygamma(2, x) + digamma(x)"))
    assert witness.at({"x": -1e16}).truth() is None
    assert float(witness.at({"x": -10.5}).truth()) == pytest.approx(2.3899916604851)


@pytest.mark.parametrize(
    "text",
    [
        "log(x*y) - log(x) - log(y)",
        "x/(x + y) + y/(x + y)",
        "tan(x)*cos(x) - sin(x)",
        "input x, y in [1, 2]\nx*y - y*x + (x + y)*(x - y) - x^2 + y^2",
    ],
)
def test_where_the_truth_is_zero_errors_have_a_unit(text: str) -> None:
    """It is what rounding changes; of a result of 0 no last place can be told."""
    report = gradc.compile(text, strict=True).check(thorough=True)
    assert report.ok
    assert all(e.worst < 10.0 for e in report.errors.values())


@pytest.mark.parametrize(
    "text",
    ["where(l == 0, x, l*x^2 + x)", "where(x == 0, 1, sin(x)/x)*l"],
)
def test_at_an_edge_the_convention_has_no_error(text: str) -> None:
    """There the derivative of the side that is taken may be another one than the limit."""
    report = gradc.compile(text).check(thorough=True)
    assert report.ok
    assert all(e.worst < 1e5 for e in report.errors.values())
