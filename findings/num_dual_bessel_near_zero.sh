#!/usr/bin/env bash
# num_dual 0.15.1: the spherical Bessel functions of dual numbers lose their digits next to 0,
# where the formulas cancel: j1(1e-12) is 0 with the slope 0 for 1/3, j2(1e-12) is -1 for
# 7e-26, and its second derivative at 1e-6 is -5e8 for 2/15. At 0 and below the machine
# epsilon there is a series, and all is right.
# Seen on Python 3.11, Linux x86-64:
#     sph_j0 at 0.0: wrong: none
#     sph_j0 at 1e-17: wrong: none
#     sph_j0 at 1e-12: wrong: slope, second
#     sph_j0 at 1e-06: wrong: none
#     sph_j1 at 0.0: wrong: none
#     sph_j1 at 1e-17: wrong: none
#     sph_j1 at 1e-12: wrong: value, slope, second
#     sph_j1 at 1e-06: wrong: second
#     sph_j2 at 0.0: wrong: none
#     sph_j2 at 1e-17: wrong: none
#     sph_j2 at 1e-12: wrong: value, slope, second
#     sph_j2 at 1e-06: wrong: value, slope, second
#     sph_j1(1e-12), slope: (0.0, 0.0)
#     sph_j2(1e-12): -1.0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet num-dual==0.15.1
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from operator import methodcaller

import num_dual

for name, values in (
    ("sph_j0", lambda x: (1.0, -x / 3, -1 / 3)),
    ("sph_j1", lambda x: (x / 3, 1 / 3, -x / 5)),
    ("sph_j2", lambda x: (x * x / 15, 2 * x / 15, 2 / 15)),
):
    for x in (0.0, 1e-17, 1e-12, 1e-6):
        found = num_dual.second_derivative(methodcaller(name), x)
        pairs = zip(("value", "slope", "second"), found, values(x))
        wrong = [what for what, v, w in pairs if abs(v - w) > 1e-2 * abs(w) + 1e-15]
        print(f"{name} at {x}: wrong:", ", ".join(wrong) or "none")
print("sph_j1(1e-12), slope:", num_dual.first_derivative(methodcaller("sph_j1"), 1e-12))
print("sph_j2(1e-12):", num_dual.first_derivative(methodcaller("sph_j2"), 1e-12)[0])
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
sph_j0 at 0.0: wrong: none
sph_j0 at 1e-17: wrong: none
sph_j0 at 1e-12: wrong: slope, second
sph_j0 at 1e-06: wrong: none
sph_j1 at 0.0: wrong: none
sph_j1 at 1e-17: wrong: none
sph_j1 at 1e-12: wrong: value, slope, second
sph_j1 at 1e-06: wrong: second
sph_j2 at 0.0: wrong: none
sph_j2 at 1e-17: wrong: none
sph_j2 at 1e-12: wrong: value, slope, second
sph_j2 at 1e-06: wrong: value, slope, second
sph_j1(1e-12), slope: (0.0, 0.0)
sph_j2(1e-12): -1.0
SEEN
