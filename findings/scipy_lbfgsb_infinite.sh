#!/usr/bin/env bash
# SciPy 1.17.1: L-BFGS-B reports success at a point that is no minimum, if a trial step has
# led to where the objective is infinite. x - log(x), infinite for x <= 0, is convex with its
# minimum at 1; from x = 20 the result is x = 15, where the slope is 14/15, and `success` is
# True ("relative reduction of f"). BFGS takes a shorter step there and finds 1.
# Seen on Python 3.11, Linux x86-64:
#     L-BFGS-B: success True, x 15.000
#     BFGS: success True, x 1.000
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet scipy==1.17.1 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from math import inf, log

from scipy.optimize import minimize


def cost(x):
    return x[0] - log(x[0]) if x[0] > 0 else inf


for method in ("L-BFGS-B", "BFGS"):
    found = minimize(cost, [20.0], method=method)
    print(f"{method}: success {found.success}, x {found.x[0]:.3f}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
L-BFGS-B: success True, x 15.000
BFGS: success True, x 1.000
SEEN
