"""Models that people fit, from a few more fields; each function is the expert's."""

from __future__ import annotations

from math import cos, log, log1p, sin, sqrt

from tests.benchmarks.case import by_hand

Result = tuple[float, tuple[float, ...]]


@by_hand(
    "Sellmeier glass",
    """
input B1, B3 in [0.8, 1.2], B2 in [0.1, 0.4]
input C1 in [0.004, 0.01], C2 in [0.015, 0.025], C3 in [90, 110]
data w in [0.4, 1], n in [1.4, 1.6]
s = w^2
(sqrt(1 + B1*s/(s - C1) + B2*s/(s - C2) + B3*s/(s - C3)) - n)^2
""",
)
def sellmeier(
    B1: float,
    B3: float,
    B2: float,
    C1: float,
    C2: float,
    C3: float,
    w: float,
    n: float,
) -> Result:
    s = w * w
    u1 = s - C1
    u2 = s - C2
    u3 = s - C3
    a1 = B1 / u1
    a2 = B2 / u2
    a3 = B3 / u3
    q = sqrt(1.0 + s * (a1 + a2 + a3))
    e = q - n
    g = e / q * s
    g1 = g / u1
    g2 = g / u2
    g3 = g / u3
    return e * e, (g1, g3, g2, g1 * a1, g2 * a2, g3 * a3)


@by_hand(
    "robust line, 4 readings",
    """
input a, b in [-1, 1], s in [0.5, 2]
data nu in [2, 8], x1, x2, x3, x4 in [-3, 3], y1, y2, y3, y4 in [-3, 3]
loss(x, y) = log(1 + ((y - a - b*x)/s)^2/nu)
0.5*(nu + 1)*(loss(x1, y1) + loss(x2, y2) + loss(x3, y3) + loss(x4, y4)) + 4*log(s)
""",
    note="log(1 + u) is log1p(u) for the expert, too",
)
def robust_line(
    a: float,
    b: float,
    s: float,
    nu: float,
    x1: float,
    x2: float,
    x3: float,
    x4: float,
    y1: float,
    y2: float,
    y3: float,
    y4: float,
) -> Result:
    r1 = y1 - a - b * x1
    r2 = y2 - a - b * x2
    r3 = y3 - a - b * x3
    r4 = y4 - a - b * x4
    q1 = r1 * r1
    q2 = r2 * r2
    q3 = r3 * r3
    q4 = r4 * r4
    v = nu * s * s
    w1 = r1 / (v + q1)
    w2 = r2 / (v + q2)
    w3 = r3 / (v + q3)
    w4 = r4 / (v + q4)
    m = -1.0 - nu
    total = log1p(q1 / v) + log1p(q2 / v) + log1p(q3 / v) + log1p(q4 / v)
    return 4.0 * log(s) - 0.5 * m * total, (
        m * (w1 + w2 + w3 + w4),
        m * (w1 * x1 + w2 * x2 + w3 * x3 + w4 * x4),
        (4.0 + m * (w1 * r1 + w2 * r2 + w3 * r3 + w4 * r4)) / s,
    )


@by_hand(
    "epidemic, 4 days",
    """
input beta in [0.2, 0.6], gamma in [0.05, 0.2], i0 in [0.01, 0.05]
data y1, y2, y3, y4 in [0, 0.3]
s0 = 1 - i0
f1 = beta*s0*i0
s1 = s0 - f1
i1 = i0 + f1 - gamma*i0
f2 = beta*s1*i1
s2 = s1 - f2
i2 = i1 + f2 - gamma*i1
f3 = beta*s2*i2
s3 = s2 - f3
i3 = i2 + f3 - gamma*i2
f4 = beta*s3*i3
i4 = i3 + f4 - gamma*i3
(i1 - y1)^2 + (i2 - y2)^2 + (i3 - y3)^2 + (i4 - y4)^2
""",
)
def epidemic(
    beta: float,
    gamma: float,
    i0: float,
    y1: float,
    y2: float,
    y3: float,
    y4: float,
) -> Result:
    c = 1.0 - gamma
    s0 = 1.0 - i0
    b0 = beta * s0
    f = b0 * i0
    s1 = s0 - f
    i1 = c * i0 + f
    b1 = beta * s1
    f = b1 * i1
    s2 = s1 - f
    i2 = c * i1 + f
    b2 = beta * s2
    f = b2 * i2
    s3 = s2 - f
    i3 = c * i2 + f
    b3 = c + beta * s3
    e1 = i1 - y1
    e2 = i2 - y2
    e3 = i3 - y3
    e4 = b3 * i3 - y4
    # Halves of derivatives: d by the infected of a day, t by the susceptible of a day.
    h3 = e4 * i3
    d3 = e3 + b3 * e4
    t = beta * h3
    g = d3 - t
    h2 = g * i2
    d2 = e2 + c * d3 + g * b2
    t += beta * h2
    g = d2 - t
    h1 = g * i1
    d1 = e1 + c * d2 + g * b1
    t += beta * h1
    g = d1 - t
    h0 = g * i0
    return e1 * e1 + e2 * e2 + e3 * e3 + e4 * e4, (
        2.0 * (h3 * s3 + h2 * s2 + h1 * s1 + h0 * s0),
        -2.0 * (h3 + d3 * i2 + d2 * i1 + d1 * i0),
        2.0 * (c * d1 + g * b0 - t - beta * h0),
    )


@by_hand(
    "robot arm, 3 joints",
    """
input q1, q2, q3 in [-1.5, 1.5]
data l1, l2, l3 in [0.5, 1], x, y in [-1, 1]
q12 = q1 + q2
q123 = q12 + q3
dx = l1*cos(q1) + l2*cos(q12) + l3*cos(q123) - x
dy = l1*sin(q1) + l2*sin(q12) + l3*sin(q123) - y
dx^2 + dy^2
""",
)
def robot_arm(
    q1: float,
    q2: float,
    q3: float,
    l1: float,
    l2: float,
    l3: float,
    x: float,
    y: float,
) -> Result:
    a = q1 + q2
    b = a + q3
    c3 = l3 * cos(b)
    s3 = l3 * sin(b)
    c2 = l2 * cos(a) + c3
    s2 = l2 * sin(a) + s3
    c1 = l1 * cos(q1) + c2
    s1 = l1 * sin(q1) + s2
    u = c1 - x
    v = s1 - y
    g = u + u
    h = v + v
    return u * u + v * v, (h * c1 - g * s1, h * c2 - g * s2, h * c3 - g * s3)


CASES = [sellmeier, robust_line, epidemic, robot_arm]
