"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

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

# Do not edit: change the formula and compile it again.
# digest: a29e1d350554ac96ccdd795297d23f23

INPUTS = ("F", "a", "E", "I", "x")
WRT = ("F", "a", "E", "I")


def value(F: float, a: float, E: float, I: float, x: float) -> float:
    """Return the value of the formula."""
    t1 = 24.0 * E * I  # 6*L*E*I
    if x <= a:
        t2 = 4.0 - a  # L - a
        t3 = F * x * (16.0 - t2 * t2 - x * x) * t2 / t1  # F*b*x*(L^2 - b^2 - x^2)/(6...
    else:
        t4 = 4.0 - x  # L - x
        t3 = F * t4 * (16.0 - a * a - t4 * t4) * a / t1  # F*b*x*(L^2 - b^2 - x^2)/(6...
    return t3


def value_and_grad(
    F: float, a: float, E: float, I: float, x: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = 24.0 * E * I  # 6*L*E*I
    t2 = 1.0 / t1  # d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
    t3 = 2.0 * t2  # d(L - a)
    if x <= a:
        t4 = 4.0 - a  # L - a
        t5 = t4 * t4
        t6 = 16.0 - t5 - x * x  # L^2 - b^2 - x^2
        t7 = F * x
        t8 = t7 * t6
        t9 = t8 * t4 / t1  # F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
        t10 = t2 * t9  # d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
        d_a = -(t2 * t8 - t3 * t7 * t5)
        d_F = t2 * t6 * x * t4  # d(F*b)
    else:
        t11 = 4.0 - x  # L - x
        t12 = a * a
        t13 = 16.0 - t12 - t11 * t11  # L^2 - b^2 - x^2
        t14 = F * t11
        t15 = t14 * t13
        t9 = t15 * a / t1  # F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I)
        t10 = t2 * t9  # d(F*b*x*(L^2 - b^2 - x^2)/(6*L*E*I))
        d_a = t2 * t15 - t3 * t14 * t12  # d(a)
        d_F = t2 * t13 * t11 * a  # d(F*b)
    t16 = -24.0 * t10
    return t9, (d_F, d_a, t16 * I, t16 * E)
