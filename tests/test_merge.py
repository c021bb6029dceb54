"""The laws of merging: the same functions, by nodes that are as good and as defined.

Programs before and after are compared in 60 digits, so that a merge that holds only at
sampled points, in floats, or up to a tiny term is found.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from mpmath import mp, mpf

from gradc import ir
from gradc.ir import Program
from gradc.ops import OPS
from gradc.passes.derive import derive
from gradc.passes.merge import merge
from gradc.functions import passes
from gradc.run import evaluate
from tests.conftest import Case, check, read
from tests.strategies import (
    FINE,
    Formula,
    Point,
    differentiated,
    folds_exactly,
    formulas,
    law,
    precise,
    verify,
)

BLACK_SCHOLES = """\
d1 = (log(S/K) + (r + 0.5*sigma^2)*T)/(sigma*sqrt(T))
d2 = d1 - sigma*sqrt(T)
S*0.5*(1 + erf(d1/sqrt(2))) - K*exp(-r*T)*0.5*(1 + erf(d2/sqrt(2)))"""


def gradient_of(text: str) -> Program:
    return differentiated(read(text))


def compare(before: Program, after: Program, point: Point) -> None:
    """Demand the same outputs in 50 digits, and floats that are about as good."""
    digits = 50 if folds_exactly(before, after) else 13
    if not all(differences(before, after, point, digits)):
        # log(exp(1e-300)) is 0 in 60 digits
        assert all(differences(before, after, point, digits, working=800)), point


def differences(
    before: Program, after: Program, point: Point, digits: int, working: int = 60
) -> Iterator[bool]:
    """Whether each output is right, and right enough as a float."""
    with mp.workdps(working):
        old, new = precise(before, point), precise(after, point)
        if old is None:
            return
        yield new is not None
        if new is None:
            return
        size = max(old[1], new[1], 1)
        for x, y in zip(old[0], new[0]):
            yield abs(x - y) <= size * mpf(10) ** -digits
        try:
            rough = evaluate(before, point)
        except (ArithmeticError, ValueError):
            return
        for exact, x, y in zip(old[0], rough, evaluate(after, point)):
            allowed = 8 * abs(mpf(x) - exact) + size * mpf(2) ** -46
            yield mp.isnan(x) or abs(mpf(y) - exact) <= allowed


def show(case: Case) -> str:
    program = verify(merge(gradient_of(case.source)))
    lines = [ir.listing(program)]
    return "\n".join(lines + [f"{name} = %{i}" for i, name in program.names.items()])


def test_golden(bless: bool) -> None:
    check("merge", show, bless)


@pytest.mark.long
@law
@given(formulas(rows=FINE, lines=3))
def test_merging_keeps_the_function(drawn: tuple[Formula, Random]) -> None:
    formula, random = drawn
    before = gradient_of(formula.text)
    after = verify(merge(before))
    assert len(after.nodes) <= len(before.nodes)
    for point in formula.points(random):
        compare(before, after, point)


@pytest.mark.parametrize(
    "text",
    [
        "relu(x)*x*y + x^2",
        "abs(x)*x*y + x^2",
        "sqrt(x^2)*x*y + x",
        "hypot(x)*x*y + x",
        "(x^2)^0.5*x*y + x",
        "((x^2)^0.25)^2*x*y + x",
        "exp(log(x^2)/2)*x*y + x",
        "sqrt((x - 5000)^2)*y*x + x",
        "exp(log((x - 5000)^2)/2)*y*x + x",
        "u = (x - 5000)*(x - 5001); sqrt(u^2)*y + u*x",
        "u = (x - 5000)*(x - 5001); abs(u)*y + u*x",
        "u = (x - 5000)*(x - 5001); relu(u)*y + u*x",
        "atan(tan(x))*x*y",
        "asin(sin(x))*x*y",
        "floor(x)*x*y + x*ceil(x)",
        "max(x, y)*x + max(x, -y)*y",
        "where(x > 0, x, -x)*x*y",
        "x*log(y) - sqrt(x^2*log(y)^2) + y*y",
        "x*y + 1e-300*y + x",
        "sigmoid(1e6*(x - 0.5))*y*y",
        "tanh(1e6*x)*y*y*x",
        "1/(1 + exp(-1e6*(x - 0.5)))*y*y",
        "(x + exp(-100 - y^2))*y*x",
        "(exp(-200)*y + x)*(x - y)*x",
        "acosh((hypot(x) - 1)/(-x))*y",
        "x*y*y + where(y > 100, acos(sin(x)), 0^where(x != 0, 1, x))",
        "u = (x - 0.75)^6*1e9; (0.01 + u^2*(3 + u^2*(5 + u^2)))*y*u + u^2*x",
        "u = x - 4999; (0.01 + u^2*(3 + u^2*(5 + u^2*(7 + u^2*(9 + u^2)))))*y*u + x",
    ],
)
def test_what_holds_only_here_and_there_is_no_identity(text: str) -> None:
    before = gradient_of(text)
    after = verify(merge(before))
    for x in (0.0, -0.75, 0.75, 2.5, -2.5, 1e-7, -1e-7, 0.5 + 1e-7, 4999.0, 5000.5):
        for y in (0.5, 2.0, -0.75):
            compare(before, after, {"x": x, "y": y})


SIGNED = [
    row.name
    for row in OPS
    if row.params == ("x",) and row.means is None and row.result == "number"
]


@pytest.mark.parametrize("name", [x for x in SIGNED if not OPS[x].infix])
def test_a_row_is_not_its_size_because_a_root_is_taken_of_that(name: str) -> None:
    before = gradient_of(f"sqrt(hypot({name}(x)))")
    after = verify(merge(before))
    for x in (-2.5, -0.75, 0.3, 0.75, 1.5, 2.75, 7.0):
        try:
            found = evaluate(before, {"x": x})
        except (ArithmeticError, ValueError):
            continue
        assert evaluate(after, {"x": x}) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize(
    "text, fewer",
    [
        ("exp(x)*exp(y)/exp(x + y)*z*x", 10),
        ("(x + y)^2 - x^2 - 2*x*y + y^3", 3),
        ("log(exp(x*y))*x*y", 2),
        ("y*x^2.5/x^1.5*x", 3),
        ("(sqrt(x) + sqrt(y))*(sqrt(x) - sqrt(y))*z", 1),
        (BLACK_SCHOLES, 20),
    ],
)
def test_identities_that_nobody_wrote_down(text: str, fewer: int) -> None:
    before = gradient_of(text)
    after = verify(merge(before))
    assert len(after.nodes) <= len(before.nodes) - fewer
    random = Random(3)
    for _ in range(10):
        point = {item.name: random.uniform(0.2, 3.0) for item in before.inputs}
        compare(before, after, point)


def test_of_two_equal_derivatives_the_less_deep_one_is_left() -> None:
    *bindings, value = BLACK_SCHOLES.split("\n")
    call, bond = value.split(" - ")
    for text in (value, f"-{bond} + {call}"):
        after = merge(gradient_of("\n".join([*bindings, text])))
        muls = [node for node in after.nodes if node[0] == "mul"]
        (square,) = (node for node in muls if node[1] == node[2])  # of the density
        op, d1, _ = after.nodes[square[1]]
        assert (op, after.nodes[d1][0]) == ("div", "div")  # not the difference d2


def test_the_value_stays_undefined_where_the_formula_is() -> None:
    for text in ("sqrt(x)*sqrt(x)*y*y", "(log(x) - log(x) + y)*x*y"):
        after = merge(gradient_of(text))
        with pytest.raises(ValueError):
            evaluate(after, {"x": -1.0, "y": 2.0})


@pytest.mark.parametrize(
    "text, point, exact",
    [
        ("((x + 1e8) - (1e8 - y))*v + (x*z + y*z)/z*w", {"x": 0.3, "z": 1.0}, 1.0),
        ("(x^2 - 1e8)/(x - 1e4)*v + (x + 1e4)*w*y", {"x": 1e4 + 1e-8}, 14000.0),
        ("(x^2 - 4)/(x - 2)*v*0 + (x + 2)*w*y", {"x": 2.0 + 1e-15}, 2.8),
    ],
)
def test_a_node_is_not_replaced_by_a_worse_one(
    text: str, point: Point, exact: float
) -> None:
    program = read(text)
    after = merge(derive(program, ["w", "v", "x", "y"]))
    found = evaluate(after, {"v": 1.0, "w": 1.0, "y": 0.7, **point})[1]
    assert found == pytest.approx(exact, rel=1e-11)


def test_nothing_leaves_its_branch() -> None:
    text = "where(x > 0, log(x)*y, y) + where(x > 2, log(x*x - x)*y, x - log(3 - x))"
    before = gradient_of(text)
    after = verify(merge(before))
    for x in (-1.0, 0.5, 1.0, 2.5):
        compare(before, after, {"x": x, "y": 2.0})


def test_a_name_stays() -> None:
    after = merge(gradient_of("u = x + y; v = (x^2 + x*y)/x; u*v*v*x"))
    assert "u" in after.names.values()


def test_small_and_strict_programs_are_left_alone() -> None:
    program = gradient_of("x*sin(y)")
    assert merge(program) is program
    assert [name for name, _ in passes(("x",), strict=True)] == [
        "slopes",
        "derive",
        "expand",
    ]
    assert "merge" in [name for name, _ in passes(("x",), strict=False)]


def test_the_sample_is_the_same_in_every_process() -> None:
    code = f"""
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.passes.derive import derive
from gradc.passes.merge import merge
print(merge(derive(lower(parse({BLACK_SCHOLES!r})), ["S", "K", "r", "T", "sigma"])))"""
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
