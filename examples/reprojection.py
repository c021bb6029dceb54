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
# digest: fc214fa282a75662

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
        c = 2.0 * t2 * t2 / square  # (1 - cos(angle))/square
        if -0.25 < t1 < 0.25:
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
    zoom = focal * (1.0 + k1 * r2 + k2 * (r2 * r2))  # focal*(1 + k1*r2 + k2*r2^2)
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
    t10 = t11 = t12 = t13 = t14 = t15 = t7 = t8 = t22 = 0.0
    t9 = False
    t19 = t20 = t21 = t16 = t23 = t17 = t24 = t18 = t25 = 0.0
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
        t6 = -0.25 < t5 < 0.25
        t7 = 0.5 * t5  # in 1 - cos(angle)
        t8 = sin(t7)  # 1 - cos(angle)
        c = 2.0 * t8 * t8 / square  # (1 - cos(angle))/square
        t9 = t5 == 0.0
        if t6:
            t10 = 1.6059043836821613e-10 * square
            t11 = t10 - 2.505210838544172e-08
            t12 = 2.7557319223985893e-06 + t11 * square
            t13 = t12 * square - 0.0001984126984126984
            t14 = 0.008333333333333333 + t13 * square
            t15 = t14 * square - 0.16666666666666666
            s = 1.0 + t15 * square
        else:
            s = sin(t5) / t5  # in sin(angle)/angle
            t16 = 0.0
            t17 = 0.0
            t18 = 0.0
        if t9:
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
    t26 = r2 * r2  # r2^2
    t27 = 1.0 + k1 * r2 + k2 * t26  # 1 + k1*r2 + k2*r2^2
    zoom = focal * t27  # focal*(1 + k1*r2 + k2*r2^2)
    t28 = zoom * x - u
    t29 = zoom * y - v
    t30 = 2.0 * t29  # in d((zoom*y - v)^2)
    t31 = 2.0 * t28  # in d((zoom*x - u)^2)
    t32 = t31 * x + t30 * y  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t33 = t32 * focal  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t34 = 2.0 * (k1 + 2.0 * k2 * r2) * t33  # in d(y^2)
    t35 = (t34 * y + t30 * zoom) / pz  # in d(py/pz)
    t30 = t35 * c  # in d(c*(rz*ax - rx*az))
    t36 = (t34 * x + t31 * zoom) / pz  # in d(px/pz)
    t34 = t36 * x + t35 * y  # in d(Z + s*az + c*(rx*ay - ry*ax) + tz)
    t31 = t34 * c  # in d(c*(rx*ay - ry*ax))
    t37 = t36 * c  # in d(c*(ry*az - rz*ay))
    t38 = t35 * s - t37 * rz - t31 * rx  # in d(rz*X - rx*Z)
    t39 = t37 * ry - t34 * s - t30 * rx  # in d(rx*Y - ry*X)
    t40 = t36 * t2 - t34 * t3 + t35 * t4  # in d((1 - cos(angle))/square if square >...
    t4 = t36 * s + t31 * ry + t30 * rz  # in d(ry*Z - rz*Y)
    t3 = t36 * ax - t34 * az + t35 * ay  # in d(sin(angle)/angle if square > 1e-8...
    if t1:
        t2 = t40 / square  # in d((1 - cos(angle))/square)
        t41 = t2 * c  # in d(rz^2)
        if t6:
            t42 = t3 * square
            t43 = t42 * square
            t44 = t43 * square
            t45 = (t10 + t11) * t44 * square + t44 * t12
            t44 = t45 + t43 * t13 + t42 * t14 + t3 * t15
            t45 = 2.0 * t44
            t16 = t45 * rz  # in d(rz)
            t17 = t45 * ry  # in d(ry)
            t18 = t45 * rx  # in d(rx)
        if not t9:
            if not t6:
                t22 = (cos(t5) - s) * t3 / t5  # in d(sqrt(square))
            t45 = (2.0 * t2 * t8 * cos(t7) + t22) / t5
            t19 = t45 * rx  # in d(sqrt(square))
            t20 = t45 * ry  # in d(sqrt(square))
            t21 = t45 * rz  # in d(sqrt(square))
        t23 = t21 + t16  # in d(rz)
        t24 = t20 + t17  # in d(ry)
        t25 = t19 + t18  # in d(rx)
    else:
        t41 = t3 / 6.0 + t40 / 24.0  # in d(rx^2 + ry^2 + rz^2)
    t3 = -2.0 * t41  # in d(rz^2)
    t41 = t3 * rx + t39 * Y - t38 * Z - t31 * ay - t30 * az  # in d(rx)
    t40 = t3 * ry + t4 * Z - t39 * X + t37 * az + t31 * ax  # in d(ry)
    t31 = t3 * rz - t4 * Y + t38 * X - t37 * ay + t30 * ax  # in d(rz)
    return t28 * t28 + t29 * t29, (
        t41 + t25,
        t40 + t24,
        t31 + t23,
        t36,
        t35,
        -t34,
        t32 * t27,
        t33 * r2,
        t33 * t26,
        t36 - t39 * ry + t38 * rz,
        t39 * rx - t4 * rz + t35,
        t4 * ry - t38 * rx - t34,
    )
