#!/usr/bin/env bash
# libRoadRunner 2.10.0, the newest for Python 3.11: in the code that it generates from SBML,
# `quotient` goes through a 32-bit integer: from 2^31 on it is -2147483648, in silence, and
# y*quotient + rem is not x. And all six comparisons with a NaN hold, that of equality too, so
# a piecewise whose condition is one takes that piece.
# Seen on Python 3.11, Linux x86-64:
#     (1000000000.0, 3.0): quotient 333333333, rem 1, y*quotient + rem 1000000000
#     (-1000000000.0, 3.0): quotient -333333333, rem -1, y*quotient + rem -1000000000
#     (10000000000.0, 3.0): quotient -2147483648, rem 1, y*quotient + rem -6442450943
#     (3000000000.0, 1.0): quotient -2147483648, rem 0, y*quotient + rem -2147483648
#     1 and NaN: eq 1, neq 1, lt 1, leq 1, gt 1, geq 1
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile libroadrunner==2.10.0 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from roadrunner import RoadRunner

MODEL = """<?xml version="1.0"?>
<sbml xmlns="http://www.sbml.org/sbml/level3/version2/core" level="3" version="2">
<model id="m"><listOfParameters><parameter id="x" value="{}" constant="true"/>
<parameter id="y" value="{}" constant="true"/><parameter id="r" constant="false"/>
</listOfParameters><listOfRules><assignmentRule variable="r">
<math xmlns="http://www.w3.org/1998/Math/MathML">{}</math></assignmentRule></listOfRules>
</model></sbml>"""


def apply(name, *parts):
    return f"<apply><{name}/>{''.join(parts)}</apply>"


def value(formula, x, y):
    return RoadRunner(MODEL.format(x, y, formula)).getValue("r")


x, y = "<ci>x</ci>", "<ci>y</ci>"
quotient, rem = apply("quotient", x, y), apply("rem", x, y)
again = apply("plus", apply("times", y, quotient), rem)
for at in (1e9, 3.0), (-1e9, 3.0), (1e10, 3.0), (3e9, 1.0):
    told = [f"{value(formula, *at):.12g}" for formula in (quotient, rem, again)]
    print(f"{at}: quotient {told[0]}, rem {told[1]}, y*quotient + rem {told[2]}")
# 0/0 is NaN.
names = "eq", "neq", "lt", "leq", "gt", "geq"
formulas = [apply(name, x, apply("divide", y, y)) for name in names]
hold = [f"{name} {value(one, 1.0, 0.0):.0f}" for name, one in zip(names, formulas)]
print("1 and NaN:", ", ".join(hold))
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
(1000000000.0, 3.0): quotient 333333333, rem 1, y*quotient + rem 1000000000
(-1000000000.0, 3.0): quotient -333333333, rem -1, y*quotient + rem -1000000000
(10000000000.0, 3.0): quotient -2147483648, rem 1, y*quotient + rem -6442450943
(3000000000.0, 1.0): quotient -2147483648, rem 0, y*quotient + rem -2147483648
1 and NaN: eq 1, neq 1, lt 1, leq 1, gt 1, geq 1
SEEN
