"""All cases of the benchmark, the small ones first."""

from tests.benchmarks import fields, fits, models, networks, sciences, wide

SMALL = [*sciences.CASES, *fits.CASES, *models.CASES, *fields.CASES]
CASES = [*SMALL, *wide.CASES, *networks.CASES]
