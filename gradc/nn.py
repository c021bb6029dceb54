"""Neural networks over `Value`, as small as micrograd's; losses and optimisers.

>>> from gradc import Value, nn
>>> model = nn.MLP(2, [4, 1], activation="tanh")
>>> len(model.parameters())
17

A model calls the methods of its numbers and nothing else, so it runs on `Value`, on
what `gradc.trace` records, and on `Value`s of `Value`s.
"""

import math
import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from gradc.value import Value


class Module:
    """What has parameters: by default those of its parts, in a fixed order."""

    parts: Sequence["Module"] = ()

    def parameters(self) -> list[Any]:
        return [p for part in self.parts for p in part.parameters()]

    def zero_grad(self) -> None:
        """Set the gradients of all parameters to zero."""
        for p in self.parameters():
            p.grad = 0

    def using(self, parameters: Sequence[Any]) -> Any:
        """The same model with other parameters, in the order of `parameters()`."""
        ours = map(id, self.parameters())
        return deepcopy(self, dict(zip(ours, parameters, strict=True)))

    def __repr__(self) -> str:
        return f"{type(self).__name__} of [{', '.join(map(repr, self.parts))}]"


class Neuron(Module):
    """A weighted sum of `nin` inputs and a bias, then the activation if `nonlin`.

    The activation is any method of a number. Weights are drawn uniformly from [-1, 1)
    with `random`; the bias starts at 0.
    """

    def __init__(self, nin: int, nonlin: bool = True, activation: str = "relu") -> None:
        self.w: list[Any] = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b: Any = Value(0)
        self.nonlin, self.activation = nonlin, activation

    def __call__(self, x: Sequence[Any]) -> Any:
        act = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)
        return getattr(act, self.activation)() if self.nonlin else act

    def parameters(self) -> list[Any]:
        return [*self.w, self.b]

    def __repr__(self) -> str:
        kind = "ReLU" if self.activation == "relu" else self.activation.title()
        return f"{kind if self.nonlin else 'Linear'}Neuron({len(self.w)})"


class Layer(Module):
    """`nout` neurons on the same inputs; one alone returns a number, not a list."""

    def __init__(self, nin: int, nout: int, **options: Any) -> None:
        self.parts = self.neurons = [Neuron(nin, **options) for _ in range(nout)]

    def __call__(self, x: Sequence[Any]) -> Any:
        out = [n(x) for n in self.neurons]
        return out[0] if len(out) == 1 else out


class MLP(Module):
    """Layers one after the other, all but the last with the activation."""

    def __init__(self, nin: int, nouts: Sequence[int], **options: Any) -> None:
        pairs = enumerate(zip([nin, *nouts], nouts), 1)
        self.parts = self.layers = [
            Layer(*sizes, nonlin=i < len(nouts), **options) for i, sizes in pairs
        ]

    def __call__(self, x: Sequence[Any]) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


def mean_squared_error(predictions: Sequence[Any], targets: Sequence[Any]) -> Any:
    """The mean of (prediction - target)^2."""
    return _mean(predictions, targets, lambda p, t: (p - t) ** 2)


def hinge(scores: Sequence[Any], labels: Sequence[Any]) -> Any:
    """The mean of relu(1 - label*score), for labels -1 and 1."""
    return _mean(scores, labels, lambda s, y: (1 + -y * s).relu())


def cross_entropy(logits: Sequence[Sequence[Any]], targets: Sequence[int]) -> Any:
    """The mean of logsumexp(row) - row[target], the row's surprise at its target."""
    return _mean(logits, targets, lambda row, k: row[0].logsumexp(*row[1:]) - row[k])


def _mean(xs: Sequence[Any], ys: Sequence[Any], loss: Callable[..., Any]) -> Any:
    first, *losses = starmap(loss, [*zip(xs, ys, strict=True)])
    return sum(losses, first) * (1.0 / len(xs))


@dataclass
class SGD:
    """Gradient descent, with momentum if it is not 0.

    v <- momentum*v + gradient;  parameter <- parameter - rate*v
    """

    parameters: Sequence[Value]
    rate: float
    momentum: float = 0.0

    def __post_init__(self) -> None:
        self.v = [0.0] * len(self.parameters)

    def step(self, gradient: Sequence[float] | None = None) -> None:
        """Move the parameters, by their own `grad` or by a compiled function's."""
        for k, (p, slope) in enumerate(_slopes(self.parameters, gradient)):
            self.v[k] = self.momentum * self.v[k] + slope
            p.data -= self.rate * self.v[k]


@dataclass
class Adam:
    """Adam (Kingma and Ba, 2015, algorithm 1), with both moments corrected."""

    parameters: Sequence[Value]
    rate: float = 0.001
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8

    def __post_init__(self) -> None:
        self.steps, self.moments = 0, [(0.0, 0.0)] * len(self.parameters)

    def step(self, gradient: Sequence[float] | None = None) -> None:
        """Move the parameters, by their own `grad` or by a compiled function's."""
        self.steps += 1
        b1, b2 = self.betas
        for i, (p, g) in enumerate(_slopes(self.parameters, gradient)):
            m, v = self.moments[i]
            m, v = b1 * m + (1.0 - b1) * g, b2 * v + (1.0 - b2) * g * g
            self.moments[i] = m, v
            size = math.sqrt(v / (1.0 - b2**self.steps)) + self.eps
            p.data -= self.rate * (m / (1.0 - b1**self.steps)) / size


def _slopes(
    parameters: Sequence[Value], gradient: Sequence[float] | None
) -> list[tuple[Value, float]]:
    slopes = [p.grad for p in parameters] if gradient is None else gradient
    return [*zip(parameters, slopes, strict=True)]
