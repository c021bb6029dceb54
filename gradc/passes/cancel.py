"""Cancel in the sums of the gradient what cancels in real arithmetic.

    %5 = div %4 %2                %8 = const 2.0
    %6 = mul %5 %3     -->        %9 = pow %2 %8
    %8 = sub %5 %6                %10 = div %1 %9

The derivative of x/(x + y) by x is 1/(x + y) - x/(x + y)^2, whose terms agree in their
first digits where x is much larger than y, and lose them. Over the common denominator
the numerator is (x + y) - x, in which x meets its opposite, and nothing cancels in what
is left (`cancellation`). The sums of the value have been through `stabilise`.

The difference of two logarithms is that of a ratio, which is one call and loses nothing
where the two are near each other: the derivative of (x/y)^n by n, as of x^n/y^n.

The square of a sign, which second derivatives have from abs(x), is 1 (`odd`), and
x*sign(x) is abs(x): the derivative of x*abs(x) is 2*abs(x).
"""

from __future__ import annotations

from functools import partial, reduce

from gradc.analysis.cancellation import Cancellation
from gradc.analysis.forms import SUMS, Forms, Powers, times
from gradc.ir import Builder, Program, arguments, compact
from gradc.passes.decide import decide
from gradc.passes.stabilise import roots

MOST = 10_000  # nodes above which a program is left as it is


def cancel(program: Program) -> Program:
    """Return a program of the same real function, with sums that keep more digits."""
    if len(program.nodes) > MOST:
        return program
    program = compact(decide(program))
    builder = Builder.upon(program)
    taken, single = roots(program)
    sums = Cancellation(Forms(builder, single, sized=True), single)
    new = list(range(len(program.nodes)))
    for i in range(program.last + 1, len(new)):
        node = program.nodes[i]
        args = arguments(node)
        builder.span = program.spans[i]
        if any(new[a] != a for a in args):
            new[i] = builder.add(node[0], *[new[a] for a in args])
        if node[0] == "mul" and builder.nodes[node[2]][0] == "sign":
            new[i] = _without_sign(sums.forms, new[i])
        if node[0] in SUMS and taken[i]:
            new[i] = _with_ratios(sums.forms, sums.applied(new[i]), program.last)
        builder.label(new[i], program.spans[i])
    if all(i == j for i, j in enumerate(new)):
        return program
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _without_sign(forms: Forms, i: int) -> int:
    """A product in which a sign has met what it is the sign of."""
    c, powers = forms.factors(i)
    sign = forms.builder.nodes[i][2]
    return i if any(b == sign for b, _ in powers) else forms.product(c, powers)


def _with_ratios(forms: Forms, i: int, last: int) -> int:
    """A sum in which `p*log(x) - p*log(y)` is p times the logarithm of a ratio.

    Not of a number, nor of what the value takes the logarithm of anyway.
    """
    builder = forms.builder
    left = dict(forms.of(i))
    met: list[int] = []
    waiting: dict[Powers, tuple[Powers, int]] = {}
    for powers, c in forms.of(i).items():
        logs = [b for b, e in powers if builder.nodes[b][0] == "log" and e == 1]
        if len(logs) != 1 or logs[0] <= last or not forms.has_one_reader(logs[0]):
            continue
        if builder.value_of(builder.nodes[logs[0]][1]) is not None:
            continue
        rest = times(powers, ((logs[0], 1),), -1)
        other, log = waiting.setdefault(rest, (powers, logs[0]))
        if left.get(other) == -c:
            above, below = (log, logs[0]) if c < 0 else (logs[0], log)
            ratio = _log_of_ratio(builder, above, below)
            met.append(forms.product(abs(c), times(rest, ((ratio, 1),))))
            del left[powers], left[other]
    if not met:
        return i
    terms = [forms.node(left), *met] if left else met
    return reduce(partial(builder.add, "add"), terms)


def _log_of_ratio(builder: Builder, above: int, below: int) -> int:
    """The difference of two logarithms, with all its digits."""
    add, const = builder.add, builder.const
    x, y = builder.nodes[above][1], builder.nodes[below][1]
    ratio = add("div", x, y)
    near = add("and", add("gt", ratio, const(0.5)), add("lt", ratio, const(2.0)))
    small = add("log1p", add("div", add("sub", x, y), y))
    return add("where", near, small, add("log", ratio))
