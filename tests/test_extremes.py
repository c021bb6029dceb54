"""Where floats end unnoticed: formulas at 1e150 to 1e300, and at their inverses."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import pytest
from mpmath import mp, mpf

import gradc
from gradc.checking.witness import Witness
from gradc.language.lower import read

DIGITS = 60
FLOATS = mpf("1e-290"), mpf("1e290")
NAMES = "xyz"
INF = math.inf
SPELLED = re.compile(r"where\((.+), (.+), (.+)\)")
FORMULAS = 100
Point = Callable[[Random, int], list[float]]
MISSED = 0.001  # of the results: what few of the compiler's points show is not tested


class Dual(NamedTuple):
    """A number with its gradient, each with the size of the terms that it is made of."""

    value: mpf
    slopes: tuple[mpf, ...]
    sizes: tuple[mpf, ...]  # of the value, then of the slopes

    def scaled(self, value: mpf, slope: mpf, size: mpf) -> Dual:
        """A function of a number; how large its value would be by the terms."""
        steep = abs(slope)
        sizes = (size, *(steep * s for s in self.sizes[1:]))
        return Dual(value, tuple(slope * d for d in self.slopes), sizes)

    def joined(
        self, other: Dual, value: mpf, slopes: tuple[mpf, mpf], size: mpf
    ) -> Dual:
        """A function of two numbers."""
        a, b = slopes
        pairs = zip(self.slopes, other.slopes)
        own = zip(self.sizes[1:], other.sizes[1:])
        sizes = (size, *(abs(a) * p + abs(b) * q for p, q in own))
        return Dual(value, tuple(a * p + b * q for p, q in pairs), sizes)


class Drawn(NamedTuple):
    """A formula, and the function of dual numbers that it is."""

    text: str
    of: Callable[[list[Dual]], Dual]


def drawn(random: Random, count: int, depth: int) -> Drawn:
    """Draw a formula of sums, products, quotients, powers and roots."""
    if depth == 0 or random.random() < 0.15:
        if random.random() < 0.2:
            number = random.choice((0.5, 1.0, 2.0, 3.0))
            none = (mpf(0),) * count
            return Drawn(
                f"{number}", lambda _: Dual(mpf(number), none, (mpf(number), *none))
            )
        k = random.randrange(count)
        return Drawn(NAMES[k], lambda inputs: inputs[k])
    inner = drawn(random, count, depth - 1)
    kind = random.choice("+++**///^r-")
    if kind == "r":
        return Drawn(f"sqrt({inner.text})", lambda inputs: root(inner.of(inputs)))
    if kind == "^":
        n = random.choice((-2, -1, 2, 3))
        return Drawn(f"({inner.text})^({n})", lambda inputs: power(inner.of(inputs), n))
    other = drawn(random, count, depth - 1)
    join = JOINED[kind]
    text = f"({inner.text} {kind} {other.text})"
    return Drawn(text, lambda inputs: join(inner.of(inputs), other.of(inputs)))


def root(x: Dual) -> Dual:
    found = mp.sqrt(x.value)
    return x.scaled(found, 1 / (2 * found), found * x.sizes[0] / x.value)


def power(x: Dual, n: int) -> Dual:
    found = x.value**n
    return x.scaled(
        found, n * x.value ** (n - 1), abs(found) * x.sizes[0] / abs(x.value)
    )


def total(x: Dual, y: Dual, sign: int) -> Dual:
    size = x.sizes[0] + y.sizes[0]
    return x.joined(y, x.value + sign * y.value, (mpf(1), mpf(sign)), size)


def product(x: Dual, y: Dual) -> Dual:
    size = x.sizes[0] * y.sizes[0]
    return x.joined(y, x.value * y.value, (y.value, x.value), size)


JOINED: dict[str, Callable[[Dual, Dual], Dual]] = {
    "+": lambda x, y: total(x, y, 1),
    "-": lambda x, y: total(x, y, -1),
    "*": product,
    "/": lambda x, y: product(x, power(y, -1)),
}


def extreme(random: Random, count: int) -> list[float]:
    """Numbers that are moderate, or extreme in one direction."""
    sign = random.choice((1.0, -1.0))
    sizes = (0.0, random.uniform(50.0, 300.0), random.uniform(100.0, 200.0))
    return [
        random.uniform(1.0, 9.0) * 10.0 ** (sign * random.choice(sizes))
        for _ in range(count)
    ]


def truths(formula: Drawn, point: list[float]) -> list[mpf] | None:
    """The value and gradient, None if the value is no float or terms cancel."""
    units = [[mpf(i == j) for j in range(len(point))] for i in range(len(point))]
    inputs = [
        Dual(mpf(x), tuple(unit), (mpf(x), *unit)) for x, unit in zip(point, units)
    ]
    try:
        found = formula.of(inputs)
    except ZeroDivisionError:
        return None
    numbers = [found.value, *found.slopes]
    for number, size in zip(numbers, found.sizes):
        if isinstance(number, mp.mpc) or abs(number) < size / 1000:
            return None
    return numbers if abs(found.value) < FLOATS[1] else None


def differs(found: float, true: mpf) -> bool:
    """Whether a result is wrong, be it for 0 or infinity."""
    if abs(true) < FLOATS[0]:
        return not abs(found) < 2 * FLOATS[0]
    if abs(true) > FLOATS[1]:
        return not abs(found) > FLOATS[1] / 2
    return not abs(found - true) <= abs(true) / 10**9


def results(
    formula: str, point: list[float], domain: str = " in (-inf, inf)"
) -> Iterator[list[float]]:
    """What the library returns, and what the module does alone."""
    names = ", ".join(NAMES[: len(point)])
    compiled = gradc.compile(f"input {names}{domain}\n{formula}")
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    for value, both in (
        (compiled, compiled.value_and_grad),
        (module["value"], module["value_and_grad"]),
    ):
        yield [value(*point)]
        first, gradient = both(*point)
        yield [first, *gradient]


def in_digits(text: str, inputs: str = "x") -> Callable[..., mpf]:
    """A formula as a function of numbers in many digits."""
    rows = "exp log sqrt tanh cosh sinh gamma".split()
    names = {name: getattr(mp, name) for name in rows}
    code = f"lambda {inputs}: {text.replace('^', '**')}"
    function: Callable[..., mpf] = eval(code, names)
    return function


def alone(random: Random, count: int) -> list[float]:
    """Numbers of which one is extreme."""
    found = [random.uniform(1.0, 9.0) for _ in range(count)]
    found[random.randrange(count)] *= 10.0 ** random.uniform(-300.0, 300.0)
    return found


def large(random: Random, count: int) -> list[float]:
    """Numbers that are moderate or large."""
    sizes = (0.0, random.uniform(50.0, 300.0), random.uniform(100.0, 200.0))
    return [
        random.uniform(1.0, 9.0) * 10.0 ** random.choice(sizes) for _ in range(count)
    ]


def small(random: Random, count: int) -> list[float]:
    """Numbers that are moderate or tiny."""
    return [1.0 / x for x in large(random, count)]


def mixed(random: Random, count: int) -> list[float]:
    """Numbers that are moderate, tiny or large."""
    return [x ** random.choice((-1, 1)) for x in large(random, count)]


def cornered(random: Random, count: int) -> list[float]:
    """Numbers of which one is next to an end of floats, and no other is as far."""
    exponents = (0.0, 9.0, 20.0, -20.0, 60.0, -60.0)
    found = [
        random.uniform(1.0, 9.0) * 10.0 ** random.choice(exponents)
        for _ in range(count)
    ]
    end = random.choice((-1.0, 1.0)) * random.uniform(270.0, 300.0)
    found[random.randrange(count)] = 10.0**end
    return found


def wrong(
    random: Random,
    point: Point = extreme,
    domain: str = " in (-inf, inf)",
) -> Iterator[bool]:
    """Whether results at extreme points are wrong, of one formula after the other."""
    for _ in range(FORMULAS):
        count = random.randint(1, 3)
        formula = drawn(random, count, random.randint(2, 4))
        for given in [point(random, count) for _ in range(3)]:
            if true := truths(formula, given):
                for found in results(formula.text, given, domain):
                    yield any(map(differs, found, true))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_an_intermediate_result_spoils_no_finite_one(seed: int) -> None:
    with mp.workdps(DIGITS):
        found = [*wrong(Random(seed))]
    assert len(found) > FORMULAS
    assert sum(found) <= MISSED * len(found)


def test_inputs_may_be_extreme_each_in_its_own_way() -> None:
    """But for one point, which has four results: a law of long tests asks for more."""
    with mp.workdps(DIGITS):
        found = [*wrong(Random(7), mixed, domain="")]
    assert len(found) > FORMULAS
    assert sum(found) <= 4


@pytest.mark.long
def test_mixtures_that_stay_wrong_are_rare() -> None:
    with mp.workdps(DIGITS):
        found = [x for s in range(7, 10) for x in wrong(Random(s), mixed, domain="")]
    assert sum(found) <= MISSED * len(found)


@pytest.mark.parametrize(
    ("point", "seed"),
    [
        pytest.param(alone, 4, marks=pytest.mark.long),
        pytest.param(large, 5, marks=pytest.mark.long),
        pytest.param(small, 6, marks=pytest.mark.long),
    ],
)
def test_without_a_domain_inputs_may_be_extreme(point: Point, seed: int) -> None:
    with mp.workdps(DIGITS):
        found = [*wrong(Random(seed), point, domain="")]
    assert len(found) > FORMULAS
    assert sum(found) <= MISSED * len(found)


@pytest.mark.parametrize(
    "text",
    [
        "x/(1 + x/y)",
        "x/(1 + x/y*z)",
        "y/(z + y/x)",
        "1/(1 + x*y)",
        "x*y/(z + x*y)",
        "x/(1 + (x/y - 1)*z)",
        "x/(1 + (x/y - 1)*exp(-1/z))",
        "x/(1 + (x - y)/y*z)",
        "x*y^2/sqrt(1 + z^2/y^2)",
    ],
)
@pytest.mark.some(4)
def test_one_input_may_be_next_to_an_end_and_others_not_far(text: str) -> None:
    """A quotient of a common input and a tiny one ends where no other one would."""
    random, f = Random(1), gradc.compile(text, inputs=["x", "y", "z"])
    exact, points = in_digits(text, "x, y, z"), 0
    with mp.workdps(700):
        while points < 40:
            point = cornered(random, 3)
            true = exact(*map(mpf, point))
            if FLOATS[0] * 1e10 < abs(true) < FLOATS[1] / 10:
                points += 1
                assert not differs(f(*point), true), point
                assert not differs(f.value_and_grad(*point)[0], true), point


@pytest.mark.long
def test_without_the_tests_it_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradc.pipeline.tested", lambda functions, *_: [*functions])
    with mp.workdps(DIGITS):
        found = [*wrong(Random(1))]
        single = [*wrong(Random(4), alone, domain="")]
    assert sum(found) > 5 * MISSED * len(found)
    assert sum(single) > 5 * MISSED * len(single)


@pytest.mark.parametrize("strict", [False, True])
def test_no_module_returns_a_value_that_is_not_finite(strict: bool) -> None:
    random, spoilt = Random(4), 0
    for _ in range(FORMULAS):
        count = random.randint(1, 3)
        formula = drawn(random, count, random.randint(1, 3)).text
        names = ", ".join(NAMES[:count])
        module: dict[str, Any] = {}
        exec(gradc.compile(f"input {names}\n{formula}", strict=strict).source, module)
        point = [10.0 ** random.uniform(-300.0, 300.0) for _ in range(count)]
        for function in (module["value"], lambda *x: module["value_and_grad"](*x)[0]):
            try:
                assert math.isfinite(function(*point)), (formula, point)
            except ValueError as error:
                spoilt += "is infinite at" in str(error)
    assert spoilt > FORMULAS / 10


def code(source: str) -> str:
    """A module without what it carries for its second run, and says of that."""
    return source.partition("\n# Where Python raises")[0]


@pytest.mark.parametrize(
    "text",
    ["x/(x^2 + 1)", "x^2/(x^2 + 1)", "x*y/(x + y)", "sqrt(x*y)"],
)
def test_a_moderate_domain_needs_no_test(text: str) -> None:
    far = gradc.compile(f"input x, y in [0, inf)\n{text}").source
    near = gradc.compile(f"input x, y in [1e-9, 1e9]\n{text}").source
    assert "isfinite" in far
    assert "1e208" not in code(near)
    assert "isfinite" in gradc.compile(text).source


def test_by_ieee_values_may_be_infinite() -> None:
    for domain in ("", " in (-inf, inf)"):
        source = gradc.compile(f"input x, y{domain}\nx*y", ieee=True).source
        assert "isfinite" not in source
        module: dict[str, Any] = {}
        exec(source, module)
        assert module["value_and_grad"](1e200, 1e200) == (math.inf, (1e200, 1e200))


@pytest.mark.parametrize("text", ["x*y + x^3", "(x - y)^2 + 100*(y - x^2)^2"])
def test_nothing_is_tested_where_nothing_hides_an_infinity(text: str) -> None:
    text = f"input x, y in (-inf, inf)\n{text}"
    assert "1e208" not in code(gradc.compile(text).source)


def products(n: int) -> str:
    """A power as a product."""
    return "*".join("x" * n)


def even(n: int) -> str:
    """A polynomial in x*x."""
    terms = [f"{2 * k + 1}*{products(2 * k)}" for k in range(1, n // 2)]
    return " + ".join(["2", *terms, products(n)])


def nested(n: int) -> str:
    """A polynomial by Horner's rule."""
    return "(" * n + "1" + "".join(f"*x + {k})" for k in range(n, 0, -1))


@pytest.mark.parametrize("polynomial", [products, even, nested])
@pytest.mark.parametrize(("above", "below"), [(10, 12), (12, 14), (16, 20), (12, 12)])
def test_polynomials_end_where_numbers_are_moderate(
    polynomial: Callable[[int], str], above: int, below: int
) -> None:
    f = gradc.compile(f"({polynomial(above)} + 1)/({polynomial(below)} + 3)")
    for x in [s * 10.0**k for k in range(9, 40) for s in (0.7, -2.0)]:
        value, (slope,) = f.value_and_grad(x)
        power = above - below
        size = Fraction(x) ** power
        near = 1e-12 + 100.0 / abs(x)  # to what the highest terms are
        assert value == pytest.approx(float(size), rel=near, abs=0.0), x
        if power:
            expected = float(power * size / Fraction(x))
            assert slope == pytest.approx(expected, rel=near, abs=0.0), x


@pytest.mark.parametrize("factors", ["xyz", "zxyx", "zzzyx"])
def test_a_factor_makes_up_for_others(factors: str) -> None:
    """Of x*y*z the product of two may be 0 or infinite where that of all is a float."""
    random, count = Random(factors), len({*factors})
    inputs = [Drawn(name, lambda given, k=k: given[k]) for k, name in enumerate(NAMES)]
    whole = inputs[NAMES.index(factors[0])]
    for name in factors[1:]:
        left, right = whole, inputs[NAMES.index(name)]
        text = f"{left.text}*{name}"
        whole = Drawn(
            text, lambda given, a=left, b=right: product(a.of(given), b.of(given))
        )
    seen = 0
    with mp.workdps(DIGITS):
        for given in [mixed(random, count) for _ in range(60)]:
            if true := truths(whole, given):
                for found in results(whole.text, given, domain=""):
                    assert not any(map(differs, found, true)), (given, found)
                    seen += 1
    assert seen > 60


def test_only_the_side_that_is_taken_is_tested() -> None:
    text = "input x, y in (-inf, inf); where(x > 0, x/(y^2 + x^2), log(-x))"
    compiled = gradc.compile(text)
    assert compiled.value_and_grad(-1.0, 1e200) == (0.0, (-1.0, 0.0))
    value, gradient = compiled.value_and_grad(1e200, 1e200)
    assert math.isclose(value, 5e-201)
    assert gradient[0] == 0.0


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("x*((1 + exp(x))^2 - 1)/((1 + exp(x))^2 + 1)", lambda x: x),
        ("(exp(x) - 2)/(3 + exp(x) + exp(x)^2)", lambda x: math.exp(-x)),
        ("exp(-x)/(exp(-x) + 2)^2", lambda x: math.exp(-x) / 4.0),
        ("exp(x)/(1 + exp(x))^3*exp(x)", lambda x: math.exp(-x)),
        ("cosh(x)/(3 + cosh(x))^2", lambda x: 2.0 * math.exp(-x)),
        ("(x - log(1 + x))/x^2*exp(-x)", lambda x: math.exp(-x) * (x - math.log(x))),
    ],
)
def test_an_exponential_is_extreme_where_no_input_is(
    text: str, exact: Callable[[float], float]
) -> None:
    value = gradc.compile(text)
    for x in (200.0, 300.0, 400.0, 600.0):
        scale = x * x if "log" in text else 1.0
        assert value(x) * scale == pytest.approx(exact(x), rel=1e-2)


STEEP = [
    "x/(exp(x) - 1)",
    "1/(exp(x) - 1)",
    "x/(exp(x) + exp(-x) + 1)",
    "1/cosh(x)",
    "x/(cosh(x) + 2)",
    "x/sinh(x)",
    "sinh(x)/(1 + cosh(x))^2",
    "1/(1 + sinh(x)^2)",
    "1/(1 + 10^(-x/2.5))",
    "1/(1 + 2^x)^2",
    "x/(1 + exp(2*x - 1) + exp(x/3))",
    "1/(1 + (x/30)^60)^2",
]


@pytest.mark.parametrize("text", STEEP)
@pytest.mark.some(3)
def test_exponentials_of_one_number_are_extreme_together(text: str) -> None:
    """Where one of them is a float and their product is, floats lost it between."""
    function = gradc.compile(text)
    exact = in_digits(text)
    random = Random(7)
    sizes = [random.uniform(200.0, 700.0) for _ in range(30)]
    with mp.workdps(1000):
        for x in [*sizes, *(-size for size in sizes)]:
            value, (slope,) = function.value_and_grad(x)
            for found, order in ((value, 0), (slope, 1)):
                true = mp.diff(exact, mpf(x), order, h=mpf("1e-400"))
                if FLOATS[0] < abs(true) < FLOATS[1]:
                    assert abs(found - true) < 1e-10 * abs(true), (x, found)


ENDING = [
    "x^20*exp(-x)",
    "exp(-x)*x^20/20",
    "x^8*exp(-x)",
    "x*x*x*x*x*x*x*exp(-x)",
    "(x^10 + 3*x)^2*exp(-x)*sqrt(x)",
    "x^10*(exp(-x) + exp(-2*x))",
    "x^10*(exp(-x) - exp(-2*x))",
    "x^10*log(1 + exp(-x))",
    "x^30*exp(-x^2)",
    "x^20*2^(-x)",
    "x^20/(exp(x) + 1)",
    "x^10*(1 - tanh(x))",
    "x^10*exp(-x)*(1 - exp(-x))",
    pytest.param("x^15*exp(-x/3)/(1 + x)", marks=pytest.mark.long),
    pytest.param("x^12*exp(-x^3)*exp(-x)", marks=pytest.mark.long),
    pytest.param("3*x^9*exp(-x) + 2*x^12*exp(-2*x)", marks=pytest.mark.long),
    pytest.param("x^7.5*exp(-x)*log(x)", marks=pytest.mark.long),
]


@pytest.mark.parametrize("text", ENDING)
@pytest.mark.some(3)
def test_a_power_makes_up_for_an_exponential_that_is_zero(text: str) -> None:
    """At every size of a power, which no float is for long where the other ends."""
    function = gradc.compile(text)
    exact = in_digits(text)
    random, tried = Random(8), 0
    with mp.workdps(1000):
        for x in [math.exp(random.uniform(1.5, 8.0)) for _ in range(400)]:
            true = exact(mpf(x))
            if not FLOATS[0] / 10**15 < abs(true) < FLOATS[0] * 10**90:
                continue
            tried += 1
            value, (slope,) = function.value_and_grad(x)
            steep = mp.diff(exact, mpf(x), h=mpf("1e-400"))
            for found, wanted in ((value, true), (slope, steep)):
                assert abs(found - wanted) < 1e-11 * abs(wanted) + 1e-307, (x, found)
    assert tried > 3


def test_a_power_of_any_exponent_makes_up_for_it() -> None:
    function = gradc.compile("x^k*exp(-b*x)")
    value, slopes = function.value_and_grad(800.0, 20.0, 1.0)
    assert value == pytest.approx(4.228771484299353e-290, rel=1e-12, abs=0.0)
    names = dict(zip(function.inputs, slopes))
    assert names["x"] == pytest.approx(value * (20.0 / 800.0 - 1.0), rel=1e-12, abs=0.0)
    assert names["k"] == pytest.approx(value * math.log(800.0), rel=1e-12, abs=0.0)
    assert names["b"] == pytest.approx(-800.0 * value, rel=1e-12, abs=0.0)


@pytest.mark.parametrize(
    "text",
    [
        "input a, m, s, x; a*exp(-((x - m)/s)^2/2)",
        "input x; x^3/(exp(x) - 1)",
        "input x in [0, 100]; x^20*exp(-x)",
        "input a, x; 10^(-a*sqrt(x)/(1 + sqrt(x)))",
        "input x, y; where(x > 0, 0, exp(x))*y^20",
    ],
)
def test_no_power_is_tested_that_makes_up_for_nothing(text: str) -> None:
    assert "1e-292" not in code(gradc.compile(text).source)


@pytest.mark.parametrize(
    ("text", "point", "value", "slopes"),
    [
        ("(x^4 + y^4)^(1/4)", (0.0, 1e-100), 1e-100, (0.0, 1.0)),
        ("x*y/sqrt(x^2 + y^2)", (1e-200, 0.0), 0.0, (0.0, 1.0)),
        ("x/(x^2 + y^2)", (0.0, 1e-170), 0.0, (INF, 0.0)),
        ("x^2*y/(x^4 + y^2)", (1e-100, 0.0), 0.0, (0.0, 1e200)),
        ("-log10(10^(-x) + 10^(-y))", (400.0, 280.0), 280.0, (1e-120, 1.0)),
        ("where(x > 0, 2^(-x), 0)/(2^(-x) + 2^(-y))", (1200.0, 400.0), 2.0**-800, None),
        (
            "b^a*x^(a - 1)*exp(-b*x)/gamma(a)",
            (1.0, 200.0, 4.25),
            4.0530959734874465e-250,
            None,
        ),
        (
            "log(x^n/(k^n + x^n))",
            (1e200, 1.0, 2.0),
            -2e-200,
            (0.0, 2e-200 * math.log(5e199), -1e-200),
        ),
    ],
)
def test_beside_zeros_and_each_other_numbers_may_be_extreme(
    text: str, point: tuple[float, ...], value: float, slopes: tuple[float, ...] | None
) -> None:
    found, gradient = gradc.compile(text).value_and_grad(*point)
    assert found == pytest.approx(value, rel=1e-9, abs=0.0)
    assert slopes is None or gradient == pytest.approx(slopes, rel=1e-9, abs=0.0)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_roots_of_products_are_right(size: float) -> None:
    for text, value, n in (("sqrt(x*y)", size, 2), ("cbrt(x*y)", size ** (2 / 3), 3)):
        for found in results(text, [size, size]):
            assert math.isclose(found[0], value, rel_tol=1e-12)
            for slope in found[1:]:
                assert math.isclose(slope, value / size / n, rel_tol=1e-12)


@pytest.mark.parametrize(
    ("text", "point", "exact"),
    [
        ("1/(1 + (x*y)^z)", (1e200, 1e200, 0.7), 1e-280),
        ("(abs(x)^z + abs(y)^z)^(1/z)", (3e-200, 4e-200, 2.0), 5e-200),
        ("1 - x*y/(x^2 + y^2)", (1e200, 2e200), 0.6),  # a term of a sum is lost
        ("x/sqrt(x^2 + y^2)*z", (3e200, 4e200, 5.0), 3.0),
        # An infinite sum of infinite terms, whose signs may be the same, divides.
        ("sqrt(x^2*y^2 + z^2*y^4) - z*y^2", (1.0, 1e155, 1.0), 0.5),
        ("sqrt(x^2*y^2 + z^2*y^4) - z*y^2", (1.0, 1e200, 1e30), 5e-31),
    ],
)
def test_what_powers_and_sums_hide_is_seen(
    text: str, point: tuple[float, ...], exact: float
) -> None:
    text = f"input x, y{', z' if 'z' in text else ''}\n{text}"
    assert gradc.compile(text)(*point) == pytest.approx(exact, rel=1e-9, abs=0.0)


@pytest.mark.parametrize("x", [3.0, -3.0, 800.0, -800.0, 1e300, -1e300])
@pytest.mark.parametrize("sign", [">", ">=", "<", "<="])
def test_exponentials_compare_as_what_they_are_of(sign: str, x: float) -> None:
    """Where both of them are 0 or too large, too."""
    for text, of in (("exp(x)", 1.0), ("exp(-x)", -1.0), ("exp(x/3)", 1.0)):
        other = text.replace("x)", "y)").replace("x/", "y/")
        f = gradc.compile(f"input x, y\nwhere({text} {sign} {other}, x, 2*y)")
        for y in (1.5 * x, 0.5 * x, x):
            first, second = of * x, of * y
            holds = first > second if ">" in sign else first < second
            holds = holds or (first == second and "=" in sign)
            assert f(x, y) == (x if holds else 2.0 * y)


SIDES = {
    f"where({condition}, {yes}, {no})"
    for condition in (
        "x*x + y*y > 0",
        "x*y > 0",
        "x^2 > y^2",
        "x^2*y^3 != 0",
        "x*y < x^2 and not x*x*x < y",
        "x*y*x == 0 or y > x",
    )
    for yes, no in (("x/y", "x*x"), ("x^2/(x^2 + y^2)", "y"))
}


@pytest.mark.parametrize("text", sorted(SIDES))
def test_conditions_are_those_of_numbers_without_ends(text: str) -> None:
    """A side is taken as in exact arithmetic, where what is compared is no float."""
    compiled, random = gradc.compile(text), Random(text)
    for size in (1e200, 1e-200, 1e170, 1e-170, 1.0):
        for _ in range(20):
            point = [size * random.choice((-1, 1)) * random.uniform(1, 9) for _ in "xy"]
            x, y = map(Fraction, point)
            true = eval(SPELLED.sub(r"(\2 if \1 else \3)", text.replace("^", "**")))
            if 1e-290 < abs(true) < 1e290:
                assert compiled(*point) == pytest.approx(float(true), rel=1e-9), point


@pytest.mark.parametrize(
    ("text", "point", "value"),
    [
        ("clip(x^2/y, 0, 1e250)", (1e160, 1e100), 1e220),
        ("atan2(x^2, y^2)", (1e160, 2e160), math.atan(0.25)),
        ("atan2(x^2, y^2)", (1e-200, 1e-200), math.pi / 4),
        ("atan2(x*y, x*z)", (1e-200, 1e-200, 3e-200), math.atan(1 / 3)),
        ("u = sqrt(x*y); min(u, z)/max(u, z)", (1e200, 1e200, 1e200), 1.0),
        ("u = sqrt(x*y); min(u, z)/max(u, z)", (1e-200, 1e-200, 1e-199), 0.1),
        ("min(x*y, 1)*z", (1e-200, 1e-200, 1e300), 1e-100),
        ("sin(x)*sin(y)*z", (1e-200, 1e-200, 1e300), 1e-100),
        ("max(acos(2*x*y/(x^2 + y^2)), 1/2)", (1e160, 3e160), math.acos(0.6)),
        ("acos(2*x*y/(x^2 + y^2))^2 + 1", (3e160, 1e160), math.acos(0.6) ** 2 + 1.0),
        ("hypot(acosh((x^2 + y^2)/(2*x*y)), z)", (1e160, 2e160, 0.0), math.log(2)),
    ],
)
def test_nothing_swallows_what_is_lost(
    text: str, point: tuple[float, ...], value: float
) -> None:
    """Not an angle, nor the smaller or the larger of two numbers."""
    found, _ = gradc.compile(text, inputs="xyz"[: len(point)]).value_and_grad(*point)
    assert found == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "point", "slope"),
    [
        ("-1/sqrt(x^2 + y^2)", (1e-155, 0.0), math.inf),
        ("1/hypot(x, y)", (-1e-200, 0.0), math.inf),
        ("atan(x/y^2)", (0.0, 1e-160), math.inf),
        ("atan2(x, y)", (0.0, 1e-310), math.inf),
        ("log(hypot(x, y))", (-1e-310, 0.0), -math.inf),
        ("exp(-(y - z)^2/(2*x^2))/(x*sqrt(2*pi))", (1e-156, 1.0, 1.0), -math.inf),
    ],
)
def test_a_slope_that_is_no_float_is_infinite(
    text: str, point: tuple[float, ...], slope: float
) -> None:
    """It is not what it tends to: beside 1e-155 that is something else."""
    f = gradc.compile(text, inputs="xyz"[: len(point)])
    module: dict[str, Any] = {}
    exec(f.source, module)
    assert f.value_and_grad(*point)[1][0] == slope
    assert module["value_and_grad"](*point)[1][0] == slope


@pytest.mark.parametrize("function", ["exp(-{})", "cos({})", "tanh({})", "atan({})"])
def test_a_function_of_what_is_lost_is_lost(function: str) -> None:
    compiled = gradc.compile(f"input x, y; {function.format('(x*x/(y*y))')}")
    near = gradc.compile(f"input r; {function.format('r')}")
    for size in (1e200, 1e-200, 1e160):
        for r in (0.5, 2.0, 3.0):
            value, (d_x, _) = compiled.value_and_grad(r * size, size)
            expected, (slope,) = near.value_and_grad(r * r)
            assert value == pytest.approx(expected, rel=1e-9)
            assert d_x * size == pytest.approx(2.0 * r * slope, rel=1e-9)


@pytest.mark.parametrize("yes, no", [(1, 0), (1, 2), (-1, 1), (2, 3)])
@pytest.mark.parametrize(
    "condition, point, holds",
    [
        ("x^2 + y^2 > 0", (1e-200, 1e-200), True),
        ("x*y > 0", (1e-200, 1e-200), True),
        ("x*y > z*w", (1e200, 1e200, 1e200, 5e199), True),
        ("x*y < z*w", (1e200, 1e200, 1e200, 5e199), False),
        ("x/y < 1", (1e-200, 1e200), True),
    ],
)
def test_numbers_chosen_by_what_floats_decide_wrongly(
    yes: int, no: int, condition: str, point: tuple[float, ...], holds: bool
) -> None:
    """Sides that are near each other, or opposite, are as different as any."""
    f = gradc.compile(f"where({condition}, {yes}, {no})")
    assert f(*point) == (yes if holds else no)
    assert f.value_and_grad(*point)[0] == (yes if holds else no)


@pytest.mark.parametrize(
    "text, point, value",
    [
        (
            "(x - sqrt(y^2 - z^2))/(x + sqrt(y^2 - z^2))",
            (2e-170, 1e-170, 5e-171),
            0.395661041496075465,
        ),
        (
            "1.0 - x/((y - z)*(y - t))",
            (1e-310, 1e-160, 3e-160, -1e-160),
            2.5e9 + 1.0,
        ),
        ("(x + sqrt(y*z))/(3*x + sqrt(y*z))", (1e-170, 1e-170, 4e-170), 0.6),
    ],
)
def test_what_is_lost_above_and_below_a_line(
    text: str, point: tuple[float, ...], value: float
) -> None:
    """The quotient of two that have lost a term is as large as that of two others."""
    f = gradc.compile(text)
    assert math.isclose(f(*point), value, rel_tol=1e-9)
    assert f.value_and_grad(*point)[0] == f(*point)


@pytest.mark.parametrize(
    "text, point",
    [
        ("sqrt(-x*y)", (1e-200, 1e-200)),
        ("sqrt(x^3)", (-1e-120,)),
        ("sqrt(b^2 - 4*a*c)", (1e-170, 1e-170, 1e-170)),
    ],
)
def test_roots_of_what_is_below_zero_by_less_than_floats_hold(
    text: str, point: tuple[float, ...]
) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f, f.value_and_grad, module["value"], module["value_and_grad"]):
        with pytest.raises(ValueError, match="not a real number"):
            run(*point)


STEPS = {  # what vanishes with all derivatives at the edge of a branch
    "where(x <= 0, 0, exp(-1/x))": 0.0,
    "where(x <= 0, 0, exp(-1/x)/(exp(-1/x) + 1))": 0.0,
    "where(x <= 0, 0, where(x >= 1, 1, exp(-1/x)/(exp(-1/x) + exp(-1/(1 - x)))))": 0.0,
    "where(x <= 0, 1, 1/(1 + exp(-1/x)))": 1.0,
    "where(x <= 0, 0, x^3*exp(-2/x))": 0.0,
}


@pytest.mark.parametrize("x", [1e-110, 1e-160, 1e-250, 1e-307])
@pytest.mark.parametrize("text", STEPS)
def test_a_smooth_step_is_flat_at_its_edge(text: str, x: float) -> None:
    """There an infinite derivative of what is in the exponent meets its vanishing."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for both in (f.value_and_grad, module["value_and_grad"]):
        assert both(x) == (STEPS[text], (0.0,))


@pytest.mark.parametrize("size", [1e160, -1e160, 1e300, -1e300])
@pytest.mark.parametrize(
    "text",
    [
        "p*exp(-a/b*(1/x - 1/y))",
        "(1/x - 1/y)*a/b + c",
        "a*(x - y)/(x*y) + x/y",
        "a*(log(x^2) - log(y^2))/b",
    ],
)
def test_where_large_numbers_meet_modules_are_as_the_library(
    text: str, size: float
) -> None:
    """On either side of a condition whether they are near to each other."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for factor in (1.0, 0.75, 0.25):
        point = [size * (factor if name == "y" else 1.0) for name in f.inputs]
        value, gradient = f.value_and_grad(*point)
        assert module["value"](*point) == f(*point) == value
        assert module["value_and_grad"](*point)[0] == value
        found = module["value_and_grad"](*point)[1]
        assert found == pytest.approx(gradient, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("size", [1e160, -1e160, 1e300, -1e300])
@pytest.mark.parametrize("text", ["(x*y)^n", "(x^2 + y^2)^n", "c*(x/y)^n", "c + x^n"])
def test_exponents_of_either_sign_leave_no_nan(text: str, size: float) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for n in (-abs(size), -0.5 if size > 0.0 else -2.0, -3.0):
        point = [n if name == "n" else size for name in f.inputs]
        value, gradient = f.value_and_grad(*point)
        assert module["value"](*point) == value
        found = module["value_and_grad"](*point)[1]
        assert found == pytest.approx(gradient, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("size", [1e-155, 1e-158, 1e-160, 1e-161])
@pytest.mark.parametrize(
    "text, value",
    [
        ("x*y/(x^2 + y^2)", lambda x: 0.4),
        ("(x^2 - y^2)/(x^2 + y^2)", lambda x: -0.6),
        ("log(x^2 + y^2)/2", lambda x: math.log(x) + math.log(5.0) / 2),
        ("log(x*y)", lambda x: 2 * math.log(x) + math.log(2.0)),
        ("(x^2 + y^2)/(x*y)", lambda x: 2.5),
    ],
)
def test_squares_of_few_digits_spoil_nothing(
    text: str, value: Callable[[float], float], size: float
) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for run in (f, module["value"]):
        assert run(size, 2.0 * size) == pytest.approx(value(size), rel=1e-14)


@pytest.mark.parametrize(
    "text, point, value",
    [
        ("(x^p)^(1/p)", (0.3, 1000.0), 0.3),
        ("(x^p + y^p)^(1/p)", (0.2, 500.0, 0.17), 0.2),
        ("((x^p + y^p)/2)^(1/p)", (0.2, 500.0, 0.17), 0.2 * 2**-0.002),
        ("(x^p*y^q)^(1/(p + q))", (0.3, 700.0, 0.2, 300.0), 0.3**0.7 * 0.2**0.3),
    ],
)
def test_what_a_root_is_of_may_be_below_all_floats(
    text: str, point: tuple[float, ...], value: float
) -> None:
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    for function in (f, module["value"]):
        assert function(*point) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "M*sqrt(g)*(1 + (g - 1)/2*M^2)^(-(g + 1)/(2*(g - 1)))",
        pytest.param("M^2*(1 + (g - 1)/2*M^2)^(-g/(g - 1))", marks=pytest.mark.long),
    ],
)
def test_a_long_hessian_has_no_value_that_is_none(text: str) -> None:
    f = gradc.compile(text, emit="hessian")
    assert len(f.source) > 50_000  # above 2,000 nodes
    module: dict[str, Any] = {}
    exec(f.source, module)
    for size in (1e-200, 1e100, 1e155, 1e160, 1e200, 1e300):
        at = {"M": size, "g": 1.4}
        found = module["value_grad_and_hessian"](**at)
        true = f.value_grad_and_hessian(**at)
        for x, y in zip(found[2], true[2]):
            assert x == pytest.approx(y, rel=1e-9, abs=1e-290), size


@pytest.mark.parametrize(
    "text",
    [
        "a*exp(-((x - m)/s)^2/2) + c",
        "a*exp(-k*abs(x)) + c",
        "a*sech2((x - m)/s)",
        "a*erfc((x - m)/s)",
        "normcdf((x - m)/s)",
        "a/(1 + exp(-k*(x - m))) + c",
        "a*exp(-((x - m)/s)^2) + c*exp(-((x - n)/r)^2)",
        "log(1 + a*exp(-k*x^2))",
    ],
)
def test_far_out_on_a_curve_nothing_is_computed_again(text: str) -> None:
    """What an exponential ends in is tested where it matters, not on every tail."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)

    def again(*args: object) -> None:
        raise AssertionError(args)

    module["careful"] = again
    ordinary = {"a": 3.0, "k": 1.5, "m": 0.5, "n": -2.0, "s": 0.7, "r": 1.3, "c": 0.2}
    for x in (0.1, 4.0, -12.0, 17.0, 25.0, -400.0, 1e4):
        module["value_and_grad"](*[{**ordinary, "x": x}[name] for name in f.inputs])


def slopes_by_first(text: str, x: float) -> list[float]:
    """The derivative by the first of up to two inputs, by the library and a module."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    point = [x, 0.7][: len(f.inputs)]
    return [run(*point)[1][0] for run in (f.value_and_grad, module["value_and_grad"])]


@pytest.mark.parametrize("exponent", range(-300, -100, 20))
@pytest.mark.parametrize(
    "text, slope",
    [
        ("tanh(1/x)", 0.0),
        ("tanh(-2/x)", 0.0),
        ("tanh(x^-2)", 0.0),
        ("x*tanh(1/x)", 1.0),
        ("x - y*tanh(3/x)", 1.0),
        ("2*x + tanh(y/x)^2", 2.0),
    ],
)
def test_what_is_flat_far_out_makes_up_for_a_slope_that_is_no_float(
    text: str, slope: float, exponent: int
) -> None:
    assert slopes_by_first(text, 10.0**exponent) == [slope, slope]


@pytest.mark.parametrize("x", [1e-309, -1e-310, 3e-320])
@pytest.mark.parametrize(
    "text, slope",
    [
        ("1/(1/x + 1)", 1.0),
        ("1/(2 - 3/x)", -1.0 / 3.0),
        ("tanh(1/x) - x", -1.0),
        ("1/(1/x + 1/y)", 1.0),
    ],
)
def test_slopes_are_numbers_where_inputs_have_few_digits(
    text: str, slope: float, x: float
) -> None:
    """Where their inverses are beyond floats."""
    found = slopes_by_first(text, x)
    assert found == pytest.approx([slope, slope], rel=1e-12)


@pytest.mark.parametrize(
    ("text", "point", "gradient"),
    [
        ("exp(-1/x)", [5e-324], (0.0,)),
        ("where(x > 0, exp(-1/x), 0)", [1e-310], (0.0,)),
        ("exp(-x/(y*z))", [1e154, 1e-16, 1e-200], (0.0, 0.0, 0.0)),
        ("x^3/(exp(x/y) - 1)", [1.0, -5e-324], (-3.0, 0.0)),
        ("(1 - exp(-x*y))/x", [1e300, 1e-310], (0.0, 0.9999999999)),
        ("atan(x*y/z)", [1e-16, 0.0, 1e-323], (0.0, 1e-16 / 1e-323, 0.0)),
        ("hypot(x, y)/z", [1e-310, 0.0, 1.5], (2 / 3, 0.0, -4.4444444444444e-311)),
    ],
)
@pytest.mark.some(3)
def test_at_the_ends_of_floats_no_slope_is_nan(
    text: str, point: list[float], gradient: tuple[float, ...]
) -> None:
    for _, *found in [*results(text, point, "")][1::2]:
        assert found == pytest.approx(gradient, rel=1e-12, abs=1e-320)


# Logarithms of products and powers, and their slopes by x far out on either side.
FAR_LOGS = {
    "log(exp(x)*exp(y))": (1, 1),
    "log(3*exp(x))": (1, 1),
    "log(exp(x)*exp(y)*z)": (1, 1),
    "log((1 + exp(x))*(1 + exp(-x)))": (1, -1),
    "log((1 + exp(x))^y)": (0.5, 0),
    "log((1 + exp(x))*y)": (1, 0),
    "log(sigmoid(x)*sigmoid(-x))": (-1, 1),
    "log(sigmoid(x)^2)": (0, 2),
    "log(sigmoid(x)^3)": (0, 3),
    "log(2*sigmoid(x)*y)": (0, 1),
    "log(3/(1 + exp(-x)))": (0, 1),
    "log(1/(1 + exp(-x))^2)": (0, 2),
    "log(sigmoid(x)/(1 + exp(x)))": (-1, 1),
    "log(exp(x)/(1 + exp(x))^2)": (-1, 1),
    "log(cosh(x)^2)": (2, -2),
    "log(cosh(x)*cosh(x + y))": (2, -2),
    "log(2*cosh(x))": (1, -1),
    "log(y*cosh(x))": (1, -1),
    "log(sinh(x)^2)": (2, -2),
    "log(y*sech2(x))": (-2, 2),
    "log(sech2(x)/4)": (-2, 2),
    "log(y*(1 + exp(x))^2)": (2, 0),
    "log(y*cosh(x)^2)": (2, -2),
    "log(y/cosh(x))": (-1, 1),
    "log(y*exp(x)/(1 + exp(-x)))": (1, 2),
    "log(2*exp(x)^3)": (3, 3),
    "log(exp(x) + exp(3*x)*y)": (3, 1),
}


@pytest.mark.parametrize("text", FAR_LOGS)
@pytest.mark.some(3)
def test_a_logarithm_of_products_far_out(text: str) -> None:
    """Also where what it is of is beyond all numbers that could be computed."""
    for x in (1e19, 1e200, 1e300):
        for slope, at in zip(FAR_LOGS[text], (x, -x)):
            for value, *gradient in results(f"{text} + 0*y*z", [at, 0.5, 0.5]):
                assert value == pytest.approx(slope * at, rel=1e-15, abs=2.0)
                if gradient:
                    assert gradient[0] == pytest.approx(slope, rel=1e-15, abs=1e-300)


def test_a_pole_below_a_logarithm_is_no_limit() -> None:
    """What grows as a logarithm may be as nothing beside what it is added to."""
    for text in ("log(gamma(x)*y)", "log(gamma(x)^2*y)", "log(gamma(x)/gamma(y))"):
        f = gradc.compile(text, inputs=["x", "y"])
        for x in (-1000.0, -3.0, 0.0):
            with pytest.raises(gradc.DomainError):
                f.value_and_grad(x, 0.5)


# Formulas of exponentials that end beyond all decimals.
FAR = [
    "y/(exp(x) - 1)",
    "x/(exp(x) - 1)",
    "1/(exp(x) - 1) - 1/x",
    "x^2*exp(x)/(exp(x) - 1)^2",
    "y/(1 - exp(-x))",
    "x/sinh(x)",
    "1/sinh(x) - y/x",
    "(3 + exp(x))/(5 + y*exp(x))",
    "exp(x)/(exp(x) - exp(y))",
    "exp(x)/(exp(x) + exp(x*y))",
    "exp(x + y)/exp(x)",
    "y*exp(x)/cosh(x)",
    "exp(-x)*exp(x)*3*y",
    "sqrt(exp(2*x)*y)/exp(x)",
    "(exp(x) - y*exp(-x))/(exp(x) + 3*exp(-x))",
    "x*exp(-x)*y/(1 + exp(-x))",
    "y^x/(1 + y^x)",
    "log(y^x + (1 - y)^x)/(1 - x)",
]


@pytest.mark.parametrize("text", FAR)
@pytest.mark.some(6)
def test_of_exponentials_beyond_decimals_the_logarithm_is_known(text: str) -> None:
    """So of their products, quotients and sums, of which one may be a float again."""
    exact = in_digits(text, "x, y")
    compiled, module = gradc.compile(text, inputs=["x", "y"]), {}
    exec(compiled.source, module)
    step = mpf(10) ** -350
    for x in (3e18, -3e18, 1e200, -1e200):
        with mp.workdps(700):
            u, v = mpf(x), mpf(0.25)
            true = exact(u, v)
            if isinstance(true, mp.mpc) or abs(true) > FLOATS[1]:
                continue
            slopes = (exact(u + step, v) - true, exact(u, v + step) - true)
            expected = [float(true), *(float(slope / step) for slope in slopes)]
        for both in (compiled.value_and_grad, module["value_and_grad"]):
            value, gradient = both(x, 0.25)
            assert [value, *gradient] == pytest.approx(expected, rel=1e-12, abs=1e-307)


@pytest.mark.parametrize("x", [-600.0, -360.0, 1.0, 360.0, 700.0, 712.0])
@pytest.mark.parametrize("text", ["exp(-x)/(1 + B)^2", "x^3/(1/B - 1)", "B*exp(x)^2"])
@pytest.mark.parametrize("base", ["e^(-x)", "10^(-x/log(10))", "2^(-x/log(2))"])
@pytest.mark.some(5)
def test_exponentials_of_other_bases_are_extreme_with_those_of_e(
    base: str, text: str, x: float
) -> None:
    text = text.replace("B", base)
    witness, f = Witness(read(text)), gradc.compile(text)
    true = witness.value({"x": x}), witness.derivative({"x": x}, "x")
    if all(1e-290 < abs(t) < 1e290 for t in true):
        value, (slope,) = f.value_and_grad(x)
        for found, exact in zip((value, slope), true):
            assert abs(found - exact) <= 1e-11 * abs(exact)


@pytest.mark.parametrize("a, b", [(1e20, 1e-300), (1e-300, 1e20), (1e300, 1e-20)])
def test_a_ratio_that_is_no_float_has_a_logarithm(a: float, b: float) -> None:
    f = gradc.compile("1/(log(a) - log(b))")
    value, slopes = f.value_and_grad(a, b)
    exact = 1.0 / (math.log(a) - math.log(b))
    assert value == pytest.approx(exact, rel=1e-14, abs=0.0)
    by_hand = (-value * value / a, value * value / b)
    assert slopes == pytest.approx(by_hand, rel=1e-13, abs=0.0)
