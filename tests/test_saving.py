"""Laws of what saves work: the real function stays, and the module has less to do.

Programs are compared with what they were in 60 digits, gradients with `Witness`.
"""

from random import Random

import pytest

import gradc
from gradc.checking.witness import Witness
from gradc.costs import cost
from gradc.ir import Builder, Pass, Program, interned, verify
from gradc.language.lower import read
from gradc.passes.cancel import cancel
from gradc.passes.derive import derive, logarithmic
from gradc.passes.dissolve import Choices, Gatherer
from gradc.passes.exclude import exclude
from gradc.passes.expand import expand
from gradc.passes.exponentials import exponentials
from gradc.passes.gather import gather
from gradc.passes.lift import lift
from gradc.passes.share import share
from gradc.passes.sink import sink
from gradc.passes.stabilise import stabilise
from tests.benchmarks.count import count
from tests.strategies import numbers
from tests.test_everyday import FORMULAS

mpmath = pytest.importorskip("mpmath")

POINTS = 12
DIGITS = mpmath.mpf(10) ** -50

EXPONENTIALS = [
    "input x in [0.1, 5]; 1/(exp(x) - 1)",
    "input x in [-0.9, 5]; x*(exp(x) - 1)",
    "input x, y in [-2, 2]; exp(x) - exp(y)",
    "input x, y in [-3, 3]; y*exp(x) + exp(2*x)/(1 + y^2)",
    "input x, y in [-3, 3]; y*exp(2*x) + exp(4*x) + y^2*exp(x)",
    "input x, y in [-3, 3]; y*exp(x) + y^2*exp(-x)",
    "input x, y in [0.1, 3]; where(x > 1, exp(2*y), x*y)*exp(y)",
]
BRANCHES = [
    "input x, y in [0.1, 5]; (1 + x)^y",
    "input x, y, z in [0.1, 5]; z*(exp(-x*z) - exp(-y*z))/(x + y)",
    "input x, y in [0.1, 5]; where(x > y, x*(y + 1), y*(y + 1))",
    "input x, y in [0.1, 5]; where(x > y, x/(y + 1), -(3/(y + 1)))*x",
    "input x, y in [0.1, 5]; where(x > y, x*y, y)*where(x > y, x, y*y)",
    "input x, y in [0.1, 5]; where(x > y, sin(x)*x, sin(x) + y) - where(x > y, 1, x)",
    "input x, y in [0.1, 5]; x/where(x > y, x, y^2) + y/where(x > y, x*y, 3)",
    "input x, y in [0.5, 2]; log(x/y)*x + y*log(y/x)",
]
PRODUCTS = [
    "input a, b, c, d in [1, 2]; a*b^2*sqrt(c)/d^3",
    "input a, b, c in [-3, -1]; a^3*b/c",
    "input a, b, c in [1, 2], z in [-1, 1]; (a*b*z^2/c - 2)^2",
    "input a, b, c in [1, 2], x, y in [-1, 1]; a*b/c*(x - y) + c*b",
    "input a, b in [1, 2], t in [0, 3]; a*b^1.5*exp(-b*t)*t",
    "input a, b in [1, 2]; data k in [-2, 2]; -(k*a*b^2/4) + where(a > b, a*b*k^2, b)",
    "input a, b, c in [1, 2]; sqrt(a*b/c)*a^b",
]


def points(program: Program) -> list[dict[str, float]]:
    """Points in the domains of a program."""
    draw = Random(program.source.text)
    bounds = [(item.name, item.low, item.high) for item in program.inputs]
    return [
        {name: draw.uniform(low or 0.0, high or 0.0) for name, low, high in bounds}
        for _ in range(POINTS)
    ]


def derived(text: str) -> Program:
    program = stabilise(read(text))
    names = [item.name for item in program.inputs if item.kind == "input"]
    return interned(cancel(derive(program, names)))


def assert_equal(before: Program, after: Program) -> None:
    """The outputs are the same real numbers."""
    with mpmath.mp.workdps(60):
        for point in points(before):
            old, new = numbers(before, point), numbers(after, point)
            assert old is not None and new is not None
            for i, j in zip(before.outputs, after.outputs, strict=True):
                assert abs(old[i] - new[j]) <= abs(old[i]) * DIGITS, point


@pytest.mark.parametrize(
    ("run", "text"),
    [
        *((exponentials, text) for text in EXPONENTIALS),
        *((run, text) for run in (sink, lift) for text in BRANCHES),
    ],
)
def test_passes_keep_the_function(run: Pass, text: str) -> None:
    before = derived(text)
    after = verify(run(before))
    assert_equal(before, after)
    assert verify(run(after)).nodes == after.nodes


@pytest.mark.parametrize("text", PRODUCTS)
def test_products_have_the_same_derivatives(text: str) -> None:
    program = read(text)
    names = [item.name for item in program.inputs if item.kind == "input"]
    found = logarithmic(program, names)
    assert found is not None
    assert_equal(derive(program, names), verify(found))


@pytest.mark.parametrize("text", [*EXPONENTIALS, *BRANCHES, *PRODUCTS])
def test_gradients_are_right_to_the_last_digits(text: str) -> None:
    program = read(text)
    f, witness = gradc.compile(text), Witness(program)
    for point in points(program):
        value, slopes = f.value_and_grad(*point.values())
        exact = [witness.derivative(point, name) for name in f.wrt]
        assert abs(value - witness.value(point)) <= 1e-14 * max(1.0, abs(value))
        size = max(map(abs, exact))
        for slope, true in zip(slopes, exact, strict=True):
            assert abs(slope - true) <= 4e-14 * size, point


@pytest.mark.parametrize(
    "text",
    [
        "input a, b, c in [0, 2]; a*b*c",  # two may be 0
        "a*b*c",
        "input a, b in [1, 2]; a/b",
        "input a, b, c in [1, 1e200]; a*b*c",  # which might overflow
        "input a, b, c in [1e-200, 1]; a*b*c",
        "input a, b, z in [1, 2], t in [-1, 1]; a*b/t",
    ],
)
def test_other_products_are_derived_factor_by_factor(text: str) -> None:
    program = read(text)
    assert logarithmic(program, [item.name for item in program.inputs]) is None


def test_a_product_is_divided_by_its_factors() -> None:
    text = "input k, a, b, c, d in [1, 2]; data y; (k*a*b/(c*d) - y)^2"
    # 4 for the product, 2 for the value, 2 for what the derivatives share, 6 for these
    assert count(gradc.compile(text).source).operations <= 14


def test_work_that_no_input_changes_is_free() -> None:
    builder = Builder()
    x, two = builder.input("x"), builder.const(2.0)
    root = builder.add("sqrt", two)
    quotient = builder.add("div", root, builder.const(3.0))
    before = cost(builder.nodes)
    assert before == 0.0
    builder.add("mul", quotient, x)
    assert cost(builder.nodes) > 0.0


@pytest.mark.parametrize(
    "row", ["sigmoid(x)", "softplus(x)", "softplus(-x)", "sigmoid(-x)"]
)
def test_steps_of_moderate_arguments_ask_for_no_sign(row: str) -> None:
    wide, narrow = (read(f"input x in [-{size}, {size}]; {row}") for size in (800, 30))
    assert "where" in expand(wide).operations
    assert "where" not in expand(narrow).operations
    assert "where" in expand(narrow, strict=True).operations
    f, witness = gradc.compile(narrow.source.text), Witness(narrow)
    for x in range(-30, 31):
        point = {"x": float(x)}
        value, (slope,) = f.value_and_grad(float(x))
        assert abs(value - witness.value(point)) <= 4e-16 * value
        true = witness.derivative(point, "x")
        assert abs(slope - true) <= 1e-15 * abs(true)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("input x in [1, 2], y in [-1, 1]; hypot(x, y)", False),
        ("input x in [-1, 1], y in [-1, 1]; hypot(x, y)", True),
        ("input x, y in [-0.5, 0.5]; y*tanh(x)", False),
        ("input x, y in [-2, 2]; y*tanh(x)", True),
        ("input x, y in [1, 2]; where(x > 0, x^2, y)", True),  # the formula's own
        ("input x, y in [1, 2]; where(x > 0 and y > 0, x^2*y, 1) + y", True),
        ("input x in [2, 3], y in [0, 1]; max(x, y)", True),  # a kink
        ("input x in [2, 3], y, z in [0, 1]; max(x, y, z)", True),
        ("input x in [1, 2]; x + relu(x)", True),
    ],
)
def test_derivatives_ask_for_what_the_domains_leave_open(text: str, left: bool) -> None:
    program = read(text)
    derived = interned(derive(program, [item.name for item in program.inputs]))
    after = verify(exclude(derived))
    assert ("where" in after.operations) == left
    assert_equal(derived, after)


def test_one_exponential_serves_both_signs() -> None:
    text = "input x, y in [-9, 9]; sigmoid(x)*y + sigmoid(-x)*y^2"
    assert gradc.compile(text).source.partition("careful")[0].count("exp(") == 1
    text = "input x in [-9, 9]; softplus(-x)*sigmoid(x)"
    assert gradc.compile(text).source.partition("careful")[0].count("exp(") == 1


def test_squares_of_sine_and_cosine_add_up() -> None:
    text = "input x, y in [1, 2]; y*x*cos(y)*cos(y) + y*x*sin(y)*sin(y)"
    program = read(text)
    after = gather(share(program))
    assert_equal(program, after)
    assert not {"sin", "cos"} & {
        after.nodes[i][0] for i, on in enumerate(after.alive) if on
    }


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        # the factor of a shared product, and of another term of a sum that reads it
        (
            "input v, w, k, l in [1, 2]; data s, p in [1, 2];"
            " ((v*s/k - w*p/l)/(1 + s/k + p/l) - p)^2",
            21,
        ),
        # a divisor that a shared product has and its reader multiplies by
        ("input w, t in [0.5, 3]; 1/(w^5*(exp(2.4/(w*t)) - 1))", 17),
    ],
)
def test_factors_that_meet_are_left_to_the_readers(text: str, operations: int) -> None:
    assert count(gradc.compile(text).source).operations <= operations


@pytest.mark.parametrize(
    ("text", "low", "needed"),
    [
        ("(1 - exp(-x))/x", 0.05, False),
        ("(1 - exp(-x))/x", 0.005, True),
        ("(x - sin(x))/x^3", 0.2, True),  # which loses digits sooner
        ("x/(exp(x) - 1)", 0.1, False),
        ("1/x - 1/tan(x)", 0.1, True),
    ],
)
def test_a_series_is_left_out_where_few_digits_are_lost(
    text: str, low: float, needed: bool
) -> None:
    f = gradc.compile(f"input x in [{low}, 5]; {text}")
    assert ("where" in f.functions["value"].program.operations) == needed
    witness = Witness(f.program)
    for k in range(40):
        x = low * (1.0 + 0.01 * k)
        value, (slope,) = f.value_and_grad(x)
        true = witness.value({"x": x}), witness.derivative({"x": x}, "x")
        assert abs(value - true[0]) <= 2.0**-47 * abs(value)
        assert abs(slope - true[1]) <= 2.0**-42 * abs(slope)


@pytest.mark.parametrize("opens", [False, True])
def test_coefficients_are_left_to_readers_only_where_some_are_held(opens: bool) -> None:
    choices = Choices(squares=True, reuse=True, opens=opens)
    held = []
    for program in map(derived, FORMULAS[::3]):
        keeping = Gatherer(program, choices)
        leaving = Gatherer(program, choices._replace(keep=frozenset()))
        same = keeping.run().nodes == leaving.run().nodes
        held.append(keeping.writer.holds)
        assert same or held[-1], program
    assert {True, False} == {*held}
