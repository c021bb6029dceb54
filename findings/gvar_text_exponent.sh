#!/usr/bin/env bash
# gvar 13.1.10 and uncertainties 3.2.3: the power of ten of a number whose error stands in
# brackets can get lost, in silence. gvar reads 1.23(4)E-5, with a capital E, as 1.23(4), and
# drops whatever else comes behind the bracket. uncertainties reads (1.23(4))e-5 as 1.23(4),
# though (1.23+/-0.04)e-5 as it should be. What one gets wrong the other reads or refuses.
# Seen on Python 3.11, Linux x86-64:
#     1.23(4)e-5: gvar 1.23e-05 +- 4e-07, uncertainties 1.23e-05 +- 4e-07
#     1.23(4)E-5: gvar 1.23 +- 0.04, uncertainties 1.23e-05 +- 4e-07
#     1.23E-5 +- 4E-7: gvar 1.23e-05 +- 4e-07, uncertainties ValueError
#     1.23(4)d-5: gvar 1.23 +- 0.04, uncertainties ValueError
#     1.23(4)*10^-5: gvar 1.23 +- 0.04, uncertainties ValueError
#     1.23(4)%: gvar 1.23 +- 0.04, uncertainties ValueError
#     (1.23+/-0.04)e-5: gvar ValueError, uncertainties 1.23e-05 +- 4e-07
#     (1.23(4))e-5: gvar ValueError, uncertainties 1.23 +- 0.04
#     (123)e-5: gvar ValueError, uncertainties 123 +- 1
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile gvar==13.1.10 \
    uncertainties==3.2.3 numpy==2.4.6 scipy==1.17.1
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from gvar import gvar
from uncertainties import ufloat_fromstr


def read(reader, mean, error, text):
    try:
        number = reader(text)
    except ValueError:
        return "ValueError"
    return f"{getattr(number, mean):g} +- {getattr(number, error):g}"


for text in (
    "1.23(4)e-5",
    "1.23(4)E-5",
    "1.23E-5 +- 4E-7",
    "1.23(4)d-5",
    "1.23(4)*10^-5",
    "1.23(4)%",
    "(1.23+/-0.04)e-5",
    "(1.23(4))e-5",
    "(123)e-5",
):
    own = read(gvar, "mean", "sdev", text)
    print(f"{text}: gvar {own}, uncertainties {read(ufloat_fromstr, 'n', 's', text)}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
1.23(4)e-5: gvar 1.23e-05 +- 4e-07, uncertainties 1.23e-05 +- 4e-07
1.23(4)E-5: gvar 1.23 +- 0.04, uncertainties 1.23e-05 +- 4e-07
1.23E-5 +- 4E-7: gvar 1.23e-05 +- 4e-07, uncertainties ValueError
1.23(4)d-5: gvar 1.23 +- 0.04, uncertainties ValueError
1.23(4)*10^-5: gvar 1.23 +- 0.04, uncertainties ValueError
1.23(4)%: gvar 1.23 +- 0.04, uncertainties ValueError
(1.23+/-0.04)e-5: gvar ValueError, uncertainties 1.23e-05 +- 4e-07
(1.23(4))e-5: gvar ValueError, uncertainties 1.23 +- 0.04
(123)e-5: gvar ValueError, uncertainties 123 +- 1
SEEN
