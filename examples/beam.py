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
# digest: 28251913de6269a4

INPUTS = ("F", "a", "E", "I", "x")
WRT = ("F", "a", "E", "I")


def value(F: float, a: float, E: float, I: float, x: float) -> float:
    """Return the value of the formula."""
    t1 = E * 24.0 * I  # 6*L*E*I
    if x <= a:
        t2 = 4.0 - a  # L - a
        t3 = F * (x * t2 * (16.0 - t2 * t2 - x * x) / t1)  # in F*b*x*(L^2 - b^2 - x^...
    else:
        t4 = 4.0 - x  # L - x
        t3 = F * (a * t4 * (16.0 - a * a - t4 * t4) / t1)  # F*b*x*(L^2 - b^2 - x^2)/...
    return t3


def value_and_grad(
    F: float, a: float, E: float, I: float, x: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = E * 24.0  # in 6*L*E*I
    t2 = t1 * I  # 6*L*E*I
    t3 = 0.041666666666666664 / E / I  # in d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
    t4 = t3 * F  # in d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
    if x <= a:
        t5 = 4.0 - a  # L - a
        t6 = t5 * t5  # in L^2 - b^2 - x^2
        t7 = 16.0 - t6 - x * x
        t8 = x * t5 * t7
        t9 = t8 / t2
        t10 = F * t9
        t11 = -(t4 * t9)  # in d(6*L*E*I)
        t12 = (2.0 * t6 - t7) * t3 * x * F  # in d(L - a)
        t13 = t3 * t8  # in d(F*b)
    else:
        t14 = 4.0 - x  # L - x
        t15 = a * a
        t16 = 16.0 - t15 - t14 * t14  # L^2 - b^2 - x^2
        t17 = a * t14 * t16
        t18 = t17 / t2
        t10 = F * t18  # F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
        t11 = -(t4 * t18)  # in d(6*L*E*I)
        t12 = (t16 - 2.0 * t15) * t3 * t14 * F  # in d(a)
        t13 = t3 * t17  # in d(F*b)
    return t10, (t13, t12, 24.0 * t11 * I, t1 * t11)
