"""The laws of the passes: legal programs, the same meaning, the right derivatives.

`derive` keeps the value bit for bit. `gather` and `share` keep every output as a real number, but
for the rounding of the constants that it combines: where none had to be rounded, it is
exact in fractions and in 60 digits. Derivatives are compared with difference quotients in 60 digits.
"""

import math
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from mpmath import mp, mpf

import gradc
from gradc import ir
from gradc.ir import Program
from gradc.ops import OPS, Op
from gradc.passes.expand import expand
from gradc.passes.gather import gather
from gradc.passes.negate import negate
from gradc.passes.share import share
from gradc.run import arithmetic, evaluate
from tests.conftest import Case, check, read
from tests.strategies import (
    DYADIC,
    FINE,
    POWERS_OF_TWO,
    RATIONAL,
    SMOOTH,
    SPECIAL,
    Formula,
    Point,
    differentiated,
    folds_exactly,
    formula,
    formulas,
    law,
    needed,
    precise,
    written,
    verify,
)

DIGITS = 60
STEP = mpf(10) ** -15
BIG = 1e30  # the digits beyond it that are left for a difference by STEP


def operations(program: Program) -> int:
    return sum(node[0] not in ("const", "input") for node in program.nodes)


def outputs(program: Program, point: Point) -> list[str] | None:
    """The outputs as the bits of floats, None where the formula is not defined."""
    try:
        return [float(x).hex() for x in evaluate(program, point)]
    except (ArithmeticError, ValueError, TypeError):
        return None


# ---- every pass


@law
@given(formulas())
def test_passes_keep_programs_legal_and_the_value(
    drawn: tuple[Formula, Random],
) -> None:
    formula, random = drawn
    program = verify(read(formula.text))
    derived = verify(differentiated(program))
    gathered = verify(gather(derived))
    verify(share(gathered))
    verify(differentiated(gathered))
    assert len(derived.outputs) == 1 + len(program.inputs)
    for point in formula.points(random):
        value, both = outputs(program, point), outputs(derived, point)
        if both is not None:
            assert value == both[:1], point


@law
@given(formulas(lines=2))
def test_compacting_changes_nothing(drawn: tuple[Formula, Random]) -> None:
    formula, random = drawn
    derived = differentiated(read(formula.text))
    compact = verify(ir.compact(derived))
    assert ir.listing(ir.compact(compact)) == ir.listing(compact)
    for point in formula.points(random):
        assert outputs(derived, point) == outputs(compact, point)


# ---- what makes the program faster


def rewritten(program: Program, large: bool = False) -> Program:
    """The program after the passes that save work, if asked for as if it were large."""
    with pytest.MonkeyPatch.context() as patch:
        if large:
            pass
        return negate(share(gather(expand(program))))


def show(case: Case) -> str:
    gathered = gather(expand(differentiated(read(case.source))))
    return ir.listing(verify(share(verify(gathered))))


def test_golden(bless: bool) -> None:
    check("gather", show, bless)


@pytest.mark.parametrize("row", ["sigmoid", "softplus"])
@pytest.mark.parametrize("argument", ["pi", "-pi", "e", "2", "x + pi", "x"])
def test_expanding_changes_no_bit_of_a_constant(row: str, argument: str) -> None:
    program = read(f"input x in [0, 1]; {row}({argument})")
    found = verify(expand(program, strict=True))
    point = {"x": 0.484375}
    assert outputs(program, point) == outputs(found, point)


@law
@given(formulas())
def test_expanding_changes_no_bit(drawn: tuple[Formula, Random]) -> None:
    found, random = drawn
    derived = differentiated(read(found.text))
    expanded = verify(expand(derived, strict=True))
    for point in found.points(random):
        assert outputs(derived, point) == outputs(expanded, point), point


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("row", [row for row in OPS if row.is_written_out], ids=str)
def test_steps_are_the_row_bit_for_bit(row: Op, sign: str) -> None:
    program = read(written(row, [sign + name for name in row.params]))
    random = Random(1)
    ordinary = [random.uniform(-50.0, 50.0) for _ in range(300)]
    for x in (*ordinary, *SPECIAL, 709.0, 745.2, -745.2, math.inf, -math.inf):
        point = dict.fromkeys(row.params, x)
        assert outputs(program, point) == outputs(expand(program), point), x


@pytest.mark.parametrize("large", [False, True])
@law
@given(drawn=formulas(rows=FINE, constants=DYADIC, lines=3))
def test_rewriting_keeps_the_real_function(
    drawn: tuple[Formula, Random], large: bool
) -> None:
    found, random = drawn
    derived = differentiated(read(found.text))
    gathered = verify(rewritten(derived, large))
    digits = DIGITS - 8 if folds_exactly(derived, gathered) else 13
    with mp.workdps(DIGITS):
        for point in found.points(random, 2):
            before, after = precise(derived, point), precise(gathered, point)
            if before is None or after is None:
                continue
            size = max(before[1], after[1], 1)
            for x, y in zip(before[0], after[0]):
                assert abs(x - y) <= size * mpf(10) ** -digits, point


@law
@given(drawn=formulas())
def test_what_a_program_costs_depends_on_no_order(
    drawn: tuple[Formula, Random],
) -> None:
    """Or forms would tie on one Python, whose sums are exact, and not on another."""
    found, random = drawn
    leaf = ("input", "x")
    program = read(found.text)
    operations = [node[0] for node in program.nodes]
    nodes = [(op, 0) for op in operations * 3 if op not in ("input", "const")]
    shuffled = random.sample(nodes, len(nodes))
    one, other = (replace(program, nodes=(leaf, *n)) for n in (nodes, shuffled))
    assert one.cost == other.cost


@pytest.mark.parametrize("large", [False, True])
@settings(law, max_examples=60)
@given(drawn=formulas(rows=RATIONAL, constants=POWERS_OF_TWO, lines=6))
def test_rewriting_is_exact_on_fractions(
    drawn: tuple[Formula, Random], large: bool
) -> None:
    compare_fractions(*drawn, large)


@pytest.mark.long
@pytest.mark.parametrize("large", [False, True])
@law
@given(drawn=formulas(rows=RATIONAL, constants=POWERS_OF_TWO, lines=6))
def test_rewriting_is_exact_on_many_fractions(
    drawn: tuple[Formula, Random], large: bool
) -> None:
    compare_fractions(*drawn, large)


def compare_fractions(found: Formula, random: Random, large: bool) -> None:
    derived = differentiated(read(found.text))
    gathered = rewritten(derived, large)

    def compute(row: Op) -> Any:
        return arithmetic(Fraction(1)).compute(row)

    for point in found.points(random):
        try:
            before = needed(derived, point, compute, Fraction)
        except ZeroDivisionError:
            continue
        after = needed(gathered, point, compute, Fraction)
        if folds_exactly(gathered):
            for i, j in zip(derived.outputs, gathered.outputs):
                assert before[i] == after[j], point


def powers(random: Random) -> str:
    """A formula of powers of one base, which meet in many ways in its derivatives."""
    base = random.choice("tanh(x*y) x*y sin(x)*y x+y exp(x-y) sqrt(x*y) x/y".split())
    total = ""
    for _ in range(random.randint(2, 4)):
        n = random.randint(1, 4)
        power = random.choice([f"u^{n}", "*".join("u" * n)])
        number = random.choice(["1", "2", "3", "4", "0.5"])
        part = random.choice([f"{number}*{power}", f"{number}/({power})"])
        total += random.choice("+-") + part + random.choice(["", "*x", "*z", "/y"])
    before = random.choice(["z*", "-2*z*(x*y)*", "", "1/"])
    return f"u = {base}\nq = {total}\n{before}q{random.choice(['', '+q*u', '-x*q'])}"


@pytest.mark.parametrize(
    ("seed", "count"),
    [
        (2000, 20),
        pytest.param(2001, 80, marks=pytest.mark.long),
    ],
)
def test_rewriting_keeps_sums_of_powers(seed: int, count: int) -> None:
    random, defined = Random(seed), 0
    for _ in range(count):
        text = powers(random)
        plain, strict = gradc.compile(text), gradc.compile(text, strict=True)
        point = [random.uniform(0.3, 1.7) for _ in plain.inputs]
        try:
            value, gradient = strict.value_and_grad(*point)
        except gradc.DomainError:  # as 1/q where the terms of q cancel for all inputs
            continue
        defined += 1
        size = max(map(abs, (value, *gradient)))
        found, slopes = plain.value_and_grad(*point)
        for one, other in zip((found, *slopes), (value, *gradient), strict=True):
            assert abs(one - other) <= 1e-8 * size, (text, point)
    assert defined >= 0.98 * count - 1


def product(random: Random, depth: int) -> str:
    """A product, quotient or negative of others."""
    if not depth:
        return random.choice(("x", "y", "sin(x)", "cos(y)"))
    x, y = product(random, depth - 1), product(random, random.randrange(depth))
    return random.choice((f"(-{x})", f"({x}/{y})", f"({x}*{y})"))


@pytest.mark.parametrize("seed", range(40))
def test_products_share_whatever_their_signs(seed: int) -> None:
    """Minuses that no form has taken out, as where a condition was decided late."""
    random = Random(seed)
    before = read(" + ".join(f"exp(-{product(random, 4)})" for _ in range(4)))
    after, point = verify(share(before)), {"x": 0.75, "y": 1.25}
    assert evaluate(after, point) == pytest.approx(evaluate(before, point), rel=1e-12)


def test_roots_of_roots_meet_their_squares() -> None:
    compiled = gradc.compile("s = sqrt(x)\nr = sqrt(s)\nr*r*y/s")
    assert compiled.grad(2.0, 3.0) == (0.0, 1.0)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x)*sqrt(x)*y*y",
        "sqrt(x)^2",
        "(2*sqrt(x))^2 + y",
        "x/sqrt(x)/sqrt(x)",
        "sqrt(x)*(y*sqrt(x))",
        "a = sqrt(x)\n(y*a)^2 + y",
    ],
)
def test_the_value_takes_its_roots(text: str, large: bool) -> None:
    after = rewritten(differentiated(read(f"input x, y\n{text}")), large)
    assert evaluate(after, {"x": 2.0, "y": 3.0})[0] > 0.0
    with pytest.raises(ValueError):
        evaluate(after, {"x": -2.0, "y": 3.0})


def test_a_long_gradient_takes_no_root_to_square_it() -> None:
    derived = differentiated(read("1/sqrt(x^2 + y^2)"))
    after = rewritten(derived, large=True)
    assert sum(node[0] == "sqrt" for node in after.nodes) == 1
    assert operations(after) <= operations(rewritten(derived)) + 1


@pytest.mark.long
def test_rewriting_saves_work() -> None:
    before, after = 0, 0
    for seed in range(300):
        drawn = formula(Random(seed), rows=RATIONAL, constants=POWERS_OF_TWO)
        derived = differentiated(read(drawn.text))
        old, new = operations(expand(derived)), operations(rewritten(derived))
        assert new <= old + 2, drawn.text
        before, after = before + old, after + new
    assert after < 0.95 * before


# ---- derive


def slopes(program: Program, point: Point, name: str) -> tuple[Any, Any] | None:
    """The difference quotients on both sides of a point, by one input."""
    here = precise(program, point)
    low, high = (
        precise(program, {**point, name: mpf(point[name]) + step})
        for step in (-STEP, STEP)
    )
    if here is None or low is None or high is None:
        return None
    if not here.taken == low.taken == high.taken:
        return None  # an edge of a conditional
    if here.size > BIG:
        return None  # the step is lost beside it
    (y,), (below,), (above,) = here.outputs, low.outputs, high.outputs
    return (y - below) / STEP, (above - y) / STEP


def compare_slopes(program: Program, derived: Program, point: Point) -> None:
    found = precise(derived, point)
    if found is None:
        return
    for k, item in enumerate(program.inputs):
        sides = slopes(program, point, item.name)
        if sides is None or abs(sides[0] - sides[1]) > 1e-6 * (1 + abs(sides[0])):
            continue  # a kink, or too steep to tell
        numeric = (sides[0] + sides[1]) / 2
        error = abs(numeric - found.outputs[k + 1])
        assert error <= 1e-9 * (1 + abs(numeric)), (item.name, point)


# By a tiny divisor these have steps that are finer than any difference.
REMAINDERS = frozenset({"mod", "fmod", "remainder"})
WITH_SLOPES = tuple(row for row in FINE if row.name not in REMAINDERS)


@law
@given(formulas(rows=WITH_SLOPES, lines=3))
def test_derivatives_are_slopes(drawn: tuple[Formula, Random]) -> None:
    formula, random = drawn
    program = read(formula.text)
    derived = differentiated(program)
    with mp.workdps(DIGITS):
        for point in formula.points(random, 3):
            compare_slopes(program, derived, point)


@law
@given(formulas(rows=SMOOTH, lines=1))
def test_second_derivatives_are_slopes(drawn: tuple[Formula, Random]) -> None:
    formula, random = drawn
    first = differentiated(read(formula.text))
    one = ir.Program(
        nodes=first.nodes,
        inputs=first.inputs,
        outputs=first.outputs[1:2],
        spans=first.spans,
        names=first.names,
        source=first.source,
    )
    second = verify(differentiated(one))
    with mp.workdps(DIGITS):
        for point in formula.points(random, 2):
            compare_slopes(one, second, point)


@pytest.mark.parametrize(
    "text, at, gradient",
    [
        ("abs(x)", 0.0, 0.0),
        ("max(x, 0)", 0.0, 0.5),
        ("relu(x)", 0.0, 0.0),
        ("x^0", 0.0, 0.0),
        ("where(x > 0, log(x), -x)", 0.0, -1.0),
        ("where(x > 0, sqrt(x), x)*where(x > 0, sqrt(x), x)", 0.0, 0.0),
        ("max(x, x, 3*x)", 0.0, 5 / 3),
        ("hypot(x, x)", 0.0, 0.0),
        ("where(x == 0, 1, sin(x)/x)", 0.0, 0.0),
    ],
)
def test_conventions_where_there_is_no_slope(
    text: str, at: float, gradient: float
) -> None:
    derived = differentiated(read(text))
    for program in (derived, rewritten(derived)):
        found = evaluate(program, {"x": at})[1]
        assert math.isclose(found, gradient, abs_tol=0.0), text


def test_a_derivative_passes_zero_where_the_adjoint_does() -> None:
    # A test `adjoint != 0` around the terms would cut the second derivative here.
    first = differentiated(read("where(x > -1, (x - 1)^2*log(x + 2), 0)"))
    one = ir.Program(
        nodes=first.nodes,
        inputs=first.inputs,
        outputs=first.outputs[1:],
        spans=first.spans,
        names=first.names,
        source=first.source,
    )
    value, second = evaluate(differentiated(one), {"x": 1.0})
    assert value == 0.0
    assert math.isclose(second, 2 * math.log(3), rel_tol=1e-15)
