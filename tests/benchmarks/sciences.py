"""Cases written by hand, from several fields; each function is the expert's."""

from __future__ import annotations

from math import cos, erfc, exp, expm1, hypot, log, log1p, sin, sqrt

from gradc.special import exp_square
from tests.benchmarks.case import by_hand

Result = tuple[float, tuple[float, ...]]


@by_hand(
    "Rosenbrock",
    """
input x, y in [-2, 2]
(1 - x)^2 + 100*(y - x^2)^2
""",
)
def rosenbrock(x: float, y: float) -> Result:
    a = 1.0 - x
    b = y - x * x
    c = 200.0 * b
    return a * a + 0.5 * b * c, (-2.0 * (a + x * c), c)


@by_hand(
    "Black-Scholes",
    """
input S, K in [80, 120], r in [0.01, 0.1], T in [0.2, 2], sigma in [0.1, 0.5]
d1 = (log(S/K) + (r + 0.5*sigma^2)*T)/(sigma*sqrt(T))
d2 = d1 - sigma*sqrt(T)
S*0.5*(1 + erf(d1/sqrt(2))) - K*exp(-r*T)*0.5*(1 + erf(d2/sqrt(2)))
""",
    note="the expert knows that S*phi(d1) = K*exp(-r*T)*phi(d2), and has exp(-h^2)"
    " and erfc with all digits, too",
)
def black_scholes(S: float, K: float, r: float, T: float, sigma: float) -> Result:
    q = sqrt(T)
    v = sigma * q
    d1 = (log(S / K) + r * T) / v + 0.5 * v
    h = -0.7071067811865476 * d1
    n1 = 0.5 * erfc(h)
    n2 = exp(-r * T) * (0.5 * erfc(0.7071067811865476 * v + h))
    k = K * n2
    p = 0.3989422804014327 * S * exp_square(h, -1.0)
    return S * n1 - k, (n1, -n2, k * T, r * k + 0.5 * p * sigma / q, p * q)


@by_hand(
    "bundle adjustment",
    """
input r1, r2, r3 in [0.1, 0.5], C1, C2, C3 in [-0.2, 0.2], f in [0.8, 1.2]
input u0, v0, k1 in [-0.1, 0.1], k2 in [-0.05, 0.05]
input X1, X2 in [-1, 1], X3 in [4, 6]
data o1, o2 in [-0.5, 0.5]
p1 = X1 - C1
p2 = X2 - C2
p3 = X3 - C3
theta = sqrt(r1^2 + r2^2 + r3^2)
w1 = r1/theta
w2 = r2/theta
w3 = r3/theta
t = (w1*p1 + w2*p2 + w3*p3)*(1 - cos(theta))
q1 = p1*cos(theta) + (w2*p3 - w3*p2)*sin(theta) + w1*t
q2 = p2*cos(theta) + (w3*p1 - w1*p3)*sin(theta) + w2*t
q3 = p3*cos(theta) + (w1*p2 - w2*p1)*sin(theta) + w3*t
a = q1/q3
b = q2/q3
s = a^2 + b^2
L = 1 + k1*s + k2*s^2
(f*a*L + u0 - o1)^2 + (f*b*L + v0 - o2)^2
""",
    note="the domains keep away from theta = 0, where this is 0/0",
)
def bundle_adjustment(
    r1: float,
    r2: float,
    r3: float,
    C1: float,
    C2: float,
    C3: float,
    f: float,
    u0: float,
    v0: float,
    k1: float,
    k2: float,
    X1: float,
    X2: float,
    X3: float,
    o1: float,
    o2: float,
) -> Result:
    p1 = X1 - C1
    p2 = X2 - C2
    p3 = X3 - C3
    theta = hypot(r1, r2, r3)
    c = cos(theta)
    i = 1.0 / theta
    ii = i * i
    s = sin(theta) * i
    half = sin(0.5 * theta) * i
    n = 2.0 * half * half
    ds = (c - s) * ii
    dn = (s - n - n) * ii
    m1 = r2 * p3 - r3 * p2
    m2 = r3 * p1 - r1 * p3
    m3 = r1 * p2 - r2 * p1
    d = r1 * p1 + r2 * p2 + r3 * p3
    t = d * n
    z = 1.0 / (p3 * c + m3 * s + r3 * t)
    a = (p1 * c + m1 * s + r1 * t) * z
    b = (p2 * c + m2 * s + r2 * t) * z
    q = a * a + b * b
    kq = k2 * q
    h = k1 + kq
    L = 1.0 + q * h
    fL = f * L
    e1 = a * fL + u0 - o1
    e2 = b * fL + v0 - o2
    g1 = e1 + e1
    g2 = e2 + e2
    H = a * g1 + b * g2
    dL = f * H
    dk1 = dL * q
    Q = 2.0 * dL * (h + kq)
    y1 = (fL * g1 + a * Q) * z
    y2 = (fL * g2 + b * Q) * z
    y3 = -a * y1 - b * y2
    ry = r1 * y1 + r2 * y2 + r3 * y3
    dd = n * ry
    s1 = s * y1
    s2 = s * y2
    s3 = s * y3
    x1 = c * y1 + s2 * r3 - s3 * r2 + r1 * dd
    x2 = c * y2 + s3 * r1 - s1 * r3 + r2 * dd
    x3 = c * y3 + s1 * r2 - s2 * r1 + r3 * dd
    G = ds * (m1 * y1 + m2 * y2 + m3 * y3) + dn * d * ry
    G -= s1 * p1 + s2 * p2 + s3 * p3
    return e1 * e1 + e2 * e2, (
        p2 * s3 - p3 * s2 + t * y1 + dd * p1 + G * r1,
        p3 * s1 - p1 * s3 + t * y2 + dd * p2 + G * r2,
        p1 * s2 - p2 * s1 + t * y3 + dd * p3 + G * r3,
        -x1,
        -x2,
        -x3,
        L * H,
        g1,
        g2,
        dk1,
        dk1 * q,
        x1,
        x2,
        x3,
    )


@by_hand(
    "Gaussian mixture",
    """
input w1, w2, w3 in [0.1, 0.9], m1, m2, m3 in [-2, 2], s1, s2, s3 in [0.5, 2]
data x in [-2, 2]
p1 = w1/s1*exp(-((x - m1)/s1)^2/2)
p2 = w2/s2*exp(-((x - m2)/s2)^2/2)
p3 = w3/s3*exp(-((x - m3)/s3)^2/2)
-log(p1 + p2 + p3)
""",
    note="no exp underflows: the expert, too, shifts by the largest and calls log1p",
)
def gaussian_mixture(
    w1: float,
    w2: float,
    w3: float,
    m1: float,
    m2: float,
    m3: float,
    s1: float,
    s2: float,
    s3: float,
    x: float,
) -> Result:
    i1 = 1.0 / s1
    i2 = 1.0 / s2
    i3 = 1.0 / s3
    u1 = (x - m1) * i1
    u2 = (x - m2) * i2
    u3 = (x - m3) * i3
    l1 = log(w1 * i1) - 0.5 * u1 * u1
    l2 = log(w2 * i2) - 0.5 * u2 * u2
    l3 = log(w3 * i3) - 0.5 * u3 * u3
    top = max(l1, l2, l3)
    e1 = exp(l1 - top)
    e2 = exp(l2 - top)
    e3 = exp(l3 - top)
    if l1 == top:
        r = e2 + e3
    elif l2 == top:
        r = e1 + e3
    else:
        r = e1 + e2
    z = -1.0 / (1.0 + r)
    g1 = z * e1
    g2 = z * e2
    g3 = z * e3
    k1 = g1 * i1
    k2 = g2 * i2
    k3 = g3 * i3
    d1 = k1 * u1
    d2 = k2 * u2
    d3 = k3 * u3
    return -top - log1p(r), (
        g1 / w1,
        g2 / w2,
        g3 / w3,
        d1,
        d2,
        d3,
        d1 * u1 - k1,
        d2 * u2 - k2,
        d3 * u3 - k3,
    )


@by_hand(
    "van der Waals gas",
    """
input V in [1e-4, 0.1], T in [100, 1000]
R = 8.314462618
a = 0.1370
b = 3.87e-5
-R*T*(log((V - b)*T^1.5) + 1) - a/V
""",
)
def van_der_waals(V: float, T: float) -> Result:
    u = V - 3.87e-5
    q = log(u * T * sqrt(T))
    c = -8.314462618 * T
    a = 0.137 / V
    return c * (q + 1.0) - a, (a / V + c / u, -8.314462618 * (q + 2.5))


@by_hand(
    "enzyme inhibition",
    """
input vmax in [0.1, 10], km, ki, ks in [0.5, 5]
data s, i in [0.1, 10], rate in [0, 5]
(vmax*s/(km*(1 + i/ki) + s*(1 + s/ks)) - rate)^2
""",
)
def enzyme_inhibition(
    vmax: float, km: float, ki: float, ks: float, s: float, i: float, rate: float
) -> Result:
    a = i / ki
    b = 1.0 + a
    c = s / ks
    d = km * b + s * (1.0 + c)
    v = vmax * s / d
    r = v - rate
    g = (r + r) / d
    h = g * v
    return r * r, (g * s, -h * b, h * km * a / ki, h * c * c)


@by_hand(
    "double pendulum",
    """
input q1, q2 in [-3, 3], p1, p2 in [-5, 5]
data m1, m2, l1, l2 in [0.5, 2]
g = 9.80665
c = cos(q1 - q2)
moving = m2*l2^2*p1^2 + (m1 + m2)*l1^2*p2^2 - 2*m2*l1*l2*p1*p2*c
kinetic = moving/(2*m2*l1^2*l2^2*(m1 + m2*sin(q1 - q2)^2))
kinetic - (m1 + m2)*g*l1*cos(q1) - m2*g*l2*cos(q2)
""",
)
def double_pendulum(
    q1: float,
    q2: float,
    p1: float,
    p2: float,
    m1: float,
    m2: float,
    l1: float,
    l2: float,
) -> Result:
    d = q1 - q2
    c = cos(d)
    s = sin(d)
    m = m1 + m2
    a = l2 * p1
    b = l1 * p2
    e = m2 * (a - b * c)
    f = m * b - m2 * a * c
    ll = l1 * l2
    k = m2 * ll * ll
    ms = m2 * s
    z = 1.0 / (k * (m1 + ms * s))
    n = z * (a * e + b * f)
    g1 = 9.80665 * m * l1
    g2 = 9.80665 * m2 * l2
    t = ms * z * (a * b - n * c * k)
    return 0.5 * n - g1 * cos(q1) - g2 * cos(q2), (
        g1 * sin(q1) + t,
        g2 * sin(q2) - t,
        z * l2 * e,
        z * l1 * f,
    )


@by_hand(
    "satellite and oblate Earth",
    """
input x, y, z in [4000, 8000]
mu = 398600.4418
radius = 6378.137
J2 = 1.08263e-3
r = sqrt(x^2 + y^2 + z^2)
-mu/r*(1 - J2*(radius/r)^2*(3*(z/r)^2 - 1)/2)
""",
    note="no square overflows: the expert calls hypot, too",
)
def satellite(x: float, y: float, z: float) -> Result:
    i = 1.0 / hypot(x, y, z)
    ii = i * i
    m = 398600.4418 * i
    j = 22021.036089557118 * ii
    u = z * i
    w = 3.0 * u * u
    k = m * ii
    h = k * (1.0 + j * (3.0 - 5.0 * w))
    return m * (j * (w - 1.0) - 1.0), (x * h, y * h, z * (h + 6.0 * j * k))


@by_hand(
    "heat exchanger",
    """
input U in [0.5, 2], A in [1, 4], cmin in [1, 2], cmax in [3, 5]
data hot in [350, 400], cold in [280, 300]
n = U*A/cmin
c = cmin/cmax
d = exp(-n*(1 - c))
(1 - d)/(1 - c*d)*cmin*(hot - cold)
""",
    note="cmin = cmax is outside of the domains; 1 - exp is expm1 for the expert, too",
)
def heat_exchanger(
    U: float, A: float, cmin: float, cmax: float, hot: float, cold: float
) -> Result:
    n = U * A / cmin
    c = cmin / cmax
    b = c - 1.0
    q = n * b
    d = exp(q)
    cd = c * d
    m = cd - 1.0
    p = (hot - cold) / m
    e = p * expm1(q)
    f = e / m
    g = p - f * c
    h = (f - g * n) * cd
    w = b * d * g
    return e * cmin, (w * A, w * U, e - h - w * n, h * c)


@by_hand(
    "Breit-Wigner peak",
    """
input A in [1, 5], M in [80, 100], G in [1, 4], b in [0, 0.1]
data E in [80, 100], count in [0, 1]
g = M*sqrt(M^2 + G^2)
k = 2*sqrt(2)*M*G*g/(pi*sqrt(M^2 + g))
(A*k/((E^2 - M^2)^2 + M^2*G^2) + b*E - count)^2
""",
    note="no square overflows, G may be 0, and E may be near M: the expert calls hypot, "
    "too, does not divide by G, and has (E - M)*(E + M)",
)
def breit_wigner(
    A: float, M: float, G: float, b: float, E: float, count: float
) -> Result:
    mm = M * M
    gg = G * G
    v = mm + gg
    s = hypot(M, G)
    g = M * s
    w = mm + g
    d = (E - M) * (E + M)
    n = d * d + mm * gg
    fG = 0.9003163161571061 * M * g / (sqrt(w) * n)
    f = fG * G
    r = A * f + b * E - count
    c = r + r
    cA = c * A
    h = cA * f
    t = (1.0 / g - 0.5 / w) / s
    i = 2.0 / n
    dM = 1.0 / M + (mm + v) * t - M * (1.0 / w + i * (gg - d - d))
    return r * r, (c * f, h * dM, cA * fG + h * G * (M * t - mm * i), c * E)


CASES = [
    rosenbrock,
    black_scholes,
    bundle_adjustment,
    gaussian_mixture,
    van_der_waals,
    enzyme_inhibition,
    double_pendulum,
    satellite,
    heat_exchanger,
    breit_wigner,
]
