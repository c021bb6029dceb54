#!/usr/bin/env bash
# numexpr 2.14.2: the inverse functions of complex numbers are the textbook's logarithms as
# they stand. arcsinh(-1e10) is minus infinity (NumPy: -23.7), arcsin(1e10j) is infinite,
# arcsin(1e-20j) is 0, arctanh(1e-9) has 7 digits, and arctan(2j) lies on the other side of
# the cut than NumPy's.
# Seen on Python 3.11, Linux x86-64:
#     arcsinh((10000000000+0j)): 23.718998+0j, NumPy 23.718998+0j
#     arcsinh((-10000000000+0j)): -inf+0j, NumPy -23.718998+0j
#     arcsin(10000000000j): 0+infj, NumPy 0+23.718998j
#     arcsin(1e-20j): 0-0j, NumPy 0+1e-20j
#     arctan(2j): -1.5707963+0.54930614j, NumPy 1.5707963+0.54930614j
#     arctanh((1e-09+0j)): 9.9999997e-10+0j, NumPy 1e-09+0j
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet numexpr==2.14.2 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import numexpr
import numpy

for name, z in (
    ("arcsinh", 1e10 + 0j),
    ("arcsinh", -1e10 + 0j),
    ("arcsin", 1e10j),
    ("arcsin", 1e-20j),
    ("arctan", 2j),
    ("arctanh", 1e-9 + 0j),
):
    found = numexpr.evaluate(f"{name}(z)", {"z": numpy.array([z])})[0]
    right = getattr(numpy, name)(z)
    print(f"{name}({z}): {found:.8g}, NumPy {right:.8g}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
arcsinh((10000000000+0j)): 23.718998+0j, NumPy 23.718998+0j
arcsinh((-10000000000+0j)): -inf+0j, NumPy -23.718998+0j
arcsin(10000000000j): 0+infj, NumPy 0+23.718998j
arcsin(1e-20j): 0-0j, NumPy 0+1e-20j
arctan(2j): -1.5707963+0.54930614j, NumPy 1.5707963+0.54930614j
arctanh((1e-09+0j)): 9.9999997e-10+0j, NumPy 1e-09+0j
SEEN
