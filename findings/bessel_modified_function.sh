#!/usr/bin/env bash
# bessel 1.0.2 (npm): `besseli` is right to 7 digits for small arguments only. For negative ones
# it takes the polynomial for |x| < 3.75 however large |x| is: I0(-10) is not I0(10). From order
# 2 on the recurrence begins too low for a large argument: I3(100) is 20 % too small, I3(200)
# half of what it is, and less than I8(200). None is NaN, the documented sign of an error.
# Seen on Node 20, Linux x86-64:
#     I0(-3): 4.8808, series 4.8808, off by 0.000 %
#     I0(10): 2815.7, series 2815.7, off by 0.000 %
#     I0(-10): 2544.7, series 2815.7, off by 9.624 %
#     I1(-10): -2517.6, series -2671.0, off by 5.741 %
#     I2(10): 2281.5, series 2281.5, off by 0.000 %
#     I2(100): 1.0591e+42, series 1.0524e+42, off by 0.637 %
#     I3(50): 2.6110e+20, series 2.6778e+20, off by 2.492 %
#     I3(100): 8.2059e+41, series 1.0263e+42, off by 20.042 %
#     I3(200): 9.9382e+84, series 1.9942e+85, off by 50.164 %
#     I8(200): 1.7542e+85, series 1.7374e+85, off by 0.965 %
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" bessel@1.0.2
(cd "$work" && node -) >"$work/seen" <<'JAVASCRIPT'
const { besseli } = require("bessel");

// By the series, whose terms are all of one sign.
function series(x, n) {
  let term = 1;
  for (let k = 1; k <= n; k++) term *= x / 2 / k;
  let sum = term;
  for (let k = 1; k < 1000; k++) sum += term *= (x * x) / 4 / k / (k + n);
  return sum;
}

const cases = [[0, -3, 10, -10], [1, -10], [2, 10, 100], [3, 50, 100, 200], [8, 200]];
for (const [n, ...places] of cases) {
  for (const x of places) {
    const [found, right] = [besseli(x, n), series(x, n)];
    const off = (100 * Math.abs(found / right - 1)).toFixed(3);
    const told = `${found.toPrecision(5)}, series ${right.toPrecision(5)}`;
    console.log(`I${n}(${x}): ${told}, off by ${off} %`);
  }
}
JAVASCRIPT
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
I0(-3): 4.8808, series 4.8808, off by 0.000 %
I0(10): 2815.7, series 2815.7, off by 0.000 %
I0(-10): 2544.7, series 2815.7, off by 9.624 %
I1(-10): -2517.6, series -2671.0, off by 5.741 %
I2(10): 2281.5, series 2281.5, off by 0.000 %
I2(100): 1.0591e+42, series 1.0524e+42, off by 0.637 %
I3(50): 2.6110e+20, series 2.6778e+20, off by 2.492 %
I3(100): 8.2059e+41, series 1.0263e+42, off by 20.042 %
I3(200): 9.9382e+84, series 1.9942e+85, off by 50.164 %
I8(200): 1.7542e+85, series 1.7374e+85, off by 0.965 %
SEEN
