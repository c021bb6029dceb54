#!/usr/bin/env bash
# @formulajs/formulajs 4.6.1: some functions are not those that spreadsheets have by that name.
# ATAN2 has y first, where theirs has x first. MOD of a negative multiple is the divisor, not
# 0. ERF(a, b), the integral from a to b, is ERF(a). IMLN takes arctan(y/x) for the argument,
# so left of 0 it is the logarithm of another number. TANH and ASINH overflow.
# Seen on Node 20, Linux x86-64:
#     ATAN2(1, 2): 0.46365, spreadsheet 1.10715
#     ATAN2(-1, 1): -0.78540, spreadsheet 2.35619
#     MOD(-3, 2): 1, n - d*INT(n/d): 1
#     MOD(-4, 2): 2, n - d*INT(n/d): 0
#     MOD(-4.5, 1.5): 1.5, n - d*INT(n/d): 0
#     ERF(0.5, 1): 0.52050, ERF(b) - ERF(a): 0.32220
#     ERF(1, 0.5): 0.84270, ERF(b) - ERF(a): -0.32220
#     IMEXP(IMLN("3+4i")): 3.000+4.000i
#     IMEXP(IMLN("-3+4i")): 3.000-4.000i
#     IMEXP(IMLN("-3-4i")): 3.000+4.000i
#     TANH(400): NaN
#     ASINH(-1e9): -Infinity, -ASINH(1e9): -21.41641
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" @formulajs/formulajs@4.6.1
(cd "$work" && node -) >"$work/seen" <<'JAVASCRIPT'
const { ASINH, ATAN2, ERF, IMEXP, IMLN, INT, MOD, TANH } = require("@formulajs/formulajs");

const told = (z) => z.replace(/\d+\.\d+/g, (part) => Number(part).toFixed(3));
for (const [x, y] of [[1, 2], [-1, 1]]) {
  const angle = Math.atan2(y, x).toFixed(5);
  console.log(`ATAN2(${x}, ${y}): ${ATAN2(x, y).toFixed(5)}, spreadsheet ${angle}`);
}
for (const [n, d] of [[-3, 2], [-4, 2], [-4.5, 1.5]]) {
  console.log(`MOD(${n}, ${d}): ${MOD(n, d)}, n - d*INT(n/d): ${n - d * INT(n / d)}`);
}
for (const [a, b] of [[0.5, 1], [1, 0.5]]) {
  const right = (ERF(b) - ERF(a)).toFixed(5);
  console.log(`ERF(${a}, ${b}): ${ERF(a, b).toFixed(5)}, ERF(b) - ERF(a): ${right}`);
}
for (const z of ["3+4i", "-3+4i", "-3-4i"]) {
  console.log(`IMEXP(IMLN("${z}")): ${told(IMEXP(IMLN(z)))}`);
}
console.log(`TANH(400): ${TANH(400)}`);
console.log(`ASINH(-1e9): ${ASINH(-1e9)}, -ASINH(1e9): ${-ASINH(1e9).toFixed(5)}`);
JAVASCRIPT
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
ATAN2(1, 2): 0.46365, spreadsheet 1.10715
ATAN2(-1, 1): -0.78540, spreadsheet 2.35619
MOD(-3, 2): 1, n - d*INT(n/d): 1
MOD(-4, 2): 2, n - d*INT(n/d): 0
MOD(-4.5, 1.5): 1.5, n - d*INT(n/d): 0
ERF(0.5, 1): 0.52050, ERF(b) - ERF(a): 0.32220
ERF(1, 0.5): 0.84270, ERF(b) - ERF(a): -0.32220
IMEXP(IMLN("3+4i")): 3.000+4.000i
IMEXP(IMLN("-3+4i")): 3.000-4.000i
IMEXP(IMLN("-3-4i")): 3.000+4.000i
TANH(400): NaN
ASINH(-1e9): -Infinity, -ASINH(1e9): -21.41641
SEEN
