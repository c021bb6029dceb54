"""Linear regression: the line through (1, 2), (2, 4) and (3, 6)."""

from __future__ import annotations

from pictures import curves
from training import compare, options

from gradc import Value, nn

POINTS = [(1, 2), (2, 4), (3, 6)]


def loss(weights):
    slope, offset = weights
    return sum((slope * x + offset - y) ** 2 for x, y in POINTS)


def main() -> None:
    given = options(__doc__, steps=800)
    weights = [Value(0.0), Value(0.0)]
    runs = compare(loss, weights, lambda p: nn.SGD(p, rate=0.01), [{}] * given.steps)
    slope, offset = (w.data for w in weights)
    print(f"y = {slope:.2f}x {'-' if offset < 0 else '+'} {abs(offset):.2f}")
    curves({"Value": runs[0].losses, "compiled": runs[1].losses}, given.picture)


if __name__ == "__main__":
    main()
