#!/usr/bin/env bash
# libCellML 0.7.2: the code that it generates from MathML lacks brackets in two places. If the
# value of a piece is a piecewise itself, Python gets `a if p else b if q else c`, and reads it
# from the right: q is not asked where p holds. And below a plus with one argument a sum,
# difference or product loses its brackets: x/+(y*z) is x/y*z, in C too. None of it is said.
# Seen on Python 3.11, Linux x86-64:
#     x if lt_func(x, y) else y if lt_func(z, y) else z: 0.7000 for 2.3000
#     z if geq_func(z, y) else x if lt_func(x, y) else y: 2.3000 for 2.3000
#     x/(y*z): 0.1790 for 0.1790
#     x/y*z: 0.9471 for 0.1790
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet libcellml==0.7.2
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
import re

import libcellml

HEAD = """<?xml version="1.0"?><model xmlns="http://www.cellml.org/cellml/2.0#" name="m">
<component name="c"><variable name="x" units="dimensionless" initial_value="0.7"/>
<variable name="y" units="dimensionless" initial_value="1.7"/>
<variable name="z" units="dimensionless" initial_value="2.3"/>
<variable name="r" units="dimensionless"/>
<math xmlns="http://www.w3.org/1998/Math/MathML"><apply><eq/><ci>r</ci>"""
TAIL = "</apply></math></component></model>"


def apply(name, *parts):
    return f"<apply><{name}/>{''.join(parts)}</apply>"


def choose(value, condition, other):
    rest = f"<otherwise>{other}</otherwise>"
    return f"<piecewise><piece>{value}{condition}</piece>{rest}</piecewise>"


x, y, z = "<ci>x</ci>", "<ci>y</ci>", "<ci>z</ci>"
inner = choose(x, apply("lt", x, y), y)
for formula, right in (
    (choose(inner, apply("lt", z, y), z), 2.3),
    (choose(z, apply("geq", z, y), inner), 2.3),
    (apply("divide", x, apply("times", y, z)), 0.7 / (1.7 * 2.3)),
    (apply("divide", x, apply("plus", apply("times", y, z))), 0.7 / (1.7 * 2.3)),
):
    analyser = libcellml.Analyser()
    analyser.analyseModel(libcellml.Parser().parseModel(HEAD + formula + TAIL))
    profile = libcellml.GeneratorProfile(libcellml.GeneratorProfile.Profile.PYTHON)
    code = libcellml.Generator().implementationCode(analyser.analyserModel(), profile)
    exec(code, space := {})
    arrays = [0.0] * 3, [0.0], []
    space["initialise_arrays"](*arrays)
    space["compute_computed_constants"](*arrays)
    written = re.search(r" computed_constants\[0\] = (.*)", code)[1]
    for number, found in enumerate(space["CONSTANT_INFO"]):
        written = written.replace(f"constants[{number}]", found["name"])
    print(f"{written}: {arrays[1][0]:.4f} for {right:.4f}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
x if lt_func(x, y) else y if lt_func(z, y) else z: 0.7000 for 2.3000
z if geq_func(z, y) else x if lt_func(x, y) else y: 2.3000 for 2.3000
x/(y*z): 0.1790 for 0.1790
x/y*z: 0.9471 for 0.1790
SEEN
