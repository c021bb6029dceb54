"""Certified numbers: right to the last digit or undecided, and never wrong."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from time import process_time
from typing import Any

import pytest

import gradc
from gradc import cli
from tests.corpus import Case, Point, cases

flint = pytest.importorskip("flint")

# How many of the points are decided at least, in per cent.
FLOORS = {
    "feynman": 100,
    "scipy_opt": 100,
    "fpbench": 99,
    "nan_traps": 93,
    "engineering": 98,
    "distributions": 98,
    "reports": 99,
}
# One of so many cases, in short runs.
OFTEN = {
    "feynman": 3,
    "scipy_opt": 4,
    "fpbench": 6,
    "engineering": 5,
    "distributions": 4,
    "reports": 3,
}


def certified(text: str, *point: float, emit: str = "", **options: Any) -> Any:
    return gradc.compile(text, emit=emit or None).certified(*point, **options)


# ---- the corpora


def answers(chosen: list[Case]) -> Iterator[tuple[str, Point, list[float | None]]]:
    """The certified numbers of each point."""
    for case in chosen:
        f = gradc.compile(case.formula, inputs=case.inputs)
        for point in case.points:
            there = f.certified(*point.inputs)
            yield case.name, point, [there.value, *there.gradient]


def is_next(found: float, want: str) -> bool:
    """Whether a float is within a unit in the last place of 18 digits."""
    true = Fraction(want) if "inf" not in want else None
    if true is None or abs(true) > Fraction(sys.float_info.max):
        return found == (float(want) if true is None else math.copysign(math.inf, true))
    slack = abs(true) / 10**17 + Fraction(1, 10**323)
    return abs(Fraction(found) - true) <= Fraction(math.ulp(found)) + slack


def judge(chosen: list[Case], least: int) -> None:
    decided = every = 0
    for name, point, numbers in answers(chosen):
        every += 1
        decided += None not in numbers
        for found, want in zip(numbers, (point.value, *point.gradient), strict=True):
            assert found is None or is_next(found, want), (name, point, found, want)
    assert 100 * decided >= least * every


@pytest.mark.parametrize("corpus", FLOORS)
def test_no_point_is_wrong(corpus: str) -> None:
    judge(cases(corpus)[:: OFTEN.get(corpus, 1)], FLOORS[corpus])


@pytest.mark.long
@pytest.mark.parametrize("corpus", OFTEN)
def test_no_point_of_all_is_wrong(corpus: str) -> None:
    judge(cases(corpus), FLOORS[corpus])


# ---- kinds of points

HARD = [
    # text, point, value, gradient: None is undecided
    ("x*log(x)", (0.0,), 0.0, (None,)),
    ("sin(x)/x", (0.0,), 1.0, (0.0,)),
    ("atan(x*y)/x", (0.0, 3.0), 3.0, (0.0, 1.0)),
    ("1/sin(x) - 1/x", (0.0,), 0.0, (1 / 6,)),
    ("(1 - cos(sqrt(x)))/x", (0.0,), 0.5, (-1 / 24,)),
    ("acos(x)/sqrt(1 - x^2)", (1.0,), 1.0, (-1 / 3,)),
    ("(exp(a) - exp(b))/(a - b)", (0.0, 0.0), 1.0, (0.5, 0.5)),
    ("(sin(a) - sin(b))/(a - b)", (1.0, 1.0), math.cos(1), (-math.sin(1) / 2,) * 2),
    ("sin(pi*a*b)/(1 - a*b)", (2.0, 0.5), math.pi, (0.0, 0.0)),
    ("where(x == 0, 1, sin(x)/x)", (0.0,), 1.0, (0.0,)),
    ("where(x == 0, 1, x/(exp(x) - 1))", (0.0,), 1.0, (-0.5,)),
    ("where(x == 0, 2, sin(x)/x)", (0.0,), 2.0, (0.0,)),
    ("x*abs(x)/(1 + abs(x))", (0.0,), 0.0, (0.0,)),
    ("max(x, -x)", (0.0,), 0.0, (0.0,)),
    ("max(x, 2*x)", (0.0,), 0.0, (1.5,)),
    ("relu(x) + abs(x)", (0.0,), 0.0, (0.0,)),
    ("x - x", (3.0,), 0.0, (0.0,)),
    ("sqrt(x)", (0.0,), 0.0, (None,)),
    ("cbrt(x)", (0.0,), 0.0, (None,)),
    ("1/x", (0.0,), None, (None,)),
    ("x*y/(x^2 + y^2)", (0.0, 0.0), None, (None, None)),
    ("log(x)", (-1.0,), None, (None,)),
    ("exp(x)", (1000.0,), math.inf, (math.inf,)),
    ("exp(x)", (-1000.0,), 0.0, (0.0,)),
    ("exp(1e4*x)/exp(1e4*x - 1)", (3.0,), math.e, (0.0,)),
    ("(x + 1e300)*1e300/1e300", (1.0,), 1e300, (1.0,)),
    ("floor(x)", (2.5,), 2.0, (0.0,)),
    ("digamma(x)", (1.0,), -0.5772156649015329, (math.pi**2 / 6,)),
    ("polygamma(2, x)", (-10.5,), -0.008247469050652217, (194.8166856032526,)),
    ("lgamma(x)/(x - 1)", (1.0,), -0.5772156649015329, (math.pi**2 / 12,)),
    ("x*gamma(x)", (0.0,), 1.0, (-0.5772156649015329,)),
    ("gamma(x)", (-1e300,), None, (None,)),
    ("hypot(x, y)", (0.0, 0.0), 0.0, (0.0, 0.0)),
    ("detach(x)*x", (3.0,), 9.0, (3.0,)),
    ("abs(x)/x", (0.0,), None, (None,)),
    ("sqrt(x^2)/x", (0.0,), None, (None,)),
    ("sqrt(x^2)", (0.0,), 0.0, (0.0,)),
    ("sqrt(x^4)", (0.0,), 0.0, (0.0,)),
    ("sqrt(x^2 + y^2)", (0.0, 0.0), 0.0, (0.0, 0.0)),
    ("sqrt(1 - cos(x))/x", (0.0,), None, (None,)),
    ("abs(x)*sin(x)/x^2", (0.0,), None, (None,)),
    ("0^(x - 1)", (1.0,), 1.0, (None,)),
    ("x^y - 1", (0.0, 1e16), -1.0, (0.0, 0.0)),
    ("floor(1/x)", (0.0,), None, (None,)),
    ("floor(x) + ceil(x) + round(x + 0.5)", (2.0,), 6.0, (0.0,)),
    ("floor(sin(x)/x)", (0.0,), 0.0, (None,)),
    ("where(sin(x)/x >= 1, 1, 0)", (0.0,), 0.0, (None,)),
    ("x - mod(x, 2) + trunc(-x)", (4.0,), 0.0, (0.0,)),
    ("detach(1/x)", (0.0,), None, (None,)),
    ("(where(x == 0, 1, (exp(x) - 1)/x) - 1)/x", (0.0,), 0.5, (None,)),
    ("(exprel(x) - 1)/x", (0.0,), 0.5, (1 / 6,)),
    ("(where(x == 0, 1, exp(x)) - 1)/x", (0.0,), 1.0, (None,)),
    ("where(x == 0, 5, 1) + abs(x)", (0.0,), 5.0, (None,)),
    ("sin(x^1e15) - cos(x^-1e15)", (0.0,), None, (None,)),
    ("erfcx(exp(exp(pi - x)))", (0.0,), None, (None,)),
    ("exp(x) - exp(1)", (1.0,), 0.0, (math.e,)),
    ("exp(-1/x^2)/x^5 + tanh(1/x)", (0.0,), 1.0, (0.0,)),
    ("sqrt(sign(x))", (0.0,), 0.0, (0.0,)),
    ("where(sin(x) - x == 0, 1, exp(x))", (0.0,), 1.0, (1.0,)),
    ("where(cos(x) >= 1, 1, exp(x))", (0.0,), 1.0, (1.0,)),
    ("hypot(sign(x), tanh(sqrt(x)))", (0.0,), 0.0, (None,)),
    ("cbrt(min(x, 0))", (0.0,), 0.0, (None,)),
    ("atan2(x, x)", (0.0,), 0.0, (0.0,)),
    ("atan2(x, x)/x", (0.0,), None, (None,)),
    ("x*atan2(x, x)/x", (0.0,), None, (None,)),
    ("x^y", (-1.0, 2.0), 1.0, (-2.0, 0.0)),
    ("x^(1/y)", (-1.0, 0.0), None, (None, None)),
    ("y*x^(y - 2)", (2.0, -3.0), 2.0, (1.0, 0.0)),
    ("atan2(sin(x), x/abs(x))", (0.0,), None, (None,)),
    ("asin(floor(x))^(-cos(x))", (0.0,), None, (None,)),
    ("exp(1/x^2)*exp(-1/x^2)", (0.0,), None, (None,)),
    ("exp(1/x^2)/exp(2/x^2)", (0.0,), None, (None,)),
    ("exp(-2/x^2)/exp(-1/x^2)", (0.0,), None, (None,)),
    ("log(exp(-1/x^2))*x^2", (0.0,), None, (None,)),
    ("floor((((((x^64)^64)^64)^64)^64)^64)", (2.0**1000,), None, (None,)),
    ("x^((((((y^64)^64)^64)^64)^64)^64)", (0.0, 2.0**1000), 0.0, (None, 0.0)),
]


@pytest.mark.parametrize(("text", "point", "value", "gradient"), HARD)
def test_hard_points(text: str, point: Any, value: Any, gradient: Any) -> None:
    found = certified(text, *point)
    for x, y in zip((found.value, *found.gradient), (value, *gradient)):
        assert (x is None) == (y is None), found
        assert x is None or x == y or abs(x - y) <= math.ulp(y), found
    assert len(found.undecided) == [value, *gradient].count(None)


def test_a_value_without_a_limit_has_no_derivatives() -> None:
    found = certified("x*y/(x^2 + y^2)", 0.0, 0.0, emit="hessian")
    assert found.hessian == ((None, None), (None, None))


def test_what_is_settled_by_convention_is_named() -> None:
    assert not certified("abs(x)", 1.0).conventions
    assert "abs at 0" in certified("abs(x)", 0.0).conventions[0]
    assert "edge" in certified("sign(x)", 0.0).conventions[0]
    assert "tied" in certified("min(x, y)", 2.0, 2.0).conventions[0]
    assert "x^y by y" in certified("x^y", -1.0, 2.0).conventions[0]
    assert "atan2" in certified("atan2(y, x)", 0.0, 0.0).conventions[0]
    assert "from above" in certified("atan(1/x)", 0.0).conventions[0]
    assert "edge" in certified("where(x == 0, 1, sin(x)/x)", 0.0).conventions[0]
    assert "digits" in certified("(exp(a) - exp(b))/(a - b)", 1.5, 1.5).conventions[0]


def test_the_angle_of_a_vector_and_itself() -> None:
    """Flint would abort at the root, a series of the square of a short one."""
    text = "input u[3], v[3]\nacos(dot(u, v)/(norm(u)*norm(v)))"
    found = certified(text, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert found.value == 0.0 and found.gradient == ((0.0, 0.0, 0.0),) * 2
    found = certified(text, [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0])
    assert found.value == math.pi and found.gradient == ((0.0, 0.0, 0.0),) * 2


def test_hessians_and_arrays_are_nested_as_usual() -> None:
    text = "input w[2], x\nsin(w[0]*x)/w[0] + w[1]^2"
    f = gradc.compile(text, emit="hessian")
    found = f.certified([0.5, 1.0], 2.0)
    value, gradient, hessian = f.value_grad_and_hessian([0.5, 1.0], 2.0)
    flat = gradc.arrays.leaves
    for one, other in zip(
        flat([value, gradient, hessian]),
        flat([found.value, found.gradient, found.hessian]),
    ):
        assert one == pytest.approx(other, rel=1e-14, abs=1e-15)
    assert f.certified(w=[0.0, 1.0], x=2.0).hessian[0][0][0][0] == pytest.approx(-8 / 3)


MIXED = [
    # text, point, d2/dx dy: far smaller than what it is the difference of
    ("exp(x) + exp(y)", (1.0, 2.0), 0.0),
    ("exp(x) + 1e-150*x*y + exp(y)", (1.0, 2.0), 1e-150),
    ("log(1 + exp(x)) + log(1 + exp(y)) + exp(x - y)", (-1.0, 300.0), -math.exp(-301)),
]


@pytest.mark.parametrize(("text", "point", "mixed"), MIXED)
def test_mixed_derivatives_are_certain_too(text: str, point: Any, mixed: float) -> None:
    (_, found), (same, _) = certified(text, *point, emit="hessian").hessian
    assert found == same == pytest.approx(mixed, rel=1e-14, abs=0.0)


def test_a_jacobian() -> None:
    found = gradc.compile("input x, y\nreturn [x*y, x/y]").certified(3.0, 2.0)
    assert found.value == (6.0, 1.5)
    assert found.gradient == ((2.0, 3.0), (0.5, -0.75))


def test_decimal_digits() -> None:
    pi = "3.14159265358979323846264338327950288419716939937510"
    found = certified("pi*x", 1.0, digits=40)
    assert found.value.startswith(pi[:40]) and found.gradient == (found.value,)
    assert certified("exp(x)", 1e5, digits=20).value == "2.8066633604261231793e+43429"
    assert certified("x^2", 0.5, digits=5).value == "0.25000"
    small = certified("exp(-1000*x)*(exp(y)-1-y)", 1.0, 1e-30, digits=50)
    assert small.value == "2.5379794487747288056581504127880202115790748391248e-495"
    nothing = certified("sin(pi*x)", 1.0, digits=10)
    assert nothing.value == "0" and "1958 digits is 0" in nothing.conventions[0]


@pytest.mark.long
@pytest.mark.parametrize("text", ["exp(exp(exp(x)))", "x^x^x^x", "gamma(exp(exp(x)))"])
def test_it_takes_some_seconds_at_most(text: str) -> None:
    start = process_time()
    certified(text, 1e3)
    assert process_time() - start < 20.0


def test_divided_differences_far_apart_come_to_an_end() -> None:
    """Of numbers and of wide balls, for which flint's hypergeometric functions may not."""
    from gradc.checking.balls import VALUES

    found = certified("dlogrel(2, x, 7)", 4e-88, digits=300).value
    assert float(found) == pytest.approx(1 / 7 / 4e-88**2, rel=1e-14)
    draw, arb = Random(1), flint.arb
    with flint.ctx.workprec(512):
        VALUES["dexprel"](arb(4), arb(-4e-4, 1e-3), arb(-14191.5, 5e-17))
        for _ in range(500):
            n, x, y = draw.randrange(5), *[10 ** draw.uniform(-90, 5) for _ in "xy"]
            balls = arb(n), arb(x, draw.choice((0, x / 3))), arb(y, y / 1e17)
            for name in ("dexprel", "dlogrel"):
                VALUES[name](*balls)


def test_bits_are_bounded() -> None:
    text = "(1 + exp(-x) - 1)*exp(x)"
    assert certified(text, 2000.0).value == 1.0
    assert certified(text, 2000.0, max_bits=500).value is None


def test_without_flint_the_message_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    for name in ("balls", "certified"):
        monkeypatch.delitem(sys.modules, f"gradc.checking.{name}", raising=False)
    with pytest.raises(gradc.GradcError, match=r"pip install 'gradc\[certified\]'"):
        certified("x", 1.0)


def test_a_recorded_function() -> None:
    f = gradc.trace(lambda x: (x.exp() - 1.0) / x, x=())
    assert f.certified(0.0).value == 1.0


def test_rows_of_ones_own() -> None:
    ops = gradc.OPS.define("swish(x)", "x times sigmoid.", means="x*sigmoid(x)")
    assert gradc.compile("swish(x)", ops=ops).certified(0.0).gradient == (0.5,)
    ops = gradc.OPS.define("odd(x)", "No meaning.", partials="1", python="float({x})")
    found = gradc.compile("odd(x)", ops=ops).certified(0.0)
    assert found.undecided["value"] == "odd has no series"


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> list[str]:
        cli.main(["eval", *words])
        shown = capsys.readouterr()
        return (shown.out + shown.err).splitlines()

    value, slope = said("--certified", "-e", "sin(x)/x", "x=0")
    assert value.startswith("value  1.0  the module gives 1.0, 0 ulp off")
    assert slope.startswith("d/dx   0.0")
    value, *_ = said("--certified", "--digits", "30", "-e", "x*pi", "x=1")
    assert "3.14159265358979323846264338328  the module" in value
    lines = said("--certified", "-e", "x*log(x)", "x=0")
    assert lines[0] == "value  0.0" and "undecided: " in lines[1]
    assert (
        "by convention: the slope of abs"
        in said("--certified", "-e", "abs(x)", "x=0")[-1]
    )
    lines = said("--certified", "-e", "where(x == y, x, 1)", "x=1", "y=1")
    assert lines[1] == "d/dx   0.0  the module gives 1.0, inf ulp off"
    sure = "--json", "--certified"
    found = json.loads("\n".join(said(*sure, "-e", "abs(x)", "x=0")))
    assert found.pop("conventions") == ["the slope of abs at 0 is 0"]
    assert found == {"value": 0.0, "gradient": {"x": 0.0}, "undecided": {}}
    lines = said(*sure, "--digits", "3", "-e", "[x*pi, sqrt(x)]", "x=0")
    found = json.loads("\n".join(lines))
    assert found["value"] == {"value[0]": "0", "value[1]": "0"}
    assert found["jacobian"] == {"value[0]": {"x": "3.14"}, "value[1]": {"x": None}}
    assert [*found["undecided"]] == ["dvalue[1]/dx"]
    assert "options of --certified" in said("--digits", "5", "-e", "x", "x=1")[0]


@pytest.mark.parametrize("text", ["sinh(1e16/x)", "sumexp(1, 0, 1, 4/x)", "x*1e200"])
def test_a_ball_without_an_end_is_beyond_the_range(text: str) -> None:
    """It contains 0 as well, and explains nothing."""
    from gradc.checking.certified import Witness

    f = gradc.compile(text)
    point = {"x": 2.0**-70}
    there = Witness(f.written).at(point)
    assert not there.is_promised()
    assert there.explains(f.written, point, 0, 1.0, Fraction(2)) is None


def test_the_beta_distribution_ends_next_to_its_end() -> None:
    text = "fcdf(x, 2.9375, 5e-324)"
    assert certified(text, 2.9375).value is None  # of so many digits
    assert certified("fcdf(x, 2.5, 1e-200)", 2.9375).value is not None
