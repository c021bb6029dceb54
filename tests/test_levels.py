"""The laws of exponentials below the largest: shares, their logarithms, entropies.

What a softmax is shifted by is held constant in its derivatives; these are compared
with those of the same function without a shift, in 60 digits, at ties and far apart.
"""

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

import gradc
from gradc.checking.witness import Witness
from gradc.compiled import Compiled
from gradc.language.lower import read

mpmath = pytest.importorskip("mpmath")
mp = mpmath.mp

LEVELS = (0.0, -700.0, 1e5)
SPREADS = (0.0, 1e-9, 1.0, 30.0, 400.0)
COUNTS = (3, 4, 12)
ERROR = 4e-13  # the rounding of a difference below 400, and some terms
Numbers = Sequence[Any]
Function = Callable[[Numbers], Any]


def names(count: int) -> list[str]:
    return [f"x{k}" for k in range(count)]


def total(count: int) -> str:
    return " + ".join(f"exp({name})" for name in names(count))


def weighted(count: int) -> str:
    terms = [f"{k + 1}*exp({name})" for k, name in enumerate(names(count))]
    return f"2*exp(x1)/({' + '.join(terms)})"


def mean(count: int) -> str:
    terms = [f"{(-2) ** k}*exp({name})" for k, name in enumerate(names(count))]
    return f"s = {total(count)}\n" + " + ".join(f"{term}/s" for term in terms)


def exponentials(xs: Numbers) -> list[Any]:
    return [mp.exp(x) for x in xs]


SHARES: list[tuple[Callable[[int], str], Function]] = [
    (lambda n: f"exp(x0)/({total(n)})", lambda xs: mp.exp(xs[0]) / _sum(xs)),
    (
        weighted,
        lambda xs: 2
        * mp.exp(xs[1])
        / mp.fsum((k + 1) * e for k, e in enumerate(exponentials(xs))),
    ),
    (lambda n: f"log({total(n)})", lambda xs: mp.log(_sum(xs))),
    (lambda n: f"-log(exp(x0)/({total(n)}))", lambda xs: mp.log(_others(xs) + 1)),
    (
        lambda n: f"s = {total(n)}\np = exp(x0)/s\np*log(p)",
        lambda xs: -mp.log(_others(xs) + 1) / (_others(xs) + 1),
    ),
]


def _sum(xs: Numbers) -> Any:
    return mp.fsum(exponentials(xs))


def _others(xs: Numbers) -> Any:
    return mp.fsum(mp.exp(x - xs[0]) for x in xs[1:])


def points(count: int) -> list[list[float]]:
    """Logits that are equal, close together and far apart, around several levels."""
    draw = Random(count)
    found = [
        [level + draw.choice((0.0, 1.0, draw.random())) * spread for _ in names(count)]
        for level in LEVELS
        for spread in SPREADS
    ]
    return found


def close(found: float, true: Any, terms: float = 0.0) -> bool:
    """Whether a number is right, or both are below the smallest floats with digits.

    At a root of it, as that of p*q*(2*q - 1), it is measured by its terms.
    """
    return bool(abs(found - true) <= ERROR * max(abs(true), terms) + 1e-300)


def least(slopes: Sequence[float], *places: int) -> float:
    return min(abs(slopes[k]) for k in places)


def second(function: Function, xs: Numbers, i: int, j: int) -> Any:
    """A second derivative by differences in many digits."""
    h = mp.mpf(10) ** -60
    found = mp.mpf(0)
    for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        at = list(xs)
        at[i] += a * h
        at[j] += b * h
        found += a * b * function(at)
    return found / (4 * h * h)


def first(function: Function, xs: Numbers, i: int) -> Any:
    h = mp.mpf(10) ** -60
    up, down = ([*xs[:i], xs[i] + d, *xs[i + 1 :]] for d in (h, -h))
    return (function(up) - function(down)) / (2 * h)


def compiled(text: str, count: int, emit: str) -> Compiled:
    return gradc.compile(text, inputs=names(count), emit=emit)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("share", range(len(SHARES)))
@pytest.mark.some(3)
def test_values_and_derivatives_are_those_without_a_shift(
    share: int, count: int
) -> None:
    text, function = SHARES[share]
    second_too = count == 3
    emit = "value,gradient" + ",hessian" * second_too
    f = compiled(text(count), count, emit)
    wrong = []
    with mp.workdps(330):
        for point in points(count):
            xs = [mp.mpf(x) for x in point]
            value, slopes = f.value_and_grad(*point)
            pairs = [(value, function(xs), 0.0)]
            pairs += [(slopes[i], first(function, xs, i), 0.0) for i in range(count)]
            if second_too:
                *_, rows = f.value_grad_and_hessian(*point)
                pairs += [
                    (rows[i][j], second(function, xs, i, j), least(slopes, i, j))
                    for i in range(count)
                    for j in range(i + 1)
                ]
            wrong += [
                (point, x, float(y)) for x, y, terms in pairs if not close(x, y, terms)
            ]
    assert not wrong, wrong[:3]


@pytest.mark.parametrize("count", (3, 4, 8))
def test_a_share_asks_for_no_ties(count: int) -> None:
    """Its code is that of an expert: the largest, the exponentials, their sum."""
    for text in (f"exp(x0)/({total(count)})", weighted(count), mean(count)):
        source = compiled(text, count, "value,gradient").source
        assert "==" not in source.partition("\n\n\nIEEE")[0]


def test_what_is_held_has_no_derivative() -> None:
    f = gradc.compile("x*held(x)")
    assert f.value_and_grad(3.0) == (9.0, (3.0,))
    assert math.isclose(
        gradc.compile("exp(x - held(x))").value_and_grad(2.0)[1][0], 1.0
    )


@pytest.mark.parametrize(
    "text",
    [
        "exp(y)/(1 - exp(-x))",
        "x*exp(y)/(1 - exp(-x))",
        "exp(y)/(1 - exp(-x))/(1 - exp(-y))",
        "exp(x)/(exp(x) - exp(y))",
        "exp(x)/(exp(x) - 3*exp(y) + 1)",
        "exp(-x)*(1 - exp(-3*y))/(1 - exp(-x - y))",
    ],
)
def test_a_difference_is_no_share(text: str) -> None:
    """It vanishes somewhere, and is right on both sides of that."""
    f, witness = gradc.compile(text), Witness(read(text))
    draw = Random(text)
    for _ in range(40):
        point = {name: draw.choice((0.01, 1.0, 5.0)) for name in f.inputs}
        point = {n: x * draw.choice((1, -1)) * draw.random() for n, x in point.items()}
        value, slopes = f.value_and_grad(**point)
        assert math.isclose(value, witness.value(point), rel_tol=1e-12), point
        for name, slope in zip(f.wrt, slopes):
            true = witness.derivative(point, name)
            assert math.isclose(slope, true, rel_tol=1e-11, abs_tol=1e-300), point
