"""What the benchmark prints: tables, a file of numbers, a picture."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """A title, a heading, lines of text, and remarks that belong below them."""

    title: str
    heading: Sequence[str]
    lines: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default=())

    def __str__(self) -> str:
        rows = [self.heading, *self.lines]
        widths = [max(len(row[k]) for row in rows) for k in range(len(self.heading))]
        text = [self.title, "=" * len(self.title)]
        for row in rows:
            first, *rest = [
                cell.rjust(width) if k else cell.ljust(width)
                for k, (cell, width) in enumerate(zip(row, widths))
            ]
            text.append("  ".join([first, *rest]).rstrip())
        return "\n".join([*text, *self.notes])


def machine() -> dict[str, str]:
    """The machine, as far as the numbers depend on its kind."""
    return {
        "cores": str(os.cpu_count()),
        "architecture": platform.machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
