"""The passes in their order, from a formula to the programs of a module's functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gradc.functions import Function, Interface, derived
from gradc.ir import Pass, Program, elements
from gradc.passes.cancel import cancel
from gradc.passes.decide import decide
from gradc.passes.derive import derive
from gradc.passes.expand import expand
from gradc.passes.gather import gather
from gradc.passes.matrices import jacobian
from gradc.passes.merge import merge
from gradc.passes.negate import negate
from gradc.passes.resolve import resolve
from gradc.passes.share import share
from gradc.passes.slopes import slopes
from gradc.passes.stabilise import stabilise

Passes = Sequence[tuple[str, Pass]]

BEFORE: Passes = (
    ("slopes", slopes),  # diff(f, x) in a formula is the reverse pass of that part
    ("stabilise", stabilise),  # what cancels or overflows is written in another way
    ("resolve", resolve),  # 0/0 at a point: around it the series, elsewhere as written
)
AFTER: Passes = (
    ("cancel", cancel),  # what cancels in a sum of derivatives in real arithmetic goes
    ("merge", merge),  # nodes that agree in 50 digits at some points are one node
    ("decide", decide),  # a condition that is known where it stands asks nothing
    ("expand", expand),  # a row becomes what it means, where parts are shared
    ("gather", gather),  # sums and products are written with the fewest operations
    ("share", share),  # what several products have in common is computed once
    ("negate", negate),  # signs move to where a difference takes them for nothing
)
BEFORE_STRICT = BEFORE[:1]
AFTER_STRICT: Passes = (("expand", partial(expand, strict=True)),)


def passes(wrt: Sequence[str], strict: bool) -> Passes:
    """All passes by name, and among them the gradient or the Jacobian by `wrt`."""

    def differentiate(program: Program) -> Program:
        names = elements(program, wrt)
        if program.count > 1:
            return jacobian(program, names)[0]
        return derive(program, names)

    before, after = (BEFORE_STRICT, AFTER_STRICT) if strict else (BEFORE, AFTER)
    return (*before, ("derive", differentiate), *after)


def functions(
    interface: Interface, emit: Sequence[str], strict: bool
) -> list[Function]:
    """The functions of a module that are asked for, `value` first.

    It is computed as in the function behind it, if that begins with the value too and
    need not be made for second derivatives.
    """
    before, after = (BEFORE_STRICT, AFTER_STRICT) if strict else (BEFORE, AFTER)
    program = _through(before, interface.program)
    shares = emit[1:2] in (("gradient",), ("jacobian",))
    found = []
    for word in emit[shares:]:
        function = derived(word, program, interface, strict)
        fast = _through(after, function.program)
        found.append(function._replace(program=fast))
    if shares:
        found.insert(0, derived("value", found[0].program, interface, strict))
    return found


def _through(steps: Passes, program: Program) -> Program:
    for _, run in steps:
        program = run(program)
    return program
