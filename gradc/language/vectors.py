"""The functions of arrays, written in operations of the table.

A function gets a call and returns the result; it adds operations by `call.do`. Sums are
folded from the left, as one writes them by hand.
"""

from collections.abc import Callable, Mapping

from gradc.language import linear, slopes
from gradc.language.calls import Call, total
from gradc.language.shapes import Array, Operand, Whole


def _sum(call: Call) -> Operand:
    return total(call.do, call.array(empty=True).entries)


def _prod(call: Call) -> Operand:
    factors = list(call.array(empty=True).entries) or [Whole(1.0)]
    while len(factors) > 1:  # by halves, so that no derivative is a long product
        pairs = [call.do("mul", x, y) for x, y in zip(factors[::2], factors[1::2])]
        factors = pairs + factors[2 * len(pairs) :]
    return factors[0]


def _mean(call: Call) -> Operand:
    entries = call.array().entries
    return call.do("div", total(call.do, entries), Whole(float(len(entries))))


def _len(call: Call) -> Operand:
    return Whole(float(call.array(empty=True).shape[0]))


def _norm(call: Call) -> Operand:
    return call.do("hypot", *call.array().entries)


def _cumsum(call: Call) -> Operand:
    entries = list(call.array(axes=(1,)).entries)
    for k in range(1, len(entries)):
        entries[k] = call.do("add", entries[k - 1], entries[k])
    return Array((len(entries),), tuple(entries))


def _softmax(call: Call) -> Operand:
    x, do = call.array(), call.do
    level = do("logsumexp", *x.entries)
    return Array(x.shape, tuple(do("exp", do("sub", e, level)) for e in x.entries))


def _range(call: Call) -> Operand:
    values = [int(call.whole(k)) for k in range(len(call.args))]
    if len(values) == 3 and values[2] == 0:
        raise call.mistake("slice_standing", 2)
    numbers = range(*values)
    call.size.hold(len(numbers), call.span)
    return Array((len(numbers),), tuple(Whole(float(k)) for k in numbers))


COMPUTE: Mapping[str, Callable[[Call], Operand]] = {
    "sum": _sum,
    "prod": _prod,
    "mean": _mean,
    "len": _len,
    "norm": _norm,
    "cumsum": _cumsum,
    "range": _range,
    "dot": linear.product,
    "cross": linear.cross,
    "transpose": linear.transpose,
    "det": linear.determinant,
    "inv": linear.inverse,
    "softmax": _softmax,
    **slopes.COMPUTE,
}
