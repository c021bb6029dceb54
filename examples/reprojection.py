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
# digest: 428c079c92573bd0

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
            t3 = square * (1.6059043836821613e-10 * square - 2.505210838544172e-08)
            t4 = square * (2.7557319223985893e-06 + t3) - 0.0001984126984126984
            t5 = square * (0.008333333333333333 + square * t4)
            s = 1.0 + square * (t5 - 0.16666666666666666)
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
    t9 = t10 = t11 = t12 = t13 = t14 = t15 = t22 = 0.0
    t8 = False
    t19 = t20 = t21 = t16 = t23 = t17 = t24 = t18 = t25 = 0.0
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
        else:
            s = t7 / t5  # in sin(angle)/angle
            t16 = 0.0
            t17 = 0.0
            t18 = 0.0
        if t8:
            t19 = 0.0
            t20 = 0.0
            t21 = 0.0
        elif t6:
            t22 = 0.0
    else:
        s = 1.0 - square / 6.0
        c = 0.5 - square / 24.0  # 1/2 - square/24
        t23 = 0.0
        t24 = 0.0
        t25 = 0.0
    px = X + s * ax + c * t2 + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
    pz = Z + s * az + c * t3 + tz  # Z + s*az + c*(rx*ay - ry*ax) + tz
    x = px / pz
    py = Y + s * ay + c * t4 + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
    y = py / pz
    r2 = x * x + y * y  # x^2 + y^2
    t26 = r2 * k2  # in 1 + k1*r2 + k2*r2^2
    t27 = 1.0 + r2 * (k1 + t26)  # 1 + k1*r2 + k2*r2^2
    zoom = focal * t27  # focal*(1 + k1*r2 + k2*r2^2)
    t28 = x * zoom - u  # zoom*x - u
    t29 = y * zoom - v  # zoom*y - v
    t30 = 2.0 * (x * t28 + y * t29)  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t31 = focal * t30  # in d(py/pz)
    t32 = 2.0 * (t31 * (k1 + 2.0 * t26))  # in d(py/pz)
    t26 = 2.0 * zoom  # in d(py/pz)
    t33 = (y * t32 + t29 * t26) / pz  # in d(py/pz)
    t34 = (x * t32 + t28 * t26) / pz  # in d(px/pz)
    t26 = x * t34 + y * t33  # in d(Z + s*az + c*(rx*ay - ry*ax) + tz)
    t32 = c * t34  # in d(rz*X - rx*Z)
    t35 = c * t26  # in d(rz*X - rx*Z)
    t36 = s * t33 - rz * t32 - rx * t35  # in d(rz*X - rx*Z)
    t37 = c * t33  # in d(rx*Y - ry*X)
    t38 = ry * t32 - s * t26 - rx * t37  # in d(rx*Y - ry*X)
    t39 = t2 * t34 - t3 * t26 + t4 * t33  # in d((1 - cos(angle))/square if square >...
    t4 = s * t34 + ry * t35 + rz * t37  # in d(ry*Z - rz*Y)
    t3 = ax * t34 - az * t26 + ay * t33  # in d(sin(angle)/angle if square > 1e-8...
    t2 = r2 * t31  # in d(k1*r2)
    if t1:
        t31 = t39 / square  # in d((1 - cos(angle))/square)
        t40 = c * t31  # in d((1 - cos(angle))/square)
        if not t8:
            if not t6:
                t22 = t3 * (cos(t5) - s) / t5  # in d(sqrt(square))
            t41 = (t7 * t31 + t22) / t5  # in d(sqrt(square))
            t19 = rx * t41  # in d(sqrt(square))
            t20 = ry * t41  # in d(sqrt(square))
            t21 = rz * t41  # in d(sqrt(square))
        if t6:
            t41 = t3 * (square * t12 + t13 + t14 + t15 * (t11 + t15 * (t9 + t10)))
            t15 = 2.0 * t41  # in d(rz)
            t16 = rz * t15  # in d(rz)
            t17 = ry * t15  # in d(ry)
            t18 = rx * t15  # in d(rx)
        t23 = t21 + t16  # in d(rz)
        t24 = t20 + t17  # in d(ry)
        t25 = t19 + t18  # in d(rx)
    else:
        t40 = t3 / 6.0 + t39 / 24.0  # in d(rx^2 + ry^2 + rz^2)
    t3 = -2.0 * t40  # in d(rx)
    return t28 * t28 + t29 * t29, (
        rx * t3 + Y * t38 - Z * t36 - ay * t35 - az * t37 + t25,
        ry * t3 + Z * t4 - X * t38 + az * t32 + ax * t35 + t24,
        rz * t3 - Y * t4 + X * t36 - ay * t32 + ax * t37 + t23,
        t34,
        t33,
        -t26,
        t27 * t30,
        t2,
        r2 * t2,
        t34 - ry * t38 + rz * t36,
        rx * t38 - rz * t4 + t33,
        ry * t4 - rx * t36 - t26,
    )
