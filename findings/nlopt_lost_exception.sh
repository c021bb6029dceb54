#!/usr/bin/env bash
# nlopt 2.11.0: an exception that an objective raises in Python ends LD_SLSQP and LD_MMA and
# comes out as it is. LD_LBFGS, LD_VAR2 and LD_TNEWTON go on to call the objective, and end
# with a `runtime_error` without a text and without a cause: what was raised is lost.
# Seen on Python 3.11, Linux x86-64:
#     LD_SLSQP: ValueError 'the sensor has no calibration', cause None, called again: False
#     LD_MMA: ValueError 'the sensor has no calibration', cause None, called again: False
#     LD_LBFGS: runtime_error '', cause None, called again: True
#     LD_VAR2: runtime_error '', cause None, called again: True
#     LD_TNEWTON: runtime_error '', cause None, called again: True
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet nlopt==2.11.0 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import nlopt
import numpy


def told(name):
    calls = 0

    def cost(x, grad):
        nonlocal calls
        calls += 1
        if calls == 5:
            raise ValueError("the sensor has no calibration")
        value = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        if grad.size:
            grad[0] = -2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] ** 2)
            grad[1] = 200 * (x[1] - x[0] ** 2)
        return float(value)

    opt = nlopt.opt(getattr(nlopt, name), 2)
    opt.set_min_objective(cost)
    opt.set_xtol_rel(1e-10)
    try:
        opt.optimize(numpy.array([-1.2, 1.0]))
    except Exception as error:
        said = f"{type(error).__name__} {str(error)!r}, cause {error.__cause__!r}"
        return f"{said}, called again: {calls > 5}"


for name in ("LD_SLSQP", "LD_MMA", "LD_LBFGS", "LD_VAR2", "LD_TNEWTON"):
    print(f"{name}: {told(name)}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LD_SLSQP: ValueError 'the sensor has no calibration', cause None, called again: False
LD_MMA: ValueError 'the sensor has no calibration', cause None, called again: False
LD_LBFGS: runtime_error '', cause None, called again: True
LD_VAR2: runtime_error '', cause None, called again: True
LD_TNEWTON: runtime_error '', cause None, called again: True
SEEN
