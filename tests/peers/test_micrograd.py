"""micrograd itself: programs written against its Value run unchanged, and agree."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from gradc.value import Value

engine = pytest.importorskip("micrograd.engine")
nn = pytest.importorskip("micrograd.nn")


def sanity(value: Any) -> list[Any]:
    x = value(-4.0)
    z = 2 * x + 2 + x
    q = z.relu() + z * x
    h = (z * z).relu()
    y = h + q + q * x
    y.backward()
    return [y.data, x.grad, repr(value(1.0))]


def more(value: Any) -> list[Any]:
    a, b = value(-4.0), value(2.0)
    c = a + b
    d = a * b + b**3
    c += c + 1
    c += 1 + c + (-a)
    d += d * 2 + (b + a).relu()
    d += 3 * d + (b - a).relu()
    e = c - d
    f = e**2
    g = f / 2.0
    g += 10.0 / f
    g.backward()
    return [g.data, a.grad, b.grad, c.grad]


def training(value: Any) -> list[Any]:
    random.seed(1337)
    saved, nn.Value = nn.Value, value
    try:
        model = nn.MLP(2, [4, 4, 1])
    finally:
        nn.Value = saved
    points = [(0.5, -1.2, 1.0), (-0.3, 0.8, -1.0), (1.1, 0.4, -1.0)]
    losses = []
    for _ in range(5):
        terms = [(1 + -t * model([value(x), y])).relu() for x, y, t in points]
        loss = sum(terms) * (1.0 / len(terms))
        loss += 1e-4 * sum(p * p for p in model.parameters())
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= 0.1 * p.grad
        losses.append(loss.data)
    return losses


@pytest.mark.parametrize("program", [sanity, more, training])
def test_same_program(program: Callable[[Any], list[Any]]) -> None:
    for found, wanted in zip(program(Value), program(engine.Value)):
        if isinstance(wanted, float):
            wanted = pytest.approx(wanted, rel=1e-12)
        assert found == wanted
