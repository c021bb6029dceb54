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
# digest: 98a3627a16cd3c39

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
    az = rx * Y - X * ry  # rx*Y - ry*X
    ay = X * rz - rx * Z  # rz*X - rx*Z
    if square > 1e-08:
        t1 = hypot(rx, ry, rz)  # sqrt(square)
        t2 = sin(0.5 * t1)  # 1 - cos(angle)
        c = 2.0 * (t2 * t2) / square  # (1 - cos(angle))/square
        if abs(t1) < 0.25:
            t3 = 1.6059043836821613e-10 * square - 2.505210838544172e-08
            t4 = square * (2.7557319223985893e-06 + square * t3)
            t5 = 0.008333333333333333 + square * (t4 - 0.0001984126984126984)
            s = 1.0 + square * (square * t5 - 0.16666666666666666)
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
    zoom = focal * (1.0 + r2 * (k1 + r2 * k2))  # focal*(1 + k1*r2 + k2*r2^2)
    t6 = x * zoom - u  # zoom*x - u
    t7 = y * zoom - v  # zoom*y - v
    return t6 * t6 + t7 * t7


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
    t5 = t7 = 0.0
    t6 = False
    t12 = t13 = t14 = t19 = 0.0
    t8 = False
    t9 = t17 = t18 = t16 = t15 = t20 = t11 = t21 = t10 = t22 = 0.0
    square = rx * rx + ry * ry + rz * rz  # rx^2 + ry^2 + rz^2
    t1 = square > 1e-08  # square > 1e-8
    ax = ry * Z - rz * Y
    az = rx * Y - X * ry  # rx*Y - ry*X
    ay = X * rz - rx * Z  # rz*X - rx*Z
    t2 = ry * az - rz * ay
    t3 = rx * ay - ry * ax
    t4 = rz * ax - rx * az
    if t1:
        t5 = hypot(rx, ry, rz)  # sqrt(square)
        t6 = abs(t5) < 0.25
        t7 = sin(0.5 * t5)  # 1 - cos(angle)
        c = 2.0 * (t7 * t7) / square  # (1 - cos(angle))/square
        t8 = t5 == 0.0
        if not t6 or not t8:
            t7 = sin(t5)  # sin(angle)
        if t6:
            t9 = 1.6059043836821613e-10 * square
            t10 = t9 - 2.505210838544172e-08
            t11 = square * (2.7557319223985893e-06 + square * t10)
            t12 = square * (t11 - 0.0001984126984126984)
            t13 = square * (0.008333333333333333 + t12)
            t14 = t13 - 0.16666666666666666
            s = 1.0 + square * t14
            t15 = square * square
            t16 = t15 * (t11 + t15 * (t9 + t10))  # in d(rz)
        else:
            s = t7 / t5  # in sin(angle)/angle
            t15 = 0.0
            t11 = 0.0
            t10 = 0.0
        if t8:
            t9 = 0.0
            t17 = 0.0
            t18 = 0.0
        elif t6:
            t19 = 0.0
    else:
        s = 1.0 - square / 6.0
        c = 0.5 - square / 24.0  # 1/2 - square/24
        t20 = 0.0
        t21 = 0.0
        t22 = 0.0
    px = X + s * ax + c * t2 + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
    pz = Z + s * az + c * t3 + tz  # Z + s*az + c*(rx*ay - ry*ax) + tz
    x = px / pz
    py = Y + s * ay + c * t4 + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
    y = py / pz
    r2 = x * x + y * y  # x^2 + y^2
    t23 = r2 * k2  # in 1 + k1*r2 + k2*r2^2
    t24 = 1.0 + r2 * (k1 + t23)  # 1 + k1*r2 + k2*r2^2
    zoom = focal * t24  # focal*(1 + k1*r2 + k2*r2^2)
    t25 = x * zoom - u  # zoom*x - u
    t26 = y * zoom - v  # zoom*y - v
    t27 = 2.0 * (x * t25 + y * t26)  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t28 = focal * t27  # in d(py/pz)
    t29 = 2.0 * (t28 * (k1 + 2.0 * t23))  # in d(py/pz)
    t23 = 2.0 * zoom  # in d(py/pz)
    t30 = (y * t29 + t26 * t23) / pz  # in d(py/pz)
    t31 = (x * t29 + t25 * t23) / pz  # in d(px/pz)
    t23 = x * t31 + y * t30  # in d(Z + s*az + c*(rx*ay - ry*ax) + tz)
    t29 = c * t31  # in d(rz*X - rx*Z)
    t32 = c * t23  # in d(rz*X - rx*Z)
    t33 = s * t30 - rz * t29 - rx * t32  # in d(rz*X - rx*Z)
    t34 = c * t30  # in d(rx*Y - ry*X)
    t35 = ry * t29 - s * t23 - rx * t34  # in d(rx*Y - ry*X)
    t36 = t2 * t31 - t3 * t23 + t4 * t30  # in d((1 - cos(angle))/square if square >...
    t4 = s * t31 + ry * t32 + rz * t34  # in d(ry*Z - rz*Y)
    t3 = ax * t31 - az * t23 + ay * t30  # in d(sin(angle)/angle if square > 1e-8...
    t2 = r2 * t28  # in d(k1*r2)
    if t1:
        t28 = t36 / square  # in d((1 - cos(angle))/square)
        t37 = c * t28  # in d((1 - cos(angle))/square)
        if not t8:
            if not t6:
                t19 = t3 * (cos(t5) - s) / t5  # in d(sqrt(square))
            t38 = (t7 * t28 + t19) / t5  # in d(sqrt(square))
            t9 = rx * t38  # in d(sqrt(square))
            t17 = ry * t38  # in d(sqrt(square))
            t18 = rz * t38  # in d(sqrt(square))
        if t6:
            t38 = 2.0 * (t3 * (square * t12 + t13 + t14 + t16))  # in d(rz)
            t15 = rz * t38  # in d(rz)
            t11 = ry * t38  # in d(ry)
            t10 = rx * t38  # in d(rx)
        t20 = t18 + t15  # in d(rz)
        t21 = t17 + t11  # in d(ry)
        t22 = t9 + t10  # in d(rx)
    else:
        t37 = t3 / 6.0 + t36 / 24.0  # in d(rx^2 + ry^2 + rz^2)
    t3 = -2.0 * t37  # in d(rx)
    t37 = rx * t3 + Y * t35 - Z * t33 - ay * t32 - az * t34  # in d(rx)
    t36 = ry * t3 + Z * t4 - X * t35 + az * t29 + ax * t32  # in d(ry)
    t32 = rz * t3 - Y * t4 + X * t33 - ay * t29 + ax * t34  # in d(rz)
    return t25 * t25 + t26 * t26, (
        t37 + t22,
        t36 + t21,
        t32 + t20,
        t31,
        t30,
        -t23,
        t24 * t27,
        t2,
        r2 * t2,
        t31 - ry * t35 + rz * t33,
        rx * t35 - rz * t4 + t30,
        ry * t4 - rx * t33 - t23,
    )
