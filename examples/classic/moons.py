"""Two moons told apart by MLP(2, [16, 16, 1]) with a hinge loss, in mini-batches."""

from __future__ import annotations

import math
import random

from pictures import regions
from training import Batch, compare, options

from gradc import nn

BATCH = 20
DECAY = 1e-4  # of the weights, so that they stay small


def moons(count: int, noise: float = 0.1) -> list[tuple[tuple[float, float], int]]:
    """Points of two half circles, one hanging into the other, each with its label."""
    found = []
    for k in range(count):
        angle = math.pi * random.random()
        x, y, label = math.cos(angle), math.sin(angle), 1
        if k % 2:
            x, y, label = 1.0 - x, 0.5 - y, -1
        point = x + random.gauss(0.0, noise), y + random.gauss(0.0, noise)
        found.append((point, label))
    return found


def batches(data: list[tuple[tuple[float, float], int]], steps: int) -> list[Batch]:
    """Points and labels that enter the loss as data, drawn anew for each step."""
    found = []
    for _ in range(steps):
        points, labels = zip(*random.sample(data, BATCH))
        found.append({"points": list(map(list, points)), "labels": list(labels)})
    return found


def main() -> None:
    given = options(__doc__, steps=60)
    random.seed(1337)
    data = moons(100)
    model = nn.MLP(2, [16, 16, 1])

    def loss(weights, points, labels):
        network = model.using(weights)
        scores = [network(point) for point in points]
        return nn.hinge(scores, labels) + DECAY * sum(w * w for w in weights)

    compare(
        loss,
        model.parameters(),
        lambda p: nn.SGD(p, rate=0.1, momentum=0.8),
        batches(data, given.steps),
    )
    right = sum((model(point).data > 0) == (label > 0) for point, label in data)
    print(f"{right} of {len(data)} points are on the right side")
    points, labels = zip(*data)
    regions(lambda p: model(p).data > 0, points, labels, given.picture)


if __name__ == "__main__":
    main()
