#!/usr/bin/env bash
# odrpack 0.7.0: in a fit with `task="OLS"` the Jacobian by the parameters, `jac_beta`, is
# called once to look at its shape and then never used, even if it is wrong, unless `jac_x`
# is given too, by which nothing depends in ordinary least squares. The fit takes numeric
# differences in silence (`njev` is 0).
# Seen on Python 3.11, Linux x86-64:
#     jac_beta: used False, success True, [2.  1.5]
#     wrong jac_beta: used False, success True, [2.  1.5]
#     jac_beta and jac_x: used True, success True, [2.  1.5]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet odrpack==0.7.0 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import numpy
from odrpack import odr_fit

x = numpy.linspace(0.0, 4.0, 30)
y = 2.0 * numpy.exp(-1.5 * x)


def model(x, beta):
    return beta[0] * numpy.exp(-beta[1] * x)


def jacobian(x, beta):
    e = numpy.exp(-beta[1] * x)
    return numpy.stack([e, -beta[0] * x * e])


def zero(x, beta):
    return numpy.zeros_like(x)


for name, sign, others in (
    ("jac_beta", 1, {}),
    ("wrong jac_beta", -9, {}),
    ("jac_beta and jac_x", 1, {"jac_x": zero}),
):
    found = odr_fit(
        model,
        x,
        y,
        numpy.array([1.0, 1.0]),
        task="OLS",
        jac_beta=lambda x, b: sign * jacobian(x, b),
        **others,
    )
    used = bool(found.njev)
    print(f"{name}: used {used}, success {found.success}, {found.beta.round(6)}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
jac_beta: used False, success True, [2.  1.5]
wrong jac_beta: used False, success True, [2.  1.5]
jac_beta and jac_x: used True, success True, [2.  1.5]
SEEN
