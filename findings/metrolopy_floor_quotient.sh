#!/usr/bin/env bash
# metrolopy 1.1.1: `a // b` of two gummies without a unit has the operands the wrong way round:
# 7.5 // 2 is 0, the floor of 2/7.5. With a plain number for one of them it is right, and so is
# `floor_divide`. If the units differ, both are 0 or no whole number: 2 h // 45 min is 0, and
# 90 min // 1 h is 1.5, in silence. `%` is right everywhere.
# Seen on Python 3.11, Linux x86-64:
#     a 7.50(10), b 2.00(10): a // b is 0, floor_divide 3, a % b 1.50(32)
#     a 2.00(10), b 7.50(10): a // b is 3, floor_divide 0, a % b 2.00(10)
#     a 7.50(10) m, b 2.00(10) m: a // b is 3, floor_divide 3, a % b 1.50(32) m
#     a 7.50(10) m, b 200.00(10) cm: a // b is 0, floor_divide 0, a % b 1.50(10) m
#     a 750.00(10) cm, b 2.00(10) m: a // b is 3.75, floor_divide 3.75, a % b 150(30) cm
#     a 90.00(10) min, b 1.00(10) h: a // b is 1.5, floor_divide 1.5, a % b 30.0(60) min
#     a 2.00(10) h, b 45.00(10) min: a // b is 0, floor_divide 0, a % b 0.50(10) h
#     a 7.50(10), b 2.00(10): a // 2.0 is 3, 7.5 // b 3
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile metrolopy==1.1.1 numpy==2.4.6 \
    scipy==1.17.1
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from metrolopy import floor_divide, gummy

for left, right in (
    ((7.5, 1), (2.0, 1)),
    ((2.0, 1), (7.5, 1)),
    ((7.5, "m"), (2.0, "m")),
    ((7.5, "m"), (200.0, "cm")),
    ((750.0, "cm"), (2.0, "m")),
    ((90.0, "min"), (1.0, "h")),
    ((2.0, "h"), (45.0, "min")),
):
    a, b = (gummy(number, 0.1, unit=unit) for number, unit in (left, right))
    found = f"a // b is {a // b}, floor_divide {floor_divide(a, b)}, a % b {a % b}"
    print(f"a {a}, b {b}: {found}")
a, b = gummy(7.5, 0.1), gummy(2.0, 0.1)
print(f"a {a}, b {b}: a // 2.0 is {a // 2.0}, 7.5 // b {7.5 // b}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
a 7.50(10), b 2.00(10): a // b is 0, floor_divide 3, a % b 1.50(32)
a 2.00(10), b 7.50(10): a // b is 3, floor_divide 0, a % b 2.00(10)
a 7.50(10) m, b 2.00(10) m: a // b is 3, floor_divide 3, a % b 1.50(32) m
a 7.50(10) m, b 200.00(10) cm: a // b is 0, floor_divide 0, a % b 1.50(10) m
a 750.00(10) cm, b 2.00(10) m: a // b is 3.75, floor_divide 3.75, a % b 150(30) cm
a 90.00(10) min, b 1.00(10) h: a // b is 1.5, floor_divide 1.5, a % b 30.0(60) min
a 2.00(10) h, b 45.00(10) min: a // b is 0, floor_divide 0, a % b 0.50(10) h
a 7.50(10), b 2.00(10): a // 2.0 is 3, 7.5 // b 3
SEEN
