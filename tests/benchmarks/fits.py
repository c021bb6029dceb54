"""More cases written by hand: likelihoods, losses and residuals that are fitted."""

from __future__ import annotations

from math import exp, expm1, log, log1p

from gradc.special import loggamma
from tests.benchmarks.case import by_hand

Result = tuple[float, tuple[float, ...]]


@by_hand(
    "Weibull lifetimes, one censored",
    """
input k in [0.5, 3], lam in [0.5, 3]
data t1, t2, t3, t4 in [0.1, 5]
z1 = t1/lam
z2 = t2/lam
z3 = t3/lam
z4 = t4/lam
3*(log(k) - log(lam)) + (k - 1)*(log(z1) + log(z2) + log(z3)) - z1^k - z2^k - z3^k - z4^k
""",
    note="log(k) - log(lam) is log1p where they are near: so for the expert",
)
def weibull(k: float, lam: float, t1: float, t2: float, t3: float, t4: float) -> Result:
    l1 = log(t1 / lam)
    l2 = log(t2 / lam)
    l3 = log(t3 / lam)
    l4 = log(t4 / lam)
    p1 = exp(k * l1)
    p2 = exp(k * l2)
    p3 = exp(k * l3)
    p4 = exp(k * l4)
    s = l1 + l2 + l3
    P = p1 + p2 + p3 + p4
    q = k / lam
    r = log1p((k - lam) / lam) if 0.5 < q < 2.0 else log(q)
    return (
        3.0 * r + (k - 1.0) * s - P,
        (3.0 / k + s - p1 * l1 - p2 * l2 - p3 * l3 - p4 * l4, q * (P - 3.0)),
    )


@by_hand(
    "flash of 4 components",
    """
input V in [0.1, 0.9], k1, k2 in [1.5, 5], k3, k4 in [0.1, 0.9]
data z1, z2, z3, z4 in [0.1, 0.4]
z1*(k1 - 1)/(1 + V*(k1 - 1)) + z2*(k2 - 1)/(1 + V*(k2 - 1)) + z3*(k3 - 1)/(1 + V*(k3 - 1)) + z4*(k4 - 1)/(1 + V*(k4 - 1))
""",
)
def flash(
    V: float,
    k1: float,
    k2: float,
    k3: float,
    k4: float,
    z1: float,
    z2: float,
    z3: float,
    z4: float,
) -> Result:
    a1 = k1 - 1.0
    b1 = 1.0 + V * a1
    q1 = z1 / b1
    r1 = a1 * q1
    a2 = k2 - 1.0
    b2 = 1.0 + V * a2
    q2 = z2 / b2
    r2 = a2 * q2
    a3 = k3 - 1.0
    b3 = 1.0 + V * a3
    q3 = z3 / b3
    r3 = a3 * q3
    a4 = k4 - 1.0
    b4 = 1.0 + V * a4
    q4 = z4 / b4
    r4 = a4 * q4
    return r1 + r2 + r3 + r4, (
        -(r1 * a1 / b1 + r2 * a2 / b2 + r3 * a3 / b3 + r4 * a4 / b4),
        q1 / b1,
        q2 / b2,
        q3 / b3,
        q4 / b4,
    )


@by_hand(
    "Arrhenius law, 3 readings",
    """
input A in [1, 5], E in [1, 5], n in [-1, 1]
data T1, T2, T3 in [0.5, 2], k1, k2, k3 in [0.1, 3]
(log(A) + n*log(T1) - E/T1 - log(k1))^2 + (log(A) + n*log(T2) - E/T2 - log(k2))^2 + (log(A) + n*log(T3) - E/T3 - log(k3))^2
""",
    note="log(A) - log(k) is log1p where they are near: so for the expert",
)
def arrh(
    A: float,
    E: float,
    n: float,
    T1: float,
    T2: float,
    T3: float,
    k1: float,
    k2: float,
    k3: float,
) -> Result:
    l1 = log(T1)
    l2 = log(T2)
    l3 = log(T3)
    q1 = A / k1
    q2 = A / k2
    q3 = A / k3
    r1 = log1p((A - k1) / k1) if 0.5 < q1 < 2.0 else log(q1)
    r2 = log1p((A - k2) / k2) if 0.5 < q2 < 2.0 else log(q2)
    r3 = log1p((A - k3) / k3) if 0.5 < q3 < 2.0 else log(q3)
    r1 += n * l1 - E / T1
    r2 += n * l2 - E / T2
    r3 += n * l3 - E / T3
    return r1 * r1 + r2 * r2 + r3 * r3, (
        2.0 * ((r1 + r2 + r3) / A),
        -2.0 * (r1 / T1 + r2 / T2 + r3 / T3),
        2.0 * (r1 * l1 + r2 * l2 + r3 * l3),
    )


@by_hand(
    "cross-entropy of 4 logits",
    """
input a, b, c, d in [-3, 3]
data p, q, r, s in [0.1, 0.4]
m = log(exp(a) + exp(b) + exp(c) + exp(d))
p*(m - a) + q*(m - b) + r*(m - c) + s*(m - d)
""",
    note="nothing overflows, and a certain label keeps its digits: so for the expert",
)
def xent(
    a: float, b: float, c: float, d: float, p: float, q: float, r: float, s: float
) -> Result:
    top = max(a, b, c, d)
    ea = exp(a - top)
    eb = exp(b - top)
    ec = exp(c - top)
    ed = exp(d - top)
    if a == top:
        rest = eb + ec + ed
    elif b == top:
        rest = ea + ec + ed
    elif c == top:
        rest = ea + eb + ed
    else:
        rest = ea + eb + ec
    m = log1p(rest)
    T = 1.0 + rest
    value = (
        p * (top - a + m) + q * (top - b + m) + r * (top - c + m) + s * (top - d + m)
    )
    ab = p + q
    cd = r + s
    return value, (
        ((q + cd) * ea - p * (rest if a == top else T - ea)) / T,
        ((p + cd) * eb - q * (rest if b == top else T - eb)) / T,
        ((ab + s) * ec - r * (rest if c == top else T - ec)) / T,
        ((ab + r) * ed - s * (rest if d == top else T - ed)) / T,
    )


@by_hand(
    "Huber line, 3 readings",
    """
input a in [-1, 1], b in [-1, 1]
data x1, x2, x3 in [-1, 1], y1, y2, y3 in [-1.5, 1.5]
r = a + b*x1 - y1
s = a + b*x2 - y2
t = a + b*x3 - y3
h = where(abs(r) < 1, r^2/2, abs(r) - 0.5) + where(abs(s) < 1, s^2/2, abs(s) - 0.5)
h + where(abs(t) < 1, t^2/2, abs(t) - 0.5)
""",
)
def huber(
    a: float, b: float, x1: float, x2: float, x3: float, y1: float, y2: float, y3: float
) -> Result:
    r = a + b * x1 - y1
    if -1.0 < r < 1.0:
        g1 = r
        f = 0.5 * r * r
    elif r > 0.0:
        g1 = 1.0
        f = r - 0.5
    else:
        g1 = -1.0
        f = -0.5 - r
    r = a + b * x2 - y2
    if -1.0 < r < 1.0:
        g2 = r
        f += 0.5 * r * r
    elif r > 0.0:
        g2 = 1.0
        f += r - 0.5
    else:
        g2 = -1.0
        f += -0.5 - r
    r = a + b * x3 - y3
    if -1.0 < r < 1.0:
        g3 = r
        f += 0.5 * r * r
    elif r > 0.0:
        g3 = 1.0
        f += r - 0.5
    else:
        g3 = -1.0
        f += -0.5 - r
    return f, (g1 + g2 + g3, g1 * x1 + g2 * x2 + g3 * x3)


@by_hand(
    "Poisson, 3 counts",
    """
input a, b in [-1, 1]
data x1, x2, x3 in [-1, 1], y1, y2, y3 in [0, 9]
e1 = a + b*x1
e2 = a + b*x2
e3 = a + b*x3
y1*e1 - exp(e1) - lgamma(y1 + 1) + y2*e2 - exp(e2) - lgamma(y2 + 1) + y3*e3 - exp(e3) - lgamma(y3 + 1)
""",
    note="lgamma keeps its digits at its roots 1 and 2: so for the expert",
)
def poisson(
    a: float, b: float, x1: float, x2: float, x3: float, y1: float, y2: float, y3: float
) -> Result:
    e1 = a + b * x1
    e2 = a + b * x2
    e3 = a + b * x3
    m1 = exp(e1)
    m2 = exp(e2)
    m3 = exp(e3)
    r1 = y1 - m1
    r2 = y2 - m2
    r3 = y3 - m3
    return (
        y1 * e1
        - m1
        - loggamma(y1 + 1.0)
        + y2 * e2
        - m2
        - loggamma(y2 + 1.0)
        + y3 * e3
        - m3
        - loggamma(y3 + 1.0),
        (r1 + r2 + r3, r1 * x1 + r2 * x2 + r3 * x3),
    )


@by_hand(
    "Lotka-Volterra, a step of RK4",
    """
input x, y in [1, 2], a, b, c, d in [0.5, 1]
data h in [0.01, 0.1]
f(u, v) = u*(a - b*v)
g(u, v) = v*(d*u - c)
k1 = f(x, y)
l1 = g(x, y)
x2 = x + h/2*k1
y2 = y + h/2*l1
k2 = f(x2, y2)
l2 = g(x2, y2)
x3 = x + h/2*k2
y3 = y + h/2*l2
k3 = f(x3, y3)
l3 = g(x3, y3)
x4 = x + h*k3
y4 = y + h*l3
(x + h/6*(k1 + 2*k2 + 2*k3 + f(x4, y4)))^2 + (y + h/6*(l1 + 2*l2 + 2*l3 + g(x4, y4)))^2
""",
)
def lotka(
    x: float, y: float, a: float, b: float, c: float, d: float, h: float
) -> Result:
    h2 = 0.5 * h
    p1 = a - b * y
    q1 = d * x - c
    k1 = x * p1
    l1 = y * q1
    x2 = x + h2 * k1
    y2 = y + h2 * l1
    p2 = a - b * y2
    q2 = d * x2 - c
    k2 = x2 * p2
    l2 = y2 * q2
    x3 = x + h2 * k2
    y3 = y + h2 * l2
    p3 = a - b * y3
    q3 = d * x3 - c
    k3 = x3 * p3
    l3 = y3 * q3
    x4 = x + h * k3
    y4 = y + h * l3
    p4 = a - b * y4
    q4 = d * x4 - c
    h6 = h / 6.0
    X = x + h6 * (k1 + 2.0 * (k2 + k3) + x4 * p4)
    Y = y + h6 * (l1 + 2.0 * (l2 + l3) + y4 * q4)
    bX = X + X
    bY = Y + Y
    bk4 = h6 * bX
    bl4 = h6 * bY
    kx4 = bk4 * x4
    ly4 = bl4 * y4
    bx4 = bk4 * p4 + d * ly4
    by4 = bl4 * q4 - b * kx4
    tk = bk4 + bk4
    tl = bl4 + bl4
    bk3 = tk + h * bx4
    bl3 = tl + h * by4
    kx3 = bk3 * x3
    ly3 = bl3 * y3
    bx3 = bk3 * p3 + d * ly3
    by3 = bl3 * q3 - b * kx3
    bk2 = tk + h2 * bx3
    bl2 = tl + h2 * by3
    kx2 = bk2 * x2
    ly2 = bl2 * y2
    bx2 = bk2 * p2 + d * ly2
    by2 = bl2 * q2 - b * kx2
    bk1 = bk4 + h2 * bx2
    bl1 = bl4 + h2 * by2
    kx1 = bk1 * x
    ly1 = bl1 * y
    return X * X + Y * Y, (
        bX + bx4 + bx3 + bx2 + bk1 * p1 + d * ly1,
        bY + by4 + by3 + by2 + bl1 * q1 - b * kx1,
        kx1 + kx2 + kx3 + kx4,
        -(kx1 * y + kx2 * y2 + kx3 * y3 + kx4 * y4),
        -(ly1 + ly2 + ly3 + ly4),
        ly1 * x + ly2 * x2 + ly3 * x3 + ly4 * x4,
    )


@by_hand(
    "Nelson-Siegel, 3 maturities",
    """
input b0, b1, b2 in [-1, 1], l in [0.5, 1.5]
data t1, t2, t3 in [0.5, 10], y1, y2, y3 in [-1, 1]
n(t) = b0 + b1*(1 - exp(-t/l))/(t/l) + b2*((1 - exp(-t/l))/(t/l) - exp(-t/l))
(n(t1) - y1)^2 + (n(t2) - y2)^2 + (n(t3) - y3)^2
""",
    note="expm1 for the expert, too",
)
def ns(
    b0: float,
    b1: float,
    b2: float,
    l: float,
    t1: float,
    t2: float,
    t3: float,
    y1: float,
    y2: float,
    y3: float,
) -> Result:
    x1 = t1 / l
    x2 = t2 / l
    x3 = t3 / l
    m1 = -expm1(-x1)
    m2 = -expm1(-x2)
    m3 = -expm1(-x3)
    e1 = exp(-x1)
    e2 = exp(-x2)
    e3 = exp(-x3)
    f1 = m1 / x1
    f2 = m2 / x2
    f3 = m3 / x3
    d1 = f1 - e1
    d2 = f2 - e2
    d3 = f3 - e3
    r1 = b0 + b1 * f1 + b2 * d1 - y1
    r2 = b0 + b1 * f2 + b2 * d2 - y2
    r3 = b0 + b1 * f3 + b2 * d3 - y3
    bb = b1 + b2
    return r1 * r1 + r2 * r2 + r3 * r3, (
        2.0 * (r1 + r2 + r3),
        2.0 * (r1 * f1 + r2 * f2 + r3 * f3),
        2.0 * (r1 * d1 + r2 * d2 + r3 * d3),
        2.0
        * (
            r1 * (bb * d1 - b2 * x1 * e1)
            + r2 * (bb * d2 - b2 * x2 * e2)
            + r3 * (bb * d3 - b2 * x3 * e3)
        )
        / l,
    )


@by_hand(
    "Gaussian beam",
    """
input A in [1, 5], B in [0, 1], x0, y0 in [-1, 1], sx, sy in [0.5, 2]
data x, y in [-2, 2], z in [0, 5]
(A*exp(-((x - x0)^2/(2*sx^2) + (y - y0)^2/(2*sy^2))) + B - z)^2
""",
)
def beam(
    A: float,
    B: float,
    x0: float,
    y0: float,
    sx: float,
    sy: float,
    x: float,
    y: float,
    z: float,
) -> Result:
    u = (x - x0) / sx
    v = (y - y0) / sy
    e = exp(-0.5 * (u * u + v * v))
    p = A * e
    r = p + B - z
    g = r + r
    h = g * p
    hx = h * u / sx
    hy = h * v / sy
    return r * r, (g * e, g, hx, hy, hx * u, hy * v)


CASES = [weibull, flash, arrh, xent, huber, poisson, lotka, ns, beam]
