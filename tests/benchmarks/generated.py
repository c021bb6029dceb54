"""Generated functions against those that an expert wrote by hand.

Both sides are called with positional arguments, in one interleaved run (`clock`), after
it was checked that they agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tests.benchmarks import networks, wide
from tests.benchmarks.cases import READ, agree
from tests.benchmarks.clock import race
from tests.benchmarks.count import count
from tests.benchmarks.matrices import CASES as MATRICES

PLAIN = [*(case for case in READ if case.ranges), *networks.PLAIN]
CASES = [*(case for case in READ if not case.ranges), *wide.CASES, *networks.CASES]
GROUPS: dict[str, Sequence[Any]] = {
    "formulas with domains": CASES,
    "formulas without domains": PLAIN,
    "Hessians and Jacobians": MATRICES,
}
LIMIT, EACH, LOOSE = 1.02, 1.15, {"Black-Scholes": 1.25, "plain Black-Scholes": 1.25}


def ratio(case: Any, batches: int) -> float:
    """Time of the generated function over that of the expert's.

    Raises:
        AssertionError: the two sides disagree.
    """
    points = case.points(16)
    for point in points:
        assert agree(case.generated(*point), case.written(*point)), (case.name, point)
    return race(case.generated, case.written, points, batches).ratio


def run(batches: int) -> None:
    """Print a line for each case and the geometric mean of each group."""
    for group, cases in GROUPS.items():
        print(f"\n{group}: time generated / by hand, operations + calls of both")
        total = 0.0
        for case in cases:
            found = ratio(case, batches)
            total += math.log(found)
            ours = count(case.compiled.source, case.function)
            theirs = count(case.source, case.function)
            mark = "  ABOVE" if found > LOOSE.get(case.name, EACH) else ""
            print(f"{found:6.3f}  {case.name}: {ours}, {theirs}{mark}", flush=True)
        mean = math.exp(total / len(cases))
        print(f"{mean:6.3f}  geometric mean{'  ABOVE' if mean > LIMIT else ''}")
