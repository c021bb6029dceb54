#!/usr/bin/env bash
# JAX 0.10.2: the derivative of `jax.scipy.special.spence`, the dilogarithm, is NaN by `grad`
# above 1 up to 2, and right by `jacfwd` there; at 1 itself it is 0 by both, for -1. The second
# derivatives of the Bessel functions `i0` and `i1` at 0 are too large by 1, though `i1` is odd.
# Seen on Python 3.11, Linux x86-64:
#     spence at 0.5: grad -1.38629, jacfwd -1.38629, right -1.38629
#     spence at 1.0: grad 0.00000, jacfwd 0.00000, right -1.00000
#     spence at 1.2: grad nan, jacfwd -0.91161, right -0.91161
#     spence at 2.0: grad nan, jacfwd -0.69315, right -0.69315
#     spence at 2.5: grad -0.61086, jacfwd -0.61086, right -0.61086
#     i0, second, at 0.0: 1.50000, right 0.50000
#     i1, second, at 0.0: 1.00000, right 0.00000
#     i0, second, at 0.001: 0.50000, right 0.50000
#     i1, second, at 0.001: 0.00038, right 0.00038
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile jax==0.10.2 scipy==1.17.1 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import math

import jax
from jax.scipy.special import i0, i1, spence

jax.config.update("jax_enable_x64", True)

for x in 0.5, 1.0, 1.2, 2.0, 2.5:
    back, forward = float(jax.grad(spence)(x)), float(jax.jacfwd(spence)(x))
    right = math.log(x) / (1 - x) if x != 1 else -1
    print(f"spence at {x}: grad {back:.5f}, jacfwd {forward:.5f}, right {right:.5f}")
for x in 0.0, 1e-3:
    for function, right in (i0, 1 / 2 + 3 / 16 * x * x), (i1, 3 / 8 * x):
        second = float(jax.grad(jax.grad(function))(x))
        print(f"{function.__name__}, second, at {x}: {second:.5f}, right {right:.5f}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
spence at 0.5: grad -1.38629, jacfwd -1.38629, right -1.38629
spence at 1.0: grad 0.00000, jacfwd 0.00000, right -1.00000
spence at 1.2: grad nan, jacfwd -0.91161, right -0.91161
spence at 2.0: grad nan, jacfwd -0.69315, right -0.69315
spence at 2.5: grad -0.61086, jacfwd -0.61086, right -0.61086
i0, second, at 0.0: 1.50000, right 0.50000
i1, second, at 0.0: 1.00000, right 0.00000
i0, second, at 0.001: 0.50000, right 0.50000
i1, second, at 0.001: 0.00038, right 0.00038
SEEN
