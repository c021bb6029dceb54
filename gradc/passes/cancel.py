"""Cancel in the sums of the gradient what cancels in real arithmetic.

    %5 = div %4 %2                %8 = const 2.0
    %6 = mul %5 %3     -->        %9 = pow %2 %8
    %8 = sub %5 %6                %10 = div %1 %9

The derivative of x/(x + y) by x is 1/(x + y) - x/(x + y)^2, whose terms agree in their
first digits where x is much larger than y, and lose them. Over the common denominator
the numerator is (x + y) - x, in which x meets its opposite, and nothing cancels in what
is left (`cancellation`). The sums of the value have been through `stabilise`.

The square of a sign, which second derivatives have from abs(x), is 1: at 0 too it is so
on both sides.
"""

from __future__ import annotations

from gradc.analysis.cancellation import Cancellation
from gradc.analysis.forms import SUMS, Forms, times
from gradc.ir import Builder, Program, arguments, compact, within
from gradc.passes.decide import decide
from gradc.passes.stabilise import roots

MOST = 10_000  # nodes above which a program is left as it is


def cancel(program: Program) -> Program:
    """Return a program of the same real function, with sums that keep more digits."""
    if len(program.nodes) > MOST:
        return program
    program = compact(decide(program)[0])
    builder = Builder.upon(program)
    taken, single = roots(program)
    sums = Cancellation(Forms(builder, single), single)
    new = list(range(len(program.nodes)))
    for i in range(program.last + 1, len(new)):
        node = program.nodes[i]
        args = arguments(node)
        builder.span = within(program.spans[i])
        if any(new[a] != a for a in args):
            new[i] = builder.add(node[0], *[new[a] for a in args])
        if node[0] in SUMS and taken[i]:
            new[i] = sums.applied(new[i])
        elif node[0] == "mul" and taken[i]:
            new[i] = _without_signs(sums.forms, new[i])
        builder.label(new[i], program.spans[i])
        if new[i] != i and i in program.hints:
            builder.hints.setdefault(new[i], program.hints[i])
    if all(i == j for i, j in enumerate(new)):
        return program
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _without_signs(forms: Forms, i: int) -> int:
    """A product without the squares of signs in it."""
    c, powers = forms.factors(i)
    nodes = forms.builder.nodes
    squares = {(b, e - e % 2) for b, e in powers if e > 1 and nodes[b][0] == "sign"}
    return forms.product(c, times(powers, (*squares,), -1)) if squares else i
