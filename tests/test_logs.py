"""The laws of `logs`: values stay as accurate, and undefined where they are."""

from random import Random

import pytest

from gradc import compile
from gradc.checking.witness import Witness
from gradc.ir import Program, verify
from gradc.language.lower import read
from gradc.passes.logs import logs

mpmath = pytest.importorskip("mpmath")

ADDED = {
    "input x in [2, 3], y in [0.5, 3]\nlog(x) + log(1.5 + y^2)": 1,
    "input x, y in [-3, 3]\n0.5*(log(2 + x^2) + log(3 + y^2) + log(2 + exp(x)))": 1,
    "input x, y in [1.5, 3]\n(sqrt(x) + sqrt(y))*x - 2*log(x) - 2*log(y)": 1,
    "input x, y in [0.1, 0.5]\nsqrt(x)*sqrt(y) + log(x) + log(y)": 1,
    "input x, y in [2, 3]\nsqrt(x)*sqrt(y) - (log(x) - x)/2 - (y + log(y))/2": 1,
    "input x, y in [2, 3]\nsqrt(y) + log(x) + 2*log(1 + x^2) + log(y)": 2,
}
LEFT = [
    "log(x) + log(y)",
    "input x, y in [2, 3]\nlog(x) + log(y)",  # both may be negative
    "input x, y in [1.1, 3]\nsqrt(x)*sqrt(y) + log(x) + log(y)",  # near 1
    "input x in [0.1, 0.5], y in [2, 3]\nsqrt(x) + log(x) + log(y)",  # may meet at 1
    "input x, y in [2, 3]\nsqrt(x)*sqrt(y) + log(x) + 2*log(y)",
    "input x, y in [2, 3]\nsqrt(x)*sqrt(y) + log(x)*log(y) + log(y)",
    "input x, y in [2, 1e200]\nsqrt(x)*sqrt(y) + log(x) + log(y)",
    "input x, y in [2, 3]\nwhere(x > y, sqrt(x)*sqrt(y), y) + log(x) + log(y)",
]


def count(program: Program) -> int:
    return sum(node[0] == "log" for node in program.nodes)


@pytest.mark.parametrize("text", ADDED)
def test_logarithms_are_added_up(text: str) -> None:
    program = read(text)
    after = verify(logs(program))
    assert count(after) == ADDED[text] and logs(after) == after
    assert ("const", 0.0) not in after.nodes
    random, old, new = Random(text), Witness(program), Witness(after)
    code = compile(text)
    for _ in range(50):
        point = {}
        for item in program.inputs:
            assert item.low is not None and item.high is not None
            point[item.name] = random.uniform(item.low, item.high)
        true = old.value(point)
        assert abs(true - new.value(point)) <= abs(true) * mpmath.mpf(10) ** -40
        size = abs(true) + abs(mpmath.log(2))
        assert abs(code(**point) - true) <= size * mpmath.mpf(2) ** -50


@pytest.mark.parametrize("text", LEFT)
def test_other_logarithms_are_left(text: str) -> None:
    program = read(text)
    assert logs(program) is program


@pytest.mark.parametrize("text", ADDED)
def test_what_is_undefined_stays_undefined(text: str) -> None:
    program = read(text)
    after, random = logs(program), Random(text)
    for _ in range(50):
        point = {item.name: random.uniform(-3.0, 3.0) for item in program.inputs}
        before = Witness(program).value(point)
        assert (before is None) == (Witness(after).value(point) is None)
