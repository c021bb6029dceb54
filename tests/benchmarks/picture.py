"""The picture: ratios of the generated code, time and memory of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.benchmarks.building import Build
from tests.benchmarks.generated import Row


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw the parts that were measured, side by side."""
    panels: list[Callable[[Any], None]] = []
    if "generated" in found:
        panels.append(lambda axes: ratios(axes, found["generated"]))
    if "builds" in found:
        panels.append(lambda axes: growth(axes, found["builds"], "seconds"))
        panels.append(lambda axes: growth(axes, found["builds"], "peak"))
    if not panels:
        return
    library: Any = import_module("matplotlib.figure")
    size = (5.5 * len(panels), 4.5)
    figure = library.Figure(figsize=size, layout="constrained")
    for panel, axes in zip(panels, figure.subplots(1, len(panels), squeeze=False)[0]):
        panel(axes)
    figure.savefig(path, dpi=120)


def ratios(axes: Any, rows: list[Row]) -> None:
    """A bar a case, against the line at which the expert stands."""
    names = [row.name for row in reversed(rows)]
    axes.barh(names, [row.ratio for row in reversed(rows)], color="tab:blue")
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_title("generated / hand-written, time of a call")


def growth(axes: Any, builds: list[Build], what: str) -> None:
    """Time or memory over the size, both logarithmic, a line for a shape and side."""
    lines: dict[str, list[Build]] = {}
    for build in builds:
        lines.setdefault(f"{build.side}, {build.shape}", []).append(build)
    for label, points in lines.items():
        style = "-" if label.startswith("gradc") else "--"
        sizes = [build.size for build in points]
        axes.loglog(sizes, [getattr(b, what) for b in points], style, label=label)
    axes.set_xlabel("operations, terms, levels or inputs")
    title = "processor seconds" if what == "seconds" else "peak of the process, MB"
    axes.set_title(f"from text to functions: {title}")
    axes.legend()
