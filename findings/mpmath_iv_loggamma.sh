#!/usr/bin/env bash
# mpmath 1.4.1: the interval functions `iv.loggamma` and `iv.arg` do not enclose. Of a single
# number below 1/2 the interval that loggamma gives ends below where it begins, and so holds
# nothing; those of log, gamma and its reciprocal are right. The argument of [-1, 1] is pi
# alone, where 0 to pi belongs.
# Seen on Python 3.11, Linux x86-64:
#     log of k/256, k from 1 to 127: 0 beside the value, 0 turned round
#     gamma of k/256, k from 1 to 127: 0 beside the value, 0 turned round
#     rgamma of k/256, k from 1 to 127: 0 beside the value, 0 turned round
#     loggamma of k/256, k from 128 to 254: 0 beside the value, 0 turned round
#     loggamma of k/256, k from 1 to 127: 127 beside the value, 127 turned round
#     loggamma(1/4): 1.2880225246980774574
#     loggamma(1/4) from 1.2880225246980776532 to 1.2880225246980774312
#     arg of [-2, -1]: from 3.14159 to 3.14159
#     arg of [1, 2]: from 0.0 to 0.0
#     arg of [-1, 1]: from 3.14159 to 3.14159
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet mpmath==1.4.1
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from mpmath import iv, mp, mpf

mp.dps = 40


def ends(found):
    return mpf(found.a.mid), mpf(found.b.mid)


for name, start in ("log", 1), ("gamma", 1), ("rgamma", 1), ("loggamma", 128), ("loggamma", 1):
    beside = turned = 0
    for k in range(start, start + 127):
        low, high = ends(getattr(iv, name)(iv.mpf(k) / 256))
        beside += not low <= getattr(mp, name)(mpf(k) / 256) <= high
        turned += low > high
    told = f"{beside} beside the value, {turned} turned round"
    print(f"{name} of k/256, k from {start} to {start + 126}: {told}")
low, high = ends(iv.loggamma(iv.mpf(1) / 4))
print("loggamma(1/4):", mp.nstr(mp.loggamma(mpf(1) / 4), 20))
print("loggamma(1/4) from", mp.nstr(low, 20), "to", mp.nstr(high, 20))
for part in (-2, -1), (1, 2), (-1, 1):
    low, high = ends(iv.arg(iv.mpf(part)))
    print(f"arg of {list(part)}: from {mp.nstr(low, 6)} to {mp.nstr(high, 6)}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
log of k/256, k from 1 to 127: 0 beside the value, 0 turned round
gamma of k/256, k from 1 to 127: 0 beside the value, 0 turned round
rgamma of k/256, k from 1 to 127: 0 beside the value, 0 turned round
loggamma of k/256, k from 128 to 254: 0 beside the value, 0 turned round
loggamma of k/256, k from 1 to 127: 127 beside the value, 127 turned round
loggamma(1/4): 1.2880225246980774574
loggamma(1/4) from 1.2880225246980776532 to 1.2880225246980774312
arg of [-2, -1]: from 3.14159 to 3.14159
arg of [1, 2]: from 0.0 to 0.0
arg of [-1, 1]: from 3.14159 to 3.14159
SEEN
