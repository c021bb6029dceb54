"""Bounds: how large and how small the numbers of a program can be.

Bounds are of the size |x| of a number, and hold wherever the inputs are in their domains.
What can be 0 has the size of a smallest number all the same: a quotient by 0 raises. That
0 lies in a moderate domain, or that terms may cancel, does not make tiny numbers likely:
such an input, and a sum, is 0 or at least `SHARE` of what it can be.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from gradc.ir import (
    ARITHMETIC,
    CONDITIONS,
    Input,
    Node,
    Program,
    arguments,
    has_ended,
)

LARGEST = sys.float_info.max
SMALLEST = math.ulp(0.0)
MODERATE = 1e30  # the largest number of a moderate domain
SHARE = 1e-3
ROOT = 1e-20  # below this sin is at no float but 0
ROUNDING = sys.float_info.epsilon / 2.0
EXPONENT = math.log(LARGEST)


class Size(NamedTuple):
    """Bounds of a size; the upper one is infinite where floats may end unnoticed."""

    low: float
    high: float
    positive: bool = False  # never below 0


def sizes(program: Program) -> list[Size]:
    """The sizes of all nodes."""
    inputs = {item.name: _declared(item) for item in program.inputs}
    found: list[Size] = []
    for node in program.nodes:
        if node[0] == "const":
            size = abs(node[1]) or SMALLEST
            found.append(Size(size, size, node[1] >= 0.0))
        elif node[0] == "input":
            found.append(inputs[node[1]])
        elif node[0] in CONDITIONS:
            found.append(_ANY)
        else:
            found.append(_size(node, [found[a] for a in arguments(node)]))
    return found


def ended(program: Program) -> list[int]:
    """The constants that begin arithmetic on two of them in which floats end."""
    nodes, found = program.nodes, set[int]()
    for i, node in enumerate(nodes):
        if node[0] in ARITHMETIC and nodes[node[1]][0] == nodes[node[2]][0] == "const":
            op, x, y = node[0], nodes[node[1]][1], nodes[node[2]][1]
            if x and y and has_ended(ARITHMETIC[op](x, y)) and program.alive[i]:
                found.add(node[1])
    return sorted(found)


def is_moderate(item: Input) -> bool:
    """Whether an input is declared to be no extreme number."""
    if item.low is None or item.high is None:
        return False
    return max(abs(item.low), abs(item.high)) <= MODERATE


def _declared(item: Input) -> Size:
    if item.low is None or item.high is None:
        return _ANY
    low, high = sorted((abs(item.low), abs(item.high)))
    if item.low <= 0.0 <= item.high:
        low = SHARE * high if is_moderate(item) else 0.0
    return Size(max(low, SMALLEST), min(high, LARGEST), item.low >= 0.0)


def _size(node: Node, args: list[Size]) -> Size:
    rule = _RULES.get(node[0])
    if rule is None:
        return Size(SMALLEST, math.inf)
    found = rule(*args)
    positive = node[0] in _POSITIVE or (
        node[0] in _AS_ARGUMENTS and all(arg.positive for arg in args)
    )
    square = node[0] == "mul" and node[1] == node[2]
    low = max(found.low, SMALLEST)  # also of what is always 0, as log(1)
    return Size(low, max(low, found.high), positive or square)


def _sum(*args: Size) -> Size:
    low = min(arg.low for arg in args)  # others may be 0
    is_one_sided = all(arg.positive for arg in args)
    return Size(low if is_one_sided else SHARE * low, sum(arg.high for arg in args))


def _difference(x: Size, y: Size) -> Size:
    return _sum(x._replace(positive=False), y)


def _product(x: Size, y: Size) -> Size:
    return Size(x.low * y.low, x.high * y.high)


def _quotient(x: Size, y: Size) -> Size:
    return Size(x.low / y.high, x.high / y.low)


def _either(*args: Size) -> Size:
    return Size(min(arg.low for arg in args), max(arg.high for arg in args))


def _hypotenuse(*args: Size) -> Size:
    return _sum(*(arg._replace(positive=True) for arg in args))


def _at_most_the_sum(*args: Size) -> Size:
    return Size(0.0, sum(arg.high + 1.0 for arg in args))


def _sine(x: Size) -> Size:
    return Size(ROOT * min(x.low, 1.0), 1.0)


def _logarithm(x: Size) -> Size:
    """Beside 1 it is a rounding error at least."""
    return Size(ROUNDING, max(abs(math.log(x.low)), abs(math.log(x.high))))


def _raising(*args: Size) -> Size:
    """A function that raises where it overflows, unless an argument is infinite."""
    high = max(arg.high for arg in args)
    return Size(0.0, LARGEST if high <= LARGEST else math.inf)


def _exponential(x: Size) -> Size:
    if x.high > EXPONENT:
        return _raising(x)
    return Size(math.exp(-x.high), math.exp(x.high))


def _power(x: Size, y: Size) -> Size:
    most = y.high * _logarithm(x).high
    return _exponential(Size(0.0, most)) if most <= EXPONENT else _raising(x, y)


_ANY = Size(SMALLEST, LARGEST)
_RULES: Mapping[str, Callable[..., Size]] = {
    "pi": lambda: Size(math.pi, math.pi),
    "e": lambda: Size(math.e, math.e),
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    **dict.fromkeys("neg abs".split(), lambda x: x),
    "copysign": lambda x, _: x,
    "where": lambda _, x, y: _either(x, y),
    **dict.fromkeys("max min clip".split(), _either),
    "hypot": _hypotenuse,
    "sqrt": lambda x: Size(math.sqrt(x.low), math.sqrt(x.high)),
    "log": _logarithm,
    "log1p": lambda x: Size(0.0, x.high + EXPONENT),
    **dict.fromkeys(
        "relu softplus silu gelu asinh logaddexp logsumexp logexcess "
        "neg_log_softmax".split(),
        _at_most_the_sum,
    ),
    "sin": _sine,
    **dict.fromkeys(
        "cos tanh sigmoid sign sech2 sinc erf gauss normpdf normcdf".split(),
        lambda x: Size(0.0, 1.0),
    ),
    **dict.fromkeys("asin acos atan erfc".split(), lambda x: Size(0.0, 4.0)),
    "atan2": lambda y, x: Size(0.0, 4.0),
    "exp": _exponential,
    "pow": _power,
    **dict.fromkeys("sinh cosh expm1 tan gamma lgamma lgamma_sum".split(), _raising),
}
_POSITIVE = frozenset(
    "pi e exp sqrt abs hypot cosh sigmoid relu softplus normcdf".split()
)
_AS_ARGUMENTS = frozenset("add mul div max min clip where pow".split())
