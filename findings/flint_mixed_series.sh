#!/usr/bin/env bash
# python-flint 0.9.0: a sum of a power series over the rationals and one over real balls
# depends on the order. `arb_series + fmpq_series` makes the rational one a series of
# balls; `fmpq_series + arb_series` raises a TypeError, where `fmpq + arb` does not.
# Seen on Python 3.11, Linux x86-64:
#     arb_series + fmpq_series: arb_series
#     fmpq_series + arb_series: TypeError
#     fmpq + arb: arb
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet python-flint==0.9.0
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from flint import arb, arb_series, fmpq, fmpq_series

exact, balls = fmpq_series([1, fmpq(1, 3)]), arb_series([1, 2])
pairs = {
    "arb_series + fmpq_series": (balls, exact),
    "fmpq_series + arb_series": (exact, balls),
    "fmpq + arb": (fmpq(1, 3), arb(2)),
}
for name, (x, y) in pairs.items():
    try:
        print(f"{name}: {type(x + y).__name__}")
    except TypeError:
        print(f"{name}: TypeError")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
arb_series + fmpq_series: arb_series
fmpq_series + arb_series: TypeError
fmpq + arb: arb
SEEN
