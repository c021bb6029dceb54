"""All cases of the benchmark, the small ones first."""

from tests.benchmarks import models, networks, sciences, wide

CASES = [*sciences.CASES, *models.CASES, *wide.CASES, *networks.CASES]
