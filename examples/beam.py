"""A formula and its gradient, compiled by gradc 0.2.0.

# Deflection at x of a beam that rests on its two ends and carries a force F at a
# (Euler and Bernoulli).
input F in [0, 1e4]           # newtons
input a in [0.5, 3.5]         # metres from the left end
input E in [1e10, 2.1e11]     # stiffness of the material, pascals
input I in [1e-6, 1e-4]       # second moment of the cross-section
data x in [0, 4]
L = 4                         # length

# as seen from the end that has the force beyond x, at the distance b from the other
bend(x, b) = F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
bend(x, L - a) if x <= a else bend(L - x, a)

Arguments:
    F: in [0, 10000]
    a: in [0.5, 3.5]
    E: in [1e+10, 2.1e+11]
    I: in [1e-06, 0.0001]
    x: data, gets no derivative; in [0, 4]
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: ebd48e1f3ecb13c4

INPUTS = ("F", "a", "E", "I", "x")
WRT = ("F", "a", "E", "I")


def value(F: float, a: float, E: float, I: float, x: float) -> float:
    """Return the value of the formula."""
    t1 = 24.0 * E * I  # 6*L*E*I
    if x <= a:
        t2 = 4.0 - a  # L - a
        t3 = x * (16.0 - t2 * t2 - x * x) * t2 / t1 * F  # in F*b*x*(L^2 - b^2 - x^2)...
    else:
        t4 = 4.0 - x  # L - x
        t3 = t4 * (16.0 - a * a - t4 * t4) * a / t1 * F  # F*b*x*(L^2 - b^2 - x^2)/(...
    return t3


def value_and_grad(
    F: float, a: float, E: float, I: float, x: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = 24.0 * E * I  # 6*L*E*I
    t2 = 1.0 / t1  # in d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
    t3 = 2.0 * t2  # in d(L - a)
    if x <= a:
        t4 = 4.0 - a  # L - a
        t5 = t4 * t4  # in L^2 - b^2 - x^2
        t6 = x * (16.0 - t5 - x * x)
        t7 = t6 * t4 / t1 * F
        t8 = t2 * t7  # in d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
        t9 = t2 * t6  # in d(L - a)
        t10 = (t3 * x * t5 - t9) * F  # in d(L - a)
        t11 = t9 * t4  # in d(F*b)
    else:
        t12 = 4.0 - x  # L - x
        t13 = a * a
        t14 = t12 * (16.0 - t13 - t12 * t12)
        t7 = t14 * a / t1 * F  # F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
        t8 = t2 * t7  # in d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
        t15 = t2 * t14  # in d(a)
        t10 = (t15 - t3 * t12 * t13) * F  # in d(a)
        t11 = t15 * a  # in d(F*b)
    t16 = -24.0 * t8
    return t7, (t11, t10, t16 * I, t16 * E)
