"""Derivatives inside formulas: what the pass gives, and what calculus says."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf

import gradc
from gradc.checking.check import unroll
from gradc.errors import GradcError
from gradc.ir import Program
from gradc.language.parse import parse
from gradc.ops import Op
from gradc.passes.derive import derive
from gradc.passes.resolve import resolve
from gradc.passes.slopes import slopes
from gradc.run import evaluate
from tests.conftest import read as lowered
from tests.strategies import (
    NUMBERS,
    SMOOTH,
    Formula,
    formula,
    formulas,
    law,
    precise,
    written,
    verify,
)
from tests.test_arrays import canonical


def read(text: str) -> Program:
    """The program of a formula, its derivatives written out."""
    return slopes(lowered(text))


PLAIN = [row for row in NUMBERS if row.partials or row.each]  # not written out first
DIGITS = 60
FRACTIONS = ("0.5", "1.5", "0.25", "7.3", "0.1", "1e-3")  # no number that is folded


def differentiated(drawn: Formula) -> tuple[Program, Program]:
    """A formula with its derivatives, which it asks for itself, and by the pass."""
    *lines, last = drawn.text.split("\n")
    plain = read(drawn.text)
    assume(resolve(plain, joins=True).nodes == plain.nodes)  # no point is taken out
    names = [item.name for item in plain.inputs]
    asked = ", ".join(f"diff(it, {name})" for name in names)
    whole = read("\n".join([*lines, f"it = {last}", f"return it, {asked}"]))
    return verify(whole), derive(plain, names)


@law
@given(st.integers(0, 2**32))
def test_diff_is_what_the_pass_appends(seed: int) -> None:
    drawn = formula(Random(seed), PLAIN, FRACTIONS, lines=0)
    asked, passed = differentiated(drawn)
    assert canonical(asked) == canonical(passed)


@pytest.mark.parametrize("text", ["x^y", "(2*x + 1)^y", "x^(x*y)"])
def test_diff_of_a_power_with_a_varying_exponent(text: str) -> None:
    _, (slope, _) = gradc.compile(text).value_and_grad(1.5, 1.2)
    assert gradc.compile(f"diff({text}, x)")(1.5, 1.2) == pytest.approx(
        slope, rel=1e-15
    )


@law
@given(formulas(rows=SMOOTH))
def test_diff_sees_through_bindings(drawn: tuple[Formula, Random]) -> None:
    asked, passed = differentiated(drawn[0])
    with mp.workdps(DIGITS):
        for point in drawn[0].points(drawn[1], 2):
            one, other = precise(asked, point), precise(passed, point)
            if one and other:
                size = max(one.size, other.size, 1)
                for x, y in zip(one.outputs, other.outputs, strict=True):
                    assert abs(x - y) <= size * mpf(10) ** (10 - DIGITS)


def values(text: str, **point: Any) -> list[float]:
    """The results of a formula, of the program and of the steps as written."""
    program = verify(read(text))
    flat = {
        name + "".join(f"[{k}]" for k in place): float(x)
        for name, array in point.items()
        for place, x in np.ndenumerate(array)
    }
    found = evaluate(program, flat)
    steps = evaluate(verify(unroll(parse(text), program)), flat)
    np.testing.assert_allclose(steps, found, rtol=1e-13)
    return list(found)


CASES = [
    ("diff(x^3, x)", 12.0),
    ("diff(diff(x^3, x), x)", 12.0),
    ("diff(diff(diff(x^4*y, x), x), y)", 48.0),
    ("r = x*y; E = r^2; diff(E, r)", 12.0),
    ("r = x*y; E = r^2; diff(E, x)", 36.0),
    ("r = x*y; E = r*x; u = diff(E, x); diff(u, r)", 1.0),
    ("r = x*y; E = r^2*x; d = diff(E, r); diff(E, x) + 0*d", 108.0),
    ("r = x*y; E = r^2*x; [diff(E, r), diff(E, x)][1]", 108.0),
    ("a = x*y; b = x*y; diff(a*b, a)", 6.0),
    ("a = x; diff(a^2, x)", 4.0),
    ("n = 2; diff(y^n, y) + 0*n", 6.0),
    ("n = 2; diff(n^2, n)", 4.0),
    ("diff(y, x)", 0.0),
    ("diff(3, x)", 0.0),
    ("s(t) = t^3; v(t) = diff(s(t), t); v(x) + v(1)", 15.0),
    ("s(t) = t^3; a(t) = diff(diff(s(t), t), t); a(0) + a(x + y)", 30.0),
    ("f(u) = diff(u^2, u); diff(f(x*y), x)", 6.0),
    ("force(E, r) = -diff(E, r); r = x*y; force(r^2, r)", -12.0),
    ("diff(a, b) = a - b; diff(x, 1)", 1.0),
    ("sum(diff(v^2, v) for v in [x, y, x + y])", 20.0),
    ("where(x > 0, diff(log(x), x), 0)", 0.5),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_diff(text: str, expected: float) -> None:
    assert values("input x, y; " + text, x=2.0, y=3.0) == [expected]


def test_arrays_of_derivatives() -> None:
    x = np.array([1.0, 2.0, 3.0])
    head = "input x[3]\nE = x[0]*x[1]^2 + x[2]^3\n"
    assert values(head + "grad(E, x)", x=x) == [4.0, 4.0, 27.0]
    second = [0.0, 4.0, 0.0, 4.0, 2.0, 0.0, 0.0, 0.0, 18.0]
    assert values(head + "hessian(E, x)", x=x) == second
    assert values(head + "jacobian(grad(E, x), x)", x=x) == second
    assert values(head + "diff(E, x[1])", x=x) == [4.0]
    assert values(head + "grad(E, [x[2], x[0]])", x=x) == [27.0, 4.0]
    assert values(head + "diff([sin(x[0]), x[0]*x[1]], x[0])[1]", x=x) == [2.0]
    assert values(head + "p = 2*x\ngrad(sum(p^2), p)", x=x) == [4.0, 8.0, 12.0]
    shapes = "jacobian([x, 2*x], x[:2])"
    assert read(head + shapes).results[0].shape == (2, 3, 2)


@pytest.mark.parametrize("row", SMOOTH, ids=lambda row: row.signature)
def test_third_derivatives_of_rows(row: Op) -> None:
    count = len(row.params)
    args = ["x", "0.75*x + 0.5", "x*x/4 + 1", "1 - x/3", "x/2"][:count]
    if row.params[:1] == ("n",):
        args = ["1", "x", "x/2 + 0.5"][:count]
    if row.name == "logerfdiff":  # of an interval
        args.reverse()
    if row.name == "log1mexp":
        args = ["-x"]
    text = written(row, args)
    plain = read(f"input x\n{text} + 0*x")
    third = read(f"input x\ndiff(diff(diff({text}, x), x), x) + 0*x")
    with mp.workdps(DIGITS):

        def value(x: Any) -> Any:
            found = precise(plain, {"x": x})
            return mp.nan if found is None else found.outputs[0]

        tried = 0
        for x in (0.3125, 0.8125, 1.4375):
            expected = mp.diff(value, mpf(x), 3)
            found = precise(third, {"x": mpf(x)})
            if mp.isfinite(expected):
                assert found is not None
                size = max(1, abs(expected), found.size)
                assert abs(found.outputs[0] - expected) <= size * mpf(10) ** -20
                tried += 1
        assert tried


def test_a_compiled_derivative_passes_its_check() -> None:
    text = """
    input m, l, g, q, w
    L(q, w) = m*l^2*w^2/2 + m*g*l*cos(q)
    p = diff(L(q, w), w)
    return p*w - L(q, w)
    """
    gradc.compile(text, check=True)


def test_what_diff_differentiates_by_is_a_name() -> None:
    with pytest.raises(GradcError, match="differentiates by a name"):
        read("f(u) = u^2; diff(f(x), 2*x)")
