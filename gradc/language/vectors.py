"""The functions of arrays, written in operations of the table.

A function gets a call and returns the result; it adds operations by `call.do`. Sums are
folded from the left, as one writes them by hand.
"""

from collections.abc import Callable, Mapping

from gradc.errors import shape_text
from gradc.language import linear
from gradc.language.calls import Call, total
from gradc.language.shapes import Array, Operand, Whole, entries_of, shape_of, shaped
from gradc.language.variables import is_variable
from gradc.ops import DIFF


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


# ---- derivatives, which the pass `slopes` writes out


def _variables(call: Call) -> list[int]:
    """The nodes that a call differentiates by."""
    found: list[int] = []
    for entry in entries_of(call.args[1]):
        if not isinstance(entry, int) or not is_variable(call.size.builder, entry):
            raise call.mistake("variable_expected", 1)
        found.append(entry)
    return found


def _diff(call: Call) -> Operand:
    """The derivatives of all entries by all variables."""
    variables, none = _variables(call), call.size.const(0.0)
    shape = shape_of(call.args[0]) + shape_of(call.args[1])
    slopes = [
        call.do(DIFF, entry, x) if isinstance(entry, int) else none
        for entry in entries_of(call.args[0])
        for x in variables
    ]
    return shaped(shape, slopes)


def _grad(call: Call) -> Operand:
    """The derivatives of a number."""
    if isinstance(call.args[0], Array):
        shape = shape_text(call.args[0].shape)
        raise call.mistake("gradient_of_array", 0, shape=shape)
    return _diff(call)


def _hessian(call: Call) -> Operand:
    """The second derivatives of a number; each pair of variables is met once."""
    first, variables = entries_of(_grad(call)), _variables(call)
    count = len(variables)
    pairs = {
        (i, j): call.do(DIFF, first[i], variables[j])
        for i in range(count)
        for j in range(i, count)
    }
    shape = shape_of(call.args[1])
    return shaped(
        shape + shape,
        [pairs[min(i, j), max(i, j)] for i in range(count) for j in range(count)],
    )


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
    "diff": _diff,
    "grad": _grad,
    "jacobian": _diff,
    "hessian": _hessian,
}
