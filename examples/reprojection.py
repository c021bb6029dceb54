"""A formula and its gradient, compiled by gradc 0.2.0.

# Bundle adjustment: how far the image of a point of the scene lies from where
# the camera saw it, squared.
input rx, ry, rz in [-1, 1]             # rotation: its axis times its angle
input tx, ty in [-1, 1], tz in [4, 8]   # translation
input focal in [400, 600], k1, k2 in [-0.1, 0.1]
input X, Y, Z in [-1, 1]                # the point
data u, v in [-300, 300]                # where it was seen

# Rodrigues: R P = P + s (r x P) + c (r x (r x P)), by its series near no rotation
square = rx^2 + ry^2 + rz^2
angle = sqrt(square)
s = sin(angle)/angle if square > 1e-8 else 1 - square/6
c = (1 - cos(angle))/square if square > 1e-8 else 1/2 - square/24

ax = ry*Z - rz*Y
ay = rz*X - rx*Z
az = rx*Y - ry*X
px = X + s*ax + c*(ry*az - rz*ay) + tx
py = Y + s*ay + c*(rz*ax - rx*az) + ty
pz = Z + s*az + c*(rx*ay - ry*ax) + tz

# the pinhole and its lens
x = px/pz
y = py/pz
r2 = x^2 + y^2
zoom = focal*(1 + k1*r2 + k2*r2^2)
(zoom*x - u)^2 + (zoom*y - v)^2
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 5e4ab49f64460c5b

from math import cos, hypot, sin

INPUTS = (
    "rx",
    "ry",
    "rz",
    "tx",
    "ty",
    "tz",
    "focal",
    "k1",
    "k2",
    "X",
    "Y",
    "Z",
    "u",
    "v",
)
WRT = ("rx", "ry", "rz", "tx", "ty", "tz", "focal", "k1", "k2", "X", "Y", "Z")


def value(
    rx: float,
    ry: float,
    rz: float,
    tx: float,
    ty: float,
    tz: float,
    focal: float,
    k1: float,
    k2: float,
    X: float,
    Y: float,
    Z: float,
    u: float,
    v: float,
) -> float:
    """Return the value of the formula."""
    square = rx * rx + ry * ry + rz * rz  # rx^2 + ry^2 + rz^2
    ax = ry * Z - rz * Y
    az = rx * Y - ry * X
    ay = rz * X - rx * Z
    if square > 1e-08:
        t1 = hypot(rx, ry, rz)  # sqrt(square)
        t2 = sin(0.5 * t1)  # 1 - cos(angle)
        c = 2.0 * (t2 * t2) / square  # (1 - cos(angle))/square
        if abs(t1) < 0.25:
            t3 = 1.6059043836821613e-10 * square - 2.505210838544172e-08
            t4 = (2.7557319223985893e-06 + t3 * square) * square
            t5 = (t4 - 0.0001984126984126984) * square
            t6 = (0.008333333333333333 + t5) * square
            s = 1.0 + (t6 - 0.16666666666666666) * square
        else:
            s = sin(t1) / t1  # in sin(angle)/angle
    else:
        s = 1.0 - square / 6.0
        c = 0.5 - square / 24.0  # 1/2 - square/24
    px = X + s * ax + c * (ry * az - rz * ay) + tx
    pz = Z + s * az + c * (rx * ay - ry * ax) + tz
    x = px / pz
    py = Y + s * ay + c * (rz * ax - rx * az) + ty
    y = py / pz
    r2 = x * x + y * y  # x^2 + y^2
    zoom = focal * (1.0 + (k1 + r2 * k2) * r2)  # focal*(1 + k1*r2 + k2*r2^2)
    t7 = zoom * x - u
    t8 = zoom * y - v
    return t7 * t7 + t8 * t8


def value_and_grad(
    rx: float,
    ry: float,
    rz: float,
    tx: float,
    ty: float,
    tz: float,
    focal: float,
    k1: float,
    k2: float,
    X: float,
    Y: float,
    Z: float,
    u: float,
    v: float,
) -> tuple[float, tuple[float, ...]]:
    """Return the value and its gradient, in the order of WRT."""
    t5 = 0.0
    t6 = False
    t13 = t14 = t15 = t7 = t8 = t20 = 0.0
    t9 = False
    t10 = t18 = t19 = t17 = t16 = t21 = t12 = t22 = t11 = t23 = 0.0
    square = rx * rx + ry * ry + rz * rz  # rx^2 + ry^2 + rz^2
    t1 = square > 1e-08  # square > 1e-8
    ax = ry * Z - rz * Y
    az = rx * Y - ry * X
    ay = rz * X - rx * Z
    t2 = ry * az - rz * ay
    t3 = rx * ay - ry * ax
    t4 = rz * ax - rx * az
    if t1:
        t5 = hypot(rx, ry, rz)  # sqrt(square)
        t6 = abs(t5) < 0.25
        t7 = 0.5 * t5  # in 1 - cos(angle)
        t8 = sin(t7)  # 1 - cos(angle)
        c = 2.0 * (t8 * t8) / square  # (1 - cos(angle))/square
        t9 = t5 == 0.0
        if t6:
            t10 = 1.6059043836821613e-10 * square
            t11 = t10 - 2.505210838544172e-08
            t12 = (2.7557319223985893e-06 + t11 * square) * square
            t13 = (t12 - 0.0001984126984126984) * square
            t14 = (0.008333333333333333 + t13) * square
            t15 = t14 - 0.16666666666666666
            s = 1.0 + t15 * square
            t16 = square * square
            t17 = ((t10 + t11) * t16 + t12) * t16  # in d(rz)
        else:
            s = sin(t5) / t5  # in sin(angle)/angle
            t16 = 0.0
            t12 = 0.0
            t11 = 0.0
        if t9:
            t10 = 0.0
            t18 = 0.0
            t19 = 0.0
        elif t6:
            t20 = 0.0
    else:
        s = 1.0 - square / 6.0
        c = 0.5 - square / 24.0  # 1/2 - square/24
        t21 = 0.0
        t22 = 0.0
        t23 = 0.0
    px = X + s * ax + c * t2 + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
    pz = Z + s * az + c * t3 + tz  # Z + s*az + c*(rx*ay - ry*ax) + tz
    x = px / pz
    py = Y + s * ay + c * t4 + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
    y = py / pz
    r2 = x * x + y * y  # x^2 + y^2
    t24 = r2 * k2  # in 1 + k1*r2 + k2*r2^2
    t25 = 1.0 + (k1 + t24) * r2  # 1 + k1*r2 + k2*r2^2
    zoom = focal * t25  # focal*(1 + k1*r2 + k2*r2^2)
    t26 = zoom * x - u
    t27 = zoom * y - v
    t28 = 2.0 * (t26 * x + t27 * y)  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t29 = focal * t28  # in d(py/pz)
    t30 = 2.0 * (t29 * (k1 + 2.0 * t24))  # in d(py/pz)
    t24 = 2.0 * zoom  # in d(py/pz)
    t31 = (t30 * y + t24 * t27) / pz  # in d(py/pz)
    t32 = (t30 * x + t24 * t26) / pz  # in d(px/pz)
    t24 = t32 * x + t31 * y  # in d(Z + s*az + c*(rx*ay - ry*ax) + tz)
    t30 = c * t32  # in d(rz*X - rx*Z)
    t33 = c * t24  # in d(rz*X - rx*Z)
    t34 = t31 * s - t30 * rz - t33 * rx  # in d(rz*X - rx*Z)
    t35 = c * t31  # in d(rx*Y - ry*X)
    t36 = t30 * ry - t24 * s - t35 * rx  # in d(rx*Y - ry*X)
    t37 = t32 * t2 - t24 * t3 + t31 * t4  # in d((1 - cos(angle))/square if square >...
    t4 = t32 * s + t33 * ry + t35 * rz  # in d(ry*Z - rz*Y)
    t3 = t32 * ax - t24 * az + t31 * ay  # in d(sin(angle)/angle if square > 1e-8...
    t2 = t29 * r2  # in d(k1*r2)
    if t1:
        t29 = t37 / square  # in d((1 - cos(angle))/square)
        t38 = t29 * c  # in d(rz^2)
        if not t9:
            if not t6:
                t20 = (cos(t5) - s) * t3 / t5  # in d(sqrt(square))
            t39 = (2.0 * (t29 * t8 * cos(t7)) + t20) / t5  # in d(sqrt(square))
            t10 = t39 * rx  # in d(sqrt(square))
            t18 = t39 * ry  # in d(sqrt(square))
            t19 = t39 * rz  # in d(sqrt(square))
        if t6:
            t39 = (t17 + (t13 * square + t14 + t15)) * t3  # in d(rz)
            t17 = 2.0 * t39  # in d(rz)
            t16 = t17 * rz  # in d(rz)
            t12 = t17 * ry  # in d(ry)
            t11 = t17 * rx  # in d(rx)
        t21 = t19 + t16  # in d(rz)
        t22 = t18 + t12  # in d(ry)
        t23 = t10 + t11  # in d(rx)
    else:
        t38 = t3 / 6.0 + t37 / 24.0  # in d(rz^2)
    t3 = -2.0 * t38  # in d(rx)
    t38 = t3 * rx + t36 * Y - t34 * Z - t33 * ay - t35 * az  # in d(rx)
    t37 = t3 * ry + t4 * Z - t36 * X + t30 * az + t33 * ax  # in d(ry)
    t33 = t3 * rz - t4 * Y + t34 * X - t30 * ay + t35 * ax  # in d(rz)
    return t26 * t26 + t27 * t27, (
        t38 + t23,
        t37 + t22,
        t33 + t21,
        t32,
        t31,
        -t24,
        t28 * t25,
        t2,
        t2 * r2,
        t32 - t36 * ry + t34 * rz,
        t36 * rx - t4 * rz + t31,
        t4 * ry - t34 * rx - t24,
    )
