#!/usr/bin/env bash
# lib-r-math.js 2.0.3 (npm), the functions of R in JavaScript: `BesselK` gives what `BesselI`
# gives, so it grows where K falls. And `pbeta` is off by about a thousandth if a shape is 2,
# which 3 or 2.5 is not, and with it `pbinom`: the probability of at most 1 in 5 is not the sum
# of the two that `dbinom` has.
# Seen on Node 20, Linux x86-64:
#     K(0.5): 0.587993, I(0.5): 0.587993, K by its formula: 1.07505
#     K(2): 2.04624, I(2): 2.04624, K by its formula: 0.119938
#     K(10): 2778.78, I(10): 2778.78, K by its formula: 0.0000179935
#     pbeta(0.3, 2, 1): 0.09010119, 0.3^2: 0.09000000
#     pbeta(0.7, 2, 1): 0.49055090, 0.7^2: 0.49000000
#     pbeta(0.9, 2, 1): 0.80978639, 0.9^2: 0.81000000
#     pbeta(0.3, 3, 1): 0.02700000, 0.3^3: 0.02700000
#     pbeta(0.3, 2.5, 1): 0.04929503, 0.3^2.5: 0.04929503
#     pbinom(1, 5, 0.3): 0.52768958, the sum: 0.52822000
#     pbinom(1, 6, 0.2): 0.65497253, the sum: 0.65536000
#     pbinom(1, 6, 0.5): 0.10937500, the sum: 0.10937500
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" lib-r-math.js@2.0.3
(cd "$work" && node --input-type=module -) >"$work/seen" <<'JAVASCRIPT'
import { BesselI, BesselK, dbinom, pbeta, pbinom } from "lib-r-math.js";

// K of order 1/2 is sqrt(pi/(2 x)) exp(-x).
for (const x of [0.5, 2, 10]) {
  const right = (Math.sqrt(Math.PI / (2 * x)) * Math.exp(-x)).toPrecision(6);
  const [k, i] = [BesselK, BesselI].map((function_) => function_(x, 0.5).toPrecision(6));
  console.log(`K(${x}): ${k}, I(${x}): ${i}, K by its formula: ${right}`);
}
// With 1 as the second shape the beta distribution function is a power.
for (const [a, x] of [[2, 0.3], [2, 0.7], [2, 0.9], [3, 0.3], [2.5, 0.3]]) {
  const right = (x ** a).toFixed(8);
  console.log(`pbeta(${x}, ${a}, 1): ${pbeta(x, a, 1).toFixed(8)}, ${x}^${a}: ${right}`);
}
for (const [n, p] of [[5, 0.3], [6, 0.2], [6, 0.5]]) {
  const sum = (dbinom(0, n, p) + dbinom(1, n, p)).toFixed(8);
  console.log(`pbinom(1, ${n}, ${p}): ${pbinom(1, n, p).toFixed(8)}, the sum: ${sum}`);
}
JAVASCRIPT
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
K(0.5): 0.587993, I(0.5): 0.587993, K by its formula: 1.07505
K(2): 2.04624, I(2): 2.04624, K by its formula: 0.119938
K(10): 2778.78, I(10): 2778.78, K by its formula: 0.0000179935
pbeta(0.3, 2, 1): 0.09010119, 0.3^2: 0.09000000
pbeta(0.7, 2, 1): 0.49055090, 0.7^2: 0.49000000
pbeta(0.9, 2, 1): 0.80978639, 0.9^2: 0.81000000
pbeta(0.3, 3, 1): 0.02700000, 0.3^3: 0.02700000
pbeta(0.3, 2.5, 1): 0.04929503, 0.3^2.5: 0.04929503
pbinom(1, 5, 0.3): 0.52768958, the sum: 0.52822000
pbinom(1, 6, 0.2): 0.65497253, the sum: 0.65536000
pbinom(1, 6, 0.5): 0.10937500, the sum: 0.10937500
SEEN
