#!/usr/bin/env bash
# affapy 0.1: `Interval.sin` takes the cosine of pi/2 minus the interval, and the cosine goes
# wrong for negative numbers: the sine of [0, 3] ends at 0.141, and that of [3, 10] is a
# single point. `Affine.log` holds the logarithm in none of three cases. All that comes out
# without a word.
# Seen on Python 3.11, Linux x86-64:
#     sin of [0, 1]: [0.000, 0.841], holds [0.000, 0.841]: True
#     sin of [0, 3]: [0.000, 0.141], holds [0.000, 1.000]: False
#     sin of [3, 10]: [-0.544, -0.544], holds [-1.000, 1.000]: False
#     cos of [-2.5, 2.5]: [-0.801, -0.801], holds [-0.801, 1.000]: False
#     log of [0.9, 1.1], affine: [171.454, 171.660], holds [-0.105, 0.095]: False
#     log of [2, 3], affine: [-0.320, 0.106], holds [0.693, 1.099]: False
#     log of [100, 101], affine: [0.778, 0.788], holds [4.605, 4.615]: False
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet affapy==0.1 mpmath==1.3.0
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import math

from affapy.aa import Affine
from affapy.ia import Interval


def told(name, found, low, high):
    inf, sup = float(found.inf), float(found.sup)
    holds = inf - 1e-9 <= low and high <= sup + 1e-9
    print(f"{name}: [{inf:.3f}, {sup:.3f}], holds [{low:.3f}, {high:.3f}]: {holds}")


told("sin of [0, 1]", Interval(0, 1).sin(), 0.0, math.sin(1))
told("sin of [0, 3]", Interval(0, 3).sin(), 0.0, 1.0)
told("sin of [3, 10]", Interval(3, 10).sin(), -1.0, 1.0)
told("cos of [-2.5, 2.5]", Interval(-2.5, 2.5).cos(), math.cos(2.5), 1.0)
for low, high in (0.9, 1.1), (2, 3), (100, 101):
    logs = Affine([low, high]).log().interval
    told(f"log of [{low}, {high}], affine", logs, math.log(low), math.log(high))
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
sin of [0, 1]: [0.000, 0.841], holds [0.000, 0.841]: True
sin of [0, 3]: [0.000, 0.141], holds [0.000, 1.000]: False
sin of [3, 10]: [-0.544, -0.544], holds [-1.000, 1.000]: False
cos of [-2.5, 2.5]: [-0.801, -0.801], holds [-0.801, 1.000]: False
log of [0.9, 1.1], affine: [171.454, 171.660], holds [-0.105, 0.095]: False
log of [2, 3], affine: [-0.320, 0.106], holds [0.693, 1.099]: False
log of [100, 101], affine: [0.778, 0.788], holds [4.605, 4.615]: False
SEEN
