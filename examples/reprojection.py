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
# digest: 9bd2fe6d53b7c057ce43611838738bba

from math import cos, hypot, inf, isfinite, isinf, isnan, nan, sin
from sys import _getframe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from typing import Any, TypeVar

    Result = TypeVar("Result")

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
        ax = ry * Z - rz * Y
        az = rx * Y - ry * X
        ay = rz * X - rx * Z
        if square > 1e-08:
            angle = hypot(rx, ry, rz)  # sqrt(square)
            t1 = sin(0.5 * angle)  # in 1 - cos(angle)
            c = 2.0 * (t1 * t1) / square  # (1 - cos(angle))/square
            if angle < 0.25:
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
    except (ArithmeticError, ValueError):
        return careful(value, rx, ry, rz, tx, ty, tz, focal, k1, k2, X, Y, Z, u, v)


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
        ax = ry * Z - rz * Y
        az = rx * Y - ry * X
        ay = rz * X - rx * Z
        t2 = ry * az - rz * ay
        t3 = rx * ay - ry * ax
        t4 = rz * ax - rx * az
        if t1:
            angle = hypot(rx, ry, rz)  # sqrt(square)
            t5 = angle < 0.25
            t6 = 0.5 * angle  # in 1 - cos(angle)
            t7 = sin(t6)
            c = 2.0 * (t7 * t7) / square  # (1 - cos(angle))/square
            if t5:
                t8 = 1.6059043836821613e-10 * square
                t9 = t8 - 2.505210838544172e-08
                t10 = 2.7557319223985893e-06 + t9 * square
                t11 = t10 * square - 0.0001984126984126984
                t12 = 0.008333333333333333 + t11 * square
                t13 = t12 * square - 0.16666666666666666
                s = 1.0 + t13 * square
                t14 = angle == 0.0
                t15 = ((t8 + t9) * square + t10) * square + t11  # d(rz)
                if t14:
                    t9 = 0.0
            else:
                s = sin(angle) / angle
        else:
            s = 1.0 - square / 6.0
            c = 0.5 - square / 24.0  # 1/2 - square/24
            t8 = 0.0
            t11 = 0.0
            t10 = 0.0
        pz = Z + s * az + c * t3 + tz  # Z + s*az + c*(rx*ay - ry*ax) + tz
        px = X + s * ax + c * t2 + tx  # X + s*ax + c*(ry*az - rz*ay) + tx
        x = px / pz
        py = Y + s * ay + c * t4 + ty  # Y + s*ay + c*(rz*ax - rx*az) + ty
        y = py / pz
        r2 = x * x + y * y  # x^2 + y^2
        t16 = r2 * r2  # r2^2
        t17 = 1.0 + k1 * r2 + k2 * t16  # 1 + k1*r2 + k2*r2^2
        zoom = focal * t17  # focal*(1 + k1*r2 + k2*r2^2)
        t18 = zoom * x - u
        t19 = zoom * y - v
        t20 = 2.0 * t19  # d((zoom*y - v)^2)
        t21 = 2.0 * t18  # d((zoom*x - u)^2)
        d_zoom = t21 * x + t20 * y  # d(focal*(1 + k1*r2 + k2*r2^2))
        t22 = d_zoom * focal  # d(focal*(1 + k1*r2 + k2*r2^2))
        t23 = 2.0 * (k1 + 2.0 * k2 * r2) * t22  # d(y^2)
        d_ty = (t23 * y + t20 * zoom) / pz  # d(py/pz)
        t20 = d_ty * c  # d(c*(rz*ax - rx*az))
        d_tx = (t23 * x + t21 * zoom) / pz  # d(px/pz)
        t23 = d_tx * x + d_ty * y  # d(Z + s*az + c*(rx*ay - ry*ax) + tz)
        t21 = t23 * c  # d(c*(rx*ay - ry*ax))
        t24 = d_tx * c  # d(c*(ry*az - rz*ay))
        d_ay = d_ty * s - t24 * rz - t21 * rx  # d(rz*X - rx*Z)
        d_az = t24 * ry - t23 * s - t20 * rx  # d(rx*Y - ry*X)
        d_c = d_tx * t2 - t23 * t3 + d_ty * t4  # d((1 - cos(angle))/square if square...
        d_ax = d_tx * s + t21 * ry + t20 * rz  # d(ry*Z - rz*Y)
        d_s = d_tx * ax - t23 * az + d_ty * ay  # d(sin(angle)/angle if square > 1e-8...
        if t1:
            t4 = d_c / square  # d((1 - cos(angle))/square)
            t3 = t4 * c  # d((1 - cos(angle))/square)
            if t5:
                t2 = (t15 * square + t12) * d_s * square  # d(rz)
                if not t14:
                    t9 = 2.0 * cos(t6) * t4 * t7 / angle  # d(sqrt(square))
                t15 = t9 + 2.0 * (t2 + d_s * t13)  # d(rz)
                t8 = t15 * rz  # d(rz)
                t11 = t15 * ry  # d(ry)
                t10 = t15 * rx  # d(rx)
            else:
                t15 = (cos(angle) - s) * d_s / angle  # d(sqrt(square))
                t9 = (2.0 * cos(t6) * t4 * t7 + t15) / angle  # d(sqrt(square))
                t8 = t9 * rz  # d(rz)
                t11 = t9 * ry  # d(ry)
                t10 = t9 * rx  # d(rx)
        else:
            t3 = d_s / 6.0 + d_c / 24.0  # d(rx^2 + ry^2 + rz^2)
        t9 = -2.0 * t3  # d(rz^2)
        return t18 * t18 + t19 * t19, (
            t9 * rx + d_az * Y - d_ay * Z - t21 * ay - t20 * az + t10,
            t9 * ry + d_ax * Z - d_az * X + t24 * az + t21 * ax + t11,
            t9 * rz - d_ax * Y + d_ay * X - t24 * ay + t20 * ax + t8,
            d_tx,
            d_ty,
            -t23,
            d_zoom * t17,
            t22 * r2,
            t22 * t16,
            d_tx - d_az * ry + d_ay * rz,
            d_az * rx - d_ax * rz + d_ty,
            d_ax * ry - d_ay * rx - t23,
        )
    except (ArithmeticError, ValueError):
        return careful(
            value_and_grad,
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
    (33, "/", 1): "12:5: sin(angle)/angle",
    (39, "/", 1): "23:5: px/pz",
    (41, "/", 1): "24:5: py/pz",
}
EXACT = {
    0.0001984126984126984: (1, 5040),
    0.008333333333333333: (1, 120),
    0.16666666666666666: (1, 6),
}
BOUNDS = (0.25,)

# Where Python raises or digits are lost, the functions above run again, in numbers
# without bounds and of so many digits, or of more where most of these cancel.
DIGITS = 60


def careful(what: "Callable[..., Result]", *args: "Any") -> "Result":
    """What a function returns where floats end, on the way or in a result."""
    point = args[: len(INPUTS)]
    found: "Any"
    if what is value:
        found = floats(run_again(what, point), point)
    else:
        alone = value(*point)  # where there is none, all else is in vain
        derived = run_again(what, args, adjoint=True)
        is_product = len(args) > len(INPUTS)
        found = floats(derived if is_product else derived[1:], point)
        found = found if is_product else (alone, *found)
    result: "Result" = found
    return result


def floats(item: "Any", point: "tuple[Any, ...]") -> "Any":
    """The results of a run as floats.

    Raises:
        ValueError: a value is not finite, or a derivative is not a number.
    """
    if isinstance(item, tuple):
        return tuple(floats(x, point) for x in item)
    found = float(item)
    if not IEEE and (isnan(found) or (isinf(found) and not item.adjoint)):
        what = f"{PARTS[0, '', 0]}: a derivative" if item.adjoint else part(item)
        how = "not a real number" if isnan(found) else "infinite"
        at = ", ".join(f"{name} = {x!r}" for name, x in zip(INPUTS, point))
        raise ValueError(f"{what} is {how} at {at}")
    return found


def part(found: "Number") -> str:
    """The part of the formula that made a value infinite or NaN."""
    done = found.done[: found.origin]
    line, symbol = done[-1] if done else (0, "")
    first = value.__code__.co_firstlineno
    starts = [first + n for n, name, _ in PARTS if name == symbol and first + n <= line]
    start = max(starts, default=0)
    count = sum(name == symbol and n >= start for n, name in done)
    return PARTS.get((start - first, symbol, count), PARTS[0, "", 0])


def run_again(what: "Any", args: "tuple[Any, ...]", adjoint: bool = False) -> "Any":
    """Run a function of this module on numbers without bounds."""
    found = run_once(what, args, adjoint)
    if adjoint or has_none(found):
        found = tending(found, what, args)
    return found


def has_none(found: "Any") -> bool:
    """Whether a result has no finite value."""
    is_one = not isinstance(found, tuple)
    return not isfinite(found) if is_one else any(map(has_none, found))


def is_vague(found: "Any") -> bool:
    """Whether a result has no finite value, or one that was taken for a limit."""
    if isinstance(found, tuple):
        return any(map(is_vague, found))
    return has_none(found) or getattr(found, "taken", False)  # or it is a constant


def around(point: "Any") -> "list[Any]":
    """Four points on two lines through a point, in pairs on its two sides."""
    return [moved(point, k, []) for k in range(4)]


def moved(x: "Any", k: int, others: "list[Any]") -> "Any":
    """The k-th of the points, of which the others before this entry are done."""
    x = x.tolist() if hasattr(x, "tolist") else x  # of NumPy
    if hasattr(x, "__iter__"):
        return [moved(entry, k, others) for entry in x]
    others.append(x)
    n = len(others)
    wide = n + 1 / n if k < 2 else (-1) ** n * (2 + n)
    step = (1.3e-12, -1.3e-12, 7e-13, -7e-13)[k] * wide
    return x + (x or 1.0) * step


def tending(found: "Any", what: "Any", args: "Any") -> "Any":
    """A result; what has no value is what it tends to, and so are its derivatives."""
    point, others = args[: len(INPUTS)], args[len(INPUTS) :]
    adjoint = what is not value
    whole = adjoint and has_none(run_once(value, point, False))
    if not whole and not is_vague(found):
        return found
    sides = [run_once(what, (*x, *others), adjoint) for x in around(point)]

    def mended(x: "Any", sides: "Any") -> "Any":
        if isinstance(x, tuple):
            return tuple(map(mended, x, zip(*sides)))
        if not whole and not is_vague(x):
            return x
        slope = adjoint and not whole and isnan(x)
        near = limit([*map(float, sides)], is_open(x), slope)
        is_kept = not whole and abs(near - float(x)) < 1e-4 * abs(near)
        if is_kept or (isnan(near) and (has_none(x) or not whole)):
            return x
        return type(x)(near)

    return mended(found, sides)


def is_open(x: "Number") -> bool:
    """Whether arithmetic left open what a number is, not the domain of a function."""
    return isfinite(x) or x.pole or x.done[x.origin - 1][1] in "+-*/"


def limit(xs: "list[float]", inside: bool, slope: bool) -> float:
    """What numbers around a point tend to: the mean of pairs, 0 if they are tiny.

    Arguments:
        inside: one number of each pair is enough, as at the edge of a domain.
        slope: of a value that is known, and 0 where the value has a kink as abs has.
    """
    pairs = [[x for x in pair if isfinite(x)] for pair in (xs[:2], xs[2:])]
    found = [x for pair in pairs for x in pair]
    if not all(pairs) or (len(found) < 4 and not inside):
        return nan
    one, other = (sum(pair) / len(pair) for pair in pairs)
    size, spread = max(map(abs, found)), max(found) - min(found)
    if spread <= 1e-2 * size and abs(one - other) <= 1e-6 * size:
        return (one + other) / 2
    is_kink = slope and len(found) == 4 and max(abs(one), abs(other)) < 1e-2 * size
    return 0.0 if size < 1e-9 or is_kink else nan


def run_once(what: "Any", args: "tuple[Any, ...]", adjoint: bool) -> "Any":
    """Run a function of this module on numbers of as many digits as it needs."""
    found, digits = run_in(DIGITS, what, args, adjoint)
    return found if digits == DIGITS else run_in(digits, what, args, adjoint)[0]


def run_in(digits: int, what: "Any", args: "Any", adjoint: bool) -> "tuple[Any, int]":
    """Run a function in so many digits; also how many it needs."""
    from decimal import localcontext

    kind: "Any" = type("Number", (Number,), {"done": [], "adjoint": adjoint})
    given: "Any" = (kind(float(x)) for x in args)
    with localcontext(wide(digits)):
        run = lifted(what, kind)
        return run(*given), needed(kind)


def needed(kind: "type[Number]") -> int:
    """How many digits a run needs, by how large and small its numbers were."""
    return min(DIGITS + 4 * kind.size, 1000) if kind.short and kind.size > 9 else DIGITS


def wide(digits: int) -> "Any":
    """The precision and the range of numbers without bounds."""
    from decimal import MAX_EMAX, MIN_EMIN, Context

    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def lifted(what: "Any", kind: "type[Number]") -> "Any":
    """A function of floats as one of numbers, with the constants in it."""

    def replaced(item: "Any") -> "Any":
        if callable(item) and item not in (abs, max, min):
            return function(item)
        if not isinstance(item, float):
            return item
        found = kind(item)
        found.settle()
        return found

    code, names = what.__code__, what.__globals__
    used = {name: replaced(names[name]) for name in code.co_names if name in names}
    code = code.replace(co_consts=tuple(map(replaced, code.co_consts)))
    return type(what)(code, used)


class Number:
    """A number without bounds, infinite or NaN where Python raises."""

    done: "list[tuple[int, str]]"  # the operations of a run, with their lines
    adjoint: bool  # of a derivative, in which a factor of 0 contributes nothing
    origin = 0  # how many operations were done when it came to be infinite or NaN
    slow = False  # infinite as a logarithm is, which any power outweighs
    pole = False  # infinite at first, and so at an edge, not behind it
    faint = False  # 0 as the inverse of an infinity is
    taken = False  # a derivative for which 0/0 has been taken for 0
    log: "Decimal | None" = None  # of its size, where decimals end
    rounded = False  # computed, and so it may be
    exact = EXACT
    bounds = BOUNDS
    bound = False  # to compare with it is of use to floats alone
    short = False  # of a run, in which too many digits have cancelled
    size = 0  # of a run, of the smallest number in it, or the largest that cancelled

    def __init__(self, x: "Decimal | float") -> None:
        from decimal import Decimal

        self.x = Decimal(x)
        if self.x:
            type(self).size = max(self.size, -self.x.adjusted())

    def settle(self) -> None:
        """Be the constant that this number is the float of."""
        size = float(abs(self.x))
        self.bound = size in self.bounds
        if size in self.exact:
            above, below = map(type(self.x), self.exact[size])
            self.x = (above / below).copy_sign(self.x)

    def __float__(self) -> float:
        return float(self.x)

    def found(self, symbol: str, x: "Decimal | float", *others: "Number") -> "Number":
        """The result of an operation on this and other numbers."""
        args = (self, *others)
        new = type(self)(x)
        endless = [y for y in args if not y.x.is_finite()]
        self.done.append((_getframe(2).f_lineno, symbol))
        new.rounded = True
        new.bound = symbol == "*" and any(y.bound for y in args)
        new.origin = endless[0].origin if endless else len(self.done)
        new.pole = endless[0].pole if endless else isinf(new.x)
        if symbol.startswith("log") or (endless and symbol in "+-*"):
            new.slow = isinf(new.x) and all(y.slow for y in endless)
        new.faint = not new.x and (bool(endless) or any(y.faint for y in args))
        new.taken = any(y.taken for y in args)
        return new

    def vanishes(self, *others: "Number") -> bool:
        """Whether a product or quotient that has no value is 0, as one of its factors."""
        factors = (self, *others)
        if any(y.slow for y in factors):
            return True
        self.taken = self.adjoint and not any(y.faint for y in factors)
        return self.taken

    def left(self, x: "Decimal", other: "Number") -> "Decimal":
        """What is left of this number in a sum or sine, 0 for nothing but rounding."""
        if abs(x) < abs(self.x).scaleb(-25) and (self.rounded or other.rounded):
            type(self).short = True
            type(self).size = max(self.size, self.x.adjusted())
            return x - x if abs(x) < abs(self.x).scaleb(6 - precision()) else x
        return x

    def winds(self, *others: "Number") -> None:
        """Ask for more digits where so many periods leave too few."""
        period = others[0].x if others else self.x / self.x
        apart = self.x.adjusted() - period.adjusted()
        if self.rounded and apart > 20 and self.x.is_finite():
            type(self).short = True
            type(self).size = max(self.size, apart // 3 + 10)

    def __add__(self, other: "Number") -> "Number":
        return self.found("+", self.left(self.x + other.x, other), other)

    def __sub__(self, other: "Number") -> "Number":
        return self.found("-", self.left(self.x - other.x, other), other)

    def __mul__(self, other: "Number") -> "Number":
        low, high = sorted((abs(self.x), abs(other.x)))
        is_zero = low == 0 and high == inf and self.vanishes(other)
        return self.found("*", low if is_zero else self.x * other.x, other)

    def __truediv__(self, other: "Number") -> "Number":
        is_zero = self.x == other.x == 0 and self.vanishes()
        return self.found("/", self.x if is_zero else self.x / other.x, other)

    def __neg__(self) -> "Number":
        return self.found("-", -self.x)

    def edge(self) -> "Decimal":
        """This number in a comparison: nothing is near to what a bound belongs to."""
        return self.x.scaleb(-300) if self.bound else self.x

    def __lt__(self, other: "Number") -> bool:
        if self.bound or other.bound:
            return self.edge() < other.edge()
        return self.x < other.x

    def __gt__(self, other: "Number") -> bool:
        if self.bound or other.bound:
            return self.edge() > other.edge()
        return self.x > other.x

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.x == other.x


def function(on: "Callable[..., float]") -> "Callable[..., Number]":
    """A function on floats as one on numbers."""

    def run(*args: Number) -> Number:
        first, *others = args
        found = of_decimals(on, *(y.x for y in args))
        if first.rounded and abs(abs(first.x) - 1) < 1e-25:  # where log and log1p end
            type(first).short = True
        gap = abs(abs(found) - 1)
        if not others and abs(first.x) > 9 and gap < 1e-25:  # such as tanh far out
            type(first).size = max(first.size, -gap.adjusted() if gap else 250)
        if on.__name__ in WINDING:
            first.winds(*others)
            found = found if others else first.left(found, first)
        return first.found(on.__name__, found, *others)

    return run


def of_decimals(on: "Any", *args: "Decimal") -> "Any":
    """What a function on floats is on decimals."""
    if any(map(isnan, args)):
        return nan
    try:
        if on.__name__ in DECIMALS:
            from decimal import localcontext

            with localcontext() as context:
                context.prec += 20
                found = DECIMALS[on.__name__](*args)
            if not isnan(found) or on.__name__ == "pow":
                return +found
        return on(*map(float, args))
    except OverflowError:
        return inf
    except (ArithmeticError, ValueError):
        return nan


# Functions of which many periods may lie before an argument.
WINDING = {"sin", "cos", "tan", "fmod", "remainder"}


# Functions on decimals. One that is NaN is left to floats.
DECIMALS: "dict[str, Callable[..., Any]]" = {
    "hypot": lambda *xs: sum(x * x for x in xs).sqrt(),
    "sin": lambda x: sine(2 * x / long_pi(), 0),
    "cos": lambda x: sine(2 * x / long_pi(), 1),
}


def sine(x: "Decimal", n: int) -> "Any":
    """The sine of x + n right angles; NaN where x is too large."""
    if x.adjusted() > precision() - 25:
        return type(x)(nan)
    nearest = round(x)
    y = (x - nearest) * long_pi() / 2
    n = (nearest + n) % 4
    odd = n % 2
    first = type(y)(1) if odd else y
    found = series(first, lambda k: -y * y / (2 * k * (2 * k + 1 - 2 * odd)))
    return -found if n > 1 else found


def series(term: "Any", ratio: "Callable[[int], Any]") -> "Any":
    """The sum of a series by its first term and the ratios from each to the next."""
    found, n = term, 1
    while abs(found + term - found) > 0:
        term *= ratio(n)
        found += term
        n += 1
    return found


def long_pi() -> "Decimal":
    """pi by the means of Gauss, as Salamin and Brent use them."""
    from decimal import Decimal

    x, y, rest, n = Decimal(1), Decimal("0.5").sqrt(), Decimal("0.25"), 1
    while n < 2 * precision():
        mean = (x + y) / 2
        x, y, rest = mean, (x * y).sqrt(), rest - n * (x - mean) ** 2
        n *= 2
    return x * x / rest


def precision() -> int:
    """How many digits are computed with."""
    from decimal import getcontext

    return getcontext().prec
