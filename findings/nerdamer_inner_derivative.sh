#!/usr/bin/env bash
# nerdamer 1.1.13: `diff` of the inverse hyperbolic functions leaves out the inner derivative
# of the logarithm they are written with: that of asinh(x) is 1/(x + sqrt(1 + x^2)), and has
# to be 1/sqrt(1 + x^2). What it cannot differentiate, such as max or mod, stays `diff(...)`
# and then is 0 when a number is put in.
# Seen on Node 20, Linux x86-64:
#     asinh(x): (sqrt(1+x^2)+x)^(-1): at 2 0.23607, numeric 0.44721
#     acosh(x): (sqrt(-1+x^2)+x)^(-1): at 2 0.26795, numeric 0.57735
#     atanh(x): (1/2)*((-x+1)^(-1)*(1+x))^(-1): at 0.5 0.16667, numeric 1.33333
#     acoth(x): (1/2)*((-1+x)^(-1)*(1+x))^(-1): at 2 0.16667, numeric -0.33333
#     atan(x): (1+x^2)^(-1): at 2 0.20000, numeric 0.20000
#     max(x,1): diff(max(x,1),x): at 2.5 0.00000, numeric 1.00000
#     mod(x,2): diff(mod(x,2),x): at 2.5 0.00000, numeric 1.00000
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" nerdamer@1.1.13
(cd "$work" && node -) >"$work/seen" <<'JAVASCRIPT'
const nerdamer = require("nerdamer");
require("nerdamer/Calculus");

const step = 1e-6;
for (const [formula, x] of [
  ["asinh(x)", 2],
  ["acosh(x)", 2],
  ["atanh(x)", 0.5],
  ["acoth(x)", 2],
  ["atan(x)", 2],
  ["max(x,1)", 2.5],
  ["mod(x,2)", 2.5],
]) {
  const at = (t) => Number(nerdamer(formula, { x: t }).evaluate().text());
  const own = nerdamer.diff(formula, "x");
  const numeric = (at(x + step) - at(x - step)) / (2 * step);
  const value = Number(own.evaluate({ x }).text());
  console.log(`${formula}: ${own}: at ${x} ${value.toFixed(5)}, numeric ${numeric.toFixed(5)}`);
}
JAVASCRIPT
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
asinh(x): (sqrt(1+x^2)+x)^(-1): at 2 0.23607, numeric 0.44721
acosh(x): (sqrt(-1+x^2)+x)^(-1): at 2 0.26795, numeric 0.57735
atanh(x): (1/2)*((-x+1)^(-1)*(1+x))^(-1): at 0.5 0.16667, numeric 1.33333
acoth(x): (1/2)*((-1+x)^(-1)*(1+x))^(-1): at 2 0.16667, numeric -0.33333
atan(x): (1+x^2)^(-1): at 2 0.20000, numeric 0.20000
max(x,1): diff(max(x,1),x): at 2.5 0.00000, numeric 1.00000
mod(x,2): diff(mod(x,2),x): at 2.5 0.00000, numeric 1.00000
SEEN
