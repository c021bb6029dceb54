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
# digest: 8d4cd33d8e19dc25

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
        angle = hypot(rx, ry, rz)  # sqrt(square)
        t1 = sin(0.5 * angle)  # 1 - cos(angle)
        c = 2.0 * (t1 * t1) / square  # (1 - cos(angle))/square
        if abs(angle) < 0.25:
            t2 = square * (1.6059043836821613e-10 * square - 2.505210838544172e-08)
            t3 = square * (2.7557319223985893e-06 + t2) - 0.0001984126984126984
            t4 = square * (0.008333333333333333 + square * t3)
            s = 1.0 + square * (t4 - 0.16666666666666666)
        else:
            s = sin(angle) / angle
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
    t5 = x * zoom - u  # zoom*x - u
    t6 = y * zoom - v  # zoom*y - v
    return t5 * t5 + t6 * t6


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
    angle = t6 = 0.0
    t5 = False
    t8 = t9 = t10 = t11 = t12 = t13 = t14 = t21 = 0.0
    t7 = False
    t18 = t19 = t20 = t15 = t22 = t16 = t23 = t17 = t24 = 0.0
    square = rx * rx + ry * ry + rz * rz  # rx^2 + ry^2 + rz^2
    t1 = square > 1e-08  # square > 1e-8
    ax = ry * Z - rz * Y
    az = rx * Y - X * ry  # rx*Y - ry*X
    ay = X * rz - rx * Z  # rz*X - rx*Z
    t2 = ry * az - rz * ay
    t3 = rx * ay - ry * ax
    t4 = rz * ax - rx * az
    if t1:
        angle = hypot(rx, ry, rz)  # sqrt(square)
        t5 = abs(angle) < 0.25
        t6 = sin(0.5 * angle)  # 1 - cos(angle)
        c = 2.0 * (t6 * t6) / square  # (1 - cos(angle))/square
        t7 = angle == 0.0
        if not t5 or not t7:
            t6 = sin(angle)
        if t5:
            t8 = 1.6059043836821613e-10 * square
            t9 = t8 - 2.505210838544172e-08
            t10 = square * (2.7557319223985893e-06 + square * t9)
            t11 = square * (t10 - 0.0001984126984126984)
            t12 = square * (0.008333333333333333 + t11)
            t13 = t12 - 0.16666666666666666
            s = 1.0 + square * t13
            t14 = square * square
        else:
            s = t6 / angle  # in sin(angle)/angle
            t15 = 0.0
            t16 = 0.0
            t17 = 0.0
        if t7:
            t18 = 0.0
            t19 = 0.0
            t20 = 0.0
        elif t5:
            t21 = 0.0
    else:
        s = 1.0 - square / 6.0
        c = 0.5 - square / 24.0  # 1/2 - square/24
        t22 = 0.0
        t23 = 0.0
        t24 = 0.0
    px = X + s * ax + c * t2 + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
    pz = Z + s * az + c * t3 + tz  # Z + s*az + c*(rx*ay - ry*ax) + tz
    x = px / pz
    py = Y + s * ay + c * t4 + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
    y = py / pz
    r2 = x * x + y * y  # x^2 + y^2
    t25 = r2 * k2  # in 1 + k1*r2 + k2*r2^2
    t26 = 1.0 + r2 * (k1 + t25)  # 1 + k1*r2 + k2*r2^2
    zoom = focal * t26  # focal*(1 + k1*r2 + k2*r2^2)
    t27 = x * zoom - u  # zoom*x - u
    t28 = y * zoom - v  # zoom*y - v
    t29 = 2.0 * (x * t27 + y * t28)  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t30 = focal * t29  # in d(py/pz)
    t31 = 2.0 * (t30 * (k1 + 2.0 * t25))  # in d(py/pz)
    t25 = 2.0 * zoom  # in d(py/pz)
    t32 = (y * t31 + t28 * t25) / pz  # in d(py/pz)
    t33 = (x * t31 + t27 * t25) / pz  # in d(px/pz)
    t25 = x * t33 + y * t32  # in d(Z + s*az + c*(rx*ay - ry*ax) + tz)
    t31 = c * t33  # in d(rz*X - rx*Z)
    t34 = c * t25  # in d(rz*X - rx*Z)
    t35 = s * t32 - rz * t31 - rx * t34  # in d(rz*X - rx*Z)
    t36 = c * t32  # in d(rx*Y - ry*X)
    t37 = ry * t31 - s * t25 - rx * t36  # in d(rx*Y - ry*X)
    t38 = t2 * t33 - t3 * t25 + t4 * t32  # in d((1 - cos(angle))/square if square >...
    t4 = s * t33 + ry * t34 + rz * t36  # in d(ry*Z - rz*Y)
    t3 = ax * t33 - az * t25 + ay * t32  # in d(sin(angle)/angle if square > 1e-8...
    t2 = r2 * t30  # in d(k1*r2)
    if t1:
        t30 = t38 / square  # in d((1 - cos(angle))/square)
        t39 = c * t30  # in d((1 - cos(angle))/square)
        if not t7:
            if not t5:
                t21 = t3 * (cos(angle) - s) / angle  # in d(sqrt(square))
            t40 = (t6 * t30 + t21) / angle  # in d(sqrt(square))
            t18 = rx * t40  # in d(sqrt(square))
            t19 = ry * t40  # in d(sqrt(square))
            t20 = rz * t40  # in d(sqrt(square))
        if t5:
            t40 = t3 * (square * t11 + t12 + t13 + t14 * (t10 + t14 * (t8 + t9)))
            t14 = 2.0 * t40  # in d(rz)
            t15 = rz * t14  # in d(rz)
            t16 = ry * t14  # in d(ry)
            t17 = rx * t14  # in d(rx)
        t22 = t20 + t15  # in d(rz)
        t23 = t19 + t16  # in d(ry)
        t24 = t18 + t17  # in d(rx)
    else:
        t39 = t3 / 6.0 + t38 / 24.0  # in d(rx^2 + ry^2 + rz^2)
    t3 = -2.0 * t39  # in d(rx)
    return t27 * t27 + t28 * t28, (
        rx * t3 + Y * t37 - Z * t35 - ay * t34 - az * t36 + t24,
        ry * t3 + Z * t4 - X * t37 + az * t31 + ax * t34 + t23,
        rz * t3 - Y * t4 + X * t35 - ay * t31 + ax * t36 + t22,
        t33,
        t32,
        -t25,
        t26 * t29,
        t2,
        r2 * t2,
        t33 - ry * t37 + rz * t35,
        rx * t37 - rz * t4 + t32,
        ry * t4 - rx * t35 - t25,
    )
