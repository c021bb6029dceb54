"""Laws of `regroup`: sums share their parts, and no difference loses digits by it."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from gradc import compile
from gradc.costs import cost
from gradc.evaluate import evaluate
from gradc.ir import Program, listing, verify
from gradc.language.lower import read
from gradc.passes.expand import expand
from gradc.passes.gather import gather
from gradc.passes.negate import negate
from gradc.passes.regroup import regroup
from gradc.passes.share import share
from tests.benchmarks.count import count
from tests.conftest import Case, check
from tests.strategies import differentiated, numbers

mpmath = pytest.importorskip("mpmath")

ULP = 2.0**-53
ROOM = 8  # times the error of a formula as it is written


def gathered(text: str) -> Program:
    return share(gather(expand(differentiated(read(text)))))


def exact(program: Program, point: Mapping[str, float]) -> list[Any]:
    """The outputs in many digits."""
    values = numbers(program, {**point})
    assert values is not None
    return [values[i] for i in program.outputs]


def error(x: float, true: Any) -> Any:
    """How far a number is from the true one, as a part of that."""
    return abs(x - true) / abs(true) if true else abs(x)


def show(case: Case) -> str:
    return listing(verify(regroup(gathered(case.source))))


def test_golden(bless: bool) -> None:
    check("regroup", show, bless)


@pytest.mark.parametrize("joints", [2, 3, 7])
def test_chain_takes_three_operations_for_each_derivative(joints: int) -> None:
    links = range(joints)
    lines = [f"input {', '.join(f'q{k}' for k in links)} in [-1, 1]"]
    lines += [f"data {', '.join(f'l{k}' for k in links)}, x, y in [0.5, 1]"]
    lines += [f"a{k} = {' + '.join(f'q{j}' for j in range(k + 1))}" for k in links]
    for name, function in (("dx", "cos"), ("dy", "sin")):
        terms = " + ".join(f"l{k}*{function}(a{k})" for k in links)
        lines.append(f"{name} = {terms} - {name[1]}")
    source = compile("\n".join([*lines, "dx^2 + dy^2"])).source
    forward = (joints - 1) + 2 * joints + 2 * joints
    assert count(source).operations == forward + 3 + 2 + 3 * joints


FUNCTIONS = [
    "s = exp(x + y) + y - exp(x); s^3 + s*z",
    "s = x - y + exp(u + v) + exp(u); s^2",
    "a = x*sin(u) + y*sin(u + v) - z; b = x*cos(u) + y*cos(u + v) - w; a^2 + b^2",
    "where(x > 0, (exp(u + v) - x + exp(u))^2, u*v)",
]


@pytest.mark.parametrize("text", FUNCTIONS)
def test_regrouped_sums_are_the_same_function(text: str) -> None:
    before = gathered(text)
    after = verify(regroup(before))
    assert cost(after.nodes) < cost(before.nodes)
    assert regroup(after) is after
    draw = Random(text)
    for _ in range(8):
        point = {item.name: draw.uniform(-2, 2) for item in before.inputs}
        with mpmath.workdps(60):
            for x, y in zip(exact(before, point), exact(after, point), strict=True):
                assert abs(x - y) <= abs(x) * mpmath.mpf(10) ** -40


# ---- what is exact stays so


@pytest.mark.parametrize("term", ["x", "2*x", "(x - z)", "where(z > 0, x, y)"])
def test_what_may_be_exact_keeps_its_place(term: str) -> None:
    """`x - y` may be exact; a rounded term is no more exact where it comes first."""
    text = "return w*{0}, w*{0} + w*exp(u), {0} - y + exp(u)"
    program, other = (
        share(gather(expand(read(text.format(x))))) for x in (term, "sin(x)")
    )
    assert regroup(program) is program
    assert regroup(other) is not other


SMALL, LARGE = 2.0**-30, 2.0**40
# formulas, and points where a difference in them is small and exact
DIFFERENCES: list[tuple[str, Mapping[str, float]]] = [
    ("s = x - y + exp(u + v) + exp(u); s^2*w", {"x": LARGE + 1, "u": -20.0}),
    ("s = exp(u + v) + (x - y) + exp(u); s^2*w", {"x": LARGE + 1, "u": -20.0}),
    ("s = x - y - exp(u + v) - exp(u); s^2*w", {"x": LARGE + 1, "u": -30.0}),
    ("s = x - y + w*v + w*u; s^2*exp(v + u)", {"x": LARGE + 1, "u": SMALL}),
    ("w*(x - y) + w*(u + v)", {"x": LARGE + 1, "u": SMALL, "w": 3.0}),
    ("w*x*(1 - x/y) + w*x*u", {"x": LARGE + 1, "u": SMALL}),
    ("2*(x*u - 0.5*w) + w*(x - y)", {"x": LARGE + 1, "u": SMALL, "w": SMALL}),
    ("w*(erf(1 + w*x) - erf(1 + w*v))", {"x": 1.0, "v": 1.0 - SMALL, "w": 1.0}),
    ("w*(erf(1 + w*x) - erf(1 + w*v))", {"x": 1.0, "v": 0.5, "w": SMALL}),
    ("4*(0.25*sin(x - y) - u)^2*w", {"x": LARGE + 1, "u": 0.21}),
]


@pytest.mark.parametrize(("text", "special"), DIFFERENCES)
def test_no_difference_loses_its_digits(
    text: str, special: Mapping[str, float]
) -> None:
    """What work is saved by costs no more than a few roundings of what was there."""
    written = expand(differentiated(read(text)))
    steps = [share(gather(written)), regroup(share(gather(written)))]
    steps.append(negate(steps[-1]))
    point = {item.name: 1.0 for item in written.inputs} | {"y": LARGE} | {**special}
    point = {item.name: point[item.name] for item in written.inputs}
    with mpmath.workdps(60):
        true = exact(written, point)
        room = [
            ROOM * error(x, t) + ROOM * ULP
            for x, t in zip(evaluate(written, point), true)
        ]
        for program in steps:
            for x, t, most in zip(evaluate(program, point), true, room, strict=True):
                assert error(x, t) <= most
