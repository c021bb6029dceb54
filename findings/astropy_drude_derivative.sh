#!/usr/bin/env bash
# astropy 8.0.2: the derivative of `Drude1D` by `x_0` that the model brings along is wrong, by
# a factor of up to 4.5 here, and the fitters use it by default: the standard error of the
# amplitude comes out twice as large as with `estimate_jacobian=True`.
# Seen on Python 3.11, Linux x86-64:
#     by amplitude: own [0.8241 0.5128], numeric [0.8241 0.5128]
#     by x_0: own [2.974  1.4486], numeric [0.6526 0.3554]
#     by fwhm: own [0.2319 0.3997], numeric [0.2319 0.3997]
#     fit, estimate_jacobian=False: amplitude 2.004 +- 0.028
#     fit, estimate_jacobian=True: amplitude 2.004 +- 0.014
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile astropy==8.0.2 scipy==1.17.1 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import numpy
from astropy.modeling.fitting import TRFLSQFitter
from astropy.modeling.models import Drude1D

names, at = ("amplitude", "x_0", "fwhm"), numpy.array([2.0, 1.3, 2.5])
x = numpy.array([2.0, 3.0])
for name, step, own in zip(names, 1e-6 * numpy.eye(3), Drude1D.fit_deriv(x, *at)):
    above, below = Drude1D.evaluate(x, *(at + step)), Drude1D.evaluate(x, *(at - step))
    numeric = (above - below) / 2e-6
    print(f"by {name}: own {own.round(4)}, numeric {numeric.round(4)}")

x = numpy.linspace(0.5, 6.0, 40)
y = Drude1D(*at)(x) + 0.05 * numpy.sin(7.0 * x)
for estimate in False, True:
    fitter = TRFLSQFitter(calc_uncertainties=True)
    found = fitter(Drude1D(1.0, 1.0, 2.2), x, y, estimate_jacobian=estimate)
    value, error = found.amplitude.value, found.stds["amplitude"]
    print(f"fit, estimate_jacobian={estimate}: amplitude {value:.3f} +- {error:.3f}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
by amplitude: own [0.8241 0.5128], numeric [0.8241 0.5128]
by x_0: own [2.974  1.4486], numeric [0.6526 0.3554]
by fwhm: own [0.2319 0.3997], numeric [0.2319 0.3997]
fit, estimate_jacobian=False: amplitude 2.004 +- 0.028
fit, estimate_jacobian=True: amplitude 2.004 +- 0.014
SEEN
