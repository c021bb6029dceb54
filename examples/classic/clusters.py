"""Three clusters told apart in mini-batches, with the cross-entropy as the loss.

Every batch has as many points of each class, in the same order. The targets are then
the same in all of them, and one recording serves every batch.
"""

from __future__ import annotations

import random

from pictures import regions
from training import Batch, compare, options

from gradc import nn

CENTRES = [(0.0, 1.0), (-1.0, -0.5), (1.0, -0.5)]
EACH = 5  # points of a class in a batch
TARGETS = [k for k in range(len(CENTRES)) for _ in range(EACH)]


def draw(k: int) -> list[float]:
    """A point of a class."""
    x, y = CENTRES[k]
    return [random.gauss(x, 0.4), random.gauss(y, 0.4)]


def batch() -> Batch:
    """New points of all the classes."""
    return {"points": [draw(k) for k in TARGETS]}


def main() -> None:
    given = options(__doc__, steps=100)
    random.seed(5)
    model = nn.MLP(2, [8, 3], activation="tanh")

    def loss(weights, points):
        network = model.using(weights)
        return nn.cross_entropy([network(point) for point in points], TARGETS)

    def best(point):
        logits = [logit.data for logit in model(point)]
        return logits.index(max(logits))

    batches = [batch() for _ in range(given.steps)]
    compare(loss, model.parameters(), lambda p: nn.Adam(p, rate=0.05), batches)
    fresh = [(draw(k), k) for k in TARGETS * 20]
    right = sum(best(point) == k for point, k in fresh)
    print(f"{right} of {len(fresh)} new points are told right")
    points, classes = zip(*fresh)
    regions(best, points, classes, given.picture)


if __name__ == "__main__":
    main()
