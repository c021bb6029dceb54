"""Worked examples with known figures, by the compiler and by `Value`."""

from collections.abc import Callable, Sequence

import pytest

import gradc
from gradc import Value

Gradient = tuple[float, tuple[float, ...]]
Engine = Callable[[str, Sequence[str], Sequence[float]], Gradient]


def by_compiler(formula: str, names: Sequence[str], point: Sequence[float]) -> Gradient:
    """Compile the formula and call it."""
    compiled = gradc.compile(formula, inputs=list(names))
    return compiled.value_and_grad(*point)


def by_value(formula: str, names: Sequence[str], point: Sequence[float]) -> Gradient:
    """Run the formula, which is Python too, on `Value`."""
    leaves = {name: Value(number) for name, number in zip(names, point)}
    *bindings, result = formula.split("\n")
    scope = dict(leaves)
    exec("\n".join(bindings), {}, scope)
    out = eval(result, {}, scope)
    out.backward()
    return out.data, tuple(leaf.grad for leaf in leaves.values())


WORKED = {
    "(a*b + c)**2": ("abc", (2.0, 3.0, 1.0), 49.0, (42.0, 28.0, 14.0)),
    "x*y + x": ("xy", (2.0, 3.0), 8.0, (4.0, 2.0)),
    # through w also by way of y, so x counts twice
    "y = w*x\ny + x**2": ("xw", (2.0, 2.0), 8.0, (6.0, 2.0)),
    "(w*x - 2)**2": ("wx", (0.0, 1.0), 4.0, (-4.0, 0.0)),
}


@pytest.fixture(params=[by_compiler, by_value])
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.param


@pytest.mark.parametrize("formula", WORKED)
def test_known_figures(engine: Engine, formula: str) -> None:
    names, point, value, grad = WORKED[formula]
    assert engine(formula, names, point) == (value, grad)


def test_descent_of_a_parabola(engine: Engine) -> None:
    formula = "((w1 - 1)**2 + (w2 - 5)**2)*0.5"
    w1, w2, losses = 2.0, 3.0, []
    for _ in range(10):
        loss, (d1, d2) = engine(formula, ("w1", "w2"), (w1, w2))
        losses.append(f"{loss:.4f}")
        w1, w2 = w1 - 0.5 * d1, w2 - 0.5 * d2
    assert losses[:4] == ["2.5000", "0.6250", "0.1562", "0.0391"]
    assert losses[4:8] == ["0.0098", "0.0024", "0.0006", "0.0002"]
    assert (f"{w1:.4f}", f"{w2:.4f}") == ("1.0010", "4.9980")
