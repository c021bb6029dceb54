#!/usr/bin/env bash
# mathjs 15.2.0: `derivative` gives that of `acoth` with the wrong sign, 1/(x^2 - 1). Those of
# `cbrt(x)` and `nthRoot(x, 3)`, which are real below 0, are written with a power that is
# complex there: from real to real turns into complex numbers.
# Seen on Node 20, Linux x86-64:
#     acot(x) at 2: -0.20000, numeric -0.20000
#     atanh(x) at 0.5: 1.33333, numeric 1.33333
#     acoth(x) at 2: 0.33333, numeric -0.33333
#     acoth(x) at -2: 0.33333, numeric -0.33333
#     cbrt(x) at 8: 0.08333, numeric 0.08333
#     cbrt(x) at -8: -0.04167 and -0.07217 i, numeric 0.08333
#     nthRoot(x, 3) at -8: -0.04167 and -0.07217 i, numeric 0.08333
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" mathjs@15.2.0
(cd "$work" && node -) >"$work/seen" <<'JAVASCRIPT'
const { derivative, evaluate } = require("mathjs");

const told = (v) =>
  typeof v === "number" ? v.toFixed(5) : `${v.re.toFixed(5)} and ${v.im.toFixed(5)} i`;
const step = 1e-5;
for (const [formula, x] of [
  ["acot(x)", 2],
  ["atanh(x)", 0.5],
  ["acoth(x)", 2],
  ["acoth(x)", -2],
  ["cbrt(x)", 8],
  ["cbrt(x)", -8],
  ["nthRoot(x, 3)", -8],
]) {
  const at = (t) => evaluate(formula, { x: t });
  const own = derivative(formula, "x");
  const numeric = (at(x + step) - at(x - step)) / (2 * step);
  console.log(`${formula} at ${x}: ${told(own.evaluate({ x }))}, numeric ${told(numeric)}`);
}
JAVASCRIPT
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
acot(x) at 2: -0.20000, numeric -0.20000
atanh(x) at 0.5: 1.33333, numeric 1.33333
acoth(x) at 2: 0.33333, numeric -0.33333
acoth(x) at -2: 0.33333, numeric -0.33333
cbrt(x) at 8: 0.08333, numeric 0.08333
cbrt(x) at -8: -0.04167 and -0.07217 i, numeric 0.08333
nthRoot(x, 3) at -8: -0.04167 and -0.07217 i, numeric 0.08333
SEEN
