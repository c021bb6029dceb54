#!/usr/bin/env bash
# astropy 8.0.2: a parameter that is tied to another is left out of the Jacobian that a model
# brings along, but what it adds to the derivative by the other one is left out too. So the
# fit, by default, ends beside the minimum, and its standard error is wrong. With
# `estimate_jacobian=True` both are right.
# Seen on Python 3.11, Linux x86-64:
#     LevMarLSQFitter, estimate_jacobian=False: mean 3.9902 +- 0.0904, 5.01980
#     LevMarLSQFitter, estimate_jacobian=True: mean 3.9972 +- 0.0802, 5.01884
#     TRFLSQFitter, estimate_jacobian=False: mean 3.9902 +- 0.0904, 5.01980
#     TRFLSQFitter, estimate_jacobian=True: mean 3.9972 +- 0.0802, 5.01884
#     least sum of squares, by hand: 5.01884
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile astropy==8.0.2 scipy==1.17.1 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import numpy
from astropy.modeling.fitting import LevMarLSQFitter, TRFLSQFitter
from astropy.modeling.models import Gaussian1D

x = numpy.linspace(0.0, 10.0, 41)
y = Gaussian1D(3.0, 4.0, 2.0)(x) + 0.5 * numpy.sin(5.0 * x)
start = Gaussian1D(2.0, 3.0, 1.5)
start.stddev.tied = lambda model: model.mean / 2.0

for kind in LevMarLSQFitter, TRFLSQFitter:
    for estimate in False, True:
        fitter = kind(calc_uncertainties=True)
        found = fitter(start, x, y, estimate_jacobian=estimate)
        squares = ((found(x) - y) ** 2).sum()
        said = f"mean {found.mean.value:.4f} +- {found.stds['mean']:.4f}"
        print(f"{kind.__name__}, estimate_jacobian={estimate}: {said}, {squares:.5f}")

# By hand: the best amplitude for each mean, and half of the mean as the width.
least = numpy.inf
for mean in numpy.arange(3.98, 4.02, 1e-4):
    shape = Gaussian1D(1.0, mean, mean / 2.0)(x)
    least = min(least, y @ y - (shape @ y) ** 2 / (shape @ shape))
print(f"least sum of squares, by hand: {least:.5f}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LevMarLSQFitter, estimate_jacobian=False: mean 3.9902 +- 0.0904, 5.01980
LevMarLSQFitter, estimate_jacobian=True: mean 3.9972 +- 0.0802, 5.01884
TRFLSQFitter, estimate_jacobian=False: mean 3.9902 +- 0.0904, 5.01980
TRFLSQFitter, estimate_jacobian=True: mean 3.9972 +- 0.0802, 5.01884
least sum of squares, by hand: 5.01884
SEEN
