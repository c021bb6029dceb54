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
# digest: 270cf8fda6fb62ec

INPUTS = ("F", "a", "E", "I", "x")
WRT = ("F", "a", "E", "I")


def value(F: float, a: float, E: float, I: float, x: float) -> float:
    """Return the value of the formula."""
    t1 = 24.0 * E * I  # 6*L*E*I
    if x <= a:
        t2 = 4.0 - a  # L - a
        t3 = F * x * (16.0 - t2 * t2 - x * x) * t2 / t1  # in F*b*x*(L^2 - b^2 - x^2)...
    else:
        t4 = 4.0 - x  # L - x
        t3 = F * t4 * (16.0 - a * a - t4 * t4) * a / t1  # F*b*x*(L^2 - b^2 - x^2)/(...
    return t3


def value_and_grad(
    F: float, a: float, E: float, I: float, x: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = 24.0 * E
    t2 = t1 * I  # 6*L*E*I
    t3 = 1.0 / t2  # in d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
    t4 = -t3  # in d(6*L*E*I)
    t5 = 2.0 * t3  # in d(L - a)
    if x <= a:
        t6 = 4.0 - a  # L - a
        t7 = t6 * t6  # in L^2 - b^2 - x^2
        t8 = 16.0 - t7 - x * x
        t9 = F * x
        t10 = t9 * t8
        t11 = t10 * t6 / t2
        t12 = t4 * t11  # in d(6*L*E*I)
        t13 = t5 * t9 * t7 - t3 * t10  # in d(L - a)
        t14 = t3 * t8 * x * t6  # in d(F*b)
    else:
        t15 = 4.0 - x  # L - x
        t16 = a * a
        t17 = 16.0 - t16 - t15 * t15  # L^2 - b^2 - x^2
        t18 = F * t15
        t19 = t18 * t17
        t11 = t19 * a / t2  # F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
        t12 = t4 * t11  # in d(6*L*E*I)
        t13 = t3 * t19 - t5 * t18 * t16  # in d(a)
        t14 = t3 * t17 * t15 * a  # in d(F*b)
    return t11, (t14, t13, 24.0 * t12 * I, t1 * t12)
