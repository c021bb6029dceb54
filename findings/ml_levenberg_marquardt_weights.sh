#!/usr/bin/env bash
# ml-levenberg-marquardt 5.1.0: `weights` work in the residuals as they should, by their square,
# and in the matrix of a step by its inverse. So a common weight, which moves no minimum, keeps
# the fit of a line off it, or here at its start from 2 on, and nothing says so. And a 0
# in `gradientDifference`, which is to hold a parameter, holds the last one in its place: the
# first one moves along the derivative by the other.
# Seen on Node 20, Linux x86-64:
#     all weights 1: 3.0071 + 2.0071 x
#     all weights 0.3: 3.0065 + 2.0068 x
#     all weights 0.1: 1.1910 + 1.0958 x
#     all weights 2: 1.0000 + 1.0000 x
#     all weights 10: 1.0000 + 1.0000 x
#     last weight 5: 1.0000 + 1.0000 x
#     second held: 6.0286 + 1.0000 x
#     first held: 6.0514 + 1.0000 x
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" ml-levenberg-marquardt@5.1.0
(cd "$work" && node --input-type=module -) >"$work/seen" <<'JAVASCRIPT'
import { levenbergMarquardt } from "ml-levenberg-marquardt";

const x = [0, 1, 2, 3, 4, 5, 6];
const y = [3.1, 4.9, 7.2, 8.8, 11.1, 12.9, 15.2];
const line = ([b, m]) => (t) => b + m * t;
const jacobianFunction = () => (t) => [1, t];
const fit = (name, options) => {
  const found = levenbergMarquardt({ x, y }, line, {
    initialValues: [1, 1],
    maxIterations: 1000,
    ...options,
  });
  const [b, m] = found.parameterValues;
  console.log(`${name}: ${b.toFixed(4)} + ${m.toFixed(4)} x`);
};

for (const weights of [1, 0.3, 0.1, 2, 10]) {
  fit(`all weights ${weights}`, { weights, jacobianFunction });
}
fit("last weight 5", { weights: [1, 1, 1, 1, 1, 1, 5], jacobianFunction });
fit("second held", { gradientDifference: [0.1, 0] });
fit("first held", { gradientDifference: [0, 0.1] });
JAVASCRIPT
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
all weights 1: 3.0071 + 2.0071 x
all weights 0.3: 3.0065 + 2.0068 x
all weights 0.1: 1.1910 + 1.0958 x
all weights 2: 1.0000 + 1.0000 x
all weights 10: 1.0000 + 1.0000 x
last weight 5: 1.0000 + 1.0000 x
second held: 6.0286 + 1.0000 x
first held: 6.0514 + 1.0000 x
SEEN
