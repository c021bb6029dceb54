#!/usr/bin/env bash
# latexify-py 0.4.4 and SymPy 1.14.0: a function that one prints as LaTeX is another where the
# other reads it. sin(x)*y is printed as `\sin x \cdot y` and read as sin(x*y); y*sin(x) is
# right. And `parse_latex` makes the symbol mathopen of the `\mathopen{}` that latexify puts
# before a bracket, and drops the bracket and all that follows it: (x + 1)**2 is mathopen.
# Seen on Python 3.11, Linux x86-64:
#     y*sin(x): read as y*sin(x)
#     sin(x)*y: read as sin(x*y)
#     exp(x)*y: read as exp(x*y)
#     log(x)*2: read as log(x*2, E)
#     tan(x)*x**2: read as tan(x*x**2)
#     y*(x + 1)**2: read as mathopen*y, bare y*(x + 1)**2
#     (x + 1)**2: read as mathopen, bare (x + 1)**2
#     sin(x*y): read as sin(mathopen), bare sin(x*y)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile latexify-py==0.4.4 sympy==1.14.0 \
    antlr4-python3-runtime==4.11.1
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import linecache
import math

import latexify
from sympy.parsing.latex import parse_latex

for formula in (
    "y*sin(x)",
    "sin(x)*y",
    "exp(x)*y",
    "log(x)*2",
    "tan(x)*x**2",
    "y*(x + 1)**2",
    "(x + 1)**2",
    "sin(x*y)",
):
    # latexify reads the source of a function.
    source, place = f"def f(x, y):\n    return {formula}\n", f"<{formula}>"
    linecache.cache[place] = len(source), None, source.splitlines(True), place
    exec(compile(source, place, "exec"), space := dict(vars(math)))
    printed = latexify.get_latex(space["f"]).partition("= ")[2]
    bare = printed.replace(r"\mathopen{}", "").replace(r"\mathclose{}", "")
    read, again = parse_latex(printed), parse_latex(bare)
    print(f"{formula}: read as {read}" + f", bare {again}" * (bare != printed))
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
y*sin(x): read as y*sin(x)
sin(x)*y: read as sin(x*y)
exp(x)*y: read as exp(x*y)
log(x)*2: read as log(x*2, E)
tan(x)*x**2: read as tan(x*x**2)
y*(x + 1)**2: read as mathopen*y, bare y*(x + 1)**2
(x + 1)**2: read as mathopen, bare (x + 1)**2
sin(x*y): read as sin(mathopen), bare sin(x*y)
SEEN
