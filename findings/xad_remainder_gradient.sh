#!/usr/bin/env bash
# xad 1.5.2: the derivative of `fmod` and `%` by the divisor is wrong if the quotient is
# negative: the whole part is counted one too far from 0. Those of `ldexp` and of the mantissa
# of `frexp` come out of shifts of a 32-bit integer: that of ldexp(x, -1) is -2147483648, for
# 1/2. The values are right.
# Seen on Python 3.11, Linux x86-64:
#     fmod(7, x) at 3.25: 0.5, slope -2, numeric -2
#     fmod(7, x) at -3.25: 0.5, slope 3, numeric 2
#     7 % x at 3.25: 0.5, slope -2, numeric -2
#     7 % x at -3.25: -2.75, slope 4, numeric 3
#     ldexp(x, 3) at 0.375: 3, slope 8, numeric 8
#     ldexp(x, -1) at 0.375: 0.1875, slope -2.147e+09, numeric 0.5
#     ldexp(x, 40) at 0.375: 4.123169e+11, slope 256, numeric 1.1e+12
#     frexp(x)[0] at 0.375: 0.75, slope -4.657e-10, numeric 2
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet xad==1.5.2
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from xad import math
from xad.adj_1st import Real, Tape


def value_and_slope(function, at):
    with Tape() as tape:
        x = Real(at)
        tape.registerInput(x)
        tape.newRecording()
        y = function(x)
        tape.registerOutput(y)
        y.setDerivative(1.0)
        tape.computeAdjoints()
        return y.getValue(), x.getDerivative()


step = 2.0**-20
for name, function, at in (
    ("fmod(7, x)", lambda x: math.fmod(Real(7.0), x), 3.25),
    ("fmod(7, x)", lambda x: math.fmod(Real(7.0), x), -3.25),
    ("7 % x", lambda x: 7.0 % x, 3.25),
    ("7 % x", lambda x: 7.0 % x, -3.25),
    ("ldexp(x, 3)", lambda x: math.ldexp(x, 3), 0.375),
    ("ldexp(x, -1)", lambda x: math.ldexp(x, -1), 0.375),
    ("ldexp(x, 40)", lambda x: math.ldexp(x, 40), 0.375),
    ("frexp(x)[0]", lambda x: math.frexp(x)[0], 0.375),
):
    value, slope = value_and_slope(function, at)
    above, below = (value_and_slope(function, at + d)[0] for d in (step, -step))
    numeric = (above - below) / (2 * step)
    print(f"{name} at {at}: {value:.7g}, slope {slope:.4g}, numeric {numeric:.4g}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
fmod(7, x) at 3.25: 0.5, slope -2, numeric -2
fmod(7, x) at -3.25: 0.5, slope 3, numeric 2
7 % x at 3.25: 0.5, slope -2, numeric -2
7 % x at -3.25: -2.75, slope 4, numeric 3
ldexp(x, 3) at 0.375: 3, slope 8, numeric 8
ldexp(x, -1) at 0.375: 0.1875, slope -2.147e+09, numeric 0.5
ldexp(x, 40) at 0.375: 4.123169e+11, slope 256, numeric 1.1e+12
frexp(x)[0] at 0.375: 0.75, slope -4.657e-10, numeric 2
SEEN
