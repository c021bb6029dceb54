"""All cases of the benchmark, the small ones first."""

from tests.benchmarks import fits, models, networks, sciences, wide

CASES = [*sciences.CASES, *fits.CASES, *models.CASES, *wide.CASES, *networks.CASES]
