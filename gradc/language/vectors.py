"""The functions of arrays, written in operations of the table.

A function gets a call and returns the result; it adds operations by `call.do`. Sums are
folded from the left, as one writes them by hand.
"""

from collections.abc import Mapping

from gradc.language import linear
from gradc.language.calls import Call, Function, total
from gradc.language.shapes import Array, Operand, Whole
from gradc.language.slopes import DERIVATIVES


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


FUNCTIONS: Mapping[str, Function] = {
    "sum": Function(("x",), _sum, "Sum of the entries."),
    "prod": Function(("x",), _prod, "Product of the entries."),
    "mean": Function(("x",), _mean, "Mean of the entries."),
    "len": Function(("x",), _len, "Length of the first axis."),
    "norm": Function(("x",), _norm, "Root of the sum of squares of the entries."),
    "cumsum": Function(("x",), _cumsum, "Sums of the entries so far."),
    "range": Function(
        ("start", "stop", "step"), _range, "Whole numbers, as in Python.", least=1
    ),
    "dot": Function(("x", "y"), linear.product, "x @ y."),
    "cross": Function(("x", "y"), linear.cross, "Cross product of three entries each."),
    "transpose": Function(("A",), linear.transpose, "Rows and columns exchanged."),
    "det": Function(("A",), linear.determinant, "Determinant, up to 4 by 4."),
    "inv": Function(("A",), linear.inverse, "Inverse matrix, up to 4 by 4."),
    "softmax": Function(("x",), _softmax, "exp(x)/sum(exp(x)) without overflow."),
    **DERIVATIVES,
}
