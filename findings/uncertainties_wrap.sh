#!/usr/bin/env bash
# uncertainties 3.2.3: `wrap` takes no callable that has no `__name__`, such as SciPy's
# splines or what `functools.partial` makes (AttributeError). If a spline is called in a
# function, whose value then is an array without axes, the wrapped function returns the
# object NotImplemented, in silence; for a plain float it returns the value.
# Seen on Python 3.11, Linux x86-64:
#     spline: AttributeError: 'CubicSpline' object has no attribute '__name__'
#     partial: AttributeError: 'functools.partial' object has no attribute '__name__'
#     function that calls a spline: NotImplemented
#     function that returns its float: 2.25+/-0.30
#     of a float: 2.25
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet uncertainties==3.2.3 scipy==1.17.1 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from functools import partial

import numpy
from scipy.interpolate import CubicSpline
from uncertainties import ufloat, wrap

x = numpy.arange(5.0)
spline, point = CubicSpline(x, x**2), ufloat(1.5, 0.1)
functions = {
    "spline": spline,
    "partial": partial(pow, 2.0),
    "function that calls a spline": lambda v: spline(v),
    "function that returns its float": lambda v: float(spline(v)),
}
for name, function in functions.items():
    try:
        print(f"{name}: {wrap(function)(point)}")
    except AttributeError as error:
        print(f"{name}: AttributeError: {error}")
print("of a float:", float(wrap(functions["function that calls a spline"])(1.5)))
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
spline: AttributeError: 'CubicSpline' object has no attribute '__name__'
partial: AttributeError: 'functools.partial' object has no attribute '__name__'
function that calls a spline: NotImplemented
function that returns its float: 2.25+/-0.30
of a float: 2.25
SEEN
