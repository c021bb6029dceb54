#!/usr/bin/env bash
# OpenTURNS 1.27.post1: `SymbolicFunction` reads a formula twice, for the value and for the
# derivatives, by two grammars. The value of 2^x^2 is 2^(x^2), its gradient that of (2^x)^2.
# And the derivatives of powers of a number, log2, log10, erf and cbrt have constants of six
# digits or so, where the values are right to the last.
# Seen on Python 3.11, Linux x86-64:
#     2^(x^2): value right: True, gradient 7.55093823 for 7.55096199
#     2^x^2: value right: True, gradient 9.65468432 for 7.55096199
#     x^2^x: value right: True, gradient 6.85722559 for 6.07659402
#     ln(x): value right: True, gradient 0.71428571 for 0.71428571
#     log2(x): value right: True, gradient 1.03050000 for 1.03049646
#     log10(x): value right: True, gradient 0.31021000 for 0.31021034
#     erf(x): value right: True, gradient 0.15894182 for 0.15894171
#     cbrt(x): value right: True, gradient 0.26635421 for 0.26635451
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet openturns==1.27.post1
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from math import erf, exp, log, pi

import openturns

x = 1.4
for formula, value, slope in (
    ("2^(x^2)", 2 ** (x**2), 2 ** (x**2) * log(2) * 2 * x),
    ("2^x^2", 2 ** (x**2), 2 ** (x**2) * log(2) * 2 * x),
    ("x^2^x", x ** (2**x), x ** (2**x) * 2**x * (log(2) * log(x) + 1 / x)),
    ("ln(x)", log(x), 1 / x),
    ("log2(x)", log(x) / log(2), 1 / (x * log(2))),
    ("log10(x)", log(x) / log(10), 1 / (x * log(10))),
    ("erf(x)", erf(x), 2 / pi**0.5 * exp(-x * x)),
    ("cbrt(x)", x ** (1 / 3), x ** (-2 / 3) / 3),
):
    function = openturns.SymbolicFunction(["x"], [formula])
    good = abs(function([x])[0] - value) < 1e-14
    found = function.gradient([x])[0, 0]
    print(f"{formula}: value right: {good}, gradient {found:.8f} for {slope:.8f}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
2^(x^2): value right: True, gradient 7.55093823 for 7.55096199
2^x^2: value right: True, gradient 9.65468432 for 7.55096199
x^2^x: value right: True, gradient 6.85722559 for 6.07659402
ln(x): value right: True, gradient 0.71428571 for 0.71428571
log2(x): value right: True, gradient 1.03050000 for 1.03049646
log10(x): value right: True, gradient 0.31021000 for 0.31021034
erf(x): value right: True, gradient 0.15894182 for 0.15894171
cbrt(x): value right: True, gradient 0.26635421 for 0.26635451
SEEN
