"""All cases of the benchmark, the small ones first."""

from tests.benchmarks import networks, sciences, wide

CASES = [*sciences.CASES, *wide.CASES, *networks.CASES]
