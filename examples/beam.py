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
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 99b715b667c27c38

INPUTS = ("F", "a", "E", "I", "x")
WRT = ("F", "a", "E", "I")


def value(F: float, a: float, E: float, I: float, x: float) -> float:
    """Return the value of the formula."""
    t1 = E * 24.0 * I  # 6*L*E*I
    if x <= a:
        t2 = 4.0 - a  # L - a
        t3 = t2 * (16.0 - t2 * t2 - x * x) * (F * x) / t1  # in F*b*x*(L^2 - b^2 - x^...
    else:
        t4 = 4.0 - x  # L - x
        t3 = a * (16.0 - a * a - t4 * t4) * (F * t4) / t1  # F*b*x*(L^2 - b^2 - x^2)/...
    return t3


def value_and_grad(
    F: float, a: float, E: float, I: float, x: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = E * 24.0  # in 6*L*E*I
    t2 = t1 * I  # 6*L*E*I
    t3 = 0.041666666666666664 / E / I  # in d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
    if x <= a:
        t4 = 4.0 - a  # L - a
        t5 = t4 * t4  # in L^2 - b^2 - x^2
        t6 = 16.0 - t5 - x * x
        t7 = t4 * t6
        t8 = F * x
        t9 = t7 * t8 / t2
        t10 = -(t9 * t3)  # in d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
        t11 = t8 * t3 * (2.0 * t5 - t6)  # in d(L - a)
        t12 = t7 * x * t3  # in d(F*b)
    else:
        t13 = 4.0 - x  # L - x
        t14 = a * a
        t15 = 16.0 - t14 - t13 * t13  # L^2 - b^2 - x^2
        t16 = a * t15
        t17 = F * t13
        t9 = t16 * t17 / t2  # F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
        t10 = -(t9 * t3)  # in d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
        t11 = t17 * t3 * (t15 - 2.0 * t14)  # in d(a)
        t12 = t16 * t13 * t3  # in d(F*b)
    return t9, (t12, t11, I * 24.0 * t10, t1 * t10)
