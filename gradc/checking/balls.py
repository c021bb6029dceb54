"""Power series of balls: an arithmetic in which results are certain.

A number is a Laurent series in t, by which the inputs move: its first terms are a value
and its derivatives, and a quotient knows the orders of its parts, so that 0/0 is its
limit. A coefficient is a ball, which contains the truth (Johansson, Arb: efficient
arbitrary-precision midpoint-radius interval arithmetic, 2017). What the balls do not
decide raises `Undecided`, with more bits or terms perhaps it will not.

Where a row has a kink, its derivative is the convention of the table, and is noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial, total_ordering
from operator import mul
from typing import Any

from flint import acb, arb, arb_series, ctx

from gradc.calculus import partial_template
from gradc.ops import OPS, Op
from gradc.run import Arithmetic
from gradc.spelling import Compute

ALL = 10**9  # terms that are known of a constant
FAR = 10**6  # an order beyond those that are looked for
WHOLE = 64  # the largest exponent that is multiplied out
MANY = 140  # numbers whose product is not taken for 0
DEEP, LARGE = 1_200, 3_000  # bits and orders up to which flint is quick without series
SLOW = 1_500  # bits from which a series of gamma takes seconds
LIMITS = frozenset({"k0", "k1", "kv"})  # of which flint takes limits, for seconds
CONVENTION = 2  # terms that are known at a kink: the value and the slope
EDGE = "an edge counts as both of its sides if they agree, else as the one taken"
ABOVE = "the limit from above"
SIDE, SLOPE = 1, 2  # what was settled
SHORT = "too few terms are known"


class Undecided(ArithmeticError):
    """What balls cannot say; the text tells why."""


class Unfinished(Undecided):
    """What more bits may decide."""


class Short(Undecided):
    """What more terms may decide."""


class Below(Undecided):
    """A pole seen from below; the limit is that from above if it is one there too."""


@dataclass
class Look:
    """How a point is looked at, and what that found.

    With the side 0, t has both signs, and a slope at a kink is that of the table, and an
    edge belongs to the side that is taken at the point. Else t is positive, inputs move
    by so many t^2, and what has a sign has that of beside the point.
    """

    side: int = 0
    drift: int = 0  # inputs move by so much more, if that is not 0
    assumes: bool = False  # that what is 0 in half of the bits is 0
    settled: int = 0  # only the SIDE of an edge, or a SLOPE or divisor too
    used: dict[str, None] = field(default_factory=dict)  # conventions, in words
    rows: dict[Any, Ball] = field(default_factory=dict)  # by their arguments
    terms: Sequence[Any] = ()  # the value first


here = Look()  # of the evaluation that goes on, as the bits in `ctx` are


@contextmanager
def precision(bits: int, terms: int, look: Look | None = None) -> Iterator[None]:
    """Compute in so many bits and terms, and look as is said."""
    global here
    before = ctx.prec, ctx.cap, here
    ctx.prec, ctx.cap, here = bits, terms, look or Look()
    try:
        yield
    finally:
        ctx.prec, ctx.cap, here = before


@total_ordering
class Ball:
    """A series t^low*(c0 + c1*t + ...), of which so many terms are known.

    The first coefficient is no exact 0; of 0 itself, `ZERO`, all terms are known.
    """

    __slots__ = ("low", "terms")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, terms: Any, low: int = 0) -> None:
        if here.assumes:
            terms = _assumed(terms)
        if first := terms.valuation() if terms.length() else terms.prec:
            terms = arb_series(terms.coeffs()[first:], terms.prec - first)
        self.low, self.terms = low + first, terms

    def __getitem__(self, power: int) -> Any:
        if power >= self.known:
            raise Short(SHORT)
        return self.terms[power - self.low]  # 0 below the first

    @property
    def known(self) -> int:
        """The power from which on nothing is known."""
        return int(self.low + self.terms.prec)

    @property
    def is_constant(self) -> bool:
        """Whether all terms are known."""
        return self.known >= ALL

    def first(self) -> Any:
        """The first coefficient, which is not 0."""
        if (first := self[self.low]).contains(0):
            raise Unfinished("whether a number is 0")
        return first

    def regular(self) -> Any:
        """The series from the power 0 on."""
        if self.low < 0:
            self.first()
            raise Undecided("a pole")
        if self.known < 1:
            raise Short(SHORT)
        return self.since(0)

    def since(self, power: int) -> Any:
        """The series from a power on, as far as it is computed."""
        if self.low - power >= ctx.cap:
            return arb_series([], ctx.cap)
        zeros = [0] * (self.low - power)
        return arb_series(zeros + self.terms.coeffs(), self.known - power)

    def sign(self) -> int:
        """The sign at the point, 0 if it is exactly 0 there; or the one beside it."""
        if self.low < 0 and (here.side or self.low % 2):
            if here.side < 0 and self.first():
                raise Below("a pole seen from below")
            here.used[ABOVE] = None
        if (self.low < 0 or here.side and self.low) and self is not ZERO:
            return _sign(self.first())
        return _sign(self[0])

    def compared(self, other: Ball) -> int:
        """The sign of the difference."""
        gap = self - other
        if gap.low > 0 and gap is not ZERO:
            here.used[EDGE] = None
            here.settled = here.settled or SIDE
        return gap.sign()

    def __neg__(self) -> Ball:
        return MINUS * self

    def __add__(self, other: Ball) -> Ball:
        if self.low > other.low:
            return other + self
        if other.low >= self.known:
            return self
        if self.is_constant and other.is_constant:
            return exactly(self[0] + other[0])
        terms = other.terms if self.low == other.low else other.since(self.low)
        return Ball(self.terms + terms, self.low)

    def __sub__(self, other: Ball) -> Ball:
        return ZERO if self is other else self + -other

    def __mul__(self, other: Ball) -> Ball:
        if self is ZERO or other is ZERO:
            return ZERO
        if self.is_constant and other.is_constant:
            return exactly(self[0] * other[0])
        return Ball(self.terms * other.terms, self.low + other.low)

    def __truediv__(self, other: Ball) -> Ball:
        if other is ZERO:
            raise ZeroDivisionError("a division by zero")
        other.first()
        if other.low and not here.side:
            here.settled = SLOPE
        if self is ZERO:
            return ZERO
        if self.is_constant and other.is_constant:
            return exactly(self[0] / other[0])
        return Ball(self.terms / other.terms, self.low - other.low)

    def __lt__(self, other: Ball) -> bool:
        return self.compared(other) < 0

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Ball)
        return not self.compared(other)


ZERO = Ball(arb_series([], ALL))


def exactly(x: Any) -> Ball:
    """A number, a float as it is; all of its terms are known."""
    x = arb(x)
    return ZERO if x.is_zero() else Ball(arb_series([x], ALL))


ONE, TWO, HALF, MINUS = map(exactly, (1, 2, 0.5, -1))


def _assumed(terms: Any) -> Any:
    """A series in which what is 0 in half of the bits is 0.

    Far below the last bit is what is tiny by itself, as erfc(exp(exp(pi))); and where a
    first coefficient is far from 1, a product of many of its like may seem to be 0.
    """
    far = arb(2) ** (ctx.prec // MANY)
    least, most = arb(2) ** -ctx.prec / far, arb(2) ** (-ctx.prec // 2)
    known = terms.coeffs()
    for k, x in enumerate(known):
        if x.contains(0) and least < x.rad() < most:
            known[k] = arb(0)
    first = next((abs(x) for x in known if not x.is_zero()), 1)
    if not 1 / far < first < far:
        raise Unfinished("whether a number is 0")
    return arb_series(known, terms.prec)


def _sign(x: Any) -> int:
    if x.contains(0) and not x.is_zero():
        raise Unfinished("a sign")
    return bool(x > 0) - bool(x < 0)


def _finite(*numbers: Any) -> None:
    if not all(x.is_finite() for x in numbers):
        raise Unfinished("a value next to the edge of a domain")


def _applied(name: str, x: Ball) -> Ball:
    """A function that flint has a series of."""
    if name.endswith("gamma") and not x.is_constant and ctx.prec > SLOW:
        raise Undecided("flint takes too long for gamma in so many bits")
    given = x[0] if x.is_constant else x.regular()
    found = getattr(given, name)()
    _finite(*([found] if x.is_constant else found.coeffs()))
    return exactly(found) if x.is_constant else Ball(found)


def _pi(times: float = 1.0) -> Ball:
    return exactly(arb.pi() * times)


def exp(x: Ball) -> Ball:
    """Where x is -infinite it is smaller than every power of t, and no more is known."""
    if x.low < 0:
        if x.sign() > 0:
            raise Undecided("an exponential of a pole")
        return Ball(arb_series([], 0), FAR)
    return _applied("exp", x)


def atan(x: Ball) -> Ball:
    """A pole is seen from one side."""
    if x.low < 0:
        return _pi(0.5 * x.sign()) - atan(ONE / x)
    return _applied("atan", x)


def log(x: Ball) -> Ball:
    if x.sign() < 0:
        raise ValueError("a logarithm of a negative number")
    if x is ZERO or x.low > 0 and not here.side:
        raise Undecided("a logarithm of 0")
    if x.low <= 0:
        return _applied("log", x)
    return Ball(arb_series([], 0), -1)  # smaller than 1/t, and no more is known


def power(x: Ball, y: Ball) -> Ball:
    """A power; of a constant exponent also at 0."""
    if y is ZERO:
        return ONE
    n = y[0]
    if y.is_constant and n.is_exact() and n.is_integer() and abs(n) <= WHOLE:
        times = abs(int(n.unique_fmpz()))
        if x.is_constant:
            found = exactly(x[0] ** times)
        else:
            found = Ball(x.terms**times, x.low * times)
        return found if n > 0 else ONE / found
    if x is ZERO:
        if y.sign() > 0:
            return ZERO
        # 0^0 is 1, which is no limit
        raise (ZeroDivisionError if y.sign() else ValueError)("0 to no power above 0")
    if y.is_constant and (x.low or x.sign() < 0):
        return _root(x, n)
    if x.low > 0 or x.sign() < 0:
        is_known = n.is_exact() and n.is_integer() and not here.side
        if x.low or y.low < 0 or not is_known:
            raise Undecided("a power of 0 or of a negative number by no constant")
        return _kink(power(x, exactly(n)), "the slope of x^y by y is 0 at x < 0")
    return exp(y * log(x))


def _root(x: Ball, n: Any) -> Ball:
    """A power of a series that begins with a power of t, or is negative."""
    sign, order = _sign(x.first()), n * x.low
    if not n.is_integer() and sign < 0 and (not x.low or here.side):
        raise ValueError("a root of a negative number")
    if not here.side and n == 0.5 and order.is_integer():
        return _kink(ZERO, "the slope of a norm at 0 is 0")
    is_power = order.is_integer() and abs(order) < arb(2) ** FAR
    if not is_power or not here.side and not n.is_integer():
        raise Undecided("a root begins")
    here.settled = SLOPE
    terms = ((x.terms if sign > 0 else -x.terms).log() * n).exp()
    is_odd = sign < 0 and not (n / 2).is_integer()
    return Ball(-terms if is_odd else terms, int(order.unique_fmpz()))


def sqrt(x: Ball) -> Ball:
    """Term by term: flint 3.6 aborts at the series of a square."""
    if x is ZERO or x.low or x.sign() < 0:
        return x if x is ZERO else _root(x, arb(0.5))
    roots = [x[0].sqrt()]
    for k in range(1, 1 if x.is_constant else min(x.known, ctx.cap)):
        inner = sum(map(mul, roots[1:], roots[:0:-1]), arb(0))
        roots.append((x[k] - inner) / roots[0] / 2)
    _finite(*roots)
    return Ball(arb_series(roots, x.known))


def _odd(compute: Compute) -> Compute:
    """A function that is odd, from what it is of a number that is not negative."""
    return lambda x: -compute(-x) if x.sign() < 0 else compute(x)


def floor(x: Ball) -> Ball:
    """The whole number at the point, or the one beside it."""
    whole = x.regular()[0].floor()
    if abs(whole) > arb(2) ** FAR or (n := whole.unique_fmpz()) is None:
        raise Unfinished("a step")
    return exactly(n - 1 if x < exactly(n) else n)


_trunc = _odd(floor)


def _nearest(x: Ball) -> Ball:
    """The nearest whole number, halves to even: 1 less if x + 1/2 is odd."""
    quarter = x * HALF - exactly(0.25)
    return floor(x + HALF) - floor(quarter) - floor(-quarter) - ONE


def _kink(x: Ball, why: str, what: int = SLOPE) -> Ball:
    """A number whose slope is a convention, if the sides do not decide."""
    here.used[why], here.settled = None, max(here.settled, what)
    return Ball(arb_series(x.regular().coeffs()[:CONVENTION], CONVENTION))


def _chosen(x: Ball, above: Ball, below: Ball, name: str) -> Ball:
    """One thing where a number is positive and another where it is negative, 0 at 0."""
    if not (sign := x.sign()) and x is not ZERO:
        sign, here.settled = _sign(x.first()), SLOPE
        if x.low % 2:
            return _kink(ZERO, f"the slope of {name} at 0 is 0")
    return above if sign >= 0 else below


def least(*xs: Ball) -> Ball:
    """The smallest; what is tied there shares."""
    first = xs[0]
    for x in xs:
        first = x if (x - first).sign() < 0 else first
    tied = [x for x in xs if not (x - first).sign()]
    if not any((x - first).terms.length() for x in tied):
        return first
    return _kink(sum(tied, ZERO) / exactly(len(tied)), "tied arguments share the slope")


def atan2(y: Ball, x: Ball) -> Ball:
    if x.sign() > 0:
        return atan(y / x)
    if y.sign():
        return _pi(0.5 * y.sign()) - atan(x / y)
    if x.sign():
        return _pi() + atan(y / x)
    why = "the slope of atan2 at the origin is 0"  # where its sides differ
    return ZERO if x is y is ZERO else _kink(ZERO, why, SIDE)


def _row(name: str, *xs: Ball) -> Ball:
    """A row by its value at a number, and beyond it by its partials.

    f(a, b)' = f_a(a, b)*a' + f_b(a, b)*b', the partials with one term less. So rows may
    differentiate into each other; what was found in a run is not computed again.
    """
    op, series = OPS[name], [x.regular() for x in xs]
    moving = [k for k, x in enumerate(series) if x.length() > 1]
    known = min(ctx.cap, *(x.prec for x in series))
    key = name, known, *[tuple(c.repr() for c in x.coeffs()) for x in series]
    if key not in here.rows:
        deep = DEEP // 3 if name in LIMITS else DEEP
        if ctx.prec > deep or any(abs(series[k][0]) > LARGE for k in op.held):
            raise Undecided(f"{name} of so many digits, or so large an order")
        value = VALUES[name](*[x[0] for x in series])
        _finite(value)
        less, slope = [*xs], ZERO
        for k in moving:
            less[k] = Ball(arb_series(series[k].coeffs(), known - 1))
        for k in moving if known > 1 else ():
            here.used[f"the slope of {name} is that of the table"] = None
            slope += _partial(op, k)(*less) * Ball(series[k].derivative())
        total = arb_series([value], known) + slope.regular().integral()
        is_constant = all(x.is_constant for x in xs)
        here.rows[key] = exactly(value) if is_constant else Ball(total)
    return here.rows[key]


@cache
def _partial(op: Op, k: int) -> Compute:
    """The derivative of a row by one of its arguments."""
    if (text := partial_template(op, k, len(op.params))) is None:
        raise Undecided(f"{op.called} has no derivative by '{op.params[k]}'")
    return BALLS.function(text, op.params)


def _bessel(letter: str, scaled: str = "") -> Mapping[str, Compute]:
    """The rows of a function of Bessel's: those of the orders 0 and 1, and of any."""
    method = getattr(arb, f"bessel_{letter}")

    def compute(v: Any, x: Any) -> Any:
        found = method(x, arb(v))
        return found * (-abs(x)).exp() if scaled else found

    orders = {f"{letter}{n}{scaled}": partial(compute, n) for n in range(2)}
    return {**orders, f"{letter}v{scaled}": compute}


def _beta(a: Any, b: Any, x: Any, y: Any) -> Any:
    """The incomplete beta function; flint may not end where y = 1 - x is nearly 0."""
    if x < y:
        return x.beta_lower(a, b, regularized=True)
    return 1 - y.beta_lower(b, a, regularized=True)


# What rows are at numbers of which flint has no series.
VALUES: Mapping[str, Compute] = {
    "polygamma": lambda n, x: acb(x).polygamma(acb(n)).real,
    # Of numbers next to each other by Kummer's and Gauss's function, which may not end in
    # flint farther out; there from the one before, by the n-th derivative of (x - y)*f.
    "dexprel": lambda n, x, y: (
        y.exp() * (x - y).hypgeom_1f1(n + 1, n + 2) / (n + 1)
        if abs(x - y) < 1
        else (x.exp() - (n * VALUES["dexprel"](n - 1, x, y) if n > 0 else y.exp()))
        / (x - y)
    ),
    "dlogrel": lambda n, x, y: (
        (1 - x / y).hypgeom_2f1(n + 1, n + 1, n + 2)
        * ((-1) ** n * (n + 1).gamma() / (n + 1) / y ** (n + 1))
        if 2 * abs(x - y) < y
        else (
            (n * VALUES["dlogrel"](n - 1, x, y) + n.gamma() / (-x) ** n) / (y - x)
            if n > 0
            else (x / y).log() / (x - y)
        )
    ),
    **{**_bessel("j"), **_bessel("y"), **_bessel("i"), **_bessel("k")},
    **_bessel("i", scaled="e"),
    "spherical_jn": lambda n, x: _sphere(n, x, -x * x / 4),
    "spherical_in": lambda n, x: _sphere(n, x, x * x / 4),
    "spherical_yn": lambda n, x: (-1) ** (n + 1) * _sphere(-n - 1, x, -x * x / 4),
    "spherical_kn": lambda n, x: (arb.pi() / x / 2).sqrt() * x.bessel_k(n + arb(0.5)),
    "gammainc": lambda a, x: x.gamma_lower(a, regularized=1),
    "gammaincc": lambda a, x: x.gamma_upper(a, regularized=1),
    "betainc": lambda a, b, x: _beta(a, b, x, 1 - x),
    "betaincc": lambda a, b, x: _beta(b, a, 1 - x, x),
    "tcdf": lambda x, nu: (
        1 - VALUES["tcdf"](-x, nu)
        if x > 0
        else (nu / (nu + x * x)).beta_lower(nu / 2, arb(0.5), regularized=True) / 2
    ),
    "expint": lambda n, x: x.expint(n),
    **{name: getattr(arb, name) for name in "ei erfinv lambertw zeta".split()},
    "hurwitz": arb.zeta,
    "normppf": lambda p: -(p * 2).erfcinv() * arb(2).sqrt(),
    "wofz_re": lambda x, y: ((acb(y, -x) ** 2).exp() * acb(y, -x).erfc()).real,
    "wofz_im": lambda x, y: ((acb(y, -x) ** 2).exp() * acb(y, -x).erfc()).imag,
    "owens_t": lambda h, a: (
        acb.integral(lambda t, _: (-h * h * (1 + t * t) / 2).exp() / (1 + t * t), 0, a)
        / (2 * arb.pi())
    ).real,
}


def _sphere(n: Any, x: Any, z: Any) -> Any:
    """A spherical Bessel function by its power series (DLMF 10.53)."""
    scaled = z.hypgeom_0f1(n + arb(1.5), regularized=True)
    return x**n * scaled * arb.pi().sqrt() / arb(2) ** (n + 1)


_PLAIN = "sin cos erf erfc".split()
# Each row's computation; a row that is missing is computed as it means.
ROWS: Mapping[str, Compute] = {
    **{name: partial(_applied, name) for name in _PLAIN},
    **{name: getattr(Ball, f"__{name}__") for name in "add sub mul neg".split()},
    **{row.__name__: row for row in (atan, atan2, exp, floor, log, sqrt)},
    "div": Ball.__truediv__,
    "pi": _pi,
    "e": lambda: exactly(arb(1).exp()),
    "tan": lambda x: ROWS["sin"](x) / ROWS["cos"](x),
    "pow": power,
    "cbrt": _odd(lambda x: x if x is ZERO else exp(log(x) / exactly(3))),
    "exp2": lambda x: exp(x * exactly(arb(2).log())),
    "exprel": lambda x: ONE if x is ZERO else (exp(x) - ONE) / x,
    "log1prel": lambda x: ONE if x is ZERO else log(ONE + x) / x,
    "log2": lambda x: log(x) / exactly(arb(2).log()),
    "log10": lambda x: log(x) / exactly(arb(10).log()),
    "logaddexp": lambda x, y: log(exp(x) + exp(y)),
    "logsumexp": lambda *xs: log(sum(map(exp, xs), ZERO)),
    "sumexp": lambda m, *xs: sum([exp(x - m) for x in xs], ZERO),
    "softplus": lambda x: log(ONE + exp(x)),
    "sigmoid": lambda x: (ONE + ROWS["tanh"](x * HALF)) * HALF,
    "sinh": lambda x: (exp(x) - exp(-x)) * HALF,
    "cosh": lambda x: (exp(x) + exp(-x)) * HALF,
    "tanh": _odd(lambda x: TWO / (ONE + exp(-(x + x))) - ONE),
    "asin": lambda x: TWO * atan(x / (ONE + sqrt((ONE - x) * (ONE + x)))),
    "acos": lambda x: TWO * atan2(sqrt(ONE - x), sqrt(ONE + x)),
    "asinh": _odd(lambda x: log(x + sqrt(x * x + ONE))),
    "acosh": lambda x: TWO * ROWS["asinh"](sqrt((x - ONE) * HALF)),
    "atanh": lambda x: log((ONE + x) / (ONE - x)) * HALF,
    "degrees": lambda x: x * exactly(180) / _pi(),
    "radians": lambda x: x * _pi() / exactly(180),
    "gamma": lambda x: ONE / _applied("rgamma", x),
    "lgamma": lambda x: (
        _applied("lgamma", x) if x.sign() > 0 else log(ROWS["abs"](ROWS["gamma"](x)))
    ),
    "digamma": lambda x: _row("polygamma", ZERO, x),
    "abs": lambda x: _chosen(x, x, -x, "abs"),
    "sign": lambda x: exactly(x.compared(ZERO)),
    "ceil": lambda x: -floor(-x),
    "trunc": _trunc,
    "round": _nearest,
    "mod": lambda x, y: x - y * floor(x / y),
    "fmod": lambda x, y: x - y * _trunc(x / y),
    "remainder": lambda x, y: x - y * _nearest(x / y),
    "copysign": lambda x, y: exactly(y.compared(ZERO) or 1) * ROWS["abs"](x),
    "min": least,
    "max": lambda *xs: -least(*[-x for x in xs]),
    "relu": lambda x: _chosen(x, x, ZERO, "relu"),
    "fdim": lambda x, y: _chosen(x - y, x - y, ZERO, "fdim"),
    "ties": lambda m, *xs: exactly(sum(not (x - m).sign() for x in xs)),
    "hypot": lambda *xs: sqrt(sum([x * x for x in xs], ZERO)),
    "detach": lambda x: exactly(x.regular()[0]),
    "k0e": lambda x: exp(x) * _row("k0", x),
    "k1e": lambda x: exp(x) * _row("k1", x),
    "kve": lambda v, x: exp(x) * _row("kv", v, x),
    "dawsn": lambda x: _applied("erfi", x) * exp(-(x * x)) * sqrt(_pi()) * HALF,
}


def _primitive(op: Op) -> Compute | None:
    def unknown(*args: Any) -> Any:
        raise Undecided(f"{op.name} has no series")

    if op.name in VALUES:
        return partial(_row, op.name)
    is_written = op.name not in ROWS and op.means is not None
    return BALLS.meaning(op) if is_written else ROWS.get(op.name, unknown)


BALLS = Arithmetic(exactly, _primitive, rank=3)
