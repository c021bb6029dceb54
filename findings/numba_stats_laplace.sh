#!/usr/bin/env bash
# numba-stats 1.14.0: the density of `laplace` is exp(-|x - loc|/scale)/4 whatever the scale is,
# for exp(-|x - loc|/scale)/(2 scale): its integral is scale/2, while `cdf` ends at 1. So the
# likelihood grows with the scale without end, and iminuit stops at the limit of the parameter,
# with `valid` True. With SciPy's density it finds the scale of the data.
# Seen on Python 3.11, Linux x86-64:
#     scale 0.5: integral of pdf 0.250, cdf(60) 1.000
#     scale 1.0: integral of pdf 0.500, cdf(60) 1.000
#     scale 2.0: integral of pdf 1.000, cdf(60) 1.000
#     scale 4.0: integral of pdf 2.000, cdf(60) 1.000
#     fit with numba-stats: valid True, scale 100.00
#     fit with SciPy: valid True, scale 1.99
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile numba-stats==1.14.0 numba==0.68.1 \
    iminuit==2.33.0 scipy==1.17.1 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import numpy
import scipy.stats
from iminuit import Minuit
from iminuit.cost import UnbinnedNLL
from numba_stats import laplace

x = numpy.linspace(-60.0, 60.0, 120001)
for scale in 0.5, 1.0, 2.0, 4.0:
    integral = numpy.trapezoid(laplace.pdf(x, 0.0, scale), x)
    end = laplace.cdf(x, 0.0, scale)[-1]
    print(f"scale {scale}: integral of pdf {integral:.3f}, cdf(60) {end:.3f}")

data = scipy.stats.laplace.ppf((numpy.arange(200) + 0.5) / 200, 1.0, 2.0)
for name, density in (("numba-stats", laplace), ("SciPy", scipy.stats.laplace)):
    cost = UnbinnedNLL(data, lambda x, loc, scale: density.logpdf(x, loc, scale), log=True)
    minuit = Minuit(cost, loc=0.8, scale=1.5)
    minuit.limits["scale"] = 0.1, 100.0
    minuit.migrad()
    print(f"fit with {name}: valid {minuit.valid}, scale {minuit.values['scale']:.2f}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
scale 0.5: integral of pdf 0.250, cdf(60) 1.000
scale 1.0: integral of pdf 0.500, cdf(60) 1.000
scale 2.0: integral of pdf 1.000, cdf(60) 1.000
scale 4.0: integral of pdf 2.000, cdf(60) 1.000
fit with numba-stats: valid True, scale 100.00
fit with SciPy: valid True, scale 1.99
SEEN
