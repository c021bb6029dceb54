#!/usr/bin/env bash
# autograd 1.9.1: the derivative of `chi2.logpdf` and `chi2.pdf` by x is 0 if the degrees of
# freedom are not a whole number, and right if they are; `chi2.cdf` is right for both. The
# derivative of the Bessel functions `iv` and `ive` by their order is 0 too, where those of
# `gammainc` and `t.cdf` that are not there raise NotImplementedError.
# Seen on Python 3.11, Linux x86-64:
#     chi2.logpdf, df 3: -0.14286, numeric -0.14286
#     chi2.logpdf, df 3.3: 0.00000, numeric -0.03571
#     chi2.pdf, df 3.3: 0.00000, numeric -0.00781
#     chi2.cdf, df 3.3: 0.21877, numeric 0.21877
#     iv, order 0.5: 0.00000, numeric -0.79641
#     ive, order 0.5: 0.00000, numeric -0.07985
#     gammainc, first: NotImplementedError, numeric -0.09877
#     t.cdf, df: NotImplementedError, numeric 0.05865
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet autograd==1.9.1 scipy==1.17.1 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from autograd import grad
from autograd.scipy.special import gammainc, iv, ive
from autograd.scipy.stats import chi2, t

step = 1e-5
for name, function, at in (
    ("chi2.logpdf, df 3", lambda x: chi2.logpdf(x, 3.0), 1.4),
    ("chi2.logpdf, df 3.3", lambda x: chi2.logpdf(x, 3.3), 1.4),
    ("chi2.pdf, df 3.3", lambda x: chi2.pdf(x, 3.3), 1.4),
    ("chi2.cdf, df 3.3", lambda x: chi2.cdf(x, 3.3), 1.4),
    ("iv, order 0.5", lambda v: iv(v, 2.3), 0.5),
    ("ive, order 0.5", lambda v: ive(v, 2.3), 0.5),
    ("gammainc, first", lambda a: gammainc(a, 2.3), 0.5),
    ("t.cdf, df", lambda df: t.cdf(2.3, df), 1.4),
):
    numeric = (function(at + step) - function(at - step)) / (2 * step)
    try:
        own = f"{grad(function)(at):.5f}"
    except NotImplementedError:
        own = "NotImplementedError"
    print(f"{name}: {own}, numeric {numeric:.5f}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
chi2.logpdf, df 3: -0.14286, numeric -0.14286
chi2.logpdf, df 3.3: 0.00000, numeric -0.03571
chi2.pdf, df 3.3: 0.00000, numeric -0.00781
chi2.cdf, df 3.3: 0.21877, numeric 0.21877
iv, order 0.5: 0.00000, numeric -0.79641
ive, order 0.5: 0.00000, numeric -0.07985
gammainc, first: NotImplementedError, numeric -0.09877
t.cdf, df: NotImplementedError, numeric 0.05865
SEEN
