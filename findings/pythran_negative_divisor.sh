#!/usr/bin/env bash
# Pythran 0.19.0: `%` and `//` by a negative number are other functions in the compiled module
# than in Python. -7 % -3 is -4, beyond the divisor, -7.5 % -2.0 is -3.5, and 0 // -3 is -1. Of
# whole numbers by a positive one all are right. And `np.logaddexp` is log(exp(x) + exp(y)) as
# it stands: infinite from 710 on, and minus infinity of large negative numbers.
# Seen on Python 3.11, Linux x86-64:
#     modulo(-7, 3): 2, Python 2
#     modulo(7, -3): 1, Python -2
#     modulo(-7, -3): -4, Python -1
#     modulo(-7.5, -2.0): -3.5, Python -1.5
#     quotient(7, -3): -3, Python -3
#     quotient(0, -3): -1, Python 0
#     quotient(1, -2): -2, Python -1
#     logaddexp(700.0, 0.0): 700.0, Python 700.0
#     logaddexp(720.0, 0.0): inf, Python 720.0
#     logaddexp(-1000.0, -1000.0): -inf, Python -999.3068528194401
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile pythran==0.19.0 numpy==2.4.6
cd "$work"
cat >plain.py <<'PYTHON'
import numpy as np


# pythran export modulo(int, int), modulo(float, float)
def modulo(x, y):
    return x % y


# pythran export quotient(int, int)
def quotient(x, y):
    return x // y


# pythran export logaddexp(float, float)
def logaddexp(x, y):
    return np.logaddexp(x, y)
PYTHON
venv/bin/pythran plain.py -o compiled.so
venv/bin/python - >seen <<'PYTHON'
import compiled
import plain

for name, *pairs in (
    ("modulo", (-7, 3), (7, -3), (-7, -3), (-7.5, -2.0)),
    ("quotient", (7, -3), (0, -3), (1, -2)),
    ("logaddexp", (700.0, 0.0), (720.0, 0.0), (-1000.0, -1000.0)),
):
    for pair in pairs:
        compiled_value = getattr(compiled, name)(*pair)
        print(f"{name}{pair}: {compiled_value}, Python {getattr(plain, name)(*pair)}")
PYTHON
cat seen
diff seen - <<'SEEN'
modulo(-7, 3): 2, Python 2
modulo(7, -3): 1, Python -2
modulo(-7, -3): -4, Python -1
modulo(-7.5, -2.0): -3.5, Python -1.5
quotient(7, -3): -3, Python -3
quotient(0, -3): -1, Python 0
quotient(1, -2): -2, Python -1
logaddexp(700.0, 0.0): 700.0, Python 700.0
logaddexp(720.0, 0.0): inf, Python 720.0
logaddexp(-1000.0, -1000.0): -inf, Python -999.3068528194401
SEEN
