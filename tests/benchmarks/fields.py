"""Cases from more fields, written before anyone saw what gradc makes of them."""

from __future__ import annotations

from math import exp, expm1, hypot, isfinite, log, sqrt, tanh

from gradc.special import sech2
from tests.benchmarks.case import by_hand

Result = tuple[float, tuple[float, ...]]


@by_hand(
    "Redlich-Kwong gas",
    """
input V in [0.1, 2], T in [300, 1000], a in [1, 10], b in [0.01, 0.05]
R = 0.08314
R*T/(V - b) - a/(sqrt(T)*V*(V + b))
""",
    note="no factor of the product is 0: its derivatives are its quotients by them",
)
def redlich_kwong(V: float, T: float, a: float, b: float) -> Result:
    u = V - b
    w = V + b
    c = 0.08314 / u
    p = c * T
    D = V * sqrt(T) * w
    h = a / D
    hw = h / w
    pu = p / u
    return p - h, (h / V + hw - pu, c + 0.5 * h / T, -1.0 / D, pu + hw)


@by_hand(
    "reversible enzyme",
    """
input vf, vr, ks, kp in [0.5, 5]
data s, p in [0.1, 5], rate in [-2, 2]
((vf*s/ks - vr*p/kp)/(1 + s/ks + p/kp) - rate)^2
""",
)
def reversible_enzyme(
    vf: float, vr: float, ks: float, kp: float, s: float, p: float, rate: float
) -> Result:
    a = s / ks
    b = p / kp
    d = 1.0 + a + b
    v = (vf * a - vr * b) / d
    r = v - rate
    g = (r + r) / d
    ga = g * a
    gb = g * b
    return r * r, (ga, -gb, ga * (v - vf) / ks, gb * (v + vr) / kp)


@by_hand(
    "gated recurrent unit",
    """
input wz, uz, bz, wr, ur, br, wh, uh, bh in [-1, 1]
data x, h in [-1, 1], y in [-1, 1]
z = sigmoid(wz*x + uz*h + bz)
r = sigmoid(wr*x + ur*h + br)
c = tanh(wh*x + uh*(r*h) + bh)
((1 - z)*h + z*c - y)^2
""",
    note="1 - tanh(x)^2 gives way to sech2(x) far from 0 on both sides",
)
def gated_recurrent_unit(
    wz: float,
    uz: float,
    bz: float,
    wr: float,
    ur: float,
    br: float,
    wh: float,
    uh: float,
    bh: float,
    x: float,
    h: float,
    y: float,
) -> Result:
    ez = exp(wz * x + uz * h + bz)
    er = exp(wr * x + ur * h + br)
    iz = 1.0 / (1.0 + ez)
    ir = 1.0 / (1.0 + er)
    z = ez * iz
    rh = er * ir * h
    k = uh * rh
    v = wh * x + k + bh
    c = tanh(v)
    d = c - h
    e = h + z * d - y
    g = (e + e) * z
    gz = g * d * iz
    q = c * c
    gc = g * (1.0 - q) if q < 0.5 else g * sech2(v)
    gr = gc * k * ir
    return e * e, (gz * x, gz * h, gz, gr * x, gr * h, gr, gc * x, gc * rh, gc)


@by_hand(
    "Ornstein-Uhlenbeck transition",
    """
input k in [0.2, 2], m in [-1, 1], s in [0.3, 1]
data x, y in [-1, 1], h in [0.1, 1]
v = s^2*(1 - exp(-2*k*h))/(2*k)
0.5*log(2*pi*v) + (y - m - (x - m)*exp(-k*h))^2/(2*v)
""",
    note="1 - exp is expm1 for the expert, too; the domains keep away from k = 0",
)
def ornstein_uhlenbeck(
    k: float, m: float, s: float, x: float, y: float, h: float
) -> Result:
    kh = k * h
    e = exp(-kh)
    u = -0.5 * expm1(-2.0 * kh)
    ss = s * s
    v = ss * u / k
    d = x - m
    r = y - m - d * e
    g = r / v
    w = r * g
    f = (1.0 - w) / v
    q = 0.5 * f / k
    return 0.5 * (log(6.283185307179586 * v) + w), (
        (q * ss * e + g * d) * e * h - q * v,
        g * e - g,
        f * v / s,
    )


@by_hand(
    "CES production",
    """
input A in [1, 2], d in [0.2, 0.8], r in [0.3, 2], K, L in [1, 5]
A*(d*K^(-r) + (1 - d)*L^(-r))^(-1/r)
""",
    note="where the terms of the derivative by r cancel it is computed again: so for"
    " the expert",
)
def ces_production(A: float, d: float, r: float, K: float, L: float) -> Result:
    k = log(K)
    l = log(L)
    p = exp(-r * k)
    q = exp(-r * l)
    dp = d * p
    eq = q - d * q
    s = dp + eq
    f = s ** (-1.0 / r)
    v = A * f
    h = v / s
    j = h / r
    u = v * log(s) / (r * r)
    w = j * (dp * k + eq * l)
    dr = u + w
    if not isfinite(1e304 * (u / dr)):
        raise OverflowError
    return v, (f, j * (q - p), dr, h * dp / K, h * eq / L)


@by_hand(
    "bond angle",
    """
input ax, ay, az in [-1, 0], bx, by, bz in [0.2, 0.8], cx, cy, cz in [1, 2]
data k in [1, 5], c0 in [-1, 0]
u1 = ax - bx
u2 = ay - by
u3 = az - bz
v1 = cx - bx
v2 = cy - by
v3 = cz - bz
u = sqrt(u1^2 + u2^2 + u3^2)
v = sqrt(v1^2 + v2^2 + v3^2)
k/2*((u1*v1 + u2*v2 + u3*v3)/(u*v) - c0)^2
""",
    note="no square overflows: the expert calls hypot, too",
)
def bond_angle(
    ax: float,
    ay: float,
    az: float,
    bx: float,
    by: float,
    bz: float,
    cx: float,
    cy: float,
    cz: float,
    k: float,
    c0: float,
) -> Result:
    u1 = ax - bx
    u2 = ay - by
    u3 = az - bz
    v1 = cx - bx
    v2 = cy - by
    v3 = cz - bz
    u = hypot(u1, u2, u3)
    v = hypot(v1, v2, v3)
    uv = u * v
    c = (u1 * v1 + u2 * v2 + u3 * v3) / uv
    r = c - c0
    g = k * r
    h = g / uv
    p = h * c * v / u
    q = h * c * u / v
    a1 = h * v1 - p * u1
    a2 = h * v2 - p * u2
    a3 = h * v3 - p * u3
    c1 = h * u1 - q * v1
    c2 = h * u2 - q * v2
    c3 = h * u3 - q * v3
    return 0.5 * g * r, (a1, a2, a3, -a1 - c1, -a2 - c2, -a3 - c3, c1, c2, c3)


CASES = [
    redlich_kwong,
    reversible_enzyme,
    gated_recurrent_unit,
    ornstein_uhlenbeck,
    ces_production,
    bond_angle,
]
