"""Where differences lose digits: values and gradients are right all the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.checking.witness import Witness
from gradc.language.lower import read

CLOSE = 1e-9


def late(*values: Any) -> Any:
    """Parameters of a test that is one of the long ones."""
    return pytest.param(*values, marks=pytest.mark.long)


LONGER = late("gradient,hessian")  # to emit
LARGEST, SMALLEST = 1e300, 1e-300

# Formulas that no rule mends, with points at which they lose digits.
LOST: dict[str, list[tuple[float, ...]]] = {
    "a*(cosh(x/a) - cosh(l/(2*a)))": [(1e6, 1.0, 3.0), (7.0, 1.0, 2.0000000001)],
    "k*q*(1/r - 1/c + (r - c)/c^2)": [
        (1.0, 2.0, 0.9999999, 1.0),
        (1.0, 1.0, 4.0, 3.99999),
    ],
    "x*log(x/y) + (1 - x)*sin(y)": [(1e-9, 1e-9), (1e-12, 1.00000001e-12)],
    "((1 - m)*m/v - 1)*m": [
        (2.755635761625781e-15, 2.755635761625781e-15),
        (2.620789743318e-260, 2.6207897406972103e-260),
        (2.6320056319015474e-86, 2.6320056319015474e-86),
    ],
    "log(p^a*q^(1 - a) + (1 - p)^a*(1 - q)^(1 - a))/(a - 1)": [(0.3, 3.0, 0.3000001)],
    "(m - n)^2/(s^2 + t^2)/4 + log((s^2 + t^2)/(2*s*t))/2": [
        (5.0, 5.0001, 3.0, 3.0001)
    ],
    "x*(log(x + 1) - log(x))": [(1e9,), (3e6,)],  # defined on one side alone
    "x*(sqrt(x^2 + 1) - x)": [(1e9,), (3e6,)],
    "sqrt(x + sqrt(x + 1)) - sqrt(x)": [(1e20,)],
    "log(x)*(n - 1) - lgamma(n) - x": [(1e8, 1e8)],
    "(x*exp(x) + y*exp(y))/(exp(x) + exp(y))": [(1e-7, -1e-7), (1e-12, -1e-12)],
    "cos(x) - cos(y)": [(1e-9, 1e-16), (1e-16, 1e-100), (1e-9, -1.0000001e-9)],
    # A triangle next to a line, in a branch of its own.
    "acos((a^2 + b^2 - c^2)/(2*a*b))": [(0.1, 0.2, 0.3), (1.0, 2.0 + 2.0**-51, 3.0)],
    # Some terms of a sum are 0.
    "sqrt(x^2 - y^2 - z^2 - w^2)": [
        (1.000000001, 1.0, 0.0, 0.0),
        (2.0000000001, 0.0, 0.0, 2.0),
        (1.0000001, 0.6, 0.8, 0.0),
    ],
    # Barron's loss by its shape, next to 2.
    "abs(a - 2)/a*(((x/c)^2/abs(a - 2) + 1)^(a/2) - 1)": [
        (2.0 - 1e-9, 0.5, 1.0),
        (2.0 + 1e-9, 0.5, 1.0),
    ],
    # Student's density by its degrees of freedom, at 1.
    "lgamma((n + 1)/2) - lgamma(n/2) - log(n*pi)/2 - (n + 1)/2*log(1 + t^2/n)": [
        (1e8, 1.0),
        (1e10, 1.000000001),
    ],
    # Two lengths are next to each other, and what an angle is the cosine of to 1 or -1.
    "sqrt(x^2 + y^2 + 2*c*x*y)": [
        (1.0, 1.000000001, -1.0 + 2.0**-52),
        (2.0, 2.0, -0.999999999),
        (2.0, 2.00001, -1.0 + 1e-11),
    ],
    "q*sqrt(x^2 + y^2 - 2*c*x*y)": [(2.0, 0.7739, 0.77389999, 0.9999999999)],
    "q/sqrt(x^2 + y^2 + 2*c*x*y)": [(2.0, 0.7739, 0.77389999, -0.9999999999)],
    "x^5 - y^5*(2 - x/y)": [(1.0, 1.0000000003), (2.0, 1.9999999)],
    "asin(sqrt((1 - (a/b)^2)/(1 + 2*(c/d)^2)))": [  # two ratios are tiny
        (3.305, 1.193e8, 1.6e-9, 3.005e9),
        (1e-6, 1.0, 1.0, 3e5),
    ],
    "log(1 + x)/x - exp(-y/2)": [(1e-9, 1.1e-9)],
    "a*sin(w*t + c)": [(1.0, 1e9, 0.7, 0.1), (2.0, 1e15, 3.0, 0.2)],
    "tan(exp(x))": [(30.0,), (90.0,)],
    "fmod(exp(x), y)": [(30.0, 3.0), (1e-9, 1.0)],
    # What a function of one input is multiplied by is next to 1.
    "sqrt(1 - k^2*sin(x)^2)": [(1.0, 1.5707963), (1.0, 1.5707)],
    "a*(1 - k^2)/(1 + k*cos(v))": [(1.0, 1.0 - 1e-9, 3.1415926)],
    "sqrt(1 - b^2)/(1 - b*cos(x))": [(1.0 - 1e-9, 1e-5), (1.0 - 1e-10, 1e-5)],
    "1/(1 - a*tanh(x))": [(1.0, 15.0), (1.0, 12.0)],
    "sqrt(1 - a*sigmoid(x))": [(1.0, 30.0)],
    "(1 - g^2)/(1 + g^2 - 2*g*c)^1.5": [(0.99999, 1.0 - 1e-10), (0.999, 0.999999)],
    "1/sqrt(1 - 2*x*t + t^2)": [(1.0, 0.99999), (0.99999, 0.99999)],
    "T*log(1 + exp((a - b)/T))": [(1.0, 40.0, 0.0), (0.5, 20.0, -10.0)],
    "log(cosh(x)/cosh(y))": [(750.0, 750.0001), (700.0, 700.00001), (25.0, 25.0000001)],
    "log(sinh(x)/sinh(y))": [(560.2, 560.2000001), (-25.0, -25.0000001)],
    # All are tiny, and of one size.
    "acos((cos(a) - cos(b)*cos(c))/(sin(b)*sin(c)))": [
        (5e-4, 6e-4, 7e-4),
        (5e-5, 6e-5, 7e-5),
        (1.2, 1e-5, 1.2),
    ],
    "((1 + x)^(2 - l) - 1)/(2 - l)": [(1e-9, 2.000000001), (-1e-9, 1.9999)],
    # A constant is rounded, as 1 - 1e-12 is.
    "-log(1 - clip(x, 1e-12, 1 - 1e-12))": [(1.0,), (2.0,), (0.9999999999995,)],
    "p = clip(x, 1e-15, 1 - 1e-15); -(y*log(p) + (1 - y)*log(1 - p))": [(1.0, 1.0)],
    "atanh(clip(x, -1 + 1e-12, 1 - 1e-12))": [(1.0,), (-2.0,)],
    "acos(max(-1 + 1e-12, min(1 - 1e-12, x)))": [(1.0,), (-2.0,)],
    "sqrt(1 - x^2 + 1e-12)": [(1.0,), (-1.0,)],
    "1/(1 - c + 1e-8)": [(1.0,)],
    "log((1 + x + 1e-12)/(1 - x + 1e-12))": [(1.0,), (-1.0,)],
    "log(1 + 1e-12)*x": [(2.0,)],
    "x*(1 - (1 - 1e-9))": [(2.0,)],
    # Two things are special.
    "s*normcdf(log(s/k)/v + v/2) - k*normcdf(log(s/k)/v - v/2)": [(1.0, 1.0, 1e-9)],
    "u - k*sin(u)": [(1e-5, 1.0), (1e-9, 0.999999999)],
    "(a^2 + b^2 + c^2)/3 - ((a + b + c)/3)^2": [(1e8, 100000001.0, 100000002.0)],
    "1 - sqrt(2*s*t/(s^2 + t^2))*exp(-d^2/(4*(s^2 + t^2)))": [(1.0, 1.0000001, 1e-6)],
    "m = (a + b + c)/3; x = a - m; y = b - m; z = c - m\n(x^2 + y^2 + z^2)/2": [
        (1e8, 100000001.0, 100000003.0),  # where 1 - 1/3 is not the float of 2/3
    ],
    "a/t - log((exp(a/t) + exp(b/t) + exp(c/t))/3)": [(0.9, 0.9000001, 0.9, 1e-8)],
    "1/sqrt(1 - (v/299792458)^2) - 1": [(299792457.9999,)],  # next to a unit
    "x*exp(-k*(1/t - 1/298.15))": [(2.0, 5e8, 298.1500000001)],
    "x*sin(pi*y)": [(2.0, 1.00000001), (3.0, 2.9999999999)],
    "1 + cos(pi*t/T)": [(9.99999999, 10.0)],
    "digamma(2 + x) - digamma(2)": [(1e-16,), (-1e-16,), (1e-10,)],
    "y*digamma(x + y) - y*digamma(x)": [(3.0, 1e-16), (1.0, -1e-17)],
    "c*acos((a^2 + b^2 - c^2)/(2*a*b))": [  # one side is tiny, and two are about equal
        (4.0, 1e-9, 4.0),
        (4.0, 4.0, 1e-9),
        (3.0, 1e-11, 3.000000000001),
    ],
    "sqrt((c - (a - b))*(c + (a - b)))": [(4.0, 1e-17, 4.0), (4.0, 4.0, 1e-17)],
    "(x + y)^n": [(1.0, 1e-10, 1e10), (0.3, 0.7, 1e9)],  # of 1 + 5e-17
    "a*(x - y)^(n*t)": [(3.0, 1.3, 0.3, 1e9, 2.0)],
    "a*tan(acos(x)) - b": [(1.0, 1e-10, 0.3), (1.0, 1e-17, 0.3)],
    "tan(acos(x) + y)": [(1e-10, 1e-12)],  # next to a pole
    # A product is next to where it is a number.
    "(sin(pi*t*(1 - b)) + 4*b*t*cos(pi*t*(1 + b)))/(pi*t*(1 - (4*b*t)^2))": [
        (1.0 + 2.0**-52, 0.25),
        (1.0, 0.2499999999997),
        (0.3, 0.8333333),
    ],
    "sinc(2*b*t)*cos(pi*a*b*t)/(1 - 4*a^2*b^2*t^2)": [
        (0.5, 1.0, 1.0 - 2.0**-53),
        (0.5000000001, 1.0, 1.0),
        (1.0, 2.0, 0.2500003),
    ],
    "1/(1 + x*y)": [(-1.0000000102, 1.00000001), (1.25, -0.8000000001)],
    "(a + b)/(1 + a*b)": [(-2.0, 0.50000000001), (0.7, -1.42857142)],
    "x/(2 + x*y^3)": [(2.0000001, -1.0), (-0.25000000003, 2.0)],
    "log((3 + a*b/c)^2)": [(-0.3000001, 7.0, 0.7), (0.9, -1.1, 0.3300000001)],
    "where(x > 0, z*(atan(x)*x - atan(y)*y), x + y)": [(2.0, 2.0000000001, 3.0)],
}
# Sums of a number and inputs, which vanish where none of these is special.
VANISHING = [
    f"{number} {one} x {other} y"
    for number in (1, 2, 3)
    for one in "+-"
    for other in "+-"
]
VANISHING += ["x + y + 2", "-x - y + 3", "2 - (x + y)", "x - y + z + 1"]
FUNCTIONS = (
    "cosh({})",
    "{}*exp({})",
    "atan({})*{}",
    "sqrt(1 + {}^4)",
    "{}^5",
    "erf({})",
)
ARGUMENTS = (("x", "y"), ("x/a", "y/a"), ("1 + a*x", "1 + a*y"))
AROUND = ("{}", "a*({})", "({})/(1 + a^2)", "({})*(a + x*y)")
NEAR = ((0.7, 0.7000000002, 1.5), (1.2, 1.19999999999, 0.4))


def results(text: str, args: tuple[float, ...]) -> Iterator[list[float]]:
    """The value and gradient by the library, and by the module alone."""
    compiled = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    for function in (compiled.value_and_grad, module["value_and_grad"]):
        value, gradient = function(*args)
        yield [value, *gradient]
    assert compiled(*args) == compiled.value_and_grad(*args)[0]


def truths(text: str, args: tuple[float, ...]) -> list[Any]:
    """The same by high precision."""
    witness = Witness(read(text))
    names = gradc.compile(text).inputs
    point = dict(zip(names, args))
    return [witness.value(point), *(witness.derivative(point, n) for n in names)]


def is_wrong(text: str, args: tuple[float, ...]) -> bool:
    """Whether a result that a float can hold has lost digits."""
    true = truths(text, args)
    assert None not in true
    return any(
        abs(x - y) > CLOSE * abs(y)
        for found in results(text, args)
        for x, y in zip(found, true)
        if SMALLEST < abs(y) < LARGEST
    )


@pytest.mark.parametrize("text", LOST)
@pytest.mark.some(4)
def test_what_is_lost_is_computed_again(text: str) -> None:
    for args in LOST[text]:
        assert not is_wrong(text, args), args


@pytest.mark.parametrize(
    "around", ["1/({})", *map(late, ("{}", "(x - y)/({})", "z*log(({})^2)"))]
)
@pytest.mark.parametrize("total", VANISHING)
def test_a_number_and_inputs_may_add_up_to_nothing(total: str, around: str) -> None:
    text = f"input x, y, z; {around.format(total)}"
    sum_of, random = gradc.compile(f"input x, y, z; {total}"), Random(total)
    for gap in (-1e-8, 1e-9, 1e-10):
        y, z = random.uniform(-3, 3), random.uniform(-3, 3)
        start, end = (sum_of(x, y, z) for x in (0.0, 1.0))
        x = -start / (end - start) + gap
        assert not is_wrong(text, (x, y, z)), (x, y, z)


# Points at which vectors have nearly length 1.
UNIT = [
    (0.6, 0.8, 1e-8),
    (0.6, 0.48 + 1e-9, 0.64),
    (0.36, 0.48, 0.8),
    (1.0, 1e-9, -1e-9),
    (1e-8, -1.0 - 1e-10, 1e-7),
    (2 / 3, 2 / 3, 1 / 3 + 1e-9),
]


@pytest.mark.parametrize(
    "text",
    [
        "x^2 + y^2 + z^2 - 1",
        "sqrt(x^2 + y^2 + z^2) - 1",
        "log(x^2 + y^2 + z^2)",
        "log(sqrt(x^2 + y^2 + z^2))",
        "log(hypot(x, y, z))",
        "1/(hypot(x, y, z) - 1)",
        "w*(1 - sqrt(x^2 + y^2 + z^2))^2",
    ],
)
@pytest.mark.some(4)
def test_a_vector_of_three_may_have_nearly_length_1(text: str) -> None:
    for args in UNIT:
        some = (*args, 0.7) if "w" in text else args
        assert not is_wrong(f"input {'x, y, z, w'[:3 * len(some) - 2]}\n{text}", some)


def network() -> str:
    """The loss of a small network whose inputs are zeros and ones."""
    losses = []
    for p, q, label in ((0, 0, "+"), (0, 1, "-"), (1, 0, "-"), (1, 1, "+")):
        neurons = [f"w{k}*relu(a{k}*{p} + b{k}*{q} + c{k})" for k in range(3)]
        losses.append(f"relu(1 {label} (" + " + ".join([*neurons, "d"]) + "))")
    return " + ".join(losses)


# Formulas of which terms cancel at ordinary points.
CANCELLING = [
    network(),
    "abs(x - y)/(abs(x) + abs(y))",
    "abs(x - y)/max(x, y)*z",
    "max(sin(x), cos(y)) - sin(x) + z^2",
    "relu(x*y + z) - relu(x*y - z) + relu(z)*x",
]


@pytest.mark.parametrize("text", CANCELLING)
def test_what_cancels_at_ordinary_points_is_not_computed_again(text: str) -> None:
    """As slopes of a network do where the same neurons are on for several samples."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    careful = module["careful"]

    def again(function: Any, *args: float) -> None:
        raise AssertionError(args)

    random = Random(text)
    for _ in range(50):
        point = [random.uniform(-2.0, 2.0) for _ in f.inputs]
        module["careful"] = again
        value, gradient = module["value_and_grad"](*point)
        found = careful(module["value_and_grad"], *point)
        assert (value, *gradient) == pytest.approx((found[0], *found[1]), 1e-12, 1e-14)


# Differences that a number holds, with points at which little is left of them, and others
# at which they are held.
NEAR_1 = [(1.7, (1.0 - gap) / 1.7) for gap in (1e-6, 1e-9, 3e-12)]
NEAR_2 = [(1.7, (2.0 - gap) / 1.7) for gap in (1e-7, 1e-10)]
BEYOND = [(3.0, 2.0), (1.1, 1.9)]
# Sums of products, and the first input where they vanish.
BALANCED: dict[str, Callable[[float, float, float], float]] = {
    "x^2 - 4*y*z": lambda y, z, _: 2.0 * math.sqrt(y * z),
    "x^2/4 - y*z": lambda y, z, _: 2.0 * math.sqrt(y * z),
    "2*y*z - x*x": lambda y, z, _: math.sqrt(2.0 * y * z),
    "x*y - 3*z^2": lambda y, z, _: 3.0 * z * z / y,
    "y*z^3 - 5*x": lambda y, z, _: y * z**3 / 5.0,
    "x^2 - y^2 - z^2 - w^2": lambda y, z, w: math.sqrt(y * y + z * z + w * w),
    "1 - (x^2 + y^2 + z*w)/9": lambda y, z, w: math.sqrt(9.0 - y * y - z * w),
    "x^2 - (y + z)^2": lambda y, z, _: y + z,
    "w*x + y*z": lambda y, z, w: -y * z / w,
}
EDGES = ("sqrt({})", "log(abs({}))", "1/({})", "sqrt(y*({})/x)")
DIFFERENCES = [*BALANCED][:4]  # which are no inputs, and have no edge


@pytest.mark.parametrize(
    "text, edge",
    [(text, "{}") for text in DIFFERENCES]
    + [(t, edge) for edge in EDGES for t in BALANCED if "-" in t or edge != "1/({})"]
    + [(text, "({})^1.5") for text in DIFFERENCES],
)
@pytest.mark.some(9)
def test_products_may_add_up_to_nothing(text: str, edge: str) -> None:
    """A discriminant, wherever it is next to 0, and more of them at an edge."""
    whole, random = edge.format(text), Random(text + edge)
    names = gradc.compile(whole).inputs
    tried = 0
    for exponent, sign in product((7, 9, 12), (1.0, -1.0)):
        y, z, w = (random.uniform(0.5, 2.0) for _ in range(3))
        gap = sign * 10.0**-exponent
        at = {"x": BALANCED[text](y, z, w) * (1.0 + gap), "y": y, "z": z, "w": w}
        args = tuple(at[name] for name in names)
        if None not in truths(whole, args):
            assert not is_wrong(whole, args), at
            tried += 1
    assert tried >= 3


HELD: dict[str, tuple[list[tuple[float, ...]], list[tuple[float, ...]]]] = {
    "acos(clip(x*y, -1, 1))": (NEAR_1 + [(x, -y) for x, y in NEAR_1], BEYOND),
    "asin(max(-1, min(1, x*y)))": (NEAR_1 + [(x, -y) for x, y in NEAR_1], BEYOND),
    "atanh(clip(x*y, -0.9999999, 0.9999999))": (NEAR_1[:1], BEYOND),
    "acos(min(1, x*y))^2": (NEAR_1, BEYOND),
    "log1p(max(x*y, -0.999999999))": ([(x, -y) for x, y in NEAR_1[:1]], [(3.0, -2.0)]),
    "acos(clip((t - 1)/2, -1, 1))": (
        [(-1.0 + 1e-9,), (-1.0 + 1e-13,)],
        [(-1.5,), (4.0,)],
    ),
    "log(max(1 - x*y, 1e-12))": (NEAR_1[:2], BEYOND),
    "log(max(2 - x*y, 1e-12))": (NEAR_2, BEYOND),
    "sqrt(max(2 - x*y, 1e-12))": (NEAR_2, BEYOND),
    "1/max(2 - x*y, 1e-8)": (NEAR_2[:1], BEYOND),
    "max(1e-12, 2 - x*y)^2": (NEAR_2, BEYOND),
}


@pytest.mark.parametrize("text", HELD)
@pytest.mark.some(4)
def test_what_is_held_has_its_digits_and_is_computed_again_for_these_alone(
    text: str,
) -> None:
    near, held = HELD[text]
    assert not any(is_wrong(text, args) for args in near)
    module: dict[str, Any] = {}
    exec(gradc.compile(text).source, module)
    module.pop("careful")
    for args in held:
        assert set(module["value_and_grad"](*args)[1]) == {0.0}
    with pytest.raises(NameError):
        module["value_and_grad"](*near[-1])


LOG_BINOMIAL = "lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)"
# Likelihoods of counts, and points at which these are nothing or all.
COUNTED: dict[str, Sequence[tuple[float, ...]]] = {
    f"{LOG_BINOMIAL} + k*log(p) + (n - k)*log(1 - p)": [
        (10.0, 0.0, 0.3),
        (10.0, 10.0, 0.3),
        (1.0, 1.0, 0.5),
        (3.0, 0.0, 0.99),
    ],
    "lgamma(n + r) - lgamma(r) - lgamma(n + 1) + r*log(p) + n*log(1 - p)": [
        (0.0, 2.5, 0.4),
        (0.0, 1.0, 0.9),
        (1.0, 3.0, 0.4),
    ],
    "k*log(m) - m - lgamma(k + 1)": [(0.0, 2.5), (1.0, 2.5), (2.0, 0.5)],
    "y*(a + b*x) - exp(a + b*x) - lgamma(y + 1)": [
        (0.0, 0.5, 0.25, 1.0),
        (0.0, 0.0, 0.25, 1.0),
        (3.0, 1.0, 0.5, 0.0),
    ],
}


@pytest.mark.parametrize("text", COUNTED)
def test_likelihoods_of_no_counts_are_not_computed_again(text: str) -> None:
    """What little is left of a difference matters only if it is not added to more."""
    f = gradc.compile(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    module.pop("careful")
    witness = Witness(read(text))
    for point in COUNTED[text]:
        at = dict(zip(f.inputs, point))
        slopes = (float(witness.derivative(at, name)) for name in f.inputs)
        value, gradient = module["value_and_grad"](*point)
        assert value == pytest.approx(float(witness.value(at)), rel=1e-13)
        assert gradient == pytest.approx((*slopes,), rel=1e-13)


# Formulas that are steep where no input is special, with points that near by.
STEEP: dict[str, Callable[[float], tuple[float, ...]]] = {
    "input a, b, c\nacos((cos(a) - cos(b)*cos(c))/(sin(b)*sin(c)))": lambda near: (
        0.1 + near,
        0.8,
        0.7,
    ),
    "input n, m, t\nasin(n/m*sin(t))": lambda near: (
        1.5,
        1.0,
        math.asin(1 / 1.5) - near,
    ),
    "input x, y, u, v\nacos(x*u + y*v)": lambda near: (
        math.cos(0.3),
        math.sin(0.3),
        (1.0 - near) * math.cos(0.3 + near),
        (1.0 - near) * math.sin(0.3 + near),
    ),
    "input a, b, c\nacos((a^2 + b^2 - c^2)/(2*a*b))": lambda near: (
        3.0,
        4.5,
        1.5 + near,
    ),
    "input u, v, t\n-log(1 + (exp(-t*u) - 1)*(exp(-t*v) - 1)/(exp(-t) - 1))/t": (
        lambda near: (0.99, 0.95, -math.log(near))
    ),
    "input p, l, q, m\n"
    "2*asin(sqrt(sin((q - p)/2)^2 + cos(p)*cos(q)*sin((m - l)/2)^2))": lambda near: (
        0.3,
        -1.0,
        near - 0.3,
        math.pi - 1.0 - near,
    ),
}


# Formulas that lose digits where functions saturate, and no input is special.
FADING = {
    "input u, v, t\n"
    "t*(1 - exp(-t))*exp(-t*(u + v))/(1 - exp(-t) - (1 - exp(-t*u))*(1 - exp(-t*v)))^2": [
        (0.9, 0.8, 20.0),
        (0.3, 0.4, 50.0),
        (0.99, 0.95, 38.0),
    ],
    "input x, y, z\nlog(1 - tanh(x*y)*tanh(x*z))": [(9.0, 0.9, 1.1), (20.0, 0.3, 0.7)],
    "input a, b, x\n(1 - a^x*b^x - (1 - a^x)*(1 - b^x))*3": [(0.1, 0.2, 13.0)],
}


@pytest.mark.parametrize("text", FADING)
@pytest.mark.some(2)
def test_what_fades_keeps_its_digits(text: str) -> None:
    for args in FADING[text]:
        assert not is_wrong(text, args), args


@pytest.mark.parametrize("text", STEEP)
@pytest.mark.some(6)
def test_what_is_steep_keeps_its_digits_at_any_input(text: str) -> None:
    for near in (1e-3, 1e-6, 1e-9, 1e-12):
        assert not is_wrong(text, STEEP[text](near)), near


def differences() -> Iterator[str]:
    """Differences of functions, the same or nearly the same way."""
    for function, (one, other), around in product(FUNCTIONS, ARGUMENTS, AROUND):
        x, y = (function.replace("{}", f"({u})") for u in (one, other))
        yield "input x, y, a\n" + around.format(f"{x} - {y}")


# Functions whose divided differences lose more digits by each derivative.
DIVIDED = (
    "{}^2.5",
    "{}^0.3",
    "0.3*{}^(-0.4)",
    "{}/(exp({}) - 1)",
    "{}*log({})",
    "log(1 + {}^2)",
    "atan({})",
)
ULP = 2.0**-52


def check_to_second_order(
    text: str, emit: str, points: list[dict[str, float]], exact: str = ""
) -> None:
    """Hold the last function of a module to 50 digits, in the library and alone.

    These are those of the text, or of one in which no constant is rounded.
    """
    compiled = gradc.compile(text, emit=emit)
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    name = [*compiled.functions][-1]
    partials = ["{}", *(f"diff({{}}, {a})" for a in compiled.inputs)]
    if "hessian" in emit:
        pairs = product(compiled.inputs, repeat=2)
        partials += (f"diff(diff({{}}, {a}), {b})" for a, b in pairs)
    start = f"input {', '.join(compiled.inputs)}; "
    witnesses = [Witness(read(start + part.format(exact or text))) for part in partials]
    for point in points:
        true = [float(witness.value(point)) for witness in witnesses]
        for run in (getattr(compiled, name), module[name]):
            assert [*leaves(run(**point))] == pytest.approx(true, rel=CLOSE), point


@pytest.mark.parametrize("emit", ["gradient", LONGER])
@pytest.mark.parametrize("function", DIVIDED)
def test_divided_differences_keep_their_digits_next_to_a_tie(
    function: str, emit: str
) -> None:
    """However near, where what is subtracted last is all noise."""
    one, other = (function.replace("{}", u) for u in "xy")
    gaps = (ULP, -ULP, 3e-15, 4e-13, -1e-10, 1e-7)
    points = [{"x": y + gap, "y": y} for y, gap in product((0.7, 1.0), gaps)]
    check_to_second_order(f"({one} - {other})/(x - y)", emit, points)


@pytest.mark.long
def test_differences_of_functions_keep_their_digits() -> None:
    some = [*differences()][::2]
    wrong = [(text, at) for text in some for at in NEAR if is_wrong(text, at)]
    assert not wrong


@pytest.mark.parametrize("seed", range(8))
def test_what_is_found_is_not_left_to_chance(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradc.analysis.draws.Random", lambda _: Random(seed))
    assert not is_wrong("x*x*(3 - 2*x)", (1.0000000123,))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("text", FADING)
@pytest.mark.some(2)
def test_what_fades_is_not_left_to_chance(
    text: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradc.analysis.draws.Random", lambda _: Random(seed))
    assert not any(is_wrong(text, args) for args in FADING[text])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("text", STEEP)
def test_where_it_is_steep_is_not_left_to_chance(
    text: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradc.analysis.draws.Random", lambda _: Random(seed))
    assert not any(is_wrong(text, STEEP[text](near)) for near in (1e-6, 1e-9))


@pytest.mark.long
def test_without_the_tests_they_would_lose_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gradc.analysis.losses.terms", lambda *_: iter(()))
    wrong = [text for text in LOST if any(is_wrong(text, at) for at in LOST[text])]
    assert len(wrong) > len(LOST) / 2


def asks(source: str) -> bool:
    """Whether a module tests for lost digits, beside what its remarks say of that."""
    return bool(re.search(r"^[^#\n]*\b\de30\d\b", source, re.MULTILINE))


@pytest.mark.parametrize(
    "text",
    [
        "(y - a*exp(-b*x))^2",
        "(1 - x)^2 + 100*(y - x^2)^2",
        "sqrt((x - a)^2 + (y - b)^2)",
        "tanh(w*x + v*y + b)",
        "log(1 + exp(x)) - x*y",
        "x*log(x/y) + (2 - x)*sin(y)",
    ],
)
def test_what_is_small_by_chance_is_not_tested(text: str) -> None:
    assert not asks(gradc.compile(text).source)


def test_only_the_side_that_is_taken_is_tested() -> None:
    text = "where(x > 1, x^5 - y^5*(2 - x/y), x)"
    assert asks(gradc.compile(text).source)
    assert gradc.compile(text).value_and_grad(0.5, 0.5) == (0.5, (1.0, 0.0))


def test_strict_computes_what_is_written() -> None:
    source = gradc.compile("x^5 - y^5*(2 - x/y)", strict=True).source
    assert not asks(source)


TURNED = {
    "sin(pi*x/4)": 4.0,
    "cos(pi*x/2)^2*x": 1.0,
    "sin(2*pi*x/3)": 1.5,
    "tan(x*pi/180)": 180.0,
    "sin(pi*x + pi/6)": 5 / 6,  # no float: only points near to it are special
    "sin(pi*x)/(2*pi*x*(1 - x^2))": 2.0,  # in several branches
    "3*sin(pi*x)*sin(pi*x/3)/(pi^2*x^2)": 1.0,
}


@pytest.mark.parametrize("text", TURNED)
@pytest.mark.some(3)
def test_sines_of_parts_of_a_turn_vanish_where_they_do(text: str) -> None:
    """At such a number pi*x is rounded, and no rounded argument has a sine of 0."""
    zero = TURNED[text]
    for x in (zero * (1.0 + 1e-12), 7.0 * zero * (1.0 - 1e-13)):
        assert not is_wrong(text, (x,))
    for x in (zero, -zero, 7.0 * zero) if zero != 5 / 6 else ():
        for found in results(text, (x,)):
            assert abs(found[0]) < 1e-300


@pytest.mark.parametrize("pole", [0.5, -0.5, 1.5])
@pytest.mark.parametrize("text", ["tan(pi*x*{})", "tan(x*{}*pi)*x + 1"])
def test_tangents_of_parts_of_a_turn_have_their_poles(text: str, pole: float) -> None:
    """There is no value there, as of sin(pi*x)/cos(pi*x), and all digits beside it."""
    for scale in (1.0, 0.25):
        of = text.format(scale)
        for x in (pole / scale * (1.0 + 1e-12), pole / scale * (1.0 - 1e-10)):
            assert not is_wrong(of, (x,))
        with pytest.raises(gradc.DomainError, match="is infinite"):
            gradc.compile(of)(pole / scale)


@pytest.mark.parametrize("small", [0.0, 1e-17, -3e-12])
@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("x*cos(pi*t) - y*sin(pi*t)", 0.5),
        ("x*cos(pi*t/180) + y*sin(pi*t/180)", 270.0),
        ("y*cos(pi*t) - x*sin(pi*t)", -1.0),
        ("y + x*sin(2*pi*t)", 0.5),
    ],
)
def test_a_rotation_by_right_angles_is_exact(
    text: str, turn: float, small: float
) -> None:
    """What is turned into nothing adds nothing to what is tiny."""
    for found in results(f"input x, y, t\n{text}", (1.0, small, turn)):
        assert abs(found[0]) == pytest.approx(abs(small), rel=1e-9, abs=1e-300)


RIGHT = math.pi / 2  # the nearest float


@pytest.mark.parametrize("x", [RIGHT, -RIGHT, 2 * RIGHT, RIGHT * (1 + 1e-9)])
@pytest.mark.parametrize(
    "text",
    [
        "log(1 + cos(x))",
        "log(tan(x/2)^2)",
        "1/cos(x) - tan(x)",
        "acos(sin(x))",
        "log(2 - sin(x)^2)",
        "sin(x) + sin(3*x)",
    ],
)
def test_angles_may_be_next_to_right_ones(text: str, x: float) -> None:
    assert not is_wrong(text, (x,))


@pytest.mark.parametrize("side", range(3))
def test_what_is_tested_of_one_input_is_tested_of_its_likes(side: int) -> None:
    """Each side of a needle may be the long one, each entry of a vector the small one."""
    heron = "s = (a + b + c)/2; sqrt(s*(s - a)*(s - b)*(s - c))"
    others = [1.1, 0.7]
    for gap in (1e-7, 1e-11, 1e-13):
        point = [*others[:side], sum(others) - gap, *others[side:]]
        assert not is_wrong(heron, tuple(point))
    triplet = gradc.compile(
        "input a[3], p[3], n[3]\nrelu(sum((a - p)^2) - sum((a - n)^2) + 1/5)"
    )
    p, n = [3.0] * 3, [0.1] * 3
    p[side] = 1e-17
    assert triplet.value_and_grad([0.0] * 3, p, n)[1][1][side] == 2e-17


@pytest.mark.parametrize("gap", [1e-7, -1e-10, 1e-13])
@pytest.mark.parametrize(
    "text", ["x*y + x", "x/(x*y + x)", "exp(y) + y*exp(y)", "x*exp(y) + x*y*exp(y)"]
)
def test_an_input_may_be_next_to_minus_one(text: str, gap: float) -> None:
    point = (3.3, gap - 1.0) if "x*" in text or "x/" in text else (gap - 1.0,)
    assert not is_wrong(text, point)


@pytest.mark.parametrize("pair", [(0, 1), (1, 2), late((0, 2))])
@pytest.mark.parametrize("numbers", [3, late(4)])
def test_standard_scores_keep_their_digits_next_to_ties(
    numbers: int, pair: tuple[int, int]
) -> None:
    """Of three numbers the slope by the one that is scored is 0 if the others tie.

    The root of a third is no float, and would leave more of the slope than there is.
    """
    names = "vwxyz"[:numbers]
    squares = " + ".join(f"({name} - m)^2" for name in names)
    mean = f"m = ({' + '.join(names)})/{numbers}"
    for divisor, gap in product((numbers, numbers - 1), (1e-4, -2e-8, 1e-12)):
        point = [1.3, 2.7, 0.4, 0.9, 2.1][:numbers]
        point[pair[1]] = point[pair[0]] * (1.0 + gap)
        text = f"{mean}; s = sqrt(({squares})/{divisor})\n({names[0]} - m)/s"
        assert not is_wrong(text, (*point,)), (divisor, gap)


@pytest.mark.parametrize("gap", [0.0, 1e-9])
@pytest.mark.parametrize(
    "text",
    [
        "log(x^r + y^r)",
        late("log(x^r + y^r + (y/2)^r)/r"),
        "(y^r + x^r)^(1/r)",
        late("(x^r + y^r)^(s/r)"),
        late("a*(x^r - y^r)^(1/r)"),
        "log2(x - y^r)",
    ],
)
@pytest.mark.some(4)
def test_one_term_may_be_next_to_1_and_the_others_tiny(text: str, gap: float) -> None:
    """A sum of powers is then next to 1, its logarithm as small as they are."""
    names = gradc.compile(text).inputs
    for y, r in ((0.1, 20.0), (0.5, 60.0), (1e-10, 2.0)):
        at = {"x": 1.0 + gap, "y": y, "r": r, "s": 1.3, "a": 0.7}
        assert not is_wrong(text, tuple(at[name] for name in names)), at


@pytest.mark.parametrize(
    "text",
    [
        "input p, q; (1 - p^q - (1 - p)^q)/(q - 1)",
        late("input p, q; log((1 - p)^q + p^q)/(1 - q)"),
    ],
)
@pytest.mark.parametrize("ks", [(6, 10, 14), late((8, 12))])
def test_what_loses_digits_by_their_squares_is_found_further_out(
    text: str, ks: Sequence[int]
) -> None:
    """A quotient loses some next to where it is 0/0, and its slope twice as many."""
    for k in ks:
        for p, sign in ((0.3, 1.0), (0.8, -1.0)):
            assert not is_wrong(text, (p, 1.0 + sign * 10.0 ** (-k / 3))), (p, k)


@pytest.mark.parametrize(
    "text",
    [
        "sin(n*x/2)/sin(x/2)",
        late("a*sin(n*x/2)^2/sin(x/2)^2"),
        late("sin(n*x)/sin(x/2) - a"),
    ],
)
@pytest.mark.parametrize("factors", [(2.0, 5.0, 2.0), late((5.0, 2.0, 5.0))])
def test_whole_multiples_of_a_turn_keep_their_digits(
    text: str, factors: Sequence[float]
) -> None:
    """The sine of n*x vanishes where that of x does, if n is whole."""
    names = gradc.compile(text).inputs
    for n, gap in zip(factors, (1e-6, -3e-9, 2e-13)):
        at = {"n": n, "x": 2.0 * math.pi * (1.0 + gap), "a": 0.7}
        assert not is_wrong(text, tuple(at[name] for name in names)), at


# Densities, with where they are largest by all inputs but the first.
MODES: dict[str, Callable[..., float]] = {
    "input x, a; x^(a - 1)*exp(-x)/gamma(a)": lambda a: a - 1.0,
    "input x, a, b; b^a/gamma(a)*x^(a - 1)*exp(-b*x)": lambda a, b: (a - 1.0) / b,
    "input x, k, t; x^(k - 1)*exp(-x/t)/(gamma(k)*t^k)": lambda k, t: (k - 1.0) * t,
    "input x, k; x^(k/2 - 1)*exp(-x/2)/(2^(k/2)*gamma(k/2))": lambda k: k - 2.0,
    "input x, a, b; x^(a - 1)*(1 - x)^(b - 1)/beta(a, b)": (
        lambda a, b: (a - 1.0) / (a + b - 2.0)
    ),
    "input p, k, m; 3*p^k*(1 - p)^m": lambda k, m: k / (k + m),
    "input p, k, n; p^k*(1 - p)^(n - k)": lambda k, n: k / n,
    "input a, k; a^k/gamma(k + 1)*exp(-a)": lambda k: k,
}


@pytest.mark.parametrize("text", [*[*MODES][:1], *map(late, [*MODES][1:])])
def test_next_to_their_modes_densities_keep_the_digits_of_slopes(text: str) -> None:
    mode = MODES[text]
    for others, gap in product(((3.3, 4.6), (20.0, 21.7)), (-3e-5, 2e-9, 1e-12)):
        some = others[: mode.__code__.co_argcount]
        assert not is_wrong(text, (mode(*some) * (1.0 + gap), *some)), (some, gap)
