"""Magnitudes: how the exponent of ten of a node follows from those of its arguments.

An exponent is infinite for a node that is infinite, and minus that for one that is 0. A
sum is as its largest term, for at a random point none cancel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from gradc.ir import Program

LARGEST, SMALLEST = 308.0, -307.5  # exponents of floats with all their digits
JITTER = 3.0  # by which an exponent is moved, so that no two terms are equal
GROWN = 4.0  # exponent of an argument beyond which an exponential ends
COUNTS = 9.0  # up to so many exponents below a sum its terms count
LOWEST = -323.5  # of floats

Rule = Callable[..., float]

EVEN = frozenset({"cosh", "sinh"})
RISING = frozenset({"expm1", "gamma"})  # they are not tiny
LINEAR = frozenset({"neg", "mul", "div", "add", "sub"})
_LARGE_RAISES = frozenset({"pow"})
_ZERO_RAISES = frozenset({"div", "log"})
BELLS = frozenset({"gauss", "normpdf", "sech2"})  # tiny far from 0
TAILS = {
    "erfc": -1.0,
    "normcdf": 1.0,
    "sigmoid": 1.0,
}  # tiny on one side: how they grow
# And constants to powers.
STEEP = frozenset({"exp", "cosh", "sinh", "expm1", "gamma", *BELLS, *TAILS})


def is_wrong(true: float, left: float) -> bool:
    """Whether floats keep something else of a node than the float that it is."""
    if left == true or math.isnan(left):
        return left != true
    if true <= SMALLEST:
        return left > SMALLEST + 2.0
    return true < LARGEST


def held(exponent: float) -> float:
    """What floats keep of an exponent that is none of theirs."""
    if LOWEST < exponent <= SMALLEST:
        return exponent + 1.0  # some number with other digits
    if math.isnan(exponent):
        return exponent
    return math.inf if exponent > 0.0 else -math.inf


def raising(
    op: str,
    left: Sequence[Sequence[float]],
    true: Sequence[float],
    results: Sequence[float],
) -> Iterator[int]:
    """The points where Python raises where it should compute a node, or it has none."""
    if not math.isfinite(sum(true)):
        yield from (k for k, x in enumerate(true) if math.isnan(x))
    if op in _ZERO_RAISES:
        column = left[-1 if op == "div" else 0]
        yield from (k for k, x in enumerate(column) if x == -math.inf)
    if op in STEEP:
        yield from (k for k, x in enumerate(results) if x >= LARGEST)
    if op in _LARGE_RAISES:  # but a power of what is infinite is that
        pairs = enumerate(zip(left[0], results))
        yield from (k for k, (x, y) in pairs if y >= LARGEST and x < LARGEST)


def rule_of(program: Program, i: int, positive: Sequence[bool]) -> Rule:
    """How the exponent of a node follows from those of its arguments.

    It is infinite for a node that is infinite, and for one that is 0 minus that.

    Arguments:
        positive: the nodes that are never below 0.
    """
    op, *args = program.nodes[i]
    if op == "min":  # of numbers below 0 it is the one of the largest exponent
        numbers = [program.nodes[a][1] for a in args if program.nodes[a][0] == "const"]
        above = min(numbers) > 0.0 if numbers else any(positive[a] for a in args)
        return min if above else max
    if op == "pow" and program.nodes[args[1]][0] == "const":
        power = program.nodes[args[1]][1]
        return lambda x, _: x * power if power else 0.0
    if op == "pow":
        return lambda x, power: x * power if power else 0.0
    if op == "erfcx_n":  # as 1/x to the n + 1
        order = program.nodes[args[0]][1] + 1.0
        return lambda _, x: min(-order * x, 0.0)
    return _RULES.get(op, lambda *xs: 0.0)


def is_undefined(*exponents: float) -> bool:
    """Whether a node is NaN."""
    return any(map(math.isnan, exponents))


def _may_be_undefined(x: float, y: float) -> bool:
    """The same where infinite terms may have opposite signs."""
    return math.isnan(x) or math.isnan(y) or x == y == math.inf


def _quotient(x: float, y: float) -> float:
    return 0.0 if x == y else x - y


def _within_one(x: float, found: float) -> float:
    """What a function is whose argument may be no larger than 1, or NaN: it raises."""
    return found if x <= JITTER else math.nan


def _logarithm(x: float) -> float:
    return math.log10(max(abs(x) * math.log(10.0), 1.0))


def _bell(x: float) -> float:
    return -(10.0 ** min(x, LARGEST)) if x > GROWN else 0.0


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("add", "sub", "hypot", "max"), lambda *xs: max(xs)),
    "atan2": lambda y, x: min(_quotient(y, x), 0.0),
    **dict.fromkeys(("neg", "abs", "copysign", "where"), lambda x, *_: x),
    # Functions that are as their argument near 0, and elsewhere as a number.
    **dict.fromkeys(
        "sin tan tanh atan asinh sinh expm1 log1p erf".split(),
        lambda x: min(x, 0.0),
    ),
    "asin": lambda x: _within_one(x, x),
    "atanh": lambda x: _within_one(x, x),
    "acos": lambda x: _within_one(x, 0.0),
    "log1pmx": lambda x: x if x > 0.0 else 2.0 * x,
    "loggrowth": min,
    "softplus": lambda x: max(x, 0.0),
    "mul": lambda x, y: x + y,
    "div": _quotient,
    "sqrt": lambda x: x / 2.0,
    "cbrt": lambda x: x / 3.0,
    "erfcx": lambda x: min(-x, 0.0),
    **dict.fromkeys(BELLS, _bell),
    "log": _logarithm,
}

UNDEFINED: Mapping[str, Callable[..., bool]] = {
    "mul": lambda x, y: math.isnan(x + y),
    **dict.fromkeys(("add", "sub", "div"), _may_be_undefined),
}
