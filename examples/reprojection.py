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
# digest: 5357ff3993872cf8

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
    square = rx * rx + ry * ry + rz * rz  # in rx^2 + ry^2 + rz^2
    ax = ry * Z - rz * Y  # in ry*Z - rz*Y
    az = rx * Y - ry * X  # in rx*Y - ry*X
    ay = rz * X - rx * Z  # in rz*X - rx*Z
    if square > 1e-08:
        angle = hypot(rx, ry, rz)  # in sqrt(square)
        t1 = sin(0.5 * angle)  # in 1 - cos(angle)
        c = 2.0 * (t1 * t1) / square  # in (1 - cos(angle))/square
        if angle < 0.25:
            t2 = 1.6059043836821613e-10 * square - 2.505210838544172e-08
            t3 = (2.7557319223985893e-06 + t2 * square) * square
            t4 = (t3 - 0.0001984126984126984) * square
            t5 = (0.008333333333333333 + t4) * square
            s = 1.0 + (t5 - 0.16666666666666666) * square
        else:
            s = sin(angle) / angle  # in sin(angle)/angle
    else:
        s = 1.0 - square / 6.0
        c = 0.5 - square / 24.0  # 1/2 - square/24
    pz = Z + s * az + c * (rx * ay - ry * ax) + tz  # in Z + s*az + c*(...) + tz
    px = X + s * ax + c * (ry * az - rz * ay) + tx
    x = px / pz  # in px/pz
    py = Y + s * ay + c * (rz * ax - rx * az) + ty
    y = py / pz  # in py/pz
    r2 = x * x + y * y  # x^2 + y^2
    zoom = focal * (1.0 + k1 * r2 + k2 * (r2 * r2))  # in focal*(1 + k1*r2 + k2*r2^2)
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
    square = rx * rx + ry * ry + rz * rz  # in rx^2 + ry^2 + rz^2
    t1 = square > 1e-08  # square > 1e-8
    ax = ry * Z - rz * Y  # in ry*Z - rz*Y
    az = rx * Y - ry * X  # in rx*Y - ry*X
    ay = rz * X - rx * Z  # in rz*X - rx*Z
    t2 = ry * az - rz * ay
    t3 = rx * ay - ry * ax
    t4 = rz * ax - rx * az
    if t1:
        angle = hypot(rx, ry, rz)  # in sqrt(square)
        t5 = angle < 0.25
        t6 = 0.5 * angle  # in 1 - cos(angle)
        t7 = sin(t6)
        c = 2.0 * (t7 * t7) / square  # in (1 - cos(angle))/square
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
            s = sin(angle) / angle  # in sin(angle)/angle
            t9 = 0.0
            t10 = 0.0
            t11 = 0.0
        if t8:
            t12 = 0.0
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
    pz = Z + s * az + c * t3 + tz  # in Z + s*az + c*(rx*ay - ry*ax) + tz
    px = X + s * ax + c * t2 + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
    x = px / pz  # in px/pz
    py = Y + s * ay + c * t4 + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
    y = py / pz  # in py/pz
    r2 = x * x + y * y  # x^2 + y^2
    t22 = r2 * r2  # r2^2
    t23 = 1.0 + k1 * r2 + k2 * t22  # 1 + k1*r2 + k2*r2^2
    zoom = focal * t23  # in focal*(1 + k1*r2 + k2*r2^2)
    t24 = zoom * x - u
    t25 = zoom * y - v
    t26 = 2.0 * t25  # in d((zoom*y - v)^2)
    t27 = 2.0 * t24  # in d((zoom*x - u)^2)
    t28 = t27 * x + t26 * y  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t29 = t28 * focal  # in d(focal*(1 + k1*r2 + k2*r2^2))
    t30 = 2.0 * (k1 + 2.0 * k2 * r2) * t29  # in d(y^2)
    t31 = (t30 * y + t26 * zoom) / pz  # in d(py/pz)
    t32 = t31 * c  # in d(c*(rz*ax - rx*az))
    t33 = (t30 * x + t27 * zoom) / pz  # in d(px/pz)
    t34 = t33 * x + t31 * y  # in d(Z + s*az + c*(rx*ay - ry*ax) + tz)
    t35 = t34 * c  # in d(c*(rx*ay - ry*ax))
    t36 = t33 * c  # in d(c*(ry*az - rz*ay))
    t37 = t31 * s - t36 * rz - t35 * rx  # in d(rz*X - rx*Z)
    t38 = t36 * ry - t34 * s - t32 * rx  # in d(rx*Y - ry*X)
    t39 = t33 * t2 - t34 * t3 + t31 * t4  # in d((...)/square if square > 1e-8 else...)
    t40 = t33 * s + t35 * ry + t32 * rz  # in d(ry*Z - rz*Y)
    t41 = t33 * ax - t34 * az + t31 * ay  # in d(sin(...)/angle if square > 1e-8...)
    if t1:
        t42 = t39 / square  # in d((1 - cos(angle))/square)
        t43 = t42 * c  # in d((1 - cos(angle))/square)
        if t5:
            t44 = (t15 * square + t13) * t41 * square
            t45 = 2.0 * (t44 + t41 * t14)
            t9 = t45 * rz  # in d(rz)
            t10 = t45 * ry  # in d(ry)
            t11 = t45 * rx  # in d(rx)
        else:
            t18 = (cos(angle) - s) * t41 / angle  # in d(sqrt(square))
        if not t8:
            t44 = (2.0 * cos(t6) * t42 * t7 + t18) / angle
            t12 = t44 * rx  # in d(sqrt(square))
            t16 = t44 * ry  # in d(sqrt(square))
            t17 = t44 * rz  # in d(sqrt(square))
        t19 = t17 + t9  # in d(rz)
        t20 = t16 + t10  # in d(ry)
        t21 = t12 + t11  # in d(rx)
    else:
        t43 = t41 / 6.0 + t39 / 24.0  # in d(rx^2 + ry^2 + rz^2)
    t42 = -2.0 * t43  # in d(rz^2)
    return t24 * t24 + t25 * t25, (
        t42 * rx + t38 * Y - t37 * Z - t35 * ay - t32 * az + t21,
        t42 * ry + t40 * Z - t38 * X + t36 * az + t35 * ax + t20,
        t42 * rz - t40 * Y + t37 * X - t36 * ay + t32 * ax + t19,
        t33,
        t31,
        -t34,
        t28 * t23,
        t29 * r2,
        t29 * t22,
        t33 - t38 * ry + t37 * rz,
        t38 * rx - t40 * rz + t31,
        t40 * ry - t37 * rx - t34,
    )
