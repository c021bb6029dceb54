"""Neural networks over `Value`, as small as micrograd's; losses and optimisers.

>>> from gradc import Value, nn
>>> model = nn.MLP(2, [4, 1], activation="tanh")
>>> len(model.parameters())
17

A model calls the methods of its numbers and nothing else, so it runs on `Value`, on
what `gradc.trace` records, and on `Value`s of `Value`s.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from gradc.value import Value

ACTIVATIONS = ("relu", "tanh", "sigmoid")


class Module:
    """What has parameters."""

    def parameters(self) -> list[Any]:
        """All the parameters, in a fixed order."""
        return []

    def zero_grad(self) -> None:
        """Set the gradients of all parameters to zero."""
        for p in self.parameters():
            p.grad = 0

    def using(self, parameters: Sequence[Any]) -> Any:
        """The same model with other parameters, in the order of `parameters()`.

        Raises:
            ValueError: there are more or fewer of them.
        """
        own = self.parameters()
        if len(parameters) != len(own):
            raise ValueError(f"{len(parameters)} parameters for a model of {len(own)}")
        return deepcopy(self, {id(p): new for p, new in zip(own, parameters)})


class Neuron(Module):
    """A weighted sum of `nin` inputs and a bias, then the activation if `nonlin`.

    Weights are drawn uniformly from [-1, 1) with `random`; the bias starts at 0.
    """

    def __init__(self, nin: int, nonlin: bool = True, activation: str = "relu") -> None:
        if activation not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            raise ValueError(f"no activation '{activation}'; there are {known}")
        self.w: list[Any] = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b: Any = Value(0)
        self.nonlin = nonlin
        self.activation = activation

    def __call__(self, x: Sequence[Any]) -> Any:
        act = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)
        return getattr(act, self.activation)() if self.nonlin else act

    def parameters(self) -> list[Any]:
        return [*self.w, self.b]

    def __repr__(self) -> str:
        kind = {"relu": "ReLU", "tanh": "Tanh", "sigmoid": "Sigmoid"}[self.activation]
        return f"{kind if self.nonlin else 'Linear'}Neuron({len(self.w)})"


class Layer(Module):
    """`nout` neurons on the same inputs; one alone returns a number, not a list."""

    def __init__(self, nin: int, nout: int, **options: Any) -> None:
        self.neurons = [Neuron(nin, **options) for _ in range(nout)]

    def __call__(self, x: Sequence[Any]) -> Any:
        out = [n(x) for n in self.neurons]
        return out[0] if len(out) == 1 else out

    def parameters(self) -> list[Any]:
        return [p for n in self.neurons for p in n.parameters()]

    def __repr__(self) -> str:
        return f"Layer of [{', '.join(str(n) for n in self.neurons)}]"


class MLP(Module):
    """Layers one after the other, all but the last with the activation."""

    def __init__(self, nin: int, nouts: Sequence[int], **options: Any) -> None:
        sizes = [nin, *nouts]
        last = len(nouts) - 1
        self.layers = [
            Layer(sizes[i], sizes[i + 1], nonlin=i != last, **options)
            for i in range(len(nouts))
        ]

    def __call__(self, x: Sequence[Any]) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self) -> list[Any]:
        return [p for layer in self.layers for p in layer.parameters()]

    def __repr__(self) -> str:
        return f"MLP of [{', '.join(str(layer) for layer in self.layers)}]"


# ---- losses


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
    if len(xs) != len(ys) or not xs:
        raise ValueError(f"{len(xs)} outputs for {len(ys)} targets")
    first, *losses = map(loss, xs, ys)
    return sum(losses, first) * (1.0 / len(xs))


# ---- optimisers


class _Optimiser:
    """Moves parameters against their gradient."""

    def __init__(self, parameters: Sequence[Value], rate: float) -> None:
        self.parameters = list(parameters)
        self.rate = rate
        self._steps = 0
        self._known = [(0.0, 0.0)] * len(self.parameters)  # averages of the gradient

    def step(self, gradient: Sequence[float] | None = None) -> None:
        """Move the parameters, by their own `grad` or by a compiled function's."""
        slopes = [p.grad for p in self.parameters] if gradient is None else gradient
        if len(slopes) != len(self.parameters):
            counts = f"{len(slopes)} for {len(self.parameters)}"
            raise ValueError(f"a gradient of {counts} parameters")
        self._steps += 1
        for i, (p, g) in enumerate(zip(self.parameters, slopes)):
            p.data -= self.rate * self._move(i, g)

    def _move(self, i: int, g: float) -> float:
        raise NotImplementedError


class SGD(_Optimiser):
    """Gradient descent, with momentum if it is not 0.

    v <- momentum*v + gradient;  parameter <- parameter - rate*v
    """

    def __init__(
        self, parameters: Sequence[Value], rate: float, momentum: float = 0.0
    ) -> None:
        super().__init__(parameters, rate)
        self.momentum = momentum

    def _move(self, i: int, g: float) -> float:
        v = self.momentum * self._known[i][0] + g
        self._known[i] = v, 0.0
        return v


class Adam(_Optimiser):
    """Adam (Kingma and Ba, 2015, algorithm 1), with both moments corrected."""

    def __init__(
        self,
        parameters: Sequence[Value],
        rate: float = 0.001,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ) -> None:
        super().__init__(parameters, rate)
        self.betas = betas
        self.eps = eps

    def _move(self, i: int, g: float) -> float:
        (b1, b2), (m, v) = self.betas, self._known[i]
        m, v = self._known[i] = b1 * m + (1.0 - b1) * g, b2 * v + (1.0 - b2) * g * g
        size = math.sqrt(v / (1.0 - b2**self._steps)) + self.eps
        return m / (1.0 - b1**self._steps) / size
