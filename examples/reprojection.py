"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

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
    rx: in [-1, 1]
    ry: in [-1, 1]
    rz: in [-1, 1]
    tx: in [-1, 1]
    ty: in [-1, 1]
    tz: in [4, 8]
    focal: in [400, 600]
    k1: in [-0.1, 0.1]
    k2: in [-0.1, 0.1]
    X: in [-1, 1]
    Y: in [-1, 1]
    Z: in [-1, 1]
    u: data, gets no derivative; in [-300, 300]
    v: data, gets no derivative; in [-300, 300]
"""

# Do not edit: change the formula and compile it again.
# digest: 6dcebafe06df58d9b1239b057af6bdaa

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
    ax = ry * Z - rz * Y  # ry*Z - rz*Y
    az = rx * Y - ry * X  # rx*Y - ry*X
    ay = rz * X - rx * Z  # rz*X - rx*Z
    if square > 1e-08:
        angle = hypot(rx, ry, rz)  # sqrt(square)
        t1 = sin(0.5 * angle)  # 1 - cos(angle)
        c = 2.0 * t1 * t1 / square  # (1 - cos(angle))/square
        if abs(angle) < 0.5:
            t2 = 7.647163731819816e-13 * square
            t3 = (1.6059043836821613e-10 - t2) * square
            t4 = (t3 - 2.505210838544172e-08) * square
            t5 = (2.7557319223985893e-06 + t4) * square
            t6 = (t5 - 0.0001984126984126984) * square
            t7 = (0.008333333333333333 + t6) * square
            s = 1.0 + (t7 - 0.16666666666666666) * square
        else:
            s = sin(angle) / angle  # sin(angle)/angle
    else:
        s = 1.0 - square / 6.0  # 1 - square/6
        c = 0.5 - square / 24.0  # 1/2 - square/24
    px = X + s * ax + c * (ry * az - rz * ay) + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
    pz = Z + s * az + c * (rx * ay - ry * ax) + tz  # Z + s*az + c*(rx*ay - ry*ax) + tz
    x = px / pz  # px/pz
    py = Y + s * ay + c * (rz * ax - rx * az) + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
    y = py / pz  # py/pz
    r2 = x * x + y * y  # x^2 + y^2
    zoom = focal * (1.0 + k1 * r2 + k2 * (r2 * r2))  # focal*(1 + k1*r2 + k2*r2^2)
    t8 = zoom * x - u  # zoom*x - u
    t9 = zoom * y - v  # zoom*y - v
    return t8 * t8 + t9 * t9


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
    square = rx * rx + ry * ry + rz * rz  # rx^2 + ry^2 + rz^2
    t1 = square > 1e-08  # square > 1e-8
    ax = ry * Z - rz * Y  # ry*Z - rz*Y
    az = rx * Y - ry * X  # rx*Y - ry*X
    ay = rz * X - rx * Z  # rz*X - rx*Z
    t2 = ry * az - rz * ay  # ry*az - rz*ay
    t3 = rx * ay - ry * ax  # rx*ay - ry*ax
    t4 = rz * ax - rx * az  # rz*ax - rx*az
    if t1:
        angle = hypot(rx, ry, rz)  # sqrt(square)
        t5 = abs(angle) < 0.5
        t6 = 0.5 * angle  # 1 - cos(angle)
        t7 = sin(t6)  # 1 - cos(angle)
        c = 2.0 * t7 * t7 / square  # (1 - cos(angle))/square
        t8 = angle == 0.0
        if t5:
            t9 = 7.647163731819816e-13 * square
            t10 = 1.6059043836821613e-10 - t9
            t11 = t10 * square - 2.505210838544172e-08
            t12 = 2.7557319223985893e-06 + t11 * square
            t13 = t12 * square - 0.0001984126984126984
            t14 = 0.008333333333333333 + t13 * square
            t15 = t14 * square - 0.16666666666666666
            s = 1.0 + t15 * square
        else:
            s = sin(angle) / angle  # sin(angle)/angle
            t16 = 0.0
            t17 = 0.0
            t18 = 0.0
        if t8:
            t19 = 0.0
            t20 = 0.0
            t21 = 0.0
        elif t5:
            t22 = 0.0
    else:
        s = 1.0 - square / 6.0  # 1 - square/6
        c = 0.5 - square / 24.0  # 1/2 - square/24
        t23 = 0.0
        t24 = 0.0
        t25 = 0.0
    px = X + s * ax + c * t2 + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
    pz = Z + s * az + c * t3 + tz  # Z + s*az + c*(rx*ay - ry*ax) + tz
    x = px / pz  # px/pz
    py = Y + s * ay + c * t4 + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
    y = py / pz  # py/pz
    r2 = x * x + y * y  # x^2 + y^2
    t26 = r2 * r2  # r2^2
    t27 = 1.0 + k1 * r2 + k2 * t26  # 1 + k1*r2 + k2*r2^2
    zoom = focal * t27  # focal*(1 + k1*r2 + k2*r2^2)
    t28 = zoom * x - u  # zoom*x - u
    t29 = zoom * y - v  # zoom*y - v
    t30 = 2.0 * t29  # d((zoom*y - v)^2)
    t31 = 2.0 * t28  # d((zoom*x - u)^2)
    d_zoom = t31 * x + t30 * y  # d(focal*(1 + k1*r2 + k2*r2^2))
    t32 = d_zoom * focal  # d(focal*(1 + k1*r2 + k2*r2^2))
    t33 = 2.0 * (k1 + 2.0 * k2 * r2) * t32  # d(y^2)
    d_ty = (t33 * y + t30 * zoom) / pz  # d(py/pz)
    t34 = d_ty * c  # d(c*(rz*ax - rx*az))
    d_tx = (t33 * x + t31 * zoom) / pz  # d(px/pz)
    t35 = d_tx * x + d_ty * y  # d(Z + s*az + c*(rx*ay - ry*ax) + tz)
    t36 = t35 * c  # d(c*(rx*ay - ry*ax))
    t37 = d_tx * c  # d(c*(ry*az - rz*ay))
    d_ay = d_ty * s - t37 * rz - t36 * rx  # d(rz*X - rx*Z)
    d_az = t37 * ry - t35 * s - t34 * rx  # d(rx*Y - ry*X)
    d_c = d_tx * t2 - t35 * t3 + d_ty * t4  # d((1 - cos(angle))/square if square > 1...
    d_ax = d_tx * s + t36 * ry + t34 * rz  # d(ry*Z - rz*Y)
    if t1:
        t38 = d_c / square  # d((1 - cos(angle))/square)
        t39 = t38 * c  # d((1 - cos(angle))/square)
    if not t1 or t5 or not t8:
        d_s = d_tx * ax - t35 * az + d_ty * ay  # d(sin(angle)/angle if square > 1e-8...
    if t1:
        if t5:
            t40 = d_s * square
            t41 = t40 * square
            t42 = t41 * square
            t43 = t42 * square
            t44 = (
                (t10 - t9) * t43 * square
                + t43 * t11
                + t42 * t12
                + t41 * t13
                + t40 * t14
                + d_s * t15
            )
            t45 = 2.0 * t44
            t16 = t45 * rz  # d(rz)
            t17 = t45 * ry  # d(ry)
            t18 = t45 * rx  # d(rx)
        if not t8:
            if not t5:
                t22 = (cos(angle) - s) * d_s / angle  # d(sqrt(square))
            d_angle = 2.0 * cos(t6) * t38 * t7 + t22  # d(sqrt(square))
            t46 = d_angle / angle
            t19 = t46 * rx  # d(sqrt(square))
            t20 = t46 * ry  # d(sqrt(square))
            t21 = t46 * rz  # d(sqrt(square))
        t23 = t21 + t16  # d(rz)
        t24 = t20 + t17  # d(ry)
        t25 = t19 + t18  # d(rx)
    else:
        t39 = d_s / 6.0 + d_c / 24.0  # d(rx^2 + ry^2 + rz^2)
    t47 = -2.0 * t39  # d(rz^2)
    d_rx = t47 * rx + d_az * Y - d_ay * Z - t36 * ay - t34 * az + t25
    d_ry = t47 * ry + d_ax * Z - d_az * X + t37 * az + t36 * ax + t24
    d_rz = t47 * rz - d_ax * Y + d_ay * X - t37 * ay + t34 * ax + t23
    return t28 * t28 + t29 * t29, (
        d_rx,
        d_ry,
        d_rz,
        d_tx,
        d_ty,
        -t35,
        d_zoom * t27,
        t32 * r2,
        t32 * t26,
        d_tx - d_az * ry + d_ay * rz,
        d_az * rx - d_ax * rz + d_ty,
        d_ax * ry - d_ay * rx - t35,
    )
