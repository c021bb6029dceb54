"""Gradient descent on a bowl, ((w1 - 1)^2 + (w2 - 5)^2)*0.5, down to (1, 5)."""

from __future__ import annotations

from pictures import curves
from training import compare, options

from gradc import Value, nn


def loss(weights):
    w1, w2 = weights
    return ((w1 - 1) ** 2 + (w2 - 5) ** 2) * 0.5


def main() -> None:
    given = options(__doc__, steps=100)
    w = [Value(0.0), Value(0.0)]
    runs = compare(loss, w, lambda p: nn.SGD(p, rate=0.1), [{}] * given.steps)
    print(f"w1 = {w[0].data:.4f}, w2 = {w[1].data:.4f}")
    curves({"Value": runs[0].losses, "compiled": runs[1].losses}, given.picture)


if __name__ == "__main__":
    main()
