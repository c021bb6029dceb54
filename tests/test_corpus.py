"""What share of the points of each corpus comes out right: the floors of the compiler.

A failure prints the points that do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import gradc
from tests.corpus import Case, cases, complaints

FLOORS = {
    "feynman": 100.0,
    "scipy_opt": 100.0,
    "fpbench": 97.5,
    "nan_traps": 96.0,
    "reports": 99.0,
    "engineering": 95.0,
    "distributions": 95.0,
}
OFTEN = {
    "scipy_opt": 2,
    "fpbench": 3,
    "engineering": 3,
}  # one of so many, in short runs


def share(chosen: Sequence[Case]) -> float:
    """The percentage of points that come out right; what does not is printed."""
    met = wrong = 0
    for case in chosen:
        compiled = gradc.compile(case.formula, inputs=case.inputs)
        for complaint in complaints(case, compiled):
            met += 1
            if complaint:
                wrong += 1
                print(f"{case.corpus} {case.name}: {complaint}")
    return 100.0 * (met - wrong) / met


@pytest.mark.parametrize("corpus", FLOORS)
def test_some_points(corpus: str) -> None:
    assert share(cases(corpus)[:: OFTEN.get(corpus, 1)]) >= FLOORS[corpus]


@pytest.mark.long
@pytest.mark.parametrize("corpus", OFTEN)
def test_all_points(corpus: str) -> None:
    assert share(cases(corpus)) >= FLOORS[corpus]
