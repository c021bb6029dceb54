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
# digest: 76e7f32bd985f96fa6aecac1a15a3af4

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import cos, hypot, inf, isfinite, isnan, nan, sin
from sys import _getframe
from types import FunctionType
from typing import Any

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
    try:
        square = rx * rx + ry * ry + rz * rz  # rx^2 + ry^2 + rz^2
        ax = ry * Z - rz * Y  # ry*Z - rz*Y
        az = rx * Y - ry * X  # rx*Y - ry*X
        ay = rz * X - rx * Z  # rz*X - rx*Z
        if square > 1e-08:
            angle = hypot(rx, ry, rz)  # sqrt(square)
            t1 = sin(0.5 * angle)  # 1 - cos(angle)
            c = 2.0 * (t1 * t1) / square  # (1 - cos(angle))/square
            if angle < 0.25:
                t1 = 1.6059043836821613e-10 * square
                t2 = (t1 - 2.505210838544172e-08) * square
                t1 = (2.7557319223985893e-06 + t2) * square
                t2 = (t1 - 0.0001984126984126984) * square
                t1 = (0.008333333333333333 + t2) * square
                s = 1.0 + (t1 - 0.16666666666666666) * square
            else:
                s = sin(angle) / angle  # sin(angle)/angle
        else:
            s = 1.0 - square / 6.0  # 1 - square/6
            c = 0.5 - square / 24.0  # 1/2 - square/24
        pz = Z + s * az + c * (rx * ay - ry * ax) + tz  # Z + s*az + c*(rx*ay - ry*ax...
        px = X + s * ax + c * (ry * az - rz * ay) + tx  # X + s*ax + c*(ry*az - rz*ay...
        x = px / pz  # px/pz
        py = Y + s * ay + c * (rz * ax - rx * az) + ty  # Y + s*ay + c*(rz*ax - rx*az...
        y = py / pz  # py/pz
        r2 = x * x + y * y  # x^2 + y^2
        zoom = focal * (1.0 + k1 * r2 + k2 * (r2 * r2))  # focal*(1 + k1*r2 + k2*r2^2)
        t1 = zoom * x - u  # zoom*x - u
        t2 = zoom * y - v  # zoom*y - v
        return t1 * t1 + t2 * t2
    except (ArithmeticError, ValueError):
        return careful_value(rx, ry, rz, tx, ty, tz, focal, k1, k2, X, Y, Z, u, v)


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
    try:
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
            t5 = angle < 0.25
            t6 = 0.5 * angle  # 1 - cos(angle)
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
                t15 = ((t9 + t10) * square + t11) * square
            else:
                s = sin(angle) / angle  # sin(angle)/angle
                t9 = 0.0
                t11 = 0.0
                t10 = 0.0
            if t8:
                t16 = 0.0
                t17 = 0.0
                t18 = 0.0
            elif t5:
                t19 = 0.0
        else:
            s = 1.0 - square / 6.0  # 1 - square/6
            c = 0.5 - square / 24.0  # 1/2 - square/24
            t20 = 0.0
            t21 = 0.0
            t22 = 0.0
        pz = Z + s * az + c * t3 + tz  # Z + s*az + c*(rx*ay - ry*ax) + tz
        px = X + s * ax + c * t2 + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
        x = px / pz  # px/pz
        py = Y + s * ay + c * t4 + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
        y = py / pz  # py/pz
        r2 = x * x + y * y  # x^2 + y^2
        t23 = r2 * r2  # r2^2
        t24 = 1.0 + k1 * r2 + k2 * t23  # 1 + k1*r2 + k2*r2^2
        zoom = focal * t24  # focal*(1 + k1*r2 + k2*r2^2)
        t25 = zoom * x - u  # zoom*x - u
        t26 = zoom * y - v  # zoom*y - v
        t27 = 2.0 * t26  # d((zoom*y - v)^2)
        t28 = 2.0 * t25  # d((zoom*x - u)^2)
        d_zoom = t28 * x + t27 * y  # d(focal*(1 + k1*r2 + k2*r2^2))
        t29 = d_zoom * focal  # d(focal*(1 + k1*r2 + k2*r2^2))
        t30 = 2.0 * (k1 + 2.0 * k2 * r2) * t29  # d(y^2)
        d_ty = (t30 * y + t27 * zoom) / pz  # d(py/pz)
        t27 = d_ty * c  # d(c*(rz*ax - rx*az))
        d_tx = (t30 * x + t28 * zoom) / pz  # d(px/pz)
        t30 = d_tx * x + d_ty * y  # d(Z + s*az + c*(rx*ay - ry*ax) + tz)
        t28 = t30 * c  # d(c*(rx*ay - ry*ax))
        t31 = d_tx * c  # d(c*(ry*az - rz*ay))
        d_ay = d_ty * s - t31 * rz - t28 * rx  # d(rz*X - rx*Z)
        d_az = t31 * ry - t30 * s - t27 * rx  # d(rx*Y - ry*X)
        d_c = d_tx * t2 - t30 * t3 + d_ty * t4  # d((1 - cos(angle))/square if square...
        d_ax = d_tx * s + t28 * ry + t27 * rz  # d(ry*Z - rz*Y)
        if t1:
            t4 = d_c / square  # d((1 - cos(angle))/square)
            t3 = t4 * c  # d((1 - cos(angle))/square)
        if not t1 or t5 or not t8:
            d_s = d_tx * ax - t30 * az + d_ty * ay  # d(sin(angle)/angle if square >...
        if t1:
            if not t8:
                if not t5:
                    t19 = (cos(angle) - s) * d_s / angle  # d(sqrt(square))
                t2 = 2.0 * cos(t6) * t4 * t7 + t19
                t7 = t2 / angle
                t16 = t7 * rx  # d(sqrt(square))
                t17 = t7 * ry  # d(sqrt(square))
                t18 = t7 * rz  # d(sqrt(square))
            if t5:
                t7 = ((t15 + t12) * square + t13) * d_s
                t15 = 2.0 * (t7 * square + d_s * t14)
                t9 = t15 * rz  # d(rz)
                t11 = t15 * ry  # d(ry)
                t10 = t15 * rx  # d(rx)
            t20 = t18 + t9  # d(rz)
            t21 = t17 + t11  # d(ry)
            t22 = t16 + t10  # d(rx)
        else:
            t3 = d_s / 6.0 + d_c / 24.0  # d(rx^2 + ry^2 + rz^2)
        t16 = -2.0 * t3  # d(rz^2)
        d_rx = t16 * rx + d_az * Y - d_ay * Z - t28 * ay - t27 * az + t22
        d_ry = t16 * ry + d_ax * Z - d_az * X + t31 * az + t28 * ax + t21
        d_rz = t16 * rz - d_ax * Y + d_ay * X - t31 * ay + t27 * ax + t20
        return t25 * t25 + t26 * t26, (
            d_rx,
            d_ry,
            d_rz,
            d_tx,
            d_ty,
            -t30,
            d_zoom * t24,
            t29 * r2,
            t29 * t23,
            d_tx - d_az * ry + d_ay * rz,
            d_az * rx - d_ax * rz + d_ty,
            d_ax * ry - d_ay * rx - t30,
        )
    except (ArithmeticError, ValueError):
        return careful_value_and_grad(
            rx,
            ry,
            rz,
            tx,
            ty,
            tz,
            focal,
            k1,
            k2,
            X,
            Y,
            Z,
            u,
            v,
        )


IEEE = False
PARTS = {
    (0, "", 0): "27:1: (zoom*x - u)^2 + (zoom*y - v)^2",
    (25, "/", 1): "13:5: (1 - cos(angle))/square",
    (34, "/", 1): "12:5: sin(angle)/angle",
    (40, "/", 1): "23:5: px/pz",
    (42, "/", 1): "24:5: py/pz",
}

# Where Python raises, the functions above run again, in numbers without bounds.

UNBOUNDED = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

# Functions that leave the range of floats, come back to it, or have a pole.
DECIMALS: dict[str, Callable[..., Decimal]] = {}


class Number(Decimal):
    """A number without bounds, infinite or NaN where Python raises."""

    done: list[tuple[int, str]] = []  # the operations of a run, with their lines
    origin = 0  # how many of them there were when it came to be infinite or NaN
    slow = False  # infinite as a logarithm is, which any power outweighs
    faint = False  # 0 as the inverse of an infinity is
    adjoint = False  # of a derivative, in which a factor of 0 contributes nothing


class Adjoint(Number):
    """A number of a derivative."""

    adjoint = True


def operation(symbol: str, compute: Callable[..., Any]) -> Callable[..., Number]:
    """An operation on numbers, which notes how a number comes to be without end."""

    def run(*args: Number) -> Number:
        found = type(args[0])(compute(*args))
        endless = [x for x in args if not x.is_finite()]
        found.done.append((_getframe(1).f_lineno, symbol))
        found.origin = endless[0].origin if endless else len(found.done)
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            found.slow = all(x.slow for x in endless)
        found.faint = found == 0 and (bool(endless) or any(x.faint for x in args))
        return found

    return run


def vanishes(*factors: Number) -> bool:
    """Whether a product that has no value is 0, as one of its factors."""
    faint = any(x.faint for x in factors)
    return any(x.slow for x in factors) or (factors[0].adjoint and not faint)


def product(x: Number, y: Number) -> Decimal:
    opposed = (x == 0 and y.is_infinite()) or (y == 0 and x.is_infinite())
    return Decimal(0) if opposed and vanishes(x, y) else Decimal.__mul__(x, y)


def quotient(x: Number, y: Number) -> Decimal:
    is_zero = x == y == 0 and vanishes(x)
    return Decimal(0) if is_zero else Decimal.__truediv__(x, y)


def function(of_floats: Callable[..., float]) -> Callable[..., Number]:
    """A function of floats as an operation on numbers."""
    name = of_floats.__name__

    def compute(*args: Number) -> Any:
        try:
            found = nan if any(map(isnan, args)) else of_floats(*map(float, args))
        except OverflowError:
            found = inf
        except (ArithmeticError, ValueError):
            found = nan
        if name not in DECIMALS or 1e-307 < abs(found) < inf:
            return found
        return DECIMALS[name](*args)

    return operation(name, compute)


for _name, _symbol, _compute in (
    ("__add__", "+", Decimal.__add__),
    ("__sub__", "-", Decimal.__sub__),
    ("__mul__", "*", product),
    ("__truediv__", "/", quotient),
    ("__neg__", "-", Decimal.__neg__),
):
    setattr(Number, _name, operation(_symbol, _compute))


def mapped(change: Callable[[Any], Any], item: Any) -> Any:
    """A number changed, or the numbers of nested sequences."""
    is_nested = hasattr(item, "__iter__")
    return tuple(mapped(change, x) for x in item) if is_nested else change(item)


def run_again(what: Callable[..., Any], base: type[Number], args: Any) -> Any:
    """Run a function of this module on numbers of a kind, constants included."""
    kind = type(base.__name__, (base,), {"done": []})

    def lifted(item: Any) -> Any:
        if isinstance(item, float):
            return kind(item)
        return function(item) if callable(item) else item

    names, code = what.__globals__, what.__code__
    code = code.replace(co_consts=tuple(map(lifted, code.co_consts)))
    used = {name: lifted(names[name]) for name in code.co_names if name in names}
    with localcontext(UNBOUNDED):
        return FunctionType(code, used)(*mapped(lambda x: kind(float(x)), args))


def part(number: Number) -> str:
    """The part of the formula that made a number infinite or NaN."""
    done = number.done[: number.origin]
    line, symbol = done[-1] if done else (0, "")
    first = value.__code__.co_firstlineno
    starts = [first + n for n, name, _ in PARTS if name == symbol and first + n <= line]
    start = max(starts, default=0)
    count = sum(name == symbol and n >= start for n, name in done)
    return PARTS.get((start - first, symbol, count), PARTS[0, "", 0])


def outside(what: str, found: float, args: Any) -> ValueError:
    """The mistake that something has no finite value."""
    how = "not a real number" if isnan(found) else "infinite"
    at = ", ".join(f"{name} = {x!r}" for name, x in zip(INPUTS, args))
    return ValueError(f"{what} is {how} at {at}")


def careful_value(*args: Any) -> float:
    """The value, wherever it is."""
    number = run_again(value, Number, args)
    found = float(number)
    if not (IEEE or isfinite(found)):
        raise outside(part(number), found, args)
    return found


def careful_value_and_grad(*args: Any) -> tuple[float, Any]:
    """The value and its gradient, wherever they are."""
    first = careful_value(*args)
    gradient = mapped(float, run_again(value_and_grad, Adjoint, args)[1])
    for name, slope in zip(WRT, gradient):
        slopes: list[float] = []
        mapped(slopes.append, slope)
        if any(map(isnan, slopes)) and not IEEE:
            what = f"{PARTS[0, '', 0]}: the derivative by {name}"
            raise outside(what, nan, args)
    return first, gradient
