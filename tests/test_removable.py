"""Singularities with a limit: right at them and near them, in modules one can read."""

from __future__ import annotations

import math
from random import Random
from typing import Any, NamedTuple

import pytest

import gradc
from gradc.checking.witness import Witness
from gradc.language.lower import read
from tests.test_losses import LONGER, check_to_second_order, late

LINES = 200  # of a module's own functions
STEPS = (1e-12, -1e-9, 1e-6, 3e-5, 1.3e-4, -1e-3, 1.3e-2)
NEXT = 1e-13  # so near, nothing changes in as many digits
CLOSE = 1e-9


class Singular(NamedTuple):
    """A formula, a point where it has no value, and the input that comes near it."""

    domains: str
    text: str
    point: tuple[float, ...]
    moved: int

    @property
    def formula(self) -> str:
        return "; ".join(f"input {part}" for part in self.domains.split("; ")) + (
            f"\n{self.text}"
        )


P = "p, q in [0.01, 0.49]; a in [0.01, 5]"
X = "x, y in [0.1, 10]; a in [0.1, 0.9]; r in [-3, 3]"
FEW = [
    Singular(X, "(a*x^r + (1 - a)*y^r)^(1/r)", (2.0, 3.0, 0.3, 0.0), 3),  # CES
    Singular(
        "r, g in [-0.5, 0.5]; n in [1, 50]",
        "(1 - ((1 + g)/(1 + r))^n)/(r - g)",
        (0.05, 0.05, 20.0),
        1,
    ),  # a growing annuity
]
MORE = [
    Singular(
        P, "log(p^a*q^(1-a) + (1-p)^a*(1-q)^(1-a))/(a - 1)", (0.3, 0.4, 1.0), 2
    ),  # Renyi's divergence
    Singular(P, "(p^a + q^a + (1-p-q)^a)^(1/(1 - a))", (0.3, 0.2, 1.0), 2),  # Hill
    Singular(
        "x, y, a",
        "(log(1 + exp(a*x^2)) - log(1 + exp(a*y^2)))/(x - y)",
        (0.8, 0.8, 1.2),
        1,
    ),
    Singular(P, "(1 - p^a - q^a - (1-p-q)^a)/(a - 1)", (0.3, 0.2, 1.0), 2),  # Tsallis
    Singular(P, "log(p^a + q^a + (1-p-q)^a)/(1 - a)", (0.3, 0.2, 1.0), 2),
    *(
        Singular(
            "p, q in [0.01, 0.99]; a in [-3, 3]",
            "(p^a*q^(1-a) + (1-p)^a*(1-q)^(1-a) - 1)/(a*(a - 1))",
            (0.3, 0.6, a),
            2,
        )
        for a in (0.0, 1.0)
    ),
    Singular(
        "x, y in [0.1, 10]; r, m",
        "((x^r - 1)/r - m)*((y^m - 1)/m - r)",  # Box and Cox
        (2.0, 3.0, 0.0, 0.5),
        2,
    ),
    Singular(X, "log(a*exp(r*x) + (1 - a)*exp(r*y))/r", (2.0, 3.0, 0.3, 0.0), 3),
    Singular(
        "t, k, q, n in [0, 5]",
        "(1 + q*exp(-k*t))^(-1/n) - (1 - (1 + n*q)^(-1/n))/q",
        (1.0, 1.0, 0.0, 0.6),
        2,
    ),
    Singular(
        "n in [0, 10]; c in [0, 1]",
        "(1 - exp(-n*(1 - c)))/(1 - c*exp(-n*(1 - c)))",  # of a heat exchanger
        (2.0, 1.0),
        1,
    ),
    Singular(
        "r, s in [0, 0.5]; n in [1, 50]",
        "(1 - (1 + r)^(-n))/r - (1 - exp(-s*n))/s",
        (0.0, 0.04, 20.0),
        0,
    ),
    Singular(
        "x, y, a",
        "(sqrt(a^2 + x^2)*tanh(x) - sqrt(a^2 + y^2)*tanh(y))/(x - y)",
        (0.8, 0.8, 1.2),
        1,
    ),
    Singular(
        "u, v in [0, 20]",
        "(u^3/(exp(u) - 1) - v^3/(exp(v) - 1))/(u - v)",  # Planck
        (1.8, 1.8),
        1,
    ),
    Singular("m, b, t", "m*(1/tanh(m*b/t) - t/(m*b))", (2.0, 0.0, 1.3), 1),  # Langevin
    Singular(
        "e in [0, 0.99]; x, y",
        "(x - e*sin(x) - (y - e*sin(y)))/(x - y)",  # Kepler
        (0.4, 1.1, 1.1),
        2,
    ),
    Singular(
        "k in [0, 20]; p, q in [0.01, 0.99]",
        "(k*log(p/q) + (20 - k)*log((1 - p)/(1 - q)))/(p - q)",
        (3.0, 0.4, 0.4),
        2,
    ),
    *(
        Singular(
            "y, m in [0.01, 10]; p in [0, 3]",
            "y^(2 - p)/((1 - p)*(2 - p)) - y*m^(1 - p)/(1 - p) + m^(2 - p)/(2 - p)",
            (2.0, 3.0, p),
            2,
        )
        for p in (1.0, 2.0)
    ),
    Singular(
        "t, a, b in [0, 5]",
        "a*(exp(-a*t) - exp(-b*t))/(b - a)",  # Bateman
        (1.0, 0.7, 0.7),
        2,
    ),
    Singular(
        "t, a, b, c in [0, 5]",
        "exp(-a*t)/(b-a)/(c-a) + exp(-b*t)/(a-b)/(c-b) + exp(-c*t)/(a-c)/(b-c)",
        (1.0, 0.7, 0.7, 1.3),
        2,
    ),
]


# Formulas that are 0/0 where a product of inputs has a value, beside what is fixed then.
PRODUCTS = {
    "cos(pi*{})/(1 - (2*{})^2)": 0.5,
    "sin(pi*{})/({}*(1 - {}^2))": 1.0,
    "log({})/({} - 1)": 1.0,
}


@pytest.mark.parametrize("emit", ["gradient", LONGER])
@pytest.mark.parametrize("around", ["sinc(t)*", late("b*exp(-t)*")])
@pytest.mark.parametrize("text", PRODUCTS)
def test_digits_where_a_product_of_inputs_is_singular(
    text: str, around: str, emit: str
) -> None:
    at = PRODUCTS[text]
    for inputs, b in (("b*t", at / 0.5), ("t/b", 0.5 / at)):
        near = (b * (1.0 + gap) for gap in (2.0**-52, -3e-15, 1e-12, 1e-8, -1e-4, 0.1))
        points = [{"t": 0.5, "b": x} for x in near]
        check_to_second_order(around + text.replace("{}", f"({inputs})"), emit, points)


# Formulas that are 0/0 where an input is a constant that no difference shows.
CONSTANTS = {
    "cos(x)/(1 - 2*x/pi)": math.pi / 2,
    "cos(x)/(pi^2 - 4*x^2)": -math.pi / 2,
    "sin(x)/(x*(pi^2 - x^2))": math.pi,
    "exp(y)*(x - e)*y/(1 - (x/e)^2)": math.e,
    "y*sin(x)/(1 - pi/x)": math.pi,
}


@pytest.mark.parametrize("emit", ["gradient", LONGER])
@pytest.mark.parametrize("text", CONSTANTS)
def test_digits_where_an_input_is_a_constant(text: str, emit: str) -> None:
    at = CONSTANTS[text]
    y = {"y": 0.3} if "y" in text else {}
    near = (at * (1.0 + gap) for gap in (0.0, 2.0**-52, -1e-13, 1e-8, -3e-4, 3e-2))
    check_to_second_order(text, emit, [{"x": x, **y} for x in near])


# Roots: of which a power is how many-eth, and which power of that.
ROOTS = {
    "cbrt({})": (3, 1),
    "{}^(1/3)": (3, 1),
    "{}^(2/3)": (3, 2),
    "{}^(-1/3)": (3, -1),
    "{}^(1/5)": (5, 1),
    "{}^1.5": (2, 3),
}
# Functions at simple points, and what they are there.
KNOWN = [
    *(
        (root, float(k**n), repr(float(k**m)))
        for root, (n, m) in ROOTS.items()
        for k in ((2, 3, 10, 0.5) if root == "cbrt({})" else (2,))
    ),
    ("10^{}", 2.0, "100"),
    ("exp2({})", 3.0, "8"),
    ("8^(1/{})", 3.0, "2"),
    ("log10({})", 1000.0, "3"),
    ("log2({})", 8.0, "3"),
    ("log({})/log(2)", 8.0, "3"),
    ("sinh(log({}))", 2.0, "0.75"),
    ("gamma({})", 4.0, "6"),
    ("hypot({}, 4)", 3.0, "5"),
    ("atan2({}, 1)", 1.0, "pi/4"),
    ("asin({})", 0.5, "pi/6"),
    ("acos({})", 0.5, "pi/3"),
]
BOTH = "gradient,hessian"
BESIDE = (2.0**-52, -(2.0**-53), 1e-12, -1e-8, 3e-3, -0.06)


@pytest.mark.parametrize(
    "function, at, value",
    [*KNOWN[:1], *KNOWN[9:14:2], *(late(*case) for case in KNOWN[1::2])],
)
@pytest.mark.some(3)
def test_digits_where_a_function_is_a_simple_number(
    function: str, at: float, value: str
) -> None:
    """And where what is divided by is one of another function."""
    near = [{"x": at * (1.0 + gap)} for gap in BESIDE]
    n, m = ROOTS.get(function, (1, 1))
    exact = f"exp(log({{}})*{m}/{n})" if function in ROOTS else function
    for text in (f"({{}} - {value})/(x - {at!r})", f"(x - {at!r})/({{}} - {value})"):
        written, meant = (text.replace("{}", f) for f in (function, exact))
        written, meant = (text.replace("{}", "x") for text in (written, meant))
        check_to_second_order(written, BOTH, near, meant)


@pytest.mark.parametrize(
    "text, at",
    {
        "(cbrt(x) - 2)/(sqrt(x + 1) - 3)": 8.0,
        "(tanh(x) - 0.5)/(exp(2*x) - 3)": math.log(3.0) / 2.0,
        "(x^1.5 - 8)/(log(x) - 2*log(2))": 4.0,
        "(sin(x) - 0.5)/(x - pi/6)": math.pi / 6.0,
        "(x - pi/3)/(cos(x) - 0.5)": math.pi / 3.0,
        "(tan(x) - 1)/(4*x - pi)": math.pi / 4.0,
    }.items(),
)
@pytest.mark.some(3)
def test_digits_where_a_function_is_solved(text: str, at: float) -> None:
    near = [{"x": at * (1.0 + gap)} for gap in BESIDE]
    check_to_second_order(text, BOTH, near)


def moved(case: Singular, step: float) -> dict[str, float]:
    """A point as far from the singularity, by the size of the input that is moved."""
    names = gradc.compile(case.formula).inputs
    at = [*case.point]
    at[case.moved] += step * (abs(at[case.moved]) or 1.0)
    return dict(zip(names, at))


def check(case: Singular) -> None:
    f = gradc.compile(case.formula)
    module: dict[str, Any] = {}
    exec(f.source, module)
    assert own_lines(f.source) < LINES
    witness = Witness(read(case.formula))
    for step in (0.0, *STEPS):
        near = moved(case, step or NEXT)
        true = [witness.value(near), *(witness.derivative(near, n) for n in near)]
        for both in (f.value_and_grad, module["value_and_grad"]):
            value, gradient = both(*moved(case, step).values())
            for x, y in zip((value, *gradient), true):
                assert abs(x - y) <= CLOSE * abs(y) + (not step) * 10 * NEXT, step


@pytest.mark.parametrize("case", FEW, ids=lambda case: case.text)
def test_digits_near_singularities(case: Singular) -> None:
    check(case)


@pytest.mark.long
@pytest.mark.parametrize("case", MORE, ids=lambda case: f"{case.text} {case.point}")
def test_digits_near_more_singularities(case: Singular) -> None:
    check(case)


APART = [  # formulas in domains that keep away from the singularity, though not by far
    (
        "M in [0.1, 3]; g in [1.1, 1.67]",
        "M*(1 + (g - 1)/2*M^2)^(-(g + 1)/(2*(g - 1)))",  # isentropic flow
    ),
    (X.replace("r in [-3, 3]", "r in [0.05, 2]"), "(a*x^r + (1 - a)*y^r)^(1/r)"),
    ("x in [0.1, 10]; p in [0.04, 3]", "(x^p - 1)/p"),  # Box and Cox
    ("t in [0, 2]; b in [1.1, 3]", "(1 - (1 + t)^(1 - b))/(b - 1)"),
    ("s in [0.1, 3]; k in [0.06, 0.5]", "log(1 + k*s)*(1 + 1/k)"),  # extreme values
]
NEARER = "M in [0.1, 3]; g in [1.001, 1.67]", APART[0][1]


def own_lines(source: str) -> int:
    """The lines of a module before what it carries for its second run."""
    return source.partition("\nIEEE = ")[0].count("\n")


@pytest.mark.parametrize("domains, text", APART, ids=[text for _, text in APART])
def test_no_series_where_domains_keep_away(domains: str, text: str) -> None:
    """What is as right as written where it is needed has no series, and is right."""
    formula = Singular(domains, text, (), 0).formula
    f = gradc.compile(formula)
    assert own_lines(f.source) < 70
    program = read(formula)
    witness, draw = Witness(program), Random(5)
    for k in range(24):
        point = {}
        for item in program.inputs:
            assert item.low is not None and item.high is not None
            share = draw.choice((0.0, 1e-3, draw.random(), 1.0))
            point[item.name] = item.low + share * (item.high - item.low)
        value, gradient = f.value_and_grad(*point.values())
        true = [witness.value(point), *(witness.derivative(point, n) for n in point)]
        for x, y in zip((value, *gradient), true):
            assert abs(x - y) <= 1e-11 * abs(y) + 1e-13 * abs(true[0]), point


def test_series_where_domains_come_near() -> None:
    near = gradc.compile(Singular(*NEARER, (), 0).formula)
    assert own_lines(near.source) > 2 * LINES
