#!/usr/bin/env bash
# SymPy 1.14.0: in the C that `codegen` writes, a quotient of two things that C takes for
# integers is cut to an integer: sign(x)/(sign(y) + 2) of two doubles is 0 at (1, 1), not
# 1/3, since sign and Heaviside are written as comparisons or as 0 and 1. So is (i + 1)/j of
# integer symbols, though the function is declared double. A factor x in front mends it.
# Seen on Python 3.11, Linux x86-64:
#     sign(x)/(sign(y) + 2) at (1, 1): C 0.0000, SymPy 1/3
#     Heaviside(x, 1)/(Heaviside(y, 1) + 1) at (1, 1): C 0.0000, SymPy 1/2
#     x*sign(y)/(sign(y) + 2) at (1, 1): C 0.3333, SymPy 1/3
#     (i + 1)/j at (0, 2): C 0.0000, SymPy 1/2
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet sympy==1.14.0
cd "$work"
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import ctypes
import subprocess

from sympy import Heaviside, sign, symbols
from sympy.utilities.codegen import codegen

i, j = symbols("i j", integer=True)
x, y = symbols("x y")
for number, (formula, at) in enumerate(
    (
        (sign(x) / (sign(y) + 2), {x: 1, y: 1}),
        (Heaviside(x, 1) / (Heaviside(y, 1) + 1), {x: 1, y: 1}),
        (x * sign(y) / (sign(y) + 2), {x: 1, y: 1}),
        ((i + 1) / j, {i: 0, j: 2}),
    )
):
    codegen(("f", formula), "C99", f"f{number}", to_files=True)
    source, library = f"f{number}.c", f"./f{number}.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    function = ctypes.CDLL(library).f
    function.restype = ctypes.c_double
    kinds = [ctypes.c_int if v.is_integer else ctypes.c_double for v in at]
    value = function(*[kind(v) for kind, v in zip(kinds, at.values())])
    print(f"{formula} at {tuple(at.values())}: C {value:.4f}, SymPy {formula.subs(at)}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
sign(x)/(sign(y) + 2) at (1, 1): C 0.0000, SymPy 1/3
Heaviside(x, 1)/(Heaviside(y, 1) + 1) at (1, 1): C 0.0000, SymPy 1/2
x*sign(y)/(sign(y) + 2) at (1, 1): C 0.3333, SymPy 1/3
(i + 1)/j at (0, 2): C 0.0000, SymPy 1/2
SEEN
