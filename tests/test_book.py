"""Laws of the identity book: every rule is alive, true, and better than what it replaces."""

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.checking.certified import Witness
from gradc.identities.book import Rule, rules
from gradc.errors import GradcError
from gradc.ir import Program
from gradc.passes.stabilise import stabilise
from tests.conftest import read
from tests.strategies import verify

RULES = {rule.name: rule for rule in rules()}
MAGNITUDES = (1e-9, 1e-3, 0.3, 1.0, 2.5, 20.0)
FAR = (1e-4, 1.0, 1e4)
POINTS = 24
ULPS = 256  # of value and gradient, unless those as written are about as bad
SMALLEST, LARGEST = 1e-290, 1e290

# What the variables of a rule are where its condition wants more than chance gives.
HOLDING = {
    "shared(x, y)": {"x": "(u + v)", "y": "u"},
    "shared(y, x^2)": {"y": "(x^2 + u)"},
    "shared(x, 1)": {"x": "(1 + u)", "z": "u"},
    "reduces(x, y)": {"x": "(u*y)"},
    "reduces(y, x)": {"x": "(u - v)", "y": "(2*v - 2*u)"},
    "reduces(y, z)": {"z": "(v*y)"},
    "reduces(x - 1, y)": {"y": "(1 - x)"},
    "reduces(y, x - 1)": {"y": "(1 - x)"},
    "reduces(x - 1, z)": {"z": "(x - 1)"},
    "reduces(z, x - 1)": {"z": "(1 - x)"},
    "reduces(x - y, z)": {"x": "(v*u)", "y": "(w*u)", "z": "(w - v)"},
    "reduces(z, x - y)": {"z": "(x*u - y*u)"},
    "reduces(x - y, v - w)": {"v": "(u*x)", "w": "(u*y)"},
    "shared(1 + x, y)": {"y": "x"},
    "shared(v, w)": {"v": "(a + 1)", "w": "a"},
    "shared(y, v)": {"v": "(y - w)"},
    "number(v + x + z)": {"v": "(1 - x - z)"},
}
HOLDING |= {
    "negative(z)": {"z": "(-z)"},
    "reduces(x - y, w)": {"x": "(v*u)", "y": "(w*u)", "w": "(w - v)"},
}
NUMBER = {"p": "0.3", "c": "0.7", "k": "1.7"}
EVERY = {
    "w*exp(x)": "(w*exp(x) + exp(y) + 2)",
    "10^x": "(10^x + 10^(y/10))",
    "exp(x)": "(exp(x) + exp(y))",
    "x^2": "(x^2 + 9*y^2 + z^2)",
    "y": "y, z, 2*w",
}


def formula(rule: Rule) -> str:
    """An instance of a rule's pattern, as a formula."""
    text = rule.pattern
    for term, terms in EVERY.items():
        text = text.replace(f"every({term})", terms)
    swap = dict(NUMBER)
    for condition in rule.conditions:
        swap |= HOLDING.get(condition, {})
    return re.sub(r"\b\w+\b", lambda m: swap.get(m[0], m[0]), text)


def points(
    program: Program, name: str, magnitudes: Sequence[float] = MAGNITUDES
) -> Iterator[dict[str, float]]:
    """Random points of mixed sizes and signs."""
    draw = Random(name)
    for k in range(POINTS):
        yield {
            item.name: draw.uniform(0.5, 2.0)
            * draw.choice(magnitudes)
            * (1 if k % 2 else draw.choice((1, -1)))
            for item in program.inputs
        }


@pytest.mark.parametrize("name", RULES)
def test_a_rule_applies_to_its_pattern(name: str) -> None:
    after = stabilise(read(formula(RULES[name])))
    assert name in {rule for rule, _ in after.rules}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_has_at_most_two_sides(name: str) -> None:
    assert RULES[name].replacement.count("where(") <= 1


SLOW = {
    name
    for name, rule in RULES.items()
    if re.search("beta.*,.*,|fcdf|tcdf", rule.pattern)
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.long] * (n in SLOW)) for n in RULES],
)
def test_a_rule_is_true_and_keeps_the_domain(name: str) -> None:
    before = read(formula(RULES[name]))
    after = verify(stabilise(before))
    old, new = Witness(before), Witness(after)
    defined = 0
    for point in points(before, name):
        x, y = old.at(point).truth(), new.at(point).truth()
        assert (x is None) == (y is None), point
        if x is not None:
            defined += 1
            unit = max(abs(x), SMALLEST)
            assert x == y or abs(x - y) <= unit * Fraction(1, 10**19), (point, x, y)
    assert defined > 2


def gap(found: float, true: Any) -> float:
    """The distance to the truth in units in the last place."""
    if not math.isfinite(found):
        return abs(found)
    return float(abs(Fraction(found) - true)) / math.ulp(float(true))


def answers(compiled: gradc.Compiled, point: dict[str, float]) -> list[float]:
    """The value and the derivatives; not a number where there is an exception."""
    try:
        value, slopes = compiled.value_and_grad(**point)
    except (ArithmeticError, ValueError):
        return [math.nan] * (1 + len(compiled.wrt))
    return [value, *slopes]


# Rules that gain digits at equal or opposite points, next to each other, or far out, and
# elsewhere, where both forms lose hundreds of units, some bits more than the one written.
WORSE = {
    "haversine by acos": 3,
    "angle in space": 3,
    "angle in a plane": 6,
    "difference of normcdf": 5,
    "ratio of i1 to i0": 3,
}


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in RULES if name != "log-sum-exp"])
def test_a_rule_keeps_its_digits(name: str) -> None:
    """No rule loses digits, but log-sum-exp at its roots: there its terms cancel."""
    compare_digits(formula(RULES[name]), name, MAGNITUDES, WORSE.get(name, 2))


@pytest.mark.parametrize(
    "name", [n for n, rule in RULES.items() if "shared(x, y)" in str(rule.conditions)]
)
def test_a_near_rule_keeps_its_digits_far_apart(name: str) -> None:
    far = {**NUMBER, "x": "(u^2 + 1)", "y": "(v^2 + 1)"}
    text = re.sub(r"\b\w+\b", lambda m: far.get(m[0], m[0]), RULES[name].pattern)
    compare_digits(text, name, FAR, worse=10)


@pytest.mark.parametrize("text", ["exprel(x) - 1", "(exprel(x) - 1)/x - 1/2"])
def test_what_begins_later_keeps_the_digits_of_second_derivatives(text: str) -> None:
    """A factor x would cancel in them where x is far below 0."""
    f = gradc.compile(text, emit="hessian")
    for x in (-1e9, -1e4, -30.0, -1.0, -0.99, -1e-9, 0.0, 1.0, 30.0):
        found = [*leaves(f.value_grad_and_hessian(x))]
        true = f.certified(x)
        known = true.value, true.gradient[0], true.hessian[0][0]
        assert found == pytest.approx(known, rel=1e-12, abs=1e-140), x


def moves(text: str, name: str) -> bool:
    """Whether a formula has a derivative by an input, which is no order or shape."""
    try:
        return bool(gradc.compile(text, wrt=[name]).wrt)
    except GradcError:
        return False


def compare_digits(
    text: str, name: str, magnitudes: Sequence[float], worse: float
) -> None:
    """Beyond ULPS, no error is so many times that of the formula as written."""
    wrt = [
        name for name in gradc.compile(text, emit="value").inputs if moves(text, name)
    ]
    compiled = gradc.compile(text, wrt=wrt)
    written = gradc.compile(text, wrt=wrt, strict=True)
    witness = Witness(read(text))
    for point in points(witness.program, name, magnitudes):
        if witness.at(point).truth() is None:
            continue
        truth = [witness.at(point).truth()]
        truth += [witness.at(point).truth([name]) for name in compiled.wrt]
        rows = zip(truth, answers(compiled, point), answers(written, point))
        for true, found, before in rows:
            if true is None or true != true or not SMALLEST < abs(true) < LARGEST:
                continue
            error, usual = gap(found, true), gap(before, true)
            assert error <= ULPS or not usual < error / worse


# What is 0/0 where two inputs meet, or one is 0 or 1: the input, and where that is.
MEETINGS = {
    "((1 + r)^n - 1)/r": ("r", "0", {"n": 12.5}),
    "P*r/(1 - (1 + r)^-n)": ("r", "0", {"n": 12.0, "P": 3.0}),
    "(exp(-a*t) - exp(-b*t))/(b - a)": ("b", "a", {"a": 0.75, "t": 2.5}),
    "(c^(1 - s) - 1)/(1 - s)": ("s", "1", {"c": 2.5}),
    "(1 - rho)/(1 - rho^(K + 1))": ("rho", "1", {"K": 5.0}),
    "(F^(1 - b) - K^(1 - b))/(F - K)": ("F", "K", {"K": 1.25, "b": 0.375}),
    "exp(-(1 + xi*z)^(-1/xi))": ("xi", "0", {"z": 0.75}),
    "-log(1 + xi*(x - u)/s)/xi": ("xi", "0", {"x": 2.0, "u": 0.5, "s": 1.5}),
    "(y^m - 1)/m": ("m", "0", {"y": 2.5}),
    "(a - b)/log(a/b)": ("b", "a", {"a": 3.0}),
    "(log(a) - log(b))/(a - b)": ("b", "a", {"a": 3.0}),
    "x/T/(exp(x/T) - 1)": ("x", "0", {"T": 2.0}),
    "(1 - exp(-k*T))/k": ("k", "0", {"T": 3.0}),
    "(exprel(x) - 1)/x": ("x", "0", {}),
    "log((1 - 1/A)*y + 1/A)/(1 - 1/A)": ("A", "1", {"y": 0.75}),
    "p*V*((q/p)^m - 1)/m": ("q", "p", {"p": 1.25, "m": 0.375, "V": 3.0}),
}


@pytest.mark.parametrize("text", MEETINGS)
def test_what_depends_on_other_inputs_is_right_where_two_meet(text: str) -> None:
    """At, near and far from there, the value, the slopes and their slopes."""
    name, where, others = MEETINGS[text]
    compiled, plain = gradc.compile(text), gradc.compile(text, strict=True)
    witness = Witness(read(text))
    middle = others[where] if where in others else float(where)
    for step in (0.0, 1e-13, -1e-9, 1e-5, -0.004, 0.03, 0.3, -0.6):
        point = {**others, name: middle + step}
        found = answers(compiled, point)
        truth = [witness.at(point).truth()]
        truth += [witness.at(point).truth([item]) for item in compiled.wrt]
        for got, true in zip(found, truth):
            assert true is not None and got == pytest.approx(float(true), rel=2e-13)
    lines = [
        len(one.source.split("def value_and")[1].split("\n"))
        for one in (compiled, plain)
    ]
    assert lines[0] <= 1.5 * lines[1] + 3


# The two eigenvalues of a symmetric matrix; a rate of expansion, which is 1 at z = 0.
SMALL_SLOPES = (
    "(a + b)/2 + sqrt(((a - b)/2)^2 + z^2)",
    "a + b - sqrt((a - b)^2 + 4*z^2)",
    "a*(1 + z)^3 + (1 - a - b)*(1 + z)^2 + b",
)


@pytest.mark.parametrize("text", SMALL_SLOPES)
def test_slopes_that_nearly_vanish_have_their_digits(text: str) -> None:
    compiled, witness = gradc.compile(text), Witness(read(text))
    for x, y in ((2.5, 0.75), (1e9, 1.0), (1e9, -3e4)):
        for (a, b), z in itertools.product(((x, y), (y, x)), (1e-9, 1e-3, 0.3)):
            point = {"a": a, "b": b, "z": z}
            truth = [witness.at(point).truth()]
            truth += [witness.at(point).truth([name]) for name in compiled.wrt]
            for got, true in zip(answers(compiled, point), truth):
                assert true is not None
                assert got == pytest.approx(float(true), rel=1e-12, abs=1e-140)


# Probabilities of an interval (a, b), and their relatives: in both tails and between.
INTERVALS = (
    "log((1 + erf(b/sqrt(2)))/2 - (1 + erf(a/sqrt(2)))/2)",
    "F = erfc(-b)/2; G = erfc(-a)/2; log(F - G) + F*G",
    "F = normcdf(b); G = normcdf(a); log(F - G) - log(1 - F)",
    "F = 1 - exp(-b/t); G = 1 - exp(-a/t); F - G - log(N*(F - G))",
    "L(u) = 1/(1 + exp(-u)); n*log(n/(L(b) - L(a))) + L(b) - L(a)",
    "F(u) = 1 - exp(-(u/t)^2); log(normpdf(a)/(F(b) - F(a)))",
    "p = 1/(1 + exp(-b)); log(p + (1 - p)*exp(-exp(a)))",
    "F(u) = 1 - exp(-u/t); sum(n*log(n/(F(u + 1) - F(u))) for u in [a, a + 1, b])",
)


@pytest.mark.parametrize("text", INTERVALS)
@pytest.mark.parametrize("a", [-30.0, -7.5, -1.0, 0.25, 6.0, 25.0])
def test_the_probability_of_an_interval_is_right_in_both_tails(
    text: str, a: float
) -> None:
    compiled = gradc.compile(text)
    witness = Witness(read(text))
    for width, t in ((0.015625, 1.25), (0.5, 1.25), (3.0, 1.25), (0.5, 1 / 1024)):
        if t < 1 and a < 0:
            continue  # exp(-a/t) is infinite
        point = {"a": a, "b": a + width, "t": t, "N": 3.0, "n": 2.0}
        point = {item.name: point[item.name] for item in witness.program.inputs}
        truth = [witness.at(point).truth()]
        truth += [witness.at(point).truth([name]) for name in compiled.wrt]
        for got, true in zip(answers(compiled, point), truth if truth[0] else ()):
            assert true is not None
            assert got == pytest.approx(float(true), rel=1e-9, abs=1e-140)


NEGATIVE_BINOMIAL = """mu = exp(a)
size = exp(b)
lgamma(x + size) - lgamma(size) + size*log(size/(size + mu)) + x*log(mu/(size + mu))"""


def test_a_negative_binomial_is_right_up_to_its_poisson_limit() -> None:
    compiled = gradc.compile(NEGATIVE_BINOMIAL)
    witness = Witness(read(NEGATIVE_BINOMIAL))
    for b, x in itertools.product((-3, 2, 4.9375, 5.0625, 9, 20, 30), (0, 1, 3, 40.5)):
        point = {"a": 0.5 if b < 20 else -4.0, "b": b, "x": x}
        truth = [witness.at(point).truth()]
        truth += [witness.at(point).truth([name]) for name in compiled.wrt]
        for got, true in zip(answers(compiled, point), truth):
            assert true is not None
            assert got == pytest.approx(float(true), rel=1e-9, abs=1e-140)


@pytest.mark.parametrize("a", [-30.0, 5.0, 60.0, 1e4, 1e16])
def test_a_negative_binomial_far_from_its_poisson_limit(a: float) -> None:
    """Of a mean exp(a), which may be beyond floats, and a size exp(b)."""
    text = "lgamma(x + exp(b)) - lgamma(exp(b)) - x*softplus(b - a)"
    compiled, witness = gradc.compile(text), Witness(read(text))
    for b, x in itertools.product((-3.0, 5.5, 7.25), (3.0, 1e4, 1e16)):
        point = {"a": a, "b": b, "x": x}
        truth = [witness.at(point).truth()]
        truth += [witness.at(point).truth([name]) for name in compiled.wrt]
        for got, true in zip(answers(compiled, point), truth):
            assert true is not None
            assert got == pytest.approx(float(true), rel=1e-11, abs=1e-140)


# Formulas at points where a rule once lost digits, or left a pole.
POINTS_OF_RULES = [
    ("((exp(x) - 1)/x)^2", {"x": 0.0}),
    ("y*((exp(x) - 1)/x)^3", {"x": 1e-10, "y": 2.0}),
    ("(tan(x)/x)/(x/(exp(x) - 1))", {"x": 1e-12}),
    (
        "B = (1 - exp(-a*T))/a; exp(-r*B)*s^2*B^2",
        {"a": 0.0, "T": 2.0, "r": 0.05, "s": 0.3},
    ),
    ("sqrt((1 - cos(x))/x^2)", {"x": 0.0}),
    ("sqrt((1 - cos(x))/x^2)", {"x": 1e-5}),
    ("log(p + (1 - p)*exp(-mu))", {"p": 0.3, "mu": 1e-9}),
    ("log(erf(b) - erf(a))", {"a": 8.0, "b": 8.5}),
    ("where(a == b, a, (a - b)/(log(a) - log(b)))", {"a": 2.0, "b": 2.0}),
    ("where(a - b == 0, a, (a - b)/log(a/b))", {"a": 2.0, "b": 2.0}),
    ("where(x == y, 1/x, (log(x) - log(y))/(x - y))", {"x": 2.0, "y": 2.0}),
    ("(1 - 1/(1 + r)^n)/r", {"r": 0.0, "n": 12.0}),
    ("v = 1/(1 + r); (1 - v^n)/r", {"r": 1e-12, "n": 12.0}),
    ("-(1 + 1/k)*log(1 + k*z)", {"k": 1e-9, "z": 3.0}),
    ("x/(1 - exp(-x/T))", {"x": 40.0, "T": 1.0}),
    ("x/(1 - exp(-x/T))", {"x": 1e-9, "T": 1.0}),
    ("x/(exp(x*y) - 1)", {"x": -40.0, "y": 1.0}),
    ("h*c^2/l^5/(exp(h*c/(l*T)) - 1)", {"h": -1.0, "c": 1.0, "l": 1.0, "T": 0.03}),
    ("(a - b)/(exp(-b*t) - exp(-a*t))", {"a": 40.0, "b": 1.0, "t": 1.0}),
]


@pytest.mark.parametrize(("text", "point"), POINTS_OF_RULES)
def test_a_rule_is_right_at_such_a_point(text: str, point: dict[str, float]) -> None:
    compiled = gradc.compile(text)
    certain = compiled.certified(**point)
    value, slopes = compiled.value_and_grad(**point)
    assert value == compiled(**point) == pytest.approx(certain.value, rel=1e-12)
    assert slopes == pytest.approx(certain.gradient, rel=1e-11)
