"""Which side of a condition numbers take of which little more than a size is known.

A number is here a sign, 1 or -1, or None if either may be, and an exponent of ten, which
is -inf for 0. Numbers of about the same size may be in any order. A verdict is None where
a condition may fall either way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from gradc.ir import COMPARISONS, Program

CLOSE = 1.0  # exponents that differ by less are of numbers of about the same size
CLOSER = 0.1  # the same where one of them is known to be large or small
KNOWN = 2.0  # from which on it is

Sign = int | None
Verdict = bool | None

_SIGNED = frozenset(  # functions that have the sign of their argument
    "asin asinh atan atanh cbrt copysign erf expm1 log1p sign sinh tanh".split()
)
_POSITIVE = frozenset(
    "abs acos cosh erfc erfcx exp exp2 gauss hypot normcdf normpdf pi e relu sech2 "
    "sigmoid softplus sqrt".split()
)


def asked(program: Program) -> set[int]:
    """The nodes whose signs tell which sides conditions take, and what exp is."""
    found: set[int] = set()
    for i in range(len(program.nodes) - 1, -1, -1):
        op, *args = program.nodes[i]
        if op in COMPARISONS:
            found.update(args)
        elif op == "exp":
            found.add(args[0])
        elif i in found and op not in ("const", "input"):
            found.update(args[1:] if op == "where" else args)
    return found


def sign(
    program: Program, i: int, signs: Sequence[Sign], sizes: Sequence[float]
) -> Sign:
    """The sign of a node, by those of its arguments and their exponents."""
    op, *args = program.nodes[i]
    if op == "const":
        return 1 if args[0] >= 0.0 else -1
    if op in _POSITIVE:
        return 1
    if op in ("add", "sub"):
        return _of_sum(signs[0], _times(signs[1], 1 if op == "add" else -1), *sizes)
    if op in ("mul", "div"):
        return 1 if args[0] == args[1] else _times(*signs)
    if op == "neg":
        return _times(signs[0], -1)
    if op in _SIGNED:
        return signs[-1 if op == "copysign" else 0]
    if op == "pow":
        return _of_power(program, args[1], signs[0])
    if op == "log":
        return None if abs(sizes[0]) < CLOSE else 1 if sizes[0] > 0.0 else -1
    return None


def _times(one: Sign, other: Sign) -> Sign:
    return None if one is None or other is None else one * other


def _of_sum(one: Sign, other: Sign, size: float, other_size: float) -> Sign:
    """The sign of the larger term, or that of both."""
    if one == other:
        return one
    if abs(size - other_size) < CLOSE or size == other_size:
        return None
    return one if size > other_size else other


def _of_power(program: Program, exponent: int, base: Sign) -> Sign:
    op, *args = program.nodes[exponent]
    if base == 1 or (op == "const" and args[0] % 2.0 == 0.0):
        return 1
    return base if op == "const" and args[0] % 2.0 == 1.0 else None


def is_loose(
    program: Program, i: int, signs: Sequence[Sign], sizes: Sequence[float]
) -> bool:
    """Whether a sum may be smaller than its exponent says, since its terms cancel."""
    op = program.nodes[i][0]
    if op not in ("add", "sub"):
        return False
    other = _times(signs[1], 1 if op == "add" else -1)
    return _of_sum(signs[0], other, *sizes) is None


def verdict(
    op: str, signs: Sequence[Sign], sizes: Sequence[float], loose: Sequence[bool]
) -> Verdict:
    """Whether a comparison holds.

    Arguments:
        loose: whether the numbers may be smaller than their exponents say.
    """
    if any(map(math.isnan, sizes)):
        return op == "ne"
    order = _order(signs[0], signs[1], sizes[0], sizes[1])
    if order is None or (any(loose) and loose[sizes[0] < sizes[1]]):
        return None
    return COMPARISONS[op](order, 0.0)


def _order(one: Sign, other: Sign, size: float, other_size: float) -> int | None:
    """The sign of a difference."""
    if size == other_size and math.isinf(size):
        return 0 if size < 0.0 or one == other else one
    if other_size == -math.inf:
        return one
    if size == -math.inf:
        return _times(other, -1)
    if one is None or other is None or one != other:
        return one if one is not None and other is not None else None
    is_known = max(abs(size), abs(other_size)) >= KNOWN
    if size == other_size or abs(size - other_size) < (CLOSER if is_known else CLOSE):
        return None
    return one if size > other_size else -one


def _both(one: Verdict, other: Verdict) -> Verdict:
    if one is False or other is False:
        return False
    return True if one and other else None


def _opposite(one: Verdict) -> Verdict:
    return None if one is None else not one


JOINED: Mapping[str, Callable[..., Verdict]] = {
    "and": _both,
    "or": lambda one, other: _opposite(_both(_opposite(one), _opposite(other))),
    "not": _opposite,
}
