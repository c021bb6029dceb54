"""XOR, which no single neuron can learn, by two small networks.

One has hidden layers of four and four with relu, the other a layer of four with tanh.
"""

from __future__ import annotations

import random
from pathlib import Path

from pictures import regions
from training import compare, options

from gradc import nn

POINTS = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
LABELS = [-1, 1, 1, -1]

# title, layers, activation, rate, seed
NETWORKS = [
    ("relu", [4, 4, 1], "relu", 0.1, 3),
    ("tanh", [4, 1], "tanh", 0.2, 1),
]


def main() -> None:
    given = options(__doc__, steps=300)
    for title, layers, activation, rate, seed in NETWORKS:
        random.seed(seed)
        model = nn.MLP(2, layers, activation=activation)

        def loss(weights):
            network = model.using(weights)
            scores = [network(point) for point in POINTS]
            return nn.mean_squared_error(scores, LABELS)

        print(f"MLP(2, {layers}) with {title}")
        batches = [{}] * given.steps
        compare(loss, model.parameters(), lambda p: nn.SGD(p, rate), batches)
        for point in POINTS:
            print(f"{point}: {model(point).data:7.4f}")
        print()
        file = None
        if given.picture:
            path = Path(given.picture)
            file = str(path.with_stem(f"{path.stem}_{title}"))
        regions(lambda p: model(p).data > 0, POINTS, LABELS, file)


if __name__ == "__main__":
    main()
