"""Networks: micrograd's programs run unchanged, and the formulas are the textbook's."""

import importlib.util
import math
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gradc
from gradc import Value, nn

POINTS = [[2.0, 3.0], [3.0, -1.0], [0.5, 1.0], [1.0, -1.0]]
LABELS = [1, -1, -1, 1]


def micrograd(name: str, changed: bool) -> ModuleType:
    """A module of micrograd, with its import of the engine changed or as it is."""
    spec = importlib.util.find_spec(f"micrograd.{name}")
    if spec is None or spec.origin is None:
        pytest.skip("micrograd is not installed")
    text = Path(spec.origin).read_text(encoding="utf-8")
    if changed:
        assert "from micrograd.engine import Value" in text
        text = text.replace("from micrograd.engine import", "from gradc import")
    module = ModuleType(f"{name}_{changed}")
    exec(text, module.__dict__)
    return module


def training(library: Any) -> list[float]:
    """micrograd's own way to train: hinge loss, a penalty, a falling rate."""
    random.seed(1337)
    model = library.MLP(2, [4, 4, 1])
    assert repr(model).startswith("MLP of [Layer of [ReLUNeuron(2), ReLUNeuron(2)")
    assert repr(model).endswith("Layer of [LinearNeuron(4)]]")
    found = []
    for k in range(20):
        scores = [model(x) for x in POINTS]
        losses = [(1 + -y * score).relu() for y, score in zip(LABELS, scores)]
        loss = sum(losses) * (1.0 / len(losses))
        loss += 1e-4 * sum(p * p for p in model.parameters())
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= (1.0 - 0.9 * k / 20) * p.grad
        found.append(loss.data)
    return found


def test_micrograds_networks_run_on_our_values() -> None:
    wanted = training(micrograd("nn", changed=False))
    assert training(micrograd("nn", changed=True)) == pytest.approx(wanted, rel=1e-12)


def test_programs_for_micrograds_networks_run_on_ours() -> None:
    wanted = training(micrograd("nn", changed=False))
    assert training(nn) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid", "softplus"])
@pytest.mark.parametrize("loss", ["mean_squared_error", "hinge", "cross_entropy"])
@pytest.mark.some(2)
def test_networks_compile(activation: str, loss: str) -> None:
    random.seed(3)
    targets = [1, 0, 0, 1] if loss == "cross_entropy" else LABELS
    outputs = 2 if loss == "cross_entropy" else 1
    model = nn.MLP(2, [3, outputs], activation=activation)
    parameters = model.parameters()

    def total(weights: Any, points: Any) -> Any:
        network = model.using(weights)
        return getattr(nn, loss)([network(point) for point in points], targets)

    compiled = gradc.trace(
        total, {"wrt": ["weights"]}, weights=parameters, points=POINTS
    )
    value, (slopes,) = compiled.value_and_grad([p.data for p in parameters], POINTS)
    wanted = total(parameters, POINTS)
    wanted.backward()
    assert value == pytest.approx(wanted.data, rel=1e-14)
    assert list(slopes) == pytest.approx([p.grad for p in parameters], rel=1e-12)
    compiled.check(points=4).require()


def test_a_model_with_other_parameters() -> None:
    model = nn.MLP(2, [2, 1], activation="tanh")
    before = [p.data for p in model.parameters()]
    other = model.using([0.5] * 9)
    assert other.parameters() == [0.5] * 9
    assert [p.data for p in model.parameters()] == before
    with pytest.raises(ValueError, match="shorter"):
        model.using([0.5] * 8)


def test_losses_are_the_textbooks() -> None:
    predictions, targets = [Value(0.5), Value(-2.0)], [1.0, 3.0]
    assert nn.mean_squared_error(predictions, targets).data == (0.25 + 25.0) / 2
    assert nn.hinge(predictions, [1, -1]).data == (0.5 + 0.0) / 2
    rows = [[Value(1.0), Value(2.0), Value(-1.0)], [Value(0.0), Value(0.0), Value(1.0)]]
    chances = [
        math.exp(row[k].data) / sum(math.exp(x.data) for x in row)
        for row, k in zip(rows, (1, 2))
    ]
    surprise = -sum(map(math.log, chances)) / 2
    assert nn.cross_entropy(rows, [1, 2]).data == pytest.approx(surprise, rel=1e-14)
    for loss in (nn.mean_squared_error, nn.hinge, nn.cross_entropy):
        with pytest.raises(ValueError, match="longer"):
            loss([[Value(1.0)]], [0, 1])


def steps(optimiser: Any, count: int) -> list[float]:
    """Where an optimiser goes on the slope x, from x = 1."""
    (p,) = optimiser.parameters
    found = []
    for _ in range(count):
        p.grad = p.data
        optimiser.step()
        found.append(p.data)
    return found


def test_optimisers_follow_their_formulas() -> None:
    assert steps(nn.SGD([Value(1.0)], rate=0.5), 2) == [0.5, 0.25]
    # v = 1, then 0.5 + 0.5
    assert steps(nn.SGD([Value(1.0)], rate=0.5, momentum=0.5), 2) == [0.5, 0.0]
    x, m, v = 1.0, 0.0, 0.0
    wanted = []
    for k in range(1, 6):
        m, v = 0.9 * m + 0.1 * x, 0.99 * v + 0.01 * x * x
        x -= 0.1 * (m / (1 - 0.9**k)) / (math.sqrt(v / (1 - 0.99**k)) + 1e-8)
        wanted.append(x)
    adam = nn.Adam([Value(1.0)], rate=0.1, betas=(0.9, 0.99))
    assert steps(adam, 5) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("kind", [nn.SGD, nn.Adam])
def test_a_compiled_gradient_moves_the_same(kind: Any) -> None:
    own, other = Value(1.0), Value(1.0)
    own.grad = 0.3
    kind([own], rate=0.1).step()
    optimiser = kind([other], rate=0.1)
    optimiser.step((0.3,))
    assert own.data == other.data
    with pytest.raises(ValueError, match="longer"):
        optimiser.step((0.3, 0.1))


def test_importing_gradc_leaves_the_networks_out() -> None:
    # the command line starts without what only programs need
    import subprocess

    code = "import gradc, sys; print(sorted(m for m in sys.modules if 'gradc.' in m))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    for name in ("nn", "record", "tracing", "value", "math"):
        assert f"'gradc.{name}'" not in found.stdout
