#!/usr/bin/env bash
# gotranx 2.9.0: in the C that it writes of a model, a fraction of whole numbers stays one, and C
# cuts it: 1/3*x is 0, x**(1/3) is 1 and 3/2/x is 1/x, in silence. The Python that it writes of
# the same model has the right values, and with a point, as 1.0/3, C has them too. And `Mod` is
# `fmod` in C, with the sign of what is divided, and `%` in Python.
# Seen on Python 3.11, Linux x86-64:
#     x/3: C 0.4333, Python 0.4333
#     1/3*x: C 0.0000, Python 0.4333
#     1.0/3*x: C 0.4333, Python 0.4333
#     x**(1/3): C 1.0000, Python 1.0914
#     3/2/x: C 0.7692, Python 1.1538
#     exp(-1/2*x): C 1.0000, Python 0.5220
#     (x+1/2)**2: C 1.6900, Python 3.2400
#     Mod(x,y): C 0.6000, Python 0.6000
#     Mod(-x,y): C -0.6000, Python 0.1000
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile gotranx==2.9.0 \
    numpy==2.4.6 sympy==1.14.0
cd "$work"
venv/bin/python - >seen <<'PYTHON'
import ctypes
import subprocess
from pathlib import Path

import numpy
import structlog
from gotranx import load_ode
from gotranx.cli import gotran2c, gotran2py
from gotranx.codegen import CFormat, PythonFormat

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
formulas = (
    "x/3 1/3*x 1.0/3*x x**(1/3) 3/2/x exp(-1/2*x) (x+1/2)**2 Mod(x,y) Mod(-x,y)"
).split()
lines = [f"a{number} = {formula}\n" for number, formula in enumerate(formulas)]
lines = ["parameters(y=0.7)\n", "states(x=1.3)\n", *lines, "dx_dt = x\n"]
Path("m.ode").write_text("".join(lines))
model = load_ode("m.ode")
exec(gotran2py.get_code(model, format=PythonFormat.none), code := {})
Path("m.c").write_text(gotran2c.get_code(model, format=CFormat.none))
subprocess.run(["cc", "-shared", "-fPIC", "-o", "m.so", "m.c", "-lm"], check=True)
library = ctypes.CDLL("./m.so")
states, parameters = code["init_state_values"](), code["init_parameter_values"]()
in_python = code["monitor_values"](0.0, states, parameters)
in_c = numpy.zeros(len(in_python))
arrays = [numpy.ctypeslib.as_ctypes(part) for part in (states, parameters, in_c)]
library.monitor_values(ctypes.c_double(0.0), *arrays)
for number, formula in enumerate(formulas):
    place = code["monitor_index"](f"a{number}")
    assert place == library.monitor_index(f"a{number}".encode())
    print(f"{formula}: C {in_c[place]:.4f}, Python {in_python[place]:.4f}")
PYTHON
cat seen
diff seen - <<'SEEN'
x/3: C 0.4333, Python 0.4333
1/3*x: C 0.0000, Python 0.4333
1.0/3*x: C 0.4333, Python 0.4333
x**(1/3): C 1.0000, Python 1.0914
3/2/x: C 0.7692, Python 1.1538
exp(-1/2*x): C 1.0000, Python 0.5220
(x+1/2)**2: C 1.6900, Python 3.2400
Mod(x,y): C 0.6000, Python 0.6000
Mod(-x,y): C -0.6000, Python 0.1000
SEEN
