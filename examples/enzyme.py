"""Fits the speed of an enzyme with five of SciPy's solvers, all given exact derivatives.

The readings are Treloar's of 1974: the initial speed of a reaction at several
concentrations, with the enzyme treated with puromycin. Michaelis and Menten's law has
two constants, the highest speed and the concentration at which half of it is reached.
Needs gradc, NumPy and SciPy.
"""

import numpy as np
from scipy.optimize import curve_fit, least_squares, minimize, root

import gradc

CONCENTRATION = [
    *(0.02, 0.02, 0.06, 0.06, 0.11, 0.11),
    *(0.22, 0.22, 0.56, 0.56, 1.1, 1.1),
]
SPEED = [*(76, 47, 97, 107, 123, 139), *(159, 152, 191, 201, 207, 200)]
COUNT = len(SPEED)
START = [150.0, 0.1]


def speeds(s, highest, half):
    """Return the speed at each concentration."""
    return [highest * c / (half + c) for c in s]


def residuals(x):
    """Return by how much each reading is missed, `x` being the two constants."""
    return [v - seen for v, seen in zip(speeds(CONCENTRATION, *x), SPEED)]


def squares(x):
    """Return the sum of the squares of the residuals."""
    return sum(r * r for r in residuals(x))


def through(x):
    """Return by how much the law misses two readings, to find where to start."""
    first, last = residuals(x)[2], residuals(x)[-1]
    return [first, last]


def report(solver, constants):
    print(f"{solver:24} {constants[0]:8.3f} {constants[1]:9.5f}")


if __name__ == "__main__":
    print("solver                    highest      half")
    law = gradc.trace(
        speeds,
        {"wrt": ("highest", "half"), "numpy": True},
        s=(COUNT,),
        highest=(),
        half=(),
    )
    fit, _ = curve_fit(law, CONCENTRATION, SPEED, START, jac=law.jacobian)
    report("curve_fit", fit)

    missed = gradc.trace(residuals, {"numpy": True}, x=(2,))
    report("least_squares", least_squares(missed, START, jac=missed.jacobian).x)

    total = gradc.trace(squares, {"emit": "gradient,hessian", "numpy": True}, x=(2,))
    report("minimize, BFGS", minimize(total.value_and_grad, START, jac=True).x)
    trust = minimize(
        total.value_and_grad,
        START,
        method="trust-constr",
        jac=True,
        hess=total.hessian,
        bounds=[(0, 500), (0, 2)],
    )
    report("minimize, trust-constr", trust.x)

    two = gradc.trace(through, {"numpy": True}, x=(2,))
    report("root, of two readings", root(two.value_and_jacobian, START, jac=True).x)
    print(f"sum of squares {np.square(missed(fit)).sum():.3f}")
