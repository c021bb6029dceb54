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

Arguments:
    rx, ry, rz, tx, ty, X, Y, Z: in [-1, 1]
    tz: in [4, 8]
    focal: in [400, 600]
    k1, k2: in [-0.1, 0.1]
    u, v: data, gets no derivative; in [-300, 300]
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: a5bfc44f6828812f

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
        angle = hypot(rx, ry, rz)  # sqrt(square)
        t1 = sin(0.5 * angle)  # 1 - cos(angle)
        c = 2.0 * (t1 * t1) / square  # (1 - cos(angle))/square
        if -0.25 < angle < 0.25:
            t2 = 1.6059043836821613e-10 * square - 2.505210838544172e-08
            t3 = (2.7557319223985893e-06 + t2 * square) * square
            t4 = (t3 - 0.0001984126984126984) * square
            t5 = (0.008333333333333333 + t4) * square
            s = 1.0 + (t5 - 0.16666666666666666) * square
        else:
            s = sin(angle) / angle
    else:
        s = 1.0 - square / 6.0
        c = 0.5 - square / 24.0  # 1/2 - square/24
    pz = Z + s * az + c * (rx * ay - ry * ax) + tz
    px = X + s * ax + c * (ry * az - rz * ay) + tx
    x = px / pz
    py = Y + s * ay + c * (rz * ax - rx * az) + ty
    y = py / pz
    r2 = x * x + y * y  # x^2 + y^2
    zoom = focal * (1.0 + k1 * r2 + k2 * (r2 * r2))  # focal*(1 + k1*r2 + k2*r2^2)
    t6 = zoom * x - u
    t7 = zoom * y - v
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
    angle = 0.0
    t5 = False
    t13 = t14 = t6 = t7 = t18 = 0.0
    t8 = False
    t9 = t16 = t17 = t15 = t12 = t19 = t11 = t20 = t10 = t21 = 0.0
    square = rx * rx + ry * ry + rz * rz  # rx^2 + ry^2 + rz^2
    t1 = square > 1e-08  # square > 1e-8
    ax = ry * Z - rz * Y
    az = rx * Y - ry * X
    ay = rz * X - rx * Z
    t2 = ry * az - rz * ay
    t3 = rx * ay - ry * ax
    t4 = rz * ax - rx * az
    if t1:
        angle = hypot(rx, ry, rz)  # sqrt(square)
        t5 = -0.25 < angle < 0.25
        t6 = 0.5 * angle  # in 1 - cos(angle)
        t7 = sin(t6)  # 1 - cos(angle)
        c = 2.0 * (t7 * t7) / square  # (1 - cos(angle))/square
        t8 = angle == 0.0
        if t5:
            t9 = 1.6059043836821613e-10 * square
            t10 = t9 - 2.505210838544172e-08
            t11 = 2.7557319223985893e-06 + t10 * square
            t12 = t11 * square - 0.0001984126984126984
            t13 = 0.008333333333333333 + t12 * square
            t14 = t13 * square - 0.16666666666666666
            s = 1.0 + t14 * square
            t15 = ((t9 + t10) * square + t11) * square + t12
        else:
            s = sin(angle) / angle
            t12 = 0.0
            t11 = 0.0
            t10 = 0.0
        if t8:
            t9 = 0.0
            t16 = 0.0
            t17 = 0.0
        elif t5:
            t18 = 0.0
    else:
        s = 1.0 - square / 6.0
        c = 0.5 - square / 24.0  # 1/2 - square/24
        t19 = 0.0
        t20 = 0.0
        t21 = 0.0
    pz = Z + s * az + c * t3 + tz  # Z + s*az + c*(rx*ay - ry*ax) + tz
    px = X + s * ax + c * t2 + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
    x = px / pz
    py = Y + s * ay + c * t4 + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
    y = py / pz
    r2 = x * x + y * y  # x^2 + y^2
    t22 = r2 * r2  # r2^2
    t23 = 1.0 + k1 * r2 + k2 * t22  # 1 + k1*r2 + k2*r2^2
    zoom = focal * t23  # focal*(1 + k1*r2 + k2*r2^2)
    t24 = zoom * x - u
    t25 = zoom * y - v
    t26 = 2.0 * t25  # in d((zoom*y - v)^2)
    t27 = 2.0 * t24  # in d((zoom*x - u)^2)
    t28 = t27 * x + t26 * y  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t29 = t28 * focal  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t30 = 2.0 * (k1 + 2.0 * k2 * r2) * t29  # in d(y^2)
    t31 = (t30 * y + t26 * zoom) / pz  # in d(py/pz)
    t26 = t31 * c  # in d(c*(rz*ax - rx*az))
    t32 = (t30 * x + t27 * zoom) / pz  # in d(px/pz)
    t30 = t32 * x + t31 * y  # in d(Z + s*az + c*(rx*ay - ry*ax) + tz)
    t27 = t30 * c  # in d(c*(rx*ay - ry*ax))
    t33 = t32 * c  # in d(c*(ry*az - rz*ay))
    t34 = t31 * s - t33 * rz - t27 * rx  # in d(rz*X - rx*Z)
    t35 = t33 * ry - t30 * s - t26 * rx  # in d(rx*Y - ry*X)
    t36 = t32 * t2 - t30 * t3 + t31 * t4  # in d((1 - cos(angle))/square if square >...
    t4 = t32 * s + t27 * ry + t26 * rz  # in d(ry*Z - rz*Y)
    t3 = t32 * ax - t30 * az + t31 * ay  # in d(sin(angle)/angle if square > 1e-8...
    if t1:
        t2 = t36 / square  # in d((1 - cos(angle))/square)
        t37 = t2 * c  # in d((1 - cos(angle))/square)
        if not t8:
            if not t5:
                t18 = (cos(angle) - s) * t3 / angle  # in d(sqrt(square))
            t38 = (2.0 * cos(t6) * t2 * t7 + t18) / angle
            t9 = t38 * rx  # in d(sqrt(square))
            t16 = t38 * ry  # in d(sqrt(square))
            t17 = t38 * rz  # in d(sqrt(square))
        if t5:
            t38 = (t15 * square + t13) * t3 * square
            t15 = 2.0 * (t38 + t3 * t14)
            t12 = t15 * rz  # in d(rz)
            t11 = t15 * ry  # in d(ry)
            t10 = t15 * rx  # in d(rx)
        t19 = t17 + t12  # in d(rz)
        t20 = t16 + t11  # in d(ry)
        t21 = t9 + t10  # in d(rx)
    else:
        t37 = t3 / 6.0 + t36 / 24.0  # in d(rx^2 + ry^2 + rz^2)
    t3 = -2.0 * t37  # in d(rz^2)
    t37 = t3 * rx + t35 * Y - t34 * Z - t27 * ay - t26 * az  # in d(rx)
    t36 = t3 * ry + t4 * Z - t35 * X + t33 * az + t27 * ax  # in d(ry)
    t27 = t3 * rz - t4 * Y + t34 * X - t33 * ay + t26 * ax  # in d(rz)
    return t24 * t24 + t25 * t25, (
        t37 + t21,
        t36 + t20,
        t27 + t19,
        t32,
        t31,
        -t30,
        t28 * t23,
        t29 * r2,
        t29 * t22,
        t32 - t35 * ry + t34 * rz,
        t35 * rx - t4 * rz + t31,
        t4 * ry - t34 * rx - t30,
    )
