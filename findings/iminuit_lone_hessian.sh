#!/usr/bin/env bash
# iminuit 2.33.0: a Hessian that is passed to `Minuit` without a gradient is never called,
# neither by `migrad` nor by `hesse`, and nothing says so. With `grad=` beside it, it is.
# Seen on Python 3.11, Linux x86-64:
#     hessian: called False, counted False
#     hessian and grad: called True, counted True
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet iminuit==2.33.0 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from iminuit import Minuit


def cost(x, y):
    return (x - 1) ** 2 + 3 * (y + x) ** 2


def grad(x, y):
    return 2 * (x - 1) + 6 * (y + x), 6 * (y + x)


calls = 0


def hessian(x, y):
    global calls
    calls += 1
    return [[8.0, 6.0], [6.0, 6.0]]


for name, options in (("hessian", {}), ("hessian and grad", {"grad": grad})):
    calls = 0
    minuit = Minuit(cost, x=3.0, y=2.0, hessian=hessian, **options)
    minuit.migrad()
    minuit.hesse()
    print(f"{name}: called {calls > 0}, counted {minuit.nhessian > 0}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
hessian: called False, counted False
hessian and grad: called True, counted True
SEEN
