"""The bound on the rounding error of the value, against certified numbers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from statistics import median
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.errors import GradcError
from tests.strategies import DYADIC, FINE, formula

pytest.importorskip("flint")
from gradc.checking.certified import Witness  # noqa: E402

# What turns where a rounding decides, which no slope tells: named in the manual. The
# sign of -0.0 is none of a certain number.
STEPS = {"floor", "ceil", "trunc", "round", "mod", "fmod", "remainder", "ties", "sign"}
ROWS = [row for row in FINE if row.name not in {*STEPS, "atan2", "copysign"}]
CONSTANTS = (*DYADIC, "0.1", "1e-3", "7.3", "pi", "e", "1e5")


def errors(seed: int) -> Iterator[tuple[Fraction, Fraction, bool]]:
    """The true errors of the value of a random formula at some points, and bounds.

    The last is whether it is broken where no rounding can turn a comparison.
    """
    drawn = formula(random := Random(seed), rows=ROWS, constants=CONSTANTS, lines=3)
    try:
        f = gradc.compile(drawn.text, emit="error")
    except GradcError as error:  # a constant without a value
        assert error.kind == "DomainMistake"
        return
    witness = Witness(f.written, 2e9)
    for point in drawn.points(random, 8):
        try:
            value, _, bound = f.value_grad_and_error(*[point[x] for x in f.inputs])
        except GradcError:
            continue
        point = {name: point[name] for name in f.inputs}
        there = witness.at(point)
        truth = there.truth()
        if isinstance(truth, Fraction) and there.is_promised():
            true = abs(Fraction(value) - truth)
            true *= true > abs(truth) / 2**80  # as far as the truth is known
            if is_broken := true > 2 * Fraction(bound):
                if f.certified(**point).conventions:
                    continue
                is_broken = (
                    there.explains(f.written, point, 0, value, truth) is not None
                )
            yield true, Fraction(bound), is_broken


def law(count: int, start: int) -> None:
    found, seed = list[tuple[Fraction, Fraction, bool]](), start
    while len(found) < count:
        found += dict.fromkeys(errors(seed := seed + 1))  # a constant is one point
    broken = [steady for true, bound, steady in found if 2 * bound < true]
    assert len(broken) <= len(found) / 500
    assert sum(broken) <= len(found) / 2000
    assert median(bound / true for true, bound, _ in found if true) <= 30


def test_the_bound_holds_and_is_near() -> None:
    law(300, 0)


@pytest.mark.long
def test_the_bound_holds_at_many_points() -> None:
    law(20_000, 1_000_000)


FORMULAS: list[tuple[str, list[Any]]] = [
    ("x*sin(y) + exp(-x^2/2)", [1.0, 2.0]),
    ("where(x > 0, log(x)*y, exp(x/3))", [-1.0, 2.0]),
    ("sigmoid(x)*logsumexp(x, y, 1)", [1.0, 2.0]),
    ("x*jv(2/3, y)", [1.0, 2.0]),
    ("input w[3], b; sum(w^3)/b", [[1.0, 2.0, 3.0], 7.0]),
    ("input x, y; return [x*y/3, x + y, 2]", [1.0, 2.0]),
    ("input w[2, 2]; return a = w @ w, b = sum(w)/3", [[[1.0, 2.0], [3.0, 4.0]]]),
]


@pytest.mark.parametrize(("text", "point"), FORMULAS)
@pytest.mark.parametrize(
    "options", [{}, {"flat": True}, {"outside": "nan"}, {"strict": True}]
)
def test_what_stands_beside_it_is_the_same(
    text: str, point: list[Any], options: Any
) -> None:
    f = gradc.compile(text, emit="error", **options)
    plain = gradc.compile(text, **options)
    args = [[*leaves(point)]] if options.get("flat") else point
    value, slopes, bound = f.value_grad_and_error(*args)
    several = "value_and_jacobian" in plain.functions
    call = plain.value_and_jacobian if several else plain.value_and_grad
    assert (value, slopes) == call(*args) and value == f(*args)
    assert len([*leaves([bound])]) == len([*leaves([value])])
    assert f.certified(*args).gradient is not None
    f.check().require()


@pytest.mark.parametrize(
    "text", ["x", "-x", "2*x/8", "max(x, abs(y))", "where(x > y, x, 4*y)", "x^1*1"]
)
def test_what_is_exact_adds_nothing(text: str) -> None:
    f = gradc.compile(text, inputs=["x", "y"], emit="error")
    assert f.value_grad_and_error(3.0, 3.0)[2] == 0.0


def test_only_the_side_that_is_taken_counts() -> None:
    f = gradc.compile("where(x > 0, log(x), x)", emit="error")
    assert f.value_grad_and_error(-1.0) == (-1.0, (1.0,), 0.0)
    assert f.value_grad_and_error(8.0)[2] > 0.0


def test_it_grows_with_the_formula() -> None:
    def size(steps: int) -> int:
        text = "\n".join(f"v{k + 1} = sin(v{k})*x" for k in range(steps))
        f = gradc.compile(f"v0 = x\n{text}\nv{steps}", emit="error")
        return len(f.functions["value_grad_and_error"].program.nodes)

    assert size(80) - size(40) <= 2.1 * (size(40) - size(20))
