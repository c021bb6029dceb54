"""A small GPT that learns to spell names, a character at a time.

Each character has an embedding, each position another. One block follows: causal
attention with four heads, then a layer with relu, both on normed vectors and added to
what came in. The output is compared with a row for each letter. 4,064 parameters.

The loss of a name is recorded once for each length. The embeddings of the characters,
and the rows of those that come next, enter it as inputs, so that one recording serves
all names of the length.
"""

from __future__ import annotations

import random
from pathlib import Path
from time import perf_counter
from typing import Any

from pictures import curves
from training import Batch, Result, options, race

import gradc
from gradc import Value, math, nn

LETTERS = ".abcdefghijklmnopqrstuvwxyz"  # the first one begins and ends a name
WIDTH, HEADS, LONGEST = 16, 4, 7
HEAD = WIDTH // HEADS
TINY = 1e-5

SHAPES = {
    "token": (len(LETTERS), WIDTH),
    "position": (LONGEST + 1, WIDTH),
    "query": (WIDTH, WIDTH),
    "key": (WIDTH, WIDTH),
    "value": (WIDTH, WIDTH),
    "mix": (WIDTH, WIDTH),
    "widen": (4 * WIDTH, WIDTH),
    "narrow": (WIDTH, 4 * WIDTH),
    "letter": (len(LETTERS), WIDTH),
}
TABLES = ("token", "position")  # of which a name needs some rows only

Vector = list[Any]
Matrix = list[Vector]


# ---- the model, on numbers, Values and recorded values alike


def dot(x: Vector, y: Vector) -> Any:
    return sum((a * b for a, b in zip(x[1:], y[1:])), x[0] * y[0])


def linear(matrix: Matrix, x: Vector) -> Vector:
    return [dot(row, x) for row in matrix]


def add(x: Vector, y: Vector) -> Vector:
    return [a + b for a, b in zip(x, y)]


def normed(x: Vector) -> Vector:
    scale = 1.0 / math.sqrt(dot(x, x) / len(x) + TINY)
    return [a * scale for a in x]


def attention(query: Vector, keys: list[Vector], values: list[Vector]) -> Vector:
    """What one head takes from the positions so far."""
    scores = [dot(query, key) / HEAD**0.5 for key in keys]
    total = math.logsumexp(*scores)
    weights = [math.exp(score - total) for score in scores]
    return [dot(weights, list(column)) for column in zip(*values)]


def block(x: Vector, past: list[tuple[Vector, Vector]], w: dict[str, Matrix]) -> Vector:
    """The vector of a position after the block; its key and value join the past."""
    h = normed(x)
    query = linear(w["query"], h)
    past.append((linear(w["key"], h), linear(w["value"], h)))
    found = []
    for k in range(0, WIDTH, HEAD):
        head = slice(k, k + HEAD)
        keys, values = ([v[head] for v in column] for column in zip(*past))
        found += attention(query[head], keys, values)
    x = add(x, linear(w["mix"], found))
    h = [math.relu(a) for a in linear(w["widen"], normed(x))]
    return add(x, linear(w["narrow"], h))


def loss(tokens: Matrix, positions: Matrix, targets: Matrix, **w: Matrix) -> Any:
    """The mean surprise at the letters of a name, each from those before it."""
    past: list[tuple[Vector, Vector]] = []
    total = 0.0
    for token, position, target in zip(tokens, positions, targets):
        x = block(normed(add(token, position)), past, w)
        total += math.logsumexp(*linear(w["letter"], x)) - dot(target, x)
    return total / len(tokens)


# ---- its parameters


class Weights:
    """All matrices, and their elements in one list for the optimiser."""

    def __init__(self) -> None:
        self.matrices = {
            name: [[Value(random.gauss(0.0, 0.08)) for _ in range(n)] for _ in range(m)]
            for name, (m, n) in SHAPES.items()
        }
        self.flat = [p for m in self.matrices.values() for row in m for p in row]

    def inputs(self, ids: list[int]) -> dict[str, Matrix]:
        """The inputs of the loss for a name: rows of tables, and whole matrices."""
        tables = self.matrices
        return {
            "tokens": [tables["token"][i] for i in ids[:-1]],
            "positions": tables["position"][: len(ids) - 1],
            "targets": [tables["letter"][i] for i in ids[1:]],
            **{name: m for name, m in tables.items() if name not in TABLES},
        }


def numbers(matrix: Matrix) -> Matrix:
    return [[p.data for p in row] for row in matrix]


class ByValue:
    """The gradient of a name's loss by a graph of Values."""

    building = 0.0

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def __call__(self, parameters: list[Value], batch: Batch) -> Result:
        for p in parameters:
            p.grad = 0.0
        result = loss(**self.weights.inputs(batch["ids"]))
        result.backward()
        return result.data, [p.grad for p in parameters]


class Compiled:
    """The gradient by a compiled function for each length of names."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.functions: dict[int, gradc.Compiled] = {}
        self.building = 0.0

    def __call__(self, parameters: list[Value], batch: Batch) -> Result:
        ids = batch["ids"]
        inputs = self.weights.inputs(ids)
        point = [numbers(matrix) for matrix in inputs.values()]
        if len(ids) not in self.functions:
            start = perf_counter()
            shapes = {name: (len(m), len(m[0])) for name, m in inputs.items()}
            self.functions[len(ids)] = gradc.trace(loss, **shapes)
            self.building += perf_counter() - start
        result, slopes = self.functions[len(ids)].value_and_grad(*point)
        for p in parameters:
            p.grad = 0.0
        for matrix, slope in zip(inputs.values(), slopes):
            for row, own in zip(matrix, slope):
                for p, g in zip(row, own):
                    p.grad += g  # a row that is an input twice has two gradients
        return result, [p.grad for p in parameters]


# ---- names


def names(longest: int) -> list[list[int]]:
    """The names of the list up to a length, as numbers of letters."""
    text = (Path(__file__).parent / "names.txt").read_text(encoding="utf-8")
    short = [name for name in text.split() if len(name) <= longest]
    return [[LETTERS.index(letter) for letter in f".{name}."] for name in short]


def invented(weights: Weights, longest: int, temperature: float = 0.6) -> str:
    """A name, drawn a letter at a time."""
    w = {name: numbers(matrix) for name, matrix in weights.matrices.items()}
    past: list[tuple[Vector, Vector]] = []
    found, i = "", 0
    for position in w["position"][: longest + 1]:
        x = block(normed(add(w["token"][i], position)), past, w)
        scores = [s / temperature for s in linear(w["letter"], x)]
        total = math.logsumexp(*scores)
        chances = [math.exp(s - total) for s in scores]
        i = random.choices(range(len(LETTERS)), chances)[0]
        if i == 0:
            break
        found += LETTERS[i]
    return found


def main() -> None:
    given = options(
        __doc__,
        steps=400,
        both=(8, "steps that are taken by Value too"),
        longest=(4, "letters of a name at most, up to 7; each length is compiled"),
    )
    random.seed(42)
    weights = Weights()
    print(f"{len(weights.flat)} parameters")
    known = names(given.longest)
    batches = [{"ids": random.choice(known)} for _ in range(given.steps)]
    slow, fast = race(
        ByValue(weights),
        Compiled(weights),
        weights.flat,
        lambda p: nn.Adam(p, rate=0.01, betas=(0.85, 0.99)),
        batches,
        given.both,
    )
    tenth = max(given.steps // 10, 1)
    for k in range(0, given.steps, tenth):
        part = fast.losses[k : k + tenth]
        print(f"steps from {k:4} on: mean loss {sum(part) / len(part):.3f}")
    print("invented:", " ".join(invented(weights, given.longest) for _ in range(12)))
    curves({"compiled": fast.losses, "Value": slow.losses}, given.picture)


if __name__ == "__main__":
    main()
