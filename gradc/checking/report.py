"""What the self-check found, as an object, as text, and for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gradc.checking.points import Point
from gradc.errors import GradcError, mistake, point_text


@dataclass(frozen=True)
class Errors:
    """The errors of one output in units in the last place, and where the worst is."""

    median: float
    worst: float
    where: Point


@dataclass
class Report:
    """What the check found.

    Attributes:
        outputs: the names of what was checked: value, then d/dx for each derivative.
        points: at how many points.
        undecided: at how many of them nothing can be said of some output.
        mistakes: an error for each result that is wrong, the first first.
        notes: what else the user should know.
        errors: for each output its errors, measured in the thorough form only.
    """

    outputs: tuple[str, ...]
    points: int = 0
    undecided: int = 0
    mistakes: list[GradcError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: dict[str, Errors] = field(default_factory=dict)

    def add(self, other: Report) -> None:
        """Take in what the check of another function of the module found.

        It is no mistake that one has no point to be tried at, if others have.
        """
        self.outputs += tuple(filter(None, other.outputs))
        if other.points or not self.points:
            self.mistakes += other.mistakes
        self.points = max(self.points, other.points)
        self.undecided = max(self.undecided, other.undecided)
        self.notes += [note for note in other.notes if note not in self.notes]
        self.errors |= {name: e for name, e in other.errors.items() if name}

    @property
    def ok(self) -> bool:
        """Whether no mistake was found."""
        return not self.mistakes

    def limit(self, ulp: float) -> None:
        """Count errors of more than so many units in the last place as mistakes."""
        for name, e in self.errors.items():
            if not e.worst <= ulp:
                names: dict[str, Any] = {
                    "what": name,
                    "ulp": e.worst,
                    "place": point_text(e.where),
                }
                self.mistakes.append(mistake("check_inaccurate", limit=ulp, **names))

    def require(self) -> None:
        """Raise the first mistake.

        Raises:
            GradcError: the compiled code is wrong, or there is no point to try it at.
        """
        if self.mistakes:
            raise self.mistakes[0]

    def lines(self) -> list[str]:
        """The report as text, with a table of the errors if they were measured."""
        points = f"{self.points} point{'' if self.points == 1 else 's'}"
        undecided = f" ({self.undecided} undecided)" if self.undecided else ""
        found = "no mistake found"
        if self.mistakes:
            found = f"wrong\n{self.mistakes[0]}"
        return [f"{points}{undecided}: {found}", *self._table(), *self.notes]

    def _table(self) -> list[str]:
        if not self.errors:
            return []
        rows = [("error in ulp", "median", "worst", "at")]
        for name, e in self.errors.items():
            numbers = (f"{e.median:.2f}", f"{e.worst:.2f}")
            rows.append((name, *numbers, point_text(e.where)))
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        return [
            f"{name:<{widths[0]}}  {median:>{widths[1]}}  {worst:>{widths[2]}}  {where}"
            for name, median, worst, where in rows
        ]

    def as_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        return {
            "points": self.points,
            "undecided": self.undecided,
            "mistakes": [str(mistake) for mistake in self.mistakes],
            "notes": list(self.notes),
            "ulp": {
                name: {"median": e.median, "worst": e.worst, "where": dict(e.where)}
                for name, e in self.errors.items()
            },
        }
