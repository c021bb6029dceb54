#!/usr/bin/env bash
# lmfit 1.3.4: a model function with a keyword argument whose default is no number, such as
# `form="exp"` or `out=None`, is an independent variable with that default for `Model.eval`,
# and "missing" for `Model.fit`, unless it is passed as well.
# Seen on Python 3.11, Linux x86-64:
#     variables: ['t', 'form']
#     eval: 2.0
#     fit: 'Missing independent variable 'form'
#     fit with the same as its default: 2.0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet lmfit==1.3.4 scipy==1.17.1 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import lmfit
import numpy

t = numpy.linspace(0.0, 4.0, 30)
y = 2.0 * numpy.exp(-t)


def decay(t, a, b, form="exp"):
    return a * numpy.exp(-b * t) if form == "exp" else a / (1.0 + b * t)


model = lmfit.Model(decay)
print("variables:", model.independent_vars)
print("eval:", model.eval(t=t, a=2.0, b=1.0)[0])
try:
    model.fit(y, t=t, a=1.0, b=2.0)
except ValueError as error:
    print("fit:", error)
found = model.fit(y, t=t, a=1.0, b=2.0, form="exp")
print("fit with the same as its default:", round(found.best_values["a"], 6))
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
variables: ['t', 'form']
eval: 2.0
fit: 'Missing independent variable 'form'
fit with the same as its default: 2.0
SEEN
