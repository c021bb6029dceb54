#!/usr/bin/env bash
# SciPy 1.17.1: a ValueError or TypeError that the objective raises leaves
# `differential_evolution` as a RuntimeError about a "map-like callable", though no `workers`
# are given; what went wrong is only in its `__cause__`. An ArithmeticError goes through, as
# does each of them from `dual_annealing`.
# Seen on Python 3.11, Linux x86-64:
#     differential_evolution, ValueError: RuntimeError: The map-like callable must be of the form 
#     differential_evolution, TypeError: RuntimeError: The map-like callable must be of the form 
#     differential_evolution, ArithmeticError: ArithmeticError: the sensor has no calibration
#     dual_annealing, ValueError: ValueError: the sensor has no calibration
#     dual_annealing, TypeError: TypeError: the sensor has no calibration
#     dual_annealing, ArithmeticError: ArithmeticError: the sensor has no calibration
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet scipy==1.17.1 numpy==2.4.6
"$work/venv/bin/python" - >"$work/seen" <<'PYTHON'
from scipy.optimize import differential_evolution, dual_annealing


def raiser(kind):
    def cost(x):
        raise kind("the sensor has no calibration")

    return cost


for solver in (differential_evolution, dual_annealing):
    for kind in (ValueError, TypeError, ArithmeticError):
        try:
            solver(raiser(kind), [(0, 1)])
        except Exception as error:
            print(f"{solver.__name__}, {kind.__name__}: {type(error).__name__}", end="")
            print(f": {str(error)[:42]}")
PYTHON
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
differential_evolution, ValueError: RuntimeError: The map-like callable must be of the form 
differential_evolution, TypeError: RuntimeError: The map-like callable must be of the form 
differential_evolution, ArithmeticError: ArithmeticError: the sensor has no calibration
dual_annealing, ValueError: ValueError: the sensor has no calibration
dual_annealing, TypeError: TypeError: the sensor has no calibration
dual_annealing, ArithmeticError: ArithmeticError: the sensor has no calibration
SEEN
