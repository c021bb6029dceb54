"""Draws what there is to see, if matplotlib is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

Point = Sequence[float]


def _plot(draw: Callable[[Any], None], file: str | None) -> None:
    if file is None:
        return
    if not find_spec("matplotlib"):
        print("no picture: matplotlib is not installed")
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4), layout="constrained")
    draw(figure.add_subplot())
    figure.savefig(file, dpi=150)
    print(f"drawn to {file}")


def curves(losses: dict[str, Sequence[float]], file: str | None) -> None:
    """Loss curves over the steps, those behind drawn broader."""

    def draw(axes: Any) -> None:
        for k, (name, values) in enumerate(losses.items()):
            axes.plot(values, label=name, linewidth=4 - 3 * min(k, 1))
        axes.set(xlabel="step", ylabel="loss", yscale="log")
        axes.legend()

    _plot(draw, file)


def regions(
    side: Callable[[Point], float],
    points: Sequence[Point],
    labels: Sequence[float],
    file: str | None,
    cells: int = 60,
) -> None:
    """The plane coloured by what a model says, and the points that it learned from."""
    low, high = (
        [extreme(p[k] for p in points) for k in (0, 1)] for extreme in (min, max)
    )
    span = [1.4 * (b - a) for a, b in zip(low, high)]
    start = [(a + b - s) / 2 for a, b, s in zip(low, high, span)]

    def at(k: int, i: int) -> float:
        return start[k] + span[k] * (i + 0.5) / cells

    def draw(axes: Any) -> None:
        grid = [
            [side((at(0, i), at(1, j))) for i in range(cells)] for j in range(cells)
        ]
        ends = [(a, a + s) for a, s in zip(start, span)]
        axes.imshow(
            grid, origin="lower", extent=(*ends[0], *ends[1]), alpha=0.6, aspect="auto"
        )
        axes.scatter(*zip(*points), c=labels, edgecolors="black")

    _plot(draw, file)
